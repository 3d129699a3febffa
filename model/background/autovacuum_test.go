package background_test

// Which tables autovacuum vacuums and analyzes, on PostgreSQL 18.1 with
// autovacuum_naptime = 1 s, and the same here: at which numbers of dead and inserted
// rows, and what pg_class and the statistics have afterwards.

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/stream"
)

// autovacuumTrial is a table, what it had before, and what happened to it. Between two
// changes there may be a wait for autovacuum; at the end there is always one.
type autovacuumTrial struct {
	Name    string  `json:"name"`
	Rows    int     `json:"rows"`
	Prepare string  `json:"prepare"` // analyze, vacuum_analyze, vacuum_freeze
	Change  [][]any `json:"change"`
	Options string  `json:"options"`
	Columns string  `json:"columns"`
	Rounds  []struct {
		After autovacuumState `json:"after"`
	} `json:"rounds"`
}

type autovacuumState struct {
	Vacuums  int `json:"vacuums"`
	Analyzes int `json:"analyzes"`
	Rows     int `json:"rows"` // reltuples
	Pages    int `json:"pages"`
	Frozen   int `json:"frozen"`
	Dead     int `json:"dead"` // n_dead_tup
	Toast    *struct {
		Vacuums int `json:"vacuums"`
		Rows    int `json:"rows"`
		Dead    int `json:"dead"`
	} `json:"toast"`
}

func (s autovacuumState) String() string {
	text := fmt.Sprintf("%d VACUUMs, %d ANALYZEs, %d rows, %d pages, %d frozen, %d dead", s.Vacuums, s.Analyzes, s.Rows, s.Pages, s.Frozen, s.Dead)
	if t := s.Toast; t != nil {
		text += fmt.Sprintf("; TOAST: %d VACUUMs, %d rows, %d dead", t.Vacuums, max(t.Rows, 0), t.Dead)
	}
	return text
}

// autovacuumWait is how long autovacuum was on.
const autovacuumWait = 6 * time.Second

func TestAutovacuumRecorded(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "recorded", "autovacuum.json"))
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Trials []autovacuumTrial `json:"trials"`
	}
	if err := json.Unmarshal(data, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Trials) < 40 {
		t.Fatalf("%d trials", len(recorded.Trials))
	}
	for i := range recorded.Trials {
		x := &recorded.Trials[i]
		t.Run(x.Name, x.run)
	}
}

// row is row n, from 1, as the script of the recording made it.
func (x *autovacuumTrial) row(n int) []string {
	w := "row"
	if strings.Contains(x.Columns, "external") {
		sum := md5.Sum([]byte(fmt.Sprint(n)))
		w = strings.Repeat(hex.EncodeToString(sum[:]), 157)
	}
	return []string{fmt.Sprint(n), fmt.Sprint(n), w}
}

