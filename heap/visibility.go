package heap

// Which versions are visible, dead or in between, after heapam_visibility.c.
// Looking at a version sets hint bits in passing.

// status is HTSV_Result.
type status uint8

const (
	statusUnknown status = iota
	statusLive
	statusDead
	statusRecentlyDead
	statusInsertInProgress
	statusDeleteInProgress
)

// hint sets a hint bit that says how xid ended. xid 0 stands for a transaction
// that aborted or a locker that is gone, which need not be flushed. Nor need those that an
// unlogged table tells of (SetHintBits, BufferIsPermanent).
func (t *Table) hint(p *page, h *header, bit uint16, xid uint32) {
	if t.counting {
		return
	}
	t.Counters.StatusChecks++
	if xid != 0 && xid != t.fetched {
		// TransactionLogFetch keeps how the last one ended.
		t.fetched = xid
		t.Counters.StatusFetches++
	}
	if xid != 0 && !t.xacts.hintable(xid, p.lsn) && !t.log.Unlogged() {
		t.Counters.Unhinted++
		return
	}
	h.infomask |= bit
	t.dirtyHint(p)
}

// visible says whether a dirty snapshot sees the version: everything that is
// committed, and the worker's own changes (HeapTupleSatisfiesDirty).
func (t *Table) visible(p *page, h *header) bool {
	x := t.xacts
	if h.infomask&xminCommitted == 0 {
		switch {
		case h.infomask&xminInvalid != 0:
			return false
		case x.current(h.xmin):
			if h.infomask&xmaxInvalid != 0 || h.lockOnly() {
				return true
			}
			if h.infomask&xmaxIsMulti != 0 {
				return !x.current(x.updateXID(h))
			}
			if !x.current(h.xmax) {
				t.hint(p, h, xmaxInvalid, 0)
				return true
			}
			return false
		case x.running(h.xmin):
			return true
		case x.didCommit(h.xmin):
			t.hint(p, h, xminCommitted, h.xmin)
		default:
			t.hint(p, h, xminInvalid, 0)
			return false
		}
	}
	switch {
	case h.infomask&xmaxInvalid != 0:
		return true
	case h.infomask&xmaxCommitted != 0:
		return h.lockOnly()
	case t.mvcc && h.lockOnly():
		return true // whoever locks it (HeapTupleSatisfiesMVCC)
	case h.infomask&xmaxIsMulti != 0:
		if h.lockOnly() {
			return true
		}
		end := x.updateXID(h)
		return !x.current(end) && (x.running(end) || !x.didCommit(end))
	case x.current(h.xmax):
		return h.lockOnly()
	case x.running(h.xmax):
		return true
	case !x.didCommit(h.xmax), h.lockOnly():
		t.hint(p, h, xmaxInvalid, 0)
		return true
	}
	t.hint(p, h, xmaxCommitted, h.xmax)
	return false
}

// vacuumStatus says what may become of a version (HeapTupleSatisfiesVacuum with
// the horizon applied).
func (t *Table) vacuumStatus(p *page, h *header) status {
	x := t.xacts
	if h.infomask&xminCommitted == 0 {
		switch {
		case h.infomask&xminInvalid != 0:
			return statusDead
		case x.current(h.xmin):
			if h.infomask&xmaxInvalid != 0 || h.lockOnly() {
				return statusInsertInProgress
			}
			if x.current(x.updateXID(h)) {
				return statusDeleteInProgress
			}
			return statusInsertInProgress
		case x.running(h.xmin):
			return statusInsertInProgress
		case x.didCommit(h.xmin):
			t.hint(p, h, xminCommitted, h.xmin)
		default:
			t.hint(p, h, xminInvalid, 0)
			return statusDead
		}
	}
	if h.infomask&xmaxInvalid != 0 {
		return statusLive
	}
	if h.lockOnly() {
		// A locker that is gone leaves nothing behind.
		if h.infomask&xmaxCommitted == 0 {
			if h.infomask&xmaxIsMulti != 0 {
				if x.multiRunning(h) {
					return statusLive
				}
			} else if x.inProgress(h.xmax) {
				return statusLive
			}
			t.hint(p, h, xmaxInvalid, 0)
		}
		return statusLive
	}
	if h.infomask&xmaxIsMulti != 0 {
		return t.multiStatus(p, h)
	}
	if h.infomask&xmaxCommitted == 0 {
		switch {
		case x.current(h.xmax), x.running(h.xmax):
			return statusDeleteInProgress
		case x.didCommit(h.xmax):
			t.hint(p, h, xmaxCommitted, h.xmax)
		default:
			t.hint(p, h, xmaxInvalid, 0)
			return statusLive
		}
	}
	if x.removable(h.xmax) {
		return statusDead
	}
	return statusRecentlyDead
}

// multiStatus is vacuumStatus for a version whose inserter has committed and that
// one of several transactions has ended. No hint bit says that it did.
func (t *Table) multiStatus(p *page, h *header) status {
	x := t.xacts
	end := x.updateXID(h)
	switch {
	case x.inProgress(end):
		return statusDeleteInProgress
	case x.didCommit(end):
		if x.removable(end) {
			return statusDead
		}
		return statusRecentlyDead
	case !x.multiRunning(h):
		t.hint(p, h, xmaxInvalid, 0)
	}
	return statusLive
}

// surelyDead says whether the hint bits alone show that nobody can see the
// version (HeapTupleIsSurelyDead).
func (t *Table) surelyDead(h *header) bool {
	switch {
	case h.infomask&xminCommitted == 0:
		return h.infomask&xminInvalid != 0
	case h.infomask&xmaxInvalid != 0, h.lockOnly(), h.infomask&xmaxCommitted == 0:
		return false
	}
	return t.xacts.removable(h.xmax)
}
