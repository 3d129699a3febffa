package draft

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/scenario"
	"applysim/model/stream"
)

// check is a CHECK constraint that can be evaluated, or what is like one.
type check struct {
	name    string
	sql     string
	e       *expr.Expr
	columns []int
	domain  *expr.Domain // if it is that of a column
	value   bool         // it is an index's expression, which has a value in every row
}

const (
	// sampleRows is how many rows are made to see whether they satisfy constraints.
	sampleRows = 24
	// manyRows is how many of a table with constraints on several columns.
	manyRows = 2_000
	// walkSteps is how many values are changed in search of some that satisfy constraints.
	walkSteps = 400
	// manyCandidates is how many values are tried of a column.
	manyCandidates = 14
	// sampleDraws is how often a row is drawn here that constraints refuse: much less
	// often than in a run, so that what does here always does there.
	sampleDraws = 16
)

// check makes values satisfy the table's CHECK constraints and its columns' domains.
func (d *Draft) check(t *Table) {
	for i := range t.Schema.Columns {
		x := &t.Schema.Columns[i]
		if x.Dropped {
			continue
		}
		o := d.exprOptions()
		if x.Generated != 0 {
			o.Target, o.TargetTypmod = x.Type, x.Typmod
			if e, err := expr.CompileOptions(x.GeneratedExpr, t.Schema, o); err == nil {
				t.computed = append(t.computed, computed{i, e})
			}
			continue
		}
		if x.Type.Kind != pgtype.KindDomain || !x.Type.Constrained() {
			continue
		}
		k := &check{name: "domain " + x.Type.String(), columns: []int{i}}
		k.domain, _ = expr.CompileDomain(x.Type, o)
		for typ := x.Type; typ.Kind == pgtype.KindDomain; typ = typ.Elem {
			for _, c := range typ.Checks {
				k.sql += " " + c.Expr
			}
		}
		t.checks = append(t.checks, k)
	}
	for i := range t.Schema.Checks {
		c := &t.Schema.Checks[i]
		if c.NotEnforced {
			continue
		}
		e, err := expr.CompileOptions(c.Expr, t.Schema, d.exprOptions())
		if err != nil {
			continue // it is taken to hold
		}
		k := &check{name: c.Name, sql: c.Expr, e: e}
		for _, n := range e.Columns() {
			made := slices.IndexFunc(t.computed, func(c computed) bool { return c.column == n })
			if made < 0 {
				k.columns = append(k.columns, n)
				continue
			}
			k.columns = append(k.columns, t.computed[made].e.Columns()...)
		}
		slices.Sort(k.columns)
		k.columns = slices.Compact(k.columns)
		t.checks = append(t.checks, k)
	}
	for _, x := range t.Schema.Indexes {
		for i := range x.Keys {
			if x.Keys[i].Column >= 0 {
				continue
			}
			if e, err := expr.CompileOptions(x.Keys[i].Expr, t.Schema, d.exprOptions()); err == nil {
				t.checks = append(t.checks, &check{name: x.Name, sql: x.Keys[i].Expr, e: e, columns: e.Columns(), value: true})
			}
		}
	}
	if len(t.checks) == 0 {
		return
	}
	t.reads = map[int]bool{}
	for _, k := range t.checks {
		for _, n := range k.columns {
			t.reads[n] = true
		}
	}
	bad := d.violated(t)
	if len(bad) > 0 {
		d.adjust(t, bad)
		bad = d.violated(t)
	}
	for _, strict := range []bool{false, true} {
		if len(bad) > 0 {
			d.satisfy(t, bad, strict)
			bad = d.violated(t)
		}
	}
	if len(bad) > 0 {
		d.fewer(t, bad)
		bad = d.violated(t)
	}
	if len(bad) > 0 {
		var names []string
		for _, k := range bad {
			names = append(names, k.name)
		}
		t.assume("no values were found that satisfy " + strings.Join(names, ", "))
	}
}

// computed is a generated column.
type computed struct {
	column int
	e      *expr.Expr
}

