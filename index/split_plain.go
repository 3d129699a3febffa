package index

// Splits of leaves whose items are all of the same size: those without NULLs and
// posting lists. Where their split points are, and their order by balance, depends
// on the number of items alone, so that a run of ascending keys finds the same
// ones at every split.

import "applysim/wal/storage"

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
// them.
type plainOrder struct {
	items, right int // items on the page; rightspace
	weight       float64
	weighted     bool
	points       []splitPoint
}

// collectPlain is collect for a leaf with items of the same size.
func (f *splitFinder) collectPlain() {
	n := len(f.p.order)
	for left := 1; left <= n; left++ {
		leftFree := f.left - (left+1)*f.newSize - pivotTIDSize
		rightFree := f.right - (n+1-left)*f.newSize
		if leftFree < 0 || rightFree < 0 {
			continue
		}
		s := splitPoint{leftFree: int16(leftFree), rightFree: int16(rightFree)}
		f.at(&s, left)
		f.points = append(f.points, s)
	}
	f.minFirst = f.newSize
}

// at makes a split point the one with so many items left of it, the new one
// included.
func (f *splitFinder) at(s *splitPoint, left int) {
	s.firstRight, s.newLeft = int16(left), false
	if left > f.newAt {
		s.firstRight, s.newLeft = int16(left-1), true
	}
}

// sortPlain is sort for the points of collectPlain.
func (f *splitFinder) sortPlain(weight float64, weighted bool) {
	o := &f.plain
	if o.items != len(f.p.order) || o.right != f.right || o.weight != weight || o.weighted != weighted {
		f.sort(weight, weighted)
		*o = plainOrder{len(f.p.order), f.right, weight, weighted, append(o.points[:0], f.points...)}
		for i := range o.points {
			if s := &o.points[i]; s.newLeft {
				s.firstRight++ // the number of items on its left
			}
		}
		return
	}
	f.points = append(f.points[:0], o.points...)
	for i := range f.points {
		f.at(&f.points[i], int(f.points[i].firstRight))
	}
}

// sharePlain is the part of distribute that shares out the items, for a leaf whose
// items are all of the same size, the new one too.
func (t *BTree) sharePlain(p, left, right *page, first, at int, newLeft bool, nu item, nuLo uint64) {
	order := p.order
	if newLeft {
		t.copyPlain(left, p, order[:at])
		left.pushPlain(nu, nuLo)
		t.copyPlain(left, p, order[at:first])
		t.copyPlain(right, p, order[first:])
	} else {
		t.copyPlain(left, p, order[:first])
		t.copyPlain(right, p, order[first:at])
		right.pushPlain(nu, nuLo)
		t.copyPlain(right, p, order[at:])
	}
	for _, q := range []*page{left, right} {
		n := len(q.items)
		for i := len(q.order); i < n; i++ {
			q.order = append(q.order, uint16(i))
		}
		q.free -= n * (t.plainSize + storage.LinePointerSize)
		q.most, q.hint = q.items[n-1].hi, n-1
	}
}

// copyPlain copies items of page q to the end of p, the bookkeeping left out.
func (t *BTree) copyPlain(p, q *page, order []uint16) {
	for _, n := range order {
		c := q.items[n]
		c.offset &^= deadBit // a copied item gets a new line pointer
		p.items = append(p.items, c)
	}
	if t.plan.wide {
		for _, n := range order {
			p.los = append(p.los, q.los[n])
		}
	}
}

// pushPlain adds an item to the end of p, the bookkeeping left out.
func (p *page) pushPlain(it item, lo uint64) {
	p.items = append(p.items, it)
	if p.los != nil {
		p.los = append(p.los, lo)
	}
}
