package monitor

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/wal"
)

// CompareOptions say how model and reality are compared.
type CompareOptions struct {
	// At is when in the run the first sample was taken, seconds; below 0 for the middle.
	At float64
	// Within is the relative error, or the difference of two shares, that counts as agreeing.
	Within float64
	// File is the samples' name.
	File string
}

// Verdicts of a figure.
const (
	Agrees  = "agrees"
	Parts   = "parts"
	Unknown = "unknown" // one of them does not know it
)

// Figure is a figure of both.
type Figure struct {
	Subscription string   `json:"subscription,omitempty"`
	Name         string   `json:"name"`
	Unit         string   `json:"unit"`
	Observed     *float64 `json:"observed"`
	Model        *float64 `json:"model"`
	Error        *float64 `json:"error"` // relative; null where the model's is 0
	Verdict      string   `json:"verdict"`
	// Hint is what to look at where it parts.
	Hint string `json:"hint,omitempty"`
}

// Comparison is what comes of it.
type Comparison struct {
	SchemaVersion int      `json:"schema_version"`
	Scenario      string   `json:"scenario"`
	FromS         float64  `json:"from_s"` // of the run
	ToS           float64  `json:"to_s"`
	Within        float64  `json:"within"`
	Servers       []Server `json:"servers"`
	Figures       []Figure `json:"figures"`
	First         string   `json:"first_that_parts,omitempty"`
	Warnings      []string `json:"warnings"`
}

// Server is one that was sampled.
type Server struct {
	Role     string  `json:"role"`
	Version  int     `json:"server_version_num"`
	Database string  `json:"database"`
	WindowS  float64 `json:"window_s"`
}

// comparer is a comparison on its way.
type comparer struct {
	*Comparison
	s      *scenario.Scenario
	costs  *pipeline.Costs
	o      *CompareOptions
	before *Moment // of the model
	after  *Moment
	window float64 // of the model
}

// Compare puts samples beside a scenario whose costs are known.
func Compare(s *scenario.Scenario, costs *pipeline.Costs, samples []*Sample, o CompareOptions) (*Comparison, error) {
	if !(o.Within > 0) {
		return nil, fmt.Errorf("monitor: within %v, expected more than 0", o.Within)
	}
	pairs, err := Pairs(samples, o.File)
	if err != nil {
		return nil, err
	}
	c := &comparer{Comparison: &Comparison{SchemaVersion: 1, Scenario: s.File, Within: o.Within, Figures: []Figure{}, Warnings: []string{}}, s: s, costs: costs, o: &o}
	c.window = 0
	for _, p := range pairs {
		c.window = max(c.window, p.Window())
	}
	duration := s.Duration.Seconds()
	c.window = min(c.window, duration)
	if c.FromS = o.At; o.At < 0 {
		c.FromS = (duration - c.window) / 2
	}
	if c.FromS+c.window > duration {
		return nil, fmt.Errorf("%s: samples %.6g s apart from %.6g s on go beyond the run of %.6g s", o.File, c.window, c.FromS, duration)
	}
	c.ToS = c.FromS + c.window
	moments, err := Watch(s, costs, []float64{c.FromS, c.ToS})
	if err != nil {
		return nil, err
	}
	c.before, c.after = moments[0], moments[1]
	found := 0
	var publisher *Pair
	type side struct {
		pair *Pair
		slot string
	}
	sides := make([]side, len(c.after.Consumers))
	for i := range c.after.Consumers {
		name := c.after.Consumers[i].Name
		p, slot := c.publisherOf(pairs, name)
		sides[i] = side{p, slot}
		if p != nil {
			found++
			publisher = p
		}
	}
	if publisher != nil {
		c.Servers = append(c.Servers, Server{"publisher", publisher.Last.ServerNum, publisher.Last.Database, publisher.Window()})
		c.written(publisher)
	}
	for i, x := range sides {
		if x.pair != nil {
			c.decoded(x.pair, i, x.slot)
		}
	}
	for i := range c.after.Consumers {
		if !c.after.Consumers[i].Subscription {
			continue
		}
		if p, name := c.subscriberOf(pairs, c.after.Consumers[i].Name); p != nil {
			found++
			c.Servers = append(c.Servers, Server{"subscriber", p.Last.ServerNum, p.Last.Database, p.Window()})
			c.applied(p, i, name)
		}
	}
	for i, x := range sides {
		if x.pair != nil {
			c.lag(x.pair, i, x.slot)
		}
	}
	if found == 0 {
		var names []string
		for i := range c.after.Consumers {
			names = append(names, c.after.Consumers[i].Name)
		}
		return nil, fmt.Errorf("%s: no server there has a slot or a subscription of the scenario: expected one called %s", o.File, list(names))
	}
	for _, f := range c.Figures {
		if f.Verdict == Parts {
			if c.First = f.Name; f.Subscription != "" {
				c.First = f.Subscription + ": " + f.Name
			}
			break
		}
	}
	return c.Comparison, nil
}

