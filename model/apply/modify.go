package apply

import (
	"encoding/binary"
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/heap/toast"
	"applysim/model/pgtype"
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
		r.readOnly = fmt.Sprintf("logical replication target relation \"%s.%s\" has neither REPLICA IDENTITY index nor PRIMARY KEY and published relation does not have REPLICA IDENTITY FULL",
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
		if w.unusable(r, x) == "" {
			r.lookup = x
			return
		}
	}
}

// unusable says why rows of a table with REPLICA IDENTITY FULL cannot be found by an
// index, "" if they can (IsIndexUsableForReplicaIdentityFull).
func (w *Worker) unusable(r *relation, x *localIndex) string {
	first, version := x.schema.Keys[0].Column, w.opts.Settings.ServerMajor
	switch {
	case version < 16:
		return "before PostgreSQL 16 the whole old row is looked for without an index"
	case x.btree == nil && x.hash == nil, x.btree == nil && version < 17, x.btree == nil && version == 17 && x.schema.Method != "hash":
		return fmt.Sprintf("its access method, %s, cannot look rows up one by one", x.schema.Method)
	case x.schema.Predicate != "":
		return "it is partial: it does not have all rows"
	case first < 0:
		return "its first column is an expression"
	case r.columns[first].remote < 0:
		return fmt.Sprintf("its first column, %s, is not published", r.local.schema.Columns[first].Name)
	case !x.comparable() && version >= 18:
		return "a column's type has no equality operator as the index has it"
	}
	return ""
}

// target reads the row to look for, in w.values, and finds it. The relation that it
// returns is r, or the partition of it where the row should be.
func (w *Worker) target(r *relation, m *stream.Message) (*relation, storage.TID, bool, error) {
	none := storage.TID{}
	if r.readOnly != "" && r.local.router == nil {
		return r, none, false, w.stop("%s", r.readOnly)
	}
	old := m.Old
	if m.OldKind == stream.OldNone {
		old = m.New
	}
	if len(old) != len(r.remote.Columns) {
		return r, none, false, w.protocol(m, "%d columns of the old row, expected %d as the relation message has", len(old), len(r.remote.Columns))
	}
	scratch := w.scratch[:0]
	w.evaluation.Reset()
	r.local.counters.Read++
	for i := range r.columns {
		c := &r.columns[i]
		if c.remote < 0 {
			w.values[i] = datum.Value{Null: true}
			continue
		}
		var err error
		if scratch, err = c.value(&w.values[i], &old[c.remote], scratch); err != nil {
			return r, none, false, w.failed(err)
		}
	}
	w.scratch = scratch
	if r.local.router != nil {
		w.lockRelation(r.local)
		var err error
		if r, err = w.partition(r); err != nil {
			return r, none, false, err
		}
		if r.readOnly != "" {
			return r, none, false, w.stop("%s", r.readOnly)
		}
	}
	if w.opts.Settings.ServerMajor < 18 {
		defer w.lookedUp(r.local.lookups())
		w.lookup.table = r.local
	}
	if r.lookup != nil {
		tid, ok := w.findByIndex(r)
		return r, tid, ok, nil
	}
	tid, ok := w.findSequentially(r)
	return r, tid, ok, nil
}

// comparable says whether there is an equality operator for each column of the index, in
// the type in which the index has it: a key of type name is a cstring there, which has
// none (IsIndexUsableForReplicaIdentityFull). 17 does not ask.
func (x *localIndex) comparable() bool {
	for i, t := range x.types {
		if i < len(x.schema.Keys) && x.cstring[i] || !equality(t) {
			return false
		}
	}
	return true
}

// equality says whether a type has an equality operator, that of a B-tree or a hash
// operator class (lookup_type_cache).
func equality(t *pgtype.Type) bool {
	t = t.Base()
	return t.OpClass() != nil || t.Name == "xid" || t.Name == "cid"
}

// findByIndex finds and locks a row by the relation's index
// (RelationFindReplTupleByIndex).
func (w *Worker) findByIndex(r *relation) (storage.TID, bool) {
	t, x := r.local, r.lookup
	t.idxScans++
	x.sought = true
	if t.kept != w.Counters.Begins {
		t.kept = w.Counters.Begins
		t.counters.Kept++
	}
	x.projectPlain(w.values)
	w.lockRelation(t)
	w.lockRelation(x)
	if x.hash != nil {
		return w.findByHash(r, x.equals(x.use))
	}
	scan := x.btree.Lookup(x.values, x.use)
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
			t.counters.Compared++
			if !w.equal(r, t.compared, 1) {
				continue
			}
		}
		w.needLookupXID()
		w.touched.rows = true
		t.heap.Lock(tid)
		return tid, true
	}
}

// equal says whether the row that was found is the one that is looked for: all
// columns of the local table, generated and dropped ones aside
// (tuples_equal). It adds weight to the count of each column that is compared until one differs.
func (w *Worker) equal(r *relation, compared []int64, weight int64) bool {
	for i := range r.columns {
		s := &r.local.schema.Columns[i]
		if s.Dropped || s.Generated != 0 {
			continue
		}
		compared[i] += weight
		a, b := &w.row[i], &w.values[i]
		if a.Null != b.Null {
			return false
		}
		if a.Form != datum.Plain {
			if r.columns[i].bySize && rawSize(a) != len(b.Bytes) {
				return false // without a look at the value (texteq, byteaeq)
			}
			v := r.local.plain(a)
			a = &v
		}
		if !a.Null && !r.columns[i].same(a, b) {
			return false
		}
	}
	return true
}

