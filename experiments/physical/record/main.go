//go:build linux

// Record ships the same changes to a physical standby and to a subscription at once, and
// notes what passes on the wire and what both ends take.
//
//	go run ./experiments/physical/record [FLAGS] DIR...
//
// Each DIR has run.toml, a scenario, and gets shipped.json. The publisher's transactions
// come from one session, one after the other, as fast as it is answered. A relay on the
// way to each receiver counts messages. It runs on Linux, as it reads what processes take
// there.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/physical"
	"applysim/experiments/server"
	"applysim/model/scenario"
	"applysim/model/stream"
)

func main() {
	f := pflag.NewFlagSet("record", pflag.ExitOnError)
	pg := f.String("pg", "", "`PREFIX` of the PostgreSQL installation")
	dir := f.String("dir", "", "make the clusters below `DIR`")
	backlog := f.Bool("backlog", false, "have both receivers away while the changes are made, and count what it takes\nthem, and the walsenders, to catch up")
	f.Parse(os.Args[1:])
	for _, d := range f.Args() {
		pool, err := server.NewPool(server.Options{Prefix: *pg, Dir: *dir})
		if err == nil {
			r := &recording{pool: pool, dir: d, backlog: *backlog, watched: map[string]string{}}
			err = errors.Join(r.run(), pool.Close())
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "record: %s: %v\n", d, err)
			os.Exit(1)
		}
	}
}

// recording is one run.
type recording struct {
	pool          *server.Pool
	dir           string
	backlog       bool
	s             *scenario.Scenario
	gen           *scenario.Generator
	ddl           string
	statements    []string
	pub, sub, phy *server.Cluster
	relays        map[string]*server.Relay
	watched       map[string]string // process ids
}

func (r *recording) run() error {
	name := filepath.Join(r.dir, "run.toml")
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if r.s, err = scenario.Read(f, name); err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(r.dir, r.s.Schema))
	if err != nil {
		return err
	}
	r.ddl = string(text)
	if err := r.generate(); err != nil {
		return err
	}
	if err := r.setUp(); err != nil {
		return err
	}
	return r.measure()
}

// generate makes the transactions' SQL.
func (r *recording) generate() error {
	db, err := r.s.Database(nil, server.OpenIn(r.dir))
	if err != nil {
		return err
	}
	if r.gen, err = scenario.NewGenerator(r.s, db, db); err != nil {
		return err
	}
	r.gen.SkipLoad()
	w := scenario.NewSQLWriter(r.gen)
	var m stream.Message
	var now []string
	for r.gen.Next(&m) {
		switch m.Kind {
		case stream.KindBegin:
			now = now[:0]
		case stream.KindCommit:
			r.statements = append(r.statements, "begin;"+strings.Join(now, "")+"commit")
		default:
			if sql := w.Statement(&m); sql != "" {
				now = append(now, sql)
			}
		}
	}
	return nil
}

func (r *recording) setUp() error {
	images := "off"
	for _, x := range r.s.Publisher.Server {
		if x.Name == "full_page_writes" {
			images = x.Value
		}
	}
	settings := map[string]string{"synchronous_commit": "on", "bgwriter_delay": "10s", "full_page_writes": images, "checkpoint_timeout": "1h", "max_wal_size": "8GB", "wal_sender_timeout": "10min"}
	var err error
	if r.pub, err = r.pool.Start("publisher", settings); err != nil {
		return err
	}
	if r.sub, err = r.pool.Start("subscriber", map[string]string{"synchronous_commit": "off", "wal_receiver_timeout": "10min"}); err != nil {
		return err
	}
	for _, c := range []*server.Cluster{r.pub, r.sub} {
		if err := c.Script("drop schema public cascade; create schema public;" + r.ddl); err != nil {
			return err
		}
		if err := r.load(c); err != nil {
			return err
		}
	}
	r.relays = map[string]*server.Relay{}
	for _, name := range []string{"physical", "logical"} {
		if r.relays[name], err = server.NewRelay(r.pub.Port, 0); err != nil {
			return err
		}
	}
	if r.phy, err = r.pool.Standby(r.pub, "physical", r.relays["physical"].Port(), map[string]string{"hot_standby": "on", "full_page_writes": images}); err != nil {
		return err
	}
	if err := r.pub.Script("create publication p for all tables"); err != nil {
		return err
	}
	sql := fmt.Sprintf("create subscription logical connection 'host=127.0.0.1 port=%d user=postgres dbname=%s sslmode=disable gssencmode=disable' publication p with (copy_data = false, binary = %v, streaming = off)",
		r.relays["logical"].Port(), r.pub.Database(), r.s.Binary)
	if _, err := r.sub.Query(sql); err != nil {
		return err
	}
	return r.caughtUp()
}

