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
