package backend

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/schema"
)

func place(i int) string { return fmt.Sprintf("script %d", i+1) }

// TestScript reads scripts: statements, \gexec, and what is rolled back.
func TestScript(t *testing.T) {
	for _, c := range []struct{ script, want string }{
		{"insert into t values (';', $$;$$, E'\\';', \";\") ; -- ;\n/* ; */ select 1", `insert into t values (';', $$;$$, E'\';', ";")|select 1`},
		{`select format('update t set n=%s where id=%L', g*2, g) from generate_series(1,3) g \gexec`,
			"update t set n=2 where id='1'|update t set n=4 where id='2'|update t set n=6 where id='3'"},
		{`select format('delete from t where id=%2$s and n=%1$s%%', 7, x) from generate_series(10,5,-5) as x \gexec select 1`,
			"delete from t where id=10 and n=7%|delete from t where id=5 and n=7%|select 1"},
		{`select format('insert into t values (%s)', random()) from generate_series(1,2) g \gexec`, "insert into t values (null)|insert into t values (null)"},
		{"begin; insert into a values(1); rollback; insert into b values(1)", "begin|-insert into a values(1)|rollback|insert into b values(1)"},
		{"begin; insert into a values(1); savepoint s; insert into b values(1); savepoint q; insert into c values(1); rollback to s; insert into d values(1); commit",
			"begin|insert into a values(1)|savepoint s|-insert into b values(1)|-savepoint q|-insert into c values(1)|rollback to s|insert into d values(1)|commit"},
		{"begin; insert into a values(1); savepoint s; insert into b values(1); release s; rollback to savepoint s; commit",
			"begin|insert into a values(1)|savepoint s|insert into b values(1)|release s|rollback to savepoint s|commit"},
		{"begin; insert into a values(1)", "begin|-insert into a values(1)"},
	} {
		s, err := ReadScript([]string{c.script}, place)
		if err != nil {
			t.Errorf("%s: %v", c.script, err)
			continue
		}
		var got []string
		for _, st := range s.statements {
			text := st.text
			if st.rolledBack {
				text = "-" + text
			}
			got = append(got, text)
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.script, g, c.want)
		}
	}
	for _, c := range []struct{ script, want string }{
		{"insert into t values ('x", "script 1: a string without end"},
		{"/* x", "script 1: a comment without end"},
		{`insert into "t values (1)`, "script 1: a quoted name without end"},
		{"select $a$x", "script 1: a string in $a$ without end"},
		{`\i other.sql`, `script 1: psql's \i: expected \gexec`},
		{`select 'x' \gexec`, `script 1: \gexec: expected SELECT format`},
		{`select format('%s %s', g) from generate_series(1,2) g \gexec`, "format: too few arguments"},
	} {
		if _, err := ReadScript([]string{c.script}, place); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.script, err, c.want)
		}
	}
}

// TestPlans compares how statements find their rows, and at what cost, with what EXPLAIN
// has said on a real server (testdata/plans.tsv).
func TestPlans(t *testing.T) {
	db, err := schema.Read(strings.NewReader(`create table t (a int, b int, c text, d int unique, primary key (a, b)); create index t_c on t (c, b);
create table o (order_id int, line int, sku text not null, qty int, price numeric(10,2), note text, updated_at timestamptz, primary key (order_id, line));
create table w (id bigint primary key, k int, z varchar(40)) with (fillfactor = 70); create index w_k on w (k);`), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	recorded, err := os.ReadFile("testdata/plans.tsv")
	if err != nil {
		t.Fatal(err)
	}
	scans := map[string]apply.ScanMethod{"Seq Scan": apply.SeqScan, "Index Scan": apply.IndexScan, "Bitmap Heap Scan": apply.BitmapScan}
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(string(recorded)), "\n") {
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			continue // the heading
		}
		n++
		sizes := map[string]int{}
		for _, s := range strings.Fields(f[5]) {
			name, pages, _ := strings.Cut(s, "=")
			sizes[name], _ = strconv.Atoi(pages)
		}
		list, err := split(f[1], "query")
		if err != nil {
			t.Fatal(err)
		}
		d := readDML(list[0], db)
		r := estimate(d.table, sizes[d.table.Name], -1, 0, func(x *schema.Index) (int, int) {
			pages := sizes[x.Name]
			return pages, min(pages/3, 1) // metapage and one leaf, else a root above leaves
		})
		p, cost := d.cheapest(r)
		index := ""
		if p.Index != nil {
			index = p.Index.Name
		}
		if want, _ := strconv.ParseFloat(f[4], 64); p.Method != scans[f[2]] || index != f[3] || math.Abs(cost-want) > 0.0051 {
			t.Errorf("%s rows, %s: %v of %q for %.2f, expected %s of %q for %s", f[0], f[1], p.Method, index, cost, f[2], f[3], f[4])
		}
	}
	if n < 70 {
		t.Errorf("%d plans, expected more", n)
	}
}

