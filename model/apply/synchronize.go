package apply

// Initial synchronisation of tables, after tablesync.c: a worker of its own copies a table's
// rows, applies what was changed meanwhile and ends; the apply worker passes over the
// table's changes until then.

import (
	"fmt"
	"slices"

	"applysim/heap"
	"applysim/model/stream"
)

// TableCopy is a table that a synchronisation worker copies.
type TableCopy struct {
	Schema, Table string
	Columns       []string // that the publisher sends
	Rows          CopyRows
	// Binary says that rows come in binary format: only their number limits a batch.
	Binary bool
	// CatchUp gives the messages of the worker's own stream, one after the other; nil if
	// nothing was changed while it copied. It may have those of other tables.
	CatchUp func(apply func(*stream.Message) error) error
}

// CopyRows are the rows of a copy, numbered from 0.
type CopyRows interface {
	Len() int
	// Row returns the values of a row's columns, good until the next call, and the length
	// of its line in COPY's text format, bytes, without the line's end.
	Row(n int) (values stream.Tuple, line int)
}

// synchronization is which changes a worker passes over.
type synchronization struct {
	pending []*table // are not there yet: the apply worker passes over their changes
	only    *table   // the one that a synchronisation worker is for; nil for the apply worker
	// worker is the synchronisation worker that is about to copy; nil if there is none.
	worker *process
}

// Transactions that the steps of a synchronisation take, of changes to the catalogs alone.
// Source: REL_18_1, src/backend/replication/logical/tablesync.c.
const (
	beforeCopy = 1 // the state DATASYNC
	afterCopy  = 3 // SYNCDONE; the origin goes; READY, by the apply worker
)

// releaseOriginFirst is the minor release of 18 since which the replication origin is made
// in the transaction of DATASYNC: before, the copy's transaction made it, and had an id from
// then on.
const releaseOriginFirst = 2

// Refresh notes that tables are part of the subscription now and have to be copied: until
// SynchronizeTable has done so, the apply worker passes over their changes. The catalogs are
// not modelled, but for the transaction's id.
func (w *Worker) Refresh(tables [][2]string) error {
	if w.inTransaction {
		return fmt.Errorf("a subscription cannot be refreshed within a transaction")
	}
	for _, name := range tables {
		t := w.byName[name]
		if t == nil {
			return fmt.Errorf("table \"%s.%s\" does not exist", name[0], name[1])
		}
		if w.synchronizing == nil {
			w.synchronizing = &synchronization{}
		}
		if !slices.Contains(w.synchronizing.pending, t) {
			w.synchronizing.pending = append(w.synchronizing.pending, t)
		}
	}
	w.xacts.Next++
	w.startSynchronization()
	return nil
}

// startSynchronization starts the worker of the next table that waits: a process of its
// own, which knows nothing of where rows went before.
func (w *Worker) startSynchronization() {
	s := w.synchronizing
	if s == nil || s.worker != nil || len(s.pending) == 0 {
		return
	}
	s.worker = &process{targets: make([]heap.Target, len(w.heaps()))}
	w.xacts.Next += beforeCopy
	if w.opts.Settings.ServerMinor < releaseOriginFirst {
		w.switchProcess(&w.parallel.leader, s.worker)
		w.xacts.Current = w.nextXID()
		w.switchProcess(s.worker, &w.parallel.leader)
	}
}

