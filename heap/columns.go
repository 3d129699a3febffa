package heap

// Columns that a table gets when it has rows, after heaptuple.c (getmissingattr): the
// rows are left as they are, with fewer columns, and read as if they had the default.

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// grown is what the table was before it got a column.
type grown struct {
	xid     uint32 // versions of earlier transactions
	columns int    // have so many columns
	missing []datum.Value
}

// AddColumns gives the table further columns; attrs are those of all. missing are the
// values that rows have there which are older than the current transaction.
func (t *Table) AddColumns(attrs []datum.Attr, missing []datum.Value) {
	t.grown = append(t.grown, grown{t.xacts.Current, len(t.opts.Attrs), missing})
	t.opts.Attrs, t.comparable = attrs, len(attrs)
	for _, a := range attrs {
		t.toastable = t.toastable || a.Len == -1 && a.Storage != 'p'
		t.varWidth = t.varWidth || a.Len < 0
	}
	t.shortest = shortestBody(attrs)
	t.old = make([]datum.Value, len(attrs))
	t.contained = make([]datum.Value, len(attrs))
	t.modified = make([]bool, len(attrs))
}

// columnsOf is how many columns a version has.
func (t *Table) columnsOf(p *page, off storage.OffsetNumber) int {
	for i := range t.grown {
		if p.header(off).xmin < t.grown[i].xid {
			return t.grown[i].columns
		}
	}
	return len(t.opts.Attrs)
}

// read reads the columns of a version.
func (t *Table) read(dst []datum.Value, p *page, off storage.OffsetNumber) {
	body, nulls := p.body(off), p.items[off-1].nulls()
	if t.grown == nil {
		t.decode(dst, body, nulls)
		return
	}
	decode(dst, body, nulls, t.opts.Attrs[:t.columnsOf(p, off)])
	for i := range t.grown {
		if g := &t.grown[i]; p.header(off).xmin < g.xid {
			copy(dst[g.columns:], g.missing)
		}
	}
}
