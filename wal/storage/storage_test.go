package storage

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAlign(t *testing.T) {
	for n := range 100 {
		for _, a := range []int{1, 2, 4, 8} {
			got := Align(n, a)
			if got < n || got >= n+a || got%a != 0 {
				t.Errorf("Align(%d, %d) = %d", n, a, got)
			}
		}
		if got := MaxAlign(n); got != Align(n, 8) {
			t.Errorf("MaxAlign(%d) = %d", n, got)
		}
	}
}

// TIDs order by block, then by offset, without a sign.
func TestTIDOrder(t *testing.T) {
	want := []TID{
		{0, 0}, {0, 1}, {0, 2}, {0, 65535}, {1, 0}, {1, 1}, {255, 9}, {256, 1}, {1<<31 - 1, 3}, {1 << 31, 1}, {InvalidBlock, 0}, {InvalidBlock, 1},
	}
	got := slices.Clone(want)
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, TID.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("sorted: %v", got)
	}
	for i, a := range want {
		for j, b := range want {
			if a.Less(b) != (i < j) || a.Compare(b) < 0 != (i < j) || a.Compare(b) == 0 != (i == j) {
				t.Errorf("%v and %v: less %v, compare %d", a, b, a.Less(b), a.Compare(b))
			}
		}
	}
	if s := (TID{12, 3}).String(); s != "(12,3)" {
		t.Errorf("printed as %s", s)
	}
}

func TestLarge(t *testing.T) {
	for _, n := range []int{1, 1000, 1 << 20} {
		s := Large[uint64](n)
		if len(s) != 0 || cap(s) < n {
			t.Errorf("Large(%d) has length %d and capacity %d", n, len(s), cap(s))
		}
		s = s[:n]
		s[0], s[n-1] = 1, 2
	}
}
