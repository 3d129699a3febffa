package heap

// How much memory dead items take, after tidstore.c, radixtree.h, bump.c and slab.c:
// VACUUM goes over the indexes whenever it is more than maintenance_work_mem.
//
// A TidStore is a radix tree over block numbers, a byte of the number at each level.
// Its nodes come in five sizes and grow as they fill; each size has a slab of its
// own, which takes blocks of memory for many nodes at once. The offsets of a page
// stand in the lowest node's slot if they are three at most, otherwise in a bitmap
// apart, and bitmaps fill blocks one after the other. What counts is the blocks.

import (
	"applysim/wal/storage"
)

// Sizes of the store. Sources: REL_18_1, src/backend/access/common/tidstore.c,
// src/include/lib/radixtree.h and src/include/utils/memutils.h; those of structs are
// what they take on 64-bit machines.
const (
	tidsInSlot       = 3 // NUM_FULL_OFFSETS
	bitmapHeader     = 8 // BlocktableEntry before its words
	bitsPerWord      = 64
	radixSpan        = 8   // RT_SPAN
	radixLevels      = 4   // of a 32-bit block number
	bumpBlockHeader  = 32  // Bump_BLOCKHDRSZ
	bumpContext      = 112 // BumpContext, at the beginning of the first block
	slabBlockHeader  = 48  // Slab_BLOCKHDRSZ
	slabChunkHeader  = 8   // Slab_CHUNKHDRSZ
	slabLeastChunks  = 32  // RT_SLAB_BLOCK_SIZE
	firstMemoryBlock = 8 << 10
	lastMemoryBlock  = 8 << 20 // ALLOCSET_DEFAULT_MAXSIZE
	blocksPerLimit   = 16      // the largest block is not more than this part of the limit
)

// nodeClass is one of the sizes of radix tree nodes (RT_SIZE_CLASS_INFO).
type nodeClass struct {
	fanout int
	size   int // bytes
}

var nodeClasses = [...]nodeClass{
	{4, 8 + 4*8}, {16, 40 + 16*8}, {32, 40 + 32*8}, {64, 8 + 8 + 256 + 64*8}, {256, 8 + 32 + 256*8},
}

// slabBlock returns the size of a slab's blocks and how many nodes one holds.
func (c nodeClass) slabBlock() (size, nodes int) {
	size = firstMemoryBlock
	for size < slabLeastChunks*c.size {
		size *= 2
	}
	return size, (size - slabBlockHeader) / (c.size + slabChunkHeader)
}

// tidStore accounts for the memory of a TidStore. Only that: the items themselves
// are in VacuumScan.
type tidStore struct {
	total uint64 // bytes of all blocks

	// Bitmaps.
	free        int // left in the newest block
	next, limit int // size of the next block and of the largest one

	// Nodes, by class: how many are in use and how many the slab has room for.
	used, room [len(nodeClasses)]int

	// The tree's way down to the page added last, from the lowest level up. Pages
	// come in order, so that only nodes on it can grow.
	path   [radixLevels]pathNode
	height int
	last   storage.BlockNumber
	empty  bool
}

// pathNode is a node on the way to the page added last.
type pathNode struct{ class, count int }

// reset makes the store empty, with memory for limit bytes (TidStoreCreateLocal).
func (s *tidStore) reset(limit uint64) {
	*s = tidStore{free: firstMemoryBlock - bumpContext - bumpBlockHeader, next: firstMemoryBlock, limit: lastMemoryBlock, height: 1, empty: true}
	for s.limit > firstMemoryBlock && blocksPerLimit*uint64(s.limit) > limit {
		s.limit /= 2
	}
	s.total = firstMemoryBlock
	s.allocate(0) // the root
}

// allocate takes a node from its slab.
func (s *tidStore) allocate(class int) {
	s.used[class]++
	if s.used[class] > s.room[class] {
		size, nodes := nodeClasses[class].slabBlock()
		s.room[class] += nodes
		s.total += uint64(size)
	}
}

// add adds a page with n dead items, the last of which has the given offset
// (TidStoreSetBlockOffsets).
func (s *tidStore) add(block storage.BlockNumber, n int, last storage.OffsetNumber) {
	if n == 0 {
		return
	}
	s.insert(block)
	if n > tidsInSlot {
		s.bitmap(bitmapHeader + bitsPerWord/8*(int(last)/bitsPerWord+1))
	}
}

// bitmap takes so many bytes for a bitmap (BumpAlloc).
func (s *tidStore) bitmap(size int) {
	if s.free < size {
		s.total += uint64(s.next)
		s.free = s.next - bumpBlockHeader
		s.next = min(2*s.next, s.limit)
	}
	s.free -= size
}

// insert adds a page to the tree (RT_SET).
func (s *tidStore) insert(block storage.BlockNumber) {
	height := 1
	for b := block >> radixSpan; b > 0; b >>= radixSpan {
		height++
	}
	level := 0 // of the lowest node on the way that is there already
	switch {
	case s.empty:
		// The root that is there stays the root, however high.
		s.height, level = height, height-1
		s.path[level] = pathNode{}
	default:
		for s.height < height { // new roots with one child
			s.allocate(0)
			s.path[s.height] = pathNode{count: 1}
			s.height++
		}
		for block>>(radixSpan*(level+1)) != s.last>>(radixSpan*(level+1)) {
			level++
		}
	}
	s.addChild(level)
	for level--; level >= 0; level-- {
		s.allocate(0)
		s.path[level] = pathNode{count: 1}
	}
	s.last, s.empty = block, false
}

// addChild adds a child to the node of a level, which may have to grow
// (RT_NODE_INSERT).
func (s *tidStore) addChild(level int) {
	p := &s.path[level]
	if p.count == nodeClasses[p.class].fanout {
		s.allocate(p.class + 1)
		s.used[p.class]--
		p.class++
	}
	p.count++
}

// Segments of the shared memory that parallel workers use. Source: REL_18_1,
// src/include/utils/dsa.h.
const (
	sharedFirst  = 1 << 20   // DSA_DEFAULT_INIT_SEGMENT_SIZE
	sharedMin    = 256 << 10 // DSA_MIN_SEGMENT_SIZE
	sharedMax    = 1 << 40   // DSA_MAX_SEGMENT_SIZE
	sharedBlocks = 8         // the largest segment is not more than this part of the limit
)

// sharedLeast is the memory of a shared store that is empty (TidStoreCreateShared).
func sharedLeast(limit uint64) uint64 {
	largest := uint64(sharedMax)
	for sharedBlocks*largest > limit && largest > sharedMin {
		largest /= 2
	}
	return min(sharedFirst, max(largest, sharedMin))
}

// A shared store takes more than a local one: sizes are rounded up to those of the
// allocator, by less than a third, each of a dozen sizes has a superblock of 64 kB
// that may be hardly used, and the newest segment, up to an eighth of the limit, may
// be empty. With so much room it is certain to fit.
const (
	sharedRoom  = 2
	sharedSlack = 2 << 20
)

// Undecided says whether it depends on the layout of shared memory, which is not
// modelled, if indexes must be cleaned in several passes.
func (s *VacuumScan) Undecided() bool {
	return s.items.most == 0 && s.opts.Parallel && !s.full() && sharedSlack+sharedRoom*s.memory.total > s.opts.Memory
}
