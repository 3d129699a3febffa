// Package fsm models the free space map of a relation: how much room each page
// has, in steps of 32 bytes, and in which order pages with room are found.
//
// The map is a tree of pages, three levels high. Each page is a binary tree of
// maxima over its slots; a leaf's slots are pages of the relation, an upper page's
// slots are pages of the map. A page that is recorded changes its leaf at once,
// the pages above only when VACUUM brings them up to date.
//
// Indexes use a map of the same kind for pages that can be used again.
package fsm

// After freespace.c, fsmpage.c and indexfsm.c.

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// The shape of the map. Sources: REL_18_1, src/include/storage/fsm_internals.h
// and src/backend/storage/freespace/freespace.c.
const (
	nodesPerPage = storage.PageSize - storage.PageHeaderSize - 4 // NodesPerPage
	nonLeafNodes = storage.PageSize/2 - 1                        // NonLeafNodesPerPage
	slotsPerPage = nodesPerPage - nonLeafNodes                   // SlotsPerFSMPage
	rootLevel    = 2                                             // FSM_ROOT_LEVEL
	categoryStep = 32                                            // FSM_CAT_STEP: bytes of free space per category
	maxRequest   = 8160                                          // MaxFSMRequestSize
	maxRestarts  = 10000                                         // how often a search starts over before it gives up
)

// address names a page of the map: its level (0 for leaves) and its number
// on that level.
type address struct {
	level, number int
}

// Page is one page of the map: a binary tree of maxima over its slots,
// stored as an array, and the slot where the next search begins.
type Page struct {
	nodes [nodesPerPage]uint8
	next  int // fp_next_slot

	LSN      wal.LSN
	Dirty    bool   // changed since the last checkpoint has written it
	Checksum uint16 // that stands in its header
}

// Hole is empty: a page of the map has no standard layout.
func (p *Page) Hole() (lower, upper int) { return 0, 0 }

// Bytes writes the page as it is in memory.
func (p *Page) Bytes(dst *[storage.PageSize]byte) {
	*dst = [storage.PageSize]byte{}
	storage.PutPageHeader(dst, uint64(p.LSN), 0, storage.PageHeaderSize, storage.PageSize, storage.PageSize, 0)
	storage.PutChecksum(dst, p.Checksum)
	binary.LittleEndian.PutUint32(dst[storage.PageHeaderSize:], uint32(p.next))
	copy(dst[storage.PageHeaderSize+4:], p.nodes[:])
}

// physical is the page's block number in the map's fork: pages are laid out
// depth first (fsm_logical_to_physical).
func (a address) physical() storage.BlockNumber {
	leaf := a.number
	for range a.level {
		leaf *= slotsPerPage
	}
	pages := 0
	for range rootLevel + 1 {
		pages += leaf + 1
		leaf /= slotsPerPage
	}
	return storage.BlockNumber(pages - a.level - 1)
}

// Map is a relation's free space map. Pages that were never written do not
// exist; a search that reaches one finds nothing. The zero value is ready.
type Map struct {
	// Changed is called for each page of the map that has changed, with its block
	// number in the map's fork: its changes are hints, which may have to be
	// logged.
	Changed func(storage.BlockNumber, *Page)

	pages map[address]*Page
}

func (m *Map) changed(a address, p *Page) {
	if m.Changed != nil {
		m.Changed(a.physical(), p)
	}
}

// available turns free bytes into the category that is recorded, rounded down.
func available(bytes int) uint8 {
	if bytes >= maxRequest {
		return 255
	}
	return uint8(min(bytes/categoryStep, 254))
}

// needed turns a request into the category to look for, rounded up.
func needed(bytes int) uint8 {
	if bytes == 0 {
		return 1
	}
	return uint8(min((bytes+categoryStep-1)/categoryStep, 255))
}

func locate(block storage.BlockNumber) (address, int) {
	return address{0, int(block) / slotsPerPage}, int(block) % slotsPerPage
}

