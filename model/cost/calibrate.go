package cost

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Measurement is a workload's work and the CPU seconds that apply workers took for it,
// one for each run.
type Measurement struct {
	Scenario string
	Usage    *Usage
	Runs     []float64
	// WALWriter are the WAL writer's seconds in the same runs, Sender the walsender's.
	WALWriter, Sender []float64

	amounts        amounts
	median, sender float64
}

// Residual is a measurement beside what a profile gives.
type Residual struct {
	Scenario          string
	Runs              int
	Median, Low, High float64 // of the runs, seconds
	Fitted            float64
	LeftOut           float64 // by a fit to all other scenarios
	Determined        bool    // whether those determine it
}

// Inside says whether the prediction of the left-out scenario is within a tenth of the
// median run or inside the range of the runs.
func (r *Residual) Inside() bool {
	return math.Abs(r.LeftOut/r.Median-1) <= closeEnough || r.LeftOut >= r.Low && r.LeftOut <= r.High
}

// closeEnough is how near a prediction must come to the median run.
const closeEnough = 0.1

// weakest is the greatest standard error of an instruction rate, relative to the
// rate itself, with which it counts as determined.
const weakest = 0.5

// UndeterminedError says why measurements do not determine a profile.
type UndeterminedError struct{ Reason string }

func (e *UndeterminedError) Error() string {
	return "these measurements do not determine a profile: " + e.Reason
}

// Calibrate fits a profile to measurements: non-negative least squares on relative
// errors of the median runs. Intervals come from fits to runs and scenarios drawn
// with replacement. wakeup is what waiting for the walsender takes at most, by
// transaction; measurements of CPU alone do not tell it.
func Calibrate(m *Model, list []Measurement, wakeup Rate) (*Profile, []Residual, error) {
	if len(list) == 0 {
		return nil, nil, &UndeterminedError{"there are none"}
	}
	for i := range list {
		x := &list[i]
		if len(x.Runs) == 0 {
			return nil, nil, fmt.Errorf("scenario %s has no runs", x.Scenario)
		}
		x.amounts = amountsOf(m, x.Usage)
		// The bytes of a stream and the pages that it fills grow together: scenarios
		// do not tell them apart, and writing a page was seen to take the time.
		x.amounts[rateReceive] = 0
		x.median = median(x.Runs)
		if len(x.Sender) > 0 {
			x.sender = median(x.Sender)
		}
		if x.median <= 0 {
			return nil, nil, fmt.Errorf("scenario %s: %v s of CPU, expected more than 0", x.Scenario, x.median)
		}
	}
	rates, err := fitRates(list, nil, wakeup.Value)
	if err != nil {
		return nil, nil, err
	}
	if err := determined(list, rates); err != nil {
		return nil, nil, err
	}
	p := &Profile{Wakeup: wakeup}
	var residuals []Residual
	var errs []float64
	for i := range list {
		x := &list[i]
		r := Residual{Scenario: x.Scenario, Runs: len(x.Runs), Median: x.median, Low: slices.Min(x.Runs), High: slices.Max(x.Runs), Fitted: rates.seconds(x)}
		others := slices.Delete(slices.Clone(list), i, i+1)
		left, err := fitRates(others, nil, wakeup.Value)
		if err != nil {
			return nil, nil, err
		}
		r.LeftOut = left.seconds(x)
		// A scenario that most of whose time is of a class which the others do not
		// determine cannot be predicted by them.
		r.Determined = true
		for n := range NumClasses {
			if x.amounts[n]*rates.rates[n]*rateSeconds[n] > x.median/2 && determinedRate(others, left, n) != nil {
				r.Determined = false
			}
		}
		// Nor can one that mostly starts its worker, nor a short one that does so for a part
		// of its time which counts, if none of the others does: what starting takes is not
		// known without it.
		if s := startShare(x, rates); s > 0.5 || s > closeEnough && !slices.ContainsFunc(others, func(o Measurement) bool { return startShare(&o, rates) > closeEnough }) {
			r.Determined = false
		}
		if r.Determined {
			p.Scenarios++
			errs = append(errs, math.Abs(r.LeftOut/r.Median-1))
			if r.Inside() {
				p.Within++
			}
		}
		residuals = append(residuals, r)
	}
	if len(errs) > 0 {
		slices.Sort(errs)
		p.Error = roundTo(stat.Quantile(0.5, stat.Empirical, errs, nil), 1e4)
	}
	samples := resampleRates(list, wakeup.Value)
	rounded := func(name, unit string, n int, value float64) Rate {
		low, high := interval(samples, n, value)
		return Rate{Name: name, Unit: unit, Value: roundTo(value, 1e4), Low: roundTo(low, 1e4), High: roundTo(high, 1e4), Kind: Calibrated}
	}
	for n := range NumRates {
		p.Rates = append(p.Rates, rounded(rateNames[n], rateUnits[n], n, rates.rates[n]))
	}
	p.Waiting = rounded("waiting", "s/s", NumRates, rates.waiting)
	p.WALWriter = fitWALWriter(list)
	return p, residuals, nil
}

