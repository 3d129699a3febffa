package index

// Pages of a BRIN index, after brin_pageops.c, brin_revmap.c and bufpage.c.

import (
	"encoding/binary"
	"fmt"

	"applysim/wal"
	"applysim/wal/storage"
)

// Sources: REL_18_1, src/include/access/brin_page.h.
const (
	brinSpecial    = 8
	brinMeta       = 0xF091 // BRIN_PAGETYPE_META
	brinRevmap     = 0xF092 // BRIN_PAGETYPE_REVMAP
	brinRegular    = 0xF093 // BRIN_PAGETYPE_REGULAR
	brinEvacuate   = 1      // BRIN_EVACUATE_PAGE
	brinMetaSize   = 16     // sizeof(BrinMetaPageData)
	brinMagic      = 0xA8109CFA
	brinVersion    = 1
	brinUpper      = storage.PageSize - brinSpecial
	brinMaxItem    = brinUpper - (storage.PageHeaderSize + storage.LinePointerSize + 4) // BrinMaxItemSize
	brinMapEntries = (brinUpper - storage.PageHeaderSize) / storage.TIDSize             // REVMAP_PAGE_MAXITEMS
)

// brinBlock is a page as it is on disk, but for its LSN and checksum.
type brinBlock struct {
	lsn          wal.LSN
	kind         uint16
	flags        uint16
	lower, upper int
	items        []brinItem // line pointers of a regular page
	data         [storage.PageSize]byte
}

// brinItem is a line pointer; size 0 is an unused one.
type brinItem struct{ at, size int }

func newBrinBlock(kind uint16) *brinBlock {
	b := &brinBlock{kind: kind, lower: storage.PageHeaderSize, upper: brinUpper}
	if kind == brinMeta {
		b.lower += brinMetaSize
	}
	return b
}

// Hole is between line pointers and items. Pages of the range map are registered as
// ones without a hole.
func (b *brinBlock) Hole() (lower, upper int) {
	if b.kind == brinRevmap {
		return 0, 0
	}
	return b.lower, b.upper
}

// Bytes writes the page as it is on disk, checksum left out.
func (b *brinBlock) Bytes(dst *[storage.PageSize]byte) {
	*dst = b.data
	storage.PutPageHeader(dst, uint64(b.lsn), 0, b.lower, b.upper, brinUpper, 0)
	for i, item := range b.items {
		if item.size == 0 {
			storage.PutLinePointer(dst, i, 0, 0, 0)
			continue
		}
		storage.PutLinePointer(dst, i, item.at, lpNormal, item.size)
	}
	binary.LittleEndian.PutUint16(dst[storage.PageSize-4:], b.flags)
	binary.LittleEndian.PutUint16(dst[storage.PageSize-2:], b.kind)
}

// exact is PageGetExactFreeSpace.
func (b *brinBlock) exact() int { return b.upper - b.lower }

// space is br_page_get_freespace.
func (b *brinBlock) space() int {
	if b.kind != brinRegular || b.flags&brinEvacuate != 0 {
		return 0
	}
	return max(0, b.exact()-storage.LinePointerSize)
}

// add puts an item on the page (PageAddItem) and returns its offset, 0-based.
func (b *brinBlock) add(tuple []byte) int {
	b.upper -= len(tuple)
	b.lower += storage.LinePointerSize
	copy(b.data[b.upper:], tuple)
	b.items = append(b.items, brinItem{b.upper, len(tuple)})
	return len(b.items) - 1
}

// overwrite replaces an item; those in front of it move (PageIndexTupleOverwrite).
func (b *brinBlock) overwrite(n int, tuple []byte) {
	item := b.items[n]
	b.shift(item.at, item.size-len(tuple))
	b.items[n].size = len(tuple)
	copy(b.data[b.items[n].at:], tuple)
}

// remove takes an item away (PageIndexTupleDeleteNoCompact).
func (b *brinBlock) remove(n int) {
	item := b.items[n]
	b.items[n] = brinItem{}
	if n == len(b.items)-1 {
		b.items = b.items[:n]
		b.lower -= storage.LinePointerSize
	}
	b.shift(item.at, item.size)
}

// shift moves what is in front of at, and the items that begin there or before, by so
// many bytes to the end of the page.
func (b *brinBlock) shift(at, by int) {
	copy(b.data[b.upper+by:at+by], b.data[b.upper:at])
	b.upper += by
	for i := range b.items {
		if b.items[i].size > 0 && b.items[i].at <= at {
			b.items[i].at += by
		}
	}
}

// image is what the image of a block adds to a record, if it needs one.
func (x *BRIN) image(b *brinBlock) wal.Image { return x.log.ImageOf(b.lsn, b) }

// putNew gives a range its first summary, which is a placeholder, or that of an empty
// table (brin_doinsert).
func (x *BRIN) putNew(n int, summary []minmax, target *storage.BlockNumber) {
	x.put(n, summary, true, false, target)
}

