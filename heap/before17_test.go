package heap

import "testing"

// The array of dead items is cut to what the table can have, and never shorter than a
// page may need.
func TestMostItems(t *testing.T) {
	for _, c := range []struct {
		memory   uint64
		pages    int
		hasIndex bool
		want     int
	}{
		{1 << 20, 1 << 20, true, 174761}, // (1048576 - 8) / 6
		{64 << 20, 10, true, 2910},
		{1 << 20, 0, true, MaxHeapTuplesPerPage},
		{8 << 30, 1 << 30, true, 178956969}, // MaxAllocSize
		{64 << 20, 10, false, MaxHeapTuplesPerPage},
	} {
		d := deadItems{most: mostItems(c.memory, c.pages, c.hasIndex)}
		if d.most != c.want {
			t.Errorf("%d bytes, %d pages, index %v: %d items, expected %d", c.memory, c.pages, c.hasIndex, d.most, c.want)
		}
		if last := c.want - MaxHeapTuplesPerPage; d.full(last) || !d.full(last+1) {
			t.Errorf("%d items: full with %d %v, with one more %v", d.most, last, d.full(last), d.full(last+1))
		}
	}
	if (&deadItems{}).full(1 << 40) {
		t.Error("an array that is not used is full")
	}
}
