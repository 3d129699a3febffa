package view

// Page headers, after rawpage.c of pageinspect and bufpage.h.

import (
	"encoding/binary"
	"fmt"

	"applysim/wal"
	"applysim/wal/storage"
)

// Page is a page's bytes as they are on disk.
type Page = [storage.PageSize]byte

// PageHeader is what page_header shows of a page, its checksum aside.
type PageHeader struct {
	LSN                   wal.LSN
	Flags                 int
	Lower, Upper, Special int
	PageSize, Version     int
	PruneXID              uint32
}

// Bits of PageHeader.Flags. Source: REL_18_1, src/include/storage/bufpage.h.
const (
	HasFreeLines = 0x0001 // PD_HAS_FREE_LINES
	PageFull     = 0x0002 // PD_PAGE_FULL
	AllVisible   = 0x0004 // PD_ALL_VISIBLE
)

// DecodeHeader reads a page's header.
func DecodeHeader(page *Page) PageHeader {
	le := binary.LittleEndian
	word := func(at int) int { return int(le.Uint16(page[at:])) }
	return PageHeader{
		LSN:   wal.LSN(le.Uint32(page[0:]))<<32 | wal.LSN(le.Uint32(page[4:])),
		Flags: word(10), Lower: word(12), Upper: word(14), Special: word(16),
		PageSize: word(18) & 0xFF00, Version: word(18) & 0x00FF,
		PruneXID: le.Uint32(page[20:]),
	}
}

// blank says whether the page was never used: it is all zero.
func (h *PageHeader) blank() bool { return h.Upper == 0 }

// items is the number of line pointers.
func (h *PageHeader) items() int {
	if h.blank() {
		return 0
	}
	return max(h.Lower-storage.PageHeaderSize, 0) / storage.LinePointerSize
}

// FreeSpace is the number of bytes that one more item may take, its line pointer
// allowed for (PageGetFreeSpace).
func (h *PageHeader) FreeSpace() int {
	return max(h.Upper-h.Lower-storage.LinePointerSize, 0)
}

// check says what is wrong with a header.
func (h *PageHeader) check() error {
	if h.blank() {
		return nil
	}
	if h.Lower < storage.PageHeaderSize || h.Lower > h.Upper || h.Upper > h.Special || h.Special > storage.PageSize {
		return fmt.Errorf("page header with lower %d, upper %d, special %d: expected them in order", h.Lower, h.Upper, h.Special)
	}
	return nil
}

// linePointer is an ItemIdData.
type linePointer struct{ offset, flags, length int }

// LPUnused and the others are the states of a line pointer. Source: REL_18_1,
// src/include/storage/itemid.h.
const (
	LPUnused = iota
	LPNormal
	LPRedirect
	LPDead
)

// decodeLinePointer reads the line pointer that stands i-th, from 0.
func decodeLinePointer(page *Page, i int) linePointer {
	n := binary.LittleEndian.Uint32(page[storage.PageHeaderSize+storage.LinePointerSize*i:])
	return linePointer{int(n & 0x7FFF), int(n >> 15 & 3), int(n >> 17)}
}

// decodeTID reads an item pointer.
func decodeTID(b []byte) storage.TID {
	le := binary.LittleEndian
	return storage.TID{
		Block:  storage.BlockNumber(le.Uint16(b))<<16 | storage.BlockNumber(le.Uint16(b[2:])),
		Offset: storage.OffsetNumber(le.Uint16(b[4:])),
	}
}

// Rows gives the columns of page_header.
func (h *PageHeader) Rows() *Rows {
	r := newRows("lsn", "checksum int", "flags int", "lower int", "upper int", "special int", "pagesize int", "version int", "prune_xid int")
	r.add(h.LSN.String(), nil, h.Flags, h.Lower, h.Upper, h.Special, h.PageSize, h.Version, int64(h.PruneXID))
	return r
}
