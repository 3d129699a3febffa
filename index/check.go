package index

import (
	"fmt"

	"applysim/wal/storage"
)

// Check verifies the invariants of the whole index: free space is what the
// items leave, items are in order and below their page's high key, downlinks
// lead to pages whose keys they bound, siblings are linked both ways.
func (t *BTree) Check() error {
	if len(t.pages) == 1 {
		return nil
	}
	seen := 0
	level := t.pages[t.root]
	if level.prev != storage.InvalidBlock || level.next != storage.InvalidBlock {
		return fmt.Errorf("index %q: the root has siblings", t.opts.Name)
	}
	for {
		var last *page
		for p := level; ; p = t.pages[p.next] {
			seen++
			if err := t.checkPage(p); err != nil {
				return fmt.Errorf("index %q block %d: %w", t.opts.Name, p.block, err)
			}
			if p.level != level.level {
				return fmt.Errorf("index %q block %d: level %d among pages of level %d", t.opts.Name, p.block, p.level, level.level)
			}
			if last != nil && p.prev != last.block {
				return fmt.Errorf("index %q block %d: left link %d, expected %d", t.opts.Name, p.block, p.prev, last.block)
			}
			if p.hasHigh != (p.next != storage.InvalidBlock) {
				return fmt.Errorf("index %q block %d: high key on the rightmost page, or none on another", t.opts.Name, p.block)
			}
			last = p
			if p.next == storage.InvalidBlock {
				break
			}
		}
		if level.leaf() {
			if last.block != t.rightmost {
				return fmt.Errorf("index %q: rightmost leaf is %d, not %d", t.opts.Name, last.block, t.rightmost)
			}
			break
		}
		if err := t.checkDownlinks(level); err != nil {
			return err
		}
		level = t.pages[level.at(0).block]
	}
	if seen != len(t.pages)-1 {
		return fmt.Errorf("index %q: %d of %d pages are in the tree", t.opts.Name, seen, len(t.pages)-1)
	}
	return nil
}

// checkDownlinks verifies that the downlinks of a level, from its first page on,
// are the pages of the level below in their order.
func (t *BTree) checkDownlinks(p *page) error {
	child := t.pages[p.at(0).block]
	for {
		for i := range p.order {
			if child == nil || p.at(i).block != child.block {
				return fmt.Errorf("index %q block %d: downlink %d leads to the wrong page", t.opts.Name, p.block, i+1)
			}
			if child.next == storage.InvalidBlock {
				child = nil
			} else {
				child = t.pages[child.next]
			}
		}
		if p.next == storage.InvalidBlock {
			break
		}
		p = t.pages[p.next]
	}
	if child != nil {
		return fmt.Errorf("index %q: block %d has no downlink", t.opts.Name, child.block)
	}
	return nil
}

func (t *BTree) checkPage(p *page) error {
	used := 0
	if p.hasHigh {
		used += t.size(p, &p.high) + storage.LinePointerSize
	}
	if len(p.items) != len(p.order) {
		return fmt.Errorf("%d items, %d line pointers", len(p.items), len(p.order))
	}
	there := make([]bool, len(p.items))
	for i := range p.order {
		if there[p.order[i]] {
			return fmt.Errorf("two line pointers to one item")
		}
		there[p.order[i]] = true
		used += t.size(p, p.at(i)) + storage.LinePointerSize
	}
	if p.free != pageSpace-used || p.free < 0 {
		return fmt.Errorf("%d bytes free, items leave %d", p.free, pageSpace-used)
	}
	for i := range p.order {
		it := p.at(i)
		if list := p.postingTIDs(it); list != nil {
			if err := checkPosting(it, list); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
		}
		if i > 0 && (p.leaf() || i > 1) && t.compareItems(p, p.at(i-1), it) >= 0 {
			return fmt.Errorf("item %d is not after the one before", i+1)
		}
		if p.hasHigh && (p.leaf() || i > 0) && t.compareItems(p, it, &p.high) > 0 {
			return fmt.Errorf("item %d is after the high key", i+1)
		}
	}
	return nil
}

func checkPosting(it *item, list []byte) error {
	if len(list) < 2*storage.TIDSize || getTID(list) != it.tid() {
		return fmt.Errorf("posting list of %d bytes begins with %v, expected %v", len(list), getTID(list), it.tid())
	}
	for ; len(list) >= 2*storage.TIDSize; list = list[storage.TIDSize:] {
		if !getTID(list).Less(getTID(list[storage.TIDSize:])) {
			return fmt.Errorf("posting list out of order")
		}
	}
	return nil
}

// compareItems compares the end of item a with the beginning of item b.
func (t *BTree) compareItems(p *page, a, b *item) int {
	if a.abbrev != b.abbrev {
		if a.abbrev < b.abbrev {
			return -1
		}
		return 1
	}
	u, v := t.tuple(p, a), t.tuple(p, b)
	un, vn := u.natts, v.natts
	for _, w := range []*tuple{&u, &v} {
		if w.whole {
			w.data, w.whole = t.appendWhole(nil, w.abbrev, min(w.natts, len(t.attrs))), false
		}
	}
	ai, bi := 0, 0
	for i := range t.opts.Keys {
		if i >= un || i >= vn {
			return un - vn // the shorter one is minus infinity from there on
		}
		x, n := t.next(&u, i, ai)
		y, m := t.next(&v, i, bi)
		ai, bi = n, m
		if c := t.compareValue(i, &x, &y); c != 0 {
			return c
		}
	}
	at, aok := t.lastTID(p, a)
	bt, bok := t.firstTID(p, b)
	switch {
	case !aok && !bok:
		return 0
	case !aok:
		return -1
	case !bok:
		return 1
	}
	return at.Compare(bt)
}

// lastTID and firstTID are the heap TIDs that order an item among equal keys;
// false for a pivot that has none.
func (t *BTree) lastTID(p *page, it *item) (storage.TID, bool) {
	if p.leaf() && it != &p.high {
		return p.maxTID(it), true
	}
	e := p.entry(it.ref)
	return e.tid, e.flags&entryPivotTID != 0
}

func (t *BTree) firstTID(p *page, it *item) (storage.TID, bool) {
	if p.leaf() && it != &p.high {
		return it.tid(), true
	}
	e := p.entry(it.ref)
	return e.tid, e.flags&entryPivotTID != 0
}
