//go:build linux

// Crash has a publisher with a standby crash again and again, at each synchronous_commit, and
// counts the transactions that clients were told of and that are gone: on the standby, and on
// the publisher when it has recovered.
//
//	go run ./experiments/commit/crash [FLAGS] FILE.tsv
//
// The crash is a shutdown in immediate mode: every process exits where it is, and what is
// in WAL buffers is lost, as with kill -9. What is on its way to the standby is lost with
// the network.
package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
)

func main() {
	f := pflag.NewFlagSet("crash", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	rounds := f.Int("rounds", 10, "crashes at each level")
	trip := f.Duration("trip", 20*time.Millisecond, "round trip to the standby")
	clients := f.Int("clients", 4, "clients")
	f.Parse(os.Args[1:])
	if f.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "crash: expected the name of a file to write")
		os.Exit(2)
	}
	pool, err := server.NewPool(server.Options{Prefix: *pg, Dir: *dir})
	if err == nil {
		var rows []string
		rows, err = record(pool, *rounds, *trip, *clients)
		if err = errors.Join(err, pool.Close()); err == nil {
			head := fmt.Sprintf("# PostgreSQL %s, %d cores, all on one host; %s\n", pool.Version, runtime.NumCPU(), time.Now().UTC().Format("2006-01-02")) +
				"synchronous_commit\tround_trip\tclients\tseconds\ttransactions\twal_bytes\tlost_restart\tlost_standby\n"
			err = os.WriteFile(f.Arg(0), []byte(head+strings.Join(rows, "")), 0o666)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}

func record(pool *server.Pool, rounds int, trip time.Duration, clients int) (rows []string, err error) {
	pub, err := pool.Start("publisher", map[string]string{"fsync": "on", "synchronous_commit": "on", "wal_sender_timeout": "60s", "max_connections": "60"})
	if err != nil {
		return nil, err
	}
	if err := pub.Script("set synchronous_commit = local; create table told (client int, n int, filler char(84), primary key (client, n)); checkpoint"); err != nil {
		return nil, err
	}
	relay, err := server.NewRelay(pub.Port, trip/2)
	if err != nil {
		return nil, err
	}
	defer relay.Close()
	sub, err := pool.Standby(pub, "s1", relay.Port(), map[string]string{"fsync": "on", "hot_standby": "on", "wal_retrieve_retry_interval": "200ms"})
	if err != nil {
		return nil, err
	}
	if err := pub.Script("alter system set synchronous_standby_names = 's1'; select pg_reload_conf()"); err != nil {
		return nil, err
	}
	for range rounds {
		for _, level := range []string{"off", "local", "remote_write", "on", "remote_apply"} {
			row, err := one(pub, sub, level, trip, clients)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", level, err)
			}
			fmt.Fprint(os.Stderr, row)
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// wait waits until a query says t.
func wait(c *server.Cluster, sql string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if v, err := c.Value(sql); err != nil || v == "t" {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not true within 30 s: %s", sql)
		}
	}
}

// one is one crash.
func one(pub, sub *server.Cluster, level string, trip time.Duration, clients int) (string, error) {
	if err := pub.Script("set synchronous_commit = local; truncate told"); err != nil {
		return "", err
	}
	if err := wait(pub, "select count(*) = 1 from pg_stat_replication where sync_state = 'sync' and replay_lsn >= pg_current_wal_flush_lsn()"); err != nil {
		return "", err
	}
	position := func() (float64, error) {
		text, err := pub.Value("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
		if err != nil {
			return 0, err
		}
		return strconv.ParseFloat(text, 64)
	}
	before, err := position()
	if err != nil {
		return "", err
	}
	told := make([]int, clients)
	var wg sync.WaitGroup
	began := time.Now()
	for i := range clients {
		k, err := server.Dial(pub.Port, pub.Database(), map[string]string{"synchronous_commit": level})
		if err != nil {
			return "", err
		}
		wg.Go(func() {
			defer k.Close()
			for {
				if _, err := k.Query(fmt.Sprintf("insert into told values (%d, %d, '')", i, told[i]+1)); err != nil {
					return // the server is gone
				}
				told[i]++
			}
		})
	}
	time.Sleep(1500*time.Millisecond + time.Duration(rand.IntN(400_000))*time.Microsecond)
	after, err := position()
	if err != nil {
		return "", err
	}
	pub.Crash()
	wg.Wait()
	took := time.Since(began).Seconds()
	time.Sleep(trip + 500*time.Millisecond) // what has come is replayed
	// The last record may have come in part: replay has ended when it stands still.
	for was := ""; ; time.Sleep(300 * time.Millisecond) {
		at, err := sub.Value("select pg_last_wal_replay_lsn()")
		if err != nil {
			return "", err
		}
		if at == was {
			break
		}
		was = at
	}
	missing := func(c *server.Cluster) (int, error) {
		rows, err := c.Query("select client, max(n) from told group by client")
		if err != nil {
			return 0, err
		}
		lost := 0
		for i := range told {
			has := 0
			for _, r := range rows {
				if r[0] == strconv.Itoa(i) {
					if has, err = strconv.Atoi(r[1]); err != nil {
						return 0, err
					}
				}
			}
			lost += max(told[i]-has, 0)
		}
		return lost, nil
	}
	standby, err := missing(sub)
	if err != nil {
		return "", err
	}
	if err := pub.Restart(); err != nil {
		return "", err
	}
	restart, err := missing(pub)
	if err != nil {
		return "", err
	}
	n := 0
	for _, x := range told {
		n += x
	}
	return fmt.Sprintf("%s\t%g\t%d\t%.3f\t%d\t%.0f\t%d\t%d\n", level, trip.Seconds(), clients, took, n, after-before, restart, standby), nil
}
