package view

// Heap pages, after heapfuncs.c of pageinspect and htup_details.h.

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"applysim/wal/storage"
)

// HeapPage is a page of a table.
type HeapPage struct {
	Block  storage.BlockNumber
	Header PageHeader
	Items  []HeapItem // Items[0] is line pointer 1
}

// HeapItem is a row of heap_page_items: a line pointer and, if it has one, its row
// version.
type HeapItem struct {
	LP       storage.OffsetNumber
	LPOffset int // lp_off; of a redirect, the line pointer that it leads to
	LPFlags  int
	LPLength int
	Tuple    *HeapTuple // nil if there is none
}

// HeapTuple is a row version. Its fields are those of HeapTupleHeaderData.
type HeapTuple struct {
	Xmin, Xmax uint32
	Field3     uint32 // t_field3: the command id
	Ctid       storage.TID
	Infomask2  uint16
	Infomask   uint16
	Hoff       int
	Bits       string // t_bits: a 1 for each column that is not NULL; empty if none is
	Data       []byte
}

// Bits of a row version's header. Source: REL_18_1,
// src/include/access/htup_details.h.
const (
	hasNull   = 0x0001 // HEAP_HASNULL
	nattsMask = 0x07FF // HEAP_NATTS_MASK

	tupleHeaderSize  = 23 // SizeofHeapTupleHeader
	minHeapTupleSize = 24 // MinHeapTupleSize
)

// DecodeHeapPage reads a page of a table.
func DecodeHeapPage(page *Page, block storage.BlockNumber) (*HeapPage, error) {
	p := &HeapPage{Block: block, Header: DecodeHeader(page)}
	if err := p.Header.check(); err != nil {
		return nil, fmt.Errorf("block %d: %w", block, err)
	}
	for i := range p.Header.items() {
		lp := decodeLinePointer(page, i)
		item := HeapItem{LP: storage.OffsetNumber(i + 1), LPOffset: lp.offset, LPFlags: lp.flags, LPLength: lp.length}
		if lp.length >= minHeapTupleSize && lp.offset%8 == 0 && lp.offset+lp.length <= storage.PageSize {
			item.Tuple = decodeTuple(page[lp.offset : lp.offset+lp.length])
		}
		p.Items = append(p.Items, item)
	}
	return p, nil
}

func decodeTuple(b []byte) *HeapTuple {
	le := binary.LittleEndian
	t := &HeapTuple{
		Xmin: le.Uint32(b), Xmax: le.Uint32(b[4:]), Field3: le.Uint32(b[8:]), Ctid: decodeTID(b[12:]),
		Infomask2: le.Uint16(b[18:]), Infomask: le.Uint16(b[20:]), Hoff: int(b[22]),
	}
	if t.Hoff < tupleHeaderSize || t.Hoff > len(b) || t.Hoff%8 != 0 {
		return t
	}
	if t.Infomask&hasNull != 0 {
		n := (int(t.Infomask2&nattsMask) + 7) / 8
		var bits strings.Builder
		for i := range 8 * min(n, t.Hoff-tupleHeaderSize) {
			bits.WriteByte('0' + b[tupleHeaderSize+i/8]>>(i%8)&1)
		}
		t.Bits = bits.String()
	}
	t.Data = append([]byte{}, b[t.Hoff:]...)
	return t
}

// Rows gives the columns of heap_page_items.
func (p *HeapPage) Rows() *Rows {
	r := newRows("lp int", "lp_off int", "lp_flags int", "lp_len int", "t_xmin int", "t_xmax int", "t_field3 int", "t_ctid",
		"t_infomask2 int", "t_infomask int", "t_hoff int", "t_bits", "t_oid int", "t_data")
	for i := range p.Items {
		x := &p.Items[i]
		row := make([]any, len(r.Columns))
		row[0], row[1], row[2], row[3] = int(x.LP), x.LPOffset, x.LPFlags, x.LPLength
		if t := x.Tuple; t != nil {
			row[4], row[5], row[6], row[7] = int64(t.Xmin), int64(t.Xmax), int64(t.Field3), t.Ctid.String()
			row[8], row[9], row[10] = int(t.Infomask2), int(t.Infomask), t.Hoff
			if t.Bits != "" {
				row[11] = t.Bits
			}
			if t.Data != nil {
				row[13] = `\x` + hex.EncodeToString(t.Data)
			}
		}
		r.add(row...)
	}
	return r
}
