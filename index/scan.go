package index

// Looking up rows by key, after nbtree.c (btgettuple) and nbtutils.c
// (_bt_killitems).

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Scan goes over the entries that equal given values, in index order, and
// follows each to the heap.
type Scan struct {
	t    *BTree
	key  key
	want []datum.Value // values of the key columns to match
	use  []bool        // which of them are given

	page   *page
	at     int    // place of the current item
	list   []byte // what is left of its posting list
	tids   int    // heap TIDs of the current item so far,
	dead   int    // and how many of them led to nothing but dead versions
	killed []uint16
	stay   storage.BlockNumber
	done   bool
}

// Lookup begins a scan for entries whose key columns equal values. use says which
// columns are given, nil for all; a value that is NULL matches NULLs. Columns
// that follow one that is not given do not narrow the search, only its result.
func (t *BTree) Lookup(values []datum.Value, use []bool) *Scan {
	s := &t.scan
	s.t, s.page, s.at, s.list, s.tids, s.dead, s.done = t, nil, 0, nil, 0, 0, false
	s.want, s.use, s.killed, s.stay = append(s.want[:0], values[:t.opts.Keys]...), append(s.use[:0], use...), s.killed[:0], storage.InvalidBlock
	s.key.nulls, s.key.size, s.key.tid = 0, 0, storage.TID{}
	t.Counters.Lookups++
	if len(t.pages) == 1 {
		s.done = true
		return s
	}
	n := t.opts.Keys
	if use != nil {
		n = 0
		for n < t.opts.Keys && use[n] {
			n++
		}
	}
	s.key.values = s.want[:n]
	s.key.abbrev = t.abbreviate(s.key.values)
	s.key.whole = t.plan.whole && n == t.opts.Keys && t.certain(s.key.abbrev)
	for i := range s.key.values {
		s.key.whole = s.key.whole && !s.key.values[i].Null
	}
	if s.key.whole {
		s.page = t.leafBefore(&s.key)
	} else {
		s.page = t.descendTo(s.key.values, s.key.abbrev)
	}
	t.settle(s.page)
	t.came(s.page)
	t.Counters.LookupLevels += int64(t.pages[t.root].level) + 1
	if s.key.whole {
		s.at = t.lowerBound(&s.key, s.page) - 1
	} else {
		s.at = t.firstNotBefore(s.key.values, s.key.abbrev, s.page) - 1
	}
	if t.counts(t.Counters.Lookups) {
		t.countLookup(&s.key)
	}
	s.countPage()
	return s
}

// leafBefore finds the leaf where the first entry with a key would be that its
// abbreviation holds whole and that has no heap TID, so that it is before all its
// equals.
func (t *BTree) leafBefore(k *key) *page {
	b := &t.bounds
	if !b.valid {
		t.findBounds()
	}
	if k.hi > b.rightmost {
		return t.pages[t.rightmost]
	}
	if !b.guess {
		return t.descend(k)
	}
	slot := (k.hi - b.least) >> (b.shift & 63) % guesses
	if n := t.guessed[slot]; n != 0 && int(n) < len(t.pages) {
		if p := t.pages[n]; p.level == 0 && !p.halfDead && !p.deleted && t.within(k, p) {
			return p
		}
	}
	p := t.descend(k)
	t.guessed[slot] = p.block
	return p
}

// descendTo finds the leaf where the first entry with the given leading columns
// may be.
func (t *BTree) descendTo(values []datum.Value, a abbrev) *page {
	p := t.pages[t.root]
	for p.level > 0 {
		p = t.pages[p.at(t.lastBefore(values, a, p)).block]
	}
	return p
}

// pivotBefore says whether a pivot is before all entries with the given leading
// columns. One that has been truncated to those columns is.
func (t *BTree) pivotBefore(values []datum.Value, a abbrev, p *page, n uint16) bool {
	u := t.tuple(p, n)
	if c := t.comparePrefix(values, a, &u); c != 0 {
		return c > 0
	}
	e := p.entry(p.items[n].ref)
	return u.natts < len(values) || u.natts == len(values) && len(values) == t.opts.Keys && e.flags&entryPivotTID == 0
}

// comparePrefix compares leading column values with a tuple's columns, as many
// as both have.
func (t *BTree) comparePrefix(values []datum.Value, a abbrev, u *tuple) int {
	natts := min(len(values), u.natts)
	x, y := t.leading(a, natts), t.leading(u.abbrev, natts)
	if x != y {
		if x.less(y) {
			return -1
		}
		return 1
	}
	at := 0
	v := &t.probe
	for i := range natts {
		*v, at = t.column(u, i, at)
		if c := t.compareValue(i, &values[i], v); c != 0 {
			return c
		}
	}
	return 0
}

