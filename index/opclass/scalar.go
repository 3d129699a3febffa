package opclass

import (
	"cmp"
	"encoding/binary"
	"math"

	"applysim/heap/datum"
)

var le = binary.LittleEndian

// The readers below take what the bytes give and zero beyond: a damaged value
// must compare somehow, and never panic.

func u16(b []byte, at int) uint16 {
	if at < 0 || at+2 > len(b) {
		return 0
	}
	return le.Uint16(b[at:])
}

func u32(b []byte, at int) uint32 {
	if at < 0 || at+4 > len(b) {
		return 0
	}
	return le.Uint32(b[at:])
}

func u64(b []byte, at int) uint64 {
	if at < 0 || at+8 > len(b) {
		return 0
	}
	return le.Uint64(b[at:])
}

func compareSigned(a, b *datum.Value) int { return cmp.Compare(int64(a.Bits), int64(b.Bits)) }

func compareUnsigned(a, b *datum.Value) int { return cmp.Compare(a.Bits, b.Bits) }

// abbrevFloat8 maps the IEEE bits to a number with the order of float8_cmp:
// both zeros are one value, and all NaNs are one value above infinity.
func abbrevFloat8(v *datum.Value) uint64 {
	f := math.Float64frombits(v.Bits)
	switch {
	case f != f:
		return math.MaxUint64
	case f == 0:
		return 1 << 63
	case f < 0:
		return ^v.Bits
	}
	return v.Bits | 1<<63
}

func compareFloat8(a, b *datum.Value) int { return cmp.Compare(abbrevFloat8(a), abbrevFloat8(b)) }

func abbrevFloat4(v *datum.Value) uint64 {
	bits := uint32(v.Bits)
	f := math.Float32frombits(bits)
	switch {
	case f != f:
		bits = math.MaxUint32
	case f == 0:
		bits = 1 << 31
	case f < 0:
		bits = ^bits
	default:
		bits |= 1 << 31
	}
	return uint64(bits) << 32
}

func compareFloat4(a, b *datum.Value) int { return cmp.Compare(abbrevFloat4(a), abbrevFloat4(b)) }

// abbrevTID puts a tuple identifier's block number before its offset number.
// The block number is stored as two halves, the high one first.
func abbrevTID(v *datum.Value) uint64 {
	b := v.Bytes
	return uint64(u16(b, 0))<<48 | uint64(u16(b, 2))<<32 | uint64(u16(b, 4))<<16
}

func compareTID(a, b *datum.Value) int { return cmp.Compare(abbrevTID(a), abbrevTID(b)) }

// An oidvector's payload is that of a one-dimensional array: dimensions,
// data offset, element type, count, lower bound, then the numbers.
const (
	oidVectorCount = 12
	oidVectorData  = 20
)

func compareOidVector(a, b *datum.Value) int {
	na, nb := u32(a.Bytes, oidVectorCount), u32(b.Bytes, oidVectorCount)
	if na != nb {
		return cmp.Compare(int32(na), int32(nb))
	}
	for at := oidVectorData; at < len(a.Bytes) && at < len(b.Bytes); at += 4 {
		if c := cmp.Compare(u32(a.Bytes, at), u32(b.Bytes, at)); c != 0 {
			return c
		}
	}
	return 0
}

func abbrevOidVector(v *datum.Value) uint64 {
	return uint64(u32(v.Bytes, oidVectorCount)^1<<31)<<32 | uint64(u32(v.Bytes, oidVectorData))
}
