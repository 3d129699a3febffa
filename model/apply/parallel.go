package apply

// Parallel apply of streamed transactions, after applyparallelworker.c.
//
// With streaming = parallel, a streamed transaction is applied as it arrives by
// another worker process, which has its own memory of where rows go and reports its
// statistics by itself. Since the publisher may still roll back a subtransaction,
// each becomes one here too. How far a parallel worker is behind is not modelled:
// what it has got is applied before the leader goes on.

import (
	"slices"

	"applysim/heap"
	"applysim/model/stream"
	"applysim/wal"
)

// maxCachedSubxids is PGPROC_MAX_CACHED_SUBXIDS: after so many new
// subtransactions standbys are told whom they belong to. Source: REL_18_1,
// src/include/storage/proc.h.
const maxCachedSubxids = 64

// parallelApply is the leader's view of its parallel workers.
type parallelApply struct {
	pool   []*parallelWorker
	all    []*parallelWorker // in the order in which they were started
	active *parallelWorker   // the one that the current message is for, nil if it is the leader
	leader process
}

// process is what a worker process has for itself.
type process struct {
	backend heap.Backend
	targets []heap.Target
}

// parallelWorker is a parallel apply worker.
type parallelWorker struct {
	process
	remote uint32 // the remote transaction that it applies, 0 if it is idle

	begun        bool
	command      uint32
	droppedFiles int
	restore      []func()
	touched      touched
	savepoints   []savepoint
	levels       []level // of the open subtransactions

	// XLOG_XACT_ASSIGNMENT records, which are nobody's change, decide which
	// subtransactions must still name their top-level transaction.
	unreported int  // subtransactions that standbys do not know of
	topLogged  bool // some record has the top-level transaction's id

	since    []Statistics // of all tables when the worker's turn began
	done     []Statistics // of the current transaction
	undone   []Statistics // the part of it that was rolled back
	finished []map[string]Statistics
}

// savepoint is a remote subtransaction.
type savepoint struct {
	remote uint32
	depth  int          // of its subtransaction: one that was rolled back leaves an empty one behind
	before []Statistics // what of the transaction's work lasted when it began
}

// level is what there was of TRUNCATE, and for PREPARE, when a subtransaction began.
type level struct {
	droppedFiles, restore int
	touched               touched
	// topXID says that the next record of it carries the id of the top-level transaction.
	topXID bool
}

// find returns the parallel worker of a remote transaction, nil if it has none.
func (a *parallelApply) find(remote uint32) *parallelWorker {
	for _, p := range a.pool {
		if p.remote == remote && remote != 0 {
			return p
		}
	}
	return nil
}

// allocateWorker gives a streamed transaction a parallel worker: an idle one of the
// pool, or a new one. If there are too many, it has to be spooled
// (pa_allocate_worker).
func (w *Worker) allocateWorker(remote uint32) {
	if !w.opts.Parallel || w.opts.SkipConflicts || w.synchronizing != nil { // not while tables are being copied (pa_can_start)
		return
	}
	a := &w.parallel
	var p *parallelWorker
	if i := slices.IndexFunc(a.pool, func(q *parallelWorker) bool { return q.remote == 0 }); i >= 0 {
		p = a.pool[i]
	} else {
		if len(a.pool) >= w.opts.Settings.MaxParallelApplyWorkers {
			return
		}
		p = &parallelWorker{}
		p.targets = make([]heap.Target, len(w.heaps()))
		a.pool = append(a.pool, p)
		a.all = append(a.all, p)
	}
	p.remote = remote
	p.begun, p.topLogged, p.unreported = false, false, 0
	p.savepoints, p.levels = p.savepoints[:0], p.levels[:0]
	p.since, p.done, p.undone = nil, make([]Statistics, len(w.tables)), make([]Statistics, len(w.tables))
}

// freeWorker puts a parallel worker back into the pool, or stops it if there are
// more than half as many as allowed (pa_free_worker).
func (w *Worker) freeWorker(p *parallelWorker) {
	w.recordStatistics(p)
	p.remote = 0
	a := &w.parallel
	if len(a.pool) > w.opts.Settings.MaxParallelApplyWorkers/2 {
		a.pool = slices.DeleteFunc(a.pool, func(q *parallelWorker) bool { return q == p })
	}
}

// heaps are all heaps, TOAST tables included.
func (w *Worker) heaps() []*heap.Table {
	var heaps []*heap.Table
	for _, t := range w.tables {
		if t.heap == nil {
			continue
		}
		heaps = append(heaps, t.heap)
		if t.toaster != nil {
			heaps = append(heaps, t.toaster.heap)
		}
	}
	return heaps
}

// switchProcess makes another process the one that applies.
func (w *Worker) switchProcess(away, to *process) {
	w.xacts.Switch(&away.backend, &to.backend)
	heaps := w.heaps()
	if len(away.targets) < len(heaps) {
		away.targets = make([]heap.Target, len(heaps))
	}
	for i, h := range heaps {
		away.targets[i] = h.SwitchTarget(to.targets[i])
	}
}

// enter gives a parallel worker its turn.
func (w *Worker) enter(p *parallelWorker) {
	w.parallel.active = p
	w.switchProcess(&w.parallel.leader, &p.process)
	w.inTransaction = p.begun
	if p.begun {
		w.command, w.droppedFiles, w.restore, w.touched = p.command, p.droppedFiles, p.restore, p.touched
		for i, t := range w.tables {
			t.resume(w, p.lasting(i))
		}
	} else {
		w.begin()
		p.begun = true
	}
	w.twoPhase = true // it may turn out to be prepared
	p.since = w.statistics()
}

