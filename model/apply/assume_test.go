package apply_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/assume"
	"applysim/model/schema"
	"applysim/model/stream"
)

type (
	message = stream.Message
	valueOf = datum.Value
)

// assumptions reads settings.
func assumptions(t *testing.T, settings ...string) apply.Options {
	t.Helper()
	o := options()
	for _, s := range settings {
		a, err := assume.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		o.Assume = append(o.Assume, a)
	}
	return o
}

// A predicate that cannot be computed takes the share of rows that it is set to, and
// a row whose columns did not change stays in.
func TestAssumedPredicate(t *testing.T) {
	const ddl = `CREATE TABLE t (id int PRIMARY KEY, status int, n int);
		CREATE INDEX open ON t (n) WHERE is_open(status);`
	const rows = 4000
	for _, c := range []struct {
		settings []string
		want     float64
	}{{nil, 0.5}, {[]string{"open:selectivity=0.1"}, 0.1}, {[]string{"open:selectivity=0"}, 0}, {[]string{"open:selectivity=1"}, 1}} {
		s := subscribe(t, ddl, assumptions(t, c.settings...))
		s.apply(relation(1, "t", 'd', "id*", "status", "n"), begin())
		for i := range rows {
			s.apply1(insert(1, fmt.Sprint(i), "3", "0"))
		}
		s.apply(commit())
		entries := s.entries("open")
		if got := entries / rows; math.Abs(got-c.want) > 0.03 {
			t.Errorf("%v: the index has %v of all rows, expected %v", c.settings, got, c.want)
		}
		if len(s.Assumed) != 1 || s.Assumed[0].Name != "open" || s.Assumed[0].Setting != "selectivity" || len(s.Warnings) != 1 {
			t.Errorf("assumed %v with warnings %q, expected the predicate of open", s.Assumed, s.Warnings)
		}
		// n is indexed, so that no update is HOT; each row that was in comes in again.
		s.apply(begin())
		for i := range rows {
			s.apply1(update(1, fmt.Sprint(i), "3", "1"))
		}
		s.apply(commit())
		if got := s.entries("open"); got != entries {
			t.Errorf("%v: %v entries after an update of all rows, expected %v", c.settings, got, entries)
		}
	}
}

// entries counts the items that an index got since the last call.
func (s *subscriber) entries(index string) float64 {
	n := 0.0
	for _, r := range s.take() {
		f := strings.Fields(r)
		switch f[0] {
		case "Btree/INSERT_LEAF", "Btree/INSERT_POST", "Btree/SPLIT_L", "Btree/SPLIT_R":
			if f[1] == index {
				n++
			}
		}
	}
	return n
}

// apply1 applies a change without a check of all invariants.
func (s *subscriber) apply1(m message) {
	s.t.Helper()
	if err := s.try(m); err != nil {
		s.t.Fatal(err)
	}
}

// An index expression that cannot be computed gets a value of the width that it is
// set to. It is the same for the same row, so that an update of another column is
// HOT and one of its own is not.
func TestAssumedIndexExpression(t *testing.T) {
	for _, c := range []struct {
		settings []string
		item     int // 8, then the value with its header, aligned
	}{{nil, 40}, {[]string{"x:width=8"}, 16}, {[]string{"x:width=100"}, 112}, {[]string{"x:width=200"}, 208}} {
		s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, name text, n int);
			CREATE INDEX x ON t (app.fold(name) text_pattern_ops);`, assumptions(t, c.settings...))
		s.apply(relation(1, "t", 'd', "id*", "name", "n"))
		s.apply(tx(insert(1, "1", "Ann", "0"))...)
		s.take()
		s.apply(tx(insert(1, "2", "Bob", "0"))...)
		want := fmt.Sprintf("Btree/INSERT_LEAF x %d", 48+c.item)
		if got := s.take(); got[2] != want {
			t.Errorf("%v: got %q, expected %s", c.settings, got, want)
		}
		s.apply(tx(update(1, "1", "Ann", "1"))...)
		if got := s.take(); !strings.HasPrefix(got[1], "Heap/HOT_UPDATE") {
			t.Errorf("%v: an update of another column writes %q", c.settings, got)
		}
		s.apply(tx(update(1, "1", "Anna", "1"))...)
		if got := s.take(); !strings.HasPrefix(got[1], "Heap/UPDATE") || got[3] != want {
			t.Errorf("%v: an update of the column writes %q", c.settings, got)
		}
		if prevented := s.table("t").Indexes[1].Prevented; prevented != 1 {
			t.Errorf("%d updates were not HOT because of x, expected 1", prevented)
		}
	}
}

// Values of an index whose expression cannot be computed are no duplicates, and a
// row with a NULL has NULL.
func TestAssumedUniqueIndex(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, name text, kind int);
		CREATE UNIQUE INDEX x ON t (fold(name));
		CREATE UNIQUE INDEX y ON t (kind) WHERE chosen(id);`, assumptions(t, "y:selectivity=1"))
	s.apply(relation(1, "t", 'd', "id*", "name", "kind"))
	s.apply(tx(insert(1, "1", "a", "7"), insert(1, "2", "a", "7"), insert(1, "3", null, "8"))...)
	if c := s.Counters.Conflicts; len(c) > 0 {
		t.Errorf("conflicts %v, expected none", c)
	}
}

