package apply

// A backend of the publisher: the same tables, indexes and WAL, changed by SQL
// statements of a session instead of an apply worker.

import (
	"fmt"
	"slices"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
	"applysim/wal/storage"
)

// Backend is a session that runs SQL on simulated tables. What its statements do to
// rows it is told by messages of a change stream, in the order in which they were
// changed; how the statements found the rows, by Statements.
//
// It differs from an apply worker in this: records carry no replication origin, rows
// are not locked before they are updated or deleted, statements find rows by scans
// with a snapshot, which read pages as a whole and prune them, an index is told which
// columns the statement sets, and foreign keys are checked.
type Backend struct {
	// Doubts are assumptions that did not hold: a row that the statement's scan did not
	// come to, by table.
	Doubts map[string]int64
	// Checked is how many rows were looked for to which others refer, Left how often rows
	// were looked for that refer to one which goes.
	Checked, Left int64

	w         *Worker
	p         parallelWorker // what it knows of its subtransactions
	names     []string       // of the open savepoints
	counts    []map[*table]rowCounts
	statement *Statement
	scan      *backendScan
	copying   *copying   // the COPY under way
	checks    []keyCheck // foreign keys to check at the end of the statement,
	deferred  []keyCheck // and of the transaction
	keys      map[*table][]*foreignKey
	referring map[*table][]*foreignKey
	feeder    Feeder
	drawn     map[*table][]drawn

	truncating []*schema.Table
	ending     uint32
	prepared   map[string]*prepared // by name
	gid        string               // of the last one
	fill       map[int]datum.Value
}

// NewBackend returns a session on the tables of a schema, all empty. Options are those
// of a worker, as far as they are not about a subscription.
func NewBackend(db *schema.Database, o Options) (*Backend, error) {
	o.backend, o.LocalHint = true, false
	w, err := New(db, o)
	if err != nil {
		return nil, err
	}
	w.commitExtra = wal.CommitMainData(o.Settings.WALLevel == "logical", false)
	b := &Backend{w: w, Doubts: map[string]int64{}, drawn: map[*table][]drawn{}}
	w.parallel.active = &b.p
	b.addKeys(db)
	return b, nil
}

// Worker is what the session works on: tables, counters, WAL.
func (b *Backend) Worker() *Worker { return b.w }

// Begin begins a transaction.
func (b *Backend) Begin(now stream.Timestamp) {
	b.w.begin()
	b.w.evaluation.Now = int64(now)
	b.p.topLogged, b.p.unreported, b.w.exclusive = false, 0, false
	b.p.levels, b.names, b.counts = b.p.levels[:0], b.names[:0], b.counts[:0]
}

// Commit ends the transaction.
func (b *Backend) Commit() error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	if b.deferred != nil {
		// What was deferred happens in the transaction itself, its subtransactions are over.
		for len(b.names) > 0 {
			if err := b.Release(b.names[len(b.names)-1]); err != nil {
				return err
			}
		}
	}
	b.checks, b.deferred = append(b.checks, b.deferred...), b.deferred[:0]
	if err := b.checkKeys(); err != nil {
		return err
	}
	b.w.commit()
	return nil
}

// Rollback rolls the whole transaction back.
func (b *Backend) Rollback() error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	b.deferred = b.deferred[:0]
	b.rollback(0)
	b.w.endTransaction()
	return nil
}

// Savepoint begins a subtransaction.
func (b *Backend) Savepoint(name string) error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	w := b.w
	if w.xacts.Depth() == 0 {
		// Changes of unlogged tables give a transaction an id that no record has.
		b.p.topLogged = w.xacts.Current != 0 && w.log.InsertLSN() != w.assignedAt
	}
	w.savepoint(&b.p)
	counts := map[*table]rowCounts{}
	for _, t := range w.tables {
		c := &t.heap.Counters
		counts[t] = rowCounts{c.Inserts, c.Updates, c.Deletes}
	}
	b.names, b.counts = append(b.names, name), append(b.counts, counts)
	return nil
}

// Release ends a savepoint's subtransaction and those within it well.
func (b *Backend) Release(name string) error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	n, err := b.named(name)
	if err != nil {
		return err
	}
	b.w.xacts.ReleaseTo(n)
	b.p.levels, b.names, b.counts = b.p.levels[:n], b.names[:n], b.counts[:n]
	b.w.resumeLevel(&b.p)
	return nil
}

// RollbackTo rolls back what has been done since a savepoint, which stays.
func (b *Backend) RollbackTo(name string) error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	n, err := b.named(name)
	if err != nil {
		return err
	}
	b.rollback(n + 1)
	b.names, b.counts = b.names[:n], b.counts[:n]
	b.w.resumeLevel(&b.p)
	return b.Savepoint(name)
}

