// Command fit fits the instruction model of an apply worker, a walsender or a backend:
//
//	go run ./experiments/instructions/fit -o model/cost/model.json
//	go run ./experiments/instructions/fit --side walsender -o model/publisher/model.json
//	go run ./experiments/instructions/fit --side backend -o model/backend/model.json
//
// The same steps give the same file. With --refresh the grids of folders (grid.json,
// measured.json, streams) are replayed first, and their steps recorded beside those of all
// other grids.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/instructions"
	"applysim/model/cost"
	"applysim/model/publisher"
)

// server is what the recorded steps were measured on.
const server = "PostgreSQL 18.6 (Debian 18.6-3), -O2, x86-64"

// side is a process whose instructions are modelled.
type side struct {
	name     string
	recorded func() ([]cost.Observation, error)
	observe  func(fs.FS) ([]cost.Observation, error)
	write    func(io.Writer, []cost.Observation) error
	file     string // with the recorded steps
	fitter   func([]cost.Observation) *cost.Fitter
}

var sides = []side{
	{"worker", instructions.Recorded, instructions.Observe, instructions.WriteSteps, instructions.StepsFile, cost.NewFitter},
	{"walsender", instructions.RecordedSender, instructions.ObserveSender, instructions.WriteSenderSteps, instructions.SenderStepsFile, func(steps []cost.Observation) *cost.Fitter {
		return cost.NewFitterOf(steps, publisher.Parts())
	}},
	{"backend", instructions.RecordedBackend, instructions.ObserveBackend, instructions.WriteBackendSteps, instructions.BackendStepsFile, func(steps []cost.Observation) *cost.Fitter {
		return cost.NewFitterOf(steps, nil)
	}},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := pflag.NewFlagSet("fit", pflag.ContinueOnError)
	of := flags.String("side", "worker", "the process to fit: worker, walsender or backend")
	out := flags.StringP("output", "o", "", "write the model to this file")
	refresh := flags.StringArray("refresh", nil, "replay the grids in this folder (grid.json, measured.json, streams) and record their steps, in place of those of grids with the same names; may be given several times")
	explain := flags.StringArray("explain", nil, "show a step, as GRID/STEP, function by function, as the other grids predict it; may be given several times")
	worst := flags.Int("worst", 10, "show so many of the worst predictions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	at := slices.IndexFunc(sides, func(s side) bool { return s.name == *of })
	if at < 0 {
		return fmt.Errorf("--side %s: expected worker, walsender or backend", *of)
	}
	s := &sides[at]
	steps, err := s.recorded()
	if err != nil {
		return err
	}
	if len(*refresh) > 0 {
		if steps, err = s.refresh(steps, *refresh); err != nil {
			return err
		}
	}
	fitter := s.fitter(steps)
	if len(*explain) > 0 {
		return explainSteps(fitter, *explain)
	}
	m, validation, err := fitter.Model(server)
	if err != nil {
		return err
	}
	fmt.Printf("%d steps of %d grids\n", m.Steps, m.Grids)
	fmt.Printf("fit: median %.2f %%, 90 %% within %.2f %%, worst %.2f %%\n", 100*m.Fit.Median, 100*m.Fit.P90, 100*m.Fit.Worst)
	fmt.Printf("each grid predicted by the others: median %.2f %%, 90 %% within %.2f %%, worst %.2f %% (%d steps; %d more have work that no other grid has)\n",
		100*m.Validation.Median, 100*m.Validation.P90, 100*m.Validation.Worst, m.Validation.Steps, m.Undetermined)
	slices.SortFunc(validation, func(a, b cost.Prediction) int { return cmp.Compare(math.Abs(b.Error()), math.Abs(a.Error())) })
	shown := 0
	for _, p := range validation {
		if !p.Undetermined && shown < *worst {
			fmt.Printf("%8.2f %%  %s/%s\n", 100*p.Error(), p.Grid, p.Step)
			shown++
		}
	}
	if *out == "" {
		return nil
	}
	b, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(b, '\n'), 0o644)
}

// refresh replays the grids of folders and records their steps beside those of all other
// grids.
func (s *side) refresh(steps []cost.Observation, folders []string) ([]cost.Observation, error) {
	for _, dir := range folders {
		list, err := s.observe(os.DirFS(dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		anew := map[string]bool{}
		for _, o := range list {
			anew[o.Grid] = true
		}
		steps = append(slices.DeleteFunc(steps, func(o cost.Observation) bool { return anew[o.Grid] }), list...)
	}
	var b bytes.Buffer
	if err := s.write(&b, steps); err != nil {
		return nil, err
	}
	return steps, os.WriteFile(filepath.Join("experiments", "instructions", s.file), b.Bytes(), 0o644)
}

// explainSteps shows where predictions of steps differ from what was measured.
func explainSteps(f *cost.Fitter, names []string) error {
	for _, name := range names {
		at := strings.LastIndex(name, "/")
		if at < 0 {
			return fmt.Errorf("--explain %s: expected GRID/STEP", name)
		}
		parts, err := f.Parts(name[:at], name[at+1:])
		if err != nil {
			return fmt.Errorf("--explain: %w", err)
		}
		fmt.Println(name)
		for _, p := range parts {
			if p.Name == "" {
				p.Name = "the whole"
			}
			if p.Quantity != 0 {
				fmt.Printf("  %-60s %12.0f times %17s %12.0f\n", p.Name, p.Quantity, "", p.Predicted)
				continue
			}
			fmt.Printf("  %-60s measured %12.0f  predicted %12.0f  difference %7.2f %% of the whole\n", p.Name, p.Measured, p.Predicted, 100*(p.Predicted-p.Measured)/parts[0].Measured)
		}
	}
	return nil
}
