package datum

import "applysim/wal/storage"

// Value is one column's value in memory, before it is laid out in a tuple.
//
// Types passed by value (typbyval) use Bits, all others Bytes. The zero Value
// is not NULL: it is a by-value zero.
type Value struct {
	// Bits holds a by-value type's machine word: the little-endian bytes that
	// the tuple gets are its low 1, 2, 4 or 8 bytes. Signed integers are sign
	// extended, floats are their IEEE bits.
	Bits uint64
	// Bytes holds a by-reference type's content. For a fixed-length type
	// (uuid, interval, name, ...) it is exactly typlen bytes; for a
	// variable-length type it is the payload without the varlena length word.
	// It may alias the message that it was read from.
	Bytes []byte
	// Null marks SQL NULL; Bits and Bytes are then meaningless.
	Null bool
	// Form says how a variable-length value is stored; Plain unless TOAST has been
	// at work.
	Form Form
}

// Form is how a variable-length value is stored.
type Form uint8

const (
	// Plain: Bytes is the payload.
	Plain Form = iota
	// Compressed: Bytes is the length of the payload with the compression method
	// in its two highest bits (4 bytes, va_tcinfo), then the compressed payload.
	Compressed
	// External: Bytes is a pointer to a value in the TOAST table, PointerSize
	// bytes (varatt_external).
	External
	// Short is Plain in a column with storage PLAIN, but with the short header: as INSERT
	// leaves it.
	Short
)

// PointerSize is sizeof(varatt_external), in bytes: length of the value with its
// header, length in the TOAST table with the compression method, chunk_id, oid of
// the TOAST table.
const PointerSize = 16

// StoredSize is what a variable-length value takes in a tuple with its header, in
// bytes, before alignment (VARSIZE_ANY of a formed tuple's value).
func (v *Value) StoredSize(a *Attr) int {
	switch n := len(v.Bytes); {
	case v.Form == External:
		return n + externalHeader
	case v.Form == Plain && n <= MaxShortPayload && a.Storage != 'p', v.Form == Short:
		return n + shortHeader
	default:
		return n + longHeader
	}
}

// End is where a value ends, in bytes, that is stored in a tuple's data area behind
// offset, with its alignment; offset itself if it is null. (heap_compute_data_size)
func (v *Value) End(offset int, a *Attr) int {
	switch {
	case v.Null:
		return offset
	case a.Len > 0:
		return storage.Align(offset, int(a.Align)) + int(a.Len)
	case a.Len == -2:
		return offset + len(v.Bytes) + 1
	}
	size := v.StoredSize(a)
	if v.Form != External && size != len(v.Bytes)+shortHeader {
		offset = storage.Align(offset, int(a.Align))
	}
	return offset + size
}

// Attr is what tuple formation must know of a column: the fields of
// pg_attribute that decide its layout.
type Attr struct {
	Len     int16 // attlen: bytes if positive, -1 for varlena, -2 for a C string
	Align   uint8 // attalign in bytes: 1, 2, 4 or 8
	ByVal   bool  // attbyval
	Storage byte  // attstorage: 'p', 'e', 'm' or 'x'
	NotNull bool  // attnotnull, or known never to be null
}

// Word is the part of a by-value value that is stored: its lowest Len bytes.
func (a *Attr) Word(v *Value) uint64 {
	if !a.ByVal {
		return v.Bits
	}
	return v.Bits << (64 - 8*uint(a.Len)) >> (64 - 8*uint(a.Len))
}
