package main

import (
	"fmt"

	"applysim/experiments/recorded"
	"applysim/experiments/table"
)

// cpuShown is how many terms and objects are shown by themselves; the others are
// summed up.
const cpuShown = 12

// replayCPUTable shows where the worker's CPU goes, by term.
func replayCPUTable(c *recorded.CPU) *table.Table {
	return cpuParts("apply worker's CPU by work", c, c.Terms)
}

// cpuObjects shows the same by table and index.
func cpuObjects(c *recorded.CPU) *table.Table {
	return cpuParts("by table and index", c, c.Objects)
}

func cpuParts(name string, c *recorded.CPU, parts []recorded.CPUTerm) *table.Table {
	t := &table.Table{Columns: []table.Column{
		{Name: name}, {Name: "instructions", Right: true}, {Name: "ms", Right: true, Decimals: 3}, {Name: "share", Right: true, Decimals: 1, Unit: " %"}, {Name: "kind"},
	}}
	add := func(name string, p recorded.CPUTerm) {
		var share any
		if c.Seconds > 0 {
			share = 100 * p.Seconds / c.Seconds
		}
		t.Add(name, int64(p.Instructions), 1000*p.Seconds, share, string(p.Kind))
	}
	rest := recorded.CPUTerm{}
	for i, p := range parts {
		if p.Name == "" {
			p.Name = "(the worker itself)"
		}
		if i < cpuShown || len(parts) == cpuShown+1 {
			add(p.Name, p)
			continue
		}
		rest.Seconds += p.Seconds
		rest.Instructions += p.Instructions
		if i == cpuShown || p.Kind == rest.Kind {
			rest.Kind = p.Kind
		} else {
			rest.Kind = "mixed"
		}
	}
	if rest.Seconds > 0 {
		add(fmt.Sprintf("%d others", len(parts)-cpuShown), rest)
	}
	t.Rule()
	t.Add("total", int64(c.Instructions), 1000*c.Seconds, nil, nil)
	return t
}

// cpuLines sums the CPU up and says how good the figure is.
func cpuLines(c *recorded.CPU, changes int64) []string {
	line := fmt.Sprintf("CPU of the apply worker: %.4f s (%s instructions)", c.Seconds, table.Integer(int64(c.Instructions)))
	if changes > 0 {
		line += fmt.Sprintf(", %.2f µs a change", 1e6*c.Seconds/float64(changes))
	}
	return []string{
		line + fmt.Sprintf("; WAL writer about %.4f s", c.WALWriter),
		fmt.Sprintf("profile %s: median error %.1f %% on scenarios left out; instructions: %.1f %% on workloads left out",
			c.Profile, 100*c.ProfileError, 100*c.ModelError),
	}
}
