package partition

import (
	"encoding/binary"
	"math"
	"math/bits"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

// hashFunc is the extended hash function of a type, with the seed of hash
// partitioning.
type hashFunc func(v *datum.Value) uint64

// Source: REL_18_1, src/backend/partitioning/partbounds.c (HASH_PARTITION_SEED),
// src/include/common/hashfn.h (hash_combine64).
const (
	hashSeed    = 0x7A5B22367996DCFD
	hashCombine = 0x49a0f4dd15e5a8e3
)

// hashOf returns the hash function of a type's default hash operator class, nil if
// it is not modelled.
func hashOf(class *opclass.Class, t *pgtype.Type) hashFunc {
	switch class.Name {
	case "int2_ops":
		return func(v *datum.Value) uint64 { return hashUint32(uint32(int32(int16(v.Bits)))) }
	case "int4_ops", "date_ops", "oid_ops":
		return func(v *datum.Value) uint64 { return hashUint32(uint32(v.Bits)) }
	case "char_ops":
		return func(v *datum.Value) uint64 { return hashUint32(uint32(int32(int8(v.Bits)))) }
	case "bool_ops":
		return func(v *datum.Value) uint64 { return hashUint32(uint32(v.Bits & 1)) }
	case "int8_ops", "timestamp_ops", "timestamptz_ops", "time_ops":
		return hashInt8
	case "float4_ops":
		return func(v *datum.Value) uint64 { return hashFloat(float64(math.Float32frombits(uint32(v.Bits)))) }
	case "float8_ops":
		return func(v *datum.Value) uint64 { return hashFloat(math.Float64frombits(v.Bits)) }
	case "text_ops", "varchar_ops", "bytea_ops", "uuid_ops":
		return func(v *datum.Value) uint64 { return hashBytes(v.Bytes) }
	case "bpchar_ops":
		return func(v *datum.Value) uint64 {
			b := v.Bytes
			for len(b) > 0 && b[len(b)-1] == ' ' {
				b = b[:len(b)-1]
			}
			return hashBytes(b)
		}
	}
	return nil
}

// hashInt8 makes equal numbers of all integer types hash alike.
func hashInt8(v *datum.Value) uint64 {
	low, high := uint32(v.Bits), uint32(v.Bits>>32)
	if int64(v.Bits) < 0 {
		high = ^high
	}
	return hashUint32(low ^ high)
}

func hashFloat(x float64) uint64 {
	if x == 0 {
		return hashSeed // both zeros
	}
	if math.IsNaN(x) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], 0x7ff8000000000000)
		return hashBytes(b[:])
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], math.Float64bits(x))
	return hashBytes(b[:])
}

// rowHash combines the hashes of the key's columns; one that is NULL adds nothing.
func (r *Router) rowHash() uint64 {
	h := uint64(0)
	for i := range r.keys {
		if r.values[i].Null {
			continue
		}
		x := r.keys[i].hash(&r.values[i])
		h ^= x + hashCombine + h<<54 + h>>7
	}
	return h
}

// The hash is Bob Jenkins's lookup3 (public domain), with the initial value and the
// order of its two results that PostgreSQL has (hash_bytes_extended).
const (
	hashInit  = 0x9e3779b9
	hashExtra = 3923095
)

func hashStart(n int) (a, b, c uint32) {
	a = hashInit + uint32(n) + hashExtra
	b, c = a, a
	seed := uint64(hashSeed)
	a += uint32(seed >> 32)
	b += uint32(seed)
	return mix(a, b, c)
}

func hashUint32(k uint32) uint64 {
	a, b, c := hashStart(4)
	a += k
	b, c = final(a, b, c)
	return uint64(b)<<32 | uint64(c)
}

func hashBytes(k []byte) uint64 {
	a, b, c := hashStart(len(k))
	for ; len(k) >= 12; k = k[12:] {
		a += binary.LittleEndian.Uint32(k)
		b += binary.LittleEndian.Uint32(k[4:])
		c += binary.LittleEndian.Uint32(k[8:])
		a, b, c = mix(a, b, c)
	}
	// The lowest byte of c is the length's.
	var rest [12]byte
	copy(rest[:], k)
	a += binary.LittleEndian.Uint32(rest[:])
	b += binary.LittleEndian.Uint32(rest[4:])
	c += binary.LittleEndian.Uint32(rest[8:]) << 8
	b, c = final(a, b, c)
	return uint64(b)<<32 | uint64(c)
}

func mix(a, b, c uint32) (uint32, uint32, uint32) {
	a = (a - c) ^ bits.RotateLeft32(c, 4)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 6)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 8)
	b += a
	a = (a - c) ^ bits.RotateLeft32(c, 16)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 19)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 4)
	b += a
	return a, b, c
}

func final(a, b, c uint32) (uint32, uint32) {
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	c = (c ^ b) - bits.RotateLeft32(b, 24)
	return b, c
}
