package view

import (
	"fmt"
	"strings"

	"applysim/heap"
	"applysim/index"
	"applysim/model/apply"
	"applysim/model/spelling"
	"applysim/wal"
	"applysim/wal/storage"
)

// Relation is a table, a TOAST table or an index of a subscriber: one of Heap, BTree
// and BRIN is there, none if its access method is not modelled.
type Relation struct {
	Name  string // as records show it
	Rel   wal.RelID
	Table *apply.TableState // the table that it is, or belongs to
	Heap  *heap.Table
	BTree *index.BTree
	BRIN  *index.BRIN
}

// Relations lists the relations of a subscriber: each table with its indexes, then its
// TOAST table with its index.
func Relations(w *apply.Worker) []Relation {
	var all []Relation
	tables := w.Tables()
	log := w.Log()
	for i := range tables {
		t := &tables[i]
		all = append(all, Relation{Name: log.Name(t.Rel), Rel: t.Rel, Table: t, Heap: t.Heap})
		for j := range t.Indexes {
			x := &t.Indexes[j]
			all = append(all, Relation{Name: log.Name(x.Rel), Rel: x.Rel, Table: t, BTree: x.BTree, BRIN: x.BRIN})
		}
		if t.Toast != nil {
			all = append(all,
				Relation{Name: log.Name(t.ToastRel), Rel: t.ToastRel, Table: t, Heap: t.Toast},
				Relation{Name: log.Name(t.ToastIndexRel), Rel: t.ToastIndexRel, Table: t, BTree: t.ToastIndex})
		}
	}
	return all
}

// Find returns the relation of a name, with or without its schema.
func Find(w *apply.Worker, name string) (Relation, error) {
	bare := strings.TrimPrefix(name, "public.")
	var found []Relation
	var names []string
	for _, r := range Relations(w) {
		names = append(names, r.Name)
		if r.Name == name || r.Name == bare {
			return r, nil
		}
		if _, last, ok := strings.Cut(r.Name, "."); ok && last == name {
			found = append(found, r)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Relation{}, fmt.Errorf("relation %q does not exist (nearest: %s)", name, spelling.Nearest(name, names))
	}
	return Relation{}, fmt.Errorf("relation %q is in several schemas: expected one of %s, %s", name, found[0].Name, found[1].Name)
}

// Pages is the relation's length in pages.
func (r *Relation) Pages() int {
	switch {
	case r.Heap != nil:
		return r.Heap.Pages()
	case r.BTree != nil:
		return r.BTree.Pages()
	case r.BRIN != nil:
		return r.BRIN.Pages()
	}
	return 0
}

// bytes writes out a page of a heap or a B-tree. block must be one that it has.
func (r *Relation) bytes(dst *Page, block storage.BlockNumber) error {
	if int(block) >= r.Pages() {
		return fmt.Errorf("block number %d is out of range for relation %q, which has %d", block, r.Name, r.Pages())
	}
	if r.Heap != nil {
		r.Heap.PageBytes(dst, block)
	} else {
		r.BTree.PageBytes(dst, block)
	}
	return nil
}

// PageHeader shows the header of a page, also of a metapage.
func (r *Relation) PageHeader(block storage.BlockNumber) (PageHeader, error) {
	if r.Heap == nil && r.BTree == nil {
		return PageHeader{}, r.wantBTree()
	}
	var page Page
	if err := r.bytes(&page, block); err != nil {
		return PageHeader{}, err
	}
	return DecodeHeader(&page), nil
}

// HeapPage shows a page of a table.
func (r *Relation) HeapPage(block storage.BlockNumber) (*HeapPage, error) {
	if r.Heap == nil {
		return nil, fmt.Errorf("%q is an index, expected a table", r.Name)
	}
	var page Page
	if err := r.bytes(&page, block); err != nil {
		return nil, err
	}
	return DecodeHeapPage(&page, block)
}

// BTreePage shows a page of a B-tree index.
func (r *Relation) BTreePage(block storage.BlockNumber) (*BTreePage, error) {
	if err := r.wantBTree(); err != nil {
		return nil, err
	}
	if block == 0 {
		return nil, fmt.Errorf("block 0 of %q is its metapage", r.Name)
	}
	var page Page
	if err := r.bytes(&page, block); err != nil {
		return nil, err
	}
	return DecodeBTreePage(&page, block)
}

// BTreeMeta shows the metapage of a B-tree index.
func (r *Relation) BTreeMeta() (*BTreeMeta, error) {
	if err := r.wantBTree(); err != nil {
		return nil, err
	}
	var page Page
	if err := r.bytes(&page, 0); err != nil {
		return nil, err
	}
	return DecodeBTreeMeta(&page)
}

func (r *Relation) wantBTree() error {
	switch {
	case r.BTree != nil:
		return nil
	case r.Heap != nil:
		return fmt.Errorf("%q is a table, expected a B-tree index", r.Name)
	case r.BRIN != nil:
		return fmt.Errorf("%q is a BRIN index, expected a B-tree index", r.Name)
	}
	return fmt.Errorf("the access method of %q is not modelled, expected a B-tree index", r.Name)
}
