package index

// Deduplication, after nbtdedup.c.

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// bigList is the number of TIDs from which on the single-value strategy counts
// a posting list that could take no more as one of its six.
const bigList = 50

// pending is the posting list that a deduplication pass is collecting.
type pending struct {
	base    *item  // the tuple that it began with
	tuple   tuple  // the same for comparisons
	size    int    // of the base tuple without a posting list, bytes
	tids    []byte // collected so far, 6 bytes each
	items   int    // tuples merged, the base included
	maximum int    // maxpostingsize: bytes that the result may have
	full    int    // nmaxitems: lists of more than bigList TIDs that could take no more
}

// deduplicate merges equal items of leaf p into posting lists to make room for
// the key, and writes a record if any could be merged (_bt_dedup_pass).
func (t *BTree) deduplicate(k *key, p *page) {
	t.Counters.DedupPasses++
	t.Counters.DedupItems += int64(len(p.order))
	if !t.anyEqual(p) {
		return
	}
	d := &t.pending
	*d = pending{tids: d.tids, maximum: maxPostingSize}
	single := t.isSingleValue(k, p)
	merging := true
	merged := 0 // nintervals

	n := &t.scratch
	n.reset()
	if p.hasHigh {
		t.copyHigh(n, p)
	}
	for i := range p.order {
		it := p.at(i)
		if i == 0 {
			t.startPending(p, it)
			continue
		}
		if merging && t.mergesWithPending(p, it) {
			continue
		}
		merged += t.finishPending(n, p)
		if single {
			switch d.full {
			case 5:
				// Leave the sixth list smaller, for the coming split is to leave
				// a nearly full page.
				left := pageSpace - (k.size + storage.LinePointerSize) - pivotTIDSize
				reduction := int(float64(left) * ((100 - SingleValueFillfactor) / 100.0))
				d.maximum = max(d.maximum-reduction, 0)
			case 6:
				merging, single = false, false
			}
		}
		t.startPending(p, it)
	}
	merged += t.finishPending(n, p)
	if merged == 0 {
		return
	}
	t.Counters.DedupMerged += int64(len(p.order) - len(n.order))
	t.takeContents(p, n)
	p.lsn = t.log.Insert(wal.BtreeDedup, t.rel, p.block, wal.SizeOfDedupInterval*merged)
}

// anyEqual says whether two neighbours on the page are equal.
func (t *BTree) anyEqual(p *page) bool {
	for i := 1; i < len(p.order); i++ {
		a, b := p.at(i-1), p.at(i)
		if a.abbrev != b.abbrev {
			continue
		}
		u, v := t.tuple(p, a), t.tuple(p, b)
		if t.keepAttsFast(&u, &v) > t.opts.Keys {
			return true
		}
	}
	return false
}

// isSingleValue says whether the page holds nothing but duplicates of the key,
// as far as its first and last item show (_bt_do_singleval).
func (t *BTree) isSingleValue(k *key, p *page) bool {
	u := k.tuple(len(t.attrs))
	first, last := t.tuple(p, p.at(0)), t.tuple(p, p.at(len(p.order)-1))
	return t.keepAttsFast(&u, &first) > t.opts.Keys && t.keepAttsFast(&u, &last) > t.opts.Keys
}

// tuple is a view of the key for comparisons with items.
func (k *key) tuple(natts int) tuple {
	return tuple{abbrev: k.abbrev, whole: k.whole, nulls: k.nulls, data: k.data, natts: natts}
}

// startPending begins a new list with an item.
func (t *BTree) startPending(p *page, it *item) {
	d := &t.pending
	d.base, d.tuple, d.items = it, t.tuple(p, it), 1
	d.size = t.plainSize
	d.tids = d.tids[:0]
	if it.ref != 0 {
		e := p.entry(it.ref)
		d.size = e.size
		if e.flags&entryPosting != 0 {
			d.tids = append(d.tids, e.tids...)
			return
		}
	}
	d.tids = appendTID(d.tids, it.tid())
}

// mergesWithPending adds an item to the list if it is equal and there is room.
func (t *BTree) mergesWithPending(p *page, it *item) bool {
	d := &t.pending
	if it.abbrev != d.base.abbrev {
		return false
	}
	if u := t.tuple(p, it); t.keepAttsFast(&d.tuple, &u) <= t.opts.Keys {
		return false
	}
	list := p.postingTIDs(it)
	n := storage.TIDSize
	if list != nil {
		n = len(list)
	}
	if storage.MaxAlign(d.size+len(d.tids)+n) > d.maximum {
		if len(d.tids)/storage.TIDSize > bigList {
			d.full++
		}
		return false
	}
	d.items++
	if list != nil {
		d.tids = append(d.tids, list...)
	} else {
		d.tids = appendTID(d.tids, it.tid())
	}
	return true
}

// finishPending puts the list on the new page n and returns 1 if it merged
// items, 0 if it is its base as it was.
func (t *BTree) finishPending(n, p *page) int {
	d := &t.pending
	if d.items == 1 {
		t.copyItem(n, p, d.base)
		return 0
	}
	e := entry{size: d.size, natts: len(t.attrs)}
	if d.base.ref != 0 {
		e = p.entry(d.base.ref)
	} else {
		e.flags = entryWhole
	}
	e.flags |= entryPosting
	e.tids = d.tids
	it := *d.base
	it.ref = n.addEntry(&e)
	n.insertAt(len(n.order), it, t.size(n, &it))
	return 1
}

// copyHigh copies q's high key to p.
func (t *BTree) copyHigh(p, q *page) {
	e := q.entry(q.high.ref)
	t.setHigh(p, q.high, &e)
}

// setHigh gives an empty page its high key.
func (t *BTree) setHigh(p *page, it item, e *entry) {
	it.ref = p.addEntry(e)
	p.high, p.hasHigh = it, true
	p.free -= e.size + storage.LinePointerSize
}

// takeContents gives p the contents of the work page n.
func (t *BTree) takeContents(p, n *page) {
	p.items = append(p.items[:0], n.items...)
	p.order = append(p.order[:0], n.order...)
	p.slab = append(p.slab[:0], n.slab...)
	p.high, p.hasHigh, p.free, p.hint = n.high, n.hasHigh, n.free, n.hint
}
