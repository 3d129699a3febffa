package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/view"
	"applysim/wal"
	"applysim/wal/storage"
)

func worker(t testing.TB, ddl string) *apply.Worker {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	w, err := apply.New(db, apply.Options{Settings: guc.Defaults()})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestFind(t *testing.T) {
	w := worker(t, `create schema a; create schema b; create table t(id int primary key, body text);
		create table a.t(id int); create table a.u(id int); create table b.u(id int); create index on t using brin(id)`)
	for name, want := range map[string]string{
		"t": "t", "public.t": "t", "t_pkey": "t_pkey", "a.t": "a.t", "a.u": "a.u",
	} {
		r, err := view.Find(w, name)
		if err != nil || r.Name != want {
			t.Errorf("%s: %q, %v, expected %q", name, r.Name, err, want)
		}
	}
	for name, want := range map[string]string{
		"v": `relation "v" does not exist (nearest: t)`,
		"u": `relation "u" is in several schemas: expected one of a.u, b.u`,
	} {
		if _, err := view.Find(w, name); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, expected %s", name, err, want)
		}
	}
	for _, x := range []struct{ name, want string }{
		{"t", `"t" is a table, expected a B-tree index`},
		{"t_id_idx", `"t_id_idx" is a BRIN index, expected a B-tree index`},
	} {
		r, err := view.Find(w, x.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.BTreePage(1); err == nil || err.Error() != x.want {
			t.Errorf("%s: error %v, expected %s", x.name, err, x.want)
		}
	}
	index, _ := view.Find(w, "t_pkey")
	if _, err := index.BTreePage(0); err == nil || err.Error() != `block 0 of "t_pkey" is its metapage` {
		t.Errorf("metapage: error %v", err)
	}
	if _, err := index.BTreePage(1); err == nil || err.Error() != `block number 1 is out of range for relation "t_pkey", which has 1` {
		t.Errorf("block 1 of an empty index: error %v", err)
	}
	if _, err := index.HeapPage(0); err == nil || err.Error() != `"t_pkey" is an index, expected a table` {
		t.Errorf("an index as a table: error %v", err)
	}
	m, err := index.BTreeMeta()
	if err != nil || m.Root != 0 || m.Version != 4 || !m.AllEqualImage {
		t.Errorf("metapage of an empty index: %+v, %v", m, err)
	}
}

// TestFormats checks the three forms of rows, NULL and NaN included.
func TestFormats(t *testing.T) {
	r := &view.Rows{
		Columns: []view.Column{{Name: "n", Number: true}, {Name: "longer name"}, {Name: "t"}},
		Values:  [][]any{{100, "a,b", true}, {nil, nil, nil}, {math.NaN(), "é", false}},
	}
	var text, csv bytes.Buffer
	r.Text(&text)
	if want := `  n  | longer name | t
-----+-------------+---
 100 | a,b         | t
     |             |
 NaN | é           | f
(3 rows)
`; text.String() != want {
		t.Errorf("text is\n%s, expected\n%s", text.String(), want)
	}
	r.CSV(&csv)
	if want := "n,longer name,t\n100,\"a,b\",t\n,,\nNaN,é,f\n"; csv.String() != want {
		t.Errorf("CSV is %q, expected %q", csv.String(), want)
	}
	b, err := json.Marshal(r)
	if want := `[{"n":100,"longer name":"a,b","t":true},{"n":null,"longer name":null,"t":null},{"n":"NaN","longer name":"é","t":false}]`; err != nil || string(b) != want {
		t.Errorf("JSON is %s, %v, expected %s", b, err, want)
	}
}

// FuzzDecode gives the decoders pages of any bytes: they must refuse what is no page,
// and not fail.
func FuzzDecode(f *testing.F) {
	w := worker(f, "create table t(id int primary key, note text); create index on t(note)")
	for _, row := range [][2]string{{"1", "one"}, {"2", "one"}, {"3", "three"}} {
		if err := w.Preset(750, "public", "t", row[0], row[1]); err != nil {
			f.Fatal(err)
		}
	}
	for _, r := range view.Relations(w) {
		for b := range r.Pages() {
			var page view.Page
			if r.Heap != nil {
				r.Heap.PageBytes(&page, storage.BlockNumber(b))
			} else {
				r.BTree.PageBytes(&page, storage.BlockNumber(b))
			}
			f.Add(page[:])
		}
	}
	f.Add([]byte{12: 0xFF, 13: 0xFF}) // lower without upper
	f.Fuzz(func(t *testing.T, b []byte) {
		var page view.Page
		copy(page[:], b)
		if p, err := view.DecodeHeapPage(&page, 0); err == nil {
			p.Rows()
			p.Header.Rows()
		}
		if p, err := view.DecodeBTreePage(&page, 1); err == nil {
			p.Rows()
			p.StatRows()
		}
		if m, err := view.DecodeBTreeMeta(&page); err == nil {
			m.Rows()
		}
	})
}

// dumped reads lines of pg_waldump as records.
func dumped(t *testing.T) (lines []string, records []view.WALRecord) {
	t.Helper()
	b, err := os.ReadFile("testdata/recorded/pg_waldump.txt")
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`^rmgr: (\w+) +len \(rec/tot\): +(\d+)/ *(\d+), tx: +(\d+), lsn: (\S+), prev (\S+), desc: (\S+) (.*?)(, blkref.*)?$`)
	ref := regexp.MustCompile(`, blkref #(\d): rel (\S+)( fork \w+)? blk (\d+)( FPW)?`)
	for line := range strings.Lines(string(b)) {
		line = strings.TrimRight(line, "\n")
		m := head.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("no record: %s", line)
		}
		r := view.WALRecord{Record: wal.Record{Detail: &wal.Detail{Text: m[8], Described: true}}, Relation: "-"}
		found := false
		for typ := range wal.NumRecordTypes {
			if x := wal.RecordType(typ); x.Manager() == m[1] && x.Name() == m[7] {
				r.Type, found = x, true
			}
		}
		if !found {
			t.Fatalf("unknown type: %s", line)
		}
		rest := 0
		fmt.Sscan(m[2], &rest)
		fmt.Sscan(m[3], &r.Length)
		fmt.Sscan(m[4], &r.XID)
		r.FPI = r.Length - rest
		r.Start, _ = wal.ParseLSN(m[5])
		r.Prev, _ = wal.ParseLSN(m[6])
		r.End = r.Start.Advance(r.Length, wal.DefaultSegmentSize)
		for _, x := range ref.FindAllStringSubmatch(m[9], -1) {
			var block wal.BlockRef
			fmt.Sscan(x[1], &block.ID)
			block.Fork = map[string]uint8{"": 0, " fork fsm": 1, " fork vm": 2}[x[3]]
			fmt.Sscan(x[4], &block.Block)
			if x[5] != "" {
				block.Image.Length = r.FPI
			}
			r.Relation = x[2]
			r.Detail.Blocks = append(r.Detail.Blocks, block)
		}
		lines, records = append(lines, line), append(records, r)
	}
	return lines, records
}

