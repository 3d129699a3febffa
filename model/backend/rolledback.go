package backend

// Work that is rolled back: no stream tells of it, so that the statement itself has to
// be carried out.

import (
	"cmp"
	"slices"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/wal/storage"
)

// rolledBack carries out a statement whose rows the stream does not have.
func (r *Runner) rolledBack(d *dml) error {
	if d.valueless {
		return rolledBackError(d.statement)
	}
	leaves := []*schema.Table{d.table}
	if d.table.Kind == 'p' && d.verb != "insert" {
		if d.verb == "truncate" {
			return rolledBackError(d.statement)
		}
		leaves = r.b.Leaves(d.table, d.partitionConditions)
	}
	lock := d.readLocking()
	for i, leaf := range leaves {
		plan := r.lockPlan(d, lock, leaf)
		if i > 0 {
			r.b.ContinueStatement(plan)
		} else if err := r.b.BeginStatement(plan); err != nil {
			return err
		}
		var err error
		switch d.verb {
		case "insert":
			err = r.insertRolledBack(d)
		case "truncate":
			err = r.b.Truncate([]*schema.Table{leaf})
		case "select":
			if lock != nil {
				err = r.locks(d, lock, leaf, plan)
			}
		default:
			err = r.changeRolledBack(d, leaf, plan)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unlogged carries out a statement on a table whose rows no stream has, and no record
// tells of: what is left of it is that its transaction has an id, and what others find
// there.
func (r *Runner) unlogged(d *dml) error {
	if !r.computable(d) {
		r.b.AssignXID()
		return r.ended()
	}
	noted := r.RolledBack
	r.RolledBack = nil
	defer func() { r.RolledBack = noted }()
	if err := r.rolledBack(d); err != nil {
		return err
	}
	return r.ended()
}

// computable says whether the rows that a statement changes can be found from its SQL.
func (r *Runner) computable(d *dml) bool {
	switch {
	case d.valueless:
		return false
	case d.verb == "insert":
		return !d.conflict && r.sources(d, func(map[int]datum.Value) error { return nil }) == nil
	case d.verb == "update", d.verb == "delete":
		_, _, err := d.changing(d.table)
		return err == nil
	case d.verb == "truncate":
		return d.table.Kind != 'p'
	}
	return true
}

// compile compiles an expression for a column of a table.
func compile(s *statement, text string, t, over *schema.Table, column int) (*expr.Expr, error) {
	c := &t.Columns[column]
	e, err := expr.CompileOptions(text, over, &expr.Options{Target: c.Type, TargetTypmod: c.Typmod})
	if err != nil || e.Volatile() && (c.Type.Len < 0 || decides(t, column)) {
		return nil, rolledBackError(s)
	}
	return e, nil
}

// decides says whether a column's value may decide more than the width of a row: an index
// depends on it, or which partition the row goes to.
func decides(t *schema.Table, column int) bool {
	return t.Partition != nil || t.Parent != nil || slices.ContainsFunc(t.Indexes, func(x *schema.Index) bool {
		return x.Predicate != "" || slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column == column || k.Column < 0 })
	})
}

// insertRolledBack carries out an INSERT.
func (r *Runner) insertRolledBack(d *dml) error {
	if d.conflict {
		return rolledBackError(d.statement)
	}
	return r.sources(d, func(values map[int]datum.Value) error {
		t, err := r.b.InsertRow(d.table, values)
		if err != nil || r.RolledBack == nil {
			return err
		}
		if t != d.table {
			own := map[int]datum.Value{}
			for i, v := range values {
				own[t.Column(d.table.Columns[i].Name)] = v
			}
			values = own
		}
		r.RolledBack(t, values)
		return nil
	})
}

// sources computes the rows of INSERT ... VALUES and INSERT ... SELECT ... FROM
// generate_series(...): values by column.
func (r *Runner) sources(d *dml, yield func(values map[int]datum.Value) error) error {
	toks := d.toks
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].is("on") && toks[i+1].is("conflict") {
			toks = toks[:i]
		}
	}
	start := find(toks, "values", "select")
	if start == len(toks) || find(toks, "on", "with") < len(toks) {
		return rolledBackError(d.statement)
	}
	var columns []int
	for i := range toks[:start] {
		if toks[i].is("(") {
			for _, name := range list(toks[i+1 : closing(toks, i)]) {
				columns = append(columns, d.table.Column(name[0].text))
			}
			break
		}
	}
	if columns == nil {
		for i := range d.table.Columns {
			if c := &d.table.Columns[i]; !c.Dropped && c.Generated == 0 {
				columns = append(columns, i)
			}
		}
	}
	var sources [][][]token // rows of expressions
	over := &series{name: "generate_series", from: 1, to: 1, step: 1}
	end := find(toks, "returning")
	if toks[start].is("values") {
		for _, row := range list(toks[start+1 : end]) {
			if len(row) < 2 || !row[0].is("(") {
				return rolledBackError(d.statement)
			}
			sources = append(sources, list(row[1:len(row)-1]))
		}
	} else {
		from := find(toks, "from")
		if from < end {
			if over = readSeries(toks[from+1 : end]); over == nil {
				return rolledBackError(d.statement)
			}
		}
		sources = [][][]token{list(toks[start+1 : min(from, end)])}
	}
	table := over.table()
	scratch := expr.Scratch{Now: int64(r.feed.now), HasNow: true}
	values := map[int]datum.Value{}
	for _, source := range sources {
		if len(source) > len(columns) {
			return rolledBackError(d.statement)
		}
		var exprs []*expr.Expr
		for i, x := range source {
			if columns[i] < 0 {
				return rolledBackError(d.statement)
			}
			e, err := compile(d.statement, d.source(x), d.table, table, columns[i])
			if err != nil {
				return err
			}
			exprs = append(exprs, e)
		}
		for n := range over.rows() {
			row := []datum.Value{over.value(n, table)}
			scratch.Reset()
			for i, e := range exprs {
				v, err := e.Eval(row, &scratch)
				if err != nil {
					return rolledBackError(d.statement)
				}
				values[columns[i]] = v
			}
			if err := yield(values); err != nil {
				return err
			}
		}
	}
	return nil
}

