package apply_test

import (
	"testing"

	"applysim/model/stream"
)

// The texts are those of PostgreSQL 18.1, whose workers stopped at the same rows.
func TestDomainConstraints(t *testing.T) {
	const posint = "CREATE DOMAIN posint AS int CHECK (value > 0); "
	const small = posint + "CREATE DOMAIN small AS posint CHECK (value < 10); "
	const req = "CREATE DOMAIN req AS int NOT NULL; "
	for _, c := range []struct {
		name, ddl, column, value, want string
	}{
		{"of the domain below", small, "small", "-5", `value for domain public.small violates check constraint "posint_check"`},
		{"of the domain", small, "small", "50", `value for domain public.small violates check constraint "small_check"`},
		{"below first", posint + "CREATE DOMAIN a AS posint CONSTRAINT aaa CHECK (false);", "a", "0", `value for domain public.a violates check constraint "posint_check"`},
		{"by name", "CREATE DOMAIN a AS int CONSTRAINT c2 CHECK (false) CONSTRAINT c1 CHECK (false);", "a", "0", `value for domain public.a violates check constraint "c1"`},
		{"in another schema", "CREATE SCHEMA x; CREATE DOMAIN x.posint AS int CHECK (value > 0);", "x.posint", "0", `value for domain x.posint violates check constraint "posint_check"`},
		{"NULL in an array", req, "req[]", "{1,NULL}", "domain public.req does not allow null values"},
		{"NULL in a composite type", req + "CREATE TYPE pair AS (x int, y req);", "pair", "(1,)", "domain public.req does not allow null values"},
		{"in an array", small, "small[]", "{1,20}", `value for domain public.small violates check constraint "small_check"`},
		{"over an array", "CREATE DOMAIN tags AS text[] CHECK (cardinality(value) < 3);", "tags", "{a,b,c}", `value for domain public.tags violates check constraint "tags_check"`},
		{"an error of the condition", "CREATE DOMAIN posint AS int CHECK (10 / value > 0);", "posint", "0", "division by zero"},
		{"syntax before constraints", posint, "posint", "x", `invalid input syntax for type integer: "x"`},
		{"added later", "CREATE DOMAIN d AS int; ALTER DOMAIN d ADD CHECK (value > 0) NOT VALID;", "d", "0", `value for domain public.d violates check constraint "d_check"`},
		{"dropped", posint + "ALTER DOMAIN posint DROP CONSTRAINT posint_check;", "posint", "0", ""},
		{"renamed", posint + "ALTER DOMAIN posint RENAME CONSTRAINT posint_check TO p; ALTER DOMAIN posint RENAME TO q;", "q", "0", `value for domain public.q violates check constraint "p"`},
		{"satisfied", small, "small", "9", ""},
		{"NULL satisfies CHECK", posint, "posint[]", "{NULL,1}", ""},
		{"NULL of the column is not read", req, "req", null, ""},
	} {
		s := subscribe(t, c.ddl+"CREATE TABLE t (id int PRIMARY KEY, a "+c.column+");", options())
		s.apply(relation(1, "t", 'd', "id*", "a"), begin())
		err := s.try(insert(1, "1", c.value), commit())
		if c.want != "" {
			stops(t, err, c.want)
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestDomainCheckInBinary(t *testing.T) {
	s := subscribe(t, "CREATE DOMAIN posint AS int CHECK (value > 0); CREATE TABLE t (id int PRIMARY KEY, a posint);", options())
	s.apply(relation(1, "t", 'd', "id*", "a"), begin())
	m := insert(1, "1", "")
	m.New[1] = stream.Column{Format: stream.ColumnBinary, Data: []byte{0xff, 0xff, 0xff, 0xff}}
	stops(t, s.try(m), `value for domain public.posint violates check constraint "posint_check"`)
}

// A column that is not sent gets its own default, else the domain's; either must
// satisfy the domain. Without a default it is NULL, which nobody checks.
func TestDomainDefaults(t *testing.T) {
	const ddl = "CREATE DOMAIN d AS int DEFAULT 3 CHECK (value > 0); CREATE DOMAIN e AS d; CREATE DOMAIN req AS int NOT NULL; "
	for _, c := range []struct{ column, rows, stop string }{
		{"a d", "1 3", ""}, {"a e", "1 3", ""}, {"a d DEFAULT NULL", "1 -", ""}, {"a d DEFAULT 5", "1 5", ""}, {"a req", "1 -", ""},
		{"a d DEFAULT -5", "", `value for domain public.d violates check constraint "d_check"`},
		{"a d GENERATED ALWAYS AS (id - 5) STORED", "", `value for domain public.d violates check constraint "d_check"`},
		{"a req GENERATED ALWAYS AS (NULLIF(id, 1)) STORED", "", "domain public.req does not allow null values"},
	} {
		s := subscribe(t, ddl+"CREATE TABLE t (id int PRIMARY KEY, "+c.column+");", options())
		err := s.try(append([]stream.Message{relation(1, "t", 'd', "id*")}, tx(insert(1, "1"))...)...)
		if c.stop != "" {
			stops(t, err, c.stop)
			continue
		}
		if got := s.rows("t"); err != nil || got != c.rows {
			t.Errorf("%s: rows %q, %v, expected %q", c.column, got, err, c.rows)
		}
	}
}

// Constraints of a domain are counted where a value is read.
func TestDomainChecksAreCounted(t *testing.T) {
	s := subscribe(t, `CREATE DOMAIN a AS int NOT NULL CHECK (value > 0); CREATE DOMAIN b AS a CHECK (value < 9) CHECK (is_fine(value));
		CREATE TABLE t (id int PRIMARY KEY, x b, y b[]);`, options())
	s.apply(relation(1, "t", 'd', "id*", "x", "y"))
	s.apply(tx(insert(1, "1", "2", "{3,4}"))...)
	if got := s.Counters.Checks; got != 3*4 {
		t.Errorf("%d checks, expected 12", got)
	}
	if len(s.Assumed) != 1 || s.Assumed[0].Name != "public.b" || s.Assumed[0].Setting != "holds" {
		t.Errorf("assumed %v, expected the constraint of b", s.Assumed)
	}
}
