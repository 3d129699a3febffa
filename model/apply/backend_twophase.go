package apply

// PREPARE TRANSACTION by a session, and what follows: twophase.c; which locks a session
// holds then: lock.c (AtPrepare_Locks) and where they are taken.

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Preparing says that the transaction at hand is going to be prepared: what its record
// lists is noted from now on.
func (b *Backend) Preparing() { b.w.twoPhase = true }

// Prepare ends the first phase of the transaction. A transaction that changed nothing gets
// an id all the same.
func (b *Backend) Prepare(gid string) error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	b.checks, b.deferred = append(b.checks, b.deferred...), b.deferred[:0]
	if err := b.checkKeys(); err != nil {
		return err
	}
	if b.prepared[gid] != nil {
		return b.w.stop("transaction identifier %q is already in use", gid)
	}
	if b.prepared == nil {
		b.prepared = map[string]*prepared{}
	}
	b.gid = gid
	b.prepared[gid] = b.w.prepareAs(gid)
	return nil
}

// FinishPrepared commits a prepared transaction or rolls it back.
func (b *Backend) FinishPrepared(gid string, commit bool) error {
	p := b.prepared[gid]
	if p == nil {
		return b.w.stop("prepared transaction with identifier %q does not exist", gid)
	}
	delete(b.prepared, gid)
	b.ending, b.gid = p.xid, gid
	b.w.finish(p, commit)
	b.w.ended = b.w.log.Total().Records
	return nil
}

// Prepared says whether a transaction of this name is prepared.
func (b *Backend) Prepared(gid string) bool { return b.prepared[gid] != nil }

// GID is the name of the transaction that was prepared or finished last.
func (b *Backend) GID() string { return b.gid }

// lockKind is a lock that is kept until the transaction ends, beside the one of a table
// whose rows are changed.
type lockKind byte

// The kinds: the locks of an INSERT, UPDATE or DELETE, of a query FOR KEY SHARE, and of
// one that only reads.
const (
	lockWrite lockKind = iota // RowExclusiveLock
	lockShare                 // RowShareLock
	lockRead                  // AccessShareLock
)

// held is such a lock.
type held struct {
	of   any // a table, or the schema of an index
	kind lockKind
}

// lockFor notes the locks of a statement on a table, and of the partitioned tables that it
// is a part of. A planner that looks for rows locks all indexes, too.
func (b *Backend) lockFor(t *table, kind lockKind, indexes bool) {
	w := b.w
	if !w.twoPhase || t == nil {
		return
	}
	w.touched.need()
	for ; t != nil; t = t.parent {
		if kind == lockWrite {
			w.touched.locks[t] = true
		} else {
			w.touched.locks[held{t, kind}] = true
		}
		if indexes {
			for _, x := range t.schema.Indexes {
				w.touched.locks[held{x, kind}] = true
			}
		}
	}
}

// lockStatement notes the locks of the current statement.
func (b *Backend) lockStatement(s *Statement) {
	kind := lockWrite
	if s.Read {
		kind = lockRead
	}
	b.lockFor(b.w.bySchema[s.Table], kind, s.Method != NoScan || s.Conflict)
}

// Reads notes that the current statement reads a table beside the one that it changes.
func (b *Backend) Reads(s *schema.Table) { b.lockFor(b.w.bySchema[s], lockRead, true) }

// noteRowLock notes that the transaction has changed or locked a row, so that it may be in
// a MultiXact.
func (b *Backend) noteRowLock() {
	if b.w.twoPhase {
		b.w.touched.rows = true
	}
}

// changesKey says whether the new version of a row, w.values, has another key than the old
// one (HeapDetermineColumnsInfo).
func (b *Backend) changesKey(t *table, old []datum.Value) bool {
	changed := make([]bool, len(old))
	for i := range old {
		changed[i] = !same(t.schema, i, &old[i], &b.w.values[i])
	}
	return b.setsKey(t, changed)
}

// subscriptionGID is the name under which a worker prepares a remote transaction.
func (w *Worker) subscriptionGID(m *stream.Message) string {
	return fmt.Sprintf("pg_gid_%d_%d", w.opts.SubscriptionOID, m.Xid)
}
