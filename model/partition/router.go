package partition

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// Router finds the partition of a row of one partitioned table.
type Router struct {
	by      string
	keys    []key
	bounds  []bound // by partition, in the order of the table's children
	other   int     // the default partition, -1 if there is none
	last    int     // where the last row went
	columns []int
	values  []datum.Value // the key of the row at hand
	scratch expr.Scratch

	numbered []*pgtype.Type // of the hash key, with values that are numbers of labels
}

// key is a column of the partition key.
type key struct {
	column int // -1: an expression
	expr   *expr.Expr
	typ    *pgtype.Type
	typmod int32
	class  *opclass.Class
}

// bound is the bound of one partition.
type bound struct {
	in                 []datum.Value
	from, to           []limit
	modulus, remainder int
}

// limit is one column of a range's end.
type limit struct {
	infinite int // -1 MINVALUE, 1 MAXVALUE
	value    datum.Value
}

// New returns the router of a partitioned table. The options say what types and
// collations the schema has; they may be nil. The error names what is not modelled.
func New(t *schema.Table, o *expr.Options) (*Router, error) {
	if o == nil {
		o = &expr.Options{}
	}
	r := &Router{by: t.Partition.By, other: -1}
	for i := range t.Partition.Keys {
		k, err := newKey(t, &t.Partition.Keys[i], o)
		if err != nil {
			return nil, fmt.Errorf("the partition key of %s: %w", t.QualifiedName(), err)
		}
		if r.by == "hash" {
			if k.class.Hash == nil && k.typ.OpClass().Hash != nil {
				return nil, fmt.Errorf("the partition key of %s: hashing of text in a nondeterministic collation", t.QualifiedName())
			}
			if k.class.Hash == nil {
				return nil, fmt.Errorf("the partition key of %s: type %s has no hash function", t.QualifiedName(), k.typ)
			}
			if holdsEnum(k.typ) {
				r.numbered = append(r.numbered, k.typ)
			}
		}
		r.keys = append(r.keys, k)
		if k.expr != nil {
			r.columns = append(r.columns, k.expr.Columns()...)
		} else {
			r.columns = append(r.columns, k.column)
		}
	}
	slices.Sort(r.columns)
	r.columns = slices.Compact(r.columns)
	r.values = make([]datum.Value, len(r.keys))
	for i, c := range t.Children {
		b, err := r.newBound(c.Bound, o)
		if err != nil {
			return nil, fmt.Errorf("the bound of partition %s: %w", c.QualifiedName(), err)
		}
		if c.Bound != nil && c.Bound.Default {
			r.other = i
		}
		r.bounds = append(r.bounds, b)
	}
	return r, nil
}

func newKey(t *schema.Table, s *schema.IndexKey, o *expr.Options) (key, error) {
	k := key{column: s.Column, typmod: -1}
	collation, own := s.Collation, ""
	if s.Column < 0 {
		e, err := expr.CompileOptions(s.Expr, t, o)
		if err != nil {
			return k, err
		}
		k.expr, k.typ, own = e, e.Type(), e.Collation()
	} else {
		c := &t.Columns[s.Column]
		k.typ, k.typmod, own = c.Type, c.Typmod, c.Collation
	}
	if collation == "" {
		collation = own
	}
	class := s.OpClass
	if opclass.ByName(class) == nil {
		class = "" // a hash operator class, say
	}
	var err error
	if k.class, err = pgtype.OpClassIn(k.typ, class, collation, o.Orders); err != nil {
		return k, err
	}
	if k.class == nil {
		return k, fmt.Errorf("type %s, which has no order", k.typ)
	}
	return k, nil
}

func (r *Router) newBound(s *schema.Bound, o *expr.Options) (b bound, err error) {
	if s == nil || s.Default {
		return b, nil
	}
	b.modulus, b.remainder = s.Modulus, s.Remainder
	for i := range s.In {
		v, err := r.keys[0].constant(&s.In[i], o)
		if err != nil {
			return b, err
		}
		b.in = append(b.in, v)
	}
	if b.from, err = r.limits(s.From, o); err == nil {
		b.to, err = r.limits(s.To, o)
	}
	return b, err
}

