package heap

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// maxQuick is how many versions may go for pruneQuick.
const maxQuick = 8

// pruneQuick is prune for what it finds most often, on a page whose summary is true:
// since the page was pruned last, rows were updated in place once, deleted or moved, and
// what that left is dead to everybody; or they were inserted. Everything is known then
// without following chains. It returns false, and has done nothing, if that is not so.
func (t *Table) pruneQuick(p *page, typ wal.RecordType) bool {
	s, x := p.summary, t.xacts
	if len(x.prepared)+len(x.levels)+len(x.aborted) > 0 || x.held != 0 {
		return false
	}
	changed := sorted(s.unsettled[:s.changes])
	s.changes = uint8(len(changed))
	var ended [maxQuick]storage.OffsetNumber
	n, followed := 0, 0
	items := p.items
	headers := p.headers[:len(items)]
	for _, off := range changed {
		at := int(off) - 1
		if uint(at) >= uint(len(items)) || items[at].flags() != lpNormal {
			return false
		}
		h := &headers[at]
		if h.infomask&(xminInvalid|xmaxIsMulti) != 0 || h.xmin == x.Current {
			return false
		}
		first := off // version of its chain
		if h.infomask2&heapOnly != 0 {
			first = h.root()
			root := int(first) - 1
			if uint(root) >= uint(len(items)) {
				return false
			}
			if lp := items[root]; lp.flags() == lpRedirect {
				first = lp.redirect()
			}
		}
		if h.infomask&(xmaxInvalid|xmaxLockOnly) != 0 {
			switch {
			case h.infomask2&hotUpdated != 0, h.infomask&xmaxInvalid == 0 && h.xmax == x.Current:
				return false
			case first == off:
			case items[first-1].flags() == lpNormal && headers[first-1].leadsTo(p, off, h):
				followed--
			default:
				return false
			}
			continue
		}
		// The version has ended.
		if first != off || n == maxQuick || h.xmax == x.Current || !x.removable(h.xmax) {
			return false
		}
		if h.infomask2&hotUpdated != 0 {
			if next := h.offset; next < 1 || int(next) > len(p.items) || !h.leadsTo(p, next, &p.headers[next-1]) {
				return false
			}
			followed++
		}
		ended[n] = off
		n++
	}
	if followed != 0 {
		return false
	}

	c := &t.Counters
	c.PrunedTuples += int64(s.normal)
	before := *c
	for i := len(changed) - 1; i >= 0; i-- {
		t.statusOf(p, &p.headers[changed[i]-1])
	}
	c.countPruned(&before)
	if n > 0 {
		p.pruneXID, p.full = 0, false
		t.removeEnded(p, ended[:n], typ)
	} else if p.pruneXID != 0 || p.full {
		p.pruneXID, p.full = 0, false
		t.dirtyHint(p)
	}
	if n == 0 {
		s.settle(p)
	}
	return true
}

// leadsTo says whether an update that has replaced h has made version off of the page,
// whose header is nu.
func (h *header) leadsTo(p *page, off storage.OffsetNumber, nu *header) bool {
	return h.infomask2&hotUpdated != 0 && h.infomask&(xmaxInvalid|xmaxLockOnly) == 0 && h.offset == off && h.block == p.block &&
		nu.infomask2&heapOnly != 0 && nu.xmin == h.xmax && p.items[off-1].flags() == lpNormal
}

// removeEnded takes versions away that have ended, each the first of its chain, and
// writes the record.
func (t *Table) removeEnded(p *page, ended []storage.OffsetNumber, typ wal.RecordType) {
	r := &t.pruning
	r.unused = r.unused[:0]
	redirects, dead, main, freed := 0, 0, 0, 0
	for _, off := range ended {
		h := &p.headers[off-1]
		if h.xmax != h.xmin { // else it is of no interest to standbys
			main = sizeOfXID
		}
		freed += p.vacate(off)
		root := off
		if h.infomask2&heapOnly != 0 {
			root = h.root()
			r.unused = append(r.unused, off)
			p.items[off-1] = makeLinePointer(lpUnused, 0)
		}
		if h.infomask2&hotUpdated != 0 {
			p.items[root-1].setRedirect(h.offset)
			redirects++
		} else {
			p.items[root-1] = makeLinePointer(lpDead, 0)
			dead++
		}
	}
	t.Counters.Pruned += int64(len(ended))
	t.dead -= int64(redirects)
	data := 0
	if redirects > 0 {
		data += pruneItemsHeader + 2*offsetSize*redirects
	}
	if dead > 0 {
		data += pruneItemsHeader + offsetSize*dead
	}
	if k := len(r.unused); k > 0 {
		data += pruneItemsHeader + offsetSize*k
	}
	t.work = p.closeGaps(freed, r.unused, t.work)
	p.summary.settle(p)
	t.write(typ, p, data, main)
}
