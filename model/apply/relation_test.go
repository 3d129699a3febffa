package apply_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/stream"
)

// rows reads a table as text, in physical order; rows are separated by "; ".
func (s *subscriber) rows(name string) string {
	s.t.Helper()
	table := s.table(name)
	var rows []string
	values := make([]datum.Value, len(table.Schema.Columns))
	for tid := range table.Heap.Scan {
		table.Heap.Values(values, tid)
		var row []string
		for i := range values {
			if values[i].Null {
				row = append(row, "-")
			} else {
				row = append(row, table.Schema.Columns[i].Type.Text(values[i]))
			}
		}
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, "; ")
}

// stops checks that replication stops with an error.
func stops(t testing.TB, err error, text string) *apply.StopError {
	t.Helper()
	var stop *apply.StopError
	if !errors.As(err, &stop) {
		t.Fatalf("error %v, expected replication to stop with: %s", err, text)
	}
	if stop.Text != text {
		t.Errorf("replication stops with: %s\nexpected: %s", stop.Text, text)
	}
	return stop
}

// Columns are matched by name, whatever their order; local ones that are not sent
// get their defaults.
func TestColumnMapping(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (
		note text DEFAULT 'it''s new',
		b int,
		n int DEFAULT -5,
		id int PRIMARY KEY,
		f numeric(6,2) DEFAULT 1.5 NOT NULL,
		yes boolean DEFAULT true,
		nothing text,
		a text DEFAULT 'unused');`, options())
	s.apply(relation(1, "t", 'd', "id*", "a", "b"))
	s.apply(tx(insert(1, "1", "one", "10"), insert(1, "2", null, null))...)
	if got, want := s.rows("t"), "it's new 10 -5 1 1.50 t - one; it's new - -5 2 1.50 t - -"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	// An update keeps columns that are not sent, and those that are marked as
	// unchanged.
	s.apply(tx(update(1, "1", unchanged, "11"))...)
	if got, want := s.rows("t"), "it's new - -5 2 1.50 t - -; it's new 11 -5 1 1.50 t - one"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	// A relation message in between gives the columns a new order.
	s.apply(relation(1, "t", 'd', "b", "id*"))
	s.apply(tx(insert(1, "30", "3"))...)
	if got, want := s.rows("t"), "it's new 30 -5 3 1.50 t - unused"; !strings.HasSuffix(got, want) {
		t.Errorf("rows %s, expected %s at the end", got, want)
	}
}

func TestRelationErrors(t *testing.T) {
	for _, c := range []struct {
		name, ddl string
		relation  stream.Message
		change    stream.Message
		want      string
	}{
		{
			"no such table", `CREATE TABLE other (id int PRIMARY KEY);`,
			relation(1, "t", 'd', "id*"), insert(1, "1"),
			`logical replication target relation "public.t" does not exist`,
		}, {
			"a missing column", `CREATE TABLE t (id int PRIMARY KEY);`,
			relation(1, "t", 'd', "id*", "a"), insert(1, "1", "2"),
			`logical replication target relation "public.t" is missing replicated column: "a"`,
		}, {
			"missing columns, in the publisher's order", `CREATE TABLE t (id int PRIMARY KEY, c int);`,
			relation(1, "t", 'd', "id*", "z", "c", "a"), insert(1, "1", "2", "3", "4"),
			`logical replication target relation "public.t" is missing replicated columns: "z", "a"`,
		}, {
			"a generated column", `CREATE TABLE t (id int PRIMARY KEY, g int GENERATED ALWAYS AS (id * 2) VIRTUAL);`,
			relation(1, "t", 'd', "id*", "g"), insert(1, "1", "2"),
			`logical replication target relation "public.t" has incompatible generated column: "g"`,
		}, {
			"generated columns, in the publisher's order",
			`CREATE TABLE t (id int PRIMARY KEY, g int GENERATED ALWAYS AS (id * 2) VIRTUAL, h int GENERATED ALWAYS AS (id * 3) VIRTUAL);`,
			relation(1, "t", 'd', "h", "id*", "g"), insert(1, "1", "2", "3"),
			`logical replication target relation "public.t" has incompatible generated columns: "h", "g"`,
		}, {
			"missing columns come first", `CREATE TABLE t (id int PRIMARY KEY, g int GENERATED ALWAYS AS (id * 2) VIRTUAL);`,
			relation(1, "t", 'd', "id*", "g", "a"), insert(1, "1", "2", "3"),
			`logical replication target relation "public.t" is missing replicated column: "a"`,
		}, {
			"no identity", `CREATE TABLE t (id int, a int);`,
			relation(1, "t", 'd', "id*", "a"), update(1, "1", "2"),
			`logical replication target relation "public.t" has neither REPLICA IDENTITY index nor PRIMARY KEY and published relation does not have REPLICA IDENTITY FULL`,
		}, {
			"no identity, delete", `CREATE TABLE t (id int, a int);`,
			relation(1, "t", 'd', "id*", "a"), del(1, 'K', "1", null),
			`logical replication target relation "public.t" has neither REPLICA IDENTITY index nor PRIMARY KEY and published relation does not have REPLICA IDENTITY FULL`,
		}, {
			"another key", `CREATE TABLE t (id int, a int PRIMARY KEY);`,
			relation(1, "t", 'd', "id*", "a"), update(1, "1", "2"),
			`publisher did not send replica identity column expected by the logical replication target relation "public.t"`,
		}, {
			"a key that is not sent", `CREATE TABLE t (id int, a int, PRIMARY KEY (id, a));`,
			relation(1, "t", 'd', "id*"), del(1, 'K', "1"),
			`publisher did not send replica identity column expected by the logical replication target relation "public.t"`,
		}, {
			"a key that is not sent, FULL", `CREATE TABLE t (id int, a int, PRIMARY KEY (id, a));`,
			relation(1, "t", 'f', "id"), del(1, 'O', "1"),
			`publisher did not send replica identity column expected by the logical replication target relation "public.t"`,
		}, {
			"identity index on other columns",
			`CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL UNIQUE); ALTER TABLE t REPLICA IDENTITY USING INDEX t_a_key;`,
			relation(1, "t", 'd', "id*", "a"), update(1, "1", "2"),
			`publisher did not send replica identity column expected by the logical replication target relation "public.t"`,
		},
	} {
		s := subscribe(t, c.ddl, options())
		s.apply(c.relation, begin())
		stop := stops(t, s.try(c.change), c.want)
		if stop.Message != 3 {
			t.Errorf("%s: message %d, expected 3", c.name, stop.Message)
		}
		if want := fmt.Sprintf("message 3: replication would stop: ERROR:  %s", c.want); stop.Error() != want {
			t.Errorf("%s: %s, expected %s", c.name, stop, want)
		}
		if got := s.take(); len(got) != 0 {
			t.Errorf("%s: records %v", c.name, got)
		}
	}
}

// Inserts do not mind that there is no identity.
func TestInsertWithoutIdentity(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int, a int);`, options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "2"))...)
	if got := s.rows("t"); got != "1 2" {
		t.Errorf("rows %s", got)
	}
}

