package view

// B-tree pages, after btreefuncs.c of pageinspect, nbtree.h and itup.h.

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"applysim/wal/storage"
)

// BTreePage is a page of a B-tree index, not its metapage.
type BTreePage struct {
	Block      storage.BlockNumber
	Header     PageHeader
	Type       byte                // l leaf, i internal, r root, d deleted leaf, D deleted internal page, e half-dead
	Prev, Next storage.BlockNumber // 0 at the ends of the level
	Level      int
	Flags      int // btpo_flags
	Items      []BTreeItem
}

// BTreeItem is a row of bt_page_items: an index tuple.
type BTreeItem struct {
	Offset storage.OffsetNumber
	// TID is t_tid as it stands: a leaf item's heap TID, a pivot's downlink and number
	// of columns, a posting list's place and length.
	TID    storage.TID
	Length int
	Nulls  bool
	Vars   bool
	Data   []byte // key columns as they are stored
	Pivot  bool   // a high key, or an item of an internal page
	Dead   bool   // its line pointer is marked dead
	// HeapTID is the heap TID that counts for the order, if there is one: of a posting
	// list the first.
	HeapTID    storage.TID
	HasHeapTID bool
	TIDs       []storage.TID // of a posting list
}

// Downlink is the page that an item of an internal page leads to.
func (i *BTreeItem) Downlink() storage.BlockNumber { return i.TID.Block }

// Bits of btpo_flags, of IndexTupleData.t_info and of the offset number of a t_tid
// that is no heap TID. Sources: REL_18_1, src/include/access/nbtree.h and itup.h.
const (
	btpLeaf       = 1 << 0
	btpRoot       = 1 << 1
	btpDeleted    = 1 << 2
	btpMeta       = 1 << 3
	btpHalfDead   = 1 << 4
	btpHasFullXID = 1 << 8

	infoSize   = 0x1FFF // INDEX_SIZE_MASK
	infoAltTID = 0x2000 // INDEX_ALT_TID_MASK
	infoVar    = 0x4000 // INDEX_VAR_MASK
	infoNulls  = 0x8000 // INDEX_NULL_MASK

	offsetMask   = 0x0FFF // BT_OFFSET_MASK
	pivotHeapTID = 0x1000 // BT_PIVOT_HEAP_TID_ATTR
	isPosting    = 0x2000 // BT_IS_POSTING

	indexHeaderSize = 8 // sizeof(IndexTupleData)
	nullBitmapSize  = 8 // sizeof(IndexAttributeBitMapData), aligned
	specialSize     = 16
)

// DecodeBTreePage reads a page of a B-tree index.
func DecodeBTreePage(page *Page, block storage.BlockNumber) (*BTreePage, error) {
	le := binary.LittleEndian
	p := &BTreePage{Block: block, Header: DecodeHeader(page)}
	if err := p.Header.check(); err != nil {
		return nil, fmt.Errorf("block %d: %w", block, err)
	}
	if p.Header.Special != storage.PageSize-specialSize {
		return nil, fmt.Errorf("block %d: special space begins at %d, expected %d as on a B-tree page", block, p.Header.Special, storage.PageSize-specialSize)
	}
	special := page[p.Header.Special:]
	p.Prev, p.Next = storage.BlockNumber(le.Uint32(special)), storage.BlockNumber(le.Uint32(special[4:]))
	p.Level, p.Flags = int(le.Uint32(special[8:])), int(le.Uint16(special[12:]))
	leaf := p.Flags&btpLeaf != 0
	switch {
	case p.Flags&btpMeta != 0:
		return nil, fmt.Errorf("block %d is a meta page", block)
	case p.Flags&btpDeleted != 0:
		p.Type = 'D'
		if leaf || p.Flags&btpHasFullXID == 0 {
			p.Type = 'd'
		}
		return p, nil
	case p.Flags&btpHalfDead != 0:
		p.Type = 'e'
	case leaf:
		p.Type = 'l'
	case p.Flags&btpRoot != 0:
		p.Type = 'r'
	default:
		p.Type = 'i'
	}
	for i := range p.Header.items() {
		lp := decodeLinePointer(page, i)
		if lp.offset < p.Header.Upper || lp.offset+lp.length > p.Header.Special || lp.length < indexHeaderSize {
			return nil, fmt.Errorf("block %d: item %d of %d bytes at %d: expected it between %d and %d", block, i+1, lp.length, lp.offset, p.Header.Upper, p.Header.Special)
		}
		x, ok := decodeIndexTuple(page[lp.offset:p.Header.Special])
		if !ok {
			return nil, fmt.Errorf("block %d: item %d ends beyond the page", block, i+1)
		}
		x.Offset, x.Dead = storage.OffsetNumber(i+1), lp.flags == LPDead
		x.Pivot = !leaf || p.Next != 0 && i == 0
		if x.Pivot && x.TIDs != nil {
			return nil, fmt.Errorf("block %d: item %d is a pivot with a posting list", block, i+1)
		}
		p.Items = append(p.Items, x)
	}
	return p, nil
}

