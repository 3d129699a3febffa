package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"applysim/experiments/recorded"
)

// tally counts what was compared.
type tally struct {
	cases, differ, unsupported, failed int
	crashed                            int // the server itself
	excepted                           int // cases with named exceptions
	tried                              int // seeds, those that could not be recorded included
	records, bytes                     int64
	types                              map[string]*typeCount // by record type
	reasons                            map[string]int        // of what is not supported
	views                              map[string]int        // rows of views that were compared
}

// typeCount says how often a record type was compared, and in how many cases, each of
// which has a schema of its own.
type typeCount struct{ records, schemas int64 }

func newTally() *tally {
	return &tally{types: map[string]*typeCount{}, reasons: map[string]int{}, views: map[string]int{}}
}

// count adds a case that was recorded in dir.
func (t *tally) count(dir string, r *recorded.Result) {
	t.cases++
	switch r.Outcome {
	case recorded.Unsupported:
		t.unsupported++
		t.reasons[r.Unsupported]++
		return // nothing was compared
	case recorded.Differs:
		t.differ++
		return // what was compared before the difference does not count
	case recorded.ExactExcept:
		t.excepted++
	}
	t.records += r.Records.Expected
	t.bytes += r.Bytes.Expected
	records, err := recordsIn(dir)
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, x := range records {
		if x.Background() {
			continue
		}
		name := x.Manager + "/" + x.Type
		n := t.types[name]
		if n == nil {
			n = new(typeCount)
			t.types[name] = n
		}
		n.records++
		if !seen[name] {
			seen[name] = true
			n.schemas++
		}
	}
}

// recordsIn reads the records of a case.
func recordsIn(dir string) ([]recorded.Record, error) {
	fsys := os.DirFS(dir)
	if recorded.IsPublisher(fsys, ".") {
		c, err := recorded.OpenPublisher(fsys, ".")
		if err != nil {
			return nil, err
		}
		return c.Records()
	}
	c, err := recorded.Open(fsys, ".")
	if err != nil {
		return nil, err
	}
	return c.Records()
}

// summary prints the run's figures.
func (d *differential) summary() {
	for _, reason := range slices.Sorted(maps.Keys(d.reasons)) {
		fmt.Fprintf(d.stdout, "unsupported, %d: %s\n", d.reasons[reason], reason)
	}
	if len(d.views) > 0 {
		fmt.Fprintf(d.stdout, "rows of views compared:")
		for _, name := range slices.Sorted(maps.Keys(d.views)) {
			fmt.Fprintf(d.stdout, " %s %d", name, d.views[name])
		}
		fmt.Fprintln(d.stdout)
	}
	if d.excepted > 0 {
		fmt.Fprintf(d.stdout, "%d exact but for named exceptions\n", d.excepted)
	}
	if d.crashed > 0 {
		fmt.Fprintf(d.stdout, "%d not recorded: the server crashed\n", d.crashed)
	}
	if d.failed > 0 {
		fmt.Fprintf(d.stdout, "%d not recorded\n", d.failed)
	}
	fmt.Fprintf(d.stdout, "%.0f s, PostgreSQL %s\n", time.Since(d.started).Seconds(), d.pool.Version)
	fmt.Fprintf(d.stdout, "%d cases, %d records, %d bytes compared, %d differ\n", d.cases-d.unsupported, d.records, d.bytes, d.differ)
}
