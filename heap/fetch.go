package heap

// Following an index entry to its row version, after heapam_handler.c
// (heapam_index_fetch_tuple) and heapam.c (heap_hot_search_buffer).

import "applysim/wal/storage"

// Fetch follows an index entry's heap TID to a version that a dirty snapshot
// sees; in a TOAST table to any version that was not rolled back, as its owner
// vouches for it (HeapTupleSatisfiesToast). If there is none, allDead says whether the whole HOT chain is dead to
// everybody. stay is the page that the scan stays on, InvalidBlock if none:
// coming to another page may prune it.
func (t *Table) Fetch(stay storage.BlockNumber, tid storage.TID) (found storage.TID, ok, allDead bool) {
	t.Counters.Fetches++
	p := t.page(tid.Block)
	if stay != tid.Block {
		t.pruneVisited(p)
	}
	allDead = true
	off := tid.Offset
	start := true
	var prior uint32
	for off >= 1 && int(off) <= len(p.items) {
		lp := p.items[off-1]
		if lp.flags() != lpNormal {
			if lp.flags() == lpRedirect && start {
				off, start = lp.redirect(), false
				continue
			}
			break
		}
		h := p.header(off)
		if start && h.infomask2&heapOnly != 0 || prior != 0 && prior != h.xmin {
			break
		}
		t.Counters.ChainSteps++
		if t.opts.Toast && !h.aborted() || !t.opts.Toast && t.visible(p, h) {
			if body := p.body(off); len(body) > 0 {
				// Whoever has found the version will look at it: its memory is asked for now.
				t.asked ^= body[0] ^ body[len(body)-1]
			}
			return storage.TID{Block: tid.Block, Offset: off}, true, false
		}
		if allDead && !t.surelyDead(h) {
			allDead = false
		}
		if !h.hotUpdated() {
			break
		}
		off, start, prior = h.offset, false, t.xacts.updateXID(h)
	}
	return storage.TID{}, false, allDead
}

// hotUpdated is HeapTupleHeaderIsHotUpdated.
func (h *header) hotUpdated() bool {
	return h.infomask2&hotUpdated != 0 && h.infomask&xmaxInvalid == 0 && !h.aborted()
}

// Vacuumable says whether every version that an index entry leads to is dead,
// so that the entry may be deleted (part of heap_index_delete_tuples).
func (t *Table) Vacuumable(tid storage.TID) bool {
	p := t.page(tid.Block)
	off, start := tid.Offset, true
	var prior uint32
	for off >= 1 && int(off) <= len(p.items) {
		lp := p.items[off-1]
		if lp.flags() != lpNormal {
			if lp.flags() == lpRedirect && start {
				off, start = lp.redirect(), false
				continue
			}
			break
		}
		h := p.header(off)
		if start && h.infomask2&heapOnly != 0 || prior != 0 && prior != h.xmin {
			break
		}
		if t.vacuumStatus(p, h) != statusDead {
			return false
		}
		if !h.hotUpdated() {
			break
		}
		off, start, prior = h.offset, false, t.xacts.updateXID(h)
	}
	return true
}

// Scan calls yield for each version that a dirty snapshot sees, in physical
// order, until it returns false. It never prunes.
func (t *Table) Scan(yield func(storage.TID) bool) {
	t.ScanFrom(0, yield)
}

// Look is Scan without a trace: it sets no hint bits.
func (t *Table) Look(yield func(storage.TID) bool) {
	defer t.justCounting()()
	t.ScanFrom(0, yield)
}

// LookFrom is ScanFrom without a trace. If rows are counted, pages without any are not even
// gone to.
func (t *Table) LookFrom(start storage.BlockNumber, yield func(storage.TID) bool) {
	defer t.justCounting()()
	if t.rows == nil {
		t.ScanFrom(start, yield)
		return
	}
	t.rows.grow(t.pages.n)
	going := true
	look := func(from, to int) {
		for b := t.rows.next(from); going && b < to; b = t.rows.next(b + 1) {
			going = t.scanPage(storage.BlockNumber(b), yield)
		}
	}
	look(int(start), t.pages.n)
	look(0, int(start))
}

// ScanFrom is Scan from a page on, going on with the first page after the last
// one.
func (t *Table) ScanFrom(start storage.BlockNumber, yield func(storage.TID) bool) {
	for n := range t.pages.n {
		if !t.scanPage(storage.BlockNumber((n+int(start))%t.pages.n), yield) {
			return
		}
	}
}

// scanPage is ScanFrom for one page. It returns false if yield did.
func (t *Table) scanPage(block storage.BlockNumber, yield func(storage.TID) bool) bool {
	p := t.page(block)
	for i := range p.items {
		if p.items[i].flags() != lpNormal {
			continue
		}
		off := storage.OffsetNumber(i + 1)
		if t.visible(p, p.header(off)) && !yield(storage.TID{Block: block, Offset: off}) {
			return false
		}
	}
	return true
}
