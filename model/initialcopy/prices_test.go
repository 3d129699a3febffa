package initialcopy

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
)

// counted are the instructions that callgrind has counted of a backend of Debian's
// PostgreSQL 18.6 (-O2) that ran COPY ... FROM a file, for a row: those of 6,000 rows less
// those of 1,000, by 5,000. Rows are those of copied.
var counted = []struct {
	name, ddl    string
	width        int // of the payload; 0 for the table without one
	instructions float64
	solved       bool // the prices come from it
}{
	{"narrow, primary key", narrow, 0, 10067.6, true},
	{"wide, primary key", events, 1000, 45202.2, true},
	{"events, primary key", events, 128, 17871.7, false},
	{"events, five indexes", events + "; create index on t (updated_at); create index on t (account_id); create index on t (account_id, status); create index on t (status, updated_at)", 128, 50607.9, false},
}

const (
	narrow = "create table t (id bigint primary key, a int not null)"
	events = "create table t (id bigint primary key, account_id integer not null, status smallint not null, payload text not null, updated_at timestamptz not null)"
)

// copied are rows from..to of a table.
func copied(width, n int) *rows {
	r := &rows{columns: []string{"id", "a"}}
	if width > 0 {
		r.columns = []string{"id", "account_id", "status", "payload", "updated_at"}
	}
	for i := 1; i <= n; i++ {
		h := i * 7919 % 10007
		if width == 0 {
			r.add(texts(fmt.Sprint(i), fmt.Sprint(h)))
			continue
		}
		r.add(texts(fmt.Sprint(i), fmt.Sprint(h), fmt.Sprint(h%5), fmt.Sprintf("%0*d", width, h), fmt.Sprintf("2026-01-01 00:%02d:%02d+00", i/60%60, i%60)))
	}
	return r
}

// modelled is what the cost model's terms give for the copy of n rows, and the bytes of
// their lines.
func modelled(t *testing.T, ddl string, width, n int) (instructions float64, bytes int64) {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	settings := guc.Defaults()
	settings.WALLevel, settings.FullPageWrites, settings.DataChecksums = "logical", false, false
	w, err := apply.New(db, apply.Options{Settings: settings, Start: 0x2000028, NextXID: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Refresh([][2]string{{"public", "t"}}); err != nil {
		t.Fatal(err)
	}
	r := copied(width, n)
	if err := w.SynchronizeTable(&apply.TableCopy{Schema: "public", Table: "t", Columns: r.columns, Rows: r}); err != nil {
		t.Fatal(err)
	}
	m, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return m.Instructions(cost.Measure(w).OfCopy()), r.bytes
}

// TestInstructions solves the prices of COPY from two measurements and predicts two others.
func TestInstructions(t *testing.T) {
	const few, many = 1000, 6000
	var left [2]float64 // what the model's terms leave of the measurements, a row
	var width [2]float64
	n := 0
	for _, c := range counted {
		a, ab := modelled(t, c.ddl, c.width, few)
		b, bb := modelled(t, c.ddl, c.width, many)
		perRow, bytes := (b-a)/(many-few), float64(bb-ab)/(many-few)
		if c.solved {
			left[n], width[n] = c.instructions-perRow, bytes
			n++
			continue
		}
		got := perRow + Copying(1, 0) + copyByte*bytes
		t.Logf("%s: %.0f instructions a row, counted %.0f (%+.1f %%), %.0f of them the cost model's", c.name, got, c.instructions, 100*(got/c.instructions-1), perRow)
		if e := got/c.instructions - 1; math.Abs(e) > 0.15 {
			t.Errorf("%s: %.0f instructions a row, counted %.0f", c.name, got, c.instructions)
		}
	}
	perByte := (left[1] - left[0]) / (width[1] - width[0])
	perRow := left[0] - perByte*width[0]
	if math.Abs(perByte-copyByte) > 0.05 || math.Abs(perRow-copyRow) > 5 {
		t.Errorf("the measurements give %.1f instructions a row and %.2f a byte, expected %v and %v", perRow, perByte, copyRow, copyByte)
	}
}

// TestBuilds solves the prices of CREATE INDEX from four builds that were counted and predicts
// the others: what so many rows take more than a third of them, or a sixth.
func TestBuilds(t *testing.T) {
	f, err := os.Open("testdata/builds.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type build struct {
		column string
		rows   float64
	}
	counts := map[build]float64{}
	for _, l := range lines[1:] {
		rows, err1 := strconv.ParseFloat(l[1], 64)
		n, err2 := strconv.ParseFloat(l[2], 64)
		if err1 != nil || err2 != nil {
			t.Fatal(l)
		}
		counts[build{l[0], rows}] = n
	}
	comparisons := func(column string, rows float64) float64 {
		if strings.HasSuffix(column, "in order") {
			return rows
		}
		return float64(rows * math.Log2(rows))
	}
	const few, more, many = 1000, 6000, 20000
	extra := func(column string) float64 { return counts[build{column, more}] - counts[build{column, few}] }
	compared := func(column string, from, to float64) float64 {
		return comparisons(column, to) - comparisons(column, from)
	}
	ordered, random := "integer in order", "integer in no order"
	compare := (extra(random) - extra(ordered)) / (compared(random, few, more) - (more - few))
	row := extra(ordered)/(more-few) - compare
	if math.Abs(compare-buildCompare) > 0.01 || math.Abs(row-buildRow) > 0.01 {
		t.Errorf("the builds give %.2f instructions a comparison and %.2f a row, expected %v and %v", compare, row, buildCompare, buildRow)
	}
	for _, column := range []string{ordered, random, "bigint in order", "timestamp in no order"} {
		for _, x := range [][2]float64{{few, more}, {more, many}} {
			want := counts[build{column, x[1]}] - counts[build{column, x[0]}]
			if want <= 0 {
				t.Fatalf("%s: no count of %v or %v rows", column, x[0], x[1])
			}
			got := float64(buildRow*(x[1]-x[0])) + float64(buildCompare*compared(column, x[0], x[1]))
			t.Logf("%s, %v to %v rows: %.0f instructions, counted %.0f (%+.1f %%)", column, x[0], x[1], got, want, 100*(got/want-1))
			if e := got/want - 1; math.Abs(e) > 0.05 {
				t.Errorf("%s, %v to %v rows: %.0f instructions, counted %.0f", column, x[0], x[1], got, want)
			}
		}
	}
}
