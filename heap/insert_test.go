package heap_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
)

// Rows of 1000 bytes, 1004 with their line pointer, on a page of 8168: how many
// fit depends on what the fillfactor keeps free.
func TestFillfactor(t *testing.T) {
	for _, c := range []struct {
		fillfactor, length int
		perPage            int
	}{
		{100, 1000, 8}, // 8 * 1004 = 8032
		{90, 1000, 7},  // 819 are kept free
		{70, 1000, 5},  // 2457
		{50, 1000, 4},  // 4096
		{10, 1000, 1},  // the sum exceeds 8016: asked for are 8016
		{10, 28, 22},   // 7372: with 22 rows of 36 bytes on it, 7372 are left, less than 7404
		{100, 28, 226}, // 36 each: 8168 / 36
		{100, 4000, 2},
		{100, 4080, 2}, // 2 * 4084 = 8168
		{100, 4081, 1},
		{10, 8160, 1},
		{100, 8160, 1}, // the longest row
	} {
		h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}, Fillfactor: c.fillfactor})
		row := []datum.Value{num(1), pad(max(c.length, 32))}
		if c.length < 32 {
			// Without a payload: 24 + 4 and nothing.
			h = newTable(t, heap.Options{Attrs: []datum.Attr{int4}, Fillfactor: c.fillfactor})
			row = row[:1]
		}
		h.begin()
		n := 0
		for ; h.Pages() < 2; n++ {
			h.insert(row...)
		}
		h.commit()
		if n-1 != c.perPage {
			t.Errorf("fillfactor %d, rows of %d bytes: %d on a page, expected %d", c.fillfactor, c.length, n-1, c.perPage)
		}
		if got, want := h.Header(0).Lower, 24+4*c.perPage; got != want {
			t.Errorf("fillfactor %d, rows of %d bytes: lower %d, expected %d", c.fillfactor, c.length, got, want)
		}
		if got, want := h.Header(0).Upper, 8192-c.perPage*((c.length+7)/8*8); got != want {
			t.Errorf("fillfactor %d, rows of %d bytes: upper %d, expected %d", c.fillfactor, c.length, got, want)
		}
	}
}

// A page has at most 291 line pointers, though 20 bytes are left.
func TestMostLinePointers(t *testing.T) {
	h := newTable(t, heap.Options{})
	h.begin()
	for range 583 {
		h.insert()
	}
	h.commit()
	if h.Pages() != 3 || h.Header(0).Lower != 24+4*291 || h.Header(0).Upper != 8192-24*291 || h.Header(2).Lower != 28 {
		t.Errorf("%d pages, the first one %+v", h.Pages(), h.Header(0))
	}
	if got := h.records[0]; got != "INSERT+INIT 0 58" {
		t.Errorf("the first record is %q", got)
	}
}

func TestInsertRecords(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, text, int8}})
	h.tx(func() {
		h.insert(num(1), datum.Value{Bytes: []byte("ab")}, num(2))           // 24 + 4+3 -> 8 + 8 = 40
		h.insert(num(1), datum.Value{Null: true}, num(2))                    // bitmap: 24 + 4 -> 8 + 8 = 40
		h.insert(num(1), datum.Value{Bytes: make([]byte, 127)}, num(2))      // 24 + 4 + 131 -> 136 + 8
		h.insert(datum.Value{Null: true}, datum.Value{Null: true}, num(258)) // 24 + 8
	})
	if got, want := h.take(), "INSERT+INIT 0 74, INSERT 0 74, INSERT 0 202, INSERT 0 66"; got != want {
		t.Errorf("records %s, expected %s", got, want)
	}
	if got, want := h.lines(0), "40 40 168 32"; got != want {
		t.Errorf("line pointers %s, expected %s", got, want)
	}
	if got, want := string(h.AppendPageLine(nil, 0)), "heap\tt\t0\t40\t7912\t8152,1,40 8112,1,40 7944,1,168 7912,1,32"; got != want {
		t.Errorf("page line %q, expected %q", got, want)
	}
	// The bytes after the header: bitmap (bit set where not null), then data.
	if got, want := h.Body(at(0, 4)), []byte{4, 2, 1, 0, 0, 0, 0, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("body %x, expected %x", got, want)
	}
	if h.Body(at(0, 5)) != nil || h.Body(at(0, 0)) != nil || h.Body(at(1, 1)) != nil {
		t.Error("Body returns something for a version that is not there")
	}
	if v := h.values(at(0, 4), 3); !v[0].Null || !v[1].Null || v[2].Bits != 258 {
		t.Errorf("values %+v", v)
	}
}

