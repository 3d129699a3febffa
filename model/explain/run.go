package explain

import (
	"errors"
	"fmt"
	"io"
	"maps"

	"applysim/heap"
	"applysim/index"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/stream"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

// Session is a subscriber and the messages for it.
type Session struct {
	Worker *apply.Worker
	// Next reads the next message and does what is due beside the stream before it; at
	// the end it returns io.EOF.
	Next  func(m *stream.Message) error
	Close func()
}

// Options say which change is explained, and by which prices.
type Options struct {
	// Open begins a session. It is called more than once, and each time the messages and
	// the state of the tables before them must be the same.
	Open func() (*Session, error)
	// Change is the change's number among the stream's inserts, updates, deletes and
	// truncates, from 1; Message is the number of its message. One of them is 0.
	Change, Message int64
	// Statement is the SQL that the change was made of, "" if it comes from a stream.
	Statement string

	Model   *cost.Model
	Profile *cost.Profile
}

// StoppedError says that replication stops before the change that was asked for.
type StoppedError struct{ Err error }

func (e *StoppedError) Error() string {
	return fmt.Sprintf("replication stops before that change: %v", e.Err)
}

// Unwrap returns the worker's error.
func (e *StoppedError) Unwrap() error { return e.Err }

// pageKey names a page of a table or an index.
type pageKey struct {
	rel   wal.RelID
	block storage.BlockNumber
}

// event is a record that the change has written.
type event struct {
	rec  wal.Record
	name string // of its relation
	// work is what the worker had done by then, of what may belong to several steps.
	work  *cost.Usage
	pages map[pageKey]*view.Page // those that are watched, of the record's relation
	tid   storage.TID            // the row version that the record adds
	quiet bool                   // of an unlogged table: it is no WAL
	xid   uint32                 // the transaction that writes it
}

// unit is what belongs to one change: its own message, the messages before it that
// begin its transaction or describe its table, and the end of its transaction if it is
// the last one.
type unit struct {
	leading  []note // messages before the change
	trailing []note
	message  *stream.Message // the change's own, kept
	events   []event
	usage    *cost.Usage
	spooled  bool  // it was kept in a file until the transaction's end
	applied  bool  // it was applied
	err      error // what stopped it

	before  []apply.TableState
	counted counts                 // before the change
	pages   map[pageKey]*view.Page // watched pages before the change
}

// note is a message beside the change.
type note struct {
	kind     stream.Kind
	size     int
	number   int64
	xid      uint32
	relation *stream.Relation
}

// run drives one session up to the change and through it.
type run struct {
	o       *Options
	s       *Session
	w       *apply.Worker
	target  int64
	changes int64 // so far

	unit      *unit
	recording bool
	from      *cost.Usage // work before the part that is being recorded
	watch     func() map[pageKey]bool
	watched   map[pageKey]bool
	heaps     map[wal.RelID]bool // tables whose rows are the change's
}

// newRun opens a session.
func newRun(o *Options, target int64) (*run, error) {
	s, err := o.Open()
	if err != nil {
		return nil, err
	}
	r := &run{o: o, s: s, w: s.Worker, target: target, heaps: map[wal.RelID]bool{}}
	for _, t := range r.w.UnsettledTables() {
		r.heaps[t.Rel] = true
	}
	r.w.Log().SetSink(r.see)
	r.w.Unlogged().SetSink(r.seeUnlogged)
	r.w.ObserveSpooled(r.spooled)
	return r, nil
}

// errNotThere says that the stream ended before the change.
var errNotThere = errors.New("no such change")

// findChange returns the number of the change that a message is.
func findChange(o *Options) (int64, error) {
	s, err := o.Open()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var m stream.Message
	for n := int64(0); ; {
		if err := s.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return 0, fmt.Errorf("message %d: expected at most %d, as many messages as the stream has", o.Message, m.Number)
			}
			return 0, err
		}
		if isChange(m.Kind) {
			n++
		}
		if m.Number == o.Message {
			if !isChange(m.Kind) {
				return 0, fmt.Errorf("message %d is %s: expected an insert, update, delete or truncate (the next change is number %d)", o.Message, m.Kind, n+1)
			}
			return n, nil
		}
		if err := s.Worker.Apply(&m); err != nil {
			return 0, before(err)
		}
	}
}

// Advance applies messages up to a change, from 1, and the rest of its transaction; all
// there are if it is 0.
func Advance(w *apply.Worker, next func(*stream.Message) error, change int64) error {
	var m stream.Message
	for n := int64(0); ; {
		if err := next(&m); err != nil {
			switch {
			case !errors.Is(err, io.EOF):
				return err
			case n < change:
				return fmt.Errorf("until change %d: expected at most %d, as many changes as there are", change, n)
			}
			return nil
		}
		if err := w.Apply(&m); err != nil {
			return before(err)
		}
		if isChange(m.Kind) {
			n++
		}
		if change > 0 && n >= change && ends(m.Kind) {
			return nil
		}
	}
}

