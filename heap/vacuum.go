package heap

// VACUUM of a table's heap, after vacuumlazy.c.

import (
	"cmp"
	"slices"

	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// Limits of VACUUM. Source: REL_18_1, src/backend/access/heap/vacuumlazy.c.
const (
	skipPages         = 32   // SKIP_PAGES_THRESHOLD: shorter runs of all-visible pages are read all the same
	bypassPages       = 0.02 // BYPASS_THRESHOLD_PAGES: with fewer pages with dead items indexes are left alone
	truncateMinimum   = 1000 // REL_TRUNCATE_MINIMUM
	truncateFraction  = 16   // REL_TRUNCATE_FRACTION
	sizeOfFreezePlan  = 12   // xlhp_freeze_plan
	sizeOfFreezePlans = 4    // xlhp_freeze_plans without its plans
)

// VacuumOptions are the options of a VACUUM command.
type VacuumOptions struct {
	Freeze     bool // FREEZE
	NoTruncate bool // TRUNCATE off
	NoSkipping bool // DISABLE_PAGE_SKIPPING
	// IndexCleanup is INDEX_CLEANUP: 0 auto, 1 on, -1 off.
	IndexCleanup int
}

// VacuumScan is the state between the passes of a VACUUM.
type VacuumScan struct {
	// Dead are the heap TIDs whose index entries must go, in order. The second
	// pass makes their line pointers unused.
	Dead []storage.TID
	// Indexes says that indexes must be cleaned of Dead; if not, dead items stay
	// where they are.
	Indexes bool
	// Cleanup says that indexes get a final cleanup.
	Cleanup bool

	opts     VacuumOptions
	pages    int // length of the table when the scan began
	nonempty int // pages up to the last one that has a row
	hasIndex bool
}

// freezing is the plan to freeze a version.
type freezing struct {
	off       storage.OffsetNumber
	infomask  uint16
	infomask2 uint16
	fixed     uint16 // bits of the infomask that say what the version contains
	xmax      uint32
}

// VacuumBegin is VACUUM's first pass over the heap: every page is pruned, versions
// are frozen if that is asked for, and pages whose versions all see are marked in
// the visibility map (lazy_scan_heap). hasIndex says whether the table has an
// index.
func (t *Table) VacuumBegin(o VacuumOptions, hasIndex bool) *VacuumScan {
	s := &VacuumScan{opts: o, pages: len(t.pages), hasIndex: hasIndex, Cleanup: hasIndex && o.IndexCleanup >= 0}
	deadPages := 0
	next, unskippable := 0, -1
	for next < s.pages {
		if next > unskippable {
			unskippable = t.nextUnskippable(next, s)
			if unskippable-next >= skipPages {
				next = unskippable
			}
		}
		t.vm.page(t.pages[next].block) // made even if nothing is marked in it
		n := len(s.Dead)
		t.vacuumPage(s, &t.pages[next])
		if len(s.Dead) > n {
			deadPages++
		}
		next++
	}
	s.Indexes = hasIndex && len(s.Dead) > 0 && o.IndexCleanup >= 0
	if o.IndexCleanup == 0 && deadPages < int(float64(s.pages)*bypassPages) {
		s.Indexes = false
	}
	return s
}

// nextUnskippable returns the next page from block on that must be read: one that
// is not all-visible (all-frozen, if versions are to be frozen), or the last one.
func (t *Table) nextUnskippable(block int, s *VacuumScan) int {
	want := uint8(vmAllVisible)
	if s.opts.Freeze {
		want = vmAllFrozen
	}
	for ; block < s.pages-1; block++ {
		if s.opts.NoSkipping || t.vm.get(storage.BlockNumber(block))&want == 0 {
			break
		}
	}
	return block
}

// vacuumPage is the first pass over one page (lazy_scan_prune).
func (t *Table) vacuumPage(s *VacuumScan, p *page) {
	if len(p.items) == 0 {
		if !p.allVisible {
			p.allVisible, p.dirty = true, true
			t.setVisible(p, vmAllVisible|vmAllFrozen)
		}
		t.fsm.Record(p.block, p.freeSpace())
		return
	}
	visible := t.vm.get(p.block)
	r := &t.pruning
	r.freeze, r.freezeAll, r.unusedNow = true, s.opts.Freeze, !s.hasIndex
	t.prune(p.block, wal.Heap2PruneVacuumScan)
	r.freeze, r.freezeAll, r.unusedNow = false, false, false
	if r.hasTuples {
		s.nonempty = int(p.block) + 1
	}
	dead := 0
	for i, lp := range p.items {
		if lp.flags() == lpDead {
			s.Dead = append(s.Dead, storage.TID{Block: p.block, Offset: storage.OffsetNumber(i + 1)})
			dead++
		}
	}
	bits := uint8(vmAllVisible)
	if r.allFrozen {
		bits |= vmAllFrozen
	}
	switch {
	case !r.allVisible || dead > 0:
	case visible&vmAllVisible == 0, r.allFrozen && visible&vmAllFrozen == 0:
		if !p.allVisible || visible&vmAllVisible == 0 {
			p.allVisible, p.dirty = true, true
		}
		t.setVisible(p, bits)
	}
	if !s.hasIndex || s.opts.IndexCleanup < 0 || dead == 0 {
		t.fsm.Record(p.block, p.freeSpace())
	}
}

// VacuumDead is VACUUM's second pass over the heap: line pointers of dead items
// become unused (lazy_vacuum_heap_rel).
func (t *Table) VacuumDead(s *VacuumScan) {
	for i := 0; i < len(s.Dead); {
		block := s.Dead[i].Block
		p := &t.pages[block]
		if t.owner == block {
			t.disown()
		}
		n := 0
		for ; i < len(s.Dead) && s.Dead[i].Block == block; i++ {
			p.items[s.Dead[i].Offset-1] = makeLinePointer(0, lpUnused, 0)
			n++
		}
		p.truncateLines(1)
		t.write(wal.Heap2PruneVacuumCleanup, p, pruneItemsHeader+offsetSize*n, 0)
		if visible, frozen := t.allVisible(p); visible {
			bits := uint8(vmAllVisible)
			if frozen {
				bits |= vmAllFrozen
			}
			p.allVisible = true
			t.setVisible(p, bits)
		}
		t.fsm.Record(block, p.freeSpace())
	}
}

// VacuumEnd ends a VACUUM: it brings the free space map up to date and forgets
// the page that rows were inserted on.
func (t *Table) VacuumEnd(s *VacuumScan) {
	t.fsm.Vacuum(0, storage.BlockNumber(s.pages))
	t.dead = 0 // what VACUUM reports: nothing was kept for anybody's snapshot
}

// allVisible says whether everybody sees all versions of a page, and whether they
// are all frozen (heap_page_is_all_visible).
func (t *Table) allVisible(p *page) (visible, frozen bool) {
	frozen = true
	for i := range p.items {
		switch p.items[i].flags() {
		case lpDead:
			return false, false
		case lpNormal:
			h := p.header(storage.OffsetNumber(i + 1))
			if t.vacuumStatus(p, h) != statusLive || !t.seenByAll(h) {
				return false, false
			}
			if !h.frozenXmin() || h.xmax != 0 {
				frozen = false
			}
		}
	}
	return true, frozen
}

// seenByAll says whether a live version is visible to everybody, as far as its
// hint bits show.
func (t *Table) seenByAll(h *header) bool {
	return h.infomask&xminCommitted != 0 && (h.frozenXmin() || t.xacts.removable(h.xmin))
}

// planFreeze plans the freezing of a version that stays
// (heap_prepare_freeze_tuple): its inserter and its locker, if all have forgotten
// them.
func (r *pruning) planFreeze(h *header, off storage.OffsetNumber, x *Transactions) {
	f := freezing{off: off, infomask: h.infomask, infomask2: h.infomask2, xmax: h.xmax}
	any := false
	whole := true
	if !h.frozenXmin() {
		if x.removable(h.xmin) {
			f.infomask |= xminFrozen
			any = true
		} else {
			whole = false
		}
	}
	if h.xmax != 0 {
		multi := h.infomask&xmaxIsMulti != 0
		if multi && !x.multiRunning(h.xmax) {
			// A MultiXact that nobody needs must not stay.
			r.freezeRequired = true
		}
		if multi && !x.multiRunning(h.xmax) || !multi && x.removable(h.xmax) {
			f.xmax = 0
			f.infomask = f.infomask&^xmaxBits | xmaxInvalid
			f.infomask2 &^= hotUpdated | keysUpdated
			any = true
		} else {
			whole = false
		}
	}
	if !whole {
		r.allFrozen = false
	}
	if any {
		r.frozen = append(r.frozen, f)
		if r.freezeAll {
			r.freezeRequired = true
		}
	}
}

// freezePlanBytes is what a record has of the freeze plans: equal ones are there
// once, and the offset of each version.
func (r *pruning) freezePlanBytes() int {
	if len(r.frozen) == 0 {
		return 0
	}
	slices.SortFunc(r.frozen, func(a, b freezing) int {
		return cmp.Or(
			cmp.Compare(a.xmax, b.xmax), cmp.Compare(a.infomask2, b.infomask2),
			cmp.Compare(a.infomask, b.infomask), cmp.Compare(a.fixed, b.fixed), cmp.Compare(a.off, b.off),
		)
	})
	plans := 0
	for i := range r.frozen {
		a := r.frozen[i]
		if i > 0 {
			b := r.frozen[i-1]
			a.off = b.off
			if a == b {
				continue
			}
		}
		plans++
	}
	return sizeOfFreezePlans + sizeOfFreezePlan*plans + offsetSize*len(r.frozen)
}

// Empty gives the table a new file without pages, as TRUNCATE does. restore brings
// the old one back after a rollback.
func (t *Table) Empty() (restore func()) {
	old := *t
	t.pages, t.fsm, t.vm = nil, fsm.Map{Changed: t.dirtyFSM}, visibilityMap{}
	t.bodies, t.items, t.bodyChunk, t.itemChunk = nil, nil, 0, 0
	t.target, t.owner, t.pinned = storage.InvalidBlock, storage.InvalidBlock, storage.InvalidBlock
	t.generation++
	t.rows, t.dead, t.live = nil, 0, 0
	return func() {
		counters := t.Counters
		*t = old
		t.Counters = counters
	}
}
