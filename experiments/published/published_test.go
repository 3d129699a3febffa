package published_test

import (
	"math"
	"testing"

	"applysim/experiments/published"
)

// TestLimits holds the simulated WAL to the published one. The limits and the
// bytes are those of the report; the names here are in its lines.
func TestLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("seven runs of 500,000 rows")
	}
	r, err := published.Run(published.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	measured := map[string]int64{}
	judged := 0
	for i := range r.Lines {
		l := &r.Lines[i]
		t.Logf("%-34s %d measured, %d simulated, %+.3f %%", l.Name, l.Measured, l.Simulated, l.ErrorPercent)
		measured[l.Name] = l.Measured
		if l.LimitPercent > 0 {
			judged++
		}
		if l.Over() {
			t.Errorf("%s: %+.2f %%, the limit is %v %%", l.Name, l.ErrorPercent, l.LimitPercent)
		}
		var sum int64
		for _, p := range l.Parts {
			sum += p.Bytes
		}
		if sum != l.Simulated {
			t.Errorf("%s: the parts sum up to %d, the total is %d", l.Name, sum, l.Simulated)
		}
	}
	if judged != 3 {
		t.Errorf("%d figures are judged, expected 3", judged)
	}
	for name, want := range map[string]int64{
		"primary key, text":         143_476_467,
		"primary key, binary":       143_448_119,
		"four more indexes, text":   284_912_301,
		"primary key, ids in order": 143_347_184,
	} {
		if measured[name] != want {
			t.Errorf("%s: %d read from the tables, expected %d", name, measured[name], want)
		}
	}
	// Ids in order leave nothing to chance with a primary key alone: what the
	// server wrote beside the changes is all that may be missing.
	for _, l := range r.Lines {
		if l.Name == "primary key, ids in order" && (l.Measured < l.Simulated || l.Measured-l.Simulated > 1000) {
			t.Errorf("%s: %d measured, %d simulated, expected a few hundred bytes less", l.Name, l.Measured, l.Simulated)
		}
	}
}

func TestOverlap(t *testing.T) {
	x, err := published.Overlap()
	if err != nil || math.Abs(x-2.70) > 0.01 {
		t.Errorf("%v, %v", x, err)
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []published.Options{{Rows: 0, Parallel: 1}, {Rows: 1}} {
		if _, err := published.Run(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