// changing compiles the condition and the SET list of an UPDATE or DELETE for a table, its own
// or a partition of it.
func (d *dml) changing(t *schema.Table) (where *expr.Expr, sets map[int]*expr.Expr, err error) {
	if !d.simple {
		return nil, nil, rolledBackError(d.statement)
	}
	if len(d.where) > 0 {
		if where, err = expr.Compile(d.unaliased(d.where), t, nil); err != nil || where.Volatile() {
			return nil, nil, rolledBackError(d.statement)
		}
	}
	sets = map[int]*expr.Expr{}
	if d.verb == "update" {
		begin := find(d.toks, "set") + 1
		for _, item := range list(d.toks[begin:find(d.toks, "where", "returning")]) {
			if len(item) < 3 || !item[1].is("=") || t.Column(item[0].text) < 0 {
				return nil, nil, rolledBackError(d.statement)
			}
			column := t.Column(item[0].text)
			e, err := compile(d.statement, d.source(item[2:]), t, t, column)
			if err != nil {
				return nil, nil, err
			}
			sets[column] = e
		}
	}
	return where, sets, nil
}

// changeRolledBack carries out UPDATE and DELETE on a table, the statement's or a partition
// of it.
func (r *Runner) changeRolledBack(d *dml, t *schema.Table, plan *apply.Statement) error {
	where, sets, err := d.changing(t)
	if err != nil {
		return err
	}
	type change struct {
		tid    storage.TID
		values map[int]datum.Value
	}
	var changes []change
	var failed error
	r.b.Rows(t, func(tid storage.TID, row []datum.Value) bool {
		var scratch expr.Scratch // its values live on
		if where != nil && elsewhere(where, row) {
			failed = rolledBackError(d.statement)
			return false
		}
		if where != nil {
			if ok, err := where.EvalBool(row, &scratch); err != nil || !ok {
				failed = err
				return err == nil
			}
		}
		c := change{tid, map[int]datum.Value{}}
		for column, e := range sets {
			if elsewhere(e, row) {
				failed = rolledBackError(d.statement)
				return false
			}
			v, err := e.Eval(row, &scratch)
			if err != nil {
				failed = err
				return false
			}
			c.values[column] = v
		}
		changes = append(changes, c)
		return true
	})
	if failed != nil {
		return rolledBackError(d.statement)
	}
	if order := r.b.ScanOrder(plan); order != nil {
		place := map[storage.TID]int{}
		for i, tid := range order {
			place[tid] = i
		}
		slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(place[a.tid], place[b.tid]) })
	}
	for _, c := range changes {
		var err error
		if d.verb == "delete" {
			err = r.b.DeleteRow(t, c.tid)
		} else {
			err = r.b.UpdateRow(t, c.tid, c.values)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
