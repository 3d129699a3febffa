// Command profiles makes the profiles that come with the program: go generate
// ./model/cost. The same measurements give the same files.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"applysim/experiments/scenarios"
	"applysim/model/cost"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := pflag.NewFlagSet("profiles", pflag.ContinueOnError)
	out := flags.StringP("output", "o", "", "write the profiles to this folder")
	if err := flags.Parse(args); err != nil {
		return err
	}
	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	p, err := fitted(model)
	if err != nil {
		return err
	}
	return write(*out, p)
}

// fitted is the profile of the machine on which cpu_seconds.csv was measured.
func fitted(model *cost.Model) (*cost.Profile, error) {
	runs, err := scenarios.RecordedRuns()
	if err != nil {
		return nil, err
	}
	measurements, err := scenarios.Measure(runs, nil)
	if err != nil {
		return nil, err
	}
	p, _, err := cost.Calibrate(model, measurements)
	if err != nil {
		return nil, err
	}
	p.Name, p.Machine, p.Server, p.Date = "x86-64", "Linux, x86-64, 2 cores, shared with others", "PostgreSQL 18.6 (Debian 18.6-3), -O2", "2026-08"
	p.Note = "fitted to cpu_seconds.csv in experiments/scenarios: 18 scenarios, 6 runs each"
	for i := range p.Rates {
		p.Rates[i].From = "apply worker CPU, medians of the runs of all scenarios"
	}
	p.WALWriter.From = "WAL writer CPU by byte of WAL, median of the scenarios; runs differ by up to ten times"
	return p, nil
}

func write(folder string, p *cost.Profile) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	if folder == "" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(filepath.Join(folder, p.Name+".json"), b.Bytes(), 0o644)
}