// adjust tries other numbers of columns, other widths and bounds, and patterns of texts.
func (d *Draft) adjust(t *Table, bad []*check) {
	for _, k := range bad {
		// Constraints that hold must not break.
		group := append([]*check{k}, slices.DeleteFunc(slices.Clone(t.checks), func(c *check) bool {
			return slices.Contains(bad, c) || !slices.ContainsFunc(c.columns, func(n int) bool { return slices.Contains(k.columns, n) })
		})...)
		if !d.number(t, group) && !d.bound(t, k) {
			d.pattern(t, group)
		}
	}
}

// bound tries other widths of texts and other bounds of numbers for a constraint on one
// column that mentions such.
func (d *Draft) bound(t *Table, k *check) bool {
	if len(k.columns) != 1 {
		return false
	}
	c := t.column(k.columns[0])
	if c == nil || c.settled || c.distinct && !hasWidth(c.base().Kind) {
		return false
	}
	_, texts := constants(k.sql)
	var numbers []int64
	for _, n := range texts {
		if i, err := strconv.ParseFloat(n, 64); err == nil && i > -1e12 && i < 1e12 {
			numbers = append(numbers, int64(i))
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	saved := c.Spec
	for _, try := range c.adjusted(numbers) {
		c.Spec = try
		if d.everywhere(t, k) {
			return true
		}
	}
	c.Spec = saved
	return false
}

// adjusted are other widths and bounds, from numbers in ascending order.
func (c *Column) adjusted(numbers []int64) (list []scenario.Column) {
	k := c.base().Kind
	switch {
	case hasWidth(k) && c.Spec.MaxWidth > 0:
		for _, n := range numbers {
			if n < 1 || n > 1<<16 || c.distinct && n < 16 {
				continue
			}
			try := c.Spec
			try.MinWidth, try.MaxWidth = min(try.MinWidth, int(n)), min(try.MaxWidth, int(n))
			list = append(list, try)
			try.MinWidth, try.MaxWidth = int(n), int(n)
			list = append(list, try)
			try.MaxWidth = int(n) + 8
			list = append(list, try)
		}
	case isNumber(k) && c.Spec.Kind == scenario.Random:
		unit := int64(1)
		switch k {
		case pgtype.KindNumeric, pgtype.KindMoney, pgtype.KindFloat4, pgtype.KindFloat8:
			for range c.Spec.Scale {
				unit *= 10
			}
			if m := c.typmod(); k == pgtype.KindNumeric && m >= 4 && int(m-4)&0x7ff < c.Spec.Scale {
				unit = 1
				for range int(m-4) & 0x7ff {
					unit *= 10
				}
			}
		}
		add := func(first, distinct int64) {
			if distinct > 0 {
				try := c.Spec
				try.First, try.Distinct = first, min(try.Distinct, distinct)
				list = append(list, try)
			}
		}
		for i, n := range numbers {
			for _, m := range numbers[i+1:] {
				add(n*unit, (m-n)*unit+1)
				add(n*unit+1, (m-n)*unit-1)
			}
			add(n*unit, c.Spec.Distinct)
			add(n*unit+1, c.Spec.Distinct)
			add(n*unit-c.Spec.Distinct, c.Spec.Distinct)
		}
	}
	return list
}

// all says whether rows satisfy a constraint.
func (t *Table) all(rows [][]*string, k *check) bool {
	return !slices.ContainsFunc(rows, func(texts []*string) bool {
		row, ok := t.row(texts)
		return !ok || !k.holds(row)
	})
}

// satisfy makes values satisfy constraints. Strictly, no column of theirs keeps values that
// were not tried.
func (d *Draft) satisfy(t *Table, bad []*check, strict bool) {
	// Constraints that share columns are satisfied together.
	for len(bad) > 0 {
		group := []*check{bad[0]}
		columns := slices.Clone(bad[0].columns)
		for grown := true; grown; {
			grown = false
			for _, c := range t.checks {
				if slices.Contains(group, c) || !slices.ContainsFunc(c.columns, func(n int) bool { return slices.Contains(columns, n) }) {
					continue
				}
				group, grown = append(group, c), true
				for _, n := range c.columns {
					if !slices.Contains(columns, n) {
						columns = append(columns, n)
					}
				}
			}
		}
		d.solve(t, group, columns, bad, strict)
		bad = slices.DeleteFunc(bad, func(c *check) bool { return slices.Contains(group, c) })
	}
}

// takes says whether the column's type reads a value.
func (c *Column) takes(v string) bool {
	_, _, err := c.Schema.Type.Input([]byte(v), c.typmod(), nil)
	return err == nil
}

// choose gives the column some values.
func (c *Column) choose(values []string, note string) {
	c.Spec = scenario.Column{Name: c.Spec.Name, First: 1, Step: 1, Scale: 2, Kind: scenario.Choice, Values: values}
	c.Note, c.settled, c.checked = note, true, true
}

// sample makes some rows; nil is NULL.
func (d *Draft) sample(t *Table, n int) ([][]*string, error) { return d.sampleFrom(t, 0, n) }

// sampleFrom makes rows that come after so many.
func (d *Draft) sampleFrom(t *Table, from int64, n int) ([][]*string, error) {
	s := *d.Scenario
	s.Changes, s.Binary, s.Draws = int64(n), false, sampleDraws
	s.Tables = []*scenario.Table{t.scenarioTable()}
	s.Tables[0].Rows = min(from, math.MaxInt32)
	s.Operations = []*scenario.Operation{{Step: scenario.Step{Table: t.Schema.QualifiedName(), Do: scenario.Insert, Rows: 1}, Rate: 1}}
	g, err := scenario.NewGenerator(&s, d.db, d.db)
	if err != nil {
		return nil, err
	}
	g.SkipLoad()
	var rows [][]*string
	var m stream.Message
	for g.Next(&m) {
		if m.Kind != stream.KindInsert {
			continue
		}
		row := make([]*string, len(t.Schema.Columns))
		for i, c := range t.Columns {
			if f := &m.New[i]; f.Format == stream.ColumnText {
				v := string(f.Data)
				row[c.number] = &v
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// row is a row as it is stored, as far as constraints read it. ok is false if a type does
// not read a value.
func (t *Table) row(texts []*string) (row []datum.Value, ok bool) {
	row = make([]datum.Value, len(t.Schema.Columns))
	for i := range row {
		row[i].Null = true
		if i < len(texts) && texts[i] != nil && t.reads[i] {
			c := t.column(i)
			if c == nil {
				continue
			}
			typ := c.Schema.Type
			if typ.Constrained() {
				typ = typ.Base() // a check of its own
			}
			v, _, err := typ.Input([]byte(*texts[i]), c.typmod(), nil)
			if err != nil {
				return nil, false
			}
			row[i] = v
		}
	}
	for _, c := range t.computed {
		var s expr.Scratch
		v, err := c.e.Eval(row, &s)
		if err != nil {
			var unsupported *expr.UnsupportedError
			if errors.As(err, &unsupported) {
				continue
			}
			return nil, false
		}
		row[c.column] = v
	}
	return row, true
}

// holds says whether a row satisfies a constraint. One that cannot be evaluated holds.
func (c *check) holds(row []datum.Value) bool {
	s := expr.Scratch{Now: scenario.DefaultStart, HasNow: true}
	if c.domain != nil {
		return c.domain.Check(&row[c.columns[0]], &s, func(string, error) {}) == nil
	}
	v, err := c.e.Eval(row, &s)
	if err != nil {
		_, unsupported := err.(*expr.UnsupportedError)
		return unsupported
	}
	return c.value || v.Null || v.Bits&1 != 0
}

// violated lists constraints that rows do not satisfy as they are made now: those of some
// rows, and if there are none those of many.
func (d *Draft) violated(t *Table) []*check {
	bad := d.broken(t, sampleRows)
	if len(bad) == 0 {
		bad = d.broken(t, manyRows)
	}
	return bad
}

// broken lists the constraints that rows do not satisfy, the first so many among them.
func (d *Draft) broken(t *Table, n int) []*check {
	var rows [][]*string
	for _, at := range d.spots(t, n) {
		more, err := d.sampleFrom(t, at.from, at.n)
		if err != nil {
			return nil
		}
		rows = append(rows, more...)
	}
	var bad []*check
	for _, texts := range rows {
		row, ok := t.row(texts)
		for _, c := range t.checks {
			if !slices.Contains(bad, c) && (!ok || !c.holds(row)) {
				bad = append(bad, c)
			}
		}
	}
	return bad
}
