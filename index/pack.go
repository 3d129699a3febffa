package index

// Leaves that a run of ascending keys has left behind are seldom touched again. Until they
// are, their items are kept as the steps from one to the next.

import (
	"encoding/binary"

	"applysim/wal/storage"
)

// How the heap TID of an item follows from that of the one before.
const (
	stepLine = iota // the next line pointer
	stepPage        // the first one of the next page
	stepFar         // anything else: the TID itself follows

	stepBits = 2
	stepMask = 1<<stepBits - 1
)

// longestPacked is how many bytes an item may take when it is packed, all in all: an item
// that is not packed has 16.
const longestPacked = 6

// appendPacked appends the items of a leaf, in key order and without slab entries, to b:
// their number, hi of the first one, then for each the step of hi and of the heap TID.
// It returns false if that would not be worth it.
func appendPacked(b []byte, items []item) ([]byte, bool) {
	begin := len(b)
	b = binary.AppendUvarint(b, uint64(len(items)))
	b = binary.LittleEndian.AppendUint64(b, items[0].hi)
	last := item{hi: items[0].hi}
	for i := range items {
		it := &items[i]
		step := it.hi - last.hi
		if it.ref != 0 || it.hi < last.hi || step >= 1<<(64-stepBits) {
			return b[:begin], false
		}
		step <<= stepBits
		switch {
		case it.block == last.block && it.offset == last.offset+1:
			b = binary.AppendUvarint(b, step|stepLine)
		case it.block == last.block+1 && it.offset == 1:
			b = binary.AppendUvarint(b, step|stepPage)
		default:
			b = appendTID(binary.AppendUvarint(b, step|stepFar), storage.TID{Block: it.block, Offset: it.offset})
		}
		last = *it
	}
	return b, len(b)-begin <= longestPacked*len(items)
}

// packedItems is how many items b has, which appendPacked has made.
func packedItems(b []byte) int {
	n, _ := binary.Uvarint(b)
	return int(n)
}

// appendUnpacked appends the items that appendPacked has packed into b to dst.
func appendUnpacked(dst []item, b []byte) []item {
	n, size := binary.Uvarint(b)
	b = b[size:]
	it := item{hi: binary.LittleEndian.Uint64(b)}
	b = b[8:]
	for range n {
		step, size := binary.Uvarint(b)
		b = b[size:]
		it.hi += step >> stepBits
		switch step & stepMask {
		case stepLine:
			it.offset++
		case stepPage:
			it.block, it.offset = it.block+1, 1
		default:
			tid := getTID(b)
			it.block, it.offset = tid.Block, tid.Offset
			b = b[storage.TIDSize:]
		}
		dst = append(dst, it)
	}
	return dst
}

// giveUp takes from leaf p, the left one of a split of the rightmost leaf, the memory of
// its items: all of it if they can be packed, into t.packed, where takePacked gets them
// from, else what the few that may still come will not need: most come to the right.
func (t *BTree) giveUp(p *page) (packed bool) {
	if t.plan.wide || len(p.order) > 0 || p.memory != nil {
		return false
	}
	n := min(len(p.items)+latecomers, cap(p.items))
	if t.packed, packed = appendPacked(t.packed[:0], p.items); packed {
		p.items, n = p.items[:0], 0
	}
	p.items = storage.Shorten(&t.memory, p.items, n)
	if packed {
		p.items = nil
	}
	return packed
}

// takePacked gives leaf p what giveUp has packed. It stands behind the high key.
func (t *BTree) takePacked(p *page) {
	p.packedAt = uint16(len(p.slab))
	p.slab = append(append(make([]byte, 0, len(p.slab)+len(t.packed)), p.slab...), t.packed...)
	p.sorted = virtual
}

// look returns leaf p, which will only be read: a copy that has its items if they are
// packed, so that they stay so.
func (t *BTree) look(p *page) *page {
	if p.packedAt == 0 {
		return p
	}
	t.looked = appendUnpacked(t.looked[:0], p.slab[p.packedAt:])
	whole := *p
	whole.items, whole.packedAt, whole.sorted = t.looked, 0, len(t.looked)
	return &whole
}

// unpack makes the items of a leaf that was packed.
func (t *BTree) unpack(p *page) {
	b := p.slab[p.packedAt:]
	n := packedItems(b)
	t.unpacked++
	room := t.itemsExpected(n, p.free, t.plainSize)
	if t.enlarged <= t.unpacked/4 {
		room = min(room, n+latecomers) // seldom do more come
	}
	t.arrays(p, room)
	p.items = appendUnpacked(p.items, b)
	high := p.slab[:p.packedAt]
	t.slabBytes(p, t.slabExpected(p, len(high)))
	p.slab = append(p.slab, high...)
	p.packedAt, p.sorted = 0, n
}
