package cost

import (
	"strings"

	"applysim/model/pgtype"
)

// Place is a part of the apply worker. callgrind counts the functions that make it
// up, so that its terms can be fitted apart from all others.
type Place uint8

// The parts.
const (
	Loop           Place = iota // receiving messages: LogicalRepApplyLoop
	Dispatch                    // apply_dispatch and what has no place of its own below it
	Read                        // logicalrep_read_insert, _update and _delete
	Parse                       // input and receive functions
	OpenIndex                   // ExecOpenIndices
	HeapInsert                  // heap_insert
	HeapUpdate                  // heap_update
	HeapDelete                  // heap_delete
	LockRow                     // heap_lock_tuple
	Prune                       // heap_page_prune_opt
	IndexEntry                  // ExecInsertIndexTuples, what goes into the index aside
	IndexInsert                 // btinsert
	Lookup                      // RelationFindReplTupleByIndex
	SeqScan                     // RelationFindReplTupleSeq
	Equal                       // tuples_equal
	Commit                      // CommitTransactionCommand
	RouteSetUp                  // ExecSetupPartitionTupleRouting
	Route                       // ExecFindPartition, opening indexes aside
	PartitionCheck              // ExecPartitionCheck
	numPlaces      int   = iota
)

// Class is a class of work whose instructions take about the same time each.
type Class uint8

// The classes.
const (
	Executor   Class = iota // receiving, parsing, executor, transactions
	Storage                 // B-trees, heap pages, WAL
	Scan                    // sequential scans
	NumClasses int   = iota
)

// String names the class.
func (c Class) String() string {
	return [...]string{"executor and parsing", "B-tree and heap", "scans and pruning"}[c]
}

// classOf is the class of the work in a place.
func (p Place) class() Class {
	switch p {
	case HeapInsert, HeapUpdate, HeapDelete, LockRow, IndexInsert, Lookup:
		return Storage
	case SeqScan, Equal, Prune:
		return Scan
	}
	return Executor
}

// accessMethodPrefix begins the terms of what indexes of other access methods than btree and
// BRIN do; their prices are those of accessmethod.Prices.
const accessMethodPrefix = "access method "

// firstPrefix begins the terms of what is done once for a table, an index or a type.
const firstPrefix = "first touch: "

