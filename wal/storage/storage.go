// Package storage holds the few facts about pages that every access method
// shares: page size, alignment, and the numbers that name a page and an item
// on it. It is the lowest package of the project and imports nothing.
//
// The figures are those of an ordinary 64-bit build of PostgreSQL: 8 kB pages
// and 8-byte maximum alignment.
package storage

import (
	"encoding/binary"
	"fmt"
)

// Sizes of the page layout. Sources: REL_18_1, src/include/storage/bufpage.h
// and itemid.h.
const (
	// PageSize is BLCKSZ.
	PageSize = 8192
	// PageHeaderSize is SizeOfPageHeaderData: the fixed part before the line
	// pointer array.
	PageHeaderSize = 24
	// LinePointerSize is sizeof(ItemIdData).
	LinePointerSize = 4
)

// BlockNumber numbers the pages of a relation, from 0.
type BlockNumber uint32

// InvalidBlock is InvalidBlockNumber: no page.
const InvalidBlock BlockNumber = 0xFFFFFFFF

// OffsetNumber numbers the line pointers of a page, from 1.
type OffsetNumber uint16

// TID is an item pointer: where a row version is.
type TID struct {
	Block  BlockNumber
	Offset OffsetNumber
}

// TIDSize is sizeof(ItemPointerData), in bytes.
const TIDSize = 6

// Compare orders item pointers by block, then by offset.
func (t TID) Compare(u TID) int {
	a, b := t.rank(), u.rank()
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// Less says whether t comes before u.
func (t TID) Less(u TID) bool { return t.rank() < u.rank() }

func (t TID) rank() uint64 { return uint64(t.Block)<<16 | uint64(t.Offset) }

// String gives PostgreSQL's notation, as in (12,3).
func (t TID) String() string { return fmt.Sprintf("(%d,%d)", t.Block, t.Offset) }

// MaxAlign rounds n up to the maximum alignment: MAXALIGN.
func MaxAlign(n int) int { return (n + 7) &^ 7 }

// Align rounds n up to a multiple of a, a power of two.
func Align(n int, a int) int { return (n + a - 1) &^ (a - 1) }

// pageLayoutVersion is PG_PAGE_LAYOUT_VERSION. Source: REL_18_1,
// src/include/storage/bufpage.h.
const pageLayoutVersion = 4

// PutPageHeader writes a page header. The checksum stays zero, as it is while a
// page is in memory.
func PutPageHeader(dst *[PageSize]byte, lsn uint64, flags, lower, upper, special int, pruneXID uint32) {
	le := binary.LittleEndian
	le.PutUint32(dst[0:], uint32(lsn>>32))
	le.PutUint32(dst[4:], uint32(lsn))
	le.PutUint16(dst[10:], uint16(flags))
	le.PutUint16(dst[12:], uint16(lower))
	le.PutUint16(dst[14:], uint16(upper))
	le.PutUint16(dst[16:], uint16(special))
	le.PutUint16(dst[18:], PageSize|pageLayoutVersion)
	le.PutUint32(dst[20:], pruneXID)
}

// PutLinePointer writes the line pointer that stands i-th, from 0.
func PutLinePointer(dst *[PageSize]byte, i, off, flags, length int) {
	binary.LittleEndian.PutUint32(dst[PageHeaderSize+LinePointerSize*i:], uint32(off)|uint32(flags)<<15|uint32(length)<<17)
}

// PutTID writes an item pointer as it is stored: the halves of the block number,
// the higher one first, then the offset number.
func PutTID(dst []byte, t TID) {
	le := binary.LittleEndian
	le.PutUint16(dst[0:], uint16(t.Block>>16))
	le.PutUint16(dst[2:], uint16(t.Block))
	le.PutUint16(dst[4:], uint16(t.Offset))
}
