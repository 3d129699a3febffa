package apply

// Tables that are there before the run: their rows and indexes as COPY and CREATE
// INDEX, or inserts one by one, have left them.

import (
	"fmt"
	"slices"
	"strconv"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// Rows are the rows that a table has before the run, numbered from 0. A row is read
// more than once, in no particular order, also while the worker applies changes: each
// page is made when it is touched first. It must be the same every time.
type Rows interface {
	// Len is how many rows there are.
	Len() int
	// Row writes row n into row, which has a place for each column of the table, in its
	// order: as text, in binary format, or NULL. columns are the columns that are asked
	// for, from 0, nil for all; others may be left as they are. Columns that are
	// generated or dropped are never read. What is written holds until the next call.
	Row(n int, columns []int, row stream.Tuple)
}

// LoadOptions say how the rows of a table came there. The zero value is what the
// initial synchronisation of a subscription leaves that was made before the indexes, or
// a restored dump whose data came before its indexes: rows put into the table by COPY,
// indexes built on them afterwards.
type LoadOptions struct {
	// Inserted says that the rows were inserted one by one, with their index entries.
	Inserted bool
	// IndexesFirst says that the indexes were there before COPY, which has inserted
	// entries row by row: what the initial synchronisation leaves in a schema that was
	// restored whole.
	IndexesFirst bool
	// NewTable says that COPY's transaction has made or truncated the table, as pgbench
	// does and pg_restore in a single transaction.
	NewTable bool
	// Columns are the columns that the rows have, from 0; nil stands for all that are not
	// generated. The others get their defaults.
	Columns []int
	// Binary says that COPY read binary format.
	Binary bool
	// Vacuumed says that VACUUM has been there since: rows are visible to everybody, and
	// the free space map is up to date. Frozen says that they are frozen, too: by that
	// VACUUM, or by COPY FREEZE if the table is a new one.
	Vacuumed, Frozen bool
	// XID is the transaction that inserted the rows; 0 stands for the one before the
	// first of the run.
	XID uint32
	// OID is the object id of the first value out of line; 0 stands for the next one of
	// the run, which goes on after those of the rows.
	OID uint32
	// Every makes all pages at once instead of when they are touched first.
	Every bool
}

// Load gives an empty table the rows that it has before the run, and its indexes their
// entries. Nothing is written to the log, and all pages count as written to disk long
// ago. A partition is loaded by its own name.
//
// Rows of a table that is loaded by COPY take 4 bytes a row and index at most until
// their pages are touched, none where the rows stand in the order of the index.
//
// The rows are those of one COPY command that puts them into the table in batches: one
// that a BEFORE trigger makes insert them one by one is not modelled.
func (w *Worker) Load(space, name string, rows Rows, o LoadOptions) error {
	t := w.byName[[2]string{space, name}]
	switch {
	case t == nil:
		return fmt.Errorf("table %q does not exist in schema %q", name, space)
	case t.unsupported != "":
		return &UnsupportedError{What: t.unsupported}
	case t.schema.Kind == 'p':
		return fmt.Errorf("table %q is partitioned: its partitions are loaded one by one", name)
	case t.heap.Pages() > 0:
		return fmt.Errorf("table %q is not empty", name)
	case w.inTransaction:
		return fmt.Errorf("table %q cannot be loaded within a transaction", name)
	}
	if o.XID == 0 {
		if o.XID = w.xacts.Next - 1; o.XID < firstXID {
			o.XID = heap.FrozenXID
		}
	}
	if o.OID != 0 {
		defer func(next uint32) { w.nextOID = next }(w.nextOID)
		w.nextOID = o.OID
	}
	l := w.newLoader(t, rows)
	if err := l.fillOthers(o.Columns); err != nil {
		return err
	}
	t.vacuumed = o.Vacuumed
	t.heap.OlderRows(o.XID)
	if s := t.toaster; s != nil {
		s.heap.OlderRows(o.XID)
	}
	return w.quietly(t, o.XID, func() error {
		defer l.draw()
		if o.Inserted {
			if err := l.insert(); err != nil {
				return err
			}
			if !o.Vacuumed {
				return nil
			}
			w.xacts.Current = 0
			return w.vacuum(t, VacuumOptions{Freeze: o.Frozen, NoParallel: true}, true)
		}
		return l.copy(o)
	})
}

// quietly does something that was done before the run: no record is written, nothing
// is counted, and the table's pages count as written to disk long ago.
func (w *Worker) quietly(t *table, xid uint32, do func() error) error {
	at, redo, next, current := w.log.LSN(), w.log.Redo(), w.xacts.Next, w.xacts.Current
	counters, heapCounters, lookups := w.Counters, t.heap.Counters, t.lookups()
	w.log.SetSink(nil)
	w.log.MoveTo(0)
	w.log.SetRedo(0)
	w.xacts.Current = xid
	err := do()
	w.xacts.Current, w.xacts.Next, w.command = current, next, 0
	w.Counters, t.heap.Counters = counters, heapCounters
	t.seqScans, t.seqReads, t.idxScans, t.idxReads = lookups.seqScans, lookups.seqReads, lookups.idxScans, lookups.idxReads
	t.heap.Age()
	for _, x := range t.indexes {
		switch {
		case x.btree != nil:
			x.btree.Settle()
			x.btree.ResetCounters()
			x.btree.Age()
		case x.brin != nil:
			x.brin.Age()
		}
	}
	if o := t.toaster; o != nil {
		o.heap.Age()
		o.heap.Counters = heap.Counters{}
		o.index.btree.Age()
		o.index.btree.ResetCounters()
	}
	w.log.MoveTo(at)
	w.log.SetRedo(redo)
	w.log.ResetCounts()
	w.log.SetSink(w.opts.Sink)
	return err
}

// loader reads the rows of a table. It has work space of its own, for a page may have
// to be made in the middle of a change.
type loader struct {
	w       *Worker
	t       *table // the table with an evaluation of its own
	rows    Rows
	columns []localColumn
	tuple   stream.Tuple
	values  []datum.Value
	scratch []byte
	eval    expr.Scratch
	first   []int64 // of an identity column's numbers, by column
}

func (w *Worker) newLoader(t *table, rows Rows) *loader {
	n := len(t.schema.Columns)
	own := *t
	l := &loader{
		w: w, t: &own, rows: rows, columns: make([]localColumn, n), tuple: make(stream.Tuple, n), values: make([]datum.Value, n),
	}
	l.eval.HasNow, l.eval.Random, l.eval.Nextval = true, w.evaluation.Random, w.evaluation.Nextval
	own.scratch = &l.eval
	for i := range t.schema.Columns {
		c := &t.schema.Columns[i]
		l.columns[i] = localColumn{remote: i, typ: c.Type, typmod: c.Typmod}
		if c.Dropped || c.Generated != 0 {
			l.columns[i].remote, l.columns[i].def = -1, datum.Value{Null: true}
		}
	}
	return l
}

// fillOthers has columns that the rows do not have filled with their defaults. columns are
// those that they have, nil for all.
func (l *loader) fillOthers(columns []int) error {
	if columns == nil {
		return nil
	}
	for i := range l.columns {
		c, lc := &l.t.schema.Columns[i], &l.columns[i]
		if lc.remote < 0 || slices.Contains(columns, i) {
			continue
		}
		lc.remote = -1
		if err := l.w.defaultOf(l.t, c, i, lc); err != nil {
			return err
		}
		if lc.expr != nil {
			return l.w.unsupported("rows that are loaded without column %s.%s, whose default is not constant", l.t.schema.QualifiedName(), c.Name)
		}
		if q := lc.identity; q != nil {
			if l.first == nil {
				l.first = make([]int64, len(l.columns))
			}
			if l.first[i] = q.last; q.called {
				l.first[i] += q.schema.Increment
			}
		}
	}
	return nil
}

// draw draws the numbers that the loaded rows have from their sequences.
func (l *loader) draw() {
	for i := range l.columns {
		if q := l.columns[i].identity; q != nil && l.first != nil {
			for range l.rows.Len() {
				if _, err := l.w.nextval(q); err != nil {
					break
				}
			}
		}
	}
}

// read reads some columns of a row, nil for all, and computes generated ones if all are
// read. The others are NULL.
func (l *loader) read(n int, columns []int) error {
	l.eval.Reset()
	l.scratch = l.scratch[:0]
	if columns == nil {
		l.rows.Row(n, nil, l.tuple)
		for i := range l.columns {
			if err := l.value(n, i); err != nil {
				return err
			}
		}
		return l.generate(n)
	}
	l.rows.Row(n, columns, l.tuple)
	for _, i := range columns {
		if err := l.value(n, i); err != nil {
			return err
		}
	}
	return nil
}

// value reads a column of a row.
func (l *loader) value(n, i int) (err error) {
	c := &l.columns[i]
	switch {
	case c.remote >= 0:
	case c.identity != nil:
		l.values[i], _, err = c.typ.Input(strconv.AppendInt(nil, l.first[i]+int64(n)*c.identity.schema.Increment, 10), -1, nil)
		return err
	default:
		l.values[i] = c.def
		return nil
	}
	if l.scratch, err = c.value(&l.values[i], &l.tuple[i], l.scratch); err != nil {
		return fmt.Errorf("row %d, column %q: %w", n+1, l.t.schema.Columns[i].Name, err)
	}
	return nil
}

// generate computes the generated columns.
func (l *loader) generate(n int) error {
	for i := range l.t.generated {
		g := &l.t.generated[i]
		v, err := l.t.eval(g.expr, l.values)
		if err != nil {
			return fmt.Errorf("row %d, column %q: %w", n+1, l.t.schema.Columns[g.column].Name, err)
		}
		l.values[g.column] = v
	}
	return nil
}

// Row is heap.LoadedRows.
func (l *loader) Row(n int) ([]datum.Value, int, error) {
	if err := l.read(n, nil); err != nil {
		return nil, 0, err
	}
	for _, i := range l.t.notNull {
		if l.values[i].Null {
			return nil, 0, fmt.Errorf("null value in column %q of relation %q violates not-null constraint", l.t.schema.Columns[i].Name, l.t.schema.Name)
		}
	}
	return l.values, l.line(), nil
}

// line is the length of the row's line in COPY's text format.
func (l *loader) line() int {
	n := -1
	for i := range l.tuple {
		if l.columns[i].remote < 0 {
			continue
		}
		n += 1 + l.columns[i].lineLength(&l.tuple[i], l.values[i])
	}
	return max(n, 0)
}

// escaped is how long a text is in COPY's text format (CopyAttributeOutText).
func escaped(b []byte) int {
	n := len(b)
	for _, c := range b {
		n += int(isEscaped[c])
	}
	return n
}

// isEscaped is 1 for the characters that have a backslash in front.
var isEscaped = [256]uint8{'\b': 1, '\f': 1, '\n': 1, '\r': 1, '\t': 1, '\v': 1, '\\': 1}

// insert inserts the rows one by one.
func (l *loader) insert() error {
	w := l.w
	t := w.byName[[2]string{l.t.schema.Schema, l.t.schema.Name}]
	w.fit(t)
	for n := range l.rows.Len() {
		if err := l.read(n, nil); err != nil {
			return err
		}
		t.asInserted(l.values)
		if err := w.insertRow(t, l.values); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		w.command++
	}
	t.preset += int64(l.rows.Len())
	return nil
}

// copy puts the rows into the table as COPY does, then the entries into its indexes.
func (l *loader) copy(o LoadOptions) error {
	w := l.w
	t := w.byName[[2]string{l.t.schema.Schema, l.t.schema.Name}]
	h := t.heap
	built := !o.IndexesFirst && len(t.indexes) > 0
	if err := h.Load(l.rows.Len(), l, heap.LoadOptions{
		NewTable: o.NewTable, Binary: o.Binary, XID: o.XID, Hinted: built, Vacuumed: o.Vacuumed, Frozen: o.Frozen, Every: o.Every,
	}); err != nil {
		return fmt.Errorf("table %q: %w", t.schema.QualifiedName(), err)
	}
	if s := t.toaster; s != nil && o.Vacuumed {
		w.xacts.Current = 0
		options, err := w.heapOptions(t.schema.Options, "toast.", VacuumOptions{Freeze: o.Frozen})
		if err != nil {
			return fmt.Errorf("table %q: %w", t.schema.QualifiedName(), err)
		}
		if err := w.vacuumHeap(s.heap, []vacuumedIndex{s.index.btree}, options, false, true); err != nil {
			return err
		}
	}
	var err error
	if o.IndexesFirst {
		if err = l.insertEntries(t); err == nil && o.Vacuumed {
			err = l.summarize(t)
		}
	} else {
		for _, x := range t.indexes {
			if err = l.build(t, x, o.Every); err != nil {
				err = fmt.Errorf("index %q: %w", x.schema.Name, err)
				break
			}
		}
	}
	t.preset += int64(l.rows.Len())
	return err
}

// insertEntries inserts index entries row by row.
func (l *loader) insertEntries(t *table) error {
	h := t.heap
	place := make([]uint32, 0)
	if !h.LoadedOrder() {
		place = make([]uint32, l.rows.Len())
		for i := range place {
			place[h.LoadedRow(i)] = uint32(i)
		}
	}
	for n := range l.rows.Len() {
		if err := l.read(n, nil); err != nil {
			return err
		}
		at := n
		if len(place) > 0 {
			at = int(place[n])
		}
		for _, x := range t.indexes {
			duplicate, err := x.insert(l.values, h.LoadedTID(at), false)
			if err != nil {
				return l.w.evalError(err)
			}
			if duplicate && x.enforced() {
				return fmt.Errorf("row %d: duplicate key value violates unique constraint %q", n+1, x.schema.Name)
			}
		}
	}
	return nil
}

// indexRows are a table's rows as an index is built on them.
type indexRows struct {
	l       *loader
	heap    *heap.Table
	x       *localIndex // the index with work space of its own
	columns []int       // that its keys are made of; nil for all

	stored     []datum.Value
	compressor datum.Compressor
}

// build builds an index on the table's rows.
func (l *loader) build(t *table, x *localIndex, every bool) error {
	r := l.indexRows(t, x)
	if x.foreign != nil {
		if err := r.estimate(x.foreign); err != nil {
			return err
		}
	}
	switch {
	case x.btree != nil:
		x.btree.Checksums(l.w.opts.Settings.DataChecksums)
		return x.btree.Build(l.rows.Len(), r, every)
	case x.brin != nil:
		return x.brin.Build(t.heap.LoadedPages(), r.scan)
	case x.hash != nil:
		return r.scan(func(tid storage.TID, values []datum.Value) error {
			v := values[0]
			if v.Form == datum.Compressed && !v.Null {
				v = datum.Decompress(&v)
			}
			x.hash.insert(&v, tid)
			return nil
		})
	}
	return nil // of an access method that cannot look rows up
}

// estimate gives the rows to what says how much an index of another access method writes.
func (r *indexRows) estimate(f *foreign) (err error) {
	f.am.Build(r.l.rows.Len(), func(add func(values []datum.Value, tid storage.TID)) {
		err = r.scan(func(tid storage.TID, values []datum.Value) error {
			for i, v := range values {
				if v.Form == datum.Compressed && !v.Null {
					v = datum.Decompress(&v)
				}
				f.values[i] = v
			}
			f.words(r.x, r.l.values)
			add(f.values, tid)
			return nil
		})
	})
	return err
}

// summarize summarises the ranges of BRIN indexes as VACUUM does, before it gives empty
// pages back.
func (l *loader) summarize(t *table) error {
	for _, x := range t.indexes {
		if x.brin == nil {
			continue
		}
		r := l.indexRows(t, x)
		n := 0
		err := x.brin.VacuumCleanup(t.heap.LoadedPages(), func(from, to int, yield func([]datum.Value) error) error {
			for ; n < l.rows.Len() && int(r.TID(n).Block) < to; n++ {
				if int(r.TID(n).Block) < from {
					continue
				}
				values, ok, err := r.Entry(n)
				if err == nil && ok {
					err = yield(values)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("index %q: %w", x.schema.Name, err)
		}
	}
	return nil
}

// indexRows are the rows for an index, which gets work space of its own.
func (l *loader) indexRows(t *table, x *localIndex) *indexRows {
	own := *x
	own.owner, own.values = l.t, make([]datum.Value, len(x.values))
	return &indexRows{
		l: l, heap: t.heap, x: &own, columns: l.needed(x), stored: make([]datum.Value, len(t.schema.Columns)),
	}
}

// scan calls row with each row that has an entry, in physical order.
func (r *indexRows) scan(row func(storage.TID, []datum.Value) error) error {
	for n := range r.l.rows.Len() {
		values, ok, err := r.Entry(n)
		if err == nil && ok {
			err = row(r.TID(n), values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// needed are the columns that an index's entries are made of, nil for all: a generated
// one may be made of any others.
func (l *loader) needed(x *localIndex) []int {
	is := map[int]bool{}
	columns := make([]int, 0, len(x.columns))
	add := func(list []int) {
		for _, n := range list {
			if n >= 0 && !is[n] {
				is[n] = true
				columns = append(columns, n)
			}
		}
	}
	add(x.columns)
	for _, e := range append([]*expr.Expr{x.predicate}, x.exprs...) {
		if e != nil {
			add(e.Reads())
			add(e.Columns())
		}
	}
	for _, n := range columns {
		if l.columns[n].remote < 0 {
			return nil
		}
	}
	return columns
}

// Entry is index.BuildRows.
func (r *indexRows) Entry(n int) ([]datum.Value, bool, error) {
	l := r.l
	if err := l.read(r.heap.LoadedRow(n), r.columns); err != nil {
		return nil, false, err
	}
	if r.x.predicate != nil {
		if ok, err := r.x.holds(l.values); !ok || err != nil {
			return nil, false, err
		}
	}
	if err := r.x.project(l.values); err != nil {
		return nil, false, err
	}
	r.compress(n)
	return r.x.values, true, nil
}

// compress compresses the values of an entry that the table has compressed: an index
// that is built on the table has them so, and not as they were sent. One that is stored
// out of line may be gone when a page of the index is made; it is compressed again.
func (r *indexRows) compress(n int) {
	o := r.x.owner.toaster
	if o == nil || !r.heap.LoadedStored(n, r.stored) {
		return
	}
	for i, c := range r.x.columns {
		if c < 0 || r.stored[c].Null {
			continue
		}
		switch v := &r.stored[c]; {
		case v.Form == datum.Compressed:
			r.x.values[i] = *v
		case v.Form == datum.External && compressedOutOfLine(v):
			if z, ok := r.compressor.Compress(&r.x.values[i], o.Methods[c]); ok {
				r.x.values[i] = z
			}
		}
	}
}

// TID is index.BuildRows.
func (r *indexRows) TID(n int) storage.TID { return r.heap.LoadedTID(n) }
