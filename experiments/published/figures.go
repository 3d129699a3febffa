package published

import (
	"bytes"
	"fmt"
	"strconv"

	"applysim/experiments/scenarios"
	"applysim/model/cost"
	"applysim/model/publisher"
)

// Figure is a published figure beside the simulated one.
type Figure struct {
	Source    string    `json:"source"`
	Scenario  string    `json:"scenario"`
	Figure    string    `json:"figure"`
	Published float64   `json:"published"` // the middle, where the source gives a range
	Simulated *float64  `json:"simulated"` // null where the model says nothing
	Unit      string    `json:"unit"`
	Kind      cost.Kind `json:"kind"`
	// Note says what the figure hangs on.
	Note string `json:"note,omitempty"`
}

// Error is the relative error; ok is false if there is none.
func (f *Figure) Error() (e float64, ok bool) {
	if f.Simulated == nil || f.Published == 0 {
		return 0, false
	}
	return *f.Simulated/f.Published - 1, true
}

// The FULL experiment of the source: so many rows, of which the last were updated.
const (
	fullRows    = 50_000
	fullUpdates = 2_000
)

// publishedRunnable is how many processes want a core while the load runs: the clients
// and their backends, the walsender, the apply worker, and both servers' WAL writers,
// which are busy since commits are asynchronous. All that is assumed.
const publishedRunnable = 2*Clients + 4

// Simulation is everything about CPU that the figures need.
type Simulation struct {
	Profile *cost.Profile
	Text    *RunCost // with the primary key
	Binary  *RunCost
	Four    *RunCost // with four indexes more
	FullSeq *RunCost // REPLICA IDENTITY FULL without an index
	FullIdx *RunCost // and with one
}

// RunCost is what a run costs on both sides.
type RunCost struct {
	Rows    int
	WAL     int64
	CPU     *cost.CPU
	Sender  float64 // seconds of the walsender
	Reader  float64 // and of a reader that is no apply worker
	Passed  int64   // row versions that lookups went over
	Usage   *cost.Usage
	Sent    *cost.Usage
	Bytes   float64
	Commits float64
}

// price fills in the seconds.
func (r *RunCost) price(p *cost.Profile, m, sender *cost.Model) {
	r.CPU = p.Apply(m, r.Usage)
	for _, i := range r.Usage.Items() {
		if i.Term == "scan a row version" {
			r.Passed += int64(i.Quantity)
		}
	}
	for _, i := range r.Sent.Items() {
		switch i.Term {
		case publisher.TermByte:
			r.Bytes = i.Quantity
		case publisher.TermTransaction:
			r.Commits = i.Quantity
		}
	}
	if q := p.Publisher; q != nil {
		r.Sender = float64(sender.Instructions(r.Sent)/1000*q.Sender.Value*1e-9) + float64(r.Commits*q.Transaction.Value*1e-6) + float64(r.Bytes*q.Send.Value*1e-9)
	}
}

// Simulate does the runs of the source that CPU is published of.
func Simulate(o Options, p *cost.Profile) (*Simulation, error) {
	n, err := overlapping()
	if err != nil {
		return nil, err
	}
	list := []run{{0, n, false}, {0, n, true}, {len(fourNames), n, false}}
	outcomes, err := doAll(list, o)
	if err != nil {
		return nil, err
	}
	s := &Simulation{Profile: p}
	for i, into := range []**RunCost{&s.Text, &s.Binary, &s.Four} {
		c := outcomes[list[i]]
		*into = &RunCost{Rows: o.Rows, WAL: c.total, Usage: c.usage, Sent: c.sent}
	}
	for i, into := range []**RunCost{&s.FullSeq, &s.FullIdx} {
		d, err := scenarios.Full(fullRows, fullUpdates, i == 1).Do()
		if err != nil {
			return nil, err
		}
		*into = &RunCost{Rows: fullUpdates, WAL: d.Worker.Log().Total().Bytes - d.Before.Bytes, Usage: d.Usage, Sent: d.SentUsage}
	}
	if p == nil {
		return s, nil
	}
	model, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	sender, err := publisher.Model()
	if err != nil {
		return nil, err
	}
	for _, r := range []*RunCost{s.Text, s.Binary, s.Four, s.FullSeq, s.FullIdx} {
		r.price(p, model, sender)
	}
	return s, nil
}

// fourNames are the columns of the four indexes.
var fourNames = []string{"updated_at", "account_id", "account_id, status", "status, updated_at"}

// Figures puts every figure of the source beside the simulated one. text is a file like
// figures.csv, nil for the one that comes with the program: nothing that is
// simulated depends on it.
func (s *Simulation) Figures(text []byte, rowsWanted int) ([]Figure, error) {
	name := "the file of published figures"
	if text == nil {
		text, name = []byte(figuresCSV), "figures.csv"
	}
	list, err := rows(name, string(bytes.TrimSpace(text)))
	if err != nil {
		return nil, err
	}
	var figures []Figure
	for i, row := range list {
		if row["source"] != source {
			continue
		}
		low, err1 := strconv.ParseFloat(row["low"], 64)
		high, err2 := strconv.ParseFloat(row["high"], 64)
		if err1 != nil || err2 != nil {
			return nil, fmt.Errorf("%s: figure %d (%s %s): low %q and high %q, expected numbers", name, i+1, row["scenario"], row["figure"], row["low"], row["high"])
		}
		f := Figure{Source: row["source"], Scenario: row["scenario"], Figure: row["figure"], Published: (low + high) / 2, Unit: row["unit"]}
		s.simulate(&f, float64(rowsWanted)/publishedRows)
		figures = append(figures, f)
	}
	if len(figures) == 0 {
		return nil, fmt.Errorf("%s: no figures of the source %s", name, source)
	}
	decoding, err := Decoding(name, list)
	if err != nil {
		return nil, err
	}
	synchronous, err := Synchronous(name, list)
	return append(append(figures, decoding...), synchronous...), err
}

