package apply_test

// REPLICA IDENTITY FULL: by which index rows are found, what a sequential scan
// passes, and what counts as equal.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// The first usable index by OID is taken, not the best one. The counters show
// which: idx_tup_fetch counts the rows that had to be looked at.
func TestFullIndexChoice(t *testing.T) {
	const table = `CREATE TABLE t (kind int, n int, extra int); `
	for _, c := range []struct {
		name, ddl string
		idx, tup  int64 // scans and rows fetched for one update of the row (0, 40)
		seq       int64 // sequential ones count twice
		found     bool
	}{
		{"no index", table, 0, 0, 2, true},
		{"the selective one first", table + `CREATE INDEX ON t (n); CREATE INDEX ON t (kind);`, 1, 1, 0, true},
		{"the other first", table + `CREATE INDEX ON t (kind); CREATE INDEX ON t (n);`, 1, 21, 0, true},
		{"a column that is not sent", table + `CREATE INDEX ON t (extra); CREATE INDEX ON t (n);`, 1, 1, 0, true},
		{"only such an index", table + `CREATE INDEX ON t (extra, n);`, 0, 0, 2, true},
		{"such a column later", table + `CREATE INDEX ON t (kind, extra);`, 1, 21, 0, true},
		{"two columns", table + `CREATE INDEX ON t (kind, n);`, 1, 1, 0, true},
		{"unique", table + `CREATE INDEX ON t (kind); CREATE UNIQUE INDEX ON t (n);`, 1, 21, 0, true},
		{"primary key", table + `CREATE INDEX ON t (kind); ALTER TABLE t ADD PRIMARY KEY (n);`, 1, 1, 0, true},
		{"descending", table + `CREATE INDEX ON t (n DESC NULLS LAST);`, 1, 1, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := subscribe(t, c.ddl, options())
			s.apply(relation(1, "t", 'f', "kind", "n"), begin())
			for i := range 60 {
				// Rows of kind 0 are every other one; the 21st of them is 40.
				s.apply(insert(1, strconv.Itoa(i%2), strconv.Itoa(i)))
			}
			s.apply(commit())
			s.take()
			s.apply(tx(updateFrom(1, 'O', row("0", "40"), row("0", "140")))...)
			state := s.table("t")
			if state.IdxScans != c.idx || state.IdxTupFetch != c.tup || state.SeqScans != c.seq {
				t.Errorf("idx_scan %d, idx_tup_fetch %d, seq_scan %d; expected %d, %d, %d",
					state.IdxScans, state.IdxTupFetch, state.SeqScans, c.idx, c.tup, c.seq)
			}
			if c.seq > 0 && state.SeqTupRead != 41 {
				t.Errorf("seq_tup_read %d, expected 41", state.SeqTupRead)
			}
			if got := s.Counters.Conflicts["update_missing"]; (got == 0) != c.found {
				t.Errorf("%d rows missing", got)
			}
		})
	}
}

// All columns of the local table are compared. One that is not sent is compared
// with NULL: a row that has a value there is never found.
func TestFullExtraColumn(t *testing.T) {
	for _, index := range []string{"", "CREATE INDEX ON t (id);"} {
		s := subscribe(t, `CREATE TABLE t (id int, a int, extra int DEFAULT 7);`+index, options())
		s.apply(relation(1, "t", 'f', "id", "a"))
		s.apply(tx(insert(1, "1", "1"))...)
		s.take()
		s.apply(tx(updateFrom(1, 'O', row("1", "1"), row("1", "2")), del(1, 'O', "1", "1"))...)
		if got := s.take(); len(got) != 0 {
			t.Errorf("%s: records %v", index, got)
		}
		if c := s.Counters.Conflicts; c["update_missing"] != 1 || c["delete_missing"] != 1 {
			t.Errorf("%s: conflicts %v", index, c)
		}
	}
	// Generated columns are not compared.
	s := subscribe(t, `CREATE TABLE t (id int, a int, g int GENERATED ALWAYS AS (id + 1) VIRTUAL);`, options())
	s.apply(relation(1, "t", 'f', "id", "a"))
	s.apply(tx(insert(1, "1", "1"))...)
	s.apply(tx(updateFrom(1, 'O', row("1", "1"), row("1", "2")))...)
	if got, want := s.rows("t"), "1 2 -"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
}

