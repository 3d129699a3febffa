package heap

// What pgstattuple counts, after pgstattuple.c (pgstat_heap).

import "applysim/wal/storage"

// TupleStats are the columns of pgstattuple that are counted.
type TupleStats struct {
	Tuples, TupleBytes int64 // that a dirty snapshot of another session sees
	Dead, DeadBytes    int64 // that it does not see
	FreeSpace          int64 // between line pointers and row versions, bytes
}

// TupleStats counts the row versions as another session finds them. The real function
// sets hint bits in passing; this one leaves the table as it is.
func (t *Table) TupleStats() TupleStats {
	var s TupleStats
	for b := range t.pages.n {
		p := t.page(storage.BlockNumber(b))
		if p.blank {
			continue
		}
		s.FreeSpace += int64(p.upper) - int64(p.lower)
		for i, lp := range p.items {
			if lp.flags() != lpNormal {
				continue
			}
			if t.seenByOthers(p.header(storage.OffsetNumber(i + 1))) {
				s.Tuples++
				s.TupleBytes += int64(lp.length())
			} else {
				s.Dead++
				s.DeadBytes += int64(lp.length())
			}
		}
	}
	return s
}

// seenByOthers says whether a dirty snapshot of another session than the worker sees a
// version (HeapTupleSatisfiesDirty).
func (t *Table) seenByOthers(h *header) bool {
	x := t.xacts
	if h.infomask&xminCommitted == 0 {
		switch {
		case h.infomask&xminInvalid != 0:
			return false
		case x.inProgress(h.xmin):
			return true
		case !x.didCommit(h.xmin):
			return false
		}
	}
	if h.infomask&xmaxInvalid != 0 || h.lockOnly() {
		return true
	}
	if h.infomask&xmaxCommitted != 0 {
		return false
	}
	end := h.xmax
	if h.infomask&xmaxIsMulti != 0 {
		end = x.updateXID(h)
	}
	return x.inProgress(end) || !x.didCommit(end)
}
