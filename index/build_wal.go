package index

// What building an index writes to the log, after bulk_write.c (smgr_bulk_flush) and
// xloginsert.c (log_newpages).

import (
	"applysim/wal"
	"applysim/wal/storage"
)

// pagesPerRecord is MAX_PENDING_WRITES: so many pages are logged together. Source: REL_18_1,
// src/backend/storage/smgr/bulk_write.c.
const pagesPerRecord = 32

// BuildWAL is what the build of an index of this size and content writes: images of all
// its pages, the metapage included, and nothing else (XLOG/FPI). Images are counted as they
// are without wal_compression. It is meant for an index that was built and not changed since.
func (t *BTree) BuildWAL() wal.Count {
	var c wal.Count
	n, bytes := 0, 0
	flush := func() {
		if n > 0 {
			c.Add(wal.Count{Records: 1, Bytes: int64(wal.PageImages(n, bytes)), FPIBytes: int64(bytes)})
		}
		n, bytes = 0, 0
	}
	for b := range t.Pages() {
		hole := 0
		if b == 0 {
			lower, upper := metapage{t}.Hole()
			hole = upper - lower
		} else {
			hole = t.exactFree(t.pages[b])
		}
		n++
		bytes += storage.PageSize - hole
		if n == pagesPerRecord {
			flush()
		}
	}
	flush()
	return c
}
