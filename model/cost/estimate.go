package cost

import (
	"fmt"
	"math"

	"applysim/model/accessmethod"
	"applysim/model/apply"
	"applysim/wal"
)

// Estimated is the part of an index whose access method is modelled as far as sizes go.
type Estimated struct {
	Index    string `json:"index"`
	Method   string `json:"method"`
	Rows     int64  `json:"rows"`      // row versions that it got entries for
	WALBytes int64  `json:"wal_bytes"` // of all its records
	WALError Share  `json:"wal_error"` // how far off that may be; 1 is all of it
	CPUError Share  `json:"cpu_error"` // likewise for its instructions and seconds
	// The medians of the same errors over the runs that were measured.
	WALMedian float64 `json:"wal_median_error"`
	CPUMedian float64 `json:"cpu_median_error"`
	Runs      int     `json:"measured_runs"`
}

// Share is a share, by which something may be larger or smaller.
type Share float64

func (s Share) String() string {
	switch p := 100 * float64(s); {
	case s > 1:
		return fmt.Sprintf("by a factor of %.0f", math.Ceil(1+float64(s)))
	case p > 0 && p < 1:
		return "within 1 %"
	default:
		return fmt.Sprintf("within %.0f %%", math.Ceil(p))
	}
}

func (e *Estimated) String() string {
	if e.Method == "brin" {
		return e.Index + " (brin): taken to write nothing, as its operator class is not modelled"
	}
	known := fmt.Sprintf("%d measured runs", e.Runs)
	if e.Method == "hash" {
		known += ", kill marks of lookups left out"
	}
	cpu := fmt.Sprintf("%s, median %.1f %%", e.CPUError, 100*e.CPUMedian)
	if e.CPUError == 0 {
		cpu = "by one run"
	}
	return fmt.Sprintf("%s (%s): WAL %s, median %.1f %%; CPU %s (%s)", e.Index, e.Method, e.WALError, 100*e.WALMedian, cpu, known)
}

// Estimates are a worker's indexes of other access methods, in the order of the schema.
func Estimates(w *apply.Worker) []Estimated {
	var list []Estimated
	for _, t := range w.Tables() {
		for i := range t.Indexes {
			x := &t.Indexes[i]
			if !x.Foreign {
				continue
			}
			n := int64(0)
			for k := range wal.NumRecordTypes {
				n += w.Log().Count(x.Rel, wal.RecordType(k)).Bytes
			}
			e := accessmethod.ErrorOf(x.Schema.Method)
			list = append(list, Estimated{w.Log().Name(x.Rel), x.Schema.Method, x.AccessMethod.Work().Rows, n, Share(e.WAL), Share(e.CPU), e.WALMedian, e.CPUMedian, e.Runs})
		}
	}
	return list
}
