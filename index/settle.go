package index

// Putting items that have arrived into key order.

import (
	"math/bits"
	"slices"

	"applysim/wal/storage"
)

// sorter is the work space for sorting the items that arrived since a page was
// last in order.
type sorter struct {
	a, b []sortItem
	// The same where one number holds what decides.
	short, spare []uint64
}

type sortItem struct {
	hi uint64
	n  uint16
}

// Settle puts the items of all leaves into key order, so that Counters has the line
// pointers that were moved for them.
func (t *BTree) Settle() {
	for _, p := range t.pages[1:] {
		if !p.deleted && p.sorted != virtual {
			t.settle(p)
		}
	}
}

// settle puts all items of a leaf into key order. It counts the line pointers
// that PostgreSQL, which puts each item into its place at once, has moved.
func (t *BTree) settle(p *page) {
	sorted, n := p.sorted, len(p.items)
	if sorted == n {
		return
	}
	if sorted == virtual {
		t.make(p)
		return
	}
	t.makeOrder(p)
	if n-sorted <= fewArrived {
		t.settleFew(p)
		return
	}
	s := &t.tail
	s.a = s.a[:0]
	for i := sorted; i < n; i++ {
		s.a = append(s.a, sortItem{p.items[i].hi, uint16(i)})
	}
	moved, ok := t.sortShort(p, sorted)
	if !ok {
		moved = t.sortItems(p)
	}
	// Equal keys stand in the order of arrival if that of heap TIDs is the same.
	byArrival := ok && !p.disordered && !p.partial
	// Merge from the end, where the room is.
	p.order = slices.Grow(p.order, n-sorted)[:n]
	items, order := p.items, p.order
	i, at := sorted-1, n-1
	for j := len(s.a) - 1; j >= 0; j-- {
		a := s.a[j]
		for i >= 0 {
			n := order[i]
			hi := items[n].hi
			if a.hi > hi || a.hi == hi && (byArrival || !t.itemLess(p, a, sortItem{hi, n})) {
				break
			}
			order[at] = n
			at--
			i--
		}
		order[at] = a.n
		at--
		moved += sorted - 1 - i
	}
	p.sorted, p.disordered = n, false
	t.Counters.ItemsMoved += int64(moved)
}

// fewArrived is how many new items are put into their places one by one.
const fewArrived = 4

