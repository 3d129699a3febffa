package heap

import "applysim/wal/storage"

// Pages are kept in chunks that never move, so that a growing table is not copied and
// a reference to a page holds. A chunk is small enough to cost a small table nothing.
const (
	pageChunkBits = 4
	pageChunk     = 1 << pageChunkBits
)

// pageList is the pages of a table, by block. The zero value is empty.
type pageList struct {
	n      int
	chunks []*[pageChunk]page
}

// page returns a page that is there, made if it is one of loaded rows or has given its line
// pointers up.
//
// It is written so that it is inlined.
func (t *Table) page(block storage.BlockNumber) (p *page) {
	p = &t.pages.chunks[block>>pageChunkBits][block%pageChunk]
	if p.absent {
		t.make(p)
	}
	return p
}

// look returns a page that will only be read: one that gave its line pointers up as a copy
// that has them, so that it need not take them back.
func (t *Table) look(block storage.BlockNumber) *page {
	p := t.pages.at(block)
	if !p.absent || p.virtual() {
		return t.page(block)
	}
	whole := *p
	if t.looked == nil {
		t.looked = make([]linePointer, 0, MaxHeapTuplesPerPage)
	}
	whole.takeBack(t.looked[:0])
	return &whole
}

// virtual says whether the page is one of loaded rows that has not been made.
func (p *page) virtual() bool { return p.absent && p.even == 0 }

// at returns a page as it is, even if it has not been made.
func (l *pageList) at(block storage.BlockNumber) *page {
	return &l.chunks[block>>pageChunkBits][block%pageChunk]
}

// extend adds an empty page at the end.
func (l *pageList) extend() {
	if l.n%pageChunk == 0 {
		l.chunks = append(l.chunks, new([pageChunk]page))
	}
	l.chunks[l.n>>pageChunkBits][l.n%pageChunk] = newPage(storage.BlockNumber(l.n))
	l.n++
}

// truncate keeps the first n pages.
func (l *pageList) truncate(n int) {
	for b := n; b < l.n; b++ {
		l.chunks[b>>pageChunkBits][b%pageChunk] = page{}
	}
	l.n = n
	l.chunks = l.chunks[:(n+pageChunk-1)>>pageChunkBits]
}
