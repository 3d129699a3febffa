package index

// The order of entries that begin alike: their abbreviated keys are equal. Texts that
// share their beginning are told apart by further pieces of them, which are sorted as
// numbers like the first one; all else by whole keys.

import (
	"encoding/binary"
	"slices"
)

// sortRuns puts entries whose abbreviated keys are equal into the order of their whole
// keys.
func (s *sortedEntries) sortRuns(t *BTree) error {
	for i := 0; i < s.n; {
		j := i + 1
		for j < s.n && s.hi[j] == s.hi[i] && (s.lo == nil || s.lo[j] == s.lo[i]) {
			j++
		}
		if j-i > 1 {
			if err := s.sortPieces(t, i, j); err != nil {
				return err
			}
		}
		i = j
	}
	return nil
}

// pieceBytes is how many bytes of a text are sorted by at a time: two numbers.
const pieceBytes = 16

// fewEntries is up to how many entries are compared by their whole keys at once.
const fewEntries = 4

// sortPieces is sortRuns for the entries from from on, before to. Their first column has
// the order of its bytes, or sortRun has to do.
func (s *sortedEntries) sortPieces(t *BTree, from, to int) error {
	first := &t.plan.segments[0]
	if !t.opts.Columns[0].Class.Bytewise || first.from != 0 || first.width != 64 || to-from <= fewEntries {
		return s.sortRun(t, from, to)
	}
	return s.sortPiecesAt(t, from, to, 8)
}

// sortPiecesAt is sortPieces for entries whose first at bytes are equal.
func (s *sortedEntries) sortPiecesAt(t *BTree, from, to, at int) error {
	n := to - from
	a := radix{make([]uint64, n), make([]uint64, n), make([]uint32, n)}
	lengths := make([]uint32, n)
	longer := false
	for i := range n {
		values, _, err := s.b.rows.Entry(s.row(from + i))
		if err != nil {
			return err
		}
		values = t.restored(values)
		if values[0].Null {
			return s.sortRun(t, from, to)
		}
		b := values[0].Bytes
		lengths[i] = uint32(len(b))
		b = b[min(at, len(b)):]
		longer = longer || len(b) > pieceBytes
		a.hi[i], a.lo[i] = piece(b), piece(b[min(8, len(b)):])
		if t.opts.Columns[0].Desc {
			a.hi[i], a.lo[i] = ^a.hi[i], ^a.lo[i]
		}
		a.rows[i] = uint32(i)
	}
	spare := radix{make([]uint64, n), make([]uint64, n), make([]uint32, n)}
	for _, by := range [2]bool{true, false} {
		for shift := 0; shift < 64; shift += radixBits {
			keys := a.hi
			if by {
				keys = a.lo
			}
			if a.pass(&spare, keys, shift) {
				a, spare = spare, a
			}
		}
	}
	if !slices.IsSorted(a.rows) {
		s.number()
		before := spare.rows
		copy(before, s.rows[from:to])
		for i, row := range a.rows {
			s.rows[from+i] = before[row]
		}
	}
	for i := 0; i < n; {
		j, alike := i+1, true
		for ; j < n && a.hi[j] == a.hi[i] && a.lo[j] == a.lo[i]; j++ {
			alike = alike && lengths[a.rows[j]] == lengths[a.rows[i]]
		}
		var err error
		switch {
		case j-i == 1, alike && !longer && len(t.opts.Columns) == 1: // nothing or equal
		case longer && j-i > fewEntries:
			err = s.sortPiecesAt(t, from+i, from+j, at+pieceBytes)
		default:
			err = s.sortRun(t, from+i, from+j)
		}
		if err != nil {
			return err
		}
		i = j
	}
	return nil
}

// piece is the first eight bytes of a text as a number that keeps the order, padded with
// zeros.
func piece(b []byte) uint64 {
	if len(b) >= 8 {
		return binary.BigEndian.Uint64(b)
	}
	var n uint64
	for i, c := range b {
		n |= uint64(c) << (56 - 8*i)
	}
	return n
}

// sortRun is sortRuns for the entries from from on, before to: equal keys are kept
// once, and the rows of each follow one another.
func (s *sortedEntries) sortRun(t *BTree, from, to int) error {
	k := &s.b.key
	numbers := map[string]uint32{}
	var kinds []tuple
	of := make([]uint32, to-from)
	a := abbrev{hi: s.hi[from]}
	if s.lo != nil {
		a.lo = s.lo[from]
	}
	inOrder := true
	name := []byte{}
	for i := from; i < to; i++ {
		if err := s.key(t, i, k); err != nil {
			return err
		}
		name = append(name[:0], byte(k.nulls), byte(k.nulls>>8), byte(k.nulls>>16), byte(k.nulls>>24))
		if k.whole {
			name = append(name, 1)
		} else {
			name = append(append(name, 0), k.data...)
		}
		n, ok := numbers[string(name)]
		if !ok {
			n = uint32(len(kinds))
			u := k.tuple(len(t.attrs))
			u.data = append([]byte(nil), k.data...)
			kinds = append(kinds, u)
			numbers[string(name)] = n
			if n > 0 && t.compareTuples(&kinds[n-1], &u) >= 0 {
				inOrder = false
			}
		}
		of[i-from] = n
		inOrder = inOrder && (i == from || of[i-from-1] <= n)
	}
	if inOrder {
		return nil
	}
	// Ranks of the kinds; some may be equal although their bytes are not.
	sorted := make([]uint32, len(kinds))
	for i := range sorted {
		sorted[i] = uint32(i)
	}
	slices.SortFunc(sorted, func(a, b uint32) int { return t.compareTuples(&kinds[a], &kinds[b]) })
	rank := make([]uint32, len(kinds))
	ranks := uint32(0)
	for i, n := range sorted {
		if i > 0 && t.compareTuples(&kinds[sorted[i-1]], &kinds[n]) != 0 {
			ranks++
		}
		rank[n] = ranks
	}
	s.number()
	at := make([]uint32, ranks+2)
	for _, n := range of {
		at[rank[n]+1]++
	}
	for i := range ranks {
		at[i+1] += at[i]
	}
	rows := make([]uint32, to-from)
	for i, n := range of {
		rows[at[rank[n]]] = s.rows[from+i]
		at[rank[n]]++
	}
	copy(s.rows[from:to], rows)
	return nil
}
