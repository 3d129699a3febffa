package heap

// Hint bits that a sequential scan sets on its way. The rows that it passes are only
// counted (rank.go), but what it changes must be done: with page images it shows in
// their bytes, and where hints are logged in records of its own.

import (
	"math/bits"

	"applysim/wal"
	"applysim/wal/storage"
)

// passed remembers which pages a scan has something to do on. All others show how the
// transactions of their versions have ended, or wait until they can.
type passed struct {
	pages []passedPage
	todo  []uint64 // a bit for each page that may have something to do
	looks []uint64 // a bit for each other page where a scan looks transactions up

	// Pages with versions of transactions that were running, as of so many ends.
	running []storage.BlockNumber
	ends    uint64
	// Pages with versions of transactions whose commits were not on disk, and the least
	// LSN of such a commit.
	unflushed []unflushed
	least     wal.LSN
}

// passedPage is what a scan does on a page on which it changes nothing: it looks up the
// transactions of some versions.
type passedPage struct {
	looks int32  // how many
	first uint32 // the first transaction
	last  uint32 // the last one
	turns int32  // how often one follows another
	// counted is how many transactions had ended when this was counted last.
	counted uint64
	mixed   bool // there are others too
}

type unflushed struct {
	block storage.BlockNumber
	lsn   wal.LSN
}

// changed notes that a page was changed.
func (s *passed) changed(b storage.BlockNumber) {
	s.grow(int(b) + 1)
	s.todo[b/64] |= 1 << (b % 64)
}

// grow makes room for n pages, all to be done.
func (s *passed) grow(n int) {
	for b := len(s.pages); b < n; b++ {
		if b%64 == 0 {
			s.todo, s.looks = append(s.todo, 0), append(s.looks, 0)
		}
		s.todo[b/64] |= 1 << (b % 64)
		s.pages = append(s.pages, passedPage{})
	}
}

// wake notes the pages that waited for what has come.
func (s *passed) wake(x *Transactions) {
	if s.ends == x.ends {
		return
	}
	s.ends = x.ends
	for _, b := range s.running {
		s.changed(b)
	}
	s.running = s.running[:0]
	if len(s.unflushed) == 0 || s.least > x.Flushed {
		return
	}
	waiting := s.unflushed
	s.unflushed = s.unflushed[:0]
	for _, u := range waiting {
		if u.lsn <= x.Flushed {
			s.changed(u.block)
		} else {
			s.wait(u)
		}
	}
}

// wait notes that a page waits for an LSN.
func (s *passed) wait(u unflushed) {
	if len(s.unflushed) == 0 || u.lsn < s.least {
		s.least = u.lsn
	}
	s.unflushed = append(s.unflushed, u)
}

// Pass sets the hint bits that a scan by a dirty snapshot sets which begins with page
// start, goes on with the first page after the last one, and ends when it has found a
// version, if it does.
func (t *Table) Pass(start storage.BlockNumber, end storage.TID, found bool) {
	if t.passed == nil {
		t.passed = &passed{}
	}
	t.passed.grow(t.pages.n)
	t.passed.wake(t.xacts)
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
		rest := (s.todo[b/64] | s.looks[b/64]) >> (b % 64)
		if rest == 0 {
			b |= 63
			continue
		}
		b += storage.BlockNumber(bits.TrailingZeros64(rest))
		if b >= to {
			return
		}
		if s.todo[b/64]>>(b%64)&1 == 0 {
			w := &s.pages[b]
			t.xacts.lookAgain(w)
			if w.counted == t.xacts.ends {
				// While a transaction lasts the WAL writer flushes what came before it, which is
				// seen here only when it ends: a real scan would look up no more.
				continue
			}
			w.counted = t.xacts.ends
			t.Counters.StatusChecks += int64(w.looks)
			t.Counters.Unhinted += int64(w.looks)
			t.Counters.StatusFetches += int64(w.turns)
			if t.fetched != w.first {
				t.Counters.StatusFetches++
			}
			t.fetched = w.last
			continue
		}
		s.todo[b/64] &^= 1 << (b % 64)
		w := t.passPage(b, len(t.page(b).items))
		if w.running {
			s.running = append(s.running, b)
		}
		s.looks[b/64] &^= 1 << (b % 64)
		if w.looks > 0 {
			s.wait(unflushed{b, w.flush})
			s.looks[b/64] |= 1 << (b % 64)
		}
		w.counted = t.xacts.ends
		s.pages[b] = w.passedPage
	}
}

// waiting is what a page waits for until a scan has something to do there.
type waiting struct {
	passedPage
	running bool    // that a transaction ends
	flush   wal.LSN // that the log is on disk so far, if transactions are looked up
}

// passPage passes the first n line pointers of a page.
func (t *Table) passPage(b storage.BlockNumber, n int) (w waiting) {
	p := t.page(b)
	for i := range min(n, len(p.items)) {
		if p.items[i].flags() != lpNormal {
			continue
		}
		h := p.header(storage.OffsetNumber(i + 1))
		if h.hinted() {
			continue
		}
		fetched, lsn := t.xacts.fetched, t.xacts.fetchedLSN
		t.visible(p, h)
		if h.hinted() {
			continue
		}
		w.await(t.xacts, h, fetched, lsn)
	}
	return w
}

// await adds what a version waits for that shows not yet how its transactions have ended.
// lsn is the commit LSN of the transaction that was looked up last before it.
func (w *waiting) await(x *Transactions, h *header, fetched uint32, lsn wal.LSN) {
	look := func(xid uint32) (ended bool) {
		if x.inProgress(xid) {
			w.running = true
			return false
		}
		at := x.groupLSN(xid)
		if xid == fetched {
			at = min(at, lsn)
		}
		if w.looks == 0 {
			w.flush = at
		}
		w.flush = min(w.flush, at)
		if w.looks == 0 {
			w.first = xid
		} else if w.last != xid {
			w.mixed = true
			w.turns++
		}
		w.last = xid
		w.looks++
		return true
	}
	if h.infomask&xminCommitted == 0 && !look(h.xmin) {
		return
	}
	if h.infomask&(xmaxInvalid|xmaxCommitted|xmaxIsMulti) == 0 {
		look(h.xmax)
	}
}

// lookAgain looks the transactions of a page up as a scan does that changes nothing there:
// the last one is remembered.
func (x *Transactions) lookAgain(p *passedPage) {
	if p.mixed {
		x.fetched = 0
	}
	if x.fetched != p.last {
		x.fetched, x.fetchedLSN = p.last, x.groupLSN(p.last)
	}
}

// hinted says whether a version shows how its transactions have ended.
func (h *header) hinted() bool {
	if h.infomask&xminCommitted == 0 {
		return h.infomask&xminInvalid != 0
	}
	return h.infomask&(xmaxInvalid|xmaxCommitted) != 0
}
