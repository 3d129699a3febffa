package index

// Page splits and suffix truncation, after nbtinsert.c (_bt_split) and
// nbtutils.c (_bt_truncate).

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// postingSplit says that the item which is being inserted fell inside the
// posting list of the item at place at.
type postingSplit struct{ at int }

// splitLeaf splits leaf p so that the key can go to place at, inserts it and
// adds the downlink to the page above. The way to p must be in t.stack.
func (t *BTree) splitLeaf(k *key, p *page, at int, posting *postingSplit) {
	c := &t.Counters
	c.LeafSplits++
	c.SplitItems += int64(len(p.order))
	nu := k.tuple(len(t.attrs))
	first, newLeft := t.findSplit(p, nu, k.tid, at, k.size)

	// The tuples on either side of the split.
	lastLeft, lastTID := nu, k.tid
	if !(newLeft && at == first) {
		it := p.at(first - 1)
		lastLeft, lastTID = t.tuple(p, it), p.maxTID(it)
	}
	firstRight, block, firstBase := nu, k.tid.Block, k.size
	if newLeft || at != first {
		it := p.at(first)
		firstRight, block, firstBase = t.tuple(p, it), it.block, t.size(p, it)
		if p.posting(it) {
			// A posting list's tuple has its list's offset in place of a block.
			firstBase = p.entry(it.ref).size
			block = storage.BlockNumber(firstBase)
		}
	}
	high, highItem := t.truncate(&lastLeft, &firstRight, firstBase, lastTID)
	highItem.block = block

	right := t.newPage(0)
	t.linkRight(p, right)
	newItem := item{abbrev: k.abbrev, block: k.tid.Block, offset: k.tid.Offset}
	newEntry := entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data}
	withEntry := &newEntry
	if k.whole {
		withEntry = nil
	}
	rightBytes := t.distribute(p, right, first, at, newLeft, newItem, withEntry, highItem, &high)

	data := high.size + rightBytes
	if newLeft || posting != nil && posting.at < first {
		data += k.size
	}
	t.logSplit(p, right, newLeft, data)
	t.insertParent(p, right)
}

// logSplit writes the record of a split.
func (t *BTree) logSplit(p, right *page, newLeft bool, data int) {
	typ := wal.BtreeSplitR
	if newLeft {
		typ = wal.BtreeSplitL
	}
	if right.hasHigh {
		data += wal.ExtraBlockRef
	}
	if !p.leaf() {
		data += wal.ExtraBlockRef
	}
	p.lsn = t.log.Insert(typ, t.rel, p.block, data)
	right.lsn = p.lsn
	if right.hasHigh {
		t.pages[right.next].lsn = p.lsn
	}
}

// linkRight puts the new page right after p in its level.
func (t *BTree) linkRight(p, right *page) {
	right.prev, right.next = p.block, p.next
	if p.next != storage.InvalidBlock {
		t.pages[p.next].prev = right.block
	} else if p.leaf() {
		t.rightmost = right.block
	}
	p.next = right.block
}

// distribute shares out the items of p and the new one between p and right:
// old items from place first on go right. It returns the bytes of all items on
// the right page, its high key included, line pointers not.
func (t *BTree) distribute(p, right *page, first, at int, newLeft bool, nu item, nuEntry *entry, high item, highEntry *entry) int {
	// The left page is built aside, for p is still being read.
	left := &t.scratch
	left.reset()
	t.setHigh(left, high, highEntry)
	right.items = make([]item, 0, t.capacity(len(p.items)-first+1))
	right.order = make([]uint16, 0, cap(right.items))
	if p.hasHigh {
		t.copyHigh(right, p)
	}
	put := func(q *page) {
		c := nu
		if nuEntry != nil {
			c.ref = q.addEntry(nuEntry)
		}
		q.insertAt(len(q.order), c, t.size(q, &c))
	}
	hint := -1
	for i := range p.order {
		if i == at {
			if newLeft {
				put(left)
			} else {
				put(right)
				hint = len(right.order) - 1
			}
		}
		if i < first {
			t.copyItem(left, p, p.at(i))
		} else {
			t.copyItem(right, p, p.at(i))
		}
	}
	if at == len(p.order) {
		put(right)
		hint = len(right.order) - 1
	}
	if !p.leaf() {
		// The first item of an internal page is minus infinity: its key goes.
		it := right.at(0)
		right.free += t.size(right, it) - tupleHeaderSize
		it.abbrev = 0
		it.ref = right.addEntry(&entry{size: tupleHeaderSize})
	}
	if hint >= 0 {
		right.hint = hint
	}
	bytes := pageSpace - right.free - storage.LinePointerSize*(len(right.order)+right.first())
	t.takeContents(p, left)
	if newLeft {
		p.hint = min(at, len(p.order)-1)
	}
	return bytes
}

