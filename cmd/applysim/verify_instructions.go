package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"

	"applysim/experiments/instructions"
	"applysim/experiments/table"
	"applysim/model/cost"
	"applysim/model/publisher"
)

// verifyInstructions predicts the instructions of grids of workloads and prints what
// a real apply worker, or a walsender, took beside them. The predictions are made first, without
// reading what was measured.
func verifyInstructions(env environment, dir, format string) error {
	fsys := os.DirFS(dir)
	grids, err := instructions.ReadGrids(fsys)
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	read, replay := cost.Builtin, instructions.Replay
	if instructions.OfSender(fsys) {
		read, replay = publisher.Model, instructions.ReplaySender
	}
	model, err := read()
	if err != nil {
		return err
	}
	type prediction struct {
		Grid      string   `json:"grid"`
		Step      string   `json:"step"`
		Measured  *float64 `json:"measured"`
		Predicted float64  `json:"predicted"`
	}
	steps := []prediction{}
	broken := 0
	for i := range grids {
		work, err := replay(fsys, &grids[i])
		if err != nil {
			// The other grids are still worth a look.
			fmt.Fprintf(env.stderr, "applysim: %s: grid %s: %v\n", dir, grids[i].Name, err)
			broken++
			continue
		}
		for _, w := range work {
			steps = append(steps, prediction{grids[i].Name, w.Step, nil, math.Round(model.Instructions(w.Usage))})
		}
	}

	measured, err := instructions.ReadMeasured(fsys)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, err)
	}
	var compared []cost.Prediction
	for i := range steps {
		s := &steps[i]
		if m, ok := measured[[2]string{s.Grid, s.Step}]; ok {
			s.Measured = &m.Instructions
			compared = append(compared, cost.Prediction{Grid: s.Grid, Step: s.Step, Measured: m.Instructions, Predicted: s.Predicted})
		}
	}
	if format == "json" {
		err = printJSON(env.stdout, struct {
			SchemaVersion int          `json:"schema_version"`
			Steps         []prediction `json:"steps"`
		}{1, steps})
	} else {
		t := &table.Table{Columns: []table.Column{
			{Name: "grid"}, {Name: "step"}, {Name: "measured", Right: true}, {Name: "predicted", Right: true},
			{Name: "error", Right: true, Signed: true, Decimals: 2, Unit: " %"},
		}}
		for _, s := range steps {
			if s.Measured == nil {
				t.Add(s.Grid, s.Step, nil, int64(s.Predicted), nil)
				continue
			}
			t.Add(s.Grid, s.Step, int64(*s.Measured), int64(s.Predicted), 100*(s.Predicted / *s.Measured - 1))
		}
		err = t.Text(env.stdout)
		if len(compared) > 0 {
			e := cost.Summarize(compared)
			worst := slices.MaxFunc(compared, func(a, b cost.Prediction) int { return cmp.Compare(math.Abs(a.Error()), math.Abs(b.Error())) })
			fmt.Fprintf(env.stdout, "\n%s: median error %.2f %%, 90 %% of them within %.2f %%, worst %.2f %% (%s/%s)\n",
				count(int64(len(compared)), "step"), 100*e.Median, 100*e.P90, 100*e.Worst, worst.Grid, worst.Step)
			v := model.Validation
			fmt.Fprintf(env.stdout, "the model: fitted to %d steps of %d grids; each grid predicted by the others: median %.2f %%, 90 %% within %.2f %%\n",
				model.Steps, model.Grids, 100*v.Median, 100*v.P90)
		}
	}
	if err == nil && broken > 0 {
		err = fmt.Errorf("%s: %d of %d grids could not be replayed", dir, broken, len(grids))
	}
	return err
}
