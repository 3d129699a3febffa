package index

import (
	"encoding/binary"

	"applysim/wal"
	"applysim/wal/storage"
)

// item is one index tuple on a page, without what only longer ones need.
//
//	leaf, plain     block, offset  heap TID
//	leaf, posting   block, offset  first heap TID of the list
//	pivot           block          downlink; on a leaf's high key whatever block
//	                               number the tuple that it was made of had there
type item struct {
	abbrev uint64
	block  storage.BlockNumber
	offset storage.OffsetNumber
	ref    uint16 // entry in the page's slab; 0 if abbrev says it all
}

// page is one B-tree page.
type page struct {
	lsn        wal.LSN
	block      storage.BlockNumber
	prev, next storage.BlockNumber // InvalidBlock at the ends of the level
	level      int                 // 0 for leaves
	free       int                 // PageGetExactFreeSpace: bytes between the line pointers and the items
	hint       int                 // where the last item went, in order
	high       item                // high key
	hasHigh    bool                // false on the rightmost page of a level
	items      []item              // in order of arrival, the high key left out
	order      []uint16            // the numbers of items in key order
	slab       []byte              // entries, see below
}

// A slab entry begins with a header of 4 bytes:
//
//	0  size   IndexTupleSize without the posting list, bytes (2 bytes)
//	2  flags  entry flags
//	3  natts  columns that a pivot has kept
//
// then, as the flags say, the number of TIDs of a posting list (2 bytes), the
// numbers of the columns that are NULL (4 bytes), a pivot's heap TID (6 bytes);
// then the data area unless the abbreviated key holds it, and at last the
// posting list's TIDs.
const (
	entryPosting  = 1 << iota // has a posting list
	entryNulls                // has NULLs
	entryPivotTID             // a pivot that ends in a heap TID
	entryWhole                // the abbreviated key holds the data area
)

const entryHeader = 4

// entry is a decoded slab entry.
type entry struct {
	size  int
	flags uint8
	natts int
	nulls uint32
	tid   storage.TID // a pivot's
	data  []byte
	tids  []byte // posting list, 6 bytes each
}

const slabStart = 4 // reference 0 means no entry

// entry decodes the slab entry of an item that has one.
func (p *page) entry(ref uint16) entry {
	b := p.slab[ref:]
	e := entry{size: int(binary.LittleEndian.Uint16(b)), flags: b[2], natts: int(b[3])}
	b = b[entryHeader:]
	tids := 0
	if e.flags&entryPosting != 0 {
		tids = int(binary.LittleEndian.Uint16(b))
		b = b[2:]
	}
	n := e.size - tupleHeaderSize
	if e.flags&entryNulls != 0 {
		e.nulls = binary.LittleEndian.Uint32(b)
		b = b[4:]
		n -= nullBitmapSize
	}
	if e.flags&entryPivotTID != 0 {
		e.tid = getTID(b)
		b = b[storage.TIDSize:]
		n -= pivotTIDSize
	}
	if e.flags&entryWhole != 0 {
		n = 0
	}
	e.data = b[:n:n]
	e.tids = b[n : n+tids*storage.TIDSize]
	return e
}

// addEntry appends an entry to the slab and returns its reference. tids is the
// posting list, nil if there is none.
func (p *page) addEntry(e *entry) uint16 {
	b := p.slab
	if len(b) == 0 {
		b = append(b, make([]byte, slabStart)...)
	}
	ref := uint16(len(b))
	b = append(b, byte(e.size), byte(e.size>>8), e.flags, byte(e.natts))
	n := e.size - tupleHeaderSize
	if e.flags&entryPosting != 0 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(e.tids)/storage.TIDSize))
	}
	if e.flags&entryNulls != 0 {
		b = binary.LittleEndian.AppendUint32(b, e.nulls)
		n -= nullBitmapSize
	}
	if e.flags&entryPivotTID != 0 {
		b = appendTID(b, e.tid)
		n -= pivotTIDSize
	}
	if e.flags&entryWhole == 0 {
		b = append(b, e.data...)
		for i := len(e.data); i < n; i++ {
			b = append(b, 0)
		}
	}
	p.slab = append(b, e.tids...)
	return ref
}

