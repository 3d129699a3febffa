package backend

// How a statement finds its rows.

import (
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/model/schema"
)

// dml is a statement that reads or changes the rows of one table.
type dml struct {
	*statement
	verb  string // insert, update, delete, truncate, select
	table *schema.Table
	set   []int // columns that the SET list names
	// computes are the columns that the SET list's expressions compute with.
	computes []int
	where    []token
	alias    string
	// simple says that nothing but the table's own condition decides which rows it is
	// about.
	simple bool
	rows   int64 // rows of an INSERT, -1 if not known
	// conflict says that an INSERT has ON CONFLICT, upserts that it has DO UPDATE, arbiters
	// by which indexes.
	conflict bool
	// filters says that DO UPDATE has a condition.
	filters  bool
	upserts  bool
	arbiters []*schema.Index
	given    []int // columns that an INSERT gives values to, nil if not known
	perhaps  []int // those of them that are DEFAULT in some rows
	// copy says that it is a COPY, which inserts rows; nil if not.
	copy *apply.CopyStatement

	compiled bool
	filter   []*expr.Expr // the parts of the condition that can be computed
}

// condition is one of the parts that AND joins to a condition, as far as an index may
// check it.
type condition struct {
	toks   []token
	column int
	kind   conditionKind
	values int // of oneOf
	key    int // the index's column that it is about
}

// conditionKind is what a condition asks of its column.
type conditionKind byte

const (
	equality conditionKind = iota // it gives the column one value
	oneOf
	isNull
	lower // bounds
	upper
	between
)

// quals is how many conditions the planner sees in it.
func (c *condition) quals() float64 {
	if c.kind == between {
		return 2
	}
	return 1
}

// operators is how many operators are evaluated for each row.
func (c *condition) operators() float64 {
	switch c.kind {
	case between:
		return 2
	case oneOf:
		return float64(c.values) / 2
	case isNull:
		return 0
	}
	return 1
}

// readDML reads a statement about the rows of a table; nil if it is none, or one of a
// form that is not known.
func readDML(s *statement, db *schema.Database) *dml {
	if s.toks[0].is("copy") {
		return readCopy(s, db)
	}
	d := &dml{statement: s, verb: s.toks[0].text, rows: -1}
	toks := s.toks[1:]
	skip := func(words ...string) {
		for len(toks) > 0 && toks[0].kind == 'w' && toks[0].is(words...) {
			toks = toks[1:]
		}
	}
	switch {
	case s.toks[0].kind != 'w':
		return nil
	case d.verb == "insert":
		skip("into")
	case d.verb == "update", d.verb == "truncate":
		skip("only", "table")
	case d.verb == "delete":
		skip("from")
		skip("only")
	case d.verb == "select":
		from := find(toks, "from")
		if from >= len(toks) {
			return nil
		}
		toks = toks[from+1:]
		skip("only")
	default:
		return nil
	}
	if len(toks) == 0 || !toks[0].name() {
		return nil
	}
	space, name := "public", toks[0].text
	toks = toks[1:]
	if len(toks) > 1 && toks[0].is(".") {
		space, name, toks = name, toks[1].text, toks[2:]
	}
	if d.table = db.Table(space, name); d.table == nil {
		return nil
	}
	if d.verb == "insert" {
		d.rows = insertedRows(toks)
		d.readInsert(toks)
		return d
	}
	if d.verb == "truncate" {
		return d
	}
	d.simple = true
	skip("as")
	if len(toks) > 0 && toks[0].name() && !toks[0].is("set", "where", "using", "from", "returning", "order", "limit", "group", "for") {
		d.alias = toks[0].text
		toks = toks[1:]
	}
	if d.verb == "update" {
		end := find(toks, "from", "where", "returning")
		if len(toks) == 0 || !toks[0].is("set") {
			return nil
		}
		d.readSet(toks[1:end])
		toks = toks[end:]
	}
	if len(toks) > 0 && !toks[0].is("where", "returning") {
		d.simple = false // another table takes part, or not all rows are wanted
	}
	if i := find(toks, "where"); i < len(toks) {
		end := i + 1 + find(toks[i+1:], "returning", "order", "limit", "group", "for", "union", "having")
		d.where = toks[i+1 : end]
		if end < len(toks) && !toks[end].is("returning", "order") && d.readLocking() == nil {
			d.simple = false
		}
	}
	return d
}

