package index

// Insertion, after nbtinsert.c.

import (
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// Insert adds an entry for a row version. values has a value for each column of
// the index, key columns first; it is only read during the call. A value that the
// table has compressed stays so (index_form_tuple). unchanged is
// the executor's hint that the entry is for an update that did not change the
// indexed columns. For a unique index, duplicate says that a live row has the
// same key: the entry is inserted all the same (UNIQUE_CHECK_PARTIAL).
func (t *BTree) Insert(values []datum.Value, tid storage.TID, unchanged bool) (duplicate bool, err error) {
	k := &t.key
	if err := t.form(k, values, tid); err != nil {
		return false, err
	}
	return t.insertKey(k, unchanged), nil
}

// insertKey inserts a key that was formed.
func (t *BTree) insertKey(k *key, unchanged bool) (duplicate bool) {
	t.Counters.Inserts++
	if len(t.pages) == 1 {
		t.createRoot()
	}
	if t.opts.Unique && (k.nulls&(1<<t.opts.Keys-1) == 0 || t.opts.NullsNotDistinct) {
		return t.insertUnique(k, unchanged)
	}
	if t.counts(t.Counters.Inserts) {
		t.count(k)
	}
	p := t.findLeaf(k)
	if p.room() < k.size {
		t.makeRoom(k, p, false, unchanged, unchanged)
		t.countAgain(k, p)
	}
	t.insertOn(k, p, -1)
	return false
}

// insertOn inserts the key on leaf p, at place i or, if that is -1, wherever it
// belongs. Without posting lists that its heap TID could fall into, the place
// need not be known now.
func (t *BTree) insertOn(k *key, p *page, i int) {
	fits := p.room() >= k.size
	if i < 0 && (!fits || !p.listMax.Less(k.tid)) {
		i = t.place(k, p)
	}
	if i >= 0 && i < len(p.items) && p.posting(p.at(i)) && t.compare(k, p, p.nth(i)) == 0 {
		if !p.at(i).dead() {
			t.insertIntoPosting(k, p, i)
			return
		}
		// The list is dead: it goes first.
		t.deleteDead(k, p)
		i = t.place(k, p)
		fits = p.room() >= k.size
	}
	if !fits {
		if len(t.stack) == 0 && p.block != t.root {
			t.descend(k)
		}
		t.splitLeaf(k, p, i, nil)
		return
	}
	t.put(k, p, i)
	if d := t.log.Detail(); d != nil {
		t.describeInsert(d, p)
	}
	t.write(wal.BtreeInsertLeaf, p, k.size)
	t.remember(p)
}

// put adds the key to leaf p, at place i or, if that is -1, without one.
func (t *BTree) put(k *key, p *page, i int) {
	it := item{hi: k.hi, block: k.tid.Block, offset: k.tid.Offset}
	if !k.whole {
		it.ref = p.addEntry(&entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data})
	}
	if len(p.items) == cap(p.items) {
		t.moreItems(p)
	}
	if i < 0 {
		if t.plan.wide {
			p.append(it, p.afterLast(k.hi, k.lo), k.size)
			p.los = append(p.los, k.lo)
		} else {
			p.append(it, false, k.size)
		}
		return
	}
	t.Counters.ItemsMoved += int64(len(p.items) - i)
	t.insertAt(p, i, it, k.lo, k.size)
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
	t.came(p)
	if p.block == t.rightmost && p.block != t.root && t.pages[t.root].level >= fastPathMinLevel {
		t.remembered = true
	}
}

// came counts a leaf that an insertion or a scan has come to, if it is another one than
// the last: the worker's caches may have lost it.
func (t *BTree) came(p *page) {
	if p != t.lastLeaf {
		t.lastLeaf = p
		t.Counters.OtherLeaves++
	}
}

// createRoot makes the first page, a leaf that is the root.
func (t *BTree) createRoot() {
	p := t.newPage(0)
	t.arrays(p, t.itemsExpected(0, pageSpace, t.key.size))
	t.root, t.rightmost, t.fastRoot = p.block, p.block, p.block
	t.bounds.valid = false
	p.dirty = true
	if d := t.log.Detail(); d != nil {
		t.nameRoot(d, p.block, nil, 0)
		d.Describe("level: %d", p.level)
	}
	p.lsn = t.log.Insert(wal.BtreeNewRoot, t.rel, p.block, wal.SizeOfBtreeMetadata)
	t.metaLSN = p.lsn
}

// insertUnique inserts the key into a unique index and says whether a live row
// has the same one.
func (t *BTree) insertUnique(k *key, unchanged bool) (duplicate bool) {
	t.Counters.UniqueChecks++
	tid := k.tid
	k.tid = storage.TID{} // before all equal entries
	if t.counts(t.Counters.Inserts) {
		t.count(k)
	}
	p := t.findLeaf(k)
	equal := unchanged // entries with the same columns are there, or must be assumed
	i := -1
	if k.hi > p.most && (!p.hasHigh || k.hi < p.high.hi) {
		if p.sorted == len(p.items) {
			i = len(p.items) // greater than all
		}
		k.tid = tid
	} else {
		at := t.place(k, p)
		k.tid = tid
		end := at
		for end < len(p.items) && t.sameColumns(k, t.tuple(p, p.nth(end))) {
			end++
		}
		if end > at {
			equal = true
		}
		if duplicate = t.checkUnique(k, p, at); duplicate && t.opts.Refuses {
			return true
		}
		if end == at {
			i = at
		}
		// With its heap TID the key may belong on a page to the right, unless some
		// item of this one is greater.
		for end == len(p.items) && t.beyond(k, p) {
			p, i, equal = t.pages[p.next], -1, true
			t.settle(p)
			end = len(p.items)
			t.stack = t.stack[:0]
		}
	}
	full := p.room() < k.size
	if full {
		t.makeRoom(k, p, true, equal, unchanged)
		i = -1
	}
	if full || equal {
		t.countAgain(k, p)
	}
	t.insertOn(k, p, i)
	return duplicate
}

