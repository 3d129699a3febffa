package initialcopy

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// timed is a real initial copy, PostgreSQL 18.1, that was watched: seconds since CREATE
// SUBSCRIPTION at which pg_subscription_rel first showed each state of each table (d its
// worker has begun, f copied, s caught up, r ready). A trigger on the subscriber slept 10 ms
// for each row, copied or applied, so that the pace depends little on how busy the machine
// was; rows went into table t1 at a rate all the time.
type timed struct {
	Workers int                           `json:"workers"`
	Rows    map[string]int64              `json:"rows"`
	Rate    float64                       `json:"rate"`
	Created float64                       `json:"created_s"`
	States  map[string]map[string]float64 `json:"states"`
}

func readTimed(t *testing.T, name string) *timed {
	t.Helper()
	b, err := os.ReadFile("testdata/recorded/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r := &timed{}
	if err := json.Unmarshal(b, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTimed predicts two runs from what a third one tells: what a row takes, what a table
// takes beside, and how long it is until the first worker begins. The order in which the
// workers began is taken from the runs: it is that of the publisher's answer to a query
// without ORDER BY.
func TestTimed(t *testing.T) {
	c := readTimed(t, "calibrate")
	one, two := c.States["t1"], c.States["t2"]
	row := ((two["r"] - two["d"]) - (one["r"] - one["d"])) / float64(c.Rows["t2"]-c.Rows["t1"])
	table := two["r"] - one["r"] - row*float64(c.Rows["t2"])
	launch := one["r"] - c.Created - table - row*float64(c.Rows["t1"])
	t.Logf("%.1f ms a row, %.2f s a table, %.2f s before the first", 1000*row, table, launch)
	for _, name := range []string{"two_workers", "one_worker"} {
		r := readTimed(t, name)
		var jobs []Job
		for range r.Rows {
			next, began := "", math.Inf(1)
			for name, states := range r.States {
				used := false
				for _, j := range jobs {
					used = used || j.Name == name
				}
				if !used && states["d"] < began {
					next, began = name, states["d"]
				}
			}
			jobs = append(jobs, Job{Name: next, Copy: table + row*float64(r.Rows[next]), Rows: r.Rows[next]})
		}
		p := Schedule(jobs, r.Workers, Load{Rate: r.Rate, Apply: row, Share: func(name string) float64 {
			if name == "t1" {
				return 1
			}
			return 0
		}})
		last := 0.0
		for _, s := range p.Spans {
			got, want := s.Ready+launch, r.States[s.Name]["r"]-r.Created
			last = math.Max(last, want)
			t.Logf("%s: %s ready after %.2f s, measured %.2f (%+.1f %%)", name, s.Name, got, want, 100*(got/want-1))
			if math.Abs(got/want-1) > 0.15 {
				t.Errorf("%s: %s is ready after %.2f s, measured %.2f", name, s.Name, got, want)
			}
		}
		if got := p.Copied + launch; math.Abs(got/last-1) > 0.15 {
			t.Errorf("%s: all are ready after %.2f s, measured %.2f", name, got, last)
		}
	}
}
