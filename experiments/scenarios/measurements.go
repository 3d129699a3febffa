package scenarios

import (
	"bytes"
	_ "embed" // the file below
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"applysim/model/cost"
)

// Recorded are the measurements of a real subscription, process by process:
// PostgreSQL 18.6 as Debian builds it (-O2, x86-64), several runs a scenario.
//
//go:embed cpu_seconds.csv
var Recorded []byte

// The columns that a file of measurements must have.
const (
	columnScenario  = "scenario"
	columnChanges   = "changes"
	columnPerTx     = "rows_per_transaction"
	columnApply     = "apply_cpu_s"
	columnWALWriter = "walwriter_cpu_s"
	columnWALSender = "walsender_cpu_s"
	columnWAL       = "subscriber_wal_bytes" // may be missing
)

// Runs are the measured runs of one scenario, in seconds of CPU.
type Runs struct {
	Scenario                    *Scenario
	Apply, WALWriter, WALSender []float64
	WAL                         int64 // bytes that the subscriber wrote, 0 if the file does not say
}

// ReadRuns reads a file of measurements. file is its name, for errors.
func ReadRuns(r io.Reader, file string) ([]*Runs, error) {
	in := csv.NewReader(r)
	in.Comment = '#'
	in.FieldsPerRecord = -1
	head, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: expected a line with the names of columns", file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	at := map[string]int{}
	for i, name := range head {
		at[strings.TrimSpace(name)] = i
	}
	for _, name := range []string{columnScenario, columnChanges, columnPerTx, columnApply, columnWALWriter, columnWALSender} {
		if _, ok := at[name]; !ok {
			return nil, fmt.Errorf("%s:1: no column %s", file, name)
		}
	}
	byName := map[string]*Runs{}
	var list []*Runs
	for {
		row, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := in.FieldPos(0)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if len(row) != len(head) {
			return nil, fmt.Errorf("%s:%d: %d fields, expected %d", file, line, len(row), len(head))
		}
		name := row[at[columnScenario]]
		runs := byName[name]
		if runs == nil {
			n := slices.IndexFunc(All(), func(s *Scenario) bool { return s.Name == name })
			if n < 0 {
				return nil, fmt.Errorf("%s:%d: unknown scenario %q: expected one of %s", file, line, name, names())
			}
			runs = &Runs{Scenario: All()[n]}
			byName[name] = runs
			list = append(list, runs)
		}
		for _, c := range []struct {
			column string
			want   int
		}{{columnChanges, runs.Scenario.Changes}, {columnPerTx, runs.Scenario.PerTx}} {
			if v, err := strconv.Atoi(row[at[c.column]]); err != nil || v != c.want {
				return nil, fmt.Errorf("%s:%d: %s of %s is %q, expected %d", file, line, c.column, name, row[at[c.column]], c.want)
			}
		}
		if i, ok := at[columnWAL]; ok {
			if runs.WAL, err = strconv.ParseInt(row[i], 10, 64); err != nil {
				return nil, fmt.Errorf("%s:%d: %s is %q, expected bytes", file, line, columnWAL, row[i])
			}
		}
		for _, c := range []struct {
			column string
			into   *[]float64
		}{{columnApply, &runs.Apply}, {columnWALWriter, &runs.WALWriter}, {columnWALSender, &runs.WALSender}} {
			v, err := strconv.ParseFloat(row[at[c.column]], 64)
			if err != nil || v < 0 {
				return nil, fmt.Errorf("%s:%d: %s is %q, expected seconds", file, line, c.column, row[at[c.column]])
			}
			*c.into = append(*c.into, v)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no measurements", file)
	}
	return list, nil
}

// RecordedRuns reads the recorded measurements.
func RecordedRuns() ([]*Runs, error) {
	list, err := ReadRuns(bytes.NewReader(Recorded), "cpu_seconds.csv")
	if err != nil {
		return nil, err
	}
	more, err := ReadRuns(bytes.NewReader(started), "start.csv")
	return append(list, more...), err
}

func names() string {
	var list []string
	for _, s := range All() {
		list = append(list, s.Name)
	}
	return strings.Join(list, ", ")
}

// Measure applies the scenarios, two at a time, and joins their work with the runs.
// done is called when one is finished; it may be nil.
func Measure(list []*Runs, done func(name string)) ([]cost.Measurement, error) {
	measurements := make([]cost.Measurement, len(list))
	errs := make([]error, len(list))
	var wg sync.WaitGroup
	slots := make(chan struct{}, 2)
	var mutex sync.Mutex
	for i, r := range list {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			var u *cost.Usage
			if u, errs[i] = r.Scenario.Run(); errs[i] != nil {
				return
			}
			measurements[i] = cost.Measurement{Scenario: r.Scenario.Name, Usage: u, Runs: r.Apply, WALWriter: r.WALWriter, Sender: r.WALSender}
			// Each run was a worker's first and only one.
			u.Add(cost.Started())
			if done != nil {
				mutex.Lock()
				done(r.Scenario.Name)
				mutex.Unlock()
			}
		})
	}
	wg.Wait()
	return measurements, errors.Join(errs...)
}

// Median is the median of some runs.
func Median(runs []float64) float64 {
	s := slices.Clone(runs)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}
