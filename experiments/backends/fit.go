package backends

import (
	"math"
	"slices"

	"applysim/model/cost"
)

// Prediction is a workload beside what the rates that all others give say of it, given how
// often its backend slept.
type Prediction struct {
	Name  string
	Ahead bool
	// Median, Low and High are of the runs, in seconds; Error is the median error of the runs.
	Median, Low, High float64
	Predicted         float64 // with as many sleeps as the median run
	Error             float64
}

// Inside says whether the prediction is within 15 % or inside the range of the runs.
func (p *Prediction) Inside() bool {
	return math.Abs(p.Error) <= 0.15 || p.Predicted >= p.Low && p.Predicted <= p.High
}

// Fit fits the rates of backends to measurements: non-negative least squares on relative
// errors of the runs. Intervals are the range of the fits
// that leave a workload out.
func Fit(list []Measured) (*cost.BackendRates, []Prediction, error) {
	all, err := fit(list, "")
	if err != nil {
		return nil, nil, err
	}
	low, high := slices.Clone(all), slices.Clone(all)
	var predictions []Prediction
	var errs []float64
	for i := range list {
		m := &list[i]
		x, err := fit(list, m.Name)
		if err != nil {
			return nil, nil, err
		}
		for k, v := range x {
			low[k], high[k] = min(low[k], v), max(high[k], v)
		}
		for _, ahead := range []bool{true, false} {
			p := Prediction{Name: m.Name, Ahead: ahead}
			var seconds, relative, sleeps []float64
			for _, r := range m.Runs {
				if r.Ahead == ahead {
					seconds, sleeps = append(seconds, r.Seconds), append(sleeps, float64(r.Sleeps))
					relative = append(relative, times(x, m, float64(r.Sleeps))/r.Seconds-1)
				}
			}
			if len(seconds) == 0 {
				continue
			}
			p.Median, p.Low, p.High = median(seconds), slices.Min(seconds), slices.Max(seconds)
			p.Predicted, p.Error = times(x, m, median(sleeps)), median(relative)
			predictions = append(predictions, p)
			errs = append(errs, math.Abs(p.Error))
		}
	}
	r := cost.NewBackendRates(all, low, high, "CPU of backends in experiments/backends, each run given how often it slept; the interval: each workload left out")
	r.Error, r.Worst, r.Workloads = round4(median(errs)), round4(slices.Max(errs)), len(errs)
	for i := range predictions {
		if predictions[i].Inside() {
			r.Within++
		}
	}
	return r, predictions, nil
}

func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// times are the seconds of a workload by rates.
func times(rates []float64, m *Measured, sleeps float64) float64 {
	sum := 0.0
	for i, a := range m.Work.Amounts(sleeps) {
		sum += float64(a * rates[i])
	}
	return sum
}

// fit fits rates to all workloads but one.
func fit(list []Measured, without string) ([]float64, error) {
	var amounts [][]float64
	var seconds []float64
	for i := range list {
		if m := &list[i]; m.Name != without {
			for _, r := range m.Runs {
				amounts = append(amounts, m.Work.Amounts(float64(r.Sleeps)))
				seconds = append(seconds, r.Seconds)
			}
		}
	}
	return cost.LeastSquares(amounts, seconds)
}

func median(list []float64) float64 {
	s := slices.Clone(list)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
