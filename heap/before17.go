package heap

// What VACUUM and pruning did up to 16, after pruneheap.c and vacuumlazy.c of
// REL_16_STABLE: a page is pruned by one record and frozen by another, dead line
// pointers of a table without indexes become unused by a third, and dead items are kept
// in an array.

import (
	"math"

	"applysim/wal"
	"applysim/wal/storage"
)

// pruneOnly carries out a plan that freezes nothing (heap_page_prune).
func (t *Table) pruneOnly(p *page, pruned, hint bool) {
	r := &t.pruning
	if hint {
		p.pruneXID, p.full = r.pruneXID, false
		if !pruned {
			t.dirtyHint(p)
		}
	}
	if pruned {
		t.removeVersions(p, false)
		if d := t.log.Detail(); d != nil {
			r.nameData(d, 0, 0)
		}
		t.write(wal.Heap2Prune, p, offsetSize*(len(r.redirects)+len(r.dead)+len(r.unused)), 0)
	}
}

// pruneThenFreeze prunes a page for VACUUM, then looks at what stays, and freezes it if
// it must, or if pruning has written the page's image and all of it can be frozen
// (lazy_scan_prune).
func (t *Table) pruneThenFreeze(s *VacuumScan, p *page) {
	r := &t.pruning
	images := t.log.Total().FPIBytes
	t.prune(p.block, wal.Heap2Prune)
	imaged := t.log.Total().FPIBytes > images
	s.freed = false
	r.freezeLimit = s.freezeLimit
	r.allVisible, r.allFrozen, r.hasTuples = true, true, false
	for i := range p.items {
		switch p.items[i].flags() {
		case lpRedirect:
			r.hasTuples = true
		case lpNormal:
			h := &p.headers[i]
			r.hasTuples = true
			r.status[i+1] = t.vacuumStatus(p, h)
			r.allVisible = r.allVisible && r.status[i+1] == statusLive && t.seenByAll(h)
			if off := storage.OffsetNumber(i + 1); t.xacts.before(versionFreezePages) {
				r.planFreezeBefore16(h, off, t.xacts, s.opts.Freeze)
			} else {
				r.planFreeze(h, off, t.xacts)
			}
		}
	}
	switch {
	case len(r.frozen) == 0:
	case r.freezeRequired, imaged && r.allVisible && r.allFrozen, t.xacts.before(versionFreezePages):
		plans := t.freezeVersions(p)
		if d := t.log.Detail(); d != nil {
			d.Data("freeze plans", plans)
		}
		t.write(wal.Heap2FreezePage, p, plans, 0)
		if !t.xacts.before(versionFreezePages) {
			r.oldest = 0 // what stays is not older than the horizon
		}
	default:
		r.allFrozen = false
	}
}

// deadItems is the array of dead items (VacDeadItems).
type deadItems struct {
	most  int // that it can hold; 0 if it is not used
	found int // in all passes
}

// Sizes of the array. Sources: REL_16_STABLE, src/backend/access/heap/vacuumlazy.c and
// src/include/utils/memutils.h.
const (
	deadItemsHeader = 8
	sizeOfDeadItem  = 6         // ItemPointerData
	maxAllocSize    = 1<<30 - 1 // MaxAllocSize
)

// itemsIn is the number of dead items for which some memory is enough (MAXDEADITEMS).
func itemsIn(memory uint64) int {
	return int((min(memory, maxAllocSize) - deadItemsHeader) / sizeOfDeadItem)
}

// mostItems is the length of the array (dead_items_max_items).
func mostItems(memory uint64, pages int, hasIndex bool) int {
	if !hasIndex {
		return MaxHeapTuplesPerPage
	}
	n := min(itemsIn(memory), math.MaxInt32)
	if n/MaxHeapTuplesPerPage > pages {
		n = pages * MaxHeapTuplesPerPage
	}
	return max(n, MaxHeapTuplesPerPage)
}

// full says whether the array, which has n items, may be too short for those of one
// more page.
func (d *deadItems) full(n int) bool { return d.most > 0 && d.most-n < MaxHeapTuplesPerPage }
