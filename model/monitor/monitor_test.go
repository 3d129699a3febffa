package monitor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/model/slots"
)

// TestColumns compares the columns of the views with those of a real 18.1's catalog.
func TestColumns(t *testing.T) {
	f, err := os.Open("testdata/recorded/columns18.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := map[string][]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Split(lines.Text(), "\t")
		want[fields[0]] = append(want[fields[0]], fields[1])
	}
	views := (&Moment{Consumers: []Consumer{{Name: "s", Subscription: true, active: true}}}).Views()
	if len(views) != len(want) || len(want) != len(Names) {
		t.Fatalf("%d views, %d in the catalog", len(views), len(want))
	}
	for _, v := range views {
		var got []string
		for _, c := range v.Rows.Columns {
			got = append(got, c.Name)
		}
		if fmt.Sprint(got) != fmt.Sprint(want[v.Name]) {
			t.Errorf("%s has the columns\n%v, expected\n%v", v.Name, got, want[v.Name])
		}
		if len(v.Rows.Values) != 1 || len(v.Rows.Values[0]) != len(got) {
			t.Errorf("%s: %d rows, expected one with a value for each column", v.Name, len(v.Rows.Values))
		}
	}
}

const ddl = "create table events (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null);"

// read reads a scenario and simulates a part of it.
func read(t *testing.T, text string) (*scenario.Scenario, *pipeline.Costs) {
	t.Helper()
	s, err := scenario.Read(strings.NewReader(text), "run.toml")
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	c, err := pipeline.Measure(s, &pipeline.Options{Profile: p, Limit: 5000, Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }})
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

// steady is the workload of the recorded pairs.
const steady = `
schema   = "events.sql"
duration = "60s"
seed     = 1

[settings]
full_page_writes = "off"
data_checksums   = "off"
wal_level        = "logical"
autovacuum       = "off"

[publisher.settings]
full_page_writes = "off"
data_checksums   = "off"
autovacuum       = "off"

[network]
same_host  = true
round_trip = "50us"

[[subscription]]
name      = "sub"
streaming = "off"

[tables.events]
rows = 5_000

[tables.events.columns]
account_id = { distinct = 10_000 }
status     = { values = ["0", "1", "2", "3", "4"] }
payload    = { width = 128 }

[[operation]]
table = "events"
do    = "insert"
rate  = 50
rows  = 5

[[operation]]
table   = "events"
do      = "update"
columns = ["status", "updated_at"]
which   = "range"
to      = 0.8
rate    = 15
`

// TestWatch looks at the views while a consumer is away and after it.
func TestWatch(t *testing.T) {
	s, c := read(t, strings.Replace(steady, `streaming = "off"`, "streaming = \"off\"\nstopped = [{ from = \"10s\", until = \"20s\" }]", 1)+"\n[[slot]]\nname = \"forgotten\"\nreads = \"nothing\"\n")
	m, err := Watch(s, c, []float64{5, 15, 39})
	if err != nil {
		t.Fatal(err)
	}
	row := func(i int, name string, n int) map[string]any {
		for _, v := range m[i].Views() {
			if v.Name == name && n < len(v.Rows.Values) {
				all := map[string]any{}
				for k, c := range v.Rows.Columns {
					all[c.Name] = v.Rows.Values[n][k]
				}
				return all
			}
		}
		return nil
	}
	if r := row(0, "pg_stat_replication", 0); r["state"] != "streaming" || r["application_name"] != "sub" || r["sent_lsn"] != m[0].LSN() || r["flush_lsn"] == r["replay_lsn"] {
		t.Errorf("pg_stat_replication while it keeps up: %v", r)
	}
	if r := row(1, "pg_stat_replication", 0); r != nil {
		t.Errorf("pg_stat_replication while it is away: %v", r)
	}
	if r := row(1, "pg_replication_slots", 0); r["active"] != false || r["inactive_since"] != "2026-08-03 00:00:10+00" || r["wal_status"] != "reserved" || r["plugin"] != "pgoutput" {
		t.Errorf("pg_replication_slots while it is away: %v", r)
	}
	if r := row(1, "pg_replication_slots", 1); r["slot_name"] != "forgotten" || r["active"] != false || r["restart_lsn"] != "0/1000000" {
		t.Errorf("pg_replication_slots of the forgotten one: %v", r)
	}
	if r := row(1, "pg_stat_subscription", 0); r["subname"] != "sub" || r["worker_type"] != nil {
		t.Errorf("pg_stat_subscription while it is away: %v", r)
	}
	// 10 and 15 transactions a second; none is decoded while it is away.
	for i, want := range []int64{125, 250, 975} {
		if got := m[i].Consumers[0].Counters.TotalTxns; got < want-2 || got > want+2 {
			t.Errorf("total_txns %d at %v s, expected %d", got, m[i].T, want)
		}
	}
	if r := row(2, "pg_stat_subscription", 0); r["worker_type"] != "apply" || r["received_lsn"] == nil {
		t.Errorf("pg_stat_subscription: %v", r)
	}
}

