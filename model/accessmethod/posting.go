package accessmethod

// Posting lists and posting trees of GIN, after ginpostinglist.c and gindatapage.c.

import (
	"slices"
	"sort"

	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of posting lists, in bytes. A list that has grown beyond segmentMax is divided into
// lists of segmentTarget; one below segmentMin is merged with the next one when its page is
// packed. Sources: REL_18_1, src/backend/access/gin/gindatapage.c
// (GinPostingListSegmentMaxSize, ...TargetSize, ...MinSize), src/include/access/ginblock.h
// (GinPostingList, GinDataPageMaxDataSize, PostingItem).
const (
	postingHead   = 8 // first TID and the number of bytes
	segmentMax    = 384
	segmentTarget = 256
	segmentMin    = 128
	segmentAction = 2 // its number and the action
	itemPointer   = 6
	rightBound    = 8 // of a page, aligned
	dataPageRoom  = storage.PageSize - pageHeader - rightBound - ginSpecial
	postingItem   = 10
)

// segment is a posting list: ascending TIDs, the differences between them in 7 bits a byte.
type segment struct {
	first, last uint64
	n           int32
	code        []byte
}

// size is what it takes on a page.
func (s *segment) size() int { return postingHead + shortAlign(len(s.code)) }

// appendVarbyte writes a difference.
func appendVarbyte(code []byte, delta uint64) []byte {
	for delta >= 1<<7 {
		code = append(code, byte(delta)|1<<7)
		delta >>= 7
	}
	return append(code, byte(delta))
}

// varbyte is the length of a difference.
func varbyte(delta uint64) int {
	n := 1
	for delta >>= 7; delta > 0; delta >>= 7 {
		n++
	}
	return n
}

// pack makes a list of as many of the first TIDs as fit in so many bytes
// (ginCompressPostingList).
func pack(tids []uint64, most int) segment {
	s := segment{first: tids[0], last: tids[0], n: 1}
	s.extend(tids[1:], most)
	return s
}

// extend adds TIDs behind the last one, as many as fit in so many bytes.
func (s *segment) extend(tids []uint64, most int) {
	room := most&^1 - postingHead
	for _, t := range tids {
		if len(s.code)+varbyte(t-s.last) > room {
			return
		}
		s.code = appendVarbyte(s.code, t-s.last)
		s.last = t
		s.n++
	}
}

// decode appends the TIDs to a list.
func (s *segment) decode(tids []uint64) []uint64 {
	t := s.first
	tids = append(tids, t)
	delta, shift := uint64(0), 0
	for _, b := range s.code {
		delta |= uint64(b&0x7f) << shift
		shift += 7
		if b < 1<<7 {
			t += delta
			tids = append(tids, t)
			delta, shift = 0, 0
		}
	}
	return tids
}

// merged is both lists in order, each TID once.
func merged(a, b []uint64) []uint64 {
	list := make([]uint64, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			list, a = append(list, a[0]), a[1:]
		case a[0] > b[0]:
			list, b = append(list, b[0]), b[1:]
		default:
			list, a, b = append(list, a[0]), a[1:], b[1:]
		}
	}
	return append(append(list, a...), b...)
}

// without takes the TIDs in dead, which ascend, out of a list; none of them is a list
// shorter than before. A list of which nothing is left has no TID, n is 0.
func (s *segment) without(dead []uint64) (rest segment, gone int32) {
	from := sort.Search(len(dead), func(i int) bool { return dead[i] >= s.first })
	if from == len(dead) || dead[from] > s.last {
		return *s, 0
	}
	dead = dead[from:]
	all := s.decode(nil)
	left := all[:0]
	for _, t := range all {
		for len(dead) > 0 && dead[0] < t {
			dead = dead[1:]
		}
		if len(dead) == 0 || dead[0] != t {
			left = append(left, t)
		}
	}
	if gone = s.n - int32(len(left)); gone == 0 {
		return *s, 0
	}
	if len(left) == 0 {
		return segment{}, gone
	}
	return pack(left, s.size()), gone
}

