package heap_test

import (
	"fmt"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
)

// full is a table with a page of seven rows of 1000 bytes: 1140 bytes are left,
// room for one more, after which less than a tenth of the page is free.
func full(t *testing.T, indexed ...int) *table {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Indexed: indexed})
	h.tx(func() {
		for i := range 7 {
			h.insert(num(int64(i+1)), pad(1000))
		}
	})
	h.take()
	return h
}

func (h *table) expect(what, records, lines string) {
	h.t.Helper()
	if got := h.take(); got != records {
		h.t.Errorf("%s: records %s, expected %s", what, got, records)
	}
	if got := h.lines(0); got != lines {
		h.t.Errorf("%s: line pointers %s, expected %s", what, got, lines)
	}
	h.check()
}

// A row that is updated again and again in place, from transaction to
// transaction: its chain is cut short by the next visit, its line pointers are
// used again, and at last it is deleted.
func TestChain(t *testing.T) {
	const rest = " 1000 1000 1000 1000 1000 1000"
	h := full(t)
	root := at(0, 1)
	update := func(want string) {
		t.Helper()
		u := h.update(root, num(1), pad(1000))
		if !u.HOT || u.TID.String() != want {
			t.Errorf("update to %v, HOT %v; expected %s", u.TID, u.HOT, want)
		}
	}
	h.tx(func() { update("(0,8)") })
	// 24 + 20 + 2 + 3 + 14, then 5 + (1000 - 23), but for the data (976 bytes) only
	// the length of the prefix that is all of it, 2.
	h.expect("first update", "LOCK 0 54, HOT_UPDATE 0 71", "1000"+rest+" 1000")

	// The visit finds the page nearly full. The root becomes a redirect:
	// 24+20+2+2, conflict xid 4, 2 + 4.
	h.tx(func() { update("(0,9)") })
	h.expect("second", "PRUNE_ON_ACCESS 0 58, LOCK 0 54, HOT_UPDATE 0 71", "->8"+rest+" 1000 1000")

	// The redirect moves on and item 8 becomes unused: 2 + 4, 2 + 2. It is used
	// again at once.
	h.tx(func() { update("(0,8)") })
	h.expect("third", "PRUNE_ON_ACCESS 0 62, LOCK 0 54, HOT_UPDATE 0 71", "->9"+rest+" 1000 1000")

	// Twice in a transaction: the version in between is not seen by anybody, and
	// nothing of the running transaction is removed. The second update leaves the
	// page, for there is no room left.
	h.tx(func() {
		update("(0,9)")
		if u := h.update(root, num(1), pad(1000)); u.HOT || u.TID != at(1, 1) {
			t.Errorf("update to %v, HOT %v", u.TID, u.HOT)
		}
	})
	h.expect("twice", "PRUNE_ON_ACCESS 0 62, LOCK 0 54, HOT_UPDATE 0 71, LOCK 0 54, LOCK 0 54, UPDATE+INIT 1 1053",
		"->8"+rest+" 1000 1000")

	// All of the chain on page 0 is dead: the root stays as a dead line pointer
	// (2 + 2), the two others go (2 + 4), and the array is cut off behind the last
	// one in use.
	if _, ok, dead := h.Fetch(noPage, root); ok || !dead {
		t.Errorf("the old index entry leads to a version: %v, all dead: %v", ok, dead)
	}
	h.expect("all dead", "PRUNE_ON_ACCESS 0 62", "dead"+rest)
	if !h.Vacuumable(root) {
		t.Error("an entry to a dead line pointer is not vacuumable")
	}
	// A dead line pointer is not used again before VACUUM.
	h.tx(func() {
		if u := h.update(at(0, 2), num(2), pad(1000)); u.TID != at(0, 8) {
			t.Errorf("update to %v, expected (0,8)", u.TID)
		}
	})
	if got := h.Counters; got.HOTUpdates != 5 || got.Updates != 6 || got.NoRoom != 1 || got.NewPageUpdates != 1 || got.ChangedIndexed != 0 {
		t.Errorf("counters %+v", got)
	}
}

