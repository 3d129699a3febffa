package cost

import (
	"slices"
	"strings"

	"applysim/model/apply"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/wal"
)

// Item is a quantity of one kind of work done on one object.
type Item struct {
	Term     string  // what was done
	Object   string  // the table, index or type that it was done for, "" for the worker as a whole
	Where    Place   // in which part of the worker
	Quantity float64 // how often, or how many bytes
}

type key struct {
	term, object string
	where        Place
}

// Usage is the work of an apply worker, as items in a fixed order.
type Usage struct {
	items []Item
	index map[key]int
	// equal has the types whose equality operators the tables so far have had found.
	equal map[*pgtype.Type]bool
}

// Items returns the items. The slice must not be changed.
func (u *Usage) Items() []Item { return u.items }

// Add adds an item's quantity.
func (u *Usage) Add(i Item) {
	if i.Quantity == 0 {
		return
	}
	if u.index == nil {
		u.index = map[key]int{}
	}
	k := key{i.Term, i.Object, i.Where}
	n, ok := u.index[k]
	if !ok {
		n = len(u.items)
		u.index[k] = n
		u.items = append(u.items, Item{Term: i.Term, Object: i.Object, Where: i.Where})
	}
	u.items[n].Quantity += i.Quantity
}

// Started is the start of a worker.
func Started() Item { return Item{Term: termStart, Where: Loop, Quantity: 1} }

// Merge adds the work of another.
func (u *Usage) Merge(o *Usage) {
	for _, i := range o.items {
		u.Add(i)
	}
}

// Sub returns the work that u has and before has not.
func (u *Usage) Sub(before *Usage) *Usage {
	d := &Usage{}
	for _, i := range u.items {
		if n, ok := before.index[key{i.Term, i.Object, i.Where}]; ok {
			i.Quantity -= before.items[n].Quantity
		}
		d.Add(i)
	}
	return d
}

// WithoutFirst returns the work without that of first touches.
func (u *Usage) WithoutFirst() *Usage {
	d := &Usage{}
	for _, i := range u.items {
		if !strings.HasPrefix(i.Term, firstPrefix) {
			d.Add(i)
		}
	}
	return d
}

// WithoutAccessMethods returns the work without that of access methods which are estimated.
func (u *Usage) WithoutAccessMethods() *Usage {
	d := &Usage{}
	for _, i := range u.items {
		if !strings.HasPrefix(i.Term, accessMethodPrefix) {
			d.Add(i)
		}
	}
	return d
}

// Without returns the work without that of a term.
func (u *Usage) Without(term string) *Usage {
	d := &Usage{}
	for _, i := range u.items {
		if i.Term != term {
			d.Add(i)
		}
	}
	return d
}

// has says whether there is an item of a term for which is says so.
func (u *Usage) has(is func(term string) bool) bool {
	return slices.ContainsFunc(u.items, func(i Item) bool { return is(i.Term) })
}

// Measure reads off what a worker has done so far.
func Measure(w *apply.Worker) *Usage { return measure(w, w.Tables()) }

// MeasureWithin is Measure for the middle of a change: of the line pointers that indexes
// have moved, those of the last insertions may be missing.
func MeasureWithin(w *apply.Worker) *Usage { return measure(w, w.UnsettledTables()) }

func measure(w *apply.Worker, tables []apply.TableState) *Usage {
	u := &Usage{equal: map[*pgtype.Type]bool{}}
	c := w.Counters
	u.add(termMessage, "", Loop, c.Messages)
	u.add(termRelation, "", Dispatch, c.Relations)
	u.add(termTransaction, "", Dispatch, c.Begins)
	u.add(termWriting, "", Commit, c.WritingCommits)
	u.add(termPrepare, "", Dispatch, c.Prepares)
	u.add(termFinishPrepared, "", Dispatch, c.Finished)
	u.add(termXID, "", HeapInsert, c.InsertXIDs)
	u.add(termXID, "", LockRow, c.LookupXIDs)
	u.add(termMessageByte, "", Loop, c.ChangeBytes)
	u.add(termTuple, "", Read, c.Changes())
	nulls := readNulls(w)
	u.Add(Item{termTupleColumn, "", Read, float64(c.ChangeColumns) - nulls})
	u.Add(Item{termTupleNull, "", Read, nulls})
	u.add(termTupleByte, "", Read, c.ChangeBytes)
	u.add(termTruncate, "", Dispatch, c.Truncates)
	u.add(termSpool, "", Dispatch, c.Spooled)
	u.add(termSpoolByte, "", Dispatch, c.SpooledBytes)
	u.add(termCheck, "", Dispatch, c.Checks)
	u.add(termGenerated, "", Dispatch, c.Generated)
	u.add(termToastValue, "", Dispatch, c.Moved)
	u.add(termUntoast, "", Dispatch, c.Removed)
	u.add(termDetoast, "", Dispatch, c.Detoasted)
	u.add(termChunk, "", Dispatch, c.Chunks)
	u.types(w)
	// The support functions of an operator class are looked up once (LookupOpclassInfo).
	classes := map[string]bool{}
	for _, t := range tables {
		u.table(w, &t)
		for i := range t.Indexes {
			if x := t.Indexes[i].BTree; x != nil && touches(&t) > 0 {
				for k := range t.Indexes[i].Schema.Keys {
					if c := x.ClassName(k); !classes[c] {
						classes[c] = true
						u.add(firstClass, c, Dispatch, 1)
					}
				}
			}
		}
	}
	u.partitions(w, tables)
	u.wal(w)
	return u
}

