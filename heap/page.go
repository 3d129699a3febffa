package heap

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// Limits of heap pages. Sources: REL_18_1, src/include/access/htup_details.h.
const (
	// MaxHeapTupleSize is the longest row version that a page can hold, in
	// bytes, aligned.
	MaxHeapTupleSize = storage.PageSize - (storage.PageHeaderSize+storage.LinePointerSize+7)&^7
	// MaxHeapTuplesPerPage limits the line pointers of a page.
	MaxHeapTuplesPerPage = (storage.PageSize - storage.PageHeaderSize) / (minTupleAligned + storage.LinePointerSize)
	// TupleHeaderSize is SizeofHeapTupleHeader: the part before the NULL bitmap.
	TupleHeaderSize = 23

	minTupleAligned = (TupleHeaderSize + 7) &^ 7
)

// Line pointer states, ItemIdData.lp_flags. Source: REL_18_1,
// src/include/storage/itemid.h.
const (
	lpUnused = 0
	lpNormal = 1
)

// linePointer is an ItemIdData, and where the version's body is in the page's
// memory.
type linePointer struct {
	off   uint16 // lp_off: offset of the version on the page, bytes
	len   uint16 // lp_len: length of the version, header included, bytes
	body  uint16 // offset of the version's bytes after its header in page.bodies
	flags uint8  // lp_flags
}

// version is what a run of row versions, inserted one after the other by one
// transaction, has in common.
type version struct {
	first storage.OffsetNumber // the run's first item
	cid   uint32               // its command id; each next item's is one more
	xmin  uint32               // the inserting transaction
}

// page is one heap page.
type page struct {
	lsn    wal.LSN
	lower  uint16 // pd_lower
	upper  uint16 // pd_upper
	items  []linePointer
	bodies []byte
	runs   []version
}

func newPage() page {
	return page{lower: storage.PageHeaderSize, upper: storage.PageSize}
}

// freeSpace is PageGetHeapFreeSpace: bytes that one more row version may take,
// its line pointer allowed for.
func (p *page) freeSpace() int {
	space := int(p.upper) - int(p.lower) - storage.LinePointerSize
	if space < 0 || len(p.items) >= MaxHeapTuplesPerPage {
		return 0
	}
	return space
}

// add puts a version of length bytes on the page, whose bytes after the header
// are at offset body of p.bodies, and returns its offset number.
func (p *page) add(length, body int) storage.OffsetNumber {
	p.upper -= uint16(storage.MaxAlign(length))
	p.lower += storage.LinePointerSize
	p.items = append(p.items, linePointer{off: p.upper, len: uint16(length), body: uint16(body), flags: lpNormal})
	return storage.OffsetNumber(len(p.items))
}

// note records who inserted item off.
func (p *page) note(off storage.OffsetNumber, xmin, cid uint32) {
	if n := len(p.runs); n > 0 {
		r := &p.runs[n-1]
		if r.xmin == xmin && r.cid+uint32(off-r.first) == cid {
			return
		}
	}
	p.runs = append(p.runs, version{first: off, cid: cid, xmin: xmin})
}