// What makes a visit prune: a transaction's leavings that nobody needs, and
// either too little free space or the page-full flag.
func TestWhenPruned(t *testing.T) {
	fetch := func(h *table, block, offset int) {
		h.Fetch(noPage, at(block, offset))
	}
	t.Run("enough room", func(t *testing.T) {
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
		h.tx(func() {
			for i := range 5 {
				h.insert(num(int64(i)), pad(1000))
			}
		})
		h.tx(func() { h.delete(at(0, 1)) })
		h.take()
		fetch(h, 0, 2)
		h.expect("visit", "", "1000 1000 1000 1000 1000")
		if h.Counters.Prunes != 0 {
			t.Errorf("%d attempts to prune", h.Counters.Prunes)
		}
	})
	t.Run("fillfactor", func(t *testing.T) {
		// The same page is short of space if 40 % shall be kept free.
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Fillfactor: 60})
		h.tx(func() {
			for i := range 4 {
				h.insert(num(int64(i)), pad(1000))
			}
		})
		h.tx(func() { h.update(at(0, 1), num(0), pad(1000)) })
		h.take()
		fetch(h, 0, 2)
		h.expect("visit", "PRUNE_ON_ACCESS 0 58", "->5 1000 1000 1000 1000")
	})
	t.Run("page full", func(t *testing.T) {
		// An update that found no room sets the flag: the visit prunes although
		// there is plenty of room.
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
		h.tx(func() {
			for i := range 7 {
				h.insert(num(int64(i)), pad(900))
			}
		})
		h.tx(func() {
			if u := h.update(at(0, 1), num(0), pad(2000)); u.TID != at(1, 1) {
				t.Fatalf("update to %v", u.TID)
			}
		})
		h.take()
		fetch(h, 0, 2)
		h.expect("visit", "PRUNE_ON_ACCESS 0 56", "dead 900 900 900 900 900 900")
		fetch(h, 0, 2)
		h.expect("second visit", "", "dead 900 900 900 900 900 900")
	})
	t.Run("running transaction", func(t *testing.T) {
		h := full(t)
		h.begin()
		h.update(at(0, 1), num(1), pad(1000))
		h.take()
		fetch(h, 0, 2)
		h.expect("visit", "", "1000 1000 1000 1000 1000 1000 1000 1000")
		h.commit()
		fetch(h, 0, 2)
		h.expect("visit after the commit", "PRUNE_ON_ACCESS 0 58", "->8 1000 1000 1000 1000 1000 1000 1000")
	})
	t.Run("stay and pin", func(t *testing.T) {
		h := full(t)
		h.tx(func() { h.update(at(0, 1), num(1), pad(1000)) })
		h.take()
		h.Fetch(0, at(0, 2)) // the scan was on the page already
		h.Pin(0)
		fetch(h, 0, 2) // the worker holds a row of the page
		h.Pin(noPage)
		h.expect("visits", "", "1000 1000 1000 1000 1000 1000 1000 1000")
		for range h.Scan {
		}
		h.expect("sequential scan", "", "1000 1000 1000 1000 1000 1000 1000 1000")
		fetch(h, 0, 2)
		h.expect("visit", "PRUNE_ON_ACCESS 0 58", "->8 1000 1000 1000 1000 1000 1000 1000")
	})
	t.Run("nothing found", func(t *testing.T) {
		// An aborted update left nothing to prune on the old version's page; the
		// attempt takes the flag back, without a record, and is not repeated.
		h := full(t)
		h.begin()
		h.update(at(0, 1), num(1), pad(2000))
		h.abort()
		h.take()
		fetch(h, 0, 2)
		h.expect("visit", "", "1000 1000 1000 1000 1000 1000 1000")
		fetch(h, 0, 2)
		if h.Counters.Prunes != 1 {
			t.Errorf("%d attempts to prune, expected 1", h.Counters.Prunes)
		}
		// The new version is no row.
		if _, ok, _ := h.Fetch(noPage, at(1, 1)); ok {
			t.Error("found an aborted version")
		}
		if got := h.find(at(0, 1)); got != at(0, 1) {
			t.Errorf("found %v", got)
		}
	})
}

