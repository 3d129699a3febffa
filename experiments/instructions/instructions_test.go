package instructions

import (
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"applysim/model/cost"
)

// TestModel fits the model again: the recorded steps give the model that the program
// has, and it predicts grids that it was not fitted to.
func TestModel(t *testing.T) {
	steps, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	have, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	fitter := cost.NewFitter(steps)
	prices, err := fitter.Prices()
	if err != nil {
		t.Fatal(err)
	}
	// Prices of other access methods come from experiments/accessmethods.
	have.Terms = slices.DeleteFunc(have.Terms, func(t cost.Term) bool { return strings.HasPrefix(t.Name, "access method ") })
	if len(prices) != len(have.Terms) {
		t.Fatalf("%d terms, the program has %d: run go generate ./model/cost", len(prices), len(have.Terms))
	}
	for _, h := range have.Terms {
		// Other machines round differently.
		if p := prices[h.Name]; math.Abs(p-h.Instructions) > 1e-3*h.Instructions+0.02 {
			t.Errorf("%s: %v, the program has %v: run go generate ./model/cost", h.Name, p, h.Instructions)
		}
	}
	if have.Validation.Median > 0.02 {
		t.Errorf("median error of left-out grids %.2f %%, expected at most 2 %%", 100*have.Validation.Median)
	}
	// All of them would take a minute: go run ./experiments/instructions/fit.
	validation, err := fitter.ValidateEvery(12)
	if err != nil {
		t.Fatal(err)
	}
	over := 0
	for _, p := range validation {
		if !p.Undetermined && math.Abs(p.Error()) > 0.08 {
			over++
			t.Logf("%+.1f %% %s/%s", 100*p.Error(), p.Grid, p.Step)
		}
	}
	// Grids of one type with values of extreme length have no like among the others.
	if over > len(validation)/10 {
		t.Errorf("%d of %d steps of left-out grids are off by more than 8 %%", over, len(validation))
	}
}

// TestReplay replays recorded grids: their work is what the recorded steps say, so the
// simulator still counts as it did when the model was fitted.
func TestReplay(t *testing.T) {
	fsys := os.DirFS("testdata/recorded/grids")
	list, err := Observe(fsys)
	if err != nil {
		t.Fatal(err)
	}
	steps, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 5 {
		t.Fatalf("%d steps", len(list))
	}
	for _, o := range list {
		found := false
		for _, s := range steps {
			if s.Grid != o.Grid || s.Step != o.Step {
				continue
			}
			found = true
			want := map[cost.Item]float64{}
			for _, i := range s.Usage.Items() {
				want[cost.Item{Term: i.Term, Where: i.Where}] += i.Quantity
			}
			for _, i := range o.Usage.Items() {
				want[cost.Item{Term: i.Term, Where: i.Where}] -= i.Quantity
			}
			drift := &cost.Usage{}
			for i, d := range want {
				i.Quantity = math.Abs(d)
				drift.Add(i)
			}
			if n := model.Instructions(drift); n > 1e-2*o.Total {
				t.Errorf("%s/%s: the work differs by %.0f of %.0f instructions from when the model was fitted: run go run ./experiments/instructions/fit --refresh", o.Grid, o.Step, n, o.Total)
				for _, i := range drift.Items() {
					t.Logf("%s: %v", i.Term, i.Quantity)
				}
			}
			if s.Total != o.Total {
				t.Errorf("%s/%s: %v instructions, recorded %v", o.Grid, o.Step, o.Total, s.Total)
			}
		}
		if !found {
			t.Errorf("%s/%s is not among the recorded steps", o.Grid, o.Step)
		}
	}
}

func TestUnusable(t *testing.T) {
	for name, c := range map[string]struct {
		fsys fs.FS
		want string
	}{
		"no grids": {fstest.MapFS{}, "grid.json"},
		"no JSON":  {fstest.MapFS{"grid.json": {Data: []byte("[\n{]")}}, "grid.json:2"},
		"no stream": {fstest.MapFS{
			"grid.json": {Data: []byte(`[{"name":"a","pub":"create table t(id int)","steps":[]}]`)}, "measured.json": {Data: []byte("[]")}, "streams/x": {},
		}, "a.empty.tsv.gz"},
		"nothing to subtract": {fstest.MapFS{"grid.json": {Data: []byte("[]")}, "measured.json": {Data: []byte(`[{"grid":"a","step":"s"}]`)}}, "grid a has no step"},
	} {
		if _, err := Observe(c.fsys); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}

// TestBlind predicts grids that were recorded when the model was finished and that it was
// never fitted to: other tables, widths, types, keys, partitions and constraints.
func TestBlind(t *testing.T) {
	fsys := os.DirFS("testdata/blind")
	list, err := Observe(fsys)
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := Recorded()
	if err != nil {
		t.Fatal(err)
	}
	model, err := cost.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	grids := map[string]bool{}
	var predictions []cost.Prediction
	for _, o := range list {
		grids[o.Grid] = true
		if slices.ContainsFunc(fitted, func(f cost.Observation) bool { return f.Grid == o.Grid }) {
			t.Errorf("%s is among the steps that the model was fitted to", o.Grid)
		}
		predictions = append(predictions, cost.Prediction{Grid: o.Grid, Step: o.Step, Measured: o.Total, Predicted: model.Instructions(o.Usage)})
	}
	e := cost.Summarize(predictions)
	t.Logf("%d steps of %d grids: median %.2f %%, 90 %% within %.2f %%, worst %.2f %%", e.Steps, len(grids), 100*e.Median, 100*e.P90, 100*e.Worst)
	if len(grids) < 8 || e.Steps < 30 {
		t.Errorf("%d steps of %d grids, expected at least 30 of 8", e.Steps, len(grids))
	}
	if e.Median > 0.02 || e.Worst > 0.08 {
		t.Errorf("median error %.2f %%, worst %.2f %%: expected at most 2 and 8", 100*e.Median, 100*e.Worst)
	}
}