// leave ends a parallel worker's turn.
func (w *Worker) leave(p *parallelWorker) {
	w.settle(p)
	p.command, p.droppedFiles, p.restore, p.touched = w.command, w.droppedFiles, w.restore, w.touched
	p.since = nil
	w.inTransaction, w.twoPhase = false, false
	w.touched.reset()
	w.switchProcess(&p.process, &w.parallel.leader)
	w.parallel.active = nil
}

// startSubtransaction defines a savepoint when the first change of a remote
// subtransaction arrives. It is never released (pa_start_subtrans).
func (w *Worker) startSubtransaction(remote uint32) {
	p := w.parallel.active
	if remote == 0 || remote == p.remote || p.savepoint(remote) >= 0 {
		return
	}
	if w.xacts.Depth() == 0 {
		p.topLogged = w.xacts.Current != 0
	}
	w.settle(p)
	before := make([]Statistics, len(w.tables))
	for i := range before {
		before[i] = p.lasting(i)
	}
	w.savepoint(p)
	p.savepoints = append(p.savepoints, savepoint{remote, w.xacts.Depth(), before})
}

// lasting is what the current transaction has done to a table, rollbacks left out.
func (p *parallelWorker) lasting(table int) Statistics { return p.done[table].Sub(p.undone[table]) }

// savepoint begins a subtransaction.
func (w *Worker) savepoint(p *parallelWorker) {
	if d := w.xacts.Depth(); d > 0 {
		p.levels[d-1].topXID = w.log.TopXIDPending()
	}
	w.log.ForgetTopXID()
	w.xacts.Savepoint()
	p.levels = append(p.levels, level{droppedFiles: w.droppedFiles, restore: len(w.restore), touched: w.touched.clone()})
}

// resumeLevel goes on in the subtransaction around one that has ended: its next record is
// the first one if its id was given out for the sake of the latter's.
func (w *Worker) resumeLevel(p *parallelWorker) {
	w.log.ForgetTopXID()
	if d := w.xacts.Depth(); d > 0 && p.levels[d-1].topXID {
		w.log.LogTopXID()
	}
}

// resume notes what a parallel worker has already done to a table in its current
// transaction, so that count goes on from there.
func (t *table) resume(w *Worker, done Statistics) {
	t.began = 0
	if done == (Statistics{}) {
		return
	}
	c := &t.heap.Counters
	t.began = w.Counters.Begins
	t.before = rowCounts{c.Inserts - done.Inserts, c.Updates - done.Updates, c.Deletes - done.Deletes}
}

// savepoint returns the position of a remote subtransaction, -1 if it has none.
func (p *parallelWorker) savepoint(remote uint32) int {
	return slices.IndexFunc(p.savepoints, func(s savepoint) bool { return s.remote == remote })
}

// assignXIDs gives the current subtransaction its id, and before it those around
// it.
func (w *Worker) assignXIDs() {
	p := w.parallel.active
	logical := w.opts.Settings.WALLevel == "logical"
	depth := w.xacts.Depth()
	pending := logical
	w.xacts.AssignAll(func(d int) uint32 {
		xid := w.nextXID()
		if d == 0 {
			return xid
		}
		if d < depth {
			p.levels[d-1].topXID = logical
		}
		p.unreported++
		if p.unreported >= maxCachedSubxids || logical && !p.topLogged {
			// The assignment record: it is the subtransaction's first one itself.
			p.unreported, p.topLogged = 0, true
			pending = pending && d < depth
		}
		return xid
	})
	if pending {
		w.log.LogTopXID()
	}
}

// abortParallel rolls a streamed transaction back, or one of its subtransactions
// with all that came after it. The latter's savepoint is defined again
// (pa_stream_abort).
func (w *Worker) abortParallel(p *parallelWorker, m *stream.Message) error {
	w.enter(p)
	defer w.leave(p)
	depth, before := 0, make([]Statistics, len(w.tables))
	if m.SubXid != m.Xid {
		i := p.savepoint(m.SubXid)
		if i < 0 {
			return nil
		}
		depth, before = p.savepoints[i].depth, p.savepoints[i].before
		p.savepoints = p.savepoints[:i]
	}
	w.settle(p)
	w.xacts.Rollback(depth, func(d int, xid uint32) {
		var start level
		if d > 0 {
			start = p.levels[d-1]
			p.levels = p.levels[:d-1]
			w.touched.rollBack(start.touched)
		}
		if xid == 0 {
			return
		}
		extra := wal.AbortMainData()
		if n := w.droppedFiles - start.droppedFiles; n > 0 {
			extra += wal.DroppedFiles(n)
		}
		if d := w.log.Detail(); d != nil {
			d.MainWithOrigin("which parts there are, the origin's LSN and time, files that go", extra)
		}
		w.ownXID = xid
		w.log.ForgetTopXID() // it is over by then (IsSubxactTopXidLogPending)
		w.log.InsertPlain(wal.TransactionAbort, extra)
		w.ownXID = 0
		restore(w.restore[start.restore:])
		w.droppedFiles, w.restore = start.droppedFiles, w.restore[:start.restore]
	})
	for i, t := range w.tables {
		t.finder.reset()
		gone := p.lasting(i).Sub(before[i])
		t.heap.Undo(gone.Inserts, gone.Deletes)
		p.undone[i].Add(gone)
	}
	if depth > 0 {
		w.resumeLevel(p)
		w.savepoint(p)
		return nil
	}
	w.endTransaction()
	return nil
}

// finishParallel commits or prepares a streamed transaction.
func (w *Worker) finishParallel(p *parallelWorker, m *stream.Message) {
	w.enter(p)
	if m.Kind == stream.KindStreamPrepare {
		w.prepare(m)
	} else {
		w.commit()
	}
	w.leave(p)
	w.freeWorker(p)
}
