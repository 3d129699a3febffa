package published

import (
	"fmt"
	"strconv"
	"time"

	"applysim/experiments/readers"
	"applysim/model/cost"
)

// The source does not say what reads the slot of its run without a subscriber. Here is what
// each reader would give that is at hand: its prices are measured on another machine
// (package readers), as times what a subscription's walsender takes there.

// ReaderLine is what the run gives if a reader reads the slot.
type ReaderLine struct {
	Reader string `json:"reader"`
	// Publisher is the publisher's CPU in seconds, Error what it is off the published figure.
	Publisher float64 `json:"publisher_cpu_s"`
	Error     float64 `json:"publisher_cpu_error"`
	// During is how many seconds after the load all is read if the reader is there while the
	// load runs; null for functions of SQL, which return. After is the same if it starts then.
	During *float64 `json:"drain_during_s"`
	After  float64  `json:"drain_after_s"`
	// Confirmed is when During ends with the confirmation of the slot's position, reported
	// every second: the middle, half a second before and after which it may come.
	Confirmed *float64 `json:"drain_confirmed_s"`
}

// supposedReader is the reader that the figures of the run are predicted with, reporting
// at the shortest interval that it can.
const (
	supposedReader   = "pg_recvlogical to /dev/null"
	reportInterval   = time.Second
	supposedOptions  = "--status-interval=1 --fsync-interval=1"
	reportIsAnywhere = 0.5 // of an interval, on average
)

// Readers are what readers other than a subscription would give. rowsWanted is how many
// rows were simulated.
func (s *Simulation) Readers(rowsWanted int) ([]ReaderLine, error) {
	return s.readers(float64(rowsWanted) / publishedRows)
}

func (s *Simulation) readers(part float64) ([]ReaderLine, error) {
	base, err := cost.BuiltinProfile(cost.DefaultProfile)
	if err != nil {
		return nil, err
	}
	costs, err := readers.Costs()
	if err != nil {
		return nil, err
	}
	published, err := figureValue("decode_only", "publisher_cpu")
	if err != nil {
		return nil, err
	}
	// How fast the machine is beside the one that readers were measured on.
	speed := s.Profile.Rates[int(cost.Executor)].Value / base.Rates[int(cost.Executor)].Value
	var lines []ReaderLine
	subscription := costs[readers.All[0].Name]
	for _, r := range readers.All[1:] {
		c := costs[r.Name]
		run := *s.Text
		run.Sender *= c.Decoding / subscription.Decoding
		sender, reader := run.Sender/part, float64(c.Reading*speed)
		l := ReaderLine{Reader: r.Name, Publisher: s.backends(part) + sender}
		l.Error = l.Publisher/published - 1
		if r.SQL != "" {
			l.After = sender + reader // one after the other
		} else {
			run.Reader = reader * part
			during := s.drain(&run, false, part)
			l.During, l.After = &during, max(sender, reader)
			confirmed := during + readers.Confirmed(reportInterval).Seconds() - float64(reportIsAnywhere*reportInterval.Seconds())
			l.Confirmed = &confirmed
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// supposed is the line of the reader that the figures are predicted with.
func (s *Simulation) supposed(part float64) (*ReaderLine, error) {
	lines, err := s.readers(part)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		if lines[i].Reader == supposedReader {
			return &lines[i], nil
		}
	}
	return nil, fmt.Errorf("reader %q is not among those that were measured", supposedReader)
}

// decodeOnly fills in the figures of the run without a subscriber.
func (s *Simulation) decodeOnly(f *Figure, part float64, set func(float64, cost.Kind, string)) {
	l, err := s.supposed(part)
	switch {
	case err != nil:
		f.Kind, f.Note = cost.Assumed, err.Error()
	case f.Figure == "publisher_cpu":
		set(l.Publisher, cost.Predicted, "consistent if pg_recvlogical reads the slot")
	default:
		set(*l.Confirmed, cost.Predicted, fmt.Sprintf("consistent if pg_recvlogical reads it (%s) and drain ends with confirmed_flush_lsn: all is read after %.3f s, and confirmed one to two later", supposedOptions, *l.During))
	}
}

// DrainRange is the range of a scenario's drain in the published runs, widened by a tenth.
func DrainRange(scenario string) (low, high float64, err error) {
	list, err := rows("runs.csv", runsCSV)
	if err != nil {
		return 0, 0, err
	}
	for _, row := range list {
		if row["scenario"] != scenario {
			continue
		}
		v, err := strconv.ParseFloat(row["drain_s"], 64)
		if err != nil {
			return 0, 0, fmt.Errorf("runs.csv: %w", err)
		}
		if high == 0 {
			low = v
		}
		low, high = min(low, v), max(high, v)
	}
	return 0.9 * low, 1.1 * high, nil
}
