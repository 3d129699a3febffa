package index_test

// The index against an ordered map that knows nothing of pages: google/btree
// holds the same entries in the order of their keys, and a heap of the test's
// own says which rows are dead.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/btree"

	"applysim/heap/datum"
	"applysim/index"
	"applysim/index/opclass"
	"applysim/wal"
	"applysim/wal/storage"
)

// cell is a column's value as the oracle sees it: a number, a string or both.
type cell struct {
	null bool
	n    int64
	s    string
}

// kind is a column type: how a cell of rank r looks, how it is stored and how
// two of them are ordered. Ranks that ascend give values that ascend (equal
// ones at times).
type kind struct {
	name   string
	attr   datum.Attr
	class  string
	cell   func(r, most int64) cell
	value  func(c cell) datum.Value
	order  func(a, b cell) int
	narrow bool // few values
}

func byNumber(a, b cell) int { return cmp.Compare(a.n, b.n) }
func byString(a, b cell) int { return strings.Compare(a.s, b.s) }

func bits(c cell) datum.Value    { return datum.Value{Bits: uint64(c.n)} }
func payload(c cell) datum.Value { return datum.Value{Bytes: []byte(c.s)} }

// integer spreads ranks over a type's range: the first and the last are its
// extreme values, which an abbreviated key must not take for NULLs.
func integer(min, max int64) func(r, most int64) cell {
	return func(r, most int64) cell {
		switch {
		case r <= 0:
			return cell{n: min}
		case r >= most-1:
			return cell{n: max}
		}
		return cell{n: r - most/2}
	}
}

var (
	int8Kind = kind{
		name: "int8", attr: datum.Attr{Len: 8, Align: 8, ByVal: true, Storage: 'p'}, class: "int8_ops",
		cell: integer(math.MinInt64, math.MaxInt64), value: bits, order: byNumber,
	}
	int4Kind = kind{
		name: "int4", attr: datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}, class: "int4_ops",
		cell: integer(math.MinInt32, math.MaxInt32), value: bits, order: byNumber,
	}
	int2Kind = kind{
		name: "int2", attr: datum.Attr{Len: 2, Align: 2, ByVal: true, Storage: 'p'}, class: "int2_ops", narrow: true,
		cell: func(r, most int64) cell { return cell{n: integer(-32768, 32767)(r, most).n % 32768} }, value: bits, order: byNumber,
	}
	oidKind = kind{
		name: "oid", attr: datum.Attr{Len: 4, Align: 4, ByVal: true, Storage: 'p'}, class: "oid_ops",
		cell:  func(r, most int64) cell { return cell{n: min(max(r, 0)*(math.MaxUint32/most), math.MaxUint32)} },
		value: bits, order: byNumber,
	}
	float8Kind = kind{
		name: "float8", attr: datum.Attr{Len: 8, Align: 8, ByVal: true, Storage: 'p'}, class: "float8_ops",
		cell:  func(r, most int64) cell { return cell{n: r - most/2} },
		value: func(c cell) datum.Value { return datum.Value{Bits: math.Float64bits(float64(c.n) / 3)} },
		order: byNumber,
	}
	uuidKind = kind{
		name: "uuid", attr: datum.Attr{Len: 16, Align: 1, Storage: 'p'}, class: "uuid_ops",
		cell: func(r, _ int64) cell {
			b := binary.BigEndian.AppendUint64(nil, uint64(r)<<3)
			return cell{s: string(binary.BigEndian.AppendUint64(b, uint64(r)*0x9E3779B97F4A7C15))}
		},
		value: payload, order: byString,
	}
	// Short texts that differ within eight bytes.
	codeKind = kind{
		name: "code", attr: datum.Attr{Len: -1, Align: 4, Storage: 'x'}, class: "text_ops",
		cell:  func(r, _ int64) cell { return cell{s: fmt.Sprintf("%05d", r)} },
		value: payload, order: byString,
	}
	// Texts with a long common beginning and a length that varies around the
	// limit of the short header.
	textKind = kind{
		name: "text", attr: datum.Attr{Len: -1, Align: 4, Storage: 'x'}, class: "text_ops",
		cell: func(r, _ int64) cell {
			n := 0
			switch r % 7 {
			case 0:
				n = 100 + int(r%40)
			case 3:
				n = int(r*31%400) - 20
			}
			return cell{s: fmt.Sprintf("warehouse %06d", r) + strings.Repeat("x", max(n, 0))}
		},
		value: payload, order: byString,
	}
	// Texts of a kilobyte that differ at their end: pages of few items, so that
	// the tree is high.
	wideKind = kind{
		name: "wide", attr: datum.Attr{Len: -1, Align: 4, Storage: 'p'}, class: "text_ops",
		cell: func(r, _ int64) cell {
			return cell{s: fmt.Sprintf("%s%06d%s", strings.Repeat("w", 700), r, strings.Repeat("x", int(r%5)*100))}
		},
		value: payload, order: byString,
	}
	// Byte strings, one the beginning of the next: zeros that an abbreviation
	// cannot tell from nothing.
	byteaKind = kind{
		name: "bytea", attr: datum.Attr{Len: -1, Align: 4, Storage: 'x'}, class: "bytea_ops",
		cell: func(r, _ int64) cell {
			return cell{s: string(byte(r/20)) + strings.Repeat("\x00", int(r%20))}
		},
		value: payload, order: byString, narrow: true,
	}
	// Numerics of which three in a row are equal but for their scale.
	numericKind = kind{
		name: "numeric", attr: datum.Attr{Len: -1, Align: 4, Storage: 'm'}, class: "numeric_ops",
		cell:  func(r, most int64) cell { return cell{n: (r - most/2) / 3, s: string(byte((r + most) % 3))} },
		value: func(c cell) datum.Value { return datum.Value{Bytes: numeric(c.n, int(c.s[0]))} },
		order: byNumber,
	}
)