func (a address) parent() (address, int) {
	return address{a.level + 1, a.number / slotsPerPage}, a.number % slotsPerPage
}

func (a address) child(slot int) address {
	return address{a.level - 1, a.number*slotsPerPage + slot}
}

// page returns the page at a, made if it is not there.
func (m *Map) page(a address) *Page {
	p := m.pages[a]
	if p == nil {
		if m.pages == nil {
			m.pages = map[address]*Page{}
		}
		p = new(Page)
		m.pages[a] = p
	}
	return p
}

// Dirty is the number of pages that were changed since a checkpoint has written them.
func (m *Map) Dirty() int {
	n := 0
	for _, p := range m.pages {
		if p.Dirty {
			n++
		}
	}
	return n
}

// SetLSNs sets the LSNs of the map's pages, by their place in its fork.
func (m *Map) SetLSNs(lsns []wal.LSN) {
	for a, p := range m.pages {
		if n := a.physical(); int(n) < len(lsns) {
			p.LSN = lsns[n]
		}
	}
}

// Record notes a page's free space, in bytes (RecordPageWithFreeSpace).
func (m *Map) Record(block storage.BlockNumber, free int) {
	a, slot := locate(block)
	m.set(a, slot, available(free))
}

func (m *Map) set(a address, slot int, category uint8) {
	if p := m.page(a); p.set(slot, category) {
		m.changed(a, p)
	}
}

// Recorded says whether any free space is recorded for a page.
func (m *Map) Recorded(block storage.BlockNumber) bool {
	a, slot := locate(block)
	p := m.pages[a]
	return p != nil && p.nodes[nonLeafNodes+slot] > 0
}

// Space is the free space that is recorded for a page, in bytes.
func (m *Map) Space(block storage.BlockNumber) int {
	a, slot := locate(block)
	if p := m.pages[a]; p != nil {
		if c := int(p.nodes[nonLeafNodes+slot]); c < 255 {
			return c * categoryStep
		}
		return maxRequest
	}
	return 0
}

// RecordAndSearch notes a page's free space and looks for another page with room
// for need bytes: first on the same leaf of the map, then from the root. nblocks
// is the relation's length in pages.
func (m *Map) RecordAndSearch(block storage.BlockNumber, free, need int, nblocks int) storage.BlockNumber {
	a, slot := locate(block)
	m.set(a, slot, available(free))
	category := needed(need)
	if found := m.page(a).search(category, true); found >= 0 {
		if b := a.number*slotsPerPage + found; b < nblocks {
			return storage.BlockNumber(b)
		}
	}
	return m.search(category, nblocks)
}

// Search looks for a page with room for need bytes from the root of the map down.
// The upper pages are brought up to date by VACUUM only, so that in a relation
// that was never vacuumed it finds nothing.
func (m *Map) Search(need int, nblocks int) storage.BlockNumber {
	return m.search(needed(need), nblocks)
}

func (m *Map) search(category uint8, nblocks int) storage.BlockNumber {
	root := address{level: rootLevel}
	a := root
	for restarts := 0; restarts <= maxRestarts; {
		p := m.pages[a]
		slot := -1
		if p != nil {
			slot = p.search(category, a.level == 0)
		}
		switch {
		case slot >= 0 && a.level > 0:
			a = a.child(slot)
		case slot >= 0:
			if b := a.number*slotsPerPage + slot; b < nblocks {
				return storage.BlockNumber(b)
			}
			// The map knows of a page that is gone.
			m.set(a, slot, 0)
			a = root
			restarts++
		case a.level == rootLevel:
			return storage.InvalidBlock
		default:
			// The page above promised more than there is: correct it.
			parent, parentSlot := a.parent()
			var best uint8
			if p != nil {
				best = p.nodes[0]
			}
			m.set(parent, parentSlot, best)
			a = root
			restarts++
		}
	}
	return storage.InvalidBlock
}

