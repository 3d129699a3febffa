package opclass

// Hash functions, after src/common/hashfn.c (hash_bytes_extended), the hash support
// functions of src/backend/access/hash/hashfunc.c and of src/backend/utils/adt.

import (
	"encoding/binary"
	"math"
	"math/bits"

	"applysim/heap/datum"
)

// HashFunc is the extended hash function of a type (support function 2 of its default
// hash operator class). With seed 0 its lower half is what hash indexes use.
type HashFunc func(v *datum.Value, seed uint64) uint64

// hashes are the hash functions by the name of the B-tree operator class. Types that
// only a B-tree knows (money, bit, tsvector) have none.
var hashes = map[string]HashFunc{
	"bool_ops":   func(v *datum.Value, seed uint64) uint64 { return HashUint32(uint32(v.Bits&1), seed) },
	"char_ops":   func(v *datum.Value, seed uint64) uint64 { return HashUint32(uint32(int32(int8(v.Bits))), seed) },
	"int2_ops":   func(v *datum.Value, seed uint64) uint64 { return HashUint32(uint32(int32(int16(v.Bits))), seed) },
	"int4_ops":   hashInt4,
	"date_ops":   hashInt4,
	"oid_ops":    hashInt4,
	"enum_ops":   hashInt4,
	"int8_ops":   func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },
	"xid8_ops":   func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },
	"pg_lsn_ops": func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },
	"time_ops":   func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },

	"timestamp_ops":   func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },
	"timestamptz_ops": func(v *datum.Value, seed uint64) uint64 { return hashInt8(int64(v.Bits), seed) },
	"interval_ops": func(v *datum.Value, seed uint64) uint64 {
		_, low := intervalSpan(v)
		return hashInt8(int64(low), seed)
	},
	"timetz_ops": func(v *datum.Value, seed uint64) uint64 {
		return hashInt8(int64(u64(v.Bytes, 0)), seed) ^ HashUint32(u32(v.Bytes, 8), seed)
	},
	"float4_ops": func(v *datum.Value, seed uint64) uint64 {
		return hashFloat(float64(math.Float32frombits(uint32(v.Bits))), seed)
	},
	"float8_ops": func(v *datum.Value, seed uint64) uint64 { return hashFloat(math.Float64frombits(v.Bits), seed) },

	"text_ops": hashPayload, "varchar_ops": hashPayload, "text_pattern_ops": hashPayload, "varchar_pattern_ops": hashPayload,
	"bytea_ops": hashPayload, "uuid_ops": hashPayload, "macaddr_ops": hashPayload, "macaddr8_ops": hashPayload,
	"inet_ops": hashPayload, "cidr_ops": hashPayload, "tid_ops": hashPayload,
	"bpchar_ops": hashBpchar, "bpchar_pattern_ops": hashBpchar,
	"name_ops": func(v *datum.Value, seed uint64) uint64 {
		b := v.Bytes
		for i, c := range b {
			if c == 0 {
				b = b[:i]
				break
			}
		}
		return HashBytes(b, seed)
	},
	"oidvector_ops": func(v *datum.Value, seed uint64) uint64 {
		const values = 20 // vl_len_ left out: ndim, dataoffset, elemtype, dim1, lbound1
		return HashBytes(tail(v.Bytes, values), seed)
	},
	"numeric_ops": func(v *datum.Value, seed uint64) uint64 { return hashNumeric(v.Bytes, seed) },
	"jsonb_ops": func(v *datum.Value, seed uint64) uint64 {
		if u32(v.Bytes, 0)&jsonbCountMask == 0 {
			return seed
		}
		return hashContainer(v.Bytes, 0, seed)
	},
}

func hashInt4(v *datum.Value, seed uint64) uint64 { return HashUint32(uint32(v.Bits), seed) }

// hashInt8 makes equal numbers of all integer types hash alike.
func hashInt8(n int64, seed uint64) uint64 {
	low, high := uint32(n), uint32(n>>32)
	if n < 0 {
		high = ^high
	}
	return HashUint32(low^high, seed)
}

func hashFloat(x float64, seed uint64) uint64 {
	if x == 0 {
		return seed // both zeros
	}
	word := math.Float64bits(x)
	if x != x {
		word = 0x7ff8000000000000 // get_float8_nan
	}
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], word)
	return HashBytes(b[:], seed)
}

func hashPayload(v *datum.Value, seed uint64) uint64 { return HashBytes(v.Bytes, seed) }

func hashBpchar(v *datum.Value, seed uint64) uint64 {
	b := v.Bytes
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return HashBytes(b, seed)
}

// hashNumeric passes over zero digits at both ends, so that equal numbers hash alike.
func hashNumeric(b []byte, seed uint64) uint64 {
	n := decodeNumeric(b)
	if n.special != 0 {
		return seed
	}
	digits, weight := n.digits[:len(n.digits)&^1], n.weight
	for len(digits) > 0 && u16(digits, 0) == 0 {
		digits, weight = digits[2:], weight-1
	}
	if len(digits) == 0 {
		return seed - 1
	}
	for u16(digits, len(digits)-2) == 0 {
		digits = digits[:len(digits)-2]
	}
	return HashBytes(digits, seed) ^ uint64(int64(weight))
}

const jsonbArray = 0x40000000 // JB_FARRAY

