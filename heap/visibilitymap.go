package heap

// The visibility map, after visibilitymap.c.

import (
	"slices"

	"applysim/wal"
	"applysim/wal/storage"
)

// Bits of the map, two for each heap page. Source: REL_18_1,
// src/include/access/visibilitymapdefs.h.
const (
	vmAllVisible = 1
	vmAllFrozen  = 2

	vmBlocksPerPage = (storage.PageSize - storage.PageHeaderSize) * 4 // HEAPBLOCKS_PER_PAGE
	forkVM          = 2
)

// visibilityMap is a table's visibility map.
type visibilityMap struct {
	bits  []uint8 // by heap page
	pages []vmPage
}

// vmPage is what is kept of a page of the map beside its bits.
type vmPage struct {
	m     *visibilityMap
	n     int
	lsn   wal.LSN
	dirty bool
	sum   uint16 // the checksum that stands in its header
}

// Hole is empty: a page of the map has no standard layout.
func (p *vmPage) Hole() (lower, upper int) { return 0, 0 }

// Bytes writes the page as it is in memory.
func (p *vmPage) Bytes(dst *[storage.PageSize]byte) {
	*dst = [storage.PageSize]byte{}
	storage.PutPageHeader(dst, uint64(p.lsn), 0, storage.PageHeaderSize, storage.PageSize, storage.PageSize, 0)
	storage.PutChecksum(dst, p.sum)
	bits := p.m.bits[min(p.n*vmBlocksPerPage, len(p.m.bits)):]
	for i, b := range bits[:min(len(bits), vmBlocksPerPage)] {
		dst[storage.PageHeaderSize+i/4] |= b << (i % 4 * 2)
	}
}

// get returns the bits of a heap page.
func (m *visibilityMap) get(block storage.BlockNumber) uint8 {
	if int(block) >= len(m.bits) {
		return 0
	}
	return m.bits[block]
}

// AllVisible is the number of pages that are marked as all-visible.
func (t *Table) AllVisible() int { return t.vm.marked(vmAllVisible) }

// AllFrozen is the number of pages that are marked as all-frozen.
func (t *Table) AllFrozen() int { return t.vm.marked(vmAllFrozen) }

// marked counts the heap pages with a bit (visibilitymap_count).
func (m *visibilityMap) marked(bit uint8) int {
	n := 0
	for _, b := range m.bits {
		if b&bit != 0 {
			n++
		}
	}
	return n
}

// page returns the map's page for a heap page, made if it is not there.
func (m *visibilityMap) page(block storage.BlockNumber) *vmPage {
	n := int(block) / vmBlocksPerPage
	for len(m.pages) <= n {
		m.pages = append(m.pages, vmPage{m: m, n: len(m.pages)})
	}
	return &m.pages[n]
}

// clearBits takes bits of a heap page away, and says whether it had them. It writes no
// record: whoever changes the heap page says so in its own.
func (t *Table) clearBits(block storage.BlockNumber, bits uint8) (cleared bool) {
	m := &t.vm
	if m.get(block)&bits == 0 {
		return false
	}
	m.bits[block] &^= bits
	v := m.page(block)
	v.dirty = true
	if t.xacts.ServerMinor >= releaseVisibilityLogged && !slices.Contains(t.cleared, v) {
		t.cleared = append(t.cleared, v)
	}
	return true
}

// clearVisible notes that a page gets a change that not everybody sees yet, and says
// whether everybody saw all of it before.
func (t *Table) clearVisible(p *page) (cleared bool) {
	if !p.allVisible {
		return false
	}
	p.allVisible = false
	t.clearBits(p.block, vmAllVisible|vmAllFrozen)
	return true
}

// setVisible sets bits of a heap page in the map and writes the record
// (visibilitymap_set). The heap page must be marked already.
func (t *Table) setVisible(p *page, bits uint8) {
	if t.vm.get(p.block) == bits {
		return
	}
	for len(t.vm.bits) <= int(p.block) {
		t.vm.bits = append(t.vm.bits, 0)
	}
	t.vm.bits[p.block] = bits
	v := t.vm.page(p.block)
	v.dirty, v.sum = true, t.log.MapChecksum(storage.BlockNumber(v.n))
	images := t.log.ImageOf(v.lsn, v)
	d := t.log.Detail()
	if d != nil {
		d.First(wal.BlockRef{Fork: forkVM, Block: storage.BlockNumber(v.n), Role: "visibility map", Image: images}, false)
	}
	hints := t.log.HintsLogged()
	if hints {
		images.Add(t.log.ImageOf(p.lsn, image{t, p}))
	}
	if d != nil {
		b := wal.BlockRef{ID: 1, Block: p.block, Role: "heap page"}
		if hints {
			b.Image = t.log.ImageOf(p.lsn, image{t, p})
		}
		d.Other(b)
		d.Describe("snapshotConflictHorizon: %d, flags: 0x%02X", p.newestXmin(), bits)
	}
	v.lsn = t.log.InsertFork(wal.Heap2Visible, t.rel, forkVM, storage.BlockNumber(v.n), images)
	if hints {
		p.lsn = v.lsn
		if t.passed != nil {
			t.passed.changed(p.block)
		}
	}
}
