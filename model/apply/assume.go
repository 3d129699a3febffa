package apply

// What stands for expressions that cannot be computed.

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/expr"
	"applysim/model/schema"
)

// DefaultSelectivity is the share of rows that are taken to satisfy a predicate
// which cannot be computed, unless an Assumption says another.
const DefaultSelectivity = 0.5

// Assumption sets what is assumed about an expression that cannot be computed.
type Assumption struct {
	// Name is that of an index, or that of a column with its table's before it
	// ("orders.search"); of another schema than public with the schema's.
	Name        string
	Selectivity *float64 // share of rows for which an index's predicate holds
	Width       int      // bytes of a value with its header, as pg_stats.avg_width; 0 if not set
}

// ParseAssumption reads "NAME:selectivity=0.1", "NAME:width=24", or both with a comma
// between them.
func ParseAssumption(s string) (Assumption, error) {
	colon := strings.LastIndex(s, ":")
	if colon <= 0 {
		return Assumption{}, errors.New("expected the form INDEX:selectivity=0.1, INDEX:width=24 or TABLE.COLUMN:width=24")
	}
	a := Assumption{Name: s[:colon]}
	for _, f := range strings.Split(s[colon+1:], ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(f), "=")
		switch name {
		case "selectivity":
			x, err := strconv.ParseFloat(value, 64)
			if err != nil || !(x >= 0 && x <= 1) {
				return a, fmt.Errorf("selectivity %q: expected a number from 0 to 1", value)
			}
			a.Selectivity = &x
		case "width":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > maxWidth {
				return a, fmt.Errorf("width %q: expected a number of bytes from 1 to %d", value, maxWidth)
			}
			a.Width = n
		default:
			return a, fmt.Errorf("setting %q: expected selectivity or width", name)
		}
	}
	return a, nil
}

// maxWidth is the longest value that can be made up, in bytes.
const maxWidth = 1 << 20

// Assumed is a choice that had to be made because an expression cannot be computed, or
// the order of text is not known for certain.
// Figures that depend on it are assumed, not exact.
type Assumed struct {
	Name    string `json:"name"`    // as Assumption.Name
	Setting string `json:"setting"` // "selectivity", "width", "random", "holds", "labels", "order" or "collation"
	Value   string `json:"value"`   // of the setting
	Reason  string `json:"reason"`  // what cannot be computed, and why
}

func (a Assumed) String() string {
	value := ""
	if a.Value != "" {
		value = " " + a.Value
	}
	return fmt.Sprintf("assumed: %s: %s%s: %s", a.Name, a.Setting, value, a.Reason)
}

// assumption returns what the user has set for a name, or for the same thing of the
// tables above.
func (w *Worker) assumption(names []string) Assumption {
	var found Assumption
	for _, name := range names {
		for i := range w.opts.Assume {
			a := &w.opts.Assume[i]
			if a.Name != name {
				continue
			}
			if a.Selectivity != nil && found.Selectivity == nil {
				found.Selectivity = a.Selectivity
			}
			if found.Width == 0 {
				found.Width = a.Width
			}
		}
	}
	return found
}

// indexNames are the names of an index and of those that it is part of.
func indexNames(x *schema.Index) []string {
	var names []string
	for ; x != nil; x = x.Parent {
		names = append(names, qualified(x.Table.Schema, x.Name))
	}
	return names
}

// columnNames are the names of a column, and of that in the partitioned tables above.
func columnNames(t *schema.Table, c *schema.Column) []string {
	var names []string
	for ; t != nil; t = t.Parent {
		names = append(names, t.QualifiedName()+"."+c.Name)
	}
	return names
}

// assumed notes a choice once, and warns of it.
func (w *Worker) assumed(a Assumed) {
	if slices.ContainsFunc(w.Assumed, func(b Assumed) bool { return b.Name == a.Name && b.Setting == a.Setting }) {
		return
	}
	a.Reason = shortened(a.Reason)
	w.Assumed = append(w.Assumed, a)
	w.Warnings = append(w.Warnings, a.String())
}

// mostReason is how much of an expression or a literal a message shows, in bytes.
const mostReason = 400

