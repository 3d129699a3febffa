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
	checking := t.opts.Unique && (k.nulls&(1<<t.opts.Keys-1) == 0 || t.opts.NullsNotDistinct)
	var p *page
	i := -1
	if checking {
		var err error
		if p, i, err = t.checkUnique(k); err != nil {
			return err
		}
	} else {
		p = t.findLeaf(k)
	}
	if p.room() < k.size {
		t.makeRoom(k, p, checking)
		i = -1
	}
	if i < 0 {
		i = t.place(k, p)
	}
	if i < len(p.order) && p.posting(p.at(i)) && t.compare(k, p, p.at(i)) == 0 {
		t.insertIntoPosting(k, p, i)
		return nil
	}
	if p.room() < k.size {
		if len(t.stack) == 0 && p.block != t.root {
			t.descend(k)
		}
		t.splitLeaf(k, p, i, nil)
		return nil
	}
	it := item{abbrev: k.abbrev, block: tid.Block, offset: tid.Offset}
	if !k.whole {
		it.ref = p.addEntry(&entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data})
	}
	t.Counters.ItemsMoved += int64(len(p.order) - i)
	p.insertAt(i, it, k.size)
	p.lsn = t.log.Insert(wal.BtreeInsertLeaf, t.rel, p.block, k.size)
	t.remember(p)
	return nil
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
	t.root, t.rightmost = p.block, p.block
	p.lsn = t.log.Insert(wal.BtreeNewRoot, t.rel, p.block, wal.SizeOfBtreeMetadata)
}

// checkUnique looks for an entry with the key's columns. It returns the leaf
// that the key belongs on, and its place there or -1 if that must be looked for.
func (t *BTree) checkUnique(k *key) (*page, int, error) {
	t.Counters.UniqueChecks++
	tid := k.tid
	k.tid = storage.TID{} // before all equal entries
	p := t.findLeaf(k)
	at := t.place(k, p)
	k.tid = tid
	q, i := p, at
	for {
		if i < len(q.order) {
			if t.sameKey(k, q, q.at(i)) {
				return nil, 0, ErrDuplicate
			}
			break
		}
		// Equal entries go on to the right if the high key is one of them.
		if !q.hasHigh || q.slab[q.high.ref+2]&entryPivotTID == 0 || !t.sameKey(k, q, &q.high) {
			break
		}
		q, i = t.pages[q.next], 0
	}
	// With its heap TID the key may belong on a page to the right.
	for p.hasHigh && t.compare(k, p, &p.high) > 0 {
		p, at = t.pages[p.next], -1
		t.stack = t.stack[:0]
	}
	return p, at, nil
}

// sameKey says whether an item's key columns are all there and equal the key's.
func (t *BTree) sameKey(k *key, p *page, it *item) bool {
	if k.abbrev != it.abbrev {
		return false
	}
	u := t.tuple(p, it)
	if u.natts < t.opts.Keys {
		return false
	}
	if k.whole && u.whole {
		return true
	}
	return t.compareColumns(k, t.full(&u)) == 0
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
	it := p.at(i)
	list := p.postingTIDs(it)
	n := len(list) / storage.TIDSize
	off := 0
	for off < n && getTID(list[off*storage.TIDSize:]).Less(k.tid) {
		off++
	}
	swapped := getTID(list[len(list)-storage.TIDSize:])
	original := k.tid
	if p.room() < k.size {
		if len(t.stack) == 0 && p.block != t.root {
			t.descend(k)
		}
		swapTID(list, off, original)
		k.tid = swapped
		t.splitLeaf(k, p, i+1, &postingSplit{at: i})
		return
	}
	swapTID(list, off, original)
	e := entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data}
	nu := item{abbrev: k.abbrev, block: swapped.Block, offset: swapped.Offset}
	if !k.whole {
		nu.ref = p.addEntry(&e)
	}
	t.Counters.ItemsMoved += int64(len(p.order) - i - 1)
	p.insertAt(i+1, nu, k.size)
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
	it := item{abbrev: left.high.abbrev, block: right.block}
	if p.room() < pivot.size {
		t.splitInternal(p, i, it, &pivot)
		return
	}
	t.Counters.ItemsMoved += int64(len(p.order) - i)
	it.ref = p.addEntry(&pivot)
	p.insertAt(i, it, pivot.size)
	p.lsn = t.log.Insert(wal.BtreeInsertUpper, t.rel, p.block, pivot.size)
	left.lsn = p.lsn
}

// newLevel makes a new root above left, the old one, and right (_bt_newlevel).
func (t *BTree) newLevel(left, right *page, pivot *entry) {
	t.Counters.NewRoots++
	p := t.newPage(left.level + 1)
	t.root = p.block
	p.insertAt(0, item{block: left.block, ref: p.addEntry(&entry{size: tupleHeaderSize})}, tupleHeaderSize)
	p.insertAt(1, item{abbrev: left.high.abbrev, block: right.block, ref: p.addEntry(pivot)}, pivot.size)
	p.lsn = t.log.Insert(wal.BtreeNewRoot, t.rel, p.block,
		wal.ExtraBlockRef+wal.SizeOfBtreeMetadata+tupleHeaderSize+pivot.size)
	left.lsn = p.lsn
}
