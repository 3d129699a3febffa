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

// shapeCounters say what values of one column in one format look like.
type shapeCounters struct {
	total Shape // of those up to the last one that was looked at,
	last  Shape // of that one,
	at    int64 // and its number
}

// Shape is what reading values costs beside their number and length.
type Shape struct {
	Elements   int64 // of containers: arrays, JSON; keys among them
	Numbers    int64 // those of the elements of JSON values that are numbers
	Keys       int64 // and those that are keys
	Containers int64 // arrays and objects in JSON values
	// Bytes of strings in binary format that are not ASCII, or left over when ASCII is
	// verified 32 at a time.
	WideBytes, TailBytes int64
}

func (s *Shape) add(d *Shape, n int64) {
	s.Elements += n * d.Elements
	s.Numbers += n * d.Numbers
	s.Keys += n * d.Keys
	s.Containers += n * d.Containers
	s.WideBytes += n * d.WideBytes
	s.TailBytes += n * d.TailBytes
}

// looked says whether the n-th value is looked at.
func looked(n int64) bool { return n <= shapesCounted || n%shapesApart == 0 }

// after is what n values look like: those behind the last one that was looked at are
// taken to be like it.
func (c *shapeCounters) after(n int64) Shape {
	s := c.total
	s.add(&c.last, n-c.at)
	return s
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

// shape looks at the last value that was counted.
func (c *localColumn) shape(col *stream.Column) {
	n, into := c.counters.TextValues, &c.text
	if col.Format == stream.ColumnBinary {
		n, into = c.counters.BinaryValues, &c.binary
	}
	into.total = into.after(n - 1)
	into.last, into.at = shapeOf(c.typ, col), n
	into.total.add(&into.last, 1)
}

// TextShape is what reading a value's text costs beside its length.
func TextShape(t *pgtype.Type, text string) Shape {
	if !shaped(t) {
		return Shape{}
	}
	return shapeOf(t, &stream.Column{Format: stream.ColumnText, Data: []byte(text)})
}

func shapeOf(t *pgtype.Type, col *stream.Column) (s Shape) {
	switch {
	case characters(t) && col.Format == stream.ColumnText:
	case characters(t):
		// Only what comes in binary format is verified by the worker.
		for _, b := range col.Data {
			s.WideBytes += int64(b >> 7)
		}
		s.TailBytes = int64(len(col.Data) % verifyStride)
	case col.Format == stream.ColumnBinary && t.Base().Kind == pgtype.KindArray:
		s.Elements = arrayElements(col.Data)
	default:
		s = elements(col.Data)
	}
	return s
}

// elements is how many elements a container's text has, about: one more than there
// are commas and colons between them, outside of quotes; none if it is empty. Numbers
// are those that begin like a number, keys those that a colon comes after.
func elements(text []byte) (s Shape) {
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
			s.Elements++
			if b == ':' {
				s.Keys++
			}
			begins = true
		case b == '{' || b == '[':
			s.Containers++
		case b > ' ' && b != '}' && b != ']' && b != '(' && b != ')':
			if begins && (b == '-' || b >= '0' && b <= '9') {
				s.Numbers++
			}
			any, begins = true, false
		}
	}
	if s.Elements > 0 || any {
		s.Elements++
	}
	return s
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
