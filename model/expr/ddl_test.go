package expr

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"applysim/model/pgtype"
	"applysim/model/schema"
)

// compileTable compiles every expression of a table as it is used.
func compileTable(t *testing.T, db *schema.Database, table *schema.Table, from string) (n int) {
	try := func(what, sql string, o Options) {
		if sql == "" {
			return
		}
		n++
		o.Resolve = resolver(db)
		_, err := CompileOptions(sql, table, &o)
		var u *UnsupportedError
		if errors.As(err, &u) {
			t.Logf("%s: %s of %s: %s: %v", from, what, table.Name, sql, err)
		} else if err != nil {
			t.Errorf("%s: %s of %s: %s: %v", from, what, table.Name, sql, err)
		}
	}
	for i := range table.Columns {
		c := &table.Columns[i]
		if c.Dropped {
			continue
		}
		try("default", c.Default, Options{Target: c.Type, TargetTypmod: c.Typmod})
		try("generated", c.GeneratedExpr, Options{Target: c.Type, TargetTypmod: c.Typmod})
	}
	for _, c := range table.Checks {
		try("check", c.Expr, Options{Target: typeBool, TargetTypmod: -1})
	}
	for _, x := range table.Indexes {
		for _, k := range x.Keys {
			try("index", k.Expr, Options{})
		}
		try("predicate", x.Predicate, Options{Target: typeBool, TargetTypmod: -1})
	}
	return n
}

// TestDDL compiles what the schema package's own test scripts and the samples
// hold, and the DDL of the recorded cases where they are at hand.
func TestDDL(t *testing.T) {
	total := 0
	read := func(sql, from string) {
		db, err := schema.Read(strings.NewReader(sql), from)
		if err != nil {
			t.Logf("%s: %v", from, err)
			return
		}
		for _, table := range db.Tables {
			total += compileTable(t, db, table, from)
		}
		for _, pub := range db.Publications {
			for _, p := range pub.Tables {
				if p.Where != "" {
					total++
					if _, err := Compile(p.Where, p.Table, resolver(db)); err != nil {
						t.Errorf("%s: %s: %v", from, p.Where, err)
					}
				}
			}
		}
	}
	scripts, _ := filepath.Glob("../schema/testdata/recorded/*.sql")
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		read(string(text), path)
	}
	filepath.WalkDir("../../experiments/recorded/testdata/recorded", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != "case.json" && filepath.Base(path) != "grid.json" && filepath.Ext(path) != ".sql" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		if filepath.Ext(path) == ".sql" {
			read(string(text), path)
			return nil
		}
		var doc any
		if json.Unmarshal(text, &doc) == nil {
			walkJSON(doc, func(sql string) { read(sql, path) })
		}
		return nil
	})
	t.Logf("%d expressions", total)
}

// walkJSON finds the strings that create tables.
func walkJSON(v any, f func(sql string)) {
	switch v := v.(type) {
	case string:
		if strings.Contains(strings.ToLower(v), "create table") {
			f(v)
		}
	case []any:
		for _, e := range v {
			walkJSON(e, f)
		}
	case map[string]any:
		for _, e := range v {
			walkJSON(e, f)
		}
	}
}

