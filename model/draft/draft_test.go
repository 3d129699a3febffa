package draft

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"applysim/model/observed"
	"applysim/model/scenario"
	"applysim/model/schema"
)

func unpack(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open("testdata/recorded/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drafted makes a scenario of DDL, reads it back and runs it.
func drafted(t testing.TB, ddl []byte, o Options) (*scenario.Scenario, string, *scenario.Result) {
	t.Helper()
	if o.Schema == "" {
		o.Schema = "schema.sql"
	}
	db, err := schema.Read(bytes.NewReader(ddl), o.Schema)
	if err != nil {
		t.Fatal(err)
	}
	d, err := New(db, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Read(bytes.NewReader(b.Bytes()), "draft.toml")
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	for _, table := range db.Tables {
		if !table.Temp && !strings.Contains(b.String(), "[tables."+key(table.QualifiedName())+"]") {
			t.Errorf("table %s is not listed", table.QualifiedName())
		}
	}
	r, err := s.Run(nil, &scenario.Options{Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(ddl)), nil }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Stopped != nil {
		t.Errorf("replication would stop: %+v", *r.Stopped)
	}
	return s, b.String(), r
}

// TestDumps reads what pg_dump of 15 and 18 wrote of several hundred tables with all kinds
// of indexes, types and constraints.
func TestDumps(t *testing.T) {
	for _, name := range []string{"dump15.sql.gz", "dump18.sql.gz"} {
		s, text, r := drafted(t, unpack(t, name), Options{Changes: 3000})
		if r.Changes != 3000 || len(s.Tables) < 280 {
			t.Errorf("%s: %d changes, %d tables", name, r.Changes, len(s.Tables))
		}
		// These have something for which there is no change, and no others.
		for line := range strings.Lines(text) {
			if strings.Contains(line, ": no changes: ") || strings.Contains(line, ": no rows: ") || strings.Contains(line, "columns that may be NULL are") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

// TestChecks reads what pg_dump of 15 and 18 wrote of some six hundred tables, each with a
// constraint of another kind, and runs the draft at its full length. What no values were
// found for is taken to hold, and nothing else is.
func TestChecks(t *testing.T) {
	assumed := map[string]bool{"chk.t493": true, "misc.hard": true, "misc.never": true, "misc.never2": true}
	for name, changes := range map[string]int64{"checks15.sql.gz": 5_000, "checks18.sql.gz": DefaultChanges} {
		s, text, r := drafted(t, unpack(t, name), Options{Changes: changes})
		if r.Changes != changes || len(s.Tables) < 600 {
			t.Errorf("%s: %d changes, %d tables", name, r.Changes, len(s.Tables))
		}
		for _, table := range s.Tables {
			if (table.Checks == scenario.Assumed) != assumed[table.Name] {
				t.Errorf("%s: %s: checks = %q", name, table.Name, table.Checks)
			}
		}
		for line := range strings.Lines(text) {
			if strings.Contains(line, ": no changes: ") || strings.Contains(line, ": no rows: ") || strings.Contains(line, "columns that may be NULL are") || strings.Contains(line, "no updates and deletes: ") {
				t.Errorf("%s: %s", name, line)
			}
		}
	}
}

// TestBroken reads a dump that is cut off, or of which a byte is missing or another: that is
// one error with its line, or schema enough, but nothing worse.
func TestBroken(t *testing.T) {
	ddl := unpack(t, "checks18.sql.gz")
	r := rand.New(rand.NewPCG(1, 2))
	read := func(b []byte) {
		t.Helper()
		if _, err := schema.Read(bytes.NewReader(b), "f.sql"); err != nil && (!strings.HasPrefix(err.Error(), "f.sql:") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%v", err)
		}
	}
	for range 60 {
		n := r.IntN(len(ddl))
		read(ddl[:n])
		read(append(slices.Clone(ddl[:n]), ddl[n+1:]...))
		other := slices.Clone(ddl)
		other[n] = "()',;\"$\\ 0\x00\xff"[r.IntN(12)]
		read(other)
	}
}

// TestKinds drafts small schemas that are awkward in one way each.
func TestKinds(t *testing.T) {
	for name, c := range map[string]struct {
		ddl  string
		want []string // in the draft
		ops  string   // actions of table t
	}{
		"key":              {"CREATE TABLE t (id int PRIMARY KEY, v text)", nil, "insert update delete"},
		"no key":           {"CREATE TABLE t (id int, v text)", []string{"no replica identity"}, "insert"},
		"identity full":    {"CREATE TABLE t (id int, v text); ALTER TABLE t REPLICA IDENTITY FULL", nil, "insert update delete"},
		"identity nothing": {"CREATE TABLE t (id int PRIMARY KEY, v text); ALTER TABLE t REPLICA IDENTITY NOTHING", []string{"no replica identity"}, "insert"},
		"deferrable key":   {"CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, v text)", []string{"no replica identity"}, "insert"},
		"no columns":       {"CREATE TABLE t ()", nil, "insert"},
		"only a key":       {"CREATE TABLE t (a bigint, b bigint, PRIMARY KEY (a, b))", []string{"no updates"}, "insert delete"},
		"one row":          {"CREATE TABLE t (one bool PRIMARY KEY CHECK (one), v int)", []string{"has room for 1 rows"}, "update"},
		"short text key":   {"CREATE TABLE t (code char(2) PRIMARY KEY, v int)", []string{"has room for 99 rows"}, "update"},
		"nullable unique":  {"CREATE TABLE t (id int PRIMARY KEY, flag bool UNIQUE, v int)", []string{"flag = { nulls = 1 }"}, "insert update delete"},
		"check in":         {"CREATE TABLE t (id int PRIMARY KEY, k text NOT NULL CHECK (k IN ('a', 'it''s')))", []string{`values = ["a", "it's"]`}, "insert update delete"},
		"check between":    {"CREATE TABLE t (id int PRIMARY KEY, pct numeric(5,2) CHECK (pct BETWEEN 1 AND 5))", nil, "insert update delete"},
		"check length":     {"CREATE TABLE t (id int PRIMARY KEY, body text CHECK (char_length(body) <= 3))", nil, "insert update delete"},
		"check regexp":     {`CREATE TABLE t (id int PRIMARY KEY, c text NOT NULL CHECK (c ~ '^[A-Z]{3}-\d{4}$'))`, []string{`pattern = "[A-Z][A-Z][A-Z]-[0-9][0-9][0-9][0-9]"`}, "insert update delete"},
		"check two":        {"CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, CHECK (a < b), CHECK (a > 5))", []string{"a = { kind = \"random\", distinct = 10_000 }", "b = { kind = \"random\", distinct = 10_000 }"}, "insert update delete"},
		"check one of":     {"CREATE TABLE t (id int PRIMARY KEY, a uuid, b uuid, CHECK (num_nonnulls(a, b) = 1), v int)", nil, "insert update delete"},
		"check never":      {"CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL CHECK (a * a = -1)); CREATE TABLE u (id int)", []string{`checks = "assume"`, "no values were found that satisfy t_a_check"}, "insert update delete"},
		"check pair":       {"CREATE TABLE t (id int PRIMARY KEY, a int, b int, v int, CHECK (a < b AND b - a < 20 AND a >= 0))", []string{"t_check"}, "insert update delete"},
		"check rare":       {"CREATE TABLE t (id int PRIMARY KEY, parent int NOT NULL, v int, CHECK (parent <> id), CHECK (parent % 100 <> 7))", nil, "insert update delete"},
		"key from":         {"CREATE TABLE t (id int PRIMARY KEY CHECK (id >= 5000 AND id % 2 = 1), v int)", []string{"first = 5_001, step = 2"}, "insert update delete"},
		"key bounded":      {"CREATE TABLE t (id int PRIMARY KEY CHECK (id BETWEEN 1 AND 50), v int)", []string{"rows = 50", "t_id_check has room for 50 rows"}, "update"},
		"key pattern":      {"CREATE TABLE t (id text PRIMARY KEY CHECK (id LIKE 'usr\\_%' AND length(id) < 30), v int)", []string{`pattern = "usr_[0-9a-f]{25}"`}, "insert update delete"},
		"key date":         {"CREATE TABLE t (d date PRIMARY KEY CHECK (EXTRACT(dow FROM d) = 1), v int)", []string{"step = 7"}, "insert update delete"},
		"key bytea":        {"CREATE TABLE t (h bytea PRIMARY KEY CHECK (octet_length(h) = 20), v int)", []string{"width = 20"}, "insert update delete"},
		"check json":       {"CREATE TABLE t (id int PRIMARY KEY, j jsonb NOT NULL CHECK (j ? 'kind' AND jsonb_typeof(j -> 'kind') = 'string'), v int)", []string{`"kind`}, "insert update delete"},
		"check array":      {"CREATE TABLE t (id int PRIMARY KEY, a text[] NOT NULL CHECK (a <@ ARRAY['r','w'] AND cardinality(a) > 0), v int)", []string{"values = ["}, "insert update delete"},
		"check generated":  {"CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, g int GENERATED ALWAYS AS (a * 2) STORED CHECK (g < 100), v int)", nil, "insert update delete"},
		"check never null": {"CREATE TABLE t (id int PRIMARY KEY, CHECK (false) NO INHERIT, v int)", []string{`checks = "assume"`}, "insert update delete"},
		"expression list":  {"CREATE TABLE p (id int NOT NULL, name text NOT NULL, v int) PARTITION BY LIST (lower(left(name, 1))); CREATE TABLE t PARTITION OF p FOR VALUES IN ('a', 'b'); ALTER TABLE t ADD PRIMARY KEY (id)", nil, "insert update delete"},
		"array literal":    {"CREATE TABLE t (id int PRIMARY KEY, k text NOT NULL UNIQUE CHECK (k = ANY ('{BLOCK,ALLOW}'::text[])), v int)", []string{"t_k_check has room for one row"}, "update"},
		"lock":             {"CREATE TABLE t (lock char(1) NOT NULL DEFAULT 'X' UNIQUE, v bigint, CHECK (lock = 'X')); ALTER TABLE t REPLICA IDENTITY FULL", []string{"rows = 1", `values = ["X"]`}, "update"},
		"null or":          {"CREATE TABLE t (id int PRIMARY KEY, a char(2), b char(2), v int, CHECK (a IS NOT NULL OR b IS NOT NULL)); CREATE UNIQUE INDEX ON t (a); CREATE UNIQUE INDEX ON t (b)", []string{"has room for 99 rows"}, "update"},
		"own escapes":      {`CREATE TABLE t (id text PRIMARY KEY CHECK (id ~ '^[g-z](?:[a-z0-9\_-])*[a-z0-9]$'), v int)`, []string{"pattern = "}, "insert update delete"},
		"times":            {"CREATE TABLE t (id int PRIMARY KEY, starts timestamptz NOT NULL, ends timestamptz NOT NULL, CHECK (ends >= starts))", nil, "insert update delete"},
		"index expression": {"CREATE TABLE t (id int PRIMARY KEY, number varchar, v int); CREATE INDEX ON t (((number)::integer))", []string{`number = { kind = "random", pattern = "[0-9]{`}, "insert update delete"},
		"domain of domain": {"CREATE DOMAIN d AS int CHECK (VALUE > 0); CREATE DOMAIN e AS d CHECK (VALUE % 2 = 0); CREATE TABLE t (id e PRIMARY KEY, v int)", []string{"step = 2"}, "insert update delete"},
		"domain":           {"CREATE DOMAIN d AS int CHECK (VALUE IN (3, 5)); CREATE TABLE t (id int PRIMARY KEY, v d)", []string{"distinct = 3, first = 3"}, "insert update delete"},
		"email domain":     {"CREATE DOMAIN e AS text CHECK (VALUE ~ '^[^@]+@[^@]+$'); CREATE TABLE t (id int PRIMARY KEY, v e, n int)", nil, "insert update delete"},
		"unknown type":     {"CREATE TABLE t (id int PRIMARY KEY, g geometry(Point,4326), v public.vector(3)); CREATE INDEX ON t (g)", nil, "insert update delete"},
		"generated":        {"CREATE TABLE t (id int PRIMARY KEY, a int, b int GENERATED ALWAYS AS (a * 2) STORED, c int GENERATED ALWAYS AS (a + 1))", nil, "insert update delete"},
		"range partition":  {"CREATE TABLE p (id bigint, at date, v int, PRIMARY KEY (id, at)) PARTITION BY RANGE (at); CREATE TABLE t PARTITION OF p FOR VALUES FROM ('2026-01-01') TO ('2026-02-01')", []string{`"2026-01-01"`, "partitioned: rows and changes are those of its partitions"}, "insert update delete"},
		"integer range":    {"CREATE TABLE p (id int PRIMARY KEY, v int) PARTITION BY RANGE (id); CREATE TABLE t PARTITION OF p FOR VALUES FROM (5000) TO (5000000)", []string{"first = 5_000"}, "insert update delete"},
		"list partition":   {"CREATE TABLE p (id int, k text, v int, PRIMARY KEY (id, k)) PARTITION BY LIST (k); CREATE TABLE t PARTITION OF p FOR VALUES IN ('x', 'y')", []string{`values = ["x", "y"]`}, "insert update delete"},
		"hash partition":   {"CREATE TABLE t (id int PRIMARY KEY, v int) PARTITION BY HASH (id); CREATE TABLE t0 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 0); CREATE TABLE t1 PARTITION OF t FOR VALUES WITH (MODULUS 2, REMAINDER 1)", []string{"its changes come through t"}, "insert update delete"},
		"access methods":   {"CREATE TABLE t (id int PRIMARY KEY, a int[], r int4range, p point, v text); CREATE INDEX ON t USING gin (a); CREATE INDEX ON t USING gist (r); CREATE INDEX ON t USING spgist (p); CREATE INDEX ON t USING hash (v); CREATE INDEX ON t USING brin (v text_bloom_ops); CREATE INDEX ON t USING rum (a)", nil, "insert update delete"},
		"quoted":           {`CREATE SCHEMA "S p"; CREATE TABLE t ("Größe ""x""" int PRIMARY KEY, "a.b" text)`, []string{`"Größe \"x\"" = {`}, "insert update delete"},
		"unlogged":         {"CREATE UNLOGGED TABLE t (id int PRIMARY KEY, v int); CREATE TABLE u (id int)", []string{"unlogged: not replicated"}, ""},
		"exclusion":        {"CREATE TABLE t (id int PRIMARY KEY, r int, d tstzrange, v int, EXCLUDE USING gist (r WITH =, d WITH &&))", nil, "insert update delete"},
		"without overlaps": {"CREATE TABLE t (r int, d tstzrange, v int, PRIMARY KEY (r, d WITHOUT OVERLAPS))", nil, "insert update delete"},
	} {
		t.Run(name, func(t *testing.T) {
			s, text, _ := drafted(t, []byte(c.ddl), Options{Changes: 500})
			for _, w := range c.want {
				if !strings.Contains(text, w) {
					t.Errorf("no %q in\n%s", w, text)
				}
			}
			var did []string
			for _, o := range s.Operations {
				if o.Table == "t" {
					did = append(did, string(o.Do))
				}
			}
			if got := strings.Join(did, " "); got != c.ops {
				t.Errorf("table t: %q, expected %q in\n%s", got, c.ops, text)
			}
		})
	}
}

// TestStatistics takes a real server's numbers over.
func TestStatistics(t *testing.T) {
	ddl, err := os.ReadFile("../observed/testdata/recorded/shop18.sql")
	if err != nil {
		t.Fatal(err)
	}
	var samples []*observed.Stats
	for _, name := range []string{"before18.json", "after18.json"} {
		f, err := os.Open("../observed/testdata/recorded/" + name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := observed.ReadSamples(f, name)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		samples = append(samples, list...)
	}
	stats, err := observed.Combine(samples)
	if err != nil {
		t.Fatal(err)
	}
	s, text, r := drafted(t, ddl, Options{Stats: stats, Changes: 5000})
	rates := map[string]float64{}
	for _, o := range s.Operations {
		rates[fmt.Sprint(o.Table, " ", o.Do)] = o.Rate
	}
	seconds := stats.Window().Seconds()
	for name, rows := range map[string]float64{"orders insert": 400, "order_lines insert": 1200, "events_2026_11 insert": 2000, "sessions insert": 100, "sessions delete": 100, "import_log insert": 40} {
		if got, want := rates[name], rows/seconds; got < want*0.99 || got > want*1.01 {
			t.Errorf("%s: %v a second, expected %v", name, got, want)
		}
	}
	for _, table := range s.Tables {
		if want := map[string]int64{"orders": 60000, "customers": 20000, "order_lines": 180000}[table.Name]; want != 0 && table.Rows != want {
			t.Errorf("%s: %d rows, expected %d", table.Name, table.Rows, want)
		}
	}
	for _, want := range []string{`state = { values = ["done", "`, "country = { values = [\"DE\", \"", "phone = { ", "nulls = 0.7", `max_wal_size = "4GB"`, `server_version = "18.1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if r.Changes != 5000 {
		t.Errorf("%d changes", r.Changes)
	}
}

// TestSame says that a draft depends on nothing but its input.
func TestSame(t *testing.T) {
	ddl := unpack(t, "dump18.sql.gz")
	texts := map[string]bool{}
	for range 2 {
		db, err := schema.Read(bytes.NewReader(ddl), "x")
		if err != nil {
			t.Fatal(err)
		}
		d, err := New(db, Options{Schema: "x"})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		d.Write(&b)
		texts[b.String()] = true
	}
	if len(texts) != 1 {
		t.Error("two drafts of one schema differ")
	}
}

func TestErrors(t *testing.T) {
	for ddl, want := range map[string]string{
		"":                                 "f.sql: found no CREATE TABLE, expected at least one table",
		"CREATE UNLOGGED TABLE t (id int)": "f.sql: no table can be changed (t: unlogged: not replicated",
	} {
		db, err := schema.Read(strings.NewReader(ddl), "f.sql")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(db, Options{Schema: "f.sql"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, expected %q", ddl, err, want)
		}
	}
}

// BenchmarkDump drafts and runs a schema of 1,147 indexes.
func BenchmarkDump(b *testing.B) {
	ddl := unpack(b, "dump18.sql.gz")
	for b.Loop() {
		_, _, r := drafted(b, ddl, Options{})
		b.ReportMetric(float64(r.Changes), "changes")
	}
}

func ExampleNew() {
	db, err := schema.Read(strings.NewReader("CREATE TABLE notes (id int PRIMARY KEY, body text CHECK (body <> ''))"), "notes.sql")
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := New(db, Options{Schema: "notes.sql"})
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	d.Write(&b)
	_, tables, _ := strings.Cut(b.String(), "[tables.notes]\n")
	tables, _, _ = strings.Cut(tables, "\n\n")
	fmt.Println(tables)
	// Output:
	// rows = 10_000
	// [tables.notes.columns]
	// id = { kind = "monotone" }  # integer
	// body = { width = [20, 400] }  # text
}
