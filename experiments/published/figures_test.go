package published_test

import (
	"bytes"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"applysim/experiments/published"
	"applysim/model/cost"
)

func simulate(t *testing.T, rows int) (*published.Simulation, published.Options) {
	t.Helper()
	p, err := cost.BuiltinProfile("apple-m1-pro")
	if err != nil {
		t.Fatal(err)
	}
	o := published.DefaultOptions()
	o.Rows = rows
	s, err := published.Simulate(o, p)
	if err != nil {
		t.Fatal(err)
	}
	return s, o
}

// TestFigures checks the errors of the figures that were not used to make the profile.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of 500,000 rows")
	}
	s, o := simulate(t, published.DefaultOptions().Rows)
	figures, err := s.Figures(nil, o.Rows)
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]float64{
		"logical_binary subscriber_cpu": 0.05, "decode_only publisher_cpu": 0.1, "logical_text publisher_cpu": 0.1,
		"logical_binary publisher_cpu": 0.1, "logical_text subscriber_wal": 0.005, "logical_binary subscriber_wal": 0.005,
		"text_four_indexes subscriber_wal": 0.01,
		// Solved: they come out as published.
		"logical_text subscriber_cpu": 0.01, "text_four_indexes subscriber_cpu": 0.01,
		"full_no_index_run_a subscriber_cpu": 0.01, "baseline publisher_cpu": 0.001,
	}
	drains := 0
	for i := range figures {
		f := &figures[i]
		if f.Simulated == nil || f.Kind == "" {
			t.Errorf("%s %s is not simulated", f.Scenario, f.Figure)
			continue
		}
		e, _ := f.Error()
		t.Logf("%-20s %-16s %12.3f %12.3f %+7.2f %% %s", f.Scenario, f.Figure, f.Published, *f.Simulated, 100*e, f.Kind)
		if limit, ok := limits[f.Scenario+" "+f.Figure]; ok {
			delete(limits, f.Scenario+" "+f.Figure)
			if math.Abs(e) > limit {
				t.Errorf("%s %s: error %+.2f %%, at most %.1f %%", f.Scenario, f.Figure, 100*e, 100*limit)
			}
		}
		if f.Figure == "drain" && f.Scenario != "baseline" {
			low, high, err := published.DrainRange(f.Scenario)
			if err != nil || *f.Simulated < low || *f.Simulated > high {
				t.Errorf("drain of %s: %.3f s, expected %.3f to %.3f s, the range of the source's runs widened by a tenth (%v)", f.Scenario, *f.Simulated, low, high, err)
			}
			drains++
		}
		if strings.HasPrefix(f.Scenario, "full_index") && f.Figure == "subscriber_cpu" && (f.Kind != cost.Predicted || math.Abs(*f.Simulated-f.Published) > 0.01) {
			t.Errorf("%s: %.4f s (%s), published %.3f", f.Scenario, *f.Simulated, f.Kind, f.Published)
		}
	}
	for scenario, limit := range map[string]float64{"identity_full_400_byte_row": 0.06, "wal2json_30_minutes": 0.15, "batch_one_transaction_30M_rows": 0.1} {
		i := slices.IndexFunc(figures, func(f published.Figure) bool { return f.Scenario == scenario })
		if i < 0 || !strings.HasPrefix(figures[i].Note, "consistent if ") {
			t.Errorf("%s: expected a figure that says what it hangs on", scenario)
			continue
		}
		if e, ok := figures[i].Error(); !ok || math.Abs(e) > limit {
			t.Errorf("%s: error %+.2f %%, at most %.0f %%", scenario, 100*e, 100*limit)
		}
	}
	if drains != 4 {
		t.Errorf("%d drains were compared, expected 4", drains)
	}
	for name := range limits {
		t.Errorf("%s was not compared", name)
	}
	// Each of 2,000 lookups goes over the 48,000 rows that are never updated and finds
	// the next one, whose predecessors are dead.
	if want := int64(2000 * 48_001); s.FullSeq.Passed != want {
		t.Errorf("%d rows passed, expected %d", s.FullSeq.Passed, want)
	}
}

// What is published changes nothing that is simulated.
func TestPublishedChangesNothing(t *testing.T) {
	s, o := simulate(t, 5000)
	text, err := os.ReadFile("figures.csv")
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.ReplaceAll(text, []byte("2.94,2.94"), []byte("9.94,9.94"))
	changed = bytes.ReplaceAll(changed, []byte("143476467,143476467"), []byte("1,1"))
	if bytes.Equal(text, changed) {
		t.Fatal("nothing was changed")
	}
	a, err := s.Figures(text, o.Rows)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Figures(changed, o.Rows)
	if err != nil {
		t.Fatal(err)
	}
	published := 0
	for i := range a {
		if a[i].Published != b[i].Published {
			published++
		}
		if *a[i].Simulated != *b[i].Simulated || a[i].Kind != b[i].Kind {
			t.Errorf("%s %s: %v, with other published figures %v", a[i].Scenario, a[i].Figure, *a[i].Simulated, *b[i].Simulated)
		}
	}
	if published != 2 {
		t.Errorf("%d published figures differ, expected 2", published)
	}
	for _, bad := range []string{"", "source,scenario,figure,low,high,unit,note\n", "source,scenario,figure,low,high,unit,note\nhidden-cpu,a,b,x,1,s,\n"} {
		if _, err := s.Figures([]byte(bad), o.Rows); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// TestApple solves the profile again.
func TestApple(t *testing.T) {
	if testing.Short() {
		t.Skip("three runs of 500,000 rows")
	}
	base, err := cost.BuiltinProfile("x86-64")
	if err != nil {
		t.Fatal(err)
	}
	p, err := published.SolveApple(base)
	if err != nil {
		t.Fatal(err)
	}
	have, err := cost.BuiltinProfile(p.Name)
	if err != nil {
		t.Fatal(err)
	}
	solved := map[string]bool{}
	for i, r := range p.Rates {
		if h := have.Rates[i]; math.Abs(r.Value-h.Value) > 0.05*h.Value+1e-3 || r.Kind != cost.Solved {
			t.Errorf("%+v, the program has %+v: run go generate ./model/cost", r, h)
		}
		if r.Value > 0 {
			// Rates in the proportions of the other profile are one number.
			if b := base.Rates[i].Value; b > 0 && i != int(cost.Scan) {
				solved["speed"] = true
				if ratio := r.Value / b / (p.Rates[0].Value / base.Rates[0].Value); math.Abs(ratio-1) > 1e-3 {
					t.Errorf("rate %s is not in proportion", r.Name)
				}
			} else {
				solved[r.Name] = true
			}
		}
	}
	if len(solved) > 3 {
		t.Errorf("%d numbers are solved on the subscriber's side, at most 3: %v", len(solved), solved)
	}
}