// SynchronizeTable copies a table's rows and applies what has changed meanwhile, as the
// table's own worker does. Its catalog changes are left out, but for their ids.
func (w *Worker) SynchronizeTable(c *TableCopy) error {
	t := w.byName[[2]string{c.Schema, c.Table}]
	switch {
	case t == nil:
		return fmt.Errorf("table \"%s.%s\" does not exist", c.Schema, c.Table)
	case w.inTransaction:
		return fmt.Errorf("table %q cannot be copied within a transaction", c.Table)
	}
	before := w.synchronizing
	if before == nil || before.worker == nil {
		return fmt.Errorf("table %q is not to be copied: expected a refresh of the subscription before it", c.Table)
	}
	own := before.worker
	before.worker = nil
	w.switchProcess(&w.parallel.leader, own)
	relations, origin := w.relations, w.origin
	w.relations, w.last = map[uint32]*relation{}, nil
	w.synchronizing = &synchronization{only: t}

	err := w.copyTable(t, c)
	if err == nil && c.CatchUp != nil {
		// The apply worker waits for this one with a snapshot of the catalogs, which it renews
		// each second only (wait_for_relation_state_change): what goes now cannot be pruned.
		w.xacts.Hold()
		err = c.CatchUp(w.Apply)
		w.xacts.ReleaseSnapshot()
	}

	w.synchronizing = nil
	before.pending = slices.DeleteFunc(before.pending, func(p *table) bool { return p == t })
	if len(before.pending) > 0 {
		w.synchronizing = before
	}
	for _, r := range w.relations {
		w.retire(r)
	}
	w.relations, w.last, w.origin = relations, nil, origin
	w.switchProcess(own, &w.parallel.leader)
	if err == nil {
		w.xacts.Next += afterCopy
		w.startSynchronization()
	}
	return err
}

// copyTable copies the rows in one transaction (copy_table).
func (w *Worker) copyTable(t *table, c *TableCopy) error {
	r := &relation{remote: &stream.Relation{Namespace: c.Schema, Name: c.Table}}
	for _, name := range c.Columns {
		r.remote.Columns = append(r.remote.Columns, stream.RelationColumn{Name: name})
	}
	if err := w.mapRelation(r); err != nil {
		return err
	}
	xid := w.xacts.Current // that of the replication origin
	w.begin()
	w.xacts.Current = xid
	records := w.log.Total().Records
	copying := w.newCopy(t, func(column int) bool { return r.columns[column].remote >= 0 })
	err := w.copyRows(r, c, copying)
	if err == nil {
		err = copying.end()
	}
	if _, ok := err.(*StopError); ok {
		w.abort()
	}
	if err != nil {
		return err
	}
	if w.log.Total().Records == records {
		// Of an empty table nothing is left but the catalogs' changes.
		if w.xacts.Current == 0 {
			w.xacts.Current = w.nextXID()
		}
		w.xacts.CommittedElsewhere(w.xacts.Current, w.log.LSN())
		w.endTransaction()
		return nil
	}
	w.commit()
	return nil
}

func (w *Worker) copyRows(r *relation, c *TableCopy, copying *copying) error {
	t := r.local
	m := &stream.Message{Kind: stream.KindInsert}
	for n := range c.Rows.Len() {
		values, line := c.Rows.Row(n)
		if c.Binary {
			line = 0
		}
		if err := w.read(r, m, values); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		leaf := t
		if t.router != nil {
			to, err := w.partition(r)
			if err != nil {
				return err
			}
			leaf = to.local
		} else if t.parent != nil {
			if err := w.checkPartition(t, w.values); err != nil {
				return err
			}
		}
		if err := copying.add(leaf, w.values, line); err != nil {
			return err
		}
	}
	return nil
}

// passesOver says whether a change belongs to a table that the worker does not apply
// changes to now (should_apply_changes_for_rel). Of a TRUNCATE it leaves the other tables.
func (w *Worker) passesOver(m *stream.Message) (bool, error) {
	if m.Kind == stream.KindTruncate {
		var kept []uint32
		for _, id := range m.RelationIDs {
			r := w.relations[id]
			if r == nil {
				return false, nil // an error, which applyTruncate reports
			}
			if r.local == nil {
				if err := w.mapRelation(r); err != nil {
					return false, err
				}
			}
			if !w.synchronizing.over(r.local) {
				kept = append(kept, id)
			}
		}
		m.RelationIDs = kept
		return len(kept) == 0, nil
	}
	r, err := w.open(m)
	return err == nil && w.synchronizing.over(r.local), err
}

func (s *synchronization) over(t *table) bool {
	if s.only != nil {
		return t != s.only
	}
	return slices.Contains(s.pending, t)
}

// CopyLine is the length of a row's line in COPY's text format, bytes, without its end. The
// values are texts.
func CopyLine(row stream.Tuple) int {
	n := max(len(row)-1, 0)
	for i := range row {
		if row[i].Format == stream.ColumnNull {
			n += len(`\N`)
		} else {
			n += escaped(row[i].Data)
		}
	}
	return n
}
