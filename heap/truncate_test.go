package heap

import (
	"testing"

	"applysim/wal"
	"applysim/wal/storage"
)

// TestVisibilityMapTruncate cuts the map where the table ends: the last page stays
// and loses the bits beyond, unless the table ends with a page of the map.
func TestVisibilityMapTruncate(t *testing.T) {
	filled := func() *visibilityMap {
		m := new(visibilityMap)
		for b := range 2*vmBlocksPerPage + 5 {
			m.bits = append(m.bits, vmAllVisible|vmAllFrozen)
			m.page(storage.BlockNumber(b))
		}
		return m
	}
	for _, x := range []struct{ n, pages, last int }{
		{2*vmBlocksPerPage + 3, 3, 2}, {2 * vmBlocksPerPage, 2, -1}, {2*vmBlocksPerPage - 1, 2, 1},
		{vmBlocksPerPage, 1, -1}, {1, 1, 0}, {0, 0, -1},
	} {
		m := filled()
		last := m.truncate(x.n)
		if len(m.pages) != x.pages || (last == nil) != (x.last < 0) || last != nil && last.n != x.last {
			t.Errorf("%d heap pages: %d pages of the map, last %v", x.n, len(m.pages), last)
		}
		if m.get(storage.BlockNumber(x.n)) != 0 || x.n > 0 && m.get(storage.BlockNumber(x.n-1)) == 0 {
			t.Errorf("%d heap pages: wrong bits at the end", x.n)
		}
		var b [storage.PageSize]byte
		if last != nil {
			last.Bytes(&b)
			if at := storage.PageHeaderSize + x.n%vmBlocksPerPage/4; b[at]>>(x.n%4*2) != 0 {
				t.Errorf("%d heap pages: byte %d of the map is %x", x.n, at, b[at])
			}
		}
	}
	if last := new(visibilityMap).truncate(7); last != nil {
		t.Error("a map that is not there has a page")
	}
}

// TestRemains checks what shows between versions on a page that was pruned: bytes of
// the version that was there before, and zero where line pointers were cut off.
func TestRemains(t *testing.T) {
	p := newPage(0)
	p.bodies = []byte("0 versionOne1")
	r := remains{bytes: new([storage.PageSize]byte), offsets: []uint16{8160, 8120, 8080}}
	for i := range r.bytes {
		r.bytes[i] = byte(i)
	}
	p.items = []linePointer{makeLinePointer(lpUnused, 0), makeLinePointer(lpNormal, 33)}
	p.headers = []header{{}, {place: 8152}}
	p.lower = 32
	r.leave(&p)
	for i := range 40 { // the second version moved, with its padding
		if p.gone.stale[8152+i] != r.bytes[8120+i] {
			t.Fatalf("byte %d is %d", 8152+i, p.gone.stale[8152+i])
		}
	}
	if p.gone.stale[8151] != r.bytes[8151] {
		t.Error("what was below is gone")
	}
	if [4]byte(p.gone.stale[32:36]) != [4]byte{} || p.gone.stale[36] != r.bytes[36] {
		t.Error("only the line pointer that was cut off is zero")
	}
	// Nothing is kept without compression.
	h := &Table{log: wal.NewLog(wal.Options{Start: 0x1000028})}
	if h.keepRemains(&p).bytes != nil {
		t.Error("bytes are kept although nobody sees them")
	}
}