// Generated columns have values of their types.
func TestAssumedGeneratedColumns(t *testing.T) {
	for _, c := range []struct {
		typ, setting string
		width        int
	}{
		{"text", "", 32}, {"text", "t.g:width=100", 100}, {"varchar(10)", "", 11}, {"char(5)", "", 6}, {"bytea", "t.g:width=1000", 1000},
		{"numeric", "t.g:width=11", 11}, {"jsonb", "t.g:width=60", 60}, {"tsvector", "t.g:width=500", 500}, {"tsvector", "t.g:width=5000", 5000},
		{"int", "", 4}, {"smallint", "", 2}, {"boolean", "", 1}, {"uuid", "", 16}, {"timestamptz", "", 8}, {"float8", "", 8},
		{"interval", "", 16}, {"date", "", 4}, {"mood", "", 4}, {"text[]", "t.g:width=50", 50}, {"int[]", "t.g:width=64", 64}, {"short", "", 4},
		{"name", "", 64}, {"bit varying", "t.g:width=20", 20}, {"unheard", "", 32}, {"unheard", "t.g:width=77", 77},
	} {
		settings := []string{}
		if c.setting != "" {
			settings = append(settings, c.setting)
		}
		s := subscribe(t, `CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN short AS varchar(3);
			CREATE TABLE t (id int PRIMARY KEY, body text, g `+c.typ+` GENERATED ALWAYS AS (f(body)) STORED);
			CREATE INDEX ON t (upper(body));`, assumptions(t, settings...))
		s.apply(relation(1, "t", 'd', "id*", "body"))
		s.apply(tx(insert(1, "1", "a long story"), insert(1, "2", null))...)
		s.take()
		s.apply(tx(update(1, "1", "a long story"))...)
		if got := s.take(); !strings.HasPrefix(got[len(got)-2], "Heap/HOT_UPDATE") {
			t.Errorf("%s: an update of equal values writes %q", c.typ, got)
		}
		state := s.table("t")
		for tid := range state.Heap.Scan {
			row := make([]valueOf, 3)
			state.Heap.Values(row, tid)
			if row[1].Null {
				if !row[2].Null {
					t.Errorf("%s: a value for NULL", c.typ)
				}
				continue
			}
			got, attr := int(state.Schema.Columns[2].Type.Len), state.Schema.Columns[2].Attr()
			if got < 0 {
				got = row[2].StoredSize(&attr)
			}
			// Digits come in pairs or fours in some types, and entries are aligned.
			if got > c.width || got < c.width-3 && row[2].Form == 0 {
				t.Errorf("%s %s: a value of %d bytes, expected %d", c.typ, c.setting, got, c.width)
			}
			if row[2].Form == 0 && state.Schema.Columns[2].Type.Text(row[2]) == "" {
				t.Errorf("%s: a value without a text", c.typ)
			}
		}
		if len(s.Assumed) != 1 || s.Assumed[0].Name != "t.g" {
			t.Errorf("%s: assumed %v, expected t.g", c.typ, s.Assumed)
		}
	}
}

// Defaults that depend on the clock and on chance have values as wide as real ones;
// one that calls an unknown function has the width that it is set to.
func TestAssumedDefaults(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a timestamptz DEFAULT now(), b float8 DEFAULT random(),
		c uuid DEFAULT gen_random_uuid(), d uuid DEFAULT uuidv7(), e timestamptz DEFAULT clock_timestamp(),
		f text DEFAULT new_key(), g text DEFAULT md5(random()::text), h text DEFAULT current_user, i int DEFAULT 7,
		j int DEFAULT random(1, 6));`, assumptions(t, "t.f:width=21"))
	s.apply(relation(1, "t", 'd', "id*"))
	b := begin()
	b.Time = 820540800000000 // 2026-01-01
	s.apply(b, insert(1, "1"), insert(1, "2"), commit())
	var settings []string
	for _, a := range s.Assumed {
		settings = append(settings, a.Name+" "+strings.TrimSpace(a.Setting+" "+a.Value))
	}
	const want = "t.a random, t.b random, t.c random, t.d random, t.e random, t.f width 21, t.g random, t.h random, t.j random, t.h width 32"
	if got := strings.Join(settings, ", "); got != want {
		t.Errorf("assumed %s\nexpected %s", got, want)
	}
	rows := strings.Split(s.rows("t"), "; ")
	for n, row := range rows {
		f := strings.Fields(strings.ReplaceAll(row, " 00:00:00+00", "T00:00:00+00"))
		if len(f) != 11 || f[1] != "2026-01-01T00:00:00+00" || f[1] != f[5] || f[3][14] != '4' || f[4][14] != '7' ||
			f[4][:8] != "019b76da" || len(f[6]) != 20 || len(f[7]) != 32 || f[9] != "7" || f[10] < "1" || f[10] > "6" {
			t.Errorf("row %d: %q", n, f)
		}
	}
	if rows[0][2:] == rows[1][2:] {
		t.Errorf("two rows have the same values: %s", rows[0])
	}
}

// A CHECK constraint that cannot be evaluated holds, and is counted.
func TestAssumedCheck(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, CONSTRAINT valid CHECK (is_valid(id)), CHECK (id > 0));`, options())
	s.apply(relation(1, "t", 'd', "id*"))
	s.apply(tx(insert(1, "1"), insert(1, "2"))...)
	if s.Counters.Checks != 4 {
		t.Errorf("%d checks, expected 4", s.Counters.Checks)
	}
	if len(s.Assumed) != 1 || s.Assumed[0].Setting != "holds" || s.Assumed[0].Name != "t.valid" {
		t.Errorf("assumed %v, expected the constraint valid", s.Assumed)
	}
}

