package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadChange(t *testing.T) {
	const ddl = `create table t (id int primary key, a int, b text default 'x', g int generated always as (a + 1) stored);
		create table s.t2 (id int not null, "Odd name" text);`
	db, err := Read(strings.NewReader("create schema s;"+ddl), "ddl.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want string }{
		{"insert into t values (1, -2, 'it''s')", `insert t set id=1 a=-2 b=it's`},
		{"INSERT INTO public.t (b, id) VALUES (NULL, +7);", `insert t set b=NULL id=7 a=NULL`},
		{"insert into s.t2 values (1, E'a\\nb')", "insert s.t2 set id=1 Odd name=a\nb"},
		{"update t set a = 2, b = true where id = 1 and b is null", `update t set a=2 b=true where id=1 b=NULL`},
		{`update only s.t2 set "Odd name" = $$x$$ where id = 1 -- why`, `update s.t2 set Odd name=x where id=1`},
		{"delete from t where id = 1", `delete t where id=1`},
		// What is not read, and why.
		{"", "found the end of the statement, expected INSERT, UPDATE or DELETE"},
		{"select 1", `found "select", expected INSERT`},
		{"delete from t", "expected WHERE"},
		{"update t set a = 1", "expected WHERE"},
		{"update t set where id = 1", `has no column "where"`},
		{"update t set a = a + 1 where id = 1", "expected a literal: a string, a number"},
		{"update t set a = 1 + 1 where id = 1", "without an operator"},
		{"update t set a = '1'::int where id = 1", "without an operator or a cast"},
		{"update t set a = 1, a = 2 where id = 1", `"a" is there twice`},
		{"update t set g = 1 where id = 1", "is generated"},
		{"update t set a = 1 where id = null", "expected IS NULL"},
		{"update t set a = 1 where id > 1", `expected "="`},
		{"update t set a = 1 where id = 1 or id = 2", "expected the end of the statement"},
		{"update t set a = 1 where id = 1 returning a", "expected the end of the statement"},
		{"delete from t where id = 1; delete from t where id = 2", "expected one statement"},
		{"delete from nix where id = 1", `table "nix" does not exist`},
		{"delete from t where nix = 1", `has no column "nix"`},
		{"insert into t values (1, 2, '3'), (4, 5, '6')", "after one row"},
		{"insert into t (id, a) values (1, 2)", `"b" has no value`},
		{"insert into t (id, a, b) values (1, 2)", `"b" has no value`},
		{"insert into t (id) values (1, 2)", "expected the end of the values: there are 1 column"},
		{"insert into t default values", `expected "VALUES"`},
		{"insert into t values (1, 2, 'x", "the string that starts here"},
	} {
		got, err := db.ReadChange(c.sql, "sql")
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "sql:1: ") {
				t.Errorf("%s: %v", c.sql, err)
			}
			continue
		}
		text := got.Kind + " " + got.Table.QualifiedName()
		for i, list := range [][]ColumnValue{got.Set, got.Where} {
			if len(list) > 0 {
				text += [...]string{" set", " where"}[i]
			}
			for _, v := range list {
				if v.Null {
					v.Text = "NULL"
				}
				text += fmt.Sprintf(" %s=%s", got.Table.Columns[v.Column].Name, v.Text)
			}
		}
		if text != c.want {
			t.Errorf("%s: %s, expected %s", c.sql, text, c.want)
		}
	}
}

func FuzzReadChange(f *testing.F) {
	f.Add("update t set a = 1 where id = 1")
	f.Add("insert into t values (1, 'x', $$y$$)")
	db, err := Read(strings.NewReader("create table t (id int primary key, a int, b text);"), "ddl.sql")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, sql string) {
		c, err := db.ReadChange(sql, "sql")
		if err == nil && (c.Table == nil || c.Kind != "insert" && len(c.Where) == 0) {
			t.Errorf("%q: %+v", sql, c)
		}
	})
}
