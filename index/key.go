package index

// Index tuples: formation, abbreviation and comparison, after indextuple.c and
// nbtsearch.c (_bt_compare).

import (
	"bytes"
	"fmt"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// segment is one key column's place in the abbreviated key.
type segment struct {
	shift    uint8  // how far a left-justified abbreviation moves to the right
	mask     uint64 // the bits that the column gets
	flag     uint8  // shift of the byte that says whether the column is NULL; 0 if there is none
	hasFlag  bool
	saturate bool // NULL takes the greatest or least number, which a value may have too
}

// abbreviation is the plan for a key's first 8 bytes: whole leading columns as
// far as they fit, then the beginning of the next one.
//
// The number keeps the order of keys, so that different numbers decide a
// comparison. A nullable column that others follow has a byte in front that
// tells NULLs from values. The last column has none if it would not fit, and its
// NULLs share a number with the extreme value.
type abbreviation struct {
	segments []segment
	doubtful uint64 // bits of the last column, if its extreme values may be NULLs
}

// planAbbreviation lays out the abbreviated key.
func (t *BTree) planAbbreviation() {
	left := 64 // bits not yet given away
	whole := true
	keys := t.opts.Columns[:t.opts.Keys]
	size := tupleHeaderSize
	for i, c := range keys {
		if left == 0 {
			whole = false
			break
		}
		width := c.Class.Width * 8
		s := segment{}
		last := i == len(keys)-1 || width == 0
		if !c.Attr.NotNull {
			if !last || width != 0 && width+8 <= left {
				s.hasFlag = true
				left -= 8
				s.flag = uint8(left)
			} else {
				s.saturate = true
			}
		}
		bits := left
		if width != 0 && width < bits {
			bits = width
		}
		s.shift = uint8(64 - left)
		if bits == 64 {
			s.mask = ^uint64(0)
		} else {
			s.mask = (1<<bits - 1) << (left - bits)
		}
		if s.saturate {
			t.abbrev.doubtful = s.mask
		}
		t.abbrev.segments = append(t.abbrev.segments, s)
		if width == 0 || width > bits {
			whole = false
			break
		}
		left -= bits
		if c.Class.Unabbrev == nil {
			whole = false
		}
		size = storage.Align(size, int(c.Attr.Align)) + int(c.Attr.Len)
	}
	t.exact = whole && t.opts.Keys == len(t.opts.Columns)
	if t.exact {
		t.plainSize = storage.MaxAlign(size)
	}
}

// key is an index tuple that is being inserted or looked for.
type key struct {
	abbrev uint64
	whole  bool          // abbrev holds the whole key
	values []datum.Value // of the index's columns
	nulls  uint32        // bit i: column i is NULL
	data   []byte        // data area
	size   int           // IndexTupleSize, bytes
	tid    storage.TID   // the zero TID sorts before all
}

// SizeError says that an index row is too long for the index.
type SizeError struct {
	Index string
	Size  int // bytes
	TID   storage.TID
	Table string
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("index row size %d exceeds btree version 4 maximum %d for index %q", e.Size, MaxItemSize, e.Index)
}

// CompressError says that a key column would have to be compressed, which is
// not modelled.
type CompressError struct {
	Index  string
	Column int // from 1
	Length int // bytes
}

func (e *CompressError) Error() string {
	return fmt.Sprintf("compression of index keys: column %d of index %q has a value of %d bytes, more than the %d that stay as they are",
		e.Column, e.Index, e.Length, indexTarget)
}

// form makes the key for a row.
func (t *BTree) form(values []datum.Value, tid storage.TID) error {
	k := &t.key
	k.values, k.tid = values, tid
	k.nulls = 0
	for i := range t.opts.Columns {
		if values[i].Null {
			k.nulls |= 1 << i
		}
	}
	k.abbrev = t.abbreviate(values)
	k.whole = t.exact && k.nulls == 0 && t.certain(k.abbrev)
	if t.exact && k.nulls == 0 {
		k.size = t.plainSize
		if !k.whole {
			k.data = datum.Append(k.data[:0], t.attrs, values)
		}
		t.Counters.KeyBytes += int64(k.size)
		return nil
	}
	for i := range t.attrs {
		a := &t.attrs[i]
		if a.Len == -1 && !values[i].Null && len(values[i].Bytes)+4 > indexTarget && (a.Storage == 'x' || a.Storage == 'm') {
			return &CompressError{t.opts.Name, i + 1, len(values[i].Bytes) + 4}
		}
	}
	k.data = datum.Append(k.data[:0], t.attrs, values)
	k.size = tupleSize(len(k.data), k.nulls != 0)
	if k.size > MaxItemSize {
		return &SizeError{Index: t.opts.Name, Size: k.size, TID: tid}
	}
	t.Counters.KeyBytes += int64(k.size)
	return nil
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
func (t *BTree) certain(abbrev uint64) bool {
	d := t.abbrev.doubtful
	return d == 0 || abbrev&d != d && abbrev&d != 0
}

// abbreviate returns a number that keeps the order of keys. values may be fewer
// than the key columns: those that are missing count as minus infinity.
func (t *BTree) abbreviate(values []datum.Value) uint64 {
	var n uint64
	for i := range t.abbrev.segments {
		if i >= len(values) {
			break
		}
		s := &t.abbrev.segments[i]
		c := &t.opts.Columns[i]
		v := &values[i]
		if v.Null {
			if !c.NullsFirst {
				if s.hasFlag {
					n |= 1 << s.flag
				}
				if s.saturate {
					n |= s.mask
				}
			}
			continue
		}
		if s.hasFlag && c.NullsFirst {
			n |= 1 << s.flag
		}
		a := c.Class.Abbrev(v)
		if c.Desc {
			a = ^a
		}
		n |= a >> s.shift & s.mask
	}
	return n
}

// tuple is a view of an item on a page, or of a new one, for comparisons.
type tuple struct {
	abbrev uint64
	whole  bool   // abbrev holds the whole key
	nulls  uint32 // bit i: column i is NULL
	data   []byte // data area, if not whole
	natts  int    // columns that a pivot has kept
}

// next reads a tuple's column i, which begins after offset at of its data area.
func (t *BTree) next(u *tuple, i, at int) (datum.Value, int) {
	if u.nulls>>i&1 != 0 {
		return datum.Value{Null: true}, at
	}
	return datum.Next(u.data, at, &t.attrs[i])
}

// compareColumns compares the key's columns with those of a tuple: negative if
// the key comes first. Only as many columns as the tuple has kept are compared.
func (t *BTree) compareColumns(k *key, u *tuple) int {
	at := 0
	var v datum.Value
	for i := 0; i < u.natts && i < t.opts.Keys; i++ {
		v, at = t.next(u, i, at)
		if c := t.compareValue(i, &k.values[i], &v); c != 0 {
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

// keepAttsFast returns how many leading columns must be kept to tell b from a:
// one more than the key columns if all are equal. Values are compared byte by
// byte (_bt_keep_natts_fast).
func (t *BTree) keepAttsFast(a, b *tuple) int {
	if a.whole && b.whole {
		diff := a.abbrev ^ b.abbrev
		if diff == 0 {
			return t.opts.Keys + 1
		}
		for i := range t.abbrev.segments {
			if diff&t.abbrev.segments[i].mask != 0 {
				return i + 1
			}
		}
	}
	a, b = t.full(a), t.full(b)
	ai, bi := 0, 0
	var av, bv datum.Value
	for i := range t.opts.Keys {
		av, ai = t.next(a, i, ai)
		bv, bi = t.next(b, i, bi)
		if av.Null != bv.Null || !av.Null && (av.Bits != bv.Bits || !bytes.Equal(av.Bytes, bv.Bytes)) {
			return i + 1
		}
	}
	return t.opts.Keys + 1
}

// keepAtts is keepAttsFast by the operator classes' idea of equality
// (_bt_keep_natts).
func (t *BTree) keepAtts(a, b *tuple) int {
	if t.equalImage || a.whole && b.whole {
		return t.keepAttsFast(a, b)
	}
	a, b = t.full(a), t.full(b)
	ai, bi := 0, 0
	var av, bv datum.Value
	for i := range t.opts.Keys {
		av, ai = t.next(a, i, ai)
		bv, bi = t.next(b, i, bi)
		if t.compareValue(i, &av, &bv) != 0 {
			return i + 1
		}
	}
	return t.opts.Keys + 1
}

// full returns u with its data area, which for a tuple that has only its
// abbreviated key is computed back from that.
func (t *BTree) full(u *tuple) *tuple {
	if !u.whole {
		return u
	}
	f := *u
	f.data = t.appendWhole(nil, u.abbrev, len(t.attrs))
	f.whole = false
	return &f
}

// appendWhole appends the data area of the first natts columns of a key that
// its abbreviation holds whole.
func (t *BTree) appendWhole(dst []byte, abbrev uint64, natts int) []byte {
	var values [maxColumns]datum.Value
	for i := range natts {
		values[i] = t.unabbreviate(i, abbrev)
	}
	return datum.Append(dst, t.attrs[:natts], values[:natts])
}

// unabbreviate computes column i back from a whole abbreviated key.
func (t *BTree) unabbreviate(i int, abbrev uint64) datum.Value {
	s := &t.abbrev.segments[i]
	a := abbrev & s.mask << s.shift
	c := &t.opts.Columns[i]
	if c.Desc {
		a = ^a & (s.mask << s.shift)
	}
	return datum.Value{Bits: c.Class.Unabbrev(a)}
}
