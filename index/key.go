package index

// Index tuples: formation, abbreviation and comparison, after indextuple.c and
// nbtsearch.c (_bt_compare).

import (
	"bytes"
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// abbrev is the first 16 bytes of a key, or all of it, as two numbers that keep
// the order of keys: different numbers decide a comparison. The second one is
// used (not zero) only if the key fits into both.
type abbrev struct {
	hi, lo uint64
}

func (a abbrev) less(b abbrev) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a abbrev) and(b abbrev) abbrev { return abbrev{a.hi & b.hi, a.lo & b.lo} }

// span returns an abbrev with width bits of a left-justified number at bit
// position from, counted from the most significant one.
func span(n uint64, from, width int) abbrev {
	if width < 64 {
		n &= ^(^uint64(0) >> width)
	}
	if from >= 64 {
		return abbrev{0, n >> (from - 64)}
	}
	return abbrev{n >> from, n << (64 - from)}
}

// segment is one key column's place in the abbreviated key.
type segment struct {
	from     int    // first bit, counted from the most significant one
	width    int    // bits
	mask     abbrev // those bits
	flag     abbrev // the bit that tells NULLs from values
	hasFlag  bool
	saturate bool // NULL takes the greatest or least number, which a value may have too
}

// plan is how abbreviated keys are made: whole leading columns as far as they
// fit, then the beginning of the next one.
//
// A nullable column that others follow has a byte in front that tells NULLs from
// values. The last column has none if it would not fit, and its NULLs share a
// number with the extreme value.
type plan struct {
	segments []segment
	doubtful abbrev // bits of the last column, if its extreme values may be NULLs
	whole    bool   // an abbreviated key can hold the whole key
	wide     bool   // it takes both numbers
}

// planAbbreviation lays out the abbreviated key: in 8 bytes, or in 16 if it
// fits only into those whole.
func (t *BTree) planAbbreviation() {
	t.plan = t.planWithin(64)
	if t.opts.Keys != len(t.opts.Columns) {
		t.plan.whole = false
		return
	}
	if !t.plan.whole {
		p := t.planWithin(128)
		if !p.whole {
			return
		}
		t.plan = p
		t.plan.wide = true
	}
	t.plainSize = tupleSize(t.wholeSize(len(t.attrs)), false)
}

func (t *BTree) planWithin(room int) plan {
	p := plan{whole: true}
	at := 0
	keys := t.opts.Columns[:t.opts.Keys]
	for i, c := range keys {
		if at == room {
			p.whole = false
			break
		}
		width := c.Class.Width * 8
		last := i == len(keys)-1 || width == 0
		s := segment{}
		if !c.Attr.NotNull {
			if !last || width != 0 && at+8+width <= room {
				s.hasFlag = true
				s.flag = span(1<<56, at, 8)
				at += 8
			} else {
				s.saturate = true
			}
		}
		s.from, s.width = at, min(room-at, 64)
		if width != 0 {
			s.width = min(s.width, width)
		}
		s.mask = span(^uint64(0), s.from, s.width)
		if s.saturate {
			p.doubtful = s.mask
		}
		p.segments = append(p.segments, s)
		at += s.width
		if width == 0 || width > s.width || c.Class.Unabbrev == nil {
			p.whole = false
		}
		if width == 0 || width > s.width {
			break
		}
	}
	return p
}

// key is an index tuple that is being inserted or looked for.
type key struct {
	abbrev
	whole  bool          // the abbreviation holds the whole key
	values []datum.Value // of the index's columns; nil if whole and made by formRow
	nulls  uint32        // bit i: column i is NULL
	data   []byte        // data area, unless whole
	size   int           // IndexTupleSize, bytes
	tid    storage.TID   // the zero TID sorts before all
}

// SizeError says that an index row is too long for the index.
type SizeError struct {
	Index string
	Size  int // bytes
	TID   storage.TID
	Table string // whose row it is, set by who knows it
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("index row size %d exceeds btree version 4 maximum %d for index %q", e.Size, MaxItemSize, e.Index)
}

// Detail says whose entry it is (_bt_check_third_page).
func (e *SizeError) Detail() string {
	return fmt.Sprintf("Index row references tuple (%d,%d) in relation %q.", e.TID.Block, e.TID.Offset, e.Table)
}

