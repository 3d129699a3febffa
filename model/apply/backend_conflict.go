package apply

// INSERT ... ON CONFLICT, after nodeModifyTable.c (ExecInsert, ExecOnConflictUpdate) and
// execIndexing.c (ExecCheckIndexConstraints); rows that triggers look at before they are
// changed (GetTupleForTrigger).

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// arbitrates says whether the current statement has ON CONFLICT and is about a table.
func (b *Backend) arbitrates(t *table) bool {
	s := b.statement
	if s == nil || !s.Conflict {
		return false
	}
	for up := t.schema; up != nil; up = up.Parent {
		if up == s.Table {
			return slices.ContainsFunc(t.indexes, func(x *localIndex) bool { return x.schema.Unique })
		}
	}
	return false
}

// arbiters are the indexes by which conflicting rows are looked for.
func (b *Backend) arbiters(t *table) []*localIndex {
	var list []*localIndex
	for _, x := range t.indexes {
		if !x.schema.Unique || x.btree == nil || x.foreign != nil {
			continue
		}
		if b.statement.Arbiters == nil || slices.ContainsFunc(b.statement.Arbiters, func(a *schema.Index) bool {
			return a == x.schema || a.Name == x.schema.Name || t.schema != b.statement.Table && sameColumns(t.schema, x.schema, b.statement.Table, a)
		}) {
			list = append(list, x)
		}
	}
	return list
}

// sameColumns says whether two indexes have the same columns, by their names.
func sameColumns(s *schema.Table, x *schema.Index, other *schema.Table, y *schema.Index) bool {
	return slices.EqualFunc(x.Keys, y.Keys, func(a, b schema.IndexKey) bool {
		return a.Column >= 0 && b.Column >= 0 && s.Columns[a.Column].Name == other.Columns[b.Column].Name
	})
}

// conflicting looks for a row that has the same key as a new one.
func (b *Backend) conflicting(t *table, values []datum.Value) (storage.TID, bool) {
	defer t.heap.Pin(storage.InvalidBlock)
	for _, x := range b.arbiters(t) {
		if x.predicate != nil {
			if ok, err := x.holds(values); err != nil || !ok {
				continue
			}
		}
		if slices.ContainsFunc(x.schema.Keys, func(k schema.IndexKey) bool { return k.Column < 0 }) {
			continue // an expression
		}
		s := &Statement{Table: t.schema, Method: IndexScan, Index: x.schema, Equal: len(x.schema.Keys)}
		for _, k := range x.schema.Keys {
			s.Columns = append(s.Columns, k.Column)
		}
		var null bool
		if s.Values, null = given(values, s.Columns); null && !x.schema.NullsNotDistinct {
			continue
		}
		c := b.open(s, t)
		for !c.done {
			if found, ok := c.fetch(); ok {
				c.end()
				return found, true
			}
		}
		c.end()
	}
	return storage.TID{}, false
}

// conflicts finds the row that ON CONFLICT DO UPDATE changes, and locks it.
func (b *Backend) conflicts(r *relation, m *stream.Message, tid storage.TID) error {
	w, t := b.w, r.local
	found, ok := b.conflicting(t, b.row(t, tid))
	if !ok || found != tid {
		b.Doubts[t.schema.QualifiedName()]++
	}
	w.needXID()
	key := false
	if s := b.statement; s.Set != nil {
		set := make([]bool, len(t.schema.Columns))
		for _, n := range s.Set {
			set[n] = true
		}
		key = b.setsKey(t, set)
	}
	t.heap.LockRow(tid, updateLock(key))
	t.heap.Pin(tid.Block) // it stays at hand until the row is updated
	return nil
}

// setsKey says whether columns that a statement sets are of a unique index that foreign
// keys could refer to (INDEX_ATTR_BITMAP_KEY).
func (b *Backend) setsKey(t *table, set []bool) bool {
	return slices.ContainsFunc(t.indexes, func(x *localIndex) bool {
		return x.schema.Unique && x.schema.Predicate == "" && !slices.ContainsFunc(x.schema.Keys, func(k schema.IndexKey) bool { return k.Column < 0 }) &&
			slices.ContainsFunc(x.schema.Keys, func(k schema.IndexKey) bool { return set[k.Column] })
	})
}

// rowTrigger says whether a trigger fires for each row before an event: it gets the row, which
// is locked.
func (t *table) rowTrigger(event string) bool {
	return slices.ContainsFunc(t.schema.Triggers, func(g schema.Trigger) bool {
		return g.Row && g.Timing == "before" && slices.Contains(g.Events, event)
	})
}

// Conflicts says without a trace whether a row with some values conflicts with one that is
// there, as ON CONFLICT of the current statement has it. Columns that are not given are
// taken to be NULL.
func (b *Backend) Conflicts(s *schema.Table, values map[int]datum.Value) bool {
	t := b.w.bySchema[s]
	row := rowOf(t, values)
	for _, x := range b.arbiters(t) {
		if slices.ContainsFunc(x.schema.Keys, func(k schema.IndexKey) bool { return k.Column < 0 || row[k.Column].Null }) {
			continue
		}
		x.projectPlain(row)
		entries := x.btree.Read(x.values[:len(x.schema.Keys)], nil)
		for tid, ok := entries.Next(); ok; tid, ok = entries.Next() {
			if _, ok := t.heap.Peek(tid); ok {
				return true
			}
		}
	}
	return false
}

// PassConflict comes to the row with which a row conflicts that is not inserted.
func (b *Backend) PassConflict(s *schema.Table, values map[int]datum.Value) {
	t := b.w.bySchema[s]
	b.conflicting(t, rowOf(t, values))
}

func rowOf(t *table, values map[int]datum.Value) []datum.Value {
	row := make([]datum.Value, len(t.schema.Columns))
	for i := range row {
		row[i].Null = true
		if v, ok := values[i]; ok {
			row[i] = v
		}
	}
	return row
}
