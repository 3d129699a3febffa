package heap_test

import (
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
)

// TestTargetOfTruncatedTable gives pages back while another process remembers one of them
// as the page of its last row: it must not be tried.
func TestTargetOfTruncatedTable(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{{Len: 8, Align: 8, ByVal: true}}})
	h.begin()
	for h.Pages() < 4 {
		h.insert(datum.Value{Bits: 1})
	}
	h.abort()
	remembered := h.SwitchTarget(heap.Target{})
	h.Truncate(1, true)
	h.SwitchTarget(remembered)
	h.begin()
	if tid := h.insert(datum.Value{Bits: 2}); tid.Block > 1 {
		t.Errorf("row at %v, expected it on the first page that is there, or the next", tid)
	}
}