// capacity is how many items to make room for on a page that has n: as many as
// may ever be there if all are of the least size.
func (t *BTree) capacity(n int) int {
	if t.exact {
		return max(n, pageSpace/(t.plainSize+storage.LinePointerSize)+1)
	}
	return n + n/2
}

// truncate makes the high key of the left page of a leaf split from the first
// right tuple: without columns that are not needed to tell it from the last
// left one, and with that one's heap TID if all columns are equal. firstBase is
// the first right tuple's size without a posting list.
func (t *BTree) truncate(lastLeft, firstRight *tuple, firstBase int, lastTID storage.TID) (entry, item) {
	keys := t.opts.Keys
	keep := t.keepAtts(lastLeft, firstRight)
	natts := min(keep, keys)
	e := entry{natts: natts}
	it := item{}
	switch {
	case natts == len(t.attrs):
		// Nothing to cut off but a posting list.
		e.size, e.nulls, e.data = firstBase, firstRight.nulls, firstRight.data
		it.abbrev = firstRight.abbrev
		if firstRight.whole {
			e.flags |= entryWhole
			e.data = nil
		}
	case firstRight.whole:
		data := t.appendWhole(nil, firstRight.abbrev, natts)
		e.size = tupleSize(len(data), false)
		e.flags |= entryWhole
		it.abbrev = t.leading(firstRight.abbrev, natts)
	default:
		at := 0
		for i := range natts {
			_, at = t.next(firstRight, i, at)
		}
		e.data = firstRight.data[:at]
		e.nulls = firstRight.nulls & (1<<natts - 1)
		e.size = tupleSize(at, e.nulls != 0)
		it.abbrev = t.leading(firstRight.abbrev, natts)
	}
	if e.nulls != 0 {
		e.flags |= entryNulls
	}
	if keep > keys {
		e.flags |= entryPivotTID
		e.tid = lastTID
		e.size += pivotTIDSize
	}
	return e, it
}

// leading keeps the part of an abbreviated key that belongs to the first natts
// columns.
func (t *BTree) leading(abbrev uint64, natts int) uint64 {
	var mask uint64
	for i := range min(natts, len(t.abbrev.segments)) {
		s := &t.abbrev.segments[i]
		mask |= s.mask
		if s.hasFlag {
			mask |= 0xFF << s.flag
		}
	}
	return abbrev & mask
}

// splitInternal splits internal page p, into which a downlink goes at place at.
func (t *BTree) splitInternal(p *page, at int, it item, pivot *entry) {
	c := &t.Counters
	c.InternalSplits++
	c.SplitItems += int64(len(p.order))
	first, newLeft := t.findSplit(p, tuple{}, storage.TID{}, at, pivot.size)

	// The first right tuple becomes the left page's high key as it is.
	high, highEntry := it, *pivot
	if newLeft || at != first {
		high = *p.at(first)
		highEntry = p.entry(high.ref)
	}
	child := t.pages[t.pages[it.block].prev]
	right := t.newPage(p.level)
	t.linkRight(p, right)
	rightBytes := t.distribute(p, right, first, at, newLeft, it, pivot, high, &highEntry)
	data := highEntry.size + rightBytes
	if newLeft {
		data += pivot.size
	}
	t.logSplit(p, right, newLeft, data)
	child.lsn = p.lsn
	t.insertParent(p, right)
}
