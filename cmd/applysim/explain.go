package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/cost"
	"applysim/model/explain"
	"applysim/model/scenario"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

var explainHelp = help{
	usage: "applysim explain (--case DIR | --schema FILE --stream FILE | --scenario FILE)\n" +
		"          (--change N | --sql STATEMENT) [FLAGS]\n" +
		"  applysim explain --schema FILE --rows N --sql STATEMENT [FLAGS]",
	text: `
Explains one change: what the apply worker does with it, step by step, with the
WAL records and what each byte of them is for, the pages before and after, the
CPU, and what does not happen although one might expect it. Everything before
the change is applied first. What explain shows is what replay counts: the
records of all changes, one after the other, are those of replay --records.
With --sql the change is what a publisher would send for an INSERT, UPDATE or
DELETE of one row, on the tables as they are after the stream, before the
scenario (or after its first --until changes), or with --rows made-up rows.
--format html is one page with drawings that needs nothing else: it shows one
step at a time, by the arrow keys, and all of them where scripts do not run.`,
	example: `  $ applysim explain --schema schema.sql --stream stream.bin --change 42
  $ applysim explain --scenario orders.toml --until 1000 \
      --sql "UPDATE orders SET status = 'paid' WHERE id = 42"
  $ applysim explain --schema schema.sql --rows 10000 \
      --sql "DELETE FROM orders WHERE id = 42" --format html > delete.html
`,
}

// explainOptions are the flags of explain.
type explainOptions struct {
	replayOptions
	change, message, until, rows int64
	sql, scenario, variant       string
}

func (o *explainOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.schema, "schema", "", "the subscriber's DDL, a `FILE`")
	f.StringVar(&o.stream, "stream", "", "the change stream, a `FILE`")
	f.StringVar(&o.caseDir, "case", "", "folder `DIR` of a recorded case")
	f.StringVar(&o.scenario, "scenario", "", "a scenario `FILE`, as run takes it")
	f.StringVar(&o.variant, "variant", "", "the scenario's variant `NAME` in place of the scenario itself")
	f.Int64Var(&o.change, "change", 0, "explain change `N` of the stream: inserts, updates, deletes and truncates\ncount, from 1")
	f.Int64Var(&o.message, "message", 0, "explain the change that is message `N` of the stream, as errors count them")
	f.StringVar(&o.sql, "sql", "", "explain what comes of a `STATEMENT`: INSERT, UPDATE or DELETE of one row, with\nliteral values and WHERE column = literal AND ...")
	f.Int64Var(&o.until, "until", 0, "with --sql: apply the stream or the scenario up to change `N` first, and what is\nleft of its transaction; the whole stream and nothing of a scenario unless it\nis given")
	f.Int64Var(&o.rows, "rows", 0, "with --sql: `N` rows are there, whose values follow from the columns' types; keys\nof numbers count from 1")
	for _, name := range []string{"change", "message", "until", "rows"} {
		f.Lookup(name).DefValue = ""
	}
	f.StringVar(&o.events, "events", "", "`FILE` of what ran on the subscriber beside the stream, as replay takes it")
	f.StringArrayVar(&o.set, "set", nil, "server setting `GUC=VALUE`, by PostgreSQL's name; may be given more than once")
	f.StringVar(&o.version, "server-version", "18", "PostgreSQL version `N` of the subscriber")
	f.StringVar(&o.streaming, "streaming", "parallel", "`HOW` streamed transactions are applied: parallel or on")
	f.StringVar(&o.collation, "collation", "C", "the database's default collation, a `NAME` of pg_collation")
	f.StringArrayVar(&o.assume, "assume", nil, "what to assume about an expression that cannot be computed, a `SETTING`, as\nreplay takes it")
	f.Uint64Var(&o.seed, "seed", 1, "seed `N` of the values of defaults such as random(), of made-up rows, and of a\nscenario in place of its own")
	f.BoolVar(&o.skipConflicts, "skip-conflicts", false, "before the change, go on after conflicts that would stop replication")
	f.BoolVar(&o.checkpoints, "checkpoints", true, "make checkpoints by the clock, as replay does; off with --case unless it is\ngiven")
	f.BoolVar(&o.walWriter, "wal-writer", true, "flush asynchronous commits in the WAL writer's rhythm, as replay does")
	addProfile(f, &o.profile)
}

