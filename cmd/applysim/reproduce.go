package main

import (
	"fmt"
	"io"
	"strings"

	"applysim/experiments/published"
	"applysim/experiments/table"
)

var reproduceFormats = []string{"text", "json", "markdown", "csv"}

// reproduce prints the published figures beside the simulated ones.
func reproduce(env environment, args []string) error {
	f := newFlags("reproduce")
	format := formatFlag(f, reproduceFormats...)
	o := published.DefaultOptions()
	f.Uint64Var(&o.Seed, "seed", o.Seed, "seed `N` of the workload's rows and of its clients' turns")
	helped, err := parse(env, f, args, help{
		usage: "applysim [reproduce] [FLAGS]",
		text: `
Generates the published insert workload (500,000 rows in transactions of 25),
applies it to a simulated subscriber with the primary key only and with four
more indexes, and prints the WAL that was published beside the simulated.
Exit code 1 if an error is beyond its limit.`,
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
	r, err := published.Run(o)
	if err != nil {
		return err
	}
	if err := printPublished(env.stdout, *format, r); err != nil {
		return err
	}
	if r.Over() {
		return errNo
	}
	return nil
}

func printPublished(w io.Writer, format string, r *published.Report) error {
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
	if err := print(breakdown(r), w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, a := range r.Assumptions {
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

// publishedCSV has one row for each figure and one for each part of it.
func publishedCSV(r *published.Report) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "run"}, {Name: "relation"}, {Name: "clients"}, {Name: "measured"}, {Name: "simulated"},
		{Name: "error_percent"}, {Name: "limit_percent"}, {Name: "kind"}, {Name: "measured_by"},
	}}
	for _, l := range r.Lines {
		t.Add(l.Name, "total", l.Clients, l.Measured, l.Simulated, l.ErrorPercent, l.LimitPercent, string(l.Kind), l.Source)
		for _, p := range l.Parts {
			t.Add(l.Name, p.Name, l.Clients, nil, p.Bytes, nil, nil, nil, nil)
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
