package apply

// Expressions that run with each row: index expressions and predicates, stored
// generated columns, CHECK constraints, defaults.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// generatedColumn is a stored generated column.
type generatedColumn struct {
	column int
	expr   *expr.Expr
}

// check is a CHECK constraint.
type check struct {
	name string
	expr *expr.Expr
}

// resolver finds the types of a schema by name, with or without that of its schema.
func resolver(db *schema.Database) func(name string) *pgtype.Type {
	return func(name string) *pgtype.Type {
		if t := db.Types[name]; t != nil {
			return t
		}
		return db.Types["public."+name]
	}
}

// exprOptions are the options of expressions that belong to something.
func (w *Worker) exprOptions(use string) *expr.Options {
	w.collations.using = use
	return &expr.Options{Resolve: w.resolve, Collation: w.collations.forExpr, TargetTypmod: -1}
}

// compile compiles an expression over a table's columns.
func (w *Worker) compile(s *schema.Table, sql string, target *schema.Column, use string) (*expr.Expr, error) {
	o := w.exprOptions(use)
	if target != nil {
		o.Target, o.TargetTypmod = target.Type, target.Typmod
	}
	return expr.CompileOptions(sql, s, o)
}

// eval computes an expression for a row of the table.
func (t *table) eval(e *expr.Expr, row []datum.Value) (datum.Value, error) {
	return e.Eval(plainColumns(t, row, e.Reads()), t.scratch)
}

// plainColumns returns the row with the given columns as their types have them:
// fetched from the TOAST table and decompressed. The row itself stays as it is.
func plainColumns(t *table, row []datum.Value, columns []int) []datum.Value {
	copied := false
	for _, i := range columns {
		if row[i].Null || row[i].Form == datum.Plain {
			continue
		}
		if !copied {
			row, copied = slices.Clone(row), true
		}
		row[i] = t.plain(&row[i])
	}
	return row
}

// addConstraints compiles a table's generated columns and constraints. A constraint
// that cannot be evaluated is taken to hold, with a warning.
func (w *Worker) addConstraints(t *table) {
	s := t.schema
	for i := range s.Columns {
		c := &s.Columns[i]
		if c.Dropped {
			continue
		}
		if c.NotNull {
			t.notNull = append(t.notNull, i)
		}
		if c.Generated != 's' {
			continue
		}
		e, err := w.compile(s, c.GeneratedExpr, c, fmt.Sprintf("generated column %s.%s", s.QualifiedName(), c.Name))
		if e, err = w.assume.Generated(s, c, e, err); err != nil {
			t.unsupported = fmt.Sprintf("generated column %s.%s: %v", s.QualifiedName(), c.Name, err)
			continue
		}
		t.generated = append(t.generated, generatedColumn{i, e})
	}
	for i := range s.Checks {
		c := &s.Checks[i]
		if c.NotEnforced {
			continue
		}
		if c.Assume {
			w.holds(t, c.Name, errAssume)
			t.unchecked++
			continue
		}
		e, err := w.compile(s, c.Expr, nil, fmt.Sprintf("CHECK constraint %s of %s", c.Name, s.QualifiedName()))
		if err == nil && slices.ContainsFunc(e.Columns(), func(n int) bool { return s.Columns[n].Generated == 'v' }) {
			err = fmt.Errorf("it refers to a virtual generated column")
		}
		if err == nil && e.Type() != nil && e.Type().Base().Kind != pgtype.KindBool {
			err = fmt.Errorf("argument of CHECK must be type boolean, not type %s", e.Type())
		}
		if err != nil {
			w.holds(t, c.Name, err)
			t.unchecked++
			continue
		}
		t.checks = append(t.checks, check{c.Name, e})
	}
	slices.SortFunc(t.checks, func(a, b check) int { return strings.Compare(a.name, b.name) })
	for i := range s.Triggers {
		// The worker changes row by row: of triggers FOR EACH STATEMENT only those on
		// TRUNCATE fire.
		g := &s.Triggers[i]
		if (g.Enabled == 'R' || g.Enabled == 'A') && (g.Row || slices.Contains(g.Events, "truncate")) {
			t.triggers = append(t.triggers, g)
			w.Warnings = append(w.Warnings, fmt.Sprintf("trigger %s of table %s fires on the subscriber; what it does is not modelled", g.Name, s.QualifiedName()))
		}
	}
}