var explainFormats = []string{"text", "json", "html"}

// explainChange explains one change.
func explainChange(env environment, args []string) error {
	f := newFlags("explain")
	var o explainOptions
	o.addFlags(f)
	format := formatFlag(f, explainFormats...)
	if helped, err := parse(env, f, args, explainHelp); helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, explainFormats...); err != nil {
		return err
	}
	o.format = replayFormats[0] // explain has formats of its own
	if err := o.check(f); err != nil {
		return err
	}
	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	profile, err := readProfile(o.profile)
	if err != nil {
		return err
	}
	warned := false
	open := func() (*explain.Session, error) {
		s, err := o.session(env, f, !warned)
		warned = true
		return s, err
	}
	change := o.change
	if o.sql != "" {
		change = 1
	}
	x, err := explain.Explain(explain.Options{Open: open, Change: change, Message: o.message, Statement: o.sql, Model: model, Profile: profile})
	var before *explain.StoppedError
	switch {
	case errors.As(err, &before):
		fmt.Fprintf(env.stderr, "applysim: %v\n", before)
		return errNo
	case err != nil:
		return err
	}
	if err := printExplanation(env.stdout, *format, x); err != nil {
		return err
	}
	if x.Stopped != "" {
		return errNo
	}
	return nil
}

func printExplanation(w io.Writer, format string, x *explain.Explanation) error {
	switch format {
	case "json":
		return printJSON(w, x)
	case "html":
		return x.HTML(w)
	}
	return x.Text(w)
}

// check says which flags do not go together.
func (o *explainOptions) check(f *pflag.FlagSet) error {
	ways := 0
	for _, name := range []string{"change", "message", "sql"} {
		if f.Changed(name) {
			ways++
		}
	}
	switch {
	case ways > 1:
		return hint(f, "--change, --message and --sql each say which change: expected one of them")
	case ways == 0:
		return hint(f, "expected --change, the number of the change to explain, or --sql, a statement")
	case f.Changed("change") && o.change < 1:
		return hint(f, "--change %d: expected a number from 1 on", o.change)
	case f.Changed("message") && o.message < 1:
		return hint(f, "--message %d: expected a number from 1 on", o.message)
	case f.Changed("sql") && o.sql == "":
		return hint(f, "--sql is empty: expected INSERT, UPDATE or DELETE")
	case o.sql == "" && (f.Changed("until") || f.Changed("rows")):
		return hint(f, "--until and --rows go with --sql")
	case f.Changed("until") && o.until < 1:
		return hint(f, "--until %d: expected a number of changes from 1 on", o.until)
	case f.Changed("rows") && o.rows < 1:
		return hint(f, "--rows %d: expected a number from 1 on", o.rows)
	case f.Changed("rows") && (o.schema == "" || o.stream != "" || o.scenario != ""):
		return hint(f, "--rows makes rows up for the tables of --schema: expected it without --stream and --scenario")
	case o.variant != "" && o.scenario == "":
		return hint(f, "--variant %s: expected --scenario, which has variants", o.variant)
	case o.stream == "-" || o.schema == "-":
		return hint(f, "the input is read more than once: expected a file, not standard input")
	}
	if o.rows > 0 || o.scenario != "" {
		if f.NArg() > 0 {
			return hint(f, "unexpected argument %q", f.Arg(0))
		}
		banned := []string{"stream", "case", "events", "server-version", "streaming", "assume", "skip-conflicts", "checkpoints", "wal-writer"}
		what := "--rows makes a scenario"
		if o.scenario != "" {
			banned = append(banned, "schema", "set", "collation")
			what = "--scenario says what it needs itself"
		}
		for _, name := range banned {
			if f.Changed(name) {
				return hint(f, "%s: expected it without --%s", what, name)
			}
		}
		return nil
	}
	if o.caseDir == "" && (o.schema == "" || o.stream == "") {
		if o.sql != "" && o.schema != "" {
			return hint(f, "expected --rows, rows to be there, or --stream")
		}
		return hint(f, "expected --case, --scenario, or both --schema and --stream")
	}
	if err := o.replayOptions.check(f); err != nil {
		return err
	}
	if o.caseDir != "" && !f.Changed("checkpoints") {
		o.checkpoints = false // they are events
	}
	return nil
}

