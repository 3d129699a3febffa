package heap

// Pages byte for byte, after bufpage.h and htup_details.h.

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// Bits of pd_flags, and the page layout version. Source: REL_18_1,
// src/include/storage/bufpage.h.
const (
	pdHasFreeLines = 0x0001
	pdPageFull     = 0x0002
	pdAllVisible   = 0x0004
	pageVersion    = storage.PageSize | 4
)

// writePageHeader writes a page header; the checksum stays zero, as it is while
// a page is in memory.
func writePageHeader(dst *[storage.PageSize]byte, lsn wal.LSN, flags, lower, upper int, pruneXID uint32) {
	*dst = [storage.PageSize]byte{}
	le := binary.LittleEndian
	le.PutUint32(dst[0:], uint32(lsn>>32))
	le.PutUint32(dst[4:], uint32(lsn))
	le.PutUint16(dst[10:], uint16(flags))
	le.PutUint16(dst[12:], uint16(lower))
	le.PutUint16(dst[14:], uint16(upper))
	le.PutUint16(dst[16:], storage.PageSize)
	le.PutUint16(dst[18:], pageVersion)
	le.PutUint32(dst[20:], pruneXID)
}

// pageBytes writes the page as it is on disk, checksum left out.
func (t *Table) pageBytes(p *page, dst *[storage.PageSize]byte) {
	flags := 0
	if p.freeLines {
		flags |= pdHasFreeLines
	}
	if p.full {
		flags |= pdPageFull
	}
	writePageHeader(dst, p.lsn, flags, int(p.lower), int(p.upper), p.pruneXID)
	p.materialize()
	le := binary.LittleEndian
	natts := uint16(len(t.opts.Attrs))
	for i, lp := range p.items {
		at := storage.PageHeaderSize + storage.LinePointerSize*i
		le.PutUint32(dst[at:], uint32(lp.off)|uint32(lp.flags())<<15|uint32(lp.length())<<17)
		if lp.flags() != lpNormal {
			continue
		}
		b := dst[lp.off:]
		h := &p.headers[i]
		le.PutUint32(b[0:], h.xmin)
		le.PutUint32(b[4:], h.xmax)
		le.PutUint32(b[8:], h.cid)
		le.PutUint16(b[12:], uint16(h.ctid.Block>>16))
		le.PutUint16(b[14:], uint16(h.ctid.Block))
		le.PutUint16(b[16:], uint16(h.ctid.Offset))
		le.PutUint16(b[18:], h.infomask2|natts)
		mask := h.infomask
		if lp.nulls() {
			mask |= hasNull
		}
		if t.varWidth {
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
