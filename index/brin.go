package index

// BRIN indexes with minmax operator classes, after brin.c, brin_minmax.c,
// brin_tuple.c and brin_pageops.c.

import (
	"encoding/binary"
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// What is on a BRIN page. Sources: REL_18_1, src/include/access/brin_tuple.h and
// brin_page.h.
const (
	sizeOfBrinTuple   = 5 // block number, bits
	brinSpecial       = 8
	brinRegular       = 2      // the page with summaries, after the metapage and the range map
	brinPageType      = 0xF093 // BRIN_PAGETYPE_REGULAR
	brinNullMask      = 0x80   // BRIN_NULLS_MASK
	brinEmptyRange    = 0x20   // BRIN_EMPTY_RANGE_MASK
	brinDefaultRange  = 128    // pages_per_range
	brinLongestStored = 8160 / 16
)

// BRIN is a BRIN index of a table that was empty when the index was built: of its
// ranges of pages only the first has a summary, as no other gets one until VACUUM
// runs. An insert that the summary covers changes nothing.
type BRIN struct {
	Updates int64 // summaries that changed

	log     *wal.Log
	rel     wal.RelID
	columns []Column
	pages   int // of the table, in a range
	empty   bool
	summary []minmax
	lsn     wal.LSN
}

// minmax is a column's part of a summary.
type minmax struct {
	allNulls, hasNulls bool
	min, max           datum.Value
}

// NewBRIN returns the index of an empty table. pagesPerRange is pages_per_range, 0
// for its default.
func NewBRIN(columns []Column, pagesPerRange int, log *wal.Log, rel wal.RelID) *BRIN {
	if pagesPerRange <= 0 {
		pagesPerRange = brinDefaultRange
	}
	x := &BRIN{log: log, rel: rel, columns: columns, pages: pagesPerRange, empty: true}
	for range columns {
		x.summary = append(x.summary, minmax{allNulls: true})
	}
	return x
}

// Pages is the index's length: metapage, range map and one page of summaries.
func (x *BRIN) Pages() int { return brinRegular + 1 }

// SetLSNs sets the LSNs of the pages that are there to what they were before the
// run.
func (x *BRIN) SetLSNs(lsns []wal.LSN) {
	if len(lsns) > brinRegular {
		x.lsn = lsns[brinRegular]
	}
}

// Insert widens the summary of the range of a row's page, if it has one, and writes
// a record if that changed it (brininsert).
func (x *BRIN) Insert(values []datum.Value, tid storage.TID) error {
	if int(tid.Block)/x.pages > 0 {
		return nil
	}
	before := x.size()
	changed, err := x.add(values)
	if !changed || err != nil {
		return err
	}
	if x.size() > before && x.size() > storage.PageSize/2 {
		return fmt.Errorf("a summary of %d bytes in a BRIN index", x.size())
	}
	x.Updates++
	data, images := x.size(), wal.Image{}
	if x.log.NeedsImage(x.lsn) {
		images = x.log.ImageOf(x.lsn, brinPage{x})
		data = 0
	}
	x.lsn = x.log.InsertImages(wal.BrinSamepageUpdate, x.rel, brinRegular, data, 0, images)
	return nil
}

// add adds a row to the summary and says whether that changed it
// (add_values_to_range).
func (x *BRIN) add(values []datum.Value) (bool, error) {
	changed := x.empty
	for i := range x.summary {
		s, v := &x.summary[i], &values[i]
		nulls := !x.empty && (s.hasNulls || s.allNulls)
		if v.Null {
			changed = changed || !s.hasNulls
			s.hasNulls = true
			continue
		}
		if len(v.Bytes) > brinLongestStored {
			return false, fmt.Errorf("a value of %d bytes in a BRIN index, which is compressed there", len(v.Bytes))
		}
		class := x.columns[i].Class
		if s.allNulls || class.Compare(v, &s.min) < 0 {
			s.min, changed = owned(v), true
		}
		if s.allNulls || class.Compare(v, &s.max) > 0 {
			s.max, changed = owned(v), true
		}
		s.allNulls = false
		if nulls && !s.hasNulls {
			s.hasNulls, changed = true, true
		}
	}
	x.empty = false
	return changed, nil
}

func owned(v *datum.Value) datum.Value {
	r := *v
	r.Bytes = slices.Clone(v.Bytes)
	return r
}

// tuple is the summary as it is stored (brin_form_tuple).
func (x *BRIN) tuple() []byte {
	n := len(x.summary)
	nulls := false
	for i := range x.summary {
		nulls = nulls || x.summary[i].allNulls || x.summary[i].hasNulls
	}
	head := sizeOfBrinTuple
	if nulls {
		head += (2*n + 7) / 8
	}
	head = storage.MaxAlign(head)
	b := make([]byte, head, 2*head)
	b[4] = byte(head)
	if x.empty {
		b[4] |= brinEmptyRange
	}
	var attrs []datum.Attr
	var stored []datum.Value
	for i := range x.summary {
		s := &x.summary[i]
		if nulls {
			b[4] |= brinNullMask
			// First the bits of all columns for allNulls, then those for hasNulls; other
			// than in a heap tuple one that is set says yes.
			if s.allNulls {
				b[sizeOfBrinTuple+i/8] |= 1 << (i % 8)
			}
			if j := n + i; s.hasNulls {
				b[sizeOfBrinTuple+j/8] |= 1 << (j % 8)
			}
		}
		if !s.allNulls {
			attrs = append(attrs, x.columns[i].Attr, x.columns[i].Attr)
			stored = append(stored, s.min, s.max)
		}
	}
	b = datum.Append(b, attrs, stored)
	return append(b, make([]byte, storage.MaxAlign(len(b))-len(b))...)
}

func (x *BRIN) size() int { return len(x.tuple()) }

// brinPage is the page with the summary as wal.Page.
type brinPage struct{ x *BRIN }

// Hole is between the one line pointer and the summary.
func (p brinPage) Hole() (lower, upper int) {
	return storage.PageHeaderSize + storage.LinePointerSize, storage.PageSize - brinSpecial - p.x.size()
}

// Bytes writes the page as it is on disk, checksum left out. The summaries that were
// there before, of other lengths, are moved away by each change.
func (p brinPage) Bytes(dst *[storage.PageSize]byte) {
	clear(dst[:])
	lower, upper := p.Hole()
	t := p.x.tuple()
	storage.PutPageHeader(dst, uint64(p.x.lsn), 0, lower, upper, storage.PageSize-brinSpecial, 0)
	storage.PutLinePointer(dst, 0, upper, lpNormal, len(t))
	copy(dst[upper:], t)
	binary.LittleEndian.PutUint16(dst[storage.PageSize-2:], brinPageType)
}
