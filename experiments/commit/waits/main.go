//go:build linux

// Waits notes what a real publisher makes of synchronous_standby_names, and who waits for
// whom: strings that it accepts and refuses, quorums with standbys at different round
// trips, a standby that dies, waits that are cancelled.
//
//	go run ./experiments/commit/waits [FLAGS] FILE.json
//
// The strings are read from FILE.json and stay there; all else is written anew.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/commit"
	"applysim/experiments/server"
)

func main() {
	f := pflag.NewFlagSet("waits", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	f.Parse(os.Args[1:])
	err := errors.New("expected the name of one file")
	if f.NArg() == 1 {
		err = record(server.Options{Prefix: *pg, Dir: *dir}, f.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "waits:", err)
		os.Exit(1)
	}
}

func record(o server.Options, file string) error {
	var w commit.Waits
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &w); err != nil {
		return err
	}
	pool, err := server.NewPool(o)
	if err != nil {
		return err
	}
	r := &recording{pool: pool, waits: &w}
	w.Server, w.Date = pool.Version, time.Now().UTC().Format("2006-01-02")
	if err := errors.Join(r.run(), pool.Close()); err != nil {
		return err
	}
	out, err := json.MarshalIndent(&w, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(out, '\n'), 0o666)
}

type recording struct {
	pool     *server.Pool
	waits    *commit.Waits
	pub      *server.Cluster
	standbys []*server.Cluster
}

// trips are the round trips of the standbys s1, s2 and s3.
var trips = []time.Duration{10 * time.Millisecond, 30 * time.Millisecond, 80 * time.Millisecond}

func (r *recording) run() error {
	var err error
	if r.pub, err = r.pool.Start("publisher", map[string]string{"fsync": "on", "synchronous_commit": "local", "wal_sender_timeout": "60s"}); err != nil {
		return err
	}
	if err := r.pub.Script("create table t (id int primary key, n int not null); insert into t select i, 0 from generate_series(1, 100) i; checkpoint"); err != nil {
		return err
	}
	for i := range r.waits.Names {
		n := &r.waits.Names[i]
		n.Error = ""
		if _, err := r.pub.Query("alter system set synchronous_standby_names = '" + strings.ReplaceAll(n.Text, "'", "''") + "'"); err != nil {
			var refused *server.ServerError
			if !errors.As(err, &refused) {
				return err
			}
			n.Error = refused.Message
		}
	}
	for i, trip := range trips {
		relay, err := server.NewRelay(r.pub.Port, trip/2)
		if err != nil {
			return err
		}
		defer relay.Close()
		c, err := r.pool.Standby(r.pub, fmt.Sprintf("s%d", i+1), relay.Port(), map[string]string{"fsync": "on", "hot_standby": "on"})
		if err != nil {
			return err
		}
		r.standbys = append(r.standbys, c)
	}
	if err := r.until("select count(*) from pg_stat_replication where state = 'streaming'", fmt.Sprint(len(trips))); err != nil {
		return err
	}
	for i := range r.waits.Quorums {
		if err := r.quorum(&r.waits.Quorums[i]); err != nil {
			return err
		}
	}
	return r.dies()
}

// names sets synchronous_standby_names and waits until it is known.
func (r *recording) names(text string) error {
	if err := r.pub.Script("alter system set synchronous_standby_names = '" + text + "'; select pg_reload_conf()"); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	return nil
}

func (r *recording) until(query, want string) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		got, err := r.pub.Value(query)
		if err != nil {
			return err
		}
		if got == want {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s: %s, expected %s within 30 s", query, got, want)
		}
	}
}

