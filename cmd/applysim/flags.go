package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// help is what --help shows of a command around its flags.
type help struct {
	usage   string // the command line
	text    string // what it does
	example string
}

// newFlags returns the flag set of a command.
func newFlags(name string) *pflag.FlagSet {
	f := pflag.NewFlagSet(name, pflag.ContinueOnError)
	f.SortFlags = false
	f.Usage = func() {}
	f.SetOutput(io.Discard)
	return f
}

// parse reads the arguments. It says whether help was asked for and given.
func parse(env environment, f *pflag.FlagSet, args []string, h help) (helped bool, err error) {
	err = f.Parse(args)
	if errors.Is(err, pflag.ErrHelp) {
		fmt.Fprintf(env.stdout, "%s\n\nUsage:\n  %s\n\nFlags:\n%s\nExample:\n%s",
			strings.TrimSpace(h.text), h.usage, flagUsages(f), h.example)
		return true, nil
	}
	if err != nil {
		return false, hint(f, "%v", err)
	}
	return false, nil
}

// flagUsages lists the flags, their defaults and --help.
func flagUsages(f *pflag.FlagSet) string {
	var names, texts []string
	f.VisitAll(func(g *pflag.Flag) {
		kind, text := pflag.UnquoteUsage(g)
		name := "--" + g.Name
		if g.Value.Type() != "bool" {
			name += " " + kind
		}
		if g.DefValue != "" && g.DefValue != "[]" && g.DefValue != "false" {
			text += " (default " + g.DefValue + ")"
		}
		names, texts = append(names, name), append(texts, text)
	})
	names, texts = append(names, "--help"), append(texts, "show this text")
	width := 0
	for _, name := range names {
		width = max(width, len(name))
	}
	var b strings.Builder
	for i, name := range names {
		text := strings.ReplaceAll(texts[i], "\n", "\n"+strings.Repeat(" ", width+4))
		fmt.Fprintf(&b, "  %-*s  %s\n", width, name, text)
	}
	return b.String()
}

// hint is an error about a command's arguments, with the way to its help.
func hint(f *pflag.FlagSet, format string, args ...any) error {
	return fmt.Errorf("%s: %s (see applysim %s --help)", f.Name(), fmt.Sprintf(format, args...), f.Name())
}

// formatFlag adds --format.
func formatFlag(f *pflag.FlagSet, formats ...string) *string {
	return f.String("format", formats[0], "output `FORMAT`: "+strings.Join(formats, ", "))
}

func checkFormat(f *pflag.FlagSet, format string, formats ...string) error {
	if !slices.Contains(formats, format) {
		return hint(f, "unknown format %q: expected one of %s", format, strings.Join(formats, ", "))
	}
	return nil
}

// printJSON writes one JSON document.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// maxSample is how many changes are simulated row by row at most where a part stands for the
// whole: a minute's work.
const maxSample = 20_000_000

// checkSample says what is wrong with --sample.
func checkSample(f *pflag.FlagSet, n int64) error {
	if n < 1 || n > maxSample {
		return hint(f, "--sample %d: expected a number from 1 to %d", n, maxSample)
	}
	return nil
}
