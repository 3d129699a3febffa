package expr

// After coerce_type and coerce_to_target_type (REL_18_1,
// src/backend/parser/parse_coerce.c).

import (
	"bytes"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// relabel changes a node's type where the stored form is the same.
func (c *compiler) relabel(n *node, t *pgtype.Type) *node {
	if n.typ == t {
		return n
	}
	m := *n
	m.typ, m.literal = t, false
	if !sameType(n.typ, t) {
		m.typmod = -1
	}
	if n.typ.Collation == "" && t.Collation != "" {
		m.coll, m.collBy = collationName(t.Collation), 'i'
	}
	return &m
}

// domainTypmod is the modifier that a domain puts on its values.
func domainTypmod(t *pgtype.Type) int32 {
	for t.Kind == pgtype.KindDomain {
		if t.Typmod >= 0 {
			return t.Typmod
		}
		t = t.Elem
	}
	return -1
}

// assign coerces a value as an INSERT does it into a column.
func (c *compiler) assign(n *node, t *pgtype.Type, typmod int32) *node {
	return c.coerce(n, t, typmod, assignment)
}

// coerce makes n a value of type t with modifier typmod.
func (c *compiler) coerce(n *node, t *pgtype.Type, typmod int32, context int) *node {
	return c.domain(c.convert(n, t, typmod, context), n.typ, t)
}

// convert is coerce without the constraints of a domain.
func (c *compiler) convert(n *node, t *pgtype.Type, typmod int32, context int) *node {
	base := t.Base()
	if t.Kind == pgtype.KindDomain && typmod < 0 {
		typmod = domainTypmod(t)
	}
	if n.typ.OID == oidUnknown {
		return c.length(c.literal(n, t, base, typmod), typmod, context)
	}
	if base.Opaque && !sameType(n.typ.Base(), base) {
		unsupported("cast to type " + t.String())
	}
	switch findPath(t, n.typ, context) {
	case pathRelabel:
		m := n
		if !sameType(n.typ, t) {
			m = c.relabel(n, t)
		}
		return c.length(m, typmod, context)
	case pathNone:
		if context == assignment {
			fail("column is of type %s but expression is of type %s", t, n.typ)
		}
		fail("cannot cast type %s to %s", n.typ, t)
	}
	f := castFunc(n.typ.Base(), base)
	if f == nil {
		unsupported("cast from " + n.typ.String() + " to " + t.String())
	}
	m := c.derive(t, []*node{n}, func(s *Scratch) (datum.Value, error) {
		v, err := n.eval(s)
		if err != nil || v.Null {
			return v, err
		}
		return f(s, v)
	})
	if n.typ.Collation == "" && t.Collation != "" {
		m.coll, m.collBy = collationName(t.Collation), 'i'
	}
	return c.length(m, typmod, context)
}

const intervalFullRange = 0x7FFF // INTERVAL_FULL_RANGE

// inventedOID is where the numbers begin that names without a catalog stand for, which an
// expression must not see.
const inventedOID = 1 << 30

// literal gives a literal of unknown type its type.
func (c *compiler) literal(n *node, t, base *pgtype.Type, typmod int32) *node {
	if !n.konst {
		unsupported("value of type unknown")
	}
	if n.value.Null {
		m := c.constant(t, null)
		m.literal = true
		m.coll, m.collBy = defaultCollation(t)
		return m
	}
	inputTypmod := int32(-1)
	if base.Kind == pgtype.KindInterval {
		inputTypmod = typmod
	}
	text := n.value.Bytes
	v, err := input(base, text, inputTypmod)
	if err == nil && strings.HasPrefix(base.Name, "reg") && v.Bits >= inventedOID && (len(text) == 0 || text[0] < '0' || text[0] > '9') {
		err = &UnsupportedError{What: base.Name + " '" + string(text) + "'"}
	}
	if inputTypmod >= 0 && inputTypmod>>16 != intervalFullRange && !bytes.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") {
		// A number without a unit takes the modifier's last field.
		unsupported("interval literal with fields")
	}
	if _, ok := err.(*UnsupportedError); err != nil && !ok {
		fail("%v", err)
	}
	m := c.constant(t, v)
	if inputTypmod >= 0 {
		m.typmod = inputTypmod
	}
	m.coll, m.collBy = defaultCollation(t)
	if u, ok := err.(*UnsupportedError); ok {
		// Only a function that is not evaluated either may use such a value
		// (nextval of a regclass).
		m.konst, m.late, m.value = false, u.What, datum.Value{Bytes: text}
		m.eval = func(*Scratch) (datum.Value, error) { return m.value, nil }
	}
	return m
}