// numeric is a whole number as a stored numeric of the given scale, in the
// short form.
func numeric(n int64, scale int) []byte {
	header := uint16(0x8000 | scale<<7)
	if n < 0 {
		header |= 0x2000
		n = -n
	}
	var digits []uint16 // base 10000, the last first
	for ; n > 0; n /= 10000 {
		digits = append(digits, uint16(n%10000))
	}
	if len(digits) > 0 {
		header |= uint16(len(digits) - 1)
	}
	for len(digits) > 0 && digits[0] == 0 {
		digits = digits[1:]
	}
	b := binary.LittleEndian.AppendUint16(nil, header)
	for _, d := range slices.Backward(digits) {
		b = binary.LittleEndian.AppendUint16(b, d)
	}
	return b
}

// column is a column of a layout.
type column struct {
	kind
	nullable, desc, nullsFirst bool
}

// layout is an index definition. Columns from include on are INCLUDE columns.
type layout struct {
	name    string
	columns []column
	include int // how many of the columns are not keys
}

func (l *layout) keys() int { return len(l.columns) - l.include }

func notNull(k kind) column  { return column{kind: k} }
func nullable(k kind) column { return column{kind: k, nullable: true} }

var layouts = []layout{
	{name: "int8", columns: []column{notNull(int8Kind)}},
	{name: "int4 nullable", columns: []column{nullable(int4Kind)}},
	{name: "int8 nullable desc", columns: []column{{kind: int8Kind, nullable: true, desc: true, nullsFirst: true}}},
	{name: "int8 nulls first", columns: []column{{kind: int8Kind, nullable: true, nullsFirst: true}}},
	{name: "oid nullable", columns: []column{nullable(oidKind)}},
	{name: "int4,int2", columns: []column{notNull(int4Kind), notNull(int2Kind)}},
	{name: "int2,int8", columns: []column{notNull(int2Kind), notNull(int8Kind)}},
	{name: "int2 nullable,int8 nullable", columns: []column{nullable(int2Kind), nullable(int8Kind)}},
	{name: "int8,int8", columns: []column{notNull(int8Kind), notNull(int8Kind)}},
	{name: "int8 desc,int8 nullable", columns: []column{{kind: int8Kind, desc: true}, nullable(int8Kind)}},
	{name: "code", columns: []column{notNull(codeKind)}},
	{name: "text", columns: []column{notNull(textKind)}},
	{name: "text nullable desc", columns: []column{{kind: textKind, nullable: true, desc: true, nullsFirst: true}}},
	{name: "text desc nulls last,int4", columns: []column{{kind: textKind, nullable: true, desc: true}, nullable(int4Kind)}},
	{name: "wide", columns: []column{notNull(wideKind)}},
	{name: "int2 nullable,wide,int4", columns: []column{nullable(int2Kind), notNull(wideKind), notNull(int4Kind)}},
	{name: "bytea", columns: []column{nullable(byteaKind)}},
	{name: "uuid", columns: []column{notNull(uuidKind)}},
	{name: "numeric", columns: []column{nullable(numericKind)}},
	{name: "numeric,int8", columns: []column{notNull(numericKind), notNull(int8Kind)}},
	{name: "float8", columns: []column{nullable(float8Kind)}},
	{name: "mixed", columns: []column{
		nullable(int2Kind), {kind: codeKind, nullable: true, desc: true, nullsFirst: true}, notNull(int4Kind), nullable(numericKind),
	}},
	{name: "int4 include int8", columns: []column{notNull(int4Kind), notNull(int8Kind)}, include: 1},
	{name: "code nullable include text", columns: []column{nullable(codeKind), nullable(textKind)}, include: 1},
}