// TestLine compares lines with those that a real pg_waldump has printed.
func TestLine(t *testing.T) {
	lines, records := dumped(t)
	for i := range records {
		if got := records[i].Line(); got != lines[i] {
			t.Errorf("the line is\n%s, expected\n%s", got, lines[i])
		}
	}
	if len(lines) < 20 {
		t.Errorf("only %d lines", len(lines))
	}
	r := records[0]
	r.Detail.Described = false
	if got := r.Line(); !strings.Contains(got, "INSERT+INIT (contents not modelled), blkref #0") {
		t.Errorf("what is not known: %s", got)
	}
}

// TestWALStats compares statistics with those of a real pg_waldump.
func TestWALStats(t *testing.T) {
	_, records := dumped(t)
	var s view.WALStats
	s.Begin(records[0].Start)
	for i := range records {
		switch records[i].Type.Manager() {
		case "XLOG", "Heap2", "Btree":
			s.Add(&records[i])
		}
	}
	for file, perRecord := range map[string]bool{"pg_waldump_stats_record.txt": true, "pg_waldump_stats.txt": false} {
		want, err := os.ReadFile("testdata/recorded/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := s.Text(&got, perRecord); err != nil {
			t.Fatal(err)
		}
		trimmed := regexp.MustCompile(` +\n`).ReplaceAllString(string(want), "\n")
		if got.String() != trimmed {
			t.Errorf("%s: it is\n%s, expected\n%s", file, got.String(), trimmed)
		}
	}
	var counted, of int64
	for _, row := range s.Rows(true).Values {
		counted += row[1].(int64)
	}
	for _, row := range s.Rows(false).Values {
		of += row[1].(int64)
	}
	if counted == 0 || counted != of {
		t.Errorf("%d records by type, %d by resource manager", counted, of)
	}
}

