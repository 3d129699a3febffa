package apply

// COPY ... FROM, after copyfrom.c (CopyFrom): rows are gathered and put into the table some
// hundred at a time, then their index entries are made.

import (
	"slices"
	"strings"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/wal/storage"
)

// Limits of COPY. Source: REL_18_1, src/backend/commands/copyfrom.c.
const (
	maxBufferedTuples   = 1000  // MAX_BUFFERED_TUPLES
	maxBufferedBytes    = 65535 // MAX_BUFFERED_BYTES
	maxPartitionBuffers = 32    // MAX_PARTITION_BUFFERS
)

// copying is a COPY command under way.
type copying struct {
	w      *Worker
	target *table
	// single says that rows are inserted one by one, because a trigger or the default of a
	// column that COPY does not give could look at the table.
	single  bool
	batches []*copyBatch // in the order in which they were begun
	rows    int          // that wait
	bytes   int          // of their lines
	// sizes are how many rows the next batches have; nil if their lines say it.
	sizes []int

	// bulk is for rows that go one by one, last the partition that it is for.
	bulk *heap.Bulk
	last *table
	// inserted is told of each row that is in the table, with its index entries; may be nil.
	inserted func(t *table, values []datum.Value, tid storage.TID) error
}

// copyBatch is the rows that wait for a table (CopyMultiInsertBuffer).
type copyBatch struct {
	table  *table
	bulk   *heap.Bulk
	rows   [][]datum.Value
	values []datum.Value // that the rows are made of
	bytes  []byte        // and what those have
}

// newCopy begins a COPY into a table; given says which of its columns it gives values to.
func (w *Worker) newCopy(t *table, given func(column int) bool) *copying {
	c := &copying{w: w, target: t, single: t.insertTrigger()}
	for i := range t.schema.Columns {
		col := &t.schema.Columns[i]
		if given(i) || col.Dropped || col.Generated != 0 || col.Identity != 0 {
			continue
		}
		lc := localColumn{remote: -1, typ: col.Type, typmod: col.Typmod}
		if err := w.defaultOf(t, col, i, &lc); err == nil && lc.expr != nil {
			c.single = c.single || volatile(lc.expr)
		}
	}
	return c
}

// volatile says whether an expression has a volatile function other than nextval
// (contain_volatile_functions_not_nextval). What differs from one transaction to the next
// only is stable.
func volatile(e *expr.Expr) bool {
	return slices.ContainsFunc(e.VolatileNames(), func(name string) bool {
		name, _, _ = strings.Cut(strings.TrimPrefix(strings.ToLower(name), "function "), "(")
		switch name {
		case "nextval", "now", "transaction_timestamp", "statement_timestamp", "current_date", "current_time", "current_timestamp",
			"localtime", "localtimestamp", "current_user", "session_user", "user", "current_role", "current_setting":
			return false
		}
		return true
	})
}

// insertTrigger says whether a table has a trigger that gets each row before it is
// inserted. It need not fire.
func (t *table) insertTrigger() bool {
	return slices.ContainsFunc(t.schema.Triggers, func(g schema.Trigger) bool {
		return g.Row && (g.Timing == "before" || g.Timing == "instead of") && slices.Contains(g.Events, "insert")
	})
}

// add takes a row for the target or one of its partitions. Values are good until it
// returns. line is the length of the row's line without its end, bytes; 0 in binary format.
func (c *copying) add(t *table, values []datum.Value, line int) error {
	w := c.w
	if err := w.complete(t, values, nil); err != nil {
		return err
	}
	if c.single || t != c.target && t.insertTrigger() {
		return c.insert(t, values)
	}
	b := c.batch(t)
	n := len(t.schema.Columns)
	from := len(b.values)
	b.values = append(b.values, values[:n]...)
	row := b.values[from:len(b.values):len(b.values)]
	for i := range row {
		if v := &row[i]; !v.Null && v.Bytes != nil {
			if cap(b.bytes)-len(b.bytes) < len(v.Bytes) {
				b.bytes = make([]byte, 0, max(len(v.Bytes), copyChunk))
			}
			at := len(b.bytes)
			b.bytes = append(b.bytes, v.Bytes...)
			v.Bytes = b.bytes[at:len(b.bytes):len(b.bytes)]
		}
	}
	b.rows = append(b.rows, row)
	c.rows++
	c.bytes += line
	full := c.rows >= maxBufferedTuples || c.bytes >= maxBufferedBytes
	if c.sizes != nil {
		full = len(c.sizes) > 0 && c.rows >= c.sizes[0]
	}
	if full {
		if len(c.sizes) > 0 {
			c.sizes = c.sizes[1:]
		}
		return c.flush(b)
	}
	return nil
}

