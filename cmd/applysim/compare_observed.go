package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"applysim/experiments/table"
	"applysim/model/monitor"
)

var compareObservedHelp = help{
	usage: "applysim compare-observed FILE... --scenario SCENARIO.toml | applysim compare-observed --query",
	text: `
Says where a real pipeline and its simulation part: what is changed, what WAL that
makes, what decoding counts, what the subscriber makes of it (WAL of a change, HOT
updates, conflicts), and lag. The FILEs have two samples of each server's views, some
minutes apart, which the query that --query prints gives: read-only, on publisher and
subscriber of versions 15 to 18. Figures come in the order in which one follows from the
other, so that the first that parts is the place to look at. Exit code 1 when one parts.`,
	example: `  $ applysim compare-observed --query > query.sql
  $ psql -XAtq -f query.sql -h publisher app >> observed.json
  $ psql -XAtq -f query.sql -h subscriber app >> observed.json
  $ sleep 300                    # and both once more
  $ applysim compare-observed observed.json --scenario orders.toml
`,
}

// compareObserved puts samples of a real system beside a scenario.
func compareObserved(env environment, args []string) error {
	f := newFlags("compare-observed")
	var o pipelineOptions
	file := f.String("scenario", "", "`SCENARIO.toml` that describes the system")
	query := f.Bool("query", false, "print the query and do nothing else")
	at := f.String("at", "", "`TIME` of the run at which the first sample was taken, such as 9h; the samples are\ntaken to be from its middle unless set")
	within := f.Float64("within", 15, "so many `PERCENT` apart is agreeing")
	f.Int64Var(&o.sample, "sample", defaultSample, "simulate about `N` changes row by row")
	f.Int64Var(&o.seed, "seed", -1, "seed `N` in place of the scenario's")
	f.Lookup("seed").DefValue = ""
	addProfile(f, &o.profile)
	format := formatFlag(f, replayFormats...)
	if helped, err := parse(env, f, args, compareObservedHelp); helped || err != nil {
		return err
	}
	o.format = *format
	switch {
	case *query && (f.NArg() > 0 || *file != ""):
		return hint(f, "--query goes with nothing else")
	case *query:
		_, err := io.WriteString(env.stdout, monitor.Query)
		return err
	case f.NArg() == 0 || *file == "":
		return hint(f, "expected FILE with samples and --scenario SCENARIO.toml, or --query")
	case !(*within > 0 && *within <= 1000):
		return hint(f, "--within %v: expected more than 0", *within)
	}
	options := monitor.CompareOptions{At: -1, Within: *within / 100, File: f.Arg(0)}
	if *at != "" {
		d, err := parsePeriod(*at)
		if err != nil {
			return hint(f, "--at %s: %v", *at, err)
		}
		options.At = d.Seconds()
	}
	var samples []*monitor.Sample
	for _, name := range f.Args() {
		in, err := os.Open(name)
		if err != nil {
			return err
		}
		list, err := monitor.Read(in, name)
		in.Close()
		if err != nil {
			return err
		}
		samples = append(samples, list...)
	}
	monitor.Sort(samples)
	s, costs, err := o.measure(f, *file)
	if err != nil {
		return err
	}
	c, err := monitor.Compare(s, costs, samples, options)
	if err != nil {
		return err
	}
	if err := printObserved(env.stdout, o.format, c); err != nil {
		return err
	}
	if c.Part() {
		return errNo
	}
	return nil
}

// observedFigure shows a figure with its unit.
func observedFigure(v *float64, f *monitor.Figure) any {
	switch {
	case v == nil:
		return nil
	case f.Unit == "bytes":
		return amount(*v)
	case f.Unit == "s":
		return lasting(*v)
	case f.Unit == "share":
		return fmt.Sprintf("%.1f %%", 100**v)
	}
	return fmt.Sprintf("%.4g", *v)
}

// printObserved prints a comparison.
func printObserved(w io.Writer, format string, c *monitor.Comparison) error {
	if format == "json" {
		return printJSON(w, c)
	}
	var servers []string
	for _, s := range c.Servers {
		servers = append(servers, fmt.Sprintf("%s %d.%d, database %s, %s", s.Role, s.Version/10000, s.Version%10000, s.Database, lasting(s.WindowS)))
	}
	t := &table.Table{
		Title:   fmt.Sprintf("%s from %s to %s; observed: %s", c.Scenario, clock(c.FromS), clock(c.ToS), strings.Join(servers, "; ")),
		Columns: []table.Column{{Name: "figure"}, {Name: "observed", Right: true}, {Name: "model", Right: true}, {Name: "error", Right: true}, {Name: ""}},
	}
	if format == "csv" {
		t.Title, t.Columns = "", []table.Column{{Name: "subscription"}, {Name: "figure"}, {Name: "unit"}, {Name: "observed"}, {Name: "model"}, {Name: "error"}, {Name: "verdict"}}
	}
	var lines []string
	for i := range c.Figures {
		f := &c.Figures[i]
		if format == "csv" {
			t.Add(f.Subscription, f.Name, f.Unit, optional(f.Observed), optional(f.Model), optional(f.Error), f.Verdict)
			continue
		}
		name := f.Name
		if f.Subscription != "" {
			name = f.Subscription + ": " + name
		}
		e := any(nil)
		if f.Error != nil {
			e = fmt.Sprintf("%+.1f %%", 100**f.Error)
		}
		t.Add(name, observedFigure(f.Observed, f), observedFigure(f.Model, f), e, f.Verdict)
		if f.Hint != "" {
			lines = append(lines, name+": "+f.Hint)
		}
	}
	if format == "csv" {
		return t.CSV(w)
	}
	first := "Model and reality agree."
	if c.First != "" {
		first = "They part first at " + c.First + "."
	}
	lines = append([]string{first}, lines...)
	for _, x := range c.Warnings {
		lines = append(lines, "warning: "+x)
	}
	return printParts(w, format, []*table.Table{t}, lines)
}
