package published

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"applysim/experiments/scenarios"
	"applysim/experiments/workload"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
)

// IndexSet is what a plausible set of four indexes gives in place of the chosen one.
type IndexSet struct {
	Indexes string  `json:"indexes"`
	WAL     int64   `json:"subscriber_wal"`
	CPU     float64 `json:"subscriber_cpu"`
}

// otherSets are sets that the source could have had. Names are columns of the table.
var otherSets = [][]string{
	{"account_id", "status", "updated_at", "account_id, updated_at"},
	{"account_id", "status", "updated_at", "status, account_id"},
	{"account_id", "updated_at", "account_id, updated_at", "status, updated_at"},
	{"account_id", "status", "updated_at", "payload"},
}

// IndexSets simulates the four-index run with other sets.
func IndexSets(o Options, p *cost.Profile) ([]IndexSet, error) {
	model, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	n, err := overlapping()
	if err != nil {
		return nil, err
	}
	sets := make([]IndexSet, len(otherSets))
	errs := make([]error, len(otherSets))
	var wg sync.WaitGroup
	slots := make(chan struct{}, o.Parallel)
	for i, columns := range otherSets {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ddl := workload.Schema(0)
			for _, c := range columns {
				ddl += fmt.Sprintf("CREATE INDEX ON events (%s);\n", c)
			}
			c, err := run{clients: n}.on(ddl, o)
			if err != nil {
				errs[i] = err
				return
			}
			sets[i] = IndexSet{"(" + strings.Join(columns, "), (") + ")", c.total, p.Apply(model, c.usage).Seconds * publishedRows / float64(o.Rows)}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return sets, nil
}

// HOTLine is a line of the HOT experiment.
type HOTLine struct {
	Indexes    string  `json:"indexes"`
	Rows       int     `json:"rows"`
	Updates    int     `json:"updates"`
	Fillfactor int     `json:"fillfactor"`
	HOTShare   float64 `json:"hot_share"`
	WAL        float64 `json:"wal_bytes_a_change"`
	CPU        float64 `json:"cpu_us_a_change"`
	// Measured are a real subscription's, 0 where there is none.
	MeasuredWAL float64 `json:"measured_wal_bytes_a_change,omitempty"`
	MeasuredCPU float64 `json:"measured_cpu_us_a_change,omitempty"`
}

// hotFillfactors are those of the experiment.
var hotFillfactors = []int{100, 90, 70}

// hotPart is the part of the published table's rows that are updated on average.
const hotPart = 5

// HOT does the experiment with updates of status on the published table, by set of
// indexes and fillfactor, and then as it was measured on a real subscription. p must
// be the profile of the machine of that.
func HOT(o Options, p *cost.Profile) ([]HOTLine, error) {
	model, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	runs, err := scenarios.RecordedRuns()
	if err != nil {
		return nil, err
	}
	var lines []HOTLine
	var sets []int
	for set := range scenarios.HOTSets {
		for _, fillfactor := range hotFillfactors {
			lines = append(lines, HOTLine{Rows: o.Rows, Updates: max(o.Rows/hotPart, 1), Fillfactor: fillfactor})
			sets = append(sets, set)
		}
	}
	for set := range scenarios.HOTSets {
		l := HOTLine{Rows: scenarios.MeasuredRows, Updates: scenarios.MeasuredUpdates, Fillfactor: 100}
		for _, r := range runs {
			if r.Scenario.Name == scenarios.HOTSets[set].Measured {
				l.MeasuredCPU = scenarios.Median(r.Apply) * 1e6 / float64(l.Updates)
				l.MeasuredWAL = float64(r.WAL) / float64(l.Updates)
			}
		}
		lines = append(lines, l)
		sets = append(sets, set)
	}
	errs := make([]error, len(lines))
	var wg sync.WaitGroup
	slots := make(chan struct{}, o.Parallel)
	for i := range lines {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			l := &lines[i]
			d, err := scenarios.HOT(sets[i], l.Fillfactor, l.Rows, l.Updates).Do()
			if err != nil {
				errs[i] = err
				return
			}
			c := d.Worker.Tables()[0].Heap.Counters
			n := float64(l.Updates)
			l.Indexes, l.HOTShare = scenarios.HOTSets[sets[i]].Name, float64(c.HOTUpdates)/float64(c.Updates)
			l.WAL, l.CPU = float64(d.Worker.Log().Total().Bytes-d.Before.Bytes)/n, p.Apply(model, d.Usage).Seconds*1e6/n
		})
	}
	wg.Wait()
	return lines, errors.Join(errs...)
}

