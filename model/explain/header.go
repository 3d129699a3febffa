package explain

import (
	"encoding/binary"

	"applysim/model/view"
	"applysim/wal"
)

// Bits of a row version's header that the explanation looks at. Source: REL_18_1,
// src/include/access/htup_details.h.
const (
	xmaxKeyShare  = 0x0010 // HEAP_XMAX_KEYSHR_LOCK
	comboCID      = 0x0020 // HEAP_COMBOCID
	xmaxExclusive = 0x0040 // HEAP_XMAX_EXCL_LOCK
	xmaxLockOnly  = 0x0080 // HEAP_XMAX_LOCK_ONLY
	xminCommitted = 0x0100 // HEAP_XMIN_COMMITTED
	xminFrozen    = 0x0300 // HEAP_XMIN_FROZEN
	xmaxCommitted = 0x0400 // HEAP_XMAX_COMMITTED
	xmaxInvalid   = 0x0800 // HEAP_XMAX_INVALID
	xmaxIsMulti   = 0x1000 // HEAP_XMAX_IS_MULTI

	hotUpdated = 0x4000 // HEAP_HOT_UPDATED, in infomask2
	heapOnly   = 0x8000 // HEAP_ONLY_TUPLE
)

// setLSN sets a page's LSN: a record's end is written into the pages that it changes
// only after the record.
func setLSN(p *view.Page, at wal.LSN) {
	binary.LittleEndian.PutUint32(p[0:], uint32(at>>32))
	binary.LittleEndian.PutUint32(p[4:], uint32(at))
}

// lockedByWorker says whether a version is locked by a worker's update or delete that
// has not happened yet.
func lockedByWorker(t *view.HeapTuple, xid uint32) bool {
	const bits = xmaxLockOnly | xmaxExclusive
	return t.Xmax == xid && t.Infomask&(bits|xmaxKeyShare|xmaxInvalid|xmaxIsMulti) == bits
}
