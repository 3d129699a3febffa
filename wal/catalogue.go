package wal

// RecordType is one kind of WAL record, as pg_walinspect names it: resource
// manager and record type. Heap/INSERT+INIT is a type of its own.
type RecordType uint8

// The record types that the changes of an apply worker or of a backend bring about.
const (
	HeapInsert RecordType = iota
	HeapInsertInit
	HeapUpdate
	HeapUpdateInit
	HeapHotUpdate
	HeapHotUpdateInit
	HeapDelete
	HeapLock
	HeapTruncate
	Heap2PruneOnAccess
	Heap2PruneVacuumScan
	Heap2PruneVacuumCleanup
	Heap2Prune
	Heap2FreezePage
	Heap2Vacuum
	Heap2Visible
	BtreeInsertLeaf
	BtreeInsertUpper
	BtreeInsertPost
	BtreeSplitL
	BtreeSplitR
	BtreeDedup
	BtreeDelete
	BtreeNewRoot
	BtreeVacuum
	BtreeMarkPageHalfDead
	BtreeUnlinkPage
	BtreeUnlinkPageMeta
	BtreeReusePage
	BtreeMetaCleanup
	BtreeInsertMeta
	BrinSamepageUpdate
	BrinCreateIndex
	BrinRevmapExtend
	BrinInsert
	BrinInsertInit
	BrinUpdate
	BrinUpdateInit
	TransactionCommit
	TransactionAbort
	TransactionPrepare
	TransactionCommitPrepared
	TransactionAbortPrepared
	SequenceLog
	XLOGFPI
	XLOGFPIForHint
	XLOGNextOID
	XLOGCheckpointRedo
	XLOGCheckpointOnline
	StandbyRunningXacts
	StandbyLock
	StorageTruncate
	CLOGZeroPage
	CommitTSZeroPage
	MultiXactCreateID
	MultiXactZeroOffPage
	MultiXactZeroMemPage
	HeapConfirm
	Heap2MultiInsert
	Heap2MultiInsertInit
	LogicalMessage

	// Those of access methods that are estimated, without a fixed length (Estimate).
	GinInsert
	GinSplit
	GinCreatePTree
	GinUpdateMetaPage
	GinInsertListPage
	GinDeleteListPage
	GinVacuumPage
	GinVacuumDataLeafPage
	GistPageUpdate
	GistPageSplit
	GistDelete
	SpgistAddLeaf
	SpgistPicksplit
	SpgistVacuumLeaf
	HashInsert
	HashAddOvflPage
	HashSplitAllocatePage
	HashSplitPage
	HashSplitComplete
	HashSplitCleanup
	HashMovePageContents
	HashSqueezePage
	HashDelete
	HashUpdateMetaPage
	GenericGeneric

	// NumRecordTypes is the number of record types.
	NumRecordTypes int = iota
)

// kind is one row of the catalogue.
type kind struct {
	manager string // resource manager, as pg_walinspect prints it
	name    string // record type, likewise
	main    int    // bytes of main data that every such record has
	blocks  int    // block references that every such record has; all of one relation
	origin  bool   // carries the replication origin when the worker writes it
}

