package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// Scenario writes a report of one variant, or of several side by side. ends is what both ends
// take; nil if nothing is said of a publisher.
func Scenario(w io.Writer, r *scenario.Report, ends *pipeline.Ends) error {
	p := &page{Title: r.Scenario}
	first := r.Variants[0]
	p.Lead = append(p.Lead, fmt.Sprintf("%s changes in %s transactions, %s (seed %d).", whole(first.Changes), whole(first.Transactions), duration(first.DurationS), r.Seed))
	if len(r.Variants) == 1 && first.Name != "base" {
		p.Title += ", variant " + first.Name
	}
	for _, v := range r.Variants {
		if v.Stopped != nil {
			p.Lead = append(p.Lead, "Replication would stop, variant "+v.Name+": "+v.Stopped.Error)
		}
	}
	if len(r.Variants) > 1 {
		for i, v := range r.Variants {
			p.Keys = append(p.Keys, key{variantClass(i), v.Name})
		}
	}
	p.summary(r.Variants, r.Kinds)
	p.budgets(r)
	p.ends(ends)
	p.costs(r.Variants)
	p.overTime(r.Variants)
	for _, v := range r.Variants {
		p.details(v, len(r.Variants) > 1)
	}
	p.assumptions(r.Kinds, r.Variants, r.Assumptions, r.Warnings)
	return p.write(w)
}

func variantClass(i int) string { return fmt.Sprintf("v%d", i%8) }

// summary is the table of figures, with ratios where there are several variants.
func (p *page) summary(variants []*scenario.Result, kinds map[string]cost.Kind) {
	s := p.add("figures", "Figures")
	g := &grid{Head: heads("figure")}
	for i, v := range variants {
		name := v.Name
		if len(variants) == 1 {
			name = "value"
		}
		g.Head = append(g.Head, cell{Text: name, Number: true})
		if i > 0 {
			g.Head = append(g.Head, cell{Text: "ratio", Number: true})
		}
	}
	g.Head = append(g.Head, text("kind"))
	for _, f := range scenario.Figures() {
		row := []cell{text(f.Name)}
		for i, v := range variants {
			value := f.Value(v)
			row = append(row, num(optional(value, 1, f.Decimals, f.Unit)))
			if i > 0 {
				ratio := ""
				if of := f.Value(variants[0]); value != nil && of != nil && *of != 0 {
					ratio = number(*value / *of, 3)
				}
				row = append(row, num(ratio))
			}
		}
		g.Rows = append(g.Rows, append(row, text(string(kinds[f.Kind]))))
	}
	s.Tables = append(s.Tables, g)
	if len(variants) > 1 {
		s.Charts = append(s.Charts, sideBySide(variants)...)
	}
}

// sideBySide draws a few figures of variants.
func sideBySide(variants []*scenario.Result) []chart {
	var list []chart
	one := func(caption string, of func(*scenario.Result) *float64, shown func(float64) string) {
		var bs []bar
		any := false
		for i, v := range variants {
			x := value{class: variantClass(i)}
			if f := of(v); f != nil {
				x.parts, x.there, any = []float64{*f}, true, any || *f != 0
			}
			bs = append(bs, bar{name: v.Name, values: []value{x}})
		}
		if any {
			list = append(list, bars(caption, bs, nil, shown))
		}
	}
	one("WAL in all", func(r *scenario.Result) *float64 { f := float64(r.WALBytes); return &f }, size)
	one("CPU of the apply worker", func(r *scenario.Result) *float64 { return r.CPUS }, duration)
	one("HOT updates", func(r *scenario.Result) *float64 { return r.HOTShare }, percent)
	one("Tables and indexes at the end", func(r *scenario.Result) *float64 { f := float64(r.Size()); return &f }, size)
	return list
}

func percent(f float64) string { return number(times(f, 100), 1) + " %" }