// Values are compared by their types' equality, not by their bytes; words of
// unsigned types have no sign.
func TestFullEquality(t *testing.T) {
	for _, c := range []struct{ typ, stored, sent string }{
		{"int", "-5", "-5"},
		{"smallint", "-32768", "-32768"},
		{"numeric", "1.00", "1.0"},
		{"real", "-1.5", "-1.50"},
		{"double precision", "-0", "0"},
		{"oid", "4294967295", "4294967295"},
		{"\"char\"", "\\377", "\\377"},
		{"boolean", "t", "true"},
		{"char(5)", "ab", "ab "},
		{"text", "", ""},
		{"interval", "1 month", "30 days"},
		{"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"},
		{"timestamptz", "2026-01-01 00:00:00+00", "2026-01-01 00:00:00+00"},
		{"date", "1999-12-31", "1999-12-31"},
		{"text", null, null},
	} {
		for _, index := range []string{"", "CREATE INDEX ON t (id);"} {
			s := subscribe(t, fmt.Sprintf(`CREATE TABLE t (id int, v %s, n int);%s`, c.typ, index), options())
			s.apply(relation(1, "t", 'f', "id", "v", "n"))
			// Twice: the finder is built by the first lookup, then kept up to date.
			s.apply(tx(insert(1, "0", c.stored, "0"), updateFrom(1, 'O', row("0", c.sent, "0"), row("0", c.sent, "1")))...)
			s.apply(tx(insert(1, "1", c.stored, "0"), updateFrom(1, 'O', row("1", c.sent, "0"), row("1", c.sent, "1")))...)
			s.apply(tx(del(1, 'O', "0", c.sent, "1"), del(1, 'O', "1", c.sent, "1"))...)
			if got := s.rows("t"); got != "" || len(s.Counters.Conflicts) > 0 {
				t.Errorf("%s, %s and %s, %q: rows %s, conflicts %v", c.typ, c.stored, c.sent, index, got, s.Counters.Conflicts)
			}
		}
	}
}

// An equal row in no column that is indexed is not HOT-relevant: words of
// unsigned types and floats do not change by being sent again.
func TestUnchangedIsHOT(t *testing.T) {
	for _, c := range []struct{ typ, value string }{
		{"int", "-5"}, {"real", "-1.5"}, {"oid", "4000000000"}, {"double precision", "-1.5"}, {"numeric", "-1.50"},
		{"\"char\"", "\\377"}, {"text", "abc"}, {"boolean", "t"}, {"date", "1999-12-31"}, {"uuid", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{"int[]", "{1,NULL,3}"}, {"name", "abc"}, {"char(4)", "ab"}, {"text", null},
	} {
		s := subscribe(t, fmt.Sprintf(`CREATE TABLE t (id int PRIMARY KEY, v %s, n int); CREATE INDEX ON t (v);`, c.typ), options())
		s.apply(relation(1, "t", 'd', "id*", "v", "n"))
		s.apply(tx(insert(1, "1", c.value, "0"))...)
		s.apply(tx(update(1, "1", c.value, "1"))...)
		if got := s.table("t").Heap.Counters; got.HOTUpdates != 1 {
			t.Errorf("%s %s: the update is not HOT: %d times an indexed column changed", c.typ, c.value, got.ChangedIndexed)
		}
	}
}

// A sequential lookup is counted without being made. What it finds and counts is
// what a scan of the table would: the first equal row, and all rows before it.
func TestSequentialLookups(t *testing.T) {
	for seed := range uint64(6) {
		o := options()
		o.SkipConflicts = true
		sync := seed%2 == 1
		if sync {
			o.Settings.SharedBuffers = 64 << 10 // eight pages: tables of more than two are scanned from where the last scan was
		}
		s := subscribe(t, `CREATE TABLE t (a int, b text, pad text STORAGE PLAIN); CREATE TABLE u (id int PRIMARY KEY);`, o)
		s.apply(relation(1, "t", 'f', "a", "b", "pad"), relation(2, "u", 'd', "id*"))
		r := rand.New(rand.NewPCG(seed, 99))
		value := func() []string {
			b := strconv.Itoa(r.IntN(6))
			if r.IntN(5) == 0 {
				b = null
			}
			return []string{strconv.Itoa(r.IntN(12) - 6), b, fmt.Sprintf("%0*d", 500+r.IntN(2)*200, r.IntN(2))}
		}
		h := s.table("t").Heap
		location := 0
		// expect returns what a scan for a row would find, and how many rows it
		// passes, the row itself included.
		expect := func(want []string) (found storage.TID, ok bool, passed int64) {
			start := 0
			if sync && h.Pages() > 2 && location < h.Pages() {
				start = location
			}
			values := make([]datum.Value, 3)
			at := start
			report := func(page int) {
				if sync && h.Pages() > 2 && page%16 == 0 {
					location = page
				}
			}
			h.ScanFrom(storage.BlockNumber(start), func(tid storage.TID) bool {
				for at != int(tid.Block) {
					at = (at + 1) % h.Pages()
					report(at)
				}
				passed++
				h.Values(values, tid)
				got := []string{strconv.Itoa(int(int32(values[0].Bits))), string(values[1].Bytes), string(values[2].Bytes)}
				if values[1].Null {
					got[1] = null
				}
				if slices.Equal(got, want) {
					found, ok = tid, true
				}
				return !ok
			})
			if ok {
				report((at + 1) % h.Pages()) // the scan fetches a page in advance
			}
			if !ok && h.Pages() > 0 {
				for {
					at = (at + 1) % h.Pages()
					report(at)
					if at == start {
						break
					}
				}
			}
			return found, ok, passed
		}
		s.apply(begin())
		for range 120 {
			s.apply(insert(1, value()...))
		}
		s.apply(commit(), begin())
		for step := range 600 {
			switch n := r.IntN(10); {
			case n < 2:
				s.apply(insert(1, value()...))
			case n == 2 && step%3 == 0:
				s.apply(commit(), begin())
			case n == 3 && step%10 == 0:
				// A conflict rolls the transaction back.
				s.apply(insert(2, "1"), insert(2, "1"), commit(), begin())
			default:
				old := value()
				found, ok, passed := expect(old)
				before := s.table("t")
				missing := s.Counters.Conflicts["update_missing"] + s.Counters.Conflicts["delete_missing"]
				if n < 7 {
					s.apply(del(1, 'O', old...))
				} else {
					s.apply(updateFrom(1, 'O', row(old...), row(value()...)))
				}
				after := s.table("t")
				if got := after.SeqTupRead - before.SeqTupRead; got != passed {
					t.Fatalf("seed %d, step %d: %d rows passed, expected %d", seed, step, got, passed)
				}
				if got := after.SeqScans - before.SeqScans; got != 2 {
					t.Fatalf("seed %d, step %d: %d scans", seed, step, got)
				}
				if got := s.Counters.Conflicts["update_missing"] + s.Counters.Conflicts["delete_missing"] - missing; (got == 0) != ok {
					t.Fatalf("seed %d, step %d: found %v, expected %v at %v", seed, step, got == 0, ok, found)
				}
				if ok {
					for tid := range h.Scan {
						if tid == found {
							t.Fatalf("seed %d, step %d: the row at %v is still there", seed, step, found)
						}
					}
				}
			}
		}
		s.apply(commit())
	}
}

// Unchanged TOAST markers are no NULLs: what an update does not carry it keeps.
func TestUnchangedValues(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a text, b text);`, options())
	s.apply(relation(1, "t", 'd', "id*", "a", "b"))
	s.apply(tx(insert(1, "1", "x", "y"))...)
	s.apply(tx(update(1, "1", unchanged, "z"), updateFrom(1, 'K', row("1", null, null), row("2", "w", unchanged)))...)
	if got, want := s.rows("t"), "2 w z"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
}

// The worker takes every column that a message carries as changed: only an index
// on other columns is told that its entry stays the same.
func TestIdentityUsingIndex(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL);
		CREATE UNIQUE INDEX t_ab ON t (a, b); ALTER TABLE t REPLICA IDENTITY USING INDEX t_ab;`, options())
	s.apply(relation(1, "t", 'i', "id", "a*", "b*"))
	s.apply(tx(insert(1, "1", "1", "1"), insert(1, "2", "1", "2"))...)
	s.apply(tx(update(1, "20", "1", "2"), updateFrom(1, 'K', row(null, "1", "1"), row("1", "5", "1")))...)
	if got, want := s.rows("t"), "20 1 2; 1 5 1"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	if state := s.table("t"); state.IdxScans != 2 || state.IdxTupFetch != 2 {
		t.Errorf("%d scans, %d rows fetched", state.IdxScans, state.IdxTupFetch)
	}
}