// shortened leaves out the middle of a text that is too long for a message.
func shortened(s string) string {
	if len(s) <= mostReason {
		return s
	}
	return strings.ToValidUTF8(s[:mostReason/2], "") + " ... " + strings.ToValidUTF8(s[len(s)-mostReason/2:], "")
}

// assumable says whether an expression that gave this error may be right: the model
// does not know all that the server knows. A column that is not there, or text that
// is no expression, is an error in any case.
func assumable(err error) bool {
	var unsupported *expr.UnsupportedError
	if errors.As(err, &unsupported) {
		return true
	}
	for _, prefix := range []string{"syntax error", "column ", "missing FROM-clause"} {
		if strings.HasPrefix(err.Error(), prefix) {
			return false
		}
	}
	return true
}

// orCondition returns a predicate, or what stands for it.
func (w *Worker) orCondition(t *table, x *schema.Index, e *expr.Expr, err error) (*expr.Expr, error) {
	name := qualified(t.schema.Schema, x.Name)
	selectivity := DefaultSelectivity
	if a := w.assumption(indexNames(x)); a.Selectivity != nil {
		selectivity = *a.Selectivity
	}
	var key []int
	if own := identityIndex(t.schema); own != nil {
		for _, k := range own.Keys {
			key = append(key, k.Column)
		}
	}
	note := func(err error) {
		w.assumed(Assumed{name, "selectivity", strconv.FormatFloat(selectivity, 'g', -1, 64),
			fmt.Sprintf("the predicate %s: %v", x.Predicate, err)})
	}
	return w.or(e, err, note, func() (*expr.Expr, error) { return expr.AssumeCondition(x.Predicate, t.schema, key, selectivity) })
}

// orValue returns an index expression or a generated column, or what stands for it. c
// is the generated column, nil for an index.
func (w *Worker) orValue(t *table, names []string, what, sql string, c *schema.Column, e *expr.Expr, err error) (*expr.Expr, error) {
	name := names[0]
	width := w.assumption(names).Width
	note := func(err error) {
		value := strconv.Itoa(width)
		if width == 0 {
			value = strconv.Itoa(expr.DefaultWidth)
		}
		if c != nil && c.Type.Len > 0 {
			value = strconv.Itoa(int(c.Type.Len))
		}
		w.assumed(Assumed{name, "width", value, fmt.Sprintf("%s %s: %v", what, sql, err)})
	}
	return w.or(e, err, note, func() (*expr.Expr, error) {
		switch {
		case c != nil:
			return expr.AssumeValue(sql, t.schema, c.Type, c.Typmod, width)
		case e != nil:
			return expr.AssumeValue(sql, t.schema, e.Type(), e.Typmod(), width)
		}
		return expr.AssumeValue(sql, t.schema, nil, -1, width)
	})
}

// orDefault returns a default, or what stands for it.
func (w *Worker) orDefault(t *table, c *schema.Column, e *expr.Expr, err error) (*expr.Expr, error) {
	names := columnNames(t.schema, c)
	name, width := names[0], w.assumption(names).Width
	note := func(err error) {
		value := ""
		if c.Type.Len < 0 {
			value = strconv.Itoa(max(width, expr.DefaultWidth))
			if width > 0 {
				value = strconv.Itoa(width)
			}
		} else {
			value = strconv.Itoa(int(c.Type.Len))
		}
		w.assumed(Assumed{name, "width", value, fmt.Sprintf("the default %s: %v", c.Default, err)})
	}
	return w.or(e, err, note, func() (*expr.Expr, error) { return expr.AssumeDefault(c.Type, c.Typmod, width) })
}

// or returns an expression that was compiled, with what stands for it where it cannot
// be evaluated, or only the latter. With Options.Exact nothing is assumed.
func (w *Worker) or(e *expr.Expr, err error, note func(error), stand func() (*expr.Expr, error)) (*expr.Expr, error) {
	if w.opts.Exact || err != nil && !assumable(err) {
		return e, err
	}
	s, standErr := stand()
	switch {
	case err == nil && standErr == nil:
		e.Or(s, note)
	case err != nil && standErr != nil:
		return nil, fmt.Errorf("%w (and %v)", err, standErr)
	case err != nil:
		note(err)
		return s, nil
	}
	return e, nil
}

