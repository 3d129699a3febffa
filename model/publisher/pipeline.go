package publisher

import "fmt"

// Pipeline is a load on a publisher and the two stages behind it, the walsender and
// the apply worker, on one machine.
type Pipeline struct {
	Load     float64 // seconds that the load runs
	Sender   float64 // CPU seconds of the walsender
	Worker   float64 // CPU seconds of the apply worker, 0 if there is none
	Cores    int     // cores that count
	Runnable int     // processes that want one while the load runs
}

// Drain is how many seconds the stages go on after the load. While it runs they get
// their fair share of the cores; then each has one for itself, and the slower one
// decides.
func (p Pipeline) Drain() (float64, error) {
	if p.Cores < 1 || p.Runnable < 1 {
		return 0, fmt.Errorf("pipeline: %d cores for %d processes, expected 1 or more of both", p.Cores, p.Runnable)
	}
	share := min(float64(p.Cores)/float64(p.Runnable), 1)
	return max(max(p.Sender, p.Worker)-float64(share*p.Load), 0), nil
}
