package index

// Keys of integers and the like, which are most of those that there are: their
// abbreviated keys are computed from the table's row at once, without a copy of its
// values.

import (
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// rowStep is how a column of a row goes into the abbreviated key: its bits, shifted
// to the left end and flipped, at bit from.
type rowStep struct {
	column int
	shift  uint8
	from   uint8
	flip   uint64
	mask   uint64 // the bits that the column has, at the left end
}

// MapColumns says which column of a table's row each column of the index is; -1
// stands for an expression. It makes InsertRow possible where it can be.
func (t *BTree) MapColumns(columns []int) {
	t.steps, t.stepFlags = nil, abbrev{}
	if !t.plan.whole || len(t.plan.segments) != len(t.attrs) {
		return
	}
	steps := make([]rowStep, len(columns))
	var flags abbrev
	for i, n := range columns {
		c, s := &t.opts.Columns[i], &t.plan.segments[i]
		if n < 0 || !c.Class.Linear {
			return
		}
		steps[i] = rowStep{column: n, shift: c.Class.Shift, from: uint8(s.from), flip: c.Class.Flip, mask: ^uint64(0)}
		if s.width < 64 {
			steps[i].mask = ^(^uint64(0) >> s.width)
		}
		if c.Desc {
			steps[i].flip ^= ^uint64(0)
		}
		if c.NullsFirst {
			flags.hi |= s.flag.hi
			flags.lo |= s.flag.lo
		}
	}
	t.steps, t.stepFlags = steps, flags
}

// InsertRow is Insert for a row of the table. It returns false for ok, and does
// nothing, if the index's values must be formed first.
func (t *BTree) InsertRow(row []datum.Value, tid storage.TID, unchanged bool) (duplicate, ok bool) {
	if t.steps == nil || !t.formRow(&t.key, row, tid) {
		return false, false
	}
	k := &t.key
	if len(t.pages) == 1 || t.opts.Unique {
		return t.insertKey(k, unchanged), true
	}
	t.Counters.Inserts++
	if t.counts(t.Counters.Inserts) {
		t.count(k)
	}
	p := t.findLeaf(k)
	if p.room() < k.size || !p.listMax.Less(k.tid) {
		if p.room() < k.size {
			t.makeRoom(k, p, false, unchanged, unchanged)
			t.countAgain(k, p)
		}
		t.insertOn(k, p, -1)
		return false, true
	}
	// What insertOn does for most keys: the item is the last to arrive on a leaf with
	// room for it.
	it := item{hi: k.hi, block: tid.Block, offset: tid.Offset}
	if len(p.items) == cap(p.items) {
		t.moreItems(p)
	}
	if t.plan.wide {
		p.append(it, p.afterLast(k.hi, k.lo), k.size)
		p.los = append(p.los, k.lo)
	} else {
		p.append(it, false, k.size)
	}
	if d := t.log.Detail(); d != nil {
		t.describeInsert(d, p)
	}
	t.write(wal.BtreeInsertLeaf, p, k.size)
	t.remember(p)
	return false, true
}

// formRow is form for a row whose key its abbreviation holds whole; it returns false
// for any other.
func (t *BTree) formRow(k *key, row []datum.Value, tid storage.TID) bool {
	a := t.stepFlags
	for i := range t.steps {
		s := &t.steps[i]
		v := &row[s.column]
		if v.Null {
			return false
		}
		n := (v.Bits<<(s.shift&63) ^ s.flip) & s.mask
		switch {
		case s.from == 0:
			a.hi |= n
		case s.from < 64:
			a.hi |= n >> (s.from & 63)
			a.lo |= n << (-s.from & 63)
		default:
			a.lo |= n >> (s.from & 63)
		}
	}
	if !t.certain(a) {
		return false
	}
	k.abbrev, k.whole, k.values, k.nulls = a, true, nil, 0
	k.size, k.tid = t.plainSize, tid
	t.Counters.KeyBytes += int64(k.size)
	return true
}
