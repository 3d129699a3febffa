package main

import (
	"fmt"
	"io/fs"
	"strings"

	"applysim/experiments/recorded"
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
unsupported (it needs what is not modelled yet). With --instructions grids of
workloads are replayed and the instructions that the cost model predicts
printed beside those that were counted on a real server. What cannot be exact is named
("exact except 12 records: ..."). Exit code 0 only if all are exact, named
exceptions aside.`,
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

	sources, err := verifySources(f.Args())
	if err != nil {
		return err
	}
	results := []*recorded.Result{}
	broken := 0
	for _, s := range sources {
		r, err := verifyCase(s)
		if err != nil {
			// The other cases are still worth a look.
			fmt.Fprintf(env.stderr, "applysim: %v\n", err)
			broken++
			continue
		}
		results = append(results, r)
		if *format == "text" {
			fmt.Fprintln(env.stdout, r.Line())
			env.stdout.Flush() // a long list shows how far it is
		}
	}
	if err := printVerified(env, *format, results); err != nil {
		return err
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d cases could not be read", broken, len(sources))
	}
	for _, r := range results {
		if r.Outcome != recorded.Exact && r.Outcome != recorded.ExactExcept {
			return errNo
		}
	}
	return nil
}

// caseSource is where a case is.
type caseSource struct {
	fsys fs.FS
	dir  string
}

// verifySources lists the cases of the paths, of the program itself if there
// are none.
func verifySources(paths []string) ([]caseSource, error) {
	var fsys fs.FS = hostFS{}
	if len(paths) == 0 {
		fsys, paths = recorded.Builtin(), []string{"."}
	}
	var sources []caseSource
	for _, p := range paths {
		dirs, err := recorded.Find(fsys, p)
		if err != nil {
			return nil, err
		}
		if len(dirs) == 0 {
			return nil, fmt.Errorf("%s: no case there: expected a folder with a case.json, or such folders in it", p)
		}
		for _, d := range dirs {
			sources = append(sources, caseSource{fsys, d})
		}
	}
	return sources, nil
}

func verifyCase(s caseSource) (*recorded.Result, error) { return recorded.Verify(s.fsys, s.dir) }

func printVerified(env environment, format string, results []*recorded.Result) error {
	counts := map[string]int{}
	for _, r := range results {
		counts[r.Outcome]++
	}
	if format == "json" {
		type summary struct {
			Cases       int `json:"cases"`
			Exact       int `json:"exact"`
			ExactExcept int `json:"exact_except"`
			Differ      int `json:"differ"`
			Unsupported int `json:"unsupported"`
		}
		return printJSON(env.stdout, struct {
			SchemaVersion int                `json:"schema_version"`
			Cases         []*recorded.Result `json:"cases"`
			Summary       summary            `json:"summary"`
		}{1, results, summary{len(results), counts[recorded.Exact], counts[recorded.ExactExcept], counts[recorded.Differs], counts[recorded.Unsupported]}})
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
	_, err := fmt.Fprintf(env.stdout, "%s: %s\n", count(int64(len(results)), "case"), strings.Join(parts, ", "))
	return err
}
