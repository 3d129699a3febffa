package apply_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
	"applysim/wal/storage"
)

const loadedTable = "CREATE TABLE t (id int8 PRIMARY KEY, ref uuid NOT NULL, n int4, note text) WITH (fillfactor = 90);" +
	"CREATE INDEX ON t (ref); CREATE INDEX ON t (n); CREATE INDEX ON t (note, n) WHERE n > 10; CREATE INDEX ON t (n DESC, ref); CREATE UNIQUE INDEX ON t (ref, id);"

func loadedRow(n int) []string {
	h := hash(uint64(n), 5)
	r := []string{number(uint64(2 * n)), uuid(h, h*h), number(h % 200), strings.Repeat("note", int(h/7%30))}
	if h%13 == 0 {
		r[2] = null
	}
	if h%17 == 0 {
		r[3] = null
	}
	return r
}

// Pages that are made when they are touched first are those that were there from the
// beginning: the same changes write the same records, images and all.
func TestLoadPageByPage(t *testing.T) {
	o := options()
	o.Settings.FullPageWrites, o.Settings.DataChecksums = true, true
	if err := o.Settings.Set("wal_compression", "pglz"); err != nil {
		t.Fatal(err)
	}
	const rows = 8000
	for _, how := range []apply.LoadOptions{{}, {Vacuumed: true}, {NewTable: true, Frozen: true}, {Inserted: true}, {IndexesFirst: true, Vacuumed: true}} {
		var want []string
		for _, every := range []bool{true, false} {
			s := subscribe(t, loadedTable, o)
			how.Every = every
			if err := s.Load("public", "t", generated{rows, loadedRow}, how); err != nil {
				t.Fatal(err)
			}
			s.check()
			if got := s.Log().LSN(); got != o.Start || len(s.records) > 0 {
				t.Fatalf("%+v: the log is at %v after the load, with %d records", how, got, len(s.records))
			}
			changeLoaded(s, rows)
			s.check()
			got := s.take()
			st := stateOfLoaded(s.table("t"))
			s.check()
			got = append(got, fmt.Sprintf("%+v", st))
			if every {
				want = got
				continue
			}
			if !slices.Equal(got, want) {
				for i := range got {
					if i >= len(want) || got[i] != want[i] {
						t.Fatalf("%+v: record %d of %d is %q page by page, %q if all pages were there, of %d", how, i, len(got), got[i], want[min(i, len(want)-1)], len(want))
					}
				}
			}
		}
	}
}

// changeLoaded inserts, updates and deletes here and there, and vacuums.
func changeLoaded(s *subscriber, rows int) {
	r := newRand(7)
	messages := []stream.Message{relation(1, "t", 'd', "id*", "ref", "n", "note")}
	gone := map[int]bool{}
	for i := range 150 {
		messages = append(messages, begin())
		for range 1 + r.IntN(8) {
			n := r.IntN(rows)
			v := loadedRow(r.IntN(rows))
			v[0] = number(uint64(2 * n))
			switch k := r.IntN(4); {
			case k == 0:
				v[0] = number(uint64(2*n + 1))
				if gone[-n-1] {
					continue
				}
				gone[-n-1] = true
				messages = append(messages, insert(1, v...))
			case k == 1 && !gone[n]:
				gone[n] = true
				messages = append(messages, del(1, 'K', v[0], null, null, null))
			case k == 2 && !gone[n]:
				same := loadedRow(n)
				same[3] = "changed " + number(uint64(i))
				messages = append(messages, update(1, same...))
			case !gone[n]:
				messages = append(messages, update(1, v...))
			}
		}
		messages = append(messages, commit())
	}
	half := len(messages)/2 + 1
	for messages[half-1].Kind != stream.KindCommit {
		half++
	}
	if err := s.try(messages[:half]...); err != nil {
		s.t.Fatal(err)
	}
	if err := s.Run("VACUUM t", false); err != nil {
		s.t.Fatal(err)
	}
	s.Checkpoint(false)
	if err := s.try(messages[half:]...); err != nil {
		s.t.Fatal(err)
	}
}

