package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"applysim/experiments/published"
	"applysim/experiments/table"
	"applysim/model/cost"
)

var reproduceFormats = []string{"text", "json", "markdown", "csv"}

// reproduction is everything that reproduce prints.
type reproduction struct {
	*published.Report
	Profile   string               `json:"profile"`
	Figures   []published.Figure   `json:"figures"`
	IndexSets []published.IndexSet `json:"index_sets"`
	HOT       []published.HOTLine  `json:"hot"`
	// Readers are what other readers of the slot give, null where the profile has no publisher.
	Readers     []published.ReaderLine `json:"decode_only_readers"`
	Conclusions []string               `json:"conclusions"`

	cpu *published.Simulation
}

// reproduce prints the published figures beside the simulated ones.
func reproduce(env environment, args []string) error {
	f := newFlags("reproduce")
	format := formatFlag(f, reproduceFormats...)
	o := published.DefaultOptions()
	f.IntVar(&o.Rows, "rows", o.Rows, "number `N` of rows of each insert run; times are scaled to the published number")
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the workload's rows and of its clients' turns")
	file := f.String("published", "", "`FILE` of published figures in place of the program's own; no simulated figure\ndepends on it")
	profileName := f.String("profile", publishedProfile, "machine whose CPU seconds are shown: `NAME` of a profile ("+strings.Join(cost.ProfileNames(), ", ")+")\nor a file that calibrate has written")
	helped, err := parse(env, f, args, help{
		usage: "applysim [reproduce] [FLAGS]",
		text: `
Generates the published workloads (500,000 rows by 8 clients, in text and binary,
with the primary key only and with four more indexes; updates by REPLICA
IDENTITY FULL with and without an index), applies them to simulated subscribers
and prints every published figure beside the simulated one: WAL, CPU and how
long the subscriber takes to catch up. Then: what other sets of four indexes
give, HOT updates by indexes and fillfactor, and what follows from all that.
A figure's kind says how far it can be trusted: "predicted" figures depend on no
published one; "solved" ones were used to make the profile.
Exit code 1 if the error of a WAL figure is beyond its limit.`,
		example: `  $ applysim reproduce --format markdown
`,
	})
	if helped || err != nil {
		return err
	}
	if f.NArg() > 0 {
		return hint(f, "unexpected argument %q", f.Arg(0))
	}
	if err := checkFormat(f, *format, reproduceFormats...); err != nil {
		return err
	}
	var text []byte
	if *file != "" {
		if text, err = os.ReadFile(*file); err != nil {
			return err
		}
	}
	profile, err := readProfile(*profileName)
	if err != nil {
		return err
	}
	r, err := reproduceAll(env, o, profile, text)
	if err != nil {
		if *file != "" {
			err = fmt.Errorf("%s: %w", *file, err)
		}
		return err
	}
	if err := printPublished(env.stdout, *format, r); err != nil {
		return err
	}
	// The limits are those of the published number of rows.
	if o.Rows == published.DefaultOptions().Rows && r.Over() {
		return errNo
	}
	return nil
}

// publishedProfile is the profile of the machine that the source measured on.
const publishedProfile = "apple-m1-pro"

// reproduceAll does all runs.
func reproduceAll(env environment, o published.Options, profile *cost.Profile, text []byte) (*reproduction, error) {
	p := newProgress(env.stderr, 4)
	defer p.end()
	r := &reproduction{Profile: profile.Name}
	var err error
	if r.Report, err = published.Run(o); err != nil {
		return nil, err
	}
	p.step("WAL")
	if r.cpu, err = published.Simulate(o, profile); err != nil {
		return nil, err
	}
	if r.Figures, err = r.cpu.Figures(text, o.Rows); err != nil {
		return nil, err
	}
	if profile.Publisher != nil {
		if r.Readers, err = r.cpu.Readers(o.Rows); err != nil {
			return nil, err
		}
	}
	p.step("CPU")
	if r.IndexSets, err = published.IndexSets(o, profile); err != nil {
		return nil, err
	}
	p.step("other indexes")
	measuredOn, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return nil, err
	}
	if r.HOT, err = published.HOT(o, measuredOn); err != nil {
		return nil, err
	}
	p.step("HOT updates")
	r.Conclusions = append(r.cpu.Conclusions(o), published.HOTConclusion(r.HOT))
	return r, nil
}

