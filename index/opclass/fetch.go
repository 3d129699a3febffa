package opclass

import (
	"applysim/heap/datum"
)

// Fetch reads the value that a container (array, range, record) holds at
// offset pos of data, and says where the next one may begin. origin is what
// pos would be at an aligned address: containers are kept without their
// 4-byte length word, so that their alignment counts from -4. packed says
// that a variable-length value may have a 1-byte header, which is then not
// aligned (in a range or record, not in an array). ok is false where data
// ends too early.
func Fetch(data []byte, origin, pos int, a datum.Attr, packed bool) (v datum.Value, next int, ok bool) {
	switch {
	case a.Len > 0:
		pos = alignFrom(origin, pos, a.Align)
		next = pos + int(a.Len)
		if pos < 0 || next > len(data) {
			return v, 0, false
		}
		if !a.ByVal {
			v.Bytes = data[pos:next]
			return v, next, true
		}
		switch a.Len {
		case 1:
			v.Bits = uint64(data[pos])
		case 2:
			v.Bits = uint64(int64(int16(le.Uint16(data[pos:]))))
		case 4:
			v.Bits = uint64(int64(int32(le.Uint32(data[pos:]))))
		default:
			v.Bits = u64(data, pos)
		}
		return v, next, true
	case a.Len == -1:
		if !(packed && pos >= 0 && pos < len(data) && data[pos] != 0) {
			pos = alignFrom(origin, pos, a.Align)
		}
		if pos < 0 || pos >= len(data) {
			return v, 0, false
		}
		if data[pos]&1 != 0 { // short header: length in 7 bits, itself included
			next = pos + int(data[pos]>>1)
			if data[pos] == 1 || next > len(data) {
				return v, 0, false
			}
			v.Bytes = data[pos+1 : next]
			return v, next, true
		}
		if pos+4 > len(data) {
			return v, 0, false
		}
		next = pos + int(le.Uint32(data[pos:])>>2)
		if next < pos+4 || next > len(data) {
			return v, 0, false
		}
		v.Bytes = data[pos+4 : next]
		return v, next, true
	}
	for end := pos; end >= 0 && end < len(data); end++ { // a C string
		if data[end] == 0 {
			v.Bytes = data[pos:end]
			return v, end + 1, true
		}
	}
	return v, 0, false
}

func alignFrom(origin, pos int, align uint8) int {
	if align <= 1 {
		return pos
	}
	a := int(align)
	return (pos-origin+a-1)/a*a + origin
}

// ArrayHeader is what an array's payload says before its elements.
type ArrayHeader struct {
	Dims   []int32 // lengths; none for the empty array
	Lower  []int32 // lower bounds
	Elem   uint32  // element type
	Items  int     // product of Dims
	Bitmap []byte  // one bit an element, set where it is not NULL; nil: no NULLs
	Data   int     // where the elements begin
}

// MaxArrayDims is MAXDIM (REL_18_1, src/include/utils/array.h).
const MaxArrayDims = 6

// DecodeArray reads the header of an array's payload.
func DecodeArray(b []byte) (h ArrayHeader, ok bool) {
	if len(b) < 12 {
		return h, false
	}
	ndim, dataOffset := int(u32(b, 0)), int(u32(b, 4))
	h.Elem = u32(b, 8)
	if ndim > MaxArrayDims || len(b) < 12+8*ndim {
		return h, false
	}
	h.Items = 1
	for i := 0; i < ndim; i++ {
		d := int32(u32(b, 12+4*i))
		h.Dims = append(h.Dims, d)
		h.Lower = append(h.Lower, int32(u32(b, 12+4*(ndim+i))))
		if d < 0 || int64(h.Items)*int64(d) > int64(len(b))*8 {
			return h, false // no array has more elements than bits
		}
		h.Items *= int(d)
	}
	if ndim == 0 {
		h.Items = 0
	}
	if dataOffset != 0 {
		end := 12 + 8*ndim + (h.Items+7)/8
		if end > len(b) || dataOffset-4 < end {
			return h, false
		}
		h.Bitmap = b[12+8*ndim : end]
		h.Data = dataOffset - 4
	} else {
		h.Data = (16+8*ndim+7)&^7 - 4
	}
	return h, true
}

// Null says whether element i is NULL.
func (h *ArrayHeader) Null(i int) bool {
	return h.Bitmap != nil && h.Bitmap[i/8]&(1<<(i%8)) == 0
}