// The terms. What each counts is written where Measure adds it.
const (
	termMessage        = "receive and dispatch a message"
	termMessageByte    = "receive a byte"
	termRelation       = "read a relation message"
	termTransaction    = "begin and end a transaction"
	termWriting        = "commit a transaction that wrote"
	termTuple          = "read a row of a message"
	termPrepare        = "prepare a transaction"
	termFinishPrepared = "finish a prepared transaction"
	termXID            = "assign a transaction id"
	termTupleColumn    = "read a column of a message"
	termTupleNull      = "read a NULL of a message"
	termTupleByte      = "read a byte of a message"
	termColdPage       = "come to another page than the last"
	termStart          = "start a worker"
	termSpool          = "spool a change"
	termSpoolByte      = "spool a byte"
	termGenerated      = "compute a generated column"
	termCheck          = "evaluate a CHECK constraint"
	termMakeNode       = "prepare a node of a constraint or generated column"
	termMakeToken      = "read a word of a constraint or generated column"
	termFold           = "evaluate constants in a constraint or generated column"

	termLookUpText   = "look up an input function"
	termLookUpBinary = "look up a receive function"
	termCallInput    = "call an input or receive function"
	termNull         = "store a NULL"
	termJSONNumber   = "parse a number in JSON"
	termTailByte     = "verify a single byte"
	termLongRead     = "read a byte of a long value"
	termLongParse    = "parse a byte of a long value"
	termLongForm     = "form a byte of a long value"
	termZeroForm     = "clear a byte for a long row"
	termWideByte     = "verify a byte that is not ASCII"
	termDomainNode   = "check a domain: a node"
	termDomain       = "check a domain"

	firstTable  = firstPrefix + "table"
	firstColumn = firstPrefix + "column"

	firstPartition = firstPrefix + "partition"
	firstKey       = firstPrefix + "column of a partition key"
	firstQual      = firstPrefix + "constraint of a partition"
	firstEntry     = firstPrefix + "update or delete of a partition"
	firstSibling   = firstPrefix + "bound of a partition"
	firstLevel     = firstPrefix + "partitioned table in between"

	firstIndex   = firstPrefix + "index"
	firstClass   = firstPrefix + "operator class"
	firstText    = firstPrefix + "input function"
	firstEqual   = firstPrefix + "equality operator of "
	firstLookup  = firstPrefix + "lookup by an index"
	firstBinary  = firstPrefix + "receive function"
	firstUpdate  = firstPrefix + "update"
	firstIndexed = firstPrefix + "columns of an index, for updates"

	termChange         = "set up the executor for a change"
	termLockTable      = "lock a table"
	termKeptLock       = "release a lock that a lookup kept"
	termUpdate         = "set up an update"
	termDelete         = "set up a delete"
	termSlotColumn     = "fill a slot's column"
	termMergeColumn    = "merge an update's column"
	termRoute          = "pass a change on to a partition"
	termRouteSetUp     = "set up the way to partitions"
	termReleaseLock    = "release a lock on a partition"
	termRouted         = "find a partition: a level"
	termRouteColumn    = "find a partition: a column"
	termRouteBound     = "find a partition: compare with a bound"
	termRouteHash      = "find a partition: hash a column"
	termConvert        = "bring a column into a partition's order"
	termPartitionCheck = "check a partition's constraint"
	termPartitionNode  = "check a partition's constraint: a node"
	termTruncate       = "truncate tables"
	termNewFile        = "truncate: make an index anew"
	termDefault        = "compute a default"

	termOpenIndex       = "open an index"
	termCloseIndex      = "close an index"
	termOpenIndexColumn = "describe an index column"
	termLockIndex       = "lock an index"
	termUnlockIndex     = "unlock an index"
	termOpenUnique      = "prepare conflict detection on an index"
	termCopyNode        = "copy a node of an index's expressions"

	termHeapInsert    = "insert a row"
	termHeapUpdate    = "update a row"
	termLeavePage     = "move a row to another page"
	termIndexedColumn = "compare an indexed column for HOT"
	termOldKey        = "log an old key"
	termHeapDelete    = "delete a row"
	termLock          = "lock a row"
	termRelock        = "lock a row again"
	termFormTuple     = "form a tuple"
	termFormColumn    = "form a tuple's column"
	termFormByte      = "form a tuple's byte"
	termNewPage       = "add a page"
	termFSM           = "search the free space map"
	termPruneCheck    = "look whether to prune a page"
	termPrune         = "prune a page"
	termPruneLine     = "prune: look at a line pointer"
	termPruneTuple    = "prune: look at a version"
	termStatusFetch   = "look another transaction's end up in pg_xact"
	termUnhinted      = "look up how a transaction ended that is not on disk"
	termStatus        = "look up how a transaction ended"
	termPruneStatus   = "prune: look up how a transaction ended"
	termPruned        = "prune: remove a version"
	termToastRow      = "toast a row"
	termCompressByte  = "pglz: note a byte"
	termCompressRun   = "pglz: begin"
	termCompressList  = "pglz: empty a list"
	termCompressToken = "pglz: look for a match"
	termCompressDrop  = "pglz: drop an older byte"
	termCompressProbe = "pglz: look at a match"
	termCompressSame  = "pglz: compare a byte"
	termUntoast       = "delete a value out of line"
	termDetoast       = "read a value out of line"
	termToastValue    = "move a value out of line"
	termChunk         = "store a chunk"

	termIndexLookup  = "look a row up by an index"
	termLookupKey    = "look a row up by an index: a key column"
	termFetch        = "follow an index entry to the heap"
	termFetchPage    = "come to a heap page"
	termChainStep    = "look at a version of a HOT chain"
	termSearch       = "search an index for equal entries"
	termSearchKey    = "search an index for equal entries: a key column"
	termScanItem     = "look at an equal index entry"
	termScanKey      = "look at an equal index entry: a key column"
	termScanTID      = "note a heap TID"
	termKill         = "mark an index entry as dead"
	termKillLook     = "look for an index entry to mark as dead"
	termSeqLookup    = "look a row up by a scan"
	termSeqPage      = "scan a page"
	termSeqRow       = "scan a row version"
	termSeqDead      = "scan a dead row version"
	termFetchAgain   = "go on after a row that differs"
	termCompareRow   = "compare a row with the one looked for"
	termFindEqual    = "compare rows: look an equality operator up"
	termDeform       = "compare: deform a column"
	termDeformBehind = "compare: deform a column behind one of varying length"

	termIndexEntry     = "prepare an index entry"
	termExpression     = "evaluate an index expression"
	termExpressionByte = "evaluate an index expression: a byte"
	termPredicate      = "evaluate an index predicate"
	termPrepareNode    = "prepare a node of an index's expressions"
	termBRINSummary    = "BRIN: compare with a summary"
	termBRINUpdate     = "BRIN: change a summary"
	termBRIN           = "insert into a BRIN index"
	termIndexInsert    = "insert into a B-tree"
	termKeyTuple       = "form an index tuple"
	termKeyColumn      = "form an index column"
	termKeyByte        = "form an index byte"
	termDescent        = "begin a descent"
	termLevel          = "descend a level"
	termComparison     = "compare with an index entry"
	termLaterColumn    = "compare: reach a later column"
	termCompareTID     = "compare heap TIDs"
	termUnique         = "check uniqueness"
	termUniqueFetch    = "check uniqueness: look at a row"
	termItemMoved      = "move a line pointer"
	termSplit          = "split a page"
	termSplitItem      = "split: copy an entry"
	termSplitLocation  = "split: choose where"
	termSplitPoint     = "split: weigh a split point"
	termDedup          = "deduplicate a page"
	termDedupItem      = "deduplicate: look at an entry"
	termDedupColumn    = "deduplicate: compare a column"
	termDedupString    = "deduplicate: compare a value of varying length"
	termBottomUpColumn = "bottom-up: compare a column"
	termBottomUpString = "bottom-up: compare a value of varying length"
	termDedupTID       = "deduplicate: copy a heap TID"
	termDedupMerged    = "deduplicate: merge an entry"
	termPostingSplit   = "split a posting list"
	termSimpleDelete   = "delete dead index entries"
	termBottomUp       = "bottom-up deletion pass"
	termDeletedTID     = "delete an index entry"
	termBottomUpItem   = "bottom-up: look at an entry"
	termCandidate      = "deletion: sort a heap TID"
	termCheckedTID     = "deletion: follow a heap TID"
	termDeletePage     = "deletion: visit a heap page"

	termRecord     = "write a WAL record"
	termRecordByte = "write a byte of WAL"
	termImage      = "write a full-page image"
	termImageByte  = "write a byte of a full-page image"
	termImagePGLZ  = "compress a full-page image by pglz"
	termImageLZ4   = "compress a full-page image by lz4"
	termImageZSTD  = "compress a full-page image by zstd"
)

