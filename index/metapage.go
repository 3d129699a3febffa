package index

// The metapage, after nbtpage.c (_bt_initmetapage and _bt_set_cleanup_info).

import (
	"encoding/binary"
	"math"

	"applysim/wal"
	"applysim/wal/storage"
)

// The metapage. Source: REL_18_1, src/include/access/nbtree.h (BTMetaPageData).
const (
	btreeMagic     = 0x053162
	btreeVersion   = 4
	sizeOfMetadata = 48
	btpMeta        = 1 << 3 // BTP_META
)

// metapage is the metapage as wal.Page.
type metapage struct{ t *BTree }

// LogInit logs the initialization fork of an index that was just emptied: its metapage,
// which has no LSN yet.
func (t *BTree) LogInit(log *wal.Log, rel wal.RelID) {
	lsn := t.metaLSN
	t.metaLSN = 0
	log.NewPageFork(rel, wal.ForkInit, 0, metapage{t})
	t.metaLSN = lsn
}

// Hole begins after the metadata.
func (m metapage) Hole() (lower, upper int) {
	return storage.PageHeaderSize + sizeOfMetadata, storage.PageSize - specialSize
}

// Bytes writes the page as it is on disk, checksum left out.
func (m metapage) Bytes(dst *[storage.PageSize]byte) {
	t := m.t
	*dst = [storage.PageSize]byte{}
	lower, upper := m.Hole()
	storage.PutPageHeader(dst, t.log.PageLSN(t.metaLSN), 0, lower, upper, upper, 0)
	le := binary.LittleEndian
	d := dst[storage.PageHeaderSize:]
	le.PutUint32(d[0:], btreeMagic)
	le.PutUint32(d[4:], btreeVersion)
	if len(t.pages) > 1 {
		le.PutUint32(d[8:], uint32(t.root))
		le.PutUint32(d[12:], uint32(t.pages[t.root].level))
		le.PutUint32(d[16:], uint32(t.fastRoot))
		le.PutUint32(d[20:], uint32(t.fastLevel))
	}
	le.PutUint32(d[24:], uint32(t.unrecycled)) // btm_last_cleanup_num_delpages
	le.PutUint64(d[32:], math.Float64bits(-1)) // btm_last_cleanup_num_heap_tuples, which is not used any more
	if t.equalImage {
		d[40] = 1
	}
	le.PutUint16(dst[upper+12:], btpMeta)
}