// MeasureTable reads off what was done for one table: the difference of two is the work of
// a command on it, such as VACUUM.
func MeasureTable(w *apply.Worker, t *apply.TableState) *Usage {
	u := &Usage{equal: map[*pgtype.Type]bool{}}
	u.table(w, t)
	u.walOf(w, wal.NoRelation)
	u.walOf(w, t.Rel)
	if t.Toast != nil {
		u.walOf(w, t.ToastRel)
		u.walOf(w, t.ToastIndexRel)
	}
	for i := range t.Indexes {
		u.walOf(w, t.Indexes[i].Rel)
	}
	return u
}

func (u *Usage) add(term, object string, where Place, n int64) {
	u.Add(Item{term, object, where, float64(n)})
}

// readNulls is how many NULLs the messages carried. The worker may parse a row twice:
// once to find the old one and once more to change it.
func readNulls(w *apply.Worker) float64 {
	nulls, parsed := int64(0), int64(0)
	for _, c := range w.TypeCounters() {
		nulls += c.Nulls
		parsed += c.TextValues + c.BinaryValues + c.Nulls + c.Unchanged
	}
	if parsed == 0 {
		return 0
	}
	return float64(nulls) * float64(w.Counters.ChangeColumns) / float64(parsed)
}

// types adds the reading of column values.
func (u *Usage) types(w *apply.Worker) {
	counters := w.TypeCounters()
	types := make([]*pgtype.Type, 0, len(counters))
	for t := range counters {
		types = append(types, t)
	}
	slices.SortFunc(types, func(a, b *pgtype.Type) int {
		if c := strings.Compare(a.String(), b.String()); c != 0 {
			return c
		}
		return strings.Compare(a.Schema, b.Schema)
	})
	for _, t := range types {
		c := counters[t]
		name := typeName(t)
		if t.Kind == pgtype.KindDomain {
			u.add(termDomain, t.String(), Parse, c.TextValues+c.BinaryValues)
			u.add(termDomainNode, t.String(), Parse, (c.TextValues+c.BinaryValues)*domainNodes(t))
		}
		if c.TextValues > 0 {
			u.add(firstText, name, Dispatch, 1)
		}
		if c.BinaryValues > 0 {
			u.add(firstBinary, name, Dispatch, 1)
		}
		u.add(termLookUpText, name, Dispatch, c.TextValues)
		u.add(termLookUpBinary, name, Dispatch, c.BinaryValues)
		u.add(termCallInput, name, Parse, c.TextValues+c.BinaryValues)
		u.add(ParseTerm(name, "text", "value"), name, Parse, c.TextValues)
		u.add(ParseTerm(name, "text", "byte"), name, Parse, c.TextBytes)
		u.add(ParseTerm(name, "binary", "value"), name, Parse, c.BinaryValues)
		u.add(ParseTerm(name, "binary", "byte"), name, Parse, c.BinaryBytes)
		u.add(ParseTerm(name, "text", "element"), name, Parse, c.Text.Elements-c.Text.Keys)
		u.add(ParseTerm(name, "binary", "element"), name, Parse, c.Binary.Elements-c.Binary.Keys)
		if k := t.Base().Kind; k == pgtype.KindJsonb || k == pgtype.KindJSON {
			u.add(ParseTerm(name, "text", "key"), name, Parse, c.Text.Keys)
			u.add(ParseTerm(name, "binary", "key"), name, Parse, c.Binary.Keys)
			u.add(ParseTerm(name, "text", "container"), name, Parse, c.Text.Containers)
			u.add(ParseTerm(name, "binary", "container"), name, Parse, c.Binary.Containers)
			if k == pgtype.KindJsonb {
				u.add(termJSONNumber, name, Parse, c.Text.Numbers+c.Binary.Numbers)
			}
		}
		u.add(termLongRead, name, Read, c.LongBytes)
		u.add(termLongParse, name, Parse, c.LongBytes)
		u.add(termLongForm, name, Dispatch, c.LongBytes)
		u.add(termZeroForm, name, Dispatch, c.ZeroedBytes)
		u.add(termTailByte, name, Parse, c.Binary.TailBytes)
		u.add(termWideByte, name, Parse, c.Binary.WideBytes)
		u.add(termNull, name, Dispatch, c.Nulls)
	}
}

