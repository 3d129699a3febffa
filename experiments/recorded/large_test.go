package recorded_test

import (
	"bytes"
	"io"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"applysim/experiments/recorded"
	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// noise is n bytes that do not compress.
type noise struct {
	n int
	x uint64
}

func (r *noise) Read(b []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	b = b[:min(len(b), r.n)]
	for i := range b {
		r.x ^= r.x << 13
		r.x ^= r.x >> 7
		r.x ^= r.x << 17
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[r.x&63]
	}
	r.n -= len(b)
	return len(b), nil
}

// inserts is a stream of transactions that insert a row (id, v) each, v of so many
// bytes. The values are not held anywhere.
func inserts(rows, size int) io.Reader {
	r := &stream.Relation{ID: 1, Namespace: "public", Name: "t", Identity: 'd', Columns: []stream.RelationColumn{
		{Flags: 1, Name: "id", TypeID: 23, Typmod: -1}, {Name: "v", TypeID: 25, Typmod: -1}}}
	parts := []io.Reader{bytes.NewReader(append(stream.AppendRelation(nil, 0, r), '\n'))}
	for i := range rows {
		lsn := stream.LSN(0x1000000 + i*100)
		b := append(stream.AppendBegin(nil, lsn, 0, uint32(700+i)), '\n')
		// An insert ends in its last value: a short one of the same kind shows how it begins.
		m := stream.AppendInsert(nil, 0, 1, stream.Tuple{{Format: 't', Data: []byte(strconv.Itoa(i))}, {Format: 't'}})
		m = m[:len(m)-4]
		b = append(append(b, m...), byte(size>>24), byte(size>>16), byte(size>>8), byte(size))
		parts = append(parts, bytes.NewReader(b), &noise{n: size, x: uint64(i + 1)},
			bytes.NewReader(append(append([]byte{'\n'}, stream.AppendCommit(nil, lsn, lsn+50, 0)...), '\n')))
	}
	return io.MultiReader(parts...)
}

func worker(t *testing.T, ddl string) *apply.Worker {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "test.sql")
	if err != nil {
		t.Fatal(err)
	}
	s := guc.Defaults()
	s.FullPageWrites = false
	w, err := apply.New(db, apply.Options{Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A large value is held twice: as it came, and in the pages of the TOAST table, which
// are as large on a real server. The buffers before the last one, of which each is
// twice as large as the one before, come on top.
func TestMemoryOfLargeValue(t *testing.T) {
	const size = 60 << 20 // with the message around it, below a power of two
	for _, c := range []struct{ name, column string }{
		{"external", "v text STORAGE external"}, {"pglz", "v text"}, {"lz4", "v text COMPRESSION lz4"},
	} {
		w := worker(t, "CREATE TABLE t (id int PRIMARY KEY, "+c.column+");")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		if _, err := recorded.Apply(w, inserts(1, size)); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		allocated := float64(after.TotalAlloc-before.TotalAlloc) / size
		t.Logf("%s: %.2f times the value allocated", c.name, allocated)
		if allocated > 3 {
			t.Errorf("%s: a value of %d bytes allocates %.2f times as much, expected at most 3", c.name, size, allocated)
		}
		if chunks := w.Counters.Chunks; chunks != (size+1995)/1996 {
			t.Errorf("%s: %d chunks, expected %d", c.name, chunks, (size+1995)/1996)
		}
	}
}

// Four times as many TOASTed rows, or rows four times as large, are at most four times
// as much work by any counter, a logarithm for the height of the index aside.
func TestToastIsLinear(t *testing.T) {
	work := func(rows, size int) map[string]int64 {
		w := worker(t, "CREATE TABLE t (id int PRIMARY KEY, v text);")
		if _, err := recorded.Apply(w, inserts(rows, size)); err != nil {
			t.Fatal(err)
		}
		all := map[string]int64{"WAL bytes": w.Log().Total().Bytes, "WAL records": w.Log().Total().Records}
		add := func(name string, counters any) {
			v := reflect.ValueOf(counters)
			for i := range v.NumField() {
				if v.Field(i).CanInt() {
					all[name+" "+v.Type().Field(i).Name] += v.Field(i).Int()
				}
			}
		}
		add("worker", w.Counters)
		table := w.Tables()[0]
		add("table", table.Heap.Counters)
		add("index", table.Indexes[0].BTree.Counters)
		add("TOAST table", table.Toast.Counters)
		add("TOAST index", table.ToastIndex.Counters)
		return all
	}
	base := work(200, 40000)
	for _, c := range []struct{ rows, size int }{{800, 40000}, {200, 160000}} {
		more := work(c.rows, c.size)
		if len(more) < 30 || more["worker Chunks"] < 3*base["worker Chunks"] {
			t.Fatalf("counters %v: expected those of TOAST", more)
		}
		for name, n := range more {
			// Levels grow with the logarithm; a split looks at all items of its page.
			if limit := 5.2*float64(base[name]) + 1000; float64(n) > limit {
				t.Errorf("%d rows of %d bytes: %s: %d, expected at most 5.2 times %d", c.rows, c.size, name, n, base[name])
			}
		}
	}
}
