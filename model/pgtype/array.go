package pgtype

// After src/backend/utils/adt/arrayfuncs.c (array_in, array_recv).

import (
	"errors"
	"fmt"
	"math"

	"applysim/heap/datum"
)

// An array's payload (REL_18_1, src/include/utils/array.h), offsets counted
// with the length word that is not kept:
//
//	 4 ndim   8 dataoffset (0 if there are no NULLs)   12 element type
//	16 lengths (4 each), lower bounds (4 each), null bitmap if any,
//	   padding to 8, elements, each padded to the element type's alignment
//
// Elements of variable length have 4-byte length words.
const arrayHeader = 16

var (
	errImproper   = errors.New("incorrect binary data format")
	errArraySize  = errors.New("array size exceeds the maximum allowed (134217727)")
	errArrayDims  = errors.New("number of array dimensions exceeds the maximum allowed (6)")
	errArrayBound = errors.New("array bound is out of integer range")
)

func malformedArray(text []byte) error { return fmt.Errorf("malformed array literal: \"%s\"", text) }

// arrayBuilder appends an array's elements and completes its header last.
type arrayBuilder struct {
	elem  *Type
	attr  datum.Attr
	start int
	ndim  int
	dims  [maxDims]int32
	lower [maxDims]int32
	items int
	nulls []bool // nil until there is one
}

func overhead(ndim int, bitmap int) int { return (arrayHeader + 8*ndim + bitmap + 7) &^ 7 }

func (a *arrayBuilder) begin(scratch []byte) []byte {
	a.start = len(scratch)
	for range overhead(a.ndim, 0) - 4 {
		scratch = append(scratch, 0)
	}
	return scratch
}

func (a *arrayBuilder) add(scratch []byte, before int, v *datum.Value) []byte {
	if v.Null {
		for len(a.nulls) < a.items {
			a.nulls = append(a.nulls, false)
		}
		a.nulls = append(a.nulls, true)
		a.items++
		return scratch
	}
	if a.nulls != nil {
		a.nulls = append(a.nulls, false)
	}
	a.items++
	scratch = place(scratch, a.start-4, before, v, a.attr, false)
	return pad(scratch, a.start-4, a.attr.Align)
}

func (a *arrayBuilder) end(scratch []byte) (datum.Value, []byte) {
	if a.items == 0 {
		a.ndim = 0
		scratch = scratch[:a.start]
		for range arrayHeader - 4 {
			scratch = append(scratch, 0)
		}
	}
	dataOffset := 0
	if a.nulls != nil {
		// The bitmap was not known to be needed when elements began.
		from := overhead(a.ndim, 0)
		dataOffset = overhead(a.ndim, (a.items+7)/8)
		end := len(scratch)
		for range dataOffset - from {
			scratch = append(scratch, 0)
		}
		copy(scratch[a.start+dataOffset-4:], scratch[a.start+from-4:end])
		bitmap := scratch[a.start+arrayHeader-4+8*a.ndim : a.start+dataOffset-4]
		clear(bitmap)
		for i := range a.items {
			if !a.nulls[i] {
				bitmap[i/8] |= 1 << (i % 8)
			}
		}
	}
	b := scratch[a.start:]
	le.PutUint32(b, uint32(a.ndim))
	le.PutUint32(b[4:], uint32(dataOffset))
	le.PutUint32(b[8:], a.elem.OID)
	for i := range a.ndim {
		le.PutUint32(b[12+4*i:], uint32(a.dims[i]))
		le.PutUint32(b[12+4*(a.ndim+i):], uint32(a.lower[i]))
	}
	return datum.Value{Bytes: b}, scratch
}

// delimiter is pg_type.typdelim: only boxes, which contain commas, differ.
func (t *Type) delimiter() byte {
	if t.Base().Kind == KindBox {
		return ';'
	}
	return ','
}

