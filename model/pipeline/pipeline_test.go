package pipeline

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/scenario"
)

func read(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Read(strings.NewReader(text), "test.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func options(t *testing.T, ddl string) *Options {
	t.Helper()
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	return &Options{Profile: p, Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }}
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if math.Abs(got-want) > within*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, by hand %v", what, got, want)
	}
}

// one is a scenario of one operation, of 500 changes a second in transactions of 5.
const one = `schema = "s"
duration = "100s"
[network]
round_trip = "0ms"
%s
[[operation]]
table = "t"
do = "insert"
rate = 500
rows = 5
%s`

// fixed are costs that are easy to reckon with: 100 transactions a second take a worker
// 2 ms each, a walsender 0.5 ms, and 1,000 bytes of stream.
func fixed(subscriptions int) *Costs {
	op := Operation{Name: "insert t", Transactions: 10_000, Changes: 5, WAL: 4_000, Memory: 1_000}
	for range subscriptions {
		op.Subscriptions = append(op.Subscriptions, Cost{Sender: 0.5e-3, Bytes: 1_000, Apply: 2e-3, WAL: 3_000, Changes: 5})
	}
	return &Costs{Operations: []Operation{op}, Simulated: 50_000, Changes: 50_000, Length: 100}
}

func simulate(t *testing.T, s *scenario.Scenario, c *Costs, every float64) *Report {
	t.Helper()
	r, err := Simulate(s, c, options(t, ""), every)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGreatestRate: a worker that takes 2 ms a transaction does 500 a second, 2,500
// changes; other limits come before it.
func TestGreatestRate(t *testing.T) {
	for _, c := range []struct {
		more, limit string
		load        float64
	}{
		{"[[subscription]]\nname = \"a\"", "apply worker", 0.2},
		{"[[subscription]]\nname = \"a\"\nspeed = 8", "walsender", 0.05},
		{"bandwidth = \"200kB\"\n[[subscription]]\nname = \"a\"", "network", 100_000.0 / 204_800},
		{"[[subscription]]\nname = \"a\"\ncores = 0.5", "cores", 0.4},
		{"[[subscription]]\nname = \"a\"\nwait = \"1ms\"", "apply worker", 0.2 + 0.5},
		{"[[subscription]]\nname = \"a\"\nsynchronous_commit = \"on\"\nflush = \"3ms\"", "apply worker", 0.2 + 0.3},
		{"same_host = true\n[publisher]\ncores = 1\nbackend = \"400us\"\n[[subscription]]\nname = \"a\"", "cores", 0.2 + 0.05 + 0.2},
	} {
		u := simulate(t, read(t, fmt.Sprintf(one, c.more, "")), fixed(1), 0).Subscriptions[0]
		if u.Limit != c.limit {
			t.Errorf("%s: limit %s, expected %s", c.more, u.Limit, c.limit)
		}
		near(t, c.more+": load", u.Load, c.load, 1e-9)
		near(t, c.more+": greatest rate", u.GreatestRate, 500/c.load, 1e-9)
	}
}

// TestOutage: a subscriber that is away for 20 s has 2,000 transactions to catch up. First
// its walsender reads again what it has read since the running-xacts record of 15 s, 1,500
// transactions at half of 0.5 ms. Then the worker does 500 a second while 100 come.
func TestOutage(t *testing.T) {
	s := read(t, fmt.Sprintf(one, "[[subscription]]\nname = \"a\"\nstopped = [{ from = \"30s\", until = \"50s\" }]", ""))
	r := simulate(t, s, fixed(1), 10)
	u := r.Subscriptions[0]
	const again = 1_500 * 0.25e-3
	near(t, "most lag", u.MostLagBytes, (20+again)*100*4_000, 1e-6)
	near(t, "most lag in time", u.MostLagS, 20+again, 1e-6)
	near(t, "at", u.MostLagAtS, 50+again, 1e-6)
	if u.CaughtUpS == nil {
		t.Fatal("not caught up")
	}
	near(t, "caught up", *u.CaughtUpS, 50+again+(20+again)*100/400, 1e-6)
	var what []string
	for _, e := range r.Events {
		if e.Name == "a" && e.What != "wal_status" {
			what = append(what, fmt.Sprintf("%.0f %s", e.T, e.What))
		}
	}
	if got := strings.Join(what, ", "); got != "30 stopped, 50 started, 55 caught up" {
		t.Errorf("events: %s", got)
	}
}

// TestConserved: whatever stands in the way, everything that was written is applied, once.
func TestConserved(t *testing.T) {
	for _, more := range []string{
		"[[subscription]]\nname = \"a\"",
		"[[subscription]]\nname = \"a\"\n[[subscription]]\nname = \"b\"\nspeed = 0.3",
		"bandwidth = \"120kB\"\nbuffer = \"64kB\"\n[[subscription]]\nname = \"a\"\nstopped = [{ from = \"10s\", until = \"40s\" }]",
		"[[subscription]]\nname = \"a\"\ncores = 0.21",
		"same_host = true\n[publisher]\ncores = 1\nbackend = \"100us\"\n[[subscription]]\nname = \"a\"\nwait = \"0.2ms\"",
	} {
		s := read(t, fmt.Sprintf(one, more, "bursts = { every = \"20s\", lasts = \"2s\", factor = 9 }"))
		r := simulate(t, s, fixed(len(s.Subscriptions)), 0)
		transactions := r.WALBytes / 4_000
		if transactions < 9_000 || transactions > 20_000 {
			t.Errorf("%s: %v transactions", more, transactions)
		}
		for _, u := range r.Subscriptions {
			near(t, more+": "+u.Name+" changes", u.Applied, 5*transactions, 1e-6)
			near(t, more+": "+u.Name+" WAL", u.WALBytes, 3_000*transactions, 1e-6)
			if u.CaughtUpS == nil && u.MostLagS > 1 {
				t.Errorf("%s: %s has not caught up", more, u.Name)
			}
		}
	}
}

// TestSampling: asking for more moments changes nothing but the moments, and those of
// both are the same.
func TestSampling(t *testing.T) {
	s := read(t, fmt.Sprintf(one, "bandwidth = \"150kB\"\n[[subscription]]\nname = \"a\"\nstopped = [{ from = \"13s\", until = \"31s\" }]\n[[slot]]\nname = \"b\"\nreads = \"300kB\"", ""))
	few, many := simulate(t, s, fixed(1), 25), simulate(t, s, fixed(1), 1)
	a, b := few.Subscriptions[0], many.Subscriptions[0]
	near(t, "caught up", *b.CaughtUpS, *a.CaughtUpS, 1e-6)
	near(t, "most lag", b.MostLagBytes, a.MostLagBytes, 1e-6)
	near(t, "most lag in time", b.MostLagS, a.MostLagS, 1e-6)
	near(t, "applied", b.Applied, a.Applied, 1e-6)
	if len(few.Events) != len(many.Events) {
		t.Fatalf("%d and %d events", len(few.Events), len(many.Events))
	}
	for i := range few.Events {
		if x, y := few.Events[i], many.Events[i]; x.What != y.What || x.Name != y.Name || math.Abs(x.T-y.T) > 1e-6 {
			t.Errorf("event %d: %v and %v", i, x, y)
		}
	}
	at := map[float64]Moment{}
	for _, m := range many.Moments {
		at[m.T] = m
	}
	for _, m := range few.Moments {
		o, ok := at[m.T]
		if !ok {
			continue // the end
		}
		for k := range m.Consumers {
			near(t, fmt.Sprintf("lag of %s at %v", m.Consumers[k].Name, m.T), o.Consumers[k].ReplayLag, m.Consumers[k].ReplayLag, 1e-6)
			near(t, "retained", float64(o.Consumers[k].Retained), float64(m.Consumers[k].Retained), 1e-6)
		}
	}
}

// TestKeep: a slot that nobody reads keeps all WAL: 400 kB a second, of which the most
// within 10 s is 4 MB.
func TestKeep(t *testing.T) {
	s := read(t, fmt.Sprintf(one, "[publisher.settings]\nmax_slot_wal_keep_size = \"64MB\"\n[[subscription]]\nname = \"a\"\n[[slot]]\nname = \"b\"\nreads = \"nothing\"", ""))
	r := simulate(t, s, fixed(1), 0)
	k := Keep(r, s, 10)
	near(t, "most within 10 s", k.MostWAL, 10*400_000, 1e-3)
	near(t, "limit", k.LimitBytes, 64<<20, 1e-9)
	near(t, "alert", k.AlertBytes, 64<<20-10*400_000, 1e-3)
	if k.Bad() || k.DiskFullS != nil {
		t.Error("a slot is lost, with 40 MB of 64 MB kept")
	}
}

// TestMeasureByHand: an insert into a table of one integer with a primary key. WAL: a
// heap record of 59 bytes, an index record of 64, a commit of 46, each to the next
// multiple of 8, and a page header of 24 for every 8,168. Stream: begin 21, insert 13 and
// the digits of the key, commit 26, each with 30 around it.
func TestMeasureByHand(t *testing.T) {
	s := read(t, `schema = "s"
duration = "10s"
[publisher.settings]
full_page_writes = "off"
[[operation]]
table = "t"
do = "insert"
count = 300
rows = 3
`)
	c, err := Measure(s, options(t, "create table t (id int primary key);"))
	if err != nil {
		t.Fatal(err)
	}
	op := &c.Operations[0]
	near(t, "transactions", op.Transactions, 100, 0)
	near(t, "changes", op.Changes, 3, 0)
	if op.Records < 7 || op.Records > 7.05 { // the index's first page takes one more, once
		t.Errorf("%v records a transaction, by hand 7", op.Records)
	}
	near(t, "WAL", op.WAL, (3*(64+64)+48)*8192.0/8168, 0.01)
	if op.Images != 0 {
		t.Errorf("%v bytes of images, expected none", op.Images)
	}
	u := &op.Subscriptions[0]
	near(t, "messages", u.Messages, 5, 0)
	digits := (9*1 + 90*2 + 201*3) / 300.0
	near(t, "stream", u.Bytes, 5*30+21+26+3*(13+digits), 1e-3)
	if !(u.Apply > 0 && u.Sender > 0 && u.WAL > op.WAL) { // its COMMIT and its inserts name their origin
		t.Errorf("apply %v s, walsender %v s, %v bytes of WAL", u.Apply, u.Sender, u.WAL)
	}
}

// TestCommit: what clients wait for, with costs that the file gives.
func TestCommit(t *testing.T) {
	const text = `schema = "s"
duration = "10s"
[publisher]
backend = "100us"
transaction = "50us"
flush = "1.5ms"
[publisher.settings]
full_page_writes = "off"
synchronous_standby_names = "ANY 1 (a, b)"
[clients]
duration = "5s"
[[standby]]
name = "a"
round_trip = "3ms"
flush = "0.5ms"
[[standby]]
name = "b"
round_trip = "9ms"
flush = "0.5ms"
[[operation]]
table = "t"
do = "insert"
count = 300
rows = 3
`
	o := &CommitOptions{Options: *options(t, "create table t (id int primary key);"), Clients: []int{1}, RoundTrips: []float64{9e-3}}
	r, err := Commit(read(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	rates := Physical()
	execute := 3*100e-6 + 50e-6
	// A message is sent and received; the reply is made and heard. Before the second
	// reply the first one is made.
	hop := 2*rates.Send.Value + 2*rates.Receive.Value
	near(t, "local", r.Levels[1].Latency.Mean, execute+1.5e-3, 1e-6)
	if got, want := r.Levels[2].Latency.Mean, execute+1.5e-3+3e-3+hop; math.Abs(got-want) > 20e-6 {
		t.Errorf("remote_write: %v s, by hand %v", got, want)
	}
	if got, want := r.Levels[3].Latency.Mean, execute+1.5e-3+3e-3+0.5e-3+hop+rates.Receive.Value; math.Abs(got-want) > 20e-6 {
		t.Errorf("on: %v s, by hand %v", got, want)
	}
	if got, want := r.Grid[0][0].Latency.Mean, r.Levels[3].Latency.Mean+6e-3; math.Abs(got-want) > 20e-6 {
		t.Errorf("on with 9 ms: %v s, by hand %v", got, want)
	}
	if len(r.Warnings) != 0 {
		t.Errorf("warnings: %v", r.Warnings)
	}
}
