package index

// Deletion of entries by inserts that need room, after nbtinsert.c
// (_bt_simpledel_pass), nbtdedup.c (_bt_bottomupdel_pass), nbtpage.c
// (_bt_delitems_delete_check) and heapam.c (heap_index_delete_tuples).

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"applysim/wal"
	"applysim/wal/storage"
)

// Limits of bottom-up deletion. Sources: REL_18_1,
// src/backend/access/heap/heapam.c and src/backend/access/nbtree/nbtdedup.c.
const (
	bottomUpBlocks    = 6                     // BOTTOMUP_MAX_NBLOCKS
	bottomUpTolerance = 3                     // BOTTOMUP_TOLERANCE_NBLOCKS
	leastPromising    = 4                     // fewer promising TIDs in a block count as so many
	bottomUpTarget    = storage.PageSize / 16 // bytes to free
	bottomUpEnough    = storage.PageSize / 24 // bytes free that make deduplication needless
)

// candidate is a heap TID that may go (TM_IndexDelete and TM_IndexStatus).
type candidate struct {
	tid       storage.TID
	place     uint16 // of its item, in key order
	free      uint16 // bytes that its deletion frees, at the least
	promising bool
	deletable bool
}

// deletion is the work space of a deletion pass.
type deletion struct {
	candidates []candidate           // by place, then heap TID
	blocks     []storage.BlockNumber // of the candidates, in order
	groups     []blockGroup
	group      []uint16 // by block, from the least one on: the number of its group, from 1
	order      []uint64 // the candidates in the order in which the heap is visited, numbers in the lowest 16 bits
	gone       []bool
}

// blockGroup is the candidates of one heap page (IndexDeleteCounts).
type blockGroup struct {
	block            storage.BlockNumber
	count, promising int
	rank             int // from 1 for the pages that are visited
}

// deleteDead deletes the items of leaf p that are marked dead and, since their
// heap pages are visited anyway, other items that lead there and to the new
// row's page, if they are dead too. It returns false if no item is marked dead.
func (t *BTree) deleteDead(k *key, p *page) bool {
	if !p.killed {
		return false
	}
	p.killed = false // all of them go
	any := false
	for i := range p.items {
		any = any || p.items[i].dead()
	}
	if !any {
		return false
	}
	t.settle(p)
	d := &t.dels
	d.blocks = append(d.blocks[:0], k.tid.Block)
	for i := range p.items {
		it := p.at(i)
		if !it.dead() {
			continue
		}
		if list := p.postingTIDs(it); list != nil {
			for ; len(list) > 0; list = list[storage.TIDSize:] {
				d.blocks = append(d.blocks, getTID(list).Block)
			}
		} else {
			d.blocks = append(d.blocks, it.block)
		}
	}
	t.Counters.SimpleDeletes++
	slices.Sort(d.blocks)
	d.blocks = slices.Compact(d.blocks)
	d.candidates = d.candidates[:0]
	for i := range p.items {
		it := p.at(i)
		list := p.postingTIDs(it)
		if list == nil {
			t.considerDead(it.tid(), i, it.dead())
		}
		for ; len(list) > 0; list = list[storage.TIDSize:] {
			t.considerDead(getTID(list), i, it.dead())
		}
	}
	t.Counters.HeapPages += int64(len(d.blocks))
	t.Counters.Candidates += int64(len(d.candidates))
	// The heap is visited in its own order (index_delete_sort): hint bits are set on
	// the way.
	d.order = d.order[:0]
	for i := range d.candidates {
		d.order = append(d.order, uint64(pack(d.candidates[i].tid))<<16|uint64(i))
	}
	slices.Sort(d.order)
	for _, n := range d.order {
		c := &d.candidates[uint16(n)]
		if !c.deletable {
			t.Counters.CheckedTIDs++
		}
		c.deletable = c.deletable || t.heap.Vacuumable(c.tid)
	}
	t.deleteCandidates(p, wal.BtreeDelete)
	return true
}

// considerDead makes a heap TID a candidate if it leads to a page of t.dels.blocks.
func (t *BTree) considerDead(tid storage.TID, place int, dead bool) {
	d := &t.dels
	if _, ok := slices.BinarySearch(d.blocks, tid.Block); ok {
		d.candidates = append(d.candidates, candidate{tid: tid, place: uint16(place), deletable: dead})
	}
}