// checkUnique looks for a live row among the entries with the key's columns,
// from place i of page p on, and marks those as dead whose rows are dead to
// everybody (_bt_check_unique). Each entry's visit to the heap stands for itself
// and may prune the page.
func (t *BTree) checkUnique(k *key, p *page, i int) (duplicate bool) {
	for {
		for ; i < len(p.items); i++ {
			it := p.at(i)
			if it.dead() {
				continue
			}
			if !t.sameColumns(k, t.tuple(p, p.nth(i))) {
				return false
			}
			list := p.postingTIDs(it)
			if list == nil {
				t.Counters.UniqueFetches++
				_, ok, dead := t.heap.Fetch(storage.InvalidBlock, it.tid())
				if ok {
					return true
				}
				if dead {
					t.kill(p, it)
				}
				continue
			}
			all := true
			for ; len(list) > 0; list = list[storage.TIDSize:] {
				t.Counters.UniqueFetches++
				_, ok, dead := t.heap.Fetch(storage.InvalidBlock, getTID(list))
				if ok {
					return true
				}
				all = all && dead
			}
			if all {
				t.kill(p, it)
			}
		}
		// Equal entries go on to the right if the high key is one of them.
		if !p.hasHigh || p.slab[p.high.ref+2]&entryPivotTID == 0 || !t.sameColumns(k, t.highTuple(p)) {
			return false
		}
		p, i = t.pages[p.next], 0
		t.settle(p)
	}
}

// kill marks an item's line pointer as dead, which is a hint and writes no
// record of its own.
func (t *BTree) kill(p *page, it *item) {
	it.offset |= deadBit
	p.garbage, p.killed = true, true
	t.dirtyHint(p)
	t.Counters.Killed++
}

// sameColumns says whether a tuple's key columns are all there and equal the
// key's.
func (t *BTree) sameColumns(k *key, u tuple) bool {
	if k.abbrev != u.abbrev || u.natts < t.opts.Keys {
		return false
	}
	return k.whole && u.whole || t.compareColumns(k, &u) == 0
}

// makeRoom tries to avoid a split of leaf p (_bt_delete_or_dedup_one_page): dead
// items go first; then, if the entry is for an update or equal ones are there,
// those whose rows are dead are looked for; then equal items are merged. A
// unique index stops early if the key is new, for then there is nothing to gain.
func (t *BTree) makeRoom(k *key, p *page, checking, equal, unchanged bool) {
	if t.deleteDead(k, p) {
		if p.room() >= k.size {
			return
		}
		equal = true
	}
	if checking && !equal {
		return
	}
	churn := unchanged || equal
	if churn && t.bottomUp(k, p) {
		return
	}
	if t.dedup {
		t.deduplicate(k, p, churn)
	}
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
		t.splitLeaf(k, p, i+1, &postingSplit{at: i, off: off})
		return
	}
	t.put(k, p, i+1)
	if d := t.log.Detail(); d != nil {
		d.Describe("off: %d", p.offset(i+1))
	}
	t.write(wal.BtreeInsertPost, p, wal.SizeOfPostingOffset+k.size)
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
	t.bounds.valid = false
	pivot := left.entry(left.high.ref)
	// The only page of its level that is not the root may have been where searches
	// begin.
	only := left.prev == storage.InvalidBlock && right.next == storage.InvalidBlock
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
	t.Counters.ItemsMoved += int64(len(p.items) - i)
	it.ref = p.addEntry(&pivot)
	t.insertAt(p, i, it, left.highLo, pivot.size)
	left.incomplete = false
	image := t.imageOf(left)
	typ, meta := wal.BtreeInsertUpper, 0
	if only && t.fastLevel < p.level {
		t.fastRoot, t.fastLevel = p.block, p.level
		typ, meta = wal.BtreeInsertMeta, wal.SizeOfBtreeMetadata
	}
	if d := t.log.Detail(); d != nil {
		d.Data("downlink to the right page", pivot.size)
		d.Describe("off: %d", p.offset(i))
		t.nameChild(d, left)
		if meta > 0 {
			nameMeta(d, 2)
		}
	}
	t.writeWith(typ, p, pivot.size, meta, image)
	left.lsn, left.dirty = p.lsn, true
	if meta > 0 {
		t.metaLSN = p.lsn
	}
}

// newLevel makes a new root above left, the old one, and right (_bt_newlevel).
func (t *BTree) newLevel(left, right *page, pivot *entry) {
	t.Counters.NewRoots++
	p := t.newPage(left.level + 1)
	t.arrays(p, 64)
	t.root, t.fastRoot, t.fastLevel = p.block, p.block, p.level
	t.push(p, item{block: left.block, ref: p.addEntry(&entry{size: tupleHeaderSize})}, 0, tupleHeaderSize)
	t.push(p, item{hi: left.high.hi, block: right.block, ref: p.addEntry(pivot)}, left.highLo, pivot.size)
	left.incomplete = false
	if d := t.log.Detail(); d != nil {
		t.nameRoot(d, p.block, left, tupleHeaderSize+pivot.size)
		d.Describe("level: %d", p.level)
	}
	p.lsn = t.log.InsertImages(wal.BtreeNewRoot, t.rel, p.block,
		wal.ExtraBlockRef+wal.SizeOfBtreeMetadata+tupleHeaderSize+pivot.size, 0, t.imageOf(left))
	p.dirty = true
	left.lsn, left.dirty = p.lsn, true
	t.metaLSN = p.lsn
}
