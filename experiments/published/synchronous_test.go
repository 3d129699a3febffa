package published_test

import (
	"math"
	"strings"
	"testing"

	"applysim/experiments/published"
	"applysim/model/cost"
)

// TestSynchronous: what was solved comes out; what was not is within a twelfth, and says
// what it hangs on.
func TestSynchronous(t *testing.T) {
	list := []map[string]string{}
	for _, f := range [][3]string{
		{"async", "tps", "25665.588701"}, {"async", "latency", "0.312"}, {"sync_on", "tps", "16252.474704"}, {"sync_on", "latency", "0.492"},
		{"sync_remote_apply", "tps", "15525.947505"}, {"sync_remote_apply", "latency", "0.515"}, {"unused_slot", "retained_wal", "1598"},
	} {
		list = append(list, map[string]string{"source": "replication-lab", "scenario": f[0], "figure": f[1], "low": f[2], "high": f[2]})
	}
	figures, err := published.Synchronous("list", list)
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != len(list) {
		t.Fatalf("%d figures, expected %d", len(figures), len(list))
	}
	for _, f := range figures {
		e, ok := f.Error()
		t.Logf("%s %s: %v published, %v, %s, %s", f.Scenario, f.Figure, f.Published, *f.Simulated, f.Kind, f.Note)
		limit, kind := 0.005, cost.Solved
		if f.Scenario == "sync_remote_apply" {
			limit, kind = 1.0/12, cost.Predicted
			if !strings.HasPrefix(f.Note, "consistent if ") {
				t.Errorf("%s: note %q, expected what it hangs on", f.Scenario, f.Note)
			}
		}
		if !ok || math.Abs(e) > limit || f.Kind != kind {
			t.Errorf("%s %s: %v for %v, %s; expected it within %v, %s", f.Scenario, f.Figure, *f.Simulated, f.Published, f.Kind, limit, kind)
		}
	}
	// Rates that no flush gives.
	list[2]["low"] = "30000"
	if _, err := published.Synchronous("list", list); err == nil {
		t.Error("on is faster than nobody waiting, and it is solved")
	}
	list[0]["low"] = "many"
	if _, err := published.Synchronous("list", list); err == nil {
		t.Error("a rate that is no number is taken")
	}
}