// bottomUp looks for entries of dead versions on leaf p, where equal items tell
// of updates, and deletes them. It returns true if a split will be avoided for
// some time, or if there were no equal items: then merging is not worth a try.
func (t *BTree) bottomUp(k *key, p *page) bool {
	t.settle(p)
	t.Counters.BottomUpPasses++
	t.Counters.BottomUpItems += int64(len(p.items))
	t.countEqual(&t.deleting, p, nil)
	d := &t.dels
	d.candidates = d.candidates[:0]
	size := k.size + storage.LinePointerSize
	anyEqual := false
	for i := 0; i < len(p.items); {
		n := t.equalRun(p, i)
		anyEqual = anyEqual || n > 1
		for j := i; j < i+n; j++ {
			t.considerChurned(p, j, n > 1)
		}
		i += n
	}
	t.Counters.Candidates += int64(len(d.candidates))
	t.findDeletable(max(bottomUpTarget, size))
	t.deleteCandidates(p, wal.BtreeDelete)
	return !anyEqual || p.free >= max(bottomUpEnough, size)
}

// equalRun returns how many items from place i on are equal, as far as their
// heap TIDs would fit into one posting list of a page's size.
func (t *BTree) equalRun(p *page, i int) int {
	if t.plan.whole && !p.partial {
		return t.equalRunWhole(p, i)
	}
	u := t.tuple(p, p.nth(i))
	size := t.size(p, p.at(i))
	base, tids := size, 1
	if l := p.postingTIDs(p.at(i)); l != nil {
		base, tids = p.entry(p.at(i).ref).size, len(l)/storage.TIDSize
	}
	n := 1
	for i+n < len(p.items) {
		v := t.tuple(p, p.nth(i+n))
		more := 1
		if l := p.postingTIDs(p.at(i + n)); l != nil {
			more = len(l) / storage.TIDSize
		}
		if u.hi != v.hi || t.keepAttsFast(&u, &v) <= t.opts.Keys ||
			storage.MaxAlign(base+(tids+more)*storage.TIDSize) > storage.PageSize {
			break
		}
		tids += more
		n++
	}
	return n
}

// equalRunWhole is equalRun for a page whose items' abbreviated keys are whole.
func (t *BTree) equalRunWhole(p *page, i int) int {
	m := p.nth(i)
	base := &p.items[m]
	bytes := max(len(t.wholeTIDs(p, base)), storage.TIDSize)
	n := 1
	for ; i+n < len(p.items); n++ {
		o := p.nth(i + n)
		it := &p.items[o]
		if it.hi != base.hi || p.los != nil && p.los[o] != p.los[m] {
			break
		}
		bytes += max(len(t.wholeTIDs(p, it)), storage.TIDSize)
		if storage.MaxAlign(t.plainSize+bytes) > storage.PageSize {
			break
		}
	}
	return n
}

// considerChurned makes all heap TIDs of an item candidates. Those of items that
// have equals are promising; of a posting list only its first or last TID, if
// it leads to the same page as the middle one.
func (t *BTree) considerChurned(p *page, i int, equals bool) {
	d := &t.dels
	it := p.at(i)
	list := p.postingTIDs(it)
	if list == nil {
		d.candidates = append(d.candidates, candidate{
			tid: it.tid(), place: uint16(i), promising: equals, free: uint16(t.size(p, it) + storage.LinePointerSize),
		})
		return
	}
	n := len(list) / storage.TIDSize
	first, last := false, false
	if equals {
		middle := getTID(list[n/2*storage.TIDSize:]).Block
		first = getTID(list).Block == middle
		last = !first && getTID(list[(n-1)*storage.TIDSize:]).Block == middle
	}
	for j := range n {
		d.candidates = append(d.candidates, candidate{
			tid: getTID(list[j*storage.TIDSize:]), place: uint16(i), free: storage.TIDSize,
			promising: first && j == 0 || last && j == n-1,
		})
	}
}

// findDeletable visits the heap pages that promise most and marks the
// candidates that can go, until target bytes would be free or a page brought
// nothing.
func (t *BTree) findDeletable(target int) {
	d := &t.dels
	favorable := d.chooseBlocks()
	visited, freed, before := 0, 0, 0
	done := false
	block := storage.InvalidBlock
	for _, n := range d.order {
		c := &d.candidates[uint16(n)]
		if c.tid.Block != block {
			if done || visited > 0 && freed == before {
				break
			}
			before = freed
			if favorable > 0 {
				favorable--
			} else {
				target /= 2
			}
			block = c.tid.Block
			visited++
		}
		t.Counters.CheckedTIDs++
		if !t.heap.Vacuumable(c.tid) {
			continue
		}
		c.deletable = true
		freed += int(c.free)
		done = done || freed >= target
	}
	t.Counters.HeapPages += int64(visited)
}

