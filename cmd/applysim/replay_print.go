package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"applysim/experiments/recorded"
	"applysim/experiments/table"
	"applysim/model/apply"
	"applysim/wal"
	"applysim/wal/storage"
)

// printReplay prints the report. CSV has the WAL table only.
func printReplay(w io.Writer, format string, worker *apply.Worker, r *recorded.Report) error {
	switch format {
	case "json":
		return printJSON(w, r)
	case "csv":
		return walTable(worker.Log(), false).CSV(w)
	}
	parts := []*table.Table{walTable(worker.Log(), true)}
	if images := imagesTable(r.Images); images != nil {
		parts = append(parts, images)
	}
	parts = append(parts, tablesTable(worker, r), replayCPUTable(&r.CPU), cpuObjects(&r.CPU))
	lines := endLines(worker, r)
	if format == "markdown" {
		for _, t := range parts {
			if err := t.Markdown(w); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
		for _, line := range lines {
			fmt.Fprintf(w, "- %s\n", line)
		}
		return nil
	}
	for _, t := range parts {
		if err := t.Text(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return nil
}

// walTable counts records by relation and type. For reading, a relation is
// named only once, shares and a total are added, and images have a column only
// if there are any.
func walTable(log *wal.Log, forReading bool) *table.Table {
	total := log.Total()
	images := !forReading || total.FPIBytes > 0
	t := &table.Table{Columns: []table.Column{
		{Name: "relation"}, {Name: "record type", CSV: "record_type"}, {Name: "count", Right: true},
		{Name: "bytes", Right: true},
	}}
	if images {
		t.Columns = append(t.Columns, table.Column{Name: "of them images", CSV: "fpi_bytes", Right: true})
	}
	if forReading {
		t.Columns = append(t.Columns, table.Column{Name: "share", Right: true, Decimals: 1, Unit: " %"})
	}
	add := func(name, kind string, c wal.Count) {
		row := []any{name, kind, c.Records, c.Bytes}
		if images {
			row = append(row, c.FPIBytes)
		}
		if forReading && total.Bytes > 0 {
			row = append(row, 100*float64(c.Bytes)/float64(total.Bytes))
		} else if forReading {
			row = append(row, nil)
		}
		t.Add(row...)
	}
	one := func(rel wal.RelID) {
		name := log.Name(rel)
		for k := range wal.NumRecordTypes {
			c := log.Count(rel, wal.RecordType(k))
			if c.Records == 0 {
				continue
			}
			add(name, wal.RecordType(k).String(), c)
			if forReading {
				name = ""
			}
		}
	}
	for rel := range log.Relations() {
		one(wal.RelID(rel))
	}
	one(wal.NoRelation)
	if forReading {
		t.Rule()
		add("total", "", total)
	}
	return t
}

// tablesTable shows what the run leaves behind.
func tablesTable(w *apply.Worker, r *recorded.Report) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "table, index"}, {Name: "rows", Right: true}, {Name: "dead", Right: true}, {Name: "pages", Right: true},
		{Name: "kB", Right: true}, {Name: "height", Right: true}, {Name: "leaf pages", Right: true},
		{Name: "leaf density", Right: true, Decimals: 1, Unit: " %"},
	}}
	for _, s := range w.Tables() {
		pages := s.Heap.Pages()
		name := s.Schema.QualifiedName()
		t.Add(name, r.Tables[name].Live, r.Tables[name].Dead, pages, pages*storage.PageSize/1024, nil, nil, nil)
		for _, x := range s.Indexes {
			if x.BRIN != nil {
				t.Add("  "+x.Schema.Name, nil, nil, x.BRIN.Pages(), x.BRIN.Pages()*storage.PageSize/1024, nil, nil, nil)
				continue
			}
			if x.Foreign {
				pages := x.AccessMethod.Pages()
				t.Add("  "+x.Schema.Name+" ("+x.Schema.Method+", estimate)", nil, nil, pages, pages*storage.PageSize/1024, nil, nil, nil)
				continue
			}
			stats := x.BTree.Stats()
			var density any
			if stats.LeafPages > 0 {
				density = stats.AvgLeafDensity
			}
			t.Add("  "+x.Schema.Name, nil, nil, x.BTree.Pages(), x.BTree.Pages()*storage.PageSize/1024,
				stats.TreeLevel, stats.LeafPages, density)
		}
	}
	return t
}

// endLines sums up the run.
func endLines(w *apply.Worker, r *recorded.Report) []string {
	total := w.Log().Total()
	start, _ := wal.ParseLSN(r.StartLSN)
	lines := []string{
		fmt.Sprintf("%s in %s and %s", count(r.Changes, "change"), count(r.Transactions, "transaction"), count(r.Messages, "message")),
		fmt.Sprintf("WAL from %s to %s: %s bytes with alignment and page headers",
			r.StartLSN, r.EndLSN, table.Integer(int64(w.Log().InsertLSN()-start))),
	}
	if r.Changes > 0 {
		lines = append(lines, fmt.Sprintf("%.1f bytes of records a change", float64(total.Bytes)/float64(r.Changes)))
	}
	lines = append(lines, cpuLines(&r.CPU, r.Changes)...)
	for _, name := range slices.Sorted(maps.Keys(r.Tables)) {
		if line := notHOTLine(name, r.Tables[name]); line != "" {
			lines = append(lines, line)
		}
	}
	var conflicts []string
	for _, kind := range slices.Sorted(maps.Keys(r.Conflicts)) {
		conflicts = append(conflicts, fmt.Sprintf("%s %s", kind, table.Integer(r.Conflicts[kind])))
	}
	if len(conflicts) > 0 {
		lines = append(lines, "conflicts: "+strings.Join(conflicts, ", "))
	}
	if n := w.Counters.Skipped; n > 0 {
		lines = append(lines, count(n, "transaction")+" passed over because of a conflict")
	}
	for i := range r.Estimates {
		lines = append(lines, "estimate: "+r.Estimates[i].String())
	}
	for _, a := range r.Assumed {
		lines = append(lines, a.String())
	}
	return lines
}

// notHOTLine says why updates of a table were not HOT; "" if all were.
func notHOTLine(name string, t *recorded.TableReport) string {
	var reasons []string
	add := func(n int64, reason string) {
		if n > 0 {
			reasons = append(reasons, table.Integer(n)+" "+reason)
		}
	}
	add(t.NotHOT.Changed, "changed an indexed column")
	add(t.NotHOT.NoRoom, "found no room on the page")
	add(t.NotHOT.Both, "both")
	if len(reasons) == 0 {
		return ""
	}
	var indexes []string
	for _, x := range slices.Sorted(maps.Keys(t.Indexes)) {
		if n := t.Indexes[x].Prevented; n > 0 {
			indexes = append(indexes, x+" "+table.Integer(n))
		}
	}
	line := fmt.Sprintf("%s: %s of %s HOT; of the others %s", name, table.Integer(t.HOTUpdates), count(t.Updates, "update"), strings.Join(reasons, ", "))
	if len(indexes) > 0 {
		line += " (" + strings.Join(indexes, ", ") + ")"
	}
	return line
}

func count(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return table.Integer(n) + " " + noun
}