// Aborted updates in place leave heap-only versions that no chain leads to: they
// become unused, and the chain goes on from the old version. Versions that only
// an abort ended need no conflict xid.
func TestAbortedHOT(t *testing.T) {
	h := full(t)
	h.begin()
	h.update(at(0, 1), num(1), pad(1000))
	h.abort()
	h.take()
	h.Fetch(noPage, at(0, 1))
	// 24+20+2+2 and one unused item, 2 + 2.
	h.expect("visit", "PRUNE_ON_ACCESS 0 52", "1000 1000 1000 1000 1000 1000 1000")
	h.tx(func() {
		if u := h.update(at(0, 1), num(1), pad(1000)); u.TID != at(0, 8) || !u.HOT {
			t.Errorf("update to %v, HOT %v", u.TID, u.HOT)
		}
	})
	if got := h.find(at(0, 1)); got != at(0, 8) {
		t.Errorf("found %v", got)
	}
}

// A version that a transaction inserted and deleted itself: no conflict xid.
func TestOwnVersion(t *testing.T) {
	h := full(t)
	h.tx(func() {
		tid := h.insert(num(9), pad(1000))
		h.delete(tid)
	})
	h.take()
	h.Fetch(noPage, at(0, 1))
	h.expect("visit", "PRUNE_ON_ACCESS 0 52", "1000 1000 1000 1000 1000 1000 1000 dead")
}

// An update that changes an indexed column is not HOT, though it stays on the
// page: the new version has an index entry of its own and is a root.
func TestIndexedColumn(t *testing.T) {
	h := full(t, 0)
	h.tx(func() {
		u := h.update(at(0, 1), num(100), pad(1000))
		if u.HOT || u.TID != at(0, 8) {
			t.Errorf("update to %v, HOT %v", u.TID, u.HOT)
		}
		if !h.Modified(0) {
			t.Error("column 0 is not modified")
		}
	})
	h.expect("update", "LOCK 0 54, UPDATE 0 72", "1000 1000 1000 1000 1000 1000 1000 1000")
	if _, ok, _ := h.Fetch(noPage, at(0, 1)); ok {
		t.Error("the old entry leads to the new version")
	}
	h.expect("visit", "PRUNE_ON_ACCESS 0 56", "dead 1000 1000 1000 1000 1000 1000 1000")
	if got := h.find(at(0, 8)); got != at(0, 8) {
		t.Errorf("found %v", got)
	}
	if c := h.Counters; c.ChangedIndexed != 1 || c.HOTUpdates != 0 {
		t.Errorf("counters %+v", c)
	}
}

func TestChangedAndNoRoom(t *testing.T) {
	h := full(t, 0)
	h.tx(func() { h.update(at(0, 1), num(100), pad(2000)) })
	if c := h.Counters; c.ChangedNoRoom != 1 || c.NewPageUpdates != 1 {
		t.Errorf("counters %+v", c)
	}
}

// Stored bytes decide what changed, NULLs included.
func TestHOTComparesBytes(t *testing.T) {
	null := datum.Value{Null: true}
	bytes := func(s string) datum.Value { return datum.Value{Bytes: []byte(s)} }
	float4 := datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}
	for _, c := range []struct {
		name     string
		attr     datum.Attr
		old, new datum.Value
		hot      bool
	}{
		{"equal", int4, num(5), num(5), true},
		{"negative", int4, num(-5), num(-5), true},
		{"different", int4, num(5), num(6), false},
		{"to NULL", int4, num(0), null, false},
		{"from NULL", int4, null, num(0), false},
		{"NULL", int4, null, null, true},
		{"text", text, bytes("ab"), bytes("ab"), true},
		{"other text", text, bytes("ab"), bytes("ac"), false},
		{"empty and NULL", text, bytes(""), null, false},
		// A by-value type's word is its low bytes, whatever is above them.
		{"negative float4", float4, datum.Value{Bits: 0xBF800000}, datum.Value{Bits: 0xBF800000}, true},
		{"oid", int4, datum.Value{Bits: 0xFFFFFFFE}, datum.Value{Bits: 0xFFFFFFFE}, true},
	} {
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, c.attr}, Indexed: []int{1}})
		h.tx(func() { h.insert(num(1), c.old) })
		h.tx(func() {
			if u := h.update(at(0, 1), num(2), c.new); u.HOT != c.hot {
				t.Errorf("%s: HOT %v, expected %v", c.name, u.HOT, c.hot)
			}
		})
	}
}