// form makes the key for a row.
func (t *BTree) form(k *key, values []datum.Value, tid storage.TID) error {
	stored := values
	values = t.restored(values)
	k.values, k.tid = values, tid
	k.nulls = 0
	for i := range values[:len(t.attrs)] {
		if values[i].Null {
			k.nulls |= 1 << i
		}
	}
	k.abbrev = t.abbreviate(values)
	k.whole = t.plan.whole && k.nulls == 0 && t.certain(k.abbrev)
	if k.whole {
		k.size = t.plainSize
		t.Counters.KeyBytes += int64(k.size)
		return nil
	}
	k.data = datum.Append(k.data[:0], t.attrs, t.compress(stored))
	k.size = tupleSize(len(k.data), k.nulls != 0)
	if k.size > MaxItemSize {
		return &SizeError{Index: t.opts.Name, Size: k.size, TID: tid}
	}
	t.Counters.KeyBytes += int64(k.size)
	return nil
}

// compress returns the values as they are stored: long ones compressed, if their
// columns allow it and it helps (index_form_tuple).
func (t *BTree) compress(values []datum.Value) []datum.Value {
	stored := values
	for i := range t.attrs {
		a := &t.attrs[i]
		if !compressible(a, &values[i]) {
			continue
		}
		v, ok := t.compressor.Compress(&values[i], t.opts.Columns[i].Compression)
		if !ok {
			continue
		}
		if &stored[0] == &values[0] {
			stored = append(t.stored[:0], values...)
			t.stored = stored
		}
		stored[i] = v
	}
	return stored
}

// compressible says whether a value is stored compressed in an index, if that helps.
func compressible(a *datum.Attr, v *datum.Value) bool {
	return a.Len == -1 && !v.Null && v.Form == datum.Plain && len(v.Bytes)+4 > indexTarget && (a.Storage == 'x' || a.Storage == 'm')
}

// restored returns the values as they are compared: decompressed.
func (t *BTree) restored(values []datum.Value) []datum.Value {
	if !slices.ContainsFunc(values, func(v datum.Value) bool { return v.Form != datum.Plain && !v.Null }) {
		return values
	}
	t.plainValues = append(t.plainValues[:0], values...)
	for i := range t.plainValues {
		v := &t.plainValues[i]
		if v.Form == datum.Compressed && !v.Null {
			*v = datum.Decompress(v)
		}
	}
	return t.plainValues
}

// tupleSize is an index tuple's size with a data area of n bytes.
func tupleSize(n int, nulls bool) int {
	if nulls {
		n += nullBitmapSize
	}
	return storage.MaxAlign(tupleHeaderSize + n)
}

// certain says whether an abbreviated key without NULLs can only belong to one
// key: its last column is no extreme value that might stand for a NULL.
func (t *BTree) certain(a abbrev) bool {
	d := t.plan.doubtful
	a = a.and(d)
	return d == abbrev{} || a != d && a != abbrev{}
}

// abbreviate returns a key's abbreviation. values may be fewer than the key
// columns: those that are missing count as minus infinity.
func (t *BTree) abbreviate(values []datum.Value) abbrev {
	var a abbrev
	for i := range t.plan.segments {
		if i >= len(values) {
			break
		}
		s := &t.plan.segments[i]
		c := &t.opts.Columns[i]
		v := &values[i]
		if v.Null {
			if !c.NullsFirst {
				a.hi |= s.flag.hi
				a.lo |= s.flag.lo
				if s.saturate {
					a.hi |= s.mask.hi
					a.lo |= s.mask.lo
				}
			}
			continue
		}
		if c.NullsFirst {
			a.hi |= s.flag.hi
			a.lo |= s.flag.lo
		}
		n := c.Class.Abbrev(v)
		if c.Desc {
			n = ^n
		}
		if s.from == 0 {
			a.hi |= n & s.mask.hi
			continue
		}
		b := span(n, s.from, s.width)
		a.hi |= b.hi
		a.lo |= b.lo
	}
	return a
}

// tuple is a view of an item on a page, or of a new one, for comparisons.
type tuple struct {
	abbrev
	whole bool   // the abbreviation holds the whole key
	nulls uint32 // bit i: column i is NULL
	data  []byte // data area, if not whole
	natts int    // columns that a pivot has kept
}

// column reads a tuple's column i, which begins after offset at of its data
// area.
func (t *BTree) column(u *tuple, i, at int) (datum.Value, int) {
	if u.whole {
		return t.unabbreviate(i, u.abbrev), at
	}
	if u.nulls>>i&1 != 0 {
		return datum.Value{Null: true}, at
	}
	v, end := datum.Next(u.data, at, &t.attrs[i])
	if v.Form == datum.Compressed {
		v = datum.Decompress(&v)
	}
	return v, end
}

// compareColumns compares the key's columns with those of a tuple: negative if
// the key comes first. Only as many columns as the tuple has kept are compared.
func (t *BTree) compareColumns(k *key, u *tuple) int {
	at := 0
	v := &t.probe
	for i := range min(u.natts, t.opts.Keys) {
		*v, at = t.column(u, i, at)
		if k.values == nil {
			w := t.unabbreviate(i, k.abbrev)
			if c := t.compareValue(i, &w, v); c != 0 {
				return c
			}
			continue
		}
		if c := t.compareValue(i, &k.values[i], v); c != 0 {
			return c
		}
	}
	return 0
}

