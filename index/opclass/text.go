package opclass

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"applysim/heap/datum"
)

// compareBytes orders payloads by memcmp, a prefix first: text in the C
// collation, bytea, and fixed-length types such as uuid.
func compareBytes(a, b *datum.Value) int { return bytes.Compare(a.Bytes, b.Bytes) }

func abbrevBytes(v *datum.Value) uint64 { return prefix8(v.Bytes) }

// prefix8 gives the first eight bytes as a big-endian number, zero padded.
func prefix8(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (56 - 8*i)
	}
	return n
}

// trimBlanks cuts the blanks that pad a character(n): they do not count in a
// comparison.
func trimBlanks(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == ' ' {
		n--
	}
	return b[:n]
}

func compareBpchar(a, b *datum.Value) int {
	return bytes.Compare(trimBlanks(a.Bytes), trimBlanks(b.Bytes))
}

func abbrevBpchar(v *datum.Value) uint64 { return prefix8(trimBlanks(v.Bytes)) }

// compareName compares up to the NUL that ends a name. A name read back from
// an index may lack the padding that the table's has.
func compareName(a, b *datum.Value) int { return bytes.Compare(untilNUL(a.Bytes), untilNUL(b.Bytes)) }

func untilNUL(b []byte) []byte {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return b[:i]
	}
	return b
}

// A bit string's payload is its length in bits (4 bytes), then the bits, the
// first one the highest of its byte, zero padded. compareBit orders by the
// bytes first; the length decides only between values whose bytes agree.
func compareBit(a, b *datum.Value) int {
	if c := bytes.Compare(tail(a.Bytes, 4), tail(b.Bytes, 4)); c != 0 {
		return c
	}
	return cmp.Compare(int32(u32(a.Bytes, 0)), int32(u32(b.Bytes, 0)))
}

func abbrevBit(v *datum.Value) uint64 { return prefix8(tail(v.Bytes, 4)) }

func tail(b []byte, from int) []byte {
	if from > len(b) {
		return nil
	}
	return b[from:]
}
