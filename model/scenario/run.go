package scenario

import (
	"errors"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/spelling"
	"applysim/model/stream"
	"applysim/wal"
)

// Where a run begins, about as a new cluster does: its WAL starts at the second segment,
// and initdb uses up some transaction ids.
const (
	startLSN wal.LSN = 16 << 20
	nextXID          = 750
)

// Progress counts what runs have done so far; many may share one.
type Progress struct{ Done atomic.Int64 }

// progressStep is after how many messages a run counts them.
const progressStep = 4096

// Options are what a run may write beside its report.
type Options struct {
	// Schema opens the file with the DDL, by the path that the scenario gives.
	Schema func(path string) (io.ReadCloser, error)
	// Price says what work costs; nil if nobody knows.
	Price func(*cost.Usage) *CPU
	// Stream gets the stream of the run, raw pgoutput messages; may be nil.
	Stream io.Writer
	// SQL gets the changes of the run as SQL for a publisher; may be nil. It needs values
	// in text format.
	SQL io.Writer
	// Event is told of each command that ran on the subscriber beside the stream, with
	// the number of messages before it; may be nil.
	Event    func(after int64, sql string)
	Progress *Progress // may be nil
	// Samples is how many times the result's Timeline shows the run; 0 for none.
	Samples int
	// Ready gets the subscriber when its tables are as they are before the run; may be
	// nil. Until ends the run after so many changes, be it within a transaction; 0 means
	// that it runs to its end.
	Ready func(*apply.Worker)
	Until int64
	// Tables are those that the subscription gets, with their schemas unless that is
	// public; nil for all. A transaction without a change of theirs is not sent.
	Tables []string
	// Filter is a row filter that the publication has; nil for none. Rows before the run that
	// do not pass it are not there. Made is told of each message that there would be without
	// it; may be nil.
	Filter *Filter
	Made   func(operation int, m *stream.Message)
	// Part is what the run is of; nil for the whole scenario.
	Part *Part
	// Sent is told of each message before it is applied, Committed of each transaction
	// that was applied, by the number of its operation; they may be nil.
	Sent      func(operation int, m *stream.Message)
	Committed func(operation int, w *apply.Worker)
}

// run is one run of a variant.
type run struct {
	s   *Scenario
	v   *Variant
	o   *Options
	db  *schema.Database
	set guc.Settings

	gen      *Generator
	worker   *apply.Worker
	schedule *background.Schedule
	auto     *background.Autovacuum
	before   before
	events   []event
	messages int64
	changes  int64
	commits  int64
	stopped  *Stop
	held     *stream.Message
	names    map[uint32]string // of relations
	beside   []*cost.Usage     // work of other processes than the worker: what commands took
	timeline timeline
	filtered *filtered
}

// event is what happens at a time.
type event struct {
	at  time.Time
	sql string
}

// Database reads the schema as a variant has it; nil stands for the scenario itself.
func (s *Scenario) Database(v *Variant, open func(string) (io.ReadCloser, error)) (*schema.Database, error) {
	f, err := open(s.Schema)
	if err != nil {
		return nil, s.fail("schema", "schema: %v", err)
	}
	defer f.Close()
	db, err := schema.Read(f, s.Schema)
	if err != nil {
		return nil, err
	}
	if s.Collation != "" {
		if _, err := db.Collation(s.Collation); err != nil {
			return nil, s.fail("collation", "collation: %v", err)
		}
	}
	defer s.assume(db)
	if v != nil {
		for _, ddl := range v.DDL {
			if ddl.index != "" && !slices.Contains(indexNames(db), ddl.index) {
				return nil, s.fail(ddl.at, "variant %q: there is no index %q (nearest: %s)", v.Name, ddl.index, spelling.Nearest(ddl.index, indexNames(db)))
			}
			if err := db.Exec(ddl.SQL, ""); err != nil {
				text := err.Error()
				if len(text) > 3 && text[0] == ':' { // the DDL's own file and line
					for i := 1; i < len(text); i++ {
						if text[i] == ':' {
							text = text[i+2:]
							break
						}
					}
				}
				return nil, s.fail(ddl.at, "variant %q: %s: %s", v.Name, ddl.SQL, text)
			}
		}
	}
	return db, nil
}

// assume takes constraints for satisfied where the scenario says so. A domain has no
// constraint that the type below it has not, but its own, so that type takes its place.
func (s *Scenario) assume(db *schema.Database) {
	for _, x := range s.Tables {
		t := find(db, x.Name)
		if t == nil || x.Checks != Assumed {
			continue
		}
		for i := range t.Checks {
			t.Checks[i].Assume = true
		}
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.Dropped && c.Type.Constrained() {
				if c.Typmod < 0 {
					c.Typmod = c.Type.Typmod
				}
				c.Type = c.Type.Base()
			}
		}
	}
}

