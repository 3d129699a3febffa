package expr

import (
	"errors"
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

// unify coerces nodes to their common type.
func (c *compiler) unify(what string, nodes []*node) (*pgtype.Type, int32) {
	t := commonType(typesOf(nodes))
	if t == nil {
		first := nodes[0].typ
		for _, n := range nodes[1:] {
			if n.typ.OID != oidUnknown && category(n.typ) != category(first) {
				fail("%s types %s and %s cannot be matched", what, first, n.typ)
			}
		}
		fail("%s types cannot be matched", what)
	}
	typmod := int32(-1)
	for i := range nodes {
		nodes[i] = c.coerce(nodes[i], t, -1, implicit)
		if i == 0 {
			typmod = nodes[i].typmod
		} else if nodes[i].typmod != typmod {
			typmod = -1
		}
	}
	return t, typmod
}

func (c *compiler) caseWhen(a *ast) *node {
	var operand *node
	slot := -1
	if a.args[0] != nil {
		operand = c.compile(a.args[0])
		if operand.typ.OID == oidUnknown {
			operand = c.coerce(operand, typeText, -1, implicit)
		}
	}
	var tested *node
	if operand != nil {
		tested, slot = c.slot(operand)
	}
	var conds, results []*node
	for i := 2; i < len(a.args); i += 2 {
		when := c.compile(a.args[i])
		if operand != nil {
			when = c.op("=", tested, when)
		}
		conds = append(conds, c.toBool(when, "CASE/WHEN"))
		results = append(results, c.compile(a.args[i+1]))
	}
	other := c.constant(unknownType, null)
	other.literal = true
	if a.args[1] != nil {
		other = c.compile(a.args[1])
	}
	// The server looks at ELSE first when it chooses the type.
	all := append([]*node{other}, results...)
	t, typmod := c.unify("CASE", all)
	other, results = all[0], all[1:]
	args := slices.Concat(all, conds)
	if operand != nil {
		args = append(args, operand)
		for i := range conds {
			// The slot is filled here: to the outside the CASE is pure.
			if !conds[i].konst {
				m := *conds[i]
				m.impure = operand.impure
				args[len(all)+i] = &m
			}
		}
	}
	n := c.derive(t, args, func(s *Scratch) (datum.Value, error) {
		if operand != nil {
			v, err := operand.eval(s)
			if err != nil {
				return null, err
			}
			s.slots[slot] = v
		}
		for i, cond := range conds {
			v, err := cond.eval(s)
			if err != nil {
				return null, err
			}
			if !v.Null && isTrue(&v) {
				return results[i].eval(s)
			}
		}
		return other.eval(s)
	})
	n.typmod = typmod
	return n
}

func (c *compiler) coalesce(nodes []*node) *node {
	t, typmod := c.unify("COALESCE", nodes)
	n := c.derive(t, nodes, func(s *Scratch) (datum.Value, error) {
		for _, a := range nodes {
			if v, err := a.eval(s); err != nil || !v.Null {
				return v, err
			}
		}
		return null, nil
	})
	n.typmod = typmod
	return n
}

func (c *compiler) minMax(nodes []*node, greatest bool) *node {
	what := "LEAST"
	if greatest {
		what = "GREATEST"
	}
	t, typmod := c.unify(what, nodes)
	compare := c.comparer(opLT, nodes[0], nodes[len(nodes)-1])
	if compare == nil {
		unsupported(what + " of type " + t.String())
	}
	n := c.derive(t, nodes, func(s *Scratch) (datum.Value, error) {
		base := len(s.stack)
		s.stack = append(s.stack, null, null)
		for _, a := range nodes {
			v, err := a.eval(s)
			if err != nil {
				s.stack = s.stack[:base]
				return null, err
			}
			if v.Null {
				continue
			}
			best, next := &s.stack[base], &s.stack[base+1]
			*next = v
			if best.Null || (compare(next, best) > 0) == greatest && compare(next, best) != 0 {
				*best = v
			}
		}
		v := s.stack[base]
		s.stack = s.stack[:base]
		return v, nil
	})
	n.typmod = typmod
	return n
}

// nullif gives the left value, in the type that the comparison made of it.
func (c *compiler) nullif(l, r *node) *node {
	s, _ := findOperator("=", typesOf([]*node{l, r}))
	if s == nil {
		c.op("=", l, r) // for its error
	}
	if l.typ.OID == oidUnknown {
		l = c.coerce(l, pgtype.ByOID(s.args[0]), -1, implicit)
	}
	eq := c.op("=", l, r)
	left := l
	if t := pgtype.ByOID(s.args[0]); t != nil {
		left = c.coerce(l, t, -1, implicit)
	}
	n := c.derive(left.typ, []*node{left, eq}, func(s *Scratch) (datum.Value, error) {
		v, err := eq.eval(s)
		if err != nil {
			return null, err
		}
		if !v.Null && isTrue(&v) {
			return null, nil
		}
		return left.eval(s)
	})
	n.typmod = left.typmod
	return n
}

// field is (composite).field.
func (c *compiler) field(n *node, name string) *node {
	t := n.typ.Base()
	if t.Kind != pgtype.KindComposite {
		fail("column notation .%s applied to type %s, which is not a composite type", name, n.typ)
	}
	unsupported("field " + name + " of type " + n.typ.String())
	return nil
}

// scalarArray is "l op ANY (r)" or ALL.
func (c *compiler) scalarArray(op string, l, r *node, all bool) *node {
	if r.typ.OID == oidUnknown {
		if l.typ.OID == oidUnknown {
			l = c.coerce(l, typeText, -1, implicit)
		}
		t := pgtype.ArrayOf(l.typ.Base())
		if t == nil {
			unsupported("array of type " + l.typ.String())
		}
		r = c.coerce(r, t, -1, implicit)
	}
	t := r.typ.Base()
	if t.Kind != pgtype.KindArray {
		fail("op ANY/ALL (array) requires array on right side")
	}
	slot, i := c.slot(&node{typ: t.Elem, typmod: -1, col: -1, coll: r.coll, collBy: r.collBy})
	// The literal's type depends on the operator that the elements choose.
	left, j := l, -1
	if l.typ.OID != oidUnknown {
		left, j = c.slot(l)
	}
	cmp := c.op(op, left, slot)
	if cmp.typ.Base().Kind != pgtype.KindBool {
		fail("op ANY/ALL (array) requires operator to yield boolean")
	}
	elem := t.Elem
	return c.derive(typeBool, []*node{l, r}, func(s *Scratch) (datum.Value, error) {
		arr, err := r.eval(s)
		if err != nil || arr.Null {
			return null, err
		}
		x, err := l.eval(s)
		if err != nil {
			return null, err
		}
		if j >= 0 {
			s.slots[j] = x
		}
		sawNull, decided := false, false
		elements(arr.Bytes, elem, func(v datum.Value) bool {
			s.slots[i] = v
			var is datum.Value
			if is, err = cmp.eval(s); err != nil {
				return false
			}
			if is.Null {
				sawNull = true
			} else if isTrue(&is) != all {
				decided = true
			}
			return !decided
		})
		switch {
		case err != nil:
			return null, err
		case decided:
			return boolean(!all), nil
		case sawNull:
			return null, nil
		}
		return boolean(all), nil
	})
}

// subscript is array[index], or jsonb['key'].
func (c *compiler) subscript(l, r *node) *node {
	t := l.typ.Base()
	if t.Kind == pgtype.KindJsonb {
		return c.jsonbSubscript(l, r)
	}
	if t.Kind != pgtype.KindArray {
		if t.Kind == pgtype.KindInt2Vector || t.Kind == pgtype.KindOidVector || t.Kind == pgtype.KindPoint {
			unsupported("subscript of type " + l.typ.String())
		}
		fail("cannot subscript type %s because it does not support subscripting", l.typ)
	}
	if !canCoerceType(r.typ, typeInt4, assignment) {
		fail("array subscript must have type integer")
	}
	r = c.coerce(r, typeInt4, -1, assignment)
	elem := t.Elem
	n := c.derive(elem, []*node{l, r}, evalCall([]*node{l, r}, true, func(_ *Scratch, args []datum.Value) (datum.Value, error) {
		h, ok := opclass.DecodeArray(args[0].Bytes)
		if !ok || len(h.Dims) != 1 {
			return null, nil
		}
		at := int64(args[1].Bits) - int64(h.Lower[0])
		found := null
		elements(args[0].Bytes, elem, func(v datum.Value) bool {
			if at == 0 {
				found = v
			}
			at--
			return at >= 0
		})
		return found, nil
	}))
	n.typmod = l.typmod
	return n
}

// stackArrays makes one array of arrays of equal shape.
func stackArrays(s *Scratch, elem *pgtype.Type, args []datum.Value) (datum.Value, error) {
	var dims, lower []int32
	var values []datum.Value
	empty := 0
	for i := range args {
		if args[i].Null {
			empty++
			continue
		}
		h, ok := opclass.DecodeArray(args[i].Bytes)
		if !ok {
			return null, &UnsupportedError{What: "damaged array"}
		}
		if len(h.Dims) == 0 {
			empty++
			continue
		}
		if dims == nil && i == empty {
			dims, lower = h.Dims, h.Lower
		}
		if !slices.Equal(dims, h.Dims) || !slices.Equal(lower, h.Lower) || empty > 0 {
			return null, errArrayShape
		}
		elements(args[i].Bytes, elem, func(v datum.Value) bool {
			values = append(values, v)
			return true
		})
	}
	if empty == len(args) {
		return buildArray(s, elem, nil, nil, nil), nil
	}
	if empty > 0 {
		return null, errArrayShape
	}
	if len(dims) >= opclass.MaxArrayDims {
		return null, errArrayDims
	}
	return buildArray(s, elem, append([]int32{int32(len(args))}, dims...), append([]int32{1}, lower...), values), nil
}

// sqlValue is CURRENT_TIMESTAMP and the like.
func (c *compiler) sqlValue(a *ast) *node {
	type kind struct {
		typ string
		now impl
	}
	k, ok := map[string]kind{
		"current_date": {"date", today}, "current_timestamp": {"timestamptz", now}, "localtimestamp": {"timestamp", now},
		"current_time": {"timetz", nil}, "localtime": {"time", timeOfDay},
		"current_role": {"name", nil}, "current_user": {"name", nil}, "user": {"name", nil}, "session_user": {"name", nil},
		"current_catalog": {"name", nil}, "current_schema": {"name", nil}, "system_user": {"text", nil},
	}[a.text]
	if !ok {
		unsupported(a.text)
	}
	what := strings.ToUpper(a.text)
	c.expr.volatile = append(c.expr.volatile, what)
	n := &node{typ: pgtype.Lookup(k.typ), typmod: -1, col: -1, impure: true}
	n.coll, n.collBy = defaultCollation(n.typ)
	if k.now != nil {
		n.eval = func(s *Scratch) (datum.Value, error) { return k.now(s, nil) }
	} else {
		n.eval = func(*Scratch) (datum.Value, error) { return null, &UnsupportedError{What: what} }
	}
	if a.typ != nil {
		typmod, err := pgtype.TypmodIn(n.typ, a.typ.mods)
		if err != nil {
			fail("%v", err)
		}
		if lengthFunc(n.typ, typmod, true) == nil {
			n.typmod = typmod
		} else {
			n = c.length(n, typmod, implicit)
		}
	}
	return n
}

var (
	errArrayShape = errors.New("multidimensional arrays must have array expressions with matching dimensions")
	errArrayDims  = errors.New("number of array dimensions exceeds the maximum allowed (6)")
)