// options are the index's options for a layout.
func (l *layout) options() index.Options {
	o := index.Options{Name: "x", Keys: l.keys(), Fillfactor: 90, Deduplicate: true}
	for i, c := range l.columns {
		col := index.Column{Attr: c.attr, Desc: c.desc, NullsFirst: c.nullsFirst}
		col.Attr.NotNull = !c.nullable
		if i < l.keys() {
			col.Class = opclass.ByName(c.class)
		}
		o.Columns = append(o.Columns, col)
	}
	return o
}

// compare orders two keys as the index should.
func (l *layout) compare(a, b []cell) int {
	for i := range l.keys() {
		if c := l.compareCell(i, a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func (l *layout) compareCell(i int, a, b cell) int {
	c := &l.columns[i]
	switch {
	case a.null && b.null:
		return 0
	case a.null == c.nullsFirst && (a.null || b.null):
		return -1
	case a.null || b.null:
		return 1
	case c.desc:
		return c.order(b, a)
	}
	return c.order(a, b)
}

// values are a row's values for the index.
func (l *layout) values(row []cell) []datum.Value {
	v := make([]datum.Value, len(row))
	for i, c := range row {
		if c.null {
			v[i].Null = true
		} else {
			v[i] = l.columns[i].value(c)
		}
	}
	return v
}

func (l *layout) anyNull(row []cell) bool {
	return slices.ContainsFunc(row[:l.keys()], func(c cell) bool { return c.null })
}

// state is what the heap says of a row version.
type state uint8

const (
	gone  state = iota // dead to everybody, or its line pointer dead
	ended              // deleted or replaced, but somebody may still see it
	living
)

// fakeHeap is a table of which only the versions' states are known.
type fakeHeap struct {
	states  map[storage.TID]state
	fetches int
	xid     uint32
}

func (h *fakeHeap) Fetch(_ storage.BlockNumber, tid storage.TID) (storage.TID, bool, bool) {
	h.fetches++
	s := h.states[tid]
	if s == living {
		return tid, true, false
	}
	return storage.TID{}, false, s == gone
}

func (h *fakeHeap) Vacuumable(tid storage.TID) bool { return h.states[tid] == gone }
func (h *fakeHeap) NextXID() uint32                 { return h.xid }
func (h *fakeHeap) Removable(xid uint32) bool       { return xid < h.xid }

// entry is an index entry as the oracle holds it.
type entry struct {
	row []cell
	tid storage.TID
}

// source gives a test its choices: random numbers, or the bytes of a fuzzer.
type source interface {
	// pick returns a number from 0 to n-1.
	pick(n int) int
	// more says whether there are choices left.
	more() bool
}

type randomSource struct {
	*rand.Rand
	left int
}

func newRandom(seed uint64, steps int) *randomSource {
	return &randomSource{rand.New(rand.NewPCG(seed, 0x6E62747265650000)), steps}
}

func (r *randomSource) pick(n int) int { return r.IntN(n) }
func (r *randomSource) more() bool     { r.left--; return r.left >= 0 }

// byteSource takes its choices from bytes; when they are used up it picks 0.
type byteSource struct{ b []byte }

func (s *byteSource) pick(n int) int {
	x := 0
	for m := n; m > 1; m = (m + 255) / 256 {
		if len(s.b) == 0 {
			break
		}
		x = x<<8 | int(s.b[0])
		s.b = s.b[1:]
	}
	return x % n
}

func (s *byteSource) more() bool { return len(s.b) > 0 }

// profile is how rows arrive.
type profile struct {
	keys  int64 // different ranks
	order int   // of keys: 0 random, 1 ascending, 2 descending, 3 few at a time, 4 ascending in bursts of one first column
	tids  int   // of heap TIDs: 0 ascending, 1 descending, 2 random, 3 interleaved
	churn int   // of 10 changes, how many end a row version
	// vacuum is how many changes there are between two VACUUMs, about; 0 for none.
	vacuum int
	// purge is how many changes there are between two times when nine of ten rows
	// that follow each other end, which empties pages.
	purge int
}

// strategies counts the choices of split points that were compared.
var strategies = map[string]int{}

// tester drives an index and its oracle.
type tester struct {
	t      testing.TB
	l      *layout
	o      index.Options
	src    source
	prof   profile
	tree   *index.BTree
	heap   *fakeHeap
	oracle *btree.BTreeG[entry]
	live   []entry // entries whose rows live
	ended  []storage.TID
	free   []storage.TID // TIDs that stand in the index no more
	serial int           // of new TIDs
	space  int           // of new TIDs, at most
	shift  int
	last   wal.Record
	moved  int64 // entries that went, as found

	// blind is for runs that look at a page only when they must, so that items arrive
	// unsorted: without reference, with few lookups.
	blind     bool
	vacuumed  bool                 // VACUUM has run since the last check
	predicted map[storage.TID]bool // entries that the reference said would go since the last check
}

func newTester(t testing.TB, l *layout, o index.Options, p profile, src source, space int) *tester {
	x := &tester{t: t, l: l, o: o, src: src, prof: p, space: space, heap: &fakeHeap{states: map[storage.TID]state{}}, predicted: map[storage.TID]bool{}}
	log := wal.NewLog(wal.Options{Start: 0x1000000, Sink: func(r *wal.Record) { x.last = *r }})
	x.tree = index.NewBTree(o, log, log.Register("x"), x.heap)
	x.oracle = btree.NewG(8, func(a, b entry) bool {
		if c := l.compare(a.row, b.row); c != 0 {
			return c < 0
		}
		return a.tid.Less(b.tid)
	})
	x.shift = src.pick(1 << 16)
	x.blind = src.pick(3) == 0
	return x
}

// perBlock is the number of row versions on a heap page.
const perBlock = 40

func (x *tester) newTID() storage.TID {
	if len(x.free) > 0 && x.src.pick(4) == 0 {
		i := x.src.pick(len(x.free))
		tid := x.free[i]
		x.free[i] = x.free[len(x.free)-1]
		x.free = x.free[:len(x.free)-1]
		return tid
	}
	n := x.serial
	x.serial++
	switch x.prof.tids {
	case 1:
		n = x.space - 1 - n
	case 2:
		// The multiplier is odd, so that each number comes once.
		size := 1
		for size < x.space {
			size *= 2
		}
		n = (n*40503 + x.shift) & (size - 1)
	case 3:
		n = n%3*x.space + n/3
	}
	return storage.TID{Block: storage.BlockNumber(n / perBlock), Offset: storage.OffsetNumber(n%perBlock + 1)}
}

// newRow makes up a row's values.
func (x *tester) newRow() []cell {
	row := make([]cell, len(x.l.columns))
	for i := range row {
		c := &x.l.columns[i]
		most := x.prof.keys
		if c.narrow {
			most = min(most, 400)
		}
		if i > 0 && x.prof.order != 4 {
			most = max(most/4, 3)
		}
		if c.nullable && x.src.pick(6) == 0 {
			row[i] = cell{null: true}
			continue
		}
		var r int64
		switch {
		case x.prof.order == 4 && i == 0:
			r = 1 + int64(x.serial/60)*7919%min(most, 30)
		case x.prof.order == 4:
			r = int64(x.serial) % most
		case x.prof.order == 1 && i == 0:
			r = int64(x.serial) % most
		case x.prof.order == 2 && i == 0:
			r = most - 1 - int64(x.serial)%most
		case x.prof.order == 3 && i == 0:
			r = (int64(x.serial/100)*7919 + int64(x.src.pick(3))) % most
		default:
			r = int64(x.src.pick(int(most)))
		}
		row[i] = c.cell(r, most)
	}
	return row
}

// insert adds an entry to both sides. A unique key that is taken ends the row at
// once, as the rolled back transaction does.
func (x *tester) insert(row []cell, unchanged bool) {
	tid := x.newTID()
	want := false
	if x.o.Unique && (x.o.NullsNotDistinct || !x.l.anyNull(row)) {
		x.oracle.AscendGreaterOrEqual(entry{row: row}, func(e entry) bool {
			if x.l.compare(e.row, row) != 0 {
				return false
			}
			want = x.heap.states[e.tid] == living
			return !want
		})
	}
	x.heap.states[tid] = living
	var predicted []storage.TID
	if !x.blind {
		how, err := x.tree.CheckSplit(x.l.values(row), tid)
		if err != nil {
			x.t.Fatalf("insert of %v at %v: %v", row, tid, err)
		}
		for _, h := range how {
			strategies[h]++
		}
		predicted = x.tree.PredictDeletes(x.l.values(row), tid, unchanged)
		for _, p := range predicted {
			x.predicted[p] = true
		}
	}
	deleted := x.tree.Counters.DeletedTIDs
	got, err := x.tree.Insert(x.l.values(row), tid, unchanged)
	if err != nil {
		x.t.Fatalf("insert of %v: %v", row, err)
	}
	if n := x.tree.Counters.DeletedTIDs - deleted; !x.blind && n != int64(len(predicted)) {
		x.t.Fatalf("insert of %v at %v deleted %d entries, expected %v", row, tid, n, predicted)
	}
	if got != want {
		x.t.Fatalf("insert of %v at %v: duplicate %v, expected %v", row, tid, got, want)
	}
	if x.last.Relation != 0 || x.tree.PageLSN(x.last.Block) != x.last.End {
		x.t.Fatalf("page %d has LSN %v after a record that ends at %v", x.last.Block, x.tree.PageLSN(x.last.Block), x.last.End)
	}
	e := entry{row, tid}
	if _, ok := x.oracle.ReplaceOrInsert(e); ok {
		x.t.Fatalf("the test inserted %v twice", tid)
	}
	if want {
		x.heap.states[tid] = gone
	} else {
		x.live = append(x.live, e)
	}
}

// end ends a living row: at once for everybody, or not before the commit.
func (x *tester) end() (entry, bool) {
	if len(x.live) == 0 {
		return entry{}, false
	}
	i := x.src.pick(len(x.live))
	e := x.live[i]
	x.live[i] = x.live[len(x.live)-1]
	x.live = x.live[:len(x.live)-1]
	x.heap.states[e.tid] = ended
	x.ended = append(x.ended, e.tid)
	return e, true
}

// endRange ends most rows of a range of keys.
func (x *tester) endRange() {
	if len(x.live) == 0 {
		return
	}
	from := x.live[x.src.pick(len(x.live))]
	keep := 5 + x.src.pick(200)
	ends := map[storage.TID]bool{}
	x.oracle.AscendGreaterOrEqual(from, func(e entry) bool {
		if x.heap.states[e.tid] == living && len(ends)%keep != keep-1 {
			ends[e.tid] = true
		}
		return len(ends) < 800
	})
	x.live = slices.DeleteFunc(x.live, func(e entry) bool { return ends[e.tid] })
	for tid := range ends {
		x.heap.states[tid] = gone
	}
}

// vacuum deletes the entries of all dead rows, and pages that become empty.
func (x *tester) vacuum() {
	x.check()
	x.vacuumed = true
	x.tree.BulkDelete(func(tid storage.TID) bool { return x.heap.states[tid] == gone }, 4<<20)
	x.tree.VacuumCleanup()
	x.check()
	x.oracle.Ascend(func(e entry) bool {
		if x.heap.states[e.tid] == gone {
			x.t.Fatalf("%v is dead and still there after VACUUM", e.tid)
		}
		return true
	})
}

// commit makes all ended rows dead to everybody.
func (x *tester) commit() {
	x.heap.xid++
	for _, tid := range x.ended {
		x.heap.states[tid] = gone
	}
	x.ended = x.ended[:0]
}

// step makes one change.
func (x *tester) step() {
	switch n := x.src.pick(10); {
	case n >= x.prof.churn:
		x.insert(x.newRow(), false)
	case n%2 == 0: // an update that leaves its page and keeps its key
		if e, ok := x.end(); ok {
			x.insert(e.row, x.src.pick(2) == 0)
		}
	default:
		x.end()
	}
	if x.src.pick(12) == 0 {
		x.commit()
	}
	if x.src.pick(6) == 0 && (!x.blind || x.src.pick(30) == 0) {
		x.lookup()
	}
	if x.prof.purge > 0 && x.src.pick(x.prof.purge) == 0 {
		x.endRange()
	}
	if x.prof.vacuum > 0 && x.src.pick(x.prof.vacuum) == 0 {
		x.vacuum()
	}
}

// lookup looks for the key of some entry, or for any key, and compares what a
// scan finds.
func (x *tester) lookup() {
	row := x.newRow()
	if len(x.live) > 0 && x.src.pick(3) > 0 {
		row = slices.Clone(x.live[x.src.pick(len(x.live))].row)
	}
	var use []bool
	if x.src.pick(12) == 0 {
		use = make([]bool, x.l.keys())
		for i := range use {
			use[i] = x.src.pick(4) > 0
		}
	}
	matches := func(e entry) bool {
		for i := range x.l.keys() {
			if (use == nil || use[i]) && x.l.compareCell(i, e.row[i], row[i]) != 0 {
				return false
			}
		}
		return true
	}
	limit := 1 << 30
	if x.src.pick(3) == 0 {
		limit = x.src.pick(3)
	}
	scan := x.tree.Lookup(x.l.values(row), use)
	found, done := 0, false
	visit := func(e entry) bool {
		if use == nil && x.l.compare(e.row, row) != 0 {
			return false
		}
		if !matches(e) || x.heap.states[e.tid] != living {
			return true
		}
		if found == limit {
			done = true
			return false
		}
		found++
		tid, ok := scan.Next()
		if !ok || tid != e.tid {
			x.t.Fatalf("lookup of %v, columns %v: match %d is %v %v, expected %v", row, use, found, tid, ok, e.tid)
		}
		return true
	}
	if use == nil {
		x.oracle.AscendGreaterOrEqual(entry{row: row}, visit)
	} else {
		x.oracle.Ascend(visit)
	}
	if !done {
		if tid, ok := scan.Next(); ok {
			x.t.Fatalf("lookup of %v, columns %v: %v after %d matches, expected no more", row, use, tid, found)
		}
	}
	scan.End()
}

// check compares the whole index with the oracle. Entries that have gone must
// be dead.
func (x *tester) check() {
	x.t.Helper()
	if err := x.tree.Check(); err != nil {
		x.t.Fatalf("after %d entries: %v", x.serial, err)
	}
	var left []storage.TID
	for tid := range x.tree.All {
		left = append(left, tid)
	}
	var missing []entry
	x.oracle.Ascend(func(e entry) bool {
		if len(left) > 0 && left[0] == e.tid {
			left = left[1:]
			return true
		}
		if x.heap.states[e.tid] != gone {
			x.t.Fatalf("after %d entries: %v of %v is missing or out of place; found %v", x.serial, e.tid, e.row, left[:min(1, len(left))])
		}
		if !x.predicted[e.tid] && !x.vacuumed && !x.blind {
			x.t.Fatalf("after %d entries: %v of %v has gone, which nobody expected", x.serial, e.tid, e.row)
		}
		missing = append(missing, e)
		return true
	})
	x.vacuumed = false
	clear(x.predicted)
	if len(left) > 0 {
		x.t.Fatalf("after %d entries: %d entries too many, the first is %v", x.serial, len(left), left[0])
	}
	for _, e := range missing {
		x.oracle.Delete(e)
		x.free = append(x.free, e.tid)
	}
	x.moved += int64(len(missing))
	if n := x.tree.Counters.DeletedTIDs; n != x.moved {
		x.t.Fatalf("DeletedTIDs is %d, %d entries have gone", n, x.moved)
	}
	if s := x.tree.Stats(); s.LeafPages+s.InternalPages+s.EmptyPages+s.DeletedPages != x.tree.Pages()-1 {
		x.t.Fatalf("%d pages: %+v", x.tree.Pages(), s)
	}
}

var profiles = []struct {
	name string
	profile
}{
	{"random keys", profile{keys: 100_000}},
	{"ascending keys", profile{keys: 100_000, order: 1, churn: 2}},
	{"descending keys", profile{keys: 100_000, order: 2, tids: 1}},
	{"few keys, ascending TIDs", profile{keys: 12}},
	{"few keys, descending TIDs", profile{keys: 5, tids: 1, churn: 3}},
	{"few keys, random TIDs", profile{keys: 30, tids: 2}},
	{"few keys, interleaved TIDs, churn", profile{keys: 60, tids: 3, churn: 5}},
	{"one key", profile{keys: 1, tids: 2}},
	{"bursts", profile{keys: 5_000, order: 3, tids: 2, churn: 4}},
	{"churn", profile{keys: 900, churn: 8}},
	{"vacuum", profile{keys: 3000, tids: 2, churn: 5, vacuum: 150, purge: 200}},
	{"vacuum, ascending keys", profile{keys: 100_000, order: 1, churn: 4, vacuum: 200, purge: 300}},
	{"vacuum, few keys", profile{keys: 8, churn: 5, vacuum: 300, purge: 300}},
	{"tenants", profile{keys: 100_000, order: 4}},
	{"tenants, random TIDs", profile{keys: 100_000, order: 4, tids: 2, churn: 1}},
}

var (
	all   = flag.Bool("all", false, "TestOracle: every layout with every profile")
	steps = flag.Int("steps", 900, "TestOracle: changes per layout and profile")
	seeds = flag.Uint64("seed", 0, "TestOracle: added to each seed")
)

func TestOracle(t *testing.T) {
	for i := range layouts {
		l := &layouts[i]
		t.Run(l.name, func(t *testing.T) {
			for n, p := range profiles {
				if (n+i)%3 != 0 && !*all {
					continue // each layout with a third of the profiles
				}
				seed := *seeds + uint64(100*i+n)
				src := newRandom(seed, *steps)
				o := l.options()
				o.Fillfactor = []int{90, 50, 100}[src.pick(3)]
				o.Deduplicate = src.pick(4) > 0
				o.Unique = src.pick(3) == 0
				o.NullsNotDistinct = src.pick(2) == 0
				t.Logf("seed %d: %s, fillfactor %d, deduplicate %v, unique %v", seed, p.name, o.Fillfactor, o.Deduplicate, o.Unique)
				x := newTester(t, l, o, p.profile, src, *steps)
				for n := 1; x.src.more(); n++ {
					x.step()
					if n%250 == 0 {
						x.check()
					}
				}
				x.commit()
				x.check()
			}
		})
	}
	t.Logf("split points compared: %v", strategies)
}

// Each way to choose a split point has an input of its own here, and how often the
// reference chose it is known.
func TestSplitStrategies(t *testing.T) {
	ints := func(n int) *layout {
		l := &layout{}
		for range n {
			l.columns = append(l.columns, notNull(int8Kind))
		}
		return l
	}
	for _, c := range []struct {
		name       string
		columns    int
		fillfactor int
		tids       int
		row        func(n int) []int64
		want       string // one strategy that must be chosen at least once,
		only       bool   // or always
	}{
		{"ascending", 1, 90, 0, func(n int) []int64 { return []int64{int64(n)} }, "fillfactor", true},
		{"descending", 1, 90, 0, func(n int) []int64 { return []int64{int64(-n)} }, "half", false},
		{"random", 1, 90, 0, func(n int) []int64 { return []int64{int64(n * 7919 % 4001)} }, "half", false},
		{"one value", 1, 90, 0, func(n int) []int64 { return []int64{5} }, "single value", true},
		{"one value, TIDs at random", 1, 90, 2, func(n int) []int64 { return []int64{5} }, "half", false},
		{"few values", 1, 90, 0, func(n int) []int64 { return []int64{int64(n * 7919 % 7)} }, "many duplicates", false},
		{"many equal, then descending", 1, 90, 0, func(n int) []int64 {
			if n < 1500 {
				return []int64{0}
			}
			return []int64{int64(5000 - n)}
		}, "many duplicates, half", false},
		{"bursts of tenants", 2, 90, 0, func(n int) []int64 { return []int64{int64(n / 60 * 7919 % 20), int64(n)} }, "after new item", false},
		{"bursts of tenants, half full", 2, 40, 0, func(n int) []int64 { return []int64{int64(n / 60 * 7919 % 20), int64(n)} }, "after new item, fillfactor", false},
	} {
		l := ints(c.columns)
		o := l.options()
		o.Fillfactor, o.Deduplicate = c.fillfactor, false
		clear(strategies)
		x := newTester(t, l, o, profile{keys: 1, tids: c.tids}, newRandom(1, 0), 5000)
		x.blind = false
		for n := range 5000 {
			var row []cell
			for _, v := range c.row(n) {
				row = append(row, cell{n: v})
			}
			x.insert(row, false)
		}
		x.check()
		if strategies[c.want] == 0 || c.only && len(strategies) > 1 {
			t.Errorf("%s: %v, expected %q", c.name, strategies, c.want)
		}
	}
}

// Versions of few rows in a unique index, more than a page of them for each
// key: the walk to the right during a unique insert.
func TestUniqueVersions(t *testing.T) {
	for _, dedup := range []bool{false, true} {
		for _, tids := range []int{0, 1, 2} {
			l := &layouts[0]
			o := l.options()
			o.Unique, o.Deduplicate = true, dedup
			const steps = 1800
			x := newTester(t, l, o, profile{keys: 100_000, tids: tids}, newRandom(uint64(tids), steps), 2*steps)
			x.insert([]cell{{n: 7}}, false)
			x.insert([]cell{{n: 9}}, false)
			for n := 1; x.src.more(); n++ {
				e, _ := x.end()
				x.insert(e.row, false)
				if n%900 == 0 {
					x.check()
				}
			}
			x.check()
			x.commit()
			for range 500 {
				e, _ := x.end()
				x.insert(e.row, false)
			}
			x.check()
		}
	}
}

// A scan that ends early marks only what it has passed.
func TestKillMarks(t *testing.T) {
	l := &layouts[0]
	x := newTester(t, l, l.options(), profile{keys: 10}, newRandom(1, 0), 100)
	for range 5 {
		x.insert([]cell{{n: 1}}, false)
	}
	x.heap.states[x.live[0].tid] = gone
	x.heap.states[x.live[1].tid] = ended
	scan := x.tree.Lookup([]datum.Value{{Bits: 1}}, nil)
	if tid, ok := scan.Next(); !ok || tid != x.live[2].tid {
		t.Fatalf("found %v %v, expected %v", tid, ok, x.live[2].tid)
	}
	scan.End()
	if n := x.tree.Counters.Killed; n != 1 {
		t.Errorf("%d entries marked, expected the first one", n)
	}
	before := x.heap.fetches
	scan = x.tree.Lookup([]datum.Value{{Bits: 1}}, nil)
	for range 3 {
		if _, ok := scan.Next(); !ok {
			t.Fatal("a living row is not found")
		}
	}
	if _, ok := scan.Next(); ok {
		t.Fatal("found a row too many")
	}
	scan.End()
	if n := x.heap.fetches - before; n != 4 {
		t.Errorf("%d rows fetched, expected 4: the marked entry is passed over", n)
	}
	line := x.tree.AppendPageLine(nil, 1)
	if n := bytes.Count(line, []byte(",true")); n != 1 {
		t.Errorf("%d items shown as dead, expected 1: %s", n, line)
	}
}

// Values of more than 510 bytes with their header are compressed in the index; what
// is too long even so is refused and leaves the index as it was.
func TestLongValues(t *testing.T) {
	l := &layout{columns: []column{notNull(textKind)}}
	x := newTester(t, l, l.options(), profile{keys: 10}, newRandom(1, 0), 100)
	x.insert([]cell{{s: "a"}}, false)
	x.insert([]cell{{s: strings.Repeat("z", 506)}}, false)
	x.insert([]cell{{s: strings.Repeat("z", 507)}}, false)
	x.insert([]cell{{s: strings.Repeat("z", 10_000)}}, false)
	x.check()
	sizes := string(x.tree.AppendPageLine(nil, 1))
	if !strings.Contains(sizes, ",520,false") || strings.Count(sizes, ",520,false") != 1 {
		t.Errorf("items %s: expected one of 520 bytes, 506 with two headers, the longer ones being compressed", sizes)
	}

	plain := textKind
	plain.attr.Storage = 'p'
	l = &layout{columns: []column{notNull(plain)}}
	x = newTester(t, l, l.options(), profile{keys: 10}, newRandom(1, 0), 100)
	x.insert([]cell{{s: "a"}}, false)
	x.insert([]cell{{s: strings.Repeat("b", index.MaxItemSize-12)}}, false)
	_, err := x.tree.Insert([]datum.Value{{Bytes: make([]byte, index.MaxItemSize-11)}}, storage.TID{Block: 1, Offset: 1}, false)
	if want := `index row size 2712 exceeds btree version 4 maximum 2704 for index "x"`; err == nil || err.Error() != want {
		t.Errorf("a row of 2712 bytes gives %v, expected %s", err, want)
	}
	x.check()
}

// FuzzOracle drives the index from bytes: the first ones choose layout, options
// and profile.
func FuzzOracle(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 1, 2, 3})
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 24 {
		b := make([]byte, 4096)
		for j := range b {
			b[j] = byte(r.Uint32())
		}
		b[0] = byte(i)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = b[:min(len(b), 4096)]
		src := &byteSource{b}
		l := &layouts[src.pick(len(layouts))]
		o := l.options()
		o.Fillfactor = 10 + 10*src.pick(10)
		flags := src.pick(8)
		o.Unique, o.Deduplicate, o.NullsNotDistinct = flags&1 != 0, flags&2 != 0, flags&4 != 0
		p := profile{keys: 1 << src.pick(14), order: src.pick(5), tids: src.pick(4), churn: src.pick(9), vacuum: 100 * src.pick(3), purge: 100 * src.pick(3)}
		// Each choice stands for several rows, so that pages fill up.
		times := 1 + src.pick(8)
		x := newTester(t, l, o, p, src, 1<<17)
		for n := 1; src.more(); n++ {
			for range times {
				x.step()
			}
			if n%256 == 0 {
				x.check()
			}
		}
		x.commit()
		x.check()
	})
}
