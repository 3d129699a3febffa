package scenarios

import (
	"bytes"
	_ "embed" // the files below
	"encoding/csv"
	"fmt"
	"math"
	"strconv"

	"applysim/model/cost"
)

// started are measurements of workers that had nothing to apply: what starting one
// takes. They were made like those of Recorded, on the same kind of machine, while it
// was used by others, too.
//
//go:embed start.csv
var started []byte

// waited are runs of three scenarios on the same server: CPU seconds of the apply worker
// and how often it found its socket empty (recv returned EAGAIN, counted by a library
// loaded before the C library). Other load on the machine made the numbers differ.
//
//go:embed waits.csv
var waited []byte

// Wakeup is what a worker takes to find its socket empty, reply, sleep and be woken up
// again: the common slope of CPU over waits within the scenarios of waits.csv.
func Wakeup() (cost.Rate, error) {
	rows, err := csv.NewReader(bytes.NewReader(waited)).ReadAll()
	if err != nil {
		return cost.Rate{}, fmt.Errorf("waits.csv: %w", err)
	}
	type run struct{ seconds, waits float64 }
	byName := map[string][]run{}
	var names []string
	for i, r := range rows[1:] {
		s, err1 := strconv.ParseFloat(r[1], 64)
		n, err2 := strconv.ParseFloat(r[2], 64)
		if err1 != nil || err2 != nil {
			return cost.Rate{}, fmt.Errorf("waits.csv:%d: expected seconds and a number of waits", i+2)
		}
		if byName[r[0]] == nil {
			names = append(names, r[0])
		}
		byName[r[0]] = append(byName[r[0]], run{s, n})
	}
	// slope is the common slope of all scenarios but one; -1 leaves none out.
	slope := func(without int) float64 {
		xy, xx := 0.0, 0.0
		for k, name := range names {
			if k == without {
				continue
			}
			runs := byName[name]
			x, y := 0.0, 0.0
			for _, r := range runs {
				x += r.waits / float64(len(runs))
				y += r.seconds / float64(len(runs))
			}
			for _, r := range runs {
				xy += float64((r.waits - x) * (r.seconds - y))
				xx += float64((r.waits - x) * (r.waits - x))
			}
		}
		return math.Round(xy/xx*1e6*1e4) / 1e4
	}
	v := slope(-1)
	low, high := v, v
	for k := range names {
		low, high = min(low, slope(k)), max(high, slope(k))
	}
	return cost.Rate{
		Name: "wake-up", Unit: "us/transaction", Value: v, Low: low, High: high, Kind: cost.Calibrated,
		From: "CPU of the apply worker by empty reads of its socket, 17 runs of three scenarios; the interval: each scenario left out",
	}, nil
}
