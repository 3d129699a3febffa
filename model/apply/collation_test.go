package apply_test

import (
	"errors"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/schema"
)

const insensitive = `CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); `

// In a nondeterministic collation texts of different bytes are duplicates; in a
// deterministic one they are not, even if it orders them by the same weights.
func TestUniqueInCollation(t *testing.T) {
	for _, c := range []struct {
		collation string
		duplicate bool
	}{
		{`ci`, true}, {`"und-x-icu"`, false}, {`"en_US.utf8"`, false}, {`"C"`, false},
	} {
		s := subscribe(t, insensitive+`CREATE TABLE t (name text COLLATE `+c.collation+` PRIMARY KEY)`, options())
		s.apply(relation(1, "t", 'd', "name*"))
		s.apply(tx(insert(1, "Straße"))...)
		s.apply(begin())
		err := s.try(insert(1, "straße"))
		if got := err != nil; got != c.duplicate {
			t.Errorf("%s: %v", c.collation, err)
		}
		if c.duplicate {
			stops(t, err, `conflict detected on relation "public.t": conflict=insert_exists`)
		}
	}
}

// Rows are looked for by the collation's equality: by index, and one after the
// other, where bytes that differ must not lead past an equal row.
func TestLookupInCollation(t *testing.T) {
	for _, ddl := range []string{"", "CREATE INDEX ON t (name);"} {
		for collation, found := range map[string]bool{"ci": true, `"und-x-icu"`: false} {
			s := subscribe(t, insensitive+`CREATE TABLE t (name text COLLATE `+collation+`, n int);`+ddl, options())
			s.apply(relation(1, "t", 'f', "name", "n"))
			s.apply(tx(insert(1, "other", "1"), insert(1, "NAME", "2"))...)
			s.apply(tx(updateFrom(1, 'O', row("name", "2"), row("new", "3")))...)
			if missing := s.Counters.Conflicts["update_missing"]; (missing == 0) != found {
				t.Errorf("%s %s: %d rows missing", collation, ddl, missing)
			}
		}
	}
}

// Equal items merge only where equal means identical.
func TestDeduplicationInCollation(t *testing.T) {
	for collation, merges := range map[string]bool{"ci": false, `"de-x-icu"`: true} {
		s := subscribe(t, insensitive+`CREATE TABLE t (id int, name text COLLATE `+collation+`); CREATE INDEX i ON t (name)`, options())
		s.apply(relation(1, "t", 'd', "id", "name"), begin())
		for range 1000 {
			s.apply(insert(1, "1", "the same"))
		}
		s.apply(commit())
		dedups := 0
		for _, r := range s.take() {
			if strings.HasPrefix(r, "Btree/DEDUP i") {
				dedups++
			}
		}
		if (dedups > 0) != merges {
			t.Errorf("%s: %d deduplications", collation, dedups)
		}
	}
}

// The default collation orders what says none: keys, checks, elements, jsonb.
func TestDefaultCollation(t *testing.T) {
	const ddl = `CREATE TABLE t (k text CHECK (k < 'Z'), tags text[], doc jsonb, code text COLLATE "C" CHECK (code < 'a'));
		CREATE INDEX t_k ON t (k); CREATE INDEX t_tags ON t (tags); CREATE INDEX t_doc ON t (doc); CREATE INDEX t_code ON t (code);`
	for collation, holds := range map[string]bool{"": false, "C": false, "und-x-icu": true, "en_US.utf8": true} {
		o := options()
		o.Collation = collation
		s := subscribe(t, ddl, o)
		s.apply(relation(1, "t", 'd', "k", "tags", "doc", "code"), begin())
		err := s.try(insert(1, "b", "{b}", `"b"`, "Z"), insert(1, "C", "{C}", `"C"`, "Y"))
		if got := err == nil; got != holds {
			t.Errorf("collation %q: %v", collation, err)
		}
		notes, _ := s.Doubts()
		if !holds {
			if len(notes) > 0 {
				t.Errorf("collation %q: %q", collation, notes)
			}
			continue
		}
		if len(notes) != 1 || !strings.HasPrefix(notes[0], "assumed: text in collation "+collation+" (") ||
			!strings.HasSuffix(notes[0], ": CHECK constraint t_k_check of t, t_k (k), t_tags (tags), t_doc (doc)") {
			t.Errorf("collation %q: %q", collation, notes)
		}
	}
}

func TestUnsupportedCollations(t *testing.T) {
	for _, c := range []struct{ ddl, want string }{
		{`CREATE COLLATION x (provider = icu, locale = 'de', rules = '&a < b'); CREATE TABLE t (k text COLLATE x)`, `column t.k: the RULES of collation x`},
		{`CREATE TYPE span AS RANGE (subtype = text, collation = "de-x-icu"); CREATE TABLE t (k span)`, `column t.k: ranges over type text in another collation than C`},
		{insensitive + `CREATE TABLE t (k text COLLATE ci) PARTITION BY HASH (k)`, `hashing of text in a nondeterministic collation`},
	} {
		s := subscribe(t, c.ddl, options())
		s.apply(relation(1, "t", 'd', "k"), begin())
		err := s.try(insert(1, "a"))
		var u *apply.UnsupportedError
		if !errors.As(err, &u) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.ddl, err, c.want)
		}
	}
	// The language's own order stands for that of settings that are not modelled, unless all
	// must be exact.
	const lower = `CREATE COLLATION x (provider = icu, locale = 'da-u-kf-lower'); CREATE TABLE t (k text COLLATE x)`
	for _, exact := range []bool{false, true} {
		o := options()
		o.Exact = exact
		s := subscribe(t, lower, o)
		s.apply(relation(1, "t", 'd', "k"), begin())
		err := s.try(insert(1, "a"))
		if (err != nil) != exact || exact && !strings.Contains(err.Error(), "column t.k: collation x: the ICU setting kf-lower") {
			t.Errorf("exact %v: %v", exact, err)
		}
	}
	// What an expression cannot do in a collation is assumed, and said so.
	for _, c := range []struct{ index, want string }{
		{`(k) WHERE k LIKE 'a%'`, "operator text ~~"}, {`(initcap(k COLLATE "de-x-icu"))`, "function initcap(text)"},
	} {
		s := subscribe(t, insensitive+`CREATE TABLE t (k text COLLATE ci); CREATE INDEX i ON t `+c.index, options())
		if len(s.Assumed) != 1 || !strings.Contains(s.Assumed[0].Reason, c.want) {
			t.Errorf("%s: assumed %v, expected %s", c.index, s.Assumed, c.want)
		}
	}
	db, err := schema.Read(strings.NewReader("create table t (a int)"), "t.sql")
	if err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Collation = "nowhere"
	if _, err := apply.New(db, o); err == nil || !strings.Contains(err.Error(), `found collation "nowhere", expected`) {
		t.Errorf("an unknown default collation: %v", err)
	}
}
