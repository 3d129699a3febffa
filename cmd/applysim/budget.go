package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/table"
	"applysim/model/scenario"
)

// budgetFlags are the limits that a command is given.
type budgetFlags struct {
	texts  map[string]*string // by flag
	hot    *[]string          // min-hot, of the whole run or of tables
	most   *[]string
	least  *[]string
	limits []scenario.Budget
	ratios []scenario.Ratio
}

// budgetTexts are the flags in the order of the help text.
var budgetTexts = [][2]string{
	{"max-wal", "budget: at most this `SIZE` of WAL in all, such as 2GB"},
	{"max-wal-per-change", "budget: at most this `SIZE` of WAL a change, such as 400B"},
	{"max-wal-rate", "budget: at most this `SIZE` of WAL a second, such as 2MB/s"},
	{"max-fpi-share", "budget: at most this `SHARE` of the WAL are full-page images, such as 50%"},
	{"max-size", "budget: tables and indexes at the end are at most this `SIZE`"},
	{"max-cpu", "budget: at most this `TIME` of the apply worker's CPU in all, such as 5min"},
	{"max-cpu-per-change", "budget: at most this `TIME` of the apply worker's CPU a change, such as 30us"},
	{"max-load", "budget: the apply worker is busy for at most this `SHARE` of the time, such as 50%"},
	{"max-lag", "budget: at most this `TIME` of lag at the end, such as 5s"},
	{"max-catch-up", "budget: at most this `TIME` to catch up after the scenario's outage, such as 10min"},
	{"min-rate", "budget: one worker could sustain at least this `RATE`, such as 5000/s"},
}

const minHot = "min-hot"

func (b *budgetFlags) add(f *pflag.FlagSet) {
	b.texts = map[string]*string{}
	for _, x := range budgetTexts {
		b.texts[x[0]] = f.String(x[0], "", x[1])
	}
	b.hot = f.StringArray(minHot, nil, "budget: at least this `SHARE` of the updates is HOT, such as 90%, or orders=90% for\none table; may be given more than once")
}

func (b *budgetFlags) addRatios(f *pflag.FlagSet) {
	b.most = f.StringArray("max-ratio", nil, "budget: a figure of each variant is at most so many times the first's:\n`FIGURE=RATIO`, such as wal=1.2; FIGURE is wal, fpi, size, hot, cpu, instructions,\nload, rate, lag or catch-up; may be given more than once")
	b.least = f.StringArray("min-ratio", nil, "budget: at least so many times: `FIGURE=RATIO`, such as hot=0.9")
}

// read understands the limits that were given.
func (b *budgetFlags) read(f *pflag.FlagSet) error {
	limit := func(name, text string) error {
		x, err := scenario.ParseBudget(name, text)
		if err != nil {
			return hint(f, "--%s: %v", name, err)
		}
		b.limits = append(b.limits, x)
		return nil
	}
	for _, x := range budgetTexts {
		if !f.Changed(x[0]) {
			continue
		}
		if err := limit(x[0], *b.texts[x[0]]); err != nil {
			return err
		}
	}
	if b.hot == nil { // the command has no budgets
		return nil
	}
	for _, text := range *b.hot {
		if err := limit(minHot, text); err != nil {
			return err
		}
	}
	for _, bounds := range []struct {
		name  string
		texts *[]string
	}{{"max-ratio", b.most}, {"min-ratio", b.least}} {
		if bounds.texts == nil {
			continue
		}
		for _, text := range *bounds.texts {
			x, err := scenario.ParseRatio(bounds.name, text)
			if err != nil {
				return hint(f, "--%s: %v", bounds.name, err)
			}
			b.ratios = append(b.ratios, x)
		}
	}
	return nil
}

// budgetTable shows what each budget came to.
func budgetTable(r *scenario.Report) *table.Table {
	t := &table.Table{Columns: []table.Column{{Name: "budget"}, {Name: "found", Right: true}, {Name: "over by", Right: true}, {Name: ""}, {Name: "kind"}}}
	several := len(r.Variants) > 1
	if several {
		t.Columns = slices.Insert(t.Columns, 0, table.Column{Name: "variant"})
	}
	for _, v := range r.Verdicts {
		row := []any{v.Budget, v.Show(v.Value, &formats), "", "within", string(v.Kind)}
		if v.Value == nil {
			row[1] = v.Note
		}
		if !v.OK {
			row[2], row[3] = overText(&v), "over"
		}
		if several {
			row = slices.Insert(row, 0, any(v.Variant))
		}
		t.Add(row...)
	}
	return t
}

// formats are how the table of budgets shows values.
var formats = scenario.Formats{
	Size: size, Time: shortTime,
	Share:  func(f float64) string { return strconv.FormatFloat(100*f, 'f', 2, 64) + "%" },
	Rate:   func(f float64) string { return table.Integer(int64(math.Round(f))) },
	Number: func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) },
}

// overText says by how much a figure is over its limit, and what part of it that is.
func overText(v *scenario.Verdict) string {
	if v.Over == nil {
		return ""
	}
	text := v.Show(v.Over, &formats)
	if v.Unit == "share" {
		return strings.TrimSuffix(text, "%") + " points"
	}
	if v.Limit > 0 {
		text += fmt.Sprintf(" (%.1f%%)", 100*(*v.Over)/v.Limit)
	}
	return text
}

// size shows bytes in PostgreSQL's units.
func size(n float64) string {
	switch {
	case n < 10<<10:
		return strings.TrimSuffix(strconv.FormatFloat(n, 'f', 1, 64), ".0") + "B"
	case n < 10<<20:
		return fmt.Sprintf("%.1fkB", n/(1<<10))
	case n < 10<<30:
		return fmt.Sprintf("%.1fMB", n/(1<<20))
	}
	return fmt.Sprintf("%.1fGB", n/(1<<30))
}

// shortTime shows seconds in the unit that fits.
func shortTime(s float64) string {
	switch {
	case s == 0:
		return "0s"
	case s < 1e-3:
		return fmt.Sprintf("%.2fus", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.2fms", s*1e3)
	case s < 600:
		return fmt.Sprintf("%.2fs", s)
	}
	return fmt.Sprintf("%.1fmin", s/60)
}

// overBudget names what is over.
func overBudget(env environment, r *scenario.Report) error {
	over := r.Over()
	if len(over) == 0 {
		return nil
	}
	env.stdout.Flush() // the results come before it
	for _, v := range over {
		name := ""
		if len(r.Variants) > 1 {
			name = "variant " + v.Variant + ": "
		}
		found := v.Show(v.Value, &formats)
		by := ", over by " + overText(&v)
		if v.Value == nil {
			found, by = v.Note, ""
		}
		fmt.Fprintf(env.stderr, "applysim: over budget: %s%s: %s; limit %s%s\n", name, v.Figure, found, v.Budget, by)
	}
	return errNo
}