func TestAssumptionErrors(t *testing.T) {
	const ddl = `CREATE TABLE t (id int PRIMARY KEY, a int DEFAULT f(), b text GENERATED ALWAYS AS (f(id)) STORED);
		CREATE INDEX p ON t (id) WHERE f(id); CREATE INDEX e ON t (f(id));`
	for _, c := range []struct{ setting, want string }{
		{"p", "expected the form INDEX:selectivity=0.1, INDEX:width=24 or TABLE.COLUMN:width=24"},
		{":width=1", "expected the form INDEX:selectivity=0.1, INDEX:width=24 or TABLE.COLUMN:width=24"},
		{"p:selectivity=2", `selectivity "2": expected a number from 0 to 1`},
		{"p:selectivity=nan", `selectivity "nan": expected a number from 0 to 1`},
		{"p:width=0", `width "0": expected a number of bytes from 1 to 1048576`},
		{"p:size=3", `setting "size": expected selectivity or width`},
		{"q:selectivity=0.5", "q: no index with an expression or predicate, no generated column and no default: expected p or e or t.b"},
		{"t_pkey:width=8", "t_pkey: no index with an expression or predicate, no generated column and no default: expected p or e or t.b"},
		{"e:selectivity=0.5", "e: selectivity is for the predicate of an index: expected width"},
		{"p:width=8", "p: none of its columns is an expression: expected selectivity"},
		{"t.a:width=8", "t.a: type integer always takes 4 bytes: expected the width of a column of variable length"},
	} {
		a, err := assume.Parse(c.setting)
		if err == nil {
			db, readErr := schema.Read(strings.NewReader(ddl), "test.sql")
			if readErr != nil {
				t.Fatal(readErr)
			}
			o := options()
			o.Assume = []assume.Setting{a}
			_, err = apply.New(db, o)
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: error %v\nexpected %s", c.setting, err, c.want)
		}
	}
}

// What is no expression is refused, and so is all that would be assumed if the result
// is to be exact.
func TestNothingToAssume(t *testing.T) {
	exact := options()
	exact.Exact = true
	for _, c := range []struct {
		column string
		o      apply.Options
		want   string
	}{
		{"UNIQUE (a)); CREATE INDEX x ON t (a) WHERE (nosuch > 1", options(), `index x: column "nosuch" does not exist`},
		{"g box GENERATED ALWAYS AS (f(a)) STORED, h tsquery GENERATED ALWAYS AS (f(a)) STORED", options(),
			"generated column t.h: expression not supported: function f(integer) (and values of type tsquery cannot be made up: nothing is known of how they look)"},
		{"g text GENERATED ALWAYS AS (f(a)) STORED", exact, "generated column t.g: expression not supported: function f(integer)"},
		{"g text DEFAULT f(1)", exact, "the default of column t.g: expression not supported: function f(integer)"},
		{"g text DEFAULT random()", exact, "the default of column t.g, which depends on function random()"},
		{"g uuid UNIQUE DEFAULT gen_random_uuid()", exact, "the default of column t.g, which depends on function gen_random_uuid()"},
		{"g uuid DEFAULT gen_random_uuid()", exact, ""},
	} {
		s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, a int, "+c.column+");", c.o)
		err := s.try(append([]message{relation(1, "t", 'd', "id*", "a")}, tx(insert(1, "1", "2"))...)...)
		var unsupported *apply.UnsupportedError
		if errors.As(err, &unsupported) != (c.want != "") || c.want != "" && unsupported.What != c.want {
			t.Errorf("%s: error %v\nexpected %s", c.column, err, c.want)
		}
	}
}
