package pgtype

import (
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// Containers (arrays, ranges, records) lay their values out one after the
// other in one payload. An input function appends its payload to the scratch
// buffer and nothing else, or leaves the buffer alone and aliases the text;
// place turns either into a laid-out value.

// maxShort is the longest payload that a 1-byte header can announce
// (VARATT_SHORT_MAX less the header, REL_18_1, src/include/varatt.h).
const maxShort = 126

// place lays out v, which was read into scratch[before:] or aliases its text.
// origin is an index that counts as aligned. packed allows 1-byte headers
// (records and ranges, not arrays).
func place(scratch []byte, origin, before int, v *datum.Value, a datum.Attr, packed bool) []byte {
	header := 0
	align := int(a.Align)
	if a.Len == -1 {
		header = 4
		if packed && a.Storage != 'p' && len(v.Bytes) <= maxShort {
			header, align = 1, 1
		}
	}
	gap := header
	if align > 1 {
		gap += -(before - origin) & (align - 1)
	}
	if a.ByVal {
		scratch = append(scratch, zeros[:gap]...)
		switch a.Len {
		case 1:
			return append(scratch, byte(v.Bits))
		case 2:
			return le.AppendUint16(scratch, uint16(v.Bits))
		case 4:
			return le.AppendUint32(scratch, uint32(v.Bits))
		}
		return le.AppendUint64(scratch, v.Bits)
	}
	n := len(v.Bytes)
	if len(scratch) > before {
		scratch = slices.Grow(scratch, gap)[:len(scratch)+gap]
		copy(scratch[before+gap:], scratch[before:])
		clear(scratch[before : before+gap])
	} else {
		scratch = append(scratch, zeros[:gap]...)
		scratch = append(scratch, v.Bytes...)
	}
	switch header {
	case 1:
		scratch[before+gap-1] = byte(n+1)<<1 | 1
	case 4:
		le.PutUint32(scratch[before+gap-4:], uint32(n+4)<<2)
	}
	return scratch
}

var zeros [16]byte

// pad appends zeros up to a multiple of align from origin.
func pad(scratch []byte, origin int, align uint8) []byte {
	if align > 1 {
		scratch = append(scratch, zeros[:-(len(scratch)-origin)&(int(align)-1)]...)
	}
	return scratch
}

// unquoter takes one value out of a record's or range's text: quotes may
// begin and end anywhere, a doubled one within them is one, a backslash takes
// the next byte as it is.
type unquoter struct{ buf []byte }

// next reads up to one of the stop bytes outside quotes. ok is false where
// the text ends before.
func (u *unquoter) next(s []byte, stops string) (value, rest []byte, ok bool) {
	stop := func(c byte) bool {
		for i := range len(stops) {
			if stops[i] == c {
				return true
			}
		}
		return false
	}
	for i, c := range s { // most values need no copy
		if c == '"' || c == '\\' {
			break
		}
		if stop(c) {
			return s[:i], s[i:], true
		}
	}
	u.buf = u.buf[:0]
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case !quoted && stop(c):
			return u.buf, s[i:], true
		case c == '\\':
			i++
			if i >= len(s) {
				return nil, nil, false
			}
			c = s[i]
		case c == '"' && quoted && i+1 < len(s) && s[i+1] == '"':
			i++
		case c == '"':
			quoted = !quoted
			continue
		}
		u.buf = append(u.buf, c)
	}
	return nil, nil, false
}

// item reads the length-prefixed binary value of a container's member.
func (t *Type) item(r *reader, typmod int32, scratch []byte) (v datum.Value, _ []byte, err error) {
	n := int(int32(r.u32()))
	if r.short || n < -1 || n > len(r.b) {
		return v, scratch, errShortMessage
	}
	if n == -1 {
		return datum.Value{Null: true}, scratch, t.inputNull()
	}
	sub := reader{b: r.bytes(n)}
	v, scratch, err = t.receive(&sub, typmod, scratch)
	switch {
	case err != nil:
	case sub.short:
		err = errShortMessage
	case len(sub.b) > 0:
		err = errImproper
	}
	return v, scratch, err
}

const maxDims = opclass.MaxArrayDims
