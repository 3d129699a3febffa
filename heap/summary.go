package heap

// What is kept of a page that was pruned, so that pruning it again need look only at
// what has changed since. Most versions of a page are settled: their hint bits say
// that they are live, and nobody has touched them. They stay, whatever happens to
// others, and so does a HOT chain whose members are settled.

import (
	"fmt"

	"applysim/wal/storage"
)

// Limits of a summary. A page with more changes is looked at whole once more.
const (
	maxUnsettled = 24
	maxYoung     = 8
)

// summary is what is known of a page's line pointers.
type summary struct {
	known     bool // the page is as the summary says; if not, the next pruning finds out
	changes   uint8
	unsettled [maxUnsettled]storage.OffsetNumber // versions that may not be settled, some twice
	normal    uint16                             // versions
	unused    uint16                             // unused line pointers
	lowest    storage.OffsetNumber               // no line pointer before it is unused

	// moved says that versions were moved together and that their new places have not
	// been computed: few ask for them. Young ones have come since, and have theirs.
	moved bool
	added uint8
	young [maxYoung]storage.OffsetNumber
}

// settled says whether pruning keeps the version as it is until somebody touches it.
func (h *header) settled() bool {
	return h.infomask&(xminCommitted|xmaxInvalid) == xminCommitted|xmaxInvalid
}

// unsettle notes that version off is changed.
func (p *page) unsettle(off storage.OffsetNumber) {
	s := p.summary
	if s == nil || !s.known {
		return
	}
	n := s.changes
	if n > 0 && (s.unsettled[n-1] == off || n > 1 && s.unsettled[n-2] == off) {
		return // as by an update: the old version, the new one, the old one again
	}
	if n == maxUnsettled {
		s.known = false
		return
	}
	s.unsettled[n] = off
	s.changes++
}

// join notes a version that was put on the page.
func (s *summary) join(p *page, off storage.OffsetNumber, reused bool) {
	s.normal++
	if reused {
		s.unused--
		s.lowest = off + 1
	}
	if s.moved {
		s.young[s.added] = off
		if s.added++; s.added == maxYoung {
			p.layout()
		}
	}
	p.unsettle(off)
}

// summarize brings the summary of a page that was pruned up to date: from the old one
// if that told what has changed. VACUUM, which sees every page once, makes no new one.
func (p *page) summarize(quick, vacuum bool) {
	s := p.summary
	if quick {
		s.settle(p)
		return
	}
	if s == nil {
		if vacuum {
			return
		}
		s = new(summary)
		p.summary = s
	}
	s.known, s.changes, s.normal, s.unused, s.lowest = true, 0, 0, 0, 0
	for i, lp := range p.items {
		switch lp.flags() {
		case lpUnused:
			if s.unused == 0 {
				s.lowest = storage.OffsetNumber(i + 1)
			}
			s.unused++
		case lpNormal:
			s.normal++
			if !p.headers[i].settled() {
				p.unsettle(storage.OffsetNumber(i + 1))
			}
		}
	}
}

// forget notes that the page's line pointers are about to change.
func (p *page) forget() {
	if p.summary != nil {
		p.summary.known = false
	}
}

// layout computes where the versions are that were moved together.
func (p *page) layout() {
	s := p.summary
	if s == nil || !s.moved {
		return
	}
	s.place(p.items, p.headers)
	s.moved, s.added = false, 0
}

func (s *summary) place(items []linePointer, headers []header) {
	var young [MaxHeapTuplesPerPage]bool
	for _, off := range s.young[:s.added] {
		young[off-1] = true
	}
	upper := storage.PageSize
	for i, lp := range items {
		if lp.flags() == lpNormal && !young[i] {
			upper -= storage.MaxAlign(lp.length())
			headers[i].place = uint16(upper)
		}
	}
}

