package index

import "applysim/wal/storage"

// The memory of a leaf with plain items is arrays with room for as many as fit on it. A
// leaf with posting lists has fewer items, and the lists: both share one piece of memory,
// hardly larger than the page, whose parts are cut anew whenever all contents change.

// leafBlocks are the sizes of such a piece: items, their order, and the slab take up to
// two bytes less an item there than on the page, up to four more a list. What most leaves
// take is a page less what the page struct takes.
var leafBlocks = [2]int{storage.PageSize - pageMemory, storage.PageSize + 512}

// arrays are what a leaf with plain items had before it got posting lists.
type arrays struct {
	items []item
	los   []uint64
	order []uint16
}

// arrays gives a page that has no memory yet room for n items.
func (t *BTree) arrays(p *page, n int) {
	if last := len(t.spare) - 1; last >= 0 && p.leaf() && n <= cap(t.spare[last].items) {
		a := t.spare[last]
		t.spare = t.spare[:last]
		p.items, p.los, p.order = a.items, a.los, a.order
		return
	}
	p.items = storage.Give[item](&t.memory, n)
	if t.plan.wide {
		p.los = storage.Give[uint64](&t.memory, n)
	}
}

// latecomers is how many items may still come to a leaf of a rightmost split before it gets
// more memory.
const latecomers = 8

// moreItems gives leaf p, whose memory is full, room for as many items as may come.
func (t *BTree) moreItems(p *page) {
	t.enlarged++
	n := t.itemsExpected(len(p.items), p.free, t.plainSize)
	p.items = append(storage.Give[item](&t.memory, n), p.items...)
	if p.los != nil {
		p.los = append(storage.Give[uint64](&t.memory, n), p.los...)
	}
	if p.order != nil {
		p.order = append(storage.Give[uint16](t.log.Memory(), n), p.order...)
	}
}

// sharesMemory says whether the contents of work page n are those of a leaf with posting
// lists. room is how many items it may have in the end, kind the kind of block that they
// take.
func (t *BTree) sharesMemory(n *page) (room, kind int, ok bool) {
	if !t.plan.whole || !n.leaf() || n.partial || n.listMax == (storage.TID{}) {
		return 0, 0, false
	}
	room = t.itemsExpected(len(n.items), n.free, t.plainSize)
	words := 1 + 2*room + (room+3)/4 + (len(n.slab)+7)/8
	if t.plan.wide {
		words += room
	}
	for kind < len(leafBlocks) && 8*words > leafBlocks[kind] {
		kind++
	}
	return room, kind, kind < len(leafBlocks)
}

// cut gives leaf p memory for the contents of work page n: it cuts its block anew if they
// can share one.
func (t *BTree) cut(p, n *page) {
	room, kind, shared := t.sharesMemory(n)
	switch {
	case shared:
		if p.memory == nil && cap(p.items) >= t.itemsExpected(0, pageSpace, t.plainSize) {
			t.spare = append(t.spare, arrays{p.items[:0], p.los[:0:cap(p.los)], p.order[:0]})
		}
		if p.memory == nil || p.memory.Size() < leafBlocks[kind] {
			t.freeBlock(p)
			p.memory = t.block(kind)
		}
		a := p.memory.Cut()
		p.items = storage.Give[item](&a, room)
		if t.plan.wide {
			p.los = storage.Give[uint64](&a, room)
		}
		p.order = storage.Give[uint16](&a, room)
		p.slab = storage.Give[byte](&a, a.Rest())
	case p.memory != nil:
		t.freeBlock(p)
		p.items, p.los, p.order, p.slab = nil, nil, nil, nil
		t.arrays(p, t.itemsExpected(len(n.items), n.free, t.plainSize))
	}
	if len(n.slab) > cap(p.slab) {
		t.slabBytes(p, t.slabExpected(n, len(n.slab)))
	}
}

// block returns a block that no leaf has.
func (t *BTree) block(kind int) *storage.Block {
	free := &t.blocks[kind]
	if last := len(*free) - 1; last >= 0 {
		b := (*free)[last]
		*free = (*free)[:last]
		return b
	}
	return t.log.Memory().Block(leafBlocks[kind])
}

// freeBlock takes a leaf's block away, if it has one.
func (t *BTree) freeBlock(p *page) {
	if p.memory == nil {
		return
	}
	kind := 0
	if p.memory.Size() > leafBlocks[0] {
		kind = 1
	}
	t.blocks[kind] = append(t.blocks[kind], p.memory)
	p.memory = nil
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
