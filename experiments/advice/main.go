package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/recorded"
	"applysim/experiments/server"
	"applysim/experiments/table"
	"applysim/model/advise"
	"applysim/model/cost"
	"applysim/model/scenario"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const (
	exitDone     = 0
	exitDiffers  = 1
	exitUnusable = 2
)

// What can be compared.
const (
	wal     = "wal"
	seconds = "cpu"
	counted = "instructions"
	autovac = "autovacuum"
)

// options are the command line's.
type options struct {
	prefix, cpuPrefix, servers, out, quiet string
	port, runs, top                        int
	what                                   []string
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	f := pflag.NewFlagSet("advice", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.SortFlags = false
	f.StringVar(&o.prefix, "pg", "", "prefix `DIR` of the PostgreSQL installation whose WAL is compared")
	f.StringVar(&o.cpuPrefix, "cpu-pg", "", "prefix `DIR` of the one whose CPU is measured; the same without it")
	f.StringVar(&o.servers, "servers", "", "folder `DIR` for the clusters while they live")
	f.StringVar(&o.out, "out", "", "write the tables to `FILE` in Markdown, too")
	f.IntVar(&o.port, "port", 0, "first `PORT` of the servers; free ones are taken without it")
	f.IntVar(&o.runs, "runs", 5, "measure CPU `N` times")
	f.IntVar(&o.top, "top", 3, "try the best `N` pieces of advice")
	f.StringVar(&o.quiet, "quiet", "", "run `CMD` while CPU is measured, until its standard input ends: one that makes other\nprocesses wait, say")
	f.StringSliceVar(&o.what, "measure", []string{wal, seconds}, "what to compare: wal, cpu (seconds) and instructions, these in a fifth of each\nscenario and with valgrind, which has to be beside the second installation; or\nautovacuum, in the scenario's own time")
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUnusable
	}
	for _, x := range o.what {
		if x != wal && x != seconds && x != counted && (x != autovac || len(o.what) > 1) {
			fmt.Fprintf(stderr, "advice: --measure %s: expected wal, cpu or instructions, or autovacuum alone\n", x)
			return exitUnusable
		}
	}
	files := f.Args()
	if len(files) == 0 && slices.Contains(o.what, autovac) {
		files, _ = filepath.Glob("experiments/advice/testdata/autovacuum/*.toml")
	} else if len(files) == 0 {
		files, _ = filepath.Glob("experiments/advice/testdata/*.toml")
	}
	if len(files) == 0 {
		fmt.Fprintln(stderr, "advice: expected scenarios, or the project's top folder as the current one")
		return exitUnusable
	}
	same, err := o.all(files, stdout)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "advice: %v\n", err)
		return exitUnusable
	case !same:
		return exitDiffers
	}
	return exitDone
}

// trial is a scenario as it is, or with one piece of advice followed.
type trial struct {
	scenario string
	rank     int // 0: as it is
	title    string
	file     string
	price    func(*cost.Usage) *scenario.CPU
	advice   *advise.Advice
	report   *advise.Report
	want     *scenario.Result
	wal      map[string]map[string]scenario.Count // of the real subscriber
	cpu      []float64                            // seconds, of each run
	// Instructions of a shorter run, real ones less those of a worker that does nothing.
	instructions, predicted float64
}

// all tries all scenarios.
func (o *options) all(files []string, stdout io.Writer) (same bool, err error) {
	if slices.Contains(o.what, autovac) {
		price, err := price()
		if err != nil {
			return false, err
		}
		t, err := o.autovacuum(files, price, stdout)
		if err != nil {
			return false, err
		}
		return true, o.show([]*table.Table{t}, stdout)
	}
	trials, err := o.trials(files)
	if err != nil {
		return false, err
	}
	fmt.Fprintf(stdout, "%d runs on real servers\n", len(trials))
	var tables []*table.Table
	same = true
	for _, x := range []struct {
		name    string
		measure func([]*trial, io.Writer) (version string, err error)
		show    func([]*trial, string) (*table.Table, bool)
	}{{wal, o.record, written}, {seconds, o.measure, used}, {counted, o.count, executed}} {
		if !slices.Contains(o.what, x.name) {
			continue
		}
		version, err := x.measure(trials, stdout)
		if err != nil {
			return false, err
		}
		t, ok := x.show(trials, version)
		tables, same = append(tables, t), same && ok
	}
	return same, o.show(tables, stdout)
}

