package readers

import (
	_ "embed" // the files
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Reader is a way to read a slot.
type Reader struct {
	Name       string
	Plugin     string
	Subscriber bool     // a subscription's apply worker
	SQL        string   // what psql runs, with SLOT for the slot's name
	File       string   // what pg_recvlogical writes to; "-" is standard output
	Arguments  []string // of the program beside those
}

// Application is the name under which the reader's server process is found.
func (r *Reader) Application() string {
	switch {
	case r.Subscriber:
		return "s"
	case r.SQL != "":
		return "psql"
	}
	return "pg_recvlogical"
}

// pgoutput are the arguments of functions for slots of pgoutput.
const pgoutput = ", null, null, 'proto_version', '4', 'publication_names', 'p')"

// All are the readers, in the order in which they are measured.
var All = []Reader{
	{Name: "subscription", Plugin: "pgoutput", Subscriber: true},
	{Name: "pg_recvlogical to /dev/null", Plugin: "pgoutput", File: "/dev/null"},
	{Name: "pg_recvlogical to a file", Plugin: "pgoutput", File: "out"},
	{Name: "pg_recvlogical to /dev/null, test_decoding", Plugin: "test_decoding", File: "/dev/null"},
	{Name: "pg_recvlogical to a file, test_decoding", Plugin: "test_decoding", File: "out"},
	{Name: "psql, count of pg_logical_slot_get_binary_changes", Plugin: "pgoutput", SQL: "select count(*) from pg_logical_slot_get_binary_changes(SLOT" + pgoutput},
	{Name: "psql, pg_logical_slot_get_binary_changes", Plugin: "pgoutput", SQL: "select * from pg_logical_slot_get_binary_changes(SLOT" + pgoutput, Arguments: []string{"-At"}},
	{Name: "psql, count of pg_logical_slot_get_changes, test_decoding", Plugin: "test_decoding", SQL: "select count(*) from pg_logical_slot_get_changes(SLOT, null, null)"},
	{Name: "psql, pg_logical_slot_get_changes, test_decoding", Plugin: "test_decoding", SQL: "select * from pg_logical_slot_get_changes(SLOT, null, null)", Arguments: []string{"-At"}},
}

// Columns are those of readers.csv.
var Columns = []string{"reader", "rows", "decoding_cpu_s", "decoding_system_s", "decoding_sleeps", "reader_cpu_s", "reader_system_s", "reader_sleeps", "wall_s"}

// ConfirmColumns are those of confirm.csv: the intervals that pg_recvlogical was given, and
// when all was committed, sent and confirmed, from its start.
var ConfirmColumns = []string{"status_interval_s", "fsync_interval_s", "committed_s", "sent_s", "confirmed_s"}

//go:embed readers.csv
var recorded string

//go:embed confirm.csv
var confirmations string

// Cost is what a reader takes for the published load: medians of runs, in seconds of CPU.
type Cost struct {
	Runs     int
	Decoding float64 // of the server's process that decodes
	Reading  float64 // of the process that reads
}

// Costs are what the readers take, by name.
func Costs() (map[string]Cost, error) {
	lines, err := csv.NewReader(strings.NewReader(recorded)).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("readers.csv: %w", err)
	}
	if !slices.Equal(lines[0], Columns) {
		return nil, fmt.Errorf("readers.csv:1: columns %q, expected %q", lines[0], Columns)
	}
	decoding, reading := map[string][]float64{}, map[string][]float64{}
	for i, l := range lines[1:] {
		d, err1 := strconv.ParseFloat(l[2], 64)
		r, err2 := strconv.ParseFloat(l[5], 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("readers.csv:%d: expected seconds", i+2)
		}
		decoding[l[0]], reading[l[0]] = append(decoding[l[0]], d), append(reading[l[0]], r)
	}
	costs := map[string]Cost{}
	for name, list := range decoding {
		costs[name] = Cost{len(list), median(list), median(reading[name])}
	}
	return costs, nil
}

func median(list []float64) float64 {
	s := slices.Clone(list)
	slices.Sort(s)
	n := len(s)
	return (s[(n-1)/2] + s[n/2]) / 2
}

// Confirmed is when pg_recvlogical confirms what it has read some time after its last report,
// from that report. Nothing else comes: then it sleeps until a report is due, but at least a
// second; it aims a millisecond short of the interval, so that it sleeps once more, or, with
// less than a second left, so much longer. Position and flushing are reported together if
// --fsync-interval is as long as --status-interval, which must be a second or more. Source:
// REL_18_1, src/bin/pg_basebackup/pg_recvlogical.c, StreamLogicalLog: where timeout.tv_sec
// becomes 1.
func Confirmed(interval time.Duration) time.Duration { return interval + time.Second }
