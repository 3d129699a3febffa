package main

import (
	"fmt"
	"io"
	"time"

	"applysim/experiments/table"
	"applysim/model/guc"
	"applysim/model/pipeline"
	"applysim/model/scenario"
)

var slotsHelp = help{
	usage: "applysim slots SCENARIO.toml [FLAGS]",
	text: `
What the replication slots of a scenario's publisher keep while it runs: each
slot's restart_lsn and confirmed_flush_lsn, the WAL kept for it, wal_status and
safe_wal_size as pg_replication_slots shows them, the size of pg_wal, when a slot
is lost or the disk is full, and from how much WAL on somebody should be told.
Slots are those of the subscriptions and of [[slot]] sections. Exit code 1 when a
slot is lost or the disk is full.`,
	example: `  $ cat slot.toml
  schema   = "orders.sql"
  duration = "24h"

  [publisher]
  disk      = "60GB"             # of the file system with pg_wal
  disk_used = "20GB"             # by other files

  [publisher.settings]
  max_slot_wal_keep_size = "20GB"

  [[slot]]
  name  = "old_cdc"
  reads = "nothing"              # or a rate, such as "10MB" a second

  [[operation]]
  table = "orders"
  do    = "insert"
  rate  = 300
  $ applysim slots slot.toml --react 2h
`,
}

// runSlots says what slots keep.
func runSlots(env environment, args []string) error {
	f := newFlags("slots")
	var o pipelineOptions
	format := o.addFlags(f)
	react := f.String("react", "1h", "`TIME` that people need between an alert and a remedy")
	if helped, err := parse(env, f, args, slotsHelp); helped || err != nil {
		return err
	}
	o.format = *format
	wait, err := parsePeriod(*react)
	if err != nil {
		return hint(f, "--react %s: %v", *react, err)
	}
	r, s, err := o.work(f)
	if err != nil {
		return err
	}
	keep := pipeline.Keep(r, s, wait.Seconds())
	if err := printSlots(env.stdout, o.format, keep, s); err != nil {
		return err
	}
	if keep.Bad() {
		return errNo
	}
	return nil
}

// parsePeriod reads a time: in one of PostgreSQL's units, or in several as in 1h30m.
func parsePeriod(text string) (time.Duration, error) {
	d, err := guc.ParseDuration(text)
	if several, failed := time.ParseDuration(text); err != nil && failed == nil {
		d, err = several, nil
	}
	if err == nil && d <= 0 {
		err = fmt.Errorf("expected more than 0")
	}
	return d, err
}

// printSlots prints what slots keep.
func printSlots(w io.Writer, format string, k *pipeline.Kept, s *scenario.Scenario) error {
	if format == "json" {
		return printJSON(w, k)
	}
	t := &table.Table{Columns: []table.Column{
		{Name: "time", CSV: "t_s"}, {Name: "slot"}, {Name: "restart_lsn"}, {Name: "confirmed_flush_lsn"}, {Name: "kept", CSV: "retained_bytes", Right: true},
		{Name: "wal_status"}, {Name: "safe_wal_size", Right: true}, {Name: "age(catalog_xmin)", CSV: "catalog_xmin_age", Right: true}, {Name: "pg_wal", CSV: "pg_wal_bytes", Right: true},
	}}
	for _, m := range k.Moments {
		for i, v := range m.Consumers {
			row := []any{clock(m.T), v.Name, v.Restart, v.Confirmed, amount(float64(v.Retained)), string(v.WALStatus), nil, v.CatalogXminAge, nil}
			if format == "csv" {
				row[0], row[4] = m.T, int64(v.Retained)
			}
			if v.SafeWALSize != nil {
				if row[6] = amount(float64(*v.SafeWALSize)); format == "csv" {
					row[6] = *v.SafeWALSize
				}
			}
			if i == 0 {
				if row[8] = amount(float64(m.WALSize)); format == "csv" {
					row[8] = int64(m.WALSize)
				}
			}
			t.Add(row...)
		}
	}
	if format == "csv" {
		return t.CSV(w)
	}
	var lines []string
	for _, e := range k.Events {
		lines = append(lines, eventLine(e))
	}
	lines = append(lines, "")
	lines = append(lines, k.Advice...)
	for _, a := range k.Assumptions {
		lines = append(lines, "assumed: "+a)
	}
	return printParts(w, format, []*table.Table{t}, lines)
}
