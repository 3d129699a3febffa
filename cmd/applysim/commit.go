package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/table"
	"applysim/model/guc"
	"applysim/model/pipeline"
	"applysim/model/synccommit"
)

var commitHelp = help{
	usage: "applysim commit SCENARIO.toml [FLAGS]",
	text: `
What clients wait for when they commit, at each value of synchronous_commit:
transactions a second, latency and where it goes, by number of clients and round
trip to the standbys; and what is lost if the publisher dies now. Standbys are the
[[standby]] and [[subscription]] sections; synchronous_standby_names and
synchronous_commit stand in [publisher.settings]. Clients begin the next
transaction as soon as they are answered and have thought ([clients]). A standby
can be lost for a while. Exit code 1 when clients still wait at the end.`,
	example: `  $ cat commit.toml
  schema   = "orders.sql"
  duration = "10min"

  [publisher]
  backend = "60us"               # CPU of a change
  flush   = "0.8ms"              # of its WAL

  [publisher.settings]
  synchronous_commit        = "on"
  synchronous_standby_names = "FIRST 1 (near, far)"

  [clients]
  count = 16
  think = "2ms"

  [[standby]]
  name       = "near"
  round_trip = "0.4ms"
  lost       = [{ from = "3s", until = "6s", how = "silent" }]

  [[standby]]
  name       = "far"
  round_trip = "12ms"

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 10
  $ applysim commit commit.toml --clients 1,8,64 --round-trips 0.5ms,20ms
`,
}

// runCommit says what clients wait for.
func runCommit(env environment, args []string) error {
	f := newFlags("commit")
	var o runOptions
	clients := f.String("clients", "1,4,16,64", "numbers `N,...` of clients of the second table")
	trips := f.String("round-trips", "0.1ms,1ms,10ms", "round trips `TIME,...` to all standbys of the second table")
	sample := f.Int64("sample", 5_000, "simulate about `N` changes row by row")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	format := formatFlag(f, replayFormats...)
	if helped, err := parse(env, f, args, commitHelp); helped || err != nil {
		return err
	}
	o.format, o.marginal = *format, "off"
	s, err := o.open(f)
	if err != nil {
		return err
	}
	profile, err := readProfile(o.profile)
	if err != nil {
		return err
	}
	if profile == nil {
		return hint(f, "--profile none: what clients wait for depends on what work costs")
	}
	options, err := o.options(s)
	if err != nil {
		return err
	}
	if err := checkSample(f, *sample); err != nil {
		return err
	}
	q := &pipeline.CommitOptions{Options: pipeline.Options{Schema: options.Schema, Profile: profile, Limit: *sample}, Seed: uint64(s.Seed)}
	if q.Clients, err = numberList(f, "clients", *clients); err != nil {
		return err
	}
	for _, text := range strings.Split(*trips, ",") {
		d, err := guc.ParseDuration(strings.TrimSpace(text))
		if err != nil {
			return hint(f, "--round-trips %s: %v", text, err)
		}
		q.RoundTrips = append(q.RoundTrips, d.Seconds())
	}
	r, err := pipeline.Commit(s, q)
	if err != nil {
		return err
	}
	if err := printCommit(env.stdout, o.format, r); err != nil {
		return err
	}
	if r.Levels[r.Chosen].Stuck() {
		return errNo
	}
	return nil
}

func numberList(f *pflag.FlagSet, name, text string) ([]int, error) {
	var list []int
	for _, part := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 || n > 10_000 {
			return nil, hint(f, "--%s %s: expected whole numbers from 1 to 10000", name, part)
		}
		list = append(list, n)
	}
	return list, nil
}

// rateText shows a number a second.
func rateText(v float64) string { return table.Integer(int64(v+0.5)) + "/s" }

// printCommit prints what clients wait for.
func printCommit(w io.Writer, format string, r *pipeline.Commits) error {
	switch format {
	case "json":
		return printJSON(w, r)
	case "csv":
		return commitCSV(r).CSV(w)
	}
	own := r.Levels[r.Chosen]
	names := own.Names
	if names == "" {
		names = "empty"
	}
	tables := []*table.Table{commitLevels(r, fmt.Sprintf("%d clients, synchronous_standby_names %s", own.Clients, names)), commitLosses(r), commitGrid(r)}
	var lines []string
	for _, s := range own.Standbys {
		state := s.SyncState
		if state == "" {
			state = "not connected"
		}
		lines = append(lines, fmt.Sprintf("%s: sync_state %s, sync_priority %d", s.Name, state, s.SyncPriority))
	}
	for _, e := range own.Events {
		lines = append(lines, fmt.Sprintf("%s  %s: %s", clock(e.T), e.Standby, e.What))
	}
	if len(own.Events) > 0 {
		lines = append(lines, fmt.Sprintf("no client was answered for %s from %s on", lasting(own.Stall), clock(own.StallAt)))
	}
	if own.Cancelled > 0 {
		lines = append(lines, fmt.Sprintf("%d waits were cancelled: these transactions have committed, and their clients were warned", own.Cancelled))
	}
	if own.Stuck() {
		lines = append(lines, fmt.Sprintf("%d clients still wait at the end: their transactions have committed on the publisher", own.Waiting))
	}
	lines = append(lines, "")
	for _, x := range r.Warnings {
		lines = append(lines, "warning: "+x)
	}
	for _, a := range r.Assumptions {
		lines = append(lines, "assumed: "+a)
	}
	lines = append(lines, fmt.Sprintf("bytes of WAL are exact for the simulated part; times are as the scenario says, CPU is calibrated (profile %s)", r.Profile))
	return printParts(w, format, tables, lines)
}

