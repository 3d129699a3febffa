package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// pgSort is sort_template.h with array indexes in place of pointers, written
// down line by line.
func pgSort(a []splitPoint) {
	med3 := func(x, y, z int) int {
		if a[x].delta < a[y].delta {
			if a[y].delta < a[z].delta {
				return y
			}
			if a[x].delta < a[z].delta {
				return z
			}
			return x
		}
		if a[y].delta > a[z].delta {
			return y
		}
		if a[x].delta < a[z].delta {
			return x
		}
		return z
	}
	swap := func(i, j int) { a[i], a[j] = a[j], a[i] }
	swapn := func(i, j, n int) {
		for k := 0; k < n; k++ {
			swap(i+k, j+k)
		}
	}
	n := len(a)
	if n < 7 {
		for pm := 1; pm < n; pm++ {
			for pl := pm; pl > 0 && a[pl-1].delta > a[pl].delta; pl-- {
				swap(pl, pl-1)
			}
		}
		return
	}
	presorted := true
	for pm := 1; pm < n; pm++ {
		if a[pm-1].delta > a[pm].delta {
			presorted = false
			break
		}
	}
	if presorted {
		return
	}
	pm := n / 2
	if n > 7 {
		pl, pn := 0, n-1
		if n > 40 {
			d := n / 8
			pl = med3(pl, pl+d, pl+2*d)
			pm = med3(pm-d, pm, pm+d)
			pn = med3(pn-2*d, pn-d, pn)
		}
		pm = med3(pl, pm, pn)
	}
	swap(0, pm)
	pa, pb, pc, pd := 1, 1, n-1, n-1
	for {
		for pb <= pc && a[pb].delta <= a[0].delta {
			if a[pb].delta == a[0].delta {
				swap(pa, pb)
				pa++
			}
			pb++
		}
		for pb <= pc && a[pc].delta >= a[0].delta {
			if a[pc].delta == a[0].delta {
				swap(pc, pd)
				pd--
			}
			pc--
		}
		if pb > pc {
			break
		}
		swap(pb, pc)
		pb++
		pc--
	}
	d1 := min(pa, pb-pa)
	swapn(0, pb-d1, d1)
	d1 = min(pd-pc, n-pd-1)
	swapn(pb, n-d1, d1)
	d1, d2 := pb-pa, pd-pc
	if d1 <= d2 {
		if d1 > 1 {
			pgSort(a[:d1])
		}
		if d2 > 1 {
			pgSort(a[n-d2:])
		}
	} else {
		if d2 > 1 {
			pgSort(a[n-d2:])
		}
		if d1 > 1 {
			pgSort(a[:d1])
		}
	}
}

// points makes split points of the given deltas, each with its place of origin.
func points(deltas ...int16) []splitPoint {
	a := make([]splitPoint, len(deltas))
	for i, d := range deltas {
		a[i] = splitPoint{delta: d, firstRight: int16(i)}
	}
	return a
}

// order is the origin of each point.
func order(a []splitPoint) []int16 {
	o := make([]int16, len(a))
	for i := range a {
		o[i] = a[i].firstRight
	}
	return o
}

// The order of equal deltas, worked out by hand from sort_template.h.
func TestSortByHand(t *testing.T) {
	for _, c := range []struct {
		deltas []int16
		want   []int16
	}{
		{nil, nil},
		{[]int16{5}, []int16{0}},
		{[]int16{2, 1}, []int16{1, 0}},
		// Fewer than seven: insertion, which is stable.
		{[]int16{1, 0, 1, 0, 1, 0}, []int16{1, 3, 5, 0, 2, 4}},
		// Seven in order stay as they are.
		{[]int16{0, 0, 1, 1, 2, 2, 2}, []int16{0, 1, 2, 3, 4, 5, 6}},
		// Seven: the pivot, from the middle (0), changes places with the first.
		// None is smaller or equal; the six others are sorted by insertion.
		{[]int16{1, 1, 1, 0, 1, 1, 1}, []int16{3, 1, 2, 0, 4, 5, 6}},
		// The pivot 1 changes places with the first: 3 1 2 0 4 5 6, deltas
		// 1 2 0 2 0 2 0. Then 1 with 6, and 0 with 4: 3 6 2 4 0 5 1, deltas
		// 1 0 0 0 2 2 2. The pivot goes behind the smaller ones by changing
		// places with the last of them.
		{[]int16{2, 2, 0, 1, 0, 2, 0}, []int16{4, 6, 2, 3, 0, 5, 1}},
	} {
		a := points(c.deltas...)
		sortByDelta(a)
		if got := order(a); !slices.Equal(got, c.want) {
			t.Errorf("%v: order %v, expected %v", c.deltas, got, c.want)
		}
	}
}

func TestSortLikeTemplate(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 0))
	for round := range 3000 {
		n := r.IntN(60)
		if round%10 == 0 {
			n = r.IntN(700)
		}
		deltas := make([]int16, n)
		values := 1 + r.IntN([]int{2, 8, 100, 20000}[round%4])
		for i := range deltas {
			switch round % 5 {
			case 0: // as split points come: the delta falls, then rises
				deltas[i] = int16(max(n/2-i, i-n/2) * values / (n + 1))
			case 1:
				deltas[i] = int16((n - i) * values / (n + 1))
			default:
				deltas[i] = int16(r.IntN(values))
			}
		}
		got, want := points(deltas...), points(deltas...)
		sortByDelta(got)
		pgSort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("round %d, deltas %v: order %v, expected %v", round, deltas, order(got), order(want))
		}
		seen := make([]bool, n)
		for i := range got {
			seen[got[i].firstRight] = true
			if i > 0 && got[i].delta < got[i-1].delta {
				t.Fatalf("round %d: not sorted", round)
			}
		}
		if slices.Contains(seen, false) {
			t.Fatalf("round %d: no permutation", round)
		}
	}
}
