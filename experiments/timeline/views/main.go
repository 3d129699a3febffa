// Views takes two samples of both servers of a real pair, as `applysim compare-observed`
// reads them, while a steady load of inserts and updates is on: the load of the scenario in
// model/monitor's tests.
//
//	applysim compare-observed --query > query.sql
//	go run ./experiments/timeline/views [FLAGS] query.sql FILE.json
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
)

func main() {
	f := pflag.NewFlagSet("views", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	schema := f.String("schema", "cmd/applysim/testdata/scenario/pair.sql", "DDL of both servers")
	apart := f.Duration("apart", 20*time.Second, "time between the samples")
	f.Parse(os.Args[1:])
	if f.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "views: expected the query's file and the name of a file to write")
		os.Exit(2)
	}
	ddl, err := os.ReadFile(*schema)
	query, err2 := os.ReadFile(f.Arg(0))
	if err = errors.Join(err, err2); err == nil {
		var pool *server.Pool
		if pool, err = server.NewPool(server.Options{Prefix: *pg, Dir: *dir}); err == nil {
			var text string
			text, err = record(pool, string(ddl), string(query), *apart)
			if err = errors.Join(err, pool.Close()); err == nil {
				err = os.WriteFile(f.Arg(1), []byte(text), 0o666)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "views:", err)
		os.Exit(1)
	}
}

func record(pool *server.Pool, ddl, query string, apart time.Duration) (string, error) {
	settings := map[string]string{"fsync": "on", "synchronous_commit": "on", "full_page_writes": "off", "autovacuum": "off", "wal_level": "logical"}
	pub, err := pool.Start("publisher", settings)
	if err != nil {
		return "", err
	}
	sub, err := pool.Start("subscriber", settings)
	if err != nil {
		return "", err
	}
	const rows = 5000
	fill := fmt.Sprintf("; insert into events select n, random() * 10000, random() * 4, repeat('x', 128), now() from generate_series(1, %d) n; vacuum analyze events", rows)
	if err := errors.Join(pub.Script(ddl+fill), sub.Script(ddl+fill), pub.Script("create publication p for table events")); err != nil {
		return "", err
	}
	if err := sub.Script(fmt.Sprintf("create subscription sub connection 'host=127.0.0.1 port=%d user=postgres dbname=%s' publication p with (copy_data = false)", pub.Port, pub.Database())); err != nil {
		return "", err
	}
	time.Sleep(2 * time.Second)
	k, err := server.Dial(pub.Port, pub.Database(), nil)
	if err != nil {
		return "", err
	}
	defer k.Close()
	next, done, failed := rows+1, make(chan bool), make(chan error, 1)
	go func() { // 10 inserts of 5 rows and 15 updates a second
		tick := time.NewTicker(time.Second / 25)
		defer tick.Stop()
		for n := 0; ; n++ {
			sql := fmt.Sprintf("update events set status = (status + 1) %% 5, updated_at = now() where id = %d", 1+rand.IntN(rows*8/10))
			if n%5 < 2 {
				sql = fmt.Sprintf("insert into events select n, random() * 10000, random() * 4, repeat('x', 128), now() from generate_series(%d, %d) n", next, next+4)
				next += 5
			}
			if _, err := k.Query(sql); err != nil {
				failed <- err
				return
			}
			select {
			case <-done:
				failed <- nil
				return
			case <-tick.C:
			}
		}
	}()
	var out strings.Builder
	for i := range 2 {
		time.Sleep([]time.Duration{10 * time.Second, apart}[i])
		for _, c := range []*server.Cluster{pub, sub} {
			text, err := c.Value(query)
			if err != nil {
				return "", err
			}
			out.WriteString(strings.ReplaceAll(text, "\n", " ") + "\n")
		}
	}
	close(done)
	return out.String(), <-failed
}
