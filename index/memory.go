package index

import "applysim/wal/storage"

// arrays gives a page that has no memory yet room for n items.
func (t *BTree) arrays(p *page, n int) {
	m := t.log.Memory()
	p.items = storage.Give[item](m, n)
	if t.plan.wide {
		p.los = storage.Give[uint64](m, n)
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
	p.slab = storage.Give[byte](t.log.Memory(), n)
}

// itemsExpected is how many items a page may have in the end: what it has and
// as many as its free space takes, all of the given size.
func (t *BTree) itemsExpected(n, free, size int) int {
	if t.plan.whole {
		return n + free/(t.plainSize+storage.LinePointerSize) + 1
	}
	return n + free/(size+storage.LinePointerSize)*9/8 + 8
}
