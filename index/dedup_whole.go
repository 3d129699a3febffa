package index

// Deduplication of leaves whose items' abbreviated keys are whole: equal numbers are
// equal keys, and all items are of the same size without their posting lists. The
// same steps as in dedup.go, for what most indexes are.

import (
	"encoding/binary"

	"applysim/wal/storage"
)

// wholeList is the posting list that a pass is collecting.
type wholeList struct {
	base  item
	lo    uint64
	entry int // where its entry begins in the new slab, -1 if the base is plain and alone
	tids  int // bytes of its TIDs
	items int // items merged, the base included
}

// anyEqualWhole is anyEqual.
func (p *page) anyEqualWhole() bool {
	if len(p.order) == 0 {
		for i := 1; i < len(p.items); i++ {
			if p.items[i-1].hi == p.items[i].hi && (p.los == nil || p.los[i-1] == p.los[i]) {
				return true
			}
		}
		return false
	}
	last := p.order[0]
	for _, n := range p.order[1:] {
		if p.items[last].hi == p.items[n].hi && (p.los == nil || p.los[last] == p.los[n]) {
			return true
		}
		last = n
	}
	return false
}

// mergeWhole merges p's items into the empty page n and returns the number of
// posting lists that were made or grew. tail are the items that have arrived since the
// others were put into order, themselves in order. single says that the single-value
// strategy applies; k is the key that needs room.
func (t *BTree) mergeWhole(n, p *page, tail []sortItem, k *key, single bool) (merged int) {
	maximum, full, merging := maxPostingSize, 0, true
	var l wholeList
	b := n.slab
	if len(b) == 0 {
		b = append(b, make([]byte, slabStart)...)
	}
	used, tids := 0, 0
	finish := func() {
		size := t.plainSize
		it := l.base
		it.ref = 0
		if l.entry >= 0 {
			it.ref = uint16(l.entry)
			size = storage.MaxAlign(size + l.tids)
			n.noteList(b[len(b)-l.tids:])
		}
		if l.items > 1 {
			merged++
			binary.LittleEndian.PutUint16(b[l.entry+entryHeader:], uint16(l.tids/storage.TIDSize))
		}
		n.items = append(n.items, it)
		if p.los != nil {
			n.los = append(n.los, l.lo)
		}
		used += size + storage.LinePointerSize
		tids += l.tids / storage.TIDSize
	}
	moved := 0
	for i, j := 0, 0; i+j < len(p.items); {
		began := i+j > 0
		var m uint16
		if j < len(tail) && (i == p.sorted || tail[j].hi < p.at(i).hi) {
			m = tail[j].n
			j++
			moved += p.sorted - i
		} else {
			m = p.nth(i)
			i++
		}
		it := &p.items[m]
		list := t.wholeTIDs(p, it)
		if began && merging && it.hi == l.base.hi && (p.los == nil || p.los[m] == l.lo) {
			more := max(len(list), storage.TIDSize)
			if storage.MaxAlign(t.plainSize+l.tids+more) <= maximum {
				if l.entry < 0 {
					l.entry = len(b)
					b = t.appendWholeEntry(b, 1)
					b = appendTID(b, l.base.tid())
				}
				if list != nil {
					b = append(b, list...)
				} else {
					b = appendTID(b, it.tid())
				}
				l.items++
				l.tids += more
				continue
			}
			if l.tids/storage.TIDSize > bigList {
				full++
			}
		}
		if began {
			finish()
			if single {
				switch full {
				case 5:
					maximum = sixthMaximum(maximum, k)
				case 6:
					merging, single = false, false
				}
			}
		}
		l.base, l.entry, l.tids, l.items = *it, -1, storage.TIDSize, 1
		l.base.offset &^= deadBit // it gets a new line pointer
		if p.los != nil {
			l.lo = p.los[m]
		}
		if list != nil {
			l.entry, l.tids = len(b), len(list)
			b = t.appendWholeEntry(b, len(list)/storage.TIDSize)
			b = append(b, list...)
		}
	}
	finish()
	n.slab = b
	n.free -= used
	n.sorted, n.last = len(n.items), p.last
	n.most, n.hint = p.most, len(n.items)-1
	t.Counters.DedupTIDs += int64(tids)
	if merged > 0 {
		t.Counters.ItemsMoved += int64(moved)
	}
	return merged
}

// appendWholeEntry appends the beginning of a slab entry with a posting list of so
// many TIDs.
func (t *BTree) appendWholeEntry(b []byte, tids int) []byte {
	return append(b, byte(t.plainSize), byte(t.plainSize>>8), entryPosting|entryWhole, byte(len(t.attrs)), byte(tids), byte(tids>>8))
}

// wholeTIDs is postingTIDs for an item whose abbreviated key is whole.
func (t *BTree) wholeTIDs(p *page, it *item) []byte {
	if it.ref == 0 {
		return nil
	}
	b := p.slab[it.ref:]
	if b[2]&entryPosting == 0 {
		return nil
	}
	tids := int(binary.LittleEndian.Uint16(b[entryHeader:])) * storage.TIDSize
	b = b[entryHeader+2:]
	return b[:tids:tids]
}