func list(names []string) string {
	text := ""
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " or "
		case i > 0:
			text += ", "
		}
		text += n
	}
	return text
}

// Part says whether a figure parts.
func (c *Comparison) Part() bool {
	return slices.ContainsFunc(c.Figures, func(f Figure) bool { return f.Verdict == Parts })
}

func (c *comparer) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.Warnings, text) {
		c.Warnings = append(c.Warnings, text)
	}
}

// publisherOf finds the server with a consumer's slot. Where there is one subscription and
// one slot of pgoutput, names need not be the same.
func (c *comparer) publisherOf(pairs []*Pair, name string) (*Pair, string) {
	var only *Pair
	var slot string
	n := 0
	for _, p := range pairs {
		for _, x := range p.Last.Slots {
			if x.Name == name {
				return p, name
			}
			if x.Plugin != nil && *x.Plugin == "pgoutput" {
				only, slot = p, x.Name
				n++
			}
		}
	}
	if n == 1 && len(c.after.Consumers) == 1 {
		c.warn("slot %s is taken for that of subscription %s", slot, name)
		return only, slot
	}
	return nil, ""
}

func (c *comparer) subscriberOf(pairs []*Pair, name string) (*Pair, string) {
	var only *Pair
	var other string
	names := map[string]bool{}
	for _, p := range pairs {
		for _, x := range p.Last.Subscriptions {
			if x.Name == name {
				return p, name
			}
			only, other = p, x.Name
			names[x.Name] = true
		}
	}
	if len(names) == 1 && len(c.after.Consumers) == 1 {
		c.warn("subscription %s is taken for the scenario's %s", other, name)
		return only, other
	}
	return nil, ""
}

// add adds a figure. grain is a difference that counts for nothing; share says that the
// figure is one, so that differences are what counts. NaN stands for not known.
func (c *comparer) add(subscription, name, unit string, observed, model, grain float64, share bool, hint string) {
	f := Figure{Subscription: subscription, Name: name, Unit: unit, Verdict: Unknown}
	if !math.IsNaN(observed) {
		f.Observed = &observed
	}
	if !math.IsNaN(model) {
		f.Model = &model
	}
	if f.Observed != nil && f.Model != nil {
		difference := math.Abs(observed - model)
		f.Verdict = Parts
		if difference <= grain || share && difference <= c.Within || !share && difference <= float64(c.Within*math.Abs(model)) {
			f.Verdict = Agrees
		}
		if model != 0 {
			e := observed/model - 1
			f.Error = &e
		}
		if f.Verdict == Parts {
			f.Hint = hint
		}
	}
	if f.Observed != nil || f.Model != nil {
		c.Figures = append(c.Figures, f)
	}
}

// few is a difference of counts that comes from when a sample is taken.
const few = 2

// The hints.
const (
	hintRate     = "the scenario's rates are not the system's: set rate of the operations on this table"
	hintTable    = "the scenario changes other tables than the system: add an operation, or leave one out"
	hintWAL      = "what a change writes on the publisher: full_page_writes and checkpoints, indexes, replica identity, widths of columns, other databases and VACUUM (other_wal)"
	hintTxns     = "how many changes a transaction has: rows of the operations; transactions of other tables are decoded, too"
	hintBytes    = "widths of columns, replica identity (old rows), tables that are not published"
	hintSpill    = "logical_decoding_work_mem, how large transactions are, streaming of the subscription"
	hintApplied  = "changes that do not come to the subscriber: filters, conflicts, a worker that is behind; or rows that others change there"
	hintSubWAL   = "indexes, fillfactor, full_page_writes and checkpoints of the subscriber; VACUUM and others who write there"
	hintHOT      = "indexes on columns that are updated, fillfactor, long snapshots on the subscriber"
	hintConflict = "rows differ between the servers: the log has each conflict"
	hintLag      = "what the walsender, the network and the worker take: compare CPU and round trip, and what else runs there"
	hintKept     = "long transactions hold restart_lsn back; a worker that is behind does not confirm"
)

