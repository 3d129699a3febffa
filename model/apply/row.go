package apply

import (
	"applysim/heap/datum"
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
	return w.insertRow(r.local, w.values)
}

// read turns the columns of a message into values of the local table's columns,
// in w.values (slot_store_data, slot_fill_defaults).
func (w *Worker) read(r *relation, m *stream.Message, tuple stream.Tuple) error {
	if len(tuple) != len(r.remote.Columns) {
		return w.protocol(m, "%d columns, expected %d as the relation message has", len(tuple), len(r.remote.Columns))
	}
	scratch := w.scratch[:0]
	for i := range r.columns {
		c := &r.columns[i]
		v := &w.values[i]
		if c.remote < 0 {
			*v = c.def
		} else {
			var err error
			if *v, scratch, err = c.value(&tuple[c.remote], scratch); err != nil {
				return w.stop("%v", err)
			}
		}
		if v.Null && c.notNull {
			return w.nullError(r, i)
		}
	}
	w.scratch = scratch
	return nil
}

func (w *Worker) nullError(r *relation, column int) error {
	s := r.local.schema
	return w.stop("null value in column %q of relation %q violates not-null constraint", s.Columns[column].Name, s.Name)
}

// value reads a column of a message by the type's input function and counts it.
func (c *localColumn) value(col *stream.Column, scratch []byte) (datum.Value, []byte, error) {
	switch col.Format {
	case stream.ColumnText:
		c.counters.TextValues++
		c.counters.TextBytes += int64(len(col.Data))
		return c.typ.Input(col.Data, c.typmod, scratch)
	case stream.ColumnBinary:
		c.counters.BinaryValues++
		c.counters.BinaryBytes += int64(len(col.Data))
		return c.typ.Receive(col.Data, c.typmod, scratch)
	}
	c.counters.Nulls++
	return datum.Value{Null: true}, scratch, nil
}

// insertRow inserts a row into the table and its indexes
// (ExecSimpleRelationInsert).
func (w *Worker) insertRow(t *table, values []datum.Value) error {
	w.needXID()
	w.touch(t)
	tid, err := t.heap.Insert(values, w.command)
	if err != nil {
		return w.heapError(err)
	}
	w.command++
	t.finder.added(values, tid)
	duplicate := false
	for _, x := range t.indexes {
		dup, err := x.insert(values, tid, false)
		if err != nil {
			return w.indexError(err)
		}
		duplicate = duplicate || dup
	}
	if duplicate {
		return w.conflict(t, insertExists, tid, values)
	}
	return nil
}

// insert adds an entry for a row version to the index.
func (x *localIndex) insert(values []datum.Value, tid storage.TID, unchanged bool) (duplicate bool, err error) {
	x.project(values)
	return x.btree.Insert(x.values, tid, unchanged)
}

// project puts the values of the index's columns into x.values.
func (x *localIndex) project(values []datum.Value) {
	for i, n := range x.columns {
		x.values[i] = values[n]
		if x.values[i].Form != datum.Plain {
			x.values[i] = x.owner.plain(&values[n])
		}
		if x.cstring[i] {
			x.values[i].Bytes = untilNUL(x.values[i].Bytes)
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

func (w *Worker) heapError(err error) error { return w.stop("%v", err) }

func (w *Worker) indexError(err error) error { return w.stop("%v", err) }