// commitLevels shows each level.
func commitLevels(r *pipeline.Commits, title string) *table.Table {
	t := &table.Table{Title: title, Columns: []table.Column{
		{Name: "synchronous_commit"}, {Name: "transactions", Right: true}, {Name: "latency", Right: true}, {Name: "99 % within", Right: true}, {Name: "where it goes"},
	}}
	for i, x := range r.Levels {
		name := x.Level
		if i == r.Chosen {
			name += " (set)"
		}
		if x.Transactions == 0 {
			t.Add(name, "0/s", nil, nil, "nobody is ever answered")
			continue
		}
		t.Add(name, rateText(x.PerSecond), lasting3(x.Latency.Mean), lasting3(x.Latency.P99), stagesText(x))
	}
	return t
}

// stagesText lists the stages that are at least a twentieth of the latency.
func stagesText(x *synccommit.Result) string {
	var parts []string
	for _, s := range x.Stages {
		if s.Mean >= 0.05*x.Latency.Mean {
			parts = append(parts, fmt.Sprintf("%s %.0f %%", s.Name, 100*s.Mean/x.Latency.Mean))
		}
	}
	return strings.Join(parts, ", ")
}

// lasting3 shows times between microseconds and seconds with three digits.
func lasting3(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.3g µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	}
	return lasting(s)
}

// commitLosses shows what would be lost at each level.
func commitLosses(r *pipeline.Commits) *table.Table {
	t := &table.Table{Title: "what is missing of what clients were told, at the worst moment (on average)", Columns: []table.Column{{Name: "what happens"}, {Name: "goes on"}}}
	for _, x := range r.Levels {
		t.Columns = append(t.Columns, table.Column{Name: x.Level, Right: true})
	}
	for i := range r.Levels[0].Losses {
		m := &r.Levels[0].Losses[i]
		on := m.Standby
		if on == "" {
			on = "publisher"
		}
		row := []any{m.Death, on}
		for _, x := range r.Levels {
			row = append(row, lossText(&x.Losses[i]))
		}
		t.Add(row...)
	}
	return t
}

func lossText(m *synccommit.Missing) string {
	if m.MostTransactions == 0 {
		return "nothing"
	}
	return fmt.Sprintf("%.0f tx, %s (%.3g)", m.MostTransactions, amount(m.MostBytes), m.MeanTransactions)
}

// commitGrid shows the chosen level by clients and round trips.
func commitGrid(r *pipeline.Commits) *table.Table {
	t := &table.Table{Title: fmt.Sprintf("transactions a second and latency with %s, by clients and round trip to every standby", r.Levels[r.Chosen].Level), Columns: []table.Column{{Name: "clients", Right: true}}}
	for _, trip := range r.RoundTrips {
		t.Columns = append(t.Columns, table.Column{Name: lasting3(trip), Right: true}, table.Column{Name: "latency", Right: true})
	}
	for i, n := range r.Clients {
		row := []any{strconv.Itoa(n)}
		for _, x := range r.Grid[i] {
			if x.Transactions == 0 {
				row = append(row, "0/s", nil)
				continue
			}
			row = append(row, rateText(x.PerSecond), lasting3(x.Latency.Mean))
		}
		t.Add(row...)
	}
	return t
}

// commitCSV has a row for each level and each cell of the grid.
func commitCSV(r *pipeline.Commits) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "synchronous_commit"}, {Name: "clients"}, {Name: "round_trip_s"}, {Name: "transactions_per_s"}, {Name: "latency_mean_s"}, {Name: "latency_p99_s"}, {Name: "limit"},
	}}
	add := func(x *synccommit.Result, trip any) {
		t.Add(x.Level, x.Clients, trip, x.PerSecond, x.Latency.Mean, x.Latency.P99, x.Limit)
	}
	for _, x := range r.Levels {
		add(x, nil)
	}
	for _, row := range r.Grid {
		for j, x := range row {
			add(x, r.RoundTrips[j])
		}
	}
	return t
}
