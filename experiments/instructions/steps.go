package instructions

import (
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"applysim/model/cost"
	"applysim/model/publisher"
)

// Steps of all grids: their work, as the simulator counts it, and what the real
// worker took for it. See README beside the file.
//
//go:embed testdata/recorded/steps.json.gz testdata/recorded/sender_steps.json.gz testdata/recorded/backend_steps.json.gz
var recorded embed.FS

// StepsFile is where the recorded steps are, from this folder, SenderStepsFile where those
// of walsenders are.
const (
	StepsFile       = "testdata/recorded/steps.json.gz"
	SenderStepsFile = "testdata/recorded/sender_steps.json.gz"
	// BackendStepsFile is where those of backends are.
	BackendStepsFile = "testdata/recorded/backend_steps.json.gz"
)

// step is a step in the file. Items are term, place and quantity.
type step struct {
	Grid      string           `json:"grid"`
	Step      string           `json:"step"`
	Total     float64          `json:"total"`
	Functions map[string]int64 `json:"functions"`
	Work      []work           `json:"work"`
	Partial   bool             `json:"partial,omitempty"`
}

type work struct {
	Term     string  `json:"t"`
	Where    int     `json:"w"`
	Quantity float64 `json:"q"`
}

// Recorded reads the steps that come with the program.
func Recorded() ([]cost.Observation, error) { return read(StepsFile) }

// RecordedSender reads the steps of walsenders that come with the program.
func RecordedSender() ([]cost.Observation, error) { return read(SenderStepsFile) }

// RecordedBackend reads the steps of backends that come with the program.
func RecordedBackend() ([]cost.Observation, error) { return read(BackendStepsFile) }

func read(file string) ([]cost.Observation, error) {
	f, err := recorded.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var steps []step
	if err := json.NewDecoder(z).Decode(&steps); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var list []cost.Observation
	for _, s := range steps {
		o := cost.Observation{Grid: s.Grid, Step: s.Step, Usage: &cost.Usage{}, Total: s.Total, Functions: map[string]float64{}, Partial: s.Partial}
		for f, n := range s.Functions {
			o.Functions[f] = float64(n)
		}
		for _, w := range s.Work {
			o.Usage.Add(cost.Item{Term: w.Term, Where: cost.Place(w.Where), Quantity: w.Quantity})
		}
		list = append(list, o)
	}
	return list, nil
}

// Observe replays the grids in a folder and joins them with what was measured.
func Observe(fsys fs.FS) ([]cost.Observation, error) {
	grids, err := ReadGrids(fsys)
	if err != nil {
		return nil, err
	}
	net, err := ReadMeasured(fsys)
	if err != nil {
		return nil, err
	}
	var list []cost.Observation
	for i := range grids {
		works, err := Replay(fsys, &grids[i])
		if err != nil {
			return nil, err
		}
		for _, w := range works {
			m, ok := net[[2]string{w.Grid, w.Step}]
			if !ok {
				return nil, fmt.Errorf("measured.json: nothing for step %s of grid %s", w.Step, w.Grid)
			}
			list = append(list, cost.Observation{Grid: w.Grid, Step: w.Step, Usage: w.Usage, Total: m.Instructions, Functions: m.Functions})
		}
	}
	return list, nil
}

// WriteSteps writes observations as the program's recorded ones.
func WriteSteps(w io.Writer, list []cost.Observation) error { return writeSteps(w, list, cost.Fitted) }

// WriteSenderSteps is WriteSteps for steps of walsenders.
func WriteSenderSteps(w io.Writer, list []cost.Observation) error {
	return writeSteps(w, list, func(function string) bool {
		return slices.ContainsFunc(publisher.Parts(), func(p cost.Part) bool {
			return slices.Contains(p.Functions, function) || slices.Contains(p.Less, function)
		})
	})
}

// WriteBackendSteps is WriteSteps for steps of backends.
func WriteBackendSteps(w io.Writer, list []cost.Observation) error {
	return writeSteps(w, list, func(string) bool { return false })
}

func writeSteps(w io.Writer, list []cost.Observation, fitted func(function string) bool) error {
	var steps []step
	for _, o := range list {
		s := step{Grid: o.Grid, Step: o.Step, Total: o.Total, Functions: map[string]int64{}, Partial: o.Partial}
		for _, f := range slices.Sorted(maps.Keys(o.Functions)) {
			if fitted(f) {
				s.Functions[f] = int64(o.Functions[f])
			}
		}
		// Only the sums over objects matter to a fit.
		sum := &cost.Usage{}
		for _, i := range o.Usage.Items() {
			i.Object = ""
			sum.Add(i)
		}
		for _, i := range sum.Items() {
			s.Work = append(s.Work, work{i.Term, int(i.Where), i.Quantity})
		}
		steps = append(steps, s)
	}
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(z).Encode(steps); err != nil {
		return err
	}
	return z.Close()
}
