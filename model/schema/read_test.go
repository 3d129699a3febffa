package schema

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func mustRead(t *testing.T, sql string) *Database {
	t.Helper()
	d, err := Read(strings.NewReader(sql), "f.sql")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// nestedTypes makes composite types each of which has the one before it twice.
func nestedTypes() string {
	sql := "create type c0 as (a int);"
	for i := range 40 {
		sql += fmt.Sprintf("create type c%d as (a c%d, b c%d);\n", i+1, i, i)
	}
	return sql
}

func TestErrors(t *testing.T) {
	const table = "create table t (a int, b int);\n"
	for _, c := range []struct{ sql, want string }{
		{"create table t (a int,\n b)", `f.sql:2: found ")", expected the type of column "b"`},
		{"create table t (a int,\n\n b int\n c int)", `f.sql:4: found "c", expected ")"`},
		{"create table t (a int", `f.sql:1: found the end of the script, expected ")" for the "(" here`},
		{"select 1;\nselect 'abc", `f.sql:2: found the end of the script, expected the end of the string that starts here`},
		{"\n/* a /* b */", `f.sql:2: found the end of the script, expected the end of the comment that starts here`},
		{"create table t (a int) bogus", `f.sql:1: found "bogus", expected the end of the statement or one of "INHERITS", "PARTITION BY", "USING", "WITH", "ON COMMIT", "TABLESPACE"`},
		{table + table, `f.sql:2: found a second relation t, expected a name for the table that is not taken`},
		{table + "create index on t (c)", `f.sql:2: found column "c", expected one of table t`},
		{table + "create index on u (a)", `f.sql:2: found table u, expected one that a statement before creates`},
		{table + "create index on t (a) where", `f.sql:2: found the end of the statement, expected a condition`},
		{table + "alter table t add primary key (a), add primary key (b)", `f.sql:2: found a second primary key of table t, expected one at most`},
		{table + "alter table t frobnicate", `f.sql:2: found "frobnicate", expected an action of ALTER TABLE`},
		{table + "alter table t replica identity using index nope", `f.sql:2: found index "nope", expected one of table t`},
		{table + "create unique index i on t (a); alter table t replica identity using index i", `f.sql:2: found index "i", expected a unique index over NOT NULL columns, neither partial nor deferrable`},
		{table + "alter table t inherit t", `f.sql:2: found table t, expected one that t can inherit from`},
		{table + "create table p partition of t default", `f.sql:2: found a partition of table t, expected a partitioned table`},
		{"create table p (a int) partition by list (a); create table q partition of p for values from (1) to (2)", `f.sql:1: found a bound for range partitioning, expected one for list, as table p is partitioned`},
		{"create table t (a varchar(0))", `f.sql:1: found varchar(0), expected a modifier that the type takes: length for type varchar must be at least 1`},
		{"create table t (a int storage weird)", `f.sql:1: found "weird", expected PLAIN, EXTERNAL, EXTENDED, MAIN or DEFAULT`},
		{"create publication p for table nope", `f.sql:1: found table nope, expected one that a statement before creates`},
		{"create type e as enum ('a', b)", `f.sql:1: found "b", expected the label of an enum in quotes`},
		{"create table t (a int default , b int)", `f.sql:1: found ",", expected the default value`},
		{"create table t (a int check ())", `f.sql:1: found ")", expected a condition`},
		{"create table p (a int) partition by hash (a);\ncreate table q partition of p for values with (modulus 0, remainder 0)", `f.sql:2: found modulus 0, expected a number above 0`},
		{"create table p (a int) partition by hash (a);\ncreate table q partition of p for values with (modulus 4, remainder 4)", `f.sql:2: found remainder 4, expected a number from 0 to 3`},
		{table + "create index on t (a) with (fillfactor = 5)", `f.sql:2: found fillfactor = 5, expected a number from 10 to 100`},
		{table + "alter table t set (toast_tuple_target = 1)", `f.sql:2: found toast_tuple_target = 1, expected a number from 128 to 8160`},
		{table + "create index on t using brin (a) with (pages_per_range = 0)", `f.sql:2: found pages_per_range = 0, expected a number from 1 to 131072`},
		{table + "create index on t (" + strings.Repeat("a, ", 32) + "b)", `f.sql:2: found 33 columns of an index, expected 32 at most`},
		{"create table p (a int) partition by range (" + strings.Repeat("a, ", 32) + "a)", `f.sql:1: found 33 columns in PARTITION BY, expected 32 at most`},
		{"create table t (a int, exclude (a with <>))", `f.sql:1: found operator <> in an exclusion constraint of a btree index, expected =`},
		{"create table t (a int, exclude using hash (a with operator(pg_catalog.<)))", `f.sql:1: found operator < in an exclusion constraint of a hash index, expected =`},
		{"create table t (ctid int)", `f.sql:1: found column "ctid", expected a name that no system column has`},
		{"create table t (a int,\n primary key (a, a))", `f.sql:2: found column "a" twice in a key, expected it once`},
		{"create type e as enum ('a', 'a')", `f.sql:1: found the label "a" again, expected one that enum e does not have`},
		{"create table t (a int generated always as identity (minvalue 5 maxvalue 1))", `f.sql:1: found MINVALUE 5 of sequence t_a_seq, expected less than MAXVALUE 1`},
		{"create sequence s start 5 maxvalue 3", `f.sql:1: found START 5 of sequence s, expected a number from 1 to 3`},
		{"create sequence s increment 0", `f.sql:1: found INCREMENT 0 of sequence s, expected another number`},
		{"create sequence s cache 0", `f.sql:1: found CACHE 0 of sequence s, expected a number above 0`},
		{nestedTypes(), `f.sql:17: found 131072 attributes of type c17, those of its attributes' types included, expected 100000 at most`},
		{"create table \"a\nb\" (x int); create index on \"a\nb\" (y)", `f.sql:3: found column "y", expected one of table a\nb`},
	} {
		_, err := Read(strings.NewReader(c.sql), "f.sql")
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.sql, err, c.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"create table t (a citext, b public.citext, c citext[])", "f.sql:1: type citext is not known: its values are taken as they come"},
		{"create table t as select 1", "f.sql:1: table t is passed over: the columns that a query gives are not known"},
		{"\nfrobnicate the database", `f.sql:2: a statement that starts with "frobnicate" is not known and is passed over`},
		{"create widget x", `f.sql:1: CREATE "widget" is not known and is passed over`},
		{"drop table x; drop index y;", "f.sql:1: table x is to be dropped, but no statement before creates it; the statement and others like it are passed over"},
		{"\\i other.sql\n", `f.sql:1: \i other.sql is not followed: read that file too`},
		{"begin; create table t (a int); rollback;", "f.sql:1: ROLLBACK is passed over: the statements before it stand"},
		{"create table t (a int, b int); create index z on t (a); create index a on t (b);", ""},
		{"create table t (a int, b int); create index y on t (a); create index z on t (b);", ""},
		{"SELECT pg_catalog.set_config('search_path', '', false); create table public.t (a int, b int); create index y on public.t (a); create index z on public.t (b);",
			"f.sql:1: the indexes of table t come sorted by name, as pg_dump prints them: on the real server the order of their OIDs may differ, and with it the order of index records and the index that REPLICA IDENTITY FULL uses"},
		{"-- PostgreSQL database dump\n create table public.t (a int, b int); create index z on public.t (a); create index y on public.t (b);", ""},
	} {
		d := mustRead(t, c.sql)
		var got []string
		for _, w := range d.Warnings {
			got = append(got, w.String())
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.sql, s, c.want)
		}
	}
}

