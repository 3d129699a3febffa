package assume

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"applysim/model/expr"
	"applysim/model/schema"
)

// Expressions finds what stands for expressions that cannot be computed.
type Expressions struct {
	Settings []Setting
	Exact    bool         // nothing is assumed
	Note     func(Choice) // is told each choice, perhaps more than once
}

// Assumable says whether an expression that gave this error may be right: the model
// does not know all that the server knows. A column that is not there, or text that
// is no expression, is an error in any case.
func Assumable(err error) bool {
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

// Condition returns the predicate of an index that was compiled to e or gave an error, or what
// stands for it. key are the columns of the table's replica identity.
func (a *Expressions) Condition(x *schema.Index, key []int, e *expr.Expr, err error) (*expr.Expr, error) {
	name := indexName(x)
	selectivity := DefaultSelectivity
	if set := a.setting(indexNames(x)); set.Selectivity != nil {
		selectivity = *set.Selectivity
	}
	note := func(err error) {
		a.Note(Choice{name, "selectivity", strconv.FormatFloat(selectivity, 'g', -1, 64),
			fmt.Sprintf("the predicate %s: %v", x.Predicate, err)})
	}
	return a.or(e, err, note, func() (*expr.Expr, error) { return expr.AssumeCondition(x.Predicate, x.Table, key, selectivity) })
}

// Key returns a key of an index that is an expression, or what stands for it.
func (a *Expressions) Key(x *schema.Index, sql string, e *expr.Expr, err error) (*expr.Expr, error) {
	return a.value(x.Table, indexNames(x), "the expression", sql, nil, e, err)
}

// Generated returns the expression of a generated column, or what stands for it.
func (a *Expressions) Generated(t *schema.Table, c *schema.Column, e *expr.Expr, err error) (*expr.Expr, error) {
	return a.value(t, columnNames(t, c), "the generated column", c.GeneratedExpr, c, e, err)
}

// value is Key or Generated; c is the generated column, nil for an index.
func (a *Expressions) value(t *schema.Table, names []string, what, sql string, c *schema.Column, e *expr.Expr, err error) (*expr.Expr, error) {
	name := names[0]
	width := a.setting(names).Width
	note := func(err error) {
		value := strconv.Itoa(width)
		if width == 0 {
			value = strconv.Itoa(expr.DefaultWidth)
		}
		if c != nil && c.Type.Len > 0 {
			value = strconv.Itoa(int(c.Type.Len))
		}
		a.Note(Choice{name, "width", value, fmt.Sprintf("%s %s: %v", what, sql, err)})
	}
	return a.or(e, err, note, func() (*expr.Expr, error) {
		switch {
		case c != nil:
			return expr.AssumeValue(sql, t, c.Type, c.Typmod, width)
		case e != nil:
			return expr.AssumeValue(sql, t, e.Type(), e.Typmod(), width)
		}
		return expr.AssumeValue(sql, t, nil, -1, width)
	})
}

// Default returns a default, or what stands for it.
func (a *Expressions) Default(t *schema.Table, c *schema.Column, e *expr.Expr, err error) (*expr.Expr, error) {
	names := columnNames(t, c)
	name, width := names[0], a.setting(names).Width
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
		a.Note(Choice{name, "width", value, fmt.Sprintf("the default %s: %v", c.Default, err)})
	}
	return a.or(e, err, note, func() (*expr.Expr, error) { return expr.AssumeDefault(c.Type, c.Typmod, width) })
}

// or returns an expression that was compiled, with what stands for it where it cannot
// be evaluated, or only the latter. With Exact nothing is assumed.
func (a *Expressions) or(e *expr.Expr, err error, note func(error), stand func() (*expr.Expr, error)) (*expr.Expr, error) {
	if a.Exact || err != nil && !Assumable(err) {
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

// setting returns what the user has set for a name, or for the same thing of the tables
// above.
func (a *Expressions) setting(names []string) Setting {
	var found Setting
	for _, name := range names {
		for i := range a.Settings {
			s := &a.Settings[i]
			if s.Name != name {
				continue
			}
			if s.Selectivity != nil && found.Selectivity == nil {
				found.Selectivity = s.Selectivity
			}
			if found.Width == 0 {
				found.Width = s.Width
			}
		}
	}
	return found
}

// indexName is that of an index, with its schema's before it unless that is public.
func indexName(x *schema.Index) string {
	if x.Table.Schema == "public" {
		return x.Name
	}
	return x.Table.Schema + "." + x.Name
}

// indexNames are the names of an index and of those that it is part of.
func indexNames(x *schema.Index) []string {
	var names []string
	for ; x != nil; x = x.Parent {
		names = append(names, indexName(x))
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