// settleFew is settle for a few items.
func (t *BTree) settleFew(p *page) {
	n := len(p.items)
	for i := p.sorted; i < n; i++ {
		it := sortItem{p.items[i].hi, uint16(i)}
		// Among the items that begin alike, if there are any, more decides.
		lo := p.firstFrom(it.hi, i)
		hi := lo
		if lo < i && p.items[p.order[lo]].hi == it.hi {
			hi = i
			if it.hi != ^uint64(0) {
				hi = p.firstWithin(it.hi+1, lo, i)
			}
		}
		for lo < hi {
			mid := int(uint(lo+hi) >> 1)
			m := p.order[mid]
			if t.itemLess(p, it, sortItem{p.items[m].hi, m}) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		p.order = append(p.order, 0)
		copy(p.order[lo+1:], p.order[lo:])
		p.order[lo] = uint16(i)
		t.Counters.ItemsMoved += int64(i - lo)
	}
	p.sorted, p.disordered = n, false
}

// sortArrived sorts the items of a leaf that have arrived since the others were put into
// order, in t.tail.a, if equal keys are in the order of arrival then. It returns
// false, and does nothing, if there are none or that is not so. moved gets the pairs
// that were out of order.
func (t *BTree) sortArrived(p *page, moved *int) bool {
	n := len(p.items)
	if p.sorted == 0 || p.sorted == n || p.disordered || p.partial {
		return false
	}
	s := &t.tail
	if cap(s.a) < n {
		s.a = make([]sortItem, max(n, 512))
	}
	s.a = s.a[:n-p.sorted]
	var ok bool
	*moved, ok = t.sortShort(p, p.sorted)
	return ok
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
	if !p.whole(x) || !p.whole(y) {
		u, v := t.tuple(p, a.n), t.tuple(p, b.n)
		if c := t.compareTuples(&u, &v); c != 0 {
			return c < 0
		}
	}
	return x.tid().Less(y.tid())
}

// shortBits is the part of a short sort key that numbers items: a page has fewer.
const shortBits = 10

// sortShort is sortItems for items from place first on whose keys lie close
// together, and whose order of arrival decides between equal ones: key and number
// fit into one word then, and the merge needs no branch, which nobody could
// predict. It returns false if that does not suit the items.
func (t *BTree) sortShort(p *page, first int) (inversions int, ok bool) {
	s := &t.tail
	if p.los != nil || len(p.items) >= 1<<shortBits {
		return 0, false
	}
	arrived := p.items[first:]
	least, last := arrived[0].hi, storage.TID{}
	for i := range arrived {
		it := &arrived[i]
		tid := it.tid()
		if it.ref != 0 || !last.Less(tid) {
			return 0, false
		}
		least, last = min(least, it.hi), tid
	}
	if p.most-least >= 1<<(64-shortBits) {
		return 0, false
	}
	n := len(arrived)
	if cap(s.short) < n {
		s.short, s.spare = make([]uint64, max(n, 512)), make([]uint64, max(n, 512))
	}
	a, b := s.short[:n], s.spare[:n]
	for i := range arrived {
		a[i] = (arrived[i].hi-least)<<shortBits | uint64(first+i)
	}
	whole := n &^ 3
	for i := 0; i < whole; i += 4 {
		inversions += sortFour((*[4]uint64)(a[i:]))
	}
	inversions += sortFew(a[whole:])
	for width := 4; width < n; width *= 2 {
		for lo := 0; lo < n; lo += 2 * width {
			inversions += mergeShort(b[lo:], a, lo, min(lo+width, n), min(lo+2*width, n))
		}
		a, b = b, a
	}
	for i, v := range a {
		s.a[i] = sortItem{v>>shortBits + least, uint16(v & (1<<shortBits - 1))}
	}
	return inversions, true
}

// sortFour sorts four different numbers and returns how many pairs were out of order.
// It counts for each how many are less, which takes no branch.
func sortFour(a *[4]uint64) (inversions int) {
	w, x, y, z := a[0], a[1], a[2], a[3]
	_, wx := bits.Sub64(x, w, 0) // 1 if x is less than w
	_, wy := bits.Sub64(y, w, 0)
	_, wz := bits.Sub64(z, w, 0)
	_, xy := bits.Sub64(y, x, 0)
	_, xz := bits.Sub64(z, x, 0)
	_, yz := bits.Sub64(z, y, 0)
	a[(wx+wy+wz)&3] = w
	a[(1-wx+xy+xz)&3] = x
	a[(2-wy-xy+yz)&3] = y
	a[(3-wz-xz-yz)&3] = z
	return int(wx + wy + wz + xy + xz + yz)
}

// sortFew sorts a few numbers by insertion and returns how many pairs were out of
// order.
func sortFew(a []uint64) (inversions int) {
	for i := 1; i < len(a); i++ {
		for j := i; j > 0 && a[j] < a[j-1]; j-- {
			a[j], a[j-1] = a[j-1], a[j]
			inversions++
		}
	}
	return inversions
}

// mergeShort merges a[lo:mid] and a[mid:hi] into dst and returns how many pairs
// were out of order.
func mergeShort(dst, a []uint64, lo, mid, hi int) (inversions int) {
	i, j, at := lo, mid, 0
	for i < mid && j < hi {
		x, y := a[i], a[j]
		v, right := x, 0
		if y < x {
			v = y
		}
		if y < x {
			right = 1
		}
		dst[at] = v
		at++
		j += right
		inversions += (mid - i) & -right
		i += 1 - right
	}
	at += copy(dst[at:], a[i:mid])
	copy(dst[at:], a[j:hi])
	return inversions
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
