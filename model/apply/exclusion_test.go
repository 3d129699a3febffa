package apply_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The texts are those of PostgreSQL 18.1, whose workers stopped at the same rows. The
// row and its entries up to the constraint's index are written before.
func TestExclusionConstraints(t *testing.T) {
	for _, c := range []struct{ constraint, first, second, text, detail string }{
		{"EXCLUDE USING btree (a WITH =)", "7 x", "7 y", `conflicting key value violates exclusion constraint "t_a_excl"`,
			"Key (a)=(7) conflicts with existing key (a)=(7)."},
		{"CONSTRAINT e EXCLUDE (a WITH =, b WITH =)", "7 x", "7 x", `conflicting key value violates exclusion constraint "e"`,
			"Key (a, b)=(7, x) conflicts with existing key (a, b)=(7, x)."},
		{"EXCLUDE (a WITH =, b WITH =)", "7 x", "7 y", "", ""},
		{"EXCLUDE (lower(b) WITH =)", "1 X", "2 x", `conflicting key value violates exclusion constraint "t_lower_excl"`,
			"Key (lower(b))=(x) conflicts with existing key (lower(b))=(x)."},
		{"EXCLUDE (b WITH =) WHERE (a > 3)", "1 x", "7 x", "", ""},
		{"EXCLUDE (b WITH =) WHERE (a > 3)", "4 x", "7 x", `conflicting key value violates exclusion constraint "t_b_excl"`,
			"Key (b)=(x) conflicts with existing key (b)=(x)."},
		{"EXCLUDE (a WITH =)", null + " x", null + " x", "", ""},
		{"EXCLUDE (a WITH =) DEFERRABLE", "7 x", "7 y", "", ""},
		{"EXCLUDE (a WITH =) DEFERRABLE INITIALLY DEFERRED", "7 x", "7 y", "", ""},
		{"UNIQUE (a) DEFERRABLE", "7 x", "7 y", "", ""},
		{"UNIQUE (a) DEFERRABLE INITIALLY DEFERRED", "7 x", "7 y", "", ""},
	} {
		ddl := "CREATE TABLE t (id int PRIMARY KEY, a int, b text, " + c.constraint + "); CREATE INDEX later ON t (id);"
		values := func(id, s string) (v []string) {
			var a, b string
			fmt.Sscanf(s, "%s %s", &a, &b)
			return []string{id, a, b}
		}
		for _, kind := range []string{"insert", "update"} {
			s := subscribe(t, ddl, options())
			s.apply(relation(1, "t", 'd', "id*", "a", "b"))
			s.apply(tx(insert(1, values("1", c.first)...))...)
			change := insert(1, values("2", c.second)...)
			if kind == "update" {
				s.apply(tx(insert(1, "2", "99", "zz"))...)
				change = update(1, values("2", c.second)...)
			}
			s.take()
			err := s.try(tx(change)...)
			if c.text == "" {
				if err != nil {
					t.Errorf("%s of %s: %v", kind, c.constraint, err)
				}
				continue
			}
			if stop := stops(t, err, c.text); stop.Detail != c.detail {
				t.Errorf("detail %s\nexpected %s", stop.Detail, c.detail)
			}
			records := s.take()
			if last := records[len(records)-1]; last != "Transaction/ABORT - 34" {
				t.Errorf("%s of %s: the last record is %s", kind, c.constraint, last)
			}
			if slices.ContainsFunc(records, func(r string) bool { return strings.Contains(r, " later ") }) {
				t.Errorf("%s of %s: an index after the constraint's got an entry: %q", kind, c.constraint, records)
			}
			s.check()
		}
	}
}

// Each check counts, and is a scan of the index that fetches the row itself.
func TestExclusionChecksAreCounted(t *testing.T) {
	s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, a int, EXCLUDE (a WITH =), CHECK (a > 0));", options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "1"), insert(1, "2", "2"), insert(1, "3", null))...)
	state := s.table("t")
	if s.Counters.Checks != 6 || state.IdxScans != 2 || state.IdxTupFetch != 2 {
		t.Errorf("%d checks, %d scans of %d rows, expected 6, 2 and 2", s.Counters.Checks, state.IdxScans, state.IdxTupFetch)
	}
}

// With SkipConflicts the transaction is passed over.
func TestSkippedExclusion(t *testing.T) {
	o := options()
	o.SkipConflicts = true
	s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, a int, EXCLUDE (a WITH =));", o)
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(slices.Concat(tx(insert(1, "1", "1")), tx(insert(1, "2", "1"), insert(1, "3", "3")), tx(insert(1, "4", "4")))...)
	if got := s.rows("t"); got != "1 1; 4 4" || s.Counters.Skipped != 1 {
		t.Errorf("rows %s with %d transactions passed over, expected 1 and 4 with 1", got, s.Counters.Skipped)
	}
}
