package opclass

// After varstr_cmp of src/backend/utils/adt/varlena.c, bpcharcmp of varchar.c and
// btvarstrequalimage of varlena.c.

import "applysim/heap/datum"

// Collation is an order of text other than that of its bytes.
type Collation interface {
	// Compare orders two texts; if the collation is deterministic only identical
	// ones are equal.
	Compare(a, b []byte) int
	// Prefix keeps that order: if it tells two texts apart, so does Compare.
	Prefix(s []byte) uint64
	Deterministic() bool
}

// payload gives the text of a value of those classes that a collation orders.
var payload = map[string]func([]byte) []byte{
	"text_ops": nil, "varchar_ops": nil, "bpchar_ops": trimBlanks, "name_ops": untilNUL,
}

// Collated is the class in a collation: c itself if that is nil, or if the class
// is none whose order a collation decides.
func (c *Class) Collated(coll Collation) *Class {
	text, ok := payload[c.Name]
	if !ok || coll == nil {
		return c
	}
	n := &Class{Name: c.Name, EqualImage: coll.Deterministic(), CString: c.CString}
	if n.EqualImage {
		n.Hash = c.Hash // of the bytes; else of the sort key, which is the library's own
	}
	if text == nil {
		n.Compare = func(a, b *datum.Value) int { return coll.Compare(a.Bytes, b.Bytes) }
		n.Abbrev = func(v *datum.Value) uint64 { return coll.Prefix(v.Bytes) }
	} else {
		n.Compare = func(a, b *datum.Value) int { return coll.Compare(text(a.Bytes), text(b.Bytes)) }
		n.Abbrev = func(v *datum.Value) uint64 { return coll.Prefix(text(v.Bytes)) }
	}
	return n
}
