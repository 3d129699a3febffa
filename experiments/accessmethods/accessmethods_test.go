package main

import (
	"math"
	"os"
	"testing"

	"applysim/model/accessmethod"
)

// What the model says of the grids is what was measured, as far as the errors that are
// shown to users say so; hash indexes are exact.
func TestEstimates(t *testing.T) {
	if err := os.Chdir("../.."); err != nil {
		t.Fatal(err)
	}
	real, err := measured()
	if err != nil {
		t.Fatal(err)
	}
	compared := map[string]int{}
	for _, g := range allGrids() {
		m := real[g.name]
		if m == nil {
			t.Errorf("%s: was not measured", g.name)
			continue
		}
		if testing.Short() && g.rows > 8000 && g.method() != "hash" {
			continue
		}
		s, err := g.simulate()
		if err != nil {
			t.Errorf("%s: %v", g.name, err)
			continue
		}
		e := accessmethod.ErrorOf(g.method())
		for phase, name := range phases {
			a, b := total(m[phase]), total(s.wal[phase])
			if a.records == 0 {
				continue
			}
			compared[g.method()]++
			wrong := math.Abs(float64(b.bytes)/float64(a.bytes) - 1)
			switch {
			case g.method() == "hash":
				for k, c := range m[phase] {
					if s.wal[phase][k] != c {
						t.Errorf("%s, %s: %s: %v, measured %v", g.name, name, k, s.wal[phase][k], c)
					}
				}
			case wrong > e.WAL:
				t.Errorf("%s, %s: %d bytes, measured %d: %.1f %%, more than the %.1f %% that are shown", g.name, name, b.bytes, a.bytes, 100*wrong, 100*e.WAL)
			}
		}
	}
	runs, err := indexes()
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range runs {
		if wrong, e := math.Abs(float64(x.estimated)/float64(x.real)-1), accessmethod.ErrorOf(x.method); wrong > e.WAL {
			t.Errorf("%s of %s: %d bytes, measured %d: %.1f %%, more than the %.1f %% that are shown", x.index, x.scenario, x.estimated, x.real, 100*wrong, 100*e.WAL)
		}
	}
	if len(runs) < 3 {
		t.Errorf("%d indexes of scenarios", len(runs))
	}
	for _, m := range []string{"gin", "gist", "hash"} {
		if compared[m] < 2 {
			t.Errorf("%d comparisons of %s indexes", compared[m], m)
		}
	}
}
