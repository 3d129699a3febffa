package index

// Leaves of an index that was built: their items when they are touched first.

import "applysim/wal/storage"

// virtual is the number of sorted items of a leaf that has not been made: its entries
// are those of rows that the index was built on, or it is packed.
const virtual = -1

// make makes the items of a leaf that was built, or unpacks them.
func (t *BTree) make(p *page) {
	if p.packedAt != 0 {
		t.unpack(p)
		return
	}
	b := t.loaded
	s := b.spans[p.block]
	counters := t.Counters
	n := &b.page
	n.reset(0)
	if t.plan.wide && n.los == nil {
		n.los = []uint64{}
	}
	b.list.tids = b.list.tids[:0]
	for i := s.from; i < s.to; i++ {
		row := int(i)
		if b.entries != nil {
			row = int(b.entries[i])
		}
		t.buildKey(b, row, &b.key)
		if len(b.list.tids) > 0 && t.merges(b, &b.list, &b.key) {
			b.list.tids = appendTID(b.list.tids, b.key.tid)
			continue
		}
		b.finishList(t, n)
		b.list.begin(b, i)
	}
	b.finishList(t, n)
	t.Counters = counters

	free := int(s.free)
	high := p.entry0()
	if _, _, shared := t.sharesMemory(n); shared {
		if highAt, item, lo := p.highAt, p.high, p.highLo; p.hasHigh {
			n.setHigh(item, lo, &high)
			n.highAt = highAt
		}
		t.takeContents(p, n)
		t.checkMade(p, free)
		return
	}
	t.arrays(p, t.itemsExpected(len(n.items), free, (pageSpace-free)/max(len(n.items), 1)))
	slab := p.slab
	p.items = append(p.items, n.items...)
	if t.plan.wide {
		p.los = append(p.los, n.los...)
	}
	t.slabBytes(p, t.slabExpected(n, len(n.slab)+len(slab)))
	p.slab = append(p.slab, n.slab...)
	p.partial = n.partial
	used := pageSpace - n.free
	if p.hasHigh {
		p.high.ref = p.addEntry(&high)
		used += high.size + storage.LinePointerSize
	}
	p.sorted, p.most, p.last, p.listMax, p.hint = n.sorted, n.most, n.last, n.listMax, n.hint
	p.free = pageSpace - used
	t.checkMade(p, free)
}

// checkMade checks that a leaf which was made has as much free space as was known.
func (t *BTree) checkMade(p *page, free int) {
	if p.free != free {
		panic("index: rows that the index was built on are not the same when they are read again")
	}
	if t.checksums {
		t.sum(p)
	}
}

// entry0 is the entry of the high key, if there is one.
func (p *page) entry0() (e entry) {
	if p.hasHigh {
		e = p.entry(p.high.ref)
	}
	return e
}

// finishList puts what was collected on a leaf.
func (b *built) finishList(t *BTree, p *page) {
	if len(b.list.tids) > 0 {
		b.list.put(t, p)
		b.list.tids = b.list.tids[:0]
	}
}

// buildKey makes the key of a row.
func (t *BTree) buildKey(b *built, row int, k *key) {
	values, _, err := b.rows.Entry(row)
	if err == nil {
		err = t.form(k, values, b.rows.TID(row))
	}
	if err != nil {
		panic("index: a row that the index was built on cannot be read again: " + err.Error())
	}
}

// exactFree is PageGetExactFreeSpace, whether the page has been made or not.
func (t *BTree) exactFree(p *page) int {
	if p.sorted == virtual && p.packedAt == 0 {
		return int(t.loaded.spans[p.block].free)
	}
	return p.free
}

// anyDead says whether one of the heap TIDs of a leaf that has not been made is dead.
func (t *BTree) anyDead(p *page, dead func(storage.TID) bool) bool {
	b := t.loaded
	for i := b.spans[p.block].from; i < b.spans[p.block].to; i++ {
		row := int(i)
		if b.entries != nil {
			row = int(b.entries[i])
		}
		if dead(b.rows.TID(row)) {
			return true
		}
	}
	return false
}
