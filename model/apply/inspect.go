package apply

// What the worker has decided, for those who explain it. Nothing here changes anything
// but counters of expressions and of values read from TOAST tables.

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// Mapping is an entry of the worker's relation map: how changes of a published table
// are applied to the local one, or to one of its partitions.
type Mapping struct {
	Remote *stream.Relation
	Table  *schema.Table
	Rel    wal.RelID
	// Columns has the message's column of each local one, -1 if the message has none;
	// Filled says where the values of the latter come from, "" for NULL.
	Columns []int
	Filled  []string

	Lookup    wal.RelID // the index by which rows are found, NoRelation for a scan of the table
	CheckRows bool      // rows that the index finds are compared whole
	ReadOnly  string    // why updates and deletes cannot be applied; "" if they can
	// Use says which key columns of Lookup narrow the search; nil for all.
	Use     []bool
	Choices []Choice
}

// Choice is an index and whether rows are found by it.
type Choice struct {
	Index  *schema.Index
	Rel    wal.RelID
	Chosen bool
	Why    string
}

// Mapping returns the relation map's entry for the publisher's relation id. rel is the
// local table that a row is in, for a partitioned table one of its leaves; NoRelation
// stands for the table itself. It returns false if there is none yet.
func (w *Worker) Mapping(id uint32, rel wal.RelID) (Mapping, bool) {
	r := w.relations[id]
	if r == nil || r.local == nil {
		return Mapping{}, false
	}
	if rel != wal.NoRelation && r.local.rel != rel {
		for _, to := range r.routes {
			if to.relation != nil && to.relation.local.rel == rel {
				return w.mapping(to.relation), true
			}
		}
		return Mapping{}, false
	}
	return w.mapping(r), true
}

func (w *Worker) mapping(r *relation) Mapping {
	t := r.local
	m := Mapping{Remote: r.remote, Table: t.schema, Rel: t.rel, Lookup: wal.NoRelation, CheckRows: r.checkRows, ReadOnly: r.readOnly}
	for i := range r.columns {
		c := &r.columns[i]
		m.Columns = append(m.Columns, c.remote)
		m.Filled = append(m.Filled, filled(&t.schema.Columns[i], c))
	}
	if r.lookup != nil {
		m.Lookup, m.Use = r.lookup.rel, r.lookup.use
	}
	for _, x := range t.indexes {
		c := Choice{Index: x.schema, Rel: x.rel, Chosen: x == r.lookup}
		c.Why = w.whyLookup(r, x)
		m.Choices = append(m.Choices, c)
	}
	return m
}

// filled says where the value of a column comes from that the message does not have.
func filled(c *schema.Column, lc *localColumn) string {
	switch {
	case lc.remote >= 0 || c.Dropped:
		return ""
	case c.Generated != 0:
		return "computed from other columns of the row: " + c.GeneratedExpr
	case lc.identity != nil:
		return "the next value of its identity sequence"
	case lc.expr != nil || !lc.def.Null:
		return "its default here: " + c.Default
	}
	return ""
}

// whyLookup says why rows are found by an index, or why not.
func (w *Worker) whyLookup(r *relation, x *localIndex) string {
	own := r.local.identity
	switch {
	case own != nil && x == own && x == replicaOf(r.local) && r.local.schema.ReplicaIdentity == 'i':
		return "the table's own replica identity on the subscriber names it (REPLICA IDENTITY USING INDEX)"
	case own != nil && x == own:
		return "it is the primary key of the subscriber's table"
	case own != nil && own.schema.Primary:
		return fmt.Sprintf("the primary key goes before all other indexes (%s)", own.schema.Name)
	case own != nil:
		return fmt.Sprintf("the table's own replica identity goes before all other indexes (%s)", own.schema.Name)
	}
	if why := w.unusable(r, x); why != "" {
		return why
	}
	if x == r.lookup {
		return "REPLICA IDENTITY FULL: it is the first usable index in the order of their OIDs, that is, of their creation; whether it finds few rows or many is not asked"
	}
	if r.readOnly != "" {
		return "no row can be looked for"
	}
	return fmt.Sprintf("it could be used, but %s was created before it; which of them would find fewer rows is not asked (no planner is at work)", r.lookup.schema.Name)
}

func replicaOf(t *table) *localIndex {
	for _, x := range t.indexes {
		if x.schema == replicaIndex(t.schema) {
			return x
		}
	}
	return nil
}

// localIndexOf returns the index with a relation id, nil if there is none.
func (w *Worker) localIndexOf(rel wal.RelID) *localIndex {
	for _, t := range w.tables {
		for _, x := range t.indexes {
			if x.rel == rel {
				return x
			}
		}
	}
	return nil
}

// IndexKey returns a row version's values in an index, and whether the index is for it:
// false if its predicate does not hold.
func (w *Worker) IndexKey(rel wal.RelID, tid storage.TID) (values []datum.Value, holds bool, err error) {
	x := w.localIndexOf(rel)
	if x == nil {
		return nil, false, fmt.Errorf("relation %d is no index", rel)
	}
	row := make([]datum.Value, len(x.owner.schema.Columns))
	x.owner.heap.Values(row, tid)
	if x.predicate != nil {
		if ok, err := x.holds(row); !ok {
			return nil, false, err
		}
	}
	if err := x.project(row); err != nil {
		return nil, false, err
	}
	for _, v := range x.values {
		v.Bytes = slices.Clone(v.Bytes)
		values = append(values, v)
	}
	return values, true, nil
}

// BTree returns an index, nil if it is none of the B-trees that are modelled.
func (w *Worker) BTree(rel wal.RelID) *index.BTree {
	if x := w.localIndexOf(rel); x != nil && x.foreign == nil {
		return x.btree
	}
	return nil
}

// ObserveSpooled makes the worker call f before and after each change of a streamed
// transaction that it applies from its spool file.
func (w *Worker) ObserveSpooled(f func(m *stream.Message, after bool)) { w.observe = f }

// Command returns the transaction id and the command id of the change that is being
// applied; the former is 0 as long as the transaction has changed nothing.
func (w *Worker) Command() (xid, command uint32) { return w.xacts.Current, w.command }

// Settings are the worker's settings, not to be changed.
func (w *Worker) Settings() *guc.Settings { return &w.opts.Settings }

// CountAll makes the worker count for itself what it otherwise counts for many changes
// at once: comparisons of searches in indexes, and what values look like. It is for those
// who want to know of one change.
func (w *Worker) CountAll(on bool) {
	w.countAll = on
	for _, t := range w.tables {
		if o := t.toaster; o != nil {
			o.index.btree.CountAll(on)
		}
		for _, x := range t.indexes {
			if x.btree != nil {
				x.btree.CountAll(on)
			}
		}
	}
	for _, r := range w.relations {
		r.leaves(func(r *relation) {
			for i := range r.columns {
				r.columns[i].every = on
			}
		})
	}
}

// Described returns the description that the publisher has sent of a table, nil if it has
// sent none.
func (w *Worker) Described(space, name string) *stream.Relation {
	for _, r := range w.relations {
		if r.remote.Namespace == space && r.remote.Name == name {
			return r.remote
		}
	}
	return nil
}

// Unlogged is the log that takes what changes of unlogged tables would write: nobody
// reads it, and none of it is WAL.
func (w *Worker) Unlogged() *wal.Log { return w.unlogged }
