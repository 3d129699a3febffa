package apply

import (
	"errors"
	"maps"

	"applysim/heap"
	"applysim/index"
	"applysim/model/accessmethod"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
	"applysim/wal/pglz"
)

// Counters count the worker's own work; they only grow. The work of tables and
// indexes is counted by them.
type Counters struct {
	Messages       int64
	Begins         int64
	Commits        int64
	WritingCommits int64 // commits of transactions that changed something
	Prepares       int64 // transactions prepared
	Finished       int64 // prepared transactions committed or rolled back
	InsertXIDs     int64 // transaction ids given out for an insert
	LookupXIDs     int64 // and for a row that was found
	Relations      int64 // relation messages
	Inserts        int64
	Updates        int64
	Deletes        int64
	Truncates      int64
	ChangeBytes    int64 // of insert, update and delete messages
	ChangeColumns  int64 // of the tuples in them
	Spooled        int64 // changes written to a file until their transaction commits
	SpooledBytes   int64

	Skipped      int64 // transactions passed over because of a conflict
	Chunks       int64 // chunks stored in TOAST tables
	Moved        int64 // values moved there
	Removed      int64 // values deleted there
	Detoasted    int64 // values read from there
	RowMoves     int64 // updates that moved a row to another partition
	Checks       int64 // CHECK constraints evaluated, those of domains among them
	Generated    int64 // values of generated columns computed
	Triggers     int64 // row triggers that fire on a subscriber
	VacuumVisits int64 // pages that VACUUM has visited
	// Conflicts counts by pg_stat_subscription_stats' names without confl_:
	// insert_exists, update_exists, update_missing, delete_missing.
	Conflicts map[string]int64
}

// Changes is the number of row changes.
func (c Counters) Changes() int64 { return c.Inserts + c.Updates + c.Deletes }

// From these lengths on the C library clears and copies memory by an instruction that
// repeats itself, byte by byte, and so counts as many: rep_stosb_threshold and
// rep_movsb_threshold of glibc 2.34 and later with vectors of 32 bytes
// (sysdeps/x86/dl-cacheinfo.h).
const (
	ZeroedValue = 2048
	LongValue   = 4096
)

// ColumnCounters count the values of one column that messages carried.
type ColumnCounters struct {
	TextValues, TextBytes     int64
	BinaryValues, BinaryBytes int64
	ZeroedBytes               int64 // of both, those of values of ZeroedValue bytes and more
	LongBytes                 int64 // and of values of LongValue bytes and more
	Nulls                     int64
	Unchanged                 int64 // values that an update did not carry
	// What values in text and in binary format look like, from every so many of them.
	Text, Binary Shape
}

// Add adds d to c.
func (c *ColumnCounters) Add(d ColumnCounters) {
	c.TextValues += d.TextValues
	c.TextBytes += d.TextBytes
	c.BinaryValues += d.BinaryValues
	c.BinaryBytes += d.BinaryBytes
	c.ZeroedBytes += d.ZeroedBytes
	c.LongBytes += d.LongBytes
	c.Nulls += d.Nulls
	c.Unchanged += d.Unchanged
	c.Text.add(&d.Text, 1)
	c.Binary.add(&d.Binary, 1)
}

// TypeCounters sums the columns' counters by type.
func (w *Worker) TypeCounters() map[*pgtype.Type]ColumnCounters {
	sums := maps.Clone(w.retired)
	if sums == nil {
		sums = map[*pgtype.Type]ColumnCounters{}
	}
	for _, r := range w.relations {
		r.addColumns(sums)
	}
	return sums
}

// ColumnsByType sums the columns' counters by the name of their type.
func (w *Worker) ColumnsByType() map[string]ColumnCounters {
	sums := map[string]ColumnCounters{}
	for typ, c := range w.TypeCounters() {
		s := sums[typ.String()]
		s.Add(c)
		sums[typ.String()] = s
	}
	return sums
}

