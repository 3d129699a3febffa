package index

// Page splits and suffix truncation, after nbtinsert.c (_bt_split) and
// nbtutils.c (_bt_truncate).

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// postingSplit says that the item which is being inserted fell inside the
// posting list of the item at place at.
type postingSplit struct {
	at  int
	off int // place of the new TID in the list
}

// splitLeaf splits leaf p so that the key can go to place at, inserts it and
// adds the downlink to the page above. The way to p must be in t.stack.
func (t *BTree) splitLeaf(k *key, p *page, at int, posting *postingSplit) {
	c := &t.Counters
	c.LeafSplits++
	c.SplitItems += int64(len(p.items))
	nu := k.tuple(len(t.attrs))
	first, newLeft := t.findSplit(p, nu, k.tid, at, k.size)
	described := splitRecord{level: p.level, first: p.offset(first), at: p.offset(at)}
	if posting != nil && posting.at < first {
		described.posting = posting.off
	}

	// The tuples on either side of the split.
	lastLeft, lastTID := nu, k.tid
	if !(newLeft && at == first) {
		it := p.at(first - 1)
		lastLeft, lastTID = t.tuple(p, p.nth(first-1)), p.maxTID(it)
	}
	firstRight, block, firstBase := nu, k.tid.Block, k.size
	if newLeft || at != first {
		it := p.at(first)
		firstRight, block, firstBase = t.tuple(p, p.nth(first)), it.block, t.size(p, it)
		if p.posting(it) {
			// A posting list's tuple has its list's offset in place of a block.
			firstBase = p.entry(it.ref).size
			block = storage.BlockNumber(firstBase)
		}
	}
	high, short := t.truncate(&lastLeft, &firstRight, firstBase, lastTID)
	highItem := item{hi: short.hi, block: block}

	right := t.newPage(0)
	t.linkRight(p, right)
	newItem := item{hi: k.hi, block: k.tid.Block, offset: k.tid.Offset}
	newEntry := entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data}
	withEntry := &newEntry
	if k.whole {
		withEntry = nil
	}
	rightBytes := t.distribute(p, right, first, at, newLeft, newItem, k.lo, withEntry, highItem, short.lo, &high)

	data := high.size
	d := t.log.Detail()
	if newLeft || posting != nil && posting.at < first {
		data += k.size
		if d != nil {
			d.Data("the new item", k.size)
		}
	}
	if d != nil {
		d.Data("high key of the left page", high.size)
		described.describe(d)
	}
	t.logSplit(p, right, newLeft, data, rightBytes, nil)
	t.insertParent(p, right)
}

// logSplit writes the record of a split. left is the size of what it carries for
// the left page, right for the right one; child is the page whose downlink made
// an internal page split, nil for a leaf.
func (t *BTree) logSplit(p, right *page, newLeft bool, leftData, rightData int, child *page) {
	typ := wal.BtreeSplitR
	if newLeft {
		typ = wal.BtreeSplitL
	}
	p.incomplete, p.garbage, right.garbage = true, false, false
	p.checksum = 0 // the page is made anew (PageRestoreTempPage)
	image := wal.Image{}
	refs := 0
	var sibling *page
	if right.hasHigh {
		sibling = t.pages[right.next]
		refs += wal.ExtraBlockRef
		image.Add(t.imageOf(sibling))
	}
	if child != nil {
		child.incomplete = false
		refs += wal.ExtraBlockRef
		image.Add(t.imageOf(child))
	}
	if d := t.log.Detail(); d != nil {
		t.nameSplit(d, right, sibling, child, rightData)
	}
	t.writeWith(typ, p, leftData, refs+rightData, image)
	for _, q := range []*page{right, sibling, child} {
		if q != nil {
			q.lsn, q.dirty = p.lsn, true
		}
	}
}

// linkRight puts the new page right after p in its level.
func (t *BTree) linkRight(p, right *page) {
	right.prev, right.next = p.block, p.next
	if p.next != storage.InvalidBlock {
		t.makeSummed(t.pages[p.next])
		t.pages[p.next].prev = right.block
	} else if p.leaf() {
		t.rightmost = right.block
	}
	p.next = right.block
}

