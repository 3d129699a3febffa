package heap_test

import (
	"fmt"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// Two updates of a row: one finds room on its page and needs no new index entry,
// the other does not.
func Example() {
	var log *wal.Log
	log = wal.NewLog(wal.Options{Origin: true, Sink: func(r *wal.Record) {
		fmt.Println(r.Type, "block", r.Block, "-", r.Length, "bytes")
	}})
	transactions := &heap.Transactions{Current: 700, Next: 701}
	table := heap.NewTable(heap.Options{
		Name: "notes", Fillfactor: 100,
		Attrs: []datum.Attr{
			{Len: 4, Align: 4, ByVal: true, Storage: 'p'}, // id integer
			{Len: -1, Align: 4, Storage: 'p'},             // body text, storage plain
		},
		Indexed: []int{0},
	}, log, log.Register("notes"), transactions)

	row := func(length int) []datum.Value {
		return []datum.Value{{Bits: 1}, {Bytes: make([]byte, length)}}
	}
	first, err := table.Insert(row(2000), 0)
	if err != nil {
		fmt.Println(err)
	}
	for command, length := range []int{4000, 3000} {
		tid, _, _ := table.Fetch(storage.InvalidBlock, first)
		table.Lock(tid)
		u, err := table.Update(tid, row(length), uint32(command+1))
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println("the new version is at", u.TID, "HOT:", u.HOT)
	}
	// Output:
	// Heap/INSERT+INIT block 0 - 2066 bytes
	// Heap/LOCK block 0 - 54 bytes
	// Heap/LOCK block 0 - 54 bytes
	// Heap/HOT_UPDATE block 0 - 2075 bytes
	// the new version is at (0,2) HOT: true
	// Heap/LOCK block 0 - 54 bytes
	// Heap/LOCK block 0 - 54 bytes
	// Heap/UPDATE+INIT block 1 - 3085 bytes
	// the new version is at (1,1) HOT: false
}
