package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/table"
	"applysim/model/advise"
	"applysim/model/observed"
	"applysim/model/pipeline"
	htmlreport "applysim/model/report"
	"applysim/model/scenario"
	"applysim/model/schema"
)

var adviseHelp = help{
	usage: "applysim advise SCENARIO.toml [FLAGS]",
	text: `
Says what to change about a subscriber, ranked by what it saves: indexes that no
constraint needs dropped, made narrower, partial or BRIN; fillfactor; replica
identities, and indexes where REPLICA IDENTITY FULL has the worker scan; binary
values, fewer columns, keys that ascend with time; checkpoints further apart,
compressed images; autovacuum. Each candidate is a run of the scenario's
workload, so what does not save anything there is not advice; where that is too much,
candidates run on their tables alone first, and the best of them on the whole. With each come
the statements that do it, its side effects and what cannot be known from a
schema and a workload. Tables whose updates cannot be replicated at all come
first. With --goal pieces of advice are combined, always the one that brings the
run nearest to the goals, until they are met. Where the scenario has [publisher] or
[[subscription]], changes of the way there are tried in time, too: streaming, batches
split, several subscriptions, row filters (updates that cross them come as inserts
and deletes; what they move to the publisher is told), a limit of what slots keep. Exit code 1 when a goal is not
met, when replication would stop, or when the scenario changes rows of tables
that cannot replicate it.`,
	example: `  $ applysim advise orders.toml
  $ applysim advise orders.toml --goal "rate 5000/s" --goal "wal 400B"
  $ applysim advise orders.toml --format json | jq -r '.advice[0].ddl'
`,
}

type adviseOptions struct {
	runOptions
	variant, publisher string
	stats              string
	limit, confirm     int
	least              float64
	top                int
	goals              []string
}

// adviseChanges says what to change.
func adviseChanges(env environment, args []string) error {
	f := newFlags("advise")
	o := adviseOptions{runOptions: runOptions{marginal: "off"}}
	f.StringVar(&o.variant, "variant", "", "the subscriber is as the scenario's variant `NAME` has it")
	f.StringVar(&o.publisher, "publisher", "", "`FILE` with the publisher's DDL, if its tables differ from the scenario's")
	f.StringVar(&o.stats, "stats", "", "`FILE` with statistics of the subscriber, as the query of init --query gives them:\nsays which indexes are read")
	f.StringArrayVar(&o.goals, "goal", nil, "combine advice until a `GOAL` is met: \"rate 5000/s\" (that one worker sustains),\n\"wal 400B\" and \"cpu 30us\" (a change), \"wal-rate 2MB/s\", \"hot 90%\", \"load 50%\",\n\"lag 5s\", \"catch-up 10min\", \"size 1GB\"; may be given more than once")
	f.IntVar(&o.top, "top", 10, "show the best `N` pieces of advice (JSON and CSV have all)")
	f.IntVar(&o.limit, "limit", advise.DefaultLimit, "try at most `N` candidates, those with most to do with the costs first")
	f.IntVar(&o.confirm, "confirm", advise.DefaultConfirm, "run the best `N` on the whole workload where it is large; the others on their tables\nalone (small ones are all run on the whole)")
	f.Float64Var(&o.least, "least", 100*advise.DefaultLeast, "leave out what saves less than so many `PERCENT` of the WAL and of the CPU")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	addReport(f, &o.report)
	format := formatFlag(f, replayFormats...)
	if helped, err := parse(env, f, args, adviseHelp); helped || err != nil {
		return err
	}
	o.format = *format
	s, options, err := o.read(f)
	if err != nil {
		return err
	}
	progress := &scenario.Progress{}
	options.Progress = progress
	stop := func() {}
	stop = showProgress(env.stderr, progress, s.Size())
	options.Planned = func(changes int64) {
		stop()
		stop = showProgress(env.stderr, progress, progress.Done.Load()+changes)
	}
	report, err := advise.Advise(s, options)
	stop()
	if err != nil {
		return err
	}
	ends, ways, err := o.onTheWay(s, report)
	if err != nil {
		return err
	}
	if err := writeReport(o.report, func(w io.Writer) error { return htmlreport.Advice(w, report, ends, ways) }); err != nil {
		return err
	}
	if err := printAdvice(env.stdout, o.format, o.top, report, ends, ways); err != nil {
		return err
	}
	return adviceVerdict(env, report)
}

