package heap

// Hint bits that a sequential scan sets on its way. The rows that it passes are only
// counted (rank.go), but what it changes must be done: with page images it shows in
// their bytes, and where hints are logged in records of its own.

import (
	"math/bits"

	"applysim/wal"
	"applysim/wal/storage"
)

// passed remembers which pages a scan has nothing to do on: all versions there show
// how their transactions have ended.
type passed struct {
	todo []uint64 // a bit for each page that is not known to be done
	// When a page that has a bit was walked over: nothing has changed since if its LSN
	// is the same and no transaction has ended.
	at []walked
}

type walked struct {
	lsn  wal.LSN
	ends uint64
}

// changed notes that a page was changed.
func (s *passed) changed(b storage.BlockNumber) {
	s.grow(int(b) + 1)
	s.todo[b/64] |= 1 << (b % 64)
}

// grow makes room for n pages, all to be done.
func (s *passed) grow(n int) {
	for b := len(s.at); b < n; b++ {
		if b%64 == 0 {
			s.todo = append(s.todo, 0)
		}
		s.todo[b/64] |= 1 << (b % 64)
		s.at = append(s.at, walked{})
	}
}

// Pass sets the hint bits that a scan by a dirty snapshot sets which begins with page
// start, goes on with the first page after the last one, and ends when it has found a
// version, if it does.
func (t *Table) Pass(start storage.BlockNumber, end storage.TID, found bool) {
	if t.passed == nil {
		t.passed = &passed{}
	}
	t.passed.grow(t.pages.n)
	pages := storage.BlockNumber(t.pages.n)
	switch {
	case !found:
		t.passPages(start, pages)
		t.passPages(0, start)
	case end.Block >= start:
		t.passPages(start, end.Block)
		t.passPage(end.Block, int(end.Offset))
	default:
		t.passPages(start, pages)
		t.passPages(0, end.Block)
		t.passPage(end.Block, int(end.Offset))
	}
}

// passPages passes the pages from from to to, the latter excluded.
func (t *Table) passPages(from, to storage.BlockNumber) {
	s := t.passed
	for b := from; b < to; b++ {
		rest := s.todo[b/64] >> (b % 64)
		if rest == 0 {
			b |= 63
			continue
		}
		b += storage.BlockNumber(bits.TrailingZeros64(rest))
		if b >= to {
			return
		}
		w := walked{t.page(b).lsn, t.xacts.ends}
		if s.at[b] == w {
			continue
		}
		if t.passPage(b, len(t.page(b).items)) {
			s.todo[b/64] &^= 1 << (b % 64)
		}
		s.at[b] = walked{t.page(b).lsn, w.ends}
	}
}

// passPage passes the first n line pointers of a page. It returns true if all of them
// show how their transactions have ended.
func (t *Table) passPage(b storage.BlockNumber, n int) (done bool) {
	p := t.page(b)
	done = true
	for i := range min(n, len(p.items)) {
		if p.items[i].flags() != lpNormal {
			continue
		}
		h := p.header(storage.OffsetNumber(i + 1))
		if !h.hinted() {
			t.visible(p, h)
			done = done && h.hinted()
		}
	}
	return done
}

// hinted says whether a version shows how its transactions have ended.
func (h *header) hinted() bool {
	if h.infomask&xminCommitted == 0 {
		return h.infomask&xminInvalid != 0
	}
	return h.infomask&(xmaxInvalid|xmaxCommitted) != 0
}
