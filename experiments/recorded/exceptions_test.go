package recorded

import (
	"strings"
	"testing"

	"applysim/model/schema"
)

// TestExceptions lets only lengths of images differ, and only with zstd.
func TestExceptions(t *testing.T) {
	image := Record{"Btree", "INSERT_LEAF", "u_pkey", "0", "5", 2000, 1940, false, false}
	other := func(change func(*Record)) Record {
		r := image
		change(&r)
		return r
	}
	for _, x := range []struct {
		name, compression string
		got               Record
		want              bool
	}{
		{"length", "zstd", other(func(r *Record) { r.Length, r.FPI = 2010, 1950 }), true},
		{"no header for a hole", "zstd", other(func(r *Record) { r.Length, r.FPI = 2100, 2042 }), true},
		{"no image", "zstd", other(func(r *Record) { r.Length, r.FPI = 60, 0 }), false},
		{"another block", "zstd", other(func(r *Record) { r.Block = "6" }), false},
		{"another type", "zstd", other(func(r *Record) { r.Type = "DEDUP" }), false},
		{"pglz", "pglz", other(func(r *Record) { r.Length, r.FPI = 2010, 1950 }), false},
	} {
		c := &Case{Start: Start{Settings: map[string]string{"wal_compression": x.compression}}}
		k := &comparison{result: new(Result), allowed: c.exceptions()}
		if got := k.excepted(image, x.got); got != x.want {
			t.Errorf("%s: excepted %v", x.name, got)
		}
	}
	r := &Result{Name: "a", Outcome: ExactExcept, Exceptions: []Exception{{Reason: "one reason", Records: 1}, {Reason: "another", Records: 2}}}
	if got, want := r.Line(), "a exact except 1 record: one reason; 2 records: another"; got != want {
		t.Errorf("line %q, expected %q", got, want)
	}
}

// TestNextOID counts the objects that were made after the last relation: the
// constraint of an index that has one, and the subscription.
func TestNextOID(t *testing.T) {
	for ddl, want := range map[string]uint32{
		"create table w(id int primary key, a text)":                                           16466,
		"create table w(id int, a text, unique (id))":                                          16466,
		"create table w(id int, a text); create index w_pkey on w(id)":                         16465,
		"create table w(id int, a text); create unique index w_pkey on w(id)":                  16465,
		"create table w(id int, a text); create table v(id int constraint w_pkey primary key)": 16465,
	} {
		ddl = strings.Replace(ddl, "unique (id)", "constraint w_pkey unique (id)", 1)
		db, err := schema.Read(strings.NewReader(ddl), "w.sql")
		if err != nil {
			t.Fatal(err)
		}
		c := &Case{Start: Start{Relations: []Relation{
			{Name: "w", OID: 16457}, {Name: "w_pkey", OID: 16463, Table: "w"}, {Name: "pg_toast_16457", OID: 16461},
		}}}
		if got := c.nextOID(db); got != want {
			t.Errorf("%s: %d, expected %d", ddl, got, want)
		}
	}
}

// TestReordered takes the records of several indexes in any order among each other while
// parallel workers clean them, but those of each one as they come, and none beyond.
func TestReordered(t *testing.T) {
	record := func(relation string, block string) Record {
		return Record{"Btree", "VACUUM", relation, "0", block, 60, 0, false, false}
	}
	heap := Record{"Heap2", "PRUNE_VACUUM_CLEANUP", "t", "0", "0", 60, 0, false, false}
	for _, x := range []struct {
		simulated []Record
		together  bool
		covered   int64 // how many come in another order, -1 if a difference stays
	}{
		{[]Record{record("a", "1"), record("a", "2"), record("b", "1"), record("b", "2"), heap, record("a", "3")}, true, 2},
		{[]Record{record("b", "1"), record("a", "1"), record("b", "2"), record("a", "2"), heap, record("a", "3")}, true, 0},
		{[]Record{record("a", "1")}, false, -1},
		{[]Record{record("a", "2")}, true, -1}, // another one of a comes first
		{[]Record{record("b", "1"), record("b", "2"), record("b", "3")}, true, -1},
		{[]Record{record("b", "1"), record("b", "2"), record("a", "1"), record("a", "2"), record("a", "3")}, true, -1},
	} {
		k := &comparison{
			expected: []Record{record("b", "1"), record("a", "1"), record("b", "2"), record("a", "2"), heap, record("a", "3")},
			result:   &Result{}, together: func() bool { return x.together },
		}
		covered := int64(0)
		for _, got := range x.simulated {
			k.next++
			if k.expected[k.next-1] != got && !k.reordered(got) {
				covered = -1
				break
			}
		}
		if covered == 0 && len(k.result.Exceptions) > 0 {
			covered = k.result.Exceptions[0].Records
		}
		if covered != x.covered {
			t.Errorf("%v: %d records in another order, expected %d", x.simulated, covered, x.covered)
		}
	}
	// An index whose file was replaced later.
	k := &comparison{
		expected: []Record{record("a", "1"), record("?7", "1")}, files: map[string]string{"?7": "b"}, next: 1,
		result: &Result{}, together: func() bool { return true },
	}
	if !k.reordered(record("b", "1")) || k.expected[0] != record("b", "1") || k.expected[1] != record("a", "1") {
		t.Errorf("an index with another file later: %v", k.expected)
	}
}
