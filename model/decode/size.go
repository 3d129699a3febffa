package decode

// Sizes in memory of what the reorder buffer keeps: ReorderBufferChangeSize in
// src/backend/replication/logical/reorderbuffer.c. The structs' sizes are those of a
// 64-bit server.

import (
	"fmt"
	"strconv"
	"strings"
)

// Sizes, in bytes. Source: REL_18_1.
const (
	changeSize       = 80  // sizeof(ReorderBufferChange), replication/reorderbuffer.h
	tupleSize        = 24  // sizeof(HeapTupleData), access/htup.h
	snapshotSize     = 104 // sizeof(SnapshotData), utils/snapshot.h
	invalidationSize = 16  // sizeof(SharedInvalidationMessage), storage/sinval.h
	oidSize          = 4   // sizeof(Oid), and of a TransactionId
	lengthSize       = 8   // sizeof(Size)
)

// snapshotSizeBefore17 is sizeof(SnapshotData) in 14 to 16, which kept when the
// snapshot was taken and at which LSN for old_snapshot_threshold.
const snapshotSizeBefore17 = 120

// maxChangesInMemory is how many changes of one transaction are read back from disk
// at a time, and before 13, which knew no logical_decoding_work_mem, how many of
// them it took until they went there. Source: reorderbuffer.c, max_changes_in_memory.
const maxChangesInMemory = 4096

// RowSize is the size of a row change. old and row are the lengths of its tuples with
// their headers, 0 for one that the record does not have.
func RowSize(old, row int) int {
	size := changeSize
	for _, n := range []int{old, row} {
		if n > 0 {
			size += tupleSize + n
		}
	}
	return size
}

// TruncateSize is the size of a TRUNCATE of so many tables.
func TruncateSize(tables int) int { return changeSize + oidSize*tables }

// MessageSize is the size of what pg_logical_emit_message has written.
func MessageSize(prefix, content int) int { return changeSize + prefix + 1 + content + 2*lengthSize }

// InvalidationSize is the size of a command's invalidations.
func InvalidationSize(messages int) int { return changeSize + invalidationSize*messages }

// CommandSize is the size of a new command id, which every catalog row that a
// transaction writes gives; and of a change of a catalog row itself.
func CommandSize() int { return changeSize }

// SnapshotSize is the size of a snapshot for catalogs, which holds the transactions
// that have changed some.
func SnapshotSize(transactions, major int) int {
	size := snapshotSize
	if major >= 14 && major < 17 {
		size = snapshotSizeBefore17
	}
	return changeSize + size + oidSize*transactions
}

// ParseMemory reads a setting such as logical_decoding_work_mem, whose unit is kB.
func ParseMemory(s string) (int64, error) {
	text := strings.TrimSpace(s)
	digits := strings.TrimRight(text, "kMGTB ")
	n, err := strconv.ParseInt(digits, 10, 64)
	factor, ok := map[string]int64{"": 1 << 10, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}[strings.TrimSpace(text[len(digits):])]
	if err != nil || !ok || n < 0 || n > 1<<40 || n*factor < 64<<10 || n*factor/factor != n || n*factor > 1<<41 {
		return 0, fmt.Errorf("found %q, expected a number of kB, or one with a unit, of 64 kB to 2 TB", s)
	}
	return n * factor, nil
}