// Sizes of the structs that the records begin with. Sources: REL_18_1,
// src/include/access/heapam_xlog.h, nbtxlog.h, xact.h, clog.h.
const (
	// SizeOfHeapHeader is SizeOfHeapHeader: t_infomask2, t_infomask and t_hoff,
	// which stand for a tuple's 23-byte header in the record.
	SizeOfHeapHeader = 5
	// SizeOfBtreeMetadata is sizeof(xl_btree_metadata).
	SizeOfBtreeMetadata = 28
	// SizeOfDedupInterval is sizeof(BTDedupInterval).
	SizeOfDedupInterval = 4
	// SizeOfPostingOffset is the posting list offset that INSERT_POST carries.
	SizeOfPostingOffset = 2

	// SizeOfDeletedOffset is what BtreeDelete carries for each deleted item, and
	// for each TID of a posting list that shrinks; SizeOfBtreeUpdate is
	// SizeOfBtreeUpdate, the number of those TIDs.
	SizeOfDeletedOffset = 2
	SizeOfBtreeUpdate   = 2

	// SizeOfMultiXactMember is sizeof(MultiXactMember).
	SizeOfMultiXactMember = 8
	// SizeOfXinfo is sizeof(xl_xact_xinfo): the bits that say which parts follow.
	SizeOfXinfo = 4
	// SizeOfXID is sizeof(TransactionId).
	SizeOfXID = 4

	sizeOfHeapInsert         = 3
	sizeOfHeapUpdate         = 14
	sizeOfHeapDelete         = 8
	sizeOfHeapLock           = 8
	sizeOfHeapTruncate       = 12
	sizeOfHeapConfirm        = 2
	sizeOfHeapMultiInsert    = 4
	sizeOfLogicalMessage     = 24
	sizeOfHeapPrune          = 2
	sizeOfHeapPruneBefore17  = 9 // of REL_16_STABLE, as those of the next two
	sizeOfHeapFreezePage     = 7
	sizeOfHeapVacuum         = 2
	sizeOfHeapVisible        = 5
	sizeOfBtreeDelete        = 9
	sizeOfBtreeVacuum        = 4
	sizeOfMarkHalfDead       = 20
	sizeOfUnlinkPage         = 36
	sizeOfReusePage          = 25
	sizeOfBtreeInsert        = 2
	sizeOfBtreeSplit         = 10
	sizeOfBtreeDedup         = 2
	sizeOfBtreeNewroot       = 8
	sizeOfZeroPage           = 8
	sizeOfXactCommit         = 8
	sizeOfMultiXactCreate    = 12
	sizeOfSubxactCount       = 4
	sizeOfTopXID             = 5
	sizeOfBrinSamepageUpdate = 2
	sizeOfBrinCreateIndex    = 6
	sizeOfBrinRevmapExtend   = 4
	sizeOfBrinInsert         = 10
	sizeOfBrinUpdate         = 14
	sizeOfSequenceLog        = 53
	// a prepared transaction's state file begins with this (TwoPhaseFileHeader)
	sizeOfPrepareHeader = 72
	sizeOfFileCount     = 4
	sizeOfFileLocator   = 12
	sizeOfXactDbinfo    = 8
	sizeOfXactOrigin    = 16
)

