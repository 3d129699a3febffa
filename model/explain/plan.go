package explain

import (
	"bytes"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// mostPages is how many pages are looked at before and after, at most.
const mostPages = 64

// plan is what the first run has shown.
type plan struct {
	mapping apply.Mapping // of the table, or partition, in which the row is, or was looked for
	mapped  bool
	into    apply.Mapping // of the partition that it moves to
	moves   bool
	root    apply.Mapping // of the published table itself
	pages   []pageKey     // that records refer to
	tid     storage.TID   // of the new version
	keys    map[wal.RelID]indexKey
	lookup  []datum.Value // the leading key columns that are looked for

	// Found in the second run, before the change.
	paths map[wal.RelID][]index.PathStep
	found []index.PathStep // of the lookup
}

// indexKey is the new version's entry in an index.
type indexKey struct {
	values []datum.Value
	holds  bool // the index is for the row
}

// newPlan reads off a run what the second one must look at.
func newPlan(r *run) (*plan, error) {
	p := &plan{keys: map[wal.RelID]indexKey{}, paths: map[wal.RelID][]index.PathStep{}}
	u := r.unit
	m := u.message
	if m.Kind == stream.KindTruncate {
		return p, nil
	}
	seen := map[pageKey]bool{}
	var tables []wal.RelID // of the change's row, in order
	for i := range u.events {
		e := &u.events[i]
		if r.heaps[e.rec.Relation] && (len(tables) == 0 || tables[len(tables)-1] != e.rec.Relation) {
			tables = append(tables, e.rec.Relation)
		}
		if e.tid != (storage.TID{}) {
			p.tid = e.tid
		}
		if e.rec.Detail == nil || !r.drawn(e.rec.Relation) {
			continue
		}
		for _, b := range e.rec.Detail.Blocks {
			k := pageKey{e.rec.Relation, b.Block}
			if b.Fork == 0 && !(b.Block == 0 && !r.heaps[e.rec.Relation]) && !seen[k] && len(p.pages) < mostPages {
				seen[k] = true
				p.pages = append(p.pages, k)
			}
		}
	}
	p.root, p.mapped = r.w.Mapping(m.RelationID, wal.NoRelation)
	p.mapping = p.root
	if len(tables) > 0 {
		if at, ok := r.w.Mapping(m.RelationID, tables[0]); ok {
			p.mapping = at
		}
		if last := tables[len(tables)-1]; last != tables[0] {
			p.into, p.moves = r.w.Mapping(m.RelationID, last)
		}
	}
	if p.mapped && m.Kind != stream.KindInsert && p.mapping.Lookup != wal.NoRelation {
		p.lookup = lookupKey(&p.mapping, m)
	}
	if p.tid != (storage.TID{}) && u.err == nil {
		for _, c := range p.target().Choices {
			values, holds, err := r.w.IndexKey(c.Rel, p.tid)
			if err != nil {
				return nil, err
			}
			p.keys[c.Rel] = indexKey{values, holds}
		}
	}
	return p, nil
}

// target is the mapping of the table that gets the new version.
func (p *plan) target() *apply.Mapping {
	if p.moves {
		return &p.into
	}
	return &p.mapping
}

// drawn says whether a relation is a table or an index whose pages are looked at.
func (r *run) drawn(rel wal.RelID) bool {
	for _, t := range r.unit.before {
		if t.Rel == rel {
			return true
		}
		for _, x := range t.Indexes {
			if x.Rel == rel && x.BTree != nil {
				return true
			}
		}
	}
	return false
}

// lookupKey is what a lookup looks for in its index: the leading columns that narrow the
// search. It is nil if they cannot be read.
func lookupKey(m *apply.Mapping, msg *stream.Message) []datum.Value {
	tuple := msg.Old
	if msg.OldKind == stream.OldNone {
		tuple = msg.New
	}
	var values []datum.Value
	for _, c := range m.Choices {
		if c.Rel != m.Lookup {
			continue
		}
		for i, k := range c.Index.Keys {
			if m.Use != nil && !m.Use[i] {
				break
			}
			v := datum.Value{Null: true}
			n := m.Columns[k.Column]
			if n >= len(tuple) {
				return nil
			}
			if n >= 0 {
				var err error
				col, schema := &tuple[n], &m.Table.Columns[k.Column]
				switch col.Format {
				case stream.ColumnText:
					v, _, err = schema.Type.Input(col.Data, schema.Typmod, nil)
				case stream.ColumnBinary:
					v, _, err = schema.Type.Receive(col.Data, schema.Typmod, nil)
				}
				if err != nil {
					return nil
				}
				if schema.Type.Base().Name == "name" {
					v.Bytes, _, _ = bytes.Cut(v.Bytes, []byte{0})
				}
			}
			values = append(values, v)
		}
	}
	return values
}

// watch finds the descents and says which pages the second run looks at.
func (p *plan) watch(r *run) map[pageKey]bool {
	pages := map[pageKey]bool{}
	for _, k := range p.pages {
		pages[k] = true
	}
	along := func(rel wal.RelID, values []datum.Value, tid storage.TID) []index.PathStep {
		t := r.w.BTree(rel)
		if t == nil || values == nil {
			return nil
		}
		path := t.Path(values, tid)
		for _, s := range path {
			pages[pageKey{rel, s.Block}] = true
		}
		return path
	}
	p.found = along(p.mapping.Lookup, p.lookup, storage.TID{})
	for rel, k := range p.keys {
		if k.holds {
			p.paths[rel] = along(rel, k.values, p.tid)
		}
	}
	return pages
}
