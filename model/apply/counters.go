package apply

import (
	"applysim/heap"
	"applysim/index"
	"applysim/model/schema"
	"applysim/wal"
)

// Counters count the worker's own work; they only grow. The work of tables and
// indexes is counted by them.
type Counters struct {
	Messages       int64
	Begins         int64
	Commits        int64
	WritingCommits int64 // commits of transactions that changed something
	Relations      int64 // relation messages
	Inserts        int64
	Updates        int64
	Deletes        int64
	Truncates      int64

	Skipped         int64 // transactions passed over because of a conflict
	CompressedBytes int64 // bytes that the toaster tried to compress
	Chunks          int64 // chunks stored in TOAST tables
	RowMoves        int64 // updates that moved a row to another partition
	Checks          int64 // CHECK constraints evaluated, those of domains among them
	Triggers        int64 // row triggers that fire on a subscriber
	// Conflicts counts by pg_stat_subscription_stats' names without confl_:
	// insert_exists, update_exists, update_missing, delete_missing.
	Conflicts map[string]int64
}

// Changes is the number of row changes.
func (c Counters) Changes() int64 { return c.Inserts + c.Updates + c.Deletes }

// ColumnCounters count the values of one column that messages carried.
type ColumnCounters struct {
	TextValues, TextBytes     int64
	BinaryValues, BinaryBytes int64
	Nulls                     int64
}

// Add adds d to c.
func (c *ColumnCounters) Add(d ColumnCounters) {
	c.TextValues += d.TextValues
	c.TextBytes += d.TextBytes
	c.BinaryValues += d.BinaryValues
	c.BinaryBytes += d.BinaryBytes
	c.Nulls += d.Nulls
}

// ColumnsByType sums the columns' counters by the name of their type.
func (w *Worker) ColumnsByType() map[string]ColumnCounters {
	sums := map[string]ColumnCounters{}
	for _, r := range w.relations {
		r.leaves(func(r *relation) {
			for i := range r.columns {
				c := &r.columns[i]
				s := sums[c.typ.String()]
				s.Add(c.counters)
				sums[c.typ.String()] = s
			}
		})
	}
	return sums
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
	// Scans as pg_stat_user_tables counts them.
	SeqScans, SeqTupRead, IdxScans, IdxTupFetch int64
}

// IndexState is an index of a TableState.
type IndexState struct {
	Schema *schema.Index
	Rel    wal.RelID
	BTree  *index.BTree // nil if it is a BRIN index
	BRIN   *index.BRIN
	// Prevented is the number of updates that could not be HOT because they changed
	// a column that the index depends on.
	Prevented int64
}

// Tables returns the local tables in the order of the schema, partitioned ones,
// which hold no rows, left out. The counters of their indexes are final for what has
// been applied.
func (w *Worker) Tables() []TableState {
	states := make([]TableState, 0, len(w.tables))
	for _, t := range w.tables {
		if t.schema.Kind == 'p' {
			continue
		}
		s := TableState{
			Schema: t.schema, Rel: t.rel, Heap: t.heap, Preset: t.preset, Truncated: t.truncated,
			SeqScans: t.seqScans, SeqTupRead: t.seqReads, IdxScans: t.idxScans, IdxTupFetch: t.idxReads,
		}
		for _, x := range t.indexes {
			if x.btree != nil {
				x.btree.Settle()
			}
			s.Indexes = append(s.Indexes, IndexState{x.schema, x.rel, x.btree, x.brin, x.prevented})
		}
		states = append(states, s)
	}
	return states
}

// Check verifies the invariants of every table and index.
func (w *Worker) Check() error {
	for _, t := range w.tables {
		if err := t.heap.Check(); err != nil {
			return err
		}
		for _, x := range t.indexes {
			check := x.btree.Check
			if x.brin != nil {
				check = x.brin.Check
			}
			if err := check(); err != nil {
				return err
			}
		}
	}
	return nil
}
