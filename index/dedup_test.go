package index_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"applysim/wal/storage"
)

// items reads a page's line: length and number of TIDs of each data item, "*" behind
// one that is marked dead.
func (x *tester) items(block int) []string {
	var items []string
	f := strings.Split(string(x.tree.AppendPageLine(nil, storage.BlockNumber(block))), "\t")
	for _, s := range strings.Fields(f[5]) {
		// off,(block,offset),length,dead
		parts := strings.Split(s, ",")
		if parts[4] == "-" {
			continue // high key
		}
		offset, _ := strconv.Atoi(strings.TrimSuffix(parts[2], ")"))
		n := 1
		if offset&0x2000 != 0 {
			n = offset & 0x0FFF
		}
		item := fmt.Sprintf("%s/%d", parts[3], n)
		if parts[4] == "true" {
			item += "*"
		}
		items = append(items, item)
	}
	return items
}

// A page of one value: 407 items of 20 bytes fill it. The pass merges as many as
// fit into 1352 bytes: 16 + 6 * 222, aligned; and then the rest.
func TestDedupLimits(t *testing.T) {
	l := &layout{columns: []column{notNull(int4Kind)}}
	x := newTester(t, l, l.options(), profile{keys: 1}, newRandom(1, 0), 10_000)
	insert := func(n int) {
		for range n {
			x.insert([]cell{{n: 5}}, false)
		}
	}
	insert(407)
	if got := x.items(1); len(got) != 407 || x.tree.Counters.DedupPasses != 0 {
		t.Fatalf("%d items after %d passes", len(got), x.tree.Counters.DedupPasses)
	}
	insert(1)
	if got, want := fmt.Sprint(x.items(1)), "[1352/222 1128/185 16/1]"; got != want {
		t.Errorf("items %s, expected %s", got, want)
	}
	c := x.tree.Counters
	if c.DedupPasses != 1 || c.DedupMerged != 405 || c.LeafSplits != 0 {
		t.Errorf("counters %+v", c)
	}
	// 24 + 20 + 2 + 2, two intervals of 4.
	if x.last.Type.String() != "Btree/INSERT_LEAF" {
		t.Errorf("the last record is %v", x.last.Type)
	}
	// In the end six lists, the last one smaller, leave a page that is nearly full
	// when it is split.
	insert(3000)
	x.check()
	got := x.items(1)
	for i, item := range got {
		if i < 5 && item != "1352/222" {
			t.Errorf("items %v: list %d is not full", got, i)
		}
	}
	if len(got) < 6 || x.tree.Stats().AvgLeafDensity < 85 {
		t.Errorf("items %v, leaves %.0f %% full", got, x.tree.Stats().AvgLeafDensity)
	}
}

// Who merges: not unique keys, not types whose equal values differ in bytes, not
// with INCLUDE columns, not if it is switched off.
func TestWhoDeduplicates(t *testing.T) {
	for _, c := range []struct {
		name    string
		columns []column
		include int
		unique  bool
		off     bool
		want    bool
	}{
		{"int4", []column{notNull(int4Kind)}, 0, false, false, true},
		{"int4 with NULLs", []column{nullable(int4Kind)}, 0, false, false, true},
		{"text", []column{notNull(codeKind)}, 0, false, false, true},
		{"int4, text", []column{notNull(int4Kind), notNull(codeKind)}, 0, false, false, true},
		{"deduplicate_items = off", []column{notNull(int4Kind)}, 0, false, true, false},
		{"unique", []column{notNull(int4Kind)}, 0, true, false, false},
		{"numeric", []column{notNull(numericKind)}, 0, false, false, false},
		{"int4, numeric", []column{notNull(int4Kind), notNull(numericKind)}, 0, false, false, false},
		{"float8", []column{notNull(float8Kind)}, 0, false, false, false},
		{"int4 include int8", []column{notNull(int4Kind), notNull(int8Kind)}, 1, false, false, false},
	} {
		l := &layout{name: c.name, columns: c.columns, include: c.include}
		o := l.options()
		o.Unique, o.Deduplicate = c.unique, !c.off
		keys := int64(20)
		if c.unique {
			keys = 1_000_000
		}
		x := newTester(t, l, o, profile{keys: keys, order: map[bool]int{true: 1}[c.unique]}, newRandom(1, 0), 3000)
		for range 3000 {
			x.insert(x.newRow(), false)
		}
		x.check()
		n := x.tree.Counters
		if got := n.DedupPasses > 0; got != c.want || (n.DedupMerged > 0) != c.want {
			t.Errorf("%s: %d passes merged %d items", c.name, n.DedupPasses, n.DedupMerged)
		}
		if n.BottomUpPasses > 0 || n.SimpleDeletes > 0 {
			t.Errorf("%s: deletion passes without anything dead: %+v", c.name, n)
		}
	}
}

