package index

// Deduplication, after nbtdedup.c.

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// bigList is the number of TIDs from which on the single-value strategy counts
// a posting list that could take no more as one of its six.
const bigList = 50

// pending is the posting list that a deduplication pass is collecting.
type pending struct {
	base    uint16 // number of the item that it began with
	size    int    // of the base tuple without a posting list, bytes
	tids    int    // bytes of the TIDs collected so far
	ref     int    // where the list stands in the new page's slab, once there is more than the base
	items   int    // tuples merged, the base included
	maximum int    // maxpostingsize: bytes that the result may have
	full    int    // nmaxitems: lists of more than bigList TIDs that could take no more
}

// deduplicate merges equal items of leaf p into posting lists to make room for
// the key, and writes a record if any could be merged (_bt_dedup_pass). After a
// bottom-up deletion that did not free enough, the single-value strategy is not
// considered.
func (t *BTree) deduplicate(k *key, p *page, bottomUp bool) {
	t.Counters.DedupPasses++
	t.Counters.DedupItems += int64(len(p.items))
	whole := t.plan.whole && !p.partial
	var tail []sortItem
	moved := 0
	if whole && t.sortArrived(p, &moved) {
		tail = t.tail.a
		t.countEqual(&t.merging, p, tail)
	} else {
		t.settle(p)
		t.countEqual(&t.merging, p, nil)
		if whole && !p.anyEqualWhole() || !whole && !t.anyEqual(p) {
			t.Counters.DedupTIDs += p.tids()
			return
		}
	}
	n := &t.scratch
	n.reset(0)
	if whole && cap(n.slab) < slabRoom {
		t.slabBytes(n, slabRoom)
	}
	if p.hasHigh {
		n.copyHigh(p)
	}
	single := !bottomUp && t.isSingleValue(k, p, tail)
	merged := 0 // nintervals
	if whole {
		merged = t.mergeWhole(n, p, tail, k, single)
	} else {
		t.Counters.DedupTIDs += p.tids()
		merged = t.merge(n, p, k, single)
	}
	if merged == 0 {
		return
	}
	t.Counters.ItemsMoved += int64(moved)
	t.Counters.DedupMerged += int64(len(p.items) - len(n.items))
	t.takeContents(p, n)
	p.garbage = false
	p.checksum = 0 // the page is made anew (PageRestoreTempPage)
	if d := t.log.Detail(); d != nil {
		d.Describe("nintervals: %d", merged)
	}
	t.write(wal.BtreeDedup, p, wal.SizeOfDedupInterval*merged)
}

// merge merges p's items into the empty page n and returns the number of posting
// lists that were made or grew. single says that the single-value strategy applies;
// k is the key that needs room.
func (t *BTree) merge(n, p *page, k *key, single bool) (merged int) {
	d := &t.pending
	*d = pending{maximum: maxPostingSize}
	merging := true
	t.startPending(p, p.nth(0))
	for i := 1; i < len(p.items); i++ {
		it := p.nth(i)
		if merging && p.items[it].hi == p.items[d.base].hi && t.equalItems(p, d.base, it) && t.mergesWithPending(n, p, it) {
			continue
		}
		merged += t.finishPending(n, p)
		if single {
			switch d.full {
			case 5:
				d.maximum = sixthMaximum(d.maximum, k)
			case 6:
				merging, single = false, false
			}
		}
		t.startPending(p, it)
	}
	return merged + t.finishPending(n, p)
}

// sixthMaximum is the size that the sixth full posting list of a value may have: it
// is smaller, for the coming split is to leave a nearly full page.
func sixthMaximum(maximum int, k *key) int {
	left := pageSpace - (k.size + storage.LinePointerSize) - pivotTIDSize
	reduction := int(float64(left) * ((100 - SingleValueFillfactor) / 100.0))
	return max(maximum-reduction, 0)
}

// tids is the number of heap TIDs on a leaf.
func (p *page) tids() int64 {
	n := int64(len(p.items))
	if p.listMax == (storage.TID{}) {
		return n // no posting lists
	}
	for i := range p.items {
		if ref := p.items[i].ref; ref != 0 {
			if b := p.slab[ref:]; b[2]&entryPosting != 0 {
				n += int64(binary.LittleEndian.Uint16(b[entryHeader:])) - 1
			}
		}
	}
	return n
}

// anyEqual says whether two neighbours on the page are equal.
func (t *BTree) anyEqual(p *page) bool {
	for i := 1; i < len(p.items); i++ {
		if p.at(i-1).hi != p.at(i).hi {
			continue
		}
		if t.equalItems(p, p.nth(i-1), p.nth(i)) {
			return true
		}
	}
	return false
}

