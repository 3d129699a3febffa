package accessmethod

// GIN, after gininsert.c, ginfast.c, ginentrypage.c, gindatapage.c and ginvacuum.c.

import (
	"cmp"
	"slices"
	"sort"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of GIN's structs and pages. Sources: REL_18_1, src/include/access/ginblock.h,
// ginxlog.h, src/backend/access/gin/gindatapage.c.
const (
	ginSpecial      = 8
	ginMetaData     = 56
	ginUpdateMeta   = 88
	ginListPage     = 8
	ginInsertHead   = 2
	ginInsertEntry  = 4
	ginChildren     = 8
	ginSplitHead    = 28
	ginCreateTree   = 4
	ginDeletePages  = ginMetaData + 8
	ginDeleteAtOnce = 16
	ginMaxItem      = 2712
	postingHead     = 8 // first TID and the number of bytes
	segmentTarget   = 256
	segmentMax      = 384
	segmentAction   = 2
	dataPageRoom    = 8152
)

// gin is a GIN index: the pending list as it is, byte for byte; the entry tree with its
// entries in the order of their first eight bytes; posting trees by their lengths.
//
//	rows --(fastupdate)--> pending list --(limit, VACUUM)--.
//	  '--------------------------------------------------> entry tree -> posting trees
type gin struct {
	logger
	o          Options
	extractors []*extractor
	several    bool // columns: entries then begin with the column's number
	meta       page
	work       Work

	pending   pendingList
	entries   []entry
	byID      map[uint64]int32
	leaves    []*leaf
	internal  int // pages above the leaves
	treePages int // pages of posting trees
	free      int // pages of the pending list that were given back
	rows      []storage.TID
	keys      []ginKey
}

// pendingList is the list of what is not in the tree yet.
type pendingList struct {
	pages   int
	tail    page
	entries []pendingEntry
	mark    int   // entries before the tail page
	bounds  []int // number of entries up to the end of each page but the tail
}

type pendingEntry struct {
	ginKey
	tid uint64
}

// entry is a key with its TIDs.
type entry struct {
	ginKey
	base    int32 // size of the tuple without TIDs
	tids    int32
	posting int32 // bytes of the encoded TIDs in the tuple
	size    int32 // of the tuple
	last    uint64
	tree    *postingTree
}

// postingTree is a tree of TIDs: they come in order for the most part, so the last leaf
// is what grows.
type postingTree struct {
	leaves  int
	page        // the last leaf
	segment int // bytes of its last segment
}

// leaf is a leaf of the entry tree.
type leaf struct {
	page
	low     uint64
	entries []int32
}

func newGIN(o Options) *gin {
	g := &gin{logger: logger{log: o.Log, rel: o.Rel}, o: o, several: len(o.Columns) > 1}
	if g.o.PendingListLimit == 0 {
		g.o.PendingListLimit = 4 << 20
	}
	if g.o.WorkMem == 0 {
		g.o.WorkMem = 4 << 20
	}
	for i, c := range o.Columns {
		g.extractors = append(g.extractors, newExtractor(i, c))
	}
	g.Truncate()
	return g
}

func (g *gin) Truncate() {
	g.pending, g.entries, g.byID = pendingList{}, nil, map[uint64]int32{}
	g.leaves, g.internal, g.treePages, g.free, g.rows = []*leaf{{}}, 0, 0, 0, nil
}

func (g *gin) Work() *Work { return &g.work }

func (g *gin) Pages() int {
	return 1 + len(g.leaves) + g.internal + g.treePages + g.pending.pages + g.free
}

// tidNumber is a TID as posting lists have it: 11 bits of offset.
func tidNumber(t storage.TID) uint64 { return uint64(t.Block)<<11 | uint64(t.Offset) }

// varbyte is the length of a difference in a posting list.
func varbyte(delta uint64) int32 {
	n := int32(1)
	for delta >>= 7; delta > 0; delta >>= 7 {
		n++
	}
	return n
}

// tuple is the size of an entry's tuple without TIDs (GinFormTuple).
func (g *gin) tuple(k *ginKey) int32 {
	n := tupleHeader
	switch {
	case k.null: // a bitmap, and the category's byte
		n = 16
		if g.several {
			n += 2
		}
		n = maxAlign(n + 1)
	case g.several && k.size%4 == 0 && k.size <= 8:
		n += k.size + k.size // the column's number, aligned
	case g.several:
		n += 2 + k.size
	default:
		n += k.size
	}
	return int32(maxAlign(n))
}

func (g *gin) Insert(values []datum.Value, tid storage.TID) {
	g.keys = g.keys[:0]
	for i, e := range g.extractors {
		g.keys = append(g.keys, e.extract(&values[i])...)
		g.work.Parsed += int64(len(values[i].Bytes))
	}
	g.work.Rows++
	g.work.Keys += int64(len(g.keys))
	g.rows = append(g.rows, tid)
	if g.o.FastUpdate && !g.quiet {
		g.insertPending(tidNumber(tid))
		return
	}
	slices.SortFunc(g.keys, func(a, b ginKey) int { return cmp.Compare(a.order, b.order) })
	for i := range g.keys {
		g.insertEntry(&g.keys[i], []uint64{tidNumber(tid)})
	}
}

// insertPending appends a row's keys to the pending list (ginHeapTupleFastInsert).
func (g *gin) insertPending(tid uint64) {
	p := &g.pending
	sum := 0
	for i := range g.keys {
		sum += int(g.tuple(&g.keys[i]))
		g.work.KeyBytes += int64(g.keys[i].size)
	}
	n := len(g.keys)
	g.work.Pending += int64(n)
	fits := p.pages > 0 && sum+n*linePointer <= room(ginSpecial)-p.tail.used
	if fits {
		for i := range g.keys {
			p.entries = append(p.entries, pendingEntry{g.keys[i], tid})
		}
		p.tail.used += sum + n*linePointer
		g.write(wal.GinUpdateMetaPage, recordHead+mainHead+ginUpdateMeta+firstBlock+anotherBlock+sum, 0, &p.tail)
	} else {
		before := p.pages
		bytes := 0
		tail := page{}
		flush := func() {
			g.write(wal.GinInsertListPage, recordHead+mainHead+ginListPage+firstBlock+bytes, bytes)
			tail.lsn = g.log.LSN()
		}
		for i := range g.keys {
			t := int(g.tuple(&g.keys[i]))
			if i == 0 || tail.used+t+linePointer > room(ginSpecial) {
				if i > 0 {
					flush()
				}
				if p.pages > 0 {
					p.bounds = append(p.bounds, len(p.entries))
				}
				p.pages++
				if g.free > 0 {
					g.free--
				}
				tail, bytes = page{}, 0
			}
			p.entries = append(p.entries, pendingEntry{g.keys[i], tid})
			tail.used += t + linePointer
			bytes += t
		}
		flush()
		old := p.tail
		p.tail = tail
		length := recordHead + mainHead + ginUpdateMeta + firstBlock
		if before > 0 {
			g.write(wal.GinUpdateMetaPage, length+anotherBlock, 0, &old)
		} else {
			g.write(wal.GinUpdateMetaPage, length, 0)
		}
	}
	if uint64(p.pages)*uint64(room(ginSpecial)) > g.o.PendingListLimit {
		g.clean(g.o.WorkMem)
	}
}

// Memory that a key takes while the pending list is emptied, in bytes: a node of the
// tree of keys, the first list of TIDs. Source: REL_18_1, ginbulk.c (GinEntryAccumulator,
// DEF_NPTR), on a 64-bit machine, with the allocator's chunks.
const (
	accumulated     = 72 + 48
	accumulatedTIDs = 6
)

// clean moves the pending list into the tree (ginInsertCleanup): as often as memory is
// full after a page.
func (g *gin) clean(memory uint64) {
	p := &g.pending
	if p.pages == 0 {
		return
	}
	bounds := append(p.bounds, len(p.entries))
	lists := map[uint64][]uint64{}
	var keys []ginKey
	var used uint64
	pages := 0
	flush := func() {
		slices.SortFunc(keys, func(a, b ginKey) int { return cmp.Compare(a.order, b.order) })
		for i := range keys {
			list := lists[keys[i].id]
			slices.Sort(list)
			g.insertEntry(&keys[i], list)
		}
		clear(lists)
		keys, used = keys[:0], 0
		for n := pages; n > 0; n -= ginDeleteAtOnce {
			k := min(n, ginDeleteAtOnce)
			g.write(wal.GinDeleteListPage, recordHead+mainHead+ginDeletePages+firstBlock+k*anotherBlock, 0)
		}
		g.free += pages
		pages = 0
	}
	from := 0
	for _, to := range bounds {
		for i := from; i < to; i++ {
			e := &p.entries[i]
			list, ok := lists[e.id]
			if !ok {
				keys = append(keys, e.ginKey)
				used += accumulated + uint64(e.size)
			}
			if len(list) > 0 && list[len(list)-1] == e.tid {
				continue
			}
			lists[e.id] = append(list, e.tid)
			used += accumulatedTIDs
		}
		g.work.Moved += int64(to - from)
		from = to
		pages++
		if used >= memory {
			flush()
		}
	}
	flush()
	g.pending = pendingList{entries: p.entries[:0]}
}

// find is the leaf of a place in the order.
func (g *gin) find(order uint64) int {
	i := sort.Search(len(g.leaves), func(i int) bool { return g.leaves[i].low > order })
	return max(i-1, 0)
}

// insertEntry adds TIDs to a key, or the key (ginEntryInsert).
func (g *gin) insertEntry(k *ginKey, tids []uint64) {
	g.work.Entries++
	n := len(g.entries)
	for ; n > 0; n >>= 1 {
		g.work.Compares++
	}
	at, ok := g.byID[k.id]
	if !ok {
		at = int32(len(g.entries))
		g.byID[k.id] = at
		e := entry{ginKey: *k, base: g.tuple(k)}
		e.append(tids)
		g.entries = append(g.entries, e)
		g.work.Recoded += int64(len(tids))
		if e.posting > ginMaxItem-e.base {
			g.plant(&g.entries[at], tids)
		}
		g.entries[at].resize()
		g.place(at, 0)
		return
	}
	e := &g.entries[at]
	if e.tree != nil {
		e.append(tids)
		g.grow(e, tids)
		return
	}
	old := e.size
	before := *e
	e.append(tids)
	g.work.Recoded += int64(e.tids)
	e.resize()
	if int(e.base)+postingHead+shortAlign(int(e.posting)) > ginMaxItem {
		*e = before
		g.plant(e, nil)
		e.append(tids)
		g.grow(e, tids)
		e.resize()
	}
	g.place(at, int(old))
}

// append counts TIDs behind those that are there.
func (e *entry) append(tids []uint64) {
	for _, t := range tids {
		if e.tids > 0 {
			if t > e.last {
				e.posting += varbyte(t - e.last)
			} else {
				e.posting += varbyte(e.last - t)
			}
		}
		e.tids++
		e.last = max(e.last, t)
	}
}

// resize computes the tuple's size.
func (e *entry) resize() {
	e.size = e.base
	if e.tree == nil {
		e.size = int32(maxAlign(int(e.base) + postingHead + shortAlign(int(e.posting))))
	}
}

// place puts an entry's tuple on its leaf, in place of one of size old (entryPlaceToPage),
// and divides the leaf if it has no room.
func (g *gin) place(at int32, old int) {
	e := &g.entries[at]
	i := g.find(e.order)
	l := g.leaves[i]
	if old == 0 {
		l.used += int(e.size) + linePointer
		l.entries = append(l.entries, at)
	} else {
		l.used += int(e.size) - old
	}
	g.work.Placed += int64(e.size)
	if l.used <= room(ginSpecial) {
		data := ginInsertEntry + int(e.size)
		g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+firstBlock+data, data, &l.page)
		return
	}
	slices.SortFunc(l.entries, func(a, b int32) int { return cmp.Compare(g.entries[a].order, g.entries[b].order) })
	half, k := 0, 0
	for half <= l.used/2 && k < len(l.entries)-1 {
		half += int(g.entries[l.entries[k]].size) + linePointer
		k++
	}
	// Entries of the same first eight bytes stay together.
	for k < len(l.entries)-1 && g.entries[l.entries[k]].order == g.entries[l.entries[k-1]].order {
		half += int(g.entries[l.entries[k]].size) + linePointer
		k++
	}
	right := &leaf{low: g.entries[l.entries[k]].order, entries: slices.Clone(l.entries[k:])}
	right.used = l.used - half
	g.work.Splits++
	g.work.SplitItems += int64(len(l.entries))
	l.entries, l.used = l.entries[:k:k], half
	g.leaves = slices.Insert(g.leaves, i+1, right)
	length := recordHead + mainHead + ginSplitHead + firstBlock + anotherBlock
	if len(g.leaves) == 2 {
		g.internal = 1
		root := page{used: 2 * (linePointer + 16)}
		g.force(wal.GinSplit, length+anotherBlock, &l.page, &right.page, &root)
		return
	}
	g.force(wal.GinSplit, length, &l.page, &right.page)
	down := ginInsertEntry + int(e.base)
	g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+ginChildren+firstBlock+anotherBlock+down, down)
	g.internal = 1 + len(g.leaves)/200
}

