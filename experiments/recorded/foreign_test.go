package recorded_test

import (
	"os"
	"slices"
	"testing"

	"applysim/experiments/recorded"
	"applysim/wal"
)

// The records of gin, gist, hash and spgist indexes are left out; all others, of their
// tables and of the B-trees beside them, are those of the real server, and so are the
// counters. To verify such a case is not supported.
func TestForeignIndexesLeaveTheRestExact(t *testing.T) {
	c, err := recorded.Open(os.DirFS("testdata/foreign"), "foreign_indexes")
	if err != nil {
		t.Fatal(err)
	}
	records, err := c.Records()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	left := 0
	for _, r := range records {
		switch {
		case slices.Contains([]string{"Gin", "Gist", "Hash", "SPGist"}, r.Manager):
			left++
		case !r.Background():
			want = append(want, r.Line())
		}
	}
	var log *wal.Log
	w, err := c.Worker(func(r *wal.Record) {
		if !recorded.Background(log, r) {
			got = append(got, recorded.Line(log, r))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	log = w.Log()
	if _, err := c.Run(w); err != nil {
		t.Fatal(err)
	}
	if left < 1000 || len(got) != len(want) {
		t.Errorf("%d records, expected %d beside %d of the indexes", len(got), len(want), left)
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("record %d: got %s, expected %s", i+1, got[i], want[i])
		}
	}
	expected, err := c.Expected()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range w.Tables() {
		name := s.Schema.QualifiedName()
		if name == "marker" {
			continue
		}
		r := recorded.Describe(&s)
		for column, n := range map[string]int64{"n_tup_hot_upd": r.HOTUpdates, "idx_scan": r.IdxScans, "idx_tup_fetch": r.IdxTupFetch, "seq_scan": r.SeqScans} {
			if n += c.Start.Statistics[name][column]; n != int64(expected.Tables[name][column].(float64)) {
				t.Errorf("%s.%s: got %d, expected %v", name, column, n, expected.Tables[name][column])
			}
		}
	}
	result, err := c.Verify()
	if err != nil || result.Outcome != recorded.Unsupported {
		t.Errorf("verify: %v, %v, expected unsupported", result.Line(), err)
	}
}
