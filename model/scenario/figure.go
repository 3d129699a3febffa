package scenario

import "applysim/model/cost"

// figureKinds are those of a report's figures. WAL, pages and counters follow from the stream;
// what follows from the clock of the simulation is assumed, and so is the workload. With
// indexes that are estimates, so is all that has them in it.
func figureKinds(estimated bool) map[string]cost.Kind {
	exact, calibrated := cost.Exact, cost.Calibrated
	if estimated {
		exact, calibrated = cost.Estimate, cost.Estimate
	}
	return map[string]cost.Kind{
		"wal_bytes": exact, "fpi_bytes": exact, "hot_share": cost.Exact, "not_hot": cost.Exact, "pages": exact, "marginal": exact, "conflicts": cost.Exact,
		"cpu_s": calibrated, "instructions": calibrated, "capacity": calibrated,
		"changes_per_s": cost.Assumed, "checkpoints": cost.Assumed, "vacuums": cost.Assumed,
	}
}

// Figure is one figure of a run, a row of summaries.
type Figure struct {
	Name     string
	Unit     string // follows the number
	Decimals int
	Kind     string // which of the report's kinds
	Value    func(*Result) *float64
}

func whole(f func(*Result) int64) func(*Result) *float64 {
	return func(r *Result) *float64 { n := float64(f(r)); return &n }
}

func percent(f func(*Result) *float64) func(*Result) *float64 {
	return func(r *Result) *float64 {
		p := f(r)
		if p == nil {
			return nil
		}
		n := 100 * *p
		return &n
	}
}

// Figures are the rows of summaries.
func Figures() []Figure {
	capacity := func(f func(*Capacity) *float64) func(*Result) *float64 {
		return func(r *Result) *float64 {
			if r.Capacity == nil {
				return nil
			}
			return f(r.Capacity)
		}
	}
	return []Figure{
		{"changes", "", 0, "changes_per_s", whole(func(r *Result) int64 { return r.Changes })},
		{"changes a second", "", 1, "changes_per_s", func(r *Result) *float64 { return r.Rate }},
		{"WAL, bytes", "", 0, "wal_bytes", whole(func(r *Result) int64 { return r.WALBytes })},
		{"of them full-page images", "", 0, "fpi_bytes", whole(func(r *Result) int64 { return r.FPIBytes })},
		{"WAL a change, bytes", "", 1, "wal_bytes", func(r *Result) *float64 { return r.BytesPerChange }},
		{"WAL a second, bytes", "", 0, "wal_bytes", func(r *Result) *float64 { return r.WALPerS }},
		{"WAL with page headers, bytes", "", 0, "wal_bytes", whole(func(r *Result) int64 { return r.LSNBytes })},
		{"HOT updates", " %", 1, "hot_share", percent(func(r *Result) *float64 { return r.HOTShare })},
		{"tables and indexes, kB", "", 0, "pages", whole(func(r *Result) int64 { return r.Size() / 1024 })},
		{"checkpoints", "", 0, "checkpoints", whole(func(r *Result) int64 { return int64(len(r.Checkpoints)) })},
		{"VACUUMs", "", 0, "vacuums", whole(func(r *Result) int64 { return int64(len(r.Vacuums)) })},
		{"instructions of the apply worker", "", 0, "instructions", func(r *Result) *float64 { return r.Instructions }},
		{"CPU of the apply worker, s", "", 3, "cpu_s", func(r *Result) *float64 { return r.CPUS }},
		{"greatest rate, changes a second", "", 0, "capacity", capacity(func(c *Capacity) *float64 { return &c.GreatestRate })},
		{"load of the apply worker", " %", 2, "capacity", percent(capacity(func(c *Capacity) *float64 { return &c.Load }))},
		{"lag at the end, s", "", 1, "capacity", capacity(func(c *Capacity) *float64 { return &c.LagS })},
		{"to catch up after an outage, s", "", 1, "capacity", capacity(func(c *Capacity) *float64 { return c.CatchUpS })},
	}
}
