package wal_test

import (
	"fmt"

	"applysim/wal"
)

// What a transaction that inserts one row of a table with a primary key writes.
func Example() {
	var log *wal.Log
	log = wal.NewLog(wal.Options{
		Start: 0x1972CB8, Origin: true,
		Sink: func(r *wal.Record) { fmt.Println(r.Start, r.Type, log.Name(r.Relation), r.Length) },
	})
	table, pkey := log.Register("marker"), log.Register("marker_pkey")
	log.Insert(wal.HeapInsert, table, 0, wal.SizeOfHeapHeader+5) // a row of one integer
	log.Insert(wal.BtreeInsertLeaf, pkey, 1, 16)                 // its index entry
	log.InsertPlain(wal.TransactionCommit, wal.CommitMainData(true, true))

	total := log.Total()
	fmt.Printf("%d records of %d bytes, the next one at %v\n", total.Records, total.Bytes, log.InsertLSN())
	// Output:
	// 0/1972CB8 Heap/INSERT marker 62
	// 0/1972CF8 Btree/INSERT_LEAF marker_pkey 64
	// 0/1972D38 Transaction/COMMIT - 65
	// 3 records of 191 bytes, the next one at 0/1972D80
}
