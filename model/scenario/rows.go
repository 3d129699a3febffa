package scenario

import "math/bits"

// chunkRows is how many rows share a chunk of what is kept of rows.
const chunkRows = 1024

// rows is what is kept of a table's rows: which of them are still there, and of their
// values what does not follow from their numbers. Rows are numbered from 0 in the order
// of their insertion. Nothing is kept of rows that were never touched.
type rows struct {
	n       int64 // inserted so far
	deleted int64
	slots   int        // numbers kept of each row
	values  [][]uint64 // by chunk, nil where all are 0
	gone    []*[chunkRows / 64]uint64
	live    []int32 // by chunk, once a row was deleted
	sums    []int64 // likewise by chunkRows chunks
}

// add adds a row.
func (r *rows) add() int64 {
	n := r.n
	r.n++
	if r.live != nil {
		r.grow()
		r.count(n, 1)
	}
	return n
}

func (r *rows) grow() {
	for int64(len(r.live))*chunkRows < r.n {
		r.live = append(r.live, 0)
		r.gone = append(r.gone, nil)
	}
	for len(r.sums)*chunkRows < len(r.live) {
		r.sums = append(r.sums, 0)
	}
}

func (r *rows) count(row int64, by int32) {
	c := row / chunkRows
	r.live[c] += by
	r.sums[c/chunkRows] += int64(by)
}

// remaining is how many rows are there.
func (r *rows) remaining() int64 { return r.n - r.deleted }

// isGone says whether a row was deleted.
func (r *rows) isGone(row int64) bool {
	if r.live == nil {
		return false
	}
	w := r.gone[row/chunkRows]
	return w != nil && w[row%chunkRows/64]>>(row%64)&1 != 0
}

// remove deletes a row.
func (r *rows) remove(row int64) {
	if r.live == nil {
		r.live = make([]int32, 0, r.n/chunkRows+1)
		r.grow()
		for c := range r.live {
			n := min(r.n-int64(c)*chunkRows, chunkRows)
			r.live[c] = int32(n)
			r.sums[c/chunkRows] += n
		}
	}
	c := row / chunkRows
	if r.gone[c] == nil {
		r.gone[c] = new([chunkRows / 64]uint64)
	}
	r.gone[c][row%chunkRows/64] |= 1 << (row % 64)
	r.count(row, -1)
	r.deleted++
	if r.live[c] == 0 && int(c) < len(r.values) && (c+1)*chunkRows <= r.n {
		r.values[c] = nil
	}
}

// nth is the k-th of the rows that are there, from 0.
func (r *rows) nth(k int64) int64 {
	if r.live == nil {
		return k
	}
	c := 0
	for s, n := range r.sums {
		if k < n {
			c = s * chunkRows
			break
		}
		k -= n
	}
	for k >= int64(r.live[c]) {
		k -= int64(r.live[c])
		c++
	}
	first := int64(c) * chunkRows
	if r.gone[c] == nil {
		return first + k
	}
	for i, w := range r.gone[c] {
		n := int64(64 - bits.OnesCount64(w))
		if k >= n {
			k -= n
			continue
		}
		for there := ^w; ; there &= there - 1 {
			if k == 0 {
				return first + int64(64*i+bits.TrailingZeros64(there))
			}
			k--
		}
	}
	panic("rows are counted wrong")
}

// get returns a number kept of a row, 0 unless set.
func (r *rows) get(row int64, slot int) uint64 {
	c := row / chunkRows
	if c >= int64(len(r.values)) || r.values[c] == nil {
		return 0
	}
	return r.values[c][int(row%chunkRows)*r.slots+slot]
}

// set keeps a number of a row.
func (r *rows) set(row int64, slot int, v uint64) {
	c := int(row / chunkRows)
	for len(r.values) <= c {
		r.values = append(r.values, nil)
	}
	if r.values[c] == nil {
		r.values[c] = make([]uint64, chunkRows*r.slots)
	}
	r.values[c][int(row%chunkRows)*r.slots+slot] = v
}
