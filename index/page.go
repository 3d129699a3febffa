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
	hi     uint64 // first part of the abbreviated key
	block  storage.BlockNumber
	offset storage.OffsetNumber
	ref    uint16 // entry in the page's slab; 0 if the abbreviated key says it all
}

// page is one B-tree page.
//
// Items are kept in order of arrival. A leaf's items are put into key order only
// when somebody looks for a place among them: the first sorted items are in order,
// those after them have arrived since.
type page struct {
	// What an insert into a leaf touches stands first: it fills two cache lines of
	// 64 bytes.
	items  []item // in order of arrival, the high key left out
	most   uint64 // greatest hi of all items
	low    uint64 // hi of the page's lower bound: no item has a lesser one
	lsn    wal.LSN
	free   int // PageGetExactFreeSpace: bytes between the line pointers and the items
	sorted int // items whose key order is known; virtual: the page has not been made, or is packed

	high       item        // high key
	last       packedTID   // no item has a greater heap TID
	listMax    storage.TID // greatest heap TID of all posting lists
	level      int         // 0 for leaves
	block      storage.BlockNumber
	prev, next storage.BlockNumber // InvalidBlock at the ends of the level
	dirty      bool                // changed since the last checkpoint has written it
	hasHigh    bool                // false on the rightmost page of a level
	incomplete bool                // BTP_INCOMPLETE_SPLIT: the right sibling has no downlink yet
	garbage    bool                // BTP_HAS_GARBAGE: some items may be dead
	killed     bool                // the same, but true as long as there are any
	halfDead   bool                // BTP_HALF_DEAD: no downlink leads here any more
	deleted    bool                // BTP_DELETED: out of the tree, and when that was
	partial    bool                // some entry's key may not be whole in its abbreviation
	disordered bool                // some item arrived after one with a greater heap TID

	order     []uint16 // the numbers of the sorted items in key order; empty if that is how they have arrived
	highLo    uint64
	los       []uint64 // second parts of the abbreviated keys, parallel to items, if the plan is wide
	his       []uint64 // internal pages: hi of each item, in key order
	slab      []byte   // entries, see below
	hint      int      // where the last item went, in key order
	deleteXID uint32
	highAt    uint16 // items that lie before the high key: those of a page that was built
	checksum  uint16 // in the header: that of a page that was built and then read; 0 if there is none
	packedAt  uint16 // where in the slab the items of a leaf that is packed stand; 0 if it is not

	memory *storage.Block // holds all of the above, if the leaf has posting lists; see memory.go
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
	if len(p.slab) > slabLimit {
		p.compactSlab()
	}
	b := p.slab
	if len(b) == 0 {
		b = append(b, make([]byte, slabStart)...)
	}
	ref := uint16(len(b))
	if e.flags&entryWhole == 0 {
		p.partial = true
	}
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

// slabLimit is the length in bytes at which a slab is rid of the entries of items
// that are gone: well above what the items of a page take, and so low that
// references stay in their 16 bits.
const slabLimit = 4 * storage.PageSize

// compactSlab makes a new slab with the entries of the items that are there.
// Entries that were decoded before go on showing the old one.
func (p *page) compactSlab() {
	old := page{slab: p.slab}
	p.slab = make([]byte, slabStart, 2*storage.PageSize)
	for i := range p.items {
		if it := &p.items[i]; it.ref != 0 {
			e := old.entry(it.ref)
			it.ref = p.addEntry(&e)
		}
	}
	if p.hasHigh && p.high.ref != 0 {
		e := old.entry(p.high.ref)
		p.high.ref = p.addEntry(&e)
	}
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

// deadBit marks an item's line pointer as dead (LP_DEAD); no heap offset number
// is that large.
const deadBit storage.OffsetNumber = 1 << 15

func (it *item) tid() storage.TID {
	return storage.TID{Block: it.block, Offset: it.offset &^ deadBit}
}

func (it *item) dead() bool { return it.offset&deadBit != 0 }

// posting says whether an item has a posting list.
func (p *page) posting(it *item) bool {
	return it.ref != 0 && p.slab[it.ref+2]&entryPosting != 0
}

// whole says whether an item's abbreviated key holds the whole key.
func (p *page) whole(it *item) bool {
	return it.ref == 0 || p.slab[it.ref+2]&entryWhole != 0
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

// tuple is a view of item n for comparisons.
func (t *BTree) tuple(p *page, n uint16) tuple {
	return t.view(p, &p.items[n], p.lo(n))
}

// highTuple is a view of the high key.
func (t *BTree) highTuple(p *page) tuple { return t.view(p, &p.high, p.highLo) }

func (t *BTree) view(p *page, it *item, lo uint64) tuple {
	if it.ref == 0 {
		return tuple{abbrev: abbrev{it.hi, lo}, whole: true, natts: len(t.attrs)}
	}
	e := p.entry(it.ref)
	return tuple{
		abbrev: abbrev{it.hi, lo}, whole: e.flags&entryWhole != 0, nulls: e.nulls, data: e.data, natts: e.natts,
	}
}

// lo is the second part of item n's abbreviated key.
func (p *page) lo(n uint16) uint64 {
	if p.los == nil {
		return 0
	}
	return p.los[n]
}

// leaf says whether the page is a leaf.
func (p *page) leaf() bool { return p.level == 0 }

// room is PageGetFreeSpace: bytes that one more item may take, its line pointer
// allowed for.
func (p *page) room() int { return max(p.free-storage.LinePointerSize, 0) }

// nth returns the number of the item that stands i-th in key order, from 0.
func (p *page) nth(i int) uint16 {
	if len(p.order) == 0 {
		return uint16(i)
	}
	return p.order[i]
}

// at returns the item that stands i-th in key order, from 0.
func (p *page) at(i int) *item { return &p.items[p.nth(i)] }

// makeOrder writes the key order of the items down where it is that of their
// arrival.
func (t *BTree) makeOrder(p *page) {
	n := p.sorted
	if len(p.order) == n {
		return
	}
	switch {
	case cap(p.order) >= n:
	case cap(p.order) == 0:
		p.order = storage.Give[uint16](t.log.Memory(), cap(p.items))
	default:
		p.order = make([]uint16, 0, cap(p.items))
	}
	p.order = p.order[:n]
	for i := range p.order {
		p.order[i] = uint16(i)
	}
}

// packedTID is a heap TID as a number that keeps the order.
type packedTID uint64

func pack(t storage.TID) packedTID { return packedTID(t.Block)<<16 | packedTID(t.Offset) }

// first is the number of line pointers before the first data item.
func (p *page) first() int {
	if p.hasHigh {
		return 1
	}
	return 0
}

// append adds an item without a place in the key order. last says that it is known
// to go to the end, size is its IndexTupleSize.
func (p *page) append(it item, last bool, size int) {
	if last || it.hi > p.most || len(p.items) == 0 {
		if p.sorted == len(p.items) {
			// It goes to the end, so that the order is known.
			if len(p.order) > 0 {
				p.order = append(p.order, uint16(len(p.items)))
			}
			p.sorted++
		}
		p.most = it.hi
	}
	if tid := pack(it.tid()); tid > p.last {
		p.last = tid
	} else {
		p.disordered = true
	}
	p.items = append(p.items, it)
	p.free -= size + storage.LinePointerSize
}

// afterLast says whether an abbreviated key of two parts is greater than that of
// the page's last item, if that is known.
func (p *page) afterLast(hi, lo uint64) bool {
	n := p.sorted
	if hi != p.most || n == 0 || n != len(p.items) {
		return false
	}
	last := p.nth(n - 1)
	return p.items[last].hi == hi && lo > p.los[last]
}

// insertAt puts an item on the page so that it stands i-th in key order. All
// items must be in order.
func (t *BTree) insertAt(p *page, i int, it item, lo uint64, size int) {
	n := len(p.items)
	if i < n || len(p.order) > 0 {
		t.makeOrder(p)
		p.order = append(p.order, 0)
		copy(p.order[i+1:], p.order[i:])
		p.order[i] = uint16(n)
	}
	p.sorted++
	p.most = max(p.most, it.hi)
	p.last = max(p.last, pack(it.tid()))
	p.items = append(p.items, it)
	if p.los != nil {
		p.los = append(p.los, lo)
	}
	if p.level > 0 {
		p.his = append(p.his, 0)
		copy(p.his[i+1:], p.his[i:])
		p.his[i] = it.hi
	}
	p.free -= size + storage.LinePointerSize
	p.hint = i
}

// push adds an item at the end of the key order.
func (t *BTree) push(p *page, it item, lo uint64, size int) {
	t.insertAt(p, len(p.items), it, lo, size)
}

// reset empties the page, keeping its memory.
func (p *page) reset(level int) {
	p.free, p.level = pageSpace, level
	p.items, p.order, p.his, p.slab = p.items[:0], p.order[:0], p.his[:0], p.slab[:0]
	if p.los != nil {
		p.los = p.los[:0]
	}
	p.hint, p.most, p.listMax, p.hasHigh = 0, 0, storage.TID{}, false
	p.sorted, p.last, p.disordered, p.partial, p.packedAt = 0, 0, false, false, 0
}

// newPage returns an empty page: one that can be used again, or one more at the
// end of the file.
func (t *BTree) newPage(level int) *page {
	if t.fsm.Pages() > 0 {
		if p := t.reuse(level); p != nil {
			return p
		}
	}
	p := newPage(storage.BlockNumber(len(t.pages)), level)
	t.pages = append(t.pages, p)
	return p
}

func newPage(block storage.BlockNumber, level int) *page {
	return &page{
		block: block, level: level, free: pageSpace, prev: storage.InvalidBlock, next: storage.InvalidBlock,
	}
}

// copyItem adds a copy of item n of page q, slab entry included, at the end of
// p's key order.
func (t *BTree) copyItem(p, q *page, n uint16) {
	c := q.items[n]
	c.offset &^= deadBit // a copied item gets a new line pointer
	size := t.plainSize
	if c.ref != 0 {
		c.ref, size = p.copyEntry(q, c.ref)
		if list := p.postingTIDs(&c); list != nil {
			p.noteList(list)
		}
	}
	t.push(p, c, q.lo(n), size)
}

// copyEntry copies a slab entry of page q and returns its reference and the
// IndexTupleSize of its item.
func (p *page) copyEntry(q *page, ref uint16) (uint16, int) {
	b := q.slab[ref:]
	size := int(binary.LittleEndian.Uint16(b))
	n := entryHeader + size - tupleHeaderSize
	flags := b[2]
	if flags&entryWhole == 0 {
		p.partial = true
	}
	if flags != 0 {
		tids := 0
		if flags&entryWhole != 0 {
			n = entryHeader
		}
		if flags&entryPosting != 0 {
			tids = int(binary.LittleEndian.Uint16(b[entryHeader:])) * storage.TIDSize
			n += 2 + tids
			size = storage.MaxAlign(size + tids)
		}
		if flags&entryNulls != 0 {
			n += 4
			if flags&entryWhole == 0 {
				n -= nullBitmapSize
			}
		}
		if flags&entryPivotTID != 0 {
			n += storage.TIDSize
			if flags&entryWhole == 0 {
				n -= pivotTIDSize
			}
		}
	}
	if len(p.slab) == 0 {
		p.slab = append(p.slab, make([]byte, slabStart)...)
	}
	to := uint16(len(p.slab))
	p.slab = append(p.slab, b[:n]...)
	return to, size
}

// noteList keeps track of the greatest heap TID of the page's posting lists.
func (p *page) noteList(list []byte) {
	if last := getTID(list[len(list)-storage.TIDSize:]); p.listMax.Less(last) {
		p.listMax = last
		p.last = max(p.last, pack(last))
	}
}
