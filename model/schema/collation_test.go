package schema

import (
	"strings"
	"testing"

	"applysim/model/collation"
	"applysim/model/pgtype"
)

func TestCollations(t *testing.T) {
	d := mustRead(t, `
		create schema s;
		create collation public.ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		create collation s."German" (locale = 'de_DE.utf8');
		create collation if not exists copy from s."German";
		create collation ruled (provider = icu, locale = 'und', rules = '&a < g');
		create domain word as text collate "de-x-icu";
		create type pair as (a text collate "C", b text);
		create type span as range (subtype = text, collation = "en-x-icu");
		create table t (a text collate pg_catalog."und-x-icu", b varchar(9) collate public.ci, c text collate s."German", d text, e word, f text collate "default");
		create index i on t (d collate copy, (lower(d)) collate pg_catalog."C", (d collate "sv-x-icu"));
		create table o of pair;`)
	table := d.Table("public", "t")
	for i, want := range []string{"und-x-icu", "ci", "s.German", "", "", "default"} {
		if got := table.Columns[i].Collation; got != want {
			t.Errorf("column %s: collation %q, expected %q", table.Columns[i].Name, got, want)
		}
	}
	if got := table.Columns[4].Type.Collation; got != "de-x-icu" {
		t.Errorf("domain: collation %q", got)
	}
	if got := pgtype.ArrayOf(table.Columns[4].Type).Collation; got != "de-x-icu" {
		t.Errorf("array of the domain: collation %q", got)
	}
	for i, want := range []string{"copy", "C", "sv-x-icu"} {
		if got := table.Index("i").Keys[i].Collation; got != want {
			t.Errorf("key %d: collation %q, expected %q", i+1, got, want)
		}
	}
	if c := d.Table("public", "o").Columns; c[0].Collation != "C" || c[1].Collation != "" {
		t.Errorf("table of a type: collations %q, %q", c[0].Collation, c[1].Collation)
	}
	if got := d.Types["public.span"].Collation; got != "en-x-icu" {
		t.Errorf("range: collation %q", got)
	}
	for _, c := range []struct {
		name  string
		want  collation.Spec
		rules bool
	}{
		{"ci", collation.Spec{Provider: collation.ICU, Locale: "und-u-ks-level2"}, false},
		{"copy", collation.Spec{Provider: collation.Libc, Locale: "de_DE.utf8", Deterministic: true}, false},
		{"s.German", collation.Spec{Provider: collation.Libc, Locale: "de_DE.utf8", Deterministic: true}, false},
		{"de-x-icu", collation.Spec{Provider: collation.ICU, Locale: "de", Deterministic: true}, false},
		{"ruled", collation.Spec{Provider: collation.ICU, Locale: "und", Deterministic: true}, true},
	} {
		got, err := d.Collation(c.name)
		if err != nil || got.Spec != c.want || got.Rules != c.rules {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
}

func TestCollationErrors(t *testing.T) {
	const unknown = `expected one that CREATE COLLATION makes before it, "C", "POSIX", "ucs_basic", "pg_c_utf8", "pg_unicode_fast", "unicode", one of ICU such as "de-x-icu" or one of libc such as "de_DE.utf8"`
	for _, c := range []struct{ sql, want string }{
		{"\ncreate collation c from d", `f.sql:2: found collation "d", ` + unknown},
		{"create collation c (provider = icq, locale = 'de')", `f.sql:1: collation c: found provider "icq", expected builtin, icu or libc`},
		{"create collation c (provider = icu, locale = '!')", `f.sql:1: collation c: found ICU locale "!", expected a language such as de, en-US or und, or one with settings such as de-u-co-phonebk`},
		{"create collation c (locale = 'german')", `f.sql:1: collation c: found libc locale "german", expected C, POSIX, C.utf8 or a language, a country and the encoding UTF-8 such as de_DE.utf8`},
		{"create collation c (provider = builtin, locale = 'de')", `f.sql:1: collation c: found locale "de", expected C, C.UTF-8 or PG_UNICODE_FAST, the locales of provider builtin`},
	} {
		_, err := Read(strings.NewReader(c.sql), "f.sql")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.sql, err, c.want)
		}
	}
}

// TestUnknownCollation reads on with the default collation, and warns once.
func TestUnknownCollation(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"create table t (\n a text collate german, b text collate german)", `f.sql:2: collation "german" is not known: taken for the default one (found collation "german", expected one that CREATE COLLATION makes before it, `},
		{"create table t (a text);\ncreate index on t (a collate s.x)", `f.sql:2: collation "s.x" is not known`},
		{"create domain d as text collate \"xyzzy-x-icu\"", `f.sql:1: collation "xyzzy-x-icu" is not known`},
	} {
		d, err := Read(strings.NewReader(c.sql), "f.sql")
		if err != nil || len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0].String(), c.want) {
			t.Errorf("%s: %v, warnings %v\nwant %s", c.sql, err, d.Warnings, c.want)
		}
	}
}
