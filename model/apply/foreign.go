package apply

// Indexes of other access methods than btree and brin.

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
	"applysim/wal/storage"
)

// foreign is an index whose access method is not modelled: gin, gist, hash, spgist, or
// one of an extension. Its pages and its WAL are left out. What it does to its table is
// not: a change of one of its columns keeps an update from being HOT, and where the
// worker looks rows up in it, the heap pages of rows with the same key are visited.
type foreign struct {
	method  string
	entries int64 // rows that it got an entry for
	// equality says that it can look up equal keys. The rows are then found by a table of
	// hashes, or for a GiST index in a B-tree that writes no WAL.
	equality bool
}

// newForeign is newIndex for a method that is not modelled.
func (w *Worker) newForeign(t *table, li *localIndex) string {
	s, x := t.schema, li.schema
	what := fmt.Sprintf("%s indexes (%s)", x.Method, x.Name)
	if w.opts.Exact {
		return what
	}
	li.foreign = &foreign{method: x.Method}
	li.rel = w.log.RegisterIn(s.Schema, x.Name)
	li.values = make([]datum.Value, len(x.Keys))
	own := identityIndex(s) == x
	if w.equality(s, x, own) {
		w.standIn(t, li)
	}
	if x.WithoutOverlaps {
		w.assumed(Assumed{qualified(s.Schema, x.Name), "holds", "", "WITHOUT OVERLAPS: that ranges overlap is not checked"})
	}
	if own && li.btree == nil {
		return what + " as replica identity"
	}
	w.Warnings = append(w.Warnings, fmt.Sprintf("%s: the WAL and the pages of %s indexes are not modelled and left out; what they do to HOT updates is modelled",
		qualified(s.Schema, x.Name), x.Method))
	return ""
}

// equality says whether an index can look up equal keys: a hash index, and a GiST
// index as a key WITHOUT OVERLAPS, for an exclusion constraint with equality only, or
// with operator classes that translate equality. Source: REL_18_1,
// src/include/catalog/pg_amproc.dat (gist_translate_cmptype_common).
func (w *Worker) equality(s *schema.Table, x *schema.Index, own bool) bool {
	switch x.Method {
	case "hash":
		return true
	case "gist":
	default:
		return false
	}
	if own || equalityOnly(s, x) {
		return true
	}
	for _, k := range x.Keys {
		if k.Column < 0 {
			return false
		}
		switch base := s.Columns[k.Column].Type.Base(); base.Kind {
		case pgtype.KindRange, pgtype.KindMultirange, pgtype.KindInet, pgtype.KindCidr:
		default:
			if base.OpClass() == nil {
				return false // a geometric type; any other has its class from btree_gist
			}
		}
	}
	return true
}

// equalityOnly says whether an index is that of an exclusion constraint whose operators
// are all equality.
func equalityOnly(s *schema.Table, x *schema.Index) bool {
	for i := range s.Exclusions {
		e := &s.Exclusions[i]
		if e.Index != x {
			continue
		}
		for _, o := range e.Operators {
			if o != "=" {
				return false
			}
		}
		return true
	}
	return false
}

// standIn gives the index what finds its rows, if its keys have an order.
func (w *Worker) standIn(t *table, li *localIndex) {
	x := li.schema
	o := index.Options{Name: x.Name, Keys: len(x.Keys), Fillfactor: 90, Deduplicate: true}
	var columns []int
	var types []*pgtype.Type
	var cstring []bool
	for i, k := range x.Keys {
		c := &schema.Column{Name: k.Expr}
		if k.Column >= 0 {
			c = &t.schema.Columns[k.Column]
		} else {
			c.Type = li.exprs[i].Type()
		}
		attr := c.Type.Attr()
		class, err := w.keyClassNamed(t, li, i, c, "")
		if err != nil || class == nil {
			return
		}
		if class.CString {
			attr.Len, attr.Align = -2, 1
		}
		o.Columns = append(o.Columns, index.Column{Attr: attr, Class: class, Compression: w.compression(c)})
		columns, types, cstring = append(columns, k.Column), append(types, c.Type), append(cstring, class.CString)
	}
	li.columns, li.types, li.cstring = columns, types, cstring
	li.foreign.equality = true
	if x.Method == "hash" {
		if class := o.Columns[0].Class; class.Hash != nil {
			li.cstring[0] = false
			li.hash = &hashRows{class: class, heap: t.heap, rows: map[uint32][]storage.TID{}}
		}
		return
	}
	silent := wal.NewLog(wal.Options{SegmentSize: w.opts.Settings.SegmentSize})
	li.btree = index.NewBTree(o, silent, silent.Register(x.Name), t.heap)
	li.btree.MapColumns(li.columns)
}

// meet is a scan for rows that an exclusion constraint forbids, of which nothing is known
// but that it meets the row itself.
func (x *localIndex) meet(tid storage.TID, values []datum.Value) {
	for _, k := range x.schema.Keys {
		if k.Column >= 0 && values[k.Column].Null {
			return // no operator holds
		}
	}
	x.owner.idxScans++
	if _, ok, _ := x.owner.heap.Fetch(storage.InvalidBlock, tid); ok {
		x.owner.idxReads++
	}
}

// checked says whether an exclusion constraint can be checked, and notes if it is taken
// to hold.
func (w *Worker) checked(t *table, x *localIndex) bool {
	if x.foreign == nil || x.foreign.equality && equalityOnly(t.schema, x.schema) {
		return true
	}
	w.assumed(Assumed{qualified(t.schema.Schema, x.schema.Name), "holds", "",
		fmt.Sprintf("the exclusion constraint: its operators in %s indexes are not evaluated", x.schema.Method)})
	return false
}
