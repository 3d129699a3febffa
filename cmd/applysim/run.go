package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"applysim/model/cost"
	htmlreport "applysim/model/report"
	"applysim/model/scenario"
)

var runHelp = help{
	usage: "applysim run SCENARIO.toml [FLAGS]",
	text: `
Runs a synthetic workload on a schema of yours and reports what it costs on the
subscriber: WAL by table, index, record type and full-page images, HOT updates
and why the others were none, pages, CPU, checkpoints and VACUUMs. A scenario
file names the schema, the settings, the rows that are there before, how the
values of columns are distributed, and what the publisher does. Budgets bound
what it may cost, for a check of a schema before it is merged, say. Exit code 1
when a budget is exceeded, or when replication would stop, with the results so
far.`,
	example: `  $ cat orders.toml
  schema   = "orders.sql"        # pg_dump --schema-only will do
  duration = "10min"

  [settings]
  max_wal_size = "2GB"

  [tables.orders]
  rows = 100_000                 # there before the run

  [tables.orders.columns.status]
  values  = ["new", "paid", "sent"]
  weights = [1, 2, 4]

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 50                     # rows a second
  rows  = 5                      # in a transaction

  [[operation]]
  table   = "orders"
  do      = "update"
  columns = ["status"]
  which   = "recent"             # or uniform, zipf, oldest, range
  rate    = 100
  $ applysim run orders.toml
  $ applysim run orders.toml --max-wal-per-change 400B --min-hot orders=90% || echo too dear
`,
}

type runOptions struct {
	variant, stream, events string
	sql                     string
	marginal                string
	format, profile         string
	seed                    int64
	budgets                 budgetFlags
	report                  string
}

func (o *runOptions) addFlags(f *pflag.FlagSet) *string {
	f.StringVar(&o.marginal, "marginal", "auto", "`WHEN` to simulate what each index costs, by a run without it: on, off, or auto,\nwhich is on up to 200,000 changes and 2,000,000 in all runs together")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	o.budgets.add(f)
	addReport(f, &o.report)
	return formatFlag(f, replayFormats...)
}

// marginalLimit is up to how many changes indexes are left out one by one unless asked for.
const marginalLimit = 200_000

// marginalRuns is how many changes all those runs together make at most.
const marginalRuns = 2_000_000

// runScenario runs a scenario.
func runScenario(env environment, args []string) error {
	f := newFlags("run")
	var o runOptions
	f.StringVar(&o.variant, "variant", "", "run the scenario's variant `NAME` in place of the scenario itself")
	f.StringVar(&o.stream, "write-stream", "", "write the stream to `FILE`: pgoutput messages, as pg_recvlogical writes them")
	f.StringVar(&o.events, "write-events", "", "write to `FILE` what ran on the subscriber beside the stream, for\nreplay --events")
	f.StringVar(&o.sql, "write-sql", "", "write the changes to `FILE` as SQL, for a real publisher")
	format := o.addFlags(f)
	if helped, err := parse(env, f, args, runHelp); helped || err != nil {
		return err
	}
	o.format = *format
	s, err := o.open(f)
	if err != nil {
		return err
	}
	var variant *scenario.Variant
	if o.variant != "" && o.variant != "base" {
		if variant, err = s.Variant(o.variant); err != nil {
			return err
		}
	}
	options, err := o.options(s)
	if err != nil {
		return err
	}
	var files []*resultFile
	write := func(flag, name string) (io.Writer, error) {
		if name == "" {
			return nil, nil
		}
		file, err := createResult(name)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		files = append(files, file)
		return file, nil
	}
	defer func() {
		for _, file := range files {
			file.abandon()
		}
	}()
	stream, err := write("write-stream", o.stream)
	if err != nil {
		return err
	}
	if stream != nil {
		options.Stream = stream
	}
	sql, err := write("write-sql", o.sql)
	if err != nil {
		return err
	}
	if sql != nil {
		options.SQL = sql
	}
	events, err := write("write-events", o.events)
	if err != nil {
		return err
	}
	if events != nil {
		options.Event = func(after int64, sql string) { fmt.Fprintf(events, "%d\t%s\n", after, sql) }
	}
	report, err := o.compare(env, s, []*scenario.Variant{variant}, options)
	if err != nil {
		return err
	}
	if err := report.Judge(o.budgets.limits, nil); err != nil {
		return err
	}
	ends, err := o.bothEnds(s, report)
	if err != nil {
		return err
	}
	if err := writeReport(o.report, func(w io.Writer) error { return htmlreport.Scenario(w, report, ends) }); err != nil {
		return err
	}
	for _, file := range files {
		if err := file.commit(); err != nil {
			return err
		}
	}
	if err := printRun(env.stdout, o.format, report, ends); err != nil {
		return err
	}
	return errors.Join(stoppedRuns(env, report), overBudget(env, report))
}

