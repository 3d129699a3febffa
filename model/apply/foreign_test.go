package apply_test

import (
	"errors"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/wal"
)

// What an index of another method than btree and BRIN writes is estimated, and not part of
// the records; a change of its columns is not HOT; it is named.
func TestForeignIndexes(t *testing.T) {
	for _, c := range []struct{ index, what string }{
		{"CREATE INDEX x ON t USING gin (tags)", "gin"},
		{"CREATE INDEX x ON t USING gin (to_tsvector('english', tags[1]))", "gin"},
		{"CREATE INDEX x ON t USING hash (tags)", "hash"},
		{"CREATE INDEX x ON t USING spgist (lower(tags[1]))", "spgist"},
		{"CREATE INDEX x ON t USING gist (id, tags gist__int_ops)", "gist"},
		{"CREATE INDEX x ON t USING hnsw (tags)", "hnsw"},
		{"CREATE INDEX x ON t USING hash (id) WHERE tags IS NOT NULL", "hash"},
	} {
		s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, tags text[], n int); "+c.index+";", options())
		s.apply(relation(1, "t", 'd', "id*", "tags", "n"))
		s.apply(tx(insert(1, "1", "{a}", "1"), update(1, "1", "{a}", "2"), update(1, "1", "{b}", "2"))...)
		var heap []string
		for _, r := range s.take() {
			f := strings.Fields(r)
			if f[1] == "x" {
				t.Errorf("%s: the sink got %s, of which no more than a length is known", c.index, r)
			}
			if strings.Contains(f[0], "UPDATE") {
				heap = append(heap, f[0])
			}
		}
		if got := strings.Join(heap, " "); got != "Heap/HOT_UPDATE Heap/UPDATE" {
			t.Errorf("%s: %s, expected an update of n to be HOT and one of tags not", c.index, got)
		}
		x := s.table("t").Indexes[1]
		if !x.Foreign || x.BTree != nil || x.Entries != 2 || x.Prevented != 1 || len(s.Warnings) != 1 || !strings.HasPrefix(s.Warnings[0], "x: WAL and CPU of "+c.what) {
			t.Errorf("%s: %d entries, %d updates prevented, warnings %q", c.index, x.Entries, x.Prevented, s.Warnings)
		}
		written := wal.Count{}
		for k := range wal.NumRecordTypes {
			written.Add(s.Log().Count(x.Rel, wal.RecordType(k)))
		}
		if w := x.AccessMethod.Work(); w.Rows != 2 || written.Bytes < 100 || written.Bytes > 10_000 {
			t.Errorf("%s: %d bytes in %d records for %d rows, expected those of two rows", c.index, written.Bytes, written.Records, w.Rows)
		}
		if err := s.Vacuum("public", "t", apply.VacuumOptions{}); err != nil {
			t.Errorf("%s: VACUUM: %v", c.index, err)
		}
		s.check()

		o := options()
		o.Exact = true
		s = subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, tags text[], n int); "+c.index+";", o)
		err := s.try(relation(1, "t", 'd', "id*", "tags", "n"), begin(), insert(1, "1", "{a}", "1"))
		var unsupported *apply.UnsupportedError
		if !errors.As(err, &unsupported) {
			t.Errorf("%s: %v, expected to be refused where the result is to be exact", c.index, err)
		}
	}
}

// A hash index finds rows of a table without a key, other methods do not.
func TestForeignIndexLookup(t *testing.T) {
	for _, c := range []struct {
		index      string
		idx, scans int64
	}{
		{"USING hash (a)", 2, 0}, {"USING gin (b)", 0, 4}, {"USING hash (a) WHERE a > 0", 0, 4}, {"USING gist (c)", 2, 0},
		{"USING spgist (c)", 0, 4}, {"USING gist (d)", 0, 4},
	} {
		s := subscribe(t, "CREATE TABLE t (a int, b text[], c int4range, d box); CREATE INDEX x ON t "+c.index+";", options())
		s.apply(relation(1, "t", 'f', "a", "b", "c"))
		s.apply(tx(insert(1, "1", "{x}", "[1,2)"), insert(1, "1", "{y}", "[1,2)"),
			updateFrom(1, 'O', row("1", "{y}", "[1,2)"), row("2", "{y}", "[1,2)")), del(1, 'O', "2", "{y}", "[1,2)"))...)
		state := s.table("t")
		if got := s.rows("t"); got != "1 {x} [1,2) -" || state.IdxScans != c.idx || state.SeqScans != c.scans {
			t.Errorf("%s: rows %s after %d index scans and %d sequential ones, expected %d and %d", c.index, got, state.IdxScans, state.SeqScans, c.idx, c.scans)
		}
	}
}

// Exclusion constraints of other methods are checked where all operators are equality.
func TestForeignExclusion(t *testing.T) {
	s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, a int, EXCLUDE USING hash (a WITH =));", options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	err := s.try(tx(insert(1, "1", "7"), insert(1, "2", "7"))...)
	if stop := stops(t, err, `conflicting key value violates exclusion constraint "t_a_excl"`); stop.Detail != "Key (a)=(7) conflicts with existing key (a)=(7)." {
		t.Errorf("detail %s", stop.Detail)
	}
	s = subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, a int4range, EXCLUDE USING gist (a WITH &&));", options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "[1,7)"), insert(1, "2", "[3,9)"))...)
	if s.Counters.Checks != 2 || len(s.Assumed) != 1 || s.Assumed[0].Name != "t_a_excl" || s.Assumed[0].Setting != "holds" {
		t.Errorf("%d checks, assumed %v, expected 2 that are taken to hold", s.Counters.Checks, s.Assumed)
	}
}
