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
	lpUnused = iota
	lpNormal
	lpRedirect
	lpDead
)

// linePointer is an ItemIdData without lp_off, and where the version's body is in the
// page's memory. Where the version is on the page itself, places tells.
type linePointer struct {
	len  uint16 // lp_len in the low 13 bits, then whether the version has NULLs, then lp_flags
	body uint16 // offset of the version's body in page.bodies; of a redirect, the item it leads to
}

const (
	flagShift = 14
	nullBit   = 1 << 13
)

func makeLinePointer(flags, length int) linePointer {
	return linePointer{len: uint16(flags<<flagShift | length)}
}

func (lp linePointer) flags() int  { return int(lp.len >> flagShift) }
func (lp linePointer) length() int { return int(lp.len & (nullBit - 1)) }

// nulls says whether the version has a NULL bitmap.
func (lp linePointer) nulls() bool { return lp.len&nullBit != 0 }

// redirect is the item that a redirecting line pointer leads to.
func (lp linePointer) redirect() storage.OffsetNumber { return storage.OffsetNumber(lp.body) }

func (lp *linePointer) setRedirect(to storage.OffsetNumber) {
	*lp = makeLinePointer(lpRedirect, 0)
	lp.body = uint16(to)
}

// bodySize is how many bytes a version of the given length has after its header: the
// NULL bitmap, with the padding behind it, and the data. Without NULLs it is the data
// alone.
func bodySize(length int, nulls bool) int {
	if nulls {
		return length - TupleHeaderSize
	}
	return length - minTupleAligned
}

// lengthOf is the length of a version whose body has so many bytes.
func lengthOf(size int, nulls bool) int {
	if nulls {
		return size + TupleHeaderSize
	}
	return size + minTupleAligned
}

// size is how many bytes the version's body has.
func (lp linePointer) size() int { return bodySize(lp.length(), lp.nulls()) }

// places appends lp_off of each line pointer to dst: a version's offset on the page, in
// bytes, or the item that a redirect leads to. Versions that were only inserted lie one
// before the other from the page's end down; of others the header knows.
func (p *page) places(dst []uint16) []uint16 {
	p.layout()
	upper := storage.PageSize
	for i, lp := range p.items {
		off := uint16(0)
		switch {
		case lp.flags() == lpRedirect:
			off = uint16(lp.redirect())
		case lp.flags() != lpNormal:
		case p.headers != nil:
			off = p.headers[i].place
		default:
			upper -= storage.MaxAlign(lp.length())
			off = uint16(upper)
		}
		dst = append(dst, off)
	}
	return dst
}

// version is what a run of row versions, inserted one after the other by one
// transaction, has in common.
type version struct {
	first storage.OffsetNumber // the run's first item
	hints uint8                // hint bits of the infomask, its upper byte
	same  bool                 // one command has inserted all
	cid   uint32               // its command id; each next item's is one more unless same
	xmin  uint32               // the inserting transaction
}

// page is one heap page.
type page struct {
	block      storage.BlockNumber
	lower      uint16 // pd_lower
	upper      uint16 // pd_upper
	lsn        wal.LSN
	pruneXID   uint32 // pd_prune_xid: oldest transaction that may have left something to prune
	dirty      bool   // changed since the last checkpoint has written it
	blank      bool   // all zero: the table was made longer in advance
	full       bool   // PD_PAGE_FULL: an update found no room
	freeLines  bool   // PD_HAS_FREE_LINES: some line pointers may be unused
	allVisible bool   // PD_ALL_VISIBLE, as in the visibility map: everybody sees every version
	absent     bool   // its line pointers are not there
	even       uint16 // their len, if they were given up for they are all alike; else the page is not made yet: its rows are those that the table was loaded with
	items      []linePointer
	bodies     []byte
	runs       []version // while versions were only inserted,
	headers    []header  // then this, parallel to items
	gone       *gone     // what versions that are gone have left; nil before any is
	summary    *summary  // what pruning knows of the page; nil before it is pruned first
}

// gone is what row versions that were taken away from a page have left in its memory.
type gone struct {
	// holes are offsets in bodies where versions of holeSize bytes each were: new ones of
	// the same size go there.
	holes    []uint16
	holeSize int
	// stale are the page's bytes when versions were last taken away from it: they
	// show between versions. Kept only where images are compressed.
	stale *[storage.PageSize]byte
}

// lost is the page's gone, which may be changed.
func (p *page) lost() *gone {
	if p.gone == nil {
		p.gone = new(gone)
	}
	return p.gone
}

// hole is where in the page's memory a body of size bytes can go, if there is a hole for it.
func (p *page) hole(size int) (body int, ok bool) {
	g := p.gone
	if g == nil || len(g.holes) == 0 || g.holeSize != size {
		return 0, false
	}
	last := len(g.holes) - 1
	body = int(g.holes[last])
	g.holes = g.holes[:last]
	return body, true
}