// quorum measures commits with some value of synchronous_standby_names.
func (r *recording) quorum(q *commit.Quorum) error {
	if err := r.names(q.Names); err != nil {
		return err
	}
	q.Priority, q.State = nil, nil
	for i := range trips {
		rows, err := r.pub.Query(fmt.Sprintf("select sync_priority, sync_state from pg_stat_replication where application_name = 's%d'", i+1))
		if err != nil {
			return err
		}
		var p int
		if _, err := fmt.Sscan(rows[0][0], &p); err != nil {
			return err
		}
		q.Priority, q.State = append(q.Priority, p), append(q.State, rows[0][1])
	}
	median := func(level string) (float64, error) {
		k, err := server.Dial(r.pub.Port, r.pub.Database(), map[string]string{"synchronous_commit": level})
		if err != nil {
			return 0, err
		}
		defer k.Close()
		var list []float64
		for i := range 21 {
			began := time.Now()
			if _, err := k.Query(fmt.Sprintf("update t set n = n + 1 where id = %d", 1+i)); err != nil {
				return 0, err
			}
			list = append(list, time.Since(began).Seconds())
		}
		slices.Sort(list)
		return list[len(list)/2], nil
	}
	var err error
	if q.LocalS, err = median("local"); err != nil {
		return err
	}
	if q.OnS, err = median("on"); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: local %.1f ms, on %.1f ms\n", q.Names, q.LocalS*1e3, q.OnS*1e3)
	return nil
}

// dies has the only standby that is waited for die, and ends waits in three ways.
func (r *recording) dies() error {
	d := &r.waits.Dies
	*d = commit.Dies{}
	if err := r.names("s1"); err != nil {
		return err
	}
	if err := r.pool.Remove(r.standbys[0]); err != nil {
		return err
	}
	if err := r.until("select count(*) from pg_stat_replication where application_name = 's1'", "0"); err != nil {
		return err
	}
	type answer struct {
		who int
		err error
	}
	answers := make(chan answer, 3)
	var pids []string
	for i := range 3 {
		k, err := server.Dial(r.pub.Port, r.pub.Database(), map[string]string{"synchronous_commit": "on"})
		if err != nil {
			return err
		}
		defer k.Close()
		pid, err := k.Value("select pg_backend_pid()")
		if err != nil {
			return err
		}
		pids = append(pids, pid)
		go func() {
			_, err := k.Query(fmt.Sprintf("update t set n = 1000 where id = %d", 51+i))
			answers <- answer{i, err}
		}()
	}
	waiting := func(into *int) error {
		_, err := fmt.Sscan(must(r.pub.Value("select count(*) from pg_stat_activity where wait_event = 'SyncRep'")), into)
		return err
	}
	visible := func(i int, into *bool) error {
		v, err := r.pub.Value(fmt.Sprintf("select n = 1000 from t where id = %d", 51+i))
		*into = v == "t"
		return err
	}
	if err := r.until("select count(*) from pg_stat_activity where wait_event = 'SyncRep'", "3"); err != nil {
		return err
	}
	time.Sleep(2 * time.Second)
	if err := errors.Join(waiting(&d.WaitAfter2S), visible(0, &d.VisibleWhileWaiting)); err != nil {
		return err
	}
	ended := func(i int) (string, error) {
		select {
		case a := <-answers:
			if a.who != i {
				return "", fmt.Errorf("client %d was answered, expected %d", a.who, i)
			}
			if a.err != nil {
				return a.err.Error(), nil
			}
			return "", nil
		case <-time.After(10 * time.Second):
			return "", errors.New("no answer within 10 s")
		}
	}
	for i, sql := range []string{"select pg_cancel_backend(" + pids[0] + ")", "select pg_terminate_backend(" + pids[1] + ", 5000)"} {
		if _, err := r.pub.Value(sql); err != nil {
			return err
		}
		e := commit.Ended{How: strings.Fields(strings.ReplaceAll(sql, "(", " "))[1]}
		var err error
		if e.Error, err = ended(i); err != nil {
			return err
		}
		if err := errors.Join(visible(i, &e.Committed), waiting(&e.StillWait)); err != nil {
			return err
		}
		d.Ended = append(d.Ended, e)
	}
	if err := r.names(""); err != nil {
		return err
	}
	e := commit.Ended{How: "synchronous_standby_names emptied"}
	var err error
	if e.Error, err = ended(2); err != nil {
		return err
	}
	d.Ended = append(d.Ended, e)
	last := &d.Ended[2]
	return errors.Join(visible(2, &last.Committed), waiting(&last.StillWait))
}

func must(text string, err error) string {
	if err != nil {
		return err.Error() // which is no number
	}
	return text
}