// Columns of a summarizing index do not prevent HOT, but the index gets an entry
// when they change.
func TestSummarized(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, int4, int4}, Indexed: []int{0}, Summarized: []int{1}})
	h.tx(func() { h.insert(num(1), num(1), num(1)) })
	h.tx(func() {
		if u := h.update(at(0, 1), num(1), num(2), num(1)); !u.HOT || !u.Summarized {
			t.Errorf("summarized column changed: %+v", u)
		}
		if u := h.update(at(0, 1), num(1), num(2), num(2)); !u.HOT || u.Summarized {
			t.Errorf("another column changed: %+v", u)
		}
		if u := h.update(at(0, 1), num(2), num(3), num(2)); u.HOT || u.Summarized {
			t.Errorf("both changed: %+v", u)
		}
	})
}

// A row's own changes are visible to the worker, whatever the transaction did
// before.
func TestVisibility(t *testing.T) {
	h := full(t)
	h.begin()
	tid := h.insert(num(8), pad(500))
	if got := h.find(tid); got != tid {
		t.Errorf("found %v", got)
	}
	h.update(tid, num(8), pad(500))
	h.delete(at(0, 2))
	if _, ok, dead := h.Fetch(noPage, at(0, 2)); ok || dead {
		t.Errorf("a row that was just deleted: found %v, all dead %v", ok, dead)
	}
	if h.Vacuumable(at(0, 2)) || h.Vacuumable(at(0, 1)) {
		t.Error("the running transaction's leavings are vacuumable")
	}
	h.abort()
	if _, ok, _ := h.Fetch(noPage, tid); ok {
		t.Error("found a row of an aborted transaction")
	}
	if got := h.find(at(0, 2)); got != at(0, 2) {
		t.Errorf("found %v", got)
	}
	n := 0
	for range h.Scan {
		n++
	}
	if n != 7 {
		t.Errorf("%d rows, expected 7", n)
	}
}

// Without flushed commits hint bits are set only where the page was written after
// the commit, so that a dead row is not provably dead yet.
func TestHintsNeedFlushedCommits(t *testing.T) {
	deleted := func(synchronous bool) *table {
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4}})
		h.xacts.Synchronous = synchronous
		h.tx(func() {
			for i := range 5 {
				h.insert(num(int64(i)))
			}
		})
		h.tx(func() { h.delete(at(0, 1)) })
		return h
	}
	dead := func(h *table) bool {
		t.Helper()
		_, ok, dead := h.Fetch(noPage, at(0, 1))
		if ok || !h.Vacuumable(at(0, 1)) {
			t.Errorf("found %v, vacuumable %v", ok, h.Vacuumable(at(0, 1)))
		}
		return dead
	}
	if !dead(deleted(true)) {
		t.Error("commits are flushed, and the version is not provably dead")
	}
	h := deleted(false)
	if dead(h) {
		t.Error("the commit is not flushed, and the version provably dead")
	}
	// A later change of the page covers the commit: the page cannot be written
	// before it.
	h.begin()
	h.update(at(0, 2), num(9))
	if !dead(h) {
		t.Error("the commit is older than the page's LSN, and the version not provably dead")
	}
	h.commit()
	// 32 transactions share one LSN, that of the latest commit: one that is not
	// flushed hides those before it.
	h = deleted(false)
	h.tx(func() { h.update(at(0, 2), num(9)) })
	if dead(h) {
		t.Error("the version is provably dead, though a later commit of the same 32 is not flushed")
	}
}

