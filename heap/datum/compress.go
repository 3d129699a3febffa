package datum

// Compression of values, after toast_internals.c (toast_compress_datum) and
// detoast.c.

import (
	"encoding/binary"
	"fmt"

	"applysim/wal/lz4"
	"applysim/wal/pglz"
)

// Method is a compression method of values, as it is stored.
type Method uint8

// The methods of default_toast_compression and of columns.
const (
	PGLZ Method = 0
	LZ4  Method = 1
)

// A compressed value begins with its length and, in the two highest bits, its
// method. Source: REL_18_1, src/include/varatt.h (VARLENA_EXTSIZE_BITS,
// VARHDRSZ_COMPRESSED).
const (
	lengthBits     = 30
	lengthMask     = 1<<lengthBits - 1
	compressHeader = 8
	leastSaving    = 2 // bytes that compression must save at least, and one more
)

// Compressor is the work space for compressing values. The zero value is ready.
type Compressor struct {
	pglz pglz.Compressor
	lz4  lz4.Compressor
}

// Work is what pglz has done so far.
func (c *Compressor) Work() pglz.Work { return c.pglz.Work() }

// Compress compresses a plain value. It returns false if that would save too
// little.
func (c *Compressor) Compress(v *Value, m Method) (Value, bool) {
	var b []byte
	if m == LZ4 {
		var ok bool
		if b, ok = c.lz4.CompressWithin(v.Bytes, len(v.Bytes)); !ok {
			return Value{}, false
		}
	} else {
		var ok bool
		if b, ok = c.pglz.Compress(v.Bytes); !ok {
			return Value{}, false
		}
	}
	if len(b)+compressHeader >= len(v.Bytes)-leastSaving {
		return Value{}, false
	}
	r := make([]byte, 4, 4+len(b))
	binary.LittleEndian.PutUint32(r, uint32(len(v.Bytes))|uint32(m)<<lengthBits)
	return Value{Bytes: append(r, b...), Form: Compressed}, true
}

// RawInfo returns a compressed value's length when restored, and its method.
func (v *Value) RawInfo() (length int, m Method) {
	word := binary.LittleEndian.Uint32(v.Bytes)
	return int(word & lengthMask), Method(word >> lengthBits)
}

// Decompress restores a compressed value. It panics if v is not one that Compress
// has made.
func Decompress(v *Value) Value {
	length, m := v.RawInfo()
	var b []byte
	var ok bool
	if m == LZ4 {
		b, ok = lz4.Decompress(v.Bytes[4:], length)
	} else {
		b, ok = pglz.Decompress(v.Bytes[4:], length)
	}
	if !ok {
		panic(fmt.Sprintf("datum: a compressed value of %d bytes does not restore to %d", len(v.Bytes), length))
	}
	return Value{Bytes: b}
}
