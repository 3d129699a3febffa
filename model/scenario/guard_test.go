package scenario

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"applysim/model/stream"
)

const guardedDDL = `CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0);
CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, e even, f bool, at timestamptz, g int GENERATED ALWAYS AS (a + b) STORED,
	CHECK (a < b), CHECK (g % 3 = 0), CHECK (f = (at IS NOT NULL)));
CREATE TABLE p (id int, name text NOT NULL, v int) PARTITION BY LIST (left(name, 1));
CREATE TABLE p_a PARTITION OF p FOR VALUES IN ('a', 'b');
ALTER TABLE p_a ADD PRIMARY KEY (id);`

const guardedScenario = `schema = "t.sql"
changes = 4_000
[tables.t]
rows = 1_000
[tables.t.columns]
a = { distinct = 1_000 }
b = { distinct = 1_000 }
e = { distinct = 50, nulls = 0.2 }
at = { kind = "time", nulls = 0.5 }
[tables.p_a]
rows = 300
[[operation]]
table = "t"
do = "insert"
rate = 100
[[operation]]
table = "t"
do = "update"
columns = ["a", "f", "at"]
rate = 100
[[operation]]
table = "p_a"
do = "insert"
rate = 20
[[operation]]
table = "p_a"
do = "update"
columns = ["name"]
rate = 20
[[operation]]
table = "t"
do = "delete"
rate = 30
`

