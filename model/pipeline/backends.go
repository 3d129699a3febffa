package pipeline

import (
	"strings"

	"applysim/model/backend"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/scenario"
)

// backends prices what a publisher's backends do, transaction by transaction.
type backends struct {
	rates       *cost.BackendRates // nil if the profile has none
	runner      *backend.Runner
	own, shared *cost.Model
	flush       bool // commits wait until they are on disk
	last        cost.BackendWork
	fresh       bool // last is what was done up to now
	told, sums  []float64
}

// backendsTold is up to how many transactions of an operation the work of each is told apart.
const backendsTold = 200

func newBackends(s *scenario.Scenario, o *Options, runner *backend.Runner, operations int) (*backends, error) {
	b := &backends{runner: runner, flush: true, told: make([]float64, operations), sums: make([]float64, operations)}
	if o.Profile == nil || o.Profile.Publisher == nil || o.Profile.Publisher.Statements == nil {
		return b, nil
	}
	if p := s.Publisher; p != nil {
		for _, x := range p.Server {
			if strings.EqualFold(x.Name, "synchronous_commit") {
				var err error
				if b.flush, err = guc.ParseSynchronousCommit(x.Value); err != nil {
					return nil, err
				}
			}
		}
	}
	var err error
	if b.own, err = backend.Model(); err != nil {
		return nil, err
	}
	if b.shared, err = cost.Builtin(); err != nil {
		return nil, err
	}
	b.rates = o.Profile.Publisher.Statements
	return b, nil
}

// begins says that a transaction of an operation follows.
func (b *backends) begins(operation int) {
	if b.rates != nil && b.told[operation] < backendsTold && !b.fresh {
		b.last, b.fresh = b.runner.Effort(b.own, b.shared), true
	}
}

// committed prices the transaction that has ended, one of an operation.
func (b *backends) committed(operation int) {
	if b.rates == nil || b.told[operation] >= backendsTold {
		b.fresh = false
		return
	}
	now := b.runner.Effort(b.own, b.shared)
	w := now.Sub(b.last)
	b.last = now
	if b.flush {
		w.Flushes = w.Commits
	}
	b.told[operation]++
	b.sums[operation] += b.rates.Seconds(&w, w.Waiting())
}

// seconds is what a transaction of an operation takes on average.
func (b *backends) seconds(operation int) (float64, bool) {
	if b.told[operation] == 0 {
		return 0, false
	}
	return b.sums[operation] / b.told[operation], true
}

// backend is what a change takes the backend that makes it, on average over the run, in
// seconds of CPU; 0 if the profile does not price it, or not for all operations.
func (c *Costs) backend(s *scenario.Scenario) float64 {
	sum, changes := 0.0, 0.0
	for i := range c.Operations {
		op := &c.Operations[i]
		n := transactions(s, i)
		if n > 0 && !op.HasBackend {
			return 0
		}
		sum += float64(n * op.Backend)
		changes += float64(n * op.Changes)
	}
	if changes == 0 {
		return 0
	}
	return sum / changes
}
