package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/model/apply"
	"applysim/model/assume"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/wal"
)

var replayHelp = help{
	usage: "applysim replay (--case DIR | --schema FILE --stream FILE|-) [FLAGS]",
	text: `
Applies a captured change stream to a simulated subscriber and reports the WAL
it writes and the pages it leaves. With --schema the subscriber's tables are
made from DDL (pg_dump --schema-only will do) and are empty; the stream is what
pg_recvlogical --plugin=pgoutput writes, or one hex message a line, or the text
of test_decoding or wal2json (format 1 or 2), as pg_recvlogical or psql has it;
gzip or not. With --case both come from a recorded case's folder.
Exit code 1 when replication would stop, with the results so far.`,
	example: `  $ pg_dump --schema-only app > schema.sql
  $ applysim replay --schema schema.sql --stream stream.bin --set wal_level=logical
`,
}

// Where a run without a recorded case begins, about as a new cluster does: its
// WAL starts at the second segment, and initdb uses up some transaction ids.
const (
	firstLSN wal.LSN = 16 << 20
	nextXID          = 750
)

type replayOptions struct {
	caseDir, schema, stream, events string
	set                             []string
	version, records, format        string
	streaming, collation            string
	skipConflicts                   bool
	profile                         string
	checkpoints, walWriter          bool
	assume, withoutEffect           []string
	assumptions                     []assume.Setting
	seed                            uint64
	positional                      int // arguments beside the flags
}

func (o *replayOptions) addFlags(f *pflag.FlagSet) *string {
	f.StringVar(&o.caseDir, "case", "", "folder `DIR` of a recorded case")
	f.StringVar(&o.schema, "schema", "", "the subscriber's DDL, a `FILE`")
	f.StringVar(&o.stream, "stream", "", "the change stream, a `FILE` or - for standard input")
	f.StringVar(&o.events, "events", "", "`FILE` of what ran on the subscriber beside the stream: on each line, in\ntheir order, a number of messages, a tab and the commands that ran after them:\nCHECKPOINT, VACUUM, and SET before VACUUM; with ; between them")
	f.StringArrayVar(&o.set, "set", nil, "server setting `GUC=VALUE`, by PostgreSQL's name; one that nothing modelled\ndepends on is warned of; may be given more than once")
	f.StringVar(&o.version, "server-version", "18", "PostgreSQL version `N` of the subscriber: "+guc.Versions+", or one of their minor\nreleases; 18 stands for 18.1, an older one for the\nrelease of the same day, such as 17.7")
	f.StringVar(&o.records, "records", "", "write every WAL record to `FILE`: resource manager, type, relation, fork,\nblock, length, length of full-page images, with tabs between;\n- is standard output, and the report then goes to standard error")
	f.StringVar(&o.streaming, "streaming", "parallel", "`HOW` streamed transactions are applied: parallel, by workers of their own\nas they arrive, or on, spooled until they commit; with --case the\nrecorded subscription decides; on is the default before 18")
	f.StringVar(&o.collation, "collation", "C", "the database's default collation, a `NAME` of pg_collation such as\nde-x-icu or en_US.utf8, or one that the DDL makes")
	f.BoolVar(&o.skipConflicts, "skip-conflicts", false, "go on after a conflict that would stop replication: its transaction is\nrolled back and passed over, and the conflict is counted")
	f.StringArrayVar(&o.assume, "assume", nil, "what to assume about an expression that cannot be computed, a `SETTING`:\nINDEX:selectivity=0.1 is the share of rows that an index's predicate takes\n(0.5 unless set), INDEX:width=24 or TABLE.COLUMN:width=24 the bytes that a\nvalue takes (32 unless set; pg_stats.avg_width); may be given more than once")
	f.Uint64Var(&o.seed, "seed", 1, "seed `N` of the values of defaults such as random()")
	f.BoolVar(&o.checkpoints, "checkpoints", true, "make checkpoints as checkpoint_timeout and max_wal_size ask for, by the\ncommit times in the stream; off with --case, whose events have them,\nunless it is given")
	f.BoolVar(&o.walWriter, "wal-writer", true, "flush asynchronous commits in the WAL writer's rhythm, by the commit times\nin the stream; without it only a checkpoint does. Hint bits depend on it")
	addProfile(f, &o.profile)
	return formatFlag(f, replayFormats...)
}

var replayFormats = []string{"text", "json", "markdown", "csv"}