// chooseBlocks groups the candidates by heap page and puts those of the few most
// promising pages into d.order, by page and heap TID. It returns how many pages at the
// start lie close together (bottomup_sort_and_shrink).
func (d *deletion) chooseBlocks() (favorable int) {
	d.groupByBlock()
	var chosen [bottomUpBlocks]*blockGroup
	n := 0
	for i := range d.groups {
		g := &d.groups[i]
		if n == bottomUpBlocks && !g.before(chosen[n-1]) {
			continue
		}
		if n < bottomUpBlocks {
			n++
		}
		j := n - 1
		for ; j > 0 && g.before(chosen[j-1]); j-- {
			chosen[j] = chosen[j-1]
		}
		chosen[j] = g
	}
	for i, g := range chosen[:n] {
		g.rank = i + 1
	}
	last := int64(-1)
	for _, g := range chosen[:n] {
		b := int64(g.block)
		if last >= 0 && (b < last-bottomUpTolerance || b > last+bottomUpTolerance) {
			break
		}
		favorable++
		last = b
	}
	d.order = d.order[:0]
	for i := range d.candidates {
		c := &d.candidates[i]
		if rank := d.groupOf(c.tid.Block).rank; rank > 0 {
			d.order = append(d.order, uint64(rank)<<32|uint64(c.tid.Offset)<<16|uint64(i))
		}
	}
	slices.Sort(d.order)
	return favorable
}

// before says whether a heap page is visited before another one.
func (g *blockGroup) before(h *blockGroup) bool {
	if x, y := nextPowerOf2(max(g.promising, leastPromising)), nextPowerOf2(max(h.promising, leastPromising)); x != y {
		return x > y
	}
	if x, y := nextPowerOf2(g.count), nextPowerOf2(h.count); x != y {
		return x > y
	}
	return g.block < h.block
}

// groupLimit is how far the heap pages of candidates may lie apart for their groups to
// be found by their numbers.
const groupLimit = 1 << 14

// groupByBlock counts the candidates of each heap page.
func (d *deletion) groupByBlock() {
	least, greatest := storage.InvalidBlock, storage.BlockNumber(0)
	for i := range d.candidates {
		b := d.candidates[i].tid.Block
		least, greatest = min(least, b), max(greatest, b)
	}
	d.blocks, d.groups, d.group = d.blocks[:0], d.groups[:0], d.group[:0]
	if len(d.candidates) == 0 {
		return
	}
	d.blocks = append(d.blocks, least)
	if n := int(greatest-least) + 1; n <= groupLimit {
		d.group = slices.Grow(d.group, n)[:n]
		clear(d.group)
	} else {
		for i := range d.candidates {
			d.blocks = append(d.blocks, d.candidates[i].tid.Block)
		}
		slices.Sort(d.blocks)
		d.blocks = slices.Compact(d.blocks)
		for _, b := range d.blocks {
			d.groups = append(d.groups, blockGroup{block: b})
		}
	}
	for i := range d.candidates {
		c := &d.candidates[i]
		if len(d.group) > 0 && d.group[c.tid.Block-least] == 0 {
			d.groups = append(d.groups, blockGroup{block: c.tid.Block})
			d.group[c.tid.Block-least] = uint16(len(d.groups))
		}
		g := d.groupOf(c.tid.Block)
		g.count++
		if c.promising {
			g.promising++
		}
	}
}

// groupOf returns the group of a heap page that a candidate leads to.
func (d *deletion) groupOf(block storage.BlockNumber) *blockGroup {
	if len(d.group) > 0 {
		return &d.groups[d.group[block-d.blocks[0]]-1]
	}
	i, _ := slices.BinarySearch(d.blocks, block)
	return &d.groups[i]
}

// nextPowerOf2 is the least power of two that is not below n.
func nextPowerOf2(n int) int { return 1 << bits.Len(uint(n-1)) }