func TestValueErrors(t *testing.T) {
	const ddl = `CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, v varchar(3), extra int NOT NULL DEFAULT 1);`
	for _, c := range []struct {
		name   string
		change stream.Message
		want   string
	}{
		{"NULL", insert(1, "2", null, "x"), `null value in column "a" of relation "t" violates not-null constraint`},
		{"NULL by an update", update(1, "1", null, "x"), `null value in column "a" of relation "t" violates not-null constraint`},
		{"no number", insert(1, "2", "x1", "x"), `invalid input syntax for type integer: "x1"`},
		{"no number in an update", update(1, "1", "x1", "x"), `invalid input syntax for type integer: "x1"`},
		{"no number beside an old key", updateFrom(1, 'K', row("1", null, null), row("1", "x1", "x")), `invalid input syntax for type integer: "x1"`},
		{"no number in a key", del(1, 'K', "x1", null, null), `invalid input syntax for type integer: "x1"`},
		{"out of range", insert(1, "3000000000", "1", "x"), `value "3000000000" is out of range for type integer`},
		{"too long", insert(1, "2", "1", "abcd"), `value too long for type character varying(3)`},
		// All values are read before constraints are checked.
		{"NULL and no number", insert(1, "x1", null, "x"), `invalid input syntax for type integer: "x1"`},
		{"no number after NULL", insert(1, "2", null, "abcd"), `value too long for type character varying(3)`},
	} {
		s := subscribe(t, ddl, options())
		s.apply(relation(1, "t", 'd', "id*", "a", "v"))
		s.apply(tx(insert(1, "1", "1", "x"))...)
		s.take()
		s.apply(begin())
		t.Run(c.name, func(t *testing.T) { stops(t, s.try(c.change), c.want) })
		// A row that was found has been locked by then, in a transaction with an id.
		want := ""
		if c.name == "NULL by an update" || c.name == "no number beside an old key" {
			want = "Heap/LOCK t 54, Transaction/ABORT - 34"
		}
		if got := strings.Join(s.take(), ", "); got != want {
			t.Errorf("%s: records %s, expected %s", c.name, got, want)
		}
		if got := s.rows("t"); got != "1 1 x 1" {
			t.Errorf("%s: rows %s", c.name, got)
		}
	}

	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, extra int NOT NULL);`, options())
	s.apply(relation(1, "t", 'd', "id*"), begin())
	stops(t, s.try(insert(1, "1")), `null value in column "extra" of relation "t" violates not-null constraint`)
}

// An error in a transaction that has an id already rolls it back: ABORT is
// written, and its rows are gone.
func TestErrorAborts(t *testing.T) {
	for _, c := range []struct {
		name   string
		change stream.Message
	}{
		{"NULL", insert(1, "3", null)},
		{"no number", insert(1, "x", "1")},
		{"no such table", insert(2, "1")},
		{"no such column", insert(3, "1", "1")},
		{"no identity", update(4, "1")},
		{"NULL by an update", update(1, "1", null)},
	} {
		s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a text NOT NULL); CREATE TABLE u (id int);`, options())
		s.apply(relation(1, "t", 'd', "id*", "a"), relation(2, "missing", 'd', "id*"),
			relation(3, "t", 'd', "id*", "b"), relation(4, "u", 'd', "id*"))
		s.apply(tx(insert(1, "1", "x"))...)
		s.take()
		s.apply(begin(), insert(1, "2", "y"))
		err := s.try(c.change)
		var stop *apply.StopError
		if !errors.As(err, &stop) {
			t.Fatalf("%s: error %v", c.name, err)
		}
		if got := s.take(); len(got) < 3 || got[len(got)-1] != "Transaction/ABORT - 34" {
			t.Errorf("%s: records %v, expected ABORT at the end", c.name, got)
		}
		if got := s.rows("t"); got != "1 x" {
			t.Errorf("%s: rows %s", c.name, got)
		}
		s.check()
	}
}