// What a logical record says of the old row.
func TestIdentity(t *testing.T) {
	key := []int{0}
	for _, c := range []struct {
		name    string
		logical bool
		id      heap.Identity
		delete  int // record length
		update  int // of an update that keeps the key
		rekey   int // of one that changes it
	}{
		// A row has 24 + 4 + 4 + 100 bytes after its header of 23: 5 + 109.
		{"replica", false, heap.Identity{Columns: key}, 57, 71, 72},
		{"default", true, heap.Identity{Columns: key}, 57 + 5 + 5, 177, 177 + 10},
		{"nothing", true, heap.Identity{}, 57, 177, 177},
		{"full", true, heap.Identity{Full: true}, 57 + 5 + 109, 177 + 114, 177 + 114},
	} {
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Logical: c.logical, Identity: c.id})
		h.tx(func() {
			for i := range 3 {
				h.insert(num(int64(i)), pad(132))
			}
		})
		h.take()
		row := pad(132)
		row.Bytes[0] = 'x'
		h.tx(func() {
			h.delete(at(0, 1))
			h.update(at(0, 2), num(1), pad(132))
			h.update(at(0, 3), num(9), pad(132))
		})
		var got [3]int
		n := 0
		for _, r := range h.records {
			var typ string
			var block, length int
			if scan(r, &typ, &block, &length); typ != "LOCK" {
				got[n] = length
				n++
			}
		}
		if want := [3]int{c.delete, c.update, c.rekey}; got != want {
			t.Errorf("%s: DELETE, UPDATE, UPDATE of the key take %v bytes, expected %v", c.name, got, want)
		}
	}
}

// An old row of more than 255 bytes makes the main data's header longer.
func TestLongIdentity(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Logical: true, Identity: heap.Identity{Full: true}})
	h.tx(func() { h.insert(num(1), pad(500)) })
	h.take()
	h.tx(func() { h.delete(at(0, 1)) })
	// 24 + 20 + 5 + 8 + 3, then 5 + 477.
	if got, want := h.take(), "LOCK 0 54, DELETE 0 542"; got != want {
		t.Errorf("records %s, expected %s", got, want)
	}
}

// Beginning and end that two versions on a page have in common stay out of the
// record, if they are longer than 2 bytes; not with wal_level logical, not on
// another page.
func TestCommonParts(t *testing.T) {
	s := func(s string) datum.Value { return datum.Value{Bytes: []byte(s)} }
	for _, c := range []struct {
		old, new string
		saved    int
	}{
		// The data: 4 bytes of a number, 1 of header, the text.
		{"abcdefgh", "abcdefgh", 13 - 2},         // all of it is a prefix
		{"abcdefgh", "abcdefgX", 12 - 2},         // a prefix
		{"abcdefgh", "Xbcdefgh", 5 - 2 + 7 - 2},  // both
		{"abcdefgh", "XbcdefYh", 5 - 2},          // a suffix of 1 does not count
		{"abcdefgh", "XbcdeYgh", 5 - 2},          // nor one of 2
		{"abcdefgh", "XbcdYfgh", 5 - 2 + 3 - 2},  // 3 bytes do
		{"abcdefgh", "abcdefghi", 4 - 2},         // the header differs
		{"abcdefgh", "Zabcdefgh", 4 - 2 + 8 - 2}, // a suffix only
		{"", "a", 4 - 2},
	} {
		want := 24 + 20 + 2 + 3 + 14 + 5 + 1 + 4 + 1 + len(c.new) - c.saved
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, text}})
		h.tx(func() { h.insert(num(7), s(c.old)) })
		h.take()
		h.tx(func() { h.update(at(0, 1), num(7), s(c.new)) })
		var typ string
		var block, length int
		scan(h.records[1], &typ, &block, &length)
		if length != want {
			t.Errorf("%q to %q: %s of %d bytes, expected %d", c.old, c.new, typ, length, want)
		}
	}
}

