package scenarios

import (
	"math"
	"slices"
	"strings"
	"testing"

	"applysim/model/cost"
)

// drift is how far rates may be from those of the program's profile before it must be
// made anew: the simulator's counters change a little with its short cuts.
const drift = 0.05

// TestProfile fits the profile x86-64 again and prints how it predicts scenarios that
// were left out.
func TestProfile(t *testing.T) {
	if testing.Short() {
		t.Skip("18 scenarios of up to 500,000 changes")
	}
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	runs, err := RecordedRuns()
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != len(All()) {
		t.Fatalf("%d scenarios were measured, there are %d", len(runs), len(All()))
	}
	wakeup, err := Wakeup()
	if err != nil {
		t.Fatal(err)
	}
	measurements, err := Measure(runs, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, residuals, err := cost.Calibrate(model, measurements, wakeup)
	if err != nil {
		t.Fatal(err)
	}
	have, err := cost.BuiltinProfile("x86-64")
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range p.Rates {
		if h := have.Rates[i]; math.Abs(r.Value-h.Value) > drift*h.Value+1e-3 || r.Low > r.Value || r.High < r.Value {
			t.Errorf("%+v, the program has %+v: run go generate ./model/cost", r, h)
		}
	}
	for i := range residuals {
		r := &residuals[i]
		t.Logf("%-28s median %.4f s [%.4f, %.4f], left out %.4f s, %+.1f %%, inside %v, determined %v", r.Scenario, r.Median, r.Low, r.High, r.LeftOut, 100*(r.LeftOut/r.Median-1), r.Inside(), r.Determined)
		if r.Determined && (math.Abs(r.LeftOut/r.Median-1) > 0.3 && !r.Inside()) {
			t.Errorf("%s: %.4f s predicted, %.4f s measured", r.Scenario, r.LeftOut, r.Median)
		}
	}
	if p.Error > 0.05 || p.Within < p.Scenarios {
		t.Errorf("median error %.1f %%, %d of %d inside", 100*p.Error, p.Within, p.Scenarios)
	}
	// Without the start of a worker by itself, the short scenario that has most of it cannot
	// be predicted by the others, and it is not said that it was.
	short := func(list []cost.Residual) *cost.Residual {
		return &list[slices.IndexFunc(list, func(r cost.Residual) bool { return r.Scenario == "full_index_50000" })]
	}
	if r := short(residuals); !r.Determined || !r.Inside() {
		t.Errorf("with the start of a worker: %+v", r)
	}
	alone := slices.DeleteFunc(measurements, func(m cost.Measurement) bool { return m.Scenario == "start_worker" })
	if p, residuals, err = cost.Calibrate(model, alone, wakeup); err != nil || p.Within != p.Scenarios || p.Scenarios < 16 || short(residuals).Determined {
		t.Errorf("cpu_seconds.csv alone: %d of %d inside, %+v (%v)", p.Within, p.Scenarios, short(residuals), err)
	}
}

// housekeeping is about what enabling a subscription and a checkpoint write, in bytes.
const housekeeping = 2000

// The simulated subscriber writes the WAL that the real one wrote for the same
// scenario, but for what its own housekeeping adds.
func TestWAL(t *testing.T) {
	measured := map[string]int64{
		"insert_text_pk_tx1": 17454112, "delete_pk": 3930778, "full_seq_50000": 46643, "full_index_50000": 3065603,
	}
	for _, s := range All() {
		want, ok := measured[s.Name]
		if !ok {
			continue
		}
		u, err := s.Run()
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		for _, i := range u.Items() {
			if i.Term == "write a byte of WAL" {
				got += i.Quantity
			}
		}
		if d := math.Abs(got - float64(want)); d > 0.01*float64(want) && d > housekeeping {
			t.Errorf("%s: %.0f bytes of WAL, %d on a real server", s.Name, got, want)
		}
	}
}

func TestUnusable(t *testing.T) {
	const head = "scenario,changes,rows_per_transaction,apply_cpu_s,walwriter_cpu_s,walsender_cpu_s\n"
	for name, c := range map[string][2]string{
		"empty":            {"", "x.csv:1: expected a line"},
		"a column missing": {"scenario,changes\n", "no column rows_per_transaction"},
		"no runs":          {head, "no measurements"},
		"unknown":          {head + "nonsense,1,1,1,1,1\n", `x.csv:2: unknown scenario "nonsense"`},
		"other size":       {head + "delete_pk,20001,1,1,1,1\n", "x.csv:2: changes of delete_pk"},
		"no number":        {head + "delete_pk,20000,1,abc,1,1\n", "x.csv:2: apply_cpu_s"},
		"too few fields":   {head + "delete_pk,20000\n", "x.csv:2: 2 fields"},
	} {
		if _, err := ReadRuns(strings.NewReader(c[0]), "x.csv"); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, expected %s", name, err, c[1])
		}
	}
}

// Measurements that say nothing of a class of work are refused, with the reason.
func TestUndetermined(t *testing.T) {
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var list []cost.Measurement
	for _, s := range All() {
		if s.Name == "delete_pk" || s.Name == "insert_text_pk_tx1" {
			u, err := s.Run()
			if err != nil {
				t.Fatal(err)
			}
			for range 5 {
				list = append(list, cost.Measurement{Scenario: s.Name, Usage: u, Runs: []float64{0.1}})
			}
		}
	}
	_, _, err = cost.Calibrate(model, list, cost.Rate{})
	if u, ok := err.(*cost.UndeterminedError); !ok || !strings.Contains(u.Error(), "scans") && !strings.Contains(u.Error(), "class") {
		t.Errorf("%v", err)
	}
}
