package index

// Building an index on the rows of a table, after nbtsort.c (_bt_load,
// _bt_buildadd, _bt_uppershutdown): entries come in order and fill one page after the
// other, each level's page being the last one of its level. Where leaves end is worked
// out in one pass; what is on them when they are touched first (build_leaf.go).

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// maxBuiltPosting is maxpostingsize of _bt_load, in bytes: a posting list that is made
// while an index is built takes a tenth of a page at most, line pointer included.
const maxBuiltPosting = (storage.PageSize*10/100)&^7 - storage.LinePointerSize

// BuildRows are the rows that an index is built on, numbered from 0 in the order of
// their heap TIDs. They must be the same whenever they are asked for.
type BuildRows interface {
	// Entry returns the values of the index's columns for a row, which hold until the
	// next call; ok is false if the index has no entry for it.
	Entry(n int) (values []datum.Value, ok bool, err error)
	// TID is the row's heap TID.
	TID(n int) storage.TID
}

// built is what is known of an index that was built, for the leaves that have not been
// made.
type built struct {
	rows    BuildRows
	entries []uint32   // rows in index order; nil if that is the order of the rows
	spans   []leafSpan // by block
	dedup   bool
	key     key
	list    pendingBuild
	page    page // the leaf that is being filled
}

// leafSpan is the entries of a leaf: from from on, before to. free is its
// PageGetExactFreeSpace until it is made.
type leafSpan struct {
	from, to uint32
	free     uint16
}

// pendingBuild is the posting list that is being collected.
type pendingBuild struct {
	base  key
	tids  []byte
	first uint32 // the entry that it begins with
}

// builder is the state of a build.
type builder struct {
	t      *BTree
	b      *built
	levels []buildLevel
	froms  [2]uint32 // first entries of the last two items on the leaf
}

// buildLevel is the state of one level (BTPageState).
type buildLevel struct {
	page  *page
	full  int // a page with less room is full
	extra int // posting list of the last item, bytes
	// The page's low key, which becomes its downlink.
	lowHi, lowLo uint64
	low          entry
}

// DuplicateError says that a unique index cannot be built: two rows have the same key.
type DuplicateError struct {
	Index string
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("could not create unique index %q: a key is duplicated", e.Index)
}

// Checksums says that the cluster has data checksums, which a build writes.
func (t *BTree) Checksums(on bool) { t.checksums = on }

// Build fills an empty index with entries for the rows of its table, as CREATE INDEX
// does. Its pages count as written to disk long ago. every says that all leaves are
// made at once.
func (t *BTree) Build(count int, rows BuildRows, every bool) error {
	b := &built{rows: rows, dedup: t.dedup && !t.opts.Unique}
	counters := t.Counters
	defer func() { t.Counters = counters }()
	s, err := t.sortEntries(count, b)
	if err != nil || s.n == 0 {
		return err
	}
	b.spans = make([]leafSpan, 1, s.n/256+2)
	w := &builder{t: t, b: b}
	if t.plan.wide {
		b.page.los = []uint64{}
	}
	w.addLevel()
	for i := range s.n {
		if err := s.key(t, i, &b.key); err != nil {
			return err
		}
		if i > 0 && t.opts.Unique && t.duplicates(&b.list.base, &b.key) {
			t.pages, t.loaded = t.pages[:1], nil
			return &DuplicateError{t.opts.Name}
		}
		w.add(uint32(i))
	}
	w.flush(uint32(s.n))
	w.finish(uint32(s.n))
	b.entries = s.rows
	b.page = page{}
	t.loaded = b
	if t.checksums {
		for _, p := range t.pages[1:] {
			t.sum(p)
		}
	}
	if every {
		for _, p := range t.pages[1:] {
			t.settle(p)
		}
	}
	return nil
}

// addLevel begins a level above the others with an empty page.
func (w *builder) addLevel() *buildLevel {
	t := w.t
	l := buildLevel{full: storage.PageSize * (100 - NonLeafFillfactor) / 100}
	n := len(w.levels)
	l.page = w.newPage(n)
	if n == 0 {
		l.full = storage.PageSize * (100 - t.opts.Fillfactor) / 100
		w.b.page.reset(0)
	}
	l.low.size = tupleHeaderSize // minus infinity
	w.levels = append(w.levels, l)
	return &w.levels[n]
}

