package expr

import (
	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// boolArg compiles an argument that must be boolean.
func (c *compiler) boolArg(a *ast, what string) *node { return c.toBool(c.compile(a), what) }

func (c *compiler) toBool(n *node, what string) *node {
	if n.typ.Base().Kind == pgtype.KindBool {
		return n
	}
	if n.typ.OID != oidUnknown {
		fail("argument of %s must be type boolean, not type %s", what, n.typ)
	}
	return c.coerce(n, typeBool, -1, implicit)
}

func (c *compiler) andOr(a *ast) *node {
	stop, name := uint64(0), "AND"
	if a.kind == astOr {
		stop, name = 1, "OR"
	}
	l, r := c.boolArg(a.args[0], name), c.boolArg(a.args[1], name)
	return c.junction(stop, l, r)
}

// junction is AND (stop 0) or OR (stop 1): the value stop decides alone.
func (c *compiler) junction(stop uint64, l, r *node) *node {
	n := c.derive(typeBool, []*node{l, r}, func(s *Scratch) (datum.Value, error) {
		a, err := l.eval(s)
		if err != nil || !a.Null && a.Bits&1 == stop {
			return a, err
		}
		b, err := r.eval(s)
		if err != nil || !b.Null && b.Bits&1 == stop {
			return b, err
		}
		if a.Null {
			return a, nil
		}
		return b, nil
	})
	return n
}

func (c *compiler) not(a *node) *node {
	return c.derive(typeBool, []*node{a}, func(s *Scratch) (datum.Value, error) {
		v, err := a.eval(s)
		v.Bits ^= 1
		return v, err
	})
}

func (c *compiler) isNull(a *node, not bool) *node {
	if a.typ.OID == oidUnknown {
		a = c.coerce(a, typeText, -1, implicit)
	}
	if a.typ.Base().Kind == pgtype.KindComposite {
		unsupported("IS NULL of a row")
	}
	late := a.late
	if a.col >= 0 {
		// Whether a value is NULL can be told of any type.
		b := *a
		b.late = ""
		a, late = &b, ""
	}
	n := c.derive(typeBool, []*node{a}, func(s *Scratch) (datum.Value, error) {
		v, err := a.eval(s)
		return boolean(v.Null != not), err
	})
	n.late = late
	return n
}

func (c *compiler) isBool(a *node, what string, not bool) *node {
	return c.derive(typeBool, []*node{a}, func(s *Scratch) (datum.Value, error) {
		v, err := a.eval(s)
		is := v.Null
		switch what {
		case "true":
			is = !v.Null && isTrue(&v)
		case "false":
			is = !v.Null && !isTrue(&v)
		}
		return boolean(is != not), err
	})
}

// slot makes a node that stands for a value computed before.
func (c *compiler) slot(like *node) (*node, int) {
	i := c.expr.slots
	c.expr.slots++
	n := *like
	n.konst, n.literal, n.col, n.impure = false, false, -1, true
	n.eval = func(s *Scratch) (datum.Value, error) { return s.slots[i], nil }
	return &n, i
}

// distinct is IS DISTINCT FROM; not gives IS NOT DISTINCT FROM.
func (c *compiler) distinct(l, r *node, not bool) *node {
	if r.literal && r.value.Null {
		return c.isNull(l, !not)
	}
	if l.literal && l.value.Null {
		return c.isNull(r, !not)
	}
	if l.typ.OID == oidUnknown || r.typ.OID == oidUnknown {
		// A literal takes the other side's type, which a slot cannot.
		return c.distinctLiteral(l, r, not)
	}
	a, i := c.slot(l)
	b, j := c.slot(r)
	// Both sides are evaluated once; the operator sees their values.
	eq := c.op("=", a, b)
	eval := func(s *Scratch) (datum.Value, error) {
		x, err := l.eval(s)
		if err != nil {
			return null, err
		}
		y, err := r.eval(s)
		switch {
		case err != nil:
			return null, err
		case x.Null || y.Null:
			return boolean((x.Null != y.Null) != not), nil
		}
		s.slots[i], s.slots[j] = x, y
		v, err := eq.eval(s)
		return boolean(isTrue(&v) == not), err
	}
	return c.derive(typeBool, []*node{l, r}, eval)
}

func (c *compiler) distinctLiteral(l, r *node, not bool) *node {
	eq := c.op("=", l, r)
	return c.derive(typeBool, []*node{l, r, eq}, func(s *Scratch) (datum.Value, error) {
		x, err := l.eval(s)
		if err != nil {
			return null, err
		}
		y, err := r.eval(s)
		switch {
		case err != nil:
			return null, err
		case x.Null || y.Null:
			return boolean((x.Null != y.Null) != not), nil
		}
		v, err := eq.eval(s)
		return boolean(isTrue(&v) == not), err
	})
}

func (c *compiler) between(a *ast) *node {
	v, low, high := c.compile(a.args[0]), c.compile(a.args[1]), c.compile(a.args[2])
	n := c.junction(0, c.op(">=", v, low), c.op("<=", v, high))
	if a.flag {
		n = c.junction(1, n, c.junction(0, c.op(">=", v, high), c.op("<=", v, low)))
	}
	if a.not {
		n = c.not(n)
	}
	return n
}

// in is transformAExprIn: constants are taken together as an array of one
// type, the rest are compared one by one.
func (c *compiler) in(a *ast) *node {
	if a.args[0].kind == astRow {
		unsupported("row constructor")
	}
	l := c.compile(a.args[0])
	list := c.compileAll(a.args[1:])
	var plain, rest []*node
	for _, n := range list {
		if n.hasVar {
			rest = append(rest, n)
		} else {
			plain = append(plain, n)
		}
	}
	stop, name := uint64(1), "="
	if a.not {
		stop, name = 0, "<>"
	}
	var result *node
	if len(plain) > 1 {
		if t := commonType(typesOf(append([]*node{l}, plain...))); t != nil && t.Kind != pgtype.KindComposite && c.allCoerce(plain, t) && pgtype.ArrayOf(t) != nil {
			items := make([]*node, len(plain))
			for i := range plain {
				items[i] = c.coerce(plain[i], t, -1, implicit)
			}
			result = c.anyOf(name, l, t, items, a.not)
		}
	}
	if result == nil {
		rest = list
	}
	for _, n := range rest {
		cmp := c.op(name, l, n)
		if result == nil {
			result = cmp
		} else {
			result = c.junction(stop, result, cmp)
		}
	}
	return result
}

func (c *compiler) allCoerce(nodes []*node, t *pgtype.Type) bool {
	for _, n := range nodes {
		if !canCoerceType(n.typ, t, implicit) {
			return false
		}
	}
	return true
}

// anyOf is "l op ANY" over a list of items of type t, or ALL.
func (c *compiler) anyOf(op string, l *node, t *pgtype.Type, items []*node, all bool) *node {
	item := &node{typ: t, typmod: -1, col: -1, impure: true, coll: items[0].coll, collBy: items[0].collBy}
	slot, i := c.slot(item)
	left, j := c.slotOrLiteral(l, t)
	cmp := c.op(op, left, slot)
	args := append([]*node{l}, items...)
	return c.derive(typeBool, args, func(s *Scratch) (datum.Value, error) {
		x, err := l.eval(s)
		if err != nil {
			return null, err
		}
		if j >= 0 {
			s.slots[j] = x
		}
		sawNull := false
		for _, n := range items {
			if s.slots[i], err = n.eval(s); err != nil {
				return null, err
			}
			v, err := cmp.eval(s)
			if err != nil {
				return null, err
			}
			if v.Null {
				sawNull = true
			} else if isTrue(&v) != all {
				return v, nil
			}
		}
		if sawNull {
			return null, nil
		}
		return boolean(all), nil
	})
}

// slotOrLiteral gives a node for the left side of a repeated comparison: a
// slot (number j), or the literal itself, whose type the other side decides.
func (c *compiler) slotOrLiteral(l *node, other *pgtype.Type) (*node, int) {
	if l.typ.OID == oidUnknown {
		return c.coerce(l, other, -1, implicit), -1
	}
	return c.slot(l)
}
