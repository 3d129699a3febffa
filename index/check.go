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
	deleted := 0
	for _, p := range t.pages[1:] {
		if p.deleted {
			deleted++
		}
	}
	if seen+deleted != len(t.pages)-1 {
		return fmt.Errorf("index %q: %d of %d pages are in the tree, %d are deleted", t.opts.Name, seen, len(t.pages)-1, deleted)
	}
	return nil
}

// checkDownlinks verifies that the downlinks of a level, from its first page on,
// are the pages of the level below in their order.
func (t *BTree) checkDownlinks(p *page) error {
	child := t.pages[p.at(0).block]
	for {
		for i := range p.items {
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
	p = t.look(p)
	if p.sorted == virtual {
		// Its items are checked once they are made; what is known before is this.
		s := t.loaded.spans[p.block]
		switch {
		case s.from >= s.to:
			return fmt.Errorf("entries %d to %d", s.from, s.to)
		case p.hasHigh && p.high.hi < p.low:
			return fmt.Errorf("the high key is before the page's lower bound")
		}
		return nil
	}
	t.settle(p)
	used := 0
	if p.hasHigh {
		used += t.size(p, &p.high) + storage.LinePointerSize
	}
	if len(p.items) != len(p.items) {
		return fmt.Errorf("%d items, %d line pointers", len(p.items), len(p.items))
	}
	there := make([]bool, len(p.items))
	for i := range p.items {
		if there[p.nth(i)] {
			return fmt.Errorf("two line pointers to one item")
		}
		there[p.nth(i)] = true
		used += t.size(p, p.at(i)) + storage.LinePointerSize
	}
	if p.free != pageSpace-used || p.free < 0 {
		return fmt.Errorf("%d bytes free, items leave %d", p.free, pageSpace-used)
	}
	var most uint64
	for i := range p.items {
		n := p.nth(i)
		it := &p.items[n]
		most = max(most, it.hi)
		if it.hi < p.low && (p.leaf() || i > 0) {
			return fmt.Errorf("item %d is before the page's lower bound", i+1)
		}
		if !p.leaf() && p.his[i] != it.hi {
			return fmt.Errorf("item %d: the key copy differs", i+1)
		}
		if list := p.postingTIDs(it); list != nil {
			if err := checkPosting(it, list); err != nil {
				return fmt.Errorf("item %d: %w", i+1, err)
			}
			if p.listMax.Less(p.maxTID(it)) {
				return fmt.Errorf("item %d ends after the greatest heap TID of posting lists", i+1)
			}
		}
		if i > 0 && (p.leaf() || i > 1) && t.compareItems(p, p.nth(i-1), n) >= 0 {
			return fmt.Errorf("item %d is not after the one before", i+1)
		}
		if p.hasHigh && (p.leaf() || i > 0) && t.compareWithHigh(p, n) > 0 {
			return fmt.Errorf("item %d is after the high key", i+1)
		}
	}
	if most > p.most {
		return fmt.Errorf("an item begins after the greatest beginning")
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
func (t *BTree) compareItems(p *page, a, b uint16) int {
	u, v := t.tuple(p, a), t.tuple(p, b)
	last, lastOK := p.lastTID(&p.items[a])
	first, firstOK := p.items[b].tid(), true
	if !p.leaf() {
		first, firstOK = p.lastTID(&p.items[b])
	}
	return t.compareEnds(&u, &v, last, first, lastOK, firstOK)
}

// compareWithHigh compares the end of item n with the high key.
func (t *BTree) compareWithHigh(p *page, n uint16) int {
	u, v := t.tuple(p, n), t.highTuple(p)
	last, lastOK := p.lastTID(&p.items[n])
	e := p.entry(p.high.ref)
	return t.compareEnds(&u, &v, last, e.tid, lastOK, e.flags&entryPivotTID != 0)
}

// compareEnds compares tuples and, if they are equal, heap TIDs; a pivot may
// have none, which counts as minus infinity.
func (t *BTree) compareEnds(u, v *tuple, a, b storage.TID, aok, bok bool) int {
	if u.hi != v.hi {
		if u.hi < v.hi {
			return -1
		}
		return 1
	}
	if c := t.compareTuples(u, v); c != 0 {
		return c
	}
	switch {
	case aok && bok:
		return a.Compare(b)
	case aok:
		return 1
	case bok:
		return -1
	}
	return 0
}

// lastTID is the last heap TID of an item; false for a pivot that has none.
func (p *page) lastTID(it *item) (storage.TID, bool) {
	if p.leaf() {
		return p.maxTID(it), true
	}
	e := p.entry(it.ref)
	return e.tid, e.flags&entryPivotTID != 0
}