// TestStatements reads what statements say beside the rows that they change.
func TestStatements(t *testing.T) {
	db, err := schema.Read(strings.NewReader(`create table t (a int, b int, c text, d int unique, primary key (a, b));
create index t_part on t (d) where d > 5; create index t_lower on t (lower(c));`), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql    string
		method apply.ScanMethod
		index  string
		equal  int
		set    []int
	}{
		{"update t set d = 1, c = 'x' where a = 1 and b = 2", apply.IndexScan, "t_pkey", 2, []int{3, 2}},
		{"update t set (d, c) = (1, 'x') where (b = 2) and 1 = a", apply.IndexScan, "t_pkey", 2, []int{3, 2}},
		{"update only t as x set d = 1 where x.b = 2 and x.a = 5 and c like 'y%'", apply.IndexScan, "t_pkey", 2, []int{3}},
		{"delete from t where b = 3", apply.SeqScan, "", 0, nil},
		{"delete from t where a % 10 = 0", apply.SeqScan, "", 0, nil},
		{"delete from t where a = b", apply.SeqScan, "", 0, nil},
		{"delete from t where lower(c) = 'x'", apply.SeqScan, "", 0, nil},
		{"delete from public.t returning a", apply.SeqScan, "", 0, nil},
		{"insert into t values (1, 2, 'x', 3)", apply.NoScan, "", 0, nil},
		{"select count(*) from t where 6 = d order by 1", apply.IndexScan, "t_d_key", 1, nil},
	} {
		list, err := split(c.sql, "script")
		if err != nil {
			t.Fatal(err)
		}
		d := readDML(list[0], db)
		if d == nil {
			t.Errorf("%s: expected a statement about t", c.sql)
			continue
		}
		p := d.plan(estimate(d.table, 50, -1, 0, func(x *schema.Index) (int, int) { return 12, 1 }))
		index := ""
		if p.Index != nil {
			index = p.Index.Name
		}
		if p.Method != c.method || index != c.index || p.Equal != c.equal || !slices.Equal(p.Set, c.set) {
			t.Errorf("%s: %v of %q by %d columns, %v set", c.sql, p.Method, index, p.Equal, p.Set)
		}
	}
	for _, sql := range []string{"delete from nothing", "with x as (select 1) delete from t", "create table u (x int)"} {
		list, _ := split(sql, "script")
		if d := readDML(list[0], db); d != nil {
			t.Errorf("%s: expected no statement about a known table", sql)
		}
	}
}

// TestReads says what a SET list computes with, and which rows a SELECT locks.
func TestReads(t *testing.T) {
	db, err := schema.Read(strings.NewReader("CREATE TABLE t (id int PRIMARY KEY, a text, b text, n int); CREATE INDEX t_n ON t (n);"), "ddl")
	if err != nil {
		t.Fatal(err)
	}
	read := func(sql string) *dml {
		s, err := ReadScript([]string{sql}, place)
		if err != nil {
			t.Fatal(err)
		}
		d := readDML(s.statements[0], db)
		if d == nil {
			t.Fatalf("%s: not read", sql)
		}
		return d
	}
	for sql, want := range map[string][]int{
		"update t set a='x', b=null":                             nil,
		"update t set a=b, b=a":                                  nil, // taken over as they are
		"update t set a=a||'x', b=upper(b)":                      {1, 2},
		"update t x set a=x.a||t.b, b=x.b":                       {1, 2},
		"update t set a=coalesce(a,'x'), b=coalesce(b||a,'x')":   {2, 1},
		"update t set n=case when a is null then 1 else n+1 end": {3},
		"update t set a=(select a from t limit 1)":               nil,
	} {
		if d := read(sql); !slices.Equal(d.computes, want) {
			t.Errorf("%s: computes with columns %v, expected %v", sql, d.computes, want)
		}
	}
	for sql, want := range map[string]string{
		"select * from t where id=1":                                   "",
		"select * from t where id=1 for update":                        "3 [] -1",
		"select * from t for no key update nowait":                     "2 [] -1",
		"select * from t where n=1 order by n, id limit 5 for share":   "1 [3 0] 5",
		"select * from t order by id desc for key share skip locked":   "0 [0] -1 desc",
		"select * from t order by a||b for update":                     "",
		"select count(*) from t group by n":                            "",
		"select * from t, t as u for update":                           "",
		"select * from t join t u using (id) for update":               "",
		"select * from t limit 5 offset 5 for update":                  "",
		"select * from t where n in (select 1 from t for update)":      "",
		"select * from t where n in (select 1 from t) for update of t": "3 [] -1",
	} {
		got := ""
		if l := read(sql).readLocking(); l != nil {
			got = fmt.Sprint(l.mode, " ", l.order, " ", l.limit)
			if l.desc {
				got += " desc"
			}
		}
		if got != want {
			t.Errorf("%s: locking %q, expected %q", sql, got, want)
		}
	}
	if q, l := read("delete from t where id in (select id from t where n=1 order by id limit 2 for update skip locked)").lockingQuery(db); q == nil || l.limit != 2 {
		t.Errorf("the query of a DELETE: %v, %v", q, l)
	}
}