// ParseTerm is the term of reading a type's values in a format, text or binary:
// by value and by byte.
func ParseTerm(typ, format, unit string) string {
	return "parse " + typ + " (" + format + "), by " + unit
}

// compareTerm is the term of comparing a key column by an operator class.
func compareTerm(class string) string { return "compare " + comparison(class) }

// comparison names the family of comparison functions of an operator class: those
// in one family take about the same number of instructions.
func comparison(class string) string {
	switch class {
	case "int2_ops", "int4_ops", "int8_ops", "oid_ops", "date_ops", "time_ops", "timestamp_ops", "timestamptz_ops",
		"bool_ops", "char_ops", "money_ops", "enum_ops", "float4_ops", "float8_ops", "xid8_ops", "pg_lsn_ops":
		return "numbers"
	case "text_ops", "varchar_ops", "bpchar_ops", "name_ops", "text_pattern_ops", "varchar_pattern_ops", "bpchar_pattern_ops", "bytea_ops":
		return "strings"
	case "numeric_ops":
		return "numerics"
	case "uuid_ops", "macaddr_ops", "macaddr8_ops", "bit_ops", "varbit_ops", "interval_ops", "timetz_ops", "inet_ops", "cidr_ops", "tid_ops":
		return "fixed-length values"
	}
	return "other values"
}

// varies says whether values of an operator class's type differ in length: they take
// longer to compare byte by byte.
func varies(class string) bool {
	switch comparison(class) {
	case "numbers", "fixed-length values":
		return false
	}
	return true
}

// equalityTerm is the term of finding a type's equality operator for the first time:
// it takes longer for types that many others can be cast to.
func equalityTerm(typ string) string { return firstEqual + typ }

// equalTerm is the term of comparing a row's column with the one looked for.
func equalTerm(t *pgtype.Type) string {
	class := ""
	if c := t.OpClass(); c != nil {
		class = c.Name
	}
	return "compare rows: " + comparison(class)
}