// typeName is the name by which the cost of reading a type is known: that of its
// family for types that a schema defines.
func typeName(t *pgtype.Type) string {
	t = t.Base()
	switch t.Kind {
	case pgtype.KindEnum:
		return "enum"
	case pgtype.KindComposite:
		return "record"
	case pgtype.KindRange:
		return "range"
	case pgtype.KindMultirange:
		return "multirange"
	case pgtype.KindOpaque:
		return "unknown"
	case pgtype.KindArray:
		if t.Elem != nil {
			return typeName(t.Elem) + "[]"
		}
	}
	return t.Name
}

// lockRecord is the length of a record of a row lock in a transaction without
// subtransactions.
const lockRecord = 54

// table adds the work on a table, its indexes and its TOAST table.
func (u *Usage) table(w *apply.Worker, t *apply.TableState) {
	name := w.Log().Name(t.Rel)
	c, h := t.Counters, t.Heap.Counters
	columns := columnsOf(t.Schema)
	u.add(firstTable, name, Dispatch, c.Maps)
	u.add(firstColumn, name, Dispatch, c.Maps*columns)
	// Rows that were looked for and found are locked; what is locked beyond them is
	// locked again.
	found := c.Merged + h.Deletes
	missing := c.Opened - h.Inserts - found
	if missing < 0 {
		missing = 0 // rows moved to another partition, or there before the run
	}
	// A change that a partitioned table passes on is set up for that one (partitions).
	u.add(termChange, name, Dispatch, c.Opened-c.Routed)
	locking := Dispatch
	if c.Routed > 0 {
		locking = Route
	}
	u.add(termLockTable, name, locking, c.Locked)
	u.add(termKeptLock, name, Commit, c.Kept)
	u.add(firstLookup, name, Lookup, min(c.Kept, 1))
	u.add(termUpdate, name, Dispatch, c.Merged)
	u.add(firstUpdate, name, HeapUpdate, min(c.Merged, 1))
	u.add(firstIndexed, name, HeapUpdate, min(c.Merged, 1)*int64(len(t.Indexes)))
	u.add(termDelete, name, Dispatch, h.Deletes)
	u.add(termSlotColumn, name, Dispatch, c.Read*columns)
	u.add(termMergeColumn, name, Dispatch, c.Merged*columns)
	u.add(termDefault, name, Dispatch, c.Filled)
	if stored := h.Inserts + h.Updates; stored > 0 {
		e := constraints(t.Schema)
		u.add(termMakeToken, name, Dispatch, stored*int64(e.Tokens))
		u.add(termMakeNode, name, Dispatch, stored*int64(e.Nodes))
		u.add(termFold, name, Dispatch, stored*int64(e.Folded))
	}
	u.add(termLock, name, LockRow, min(h.Locks, found))
	relocks := max(h.Locks-found, 0)
	u.add(termRelock, name, HeapUpdate, relocks)
	// Their records are written in heap_update, too.
	u.add(termRecord, name, LockRow, -relocks)
	u.add(termRecord, name, HeapUpdate, relocks)
	u.add(termRecordByte, name, LockRow, -relocks*lockRecord)
	u.add(termRecordByte, name, HeapUpdate, relocks*lockRecord)
	u.add(termIndexLookup, name, Lookup, t.IdxScans)
	u.add(termSearch, name, Lookup, t.IdxScans)
	fetches, visits := h.Fetches, h.PruneChecks
	for i := range t.Indexes {
		x := &t.Indexes[i]
		if x.BTree != nil {
			fetches -= x.BTree.Counters.UniqueFetches
			visits -= x.BTree.Counters.UniqueFetches
		}
		if x.Lookup {
			u.add(termLookupKey, name, Lookup, t.IdxScans*int64(len(x.Schema.Keys)))
			u.add(termSearchKey, name, Lookup, t.IdxScans*int64(len(x.Schema.Keys)))
		}
	}
	u.add(termFetch, name, Lookup, fetches)
	u.add(termFetchPage, name, Lookup, visits)
	u.add(termColdPage, name, Lookup, h.OtherPages)
	u.add(termChainStep, name, Lookup, h.ChainSteps)
	u.add(termSeqLookup, name, SeqScan, t.SeqScans/2)
	u.add(termSeqPage, name, SeqScan, c.PassedPages)
	u.add(termSeqRow, name, SeqScan, c.Passed)
	u.add(termSeqDead, name, SeqScan, c.PassedDead)
	u.add(termFetchAgain, name, Lookup, c.Compared-c.Passed)
	u.add(termCompareRow, name, Equal, c.Compared)
	if c.Compared > 0 {
		// The type cache finds an equality operator for each type; those of the key of the
		// index that rows are found by are there already. Each lookup asks it once for each
		// column that it compares.
		known := u.equal
		for i := range t.Indexes {
			if x := &t.Indexes[i]; x.Lookup {
				for _, k := range x.Schema.Keys {
					if k.Column >= 0 {
						known[t.Schema.Columns[k.Column].Type] = true
					}
				}
			}
		}
		lookups := t.IdxScans + t.SeqScans/2
		for i, col := range t.Schema.Columns {
			if t.Compared[i] == 0 {
				continue
			}
			if !known[col.Type] {
				known[col.Type] = true
				u.add(equalityTerm(typeName(col.Type)), typeName(col.Type), Equal, 1)
			}
			u.add(termFindEqual, name, Equal, min(t.Compared[i], lookups))
		}
	}
	// Where a column lies is known of those up to the first of varying length; for
	// those behind it is found anew in each row.
	known, behind := int64(0), int64(0)
	for varying, i := false, 0; i < len(t.Schema.Columns); i++ {
		col := &t.Schema.Columns[i]
		if varying {
			behind++
		} else {
			known++
		}
		varying = varying || col.Attr().Len <= 0
	}
	u.add(termDeform, name, Equal, c.Compared*known)
	u.add(termDeformBehind, name, Equal, c.Compared*behind)
	for i, n := range t.Compared {
		u.add(equalTerm(t.Schema.Columns[i].Type), name, Equal, n)
	}
	indexed := map[int]bool{}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		for _, k := range x.Schema.Keys {
			if k.Column >= 0 {
				indexed[k.Column] = true
			}
		}
	}
	u.add(termIndexedColumn, name, HeapUpdate, c.Merged*int64(len(indexed)))
	u.heap(name, t)
	for i := range t.Indexes {
		u.tableIndex(w, t, &t.Indexes[i])
	}
	if t.Toast != nil {
		u.add(termCompressRun, name, Dispatch, t.Compression.Runs)
		u.add(termCompressList, name, Dispatch, t.Compression.Lists)
		u.add(termCompressToken, name, Dispatch, t.Compression.Tokens)
		u.add(termCompressDrop, name, Dispatch, t.Compression.Recycled)
		u.add(termCompressByte, name, Dispatch, t.Compression.Positions)
		u.add(termCompressProbe, name, Dispatch, t.Compression.Probes)
		u.add(termCompressSame, name, Dispatch, t.Compression.Compared)
		toast := apply.TableState{Heap: t.Toast}
		u.heap(w.Log().Name(t.ToastRel), &toast)
		u.btree(w.Log().Name(t.ToastIndexRel), &apply.IndexState{BTree: t.ToastIndex}, 2)
	}
}

