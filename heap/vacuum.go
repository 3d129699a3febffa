package heap

// VACUUM of a table's heap, after vacuumlazy.c.

import (
	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// Limits of VACUUM. Source: REL_18_1, src/backend/access/heap/vacuumlazy.c.
const (
	skipPages         = 32                         // SKIP_PAGES_THRESHOLD: shorter runs of all-visible pages are read all the same
	bypassPages       = 0.02                       // BYPASS_THRESHOLD_PAGES: with fewer pages with dead items indexes are left alone
	bypassMemory      = 32 << 20                   // and dead items that take less than this
	mapPages          = 8 << 30 / storage.PageSize // VACUUM_FSM_EVERY_PAGES
	truncateMinimum   = 1000                       // REL_TRUNCATE_MINIMUM
	truncateFraction  = 16                         // REL_TRUNCATE_FRACTION
	sizeOfFreezePlan  = 12                         // xlhp_freeze_plan
	sizeOfFreezePlans = 4                          // xlhp_freeze_plans without its plans
)

// VacuumOptions are the options of VACUUM of one table, those of the command and of
// the table and the settings that matter.
type VacuumOptions struct {
	Freeze     bool // FREEZE
	NoTruncate bool // TRUNCATE off
	NoSkipping bool // DISABLE_PAGE_SKIPPING
	// IndexCleanup is INDEX_CLEANUP: 0 auto, 1 on, -1 off.
	IndexCleanup int
	// Memory is maintenance_work_mem, bytes: with more dead items than it can hold
	// VACUUM goes over the indexes and comes back.
	Memory uint64
	// Parallel says that parallel workers clean the indexes: dead items are in
	// shared memory then.
	Parallel bool
	// Transactions from which on versions must be frozen, and from which on all
	// pages must be read for it: vacuum_freeze_min_age and vacuum_freeze_table_age.
	FreezeMinAge, FreezeTableAge uint32
	// EagerFailureRate is vacuum_max_eager_freeze_failure_rate.
	EagerFailureRate float64
	// A process learns of the redo pointer, and whether images are wanted, when it
	// writes a record. Redo is the pointer that the session knows, 0 if it has written
	// nothing yet; once the log has more than Records records it knows the latest.
	Redo    wal.LSN
	Records int64
}

// VacuumScan is the state of a VACUUM.
type VacuumScan struct {
	// Dead are the heap TIDs whose index entries must go, in order. VacuumDead makes
	// their line pointers unused.
	Dead []storage.TID
	// Cleanup says that indexes get a final cleanup.
	Cleanup bool
	// Passes is how many times indexes were cleaned of dead items.
	Passes int

	opts       VacuumOptions
	pages      int // length of the table when the scan began
	nonempty   int // pages up to the last one that has a row
	hasIndex   bool
	aggressive bool // all pages that are not all-frozen are read

	next, unskippable int // pages
	deadPages         int // with dead items
	memory            tidStore
	items             deadItems // in place of memory before 17
	freed             bool      // the page read last has got free space, and there are no indexes
	ended             bool      // all pages were read
	mapped            int       // up to where the free space map is up to date

	freezeLimit uint32 // older transactions must be frozen
	oldest      uint32 // that stays in the table: what becomes its relfrozenxid
	skipped     bool   // pages that may have older ones were not read

	// What goes into pg_class; see relstats.go.
	scanned, live int    // pages read and the rows there
	visits        int    // of pages of the table and its free space map
	recent        int    // versions that were ended, and are kept for somebody's snapshot
	multi         uint32 // the oldest MultiXact that may be in the table
	frozenMoved   bool   // relfrozenxid has changed
	mapBefore     int    // pages of the visibility map at the start
}

// VacuumBegin begins a VACUUM. hasIndex says whether the table has an index.
//
// VacuumNext then reads pages until indexes must be cleaned of Dead; after that
// VacuumDead takes the line pointers, and so on until VacuumNext returns false.
// VacuumEnd comes last.
func (t *Table) VacuumBegin(o VacuumOptions, hasIndex bool) *VacuumScan {
	s := &VacuumScan{
		opts: o, pages: t.pages.n, hasIndex: hasIndex, Cleanup: hasIndex && o.IndexCleanup >= 0, unskippable: -1,
	}
	if t.xacts.before(versionPruneFreezes) {
		s.items.most = mostItems(o.Memory, s.pages, hasIndex)
	} else {
		s.memory.reset(o.Memory)
	}
	s.cutoffs(t)
	s.multi, s.mapBefore = t.xacts.nextMulti(), len(t.vm.pages)
	return s
}

// VacuumNext is VACUUM's first pass over the heap: every page is pruned, versions
// are frozen if that is asked for, and pages whose versions all see are marked in
// the visibility map (lazy_scan_heap). It goes on until indexes must be cleaned of
// dead items, and returns false if there is nothing more to do.
func (t *Table) VacuumNext(s *VacuumScan) bool {
	for s.next < s.pages {
		if s.next > s.unskippable {
			var unread bool
			s.unskippable, unread = t.nextUnskippable(s)
			if s.unskippable-s.next >= skipPages {
				s.next = s.unskippable
				s.skipped = s.skipped || unread
			}
		}
		if s.items.full(len(s.Dead)) {
			s.Passes++
			if s.opts.IndexCleanup >= 0 {
				return true
			}
			t.forgetDead(s)
		}
		p := t.page(storage.BlockNumber(s.next))
		t.vm.page(p.block) // made even if nothing is marked in it
		n := len(s.Dead)
		t.vacuumPage(s, p)
		s.next++
		if len(s.Dead) > n {
			s.deadPages++
			if s.items.most > 0 {
				s.items.found += len(s.Dead) - n
				continue
			}
			s.memory.add(p.block, len(s.Dead)-n, s.Dead[len(s.Dead)-1].Offset)
			if s.full() {
				s.Passes++
				if s.opts.IndexCleanup >= 0 {
					return true
				}
				t.forgetDead(s)
			}
		}
		if !s.hasIndex && s.freed && s.next-1-s.mapped >= mapPages {
			t.fsm.Vacuum(storage.BlockNumber(s.mapped), storage.BlockNumber(s.next-1))
			s.mapped = s.next - 1
		}
	}
	if s.ended {
		return false
	}
	s.ended = true
	if len(s.Dead) == 0 || s.opts.IndexCleanup < 0 {
		return false
	}
	if s.opts.IndexCleanup == 0 && s.Passes == 0 && s.deadPages < int(float64(s.pages)*bypassPages) && s.few() {
		return false
	}
	s.Passes++
	return true
}

// few says whether dead items are so few that those of few pages may stay.
func (s *VacuumScan) few() bool {
	if s.items.most > 0 {
		return s.items.found < itemsIn(bypassMemory)
	}
	return s.memory.total < bypassMemory
}

// full says whether dead items take more memory than they may.
func (s *VacuumScan) full() bool {
	if s.opts.Parallel {
		return sharedLeast(s.opts.Memory) > s.opts.Memory
	}
	return s.memory.total > s.opts.Memory
}

// forgetDead forgets the dead items of the pages read so far, and brings the free
// space map up to date for them.
func (t *Table) forgetDead(s *VacuumScan) {
	s.Dead = s.Dead[:0]
	s.memory.reset(s.opts.Memory)
	if !s.ended {
		t.fsm.Vacuum(storage.BlockNumber(s.mapped), storage.BlockNumber(s.next))
		s.mapped = s.next
		if s.items.most == 0 {
			s.mapped--
		}
	}
}

// nextUnskippable returns the next page that must be read: one that is not
// all-visible (all-frozen, if all others must be read), or the last one. unread says
// that pages before it may have versions that are not frozen.
func (t *Table) nextUnskippable(s *VacuumScan) (block int, unread bool) {
	for block = s.next; block < s.pages-1; block++ {
		bits := t.vm.get(storage.BlockNumber(block))
		if s.opts.NoSkipping || bits&vmAllVisible == 0 {
			break
		}
		if bits&vmAllFrozen == 0 {
			if s.aggressive {
				break
			}
			unread = true
		}
	}
	return block, unread
}

// vacuumPage is the first pass over one page (lazy_scan_prune).
func (t *Table) vacuumPage(s *VacuumScan, p *page) {
	s.scanned++
	s.visits++
	if p.blank {
		if !t.fsm.Recorded(p.block) {
			t.fsm.Record(p.block, storage.PageSize-storage.PageHeaderSize)
		}
		return
	}
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
	if t.xacts.before(versionPruneFreezes) {
		t.pruneThenFreeze(s, p)
	} else {
		r.freeze, r.freezeLimit, r.unusedNow = true, s.freezeLimit, !s.hasIndex
		r.redo = s.opts.Redo
		if t.log.Total().Records > s.opts.Records {
			r.redo = t.log.Redo()
		}
		t.prune(p.block, wal.Heap2PruneVacuumScan)
		r.freeze, r.freezeLimit, r.unusedNow = false, 0, false
		s.freed = r.deleted > 0
	}
	if r.oldest != 0 {
		s.oldest = min(s.oldest, r.oldest)
	}
	if r.hasTuples {
		s.nonempty = int(p.block) + 1
	}
	dead := 0
	for i, lp := range p.items {
		switch lp.flags() {
		case lpDead:
			s.Dead = append(s.Dead, storage.TID{Block: p.block, Offset: storage.OffsetNumber(i + 1)})
			dead++
		case lpNormal:
			h := p.header(storage.OffsetNumber(i + 1))
			s.countLive(r.status[i+1])
			if h.infomask&xmaxIsMulti != 0 && h.infomask&xmaxInvalid == 0 {
				s.multi = min(s.multi, h.xmax)
			}
		}
	}
	if dead > 0 && t.xacts.before(versionPruneFreezes) && !s.hasIndex {
		t.forgetLines(p, s.Dead)
		s.visits++
		s.Dead, s.freed = s.Dead[:0], true
		return
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
		s.visits++
		t.fsm.Record(p.block, p.freeSpace())
	}
}

// VacuumDead is VACUUM's second pass over the heap: line pointers of dead items
// become unused (lazy_vacuum_heap_rel).
func (t *Table) VacuumDead(s *VacuumScan) {
	for i := 0; i < len(s.Dead); {
		block := s.Dead[i].Block
		p := t.page(block)
		if t.owner == block {
			t.disown()
		}
		first := i
		for i < len(s.Dead) && s.Dead[i].Block == block {
			i++
		}
		t.forgetLines(p, s.Dead[first:i])
		s.visits += 2
	}
	t.forgetDead(s)
}

// forgetLines makes line pointers of dead items of a page unused
// (lazy_vacuum_heap_page).
func (t *Table) forgetLines(p *page, dead []storage.TID) {
	p.forget()
	for _, tid := range dead {
		p.items[tid.Offset-1] = makeLinePointer(lpUnused, 0)
	}
	p.truncateLines(1)
	typ, bytes := wal.Heap2PruneVacuumCleanup, pruneItemsHeader+offsetSize*len(dead)
	if t.xacts.before(versionPruneFreezes) {
		typ, bytes = wal.Heap2Vacuum, offsetSize*len(dead)
	}
	if d := t.log.Detail(); d != nil {
		d.Data("line pointers that become unused", bytes)
		if typ == wal.Heap2PruneVacuumCleanup {
			t.describeCleanup(d, p, dead)
		}
	}
	t.write(typ, p, bytes, 0)
	if visible, frozen := t.allVisible(p); visible {
		bits := uint8(vmAllVisible)
		if frozen {
			bits |= vmAllFrozen
		}
		p.allVisible = true
		t.setVisible(p, bits)
	}
	t.fsm.Record(p.block, p.freeSpace())
}

// Visits is how many pages of the table and of its free space map were visited.
func (s *VacuumScan) Visits() int { return s.visits }

// VacuumEnd ends a VACUUM: it brings the free space map up to date.
func (t *Table) VacuumEnd(s *VacuumScan) {
	t.fsm.Vacuum(storage.BlockNumber(s.mapped), storage.BlockNumber(s.pages))
	if !s.skipped && s.oldest > t.frozenXID {
		t.frozenXID, s.frozenMoved = s.oldest, true
	}
	t.dead = int64(s.recent) // what VACUUM reports
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

// Empty gives the table a new file without pages, as TRUNCATE does. restore brings
// the old one back after a rollback.
func (t *Table) Empty() (restore func()) {
	old := *t
	t.loaded = nil
	t.pages, t.fsm, t.vm = pageList{}, fsm.Map{Changed: t.dirtyFSM}, visibilityMap{}
	t.bodies, t.items, t.bodyChunk, t.itemChunk = nil, nil, 0, 0
	t.target, t.owner, t.pinned, t.ahead = storage.InvalidBlock, storage.InvalidBlock, storage.InvalidBlock, storage.InvalidBlock
	t.generation++
	t.cleared = nil
	t.rows, t.passed, t.mayPrune, t.dead, t.live = nil, nil, nil, 0, 0
	t.frozenXID, t.class = t.xacts.horizon(), t.newClassStats()
	return func() {
		counters := t.Counters
		*t = old
		t.Counters = counters
	}
}
