// Command profiles makes the profiles that come with the program: go generate
// ./model/cost. The same measurements give the same files.
package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"applysim/experiments/published"
	"applysim/experiments/scenarios"
	"applysim/model/cost"
	"applysim/model/publisher"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "profiles:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := pflag.NewFlagSet("profiles", pflag.ContinueOnError)
	out := flags.StringP("output", "o", "", "write the profiles to this folder")
	only := flags.Bool("publisher", false, "leave all rates as they are but those of the publisher's side")
	sql := flags.Bool("backends", false, "leave all rates as they are but those of the publisher's backends")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sql {
		return statementsOnly(*out)
	}
	if *only {
		return publisherOnly(*out)
	}
	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	p, err := fitted(model)
	if err != nil {
		return err
	}
	if p.Publisher, err = sender(); err != nil {
		return err
	}
	apple, err := published.SolveApple(p)
	if err != nil {
		return err
	}
	if err := write(*out, p); err != nil {
		return err
	}
	return write(*out, apple)
}

// publisherOnly fits the rates of the publisher's side anew.
func publisherOnly(out string) error {
	p, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return err
	}
	if p.Publisher, err = sender(); err != nil {
		return err
	}
	solved, err := published.SolveApple(p)
	if err != nil {
		return err
	}
	apple, err := cost.BuiltinProfile(solved.Name)
	if err != nil {
		return err
	}
	apple.Publisher = solved.Publisher
	if err := write(out, p); err != nil {
		return err
	}
	return write(out, apple)
}

// sender fits what a walsender takes: the instructions of its work, and transactions. What
// is predicted of each scenario by a fit to the others is printed.
func sender() (*cost.PublisherRates, error) {
	runs, err := scenarios.RecordedRuns()
	if err != nil {
		return nil, err
	}
	model, err := publisher.Model()
	if err != nil {
		return nil, err
	}
	profile, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return nil, err
	}
	worker, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	started := &cost.Usage{}
	started.Add(cost.Started())
	startSeconds := profile.Apply(worker, started).Seconds
	var amounts [][]float64
	var medians []float64
	for _, r := range runs {
		o, err := r.Scenario.Do()
		if err != nil {
			return nil, err
		}
		transactions := 0.0
		for _, i := range o.SentUsage.Items() {
			if i.Term == publisher.TermTransaction {
				transactions = i.Quantity
			}
		}
		if transactions == 0 {
			continue // the start of a worker sends nothing
		}
		// A worker that is faster than its walsender finds its socket empty, replies and
		// sleeps: what it takes beside its work says how often. The walsender reads the
		// replies and is woken up by them.
		waits := 0.0
		if apply := scenarios.Median(r.Apply); apply < scenarios.Median(r.WALSender) {
			waits = max(apply-profile.Apply(worker, o.Usage).Seconds-startSeconds, 0)
		}
		amounts = append(amounts, []float64{model.Instructions(o.SentUsage) / 1000 * 1e-9, transactions * 1e-6, 1e-3, waits})
		medians = append(medians, scenarios.Median(r.WALSender))
	}
	x, err := cost.LeastSquares(amounts, medians)
	if err != nil {
		return nil, err
	}
	var errs []float64
	within := 0
	for i := range amounts {
		y, err := cost.LeastSquares(slices.Delete(slices.Clone(amounts), i, i+1), slices.Delete(slices.Clone(medians), i, i+1))
		if err != nil {
			return nil, err
		}
		predicted := 0.0
		for k, v := range amounts[i] {
			predicted += float64(v * y[k])
		}
		e := predicted/medians[i] - 1
		errs = append(errs, math.Abs(e))
		inside := predicted >= slices.Min(runs[i].WALSender) && predicted <= slices.Max(runs[i].WALSender)
		if math.Abs(e) <= 0.15 || inside {
			within++
		}
		fmt.Printf("%-32s measured %.3f (%.3f to %.3f), predicted %.3f s, %+.1f %%\n", runs[i].Scenario.Name, medians[i],
			slices.Min(runs[i].WALSender), slices.Max(runs[i].WALSender), predicted, 100*e)
	}
	from := fmt.Sprintf("walsender CPU, medians of the runs of all scenarios; each predicted by the others: median error %.0f %%, %d of %d within 15 %% or inside the range of their runs",
		100*scenarios.Median(errs), within, len(amounts))
	rate := func(name, unit string, v float64, k cost.Kind, from string) cost.Rate {
		v = math.Round(v*1e4) / 1e4
		return cost.Rate{Name: name, Unit: unit, Value: v, Low: v, High: v, Kind: k, From: from}
	}
	sql, err := statements()
	if err != nil {
		return nil, err
	}
	replies := rate("replies", "s/s", x[3], cost.Calibrated, from+"; given how long their workers waited")
	return &cost.PublisherRates{
		Replies:     &replies,
		Statements:  sql,
		Backend:     rate("backend", "us/row", 0, cost.Assumed, "not measured"),
		Sender:      rate("sender", "ns/1000 instructions", x[0], cost.Calibrated, from),
		Transaction: rate("transaction", "us/transaction", x[1], cost.Calibrated, from),
		Start:       rate("start", "ms/start", x[2], cost.Calibrated, from),
		Send:        rate("send", "ns/byte", 0, cost.Assumed, "none, as for receiving"),
		Cores:       rate("cores", "cores", 2, cost.Assumed, "those of the machine"),
		Latency:     rate("latency", "ms", 0, cost.Assumed, "not measured"),
	}, nil
}

// fitted is the profile of the machine on which cpu_seconds.csv was measured.
func fitted(model *cost.Model) (*cost.Profile, error) {
	runs, err := scenarios.RecordedRuns()
	if err != nil {
		return nil, err
	}
	measurements, err := scenarios.Measure(runs, nil)
	if err != nil {
		return nil, err
	}
	wakeup, err := scenarios.Wakeup()
	if err != nil {
		return nil, err
	}
	p, _, err := cost.Calibrate(model, measurements, wakeup)
	if err != nil {
		return nil, err
	}
	p.Name, p.Machine, p.Server, p.Date = "x86-64", "Linux, x86-64, 2 cores, shared with others", "PostgreSQL 18.6 (Debian 18.6-3), -O2", "2026-08"
	p.Note = "fitted to cpu_seconds.csv and start.csv in experiments/scenarios: 18 scenarios with 6 runs each, and the start of a worker with 4"
	p.Waiting.From = "apply worker and walsender CPU, medians of the runs of scenarios whose worker waits"
	for i := range p.Rates {
		p.Rates[i].From = "apply worker CPU, medians of the runs of all scenarios"
	}
	p.WALWriter.From = "WAL writer CPU by byte of WAL, median of the scenarios; runs differ by up to ten times"
	return p, nil
}

func write(folder string, p *cost.Profile) error {
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	if folder == "" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(filepath.Join(folder, p.Name+".json"), b.Bytes(), 0o644)
}
