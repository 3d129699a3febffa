package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var o server.Options
	var only string
	var extra []string
	var wal, instructions, refit bool
	f := pflag.NewFlagSet("accessmethods", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringVar(&o.Prefix, "pg", "", "prefix `DIR` of the PostgreSQL installation")
	f.StringVar(&o.Dir, "servers", "", "folder `DIR` for the clusters while they live")
	f.StringVar(&only, "grids", "", "the grids whose names match `REGEXP` only")
	f.StringSliceVar(&extra, "extensions", nil, "extensions that the server has beside its own, for instructions")
	f.BoolVar(&refit, "fit", false, "fit prices to what was measured")
	f.BoolVar(&wal, "wal", false, "record WAL")
	f.BoolVar(&instructions, "instructions", false, "count instructions, with valgrind")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := carryOut(o, only, extra, wal, instructions, refit, stdout); err != nil {
		fmt.Fprintf(stderr, "accessmethods: %v\n", err)
		return 2
	}
	return 0
}

func carryOut(o server.Options, only string, extra []string, wal, instructions, refit bool, stdout io.Writer) (err error) {
	grids := allGrids()
	if only != "" {
		r, err := regexp.Compile(only)
		if err != nil {
			return err
		}
		grids = slices.DeleteFunc(grids, func(g grid) bool { return !r.MatchString(g.name) })
	}
	// What was measured before stays for the grids that are not measured now.
	keep := func(name string) func([][]string) error {
		before, err := readCSV(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			before = nil
		}
		return func(lines [][]string) error { return writeCSV(name, merge(lines, before)) }
	}
	if wal || instructions {
		o.Instructions = instructions
		pool, err := server.NewPool(o)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, pool.Close()) }()
		if instructions {
			return recordInstructions(pool, grids, extra, stdout, keep("instructions.csv"))
		}
		lines, err := recordWAL(pool, grids, stdout)
		if err != nil {
			return err
		}
		return keep("wal.csv")(lines)
	}
	if refit {
		return fit(grids, stdout)
	}
	return compare(grids, stdout)
}

// merge puts new lines in the order of the grids among those of before.
func merge(lines, before [][]string) [][]string {
	measured := map[string]bool{}
	for _, l := range lines {
		measured[l[0]] = true
	}
	for _, l := range before {
		if !measured[l[0]] {
			lines = append(lines, l)
		}
	}
	order := map[string]int{}
	for i, g := range allGrids() {
		order[g.name] = i + 1
	}
	slices.SortStableFunc(lines, func(a, b []string) int { return order[a[0]] - order[b[0]] })
	return lines
}
