package index

// Finding places in the tree, after nbtsearch.c.

import (
	mathbits "math/bits"

	"applysim/wal/storage"
)

// step is one page of a descent: where the downlink that was followed stands.
type step struct {
	page *page
	at   int // in key order
}

// compare compares the key with a leaf's item n: negative if the key comes
// first, zero if it falls within the item's posting list (or is the same entry).
func (t *BTree) compare(k *key, p *page, n uint16) int {
	it := &p.items[n]
	switch {
	case k.hi < it.hi:
		return -1
	case k.hi > it.hi:
		return 1
	}
	return t.compareTie(k, p, n)
}

// compareTie is compare for keys that begin alike.
func (t *BTree) compareTie(k *key, p *page, n uint16) int {
	it := &p.items[n]
	if p.los != nil {
		switch lo := p.los[n]; {
		case k.lo < lo:
			return -1
		case k.lo > lo:
			return 1
		}
	}
	if !k.whole {
		u := t.tuple(p, n)
		if c := t.compareColumns(k, &u); c != 0 {
			return c
		}
	}
	c := k.tid.Compare(it.tid())
	if c <= 0 || it.ref == 0 || !p.posting(it) {
		return c
	}
	if p.maxTID(it).Less(k.tid) {
		return 1
	}
	return 0
}