// session begins to read the input.
func (o *explainOptions) session(env environment, f *pflag.FlagSet, warn bool) (*explain.Session, error) {
	if o.rows > 0 || o.scenario != "" {
		return o.scenarioSession(f)
	}
	o.assumptions, o.withoutEffect = nil, nil // subscriber reads them again
	s, err := o.subscriber(env, nil, func(*wal.Log) {})
	if err != nil {
		return nil, err
	}
	if warn {
		for _, text := range s.warnings {
			fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
		}
	}
	s.worker.SkipConflicts(o.skipConflicts)
	schedule := background.NewSchedule(s.worker)
	schedule.Checkpoints, schedule.WALWriter = o.checkpoints, o.walWriter
	in, err := capture.NewReader(s.stream, capture.Hints(s.db))
	if err != nil {
		s.stream.Close()
		return nil, textError(o.stream, err)
	}
	feed := recorded.NewFeed(s.worker, in, s.events, false, schedule)
	next := func(m *stream.Message) error { return textError(o.stream, feed.Next(m)) }
	if o.sql == "" {
		return &explain.Session{Worker: s.worker, Next: next, Close: func() { s.stream.Close() }}, nil
	}
	defer s.stream.Close()
	if err := explain.Advance(s.worker, next, o.until); err != nil {
		return nil, err
	}
	return explain.SQL(s.worker, s.db, o.sql)
}

// scenarioSession begins a scenario.
func (o *explainOptions) scenarioSession(f *pflag.FlagSet) (*explain.Session, error) {
	s, err := o.readScenario(f)
	if err != nil {
		return nil, err
	}
	var v *scenario.Variant
	if o.variant != "" && o.variant != "base" {
		if v, err = s.Variant(o.variant); err != nil {
			return nil, err
		}
	}
	x, err := s.Begin(v, &scenario.Options{Schema: func(path string) (io.ReadCloser, error) {
		if o.scenario != "" && !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(o.scenario), path)
		}
		return os.Open(path)
	}})
	if err != nil {
		return nil, err
	}
	if o.sql == "" {
		return &explain.Session{Worker: x.Worker(), Next: x.Next, Close: func() {}}, nil
	}
	if o.until > 0 {
		if err := explain.Advance(x.Worker(), x.Next, o.until); err != nil {
			return nil, err
		}
	}
	return explain.SQL(x.Worker(), x.Database(), o.sql)
}

// readScenario reads --scenario, or makes one of --rows.
func (o *explainOptions) readScenario(f *pflag.FlagSet) (*scenario.Scenario, error) {
	if o.scenario != "" {
		file, err := os.Open(o.scenario)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		s, err := scenario.Read(file, o.scenario)
		if err == nil && f.Changed("seed") {
			s.Seed = o.seed
		}
		return s, err
	}
	ddl, err := os.Open(o.schema)
	if err != nil {
		return nil, err
	}
	defer ddl.Close()
	db, err := schema.Read(ddl, o.schema)
	if err != nil {
		return nil, err
	}
	c, err := db.ReadChange(o.sql, "--sql")
	if err != nil {
		return nil, err
	}
	if c.Table.Kind == 'p' {
		return nil, fmt.Errorf("--rows: table %q is partitioned: its rows are in its partitions (expected --stream or --scenario)", c.Table.QualifiedName())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "schema = %q\nchanges = 1\nseed = %d\ncollation = %q\n", o.schema, o.seed, o.collation)
	fmt.Fprintf(&b, "[tables.%q]\nrows = %d\n[[operation]]\ntable = %q\ndo = \"insert\"\nrate = 1\n", c.Table.QualifiedName(), o.rows, c.Table.QualifiedName())
	b.WriteString("[settings]\n")
	for _, text := range o.set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: expected the form name=value", text)
		}
		fmt.Fprintf(&b, "%s = %q\n", name, value)
	}
	s, err := scenario.Read(strings.NewReader(b.String()), "--rows")
	if err != nil {
		return nil, err
	}
	return s, nil
}
