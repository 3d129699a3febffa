package index

// Counting what searches compare, after nbtsearch.c (_bt_search, _bt_moveright,
// _bt_binsrch, _bt_compare). The model's own searches take short cuts, so that
// their comparisons are not those of the real ones.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// The first insertions and the first lookups are all counted, later ones one in so
// many; those between are taken to compare as often as the last one that was counted.
// In an index that is large already little changes from one search to the next: each
// time that their number has doubled, those that are counted stand twice as far apart.
const (
	searchesCounted = 1024
	searchesApart   = 128
	searchesSteady  = 1 << 15
)

// isCounted says whether the n-th search is counted.
func isCounted(n int64) bool {
	if n <= searchesCounted {
		return true
	}
	if n%searchesApart != 0 {
		return false
	}
	apart := int64(searchesApart)
	for steady := int64(searchesSteady); n > steady; steady *= 2 {
		apart *= 2
	}
	return n%apart == 0
}

// Comparisons are what searches compared.
type Comparisons struct {
	Items   int64   // the key with an item or a high key
	TIDs    int64   // those of them that the heap TID decided
	Columns []int64 // for each key column, how often it was compared
}

// add adds what n searches compared of which each compared as d says.
func (c *Comparisons) add(d *Comparisons, n int64) {
	c.Items += n * d.Items
	c.TIDs += n * d.TIDs
	for i, v := range d.Columns {
		c.Columns[i] += n * v
	}
}

// counting counts the searches of one kind.
type counting struct {
	before Comparisons // of the searches before the last one that was counted,
	last   Comparisons // of that one,
	at     int64       // and its number
	aside  Comparisons // last, while all are counted
}

// countAll prepares for counting all searches after the n-th: those so far are summed up,
// and what the last one compared is put aside. Afterwards it holds again, if there was
// none.
func (c *counting) countAll(n int64, on bool) {
	if !on {
		if c.at == n+1 {
			c.last = c.aside
		}
		return
	}
	c.before.add(&c.last, n+1-c.at)
	c.at = n + 1
	c.aside = c.last
	c.last = Comparisons{Columns: make([]int64, len(c.aside.Columns))}
}

// begin begins to count search n.
func (c *counting) begin(n int64) {
	c.before.add(&c.last, n-c.at)
	c.at = n
	c.last.Items, c.last.TIDs = 0, 0
	clear(c.last.Columns)
}

// total is what n searches compared. If all are counted, one that has only begun has
// compared nothing yet.
func (c *counting) total(n int64, all bool) Comparisons {
	t := c.before
	t.Columns = slices.Clone(t.Columns)
	if all {
		n = c.at
	}
	t.add(&c.last, n+1-c.at)
	return t
}

// reset forgets what was counted.
func (c *counting) reset(columns int) {
	*c = counting{before: Comparisons{Columns: make([]int64, columns)}, last: Comparisons{Columns: make([]int64, columns)}}
}

// Comparisons says what the searches of insertions and of lookups compared.
func (t *BTree) Comparisons() (insertions, lookups Comparisons) {
	return t.inserting.total(t.Counters.Inserts, t.countAll), t.seeking.total(t.Counters.Lookups, t.countAll)
}

// ResetCounters sets all counters back to zero.
func (t *BTree) ResetCounters() {
	t.Counters = Counters{}
	t.inserting.reset(t.opts.Keys)
	t.seeking.reset(t.opts.Keys)
	t.merging, t.deleting = equalities{}, equalities{}
}

// CountAll makes every search count for itself from now on, or no longer: for those who
// explain one.
func (t *BTree) CountAll(on bool) {
	if on != t.countAll {
		t.inserting.countAll(t.Counters.Inserts, on)
		t.seeking.countAll(t.Counters.Lookups, on)
	}
	t.countAll = on
}

// counts says whether the n-th search is counted.
func (t *BTree) counts(n int64) bool {
	return n <= searchesCounted || n%searchesApart == 0 && isCounted(n) || t.countAll
}

// ClassName is the operator class of a key column, as pg_opclass.opcname has it.
func (t *BTree) ClassName(column int) string { return t.opts.Columns[column].Class.Name }

// count counts the comparisons of an insertion's search.
func (t *BTree) count(k *key) {
	if t.counts(t.Counters.Inserts) {
		t.inserting.begin(t.Counters.Inserts)
		t.counting, t.sought = &t.inserting.last, k
		t.countSearch(t.keyValues(k), k.tid, true)
	}
}

// countLookup counts the comparisons of a scan's search.
func (t *BTree) countLookup(k *key) {
	if t.counts(t.Counters.Lookups) {
		t.seeking.begin(t.Counters.Lookups)
		t.counting, t.sought = &t.seeking.last, k
		t.countSearch(k.values, storage.TID{}, false)
	}
}

