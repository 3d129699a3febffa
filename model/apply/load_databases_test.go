package apply_test

// Whole databases that were loaded on PostgreSQL 18.1, with a million rows and more, and
// the figures that are known of indexes of one value and of ordered uuids.

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"applysim/model/apply"
	"applysim/model/stream"
)

// generated are rows that are made each time anew.
type generated struct {
	n   int
	row func(n int) []string
}

func (r generated) Len() int { return r.n }

func (r generated) Row(n int, columns []int, to stream.Tuple) { copy(to, row(r.row(n)...)) }

// accounts are the rows that pgbench -i puts into pgbench_accounts.
func accounts(n int) []string {
	return []string{number(uint64(n + 1)), number(uint64(n/100000 + 1)), "0", ""}
}

// databases are those of the test, each a table t unless it is pgbench's.
var databases = []loadCase{
	{
		name: "pgbench", rows: 1000000, row: accounts,
		create: "CREATE TABLE pgbench_accounts (aid int NOT NULL, bid int, abalance int, filler char(84)) WITH (fillfactor = 100);",
		after:  "ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid);",
		how:    apply.LoadOptions{NewTable: true, Vacuumed: true, Frozen: true},
	},
	{
		name: "events", rows: 500000,
		create: "CREATE TABLE t (id bigint NOT NULL, account_id integer NOT NULL, status smallint NOT NULL, payload text NOT NULL, updated_at timestamptz NOT NULL);",
		row: func(n int) []string {
			s := n / 25
			return []string{number(uint64(n + 1)), number(hash(uint64(n), 1) % 10000), number(hash(uint64(n), 2) % 5), payload[:128],
				fmt.Sprintf("2026-01-%02d %02d:%02d:%02d+00", 1+s/86400, s/3600%24, s/60%60, s%60)}
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (updated_at); CREATE INDEX ON t (account_id); CREATE INDEX ON t (account_id, status); CREATE INDEX ON t (status, updated_at);",
	},
	{
		name: "orders", rows: 300000,
		create: "CREATE TABLE t (id uuid NOT NULL, customer uuid NOT NULL, state text NOT NULL, total numeric(10,2), note text, placed timestamptz NOT NULL);",
		row: func(n int) []string {
			h := hash(uint64(n), 9)
			r := []string{uuid(hash(uint64(n), 1), hash(uint64(n), 2)), uuid(hash(h%40000, 3), hash(h%40000, 4)),
				[]string{"new", "paid", "paid", "shipped", "shipped", "shipped", "returned"}[h%7],
				fmt.Sprintf("%d.%02d", h/7%5000, h/11%100), null, fmt.Sprintf("2026-03-%02d %02d:%02d:00+00", 1+n/15000, n/625%24, n%60)}
			if h/13%4 == 0 {
				r[4] = strings.Repeat("note ", int(h/17%60))
			}
			return r
		},
		after: "ALTER TABLE t ADD PRIMARY KEY (id); CREATE INDEX ON t (customer, placed DESC); CREATE INDEX ON t (state) WHERE state <> 'shipped'; CREATE INDEX ON t (placed); CREATE INDEX ON t (total);",
		maint: "VACUUM t;", how: apply.LoadOptions{Vacuumed: true},
	},
}

func TestLoadDatabases(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of rows")
	}
	data, err := os.ReadFile(filepath.Join("testdata", "recorded", "databases.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]loadedState
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	for _, c := range databases {
		t.Run(c.name, func(t *testing.T) {
			s := subscribe(t, c.create+c.after, options())
			name := s.Tables()[0].Schema.Name
			if err := s.Load("public", name, generated{c.rows, c.row}, c.how); err != nil {
				t.Fatal(err)
			}
			s.check()
			got, want := figuresOf(s.table(name)), recorded[c.name]
			got.LinePointers, want.LinePointers = "", ""
			for name, x := range want.Indexes {
				x.Items, x.Bytes = "", ""
				want.Indexes[name] = x
			}
			compareLoaded(t, got, want)
		})
	}
}

// Indexes of one value, one million times: with deduplication and without.
func TestLoadEqualValues(t *testing.T) {
	s := subscribe(t, "CREATE TABLE t (a int4); CREATE INDEX d ON t (a); CREATE INDEX n ON t (a) WITH (deduplicate_items = off);", options())
	if err := s.Load("public", "t", generated{1000000, func(int) []string { return []string{"1"} }}, apply.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	x := s.table("t").Indexes
	if got := [2]int{x[0].BTree.Pages(), x[1].BTree.Pages()}; got != [2]int{849, 2749} {
		t.Errorf("%d pages, expected 849 and 2749", got)
	}
}

// Half a million uuids in order, one by one.
func TestLoadOrderedUUIDs(t *testing.T) {
	s := subscribe(t, "CREATE TABLE t (id uuid PRIMARY KEY);", options())
	rows := generated{500000, func(n int) []string { return []string{uuid(uint64(n)<<20, hash(uint64(n), 1))} }}
	if err := s.Load("public", "t", rows, apply.LoadOptions{Inserted: true}); err != nil {
		t.Fatal(err)
	}
	s.check()
	if got := s.table("t").Indexes[0].BTree.Pages() * 8192; got != 15785984 {
		t.Errorf("%d bytes, expected 15785984", got)
	}
	if n := s.Log().Total(); n.Records != 0 {
		t.Errorf("%d records were written", n.Records)
	}
}

// A key that is there twice stops the building of a unique index.
func TestLoadDuplicate(t *testing.T) {
	rows := textRows{row("1", "x"), row("2", "y"), row("1", "z")}
	for _, how := range []apply.LoadOptions{{}, {IndexesFirst: true}, {Inserted: true}} {
		s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, b text);", options())
		if err := s.Load("public", "t", rows, how); err == nil || !strings.Contains(err.Error(), "t_pkey") && !strings.Contains(err.Error(), "duplicate key") {
			t.Errorf("%+v: %v, expected a duplicate key of t_pkey", how, err)
		}
	}
}