// rawSize is how many bytes a value has when it is restored.
func rawSize(v *datum.Value) int {
	switch v.Form {
	case datum.External:
		return int(binary.LittleEndian.Uint32(v.Bytes)) - toast.VarlenaHeader
	case datum.Compressed:
		n, _ := v.RawInfo()
		return n
	}
	return len(v.Bytes)
}

// same compares two values by the type's equality operator.
func (c *localColumn) same(a, b *datum.Value) bool {
	if c.class != nil {
		return c.class.Compare(a, b) == 0
	}
	attr := c.typ.Attr()
	return attr.Word(a) == attr.Word(b) && string(a.Bytes) == string(b.Bytes)
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
	root := r
	r, tid, ok, err := w.target(root, m)
	if err != nil {
		return err
	}
	defer r.local.heap.Pin(storage.InvalidBlock)
	if !ok {
		w.Counters.Conflicts[updateMissing]++
		return nil
	}
	return w.updateRow(root, r, m, tid)
}

// updateRow replaces the row that was found: columns that the message carries
// get its values, all others keep theirs (slot_modify_data,
// ExecSimpleRelationUpdate). r is root, or the partition where the row is.
func (w *Worker) updateRow(root, r *relation, m *stream.Message, tid storage.TID) error {
	t := r.local
	if len(m.New) != len(r.remote.Columns) {
		return w.protocol(m, "%d columns, expected %d as the relation message has", len(m.New), len(r.remote.Columns))
	}
	t.counters.Merged++
	// The row was looked for by the values of the new one if the message has no old one.
	same := m.OldKind == stream.OldNone && root == r
	read := false
	scratch := w.scratch[:0]
	for i := range r.columns {
		c := &r.columns[i]
		if c.remote >= 0 && m.New[c.remote].Format != stream.ColumnUnchanged {
			if same && c.again(&m.New[c.remote]) {
				continue
			}
			var err error
			if scratch, err = c.value(&w.values[i], &m.New[c.remote], scratch); err != nil {
				return w.failed(err)
			}
			continue
		}
		if !read {
			t.heap.Values(w.row, tid)
			read = true
		}
		w.values[i] = w.row[i]
		if b := w.row[i].Bytes; len(b) > 0 {
			// The page may change before all indexes have the value.
			n := len(scratch)
			scratch = append(scratch, b...)
			w.values[i].Bytes = scratch[n:len(scratch):len(scratch)]
		}
	}
	w.scratch = scratch
	if t.parent != nil {
		w.readQual(t)
		stays, err := w.inPartition(t, w.values)
		if err != nil {
			return err
		}
		if !stays && root != r {
			return w.moveRow(root, r, tid)
		}
		if !stays {
			return w.partitionError(t, w.values)
		}
	}
	changed := func(column int) bool { return sets(r, m, column) }
	if err := w.complete(t, w.values, changed); err != nil {
		return err
	}
	t.finder.gone(w, tid)
	w.touch(t)
	t.count(w)
	u, err := t.heap.Update(tid, w.values, w.command)
	if err != nil {
		return w.heapError(err)
	}
	t.finder.added(w.values, u.TID)
	w.fire(t, "update")
	if u.HOT && !u.Summarized {
		return nil
	}
	w.duplicates = w.duplicates[:0]
	for _, x := range t.indexes {
		if u.HOT && x.brin == nil {
			continue
		}
		if !u.HOT && x.brin == nil && slices.ContainsFunc(x.depends, t.heap.Modified) {
			x.prevented++
		}
		dup, err := x.insert(w.values, u.TID, w.unchanged(r, m, x))
		if err != nil {
			return w.indexError(t, err)
		}
		if dup && x.enforced() {
			if w.refuses() {
				return w.duplicate(t, x, w.values)
			}
			w.duplicates = append(w.duplicates, x)
		}
		if x.exclusion {
			if passed, err := w.exclude(t, x, u.TID, w.values); !passed {
				return err
			}
		}
	}
	if len(w.duplicates) > 0 {
		return w.conflict(t, updateExists, u.TID, tid, w.values)
	}
	return nil
}

// unchanged is the executor's hint for an index. The worker takes every column that
// the message carries as updated, so that only an index on other columns gets it.
func (w *Worker) unchanged(r *relation, m *stream.Message, x *localIndex) bool {
	return x.unchanged(func(column int) bool {
		if w.opts.LocalHint {
			return r.local.heap.Modified(column)
		}
		return sets(r, m, column)
	})
}

// sets says whether an update sets a column: the message carries it, or it is
// computed from one that the message carries.
func sets(r *relation, m *stream.Message, column int) bool {
	if n := r.columns[column].remote; n >= 0 {
		return m.New[n].Format != stream.ColumnUnchanged
	}
	for i := range r.local.generated {
		if g := &r.local.generated[i]; g.column == column {
			return slices.ContainsFunc(g.expr.Columns(), func(n int) bool { return sets(r, m, n) })
		}
	}
	return false
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
	r, tid, ok, err := w.target(r, m)
	if err != nil {
		return err
	}
	defer r.local.heap.Pin(storage.InvalidBlock)
	if !ok {
		w.Counters.Conflicts[deleteMissing]++
		return nil
	}
	w.deleteRow(r.local, tid)
	return nil
}

// deleteRow deletes a row that was found and locked (ExecSimpleRelationDelete).
func (w *Worker) deleteRow(t *table, tid storage.TID) {
	t.finder.gone(w, tid)
	w.touch(t)
	t.count(w)
	t.heap.Delete(tid, w.command)
	w.fire(t, "delete")
}
