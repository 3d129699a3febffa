package apply

// What the apply worker of PostgreSQL 17 does in another way than that of 18.

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// refuses says whether an index refuses a key that a live row has, which ends the
// transaction: before 18 the worker did not look for all rows in the way of a new one.
func (w *Worker) refuses() bool { return w.opts.Settings.ServerMajor < 18 && !w.opts.backend }

// duplicate ends the transaction because an index has refused a row's key
// (_bt_check_unique).
func (w *Worker) duplicate(t *table, x *localIndex, row []datum.Value) error {
	stop := &StopError{
		Message: w.message,
		Text:    fmt.Sprintf("duplicate key value violates unique constraint %q", x.schema.Name),
		Detail:  fmt.Sprintf("Key %s already exists.", t.keyText(x, row)),
	}
	w.abort()
	if w.opts.SkipConflicts {
		w.skipping = true
		w.Counters.Skipped++
		return nil
	}
	return stop
}

// lookups are a table's counters of scans.
type lookups struct{ seqScans, seqReads, idxScans, idxReads int64 }

// repeated is a lookup that may have to be counted twice.
type repeated struct {
	table *table
	cost  lookups
}

func (t *table) lookups() lookups { return lookups{t.seqScans, t.seqReads, t.idxScans, t.idxReads} }

// lookedUp notes what the lookup has cost that began with the given counters.
func (w *Worker) lookedUp(before lookups) {
	now := w.lookup.table.lookups()
	w.lookup.cost = lookups{
		now.seqScans - before.seqScans, now.seqReads - before.seqReads,
		now.idxScans - before.idxScans, now.idxReads - before.idxReads,
	}
}

// lookUpAgain counts the last lookup once more: a row that moves to another partition
// was looked up again to be deleted (apply_handle_tuple_routing of REL_17_STABLE). It is
// locked already, so that writes nothing, but the key that is looked for is that of the
// row now: one that is stored out of line is fetched, which may prune the TOAST table.
func (w *Worker) lookUpAgain(r *relation, row storage.TID) {
	t, c := w.lookup.table, w.lookup.cost
	if r.lookup != nil && t.toaster != nil {
		t.heap.Values(w.row, row)
		for _, k := range r.lookup.schema.Keys {
			if k.Column >= 0 && external(w.row[k.Column]) {
				t.toaster.Fetch(&w.row[k.Column])
			}
		}
	}
	t.seqScans += c.seqScans
	t.seqReads += c.seqReads
	t.idxScans += c.idxScans
	t.idxReads += c.idxReads
}
