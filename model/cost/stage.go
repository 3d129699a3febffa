package cost

import (
	"strings"

	"applysim/wal"
)

// Stage is a step on a change's way through the worker.
type Stage uint8

// The stages, about in their order.
const (
	StageBegin    Stage = iota // the transaction begins
	StageRelation              // a table is described
	StageReceive               // the change is received and decoded
	StageMap                   // the local table is found, locked and opened
	StageValues                // values are parsed, defaults and generated columns computed
	StageRoute                 // the partition is found
	StageOpen                  // indexes are opened and closed
	StageLookup                // the row is looked for
	StageFetch                 // index entries are followed to the heap: by a lookup or by a unique check
	StagePrune                 // a page is pruned, by either
	StageLock                  // the row is locked
	StageDecide                // an update decides whether it is HOT
	StageToast                 // long values are compressed or moved out of line
	StageWrite                 // the row version is written
	StageIndex                 // an index gets its entry
	StageCommit                // the transaction ends
	StageWAL                   // a record is written
)

// Stage is when the work is done.
func (i Item) Stage() Stage {
	if s, ok := stages[i.Term]; ok {
		return s
	}
	if strings.HasPrefix(i.Term, firstEqual) {
		return StageLookup
	}
	if strings.HasPrefix(i.Term, firstPrefix) {
		return StageMap
	}
	switch i.Where {
	case Loop, Read:
		return StageReceive
	case Parse:
		return StageValues
	case OpenIndex:
		return StageOpen
	case HeapInsert, HeapUpdate, HeapDelete:
		if i.Term == termXID {
			return StageLock
		}
		return StageWrite
	case LockRow:
		return StageLock
	case Prune:
		return StagePrune
	case IndexEntry, IndexInsert:
		return StageIndex
	case Lookup, SeqScan, Equal:
		switch i.Term {
		case termFetch, termFetchPage, termChainStep, termStatus, termUnhinted, termStatusFetch, termKill, termKillLook:
			return StageFetch
		}
		return StageLookup
	case Commit:
		return StageCommit
	}
	return StageMap
}

// stages has the terms whose place in the worker does not tell.
var stages = map[string]Stage{}

func init() {
	for stage, terms := range map[Stage][]string{
		StageBegin:    {termTransaction},
		StageCommit:   {termPrepare, termFinishPrepared},
		StageRelation: {termRelation},
		StageReceive:  {termSpool, termSpoolByte},
		StageValues: {termSlotColumn, termMergeColumn, termDefault, termLookUpText, termLookUpBinary, termNull, termDomain,
			termGenerated, termCheck, termMakeNode, termMakeToken, termFold, termDomainNode, firstText, firstBinary},
		StageRoute: {termRoute, termRouteSetUp, termRouted, termRouteColumn, termRouteBound, termRouteHash, termConvert, termPartitionCheck, termPartitionNode, firstPartition, firstQual, firstKey, firstEntry, firstSibling, firstLevel},
		StageOpen:  {termOpenIndex, termCloseIndex, termLockIndex, termUnlockIndex, termOpenIndexColumn, termOpenUnique, firstIndex, firstClass, termCopyNode},
		// A lock that a lookup kept is released when the transaction ends.
		StageLookup: {firstLookup, termKeptLock},
		StageDecide: {termRelock, termIndexedColumn, firstUpdate, firstIndexed},
		StageToast: {termToastRow, termToastValue, termCompressByte, termCompressRun, termCompressList, termCompressToken, termCompressDrop, termCompressProbe, termCompressSame, termUntoast,
			termDetoast, termChunk},
		StageWrite: {termFormTuple, termFormColumn, termFormByte, termLongForm, termZeroForm},
		StageWAL:   {termRecord, termRecordByte, termImage, termImageByte},
	} {
		for _, t := range terms {
			stages[t] = stage
		}
	}
}

// FirstTouch says whether the work is done only once for a table, an index or a type.
func (i Item) FirstTouch() bool {
	return strings.HasPrefix(i.Term, firstPrefix) || i.Term == termRelation
}

// AddRecord adds the writing of one record, of a relation by that name.
func (u *Usage) AddRecord(name string, r *wal.Record) {
	imaged := int64(0)
	if r.FPI > 0 {
		imaged = 1
	}
	if r.Relation == wal.NoRelation {
		name = ""
	}
	u.records(r.Type, name, wal.Count{Records: 1, Bytes: int64(r.Length), FPIBytes: int64(r.FPI)}, imaged)
}

// SetNulls replaces what is estimated of how many columns that messages have carried
// were NULL, from all messages so far, by what is known of these.
func (u *Usage) SetNulls(nulls, columns int) {
	for n := range u.items {
		switch i := &u.items[n]; i.Term {
		case termTupleNull:
			i.Quantity = 0
		case termTupleColumn:
			i.Quantity = 0
		}
	}
	u.Add(Item{termTupleColumn, "", Read, float64(columns - nulls)})
	u.Add(Item{termTupleNull, "", Read, float64(nulls)})
}

// Visits counts the index entries that were followed to the heap, the row versions that
// were looked at there and those that pruning took away.
func (u *Usage) Visits() (entries, versions, pruned, prunes int64) {
	for _, i := range u.items {
		switch n := int64(i.Quantity); i.Term {
		case termFetch:
			entries += n
		case termChainStep:
			versions += n
		case termPruned:
			pruned += n
		case termPrune:
			prunes += n
		}
	}
	return entries, versions, pruned, prunes
}