// truncated are the tables that a TRUNCATE names.
func (d *dml) truncated(db *schema.Database) []*schema.Table {
	var tables []*schema.Table
	for _, item := range list(d.toks[1:]) {
		for len(item) > 0 && item[0].kind == 'w' && item[0].is("table", "only") {
			item = item[1:]
		}
		if len(item) == 0 {
			continue
		}
		space, name := "public", item[0].text
		if len(item) > 2 && item[1].is(".") {
			space, name = name, item[2].text
		}
		if t := db.Table(space, name); t != nil {
			tables = append(tables, t)
		}
	}
	return tables
}

// insertedRows is how many rows an INSERT of known form inserts; -1 if it is not known.
func insertedRows(toks []token) int64 {
	if i := find(toks, "values"); i < len(toks) && find(toks, "select") == len(toks) {
		return int64(len(list(toks[i+1 : find(toks, "on", "returning")])))
	}
	from := find(toks, "from")
	if from < len(toks) {
		if r := readSeries(toks[from+1:]); r != nil {
			return r.rows()
		}
	}
	return -1
}

// conditions cuts the statement's condition at AND: those that an index could check, and
// what the others are like. With OR there is none that an index could check.
func (d *dml) conditions(t *schema.Table) (all []condition, others []conditionKind) {
	if find(d.where, "or") < len(d.where) {
		return nil, nil
	}
	for _, part := range d.parts() {
		if len(part) == 0 {
			continue
		}
		if c, ok := d.indexable(t, part); ok {
			all = append(all, c)
		} else {
			others = append(others, likely(part))
		}
	}
	return all, others
}

// likely is what a condition is like that no index could check.
func likely(toks []token) conditionKind {
	for _, x := range toks {
		switch {
		case x.is("="):
			return equality
		case x.is("<", ">", "<=", ">="):
			return lower
		}
	}
	return between // DEFAULT_MATCH_SEL is the same
}

// indexable says whether an index could check a condition: a column, an operator that
// B-trees have, and a value that does not depend on the row.
func (d *dml) indexable(t *schema.Table, toks []token) (condition, bool) {
	c := condition{toks: toks}
	for len(toks) > 2 && toks[0].is("(") && closing(toks, 0) == len(toks)-1 {
		toks = toks[1 : len(toks)-1]
	}
	kinds := map[string]conditionKind{"=": equality, "<": upper, "<=": upper, ">": lower, ">=": lower}
	column, rest := d.column(t, toks)
	if column < 0 {
		// value operator column
		n := len(toks)
		for k := min(3, n); k >= 1; k -= 2 {
			if column, r := d.column(t, toks[n-k:]); column >= 0 && len(r) == 0 && n > k+1 && toks[n-k-1].kind == 'o' {
				kind, ok := kinds[toks[n-k-1].text]
				switch kind {
				case lower:
					kind = upper
				case upper:
					kind = lower
				}
				c.column, c.kind = column, kind
				return c, ok && d.constant(t, toks[:n-k-1])
			}
		}
		return c, false
	}
	if len(rest) < 2 {
		return c, false
	}
	op, value := rest[0], rest[1:]
	c.column = column
	if kind, ok := kinds[op.text]; ok && op.kind == 'o' {
		c.kind = kind
		if value[0].is("any", "some") {
			const usual = 10 // elements of an array that is not known (estimate_array_length)
			c.kind, c.values = oneOf, usual
			return c, kind == equality && d.constant(t, value)
		}
		return c, d.constant(t, value)
	}
	switch {
	case op.is("in") && value[0].is("("):
		c.kind, c.values = oneOf, len(list(value[1:closing(value, 0)]))
		if c.values == 1 {
			c.kind = equality
		}
		return c, d.constant(t, value)
	case op.is("between") && !value[0].is("symmetric"):
		c.kind = between
		return c, d.constant(t, value)
	case op.is("is") && len(value) == 1 && value[0].is("null"):
		c.kind = isNull
		return c, true
	}
	return c, false
}

