package backend

// What an INSERT says beside its rows.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/schema"
)

// readInsert reads the columns that an INSERT gives values to, and its ON CONFLICT clause.
// toks are what stands after the table's name.
func (d *dml) readInsert(toks []token) {
	if len(toks) > 1 && toks[0].is("as") {
		d.alias, toks = toks[1].text, toks[2:]
	}
	end := len(toks)
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].is("on") && toks[i+1].is("conflict") {
			d.readConflict(toks[i+2:])
			end = i
			break
		}
	}
	toks = toks[:end]
	if len(toks) > 1 && toks[0].is("(") && !toks[1].is("select", "values", "with", "(") {
		d.given = []int{}
		close := closing(toks, 0)
		for _, name := range list(toks[1:close]) {
			if len(name) > 0 {
				d.given = append(d.given, d.table.Column(name[0].text))
			}
		}
		toks = toks[min(close+1, len(toks)):]
	}
	if len(toks) > 0 && toks[0].is("overriding") {
		toks = toks[min(3, len(toks)):]
	}
	if len(toks) == 0 {
		return
	}
	switch {
	case toks[0].is("default"):
		d.given = []int{}
	case toks[0].is("values"):
		d.readValues(list(toks[1:find(toks, "returning")]))
	case toks[0].is("select") && d.given == nil:
		items := list(toks[1:find(toks, "from", "where", "returning", "order", "limit", "union")])
		for _, x := range items {
			if len(x) > 0 && x[len(x)-1].is("*") {
				return // as many as the table has
			}
		}
		d.given = d.first(len(items))
	}
}

// first are the first columns of the table that an INSERT without a list gives.
func (d *dml) first(n int) []int {
	columns := []int{}
	for i := range d.table.Columns {
		if len(columns) < n && !d.table.Columns[i].Dropped {
			columns = append(columns, i)
		}
	}
	return columns
}

// readValues reads which columns the rows of VALUES have.
func (d *dml) readValues(rows [][]token) {
	for _, row := range rows {
		if len(row) < 2 || !row[0].is("(") {
			continue
		}
		values := list(row[1:closing(row, 0)])
		if d.given == nil {
			d.given = d.first(len(values))
		}
		for k, v := range values {
			if len(v) == 1 && v[0].is("default") && k < len(d.given) && !slices.Contains(d.perhaps, d.given[k]) {
				d.perhaps = append(d.perhaps, d.given[k])
			}
		}
	}
	// What no row or only some give is drawn where the value is the next one.
	d.given = slices.DeleteFunc(d.given, func(n int) bool { return slices.Contains(d.perhaps, n) })
}

// readConflict reads what stands after ON CONFLICT.
func (d *dml) readConflict(toks []token) {
	d.conflict = true
	d.set = []int{}
	if len(toks) > 2 && toks[0].is("on") && toks[1].is("constraint") {
		for _, x := range d.table.Indexes {
			if x.Name == toks[2].text {
				d.arbiters = append(d.arbiters, x)
			}
		}
	} else if len(toks) > 0 && toks[0].is("(") {
		var columns []int
		for _, item := range list(toks[1:closing(toks, 0)]) {
			if len(item) > 0 {
				columns = append(columns, d.table.Column(item[0].text))
			}
		}
		for _, x := range d.table.Indexes {
			if x.Unique && len(x.Keys) == len(columns) && !slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return !slices.Contains(columns, k.Column) }) {
				d.arbiters = append(d.arbiters, x)
			}
		}
	}
	if i := find(toks, "set"); i < len(toks) {
		d.upserts = true
		end := i + 1 + find(toks[i+1:], "where", "returning")
		d.readSet(toks[i+1 : end])
		d.filters = end < len(toks) && toks[end].is("where")
	}
}

// upsert carries out an INSERT with ON CONFLICT whose rows can be computed; known is
// false if they cannot be. What conflicts and stays as it is has no change in the stream.
func (r *Runner) upsert(d *dml, plan *apply.Statement) (known bool, err error) {
	rows := r.rowsOf(d)
	if rows == nil || d.table.Kind == 'p' {
		return false, nil
	}
	if err := r.b.BeginStatement(plan); err != nil {
		return true, err
	}
	for _, row := range rows {
		if r.b.Conflicts(d.table, row) {
			// The row was made before anybody looked for others.
			if err := r.b.Draw(d.table); err != nil {
				return true, err
			}
			if !d.upserts {
				r.b.PassConflict(d.table, row)
				continue
			}
		}
		if err := r.rows(d, plan, d.table, 1); err != nil {
			return true, err
		}
	}
	return true, nil
}

// rowsOf are the rows of an INSERT by column; nil if they cannot be computed.
func (r *Runner) rowsOf(d *dml) []map[int]datum.Value {
	if d.valueless {
		return nil
	}
	rows := []map[int]datum.Value{}
	if err := r.sources(d, func(values map[int]datum.Value) error {
		row := map[int]datum.Value{}
		for i, v := range values {
			v.Bytes = slices.Clone(v.Bytes)
			row[i] = v
		}
		rows = append(rows, row)
		return nil
	}); err != nil {
		return nil
	}
	return rows
}
