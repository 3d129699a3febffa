package main

import (
	"fmt"
	"io/fs"
	"strings"

	"applysim/experiments/recorded"
	"applysim/experiments/timeline"
	"applysim/model/cost"
)

// verify replays recorded cases and compares them.
func verify(env environment, args []string) error {
	f := newFlags("verify")
	format := formatFlag(f, "text", "json")
	grids := f.String("instructions", "", "compare instructions instead: `DIR` has grids of workloads (grid.json,\nstreams) and what a real worker took for them (measured.json)")
	helped, err := parse(env, f, args, help{
		usage: "applysim verify [PATH...] [FLAGS]",
		text: `
Replays cases that were recorded on a real subscriber and compares every WAL
record, the LSNs, line pointers, index items and counters; and cases recorded on a
publisher, of whose own writes every WAL record and the LSNs are compared. A PATH is a case's
folder or a folder of such; without one the cases built into the program are
replayed. A case is exact, differs (with the first difference) or is
unsupported (it needs what is not modelled yet). What cannot be exact is named
("exact except 12 records: ..."). Folders with a run.toml are runs of a real
publisher and subscriber that were sampled in time: lag, catch-up and what slots keep
are simulated and must be within 15 % of what was measured. With --instructions grids of
workloads are replayed and the instructions that the cost model predicts
printed beside those that were counted on a real server. Exit code 0 only if all cases are
exact, named exceptions aside, and all runs within the bound.`,
		example: `  $ applysim verify recordings/insert_pk_text
  insert_pk_text exact
  1 case: 1 exact
`,
	})
	if helped || err != nil {
		return err
	}
	if err := checkFormat(f, *format, "text", "json"); err != nil {
		return err
	}
	if *grids != "" {
		if f.NArg() > 0 {
			return hint(f, "unexpected argument %q beside --instructions", f.Arg(0))
		}
		return verifyInstructions(env, *grids, *format)
	}

	cases, runs, err := verifySources(f.Args())
	if err != nil {
		return err
	}
	v := &verified{results: []*recorded.Result{}, runs: []*timeline.Result{}}
	broken := 0
	show := func(line string, err error) {
		switch {
		case err != nil: // the others are still worth a look
			fmt.Fprintf(env.stderr, "applysim: %v\n", err)
			broken++
		case *format == "text":
			fmt.Fprintln(env.stdout, line)
			env.stdout.Flush() // a long list shows how far it is
		}
	}
	for _, s := range cases {
		r, err := recorded.Verify(s.fsys, s.dir)
		if err != nil {
			show("", err)
			continue
		}
		v.results = append(v.results, r)
		show(r.Line(), nil)
	}
	if len(runs) > 0 {
		profile, err := cost.BuiltinProfile(cost.DefaultProfile)
		if err != nil {
			return err
		}
		for _, s := range runs {
			r, err := timeline.Verify(s.fsys, s.dir, profile)
			if err != nil {
				show("", err)
				continue
			}
			v.runs = append(v.runs, r)
			show(r.Line(), nil)
		}
	}
	if err := v.print(env, *format); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d cases could not be read", broken, len(cases)+len(runs))
	}
	for _, r := range v.results {
		if r.Outcome != recorded.Exact && r.Outcome != recorded.ExactExcept {
			return errNo
		}
	}
	for _, r := range v.runs {
		if r.Outcome == timeline.Differs {
			return errNo
		}
	}
	return nil
}

// source is where a case or a run is.
type source struct {
	fsys fs.FS
	dir  string
}

// verifySources lists the cases and the runs in time of the paths, of the program itself if
// there are none.
func verifySources(paths []string) (cases, runs []source, err error) {
	find := func(fsys fs.FS, path string, in func(fs.FS, string) ([]string, error), to *[]source) error {
		dirs, err := in(fsys, path)
		for _, d := range dirs {
			*to = append(*to, source{fsys, d})
		}
		return err
	}
	if len(paths) == 0 {
		if err := find(recorded.Builtin(), ".", recorded.Find, &cases); err != nil {
			return nil, nil, err
		}
		return cases, runs, find(timeline.Builtin(), ".", timeline.Find, &runs)
	}
	for _, p := range paths {
		before := len(cases) + len(runs)
		if err := find(hostFS{}, p, recorded.Find, &cases); err != nil {
			return nil, nil, err
		}
		if err := find(hostFS{}, p, timeline.Find, &runs); err != nil {
			return nil, nil, err
		}
		if len(cases)+len(runs) == before {
			return nil, nil, fmt.Errorf("%s: no case there: expected a folder with a case.json or a run.toml, or such folders in it", p)
		}
	}
	return cases, runs, nil
}

// verified is what came of all.
type verified struct {
	results []*recorded.Result
	runs    []*timeline.Result
}

func (v *verified) print(env environment, format string) error {
	counts := map[string]int{}
	for _, r := range v.results {
		counts[r.Outcome]++
	}
	within := 0
	for _, r := range v.runs {
		if r.Outcome == timeline.Within {
			within++
		}
		if r.Outcome == timeline.Differs {
			counts["runs differ"]++
		}
	}
	if format == "json" {
		type summary struct {
			Cases       int `json:"cases"`
			Exact       int `json:"exact"`
			ExactExcept int `json:"exact_except"`
			Differ      int `json:"differ"`
			Unsupported int `json:"unsupported"`
			Runs        int `json:"runs"`
			RunsWithin  int `json:"runs_within"`
			RunsDiffer  int `json:"runs_differ"`
		}
		return printJSON(env.stdout, struct {
			SchemaVersion int                `json:"schema_version"`
			Cases         []*recorded.Result `json:"cases"`
			Runs          []*timeline.Result `json:"runs"`
			Summary       summary            `json:"summary"`
		}{1, v.results, v.runs, summary{
			len(v.results), counts[recorded.Exact], counts[recorded.ExactExcept], counts[recorded.Differs], counts[recorded.Unsupported],
			len(v.runs), within, counts["runs differ"],
		}})
	}
	if len(v.runs) > 0 {
		line := fmt.Sprintf("%s in time: %d within %g %%, %d differ", count(int64(len(v.runs)), "run"), within, 100*timeline.Tolerance, counts["runs differ"])
		if n := len(v.runs) - within - counts["runs differ"]; n > 0 {
			line += fmt.Sprintf(", %d calibrates them", n)
		}
		defer fmt.Fprintln(env.stdout, line)
		if len(v.results) == 0 {
			return nil
		}
	}
	parts := []string{fmt.Sprintf("%d exact", counts[recorded.Exact])}
	if n := counts[recorded.ExactExcept]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d exact with exceptions", n))
	}
	if n := counts[recorded.Differs]; n == 1 {
		parts = append(parts, "1 differs")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d differ", n))
	}
	if n := counts[recorded.Unsupported]; n > 0 {
		parts = append(parts, fmt.Sprintf("%d unsupported", n))
	}
	_, err := fmt.Fprintf(env.stdout, "%s: %s\n", count(int64(len(v.results)), "case"), strings.Join(parts, ", "))
	return err
}