// group is the name under which a report sums up a term with those like it.
func group(term string) string {
	if strings.HasPrefix(term, "parse ") {
		// By type and format, values, bytes and elements together.
		name, _, _ := strings.Cut(term, ",")
		return name
	}
	if name, ok := strings.CutPrefix(term, accessMethodPrefix); ok {
		method, _, _ := strings.Cut(name, ":")
		return "insert into " + method + " indexes"
	}
	if strings.HasPrefix(term, firstPrefix) || term == termRelation {
		return "first touches of tables, indexes and types"
	}
	if g, ok := groups[term]; ok {
		return g
	}
	return term
}

// groups sum up terms of one piece of work.
var groups = map[string]string{}

func init() {
	for name, terms := range map[string][]string{
		"receive and read messages":      {termMessage, termMessageByte, termTuple, termTupleColumn, termTupleNull, termTupleByte, termLongRead},
		"look up input functions":        {termLookUpText, termLookUpBinary, termCallInput, termNull, termDomain, termDomainNode, termTailByte, termWideByte, termLongParse},
		"begin and end transactions":     {termTransaction, termWriting, termPrepare, termFinishPrepared, termXID, termLockTable, termKeptLock, termReleaseLock},
		"set up the executor":            {termChange, termUpdate, termDelete, termSlotColumn, termMergeColumn},
		"open and close indexes":         {termOpenIndex, termCloseIndex, termLockIndex, termUnlockIndex, termOpenIndexColumn, termOpenUnique, termCopyNode},
		"form and insert rows":           {termHeapInsert, termFormTuple, termFormColumn, termFormByte, termLongForm, termZeroForm, termNewPage, termFSM},
		"update and delete rows":         {termHeapUpdate, termLeavePage, termIndexedColumn, termOldKey, termHeapDelete, termRelock},
		"look up and lock rows":          {termLock, termIndexLookup, termLookupKey, termFetch, termFetchPage, termFetchAgain, termChainStep, termSearch, termScanItem, termScanKey, termScanTID, termSearchKey, termKill, termKillLook, termStatus, termUnhinted, termStatusFetch},
		"prune pages":                    {termPruneCheck, termPrune, termPruneLine, termPruneTuple, termPruneStatus, termPruned},
		"TOAST":                          {termToastRow, termCompressRun, termCompressList, termCompressToken, termCompressDrop, termCompressByte, termCompressProbe, termCompressSame, termToastValue, termChunk, termUntoast, termDetoast},
		"scan for rows":                  {termSeqLookup, termSeqPage, termSeqRow, termSeqDead, termCompareRow, termFindEqual, termDeform, termDeformBehind},
		"form index entries":             {termIndexEntry, termExpression, termExpressionByte, termPredicate, termPrepareNode, termKeyTuple, termKeyColumn, termKeyByte},
		"descend B-trees":                {termDescent, termLevel, termComparison, termLaterColumn, termCompareTID},
		"insert into B-trees":            {termIndexInsert, termUnique, termUniqueFetch, termItemMoved, termPostingSplit, termBRIN, termBRINSummary, termBRINUpdate},
		"split B-tree pages":             {termSplit, termSplitItem, termSplitLocation, termSplitPoint},
		"deduplicate and delete entries": {termDedup, termDedupItem, termDedupColumn, termDedupString, termBottomUpColumn, termBottomUpString, termDedupTID, termDedupMerged, termSimpleDelete, termBottomUp, termBottomUpItem, termCandidate, termCheckedTID, termDeletedTID, termDeletePage},
		"write WAL":                      {termRecord, termRecordByte, termImage, termImageByte, termImagePGLZ, termImageLZ4, termImageZSTD},
		"constraints and expressions":    {termCheck, termMakeNode, termMakeToken, termFold, termGenerated, termDefault, termRoute, termRouteSetUp, termRouted, termRouteColumn, termRouteBound, termRouteHash, termConvert, termPartitionCheck, termPartitionNode},
		"spool":                          {termSpool, termSpoolByte},
	} {
		for _, t := range terms {
			groups[t] = name
		}
	}
	for _, class := range []string{"int8_ops", "text_ops", "numeric_ops", "uuid_ops", ""} {
		groups[compareTerm(class)] = "descend B-trees"
		groups["compare rows: "+comparison(class)] = "scan for rows"
	}
}