// startShare is the part of a measurement's time that its worker takes to start.
func startShare(x *Measurement, f *rateFit) float64 {
	return x.amounts[rateStart] * f.rates[rateStart] * rateSeconds[rateStart] / x.median
}

// has says whether some scenario spends a tenth of its instructions in a class.
func has(list []Measurement, class int) bool {
	for i := range list {
		a := &list[i].amounts
		if a[class] > 0.1*(a[rateExecutor]+a[rateStorage]+a[rateScan]) {
			return true
		}
	}
	return false
}

func median(x []float64) float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

func seconds(rates []float64, a *amounts) float64 {
	s := 0.0
	for n, r := range rates {
		s += float64(r * a[n] * rateSeconds[n])
	}
	return s
}

// Regularization: ratePrior keeps rates that the scenarios hardly touch from running
// away; alike draws the rates of the classes of instructions towards each other, as
// equations of so small a weight beside the scenarios', which have weight 1. It
// decides only where no scenario does.
const (
	ratePrior = 1e-6
	alike     = 0.03
)

// rateEquations are the normal equations of relative errors: each scenario's amounts
// times the rates are its median. weights is nil for equal ones.
// Of a scenario whose worker waits for its walsender the time says nothing of the rates,
// unless its transactions are so few that what they wait is known.
func rateEquations(list []Measurement, weights []float64, modes []mode, wakeup float64) (*mat.SymDense, []float64) {
	g, h := mat.NewSymDense(NumRates, nil), make([]float64, NumRates)
	time, instructions := 0.0, 0.0
	for i := range list {
		x := &list[i]
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		time += x.median
		instructions += x.amounts[rateExecutor] + x.amounts[rateStorage] + x.amounts[rateScan]
		target := 1.0
		if modes != nil {
			switch modes[i] {
			case waits:
				continue
			case bounded:
				target -= float64(x.amounts[rateTransaction] * wakeup * 1e-6 / x.median)
			}
		}
		for n := range NumRates {
			a := x.amounts[n] * rateSeconds[n] / x.median
			h[n] += float64(w * a * target)
			for k := n; k < NumRates; k++ {
				g.SetSym(n, k, g.At(n, k)+w*a*x.amounts[k]*rateSeconds[k]/x.median)
			}
		}
	}
	// The difference of two rates, in parts of the mean rate.
	mean := time / instructions / rateSeconds[rateExecutor]
	w := alike / mean * alike / mean
	for n := rateStorage; n < NumClasses; n++ {
		g.SetSym(n, n, g.At(n, n)+w)
		g.SetSym(rateExecutor, rateExecutor, g.At(rateExecutor, rateExecutor)+w)
		g.SetSym(rateExecutor, n, g.At(rateExecutor, n)-w)
	}
	for n := range NumRates {
		g.SetSym(n, n, float64(g.At(n, n)*(1+ratePrior))+1e-30)
	}
	return g, h
}

// determined says whether the scenarios determine the rates of all classes of
// instructions.
func determined(list []Measurement, rates *rateFit) error {
	for n := range NumClasses {
		if err := determinedRate(list, rates, n); err != nil {
			return err
		}
	}
	return nil
}

