package advise

import (
	"encoding/json"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/scenario"
	"applysim/model/schema"
)

func price(t testing.TB) func(*cost.Usage) *scenario.CPU {
	t.Helper()
	m, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	return scenario.Price(p, m)
}

func advice(t *testing.T, ddl, text string, change func(*Options)) *Report {
	t.Helper()
	s, err := scenario.Read(strings.NewReader("schema = \"s\"\n"+text), "test.toml")
	if err != nil {
		t.Fatal(err)
	}
	o := &Options{Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }, Price: price(t), Least: DefaultLeast}
	if change != nil {
		change(o)
	}
	r, err := Advise(s, o)
	if err != nil {
		t.Fatal(err)
	}
	check(t, s, o, r)
	return r
}

// check compares what a report says with runs of what it advises: the statements of each
// piece, run as a variant's DDL, save what it says.
func check(t *testing.T, s *scenario.Scenario, o *Options, r *Report) {
	t.Helper()
	for i, x := range r.Advice {
		if x.Saves.score() <= 0 || i > 0 && x.Saves.score() > r.Advice[i-1].Saves.score() {
			t.Errorf("%d. %s saves %v, out of order", i+1, x.Title, x.Saves)
		}
		if x.DDL == "" || x.SideEffects == nil || x.Unknown == nil || x.Reason != "" {
			t.Errorf("%s: incomplete: %+v", x.Title, x)
		}
		if len(r.Problems) > 0 {
			continue // the scenario alone does not run
		}
		if x.By != ByRun {
			continue // its saving is an estimate
		}
		switch x.Kind {
		case "drop index", "narrower index", "partial index", "BRIN index", "replica identity", "index order", "lookup index", "autovacuum", "fillfactor":
		default:
			continue
		}
		v := &scenario.Variant{Name: "by its statements"}
		if o.Variant != nil {
			v.DDL, v.Settings = slices.Clone(o.Variant.DDL), o.Variant.Settings
		}
		for _, step := range x.Steps {
			sql := strings.TrimSuffix(step.SQL, ";")
			twice := slices.ContainsFunc(v.DDL, func(d scenario.Statement) bool { return d.SQL == sql }) // it is for both sides
			if !strings.HasPrefix(sql, "VACUUM") && !strings.HasPrefix(sql, "ALTER SYSTEM") && !strings.HasPrefix(sql, "SELECT") && !twice {
				v.DDL = append(v.DDL, scenario.Statement{SQL: sql})
			}
		}
		got, err := s.Run(v, &scenario.Options{Schema: o.Schema, Price: o.Price})
		if err != nil {
			t.Errorf("%s: %v", x.Title, err)
		} else if got.WALBytes != x.Result.WALBytes || *got.CPUS != *x.Result.CPUS {
			t.Errorf("%s: its statements give %d bytes and %g s, the report %d and %g", x.Title, got.WALBytes, *got.CPUS, x.Result.WALBytes, *x.Result.CPUS)
		}
	}
}

func titles(list []*Advice) []string {
	var all []string
	for _, x := range list {
		all = append(all, x.Title)
	}
	return all
}

func find(t *testing.T, r *Report, title string) *Advice {
	t.Helper()
	for _, x := range r.Advice {
		if x.Title == title {
			return x
		}
	}
	t.Fatalf("no advice %q among %q; rejected: %q", title, titles(r.Advice), titles(r.Rejected))
	return nil
}

const ticketsDDL = `CREATE TABLE tickets (id bigint PRIMARY KEY, queue int NOT NULL, state text NOT NULL, hits int NOT NULL, title text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX tickets_state ON tickets (state);
CREATE INDEX tickets_queue ON tickets (queue) INCLUDE (hits);
CREATE UNIQUE INDEX tickets_title ON tickets (title);
CREATE INDEX tickets_at ON tickets (at);
`

const ticketsWorkload = `duration = "10s"
[tables.tickets]
rows = 500
[tables.tickets.columns]
state = { values = ["open", "done"], weights = [1, 9] }
[[operation]]
table = "tickets"
do = "insert"
rate = 20
[[operation]]
table = "tickets"
do = "update"
columns = ["state"]
rate = 40
[[operation]]
table = "tickets"
do = "update"
columns = ["hits"]
rate = 40
`

