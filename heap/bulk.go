package heap

// Rows that come in bulk: heap_multi_insert (heapam.c), and which pages they go to with a
// BulkInsertState (hio.c: RelationGetBufferForTuple, RelationAddBlocks).

import (
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// maxExtendBy is MAX_BUFFERS_TO_EXTEND_BY. Source: REL_18_1, src/backend/access/heap/hio.c.
const maxExtendBy = 64

// sizeOfMultiInsertTuple is SizeOfMultiInsertTuple, what stands for a row version's header
// in the record of several. Each begins at an even place. Source: REL_18_1,
// src/include/access/heapam_xlog.h.
const sizeOfMultiInsertTuple = 7

// Bulk puts rows into a table on behalf of one command, COPY: it remembers the page that
// it fills and the ones that it has added in advance (BulkInsertState).
type Bulk struct {
	t *Table
	// newTable says that the command's transaction has made or emptied the table itself:
	// the free space map is left alone (TABLE_INSERT_SKIP_FSM).
	newTable bool
	current  storage.BlockNumber // the page that it holds
	// Pages that were added in advance: the next one and the last one.
	nextFree, lastFree storage.BlockNumber
	extended           int // already_extended_by

	// The versions of a batch, without header and one behind the other.
	batch  []formed
	bodies []byte
	tids   []storage.TID
}

// NewBulk begins a command that puts rows into the table. newTable says that its
// transaction has made or emptied the table itself.
func (t *Table) NewBulk(newTable bool) *Bulk {
	return &Bulk{t: t, newTable: newTable, current: storage.InvalidBlock, nextFree: storage.InvalidBlock}
}

// Release lets the page go that is being filled, and forgets those added in advance
// (ReleaseBulkInsertStatePin).
func (b *Bulk) Release() { b.current, b.nextFree = storage.InvalidBlock, storage.InvalidBlock }

// MoveTo goes on with another table: how far the last one was extended at a time holds for
// it, too.
func (b *Bulk) MoveTo(t *Table) {
	b.Release()
	b.t = t
}

// Held is the page that is being filled. It stays in use until the command ends, so that
// no visit prunes it.
func (b *Bulk) Held() storage.BlockNumber { return b.current }

// Insert is Table.Insert for one row of several (heap_insert with a BulkInsertState).
func (b *Bulk) Insert(values []datum.Value, cid uint32) (storage.TID, error) {
	b.t.bulk = b
	tid, err := b.t.insert(values, cid, false)
	b.t.bulk = nil
	return tid, err
}

// InsertAll adds rows and writes a record for each page that some of them go to
// (heap_multi_insert). It returns where they are, good until the next call.
func (b *Bulk) InsertAll(rows [][]datum.Value, cid uint32) ([]storage.TID, error) {
	t := b.t
	b.batch, b.bodies, b.tids = b.batch[:0], b.bodies[:0], b.tids[:0]
	for _, values := range rows {
		values = values[:len(t.opts.Attrs)]
		v, err := t.prepare(values, false)
		if err == nil && t.needsToast(v) {
			if values, err = t.toast(v, values, nil); err == nil {
				v, err = t.prepare(values, true)
			}
		}
		if err == nil {
			err = t.tooBig(v)
		}
		if err != nil {
			return nil, err
		}
		at := len(b.bodies)
		b.bodies = append(b.bodies, t.bodies[v.start:]...)
		t.bodies = t.bodies[:v.start]
		v.start = at
		b.batch = append(b.batch, v)
	}
	pages, used, fresh := 0, 0, false
	for i := 0; i < len(b.batch); {
		if i == 0 || !fresh {
			pages, used = t.pagesFor(len(b.batch)-i, func(n int) int { return storage.MaxAlign(b.batch[i+n].length) }), 0
		} else {
			used++
		}
		block := b.findPage(storage.MaxAlign(b.batch[i].length), pages-used)
		fresh = len(t.page(block).items) == 0
		i += b.fill(block, b.batch[i:], cid)
	}
	return b.tids, nil
}

// fill puts as many versions as there is room for on a page, at least one, and writes
// their record.
func (b *Bulk) fill(block storage.BlockNumber, versions []formed, cid uint32) int {
	t := b.t
	p := t.page(block)
	empty := len(p.items) == 0
	n, data := 0, 0
	for n < len(versions) && (n == 0 || p.freeSpace() >= storage.MaxAlign(versions[n].length)+t.reserve) {
		v := versions[n]
		body := b.bodies[v.start : v.start+v.bodySize()]
		off := t.place(p, block, t.formedBefore(v, body))
		p.noteSame(off, t.xacts.Current, cid)
		b.tids = append(b.tids, storage.TID{Block: block, Offset: off})
		data = storage.Align(data, 2) + sizeOfMultiInsertTuple + v.size()
		t.Counters.TupleBytes += int64(v.length)
		n++
	}
	cleared := t.clearVisible(p)
	typ, main := wal.Heap2MultiInsert, n*offsetSize
	if empty {
		typ, main = wal.Heap2MultiInsertInit, 0
	}
	if d := t.log.Detail(); d != nil {
		d.Main("their line pointers", main)
		d.Data("tuple headers, lengths and columns of the rows", data)
		flags := flag(cleared, insertVisibleCleared) | flag(n == len(versions), insertLastInMulti) | flag(t.opts.Logical, insertNewTuple)
		d.Describe("ntuples: %d, flags: 0x%02X", n, flags)
	}
	t.write(typ, p, data, main)
	t.Counters.Inserts += int64(n)
	t.live += int64(n)
	t.countRow(block, int64(n))
	return n
}

// formedBefore puts a version that was formed before at the end of the arena.
func (t *Table) formedBefore(v formed, body []byte) formed {
	if cap(t.bodies)-len(t.bodies) < len(body) {
		t.renewBodies()
	}
	v.start = len(t.bodies)
	t.bodies = append(t.bodies, body...)
	return v
}

// pagesFor is how many empty pages n versions take, whose lengths, aligned, length gives
// (heap_multi_insert_pages). Where a version has no room even on an empty page, but for
// what fillfactor keeps free, the unsigned room wraps around, and all that follow count as
// on that page.
func (t *Table) pagesFor(n int, length func(int) int) int {
	empty := uint64(storage.PageSize - storage.PageHeaderSize - t.reserve)
	room, pages := empty, 1
	for i := range n {
		need := uint64(length(i) + storage.LinePointerSize)
		if room < need {
			pages++
			room = empty
		}
		room -= need
	}
	return pages
}

// findPage returns the page for a version of an aligned length, where pages more are
// wanted if the table must grow (RelationGetBufferForTuple with a BulkInsertState).
func (b *Bulk) findPage(length, pages int) storage.BlockNumber {
	t := b.t
	want := length + t.reserve
	if want > nearlyEmpty {
		want = max(length, nearlyEmpty)
	}
	block := b.current
	if block == storage.InvalidBlock {
		block = t.target
	}
	if block == storage.InvalidBlock && !b.newTable {
		t.Counters.FSMSearches++
		block = t.fsm.Search(want, t.pages.n)
	}
	if block == storage.InvalidBlock && t.pages.n > 0 {
		block = storage.BlockNumber(t.pages.n - 1)
	}
search:
	for block != storage.InvalidBlock {
		free := t.pages.at(block).room()
		switch {
		case want <= free:
			b.current, t.target = block, block
			return block
		case b.nextFree != storage.InvalidBlock:
			if !b.newTable {
				t.fsm.Record(block, free)
			}
			block = b.nextFree
			if b.nextFree++; block >= b.lastFree {
				b.nextFree = storage.InvalidBlock
			}
		case b.newTable:
			break search
		default:
			t.Counters.FSMSearches++
			block = t.fsm.RecordAndSearch(block, free, want, t.pages.n)
		}
	}
	b.current = b.extend(max(pages, 1))
	t.target = b.current
	return b.current
}

// room is freeSpace of a page that may not have been made.
func (p *page) room() int {
	if p.absent {
		return p.loadedSpace()
	}
	return p.freeSpace()
}

// extend adds pages, at least as many as were added so far, and returns the first of them
// (RelationAddBlocks). Before 16 it is one at a time as long as nobody else waits.
func (b *Bulk) extend(pages int) storage.BlockNumber {
	t := b.t
	n := min(max(pages, b.extended), maxExtendBy)
	if t.xacts.before(versionBulkExtension) {
		pages, n = 1, 1
	}
	first := storage.BlockNumber(t.pages.n)
	for range n {
		t.pages.extend()
		t.pages.at(storage.BlockNumber(t.pages.n - 1)).blank = true
	}
	t.Counters.NewPages += int64(n)
	if !b.newTable && pages < n {
		for i := pages; i < n; i++ {
			t.fsm.Record(first+storage.BlockNumber(i), storage.PageSize-storage.PageHeaderSize)
		}
		t.fsm.Vacuum(first+storage.BlockNumber(pages), first+storage.BlockNumber(n-1))
	}
	b.nextFree = storage.InvalidBlock
	if n > 1 {
		b.nextFree, b.lastFree = first+1, first+storage.BlockNumber(n-1)
	}
	b.extended += n
	return first
}
