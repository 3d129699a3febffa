package apply

import (
	"math/rand/v2"
	"slices"
	"testing"

	"applysim/wal/storage"
)

// TestTIDSet compares sets that grow and shrink with sorted slices.
func TestTIDSet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var s tidSet
		var want []storage.TID
		for step := range 400 {
			grow := step < 200
			if n := len(want); n > 0 && r.IntN(4) > 0 != grow {
				i := r.IntN(n)
				if got := s.remove(want[i]); got != (n == 1) {
					t.Fatalf("the set is empty: %v, %d were there", got, n)
				}
				want = slices.Delete(want, i, i+1)
			} else {
				tid := storage.TID{Block: storage.BlockNumber(r.IntN(40)), Offset: storage.OffsetNumber(1 + r.IntN(100))}
				if at, ok := slices.BinarySearchFunc(want, tid, storage.TID.Compare); !ok {
					s.add(tid)
					want = slices.Insert(want, at, tid)
				}
			}
			start := storage.BlockNumber(r.IntN(42))
			at, _ := slices.BinarySearchFunc(want, storage.TID{Block: start}, storage.TID.Compare)
			order := slices.Concat(want[at:], want[:at])
			stop := r.IntN(len(order) + 2)
			var got []storage.TID
			s.from(start, func(tid storage.TID) bool {
				got = append(got, tid)
				return len(got) < stop
			})
			if stop < len(order) {
				order = order[:max(stop, min(1, len(order)))]
			}
			if !slices.Equal(got, order) {
				t.Fatalf("from page %d: %v, expected %v", start, got, order)
			}
		}
	}
}