// postingTree is a tree of TIDs: its leaves in their order. Above them there is at most one
// page, as long as they are fewer than some 800.
type postingTree struct {
	leaves []*dataLeaf
	root   page // above the leaves, if there are several
}

// dataLeaf is a leaf page. used has the right bound, too.
type dataLeaf struct {
	page
	segments []segment
	bound    uint64 // the greatest TID that belongs to it, if it is not the last one
}

// size is what its segments take.
func (l *dataLeaf) size() int { return l.used - rightBound }

// What is done to a segment, as the record of a leaf says. Source: REL_18_1,
// src/include/access/ginxlog.h (GIN_SEGMENT_*).
const (
	segmentUnmodified = iota
	segmentDelete
	segmentInsert
	segmentReplace
	segmentAddItems
)

// changedSegment is a segment of a leaf at work (leafSegmentInfo).
type changedSegment struct {
	segment
	action int
	items  []uint64 // nil if they are those of the segment
	packed bool     // the segment has them all
	added  int      // by segmentAddItems
}

// open gives its items.
func (c *changedSegment) open() []uint64 {
	if c.items == nil {
		c.items = c.decode(nil)
	}
	return c.items
}

// lowest is its first item.
func (c *changedSegment) lowest() uint64 {
	if c.items != nil {
		return c.items[0]
	}
	return c.first
}

// plant makes a posting tree of TIDs (createPostingTree).
func (g *gin) plant(tids []uint64) *postingTree {
	l := &dataLeaf{page: page{used: rightBound}}
	for len(tids) > 0 {
		s := pack(tids, segmentMax)
		if l.size()+s.size() > dataPageRoom {
			break
		}
		l.segments = append(l.segments, s)
		l.used += s.size()
		tids = tids[s.n:]
	}
	t := &postingTree{leaves: []*dataLeaf{l}}
	g.treePages++
	const long = 3 // a header of main data of more than 255 bytes
	n := recordHead + mainHead + ginCreateTree + firstBlock + l.size()
	if ginCreateTree+l.size() > 255 {
		n += long
	}
	g.write(wal.GinCreatePTree, n, 0)
	l.lsn = g.log.LSN()
	g.grow(t, tids)
	return t
}

// grow adds TIDs to a posting tree (ginInsertItemPointers).
func (g *gin) grow(t *postingTree, tids []uint64) {
	for len(tids) > 0 {
		last := len(t.leaves) - 1
		at := sort.Search(last, func(i int) bool { return t.leaves[i].bound >= tids[0] })
		n := len(tids)
		if at < last {
			n = sort.Search(n, func(i int) bool { return tids[i] > t.leaves[at].bound })
		}
		tids = tids[g.placeOnLeaf(t, at, tids[:n]):]
	}
}

// leafRecord logs a change of a leaf.
func (g *gin) leafRecord(l *dataLeaf, data int) {
	g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+firstBlock+data, data, &l.page)
}

// addedData is what a record has of TIDs added to a segment: they, or all of it if that is
// less.
func addedData(s *segment, added int) int {
	if added*itemPointer > s.size() {
		return segmentAction + s.size()
	}
	return segmentAction + 2 + added*itemPointer
}

// appendToLeaf adds TIDs behind all others of a leaf where that changes no more than its
// last segment, or makes one more.
func (g *gin) appendToLeaf(l *dataLeaf, tids []uint64) bool {
	if len(l.segments) == 0 || len(tids) > segmentMax {
		return false
	}
	s := &l.segments[len(l.segments)-1]
	if tids[0] <= s.last {
		return false
	}
	const actions = 2
	if s.size() >= segmentTarget {
		n := pack(tids, segmentMax)
		if int(n.n) < len(tids) || l.size()+n.size() > dataPageRoom {
			return false
		}
		g.work.Recoded += int64(s.n) + int64(n.n)
		l.segments = append(l.segments, n)
		l.used += n.size()
		g.leafRecord(l, actions+segmentAction+n.size())
		return true
	}
	bytes, last := len(s.code), s.last
	for _, t := range tids {
		bytes += varbyte(t - last)
		last = t
	}
	grown := postingHead + shortAlign(bytes) - s.size()
	if postingHead+bytes > segmentMax || l.size()+grown > dataPageRoom {
		return false
	}
	s.extend(tids, segmentMax)
	g.work.Recoded += int64(s.n)
	l.used += grown
	g.leafRecord(l, actions+addedData(s, len(tids)))
	return true
}