// show prints tables, and writes them to a file if that is asked for.
func (o *options) show(tables []*table.Table, stdout io.Writer) error {
	for _, t := range tables {
		fmt.Fprintln(stdout)
		if err := t.Text(stdout); err != nil {
			return err
		}
	}
	if o.out == "" {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Advice, followed on real servers\n\nWritten by `go run ./experiments/advice`.\n")
	for _, t := range tables {
		b.WriteString("\n")
		if err := t.Markdown(&b); err != nil {
			return err
		}
	}
	return os.WriteFile(o.out, []byte(b.String()), 0o666)
}

// price is what work costs by the built-in profile.
func price() (func(*cost.Usage) *scenario.CPU, error) {
	m, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	profile, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return nil, err
	}
	return scenario.Price(profile, m), nil
}

func readScenario(file string) (*scenario.Scenario, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return scenario.Read(in, file)
}

// asItIs is the title of a run without advice.
const asItIs = "as it is"

// name is a scenario's.
func name(file string) string { return strings.TrimSuffix(filepath.Base(file), ".toml") }

// trials asks for advice about each scenario.
func (o *options) trials(files []string) ([]*trial, error) {
	price, err := price()
	if err != nil {
		return nil, err
	}
	var list []*trial
	for _, file := range files {
		r, err := advised(file, price)
		if err != nil {
			return nil, err
		}
		name := name(file)
		list = append(list, &trial{scenario: name, title: asItIs, file: file, price: price, report: r, want: r.Base})
		for i, x := range r.Advice[:min(o.top, len(r.Advice))] {
			list = append(list, &trial{scenario: name, rank: i + 1, title: x.Title, file: file, price: price, advice: x, report: r, want: x.Result})
		}
	}
	return list, nil
}

func (t *trial) name() string { return fmt.Sprintf("%s_%d", t.scenario, t.rank) }

// record has real subscribers write the WAL of each trial.
func (o *options) record(trials []*trial, stdout io.Writer) (version string, err error) {
	pool, err := server.NewPool(server.Options{Prefix: o.prefix, Port: o.port, Dir: o.servers})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	work, err := pool.Folder("recordings")
	if err != nil {
		return "", err
	}
	for _, t := range trials {
		c, err := makeCase(t.report, t.file, t.name(), t.advice, 1)
		if err != nil {
			return "", err
		}
		dir := filepath.Join(work, t.name())
		if _, err := pool.Record(c, dir, false); err != nil {
			return "", err
		}
		recording, err := recorded.Open(os.DirFS(dir), ".")
		if err != nil {
			return "", err
		}
		if t.wal, err = recording.ByRelation(); err != nil {
			return "", err
		}
		// Which transaction ids a server comes to depends on what it did before.
		delete(t.wal["-"], clogPage)
		verdict := "as predicted"
		if d := t.difference(); d != "" {
			verdict = d
		}
		fmt.Fprintf(stdout, "%s, %s: %s bytes of WAL, %s\n", t.scenario, t.title, table.Integer(total(t.wal)), verdict)
		for i := range t.want.Estimates {
			e := &t.want.Estimates[i]
			real := t.of(e.Index)
			fmt.Fprintf(stdout, "  %s (%s): %s bytes, estimated %s (%+.1f %%, at most %.1f %% said)\n", e.Index, e.Method, table.Integer(real), table.Integer(e.WALBytes), 100*(float64(e.WALBytes)/float64(real)-1), 100*float64(e.WALError))
		}
		if err := os.RemoveAll(dir); err != nil {
			return "", err
		}
	}
	return pool.Version, nil
}

