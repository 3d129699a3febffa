package index

// An independent reading of nbtsplitloc.c: the choice of a split point computed
// the slow way, on offset numbers as in the original, from sizes and values
// alone. The tests of the whole index ask it before each insert.

import (
	"bytes"
	"fmt"
	"math"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// refItem is a data item of the page, the new one included.
type refItem struct {
	size    int // IndexTupleSize, aligned
	base    int // the same without the posting list
	posting bool
	values  []datum.Value // key columns that it has kept
	tid     storage.TID   // first heap TID
}

// refPage is a page as nbtsplitloc.c sees it.
type refPage struct {
	leaf, rightmost bool
	high            refItem
	items           []refItem // from P_FIRSTDATAKEY on
	keys            int
	fillfactor      int
	keep            func(a, b *refItem) int // _bt_keep_natts_fast
}

type refSplit struct {
	delta, leftFree, rightFree int16
	firstRight                 int // offset number
	newLeft                    bool
}

// refChoice is what was chosen, and by which strategy.
type refChoice struct {
	firstRight int // index of the first old item that goes right
	newLeft    bool
	how        string
}

// findSplitLoc is _bt_findsplitloc. at is the index of the new item among the old
// ones.
func (p *refPage) findSplitLoc(nu refItem, at int) refChoice {
	firstData := 2 // P_FIRSTDATAKEY
	if p.rightmost {
		firstData = 1
	}
	maxOff := firstData - 1 + len(p.items)
	newOff := firstData + at
	old := func(off int) *refItem { return &p.items[off-firstData] }
	itemSize := func(off int) int { return old(off).size + 4 }

	leftSpace := 8192 - 24 - 16
	rightSpace := leftSpace
	if !p.rightmost {
		rightSpace -= p.high.size + 4
	}
	total := 0
	for off := firstData; off <= maxOff; off++ {
		total += itemSize(off)
	}
	newSize := nu.size + 4

	var splits []refSplit
	minFirstRight := math.MaxInt
	record := func(firstRight int, newLeft bool, toLeft, firstSize int) {
		posting := 0
		if firstRight == newOff && !newLeft {
			firstSize = newSize
		} else if p.leaf && firstSize > 64 && old(firstRight).posting {
			posting = old(firstRight).size - old(firstRight).base
		}
		left := int16(leftSpace - toLeft)
		right := int16(rightSpace - (total - toLeft))
		if p.leaf {
			left -= int16(firstSize + 8 - posting)
		} else {
			left -= int16(firstSize)
		}
		if newLeft {
			left -= int16(newSize)
		} else {
			right -= int16(newSize)
		}
		if !p.leaf {
			right += int16(firstSize) - int16(8+4)
		}
		if left >= 0 && right >= 0 {
			minFirstRight = min(minFirstRight, firstSize)
			splits = append(splits, refSplit{leftFree: left, rightFree: right, firstRight: firstRight, newLeft: newLeft})
		}
	}
	toLeft := 0
	for off := firstData; off <= maxOff; off++ {
		if off <= newOff {
			record(off, false, toLeft, itemSize(off))
		}
		if off >= newOff {
			record(off, true, toLeft, itemSize(off))
		}
		toLeft += itemSize(off)
	}
	if newOff > maxOff {
		record(newOff, false, total, 0)
	}

	// _bt_deltasortsplits
	deltaSort := func(mult float64, use bool) {
		for i := range splits {
			s := &splits[i]
			if use {
				a := mult * float64(s.leftFree)
				b := (1.0 - mult) * float64(s.rightFree)
				s.delta = int16(float64(a) - float64(b))
			} else {
				s.delta = s.leftFree - s.rightFree
			}
			if s.delta < 0 {
				s.delta = -s.delta
			}
		}
		points := make([]splitPoint, len(splits))
		for i := range points {
			points[i] = splitPoint{delta: splits[i].delta, firstRight: int16(i)}
		}
		pgSort(points)
		sorted := make([]refSplit, len(splits))
		for i := range points {
			sorted[i] = splits[points[i].firstRight]
		}
		splits = sorted
	}

	// _bt_afternewitemoff
	afterNew := func() (after, use bool) {
		if p.keys == 1 || newOff == 2 || newSize != minFirstRight || newSize*(maxOff-1) != total || newSize > 28 {
			return false, false
		}
		if newOff > maxOff {
			n := p.keep(old(maxOff), &nu)
			return n > 1 && n <= p.keys, true
		}
		prev := old(newOff - 1)
		if prev.posting {
			return false, false
		}
		if prev.tid.Block != nu.tid.Block && !(prev.tid.Block+1 == nu.tid.Block && nu.tid.Offset == 1) {
			return false, false
		}
		if n := p.keep(prev, &nu); n > 1 && n <= p.keys {
			return true, float64(newOff)/(float64(maxOff)+1) > float64(p.fillfactor)/100.0
		}
		return false, false
	}
	chosen := func(s *refSplit, how string) refChoice {
		return refChoice{s.firstRight - firstData, s.newLeft, how}
	}
	mult, use := 0.5, false
	base := "half"
	switch {
	case !p.leaf:
		mult, use = 0.70, p.rightmost
		base = "internal"
	case p.rightmost:
		mult, use = float64(p.fillfactor)/100.0, true
		base = "fillfactor"
	default:
		after, byFillfactor := afterNew()
		if after && byFillfactor {
			mult, use = float64(p.fillfactor)/100.0, true
			base = "after new item, fillfactor"
		} else if after {
			for i := range splits {
				if s := &splits[i]; s.newLeft && s.firstRight == newOff {
					return chosen(s, "after new item")
				}
			}
		}
	}
	leftPage, rightPage := splits[0], splits[len(splits)-1]
	deltaSort(mult, use)

	// _bt_defaultinterval
	distance := 0.075
	if p.leaf {
		distance = 0.050
	}
	tolerance := int16(float64(total) * distance)
	interval := len(splits)
	for i := 1; i < len(splits); i++ {
		s, b := &splits[i], &splits[0]
		if s.leftFree < b.leftFree-tolerance || s.rightFree < b.rightFree-tolerance ||
			s.leftFree > b.leftFree+tolerance || s.rightFree > b.rightFree+tolerance {
			interval = i
			break
		}
	}

	lastLeft := func(s *refSplit) *refItem {
		if s.newLeft && s.firstRight == newOff {
			return &nu
		}
		return old(s.firstRight - 1)
	}
	firstRight := func(s *refSplit) *refItem {
		if !s.newLeft && s.firstRight == newOff {
			return &nu
		}
		return old(s.firstRight)
	}

	// _bt_strategy
	how := base
	perfect := minFirstRight
	if p.leaf {
		// The place of a split among all: before the new item comes before after
		// it. The edges are those found last in the interval, the optimal one if
		// it stands alone.
		place := func(s *refSplit) int {
			n := 2 * s.firstRight
			if s.newLeft && s.firstRight == newOff {
				n++
			}
			return n
		}
		var left, right *refSplit
		for i := interval - 1; i >= 0; i-- {
			s := &splits[i]
			switch d := place(s) - place(&splits[0]); {
			case d < 0 && left == nil:
				left = s
			case d > 0 && right == nil:
				right = s
			}
			if i == 0 && left == nil {
				left = s
			}
			if i == 0 && right == nil {
				right = s
			}
			if left != nil && right != nil {
				break
			}
		}
		perfect = p.keep(lastLeft(left), firstRight(right))
		if perfect > p.keys {
			perfect = p.keep(lastLeft(&leftPage), firstRight(&rightPage))
			if perfect <= p.keys {
				perfect, how = p.keys, "many duplicates"
			} else if p.rightmost {
				how = "single value"
			} else if perfect = p.keep(&p.high, &nu); perfect <= p.keys {
				how = "single value"
			}
		}
	}
	switch how {
	case "many duplicates":
		interval = len(splits)
	case "single value":
		deltaSort(0.96, true)
		interval = 1
	}

	// _bt_bestsplitloc
	best, least := 0, math.MaxInt
	for i := range interval {
		s := &splits[i]
		penalty := 0
		switch {
		case p.leaf:
			penalty = p.keep(lastLeft(s), firstRight(s))
		case !s.newLeft && s.firstRight == newOff:
			penalty = newSize
		default:
			penalty = itemSize(s.firstRight)
		}
		if penalty < least {
			best, least = i, penalty
		}
		if penalty <= perfect {
			break
		}
	}
	s := &splits[best]
	if how == "many duplicates" && !p.rightmost && !s.newLeft && s.firstRight >= newOff && s.firstRight < newOff+9 {
		s, how = &splits[0], "many duplicates, half"
	}
	return chosen(s, how)
}

// reference describes a page for findSplitLoc.
func (t *BTree) reference(p *page) *refPage {
	r := &refPage{leaf: p.level == 0, rightmost: !p.hasHigh, keys: t.opts.Keys, fillfactor: t.opts.Fillfactor}
	r.keep = func(a, b *refItem) int {
		for i := range t.opts.Keys {
			if i >= len(a.values) || i >= len(b.values) {
				return i + 1
			}
			u, v := &a.values[i], &b.values[i]
			if u.Null != v.Null || !u.Null && !bytes.Equal(stored(t.attrs[i], u), stored(t.attrs[i], v)) {
				return i + 1
			}
		}
		return t.opts.Keys + 1
	}
	if p.hasHigh {
		r.high = t.refItem(p, &p.high, t.highTuple(p))
	}
	for i := range p.items {
		r.items = append(r.items, t.refItem(p, p.at(i), t.tuple(p, p.nth(i))))
	}
	return r
}

// stored is a value's bytes as stored.
func stored(a datum.Attr, v *datum.Value) []byte {
	return datum.Append(nil, []datum.Attr{a}, []datum.Value{*v})
}

func (t *BTree) refItem(p *page, it *item, u tuple) refItem {
	r := refItem{size: t.size(p, it), tid: it.tid()}
	r.base = r.size
	if p.posting(it) {
		r.posting, r.base = true, p.entry(it.ref).size
	}
	at := 0
	var v datum.Value
	for i := range min(u.natts, t.opts.Keys) {
		v, at = t.column(&u, i, at)
		r.values = append(r.values, v)
	}
	return r
}

// CheckSplit compares the choice of a split point with the reference, if an entry
// would have to go to a leaf that has no room for it; likewise for the internal
// pages above. It returns how the reference chose.
func (t *BTree) CheckSplit(values []datum.Value, tid storage.TID) (how []string, err error) {
	if len(t.pages) == 1 {
		return nil, nil
	}
	var k key
	if err := t.form(&k, values, tid); err != nil {
		return nil, err
	}
	p := t.descend(&k)
	points := t.Counters.SplitPoints
	defer func() { t.Counters.SplitPoints = points }()
	for p.level == 0 && p.room() < k.size {
		t.settle(p)
		at := t.lowerBound(&k, p)
		if at < len(p.items) && t.compare(&k, p, p.nth(at)) == 0 {
			break // within a posting list, which would change first
		}
		nu := refItem{size: k.size, base: k.size, tid: tid}
		for i := range t.opts.Keys {
			nu.values = append(nu.values, values[i])
		}
		want := t.reference(p).findSplitLoc(nu, at)
		first, newLeft := t.findSplit(p, k.tuple(len(t.attrs)), tid, at, k.size)
		if first != want.firstRight || newLeft != want.newLeft {
			return nil, fmt.Errorf("leaf %d, %d items, new item at %d: split before %d, new item left %v; expected %+v",
				p.block, len(p.items), at, first, newLeft, want)
		}
		how = append(how, want.how)
		break
	}
	for _, s := range t.stack {
		p := s.page
		size := 0
		for i := range p.items {
			size = max(size, t.size(p, p.at(i)))
		}
		if p.room() >= size || len(p.items) < 3 {
			continue
		}
		want := t.reference(p).findSplitLoc(refItem{size: size, base: size}, s.at+1)
		first, newLeft := t.findSplit(p, tuple{}, storage.TID{}, s.at+1, size)
		if first != want.firstRight || newLeft != want.newLeft {
			return nil, fmt.Errorf("internal page %d, %d items, new item at %d: split before %d, new item left %v; expected %+v",
				p.block, len(p.items), s.at+1, first, newLeft, want)
		}
		how = append(how, want.how)
	}
	return how, nil
}
