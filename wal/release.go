package wal

import "applysim/wal/storage"

// What older major versions write in another way. Sources: heapam_xlog.h, nbtxlog.h
// and xlog.c (CreateCheckPoint) of REL_15_STABLE to REL_18_1.

const (
	// A checkpoint begins with a record of its own, and one record stands for pruning,
	// for freezing and for VACUUM's second pass.
	releaseCheckpointRedo = 17
	// The numbers of pages of transaction states and MultiXacts have 8 bytes, not 4.
	releaseLongPageNumbers = 17
	// Records that standbys may have to wait for say whether logical decoding needs the
	// table as a catalog.
	releaseCatalogFlag = 16
	// New pages of maps are made in memory.
	releaseMapsInMemory = 16
)

const (
	sizeOfCatalogFlag    = 1 // isCatalogRel
	sizeOfPageNumberHalf = 4
)

// MapChecksum is the checksum that a page of a free space or visibility map shows as
// long as it is in memory. Before 16 such pages were written when they were made and then
// read, so that they have that of an empty page; else it is 0 (fsm_extend, vm_extend).
func (l *Log) MapChecksum(block storage.BlockNumber) uint16 {
	if !l.mapChecksums {
		return 0
	}
	var page [storage.PageSize]byte
	storage.PutPageHeader(&page, 0, 0, storage.PageHeaderSize, storage.PageSize, storage.PageSize, 0)
	return storage.Checksum(&page, block)
}

// before says whether the server is older than a major version.
func (o *Options) before(major int) bool { return o.ServerMajor != 0 && o.ServerMajor < major }

// mainData is the main data that every record of a type has.
func (o *Options) mainData(t RecordType) int {
	n := catalogue[t].main
	switch t {
	case Heap2Prune, Heap2FreezePage, BtreeDelete, BtreeReusePage:
		if o.before(releaseCatalogFlag) {
			n -= sizeOfCatalogFlag
		}
	case CLOGZeroPage, CommitTSZeroPage, MultiXactZeroOffPage, MultiXactZeroMemPage:
		if o.before(releaseLongPageNumbers) {
			n -= sizeOfPageNumberHalf
		}
	}
	return n
}