// TestIndexes is about indexes that keep updates from being HOT: each alone helps little.
func TestIndexes(t *testing.T) {
	r := advice(t, ticketsDDL, ticketsWorkload, nil)
	both := find(t, r, "drop tickets_state and tickets_queue")
	if r.Advice[0] != both || *both.Saves.HOTAfter < 0.5 || *both.Saves.HOTBefore > 0.1 {
		t.Errorf("%q: %v", titles(r.Advice), both.Saves)
	}
	narrow := find(t, r, "take hits out of tickets_queue")
	if want := "CREATE INDEX tickets_queue_without_hits ON tickets USING btree (queue);\nDROP INDEX tickets_queue;"; narrow.DDL != want {
		t.Errorf("found %q, expected %q", narrow.DDL, want)
	}
	find(t, r, "make tickets_at a BRIN index")
	for _, x := range append(r.Advice, r.Rejected...) {
		if strings.Contains(x.DDL, "DROP INDEX tickets_title") || strings.Contains(x.DDL, "tickets_pkey") {
			t.Errorf("%s: a constraint needs it", x.DDL)
		}
	}
	// An index is dropped, or made another one.
	drop := find(t, r, "drop tickets_queue")
	if at := slices.Index(r.Advice, narrow) + 1; !slices.Contains(drop.Instead, at) {
		t.Errorf("%q stands for itself beside number %d: %v", drop.Title, at, drop.Instead)
	}
}

// TestScans is about statistics of a server: what is read is named, and not combined.
func TestScans(t *testing.T) {
	goal, err := ParseGoal("hot 60%")
	if err != nil {
		t.Fatal(err)
	}
	r := advice(t, ticketsDDL, ticketsWorkload, func(o *Options) {
		o.Goals = []Goal{goal}
		o.Scans = func(x *schema.Index) (int64, string, bool) {
			return map[string]int64{"tickets_state": 0, "tickets_queue": 1234}[x.Name], "2026-01-01", x.Name != "tickets_at"
		}
	})
	if x := find(t, r, "drop tickets_queue"); !slices.Contains(x.SideEffects, "tickets_queue is read: pg_stat_user_indexes counts 1,234 scans since 2026-01-01") || len(x.Unknown) != 0 {
		t.Errorf("%q, %q", x.SideEffects, x.Unknown)
	}
	if x := find(t, r, "drop tickets_state"); !strings.Contains(strings.Join(x.Unknown, "\n"), "no scan since 2026-01-01") {
		t.Errorf("%q", x.Unknown)
	}
	if x := find(t, r, "drop tickets_at"); !strings.Contains(strings.Join(x.Unknown, "\n"), "whether anybody reads tickets_at") {
		t.Errorf("%q", x.Unknown)
	}
	c := r.Combination
	if !c.Met || strings.Contains(c.DDL, "DROP INDEX tickets_queue;") && !strings.Contains(c.DDL, "tickets_queue_without_hits") {
		t.Errorf("met: %v, by %s", c.Met, c.DDL)
	}
}

const fullDDL = `CREATE TABLE ledger (entry bigint NOT NULL, kind int NOT NULL, cents bigint NOT NULL);
ALTER TABLE ledger REPLICA IDENTITY FULL;
`

const fullWorkload = `changes = 600
[tables.ledger]
rows = 2000
[tables.ledger.columns]
entry = { kind = "monotone" }
kind = { distinct = 4 }
[[operation]]
table = "ledger"
do = "update"
columns = ["cents"]
rate = 10
`

