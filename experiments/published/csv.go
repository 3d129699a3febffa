package published

import (
	_ "embed" // the files below
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

//go:embed figures.csv
var figuresCSV string

//go:embed runs.csv
var runsCSV string

//go:embed recorded.csv
var recordedCSV string

// rows reads a file with a heading as maps from column to value. Lines that
// begin with # are comments.
func rows(name, text string) ([]map[string]string, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.Comment = '#'
	r.FieldsPerRecord = -1 // a note, the last column, may have commas
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: expected a line with the names of columns", name)
	}
	var out []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			if i < len(line) {
				row[name] = line[i]
			}
		}
		out = append(out, row)
	}
	return out, nil
}

// source is the published work that the figures of this package are from, as
// figures.csv calls it.
const source = "hidden-cpu"

// figure is a published number of bytes.
func figure(scenario, name string) (int64, error) {
	list, err := rows("figures.csv", figuresCSV)
	if err != nil {
		return 0, err
	}
	for _, row := range list {
		if row["source"] == source && row["scenario"] == scenario && row["figure"] == name {
			return strconv.ParseInt(row["low"], 10, 64)
		}
	}
	return 0, fmt.Errorf("figures.csv: no figure %s of %s", name, scenario)
}

// onRealServer is the WAL that a real subscriber wrote, in bytes.
func onRealServer(scenario string) (int64, error) {
	list, err := rows("recorded.csv", recordedCSV)
	if err != nil {
		return 0, err
	}
	for _, row := range list {
		if row["scenario"] == scenario {
			return strconv.ParseInt(row["subscriber_wal_bytes"], 10, 64)
		}
	}
	return 0, fmt.Errorf("recorded.csv: no scenario %s", scenario)
}

// Overlap is the number of the published workload's clients that ran at a time,
// on average: publisher CPU seconds over seconds of the workload, in the runs
// without decoding; the median.
func Overlap() (float64, error) {
	list, err := rows("runs.csv", runsCSV)
	if err != nil {
		return 0, err
	}
	var busy []float64
	for _, row := range list {
		if row["scenario"] != "baseline" {
			continue
		}
		cpu, err1 := strconv.ParseFloat(row["publisher_cpu_s"], 64)
		seconds, err2 := strconv.ParseFloat(row["workload_s"], 64)
		if err1 != nil || err2 != nil || seconds <= 0 {
			return 0, fmt.Errorf("runs.csv: %s s of CPU in %s s, expected numbers", row["publisher_cpu_s"], row["workload_s"])
		}
		busy = append(busy, cpu/seconds)
	}
	if len(busy) == 0 {
		return 0, fmt.Errorf("runs.csv: no runs of the scenario baseline")
	}
	slices.Sort(busy)
	n := len(busy)
	return (busy[(n-1)/2] + busy[n/2]) / 2, nil
}

// overlapping is Overlap as a number of clients.
func overlapping() (int, error) {
	x, err := Overlap()
	return int(math.Round(x)), err
}

// figureValue is a published figure, the middle of its range.
func figureValue(scenario, name string) (float64, error) {
	list, err := rows("figures.csv", figuresCSV)
	if err != nil {
		return 0, err
	}
	for _, row := range list {
		if row["source"] == source && row["scenario"] == scenario && row["figure"] == name {
			low, err1 := strconv.ParseFloat(row["low"], 64)
			high, err2 := strconv.ParseFloat(row["high"], 64)
			if err1 != nil || err2 != nil {
				return 0, fmt.Errorf("figures.csv: %s of %s: expected numbers", name, scenario)
			}
			return (low + high) / 2, nil
		}
	}
	return 0, fmt.Errorf("figures.csv: no figure %s of %s", name, scenario)
}

// round4 keeps four decimals.
func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }
