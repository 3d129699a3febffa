package apply

// Transactions of the worker: their ids, and how they end.

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// xidsPerCLOGPage is the number of transactions whose status fits on a page of
// the commit log. Source: REL_18_1, src/backend/access/transam/clog.c,
// CLOG_XACTS_PER_PAGE.
const xidsPerCLOGPage = 32768

// xidsPerCommitTSPage is the number of transactions whose time of commit and origin fit
// on a page, ten bytes each. Source: REL_18_1, src/backend/access/transam/commit_ts.c,
// COMMIT_TS_XACTS_PER_PAGE.
const xidsPerCommitTSPage = 819

// begin begins a transaction, which gets an id when it changes something.
func (w *Worker) begin() {
	w.Counters.Begins++
	w.inTransaction, w.command, w.droppedFiles, w.restore = true, 0, 0, nil
	w.xacts.Begin()
	w.touched.reset()
}

// endTransaction forgets the current transaction.
func (w *Worker) endTransaction() {
	w.inTransaction, w.twoPhase, w.catalogs, w.xacts.Current = false, false, false, 0
	w.ended = w.log.Total().Records
}

// commit ends the transaction. One that changed nothing leaves no trace.
func (w *Worker) commit() {
	w.Counters.Commits++
	subs := w.xacts.Release()
	w.log.ForgetTopXID()
	wrote := w.log.Total().Records > w.ended || w.droppedFiles > 0 || w.catalogs
	if xid := w.xacts.Current; xid != 0 {
		extra := w.commitExtra
		if w.droppedFiles > 0 {
			extra += wal.DroppedFiles(w.droppedFiles)
		}
		if w.log.Detail() != nil {
			w.nameCommit(subs)
		}
		extra += wal.Subtransactions(len(subs))
		if w.commitExtra == 0 && (extra > 0 || w.exclusive) { // which says that there was such a lock
			extra += wal.SizeOfXinfo
		}
		lsn := w.log.InsertPlain(wal.TransactionCommit, extra)
		w.committed(xid, lsn, wrote)
		for _, sub := range subs {
			w.committed(sub, lsn, wrote)
		}
		w.Counters.WritingCommits++
	}
	w.endTransaction()
}

// committed notes that a transaction has committed. One that has changed unlogged tables
// only is not flushed, whatever synchronous_commit says (RecordTransactionCommit).
func (w *Worker) committed(xid uint32, lsn wal.LSN, wrote bool) {
	if wrote {
		w.xacts.Committed(xid, lsn)
	} else {
		w.xacts.CommittedElsewhere(xid, lsn)
	}
}

// abort rolls the transaction back.
func (w *Worker) abort() {
	for _, t := range w.tables {
		t.heap.Pin(storage.InvalidBlock)
	}
	if xid := w.xacts.Current; xid != 0 {
		extra := 0
		if w.droppedFiles > 0 {
			extra = wal.AbortedFiles(w.droppedFiles)
		}
		w.named("files that go", extra)
		w.log.InsertPlain(wal.TransactionAbort, extra)
		w.xacts.Aborted(xid)
		undo(w.changes())
		restore(w.restore)
		for _, t := range w.tables {
			t.finder.reset()
		}
	}
	w.endTransaction()
}

// changed counts the rows of a table that a transaction has inserted and deleted.
type changed struct {
	table            *table
	inserts, deletes int64
}

// changes lists what the current transaction has changed.
func (w *Worker) changes() []changed {
	var list []changed
	for _, t := range w.tables {
		if c := &t.heap.Counters; t.began == w.Counters.Begins {
			list = append(list, changed{t, c.Inserts - t.before.Inserts, c.Deletes - t.before.Deletes})
		}
	}
	return list
}

// undo corrects the numbers of rows after a rollback.
func undo(list []changed) {
	for _, c := range list {
		c.table.heap.Undo(c.inserts, c.deletes)
	}
}

// needLookupXID is needXID for a row that was found.
func (w *Worker) needLookupXID() {
	if w.xacts.Current == 0 {
		w.Counters.LookupXIDs++
	}
	w.needXID()
}

// needXID gives the transaction its id, as its first change does.
func (w *Worker) needXID() {
	switch {
	case w.xacts.Current != 0:
	case w.xacts.Depth() > 0:
		w.assignXIDs()
	default:
		w.xacts.Current = w.nextXID()
	}
}

// needTopXID gives the transaction as a whole its id, but not the subtransaction that
// is open: that is enough for nextval.
func (w *Worker) needTopXID() {
	switch {
	case w.xacts.Current != 0:
	case w.xacts.Depth() > 0:
		w.xacts.AssignTop(w.nextXID)
	default:
		w.xacts.Current = w.nextXID()
	}
}

// nextXID returns a new transaction id (GetNewTransactionId).
func (w *Worker) nextXID() uint32 {
	x := &w.xacts
	xid := x.Next
	x.Next++
	if x.Next < firstXID {
		x.Next = firstXID
	}
	if xid%xidsPerCLOGPage == 0 || xid == firstXID {
		if d := w.log.Detail(); d != nil {
			d.Describe("page %d", xid/xidsPerCLOGPage)
		}
		w.log.InsertPlain(wal.CLOGZeroPage, 0)
	}
	if w.opts.Settings.TrackCommitTimestamp && (xid%xidsPerCommitTSPage == 0 || xid == firstXID) {
		if d := w.log.Detail(); d != nil {
			d.Describe("%d", xid/xidsPerCommitTSPage)
		}
		w.log.InsertPlain(wal.CommitTSZeroPage, 0)
	}
	w.assignedAt = w.log.InsertLSN()
	return xid
}
