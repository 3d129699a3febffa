package apply

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// chooseLookup decides how rows of a relation are found: by the local table's
// replica identity or primary key; for REPLICA IDENTITY FULL by the first usable
// index in the order of OIDs, not the best one; else by a sequential scan
// (FindLogicalRepLocalIndex).
func (w *Worker) chooseLookup(r *relation) {
	t := r.local
	full := r.remote.Identity == 'f'
	space := r.remote.Namespace
	if t.identity == nil && !full {
		r.readOnly = fmt.Sprintf("logical replication target relation \"%s.%s\" has neither REPLICA IDENTITY index nor PRIMARY KEY column and published relation does not have REPLICA IDENTITY FULL",
			space, r.remote.Name)
		return
	}
	if t.identity != nil {
		for _, k := range t.identity.schema.Keys {
			if n := r.columns[k.Column].remote; n < 0 || !r.remote.Columns[n].Key() {
				r.readOnly = fmt.Sprintf("publisher did not send replica identity column expected by the logical replication target relation \"%s.%s\"",
					space, r.remote.Name)
				return
			}
		}
		r.lookup = t.identity
		return
	}
	r.checkRows = true
	for _, x := range t.indexes {
		first := x.schema.Keys[0].Column
		if x.schema.Predicate == "" && first >= 0 && r.columns[first].remote >= 0 {
			r.lookup = x
			return
		}
	}
}

// target reads the row to look for, in w.values, and finds it.
func (w *Worker) target(r *relation, m *stream.Message) (storage.TID, bool, error) {
	if r.readOnly != "" {
		return storage.TID{}, false, w.stop("%s", r.readOnly)
	}
	old := m.Old
	if m.OldKind == stream.OldNone {
		old = m.New
	}
	if len(old) != len(r.remote.Columns) {
		return storage.TID{}, false, w.protocol(m, "%d columns of the old row, expected %d as the relation message has", len(old), len(r.remote.Columns))
	}
	scratch := w.scratch[:0]
	for i := range r.columns {
		c := &r.columns[i]
		w.values[i] = datum.Value{Null: true}
		if c.remote < 0 {
			continue
		}
		var err error
		if w.values[i], scratch, err = c.value(&old[c.remote], scratch); err != nil {
			return storage.TID{}, false, w.stop("%v", err)
		}
	}
	w.scratch = scratch
	if r.lookup != nil {
		tid, ok := w.findByIndex(r)
		return tid, ok, nil
	}
	tid, ok := w.findSequentially(r)
	return tid, ok, nil
}

// findByIndex finds and locks a row by the relation's index
// (RelationFindReplTupleByIndex).
func (w *Worker) findByIndex(r *relation) (storage.TID, bool) {
	t, x := r.local, r.lookup
	t.idxScans++
	x.project(w.values)
	w.lockRelation(t)
	w.lockRelation(x)
	scan := x.btree.Lookup(x.values, nil)
	defer scan.End()
	for {
		tid, ok := scan.Next()
		if !ok {
			return tid, false
		}
		t.idxReads++
		t.heap.Pin(tid.Block)
		if r.checkRows {
			t.heap.Values(w.row, tid)
			if !w.equal(r) {
				continue
			}
		}
		w.needXID()
		w.touched.rows = true
		t.heap.Lock(tid)
		return tid, true
	}
}

// equal says whether the row that was found is the one that is looked for: all
// columns of the local table, generated and dropped ones aside
// (tuples_equal).
func (w *Worker) equal(r *relation) bool {
	for i := range r.columns {
		s := &r.local.schema.Columns[i]
		if s.Dropped || s.Generated != 0 {
			continue
		}
		a, b := &w.row[i], &w.values[i]
		if a.Null != b.Null {
			return false
		}
		if a.Form != datum.Plain {
			v := r.local.plain(a)
			a = &v
		}
		if !a.Null && !r.columns[i].same(a, b) {
			return false
		}
	}
	return true
}