// Vacuum brings the upper pages up to date for the relation's pages from start
// on, up to but not including end, and makes searches of all pages that it
// visits begin at their first slot (FreeSpaceMapVacuumRange).
func (m *Map) Vacuum(start, end storage.BlockNumber) {
	if end <= start || len(m.pages) == 0 {
		return
	}
	m.vacuum(address{level: rootLevel}, int(start), int(end)-1)
}

// vacuum brings a page up to date and returns its maximum. It returns false if
// the map ends before the page.
func (m *Map) vacuum(a address, first, last int) (uint8, bool) {
	if !m.exists(a) {
		return 0, false
	}
	p := m.page(a)
	if a.level > 0 {
		span := 1 // relation pages below each slot
		for range a.level {
			span *= slotsPerPage
		}
		base := a.number * slotsPerPage
		from, to := max(first/span-base, 0), min(last/span-base, slotsPerPage-1)
		there := true
		for slot := from; slot <= to; slot++ {
			var best uint8
			if there {
				best, there = m.vacuum(a.child(slot), first, last)
			}
			if p.nodes[nonLeafNodes+slot] != best && p.set(slot, best) {
				m.changed(a, p)
			}
		}
	}
	p.next = 0
	return p.nodes[0], true
}

// exists says whether the map's fork is long enough to have a page: pages are
// laid out depth first, and one that is written brings all before it along.
func (m *Map) exists(a address) bool {
	at := a.physical()
	for b := range m.pages {
		if b.physical() >= at {
			return true
		}
	}
	return false
}

// Truncate forgets all pages of the relation from nblocks on. It returns the map's
// last page, with its block number, if a part of that stays; and whether upper
// pages must be brought up to date (FreeSpaceMapPrepareTruncateRel).
func (m *Map) Truncate(nblocks storage.BlockNumber) (last *Page, block storage.BlockNumber, cut bool) {
	a, slot := locate(nblocks)
	if len(m.pages) == 0 || !m.exists(a) {
		return nil, 0, false
	}
	keep := a.physical() // pages of the map that stay
	if slot > 0 {
		last, block = m.page(a), keep
		keep++
		for s := slot; s < slotsPerPage; s++ {
			last.set(s, 0)
		}
	}
	for b := range m.pages {
		if b.physical() >= keep {
			delete(m.pages, b)
		}
	}
	return last, block, true
}

// Clean notes that a checkpoint has written all pages.
func (m *Map) Clean() {
	for _, p := range m.pages {
		p.Dirty = false
	}
}

// Pages is the number of pages that were written.
func (m *Map) Pages() int { return len(m.pages) }

// set gives a slot its category and renews the maxima above it. It returns false
// if nothing changed.
func (p *Page) set(slot int, category uint8) bool {
	n := nonLeafNodes + slot
	if p.nodes[n] == category && category <= p.nodes[0] {
		return false
	}
	p.nodes[n] = category
	for n > 0 {
		n = (n - 1) / 2
		best := p.nodes[2*n+1]
		if r := 2*n + 2; r < nodesPerPage {
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
func (p *Page) search(category uint8, advance bool) int {
	if p.nodes[0] < category {
		return -1
	}
	start := p.next
	if start < 0 || start >= slotsPerPage {
		start = 0
	}
	n := nonLeafNodes + start
	for n > 0 && p.nodes[n] < category {
		n++
		// Past the end of a level is the first node of the next one: its
		// parent is the first node of the level just left.
		if (n+1)&n == 0 {
			n = (n - 1) / 2
		}
		n = (n - 1) / 2
	}
	for n < nonLeafNodes {
		n = 2*n + 1
		if n >= nodesPerPage || p.nodes[n] < category {
			n++
		}
	}
	slot := n - nonLeafNodes
	p.next = slot
	if advance {
		p.next++
	}
	return slot
}
