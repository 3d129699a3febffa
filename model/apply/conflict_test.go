package apply_test

import (
	"slices"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

const twoKeys = `CREATE TABLE t (id int PRIMARY KEY, code int UNIQUE, n int);
	CREATE INDEX t_n ON t (n);`

// withRows is a subscriber with the rows (1, 10, 0), (2, 20, 0) and (3, 30, 0).
func withRows(t *testing.T, o apply.Options) *subscriber {
	s := subscribe(t, twoKeys, o)
	s.apply(relation(1, "t", 'd', "id*", "code", "n"))
	s.apply(tx(insert(1, "1", "10", "0"), insert(1, "2", "20", "0"), insert(1, "3", "30", "0"))...)
	s.take()
	return s
}

// A duplicate key: the row and the entries of all indexes are written, then the
// row in the way is locked, then the transaction is rolled back.
func TestInsertExists(t *testing.T) {
	s := withRows(t, options())
	s.apply(begin(), insert(1, "4", "40", "0"))
	s.take()
	err := s.try(insert(1, "2", "50", "7"))
	stop := stops(t, err, `conflict detected on relation "public.t": conflict=insert_exists`)
	for _, want := range []string{`Key already exists in unique index "t_pkey", modified in transaction 700.`, `Key (id)=(2); existing local row (2, 20, 0); remote row (2, 50, 7).`} {
		if !strings.Contains(stop.Detail, want) {
			t.Errorf("detail %q, expected it to contain %q", stop.Detail, want)
		}
	}
	if got, want := strings.Join(s.take(), ", "), "Heap/INSERT t 70, Btree/INSERT_LEAF t_pkey 64, Btree/INSERT_LEAF t_code_key 64, Btree/INSERT_LEAF t_n 64, "+
		"Heap/LOCK t 54, Transaction/ABORT - 34"; got != want {
		t.Errorf("records %s, expected %s", got, want)
	}
	s.check()
	if got, want := s.rows("t"), "1 10 0; 2 20 0; 3 30 0"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	if got := s.Counters.Conflicts["insert_exists"]; got != 1 {
		t.Errorf("%d conflicts", got)
	}
	if got := s.table("t").Heap.Counters.Inserts; got != 5 {
		t.Errorf("n_tup_ins is %d, expected 5: the row was inserted", got)
	}
}

func TestMultipleConflicts(t *testing.T) {
	s := withRows(t, options())
	s.apply(begin())
	err := s.try(insert(1, "2", "30", "7"))
	stop := stops(t, err, `conflict detected on relation "public.t": conflict=multiple_unique_conflicts`)
	if n := strings.Count(stop.Detail, "Key already exists in unique index"); n != 2 {
		t.Errorf("%d keys in %q", n, stop.Detail)
	}
	if got := s.take(); len(got) != 7 || got[4] != "Heap/LOCK t 54" || got[5] != "Heap/LOCK t 54" {
		t.Errorf("records %v", got)
	}
	s.apply()

	// Both keys are those of one row: it is locked once.
	s = withRows(t, options())
	s.apply(begin())
	stops(t, s.try(insert(1, "2", "20", "7")), `conflict detected on relation "public.t": conflict=multiple_unique_conflicts`)
	if got := s.take(); len(got) < 6 || got[len(got)-1] != "Transaction/ABORT - 34" {
		t.Errorf("records %v", got)
	}
}

func TestUpdateExists(t *testing.T) {
	s := withRows(t, options())
	s.apply(begin())
	err := s.try(update(1, "1", "20", "0"))
	stop := stops(t, err, `conflict detected on relation "public.t": conflict=update_exists`)
	if want := `Key (code)=(20); existing local row (2, 20, 0); remote row (1, 20, 0); replica identity (id)=(`; !strings.Contains(stop.Detail, want) {
		t.Errorf("detail %q, expected it to contain %q", stop.Detail, want)
	}
	got := s.take()
	want := []string{"Heap/LOCK t 54", "Heap/UPDATE t 81", "Btree/INSERT_LEAF t_pkey 64", "Btree/INSERT_LEAF t_code_key 64",
		"Btree/INSERT_LEAF t_n 64", "Heap/LOCK t 54", "Transaction/ABORT - 34"}
	if !slices.Equal(got, want) {
		t.Errorf("records %v, expected %v", got, want)
	}
	if got, want := s.rows("t"), "1 10 0; 2 20 0; 3 30 0"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	s.check()
}

// A row's own versions are no duplicates, nor are rows that were deleted; NULLs
// never are.
func TestNoConflict(t *testing.T) {
	s := withRows(t, options())
	s.apply(tx(
		update(1, "1", "11", "0"),
		update(1, "1", "10", "0"), // and back
		updateFrom(1, 'K', row("2", null, null), row("5", "20", "0")),
		del(1, 'K', "3", null, null),
		insert(1, "3", "30", "1"),
		insert(1, "6", null, "1"), insert(1, "7", null, "1"),
		updateFrom(1, 'K', row("6", null, null), row("2", null, "1")),
	)...)
	if got, want := s.rows("t"), "1 10 0; 5 20 0; 3 30 1; 7 - 1; 2 - 1"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	if n := len(s.Counters.Conflicts); n != 0 {
		t.Errorf("conflicts %v", s.Counters.Conflicts)
	}
}

// Rows that are not there are skipped: no record, no transaction id, no commit.
func TestMissingRows(t *testing.T) {
	s := withRows(t, options())
	lsn := s.Log().LSN()
	s.apply(tx(update(1, "9", "1", "1"), del(1, 'K', "8", null, null), update(1, "7", "1", "1"))...)
	if got := s.take(); len(got) != 0 || s.Log().LSN() != lsn {
		t.Errorf("records %v", got)
	}
	c := s.Counters
	if c.Conflicts["update_missing"] != 2 || c.Conflicts["delete_missing"] != 1 || c.Updates != 2 || c.Deletes != 1 {
		t.Errorf("counters %+v", c)
	}
	// The next transaction gets the id that was not used: the row shows it.
	s.apply(tx(update(1, "1", "12", "0"))...)
	var inserter uint32
	h := s.table("t").Heap
	for tid := range h.Scan {
		inserter = max(inserter, h.Inserter(tid))
	}
	if inserter != 701 {
		t.Errorf("the update's transaction is %d, expected 701", inserter)
	}
	state := s.table("t")
	if state.IdxScans != 4 || state.IdxTupFetch != 1 || state.SeqScans != 0 {
		t.Errorf("%d index scans that fetched %d rows, %d sequential ones", state.IdxScans, state.IdxTupFetch, state.SeqScans)
	}
}

// Empty transactions write nothing and are no writing commits.
func TestEmptyTransactions(t *testing.T) {
	s := withRows(t, options())
	for range 3 {
		s.apply(begin(), stream.Message{Kind: stream.KindOrigin}, stream.Message{Kind: stream.KindMessage}, commit())
	}
	if got := s.take(); len(got) != 0 {
		t.Errorf("records %v", got)
	}
	if c := s.Counters; c.Commits != 4 || c.WritingCommits != 1 || c.Begins != 4 {
		t.Errorf("counters %+v", c)
	}
}

// With --skip-conflicts the transaction is rolled back and the next one applied.
func TestSkipConflicts(t *testing.T) {
	o := options()
	o.SkipConflicts = true
	s := withRows(t, o)
	s.apply(tx(insert(1, "4", "40", "0"), insert(1, "1", "50", "0"), insert(1, "5", "60", "0"))...)
	s.apply(tx(insert(1, "5", "50", "0"))...)
	if got, want := s.rows("t"), "1 10 0; 2 20 0; 3 30 0; 5 50 0"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	if got := s.Counters.Conflicts["insert_exists"]; got != 1 {
		t.Errorf("%d conflicts", got)
	}
}

// A transaction that was skipped because of a conflict is not there when its second
// phase comes.
func TestSkipConflictsTwoPhase(t *testing.T) {
	for _, end := range []stream.Kind{stream.KindCommitPrepared, stream.KindRollbackPrepared} {
		o := options()
		o.SkipConflicts = true
		s := withRows(t, o)
		s.apply(
			stream.Message{Kind: stream.KindBeginPrepare, Xid: 7, GID: []byte("a")},
			insert(1, "4", "40", "0"), insert(1, "1", "50", "0"), insert(1, "5", "60", "0"),
			stream.Message{Kind: stream.KindPrepare, Xid: 7, GID: []byte("a")},
		)
		s.apply(stream.Message{Kind: end, Xid: 7, GID: []byte("a")})
		s.apply(tx(insert(1, "5", "50", "0"))...)
		if got, want := s.rows("t"), "1 10 0; 2 20 0; 3 30 0; 5 50 0"; got != want {
			t.Errorf("%v: rows %s, expected %s", end, got, want)
		}
	}
	// The same for a streamed one.
	o := options()
	o.SkipConflicts = true
	s := withRows(t, o)
	s.apply(block(9, true, in(9, insert(1, "4", "40", "0")), in(10, insert(1, "1", "50", "0")))...)
	s.apply(block(9, false, in(9, insert(1, "6", "60", "0")))...)
	s.apply(streamEnd(stream.KindStreamCommit, 9, 0))
	s.apply(tx(insert(1, "5", "50", "0"))...)
	if got, want := s.rows("t"), "1 10 0; 2 20 0; 3 30 0; 5 50 0"; got != want {
		t.Errorf("streamed: rows %s, expected %s", got, want)
	}
}
