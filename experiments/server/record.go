package server

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// marker is a table of every case: what shows that all before is applied.
const marker = "create table marker(id int primary key);"

// subscription is the name of the subscription and of its slot.
const subscription = "s"

// Summary says how much was recorded.
type Summary struct {
	Messages, Records int
	Bytes             int64
	CPUSeconds        float64
}

// Record records a case in dir, a folder that it makes. With pages it keeps what
// the digests of pages are made of. The error of a case that cannot be recorded is
// about the case; the next one can be tried.
func (p *Pool) Record(c *Case, dir string, pages bool) (*Summary, error) {
	return p.record(&recording{case_: c, pages: pages, views: p.options.Inspect}, dir)
}

// RecordViews is Record with pages, and with what views and functions of the subscriber
// show at the end as Options.Inspect says, but of so many pages of each relation at most,
// and without the WAL where there are more records than that.
func (p *Pool) RecordViews(c *Case, dir string, mostPages, mostRecords int) (*Summary, error) {
	return p.record(&recording{case_: c, pages: true, views: true, mostPages: mostPages, mostRecords: mostRecords}, dir)
}

func (p *Pool) record(r *recording, dir string) (*Summary, error) {
	c := r.case_
	var err error
	if slices.ContainsFunc(c.SQL, func(s Step) bool { return refreshes(s.Sub) }) && c.SubConf["max_sync_workers_per_subscription"] == "" {
		// One after the other, so that a case repeats.
		own := *c
		own.SubConf = maps.Clone(c.SubConf)
		if own.SubConf == nil {
			own.SubConf = Settings{}
		}
		own.SubConf["max_sync_workers_per_subscription"] = "1"
		c = &own
		r.case_ = c
	}
	if r.pub, err = p.cluster("pub", c.PubConf, false); err != nil {
		return nil, err
	}
	if r.sub, err = p.cluster("sub", c.SubConf, c.Checksums); err != nil {
		return nil, err
	}
	s, err := r.run(dir)
	if err != nil {
		// Whatever is in the way of the next case goes with the clusters.
		p.forget(r.pub)
		p.forget(r.sub)
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	return s, nil
}

// recording is a case that is being recorded.
type recording struct {
	case_    *Case
	pub, sub *Cluster
	between  *proxy
	pages    bool
	views    bool
	// Of views, if not 0: pages of each relation and records at most.
	mostPages, mostRecords int
	logged                 int64 // length of the subscriber's log before the case

	start    startState
	startLSN string
	loaded   [][]string // lines of COPY, by the case's Load
	events   []string
	copied   []copied // tables that synchronisation workers have copied, in order
	stop     *workerError
	pageRows []string

	inspection []string // lines of inspect.jsonl.gz
}

func (r *recording) run(dir string) (*Summary, error) {
	if info, err := os.Stat(r.sub.logFile()); err == nil {
		r.logged = info.Size()
	}
	var err error
	if r.between, err = newProxy(r.pub.Port); err != nil {
		return nil, err
	}
	defer r.between.close()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	if r.case_.Stops {
		if err := r.once(); err != nil {
			return nil, err
		}
	}
	cpu := r.sub.applyCPU()
	for _, s := range r.case_.SQL {
		if err := r.step(s); err != nil {
			return nil, err
		}
	}
	err = r.waitApplied()
	if r.case_.Stops {
		err = r.stopped(err)
	}
	if err != nil {
		return nil, err
	}
	cpu = r.sub.applyCPU() - cpu
	end, err := r.sub.Value("select pg_current_wal_insert_lsn()")
	if err != nil {
		return nil, err
	}
	// Only what is on disk can be read: this flushes it.
	if _, err := r.sub.Query("select pg_logical_emit_message(true, 'applysim', '')"); err != nil {
		return nil, err
	}
	f := &folder{dir: dir}
	if err := f.create(); err != nil {
		return nil, err
	}
	s, err := r.finish(f, end, cpu)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	return s, r.cleanUp()
}

// prepare makes tables, publication and subscription, and brings the marker's first
// row over.
func (r *recording) prepare() error {
	c := r.case_
	for _, x := range []struct {
		k    *Cluster
		text string
	}{
		{r.pub, marker + c.Pub + ";" + c.Identity},
		{r.sub, marker + r.subscriberDDL()},
	} {
		if err := x.k.Script(x.text); err != nil {
			return err
		}
	}
	if err := r.load(); err != nil {
		return err
	}
	if err := r.pub.Script(r.publication()); err != nil {
		return err
	}
	if err := r.sub.Script(r.createSubscription()); err != nil {
		return err
	}
	if err := r.objectIDs(); err != nil {
		return err
	}
	if err := r.waitApplied(); err != nil {
		return err
	}
	if r.between != nil {
		r.between.reset()
	}
	if _, err := r.sub.Query("checkpoint"); err != nil {
		return err
	}
	_, err := r.sub.Query("select pg_stat_reset_shared('wal')")
	return err
}

func (r *recording) subscriberDDL() string {
	if r.case_.Sub != "" {
		return r.case_.Sub
	}
	return r.case_.Pub
}

func (r *recording) publication() string {
	if r.case_.Publication != "" {
		return r.case_.Publication
	}
	return "create publication p for all tables"
}

func (r *recording) createSubscription() string {
	options := "copy_data = false"
	if r.case_.SubOptions != "" {
		options += ", " + r.case_.SubOptions
	}
	port := r.pub.Port
	if r.between != nil {
		port = r.between.port()
	}
	return fmt.Sprintf("create subscription %s connection 'host=127.0.0.1 port=%d user=%s dbname=%s sslmode=disable gssencmode=disable' publication p with (%s)",
		subscription, port, superuser, database, options)
}

// step runs one step.
func (r *recording) step(s Step) error {
	if s.Sub == "" {
		if err := r.pub.Script(s.Pub); err != nil {
			return err
		}
		if text := strings.TrimSpace(s.Pub); r.case_.parallel(r.sub.Major) && (strings.HasSuffix(text, "rollback") || strings.HasPrefix(text, "rollback prepared")) {
			// Nobody waits for the parallel worker that rolls it back: what comes next
			// would be before its record, or after it. The rollback is sent once it is
			// on disk.
			if _, err := r.pub.Query("select pg_logical_emit_message(true, 'applysim', '')"); err != nil {
				return err
			}
			for used := time.Duration(-1); used != r.sub.applyCPU(); time.Sleep(rollbackPause) {
				used = r.sub.applyCPU()
			}
		}
		return nil
	}
	if err := r.waitApplied(); err != nil {
		return err
	}
	if refreshes(s.Sub) {
		return r.synchronize(s)
	}
	at := len(r.between.passed())
	// A session of its own: what an earlier one has learnt, of checkpoints say, would
	// make a difference.
	k, err := Dial(r.sub.Port, database, nil)
	if err != nil {
		return err
	}
	defer k.Close()
	if err := k.Script(s.Sub); err != nil {
		return err
	}
	r.events = append(r.events, fmt.Sprintf("%d\t%s", at, s.Sub))
	return nil
}

// rollbackPause is how long workers must have used no CPU to be taken for idle.
const rollbackPause = 300 * time.Millisecond

// applyTimeout is how long a subscriber may take for one step.
const applyTimeout = 60 * time.Second

// waitApplied waits until the subscriber has applied all so far and its WAL writer has
// flushed it: before that nobody may note on a page that a transaction has committed
// (SetHintBits), so what a VACUUM finds would depend on how soon it comes. Only the
// publisher is asked.
func (r *recording) waitApplied() error {
	if _, err := r.pub.Query("insert into marker select coalesce(max(id), 0) + 1 from marker"); err != nil {
		return err
	}
	// Where the commit ends: it has been flushed. (The place for the next record may
	// be further on, behind a page's header, where nobody sends from.)
	lsn, err := r.pub.Value("select pg_current_wal_flush_lsn()")
	if err != nil {
		return err
	}
	started := time.Now()
	for looked := started; ; {
		n, err := r.pub.Value(fmt.Sprintf("select count(*) from pg_stat_replication where application_name = '%s' and replay_lsn >= '%s' and flush_lsn >= '%[2]s'", subscription, lsn))
		if err != nil {
			return err
		}
		if n == "1" {
			return nil
		}
		if time.Since(looked) > 200*time.Millisecond {
			looked = time.Now()
			if text := r.failure(); strings.Contains(text, crashed) {
				return fmt.Errorf("%w: %s", ErrCrashed, text)
			} else if text != "" {
				return fmt.Errorf("%w: %s", errStopped, text)
			}
		}
		if time.Since(started) > applyTimeout {
			rows, _ := r.pub.Query("select application_name, state, sent_lsn, write_lsn, flush_lsn, replay_lsn, pg_current_wal_flush_lsn() from pg_stat_replication")
			return fmt.Errorf("not applied within %v: waited for %s: %v: %s", applyTimeout, lsn, rows, tail(r.sub.log(), 500))
		}
		time.Sleep(time.Millisecond)
	}
}

// ErrCrashed says that a process of the subscriber has crashed: a fault of the server's
// own, which no model follows.
var ErrCrashed = errors.New("the subscriber has crashed")

// crashed is in the server's log then.
const crashed = "was terminated by signal"

// failure is what the subscriber's log says of an error of the worker's.
func (r *recording) failure() string {
	text := r.sub.log()
	if int64(len(text)) <= r.logged {
		return ""
	}
	text = text[r.logged:]
	for _, kind := range []string{crashed, "logical replication apply worker: ERROR", "logical replication parallel apply worker: ERROR", "logical replication worker: ERROR", "PANIC:"} {
		if i := strings.Index(text, kind); i >= 0 {
			return tail(text[i:min(len(text), i+600)], 600)
		}
	}
	return ""
}

// cleanUp drops what the case has made.
func (r *recording) cleanUp() error {
	if err := r.pub.Script("drop publication if exists p"); err != nil {
		return err
	}
	for _, k := range []*Cluster{r.pub, r.sub} {
		if err := k.dropAll(); err != nil {
			return err
		}
	}
	return nil
}

// dropAll drops prepared transactions and all schemas but the server's own.
func (c *Cluster) dropAll() error {
	rows, err := c.Query("select quote_literal(gid) from pg_prepared_xacts where database = current_database()")
	if err != nil {
		return err
	}
	for _, x := range rows {
		if _, err := c.Query("rollback prepared " + x[0]); err != nil {
			return err
		}
	}
	rows, err = c.Query("select quote_ident(nspname) from pg_namespace where nspname !~ '^pg_' and nspname not in ('information_schema', '" + toolSchema + "')")
	if err != nil {
		return err
	}
	var script strings.Builder
	for _, x := range rows {
		fmt.Fprintf(&script, "drop schema %s cascade;", x[0])
	}
	return c.Script(script.String() + "create schema public; grant all on schema public to public")
}

// applyCPU is the CPU time that the live apply workers have used so far; 0 where the
// kernel does not say.
func (c *Cluster) applyCPU() time.Duration {
	var total time.Duration
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range lines {
		text, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(text), "apply worker") {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "stat"))
		fields := strings.Fields(string(stat[slices.Index(stat, ')')+1:]))
		if len(fields) < 2 || fields[1] != strconv.Itoa(c.process.Pid) {
			continue
		}
		used, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "schedstat"))
		if f := strings.Fields(string(used)); len(f) > 0 {
			ns, _ := strconv.ParseInt(f[0], 10, 64)
			total += time.Duration(ns)
		}
	}
	return total
}
