package heap_test

// The heap against a map of rows: random inserts, updates and deletes in
// transactions that commit or abort, with visits that prune in between.

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// row is a row as the model knows it.
type row struct {
	root   storage.TID // where its index entry points
	at     storage.TID // its newest version
	values []datum.Value
}

// source gives the choices of a run: random numbers or a fuzzer's bytes.
type source interface {
	pick(n int) int
	more() bool
}

type randomSource struct {
	r    *rand.Rand
	left int
}

func (s *randomSource) pick(n int) int { return s.r.IntN(n) }
func (s *randomSource) more() bool     { s.left--; return s.left >= 0 }

type byteSource struct{ b []byte }

func (s *byteSource) pick(n int) int {
	x := 0
	for m := n; m > 1 && len(s.b) > 0; m = (m + 255) / 256 {
		x = x<<8 | int(s.b[0])
		s.b = s.b[1:]
	}
	return x % n
}

func (s *byteSource) more() bool { return len(s.b) > 0 }

// model is a table with what should be in it.
type model struct {
	*table
	src     source
	o       heap.Options
	width   int // of payloads, at most
	next    int64
	rows    map[int64]*row
	saved   map[int64]row          // rows when the transaction began
	entries map[storage.TID]uint32 // index entries that lead to nothing: who ended them, 0 if that needs no commit
	pending []storage.TID          // entries whose rows the running transaction made
	was     map[storage.TID]uint32 // entries when the transaction began
}

func newModel(t testing.TB, o heap.Options, width int, src source) *model {
	m := &model{
		table: newTable(t, o), src: src, o: o, width: width,
		rows: map[int64]*row{}, entries: map[storage.TID]uint32{},
	}
	m.xacts.Synchronous = src.pick(2) == 0
	m.start()
	return m
}

func (m *model) start() {
	m.begin()
	m.saved = map[int64]row{}
	for id, r := range m.rows {
		m.saved[id] = *r
	}
	m.was = maps.Clone(m.entries)
	m.pending = m.pending[:0]
}

func (m *model) values(id int64) []datum.Value {
	v := []datum.Value{{Bits: uint64(id)}, {Bits: uint64(int64(m.src.pick(5) - 2))}, {}}
	if m.src.pick(4) == 0 {
		v[1] = datum.Value{Null: true}
	}
	n := m.src.pick(m.width + 1)
	if m.src.pick(3) > 0 {
		n /= 8
	}
	v[2].Bytes = bytes.Repeat([]byte{byte('a' + m.src.pick(26))}, n)
	return v
}

func equal(a, b []datum.Value) bool {
	return slices.EqualFunc(a, b, func(x, y datum.Value) bool {
		return x.Null == y.Null && (x.Null || x.Bits == y.Bits && bytes.Equal(x.Bytes, y.Bytes))
	})
}

// pickRow chooses a row.
func (m *model) pickRow() (int64, *row) {
	if len(m.rows) == 0 {
		return 0, nil
	}
	for id := 1 + int64(m.src.pick(int(m.next))); ; id = id%m.next + 1 {
		if r := m.rows[id]; r != nil {
			return id, r
		}
	}
}

// visit follows a row's index entry.
func (m *model) visit(r *row) {
	tid, ok, dead := m.Fetch(noPage, r.root)
	if !ok || dead || tid != r.at {
		m.t.Fatalf("entry %v leads to %v (%v, all dead %v), expected %v", r.root, tid, ok, dead, r.at)
	}
}

func (m *model) step() {
	switch m.src.pick(12) {
	case 0, 1, 2:
		m.next++
		v := m.values(m.next)
		tid := m.insert(v...)
		m.rows[m.next] = &row{tid, tid, v}
		m.pending = append(m.pending, tid)
	case 3, 4, 5, 6, 7:
		id, r := m.pickRow()
		if r == nil {
			return
		}
		m.visit(r)
		v := m.values(id)
		if m.src.pick(2) == 0 {
			v[2] = r.values[2]
			if m.src.pick(2) == 0 {
				v[1] = r.values[1]
			}
		}
		m.Pin(r.at.Block)
		m.Lock(r.at)
		indexed := slices.ContainsFunc(m.o.Indexed, func(i int) bool { return !equal(v[i:i+1], r.values[i:i+1]) })
		u, err := m.Update(r.at, v, m.cid)
		if err != nil {
			m.t.Fatal(err)
		}
		m.Pin(noPage)
		m.cid++
		if want := !indexed && u.TID.Block == r.at.Block; u.HOT != want {
			m.t.Fatalf("update of %v to %v: HOT %v, indexed column changed %v", r.at, u.TID, u.HOT, indexed)
		}
		if !u.HOT {
			m.entries[r.root] = m.xacts.Current
			r.root = u.TID
			m.pending = append(m.pending, u.TID)
		}
		r.at, r.values = u.TID, v
	case 8, 9:
		id, r := m.pickRow()
		if r == nil {
			return
		}
		m.visit(r)
		m.Pin(r.at.Block)
		m.Lock(r.at)
		m.Delete(r.at, m.cid)
		m.Pin(noPage)
		m.cid++
		m.entries[r.root] = m.xacts.Current
		delete(m.rows, id)
	case 10:
		if _, r := m.pickRow(); r != nil {
			m.visit(r)
		}
		if m.src.pick(4) == 0 {
			m.ForgetTarget()
		}
	default:
		if m.src.pick(4) > 0 {
			m.commit()
		} else {
			m.roll()
		}
		if m.src.pick(8) == 0 {
			m.vacuum()
		}
		m.start()
	}
	m.check()
}

