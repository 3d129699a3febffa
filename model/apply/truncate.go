package apply

import (
	"slices"

	"applysim/model/stream"
	"applysim/wal"
)

// Sizes of what TRUNCATE writes. Source: REL_18_1,
// src/include/access/heapam_xlog.h (xl_heap_truncate).
const sizeOfRelid = 4

// applyTruncate applies a truncate: apply_handle_truncate. Only the tables that
// the message names are emptied, and the partitions of those that are partitioned
// here; the publisher has named all that its own command reached.
func (w *Worker) applyTruncate(m *stream.Message) error {
	tables, err := w.truncated(m)
	if err != nil {
		return err
	}
	return w.truncateTables(m, tables)
}

// truncated are the tables that a message of a truncate is about.
func (w *Worker) truncated(m *stream.Message) ([]*table, error) {
	if !w.inTransaction {
		return nil, w.protocol(m, "truncate outside a transaction: expected a begin before it")
	}
	var tables []*table
	seen := map[*table]bool{}
	add := func(t *table) {
		if !seen[t] {
			seen[t] = true
			tables = append(tables, t)
		}
	}
	for _, id := range m.RelationIDs {
		r := w.relations[id]
		if r == nil {
			return nil, w.protocol(m, "no relation message for relation %d before its first change", id)
		}
		if r.local == nil {
			if err := w.mapRelation(r); err != nil {
				return nil, err
			}
		}
		add(r.local)
		w.eachPartition(r.local, add)
	}
	return tables, nil
}

// truncateTables empties tables, as the flags of a message say (ExecuteTruncateGuts).
func (w *Worker) truncateTables(m *stream.Message, tables []*table) error {
	w.Counters.Truncates++
	for _, t := range tables {
		w.needXID()
		w.fire(t, "truncate")
		w.truncate(t)
	}
	if m.Flags&stream.TruncateRestartIdentity != 0 {
		for _, t := range tables {
			w.restartSequences(t)
		}
	}
	tables = slices.DeleteFunc(tables, func(t *table) bool { return t.schema.Unlogged })
	if w.opts.Settings.WALLevel == "logical" && len(tables) > 0 {
		w.named("object ids of the tables", sizeOfRelid*len(tables))
		w.log.InsertPlain(wal.HeapTruncate, sizeOfRelid*len(tables))
	}
	return nil
}

// truncate gives a table and its indexes new, empty files. Those of an index are
// written at once with a metapage; the old files go when the transaction commits.
// Files that the same transaction made are emptied in place. Each index is built
// anew, with a scan of the table that is counted.
func (w *Worker) truncate(t *table) {
	if t.schema.Kind == 'p' {
		return
	}
	w.touchTruncated(t)
	inserts, deletes := t.forgetCounts(w)
	// A new file takes an object id as its number, which can be one that has to be logged
	// (GetNewRelFileNumber).
	inPlace := t.newFiles == w.xacts.Current
	files := 0
	newFile := func() {
		if !inPlace {
			files++
			w.newOID()
		}
	}
	newFile()
	if t.toaster != nil {
		newFile()
	}
	t.seqScans += int64(len(t.indexes))
	refill := t.heap.Empty()
	again := []func(){func() {
		refill()
		t.heap.Undo(inserts, deletes)
	}}
	toast := func() {
		if o := t.toaster; o != nil {
			newFile()
			again = append(again, o.heap.Empty(), o.index.btree.Empty())
			w.initFork(t, o.index)
		}
	}
	// New indexes are built for the TOAST table first, before 17 last, and old ones
	// emptied last (reindex_relation, heap_truncate_one_rel).
	toastLast := inPlace || w.opts.Settings.ServerMajor < 17
	if !toastLast {
		toast()
	}
	for _, x := range t.indexes {
		newFile()
		if x.foreign != nil {
			x.foreign.am.Truncate()
		}
		switch {
		case x.brin != nil:
			again = append(again, x.brin.Empty(inPlace))
			w.initFork(t, x)
		case x.btree != nil:
			again = append(again, x.btree.Empty())
			w.initFork(t, x)
		case x.hash != nil:
			again = append(again, x.hash.empty())
		}
	}
	if toastLast {
		toast()
	}
	w.restore = append(w.restore, again...)
	t.finder.reset()
	if inPlace {
		return
	}
	t.newFiles = w.xacts.Current
	w.droppedFiles += files
	w.command += uint32(files) // each is a change of pg_class (RelationSetNewRelfilenumber)
}

// initFork logs the initialization fork of an index of an unlogged table: what the index
// is after a crash. A file of the same transaction has it already (index_build).
func (w *Worker) initFork(t *table, x *localIndex) {
	switch {
	case !t.schema.Unlogged || t.newFiles == w.xacts.Current:
	case x.brin != nil:
		x.brin.LogInit(w.log, x.rel)
	default:
		x.btree.LogInit(w.log, x.rel)
	}
}

// restore undoes truncations after a rollback, the last one first.
func restore(list []func()) {
	for _, again := range slices.Backward(list) {
		again()
	}
}

// count notes the table's counters before its first change in a transaction.
func (t *table) count(w *Worker) {
	if t.began != w.Counters.Begins {
		c := &t.heap.Counters
		t.began, t.before = w.Counters.Begins, rowCounts{c.Inserts, c.Updates, c.Deletes}
	}
}

// rowCounts are the heap's counters that a TRUNCATE or a rollback sets back.
type rowCounts struct{ Inserts, Updates, Deletes int64 }

// forgetCounts forgets the changes that the transaction has made before it truncates
// the table (pgstat_count_truncate), and returns how many they were.
func (t *table) forgetCounts(w *Worker) (inserts, deletes int64) {
	t.truncated = true
	if t.began == w.Counters.Begins {
		c := &t.heap.Counters
		inserts, deletes = c.Inserts-t.before.Inserts, c.Deletes-t.before.Deletes
		c.Inserts, c.Updates, c.Deletes = t.before.Inserts, t.before.Updates, t.before.Deletes
	}
	return inserts, deletes
}

// restartSequences sets the sequences that a table's columns own back to their
// start. A new file with one row is written for each.
func (w *Worker) restartSequences(t *table) {
	for i := range w.sequences {
		s := &w.sequences[i]
		if s.schema.Table != t.schema {
			continue
		}
		w.newOID()
		w.restart(s)
		w.droppedFiles++
		w.command++
	}
}

// eachPartition calls yield with all partitions below a table, depth first.
func (w *Worker) eachPartition(t *table, yield func(*table)) {
	for _, c := range t.schema.Children {
		if c.Parent != t.schema {
			continue
		}
		if p := w.byName[[2]string{c.Schema, c.Name}]; p != nil {
			yield(p)
			w.eachPartition(p, yield)
		}
	}
}
