package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The log is a Markdown file with two tables: runs, and record types with how often
// each was compared. Each run adds a line to the first and its counts to the second;
// what else is in the file stays.
const (
	runsHead  = "| date | commit | PostgreSQL | seeds | cases | records | bytes | differ | unsupported |"
	typesHead = "| record type | records | cases |"
)

// addToLog adds the run to the log.
func (d *differential) addToLog(file string) error {
	text, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	run := fmt.Sprintf("| %s | %s | %s | %s | %d | %d | %d | %d | %d |", d.started.UTC().Format(time.DateOnly), commit(), d.pool.Version,
		d.seedText(), d.cases-d.unsupported, d.records, d.bytes, d.differ, d.unsupported)
	lines = addRow(lines, runsHead, run)
	lines = addCounts(lines, d.types)
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// commit names the source that runs.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "-"
	}
	return strings.TrimSpace(string(out))
}

// seedText says which seeds were used.
func (d *differential) seedText() string {
	var parts []string
	for _, s := range d.seeds {
		parts = append(parts, fmt.Sprint(s))
	}
	if n := d.tried - len(d.seeds); n > 0 {
		parts = append(parts, fmt.Sprintf("%d to %d", d.seed, d.seed+uint64(n)-1))
	}
	return strings.Join(parts, ", ")
}

// table finds a table by its head: the lines of its rows.
func table(lines []string, head string) (from, to int, ok bool) {
	i := slices.Index(lines, head)
	if i < 0 {
		return 0, 0, false
	}
	from = min(i+2, len(lines)) // behind the line of dashes
	for to = from; to < len(lines) && strings.HasPrefix(lines[to], "|"); to++ {
	}
	return from, to, true
}

// newTable adds an empty table at the end.
func newTable(lines []string, head string) []string {
	return append(lines, "", head, "|"+strings.Repeat(" --- |", strings.Count(head, "|")-1))
}

// addRow adds a row to the table with that head.
func addRow(lines []string, head, row string) []string {
	_, to, ok := table(lines, head)
	if !ok {
		return append(newTable(lines, head), row)
	}
	return slices.Insert(lines, to, row)
}

// addCounts adds counts to the table of record types.
func addCounts(lines []string, types map[string]*typeCount) []string {
	from, to, ok := table(lines, typesHead)
	if !ok {
		lines = newTable(lines, typesHead)
		from, to = len(lines), len(lines)
	}
	all := map[string]typeCount{}
	for _, line := range lines[from:to] {
		f := strings.Split(line, "|")
		if len(f) < 5 {
			continue
		}
		records, _ := strconv.ParseInt(strings.TrimSpace(f[2]), 10, 64)
		schemas, _ := strconv.ParseInt(strings.TrimSpace(f[3]), 10, 64)
		all[strings.TrimSpace(f[1])] = typeCount{records, schemas}
	}
	for name, n := range types {
		c := all[name]
		all[name] = typeCount{c.records + n.records, c.schemas + n.schemas}
	}
	var rows []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, fmt.Sprintf("| %s | %d | %d |", name, all[name].records, all[name].schemas))
	}
	return slices.Concat(lines[:from], rows, lines[to:])
}
