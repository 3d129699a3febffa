package expr

import (
	"bytes"
	"cmp"
	"math"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

// comparison operators, as bits of what the order may be.
type compareOp uint8

const (
	opLT compareOp = 1 << iota
	opEQ
	opGT
	opLE = opLT | opEQ
	opGE = opGT | opEQ
	opNE = opLT | opGT
)

func (op compareOp) holds(c int) bool {
	switch {
	case c < 0:
		return op&opLT != 0
	case c > 0:
		return op&opGT != 0
	}
	return op&opEQ != 0
}

// comparisonOps are the operators whose meaning is that of the types' order.
var comparisonOps = map[string]compareOp{"<": opLT, "<=": opLE, "=": opEQ, "<>": opNE, ">=": opGE, ">": opGT}

// comparer gives the order of two values that are not NULL.
type comparer func(a, b *datum.Value) int

func isInteger(k pgtype.Kind) bool {
	return k == pgtype.KindInt2 || k == pgtype.KindInt4 || k == pgtype.KindInt8
}

// comparison makes the evaluator of "l op r", nil if the types have no order
// that is known here.
func (c *compiler) comparison(op compareOp, l, r *node) evalFunc {
	if isInteger(l.typ.Base().Kind) && isInteger(r.typ.Base().Kind) {
		return compareIntegers(op, l, r)
	}
	compare := c.comparer(op, l, r)
	if compare == nil {
		return nil
	}
	if r.konst && !r.value.Null {
		// The right side stays where it is: nothing moves per row but the left.
		right := &r.value
		return func(s *Scratch) (datum.Value, error) {
			v, err := l.eval(s)
			if err != nil || v.Null {
				return null, err
			}
			s.stack = append(s.stack, v)
			n := len(s.stack) - 1
			ok := op.holds(compare(&s.stack[n], right))
			s.stack = s.stack[:n]
			return boolean(ok), nil
		}
	}
	return evalCall([]*node{l, r}, true, func(_ *Scratch, args []datum.Value) (datum.Value, error) {
		return boolean(op.holds(compare(&args[0], &args[1]))), nil
	})
}

func compareIntegers(op compareOp, l, r *node) evalFunc {
	if l.col >= 0 && r.konst && !r.value.Null {
		column, right := l.col, int64(r.value.Bits)
		return func(s *Scratch) (datum.Value, error) {
			v := &s.row[column]
			if v.Null {
				return null, nil
			}
			return boolean(op.holds(cmp.Compare(int64(v.Bits), right))), nil
		}
	}
	return func(s *Scratch) (datum.Value, error) {
		a, err := l.eval(s)
		if err != nil {
			return null, err
		}
		b, err := r.eval(s)
		if err != nil || a.Null || b.Null {
			return null, err
		}
		return boolean(op.holds(cmp.Compare(int64(a.Bits), int64(b.Bits)))), nil
	}
}

// comparer finds the order between the types of two nodes.
func (c *compiler) comparer(op compareOp, l, r *node) comparer {
	lt, rt := l.typ.Base(), r.typ.Base()
	lk, rk := lt.Kind, rt.Kind
	ordering := op != opEQ && op != opNE
	switch {
	case isInteger(lk) && isInteger(rk):
		return func(a, b *datum.Value) int { return cmp.Compare(int64(a.Bits), int64(b.Bits)) }
	case isFloat(lk) && isFloat(rk) && lk != rk:
		x, y := floatOf(lk), floatOf(rk)
		return func(a, b *datum.Value) int { return compareFloats(x(a), y(b)) }
	case isMoment(lk) && isMoment(rk) && lk != rk:
		x, y := momentOf(lk), momentOf(rk)
		return func(a, b *datum.Value) int { return cmp.Compare(x(a), y(b)) }
	case lk == pgtype.KindOid && rk == pgtype.KindOid, lt.OID == 28 && rk == pgtype.KindInt4:
		return func(a, b *datum.Value) int { return cmp.Compare(uint32(a.Bits), uint32(b.Bits)) }
	case isText(lk) && isText(rk):
		coll := c.comparisonCollation(ordering, l, r)
		if lk == pgtype.KindBpchar {
			return lt.OpClass().Collated(coll).Compare
		}
		if coll == nil {
			return func(a, b *datum.Value) int { return bytes.Compare(a.Bytes, b.Bytes) }
		}
		return func(a, b *datum.Value) int { return coll.Compare(a.Bytes, b.Bytes) }
	case lk == pgtype.KindName && isText(rk), isText(lk) && rk == pgtype.KindName:
		if c.comparisonCollation(ordering, l, r) != nil {
			return nil
		}
		return func(a, b *datum.Value) int { return bytes.Compare(untilNUL(a.Bytes), untilNUL(b.Bytes)) }
	}
	x, y := lt.OpClass(), rt.OpClass()
	if x == nil || y == nil || x.Name != y.Name || lk != rk && x.Name != "inet_ops" && x.Name != "text_ops" {
		return nil
	}
	return c.collated(ordering, l, r)
}

// collated is the order of the left side's type in the collation of both: that of
// what it contains, if it is a container.
func (c *compiler) collated(ordering bool, l, r *node) comparer {
	var n node
	n.mergeCollation(l)
	n.mergeCollation(r)
	if n.collBy == 'x' && ordering {
		fail("could not determine which collation to use for comparison")
	}
	class, err := pgtype.OpClassIn(l.typ.Base(), "", n.coll, func(name string) (opclass.Collation, error) {
		order, err := c.opts.Orders(name)
		if err != nil || order == nil || !ordering && order.Deterministic() {
			return nil, err
		}
		return order, nil
	})
	if err != nil {
		unsupported(err.Error())
	}
	return class.Compare
}

// comparisonCollation is nil for C, and where only equality counts: that is
// equality of bytes, unless the collation is nondeterministic.
func (c *compiler) comparisonCollation(ordering bool, l, r *node) opclass.Collation {
	if !ordering {
		return c.nondeterministic(l, r)
	}
	coll := c.collation("comparison", l, r)
	if coll == nil {
		return nil
	}
	return coll.Order
}

// nondeterministic is the collation of some nodes if it is nondeterministic, nil
// otherwise.
func (c *compiler) nondeterministic(args ...*node) opclass.Collation {
	var n node
	for _, a := range args {
		n.mergeCollation(a)
	}
	if n.collBy == 0 || n.collBy == 'x' || n.coll == "C" || c.opts.Collation == nil {
		return nil
	}
	coll := c.opts.Collation(n.coll)
	if coll == nil || coll.Order == nil || coll.Order.Deterministic() {
		return nil
	}
	return coll.Order
}

func isText(k pgtype.Kind) bool {
	return k == pgtype.KindText || k == pgtype.KindVarchar || k == pgtype.KindBpchar
}

func isFloat(k pgtype.Kind) bool { return k == pgtype.KindFloat4 || k == pgtype.KindFloat8 }

func isMoment(k pgtype.Kind) bool {
	return k == pgtype.KindDate || k == pgtype.KindTimestamp || k == pgtype.KindTimestampTZ
}

func floatOf(k pgtype.Kind) func(v *datum.Value) float64 {
	if k == pgtype.KindFloat4 {
		return func(v *datum.Value) float64 { return float64(math.Float32frombits(uint32(v.Bits))) }
	}
	return func(v *datum.Value) float64 { return math.Float64frombits(v.Bits) }
}

// compareFloats orders NaN above everything.
func compareFloats(a, b float64) int {
	if a != a || b != b {
		return cmp.Compare(isNaN(a), isNaN(b))
	}
	return cmp.Compare(a, b)
}

func isNaN(f float64) int {
	if f != f {
		return 1
	}
	return 0
}

// momentOf gives microseconds. A date beyond the range of timestamps is later
// than all of them.
func momentOf(k pgtype.Kind) func(v *datum.Value) int64 {
	if k != pgtype.KindDate {
		return func(v *datum.Value) int64 { return int64(v.Bits) }
	}
	return func(v *datum.Value) int64 {
		switch d := int64(v.Bits); {
		case d == math.MinInt32:
			return math.MinInt64
		case d == math.MaxInt32:
			return math.MaxInt64
		case d >= timestampEnd/usecsPerDay:
			return math.MaxInt64 - 1
		default:
			return d * usecsPerDay
		}
	}
}

func trimBlanks(b []byte) []byte { return bytes.TrimRight(b, " ") }

func untilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}
