package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"applysim/model/scenario"
)

// scenarios are those of experiments/advice, whose indexes were measured, too.
const scenarios = "experiments/advice/testdata"

// indexed is an index of a scenario, and all that it wrote.
type indexed struct {
	scenario, index, method string
	real, estimated         int64
}

// indexes are what real subscribers wrote in whole runs of scenarios, which no grid was made
// for, beside what a simulated one is estimated to write.
func indexes() ([]indexed, error) {
	lines, err := readCSV("indexes.csv")
	if err != nil {
		return nil, err
	}
	runs := map[string]*scenario.Result{}
	var list []indexed
	for _, l := range lines {
		x := indexed{scenario: l[0], index: l[1], method: l[2]}
		if x.real, err = strconv.ParseInt(l[3], 10, 64); err != nil {
			return nil, fmt.Errorf("indexes.csv: %s: %w", x.index, err)
		}
		if runs[x.scenario] == nil {
			if runs[x.scenario], err = runScenario(filepath.Join(scenarios, x.scenario+".toml")); err != nil {
				return nil, err
			}
		}
		for i := range runs[x.scenario].Estimates {
			if e := &runs[x.scenario].Estimates[i]; e.Index == x.index && e.Method == x.method {
				x.estimated = e.WALBytes
			}
		}
		if x.estimated == 0 {
			return nil, fmt.Errorf("indexes.csv: %s of %s: no such index in the run", x.index, x.scenario)
		}
		list = append(list, x)
	}
	return list, nil
}

func runScenario(file string) (*scenario.Result, error) {
	in, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, err := scenario.Read(in, file)
	if err != nil {
		return nil, err
	}
	return s.Run(nil, &scenario.Options{Schema: func(path string) (io.ReadCloser, error) { return os.Open(filepath.Join(filepath.Dir(file), path)) }})
}