// plant makes a posting tree of an entry's TIDs (createPostingTree). all are those of a
// new entry, which the tree's pages take one after the other.
func (g *gin) plant(e *entry, all []uint64) {
	bytes := postingHead + shortAlign(int(e.posting))
	segments := 1 + bytes/segmentMax
	bytes += (segments - 1) * postingHead
	e.tree = &postingTree{leaves: 1, page: page{used: min(bytes, dataPageRoom)}, segment: min(bytes, segmentTarget)}
	g.treePages++
	g.write(wal.GinCreatePTree, recordHead+mainHead+ginCreateTree+firstBlock+e.tree.used+3, 0)
	if bytes > dataPageRoom {
		g.spread(e.tree, bytes-dataPageRoom)
	}
}

// grow adds TIDs to a posting tree (dataBeginPlaceToPageLeaf): the last segment takes
// them, or new ones.
func (g *gin) grow(e *entry, tids []uint64) {
	t := e.tree
	n := len(tids)
	average := 1 + int(e.posting)/int(e.tids)
	bytes := n * average
	if t.segment >= segmentTarget {
		t.segment = postingHead - 2
		bytes += t.segment
	}
	t.segment += n * average
	g.work.Recoded += int64(min(t.segment, segmentTarget)/average + n)
	data := 2 + segmentAction
	switch {
	case t.segment > segmentMax: // the segment and those that follow are written anew
		data += t.segment + t.segment/segmentTarget*(postingHead+segmentAction)
		t.segment %= segmentTarget
	case 2+6*n < t.segment:
		data += 2 + 6*n
	default:
		data += t.segment
	}
	if t.used+bytes <= dataPageRoom {
		t.used += bytes
		g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+firstBlock+data, data, &t.page)
		return
	}
	g.spread(t, bytes)
}

