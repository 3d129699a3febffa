// Differential compares the simulated subscriber with real ones on random cases.
//
//	go run ./experiments/differential [--pg PREFIX] [--seed N] [--cases K | --minutes M]
//
// From each seed a generator makes a case: tables, indexes, settings and a
// workload (generate.go, workload.go, values.go, ops.go). A real publisher runs its
// SQL, a real subscriber applies it (package server), and the recording is compared
// with the simulation, record by record, then page by page (package recorded). A
// case that differs is made smaller as long as it differs (shrink.go) and left as a
// folder, ready to become a recorded case, with both listings around the first
// difference (listing.go).
//
// The last line is `K cases, R records, B bytes compared, D differ`; the exit code
// is 1 if D is not 0.
//
// Three flags ask for cases of other kinds: --loaded (tables have rows before), --copied (a
// table joins the subscription while others are applied) and --sessions (session.go): there a
// publisher's own writes are compared, without a subscriber.
//
// With --damaged each recording is also applied with something in it broken (damaged.go).
//
// Which lines of the model random cases reach, Go's coverage tells:
//
//	go build -cover -coverpkg=./experiments/differential,./heap/...,./index/...,./wal/...,./model/apply -o differential ./experiments/differential
//	mkdir reached
//	GOCOVERDIR=reached ./differential --cases 100 --seed N     (more runs add to it)
//	go tool covdata percent -i=reached
//	go tool covdata textfmt -i=reached -o reached.txt && go tool cover -func reached.txt
//
// This package must be in the list, else nothing is written; a run that a signal ends counts,
// too. LOG.md has the figures, and what is not reached, and why.
//
// A fault planted in a copy of the source is found without servers: cases kept with --keep
// DIR are replayed by applysim verify DIR.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/experiments/server"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the command line's.
type options struct {
	prefix  string
	seed    uint64
	seeds   []uint
	number  int // of cases
	minutes float64
	out     string
	servers string
	port    int
	shrink  int
	verbose bool
	log     string
	loaded  bool
	copied  bool
	session bool
	damaged bool
	all     string
}

const (
	exitDone     = 0
	exitDiffers  = 1
	exitUnusable = 2
)

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	f := pflag.NewFlagSet("differential", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.SortFlags = false
	f.StringVar(&o.prefix, "pg", "", "prefix `DIR` of the PostgreSQL installation")
	f.Uint64Var(&o.seed, "seed", 1, "the first seed `N`; the following cases have the next ones")
	f.UintSliceVar(&o.seeds, "seeds", nil, "these seeds `N,...` before all others")
	f.IntVar(&o.number, "cases", 0, "number `K` of cases (10 unless --minutes is given)")
	f.Float64Var(&o.minutes, "minutes", 0, "begin no more cases after `M` minutes")
	f.StringVar(&o.out, "out", "", "folder `DIR` for the cases that differ; a new temporary one without it")
	f.StringVar(&o.servers, "servers", "", "folder `DIR` for the clusters while they live")
	f.IntVar(&o.port, "port", 0, "first `PORT` of the servers; free ones are taken without it")
	f.IntVar(&o.shrink, "shrink", 60, "make a case that differs smaller in at most `N` recordings")
	f.BoolVar(&o.verbose, "verbose", false, "a line for each case, not only for those that differ")
	f.BoolVar(&o.loaded, "loaded", false, "tables have rows before, as bulk loads leave them")
	f.BoolVar(&o.copied, "copied", false, "each case has a table that a synchronisation worker copies at the end")
	f.BoolVar(&o.session, "sessions", false, "cases are those of a publisher: what sessions write that change its tables")
	f.BoolVar(&o.damaged, "damaged", false, "apply each recording again with something in it broken, which must not panic")
	f.StringVar(&o.all, "keep", "", "leave the recordings of all cases in folder `DIR`, which applysim verify reads")
	f.StringVar(&o.log, "log", "", "add this run to the log in `FILE`")
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return exitDone
	case err == nil && f.NArg() > 0:
		fmt.Fprintf(stderr, "differential: unexpected argument %q\n", f.Arg(0))
		return exitUnusable
	case err != nil:
		return exitUnusable
	}
	if o.number == 0 && o.minutes == 0 {
		o.number = max(10, len(o.seeds))
	}
	debug.SetGCPercent(200)
	d, err := newRun(o, stdout)
	if err != nil {
		fmt.Fprintf(stderr, "differential: %v\n", err)
		return exitUnusable
	}
	err = errors.Join(d.loop(), d.close())
	if err != nil {
		fmt.Fprintf(stderr, "differential: %v\n", err)
	}
	if err == nil && o.log != "" {
		if err = d.addToLog(o.log); err != nil {
			fmt.Fprintf(stderr, "differential: %v\n", err)
		}
	}
	d.summary()
	switch {
	case err != nil:
		return exitUnusable
	case d.differ > 0:
		return exitDiffers
	}
	return exitDone
}