// TestSpill: of a large transaction that is open half of it is on disk.
func TestSpill(t *testing.T) {
	large := "\n[[operation]]\ntable = \"events\"\ndo = \"insert\"\nrows = 4000\ncount = 4000\nbegins = \"10s\"\nends = \"11s\"\nlasts = \"10s\"\n"
	for _, streaming := range []string{"off", "on"} {
		text := strings.Replace(steady, `streaming = "off"`, `streaming = "`+streaming+`"`, 1)
		s, c := read(t, strings.Replace(text, "[network]", "logical_decoding_work_mem = \"256kB\"\n\n[network]", 1)+large)
		m, err := Watch(s, c, []float64{9, 15, 39})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", c.Operations[2].Decoded)
		var count, txns [3]int64
		for i := range m {
			n := &m[i].Consumers[0].Counters
			count[i], txns[i] = n.SpillCount, n.SpillTxns
			if streaming == "on" {
				count[i], txns[i] = n.StreamCount, n.StreamTxns
			}
		}
		if count[0] != 0 || txns != [3]int64{0, 1, 1} || count[1] < count[2]/3 || count[1] > count[2]*2/3 || count[2] < 3 {
			t.Errorf("streaming %s: %v times, %v transactions", streaming, count, txns)
		}
	}
	if slots.DefaultSettings().DecodingWorkMem != 64<<20 {
		t.Error("the default is not PostgreSQL's")
	}
}

