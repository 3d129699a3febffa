package datum

// The layout of a data area, after heaptuple.c (heap_compute_data_size,
// heap_fill_tuple).

import (
	"encoding/binary"

	"applysim/wal/storage"
)

// MaxShortPayload is the longest payload, in bytes, that a varlena with a
// 1-byte header holds. Source: REL_18_1, src/include/varatt.h,
// VARATT_SHORT_MAX.
const MaxShortPayload = 126

const (
	shortHeader = 1
	longHeader  = 4
	// An external pointer has a header byte and a tag byte of its own, and is not
	// aligned. Source: REL_18_1, src/include/varatt.h (varattrib_1b_e).
	externalHeader = 2
	externalMark   = 0x01
	externalTag    = 18 // VARTAG_ONDISK
	compressedBit  = 2  // in the length word of a compressed value
)

// Append appends the data area of a row to dst, which must end where the data
// area begins: alignment counts from there. NULLs take no room. It returns the
// longer slice.
func Append(dst []byte, attrs []Attr, values []Value) []byte {
	start := len(dst)
	for i := range attrs {
		v := &values[i]
		if v.Null {
			continue
		}
		a := &attrs[i]
		if a.ByVal {
			dst = pad(dst, start, int(a.Align))
			switch a.Len {
			case 8:
				dst = binary.LittleEndian.AppendUint64(dst, v.Bits)
			case 4:
				dst = binary.LittleEndian.AppendUint32(dst, uint32(v.Bits))
			case 2:
				dst = append(dst, byte(v.Bits), byte(v.Bits>>8))
			default:
				dst = append(dst, byte(v.Bits))
			}
			continue
		}
		if a.Len == -1 {
			n := len(v.Bytes)
			if v.Form == External {
				dst = append(dst, externalMark, externalTag)
			} else if v.Form == Compressed {
				dst = pad(dst, start, int(a.Align))
				dst = binary.LittleEndian.AppendUint32(dst, uint32(n+longHeader)<<2|compressedBit)
			} else if n <= MaxShortPayload && (a.Storage != 'p' || v.Form == Short) {
				dst = append(dst, byte((n+shortHeader)<<1|1))
			} else {
				dst = pad(dst, start, int(a.Align))
				dst = binary.LittleEndian.AppendUint32(dst, uint32(n+longHeader)<<2)
			}
		} else {
			dst = pad(dst, start, int(a.Align))
		}
		dst = append(dst, v.Bytes...)
		if a.Len == -2 {
			dst = append(dst, 0)
		}
	}
	return dst
}

// pad appends zero bytes until the distance from start is a multiple of align.
func pad(dst []byte, start, align int) []byte {
	n := (start - len(dst)) & (align - 1)
	if n == 0 {
		return dst
	}
	// Eight at once: what is too much will be written over.
	return binary.LittleEndian.AppendUint64(dst, 0)[:len(dst)+n]
}

// Next reads one column that is not NULL from a data area. at is the offset
// where the column before it ended. It returns the value, which aliases data,
// and the offset where this one ends.
func Next(data []byte, at int, a *Attr) (Value, int) {
	if a.ByVal {
		at = storage.Align(at, int(a.Align))
		n := int(a.Len)
		var bits uint64
		switch n {
		case 8:
			bits = binary.LittleEndian.Uint64(data[at:])
		case 4:
			bits = uint64(int64(int32(binary.LittleEndian.Uint32(data[at:]))))
		case 2:
			bits = uint64(int64(int16(binary.LittleEndian.Uint16(data[at:]))))
		default:
			bits = uint64(int64(int8(data[at])))
		}
		return Value{Bits: bits}, at + n
	}
	switch a.Len {
	case -1:
		if h := data[at]; h == externalMark {
			end := at + externalHeader + PointerSize
			return Value{Bytes: data[at+externalHeader : end], Form: External}, end
		} else if h&1 == 1 {
			end := at + int(h>>1)
			v := Value{Bytes: data[at+shortHeader : end]}
			if a.Storage == 'p' {
				v.Form = Short
			}
			return v, end
		}
		at = storage.Align(at, int(a.Align))
		word := binary.LittleEndian.Uint32(data[at:])
		end := at + int(word>>2)
		v := Value{Bytes: data[at+longHeader : end]}
		if word&compressedBit != 0 {
			v.Form = Compressed
		}
		return v, end
	case -2:
		end := at
		for data[end] != 0 {
			end++
		}
		return Value{Bytes: data[at:end]}, end + 1
	}
	at = storage.Align(at, int(a.Align))
	end := at + int(a.Len)
	return Value{Bytes: data[at:end]}, end
}
