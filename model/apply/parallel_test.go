package apply_test

import (
	"fmt"
	"slices"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

// block is a block of a streamed transaction; each change belongs to the
// subtransaction that in gives it.
func block(xid uint32, first bool, changes ...stream.Message) []stream.Message {
	b := []stream.Message{{Kind: stream.KindStreamStart, Xid: xid, First: first}}
	return append(append(b, changes...), stream.Message{Kind: stream.KindStreamStop})
}

func in(xid uint32, m stream.Message) stream.Message {
	m.Xid = xid
	return m
}

func streamEnd(k stream.Kind, xid, sub uint32) stream.Message {
	return stream.Message{Kind: k, Xid: xid, SubXid: sub}
}

func parallel(t *testing.T) *subscriber {
	o := options()
	o.Parallel = true
	s := subscribe(t, "create table t (id int primary key, v int)", o)
	s.apply(relation(1, "t", 'd', "id*", "v"))
	return s
}

func expectRecords(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("records\n%q\nexpected\n%q", got, want)
	}
}

// A streamed transaction that is rolled back whole: each subtransaction that has an
// id leaves an ABORT, the innermost first. What was inserted counts as dead.
func TestParallelAbort(t *testing.T) {
	s := parallel(t)
	s.apply(block(10, true, in(10, insert(1, "1", "1")), in(11, insert(1, "2", "1")))...)
	s.take()
	s.apply(streamEnd(stream.KindStreamAbort, 10, 10))
	expectRecords(t, s.take(), "Transaction/ABORT - 57", "Transaction/ABORT - 57")
	h := s.table("t").Heap
	if h.Live() != 0 || h.Dead() != 2 {
		t.Errorf("%d rows and %d dead ones, expected 0 and 2", h.Live(), h.Dead())
	}
	s.apply(tx(insert(1, "1", "2"))...) // no conflict
}

// The subtransaction's first record names the top-level transaction, a lock on a
// version that the transaction itself wrote makes a MultiXact, and COMMIT lists
// the subtransaction.
func TestParallelMultiXact(t *testing.T) {
	s := parallel(t)
	s.apply(tx(insert(1, "1", "1"))...)
	s.apply(block(10, true, in(10, update(1, "1", "2")))...)
	s.take()
	s.apply(block(10, false, in(11, update(1, "1", "3")))...)
	s.apply(streamEnd(stream.KindStreamCommit, 10, 0))
	expectRecords(t, s.take(),
		"MultiXact/ZERO_OFF_PAGE - 39", "MultiXact/ZERO_MEM_PAGE - 34", "MultiXact/CREATE_ID - 54",
		"Heap/LOCK t 54", "MultiXact/CREATE_ID - 62", "Heap/HOT_UPDATE t 77", "Transaction/COMMIT - 73")
	s.apply(tx(update(1, "1", "4"))...)
	expectRecords(t, s.take(), "Heap/LOCK t 54", "Heap/HOT_UPDATE t 77", "Transaction/COMMIT - 65")
}

// Each worker has its own last page: the leader's, between two blocks, is full, and
// it does not know the one that the parallel worker has added.
func TestParallelTargets(t *testing.T) {
	s := parallel(t)
	var many []stream.Message
	for i := range 400 {
		many = append(many, in(10, insert(1, fmt.Sprint(i), "1")))
	}
	s.apply(tx(insert(1, "1000", "1"))...)
	s.apply(block(10, true, many...)...)
	s.take()
	s.apply(tx(insert(1, "1001", "1"))...)
	expectRecords(t, s.take(), "Heap/INSERT+INIT t 66", "Btree/INSERT_LEAF t_pkey 64", "Transaction/COMMIT - 65")
	s.apply(streamEnd(stream.KindStreamCommit, 10, 0))
	reports := s.ParallelStatistics()
	if len(reports) != 1 || len(reports[0]) != 1 || reports[0][0]["t"] != (apply.Statistics{Inserts: 400, Live: 400}) {
		t.Errorf("statistics %v, expected 400 inserts of one transaction", reports)
	}
}

// With all parallel workers taken, a transaction is spooled: nothing is written
// until its end, and its subtransactions are not ones here.
func TestParallelPool(t *testing.T) {
	s := parallel(t)
	for xid := uint32(10); xid < 12; xid++ {
		s.apply(block(xid, true, in(xid, insert(1, fmt.Sprint(xid), "1")))...)
	}
	s.take()
	s.apply(block(12, true, in(13, insert(1, "12", "1")))...)
	expectRecords(t, s.take())
	s.apply(streamEnd(stream.KindStreamCommit, 12, 0))
	expectRecords(t, s.take(), "Heap/INSERT t 66", "Btree/INSERT_LEAF t_pkey 64", "Transaction/COMMIT - 65")
}
