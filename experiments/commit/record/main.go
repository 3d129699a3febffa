//go:build linux

// Record measures what clients wait for at each synchronous_commit on a real publisher and
// its standby, and what both processes take.
//
//	go run ./experiments/commit/record [FLAGS] FILE.tsv
//
// Clients, like pgbench's, update rows of a table one by one, each as fast as it is
// answered. Runs are short, and come round after round, so that what else the machine does
// hits all of them. It runs on Linux, as it reads what processes take there.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
)

func main() {
	f := pflag.NewFlagSet("record", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	rounds := f.Int("rounds", 3, "so many times each run")
	length := f.Duration("length", 2*time.Second, "how long a run is")
	trips := f.IntSlice("trips", []int{0, 10}, "round trips to the standby, milliseconds")
	clients := f.IntSlice("clients", []int{1, 4, 8}, "clients")
	f.Parse(os.Args[1:])
	if f.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "record: expected the name of a file to write")
		os.Exit(2)
	}
	pool, err := server.NewPool(server.Options{Prefix: *pg, Dir: *dir})
	if err == nil {
		r := &recording{pool: pool, length: *length}
		err = errors.Join(r.run(*rounds, *trips, *clients), pool.Close())
		if err == nil {
			err = r.write(f.Arg(0))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// recording is all runs.
type recording struct {
	pool     *server.Pool
	length   time.Duration
	pub, sub *server.Cluster
	rows     [][]string
	watched  map[string]string // process ids
}

var levels = []string{"off", "local", "remote_write", "on", "remote_apply"}

// columns of the file. Times are seconds.
var columns = []string{
	"round", "synchronous_commit", "round_trip", "clients", "seconds", "transactions", "mean", "p50", "p99", "wal_bytes",
	"backends_cpu", "client_cpu", "walsender_cpu", "walreceiver_cpu", "startup_cpu", "waited_for_cores",
	"flushes", "flush_time", "standby_flushes", "standby_flush_time", "messages", "replies",
}

func (r *recording) run(rounds int, trips, clients []int) error {
	settings := map[string]string{
		"fsync": "on", "track_wal_io_timing": "on", "synchronous_commit": "on", "wal_sender_timeout": "60s", "hot_standby_feedback": "off", "max_connections": "60",
	}
	var err error
	if r.pub, err = r.pool.Start("publisher", settings); err != nil {
		return err
	}
	if err := r.pub.Script(`set synchronous_commit = local; create table accounts (id int primary key, balance int not null, filler char(84) not null) with (fillfactor = 50);
		insert into accounts select n, 0, '' from generate_series(1, 20000) n; vacuum analyze accounts; checkpoint`); err != nil {
		return err
	}
	for _, ms := range trips {
		if err := r.trip(rounds, time.Duration(ms)*time.Millisecond, clients); err != nil {
			return err
		}
	}
	return nil
}

// trip does the runs with one round trip.
func (r *recording) trip(rounds int, trip time.Duration, clients []int) error {
	relay, err := server.NewRelay(r.pub.Port, trip/2)
	if err != nil {
		return err
	}
	defer relay.Close()
	through := relay.Port()
	if trip == 0 {
		through = r.pub.Port // the relay itself takes time
	}
	if err := r.pub.Script("alter system set synchronous_standby_names = ''; select pg_reload_conf()"); err != nil {
		return err
	}
	if r.sub, err = r.pool.Standby(r.pub, "s1", through, map[string]string{"fsync": "on", "track_wal_io_timing": "on", "hot_standby": "on"}); err != nil {
		return err
	}
	defer r.pool.Remove(r.sub)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		if n, err := r.pub.Value("select count(*) from pg_stat_replication where state = 'streaming' and replay_lsn >= pg_current_wal_lsn()"); err != nil {
			return err
		} else if n == "1" {
			break
		}
		if time.Now().After(deadline) {
			return errors.New("the standby does not catch up within 30 s")
		}
	}
	if err := r.pub.Script("alter system set synchronous_standby_names = 's1'; select pg_reload_conf()"); err != nil {
		return err
	}
	time.Sleep(300 * time.Millisecond)
	if err := r.processes(); err != nil {
		return err
	}
	for round := range rounds {
		for _, n := range clients {
			for _, level := range levels {
				if err := r.one(round, level, trip, n, relay); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// processes finds the processes that are watched.
func (r *recording) processes() error {
	r.watched = map[string]string{}
	for name, q := range map[string]struct {
		c   *server.Cluster
		sql string
	}{
		"walsender":   {r.pub, "select pid from pg_stat_activity where backend_type = 'walsender'"},
		"walreceiver": {r.sub, "select pid from pg_stat_activity where backend_type = 'walreceiver'"},
		"startup":     {r.sub, "select pid from pg_stat_activity where backend_type = 'startup'"},
	} {
		pid, err := q.c.Value(q.sql)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.watched[name] = pid
	}
	return nil
}

// usage is what something has taken so far.
type usage map[string]float64

func (r *recording) usage(backends []string, relay *server.Relay) (usage, error) {
	u := usage{}
	add := func(name, pid string) {
		b, err := os.ReadFile("/proc/" + pid + "/schedstat")
		if err != nil {
			return
		}
		var ns [2]float64
		if _, err := fmt.Sscan(string(b), &ns[0], &ns[1]); err == nil {
			u[name] += ns[0] / 1e9
			u["waited"] += ns[1] / 1e9
		}
	}
	for name, pid := range r.watched {
		add(name, pid)
	}
	for _, pid := range backends {
		add("backends", pid)
	}
	u["client"] = ownCPU()
	for prefix, c := range map[string]*server.Cluster{"": r.pub, "standby_": r.sub} {
		rows, err := c.Query("select coalesce(sum(fsyncs), 0), coalesce(sum(fsync_time), 0) / 1000 from pg_stat_io where object = 'wal'")
		if err != nil {
			return nil, err
		}
		for i, name := range []string{"flushes", "flush_time"} {
			if u[prefix+name], err = strconv.ParseFloat(rows[0][i], 64); err != nil {
				return nil, err
			}
		}
	}
	for k, v := range relay.Counts() {
		switch k {
		case ">dw":
			u["messages"] = float64(v.Messages)
		case "<dr":
			u["replies"] = float64(v.Messages)
		}
	}
	text, err := r.pub.Value("select pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
	if err != nil {
		return nil, err
	}
	u["wal"], err = strconv.ParseFloat(text, 64)
	return u, err
}

// one is one run.
func (r *recording) one(round int, level string, trip time.Duration, clients int, relay *server.Relay) error {
	load, err := newLoad(r.pub, level, clients)
	if err != nil {
		return err
	}
	defer load.close()
	load.start()
	time.Sleep(400 * time.Millisecond)
	before, err := r.usage(load.pids, relay)
	if err != nil {
		return err
	}
	load.count()
	began := time.Now()
	time.Sleep(r.length)
	seconds := time.Since(began).Seconds()
	latencies := load.counted()
	after, err := r.usage(load.pids, relay)
	if err != nil {
		return err
	}
	if err := load.stop(); err != nil {
		return err
	}
	// The views of flushes lag behind by a second; they are asked again.
	time.Sleep(1200 * time.Millisecond)
	n := len(latencies)
	if n == 0 {
		return fmt.Errorf("%s with %d clients: no transaction", level, clients)
	}
	sum := 0.0
	for _, l := range latencies {
		sum += l
	}
	d := func(name string) string { return strconv.FormatFloat(after[name]-before[name], 'g', 5, 64) }
	g := func(v float64) string { return strconv.FormatFloat(v, 'g', 5, 64) }
	r.rows = append(r.rows, []string{
		fmt.Sprint(round + 1), level, g(trip.Seconds()), fmt.Sprint(clients), g(seconds), fmt.Sprint(n), g(sum / float64(n)), g(latencies[n/2]), g(latencies[n*99/100]), d("wal"),
		d("backends"), d("client"), d("walsender"), d("walreceiver"), d("startup"), d("waited"),
		d("flushes"), d("flush_time"), d("standby_flushes"), d("standby_flush_time"), d("messages"), d("replies"),
	})
	fmt.Fprintf(os.Stderr, "%v trip, %s, %d clients: %.0f/s, %.3f ms\n", trip, level, clients, float64(n)/seconds, 1e3*sum/float64(n))
	return nil
}

func (r *recording) write(name string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# PostgreSQL %s, %d cores, both servers, clients and relay on one host; %s\n", r.pool.Version, runtime.NumCPU(), time.Now().UTC().Format("2006-01-02"))
	w := csv.NewWriter(&b)
	w.Comma = '\t'
	w.Write(columns)
	w.WriteAll(r.rows)
	w.Flush()
	return os.WriteFile(name, []byte(b.String()), 0o666)
}