func TestExpressions(t *testing.T) {
	for _, c := range []struct{ column, def, check, generated string }{
		{"a int default 1", "1", "", ""},
		{"a int default  ( 1 +  /* x */ 2 )", "1 + 2", "", ""},
		{"a int default null", "", "", ""},
		{"a int default -5 not null", "-5", "", ""},
		{"a text default 'a  b' check ((a <> 'x,y;'))", "'a  b'", "a <> 'x,y;'", ""},
		{"a text default 'x'::character varying(3) collate \"C\" not null", "'x'::character varying(3)", "", ""},
		{"a timestamp default '2026-01-01'::timestamp without time zone null", "'2026-01-01'::timestamp without time zone", "", ""},
		{"a int default case when true then 1 else null end check (a > 0 or (a = 1))", "case when true then 1 else null end", "a > 0 or (a = 1)", ""},
		{"a bool default 1 is not distinct from 2 unique", "1 is not distinct from 2", "", ""},
		{"a int[] default array[1, 2]::int[]", "array[1, 2]::int[]", "", ""},
		{"a int default f(1, (2), ')') references x (a) on delete set null (a) deferrable", "f(1, (2), ')')", "", ""},
		{"a int generated always as ( (1\n+ 2) * 3 ) stored", "", "", "(1 + 2) * 3"},
		{"a serial", "nextval('t_a_seq'::regclass)", "", ""},
	} {
		d := mustRead(t, "create table t ("+c.column+", b int)")
		tab := d.Table("public", "t")
		col := tab.Columns[0]
		check := ""
		if len(tab.Checks) > 0 {
			check = tab.Checks[0].Expr
		}
		if col.Default != c.def || check != c.check || col.GeneratedExpr != c.generated || len(tab.Columns) != 2 {
			t.Errorf("%s: default %q, check %q, generated %q", c.column, col.Default, check, col.GeneratedExpr)
		}
	}
}

