package scenario

// FigureKind says how a figure came about.
type FigureKind string

// The kinds of figures.
const (
	Exact      FigureKind = "exact"      // equal to a real server's that applies the same stream
	Calibrated FigureKind = "calibrated" // fitted on measurements of other runs
	Assumed    FigureKind = "assumed"    // a guess that is named
)

// figureKinds are those of a report's figures. WAL, pages and counters follow from the stream;
// what follows from the clock of the simulation is assumed, and so is the workload.
func figureKinds() map[string]FigureKind {
	return map[string]FigureKind{
		"wal_bytes": Exact, "fpi_bytes": Exact, "hot_share": Exact, "not_hot": Exact, "pages": Exact, "marginal": Exact, "conflicts": Exact,
		"cpu_s": Calibrated, "instructions": Calibrated, "capacity": Calibrated,
		"changes_per_s": Assumed, "checkpoints": Assumed, "vacuums": Assumed,
	}
}
