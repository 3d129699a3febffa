package apply_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/heap"
	"applysim/model/apply"
	"applysim/model/stream"
)

// A new page of the commit log is zeroed every 32,768 transactions, and by the
// first one.
func TestCLOGPages(t *testing.T) {
	o := options()
	o.NextXID = 32766
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY);`, o)
	s.apply(relation(1, "t", 'd', "id*"))
	for id := range 5 {
		s.apply(tx(insert(1, strconv.Itoa(id)))...)
	}
	got := s.take()
	at := slices.Index(got, "CLOG/ZEROPAGE - 34")
	if at < 0 || slices.Contains(got[at+1:], "CLOG/ZEROPAGE - 34") {
		t.Fatalf("records %v", got)
	}
	// It comes before the first change of transaction 32768, the third one.
	if n := strings.Count(strings.Join(got[:at], " "), "COMMIT"); n != 2 || got[at+1] != "Heap/INSERT t 62" {
		t.Errorf("after %d commits, before %s", n, got[at+1])
	}

	o.NextXID = 0 // the first normal one
	s = subscribe(t, `CREATE TABLE t (id int PRIMARY KEY);`, o)
	s.apply(relation(1, "t", 'd', "id*"))
	s.apply(tx(insert(1, "1"))...)
	s.apply(tx(insert(1, "2"))...)
	if got := s.take(); got[0] != "CLOG/ZEROPAGE - 34" || slices.Contains(got[1:], got[0]) {
		t.Errorf("records %v", got)
	}
}

// The transaction's id is given when the first row changes: a transaction that
// only finds nothing has none.
func TestRecordOrder(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int, a int); CREATE INDEX first ON t (a); ALTER TABLE t ADD PRIMARY KEY (id);
		CREATE TABLE u (id int PRIMARY KEY, a int UNIQUE); CREATE INDEX last ON u (a, id);`, options())
	s.apply(relation(1, "t", 'd', "id*", "a"), relation(2, "u", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "5"), insert(2, "1", "5"))...)
	// Indexes in the order of their creation, roots before their first entries.
	want := []string{
		"Heap/INSERT+INIT t 66", "Btree/NEWROOT first 90", "Btree/INSERT_LEAF first 64", "Btree/NEWROOT t_pkey 90", "Btree/INSERT_LEAF t_pkey 64",
		"Heap/INSERT+INIT u 66", "Btree/NEWROOT u_pkey 90", "Btree/INSERT_LEAF u_pkey 64",
		"Btree/NEWROOT u_a_key 90", "Btree/INSERT_LEAF u_a_key 64", "Btree/NEWROOT last 90", "Btree/INSERT_LEAF last 64",
		"Transaction/COMMIT - 65",
	}
	if got := s.take(); !slices.Equal(got, want) {
		t.Errorf("records %s\nexpected %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
	s.apply(tx(updateFrom(1, 'K', row("1", null), row("2", "5")), del(2, 'K', "1", null))...)
	// The key changes: not HOT, entries in both indexes, the old key is logged.
	want = []string{
		"Heap/LOCK t 54", "Heap/UPDATE t 87", "Btree/INSERT_LEAF first 64", "Btree/INSERT_LEAF t_pkey 64",
		"Heap/LOCK u 54", "Heap/DELETE u 67", "Transaction/COMMIT - 65",
	}
	if got := s.take(); !slices.Equal(got, want) {
		t.Errorf("records %s\nexpected %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// With wal_level replica records are shorter: common parts and old keys are left
// out, commits name no database.
func TestWALLevelReplica(t *testing.T) {
	o := options()
	o.Settings.WALLevel = "replica"
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a int);`, o)
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "1", "5"), update(1, "1", "6"), del(1, 'K', "1", null))...)
	want := []string{
		"Heap/INSERT+INIT t 66", "Btree/NEWROOT t_pkey 90", "Btree/INSERT_LEAF t_pkey 64",
		"Heap/LOCK t 54", "Heap/HOT_UPDATE t 74", // 8 bytes of data: 4 in front and 3 behind are the same, 2 + 2 say so
		"Heap/LOCK t 54", "Heap/DELETE t 57", "Transaction/COMMIT - 57",
	}
	if got := s.take(); !slices.Equal(got, want) {
		t.Errorf("records %s\nexpected %s", strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// A preset row was there before: it is found, but it counts nowhere.
func TestPreset(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a text); CREATE INDEX ON t (a);`, options())
	start := s.Log().LSN()
	for id := range 3 {
		if err := s.Preset(heap.FrozenXID, "public", "t", strconv.Itoa(id), "x"); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.take(); len(got) != 0 || s.Log().LSN() != start || s.Log().Total().Records != 0 {
		t.Errorf("records %v, log at %v, %+v", got, s.Log().LSN(), s.Log().Total())
	}
	state := s.table("t")
	if state.Preset != 3 || state.Heap.Counters.Inserts != 0 {
		t.Errorf("%d preset, %d inserted", state.Preset, state.Heap.Counters.Inserts)
	}
	s.apply(relation(1, "t", 'd', "id*", "a"))
	s.apply(tx(insert(1, "7", "x"), update(1, "1", "y"), del(1, 'K', "2", null))...)
	if got, want := s.rows("t"), "0 x; 7 x; 1 y"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
	if got := s.take()[0]; got != "Heap/INSERT t 64" {
		t.Errorf("the first record is %s: the page is not new", got)
	}
	for _, c := range []struct {
		space, name string
		columns     []string
		want        string
	}{
		{"public", "u", []string{"1"}, `table "u" does not exist in schema "public"`},
		{"other", "t", []string{"1", "x"}, `table "t" does not exist in schema "other"`},
		{"public", "t", []string{"1"}, `table "t" has 2 columns, not 1`},
		{"public", "t", []string{"a", "x"}, `invalid input syntax for type integer: "a"`},
	} {
		if err := s.Preset(heap.FrozenXID, c.space, c.name, c.columns...); err == nil || err.Error() != c.want {
			t.Errorf("preset %v of %s.%s: %v, expected %s", c.columns, c.space, c.name, err, c.want)
		}
	}
	s.check()
}

func TestCounters(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a text, n bigint);`, options())
	s.apply(relation(1, "t", 'd', "id*", "a", "n"))
	s.apply(tx(insert(1, "12", "abc", "5"), insert(1, "13", null, "77"))...)
	s.apply(tx(stream.Message{Kind: stream.KindInsert, RelationID: 1, New: stream.Tuple{
		{Format: stream.ColumnBinary, Data: []byte{0, 0, 0, 14}}, {Format: stream.ColumnBinary, Data: []byte("binary")}, {Format: stream.ColumnNull},
	}})...)
	c := s.Counters
	if c.Messages != 8 || c.Relations != 1 || c.Inserts != 3 || c.Changes() != 3 || c.Commits != 2 || c.WritingCommits != 2 {
		t.Errorf("counters %+v", c)
	}
	byType := s.ColumnsByType()
	want := map[string]apply.ColumnCounters{
		"integer": {TextValues: 2, TextBytes: 4, BinaryValues: 1, BinaryBytes: 4},
		"text":    {TextValues: 1, TextBytes: 3, BinaryValues: 1, BinaryBytes: 6, Nulls: 1, Binary: apply.Shape{TailBytes: 6}},
		"bigint":  {TextValues: 2, TextBytes: 3, Nulls: 1},
	}
	for typ, w := range want {
		if byType[typ] != w {
			t.Errorf("%s: %+v, expected %+v", typ, byType[typ], w)
		}
	}
	if got, want := s.rows("t"), "12 abc 5; 13 - 77; 14 binary -"; got != want {
		t.Errorf("rows %s, expected %s", got, want)
	}
}

// An update does not change an index that no changed column stands in, if it is
// HOT; if not, all indexes get an entry.
func TestUpdateIndexes(t *testing.T) {
	s := subscribe(t, `CREATE TABLE t (id int PRIMARY KEY, a int, b int, c int); CREATE INDEX ON t (a) INCLUDE (b);`, options())
	s.apply(relation(1, "t", 'd', "id*", "a", "b", "c"))
	s.apply(tx(insert(1, "1", "1", "1", "1"))...)
	s.take()
	for _, c := range []struct {
		row  []string
		want string
	}{
		{[]string{"1", "1", "1", "2"}, "Heap/HOT_UPDATE"},
		{[]string{"1", "2", "1", "2"}, "Heap/UPDATE"}, // a key column
		{[]string{"1", "2", "2", "2"}, "Heap/UPDATE"}, // an INCLUDE column
		{[]string{"1", "2", "2", "2"}, "Heap/HOT_UPDATE"},
	} {
		s.apply(tx(update(1, c.row...))...)
		got := s.take()
		entries := 0
		for _, r := range got {
			if strings.HasPrefix(r, "Btree/") {
				entries++
			}
		}
		if !strings.HasPrefix(got[1], c.want+" ") || entries != map[string]int{"Heap/HOT_UPDATE": 0, "Heap/UPDATE": 2}[c.want] {
			t.Errorf("update to %v: records %v, expected %s", c.row, got, c.want)
		}
	}
}

// Everything at once, against a map: rows with a primary key and two more
// indexes, random changes and transactions, conflicts that are skipped.
func TestRandomChanges(t *testing.T) {
	for seed := range uint64(4) {
		o := options()
		o.SkipConflicts = true
		o.Settings.SynchronousCommit = seed%2 == 0
		o.Settings.WALLevel = []string{"logical", "replica"}[seed%2]
		s := subscribe(t, fmt.Sprintf(`CREATE TABLE t (id int PRIMARY KEY, code int UNIQUE, a int, pad text) WITH (fillfactor = %d);
			CREATE INDEX ON t (a);`, []int{100, 60, 90, 30}[seed]), o)
		s.apply(relation(1, "t", 'd', "id*", "code", "a", "pad"))
		type rowKey = string
		rows := map[rowKey][]string{}
		r := newRand(seed)
		for range 300 {
			next := map[rowKey][]string{}
			codes := map[string]bool{}
			for k, v := range rows {
				next[k] = v
				codes[v[1]] = true
			}
			conflict := false
			messages := []stream.Message{begin()}
			for range 1 + r.IntN(8) {
				if conflict {
					break
				}
				id := strconv.Itoa(r.IntN(60))
				old, ok := next[id]
				v := []string{id, strconv.Itoa(r.IntN(80)), strconv.Itoa(r.IntN(4)), strings.Repeat("p", r.IntN(200))}
				if ok && r.IntN(2) == 0 {
					v[1] = old[1]
				}
				switch n := r.IntN(10); {
				case n < 3:
					messages = append(messages, insert(1, v...))
					conflict = ok || codes[v[1]]
				case n < 8:
					messages = append(messages, update(1, v...))
					if !ok {
						continue
					}
					conflict = v[1] != old[1] && codes[v[1]]
					delete(codes, old[1])
				default:
					messages = append(messages, del(1, 'K', id, null, null, null))
					if ok {
						delete(codes, old[1])
						delete(next, id)
					}
					continue
				}
				next[id] = v
				codes[v[1]] = true
			}
			s.apply(append(messages, commit())...)
			if !conflict {
				rows = next
			}
			var want []string
			for _, v := range rows {
				want = append(want, strings.Join(v, " "))
			}
			got := strings.Split(s.rows("t"), "; ")
			if len(rows) == 0 {
				got = nil
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: rows %v, expected %v", seed, got, want)
			}
		}
		if c := s.Counters.Conflicts; c["insert_exists"] == 0 || c["update_exists"] == 0 || c["update_missing"] == 0 || c["delete_missing"] == 0 {
			t.Errorf("seed %d: conflicts %v", seed, c)
		}
	}
}
