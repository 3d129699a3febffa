package index

// Putting items that have arrived into key order.

import "slices"

// sorter is the work space for sorting the items that arrived since a page was
// last in order.
type sorter struct {
	a, b []sortItem
}

type sortItem struct {
	hi uint64
	n  uint16
}

// settle puts all items of a leaf into key order. It counts the line pointers
// that PostgreSQL, which puts each item into its place at once, has moved.
func (t *BTree) settle(p *page) {
	sorted, n := len(p.order), len(p.items)
	if sorted == n {
		return
	}
	s := &t.tail
	s.a = s.a[:0]
	for i := sorted; i < n; i++ {
		s.a = append(s.a, sortItem{p.items[i].hi, uint16(i)})
	}
	moved := t.sortItems(p)
	// Merge from the end, where the room is.
	p.order = slices.Grow(p.order, n-sorted)[:n]
	i, j, at := sorted-1, len(s.a)-1, n-1
	for j >= 0 {
		if i >= 0 && t.itemLess(p, s.a[j], sortItem{p.items[p.order[i]].hi, p.order[i]}) {
			p.order[at] = p.order[i]
			i--
		} else {
			p.order[at] = s.a[j].n
			moved += sorted - 1 - i
			j--
		}
		at--
	}
	t.Counters.ItemsMoved += int64(moved)
}

// itemLess says whether item a comes before item b.
func (t *BTree) itemLess(p *page, a, b sortItem) bool {
	if a.hi != b.hi {
		return a.hi < b.hi
	}
	x, y := &p.items[a.n], &p.items[b.n]
	if p.los != nil {
		if p.los[a.n] != p.los[b.n] {
			return p.los[a.n] < p.los[b.n]
		}
	}
	if x.ref != 0 || y.ref != 0 {
		u, v := t.tuple(p, a.n), t.tuple(p, b.n)
		if !u.whole || !v.whole {
			if c := t.compareTuples(&u, &v); c != 0 {
				return c < 0
			}
		}
	}
	return x.tid().Less(y.tid())
}

// sortItems sorts t.tail.a by merging and returns how many pairs were out of
// order.
func (t *BTree) sortItems(p *page) int {
	s := &t.tail
	n := len(s.a)
	if cap(s.b) < n {
		s.b = make([]sortItem, max(n, 512))
	}
	a, b := s.a, s.b[:n]
	inversions := 0
	for width := 1; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			mid, hi := min(lo+width, n), min(lo+2*width, n)
			if mid == hi || !t.itemLess(p, a[mid], a[mid-1]) {
				copy(b[lo:hi], a[lo:hi])
				continue
			}
			i, j := lo, mid
			for at := lo; at < hi; at++ {
				if i < mid && (j == hi || !t.itemLess(p, a[j], a[i])) {
					b[at] = a[i]
					i++
				} else {
					b[at] = a[j]
					inversions += mid - i
					j++
				}
			}
		}
		a, b = b, a
	}
	s.a, s.b = a, b[:cap(b)]
	return inversions
}