// read understands the arguments.
func (o *adviseOptions) read(f *pflag.FlagSet) (*scenario.Scenario, *advise.Options, error) {
	switch {
	case o.limit < 1:
		return nil, nil, hint(f, "--limit %d: expected a number from 1 on", o.limit)
	case o.confirm < 1:
		return nil, nil, hint(f, "--confirm %d: expected a number from 1 on", o.confirm)
	case o.top < 1:
		return nil, nil, hint(f, "--top %d: expected a number from 1 on", o.top)
	case !(o.least >= 0 && o.least <= 100):
		return nil, nil, hint(f, "--least %v: expected a number from 0 to 100", o.least)
	}
	options := &advise.Options{Limit: o.limit, Confirm: o.confirm, Least: o.least / 100}
	for _, text := range o.goals {
		g, err := advise.ParseGoal(text)
		if err != nil {
			return nil, nil, hint(f, "--goal: %v", err)
		}
		options.Goals = append(options.Goals, g)
	}
	s, err := o.open(f)
	if err != nil {
		return nil, nil, err
	}
	if o.variant != "" && o.variant != "base" {
		if options.Variant, err = s.Variant(o.variant); err != nil {
			return nil, nil, err
		}
	}
	if o.publisher != "" {
		file, err := os.Open(o.publisher)
		if err != nil {
			return nil, nil, fmt.Errorf("--publisher: %w", err)
		}
		defer file.Close()
		if options.Publisher, err = schema.Read(file, o.publisher); err != nil {
			return nil, nil, err
		}
	}
	if o.stats != "" {
		if err := o.readStats(options); err != nil {
			return nil, nil, err
		}
	}
	runs, err := o.options(s)
	if err != nil {
		return nil, nil, err
	}
	options.Schema, options.Price = runs.Schema, runs.Price
	return s, options, nil
}

// readStats reads what a server says of its indexes, its subscription and its publication.
func (o *adviseOptions) readStats(options *advise.Options) error {
	file, err := os.Open(o.stats)
	if err != nil {
		return fmt.Errorf("--stats: %w", err)
	}
	defer file.Close()
	stats, err := observed.Read(file, o.stats)
	if err != nil {
		return err
	}
	since := ""
	if stats.Since != nil {
		since = stats.Since.UTC().Format("2006-01-02 15:04")
	}
	options.Scans = func(x *schema.Index) (int64, string, bool) {
		n, _, known := stats.Scans(x)
		return n, since, known
	}
	if len(stats.Subscriptions) == 1 {
		options.Subscription = stats.Subscriptions[0].Name
	}
	if len(stats.Publications) == 1 {
		options.Publication = stats.Publications[0].Name
	}
	return nil
}

// adviceVerdict is the answer: no where a goal is not met, or a table cannot replicate what
// the scenario does to it.
func adviceVerdict(env environment, r *advise.Report) error {
	env.stdout.Flush() // the results come before it
	err := stoppedRuns(env, &scenario.Report{Variants: []*scenario.Result{r.Base}})
	for _, p := range r.Problems {
		if p.Met {
			fmt.Fprintf(env.stderr, "applysim: table %s: %s\n", p.Table, p.What)
			err = errNo
		}
	}
	if c := r.Combination; c != nil && !c.Met {
		for _, v := range c.After {
			if !v.OK {
				fmt.Fprintf(env.stderr, "applysim: %s is not met: %s: %s\n", v.Budget, v.Figure, found(&v))
			}
		}
		err = errNo
	}
	return err
}

// found is a verdict's value, or why there is none.
func found(v *scenario.Verdict) string {
	if v.Value == nil {
		return v.Note
	}
	return v.Show(v.Value, &formats)
}

