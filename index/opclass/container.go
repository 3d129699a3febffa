package opclass

// After array_cmp, range_cmp, multirange_cmp and record_cmp of
// src/backend/utils/adt (arrayfuncs.c, rangetypes.c, multirangetypes.c,
// rowtypes.c).

import (
	"bytes"
	"cmp"
	"math"

	"applysim/heap/datum"
)

// above shifts an abbreviation down to leave the highest number to NULL,
// which sorts after every value inside arrays and records.
func above(abbrev uint64, null bool) uint64 {
	if null {
		return math.MaxUint64
	}
	return abbrev >> 1
}

// arrayReader walks over an array's elements.
type arrayReader struct {
	ArrayHeader
	b    []byte
	attr datum.Attr
	i    int
	at   int
}

func openArray(b []byte, attr datum.Attr) (r arrayReader, ok bool) {
	r.b, r.attr = b, attr
	r.ArrayHeader, ok = DecodeArray(b)
	r.at = r.Data
	return r, ok
}

func (r *arrayReader) element() (v datum.Value, ok bool) {
	null := r.Null(r.i)
	r.i++
	if null {
		return datum.Value{Null: true}, true
	}
	v, r.at, ok = Fetch(r.b, -4, r.at, r.attr, false)
	return v, ok
}

// Array is array_ops over elements that elem orders and elemAttr lays out.
func Array(elem *Class, elemAttr datum.Attr) *Class {
	return &Class{
		Name: "array_ops", Hash: hashArray(elem, elemAttr),
		Compare: func(a, b *datum.Value) int {
			x, ok1 := openArray(a.Bytes, elemAttr)
			y, ok2 := openArray(b.Bytes, elemAttr)
			if !ok1 || !ok2 {
				return bytes.Compare(a.Bytes, b.Bytes)
			}
			for x.i < x.Items && y.i < y.Items {
				xv, ok1 := x.element()
				yv, ok2 := y.element()
				if !ok1 || !ok2 {
					return bytes.Compare(a.Bytes, b.Bytes)
				}
				if c := compareNullsLast(elem, &xv, &yv); c != 0 {
					return c
				}
			}
			return compareShape(&x.ArrayHeader, &y.ArrayHeader)
		},
		Abbrev: func(v *datum.Value) uint64 {
			r, ok := openArray(v.Bytes, elemAttr)
			if !ok || r.Items == 0 {
				return 0
			}
			first, _ := r.element()
			if first.Null {
				return math.MaxUint64
			}
			return above(elem.Abbrev(&first), false)
		},
	}
}

// compareShape decides between arrays whose common elements are equal.
func compareShape(x, y *ArrayHeader) int {
	if x.Items != y.Items {
		return cmp.Compare(x.Items, y.Items)
	}
	if len(x.Dims) != len(y.Dims) {
		return cmp.Compare(len(x.Dims), len(y.Dims))
	}
	for i := range x.Dims {
		if c := cmp.Compare(x.Dims[i], y.Dims[i]); c != 0 {
			return c
		}
	}
	for i := range x.Lower {
		if c := cmp.Compare(x.Lower[i], y.Lower[i]); c != 0 {
			return c
		}
	}
	return 0
}

func compareNullsLast(c *Class, a, b *datum.Value) int {
	switch {
	case a.Null && b.Null:
		return 0
	case a.Null:
		return 1
	case b.Null:
		return -1
	}
	return c.Compare(a, b)
}

// Flags of a range, its payload's last byte: REL_18_1,
// src/include/utils/rangetypes.h.
const (
	RangeEmpty    = 0x01 // RANGE_EMPTY
	RangeLowerInc = 0x02 // RANGE_LB_INC
	RangeUpperInc = 0x04 // RANGE_UB_INC
	RangeLowerInf = 0x08 // RANGE_LB_INF
	RangeUpperInf = 0x10 // RANGE_UB_INF
)

// Bound is one end of a range.
type Bound struct {
	Value     datum.Value
	Infinite  bool
	Inclusive bool
	Lower     bool
}

