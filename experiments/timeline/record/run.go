//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"applysim/experiments/server"
	"applysim/model/scenario"
	"applysim/model/stream"
)

// recording is one run.
type recording struct {
	pool        *server.Pool
	dir, beside string
	every, wait time.Duration

	s        *scenario.Scenario
	gen      *scenario.Generator
	ddl      map[string]string // by server
	sessions []*session
	pub, sub *server.Cluster
	backends []string // process ids of the sessions
	start    time.Time
}

// transaction is what a session sends, and when.
type transaction struct {
	begin, end time.Duration
	statements []string
}

// session makes the transactions of one operation.
type session struct {
	list []transaction
	late time.Duration // the greatest delay
}

// publisherSettings and subscriberSettings come on top of the pool's: background
// processes work as on any server.
var (
	publisherSettings = map[string]string{
		"synchronous_commit": "on", "bgwriter_delay": "200ms", "wal_keep_size": "0", "max_wal_size": "1GB", "checkpoint_timeout": "5min",
	}
	subscriberSettings = map[string]string{"bgwriter_delay": "200ms", "wal_keep_size": "0"}
)

func (r *recording) run() error {
	if err := r.read(); err != nil {
		return err
	}
	if err := r.generate(); err != nil {
		return err
	}
	if err := r.setUp(); err != nil {
		return err
	}
	return r.measure()
}

// read reads the scenario and its schema.
func (r *recording) read() error {
	name := filepath.Join(r.dir, "run.toml")
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if r.s, err = scenario.Read(f, name); err != nil {
		return err
	}
	if len(r.s.Subscriptions) != 1 {
		return fmt.Errorf("%s: expected one [[subscription]], found %d", name, len(r.s.Subscriptions))
	}
	text, err := os.ReadFile(filepath.Join(r.dir, r.s.Schema))
	if err != nil {
		return err
	}
	r.ddl = map[string]string{"publisher": string(text), "subscriber": string(text)}
	if p := r.s.Publisher; p != nil && p.Schema != "" {
		text, err := os.ReadFile(filepath.Join(r.dir, p.Schema))
		if err != nil {
			return err
		}
		r.ddl["publisher"] = string(text)
	}
	return nil
}

// generate makes the transactions.
func (r *recording) generate() error {
	db, err := r.s.Database(nil, server.OpenIn(r.dir))
	if err != nil {
		return err
	}
	if r.gen, err = scenario.NewGenerator(r.s, db, db); err != nil {
		return err
	}
	r.gen.SkipLoad()
	for range r.s.Operations {
		r.sessions = append(r.sessions, &session{})
	}
	w := scenario.NewSQLWriter(r.gen)
	var m stream.Message
	var x transaction
	for r.gen.Next(&m) {
		switch m.Kind {
		case stream.KindBegin:
			end := time.Duration(m.Time-r.s.Start) * time.Microsecond
			x = transaction{begin: end - r.s.Operations[r.gen.Operation()].Lasts, end: end}
		case stream.KindCommit:
			s := r.sessions[r.gen.Operation()]
			s.list = append(s.list, x)
		default:
			if sql := w.Statement(&m); sql != "" {
				x.statements = append(x.statements, sql)
			}
		}
	}
	return nil
}