// replay applies a captured stream.
func replay(env environment, args []string) error {
	f := newFlags("replay")
	var o replayOptions
	format := o.addFlags(f)
	if helped, err := parse(env, f, args, replayHelp); helped || err != nil {
		return err
	}
	o.format = *format
	if err := o.check(f); err != nil {
		return err
	}
	if o.caseDir != "" && !f.Changed("checkpoints") {
		o.checkpoints = false // they are events
	}

	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	profile, err := readProfile(o.profile)
	if err != nil {
		return err
	}

	// The sink needs the worker's log, and the worker is made with the sink.
	var log *wal.Log
	var sink wal.Sink
	out := io.Writer(env.stdout)
	var file *resultFile
	if o.records != "" {
		records := out
		if o.records == "-" {
			out = env.stderr
		} else {
			var err error
			if file, err = createResult(o.records); err != nil {
				return fmt.Errorf("--records: %w", err)
			}
			defer file.abandon()
			records = file
		}
		var line []byte
		sink = func(r *wal.Record) {
			if recorded.Background(log, r) {
				return
			}
			line = append(recorded.AppendLine(line[:0], log, r), '\n')
			records.Write(line) // bufio keeps the error for the flush
		}
	}

	s, err := o.subscriber(env, sink, func(l *wal.Log) { log = l })
	if err != nil {
		return err
	}
	defer s.stream.Close()
	for _, name := range o.withoutEffect {
		s.warnings = append(s.warnings, fmt.Sprintf("--set %s: nothing that is modelled depends on it", name))
	}
	for _, text := range s.warnings {
		fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
	}
	start := s.worker.Log().InsertLSN()
	s.worker.SkipConflicts(o.skipConflicts)
	schedule := background.NewSchedule(s.worker)
	schedule.Checkpoints, schedule.WALWriter = o.checkpoints, o.walWriter
	in, err := capture.NewReader(s.stream, capture.Hints(s.db))
	if err != nil {
		return textError(o.stream, err)
	}
	messages, err := recorded.ApplyReader(s.worker, in, s.events, false, schedule, 0)
	stopped, err := o.stopped(textError(o.stream, err))
	if err != nil {
		return err
	}
	if file != nil {
		if err := file.commit(); err != nil {
			return fmt.Errorf("--records: %w", err)
		}
	}
	doubts, _ := s.worker.Doubts()
	ends := append(in.Warnings(), endOfStream(s.worker, messages, stopped)...)
	for _, text := range append(doubts, ends...) {
		fmt.Fprintf(env.stderr, "applysim: warning: %s\n", text)
	}
	report := recorded.NewReport(s.worker, start, messages, stopped)
	var assumptions []string
	report.CPU, assumptions = recorded.CPUOf(s.worker, model, profile)
	for _, text := range assumptions {
		fmt.Fprintf(env.stderr, "applysim: warning: CPU: %s\n", text)
		report.Warnings = append(report.Warnings, "CPU: "+text)
	}
	report.Warnings = append(append(s.warnings, report.Warnings...), ends...)
	if err := printReplay(out, o.format, s.worker, report); err != nil {
		return err
	}
	if stopped != nil {
		env.stdout.Flush() // the results come before the error
		stop := report.Stopped
		fmt.Fprintf(env.stderr, "applysim: message %d (offset %d): replication would stop\nERROR:  %s\n", stop.Message, stop.Offset, stop.Error)
		if stop.Detail != "" {
			fmt.Fprintf(env.stderr, "DETAIL:  %s\n", stop.Detail)
		}
		return errNo
	}
	return nil
}

// endOfStream says what is odd about where the stream ends.
func endOfStream(w *apply.Worker, messages int64, stopped *recorded.MessageError) []string {
	switch open := w.Unfinished(); {
	case stopped != nil:
	case messages == 0:
		return []string{"the stream is empty: expected messages, as pg_recvlogical --plugin=pgoutput writes them"}
	case open != "":
		return []string{fmt.Sprintf("after message %d the stream ends within %s: what it did is counted, its end is missing", messages, open)}
	}
	return nil
}

// check says which flags do not go together.
func (o *replayOptions) check(f *pflag.FlagSet) error {
	switch {
	case f.NArg() > o.positional:
		return hint(f, "unexpected argument %q", f.Arg(o.positional))
	case o.caseDir != "" && (o.schema != "" || o.stream != ""):
		return hint(f, "--case has its own schema and stream: expected it without --schema and --stream")
	case o.caseDir == "" && (o.schema == "" || o.stream == ""):
		return hint(f, "expected --case, or both --schema and --stream")
	case o.schema == "-" && o.stream == "-":
		return hint(f, "--schema and --stream cannot both be standard input")
	case o.caseDir != "" && f.Changed("collation"):
		return hint(f, "--case has its own collation: expected it without --collation")
	case o.caseDir != "" && o.events != "":
		return hint(f, "--case has its own events: expected it without --events")
	}
	if f.Changed("server-version") {
		var s guc.Settings
		var err error
		if s.ServerMajor, _, err = guc.ParseVersion(o.version); err != nil {
			return fmt.Errorf("--server-version %s: %w", o.version, err)
		}
		o.set = append(o.set, "server_version="+o.version)
		if !f.Changed("streaming") && !s.ParallelByDefault() {
			o.streaming = "on"
		}
		if o.streaming == "parallel" && s.ServerMajor < 16 {
			return fmt.Errorf("not supported: --streaming parallel with --server-version %s: expected on, as parallel workers came with 16", o.version)
		}
	}
	if o.streaming != "parallel" && o.streaming != "on" {
		return hint(f, "--streaming %s: expected parallel or on", o.streaming)
	}
	return checkFormat(f, o.format, replayFormats...)
}

