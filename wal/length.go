package wal

// Parts is what a record is made of, as far as its length goes. Sizes are in
// bytes.
type Parts struct {
	MainData  int  // main data
	BlockRefs int  // block references, all to one relation
	BlockData int  // data of all block references together
	Origin    bool // carries the replication origin
}

// Sizes of a record's headers. Sources: REL_18_1,
// src/include/access/xlogrecord.h (XLogRecord, XLogRecordBlockHeader,
// XLogRecordDataHeaderShort and Long) and xloginsert.c.
const (
	recordHeader      = 24
	blockHeader       = 4
	relFileLocator    = 12
	blockNumber       = 4
	dataHeaderShort   = 2
	dataHeaderLong    = 5
	dataHeaderLimit   = 255
	replicationOrigin = 3
)

// Length returns a record's length in bytes (xl_tot_len): what pg_walinspect
// calls record_length and pg_stat_wal sums up, alignment and page headers left
// out. The first block reference names the relation, further ones only say
// that it is the same.
func (p Parts) Length() int {
	n := recordHeader + p.BlockData + p.MainData
	if p.BlockRefs > 0 {
		n += p.BlockRefs*(blockHeader+blockNumber) + relFileLocator
	}
	if p.Origin {
		n += replicationOrigin
	}
	switch {
	case p.MainData > dataHeaderLimit:
		n += dataHeaderLong
	case p.MainData > 0:
		n += dataHeaderShort
	}
	return n
}

// ExtraBlockRef is what one more reference to a block of the same relation
// adds to a record, in bytes.
const ExtraBlockRef = blockHeader + blockNumber

// PageImages is the length of a record that consists of images of n pages of one
// relation, so many bytes in all (XLOG_FPI).
func PageImages(n, images int) int {
	return Parts{BlockRefs: n, BlockData: n*imageHeader + images}.Length()
}