// budgets are the verdicts.
func (p *page) budgets(r *scenario.Report) {
	if len(r.Verdicts) == 0 {
		return
	}
	s := p.add("budgets", "Budgets")
	g := &grid{Head: heads("variant", "budget", "figure", ">found", ">over by", "", "kind")}
	for _, v := range r.Verdicts {
		over, verdict := "", "within"
		if !v.OK {
			over, verdict = v.Show(v.Over, &formats), "over"
		}
		found := v.Show(v.Value, &formats)
		if v.Value == nil {
			found = v.Note
		}
		g.Rows = append(g.Rows, []cell{text(v.Variant), text(v.Budget), text(v.Figure), num(found), num(over), {Text: verdict, Strong: !v.OK}, text(string(v.Kind))})
	}
	s.Tables = append(s.Tables, g)
}

// formats are how the page shows values.
var formats = scenario.Formats{
	Size: size, Time: duration, Share: percent,
	Rate:   func(f float64) string { return number(f, 0) },
	Number: func(f float64) string { return number(f, 3) },
}

// costs are the charts by table and index.
func (p *page) costs(variants []*scenario.Result) {
	s := p.add("costs", "By table and index")
	if len(variants) == 1 {
		s.Text = append(s.Text, "Of the WAL the lighter part of a bar is full-page images.")
	}
	wal, cpu := relations(variants, func(t *scenario.TableResult) value {
		return walValue(t.WALBytes, t.FPIBytes, len(variants))
	}, func(x *scenario.IndexResult) value { return walValue(x.WALBytes, x.FPIBytes, len(variants)) }),
		relations(variants, func(t *scenario.TableResult) value { return cpuValue(t.CPUS) }, func(x *scenario.IndexResult) value { return cpuValue(x.CPUS) })
	if len(wal) > 0 {
		s.Charts = append(s.Charts, bars("WAL by table and index", wal, []string{"rest", "image"}, size))
	}
	if len(cpu) > 0 {
		s.Charts = append(s.Charts, bars("CPU by table and index", cpu, []string{"cpu"}, duration))
	}
}

func walValue(bytes, images int64, variants int) value {
	if variants > 1 {
		return value{parts: []float64{float64(bytes)}, there: true}
	}
	return value{parts: []float64{float64(bytes - images), float64(images)}, there: true}
}

func cpuValue(s *float64) value {
	if s == nil {
		return value{}
	}
	return value{parts: []float64{*s}, there: true}
}

// relations are bars of the tables and indexes, those with the greatest values.
func relations(variants []*scenario.Result, ofTable func(*scenario.TableResult) value, ofIndex func(*scenario.IndexResult) value) []bar {
	var list []bar
	at := map[string]int{}
	add := func(id, name string, indent bool, variant int, v value) {
		n, ok := at[id]
		if !ok {
			n = len(list)
			at[id] = n
			list = append(list, bar{name: name, indent: indent, values: make([]value, len(variants))})
		}
		if len(variants) > 1 {
			v.class = variantClass(variant)
		}
		list[n].values[variant] = v
	}
	for i, r := range variants {
		for _, t := range r.Tables {
			add(t.Name, t.Name, false, i, ofTable(t))
			for _, x := range t.Indexes {
				add(t.Name+"\x00"+x.Name, x.Name, true, i, ofIndex(x))
			}
		}
	}
	greatest := func(b *bar) (most float64) {
		for _, v := range b.values {
			most = max(most, v.sum())
		}
		return most
	}
	list = slices.DeleteFunc(list, func(b bar) bool { return greatest(&b) == 0 })
	if len(list) > mostBars {
		order := slices.Clone(list)
		slices.SortStableFunc(order, func(a, b bar) int { return cmp.Compare(greatest(&b), greatest(&a)) })
		least := greatest(&order[mostBars-1])
		list = slices.DeleteFunc(list, func(b bar) bool { return greatest(&b) < least })
	}
	return list
}

