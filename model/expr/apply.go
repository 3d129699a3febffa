package expr

import (
	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// callee is a resolved call: what a builder of special knows.
type callee struct {
	c        *compiler
	sig      *signature
	args     []*node
	ret      *pgtype.Type
	coll     *Collation // nil: C
	what     string
	variadic bool // the last argument was given as VARIADIC
}

// simple holds the functions that need nothing but values, special those that
// look at types, constants or collations; both by pg_proc.prosrc.
var (
	simple  = map[string]impl{}
	special = map[string]func(*callee) evalFunc{}
)

// register adds functions to simple. It is called while the package is
// initialised only.
func register(m map[string]impl) struct{} {
	for name, f := range m {
		if simple[name] != nil {
			panic("expr: function registered twice: " + name)
		}
		simple[name] = f
	}
	return struct{}{}
}

func registerSpecial(m map[string]func(*callee) evalFunc) struct{} {
	for name, f := range m {
		if special[name] != nil {
			panic("expr: function registered twice: " + name)
		}
		special[name] = f
	}
	return struct{}{}
}

// apply coerces the arguments to what the signature wants and calls it.
func (c *compiler) apply(s *signature, args []*node, what string, variadic bool) *node {
	b, _ := bindTypes(s.args, typesOf(args))
	coerced := make([]*node, len(args))
	for i, a := range args {
		declared := s.args[i]
		var t *pgtype.Type
		switch {
		case declared == oidAny:
			if t = a.typ; t.OID == oidUnknown {
				t = typeText
			}
		case declared == oidUnknown:
			t = a.typ
		default:
			t = b.actual(declared)
			if t == nil && isPolymorphic(declared) {
				if b.common == nil && (declared == oidCompatible || declared == oidCompatibleNonArray) {
					t = typeText
				} else if b.common == nil && declared == oidCompatibleArray {
					t = pgtype.ArrayOf(typeText)
				} else {
					fail("could not determine polymorphic type because input has type unknown")
				}
			}
		}
		if t == nil {
			unsupported(what)
		}
		if isPolymorphic(declared) && sameType(a.typ.Base(), t) {
			coerced[i] = c.relabel(a, t)
			continue
		}
		coerced[i] = c.coerce(a, t, -1, implicit)
	}
	if isPolymorphic(s.ret) && b.common == nil && b.elem == nil {
		b.common = typeText
	}
	ret := b.actual(s.ret)
	if ret == nil {
		unsupported(what)
	}
	if s.collect {
		coerced = c.collect(coerced, s.fixed)
	}
	call := &callee{c: c, sig: s, args: coerced, ret: ret, what: what, variadic: variadic}
	return c.finishCall(call)
}

func (c *compiler) finishCall(call *callee) *node {
	s := call.sig
	eval := c.build(call)
	missing := eval == nil
	if missing {
		eval = func(*Scratch) (datum.Value, error) {
			return null, &UnsupportedError{What: call.what}
		}
	}
	if clockFunctions[s.src] || missing && sessionFunctions[s.src] || s.vol == 'v' {
		c.expr.volatile = append(c.expr.volatile, call.what)
		n := c.derive(call.ret, append(call.args[:len(call.args):len(call.args)], &node{impure: true}), eval)
		n.late = ""
		return n
	}
	if missing {
		unsupported(call.what)
	}
	return c.derive(call.ret, call.args, eval)
}

// searchesText are the functions that look for a text within another, which they
// do character by character: not in a nondeterministic collation.
var searchesText = map[string]bool{
	"textlike": true, "textnlike": true, "bpcharlike": true, "bpcharnlike": true, "texticlike": true, "texticnlike": true,
	"bpchariclike": true, "bpcharicnlike": true, "textregexeq": true, "textregexne": true, "texticregexeq": true,
	"texticregexne": true, "bpcharregexeq": true, "bpcharregexne": true, "bpcharicregexeq": true, "bpcharicregexne": true,
	"textpos": true, "replace_text": true, "split_part": true, "text_to_array": true, "text_to_array_null": true,
	"text_starts_with": true, "similar_escape": true, "textregexreplace": true, "textregexreplace_noopt": true,
}

// build finds the function that evaluates a call, nil if there is none.
func (c *compiler) build(call *callee) evalFunc {
	s := call.sig
	if searchesText[s.src] && call.c.nondeterministic(call.args...) != nil {
		return nil
	}
	if f := special[s.src]; f != nil {
		return f(call)
	}
	if f := simple[s.src]; f != nil {
		return evalCall(call.args, s.strict, f)
	}
	if op := comparisonOps[s.op]; op != 0 && len(call.args) == 2 && s.ret == oidBool {
		return c.comparison(op, call.args[0], call.args[1])
	}
	return nil
}

// evalCall evaluates the arguments onto the scratch's stack and calls f.
func evalCall(args []*node, strict bool, f impl) evalFunc {
	return func(s *Scratch) (datum.Value, error) {
		base := len(s.stack)
		anyNull := false
		for _, a := range args {
			v, err := a.eval(s)
			if err != nil {
				s.stack = s.stack[:base]
				return null, err
			}
			anyNull = anyNull || v.Null
			s.stack = append(s.stack, v)
		}
		if strict && anyNull {
			s.stack = s.stack[:base]
			return null, nil
		}
		v, err := f(s, s.stack[base:])
		s.stack = s.stack[:base]
		return v, err
	}
}

// eval makes the evaluator of a builder's function.
func (call *callee) eval(f impl) evalFunc { return evalCall(call.args, call.sig.strict, f) }

// collation gives the functions of the call's collation; nil means C.
func (call *callee) collation() *Collation {
	return call.c.collation(call.what, call.args...)
}

func (c *compiler) collation(what string, args ...*node) *Collation {
	var n node
	for _, a := range args {
		n.mergeCollation(a)
	}
	if n.collBy == 'x' {
		fail("could not determine which collation to use for %s", what)
	}
	if n.coll == "C" {
		return nil
	}
	var coll *Collation
	if c.opts.Collation != nil {
		coll = c.opts.Collation(n.coll)
	}
	if coll == nil && n.coll != "" {
		unsupported(what + " in collation " + n.coll)
	}
	return coll
}

// collect makes the arguments from fixed on the array that VARIADIC takes.
func (c *compiler) collect(args []*node, fixed int) []*node {
	items := args[fixed:]
	t := pgtype.ArrayOf(items[0].typ)
	array := c.derive(t, items, evalCall(items, false, func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return buildArray(s, t.Elem, []int32{int32(len(a))}, []int32{1}, a), nil
	}))
	return append(args[:fixed:fixed], array)
}