// measure takes the CPU of real workers: a round of all trials after the other, so that
// what changes on the machine meanwhile meets all of them.
func (o *options) measure(trials []*trial, stdout io.Writer) (version string, err error) {
	pool, err := server.NewPool(server.Options{Prefix: cmp.Or(o.cpuPrefix, o.prefix), Port: o.port, Dir: o.servers})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	for range o.runs {
		for _, t := range trials {
			c, err := makeCase(t.report, t.file, t.name(), t.advice, 1)
			if err != nil {
				return "", err
			}
			cpu, err := pool.Drain(c, o.inQuiet)
			if err != nil {
				return "", err
			}
			t.cpu = append(t.cpu, cpu.Seconds())
			fmt.Fprintf(stdout, "%s, %s: %v of CPU\n", t.scenario, t.title, cpu.Round(100*time.Microsecond))
		}
	}
	return pool.Version, nil
}

// part is which part of a scenario's duration is run where instructions are counted.
const part = 5

// count counts the instructions of real workers.
func (o *options) count(trials []*trial, stdout io.Writer) (version string, err error) {
	pool, err := server.NewPool(server.Options{Prefix: cmp.Or(o.cpuPrefix, o.prefix), Port: o.port, Dir: o.servers, Instructions: true})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	var idle int64
	for _, t := range trials {
		c, err := makeCase(t.report, t.file, t.name(), t.advice, part)
		if err != nil {
			return "", err
		}
		if t.rank == 0 {
			empty := *c
			empty.SQL = nil
			if idle, err = pool.CountInstructions(&empty); err != nil {
				return "", err
			}
		}
		n, err := pool.CountInstructions(c)
		if err != nil {
			return "", err
		}
		t.instructions = float64(n - idle)
		s, v := follow(t.report, t.advice, part)
		r, err := s.Run(v, &scenario.Options{Schema: opener(t.file), Price: t.price})
		if err != nil {
			return "", err
		}
		t.predicted = *r.Instructions
		fmt.Fprintf(stdout, "%s, %s: %s instructions, predicted %s\n", t.scenario, t.title, table.Integer(n-idle), table.Integer(int64(t.predicted)))
	}
	return pool.Version, nil
}

