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
// ginxlog.h.
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
)

// gin is a GIN index: the pending list as it is, byte for byte; the entry tree with its
// entries in the order of their first eight bytes; posting lists and trees (posting.go) byte
// for byte, but for leaves that VACUUM empties, which stay.
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

// entry is a key with its TIDs: a list in its tuple, or a tree.
type entry struct {
	ginKey
	base int32 // size of the tuple without TIDs
	size int32 // of the tuple
	list segment
	tree *postingTree
}

// leaf is a leaf of the entry tree.
type leaf struct {
	page
	low     uint64
	entries []int32
}

func newGIN(o Options) *gin {
	g := &gin{logger: logger{log: o.Log, rel: o.Rel, tail: ginSpecial}, o: o, several: len(o.Columns) > 1}
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

// take takes the keys of a row.
func (g *gin) take(values []datum.Value, tid storage.TID) {
	g.keys = g.keys[:0]
	for i, e := range g.extractors {
		g.keys = append(g.keys, e.extract(&values[i])...)
		g.work.Parsed += int64(len(values[i].Bytes))
	}
	g.work.Rows++
	g.work.Keys += int64(len(g.keys))
	g.rows = append(g.rows, tid)
}

func (g *gin) Insert(values []datum.Value, tid storage.TID) {
	g.take(values, tid)
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
		g.work.Recoded += int64(len(tids))
		if list := pack(tids, ginMaxItem); int(list.n) < len(tids) || e.length(&list) > ginMaxItem {
			e.tree = g.plant(tids)
		} else {
			e.list = list
		}
		e.resize()
		g.entries = append(g.entries, e)
		g.place(at, 0)
		return
	}
	e := &g.entries[at]
	if e.tree != nil {
		g.grow(e.tree, tids)
		return
	}
	old := e.size
	var list segment
	all := 0
	switch {
	case e.list.n == 0: // VACUUM took all away
		list, all = pack(tids, ginMaxItem), len(tids)
	case tids[0] > e.list.last:
		list, all = e.list, int(e.list.n)+len(tids)
		list.extend(tids, ginMaxItem)
	default:
		both := merged(e.list.decode(nil), tids)
		list, all = pack(both, ginMaxItem), len(both)
	}
	g.work.Recoded += int64(all)
	if int(list.n) < all || e.length(&list) > ginMaxItem {
		var had []uint64
		if e.list.n > 0 {
			had = e.list.decode(nil)
		}
		e.tree, e.list = g.plant(had), segment{}
		g.grow(e.tree, tids)
	} else {
		e.list = list
	}
	e.resize()
	g.place(at, int(old))
}

// length is what an entry's tuple takes with a posting list.
func (e *entry) length(list *segment) int { return maxAlign(int(e.base) + list.size()) }

// resize computes the tuple's size.
func (e *entry) resize() {
	e.size = e.base
	if e.tree == nil && e.list.n > 0 {
		e.size = int32(e.length(&e.list))
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

// BulkDelete empties the pending list and takes dead rows' TIDs away: pages of the entry
// tree with any are logged as images, leaves of posting trees by what is left of their
// segments (ginbulkdelete).
func (g *gin) BulkDelete(dead func(storage.TID) bool, workMem uint64) {
	g.clean(max(workMem, g.o.WorkMem))
	var gone []uint64
	g.rows = slices.DeleteFunc(g.rows, func(t storage.TID) bool {
		if !dead(t) {
			return false
		}
		gone = append(gone, tidNumber(t))
		return true
	})
	if len(gone) == 0 {
		return
	}
	slices.Sort(gone)
	for _, l := range g.leaves {
		changed := false
		for _, at := range l.entries {
			e := &g.entries[at]
			if e.tree != nil || e.list.n == 0 {
				continue
			}
			rest, n := e.list.without(gone)
			if n == 0 {
				continue
			}
			changed = true
			g.work.Removed += int64(n)
			old := e.size
			e.list = rest
			e.resize()
			l.used -= int(old - e.size)
		}
		if changed {
			g.force(wal.GinVacuumPage, recordHead+firstBlock, &l.page)
		}
		for _, at := range l.entries {
			if t := g.entries[at].tree; t != nil {
				g.vacuum(t, gone)
			}
		}
	}
}

// VacuumCleanup empties the pending list, and notes the numbers of pages on the metapage.
func (g *gin) VacuumCleanup() {
	g.clean(g.o.WorkMem)
	g.write(wal.GinUpdateMetaPage, recordHead+mainHead+ginUpdateMeta+firstBlock, 0)
}

// Build inserts the keys of all rows in their order, each with all its rows (ginbuild), as if
// maintenance_work_mem had room for them.
func (g *gin) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	g.quiet = true
	lists := map[uint64][]uint64{}
	var keys []ginKey
	rows(func(values []datum.Value, tid storage.TID) {
		g.take(values, tid)
		for i := range g.keys {
			id := g.keys[i].id
			if lists[id] == nil {
				keys = append(keys, g.keys[i])
			}
			lists[id] = append(lists[id], tidNumber(tid))
		}
	})
	slices.SortFunc(keys, func(a, b ginKey) int { return cmp.Or(cmp.Compare(a.order, b.order), cmp.Compare(a.id, b.id)) })
	for i := range keys {
		list := lists[keys[i].id]
		slices.Sort(list)
		g.insertEntry(&keys[i], slices.Compact(list))
	}
	g.quiet = false
	g.work = Work{}
}
