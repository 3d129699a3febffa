package index

// Finding places in the tree, after nbtsearch.c.

import "math/bits"

// step is one page of a descent: where the downlink that was followed stands.
type step struct {
	page *page
	at   int // in key order
}

// compare compares the key with an item: negative if the key comes first, zero
// if it falls within the item's posting list (or is the same entry).
func (t *BTree) compare(k *key, p *page, it *item) int {
	if k.abbrev != it.abbrev {
		if k.abbrev < it.abbrev {
			return -1
		}
		return 1
	}
	return t.compareTie(k, p, it)
}

// compareTie is compare for equal abbreviated keys.
func (t *BTree) compareTie(k *key, p *page, it *item) int {
	if p.leaf() && it != &p.high {
		if !k.whole {
			u := t.tuple(p, it)
			u = *t.full(&u)
			if c := t.compareColumns(k, &u); c != 0 {
				return c
			}
		}
		c := k.tid.Compare(it.tid())
		if c <= 0 || !p.posting(it) {
			return c
		}
		if p.maxTID(it).Less(k.tid) {
			return 1
		}
		return 0
	}
	return t.comparePivot(k, p, it)
}

// comparePivot compares the key with a pivot whose abbreviated key is equal. A
// column or heap TID that was truncated away counts as minus infinity.
func (t *BTree) comparePivot(k *key, p *page, it *item) int {
	e := p.entry(it.ref)
	if !k.whole {
		u := t.tuple(p, it)
		if u.whole {
			u.data = t.appendWhole(nil, u.abbrev, u.natts)
		}
		if c := t.compareColumns(k, &u); c != 0 {
			return c
		}
	}
	if e.natts < t.opts.Keys || e.flags&entryPivotTID == 0 {
		return 1
	}
	return k.tid.Compare(e.tid)
}

// lowerBound returns the place of the first item that is not before the key,
// looking at places from lo on.
func (t *BTree) lowerBound(k *key, p *page, lo int) int {
	hi := len(p.order)
	items, order, want := p.items, p.order, k.abbrev
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		it := &items[order[mid]]
		if it.abbrev < want || it.abbrev == want && t.compareTie(k, p, it) > 0 {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// descend goes from the root to the leaf for the key and leaves the way in
// t.stack. There must be a root.
func (t *BTree) descend(k *key) *page {
	t.stack = t.stack[:0]
	p := t.pages[t.root]
	for !p.leaf() {
		// The first item of an internal page is minus infinity.
		i := t.lowerBound(k, p, 1) - 1
		t.stack = append(t.stack, step{p, i})
		p = t.pages[p.at(i).block]
	}
	return p
}

// findLeaf returns the leaf for the key. The way there is in t.stack only if
// PostgreSQL would have gone it.
func (t *BTree) findLeaf(k *key) *page {
	t.stack = t.stack[:0]
	c := &t.Counters
	p := t.pages[t.rightmost]
	onRightmost := len(p.items) > 0 && t.compare(k, p, p.at(0)) > 0
	if t.remembered && onRightmost && p.room() > k.size {
		c.FastPath++
		return p
	}
	t.remembered = false
	root := t.pages[t.root]
	c.Descents++
	c.Levels += int64(root.level) + 1
	c.Comparisons += int64(t.descentComparisons(root.level))
	if onRightmost && p.room() >= k.size {
		return p // no split, so that nobody needs the way
	}
	return t.descend(k)
}

// descentComparisons is the number of comparisons of the binary searches on the
// internal pages, each taken to be as full as the root.
func (t *BTree) descentComparisons(level int) int {
	return level * bits.Len(uint(len(t.pages[t.root].items)))
}

// place returns where the key goes on leaf p: the place of the first item that
// is not before it. Inserts often go to the end, or after the last one.
func (t *BTree) place(k *key, p *page) int {
	n := len(p.order)
	if n == 0 {
		return 0
	}
	t.Counters.Comparisons += int64(bits.Len(uint(n)))
	if t.compare(k, p, p.at(n-1)) > 0 {
		return n
	}
	if h := p.hint; h+1 < n && t.compare(k, p, p.at(h)) > 0 && t.compare(k, p, p.at(h+1)) < 0 {
		return h + 1
	}
	return t.lowerBound(k, p, 0)
}
