package scenario

import "applysim/model/cost"

// figureKinds are those of a report's figures. WAL, pages and counters follow from the stream;
// what follows from the clock of the simulation is assumed, and so is the workload.
func figureKinds() map[string]cost.Kind {
	return map[string]cost.Kind{
		"wal_bytes": cost.Exact, "fpi_bytes": cost.Exact, "hot_share": cost.Exact, "not_hot": cost.Exact, "pages": cost.Exact, "marginal": cost.Exact, "conflicts": cost.Exact,
		"cpu_s": cost.Calibrated, "instructions": cost.Calibrated, "capacity": cost.Calibrated,
		"changes_per_s": cost.Assumed, "checkpoints": cost.Assumed, "vacuums": cost.Assumed,
	}
}