// Long values are compared as they were sent, whether they are stored in line,
// compressed or in the TOAST table, which is empty again at the end.
func TestFullToast(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, storage := range []string{"PLAIN", "MAIN", "EXTERNAL", "EXTENDED"} {
		s := subscribe(t, fmt.Sprintf(`CREATE TABLE t (id int, a text STORAGE %s, b text);`, storage), options())
		s.apply(relation(1, "t", 'f', "id", "a", "b"))
		body := func(most int) string {
			n := r.IntN(most)
			if storage == "PLAIN" {
				n = min(n, 1000)
			}
			b := make([]byte, n)
			kinds := 1 + r.IntN(90) // few kinds of bytes compress well
			for i := range b {
				b[i] = byte(' ' + r.IntN(kinds))
			}
			return string(b)
		}
		var rows [][]string
		for id := range 60 {
			row := []string{strconv.Itoa(id), body(3000), body(20_000)}
			rows = append(rows, row)
			s.apply(tx(insert(1, row...))...)
		}
		for round := range 3 {
			for i, old := range rows {
				nu := slices.Clone(old)
				if i%2 == round%2 {
					nu[1+r.IntN(2)] = body(6000)
				}
				s.apply(tx(updateFrom(1, 'O', row(old...), row(nu...)))...)
				rows[i] = nu
			}
		}
		if len(s.Counters.Conflicts) > 0 {
			t.Fatalf("%s: %v", storage, s.Counters.Conflicts)
		}
		for _, old := range rows {
			s.apply(tx(del(1, 'O', old...))...)
		}
		if len(s.Counters.Conflicts) > 0 || s.rows("t") != "" {
			t.Fatalf("%s: %v", storage, s.Counters.Conflicts)
		}
	}
}
