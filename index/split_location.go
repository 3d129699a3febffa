package index

// Where to split a page, after nbtsplitloc.c.

import "applysim/wal/storage"

// Constants of the choice. Sources: REL_18_1,
// src/backend/access/nbtree/nbtsplitloc.c.
const (
	leafSplitDistance     = 0.050 // LEAF_SPLIT_DISTANCE
	internalSplitDistance = 0.075 // INTERNAL_SPLIT_DISTANCE
	// manyDuplicatesMargin is how near behind the chosen split point a new item
	// may come before the choice is thought to repeat itself.
	manyDuplicatesMargin = 9
	// postingWorthALook is the size, line pointer included, from which on a
	// tuple is looked at for a posting list that its pivot will not have.
	postingWorthALook = 64
	// equalSizeLimit is the greatest size, line pointer included, of items for
	// which a split after the new item is considered.
	equalSizeLimit = 24 + storage.LinePointerSize
)

// splitPoint is a place between two neighbours of the page as it would be with
// the new item on it.
type splitPoint struct {
	delta      int16 // distance from the best balance
	leftFree   int16 // bytes left on the left page
	rightFree  int16
	firstRight int16 // place of the first old item that goes right
	newLeft    bool  // the new item goes left
}

type strategy int

const (
	splitDefault strategy = iota
	splitManyDuplicates
	splitSingleValue
)

// splitFinder is the state of one choice (FindSplitData).
type splitFinder struct {
	t        *BTree
	p        *page
	newItem  tuple // leaf only
	newTID   storage.TID
	newSize  int // aligned, line pointer included
	newAt    int // place that the new item goes to
	left     int // leftspace
	right    int // rightspace
	total    int // bytes of all old data items, line pointers included
	minFirst int // smallest first right tuple among legal splits
	points   []splitPoint
	interval int
	plain    plainOrder
}

// findSplit chooses where to split page p, given a new item of size bytes that
// goes to place at. It returns the place of the first old item that goes right
// and whether the new item goes left.
func (t *BTree) findSplit(p *page, newItem tuple, newTID storage.TID, at, size int) (firstRight int, newLeft bool) {
	f := &t.split
	*f = splitFinder{t: t, p: p, newItem: newItem, newTID: newTID, newAt: at, points: f.points[:0], plain: f.plain}
	f.newSize = size + storage.LinePointerSize
	f.left, f.right = pageSpace, pageSpace
	if p.hasHigh {
		f.right -= t.size(p, &p.high) + storage.LinePointerSize
	}
	f.total = f.right - p.free
	f.minFirst = 1 << 30
	plain := size == t.plainSize && t.allPlain(p)
	if plain {
		f.minFirst = f.newSize
		least, most := f.plainRange()
		t.Counters.SplitPoints += int64(most - least + 1)
	} else {
		f.collect()
		t.Counters.SplitPoints += int64(len(f.points))
	}

	rightmost := !p.hasHigh
	var weight float64
	weighted := false
	switch {
	case !p.leaf():
		weighted, weight = rightmost, NonLeafFillfactor/100.0
	case rightmost:
		weighted, weight = true, float64(t.opts.Fillfactor)/100.0
	default:
		after, byFillfactor := f.afterNewItem()
		if after && byFillfactor {
			weighted, weight = true, float64(t.opts.Fillfactor)/100.0
		} else if least, most := f.plainRange(); after && plain {
			if at+1 >= least && at+1 <= most {
				return at, true
			}
		} else if after {
			for i := range f.points {
				if s := &f.points[i]; s.newLeft && int(s.firstRight) == at {
					return at, true
				}
			}
		}
	}
	var leftPage, rightPage splitPoint
	if plain {
		least, most := f.plainRange()
		leftPage, rightPage = f.plainPoint(least), f.plainPoint(most)
		f.sortPlain(weight, weighted)
	} else {
		leftPage, rightPage = f.points[0], f.points[len(f.points)-1]
		f.sort(weight, weighted)
		f.interval = f.defaultInterval(f.points)
	}
	perfect, how := f.strategy(&leftPage, &rightPage)
	if plain && how != splitDefault {
		f.takePlain(len(f.plain.points))
	}
	switch how {
	case splitManyDuplicates:
		f.interval = len(f.points)
	case splitSingleValue:
		f.sort(SingleValueFillfactor/100.0, true)
		f.interval = 1
	}
	best := f.best(perfect, how)
	return int(best.firstRight), best.newLeft
}