// same compares two values by the type's equality operator.
func (c *localColumn) same(a, b *datum.Value) bool {
	if class := c.typ.OpClass(); class != nil {
		return class.Compare(a, b) == 0
	}
	return a.Bits == b.Bits && string(a.Bytes) == string(b.Bytes)
}

// applyUpdate applies an update: apply_handle_update.
func (w *Worker) applyUpdate(m *stream.Message) error {
	if !w.inTransaction {
		return w.protocol(m, "update outside a transaction: expected a begin before it")
	}
	r, err := w.open(m)
	if err != nil {
		return err
	}
	w.Counters.Updates++
	defer r.local.heap.Pin(storage.InvalidBlock)
	tid, ok, err := w.target(r, m)
	if err != nil {
		return err
	}
	if !ok {
		w.Counters.Conflicts[updateMissing]++
		return nil
	}
	return w.updateRow(r, m, tid)
}

// updateRow replaces the row that was found: columns that the message carries
// get its values, all others keep theirs (slot_modify_data,
// ExecSimpleRelationUpdate).
func (w *Worker) updateRow(r *relation, m *stream.Message, tid storage.TID) error {
	t := r.local
	if len(m.New) != len(r.remote.Columns) {
		return w.protocol(m, "%d columns, expected %d as the relation message has", len(m.New), len(r.remote.Columns))
	}
	t.heap.Values(w.row, tid)
	scratch := w.scratch[:0]
	for i := range r.columns {
		c := &r.columns[i]
		w.values[i] = w.row[i]
		if c.remote >= 0 && m.New[c.remote].Format != stream.ColumnUnchanged {
			var err error
			if w.values[i], scratch, err = c.value(&m.New[c.remote], scratch); err != nil {
				return w.stop("%v", err)
			}
		}
		if w.values[i].Null && c.notNull {
			return w.nullError(r, i)
		}
	}
	w.scratch = scratch
	t.finder.gone(w, tid)
	w.touch(t)
	u, err := t.heap.Update(tid, w.values, w.command)
	if err != nil {
		return w.heapError(err)
	}
	w.command++
	t.finder.added(w.values, u.TID)
	if u.HOT {
		return nil
	}
	duplicate := false
	for _, x := range t.indexes {
		dup, err := x.insert(w.values, u.TID, w.unchanged(r, m, x))
		if err != nil {
			return w.indexError(err)
		}
		duplicate = duplicate || dup
	}
	if duplicate {
		return w.conflict(t, updateExists, u.TID, w.values)
	}
	return nil
}

// unchanged is the executor's hint that an update leaves an index's key columns
// as they are. The worker takes every column that the message carries as
// updated, so that only an index on other columns gets the hint
// (index_unchanged_by_update).
func (w *Worker) unchanged(r *relation, m *stream.Message, x *localIndex) bool {
	for _, k := range x.schema.Keys {
		if w.opts.LocalHint {
			if r.local.heap.Modified(k.Column) {
				return false
			}
			continue
		}
		if n := r.columns[k.Column].remote; n >= 0 && m.New[n].Format != stream.ColumnUnchanged {
			return false
		}
	}
	return true
}

// applyDelete applies a delete: apply_handle_delete.
func (w *Worker) applyDelete(m *stream.Message) error {
	if !w.inTransaction {
		return w.protocol(m, "delete outside a transaction: expected a begin before it")
	}
	r, err := w.open(m)
	if err != nil {
		return err
	}
	w.Counters.Deletes++
	defer r.local.heap.Pin(storage.InvalidBlock)
	tid, ok, err := w.target(r, m)
	if err != nil {
		return err
	}
	if !ok {
		w.Counters.Conflicts[deleteMissing]++
		return nil
	}
	r.local.finder.gone(w, tid)
	w.touch(r.local)
	r.local.heap.Delete(tid, w.command)
	w.command++
	return nil
}