// printAdvice prints a report.
func printAdvice(w io.Writer, format string, top int, r *advise.Report, ends *pipeline.Ends, ways []pipeline.Way) error {
	switch format {
	case "json":
		return printJSON(w, adviceWithEnds{r, ends, ways})
	case "csv":
		return adviceCSV(r).CSV(w)
	}
	markdown := format == "markdown"
	show := func(t *table.Table) error {
		if len(t.Rows) == 0 {
			return nil
		}
		defer fmt.Fprintln(w)
		if markdown {
			return t.Markdown(w)
		}
		return t.Text(w)
	}
	for _, p := range r.Problems {
		printProblem(w, p, markdown)
	}
	if err := show(adviceTable(r, top)); err != nil {
		return err
	}
	for i, x := range r.Advice {
		if i < top {
			printPiece(w, i+1, x, markdown)
		}
	}
	if more := len(r.Advice) - top; more > 0 {
		fmt.Fprintf(w, "%s of advice left out: --top %d shows all\n\n", count(int64(more), "piece"), len(r.Advice))
	}
	if len(r.Advice) == 0 && r.Base.Stopped == nil {
		fmt.Fprintf(w, "Nothing that was tried saves anything.\n\n")
	}
	if r.Combination != nil {
		if err := show(combinationTable(r.Combination)); err != nil {
			return err
		}
		printGoals(w, r.Combination)
	}
	if len(ways) > 0 {
		if err := show(waysTable(ways)); err != nil {
			return err
		}
		printWays(w, ways, markdown)
	}
	if err := show(rejectedTable(r)); err != nil {
		return err
	}
	if ends != nil {
		if err := show(endsTable(ends)); err != nil {
			return err
		}
	}
	var lines []string
	if r.Untried > 0 {
		lines = append(lines, fmt.Sprintf("%s with less to do with the costs left out: --limit tries more", count(int64(r.Untried), "candidate")))
	}
	if r.Screening != nil {
		lines = append(lines, r.Screening.String())
	}
	if r.Base.CPU != nil {
		lines = append(lines, profileLine(r.Base))
	}
	lines = append(lines, assumptionLines(&scenario.Report{Variants: []*scenario.Result{r.Base}, Assumptions: r.Assumptions, Warnings: r.Warnings})...)
	return printParts(w, format, nil, lines)
}

func printProblem(w io.Writer, p *advise.Problem, markdown bool) {
	mark := ""
	if markdown {
		mark = "**"
	}
	fmt.Fprintf(w, "%sCannot replicate: table %s%s: %s\n", mark, p.Table, mark, p.What)
	for _, s := range p.Remedies {
		fmt.Fprintf(w, "  on the %s: %s\n", s.On, s.SQL)
	}
	if p.Assumed != "" {
		fmt.Fprintf(w, "  assumed: %s\n", p.Assumed)
	}
	fmt.Fprintln(w)
}

// percentOf shows a share.
func percentOf(f *float64) any {
	if f == nil {
		return nil
	}
	return 100 * *f
}

func adviceColumns(first string) []table.Column {
	return []table.Column{
		{Name: "", Right: true}, {Name: first}, {Name: "saves WAL, bytes", Right: true}, {Name: "of all", Right: true, Decimals: 1, Unit: " %"},
		{Name: "CPU, s", Right: true, Decimals: 4}, {Name: "of all", Right: true, Decimals: 1, Unit: " %"}, {Name: "lag, s", Right: true, Decimals: 1},
		{Name: "HOT", Right: true, Decimals: 1, Unit: " %"}, {Name: "kB", Right: true},
	}
}

func adviceRow(number any, title string, s *advise.Saves) []any {
	return []any{number, title, s.WALBytes, percentOf(s.WALShare), optional(s.CPUS), percentOf(s.CPUShare), optional(s.LagS), percentOf(s.HOTAfter), s.SizeBytes / 1024}
}

// adviceTable ranks the advice.
func adviceTable(r *advise.Report, top int) *table.Table {
	each := "each line is a run with that change alone"
	if r.Screening != nil {
		each = "each line is that change alone, by a run of the whole workload or of its tables' part"
	}
	name := ""
	if r.Variant != "base" {
		name = ", variant " + r.Variant
	}
	cpu := ""
	if r.Base.CPUS != nil {
		cpu = fmt.Sprintf(" and %.4f s of CPU", *r.Base.CPUS)
	}
	t := &table.Table{
		Title:   fmt.Sprintf("%s%s (seed %d): %s, %s bytes of WAL%s; %s", r.Scenario, name, r.Seed, count(r.Base.Changes, "change"), table.Integer(r.Base.WALBytes), cpu, each),
		Columns: adviceColumns("advice"),
	}
	if r.Screening != nil {
		t.Columns = append(t.Columns, table.Column{Name: "by"})
	}
	for i, x := range r.Advice {
		if i < top {
			row := adviceRow(i+1, x.Title, &x.Saves)
			if r.Screening != nil {
				row = append(row, x.By)
			}
			t.Add(row...)
		}
	}
	return t
}

