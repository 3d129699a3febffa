package apply

// Indexes of other access methods than btree and brin.

import (
	"fmt"
	"math"
	"strings"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/accessmethod"
	"applysim/model/guc"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
	"applysim/wal/storage"
)

// foreign is an index whose access method is not modelled page by page: gin, gist, hash,
// spgist, or one of an extension. What it writes and costs is estimated. What it does to its
// table is exact: a change of one of its columns keeps an update from being HOT, and where
// the worker looks rows up in it, the heap pages of rows with the same key are visited.
type foreign struct {
	method  string
	entries int64 // rows that it got an entry for
	am      accessmethod.Index
	texts   []int         // columns whose words stand for what an expression that cannot be computed gives
	values  []datum.Value // work space
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
	w.estimate(t, li)
	own := identityIndex(s) == x
	if w.equality(s, x, own) {
		w.standIn(t, li)
	}
	if x.WithoutOverlaps {
		w.assumed(qualified(s.Schema, x.Name), "holds", "", "WITHOUT OVERLAPS: that ranges overlap is not checked")
	}
	if own && li.btree == nil {
		return what + " as replica identity"
	}
	w.Warnings = append(w.Warnings, fmt.Sprintf("%s: WAL and CPU of %s indexes are estimates; what they do to HOT updates is exact",
		qualified(s.Schema, x.Name), x.Method))
	return ""
}

// estimate makes what says how much the index writes.
func (w *Worker) estimate(t *table, li *localIndex) {
	x, f := li.schema, li.foreign
	log, rel := w.logOf(t.schema, li.rel)
	o := accessmethod.Options{
		Method: x.Method, Fillfactor: x.Fillfactor, Log: log, Rel: rel, WorkMem: w.opts.Settings.Vacuum.WorkMem,
		EmptyRows: emptyRows(t.schema), FastUpdate: true, PendingListLimit: w.opts.Settings.GINPendingListLimit,
	}
	for name, value := range x.Options {
		switch strings.ToLower(name) {
		case "fastupdate":
			if on, err := guc.ParseBool(value); err == nil {
				o.FastUpdate = on
			}
		case "gin_pending_list_limit":
			if n, err := guc.ParseSize(value, 1<<10, 64<<10, math.MaxInt32<<10); err == nil {
				o.PendingListLimit = n
			}
		}
	}
	for i, k := range x.Keys {
		c := accessmethod.Column{OpClass: k.OpClass, Known: true}
		switch {
		case k.Column >= 0:
			c.Type = t.schema.Columns[k.Column].Type
		case li.opaque != nil && li.opaque[i] || li.exprs[i].Type() == nil:
			c.Type, c.Known = pgtype.Lookup("text"), false
			for _, n := range li.exprs[i].Columns() {
				f.texts = append(f.texts, n)
			}
			if strings.Contains(k.Expr, "to_tsvector") {
				c.OpClass = accessmethod.Words
			}
		default:
			c.Type = li.exprs[i].Type()
		}
		o.Columns = append(o.Columns, c)
		li.columns = append(li.columns, k.Column)
		li.cstring = append(li.cstring, false)
	}
	f.values = make([]datum.Value, len(x.Keys))
	f.am = accessmethod.New(o)
}

// emptyRows is how many rows a server takes a table without pages to have: those of ten
// pages (table_block_relation_estimate_size, get_typavgwidth).
func emptyRows(s *schema.Table) int {
	const pages, overhead = 10, 24 + 4
	width := 0
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Dropped {
			continue
		}
		n := int(c.Attr().Len)
		if n <= 0 {
			n = 32
			base := c.Type.Base()
			if limit := int(c.Typmod) - 4; c.Typmod > 4 {
				switch {
				case base.Kind == pgtype.KindBpchar:
					n = limit
				case base.Kind == pgtype.KindVarchar && limit <= 32:
					n = limit
				case base.Kind == pgtype.KindVarchar:
					n = 32 + (min(limit, 1000)-32)/2
				}
			}
		}
		width += n
	}
	fillfactor := s.Fillfactor
	if fillfactor == 0 {
		fillfactor = 100
	}
	return pages * max(1, (storage.PageSize-24)*fillfactor/100/(width+overhead))
}

// index adds a row version to the estimate.
func (f *foreign) index(x *localIndex, values []datum.Value, tid storage.TID) error {
	f.entries++
	if err := x.project(values); err != nil {
		return err
	}
	copy(f.values, x.values)
	f.words(x, values)
	f.am.Insert(f.values, tid)
	return nil
}

// words puts the texts that an expression is made of in the place of its value, where that
// cannot be computed.
func (f *foreign) words(x *localIndex, values []datum.Value) {
	if len(f.texts) == 0 {
		return
	}
	var b []byte
	for _, n := range f.texts {
		if v := x.owner.plain(&values[n]); !v.Null {
			b = append(append(b, v.Bytes...), ' ')
		}
	}
	for i, k := range x.schema.Keys {
		if k.Column < 0 && x.opaque != nil && x.opaque[i] {
			f.values[i] = datum.Value{Bytes: b}
		}
	}
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
	w.assumed(qualified(t.schema.Schema, x.schema.Name), "holds", "",
		fmt.Sprintf("the exclusion constraint: its operators in %s indexes are not evaluated", x.schema.Method))
	return false
}