// vacuum is a VACUUM between two transactions. The heap TIDs that it finds dead
// are those of the entries that lead to nothing, all of them.
func (m *model) vacuum() {
	o := heap.VacuumOptions{
		Freeze: m.src.pick(2) == 0, NoSkipping: m.src.pick(2) == 0, IndexCleanup: m.src.pick(3) - 1,
	}
	o.Memory = uint64(m.src.pick(2)) << 20 // at 0 each page with dead items is a pass
	m.xacts.Current = 0
	s := m.VacuumBegin(o, true)
	dead := map[storage.TID]bool{}
	cleaned := false
	for m.VacuumNext(s) {
		cleaned = true
		for i, tid := range s.Dead {
			if i > 0 && !s.Dead[i-1].Less(tid) {
				m.t.Fatalf("dead TIDs out of order: %v, %v", s.Dead[i-1], tid)
			}
			if _, ok := m.entries[tid]; !ok {
				m.t.Fatalf("VACUUM takes %v for dead", tid)
			}
			dead[tid] = true
		}
		m.VacuumDead(s)
	}
	for tid := range m.entries {
		if cleaned && !dead[tid] {
			m.t.Fatalf("VACUUM misses %v", tid)
		}
	}
	if cleaned {
		clear(m.entries)
	}
	m.VacuumEnd(s)
	if m.TruncationTried(s) {
		m.Truncate(m.Remaining(s), true)
	}
	m.ForgetTarget()
	m.compare()
}

// roll aborts the transaction: rows and entries are what they were, and the
// entries of the rows that it made lead to nothing.
func (m *model) roll() {
	m.abort()
	m.rows = map[int64]*row{}
	for id, r := range m.saved {
		m.rows[id] = &r
	}
	m.entries = m.was
	for _, tid := range m.pending {
		m.entries[tid] = 0
	}
}

// compare checks the contents of the table against the model's.
func (m *model) compare() {
	m.t.Helper()
	byTID := map[storage.TID]*row{}
	for _, r := range m.rows {
		byTID[r.at] = r
	}
	got := make([]datum.Value, 3)
	last := storage.TID{}
	for tid := range m.Scan {
		r := byTID[tid]
		if r == nil {
			m.t.Fatalf("a row at %v that should not be there", tid)
		}
		if m.Values(got, tid); !equal(got, r.values) {
			m.t.Fatalf("row at %v: %v, expected %v", tid, got, r.values)
		}
		if !last.Less(tid) {
			m.t.Fatalf("row at %v after %v", tid, last)
		}
		last = tid
		delete(byTID, tid)
	}
	if len(byTID) > 0 {
		m.t.Fatalf("%d rows are missing", len(byTID))
	}
	for _, r := range m.rows {
		if m.Vacuumable(r.root) {
			m.t.Fatalf("the entry %v of a living row is vacuumable", r.root)
		}
	}
	// An entry is vacuumable as soon as the transaction that ended its row is over.
	// They are looked at in order: a look may prune, and what it costs is counted.
	for _, tid := range slices.SortedFunc(maps.Keys(m.entries), storage.TID.Compare) {
		xid := m.entries[tid]
		if got, want := m.Vacuumable(tid), xid == 0 || xid != m.xacts.Current; got != want {
			m.t.Fatalf("entry %v, ended by %d: vacuumable %v, expected %v", tid, xid, got, want)
		}
		found, ok, dead := m.Fetch(noPage, tid)
		if ok || dead && !m.Vacuumable(tid) {
			m.t.Fatalf("entry %v leads to %v (%v), all dead %v", tid, found, ok, dead)
		}
	}
	m.check()
}

var modelAttrs = []datum.Attr{
	{Len: 8, Align: 8, ByVal: true, Storage: 'p', NotNull: true},
	{Len: 4, Align: 4, ByVal: true, Storage: 'p'},
	{Len: -1, Align: 4, Storage: 'x', NotNull: true},
}

func TestModel(t *testing.T) {
	for seed := range uint64(24) {
		src := &randomSource{rand.New(rand.NewPCG(seed, 0x68656170)), 1500}
		o := heap.Options{
			Attrs: modelAttrs, Fillfactor: []int{100, 90, 50, 10}[seed%4], Indexed: [][]int{{0}, {0, 1}, {}}[seed%3],
			Logical: seed%2 == 0, Identity: heap.Identity{Full: seed%5 == 0, Columns: []int{0}},
		}
		width := []int{1900, 300, 20}[seed%3]
		t.Logf("seed %d: fillfactor %d, indexed %v, payloads up to %d", seed, o.Fillfactor, o.Indexed, width)
		m := newModel(t, o, width, src)
		for n := 1; src.more(); n++ {
			m.step()
			if n%100 == 0 {
				m.compare()
			}
		}
		m.commit()
		m.compare()
		if seed == 0 && (m.Counters.HOTUpdates == 0 || m.Counters.Pruned == 0 || m.Counters.NewPageUpdates == 0) {
			t.Errorf("seed 0 did not do all it should: %+v", m.Counters)
		}
	}
}

// FuzzModel does the same from bytes.
func FuzzModel(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 8 {
		b := make([]byte, 1500)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		src := &byteSource{b[:min(len(b), 3000)]}
		o := heap.Options{Attrs: modelAttrs, Fillfactor: 10 + src.pick(91), Logical: src.pick(2) == 0}
		o.Indexed = [][]int{{}, {0}, {0, 1}, {2}}[src.pick(4)]
		o.Identity = []heap.Identity{{}, {Full: true}, {Columns: []int{0}}}[src.pick(3)]
		m := newModel(t, o, []int{10, 200, 1900}[src.pick(3)], src)
		for n := 1; src.more(); n++ {
			m.step()
			if n%50 == 0 {
				m.compare()
			}
		}
		m.compare()
		m.commit()
		m.compare()
	})
}
