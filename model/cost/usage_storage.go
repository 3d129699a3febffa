package cost

// What is counted of heaps and indexes.

import (
	"applysim/model/accessmethod"
	"applysim/model/apply"
	"applysim/model/expr"
)

// heap adds the work on a table's pages.
func (u *Usage) heap(name string, t *apply.TableState) {
	h := t.Heap.Counters
	u.add(termHeapInsert, name, HeapInsert, h.Inserts)
	u.add(termHeapUpdate, name, HeapUpdate, h.Updates)
	u.add(termLeavePage, name, HeapUpdate, h.NewPageUpdates)
	u.add(termHeapDelete, name, HeapDelete, h.Deletes)
	u.add(termFormTuple, name, Dispatch, h.Inserts+h.Updates)
	u.add(termOldKey, name, HeapDelete, h.OldKeys)
	u.add(termFormColumn, name, Dispatch, h.Columns)
	u.add(termFormByte, name, Dispatch, h.TupleBytes)
	u.add(termNewPage, name, HeapInsert, h.NewPages-h.UpdatePages)
	u.add(termNewPage, name, HeapUpdate, h.UpdatePages)
	u.add(termFSM, name, HeapInsert, h.FSMSearches-h.UpdateSearches)
	u.add(termFSM, name, HeapUpdate, h.UpdateSearches)
	u.add(termPruneCheck, name, Prune, h.PruneChecks)
	u.add(termPrune, name, Prune, h.Prunes)
	u.add(termPruneLine, name, Prune, h.PrunedLines)
	u.add(termPruneTuple, name, Prune, h.PrunedTuples)
	u.add(termPruneStatus, name, Prune, h.PrunedStatus)
	looking := Lookup
	if t.SeqScans > 0 {
		looking = SeqScan
	}
	unhinted := h.Unhinted - h.PrunedUnhinted
	u.add(termStatus, name, looking, h.StatusChecks-h.PrunedStatus-unhinted)
	u.add(termUnhinted, name, looking, unhinted)
	u.add(termStatusFetch, name, looking, h.StatusFetches-h.PrunedFetches)
	u.add(termPruned, name, Prune, h.Pruned)
	u.add(termToastRow, name, Dispatch, h.Toasted)
}

// tableIndex adds the work on an index of a table.
func (u *Usage) tableIndex(w *apply.Worker, t *apply.TableState, x *apply.IndexState) {
	name := w.Log().Name(x.Rel)
	c, h := t.Counters, t.Heap.Counters
	s := x.Schema
	natts := int64(len(s.Keys) + len(s.Include))
	opening := Dispatch
	if c.Routed > 0 {
		opening = OpenIndex
	}
	u.add(firstIndex, name, opening, touches(t))
	u.add(termOpenIndex, name, OpenIndex, c.Opened)
	u.add(termCloseIndex, name, Dispatch, c.Opened)
	locks, releases := c.Opened, c.Opened
	if x.Lookup {
		locks -= c.Held
		releases -= c.Held + c.Kept
	}
	u.add(termLockIndex, name, OpenIndex, locks)
	u.add(termUnlockIndex, name, Dispatch, releases)
	u.add(termOpenIndexColumn, name, OpenIndex, c.Opened*natts)
	if s.Unique {
		u.add(termOpenUnique, name, OpenIndex, h.Inserts+c.Merged)
	}
	exprs, nodes := int64(0), int64(0)
	for _, k := range s.Keys {
		if k.Column < 0 {
			exprs++
			nodes += int64(expr.Nodes(k.Expr))
		}
	}
	entries := h.Inserts + h.Updates - h.HOTUpdates
	if s.Predicate != "" {
		condition := int64(expr.Nodes(s.Predicate))
		u.add(termPredicate, name, IndexEntry, entries)
		u.add(termPrepareNode, name, IndexEntry, entries*condition)
		u.add(termCopyNode, name, OpenIndex, c.Opened*condition)
	}
	u.add(termCopyNode, name, OpenIndex, c.Opened*nodes)
	if x.BRIN != nil {
		u.add(termBRIN, name, IndexEntry, x.BRIN.Inserts)
		u.add(termBRINSummary, name, IndexEntry, x.BRIN.Looked)
		u.add(termBRINUpdate, name, IndexEntry, x.BRIN.Updates)
		return
	}
	if x.Foreign {
		for _, t := range accessmethod.Terms(x.AccessMethod) {
			u.Add(Item{accessMethodPrefix + t.Name, name, IndexInsert, t.Quantity})
		}
		return
	}
	u.add(termExpression, name, IndexEntry, exprs*x.BTree.Counters.Inserts)
	u.add(termExpressionByte, name, IndexEntry, x.ExpressionBytes)
	u.add(termPrepareNode, name, IndexEntry, nodes*x.BTree.Counters.Inserts)
	u.btree(name, x, natts)
}