// put is putNew for a summary that may be that of rows: empty says that there are none,
// built that the index is being built, which needs no placeholders.
func (x *BRIN) put(n int, summary []minmax, empty, built bool, target *storage.BlockNumber) {
	x.extendMap(n, target)
	for len(x.ranges) <= n {
		x.ranges = append(x.ranges, brinRange{})
	}
	r := &x.ranges[n]
	r.summary, r.empty = summary, empty
	tuple := x.tuple(n)
	if len(x.blocks) > 1+x.maps && !built { // not the one of an empty table
		tuple[4] |= brinPlaceholder
	}
	block, extended := x.insertBlock(storage.InvalidBlock, len(tuple), target)
	b, m := x.blocks[block], x.blocks[1+n/brinMapEntries]
	r.block, r.offset = block, b.add(tuple)
	x.setMap(n, r.block, r.offset)
	images, data, typ := wal.Image{}, len(tuple), wal.BrinInsert
	if extended {
		typ = wal.BrinInsertInit
	} else if images = x.image(b); images.Header > 0 {
		data = 0
	}
	images.Add(x.image(m))
	if d := x.log.Detail(); d != nil {
		x.nameSummary(d, block, b, m, extended, data)
		d.Describe("heapBlk %d pagesPerRange %d offnum %d", n*x.pages, x.pages, r.offset+1)
	}
	b.lsn = x.log.InsertImages(typ, x.rel, block, data, 0, images)
	m.lsn = b.lsn
	x.noteExtended(block, extended)
}

// replace writes the summary of a range anew: in place if there is room, else on
// another page (brin_doupdate).
func (x *BRIN) replace(n int, target *storage.BlockNumber) error {
	r := &x.ranges[n]
	tuple := x.tuple(n)
	if len(tuple) > brinMaxItem {
		return fmt.Errorf("index row size %d exceeds maximum %d for index \"%s\"", len(tuple), brinMaxItem, x.log.Name(x.rel))
	}
	x.move(n, tuple, len(tuple) <= x.blocks[r.block].items[r.offset].size ||
		x.blocks[r.block].exact() >= len(tuple)-x.blocks[r.block].items[r.offset].size, target)
	return nil
}

// move is brin_doupdate for a given item.
func (x *BRIN) move(n int, tuple []byte, same bool, target *storage.BlockNumber) {
	r := &x.ranges[n]
	x.extendMap(n, target)
	old := x.blocks[r.block]
	if same {
		old.overwrite(r.offset, tuple)
		data, images := len(tuple), x.image(old)
		if images.Header > 0 {
			data = 0
		}
		if d := x.log.Detail(); d != nil {
			d.Data("summary of the range", data)
			d.First(wal.BlockRef{Block: r.block, Role: "page of summaries", Image: x.image(old)}, false)
			d.Describe("offnum %d", r.offset+1)
		}
		old.lsn = x.log.InsertImages(wal.BrinSamepageUpdate, x.rel, r.block, data, 0, images)
		return
	}
	from, left := r.block, r.offset
	block, extended := x.insertBlock(from, len(tuple), target)
	b, m := x.blocks[block], x.blocks[1+n/brinMapEntries]
	old.remove(r.offset)
	r.block, r.offset = block, b.add(tuple)
	x.setMap(n, r.block, r.offset)
	images, data, typ := wal.Image{}, len(tuple), wal.BrinUpdate
	if extended {
		typ = wal.BrinUpdateInit
	} else if images = x.image(b); images.Header > 0 {
		data = 0
	}
	images.Add(x.image(m))
	images.Add(x.image(old))
	if d := x.log.Detail(); d != nil {
		x.nameSummary(d, block, b, m, extended, data)
		d.Other(wal.BlockRef{ID: 2, Block: from, Role: "page that the summary leaves", Image: x.image(old)})
		d.Describe("heapBlk %d pagesPerRange %d old offnum %d, new offnum %d", n*x.pages, x.pages, left+1, r.offset+1)
	}
	b.lsn = x.log.InsertImages(typ, x.rel, block, data, 0, images)
	m.lsn, old.lsn = b.lsn, b.lsn
	x.noteExtended(block, extended)
}

// insertBlock finds a page with room for a summary (brin_getinsertbuffer). old is the
// page that it leaves, which does not count.
func (x *BRIN) insertBlock(old storage.BlockNumber, size int, target *storage.BlockNumber) (block storage.BlockNumber, extended bool) {
	block = *target
	if block == storage.InvalidBlock {
		block = x.fsm.Search(size, len(x.blocks))
	}
	for block != storage.InvalidBlock {
		if free := x.blocks[block].space(); free >= size {
			*target = block
			return block, false
		} else {
			block = x.fsm.RecordAndSearch(block, free, size, len(x.blocks))
		}
	}
	x.blocks = append(x.blocks, newBrinBlock(brinRegular))
	*target = storage.BlockNumber(len(x.blocks) - 1)
	return *target, true
}

// noteExtended enters a page that was added into the free space map.
func (x *BRIN) noteExtended(block storage.BlockNumber, extended bool) {
	if extended {
		x.fsm.Record(block, x.blocks[block].space())
		x.fsm.Vacuum(block, block+1)
	}
}