// TestFull is about tables whose whole old rows are sent.
func TestFull(t *testing.T) {
	r := advice(t, fullDDL, fullWorkload, nil)
	key := find(t, r, "a primary key (entry) for ledger")
	if r.Advice[0] != key || *key.Saves.CPUShare < 0.3 || !strings.Contains(key.DDL, "-- on the publisher\nALTER TABLE ledger ADD PRIMARY KEY (entry);\nALTER TABLE ledger REPLICA IDENTITY DEFAULT;") {
		t.Errorf("%q: %v", key.DDL, key.Saves)
	}
	if lookup := find(t, r, "an index on ledger (entry), by which the worker finds rows"); *lookup.Saves.CPUShare < 0.3 {
		t.Errorf("%v", lookup.Saves)
	}
	// The wrong index comes first.
	r = advice(t, fullDDL+"CREATE INDEX ledger_kind ON ledger (kind); CREATE INDEX ledger_entry ON ledger (entry);", fullWorkload, nil)
	if order := find(t, r, "let ledger_entry come before ledger_kind for lookups in ledger"); *order.Saves.CPUShare < 0.3 {
		t.Errorf("%v", order.Saves)
	}
	// A key is there: whole rows are not needed.
	r = advice(t, strings.Replace(fullDDL, "entry bigint NOT NULL", "entry bigint PRIMARY KEY", 1), fullWorkload, nil)
	find(t, r, "identify rows of ledger by the primary key")
}

// TestStream is about random keys, columns that nobody needs, images and binary values.
func TestStream(t *testing.T) {
	r := advice(t, "CREATE TABLE s (id uuid PRIMARY KEY, at timestamptz NOT NULL, n numeric(8,2) NOT NULL, note text);",
		`duration = "200s"
[settings]
checkpoint_timeout = "30s"
wal_level = "logical"
[tables.s]
rows = 3000
[tables.s.columns]
note = { width = 120 }
[[operation]]
table = "s"
do = "insert"
rate = 20
`, nil)
	for _, title := range []string{"make values of s.id ascend with time: uuidv7() for random ones", "do not publish s.note", "wal_compression = lz4", "have values sent in binary format", "checkpoint_timeout = 90s, max_wal_size = 3GB"} {
		find(t, r, title)
	}
}

// TestProblems is about tables that cannot replicate updates.
func TestProblems(t *testing.T) {
	pub, err := schema.Read(strings.NewReader(`
CREATE TABLE no_key (a int, b int);
CREATE TABLE nothing (a int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
CREATE TABLE good (a int PRIMARY KEY, b int);
CREATE TABLE other_key (a int PRIMARY KEY, b int NOT NULL);
CREATE TABLE whole (a int, b json); ALTER TABLE whole REPLICA IDENTITY FULL;
CREATE TABLE keyless (a int PRIMARY KEY);
CREATE TABLE late (a int PRIMARY KEY DEFERRABLE, b int NOT NULL UNIQUE);
CREATE TABLE gone (a int PRIMARY KEY);
CREATE TABLE short (a int PRIMARY KEY, b int);
`), "pub.sql")
	if err != nil {
		t.Fatal(err)
	}
	sub, err := schema.Read(strings.NewReader(`
CREATE TABLE no_key (a int, b int);
CREATE TABLE nothing (a int PRIMARY KEY);
CREATE TABLE good (a int PRIMARY KEY, b int);
CREATE TABLE other_key (a int, b int PRIMARY KEY);
CREATE TABLE whole (a int, b json);
CREATE TABLE keyless (a int);
CREATE TABLE late (a int, b int PRIMARY KEY);
CREATE TABLE short (a int PRIMARY KEY);
`), "sub.sql")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range Problems(sub, pub) {
		line := p.Table + ": " + p.What
		for _, s := range p.Remedies {
			line += " | " + s.On + ": " + s.SQL
		}
		got = append(got, line)
	}
	want := []string{
		"no_key: the publisher refuses UPDATE and DELETE: it has no primary key, and its replica identity is the default one | publisher: ALTER TABLE no_key REPLICA IDENTITY FULL;",
		"nothing: the publisher refuses UPDATE and DELETE: its replica identity is NOTHING | publisher: ALTER TABLE nothing REPLICA IDENTITY DEFAULT; | publisher: ALTER TABLE nothing REPLICA IDENTITY FULL;",
		"other_key: the worker stops at the first UPDATE or DELETE: the subscriber finds rows by other_key_pkey, and the publisher does not send its column b with old rows (its replica identity has a) | publisher: ALTER TABLE other_key REPLICA IDENTITY FULL; | subscriber: ALTER TABLE other_key DROP CONSTRAINT other_key_pkey; ALTER TABLE other_key ADD PRIMARY KEY (a);",
		"whole: the worker stops at the first UPDATE or DELETE: with REPLICA IDENTITY FULL and no key on the subscriber it compares whole rows, and column b of type json cannot be compared",
		"keyless: the worker stops at the first UPDATE or DELETE: the subscriber's table has neither a replica identity index nor a primary key, and the publisher does not send whole rows | subscriber: ALTER TABLE keyless ADD PRIMARY KEY (a); | publisher: ALTER TABLE keyless REPLICA IDENTITY FULL;",
		"late: the publisher refuses UPDATE and DELETE: its primary key is deferrable, which is no replica identity | publisher: ALTER TABLE late REPLICA IDENTITY USING INDEX late_b_key; | publisher: ALTER TABLE late REPLICA IDENTITY FULL;",
		"gone: the subscriber has no such table: its first change stops replication (expected CREATE TABLE there, or the table out of the publication)",
		"short: the subscriber's table has no column b: its first change stops replication (expected ALTER TABLE ... ADD COLUMN there, or a column list)",
	}
	for i := range max(len(got), len(want)) {
		switch {
		case i >= len(got):
			t.Errorf("expected %s", want[i])
		case i >= len(want) || got[i] != want[i]:
			t.Errorf("found %s, expected %s", got[i], strings.Join(want[min(i, len(want)):min(i+1, len(want))], ""))
		}
	}
}

