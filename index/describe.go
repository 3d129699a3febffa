package index

import (
	"math"
	"strconv"

	"applysim/wal"
	"applysim/wal/storage"
)

// Bits of a pivot's or posting list's item pointer. Source: REL_18_1,
// src/include/access/nbtree.h.
const (
	pivotHeapTIDAttr = 0x1000 // BT_PIVOT_HEAP_TID_ATTR
	isPosting        = 0x2000 // BT_IS_POSTING
)

// Pages is the length of the index in pages, its metapage included.
func (t *BTree) Pages() int { return len(t.pages) }

// Stats are the columns of pgstatindex.
type Stats struct {
	TreeLevel     int
	InternalPages int
	LeafPages     int
	EmptyPages    int
	DeletedPages  int
	// AvgLeafDensity and LeafFragmentation are percentages, NaN for an index
	// without leaves.
	AvgLeafDensity    float64
	LeafFragmentation float64
}

// Stats computes what pgstatindex would show, after pgstatindex.c.
func (t *BTree) Stats() Stats {
	s := Stats{}
	free, fragments := 0, 0
	for _, p := range t.pages[1:] {
		if p.deleted {
			s.DeletedPages++
			continue
		}
		if !p.leaf() {
			s.InternalPages++
			continue
		}
		s.LeafPages++
		free += t.exactFree(p)
		if t.opts.Before18 { // PageGetFreeSpace in place of PageGetExactFreeSpace
			free -= min(t.exactFree(p), storage.LinePointerSize)
		}
		if p.next != storage.InvalidBlock && p.next < p.block {
			fragments++
		}
	}
	if len(t.pages) > 1 {
		s.TreeLevel = t.pages[t.root].level
	}
	s.AvgLeafDensity, s.LeafFragmentation = math.NaN(), math.NaN()
	if s.LeafPages > 0 {
		s.AvgLeafDensity = 100.0 - float64(float64(free)/float64(s.LeafPages*pageSpace)*100.0)
		s.LeafFragmentation = float64(fragments) / float64(s.LeafPages) * 100.0
	}
	return s
}

// Deleted says whether page block is a leaf that has been deleted; pageinspect
// shows such pages, but the recordings leave them out.
func (t *BTree) Deleted(block storage.BlockNumber) bool {
	p := t.pages[block]
	return p.deleted && p.leaf()
}

// AppendPageLine appends a page as a line of the recordings' pages.tsv.gz: type
// and level, then itemoffset,ctid,itemlen,dead of each item, as pageinspect's
// bt_page_items shows them. block is from 1.
func (t *BTree) AppendPageLine(dst []byte, block storage.BlockNumber) []byte {
	p := t.look(t.pages[block])
	t.settle(p)
	kind := byte('i')
	switch {
	case p.deleted:
		kind = 'D'
	case p.block == t.root:
		// A root shows as such even when it is a leaf.
		kind = 'r'
		if p.leaf() {
			kind = 'l'
		}
	case p.leaf():
		kind = 'l'
	}
	dst = append(dst, "btree\t"...)
	dst = append(dst, t.opts.Name...)
	dst = append(dst, '\t')
	dst = strconv.AppendInt(dst, int64(block), 10)
	dst = append(dst, '\t', kind, '\t')
	dst = strconv.AppendInt(dst, int64(p.level), 10)
	dst = append(dst, '\t')
	if p.deleted {
		return dst // its items mean nothing any more
	}
	off := 0
	if p.hasHigh {
		off++
		dst = t.appendItem(dst, p, &p.high, off, true)
	}
	for i := range p.items {
		if off > 0 {
			dst = append(dst, ' ')
		}
		off++
		dst = t.appendItem(dst, p, p.at(i), off, !p.leaf())
	}
	return dst
}

func (t *BTree) appendItem(dst []byte, p *page, it *item, off int, pivot bool) []byte {
	block, offset := it.block, it.offset&^deadBit
	switch {
	case pivot:
		e := p.entry(it.ref)
		offset = storage.OffsetNumber(e.natts)
		if e.flags&entryPivotTID != 0 {
			offset |= pivotHeapTIDAttr
		}
	case p.posting(it):
		e := p.entry(it.ref)
		block = storage.BlockNumber(e.size)
		offset = storage.OffsetNumber(len(e.tids)/storage.TIDSize) | isPosting
	}
	dst = strconv.AppendInt(dst, int64(off), 10)
	dst = append(dst, ",("...)
	dst = strconv.AppendInt(dst, int64(block), 10)
	dst = append(dst, ',')
	dst = strconv.AppendInt(dst, int64(offset), 10)
	dst = append(dst, "),"...)
	dst = strconv.AppendInt(dst, int64(t.size(p, it)), 10)
	switch {
	case pivot:
		return append(dst, ",-"...)
	case it.dead():
		return append(dst, ",true"...)
	}
	return append(dst, ",false"...)
}

// PageLSN is the LSN of page block, from 1.
func (t *BTree) PageLSN(block storage.BlockNumber) wal.LSN { return t.pages[block].lsn }

// pageMemory is what a page takes beside its arrays, in bytes, about.
const pageMemory = 256

// Memory is how many bytes of memory the index's pages take, about.
func (t *BTree) Memory() int {
	n := 0
	for _, p := range t.pages[1:] {
		n += pageMemory
		if p.memory != nil {
			n += p.memory.Size()
			continue
		}
		n += 16*cap(p.items) + 2*cap(p.order) + 8*cap(p.los) + 8*cap(p.his) + cap(p.slab)
	}
	if b := t.loaded; b != nil {
		n += 4*cap(b.entries) + 12*cap(b.spans)
	}
	return n
}

// Made is how many pages are there as such: all but those that the index was built with and
// that nothing has touched.
func (t *BTree) Made() int {
	n := 0
	for _, p := range t.pages[1:] {
		if p.sorted != virtual || p.packedAt != 0 {
			n++
		}
	}
	return n
}

// All calls yield with the heap TIDs of all entries in index order, until it
// returns false.
func (t *BTree) All(yield func(storage.TID) bool) {
	if len(t.pages) == 1 {
		return
	}
	p := t.pages[t.root]
	for !p.leaf() {
		p = t.pages[p.at(0).block]
	}
	for {
		t.settle(p)
		for i := range p.items {
			it := p.at(i)
			list := p.postingTIDs(it)
			if list == nil {
				list = appendTID(nil, it.tid())
			}
			for ; len(list) > 0; list = list[storage.TIDSize:] {
				if !yield(getTID(list)) {
					return
				}
			}
		}
		if p.next == storage.InvalidBlock {
			return
		}
		p = t.pages[p.next]
	}
}

// PageBytes writes page block as it is on disk, checksum left out; block 0 is the
// metapage.
func (t *BTree) PageBytes(dst *[storage.PageSize]byte, block storage.BlockNumber) {
	if block == 0 {
		metapage{t}.Bytes(dst)
		return
	}
	image{t, t.pages[block]}.Bytes(dst)
}
