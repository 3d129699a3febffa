package fsm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"applysim/wal/storage"
)

func TestCategories(t *testing.T) {
	for bytes, want := range map[int]uint8{
		0: 0, 31: 0, 32: 1, 63: 1, 64: 2, 8127: 253, 8128: 254, 8159: 254, 8160: 255, 8164: 255,
	} {
		if got := available(bytes); got != want {
			t.Errorf("%d bytes free count as %d, expected %d", bytes, got, want)
		}
	}
	for bytes, want := range map[int]uint8{0: 1, 1: 1, 32: 1, 33: 2, 1000: 32, 8128: 254, 8129: 255, 8160: 255} {
		if got := needed(bytes); got != want {
			t.Errorf("%d bytes needed look for %d, expected %d", bytes, got, want)
		}
	}
	// Whatever is found has enough room, whatever was recorded.
	for free := 0; free <= 8164; free++ {
		c := available(free)
		for _, need := range []int{free + 1, free + 32} {
			if need <= 8160 && c >= needed(need) {
				t.Errorf("%d bytes free satisfy a request of %d", free, need)
			}
		}
	}
}

// The shape of the map's files, as PostgreSQL's README draws it: pages depth
// first.
func TestPhysical(t *testing.T) {
	if slotsPerPage != 4069 || nodesPerPage != 8164 {
		t.Errorf("%d slots and %d nodes a page", slotsPerPage, nodesPerPage)
	}
	for a, want := range map[address]storage.BlockNumber{
		{2, 0}: 0, {1, 0}: 1, {0, 0}: 2, {0, 1}: 3, {0, 4068}: 4070, {1, 1}: 4071, {0, 4069}: 4072,
	} {
		if got := a.physical(); got != want {
			t.Errorf("page %v is block %d, expected %d", a, got, want)
		}
	}
	for block, want := range map[storage.BlockNumber]string{0: "{0 0} 0", 4068: "{0 0} 4068", 4069: "{0 1} 0", 1 << 30: "{0 263883} 1897"} {
		a, slot := locate(block)
		if got := fmt.Sprint(a, " ", slot); got != want {
			t.Errorf("block %d is at %s, expected %s", block, got, want)
		}
	}
	for _, a := range []address{{0, 0}, {0, 4069}, {1, 17}} {
		up, slot := a.parent()
		if got := up.child(slot); got != a {
			t.Errorf("the child of the parent of %v is %v", a, got)
		}
	}
}

// naive is fsm_search_avail on the leaf slots alone, in words of fsmpage.c's
// comment: look at the slot itself; else move to the right neighbour and climb,
// until a subtree has room; then descend, left first.
func naive(slots []uint8, next int, category uint8) int {
	// A subtree of height h holds the places from k<<h on, of 4096 on the level
	// of the slots, which is not filled to its end.
	best := func(h, k int) uint8 {
		var m uint8
		for i := k << h; i < (k+1)<<h && i < len(slots); i++ {
			m = max(m, slots[i])
		}
		return m
	}
	if best(12, 0) < category {
		return -1
	}
	if next >= len(slots) {
		next = 0
	}
	h, k := 0, next
	for h < 12 && best(h, k) < category {
		k = (k + 1) % (1 << (12 - h)) // right neighbour, round at the end of the level
		k /= 2
		h++
	}
	for i := k << h; i < len(slots); i++ {
		if slots[i] >= category {
			return i
		}
	}
	return -1
}

func TestSearchOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	for round := range 60 {
		var p Page
		slots := make([]uint8, slotsPerPage)
		for step := range 150 {
			for range r.IntN(4) {
				s := r.IntN(slotsPerPage)
				switch r.IntN(3) {
				case 0:
					s = slotsPerPage - 1 - r.IntN(5)
				case 1:
					s = r.IntN(40)
				}
				c := uint8(r.IntN(256) * r.IntN(2))
				if p.set(s, c) != (slots[s] != c) && slots[s] != c {
					t.Fatalf("round %d: setting slot %d from %d to %d is no change", round, s, slots[s], c)
				}
				slots[s] = c
			}
			category := uint8(1 + r.IntN(255))
			if r.IntN(10) == 0 {
				p.next = r.IntN(slotsPerPage + 1)
			}
			next := p.next
			advance := r.IntN(2) == 0
			want := naive(slots, next, category)
			got := p.search(category, advance)
			if got != want {
				t.Fatalf("round %d, step %d: from %d, category %d: slot %d, expected %d", round, step, next, category, got, want)
			}
			if got >= 0 && slots[got] < category {
				t.Fatalf("slot %d has %d, less than %d", got, slots[got], category)
			}
			after := next
			if got >= 0 {
				after = got
				if advance {
					after++
				}
			}
			if p.next != after {
				t.Fatalf("round %d: the next search begins at %d, expected %d", round, p.next, after)
			}
		}
	}
}

