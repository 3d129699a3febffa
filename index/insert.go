package index

// Insertion, after nbtinsert.c.

import (
	"errors"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// ErrDuplicate is what Insert returns for a row whose key a unique index has
// already.
var ErrDuplicate = errors.New("duplicate key value violates unique constraint")

// Insert adds an entry for a row version. values has a value for each column of
// the index, key columns first; it is only read during the call.
func (t *BTree) Insert(values []datum.Value, tid storage.TID) error {
	if err := t.form(values, tid); err != nil {
		return err
	}
	k := &t.key
	t.Counters.Inserts++
	if len(t.pages) == 1 {
		t.createRoot()
	}
	if t.opts.Unique && (k.nulls&(1<<t.opts.Keys-1) == 0 || t.opts.NullsNotDistinct) {
		return t.insertUnique(k)
	}
	p := t.findLeaf(k)
	t.binarySearch(p)
	if p.room() < k.size {
		t.makeRoom(k, p, false)
	}
	t.insertOn(k, p, -1)
	return nil
}

// insertOn inserts the key on leaf p, at place i or, if that is -1, wherever it
// belongs. Without posting lists that its heap TID could fall into, the place
// need not be known now.
func (t *BTree) insertOn(k *key, p *page, i int) {
	fits := p.room() >= k.size
	if i < 0 && (!fits || !p.listMax.Less(k.tid)) {
		i = t.place(k, p)
	}
	if i >= 0 && i < len(p.order) && p.posting(p.at(i)) && t.compare(k, p, p.order[i]) == 0 {
		t.insertIntoPosting(k, p, i)
		return
	}
	if !fits {
		if len(t.stack) == 0 && p.block != t.root {
			t.descend(k)
		}
		t.splitLeaf(k, p, i, nil)
		return
	}
	t.put(k, p, i)
	p.lsn = t.log.Insert(wal.BtreeInsertLeaf, t.rel, p.block, k.size)
	t.remember(p)
}

// put adds the key to leaf p, at place i or, if that is -1, without one.
func (t *BTree) put(k *key, p *page, i int) {
	it := item{hi: k.hi, block: k.tid.Block, offset: k.tid.Offset}
	if !k.whole {
		it.ref = p.addEntry(&entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data})
	}
	if i < 0 {
		p.append(it, k.lo, k.size)
		return
	}
	t.Counters.ItemsMoved += int64(len(p.order) - i)
	p.insertAt(i, it, k.lo, k.size)
}

func nullFlag(nulls uint32) uint8 {
	if nulls != 0 {
		return entryNulls
	}
	return 0
}

// remember keeps track of whether PostgreSQL would now remember p as the
// rightmost leaf.
func (t *BTree) remember(p *page) {
	if p.block == t.rightmost && p.block != t.root && t.pages[t.root].level >= fastPathMinLevel {
		t.remembered = true
	}
}

// createRoot makes the first page, a leaf that is the root.
func (t *BTree) createRoot() {
	p := t.newPage(0)
	t.arrays(p, t.itemsExpected(0, pageSpace, t.key.size))
	t.root, t.rightmost = p.block, p.block
	p.lsn = t.log.Insert(wal.BtreeNewRoot, t.rel, p.block, wal.SizeOfBtreeMetadata)
}

// insertUnique inserts the key unless there is an entry with the same columns.
func (t *BTree) insertUnique(k *key) error {
	t.Counters.UniqueChecks++
	tid := k.tid
	k.tid = storage.TID{} // before all equal entries
	p := t.findLeaf(k)
	t.binarySearch(p)
	i := -1
	if k.hi > p.most && (!p.hasHigh || k.hi < p.high.hi) {
		i = len(p.order) // greater than all
		if len(p.order) < len(p.items) {
			i = -1
		}
		k.tid = tid
	} else {
		i = t.place(k, p)
		k.tid = tid
		if err := t.checkUnique(k, p, i); err != nil {
			return err
		}
		// With its heap TID the key may belong on a page to the right.
		for t.beyond(k, p) {
			p, i = t.pages[p.next], -1
			t.stack = t.stack[:0]
		}
	}
	if p.room() < k.size {
		t.makeRoom(k, p, true)
		i = -1
	}
	t.insertOn(k, p, i)
	return nil
}

