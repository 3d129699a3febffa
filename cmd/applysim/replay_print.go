package main

import (
	"fmt"
	"io"

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
	records, tables := walTable(worker.Log(), true), tablesTable(worker)
	lines := endLines(worker, r)
	if format == "markdown" {
		if err := records.Markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		if err := tables.Markdown(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
		for _, line := range lines {
			fmt.Fprintf(w, "- %s\n", line)
		}
		return nil
	}
	if err := records.Text(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := tables.Text(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for _, line := range lines {
		fmt.Fprintln(w, line)
	}
	return nil
}

// walTable counts records by relation and type. For reading, a relation is
// named only once, and there is a total.
func walTable(log *wal.Log, forReading bool) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "relation"}, {Name: "record type", CSV: "record_type"}, {Name: "count", Right: true},
		{Name: "bytes", Right: true}, {Name: "of them images", CSV: "fpi_bytes", Right: true},
		{Name: "share", CSV: "share_percent", Right: true, Decimals: 1, Unit: " %"},
	}}
	total := log.Total()
	share := func(bytes int64) any {
		if total.Bytes == 0 {
			return nil
		}
		return 100 * float64(bytes) / float64(total.Bytes)
	}
	one := func(rel wal.RelID) {
		name := log.Name(rel)
		for k := range wal.NumRecordTypes {
			c := log.Count(rel, wal.RecordType(k))
			if c.Records == 0 {
				continue
			}
			t.Add(name, wal.RecordType(k).String(), c.Records, c.Bytes, c.FPIBytes, share(c.Bytes))
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
		t.Add("total", "", total.Records, total.Bytes, total.FPIBytes, share(total.Bytes))
	}
	return t
}

// tablesTable shows what the run leaves behind.
func tablesTable(w *apply.Worker) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: "table, index"}, {Name: "rows", Right: true}, {Name: "pages", Right: true},
		{Name: "kB", Right: true}, {Name: "height", Right: true}, {Name: "leaf pages", Right: true},
		{Name: "leaf density", Right: true, Decimals: 1, Unit: " %"},
	}}
	for _, s := range w.Tables() {
		pages := s.Heap.Pages()
		t.Add(s.Schema.QualifiedName(), s.Preset+s.Heap.Counters.Inserts, pages, pages*storage.PageSize/1024, nil, nil, nil)
		for _, x := range s.Indexes {
			stats := x.BTree.Stats()
			var density any
			if stats.LeafPages > 0 {
				density = stats.AvgLeafDensity
			}
			t.Add("  "+x.Schema.Name, nil, x.BTree.Pages(), x.BTree.Pages()*storage.PageSize/1024,
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
		fmt.Sprintf("%s changes in %s transactions and %s messages",
			table.Integer(r.Changes), table.Integer(r.Transactions), table.Integer(r.Messages)),
		fmt.Sprintf("WAL from %s to %s: %s bytes with alignment and page headers",
			r.StartLSN, r.EndLSN, table.Integer(int64(w.Log().InsertLSN()-start))),
	}
	if r.Changes > 0 {
		lines = append(lines, fmt.Sprintf("%.1f bytes of records a change", float64(total.Bytes)/float64(r.Changes)))
	}
	return lines
}
