package backends

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// TestBothEnds compares what a scenario's report says of backends with what they were
// measured to take for such transactions, sent one by one: a client that waits for each
// answer has them sleep more often than that of the measurements did.
func TestBothEnds(t *testing.T) {
	list, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		t.Fatal(err)
	}
	o := &pipeline.Options{Profile: p, Limit: 5000, Schema: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(events)), nil }}
	for _, c := range []struct {
		workload, wait string
		rows           int
	}{{"insert_1", "off", 1}, {"insert_1_tx25", "off", 25}, {"insert_1_flushed", "on", 1}, {"insert_1_tx25_flushed", "on", 25}} {
		s, err := scenario.Read(strings.NewReader(fmt.Sprintf("schema = \"s\"\nduration = \"10s\"\n[publisher.settings]\nsynchronous_commit = %q\n[[operation]]\ntable = \"events\"\ndo = \"insert\"\nrate = 500\nrows = %d\n[tables.events.columns]\npayload = { width = 128 }\n", c.wait, c.rows)), "test.toml")
		if err != nil {
			t.Fatal(err)
		}
		e, err := pipeline.BothEnds(s, o)
		if err != nil {
			t.Fatal(err)
		}
		m := &list[slices.IndexFunc(list, func(m Measured) bool { return m.Name == c.workload })]
		var runs []float64
		for _, r := range m.Runs {
			if !r.Ahead {
				runs = append(runs, r.Seconds/float64(m.Rows))
			}
		}
		if e.BackendS == nil || e.Kinds["backend"] != cost.Calibrated {
			t.Errorf("%s: nothing is said of backends: %+v", c.workload, e)
			continue
		}
		t.Logf("%s: %.1f µs a row, measured %.1f to %.1f", c.workload, 1e6**e.BackendS, 1e6*slices.Min(runs), 1e6*slices.Max(runs))
		if *e.BackendS < slices.Min(runs) || *e.BackendS > 1.3*slices.Max(runs) {
			t.Errorf("%s: %.1f µs a row, measured %.1f to %.1f", c.workload, 1e6**e.BackendS, 1e6*slices.Min(runs), 1e6*slices.Max(runs))
		}
	}
}
