package pipeline

import (
	"io"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/scenario"
)

// batch is a small load with a batch every so often, of tables that have nothing to do with
// each other.
const batch = `
schema   = "two.sql"
duration = "10min"

[publisher]
backend   = "20us"
disk      = "100GB"
disk_used = "20GB"

[publisher.settings]
logical_decoding_work_mem = "1MB"

[[subscription]]
name      = "reports"
streaming = "off"

[[operation]]
table  = "a"
do     = "insert"
rows   = 50_000
count  = 50_000
begins = "1min"
ends   = "2min"
lasts  = "10s"

[[operation]]
table = "b"
do    = "insert"
rate  = 50
`

func given(t *testing.T, text string) (*scenario.Scenario, *Options) {
	t.Helper()
	s, err := scenario.Read(strings.NewReader(text), "run.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	const ddl = "create table a (id bigint primary key, v text); create table b (id bigint primary key, v text);"
	return s, &Options{Profile: p, Limit: 1000, Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }}
}

// TestWays: what helps against a batch is to have it applied while it runs, or to split it;
// keeping it in a file does not.
func TestWays(t *testing.T) {
	s, o := given(t, batch)
	ways, err := Ways(s, o)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]*Way{}
	for i := range ways {
		w := &ways[i]
		kinds[w.Kind+" "+strings.Join(w.SQL, ";")] = w
		t.Logf("%s: %.3f s, %.3f s with it", w.Title, w.Before.MostLagS, w.After.MostLagS)
	}
	for _, kind := range []string{"streaming ALTER SUBSCRIPTION reports SET (streaming = parallel)", "split a batch "} {
		if w := kinds[kind]; w == nil || w.After.MostLagS > w.Before.MostLagS/2 {
			t.Errorf("%s: %+v", kind, w)
		}
	}
	if w := kinds["streaming ALTER SUBSCRIPTION reports SET (streaming = on)"]; w != nil && w.After.MostLagS < w.Before.MostLagS/2 {
		t.Errorf("kept in a file the batch is applied no sooner: %+v", w)
	}
	// 80 % of 80 GB.
	if w := kinds["slot limit ALTER SYSTEM SET max_slot_wal_keep_size = '65536MB';SELECT pg_reload_conf()"]; w == nil {
		t.Errorf("no limit of slots: %v", kinds)
	}
}

// TestFilters: half of the rows of b need not be sent: half of what the worker takes
// is saved; deletes make a filter impossible.
func TestFilters(t *testing.T) {
	const column = "\n[tables.b.columns]\nv = { values = [\"x\", \"y's\", \"z\"], weights = [1, 4, 3] }\n"
	only := strings.Replace(batch, "table  = \"a\"", "table  = \"b\"", 1) + column
	s, o := given(t, only)
	ways, err := Ways(s, o)
	if err != nil {
		t.Fatal(err)
	}
	var w *Way
	for i := range ways {
		if ways[i].Kind == "row filter" {
			w = &ways[i]
		}
	}
	if w == nil || w.SQL[0] != "ALTER PUBLICATION ... SET TABLE b WHERE (v IS DISTINCT FROM 'y''s') -- on the publisher, with the other tables of the publication" {
		t.Fatalf("%+v", w)
	}
	// The worker's load falls to a half; what is left of the walsender's is the more then.
	if part := w.After.Load / w.Before.Load; part < 0.5 || part > 0.85 {
		t.Errorf("the load falls to %.2f of what it was, expected from a half to what is left of the walsender's", part)
	}
	// Reading stays, half of sending goes, the filter comes.
	if part := w.After.WalsenderLoad / w.Before.WalsenderLoad; part < 0.75 || part > 1 {
		t.Errorf("walsenders take %.2f of what they took", part)
	}
	// Updates that cross the filter, and deletes: the identity must have the column, which
	// makes the publisher's WAL longer, and rows that are there must go.
	s, o = given(t, only+"[[operation]]\ntable = \"b\"\ndo = \"update\"\ncolumns = [\"v\"]\nrate = 20\n[[operation]]\ntable = \"b\"\ndo = \"delete\"\nrate = 10\n")
	if ways, err = Ways(s, o); err != nil {
		t.Fatal(err)
	}
	w = nil
	for i := range ways {
		if ways[i].Kind == "row filter" {
			w = &ways[i]
		}
	}
	if w == nil || len(w.SQL) != 3 || !strings.HasPrefix(w.SQL[0], "ALTER TABLE b REPLICA IDENTITY FULL") || !strings.HasPrefix(w.SQL[2], "DELETE FROM b WHERE NOT (v IS DISTINCT FROM 'y''s')") {
		t.Fatalf("with updates and deletes: %+v", w)
	}
	if text := strings.Join(w.SideEffects, "; "); !strings.Contains(text, "crosses the filter") || !strings.Contains(text, "its WAL is +") {
		t.Errorf("side effects: %s", text)
	}
}

// TestParted: a subscription is parted by its tables, each with what its transactions change
// together.
func TestParted(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	s, o := given(t, batch)
	together := strings.Replace(batch, "rate  = 50\n", "rate  = 50\n[[operation.then]]\ntable = \"a\"\ndo = \"insert\"\n", 1)
	s2, o2 := given(t, together)
	s2 = subscribed(s2)
	c, err := Measure(s2, o2)
	if err != nil {
		t.Fatal(err)
	}
	if h := parted(s2, c, 0); h != nil {
		t.Errorf("tables of one transaction are parted: %v", h)
	}
	if c, err = Measure(s, o); err != nil {
		t.Fatal(err)
	}
	if h := parted(s, c, 0); len(h) != 2 || len(h[0]) != 1 || len(h[1]) != 1 || h[0][0] == h[1][0] {
		t.Errorf("parted: %v, expected a and b", h)
	}
}

// TestBothEnds: a change is one insert; its figures are the operations', weighed by rate.
func TestBothEnds(t *testing.T) {
	s, o := given(t, batch)
	e, err := BothEnds(s, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Measure(s, o)
	if err != nil {
		t.Fatal(err)
	}
	batches, small := 50_000.0/600, 50.0 // changes a second
	wal := (batches*c.Operations[0].WAL/50_000 + small*c.Operations[1].WAL) / (batches + small)
	if d := e.WALBytes/wal - 1; d > 1e-6 || d < -1e-6 {
		t.Errorf("%v bytes of WAL a change, expected %v", e.WALBytes, wal)
	}
	if e.BackendS == nil || *e.BackendS != 20e-6 || len(e.Subscriptions) != 1 || e.Subscriptions[0].WalsenderS <= 0 || e.Subscriptions[0].ApplyS <= 0 {
		t.Errorf("%+v", e)
	}
	s.Publisher, s.Subscriptions = nil, nil
	if e, err := BothEnds(s, o); e != nil || err != nil {
		t.Errorf("nothing is said of a publisher: %v, %v", e, err)
	}
}
