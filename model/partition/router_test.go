package partition_test

import (
	"fmt"
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/partition"
	"applysim/model/schema"
)

// read returns the first table of a script.
func read(t testing.TB, ddl string) *schema.Table {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "test.sql")
	if err != nil {
		t.Fatal(err)
	}
	return db.Tables[0]
}

// row reads a row: columns separated by commas, \N for NULL.
func row(t testing.TB, s *schema.Table, text string) []datum.Value {
	t.Helper()
	var values []datum.Value
	for i, f := range strings.Split(text, ",") {
		if f == `\N` {
			values = append(values, datum.Value{Null: true})
			continue
		}
		v, _, err := s.Columns[i].Type.Input([]byte(f), s.Columns[i].Typmod, nil)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	return values
}

// The rules of partbounds.c: a range includes its lower end only, NULL goes to the
// list that names it or to the default partition, MINVALUE and MAXVALUE end the
// comparison of columns.
func TestPartition(t *testing.T) {
	const (
		days = `create table m (day date, n int) partition by range (day);
			create table a partition of m for values from ('2026-01-01') to ('2026-02-01');
			create table b partition of m for values from ('2026-02-01') to (maxvalue);`
		pair = `create table m (x int, y text) partition by range (x, y);
			create table a partition of m for values from (minvalue, minvalue) to (1, 'k');
			create table b partition of m for values from (1, 'k') to (1, maxvalue);
			create table c partition of m for values from (2, minvalue) to (5, 'b');
			create table d partition of m default;`
		list = `create table m (c text, n int) partition by list (c);
			create table a partition of m for values in ('x', 'y');
			create table b partition of m for values in (null, 'z');`
		listDefault = list + `create table d partition of m default;`
		lower       = `create table m (c text) partition by list (lower(c));
			create table a partition of m for values in ('x');
			create table b partition of m for values in ('y');`
		computed = `create table m (n int8) partition by range (n);
			create table a partition of m for values from (-10) to (2 * 50);
			create table b partition of m for values from ('100') to (1e3::int8);`
	)
	for _, c := range []struct{ ddl, row, want string }{
		{days, "2026-01-01,1", "a"}, {days, "2026-01-31,1", "a"}, {days, "2026-02-01,1", "b"},
		{days, "2999-01-01,1", "b"}, {days, "2025-12-31,1", ""}, {days, `\N,1`, ""},
		{pair, "0,zzz", "a"}, {pair, "1,a", "a"}, {pair, "1,k", "b"}, {pair, "1,zzz", "b"}, {pair, "2,", "c"},
		{pair, "5,a", "c"}, {pair, "5,b", "d"}, {pair, `\N,a`, "d"}, {pair, `3,\N`, "d"},
		{list, "x,1", "a"}, {list, "z,1", "b"}, {list, `\N,1`, "b"}, {list, "q,1", ""}, {listDefault, "q,1", "d"},
		{listDefault, `\N,1`, "b"}, {listDefault, "y,1", "a"},
		{lower, "X", "a"}, {lower, "y", "b"}, {lower, "Z", ""},
		{computed, "-10", "a"}, {computed, "99", "a"}, {computed, "100", "b"}, {computed, "999", "b"}, {computed, "1000", ""},
	} {
		s := read(t, c.ddl)
		r, err := partition.New(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := row(t, s, c.row)
		for range 2 { // once more, as the last partition is tried first
			n, err := r.Partition(values)
			got := ""
			if n >= 0 {
				got = s.Children[n].Name
			}
			if err != nil || got != c.want {
				t.Errorf("%s\nrow %s: got partition %q, %v, expected %q", c.ddl, c.row, got, err, c.want)
			}
		}
	}
}

// Every row has exactly one hash partition, equal numbers of other types included.
func TestHashPartitionsAreComplete(t *testing.T) {
	for _, typ := range []string{"int2", "int4", "int8", "text", "float8", "bytea", "date", "bool", `"char"`, "numeric", "int[]", "jsonb", "mood", "interval"} {
		s := read(t, fmt.Sprintf(`create type mood as enum ('1', '0'); create table m (k %s) partition by hash (k);
			create table a partition of m for values with (modulus 2, remainder 0);
			create table b partition of m for values with (modulus 4, remainder 1);
			create table c partition of m for values with (modulus 4, remainder 3);`, typ))
		r, err := partition.New(s, nil)
		if err != nil {
			t.Fatal(err)
		}
		values := []string{"1", "0"}
		switch typ {
		case "date":
			values = []string{"2026-01-01", "1999-12-31"}
		case "int[]":
			values = []string{"{}", "{7}"}
		}
		if got := len(r.Numbered()) > 0; got != (typ == "mood") {
			t.Errorf("%s: hashed by numbers of labels: %v", typ, got)
		}
		for _, v := range append(values, `\N`) {
			if n, err := r.Partition(row(t, s, v)); n < 0 || err != nil {
				t.Errorf("%s %s: got no partition (%v), expected one", typ, v, err)
			}
		}
	}
}

func TestNewSaysWhatIsNotModelled(t *testing.T) {
	for _, c := range []struct{ ddl, want string }{
		{`create table m (k money) partition by hash (k);`, "the partition key of m: type money has no hash function"},
		{`create table m (k int) partition by range ((no_such_function(k)));`, "the partition key of m: "},
		{`create table m (k int) partition by range (k); create table a partition of m for values from ('x') to (5);`,
			`the bound of partition a: invalid input syntax for type integer: "x"`},
	} {
		_, err := partition.New(read(t, c.ddl), nil)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got error %v, expected one that begins with %q", c.ddl, err, c.want)
		}
	}
}

func BenchmarkPartition(b *testing.B) {
	s := read(b, `create table m (n int8) partition by range (n);`+strings.Join(func() (l []string) {
		for i := range 100 {
			l = append(l, fmt.Sprintf("create table p%d partition of m for values from (%d) to (%d);", i, i*100, i*100+100))
		}
		return l
	}(), "\n"))
	r, err := partition.New(s, nil)
	if err != nil {
		b.Fatal(err)
	}
	values := []datum.Value{{}}
	for i := 0; b.Loop(); i++ {
		values[0].Bits = uint64(i*7919) % 10000
		if n, err := r.Partition(values); n < 0 || err != nil {
			b.Fatal(n, err)
		}
	}
}