// load copies the rows that are there before the run.
func (r *recording) load(c *server.Cluster) error {
	var lines []string
	last, columns := "", ""
	flush := func() error {
		if len(lines) == 0 {
			return nil
		}
		err := c.CopyIn(fmt.Sprintf("COPY %s (%s) FROM STDIN", last, columns), lines)
		lines = lines[:0]
		return err
	}
	var failed error
	r.gen.Rows(func(table, names, line string) bool {
		if table != last {
			failed = flush()
			last, columns = table, names
		}
		lines = append(lines, line)
		return failed == nil
	})
	if failed == nil {
		failed = flush()
	}
	if failed != nil {
		return failed
	}
	_, err := c.Query("vacuum analyze")
	return err
}

// caughtUp waits until both receivers have everything.
func (r *recording) caughtUp() error {
	deadline := time.Now().Add(60 * time.Second)
	end, err := r.pub.Value("select pg_current_wal_lsn()")
	if err != nil {
		return err
	}
	for {
		n, err := r.pub.Value(fmt.Sprintf("select count(*) from pg_stat_replication where replay_lsn >= '%s' and flush_lsn >= '%[1]s'", end))
		if err != nil {
			return err
		}
		if n == "2" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s of 2 receivers have caught up after a minute", n)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// state is everything that is counted, so far.
type state struct {
	lsn    map[string]uint64
	cpu    map[string]float64
	passed map[string]map[string]server.Passed
}

func (r *recording) state() (*state, error) {
	s := &state{lsn: map[string]uint64{}, cpu: map[string]float64{}, passed: map[string]map[string]server.Passed{}}
	for name, q := range map[string]struct {
		c   *server.Cluster
		sql string
	}{
		"publisher": {r.pub, "select pg_current_wal_lsn()"}, "subscriber": {r.sub, "select pg_current_wal_insert_lsn()"},
		"sent_lsn": {r.pub, "select sent_lsn from pg_stat_replication where application_name = 'physical'"},
	} {
		text, err := q.c.Value(q.sql)
		if err != nil {
			return nil, err
		}
		var high, low uint64
		if _, err := fmt.Sscanf(text, "%X/%X", &high, &low); err != nil {
			return nil, fmt.Errorf("%s: LSN %q: %w", name, text, err)
		}
		s.lsn[name] = high<<32 | low
	}
	for name, pid := range r.watched {
		b, err := os.ReadFile("/proc/" + pid + "/schedstat")
		if err != nil {
			return nil, err
		}
		var ns float64
		if _, err := fmt.Sscan(string(b), &ns); err != nil {
			return nil, err
		}
		s.cpu[name] = ns / 1e9
	}
	for name, relay := range r.relays {
		s.passed[name] = relay.Counts()
	}
	return s, nil
}

func (r *recording) processes() error {
	for name, q := range map[string]struct {
		c   *server.Cluster
		sql string
	}{
		"physical walsender": {r.pub, "select pid from pg_stat_replication where application_name = 'physical'"},
		"logical walsender":  {r.pub, "select pid from pg_stat_replication where application_name = 'logical'"},
		"walreceiver":        {r.phy, "select pid from pg_stat_activity where backend_type = 'walreceiver'"},
		"startup":            {r.phy, "select pid from pg_stat_activity where backend_type = 'startup'"},
		"apply worker":       {r.sub, "select pid from pg_stat_subscription where subname = 'logical'"},
	} {
		pid, err := q.c.Value(q.sql)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		r.watched[name] = pid
	}
	return nil
}

// away ends the receivers of a backlog's run, and lets them come again: then they are
// other processes, which have taken nothing before.
func (r *recording) away(gone bool) error {
	if !r.backlog {
		return nil
	}
	conninfo, subscription := "reset primary_conninfo", "enable"
	if gone {
		conninfo, subscription = "set primary_conninfo = ''", "disable"
	}
	if err := r.phy.Script("alter system " + conninfo + "; select pg_reload_conf()"); err != nil {
		return err
	}
	if _, err := r.sub.Query("alter subscription logical " + subscription); err != nil {
		return err
	}
	want := "2"
	if gone {
		want = "0"
	}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		n, err := r.pub.Value("select count(*) from pg_stat_replication")
		if err != nil {
			return err
		}
		if n == want {
			break
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s receivers, expected %s", n, want)
		}
	}
	if gone {
		return nil
	}
	backend := r.watched["backend"]
	startup := r.watched["startup"]
	if err := r.processes(); err != nil {
		return err
	}
	r.watched["backend"], r.watched["startup"] = backend, startup
	return nil
}

func (r *recording) measure() error {
	if _, err := r.pub.Query("checkpoint"); err != nil {
		return err
	}
	if err := r.caughtUp(); err != nil {
		return err
	}
	if err := r.processes(); err != nil {
		return err
	}
	k, err := server.Dial(r.pub.Port, r.pub.Database(), nil)
	if err != nil {
		return err
	}
	defer k.Close()
	pid, err := k.Value("select pg_backend_pid()")
	if err != nil {
		return err
	}
	r.watched["backend"] = pid
	time.Sleep(time.Second)
	before, err := r.state()
	if err != nil {
		return err
	}
	if err := r.away(true); err != nil {
		return err
	}
	for _, sql := range r.statements {
		if _, err := k.Query(sql); err != nil {
			return err
		}
	}
	end, err := r.pub.Value("select pg_current_wal_lsn()")
	if err != nil {
		return err
	}
	if err := r.away(false); err != nil {
		return err
	}
	if err := r.caughtUp(); err != nil {
		return err
	}
	after, err := r.state()
	if err != nil {
		return err
	}
	s := &physical.Shipped{Server: r.pool.Version, Cores: runtime.NumCPU(), Date: time.Now().UTC().Format("2006-01-02"), Start: fmt.Sprintf("%X/%X", before.lsn["publisher"]>>32, uint32(before.lsn["publisher"])), End: end,
		Backlog: r.backlog, Transactions: len(r.statements), SentBytes: after.lsn["sent_lsn"] - before.lsn["sent_lsn"], SubscriberWAL: after.lsn["subscriber"] - before.lsn["subscriber"],
		CPU: map[string]float64{}, Physical: map[string]server.Passed{}, Logical: map[string]server.Passed{}, Records: map[string]physical.Records{}}
	for name := range r.watched {
		s.CPU[name] = after.cpu[name]
		if !r.backlog || name == "startup" || name == "backend" {
			s.CPU[name] -= before.cpu[name]
		}
	}
	for name, into := range map[string]map[string]server.Passed{"physical": s.Physical, "logical": s.Logical} {
		for kind, v := range after.passed[name] {
			b := before.passed[name][kind]
			if v.Messages > b.Messages {
				into[kind] = server.Passed{Messages: v.Messages - b.Messages, Bytes: v.Bytes - b.Bytes}
			}
		}
	}
	rows, err := r.pub.Query(fmt.Sprintf(`with blocks as (select start_lsn, min(relfilenode) as relation from applysim_tools.pg_get_wal_block_info('%s', '%s', false) group by 1)
		select case when relation < 16384 then 'catalog ' else '' end || resource_manager || '/' || record_type, count(*), sum(record_length), sum(fpi_length)
		from applysim_tools.pg_get_wal_records_info('%[1]s', '%[2]s') left join blocks using (start_lsn) group by 1 order by 1`, s.Start, s.End))
	if err != nil {
		return err
	}
	for _, row := range rows {
		var n [3]int64
		for i := range n {
			if n[i], err = strconv.ParseInt(row[i+1], 10, 64); err != nil {
				return err
			}
		}
		s.Records[row[0]] = physical.Records{Count: n[0], Bytes: n[1], Images: n[2]}
	}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	r.sub.Query("alter subscription logical disable")
	r.sub.Query("drop subscription logical")
	return os.WriteFile(filepath.Join(r.dir, "shipped.json"), append(text, '\n'), 0o666)
}
