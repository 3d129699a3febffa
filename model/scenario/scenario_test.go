package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

const shopDDL = `
CREATE TYPE state AS ENUM ('new', 'paid', 'sent');
CREATE TABLE customers (id bigint PRIMARY KEY, email text NOT NULL UNIQUE, visits int NOT NULL, seen timestamptz NOT NULL);
CREATE TABLE orders (id bigint PRIMARY KEY, customer bigint NOT NULL, state state NOT NULL, total numeric(10,2), note varchar(80),
	token uuid NOT NULL, created timestamptz NOT NULL, tags text[] NOT NULL, big text NOT NULL);
CREATE INDEX orders_customer ON orders (customer);
CREATE INDEX orders_state ON orders (state) WHERE state <> 'sent';
CREATE TABLE audit (a int NOT NULL, b text NOT NULL);
ALTER TABLE audit REPLICA IDENTITY FULL;
`

const shop = `
schema = "shop.sql"
duration = "3min"
[settings]
max_wal_size = "32MB"
autovacuum_naptime = "20s"
[tables.customers]
rows = 300
[tables.orders]
rows = 1_000
[tables.orders.columns]
customer = { distinct = 300, zipf = 0.9 }
note = { width = [0, 80], nulls = 0.25 }
token = { kind = "uuid7" }
big = { width = [10, 5000] }
[[operation]]
table = "orders"
do = "insert"
rate = 20
rows = 2
then = [{ table = "customers", do = "update", columns = ["visits", "seen"], which = "zipf" }]
[[operation]]
table = "orders"
do = "update"
columns = ["state"]
which = "recent"
rate = 30
[[operation]]
table = "orders"
do = "delete"
which = "oldest"
count = 500
rows = 20
[[operation]]
table = "audit"
do = "insert"
rate = 2
[[operation]]
table = "audit"
do = "update"
columns = ["b"]
rate = 3
[[snapshot]]
from = "30s"
until = "1min"
`

func opener(ddl string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(ddl)), nil }
}

