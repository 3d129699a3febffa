package accessmethod

import (
	"encoding/binary"
	"math"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

// box is where a value lies: lower and upper bounds in up to two dimensions.
type box [4]float64 // x from, x to, y from, y to

// infinite stands for a missing bound.
const infinite = 1e30

// boxOf places a value of a type.
func boxOf(t *pgtype.Type, v *datum.Value) box {
	f := func(at int) float64 {
		if at+8 > len(v.Bytes) {
			return 0
		}
		x := math.Float64frombits(binary.LittleEndian.Uint64(v.Bytes[at:]))
		if math.IsNaN(x) {
			return infinite
		}
		return max(-infinite, min(infinite, x))
	}
	switch t.Kind {
	case pgtype.KindPoint:
		return box{f(0), f(0), f(8), f(8)}
	case pgtype.KindBox: // the upper corner first
		return box{f(16), f(0), f(24), f(8)}
	case pgtype.KindCircle:
		return box{f(0) - f(16), f(0) + f(16), f(8) - f(16), f(8) + f(16)}
	case pgtype.KindPolygon: // the number of points, then its bounding box
		return box{f(20), f(4), f(28), f(12)}
	case pgtype.KindRange:
		lower, upper, empty, ok := opclass.DecodeRange(v.Bytes, t.Elem.Base().Attr())
		if !ok || empty {
			return box{}
		}
		b := box{-infinite, infinite}
		if !lower.Infinite {
			b[0] = number(t.Elem.Base(), &lower.Value)
		}
		if !upper.Infinite {
			b[1] = number(t.Elem.Base(), &upper.Value)
		}
		return b
	case pgtype.KindMultirange:
		elem := t.Elem.Base()
		if elem.Kind == pgtype.KindRange {
			elem = elem.Elem.Base()
		}
		b := box{infinite, -infinite}
		r, ok := opclass.OpenMultirange(v.Bytes, elem.Attr())
		for ok {
			var lower, upper opclass.Bound
			if lower, upper, ok = r.Next(); ok {
				if !lower.Infinite {
					b[0] = min(b[0], number(elem, &lower.Value))
				}
				if !upper.Infinite {
					b[1] = max(b[1], number(elem, &upper.Value))
				}
			}
		}
		return b
	}
	x := number(t, v)
	return box{x, x}
}

// number puts a value on a line, in the order of its type as far as eight bytes tell.
func number(t *pgtype.Type, v *datum.Value) float64 {
	switch t.Kind {
	case pgtype.KindFloat8:
		return max(-infinite, min(infinite, math.Float64frombits(v.Bits)))
	case pgtype.KindFloat4:
		return max(-infinite, min(infinite, float64(math.Float32frombits(uint32(v.Bits)))))
	}
	if t.ByVal {
		return float64(int64(v.Bits))
	}
	if c := t.OpClass(); c != nil && c.Abbrev != nil {
		return float64(c.Abbrev(v))
	}
	return float64(digest(0, v.Bytes) >> 1) // nobody knows where: anywhere
}

// join widens a box to hold another; grew says whether it had to.
func (b *box) join(o *box) (grew bool) {
	for i := 0; i < 4; i += 2 {
		if o[i] < b[i] {
			b[i], grew = o[i], true
		}
		if o[i+1] > b[i+1] {
			b[i+1], grew = o[i+1], true
		}
	}
	return grew
}

// enlargement is by how much a box grows to hold another: in area, or in length where the
// boxes have one dimension.
func (b *box) enlargement(o *box, flat bool) float64 {
	x := max(b[1], o[1]) - min(b[0], o[0])
	if flat {
		return x - (b[1] - b[0])
	}
	y := max(b[3], o[3]) - min(b[2], o[2])
	return float64(x*y) - float64((b[1]-b[0])*(b[3]-b[2]))
}
