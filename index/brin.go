package index

// BRIN indexes with minmax operator classes, after brin.c, brin_minmax.c,
// brin_tuple.c and brin_pageops.c.

import (
	"encoding/binary"
	"slices"

	"applysim/heap/datum"
	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// What is on a BRIN page. Sources: REL_18_1, src/include/access/brin_tuple.h and
// brin_page.h.
const (
	sizeOfBrinTuple  = 5    // block number, bits
	brinNullMask     = 0x80 // BRIN_NULLS_MASK
	brinPlaceholder  = 0x40 // BRIN_PLACEHOLDER_MASK
	brinEmptyRange   = 0x20 // BRIN_EMPTY_RANGE_MASK
	brinDefaultRange = 128  // pages_per_range
)

// BRIN is a BRIN index of a table that was empty when the index was built. Only the
// first of its ranges of pages has a summary then; others get theirs from VACUUM, once
// they are complete. An insert widens the summary of its range if there is one.
//
//	block 0       metapage
//	block 1, ...  range map: of each range, where its summary is
//	then          summaries, one item a range
type BRIN struct {
	Inserts int64 // rows inserted
	Looked  int64 // those in ranges with a summary
	Updates int64 // summaries that changed

	log     *wal.Log
	rel     wal.RelID
	columns []Column
	pages   int // of the table, in a range
	ranges  []brinRange
	blocks  []*brinBlock // by block; the metapage first
	maps    int          // pages of the range map
	fsm     fsm.Map
	target  storage.BlockNumber // where the worker put a summary last

	compressor datum.Compressor
}

// brinRange is a range of the table's pages.
type brinRange struct {
	block   storage.BlockNumber // where its summary is; 0 if it has none
	offset  int                 // 0-based
	empty   bool                // no row was there
	summary []minmax
}

// minmax is a column's part of a summary.
type minmax struct {
	allNulls, hasNulls bool
	min, max           datum.Value
}

// NewBRIN returns the index of an empty table, which is there before the log begins.
// pagesPerRange is pages_per_range, 0 for its default.
func NewBRIN(columns []Column, pagesPerRange int, log *wal.Log, rel wal.RelID) *BRIN {
	if pagesPerRange <= 0 {
		pagesPerRange = brinDefaultRange
	}
	x := &BRIN{log: wal.NewLog(wal.Options{}), rel: wal.NoRelation, columns: columns, pages: pagesPerRange}
	x.build()
	for _, b := range x.blocks {
		b.lsn = 0
	}
	x.log, x.rel = log, rel
	x.fsm.Changed = x.dirtyFSM
	return x
}

// build makes the index of an empty table (brinbuild).
func (x *BRIN) build() {
	x.ranges, x.maps, x.target = nil, 0, storage.InvalidBlock
	x.blocks = []*brinBlock{newBrinBlock(brinMeta)}
	if d := x.log.Detail(); d != nil {
		d.First(wal.BlockRef{Role: "metapage", Init: true}, false)
		d.Describe("v%d pagesPerRange %d", brinVersion, x.pages)
	}
	x.blocks[0].lsn = x.log.Insert(wal.BrinCreateIndex, x.rel, 0, 0)
	x.putNew(0, x.newSummary(), &x.target)
}

// Empty builds the index from an empty table, as TRUNCATE does: in a new file, or in
// place, which leaves the upper pages of the free space map.
func (x *BRIN) Empty(inPlace bool) (restore func()) {
	old := *x
	if !inPlace {
		x.fsm = fsm.Map{Changed: x.dirtyFSM}
	} else if _, _, cut := x.fsm.Truncate(0); cut {
		x.fsm.Vacuum(0, storage.InvalidBlock)
	}
	x.build()
	return func() {
		updates := x.Updates
		*x = old
		x.Updates = updates
	}
}

func (x *BRIN) dirtyFSM(block storage.BlockNumber, p *fsm.Page) {
	if p.Dirty {
		return
	}
	p.Checksum = x.log.MapChecksum(block)
	p.LSN = x.log.Hint(x.rel, forkFSM, block, p.LSN, p)
	p.Dirty = true
}

// Pages is the index's length.
func (x *BRIN) Pages() int { return len(x.blocks) }

// Ranges is how many ranges of the table's pages have a summary.
func (x *BRIN) Ranges() int {
	n := 0
	for i := range x.ranges {
		if x.ranges[i].block != 0 {
			n++
		}
	}
	return n
}

// SetLSNs sets the LSNs of the pages that are there to what they were before the
// run.
func (x *BRIN) SetLSNs(lsns []wal.LSN) {
	for i := range min(len(lsns), len(x.blocks)) {
		x.blocks[i].lsn = lsns[i]
	}
}

// SetMapLSNs is SetLSNs for the free space map.
func (x *BRIN) SetMapLSNs(lsns []wal.LSN) { x.fsm.SetLSNs(lsns) }

// Clean notes that a checkpoint has written all pages.
func (x *BRIN) Clean() { x.fsm.Clean() }

func (x *BRIN) newSummary() []minmax {
	s := make([]minmax, len(x.columns))
	for i := range s {
		s[i].allNulls = true
	}
	return s
}

// Summarized says whether there is a summary of the range of a page.
func (x *BRIN) Summarized(block storage.BlockNumber) bool {
	n := int(block) / x.pages
	return n < len(x.ranges) && x.ranges[n].block != 0
}

// Insert widens the summary of the range of a row's page, if it has one, and writes
// a record if that changed it (brininsert).
func (x *BRIN) Insert(values []datum.Value, tid storage.TID) error {
	x.Inserts++
	if !x.Summarized(tid.Block) {
		return nil
	}
	x.Looked++
	n := int(tid.Block) / x.pages
	r := &x.ranges[n]
	changed, err := x.add(r.summary, &r.empty, values)
	if !changed || err != nil {
		return err
	}
	x.Updates++
	return x.replace(n, &x.target)
}

// add adds a row to a summary and says whether that changed it
// (add_values_to_range).
func (x *BRIN) add(summary []minmax, empty *bool, values []datum.Value) (bool, error) {
	changed := *empty
	for i := range summary {
		s, v := &summary[i], &values[i]
		if s.allNulls {
			// The bit is stored, but not read where there are only NULLs: each further
			// one is taken for the first (brin_deform_tuple).
			s.hasNulls = false
		}
		nulls := !*empty && (s.hasNulls || s.allNulls)
		if v.Null {
			changed = changed || !s.hasNulls
			s.hasNulls = true
			continue
		}
		class := x.columns[i].Class
		plain := restored(v)
		less := func(a, b datum.Value) bool { return class.Compare(&a, &b) < 0 }
		if s.allNulls || less(plain, restored(&s.min)) {
			s.min, changed = owned(v), true
		}
		if s.allNulls || less(restored(&s.max), plain) {
			s.max, changed = owned(v), true
		}
		s.allNulls = false
		if nulls && !s.hasNulls {
			s.hasNulls, changed = true, true
		}
	}
	*empty = false
	return changed, nil
}

// restored is a value as it is compared: decompressed.
func restored(v *datum.Value) datum.Value {
	if v.Form == datum.Compressed {
		return datum.Decompress(v)
	}
	return *v
}

func owned(v *datum.Value) datum.Value {
	r := *v
	r.Bytes = slices.Clone(v.Bytes)
	return r
}

// VacuumCleanup ends a VACUUM of the index: ranges that have become complete get
// summaries of their rows (brinvacuumcleanup). blocks is the table's length; scan calls
// its argument with the values of all rows on the given pages, in physical order.
func (x *BRIN) VacuumCleanup(blocks int, scan func(from, to int, row func(values []datum.Value) error) error) error {
	for b := range x.blocks {
		if b > x.maps {
			x.fsm.Record(storage.BlockNumber(b), x.blocks[b].space())
		}
	}
	x.fsm.Vacuum(0, storage.BlockNumber(len(x.blocks)))
	target := storage.InvalidBlock // of the process that vacuums
	for n := 0; (n+1)*x.pages <= blocks; n++ {
		if n < len(x.ranges) && x.ranges[n].block != 0 {
			continue
		}
		// A placeholder collects what others insert meanwhile.
		x.putNew(n, x.newSummary(), &target)
		r := &x.ranges[n]
		r.summary, r.empty = x.newSummary(), true
		if err := scan(n*x.pages, (n+1)*x.pages, func(values []datum.Value) error {
			_, err := x.add(r.summary, &r.empty, values)
			return err
		}); err != nil {
			return err
		}
		if err := x.replace(n, &target); err != nil {
			return err
		}
	}
	x.target = storage.InvalidBlock // the worker's cache entry is made anew
	return nil
}

// compress compresses a long value of column i, if that helps.
func (x *BRIN) compress(i int, v *datum.Value) {
	c := &x.columns[i]
	if !compressible(&c.Attr, v) {
		return
	}
	if r, ok := x.compressor.Compress(v, c.Compression); ok {
		*v = r
	}
}

// tuple is the summary of a range as it is stored (brin_form_tuple).
func (x *BRIN) tuple(n int) []byte {
	r := &x.ranges[n]
	columns := len(r.summary)
	nulls := false
	for i := range r.summary {
		nulls = nulls || r.summary[i].allNulls || r.summary[i].hasNulls
	}
	head := sizeOfBrinTuple
	if nulls {
		head += (2*columns + 7) / 8
	}
	head = storage.MaxAlign(head)
	b := make([]byte, head, 2*head)
	binary.LittleEndian.PutUint32(b, uint32(n*x.pages))
	b[4] = byte(head)
	if r.empty {
		b[4] |= brinEmptyRange
	}
	var attrs []datum.Attr
	var stored []datum.Value
	for i := range r.summary {
		s := &r.summary[i]
		if nulls {
			b[4] |= brinNullMask
			// First the bits of all columns for allNulls, then those for hasNulls; other
			// than in a heap tuple one that is set says yes.
			if s.allNulls {
				b[sizeOfBrinTuple+i/8] |= 1 << (i % 8)
			}
			if j := columns + i; s.hasNulls {
				b[sizeOfBrinTuple+j/8] |= 1 << (j % 8)
			}
		}
		if !s.allNulls {
			// Once compressed a value stays so when the summary is read again.
			x.compress(i, &s.min)
			x.compress(i, &s.max)
			attrs = append(attrs, x.columns[i].Attr, x.columns[i].Attr)
			stored = append(stored, s.min, s.max)
		}
	}
	b = datum.Append(b, attrs, stored)
	return append(b, make([]byte, storage.MaxAlign(len(b))-len(b))...)
}