// open reads the scenario that the arguments name.
func (o *runOptions) open(f *pflag.FlagSet) (*scenario.Scenario, error) {
	if f.NArg() != 1 {
		return nil, hint(f, "expected one SCENARIO.toml, found %d arguments", f.NArg())
	}
	if err := checkFormat(f, o.format, replayFormats...); err != nil {
		return nil, err
	}
	if o.marginal != "auto" && o.marginal != "on" && o.marginal != "off" {
		return nil, hint(f, "--marginal %s: expected auto, on or off", o.marginal)
	}
	if f.Changed("seed") && o.seed < 0 {
		return nil, hint(f, "--seed %d: expected a number from 0 on", o.seed)
	}
	if err := o.budgets.read(f); err != nil {
		return nil, err
	}
	file, err := os.Open(f.Arg(0))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	s, err := scenario.Read(file, f.Arg(0))
	if err == nil && f.Changed("seed") {
		s.Seed = uint64(o.seed)
	}
	return s, err
}

// options open files beside the scenario.
func (ro *runOptions) options(s *scenario.Scenario) (*scenario.Options, error) {
	profile, err := readProfile(ro.profile)
	if err != nil {
		return nil, err
	}
	o := &scenario.Options{Schema: func(path string) (io.ReadCloser, error) {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(s.File), path)
		}
		return os.Open(path)
	}}
	if ro.report != "" {
		o.Samples = reportSamples
	}
	if profile != nil {
		m, err := cost.Builtin()
		if err != nil {
			return nil, err
		}
		o.Price = scenario.Price(profile, m)
	}
	return o, nil
}

// compare runs variants, with a progress line if it takes long.
func (o *runOptions) compare(env environment, s *scenario.Scenario, variants []*scenario.Variant, options *scenario.Options) (*scenario.Report, error) {
	marginal := o.marginal == "on"
	if o.marginal == "auto" && s.Size() <= marginalLimit {
		runs, err := s.Runs(variants, true, options)
		if err != nil {
			return nil, err
		}
		marginal = s.Size()*int64(runs) <= marginalRuns
	}
	options.Progress = &scenario.Progress{}
	runs, err := s.Runs(variants, marginal, options)
	if err != nil {
		return nil, err
	}
	stop := showProgress(env.stderr, options.Progress, s.Size()*int64(runs))
	defer stop()
	return s.Compare(variants, marginal, options)
}

// stoppedRuns says where replication would stop.
func stoppedRuns(env environment, r *scenario.Report) error {
	var no error
	for _, v := range r.Variants {
		if v.Stopped == nil {
			continue
		}
		env.stdout.Flush() // the results come before the error
		fmt.Fprintf(env.stderr, "applysim: variant %s: message %d: replication would stop\nERROR:  %s\n", v.Name, v.Stopped.Message, v.Stopped.Error)
		if v.Stopped.Detail != "" {
			fmt.Fprintf(env.stderr, "DETAIL:  %s\n", v.Stopped.Detail)
		}
		no = errNo
	}
	return no
}
