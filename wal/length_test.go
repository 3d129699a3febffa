package wal

import "testing"

// tupleOf is what a heap record carries of a row version whose data area begins
// at hoff and has n bytes: the header's stand-in, then bitmap, padding, data.
func tupleOf(hoff, n int) int { return SizeOfHeapHeader + hoff - 23 + n }

// Lengths that pg_walinspect showed on a real server. at is the recorded case and
// what kind of row or item it was.
func TestRecordLengths(t *testing.T) {
	for _, c := range []struct {
		typ         RecordType
		data, extra int // beside the type's fixed parts
		local       bool
		want        int
		at          string
	}{
		{HeapInsert, tupleOf(24, 4), 0, false, 62, "every case: marker (id int4)"},
		{HeapInsertInit, tupleOf(24, 4), 0, false, 62, "every case: marker, a new page"},
		{HeapInsert, tupleOf(24, 4), 0, true, 59, "publisher: marker, no origin"},
		{HeapUpdate, tupleOf(24, 73) + ExtraBlockRef, 0, false, 150, "checksums_hint_bits: t, to another page"},
		{HeapHotUpdate, tupleOf(24, 73), 0, false, 142, "checksums_hint_bits: t"},
		{HeapDelete, 0, 0, false, 57, "toast: chunks, no key logged"},
		{HeapDelete, 0, tupleOf(24, 4), false, 67, "delete_by_pk: t (id int4), wal_level logical"},
		{HeapLock, 0, 0, false, 54, "every case"},
		{Heap2PruneOnAccess, 2 + 2, 4, false, 56, "delete_by_pk: one dead, with a conflict xid"},
		{Heap2PruneOnAccess, 2 + 2*2, 4, false, 58, "checksums_hint_bits: two unused"},
		{Heap2PruneOnAccess, 2 + 4*2, 4, false, 62, "checksums_hint_bits: two redirects"},
		{BtreeInsertLeaf, 16, 0, false, 64, "every case: int4"},
		{BtreeInsertUpper, 16, 0, false, 72, "checksums_hint_bits: int4"},
		{BtreeInsertUpper, 24, 0, false, 80, "identity_using_index: a heap TID more"},
		{BtreeInsertPost, SizeOfPostingOffset + 16, 0, false, 66, "update_indexed_column: int4"},
		{BtreeSplitR, 16 + 42*16, 0, false, 752, "checksums_hint_bits: rightmost leaf, high key and 42 items"},
		{BtreeDedup, SizeOfDedupInterval, 0, false, 52, "insert_four_indexes: one interval"},
		{BtreeDedup, 40 * SizeOfDedupInterval, 0, false, 208, "extra_columns: 40 intervals"},
		{BtreeDelete, 4 * SizeOfDeletedOffset, 0, false, 63, "second_unique_index: four items"},
		{BtreeNewRoot, SizeOfBtreeMetadata, 0, false, 90, "every case: the first root"},
		{BtreeNewRoot, ExtraBlockRef + SizeOfBtreeMetadata + 8 + 16, 0, false, 122, "checksums_hint_bits: above two leaves"},
		{CLOGZeroPage, 0, 0, false, 34, "xids_33500_one_row_each"},
		{TransactionAbort, 0, 0, false, 34, "rule 33: a duplicate key"},
		{TransactionCommit, 0, CommitMainData(true, true), false, 65, "every case"},
		{TransactionCommit, 0, CommitMainData(false, true), false, 57, "wal_level_replica"},
		{TransactionCommit, 0, CommitMainData(true, false), true, 46, "publisher, logical"},
		{TransactionCommit, 0, CommitMainData(false, false), true, 34, "publisher, replica"},
	} {
		var got Record
		l := NewLog(Options{Origin: !c.local, Sink: func(r *Record) { got = *r }})
		rel := l.Register("t")
		if c.want == 34 && c.typ >= TransactionCommit || c.typ == TransactionCommit {
			l.InsertPlain(c.typ, c.extra)
		} else {
			l.InsertMain(c.typ, rel, 7, c.data, c.extra)
		}
		if got.Length != c.want {
			t.Errorf("%v (%s): %d bytes, expected %d", c.typ, c.at, got.Length, c.want)
		}
		if got.Type != c.typ {
			t.Errorf("%v: the sink got %v", c.typ, got.Type)
		}
	}
}

func TestPartsLength(t *testing.T) {
	for _, c := range []struct {
		parts Parts
		want  int
	}{
		{Parts{}, 24},
		{Parts{MainData: 1}, 27},
		{Parts{MainData: 255}, 24 + 2 + 255},
		{Parts{MainData: 256}, 24 + 5 + 256}, // the header's long form
		{Parts{BlockRefs: 1}, 24 + 20},
		{Parts{BlockRefs: 3}, 24 + 20 + 8 + 8}, // further blocks of the same relation
		{Parts{BlockRefs: 1, BlockData: 100, Origin: true}, 24 + 20 + 100 + 3},
		{Parts{MainData: 3, BlockRefs: 1, BlockData: 10, Origin: true}, 62},
	} {
		if got := c.parts.Length(); got != c.want {
			t.Errorf("%+v: %d bytes, expected %d", c.parts, got, c.want)
		}
	}
}

// Old rows of FULL identities make the main data of a delete long: rule 35's
// three bytes more apply to it too.
func TestLongMainData(t *testing.T) {
	l := NewLog(Options{Origin: true})
	rel := l.Register("t")
	for extra := 240; extra < 260; extra++ {
		before := l.Total().Bytes
		l.InsertMain(HeapDelete, rel, 0, 0, extra)
		want := Parts{MainData: 8 + extra, BlockRefs: 1, Origin: true}.Length()
		if got := int(l.Total().Bytes - before); got != want {
			t.Errorf("main data of %d bytes: record of %d, expected %d", 8+extra, got, want)
		}
	}
}

// Each type has a name of its own, in pg_walinspect's form.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for typ := range RecordType(NumRecordTypes) {
		name := typ.String()
		if typ.Manager() == "" || typ.Name() == "" || name != typ.Manager()+"/"+typ.Name() || seen[name] {
			t.Errorf("type %d: name %q", typ, name)
		}
		seen[name] = true
	}
	for typ, want := range map[RecordType]string{
		HeapInsertInit: "Heap/INSERT+INIT", Heap2PruneOnAccess: "Heap2/PRUNE_ON_ACCESS",
		HeapHotUpdate + 1: "Heap/HOT_UPDATE+INIT", HeapUpdate + 1: "Heap/UPDATE+INIT", // package heap adds 1
		BtreeSplitL: "Btree/SPLIT_L", CLOGZeroPage: "CLOG/ZEROPAGE", TransactionAbort: "Transaction/ABORT",
	} {
		if got := typ.String(); got != want {
			t.Errorf("type %d: name %q, expected %q", typ, got, want)
		}
	}
}
