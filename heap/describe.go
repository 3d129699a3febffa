package heap

import (
	"strconv"

	"applysim/wal"
	"applysim/wal/storage"
)

// Pages is the length of the table's main fork, in pages.
func (t *Table) Pages() int { return t.pages.n }

// LinePointer is one ItemIdData of a page.
type LinePointer struct {
	Offset int // lp_off
	Flags  int // lp_flags
	Length int // lp_len
}

// PageBytes writes page block as it is on disk, checksum left out.
func (t *Table) PageBytes(dst *[storage.PageSize]byte, block storage.BlockNumber) {
	p := t.page(block)
	if p.blank {
		*dst = [storage.PageSize]byte{}
		return
	}
	t.pageBytes(p, dst)
}

// PageHeader is what pageinspect's page_header shows of a page, as far as it is
// modelled.
type PageHeader struct {
	LSN          wal.LSN
	Lower, Upper int
}

// Header describes page block.
func (t *Table) Header(block storage.BlockNumber) PageHeader {
	p := t.pages.at(block)
	lower, upper := p.bounds()
	return PageHeader{p.lsn, lower, upper}
}

// LinePointers appends the line pointers of page block to dst.
func (t *Table) LinePointers(dst []LinePointer, block storage.BlockNumber) []LinePointer {
	p := t.look(block)
	var room [MaxHeapTuplesPerPage]uint16
	places := p.places(room[:0])
	for i, lp := range p.items {
		dst = append(dst, LinePointer{int(places[i]), lp.flags(), lp.length()})
	}
	return dst
}

// AppendPageLine appends the page as a line of the recordings' pages.tsv.gz:
// lower, upper, then lp_off,lp_flags,lp_len of each line pointer.
func (t *Table) AppendPageLine(dst []byte, block storage.BlockNumber) []byte {
	p := t.look(block)
	var room [MaxHeapTuplesPerPage]uint16
	places := p.places(room[:0])
	lower, upper := p.bounds()
	dst = append(dst, "heap\t"...)
	dst = append(dst, t.opts.Name...)
	for _, n := range []int{int(block), lower, upper} {
		dst = append(dst, '\t')
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	dst = append(dst, '\t')
	for i, lp := range p.items {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = strconv.AppendInt(dst, int64(places[i]), 10)
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, int64(lp.flags()), 10)
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, int64(lp.length()), 10)
	}
	return dst
}

// Body returns a row version's body, see bodySize; it must not be
// changed. It returns nil if there is no such version.
func (t *Table) Body(tid storage.TID) []byte {
	if int(tid.Block) >= t.pages.n {
		return nil
	}
	p := t.page(tid.Block)
	if tid.Offset == 0 || int(tid.Offset) > len(p.items) {
		return nil
	}
	if p.items[tid.Offset-1].flags() != lpNormal {
		return nil
	}
	return p.body(tid.Offset)
}

// pageMemory is what a page takes beside its arrays, in bytes, about.
const pageMemory = 144

// Memory is how many bytes of memory the table's pages take, about.
func (t *Table) Memory() int {
	n := storage.PageSize * t.fsm.Pages()
	for i := range t.pages.n {
		p := t.pages.at(storage.BlockNumber(i))
		bodies, items := cap(p.bodies), cap(p.items)
		if t.owner == p.block { // what follows is free, and was not touched
			bodies, items = len(p.bodies), len(p.items)
		}
		n += pageMemory + bodies + 4*items + 12*cap(p.runs) + 24*cap(p.headers)
	}
	if l := t.loaded; l != nil {
		n += 4 * (cap(l.first) + cap(l.order))
	}
	return n
}

// Made is how many pages are there as such: all but those of loaded rows that nothing has
// touched.
func (t *Table) Made() int {
	n := 0
	for i := range t.pages.n {
		if !t.pages.at(storage.BlockNumber(i)).virtual() {
			n++
		}
	}
	return n
}

// bounds is pd_lower and pd_upper, which a blank page does not have.
func (p *page) bounds() (lower, upper int) {
	if p.blank {
		return 0, 0
	}
	return int(p.lower), int(p.upper)
}

// RecordedSpace is what the free space map has recorded of a page, in bytes.
func (t *Table) RecordedSpace(block storage.BlockNumber) int { return t.fsm.Space(block) }

// VisibilityBits are a page's bits in the visibility map.
func (t *Table) VisibilityBits(block storage.BlockNumber) uint8 { return t.vm.get(block) }