// DecodeRange reads a range's payload: the range type's number, the bounds
// that are neither missing nor infinite, the flags.
func DecodeRange(b []byte, sub datum.Attr) (lower, upper Bound, empty, ok bool) {
	if len(b) < 5 {
		return lower, upper, false, false
	}
	flags := b[len(b)-1]
	lower, upper, _, ok = decodeBounds(b[:len(b)-1], -4, 4, flags, sub)
	return lower, upper, flags&RangeEmpty != 0, ok
}

func decodeBounds(b []byte, origin, at int, flags byte, sub datum.Attr) (lower, upper Bound, next int, ok bool) {
	lower = Bound{Infinite: flags&RangeLowerInf != 0, Inclusive: flags&RangeLowerInc != 0, Lower: true}
	upper = Bound{Infinite: flags&RangeUpperInf != 0, Inclusive: flags&RangeUpperInc != 0}
	ok = true
	if flags&(RangeEmpty|RangeLowerInf) == 0 {
		lower.Value, at, ok = Fetch(b, origin, at, sub, true)
	}
	if ok && flags&(RangeEmpty|RangeUpperInf) == 0 {
		upper.Value, at, ok = Fetch(b, origin, at, sub, true)
	}
	return lower, upper, at, ok
}

// CompareBounds orders two bounds of the same range type, of either end: at
// the same value, a bound that excludes it lies inside the range.
func CompareBounds(sub *Class, a, b *Bound) int {
	outward := func(x *Bound) int { // where x lies once the values agree
		if x.Lower {
			return -1
		}
		return 1
	}
	switch {
	case a.Infinite && b.Infinite:
		return cmp.Compare(outward(a), outward(b))
	case a.Infinite:
		return outward(a)
	case b.Infinite:
		return -outward(b)
	}
	if c := sub.Compare(&a.Value, &b.Value); c != 0 {
		return c
	}
	inward := func(x *Bound) int {
		if x.Inclusive {
			return 0
		}
		return -outward(x)
	}
	return cmp.Compare(inward(a), inward(b))
}

// Range is range_ops over a subtype that sub orders and subAttr lays out.
func Range(sub *Class, subAttr datum.Attr) *Class {
	return &Class{
		Name: "range_ops", Hash: hashRange(sub, subAttr),
		Compare: func(a, b *datum.Value) int {
			xl, xu, xe, ok1 := DecodeRange(a.Bytes, subAttr)
			yl, yu, ye, ok2 := DecodeRange(b.Bytes, subAttr)
			switch {
			case !ok1 || !ok2:
				return bytes.Compare(a.Bytes, b.Bytes)
			case xe && ye:
				return 0
			case xe:
				return -1
			case ye:
				return 1
			}
			if c := CompareBounds(sub, &xl, &yl); c != 0 {
				return c
			}
			return CompareBounds(sub, &xu, &yu)
		},
		Abbrev: func(v *datum.Value) uint64 {
			l, _, empty, ok := DecodeRange(v.Bytes, subAttr)
			if !ok || empty || l.Infinite {
				return 0
			}
			return sub.Abbrev(&l.Value)
		},
	}
}

// MultirangeReader walks over the ranges of a multirange's payload: the
// type's number, the number of ranges, one word a range but the first (its
// distance from the one before or, every fourth, from the start), one flag
// byte a range, then the bounds, each range's aligned.
type MultirangeReader struct {
	Count  int
	b      []byte
	sub    datum.Attr
	i      int
	base   int // where bounds begin
	offset int
}

// OpenMultirange begins to read a multirange's payload.
func OpenMultirange(b []byte, sub datum.Attr) (r MultirangeReader, ok bool) {
	r = MultirangeReader{Count: int(u32(b, 4)), b: b, sub: sub}
	if len(b) < 8 || r.Count > len(b) {
		return r, false
	}
	r.base = alignFrom(-4, r.flagsAt()+r.Count, sub.Align)
	return r, r.Count == 0 || r.flagsAt()+r.Count <= len(b)
}

func (r *MultirangeReader) flagsAt() int { return 8 + 4*max(r.Count-1, 0) }

// Next returns the bounds of the next range.
func (r *MultirangeReader) Next() (lower, upper Bound, ok bool) {
	if r.i >= r.Count {
		return lower, upper, false
	}
	if r.i > 0 {
		item := u32(r.b, 8+4*(r.i-1))
		if item&(1<<31) != 0 {
			r.offset = int(item &^ (1 << 31))
		} else {
			r.offset += int(item)
		}
	}
	flags := r.b[r.flagsAt()+r.i]
	r.i++
	lower, upper, _, ok = decodeBounds(r.b, -4, r.base+r.offset, flags, r.sub)
	return lower, upper, ok
}