// operators is how many operators and functions the whole condition has.
func (d *dml) operators(conditions []condition) float64 {
	n := 0.0
	for i, x := range d.where {
		switch {
		case x.kind == 'o':
			n++
		case x.is("like", "ilike", "similar"):
			n++
		case x.kind == 'w' && i+1 < len(d.where) && d.where[i+1].is("(") && !x.is("and", "or", "not", "in", "any", "between"):
			n++
		}
	}
	for i := range conditions {
		if c := &conditions[i]; c.kind == between || c.kind == oneOf {
			n += c.operators()
		}
	}
	return n
}

// column reads a column at the beginning of some tokens.
func (d *dml) column(t *schema.Table, toks []token) (column int, rest []token) {
	if len(toks) > 2 && toks[1].is(".") && (toks[0].text == d.alias || toks[0].text == t.Name) {
		toks = toks[2:]
	}
	if len(toks) == 0 || !toks[0].name() {
		return -1, nil
	}
	return t.Column(toks[0].text), toks[1:]
}

// constant says whether a value does not depend on the row.
func (d *dml) constant(t *schema.Table, toks []token) bool {
	if find(toks, "select") < len(toks) || len(toks) == 0 {
		return false
	}
	for i, x := range toks {
		if x.is("(") && i+1 < len(toks) && toks[i+1].is("select") {
			return false
		}
	}
	names, err := expr.Names(d.source(toks), t)
	return err == nil && len(names) == 0
}

// plan decides how the statement finds its rows in a table, its own or a partition of
// it: by the scan that a planner without statistics expects to be the cheapest.
func (d *dml) plan(r *relation) *apply.Statement {
	s, _ := d.cheapest(r)
	return s
}

// cheapest is plan with what the scan is expected to cost.
func (d *dml) cheapest(r *relation) (*apply.Statement, float64) {
	t := r.table
	s := &apply.Statement{Table: t, Method: apply.SeqScan, Read: d.verb == "select"}
	if d.verb == "update" {
		s.Set = []int{}
		for _, i := range d.set {
			if n := t.Column(d.table.Columns[i].Name); n >= 0 {
				s.Set = append(s.Set, n)
			}
		}
		for _, i := range d.computes {
			if n := t.Column(d.table.Columns[i].Name); n >= 0 {
				s.Computes = append(s.Computes, n)
			}
		}
	}
	if d.verb == "insert" || d.verb == "truncate" {
		s.Method = apply.NoScan
		s.Copy = d.copy
		s.Given, s.Perhaps, s.Conflict, s.Arbiters = d.given, d.perhaps, d.conflict, d.arbiters
		if d.conflict {
			s.Set, s.Computes = d.set, d.computes
		}
		return s, 0
	}
	conditions, others := d.conditions(t)
	operators := d.operators(conditions)
	rows := clamp(r.selectivity(conditions) * r.unindexed(others) * r.tuples)
	cost := r.choose(s, conditions, operators, rows)
	d.known(t, s, conditions)
	if s.Index != nil && s.Equal < len(s.Index.Keys) {
		s.Match = d.match(t, s.Index, conditions)
	}
	return s, cost
}

// known gives a scan the values that it looks for, as far as they can be computed; the
// first row that the statement changes has them, too.
func (d *dml) known(t *schema.Table, s *apply.Statement, conditions []condition) {
	if s.Equal == 0 || d.valueless {
		return
	}
	var columns []int
	var values []datum.Value
	for _, k := range s.Index.Keys[:s.Equal] {
		i := slices.IndexFunc(conditions, func(c condition) bool { return c.column == k.Column && c.kind == equality })
		if i < 0 {
			return
		}
		column, rest := d.column(t, conditions[i].toks)
		if column < 0 || len(rest) < 2 || !rest[0].is("=") || rest[1].is("any", "some") {
			return
		}
		v, ok := d.value(t, column, rest[1:])
		if !ok || v.Null {
			return
		}
		columns, values = append(columns, column), append(values, v)
	}
	s.Columns, s.Values = columns, values
}