// btree adds the work on a B-tree.
func (u *Usage) btree(name string, x *apply.IndexState, natts int64) {
	c := x.BTree.Counters
	keys := natts
	if x.Schema != nil {
		keys = int64(len(x.Schema.Keys))
	}
	u.add(termIndexEntry, name, IndexEntry, c.Inserts)
	u.add(termIndexInsert, name, IndexInsert, c.Inserts)
	u.add(termKeyTuple, name, IndexInsert, c.Inserts)
	u.add(termKeyColumn, name, IndexInsert, c.Inserts*natts)
	u.add(termKeyByte, name, IndexInsert, c.KeyBytes)
	u.add(termDescent, name, IndexInsert, c.Descents)
	u.add(termLevel, name, IndexInsert, c.Levels)
	u.add(termLevel, name, Lookup, c.LookupLevels)
	u.add(termColdPage, name, IndexInsert, c.OtherLeaves)
	insertions, lookups := x.BTree.Comparisons()
	merged, deleted := x.BTree.Equalities()
	u.add(termCompareTID, name, IndexInsert, insertions.TIDs)
	u.add(termComparison, name, IndexInsert, insertions.Items)
	u.add(termComparison, name, Lookup, lookups.Items)
	for i := range insertions.Columns {
		term := compareTerm(x.BTree.ClassName(i))
		u.add(term, name, IndexInsert, insertions.Columns[i])
		u.add(term, name, Lookup, lookups.Columns[i])
		if i > 0 {
			u.add(termLaterColumn, name, IndexInsert, insertions.Columns[i])
			u.add(termLaterColumn, name, Lookup, lookups.Columns[i])
		}
		if class := x.BTree.ClassName(i); varies(class) {
			u.add(termDedupString, name, IndexInsert, merged[i])
			u.add(termBottomUpString, name, IndexInsert, deleted[i])
		} else {
			u.add(termDedupColumn, name, IndexInsert, merged[i])
			u.add(termBottomUpColumn, name, IndexInsert, deleted[i])
		}
	}
	u.add(termScanItem, name, Lookup, c.ScanEntries)
	u.add(termScanKey, name, Lookup, c.ScanEntries*keys)
	u.add(termScanTID, name, Lookup, c.ScanItems)
	u.add(termUnique, name, IndexInsert, c.UniqueChecks)
	u.add(termUniqueFetch, name, IndexInsert, c.UniqueFetches)
	u.add(termItemMoved, name, IndexInsert, c.ItemsMoved)
	u.add(termSplit, name, IndexInsert, c.LeafSplits+c.InternalSplits)
	u.add(termSplitLocation, name, IndexInsert, c.LeafSplits+c.InternalSplits)
	u.add(termSplitItem, name, IndexInsert, c.SplitItems)
	u.add(termSplitPoint, name, IndexInsert, c.SplitPoints)
	u.add(termDedup, name, IndexInsert, c.DedupPasses)
	u.add(termDedupItem, name, IndexInsert, c.DedupItems)
	u.add(termDedupTID, name, IndexInsert, c.DedupTIDs)
	u.add(termDedupMerged, name, IndexInsert, c.DedupMerged)
	u.add(termPostingSplit, name, IndexInsert, c.PostingSplits)
	u.add(termSimpleDelete, name, IndexInsert, c.SimpleDeletes)
	u.add(termBottomUp, name, IndexInsert, c.BottomUpPasses)
	u.add(termDeletedTID, name, IndexInsert, c.DeletedTIDs)
	u.add(termBottomUpItem, name, IndexInsert, c.BottomUpItems)
	u.add(termCandidate, name, IndexInsert, c.Candidates)
	u.add(termCheckedTID, name, IndexInsert, c.CheckedTIDs)
	u.add(termDeletePage, name, IndexInsert, c.HeapPages)
	u.add(termKill, name, Lookup, c.Killed)
	u.add(termKillLook, name, Lookup, c.KillLooks)
}
