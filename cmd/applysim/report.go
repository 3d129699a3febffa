package main

import (
	"fmt"
	"io"

	"github.com/spf13/pflag"
)

// reportSamples is how many points the charts over time have.
const reportSamples = 60

// addReport adds --report.
func addReport(f *pflag.FlagSet, into *string) {
	f.StringVar(into, "report", "", "write a page for people to `FILE.html`, too: tables, charts and assumptions, in one\nfile that needs no network")
}

// writeReport writes the page, if one is asked for.
func writeReport(name string, page func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := createResult(name)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	defer file.abandon()
	if err := page(file); err != nil {
		return err
	}
	return file.commit()
}