func defaultCollation(t *pgtype.Type) (string, byte) {
	if t.Collation == "" {
		return "", 0
	}
	return collationName(t.Collation), 'i'
}

// input is a type's input function. Where pgtype reads less than the server
// does, an *UnsupportedError takes the place of the server's own answer.
func input(t *pgtype.Type, text []byte, typmod int32) (datum.Value, error) {
	if t.Base().Opaque {
		return null, &UnsupportedError{What: "value of type " + t.String()}
	}
	v, _, err := t.Input(text, typmod, nil)
	if err == nil && !t.Base().Named(text) {
		return v, nil
	}
	elem := t
	for elem.Elem != nil && elem.Kind != pgtype.KindEnum {
		elem = elem.Elem
	}
	switch elem.Kind {
	case pgtype.KindDate, pgtype.KindTimestamp, pgtype.KindTimestampTZ, pgtype.KindTime, pgtype.KindTimeTZ:
		if looksISO(text) {
			return null, err
		}
		return null, &UnsupportedError{What: "literal '" + string(text) + "' of type " + t.String()}
	case pgtype.KindInterval, pgtype.KindTSQuery, pgtype.KindTSVector, pgtype.KindJsonpath, pgtype.KindComposite:
		return null, &UnsupportedError{What: "literal '" + string(text) + "' of type " + t.String()}
	case pgtype.KindOid:
		if elem.Named(text) || err != nil && strings.HasPrefix(elem.Name, "reg") {
			return null, &UnsupportedError{What: "name '" + string(text) + "' of type " + t.String()}
		}
	}
	return null, err
}

// looksISO reports whether text has the form in which the server prints
// dates: what is wrong with it then is wrong for the server, too.
func looksISO(text []byte) bool {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return false
	}
	for _, c := range text {
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			return false
		}
	}
	return true
}

// castFunc finds how a value of one type becomes one of another; nil if that
// is not known.
func castFunc(src, dst *pgtype.Type) func(s *Scratch, v datum.Value) (datum.Value, error) {
	if src.Kind == pgtype.KindArray && dst.Kind == pgtype.KindArray {
		return arrayCast(src, dst)
	}
	if f := directCast(src, dst); f != nil {
		return f
	}
	switch findPath(dst, src, explicit) {
	case pathRelabel:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return v, nil }
	case pathText:
		if !printable(src) {
			return nil
		}
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			t := output(s, src, v)
			if dst.Kind == pgtype.KindText || dst.Kind == pgtype.KindVarchar {
				return t, nil
			}
			return inputTo(s, dst, t.Bytes)
		}
	}
	return nil
}

// inputTo is input with the scratch.
func inputTo(s *Scratch, t *pgtype.Type, text []byte) (datum.Value, error) {
	if t.Base().Opaque {
		return null, &UnsupportedError{What: "value of type " + t.String()}
	}
	v, buf, err := t.Input(text, -1, s.buf)
	if err != nil {
		return input(t, text, -1)
	}
	s.buf = buf
	return v, nil
}

// printable reports whether pgtype has the type's output function.
func printable(t *pgtype.Type) bool {
	switch t.Kind {
	case pgtype.KindPoint, pgtype.KindLine, pgtype.KindLseg, pgtype.KindBox, pgtype.KindPath, pgtype.KindPolygon,
		pgtype.KindCircle, pgtype.KindTSQuery, pgtype.KindJsonpath, pgtype.KindOpaque, pgtype.KindSnapshot:
		return false
	case pgtype.KindOid:
		return !strings.HasPrefix(t.Name, "reg")
	case pgtype.KindArray, pgtype.KindDomain, pgtype.KindRange, pgtype.KindMultirange:
		return printable(t.Elem)
	case pgtype.KindComposite:
		for _, f := range t.Fields {
			if !printable(f.Type) {
				return false
			}
		}
	}
	return true
}

// output is the type's output function into the scratch.
func output(s *Scratch, t *pgtype.Type, v datum.Value) datum.Value {
	switch t.Kind {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindJSON, pgtype.KindXML:
		return datum.Value{Bytes: v.Bytes}
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8:
		return s.integer(int64(v.Bits))
	}
	return s.text(t.Text(v))
}