// overTime are the charts over time.
func (p *page) overTime(variants []*scenario.Result) {
	if len(variants[0].Timeline) == 0 {
		return
	}
	s := p.add("time", "Over time")
	each := func(caption string, top float64, of func(*scenario.Sample, float64) *float64, shown func(float64) string) {
		var list []series
		any := false
		for i, v := range variants {
			l := series{class: "line-" + variantClass(i)}
			before := 0.0
			for j := range v.Timeline {
				x := &v.Timeline[j]
				f := of(x, x.Seconds-before)
				before = x.Seconds
				l.x, l.gap = append(l.x, x.Seconds), append(l.gap, f == nil)
				if f == nil {
					l.y = append(l.y, 0)
				} else {
					l.y, any = append(l.y, *f), true
				}
			}
			list = append(list, l)
		}
		if any {
			s.Charts = append(s.Charts, lines(caption, list, top, shown))
		}
	}
	each("HOT updates, share of all", 1, func(x *scenario.Sample, _ float64) *float64 { return x.HOTShare }, percentTick)
	each("WAL a second", 0, func(x *scenario.Sample, took float64) *float64 { f := float64(x.WALBytes) / took; return &f }, size)
	each("Load of the apply worker", 0, func(x *scenario.Sample, _ float64) *float64 { return x.Load }, percentTick)
	each("Lag: work that is left", 0, func(x *scenario.Sample, _ float64) *float64 { return x.LagS }, duration)
	lag := false
	for _, v := range variants {
		for _, x := range v.Timeline {
			lag = lag || x.LagS != nil && *x.LagS > 0
		}
	}
	if !lag {
		s.Text = append(s.Text, "The worker keeps up all the time.")
	}
}

func percentTick(f float64) string {
	if f > 0 && f < 0.1 {
		return number(times(f, 100), 2) + " %"
	}
	return number(times(f, 100), 0) + " %"
}

func estimated(x *scenario.IndexResult) string {
	if x.Estimate {
		return " (estimate)"
	}
	return ""
}

// details are a variant's tables.
func (p *page) details(v *scenario.Result, named bool) {
	heading, id := "Tables and indexes", "tables"
	if named {
		heading, id = v.Name+": tables and indexes", "tables-"+v.Name
	}
	s := p.add(strings.ReplaceAll(id, " ", "-"), heading)
	g := &grid{Head: heads("table, index", ">WAL, bytes", ">images", ">instructions", ">CPU, s", ">HOT", ">rows", ">dead", ">pages before", ">pages", ">leaf density")}
	for _, t := range v.Tables {
		g.Rows = append(g.Rows, []cell{{Text: t.Name, Strong: true}, num(whole(t.WALBytes)), num(whole(t.FPIBytes)), num(optional(t.Instructions, 1, 0, "")), num(optional(t.CPUS, 1, 3, "")),
			num(optional(t.HOTShare, 100, 1, " %")), num(whole(t.Rows)), num(whole(t.Dead)), num(whole(int64(t.PagesBefore))), num(whole(int64(t.Pages))), num("")})
		for _, x := range t.Indexes {
			g.Rows = append(g.Rows, []cell{text("· " + x.Name + estimated(x)), num(whole(x.WALBytes)), num(whole(x.FPIBytes)), num(optional(x.Instructions, 1, 0, "")), num(optional(x.CPUS, 1, 3, "")),
				num(""), num(""), num(""), num(whole(int64(x.PagesBefore))), num(whole(int64(x.Pages))), num(optional(x.Density, 1, 1, " %"))})
		}
	}
	s.Tables = append(s.Tables, g)
	var why []string
	for _, t := range v.Tables {
		n := t.NotHOT
		if n.Changed+n.NoRoom+n.Both == 0 {
			continue
		}
		line := fmt.Sprintf("%s: %s of %s updates HOT; of the others %s changed an indexed column, %s found no room on the page, %s both", t.Name, whole(t.HOTUpdates), whole(t.Updates), whole(n.Changed), whole(n.NoRoom), whole(n.Both))
		var by []string
		for _, x := range t.Indexes {
			if x.Prevented > 0 {
				by = append(by, x.Name+" "+whole(x.Prevented))
			}
		}
		if len(by) > 0 {
			line += " (" + strings.Join(by, ", ") + ")"
		}
		why = append(why, line)
	}
	if len(why) > 0 {
		s.Lists = append(s.Lists, list{Heading: "Why updates were not HOT", Items: why})
	}
	if len(v.Marginal) > 0 {
		m := &grid{Caption: "What each index costs: this run less a run without it", Head: heads("index", ">WAL, bytes", ">instructions", ">CPU, s", ">HOT updates", ">pages", "")}
		for _, x := range v.Marginal {
			if x.Reason != "" {
				m.Rows = append(m.Rows, []cell{text(x.Index), num(""), num(""), num(""), num(""), num(""), text("not simulated: " + x.Reason)})
				continue
			}
			m.Rows = append(m.Rows, []cell{text(x.Index), num(whole(x.WALBytes)), num(optional(x.Instructions, 1, 0, "")), num(optional(x.CPUS, 1, 3, "")), num(whole(x.HOTUpdates)), num(whole(int64(x.Pages))), text("")})
		}
		s.Tables = append(s.Tables, m)
	}
	wal := &grid{Caption: "WAL by record type", Folded: true, Head: heads("relation", "record type", ">count", ">bytes", ">of them images")}
	for _, name := range v.Relations() {
		for _, kind := range v.Types(name) {
			c := v.WAL[name][kind]
			wal.Rows = append(wal.Rows, []cell{text(name), text(kind), num(whole(c.Records)), num(whole(c.Bytes)), num(whole(c.FPIBytes))})
		}
	}
	s.Tables = append(s.Tables, wal)
	if v.CPU != nil {
		c := &grid{Caption: "The apply worker's CPU", Folded: true, Head: heads("work", ">instructions", ">s", "kind")}
		for _, t := range v.CPU.Terms {
			c.Rows = append(c.Rows, []cell{text(t.Name), num(number(t.Instructions, 0)), num(optional(t.Seconds, 1, 5, "")), text(string(t.Kind))})
		}
		s.Tables = append(s.Tables, c)
	}
	if len(v.Checkpoints)+len(v.Vacuums) > 0 {
		b := &grid{Caption: "Beside the apply worker", Folded: true, Head: heads(">at", "what", "cause", ">rows", ">WAL, bytes")}
		for _, x := range v.Checkpoints {
			b.Rows = append(b.Rows, []cell{num(duration(x.Seconds)), text("checkpoint"), text(string(x.Cause)), num(""), num("")})
		}
		for _, x := range v.Vacuums {
			rows := x.Dead
			if x.Cause == "inserted rows" {
				rows = x.Inserted
			}
			b.Rows = append(b.Rows, []cell{num(duration(x.Seconds)), text("VACUUM " + x.Table), text(x.Cause), num(whole(rows)), num(whole(x.WALBytes))})
		}
		s.Tables = append(s.Tables, b)
	}
	if v.CPU != nil {
		s.Text = append(s.Text, fmt.Sprintf("Profile %s: median error %.1f %% on scenarios left out of its fit. WAL writer: about %s of CPU beside the worker.", v.CPU.Profile, 100*v.CPU.ProfileError, duration(v.CPU.WALWriterS)))
	}
}