// retire keeps the counters of a relation that a new message describes anew.
func (w *Worker) retire(r *relation) {
	if w.retired == nil {
		w.retired = map[*pgtype.Type]ColumnCounters{}
	}
	r.addColumns(w.retired)
}

// addColumns adds the relation's counters to those by type.
func (r *relation) addColumns(sums map[*pgtype.Type]ColumnCounters) {
	r.leaves(func(r *relation) {
		for i := range r.columns {
			c := &r.columns[i]
			s := sums[c.typ]
			s.Add(c.counters)
			text, binary := c.text.after(c.counters.TextValues), c.binary.after(c.counters.BinaryValues)
			s.Text.add(&text, 1)
			s.Binary.add(&binary, 1)
			sums[c.typ] = s
		}
	})
}

// TableCounters count what the worker does to rows of one table beside the work of
// the table itself and its indexes.
type TableCounters struct {
	Maps   int64 // times that the relation map found the table
	Opened int64 // changes for which the table was opened
	Locked int64 // transactions that locked it
	Held   int64 // changes for which the lookup's index was locked already, as a lookup leaves it
	Kept   int64 // transactions in which a lookup left its index locked
	Routed int64 // and for which a partitioned table passed a row on to it
	Read   int64 // rows read from messages, keys included
	Merged int64 // rows of which an update changed columns
	Filled int64 // defaults of columns that the message does not carry

	Compared int64 // rows compared whole with the one looked for

	// Sequential lookups.
	Passed      int64 // row versions that a lookup saw
	PassedDead  int64 // and those that it did not
	PassedPages int64
}

// Add adds d to c.
func (c *TableCounters) Add(d TableCounters) {
	c.Maps += d.Maps
	c.Opened += d.Opened
	c.Locked += d.Locked
	c.Held += d.Held
	c.Kept += d.Kept
	c.Routed += d.Routed
	c.Read += d.Read
	c.Merged += d.Merged
	c.Filled += d.Filled
	c.Compared += d.Compared
	c.Passed += d.Passed
	c.PassedDead += d.PassedDead
	c.PassedPages += d.PassedPages
}

// TableState is a local table after the run, for reports and comparisons.
type TableState struct {
	Schema  *schema.Table
	Rel     wal.RelID
	Heap    *heap.Table
	Indexes []IndexState
	// Preset is the number of rows that were there before the first change.
	Preset int64
	// Truncated says that the table was truncated.
	Truncated bool
	// Vacuums is how often the table was vacuumed; Vacuumed says that it was after it had got
	// the rows it had before the first change.
	Vacuums  int64
	Vacuumed bool
	// Unsupported says what about the table is not modelled; "" if it is.
	Unsupported string
	// Scans as pg_stat_user_tables counts them.
	SeqScans, SeqTupRead, IdxScans, IdxTupFetch int64
	Counters                                    TableCounters
	// Compared says for each column how often rows were compared by it with the one
	// looked for.
	Compared []int64
	// Toast is the table's TOAST table, and ToastIndex its index; nil if it has none.
	Toast      *heap.Table
	ToastIndex *index.BTree
	ToastRel   wal.RelID
	// Compression is what compressing its values took.
	Compression   pglz.Work
	ToastIndexRel wal.RelID
}

// IndexState is an index of a TableState.
type IndexState struct {
	Schema *schema.Index
	Rel    wal.RelID
	BTree  *index.BTree // nil if it is a BRIN index, or a foreign one
	BRIN   *index.BRIN
	// Foreign says that what the index writes and costs is estimated, by AccessMethod;
	// Entries is then the number of rows that the index got an entry for.
	Foreign      bool
	Entries      int64
	AccessMethod accessmethod.Index
	// ExpressionBytes is the length of the values that its expressions gave.
	ExpressionBytes int64
	// Prevented is the number of updates that could not be HOT because they changed
	// a column that the index depends on.
	Prevented int64
	// Lookup says that the worker finds rows by this index.
	Lookup bool
	// Types are the types of its key columns; Depends are the table's columns that it
	// depends on, from 0.
	Types   []*pgtype.Type
	Depends []int
}