func guarded(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Read(strings.NewReader(text), "t.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func openDDL(ddl string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }
}

// TestRedrawn says that no row which the publisher's constraints refuse is loaded or sent,
// by a check of its own of all rows, and that variants have the same rows.
func TestRedrawn(t *testing.T) {
	s := guarded(t, guardedScenario)
	r, err := s.Run(nil, &Options{Schema: openDDL(guardedDDL)})
	if err != nil || r.Stopped != nil {
		t.Fatal(err, r.Stopped)
	}
	if r.Changes != 4000 {
		t.Errorf("%d changes", r.Changes)
	}
	db, err := s.Database(nil, openDDL(guardedDDL))
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGenerator(s, db, db)
	if err != nil {
		t.Fatal(err)
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	good := func(row stream.Tuple) bool {
		a, b := number(row[1].Data), number(row[2].Data)
		return a < b && (a+b)%3 == 0 && number(row[3].Data)%2 == 0 && (string(row[4].Data) == "t") == (row[5].Format == stream.ColumnText)
	}
	rows := 0
	err = s.Preset(nil, openDDL(guardedDDL), func(table *Table, _ []string, values stream.Tuple) error {
		rows++
		if table.Name == "t" && !good(values) {
			return fmt.Errorf("row %v", values)
		}
		if table.Name == "p_a" && values[1].Data[0] != 'a' && values[1].Data[0] != 'b' {
			return fmt.Errorf("row %v of p_a", values)
		}
		return nil
	})
	if err != nil || rows != 1300 {
		t.Errorf("%d rows: %v", rows, err)
	}
	g.SkipLoad()
	var m stream.Message
	changed := map[string]int{}
	for g.Next(&m) {
		if m.Kind != stream.KindInsert && m.Kind != stream.KindUpdate {
			continue
		}
		changed[string(m.Kind)]++
		if len(m.New) > 3 && !good(m.New) {
			t.Fatalf("change %v", m.New)
		}
	}
	if len(changed) != 2 {
		t.Errorf("changes %v", changed)
	}
}

// TestDrawIsFixed says that a row of an earlier draw is the same whenever it is asked for.
func TestDrawIsFixed(t *testing.T) {
	s := guarded(t, guardedScenario)
	var texts []string
	for range 2 {
		var b strings.Builder
		if _, err := s.Run(nil, &Options{Schema: openDDL(guardedDDL), SQL: &b}); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, b.String())
	}
	if texts[0] != texts[1] {
		t.Error("two runs differ")
	}
	v := &Variant{Name: "wider", DDL: []Statement{{SQL: "ALTER TABLE t ALTER COLUMN a TYPE bigint"}}}
	s.Variants = []*Variant{v}
	var b strings.Builder
	if _, err := s.Run(v, &Options{Schema: openDDL(guardedDDL), SQL: &b}); err != nil {
		t.Fatal(err)
	}
	if b.String() != texts[0] {
		t.Error("a variant has other rows")
	}
}

// TestConstraintsAssumed runs values that a table's constraints refuse.
func TestConstraintsAssumed(t *testing.T) {
	const ddl = "CREATE DOMAIN pos AS int CHECK (VALUE > 0); CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL CHECK (a < 0), d pos)"
	const text = `schema = "t.sql"
changes = 100
[tables.t]
rows = 10
%s
[tables.t.columns]
a = { values = [1] }
d = { values = [-1] }
[[operation]]
table = "t"
do = "insert"
rate = 100
`
	s := guarded(t, fmt.Sprintf(text, `checks = "assume"`))
	r, err := s.Run(nil, &Options{Schema: openDDL(ddl)})
	if err != nil || r.Stopped != nil {
		t.Fatal(err, r.Stopped)
	}
	if r.Changes != 100 || !strings.Contains(fmt.Sprint(r.warnings, r.assumed), "t_a_check") {
		t.Errorf("%d changes, warnings %v %v", r.Changes, r.warnings, r.assumed)
	}
	s = guarded(t, fmt.Sprintf(text, ""))
	if r, err := s.Run(nil, &Options{Schema: openDDL(ddl)}); err == nil && r.Stopped == nil {
		t.Error("rows that no draw makes good do not stop the run")
	}
	if _, err := Read(strings.NewReader(fmt.Sprintf(text, `checks = "asume"`)), "t.toml"); err == nil || !strings.Contains(err.Error(), `t.toml:5: checks = "asume": expected one of redraw and assume (nearest: assume)`) {
		t.Errorf("got %v", err)
	}
}

// TestPattern writes texts by patterns, and refuses what is none.
func TestPattern(t *testing.T) {
	p, err := parsePattern(`[A-C]{2}-\d`)
	if err != nil {
		t.Fatal(err)
	}
	if p.count != 90 || PatternLength(`[A-C]{2}-\d`) != 4 {
		t.Errorf("%d texts of %d characters", p.count, PatternLength(`[A-C]{2}-\d`))
	}
	seen := map[string]bool{}
	for n := range uint64(90) {
		seen[string(p.append(nil, n))] = true
	}
	if len(seen) != 90 || !seen["AA-0"] || !seen["CC-9"] {
		t.Errorf("%d different texts", len(seen))
	}
	for text, want := range map[string]string{
		"a+":        "expected characters, classes",
		"a{2,3}":    "expected a fixed number of repetitions",
		"[":         "missing closing ]",
		".":         "expected characters",
		"a{900}":    "",
		"(a|b)":     "", // a class
		"(ab|cd)":   "expected characters",
		"[^a]":      "expected a class of at most",
		"[à-ÿ]{3}é": "",
	} {
		_, err := parsePattern(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
	const text = `schema = "t.sql"
changes = 2000
[tables.t.columns]
%s
[[operation]]
table = "t"
do = "insert"
rate = 100
`
	const ddl = "CREATE TABLE t (id varchar(8) PRIMARY KEY, n int)"
	s := guarded(t, fmt.Sprintf(text, `id = { pattern = "[A-Z]{2}-[0-9]{4}" }`))
	if r, err := s.Run(nil, &Options{Schema: openDDL(ddl)}); err != nil || r.Stopped != nil {
		t.Errorf("%v %v", err, r)
	}
	for column, want := range map[string]string{
		`id = { pattern = "[A-Z]{9}" }`:                      "t.toml:4: public.t.id: pattern",
		`n = { pattern = "[0-9]{4}" }`:                       "a pattern goes with texts, not with type integer",
		`id = { pattern = "[0-9]", values = ["a"] }`:         "a pattern goes with texts that are drawn or numbered",
		`id = { pattern = "[0-9]{4}x*", kind = "monotone" }`: "expected characters, classes",
	} {
		x, err := Read(strings.NewReader(fmt.Sprintf(text, column)), "t.toml")
		if err == nil {
			_, err = x.Run(nil, &Options{Schema: openDDL(ddl)})
		}
		if err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(want, "t.toml:4: public.")) {
			t.Errorf("%s: %v, expected %q", column, err, want)
		}
	}
}
