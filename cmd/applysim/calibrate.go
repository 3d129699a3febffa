package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"applysim/experiments/scenarios"
	"applysim/experiments/table"
	"applysim/model/cost"
)

// calibrate fits a profile to measured CPU seconds.
func calibrate(env environment, args []string) error {
	f := newFlags("calibrate")
	out := f.StringP("output", "o", "", "write the profile to `FILE`")
	name := f.String("name", "", "the profile's `NAME`; that of the file by default")
	machine := f.String("machine", "", "what the `MACHINE` is, for the profile")
	server := f.String("server", "", "version and build of the `SERVER`, for the profile")
	date := f.String("date", "", "`DATE` of the measurements, for the profile")
	format := formatFlag(f, "text", "json", "markdown", "csv")
	helped, err := parse(env, f, args, help{
		usage: "applysim calibrate MEASUREMENTS.csv [-o PROFILE] [FLAGS]",
		text: `
Fits a profile (what instructions cost in seconds on a machine) to CPU seconds
that were measured there. The file has the columns scenario, changes,
rows_per_transaction, apply_cpu_s, walwriter_cpu_s and walsender_cpu_s, and a
line for each run. The scenarios are simulated, their instructions computed,
and non-negative rates fitted to the median runs. Printed are the rates with
intervals, and each scenario as fitted and as predicted by a fit to all others.
Exit code 1, and no profile, if the measurements do not determine one.`,
		example: `  $ applysim calibrate cpu_seconds.csv -o mine.json
  $ applysim replay --profile mine.json --schema schema.sql --stream stream.bin
`,
	})
	if helped || err != nil {
		return err
	}
	if f.NArg() != 1 {
		return hint(f, "expected one file of measurements, found %d", f.NArg())
	}
	if err := checkFormat(f, *format, "text", "json", "markdown", "csv"); err != nil {
		return err
	}
	file := f.Arg(0)
	in, err := openInput(env, file)
	if err != nil {
		return err
	}
	defer in.Close()
	runs, err := scenarios.ReadRuns(in, file)
	if err != nil {
		return err
	}
	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	progress := newProgress(env.stderr, len(runs))
	measurements, err := scenarios.Measure(runs, progress.step)
	progress.end()
	if err != nil {
		return err
	}
	wakeup, err := scenarios.Wakeup()
	if err != nil {
		return err
	}
	wakeup.Kind, wakeup.From = cost.Assumed, "that of x86-64"
	p, residuals, err := cost.Calibrate(model, measurements, wakeup)
	if u, ok := err.(*cost.UndeterminedError); ok {
		fmt.Fprintf(env.stderr, "applysim: %s: %v\n", file, u)
		return errNo
	}
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	p.Name, p.Machine, p.Server, p.Date = *name, *machine, *server, *date
	if p.Name == "" {
		p.Name = *out
	}
	for i := range p.Rates {
		p.Rates[i].From = "apply worker CPU of " + file
	}
	p.Waiting.From = "apply worker and walsender CPU of " + file
	if p.WALWriter.From == "" {
		p.WALWriter.From = "WAL writer CPU of " + file
	}
	if err := printCalibration(env.stdout, *format, p, residuals); err != nil {
		return err
	}
	if *out == "" {
		return nil
	}
	w, err := createResult(*out)
	if err != nil {
		return err
	}
	defer w.abandon()
	if err := p.Write(w); err != nil {
		return err
	}
	return w.commit()
}

// printCalibration prints the rates and the residuals. CSV has the residuals only.
func printCalibration(w io.Writer, format string, p *cost.Profile, residuals []cost.Residual) error {
	if format == "json" {
		return printJSON(w, struct {
			SchemaVersion int             `json:"schema_version"`
			Profile       *cost.Profile   `json:"profile"`
			Residuals     []cost.Residual `json:"residuals"`
		}{1, p, residuals})
	}
	rates := &table.Table{Columns: []table.Column{
		{Name: "rate"}, {Name: "value", Right: true, Decimals: 3}, {Name: "low", Right: true, Decimals: 3}, {Name: "high", Right: true, Decimals: 3},
		{Name: "unit"}, {Name: "kind"},
	}}
	for _, r := range append(append([]cost.Rate{}, p.Rates...), p.Waiting, p.Wakeup, p.WALWriter) {
		rates.Add(r.Name, r.Value, r.Low, r.High, r.Unit, string(r.Kind))
	}
	t := &table.Table{Columns: []table.Column{
		{Name: "scenario"}, {Name: "runs", Right: true}, {Name: "median", Right: true, Decimals: 4, Unit: " s"},
		{Name: "least", Right: true, Decimals: 4}, {Name: "most", Right: true, Decimals: 4},
		{Name: "fitted", Right: true, Decimals: 4}, {Name: "error", Right: true, Signed: true, Decimals: 1, Unit: " %"},
		{Name: "left out", CSV: "left_out", Right: true, Decimals: 4}, {Name: "its error", CSV: "left_out_error_percent", Right: true, Signed: true, Decimals: 1, Unit: " %"},
		{Name: "verdict"},
	}}
	for i := range residuals {
		r := &residuals[i]
		verdict := "inside"
		switch {
		case !r.Determined:
			verdict = "undetermined by the others"
		case !r.Inside():
			verdict = "outside"
		}
		t.Add(r.Scenario, r.Runs, r.Median, r.Low, r.High, r.Fitted, 100*(r.Fitted/r.Median-1), r.LeftOut, 100*(r.LeftOut/r.Median-1), verdict)
	}
	if format == "csv" {
		return t.CSV(w)
	}
	print := (*table.Table).Text
	if format == "markdown" {
		print = (*table.Table).Markdown
	}
	if err := print(rates, w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := print(t, w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nEach scenario left out and predicted by the others: median error %.1f %%; %d of %d within 10 %% of the median run or inside the range of the runs\n",
		100*p.Error, p.Within, p.Scenarios)
	return err
}

// addProfile adds --profile.
func addProfile(f *pflag.FlagSet, into *string) {
	f.StringVar(into, "profile", cost.DefaultProfile, "machine whose CPU seconds are shown: `NAME` of a profile ("+strings.Join(cost.ProfileNames(), ", ")+")\nor a file that calibrate has written")
}

// readProfile finds a profile by its name, or reads it from a file.
func readProfile(name string) (*cost.Profile, error) {
	for _, n := range cost.ProfileNames() {
		if n == name {
			return cost.BuiltinProfile(n)
		}
	}
	b, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return cost.BuiltinProfile(name) // says which there are
	}
	if err != nil {
		return nil, err
	}
	return cost.ReadProfile(b, name)
}
