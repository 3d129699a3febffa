package index

// Index scans of a backend, after nbtsearch.c (_bt_readpage, _bt_steppage) and
// nbtutils.c (_bt_killitems).

import (
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// Reader goes over the heap TIDs of entries in index order as the scan of a backend
// does: what matches on a leaf is noted when the scan comes there, and the leaf is let
// go, so that entries which turn out to be dead are marked only if nobody has changed
// the leaf meanwhile, the scan's own statement included.
type Reader struct {
	t     *BTree
	want  []datum.Value                   // values of the leading key columns
	match func(values []datum.Value) bool // nil: the leading columns say it all
	row   []datum.Value

	page   *page
	next   storage.BlockNumber // the leaf after it, InvalidBlock if there cannot be more
	lsn    wal.LSN
	noted  []noted
	at     int
	dead   int // TIDs of the current item that led to nothing but dead versions
	killed []uint16
}

// noted is a heap TID of an entry.
type noted struct {
	tid  storage.TID
	item uint16
	last bool // of its item
	of   int  // so many TIDs the item has
}

// Read begins a scan of the entries whose leading key columns equal values and whose
// key columns match.
func (t *BTree) Read(values []datum.Value, match func(values []datum.Value) bool) *Reader {
	r := &Reader{t: t, match: match, next: storage.InvalidBlock}
	if len(t.pages) == 1 {
		return r
	}
	r.want = append(r.want, values...)
	t.Counters.Lookups++
	t.Counters.LookupLevels += int64(t.pages[t.root].level) + 1
	r.note(t.descendTo(r.want, t.abbreviate(r.want)))
	return r
}

// note notes the TIDs of a leaf's entries that match.
func (r *Reader) note(p *page) {
	t := r.t
	t.settle(p)
	r.page, r.next, r.lsn = p, storage.InvalidBlock, p.lsn
	r.noted, r.at, r.dead = r.noted[:0], 0, 0
	a := t.abbreviate(r.want)
	for at := t.firstNotBefore(r.want, a, p); at < len(p.items); at++ {
		n := p.nth(at)
		it := &p.items[n]
		u := t.tuple(p, n)
		if t.comparePrefix(r.want, a, &u) < 0 {
			return
		}
		if it.dead() || !r.matches(&u) {
			continue
		}
		list := p.postingTIDs(it)
		if list == nil {
			r.noted = append(r.noted, noted{it.tid(), n, true, 1})
			continue
		}
		for of := len(list) / storage.TIDSize; len(list) > 0; list = list[storage.TIDSize:] {
			r.noted = append(r.noted, noted{getTID(list), n, len(list) == storage.TIDSize, of})
		}
	}
	if !p.hasHigh {
		return
	}
	if u := t.highTuple(p); t.comparePrefix(r.want, a, &u) >= 0 {
		r.next = p.next
	}
}

// matches evaluates the condition for an entry.
func (r *Reader) matches(u *tuple) bool {
	if r.match == nil {
		return true
	}
	r.row = r.row[:0]
	at := 0
	for i := range r.t.opts.Keys {
		var v datum.Value
		v, at = r.t.column(u, i, at)
		r.row = append(r.row, v)
	}
	return r.match(r.row)
}

// Next returns the next heap TID.
func (r *Reader) Next() (storage.TID, bool) {
	for r.at == len(r.noted) {
		if r.page == nil || r.next == storage.InvalidBlock {
			return storage.TID{}, false
		}
		r.markKilled()
		r.note(r.t.pages[r.next])
	}
	n := &r.noted[r.at]
	if r.at == 0 || r.noted[r.at-1].last {
		r.dead = 0
	}
	r.at++
	return n.tid, true
}

// Dead notes that the last TID has led to nothing but versions that nobody sees.
func (r *Reader) Dead() {
	n := &r.noted[r.at-1]
	if r.dead++; n.last && r.dead == n.of {
		r.killed = append(r.killed, n.item)
	}
}

// markKilled marks entries as dead before the scan leaves the leaf.
func (r *Reader) markKilled() {
	if len(r.killed) > 0 && r.page.lsn == r.lsn {
		for _, n := range r.killed {
			if it := &r.page.items[n]; !it.dead() {
				it.offset |= deadBit
				r.t.Counters.Killed++
			}
		}
		r.page.garbage, r.page.killed = true, true
		r.t.dirtyHint(r.page)
	}
	r.killed = r.killed[:0]
}

// End ends the scan.
func (r *Reader) End() {
	if r.page != nil {
		r.markKilled()
	}
	r.page = nil
}

// Level is the level of the root, 0 for a leaf and for an index without pages.
func (t *BTree) Level() int {
	if len(t.pages) == 1 {
		return 0
	}
	return t.pages[t.root].level
}