// before marks an error of the worker as one before the change.
func before(err error) error {
	var stop *apply.StopError
	if errors.As(err, &stop) {
		return &StoppedError{err}
	}
	return err
}

func isChange(k stream.Kind) bool {
	switch k {
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate:
		return true
	}
	return false
}

// leads says whether a message goes with the change after it.
func leads(k stream.Kind) bool {
	switch k {
	case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamStart, stream.KindRelation, stream.KindType, stream.KindOrigin:
		return true
	}
	return false
}

// ends says whether a message ends a transaction.
func ends(k stream.Kind) bool {
	switch k {
	case stream.KindCommit, stream.KindPrepare, stream.KindStreamCommit, stream.KindStreamPrepare:
		return true
	}
	return false
}

// through applies everything before the change, then the change.
func (r *run) through() error {
	var m stream.Message
	for {
		if err := r.s.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return errNotThere
			}
			return err
		}
		switch {
		case isChange(m.Kind):
			if r.changes++; r.changes == r.target {
				r.open()
				return r.change(&m)
			}
			r.unit = nil
		case r.changes == r.target-1 && leads(m.Kind):
			r.open()
			r.unit.leading = append(r.unit.leading, noteOf(&m))
		default:
			r.unit = nil
		}
		if r.unit != nil {
			r.record()
		}
		err := r.w.Apply(&m)
		r.pause()
		if err != nil {
			return before(err)
		}
	}
}

func noteOf(m *stream.Message) note {
	n := note{kind: m.Kind, size: m.Size, number: m.Number, xid: m.Xid}
	if m.Kind == stream.KindRelation {
		n.relation = m.Relation
	}
	return n
}

// open begins the unit, if it has not begun.
func (r *run) open() {
	if r.unit != nil {
		return
	}
	r.w.Log().Details(true)
	r.w.Unlogged().Details(true)
	r.unit = &unit{usage: &cost.Usage{}}
}

// record begins to count, and pause ends it.
func (r *run) record() {
	if !r.recording {
		r.w.CountAll(true)
		r.recording, r.from = true, cost.Measure(r.w)
	}
}

func (r *run) pause() {
	if r.recording && r.unit != nil {
		for _, i := range cost.Measure(r.w).Sub(r.from).Items() {
			r.unit.usage.Add(i)
		}
	}
	if r.recording {
		r.w.CountAll(false)
	}
	r.recording = false
}

// change applies the change, and the end of its transaction if nothing is left of it.
func (r *run) change(m *stream.Message) error {
	u := r.unit
	u.message = keep(m)
	r.snapshot()
	spooled := r.w.Counters.Spooled
	r.record()
	err := r.w.Apply(m)
	r.pause()
	if err != nil {
		u.applied = true
		return r.failed(err)
	}
	if r.w.Counters.Spooled > spooled {
		u.spooled = true
		return r.unspool()
	}
	u.applied = true
	return r.trail()
}

// failed keeps an error at which a real worker would stop too.
func (r *run) failed(err error) error {
	var stop *apply.StopError
	if errors.As(err, &stop) {
		r.unit.err = stop
		return nil
	}
	return err
}

// trail applies what follows the change up to the end of its transaction, unless other
// changes come first.
func (r *run) trail() error {
	u := r.unit
	var m stream.Message
	for {
		if err := r.s.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if m.Kind != stream.KindStreamStop && !ends(m.Kind) {
			return nil
		}
		u.trailing = append(u.trailing, noteOf(&m))
		r.record()
		err := r.w.Apply(&m)
		r.pause()
		if err != nil || ends(m.Kind) {
			return err
		}
	}
}

// unspool goes on until the change is applied from the file where it was kept.
func (r *run) unspool() error {
	var m stream.Message
	for {
		if err := r.s.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return nil // its transaction never ends
			}
			return err
		}
		applied := r.unit.applied
		err := r.w.Apply(&m)
		if r.recording {
			// Nothing has followed the change: the commit is its too.
			r.unit.trailing = append(r.unit.trailing, noteOf(&m))
		}
		r.pause()
		switch {
		case err != nil && r.unit.applied && !applied:
			return r.failed(err)
		case err != nil:
			return before(err)
		case r.unit.applied:
			return nil
		}
	}
}

// spooled watches the changes that are applied from a file.
func (r *run) spooled(m *stream.Message, after bool) {
	u := r.unit
	if u == nil || u.message == nil || !u.spooled {
		return
	}
	switch {
	case m.Number == u.message.Number && !after:
		r.snapshot()
		r.record()
	case m.Number == u.message.Number:
		u.applied = true
	case !after:
		r.pause()
	}
}

// counts are the counters of a worker, its tables and its indexes.
type counts struct {
	worker apply.Counters
	heaps  map[wal.RelID]heap.Counters
	btrees map[wal.RelID]index.Counters
	tables map[wal.RelID]apply.TableState
}

