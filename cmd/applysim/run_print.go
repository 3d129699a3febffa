package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"applysim/experiments/table"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/wal/storage"
)

// printRun prints what one variant comes to.
func printRun(w io.Writer, format string, r *scenario.Report, ends *pipeline.Ends) error {
	switch format {
	case "json":
		return printJSON(w, reportWithEnds{r, ends})
	case "csv":
		return runWALTable(r.Variants[0], false).CSV(w)
	}
	v := r.Variants[0]
	parts := []*table.Table{summaryTable(r), runWALTable(v, true), runTablesTable(v)}
	if len(v.Marginal) > 0 {
		parts = append(parts, marginalTable(v))
	}
	if v.CPU != nil {
		parts = append(parts, runCPUTable(v))
	}
	if ends != nil {
		parts = append(parts, endsTable(ends))
	}
	if len(v.Checkpoints)+len(v.Vacuums) > 0 {
		parts = append(parts, besideTable(v))
	}
	if len(r.Verdicts) > 0 {
		parts = append(parts, budgetTable(r))
	}
	lines := notHOTLines(v)
	if v.CPU != nil {
		lines = append(lines, profileLine(v))
	}
	return printParts(w, format, parts, append(lines, assumptionLines(r)...))
}

// printParts prints tables and lines as text or Markdown.
func printParts(w io.Writer, format string, parts []*table.Table, lines []string) error {
	for _, t := range parts {
		show := t.Text
		if format == "markdown" {
			show = t.Markdown
		}
		if err := show(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, line := range lines {
		if format == "markdown" {
			line = "- " + line
		}
		fmt.Fprintln(w, line)
	}
	return nil
}

// number shows a figure; a missing one is named.
func number(f *scenario.Figure, r *scenario.Result) string {
	v := f.Value(r)
	switch {
	case v == nil && f.Kind == "capacity" && r.Capacity != nil:
		return "never"
	case v == nil && (f.Kind == "cpu_s" || f.Kind == "capacity"):
		return "no profile"
	case v == nil:
		return "-"
	}
	c := table.Table{Columns: []table.Column{{Name: "x", Decimals: f.Decimals, Unit: f.Unit}}}
	c.Add(*v)
	var b strings.Builder
	c.Text(&b)
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// exactNumber is a figure for machines: a whole one without an exponent.
func exactNumber(v *float64) any {
	if v != nil && *v == math.Trunc(*v) && math.Abs(*v) < 1<<53 {
		return int64(*v)
	}
	return optional(v)
}

func summaryTable(r *scenario.Report) *table.Table {
	v := r.Variants[0]
	name := ""
	if v.Name != "base" {
		name = ", variant " + v.Name
	}
	t := &table.Table{
		Title:   fmt.Sprintf("%s%s (seed %d): %s in %s, %s", r.Scenario, name, r.Seed, count(v.Changes, "change"), count(v.Transactions, "transaction"), duration(v.DurationS)),
		Columns: []table.Column{{Name: "figure"}, {Name: "value", Right: true}, {Name: "kind"}},
	}
	for _, f := range scenario.Figures() {
		t.Add(f.Name, number(&f, v), string(r.Kinds[f.Kind]))
	}
	return t
}

// duration shows a time in the units that fit.
func duration(s float64) string {
	switch {
	case s >= 2*3600:
		return fmt.Sprintf("%.1f h", s/3600)
	case s >= 120:
		return fmt.Sprintf("%.1f min", s/60)
	}
	return fmt.Sprintf("%.1f s", s)
}

// runWALTable counts records by relation and type.
func runWALTable(v *scenario.Result, forReading bool) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "relation"}, {Name: "record type", CSV: "record_type"}, {Name: "count", Right: true}, {Name: "bytes", Right: true},
		{Name: "of them images", CSV: "fpi_bytes", Right: true},
	}}
	if forReading {
		t.Columns = append(t.Columns, table.Column{Name: "share", Right: true, Decimals: 1, Unit: " %"})
	}
	add := func(name, kind string, c scenario.Count) {
		row := []any{name, kind, c.Records, c.Bytes, c.FPIBytes}
		if forReading && v.WALBytes > 0 {
			row = append(row, 100*float64(c.Bytes)/float64(v.WALBytes))
		} else if forReading {
			row = append(row, nil)
		}
		t.Add(row...)
	}
	for _, name := range v.Relations() {
		shown := name
		for _, kind := range v.Types(name) {
			add(shown, kind, v.WAL[name][kind])
			if forReading {
				shown = ""
			}
		}
	}
	if forReading {
		t.Rule()
		add("total", "", scenario.Count{Records: v.WALRecords, Bytes: v.WALBytes, FPIBytes: v.FPIBytes})
	}
	return t
}

