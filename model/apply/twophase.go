package apply

// Two-phase commit, after twophase.c and worker.c.

import (
	"maps"

	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// What follows the header in a prepared transaction's state file, which the record
// carries; each part is aligned. Source: REL_18_1,
// src/backend/access/transam/twophase.c.
const (
	prepareLock      = 32 // TwoPhaseLockRecord with its record's header
	prepareStats     = 64 // TwoPhasePgStatRecord with its record's header
	prepareMultiXact = 16 // the oldest MultiXactId that may matter to it
	prepareEnd       = 8  // the end record
	sizeOfXID        = 4
)

// prepared is a transaction that is prepared and neither committed nor rolled
// back yet.
type prepared struct {
	xid     uint32
	subs    []uint32 // its subtransactions
	gid     string   // the subscriber's own: subscription and remote transaction
	dropped int
	changes []changed
	restore []func() // gives truncated relations their files back
}

// touched is what a transaction has done to a relation, as far as PREPARE must
// know.
type touched struct {
	relations map[any]bool // changed: their statistics are kept
	locks     map[any]bool // locked until the transaction ends
	rows      bool         // row locks were taken
}

func (t *touched) reset() { *t = touched{} }

// clone copies what was done so far, when a subtransaction begins.
func (t *touched) clone() touched {
	return touched{maps.Clone(t.relations), maps.Clone(t.locks), t.rows}
}

// rollBack goes back to what was done before a subtransaction that is rolled back:
// its locks are released, its statistics dropped. The session remembers that it may
// be in a MultiXact (AtPrepare_MultiXact).
func (t *touched) rollBack(to touched) {
	t.relations, t.locks = to.relations, to.locks
}

// need makes the maps, which most transactions do without.
func (t *touched) need() {
	if t.locks == nil {
		t.relations, t.locks = map[any]bool{}, map[any]bool{}
	}
}

// touch notes a change of a table.
func (w *Worker) touch(t any) {
	if w.twoPhase {
		w.touched.need()
		w.touched.relations[t] = true
		w.touched.locks[t] = true
	}
}

// lockRelation notes that a relation stays locked until the end.
func (w *Worker) lockRelation(r any) {
	if w.twoPhase {
		w.touched.need()
		w.touched.locks[r] = true
	}
}

// strong is a lock on a relation beside the one that a change of rows takes.
type strong struct {
	relation any
	mode     byte // 'x' AccessExclusiveLock, 's' ShareLock
}

// touchTruncated notes what TRUNCATE locks: the table and what belongs to it, and
// the table once more to build its indexes. It changes pg_class, too.
func (w *Worker) touchTruncated(t *table) {
	if !w.twoPhase {
		return
	}
	w.touched.need()
	locks := w.touched.locks
	locks[strong{t, 'x'}], locks[strong{t, 's'}] = true, true
	for _, x := range t.indexes {
		locks[strong{x, 'x'}] = true
	}
	if o := t.toaster; o != nil {
		locks[strong{o, 'x'}], locks[strong{o, 's'}], locks[strong{o.index, 'x'}] = true, true, true
	}
	w.touched.relations["pg_class"] = true
	w.touched.rows = true
}

// prepare ends the first phase of a transaction: apply_handle_prepare. A
// transaction that changed nothing gets an id all the same.
func (w *Worker) prepare(m *stream.Message) { w.prepared[m.Xid] = w.prepareAs(w.subscriptionGID(m)) }

// prepareAs prepares the current transaction under a name.
func (w *Worker) prepareAs(gid string) *prepared {
	subs := w.xacts.Release()
	w.needXID()
	xid := w.xacts.Current
	size := storage.MaxAlign(len(gid)+1) +
		prepareLock*(1+len(w.touched.locks)) + prepareStats*len(w.touched.relations) + prepareEnd
	size += storage.MaxAlign(wal.SizeOfXID * len(subs))
	if w.touched.rows {
		size += prepareMultiXact
	}
	if w.droppedFiles > 0 {
		// The old files go with a commit, the new ones with a rollback.
		size += 2 * storage.MaxAlign(wal.FileLocators(w.droppedFiles))
	}
	w.log.ForgetTopXID()
	w.named("locks, statistics, subtransactions, files, the transaction's name", size)
	w.log.InsertPlain(wal.TransactionPrepare, size)
	p := &prepared{xid: xid, subs: subs, gid: gid, dropped: w.droppedFiles, changes: w.changes(), restore: w.restore}
	w.xacts.Prepare(subs)
	w.Counters.Prepares++
	w.endTransaction()
	return p
}

// prepareNothing prepares an empty transaction in the place of one whose changes were
// passed over, as its second phase will come.
func (w *Worker) prepareNothing(m *stream.Message) {
	w.begin()
	w.twoPhase = true
	w.prepare(m)
}

// finishPrepared commits a prepared transaction or rolls it back. The rollback of
// one that is not there is passed over.
func (w *Worker) finishPrepared(m *stream.Message, commit bool) error {
	p := w.prepared[m.Xid]
	if p == nil {
		if commit {
			return w.stop("prepared transaction with identifier %q does not exist", w.subscriptionGID(m))
		}
		return nil
	}
	delete(w.prepared, m.Xid)
	w.finish(p, commit)
	return nil
}

// finish commits a prepared transaction or rolls it back.
func (w *Worker) finish(p *prepared, commit bool) {
	w.Counters.Finished++
	extra := w.commitExtra + sizeOfXID + wal.Subtransactions(len(p.subs))
	if w.commitExtra == 0 {
		extra += wal.SizeOfXinfo
	}
	if w.opts.Settings.WALLevel == "logical" {
		extra += len(p.gid) + 1
	}
	if p.dropped > 0 {
		extra += wal.DroppedFiles(p.dropped)
	}
	w.named("origin and its LSN, the prepared transaction's id, subtransactions, files", extra)
	if commit {
		lsn := w.log.InsertPlain(wal.TransactionCommitPrepared, extra)
		for _, xid := range append(p.subs, p.xid) {
			w.xacts.FinishPrepared(xid)
			w.xacts.Committed(xid, lsn)
		}
		w.Counters.WritingCommits++
		return
	}
	w.log.InsertPlain(wal.TransactionAbortPrepared, extra)
	undo(p.changes)
	restore(p.restore)
	for _, xid := range append(p.subs, p.xid) {
		w.xacts.FinishPrepared(xid)
		w.xacts.Aborted(xid)
	}
	for _, t := range w.tables {
		t.finder.reset()
	}
}
