// Command fitsender fits the instruction model of a walsender: go run
// ./experiments/instructions/fitsender -o model/publisher/model.json. The same steps give
// the same file. With --refresh the recorded steps are replaced by those of folders of
// grids (grid.json, measured.json, streams), which are carried out on a simulated
// publisher.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"applysim/experiments/instructions"
	"applysim/model/cost"
	"applysim/model/publisher"
)

// server is what the recorded steps were measured on.
const server = "PostgreSQL 18.6 (Debian 18.6-3), -O2, x86-64"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fitsender:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := pflag.NewFlagSet("fitsender", pflag.ContinueOnError)
	out := flags.StringP("output", "o", "", "write the model to this file")
	refresh := flags.StringArray("refresh", nil, "carry out the grids in this folder and replace the recorded steps; may be given several times")
	worst := flags.Int("worst", 10, "show so many of the worst predictions")
	if err := flags.Parse(args); err != nil {
		return err
	}
	steps, err := observed(*refresh)
	if err != nil {
		return err
	}
	m, validation, err := cost.NewFitterOf(steps, publisher.Parts()).Model(server)
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

// observed are the recorded steps, or those of folders, which become the recorded ones.
func observed(folders []string) ([]cost.Observation, error) {
	if len(folders) == 0 {
		return instructions.RecordedSender()
	}
	var steps []cost.Observation
	for _, dir := range folders {
		list, err := instructions.ObserveSender(os.DirFS(dir))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		steps = append(steps, list...)
	}
	var b bytes.Buffer
	if err := instructions.WriteSenderSteps(&b, steps); err != nil {
		return nil, err
	}
	return steps, os.WriteFile(filepath.Join("experiments", "instructions", instructions.SenderStepsFile), b.Bytes(), 0o644)
}