// isSingleValue says whether the page holds nothing but duplicates of the key,
// as far as its first and last item show (_bt_do_singleval).
func (t *BTree) isSingleValue(k *key, p *page, tail []sortItem) bool {
	if len(tail) > 0 {
		// All keys are whole, and of one number.
		first, last := min(tail[0].hi, p.at(0).hi), max(tail[len(tail)-1].hi, p.at(p.sorted-1).hi)
		return k.whole && k.hi == first && k.hi == last
	}
	u := k.tuple(len(t.attrs))
	first, last := t.tuple(p, p.nth(0)), t.tuple(p, p.nth(len(p.items)-1))
	return t.keepAttsFast(&u, &first) > t.opts.Keys && t.keepAttsFast(&u, &last) > t.opts.Keys
}

// tuple is a view of the key for comparisons with items.
func (k *key) tuple(natts int) tuple {
	return tuple{abbrev: k.abbrev, whole: k.whole, nulls: k.nulls, data: k.data, natts: natts}
}

// startPending begins a new list with an item.
func (t *BTree) startPending(p *page, n uint16) {
	d := &t.pending
	d.base, d.items = n, 1
	d.size, d.tids = t.plainSize, storage.TIDSize
	if ref := p.items[n].ref; ref != 0 {
		b := p.slab[ref:]
		d.size = int(binary.LittleEndian.Uint16(b))
		if b[2]&entryPosting != 0 {
			d.tids = storage.TIDSize * int(binary.LittleEndian.Uint16(b[entryHeader:]))
		}
	}
}

// mergesWithPending adds an item that equals the list's base to it if there is
// room. The list grows at the end of the slab of the new page n.
func (t *BTree) mergesWithPending(n, p *page, i uint16) bool {
	d := &t.pending
	it := &p.items[i]
	list := p.postingTIDs(it)
	more := storage.TIDSize
	if list != nil {
		more = len(list)
	}
	if storage.MaxAlign(d.size+d.tids+more) > d.maximum {
		if d.tids/storage.TIDSize > bigList {
			d.full++
		}
		return false
	}
	if d.items == 1 {
		t.openPending(n, p)
	}
	d.items++
	d.tids += more
	if list != nil {
		n.slab = append(n.slab, list...)
	} else {
		n.slab = appendTID(n.slab, it.tid())
	}
	return true
}

// equalItems says whether two items that begin alike have equal columns.
func (t *BTree) equalItems(p *page, i, j uint16) bool {
	if p.los == nil && p.whole(&p.items[i]) && p.whole(&p.items[j]) {
		return true
	}
	u, v := t.tuple(p, i), t.tuple(p, j)
	return t.keepAttsFast(&u, &v) > t.opts.Keys
}

// openPending begins the list on the new page n with its base.
func (t *BTree) openPending(n, p *page) {
	d := &t.pending
	u := t.tuple(p, d.base)
	e := entry{size: d.size, flags: entryPosting | nullFlag(u.nulls), natts: u.natts, nulls: u.nulls, data: u.data}
	if u.whole {
		e.flags |= entryWhole
	}
	it := &p.items[d.base]
	if e.tids = p.postingTIDs(it); e.tids == nil {
		var one [storage.TIDSize]byte
		putTID(one[:], it.tid())
		e.tids = one[:]
	}
	d.ref = int(n.addEntry(&e))
}

// finishPending puts the list on the new page n and returns 1 if it merged
// items, 0 if it is its base as it was.
func (t *BTree) finishPending(n, p *page) int {
	d := &t.pending
	if d.items == 1 {
		t.copyItem(n, p, d.base)
		return 0
	}
	binary.LittleEndian.PutUint16(n.slab[d.ref+entryHeader:], uint16(d.tids/storage.TIDSize))
	it := p.items[d.base]
	it.ref = uint16(d.ref)
	n.noteList(n.slab[len(n.slab)-d.tids:])
	t.push(n, it, p.lo(d.base), storage.MaxAlign(d.size+d.tids))
	return 1
}

// setHigh gives an empty page its high key.
func (p *page) setHigh(it item, lo uint64, e *entry) {
	it.ref = p.addEntry(e)
	p.high, p.highLo, p.hasHigh, p.highAt = it, lo, true, 0
	p.free -= e.size + storage.LinePointerSize
}

// copyHigh copies q's high key to p.
func (p *page) copyHigh(q *page) {
	e := q.entry(q.high.ref)
	p.setHigh(q.high, q.highLo, &e)
}

// takeContents gives p the contents of the work page n.
func (t *BTree) takeContents(p, n *page) {
	t.cut(p, n)
	p.items = append(p.items[:0], n.items...)
	p.order = p.order[:0]
	p.sorted, p.last, p.disordered, p.partial = n.sorted, n.last, false, n.partial
	p.his = append(p.his[:0], n.his...)
	if cap(p.slab) >= slabRoom && cap(n.slab) >= slabRoom {
		p.slab, n.slab = n.slab, p.slab // either has room for any page
	} else {
		p.slab = append(p.slab[:0], n.slab...)
	}
	if t.plan.wide {
		p.los = append(p.los[:0], n.los...)
	}
	p.high, p.highLo, p.hasHigh, p.highAt = n.high, n.highLo, n.hasHigh, n.highAt
	p.free, p.hint, p.most, p.listMax = n.free, n.hint, n.most, n.listMax
}