// A table that is loaded takes a few bytes a row until it is touched.
func TestLoadMemory(t *testing.T) {
	s := subscribe(t, workloadTable, options())
	const rows = 200000
	if err := s.Load("public", "events", &workload{n: rows}, apply.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	st := s.table("events")
	n, pages := st.Heap.Memory(), st.Heap.Pages()
	for _, x := range st.Indexes {
		n += x.BTree.Memory()
		pages += x.BTree.Pages()
	}
	if n > rows*24 {
		t.Errorf("%d bytes for %d rows", n, rows)
	}
	if err := s.try(tx(relation(1, "events", 'd', "id*", "account_id", "status", "payload", "updated_at"),
		insert(1, "1000000", "7", "3", "x", "2026-06-01"))...); err != nil {
		t.Fatal(err)
	}
	if m := st.Heap.Memory(); m > n {
		t.Errorf("%d bytes for %d pages after one insert", m, pages)
	}
}

// What changes touch of a table that was loaded takes about as much memory as the pages of
// a real one: a few bytes more than a page where row versions have got headers of their
// own, and less elsewhere.
func TestTouchedMemory(t *testing.T) {
	for _, changes := range []int{500, 5_000, 50_000} {
		s := subscribe(t, workloadTable, options())
		const rows = 200_000
		if err := s.Load("public", "events", &workload{n: rows}, apply.LoadOptions{Vacuumed: true}); err != nil {
			t.Fatal(err)
		}
		st := s.table("events")
		memory := func() (bytes, pages int) {
			bytes, pages = st.Heap.Memory(), st.Heap.Made()
			for _, x := range st.Indexes {
				bytes += x.BTree.Memory()
				pages += x.BTree.Made()
			}
			return bytes, pages
		}
		allocated := func() int {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return int(m.HeapAlloc)
		}
		bytes, pages := memory()
		before := allocated()
		r := newRand(5)
		messages := []stream.Message{relation(1, "events", 'd', "id*", "account_id", "status", "payload", "updated_at"), begin()}
		for i := range changes {
			row := []string{number(uint64(1 + r.IntN(rows))), number(uint64(r.IntN(10000))), number(uint64(r.IntN(5))), payload[:128], "2026-02-01 00:00:00+00"}
			switch {
			case i%3 == 0:
				row[0] = number(uint64(rows + 1 + i))
				messages = append(messages, insert(1, row...))
			case i%30 == 1:
				messages = append(messages, del(1, 'K', row[0], null, null, null, null))
			default:
				messages = append(messages, update(1, row...))
			}
		}
		if err := s.try(append(messages, commit())...); err != nil {
			t.Fatal(err)
		}
		messages, s.records = nil, nil
		used, made := memory()
		used, made = used-bytes, (made-pages)*storage.PageSize
		grown := allocated() - before
		runtime.KeepAlive(s)
		t.Logf("%d changes: %d pages of %d bytes touched, %d bytes taken, %d allocated", changes, made/storage.PageSize, made, used, grown)
		if used > made {
			t.Errorf("%d changes: %d bytes of memory for pages of %d bytes", changes, used, made)
		}
		// Package storage takes memory from the system in pieces, the newest of 16 MB, each
		// with a huge page for alignment: what was not handed out yet is not touched.
		const pieces = 24 << 20
		if grown > made*108/100+pieces {
			t.Errorf("%d changes: %d bytes are allocated for pages of %d bytes", changes, grown, made)
		}
	}
}

// What cannot be loaded is refused.
func TestLoadErrors(t *testing.T) {
	const ddl = "CREATE TABLE t (a int NOT NULL, b date); CREATE TABLE p (a int) PARTITION BY RANGE (a);"
	rows := textRows{row("1", "2026-01-01")}
	for _, c := range []struct {
		table string
		rows  textRows
		want  string
	}{
		{"u", rows, `table "u" does not exist in schema "public"`},
		{"p", rows, "is partitioned"},
		{"t", textRows{row("1", "2026-01-01"), row("1", "2026-13-01")}, `row 2, column "b"`},
		{"t", textRows{row(null, null)}, `null value in column "a"`},
	} {
		s := subscribe(t, ddl, options())
		if err := s.Load("public", c.table, c.rows, apply.LoadOptions{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.table, err, c.want)
		}
	}
	s := subscribe(t, ddl, options())
	for i, want := range []string{"", "is not empty"} {
		err := s.Load("public", "t", rows, apply.LoadOptions{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("load %d: %v, expected %q", i+1, err, want)
		}
	}
}

// Texts that begin alike stand in their order in an index that is built: whatever of
// them is the same, in either direction, with NULLs and others after them, and equal ones
// by their rows' places.
func TestLoadOrderOfTexts(t *testing.T) {
	const ddl = `CREATE TABLE t (id bigint PRIMARY KEY, a text, b text COLLATE "C", c bytea);
CREATE INDEX ON t (a); CREATE INDEX ON t (a DESC NULLS LAST, id); CREATE INDEX ON t (b DESC); CREATE INDEX ON t (c, a) INCLUDE (id); CREATE INDEX ON t (b) WHERE id > 40`
	texts := []string{
		"", "12345678", "123456789", "1234567890", "123456789012345678901234", "1234567890123456789012345", "12345678901234567890123z",
		"12345678\x01", "12345678\x01\x01", strings.Repeat("ab", 40), strings.Repeat("ab", 41), strings.Repeat("ab", 40) + "a", strings.Repeat("ab", 40) + "\xc3\xa4",
	}
	r := newRand(3)
	var rows [][]string
	for i := range 3000 {
		row := []string{number(uint64(i)), texts[r.IntN(len(texts))] + number(uint64(r.IntN(50))), texts[r.IntN(len(texts))], null}
		if r.IntN(3) > 0 {
			row[3] = `\x` + strings.Repeat("00", 8+r.IntN(30))
		}
		if r.IntN(20) == 0 {
			row[1], row[2] = null, null
		}
		rows = append(rows, row)
	}
	s := subscribe(t, ddl, options())
	if err := s.Load("public", "t", generated{len(rows), func(n int) []string { return rows[n] }}, apply.LoadOptions{Every: true}); err != nil {
		t.Fatal(err)
	}
	s.check()
	for _, x := range s.table("t").Indexes[:5] {
		if n := x.BTree.Counters.Inserts; n != 0 {
			t.Errorf("%s: %d items were inserted, expected an index that was built", x.Schema.Name, n)
		}
	}
}
