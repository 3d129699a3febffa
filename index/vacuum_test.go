package index_test

import (
	"testing"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// forgotten is a heap whose transactions all have forgotten by the time VACUUM ends.
type forgotten struct{ liveHeap }

func (forgotten) Removable(uint32) bool { return true }

// TestPendingPages recycles the pages that a VACUUM has deleted at its end, as many as
// work_mem had room for. With those that are left over, the metapage says that another
// VACUUM should look for them.
func TestPendingPages(t *testing.T) {
	for _, x := range []struct {
		workMem uint64
		left    bool // some pages were not recycled
	}{{4 << 20, false}, {16 * 300, false}, {16 * 290, true}, {0, true}} {
		var records []wal.RecordType
		log := wal.NewLog(wal.Options{Sink: func(r *wal.Record) { records = append(records, r.Type) }})
		tree := index.NewBTree(index.Options{
			Name: "t", Keys: 1, Unique: true, Fillfactor: 90,
			Columns: []index.Column{{Attr: datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p', NotNull: true}, Class: opclass.ByName("int4_ops")}},
		}, log, log.Register("t"), forgotten{})
		for n := range 110_000 {
			tid := storage.TID{Block: storage.BlockNumber(n / 100), Offset: storage.OffsetNumber(n%100 + 1)}
			if _, err := tree.Insert([]datum.Value{{Bits: uint64(n)}}, tid, false); err != nil {
				t.Fatal(err)
			}
		}
		// 366 entries on a leaf: all of some 299 leaves but the last go.
		tree.BulkDelete(func(tid storage.TID) bool { return tid.Block < 1095 }, x.workMem)
		records = records[:0]
		tree.VacuumCleanup()
		if err := tree.Check(); err != nil {
			t.Fatal(err)
		}
		if left := len(records) > 0 && records[0] == wal.BtreeMetaCleanup; left != x.left {
			t.Errorf("work_mem %d: records %v of the cleanup, pages left over %v expected", x.workMem, records, x.left)
		}
	}
}

// dying is a heap of rows that are all dead. It notes which ones it is asked about.
type dying struct {
	liveHeap
	asked []storage.TID
}

func (*dying) Fetch(_ storage.BlockNumber, tid storage.TID) (storage.TID, bool, bool) {
	return storage.TID{}, false, true
}

func (h *dying) Vacuumable(tid storage.TID) bool {
	h.asked = append(h.asked, tid)
	return true
}

// TestDeletionVisitsPagesInOrder fills a leaf with descending keys of ascending rows and
// marks one as dead: what else leads to its page is looked at in the order of the heap.
func TestDeletionVisitsPagesInOrder(t *testing.T) {
	heap := &dying{}
	log := wal.NewLog(wal.Options{})
	tree := index.NewBTree(index.Options{
		Name: "t", Keys: 1, Fillfactor: 90,
		Columns: []index.Column{{Attr: datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p', NotNull: true}, Class: opclass.ByName("int4_ops")}},
	}, log, log.Register("t"), heap)
	insert := func(n int) {
		tid := storage.TID{Block: storage.BlockNumber(n / 40), Offset: storage.OffsetNumber(n%40 + 1)}
		if _, err := tree.Insert([]datum.Value{{Bits: uint64(1000 - n)}}, tid, false); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 407 { // as many as fit on a page
		insert(n)
	}
	scan := tree.Lookup([]datum.Value{{Bits: 900}}, nil) // row 100, on page 2
	scan.Next()
	scan.End()
	insert(407) // on page 10
	if len(heap.asked) != 39+7 {
		t.Errorf("%d rows looked at, expected those of two pages but the one that is marked", len(heap.asked))
	}
	for i := 1; i < len(heap.asked); i++ {
		if !heap.asked[i-1].Less(heap.asked[i]) {
			t.Fatalf("%v after %v", heap.asked[i], heap.asked[i-1])
		}
	}
}