var errAssume = errors.New("it is not evaluated, as was asked for")

// holds notes that a CHECK constraint is taken to hold.
func (w *Worker) holds(t *table, name string, err error) {
	w.assumed(t.schema.QualifiedName()+"."+name, "holds", "", fmt.Sprintf("the CHECK constraint: %v", err))
}

// complete computes the generated columns of a new row and checks the table's
// constraints (ExecComputeStoredGenerated, ExecConstraints). changed says which
// columns an update sets, nil for an insert: a generated column is computed anew
// only if one that it depends on is among them.
func (w *Worker) complete(t *table, values []datum.Value, changed func(column int) bool) error {
	for i := range t.generated {
		g := &t.generated[i]
		if changed != nil && !slices.ContainsFunc(g.expr.Columns(), changed) {
			continue
		}
		w.Counters.Generated++
		v, err := t.eval(g.expr, values)
		if err != nil {
			return w.evalError(err)
		}
		values[g.column] = v
	}
	for _, i := range t.notNull {
		if values[i].Null {
			return w.violates(t, values, "null value in column %q of relation %q violates not-null constraint", t.schema.Columns[i].Name, t.schema.Name)
		}
	}
	w.Counters.Checks += t.unchecked
	for i := range t.checks {
		c := &t.checks[i]
		w.Counters.Checks++
		v, err := t.eval(c.expr, values)
		if _, ok := err.(*expr.UnsupportedError); ok {
			w.holds(t, c.name, err)
			continue
		}
		if err != nil {
			return w.failed(err)
		}
		if !v.Null && v.Bits&1 == 0 {
			return w.violates(t, values, "new row for relation %q violates check constraint %q", t.schema.Name, c.name)
		}
	}
	return nil
}

// fire counts the triggers that a change of a row, or a TRUNCATE, sets off.
func (w *Worker) fire(t *table, event string) {
	for _, g := range t.triggers {
		if g.Row == (event != "truncate") && slices.Contains(g.Events, event) {
			w.Counters.Triggers++
		}
	}
}

// defaultOf gives a column that the publisher does not send what it defaults to
// (slot_fill_defaults).
func (w *Worker) defaultOf(t *table, c *schema.Column, n int, lc *localColumn) error {
	lc.def = datum.Value{Null: true}
	if c.Identity != 0 {
		for i := range w.sequences {
			if q := &w.sequences[i]; q.schema.Table == t.schema && q.schema.Column == n {
				lc.identity = q
				return nil
			}
		}
		return w.unsupported("the identity column %s.%s, whose sequence is not known", t.schema.QualifiedName(), c.Name)
	}
	text := c.Default
	if text == "" && c.Type.Kind == pgtype.KindDomain {
		text = c.Type.Default
	}
	if text == "" {
		return nil
	}
	e, err := w.compile(t.schema, text, c, fmt.Sprintf("the default of %s.%s", t.schema.QualifiedName(), c.Name))
	compiled := err == nil
	if e, err = w.assume.Default(t.schema, c, e, err); err != nil {
		return w.unsupported("the default of column %s.%s: %v", t.schema.QualifiedName(), c.Name, err)
	}
	if !e.Constant() {
		lc.expr = e
		what := chance(e)
		if !compiled || what == "" {
			return nil
		}
		if w.opts.Exact && (c.Type.Len < 0 || t.decides(n)) {
			return w.unsupported("the default of column %s.%s, which depends on %s", t.schema.QualifiedName(), c.Name, what)
		}
		w.assumed(t.schema.QualifiedName()+"."+c.Name, "random", "",
			fmt.Sprintf("the default %s depends on %s: as wide as a real value, but not the same", text, what))
		return nil
	}
	v, err := e.Eval(nil, new(expr.Scratch))
	if err != nil {
		return w.evalError(err)
	}
	lc.def = v
	return nil
}

// fill computes a column's default for a new row.
func (w *Worker) fill(c *localColumn) (datum.Value, error) {
	switch {
	case c.identity != nil:
		n, err := w.nextval(c.identity)
		if err != nil {
			return datum.Value{}, err
		}
		v, _, err := c.typ.Input([]byte(strconv.FormatInt(n, 10)), -1, nil)
		return v, err
	case c.expr != nil:
		return c.expr.Eval(nil, &w.evaluation)
	}
	return c.def, nil
}