// comparePivot compares the key with a pivot that begins alike. A column or
// heap TID that was truncated away counts as minus infinity.
func (t *BTree) comparePivot(k *key, p *page, it *item, lo uint64) int {
	switch {
	case k.lo < lo:
		return -1
	case k.lo > lo:
		return 1
	}
	if b := p.slab[it.ref:]; k.whole && (int(b[3]) < t.opts.Keys || b[2]&entryPivotTID == 0) {
		return 1
	}
	e := p.entry(it.ref)
	if !k.whole {
		u := tuple{
			abbrev: abbrev{it.hi, lo}, whole: e.flags&entryWhole != 0, nulls: e.nulls, data: e.data, natts: e.natts,
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

// beyond says whether the key belongs on a page to the right of p.
func (t *BTree) beyond(k *key, p *page) bool {
	return p.hasHigh && (k.hi > p.high.hi || k.hi == p.high.hi && t.comparePivot(k, p, &p.high, p.highLo) > 0)
}

// lowerBound returns the place of the first item of a leaf that is not before
// the key. All items must be in order.
func (t *BTree) lowerBound(k *key, p *page) int {
	lo := p.firstFrom(k.hi, len(p.items))
	// Those that begin like the key come next: often few.
	hi, step := lo, 1
	for hi < len(p.items) && t.beforeKey(k, p, hi) {
		lo = hi + 1
		hi += step
		step *= 2
	}
	hi = min(hi, len(p.items))
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if t.beforeKey(k, p, mid) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// beforeKey says whether the item that stands i-th in key order, which does not begin
// with less than the key, is before it all the same.
func (t *BTree) beforeKey(k *key, p *page, i int) bool {
	n := p.nth(i)
	return p.items[n].hi == k.hi && t.compareTie(k, p, n) > 0
}

// nearGuess is how far from where a key should be, if keys were evenly spread over the
// leaf, it is looked for first: a search over all of the leaf goes to more memory.
const nearGuess = 8

// firstFrom returns the place of the first of a leaf's first n items whose hi is not less
// than want. They must be in order.
func (p *page) firstFrom(want uint64, n int) int {
	if want <= p.low || want > p.most {
		if want > p.most {
			return n
		}
		return p.firstWithin(want, 0, n)
	}
	at := int(float64(want-p.low) / float64(p.most-p.low) * float64(n))
	lo, hi := max(at-nearGuess, 0), min(at+nearGuess, n)
	if lo > 0 && p.at(lo-1).hi >= want {
		return p.firstWithin(want, 0, lo-1)
	}
	if hi < n && p.at(hi).hi < want {
		return p.firstWithin(want, hi+1, n)
	}
	return p.firstWithin(want, lo, hi)
}

// firstWithin is firstFrom for one of the places from lo to hi. No step is a branch,
// which nobody could predict.
func (p *page) firstWithin(want uint64, lo, hi int) int {
	n := hi - lo
	if n <= 0 {
		return lo
	}
	items, order := p.items, p.order
	if len(order) > 0 {
		for n > 1 {
			half := n >> 1
			_, less := mathbits.Sub64(items[order[lo+half-1]].hi, want, 0)
			lo += half & -int(less)
			n -= half
		}
		if items[order[lo]].hi < want {
			lo++
		}
		return lo
	}
	for n > 1 {
		half := n >> 1
		_, less := mathbits.Sub64(items[lo+half-1].hi, want, 0)
		lo += half & -int(less)
		n -= half
	}
	if items[lo].hi < want {
		lo++
	}
	return lo
}

// downlink returns the place of the downlink to follow for the key: the last
// one that is before it. The first one is minus infinity.
func (t *BTree) downlink(k *key, p *page) int {
	his, want := p.his, k.hi
	// Written so that no step is a branch, which nobody could predict.
	lo, n := 1, len(his)-1
	for n > 0 {
		half := (n + 1) >> 1
		next := lo
		if his[lo+half-1] <= want {
			next = lo + half
		}
		lo = next
		n -= half
	}
	// All from lo on are after the key; those just before may begin like it.
	if lo == 1 || his[lo-1] != want {
		return lo - 1
	}
	if m := p.nth(lo - 1); t.comparePivot(k, p, &p.items[m], p.lo(m)) > 0 {
		return lo - 1
	}
	low := 1
	for low < lo {
		mid := int(uint(low+lo) >> 1)
		m := p.nth(mid)
		if his[mid] < want || t.comparePivot(k, p, &p.items[m], p.lo(m)) > 0 {
			low = mid + 1
		} else {
			lo = mid
		}
	}
	return lo - 1
}

// descend goes from the root to the leaf for the key and leaves the way in
// t.stack. There must be a root.
func (t *BTree) descend(k *key) *page {
	t.stack = t.stack[:0]
	p := t.pages[t.root]
	for p.level > 0 {
		i := t.downlink(k, p)
		t.stack = append(t.stack, step{p, i})
		p = t.pages[p.items[p.nth(i)].block]
	}
	if p.sorted == virtual {
		t.make(p)
	}
	return p
}

// bounds is what findLeaf must know of the tree at every search, kept in one place
// until a page is split or deleted.
type bounds struct {
	valid     bool
	guess     bool   // there are enough leaves to guess one
	shift     uint8  // from a key's distance from least to its part of the range
	least     uint64 // hi of the first leaf's high key
	rightmost uint64 // hi of the rightmost leaf's lower bound
	levels    int64  // pages on the way from the root to a leaf
}

// Leaves are remembered for so many parts of the range of keys.
const (
	guessBits = 14
	guesses   = 1 << guessBits
)

// findBounds brings t.bounds up to date.
func (t *BTree) findBounds() {
	b := &t.bounds
	root, first := t.pages[t.root], t.pages[1]
	*b = bounds{
		valid: true, least: first.high.hi, rightmost: t.pages[t.rightmost].low,
		levels: int64(root.level) + 1,
	}
	if first.level > 0 || !first.hasHigh || b.least >= b.rightmost {
		return
	}
	b.guess = true
	b.shift = uint8(max(mathbits.Len64(b.rightmost-b.least)-guessBits, 0))
	if t.guessed == nil {
		t.guessed = new([guesses]storage.BlockNumber)
	}
}

// findLeaf returns the leaf for the key. The way there is in t.stack unless it
// is empty.
func (t *BTree) findLeaf(k *key) *page {
	t.stack = t.stack[:0]
	c, b := &t.Counters, &t.bounds
	if !b.valid {
		t.findBounds()
	}
	// The leaf's lower bound may begin like the key and yet be greater.
	if k.hi > b.rightmost {
		p := t.pages[t.rightmost]
		fits := p.room() >= k.size
		if t.remembered && p.room() > k.size {
			c.FastPath++
			return p
		}
		if fits {
			t.remembered = false
			c.Descents++
			c.Levels += b.levels
			return p // no split, so that nobody needs the way
		}
	}
	t.remembered = false
	c.Descents++
	c.Levels += b.levels
	if !b.guess {
		return t.descend(k)
	}
	// Where the last key of this part of the range went, this one may go too.
	slot := (k.hi - b.least) >> (b.shift & 63) % guesses
	if n := t.guessed[slot]; n != 0 && int(n) < len(t.pages) {
		p := t.pages[n]
		if p.room() >= k.size && p.level == 0 && p.sorted != virtual && !p.halfDead && !p.deleted && t.within(k, p) {
			return p // no split, so that nobody needs the way
		}
	}
	p := t.descend(k)
	t.guessed[slot] = p.block
	return p
}

// within says whether the key belongs on leaf p, which is not the rightmost one: it
// is after the high key of the page to the left and not after the leaf's own.
func (t *BTree) within(k *key, p *page) bool {
	if k.hi > p.low && k.hi < p.high.hi {
		return p.hasHigh
	}
	return p.hasHigh && k.hi >= p.low && (p.prev == storage.InvalidBlock || t.beyond(k, t.pages[p.prev])) && !t.beyond(k, p)
}

// place returns where the key goes on leaf p: the place of the first item that
// is not before it. Inserts often go to the end, or after the last one.
func (t *BTree) place(k *key, p *page) int {
	t.settle(p)
	n := len(p.items)
	if n == 0 {
		return 0
	}
	if k.hi > p.most || t.compare(k, p, p.nth(n-1)) > 0 {
		return n
	}
	if h := p.hint; h+1 < n && t.compare(k, p, p.nth(h)) > 0 && t.compare(k, p, p.nth(h+1)) < 0 {
		return h + 1
	}
	return t.lowerBound(k, p)
}