// Messages that no server sends in this order.
func TestProtocolErrors(t *testing.T) {
	r := relation(1, "t", 'd', "id*")
	for _, c := range []struct {
		name     string
		messages []stream.Message
		want     string
	}{
		{"insert first", []stream.Message{r, insert(1, "1")}, "message 2 (offset 7): insert outside a transaction: expected a begin before it"},
		{"update first", []stream.Message{r, update(1, "1")}, "message 2 (offset 7): update outside a transaction: expected a begin before it"},
		{"delete first", []stream.Message{r, del(1, 'K', "1")}, "message 2 (offset 7): delete outside a transaction: expected a begin before it"},
		{"commit first", []stream.Message{r, commit()}, "message 2 (offset 7): commit without a begin before it"},
		{"begin twice", []stream.Message{begin(), begin()}, "message 2 (offset 7): begin within a transaction: expected its end first"},
		{"no relation", []stream.Message{begin(), insert(1, "1")}, "message 2 (offset 7): no relation message for relation 1 before its first change"},
		{"too few columns", []stream.Message{r, begin(), insert(1)}, "message 3 (offset 7): 0 columns, expected 1 as the relation message has"},
		{"too many columns", []stream.Message{r, begin(), update(1, "1", "2")}, "message 3 (offset 7): 2 columns of the old row, expected 1 as the relation message has"},
		{"old row", []stream.Message{r, begin(), del(1, 'K', "1", "2")}, "message 3 (offset 7): 2 columns of the old row, expected 1 as the relation message has"},
	} {
		s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY);`, options())
		for i := range c.messages {
			c.messages[i].Offset = 7
		}
		err := s.try(c.messages...)
		var protocol *apply.ProtocolError
		if !errors.As(err, &protocol) || err.Error() != c.want {
			t.Errorf("%s: error %v, expected %s", c.name, err, c.want)
		}
	}
}

// What is not modelled says so, at the first change that needs it, if all must be exact.
func TestUnsupported(t *testing.T) {
	for _, ddl := range []string{
		`CREATE TABLE t (id int PRIMARY KEY, p box); CREATE INDEX ON t USING brin (p);`,
	} {
		s := subscribe(t, ddl, options())
		s.apply(relation(1, "t", 'd', "id*"), begin())
		if err := s.try(insert(1, "1")); err != nil {
			t.Errorf("%s: %v, expected the index to be left out", ddl, err)
		}
		o := options()
		o.Exact = true
		s = subscribe(t, ddl, o)
		s.apply(relation(1, "t", 'd', "id*"), begin())
		err := s.try(insert(1, "1"))
		var unsupported *apply.UnsupportedError
		if !errors.As(err, &unsupported) || unsupported.Message != 3 || !strings.HasPrefix(err.Error(), "message 3: not supported: ") {
			t.Errorf("%s: error %v", ddl, err)
		}
	}
}
