package apply

import (
	"encoding/binary"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// What reading a value costs depends on more than its length for some types: an array
// or a JSON value is read element by element, and a string of other characters than
// ASCII's is verified one by one. Such values are looked at, the first ones all, later
// ones one in so many.
const (
	shapesCounted = 256
	shapesApart   = 64
)

// verifyStride is STRIDE_LENGTH: plain ASCII is verified so many bytes at a time, what
// is left one by one. Source: REL_18_1, src/common/wchar.c.
const verifyStride = 32

// shapeWeight is how many values the n-th one stands for.
func shapeWeight(n int64) int64 {
	switch {
	case n <= shapesCounted:
		return 1
	case n%shapesApart == 0:
		return shapesApart
	}
	return 0
}

// shaped says whether the values of a type are looked at.
func shaped(t *pgtype.Type) bool { return container(t) || characters(t) }

func container(t *pgtype.Type) bool {
	switch t.Base().Kind {
	case pgtype.KindArray, pgtype.KindJSON, pgtype.KindJsonb, pgtype.KindComposite, pgtype.KindMultirange:
		return true
	}
	return false
}

func characters(t *pgtype.Type) bool {
	switch t.Base().Kind {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBpchar, pgtype.KindName:
		return true
	}
	return false
}

// weight is how many values the n-th one stands for.
func (c *localColumn) weight(n int64) int64 {
	if c.every {
		return 1
	}
	return shapeWeight(n)
}

// shape counts a value's elements or wide characters.
func (c *localColumn) shape(col *stream.Column) {
	n := &c.counters
	switch {
	case characters(c.typ) && col.Format == stream.ColumnText:
	case characters(c.typ):
		// Only what comes in binary format is verified by the worker.
		wide := 0
		for _, b := range col.Data {
			wide += int(b >> 7)
		}
		n.WideBytes += int64(wide) * c.weight(n.BinaryValues)
		n.TailBytes += int64(len(col.Data)%verifyStride) * c.weight(n.BinaryValues)
	case col.Format == stream.ColumnBinary && c.typ.Base().Kind == pgtype.KindArray:
		n.BinaryElements += arrayElements(col.Data) * c.weight(n.BinaryValues)
	case col.Format == stream.ColumnBinary:
		e, numbers := elements(col.Data)
		n.BinaryElements += e * c.weight(n.BinaryValues)
		n.Numbers += numbers * c.weight(n.BinaryValues)
	default:
		e, numbers := elements(col.Data)
		n.TextElements += e * c.weight(n.TextValues)
		n.Numbers += numbers * c.weight(n.TextValues)
	}
}

// elements is how many elements a container's text has, about: one more than there
// are commas and colons between them, outside of quotes; none if it is empty. numbers
// of them begin like a number.
func elements(text []byte) (n, numbers int64) {
	quoted, any, begins := false, false, true
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
			any, begins = true, false
		case quoted:
		case b == ',' || b == ':':
			n++
			begins = true
		case b > ' ' && b != '{' && b != '}' && b != '[' && b != ']' && b != '(' && b != ')':
			if begins && (b == '-' || b >= '0' && b <= '9') {
				numbers++
			}
			any, begins = true, false
		}
	}
	if n > 0 || any {
		n++
	}
	return n, numbers
}

// arrayElements is how many elements a binary array has: the product of its
// dimensions (array_recv).
func arrayElements(b []byte) int64 {
	if len(b) < 12 {
		return 0
	}
	n := int64(1)
	dims := int(binary.BigEndian.Uint32(b))
	if dims == 0 {
		return 0
	}
	for i := range dims {
		at := 12 + 8*i
		if at+4 > len(b) {
			return 0
		}
		n *= int64(binary.BigEndian.Uint32(b[at:]))
	}
	return n
}
