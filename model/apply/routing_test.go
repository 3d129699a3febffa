package apply_test

import (
	"slices"
	"strings"
	"testing"

	"applysim/model/stream"
)

const partitioned = `create table m (id int, p int, v int default 7, primary key (id, p)) partition by range (p);
	create table low partition of m for values from (0) to (10);
	create table high (v int, junk text, p int not null, id int not null);
	alter table high drop column junk;
	alter table m attach partition high for values from (10) to (20);`

// Rows go to the partition that takes them, in the order of its columns; an update
// that changes the partition deletes and inserts.
func TestRouting(t *testing.T) {
	s := subscribe(t, partitioned, options())
	s.apply(relation(1, "m", 'd', "id*", "p*"))
	s.apply(tx(insert(1, "1", "5"), insert(1, "2", "15"), insert(1, "3", "9"))...)
	s.take()
	s.apply(tx(updateFrom(1, 'K', row("1", "5"), row("1", "12")))...)
	if got, want := s.rows("low")+" | "+s.rows("high"), "3 9 7 | 7 - 15 2; 7 - 12 1"; got != want {
		t.Errorf("got rows %s, expected %s", got, want)
	}
	var kinds []string
	for _, r := range s.take() {
		kinds = append(kinds, strings.Join(strings.Fields(r)[:2], " "))
	}
	want := []string{"Heap/LOCK low", "Heap/DELETE low", "Heap/INSERT high", "Btree/INSERT_LEAF high_pkey", "Transaction/COMMIT -"}
	if !slices.Equal(kinds, want) {
		t.Errorf("got records %q, expected %q", kinds, want)
	}
	if s.Counters.RowMoves != 1 {
		t.Errorf("got %d moves, expected 1", s.Counters.RowMoves)
	}
	s.apply(tx(del(1, 'K', "1", "12"), del(1, 'K', "9", "12"))...)
	if got := s.Counters.Conflicts["delete_missing"]; got != 1 {
		t.Errorf("got %d missing rows, expected 1", got)
	}
}

// The texts are those of PostgreSQL 18.
func TestRoutingErrors(t *testing.T) {
	for _, c := range []struct {
		name     string
		relation stream.Message
		changes  []stream.Message
		want     string
	}{
		{"no partition", relation(1, "m", 'd', "id*", "p*"), []stream.Message{insert(1, "1", "20")},
			`no partition of relation "m" found for row`},
		{"no partition of the old row", relation(1, "m", 'd', "id*", "p*"), []stream.Message{del(1, 'K', "1", "-1")},
			`no partition of relation "m" found for row`},
		{"wrong partition", relation(1, "low", 'd', "id*", "p*"), []stream.Message{insert(1, "1", "15")},
			`new row for relation "low" violates partition constraint`},
		{"moved out of a partition", relation(1, "low", 'd', "id*", "p*"),
			[]stream.Message{insert(1, "1", "5"), updateFrom(1, 'K', row("1", "5"), row("1", "15"))},
			`new row for relation "low" violates partition constraint`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := subscribe(t, partitioned, options())
			s.apply(c.relation)
			stops(t, s.try(tx(c.changes...)...), c.want)
		})
	}
}

// Generated columns are computed before constraints are checked; a CHECK that is
// neither true nor false holds.
func TestExpressionsOfRows(t *testing.T) {
	const ddl = `create table t (id int primary key, a int, g int generated always as (a * 2) stored,
		constraint small check (g < 100), constraint positive check (a > 0));
		create index on t(g); create index part on t(id) where g > 50;`
	s := subscribe(t, ddl, options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "10"), insert(1, "2", null), insert(1, "3", "30"))...)
	s.apply(tx(update(1, "1", "26"))...)
	if got, want := s.rows("t"), "2 - -; 3 30 60; 1 26 52"; got != want {
		t.Errorf("got rows %s, expected %s", got, want)
	}
	for _, x := range s.table("t").Indexes {
		if want := map[string]int64{"t_pkey": 4, "t_g_idx": 4, "part": 2}[x.Schema.Name]; x.BTree.Counters.Inserts != want {
			t.Errorf("index %s: got %d inserts, expected %d", x.Schema.Name, x.BTree.Counters.Inserts, want)
		}
	}
	stops(t, s.try(tx(insert(1, "4", "50"))...), `new row for relation "t" violates check constraint "small"`)
	s = subscribe(t, ddl, options())
	s.apply(relation(1, "t", 'd', "id*", "a"))
	// Constraints are checked in the order of their names.
	stops(t, s.try(tx(insert(1, "4", "-1"))...), `new row for relation "t" violates check constraint "positive"`)
}

// nextval writes a record when the sequence is used for the first time and when it
// has used up what it logged in advance.
func TestSequenceRecords(t *testing.T) {
	s := subscribe(t, `create table t (id int primary key, n serial, k int generated always as identity (start 10 increment 5 cache 3));`, options())
	s.apply(relation(1, "t", 'd', "id*"))
	for i := range 70 {
		s.apply(tx(insert(1, string(rune('0'+i/10))+string(rune('0'+i%10))))...)
	}
	count := map[string]int{}
	for _, r := range s.take() {
		count[r]++
	}
	if got := count["Sequence/LOG t_n_seq 99"]; got != 3 { // 1 and 32, 33, 4
		t.Errorf("got %d records of t_n_seq, expected 3: %v", got, count)
	}
	if rows := strings.Split(s.rows("t"), "; "); rows[69] != "69 70 355" {
		t.Errorf("the last row is %s, expected 69 70 355", rows[69])
	}
}

// A transaction that truncates and is then rolled back leaves the table as it was.
func TestTruncateRolledBack(t *testing.T) {
	o := options()
	o.SkipConflicts = true
	s := subscribe(t, `create table t (id int primary key, c text);`, o)
	s.apply(relation(1, "t", 'd', "id*", "c"))
	s.apply(tx(insert(1, "1", "a"), insert(1, "2", "b"))...)
	truncate := stream.Message{Kind: stream.KindTruncate, RelationIDs: []uint32{1}}
	s.apply(tx(truncate, insert(1, "5", "x"), insert(1, "5", "y"))...)
	if got, want := s.rows("t"), "1 a; 2 b"; got != want {
		t.Errorf("got rows %s, expected %s", got, want)
	}
	if got := s.table("t").Heap.Live(); got != 2 {
		t.Errorf("got n_live_tup %d, expected 2", got)
	}
	s.apply(tx(truncate)...)
	if got := s.rows("t"); got != "" || s.table("t").Heap.Pages() != 0 {
		t.Errorf("got rows %s, expected none", got)
	}
}

// Only triggers that are enabled for replicas fire, and a warning says that their
// work is not modelled.
func TestTriggers(t *testing.T) {
	s := subscribe(t, `create table t (id int primary key);
		create function f() returns trigger language plpgsql as 'begin return new; end';
		create trigger a before insert on t for each row execute function f();
		create trigger b after insert or update on t for each row execute function f();
		alter table t enable always trigger b;`, options())
	s.apply(relation(1, "t", 'd', "id*"))
	s.apply(tx(insert(1, "1"), insert(1, "2"), del(1, 'K', "1"))...)
	if s.Counters.Triggers != 2 {
		t.Errorf("got %d triggers fired, expected 2", s.Counters.Triggers)
	}
	if len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], "trigger b of table t") {
		t.Errorf("got warnings %q, expected one about trigger b", s.Warnings)
	}
}