// assumptions says how each figure came about, and what it rests on.
func (p *page) assumptions(kinds map[string]cost.Kind, variants []*scenario.Result, assumed, warnings []string) {
	s := p.add("kinds", "How far these figures can be trusted")
	by := map[string][]string{}
	for name, kind := range kinds {
		by[string(kind)] = append(by[string(kind)], name)
	}
	meaning := []struct{ kind, text string }{
		{"exact", "follows from the changes as a real server would have it, record for record"},
		{"calibrated", "by a model that was fitted on other measurements than this"},
		{"estimate", "with indexes that are modelled as far as sizes go; see below how far off they may be"},
		{"assumed", "by what the scenario says, or leaves open"},
	}
	g := &grid{Head: heads("kind", "means", "figures")}
	for _, m := range meaning {
		names := by[m.kind]
		slices.Sort(names)
		if len(names) > 0 {
			g.Rows = append(g.Rows, []cell{{Text: m.kind, Strong: true}, text(m.text), text(strings.Join(names, ", "))})
		}
	}
	s.Tables = append(s.Tables, g)
	var estimates []string
	for _, v := range variants {
		for i := range v.Estimates {
			if line := v.Estimates[i].String(); !slices.Contains(estimates, line) {
				estimates = append(estimates, line)
			}
		}
	}
	if len(estimates) > 0 {
		s.Lists = append(s.Lists, list{Heading: "Indexes that are estimates", Items: estimates})
	}
	s.Lists = append(s.Lists, list{Heading: "Assumed", Items: assumed})
	if len(warnings) > 0 {
		s.Lists = append(s.Lists, list{Heading: "Warnings", Items: warnings})
	}
}
