package heap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

var (
	int4  = datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}
	int8  = datum.Attr{Len: 8, Align: 8, ByVal: true, Storage: 'p'}
	text  = datum.Attr{Len: -1, Align: 4, Storage: 'x'}
	plain = datum.Attr{Len: -1, Align: 4, Storage: 'p'}
)

const noPage = storage.InvalidBlock

// table is a heap with a worker's transactions and a record of its WAL.
type table struct {
	*heap.Table
	t       testing.TB
	log     *wal.Log
	xacts   *heap.Transactions
	records []string // "LOCK 0 54": type, block, length
	cid     uint32
}

// newTable makes a table whose records carry a replication origin. Commits are
// flushed at once.
func newTable(t testing.TB, o heap.Options) *table {
	if o.Name == "" {
		o.Name = "t"
	}
	if o.Fillfactor == 0 {
		o.Fillfactor = 100
	}
	h := &table{t: t, xacts: &heap.Transactions{Next: 700, Synchronous: true}}
	h.log = wal.NewLog(wal.Options{Start: 0x2000028, Origin: true, Sink: func(r *wal.Record) {
		if r.Relation != wal.NoRelation {
			h.records = append(h.records, describe(r))
		}
	}})
	h.Table = heap.NewTable(o, h.log, h.log.Register(o.Name), h.xacts)
	return h
}

func describe(r *wal.Record) string {
	return fmt.Sprintf("%s %d %d", r.Type.Name(), r.Block, r.Length)
}

func (h *table) begin() {
	h.xacts.Begin()
	h.xacts.Current = h.xacts.Next
	h.xacts.Next++
	h.cid = 0
}

func (h *table) commit() {
	h.t.Helper()
	h.xacts.Committed(h.xacts.Current, h.log.InsertPlain(wal.TransactionCommit, wal.CommitMainData(true, true)))
	h.xacts.Current = 0
	h.check()
}

func (h *table) abort() {
	h.log.InsertPlain(wal.TransactionAbort, 0)
	h.xacts.Aborted(h.xacts.Current)
	h.xacts.Current = 0
	h.check()
}

func (h *table) check() {
	h.t.Helper()
	if err := h.Check(); err != nil {
		h.t.Fatal(err)
	}
}

// tx runs changes as a transaction.
func (h *table) tx(changes func()) {
	h.t.Helper()
	h.begin()
	changes()
	h.commit()
}

func (h *table) insert(values ...datum.Value) storage.TID {
	h.t.Helper()
	tid, err := h.Insert(values, h.cid)
	if err != nil {
		h.t.Fatal(err)
	}
	h.cid++
	return tid
}

// find follows an index entry as a lookup does.
func (h *table) find(root storage.TID) storage.TID {
	h.t.Helper()
	tid, ok, _ := h.Fetch(noPage, root)
	if !ok {
		h.t.Fatalf("no version at %v", root)
	}
	return tid
}

// update changes a row as the worker does: it is found, locked and replaced.
func (h *table) update(root storage.TID, values ...datum.Value) heap.Updated {
	h.t.Helper()
	tid := h.find(root)
	h.Pin(tid.Block)
	h.Lock(tid)
	u, err := h.Update(tid, values, h.cid)
	if err != nil {
		h.t.Fatal(err)
	}
	h.Pin(noPage)
	h.cid++
	return u
}

func (h *table) delete(root storage.TID) {
	h.t.Helper()
	tid := h.find(root)
	h.Pin(tid.Block)
	h.Lock(tid)
	h.Delete(tid, h.cid)
	h.Pin(noPage)
	h.cid++
}

// take returns the records since the last call.
func (h *table) take() string {
	s := strings.Join(h.records, ", ")
	h.records = nil
	return s
}

// lines shows a page's line pointers: a version's length, "->8" for a redirect,
// "dead", "unused".
func (h *table) lines(block storage.BlockNumber) string {
	var b strings.Builder
	for i, lp := range h.LinePointers(nil, block) {
		if i > 0 {
			b.WriteByte(' ')
		}
		switch lp.Flags {
		case 0:
			b.WriteString("unused")
		case 1:
			fmt.Fprint(&b, lp.Length)
		case 2:
			fmt.Fprintf(&b, "->%d", lp.Offset)
		case 3:
			b.WriteString("dead")
		}
	}
	return b.String()
}

// values reads a version's columns.
func (h *table) values(tid storage.TID, columns int) []datum.Value {
	v := make([]datum.Value, columns)
	h.Values(v, tid)
	for i := range v {
		v[i].Bytes = bytes.Clone(v[i].Bytes)
	}
	return v
}

func num(n int64) datum.Value { return datum.Value{Bits: uint64(n)} }

// pad is a value that makes a version of one int4 and one PLAIN column length
// bytes long.
func pad(length int) datum.Value { return datum.Value{Bytes: make([]byte, length-24-4-4)} }

func at(block, offset int) storage.TID {
	return storage.TID{Block: storage.BlockNumber(block), Offset: storage.OffsetNumber(offset)}
}

type storageTID = storage.TID

// scan takes a record of the form "LOCK 0 54" apart.
func scan(record string, typ *string, block, length *int) {
	if _, err := fmt.Sscan(record, typ, block, length); err != nil {
		panic(err)
	}
}