// setUp makes both servers ready, with the rows that are there before the run.
func (r *recording) setUp() error {
	settings := maps.Clone(publisherSettings)
	if p := r.s.Publisher; p != nil {
		mb := func(n uint64) string { return fmt.Sprintf("%dkB", n>>10) }
		settings["max_wal_size"] = fmt.Sprintf("%dMB", p.Settings.MaxWALSize>>20)
		settings["min_wal_size"] = "32MB"
		settings["wal_keep_size"] = fmt.Sprintf("%dMB", p.Settings.KeepSize>>20)
		if p.Settings.MaxSlotKeepSize >= 0 {
			settings["max_slot_wal_keep_size"] = fmt.Sprintf("%dMB", p.Settings.MaxSlotKeepSize>>20)
		}
		settings["checkpoint_completion_target"] = fmt.Sprint(p.Settings.CompletionTarget)
		settings["logical_decoding_work_mem"] = mb(p.Settings.DecodingWorkMem)
		settings["wal_sender_timeout"] = fmt.Sprintf("%dms", p.Settings.SenderTimeout.Milliseconds())
		settings["checkpoint_timeout"] = fmt.Sprintf("%ds", int(p.Settings.CheckpointTimeout.Seconds()))
		settings["idle_replication_slot_timeout"] = fmt.Sprintf("%ds", int(p.Settings.IdleTimeout.Seconds()))
	}
	var err error
	if r.pub, err = r.pool.Start("publisher", settings); err != nil {
		return err
	}
	if r.sub, err = r.pool.Start("subscriber", subscriberSettings); err != nil {
		return err
	}
	if text, err := os.ReadFile(filepath.Join(r.dir, "..", "waits.sql")); err == nil && r.s.Subscriptions[0].Wait > 0 {
		r.ddl["subscriber"] += string(text)
	}
	for name, c := range map[string]*server.Cluster{"publisher": r.pub, "subscriber": r.sub} {
		if err := c.Script("drop schema public cascade; create schema public;" + r.ddl[name]); err != nil {
			return err
		}
		if err := r.load(c); err != nil {
			return err
		}
	}
	u := r.s.Subscriptions[0]
	if err := r.pub.Script("create publication p for all tables"); err != nil {
		return err
	}
	for _, x := range r.s.Slots {
		kind := fmt.Sprintf("pg_create_logical_replication_slot('%s', 'pgoutput')", x.Name)
		if x.Physical {
			kind = fmt.Sprintf("pg_create_physical_replication_slot('%s', true)", x.Name)
		}
		if _, err := r.pub.Query("select " + kind); err != nil {
			return err
		}
	}
	sql := fmt.Sprintf("create subscription %s connection 'host=127.0.0.1 port=%d user=postgres dbname=%s' publication p with (copy_data = false, binary = %v, streaming = %s)",
		u.Name, r.pub.Port, r.pub.Database(), r.s.Binary, u.Streaming)
	if _, err := r.sub.Query(sql); err != nil {
		return err
	}
	return r.caughtUp(20 * time.Second)
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

// caughtUp waits until the subscriber has applied all that the publisher has written.
func (r *recording) caughtUp(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	end, err := r.pub.Value("select pg_current_wal_lsn()")
	if err != nil {
		return err
	}
	for {
		n, err := r.pub.Value(fmt.Sprintf("select count(*) from pg_stat_replication where replay_lsn >= '%s' and flush_lsn >= '%[1]s'", end))
		if err != nil {
			return err
		}
		if n == "1" {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the subscriber has not caught up within %v", limit)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// measure runs the timed part.
func (r *recording) measure() error {
	for _, c := range []*server.Cluster{r.pub, r.sub} {
		if _, err := c.Query("checkpoint"); err != nil {
			return err
		}
	}
	if err := r.caughtUp(20 * time.Second); err != nil {
		return err
	}
	conns := make([]*server.Conn, len(r.sessions))
	for i := range conns {
		var err error
		if conns[i], err = server.Dial(r.pub.Port, r.pub.Database(), nil); err != nil {
			return err
		}
		defer conns[i].Close()
		pid, err := conns[i].Value("select pg_backend_pid()")
		if err != nil {
			return err
		}
		r.backends = append(r.backends, pid)
	}
	p, err := newSampler(r)
	if err != nil {
		return err
	}
	done, err := r.startBeside()
	if err != nil {
		return err
	}
	r.start = time.Now()
	var wait sync.WaitGroup
	errs := make([]error, len(r.sessions)+2)
	for i, s := range r.sessions {
		wait.Go(func() { errs[i] = s.run(conns[i], r.start) })
	}
	wait.Go(func() { errs[len(r.sessions)] = r.actions() })
	if p := r.s.Publisher; p != nil && p.OtherWAL > 0 {
		wait.Go(func() { errs[len(r.sessions)+1] = r.otherWAL(p.OtherWAL) })
	}
	over := make(chan struct{})
	var samples sync.WaitGroup
	var failed error
	samples.Go(func() { failed = p.run(over) })
	wait.Wait()
	if left := r.s.Duration - time.Since(r.start); left > 0 {
		time.Sleep(left)
	}
	for _, err := range errs {
		if err != nil {
			close(over)
			return err
		}
	}
	err = r.caughtUp(r.wait)
	time.Sleep(500 * time.Millisecond)
	close(over)
	samples.Wait()
	done()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", r.dir, err)
	}
	if failed != nil {
		return failed
	}
	if err := p.write(filepath.Join(r.dir, "samples.tsv.gz")); err != nil {
		return err
	}
	late := map[string]string{}
	for i, s := range r.sessions {
		late[fmt.Sprintf("operation %d", i)] = s.late.Round(time.Microsecond).String()
	}
	meta, err := json.MarshalIndent(map[string]any{
		"server": r.pool.Version, "cores": runtime.NumCPU(), "start_lsn": p.origin.String(), "date": time.Now().UTC().Format("2006-01-02"),
		"latest_transaction": late, "samples_every": r.every.String(),
	}, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.dir, "meta.json"), append(meta, '\n'), 0o666); err != nil {
		return err
	}
	return r.cleanUp()
}

// actions stops and starts the subscription as the scenario says.
func (r *recording) actions() error {
	type action struct {
		at  time.Duration
		sql string
	}
	u := r.s.Subscriptions[0]
	var list []action
	for _, p := range u.Stopped {
		list = append(list, action{p.From, "disable"})
		if p.Until > 0 {
			list = append(list, action{p.Until, "enable"})
		}
	}
	slices.SortFunc(list, func(a, b action) int { return int(a.at - b.at) })
	for _, a := range list {
		time.Sleep(time.Until(r.start.Add(a.at)))
		if _, err := r.sub.Query(fmt.Sprintf("alter subscription %s %s", u.Name, a.sql)); err != nil {
			return err
		}
	}
	return nil
}

// run sends a session's transactions at their times.
func (s *session) run(c *server.Conn, start time.Time) error {
	for _, x := range s.list {
		due := start.Add(x.begin)
		time.Sleep(time.Until(due))
		s.late = max(s.late, time.Since(due))
		if x.begin == x.end {
			if _, err := c.Query("begin;" + strings.Join(x.statements, "") + "commit"); err != nil {
				return err
			}
			continue
		}
		// Its changes come evenly, in pieces.
		if _, err := c.Query("begin"); err != nil {
			return err
		}
		const piece = 200
		for i := 0; i < len(x.statements); i += piece {
			time.Sleep(time.Until(due.Add(time.Duration(float64(x.end-x.begin) * float64(i) / float64(len(x.statements))))))
			if _, err := c.Query(strings.Join(x.statements[i:min(i+piece, len(x.statements))], "")); err != nil {
				return err
			}
		}
		time.Sleep(time.Until(start.Add(x.end)))
		s.late = max(s.late, time.Since(start.Add(x.end)))
		if _, err := c.Query("commit"); err != nil {
			return err
		}
	}
	return nil
}

func (r *recording) cleanUp() error {
	name := r.s.Subscriptions[0].Name
	r.sub.Query(fmt.Sprintf("alter subscription %s disable", name))
	r.sub.Query(fmt.Sprintf("drop subscription %s", name))
	r.pub.Query("drop publication p")
	r.pub.Query("select pg_drop_replication_slot(slot_name) from pg_replication_slots")
	return nil
}

// otherWAL writes WAL that is not decoded into anything: messages that nobody asked for.
func (r *recording) otherWAL(rate float64) error {
	c, err := server.Dial(r.pub.Port, r.pub.Database(), nil)
	if err != nil {
		return err
	}
	defer c.Close()
	const every = 50 * time.Millisecond
	size := int(rate * every.Seconds())
	for n := 1; time.Since(r.start) < r.s.Duration; n++ {
		if _, err := c.Query(fmt.Sprintf("select pg_logical_emit_message(false, '', repeat('x', %d), true)", size)); err != nil {
			return err
		}
		time.Sleep(time.Until(r.start.Add(time.Duration(n) * every)))
	}
	return nil
}
