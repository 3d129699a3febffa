package heap

// Pages of loaded rows: where a row is, and the page itself when it is touched first.

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// nearRows is how far apart rows are whose pages are noted.
const nearRows = 128

// LoadedTID is the heap TID of the row that stands n-th in physical order among those
// that the table was loaded with, from 0.
func (t *Table) LoadedTID(n int) storage.TID {
	l := t.loaded
	if l.perPage > 0 {
		return storage.TID{Block: storage.BlockNumber(n / l.perPage), Offset: storage.OffsetNumber(n%l.perPage + 1)}
	}
	b := int(l.near[n/nearRows])
	for int(l.first[b+1]) <= n {
		b++
	}
	return storage.TID{Block: storage.BlockNumber(b), Offset: storage.OffsetNumber(n - int(l.first[b]) + 1)}
}

// LoadedRow is the number of the row that stands n-th in physical order.
func (t *Table) LoadedRow(n int) int {
	if o := t.loaded.order; o != nil {
		return int(o[n])
	}
	return n
}

// LoadedStored reads the columns of the row that stands n-th in physical order as they
// are stored, if the load has compressed some or moved them out of line. Else it returns
// false.
func (t *Table) LoadedStored(n int, dst []datum.Value) bool {
	k, ok := t.loaded.kept[uint32(t.LoadedRow(n))]
	if ok {
		t.decode(dst, k.body, k.nulls)
	}
	return ok
}

// LoadedOrder says whether loaded rows stand in the order of their numbers.
func (t *Table) LoadedOrder() bool { return t.loaded.order == nil }

// span returns which rows, in physical order, stand on a page: from from on, before to.
func (l *loaded) span(block storage.BlockNumber) (from, to int) {
	if l.perPage > 0 {
		from = int(block) * l.perPage
		return from, min(from+l.perPage, l.count)
	}
	return int(l.first[block]), int(l.first[block+1])
}

// make makes a page of loaded rows, or gives one back the line pointers that it gave up.
func (t *Table) make(p *page) {
	if p.even != 0 {
		p.takeBack(storage.Give[linePointer](t.log.Memory(), p.lines()))
		return
	}
	l := t.loaded
	p.absent = false
	from, to := l.span(p.block)
	free, lines := int(p.upper), to-from
	p.lower, p.upper = storage.PageHeaderSize, storage.PageSize
	p.items = make([]linePointer, 0, lines)
	columns := t.Counters.Columns
	// The end of the arena may be a version that is waiting for its page, this one: rows
	// are formed elsewhere.
	arena := t.bodies
	if t.loadArena == nil {
		t.loadArena = make([]byte, 0, 2*storage.PageSize)
	}
	t.bodies = t.loadArena
	for i := from; i < to; i++ {
		n := t.LoadedRow(i)
		at := len(t.loadBodies)
		k, ok := l.kept[uint32(n)]
		if ok {
			t.loadBodies = append(t.loadBodies, k.body...)
		} else {
			values, _, err := l.rows.Row(n)
			if err != nil {
				// The rows were read before: they are not the same any more.
				panic("heap: a loaded row cannot be read again: " + err.Error())
			}
			v, err := t.prepare(values, false)
			if err != nil {
				panic("heap: a loaded row cannot be formed again: " + err.Error())
			}
			k.nulls = v.nulls
			t.loadBodies = append(t.loadBodies, t.bodies[v.start:]...)
			t.bodies = t.bodies[:v.start]
		}
		t.add(p, lengthOf(len(t.loadBodies)-at, k.nulls), at, k.nulls)
	}
	p.bodies = append(storage.Give[byte](t.log.Memory(), len(t.loadBodies)), t.loadBodies...)
	t.loadBodies = t.loadBodies[:0]
	if int(p.upper) != free {
		panic("heap: loaded rows are not the same when they are read again")
	}
	t.bodies = arena
	t.Counters.Columns = columns
	p.runs = []version{{first: 1, hints: uint8(l.infomask >> 8), same: true, cid: l.cid, xmin: l.xid}}
}

// mark gives a loaded page its bits in the visibility map.
func (t *Table) mark(p *page, bits uint8) {
	for len(t.vm.bits) <= int(p.block) {
		t.vm.bits = append(t.vm.bits, 0)
	}
	t.vm.page(p.block)
	t.vm.bits[p.block] = bits
	p.allVisible = true
}

// loadVacuumed does what a VACUUM after the load has done: pages are visible to
// everybody, the free space map knows them, empty ones at the end may be gone.
func (t *Table) loadVacuumed(o LoadOptions) {
	bits := uint8(vmAllVisible)
	if o.Frozen {
		bits |= vmAllFrozen
	}
	nonempty := 0
	for b := range t.pages.n {
		if p := t.pages.at(storage.BlockNumber(b)); !p.blank {
			nonempty = b + 1
			t.mark(p, bits)
		}
	}
	// COPY FREEZE has marked the pages already, so that a long run of them is skipped.
	from := 0
	if o.NewTable && o.Frozen {
		if unskippable := min(nonempty, t.pages.n-1); unskippable >= skipPages {
			from = unskippable
		}
	}
	seen := 0 // the last page with rows that was read, and those before it
	for b := from; b < t.pages.n; b++ {
		p := t.pages.at(storage.BlockNumber(b))
		t.vm.page(p.block)
		switch {
		case !p.blank:
			t.fsm.Record(p.block, p.loadedSpace())
			seen = b + 1
		case !t.fsm.Recorded(p.block):
			t.fsm.Record(p.block, storage.PageSize-storage.PageHeaderSize)
		}
	}
	t.fsm.Vacuum(0, storage.BlockNumber(t.pages.n))
	empty := t.pages.n - seen
	if o.KeepEmpty || empty == 0 || empty < truncateMinimum && empty < t.pages.n/truncateFraction {
		return
	}
	if nonempty == t.pages.n {
		return
	}
	t.pages.truncate(nonempty)
	if t.loaded.first != nil {
		t.loaded.first = t.loaded.first[:nonempty+1]
	}
	if _, _, cut := t.fsm.Truncate(storage.BlockNumber(nonempty)); cut {
		t.fsm.Vacuum(storage.BlockNumber(nonempty), storage.InvalidBlock)
	}
	t.vm.bits = t.vm.bits[:min(len(t.vm.bits), nonempty)]
}