// collect records every legal split point, from left to right.
func (f *splitFinder) collect() {
	toLeft := 0
	for i := range f.p.items {
		size := f.t.size(f.p, f.p.at(i)) + storage.LinePointerSize
		switch {
		case i < f.newAt:
			f.record(i, false, toLeft, size)
		case i > f.newAt:
			f.record(i, true, toLeft, size)
		default:
			f.record(i, false, toLeft, size)
			f.record(i, true, toLeft, size)
		}
		toLeft += size
	}
	if n := len(f.p.items); f.newAt == n {
		f.record(n, false, toLeft, 0)
	}
}

// record notes a split point if both halves fit (_bt_recsplitloc). The left
// page's new high key is taken to be as large as the first right tuple and, on
// a leaf, a heap TID more; a posting list, which it will not have, counts only
// where it is of some size.
func (f *splitFinder) record(firstRight int, newLeft bool, toLeft, firstSize int) {
	leaf := f.p.leaf()
	posting := 0
	if firstRight == f.newAt && !newLeft {
		firstSize = f.newSize
	} else if leaf && firstSize > postingWorthALook {
		if it := f.p.at(firstRight); f.p.posting(it) {
			e := f.p.entry(it.ref)
			posting = firstSize - storage.LinePointerSize - e.size
		}
	}
	leftFree := f.left - toLeft - firstSize
	rightFree := f.right - (f.total - toLeft)
	if leaf {
		leftFree -= pivotTIDSize - posting
	} else {
		// The first item of a right internal page loses its key.
		rightFree += firstSize - (tupleHeaderSize + storage.LinePointerSize)
	}
	if newLeft {
		leftFree -= f.newSize
	} else {
		rightFree -= f.newSize
	}
	if leftFree < 0 || rightFree < 0 {
		return
	}
	f.minFirst = min(f.minFirst, firstSize)
	f.points = append(f.points, splitPoint{
		leftFree: int16(leftFree), rightFree: int16(rightFree), firstRight: int16(firstRight), newLeft: newLeft,
	})
}

// sort orders the split points by how far they are from the best balance:
// equal free space, or the left page filled to a fraction weight. The product
// is rounded to a double before the subtraction, as C does it.
func (f *splitFinder) sort(weight float64, weighted bool) {
	for i := range f.points {
		s := &f.points[i]
		var d int16
		if weighted {
			d = int16(float64(weight*float64(s.leftFree)) - float64((1.0-weight)*float64(s.rightFree)))
		} else {
			d = s.leftFree - s.rightFree
		}
		if d < 0 {
			d = -d
		}
		s.delta = d
	}
	sortByDelta(f.points)
}

// afterNewItem says whether to split just after the new item, since it looks
// like one of a run of ascending keys within a group, and whether to apply the
// fillfactor instead (_bt_afternewitemoff).
func (f *splitFinder) afterNewItem() (after, byFillfactor bool) {
	t, p := f.t, f.p
	if t.opts.Keys == 1 || f.newAt == 0 {
		return false, false
	}
	n := len(p.items)
	if f.newSize != f.minFirst || f.newSize*n != f.total || f.newSize > equalSizeLimit {
		return false, false
	}
	if f.newAt == n {
		keep := f.keep(p.nth(n - 1))
		return keep > 1 && keep <= t.opts.Keys, true
	}
	it := p.at(f.newAt - 1)
	if p.posting(it) || !adjacent(it.tid(), f.newTID) {
		return false, false
	}
	if keep := f.keep(p.nth(f.newAt - 1)); keep <= 1 || keep > t.opts.Keys {
		return false, false
	}
	place := float64(f.newAt+2) / (float64(n+1) + 1)
	return true, place > float64(t.opts.Fillfactor)/100.0
}

// keep is the number of columns that tell the new item from an old one.
func (f *splitFinder) keep(n uint16) int {
	u := f.t.tuple(f.p, n)
	return f.t.keepAttsFast(&u, &f.newItem)
}

// adjacent says whether two rows were likely inserted one right after the
// other: same page, or first item of the next one.
func adjacent(low, high storage.TID) bool {
	return low.Block == high.Block || low.Block+1 == high.Block && high.Offset == 1
}

