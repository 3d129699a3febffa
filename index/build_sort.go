package index

// The order of the entries of an index that is built: by abbreviated keys, which are
// sorted as numbers, and by whole keys where those are equal.

import "applysim/wal/storage"

// sorted is the entries of an index in order.
type sortedEntries struct {
	b    *built
	n    int
	hi   []uint64
	lo   []uint64 // if the plan is wide
	rows []uint32 // nil if entries stand in the order of rows, and each row has one
}

// sortEntries reads the rows and puts their entries into order.
func (t *BTree) sortEntries(count int, b *built) (*sortedEntries, error) {
	s := &sortedEntries{b: b, hi: make([]uint64, 0, count)}
	wide := t.plan.wide
	if wide {
		s.lo = make([]uint64, 0, count)
	}
	k := &b.key
	inOrder, whole, skipped := true, true, false
	var last abbrev
	for n := range count {
		values, ok, err := b.rows.Entry(n)
		if err != nil {
			return nil, err
		}
		if !ok {
			if !skipped {
				skipped = true
				s.rows = make([]uint32, 0, count)
				for i := range n {
					s.rows = append(s.rows, uint32(i))
				}
			}
			continue
		}
		if err := t.form(k, values, storage.TID{}); err != nil {
			return nil, err
		}
		whole = whole && k.whole
		inOrder = inOrder && !k.abbrev.less(last)
		last = k.abbrev
		s.hi = append(s.hi, k.hi)
		if wide {
			s.lo = append(s.lo, k.lo)
		}
		if skipped {
			s.rows = append(s.rows, uint32(n))
		}
	}
	s.n = len(s.hi)
	if !inOrder {
		s.sort()
	}
	if !whole {
		if err := s.sortRuns(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// number gives each entry the number of its row, if it has not one already.
func (s *sortedEntries) number() {
	if s.rows == nil {
		s.rows = make([]uint32, s.n)
		for i := range s.rows {
			s.rows[i] = uint32(i)
		}
	}
}

// sort sorts the entries by their abbreviated keys; equal ones stay in order.
func (s *sortedEntries) sort() {
	s.number()
	spare := radix{hi: make([]uint64, s.n), rows: make([]uint32, s.n)}
	if s.lo != nil {
		spare.lo = make([]uint64, s.n)
	}
	a := radix{s.hi, s.lo, s.rows}
	for shift := 0; s.lo != nil && shift < 64; shift += radixBits {
		if a.pass(&spare, a.lo, shift) {
			a, spare = spare, a
		}
	}
	for shift := 0; shift < 64; shift += radixBits {
		if a.pass(&spare, a.hi, shift) {
			a, spare = spare, a
		}
	}
	s.hi, s.lo, s.rows = a.hi, a.lo, a.rows
}

// radixBits is how many bits of a key one pass sorts by.
const radixBits = 11

// radix is entries that are being sorted.
type radix struct {
	hi, lo []uint64
	rows   []uint32
}

// pass distributes the entries of a to b by some bits of a key. It returns false, and
// does nothing, if those are the same for all.
func (a *radix) pass(b *radix, by []uint64, shift int) bool {
	var at [1 << radixBits]uint32
	const mask = 1<<radixBits - 1
	for _, k := range by {
		at[k>>shift&mask]++
	}
	if int(at[by[0]>>shift&mask]) == len(by) {
		return false
	}
	sum := uint32(0)
	for i, n := range at {
		at[i] = sum
		sum += n
	}
	for i, k := range by {
		slot := k >> shift & mask
		to := at[slot]
		at[slot]++
		b.hi[to], b.rows[to] = a.hi[i], a.rows[i]
		if a.lo != nil {
			b.lo[to] = a.lo[i]
		}
	}
	return true
}

// row is the number of the row of entry i.
func (s *sortedEntries) row(i int) int {
	if s.rows != nil {
		return int(s.rows[i])
	}
	return i
}

// key makes the key of entry i: from its abbreviation, if that is all of it.
func (s *sortedEntries) key(t *BTree, i int, k *key) error {
	row := s.row(i)
	a := abbrev{hi: s.hi[i]}
	if s.lo != nil {
		a.lo = s.lo[i]
	}
	if t.plan.whole && t.withoutNull(a) {
		k.abbrev, k.whole, k.values, k.nulls = a, true, nil, 0
		k.size, k.tid = t.plainSize, s.b.rows.TID(row)
		return nil
	}
	values, _, err := s.b.rows.Entry(row)
	if err != nil {
		return err
	}
	return t.form(k, values, s.b.rows.TID(row))
}

// withoutNull says whether an abbreviated key that can hold a whole one belongs to a
// key without NULLs.
func (t *BTree) withoutNull(a abbrev) bool {
	for i := range t.plan.segments {
		s := &t.plan.segments[i]
		if s.hasFlag && (a.and(s.flag) != abbrev{}) != t.opts.Columns[i].NullsFirst {
			return false
		}
	}
	return t.certain(a)
}