// planChanged is planAll for a page whose summary tells which versions may have
// changed since it was pruned: only their chains are looked at.
func (t *Table) planChanged(p *page) {
	r, s := &t.pruning, p.summary
	changed := sorted(s.unsettled[:s.changes])
	s.changes = uint8(len(changed))
	t.Counters.PrunedTuples += int64(s.normal)
	var roots [2 * maxUnsettled]storage.OffsetNumber
	n := 0
	for _, off := range changed {
		h := &p.headers[off-1]
		root := off
		if h.infomask2&heapOnly != 0 {
			root = h.root()
		}
		roots[n] = root
		n++
		r.assume(p, root)
		if h.hotUpdated() {
			r.assume(p, h.offset)
		}
	}
	for i := len(changed) - 1; i >= 0; i-- {
		off := changed[i]
		r.processed[off] = false
		r.status[off] = t.statusOf(p, &p.headers[off-1])
	}
	for _, off := range sorted(roots[:n]) {
		if int(off) <= len(p.items) && !r.processed[off] {
			t.pruneRoot(p, off)
		}
	}
	for _, off := range changed {
		if !r.processed[off] {
			t.pruneOrphan(p, off)
		}
	}
}

// assume prepares for a line pointer that a chain with a changed version may lead to:
// unless it is changed too, it is what it was when the page was pruned.
func (r *pruning) assume(p *page, off storage.OffsetNumber) {
	if off < 1 || int(off) > len(p.items) {
		return
	}
	lp := p.items[off-1]
	r.processed[off] = lp.flags() == lpUnused || lp.flags() == lpDead
	r.status[off] = statusLive
	if lp.flags() == lpRedirect {
		r.status[off] = statusUnknown
		to := lp.redirect()
		r.processed[to], r.status[to] = false, statusLive
	}
}

// sorted sorts a few offset numbers and drops those that are there twice.
func sorted(a []storage.OffsetNumber) []storage.OffsetNumber {
	for i := 1; i < len(a); i++ {
		v, j := a[i], i
		for ; j > 0 && a[j-1] > v; j-- {
			a[j] = a[j-1]
		}
		a[j] = v
	}
	n := 0
	for i, v := range a {
		if i == 0 || v != a[n-1] {
			a[n] = v
			n++
		}
	}
	return a[:n]
}

// closeGaps is repairFragmentation for a page with a summary, after versions that took
// freed bytes were removed.
func (p *page) closeGaps(freed int, unused []storage.OffsetNumber, work []byte) []byte {
	s := p.summary
	for _, off := range unused {
		if s.unused == 0 || off < s.lowest {
			s.lowest = off
		}
		s.unused++
	}
	last := len(p.items)
	for last > 0 && p.items[last-1].flags() == lpUnused {
		last--
		s.unused--
	}
	p.freeLines = s.unused > 0
	p.items, p.headers = p.items[:last], p.headers[:last]
	p.lower = uint16(storage.PageHeaderSize + storage.LinePointerSize*last)
	p.upper += uint16(freed)
	s.moved, s.added = true, 0
	return p.compact(work)
}

// settle drops versions that are settled now, or gone, from the summary.
func (s *summary) settle(p *page) {
	n := 0
	for _, off := range s.unsettled[:s.changes] {
		if int(off) <= len(p.items) && p.items[off-1].flags() == lpNormal && !p.headers[off-1].settled() {
			s.unsettled[n] = off
			n++
		}
	}
	s.changes = uint8(n)
}

// check compares the summary with the page.
func (s *summary) check(p *page) error {
	if !s.known {
		return nil
	}
	normal, unused := 0, 0
	for i, lp := range p.items {
		off := storage.OffsetNumber(i + 1)
		switch lp.flags() {
		case lpUnused:
			unused++
			if off < s.lowest {
				return fmt.Errorf("item %d is unused, the summary has none before %d", off, s.lowest)
			}
		case lpNormal:
			normal++
			listed := false
			for _, u := range s.unsettled[:s.changes] {
				listed = listed || u == off
			}
			if !listed && !p.headers[i].settled() {
				return fmt.Errorf("item %d is not settled, which the summary does not say", off)
			}
		}
	}
	if normal != int(s.normal) || unused != int(s.unused) {
		return fmt.Errorf("%d versions and %d unused line pointers, the summary has %d and %d", normal, unused, s.normal, s.unused)
	}
	return nil
}
