package accessmethod

import (
	_ "embed"
	"encoding/json"
	"math"
)

//go:generate go run ../../experiments/accessmethods --fit

//go:embed prices.json
var pricesJSON []byte

// Prices are what was measured: experiments/accessmethods writes them.
type Prices struct {
	// Division is what dividing the pages of an SP-GiST index writes for each byte of leaf
	// tuples, by the kind of values.
	Division map[string]float64 `json:"spgist_division"`
	// Entry is what an entry of another access method writes beside its values, in bytes, in
	// Records records.
	Entry   map[string]float64 `json:"entry_bytes"`
	Records map[string]float64 `json:"entry_records"`
	// Instructions are what a real apply worker takes, by the names of Terms.
	Instructions map[string]float64 `json:"instructions"`
	// Errors are those of WAL and of instructions by access method.
	Errors map[string]Error `json:"errors"`
}

// Error is by how much an estimate may be wrong: the largest relative error that was seen in
// measurements that were left out of the fit, without its sign, and the median.
type Error struct {
	WAL       float64 `json:"wal"`
	WALMedian float64 `json:"wal_median"`
	CPU       float64 `json:"cpu"`
	CPUMedian float64 `json:"cpu_median"`
	Runs      int     `json:"runs"` // measured
}

var prices = func() *Prices {
	p := &Prices{}
	if err := json.Unmarshal(pricesJSON, p); err != nil {
		panic(err)
	}
	return p
}()

// Builtin are the prices that come with the program.
func Builtin() *Prices { return prices }

// Unknown is the name under which Errors has access methods that were never measured.
const Unknown = "unknown"

// ErrorOf is by how much the estimates for an access method may be wrong.
func ErrorOf(method string) Error {
	switch method {
	case "brin": // without summaries there is nothing to be wrong
		return Error{}
	case "gin", "gist", "hash", "spgist":
		return prices.Errors[method]
	}
	if e, ok := prices.Errors[method]; ok {
		return e
	}
	return prices.Errors[Unknown]
}

// typical is the geometric mean: of what a method takes that nobody has measured no more is
// known than the orders of magnitude of others.
func typical(m map[string]float64) float64 {
	sum := 0.0
	for _, k := range sorted(m) {
		sum += math.Log(m[k])
	}
	return math.Exp(sum / float64(len(m)))
}
