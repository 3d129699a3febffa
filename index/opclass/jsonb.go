package opclass

// After src/backend/utils/adt/jsonb_util.c (compareJsonbContainers).

import (
	"bytes"
	"cmp"

	"applysim/heap/datum"
)

// A jsonb payload is a tree of containers. Each begins with a header (number
// of elements or pairs, and what it is), then one entry a child (its type and
// either its length or, every 32nd, its end), then the children's data.
const (
	jsonbCountMask = 0x0FFFFFFF
	jsonbScalar    = 0x10000000
	jsonbObject    = 0x20000000

	entryLenMask   = 0x0FFFFFFF
	entryTypeMask  = 0x70000000
	entryHasOff    = 0x80000000
	entryString    = 0x00000000
	entryNumeric   = 0x10000000
	entryFalse     = 0x20000000
	entryTrue      = 0x30000000
	entryNull      = 0x40000000
	entryContainer = 0x50000000
)

// jsonbIter walks over a container's children in stored order.
type jsonbIter struct {
	b        []byte
	count    int // elements or pairs
	children int
	object   bool
	scalar   bool
	base     int // where the children's data begins
	next     int // index of the next child
	at       int // start of its data, from base
}

func openJsonb(b []byte) jsonbIter {
	h := u32(b, 0)
	it := jsonbIter{b: b, count: int(h & jsonbCountMask), object: h&jsonbObject != 0, scalar: h&jsonbScalar != 0}
	it.children = it.count
	if it.object {
		it.children *= 2
	}
	it.children = min(it.children, max(len(b)-4, 0)/4)
	it.base = 4 + 4*it.children
	return it
}

// child returns the next child's type bits and its data; padding in front of
// a number or a container is part of the data and is removed here.
func (it *jsonbIter) child() (kind uint32, data []byte) {
	e := u32(it.b, 4+4*it.next)
	it.next++
	end := int(e & entryLenMask)
	if e&entryHasOff == 0 {
		end += it.at
	}
	from, to := min(it.base+it.at, len(it.b)), min(it.base+end, len(it.b))
	it.at = end
	kind = e & entryTypeMask
	if kind == entryNumeric || kind == entryContainer {
		from = min((from+3)&^3, len(it.b))
	}
	if from > to {
		from = to
	}
	return kind, it.b[from:to]
}

// scalarRank is the order between types: null, string, number, boolean,
// array, object.
func scalarRank(kind uint32, data []byte) int {
	switch kind {
	case entryNull:
		return 0
	case entryString:
		return 1
	case entryNumeric:
		return 2
	case entryFalse, entryTrue:
		return 3
	}
	if u32(data, 0)&jsonbObject != 0 {
		return 5
	}
	return 4
}

// textOrder orders the strings in a jsonb.
type textOrder func(a, b []byte) int

func compareJsonb(a, b *datum.Value) int { return compareContainers(a.Bytes, b.Bytes, bytes.Compare) }

// Jsonb is jsonb_ops in a database whose default collation is coll: it orders
// keys and strings.
func Jsonb(coll Collation) *Class {
	if coll == nil {
		return byName["jsonb_ops"]
	}
	return &Class{
		Name:    "jsonb_ops",
		Hash:    byName["jsonb_ops"].Hash,
		Compare: func(a, b *datum.Value) int { return compareContainers(a.Bytes, b.Bytes, coll.Compare) },
		Abbrev:  func(v *datum.Value) uint64 { return abbrevContainer(v.Bytes, coll.Prefix) },
	}
}

func compareContainers(a, b []byte, text textOrder) int {
	x, y := openJsonb(a), openJsonb(b)
	if x.object != y.object {
		if x.object {
			return 1
		}
		return -1
	}
	// The number of children decides before anything else; it even overrules
	// that a bare scalar sorts before an array, so that an empty array comes
	// before null.
	if x.count != y.count {
		return cmp.Compare(x.count, y.count)
	}
	if x.scalar != y.scalar {
		if x.scalar {
			return -1
		}
		return 1
	}
	if x.object {
		return comparePairs(x, y, text)
	}
	for x.next < x.children && y.next < y.children {
		xk, xd := x.child()
		yk, yd := y.child()
		if c := compareChild(xk, xd, yk, yd, text); c != 0 {
			return c
		}
	}
	return 0
}

// comparePairs compares key, value, key, value, although keys and values are
// stored as two runs.
func comparePairs(x, y jsonbIter, text textOrder) int {
	xv, yv := x, y
	for xv.next < min(xv.count, xv.children) {
		xv.child()
	}
	for yv.next < min(yv.count, yv.children) {
		yv.child()
	}
	for xv.next < xv.children && yv.next < yv.children {
		_, xd := x.child()
		_, yd := y.child()
		if c := text(xd, yd); c != 0 {
			return c
		}
		xk, xd := xv.child()
		yk, yd := yv.child()
		if c := compareChild(xk, xd, yk, yd, text); c != 0 {
			return c
		}
	}
	return 0
}

func compareChild(xk uint32, xd []byte, yk uint32, yd []byte, text textOrder) int {
	if c := cmp.Compare(scalarRank(xk, xd), scalarRank(yk, yd)); c != 0 {
		return c
	}
	switch xk {
	case entryString:
		return text(xd, yd)
	case entryNumeric:
		return compareNumericBytes(tail(xd, 4), tail(yd, 4)) // after its length word
	case entryFalse, entryTrue:
		return cmp.Compare(xk, yk)
	case entryNull:
		return 0
	}
	return compareContainers(xd, yd, text)
}

// abbrevJsonb is what compareContainers looks at first: object or not, number
// of children, bare scalar or not, and for a bare scalar its type and 32 bits
// of its value.
func abbrevJsonb(v *datum.Value) uint64 { return abbrevContainer(v.Bytes, prefix8) }

func abbrevContainer(b []byte, prefix func(s []byte) uint64) uint64 {
	it := openJsonb(b)
	a := uint64(it.count) << 35
	if it.object {
		return a | 1<<63
	}
	if !it.scalar {
		return a | 1<<34
	}
	if it.children == 0 {
		return a
	}
	kind, data := it.child()
	a |= uint64(min(scalarRank(kind, data), 3)) << 32
	switch kind {
	case entryString:
		a |= prefix(data) >> 32
	case entryNumeric:
		a |= abbrevNumericBytes(tail(data, 4)) >> 32
	case entryTrue:
		a |= 1
	}
	return a
}