// publishedRows is the number of rows of the published runs.
const publishedRows = 500_000

// simulate fills in the simulated value of a figure and its kind. part is the part of
// the published rows that was simulated: times are scaled to all of them, WAL is not,
// for it does not grow evenly.
func (s *Simulation) simulate(f *Figure, part float64) {
	set := func(v float64, k cost.Kind, note string) {
		f.Simulated, f.Kind, f.Note = &v, k, note
	}
	// What a profile has solved is solved in the figure that it was solved for.
	solved := func(k cost.Kind, rates ...cost.Rate) cost.Kind {
		for _, r := range rates {
			if r.Kind == cost.Solved {
				return cost.Solved
			}
		}
		return k
	}
	p := s.Profile
	runs := map[string]*RunCost{"logical_text": s.Text, "logical_binary": s.Binary, "text_four_indexes": s.Four}
	r := runs[f.Scenario]
	if f.Figure == "subscriber_wal" && r != nil {
		k := cost.Predicted
		if r == s.Four {
			k = cost.Solved
		}
		if part == 1 {
			set(float64(r.WAL), k, "")
		} else {
			set(float64(r.WAL)/part, k, "scaled from fewer rows")
		}
		return
	}
	q := p.Publisher
	switch {
	case r != nil && f.Figure == "subscriber_cpu":
		k := cost.Predicted
		if r != s.Binary {
			k = solved(k, p.Rates[0])
		}
		set(float64(r.CPU.Seconds/part), k, "")
	case q == nil:
		f.Kind = cost.Assumed
		f.Note = "the profile does not price this"
	case f.Scenario == "baseline" && f.Figure == "publisher_cpu":
		set(s.backends(part), solved(cost.Predicted, q.Backend), "")
	case f.Scenario == "baseline" && f.Figure == "drain":
		set(0, cost.Assumed, "nothing follows the load")
	case f.Scenario == "decode_only" && (f.Figure == "publisher_cpu" || f.Figure == "drain"):
		s.decodeOnly(f, part, set)
	case r != nil && f.Figure == "publisher_cpu":
		note := ""
		if r == s.Four {
			note = "shown, not judged: the source says that contention for the cores lowers it"
		}
		set(s.backends(part)+float64(r.Sender/part), cost.Predicted, note)
	case r != nil && f.Figure == "total_cpu":
		k := cost.Predicted
		if r != s.Binary {
			k = solved(k, p.Rates[0])
		}
		note := ""
		if r == s.Four {
			note = "shown, not judged: the source says that contention for the cores lowers it"
		}
		set(s.backends(part)+float64(r.Sender/part)+float64(r.CPU.Seconds/part), k, note)
	case r != nil && f.Figure == "drain":
		set(s.drain(r, true, part), cost.Predicted, "cores and processes that share them are assumed")
	default:
		s.full(f, set, solved)
	}
}

// full fills in the figures of the FULL experiment.
func (s *Simulation) full(f *Figure, set func(float64, cost.Kind, string), solved func(cost.Kind, ...cost.Rate) cost.Kind) {
	q := s.Profile.Publisher
	// The sender's work precedes and overlaps; then it takes a while until it is
	// noticed that all is applied.
	time := func(r *RunCost) float64 { return max(r.CPU.Seconds, r.Sender) + float64(q.Latency.Value*1e-3) }
	scan := s.Profile.Rates[int(cost.Scan)]
	switch f.Scenario + " " + f.Figure {
	case "full_no_index_run_a subscriber_cpu", "full_no_index_run_b subscriber_cpu":
		set(s.FullSeq.CPU.Seconds, solved(cost.Predicted, scan), "")
	case "full_index_run_a subscriber_cpu", "full_index_run_b subscriber_cpu":
		set(s.FullIdx.CPU.Seconds, cost.Predicted, "the source's clock counts in 0.01 s")
	case "full_no_index_run_a apply_time", "full_no_index_run_b apply_time":
		set(time(s.FullSeq), solved(cost.Predicted, scan, q.Latency), "")
	case "full_index_run_a apply_time", "full_index_run_b apply_time":
		set(time(s.FullIdx), solved(cost.Predicted, q.Latency), "")
	case "full_midpoint apply_time_ratio":
		set(time(s.FullSeq)/time(s.FullIdx), solved(cost.Predicted, scan, q.Latency), "")
	default:
		f.Kind = cost.Assumed
		f.Note = "not simulated"
	}
}

// backends is the CPU of the backends that insert the rows, without a consumer.
func (s *Simulation) backends(part float64) float64 {
	return float64(float64(s.Text.Rows) / part * s.Profile.Publisher.Backend.Value * 1e-6)
}

// drain is how long the stages go on after the load, which runs as long as the
// backends' CPU over the number of them that ran at a time says.
func (s *Simulation) drain(r *RunCost, worker bool, part float64) float64 {
	x, err := Overlap()
	if err != nil || x <= 0 {
		return 0
	}
	pipe := publisher.Pipeline{
		Load: s.backends(part) / x, Sender: r.Sender / part,
		Cores: int(s.Profile.Publisher.Cores.Value), Runnable: publishedRunnable,
	}
	pipe.Worker = r.Reader / part
	if worker {
		pipe.Worker = r.CPU.Seconds / part
	}
	d, err := pipe.Drain()
	if err != nil {
		return 0
	}
	return d
}