func printPublished(w io.Writer, format string, r *reproduction) error {
	switch format {
	case "json":
		return printJSON(w, r)
	case "csv":
		return publishedCSV(r).CSV(w)
	}
	title := fmt.Sprintf("WAL that the subscriber writes for %s inserts, bytes (seed %d)", table.Integer(int64(r.Rows)), r.Seed)
	figures := &table.Table{Title: title, Columns: []table.Column{
		{Name: "run"}, {Name: "clients", Right: true}, {Name: "measured", Right: true}, {Name: "simulated", Right: true},
		{Name: "error", Right: true, Signed: true, Decimals: 3, Unit: " %"}, {Name: "limit", Right: true, Decimals: 1, Unit: " %"},
		{Name: "kind"}, {Name: "measured by"},
	}}
	for i, l := range r.Lines {
		if i > 0 && (l.LimitPercent == 0) != (r.Lines[i-1].LimitPercent == 0) {
			figures.Rule()
		}
		var limit any
		if l.LimitPercent > 0 {
			limit = l.LimitPercent
		}
		kind := string(l.Kind)
		if l.Over() {
			kind += ", OVER THE LIMIT"
		}
		figures.Add(l.Name, l.Clients, l.Measured, l.Simulated, l.ErrorPercent, limit, kind, l.Source)
	}
	print := (*table.Table).Text
	bullet := ""
	if format == "markdown" {
		print, bullet = (*table.Table).Markdown, "- "
	}
	if err := print(figures, w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := print(breakdown(r.Report), w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, t := range []*table.Table{figuresTable(r), readersTable(r), cpuOfRuns(r), indexSetsTable(r), hotTable(r)} {
		if t == nil {
			continue
		}
		if err := print(t, w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, a := range r.Conclusions {
		if format == "text" {
			a = wrap(a, 100)
		}
		fmt.Fprintf(w, "%s%s\n", bullet, a)
	}
	fmt.Fprintln(w)
	for _, a := range append(append([]string{}, r.Assumptions...), cpuAssumptions(r)...) {
		if format == "text" {
			a = wrap(a, 100)
		}
		fmt.Fprintf(w, "%s%s\n", bullet, a)
	}
	return nil
}

// breakdown shows where the bytes of the judged runs come from. The last of
// them has every relation.
func breakdown(r *published.Report) *table.Table {
	t := &table.Table{Title: "Where the simulated bytes come from", Columns: []table.Column{{Name: "relation"}}}
	var judged []published.Line
	for _, l := range r.Lines {
		if l.LimitPercent > 0 {
			judged = append(judged, l)
			t.Columns = append(t.Columns, table.Column{Name: l.Name, Right: true})
		}
	}
	total := []any{"total"}
	for _, l := range judged {
		total = append(total, l.Simulated)
	}
	for _, p := range judged[len(judged)-1].Parts {
		row := []any{p.Name}
		for _, l := range judged {
			var cell any
			for _, q := range l.Parts {
				if q.Name == p.Name {
					cell = q.Bytes
				}
			}
			row = append(row, cell)
		}
		t.Add(row...)
	}
	t.Rule()
	t.Add(total...)
	return t
}

// publishedCSV has one row for each figure of every table.
func publishedCSV(r *reproduction) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "table"}, {Name: "scenario"}, {Name: "figure"}, {Name: "published_or_measured"}, {Name: "simulated"}, {Name: "unit"},
		{Name: "error_percent"}, {Name: "limit_percent"}, {Name: "kind"}, {Name: "note"},
	}}
	for _, l := range r.Lines {
		scenario := fmt.Sprintf("%s, %d clients", l.Name, l.Clients)
		t.Add("wal", scenario, "total", l.Measured, l.Simulated, "bytes", l.ErrorPercent, l.LimitPercent, string(l.Kind), l.Source)
		for _, p := range l.Parts {
			t.Add("wal", scenario, p.Name, nil, p.Bytes, "bytes", nil, nil, string(l.Kind), nil)
		}
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		var simulated, e any
		if f.Simulated != nil {
			simulated = *f.Simulated
		}
		if v, ok := f.Error(); ok {
			e = 100 * v
		}
		t.Add("figures", f.Scenario, f.Figure, f.Published, simulated, f.Unit, e, nil, string(f.Kind), f.Note)
	}
	for _, run := range runsWithCPU(r) {
		for _, x := range run.cost.CPU.Terms {
			t.Add("cpu", run.name, x.Name, nil, x.Seconds*1e6/float64(r.Rows), "us/row", nil, nil, string(x.Kind), r.Profile)
		}
	}
	for _, x := range r.Readers {
		t.Add("readers", x.Reader, "publisher_cpu", nil, x.Publisher, "s", 100*x.Error, nil, string(cost.Predicted), r.Profile)
		for i, v := range []*float64{x.During, &x.After, x.Confirmed} {
			if v != nil {
				t.Add("readers", x.Reader, []string{"drain_during", "drain_after", "drain_confirmed"}[i], nil, *v, "s", nil, nil, string(cost.Predicted), r.Profile)
			}
		}
	}
	for _, x := range r.IndexSets {
		t.Add("index_sets", x.Indexes, "subscriber_wal", nil, x.WAL, "bytes", nil, nil, string(cost.Predicted), nil)
		t.Add("index_sets", x.Indexes, "subscriber_cpu", nil, x.CPU, "s", nil, nil, string(cost.Predicted), r.Profile)
	}
	for _, l := range r.HOT {
		scenario := fmt.Sprintf("%s, %d rows, %d updates, fillfactor %d", l.Indexes, l.Rows, l.Updates, l.Fillfactor)
		t.Add("hot", scenario, "hot_share", nil, l.HOTShare, "", nil, nil, string(cost.Exact), nil)
		for _, x := range []struct {
			name                string
			measured, simulated float64
			unit                string
			kind                cost.Kind
		}{{"wal_a_change", l.MeasuredWAL, l.WAL, "bytes", cost.Exact}, {"cpu_a_change", l.MeasuredCPU, l.CPU, "us", cost.Calibrated}} {
			var measured, e any
			if x.measured > 0 {
				measured, e = x.measured, 100*(x.simulated/x.measured-1)
			}
			t.Add("hot", scenario, x.name, measured, x.simulated, x.unit, e, nil, string(x.kind), cost.DefaultProfile)
		}
	}
	return t
}

// wrap breaks a line at spaces so that none is longer than width; what follows
// the first is indented.
func wrap(s string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = "   " + word
			continue
		}
		line = strings.TrimLeft(line+" "+word, " ")
		if len(lines) > 0 {
			line = "   " + line
		}
	}
	return strings.Join(append(lines, line), "\n")
}