// determinedRate says whether the scenarios determine the rate of a class of
// instructions: there must be enough of them, with work of the class, and its
// standard error, from the residuals and the equations, must be small enough.
func determinedRate(list []Measurement, fit *rateFit, class int) error {
	rates := fit.rates
	var free []int
	for n, r := range rates {
		if r > 0 {
			free = append(free, n)
		}
	}
	if len(list) <= len(free) {
		return &UndeterminedError{fmt.Sprintf("%d scenarios for %d numbers; expected more scenarios (cpu_seconds.csv has 18)", len(list), len(free))}
	}
	if !has(list, class) {
		return &UndeterminedError{fmt.Sprintf("no scenario has much work of the class %q%s", rateNames[class], wanted(class))}
	}
	at := slices.Index(free, class)
	if at < 0 {
		return &UndeterminedError{fmt.Sprintf("the time of instructions of the class %q comes out as nothing%s", rateNames[class], wanted(class))}
	}
	g, _ := rateEquations(list, nil, fit.modes, fit.wakeup)
	squares := 0.0
	for i := range list {
		e := fit.seconds(&list[i])/list[i].median - 1
		squares += float64(e * e)
	}
	variance := squares / float64(len(list)-len(free))
	sub := mat.NewSymDense(len(free), nil)
	for i, a := range free {
		for j := i; j < len(free); j++ {
			sub.SetSym(i, j, g.At(a, free[j]))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(sub) {
		return &UndeterminedError{"the scenarios are too much alike"}
	}
	var inverse mat.SymDense
	if err := c.InverseTo(&inverse); err != nil {
		var cond mat.Condition
		if !errors.As(err, &cond) {
			return err
		}
	}
	if e := math.Sqrt(variance * inverse.At(at, at)); e > weakest*rates[class] {
		return &UndeterminedError{fmt.Sprintf("the time of 1000 instructions of the class %q is %.1f ns, give or take %.1f: the scenarios are too much alike, or their runs differ too much%s",
			rateNames[class], rates[class], e, wanted(class))}
	}
	return nil
}

// wanted says which scenarios would help.
func wanted(class int) string {
	return [...]string{
		rateExecutor: "; expected scenarios without and with indexes, such as insert_text_no_index and insert_text_pk",
		rateStorage:  "; expected scenarios with more indexes, such as insert_text_pk_4 and insert_text_pk_8",
		rateScan:     "; expected one with REPLICA IDENTITY FULL and no index, such as full_seq_50000",
	}[class]
}

// resampleRates fits rates to medians of runs drawn with replacement, with random
// weights of the scenarios (the Bayesian bootstrap: none goes missing, for some rates
// hang on a single one).
func resampleRates(list []Measurement, wakeup float64) [][]float64 {
	random := rand.New(rand.NewPCG(resampleSeed, 1))
	var samples [][]float64
	for range 4 * resamples {
		drawn, weights := slices.Clone(list), make([]float64, len(list))
		for i := range drawn {
			x := &drawn[i]
			runs := make([]float64, len(x.Runs))
			for j := range runs {
				runs[j] = x.Runs[random.IntN(len(runs))]
			}
			x.median = median(runs)
			weights[i] = random.ExpFloat64()
		}
		if x, err := fitRates(drawn, weights, wakeup); err == nil {
			samples = append(samples, append(slices.Clone(x.rates), x.waiting))
		}
	}
	return samples
}

func interval(samples [][]float64, n int, value float64) (low, high float64) {
	var s []float64
	for _, x := range samples {
		s = append(s, x[n])
	}
	if len(s) < 2 {
		return value, value
	}
	slices.Sort(s)
	return min(value, stat.Quantile(0.05, stat.Empirical, s, nil)), max(value, stat.Quantile(0.95, stat.Empirical, s, nil))
}

// fitWALWriter is the median of what the WAL writer took for a byte of WAL in each
// scenario.
func fitWALWriter(list []Measurement) Rate {
	var all []float64
	for i := range list {
		x := &list[i]
		bytes := x.Usage.walBytes()
		if len(x.WALWriter) == 0 || bytes == 0 {
			continue
		}
		all = append(all, median(x.WALWriter)*1e9/bytes)
	}
	if len(all) == 0 {
		return Rate{Name: "WAL writer", Unit: "ns/byte", Kind: Assumed, From: "not measured"}
	}
	slices.Sort(all)
	at := func(q float64) float64 { return roundTo(stat.Quantile(q, stat.Empirical, all, nil), 1e4) }
	return Rate{Name: "WAL writer", Unit: "ns/byte", Value: at(0.5), Low: at(0.05), High: at(0.95), Kind: Calibrated}
}

// Describe says what the rates are, for a report.
func (p *Profile) Describe() []string {
	var lines []string
	for _, r := range p.Rates {
		lines = append(lines, fmt.Sprintf("%s: %.4g %s (%.4g to %.4g), %s", r.Name, r.Value, strings.ReplaceAll(r.Unit, "us/", "µs/"), r.Low, r.High, r.Kind))
	}
	return lines
}

// LeastSquares finds the rates without negative elements for which the sums of
// amounts times rates come closest to what was measured, in relative errors.
func LeastSquares(amounts [][]float64, measured []float64) ([]float64, error) {
	if len(amounts) == 0 || len(amounts) != len(measured) {
		return nil, fmt.Errorf("least squares: %d equations with %d right sides", len(amounts), len(measured))
	}
	n := len(amounts[0])
	g, h := mat.NewSymDense(n, nil), make([]float64, n)
	for i, row := range amounts {
		for j := range n {
			h[j] += row[j] / measured[i]
			for k := j; k < n; k++ {
				g.SetSym(j, k, g.At(j, k)+row[j]*row[k]/measured[i]/measured[i])
			}
		}
	}
	for j := range n {
		g.SetSym(j, j, float64(g.At(j, j)*(1+ratePrior))+1e-30)
	}
	return nnls(g, h, nil)
}
