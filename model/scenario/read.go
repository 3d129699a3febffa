package scenario

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"applysim/model/guc"
	"applysim/model/stream"
)

// Error is what is wrong with a scenario.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// Read reads a scenario file. file is its name, for errors.
func Read(r io.Reader, file string) (*Scenario, error) {
	doc, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	var root map[string]any
	if err := toml.Unmarshal(doc, &root); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, &Error{file, line, strings.TrimPrefix(at.Error(), "toml: ")}
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Scenario{File: file, lines: findLines(doc)}
	d := &decoder{s: s}
	s.decode(d, d.table("", root))
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

// fail makes an error about what stands at a place of the file.
func (s *Scenario) fail(at, format string, args ...any) error {
	return &Error{s.File, s.lines.line(at), fmt.Sprintf(format, args...)}
}

// decode takes the file's top level over.
func (s *Scenario) decode(d *decoder, t *section) {
	s.Schema = t.text("schema", "")
	if s.Schema == "" {
		d.fail("", "expected schema, the path of a file with the subscriber's DDL")
	}
	s.Seed = uint64(t.integer("seed", 1, 0, math.MaxInt64))
	s.Start = DefaultStart
	if text := t.text("start", ""); text != "" {
		at, err := time.Parse("2006-01-02 15:04:05", text)
		if err != nil {
			d.fail(t.at("start"), "start = %q: expected a time such as \"2026-08-03 12:00:00\"", text)
		}
		s.Start = stream.Timestamp(at.UnixMicro() - postgresEpoch)
	}
	s.Duration, s.Changes = t.duration("duration", 0), t.integer("changes", 0, 1, math.MaxInt64)
	if s.Duration != 0 && s.Changes != 0 {
		d.fail(t.at("changes"), "duration and changes are both given: expected one of them")
	}
	s.Outage = t.duration("outage", DefaultOutage)
	s.Collation = t.text("collation", "")
	s.decodePipeline(d, t)
	s.Settings = settings(d, t.table("settings"), true)
	for name, table := range t.tables("tables") {
		s.Tables = append(s.Tables, decodeTable(name, table))
	}
	for _, o := range t.list("operation") {
		s.Operations = append(s.Operations, decodeOperation(d, o))
	}
	if len(s.Operations) == 0 {
		d.fail("", "expected an [[operation]]: what the publisher does")
	}
	for _, p := range t.list("snapshot") {
		n := Snapshot{From: p.duration("from", 0), Until: p.duration("until", 0)}
		if n.Until != 0 && n.Until <= n.From {
			d.fail(p.at("until"), "until = %v: expected a time after from, %v", n.Until, n.From)
		}
		s.Snapshots = append(s.Snapshots, n)
		p.done()
	}
	seen := map[string]bool{"base": true}
	for _, v := range t.list("variant") {
		x := decodeVariant(d, v)
		if x.Name == "" {
			d.fail(x.at, "a variant without a name: expected name = \"...\"")
		} else if seen[x.Name] {
			d.fail(v.at("name"), "the name %q is taken: expected another one (the scenario itself is \"base\")", x.Name)
		}
		seen[x.Name] = true
		s.Variants = append(s.Variants, x)
	}
	t.done()
	if !t.has("duration") && !t.has("changes") {
		d.fail("", "expected duration or changes: how long the run is")
	}
	for _, o := range s.Operations {
		if o.Count > 0 && !t.has("duration") {
			d.fail(o.at+".count", "count spreads changes over the run's duration: expected duration, or a rate in place of count")
		}
		if b := o.Bursts; b != nil && s.Duration/b.Every > maxBursts {
			d.fail(o.at+".bursts", "bursts every %v: %d in a run of %v, expected at most %d", b.Every, s.Duration/b.Every, s.Duration, maxBursts)
		}
		if s.Duration > 0 && o.Begins >= s.Duration {
			d.fail(o.at+".begins", "begins = %v: expected a time within the run of %v", o.Begins, s.Duration)
		}
	}
}

// postgresEpoch is 2000-01-01 in microseconds of the Unix epoch.
const postgresEpoch = 946_684_800 * 1_000_000

func decodeTable(name string, t *section) *Table {
	x := &Table{Name: name, at: t.path}
	x.Rows = t.integer("rows", 0, 0, math.MaxInt32)
	x.Load = t.choice("load", loadCopy, loads)
	x.Vacuumed = t.boolean("vacuumed", true)
	x.Unpublished = t.texts("unpublished")
	x.Checks = t.choice("checks", Redrawn, checkings)
	for column, c := range t.tables("columns") {
		x.Columns = append(x.Columns, decodeColumn(column, c))
	}
	t.done()
	return x
}

func decodeColumn(name string, t *section) *Column {
	c := &Column{Name: name, at: t.path}
	c.Kind = Kind(t.choice("kind", "", kinds))
	c.Distinct = t.integer("distinct", 0, 1, math.MaxInt64)
	c.Zipf = t.number("zipf", 0, 0, 10)
	c.Nulls = t.number("nulls", 0, 0, 1)
	c.MinWidth, c.MaxWidth = t.width("width")
	c.First = t.integer("first", 1, math.MinInt64, math.MaxInt64)
	c.Step = t.integer("step", 1, 1, math.MaxInt32)
	c.Scale = int(t.integer("scale", 2, 0, 12))
	c.RowsPerValue = t.integer("rows_per_value", 0, 1, math.MaxInt64)
	c.Pattern = t.text("pattern", "")
	c.Values = t.texts("values")
	c.Weights = t.numbers("weights")
	if c.Kind == ByType {
		switch {
		case c.Values != nil:
			c.Kind = Choice
		case c.RowsPerValue > 0:
			c.Kind = Correlated
		case c.Distinct > 0:
			c.Kind = Random
		}
	}
	sum := 0.0
	for _, w := range c.Weights {
		if sum += w; !(w >= 0) {
			t.d.fail(t.at("weights"), "weights: found %v, expected numbers from 0 on", w)
		}
	}
	switch {
	case c.Kind == Choice && len(c.Values) == 0:
		t.d.fail(t.path, "expected values = [...], from which to choose")
	case c.Kind != Choice && c.Values != nil:
		t.d.fail(t.at("values"), "values go with kind = \"choice\", not %q", c.Kind)
	case c.Pattern != "" && (c.Values != nil || c.Kind == UUIDv4 || c.Kind == UUIDv7 || c.Kind == Time):
		t.d.fail(t.at("pattern"), "a pattern goes with texts that are drawn or numbered, not with kind = %q", c.Kind)
	case c.Weights != nil && len(c.Weights) != len(c.Values):
		t.d.fail(t.at("weights"), "%d weights for %d values: expected one for each", len(c.Weights), len(c.Values))
	case c.Weights != nil && !(sum > 0):
		t.d.fail(t.at("weights"), "expected a weight above 0")
	case c.Kind == Correlated && c.RowsPerValue == 0:
		t.d.fail(t.path, "expected rows_per_value: how many rows share a value")
	case c.Kind != Correlated && c.RowsPerValue > 0:
		t.d.fail(t.at("rows_per_value"), "rows_per_value goes with kind = \"correlated\", not %q", c.Kind)
	case c.Zipf > 0 && c.Kind != Random && c.Kind != Choice && c.Kind != ByType:
		t.d.fail(t.at("zipf"), "zipf goes with kind = \"random\" or \"choice\", not %q", c.Kind)
	case c.Zipf > 0 && c.Distinct == 0 && c.Kind != Choice:
		t.d.fail(t.at("zipf"), "a skew needs a number of values: expected distinct, too")
	}
	t.done()
	return c
}

func decodeOperation(d *decoder, t *section) *Operation {
	o := &Operation{Rate: t.number("rate", 0, 0, 1e9), Count: t.integer("count", 0, 1, maxCount)}
	if (o.Rate > 0) == (o.Count > 0) {
		d.fail(t.path, "expected either rate, changes a second, or count, changes in the whole run")
	}
	decodeArrivals(t, o)
	for _, step := range t.list("then") {
		o.Then = append(o.Then, decodeStep(d, step))
	}
	o.Step = decodeStep(d, t)
	return o
}

func decodeStep(d *decoder, t *section) Step {
	p := Step{at: t.path, Table: t.text("table", ""), Do: Action(t.choice("do", "", actions)), Rows: int(t.integer("rows", 1, 1, 10_000_000)), Columns: t.texts("columns")}
	p.Which = Which(t.choice("which", string(Uniform), whiches))
	p.Zipf = t.number("zipf", DefaultZipf, 0, 10)
	p.From, p.To = t.number("from", 0, 0, 1), t.number("to", 1, 0, 1)
	switch {
	case p.Table == "":
		d.fail(t.path, "expected table = \"...\"")
	case p.Do == "":
		d.fail(t.path, "expected do = \"insert\", \"update\" or \"delete\"")
	case p.Do == Update && len(p.Columns) == 0:
		d.fail(t.path, "expected columns = [...]: those that the update changes")
	case p.Do != Update && p.Columns != nil:
		d.fail(t.at("columns"), "columns go with an update, not with %s", p.Do)
	case p.Do == Insert && t.has("which"):
		d.fail(t.at("which"), "which goes with an update or a delete, not with an insert")
	case t.has("zipf") && p.Which != Zipfian && p.Which != Recent:
		d.fail(t.at("zipf"), "zipf goes with which = \"zipf\" or \"recent\", not %q", p.Which)
	case (t.has("from") || t.has("to")) && p.Which != Range:
		d.fail(t.path, "from and to go with which = \"range\", not %q", p.Which)
	case p.From >= p.To:
		d.fail(t.path, "from = %v, to = %v: expected shares of the table's rows, the first the smaller one", p.From, p.To)
	}
	t.done()
	return p
}

// The most that a run may have: changes of an operation, and bursts.
const (
	maxCount  = 1_000_000_000_000
	maxBursts = 1_000_000
)

// settings takes server settings over and tries them.
func settings(d *decoder, t *section, server bool) []Setting {
	if t == nil {
		return nil
	}
	var list []Setting
	probe := guc.Defaults()
	for _, name := range slices.Sorted(keys(t.values)) {
		x := Setting{Name: name, at: t.at(name)}
		switch v := t.values[name].(type) {
		case string:
			x.Value = v
		case bool, int64, float64:
			x.Value = fmt.Sprint(v)
		default:
			d.fail(x.at, "%s: found %s, expected a text, a number, true or false", name, describe(v))
			continue
		}
		if err := probe.Set(x.Name, x.Value); err != nil {
			d.fail(x.at, "%v", err)
		}
		list = append(list, x)
	}
	return list
}
