package index

// VACUUM of an index, after nbtree.c (btvacuumscan) and nbtpage.c (_bt_pagedel).

import (
	"slices"

	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// cleanupFraction is the part of an index, as a divisor, from which on deleted
// pages that could not be recycled make the next VACUUM scan the index for them.
// Source: REL_18_1, src/backend/access/nbtree/nbtpage.c, _bt_vacuum_needs_cleanup.
const cleanupFraction = 20

// Pages deleted by a VACUUM that it remembers to recycle at its end: as many as fit into
// work_mem, and so many at least. Source: REL_18_1,
// src/backend/access/nbtree/nbtpage.c, _bt_pendingfsm_init.
const (
	sizeOfPending = 16      // BTPendingFSM
	leastPending  = 256     // BTVacState.bufsize
	mostPending   = 1 << 26 // MaxAllocSize, by size
)

// forkFSM is the fork of the free space map.
const forkFSM = 1

// vacuumStats is what one VACUUM keeps of an index between its scan and its
// cleanup (IndexBulkDeleteResult).
type vacuumStats struct {
	scanned bool
	deleted int // pages that are deleted, recyclable ones included
	free    int // pages that were recorded as recyclable
	pending []*page
	room    int // in pending
}

// BulkDelete deletes all entries whose heap TID is dead, then pages that have
// become empty (btbulkdelete). workMem is work_mem, bytes.
func (t *BTree) BulkDelete(dead func(storage.TID) bool, workMem uint64) {
	t.vacuumScan(dead, int(min(max(workMem/sizeOfPending, leastPending), mostPending-1)))
}

// VacuumCleanup ends a VACUUM of the index. Without a BulkDelete before it, it
// only looks for deleted pages to recycle, if there were many (btvacuumcleanup).
func (t *BTree) VacuumCleanup() {
	if !t.vacuum.scanned {
		if t.unrecycled == 0 || t.unrecycled <= len(t.pages)/cleanupFraction {
			return
		}
		t.vacuumScan(nil, 0)
	}
	n := t.vacuum.deleted - t.vacuum.free
	t.vacuum = vacuumStats{}
	if n == t.unrecycled {
		return
	}
	t.unrecycled = n
	if d := t.log.Detail(); d != nil {
		d.Data("root, level, fast root", wal.SizeOfBtreeMetadata)
		d.Describe("last_cleanup_num_delpages: %d", n)
		d.First(wal.BlockRef{Role: "metapage", Init: true}, false)
	}
	t.metaLSN = t.log.Insert(wal.BtreeMetaCleanup, t.rel, 0, wal.SizeOfBtreeMetadata)
}

// vacuumScan goes over all pages in the order of their blocks. Of the pages that it
// deletes it remembers as many as there is room for.
func (t *BTree) vacuumScan(dead func(storage.TID) bool, room int) {
	v := &t.vacuum
	*v = vacuumStats{scanned: true, room: room}
	for b := 1; b < len(t.pages); b++ {
		p := t.pages[b]
		switch {
		case p.deleted && t.heap.Removable(p.deleteXID):
			t.recordFree(p)
			v.deleted++
		case p.deleted:
			v.deleted++
		case p.leaf():
			if p.sorted == virtual && (dead == nil || p.packedAt == 0 && !t.anyDead(p, dead)) {
				continue
			}
			if dead != nil {
				t.vacuumLeaf(p, dead)
			}
			if len(p.items) == 0 {
				t.deletePages(p)
			}
		}
	}
	for _, p := range v.pending {
		if !t.heap.Removable(p.deleteXID) {
			break
		}
		t.recordFree(p)
	}
	if v.free > 0 {
		t.fsm.Vacuum(0, storage.BlockNumber(len(t.pages)))
	}
}

// recordFree enters a deleted page into the free space map.
func (t *BTree) recordFree(p *page) {
	t.fsm.Record(p.block, storage.PageSize-1)
	t.vacuum.free++
}

// vacuumLeaf deletes the dead entries of a leaf (btvacuumpage).
func (t *BTree) vacuumLeaf(p *page, dead func(storage.TID) bool) {
	t.settle(p)
	d := &t.dels
	d.candidates = d.candidates[:0]
	any := false
	for i := range p.items {
		it := p.at(i)
		list := p.postingTIDs(it)
		if list == nil {
			if dead(it.tid()) {
				d.candidates = append(d.candidates, candidate{tid: it.tid(), place: uint16(i), deletable: true})
				any = true
			}
			continue
		}
		for ; len(list) > 0; list = list[storage.TIDSize:] {
			if tid := getTID(list); dead(tid) {
				d.candidates = append(d.candidates, candidate{tid: tid, place: uint16(i), deletable: true})
				any = true
			}
		}
	}
	if any {
		t.deleteCandidates(p, wal.BtreeVacuum)
	}
}

// deletePages deletes an empty leaf, and right siblings of it that are empty too
// (_bt_pagedel). A page that is the rightmost of its level or the root stays.
func (t *BTree) deletePages(p *page) {
	scan := p.block
	for p.hasHigh && p.block != t.root && len(p.items) == 0 && p.sorted != virtual {
		if !t.deletePage(p, scan) {
			return
		}
		p = t.pages[p.next]
	}
}

// deletePage takes an empty leaf out of the tree, together with pages above it
// that have no other child. It returns false if the page must stay: the last
// child of a page that has others.
func (t *BTree) deletePage(p *page, scan storage.BlockNumber) bool {
	// The way from the leaf up to the page of which only the downlink goes.
	top := p
	var path []*page // pages to unlink, the topmost last
	var parent *page
	at := 0
	for {
		parent, at = t.parentOf(top)
		path = append(path, top)
		if at < len(parent.items)-1 {
			break
		}
		if at != 0 || !parent.hasHigh {
			return false
		}
		top = parent
	}
	// The next downlink takes over the key space.
	parent.at(at).block = parent.at(at + 1).block
	t.removeOne(parent, at+1)
	for q, r := top, t.pages[top.next]; ; {
		r.low = q.low
		if q.leaf() {
			break
		}
		q, r = t.pages[q.at(0).block], t.pages[r.at(0).block]
	}
	t.bounds.valid = false
	p.halfDead = true
	images := t.imageOf(parent)
	if d := t.log.Detail(); d != nil {
		d.First(wal.BlockRef{Block: p.block, Role: "leaf", Init: true}, false)
		d.Describe("topparent: %d, leaf: %d, left: %d, right: %d", other(top, p), p.block, sibling(p.prev), sibling(p.next))
		d.Other(wal.BlockRef{ID: 1, Block: parent.block, Role: "parent", Image: images})
	}
	p.lsn = t.log.InsertImages(wal.BtreeMarkPageHalfDead, t.rel, p.block, 0, 0, images)
	p.dirty = true
	parent.lsn, parent.dirty = p.lsn, true

	for i := len(path) - 1; i >= 0; i-- {
		child := p // of the page that goes, where it is not the leaf
		if i > 0 {
			child = path[i-1]
		}
		t.unlink(path[i], p, child)
		if len(t.vacuum.pending) < t.vacuum.room {
			t.vacuum.pending = append(t.vacuum.pending, path[i])
		}
		if path[i].block <= scan {
			t.vacuum.deleted++
		}
	}
	return true
}

// parentOf finds the downlink to a page: the page that it is on and its place.
func (t *BTree) parentOf(child *page) (*page, int) {
	p := t.pages[t.root]
	for p.level > child.level+1 {
		p = t.pages[p.at(0).block]
	}
	for {
		for i := range p.items {
			if p.at(i).block == child.block {
				return p, i
			}
		}
		p = t.pages[p.next]
	}
}

// unlink takes a page out of the chain of its level and marks it as deleted
// (_bt_unlink_halfdead_page). leaf is the empty leaf that it was all about, child
// the page below p on the way there.
func (t *BTree) unlink(p, leaf, child *page) {
	right := t.pages[p.next]
	t.makeSummed(right)
	right.prev = p.prev
	var left *page
	if p.prev != storage.InvalidBlock {
		left = t.pages[p.prev]
		t.makeSummed(left)
		left.next = p.next
	}
	typ, extra := wal.BtreeUnlinkPage, 0
	if left == nil && right.next == storage.InvalidBlock && t.fastLevel <= p.level+1 {
		// The right sibling is alone on its level now: searches begin there.
		t.fastRoot, t.fastLevel = right.block, p.level
		typ, extra = wal.BtreeUnlinkPageMeta, wal.SizeOfBtreeMetadata
	}
	p.deleted, p.halfDead, p.deleteXID = true, false, t.heap.NextXID()
	images := t.imageOf(right)
	if left != nil {
		extra += wal.ExtraBlockRef
		images.Add(t.imageOf(left))
	}
	if p != leaf {
		extra += wal.ExtraBlockRef
	}
	if d := t.log.Detail(); d != nil {
		t.nameUnlink(d, p, left, right, leaf, typ == wal.BtreeUnlinkPageMeta)
		d.Describe("left: %d, right: %d, level: %d, safexid: 0:%d, leafleft: %d, leafright: %d, leaftopparent: %d",
			sibling(p.prev), right.block, p.level, p.deleteXID, sibling(leaf.prev), sibling(leaf.next), other(child, leaf))
	}
	lsn := t.log.InsertImages(typ, t.rel, p.block, extra, 0, images)
	if typ == wal.BtreeUnlinkPageMeta {
		t.metaLSN = lsn
	}
	for _, q := range []*page{p, right, left, leaf} {
		if q != nil {
			q.lsn, q.dirty = lsn, true
		}
	}
}

// removeOne removes the item at place i of a page; the others keep their order of
// arrival (PageIndexTupleDelete).
func (t *BTree) removeOne(p *page, i int) {
	n := p.nth(i)
	if n < p.highAt {
		p.highAt--
	}
	p.free += t.size(p, &p.items[n]) + storage.LinePointerSize
	p.items = slices.Delete(p.items, int(n), int(n)+1)
	if p.los != nil {
		p.los = slices.Delete(p.los, int(n), int(n)+1)
	}
	if p.level > 0 {
		p.his = slices.Delete(p.his, i, i+1)
	}
	p.sorted--
	if len(p.order) > 0 {
		p.order = slices.Delete(p.order, i, i+1)
		for k := range p.order {
			if p.order[k] > n {
				p.order[k]--
			}
		}
	}
	p.hint = min(p.hint, max(len(p.items)-1, 0))
}

// reuse gives a deleted page that all have forgotten, if the free space map knows
// of one, as a new page (_bt_allocbuf).
func (t *BTree) reuse(level int) *page {
	for {
		b := t.fsm.Search(storage.PageSize/2, len(t.pages))
		if b == storage.InvalidBlock {
			return nil
		}
		t.fsm.Record(b, 0)
		if p := t.pages[b]; p.deleted && t.heap.Removable(p.deleteXID) {
			t.log.InsertPlain(wal.BtreeReusePage, 0)
			p := newPage(b, level)
			t.pages[b] = p
			return p
		}
	}
}

// dirtyFSM marks a page of the free space map as changed. Its changes are hints,
// so that a page that is clean may have to be logged.
func (t *BTree) dirtyFSM(block storage.BlockNumber, p *fsmPage) {
	if p.Dirty {
		return
	}
	p.Checksum = t.log.MapChecksum(block)
	p.LSN = t.log.Hint(t.rel, forkFSM, block, p.LSN, p)
	p.Dirty = true
}

// Empty gives the index a new file with nothing but a metapage and writes that, as
// TRUNCATE does.
func (t *BTree) Empty() (restore func()) {
	old := *t
	t.pages = []*page{nil}
	t.root, t.rightmost, t.fastRoot, t.fastLevel, t.unrecycled, t.metaLSN = 0, 0, 0, 0, 0, 0
	t.remembered, t.bounds.valid = false, false
	t.fsm = fsm.Map{Changed: t.dirtyFSM}
	t.vacuum, t.loaded = vacuumStats{}, nil
	t.metaLSN = t.log.NewPage(t.rel, 0, metapage{t})
	return func() {
		counters := t.Counters
		*t = old
		t.Counters = counters
	}
}
