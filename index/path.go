package index

// The way that a search takes, for those who explain it. It is found anew, and nothing
// is counted.

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// PathStep is one page of a descent.
type PathStep struct {
	Block storage.BlockNumber
	Level int
	// At is the line pointer of the downlink that is followed; on a leaf the place of the
	// first item that is not before the key, one beyond the last if there is none.
	At storage.OffsetNumber
}

// Path is the way from the root to the leaf where an entry with the given leading columns
// belongs; none in an empty index. The zero TID stands before all entries that are
// otherwise equal, as in a search.
func (t *BTree) Path(values []datum.Value, tid storage.TID) []PathStep {
	if len(t.pages) == 1 {
		return nil
	}
	k := key{values: values, tid: tid, abbrev: t.abbreviate(values)}
	for i := range values {
		if values[i].Null {
			k.nulls |= 1 << i
		}
	}
	complete := len(values) >= t.opts.Keys
	k.whole = complete && t.plan.whole && k.nulls == 0 && t.certain(k.abbrev)
	var path []PathStep
	p := t.pages[t.root]
	for p.level > 0 {
		var at int
		if k.whole || complete && tid != (storage.TID{}) {
			at = t.downlink(&k, p)
		} else {
			at = t.lastBefore(values, k.abbrev, p)
		}
		path = append(path, PathStep{p.block, p.level, storage.OffsetNumber(at + p.first() + 1)})
		p = t.pages[p.items[p.nth(at)].block]
	}
	t.settle(p)
	at := 0
	if k.whole || complete && tid != (storage.TID{}) {
		at = t.lowerBound(&k, p)
	} else {
		at = t.firstNotBefore(values, k.abbrev, p)
	}
	return append(path, PathStep{p.block, 0, storage.OffsetNumber(at + p.first() + 1)})
}

// lastBefore returns the place of the last downlink that is before all entries with the
// given leading columns.
func (t *BTree) lastBefore(values []datum.Value, a abbrev, p *page) int {
	lo, hi := 1, len(p.items)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if t.pivotBefore(values, a, p, p.nth(mid)) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// Root is the page where descents begin, and how high it stands; false for an
// index without a root.
func (t *BTree) Root() (root storage.BlockNumber, level int, ok bool) {
	if len(t.pages) == 1 {
		return 0, 0, false
	}
	return t.root, t.pages[t.root].level, true
}