// setMap notes in the range map where the summary of a range is.
func (x *BRIN) setMap(n int, block storage.BlockNumber, offset int) {
	m := x.blocks[1+n/brinMapEntries]
	at := storage.PageHeaderSize + n%brinMapEntries*storage.TIDSize
	binary.LittleEndian.PutUint16(m.data[at:], uint16(block>>16))
	binary.LittleEndian.PutUint16(m.data[at+2:], uint16(block))
	binary.LittleEndian.PutUint16(m.data[at+4:], uint16(offset+1))
}

// describe writes what the metapage says of the index.
func (x *BRIN) describe(meta *brinBlock) {
	b := meta.data[storage.PageHeaderSize:]
	binary.LittleEndian.PutUint32(b, brinMagic)
	binary.LittleEndian.PutUint32(b[4:], brinVersion)
	binary.LittleEndian.PutUint32(b[8:], uint32(x.pages))
	binary.LittleEndian.PutUint32(b[12:], uint32(x.maps))
}

// LogInit logs the initialization fork of an index that was just emptied: a metapage
// that knows of no range map.
func (x *BRIN) LogInit(log *wal.Log, rel wal.RelID) {
	empty := BRIN{pages: x.pages}
	meta := newBrinBlock(brinMeta)
	empty.describe(meta)
	log.NewPageFork(rel, wal.ForkInit, 0, meta)
}

// extendMap makes the range map long enough for a range. The map's pages follow each
// other: a page of summaries that is in the way is evacuated first
// (revmap_physical_extend).
func (x *BRIN) extendMap(n int, target *storage.BlockNumber) {
	for x.maps < 1+n/brinMapEntries {
		next := 1 + x.maps
		if next < len(x.blocks) && x.evacuate(storage.BlockNumber(next), target) {
			continue
		}
		x.maps++
		m := newBrinBlock(brinRevmap)
		if next < len(x.blocks) {
			x.blocks[next] = m
		} else {
			x.blocks = append(x.blocks, m)
		}
		meta := x.blocks[0]
		x.describe(meta)
		if d := x.log.Detail(); d != nil {
			d.First(wal.BlockRef{Role: "metapage", Image: x.image(meta)}, false)
			d.Other(wal.BlockRef{ID: 1, Block: storage.BlockNumber(next), Role: "new page of the range map", Init: true})
			d.Describe("targetBlk %d", next)
		}
		m.lsn = x.log.InsertImages(wal.BrinRevmapExtend, x.rel, 0, 0, 0, x.image(meta))
		meta.lsn = m.lsn
	}
}

// evacuate moves all summaries of a page to others, beginning with the process's target,
// and leaves the target at the last one's. It returns false if there are none
// (brin_start_evacuating_page, brin_evacuate_page).
func (x *BRIN) evacuate(block storage.BlockNumber, target *storage.BlockNumber) bool {
	b := x.blocks[block]
	any := false
	for i := range b.items {
		any = any || b.items[i].size > 0
	}
	if !any {
		return false
	}
	b.flags |= brinEvacuate
	for i := 0; i < len(b.items); i++ {
		item := b.items[i]
		if item.size == 0 {
			continue
		}
		tuple := append([]byte(nil), b.data[item.at:item.at+item.size]...)
		n := int(binary.LittleEndian.Uint32(tuple)) / x.pages
		x.move(n, tuple, false, target)
	}
	return true
}

// Check verifies that the range map leads to each range's summary, and that no page
// holds anything else.
func (x *BRIN) Check() error {
	items := 0
	for n := range x.ranges {
		r := &x.ranges[n]
		if r.block == 0 {
			continue
		}
		items++
		m := x.blocks[1+n/brinMapEntries]
		at := storage.PageHeaderSize + n%brinMapEntries*storage.TIDSize
		if m.kind != brinRevmap || int(binary.LittleEndian.Uint16(m.data[at+2:])) != int(uint16(r.block)) || int(binary.LittleEndian.Uint16(m.data[at+4:])) != r.offset+1 {
			return fmt.Errorf("range %d: the range map does not lead to block %d, item %d", n, r.block, r.offset+1)
		}
		b := x.blocks[r.block]
		if b.kind != brinRegular || r.offset >= len(b.items) || b.items[r.offset].size == 0 {
			return fmt.Errorf("range %d: block %d has no item %d", n, r.block, r.offset+1)
		}
		item := b.items[r.offset]
		if tuple := x.tuple(n); string(tuple) != string(b.data[item.at:item.at+item.size]) {
			return fmt.Errorf("range %d: block %d, item %d is not its summary", n, r.block, r.offset+1)
		}
	}
	for i, b := range x.blocks {
		used := 0
		for _, item := range b.items {
			if used += item.size; item.size > 0 {
				items--
			}
		}
		if b.kind == brinRegular && (brinUpper-used != b.upper || b.lower != storage.PageHeaderSize+storage.LinePointerSize*len(b.items) || b.lower > b.upper) {
			return fmt.Errorf("block %d: items of %d bytes between %d and %d", i, used, b.lower, b.upper)
		}
	}
	if items != 0 {
		return fmt.Errorf("%d summaries more than items", items)
	}
	return nil
}
