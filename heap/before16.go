package heap

// How VACUUM froze up to 15, after heapam.c (heap_prepare_freeze_tuple,
// FreezeMultiXactId, log_heap_freeze) of REL_15_STABLE: only what is older than the
// limit, and with a plan for each version in the record.

import (
	"slices"

	"applysim/wal/storage"
)

// planFreezeBefore16 plans the freezing of a version that stays. whole says that VACUUM
// freezes everything.
func (r *pruning) planFreezeBefore16(h *header, off storage.OffsetNumber, x *Transactions, whole bool) {
	f := freezing{off: off, infomask: h.infomask, infomask2: h.infomask2 & infomask2Bits, xmax: h.xmax}
	old := false
	stays := func(xid uint32) {
		r.allFrozen = false
		if r.oldest == 0 || xid < r.oldest {
			r.oldest = xid
		}
	}
	if !h.frozenXmin() {
		if h.xmin < r.freezeLimit {
			f.infomask |= xminFrozen
			old = true
		} else {
			stays(h.xmin)
		}
	}
	ended := false
	switch {
	case h.xmax == 0:
	case h.infomask&xmaxIsMulti != 0:
		members := x.multi(h.xmax)
		ended = !x.multiRunning(h) && (whole || slices.ContainsFunc(members, func(m member) bool { return m.xid < r.freezeLimit }))
		if !ended {
			for _, m := range members {
				stays(m.xid)
			}
		}
	case h.xmax < r.freezeLimit:
		ended = true
	default:
		stays(h.xmax)
	}
	if ended {
		f.xmax = 0
		f.infomask = f.infomask&^xmaxBits | xmaxInvalid
		f.infomask2 &^= hotUpdated | keysUpdated
	}
	if old || ended {
		r.frozen = append(r.frozen, f)
	}
}
