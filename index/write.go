package index

// Writing records about pages, pages byte for byte, after nbtpage.c and
// nbtree.h.

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// Bits of btpo_flags and of IndexTupleData.t_info. Sources: REL_18_1,
// src/include/access/nbtree.h and itup.h.
const (
	btpLeaf            = 1 << 0 // BTP_LEAF
	btpRoot            = 1 << 1 // BTP_ROOT
	btpDeleted         = 1 << 2 // BTP_DELETED
	btpHasGarbage      = 1 << 6 // BTP_HAS_GARBAGE
	btpIncompleteSplit = 1 << 7 // BTP_INCOMPLETE_SPLIT
	btpHasFullXID      = 1 << 8 // BTP_HAS_FULLXID

	sizeOfDeletedData = 8 // sizeof(BTDeletedPageData)

	infoAltTID  = 0x2000 // INDEX_ALT_TID_MASK
	infoVarMask = 0x4000 // INDEX_VAR_MASK
	infoNulls   = 0x8000 // INDEX_NULL_MASK

	lpNormal = 1
	lpDead   = 3
)

// write writes a record about page p with so many bytes of block data.
func (t *BTree) write(typ wal.RecordType, p *page, data int) {
	if t.log.NeedsImage(p.lsn) {
		t.writeWith(typ, p, data, 0, wal.Image{})
		return
	}
	p.dirty = true
	if d := t.log.Detail(); d != nil {
		t.nameData(d, typ, p, data, wal.Image{})
	}
	p.lsn = t.log.Insert(typ, t.rel, p.block, data)
}

// writeWith is write for a record that refers to other pages too: others is what
// that takes and carries, and images those pages' images. If the record carries
// the image of p, p's block data is left out.
func (t *BTree) writeWith(typ wal.RecordType, p *page, data, others int, images wal.Image) {
	p.dirty = true
	own := wal.Image{}
	if t.log.NeedsImage(p.lsn) {
		own = t.imageOf(p)
		images.Add(own)
		data = 0
	}
	if d := t.log.Detail(); d != nil {
		t.nameData(d, typ, p, data, own)
	}
	p.lsn = t.log.InsertImages(typ, t.rel, p.block, data+others, 0, images)
}

func (t *BTree) imageOf(p *page) wal.Image { return t.log.ImageOf(p.lsn, image{t, p}) }

// dirtyHint marks a page as changed by a hint that needs no record, unless the
// page is clean and changes of hints are logged (MarkBufferDirtyHint).
func (t *BTree) dirtyHint(p *page) {
	if p.dirty {
		return
	}
	p.lsn = t.log.Hint(t.rel, 0, p.block, p.lsn, image{t, p})
	p.dirty = true
}

// SetLSNs sets the LSNs of the pages that are there, from the metapage on, to
// what they were before the run. The pages count as written to disk.
func (t *BTree) SetLSNs(lsns []wal.LSN) {
	if len(lsns) > 0 {
		t.metaLSN = lsns[0]
	}
	for i := 1; i < min(len(lsns), len(t.pages)); i++ {
		t.pages[i].lsn, t.pages[i].dirty = lsns[i], false
	}
	if t.checksums && t.loaded != nil {
		for _, p := range t.pages[1:] {
			t.sum(p)
		}
	}
}

// sum gives a page that was built its checksum, unless it has not been made. Pages of an
// index that was built go to disk with their checksums and are read from there, while
// others get theirs on the way to the disk, in a copy (bulk_write.c,
// smgr_bulk_flush; bufmgr.c, FlushBuffer). What reaches a page later leaves it as it is.
func (t *BTree) sum(p *page) {
	if p.sorted == virtual {
		return
	}
	var b [storage.PageSize]byte
	p.checksum = 0
	image{t, p}.Bytes(&b)
	p.checksum = storage.Checksum(&b, p.block)
}

// makeSummed makes a leaf before a change of what its checksum covers.
func (t *BTree) makeSummed(p *page) {
	if t.checksums && p.sorted == virtual {
		t.settle(p)
	}
}

// Age makes all pages count as written to disk long before the run.
func (t *BTree) Age() {
	t.metaLSN = 0
	for _, p := range t.pages[1:] {
		p.lsn, p.dirty = 0, false
	}
	t.fsm.Clean()
}

// Clean notes that a checkpoint has written all pages.
func (t *BTree) Clean() {
	for _, p := range t.pages[1:] {
		p.dirty = false
	}
	t.fsm.Clean()
}

// Dirty is the number of pages that were changed since a checkpoint has written them.
func (t *BTree) Dirty() int {
	n := t.fsm.Dirty()
	for _, p := range t.pages[1:] {
		if p.dirty {
			n++
		}
	}
	return n
}

// image is a page as wal.Page.
type image struct {
	t *BTree
	p *page
}

// Hole is the space between line pointers and items.
func (i image) Hole() (lower, upper int) {
	i.t.settle(i.p)
	lower = storage.PageHeaderSize + storage.LinePointerSize*(len(i.p.items)+i.p.first())
	return lower, lower + i.p.free
}