func TestBounds(t *testing.T) {
	d := mustRead(t, `create table r (a int, b date) partition by range (a, b);
		create table r1 partition of r for values from (minvalue, '2026-01-01') to (-5, date '2026-02-01');
		create table r2 partition of r for values from (1+1, '2026-02-01'::date) to (maxvalue, maxvalue);
		create table l (a text) partition by list (lower(a));
		create table l1 partition of l for values in ('x', null, 'y'::text);
		create table l2 partition of l default;
		create table h (a int) partition by hash (a);
		create table h1 partition of h for values with (modulus 4, remainder 3);`)
	bound := func(name string) Bound { return *d.Table("public", name).Bound }
	for _, c := range []struct {
		name string
		want Bound
	}{
		{"r1", Bound{From: []BoundValue{{MinValue: true}, {Text: "2026-01-01"}}, To: []BoundValue{{Text: "-5"}, {Text: "2026-02-01"}}}},
		{"r2", Bound{From: []BoundValue{{Text: "1+1", Expr: true}, {Text: "2026-02-01"}}, To: []BoundValue{{MaxValue: true}, {MaxValue: true}}}},
		{"l1", Bound{In: []BoundValue{{Text: "x"}, {Null: true}, {Text: "y"}}}},
		{"l2", Bound{Default: true}},
		{"h1", Bound{Modulus: 4, Remainder: 3}},
	} {
		if got := bound(c.name); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if p := d.Table("public", "l").Partition; p.By != "list" || p.Keys[0].Column != -1 || p.Keys[0].Expr != "lower(a)" {
		t.Errorf("%+v", p)
	}
	if p := d.Table("public", "r").Partition; p.Keys[1].Column != 1 || p.Keys[1].Expr != "" {
		t.Errorf("%+v", p)
	}
}

func TestScripts(t *testing.T) {
	d := mustRead(t, "\ufeff\\restrict abc\r\ncreate table t (a int)\\g\n\\connect x\ncopy t from stdin;\n1\n'\n\\.\n"+
		"insert into t values ('a;b') ;;; create function f() returns int language sql begin atomic; select case when 1=1 then 1 end; end;"+
		"create rule r as on insert to t do (select 1; select 2); select 1 \\gexec\ncreate index on t (a)")
	if got, want := fmt.Sprint(d.Skipped), `map[COPY:1 CREATE FUNCTION:1 CREATE RULE:1 INSERT:1 SELECT:1 \connect:1 \restrict:1]`; got != want {
		t.Errorf("%s", got)
	}
	if x := d.Table("public", "t").Indexes; len(x) != 1 || x[0].Name != "t_a_idx" {
		t.Errorf("%v", x)
	}
}

func TestSortIndexes(t *testing.T) {
	tab := mustRead(t, "create table t (a int primary key, b int); create index x on t(b); create index y on t(b); create index z on t(b)").Table("public", "t")
	tab.SortIndexes([]string{"t_pkey", "z", "x"})
	got := ""
	for _, x := range tab.Indexes {
		got += x.Name + " "
	}
	if got != "t_pkey z x y " {
		t.Error(got)
	}
}

func TestPublications(t *testing.T) {
	d := mustRead(t, `create table t (a int, b int); create table p (a int) partition by list (a); create table p1 partition of p default; create schema s; create table s.x (a int);
		create unlogged table u (a int);
		create publication one for table t (b) where (a > 1), p; create publication two for tables in schema s with (publish = 'insert,delete'); create publication three for all tables;`)
	covers := func(pub, schema, name string) bool { return d.Publication(pub).Covers(d.Table(schema, name)) }
	for _, c := range []struct {
		pub, schema, name string
		want              bool
	}{{"one", "public", "t", true}, {"one", "public", "p1", true}, {"one", "s", "x", false}, {"two", "s", "x", true}, {"two", "public", "t", false},
		{"three", "public", "t", true}, {"three", "public", "u", false}} {
		if covers(c.pub, c.schema, c.name) != c.want {
			t.Errorf("%+v", c)
		}
	}
	if pt := d.Publication("one").Find(d.Table("public", "t")); pt.Where != "a > 1" || len(pt.Columns) != 1 {
		t.Errorf("%+v", pt)
	}
	if p := d.Publication("two"); !p.Insert || p.Update || !p.Delete || p.Truncate {
		t.Errorf("%+v", p)
	}
}

// TestDeep reads what could take quadratic time or endless recursion.
func TestDeep(t *testing.T) {
	const n = 100_000
	start := time.Now()
	for _, sql := range []string{
		"create table t (a int check (" + strings.Repeat("(", n) + "a" + strings.Repeat(")", n) + "))",
		"create table t (a int); create index on t (" + strings.Repeat("(", n) + "a" + strings.Repeat("::int)", n) + ")",
		"create table t (a int); create index on t ((" + strings.Repeat("case when a then 1 else ", n) + "a" + strings.Repeat(" end", n) + "))",
		"create table t (a int default " + strings.Repeat("a + ", n) + "1)",
		"select " + strings.Repeat("'", n*2),
		strings.Repeat("$a", n),
		strings.Repeat("/*", n),
		"create table t (" + strings.Repeat("a int,", n) + ")",
		"create schema s " + strings.Repeat("create schema s ", n/10),
		strings.Repeat("(", n),
	} {
		Read(strings.NewReader(sql), "deep")
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}
