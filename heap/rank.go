package heap

// How many rows a sequential scan passes before it comes to one, without
// scanning.

import (
	"math/bits"

	"applysim/wal/storage"
)

// fenwick is a Fenwick tree over pages: prefix sums of the number of rows.
type fenwick struct{ tree []int64 }

// add adds n to page i.
func (f *fenwick) add(i int, n int64) {
	for i++; i <= len(f.tree); i += i & -i {
		f.tree[i-1] += n
	}
}

// grow makes room for pages up to n, empty.
func (f *fenwick) grow(n int) {
	for i := len(f.tree) + 1; i <= n; i++ {
		// The node covers the pages after i - (i & -i): sum up its children.
		var sum int64
		for j := i - 1; j > i-(i&-i); j -= j & -j {
			sum += f.tree[j-1]
		}
		f.tree = append(f.tree, sum)
	}
}

// sum is the number of rows on the pages before page n.
func (f *fenwick) sum(n int) int64 {
	var s int64
	for ; n > 0; n -= n & -n {
		s += f.tree[n-1]
	}
	return s
}

// next is the first page from page i on that has any rows, len(f.tree) if none has.
func (f *fenwick) next(i int) int {
	rest := f.sum(i) // rows to pass; the next one is on the page looked for
	page := 0
	for step := 1 << bits.Len(uint(len(f.tree))); step > 0; step >>= 1 {
		if page+step <= len(f.tree) && f.tree[page+step-1] <= rest {
			page += step
			rest -= f.tree[page-1]
		}
	}
	return page
}

// CountRows makes the table keep count of the rows that a dirty snapshot sees on
// each page, which RowsBefore needs. It scans the table once, and again if it is
// called after a transaction has aborted.
func (t *Table) CountRows() {
	t.rows = nil // nobody knows which pages have none
	rows := &fenwick{}
	rows.grow(t.pages.n)
	t.Look(func(tid storage.TID) bool {
		rows.add(int(tid.Block), 1)
		return true
	})
	t.rows = rows
}

// justCounting has nothing change in passing, and forgets which transaction was looked up
// last, until the function that it returns is called.
func (t *Table) justCounting() (end func()) {
	x := t.xacts
	fetched, lsn := x.fetched, x.fetchedLSN
	t.counting = true
	return func() { t.counting, x.fetched, x.fetchedLSN = false, fetched, lsn }
}

// countRow notes that a page has n rows more.
func (t *Table) countRow(block storage.BlockNumber, n int64) {
	if t.rows == nil {
		return
	}
	t.rows.grow(t.pages.n)
	t.rows.add(int(block), n)
}

// RowsBefore is the number of rows that stand before tid in physical order.
// CountRows must have been called.
func (t *Table) RowsBefore(tid storage.TID) int64 {
	t.rows.grow(t.pages.n)
	defer t.justCounting()()
	n := t.rows.sum(int(tid.Block))
	p := t.page(tid.Block)
	for off := storage.OffsetNumber(1); off < tid.Offset; off++ {
		if p.items[off-1].flags() == lpNormal && t.visible(p, p.header(off)) {
			n++
		}
	}
	return n
}

// DeadBefore is the number of versions before tid on its page that nobody sees.
func (t *Table) DeadBefore(tid storage.TID) int64 {
	defer t.justCounting()()
	n := int64(0)
	p := t.page(tid.Block)
	for off := storage.OffsetNumber(1); off < tid.Offset; off++ {
		if p.items[off-1].flags() == lpNormal && !t.visible(p, p.header(off)) {
			n++
		}
	}
	return n
}

// Rows is the number of all rows. CountRows must have been called.
func (t *Table) Rows() int64 {
	t.rows.grow(t.pages.n)
	return t.rows.sum(t.pages.n)
}