// defaultInterval returns how many of the best split points are balanced well
// enough to choose among. points are all of them, the best first.
func (f *splitFinder) defaultInterval(points []splitPoint) int {
	distance := internalSplitDistance
	if f.p.leaf() {
		distance = leafSplitDistance
	}
	tolerance := int16(float64(f.total) * distance)
	b := &points[0]
	lowLeft, lowRight := b.leftFree-tolerance, b.rightFree-tolerance
	highLeft, highRight := b.leftFree+tolerance, b.rightFree+tolerance
	for i := 1; i < len(points); i++ {
		s := &points[i]
		if s.leftFree < lowLeft || s.rightFree < lowRight || s.leftFree > highLeft || s.rightFree > highRight {
			return i
		}
	}
	return len(points)
}

// strategy decides how to go on when the balanced split points would all need a
// heap TID in the new high key, and returns the penalty that cannot be bettered
// (_bt_strategy).
func (f *splitFinder) strategy(leftPage, rightPage *splitPoint) (perfect int, how strategy) {
	if !f.p.leaf() {
		return f.minFirst, splitDefault
	}
	keys := f.t.opts.Keys
	left, right := f.edges()
	if perfect = f.keepBetween(left, right); perfect <= keys {
		return perfect, splitDefault
	}
	if perfect = f.keepBetween(leftPage, rightPage); perfect <= keys {
		return keys, splitManyDuplicates
	}
	if !f.p.hasHigh {
		return perfect, splitSingleValue
	}
	// Splitting near the end is for the rightmost page of a value only.
	if perfect = f.keepHigh(); perfect <= keys {
		return perfect, splitSingleValue
	}
	return perfect, splitDefault
}

// keepHigh is the number of columns that tell the page's high key from the new
// item. It is found among the columns that the high key has kept: an item that
// agreed in all of them would belong on a page to the right.
func (f *splitFinder) keepHigh() int {
	u := f.t.highTuple(f.p)
	return f.t.keepAttsFast(&u, &f.newItem)
}

// edges returns the leftmost and the rightmost split point of the interval.
func (f *splitFinder) edges() (left, right *splitPoint) {
	best := &f.points[0]
	for i := min(f.interval, len(f.points)) - 1; i >= 0; i-- {
		s := &f.points[i]
		toLeft, toRight := false, false
		switch {
		case s.firstRight != best.firstRight:
			toLeft = s.firstRight < best.firstRight
			toRight = !toLeft
		case s.newLeft != best.newLeft:
			toLeft = best.newLeft
			toRight = !toLeft
		default:
			toLeft, toRight = true, true
		}
		if toLeft && left == nil {
			left = s
		}
		if toRight && right == nil {
			right = s
		}
		if left != nil && right != nil {
			break
		}
	}
	return left, right
}

// lastLeft is the last tuple left of a split point, firstRight the first one
// right of it.
func (f *splitFinder) lastLeft(s *splitPoint) tuple {
	if s.newLeft && int(s.firstRight) == f.newAt {
		return f.newItem
	}
	return f.t.tuple(f.p, f.p.nth(int(s.firstRight)-1))
}

func (f *splitFinder) firstRight(s *splitPoint) tuple {
	if !s.newLeft && int(s.firstRight) == f.newAt {
		return f.newItem
	}
	return f.t.tuple(f.p, f.p.nth(int(s.firstRight)))
}

func (f *splitFinder) keepBetween(left, right *splitPoint) int {
	u, v := f.lastLeft(left), f.firstRight(right)
	return f.t.keepAttsFast(&u, &v)
}

// penalty is what a split point costs: on a leaf the columns that its high key
// needs, above the size of the high key.
func (f *splitFinder) penalty(s *splitPoint) int {
	if f.p.leaf() {
		return f.keepBetween(s, s)
	}
	if !s.newLeft && int(s.firstRight) == f.newAt {
		return f.newSize
	}
	return f.t.size(f.p, f.p.at(int(s.firstRight))) + storage.LinePointerSize
}

// best returns the split point with the least penalty within the interval.
func (f *splitFinder) best(perfect int, how strategy) *splitPoint {
	best, least := 0, 1<<30
	for i := range min(f.interval, len(f.points)) {
		n := f.penalty(&f.points[i])
		if n < least {
			best, least = i, n
		}
		if n <= perfect {
			break
		}
	}
	s := &f.points[best]
	// With keys that descend towards a group of duplicates, the same split
	// would be made again and again.
	if how == splitManyDuplicates && f.p.hasHigh && !s.newLeft &&
		int(s.firstRight) >= f.newAt && int(s.firstRight) < f.newAt+manyDuplicatesMargin {
		return &f.points[0]
	}
	return s
}