// blame finds the statement of a variant for which no stream can be made, if there is one
// without the variant, and says that err is its fault.
func (s *Scenario) blame(v *Variant, base *schema.Database, o *Options, err error) error {
	if v == nil {
		return err
	}
	if _, own := NewGenerator(s, base, base); own != nil {
		return err
	}
	for i := range v.DDL {
		part := *v
		part.DDL = v.DDL[:i+1]
		db, other := s.Database(&part, o.Schema)
		if other != nil {
			return err
		}
		var e *Error
		if _, other = NewGenerator(s, base, db); errors.As(other, &e) {
			return s.fail(v.DDL[i].at, "variant %q: %s: %s", v.Name, v.DDL[i].SQL, e.Text)
		}
	}
	return err
}

// indexNames are those of all tables, with their schemas unless that is public.
func indexNames(db *schema.Database) []string {
	var names []string
	for _, t := range db.Tables {
		space, _, ok := cutLast(t.QualifiedName(), ".")
		for _, x := range t.Indexes {
			if ok {
				names = append(names, space+"."+x.Name)
			} else {
				names = append(names, x.Name)
			}
		}
	}
	return names
}

// Effective are the subscriber's settings as a variant has them; nil stands for the
// scenario itself.
func (s *Scenario) Effective(v *Variant) (guc.Settings, error) { return s.settings(v) }

// settings are those of a variant.
func (s *Scenario) settings(v *Variant) (guc.Settings, error) {
	set := guc.Defaults()
	list := s.Settings
	if v != nil {
		list = append(append([]Setting{}, list...), v.Settings...)
	}
	for _, x := range list {
		if err := set.Set(x.Name, x.Value); err != nil {
			return set, s.fail(x.at, "%v", err)
		}
	}
	return set, nil
}

// prepare makes a subscriber with its tables as they are before the run.
func (s *Scenario) prepare(v *Variant, o *Options) (*run, error) {
	r := &run{s: s, v: v, o: o, names: map[uint32]string{}}
	var err error
	if r.db, err = s.Database(v, o.Schema); err != nil {
		return nil, err
	}
	if r.set, err = s.settings(v); err != nil {
		return nil, err
	}
	base := r.db
	if v != nil {
		if base, err = s.Database(nil, o.Schema); err != nil {
			return nil, err
		}
	}
	now := r.db
	if o.Filter != nil {
		if now, err = s.Database(v, o.Schema); err != nil {
			return nil, err
		}
		if sql := o.Filter.Identity(s, now); sql != "" {
			if err := now.Exec(sql, ""); err != nil {
				return nil, err
			}
		}
		if err := r.filterFor(now); err != nil {
			return nil, err
		}
	}
	if r.gen, err = newGenerator(s, base, now, o.Part); err != nil {
		return nil, s.blame(v, base, o, err)
	}
	r.db = o.Part.of(r.db)
	r.worker, err = apply.New(r.db, apply.Options{Settings: r.set, Start: startLSN, NextXID: nextXID, Seed: s.Seed, Collation: s.Collation, Parallel: true})
	if err != nil {
		return nil, err
	}
	if err := r.load(); err != nil {
		return nil, err
	}
	r.schedule = background.NewSchedule(r.worker)
	r.schedule.Checkpoints, r.schedule.WALWriter = true, true
	if o.Part != nil {
		r.schedule.Planned = o.Part.times(s.Start.Time())
	}
	if r.auto, err = background.NewAutovacuum(r.worker, s.Start.Time(), r.exec); err != nil {
		return nil, err
	}
	for _, p := range s.Snapshots {
		r.events = append(r.events, event{s.Start.Time().Add(p.From), "BEGIN ISOLATION LEVEL REPEATABLE READ"})
		if p.Until > 0 {
			r.events = append(r.events, event{s.Start.Time().Add(p.Until), "COMMIT"})
		}
	}
	slices.SortStableFunc(r.events, func(a, b event) int { return a.at.Compare(b.at) })
	r.before = remember(r.worker)
	if o.Ready != nil {
		o.Ready(r.worker)
	}
	return r, nil
}

// exec runs a command on the subscriber between two messages.
func (r *run) exec(sql string) error {
	if r.o.Event != nil {
		r.o.Event(r.messages, sql)
	}
	r.schedule.BeforeEvent()
	measure := func() *cost.Usage {
		// A command on one table leaves the others alone.
		name, one := strings.CutPrefix(sql, "ANALYZE ")
		if !one && strings.HasPrefix(sql, "VACUUM (") {
			_, name, one = strings.Cut(sql, ") ")
		}
		if one {
			if t, ok := r.worker.TableOf(name); ok {
				return cost.MeasureTable(r.worker, &t)
			}
		}
		return cost.Measure(r.worker)
	}
	before := measure()
	err := r.worker.Run(sql, false)
	r.beside = append(r.beside, measure().Sub(before))
	return err
}

