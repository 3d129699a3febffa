package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"applysim/model/cost"
	"applysim/model/spelling"
	"applysim/wal/storage"
)

// Budget bounds a figure of a run.
type Budget struct {
	Name  string  // of the flag: max-wal-per-change
	Table string  // of which the figure is; "" for the whole run
	Limit float64 // in the figure's unit
	Text  string  // as it was written

	rule *rule
}

// Ratio bounds a figure of a variant by the first one's.
type Ratio struct {
	Name  string // max-ratio or min-ratio
	Limit float64
	Text  string

	rule *rule
}

// Verdict is what a budget comes to.
type Verdict struct {
	Variant string    `json:"variant"`
	Budget  string    `json:"budget"` // with its limit, as it was written
	Figure  string    `json:"figure"`
	Limit   float64   `json:"limit"`
	Value   *float64  `json:"value"` // null if there is none
	Over    *float64  `json:"over"`  // by how much the value is on the wrong side of the limit, 0 if it is not
	OK      bool      `json:"ok"`
	Note    string    `json:"note,omitempty"` // why there is no value
	Unit    string    `json:"unit"`           // "bytes", "bytes a second", "s", "share", "changes a second" or "ratio"
	Kind    cost.Kind `json:"kind"`
}

// Formats are how values of figures are shown, by their unit.
type Formats struct{ Size, Time, Share, Rate, Number func(float64) string }

// Show shows a value of the verdict's figure; "" if there is none.
func (v *Verdict) Show(value *float64, by *Formats) string {
	if value == nil {
		return ""
	}
	switch v.Unit {
	case unitBytes:
		return by.Size(*value)
	case unitRate:
		return by.Size(*value) + "/s"
	case unitSeconds:
		return by.Time(*value)
	case unitShare:
		return by.Share(*value)
	case unitChanges:
		return by.Rate(*value) + "/s"
	}
	return by.Number(*value)
}

// The units of figures that a budget may bound.
const (
	unitBytes   = "bytes"
	unitRate    = "bytes a second"
	unitSeconds = "s"
	unitShare   = "share"
	unitChanges = "changes a second"
	unitRatio   = "ratio"
)

// rule is a figure that may be bounded.
type rule struct {
	name   string // of a ratio
	budget string // flag, "" if only its ratio can be bounded
	figure string
	unit   string
	kind   string                   // of figureKinds
	cpu    bool                     // it needs a profile
	most   bool                     // the limit is the greatest value, not the least
	value  func(r *Result) *float64 // nil: there is none
	table  func(*TableResult) *float64
	none   string // why there is none
	never  bool   // a missing value is over the limit
}

// noChanges is why there is no figure of a run that does nothing.
const noChanges = "no changes"

func number[T int | int64](n T) *float64 { f := float64(n); return &f }

