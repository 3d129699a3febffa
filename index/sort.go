package index

// The order of equal split points depends on the sort algorithm itself, for the
// sort is not stable: the same quicksort as PostgreSQL's (Bentley and McIlroy,
// "Engineering a Sort Function", with a test for input that is in order), step
// for step, after sort_template.h.

const (
	insertionSortLimit = 7  // shorter arrays are sorted by insertion
	ninther            = 40 // longer arrays take a median of three medians as pivot
)

func less(a, b *splitPoint) bool { return a.delta < b.delta }

// sortByDelta sorts split points by their delta.
func sortByDelta(a []splitPoint) {
	for {
		n := len(a)
		if n < insertionSortLimit {
			for i := 1; i < n; i++ {
				for j := i; j > 0 && less(&a[j], &a[j-1]); j-- {
					a[j], a[j-1] = a[j-1], a[j]
				}
			}
			return
		}
		if inOrder(a) {
			return
		}
		m := n / 2
		if n > insertionSortLimit {
			l, r := 0, n-1
			if n > ninther {
				d := n / 8
				l = medianOf3(a, l, l+d, l+2*d)
				m = medianOf3(a, m-d, m, m+d)
				r = medianOf3(a, r-2*d, r-d, r)
			}
			m = medianOf3(a, l, m, r)
		}
		a[0], a[m] = a[m], a[0]
		low, high := partition(a)
		// The smaller part first, the larger one in the next round.
		if low <= n-high {
			if low > 1 {
				sortByDelta(a[:low])
			}
			a = a[high:]
		} else {
			if n-high > 1 {
				sortByDelta(a[high:])
			}
			a = a[:low]
		}
		if len(a) < 2 {
			return
		}
	}
}

func inOrder(a []splitPoint) bool {
	for i := 1; i < len(a); i++ {
		if less(&a[i], &a[i-1]) {
			return false
		}
	}
	return true
}

// medianOf3 returns which of three elements is the median.
func medianOf3(a []splitPoint, i, j, k int) int {
	x, y, z := a[i].delta, a[j].delta, a[k].delta
	if x < y {
		switch {
		case y < z:
			return j
		case x < z:
			return k
		}
		return i
	}
	switch {
	case y > z:
		return j
	case x < z:
		return i
	}
	return k
}

// partition splits the array by its first element into smaller, equal and
// larger ones. It returns how many are smaller and where the larger ones begin.
func partition(a []splitPoint) (low, high int) {
	n := len(a)
	pivot := a[0].delta
	pa, pb, pc, pd := 1, 1, n-1, n-1
	for {
		for pb <= pc && a[pb].delta <= pivot {
			if a[pb].delta == pivot {
				a[pa], a[pb] = a[pb], a[pa]
				pa++
			}
			pb++
		}
		for pb <= pc && a[pc].delta >= pivot {
			if a[pc].delta == pivot {
				a[pc], a[pd] = a[pd], a[pc]
				pd--
			}
			pc--
		}
		if pb > pc {
			break
		}
		a[pb], a[pc] = a[pc], a[pb]
		pb++
		pc--
	}
	// Equal elements were put aside at both ends: swap them to the middle.
	d := min(pa, pb-pa)
	for i := range d {
		a[i], a[pb-d+i] = a[pb-d+i], a[i]
	}
	d = min(pd-pc, n-pd-1)
	for i := range d {
		a[pb+i], a[n-d+i] = a[n-d+i], a[pb+i]
	}
	return pb - pa, n - (pd - pc)
}
