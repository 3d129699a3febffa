package main

import (
	"maps"
	"slices"

	"applysim/experiments/recorded"
	"applysim/experiments/table"
)

// imagesTable shows where the full-page images went: by relation, by record type,
// and after each checkpoint. It returns nil if there are none.
func imagesTable(r *recorded.Images) *table.Table {
	var total recorded.ImageCount
	for _, c := range r.Relations {
		total.Records += c.Records
		total.FPIBytes += c.FPIBytes
	}
	if total.Records == 0 {
		return nil
	}
	t := &table.Table{Columns: []table.Column{
		{Name: "full-page images"}, {Name: "records with images", Right: true}, {Name: "bytes of images", Right: true},
		{Name: "share", Right: true, Decimals: 1, Unit: " %"}, {Name: "all WAL", Right: true},
	}}
	add := func(name string, c recorded.ImageCount, all any) {
		t.Add(name, c.Records, c.FPIBytes, 100*float64(c.FPIBytes)/float64(total.FPIBytes), all)
	}
	for _, m := range []map[string]recorded.ImageCount{r.Relations, r.RecordTypes} {
		names := slices.Sorted(maps.Keys(m))
		slices.SortStableFunc(names, func(a, b string) int { return int(m[b].FPIBytes - m[a].FPIBytes) })
		for _, name := range names {
			add(name, m[name], nil)
		}
		t.Rule()
	}
	for i, c := range r.Checkpoints {
		name := "after the checkpoint at " + c.Redo
		if i == 0 {
			name = "from the start at " + c.Redo
		}
		add(name, c.ImageCount, c.Bytes)
	}
	return t
}