// differential is a run.
type differential struct {
	options
	*tally
	pool     *server.Pool
	features features
	stdout   io.Writer
	work     string // for recordings that are not kept
	started  time.Time
}

func newRun(o options, stdout io.Writer) (*differential, error) {
	pool, err := server.NewPool(server.Options{Prefix: o.prefix, Port: o.port, Dir: o.servers})
	if err != nil {
		return nil, err
	}
	d := &differential{options: o, tally: newTally(), pool: pool, stdout: stdout, started: time.Now()}
	if d.features, err = examine(pool); err == nil {
		d.features.copied = o.copied
		d.work, err = pool.Folder("recordings")
	}
	if err == nil && d.out == "" {
		d.out, err = filepath.Join(os.TempDir(), fmt.Sprintf("applysim-differs-%d", os.Getpid())), nil
	}
	if err != nil {
		pool.Close()
		return nil, err
	}
	return d, nil
}

// examine asks a server what it can do.
func examine(pool *server.Pool) (features, error) {
	rows, err := pool.Ask("select 'lz4' = any(enumvals), 'zstd' = any(enumvals) from pg_settings where name = 'wal_compression'")
	if err != nil {
		return features{}, err
	}
	return features{lz4: rows[0][0] == "t", zstd: rows[0][1] == "t", major: pool.Major}, nil
}

func (d *differential) close() error { return d.pool.Close() }

// loop compares cases. While one is being simulated, the next one is recorded.
func (d *differential) loop() error {
	type recording struct {
		seed uint64
		of   subject
		dir  string
		err  error
	}
	recordings := make(chan recording)
	stop := make(chan struct{})
	go func() {
		defer close(recordings)
		for n := 0; d.more(n); n++ {
			seed := d.seed + uint64(n-len(d.seeds))
			if n < len(d.seeds) {
				seed = uint64(d.seeds[n])
			}
			r := recording{seed: seed, of: d.subject(seed), dir: filepath.Join(d.work, fmt.Sprint(n))}
			r.err = r.of.record(d, r.dir, d.pool.Major >= 18 && seed%viewedEvery == 0)
			if errors.Is(r.err, server.ErrClosed) {
				select {} // the process is about to end
			}
			select {
			case recordings <- r:
			case <-stop:
				return
			}
		}
	}()
	var differing []recording
	failures := 0
	for r := range recordings {
		d.tried++
		if r.err != nil {
			fmt.Fprintf(d.stdout, "seed %d: not recorded: %v\n", r.seed, r.err)
			if errors.Is(r.err, server.ErrCrashed) {
				d.crashed++
			} else {
				d.failed++
			}
			if failures++; failures == 20 {
				close(stop)
				return errors.New("20 cases one after the other could not be recorded")
			}
			continue
		}
		failures = 0
		result := compareAll(r.dir, d.views)
		if d.damaged && result.Outcome != recorded.Differs {
			if faults := damaged(r.dir, r.seed); len(faults) > 0 {
				result.Outcome, result.StateDifferences = recorded.Differs, faults
			}
		}
		d.count(r.dir, result)
		if result.Outcome == recorded.Differs || d.verbose || result.Outcome == recorded.Unsupported {
			fmt.Fprintf(d.stdout, "seed %d: %s\n", r.seed, result.Line())
		}
		if d.all != "" {
			if err := os.CopyFS(filepath.Join(d.all, r.of.name()), os.DirFS(r.dir)); err != nil {
				close(stop)
				return err
			}
		}
		if result.Outcome == recorded.Differs {
			differing = append(differing, r)
		} else {
			os.RemoveAll(r.dir)
		}
	}
	for _, r := range differing {
		d.keep(r.seed, r.of, r.dir)
	}
	return nil
}

