package heap

import (
	"math/rand/v2"
	"testing"

	"applysim/wal/storage"
)

// TestTIDStoreMemory follows the blocks of memory that a store takes: one for bitmaps
// and one for the smallest nodes from the start, then one for each larger kind of
// node, and a second one for bitmaps.
func TestTIDStoreMemory(t *testing.T) {
	var s tidStore
	s.reset(64 << 10)
	total := uint64(0)
	grows := map[int]uint64{
		0: 16 << 10, 5: 8 << 10, 17: 16 << 10, 33: 32 << 10, 65: 128 << 10,
		// (8192 - 112 - 32) / 16 bitmaps of one word fit into the first block.
		504: 8 << 10,
	}
	for n := 0; n <= 600; n++ {
		if n > 0 {
			s.add(storage.BlockNumber(n-1), 4, 4)
		}
		total += grows[n]
		if s.total != total {
			t.Fatalf("%d pages: %d bytes, expected %d", n, s.total, total)
		}
	}
	// Three offsets need no bitmap; a later block is twice as large if the limit allows.
	s.reset(1 << 20)
	for n := range 1 << 16 {
		s.add(storage.BlockNumber(n), tidsInSlot, 200)
	}
	if s.free != firstMemoryBlock-bumpContext-bumpBlockHeader {
		t.Errorf("%d bytes left in the first block", s.free)
	}
	before := s.total
	for n := 1 << 16; n < 1<<16+168+3*340+1; n++ { // of 48 bytes
		s.add(storage.BlockNumber(n), tidsInSlot+1, 291)
	}
	if want := uint64(8+16+32) << 10; s.next != 64<<10 || s.total-before < want {
		t.Errorf("the next block has %d bytes, %d more", s.next, s.total-before)
	}
}

// TestTIDStoreNodes compares the nodes in use with those of a tree that is built from
// the same pages at once: as many as there are different beginnings of block numbers,
// each as large as it has children.
func TestTIDStoreNodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 300 {
		var s tidStore
		s.reset(64 << 20)
		block, step := r.Uint32N(1<<(1+r.Uint32N(25))), 1+r.Uint32N(1<<r.Uint32N(18))
		var blocks []uint32
		for range 1 + r.IntN(2000) {
			blocks = append(blocks, block)
			s.add(storage.BlockNumber(block), 1, 1)
			block += 1 + r.Uint32N(step)
		}
		height := 1
		for blocks[len(blocks)-1]>>(radixSpan*height) > 0 {
			height++
		}
		var want [len(nodeClasses)]int
		for level := range height {
			children := map[uint32]map[uint32]bool{}
			for _, b := range blocks {
				at := uint32(uint64(b) >> (radixSpan * (level + 1)))
				if children[at] == nil {
					children[at] = map[uint32]bool{}
				}
				children[at][b>>(radixSpan*level)] = true
			}
			for _, c := range children {
				class := 0
				for nodeClasses[class].fanout < len(c) {
					class++
				}
				want[class]++
			}
		}
		if s.used != want {
			t.Fatalf("round %d: nodes %v, expected %v", round, s.used, want)
		}
	}
}
