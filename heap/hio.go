package heap

// Which page a row version goes to, after hio.c (RelationGetBufferForTuple).

import "applysim/wal/storage"

// nearlyEmpty is the free space of a page that counts as empty although it may
// have some line pointers left: an eighth of the greatest number.
const nearlyEmpty = MaxHeapTupleSize - MaxHeapTuplesPerPage/8*storage.LinePointerSize

// findPage returns the page for a version of length bytes, added to the table
// if no page that is known has room.
func (t *Table) findPage(length int) storage.BlockNumber {
	length = storage.MaxAlign(length)
	want := length + t.reserve
	if want > nearlyEmpty {
		want = max(length, nearlyEmpty)
	}
	block := t.target
	if block == storage.InvalidBlock {
		t.Counters.FSMSearches++
		block = t.fsm.Search(want, t.pages.n)
	}
	if block == storage.InvalidBlock && t.pages.n > 0 {
		block = storage.BlockNumber(t.pages.n - 1)
	}
	for block != storage.InvalidBlock {
		free := t.page(block).freeSpace()
		if want <= free {
			t.target = block
			return block
		}
		t.Counters.FSMSearches++
		block = t.fsm.RecordAndSearch(block, free, want, t.pages.n)
	}
	t.target = storage.BlockNumber(t.pages.n)
	t.pages.extend()
	t.Counters.NewPages++
	return t.target
}

// ForgetTarget forgets the cached target block, as a relation cache
// invalidation or a new worker does.
func (t *Table) ForgetTarget() {
	t.target, t.qual = storage.InvalidBlock, false
	t.generation++ // other workers forget it too
}

// ReadPartitionQual notes that the process's relation cache has the table's constraint as
// a partition from now on, and says whether it had it before (rd_partcheckvalid).
func (t *Table) ReadPartitionQual() (before bool) {
	before, t.qual = t.qual, true
	return before
}

// Pin notes that the worker holds a row version on a page, InvalidBlock for none:
// the tuple slot of a lookup keeps the page in use until the change is done.
func (t *Table) Pin(block storage.BlockNumber) { t.pinned, t.ahead = block, storage.InvalidBlock }