// rules are the figures that may be bounded, in the order of their verdicts.
func rules() []*rule {
	capacity := func(f func(*Capacity) *float64) func(*Result) *float64 {
		return func(r *Result) *float64 {
			if r.Capacity == nil {
				return nil
			}
			return f(r.Capacity)
		}
	}
	return []*rule{
		{name: "wal", budget: "max-wal", figure: "WAL", unit: unitBytes, kind: "wal_bytes", most: true, value: func(r *Result) *float64 { return number(r.WALBytes) }},
		{budget: "max-wal-per-change", figure: "WAL a change", unit: unitBytes, kind: "wal_bytes", most: true, value: func(r *Result) *float64 { return r.BytesPerChange }, none: noChanges},
		{budget: "max-wal-rate", figure: "WAL a second", unit: unitRate, kind: "wal_bytes", most: true, value: func(r *Result) *float64 { return r.WALPerS }, none: "the run takes no time"},
		{name: "fpi", budget: "max-fpi-share", figure: "full-page images, share of WAL", unit: unitShare, kind: "fpi_bytes", most: true,
			value: func(r *Result) *float64 { return ratio(float64(r.FPIBytes), float64(r.WALBytes)) }, none: "no WAL"},
		{name: "size", budget: "max-size", figure: "tables and indexes", unit: unitBytes, kind: "pages", most: true, value: func(r *Result) *float64 { return number(r.pages() * storage.PageSize) }},
		{name: "hot", budget: "min-hot", figure: "HOT updates", unit: unitShare, kind: "hot_share", value: func(r *Result) *float64 { return r.HOTShare },
			table: func(t *TableResult) *float64 { return t.HOTShare }, none: "no updates"},
		{name: "cpu", budget: "max-cpu", figure: "CPU of the apply worker", unit: unitSeconds, kind: "cpu_s", cpu: true, most: true, value: func(r *Result) *float64 { return r.CPUS }},
		{budget: "max-cpu-per-change", figure: "CPU a change", unit: unitSeconds, kind: "cpu_s", cpu: true, most: true, none: noChanges,
			value: func(r *Result) *float64 {
				if r.CPUS == nil {
					return nil
				}
				return ratio(*r.CPUS, float64(r.Changes))
			}},
		{name: "instructions", figure: "instructions of the apply worker", unit: unitRatio, kind: "instructions", cpu: true, most: true, value: func(r *Result) *float64 { return r.Instructions }},
		{name: "load", budget: "max-load", figure: "load of the apply worker", unit: unitShare, kind: "capacity", cpu: true, most: true, none: noChanges, value: capacity(func(c *Capacity) *float64 { return &c.Load })},
		{name: "rate", budget: "min-rate", figure: "greatest rate", unit: unitChanges, kind: "capacity", cpu: true, none: noChanges, value: capacity(func(c *Capacity) *float64 { return &c.GreatestRate })},
		{name: "lag", budget: "max-lag", figure: "lag at the end", unit: unitSeconds, kind: "capacity", cpu: true, most: true, none: noChanges, value: capacity(func(c *Capacity) *float64 { return &c.LagS })},
		{name: "catch-up", budget: "max-catch-up", figure: "to catch up after an outage", unit: unitSeconds, kind: "capacity", cpu: true, most: true, none: "never", never: true,
			value: capacity(func(c *Capacity) *float64 { return c.CatchUpS })},
	}
}

// Budgets lists the names of budgets, the flags of a command.
func Budgets() []string {
	var names []string
	for _, r := range rules() {
		if r.budget != "" {
			names = append(names, r.budget)
		}
	}
	return names
}

// ParseBudget reads a limit: a size (400B, 2MB), a size a second (2MB/s), a time (30us), a
// share (90%) or a rate (5000/s); min-hot may be that of one table (orders=90%).
func ParseBudget(name, text string) (Budget, error) {
	i := slices.IndexFunc(rules(), func(r *rule) bool { return r.budget == name })
	if i < 0 {
		return Budget{}, fmt.Errorf("unknown budget %q: expected one of %s", name, list(Budgets()))
	}
	b := Budget{Name: name, Text: text, rule: rules()[i]}
	value := text
	if at := strings.LastIndex(text, "="); at >= 0 && b.rule.table != nil {
		if b.Table, value = text[:at], text[at+1:]; b.Table == "" {
			return b, fmt.Errorf("%q: expected a table before the =", text)
		}
	}
	var err error
	b.Limit, err = parseLimit(value, b.rule.unit)
	return b, err
}

// ParseRatio reads a limit such as wal=1.2 of a variant's figure to the first variant's; name
// is max-ratio or min-ratio.
func ParseRatio(name, text string) (Ratio, error) {
	x := Ratio{Name: name, Text: text}
	figure, value, found := strings.Cut(text, "=")
	var names []string
	for _, r := range rules() {
		if r.name != "" {
			names = append(names, r.name)
		}
		if r.name == figure && figure != "" {
			x.rule = r
		}
	}
	switch {
	case !found:
		return x, fmt.Errorf("%q: expected FIGURE=RATIO, such as wal=1.2; FIGURE is one of %s", text, list(names))
	case x.rule == nil:
		return x, fmt.Errorf("unknown figure %q: expected one of %s (nearest: %s)", figure, list(names), spelling.Nearest(figure, names))
	}
	limit, err := strconv.ParseFloat(value, 64)
	if err != nil || !(limit >= 0) || math.IsInf(limit, 0) {
		return x, fmt.Errorf("%q: found %q, expected a ratio such as 1.2", text, value)
	}
	x.Limit = limit
	return x, nil
}

