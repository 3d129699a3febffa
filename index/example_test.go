package index_test

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// rows is a table whose rows all live.
type rows struct{}

func (rows) Fetch(_ storage.BlockNumber, tid storage.TID) (storage.TID, bool, bool) {
	return tid, true, false
}

func (rows) Vacuumable(storage.TID) bool { return false }
func (rows) NextXID() uint32             { return 700 }
func (rows) Removable(uint32) bool       { return false }

// An index on a column of few values and a unique one, filled by the same rows:
// what deduplication saves.
func Example() {
	log := wal.NewLog(wal.Options{Origin: true})
	newIndex := func(name string, unique bool) *index.BTree {
		return index.NewBTree(index.Options{
			Name: name, Keys: 1, Unique: unique, Fillfactor: 90, Deduplicate: true,
			Columns: []index.Column{{
				Attr:  datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p', NotNull: true},
				Class: opclass.ByName("int4_ops"),
			}},
		}, log, log.Register(name), rows{})
	}
	status, id := newIndex("status", false), newIndex("id", true)
	for n := range 20_000 {
		tid := storage.TID{Block: storage.BlockNumber(n / 100), Offset: storage.OffsetNumber(n%100 + 1)}
		for _, x := range []struct {
			tree  *index.BTree
			value int
		}{{status, n % 3}, {id, n}} {
			if _, err := x.tree.Insert([]datum.Value{{Bits: uint64(x.value)}}, tid, false); err != nil {
				fmt.Println(err)
			}
		}
	}
	for _, t := range []*index.BTree{id, status} {
		s := t.Stats()
		fmt.Printf("%d leaves, %.0f %% full\n", s.LeafPages, s.AvgLeafDensity)
	}
	scan := id.Lookup([]datum.Value{{Bits: 4711}}, nil)
	fmt.Println(scan.Next())
	scan.End()
	// Output:
	// 55 leaves, 89 % full
	// 18 leaves, 91 % full
	// (47,12) true
}