// runTablesTable shows tables and indexes.
func runTablesTable(v *scenario.Result) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "table, index"}, {Name: "WAL, bytes", Right: true}, {Name: "instructions", Right: true}, {Name: "CPU, s", Right: true, Decimals: 3},
		{Name: "HOT", Right: true, Decimals: 1, Unit: " %"}, {Name: "rows", Right: true}, {Name: "dead", Right: true},
		{Name: "pages before", Right: true}, {Name: "pages", Right: true}, {Name: "kB", Right: true}, {Name: "leaf density", Right: true, Decimals: 1, Unit: " %"},
	}}
	for _, x := range v.Tables {
		hot := any(nil)
		if x.HOTShare != nil {
			hot = 100 * *x.HOTShare
		}
		t.Add(x.Name, x.WALBytes, rounded(x.Instructions), optional(x.CPUS), hot, x.Rows, x.Dead, x.PagesBefore, x.Pages, x.Pages*storage.PageSize/1024, nil)
		for _, e := range x.Indexes {
			t.Add("  "+e.Name+estimated(e), e.WALBytes, rounded(e.Instructions), optional(e.CPUS), nil, nil, nil, e.PagesBefore, e.Pages, e.Pages*storage.PageSize/1024, optional(e.Density))
		}
	}
	return t
}

// estimated marks an index whose figures are estimates.
func estimated(x *scenario.IndexResult) string {
	if x.Estimate {
		return " (estimate)"
	}
	return ""
}

// estimateLines say how far the estimates of indexes may be off.
func estimateLines(variants []*scenario.Result) []string {
	var lines []string
	for _, v := range variants {
		for i := range v.Estimates {
			if line := "estimate: " + v.Estimates[i].String(); !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

func optional(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

// rounded is a number of instructions for reading.
func rounded(f *float64) any {
	if f == nil {
		return nil
	}
	return int64(*f)
}

// marginalTable shows what each index costs.
func marginalTable(v *scenario.Result) *table.Table {
	t := &table.Table{Title: "What each index costs: this run less a run without it", Columns: []table.Column{
		{Name: "index"}, {Name: "WAL, bytes", Right: true}, {Name: "of all", Right: true, Decimals: 1, Unit: " %"}, {Name: "instructions", Right: true},
		{Name: "CPU, s", Right: true, Decimals: 3}, {Name: "HOT updates", Right: true, Signed: true}, {Name: "pages", Right: true}, {Name: ""},
	}}
	for _, m := range v.Marginal {
		if m.Reason != "" {
			t.Add(m.Index, nil, nil, nil, nil, nil, nil, "not simulated: "+m.Reason)
			continue
		}
		t.Add(m.Index, m.WALBytes, 100*float64(m.WALBytes)/float64(max(v.WALBytes, 1)), rounded(m.Instructions), optional(m.CPUS), m.HOTUpdates, m.Pages, nil)
	}
	return t
}

// cpuTerms is how many parts of the CPU are shown.
const cpuTerms = cpuShown

func runCPUTable(v *scenario.Result) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "the apply worker's CPU"}, {Name: "instructions", Right: true}, {Name: "share", Right: true, Decimals: 1, Unit: " %"}, {Name: "s", Right: true, Decimals: 4}, {Name: "kind"},
	}}
	share := func(s float64) any {
		if *v.CPU.Seconds == 0 {
			return nil
		}
		return 100 * s / *v.CPU.Seconds
	}
	var rest, instructions float64
	for i, x := range v.CPU.Terms {
		if i >= cpuTerms {
			rest += *x.Seconds
			instructions += x.Instructions
			continue
		}
		t.Add(x.Name, int64(x.Instructions), share(*x.Seconds), *x.Seconds, string(x.Kind))
	}
	if rest > 0 {
		t.Add(fmt.Sprintf("%d others", len(v.CPU.Terms)-cpuTerms), int64(instructions), share(rest), rest, nil)
	}
	t.Rule()
	t.Add("total", int64(v.CPU.Instructions), share(*v.CPU.Seconds), *v.CPU.Seconds, nil)
	return t
}

