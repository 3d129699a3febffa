package main

import (
	"fmt"
	"io"

	"applysim/experiments/table"
	"applysim/model/initialcopy"
)

var copyHelp = help{
	usage: "applysim copy SCENARIO.toml [FLAGS]",
	text: `
What the initial copy of a subscription takes (copy_data = true): for each table
that has rows before the scenario's run, what its synchronisation worker writes
on the subscriber, with all indexes there before or those that are not unique
built afterwards, and its CPU; how long all tables take with one worker and more
(max_sync_workers_per_subscription), and until the apply worker has caught up
with what the scenario's operations change meanwhile. A copy is taken to be as
fast as its worker's CPU; exit code 1 if the apply worker never catches up.`,
	example: `  $ cat orders.toml
  schema   = "orders.sql"
  duration = "10min"

  [[table]]
  name = "orders"
  rows = 1_000_000

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 300
  $ applysim copy orders.toml --workers 4
`,
}

// maxSyncWorkers is the most that max_sync_workers_per_subscription can be. Source: REL_18_1,
// src/include/storage/procnumber.h, MAX_BACKENDS.
const maxSyncWorkers = 1<<18 - 1

// runCopy works the initial copy of a scenario's tables out.
func runCopy(env environment, args []string) error {
	f := newFlags("copy")
	var o pipelineOptions
	workers := f.Int("workers", 4, "up to `N` synchronisation workers; more than there are tables change nothing")
	f.Int64Var(&o.sample, "sample", defaultSample, "simulate about `N` changes row by row")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	format := formatFlag(f, replayFormats...)
	if helped, err := parse(env, f, args, copyHelp); helped || err != nil {
		return err
	}
	o.format = *format
	s, options, err := o.costs(f)
	if err != nil {
		return err
	}
	if *workers < 1 || *workers > maxSyncWorkers {
		return hint(f, "--workers %d: expected a number from 1 to %d", *workers, maxSyncWorkers)
	}
	r, err := initialcopy.Run(s, &initialcopy.Options{Schema: options.Schema, Profile: options.Profile, Workers: *workers, Limit: o.sample})
	if err != nil {
		return err
	}
	if len(r.Tables) == 0 {
		return fmt.Errorf("%s: no table has rows before the run: expected a [[table]] with rows", s.File)
	}
	if err := printCopy(env.stdout, o.format, r); err != nil {
		return err
	}
	if r.Busy >= 1 {
		return errNo
	}
	return nil
}

func printCopy(w io.Writer, format string, r *initialcopy.Report) error {
	if format == "json" {
		return printJSON(w, r)
	}
	tables := &table.Table{Title: "copy of each table", Columns: []table.Column{
		{Name: "table"}, {Name: "indexes"}, {Name: "rows", Right: true}, {Name: "sent", Right: true}, {Name: "heap pages", Right: true},
		{Name: "index pages", Right: true}, {Name: "WAL", Right: true}, {Name: "of builds", Right: true}, {Name: "CPU", Right: true}, {Name: "of builds", Right: true},
	}}
	for _, t := range r.Tables {
		for i, way := range []initialcopy.WayReport{t.Before, t.After} {
			how := "before"
			if i > 0 {
				how = "after"
			}
			tables.Add(t.Table, how, t.Rows, amount(float64(t.Bytes)), way.HeapPages, way.IndexPages, amount(float64(way.WALBytes)),
				amount(float64(way.BuildBytes)), lasting(way.CPUS), lasting(way.BuildCPUS))
		}
	}
	plans := &table.Table{Title: "all of them", Columns: []table.Column{
		{Name: "workers", Right: true}, {Name: "indexes"}, {Name: "copied after", Right: true}, {Name: "built after", Right: true}, {Name: "caught up after", Right: true}, {Name: "changes waiting", Right: true},
	}}
	for _, p := range r.Plans {
		for i, x := range []initialcopy.TimingReport{p.Before, p.After} {
			how, up := "before", "never"
			if i > 0 {
				how = "after"
			}
			if x.CaughtUpS != nil {
				up = lasting(*x.CaughtUpS)
			}
			plans.Add(p.Workers, how, lasting(x.CopiedS), lasting(x.BuiltS), up, fmt.Sprintf("%.0f", x.Waiting))
		}
	}
	if format == "csv" {
		return tables.CSV(w)
	}
	return printParts(w, format, []*table.Table{tables, plans}, []string{
		fmt.Sprintf("meanwhile: %.0f changes a second, which take %.1f %% of the apply worker's time", r.ChangesPerS, 100*r.Busy),
		fmt.Sprintf("WAL and pages are exact; times are calibrated (profile %s), those of builds are solved from two that were counted", r.Profile),
	})
}
