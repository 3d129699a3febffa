package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/scenario"
	"applysim/model/view"
	"applysim/wal"
)

// stateOptions say which subscriber a view is of: one after a replay or a scenario, or
// after a part of it.
type stateOptions struct {
	replayOptions
	scenario, variant string
	until             int64
}

// sourceUsage is how the commands that show a subscriber say what it comes from.
const sourceUsage = "(--schema FILE --stream FILE|- | --case DIR | --scenario FILE)"

func (o *stateOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.schema, "schema", "", "the subscriber's DDL, a `FILE`")
	f.StringVar(&o.stream, "stream", "", "the change stream, a `FILE` or - for standard input")
	f.StringVar(&o.caseDir, "case", "", "folder `DIR` of a recorded case")
	f.StringVar(&o.scenario, "scenario", "", "a scenario `FILE`, as run takes it")
	f.StringVar(&o.variant, "variant", "", "the scenario's variant `NAME` in place of the scenario itself")
	f.Int64Var(&o.until, "until", 0, "stop after `N` changes: rows inserted, updated and deleted, and TRUNCATEs")
	f.Lookup("until").DefValue = ""
	f.StringVar(&o.events, "events", "", "`FILE` of what ran on the subscriber beside the stream, as replay takes it")
	f.StringArrayVar(&o.set, "set", nil, "server setting `GUC=VALUE`, by PostgreSQL's name; may be given more than once")
	f.StringVar(&o.version, "server-version", "18", "PostgreSQL version `N` of the subscriber")
	f.StringVar(&o.streaming, "streaming", "parallel", "`HOW` streamed transactions are applied: parallel or on")
	f.StringVar(&o.collation, "collation", "C", "the database's default collation, a `NAME` of pg_collation")
	f.Uint64Var(&o.seed, "seed", 1, "seed `N` of the values of defaults such as random(), and of a scenario in\nplace of its own")
	f.BoolVar(&o.checkpoints, "checkpoints", true, "make checkpoints by the clock, as replay does; off with --case unless it is\ngiven")
	f.BoolVar(&o.walWriter, "wal-writer", true, "flush asynchronous commits in the WAL writer's rhythm, as replay does")
}

// run makes the subscriber and applies what is to be applied. ready gets it before its
// first record; it may be nil. Where replication would stop there is a subscriber as well
// as errNo.
func (o *stateOptions) run(env environment, f *pflag.FlagSet, ready func(*apply.Worker)) (*apply.Worker, error) {
	if f.Changed("until") && o.until < 1 {
		return nil, hint(f, "--until %d: expected a number of changes from 1 on", o.until)
	}
	var w *apply.Worker
	attach := func(x *apply.Worker) {
		w = x
		if ready != nil {
			ready(x)
		}
	}
	if o.scenario != "" {
		return w, o.runScenario(env, f, attach)
	}
	if o.variant != "" {
		return nil, hint(f, "--variant %s: expected --scenario, which has variants", o.variant)
	}
	if o.caseDir == "" && (o.schema == "" || o.stream == "") {
		return nil, hint(f, "expected --case, --scenario, or both --schema and --stream")
	}
	o.format = replayFormats[0] // views have formats of their own
	if err := o.replayOptions.check(f); err != nil {
		return nil, err
	}
	if o.caseDir != "" && !f.Changed("checkpoints") {
		o.checkpoints = false
	}
	// The sink is set later: what is there before the run writes no records.
	s, err := o.subscriber(env, nil, func(*wal.Log) {})
	if err != nil {
		return nil, err
	}
	defer s.stream.Close()
	for _, text := range s.warnings {
		fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
	}
	attach(s.worker)
	schedule := background.NewSchedule(w)
	schedule.Checkpoints, schedule.WALWriter = o.checkpoints, o.walWriter
	in, err := capture.NewReader(s.stream, capture.Hints(s.db))
	if err != nil {
		return nil, textError(o.stream, err)
	}
	_, err = recorded.ApplyReader(w, in, s.events, false, schedule, o.until)
	stopped, err := o.stopped(textError(o.stream, err))
	if err != nil {
		return nil, err
	}
	for _, text := range in.Warnings() {
		fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
	}
	if stopped != nil {
		var stop *apply.StopError
		errors.As(stopped, &stop)
		fmt.Fprintf(env.stderr, "applysim: message %d (offset %d): replication would stop here\nERROR:  %s\n", stopped.Message, stopped.Offset, stop.Text)
		return w, errNo
	}
	return w, nil
}

// runScenario runs the scenario.
func (o *stateOptions) runScenario(env environment, f *pflag.FlagSet, ready func(*apply.Worker)) error {
	for _, name := range []string{"schema", "stream", "case", "events", "set", "server-version", "streaming", "collation", "checkpoints", "wal-writer"} {
		if f.Changed(name) {
			return hint(f, "--scenario says what it needs itself: expected it without --%s", name)
		}
	}
	file, err := os.Open(o.scenario)
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := scenario.Read(file, o.scenario)
	if err != nil {
		return err
	}
	if f.Changed("seed") {
		s.Seed = o.seed
	}
	var v *scenario.Variant
	if o.variant != "" && o.variant != "base" {
		if v, err = s.Variant(o.variant); err != nil {
			return err
		}
	}
	result, err := s.Run(v, &scenario.Options{
		Schema: func(path string) (io.ReadCloser, error) {
			if !filepath.IsAbs(path) {
				path = filepath.Join(filepath.Dir(s.File), path)
			}
			return os.Open(path)
		},
		Ready: ready, Until: o.until,
	})
	if err == nil && result.Stopped != nil {
		fmt.Fprintf(env.stderr, "applysim: message %d: replication would stop here\nERROR:  %s\n", result.Stopped.Message, result.Stopped.Error)
		return errNo
	}
	return err
}

// titled is a view with the call that shows it on a server.
type titled struct {
	name, call string
	rows       *view.Rows
}

// printViews prints views in a format: CSV needs exactly one.
func printViews(env environment, f *pflag.FlagSet, format string, views []titled) error {
	switch format {
	case "json":
		all := map[string]*view.Rows{}
		for _, v := range views {
			all[v.name] = v.rows
		}
		return printJSON(env.stdout, all)
	case "csv":
		if len(views) != 1 {
			return hint(f, "CSV has one table: expected --view with one of %s", viewNames(views))
		}
		return views[0].rows.CSV(env.stdout)
	}
	for i, v := range views {
		if i > 0 {
			fmt.Fprintln(env.stdout)
		}
		fmt.Fprintln(env.stdout, v.call)
		if err := v.rows.Text(env.stdout); err != nil {
			return err
		}
	}
	return nil
}

func viewNames(views []titled) string {
	text := ""
	for i, v := range views {
		if i > 0 {
			text += ", "
		}
		text += v.name
	}
	return text
}

// choose keeps the view of a name, all if it is empty.
func choose(f *pflag.FlagSet, views []titled, name string) ([]titled, error) {
	if name == "" {
		return views, nil
	}
	for _, v := range views {
		if v.name == name {
			return []titled{v}, nil
		}
	}
	return nil, hint(f, "--view %s: expected one of %s", name, viewNames(views))
}

var viewFormats = []string{"text", "json", "csv"}