// written compares what the publisher's backends do.
func (c *comparer) written(p *Pair) {
	window := p.Window()
	model := map[string]*TableCounters{}
	var names []string
	for i, op := range c.s.Operations {
		n := c.after.Transactions[i] - c.before.Transactions[i]
		for _, step := range append([]scenario.Step{op.Step}, op.Then...) {
			t := model[step.Table]
			if t == nil {
				t = &TableCounters{}
				model[step.Table] = t
				names = append(names, step.Table)
			}
			rows := int64(float64(n * float64(step.Rows)))
			switch step.Do {
			case scenario.Insert:
				t.Inserts += rows
			case scenario.Update:
				t.Updates += rows
			default:
				t.Deletes += rows
			}
		}
	}
	own := changed(p)
	for _, t := range slices.Sorted(maps.Keys(own)) {
		if model[t] == nil && own[t].Inserts+own[t].Updates+own[t].Deletes > 0 {
			names = append(names, t)
		}
	}
	total := 0.0
	for _, t := range own {
		total += float64(t.Inserts + t.Updates + t.Deletes)
	}
	decoded := 0.0
	for _, x := range p.Last.SlotStats {
		decoded += float64(x.TotalTxns - counters(p.First, x.Name).TotalTxns)
	}
	if total == 0 && decoded > 0 {
		c.warn("the publisher's table counters did not move between the samples: a session tells of what it does when it is idle, so procedures that commit themselves are counted late")
		own = nil
	}
	for _, name := range names {
		m, hint := model[name], hintRate
		if m == nil {
			m, hint = &TableCounters{}, hintTable
		}
		x := own[name]
		for _, f := range []struct {
			what string
			of   func(*TableCounters) int64
		}{{"inserts", func(t *TableCounters) int64 { return t.Inserts }}, {"updates", func(t *TableCounters) int64 { return t.Updates }}, {"deletes", func(t *TableCounters) int64 { return t.Deletes }}} {
			seen := math.NaN()
			if own != nil {
				seen = 0
				if x != nil {
					seen = float64(f.of(x)) / window
				}
			}
			if of := float64(f.of(m)) / c.window; of > 0 || seen > 0 {
				c.add("", "publisher: "+f.what+" of "+name, "a second", seen, of, few/window, false, hint)
			}
		}
	}
	bytes := float64(p.Last.Current.LSN - p.First.Current.LSN)
	own2, changes := float64(c.after.Current-c.before.Current), c.after.Changes-c.before.Changes
	if total > 0 {
		c.add("", "publisher: WAL for each change", "bytes", bytes/total, own2/changes, 0, false, hintWAL)
	}
	c.add("", "publisher: WAL a second", "bytes", bytes/window, own2/c.window, 0, false, hintWAL)
}

// changed is what the samples say of tables' changes between them.
func changed(p *Pair) map[string]*TableCounters {
	all := map[string]*TableCounters{}
	for i := range p.Last.Tables {
		t := p.Last.Tables[i]
		name := t.qualified()
		for j := range p.First.Tables {
			if b := &p.First.Tables[j]; b.qualified() == name && b.Inserts <= t.Inserts && b.Updates <= t.Updates && b.Deletes <= t.Deletes {
				t.Inserts -= b.Inserts
				t.Updates -= b.Updates
				t.Deletes -= b.Deletes
				t.HOTUpdates -= b.HOTUpdates
			}
		}
		all[name] = &t
	}
	return all
}

// counters are a slot's, 0 if it was not there.
func counters(s *Sample, slot string) SlotCounters {
	for _, x := range s.SlotStats {
		if x.Name == slot {
			return x
		}
	}
	return SlotCounters{}
}

// decoded compares the counters of a slot.
func (c *comparer) decoded(p *Pair, i int, slot string) {
	if c.after.Consumers[i].Physical {
		return
	}
	window := p.Window()
	a, b := counters(p.First, slot), counters(p.Last, slot)
	if b.TotalTxns < a.TotalTxns {
		c.warn("the counters of slot %s were reset between the samples", slot)
		return
	}
	m, n := &c.before.Consumers[i].Counters, &c.after.Consumers[i].Counters
	name := c.after.Consumers[i].Name
	rate := func(what, unit string, seen, own int64, grain float64, hint string) {
		if seen != 0 || own != 0 {
			c.add(name, what, unit, float64(seen)/window, float64(own)/c.window, grain/window, false, hint)
		}
	}
	rate("total_txns a second", "", b.TotalTxns-a.TotalTxns, n.TotalTxns-m.TotalTxns, few, hintTxns)
	if seen, own := b.TotalTxns-a.TotalTxns, n.TotalTxns-m.TotalTxns; seen > 0 && own > 0 {
		c.add(name, "total_bytes for each transaction", "bytes", float64(b.TotalBytes-a.TotalBytes)/float64(seen), float64(n.TotalBytes-m.TotalBytes)/float64(own), 0, false, hintBytes)
	}
	rate("spill_txns a second", "", b.SpillTxns-a.SpillTxns, n.SpillTxns-m.SpillTxns, few, hintSpill)
	rate("spill_bytes a second", "bytes", b.SpillBytes-a.SpillBytes, n.SpillBytes-m.SpillBytes, 0, hintSpill)
	rate("stream_txns a second", "", b.StreamTxns-a.StreamTxns, n.StreamTxns-m.StreamTxns, few, hintSpill)
	rate("stream_bytes a second", "bytes", b.StreamBytes-a.StreamBytes, n.StreamBytes-m.StreamBytes, 0, hintSpill)
}

