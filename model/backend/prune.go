package backend

// Which partitions a statement scans.

import (
	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/partition"
	"applysim/model/schema"
)

// partitionConditions are what the statement's condition asks of single columns of a
// table, as far as the planner can compare it with the bounds of partitions.
func (d *dml) partitionConditions(t *schema.Table) []partition.Condition {
	if d.valueless {
		return nil
	}
	conditions, _ := d.conditions(t)
	var list []partition.Condition
	for i := range conditions {
		c := &conditions[i]
		column, rest := d.column(t, c.toks)
		if column < 0 || len(rest) < 2 {
			continue
		}
		add := func(op string, texts ...[]token) {
			p := partition.Condition{Column: column, Op: op}
			for _, text := range texts {
				v, ok := d.value(t, column, text)
				if !ok {
					return
				}
				p.Values = append(p.Values, v)
			}
			list = append(list, p)
		}
		switch {
		case c.kind == between:
			and := find(rest, "and")
			add(">=", rest[1:and])
			if and < len(rest) {
				add("<=", rest[and+1:])
			}
		case rest[0].is("in"):
			add("=", exprs(rest)...)
		case rest[0].kind == 'o' && !rest[1].is("any", "some"):
			add(rest[0].text, rest[1:])
		}
	}
	return list
}

// exprs are the expressions of IN (...).
func exprs(toks []token) [][]token { return list(toks[2:closing(toks, 1)]) }

// value computes an expression without columns as a column's type.
func (d *dml) value(t *schema.Table, column int, toks []token) (datum.Value, bool) {
	c := &t.Columns[column]
	e, err := expr.CompileOptions(d.source(toks), t, &expr.Options{Target: c.Type, TargetTypmod: c.Typmod})
	if err != nil || e.Volatile() || len(e.Columns()) > 0 {
		return datum.Value{}, false
	}
	v, err := e.Eval(nil, new(expr.Scratch))
	return v, err == nil
}
