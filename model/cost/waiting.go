package cost

import (
	"fmt"
	"slices"
)

// mode says how a worker's time is made up.
type mode uint8

const (
	works   mode = iota // of its own work alone
	waits               // it is awake for a part of the time that its walsender needs
	bounded             // it waits, but for few transactions
)

// rateFit are rates, and how much of its walsender's time a faster worker is awake.
type rateFit struct {
	rates   []float64
	waiting float64
	wakeup  float64 // µs a transaction that waiting takes at most
	modes   []mode  // of the measurements that they were fitted to
}

// seconds is what a measurement's work and waiting take.
func (f *rateFit) seconds(x *Measurement) float64 {
	w := seconds(f.rates, &x.amounts)
	return w + wait(w, x.sender, x.amounts[rateTransaction], f.waiting, f.wakeup)
}

func (f *rateFit) mode(x *Measurement) mode {
	w := seconds(f.rates, &x.amounts)
	switch d := float64(f.waiting*x.sender) - w; {
	case d <= 0:
		return works
	case d < float64(x.amounts[rateTransaction]*f.wakeup*1e-6):
		return waits
	}
	return bounded
}

// Shares of the walsender's time that are tried, in hundredths, and how often it is
// asked anew which workers wait before a share is taken as it is.
const (
	leastWaiting = 50
	waitingStep  = 2
	mostRounds   = 8
)

// fitRates fits rates to scenarios: for each share that a waiting worker may be awake
// the rates that come closest to those that do not wait, and of all shares the one with
// the least squares of relative errors.
func fitRates(list []Measurement, weights []float64, wakeup float64) (*rateFit, error) {
	var best *rateFit
	least := 0.0
	for share := leastWaiting - waitingStep; share <= 100; share += waitingStep {
		f := &rateFit{waiting: float64(share) / 100, wakeup: wakeup, modes: make([]mode, len(list))}
		if share < leastWaiting {
			f.waiting = 0 // nobody waits
		}
		for range mostRounds {
			g, h := rateEquations(list, weights, f.modes, wakeup)
			x, err := nnls(g, h, nil)
			if err != nil {
				return nil, fmt.Errorf("profile: %w", err)
			}
			f.rates = x
			modes := make([]mode, len(list))
			for i := range list {
				modes[i] = f.mode(&list[i])
			}
			if slices.Equal(modes, f.modes) {
				break
			}
			f.modes = modes
		}
		sum := 0.0
		for i := range list {
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			e := f.seconds(&list[i])/list[i].median - 1
			sum += float64(w * e * e)
		}
		if best == nil || sum < least {
			best, least = f, sum
		}
	}
	return best, nil
}

// walBytes is the WAL that was written, in bytes.
func (u *Usage) walBytes() float64 {
	n := 0.0
	for _, i := range u.items {
		if i.Term == termRecordByte || i.Term == termImageByte {
			n += i.Quantity
		}
	}
	return n
}