// choose sets the scan of a statement that is expected to be the cheapest, and returns
// its cost.
func (r *relation) choose(s *apply.Statement, conditions []condition, operators, rows float64) float64 {
	least := r.sequential(operators)
	for _, x := range r.table.Indexes {
		if x.Method != "btree" || x.Predicate != "" {
			continue
		}
		var used []condition
		equal := 0
		for i, k := range x.Keys {
			for _, c := range conditions {
				if k.Column >= 0 && c.column == k.Column {
					c.key = i
					used = append(used, c)
					if c.kind == equality && equal == i {
						equal++
					}
				}
			}
		}
		if len(used) == 0 {
			continue // without a condition on its first column it is read as a whole
		}
		index, bitmap := r.byIndex(x, used, operators, rows)
		method, cost := apply.IndexScan, index
		if bitmap*fuzz < index {
			method, cost = apply.BitmapScan, bitmap
		}
		if cost*fuzz < least {
			least = cost
			s.Method, s.Index, s.Equal = method, x, equal
		}
	}
	return least
}

// match compiles those conditions that an index checks; nil if there are none beyond
// the values of its leading columns, or if they cannot be computed.
func (d *dml) match(t *schema.Table, x *schema.Index, conditions []condition) func([]datum.Value) bool {
	var exprs []*expr.Expr
	for _, c := range conditions {
		if !slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column == c.column }) || d.valueless {
			continue
		}
		e, err := expr.Compile(d.unaliased(c.toks), t, nil)
		if err != nil {
			continue
		}
		exprs = append(exprs, e)
	}
	if len(exprs) == 0 {
		return nil
	}
	row := make([]datum.Value, len(t.Columns))
	var scratch expr.Scratch
	return func(keys []datum.Value) bool {
		for i, k := range x.Keys {
			if k.Column >= 0 {
				row[k.Column] = keys[i]
			}
		}
		for _, e := range exprs {
			scratch.Reset()
			if ok, err := e.EvalBool(row, &scratch); err == nil && !ok {
				return false
			}
		}
		return true
	}
}

// parts cuts the statement's condition at AND.
func (d *dml) parts() [][]token {
	if len(d.where) == 0 || find(d.where, "or") < len(d.where) {
		return [][]token{d.where}
	}
	var all [][]token
	for rest := d.where; len(rest) > 0; {
		end := find(rest, "and")
		if b := find(rest, "between"); b < end && end < len(rest) {
			end += 1 + find(rest[end+1:], "and")
		}
		all = append(all, rest[:end])
		rest = rest[min(end+1, len(rest)):]
	}
	return all
}

// holds says whether the statement's condition holds for a row of its table, as far as it
// can be computed.
func (d *dml) holds(row []datum.Value) bool {
	if !d.compiled {
		d.compiled = true
		for _, part := range d.parts() {
			if len(part) == 0 || d.valueless {
				continue
			}
			if e, err := expr.Compile(d.unaliased(part), d.table, nil); err == nil && !e.Volatile() {
				d.filter = append(d.filter, e)
			}
		}
	}
	var scratch expr.Scratch
	for _, e := range d.filter {
		if elsewhere(e, row) {
			continue
		}
		if ok, err := e.EvalBool(row, &scratch); err == nil && !ok {
			return false
		}
	}
	return true
}

// unaliased is the text of a part of the condition with the table's alias left out.
func (d *dml) unaliased(toks []token) string {
	var b strings.Builder
	at := toks[0].start
	for i := range toks {
		if d.alias != "" && toks[i].name() && toks[i].text == d.alias && i+1 < len(toks) && toks[i+1].is(".") {
			b.WriteString(d.text[at:toks[i].start])
			at = toks[i+1].end
		}
	}
	b.WriteString(d.text[at:toks[len(toks)-1].end])
	return b.String()
}

// elsewhere says whether an expression needs a value that is stored out of line.
func elsewhere(e *expr.Expr, row []datum.Value) bool {
	return slices.ContainsFunc(e.Columns(), func(i int) bool { return !row[i].Null && row[i].Form == datum.External })
}
