package expr

import (
	"fmt"
	"math"

	"applysim/heap/datum"
	"applysim/model/pgtype"
)

// length applies a type's modifier: varchar(n), numeric(p,s), timestamp(p).
func (c *compiler) length(n *node, typmod int32, context int) *node {
	if typmod < 0 || n.typmod == typmod {
		return n
	}
	t := n.typ.Base()
	f := lengthFunc(t, typmod, context == explicit)
	if f == nil {
		unsupported("modifier of type " + n.typ.String())
	}
	m := c.derive(n.typ, []*node{n}, func(s *Scratch) (datum.Value, error) {
		v, err := n.eval(s)
		if err != nil || v.Null {
			return v, err
		}
		return f(s, v)
	})
	m.typmod = typmod
	return m
}

func lengthFunc(t *pgtype.Type, typmod int32, cut bool) func(s *Scratch, v datum.Value) (datum.Value, error) {
	switch t.Kind {
	case pgtype.KindVarchar, pgtype.KindBpchar:
		chars := int(typmod) - 4
		pad := t.Kind == pgtype.KindBpchar
		return func(s *Scratch, v datum.Value) (datum.Value, error) { return fitText(s, v, chars, pad, cut) }
	case pgtype.KindNumeric, pgtype.KindInterval:
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			text := output(s, t, v)
			w, buf, err := t.Input(text.Bytes, typmod, s.buf)
			s.buf = buf
			return w, err
		}
	case pgtype.KindTimestamp, pgtype.KindTimestampTZ, pgtype.KindTime:
		unit := int64(math.Pow10(6 - int(min(typmod, 6))))
		return func(_ *Scratch, v datum.Value) (datum.Value, error) {
			n := int64(v.Bits)
			if n == math.MaxInt64 || n == math.MinInt64 {
				return v, nil
			}
			if n >= 0 {
				n = (n + unit/2) / unit * unit
			} else {
				n = -((-n + unit/2) / unit * unit)
			}
			return datum.Value{Bits: uint64(n)}, nil
		}
	case pgtype.KindArray:
		elem := lengthFunc(t.Elem.Base(), typmod, cut)
		if elem == nil {
			return nil
		}
		return func(s *Scratch, v datum.Value) (datum.Value, error) { return mapArray(s, t, t, v, elem) }
	case pgtype.KindFloat8, pgtype.KindOpaque:
		return func(_ *Scratch, v datum.Value) (datum.Value, error) { return v, nil }
	}
	return nil
}

// fitText brings text to n characters: an explicit cast cuts it, an
// assignment may lose blanks only; character(n) is padded.
func fitText(s *Scratch, v datum.Value, n int, pad, cut bool) (datum.Value, error) {
	end, chars := 0, 0
	for end < len(v.Bytes) && chars < n {
		end = min(end+charLen(v.Bytes[end]), len(v.Bytes))
		chars++
	}
	if end < len(v.Bytes) {
		if !cut {
			for _, c := range v.Bytes[end:] {
				if c != ' ' {
					name := "character varying"
					if pad {
						name = "character"
					}
					return null, fmt.Errorf("value too long for type %s(%d)", name, n)
				}
			}
		}
		return datum.Value{Bytes: v.Bytes[:end:end]}, nil
	}
	if !pad || chars == n {
		return v, nil
	}
	start := len(s.buf)
	b := append(s.buf, v.Bytes...)
	for ; chars < n; chars++ {
		b = append(b, ' ')
	}
	return s.keep(b, start), nil
}

// charLen is the length of a UTF-8 character by its first byte.
func charLen(c byte) int {
	switch {
	case c < 0xC0:
		return 1
	case c < 0xE0:
		return 2
	case c < 0xF0:
		return 3
	}
	return 4
}