// Multirange is multirange_ops over ranges of a subtype that sub orders and
// subAttr lays out.
func Multirange(sub *Class, subAttr datum.Attr) *Class {
	return &Class{
		Name: "multirange_ops", Hash: hashMultirange(sub, subAttr),
		Compare: func(a, b *datum.Value) int {
			x, ok1 := OpenMultirange(a.Bytes, subAttr)
			y, ok2 := OpenMultirange(b.Bytes, subAttr)
			if !ok1 || !ok2 {
				return bytes.Compare(a.Bytes, b.Bytes)
			}
			for range min(x.Count, y.Count) {
				xl, xu, ok1 := x.Next()
				yl, yu, ok2 := y.Next()
				if !ok1 || !ok2 {
					return bytes.Compare(a.Bytes, b.Bytes)
				}
				if c := CompareBounds(sub, &xl, &yl); c != 0 {
					return c
				}
				if c := CompareBounds(sub, &xu, &yu); c != 0 {
					return c
				}
			}
			return cmp.Compare(x.Count, y.Count)
		},
		Abbrev: func(v *datum.Value) uint64 {
			r, ok := OpenMultirange(v.Bytes, subAttr)
			if !ok || r.Count == 0 {
				return 0
			}
			l, _, ok := r.Next()
			if !ok || l.Infinite {
				return 0
			}
			return sub.Abbrev(&l.Value)
		},
	}
}

// RecordField is one column of a record.
type RecordField struct {
	Class *Class
	Attr  datum.Attr
}

// recordReader walks over a record's payload: a heap tuple whose header (23
// bytes, of which the first four, the length word, are not kept) is followed
// by the null bitmap and the columns.
type recordReader struct {
	b      []byte
	fields []RecordField
	natts  int
	nulls  bool
	at     int
	i      int
}

const (
	recordInfomask2 = 14 // t_infomask2 less the length word
	recordInfomask  = 16
	recordHoff      = 18
	recordBits      = 19
)

func openRecord(b []byte, fields []RecordField) (r recordReader, ok bool) {
	if len(b) < recordBits {
		return r, false
	}
	r = recordReader{b: b, fields: fields, at: int(b[recordHoff]) - 4}
	r.natts = int(u16(b, recordInfomask2) & 0x07FF)
	r.nulls = u16(b, recordInfomask)&1 != 0
	return r, !r.nulls || len(b) >= recordBits+(r.natts+7)/8
}

func (r *recordReader) next() (v datum.Value, ok bool) {
	i := r.i
	r.i++
	if i >= r.natts || r.nulls && r.b[recordBits+i/8]&(1<<(i%8)) == 0 {
		return datum.Value{Null: true}, true
	}
	v, r.at, ok = Fetch(r.b, -4, r.at, r.fields[i].Attr, true)
	return v, ok
}

// Record is record_ops over a row type's columns.
func Record(fields ...RecordField) *Class {
	return &Class{
		Name: "record_ops", Hash: hashRecord(fields),
		Compare: func(a, b *datum.Value) int {
			x, ok1 := openRecord(a.Bytes, fields)
			y, ok2 := openRecord(b.Bytes, fields)
			if !ok1 || !ok2 {
				return bytes.Compare(a.Bytes, b.Bytes)
			}
			for i := range fields {
				xv, ok1 := x.next()
				yv, ok2 := y.next()
				if !ok1 || !ok2 {
					return bytes.Compare(a.Bytes, b.Bytes)
				}
				if c := compareNullsLast(fields[i].Class, &xv, &yv); c != 0 {
					return c
				}
			}
			return 0
		},
		Abbrev: func(v *datum.Value) uint64 {
			r, ok := openRecord(v.Bytes, fields)
			if !ok || len(fields) == 0 {
				return 0
			}
			first, _ := r.next()
			if first.Null {
				return math.MaxUint64
			}
			return above(fields[0].Class.Abbrev(&first), false)
		},
	}
}
