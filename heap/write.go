package heap

// Writing records about pages, and what marks them as changed.

import (
	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// initializes says whether a record of a type initializes its page, which then
// needs no image.
func initializes(typ wal.RecordType) bool {
	return typ == wal.HeapInsertInit || typ == wal.Heap2MultiInsertInit || typ == wal.HeapUpdateInit || typ == wal.HeapHotUpdateInit
}

// write writes a record about page p with so many bytes of block data and extra
// main data.
func (t *Table) write(typ wal.RecordType, p *page, data, extra int) {
	t.writeWith(typ, p, data, extra, 0, wal.Image{})
}

// writeWith is write for a record that refers to another page too: refs is what
// that takes, and images that page's image. If the record carries the image of p,
// p's block data is left out, except where logical decoding needs the tuple.
func (t *Table) writeWith(typ wal.RecordType, p *page, data, extra, refs int, images wal.Image) {
	p.dirty = true
	own := wal.Image{}
	if t.log.NeedsImage(p.lsn) && !initializes(typ) {
		own = t.log.ImageOf(p.lsn, image{t, p})
		images.Add(own)
		if !t.opts.Logical || typ.Cleaning() {
			data = 0
		}
	}
	for _, v := range t.cleared {
		images.Add(t.log.ImageOf(v.lsn, v))
		refs += wal.ExtraBlockRef
	}
	if t.passed != nil {
		t.passed.changed(p.block)
	}
	if d := t.log.Detail(); d != nil {
		d.First(wal.BlockRef{Block: p.block, Role: "heap page", Init: initializes(typ), Image: own}, data == 0)
		for _, v := range t.cleared {
			d.Other(wal.BlockRef{ID: t.mapBlockID(typ), Fork: forkVM, Block: storage.BlockNumber(v.n), Role: "visibility map", Image: t.log.ImageOf(v.lsn, v)})
		}
	}
	p.lsn = t.log.InsertImages(typ, t.rel, p.block, data+refs, extra, images)
	for _, v := range t.cleared {
		v.lsn = p.lsn
	}
	t.cleared = t.cleared[:0]
}

// mapBlockID is the number of the block of a record that refers to a page of the
// visibility map: behind the heap page; in an update behind both heap pages, first that of
// the new version's page, then that of the old one's, whether or not the other is there
// (seen on 18.6).
func (t *Table) mapBlockID(typ wal.RecordType) int {
	switch typ {
	case wal.HeapUpdate, wal.HeapUpdateInit, wal.HeapHotUpdate, wal.HeapHotUpdateInit:
		if !t.clearedNew {
			return 3
		}
		return 2
	}
	return 1
}

// dirtyHint marks a page as changed by a hint that needs no record, unless the
// page is clean and changes of hints are logged (MarkBufferDirtyHint).
func (t *Table) dirtyHint(p *page) {
	if p.dirty {
		return
	}
	lsn := t.log.Hint(t.rel, 0, p.block, p.lsn, image{t, p})
	if lsn != p.lsn && t.passed != nil {
		// The LSN covers commits that versions of the page may have waited for.
		t.passed.changed(p.block)
	}
	p.lsn, p.dirty = lsn, true
}

// SetLSNs sets the LSNs of the pages that are there, from block 0 on, to what
// they were before the run. The pages count as written to disk.
func (t *Table) SetLSNs(lsns []wal.LSN) {
	for i := range min(len(lsns), t.pages.n) {
		p := t.pages.at(storage.BlockNumber(i))
		p.lsn, p.dirty = lsns[i], false
	}
}

// SetMapLSNs is SetLSNs for the free space map and the visibility map.
func (t *Table) SetMapLSNs(space, visibility []wal.LSN) {
	t.fsm.SetLSNs(space)
	for i := range min(len(visibility), len(t.vm.pages)) {
		t.vm.pages[i].lsn, t.vm.pages[i].dirty = visibility[i], false
	}
}

// Age makes all pages count as written to disk long before the run.
func (t *Table) Age() {
	for i := range t.pages.n {
		t.pages.at(storage.BlockNumber(i)).lsn = 0
	}
	for i := range t.vm.pages {
		t.vm.pages[i].lsn = 0
	}
	t.Clean()
	t.target = storage.InvalidBlock
}

// Clean notes that a checkpoint has written all pages.
func (t *Table) Clean() {
	for i := range t.pages.n {
		t.pages.at(storage.BlockNumber(i)).dirty = false
	}
	t.fsm.Clean()
	for i := range t.vm.pages {
		t.vm.pages[i].dirty = false
	}
}

// Forks of a relation.
const forkFSM = 1

// Dirty is the number of pages that were changed since a checkpoint has written them, maps
// included.
func (t *Table) Dirty() int {
	n := t.fsm.Dirty()
	for i := range t.pages.n {
		if t.pages.at(storage.BlockNumber(i)).dirty {
			n++
		}
	}
	for i := range t.vm.pages {
		if t.vm.pages[i].dirty {
			n++
		}
	}
	return n
}

// dirtyFSM marks a page of the free space map as changed. Its changes are hints,
// so that a page that is clean may have to be logged.
func (t *Table) dirtyFSM(block storage.BlockNumber, p *fsm.Page) {
	if p.Dirty {
		return
	}
	p.Checksum = t.log.MapChecksum(block)
	p.LSN = t.log.Hint(t.rel, forkFSM, block, p.LSN, p)
	p.Dirty = true
}