// named is the depth of a savepoint, 0 for the outermost one.
func (b *Backend) named(name string) (int, error) {
	for i, n := range slices.Backward(b.names) {
		if n == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("savepoint %q does not exist", name)
}

// rollback rolls subtransactions from a depth on back, the innermost first; with depth 0
// the transaction itself, too (AbortSubTransaction, AbortTransaction).
func (b *Backend) rollback(depth int) {
	w := b.w
	for _, t := range w.tables {
		t.heap.Pin(storage.InvalidBlock)
		t.finder.reset()
	}
	if depth == 0 && len(b.names) == 0 && w.xacts.Children(0) == 0 {
		w.abort()
		return
	}
	w.xacts.Rollback(depth, func(d int, xid uint32) {
		var start level
		if d > 0 {
			start = b.p.levels[d-1]
			b.p.levels = b.p.levels[:d-1]
			w.touched.rollBack(start.touched)
			for _, t := range w.tables {
				c := &t.heap.Counters
				before := b.counts[d-1][t]
				t.heap.Undo(c.Inserts-before.Inserts, c.Deletes-before.Deletes)
			}
		}
		if xid == 0 {
			return
		}
		extra := 0
		if n := w.xacts.Children(d); n > 0 {
			extra += wal.Subtransactions(n)
			w.named("subtransactions", wal.Subtransactions(n))
		}
		if n := w.droppedFiles - start.droppedFiles; n > 0 {
			extra += wal.DroppedFiles(n)
			w.named("dropped files", wal.DroppedFiles(n))
		}
		if extra > 0 || w.exclusive {
			w.named("which parts there are", wal.SizeOfXinfo)
			extra += wal.SizeOfXinfo // it also says that there was an AccessExclusiveLock
		}
		b.ending = xid
		w.log.ForgetTopXID()
		w.log.InsertPlain(wal.TransactionAbort, extra)
		restore(w.restore[start.restore:])
		w.droppedFiles, w.restore = start.droppedFiles, w.restore[:start.restore]
	})
}

// XIDs are the ids of the current transaction, or subtransaction, and of the transaction
// as a whole.
func (b *Backend) XIDs() (xid, top uint32) {
	x := &b.w.xacts
	return x.Current, x.Top()
}

// Logged is what a record of a row change of a table has, when the log hands it out.
func (b *Backend) Logged(rel wal.RelID) heap.Logged {
	for _, t := range b.w.tables {
		if t.rel == rel {
			return t.heap.Logged()
		}
	}
	return heap.Logged{}
}

// Ending is the id of the transaction or subtransaction of the last record of a rollback,
// or of the second phase of a prepared transaction.
func (b *Backend) Ending() uint32 { return b.ending }

// Describe takes a relation message: it says what the columns of the changes that
// follow are.
func (b *Backend) Describe(m *stream.Message) error { return b.w.apply(m) }

// Change carries out a row change, or a TRUNCATE, of the current statement.
func (b *Backend) Change(m *stream.Message) error {
	w := b.w
	w.message = m.Number
	w.Counters.Messages++
	if !w.inTransaction {
		return w.protocol(m, "%s outside a transaction: expected a begin before it", m.Kind)
	}
	if m.Kind == stream.KindTruncate {
		return b.truncate(m)
	}
	r, err := w.open(m)
	if err != nil {
		return err
	}
	switch m.Kind {
	case stream.KindInsert:
		w.Counters.Inserts++
		if err := w.read(r, m, m.New); err != nil {
			return err
		}
		for i := range r.columns {
			if v, ok := b.fill[i]; ok && r.columns[i].remote < 0 {
				w.values[i] = v
			}
		}
		if err := b.draw(r.local); err != nil {
			return err
		}
		if b.copying != nil {
			return b.copying.add(r.local, w.values, b.copiedLine(r, m))
		}
		return b.insert(r.local)
	case stream.KindUpdate, stream.KindDelete:
		tid, ok, err := b.locate(r, m)
		if err != nil {
			return err
		}
		if !ok {
			return w.stop("the row that a statement on %s changed is not there: expected one as the %s says", r.local.schema.QualifiedName(), m.Kind)
		}
		if m.Kind == stream.KindDelete {
			w.Counters.Deletes++
			return b.delete(r.local, tid)
		}
		w.Counters.Updates++
		return b.update(r, m, tid)
	}
	return w.protocol(m, "%s: expected a change", m.Kind)
}

// lockExclusively notes that the transaction locks a table against all others. Standbys
// are told, and that record is the first of its subtransaction.
func (b *Backend) lockExclusively() {
	b.w.exclusive = true
	b.w.needXID()
	b.w.log.ForgetTopXID()
}

// insert inserts the row in w.values (ExecInsert).
func (b *Backend) insert(t *table) error {
	if s := b.statement; s == nil || s.Table == t.schema {
		b.w.readQual(t) // rows that come from above fit by the way they came
	}
	t.asInserted(b.w.values)
	conflict := b.arbitrates(t)
	if conflict {
		// Looking at the rows that may conflict leaves traces.
		if _, found := b.conflicting(t, b.w.values); found {
			return b.w.stop("a row of %s that ON CONFLICT has inserted is there: expected it to conflict", t.schema.QualifiedName())
		}
	}
	if err := b.w.insertRow(t, b.w.values); err != nil {
		return err
	}
	if conflict {
		t.heap.Confirm(b.w.inserted)
	}
	b.lockFor(t, lockWrite, false)
	b.referTo(t, b.w.values, nil, b.w.inserted, false)
	return nil
}

// delete deletes a row (ExecDelete).
func (b *Backend) delete(t *table, tid storage.TID) error {
	b.reach(t, tid)
	return b.deleteFound(t, tid)
}

// deleteFound deletes a row that the statement's scan has come to.
func (b *Backend) deleteFound(t *table, tid storage.TID) error {
	w := b.w
	row := b.row(t, tid)
	w.needXID()
	b.noteRowLock()
	if t.rowTrigger("delete") {
		t.heap.LockRow(tid, heap.LockUpdate)
	}
	w.deleteRow(t, tid)
	b.referredFrom(t, row, nil)
	return nil
}

// update replaces a row (ExecUpdate). The new values are those of the message, and the
// old ones where it says that they did not change.
func (b *Backend) update(r *relation, m *stream.Message, tid storage.TID) error {
	w, t := b.w, r.local
	if len(m.New) != len(r.remote.Columns) {
		return w.protocol(m, "%d columns, expected %d as the relation message has", len(m.New), len(r.remote.Columns))
	}
	if b.arbitrates(t) {
		if err := b.conflicts(r, m, tid); err != nil {
			return err
		}
	} else {
		b.reach(t, tid)
	}
	old := b.row(t, tid)
	b.compute(t, old)
	scratch := w.scratch[:0]
	for i := range r.columns {
		c := &r.columns[i]
		if c.remote < 0 || m.New[c.remote].Format == stream.ColumnUnchanged {
			w.values[i] = old[i]
			continue
		}
		var err error
		if scratch, err = c.value(&w.values[i], &m.New[c.remote], scratch); err != nil {
			return w.stop("%v", err)
		}
		identity := r.remote.Columns[c.remote].Flags&1 != 0
		if !old[i].Null && (old[i].Form == datum.Compressed || old[i].Form == datum.External && identity) {
			// The message has it whole, out of line only since it is part of the replica
			// identity. If it is the same the statement has left it alone, as it is stored.
			if plain := t.known(&old[i]); !w.values[i].Null && c.identical(&plain, &w.values[i]) {
				w.values[i] = old[i]
			}
		}
	}
	w.scratch = scratch
	return b.replace(t, tid, old)
}

// compute reads what the expressions of the statement's SET list need of a row and what is
// stored out of line.
func (b *Backend) compute(t *table, old []datum.Value) {
	s := b.statement
	if s == nil || s.Table != t.schema {
		return
	}
	for _, i := range s.Computes {
		if !old[i].Null && old[i].Form == datum.External {
			t.plain(&old[i])
		}
	}
}

// replace writes the new version of a row, w.values, and its index entries.
func (b *Backend) replace(t *table, tid storage.TID, old []datum.Value) error {
	w := b.w
	set := make([]bool, len(old))
	for i := range old {
		set[i] = b.sets(t, old, i)
	}
	changed := func(column int) bool { return set[column] }
	if err := w.complete(t, w.values, changed); err != nil {
		return err
	}
	w.readQual(t)
	w.needXID()
	if w.twoPhase && !b.changesKey(t, old) {
		b.noteRowLock() // other sessions may lock the key meanwhile
	}
	if t.rowTrigger("update") {
		t.heap.LockRow(tid, updateLock(b.setsKey(t, set)))
	}
	t.finder.gone(w, tid)
	w.touch(t)
	t.count(w)
	madeHere := t.heap.MadeHere(tid)
	u, err := t.heap.Update(tid, w.values, w.command)
	if err != nil {
		return w.heapError(err)
	}
	t.finder.added(w.values, u.TID)
	b.referredFrom(t, old, w.values)
	b.referTo(t, w.values, old, u.TID, madeHere)
	if u.HOT && !u.Summarized {
		return nil
	}
	for _, x := range t.indexes {
		if u.HOT && x.brin == nil {
			continue
		}
		dup, err := x.insert(w.values, u.TID, x.unchanged(changed))
		if err != nil {
			return w.indexError(t, err)
		}
		if dup && x.enforced() {
			return w.stop("duplicate key value violates unique constraint %q", x.schema.Name)
		}
		if x.exclusion {
			if passed, err := w.exclude(t, x, u.TID, w.values); !passed {
				return err
			}
		}
	}
	return nil
}

// updateLock is the lock of a row that is going to be updated.
func updateLock(key bool) heap.RowLock {
	if key {
		return heap.LockUpdate
	}
	return heap.LockNoKeyUpdate
}

// unchanged is the executor's hint that an update leaves an index alone: none of its
// key columns is among those that the statement sets (index_unchanged_by_update).
func (x *localIndex) unchanged(changed func(column int) bool) bool {
	for i, k := range x.schema.Keys {
		if k.Column >= 0 {
			if changed(k.Column) {
				return false
			}
		} else if slices.ContainsFunc(x.exprs[i].Columns(), changed) {
			return false
		}
	}
	return true
}

// sets says whether the current statement sets a column: its SET list names it, or if
// that is not known the column's value changes; a generated column is set with those
// that it is computed from.
func (b *Backend) sets(t *table, old []datum.Value, column int) bool {
	for i := range t.generated {
		if g := &t.generated[i]; g.column == column {
			return slices.ContainsFunc(g.expr.Columns(), func(n int) bool { return b.sets(t, old, n) })
		}
	}
	if s := b.statement; s != nil && s.Set != nil && s.Table == t.schema {
		return slices.Contains(s.Set, column)
	}
	return !same(t.schema, column, &old[column], &b.w.values[column])
}

// same says whether two values of a column are stored the same.
func same(s *schema.Table, column int, a, b *datum.Value) bool {
	if a.Null || b.Null {
		return a.Null == b.Null
	}
	attr := s.Columns[column].Attr()
	return a.Form == b.Form && attr.Word(a) == attr.Word(b) && string(a.Bytes) == string(b.Bytes)
}

// identical says whether two plain values are the same, byte by byte.
func (c *localColumn) identical(a, b *datum.Value) bool {
	attr := c.typ.Attr()
	return attr.Word(a) == attr.Word(b) && string(a.Bytes) == string(b.Bytes)
}

// locate finds the row that a message is about without a trace: how the statement found
// it is another matter. The row as the message has it is in w.values.
func (b *Backend) locate(r *relation, m *stream.Message) (storage.TID, bool, error) {
	w, t := b.w, r.local
	old := m.Old
	if m.OldKind == stream.OldNone {
		old = m.New
	}
	if len(old) != len(r.remote.Columns) {
		return storage.TID{}, false, w.protocol(m, "%d columns of the old row, expected %d as the relation message has", len(old), len(r.remote.Columns))
	}
	scratch := w.scratch[:0]
	w.evaluation.Reset()
	for i := range r.columns {
		c := &r.columns[i]
		w.values[i] = datum.Value{Null: true}
		if c.remote < 0 {
			continue
		}
		var err error
		if scratch, err = c.value(&w.values[i], &old[c.remote], scratch); err != nil {
			return storage.TID{}, false, w.stop("%v", err)
		}
	}
	w.scratch = scratch
	if x := t.identity; x != nil && x.btree != nil && x.foreign == nil {
		x.projectPlain(w.values)
		entries := x.btree.Read(x.values[:len(x.schema.Keys)], nil)
		for {
			tid, ok := entries.Next()
			if !ok {
				return storage.TID{}, false, nil
			}
			if found, ok := t.heap.Peek(tid); ok {
				return found, true, nil
			}
		}
	}
	if m.OldKind != stream.OldRow {
		return storage.TID{}, false, w.stop("%s of a row of %s without its key: expected one in the message", m.Kind, t.schema.QualifiedName())
	}
	if t.finder.rows == nil {
		t.finder.build(w, r)
	}
	start := storage.BlockNumber(0)
	if b.scan != nil && b.scan.table == t {
		start = b.scan.block()
	}
	tid, ok := t.finder.first(w, r, start)
	return tid, ok, nil
}