// assumableThing is something about which an Assumption can be made.
type assumableThing struct {
	name       string
	predicate  bool // it has a predicate
	expression bool // it has an expression
	fixed      *schema.Column
}

// assumables lists what an Assumption can be made about.
func (w *Worker) assumables() []assumableThing {
	var list []assumableThing
	for _, t := range w.tables {
		for _, x := range t.schema.Indexes {
			a := assumableThing{name: qualified(t.schema.Schema, x.Name), predicate: x.Predicate != ""}
			a.expression = slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column < 0 })
			if a.predicate || a.expression {
				list = append(list, a)
			}
		}
		for i := range t.schema.Columns {
			c := &t.schema.Columns[i]
			if c.Dropped || c.Generated != 's' && c.Default == "" {
				continue
			}
			a := assumableThing{name: t.schema.QualifiedName() + "." + c.Name, expression: true}
			if c.Type.Len > 0 {
				a.fixed = c
			}
			list = append(list, a)
		}
	}
	return list
}

// checkAssumptions gives an error for a setting that nothing would ask for.
func (w *Worker) checkAssumptions() error {
	if len(w.opts.Assume) == 0 {
		return nil
	}
	things := w.assumables()
	for i := range w.opts.Assume {
		a := &w.opts.Assume[i]
		n := slices.IndexFunc(things, func(x assumableThing) bool { return x.name == a.Name })
		if n < 0 {
			return fmt.Errorf("%s: no index with an expression or predicate, no generated column and no default: expected %s", a.Name, w.listNames(things))
		}
		switch x := things[n]; {
		case a.Selectivity != nil && !x.predicate:
			return fmt.Errorf("%s: selectivity is for the predicate of an index: expected width", a.Name)
		case a.Width > 0 && !x.expression:
			return fmt.Errorf("%s: none of its columns is an expression: expected selectivity", a.Name)
		case a.Width > 0 && x.fixed != nil:
			return fmt.Errorf("%s: type %s always takes %d bytes: expected the width of a column of variable length", a.Name, x.fixed.Type, x.fixed.Type.Len)
		}
	}
	return nil
}

// listNames lists names for an error, those first of which something is assumed
// already.
func (w *Worker) listNames(things []assumableThing) string {
	var names []string
	for _, a := range w.Assumed {
		if a.Setting == "selectivity" || a.Setting == "width" {
			names = append(names, a.Name)
		}
	}
	for _, x := range things {
		if x.fixed == nil && !slices.Contains(names, x.name) {
			names = append(names, x.name)
		}
	}
	const most = 8
	switch {
	case len(names) == 0:
		return "none, as the schema has no expressions"
	case len(names) > most:
		return strings.Join(names[:most], ", ") + " or one of " + strconv.Itoa(len(names)-most) + " others"
	}
	return strings.Join(names, " or ")
}

// chance says what a default depends on beside the row and the settings, sequences
// aside; "" if nothing.
func chance(e *expr.Expr) string {
	var names []string
	for _, n := range e.VolatileNames() {
		if !strings.HasPrefix(n, "function nextval(") {
			names = append(names, n)
		}
	}
	return strings.Join(names, ", ")
}

// decides says whether the values of a column decide more than the width of a row: an
// index, a generated column or a partition key depends on them.
func (t *table) decides(column int) bool {
	for _, x := range t.indexes {
		if slices.Contains(x.depends, column) {
			return true
		}
	}
	return slices.ContainsFunc(t.generated, func(g generatedColumn) bool { return slices.Contains(g.expr.Reads(), column) }) ||
		t.parent != nil || t.router != nil
}

// evalError is the error of an expression: of the server's, or of the model's.
func (w *Worker) evalError(err error) error {
	var unsupported *expr.UnsupportedError
	if errors.As(err, &unsupported) {
		return w.unsupported("%v", err)
	}
	return w.failed(err)
}

// random gives numbers for defaults that depend on chance.
func (w *Worker) random() uint64 { return w.chance.Uint64() }