// checkUnique looks for an entry with the key's columns, from place i of page p
// on.
func (t *BTree) checkUnique(k *key, p *page, i int) error {
	for {
		if i < len(p.order) {
			if t.sameColumns(k, t.tuple(p, p.order[i])) {
				return ErrDuplicate
			}
			return nil
		}
		// Equal entries go on to the right if the high key is one of them.
		if !p.hasHigh || p.slab[p.high.ref+2]&entryPivotTID == 0 || !t.sameColumns(k, t.highTuple(p)) {
			return nil
		}
		p, i = t.pages[p.next], 0
		t.settle(p)
	}
}

// sameColumns says whether a tuple's key columns are all there and equal the
// key's.
func (t *BTree) sameColumns(k *key, u tuple) bool {
	if k.abbrev != u.abbrev || u.natts < t.opts.Keys {
		return false
	}
	return k.whole && u.whole || t.compareColumns(k, &u) == 0
}

// makeRoom tries to avoid a split of leaf p: deduplication, unless the index is
// unique and the key new, for then there is nothing to merge
// (_bt_delete_or_dedup_one_page).
func (t *BTree) makeRoom(k *key, p *page, checking bool) {
	if checking || !t.dedup {
		return
	}
	t.deduplicate(k, p)
}

// insertIntoPosting inserts a key whose heap TID falls inside item i's posting
// list: the list gets the new TID, and its last one becomes the new item's.
func (t *BTree) insertIntoPosting(k *key, p *page, i int) {
	t.Counters.PostingSplits++
	list := p.postingTIDs(p.at(i))
	n := len(list) / storage.TIDSize
	off := 0
	for off < n && getTID(list[off*storage.TIDSize:]).Less(k.tid) {
		off++
	}
	last := getTID(list[len(list)-storage.TIDSize:])
	swapTID(list, off, k.tid)
	k.tid = last
	if p.room() < k.size {
		if len(t.stack) == 0 && p.block != t.root {
			t.descend(k)
		}
		t.splitLeaf(k, p, i+1, &postingSplit{at: i})
		return
	}
	t.put(k, p, i+1)
	p.lsn = t.log.Insert(wal.BtreeInsertPost, t.rel, p.block, wal.SizeOfPostingOffset+k.size)
	t.remember(p)
}

// swapTID puts tid into a posting list at place off; the last one falls out.
func swapTID(list []byte, off int, tid storage.TID) {
	at := off * storage.TIDSize
	copy(list[at+storage.TIDSize:], list[at:len(list)-storage.TIDSize])
	putTID(list[at:], tid)
}

// insertParent adds the downlink to right, which was split off left, to the
// page above, splitting that too if need be (_bt_insert_parent).
func (t *BTree) insertParent(left, right *page) {
	pivot := left.entry(left.high.ref)
	if left.block == t.root {
		t.newLevel(left, right, &pivot)
		return
	}
	s := t.stack[len(t.stack)-1]
	t.stack = t.stack[:len(t.stack)-1]
	p, i := s.page, s.at+1
	it := item{hi: left.high.hi, block: right.block}
	if p.room() < pivot.size {
		t.splitInternal(p, i, it, left.highLo, &pivot)
		return
	}
	t.Counters.ItemsMoved += int64(len(p.order) - i)
	it.ref = p.addEntry(&pivot)
	p.insertAt(i, it, left.highLo, pivot.size)
	p.lsn = t.log.Insert(wal.BtreeInsertUpper, t.rel, p.block, pivot.size)
	left.lsn = p.lsn
}

// newLevel makes a new root above left, the old one, and right (_bt_newlevel).
func (t *BTree) newLevel(left, right *page, pivot *entry) {
	t.Counters.NewRoots++
	p := t.newPage(left.level + 1)
	t.arrays(p, 64)
	t.root = p.block
	p.push(item{block: left.block, ref: p.addEntry(&entry{size: tupleHeaderSize})}, 0, tupleHeaderSize)
	p.push(item{hi: left.high.hi, block: right.block, ref: p.addEntry(pivot)}, left.highLo, pivot.size)
	p.lsn = t.log.Insert(wal.BtreeNewRoot, t.rel, p.block,
		wal.ExtraBlockRef+wal.SizeOfBtreeMetadata+tupleHeaderSize+pivot.size)
	left.lsn = p.lsn
}
