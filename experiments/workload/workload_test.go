package workload

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"applysim/model/stream"
)

func generate(t testing.TB, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Generate(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func small(f func(*Options)) Options {
	o := DefaultOptions()
	o.Rows = 1010
	f(&o)
	return o
}

// TestHash pins the bytes: the same options give the same stream, for ever.
func TestHash(t *testing.T) {
	for _, c := range []struct {
		name, want string
		o          Options
	}{
		{"default", "62fbacd5b4a16596", small(func(*Options) {})},
		{"eight clients", "fe7cf3667e01e458", small(func(o *Options) { o.Clients = 8 })},
		{"binary", "6d718d14cb388d61", small(func(o *Options) { o.Binary = true })},
		{"clock", "8db2c31fc50d5272", small(func(o *Options) { o.Clients, o.UpdatedAt = 3, FromClock })},
		{"transaction", "850da49d94b5f270", small(func(o *Options) { o.UpdatedAt, o.RowsPerTransaction = FromTransaction, 7 })},
		{"seed", "9536b1b12478aa58", small(func(o *Options) { o.Seed = 2 })},
	} {
		if got := fmt.Sprintf("%x", sha256.Sum256(generate(t, c.o)))[:16]; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

type row struct{ id, account, status, payload, updated string }

// read decodes a stream and checks what every stream must be: transactions of
// the given size, the relation once before the first change, ascending LSNs and
// times. It returns the rows and how many are in each transaction.
func read(t *testing.T, b []byte) ([]row, []int, []uint32) {
	t.Helper()
	r, err := stream.NewReader(bytes.NewReader(b), stream.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	var sizes []int
	var xids []uint32
	var m stream.Message
	var begin, end stream.LSN
	var now stream.Timestamp
	relations, open := 0, false
	for {
		err := r.Next(&m)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.Kind != stream.KindBegin != open {
			t.Fatalf("message %d: %s, open %v", m.Number, m.Kind, open)
		}
		switch m.Kind {
		case stream.KindBegin:
			if open = true; m.TxLSN < end || m.Time < now {
				t.Fatalf("message %d: %s after %s, time %d after %d", m.Number, m.TxLSN, end, m.Time, now)
			}
			begin, now = m.TxLSN, m.Time
			sizes, xids = append(sizes, 0), append(xids, m.Xid)
		case stream.KindRelation:
			relations++
		case stream.KindInsert:
			if relations != 1 || len(m.New) != 5 || m.RelationID != 16384 {
				t.Fatalf("message %d: %d relations, %d columns", m.Number, relations, len(m.New))
			}
			sizes[len(sizes)-1]++
			s := func(i int) string { return string(m.New[i].Data) }
			rows = append(rows, row{s(0), s(1), s(2), s(3), s(4)})
		case stream.KindCommit:
			if open = false; m.TxLSN != begin || m.EndLSN <= begin || m.Time != now {
				t.Fatalf("message %d: commit at %s of %s", m.Number, m.TxLSN, begin)
			}
			end = m.EndLSN
		default:
			t.Fatalf("message %d: %s", m.Number, m.Kind)
		}
	}
	if open || relations > 1 {
		t.Fatalf("open %v, %d relations", open, relations)
	}
	return rows, sizes, xids
}

func TestOneClient(t *testing.T) {
	rows, sizes, xids := read(t, generate(t, small(func(*Options) {})))
	if len(rows) != 1010 || len(sizes) != 41 || sizes[0] != 25 || sizes[40] != 10 {
		t.Fatalf("%d rows in %d", len(rows), sizes)
	}
	for i, r := range rows {
		if r.id != strconv.Itoa(i+1) || len(r.payload) != 128 || r.payload[:96] != r.payload[32:] {
			t.Fatalf("row %d: %+v", i, r)
		}
	}
	for i, x := range xids {
		if x != 750+uint32(i) {
			t.Fatalf("transaction %d is %d", i, x)
		}
	}
	if got := [3]string{rows[0].updated, rows[9].updated, rows[999].updated}; got != [3]string{
		"2026-08-03 00:00:00.0017+00", "2026-08-03 00:00:00.017+00", "2026-08-03 00:00:01.7+00"} {
		t.Errorf("updated_at: %q", got)
	}
}

func TestClientsInterleave(t *testing.T) {
	one, _, _ := read(t, generate(t, small(func(*Options) {})))
	many, sizes, xids := read(t, generate(t, small(func(o *Options) { o.Clients = 8 })))
	if len(many) != len(one) || len(sizes) != 41 {
		t.Fatalf("%d rows in %d", len(many), sizes)
	}
	seen := map[string]row{}
	disorder, furthest, largest := 0, 0, 0
	for i, r := range many {
		seen[r.id] = r
		id, _ := strconv.Atoi(r.id)
		if id < largest {
			disorder++
		}
		largest = max(largest, id)
		furthest = max(furthest, id-i-1, i+1-id)
	}
	for _, r := range one {
		if seen[r.id] != r {
			t.Fatalf("with eight clients: %+v, with one: %+v", seen[r.id], r)
		}
	}
	for n, i := 0, 0; n < len(sizes); n++ {
		for j := i + 1; j < i+sizes[n]; j++ {
			a, _ := strconv.Atoi(many[j-1].id)
			b, _ := strconv.Atoi(many[j].id)
			if a >= b {
				t.Fatalf("ids descend within a transaction: %d, %d", a, b)
			}
		}
		i += sizes[n]
	}
	backwards := 0
	for i := 1; i < len(xids); i++ {
		if xids[i] < xids[i-1] {
			backwards++
		}
	}
	t.Logf("%d of %d rows after a larger id, %d places off at most; %d xids backwards", disorder, len(many), furthest, backwards)
	if disorder < 500 || furthest > 1000 || backwards == 0 {
		t.Error("that is not how eight clients look")
	}
}

// TestDistributions is a chi-square test of accounts, statuses and hex digits.
func TestDistributions(t *testing.T) {
	o := DefaultOptions()
	o.Rows, o.Accounts = 50_000, 100
	rows, _, _ := read(t, generate(t, o))
	accounts, statuses, digits, pairs := map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}
	for i, r := range rows {
		accounts[r.account]++
		statuses[r.status]++
		digits[r.payload[i%32:i%32+1]]++
		if i > 0 { // rows after each other must not be related
			pairs[rows[i-1].status+r.status]++
		}
	}
	for _, c := range []struct {
		name   string
		counts map[string]int
		cells  int
	}{{"account", accounts, 100}, {"status", statuses, 5}, {"digit", digits, 16}, {"pair of statuses", pairs, 25}} {
		total, chi := 0, 0.0
		for _, n := range c.counts {
			total += n
		}
		expected := float64(total) / float64(c.cells)
		for _, n := range c.counts {
			chi += (float64(n) - expected) * (float64(n) - expected) / expected
		}
		freedom := float64(c.cells - 1)
		if len(c.counts) != c.cells || math.Abs(chi-freedom) > 4*math.Sqrt(2*freedom) {
			t.Errorf("%s: %d values, chi-square %.1f for %v", c.name, len(c.counts), chi, freedom)
		}
	}
}

func TestBinaryIsTheSameRows(t *testing.T) {
	o := small(func(o *Options) { o.UpdatedAt, o.Clients = FromClock, 4 })
	text, _, _ := read(t, generate(t, o))
	o.Binary = true
	binary, _, _ := read(t, generate(t, o))
	for i, b := range binary {
		b.id = strconv.FormatUint(be.Uint64([]byte(b.id)), 10)
		b.account = strconv.FormatUint(uint64(be.Uint32([]byte(b.account))), 10)
		b.status = strconv.FormatUint(uint64(be.Uint16([]byte(b.status))), 10)
		at := stream.Timestamp(be.Uint64([]byte(b.updated))).Time()
		b.updated = at.Format("2006-01-02 15:04:05.999999+00")
		if b != text[i] {
			t.Fatalf("row %d: %+v in binary, %+v in text", i, b, text[i])
		}
	}
}

func TestTimestamps(t *testing.T) {
	r := newRowMaker(DefaultOptions())
	for _, v := range []stream.Timestamp{minTimestamp, -1, 0, 1, 10, 100_000, 999_999, 1_000_000, DefaultStart, DefaultStart + 86400e6 - 1, maxTimestamp, -dayMicroseconds, 5} {
		want := v.Time().Format("2006-01-02 15:04:05.999999+00")
		if got := string(r.appendTimestamp(nil, v)); got != want {
			t.Errorf("%d: %s, want %s", v, got, want)
		}
	}
}

func TestFromTransaction(t *testing.T) {
	rows, sizes, _ := read(t, generate(t, small(func(o *Options) { o.UpdatedAt = FromTransaction })))
	i := 0
	for n, size := range sizes {
		for j := range size {
			if rows[i+j].updated != rows[i].updated {
				t.Fatalf("transaction %d: %s and %s", n, rows[i].updated, rows[i+j].updated)
			}
		}
		if i += size; i < len(rows) && rows[i].updated <= rows[i-1].updated {
			t.Fatalf("transaction %d does not ascend", n)
		}
	}
}

func TestReadInPieces(t *testing.T) {
	o := small(func(o *Options) { o.Rows, o.Clients = 200, 3 })
	want := generate(t, o)
	for _, wrap := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
		g, err := NewGenerator(o)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(wrap(g))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
		}
	}
	g, _ := NewGenerator(o)
	if err := iotest.TestReader(g, want); err != nil {
		t.Error(err)
	}
	o.Rows = 0
	if b := generate(t, o); len(b) != 0 {
		t.Errorf("no rows gave %d bytes", len(b))
	}
}

func TestReadDoesNotAllocate(t *testing.T) {
	o := DefaultOptions()
	o.Clients = 8
	g, err := NewGenerator(o)
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 64<<10)
	for range 20 {
		g.Read(buf)
	}
	if n := testing.AllocsPerRun(200, func() { g.Read(buf) }); n != 0 {
		t.Errorf("%v allocations in 64 KiB", n)
	}
}

func TestWriteError(t *testing.T) {
	if err := Generate(failing{}, small(func(*Options) {})); err != io.ErrClosedPipe {
		t.Errorf("got %v", err)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestValidate(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	for field, f := range map[string]func(*Options){
		"Rows":               func(o *Options) { o.Rows = -1 },
		"RowsPerTransaction": func(o *Options) { o.RowsPerTransaction = 0 },
		"Clients":            func(o *Options) { o.Clients = 0 },
		"Accounts":           func(o *Options) { o.Accounts = 0 },
		"Statuses":           func(o *Options) { o.Statuses = math.MaxInt16 + 1 },
		"FirstID":            func(o *Options) { o.FirstID = math.MaxInt64 },
		"UpdatedAt":          func(o *Options) { o.UpdatedAt = 3 },
		"RelationID":         func(o *Options) { o.RelationID = 0 },
		"FirstXid":           func(o *Options) { o.FirstXid = 2 },
		"Start":              func(o *Options) { o.Start = maxTimestamp + 1 },
		"StepMicroseconds":   func(o *Options) { o.StepMicroseconds = math.MaxInt64 },
	} {
		o := DefaultOptions()
		f(&o)
		err := o.Validate()
		if err == nil || !strings.HasPrefix(err.Error(), "workload: "+field+": ") {
			t.Errorf("%s: %v", field, err)
		}
		if Generate(io.Discard, o) == nil {
			t.Errorf("%s: generated all the same", field)
		}
	}
}

func TestSchema(t *testing.T) {
	for n := range MaxIndexes + 1 {
		if got := strings.Count(Schema(n), "CREATE INDEX events_"); got != n {
			t.Errorf("%d indexes, want %d", got, n)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a schema of five indexes")
		}
	}()
	Schema(5)
}

func BenchmarkGenerate(b *testing.B) {
	for _, c := range []struct {
		name    string
		clients int
		binary  bool
	}{{"clients=1/format=text", 1, false}, {"clients=8/format=text", 8, false}, {"clients=1/format=binary", 1, true}} {
		b.Run(c.name, func(b *testing.B) {
			o := DefaultOptions()
			o.Clients, o.Binary = c.clients, c.binary
			o.Rows = 100_000
			b.ReportAllocs()
			var bytes int64
			for range b.N {
				g, err := NewGenerator(o)
				if err != nil {
					b.Fatal(err)
				}
				n, _ := g.WriteTo(io.Discard)
				bytes = n
			}
			b.SetBytes(bytes)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(o.Rows), "ns/row")
		})
	}
}
