package schema

import (
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzRead asks for no more than an answer: no panic, no hang; and the answer
// must not depend on how the input arrives.
func FuzzRead(f *testing.F) {
	features, err := os.ReadFile("testdata/recorded/features.sql")
	if err != nil {
		f.Fatal(err)
	}
	for stmt := range strings.SplitSeq(string(features), ";\n") {
		f.Add(stmt + ";")
	}
	for _, s := range []string{"", ";", "\\", "/*", "'", "\"", "$$", "$a$ $$", "U&'", "E'\\", "((((", "))))", "create", "alter table",
		"create table t (a int); alter table t inherit t", "create table a () partition by list (b)", "create schema a create schema b create table c ()",
		"copy t from stdin;\n1\n\\.\nselect 1", "\xff\xfe", "create type t as (a t)", "create table t (a t)", "create domain d d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		d, err := Read(strings.NewReader(sql), "fuzz")
		if len(sql) > 2000 {
			return
		}
		d2, err2 := Read(iotest.OneByteReader(strings.NewReader(sql)), "fuzz")
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("%v; byte by byte: %v", err, err2)
		}
		if err == nil {
			if a, b := strings.Join(catalogLines(d), "\n"), strings.Join(catalogLines(d2), "\n"); a != b {
				t.Fatalf("%s\nbyte by byte:\n%s", a, b)
			}
			checkDatabase(t, d)
		}
	})
}

// checkDatabase holds what must be true of any database.
func checkDatabase(t *testing.T, d *Database) {
	for _, tab := range d.Tables {
		if d.Table(tab.Schema, tab.Name) != tab {
			t.Errorf("table %s is not found by its name", tab.QualifiedName())
		}
		if len(tab.Attrs()) != len(tab.Columns) {
			t.Errorf("table %s: attributes", tab.QualifiedName())
		}
		for _, x := range tab.Indexes {
			if x.Table != tab || len(x.Keys) == 0 || len(x.colnames) != len(x.Keys)+len(x.Include) {
				t.Errorf("index %s of %s", x.Name, tab.QualifiedName())
			}
			for _, k := range x.Keys {
				if k.Column >= len(tab.Columns) || k.Column >= 0 && tab.Columns[k.Column].Dropped || k.Column < 0 && k.Expr == "" {
					t.Errorf("index %s of %s has key %+v", x.Name, tab.QualifiedName(), k)
				}
			}
			_ = x.String()
		}
	}
}
