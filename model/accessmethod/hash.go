package accessmethod

// Hash indexes, after hashinsert.c, hashpage.c, hashovfl.c and hash.c.

import (
	"cmp"
	"math/bits"
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// Sizes of hash's structs and pages. Sources: REL_18_1, src/include/access/hash.h,
// hash_xlog.h.
const (
	hashSpecial   = 16
	hashTuple     = 16 // with its 4-byte hash
	hashItem      = hashTuple + linePointer
	hashInsert    = 2
	hashAddPage   = 3
	hashAllocate  = 9
	hashComplete  = 4
	hashDelete    = 2
	hashMove      = 3
	hashSqueeze   = 12
	hashMetaTotal = 8
	// Up to so many groups of buckets each doubling is one allocation, later four are.
	hashOnePhase = 10
	hashPhases   = 4
)

// hash is a hash index, with the items of each page. Records have a real index's lengths
// except that kill marks, which lookups leave, are not followed, and that the file has
// one bitmap page.
type hash struct {
	logger
	class     *opclass.Class
	ffactor   int64
	perPage   int
	empty     int // see Options.EmptyRows
	buckets   [][]*hashPage
	high, low uint32 // hashm_highmask, hashm_lowmask
	phase     int    // hashm_ovflpoint
	tuples    int64
	overflow  int   // overflow pages made
	free      []int // of them the free ones
	firstFree int
	meta      page
	work      Work
}

type hashPage struct {
	page
	number int // of an overflow page
	items  []hashEntry
}

type hashEntry struct {
	hash uint32
	tid  storage.TID
}

// add puts items in the order of their hashes, before those of the same one
// (_hash_pgaddtup, _hash_pgaddmultitup).
func (p *hashPage) add(list ...hashEntry) {
	for _, e := range list {
		at, _ := slices.BinarySearchFunc(p.items, e.hash, func(x hashEntry, k uint32) int { return cmp.Compare(x.hash, k) })
		p.items = slices.Insert(p.items, at, e)
		p.used += hashItem
	}
}

func newHash(o Options) Index {
	class := o.Columns[0].Type.OpClass()
	if class == nil || class.Hash == nil {
		return newGeneric(o)
	}
	fillfactor := o.Fillfactor
	if fillfactor == 0 {
		fillfactor = 75
	}
	h := &hash{logger: logger{log: o.Log, rel: o.Rel, tail: hashSpecial}, class: class, perPage: room(hashSpecial) / hashItem}
	h.ffactor = max(10, int64(storage.PageSize*fillfactor/100/hashItem))
	h.empty = o.EmptyRows
	h.init(h.empty)
	return h
}

// init makes an empty index for so many rows (_hash_init).
func (h *hash) init(rows int) {
	n := uint32(2)
	if wanted := (float64(rows) / float64(h.ffactor)); wanted > 2 {
		n = bucketsOf(phaseOf(uint32(wanted)))
	}
	h.buckets = make([][]*hashPage, n)
	for i := range h.buckets {
		h.buckets[i] = []*hashPage{{}}
	}
	h.high = 1<<bits.Len32(n) - 1
	h.low = h.high >> 1
	h.phase = phaseOf(n)
	h.tuples, h.overflow, h.free, h.firstFree = 0, 0, nil, 0
}

// phaseOf is the allocation that bucket n-1 comes with (_hash_spareindex).
func phaseOf(n uint32) int {
	group := bits.Len32(n - 1)
	if group < hashOnePhase {
		return group
	}
	return hashOnePhase + (group-hashOnePhase)*hashPhases + int((n-1)>>(group-3)&(hashPhases-1))
}

// bucketsOf is how many buckets there are after an allocation (_hash_get_totalbuckets).
func bucketsOf(phase int) uint32 {
	if phase < hashOnePhase {
		return 1 << phase
	}
	group := hashOnePhase + (phase-hashOnePhase)/hashPhases
	return 1<<(group-1) + uint32((phase-hashOnePhase)%hashPhases+1)<<(group-1)/hashPhases
}

func (h *hash) bucket(k uint32) uint32 {
	b := k & h.high
	if b >= uint32(len(h.buckets)) {
		b &= h.low
	}
	return b
}

func (h *hash) Work() *Work { return &h.work }
func (h *hash) Truncate()   { h.init(h.empty) }

func (h *hash) Pages() int { return 2 + int(bucketsOf(h.phase)) + h.overflow }

func (h *hash) Insert(values []datum.Value, tid storage.TID) {
	if values[0].Null {
		return
	}
	h.work.Rows++
	h.work.Keys++
	h.work.Parsed += int64(len(values[0].Bytes))
	k := uint32(h.class.Hash(&values[0], 0))
	b := h.bucket(k)
	chain := h.buckets[b]
	i := slices.IndexFunc(chain, func(p *hashPage) bool { return len(p.items) < h.perPage })
	h.work.Compares += int64(bits.Len(uint(len(chain[max(i, 0)].items))))
	if i < 0 {
		i = h.chain(b)
	}
	p := h.buckets[b][i]
	p.add(hashEntry{k, tid})
	h.tuples++
	h.write(wal.HashInsert, recordHead+mainHead+hashInsert+firstBlock+hashTuple+anotherBlock, hashTuple, &p.page, &h.meta)
	if h.tuples > h.ffactor*int64(len(h.buckets)) {
		h.expand()
	}
}

// chain adds an overflow page to a bucket (_hash_addovflpage).
func (h *hash) chain(b uint32) int {
	length := recordHead + mainHead + hashAddPage + firstBlock + 4 + anotherBlock + anotherBlock + 4
	p := &hashPage{}
	if len(h.free) > 0 {
		p.number = slices.Min(h.free)
		h.free = slices.DeleteFunc(h.free, func(n int) bool { return n == p.number })
		length += anotherBlock + 4 // its bit in the bitmap
	} else {
		p.number = h.overflow
		h.overflow++
	}
	h.firstFree = p.number + 1
	last := h.buckets[b][len(h.buckets[b])-1]
	h.write(wal.HashAddOvflPage, length, 0, &last.page)
	h.buckets[b] = append(h.buckets[b], p)
	p.lsn = last.lsn
	return len(h.buckets[b]) - 1
}

// expand splits a bucket (_hash_expandtable, _hash_splitbucket).
func (h *hash) expand() {
	n := uint32(len(h.buckets))
	old := n & h.low
	length := recordHead + mainHead + hashAllocate + firstBlock + 2*anotherBlock
	if phase := phaseOf(n + 1); phase > h.phase {
		h.phase = phase
		length += 8
		// The file is extended to the last of the new buckets.
		empty := &page{}
		if !h.quiet {
			h.log.Estimate(wal.XLOGFPI, h.rel, recordHead+firstBlock+imageHead+pageHeader+hashSpecial, pageHeader+hashSpecial)
			empty.lsn = h.log.LSN()
		}
	}
	if n > h.high {
		h.low, h.high = h.high, n|h.high
		length += 8
	}
	first := &hashPage{}
	h.buckets = append(h.buckets, []*hashPage{first})
	h.write(wal.HashSplitAllocatePage, length, 0, &h.buckets[old][0].page)
	first.lsn = h.log.LSN()
	to := first
	var moved []hashEntry
	log := func() {
		to.add(moved...)
		moved = moved[:0]
		if !h.quiet {
			image := pageHeader + hashSpecial + to.used
			to.lsn = h.log.Estimate(wal.HashSplitPage, h.rel, recordHead+firstBlock+imageHead+image, image)
		}
	}
	h.work.Splits++
	for _, p := range h.buckets[old] {
		h.work.SplitItems += int64(len(p.items))
		for _, e := range p.items {
			if h.bucket(e.hash) != n {
				continue
			}
			if len(moved) == h.perPage {
				log()
				to = h.buckets[n][h.chain(n)]
			}
			moved = append(moved, e)
		}
	}
	log()
	h.write(wal.HashSplitComplete, recordHead+mainHead+hashComplete+firstBlock+anotherBlock, 0, &h.buckets[old][0].page, &first.page)
	h.clean(old, func(e *hashEntry) bool { return h.bucket(e.hash) == n }, true)
}

// clean takes items from a bucket and moves those of its last pages to the first
// (hashbucketcleanup).
func (h *hash) clean(b uint32, gone func(*hashEntry) bool, split bool) (removed int) {
	for i, p := range h.buckets[b] {
		before := len(p.items)
		p.items = slices.DeleteFunc(p.items, func(e hashEntry) bool { return gone(&e) })
		n := before - len(p.items)
		if n == 0 {
			continue
		}
		removed += n
		p.used -= n * hashItem
		length := recordHead + mainHead + hashDelete + firstBlock + 2*n
		if i > 0 {
			length += anotherBlock
		}
		h.write(wal.HashDelete, length, 2*n, &p.page)
	}
	if split {
		h.write(wal.HashSplitCleanup, recordHead+firstBlock, 0, &h.buckets[b][0].page)
	}
	if removed > 0 {
		h.squeeze(b)
	}
	return removed
}

// squeeze moves items towards the first page of a bucket (_hash_squeezebucket).
func (h *hash) squeeze(b uint32) {
	to := 0
	for {
		chain := h.buckets[b]
		last := len(chain) - 1
		if last <= to {
			return
		}
		from := chain[last]
		for {
			w := chain[to]
			n := min(len(from.items), h.perPage-len(w.items))
			if n == len(from.items) {
				break
			}
			// The page has no room for all: what it takes goes, and the next one follows.
			if n > 0 {
				h.moved(b, to, w, from, n)
			}
			to++
			if to == last {
				return
			}
		}
		w := chain[to]
		n := len(from.items)
		w.add(from.items...)
		length := recordHead + mainHead + hashSqueeze + firstBlock + anotherBlock + anotherBlock + 4
		if to > 0 {
			length += anotherBlock // the bucket's first page
			if n == 0 && to != last-1 {
				length -= anotherBlock
			}
		}
		length += n * (2 + hashTuple)
		if to != last-1 {
			length += anotherBlock // the page before the one that goes
		}
		if from.number < h.firstFree {
			h.firstFree = from.number
			length += anotherBlock + 4
		}
		h.write(wal.HashSqueezePage, length, n*(2+hashTuple), &w.page)
		h.free = append(h.free, from.number)
		h.buckets[b] = chain[:last]
		if to == last-1 {
			return
		}
	}
}

// moved logs that items went from one page of a bucket to another.
func (h *hash) moved(b uint32, to int, w, from *hashPage, n int) {
	w.add(from.items[:n]...)
	from.items = slices.Delete(from.items, 0, n)
	from.used -= n * hashItem
	length := recordHead + mainHead + hashMove + firstBlock + n*(2+hashTuple) + anotherBlock + 2*n
	if to > 0 {
		length += anotherBlock
	}
	h.write(wal.HashMovePageContents, length, n*(4+hashTuple), &w.page, &from.page)
}

// BulkDelete is hashbulkdelete.
func (h *hash) BulkDelete(dead func(storage.TID) bool, _ uint64) {
	for b := range h.buckets {
		n := h.clean(uint32(b), func(e *hashEntry) bool { return dead(e.tid) }, false)
		h.tuples -= int64(n)
		h.work.Removed += int64(n)
	}
	h.write(wal.HashUpdateMetaPage, recordHead+mainHead+hashMetaTotal+firstBlock, 0, &h.meta)
}

func (h *hash) VacuumCleanup() {}

func (h *hash) Build(n int, rows func(add func(values []datum.Value, tid storage.TID))) {
	h.init(n)
	h.quiet = true
	rows(h.Insert)
	h.quiet = false
	h.work = Work{}
}
