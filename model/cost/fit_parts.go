package cost

import (
	"fmt"
	"strings"
)

// StepPart is what a step took within a function of the worker, or as a whole, beside what
// the other grids predict for it; or the share of a term in the prediction.
type StepPart struct {
	Name                string  // the function or term, "" for the whole
	Quantity            float64 // of a term, which is not measured by itself
	Measured, Predicted float64
}

// Parts predicts a step by a fit to all other grids, function by function: where a
// prediction goes wrong shows which term is missing or weakly determined.
func (f *Fitter) Parts(grid, step string) ([]StepPart, error) {
	var o *Observation
	for i := range f.observations {
		if x := &f.observations[i]; x.Grid == grid && x.Step == step {
			o = x
		}
	}
	if o == nil {
		return nil, fmt.Errorf("no step %s of a grid %s", step, grid)
	}
	x, err := f.solve(func(g string) float64 {
		if g == grid {
			return 0
		}
		return 1
	}, nil)
	if err != nil {
		return nil, err
	}
	whole := f.predict(x, o)
	parts := []StepPart{{Measured: whole.Measured, Predicted: whole.Predicted}}
	for i := range functions {
		fn := &functions[i]
		if !fn.suits(o) {
			continue
		}
		m, ok := fn.measured(o)
		if !ok {
			continue
		}
		p := StepPart{Name: strings.Join(fn.names, "+"), Measured: m}
		if fn.outside {
			p.Name = "the whole"
		}
		if len(fn.less) > 0 {
			p.Name += " less " + strings.Join(fn.less, ", ")
		}
		for k := range o.Usage.items {
			it := &o.Usage.items[k]
			if n, ok := f.number[it.Term]; ok && fn.holds(it) {
				p.Predicted += float64(x[n] * it.Quantity)
			}
		}
		parts = append(parts, p)
	}
	sums := &Usage{}
	for _, i := range o.Usage.items {
		i.Object, i.Where = "", 0
		sums.Add(i)
	}
	for _, i := range sums.items {
		if n, ok := f.number[i.Term]; ok {
			parts = append(parts, StepPart{Name: i.Term, Quantity: i.Quantity, Predicted: float64(x[n] * i.Quantity)})
		}
	}
	return parts, nil
}
