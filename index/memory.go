package index

import "applysim/wal/storage"

// memory hands out the arrays of pages from large chunks, so that a page costs
// what it holds and pages lie together.
type memory struct {
	items []item
	order []uint16
	los   []uint64
	bytes []byte
	chunk int // size of the newest chunks, in items or, for bytes, in 16 bytes
}

// The sizes of chunks, in items: the first one holds a page, each further one
// is twice as large.
const (
	firstChunk = 1 << 9
	lastChunk  = 1 << 17
)

// give returns an empty slice with room for n elements, cut from *chunk.
func give[T any](m *memory, chunk *[]T, n, scale int) []T {
	if cap(*chunk)-len(*chunk) < n {
		m.chunk = min(max(m.chunk*2, firstChunk), lastChunk)
		*chunk = storage.Large[T](max(m.chunk*scale, n))
	}
	at := len(*chunk)
	*chunk = (*chunk)[:at+n]
	return (*chunk)[at : at : at+n]
}

// arrays gives a page that has no memory yet room for n items.
func (t *BTree) arrays(p *page, n int) {
	m := &t.memory
	p.items = give(m, &m.items, n, 1)
	p.order = give(m, &m.order, n, 1)
	if t.plan.wide {
		p.los = give(m, &m.los, n, 1)
	}
}

// slabRoom is the memory that the slab of a full leaf takes, at most, if its
// keys are whole: posting lists and their headers.
const slabRoom = pageSpace + 512

// slabExpected is how many bytes the slab of a page like p may take in the end,
// if it takes used now.
func (t *BTree) slabExpected(p *page, used int) int {
	switch {
	case !t.plan.whole || !p.leaf():
		return used*9/8 + 128
	case p.listMax != storage.TID{}:
		return max(used, slabRoom)
	}
	return used + 32 // a high key, no more
}

// slabBytes gives a page a slab with room for n bytes.
func (t *BTree) slabBytes(p *page, n int) {
	p.slab = give(&t.memory, &t.memory.bytes, n, 16)
}

// itemsExpected is how many items a page may have in the end: what it has and
// as many as its free space takes, all of the given size.
func (t *BTree) itemsExpected(n, free, size int) int {
	if t.plan.whole {
		return n + free/(t.plainSize+storage.LinePointerSize) + 1
	}
	return n + free/(size+storage.LinePointerSize)*9/8 + 8
}