func (t *Type) inputArray(text []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	keep := scratch
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, keep, err }
	a := arrayBuilder{elem: t.Elem, attr: t.Elem.Attr()}
	for i := range maxDims {
		a.dims[i], a.lower[i] = -1, 1
	}
	s, err := a.readBounds(text)
	if err != nil {
		return fail(err)
	}
	given := a.ndim > 0
	if len(s) == 0 || s[0] != '{' {
		return fail(malformedArray(text))
	}
	if !given {
		// Elements cannot begin before all levels have been opened once.
		for _, c := range s {
			if c == '{' {
				a.ndim++
			} else if !isSpace(c) {
				break
			}
		}
		if a.ndim > maxDims {
			return fail(errArrayDims)
		}
	}
	scratch = a.begin(scratch)
	var (
		counts [maxDims]int32
		level  int
		after  bool // a delimiter or a closing brace must follow
		u      arrayUnquoter
		delim  = t.Elem.delimiter()
		seen   int // deepest level so far
	)
	for {
		for len(s) > 0 && isSpace(s[0]) && s[0] != delim {
			s = s[1:]
		}
		if len(s) == 0 {
			return fail(malformedArray(text))
		}
		switch c := s[0]; {
		case c == '{':
			if after || level >= a.ndim {
				return fail(malformedArray(text))
			}
			counts[level] = 0
			level++
			seen = max(seen, level)
			s = s[1:]
		case c == '}':
			if counts[level-1] > 0 && !after {
				return fail(malformedArray(text))
			}
			level--
			if level > 0 {
				counts[level-1]++
			}
			if a.dims[level] < 0 {
				a.dims[level] = counts[level]
			} else if a.dims[level] != counts[level] {
				return fail(malformedArray(text))
			}
			after = true
			s = s[1:]
		case c == delim:
			if !after {
				return fail(malformedArray(text))
			}
			after = false
			s = s[1:]
		default:
			if after || level != a.ndim {
				return fail(malformedArray(text))
			}
			value, rest, null, ok := u.next(s, delim)
			if !ok {
				return fail(malformedArray(text))
			}
			v := datum.Value{Null: null}
			before := len(scratch)
			if null {
				err = t.Elem.inputNull()
			} else {
				v, scratch, err = t.Elem.Input(value, typmod, scratch)
			}
			if err != nil {
				return fail(err)
			}
			scratch = a.add(scratch, before, &v)
			counts[level-1]++
			after = true
			s = rest
		}
		if level == 0 {
			break
		}
	}
	if len(trimSpace(s)) > 0 {
		return fail(malformedArray(text))
	}
	v, scratch := a.end(scratch)
	return v, scratch, nil
}

// readBounds reads [lower:upper]...= in front of an array's contents.
func (a *arrayBuilder) readBounds(text []byte) ([]byte, error) {
	s := scanner{text}
	for {
		s.skip()
		if !s.accept('[') {
			break
		}
		if a.ndim >= maxDims {
			return nil, errArrayDims
		}
		upper, ok := s.bound()
		if !ok {
			return nil, malformedArray(text)
		}
		lower := int64(1)
		if s.accept(':') {
			lower = upper
			if upper, ok = s.bound(); !ok {
				return nil, malformedArray(text)
			}
		}
		switch {
		case lower != int64(int32(lower)) || upper != int64(int32(upper)):
			return nil, errArrayBound
		case !s.accept(']'):
			return nil, malformedArray(text)
		case upper < lower:
			return nil, errors.New("upper bound cannot be less than lower bound")
		case upper == math.MaxInt32:
			return nil, fmt.Errorf("array upper bound is too large: %d", upper)
		case upper-lower+1 > math.MaxInt32:
			return nil, errArraySize
		}
		a.dims[a.ndim], a.lower[a.ndim] = int32(upper-lower+1), int32(lower)
		a.ndim++
	}
	if a.ndim > 0 {
		if !s.accept('=') {
			return nil, malformedArray(text)
		}
		s.skip()
	}
	return s.b, nil
}

func (s *scanner) bound() (int64, bool) {
	neg := s.peek() == '-'
	if neg || s.peek() == '+' {
		s.b = s.b[1:]
	}
	n, count := s.number()
	if neg {
		n = -n
	}
	return n, count > 0
}

// arrayUnquoter takes one element out of an array's text: it is quoted as a
// whole or not at all, and NULL in any case without quotes means NULL.
type arrayUnquoter struct{ buf []byte }

func (u *arrayUnquoter) next(s []byte, delim byte) (value, rest []byte, null, ok bool) {
	if s[0] == '"' {
		return u.quoted(s[1:], delim)
	}
	u.buf = u.buf[:0]
	escapes := false
	end := 0 // where trailing blanks begin
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '{' || c == '"':
			return nil, nil, false, false
		case c == '\\':
			if !escapes {
				u.buf = append(u.buf, s[:i]...)
				escapes = true
			}
			i++
			if i >= len(s) {
				return nil, nil, false, false
			}
			u.buf = append(u.buf, s[i])
			end = len(u.buf)
			continue
		case c == delim || c == '}':
			if escapes {
				return u.buf[:end], s[i:], false, true
			}
			return s[:end], s[i:], fold(s[:end], "null"), true
		}
		if escapes {
			u.buf = append(u.buf, c)
			if !isSpace(c) {
				end = len(u.buf)
			}
		} else if !isSpace(c) {
			end = i + 1
		}
	}
	return nil, nil, false, false
}

