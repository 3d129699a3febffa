package heap

import (
	"math/rand/v2"
	"testing"
)

// TestFenwick compares sums and the next page with rows with what a slice gives.
func TestFenwick(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var f fenwick
		var counts []int64
		for range 60 {
			if r.IntN(4) == 0 || len(counts) == 0 {
				n := len(counts) + r.IntN(5)
				f.grow(n)
				for len(counts) < n {
					counts = append(counts, 0)
				}
				continue
			}
			i := r.IntN(len(counts))
			n := int64(r.IntN(3))
			if r.IntN(2) == 0 {
				n = -counts[i]
			}
			counts[i] += n
			f.add(i, n)
			from := r.IntN(len(counts) + 1)
			var sum int64
			for _, n := range counts[:from] {
				sum += n
			}
			next := from
			for next < len(counts) && counts[next] == 0 {
				next++
			}
			if got := f.sum(from); got != sum {
				t.Fatalf("%v: %d before %d, expected %d", counts, got, from, sum)
			}
			if got := f.next(from); got != next {
				t.Fatalf("%v: the next page from %d on with rows is %d, expected %d", counts, from, got, next)
			}
		}
	}
}
