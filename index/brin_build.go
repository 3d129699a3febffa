package index

// Building a BRIN index on the rows of a table, after brin.c (brinbuild).

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// Build builds the index anew on a table that is blocks long: each range of its pages
// gets its summary, also the last one, which may not be complete. scan calls its argument
// with all rows in physical order. No record is written, and the index's pages count as written to disk long ago.
func (x *BRIN) Build(blocks int, scan func(row func(tid storage.TID, values []datum.Value) error) error) error {
	if blocks == 0 {
		return nil
	}
	log, rel := x.log, x.rel
	x.log, x.rel = wal.NewLog(wal.Options{}), wal.NoRelation
	defer func() { x.log, x.rel = log, rel }()
	x.ranges, x.maps, x.target = nil, 0, storage.InvalidBlock
	x.blocks = []*brinBlock{newBrinBlock(brinMeta)}
	target := storage.InvalidBlock
	n, summary, empty := 0, x.newSummary(), true
	end := func() error {
		x.put(n, summary, empty, true, &target)
		n, summary, empty = n+1, x.newSummary(), true
		if size := len(x.tuple(n - 1)); size > brinMaxItem {
			return fmt.Errorf("index row size %d exceeds maximum %d", size, brinMaxItem)
		}
		return nil
	}
	if err := scan(func(tid storage.TID, values []datum.Value) error {
		for n < int(tid.Block)/x.pages {
			if err := end(); err != nil {
				return err
			}
		}
		_, err := x.add(summary, &empty, values)
		return err
	}); err != nil {
		return err
	}
	for n <= (blocks-1)/x.pages {
		if err := end(); err != nil {
			return err
		}
	}
	x.Age()
	return nil
}

// Age makes all pages count as written to disk long before the run.
func (x *BRIN) Age() {
	for _, b := range x.blocks {
		b.lsn = 0
	}
	x.fsm.Clean()
}

// PageBytes writes page block as it is on disk, checksum left out.
func (x *BRIN) PageBytes(dst *[storage.PageSize]byte, block storage.BlockNumber) {
	x.blocks[block].Bytes(dst)
}
