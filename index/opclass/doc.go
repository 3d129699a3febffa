// Package opclass holds the B-tree operator classes: how index keys are ordered.
//
// A Class compares values in the form in which PostgreSQL stores them (see
// package datum: by-value types in Value.Bits, all others as the payload
// without its length word) and follows the comparison function that
// PostgreSQL registers as support function 1 of the class. Text is compared
// in the "C" collation unless a Collation is given (Class.Collated).
//
// Beside the comparison each class has an abbreviation, an unsigned number
// that sorts like the value does as far as its 64 bits reach:
//
//	int4     |sign-flipped value: 4 bytes|0 0 0 0|     Width 4, Unabbrev gives the value back
//	int8     |sign-flipped value: 8 bytes        |     Width 8, Unabbrev
//	float8   |ordered bits, one NaN, one zero    |     Width 8, no way back (-0)
//	text     |first 8 bytes, zero padded         |     Width 0: ties need Compare
//	numeric  |sign|weight:16|leading digits:47   |     Width 0
//	uuid     |first 8 bytes                      |     Width 0
//	jsonb    |object|elements:28|array|scalar:34 |     Width 0
//
// The package can also read what the container types are made of: an element
// of an array, a bound of a range, a field of a record (Fetch).
//
// Left out: classes of hash, GIN, GiST and BRIN indexes, and
// record_image_ops, which no ordinary index uses.
//
// Read opclass.go, then registry.go, scalar.go, text.go and collation.go; the others are one
// family of types each: interval.go, numeric.go, network.go, jsonb.go,
// tsearch.go, and container.go for arrays, ranges and records.
package opclass