// By hand: after a hit the search goes on behind it, in ever larger subtrees.
func TestSearchByHand(t *testing.T) {
	var p Page
	for _, s := range []int{0, 1, 5, 9, 4068} {
		p.set(s, 100)
	}
	var got []int
	for range 7 {
		got = append(got, p.search(100, true))
	}
	// From 0: 0. From 1: 1. From 2: its neighbour's parent is (2 3), that one's
	// neighbour's (4..7): 5. From 6: (6 7), then (8..11): 9. From 10: (10 11),
	// (12..15), (16..23), and so on to the right, at last the half from 2048 on,
	// which has 4068. Then there is no slot further on, and it begins anew.
	if want := "[0 1 5 9 4068 0 1]"; fmt.Sprint(got) != want {
		t.Errorf("slots %v, expected %s", got, want)
	}
}

// Maxima are right after any change.
func TestMaxima(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p Page
	slots := make([]uint8, slotsPerPage)
	for range 3000 {
		s, c := r.IntN(slotsPerPage), uint8(r.IntN(256))
		p.set(s, c)
		slots[s] = c
	}
	for n := range nonLeafNodes {
		var want uint8
		for c := 2*n + 1; c <= 2*n+2 && c < nodesPerPage; c++ {
			want = max(want, p.nodes[c])
		}
		if p.nodes[n] != want {
			t.Fatalf("node %d is %d, its children say %d", n, p.nodes[n], want)
		}
	}
	for s, c := range slots {
		if p.nodes[nonLeafNodes+s] != c {
			t.Fatalf("slot %d is %d, expected %d", s, p.nodes[nonLeafNodes+s], c)
		}
	}
}

// The upper pages know nothing until VACUUM tells them; a search by way of the
// page that was just recorded sees its own leaf only.
func TestMap(t *testing.T) {
	var m Map
	var changed []storage.BlockNumber
	m.Changed = func(b storage.BlockNumber, _ *Page) { changed = append(changed, b) }
	const blocks = 10_000
	m.Record(100, 5000)
	m.Record(5000, 6000)
	if got := m.Search(1000, blocks); got != storage.InvalidBlock {
		t.Errorf("the root knows of block %d before VACUUM", got)
	}
	if got := m.RecordAndSearch(4068, 10, 1000, blocks); got != 100 {
		t.Errorf("found block %d, expected 100", got)
	}
	if got := m.RecordAndSearch(4069, 10, 1000, blocks); got != 5000 {
		t.Errorf("found block %d, expected 5000", got)
	}
	if got := m.RecordAndSearch(4069, 10, 6001, blocks); got != storage.InvalidBlock {
		t.Errorf("found block %d for more than there is", got)
	}
	if got := m.RecordAndSearch(9000, 10, 1000, blocks); got != storage.InvalidBlock {
		t.Errorf("found block %d on another leaf", got)
	}
	if !m.Recorded(100) || m.Recorded(101) || m.Recorded(9500) {
		t.Error("Recorded is wrong")
	}
	// Blocks in the map's fork: its leaves are from 2 on. Recording 10 bytes for a
	// page of which nothing is known changes nothing.
	if got, want := fmt.Sprint(changed), "[2 3]"; got != want {
		t.Errorf("changed pages %v, expected %s", got, want)
	}
	m.Vacuum(0, blocks)
	if got := m.Search(5500, blocks); got != 5000 {
		t.Errorf("after VACUUM: block %d, expected 5000", got)
	}
	if got := m.Search(4000, blocks); got != 100 && got != 5000 {
		t.Errorf("after VACUUM: block %d", got)
	}
	// A table that was cut short: the map corrects itself.
	if got := m.Search(5500, 200); got != storage.InvalidBlock {
		t.Errorf("found block %d of 200", got)
	}
	if got := m.Search(5500, blocks); got != storage.InvalidBlock {
		t.Errorf("found block %d, which a search has found to be gone", got)
	}
	if got := m.Search(4000, blocks); got != 100 {
		t.Errorf("found block %d, expected 100", got)
	}
	m.Truncate(100)
	if m.Recorded(100) {
		t.Error("block 100 is recorded after the truncation")
	}
}

func Example() {
	var m Map
	m.Record(0, 900)
	m.Record(1, 40)
	m.Record(2, 2000)
	// Page 3 proved too small for 800 bytes: which other page has room?
	fmt.Println(m.RecordAndSearch(3, 100, 800, 4))
	fmt.Println(m.RecordAndSearch(3, 100, 800, 4))
	fmt.Println(m.RecordAndSearch(3, 100, 3000, 4) == storage.InvalidBlock)
	// Output:
	// 0
	// 2
	// true
}