// viewed says of how many pages of each relation the views are compared, and up to how
// many records those of the WAL, in one of every so many cases.
const (
	viewedEvery   = 3
	viewedPages   = 12
	viewedRecords = 20_000
)

// subject is what a seed makes: a case of a subscriber's or of a publisher's.
type subject interface {
	name() string
	// record records it, with what the server's views show if they are wanted and can be
	// compared. They are those of PostgreSQL 18.
	record(d *differential, dir string, views bool) error
	shrink(k *shrinker)
}

// subject makes the case of a seed.
func (d *differential) subject(seed uint64) subject {
	if d.session {
		return generateSession(seed, d.features)
	}
	return generate(seed, d.features, d.loaded)
}

func (s *Spec) name() string { return s.Name }

func (s *Spec) record(d *differential, dir string, views bool) error {
	var err error
	// A synchronisation writes to catalogs, indexes of other methods write estimates: LSNs are
	// others than the simulation's.
	if views && s.Late == "" && !s.Foreign && !s.Unforeseen {
		_, err = d.pool.RecordViews(s.Case(), dir, viewedPages, viewedRecords)
	} else {
		_, err = d.pool.Record(s.Case(), dir, true)
	}
	return err
}

// compareAll compares a recording, its views too if it has them, of which it counts rows.
func compareAll(dir string, counts map[string]int) *recorded.Result {
	result := compare(dir)
	if result.Outcome == recorded.Exact {
		if differences := compareViews(dir, counts); len(differences) > 0 {
			result.Outcome, result.StateDifferences = recorded.Differs, differences
		}
	}
	return result
}

// compareViews compares what views show, and counts the rows that were compared.
func compareViews(dir string, counts map[string]int) (differences []string) {
	f, err := os.Open(filepath.Join(dir, "inspect.jsonl.gz"))
	if err != nil {
		return nil // it was recorded without
	}
	defer f.Close()
	defer func() {
		if p := recover(); p != nil {
			differences = []string{fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	all, err := recorded.ReadInspections(f)
	if err == nil {
		var c *recorded.Case
		if c, err = recorded.Open(os.DirFS(dir), "."); err == nil {
			var compared map[string]int
			_, compared, differences, err = c.CompareViews(all)
			for name, n := range compared {
				counts[name] += n
			}
		}
	}
	if err != nil {
		return []string{err.Error()}
	}
	return differences
}

// more says whether there is a case after n cases.
func (d *differential) more(n int) bool {
	if d.number > 0 && n >= d.number {
		return false
	}
	return n < len(d.seeds) || d.minutes == 0 || time.Since(d.started).Minutes() < d.minutes
}

// compare replays a recording. What keeps it from being replayed is a difference, too.
func compare(dir string) (result *recorded.Result) {
	broken := func(format string, args ...any) *recorded.Result {
		return &recorded.Result{Name: filepath.Base(dir), Outcome: recorded.Differs, StateDifferences: []string{fmt.Sprintf(format, args...)}}
	}
	defer func() {
		if p := recover(); p != nil {
			result = broken("panic: %v\n%s", p, debug.Stack())
		}
	}()
	fsys := os.DirFS(dir)
	if result, err := recorded.Verify(fsys, "."); err != nil {
		return broken("%v", err)
	} else if result.Outcome != recorded.Unsupported || !strings.Contains(result.Unsupported, " indexes (") || recorded.IsPublisher(fsys, ".") {
		return result
	}
	// Indexes of other access methods are estimates; all else is compared.
	c, err := recorded.Open(fsys, ".")
	if err != nil {
		return broken("%v", err)
	}
	if result, err = c.VerifyBeside(); err != nil {
		return broken("%v", err)
	}
	return result
}