// deleteCandidates deletes the heap TIDs that can go from leaf p: whole items,
// or parts of posting lists, and writes the record.
func (t *BTree) deleteCandidates(p *page, typ wal.RecordType) {
	d := &t.dels
	var described *deletionRecord
	if t.log.Detail() != nil {
		described = &deletionRecord{}
	}
	data, shrinking := 0, 0
	d.gone = slices.Grow(d.gone[:0], len(p.items))[:len(p.items)]
	clear(d.gone)
	gone := d.gone
	for i := 0; i < len(d.candidates); {
		place := d.candidates[i].place
		j, n := i, 0
		for ; j < len(d.candidates) && d.candidates[j].place == place; j++ {
			if d.candidates[j].deletable {
				n++
			}
		}
		group := d.candidates[i:j]
		i = j
		if n == 0 {
			continue
		}
		t.Counters.DeletedTIDs += int64(n)
		if described != nil && typ == wal.BtreeDelete {
			described.conflict(t.heap, group)
		}
		it := p.at(int(place))
		if list := p.postingTIDs(it); list != nil && n < len(list)/storage.TIDSize {
			if described != nil {
				described.shrink(p.offset(int(place)), list, group)
			}
			t.shrinkPosting(p, it, group)
			shrinking += wal.SizeOfDeletedOffset + wal.SizeOfBtreeUpdate + wal.SizeOfDeletedOffset*n
			continue
		}
		gone[place] = true
		if described != nil {
			described.deleted = append(described.deleted, p.offset(int(place)))
		}
		data += wal.SizeOfDeletedOffset
		t.Counters.DeletedItems++
	}
	if data+shrinking == 0 {
		return
	}
	t.removeItems(p, gone)
	p.garbage = false
	if d := t.log.Detail(); d != nil {
		d.Data("items that go", data)
		d.Data("heap TIDs that go from posting lists", shrinking)
		described.describe(d, typ, t.log.NeedsImage(p.lsn))
	}
	t.write(typ, p, data+shrinking)
}

// shrinkPosting takes the deletable TIDs of a group of candidates out of an
// item's posting list. A list of one TID becomes a plain item.
func (t *BTree) shrinkPosting(p *page, it *item, group []candidate) {
	before := t.size(p, it)
	list := p.postingTIDs(it)
	kept := 0
	g := 0
	for i := 0; i < len(list); i += storage.TIDSize {
		tid := getTID(list[i:])
		for g < len(group) && (!group[g].deletable || group[g].tid.Less(tid)) {
			g++
		}
		if g < len(group) && group[g].tid == tid {
			continue
		}
		copy(list[kept:], list[i:i+storage.TIDSize])
		kept += storage.TIDSize
	}
	first := getTID(list)
	it.block, it.offset = first.Block, first.Offset|it.offset&deadBit
	b := p.slab[it.ref:]
	if kept > storage.TIDSize {
		binary.LittleEndian.PutUint16(b[entryHeader:], uint16(kept/storage.TIDSize))
	} else {
		e := p.entry(it.ref)
		e.flags &^= entryPosting
		e.tids = nil
		if e.flags&entryWhole != 0 {
			it.ref = 0
		} else {
			it.ref = p.addEntry(&e)
		}
	}
	p.free += before - t.size(p, it)
}

// retailDeletes is how many items are deleted one by one; with more, all items
// are laid out anew in key order (PageIndexMultiDelete).
const retailDeletes = 2

// removeItems takes items off a leaf, by their places in key order.
func (t *BTree) removeItems(p *page, gone []bool) {
	count := 0
	for _, g := range gone {
		if g {
			count++
		}
	}
	if count <= retailDeletes {
		for i := len(gone) - 1; i >= 0; i-- {
			if gone[i] {
				t.removeOne(p, i)
			}
		}
		return
	}
	n := &t.scratch
	n.reset(0)
	if p.hasHigh {
		n.copyHigh(p)
	}
	used := 0
	for i := range p.items {
		if gone[i] {
			continue
		}
		m := p.nth(i)
		it, size := p.items[m], t.plainSize
		if it.ref != 0 {
			it.ref, size = n.copyEntry(p, it.ref)
			if list := n.postingTIDs(&it); list != nil {
				n.noteList(list)
			}
		}
		n.items = append(n.items, it)
		if p.los != nil {
			n.los = append(n.los, p.los[m])
		}
		n.most, n.last = it.hi, max(n.last, pack(it.tid()))
		used += size + storage.LinePointerSize
	}
	n.free -= used
	n.sorted, n.hint = len(n.items), max(len(n.items)-1, 0)
	t.takeContents(p, n)
}
