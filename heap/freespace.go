package heap

// The free space map, after freespace.c and fsmpage.c.

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// The shape of the map. Sources: REL_18_1, src/include/storage/fsm_internals.h
// and src/backend/storage/freespace/freespace.c.
const (
	fsmNodes     = storage.PageSize - storage.PageHeaderSize - 4 // NodesPerPage
	fsmNonLeaf   = storage.PageSize/2 - 1                        // NonLeafNodesPerPage
	fsmSlots     = fsmNodes - fsmNonLeaf                         // SlotsPerFSMPage
	fsmRootLevel = 2                                             // FSM_ROOT_LEVEL
	fsmCategory  = 32                                            // FSM_CAT_STEP: bytes of free space per category
	fsmRestarts  = 10000                                         // how often a search starts over before it gives up
)

// fsmAddress names a page of the map: its level (0 for leaves) and its number
// on that level.
type fsmAddress struct {
	level, number int
}

// fsmPage is one page of the map: a binary tree of maxima over its slots,
// stored as an array, and the slot where the next search begins.
type fsmPage struct {
	nodes [fsmNodes]uint8
	next  int // fp_next_slot
	lsn   wal.LSN
	dirty bool
}

// Hole is empty: a page of the map has no standard layout.
func (p *fsmPage) Hole() (lower, upper int) { return 0, 0 }

// Bytes writes the page as it is on disk, checksum left out.
func (p *fsmPage) Bytes(dst *[storage.PageSize]byte) {
	writePageHeader(dst, p.lsn, 0, storage.PageHeaderSize, storage.PageSize, 0)
	binary.LittleEndian.PutUint32(dst[storage.PageHeaderSize:], uint32(p.next))
	copy(dst[storage.PageHeaderSize+4:], p.nodes[:])
}

// physical is the page's block number in the map's fork: pages are laid out
// depth first (fsm_logical_to_physical).
func (a fsmAddress) physical() storage.BlockNumber {
	leaf := a.number
	for range a.level {
		leaf *= fsmSlots
	}
	pages := 0
	for range fsmRootLevel + 1 {
		pages += leaf + 1
		leaf /= fsmSlots
	}
	return storage.BlockNumber(pages - a.level - 1)
}

// freeSpaceMap is a table's free space map. Pages that were never written do
// not exist; a search that reaches one finds nothing.
type freeSpaceMap struct {
	pages map[fsmAddress]*fsmPage
}

// available turns free bytes into the category that is recorded, rounded down.
func available(bytes int) uint8 {
	if bytes >= MaxHeapTupleSize {
		return 255
	}
	return uint8(min(bytes/fsmCategory, 254))
}

// needed turns a request into the category to look for, rounded up.
func needed(bytes int) uint8 {
	if bytes == 0 {
		return 1
	}
	return uint8(min((bytes+fsmCategory-1)/fsmCategory, 255))
}

func locate(block storage.BlockNumber) (fsmAddress, int) {
	return fsmAddress{0, int(block) / fsmSlots}, int(block) % fsmSlots
}

func (a fsmAddress) parent() (fsmAddress, int) {
	return fsmAddress{a.level + 1, a.number / fsmSlots}, a.number % fsmSlots
}

func (a fsmAddress) child(slot int) fsmAddress {
	return fsmAddress{a.level - 1, a.number*fsmSlots + slot}
}

// page returns the page at a, made if it is not there.
func (m *freeSpaceMap) page(a fsmAddress) *fsmPage {
	p := m.pages[a]
	if p == nil {
		if m.pages == nil {
			m.pages = map[fsmAddress]*fsmPage{}
		}
		p = new(fsmPage)
		m.pages[a] = p
	}
	return p
}

// recordAndSearch notes a page's free space and looks for another page with
// room for need bytes: first on the same leaf of the map, then from the root.
// nblocks is the table's length in pages.
// changed is called for each page of the map that changes.
func (m *freeSpaceMap) recordAndSearch(block storage.BlockNumber, free, need int, nblocks int, changed func(fsmAddress, *fsmPage)) storage.BlockNumber {
	a, slot := locate(block)
	p := m.page(a)
	if p.set(slot, available(free)) {
		changed(a, p)
	}
	category := needed(need)
	if found := p.search(category, true); found >= 0 {
		if b := a.number*fsmSlots + found; b < nblocks {
			return storage.BlockNumber(b)
		}
	}
	return m.search(category, nblocks, changed)
}

// search looks for a page of at least the given category from the root of the
// map down. The upper pages are brought up to date by VACUUM only, so that in a
// table that was never vacuumed it finds nothing.
func (m *freeSpaceMap) search(category uint8, nblocks int, changed func(fsmAddress, *fsmPage)) storage.BlockNumber {
	root := fsmAddress{level: fsmRootLevel}
	a := root
	for restarts := 0; restarts <= fsmRestarts; {
		p := m.pages[a]
		slot := -1
		if p != nil {
			slot = p.search(category, a.level == 0)
		}
		switch {
		case slot >= 0 && a.level > 0:
			a = a.child(slot)
		case slot >= 0:
			if b := a.number*fsmSlots + slot; b < nblocks {
				return storage.BlockNumber(b)
			}
			// The map knows of a page that is gone.
			if p.set(slot, 0) {
				changed(a, p)
			}
			a = root
			restarts++
		case a.level == fsmRootLevel:
			return storage.InvalidBlock
		default:
			// The page above promised more than there is: correct it.
			parent, parentSlot := a.parent()
			var best uint8
			if p != nil {
				best = p.nodes[0]
			}
			if up := m.page(parent); up.set(parentSlot, best) {
				changed(parent, up)
			}
			a = root
			restarts++
		}
	}
	return storage.InvalidBlock
}

// set gives a slot its category and renews the maxima above it. It returns false
// if nothing changed.
func (p *fsmPage) set(slot int, category uint8) bool {
	n := fsmNonLeaf + slot
	if p.nodes[n] == category && category <= p.nodes[0] {
		return false
	}
	p.nodes[n] = category
	for n > 0 {
		n = (n - 1) / 2
		best := p.nodes[2*n+1]
		if r := 2*n + 2; r < fsmNodes {
			best = max(best, p.nodes[r])
		}
		if p.nodes[n] == best {
			break
		}
		p.nodes[n] = best
	}
	return true
}

// search returns a slot of at least the given category, or -1. It begins at the
// slot after the one found last and looks to the right in ever larger
// subtrees, wrapping around at the end of a level. advance moves the starting
// point past the slot found.
func (p *fsmPage) search(category uint8, advance bool) int {
	if p.nodes[0] < category {
		return -1
	}
	start := p.next
	if start < 0 || start >= fsmSlots {
		start = 0
	}
	n := fsmNonLeaf + start
	for n > 0 && p.nodes[n] < category {
		n++
		// Past the end of a level is the first node of the next one: its
		// parent is the first node of the level just left.
		if (n+1)&n == 0 {
			n = (n - 1) / 2
		}
		n = (n - 1) / 2
	}
	for n < fsmNonLeaf {
		n = 2*n + 1
		if n >= fsmNodes || p.nodes[n] < category {
			n++
		}
	}
	slot := n - fsmNonLeaf
	p.next = slot
	if advance {
		p.next++
	}
	return slot
}
