package initialcopy

import (
	"math"

	"applysim/model/cost"
)

// Instructions of COPY beside those that the cost model has for values, tuples, WAL and
// indexes. They are solved from two measurements and predict others; see TestInstructions.
const (
	copyRow  = 2183.3 // reading a row and putting it on its page, beside
	copyByte = 30.49  // for each byte of its line
)

// CPU is the CPU of a synchronisation worker that has done some work: it copied so many
// rows, whose lines have so many bytes.
func CPU(p *cost.Profile, m *cost.Model, u *cost.Usage, rows, bytes int64) float64 {
	u = u.OfCopy()
	u.Add(cost.Started())
	return p.Apply(m, u).Seconds + seconds(p, Copying(rows, bytes))
}

// seconds is what instructions of the storage layer take on a profile's machine.
func seconds(p *cost.Profile, instructions float64) float64 {
	return float64(instructions * p.Rates[cost.Storage].Value * 1e-12)
}

// Copying is the instructions of COPY that no term of the cost model has.
func Copying(rows, bytes int64) float64 {
	return float64(copyRow*float64(rows)) + float64(copyByte*float64(bytes))
}

// What CREATE INDEX takes for a row, instructions. Rows that come in order take one comparison
// each (tuplesort finds out that they are sorted), others log2 of their number. Both prices are
// solved from four builds that callgrind has counted (Debian's 18.6), of 1,000 and 6,000
// integers in order and in no order, and predict eight others: testdata/builds.csv, made by
// go run ./experiments/instructions/record --builds, and TestBuilds.
const (
	buildCompare = 27.87
	buildRow     = 1851.53
)

// buildInstructions are those of CREATE INDEX on so many rows.
func buildInstructions(rows int64) float64 {
	if rows < 2 {
		return 0
	}
	return float64(rows) * (buildRow + float64(buildCompare*math.Log2(float64(rows))))
}