// spread divides the last leaf of a posting tree, which keeps three quarters, until there
// is room for so many bytes more.
func (g *gin) spread(t *postingTree, bytes int) {
	const left = storage.PageSize * 3 / 4
	for t.used+bytes > dataPageRoom {
		total := t.used + bytes
		stays := &page{used: left}
		t.page = page{used: min(total-left, dataPageRoom)}
		bytes = total - left - t.used
		t.leaves++
		g.treePages++
		g.work.Splits++
		length := recordHead + mainHead + ginSplitHead + firstBlock + anotherBlock
		if t.leaves == 2 {
			g.treePages++
			root := page{used: 30}
			g.force(wal.GinSplit, length+anotherBlock, stays, &t.page, &root)
		} else {
			g.force(wal.GinSplit, length, stays, &t.page)
			g.write(wal.GinInsert, recordHead+mainHead+ginInsertHead+ginChildren+firstBlock+anotherBlock+12, 0)
		}
	}
	t.used += bytes
}

// BulkDelete empties the pending list and takes dead rows' TIDs away, each page with any
// being logged as an image (ginbulkdelete). Which entries had them is not known: every
// TID of the index is taken to be dead with the same probability.
func (g *gin) BulkDelete(dead func(storage.TID) bool, workMem uint64) {
	g.clean(max(workMem, g.o.WorkMem))
	before := len(g.rows)
	g.rows = slices.DeleteFunc(g.rows, dead)
	if before == len(g.rows) {
		return
	}
	share := float64(before-len(g.rows)) / float64(before)
	rest := 0.0 // pages, not yet a whole one
	for _, l := range g.leaves {
		tids := 0
		for _, at := range l.entries {
			e := &g.entries[at]
			if e.tree != nil {
				continue
			}
			tids += int(e.tids)
			gone := int32(float64(float64(e.tids) * share))
			e.posting -= int32(float64(float64(e.posting) * share))
			e.tids -= gone
			g.work.Removed += int64(gone)
			old := e.size
			e.resize()
			l.used -= int(old - e.size)
		}
		rest += 1 - power(1-share, tids)
		if rest >= 0.5 {
			rest--
			g.force(wal.GinVacuumPage, recordHead+firstBlock, &l.page)
		}
	}
	for i := range g.entries {
		t := g.entries[i].tree
		if t == nil {
			continue
		}
		for n := range t.leaves {
			p := &page{used: dataPageRoom * 3 / 4, lsn: t.lsn}
			if n == t.leaves-1 {
				p = &t.page
			}
			// Each segment is written anew.
			data := 2 + int(float64(float64(p.used)*(1-share))) + p.used/segmentTarget*segmentAction
			g.write(wal.GinVacuumDataLeafPage, recordHead+firstBlock+data, data, p)
		}
		t.used -= int(float64(float64(t.used) * share))
	}
}

// VacuumCleanup empties the pending list, and notes the numbers of pages on the metapage.
func (g *gin) VacuumCleanup() {
	g.clean(g.o.WorkMem)
	g.write(wal.GinUpdateMetaPage, recordHead+mainHead+ginUpdateMeta+firstBlock, 0)
}

// power is x to the n.
func power(x float64, n int) float64 {
	r := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			r = float64(r * x)
		}
		x = float64(x * x)
	}
	return r
}

func (g *gin) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	g.quiet = true
	rows(g.Insert)
	g.quiet = false
	g.work = Work{}
}