// besideLimit is how many checkpoints and VACUUMs are shown.
const besideLimit = 12

// besideTable lists checkpoints and VACUUMs by time.
func besideTable(v *scenario.Result) *table.Table {
	type row struct {
		at    float64
		cells []any
	}
	var rows []row
	for _, c := range v.Checkpoints {
		rows = append(rows, row{c.Seconds, []any{"checkpoint", string(c.Cause), nil, nil, nil}})
	}
	for _, x := range v.Vacuums {
		n := x.Dead
		if x.Cause == "inserted rows" {
			n = x.Inserted
		}
		rows = append(rows, row{x.Seconds, []any{"VACUUM " + x.Table, x.Cause, n, x.WALBytes, x.Takes}})
	}
	slices.SortStableFunc(rows, func(a, b row) int {
		switch {
		case a.at < b.at:
			return -1
		case a.at > b.at:
			return 1
		}
		return 0
	})
	t := &table.Table{Columns: []table.Column{
		{Name: "at, s", Right: true, Decimals: 1}, {Name: "beside the apply worker"}, {Name: "cause"}, {Name: "rows", Right: true}, {Name: "WAL, bytes", Right: true}, {Name: "takes, s", Right: true, Decimals: 2},
	}}
	for i, r := range rows {
		if i == besideLimit && len(rows) > besideLimit+1 {
			t.Add(nil, fmt.Sprintf("and %d more", len(rows)-i), nil, nil, nil, nil)
			break
		}
		t.Add(append([]any{r.at}, r.cells...)...)
	}
	return t
}

// notHOTLines say why updates were not HOT.
func notHOTLines(v *scenario.Result) []string {
	var lines []string
	for _, t := range v.Tables {
		var reasons, indexes []string
		for _, x := range []struct {
			n    int64
			text string
		}{{t.NotHOT.Changed, "changed an indexed column"}, {t.NotHOT.NoRoom, "found no room on the page"}, {t.NotHOT.Both, "both"}} {
			if x.n > 0 {
				reasons = append(reasons, table.Integer(x.n)+" "+x.text)
			}
		}
		for _, x := range t.Indexes {
			if x.Prevented > 0 {
				indexes = append(indexes, x.Name+" "+table.Integer(x.Prevented))
			}
		}
		if len(reasons) == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %s of %s HOT; of the others %s", t.Name, table.Integer(t.HOTUpdates), count(t.Updates, "update"), strings.Join(reasons, ", "))
		if len(indexes) > 0 {
			line += " (" + strings.Join(indexes, ", ") + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// profileLine says whose CPU that is.
func profileLine(v *scenario.Result) string {
	return fmt.Sprintf("profile %s: median error %.1f %% on scenarios left out; WAL writer about %.3f s of CPU beside the worker", v.CPU.Profile, 100*v.CPU.ProfileError, v.CPU.WALWriterS)
}

// assumptionLines list what a report rests on.
func assumptionLines(r *scenario.Report) []string {
	lines := estimateLines(r.Variants)
	for _, text := range r.Assumptions {
		lines = append(lines, "assumed: "+text)
	}
	for _, text := range r.Warnings {
		lines = append(lines, "warning: "+text)
	}
	return lines
}