// TestRecordOrder checks that every record type has a place in the statistics, those aside
// that are estimated and no sink gets.
func TestRecordOrder(t *testing.T) {
	var s view.WALStats
	types := 0
	for typ := range wal.NumRecordTypes {
		if wal.RecordType(typ).Estimated() {
			continue
		}
		types++
		s.Add(&view.WALRecord{Record: wal.Record{Type: wal.RecordType(typ), Length: 24, End: 8}})
	}
	if got := len(s.Rows(true).Values); got != types {
		t.Errorf("%d record types, expected %d", got, types)
	}
}

// TestFilter checks each filter by itself.
func TestFilter(t *testing.T) {
	_, records := dumped(t)
	two, xid := storage.BlockNumber(2), uint32(754)
	for name, x := range map[string]struct {
		filter view.Filter
		shows  func(r *view.WALRecord) bool
	}{
		"rmgr":     {view.Filter{Managers: []string{"btree", "HEAP2"}}, func(r *view.WALRecord) bool { return r.Type.Manager() == "Btree" || r.Type.Manager() == "Heap2" }},
		"relation": {view.Filter{Relation: "1663/5/16390"}, func(r *view.WALRecord) bool { return r.Relation == "1663/5/16390" }},
		"block":    {view.Filter{Relation: "1663/5/16384", Block: &two}, func(r *view.WALRecord) bool { return strings.Contains(r.Line(), "rel 1663/5/16384 fork fsm blk 2") }},
		"xid":      {view.Filter{XID: &xid}, func(r *view.WALRecord) bool { return r.XID == 754 }},
		"window":   {view.Filter{Start: records[3].Start, End: records[7].Start}, func(r *view.WALRecord) bool { return r.Start >= records[3].Start && r.Start < records[7].Start }},
		"fullpage": {view.Filter{FullPage: true}, func(r *view.WALRecord) bool { return strings.Contains(r.Line(), "FPW") }},
	} {
		shown := 0
		for i := range records {
			got := x.filter.Shows(&records[i])
			if got != x.shows(&records[i]) {
				t.Errorf("%s: %v for %s", name, got, records[i].Line())
			}
			if got {
				shown++
			}
		}
		if shown == 0 || shown == len(records) {
			t.Errorf("%s: %d of %d records", name, shown, len(records))
		}
	}
}

// TestFlags compares names of flags with those that a real server gives.
func TestFlags(t *testing.T) {
	b, err := os.ReadFile("testdata/recorded/infomask_flags.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		var x view.HeapTuple
		fmt.Sscan(f[0], &x.Infomask)
		fmt.Sscan(f[1], &x.Infomask2)
		p := view.HeapPage{Items: []view.HeapItem{{LP: 1, Tuple: &x}, {LP: 2}}}
		rows := p.FlagRows().Values
		if len(rows) != 1 || rows[0][1] != f[2] || rows[0][2] != f[3] {
			t.Errorf("%s %s: %v, expected %s %s", f[0], f[1], rows, f[2], f[3])
		}
		n++
	}
	if n < 50 {
		t.Errorf("only %d pairs", n)
	}
}