// A table with nine or more columns has a bitmap of two bytes, which moves the
// data area.
func TestBitmapSize(t *testing.T) {
	for columns, want := range map[int]int{1: 24, 8: 24, 9: 32, 72: 32, 73: 40} {
		attrs := make([]datum.Attr, columns)
		row := make([]datum.Value, columns)
		for i := range attrs {
			attrs[i] = int4
			row[i].Null = true
		}
		h := newTable(t, heap.Options{Attrs: attrs})
		h.tx(func() { h.insert(row...) })
		if got := h.LinePointers(nil, 0)[0].Length; got != want {
			t.Errorf("%d columns, all NULL: %d bytes, expected %d", columns, got, want)
		}
	}
}

// The free space map is asked only for pages that proved too small: a short row
// does not go back to an earlier page by itself, but a row that does not fit
// where the last one went finds room on a page that was left before.
func TestTargetPage(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
	h.begin()
	put := func(length int, want string) {
		t.Helper()
		if got := h.insert(num(1), pad(length)).String(); got != want {
			t.Errorf("a row of %d bytes went to %s, expected %s", length, got, want)
		}
	}
	put(5000, "(0,1)") // 3164 left
	put(4000, "(1,1)") // page 0 is noted with 3160 bytes, 98 steps of 32
	put(1000, "(1,2)") // the page of the last row has room: nobody asks
	put(3000, "(1,3)") // 3156 left, less 4
	put(3000, "(0,2)") // page 1 is full; page 0 is known to have room
	put(100, "(0,3)")
	put(3000, "(2,1)") // neither has
	h.ForgetTarget()
	put(100, "(2,2)") // the map's root knows nothing: the last page
	h.commit()
}

func TestTooBig(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
	h.begin()
	first := h.insert(num(1), pad(100))
	_, err := h.Insert([]datum.Value{num(2), pad(8168)}, h.cid)
	if want := "row is too big: size 8168, maximum size 8160"; err == nil || err.Error() != want {
		t.Errorf("error %v, expected %s", err, want)
	}
	h.insert(num(3), pad(100))
	if h.LinePointers(nil, 0)[1].Length != 100 {
		t.Errorf("line pointers %s", h.lines(0))
	}
	h.commit()
	h.begin()
	h.Lock(first)
	if _, err := h.Update(first, []datum.Value{num(2), pad(9000)}, 1); err == nil {
		t.Error("an update to a row of 9000 bytes succeeds")
	}
	h.abort()
}

// Rows that are refused, whatever their length, must not disturb those that
// follow: all versions share one arena.
func TestTooBigLeavesArena(t *testing.T) {
	h := newTable(t, heap.Options{Attrs: []datum.Attr{int4, plain}})
	r := rand.New(rand.NewPCG(1, 1))
	h.begin()
	want := map[string][]byte{}
	for n := range 3000 {
		if n%3 == 1 {
			if _, err := h.Insert([]datum.Value{num(0), pad(8161 + r.IntN(60_000))}, h.cid); err == nil {
				t.Fatal("a row that is too big was inserted")
			}
		}
		b := bytes.Repeat([]byte(fmt.Sprintf("%05d", n)), 1+r.IntN(30))
		tid := h.insert(num(int64(n)), datum.Value{Bytes: b})
		want[tid.String()] = b
	}
	h.commit()
	for tid := range h.Scan {
		v := h.values(tid, 2)
		if b := want[tid.String()]; !bytes.Equal(v[1].Bytes, b) {
			t.Fatalf("row %d at %v: %q, expected %q", v[0].Bits, tid, v[1].Bytes, b)
		}
		delete(want, tid.String())
	}
	if len(want) > 0 {
		t.Errorf("%d rows are missing", len(want))
	}
}