// decodeIndexTuple reads an index tuple at the beginning of b.
func decodeIndexTuple(b []byte) (x BTreeItem, ok bool) {
	info := int(binary.LittleEndian.Uint16(b[6:]))
	x = BTreeItem{TID: decodeTID(b), Length: info & infoSize, Nulls: info&infoNulls != 0, Vars: info&infoVar != 0}
	at, end := indexHeaderSize, x.Length
	if x.Nulls {
		at += nullBitmapSize
	}
	x.HeapTID, x.HasHeapTID = x.TID, info&infoAltTID == 0
	switch offset := int(x.TID.Offset); {
	case x.HasHeapTID:
	case offset&isPosting != 0:
		end = int(x.TID.Block)
		n := offset & offsetMask
		if end < at || n == 0 || end+storage.TIDSize*n > len(b) {
			return x, false
		}
		for i := range n {
			x.TIDs = append(x.TIDs, decodeTID(b[end+storage.TIDSize*i:]))
		}
		x.HeapTID, x.HasHeapTID = x.TIDs[0], true
	case offset&pivotHeapTID != 0:
		if end > len(b) || end-8 < at {
			return x, false
		}
		x.HeapTID, x.HasHeapTID = decodeTID(b[end-storage.TIDSize:]), true
		end -= storage.MaxAlign(storage.TIDSize)
	}
	if end < at || end > len(b) {
		return x, false
	}
	x.Data = append([]byte{}, b[at:end]...)
	return x, true
}

// LiveItems and DeadItems count the items by their line pointers, as bt_page_stats
// does: a high key counts as live.
func (p *BTreePage) LiveItems() int { return len(p.Items) - p.DeadItems() }

// DeadItems counts the items that are marked dead.
func (p *BTreePage) DeadItems() int {
	n := 0
	for i := range p.Items {
		if p.Items[i].Dead {
			n++
		}
	}
	return n
}

// StatRows gives the columns of bt_page_stats.
func (p *BTreePage) StatRows() *Rows {
	r := newRows("blkno int", "type", "live_items int", "dead_items int", "avg_item_size int", "page_size int", "free_size int",
		"btpo_prev int", "btpo_next int", "btpo_level int", "btpo_flags int")
	size := 0
	for i := range p.Items {
		size += p.Items[i].Length
	}
	if n := len(p.Items); n > 0 {
		size /= n
	}
	r.add(int(p.Block), string(p.Type), p.LiveItems(), p.DeadItems(), size, p.Header.PageSize, p.Header.FreeSpace(),
		int(p.Prev), int(p.Next), p.Level, p.Flags)
	return r
}

// Rows gives the columns of bt_page_items.
func (p *BTreePage) Rows() *Rows {
	r := newRows("itemoffset int", "ctid", "itemlen int", "nulls bool", "vars bool", "data", "dead bool", "htid", "tids")
	for i := range p.Items {
		x := &p.Items[i]
		row := []any{int(x.Offset), x.TID.String(), x.Length, x.Nulls, x.Vars, spaced(x.Data), x.Dead, nil, nil}
		if x.Pivot {
			row[6] = nil
		}
		if x.HasHeapTID {
			row[7] = x.HeapTID.String()
		}
		if x.TIDs != nil {
			row[8] = tidArray(x.TIDs)
		}
		r.add(row...)
	}
	return r
}

// spaced is bytes in hexadecimal digits with a space between two bytes.
func spaced(b []byte) string { return strings.TrimSpace(fmt.Sprintf("% x", b)) }

// tidArray is a tid[] as PostgreSQL writes it.
func tidArray(tids []storage.TID) string {
	var b strings.Builder
	for i, t := range tids {
		b.WriteByte("{,"[min(i, 1)])
		fmt.Fprintf(&b, "%q", t.String())
	}
	return b.String() + "}"
}

// BTreeMeta is what bt_metap shows of a metapage.
type BTreeMeta struct {
	Header                PageHeader
	Magic, Version        int
	Root, FastRoot        storage.BlockNumber // 0 as long as there is no root
	Level, FastLevel      int
	LastCleanupDelPages   int     // btm_last_cleanup_num_delpages
	LastCleanupHeapTuples float64 // btm_last_cleanup_num_heap_tuples; -1, for it is not used any more
	AllEqualImage         bool
}

// DecodeBTreeMeta reads the metapage of a B-tree index.
func DecodeBTreeMeta(page *Page) (*BTreeMeta, error) {
	le := binary.LittleEndian
	d := page[storage.PageHeaderSize:]
	m := &BTreeMeta{
		Header: DecodeHeader(page), Magic: int(le.Uint32(d)), Version: int(le.Uint32(d[4:])),
		Root: storage.BlockNumber(le.Uint32(d[8:])), Level: int(le.Uint32(d[12:])),
		FastRoot: storage.BlockNumber(le.Uint32(d[16:])), FastLevel: int(le.Uint32(d[20:])),
		LastCleanupDelPages: int(le.Uint32(d[24:])), LastCleanupHeapTuples: math.Float64frombits(le.Uint64(d[32:])),
		AllEqualImage: d[40] != 0,
	}
	if le.Uint16(page[storage.PageSize-4:])&btpMeta == 0 {
		return nil, fmt.Errorf("block 0 is no B-tree metapage")
	}
	return m, nil
}

// Rows gives the columns of bt_metap.
func (m *BTreeMeta) Rows() *Rows {
	r := newRows("magic int", "version int", "root int", "level int", "fastroot int", "fastlevel int",
		"last_cleanup_num_delpages int", "last_cleanup_num_tuples float", "allequalimage bool")
	r.add(m.Magic, m.Version, int(m.Root), m.Level, int(m.FastRoot), m.FastLevel, m.LastCleanupDelPages, m.LastCleanupHeapTuples, m.AllEqualImage)
	return r
}
