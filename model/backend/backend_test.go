package backend

import (
	"fmt"
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
		{`\copy t from 'x'`, `script 1: psql's \copy: expected \gexec`},
		{`select 'x' \gexec`, `script 1: \gexec: expected SELECT format`},
		{`select format('%s %s', g) from generate_series(1,2) g \gexec`, "format: too few arguments"},
	} {
		if _, err := ReadScript([]string{c.script}, place); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", c.script, err, c.want)
		}
	}
}

// TestPlans checks how statements are taken to find their rows.
func TestPlans(t *testing.T) {
	db, err := schema.Read(strings.NewReader(`create table t (a int, b int, c text, d int unique, primary key (a, b));
create index t_c on t (c, b); create index t_part on t (d) where d > 5; create index t_lower on t (lower(c));`), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		sql    string
		method apply.ScanMethod
		index  string
		equal  int
		set    int
	}{
		{"update t set d = 1, c = 'x' where a = 1 and b = 2", apply.IndexScan, "t_pkey", 2, 2},
		{"update t set (d, c) = (1, 'x') where (b = 2) and 1 = a", apply.IndexScan, "t_pkey", 2, 2},
		{"update only t as x set d = 1 where x.b = 2 and x.a = 5 and c like 'y%'", apply.IndexScan, "t_pkey", 2, 1},
		{"delete from t where a = 1", apply.BitmapScan, "t_pkey", 1, -1},
		{"delete from t where a between 1 and 7 and b = 3", apply.BitmapScan, "t_pkey", 0, -1},
		{"delete from t where a in (1, 2)", apply.BitmapScan, "t_pkey", 0, -1},
		{"delete from t where b = 3", apply.SeqScan, "", 0, -1},
		{"delete from t where a % 10 = 0", apply.SeqScan, "", 0, -1},
		{"delete from t where a = 1 or d = 2", apply.SeqScan, "", 0, -1},
		{"delete from t where a = b", apply.SeqScan, "", 0, -1},
		{"delete from t where d = 6", apply.IndexScan, "t_d_key", 1, -1},
		{"delete from t where c = 'x' and b > 3", apply.BitmapScan, "t_c", 1, -1},
		{"delete from public.t", apply.SeqScan, "", 0, -1},
		{"insert into t values (1, 2, 'x', 3)", apply.NoScan, "", 0, -1},
		{"select count(*) from t where a < 7", apply.BitmapScan, "t_pkey", 0, -1},
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
		p := d.plan(d.table)
		index, set := "", len(p.Set)
		if p.Index != nil {
			index = p.Index.Name
		}
		if p.Set == nil {
			set = -1
		}
		if p.Method != c.method || index != c.index || p.Equal != c.equal || set != c.set {
			t.Errorf("%s: %v of %q by %d columns, %d set", c.sql, p.Method, index, p.Equal, set)
		}
		if ranged := c.method == apply.BitmapScan && c.equal < 2 && strings.ContainsAny(c.sql, "<>(") || strings.Contains(c.sql, "between"); ranged && p.Match == nil {
			t.Errorf("%s: expected a condition that the index checks", c.sql)
		}
	}
	for _, sql := range []string{"delete from nothing", "with x as (select 1) delete from t", "create table u (x int)"} {
		list, _ := split(sql, "script")
		if d := readDML(list[0], db); d != nil {
			t.Errorf("%s: expected no statement about a known table", sql)
		}
	}
}