// TestDefaults compiles defaults as pg_dump prints them.
func TestDefaults(t *testing.T) {
	table, resolve, _ := recordedTable(t)
	mood := resolve("mood")
	for _, c := range []struct {
		sql, typ string
		typmod   int32
		want     string // text of a constant, "volatile"
	}{
		{"'new'::text", "text", -1, "new"},
		{"'new'::character varying", "varchar", 24, "new"},
		{"nextval('s'::regclass)", "bigint", -1, "volatile"},
		{"nextval('public.my_seq'::regclass)", "integer", -1, "volatile"},
		{"now()", "timestamptz", -1, "volatile"},
		{"CURRENT_TIMESTAMP", "timestamptz", -1, "volatile"},
		{"CURRENT_TIMESTAMP(3)", "timestamptz", -1, "volatile"},
		{"CURRENT_DATE", "date", -1, "volatile"},
		{"LOCALTIMESTAMP", "timestamp", -1, "volatile"},
		{"timezone('utc'::text, now())", "timestamp", -1, "volatile"},
		{"(now() AT TIME ZONE 'utc'::text)", "timestamp", -1, "volatile"},
		{"(now() + '1 day'::interval)", "timestamptz", -1, "volatile"},
		{"CURRENT_USER", "text", -1, "volatile"},
		{"random()", "double precision", -1, "volatile"},
		{"gen_random_uuid()", "uuid", -1, "volatile"},
		{"uuidv7()", "uuid", -1, "volatile"},
		{"md5((random())::text)", "text", -1, "volatile"},
		{"clock_timestamp()", "timestamptz", -1, "volatile"},
		{"(date_part('epoch'::text, now()))::integer", "integer", -1, "volatile"},
		{"('A'::text || nextval('s'::regclass))", "text", -1, "volatile"},
		{"current_setting('app.tenant'::text)", "text", -1, "volatile"},
		{"'{}'::jsonb", "jsonb", -1, "{}"},
		{"'{}'", "text[]", -1, "{}"},
		{"ARRAY[]::text[]", "text[]", -1, "{}"},
		{"'{}'::text[]", "text[]", -1, "{}"},
		{"(1 + 2)", "integer", -1, "3"},
		{"0", "numeric", 655366, "0.00"},
		{"0.5", "numeric", 655366, "0.50"},
		{"'-1'::integer", "bigint", -1, "-1"},
		{"(-1)", "smallint", -1, "-1"},
		{"1", "double precision", -1, "1"},
		{"true", "boolean", -1, "t"},
		{"'t'", "boolean", -1, "t"},
		{"'a'", "\"char\"", -1, "a"},
		{"'x'::bpchar", "character", 7, "x  "},
		{"'2026-01-01'::date", "date", -1, "2026-01-01"},
		{"'2026-01-01 00:00:00+00'::timestamp with time zone", "timestamptz", -1, "2026-01-01 00:00:00+00"},
		{"'01:00:00'::interval", "interval", -1, "01:00:00"},
		{"'00000000-0000-0000-0000-000000000000'::uuid", "uuid", -1, "00000000-0000-0000-0000-000000000000"},
		{"NULL::character varying", "varchar", -1, "NULL"},
		{"'infinity'::timestamp without time zone", "timestamp", -1, "infinity"},
	} {
		e, err := CompileOptions(c.sql, table, &Options{Resolve: resolve, Target: pgtype.Lookup(c.typ), TargetTypmod: c.typmod})
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if !sameType(e.Type(), pgtype.Lookup(c.typ)) {
			t.Errorf("%s: type %s, expected %s", c.sql, e.Type(), c.typ)
		}
		if c.want == "volatile" {
			if !e.Volatile() || e.Constant() {
				t.Errorf("%s: not volatile", c.sql)
			}
			continue
		}
		var s Scratch
		v, err := e.Eval(nil, &s)
		text := "NULL"
		if !v.Null {
			text = e.Type().Text(v)
		}
		if err != nil || text != c.want || !e.Constant() {
			t.Errorf("%s: %q, %v, expected %q", c.sql, text, err, c.want)
		}
	}
	e, err := CompileOptions("'ok'::public.mood", table, &Options{Resolve: resolve, Target: mood, TargetTypmod: -1})
	if err != nil || !e.Constant() || e.Type() != mood {
		t.Errorf("enum default: %v", err)
	}
	e, err = Compile("now() + '1 day'::interval", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := Scratch{HasNow: true, Now: usecsPerDay}
	if v, err := e.Eval(nil, &s); err != nil || int64(v.Bits) != 2*usecsPerDay {
		t.Errorf("clock: %v, %v", v, err)
	}
	e, err = Compile("nextval('s') + 1", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Nextval = func(name string) (int64, error) {
		if name != "s" {
			t.Errorf("sequence %q", name)
		}
		return 41, nil
	}
	if v, err := e.Eval(nil, &s); err != nil || v.Bits != 42 {
		t.Errorf("nextval: %v, %v", v, err)
	}
}