func read(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Read(strings.NewReader(text), "s.toml")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestReplay applies the stream that a run writes, with the commands beside it, to another
// subscriber: it writes the same WAL, by relation and record type. So it does in binary
// format, and with a replica identity that carries whole rows.
func TestReplay(t *testing.T) {
	for _, c := range []struct{ name, text, ddl string }{
		{"text", shop, shopDDL},
		{"full", shop, shopDDL + "ALTER TABLE orders REPLICA IDENTITY FULL;"},
		{"binary", strings.Replace(shop, "[settings]", "[subscription]\nbinary = true\n[settings]", 1),
			strings.ReplaceAll(strings.ReplaceAll(shopDDL, "numeric(10,2)", "float8"), "text[]", "jsonb")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := read(t, c.text)
			var raw bytes.Buffer
			type command struct {
				after int64
				sql   string
			}
			var commands []command
			o := &Options{Schema: opener(c.ddl), Stream: &raw, Event: func(n int64, sql string) { commands = append(commands, command{n, sql}) }}
			want, err := s.Run(nil, o)
			if err != nil {
				t.Fatal(err)
			}
			vacuums, analyzes := 0, 0
			for _, k := range commands {
				switch word, _, _ := strings.Cut(k.sql, " "); word {
				case "VACUUM":
					vacuums++
				case "ANALYZE":
					analyzes++
				}
			}
			if len(want.Vacuums) == 0 || len(want.Checkpoints) == 0 || want.Updates == 0 || want.Deletes != 500 || vacuums != len(want.Vacuums) || analyzes == 0 || len(commands) != vacuums+analyzes+2 {
				t.Fatalf("%d VACUUMs, %d checkpoints, %d updates, %d deletes, %d commands", len(want.Vacuums), len(want.Checkpoints), want.Updates, want.Deletes, len(commands))
			}
			r, err := s.prepare(nil, &Options{Schema: opener(c.ddl)})
			if err != nil {
				t.Fatal(err)
			}
			in, err := stream.NewReader(&raw, stream.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			var m stream.Message
			for n := int64(0); ; n++ {
				for len(commands) > 0 && commands[0].after == n {
					r.schedule.BeforeEvent()
					if err := r.worker.Run(commands[0].sql, false); err != nil {
						t.Fatal(err)
					}
					commands = commands[1:]
				}
				if err := in.Next(&m); err == io.EOF {
					break
				} else if err != nil {
					t.Fatal(err)
				}
				r.schedule.Before(&m)
				if err := r.worker.Apply(&m); err != nil {
					t.Fatal(err)
				}
			}
			got := &Result{WAL: map[string]map[string]Count{}}
			got.walByRelation(r.worker.Log())
			if !reflect.DeepEqual(got.WAL, want.WAL) {
				t.Errorf("got %v\nwant %v", got.WAL, want.WAL)
			}
			if err := r.worker.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMessages decodes what a generator encodes: it is the message itself, its size, number
// and offset included.
func TestMessages(t *testing.T) {
	s := read(t, shop)
	db, err := s.Database(nil, opener(shopDDL))
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGenerator(s, db, db)
	if err != nil {
		t.Fatal(err)
	}
	var m, back stream.Message
	g.SkipLoad()
	var raw bytes.Buffer
	out := stream.NewWriter(&raw, stream.Raw)
	var sizes []stream.Message
	for g.Next(&m) {
		if err := out.Write(&m); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, stream.Message{Kind: m.Kind, Size: m.Size, Number: m.Number, Offset: m.Offset})
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	in, err := stream.NewReader(&raw, stream.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	unchanged := 0
	for _, want := range sizes {
		if err := in.Next(&back); err != nil {
			t.Fatal(err)
		}
		if back.Kind != want.Kind || back.Size != want.Size || back.Number != want.Number || back.Offset != want.Offset {
			t.Fatalf("message %d: %s of %d bytes at %d, want %s of %d at %d", back.Number, back.Kind, back.Size, back.Offset, want.Kind, want.Size, want.Offset)
		}
		for _, c := range back.New {
			if c.Format == stream.ColumnUnchanged {
				unchanged++
			}
		}
	}
	if unchanged == 0 {
		t.Error("no update leaves a long value out")
	}
}

// TestSnapshot holds a snapshot: nothing is pruned, so that fewer updates stay on their
// page.
func TestSnapshot(t *testing.T) {
	text := "schema = \"t.sql\"\nduration = \"1min\"\n[settings]\nautovacuum = \"off\"\n[tables.t]\nrows = 1_000\n[[operation]]\ntable = \"t\"\ndo = \"update\"\ncolumns = [\"n\"]\nrate = 500\n"
	share := func(text string) *Result {
		r, err := read(t, text).Run(nil, &Options{Schema: opener("CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, pad text NOT NULL) WITH (fillfactor = 70);")})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	free, held := share(text), share(text+"[[snapshot]]\n")
	t.Logf("HOT %.3f and %.3f, pages %d and %d", *free.HOTShare, *held.HOTShare, free.Tables[0].Pages, held.Tables[0].Pages)
	if held.WAL["t"]["Heap2/PRUNE_ON_ACCESS"].Records != 0 || free.WAL["t"]["Heap2/PRUNE_ON_ACCESS"].Records == 0 {
		t.Error("pages are pruned behind the snapshot, or never")
	}
	if *held.HOTShare >= *free.HOTShare || held.Tables[0].Pages <= 2*free.Tables[0].Pages {
		t.Error("the snapshot makes no difference")
	}
}

// TestDeterminism runs the same scenario twice, beside itself.
func TestDeterminism(t *testing.T) {
	s := read(t, shop+"[[variant]]\nname = \"x\"\nfillfactor = { orders = 80 }\n[[variant]]\nname = \"same\"\nsettings = { wal_level = \"replica\" }\n")
	r, err := s.Compare([]*Variant{nil, s.Variants[0], s.Variants[1]}, false, &Options{Schema: opener(shopDDL)})
	if err != nil {
		t.Fatal(err)
	}
	a, same := r.Variants[0], r.Variants[2]
	if !reflect.DeepEqual(a.WAL, same.WAL) || !reflect.DeepEqual(a.Tables, same.Tables) {
		t.Error("a variant that changes nothing has another result")
	}
	if reflect.DeepEqual(a.WAL, r.Variants[1].WAL) {
		t.Error("a variant changes nothing")
	}
}

// TestMarginal compares what an index is said to cost with its own records: dropping an
// index that keeps no update from being HOT saves just those.
func TestMarginal(t *testing.T) {
	s := read(t, shop)
	r, err := s.Compare([]*Variant{nil}, true, &Options{Schema: opener(shopDDL)})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, m := range r.Variants[0].Marginal {
		switch m.Index {
		case "orders_state":
			found = m.WALBytes > 0 && m.HOTUpdates < 0
		case "orders_pkey", "customers_pkey":
			if m.Reason == "" {
				t.Errorf("%s was left out, by which rows are found", m.Index)
			}
		}
	}
	if !found {
		t.Error("the index on state costs nothing")
	}
}

// TestRows compares the choice of rows with a list of those that are there.
func TestRows(t *testing.T) {
	r := rows{slots: 2}
	var there []int64
	var rng rand.PCG
	rng.Seed(1, 2)
	for i := range 20_000 {
		if len(there) == 0 || rng.Uint64()%5 > 1 || i < 3000 {
			there = append(there, r.add())
			continue
		}
		k := int(scale(rng.Uint64(), uint64(len(there))))
		if rng.Uint64()%2 == 0 {
			k = 0
		}
		row := r.nth(int64(k))
		if row != there[k] || r.isGone(row) {
			t.Fatalf("row %d of %d is %d, want %d", k, len(there), row, there[k])
		}
		r.set(row, 1, uint64(row)+7)
		if r.get(row, 1) != uint64(row)+7 || r.get(row, 0) != 0 {
			t.Fatal("what is kept of a row is lost")
		}
		r.remove(row)
		there = append(there[:k], there[k+1:]...)
		if !r.isGone(row) || r.remaining() != int64(len(there)) {
			t.Fatal("a deleted row is there")
		}
	}
	for k, row := range there {
		if r.nth(int64(k)) != row {
			t.Fatalf("row %d is %d, want %d", k, r.nth(int64(k)), row)
		}
	}
}

// TestDistributions draws columns and compares how often values come with how often they
// should, by chi-square.
func TestDistributions(t *testing.T) {
	const rows = 40_000
	for _, c := range []struct {
		name, ddl, spec string
		shares          []float64 // in descending order
		nulls           float64
	}{
		{"uniform", "int", "distinct = 10", []float64{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}, 0},
		{"nulls", "int", "distinct = 2, nulls = 0.2", []float64{.4, .4}, 0.2},
		{"choice", "text", `values = ["a", "b", "c"], weights = [1, 2, 7]`, []float64{.7, .2, .1}, 0},
		{"zipf 1", "bigint", "distinct = 4, zipf = 1", []float64{12. / 25, 6. / 25, 4. / 25, 3. / 25}, 0},
		{"zipf 2", "uuid", "kind = \"random\", distinct = 3, zipf = 2", []float64{36. / 49, 9. / 49, 4. / 49}, 0},
		{"zipf 0.5", "text", "distinct = 3, zipf = 0.5", zipfShares(3, 0.5), 0},
		{"skewed choice", "text", `values = ["a", "b"], zipf = 1`, []float64{2. / 3, 1. / 3}, 0},
		{"bool", "bool", "", []float64{.5, .5}, 0},
		{"correlated", "int", "rows_per_value = 20_000", []float64{.5, .5}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			counts, nulls := draw(t, c.ddl, c.spec, rows)
			sorted := make([]int, 0, len(counts))
			for _, n := range counts {
				sorted = append(sorted, n)
			}
			for i := range sorted {
				for j := i + 1; j < len(sorted); j++ {
					if sorted[j] > sorted[i] {
						sorted[i], sorted[j] = sorted[j], sorted[i]
					}
				}
			}
			if len(sorted) != len(c.shares) {
				t.Fatalf("%d different values, want %d", len(sorted), len(c.shares))
			}
			chi := 0.0
			for i, n := range sorted {
				want := c.shares[i] * rows
				chi += (float64(n) - want) * (float64(n) - want) / want
			}
			if freedom := float64(len(sorted)); chi > freedom+5*math.Sqrt(2*freedom) {
				t.Errorf("chi-square %.1f: %v for %v", chi, sorted, c.shares)
			}
			if got := float64(nulls) / rows; math.Abs(got-c.nulls) > 0.01 {
				t.Errorf("%.3f NULLs, want %.3f", got, c.nulls)
			}
		})
	}
}

func zipfShares(n int, s float64) []float64 {
	var shares []float64
	sum := 0.0
	for k := range n {
		sum += math.Pow(float64(k+1), -s)
	}
	for k := range n {
		shares = append(shares, math.Pow(float64(k+1), -s)/sum)
	}
	return shares
}

// draw counts the values of a column.
func draw(t *testing.T, typ, spec string, n int) (counts map[string]int, nulls int) {
	t.Helper()
	if spec != "" {
		spec = "[tables.t.columns]\nx = { " + spec + " }\n"
	}
	s := read(t, "schema = \"t.sql\"\nchanges = "+strconv.Itoa(n)+"\n"+spec+"[[operation]]\ntable = \"t\"\ndo = \"insert\"\nrate = 1000\nrows = 100\n")
	db, err := s.Database(nil, opener("CREATE TABLE t (id bigint PRIMARY KEY, x "+typ+");"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGenerator(s, db, db)
	if err != nil {
		t.Fatal(err)
	}
	counts = map[string]int{}
	var m stream.Message
	for g.Next(&m) {
		if m.Kind != stream.KindInsert {
			continue
		}
		if m.New[1].Format == stream.ColumnNull {
			nulls++
		} else {
			counts[string(m.New[1].Data)]++
		}
	}
	return counts, nulls
}

// TestTypes makes up values of every type that it can: the type's input function takes
// them, and unique ones are different.
func TestTypes(t *testing.T) {
	for _, typ := range []string{
		"smallint", "int", "bigint", "oid", "xid8", "numeric", "numeric(12,4)", "money", "real", "double precision", "text", "varchar(7)", "char(5)", "name",
		`"char"`, "bytea", "json", "jsonb", "uuid", "timestamp", "timestamptz", "date", "time", "interval", "inet", "cidr", "macaddr", "pg_lsn", "bit(9)",
		"bit varying(12)", "boolean", "point", "int[]", "text[]", "timestamptz[]",
	} {
		t.Run(typ, func(t *testing.T) {
			counts, _ := draw(t, typ, "", 200)
			s := read(t, "schema = \"t.sql\"\nchanges = 200\n[[operation]]\ntable = \"t\"\ndo = \"insert\"\nrate = 10\n[[operation]]\ntable = \"t\"\ndo = \"update\"\ncolumns = [\"x\"]\nrate = 10\n")
			r, err := s.Run(nil, &Options{Schema: opener("CREATE TABLE t (id bigint PRIMARY KEY, x " + typ + ");")})
			if err != nil || r.Stopped != nil {
				t.Fatal(err, r)
			}
			if len(counts) < 2 && typ != "date" { // the day on which rows are written
				t.Errorf("only %v", counts)
			}
		})
	}
	for _, typ := range []string{"smallint", "int", "bigint", "numeric", "text", "uuid"} {
		if counts, _ := draw(t, typ+" UNIQUE", `kind = "random"`, 30_000); len(counts) != 30_000 {
			t.Errorf("%s UNIQUE: %d different values of 30000", typ, len(counts))
		}
	}
}

// TestMathematics compares what is computed the same way everywhere with the library.
func TestMathematics(t *testing.T) {
	for x := 1e-9; x < 1e12; x *= 1.37 {
		if got, want := logarithm(x), math.Log(x); math.Abs(got-want) > 1e-13*math.Max(1, math.Abs(want)) {
			t.Errorf("log(%g) = %v, want %v", x, got, want)
		}
	}
	for x := -600.0; x < 600; x += 0.913 {
		if got, want := exponential(x), math.Exp(x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("exp(%g) = %v, want %v", x, got, want)
		}
	}
	for _, n := range []uint64{1, 2, 3, 1000, 4096, 99_991} {
		seen := make([]bool, n)
		p := newSpread(n, 5)
		for k := range n {
			at := p.at(k)
			if at >= n || seen[at] {
				t.Fatalf("%d of %d comes to %d", k, n, at)
			}
			seen[at] = true
		}
	}
}

// TestWhich draws rows by each choice.
func TestWhich(t *testing.T) {
	for _, c := range []struct {
		p    Step
		want func(counts []int) bool
	}{
		{Step{Which: Uniform}, func(n []int) bool { return least(n) > 50 && most(n) < 160 }},
		{Step{Which: Zipfian, Zipf: 1}, func(n []int) bool { return most(n) > 1000 && n[999] < 1000 }},
		{Step{Which: Recent, Zipf: 1}, func(n []int) bool { return n[999] == most(n) && n[999] > 1000 && n[998] > n[990] }},
		{Step{Which: Oldest, Do: Update}, func(n []int) bool { return least(n) == 100 && most(n) == 100 }},
		{Step{Which: Range, From: 0.5, To: 0.75}, func(n []int) bool { return least(n[500:750]) > 250 && most(n[:500]) == 0 && most(n[750:]) == 0 }},
	} {
		p := &step{Step: &c.p, source: &source{}}
		p.rng.Seed(3, 4)
		for range 1000 {
			p.source.rows.add()
		}
		counts := make([]int, 1000)
		for range 100_000 {
			counts[p.pick()]++
		}
		if !c.want(counts) {
			t.Errorf("%s: between %d and %d, the last %v", c.p.Which, least(counts), most(counts), counts[990:])
		}
	}
}

func least(n []int) int {
	m := n[0]
	for _, x := range n {
		m = min(m, x)
	}
	return m
}

func most(n []int) int {
	m := 0
	for _, x := range n {
		m = max(m, x)
	}
	return m
}

// TestStopped reports what there is when replication would stop.
func TestStopped(t *testing.T) {
	s := read(t, "schema = \"t.sql\"\nchanges = 100\n[tables.t.columns]\nid = { kind = \"random\", distinct = 5 }\n[[operation]]\ntable = \"t\"\ndo = \"insert\"\nrate = 10\n")
	r, err := s.Run(nil, &Options{Schema: opener("CREATE TABLE t (id int PRIMARY KEY)")})
	if err != nil || r.Stopped == nil || !strings.Contains(r.Stopped.Error, "conflict") {
		t.Errorf("%v, %+v", err, r)
	}
	var unsupported *apply.UnsupportedError
	if errors.As(err, &unsupported) {
		t.Error(err)
	}
}

// TestHash: the same scenario and seed give the same stream and the same WAL on any
// machine. The hashes were computed on amd64 and by the wasm build.
func TestHash(t *testing.T) {
	s := read(t, shop)
	h := sha256.New()
	r, err := s.Run(nil, &Options{Schema: opener(shopDDL), Stream: h})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", h.Sum(nil))[:16]; got != "c58febb39d82e59c" {
		t.Errorf("stream %s", got)
	}
	text, err := json.Marshal(r.WAL)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text))[:16]; got != "b4c3a4dc944766b7" {
		t.Errorf("WAL %s", got)
	}
}
