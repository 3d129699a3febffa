package apply

import (
	"errors"
	"slices"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// applyInsert applies an insert: apply_handle_insert.
func (w *Worker) applyInsert(m *stream.Message) error {
	if !w.inTransaction {
		return w.protocol(m, "insert outside a transaction: expected a begin before it")
	}
	r, err := w.open(m)
	if err != nil {
		return err
	}
	w.Counters.Inserts++
	if err := w.read(r, m, m.New); err != nil {
		return err
	}
	if r.local.router != nil {
		w.lockRelation(r.local)
		if r, err = w.partition(r); err != nil {
			return err
		}
	} else if r.local.parent != nil {
		if err := w.checkPartition(r.local, w.values); err != nil {
			return err
		}
	}
	return w.insertRow(r.local, w.values)
}

// read turns the columns of a message into values of the local table's columns,
// in w.values (slot_store_data, slot_fill_defaults).
func (w *Worker) read(r *relation, m *stream.Message, tuple stream.Tuple) error {
	if len(tuple) != len(r.remote.Columns) {
		return w.protocol(m, "%d columns, expected %d as the relation message has", len(tuple), len(r.remote.Columns))
	}
	scratch := w.scratch[:0]
	w.evaluation.Reset()
	r.local.counters.Read++
	for i := range r.columns {
		c := &r.columns[i]
		v := &w.values[i]
		var err error
		if c.remote < 0 {
			if *v, err = w.fill(c); c.expr != nil || c.identity != nil || !c.def.Null {
				r.local.counters.Filled++
			}
		} else {
			scratch, err = c.value(v, &tuple[c.remote], scratch)
		}
		if err != nil {
			return w.evalError(err)
		}
	}
	w.scratch = scratch
	return nil
}

// value reads a column of a message by the type's input function, into v, and counts
// it. scratch is work space, which it returns grown.
func (c *localColumn) value(v *datum.Value, col *stream.Column, scratch []byte) ([]byte, error) {
	counters := &c.counters
	var err error
	switch col.Format {
	case stream.ColumnText:
		counters.TextValues++
		counters.TextBytes += int64(len(col.Data))
		if c.shaped && (c.every || looked(counters.TextValues)) {
			c.shape(col)
		}
		bits, ok, err := c.typ.InputBits(col.Data, c.typmod)
		if ok {
			// Field by field: what is written in one piece here cannot be read in
			// another one at once.
			v.Bits, v.Null, v.Form = bits, false, datum.Plain
			if v.Bytes != nil {
				v.Bytes = nil
			}
			return scratch, err
		}
		counters.long(col)
		if c.typ.AsIs() {
			v.Bits, v.Null, v.Form, v.Bytes = 0, false, datum.Plain, col.Data
			return scratch, nil
		}
		*v, scratch, err = c.typ.Input(col.Data, c.typmod, scratch)
		return scratch, err
	case stream.ColumnBinary:
		counters.BinaryValues++
		counters.BinaryBytes += int64(len(col.Data))
		counters.long(col)
		if c.shaped && (c.every || looked(counters.BinaryValues)) {
			c.shape(col)
		}
		*v, scratch, err = c.typ.Receive(col.Data, c.typmod, scratch)
		return scratch, err
	}
	if col.Format == stream.ColumnUnchanged {
		counters.Unchanged++
	} else {
		counters.Nulls++
	}
	*v = datum.Value{Null: true}
	return scratch, nil
}

// long counts the bytes of a long value.
func (c *ColumnCounters) long(col *stream.Column) {
	if n := len(col.Data); n >= ZeroedValue {
		c.ZeroedBytes += int64(n)
		if n >= LongValue {
			c.LongBytes += int64(n)
		}
	}
}

// again says whether a column's value, which was read once, need not be read again,
// and counts it as if it were.
func (c *localColumn) again(col *stream.Column) bool {
	if !c.pure || col.Format != stream.ColumnText {
		return false
	}
	counters := &c.counters
	counters.TextValues++
	counters.TextBytes += int64(len(col.Data))
	counters.long(col)
	if c.shaped && (c.every || looked(counters.TextValues)) {
		c.shape(col)
	}
	return true
}

// insertRow inserts a row into the table and its indexes
// (ExecSimpleRelationInsert).
func (w *Worker) insertRow(t *table, values []datum.Value) error {
	if w.movedFrom != nil {
		t.movedFrom = w.movedFrom
		defer func() { t.movedFrom = nil }()
	}
	if err := w.complete(t, values, nil); err != nil {
		return err
	}
	w.readQual(t)
	if w.xacts.Current == 0 {
		w.Counters.InsertXIDs++
	}
	w.needXID()
	w.touch(t)
	t.count(w)
	var tid storage.TID
	var err error
	if w.movedFrom != nil && t.toaster != nil && slices.ContainsFunc(values[:len(t.schema.Columns)], external) {
		tid, err = t.heap.InsertMoved(values, w.command)
	} else {
		tid, err = t.heap.Insert(values, w.command)
	}
	if err != nil {
		return w.heapError(err)
	}
	w.inserted = tid
	t.finder.added(values, tid)
	w.duplicates = w.duplicates[:0]
	for _, x := range t.indexes {
		dup, err := x.insert(values, tid, false)
		if err != nil {
			return w.indexError(t, err)
		}
		if dup && x.enforced() {
			if w.refuses() {
				return w.duplicate(t, x, values)
			}
			w.duplicates = append(w.duplicates, x)
		}
		if x.exclusion {
			if passed, err := w.exclude(t, x, tid, values); !passed {
				return err
			}
		}
	}
	if len(w.duplicates) > 0 {
		return w.conflict(t, insertExists, tid, storage.TID{}, values)
	}
	w.fire(t, "insert")
	return nil
}

func external(v datum.Value) bool { return !v.Null && v.Form == datum.External }

// insert adds an entry for a row version to the index, unless its predicate does not
// hold.
func (x *localIndex) insert(values []datum.Value, tid storage.TID, unchanged bool) (duplicate bool, err error) {
	if x.predicate != nil {
		if ok, err := x.holds(values); !ok {
			return false, err
		}
	}
	if x.foreign != nil {
		if err := x.foreign.index(x, values, tid); err != nil || x.btree == nil && x.hash == nil {
			return false, err
		}
	}
	if x.btree != nil {
		if duplicate, ok := x.btree.InsertRow(values, tid, unchanged); ok {
			return duplicate, nil
		}
	}
	if x.hash != nil {
		if err := x.project(values); err != nil {
			return false, err
		}
		x.hash.insert(&x.values[0], tid)
		return false, nil
	}
	if x.brin != nil && x.exprs == nil && !x.brin.Summarized(tid.Block) {
		return false, nil // nobody looks at the values: long ones are not fetched
	}
	if err := x.entry(values); err != nil {
		return false, err
	}
	if x.brin != nil {
		return false, x.brin.Insert(x.values, tid)
	}
	return x.btree.Insert(x.values, tid, unchanged)
}

// holds says whether a row is one of those that the index is for.
func (x *localIndex) holds(values []datum.Value) (bool, error) {
	v, err := x.owner.eval(x.predicate, values)
	return err == nil && !v.Null && v.Bits&1 != 0, err
}

// project puts the values of the index's columns into x.values, decompressed.
func (x *localIndex) project(values []datum.Value) error {
	if err := x.entry(values); err != nil {
		return err
	}
	for i := range x.values {
		if v := &x.values[i]; v.Form == datum.Compressed && !v.Null {
			*v = datum.Decompress(v)
		}
	}
	return nil
}

// entry puts the values of the index's columns into x.values as an entry has them: what
// the row has compressed stays so, what is stored elsewhere is fetched as it is there
// (index_form_tuple).
func (x *localIndex) entry(values []datum.Value) error {
	for i, n := range x.columns {
		if n < 0 {
			v, err := x.owner.eval(x.exprs[i], values)
			if err != nil {
				return err
			}
			x.exprBytes += int64(len(v.Bytes))
			x.values[i] = v
			continue
		}
		x.values[i] = values[n]
		if external(values[n]) {
			x.values[i] = x.owner.stores().Fetch(&values[n])
		}
		if x.cstring[i] {
			x.values[i].Bytes = untilNUL(x.values[i].Bytes)
		}
	}
	return nil
}

// projectPlain is project for a lookup: only columns of the table, and NULL for
// expressions.
func (x *localIndex) projectPlain(values []datum.Value) {
	if x.exprs == nil {
		x.project(values)
		return
	}
	for i, n := range x.columns {
		x.values[i] = datum.Value{Null: true}
		if n >= 0 {
			x.values[i] = x.owner.plain(&values[n])
		}
	}
}

// untilNUL cuts a fixed-length string (type name) at its padding.
func untilNUL(b []byte) []byte {
	for i, c := range b {
		if c == 0 {
			return b[:i]
		}
	}
	return b
}

func (w *Worker) heapError(err error) error { return w.failed(err) }

// indexError is the error of an index entry of a table's row.
func (w *Worker) indexError(t *table, err error) error {
	if size := (*index.SizeError)(nil); errors.As(err, &size) {
		size.Table = t.schema.Name
	}
	return w.evalError(err)
}