// firstNotBefore returns the place of the first item of a leaf whose leading
// columns are not less than the given ones.
func (t *BTree) firstNotBefore(values []datum.Value, a abbrev, p *page) int {
	lo, hi := 0, len(p.items)
	x := t.leading(a, len(values))
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		n := p.nth(mid)
		// Leaf items have all columns: most comparisons end here.
		if y := t.leading(abbrev{p.items[n].hi, p.lo(n)}, len(values)); x != y {
			if y.less(x) {
				lo = mid + 1
			} else {
				hi = mid
			}
			continue
		}
		u := t.tuple(p, n)
		if t.comparePrefix(values, a, &u) > 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// Next returns the next row version that an entry leads to and a dirty snapshot
// sees.
func (s *Scan) Next() (storage.TID, bool) {
	for {
		tid, ok := s.nextTID()
		if !ok {
			return storage.TID{}, false
		}
		s.t.Counters.LookupTIDs++
		found, live, dead := s.t.heap.Fetch(s.stay, tid)
		s.stay = tid.Block
		if live {
			s.t.Counters.LookupRows++
			return found, true
		}
		if dead {
			s.dead++
			if len(s.list) == 0 && s.dead == s.tids {
				s.killed = append(s.killed, s.page.nth(s.at))
			}
		}
	}
}

// NextEntry returns the next heap TID of an entry, whatever is there.
func (s *Scan) NextEntry() (storage.TID, bool) { return s.nextTID() }

// nextTID moves to the next heap TID of an entry that matches. Items that are
// marked dead are passed over.
func (s *Scan) nextTID() (storage.TID, bool) {
	t := s.t
	for !s.done {
		if len(s.list) > 0 {
			tid := getTID(s.list)
			s.list = s.list[storage.TIDSize:]
			s.tids++
			return tid, true
		}
		s.leave()
		s.at++
		if s.at >= len(s.page.items) {
			if !s.page.hasHigh {
				break
			}
			u := t.highTuple(s.page)
			if t.comparePrefix(s.key.values, s.key.abbrev, &u) < 0 {
				break
			}
			s.markKilled()
			s.page, s.at = t.pages[s.page.next], -1
			t.settle(s.page)
			s.countPage()
			continue
		}
		m := s.page.nth(s.at)
		it := &s.page.items[m]
		if s.key.whole && s.page.whole(it) {
			if s.key.hi < it.hi || s.key.hi == it.hi && s.key.lo < s.page.lo(m) {
				break
			}
			if it.dead() {
				continue
			}
		} else {
			u := t.tuple(s.page, m)
			if t.comparePrefix(s.key.values, s.key.abbrev, &u) < 0 {
				break
			}
			if it.dead() || !s.matches(&u) {
				continue
			}
		}
		s.tids, s.dead = 0, 0
		if s.list = s.page.postingTIDs(it); s.list == nil {
			s.tids = 1
			return it.tid(), true
		}
	}
	s.done = true
	return storage.TID{}, false
}

// matches checks the columns that did not narrow the search.
func (s *Scan) matches(u *tuple) bool {
	if len(s.key.values) == s.t.opts.Keys {
		return true
	}
	at := 0
	v := &s.t.probe
	for i := range s.t.opts.Keys {
		*v, at = s.t.column(u, i, at)
		if i >= len(s.key.values) && s.use[i] && s.t.compareValue(i, &s.want[i], v) != 0 {
			return false
		}
	}
	return true
}

// leave counts, when the scan goes on after an item, what it will take in vain to mark
// the item for those of its heap TIDs that led to dead versions only: for each but the
// one that succeeds, if all are dead, _bt_killitems goes through the rest of the page.
func (s *Scan) leave() {
	if s.dead == 0 {
		return
	}
	failed := s.dead
	if len(s.list) == 0 && s.dead == s.tids {
		failed--
	}
	s.t.Counters.KillLooks += int64(failed * (len(s.page.items) - s.at))
	s.dead = 0
}

// markKilled marks the items of the current page as dead that led to nothing
// but dead versions. The page changes once, however many there are.
func (s *Scan) markKilled() {
	s.leave()
	any := false
	for _, n := range s.killed {
		if it := &s.page.items[n]; !it.dead() {
			it.offset |= deadBit
			s.t.Counters.Killed++
			any = true
		}
	}
	if any {
		s.page.garbage, s.page.killed = true, true
		s.t.dirtyHint(s.page)
	}
	s.killed = s.killed[:0]
}

// End ends the scan: it marks dead items, as the end of an index scan does.
func (s *Scan) End() {
	if s.page != nil {
		s.markKilled()
	}
	s.done = true
}