func samples(t *testing.T, name string) []*Sample {
	t.Helper()
	f, err := os.Open("testdata/recorded/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	list, err := Read(f, name)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAgrees compares real pairs of servers with the scenario of their workload. The views of
// earlier versions have fewer columns.
func TestAgrees(t *testing.T) {
	for _, major := range []int{15, 16, 17, 18} {
		t.Run(fmt.Sprint(major), func(t *testing.T) { agrees(t, fmt.Sprintf("agrees%d.json", major)) })
	}
}

func agrees(t *testing.T, file string) {
	s, c := read(t, steady)
	r, err := Compare(s, c, samples(t, file), CompareOptions{At: 10, Within: 0.15, File: file})
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for _, f := range r.Figures {
		if f.Observed != nil && f.Model != nil {
			known++
			t.Logf("%-40s observed %12.6g model %12.6g %s", f.Name, *f.Observed, *f.Model, f.Verdict)
		}
	}
	if r.Part() || known < 10 {
		t.Errorf("parts first at %q; %d figures known", r.First, known)
	}
}

// TestParts: the subscriber has an index that the scenario does not know, and lacks rows.
func TestParts(t *testing.T) {
	s, c := read(t, steady)
	r, err := Compare(s, c, samples(t, "differs18.json"), CompareOptions{At: 10, Within: 0.15, File: "differs18.json"})
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, f := range r.Figures {
		if f.Verdict == Parts {
			parts = append(parts, f.Name)
			if f.Hint == "" {
				t.Errorf("%s: no hint", f.Name)
			}
		}
	}
	want := "[subscriber's WAL for each change HOT share of updates of events confl_update_missing a second]"
	if got := fmt.Sprint(parts); got != want || r.First != "sub: subscriber's WAL for each change" {
		t.Errorf("parts at %s, first %q; expected %s", got, r.First, want)
	}
	// At twice the rate the model parts at once, and says so first.
	s, c = read(t, strings.Replace(steady, "rate  = 50", "rate  = 100", 1))
	if r, err = Compare(s, c, samples(t, "agrees18.json"), CompareOptions{At: 10, Within: 0.15, File: "agrees18.json"}); err != nil {
		t.Fatal(err)
	}
	if r.First != "publisher: inserts of events" {
		t.Errorf("parts first at %q", r.First)
	}
}

// TestVersions reads what 15, 16 and 17 say.
func TestVersions(t *testing.T) {
	for _, major := range []int{15, 16, 17} {
		list := samples(t, fmt.Sprintf("pair%d.json", major))
		if len(list) != 2 {
			t.Fatalf("%d: %d samples", major, len(list))
		}
		pub, sub := list[0], list[1]
		if pub.ServerNum/10000 != major || len(pub.Slots) != 1 || len(pub.SlotStats) != 1 || len(pub.Replication) != 1 || !pub.Slots[0].Confirmed.Known {
			t.Errorf("%d: publisher %+v", major, pub)
		}
		if len(sub.Subscriptions) != 1 || !sub.Subscriptions[0].Received.Known || sub.SubscriptionErrors[0].Name != "sub" {
			t.Errorf("%d: subscriber %+v", major, sub)
		}
	}
}

// TestBroken: each broken file is one clear error.
func TestBroken(t *testing.T) {
	good := `{"applysim_pipeline": 1, "taken": "2026-08-03T00:00:00Z", "current_lsn": "0/1", "system": "1", "database": "d"}`
	for _, x := range []struct{ text, want string }{
		{"", "f.json:1: found no JSON, expected the output of applysim compare-observed --query"},
		{"hello\n", "f.json:1: found no JSON, expected the output of applysim compare-observed --query"},
		{good + "\n{\"a\":", "f.json:2: the JSON ends too early: expected all of a document"},
		{"{\"applysim_stats\": 1}", `f.json:1: found JSON without "applysim_pipeline", expected the output of applysim compare-observed --query`},
		{strings.Replace(good, `"applysim_pipeline": 1`, `"applysim_pipeline": 9`, 1), "f.json:1: applysim_pipeline: found version 9, expected 1"},
		{strings.Replace(good, `"0/1"`, `"01"`, 1), `f.json:1: found "01", expected an LSN such as "0/1A2B3C4"`},
		{strings.Replace(good, `"0/1"`, `null`, 1), `f.json:1: found no "current_lsn", expected where the server's WAL is`},
		{strings.Replace(good, "2026-08-03T00:00:00Z", "yesterday", 1), `f.json:1: found "yesterday", expected a time such as 2026-08-03T00:00:00+00:00`},
		{strings.Replace(good, `"d"`, `7`, 1), "f.json:1: database: found a JSON number, expected a string"},
	} {
		if _, err := Read(strings.NewReader(x.text), "f.json"); err == nil || err.Error() != x.want {
			t.Errorf("%s: %v, expected %s", x.text, err, x.want)
		}
	}
	list, err := Read(strings.NewReader(good), "f.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Pairs(list, "f.json"); err == nil || !strings.Contains(err.Error(), "expected two of each") {
		t.Errorf("one sample: %v", err)
	}
}

// FuzzRead: no file makes the reader panic, and what it takes has what Compare needs.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"agrees18.json", "pair15.json"} {
		b, err := os.ReadFile("testdata/recorded/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"applysim_pipeline":1,"taken":"2026-08-03T00:00:00Z","current_lsn":"0/1","pg_stat_subscription_stats":[{"subname":"s","confl_x":1}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := Read(strings.NewReader(string(b)), "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v: expected the file's name", err)
			}
			return
		}
		for _, s := range list {
			if s.Taken.IsZero() || !s.Current.Known {
				t.Errorf("a sample without a time or a place: %+v", s)
			}
		}
		Pairs(list, "f")
	})
}