func countsOf(w *apply.Worker, tables []apply.TableState) counts {
	c := counts{worker: w.Counters, heaps: map[wal.RelID]heap.Counters{}, btrees: map[wal.RelID]index.Counters{}, tables: map[wal.RelID]apply.TableState{}}
	c.worker.Conflicts = maps.Clone(w.Counters.Conflicts)
	for _, t := range tables {
		c.heaps[t.Rel], c.tables[t.Rel] = t.Heap.Counters, t
		for _, x := range t.Indexes {
			if x.BTree != nil {
				c.btrees[x.Rel] = x.BTree.Counters
			}
		}
	}
	return c
}

// keep copies a message whose bytes will be overwritten.
func keep(m *stream.Message) *stream.Message {
	c := *m
	c.New, c.Old = keepTuple(m.New), keepTuple(m.Old)
	c.RelationIDs = append([]uint32{}, m.RelationIDs...)
	return &c
}

func keepTuple(t stream.Tuple) stream.Tuple {
	var k stream.Tuple
	for _, c := range t {
		if c.Data != nil {
			c.Data = append([]byte{}, c.Data...)
		}
		k = append(k, c)
	}
	return k
}

// snapshot keeps the state before the change.
func (r *run) snapshot() {
	u := r.unit
	u.before = r.w.Tables()
	u.counted = countsOf(r.w, u.before)
	u.pages = map[pageKey]*view.Page{}
	if r.watch == nil {
		return
	}
	r.watched = r.watch()
	for k := range r.watched {
		u.pages[k] = r.page(k)
	}
}

// page returns a page's bytes, nil if there is no such page yet.
func (r *run) page(k pageKey) *view.Page {
	for _, t := range r.unit.before {
		if t.Rel == k.rel && int(k.block) < t.Heap.Pages() {
			p := new(view.Page)
			t.Heap.PageBytes(p, k.block)
			return p
		}
		for _, x := range t.Indexes {
			if x.Rel == k.rel && x.BTree != nil && int(k.block) < x.BTree.Pages() {
				p := new(view.Page)
				x.BTree.PageBytes(p, k.block)
				return p
			}
		}
	}
	return nil
}

// see gets the worker's records.
func (r *run) see(rec *wal.Record) {
	if !r.recording || rec.Type.Background() {
		return
	}
	r.note(rec, event{rec: *rec, name: r.w.Log().Name(rec.Relation)})
}

// seeUnlogged gets what changes of unlogged tables would write. Their relations have
// other numbers there.
func (r *run) seeUnlogged(rec *wal.Record) {
	if !r.recording {
		return
	}
	name := r.w.Unlogged().Name(rec.Relation)
	x := *rec
	for rel := range r.w.Log().Relations() {
		if r.w.Log().Name(wal.RelID(rel)) == name {
			x.Relation = wal.RelID(rel)
		}
	}
	r.note(&x, event{rec: x, name: name, quiet: true})
}

// note keeps an event.
func (r *run) note(rec *wal.Record, e event) {
	if r.unit.message == nil { // a savepoint, say
		r.unit.events = append(r.unit.events, e)
		return
	}
	e.work = cost.MeasureWithin(r.w).Sub(r.from)
	xid, command := r.w.Command()
	e.xid = xid
	if r.heaps[rec.Relation] && addsVersion(rec.Type) {
		e.tid = r.newVersion(rec, xid, command)
	}
	for k := range r.watched {
		if k.rel != rec.Relation {
			continue
		}
		p := r.page(k)
		if p == nil {
			continue
		}
		if e.pages == nil {
			e.pages = map[pageKey]*view.Page{}
		}
		if rec.Detail != nil && rec.Fork == 0 {
			for _, b := range rec.Detail.Blocks {
				if b.Block == k.block && b.Fork == 0 {
					setLSN(p, rec.End)
				}
			}
		}
		e.pages[k] = p
	}
	r.unit.events = append(r.unit.events, e)
}

func addsVersion(t wal.RecordType) bool {
	switch t {
	case wal.HeapInsert, wal.HeapInsertInit, wal.HeapUpdate, wal.HeapUpdateInit, wal.HeapHotUpdate, wal.HeapHotUpdateInit:
		return true
	}
	return false
}

// newVersion finds the version on a record's page that the current command of the
// transaction has made.
func (r *run) newVersion(rec *wal.Record, xid, command uint32) storage.TID {
	block := rec.Detail.Blocks[0].Block
	p, err := view.DecodeHeapPage(r.page(pageKey{rec.Relation, block}), block)
	if err != nil {
		return storage.TID{}
	}
	for i := len(p.Items) - 1; i >= 0; i-- {
		x := &p.Items[i]
		if v := x.Tuple; v != nil && x.LPFlags == view.LPNormal && v.Xmin == xid && v.Field3 == command && v.Infomask&comboCID == 0 && v.Infomask&xminFrozen == 0 {
			return storage.TID{Block: block, Offset: x.LP}
		}
	}
	return storage.TID{}
}