// catalogue lists the record types. What differs from record to record (block
// data, optional block references, optional parts of a commit) is told by
// whoever writes one.
var catalogue = [NumRecordTypes]kind{
	// block 0: the heap page, with the tuple
	HeapInsert:     {"Heap", "INSERT", sizeOfHeapInsert, 1, true},
	HeapInsertInit: {"Heap", "INSERT+INIT", sizeOfHeapInsert, 1, true},
	// block 0: the new version's page, with the tuple; block 1: the old
	// version's page if it is another one
	HeapUpdate:        {"Heap", "UPDATE", sizeOfHeapUpdate, 1, true},
	HeapUpdateInit:    {"Heap", "UPDATE+INIT", sizeOfHeapUpdate, 1, true},
	HeapHotUpdate:     {"Heap", "HOT_UPDATE", sizeOfHeapUpdate, 1, true},
	HeapHotUpdateInit: {"Heap", "HOT_UPDATE+INIT", sizeOfHeapUpdate, 1, true},
	// block 0: the page
	HeapDelete: {"Heap", "DELETE", sizeOfHeapDelete, 1, true},
	HeapLock:   {"Heap", "LOCK", sizeOfHeapLock, 1, false},
	// no block: the relations' object ids
	HeapTruncate: {"Heap", "TRUNCATE", sizeOfHeapTruncate, 0, true},
	// block 0: the page
	HeapConfirm: {"Heap", "HEAP_CONFIRM", sizeOfHeapConfirm, 1, true},
	// block 0: the page, with the tuples
	Heap2MultiInsert:     {"Heap2", "MULTI_INSERT", sizeOfHeapMultiInsert, 1, true},
	Heap2MultiInsertInit: {"Heap2", "MULTI_INSERT+INIT", sizeOfHeapMultiInsert, 1, true},
	// the main data ends with prefix and content
	LogicalMessage: {"LogicalMessage", "MESSAGE", sizeOfLogicalMessage, 0, true},
	// block 0: the page, with the line pointers that change
	Heap2PruneOnAccess:      {"Heap2", "PRUNE_ON_ACCESS", sizeOfHeapPrune, 1, false},
	Heap2PruneVacuumScan:    {"Heap2", "PRUNE_VACUUM_SCAN", sizeOfHeapPrune, 1, false},
	Heap2PruneVacuumCleanup: {"Heap2", "PRUNE_VACUUM_CLEANUP", sizeOfHeapPrune, 1, false},
	// before 17: block 0: the page, with line pointers or with freeze plans
	Heap2Prune:      {"Heap2", "PRUNE", sizeOfHeapPruneBefore17, 1, false},
	Heap2FreezePage: {"Heap2", "FREEZE_PAGE", sizeOfHeapFreezePage, 1, false},
	Heap2Vacuum:     {"Heap2", "VACUUM", sizeOfHeapVacuum, 1, false},
	// block 0: the page of the visibility map; block 1: the heap page
	Heap2Visible: {"Heap2", "VISIBLE", sizeOfHeapVisible, 2, false},
	// block 0: the page, with the new item
	BtreeInsertLeaf: {"Btree", "INSERT_LEAF", sizeOfBtreeInsert, 1, false},
	BtreeInsertPost: {"Btree", "INSERT_POST", sizeOfBtreeInsert, 1, false},
	// block 0: the page, with the new item; block 1: the left child
	BtreeInsertUpper: {"Btree", "INSERT_UPPER", sizeOfBtreeInsert, 2, false},
	// block 0: the left page, with the new item if it went there and the high
	// key; block 1: the right page, with all its items; then the old right
	// sibling and, above the leaves, the left child
	BtreeSplitL: {"Btree", "SPLIT_L", sizeOfBtreeSplit, 2, false},
	BtreeSplitR: {"Btree", "SPLIT_R", sizeOfBtreeSplit, 2, false},
	// block 0: the page, with the intervals that were merged
	BtreeDedup: {"Btree", "DEDUP", sizeOfBtreeDedup, 1, false},
	// block 0: the page, with the items that go and the posting lists that shrink
	BtreeDelete: {"Btree", "DELETE", sizeOfBtreeDelete, 1, false},
	// block 0: the root, with its items; block 2: the metapage, with its data;
	// block 1, the left child, only where a root was split
	BtreeNewRoot: {"Btree", "NEWROOT", sizeOfBtreeNewroot, 2, false},
	// block 0: the page, with the items that go and the posting lists that shrink
	BtreeVacuum: {"Btree", "VACUUM", sizeOfBtreeVacuum, 1, false},
	// block 0: the leaf; block 1: the parent of the part of the tree that goes
	BtreeMarkPageHalfDead: {"Btree", "MARK_PAGE_HALFDEAD", sizeOfMarkHalfDead, 2, false},
	// block 0: the page; block 2: its right sibling; block 1, the left one, and
	// block 3, the leaf that began it, only where there is one; block 4: the
	// metapage, with its data
	BtreeUnlinkPage:     {"Btree", "UNLINK_PAGE", sizeOfUnlinkPage, 2, false},
	BtreeUnlinkPageMeta: {"Btree", "UNLINK_PAGE_META", sizeOfUnlinkPage, 3, false},
	// no block: standbys are told whose snapshots may still need the page
	BtreeReusePage: {"Btree", "REUSE_PAGE", sizeOfReusePage, 0, false},
	// block 0: the metapage, with its data
	BtreeMetaCleanup: {"Btree", "META_CLEANUP", 0, 1, false},
	// like INSERT_UPPER, and block 2: the metapage, with its data
	BtreeInsertMeta: {"Btree", "INSERT_META", sizeOfBtreeInsert, 3, false},

	// block 0: the page, with the summary
	BrinSamepageUpdate: {"BRIN", "SAMEPAGE_UPDATE", sizeOfBrinSamepageUpdate, 1, false},
	// block 0: the metapage
	BrinCreateIndex: {"BRIN", "CREATE_INDEX", sizeOfBrinCreateIndex, 1, false},
	// block 0: the metapage; block 1: the new page of the range map
	BrinRevmapExtend: {"BRIN", "REVMAP_EXTEND", sizeOfBrinRevmapExtend, 2, false},
	// block 0: the page, with the summary; block 1: the page of the range map
	BrinInsert:     {"BRIN", "INSERT", sizeOfBrinInsert, 2, false},
	BrinInsertInit: {"BRIN", "INSERT+INIT", sizeOfBrinInsert, 2, false},
	// block 0: the new page, with the summary; block 1: the page of the range map;
	// block 2: the old page
	BrinUpdate:     {"BRIN", "UPDATE", sizeOfBrinUpdate, 3, false},
	BrinUpdateInit: {"BRIN", "UPDATE+INIT", sizeOfBrinUpdate, 3, false},

	TransactionCommit: {"Transaction", "COMMIT", sizeOfXactCommit, 0, true},
	// the main data is the state file
	TransactionPrepare: {"Transaction", "PREPARE", sizeOfPrepareHeader, 0, true},
	// like COMMIT and ABORT, with the prepared transaction's id
	TransactionCommitPrepared: {"Transaction", "COMMIT_PREPARED", sizeOfXactCommit, 0, true},
	TransactionAbortPrepared:  {"Transaction", "ABORT_PREPARED", sizeOfXactCommit, 0, true},
	// block 0: the sequence's page; the main data is its row
	SequenceLog: {"Sequence", "LOG", sizeOfSequenceLog, 1, false},
	// block 0: the page, of whose image the record consists
	XLOGFPI: {"XLOG", "FPI", 0, 1, false},
	// block 0: the page, of whose image the record consists
	XLOGFPIForHint: {"XLOG", "FPI_FOR_HINT", 0, 1, false},
	// so many object ids are given out before the next one
	XLOGNextOID: {"XLOG", "NEXTOID", 4, 0, false},
	// written by a checkpoint
	XLOGCheckpointRedo:   {"XLOG", "CHECKPOINT_REDO", 4, 0, false},
	XLOGCheckpointOnline: {"XLOG", "CHECKPOINT_ONLINE", 88, 0, false},
	StandbyRunningXacts:  {"Standby", "RUNNING_XACTS", 24, 0, false},

	// a lock that standbys must take too: a count, then xid, database and relation
	StandbyLock: {"Standby", "LOCK", 4 + 12, 0, false},
	// the length that stays, the file and flags
	StorageTruncate: {"Storage", "TRUNCATE", 4 + sizeOfFileLocator + 4, 0, false},

	TransactionAbort: {"Transaction", "ABORT", sizeOfXactCommit, 0, false},
	CLOGZeroPage:     {"CLOG", "ZEROPAGE", sizeOfZeroPage, 0, false},
	CommitTSZeroPage: {"CommitTs", "ZEROPAGE", sizeOfZeroPage, 0, false},
	// the main data ends with the members
	MultiXactCreateID:    {"MultiXact", "CREATE_ID", sizeOfMultiXactCreate, 0, false},
	MultiXactZeroOffPage: {"MultiXact", "ZERO_OFF_PAGE", sizeOfZeroPage, 0, false},
	MultiXactZeroMemPage: {"MultiXact", "ZERO_MEM_PAGE", sizeOfZeroPage, 0, false},

	GinInsert:             {"Gin", "INSERT", 0, 1, false},
	GinSplit:              {"Gin", "SPLIT", 0, 2, false},
	GinCreatePTree:        {"Gin", "CREATE_PTREE", 0, 1, false},
	GinUpdateMetaPage:     {"Gin", "UPDATE_META_PAGE", 0, 1, false},
	GinInsertListPage:     {"Gin", "INSERT_LISTPAGE", 0, 1, false},
	GinDeleteListPage:     {"Gin", "DELETE_LISTPAGE", 0, 1, false},
	GinVacuumPage:         {"Gin", "VACUUM_PAGE", 0, 1, false},
	GinVacuumDataLeafPage: {"Gin", "VACUUM_DATA_LEAF_PAGE", 0, 1, false},
	GistPageUpdate:        {"Gist", "PAGE_UPDATE", 0, 1, false},
	GistPageSplit:         {"Gist", "PAGE_SPLIT", 0, 2, false},
	GistDelete:            {"Gist", "DELETE", 0, 1, false},
	SpgistAddLeaf:         {"SPGist", "ADD_LEAF", 0, 1, false},
	SpgistPicksplit:       {"SPGist", "PICKSPLIT", 0, 2, false},
	SpgistVacuumLeaf:      {"SPGist", "VACUUM_LEAF", 0, 1, false},
	HashInsert:            {"Hash", "INSERT", 0, 2, false},
	HashAddOvflPage:       {"Hash", "ADD_OVFL_PAGE", 0, 3, false},
	HashSplitAllocatePage: {"Hash", "SPLIT_ALLOCATE_PAGE", 0, 3, false},
	HashSplitPage:         {"Hash", "SPLIT_PAGE", 0, 1, false},
	HashSplitComplete:     {"Hash", "SPLIT_COMPLETE", 0, 2, false},
	HashSplitCleanup:      {"Hash", "SPLIT_CLEANUP", 0, 1, false},
	HashMovePageContents:  {"Hash", "MOVE_PAGE_CONTENTS", 0, 2, false},
	HashSqueezePage:       {"Hash", "SQUEEZE_PAGE", 0, 3, false},
	HashDelete:            {"Hash", "DELETE", 0, 1, false},
	HashUpdateMetaPage:    {"Hash", "UPDATE_META_PAGE", 0, 1, false},
	GenericGeneric:        {"Generic", "Generic", 0, 1, false},
}