func (u *arrayUnquoter) quoted(s []byte, delim byte) (value, rest []byte, null, ok bool) {
	u.buf = u.buf[:0]
	copied := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			u.buf = append(u.buf, s[copied:i]...)
			i++
			copied = i // the escaped byte is copied with what follows it
			if i >= len(s) {
				return nil, nil, false, false
			}
		case '"':
			value = s[:i]
			if copied > 0 || len(u.buf) > 0 {
				u.buf = append(u.buf, s[copied:i]...)
				value = u.buf
			}
			rest = s[i+1:]
			for len(rest) > 0 && isSpace(rest[0]) && rest[0] != delim {
				rest = rest[1:]
			}
			if len(rest) == 0 || rest[0] != delim && rest[0] != '}' && rest[0] != '{' {
				return nil, nil, false, false
			}
			return value, rest, false, true
		}
	}
	return nil, nil, false, false
}

func (t *Type) receiveArray(r *reader, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	keep := scratch
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, keep, err }
	a := arrayBuilder{elem: t.Elem, attr: t.Elem.Attr(), ndim: int(int32(r.u32()))}
	if a.ndim < 0 {
		return fail(fmt.Errorf("invalid number of dimensions: %d", a.ndim))
	}
	if a.ndim > maxDims {
		return fail(fmt.Errorf("number of array dimensions (%d) exceeds the maximum allowed (6)", a.ndim))
	}
	if flags := r.u32(); flags > 1 {
		return fail(errors.New("invalid array flags"))
	}
	const firstUserOID = 10000 // FirstGenbkiObjectId
	if oid := r.u32(); oid != t.Elem.OID && oid < firstUserOID && t.Elem.OID != 0 && t.Elem.OID < firstUserOID && !r.short {
		return fail(fmt.Errorf("binary data has array element type %d instead of expected %d (%s)", oid, t.Elem.OID, t.Elem.Name))
	}
	items := int64(1)
	for i := range a.ndim {
		a.dims[i] = int32(r.u32())
		a.lower[i] = int32(r.u32())
		if a.dims[i] < 0 || items*int64(a.dims[i]) > math.MaxInt32 {
			return fail(errArraySize)
		}
		if int64(a.dims[i])+int64(a.lower[i]) > math.MaxInt32 {
			return fail(fmt.Errorf("array lower bound is too large: %d", a.lower[i]))
		}
		items *= int64(a.dims[i])
	}
	if a.ndim == 0 {
		items = 0
	}
	if r.short || items*4 > int64(len(r.b)) {
		return fail(errShortMessage)
	}
	scratch = a.begin(scratch)
	for i := range items {
		before := len(scratch)
		v, grown, err := t.Elem.item(r, typmod, scratch)
		if err == errImproper {
			err = fmt.Errorf("improper binary format in array element %d", i+1)
		}
		if err != nil {
			return fail(err)
		}
		scratch = a.add(grown, before, &v)
	}
	v, scratch := a.end(scratch)
	return v, scratch, nil
}

// inputVector reads int2vector and oidvector: numbers separated by blanks,
// stored as an array that counts from 0.
func (t *Type) inputVector(text []byte, scratch []byte) (datum.Value, []byte, error) {
	elem := t.vectorElem()
	a := arrayBuilder{elem: elem, attr: elem.Attr(), ndim: 1}
	keep := scratch
	scratch = a.begin(scratch)
	for s := trimSpace(text); len(s) > 0; {
		end := 0
		for end < len(s) && !isSpace(s[end]) {
			end++
		}
		before := len(scratch)
		v, grown, err := elem.Input(s[:end], -1, scratch)
		if err != nil {
			return v, keep, err
		}
		scratch = a.addPacked(grown, before, &v)
		s = trimSpace(s[end:])
	}
	v, scratch := a.endVector(scratch)
	return v, scratch, nil
}

// addPacked adds an element of a vector, which has no padding after its last.
func (a *arrayBuilder) addPacked(scratch []byte, before int, v *datum.Value) []byte {
	a.items++
	return place(scratch, a.start-4, before, v, a.attr, false)
}

// endVector completes a vector: unlike an array it keeps its dimension when
// it is empty.
func (a *arrayBuilder) endVector(scratch []byte) (datum.Value, []byte) {
	b := scratch[a.start:]
	le.PutUint32(b, 1)
	le.PutUint32(b[8:], a.elem.OID)
	le.PutUint32(b[12:], uint32(a.items))
	return datum.Value{Bytes: b}, scratch
}

func (t *Type) vectorElem() *Type {
	if t.Kind == KindInt2Vector {
		return ByOID(21)
	}
	return ByOID(26)
}

func (t *Type) receiveVector(r *reader, scratch []byte) (datum.Value, []byte, error) {
	elem := t.vectorElem()
	v, scratch, err := elem.array.receiveArray(r, -1, scratch)
	if err != nil {
		return v, scratch, err
	}
	if b := v.Bytes; le.Uint32(b) != 1 || le.Uint32(b[4:]) != 0 || le.Uint32(b[16:]) != 0 {
		return datum.Value{}, scratch, fmt.Errorf("invalid %s data", t.Name)
	}
	return v, scratch, nil
}
