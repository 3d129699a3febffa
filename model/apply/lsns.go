package apply

import (
	"applysim/heap"
	"applysim/wal"
)

// SetPageLSNs sets the LSNs of a relation's pages, from block 0 on, to what they
// were before the run. The relation goes by the name that records show.
func (w *Worker) SetPageLSNs(name string, lsns []wal.LSN) {
	for _, t := range w.tables {
		if w.log.Name(t.rel) == name {
			t.heap.SetLSNs(lsns)
		}
		for _, x := range t.indexes {
			if w.log.Name(x.rel) == name {
				switch {
				case x.brin != nil:
					x.brin.SetLSNs(lsns)
				case x.foreign == nil:
					x.btree.SetLSNs(lsns)
				}
			}
		}
		if o := t.toaster; o != nil {
			if w.log.Name(o.rel) == name {
				o.heap.SetLSNs(lsns)
			}
			if w.log.Name(o.index.rel) == name {
				o.index.btree.SetLSNs(lsns)
			}
		}
	}
}

// SetMapLSNs is SetPageLSNs for the free space map of a table that has rows before the
// run, or of a BRIN index.
func (w *Worker) SetMapLSNs(name string, lsns []wal.LSN) {
	w.ofHeap(name, func(h *heap.Table) { h.SetMapLSNs(lsns, nil) })
	for _, t := range w.tables {
		for _, x := range t.indexes {
			if x.brin != nil && w.log.Name(x.rel) == name {
				x.brin.SetMapLSNs(lsns)
			}
		}
	}
}

// SetVisibilityLSNs sets the LSNs of a table's visibility map.
func (w *Worker) SetVisibilityLSNs(name string, lsns []wal.LSN) {
	w.ofHeap(name, func(h *heap.Table) { h.SetMapLSNs(nil, lsns) })
}

// ofHeap does something with the table or TOAST table of a name.
func (w *Worker) ofHeap(name string, do func(*heap.Table)) {
	for _, t := range w.tables {
		if w.log.Name(t.rel) == name {
			do(t.heap)
		}
		if o := t.toaster; o != nil && w.log.Name(o.rel) == name {
			do(o.heap)
		}
	}
}
