package heap

// Pages byte for byte, after bufpage.h and htup_details.h.

import (
	"encoding/binary"

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
	*dst = [storage.PageSize]byte{}
	storage.PutPageHeader(dst, uint64(p.lsn), flags, int(p.lower), int(p.upper), storage.PageSize, p.pruneXID)
	p.materialize()
	le := binary.LittleEndian
	natts := uint16(len(t.opts.Attrs))
	for i, lp := range p.items {
		storage.PutLinePointer(dst, i, int(lp.off), lp.flags(), lp.length())
		if lp.flags() != lpNormal {
			continue
		}
		b := dst[lp.off:]
		h := &p.headers[i]
		le.PutUint32(b[0:], h.xmin)
		le.PutUint32(b[4:], h.xmax)
		le.PutUint32(b[8:], h.cid)
		storage.PutTID(b[12:], h.ctid)
		le.PutUint16(b[18:], h.infomask2|natts)
		mask := h.infomask
		if lp.nulls() {
			mask |= hasNull
		}
		if t.hasVarWidth(lp, storage.OffsetNumber(i+1), p) {
			mask |= hasVarWidth
		}
		le.PutUint16(b[20:], mask)
		b[22] = byte(TupleHeaderSize + t.dataStart(lp.nulls()))
		copy(b[TupleHeaderSize:], p.body(storage.OffsetNumber(i+1)))
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

// hasVarWidth says whether a version has a value of no fixed length.
func (t *Table) hasVarWidth(lp linePointer, off storage.OffsetNumber, p *page) bool {
	if !lp.nulls() {
		return t.varWidth
	}
	bitmap := p.body(off)
	for i, a := range t.opts.Attrs {
		if a.Len < 0 && bitmap[i/8]>>(i%8)&1 != 0 {
			return true
		}
	}
	return false
}
