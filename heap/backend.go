package heap

// What a backend does to a table otherwise than an apply worker does, after
// heapam.c (heap_prepare_pagescan, heap_lock_tuple), heapam_handler.c
// (BitmapHeapScanNextBlock) and heapam_visibility.c (HeapTupleSatisfiesMVCC,
// HeapTupleSatisfiesUpdate).

import (
	"slices"

	"applysim/wal"
	"applysim/wal/storage"
)

// ReadPage comes to a page as a sequential scan does that reads pages one at a time:
// it may be pruned, then all its versions are looked at. ahead is the page that it comes to
// next, InvalidBlock if none is pinned yet: see comeTo.
func (t *Table) ReadPage(block, ahead storage.BlockNumber) {
	t.comeTo(block, ahead)
	p := t.page(block)
	if p.allVisible {
		return
	}
	t.mvcc = true
	t.passPage(block, len(p.items))
	t.mvcc = false
}

// ReadEntries comes to a page as a bitmap scan does: it may be pruned, then the HOT
// chains that index entries lead to are looked at. ahead is as for ReadPage.
func (t *Table) ReadEntries(block, ahead storage.BlockNumber, entries []storage.TID) {
	t.comeTo(block, ahead)
	t.mvcc = true
	for _, tid := range entries {
		t.Fetch(block, tid)
	}
	t.mvcc = false
}

// comeTo prunes a page that a scan comes to and keeps it in use, and with it the page that
// the scan's read stream has pinned ahead (read_stream.c: one page where all are cached).
func (t *Table) comeTo(block, ahead storage.BlockNumber) {
	t.pinned, t.ahead = storage.InvalidBlock, ahead // the page before it is let go first
	t.pruneOnAccess(block)
	t.pinned = block
}

// FetchVisible is Fetch for a backend's snapshot. The page stays in use.
func (t *Table) FetchVisible(stay storage.BlockNumber, tid storage.TID) (found storage.TID, ok, allDead bool) {
	if stay != tid.Block {
		t.comeTo(tid.Block, storage.InvalidBlock)
	}
	t.mvcc = true
	found, ok, allDead = t.Fetch(tid.Block, tid)
	t.mvcc = false
	return found, ok, allDead
}

// Peek is FetchVisible without a trace.
func (t *Table) Peek(tid storage.TID) (found storage.TID, ok bool) {
	defer t.justCounting()()
	found, ok, _ = t.Fetch(tid.Block, tid)
	return found, ok
}

// beforeUpdate finds out whether a version that a snapshot sees may be changed, which
// leaves hint bits about who has locked it (HeapTupleSatisfiesUpdate).
func (t *Table) beforeUpdate(p *page, h *header) {
	x := t.xacts
	switch {
	case h.infomask&(xmaxInvalid|xmaxCommitted) != 0:
	case h.infomask&xmaxIsMulti != 0:
		if !x.multiRunning(h) && (h.lockOnly() || !x.didCommit(x.updateXID(h))) {
			t.hint(p, h, xmaxInvalid, 0)
		}
	case x.inProgress(h.xmax):
	default: // a locker that is gone, or a change that was rolled back
		t.hint(p, h, xmaxInvalid, 0)
	}
}

// LockKeyShare locks a row version as the check of a foreign key does, which needs no
// more than that the key stays, and writes the record, unless the transaction has
// locked it before.
func (t *Table) LockKeyShare(tid storage.TID) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	t.beforeUpdate(p, h)
	if t.locked(h) {
		return
	}
	p.unsettle(tid.Offset)
	m := t.newXmax(h, keyShare, false)
	h.set(m)
	if m.infomask&xmaxLockOnly != 0 {
		h.infomask2 &^= hotUpdated
		h.setCTID(tid)
	}
	t.logLock(p, tid.Offset)
}

// RowLock is how strongly SELECT ... FOR locks rows, or a backend a row that it has to look
// at before it updates or deletes it (LockTupleMode).
type RowLock = lockMode

// The locks of FOR KEY SHARE, FOR SHARE, FOR NO KEY UPDATE and FOR UPDATE.
const (
	LockKeyShare    RowLock = keyShare
	LockShare       RowLock = share
	LockNoKeyUpdate RowLock = noKeyExclusive
	LockUpdate      RowLock = exclusive
)

// LockRow locks a row version and writes the record, unless the transaction has a lock
// as strong.
func (t *Table) LockRow(tid storage.TID, mode RowLock) {
	p := t.page(tid.Block)
	h := p.header(tid.Offset)
	t.beforeUpdate(p, h)
	if t.locked(h) && h.infomask&xmaxIsMulti == 0 && h.holds().mode() >= mode {
		return
	}
	p.unsettle(tid.Offset)
	m := t.newXmax(h, mode, false)
	h.set(m)
	if m.infomask&xmaxLockOnly != 0 {
		h.infomask2 &^= hotUpdated
		h.setCTID(tid)
	}
	t.logLock(p, tid.Offset)
}

// Confirm makes a speculative insertion a real one (heap_finish_speculative).
func (t *Table) Confirm(tid storage.TID) {
	t.write(wal.HeapConfirm, t.page(tid.Block), 0, 0)
}

// locked says whether the current transaction has any lock on a version, in whichever
// subtransaction.
func (t *Table) locked(h *header) bool {
	x := t.xacts
	switch {
	case h.infomask&xmaxInvalid != 0:
		return false
	case h.infomask&xmaxIsMulti != 0:
		return slices.ContainsFunc(x.multi(h.xmax), func(m member) bool { return x.current(m.xid) })
	}
	return x.current(h.xmax)
}

// Lasts says without a trace whether a row version is the one that the transaction sees
// (SnapshotSelf).
func (t *Table) Lasts(tid storage.TID) bool {
	p := t.page(tid.Block)
	if int(tid.Offset) > len(p.items) || p.items[tid.Offset-1].flags() != lpNormal {
		return false
	}
	defer t.justCounting()()
	return t.visible(p, p.header(tid.Offset))
}

// MadeBy says whether a command of the current transaction has made a version.
func (t *Table) MadeBy(tid storage.TID, cid uint32) bool {
	h := t.page(tid.Block).header(tid.Offset)
	if !t.xacts.current(h.xmin) {
		return false
	}
	made := h.cid
	if h.infomask&comboCID != 0 {
		made = t.xacts.madeBy(made)
	}
	return made == cid
}

// MadeHere says whether the current transaction has made a version.
func (t *Table) MadeHere(tid storage.TID) bool {
	return t.xacts.current(t.page(tid.Block).header(tid.Offset).xmin)
}
