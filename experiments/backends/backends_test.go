package backends

import (
	"math"
	"testing"

	"applysim/model/cost"
)

// TestRates checks that the profile's rates of backends are what the measurements give, and
// that workloads which are left out are predicted.
func TestRates(t *testing.T) {
	list, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	r, predictions, err := Fit(list)
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	built := p.Publisher.Statements
	if built == nil || built.Within != r.Within || built.Workloads != r.Workloads {
		t.Fatalf("built in: %+v, fitted: %+v (go run ./experiments/profiles --backends -o model/cost/profiles)", built, r)
	}
	for i, x := range r.Rates {
		if math.Abs(x.Value-built.Rates[i].Value) > 1e-3*x.Value {
			t.Errorf("%s: fitted %v, built in %v", x.Name, x.Value, built.Rates[i].Value)
		}
	}
	flushed := map[string]bool{}
	for _, w := range All() {
		flushed[w.Name] = w.Flush
	}
	for _, x := range predictions {
		t.Logf("%-28s %-5v %.3f (%.3f to %.3f), predicted %.3f s, %+.1f %%", x.Name, x.Ahead, x.Median, x.Low, x.High, x.Predicted, 100*x.Error)
		// What a flush takes differs between workloads by more than anything else.
		limit := 0.25
		if flushed[x.Name] {
			limit = 0.4
		}
		if math.Abs(x.Error) > limit {
			t.Errorf("%s: %+.1f %%, expected at most %.0f %%", x.Name, 100*x.Error, 100*limit)
		}
	}
	if r.Error > 0.1 || float64(r.Within) < 0.8*float64(r.Workloads) {
		t.Errorf("median error %.1f %%, %d of %d within 15 %% or inside the range of their runs: expected 10 %% at most and eight of ten", 100*r.Error, r.Within, r.Workloads)
	}
}

// TestWorkloads checks that the workloads are those that were measured.
func TestWorkloads(t *testing.T) {
	list, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	all := All()
	if len(list) != len(all) {
		t.Fatalf("%d workloads were measured, there are %d", len(list), len(all))
	}
	for i, w := range all {
		m := &list[i]
		if m.Name != w.Name || m.Rows != w.Rows || m.Work.Rows != float64(w.Rows) {
			t.Errorf("workload %s: %d rows; measured %s with %d, of which the simulator changed %v", w.Name, w.Rows, m.Name, m.Rows, m.Work.Rows)
		}
		if len(m.Runs) < 4 {
			t.Errorf("%s: %d runs, expected 4 or more", m.Name, len(m.Runs))
		}
	}
}
