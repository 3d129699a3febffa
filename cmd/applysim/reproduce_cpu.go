package main

import (
	"fmt"

	"applysim/experiments/published"
	"applysim/experiments/table"
	"applysim/model/cost"
)

// figuresTable puts every published figure beside the simulated one.
func figuresTable(r *reproduction) *table.Table {
	t := &table.Table{Title: "Every published figure beside the simulated one (profile " + r.Profile + ")", Columns: []table.Column{
		{Name: "scenario"}, {Name: "figure"}, {Name: "published", Right: true}, {Name: "simulated", Right: true}, {Name: "unit"},
		{Name: "error", Right: true, Signed: true, Decimals: 2, Unit: " %"}, {Name: "kind"}, {Name: "note"},
	}}
	number := func(v float64) string {
		if v >= 1e6 {
			return table.Integer(int64(v))
		}
		return fmt.Sprintf("%.3f", v)
	}
	for i := range r.Figures {
		f := &r.Figures[i]
		var simulated, e any
		if f.Simulated != nil {
			simulated = number(*f.Simulated)
		}
		if v, ok := f.Error(); ok {
			e = 100 * v
		}
		t.Add(f.Scenario, f.Figure, number(f.Published), simulated, f.Unit, e, string(f.Kind), f.Note)
	}
	return t
}

// readersTable shows what readers would give that the source may have had in its run without
// a subscriber; nil where the profile has no publisher.
func readersTable(r *reproduction) *table.Table {
	if r.Readers == nil {
		return nil
	}
	title := "What readers of the slot would give in decode_only, whose source does not name one"
	if low, high, err := published.DrainRange("decode_only"); err == nil {
		title += fmt.Sprintf(" (drain: %.2f to %.2f s, the range of its runs widened by a tenth)", low, high)
	}
	t := &table.Table{Title: title, Columns: []table.Column{
		{Name: "reader"}, {Name: "publisher", Right: true, Decimals: 2, Unit: " s"}, {Name: "error", Right: true, Signed: true, Decimals: 1, Unit: " %"},
		{Name: "drain if it reads during the load", Right: true, Decimals: 2, Unit: " s"}, {Name: "and reports every second", Right: true}, {Name: "if it reads after it", Right: true, Decimals: 2, Unit: " s"},
	}}
	for i := range r.Readers {
		x := &r.Readers[i]
		var during, confirmed any
		if x.During != nil {
			during, confirmed = *x.During, fmt.Sprintf("%.2f ± 0.50 s", *x.Confirmed)
		}
		t.Add(x.Reader, x.Publisher, 100*x.Error, during, confirmed, x.After)
	}
	return t
}

// runWithCPU is a run whose CPU is shown by work.
type runWithCPU struct {
	name string
	cost *published.RunCost
}

func runsWithCPU(r *reproduction) []runWithCPU {
	return []runWithCPU{{"primary key, text", r.cpu.Text}, {"primary key, binary", r.cpu.Binary}, {"four more indexes, text", r.cpu.Four}}
}

// cpuOfRuns shows where the worker's CPU goes in the published runs.
func cpuOfRuns(r *reproduction) *table.Table {
	t := &table.Table{Title: "Where the apply worker's CPU goes, µs a row", Columns: []table.Column{{Name: "work"}}}
	runs := runsWithCPU(r)
	for _, x := range runs {
		t.Columns = append(t.Columns, table.Column{Name: x.name, Right: true, Decimals: 3})
	}
	t.Columns = append(t.Columns, table.Column{Name: "kind"})
	part := func(c *cost.CPU, name string) any {
		for _, x := range c.Terms {
			if x.Name == name {
				return x.Seconds * 1e6 / float64(r.Rows)
			}
		}
		return nil
	}
	for _, x := range r.cpu.Four.CPU.Terms[:min(cpuShown, len(r.cpu.Four.CPU.Terms))] {
		row := []any{x.Name}
		for _, c := range runs {
			row = append(row, part(c.cost.CPU, x.Name))
		}
		t.Add(append(row, string(x.Kind))...)
	}
	t.Rule()
	total := []any{"total"}
	for _, c := range runs {
		total = append(total, c.cost.CPU.Seconds*1e6/float64(r.Rows))
	}
	t.Add(append(total, nil)...)
	return t
}

func indexSetsTable(r *reproduction) *table.Table {
	t := &table.Table{Title: "What other sets of four indexes would give", Columns: []table.Column{
		{Name: "indexes"}, {Name: "WAL, bytes", Right: true}, {Name: "subscriber's CPU", Right: true, Decimals: 2, Unit: " s"},
	}}
	chosen := "(updated_at), (account_id), (account_id, status), (status, updated_at): chosen"
	t.Add(chosen, r.cpu.Four.WAL, r.cpu.Four.CPU.Seconds*float64(published.DefaultOptions().Rows)/float64(r.Rows))
	for _, s := range r.IndexSets {
		t.Add(s.Indexes, s.WAL, s.CPU)
	}
	return t
}

func hotTable(r *reproduction) *table.Table {
	t := &table.Table{Title: "Updates of status by key, random rows, one a transaction (profile " + cost.DefaultProfile + "; measured: a real subscription, PostgreSQL 18.6)", Columns: []table.Column{
		{Name: "index on status"}, {Name: "rows", Right: true}, {Name: "updates", Right: true},
		{Name: "fillfactor", Right: true}, {Name: "HOT", Right: true, Decimals: 1, Unit: " %"},
		{Name: "WAL a change", Right: true, Decimals: 0}, {Name: "measured", Right: true, Decimals: 0},
		{Name: "CPU a change", Right: true, Decimals: 2, Unit: " µs"}, {Name: "measured", Right: true, Decimals: 2, Unit: " µs"},
	}}
	for i, l := range r.HOT {
		var wal, cpu any
		if l.MeasuredCPU > 0 {
			wal, cpu = l.MeasuredWAL, l.MeasuredCPU
			if r.HOT[i-1].MeasuredCPU == 0 {
				t.Rule()
			}
		}
		t.Add(l.Indexes, l.Rows, l.Updates, l.Fillfactor, 100*l.HOTShare, l.WAL, wal, l.CPU, cpu)
	}
	return t
}

// cpuAssumptions says what the figures in seconds hang on.
func cpuAssumptions(r *reproduction) []string {
	p := r.cpu.Profile
	lines := []string{fmt.Sprintf("Profile %s: %s; %s. %s.", p.Name, p.Machine, p.Server, p.Note)}
	seen := map[string]bool{}
	rates := p.Rates
	if q := p.Publisher; q != nil {
		rates = append(append([]cost.Rate{}, rates...), q.Backend, q.Sender, q.Transaction, q.Send, q.Cores, q.Latency)
	}
	for _, x := range rates {
		if x.Value == 0 || seen[x.Name] {
			continue
		}
		seen[x.Name] = true
		lines = append(lines, fmt.Sprintf("Rate %s: %.4g %s, %s: %s.", x.Name, x.Value, x.Unit, x.Kind, x.From))
	}
	v := r.cpu.Text.CPU.Model.Validation
	return append(lines, fmt.Sprintf("Instructions: median error %.1f %% on workloads that the model was not fitted to, nine of ten within %.1f %%.", 100*v.Median, 100*v.P90))
}
