package heap

import "applysim/wal/storage"

// Bits of a row version's header. Source: REL_18_1,
// src/include/access/htup_details.h.
const (
	hasNull       = 0x0001                      // HEAP_HASNULL
	hasVarWidth   = 0x0002                      // HEAP_HASVARWIDTH
	hasExternal   = 0x0004                      // HEAP_HASEXTERNAL
	xmaxKeyShare  = 0x0010                      // HEAP_XMAX_KEYSHR_LOCK
	comboCID      = 0x0020                      // HEAP_COMBOCID
	xmaxExclusive = 0x0040                      // HEAP_XMAX_EXCL_LOCK
	xmaxLockOnly  = 0x0080                      // HEAP_XMAX_LOCK_ONLY
	xminCommitted = 0x0100                      // HEAP_XMIN_COMMITTED
	xminInvalid   = 0x0200                      // HEAP_XMIN_INVALID
	xmaxCommitted = 0x0400                      // HEAP_XMAX_COMMITTED
	xmaxInvalid   = 0x0800                      // HEAP_XMAX_INVALID
	xmaxIsMulti   = 0x1000                      // HEAP_XMAX_IS_MULTI
	updatedRow    = 0x2000                      // HEAP_UPDATED
	xminFrozen    = xminCommitted | xminInvalid // HEAP_XMIN_FROZEN

	xmaxBits = xmaxCommitted | xmaxInvalid | xmaxIsMulti | xmaxKeyShare | xmaxExclusive | xmaxLockOnly

	keysUpdated = 0x2000 // HEAP_KEYS_UPDATED, in infomask2
	hotUpdated  = 0x4000 // HEAP_HOT_UPDATED
	heapOnly    = 0x8000 // HEAP_ONLY_TUPLE

	infomask2Bits = keysUpdated | hotUpdated | heapOnly
)

// header is the part of a row version's header that changes, and what says
// which transactions made and ended it.
type header struct {
	xmin, xmax uint32
	cid        uint32
	block      storage.BlockNumber  // t_ctid: where the next version of the row is,
	offset     storage.OffsetNumber // or this one if there is none
	place      uint16               // lp_off of its line pointer; what is left of it when the version is gone means nothing
	infomask   uint16
	// infomask2 has, where the number of columns would be, the root of a heap-only
	// version: the item where its chain begins.
	infomask2 uint16
}

// root is the item where a heap-only version's chain begins.
func (h *header) root() storage.OffsetNumber {
	return storage.OffsetNumber(h.infomask2 &^ infomask2Bits)
}

// isHeapOnly makes the version one of the chain that begins at item root.
func (h *header) isHeapOnly(root storage.OffsetNumber) {
	h.infomask2 = h.infomask2&infomask2Bits | heapOnly | uint16(root)
}

// ctid is t_ctid.
func (h *header) ctid() storage.TID { return storage.TID{Block: h.block, Offset: h.offset} }

// setCTID sets t_ctid.
func (h *header) setCTID(tid storage.TID) { h.block, h.offset = tid.Block, tid.Offset }

// aborted says whether the hint bits show that the inserter has aborted.
func (h *header) aborted() bool { return h.infomask&xminFrozen == xminInvalid }

// frozenXmin says whether the inserter is older than any.
func (h *header) frozenXmin() bool { return h.infomask&xminFrozen == xminFrozen || h.xmin <= FrozenXID }

// lockOnly says whether xmax only locks the version.
func (h *header) lockOnly() bool { return h.infomask&xmaxLockOnly != 0 }

// header returns the header of item off, which may be changed.
func (p *page) header(off storage.OffsetNumber) *header {
	if p.headers == nil {
		p.materialize()
	}
	return &p.headers[off-1]
}

// materialize makes the headers of all items of a page whose versions were only
// inserted so far.
func (p *page) materialize() {
	if p.headers != nil {
		return
	}
	// In whole pieces, for one that is outgrown goes to another page, unless the page is full.
	n := len(p.items)
	room := (n/moreLines + 1) * moreLines
	if n > 0 {
		mean := (storage.PageSize - int(p.upper)) / n
		room = min(room, n+int(p.upper-p.lower)/(max(mean, minTupleAligned)+storage.LinePointerSize))
	}
	p.headers = make([]header, len(p.items), room)
	r := 0
	upper := storage.PageSize
	for i, lp := range p.items {
		upper -= storage.MaxAlign(lp.length())
		o := storage.OffsetNumber(i + 1)
		for r+1 < len(p.runs) && p.runs[r+1].first <= o {
			r++
		}
		run := &p.runs[r]
		cid := run.cid
		if !run.same {
			cid += uint32(o - run.first)
		}
		p.headers[i] = header{
			xmin: run.xmin, cid: cid, block: p.block, offset: o,
			infomask: xmaxInvalid | uint16(run.hints)<<8, place: uint16(upper),
		}
	}
	p.runs = nil
}

// setXmax ends or locks a version in the name of xid.
func (h *header) setXmax(xid uint32, infomask, infomask2 uint16) {
	h.infomask = h.infomask&^xmaxBits | infomask
	h.infomask2 = h.infomask2&^keysUpdated | infomask2
	h.xmax = xid
}
