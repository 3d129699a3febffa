package backend

// SELECT ... FOR UPDATE and the like: rows that are locked, of which no stream tells.

import (
	"cmp"
	"slices"
	"strconv"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/model/schema"
	"applysim/wal/storage"
)

// locking is the locking clause of a SELECT, and what decides which rows it locks beside the
// condition, in which order.
type locking struct {
	mode  heap.RowLock
	order []int // columns of ORDER BY
	desc  bool
	limit int64 // -1 without LIMIT
}

// readLocking reads the locking clause of a SELECT from one table; nil if it has none, or
// if which rows it locks is not known.
func (d *dml) readLocking() *locking {
	if d.verb != "select" {
		return nil
	}
	toks := d.toks
	at := find(toks, "for")
	if at == len(toks) || find(toks, "group", "union", "having", "offset", "fetch", "with") < len(toks) {
		return nil
	}
	l := &locking{limit: -1}
	switch lock := toks[at+1:]; {
	case len(lock) > 0 && lock[0].is("update"):
		l.mode = heap.LockUpdate
	case len(lock) > 2 && lock[0].is("no") && lock[2].is("update"):
		l.mode = heap.LockNoKeyUpdate
	case len(lock) > 0 && lock[0].is("share"):
		l.mode = heap.LockShare
	case len(lock) > 1 && lock[0].is("key") && lock[1].is("share"):
		l.mode = heap.LockKeyShare
	default:
		return nil
	}
	from := find(toks, "from")
	if sources := list(toks[from+1 : min(at, from+1+find(toks[from+1:], "where", "order", "limit"))]); len(sources) != 1 || find(sources[0], "join") < len(sources[0]) {
		return nil
	}
	if i := find(toks, "limit"); i < len(toks) {
		n, err := strconv.ParseInt(toks[min(i+1, len(toks)-1)].text, 10, 64)
		if err != nil {
			return nil
		}
		l.limit = n
	}
	if i := find(toks, "order"); i+1 < len(toks) {
		for k, item := range list(toks[i+2 : i+2+find(toks[i+2:], "limit", "for")]) {
			column, rest := d.column(d.table, item)
			desc := len(rest) > 0 && rest[0].is("desc")
			if column < 0 || len(rest) > 1 || len(rest) == 1 && !rest[0].is("asc", "desc") || k > 0 && desc != l.desc {
				return nil
			}
			l.order, l.desc = append(l.order, column), desc
		}
	}
	return l
}

// lockingQuery is a query in the condition of an UPDATE or DELETE that locks rows, as workers
// of a job queue take their next jobs: it is carried out first. nil if there is none.
func (d *dml) lockingQuery(db *schema.Database) (*dml, *locking) {
	for i := 0; i+1 < len(d.where); i++ {
		if !d.where[i].is("(") || !d.where[i+1].is("select") {
			continue
		}
		query := *d.statement
		query.toks = d.where[i+1 : closing(d.where, i)]
		if q := readDML(&query, db); q != nil {
			if l := q.readLocking(); l != nil {
				return q, l
			}
		}
	}
	return nil, nil
}

// lockPlan is how a SELECT with a locking clause finds its rows: with LIMIT by an index that
// has the order of ORDER BY, rather than to sort all of the table.
func (r *Runner) lockPlan(d *dml, l *locking, t *schema.Table) *apply.Statement {
	plan := d.plan(r.relation(t))
	if l == nil || l.limit < 0 || len(l.order) == 0 || l.desc || plan.Method != apply.SeqScan {
		return plan
	}
	i := slices.IndexFunc(t.Indexes, func(x *schema.Index) bool { return x.Predicate == "" && orders(x, l.order) })
	if i < 0 {
		return plan
	}
	return &apply.Statement{Table: t, Method: apply.IndexScan, Index: t.Indexes[i], Read: true}
}

// locks carries out the locking clause of a SELECT, whose scan has begun, for a table: its
// own or a partition of it.
func (r *Runner) locks(d *dml, l *locking, t *schema.Table, plan *apply.Statement) error {
	tids, sorted, ok := r.toLock(d, l, t, plan)
	if !ok {
		r.doubt("which rows %s ... locks is not known", d.text[:min(40, len(d.text))])
		return nil
	}
	if sorted {
		r.b.FinishScan()
	}
	for _, tid := range tids {
		r.b.LockRow(t, tid, l.mode)
	}
	if l.limit >= 0 && int64(len(tids)) == l.limit && !sorted {
		r.b.StopScan()
	}
	return nil
}

// toLock finds the rows that a locking clause locks, in order. sorted says that they were
// sorted, after all had been read.
func (r *Runner) toLock(d *dml, l *locking, t *schema.Table, plan *apply.Statement) (tids []storage.TID, sorted, ok bool) {
	var where *expr.Expr
	if len(d.where) > 0 {
		var err error
		if where, err = expr.Compile(d.unaliased(d.where), t, nil); err != nil || where.Volatile() {
			return nil, false, false
		}
	}
	ok = true
	r.b.Rows(t, func(tid storage.TID, row []datum.Value) bool {
		var scratch expr.Scratch
		if where != nil {
			holds, err := where.EvalBool(row, &scratch)
			if ok = err == nil && !elsewhere(where, row); !ok || !holds {
				return ok
			}
		}
		tids = append(tids, tid)
		return true
	})
	if !ok {
		return nil, false, false
	}
	inOrderOf := func(order []storage.TID) {
		place := make(map[storage.TID]int, len(order))
		for i, tid := range order {
			place[tid] = i
		}
		slices.SortStableFunc(tids, func(a, b storage.TID) int { return cmp.Compare(place[a], place[b]) })
	}
	if order := r.b.ScanOrder(plan); order != nil {
		inOrderOf(order)
	}
	if len(l.order) > 0 && !(plan.Method == apply.IndexScan && orders(plan.Index, l.order)) {
		i := slices.IndexFunc(t.Indexes, func(x *schema.Index) bool { return x.Predicate == "" && orders(x, l.order) })
		if i < 0 {
			return nil, false, false
		}
		inOrderOf(r.b.ScanOrder(&apply.Statement{Table: t, Method: apply.IndexScan, Index: t.Indexes[i]}))
		sorted = true
	}
	if l.desc {
		slices.Reverse(tids)
	}
	if l.limit >= 0 && int64(len(tids)) > l.limit {
		tids = tids[:l.limit]
	}
	return tids, sorted, true
}

// orders says whether an index has entries in the ascending order of some columns.
func orders(x *schema.Index, columns []int) bool {
	if x == nil || x.Method != "btree" || len(x.Keys) < len(columns) {
		return false
	}
	for i, c := range columns {
		if k := &x.Keys[i]; k.Column != c || k.Desc || k.NullsFirst {
			return false
		}
	}
	return true
}
