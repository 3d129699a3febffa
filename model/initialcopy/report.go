package initialcopy

import (
	"io"

	"applysim/model/cost"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

// Options are what an initial copy is worked out with.
type Options struct {
	Schema  func(path string) (io.ReadCloser, error)
	Profile *cost.Profile
	Workers int   // up to how many synchronisation workers are tried, or tables
	Limit   int64 // changes that are simulated row by row, about, for the time after it
}

// Report is what the initial copy of a scenario's tables takes.
type Report struct {
	SchemaVersion int           `json:"schema_version"`
	Scenario      string        `json:"scenario"`
	Profile       string        `json:"profile"`
	Tables        []TableReport `json:"tables"`
	Plans         []PlanReport  `json:"plans"`
	// ChangesPerS are made meanwhile, Busy is the part of the time that they take the apply
	// worker.
	ChangesPerS float64 `json:"changes_per_s"`
	Busy        float64 `json:"busy"`
}

// TableReport is a table with the indexes there before, or those that are not unique built
// afterwards.
type TableReport struct {
	Table  string    `json:"table"`
	Rows   int64     `json:"rows"`
	Bytes  int64     `json:"bytes"`
	Before WayReport `json:"indexes_before"`
	After  WayReport `json:"indexes_after"`
	Later  []string  `json:"built_afterwards"`
}

// WayReport is one way to copy a table.
type WayReport struct {
	WALRecords int64   `json:"wal_records"`
	WALBytes   int64   `json:"wal_bytes"`
	HeapPages  int     `json:"heap_pages"`
	IndexPages int     `json:"index_pages"`
	CPUS       float64 `json:"cpu_s"`
	BuildBytes int64   `json:"build_wal_bytes"`
	BuildCPUS  float64 `json:"build_cpu_s"`
}

// PlanReport is the whole copy with so many workers.
type PlanReport struct {
	Workers int          `json:"workers"`
	Before  TimingReport `json:"indexes_before"`
	After   TimingReport `json:"indexes_after"`
}

// TimingReport is how long it takes. CaughtUpS is missing if the apply worker never catches
// up.
type TimingReport struct {
	CopiedS   float64  `json:"copied_s"`
	BuiltS    float64  `json:"built_s"` // with the indexes that are built afterwards, one by one
	CaughtUpS *float64 `json:"caught_up_s"`
	Waiting   float64  `json:"waiting_changes"` // at most
}

// Run works out the initial copy of the tables that have rows before a scenario's run.
func Run(s *scenario.Scenario, o *Options) (*Report, error) {
	tables, err := Measure(s, o.Schema, o.Profile)
	if err != nil {
		return nil, err
	}
	r := &Report{SchemaVersion: 1, Scenario: s.File, Profile: o.Profile.Name}
	for i := range tables {
		t := &tables[i]
		r.Tables = append(r.Tables, TableReport{t.Name, t.Rows, t.Bytes, wayReport(&t.Before), wayReport(&t.After), t.Later})
	}
	load, err := meanwhile(s, o)
	if err != nil {
		return nil, err
	}
	r.ChangesPerS, r.Busy = load.Rate, float64(load.Rate*load.Apply)
	// A table is copied by one worker, so that more workers than tables change nothing.
	for n := 1; n <= min(o.Workers, max(len(tables), 1)); n++ {
		r.Plans = append(r.Plans, PlanReport{n,
			timing(tables, n, load, func(t *Table) *Way { return &t.Before }), timing(tables, n, load, func(t *Table) *Way { return &t.After })})
	}
	return r, nil
}

func wayReport(w *Way) WayReport {
	return WayReport{w.WAL.Records, w.WAL.Bytes, w.HeapPages, w.IndexPages, w.CPU, w.Build.Bytes, w.BuildCPU}
}

// timing schedules the copies.
func timing(tables []Table, workers int, load Load, way func(*Table) *Way) TimingReport {
	var jobs []Job
	built := 0.0
	for i := range tables {
		t := &tables[i]
		jobs = append(jobs, Job{Name: t.Name, Copy: way(t).CPU, Rows: t.Rows})
		built += way(t).BuildCPU
	}
	p := Schedule(jobs, workers, load)
	r := TimingReport{CopiedS: p.Copied, BuiltS: p.Copied + built, Waiting: p.Most}
	if float64(load.Rate*load.Apply) < 1 {
		r.CaughtUpS = &p.CaughtUp
	}
	return r
}

// meanwhile is what the scenario's operations change while tables are copied.
func meanwhile(s *scenario.Scenario, o *Options) (Load, error) {
	c, err := pipeline.Measure(s, &pipeline.Options{Schema: o.Schema, Profile: o.Profile, Limit: o.Limit})
	if err != nil {
		return Load{}, err
	}
	changes, busy := 0.0, 0.0
	for i := range c.Operations {
		op := &c.Operations[i]
		changes += float64(op.Transactions * op.Subscriptions[0].Changes)
		busy += float64(op.Transactions * op.Subscriptions[0].Apply)
	}
	if changes == 0 {
		return Load{}, nil
	}
	// Of what is changed only a part may be sent.
	all := 0.0
	for i := range c.Operations {
		all += float64(c.Operations[i].Transactions * c.Operations[i].Changes)
	}
	sent := 1.0
	if all > 0 {
		sent = changes / all
	}
	return Load{Rate: c.Changes * sent / s.Duration.Seconds(), Apply: busy / changes}, nil
}