func getTID(b []byte) storage.TID {
	return storage.TID{
		Block:  storage.BlockNumber(binary.LittleEndian.Uint32(b)),
		Offset: storage.OffsetNumber(binary.LittleEndian.Uint16(b[4:])),
	}
}

func putTID(b []byte, t storage.TID) {
	binary.LittleEndian.PutUint32(b, uint32(t.Block))
	binary.LittleEndian.PutUint16(b[4:], uint16(t.Offset))
}

func appendTID(b []byte, t storage.TID) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(t.Block))
	return binary.LittleEndian.AppendUint16(b, uint16(t.Offset))
}

func (it *item) tid() storage.TID { return storage.TID{Block: it.block, Offset: it.offset} }

// posting says whether an item has a posting list.
func (p *page) posting(it *item) bool {
	return it.ref != 0 && p.slab[it.ref+2]&entryPosting != 0
}

// postingTIDs returns an item's posting list, 6 bytes a TID, or nil.
func (p *page) postingTIDs(it *item) []byte {
	if !p.posting(it) {
		return nil
	}
	return p.entry(it.ref).tids
}

// maxTID is the last heap TID of a leaf item.
func (p *page) maxTID(it *item) storage.TID {
	if l := p.postingTIDs(it); l != nil {
		return getTID(l[len(l)-storage.TIDSize:])
	}
	return it.tid()
}

// size is an item's IndexTupleSize in bytes, which is always aligned.
func (t *BTree) size(p *page, it *item) int {
	if it.ref == 0 {
		return t.plainSize
	}
	b := p.slab[it.ref:]
	n := int(binary.LittleEndian.Uint16(b))
	if b[2]&entryPosting != 0 {
		n = storage.MaxAlign(n + storage.TIDSize*int(binary.LittleEndian.Uint16(b[entryHeader:])))
	}
	return n
}

// tuple is a view of an item for comparisons.
func (t *BTree) tuple(p *page, it *item) tuple {
	if it.ref == 0 {
		return tuple{abbrev: it.abbrev, whole: true, natts: len(t.attrs)}
	}
	e := p.entry(it.ref)
	u := tuple{abbrev: it.abbrev, nulls: e.nulls, data: e.data, natts: e.natts}
	if e.flags&entryWhole != 0 {
		u.whole = true
	}
	return u
}

// leaf says whether the page is a leaf.
func (p *page) leaf() bool { return p.level == 0 }

// room is PageGetFreeSpace: bytes that one more item may take, its line pointer
// allowed for.
func (p *page) room() int { return max(p.free-storage.LinePointerSize, 0) }

// at returns the item that stands i-th in key order, from 0.
func (p *page) at(i int) *item { return &p.items[p.order[i]] }

// first is the number of line pointers before the first data item.
func (p *page) first() int {
	if p.hasHigh {
		return 1
	}
	return 0
}

// insertAt puts an item on the page so that it stands i-th in key order. size
// is its IndexTupleSize.
func (p *page) insertAt(i int, it item, size int) {
	n := uint16(len(p.items))
	p.items = append(p.items, it)
	p.order = append(p.order, 0)
	copy(p.order[i+1:], p.order[i:])
	p.order[i] = n
	p.free -= size + storage.LinePointerSize
	p.hint = i
}

// reset empties the page, keeping its memory.
func (p *page) reset() {
	p.free = pageSpace
	p.items, p.order, p.slab = p.items[:0], p.order[:0], p.slab[:0]
	p.hint = 0
	p.hasHigh = false
}

// newPage adds a page at the end of the file.
func (t *BTree) newPage(level int) *page {
	p := &page{
		block: storage.BlockNumber(len(t.pages)), level: level, free: pageSpace,
		prev: storage.InvalidBlock, next: storage.InvalidBlock,
	}
	t.pages = append(t.pages, p)
	return p
}

// copyItem appends a copy of an item of page q, slab entry included, at the end
// of p's key order.
func (t *BTree) copyItem(p, q *page, it *item) {
	c := *it
	if it.ref != 0 {
		e := q.entry(it.ref)
		c.ref = p.addEntry(&e)
	}
	p.insertAt(len(p.order), c, t.size(p, &c))
}
