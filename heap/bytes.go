package heap

// Pages byte for byte, after bufpage.h and htup_details.h.

import (
	"encoding/binary"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Bits of pd_flags. Source: REL_18_1,
// src/include/storage/bufpage.h.
const (
	pdHasFreeLines = 0x0001
	pdPageFull     = 0x0002
	pdAllVisible   = 0x0004
)

// pageBytes writes the page as it is on disk, checksum left out.
func (t *Table) pageBytes(p *page, dst *[storage.PageSize]byte) {
	flags := 0
	if p.freeLines {
		flags |= pdHasFreeLines
	}
	if p.full {
		flags |= pdPageFull
	}
	if p.allVisible {
		flags |= pdAllVisible
	}
	if stale := p.stale(); stale != nil {
		*dst = *stale
	} else {
		*dst = [storage.PageSize]byte{}
	}
	storage.PutPageHeader(dst, t.log.PageLSN(p.lsn), flags, int(p.lower), int(p.upper), storage.PageSize, p.pruneXID)
	p.materialize()
	var room [MaxHeapTuplesPerPage]uint16
	places := p.places(room[:0])
	le := binary.LittleEndian
	for i, lp := range p.items {
		storage.PutLinePointer(dst, i, int(places[i]), lp.flags(), lp.length())
		if lp.flags() != lpNormal {
			continue
		}
		b := dst[places[i]:]
		h := &p.headers[i]
		le.PutUint32(b[0:], h.xmin)
		le.PutUint32(b[4:], h.xmax)
		le.PutUint32(b[8:], h.cid)
		storage.PutTID(b[12:], h.ctid())
		columns := t.columnsOf(p, storage.OffsetNumber(i+1))
		le.PutUint16(b[18:], h.infomask2&infomask2Bits|uint16(columns))
		mask := h.infomask | t.contents(p, storage.OffsetNumber(i+1))
		le.PutUint16(b[20:], mask)
		b[22] = byte(hoff(columns, lp.nulls()))
		b[TupleHeaderSize] = 0 // padding, unless there is a NULL bitmap
		body := p.body(storage.OffsetNumber(i + 1))
		copy(b[lp.length()-len(body):], body)
	}
}

// image is a page as wal.Page.
type image struct {
	t *Table
	p *page
}

// Hole is the space between line pointers and row versions.
func (i image) Hole() (lower, upper int) { return int(i.p.lower), int(i.p.upper) }

// Bytes writes the page as it is on disk, checksum left out.
func (i image) Bytes(dst *[storage.PageSize]byte) { i.t.pageBytes(i.p, dst) }

// contents returns the bits of a version's infomask that say what it contains:
// NULLs, values of no fixed length, values in the TOAST table.
func (t *Table) contents(p *page, off storage.OffsetNumber) uint16 {
	lp := p.items[off-1]
	var mask uint16
	body := p.body(off)
	if lp.nulls() {
		mask |= hasNull
		for i, a := range t.opts.Attrs[:t.columnsOf(p, off)] {
			if a.Len < 0 && body[i/8]>>(i%8)&1 != 0 {
				mask |= hasVarWidth
			}
		}
	} else if t.varWidth {
		mask |= hasVarWidth
	}
	if t.toaster != nil && mask&hasVarWidth != 0 {
		t.read(t.contained, p, off)
		for _, v := range t.contained {
			if v.Form == datum.External && !v.Null {
				mask |= hasExternal
			}
		}
	}
	return mask
}

// remains is a page before row versions are taken away from it: what they leave
// behind shows later in the few bytes between the end of a version and the next
// multiple of eight, which nobody writes.
type remains struct {
	bytes   *[storage.PageSize]byte
	offsets []uint16 // of the versions, by item
}

// keepRemains notes what a page looks like before versions go, if images are
// compressed: else nobody sees it.
func (t *Table) keepRemains(p *page) (r remains) {
	if !t.log.Compresses() {
		return r
	}
	r.bytes = new([storage.PageSize]byte)
	t.pageBytes(p, r.bytes)
	r.offsets = p.places(nil)
	return r
}

// leave gives a page whose gaps were closed the bytes that lie there now: those of
// versions that stay have moved, what was below them is still there.
func (r remains) leave(p *page) {
	if r.bytes == nil {
		return
	}
	stale := new([storage.PageSize]byte)
	p.lost().stale = stale
	*stale = *r.bytes
	// Line pointers that are cut off were unused: all zero.
	clear(stale[p.lower : storage.PageHeaderSize+storage.LinePointerSize*len(r.offsets)])
	places := p.places(nil)
	for i, lp := range p.items {
		if lp.flags() == lpNormal {
			from := r.bytes[r.offsets[i]:]
			copy(stale[places[i]:], from[:storage.MaxAlign(lp.length())])
		}
	}
}
