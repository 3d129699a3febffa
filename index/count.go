package index

// Counting what searches compare, after nbtsearch.c (_bt_search, _bt_moveright,
// _bt_binsrch, _bt_compare). The model's own searches take short cuts, so that
// their comparisons are not those of the real ones.

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// The first insertions and the first lookups are all counted, later ones one in so
// many, for all of them. In an index that is large already little changes from one
// search to the next: each time that their number has doubled, those that are counted
// stand twice as far apart.
const (
	searchesCounted = 1024
	searchesApart   = 128
	searchesSteady  = 1 << 15
)

// counting is where the comparisons of the search at hand are counted, and how many
// searches it stands for.
type counting struct {
	comparisons *int64
	columns     []int64
	weight      int64
}

// weight is how many searches the n-th one stands for, 0 if it is not counted.
func weight(n int64) int64 {
	switch {
	case n <= searchesCounted:
		return 1
	case n%searchesApart != 0:
		return 0
	}
	apart := int64(searchesApart)
	for steady := int64(searchesSteady); n > steady; steady *= 2 {
		apart *= 2
	}
	if n%apart != 0 {
		return 0
	}
	return apart
}

// CountAll makes every search count for itself from now on, or no longer: for those who
// explain one.
func (t *BTree) CountAll(on bool) { t.countAll = on }

// counts says whether the n-th search may be counted, at less cost than weight.
func (t *BTree) counts(n int64) bool {
	return n <= searchesCounted || n%searchesApart == 0 || t.countAll
}

func (t *BTree) weight(n int64) int64 {
	if t.countAll {
		return 1
	}
	return weight(n)
}

// ColumnComparisons says for each key column how often the searches of insertions
// and of lookups compared it. The slices must not be changed.
func (t *BTree) ColumnComparisons() (insertions, lookups []int64) { return t.compared, t.sought }

// ClassName is the operator class of a key column, as pg_opclass.opcname has it.
func (t *BTree) ClassName(column int) string { return t.opts.Columns[column].Class.Name }

// count counts the comparisons of an insertion's search.
func (t *BTree) count(k *key) {
	if w := t.weight(t.Counters.Inserts); w > 0 {
		t.counting = counting{&t.Counters.Comparisons, t.compared, w}
		t.countSearch(t.keyValues(k), k.tid, true)
	}
}

// countLookup counts the comparisons of a scan's search.
func (t *BTree) countLookup(values []datum.Value) {
	if w := t.weight(t.Counters.Lookups); w > 0 {
		t.counting = counting{&t.Counters.LookupCompares, t.sought, w}
		t.countSearch(values, storage.TID{}, false)
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
	if w := t.weight(t.Counters.Inserts); w > 0 {
		t.settle(p)
		t.counting = counting{&t.Counters.Comparisons, t.compared, w}
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
			*t.counting.comparisons += t.counting.weight
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
	*t.counting.comparisons += t.counting.weight
	at := 0
	v := &t.probe
	for i := range min(len(values), u.natts) {
		t.counting.columns[i] += t.counting.weight
		*v, at = t.column(u, i, at)
		if c := t.compareValue(i, &values[i], v); c != 0 {
			return c
		}
	}
	if len(values) > u.natts {
		return 1 // what was truncated away is minus infinity
	}
	if tid == (storage.TID{}) {
		return 0
	}
	t.Counters.TIDComparisons += t.counting.weight
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
		t.Counters.ScanItems++
		if n := len(s.page.postingTIDs(s.page.at(i))); n > 0 {
			t.Counters.ScanItems += int64(n/storage.TIDSize) - 1
		}
	}
}
