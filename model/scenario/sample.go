package scenario

import (
	"strconv"

	"applysim/model/pgtype"
)

// Values of types that have a form of their own: what is made up for them is as simple
// as their input functions take.

// sampleWidth is how many bytes a tsvector is made of unless the file says so.
const sampleWidth = 64

// lexemeWidth is how long the words of a tsvector are.
const lexemeWidth = 7

// samples are the types that appendSample can write.
var samples = map[pgtype.Kind]bool{
	pgtype.KindOpaque: true, pgtype.KindXML: true, pgtype.KindTSVector: true, pgtype.KindTSQuery: true, pgtype.KindTimeTZ: true,
	pgtype.KindMacaddr8: true, pgtype.KindLine: true, pgtype.KindLseg: true, pgtype.KindBox: true, pgtype.KindPath: true,
	pgtype.KindPolygon: true, pgtype.KindCircle: true, pgtype.KindTID: true, pgtype.KindSnapshot: true,
	pgtype.KindInt2Vector: true, pgtype.KindOidVector: true, pgtype.KindRange: true, pgtype.KindMultirange: true,
	pgtype.KindComposite: true, pgtype.KindEnum: true, pgtype.KindJsonpath: true,
}

// appendSample appends value number v of such a type.
func (x *column) appendSample(dst []byte, v uint64, at, row int64) []byte {
	a, b := int64(v%10_000), int64(v/10_000%10_000)
	points := func(open, end string, n int) []byte {
		dst = append(dst, open...)
		for i := range int64(n) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, '(')
			dst = append(strconv.AppendInt(dst, a+i, 10), ',')
			dst = append(strconv.AppendInt(dst, b+i*i, 10), ')')
		}
		return append(dst, end...)
	}
	switch x.typ.Kind {
	case pgtype.KindOpaque:
		if x.pattern != nil {
			return x.pattern.append(dst, x.patternNumber(v))
		}
		return appendHex(dst, x.salt^saltText, v, x.width(v))
	case pgtype.KindXML:
		dst = append(dst, "<x>"...)
		return append(appendHex(dst, x.salt^saltText, v, max(x.width(v)-len("<x></x>"), 0)), "</x>"...)
	case pgtype.KindTSVector:
		width := x.width(v)
		if x.MaxWidth == 0 {
			width = sampleWidth
		}
		for i := range uint64(max(width/(lexemeWidth+1), 1)) {
			if i > 0 {
				dst = append(dst, ' ')
			}
			dst = append(dst, '\'')
			dst = appendHex(dst, x.salt^saltText, v+i*i, lexemeWidth)
			dst = append(dst, "':"...)
			dst = strconv.AppendUint(dst, i+1, 10)
		}
		return dst
	case pgtype.KindTSQuery:
		dst = append(dst, '\'')
		dst = append(appendHex(dst, x.salt^saltText, v, lexemeWidth), "' & '"...)
		return append(appendHex(dst, x.salt^saltText, v+1, lexemeWidth), '\'')
	case pgtype.KindTimeTZ:
		return append(appendClock(dst, int64(v%86400)*1_000_000), "+00"...)
	case pgtype.KindMacaddr8:
		dst = append(dst, "08:00:2b:ff:fe"...)
		for i := range 3 {
			c := byte(v >> (8 * i))
			dst = append(dst, ':', hexDigits[c>>4], hexDigits[c&15])
		}
		return dst
	case pgtype.KindLine:
		dst = append(strconv.AppendInt(append(dst, '{'), a+1, 10), ',')
		return append(append(append(strconv.AppendInt(dst, b+1, 10), ','), '0'), '}')
	case pgtype.KindLseg:
		return points("[", "]", 2)
	case pgtype.KindBox:
		return points("", "", 2)
	case pgtype.KindPath:
		return points("[", "]", 3)
	case pgtype.KindPolygon:
		return points("(", ")", 4)
	case pgtype.KindCircle:
		dst = append(dst, '<')
		points("", "", 1)
		return append(dst, ",1>"...)
	case pgtype.KindTID:
		return points("", "", 1)
	case pgtype.KindSnapshot:
		dst = append(strconv.AppendInt(dst, a+10, 10), ':')
		return append(strconv.AppendInt(dst, a+10, 10), ':')
	case pgtype.KindInt2Vector, pgtype.KindOidVector:
		dst = append(strconv.AppendInt(dst, a, 10), ' ')
		return strconv.AppendInt(dst, b, 10)
	case pgtype.KindRange:
		return x.appendRange(dst, x.typ, v)
	case pgtype.KindMultirange:
		return append(x.appendRange(append(dst, '{'), x.typ.Elem, v), '}')
	case pgtype.KindComposite:
		dst = append(dst, '(')
		for i, f := range x.typ.Fields {
			if i > 0 {
				dst = append(dst, ',')
			}
			field := *x
			field.typ, field.typmod, field.Scale = f.Type.Base(), f.Typmod, 2
			if field.place() {
				dst = appendField(dst, field.appendValue(nil, v+uint64(i), at, row))
			}
		}
		return append(dst, ')')
	case pgtype.KindEnum:
		if n := uint64(len(x.typ.Labels)); n > 0 {
			return append(dst, x.typ.Labels[v%n]...)
		}
		return dst
	case pgtype.KindJsonpath:
		return strconv.AppendInt(append(dst, "$.\"a"...), a, 10)
	}
	panic("no way to make the type up")
}

// appendField appends a field of a row as record_out does: in quotes only if it needs them.
func appendField(dst, f []byte) []byte {
	plain := len(f) > 0
	for _, c := range f {
		switch c {
		case '"', '\\', '(', ')', ',', ' ', '\t', '\n':
			plain = false
		}
	}
	if plain {
		return append(dst, f...)
	}
	dst = append(dst, '"')
	for _, c := range f {
		if c == '"' || c == '\\' {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}

// place finds out how a value within another one is written; false if it cannot be.
func (x *column) place() bool {
	x.Kind = Random
	w, ok := writers[x.typ.Kind]
	if samples[x.typ.Kind] {
		w, ok = writeSample, true
	}
	if !ok {
		return false
	}
	x.write = w
	x.MinWidth, x.MaxWidth = elementWidth, elementWidth
	if n := x.limit(); n > 0 {
		x.MinWidth, x.MaxWidth = min(x.MinWidth, n), min(x.MaxWidth, n)
	}
	if n := numberLimit(x.typ.Kind); n > 0 {
		x.Distinct = n
	}
	return true
}

// appendRange appends a range: from a value on to one that is greater by up to a hundred
// (of times, by hours).
func (x *column) appendRange(dst []byte, t *pgtype.Type, v uint64) []byte {
	elem := *x
	elem.typ, elem.typmod, elem.Kind, elem.Scale, elem.Distinct = t.Elem.Base(), -1, Random, 0, 0
	w, ok := writers[elem.typ.Kind]
	from, by := int64(v%1_000_000), int64(1+v%100)
	switch {
	case !ok:
		return append(dst, "empty"...)
	case w == writeTimestamp:
		by *= 3600
	case w == writeNumber, w == writeDecimal, w == writeDate:
		if n := numberLimit(elem.typ.Kind); n > 0 {
			from %= n - 100
		}
	default:
		return append(dst, "empty"...)
	}
	elem.write = w
	// The number itself, not one drawn for it.
	elem.Distinct, elem.First = 1, 0
	dst = append(dst, '[')
	dst = appendField(dst, elem.appendValue(nil, uint64(from), 0, 0))
	dst = append(dst, ',')
	dst = appendField(dst, elem.appendValue(nil, uint64(from+by), 0, 0))
	return append(dst, ')')
}