// stale is gone.stale, if there is any.
func (p *page) stale() *[storage.PageSize]byte {
	if p.gone == nil {
		return nil
	}
	return p.gone.stale
}

func newPage(block storage.BlockNumber) page {
	return page{block: block, lower: storage.PageHeaderSize, upper: storage.PageSize}
}

// freeSpace is PageGetHeapFreeSpace: bytes that one more row version may take,
// its line pointer allowed for.
func (p *page) freeSpace() int {
	space := int(p.upper) - int(p.lower) - storage.LinePointerSize
	if space < 0 || len(p.items) >= MaxHeapTuplesPerPage && p.unusedLine() == 0 {
		return 0
	}
	return space
}

// unusedLine returns the first unused line pointer, 0 if there is none.
func (p *page) unusedLine() storage.OffsetNumber {
	if !p.freeLines {
		return 0
	}
	from := 0
	if s := p.summary; s != nil && s.known {
		if s.unused == 0 {
			return 0
		}
		from = int(s.lowest) - 1
	}
	for i, lp := range p.items[from:] {
		if lp.flags() == lpUnused {
			return storage.OffsetNumber(from + i + 1)
		}
	}
	return 0
}

// add puts a version of length bytes on the page, whose body is at offset body of
// p.bodies, and returns its offset number: the first
// unused line pointer, or a new one (PageAddItemExtended).
func (t *Table) add(p *page, length, body int, nulls bool) storage.OffsetNumber {
	off := p.unusedLine()
	reused := off != 0
	if !reused {
		p.freeLines = false
		p.lower += storage.LinePointerSize
		if len(p.items) == cap(p.items) {
			p.items = t.lines.grow(t.log.Memory(), p.items)
		}
		p.items = append(p.items, linePointer{})
		if p.headers != nil {
			if len(p.headers) == cap(p.headers) {
				p.headers = t.headers.grow(t.log.Memory(), p.headers)
			}
			p.headers = append(p.headers, header{})
		}
		off = storage.OffsetNumber(len(p.items))
	}
	p.upper -= uint16(storage.MaxAlign(length))
	lp := makeLinePointer(lpNormal, length)
	lp.body = uint16(body)
	if p.headers != nil {
		p.headers[off-1].place = p.upper
	}
	if nulls {
		lp.len |= nullBit
	}
	p.items[off-1] = lp
	if s := p.summary; s != nil {
		s.join(p, off, reused)
	}
	return off
}

// moreLines is for how many more line pointers a page gets memory at a time: only few come
// to one that was filled.
const moreLines = 4

// outgrown is memory of line pointers or headers that pages have outgrown, by how many
// times moreLines it has room for: the next page that needs as much gets it.
type outgrown[T any] [MaxHeapTuplesPerPage/moreLines + 2][][]T

// grow returns s, which is full, with room for moreLines more at most. Nobody may hold a
// pointer into s.
func (o *outgrown[T]) grow(memory *storage.Arena, s []T) []T {
	more := o.room(memory, len(s)+1)
	more = append(more, s...)
	if n := cap(s); n > 0 && n%moreLines == 0 {
		free := &o[n/moreLines]
		*free = append(*free, s[:0])
	}
	return more
}

// room returns an empty slice with room for n elements and hardly more.
func (o *outgrown[T]) room(memory *storage.Arena, n int) []T {
	class := (n + moreLines - 1) / moreLines
	free := &o[class]
	if last := len(*free) - 1; last >= 0 {
		s := (*free)[last]
		*free = (*free)[:last]
		return s
	}
	return storage.Give[T](memory, class*moreLines)[: 0 : class*moreLines]
}

// note records who inserted item off.
func (p *page) note(off storage.OffsetNumber, xmin, cid uint32) {
	if p.headers != nil {
		h := &p.headers[off-1]
		*h = header{
			xmin: xmin, cid: cid, block: p.block, offset: off, infomask: xmaxInvalid, place: h.place,
		}
		return
	}
	if n := len(p.runs); n > 0 {
		r := &p.runs[n-1]
		if r.xmin == xmin && r.cid+uint32(off-r.first) == cid && !r.same {
			return
		}
	}
	p.runs = append(p.runs, version{first: off, cid: cid, xmin: xmin})
}

// noteSame is note for a row of a command that has inserted many.
func (p *page) noteSame(off storage.OffsetNumber, xmin, cid uint32) {
	if n := len(p.runs); p.headers == nil && n > 0 {
		if r := &p.runs[n-1]; r.xmin == xmin && r.cid == cid && r.hints == 0 && (r.same || off == r.first+1) {
			r.same = true
			return
		}
	}
	p.note(off, xmin, cid)
}

// body returns the body of item off, see bodySize.
func (p *page) body(off storage.OffsetNumber) []byte {
	lp := p.items[off-1]
	return p.bodies[lp.body : int(lp.body)+lp.size()]
}

// prunable notes that xid leaves something to prune.
func (p *page) prunable(xid uint32) {
	if p.pruneXID == 0 || xid < p.pruneXID {
		p.pruneXID = xid
	}
}