// LockShared is what the report of a conflict does.
func TestLockShared(t *testing.T) {
	h := full(t)
	h.begin()
	h.LockShared(at(0, 1))
	if got := h.take(); got != "LOCK 0 54" {
		t.Errorf("records %s", got)
	}
	h.abort()
	h.tx(func() { h.update(at(0, 1), num(1), pad(1000)) })
	if h.Counters.Locks != 2 {
		t.Errorf("%d locks, expected 2", h.Counters.Locks)
	}
}

// Rows and RowsBefore count without scanning what a scan would pass.
func TestRowsBefore(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Indexed: []int{0}})
	h.tx(func() {
		for i := range 60 {
			h.insert(num(int64(i)), pad(700))
		}
	})
	h.CountRows()
	compare := func() {
		t.Helper()
		n := int64(0)
		for tid := range h.Scan {
			if got := h.RowsBefore(tid); got != n {
				t.Fatalf("%d rows before %v, expected %d", got, tid, n)
			}
			n++
		}
		if got := h.Rows(); got != n {
			t.Fatalf("%d rows, expected %d", got, n)
		}
	}
	compare()
	h.tx(func() {
		for i := range 5 {
			h.delete(at(i, 1+i))
			h.update(at(i, 6), num(int64(-i)), pad(700))
		}
		compare()
		h.insert(num(1000), pad(700))
	})
	compare()
	h.begin()
	h.delete(at(5, 1))
	h.insert(num(1000), pad(700))
	h.abort()
	h.CountRows()
	compare()
	// A scan that begins in the middle goes round.
	var first, last, n = at(0, 0), at(0, 0), 0
	h.ScanFrom(3, func(tid storageTID) bool {
		if n == 0 {
			first = tid
		}
		last = tid
		n++
		return true
	})
	if first.Block != 3 || last.Block != 2 || int64(n) != h.Rows() {
		t.Errorf("a scan from page 3 goes from %v to %v, %d rows of %d", first, last, n, h.Rows())
	}
}

// After VACUUM dead line pointers are unused and taken again, the lowest first; a
// page that it emptied is like a new one.
func TestAfterVacuum(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
	h.tx(func() {
		for i := range 24 {
			h.insert(num(int64(i)), pad(1000)) // eight on a page
		}
	})
	h.tx(func() {
		for _, off := range []int{2, 3, 6} {
			h.delete(at(0, off))
		}
		for off := 1; off <= 8; off++ {
			h.delete(at(1, off))
		}
	})
	s := h.VacuumBegin(heap.VacuumOptions{Memory: 64 << 10}, true)
	if !h.VacuumNext(s) || len(s.Dead) != 11 {
		t.Fatalf("%d dead items", len(s.Dead))
	}
	h.VacuumDead(s)
	if h.VacuumNext(s) {
		t.Fatal("a second pass")
	}
	h.VacuumEnd(s)
	if got, want := h.lines(0), "1000 unused unused 1000 1000 unused 1000 1000"; got != want {
		t.Errorf("line pointers %s, expected %s", got, want)
	}
	// The array is cut, but one line pointer stays (PageTruncateLinePointerArray).
	if got := h.lines(1); got != "unused" {
		t.Errorf("line pointers %s, expected one that is unused", got)
	}
	h.take()
	var tids []string
	h.tx(func() {
		for i := range 5 {
			tids = append(tids, h.insert(num(int64(100+i)), pad(1000)).String())
		}
	})
	want := "[(0,2) (0,3) (0,6) (1,1) (1,2)]"
	if got := fmt.Sprint(tids); got != want {
		t.Errorf("rows went to %s, expected %s", got, want)
	}
	// 24 + 20 + 2 + 3 + 3, then 5 + 977.
	if got, want := h.take(), "INSERT 0 1034, INSERT 0 1034, INSERT 0 1034, INSERT+INIT 1 1034, INSERT 1 1034"; got != want {
		t.Errorf("records %s, expected %s", got, want)
	}
}