// Background says whether records of the type belong to no change: a checkpoint
// writes them, or VACUUM when it gives pages back.
func (t RecordType) Background() bool {
	switch t {
	case XLOGCheckpointRedo, XLOGCheckpointOnline, StandbyRunningXacts, StandbyLock, StorageTruncate:
		return true
	}
	return false
}

// Cleaning says whether records of the type take versions from a page or freeze them.
func (t RecordType) Cleaning() bool { return t >= Heap2PruneOnAccess && t <= Heap2Vacuum }

// String gives the type's full name, as in Btree/INSERT_LEAF.
func (t RecordType) String() string { return t.Manager() + "/" + t.Name() }

// Manager is the resource manager's name.
func (t RecordType) Manager() string { return catalogue[t].manager }

// Name is the record type's name within its resource manager.
func (t RecordType) Name() string { return catalogue[t].name }

// CommitMainData returns the extra main data of a COMMIT, in bytes, beyond the
// time: the parts of xl_xact_commit that a transaction of the apply worker
// carries. databaseInfo is true at wal_level logical.
func CommitMainData(databaseInfo, origin bool) int {
	n := 0
	if databaseInfo {
		n += sizeOfXactDbinfo
	}
	if origin {
		n += sizeOfXactOrigin
	}
	if n > 0 {
		n += SizeOfXinfo
	}
	return n
}

// AbortMainData returns the extra data of an ABORT that a worker writes with its
// replication origin.
func AbortMainData() int { return CommitMainData(false, true) + replicationOrigin }

// Subtransactions is what a COMMIT carries of n subtransactions, in bytes.
func Subtransactions(n int) int {
	if n == 0 {
		return 0
	}
	return sizeOfSubxactCount + SizeOfXID*n
}

// DroppedFiles is what a COMMIT carries of n files that go with it, in bytes.
func DroppedFiles(n int) int { return sizeOfFileCount + FileLocators(n) }

// AbortedFiles is what an ABORT carries of n new files that go with it, in bytes.
func AbortedFiles(n int) int { return SizeOfXinfo + DroppedFiles(n) }

// FileLocators is the length of n files' names, in bytes (RelFileLocator).
func FileLocators(n int) int { return sizeOfFileLocator * n }