// parseLimit reads a number with its unit.
func parseLimit(text, unit string) (float64, error) {
	units := map[string]map[string]float64{
		unitBytes:   {"": 1, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40},
		unitRate:    {"": 1, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30},
		unitSeconds: {"": 1, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600},
		unitShare:   {"%": 0.01},
		unitChanges: {"": 1},
	}[unit]
	expected := map[string]string{
		unitBytes: "a size such as 400B or 2MB (B, kB, MB, GB, TB)", unitRate: "a size a second such as 2MB/s (B, kB, MB, GB)",
		unitSeconds: "a time such as 30us or 5s (ns, us, ms, s, min, h)", unitShare: "a share such as 90%", unitChanges: "changes a second such as 5000/s",
	}[unit]
	s := strings.TrimSpace(text)
	if unit == unitRate || unit == unitChanges {
		s = strings.TrimSuffix(s, "/s")
	}
	at := strings.IndexFunc(s, func(r rune) bool { return unicode.IsLetter(r) || r == '%' })
	if at < 0 {
		at = len(s)
	}
	factor, known := units[strings.TrimSpace(s[at:])]
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(s[:at]), "_", ""), 64)
	if err != nil || !known || n < 0 || math.IsInf(n, 0) || unit == unitShare && n > 100 {
		return 0, fmt.Errorf("found %q, expected %s", text, expected)
	}
	return float64(n * factor), nil
}

// Judge holds each variant's figures against budgets, and those of all but the first variant
// against the first one's. It notes the verdicts in the report.
func (r *Report) Judge(budgets []Budget, ratios []Ratio) error {
	for i, v := range r.Variants {
		for _, b := range budgets {
			x, err := b.Judge(v)
			if err != nil {
				return err
			}
			r.Verdicts = append(r.Verdicts, x)
		}
		if i == 0 {
			continue
		}
		for _, q := range ratios {
			r.Verdicts = append(r.Verdicts, q.judge(v, r.Variants[0]))
		}
	}
	return nil
}

// Judge holds a run's figure against the budget.
func (b *Budget) Judge(v *Result) (Verdict, error) {
	value, figure := b.rule.value, b.rule.figure
	if b.Table != "" {
		at := slices.IndexFunc(v.Tables, func(t *TableResult) bool { return t.Name == b.Table })
		if at < 0 {
			var names []string
			for _, t := range v.Tables {
				names = append(names, t.Name)
			}
			return Verdict{}, fmt.Errorf("--%s %s: no table %q has rows or changes (nearest: %s)", b.Name, b.Text, b.Table, spelling.Nearest(b.Table, names))
		}
		value = func(*Result) *float64 { return b.rule.table(v.Tables[at]) }
		figure += " of " + b.Table
	}
	x := Verdict{Variant: v.Name, Budget: "--" + b.Name + " " + b.Text, Figure: figure, Limit: b.Limit, Value: value(v), Unit: b.rule.unit, Kind: figureKinds(len(v.Estimates) > 0)[b.rule.kind]}
	x.judge(v, b.rule, b.rule.most)
	return x, nil
}

// judge holds a variant's figure against the first one's.
func (q *Ratio) judge(v, first *Result) Verdict {
	x := Verdict{Variant: v.Name, Budget: "--" + q.Name + " " + q.Text, Figure: q.rule.figure + ", to that of " + first.Name, Limit: q.Limit, Unit: unitRatio, Kind: figureKinds(len(v.Estimates)+len(first.Estimates) > 0)[q.rule.kind]}
	a, b := q.rule.value(v), q.rule.value(first)
	none := *q.rule
	if a != nil && b != nil {
		x.Value = ratio(*a, *b)
		none.none = "the first variant has 0"
		// From nothing to something is more than any ratio; from nothing to nothing is none.
		none.never = *a > 0 && q.Name == maxRatio
	}
	x.judge(v, &none, q.Name == maxRatio)
	return x
}

// The names of bounds of ratios.
const (
	maxRatio = "max-ratio"
	minRatio = "min-ratio"
)

// judge compares the value with the limit.
func (x *Verdict) judge(v *Result, r *rule, most bool) {
	switch {
	case x.Value != nil:
	case r.cpu && v.CPU == nil:
		x.Note = "no profile"
		return
	case r.kind == "capacity" && v.Capacity == nil:
		x.Note, x.OK = noChanges, true
		return
	default:
		x.Note, x.OK = r.none, !r.never
		return
	}
	over := *x.Value - x.Limit
	if !most {
		over = -over
	}
	x.OK = !(over > 0)
	if x.OK {
		over = 0
	}
	x.Over = &over
}

// Over lists the verdicts that say no.
func (r *Report) Over() []Verdict {
	var over []Verdict
	for _, v := range r.Verdicts {
		if !v.OK {
			over = append(over, v)
		}
	}
	return over
}