// distribute shares out the items of p and the new one between p and right:
// old items from place first on go right. It returns the bytes of all items on
// the right page, its high key included, line pointers not.
func (t *BTree) distribute(p, right *page, first, at int, newLeft bool, nu item, nuLo uint64, nuEntry *entry, high item, highLo uint64, highEntry *entry) int {
	plain := nuEntry == nil && t.allPlain(p)
	if plain && len(p.order) == 0 && p.memory == nil {
		return t.distributeArrived(p, right, first, at, newLeft, nu, nuLo, high, highLo, highEntry)
	}
	// The left page is built aside, for p is still being read.
	left := &t.scratch
	left.reset(p.level)
	left.setHigh(high, highLo, highEntry)
	size := t.plainSize
	if nuEntry != nil {
		size = nuEntry.size
	}
	leaving := first * (size + storage.LinePointerSize)
	if !plain {
		leaving = t.used(p, 0, first)
	}
	to := right
	ascending := plain && !newLeft && p.memory == nil && right.block == t.rightmost
	if aside := t.plan.whole && p.leaf() && p.listMax != (storage.TID{}); aside || ascending {
		// So is the right one: what memory it takes shows then, or what the left one leaves.
		right = &t.right
		right.reset(0)
	} else {
		t.arrays(right, t.itemsExpected(len(p.items)-first+1, p.free+leaving, size))
		t.slabBytes(right, t.slabExpected(p, len(p.slab)))
	}
	if p.hasHigh {
		right.copyHigh(p)
	}
	if plain {
		t.sharePlain(p, left, right, first, at, newLeft, nu, nuLo)
	} else {
		t.share(p, left, right, first, at, newLeft, nu, nuLo, nuEntry)
	}
	if !p.leaf() {
		// The first item of an internal page is minus infinity: its key goes.
		it := right.at(0)
		right.free += t.size(right, it) - tupleHeaderSize
		it.hi, right.his[0] = 0, 0
		if right.los != nil {
			right.los[right.nth(0)] = 0
		}
		it.ref = right.addEntry(&entry{size: tupleHeaderSize})
	}
	if !newLeft {
		right.hint = at - first
	}
	bytes := pageSpace - right.free - storage.LinePointerSize*(len(right.items)+right.first())
	t.takeContents(p, left)
	if ascending {
		// Few items come to the left page now: the right one has its memory.
		to.order, p.order = p.order, nil
		if t.giveUp(p) {
			t.takePacked(p)
		}
	}
	if to != right {
		if _, _, shared := t.sharesMemory(right); !shared {
			t.arrays(to, t.itemsExpected(len(right.items), right.free, t.plainSize))
		}
		t.takeContents(to, right)
	}
	to.low = high.hi
	if newLeft {
		p.hint = min(at, len(p.items)-1)
	}
	return bytes
}

// share is the part of distribute that shares out the items. nuEntry is the new
// item's slab entry, nil if it has none.
func (t *BTree) share(p, left, right *page, first, at int, newLeft bool, nu item, nuLo uint64, nuEntry *entry) {
	put := func(q *page) {
		c, size := nu, t.plainSize
		if nuEntry != nil {
			c.ref, size = q.addEntry(nuEntry), nuEntry.size
		}
		t.push(q, c, nuLo, size)
	}
	for i := range p.items {
		n := p.nth(i)
		if i == at {
			if newLeft {
				put(left)
			} else {
				put(right)
			}
		}
		if i < first {
			t.copyItem(left, p, n)
		} else {
			t.copyItem(right, p, n)
		}
	}
	if at == len(p.items) {
		put(right)
	}
}

// used is the bytes of items from place from up to place to, line pointers
// included.
func (t *BTree) used(p *page, from, to int) int {
	n := 0
	for i := from; i < to; i++ {
		n += t.size(p, p.at(i)) + storage.LinePointerSize
	}
	return n
}

// truncate makes the high key of the left page of a leaf split from the first
// right tuple: without columns that are not needed to tell it from the last
// left one, and with that one's heap TID if all columns are equal. firstBase is
// the first right tuple's size without a posting list.
func (t *BTree) truncate(lastLeft, firstRight *tuple, firstBase int, lastTID storage.TID) (entry, abbrev) {
	keys := t.opts.Keys
	keep := t.keepAtts(lastLeft, firstRight)
	natts := min(keep, keys)
	e := entry{natts: natts}
	short := firstRight.abbrev
	if natts < len(t.attrs) {
		short = t.leading(short, natts)
	}
	switch {
	case firstRight.whole:
		e.size = tupleSize(t.wholeSize(natts), false)
		e.flags |= entryWhole
	case natts == len(t.attrs):
		// Nothing to cut off but a posting list.
		e.size, e.nulls, e.data = firstBase, firstRight.nulls, firstRight.data
	default:
		at := 0
		for i := range natts {
			_, at = t.column(firstRight, i, at)
		}
		e.data = firstRight.data[:at]
		e.nulls = firstRight.nulls & (1<<natts - 1)
		e.size = tupleSize(at, e.nulls != 0)
	}
	e.flags |= nullFlag(e.nulls)
	if keep > keys {
		e.flags |= entryPivotTID
		e.tid = lastTID
		e.size += pivotTIDSize
	}
	return e, short
}

// splitInternal splits internal page p, into which a downlink goes at place at.
func (t *BTree) splitInternal(p *page, at int, it item, lo uint64, pivot *entry) {
	c := &t.Counters
	c.InternalSplits++
	c.SplitItems += int64(len(p.items))
	first, newLeft := t.findSplit(p, tuple{}, storage.TID{}, at, pivot.size)
	described := splitRecord{level: p.level, first: p.offset(first), at: p.offset(at)}

	// The first right tuple becomes the left page's high key as it is.
	high, highLo, highEntry := it, lo, *pivot
	if newLeft || at != first {
		n := p.nth(first)
		high, highLo = p.items[n], p.lo(n)
		highEntry = p.entry(high.ref)
	}
	child := t.pages[t.pages[it.block].prev]
	right := t.newPage(p.level)
	t.linkRight(p, right)
	rightBytes := t.distribute(p, right, first, at, newLeft, it, lo, pivot, high, highLo, &highEntry)
	data := highEntry.size
	d := t.log.Detail()
	if newLeft {
		data += pivot.size
		if d != nil {
			d.Data("the new downlink", pivot.size)
		}
	}
	if d != nil {
		d.Data("high key of the left page", highEntry.size)
		described.describe(d)
	}
	t.logSplit(p, right, newLeft, data, rightBytes, child)
	t.insertParent(p, right)
}
