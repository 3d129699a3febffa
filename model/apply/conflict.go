package apply

// Conflicts, after conflict.c and execReplication.c.

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Conflict types, as pg_stat_subscription_stats names them without confl_.
const (
	insertExists    = "insert_exists"
	updateExists    = "update_exists"
	updateMissing   = "update_missing"
	deleteMissing   = "delete_missing"
	multipleUniques = "multiple_unique_conflicts"
)

// fieldLimit is the length in bytes at which a column is cut in a description.
const fieldLimit = 64

// conflict ends the transaction because live rows have the new row's key in
// unique indexes. By then the row and all its entries have been written; the
// rows in the way are locked before the transaction is rolled back
// (CheckAndReportConflict). found is the row that an update has found.
func (w *Worker) conflict(t *table, kind string, tid, found storage.TID, values []datum.Value) error {
	var details []string
	locked := map[storage.TID]bool{}
	for _, x := range w.duplicates {
		x.project(values)
		other, ok := t.other(x, tid)
		if !ok {
			continue
		}
		if !locked[other] {
			t.heap.LockShared(other)
			locked[other] = true
		}
		t.heap.Values(w.row, other)
		detail := fmt.Sprintf("Key already exists in unique index \"%s\", modified in transaction %d.\nKey %s; existing local row %s; remote row %s",
			x.schema.Name, t.heap.Inserter(other), t.keyText(x, w.row), t.rowText(w.row), t.rowText(values))
		if kind == updateExists {
			t.heap.Values(w.row, found)
			detail += "; replica identity " + t.identityText(w.row)
		}
		details = append(details, detail+".")
	}
	if len(details) > 1 {
		kind = multipleUniques
	}
	w.Counters.Conflicts[kind]++
	w.abort()
	if w.opts.SkipConflicts {
		w.skipping = true
		w.Counters.Skipped++
		return nil
	}
	return &StopError{
		Message: w.message,
		Text:    fmt.Sprintf("conflict detected on relation \"%s.%s\": conflict=%s", t.schema.Schema, t.schema.Name, kind),
		Detail:  strings.Join(details, "\n"),
	}
}

// enforced says whether a duplicate key of the index is an error. One that is
// deferrable is only noted, for a trigger that checks again; but that trigger is an
// ordinary one, and does not fire in an apply worker.
func (x *localIndex) enforced() bool { return !x.schema.Deferrable && !x.assumed }

// exclude checks an exclusion constraint for a row whose entry the index just got. The
// scan meets the row itself, and any other with its key (check_exclusion_or_unique_constraint).
// Other operators than equality are not to be had in a B-tree. The result is false if
// the row ends the transaction.
func (w *Worker) exclude(t *table, x *localIndex, tid storage.TID, values []datum.Value) (passed bool, err error) {
	if x.predicate != nil {
		if ok, err := x.holds(values); !ok {
			return err == nil, err
		}
	}
	w.Counters.Checks++
	if !w.checked(t, x) {
		x.meet(tid, values)
		return true, nil
	}
	if err := x.project(values); err != nil {
		return false, w.evalError(err)
	}
	if x.hasNull() && !x.schema.NullsNotDistinct {
		return true, nil
	}
	t.idxScans++
	scan := x.equals(nil)
	defer scan.End()
	for {
		other, ok := scan.Next()
		if !ok {
			return true, nil
		}
		t.idxReads++
		if other == tid {
			continue
		}
		if !x.enforced() {
			return true, nil
		}
		t.heap.Values(w.row, other)
		stop := &StopError{
			Message: w.message,
			Text:    fmt.Sprintf("conflicting key value violates exclusion constraint \"%s\"", x.schema.Name),
			Detail:  fmt.Sprintf("Key %s conflicts with existing key %s.", t.keyText(x, values), t.keyText(x, w.row)),
		}
		w.abort()
		if w.opts.SkipConflicts {
			w.skipping = true
			w.Counters.Skipped++
			return false, nil
		}
		return false, stop
	}
}

// other finds a live row other than tid that has the key in x.values
// (check_exclusion_or_unique_constraint).
func (t *table) other(x *localIndex, tid storage.TID) (storage.TID, bool) {
	t.idxScans++
	scan := x.btree.Lookup(x.values, nil)
	defer scan.End()
	for {
		found, ok := scan.Next()
		if ok {
			t.idxReads++
		}
		if !ok || found != tid {
			return found, ok
		}
	}
}

func (x *localIndex) hasNull() bool {
	for i := range x.schema.Keys {
		if x.values[i].Null {
			return true
		}
	}
	return false
}

// keyText describes a row's key in an index: (a, b)=(1, 2).
func (t *table) keyText(x *localIndex, row []datum.Value) string {
	var names, values []string
	for i, k := range x.schema.Keys {
		if k.Column < 0 {
			names = append(names, bracketed(k.Expr))
			v, err := t.eval(x.exprs[i], row)
			switch {
			case err != nil || v.Null:
				values = append(values, "null")
			default:
				values = append(values, x.types[i].Text(v))
			}
			continue
		}
		names = append(names, t.schema.Columns[k.Column].Name)
		values = append(values, t.columnText(k.Column, row, 0))
	}
	return fmt.Sprintf("(%s)=(%s)", strings.Join(names, ", "), strings.Join(values, ", "))
}

// bracketed is an expression among an index's columns as pg_get_indexdef prints it: in
// parentheses, unless it is a function call.
func bracketed(e string) string {
	name, rest, call := strings.Cut(e, "(")
	if call && name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '.' && r != '"' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		depth := 1
		for i, r := range rest {
			switch r {
			case '(':
				depth++
			case ')':
				depth--
			}
			if depth == 0 {
				if i == len(rest)-1 {
					return e
				}
				break
			}
		}
	}
	return "(" + e + ")"
}

// identityText describes what a row is known by: its key, or all of it.
func (t *table) identityText(row []datum.Value) string {
	if t.identity != nil {
		return t.keyText(t.identity, row)
	}
	return "full " + t.rowText(row)
}

// rowText describes a row: (1, abc, null). Long columns are cut.
func (t *table) rowText(row []datum.Value) string {
	var values []string
	for i := range t.schema.Columns {
		switch c := &t.schema.Columns[i]; {
		case c.Dropped:
		case c.Generated == 'v':
			values = append(values, "virtual")
		default:
			values = append(values, t.columnText(i, row, fieldLimit))
		}
	}
	return "(" + strings.Join(values, ", ") + ")"
}

// partitionKeyText describes a row's partition key: (a, b) = (1, 2)
// (ExecBuildSlotPartitionKeyDescription).
func (t *table) partitionKeyText(row []datum.Value) string {
	var names, values []string
	for _, k := range t.schema.Partition.Keys {
		if k.Column < 0 {
			// The router has computed it and does not tell.
			names, values = append(names, k.Expr), append(values, "...")
			continue
		}
		names = append(names, t.schema.Columns[k.Column].Name)
		values = append(values, t.columnText(k.Column, row, fieldLimit))
	}
	return fmt.Sprintf("(%s) = (%s)", strings.Join(names, ", "), strings.Join(values, ", "))
}

// violates is the error of a row that a constraint does not allow.
func (w *Worker) violates(t *table, row []datum.Value, format string, args ...any) error {
	return &StopError{Message: w.message, Text: fmt.Sprintf(format, args...), Detail: "Failing row contains " + t.rowText(row) + "."}
}

func (t *table) columnText(i int, row []datum.Value, limit int) string {
	if row[i].Null {
		return "null"
	}
	s := t.schema.Columns[i].Type.Text(t.plain(&row[i]))
	if limit == 0 || len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}