// compareTuples compares the columns of two tuples; one that has kept fewer is
// minus infinity in the others.
func (t *BTree) compareTuples(u, v *tuple) int {
	ui, vi := 0, 0
	var uv, vv datum.Value
	for i := range t.opts.Keys {
		if i >= u.natts || i >= v.natts {
			return u.natts - v.natts
		}
		uv, ui = t.column(u, i, ui)
		vv, vi = t.column(v, i, vi)
		if c := t.compareValue(i, &uv, &vv); c != 0 {
			return c
		}
	}
	return 0
}

// compareValue orders two values of key column i as the index does.
func (t *BTree) compareValue(i int, a, b *datum.Value) int {
	c := &t.opts.Columns[i]
	if a.Null || b.Null {
		switch {
		case a.Null && b.Null:
			return 0
		case a.Null == c.NullsFirst:
			return -1
		}
		return 1
	}
	r := c.Class.Compare(a, b)
	if c.Desc {
		return -r
	}
	return r
}

// keepAttsFast returns how many leading columns must be kept to tell v from u:
// one more than the key columns if all are equal. Values are compared byte by
// byte (_bt_keep_natts_fast).
func (t *BTree) keepAttsFast(u, v *tuple) int {
	if u.whole && v.whole {
		if u.abbrev == v.abbrev {
			return t.opts.Keys + 1
		}
		diff := abbrev{u.hi ^ v.hi, u.lo ^ v.lo}
		for i := range t.plan.segments {
			if diff.and(t.plan.segments[i].mask) != (abbrev{}) {
				return i + 1
			}
		}
	}
	ui, vi := 0, 0
	var uv, vv datum.Value
	for i := range t.opts.Keys {
		uv, ui = t.column(u, i, ui)
		vv, vi = t.column(v, i, vi)
		if uv.Null != vv.Null || !uv.Null && (uv.Bits != vv.Bits || !bytes.Equal(uv.Bytes, vv.Bytes)) {
			return i + 1
		}
	}
	return t.opts.Keys + 1
}

// keepAtts is keepAttsFast by the operator classes' idea of equality
// (_bt_keep_natts).
func (t *BTree) keepAtts(u, v *tuple) int {
	if t.equalImage || u.whole && v.whole {
		return t.keepAttsFast(u, v)
	}
	ui, vi := 0, 0
	var uv, vv datum.Value
	for i := range t.opts.Keys {
		uv, ui = t.column(u, i, ui)
		vv, vi = t.column(v, i, vi)
		if t.compareValue(i, &uv, &vv) != 0 {
			return i + 1
		}
	}
	return t.opts.Keys + 1
}

// wholeSize is the size of the data area of the first natts columns of a key
// that its abbreviation holds whole.
func (t *BTree) wholeSize(natts int) int {
	n := 0
	for _, a := range t.attrs[:natts] {
		n = storage.Align(n, int(a.Align)) + int(a.Len)
	}
	return n
}

// maxWhole is more than what a key takes whose abbreviation, of two words, is whole: each of
// its columns may be aligned anew.
const maxWhole = 16 * 8

// appendWhole appends the data area of the first natts columns of a key that
// its abbreviation holds whole.
func (t *BTree) appendWhole(dst []byte, a abbrev, natts int) []byte {
	var values [maxColumns]datum.Value
	for i := range natts {
		values[i] = t.unabbreviate(i, a)
	}
	return datum.Append(dst, t.attrs[:natts], values[:natts])
}

// unabbreviate computes column i back from a whole abbreviated key.
func (t *BTree) unabbreviate(i int, a abbrev) datum.Value {
	s := &t.plan.segments[i]
	var n uint64
	if s.from >= 64 {
		n = a.lo << (s.from - 64)
	} else {
		n = a.hi<<s.from | a.lo>>(64-s.from)
	}
	c := &t.opts.Columns[i]
	if c.Desc {
		n = ^n
	}
	if s.width < 64 {
		n &= ^(^uint64(0) >> s.width)
	}
	return datum.Value{Bits: c.Class.Unabbrev(n)}
}

// leading keeps the part of an abbreviated key that belongs to the first natts
// columns.
func (t *BTree) leading(a abbrev, natts int) abbrev {
	var mask abbrev
	for i := range min(natts, len(t.plan.segments)) {
		s := &t.plan.segments[i]
		mask.hi |= s.mask.hi | s.flag.hi
		mask.lo |= s.mask.lo | s.flag.lo
	}
	return a.and(mask)
}
