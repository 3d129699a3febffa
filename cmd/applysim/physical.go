package main

import (
	"fmt"
	"io"

	"applysim/experiments/table"
	"applysim/model/pipeline"
)

var physicalHelp = help{
	usage: "applysim physical SCENARIO.toml [FLAGS]",
	text: `
The scenario's changes shipped both ways: to a physical standby, which gets all
WAL and replays it, and to the scenario's subscriptions, which get what is
published and apply it. Bytes on the wire, CPU at both ends and WAL on the
receiver, over the whole run, and what each way can and cannot do. A standby
that keeps up gets each transaction as it is flushed, one with a backlog 128 kB
at a time; a subscription's CPU is that of processes that never wait, which
compares with the latter.`,
	example: `  $ cat orders.toml
  schema   = "orders.sql"
  duration = "10min"

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 300
  rows  = 3
  $ applysim physical orders.toml
`,
}

// runPhysical compares both ways of shipping a scenario's changes.
func runPhysical(env environment, args []string) error {
	f := newFlags("physical")
	var o pipelineOptions
	f.Int64Var(&o.sample, "sample", defaultSample, "simulate about `N` changes row by row")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	format := formatFlag(f, replayFormats...)
	if helped, err := parse(env, f, args, physicalHelp); helped || err != nil {
		return err
	}
	o.format = *format
	s, options, err := o.costs(f)
	if err != nil {
		return err
	}
	if s.Duration == 0 {
		return fmt.Errorf("%s: shipping a workload needs a duration: expected duration, not changes", s.File)
	}
	r, err := pipeline.Ship(s, options)
	if err != nil {
		return err
	}
	return printPhysical(env.stdout, o.format, r)
}

func printPhysical(w io.Writer, format string, r *pipeline.Shipping) error {
	if format == "json" {
		return printJSON(w, r)
	}
	both := &table.Table{Columns: []table.Column{
		{Name: "shipped to", CSV: "shipped_to"}, {Name: "changes", Right: true}, {Name: "messages", Right: true}, {Name: "on the wire", CSV: "wire_bytes", Right: true},
		{Name: "walsender", CSV: "walsender_cpu_s", Right: true}, {Name: "walreceiver", CSV: "receiver_cpu_s", Right: true},
		{Name: "replay, apply", CSV: "apply_cpu_s", Right: true}, {Name: "its WAL", CSV: "receiver_wal_bytes", Right: true},
	}}
	bytes, seconds := func(v float64) any { return amount(v) }, func(v float64) any { return lasting3(v) }
	if format == "csv" {
		bytes, seconds = func(v float64) any { return fmt.Sprintf("%.0f", v) }, func(v float64) any { return fmt.Sprintf("%.6g", v) }
	}
	row := func(name string, changes float64, c *pipeline.Carried, receiver any) {
		both.Add(name, int64(changes+0.5), int64(c.Messages+0.5), bytes(c.WireBytes), seconds(c.SenderS), receiver, seconds(c.ApplyS), bytes(c.WALBytes))
	}
	row("a physical standby", r.Changes, &r.Standby, seconds(r.Standby.ReceiverS))
	row("one with a backlog", r.Changes, &r.Backlog, seconds(r.Backlog.ReceiverS))
	for i := range r.Subscriptions {
		u := &r.Subscriptions[i]
		row(u.Name, u.Changes, &u.Carried, "")
	}
	if format == "csv" {
		return both.CSV(w)
	}
	can := &table.Table{Title: "what each can do", Columns: []table.Column{{Name: ""}, {Name: "physical"}, {Name: "logical"}}}
	for _, d := range r.Differences {
		can.Add(d.What, d.Physical, d.Logical)
	}
	notes := []string{
		"a standby's WAL is the publisher's, page by page; a subscriber makes its own; a subscription's CPU compares with a standby's that has a backlog",
		fmt.Sprintf("bytes are exact for the simulated part, messages to a standby the most there can be; CPU is calibrated (profile %s), a standby's on nine recorded runs, each of which the other eight predict within a factor of 2.2 for each process", r.Profile),
	}
	for _, x := range r.Warnings {
		notes = append(notes, "warning: "+x)
	}
	return printParts(w, format, []*table.Table{both, can}, notes)
}