func (x *autovacuumTrial) run(t *testing.T) {
	ddl := "CREATE TABLE t (" + x.Columns + ")"
	if x.Options != "" {
		ddl += " WITH (" + x.Options + ")"
	}
	o := options()
	o.Settings.Autovacuum.Naptime = time.Second
	s := subscribe(t, ddl, o)
	rows := make(textRows, x.Rows)
	for n := range rows {
		rows[n] = row(x.row(n + 1)...)
	}
	vacuumed := x.Prepare != "analyze"
	if err := s.Load("public", "t", rows, apply.LoadOptions{Inserted: true, Vacuumed: vacuumed, Frozen: x.Prepare == "vacuum_freeze"}); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, err := background.NewAutovacuum(s.Worker, now, func(sql string) error { return s.Run(sql, false) })
	if err != nil {
		t.Fatal(err)
	}
	s.apply(begin(), relation(1, "t", "id*", "v", "w"), commit())
	deleted, inserted, round := 0, x.Rows, 0
	wait := func() {
		now = now.Add(autovacuumWait)
		if err := a.Until(now); err != nil {
			t.Fatal(err)
		}
		s.check()
		want := x.Rounds[round].After
		got := autovacuumState{Analyzes: a.Analyzes}
		table := s.table("t")
		for _, r := range a.Runs {
			switch {
			case r.Table == "t":
				got.Vacuums++
			case want.Toast != nil:
				if got.Toast == nil {
					got.Toast = newToastState(want)
				}
				got.Toast.Vacuums++
			}
		}
		class := func(h interface{ Class() (float32, int, int) }) (int, int, int) {
			rows, pages, frozen := h.Class()
			return int(rows), pages, frozen
		}
		got.Rows, got.Pages, got.Frozen = class(table.Heap)
		got.Dead = int(table.Heap.Dead())
		if want.Toast != nil {
			if got.Toast == nil {
				got.Toast = newToastState(want)
			}
			got.Toast.Rows, _, _ = class(table.Toast)
			got.Toast.Dead = int(table.Toast.Dead())
		}
		if got.String() != want.String() {
			t.Errorf("round %d: got  %s\nwant %s", round+1, got, want)
		}
		round++
	}
	for _, c := range x.Change {
		var changes []stream.Message
		n := 0
		if len(c) > 1 {
			n = int(c[1].(float64))
		}
		switch c[0] {
		case "wait":
			wait()
			continue
		case "delete":
			for range n {
				deleted++
				changes = append(changes, del(1, fmt.Sprint(deleted), null, null))
			}
		case "update":
			for k := range n {
				r := x.row(k + 1)
				r[1] = "-1"
				changes = append(changes, update(1, r...))
			}
		case "insert":
			for range n {
				inserted++
				changes = append(changes, insert(1, x.row(inserted)...))
			}
		default:
			t.Fatalf("unknown change %v", c)
		}
		s.apply(tx(changes...)...)
	}
	wait()
}

func newToastState(s autovacuumState) *struct {
	Vacuums int `json:"vacuums"`
	Rows    int `json:"rows"`
	Dead    int `json:"dead"`
} {
	c := *s.Toast
	c.Vacuums, c.Rows, c.Dead = 0, 0, 0
	return &c
}

// TestAutovacuumCost compares what a VACUUM counts for its cost: 100,000 rows, of which a
// third is deleted, then a checkpoint; on PostgreSQL 18.1 its log had 3,746 hits and 1,416
// pages dirtied. Of them 59 and 1 were pages of catalogs. Its delays were longer than what
// cost limit and delay ask for, by what it takes to wake up.
func TestAutovacuumCost(t *testing.T) {
	const hits, dirtied, catalogHits, catalogDirtied = 3746, 1416, 59, 1
	s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, v int, w text)", options())
	rows := make(textRows, 100_000)
	w := strings.Repeat("x", 50)
	for n := range rows {
		rows[n] = row(fmt.Sprint(n+1), "1", w)
	}
	if err := s.Load("public", "t", rows, apply.LoadOptions{Inserted: true, Vacuumed: true}); err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, err := background.NewAutovacuum(s.Worker, start, func(sql string) error { return s.Run(sql, false) })
	if err != nil {
		t.Fatal(err)
	}
	changes := []stream.Message{relation(1, "t", "id*", "v", "w")}
	for n := 3; n <= len(rows); n += 3 {
		changes = append(changes, del(1, fmt.Sprint(n), null, null))
	}
	s.apply(tx(changes...)...)
	if err := s.Run("CHECKPOINT", true); err != nil {
		t.Fatal(err)
	}
	if err := a.Until(start.Add(90 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if len(a.Runs) != 1 {
		t.Fatalf("%d VACUUMs", len(a.Runs))
	}
	r := a.Runs[0]
	if r.Visits != hits-catalogHits || r.Dirtied != dirtied-catalogDirtied {
		t.Errorf("%d visits, %d pages dirtied, expected %d and %d", r.Visits, r.Dirtied, hits-catalogHits, dirtied-catalogDirtied)
	}
	if want := time.Duration((r.Visits+20*r.Dirtied)/200) * 2 * time.Millisecond; r.Duration != want {
		t.Errorf("takes %v, expected %v", r.Duration, want)
	}
}
