package backend

// What an INSERT ... SELECT reads: one table, in the order in which a scan comes to its rows.

import (
	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/wal/storage"
)

// reading is the scan of an INSERT's source.
type reading struct {
	scan *apply.Source
	rows []storage.TID // still to be inserted, in the scan's order
}

// source begins to read the table that an INSERT selects from; nil if it selects from none,
// or in a way that is not known: joins, LIMIT. Rows that have to be sorted or grouped are
// read before the first one is inserted; that an index may give them in order is not known.
func (r *Runner) source(d *dml) *reading {
	start := find(d.toks, "select")
	if d.verb != "insert" || d.copy != nil || start == len(d.toks) || find(d.toks, "values", "with") < len(d.toks) || find(d.toks, "union", "intersect", "except", "join") < len(d.toks) {
		return nil
	}
	end := find(d.toks, "on", "returning")
	s := *d.statement
	s.toks = d.toks[start:end]
	from := find(s.toks, "from")
	if find(s.toks, "limit", "offset", "fetch") < len(s.toks) {
		return nil // the scan ends somewhere
	}
	if from+1 >= len(s.toks) {
		return nil
	}
	if n := find(s.toks[from:], "where", "group", "order", "limit", "having"); find(s.toks[from:from+n], ",") < n || len(list(s.toks[from:from+n])) > 1 {
		return nil // several tables
	}
	q := readDML(&s, r.db)
	if q == nil || q.verb != "select" || q.table.Kind == 'p' || q.valueless {
		return nil
	}
	plan := q.plan(r.relation(q.table))
	scan := r.b.OpenSource(plan)
	if scan == nil {
		return nil
	}
	x := &reading{scan: scan}
	if find(s.toks, "order", "group", "distinct") < len(s.toks) || aggregates(s.toks[:from]) || !r.find(q, plan, x) {
		scan.Finish()
		return nil
	}
	return x
}

// aggregates says whether a SELECT list has an aggregate function.
func aggregates(toks []token) bool {
	for i := 0; i+1 < len(toks); i++ {
		if toks[i].kind == 'w' && toks[i+1].is("(") &&
			toks[i].is("count", "sum", "avg", "min", "max", "string_agg", "array_agg", "jsonb_agg", "json_agg", "bool_and", "bool_or") {
			return true
		}
	}
	return false
}

// find finds the rows that a query reads; false if that cannot be done.
func (r *Runner) find(q *dml, plan *apply.Statement, x *reading) bool {
	var where *expr.Expr
	if len(q.where) > 0 {
		var err error
		if where, err = expr.Compile(q.unaliased(q.where), q.table, nil); err != nil || where.Volatile() {
			return false
		}
	}
	ok := plan.Method == apply.SeqScan || plan.Method == apply.BitmapScan
	r.b.Rows(q.table, func(tid storage.TID, row []datum.Value) bool {
		if where != nil {
			if elsewhere(where, row) {
				ok = false
				return false
			}
			var scratch expr.Scratch
			if holds, err := where.EvalBool(row, &scratch); err != nil || !holds {
				ok = ok && err == nil
				return ok
			}
		}
		x.rows = append(x.rows, tid)
		return true
	})
	return ok
}

// next goes on to the next row.
func (x *reading) next() {
	if x == nil || len(x.rows) == 0 {
		return
	}
	x.scan.To(x.rows[0])
	x.rows = x.rows[1:]
}

// end reads what is left.
func (x *reading) end() {
	if x != nil {
		x.scan.Finish()
	}
}