// inQuiet does something while the command for that runs.
func (o *options) inQuiet(f func() error) error {
	words := strings.Fields(o.quiet)
	if len(words) == 0 {
		return f()
	}
	cmd := exec.Command(words[0], words[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("--quiet: %w", err)
	}
	time.Sleep(quietAfter)
	return errors.Join(f(), in.Close(), cmd.Wait())
}

// quietAfter is how long the command has to do its work.
const quietAfter = 150 * time.Millisecond

// difference says in what the real WAL differs from the simulated, "" if in nothing.
func (t *trial) difference() string {
	var list []string
	relations := map[string]bool{}
	for name := range t.wal {
		relations[name] = true
	}
	for name := range t.want.WAL {
		relations[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(relations)) {
		if i := slices.IndexFunc(t.want.Estimates, func(e cost.Estimated) bool { return e.Index == name }); i >= 0 {
			e := &t.want.Estimates[i]
			real := t.of(name)
			if off := math.Abs(float64(e.WALBytes)/float64(real) - 1); off > float64(e.WALError) {
				list = append(list, fmt.Sprintf("%s: %d bytes, estimated %d, which is off by %.1f %%, more than its error", name, real, e.WALBytes, 100*off))
			}
			continue
		}
		kinds := map[string]bool{}
		for k := range t.wal[name] {
			kinds[k] = true
		}
		for k := range t.want.WAL[name] {
			kinds[k] = true
		}
		for _, k := range slices.Sorted(maps.Keys(kinds)) {
			if k == clogPage {
				continue
			}
			if real, want := t.wal[name][k], t.want.WAL[name][k]; real != want {
				list = append(list, fmt.Sprintf("%s %s: %d records, %d bytes, predicted %d, %d", name, k, real.Records, real.Bytes, want.Records, want.Bytes))
			}
		}
	}
	return strings.Join(list, "; ")
}

// of is what the real subscriber wrote of a relation.
func (t *trial) of(name string) int64 {
	return total(map[string]map[string]scenario.Count{name: t.wal[name]})
}

// clogPage is the record of a new page for the states of 32,768 transactions, 34 bytes.
const clogPage = "CLOG/ZEROPAGE"

func total(records map[string]map[string]scenario.Count) (sum int64) {
	for _, kinds := range records {
		for _, c := range kinds {
			sum += c.Bytes
		}
	}
	return sum
}

// written puts the WAL that was saved beside what was predicted.
func written(trials []*trial, version string) (t *table.Table, same bool) {
	same = true
	t = &table.Table{Title: "WAL of a real subscriber, PostgreSQL " + version + ", all of it compared by relation and record type", Columns: []table.Column{
		{Name: "scenario"}, {Name: "advice"}, {Name: "WAL, bytes", Right: true}, {Name: "saved", Right: true}, {Name: "predicted", Right: true}, {Name: "records"},
	}}
	var base *trial
	for _, x := range trials {
		if x.rank == 0 {
			base = x
		}
		verdict := "all as predicted"
		if len(x.want.Estimates) > 0 {
			verdict = "as predicted; indexes that are estimates within their errors"
		}
		if d := x.difference(); d != "" {
			verdict, same = "differ: "+d, false
		}
		row := []any{x.scenario, fmt.Sprintf("%d. %s", x.rank, x.title), total(x.wal), total(base.wal) - total(x.wal), base.want.WALBytes - x.want.WALBytes, verdict}
		if x.rank == 0 {
			row[1], row[3], row[4] = x.title, nil, nil
		}
		t.Add(row...)
	}
	return t, same
}

// used puts the CPU seconds that were saved beside those that were predicted.
func used(trials []*trial, version string) (t *table.Table, same bool) {
	var real, want float64
	for _, x := range trials {
		if x.rank == 0 {
			real += slices.Min(x.cpu)
			want += *x.want.CPUS
		}
	}
	speed := real / want
	t = &table.Table{
		Title: fmt.Sprintf("CPU of a real apply worker, PostgreSQL %s, the least of %d; predictions times %.3f: this machine's seconds to the profile's, of all runs without advice", version, len(trials[0].cpu), speed),
		Columns: []table.Column{
			{Name: "scenario"}, {Name: "advice"}, {Name: "CPU, ms", Right: true, Decimals: 1}, {Name: "predicted", Right: true, Decimals: 1}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
			{Name: "saved, ms", Right: true, Decimals: 1}, {Name: "predicted", Right: true, Decimals: 1}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
		},
	}
	var base *trial
	for _, x := range trials {
		if x.rank == 0 {
			base = x
		}
		got, want := slices.Min(x.cpu), *x.want.CPUS*speed
		row := []any{x.scenario, fmt.Sprintf("%d. %s", x.rank, x.title), 1e3 * got, 1e3 * want, 100 * (want/got - 1), nil, nil, nil}
		if x.rank == 0 {
			row[1] = x.title
		} else {
			s, p := slices.Min(base.cpu)-got, *base.want.CPUS*speed-want
			row[5], row[6], row[7] = 1e3*s, 1e3*p, 100*(p/s-1)
		}
		t.Add(row...)
	}
	return t, true
}

// executed puts the instructions that were saved beside those that were predicted.
func executed(trials []*trial, version string) (t *table.Table, same bool) {
	t = &table.Table{
		Title: fmt.Sprintf("Instructions of a real apply worker, PostgreSQL %s, in a fifth of each scenario's time, less those of a worker that applies nothing", version),
		Columns: []table.Column{
			{Name: "scenario"}, {Name: "advice"}, {Name: "instructions", Right: true}, {Name: "predicted", Right: true}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
			{Name: "saved", Right: true}, {Name: "predicted", Right: true}, {Name: "error", Right: true, Decimals: 1, Unit: " %", Signed: true},
		},
	}
	var base *trial
	for _, x := range trials {
		row := []any{x.scenario, fmt.Sprintf("%d. %s", x.rank, x.title), int64(x.instructions), int64(x.predicted), 100 * (x.predicted/x.instructions - 1), nil, nil, nil}
		if x.rank == 0 {
			base = x
			row[1] = x.title
		} else {
			saved, predicted := base.instructions-x.instructions, base.predicted-x.predicted
			row[5], row[6], row[7] = int64(saved), int64(predicted), 100*(predicted/saved-1)
		}
		t.Add(row...)
	}
	return t, true
}