// touches is how often the worker has come to a table for the first time: it looks one up
// that is published, and finds others by way of a partitioned table.
func touches(t *apply.TableState) int64 {
	if t.Counters.Routed > 0 {
		return t.Counters.Maps + 1
	}
	return t.Counters.Maps
}

// constraints is what all CHECK constraints and generated columns of a table are: the
// server reads and prepares them anew for each row that the worker stores (ExecRelCheck and
// ExecInitGenerated, for a ResultRelInfo of its own).
func constraints(t *schema.Table) expr.Effort {
	sum := expr.Effort{}
	add := func(sql string) {
		e := expr.EffortOf(sql, func(column string) bool {
			i := t.Column(column)
			return i >= 0 && castsIntegers(t.Columns[i].Type)
		})
		sum.Nodes += e.Nodes
		sum.Tokens += e.Tokens
		sum.Folded += e.Folded
	}
	for i := range t.Checks {
		if !t.Checks[i].NotEnforced {
			add(t.Checks[i].Expr)
		}
	}
	for i := range t.Columns {
		if t.Columns[i].Generated == 's' {
			add(t.Columns[i].GeneratedExpr)
		}
	}
	return sum
}

// castsIntegers says whether integers beside a type's values are cast to it.
func castsIntegers(t *pgtype.Type) bool {
	switch t.Base().Name {
	case "numeric", "real", "double precision":
		return true
	}
	return false
}

// domainNodes is the number of nodes of a domain's constraints.
func domainNodes(t *pgtype.Type) int64 {
	n := 0
	for ; t.Kind == pgtype.KindDomain; t = t.Elem {
		for i := range t.Checks {
			n += expr.Nodes(t.Checks[i].Expr)
		}
	}
	return int64(n)
}