func (r *Router) limits(values []schema.BoundValue, o *expr.Options) ([]limit, error) {
	if len(values) > len(r.keys) {
		return nil, fmt.Errorf("%d values, expected %d", len(values), len(r.keys))
	}
	var list []limit
	for i := range values {
		switch s := &values[i]; {
		case s.MinValue:
			list = append(list, limit{infinite: -1})
		case s.MaxValue:
			list = append(list, limit{infinite: 1})
		default:
			v, err := r.keys[i].constant(s, o)
			if err != nil {
				return nil, err
			}
			list = append(list, limit{value: v})
		}
	}
	return list, nil
}

// constant computes a value of a bound.
func (k *key) constant(s *schema.BoundValue, o *expr.Options) (datum.Value, error) {
	if s.Null {
		return datum.Value{Null: true}, nil
	}
	var v datum.Value
	var err error
	if !s.Expr {
		if v, _, err = k.typ.Input([]byte(s.Text), k.typmod, nil); err == nil {
			return v, nil
		}
		// It may be a number of another type with a cast.
	}
	e, compileErr := expr.CompileOptions(s.Text, nil, &expr.Options{Resolve: o.Resolve, Collation: o.Collation, Target: k.typ, TargetTypmod: k.typmod})
	switch {
	case compileErr == nil:
		return e.Eval(nil, new(expr.Scratch))
	case err == nil:
		err = compileErr
	}
	return v, err
}

// Numbered lists the types of a hash key whose values are hashed by the OIDs of an
// enum's labels. Those of a real server are its own, so that there the rows of a value
// are in another partition.
func (r *Router) Numbered() []*pgtype.Type { return r.numbered }

// holdsEnum says whether values of a type are enums, or contain some.
func holdsEnum(t *pgtype.Type) bool {
	for ; t != nil; t = t.Elem {
		if t.Kind == pgtype.KindEnum || slices.ContainsFunc(t.Fields, func(f pgtype.Field) bool { return holdsEnum(f.Type) }) {
			return true
		}
	}
	return false
}

// Columns are the columns that decide, 0-based, ascending.
func (r *Router) Columns() []int { return r.columns }

// Partition returns the number of a row's partition among the table's children, -1
// if none takes it. The error is that of an expression of the key.
func (r *Router) Partition(row []datum.Value) (int, error) {
	if err := r.key(row); err != nil {
		return -1, err
	}
	if r.last < len(r.bounds) && r.last != r.other && r.holds(&r.bounds[r.last]) {
		return r.last, nil
	}
	for i := range r.bounds {
		if i != r.other && r.holds(&r.bounds[i]) {
			r.last = i
			return i, nil
		}
	}
	return r.other, nil
}

// key computes the partition key of a row.
func (r *Router) key(row []datum.Value) error {
	r.scratch.Reset()
	for i := range r.keys {
		k := &r.keys[i]
		if k.expr == nil {
			r.values[i] = row[k.column]
			continue
		}
		v, err := k.expr.Eval(row, &r.scratch)
		if err != nil {
			return err
		}
		r.values[i] = v
	}
	return nil
}

// holds says whether a partition takes rows of the key at hand.
func (r *Router) holds(b *bound) bool {
	switch r.by {
	case "hash":
		return b.modulus > 0 && r.rowHash()%uint64(b.modulus) == uint64(b.remainder)
	case "list":
		v := &r.values[0]
		for i := range b.in {
			if w := &b.in[i]; v.Null || w.Null {
				if v.Null && w.Null {
					return true
				}
			} else if r.keys[0].class.Compare(v, w) == 0 {
				return true
			}
		}
		return false
	}
	for i := range r.values {
		if r.values[i].Null {
			return false // for the default partition only
		}
	}
	return r.compare(b.from) <= 0 && r.compare(b.to) > 0
}

// compare compares the end of a range with the key at hand.
func (r *Router) compare(end []limit) int {
	for i := range end {
		if c := end[i].infinite; c != 0 {
			return c
		}
		if c := r.keys[i].class.Compare(&end[i].value, &r.values[i]); c != 0 {
			return c
		}
	}
	return 0
}

// Text describes the partition key of a row as the error of a row without a
// partition does: "(a, b) = (1, 2)".
func (r *Router) Text(row []datum.Value, names []string) string {
	if r.key(row) != nil {
		return ""
	}
	left, right := "", ""
	for i := range r.keys {
		if i > 0 {
			left, right = left+", ", right+", "
		}
		left += names[i]
		if r.values[i].Null {
			right += "null"
		} else {
			right += r.keys[i].typ.Text(r.values[i])
		}
	}
	return "(" + left + ") = (" + right + ")"
}