// Simple deletion takes along what leads to the same heap pages and to the new
// row's, if it is dead, and nothing else.
func TestSimpleDeletion(t *testing.T) {
	l := &layout{columns: []column{notNull(int8Kind)}}
	o := l.options()
	o.Deduplicate = false
	x := newTester(t, l, o, profile{keys: 1}, newRandom(1, 0), 1000)
	x.blind = false
	for n := range 407 {
		x.insert([]cell{{n: int64(n)}}, false) // 40 rows on a heap page: pages 0 to 10
	}
	for _, tid := range []storage.TID{
		{Block: 2, Offset: 3}, {Block: 2, Offset: 9}, // the first one is marked below, the second is found on the way
		{Block: 5, Offset: 1},  // dead, but nobody comes there
		{Block: 10, Offset: 2}, // on the new row's page
	} {
		x.heap.states[tid] = gone
	}
	scan := x.tree.Lookup(x.l.values([]cell{{n: 82}}), nil) // (2,3)
	if _, ok := scan.Next(); ok {
		t.Fatal("found a dead row")
	}
	scan.End()
	x.insert([]cell{{n: 1000}}, false) // (10,8)
	// 24 + 20 + 2 + 9, three items of 2 bytes.
	if c := x.tree.Counters; c.SimpleDeletes != 1 || c.DeletedTIDs != 3 || c.LeafSplits != 0 {
		t.Errorf("counters %+v", c)
	}
	x.check()
	x.oracle.Ascend(func(e entry) bool {
		if x.heap.states[e.tid] == gone && e.tid.Block != 5 {
			t.Errorf("%v is still there", e.tid)
		}
		return true
	})
}

// Bottom-up deletion of a non-unique index needs the executor's hint; it looks at
// the pages that promise most, and gives up after one that brings nothing.
func TestBottomUp(t *testing.T) {
	for _, c := range []struct {
		name      string
		unchanged bool
		dead      bool // whether the versions that were replaced are
		passes    int64
		pages     int64 // heap pages visited
		deleted   int64
	}{
		// The first heap page has 40 dead versions: 24 bytes each are more than the
		// target of 512, so that the whole page is done and no other.
		{"hint", true, true, 1, 1, 40},
		{"no hint", false, true, 0, 0, 0},
		{"nothing dead", true, false, 1, 1, 0},
	} {
		l := &layout{columns: []column{notNull(int8Kind)}}
		o := l.options()
		o.Deduplicate = false
		x := newTester(t, l, o, profile{keys: 1}, newRandom(1, 0), 1000)
		x.blind = false
		// Two versions of each of 200 rows, the old ones on heap pages 0 to 4, and
		// seven rows more: 407 items.
		for n := range 407 {
			if n >= 200 && c.dead {
				x.heap.states[storage.TID{Block: storage.BlockNumber((n - 200) % 200 / perBlock), Offset: storage.OffsetNumber((n-200)%perBlock + 1)}] = gone
			}
			x.insert([]cell{{n: int64(n % 200)}}, false)
		}
		before := x.tree.Counters
		if before.LeafSplits > 0 || before.BottomUpPasses > 0 {
			t.Fatalf("%s: too early: %+v", c.name, before)
		}
		x.insert([]cell{{n: 77}}, c.unchanged)
		n := x.tree.Counters
		if got := n.BottomUpPasses - before.BottomUpPasses; got != c.passes {
			t.Errorf("%s: %d passes, expected %d", c.name, got, c.passes)
		}
		if got := n.HeapPages - before.HeapPages; got != c.pages {
			t.Errorf("%s: %d heap pages visited, expected %d", c.name, got, c.pages)
		}
		if got := n.DeletedTIDs - before.DeletedTIDs; got != c.deleted {
			t.Errorf("%s: %d entries deleted, expected %d", c.name, got, c.deleted)
		}
		if got := n.LeafSplits - before.LeafSplits; (got == 0) != (c.deleted > 0) {
			t.Errorf("%s: %d splits", c.name, got)
		}
		x.check()
	}
}
