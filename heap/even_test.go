package heap_test

import (
	"fmt"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
)

// TestEvenPages fills pages with rows of one length, whose line pointers are given up, and
// with others; whatever is read or written afterwards finds all of them.
func TestEvenPages(t *testing.T) {
	const rows = 500
	for name, c := range map[string]struct {
		row  func(i int) []datum.Value
		even bool
	}{
		"one length":            {func(i int) []datum.Value { return []datum.Value{num(int64(i)), pad(100)} }, true},
		"one length with NULL":  {func(i int) []datum.Value { return []datum.Value{num(int64(i)), {Null: true}} }, true},
		"two lengths":           {func(i int) []datum.Value { return []datum.Value{num(int64(i)), pad(100 + i%2*8)} }, false},
		"one length and padded": {func(i int) []datum.Value { return []datum.Value{num(int64(i)), pad(101)} }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
			tids := make([]storageTID, rows)
			for i := range tids {
				h.tx(func() { tids[i] = h.insert(c.row(i)...) })
			}
			want := 0
			if c.even {
				want = h.Pages() - 1 // all but the one that is being filled
			}
			if got := h.GivenUp(); got != want {
				t.Errorf("%d of %d pages gave up line pointers, expected %d", got, h.Pages(), want)
			}
			before := make([]string, h.Pages())
			for b := range before {
				before[b] = fmt.Sprint(h.LinePointers(nil, at(b, 0).Block))
			}
			if got := h.GivenUp(); got != want {
				t.Errorf("%d pages have no line pointers after they were looked at, expected %d", got, want)
			}
			for i, tid := range tids {
				if got := h.values(tid, 2); !equal(got, c.row(i)) {
					t.Fatalf("row %d at %s is %v, expected %v", i, tid, got, c.row(i))
				}
			}
			// Each row is as long as in a table that never gave any up: one whose first row
			// was looked at.
			other := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
			for i := range tids {
				other.tx(func() {
					tid := other.insert(c.row(i)...)
					other.Look(func(storageTID) bool { return tid.Block == 0 && tid.Offset == 0 })
				})
			}
			for b := range before {
				if got := fmt.Sprint(other.LinePointers(nil, at(b, 0).Block)); got != before[b] {
					t.Errorf("page %d has line pointers\n%s, expected\n%s", b, before[b], got)
				}
			}
			h.tx(func() {
				for i := 0; i < rows; i += 3 {
					h.delete(tids[i])
				}
			})
			h.check()
		})
	}
}