// rotate turns both halves of a hash by one bit (ROTATE_HIGH_AND_LOW_32BITS).
func rotate(h uint64) uint64 {
	return uint64(bits.RotateLeft32(uint32(h>>32), 1))<<32 | uint64(bits.RotateLeft32(uint32(h), 1))
}

// hashContainer adds a jsonb container's keys and values, in order, to a hash
// (jsonb_hash_extended).
func hashContainer(b []byte, h, seed uint64) uint64 {
	it := openJsonb(b)
	if !it.object {
		h ^= jsonbArray<<32 | jsonbArray
		for it.next < it.children {
			kind, data := it.child()
			h = hashChild(kind, data, h, seed)
		}
		return h
	}
	h ^= jsonbObject<<32 | jsonbObject
	values := it
	for values.next < min(values.count, values.children) {
		values.child()
	}
	for values.next < values.children {
		_, key := it.child()
		h = rotate(h) ^ HashBytes(key, seed)
		kind, data := values.child()
		h = hashChild(kind, data, h, seed)
	}
	return h
}

func hashChild(kind uint32, data []byte, h, seed uint64) uint64 {
	var x uint64
	switch kind {
	case entryContainer:
		return hashContainer(data, h, seed)
	case entryString:
		x = HashBytes(data, seed)
	case entryNumeric:
		x = hashNumeric(tail(data, 4), seed) // after its length word
	case entryNull:
		x = seed + 1
	default:
		switch {
		case seed != 0 && kind == entryTrue:
			x = HashUint32(1, seed)
		case seed != 0:
			x = HashUint32(0, seed)
		case kind == entryTrue:
			x = 2
		default:
			x = 4
		}
	}
	return rotate(h) ^ x
}

// hashArray is hash_array_extended over elements of a class; nil if they have no hash
// function.
func hashArray(elem *Class, attr datum.Attr) HashFunc {
	if elem.Hash == nil {
		return nil
	}
	return func(v *datum.Value, seed uint64) uint64 {
		h := uint64(1)
		r, ok := openArray(v.Bytes, attr)
		for ok && r.i < r.Items {
			var e datum.Value
			if e, ok = r.element(); ok {
				h = h<<5 - h + hashOrNull(elem, &e, seed)
			}
		}
		return h
	}
}

func hashOrNull(c *Class, v *datum.Value, seed uint64) uint64 {
	if v.Null {
		return 0
	}
	return c.Hash(v, seed)
}

// hashRecord is hash_record_extended.
func hashRecord(fields []RecordField) HashFunc {
	for i := range fields {
		if fields[i].Class.Hash == nil {
			return nil
		}
	}
	return func(v *datum.Value, seed uint64) uint64 {
		h := uint64(0)
		r, ok := openRecord(v.Bytes, fields)
		for i := 0; ok && i < len(fields); i++ {
			var e datum.Value
			if e, ok = r.next(); ok {
				h = h<<5 - h + hashOrNull(fields[i].Class, &e, seed)
			}
		}
		return h
	}
}

func hashBounds(sub *Class, flags byte, lower, upper *Bound, seed uint64) uint64 {
	h := HashUint32(uint32(flags), seed)
	if flags&(RangeEmpty|RangeLowerInf) == 0 {
		h ^= sub.Hash(&lower.Value, seed)
	}
	h = rotate(h)
	if flags&(RangeEmpty|RangeUpperInf) == 0 {
		h ^= sub.Hash(&upper.Value, seed)
	}
	return h
}

// hashRange is hash_range_extended.
func hashRange(sub *Class, attr datum.Attr) HashFunc {
	if sub.Hash == nil {
		return nil
	}
	return func(v *datum.Value, seed uint64) uint64 {
		lower, upper, _, ok := DecodeRange(v.Bytes, attr)
		if !ok {
			return seed
		}
		return hashBounds(sub, v.Bytes[len(v.Bytes)-1], &lower, &upper, seed)
	}
}

// hashMultirange is hash_multirange_extended.
func hashMultirange(sub *Class, attr datum.Attr) HashFunc {
	if sub.Hash == nil {
		return nil
	}
	return func(v *datum.Value, seed uint64) uint64 {
		h := uint64(1)
		r, ok := OpenMultirange(v.Bytes, attr)
		for i := 0; ok && i < r.Count; i++ {
			flags := r.b[r.flagsAt()+i]
			var lower, upper Bound
			if lower, upper, ok = r.Next(); ok {
				h = h<<5 - h + hashBounds(sub, flags, &lower, &upper, seed)
			}
		}
		return h
	}
}

// The hash is Bob Jenkins's lookup3 (public domain), with the initial value, the use
// of a seed and the order of its two results that PostgreSQL has.
const (
	hashInit  = 0x9e3779b9
	hashExtra = 3923095
)

func hashStart(n int, seed uint64) (a, b, c uint32) {
	a = hashInit + uint32(n) + hashExtra
	b, c = a, a
	if seed == 0 {
		return a, b, c
	}
	a += uint32(seed >> 32)
	b += uint32(seed)
	return mix(a, b, c)
}

// HashUint32 is hash_uint32_extended.
func HashUint32(k uint32, seed uint64) uint64 {
	a, b, c := hashStart(4, seed)
	a += k
	b, c = final(a, b, c)
	return uint64(b)<<32 | uint64(c)
}

// HashBytes is hash_any_extended.
func HashBytes(k []byte, seed uint64) uint64 {
	a, b, c := hashStart(len(k), seed)
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
