// Samples takes samples of a live server's statistics, as users take them for
// `applysim init --stats`: the JSON of `applysim init --query`, before and after some
// traffic.
//
//	go run ./experiments/samples --pg PREFIX[,PREFIX...] [--seconds 35] -o DIR
//
// For each installation a server gets the schema of a small shop (shop.sql) and its rows
// (rows.sql); then second.sql is its traffic, once a second. DIR gets beforeNN.json and
// afterNN.json, NN being the major version. The samples are read back and combined: the
// exit code is 1 if they do not tell rows and rates of the shop's tables.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"applysim/experiments/server"
	"applysim/model/observed"
)

// The shop: its schema, its rows, what happens in a second.
var (
	//go:embed shop.sql
	shop string
	//go:embed rows.sql
	rows string
	//go:embed second.sql
	second string
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// errNothing says that the samples do not tell what they should.
var errNothing = errors.New("the samples do not tell it")

func run(args []string, stdout, stderr io.Writer) int {
	var prefixes []string
	var out, dir string
	var seconds int
	f := pflag.NewFlagSet("samples", pflag.ContinueOnError)
	f.SetOutput(stderr)
	f.StringSliceVar(&prefixes, "pg", nil, "prefixes `DIR` of PostgreSQL installations")
	f.StringVar(&dir, "servers", "", "folder `DIR` for the clusters while they live")
	f.StringVarP(&out, "output", "o", "", "write the samples into the folder `DIR`")
	f.IntVar(&seconds, "seconds", 35, "time `N` between the two samples")
	switch err := f.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case out == "" || len(prefixes) == 0 || seconds < 1 || f.NArg() > 0:
		fmt.Fprintln(stderr, "samples: expected --pg PREFIX and -o DIR, and at least one second")
		return 2
	}
	for _, prefix := range prefixes {
		if err := sample(prefix, dir, out, seconds, stdout); err != nil {
			fmt.Fprintf(stderr, "samples: %s: %v\n", prefix, err)
			if errors.Is(err, errNothing) {
				return 1
			}
			return 2
		}
	}
	return 0
}

// sample takes two samples of a server.
func sample(prefix, dir, out string, seconds int, stdout io.Writer) (err error) {
	pool, err := server.NewPool(server.Options{Prefix: prefix, Dir: dir})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	c, err := pool.Start("sub", map[string]string{"autovacuum": "on", "autovacuum_naptime": "5s"})
	if err != nil {
		return err
	}
	for _, script := range []string{shop, rows, "ANALYZE"} {
		if err := c.Script(script); err != nil {
			return err
		}
	}
	var samples []*observed.Stats
	take := func(name string) error {
		// A session reports its counters now and then, this one before it asks.
		if _, err := c.Query("SELECT pg_stat_force_next_flush()"); err != nil {
			return err
		}
		text, err := c.Value(observed.Query(true))
		if err != nil {
			return err
		}
		file := filepath.Join(out, fmt.Sprintf("%s%d.json", name, pool.Major))
		if err := os.WriteFile(file, []byte(text+"\n"), 0o666); err != nil {
			return err
		}
		list, err := observed.ReadSamples(strings.NewReader(text), file)
		samples = append(samples, list...)
		return err
	}
	if err := take("before"); err != nil {
		return err
	}
	for began, n := time.Now(), 1; n <= seconds; n++ {
		if err := c.Script(second); err != nil {
			return err
		}
		time.Sleep(time.Until(began.Add(time.Duration(n) * time.Second)))
	}
	if err := take("after"); err != nil {
		return err
	}
	both, err := observed.Combine(samples)
	if err != nil {
		return err
	}
	return judge(both, stdout)
}

// judge says what the samples tell of the table that all others refer to.
func judge(s *observed.Stats, stdout io.Writer) error {
	orders := s.Table("orders")
	if orders == nil {
		return fmt.Errorf("table orders: %w", errNothing)
	}
	n, ok := orders.Rows()
	rate, known := s.Rate(orders)
	if !ok || n < 50_000 || !known || rate.Inserts < 1 || rate.Updates < 1 {
		return fmt.Errorf("orders: %d rows, %.1f inserts and %.1f updates a second, expected 60,000 and some of each: %w", n, rate.Inserts, rate.Updates, errNothing)
	}
	fmt.Fprintf(stdout, "PostgreSQL %d: %d tables, orders has %d rows, %.1f inserts and %.1f updates a second\n", s.ServerNum, len(s.Tables), n, rate.Inserts, rate.Updates)
	return nil
}