// applied compares what a subscriber makes of it.
func (c *comparer) applied(p *Pair, i int, subscription string) {
	window, name := p.Window(), c.after.Consumers[i].Name
	own := changed(p)
	v, w := &c.before.Consumers[i], &c.after.Consumers[i]
	seen := 0.0
	for _, t := range own {
		seen += float64(t.Inserts + t.Updates + t.Deletes)
	}
	applied := w.Applied - v.Applied
	c.add(name, "changes applied a second", "", seen/window, applied/c.window, few/window, false, hintApplied)
	bytes := float64(p.Last.Current.LSN - p.First.Current.LSN)
	if seen > 0 && applied > 0 {
		c.add(name, "subscriber's WAL for each change", "bytes", bytes/seen, (w.SubscriberWAL-v.SubscriberWAL)/applied, 0, false, hintSubWAL)
	}
	if run := c.costs.Runs[i]; run != nil {
		for _, t := range run.Tables {
			x := own[t.Name]
			if t.HOTShare == nil || x == nil || x.Updates == 0 {
				continue
			}
			c.add(name, "HOT share of updates of "+t.Name, "share", float64(x.HOTUpdates)/float64(x.Updates), *t.HOTShare, 0, true, hintHOT)
		}
	}
	counts := func(s *Sample) map[string]int64 {
		for _, x := range s.SubscriptionErrors {
			if x.Name == subscription {
				return x.Counts
			}
		}
		return nil
	}
	a, b := counts(p.First), counts(p.Last)
	known := false
	for _, kind := range conflicts {
		n, ok := b["confl_"+kind]
		if known = known || ok; !ok {
			continue
		}
		of := w.Conflicts[kind] - v.Conflicts[kind]
		if got := float64(n - a["confl_"+kind]); got > 0 || of > 0 {
			c.add(name, "confl_"+kind+" a second", "", got/window, of/c.window, few/window, false, hintConflict)
		}
	}
	if !known && b != nil {
		c.warn("conflicts are counted since version 18: the subscriber is %d", p.Last.ServerNum/10000)
	}
	if n := b["apply_error_count"] - a["apply_error_count"]; n > 0 {
		c.add(name, "apply_error_count a second", "", float64(n)/window, 0, 0, false, "the worker stops with an error and begins again: the log has it")
	}
}

// How much WAL counts as little for a lag, in seconds of what is written: a sample stands
// between a change and its way, the WAL writer's rhythm, and that of running-xacts records
// (where a transaction is open at one, restart_lsn is the one before).
const (
	grainSent      = 0.25
	grainConfirmed = 0.5
	grainKept      = 30
)

// lag compares where a slot and its walsender stand at the second sample.
func (c *comparer) lag(p *Pair, i int, slot string) {
	m := &c.after.Consumers[i]
	name, last := m.Name, p.Last
	perS := max(float64(last.Current.LSN-p.First.Current.LSN)/p.Window(), float64(c.after.Current-c.before.Current)/c.window)
	behind := func(from LSN) float64 {
		if !from.Known {
			return math.NaN()
		}
		return max(float64(last.Current.LSN)-float64(from.LSN), 0)
	}
	own := func(from wal.LSN) float64 {
		if from == 0 {
			return math.NaN()
		}
		return max(float64(c.after.Current)-float64(from), 0)
	}
	for _, x := range last.Replication {
		if x.Name != name && x.Name != slot || !m.active {
			continue
		}
		c.add(name, "WAL to be sent", "bytes", behind(x.Sent), own(m.sentLSN), float64(perS*grainSent), false, hintLag)
		c.add(name, "WAL to be replayed", "bytes", behind(x.Replay), own(m.lsn), float64(perS*grainSent), false, hintLag)
		if x.ReplayLagS != nil && m.replayLag >= 0 {
			c.add(name, "replay_lag", "s", *x.ReplayLagS, m.replayLag, grainSent, false, hintLag)
		}
	}
	for _, x := range last.Slots {
		if x.Name != slot {
			continue
		}
		if !m.Physical {
			c.add(name, "WAL to be confirmed", "bytes", behind(x.Confirmed), own(m.flushLSN), float64(perS*grainConfirmed), false, hintLag)
		}
		c.add(name, "WAL kept for the slot", "bytes", behind(x.Restart), own(m.restart), float64(perS*grainKept), false, hintKept)
		if x.Active != m.active {
			c.warn("slot %s is active = %v, the model's is %v at that time", slot, x.Active, m.active)
		}
		if x.WALStatus != nil && *x.WALStatus != string(m.Status) {
			c.warn("slot %s has wal_status %s, the model's %s at that time", slot, *x.WALStatus, m.Status)
		}
	}
}