// on does the run on a subscriber with other DDL.
func (r run) on(ddl string, o Options) (*outcome, error) {
	w := r.workload(o)
	g, err := workload.NewGenerator(w)
	if err != nil {
		return nil, err
	}
	db, err := schema.Read(strings.NewReader(ddl), "events.sql")
	if err != nil {
		return nil, err
	}
	s := guc.Defaults()
	s.WALLevel = "logical"
	s.FullPageWrites = false // as in the published runs
	worker, err := apply.New(db, apply.Options{Settings: s, NextXID: w.FirstXid})
	if err != nil {
		return nil, err
	}
	sent, err := applyCounting(worker, g)
	if err != nil {
		return nil, fmt.Errorf("the generated workload: %w", err)
	}
	out := parts(worker.Log())
	out.usage, out.sent = cost.Measure(worker), sent
	return out, nil
}

// Conclusions are what the simulated figures support, in words.
func (s *Simulation) Conclusions(o Options) []string {
	n := float64(o.Rows)
	us := func(r *RunCost) float64 { return r.CPU.Seconds * 1e6 / n }
	indexes := float64(len(fourNames))
	lines := []string{
		fmt.Sprintf("An index more costs the apply worker %.2f µs and %.0f bytes of WAL a row (mean of four): %.0f %% more CPU and %.0f %% more WAL than the primary key alone.",
			(us(s.Four)-us(s.Text))/indexes, float64(s.Four.WAL-s.Text.WAL)/indexes/n,
			100*(us(s.Four)/us(s.Text)-1)/indexes, 100*(float64(s.Four.WAL)/float64(s.Text.WAL)-1)/indexes),
		fmt.Sprintf("Binary format saves %.0f %% of the apply worker's CPU, %.2f µs a row.", 100*(1-us(s.Binary)/us(s.Text)), us(s.Text)-us(s.Binary)),
		fmt.Sprintf("REPLICA IDENTITY FULL without an index goes over %d row versions for %d updates of %d rows (%d each) and takes %.0f times the CPU of the same with an index.",
			s.FullSeq.Passed, fullUpdates, fullRows, s.FullSeq.Passed/fullUpdates, s.FullSeq.CPU.Seconds/s.FullIdx.CPU.Seconds),
	}
	return lines
}

// HOTConclusion is what the HOT experiment shows, in words.
func HOTConclusion(lines []HOTLine) string {
	find := func(set, fillfactor int) HOTLine {
		for _, l := range lines {
			if l.Indexes == scenarios.HOTSets[set].Name && l.Fillfactor == fillfactor {
				return l
			}
		}
		return HOTLine{}
	}
	hot, other, on := find(0, 100), find(1, 100), find(2, 100)
	room := find(1, hotFillfactors[len(hotFillfactors)-1])
	return fmt.Sprintf("Four indexes on other columns leave updates HOT (%.0f %%, %.0f bytes of WAL a change; %.0f %% and %.0f at fillfactor %d); with the updated column in two of the four %.0f %% are: %.1f times the WAL and %.1f times the CPU of the table without them.",
		100*other.HOTShare, other.WAL, 100*room.HOTShare, room.WAL, room.Fillfactor, 100*on.HOTShare, on.WAL/hot.WAL, on.CPU/hot.CPU)
}