// TestNoIdentity runs a scenario whose publisher would refuse its updates: the report says
// so, and goes on as if whole rows were sent.
func TestNoIdentity(t *testing.T) {
	r := advice(t, strings.Split(fullDDL, "\n")[0], fullWorkload, nil)
	if len(r.Problems) != 1 || !r.Problems[0].Met || r.Problems[0].Assumed == "" {
		t.Errorf("problems: %+v", r.Problems)
	}
	find(t, r, "a primary key (entry) for ledger")
}

// TestGoal combines advice until a goal is met, or nothing is left.
func TestGoal(t *testing.T) {
	goals := func(texts ...string) func(*Options) {
		return func(o *Options) {
			for _, text := range texts {
				g, err := ParseGoal(text)
				if err != nil {
					t.Fatal(err)
				}
				o.Goals = append(o.Goals, g)
			}
		}
	}
	r := advice(t, ticketsDDL, ticketsWorkload, goals("wal 330B", "hot 60%"))
	c := r.Combination
	if !c.Met || len(c.Steps) < 1 {
		t.Fatalf("%+v", c)
	}
	wal := int64(0)
	for _, s := range c.Steps {
		wal += s.Saves.WALBytes
	}
	if wal != c.Saves.WALBytes || r.Base.WALBytes-wal != c.Result.WALBytes || float64(c.Result.WALBytes) > 330*float64(r.Base.Changes) {
		t.Errorf("steps save %d bytes, all %d: %d left", wal, c.Saves.WALBytes, c.Result.WALBytes)
	}
	if r := advice(t, ticketsDDL, ticketsWorkload, goals("wal 1B")); r.Combination.Met || len(r.Combination.Steps) < 2 {
		t.Errorf("%+v", r.Combination)
	}
	if r := advice(t, ticketsDDL, ticketsWorkload, goals("rate 1/s")); !r.Combination.Met || len(r.Combination.Steps) != 0 {
		t.Errorf("%+v", r.Combination)
	}
	for _, text := range []string{"", "rate", "rate fast", "speed 5", "wal 5%", "hot 5"} {
		if _, err := ParseGoal(text); err == nil {
			t.Errorf("goal %q was understood", text)
		}
	}
}

// TestProcessors compares reports that were made with one processor and with several.
func TestProcessors(t *testing.T) {
	var first []byte
	for _, n := range []int{1, 3} {
		old := runtime.GOMAXPROCS(n)
		r := advice(t, ticketsDDL, ticketsWorkload, func(o *Options) {
			g, err := ParseGoal("wal 300B")
			if err != nil {
				t.Fatal(err)
			}
			o.Goals = []Goal{g}
		})
		runtime.GOMAXPROCS(old)
		got, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		} else if string(got) != string(first) {
			t.Errorf("%d processors: %s\none: %s", n, got, first)
		}
	}
}
