package published

import (
	"fmt"
	"math"

	"applysim/experiments/workload"
	"applysim/model/cost"
)

// Kind says where a figure comes from.
type Kind = cost.Kind

// The kinds that appear here.
const (
	Predicted = cost.Predicted // shown beside a measurement that was not used
	Solved    = cost.Solved    // something was chosen so that this very figure comes out
)

// Options set up the experiment.
type Options struct {
	Rows     int    // of each run; the published figures are those of 500,000
	Seed     uint64 // of rows and turns
	Parallel int    // runs at a time
}

// DefaultOptions is the published workload.
func DefaultOptions() Options {
	return Options{Rows: workload.DefaultOptions().Rows, Seed: 1, Parallel: 2}
}

// Validate says what is wrong with the options.
func (o Options) Validate() error {
	if o.Rows < 1 {
		return fmt.Errorf("published: Rows: expected 1 or more, found %d", o.Rows)
	}
	if o.Parallel < 1 {
		return fmt.Errorf("published: Parallel: expected 1 or more, found %d", o.Parallel)
	}
	return nil
}

// Line is one figure of the workload: bytes of WAL that the subscriber writes.
type Line struct {
	Name         string  `json:"name"`
	Clients      int     `json:"clients"`  // that interleave in the simulation
	Measured     int64   `json:"measured"` // on a real server
	Source       string  `json:"source"`   // of the measurement
	Simulated    int64   `json:"simulated"`
	ErrorPercent float64 `json:"error_percent"`
	LimitPercent float64 `json:"limit_percent"` // 0: shown, not judged
	Kind         Kind    `json:"kind"`
	Parts        []Part  `json:"parts"`
}

// Over says whether the error is beyond the limit.
func (l *Line) Over() bool {
	return l.LimitPercent > 0 && math.Abs(l.ErrorPercent) > l.LimitPercent
}

// Report is the experiment's result.
type Report struct {
	SchemaVersion int      `json:"schema_version"`
	Rows          int      `json:"rows"`
	Seed          uint64   `json:"seed"`
	Overlap       float64  `json:"overlap"` // see Overlap
	Lines         []Line   `json:"lines"`
	Assumptions   []string `json:"assumptions"`
}

// Over says whether any figure is beyond its limit.
func (r *Report) Over() bool {
	for i := range r.Lines {
		if r.Lines[i].Over() {
			return true
		}
	}
	return false
}

// The limits, in percent.
const (
	limitPrimaryKey  = 0.5
	limitFourIndexes = 1
)

// Sources of the measurements.
const (
	fromSource = "published"
	fromServer = "PostgreSQL 18.6"
)

// Run does the experiment.
func Run(o Options) (*Report, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	overlap, err := Overlap()
	if err != nil {
		return nil, err
	}
	n, err := overlapping()
	if err != nil {
		return nil, err
	}
	four := workload.MaxIndexes
	type wanted struct {
		line     Line
		run      run
		measured func() (int64, error)
	}
	published := func(scenario string) func() (int64, error) {
		return func() (int64, error) { return figure(scenario, "subscriber_wal") }
	}
	server := func(scenario string) func() (int64, error) {
		return func() (int64, error) { return onRealServer(scenario) }
	}
	list := []wanted{
		{Line{Name: "primary key, text", Source: fromSource, LimitPercent: limitPrimaryKey, Kind: Predicted}, run{0, n, false}, published("logical_text")},
		{Line{Name: "primary key, binary", Source: fromSource, LimitPercent: limitPrimaryKey, Kind: Predicted}, run{0, n, true}, published("logical_binary")},
		{Line{Name: "four more indexes, text", Source: fromSource, LimitPercent: limitFourIndexes, Kind: Solved}, run{four, n, false}, published("text_four_indexes")},
		{Line{Name: "primary key, all clients at once", Source: fromSource, Kind: Predicted}, run{0, Clients, false}, published("logical_text")},
		{Line{Name: "four more, all clients at once", Source: fromSource, Kind: Predicted}, run{four, Clients, false}, published("text_four_indexes")},
		{Line{Name: "primary key, ids in order", Source: fromServer, Kind: Predicted}, run{0, 1, false}, server("insert_text_pk_published")},
		{Line{Name: "four more, ids in order", Source: fromServer, Kind: Predicted}, run{four, 1, false}, server("insert_text_pk_4_published")},
	}
	var runs []run
	for i := range list {
		w := &list[i]
		if w.line.Measured, err = w.measured(); err != nil {
			return nil, err
		}
		runs = append(runs, w.run)
	}
	outcomes, err := doAll(runs, o)
	if err != nil {
		return nil, err
	}
	r := &Report{SchemaVersion: 1, Rows: o.Rows, Seed: o.Seed, Overlap: overlap, Assumptions: assumptions(overlap, n)}
	for _, w := range list {
		l := w.line
		l.Clients = w.run.clients
		l.Simulated, l.Parts = outcomes[w.run].total, outcomes[w.run].parts
		l.ErrorPercent = 100 * float64(l.Simulated-l.Measured) / float64(l.Measured)
		r.Lines = append(r.Lines, l)
	}
	return r, nil
}

func assumptions(overlap float64, n int) []string {
	return []string{
		fmt.Sprintf("Clients: the source had %d. %.1f of them ran at a time (publisher CPU over time), so %d interleave here;"+
			" they take turns at random, row by row.", Clients, overlap, n),
		"Indexes: the source does not name its four. (updated_at), (account_id), (account_id, status) and" +
			" (status, updated_at) were chosen: with ids in order a real server writes for them within half a percent" +
			" of what was published.",
		"Values: account_id uniform over 10,000, status over five, updated_at ascending with id.",
	}
}
