package expr

import (
	"encoding/binary"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

var le = binary.LittleEndian

// elements calls f for each element of an array's payload, until it returns
// false.
func elements(b []byte, elem *pgtype.Type, f func(v datum.Value) bool) {
	h, ok := opclass.DecodeArray(b)
	if !ok {
		return
	}
	attr := elem.Attr()
	at := h.Data
	for i := range h.Items {
		if h.Null(i) {
			if !f(null) {
				return
			}
			continue
		}
		v, next, ok := opclass.Fetch(b, -4, at, attr, false)
		if !ok || !f(v) {
			return
		}
		at = next
	}
}

// buildArray lays out an array of the given shape (see package pgtype,
// array.go, for a picture); values are its elements in row-major order.
func buildArray(s *Scratch, elem *pgtype.Type, dims, lower []int32, values []datum.Value) datum.Value {
	start := len(s.buf)
	b := s.buf
	if len(values) == 0 {
		dims, lower = nil, nil
	}
	b = le.AppendUint32(b, uint32(len(dims)))
	b = le.AppendUint32(b, 0)
	b = le.AppendUint32(b, elem.OID)
	for _, d := range dims {
		b = le.AppendUint32(b, uint32(d))
	}
	for _, l := range lower {
		b = le.AppendUint32(b, uint32(l))
	}
	// Alignment counts from the length word, which is not kept.
	pad := func(align int) {
		for (len(b)-start+4)&(align-1) != 0 {
			b = append(b, 0)
		}
	}
	nulls := false
	for i := range values {
		nulls = nulls || values[i].Null
	}
	if nulls {
		bitmap := len(b)
		for range (len(values) + 7) / 8 {
			b = append(b, 0)
		}
		for i := range values {
			if !values[i].Null {
				b[bitmap+i/8] |= 1 << (i % 8)
			}
		}
	}
	if len(values) > 0 {
		pad(8)
	}
	if nulls {
		le.PutUint32(b[start+4:], uint32(len(b)-start+4))
	}
	attr := elem.Attr()
	for i := range values {
		if values[i].Null {
			continue
		}
		pad(int(attr.Align))
		switch {
		case !attr.ByVal && attr.Len == -1:
			b = le.AppendUint32(b, uint32(len(values[i].Bytes)+4)<<2)
			b = append(b, values[i].Bytes...)
		case !attr.ByVal:
			b = append(b, values[i].Bytes...)
		case attr.Len == 8:
			b = le.AppendUint64(b, values[i].Bits)
		case attr.Len == 4:
			b = le.AppendUint32(b, uint32(values[i].Bits))
		case attr.Len == 2:
			b = le.AppendUint16(b, uint16(values[i].Bits))
		default:
			b = append(b, byte(values[i].Bits))
		}
		pad(int(attr.Align))
	}
	return s.keep(b, start)
}

// mapArray applies f to each element and gives the result type dst.
func mapArray(s *Scratch, src, dst *pgtype.Type, v datum.Value, f func(s *Scratch, v datum.Value) (datum.Value, error)) (datum.Value, error) {
	h, ok := opclass.DecodeArray(v.Bytes)
	if !ok {
		return null, &UnsupportedError{What: "damaged array"}
	}
	values := make([]datum.Value, 0, h.Items)
	var err error
	elements(v.Bytes, src.Elem, func(e datum.Value) bool {
		if !e.Null {
			e, err = f(s, e)
		}
		values = append(values, e)
		return err == nil
	})
	if err != nil {
		return null, err
	}
	return buildArray(s, dst.Elem, h.Dims, h.Lower, values), nil
}

// arrayCast converts the elements. Where they need no change only the
// header's element type does.
func arrayCast(src, dst *pgtype.Type) func(s *Scratch, v datum.Value) (datum.Value, error) {
	if findPath(dst.Elem, src.Elem, explicit) == pathRelabel {
		return func(s *Scratch, v datum.Value) (datum.Value, error) {
			w := s.bytes(v.Bytes)
			if len(w.Bytes) >= 12 {
				le.PutUint32(w.Bytes[8:], dst.Elem.OID)
			}
			return w, nil
		}
	}
	f := castFunc(src.Elem.Base(), dst.Elem.Base())
	if f == nil {
		return nil
	}
	return func(s *Scratch, v datum.Value) (datum.Value, error) { return mapArray(s, src, dst, v, f) }
}

// arrayOf compiles ARRAY[...]; t is the array type that a cast asks for, or
// nil.
func (c *compiler) arrayOf(a *ast, t *pgtype.Type) *node {
	nested := len(a.args) > 0
	for _, e := range a.args {
		nested = nested && e.kind == astArray
	}
	var items []*node
	for _, e := range a.args {
		if e.kind == astArray {
			items = append(items, c.arrayOf(e, t))
		} else {
			items = append(items, c.compile(e))
		}
	}
	if len(items) == 0 {
		if t == nil {
			fail("cannot determine type of empty array")
		}
		return c.constant(t, buildArray(&Scratch{}, t.Elem, nil, nil, nil))
	}
	explicitly := implicit
	if t == nil {
		common := commonType(typesOf(items))
		if common == nil {
			fail("ARRAY types %s and %s cannot be matched", items[0].typ, items[1].typ)
		}
		if t = pgtype.ArrayOf(common); t == nil {
			fail("could not find array type for data type %s", common)
		}
		nested = common.Base().Kind == pgtype.KindArray
	} else {
		explicitly = explicit
	}
	of := t.Elem
	if nested {
		of = t
	}
	for i := range items {
		items[i] = c.coerce(items[i], of, -1, explicitly)
	}
	n := c.derive(t, items, evalCall(items, false, func(s *Scratch, args []datum.Value) (datum.Value, error) {
		if !nested {
			return buildArray(s, t.Elem, []int32{int32(len(args))}, []int32{1}, args), nil
		}
		return stackArrays(s, t.Elem, args)
	}))
	n.typmod = items[0].typmod
	for _, i := range items {
		if i.typmod != n.typmod {
			n.typmod = -1
		}
	}
	return n
}
