package observed

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"applysim/model/schema"
)

func open(t *testing.T, names ...string) []byte {
	t.Helper()
	var all []byte
	for _, name := range names {
		b, err := os.ReadFile("testdata/recorded/" + name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// TestRecorded reads what servers of four versions have printed.
func TestRecorded(t *testing.T) {
	for _, major := range []int{15, 16, 17, 18} {
		s, err := Read(bytes.NewReader(open(t, fmt.Sprintf("after%d.json", major))), "x")
		if err != nil {
			t.Fatal(err)
		}
		if s.ServerNum/10000 != major || s.Database != "shop" || s.Settings["max_wal_size"] != "4GB" || s.Between || s.Window() <= 0 {
			t.Errorf("%d: %s, settings %v", major, s.Describe(), s.Settings)
		}
		orders := s.Table("orders")
		if n, ok := orders.Rows(); !ok || n < 60000 || n > 61000 {
			t.Errorf("%d: orders has %d rows, %v", major, n, ok)
		}
		state := orders.Column("state")
		if d, ok := state.Distinct(60000); !ok || d != 4 || len(state.Values) != 4 || state.Values[0] != "done" {
			t.Errorf("%d: orders.state: %d different values %v", major, d, state.Values)
		}
		if c := orders.Column("id"); c.Correlation == nil || *c.Correlation != 1 || *c.NDistinct != -1 {
			t.Errorf("%d: orders.id: %+v", major, c)
		}
		if (s.Table("customers").Index("customers_email_key").LastScan != nil) != (major >= 16) {
			t.Errorf("%d: last_idx_scan is there from 16 on", major)
		}
		if x := s.Table("events"); x.Kind != "p" || s.Table("events_2026_11").PartitionOf != "public.events" {
			t.Errorf("%d: events %+v", major, x)
		}
	}
}

// TestBetween takes two samples' difference, in one file and with psql's headings.
func TestBetween(t *testing.T) {
	plain := open(t, "before18.json", "after18.json")
	array := []byte("[" + string(open(t, "after18.json")) + "," + string(open(t, "before18.json")) + "]")
	aligned := []byte("                 stats\n------------\n " + string(open(t, "before18.json")) + "(1 row)\n\n stats\n---\n " + string(open(t, "after18.json")) + "(1 row)\n")
	for name, doc := range map[string][]byte{"plain": plain, "array": array, "aligned": aligned} {
		s, err := Read(bytes.NewReader(doc), "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		orders := s.Table("orders")
		c := orders.Counters
		if !s.Between || c.Inserts != 400 || c.Deletes != 0 || c.Updates < 700 || c.Updates > 800 || s.Window() < 15*time.Second || s.Window() > time.Minute {
			t.Errorf("%s: %+v in %v", name, c, s.Window())
		}
		r, ok := s.Rate(orders)
		if want := 400 / s.Window().Seconds(); !ok || r.Inserts != want {
			t.Errorf("%s: %v inserts a second, expected %v", name, r.Inserts, want)
		}
		if share, ok := s.Table("customers").HOTShare(); !ok || share < 0 || share > 1 {
			t.Errorf("%s: HOT %v %v", name, share, ok)
		}
	}
}

// TestScans sums over partitions, and tells unknown from unread.
func TestScans(t *testing.T) {
	s, err := Read(bytes.NewReader(open(t, "after18.json")), "x")
	if err != nil {
		t.Fatal(err)
	}
	db, err := schema.Read(bytes.NewReader(open(t, "shop18.sql")), "shop18.sql")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]func(int64) bool{
		"orders_customer": func(n int64) bool { return n == 20 }, "orders_open": func(n int64) bool { return n == 0 },
		"events_kind": func(n int64) bool { return n == 0 }, "customers_pkey": func(n int64) bool { return n > 0 },
	}
	for _, table := range db.Tables {
		for _, x := range table.Indexes {
			n, _, known := s.Scans(x)
			if !known {
				t.Errorf("%s is not known", x.Name)
			}
			if f := want[x.Name]; f != nil && !f(n) {
				t.Errorf("%s: %d scans", x.Name, n)
			}
		}
	}
	if _, _, known := s.Scans(&schema.Index{Name: "nowhere", Table: db.Tables[0]}); known {
		t.Error("an index that is not there is known")
	}
	var none *Stats
	if _, _, known := none.Scans(db.Tables[0].Indexes[0]); known {
		t.Error("no statistics know something")
	}
}

func TestErrors(t *testing.T) {
	before := string(open(t, "before18.json"))
	for _, c := range []struct{ doc, want string }{
		{"", "x:1: found no JSON, expected the output of applysim init --query"},
		{"\n\nERROR:  permission denied\n", "x:1: found no JSON"},
		{"{}", `x:1: found JSON without "applysim_stats"`},
		{"\n{\"applysim_stats\": 9}", "x:2: applysim_stats: found version 9, expected 1"},
		{`{"applysim_stats": 1}`, `x:1: found no "taken"`},
		{`{"applysim_stats": 1, "taken": 5}`, `x:1: input is not a JSON string: expected times such as`},
		{`{"applysim_stats": 1, "taken": "soon"}`, `x:1: parsing time "soon" as`},
		{before[:len(before)/2], "ends too early"},
		{"{\"applysim_stats\": 1,\n \"tables\": [{\"reltuples\": \"x\"}]}", "x:2: tables.reltuples: found a JSON string, expected a number"},
		{"{\"applysim_stats\": 1,\n,}", "x:2: found broken JSON"},
		{before + before, "two samples of the same time"},
		{before + strings.Replace(string(open(t, "after18.json")), `"database": "shop"`, `"database": "other"`, 1), `a sample of database "shop", and one of "other"`},
	} {
		_, err := Read(strings.NewReader(c.doc), "x")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, expected %q", c.doc, err, c.want)
		}
	}
}

// TestQuery says that the query without values differs in just that.
func TestQuery(t *testing.T) {
	with, without := Query(true), Query(false)
	if !strings.Contains(with, "most_common_vals") || strings.Contains(without, "most_common_vals") || strings.Contains(without, "are in the result. Run it with psql on the\n-- publisher") == false {
		t.Errorf("without values:\n%s", without)
	}
	if strings.Count(with, ";") != 1 || strings.Contains(strings.ToUpper(with), "INSERT INTO") {
		t.Error("more than one read-only statement")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"applysim_stats":1,"taken":"2026-01-01T00:00:00Z","tables":[null,{"indexes":[null]}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := Read(bytes.NewReader(doc), "x")
		if err == nil {
			for _, table := range s.Tables {
				table.Rows()
				s.Rate(table)
				table.Index("x")
				table.Column("x")
			}
			s.Describe()
		}
	})
}