// keyValues are the values of a key's columns. One that was formed from a row at once
// has them in its abbreviation only.
func (t *BTree) keyValues(k *key) []datum.Value {
	if k.values != nil {
		return k.values[:t.opts.Keys]
	}
	t.counted = t.counted[:0]
	for i := range t.opts.Keys {
		t.counted = append(t.counted, t.unabbreviate(i, k.abbrev))
	}
	return t.counted
}

// countAgain counts the comparisons of looking for an insertion's place on its leaf
// once more: what was known of it no longer holds if the page has changed, or if
// equal entries are there and the heap TID decides.
func (t *BTree) countAgain(k *key, p *page) {
	if t.counts(t.Counters.Inserts) {
		t.settle(p)
		t.counting, t.sought = &t.inserting.last, k
		t.countPlace(t.keyValues(k), p, k.tid)
	}
}

// countSearch goes the way of a real search for the first entry with the given
// leading columns. An insertion's heap TID is compared too, if it is not the
// zero one: that of a unique check.
func (t *BTree) countSearch(values []datum.Value, tid storage.TID, inserting bool) {
	p := t.pages[t.root]
	if last := t.pages[t.rightmost]; inserting && t.remembered && t.key.hi > last.low && last.room() > t.key.size {
		p = last
	}
	for p.level > 0 {
		p = t.pages[p.at(max(t.countPlace(values, p, tid)-1, 0)).block]
	}
	t.settle(p)
	t.countPlace(values, p, tid)
}

// countPlace counts the comparisons with the items of a page and its high key, and
// returns the place that the search comes to.
func (t *BTree) countPlace(values []datum.Value, p *page, tid storage.TID) int {
	if p.hasHigh {
		u := t.highTuple(p)
		t.countComparison(values, &u, tid, t.pivotTID(p, &p.high))
	}
	lo, hi := 0, len(p.items)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		c := 1
		switch {
		case p.level == 0:
			u := t.tuple(p, p.nth(mid))
			c = t.countComparison(values, &u, tid, p.at(mid).tid())
		case mid > 0:
			u := t.tuple(p, p.nth(mid))
			c = t.countComparison(values, &u, tid, t.pivotTID(p, p.at(mid)))
		default: // the first downlink is minus infinity
			t.counting.Items++
		}
		if c > 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// pivotTID is the heap TID of a pivot, the zero one if it has none.
func (t *BTree) pivotTID(p *page, it *item) storage.TID {
	if e := p.entry(it.ref); e.flags&entryPivotTID != 0 {
		return e.tid
	}
	return storage.TID{}
}

// countComparison compares as _bt_compare does, and counts.
func (t *BTree) countComparison(values []datum.Value, u *tuple, tid, other storage.TID) int {
	t.counting.Items++
	if t.sought.whole && u.whole {
		if c := t.countWhole(min(len(values), u.natts), u.abbrev); c != 0 {
			return c
		}
		return t.countTID(len(values) > u.natts, tid, other)
	}
	at := 0
	v := &t.probe
	for i := range min(len(values), u.natts) {
		t.counting.Columns[i]++
		*v, at = t.column(u, i, at)
		if c := t.compareValue(i, &values[i], v); c != 0 {
			return c
		}
	}
	return t.countTID(len(values) > u.natts, tid, other)
}

// countWhole is countComparison for the first natts columns of keys that their
// abbreviations hold whole.
func (t *BTree) countWhole(natts int, other abbrev) int {
	a := t.sought.abbrev
	for i := range natts {
		t.counting.Columns[i]++
		mask := t.plan.segments[i].mask
		if x, y := a.and(mask), other.and(mask); x != y {
			if x.less(y) {
				return -1
			}
			return 1
		}
	}
	return 0
}

// countTID is countComparison for what comes after equal columns.
func (t *BTree) countTID(truncated bool, tid, other storage.TID) int {
	if truncated {
		return 1 // what was truncated away is minus infinity
	}
	if tid == (storage.TID{}) {
		return 0
	}
	t.counting.TIDs++
	return tid.Compare(other)
}

// countPage counts the heap TIDs that the scan notes on the page that it has come
// to: of the items that match, from the next one on.
func (s *Scan) countPage() {
	t := s.t
	for i := s.at + 1; i < len(s.page.items); i++ {
		m := s.page.nth(i)
		if it := &s.page.items[m]; s.key.whole && s.page.whole(it) {
			if s.key.hi != it.hi || s.key.lo != s.page.lo(m) {
				return
			}
		} else if u := t.tuple(s.page, m); t.comparePrefix(s.key.values, s.key.abbrev, &u) != 0 {
			return
		}
		t.Counters.ScanEntries++
		t.Counters.ScanItems++
		if n := len(s.page.postingTIDs(s.page.at(i))); n > 0 {
			t.Counters.ScanItems += int64(n/storage.TIDSize) - 1
		}
	}
}