// until does what is due beside the stream up to a moment.
func (r *run) until(now time.Time) error {
	for len(r.events) > 0 && !r.events[0].at.After(now) {
		e := r.events[0]
		r.events = r.events[1:]
		if err := r.auto.Until(e.at); err != nil {
			return err
		}
		if err := r.exec(e.sql); err != nil {
			return err
		}
	}
	return r.auto.Until(now)
}

// apply applies the whole stream.
func (r *run) apply() error {
	var out *stream.Writer
	if r.o.Stream != nil {
		out = stream.NewWriter(r.o.Stream, stream.Raw)
	}
	var sql *sqlWriter
	if r.o.SQL != nil {
		if r.s.Binary {
			return r.s.fail("subscription.binary", "SQL cannot be written of values in binary format: expected binary = false")
		}
		sql = newSQLWriter(r.o.SQL, r.gen)
	}
	var m stream.Message
	counted := int64(0)
	for r.nextSent(&m) {
		if r.o.Sent != nil {
			r.o.Sent(r.gen.Operation(), &m)
		}
		if m.Kind == stream.KindBegin {
			if err := r.until(m.Time.Time()); err != nil {
				return err
			}
			r.sample(m.Time.Time(), false)
		}
		if out != nil {
			if err := out.Write(&m); err != nil {
				return err
			}
		}
		if sql != nil {
			sql.message(&m)
		}
		if r.stopped != nil {
			continue // the rest of the stream is written all the same
		}
		r.schedule.Before(&m)
		if err := r.worker.Apply(&m); err != nil {
			var stop *apply.StopError
			if !errors.As(err, &stop) {
				return err
			}
			r.stopped = &Stop{Message: m.Number, Error: stop.Text, Detail: stop.Detail}
			if out == nil && sql == nil {
				break
			}
			continue
		}
		r.messages++
		if m.Kind == stream.KindCommit && r.o.Committed != nil {
			r.o.Committed(r.gen.Operation(), r.worker)
		}
		if r.o.Until > 0 && r.worker.Counters.Changes()-r.before.counters.Changes() >= r.o.Until {
			break
		}
		if r.o.Progress != nil && r.messages%progressStep == 0 {
			n := r.worker.Counters.Changes() - r.before.counters.Changes()
			r.o.Progress.Done.Add(n - counted)
			counted = n
		}
	}
	if r.filtered != nil && r.filtered.err != nil {
		return r.filtered.err
	}
	if r.stopped == nil && r.s.Duration > 0 && r.o.Until == 0 {
		if err := r.until(r.s.Start.Time().Add(r.s.Duration)); err != nil {
			return err
		}
	}
	if r.o.Progress != nil {
		r.o.Progress.Done.Add(r.worker.Counters.Changes() - r.before.counters.Changes() - counted)
	}
	if out != nil {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	if sql != nil {
		return sql.w.Flush()
	}
	return nil
}

// nextSent makes the next message that the subscription gets.
func (r *run) nextSent(m *stream.Message) bool {
	if r.filtered != nil {
		return r.nextFiltered(m)
	}
	if r.o.Tables == nil {
		return r.gen.Next(m)
	}
	if r.held != nil { // the change after a transaction's begin
		*m, r.held = *r.held, nil
		return true
	}
	var begin stream.Message
	open := false
	for r.gen.Next(m) {
		switch m.Kind {
		case stream.KindBegin:
			begin, open = *m, true
			continue
		case stream.KindCommit:
			if open {
				open = false
				continue
			}
			return true
		case stream.KindRelation:
			r.names[m.Relation.ID] = m.Relation.Name
			if m.Relation.Namespace != "public" {
				r.names[m.Relation.ID] = m.Relation.Namespace + "." + m.Relation.Name
			}
			if !slices.Contains(r.o.Tables, r.names[m.Relation.ID]) {
				continue
			}
		case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
			if !slices.Contains(r.o.Tables, r.names[m.RelationID]) {
				continue
			}
		}
		if open {
			held := *m
			r.held = &held
			*m = begin
		}
		return true
	}
	return false
}

func seconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e6 }

// Run runs one variant of a scenario; nil stands for the scenario itself.
func (s *Scenario) Run(v *Variant, o *Options) (*Result, error) {
	r, err := s.prepare(v, o)
	if err != nil {
		return nil, err
	}
	if err := r.apply(); err != nil {
		return nil, err
	}
	return r.result()
}

// Size is how many changes a run is about to make, about; 0 if nobody knows.
func (s *Scenario) Size() int64 {
	if s.Changes > 0 {
		return s.Changes
	}
	n := 0.0
	for _, o := range s.Operations {
		rows := 0
		for _, p := range o.Then {
			rows += p.Rows
		}
		first := float64(o.Count)
		if o.Rate > 0 {
			first = float64(o.Rate * s.Duration.Seconds())
		}
		n += first + float64(float64(rows)*first)/float64(o.Rows)
	}
	return int64(n)
}
