package apply

import (
	"errors"
	"fmt"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/stream"
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
			col := &tuple[c.remote]
			var err error
			switch col.Format {
			case stream.ColumnText:
				c.counters.TextValues++
				c.counters.TextBytes += int64(len(col.Data))
				*v, scratch, err = c.typ.Input(col.Data, c.typmod, scratch)
			case stream.ColumnBinary:
				c.counters.BinaryValues++
				c.counters.BinaryBytes += int64(len(col.Data))
				*v, scratch, err = c.typ.Receive(col.Data, c.typmod, scratch)
			default:
				c.counters.Nulls++
				*v = datum.Value{Null: true}
			}
			if err != nil {
				return w.stop("%v", err)
			}
		}
		if v.Null && c.notNull {
			s := r.local.schema
			return w.stop("null value in column %q of relation %q violates not-null constraint", s.Columns[i].Name, s.Name)
		}
	}
	w.scratch = scratch
	return nil
}

// insertRow inserts a row into the table and its indexes
// (ExecSimpleRelationInsert).
func (w *Worker) insertRow(t *table, values []datum.Value) error {
	if w.xid == 0 {
		w.assignXID()
	}
	tid, err := t.heap.Insert(values, w.xid, w.command)
	if err != nil {
		return w.heapError(t, err)
	}
	w.command++
	t.inserted++
	for _, x := range t.indexes {
		for i, n := range x.columns {
			x.values[i] = values[n]
			if x.cstring[i] {
				x.values[i].Bytes = untilNUL(x.values[i].Bytes)
			}
		}
		if err := x.btree.Insert(x.values, tid); err != nil {
			return w.indexError(t, x, err)
		}
	}
	return nil
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

func (w *Worker) heapError(t *table, err error) error {
	var toast *heap.ToastError
	if errors.As(err, &toast) {
		return w.unsupported("%v", err)
	}
	return w.stop("%v", err)
}

func (w *Worker) indexError(t *table, x *localIndex, err error) error {
	var compress *index.CompressError
	switch {
	case errors.As(err, &compress):
		return w.unsupported("%v", err)
	case errors.Is(err, index.ErrDuplicate):
		return &StopError{
			Message: w.message,
			Text:    fmt.Sprintf("conflict detected on relation \"%s.%s\": conflict=insert_exists", t.schema.Schema, t.schema.Name),
			Detail:  fmt.Sprintf("Key already exists in unique index %q.", x.schema.Name),
		}
	}
	return w.stop("%v", err)
}
