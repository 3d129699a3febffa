package index

// Splits of leaves whose items are all of the same size: those without NULLs and
// posting lists. Where their split points are, and their order by balance, depends
// on the number of items alone, so that a run of ascending keys finds the same
// ones at every split.

import (
	"slices"

	"applysim/wal/storage"
)

// allPlain says whether the abbreviated keys of a leaf's items say it all, so that
// all of them are of the same size.
func (t *BTree) allPlain(p *page) bool {
	if t.plainSize == 0 || !p.leaf() {
		return false
	}
	for i := range p.items {
		if p.items[i].ref != 0 {
			return false
		}
	}
	return true
}

// plainOrder is the order by balance of the split points of a leaf with items of
// the same size. Points go by the number of items, the new one included, left of
// them, which is kept in firstRight.
type plainOrder struct {
	items, right int // items on the page; rightspace
	weight       float64
	weighted     bool
	points       []splitPoint
}

// plainRange returns the least and the greatest number of items that may be left of
// a split point, the new one included.
func (f *splitFinder) plainRange() (least, most int) {
	n := len(f.p.items)
	return max(1, n+1-f.right/f.newSize), min(n, (f.left-pivotTIDSize)/f.newSize-1)
}

// plainPoint is the split point with so many items left of it.
func (f *splitFinder) plainPoint(left int) splitPoint {
	s := splitPoint{
		leftFree:  int16(f.left - (left+1)*f.newSize - pivotTIDSize),
		rightFree: int16(f.right - (len(f.p.items)+1-left)*f.newSize),
	}
	f.at(&s, left)
	return s
}

// at makes a split point the one with so many items left of it, the new one
// included.
func (f *splitFinder) at(s *splitPoint, left int) {
	s.firstRight, s.newLeft = int16(left), false
	if left > f.newAt {
		s.firstRight, s.newLeft = int16(left-1), true
	}
}

// sortPlain is collect and sort for a leaf with items of the same size. Only the
// points among which the balance leaves a choice are put into f.points.
func (f *splitFinder) sortPlain(weight float64, weighted bool) {
	o := &f.plain
	if o.items != len(f.p.items) || o.right != f.right || o.weight != weight || o.weighted != weighted {
		least, most := f.plainRange()
		for left := least; left <= most; left++ {
			s := f.plainPoint(left)
			s.firstRight, s.newLeft = int16(left), false
			f.points = append(f.points, s)
		}
		f.sort(weight, weighted)
		*o = plainOrder{len(f.p.items), f.right, weight, weighted, append(o.points[:0], f.points...)}
	}
	f.interval = f.defaultInterval(o.points)
	f.takePlain(f.interval)
}

// takePlain makes the n best of the points that are in order f.points.
func (f *splitFinder) takePlain(n int) {
	f.points = append(f.points[:0], f.plain.points[:n]...)
	for i := range f.points {
		f.at(&f.points[i], int(f.points[i].firstRight))
	}
}

// sharePlain is the part of distribute that shares out the items, for a leaf whose
// items are all of the same size, the new one too.
func (t *BTree) sharePlain(p, left, right *page, first, at int, newLeft bool, nu item, nuLo uint64) {
	n := len(p.items)
	if newLeft {
		t.copyPlain(left, p, 0, at)
		left.pushPlain(nu, nuLo)
		t.copyPlain(left, p, at, first)
		t.copyPlain(right, p, first, n)
	} else {
		t.copyPlain(left, p, 0, first)
		t.copyPlain(right, p, first, at)
		right.pushPlain(nu, nuLo)
		t.copyPlain(right, p, at, n)
	}
	last := max(p.last, pack(nu.tid()))
	for _, q := range []*page{left, right} {
		n := len(q.items)
		q.free -= n * (t.plainSize + storage.LinePointerSize)
		q.sorted, q.last, q.most, q.hint = n, last, q.items[n-1].hi, n-1
	}
}

// distributeArrived is distribute for a leaf whose items are all of the same size and
// have arrived in key order: the left ones stay where they are.
func (t *BTree) distributeArrived(p, right *page, first, at int, newLeft bool, nu item, nuLo uint64, high item, highLo uint64, highEntry *entry) int {
	n, step := len(p.items), t.plainSize+storage.LinePointerSize
	from, begin, packed := p, first, false
	for i := range p.items[:first] {
		p.items[i].offset &^= deadBit // they get new line pointers
	}
	var most uint64
	if !newLeft && right.block == t.rightmost && !t.plan.wide {
		// The right items make way for the right page's memory.
		from, begin = &t.scratch, 0
		from.reset(0)
		from.items = append(from.items, p.items[first:]...)
		p.items = p.items[:first]
		most = p.items[first-1].hi
		packed = t.giveUp(p)
	}
	t.arrays(right, t.itemsExpected(n-first+1, p.free+first*step, t.plainSize))
	t.slabBytes(right, t.slabExpected(p, len(p.slab)))
	if p.hasHigh {
		right.copyHigh(p)
	}
	last := max(p.last, pack(nu.tid()))
	left := first
	if newLeft {
		t.copyPlain(right, from, begin, begin+n-first)
		p.items = slices.Insert(p.items[:first], at, nu)
		if t.plan.wide {
			p.los = slices.Insert(p.los[:first], at, nuLo)
		}
		left++
	} else {
		t.copyPlain(right, from, begin, begin+at-first)
		right.pushPlain(nu, nuLo)
		t.copyPlain(right, from, begin+at-first, begin+n-first)
		if !packed {
			p.items = p.items[:first]
		}
		if t.plan.wide {
			p.los = p.los[:first]
		}
	}
	p.slab, p.partial, p.listMax = p.slab[:0], false, storage.TID{}
	p.free = pageSpace
	p.setHigh(high, highLo, highEntry)
	p.free -= left * step
	right.free -= len(right.items) * step
	if !packed {
		most = p.items[left-1].hi
	}
	p.sorted, p.last, p.most, p.hint = left, last, most, left-1
	right.sorted, right.last, right.most, right.hint = len(right.items), last, right.items[len(right.items)-1].hi, len(right.items)-1
	if newLeft {
		p.hint = at
	} else {
		right.hint = at - first
	}
	right.low = high.hi
	if packed {
		t.takePacked(p)
	}
	return pageSpace - right.free - storage.LinePointerSize*(len(right.items)+right.first())
}

// copyPlain copies items from place from up to place to of page q to the end of p,
// the bookkeeping left out.
func (t *BTree) copyPlain(p, q *page, from, to int) {
	begin := len(p.items)
	if len(q.order) == 0 {
		p.items = append(p.items, q.items[from:to]...)
		if t.plan.wide {
			p.los = append(p.los, q.los[from:to]...)
		}
	} else {
		for _, n := range q.order[from:to] {
			p.items = append(p.items, q.items[n])
		}
		if t.plan.wide {
			for _, n := range q.order[from:to] {
				p.los = append(p.los, q.los[n])
			}
		}
	}
	for i := begin; i < len(p.items); i++ {
		p.items[i].offset &^= deadBit // a copied item gets a new line pointer
	}
}

// pushPlain adds an item to the end of p, the bookkeeping left out.
func (p *page) pushPlain(it item, lo uint64) {
	p.items = append(p.items, it)
	if p.los != nil {
		p.los = append(p.los, lo)
	}
}
