package index

import (
	"applysim/heap/datum"
	"applysim/heap/fsm"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// Layout of B-tree pages. Sources: REL_18_1, src/include/access/nbtree.h and
// src/include/access/itup.h.
const (
	// pageSpace is a page less its header and special space: 8152 bytes.
	pageSpace = storage.PageSize - storage.PageHeaderSize - specialSize
	// MaxItemSize is BTMaxItemSize: the longest item, in bytes.
	MaxItemSize = 2704
	// maxPostingSize limits the posting lists that deduplication makes: half of
	// MaxItemSize.
	maxPostingSize = MaxItemSize / 2
	// NonLeafFillfactor is BTREE_NONLEAF_FILLFACTOR, in percent.
	NonLeafFillfactor = 70
	// SingleValueFillfactor is BTREE_SINGLEVAL_FILLFACTOR, in percent.
	SingleValueFillfactor = 96
	// fastPathMinLevel is BTREE_FASTPATH_MIN_LEVEL: the least height of the root
	// at which PostgreSQL remembers the rightmost leaf.
	fastPathMinLevel = 2

	specialSize     = 16  // MAXALIGN(sizeof(BTPageOpaqueData))
	tupleHeaderSize = 8   // sizeof(IndexTupleData)
	nullBitmapSize  = 8   // sizeof(IndexAttributeBitMapData), aligned
	pivotTIDSize    = 8   // MAXALIGN(sizeof(ItemPointerData))
	maxColumns      = 32  // INDEX_MAX_KEYS
	indexTarget     = 510 // TOAST_INDEX_TARGET: a longer value, header included, is compressed
)

// Column is one column of an index.
type Column struct {
	Attr       datum.Attr
	Class      *opclass.Class // nil for an INCLUDE column
	Desc       bool
	NullsFirst bool
	// Compression is the method by which long values are compressed.
	Compression datum.Method
}

// Options describe an index.
type Options struct {
	Name             string
	Columns          []Column // key columns, then INCLUDE columns
	Keys             int      // how many of them are key columns
	Unique           bool
	NullsNotDistinct bool
	// Refuses says that an entry whose key a live row has is not inserted: the command
	// fails (UNIQUE_CHECK_YES). Else it is inserted, and the caller is told.
	Refuses     bool
	Fillfactor  int  // percent, for leaf pages; 90 is PostgreSQL's default
	Deduplicate bool // deduplicate_items; on is PostgreSQL's default
	// Before18 says that the server is older than 18: its pgstatindex takes room for
	// one more line pointer from each page's free space.
	Before18 bool
}

// Heap is what an index asks of its table.
type Heap interface {
	// Fetch follows a heap TID to a version that a dirty snapshot sees. If there
	// is none, allDead says whether the chain is dead to everybody. stay is the
	// heap page that the scan stays on, InvalidBlock if none.
	Fetch(stay storage.BlockNumber, tid storage.TID) (found storage.TID, ok, allDead bool)
	// Vacuumable says whether every version that a heap TID leads to is dead to
	// everybody.
	Vacuumable(tid storage.TID) bool
	// NextXID is the next transaction id to be given out.
	NextXID() uint32
	// Removable says whether nobody can see any more what was there before a
	// transaction.
	Removable(xid uint32) bool
}

// Counters count an index's work; they only grow.
type Counters struct {
	Inserts        int64 // items inserted into leaves
	Descents       int64 // insertions' searches that began at the root
	FastPath       int64 // searches that PostgreSQL would have begun at the remembered rightmost leaf
	Levels         int64 // pages visited by the descents
	KeyBytes       int64 // bytes of items formed
	ItemsMoved     int64 // line pointers moved to make room
	UniqueChecks   int64
	UniqueFetches  int64 // heap TIDs that they followed to the heap
	LeafSplits     int64
	InternalSplits int64
	SplitItems     int64 // items on the pages that were split
	SplitPoints    int64 // legal split points weighed
	NewRoots       int64
	DedupPasses    int64 // deduplication passes, successful or not
	DedupItems     int64 // items that they looked at
	DedupTIDs      int64 // and heap TIDs in them
	DedupMerged    int64 // items merged away
	PostingSplits  int64
	Lookups        int64 // scans for equal keys
	LookupTIDs     int64 // heap TIDs that they returned: idx_tup_read
	LookupRows     int64 // and row versions found there: idx_tup_fetch
	LookupLevels   int64 // pages visited by their descents
	ScanItems      int64 // heap TIDs that scans noted: those of all equal items of each page
	ScanEntries    int64 // and the items that hold them
	Killed         int64 // items marked dead
	KillLooks      int64 // items that scans looked at without finding the one to mark
	SimpleDeletes  int64 // simple deletion passes
	BottomUpPasses int64 // bottom-up deletion passes
	BottomUpItems  int64 // items that they looked at
	Candidates     int64 // heap TIDs that deletion passes sorted by heap page
	CheckedTIDs    int64 // those of them that were followed to the heap
	DeletedItems   int64 // items that they deleted
	DeletedTIDs    int64 // heap TIDs that they deleted, those of whole items included
	HeapPages      int64 // heap pages that they visited
	OtherLeaves    int64 // times that an insertion or a scan came to another leaf than the one before it
}

// BTree is a B-tree index.
type BTree struct {
	Counters Counters

	probe datum.Value // a value of an item that is compared
	opts  Options
	log   *wal.Log
	rel   wal.RelID
	heap  Heap
	pages []*page // by block; block 0, the metapage, is nil
	root  storage.BlockNumber

	bounds     bounds
	rightmost  storage.BlockNumber           // rightmost leaf, kept up to date by splits
	guessed    *[guesses]storage.BlockNumber // leaves where keys went, see findLeaf
	remembered bool                          // PostgreSQL would remember the rightmost leaf now

	equalImage bool // every key column's class says that equal values have equal bytes
	dedup      bool // deduplication is allowed
	plan       plan
	plainSize  int // size of an item whose abbreviated key is whole, bytes
	attrs      []datum.Attr
	steps      []rowStep // how a row's key is made, if InsertRow can; see form_row.go
	stepFlags  abbrev    // bits that are set in all such keys

	loaded    *built // what the index was built on; nil if it was not
	checksums bool   // pages that were built have checksums

	fsm fsm.Map // pages that can be used again

	vacuum     vacuumStats
	unrecycled int                 // btm_last_cleanup_num_delpages
	fastLevel  int                 // btm_fastlevel
	fastRoot   storage.BlockNumber // btm_fastroot
	metaLSN    wal.LSN             // the metapage's LSN

	// Work space of one insertion.
	key      key
	lastLeaf *page // where the last insertion or scan came to
	stack    []step
	split    splitFinder
	pending  pending
	scratch  page
	right    page          // the right page of a split
	memory   storage.Arena // of items: a part of the log's
	spare    []arrays      // of leaves that got posting lists
	packed   []byte        // what giveUp has packed
	unpacked int           // leaves that were packed and then touched
	enlarged int           // leaves that got more memory after that, or after their first items
	looked   []item        // of the leaf that look returned last
	blocks   [len(leafBlocks)][]*storage.Block
	tail     sorter
	dels     deletion
	scan     Scan

	compressor datum.Compressor

	// Comparisons of insertions and of lookups, and where those at hand are counted.
	inserting, seeking counting
	merging, deleting  equalities
	counting           *Comparisons  // of the search at hand,
	sought             *key          // and what it looks for
	countAll           bool          // see CountAll
	counted            []datum.Value // work space
	stored             []datum.Value
	plainValues        []datum.Value // of the key being inserted, if one was compressed
}

// NewBTree returns an empty index: a metapage and no root. Its records go to
// log as relation rel; heap is its table.
func NewBTree(o Options, log *wal.Log, rel wal.RelID, heap Heap) *BTree {
	t := &BTree{opts: o, log: log, memory: log.Memory().Part(), rel: rel, heap: heap, pages: []*page{nil}}
	t.equalImage = o.Keys == len(o.Columns)
	for i, c := range o.Columns {
		t.attrs = append(t.attrs, c.Attr)
		if i < o.Keys && !c.Class.EqualImage {
			t.equalImage = false
		}
	}
	t.dedup = t.equalImage && o.Deduplicate
	t.inserting.reset(o.Keys)
	t.seeking.reset(o.Keys)
	t.fsm.Changed = t.dirtyFSM
	t.planAbbreviation()
	if t.plan.wide {
		t.scratch.los, t.right.los = []uint64{}, []uint64{}
	}
	return t
}

type fsmPage = fsm.Page
