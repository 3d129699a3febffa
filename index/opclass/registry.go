package opclass

import (
	"cmp"

	"applysim/heap/datum"
)

// byName lists the classes that need no parameter. It is filled once, before
// anything can look into it, and never changed.
var byName = func() map[string]*Class {
	m := make(map[string]*Class)
	for _, c := range []*Class{
		unsigned("bool_ops", 1), unsigned("char_ops", 1),
		signed("int2_ops", 2), signed("int4_ops", 4), signed("int8_ops", 8),
		unsigned("oid_ops", 4), unsigned("xid8_ops", 8), unsigned("pg_lsn_ops", 8),
		unsigned("enum_ops", 4),
		signed("date_ops", 4), signed("time_ops", 8), signed("timestamp_ops", 8),
		signed("timestamptz_ops", 8), signed("money_ops", 8),
		{Name: "float4_ops", Compare: compareFloat4, Abbrev: abbrevFloat4, Width: 4},
		{Name: "float8_ops", Compare: compareFloat8, Abbrev: abbrevFloat8, Width: 8},
		image("text_ops", 0), image("varchar_ops", 0), image("text_pattern_ops", 0),
		image("varchar_pattern_ops", 0), image("bytea_ops", 0), image("uuid_ops", 0),
		image("macaddr_ops", 6), image("macaddr8_ops", 8),
		{Name: "name_ops", Compare: compareName, Abbrev: abbrevBytes, EqualImage: true, CString: true},
		{Name: "bpchar_ops", Compare: compareBpchar, Abbrev: abbrevBpchar, EqualImage: true},
		{Name: "bpchar_pattern_ops", Compare: compareBpchar, Abbrev: abbrevBpchar, EqualImage: true},
		{Name: "bit_ops", Compare: compareBit, Abbrev: abbrevBit, EqualImage: true},
		{Name: "varbit_ops", Compare: compareBit, Abbrev: abbrevBit, EqualImage: true},
		{Name: "tid_ops", Compare: compareTID, Abbrev: abbrevTID, Width: 6, EqualImage: true},
		{Name: "timetz_ops", Compare: compareTimeTZ, Abbrev: abbrevTimeTZ, EqualImage: true},
		{Name: "interval_ops", Compare: compareInterval, Abbrev: abbrevInterval},
		{Name: "numeric_ops", Compare: compareNumeric, Abbrev: abbrevNumeric},
		{Name: "inet_ops", Compare: compareInet, Abbrev: abbrevInet, EqualImage: true},
		{Name: "cidr_ops", Compare: compareInet, Abbrev: abbrevInet, EqualImage: true},
		{Name: "jsonb_ops", Compare: compareJsonb, Abbrev: abbrevJsonb},
		{Name: "oidvector_ops", Compare: compareOidVector, Abbrev: abbrevOidVector, EqualImage: true},
		{Name: "tsvector_ops", Compare: compareTSVector, Abbrev: abbrevTSVector},
		{Name: "tsquery_ops", Compare: compareTSQuery, Abbrev: abbrevTSQuery},
	} {
		c.Hash = hashes[c.Name]
		m[c.Name] = c
	}
	return m
}()

// ByName returns the class of that name (pg_opclass.opcname), or nil. The
// classes of container types (array_ops, range_ops, multirange_ops,
// record_ops) depend on what they contain: see Array, Range, Multirange and
// Record.
func ByName(name string) *Class { return byName[name] }

// image makes a class whose order is that of memcmp over the payload, a
// shorter payload first. width is the payload's length if it fits the
// abbreviation and is fixed.
func image(name string, width int) *Class {
	return &Class{Name: name, Compare: compareBytes, Abbrev: abbrevBytes, Width: width, EqualImage: true, Bytewise: true}
}

// signed makes the class of a by-value signed integer of size bytes.
func signed(name string, size int) *Class {
	c := &Class{Name: name, Compare: compareSigned, Width: size, EqualImage: true}
	switch size {
	case 2:
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits<<48 ^ 1<<63 }
		c.Unabbrev = func(a uint64) uint64 { return uint64(int64(a^1<<63) >> 48) }
	case 4:
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits<<32 ^ 1<<63 }
		c.Unabbrev = func(a uint64) uint64 { return uint64(int64(a^1<<63) >> 32) }
	case 8:
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits ^ 1<<63 }
		c.Unabbrev = func(a uint64) uint64 { return a ^ 1<<63 }
	default:
		panic("opclass: no signed type of this size")
	}
	c.Linear, c.Shift, c.Flip = true, uint8(64-8*size), 1<<63
	return c
}

// unsigned makes the class of a by-value unsigned integer of size bytes.
func unsigned(name string, size int) *Class {
	c := &Class{Name: name, Compare: compareUnsigned, Width: size, EqualImage: true}
	switch size {
	case 1:
		c.Compare = func(a, b *datum.Value) int { return int(uint8(a.Bits)) - int(uint8(b.Bits)) }
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits << 56 }
		c.Unabbrev = func(a uint64) uint64 { return a >> 56 }
	case 4:
		// Only the low 32 bits count: who reads them from a tuple may have
		// extended the sign.
		c.Compare = func(a, b *datum.Value) int { return cmp.Compare(uint32(a.Bits), uint32(b.Bits)) }
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits << 32 }
		c.Unabbrev = func(a uint64) uint64 { return a >> 32 }
	case 8:
		c.Abbrev = func(v *datum.Value) uint64 { return v.Bits }
		c.Unabbrev = func(a uint64) uint64 { return a }
	default:
		panic("opclass: no unsigned type of this size")
	}
	c.Linear, c.Shift = true, uint8(64-8*size)
	return c
}