// placeOnLeaf adds TIDs to a leaf, and says how many of them (dataBeginPlaceToPageLeaf).
func (g *gin) placeOnLeaf(t *postingTree, at int, tids []uint64) int {
	l := t.leaves[at]
	if g.appendToLeaf(l, tids) {
		return len(tids)
	}
	appended := len(l.segments) == 0 || tids[0] >= l.segments[len(l.segments)-1].last
	free := dataPageRoom - l.size()
	if appended {
		tids = tids[:min(len(tids), free+dataPageRoom)]
	} else {
		const perSegment = (segmentMax - 2) / itemPointer
		tids = tids[:min(len(tids), (free/segmentMax+dataPageRoom/segmentMax)*perSegment)]
	}
	list, changed := l.add(tids)
	if !changed {
		return len(tids)
	}
	for i := range list {
		g.work.Recoded += int64(len(list[i].items))
	}
	r := repack(list)
	if r.fits >= 0 {
		tids = tids[:sort.Search(len(tids), func(i int) bool { return tids[i] >= uint64(r.fits) })]
	}
	if r.lastLeft < 0 {
		data := recompressed(r.list)
		l.set(r.list)
		g.leafRecord(l, data)
		return len(tids)
	}
	g.divide(t, at, r, appended)
	return len(tids)
}

// add distributes new TIDs among a leaf's segments (addItemsToLeaf).
func (l *dataLeaf) add(tids []uint64) (list []*changedSegment, changed bool) {
	if len(l.segments) == 0 {
		return []*changedSegment{{items: slices.Clone(tids), action: segmentInsert}}, true
	}
	for i := range l.segments {
		list = append(list, &changedSegment{segment: l.segments[i], packed: true})
	}
	last := len(list) - 1
	for i, c := range list {
		n := len(tids)
		if i < last {
			low := list[i+1].first
			n = sort.Search(n, func(k int) bool { return tids[k] >= low })
		}
		if n == 0 {
			continue
		}
		old := c.open()
		if i == last && c.last < tids[0] && c.size() >= segmentTarget {
			return append(list, &changedSegment{items: slices.Clone(tids[:n]), action: segmentInsert}), true
		}
		all := merged(old, tids[:n])
		if len(all) != len(old) {
			if c.action = segmentReplace; len(all) == len(old)+n {
				c.action, c.added = segmentAddItems, n
			}
			c.items, c.packed, changed = all, false, true
		}
		if tids = tids[n:]; len(tids) == 0 {
			break
		}
	}
	return list, changed
}

// repacked is what repack makes of a leaf's segments.
type repacked struct {
	list        []*changedSegment
	lastLeft    int   // number of the last segment that stays on the page; -1 if all do
	left, right int   // bytes
	fits        int64 // TIDs from here on did not fit on two pages; -1 if all did
}

