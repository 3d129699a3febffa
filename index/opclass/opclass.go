package opclass

import "applysim/heap/datum"

// Class is a B-tree operator class: the order of its values.
type Class struct {
	// Name is pg_opclass.opcname: "int4_ops", "text_ops", ...
	Name string
	// Compare orders two values that are not NULL: negative, zero, positive.
	Compare func(a, b *datum.Value) int
	// Abbrev returns a number that keeps the order: a < b implies
	// Abbrev(a) <= Abbrev(b). It is left-justified: the most significant byte
	// decides first.
	Abbrev func(v *datum.Value) uint64
	// Linear says that Abbrev is the value's Bits, shifted left by Shift and with the
	// bits of Flip flipped.
	Linear bool
	Shift  uint8
	Flip   uint64
	// Bytewise says that values are ordered by their bytes, a shorter one first where it
	// is the other's beginning.
	Bytewise bool
	// Width is the number of leading bytes of Abbrev that hold the whole
	// value (equal abbreviations of that width mean equal values), or 0 where
	// the abbreviation can only be a prefix of the value.
	Width int
	// Invertible says that the value's Bits can be computed back from Abbrev (Unabbrev):
	// all by-value integer-like types.
	Unabbrev func(abbrev uint64) uint64
	// EqualImage is the opclass's answer to support function 4 (for a
	// deterministic collation): equal values have equal bytes, so that
	// duplicates may be merged into a posting list.
	EqualImage bool
	// Hash is the type's extended hash function, nil if it has none.
	Hash HashFunc
	// CString says that an index key of this class is stored as a C string
	// (pg_opclass.opckeytype = cstring, name_ops only): its bytes up to the
	// first NUL and one NUL, without alignment.
	CString bool
}
