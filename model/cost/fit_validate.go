package cost

// How well the model predicts: each grid by all others.

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Prediction is a step as measured and as predicted, in instructions.
type Prediction struct {
	Grid, Step          string
	Measured, Predicted float64
	// Undetermined says that the grids which the prediction is based on do not tell
	// what the step's work costs: it has a kind of work that none of them has, or only
	// ever together with another.
	Undetermined bool
}

// Error is the relative error.
func (p *Prediction) Error() float64 { return p.Predicted/p.Measured - 1 }

// predict predicts a step.
func (f *Fitter) predict(x []float64, o *Observation) Prediction {
	p := Prediction{Grid: o.Grid, Step: o.Step, Measured: o.Total}
	for i := range o.Usage.items {
		it := &o.Usage.items[i]
		if n, ok := f.number[it.Term]; ok {
			p.Predicted += float64(x[n] * it.Quantity)
		}
	}
	return p
}

// mostLeverage is the greatest variance of a prediction, in variances of an equation,
// with which it counts as determined. A step that is among the equations has at
// most 1.
const mostLeverage = 16

// leverage is the variance of the prediction of a step from the equations g, which are
// factorized in c, when the error of each equation has variance 1.
func (f *Fitter) leverage(c *mat.Cholesky, scale []float64, o *Observation) float64 {
	u := mat.NewVecDense(len(f.terms), nil)
	for i := range o.Usage.items {
		it := &o.Usage.items[i]
		if n, ok := f.number[it.Term]; ok {
			u.SetVec(n, u.AtVec(n)+it.Quantity*scale[n]/o.Total)
		}
	}
	var v mat.VecDense
	if err := c.SolveVecTo(&v, u); err != nil {
		var cond mat.Condition
		if !errors.As(err, &cond) {
			return math.Inf(1)
		}
	}
	return mat.Dot(u, &v)
}

// Validate predicts the steps of each grid by a fit to all other grids.
func (f *Fitter) Validate() ([]Prediction, error) { return f.ValidateEvery(1) }

// ValidateEvery is Validate for one grid in so many.
func (f *Fitter) ValidateEvery(n int) ([]Prediction, error) {
	all, err := f.solve(func(string) float64 { return 1 }, nil)
	if err != nil {
		return nil, err
	}
	start := positive(all)
	var list []Prediction
	for i, left := range f.grids {
		if i%n != 0 {
			continue
		}
		x, err := f.solve(func(g string) float64 {
			if g == left {
				return 0
			}
			return 1
		}, start)
		if err != nil {
			return nil, err
		}
		c, scale, err := f.factorize(left)
		if err != nil {
			return nil, err
		}
		for i := range f.observations {
			if o := &f.observations[i]; o.Grid == left && !o.Partial {
				p := f.predict(x, o)
				p.Undetermined = f.leverage(c, scale, o) > mostLeverage
				list = append(list, p)
			}
		}
	}
	return list, nil
}

// factorize factorizes the equations of all grids but one, scaled so that their
// diagonal is one.
func (f *Fitter) factorize(left string) (*mat.Cholesky, []float64, error) {
	g, _ := f.sum(func(g string) float64 {
		if g == left {
			return 0
		}
		return 1
	})
	n := len(f.terms)
	scale := make([]float64, n)
	for i := range n {
		scale[i] = 1 / math.Sqrt(g.At(i, i))
	}
	for i := range n {
		for j := i; j < n; j++ {
			g.SetSym(i, j, g.At(i, j)*scale[i]*scale[j])
		}
		g.SetSym(i, i, g.At(i, i)+ridge)
	}
	var c mat.Cholesky
	if !c.Factorize(g) {
		return nil, nil, errors.New("fit: equations that cannot be solved")
	}
	return &c, scale, nil
}

func positive(x []float64) []bool {
	p := make([]bool, len(x))
	for i, v := range x {
		p[i] = v > 0
	}
	return p
}

// Summarize sums up the errors of predictions.
func Summarize(list []Prediction) Errors {
	var errs []float64
	for i := range list {
		errs = append(errs, math.Abs(list[i].Error()))
	}
	if len(errs) == 0 {
		return Errors{}
	}
	slices.Sort(errs)
	at := func(q float64) float64 { return stat.Quantile(q, stat.Empirical, errs, nil) }
	return Errors{Median: at(0.5), P90: at(0.9), Worst: at(1), Steps: len(errs)}
}
