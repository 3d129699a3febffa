// Command record has a real apply worker carry out grids of workloads and counts what it
// executes for each step:
//
//	go run ./experiments/instructions/record --pg PREFIX GRIDS.json... -o DIR
//
// PREFIX is a PostgreSQL as distributions build it, in this system or in the root directory
// of another one that has valgrind, too (postgres18-root.sh). GRIDS.json has grids without
// what was measured: an array of {"name", "pub": DDL, "sub": DDL, "identity": SQL, "publication":
// SQL, "sub_options", "settings": of the subscriber, "pub_settings", "steps": [{"name", "before":
// [SQL of the subscriber], "sql": [scripts of the publisher]}]}; sub, identity and all that
// follow but the steps may be missing. DIR gets grid.json, measured.json and streams, the form
// that verify --instructions and fit --refresh read; grids that are there already stay. With
// --streams nothing is counted and only messages are captured, which takes seconds. With
// --builds FILE it counts what CREATE INDEX takes instead, for the prices of model/initialcopy.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/instructions"
	"applysim/experiments/server"
	"applysim/model/cost"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(args []string) (err error) {
	flags := pflag.NewFlagSet("record", pflag.ContinueOnError)
	out := flags.StringP("output", "o", "", "write to this folder")
	pg := flags.String("pg", "", "prefix of the PostgreSQL installation")
	only := flags.Bool("streams", false, "capture messages only")
	index := flags.String("builds", "", "count CREATE INDEX instead and write this file")
	names := flags.StringSlice("grid", nil, "only grids whose names begin so")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *index == "" && (*out == "" || flags.NArg() == 0) {
		return errors.New("expected GRIDS.json and -o DIR, or --builds FILE")
	}
	pool, err := server.NewPool(server.Options{Prefix: *pg, Instructions: !*only})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if *index != "" {
		return recordBuilds(pool, *index)
	}
	f, err := open(*out)
	if err != nil {
		return err
	}
	for _, name := range flags.Args() {
		grids, err := instructions.ReadGridsOf(os.DirFS(filepath.Dir(name)), filepath.Base(name))
		if err != nil {
			return err
		}
		for i := range grids {
			g := &grids[i]
			wanted := len(*names) == 0 || slices.ContainsFunc(*names, func(n string) bool { return strings.HasPrefix(g.Name, n) })
			if !wanted || f.has(g.Name) {
				continue
			}
			started := time.Now()
			if err := f.record(pool, g); err != nil {
				fmt.Fprintf(os.Stderr, "%s: left out: %v\n", g.Name, err)
				continue
			}
			fmt.Printf("%s: %d steps, %.0f s\n", g.Name, len(g.Steps), time.Since(started).Seconds())
		}
	}
	return nil
}

// folder is where grids are recorded.
type folder struct {
	dir      string
	grids    []instructions.Grid
	measured []instructions.Measured
}

func open(dir string) (*folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, "streams"), 0o755); err != nil {
		return nil, err
	}
	f := &folder{dir: dir, grids: []instructions.Grid{}, measured: []instructions.Measured{}}
	for name, into := range map[string]any{"grid.json": &f.grids, "measured.json": &f.measured} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(b, into)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
		}
	}
	return f, nil
}

func (f *folder) has(name string) bool {
	return slices.ContainsFunc(f.grids, func(g instructions.Grid) bool { return g.Name == name })
}

// record records a grid.
func (f *folder) record(pool *server.Pool, g *instructions.Grid) error {
	c := &server.Case{Name: g.Name, Pub: g.Pub, Sub: g.Sub, Identity: g.Identity, Publication: g.Publication, SubOptions: g.SubOptions, SubConf: g.Settings, PubConf: g.PubSettings}
	var steps []server.CountStep
	for _, s := range g.Steps {
		steps = append(steps, server.CountStep{Name: s.Name, Before: s.Before, SQL: s.SQL})
	}
	var measured []instructions.Measured
	xid, err := pool.CountSteps(c, steps, g.Stream, func(k *server.Counted) error {
		m := instructions.Measured{Grid: g.Name, Step: k.Step, Instructions: float64(k.Instructions), Functions: map[string]float64{}}
		for name, n := range k.Functions {
			// Of the others only those that take a share worth mentioning.
			if cost.Fitted(name) || n > k.Instructions/500 {
				m.Functions[name] = float64(n)
			}
		}
		measured = append(measured, m)
		return writeStream(filepath.Join(f.dir, "streams", instructions.StreamFile(g.Name, k.Step)), k.Stream)
	})
	if err != nil {
		return err
	}
	if pool.Counts() || g.NextXID == 0 {
		g.NextXID = xid // that of the subscriber that was counted, not of one that only captures
	}
	f.grids = append(f.grids, *g)
	if pool.Counts() {
		f.measured = append(f.measured, measured...)
		if err := writeJSON(filepath.Join(f.dir, "measured.json"), f.measured); err != nil {
			return err
		}
	}
	return writeJSON(filepath.Join(f.dir, "grid.json"), f.grids)
}

func writeJSON(name string, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

func writeStream(name string, lines [][]string) error {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, l := range lines {
		fmt.Fprintln(z, strings.Join(l, "\t"))
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