// Bytes writes the page as it is on disk; a checksum it has only if the page was built.
// Items lie in the order in which they arrived, from the page's end.
func (i image) Bytes(dst *[storage.PageSize]byte) {
	t, p := i.t, i.p
	if p.deleted {
		t.deletedBytes(dst, p)
		return
	}
	t.settle(p)
	*dst = [storage.PageSize]byte{}
	lower, upper := i.Hole()
	storage.PutPageHeader(dst, t.log.PageLSN(p.lsn), 0, lower, upper, storage.PageSize-specialSize, 0)
	storage.PutChecksum(dst, p.checksum)

	flags := 0
	if p.block == t.root {
		flags |= btpRoot
	}
	if p.garbage {
		flags |= btpHasGarbage
	}
	if p.incomplete {
		flags |= btpIncompleteSplit
	}
	p.putSpecial(dst, flags)

	at := storage.PageSize - specialSize
	offsets := make([]int, len(p.items))
	putHigh := func() {
		at -= t.size(p, &p.high)
		t.itemBytes(dst[at:], p, &p.high, p.highLo, true)
		storage.PutLinePointer(dst, 0, at, lpNormal, t.size(p, &p.high))
	}
	for n := range p.items {
		if p.hasHigh && n == int(p.highAt) {
			putHigh()
		}
		at -= t.size(p, &p.items[n])
		offsets[n] = at
		t.itemBytes(dst[at:], p, &p.items[n], p.lo(uint16(n)), !p.leaf())
	}
	if p.hasHigh && len(p.items) <= int(p.highAt) {
		putHigh()
	}
	for k := range p.items {
		n := p.nth(k)
		state := lpNormal
		if p.items[n].dead() {
			state = lpDead
		}
		storage.PutLinePointer(dst, k+p.first(), offsets[n], state, t.size(p, &p.items[n]))
	}
}

// putSpecial writes a page's special space; flags are those beside BTP_LEAF.
func (p *page) putSpecial(dst *[storage.PageSize]byte, flags int) {
	le := binary.LittleEndian
	special := dst[storage.PageSize-specialSize:]
	le.PutUint32(special[0:], sibling(p.prev))
	le.PutUint32(special[4:], sibling(p.next))
	le.PutUint32(special[8:], uint32(p.level))
	if p.leaf() {
		flags |= btpLeaf
	}
	le.PutUint16(special[12:], uint16(flags))
}

// deletedBytes writes a page that is out of the tree: the transaction id that says
// when, with the epoch, stands in the place of line pointers (BTPageSetDeleted).
func (t *BTree) deletedBytes(dst *[storage.PageSize]byte, p *page) {
	*dst = [storage.PageSize]byte{}
	lower := storage.PageHeaderSize + sizeOfDeletedData
	storage.PutPageHeader(dst, t.log.PageLSN(p.lsn), 0, lower, storage.PageSize-specialSize, storage.PageSize-specialSize, 0)
	binary.LittleEndian.PutUint32(dst[storage.PageHeaderSize:], p.deleteXID)
	p.putSpecial(dst, btpDeleted|btpHasFullXID)
}

// sibling is a page's link as it is stored: 0 for none.
func sibling(b storage.BlockNumber) uint32 {
	if b == storage.InvalidBlock {
		return 0
	}
	return uint32(b)
}

// itemBytes writes an index tuple.
func (t *BTree) itemBytes(dst []byte, p *page, it *item, lo uint64, pivot bool) {
	le := binary.LittleEndian
	size := t.size(p, it)
	info := size
	block, offset := it.block, it.offset&^deadBit
	var e entry
	if it.ref == 0 {
		e = entry{size: size, flags: entryWhole, natts: len(t.attrs)}
	} else {
		e = p.entry(it.ref)
	}
	at := tupleHeaderSize
	switch {
	case pivot:
		info |= infoAltTID
		offset = storage.OffsetNumber(e.natts)
		if e.flags&entryPivotTID != 0 {
			offset |= pivotHeapTIDAttr
			storage.PutTID(dst[size-storage.TIDSize:], e.tid)
		}
	case e.flags&entryPosting != 0:
		info |= infoAltTID
		block = storage.BlockNumber(e.size)
		offset = storage.OffsetNumber(len(e.tids)/storage.TIDSize) | isPosting
		for i := 0; i < len(e.tids); i += storage.TIDSize {
			storage.PutTID(dst[e.size+i:], getTID(e.tids[i:]))
		}
	}
	if e.flags&entryNulls != 0 {
		info |= infoNulls
		for i := range e.natts {
			if e.nulls>>i&1 == 0 {
				dst[at+i/8] |= 1 << (i % 8)
			}
		}
		at += nullBitmapSize
	}
	for i := range e.natts {
		if t.attrs[i].Len < 0 && e.nulls>>i&1 == 0 {
			info |= infoVarMask
		}
	}
	storage.PutTID(dst, storage.TID{Block: block, Offset: offset})
	le.PutUint16(dst[6:], uint16(info))
	if e.flags&entryWhole != 0 {
		// In memory of its own, for what is appended is padded beyond its end.
		var data [maxWhole]byte
		copy(dst[at:size], t.appendWhole(data[:0], abbrev{it.hi, lo}, e.natts))
	} else {
		copy(dst[at:], e.data)
	}
}