// Tables returns the local tables in the order of the schema, partitioned ones,
// which hold no rows, left out. The counters of their indexes are final for what has
// been applied.
func (w *Worker) Tables() []TableState {
	for _, t := range w.tables {
		t.settle()
	}
	return w.UnsettledTables()
}

// TableOf is one of Tables: that of a command's name for it, such as VACUUM has it. ok is
// false if there is none.
func (w *Worker) TableOf(name string) (s TableState, ok bool) {
	space, table := splitName(name)
	t := w.byName[[2]string{space, table}]
	if t == nil || t.schema.Kind == 'p' {
		return s, false
	}
	t.settle()
	return w.state(t), true
}

// settle makes the counters of a table's indexes final for what has been applied.
func (t *table) settle() {
	if o := t.toaster; o != nil {
		o.index.btree.Settle()
	}
	for _, x := range t.indexes {
		if x.btree != nil {
			x.btree.Settle()
		}
	}
}

// state is what is known of a table.
func (w *Worker) state(t *table) TableState {
	s := TableState{
		Schema: t.schema, Rel: t.rel, Heap: t.heap, Preset: t.preset, Truncated: t.truncated, Vacuums: t.vacuums, Vacuumed: t.vacuumed, Unsupported: t.unsupported,
		SeqScans: t.seqScans, SeqTupRead: t.seqReads, IdxScans: t.idxScans, IdxTupFetch: t.idxReads,
	}
	s.Counters, s.Compared = t.counters, t.compared
	if o := t.toaster; o != nil {
		s.Compression = o.Compressor.Work()
		s.Toast, s.ToastIndex, s.ToastRel, s.ToastIndexRel = o.heap, o.index.btree, o.rel, o.index.rel
	}
	for _, x := range t.indexes {
		i := IndexState{
			Schema: x.schema, Rel: x.rel, BTree: x.btree, BRIN: x.brin, Prevented: x.prevented, Lookup: x.sought,
			Types: x.types, Depends: x.depends, ExpressionBytes: x.exprBytes,
		}
		if x.foreign != nil {
			i.BTree, i.Foreign, i.Entries, i.AccessMethod = nil, true, x.foreign.entries, x.foreign.am
		}
		s.Indexes = append(s.Indexes, i)
	}
	return s
}

// UnsettledTables is Tables for the middle of a change: of the counters of indexes,
// ItemsMoved may lack what was inserted last.
func (w *Worker) UnsettledTables() []TableState {
	states := make([]TableState, 0, len(w.tables))
	for _, t := range w.tables {
		if t.schema.Kind == 'p' {
			continue
		}
		states = append(states, w.state(t))
	}
	return states
}

// PartitionedTables is Tables for those that have partitions in place of rows, as far as
// the worker has used them: for changes that it passed on.
func (w *Worker) PartitionedTables() []TableState {
	var list []TableState
	for _, t := range w.tables {
		if t.schema.Kind == 'p' {
			list = append(list, w.state(t))
		}
	}
	return list
}

// Partitioned lists the tables that have partitions in place of rows.
func (w *Worker) Partitioned() []*schema.Table {
	var list []*schema.Table
	for _, t := range w.tables {
		if t.schema.Kind == 'p' {
			list = append(list, t.schema)
		}
	}
	return list
}

// Check verifies the invariants of every table and index, those for long values included.
func (w *Worker) Check() error {
	for _, t := range w.tables {
		if err := t.heap.Check(); err != nil {
			return err
		}
		if o := t.toaster; o != nil {
			if err := errors.Join(o.heap.Check(), o.index.btree.Check()); err != nil {
				return err
			}
		}
		for _, x := range t.indexes {
			check := func() error { return nil }
			switch {
			case x.brin != nil:
				check = x.brin.Check
			case x.btree != nil:
				check = x.btree.Check
			}
			if err := check(); err != nil {
				return err
			}
		}
	}
	return nil
}
