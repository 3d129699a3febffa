package expr

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// backwards is the order of bytes from the end.
type backwards struct{}

func (backwards) Compare(a, b []byte) int { return -bytes.Compare(a, b) }
func (backwards) Prefix([]byte) uint64    { return 0 }
func (backwards) Deterministic() bool     { return true }

// TestCollation uses a collation that knows other letters than ASCII ones and
// turns the order around.
func TestCollation(t *testing.T) {
	db, err := schema.Read(strings.NewReader(`CREATE COLLATION xx (provider = icu, locale = 'und'); CREATE TABLE c (d text, x text COLLATE "xx", k text COLLATE "C")`), "c.sql")
	if err != nil {
		t.Fatal(err)
	}
	table := db.Table("public", "c")
	other := &Collation{
		Order: backwards{},
		Lower: func(dst, s []byte) []byte { return append(dst, bytes.ToLower(s)...) },
		Upper: func(dst, s []byte) []byte { return append(dst, bytes.ToUpper(s)...) },
	}
	known := func(name string) *Collation {
		if name == "xx" {
			return other
		}
		return nil
	}
	all := func(string) *Collation { return other }
	row := []datum.Value{{Bytes: []byte("É")}, {Bytes: []byte("É")}, {Bytes: []byte("É")}}
	for _, c := range []struct {
		sql  string
		find func(string) *Collation
		want string // "" refused
	}{
		{"lower(d)", nil, "É"},
		{"lower(d)", all, "é"},
		{"lower(x)", nil, ""},
		{"lower(x)", known, "é"},
		{"lower(k)", all, "É"},
		{`lower(x COLLATE "C")`, known, "É"},
		{"x < 'a'", nil, ""},
		{"x < 'a'", known, "t"},
		{"k < 'a'", all, "f"},
		{"x = 'É'", nil, "t"},
		{"x = 'É'", known, "t"},
		{"x || 'a' < 'É'", known, "t"},
		{"greatest(x, 'a')", known, "a"},
		{`x ~ '\w'`, known, ""},
		{"x ~* 'a'", known, ""},
		{"x ~ '[a-z]'", known, "f"},
		{"array[x] < array['a']", known, "t"},
		{"array[x] < array['a']", nil, ""},
		{"array[d] < array['a']", nil, "f"},
		{"initcap(x)", known, ""},
	} {
		e, err := CompileOptions(c.sql, table, &Options{Collation: c.find})
		var u *UnsupportedError
		if errors.As(err, &u) && c.want == "" {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		var s Scratch
		v, err := e.Eval(row, &s)
		if got := e.Type().Text(v); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, expected %q", c.sql, got, err, c.want)
		}
	}
}

// TestTarget stores results as an INSERT does.
func TestTarget(t *testing.T) {
	for _, c := range []struct{ sql, typ, mod, want string }{
		{"'abcdef'", "varchar", "3", "value too long for type character varying(3)"},
		{"'abc  '", "varchar", "3", "abc"},
		{"'ab'", "character", "4", "ab  "},
		{"1.005", "numeric", "5,2", "1.01"},
		{"123456", "numeric", "5,2", "numeric field overflow"},
		{"70000", "int2", "", "smallint out of range"},
		{"1.5", "int4", "", "2"},
		{"1", "text", "", "1"},
		{"now()", "int4", "", "column is of type integer but expression is of type timestamp with time zone"},
	} {
		typ := pgtype.Lookup(c.typ)
		typmod := int32(-1)
		if c.mod != "" {
			var err error
			if typmod, err = pgtype.TypmodIn(typ, strings.Split(c.mod, ",")); err != nil {
				t.Fatal(err)
			}
		}
		got := ""
		e, err := CompileOptions(c.sql, nil, &Options{Target: typ, TargetTypmod: typmod})
		if err == nil {
			var s Scratch
			var v datum.Value
			if v, err = e.Eval(nil, &s); err == nil {
				got = typ.Text(v)
			}
		}
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s to %s(%s): %q, expected %q", c.sql, c.typ, c.mod, got, c.want)
		}
	}
}

// TestLong checks that long chains compile and endless nesting is refused.
func TestLong(t *testing.T) {
	e, err := Compile("1"+strings.Repeat(" + 1", 2000), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s Scratch
	if v, err := e.Eval(nil, &s); err != nil || v.Bits != 2001 {
		t.Errorf("%v, %v", v, err)
	}
	for _, sql := range []string{strings.Repeat("(", 100000), strings.Repeat("- ", 100000) + "1", strings.Repeat("NOT ", 100000) + "true",
		"1" + strings.Repeat(" + 1", 100000), "ARRAY" + strings.Repeat("[", 100000), strings.Repeat("CASE WHEN ", 50000)} {
		if _, err := Compile(sql, nil, nil); err == nil {
			t.Errorf("%.20s...: compiled", sql)
		}
	}
}
