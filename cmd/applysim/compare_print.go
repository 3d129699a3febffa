package main

import (
	"fmt"
	"io"

	"applysim/experiments/table"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// printCompare prints variants as columns, with ratios to the first.
func printCompare(w io.Writer, format string, r *scenario.Report, ends *pipeline.Ends) error {
	switch format {
	case "json":
		return printJSON(w, reportWithEnds{r, ends})
	case "csv":
		return compareCSV(r).CSV(w)
	}
	parts := []*table.Table{compareTable(r), compareRelations(r)}
	if ends != nil { // the publisher's is the same for all
		parts = append(parts, endsTable(ends))
	}
	for _, v := range r.Variants {
		if len(v.Marginal) > 0 {
			t := marginalTable(v)
			t.Title = v.Name + ": " + t.Title
			parts = append(parts, t)
		}
	}
	if len(r.Verdicts) > 0 {
		parts = append(parts, budgetTable(r))
	}
	var lines []string
	for _, v := range r.Variants {
		for _, line := range notHOTLines(v) {
			lines = append(lines, v.Name+": "+line)
		}
	}
	return printParts(w, format, parts, append(lines, assumptionLines(r)...))
}

// compareColumns are a column for each variant, and one for its ratio to the first.
func compareColumns(r *scenario.Report, first string) []table.Column {
	columns := []table.Column{{Name: first}}
	for i, v := range r.Variants {
		columns = append(columns, table.Column{Name: v.Name, Right: true})
		if i > 0 {
			columns = append(columns, table.Column{Name: "ratio", Right: true})
		}
	}
	return columns
}

func ratioText(v, first *float64) string {
	if v == nil || first == nil || *first == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", *v / *first)
}

func compareTable(r *scenario.Report) *table.Table {
	t := &table.Table{Title: fmt.Sprintf("%s (seed %d)", r.Scenario, r.Seed), Columns: append(compareColumns(r, "figure"), table.Column{Name: "kind"})}
	for _, f := range scenario.Figures() {
		row := []any{f.Name}
		for i, v := range r.Variants {
			row = append(row, number(&f, v))
			if i > 0 {
				row = append(row, ratioText(f.Value(v), f.Value(r.Variants[0])))
			}
		}
		t.Add(append(row, string(r.Kinds[f.Kind]))...)
	}
	return t
}

// compareRelations shows the WAL of each relation.
func compareRelations(r *scenario.Report) *table.Table {
	t := &table.Table{Columns: compareColumns(r, "WAL by relation, bytes")}
	var names []string
	seen := map[string]bool{}
	for _, v := range r.Variants {
		for _, name := range v.Relations() {
			if !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	for _, name := range names {
		row := []any{name}
		var first *float64
		for i, v := range r.Variants {
			var sum *float64
			var cell any
			if types := v.WAL[name]; types != nil {
				n := int64(0)
				for _, c := range types {
					n += c.Bytes
				}
				f := float64(n)
				sum, cell = &f, n
			}
			row = append(row, cell)
			if i == 0 {
				first = sum
			} else {
				row = append(row, ratioText(sum, first))
			}
		}
		t.Add(row...)
	}
	return t
}

// compareCSV has one row for each figure of each variant.
func compareCSV(r *scenario.Report) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "variant"}, {Name: "figure"}, {Name: "value"}, {Name: "ratio"}, {Name: "kind"}}}
	for _, v := range r.Variants {
		for _, f := range scenario.Figures() {
			value := f.Value(v)
			t.Add(v.Name, f.Name, exactNumber(value), ratioText(value, f.Value(r.Variants[0])), string(r.Kinds[f.Kind]))
		}
	}
	return t
}