func (w *builder) newPage(level int) *page {
	t := w.t
	p := newPage(storage.BlockNumber(len(t.pages)), level)
	if level > 0 {
		t.arrays(p, 64)
	}
	t.pages = append(t.pages, p)
	w.b.spans = append(w.b.spans, leafSpan{})
	return p
}

// add adds entry n, whose key is in b.key: to the posting list that is being
// collected, if it is equal and there is room, else as a new item.
func (w *builder) add(n uint32) {
	b := w.b
	d := &b.list
	if len(d.tids) > 0 && w.t.merges(b, d, &b.key) {
		d.tids = appendTID(d.tids, b.key.tid)
		return
	}
	w.flush(n)
	d.begin(b, n)
}

// begin begins a posting list with the key.
func (d *pendingBuild) begin(b *built, n uint32) {
	d.base, b.key = b.key, d.base
	d.tids, d.first = appendTID(d.tids[:0], d.base.tid), n
}

// merges says whether a key goes into a posting list.
func (t *BTree) merges(b *built, d *pendingBuild, k *key) bool {
	if !b.dedup || k.abbrev != d.base.abbrev || storage.MaxAlign(d.base.size+len(d.tids)+storage.TIDSize) > maxBuiltPosting {
		return false
	}
	if k.whole && d.base.whole {
		return true
	}
	u, v := d.base.tuple(len(t.attrs)), k.tuple(len(t.attrs))
	return t.keepAttsFast(&u, &v) > t.opts.Keys
}

// duplicates says whether two keys of a unique index, one after the other, may not be
// there both.
func (t *BTree) duplicates(a, k *key) bool {
	if a.abbrev != k.abbrev || (a.nulls|k.nulls)&(1<<t.opts.Keys-1) != 0 && !t.opts.NullsNotDistinct {
		return false
	}
	u, v := a.tuple(len(t.attrs)), k.tuple(len(t.attrs))
	return t.keepAtts(&u, &v) > t.opts.Keys
}

// put adds what was collected to leaf p.
func (d *pendingBuild) put(t *BTree, p *page) {
	k := &d.base
	it := item{hi: k.hi, block: k.tid.Block, offset: k.tid.Offset}
	size := k.size
	if posting := len(d.tids) > storage.TIDSize; posting || !k.whole {
		e := entry{size: k.size, flags: nullFlag(k.nulls), natts: len(t.attrs), nulls: k.nulls, data: k.data}
		if k.whole {
			e.flags |= entryWhole
			e.data = nil
		}
		if posting {
			e.flags |= entryPosting
			e.tids = d.tids
			size = storage.MaxAlign(size + len(d.tids))
		}
		it.ref = p.addEntry(&e)
		if posting {
			p.noteList(d.tids)
		}
	}
	t.push(p, it, k.lo, size)
}

// flush adds what was collected to the leaf, or to a new one if it is full. next is the
// entry after it.
func (w *builder) flush(next uint32) {
	t, d := w.t, &w.b.list
	if len(d.tids) == 0 {
		return
	}
	l := &w.levels[0]
	p := &w.b.page
	extra := 0
	size := d.base.size
	if len(d.tids) > storage.TIDSize {
		size = storage.MaxAlign(size + len(d.tids))
		extra = size - d.base.size
	}
	if space := p.roomInBuild(); space < size+pivotTIDSize || space+l.extra < l.full && len(p.items) > 1 {
		w.finishLeaf()
		l = &w.levels[0]
	}
	l.extra = extra
	d.put(t, p)
	w.froms = [2]uint32{w.froms[1], d.first}
	d.tids = d.tids[:0]
}

// roomInBuild is PageGetFreeSpace of a page that is being built, whose high key has a
// line pointer already.
func (p *page) roomInBuild() int { return max(p.free-2*storage.LinePointerSize, 0) }