// stopped sorts the errors of a run: those at which replication would stop,
// and those of the input.
func (o *replayOptions) stopped(err error) (*recorded.MessageError, error) {
	var at *recorded.MessageError
	var stop *apply.StopError
	if !errors.As(err, &at) || !errors.As(err, &stop) {
		return nil, err
	}
	return at, nil
}

// subscriber is a worker that is ready to apply its stream.
type subscriber struct {
	worker   *apply.Worker
	stream   io.ReadCloser
	events   []recorded.Event
	warnings []string
	db       *schema.Database
}

// subscriber makes the worker. attach gets its log before a record is written.
func (o *replayOptions) subscriber(env environment, sink wal.Sink, attach func(*wal.Log)) (*subscriber, error) {
	settings := guc.Defaults()
	for _, text := range o.assume {
		a, err := assume.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("--assume %s: %w", text, err)
		}
		o.assumptions = append(o.assumptions, a)
	}
	changes := map[string]string{}
	for _, text := range o.set {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--set %s: expected the form name=value", text)
		}
		if err := settings.Set(name, value); err != nil {
			return nil, fmt.Errorf("--set %s: %w", text, err)
		}
		changes[strings.ToLower(name)] = value
		if guc.HasNoEffect(name) {
			o.withoutEffect = append(o.withoutEffect, name)
		}
	}
	if o.caseDir != "" {
		return o.caseSubscriber(sink, changes, attach)
	}
	return o.schemaSubscriber(env, sink, settings, attach)
}

// caseSubscriber makes the worker of a recorded case. Its settings are the
// recorded ones, changed by --set.
func (o *replayOptions) caseSubscriber(sink wal.Sink, changes map[string]string, attach func(*wal.Log)) (*subscriber, error) {
	c, err := recorded.Open(hostFS{}, o.caseDir)
	if err != nil {
		return nil, err
	}
	for name, value := range changes {
		if name == "data_checksums" {
			c.Start.DataChecksums = value
		} else {
			c.Start.Settings[name] = value
		}
	}
	db, err := schema.Read(strings.NewReader(c.DDL), "case.json")
	if err != nil {
		return nil, err
	}
	c.Assume, c.Seed = o.assumptions, o.seed
	w, err := c.Worker(sink)
	if err != nil {
		return nil, err
	}
	attach(w.Log())
	in, err := c.Stream()
	if err != nil {
		return nil, err
	}
	return &subscriber{w, in, c.Events, schemaWarnings("case.json", db), db}, nil
}

// schemaSubscriber makes a worker with empty tables.
func (o *replayOptions) schemaSubscriber(env environment, sink wal.Sink, settings guc.Settings, attach func(*wal.Log)) (*subscriber, error) {
	ddl, err := openInput(env, o.schema)
	if err != nil {
		return nil, err
	}
	defer ddl.Close()
	db, err := schema.Read(ddl, o.schema)
	if err != nil {
		return nil, err
	}
	if _, err := db.Collation(o.collation); err != nil {
		return nil, fmt.Errorf("--collation: %w", err)
	}
	events, err := o.readEvents()
	if err != nil {
		return nil, err
	}
	w, err := apply.New(db, apply.Options{Settings: settings, Start: firstLSN, NextXID: nextXID, Sink: sink, Parallel: o.streaming == "parallel",
		Assume: o.assumptions, Seed: o.seed, Collation: o.collation})
	if err != nil {
		return nil, err
	}
	attach(w.Log())
	warnings := schemaWarnings(o.schema, db)
	if settings.FullPageWrites && len(events) == 0 && !o.checkpoints {
		warnings = append(warnings, "tables start empty and no checkpoint is assumed during the run (see --events): "+
			"full_page_writes is on, but pages that the run itself adds are not written as images")
	}
	in, err := openInput(env, o.stream)
	if err != nil {
		return nil, err
	}
	return &subscriber{w, in, events, warnings, db}, nil
}

// readEvents reads --events.
func (o *replayOptions) readEvents() ([]recorded.Event, error) {
	if o.events == "" {
		return nil, nil
	}
	text, err := os.ReadFile(o.events)
	if err != nil {
		return nil, err
	}
	return recorded.ParseEvents(o.events, text)
}

// schemaWarnings lists what the DDL reader was in doubt about, and what it
// passed over.
func schemaWarnings(file string, db *schema.Database) []string {
	warnings := []string{}
	for _, w := range db.Warnings {
		warnings = append(warnings, w.String())
	}
	if len(db.Skipped) == 0 {
		return warnings
	}
	total := 0
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(db.Skipped)) {
		n := db.Skipped[kind]
		total += n
		kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
	}
	return append(warnings, fmt.Sprintf("%s: passed over %s: %s", file, count(int64(total), "statement"), strings.Join(kinds, ", ")))
}