// printPiece says of a piece of advice how to follow it, and what is to be minded.
func printPiece(w io.Writer, number int, x *advise.Advice, markdown bool) {
	if markdown {
		fmt.Fprintf(w, "**%d. %s**\n\n", number, x.Title)
		fmt.Fprintf(w, "```sql\n%s\n```\n\n", x.DDL)
	} else {
		fmt.Fprintf(w, "%d. %s\n", number, x.Title)
		for line := range strings.SplitSeq(x.DDL, "\n") {
			fmt.Fprintf(w, "     %s\n", line)
		}
	}
	item := func(kind, text string) {
		if markdown {
			fmt.Fprintf(w, "- %s: %s\n", kind, text)
		} else {
			fmt.Fprintf(w, "   %s: %s\n", kind, text)
		}
	}
	if s := &x.Saves; s.HOTBefore != nil && s.HOTAfter != nil && *s.HOTBefore != *s.HOTAfter {
		item("HOT updates", fmt.Sprintf("%.1f %% before, %.1f %% with it", 100**s.HOTBefore, 100**s.HOTAfter))
	}
	for _, text := range x.SideEffects {
		item("side effect", text)
	}
	for _, text := range x.Unknown {
		item("unknown", text)
	}
	if len(x.Instead) > 0 {
		item("instead of", numbers(x.Instead))
	}
	fmt.Fprintln(w)
}

func numbers(list []int) string {
	var texts []string
	for _, n := range list {
		texts = append(texts, fmt.Sprint(n))
	}
	return strings.Join(texts, ", ")
}

// combinationTable shows the steps to the goals.
func combinationTable(c *advise.Combination) *table.Table {
	t := &table.Table{Title: "Combined until the goals are met: what each step saves beside those before it", Columns: adviceColumns("step")}
	for i, s := range c.Steps {
		t.Add(adviceRow(i+1, s.Title, &s.Saves)...)
	}
	t.Rule()
	t.Add(adviceRow(nil, "all", &c.Saves)...)
	return t
}

func printGoals(w io.Writer, c *advise.Combination) {
	for i, v := range c.After {
		verdict := "met"
		if !v.OK {
			verdict = "not met"
		}
		fmt.Fprintf(w, "%s: %s: %s before, %s after: %s\n", v.Budget, v.Figure, found(&c.Before[i]), found(&v), verdict)
	}
	fmt.Fprintln(w)
}

// rejectedTable lists what was tried in vain.
func rejectedTable(r *advise.Report) *table.Table {
	t := &table.Table{Title: "Tried, and no advice", Columns: []table.Column{
		{Name: "change"}, {Name: "WAL, bytes", Right: true}, {Name: "of all", Right: true, Decimals: 1, Unit: " %"}, {Name: "CPU, s", Right: true, Decimals: 4}, {Name: "of all", Right: true, Decimals: 1, Unit: " %"}, {Name: ""},
	}}
	for _, x := range r.Rejected {
		if x.Result == nil {
			t.Add(x.Title, nil, nil, nil, nil, x.Reason)
			continue
		}
		t.Add(x.Title, x.Saves.WALBytes, percentOf(x.Saves.WALShare), optional(x.Saves.CPUS), percentOf(x.Saves.CPUShare), x.Reason)
	}
	return t
}

// adviceCSV has a row for each piece of advice.
func adviceCSV(r *advise.Report) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "rank"}, {Name: "kind"}, {Name: "title"}, {Name: "table"}, {Name: "index"}, {Name: "wal_bytes"}, {Name: "wal_share"}, {Name: "cpu_s"}, {Name: "cpu_share"}, {Name: "lag_s"},
		{Name: "hot_share_before"}, {Name: "hot_share_after"}, {Name: "size_bytes"}, {Name: "ddl"}, {Name: "side_effects"}, {Name: "unknown"}, {Name: "by"},
	}}
	for i, x := range r.Advice {
		s := &x.Saves
		t.Add(i+1, x.Kind, x.Title, x.Table, x.Index, s.WALBytes, optional(s.WALShare), optional(s.CPUS), optional(s.CPUShare), optional(s.LagS),
			optional(s.HOTBefore), optional(s.HOTAfter), s.SizeBytes, x.DDL, strings.Join(x.SideEffects, "; "), strings.Join(x.Unknown, "; "), x.By)
	}
	return t
}