// copyChunk is how much memory is taken for waiting rows at a time, in bytes.
const copyChunk = 64 << 10

// batch is what waits for a table.
func (c *copying) batch(t *table) *copyBatch {
	for _, b := range c.batches {
		if b.table == t {
			return b
		}
	}
	b := &copyBatch{table: t, bulk: t.heap.NewBulk(c.w.newHere(t) && c.target == t)}
	c.batches = append(c.batches, b)
	return b
}

// newHere says whether the current transaction has given the table its file.
func (w *Worker) newHere(t *table) bool {
	return t.newFiles != 0 && (t.newFiles == w.xacts.Current || t.newFiles == w.xacts.Top())
}

// flush puts all rows that wait into their tables (CopyMultiInsertInfoFlush). current is
// the batch in use.
func (c *copying) flush(current *copyBatch) error {
	for _, b := range c.batches {
		if err := c.put(b); err != nil {
			return err
		}
	}
	c.rows, c.bytes = 0, 0
	for len(c.batches) > maxPartitionBuffers {
		if c.batches[0] == current {
			c.batches = append(c.batches[1:], current)
		}
		c.batches = c.batches[1:]
	}
	return nil
}

// put puts the rows of a batch into the table, then their entries into its indexes, row
// by row (CopyMultiInsertBufferFlush).
func (c *copying) put(b *copyBatch) error {
	if len(b.rows) == 0 {
		return nil
	}
	w, t := c.w, b.table
	w.needXID()
	w.touch(t)
	t.count(w)
	tids, err := b.bulk.InsertAll(b.rows, w.command)
	if err != nil {
		return w.heapError(err)
	}
	t.heap.Pin(b.bulk.Held())
	for i, row := range b.rows {
		if err := c.entries(t, row, tids[i]); err != nil {
			return err
		}
	}
	t.heap.Pin(storage.InvalidBlock)
	b.rows, b.values = b.rows[:0], b.values[:0]
	b.bytes = b.bytes[:0]
	return nil
}

// entries makes the index entries of a row.
func (c *copying) entries(t *table, row []datum.Value, tid storage.TID) error {
	w := c.w
	t.finder.added(row, tid)
	for _, x := range t.indexes {
		duplicate, err := x.insert(row, tid, false)
		if err != nil {
			return w.indexError(t, err)
		}
		if duplicate && x.enforced() {
			return w.stop("duplicate key value violates unique constraint %q", x.schema.Name)
		}
		if x.exclusion {
			if passed, err := w.exclude(t, x, tid, row); !passed {
				return err
			}
		}
	}
	w.fire(t, "insert")
	if c.inserted != nil {
		return c.inserted(t, row, tid)
	}
	return nil
}

// insert inserts a row by itself. All that wait go first if it is a partition's: triggers
// must see them.
func (c *copying) insert(t *table, values []datum.Value) error {
	w := c.w
	if c.rows > 0 && c.last != t {
		if err := c.flush(nil); err != nil {
			return err
		}
	}
	switch {
	case c.bulk == nil:
		c.bulk = t.heap.NewBulk(w.newHere(t) && c.target == t)
	case c.last != t:
		c.bulk.MoveTo(t.heap)
	}
	c.last = t
	w.needXID()
	w.touch(t)
	t.count(w)
	tid, err := c.bulk.Insert(values, w.command)
	if err != nil {
		return w.heapError(err)
	}
	t.heap.Pin(c.bulk.Held())
	err = c.entries(t, values, tid)
	t.heap.Pin(storage.InvalidBlock)
	return err
}

// end puts what still waits into its tables.
func (c *copying) end() error { return c.flush(nil) }