// repack packs segments anew that were changed (leafRepackItems).
func repack(list []*changedSegment) repacked {
	r := repacked{lastLeft: -1, fits: -1}
	used := 0
	for i := 0; i < len(list); i++ {
		c := list[i]
		if !c.packed {
			if len(c.items) <= segmentMax {
				c.segment = pack(c.items, segmentMax)
			}
			if len(c.items) > segmentMax || int(c.n) != len(c.items) {
				c.segment = pack(c.items, segmentTarget)
				if c.action != segmentInsert {
					c.action = segmentReplace
				}
				list = slices.Insert(list, i+1, &changedSegment{items: c.items[c.n:], action: segmentInsert})
				c.items = c.items[:c.n]
			}
			c.packed = true
		}
		if c.size() < segmentMin && i+1 < len(list) {
			next := list[i+1]
			next.items = merged(c.open(), next.open())
			next.packed, next.action, next.added = false, segmentReplace, 0
			if c.action == segmentInsert {
				list = slices.Delete(list, i, i+1)
				i--
				continue
			}
			c.action = segmentDelete
			continue
		}
		if used+c.size() > dataPageRoom {
			if r.lastLeft >= 0 {
				r.fits = int64(c.first)
				list = list[:i]
				break
			}
			r.lastLeft, r.left, used = i-1, used, 0
		}
		used += c.size()
	}
	r.list, r.right = list, used
	if r.lastLeft < 0 {
		r.left, r.right = used, 0
	}
	return r
}

// recompressed is how long the description of what happened to a leaf's segments is
// (computeLeafRecompressWALData).
func recompressed(list []*changedSegment) int {
	n := 2 // the number of actions
	for _, c := range list {
		switch c.action {
		case segmentDelete:
			n += segmentAction
		case segmentAddItems:
			n += addedData(&c.segment, c.added)
		case segmentInsert, segmentReplace:
			n += segmentAction + c.size()
		}
	}
	return n
}

// set takes segments over.
func (l *dataLeaf) set(list []*changedSegment) {
	l.segments, l.used = l.segments[:0], rightBound
	for _, c := range list {
		if c.action != segmentDelete {
			l.segments = append(l.segments, c.segment)
			l.used += c.size()
		}
	}
}

// divide divides a leaf: evenly, or with three quarters on the left page where TIDs were
// appended. While an index is built the left page stays full.
func (g *gin) divide(t *postingTree, at int, r repacked, appended bool) {
	for !g.quiet && r.lastLeft > 0 {
		if c := r.list[r.lastLeft]; c.action != segmentDelete {
			n := c.size()
			if r.left-n < r.right+n || appended && r.left-n < storage.PageSize*3/4 {
				break
			}
			r.left -= n
			r.right += n
		}
		r.lastLeft--
	}
	l := t.leaves[at]
	right := &dataLeaf{bound: l.bound}
	right.set(r.list[r.lastLeft+1:])
	stays := &dataLeaf{}
	stays.set(r.list[:r.lastLeft+1])
	stays.bound = r.list[r.lastLeft].last
	t.leaves[at] = stays
	t.leaves = slices.Insert(t.leaves, at+1, right)
	g.treePages++
	g.work.Splits++
	length := recordHead + mainHead + ginSplitHead + firstBlock + anotherBlock
	if len(t.leaves) == 2 {
		g.treePages++
		t.root.used = rightBound + 2*postingItem
		g.force(wal.GinSplit, length+anotherBlock, &stays.page, &right.page, &t.root)
		return
	}
	g.force(wal.GinSplit, length, &stays.page, &right.page)
	const down = 2 + postingItem
	t.root.used = min(t.root.used+postingItem, rightBound+dataPageRoom)
	g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+ginChildren+firstBlock+anotherBlock+down, down, &t.root)
}

// vacuum takes dead TIDs out of a posting tree's leaves (ginVacuumPostingTreeLeaf). Pages of
// which nothing is left stay in the tree.
func (g *gin) vacuum(t *postingTree, dead []uint64) {
	for _, l := range t.leaves {
		var list []*changedSegment
		changed := false
		for i := range l.segments {
			rest, gone := l.segments[i].without(dead)
			c := &changedSegment{segment: rest, packed: true}
			if gone > 0 {
				changed = true
				g.work.Removed += int64(gone)
				if c.action = segmentReplace; rest.n == 0 {
					c.action = segmentDelete
				}
			}
			list = append(list, c)
		}
		if !changed {
			continue
		}
		data := recompressed(list)
		l.set(list)
		g.write(wal.GinVacuumDataLeafPage, recordHead+firstBlock+data, data, &l.page)
	}
}
