package view_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/view"
	"applysim/wal/storage"
)

func worker(t testing.TB, ddl string) *apply.Worker {
	t.Helper()
	db, err := schema.Read(strings.NewReader(ddl), "schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	w, err := apply.New(db, apply.Options{Settings: apply.DefaultSettings()})
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
