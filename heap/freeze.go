package heap

// Freezing by VACUUM, after heapam.c (heap_prepare_freeze_tuple), pruneheap.c
// (heap_log_freeze_plan) and vacuum.c (vacuum_get_cutoffs).

import (
	"cmp"
	"slices"

	"applysim/wal/storage"
)

// freezing is the plan to freeze a version.
type freezing struct {
	off       storage.OffsetNumber
	infomask  uint16
	infomask2 uint16
	fixed     uint16 // bits of the infomask that say what the version contains
	xmax      uint32
}

// Eager scanning of pages that are all-visible but not all-frozen. Source: REL_18_1,
// src/backend/access/heap/vacuumlazy.c.
const (
	eagerRegion  = 4096 // EAGER_SCAN_REGION_SIZE
	eagerSuccess = 0.2  // MAX_EAGER_FREEZE_SUCCESS_RATE
)

// cutoffs decides from which transactions on versions must be frozen, and whether
// all pages must be read for it (vacuum_get_cutoffs).
func (s *VacuumScan) cutoffs(t *Table) {
	next := t.xacts.Next
	horizon := t.xacts.horizon()
	s.oldest = horizon
	minAge, tableAge := s.opts.FreezeMinAge, s.opts.FreezeTableAge
	if s.opts.Freeze {
		minAge, tableAge = 0, 0
	}
	if minAge < next {
		s.freezeLimit = min(next-minAge, horizon)
	}
	if t.xacts.before(versionFreezePages) {
		s.freezeLimit = horizon - min(minAge, horizon)
	}
	s.aggressive = s.opts.NoSkipping || next-t.frozenXID >= tableAge
}

// Eager says whether VACUUM would read some pages that it could pass over, to freeze
// them before they are old (heap_vacuum_eager_scan_setup). Which ones is up to
// chance: where the first region begins is drawn at random.
func (s *VacuumScan) Eager(t *Table) bool {
	if t.xacts.before(versionEagerFreezing) || s.opts.EagerFailureRate == 0 || s.aggressive || s.pages < 2*eagerRegion || t.frozenXID >= s.freezeLimit {
		return false
	}
	visible := 0
	for b := range s.pages {
		if t.vm.get(storage.BlockNumber(b)) == vmAllVisible {
			visible++
		}
	}
	return int(eagerSuccess*float64(visible)) > 0
}

// planFreeze plans the freezing of a version that stays
// (heap_prepare_freeze_tuple): its inserter and its locker, if all have forgotten
// them.
func (r *pruning) planFreeze(h *header, off storage.OffsetNumber, x *Transactions) {
	f := freezing{off: off, infomask: h.infomask, infomask2: h.infomask2 & infomask2Bits, xmax: h.xmax}
	any := false
	whole := true
	if !h.frozenXmin() {
		if x.removable(h.xmin) {
			f.infomask |= xminFrozen
			any = true
		} else {
			whole = false
		}
		r.unfrozen(h.xmin)
	}
	if h.xmax != 0 {
		multi := h.infomask&xmaxIsMulti != 0
		if multi && !x.multiRunning(h) {
			// A MultiXact that nobody needs must not stay.
			r.freezeRequired = true
		}
		if !multi {
			r.unfrozen(h.xmax)
		}
		if multi && !x.multiRunning(h) || !multi && x.removable(h.xmax) {
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
	}
}

// unfrozen notes a transaction that stays if nothing is frozen. One from before the
// limit must not (heap_tuple_should_freeze).
func (r *pruning) unfrozen(xid uint32) {
	if xid < r.freezeLimit {
		r.freezeRequired = true
	}
	if r.oldest == 0 || xid < r.oldest {
		r.oldest = xid
	}
}

// freezeVersions carries the freeze plans out and returns how many bytes a record has of
// them.
func (t *Table) freezeVersions(p *page) int {
	r := &t.pruning
	for i := range r.frozen {
		f := &r.frozen[i]
		f.fixed = t.contents(p, f.off)
	}
	n := 0
	if t.xacts.before(versionFreezePages) {
		n = sizeOfFreezePlan * len(r.frozen)
	} else {
		n = r.freezePlanBytes()
	}
	for _, f := range r.frozen {
		h := p.header(f.off)
		h.infomask, h.infomask2, h.xmax = f.infomask, h.infomask2&^infomask2Bits|f.infomask2, f.xmax
	}
	return n
}

// freezePlanBytes is what a record has of the freeze plans: equal ones are there
// once, and the offset of each version.
func (r *pruning) freezePlanBytes() int {
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
	return sizeOfFreezePlan*plans + offsetSize*len(r.frozen)
}