// finishLeaf ends the leaf: its last item goes to a new one, and what is needed of it
// stays as the high key.
func (w *builder) finishLeaf() {
	t := w.t
	l := &w.levels[0]
	p, q := l.page, w.newPage(0)
	full := &w.b.page
	n := len(full.items)
	last := uint16(n - 1)
	lastLeft, firstRight := t.tuple(full, last-1), t.tuple(full, last)
	it := &full.items[last]
	block, base := it.block, t.size(full, it)
	if full.posting(it) {
		base = full.entry(it.ref).size
		block = storage.BlockNumber(base)
	}
	high, short := t.truncate(&lastLeft, &firstRight, base, full.maxTID(&full.items[last-1]))
	p.free = full.free + t.size(full, it) + storage.LinePointerSize
	t.slabBytes(p, slabStart+entryHeader+6+storage.TIDSize+high.size)
	p.setHigh(item{hi: short.hi, block: block}, short.lo, &high)
	p.highAt = last
	w.linkDown(0, p, short, p.entry(p.high.ref))
	w.b.spans[p.block].to = w.froms[1]
	w.b.spans[q.block].from = w.froms[1]
	w.leave(p)

	l = &w.levels[0] // the level above may have been added
	p.next, q.prev = q.block, p.block
	q.low = p.high.hi
	l.page = q
	// The last item becomes the first one of the new page.
	moved := &t.scratch
	moved.reset(0)
	t.copyItem(moved, full, last)
	full.reset(0)
	t.copyItem(full, moved, 0)
	w.froms[0] = w.froms[1]
}

// leave takes leave of a leaf, whose items are not kept.
func (w *builder) leave(p *page) {
	w.b.spans[p.block].free = uint16(p.free)
	p.sorted, p.free = virtual, -1
}

// linkDown gives the page above a level's page its downlink, and the next page of the
// level its low key, which is the high key.
func (w *builder) linkDown(level int, p *page, high abbrev, e entry) {
	if len(w.levels) == level+1 {
		w.addLevel()
	}
	l := &w.levels[level]
	w.addUpper(level+1, item{hi: l.lowHi, block: p.block}, l.lowLo, l.low)
	l = &w.levels[level]
	e.data = append([]byte(nil), e.data...)
	l.lowHi, l.lowLo, l.low = high.hi, high.lo, e
}

// addUpper adds a downlink to the last page of a level, or to a new one if it is full.
func (w *builder) addUpper(level int, it item, lo uint64, e entry) {
	t := w.t
	l := &w.levels[level]
	p := l.page
	if space := p.roomInBuild(); space < e.size || space < l.full && len(p.items) > 1 {
		q := w.newPage(level)
		n := len(p.items) - 1
		last := p.items[n]
		lastLo, pivot := p.lo(uint16(n)), p.entry(p.items[n].ref)
		p.items, p.his = p.items[:n], p.his[:n]
		if p.los != nil {
			p.los = p.los[:n]
		}
		p.sorted, p.most = n, p.his[n-1]
		p.free += pivot.size + storage.LinePointerSize
		p.setHigh(item{hi: last.hi, block: last.block}, lastLo, &pivot)
		p.highAt = uint16(n)
		t.pushFirst(q, last.block)
		w.linkDown(level, p, abbrev{last.hi, lastLo}, pivot)
		l = &w.levels[level]
		p.next, q.prev = q.block, p.block
		q.low = p.high.hi
		l.page, p = q, q
	}
	if len(p.items) == 0 {
		t.pushFirst(p, it.block)
		return
	}
	it.ref = p.addEntry(&e)
	t.push(p, it, lo, e.size)
}

// pushFirst adds the first downlink of an internal page, which is minus infinity.
func (t *BTree) pushFirst(p *page, child storage.BlockNumber) {
	t.push(p, item{block: child, ref: p.addEntry(&entry{size: tupleHeaderSize})}, 0, tupleHeaderSize)
}

// finish ends the last page of each level: the topmost one is the root.
func (w *builder) finish(entries uint32) {
	t := w.t
	leaf := w.levels[0].page
	leaf.free = w.b.page.free
	leaf.most = w.b.page.most
	w.b.spans[leaf.block].to = entries
	for i := 0; i < len(w.levels); i++ {
		l := &w.levels[i]
		if i+1 == len(w.levels) {
			t.root, t.fastRoot, t.fastLevel = l.page.block, l.page.block, i
			break
		}
		w.addUpper(i+1, item{hi: l.lowHi, block: l.page.block}, l.lowLo, l.low)
	}
	w.leave(leaf)
	t.rightmost = leaf.block
	t.bounds.valid, t.remembered = false, false
}
