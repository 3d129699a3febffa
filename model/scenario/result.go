package scenario

import (
	"maps"
	"slices"
	"time"

	"applysim/heap"
	"applysim/model/apply"
	"applysim/model/assume"
	"applysim/model/background"
	"applysim/model/cost"
	"applysim/wal"
)

// Report is what runs of a scenario's variants come to.
type Report struct {
	SchemaVersion int       `json:"schema_version"`
	Scenario      string    `json:"scenario"` // the file
	Seed          uint64    `json:"seed"`
	Variants      []*Result `json:"variants"`
	// Kinds says of each kind of figure how it came about: exact, calibrated, assumed or estimate.
	Kinds map[string]cost.Kind `json:"kinds"`
	// Assumptions are what the scenario leaves open, and what had to be chosen.
	Assumptions []string `json:"assumptions"`
	// Verdicts are what Judge found of budgets.
	Verdicts []Verdict `json:"budgets,omitempty"`
	Warnings []string  `json:"warnings"`
}

// Result is one variant's.
type Result struct {
	Name         string   `json:"name"`
	Changes      int64    `json:"changes"`
	Inserts      int64    `json:"inserts"`
	Updates      int64    `json:"updates"`
	Deletes      int64    `json:"deletes"`
	Transactions int64    `json:"transactions"`
	Messages     int64    `json:"messages"`
	DurationS    float64  `json:"duration_s"`
	Rate         *float64 `json:"changes_per_s"` // of the scenario; null if it takes no time

	WALBytes       int64    `json:"wal_bytes"` // lengths of records, as pg_stat_wal counts them
	WALRecords     int64    `json:"wal_records"`
	FPIBytes       int64    `json:"fpi_bytes"`     // of them, full-page images
	LSNBytes       int64    `json:"wal_lsn_bytes"` // with alignment and page headers, as LSNs advance
	BytesPerChange *float64 `json:"wal_bytes_per_change"`
	WALPerS        *float64 `json:"wal_bytes_per_s"`

	HOTUpdates int64    `json:"hot_updates"`
	HOTShare   *float64 `json:"hot_share"` // of updates; null if there are none

	CPUS         *float64  `json:"cpu_s"` // null without a profile
	Instructions *float64  `json:"instructions"`
	CPU          *CPU      `json:"cpu"`
	Capacity     *Capacity `json:"capacity"` // null without a profile

	WAL         map[string]map[string]Count `json:"wal"` // by relation, then record type
	Tables      []*TableResult              `json:"tables"`
	Marginal    []*Marginal                 `json:"marginal,omitempty"`
	Checkpoints []Checkpoint                `json:"checkpoints"`
	Vacuums     []Vacuum                    `json:"vacuums"`
	Conflicts   map[string]int64            `json:"conflicts"`
	Stopped     *Stop                       `json:"stopped,omitempty"`
	// Estimates are the indexes whose WAL and CPU are estimates.
	Estimates []cost.Estimated `json:"estimates,omitempty"`
	Timeline  []Sample         `json:"timeline,omitempty"`

	relations []string            // those of WAL, in their order
	types     map[string][]string // record types of each, likewise
	warnings  []string
	assumed   []string

	// What a Part of the run needs to know.
	transactions []int64 // by operation
	elapsed      int64
	truncated    int
	last         int
}

// Relations lists the relations of WAL in the order of the schema.
func (r *Result) Relations() []string { return r.relations }

// Types lists a relation's record types in the order of the catalogue.
func (r *Result) Types(relation string) []string { return r.types[relation] }

// Count is a number of records and their bytes.
type Count struct {
	Records  int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
	FPIBytes int64 `json:"fpi_bytes"`
}

// CPU is what an apply worker takes.
type CPU struct {
	Seconds      *float64 `json:"seconds"`
	Instructions float64  `json:"instructions"`
	Terms        []Term   `json:"terms"`       // the costliest first
	WALWriterS   float64  `json:"walwriter_s"` // the WAL writer's, beside it
	Profile      string   `json:"profile"`
	ProfileError float64  `json:"profile_error"` // median, of scenarios that were left out of its fit

	objects     map[string]Term
	assumptions []string
}

// Term is a part of it.
type Term struct {
	Name         string    `json:"name"`
	Seconds      *float64  `json:"seconds"`
	Instructions float64   `json:"instructions"`
	Kind         cost.Kind `json:"kind"`
}

// Capacity is what one apply worker can do.
type Capacity struct {
	GreatestRate float64  `json:"greatest_changes_per_s"` // that it sustains
	Load         float64  `json:"load"`                   // of the scenario's rate: 1 is all that it can do
	LagS         float64  `json:"lag_s"`                  // at the end of the run
	OutageS      float64  `json:"outage_s"`
	CatchUpS     *float64 `json:"catch_up_s"` // after an outage of that length; null: never
}

// TableResult is a table's part.
type TableResult struct {
	Name         string         `json:"name"`
	WALBytes     int64          `json:"wal_bytes"` // of the table itself and its TOAST table, indexes left out
	FPIBytes     int64          `json:"fpi_bytes"`
	CPUS         *float64       `json:"cpu_s"`
	Instructions *float64       `json:"instructions"`
	Inserts      int64          `json:"inserts"`
	Updates      int64          `json:"updates"`
	Deletes      int64          `json:"deletes"`
	HOTUpdates   int64          `json:"hot_updates"`
	HOTShare     *float64       `json:"hot_share"`
	NotHOT       NotHOT         `json:"not_hot"`
	Rows         int64          `json:"rows"`
	Dead         int64          `json:"dead_rows"`
	PagesBefore  int            `json:"pages_before"`
	Pages        int            `json:"pages"`
	Indexes      []*IndexResult `json:"indexes"`
}

// NotHOT counts by the reason the updates that were not HOT.
type NotHOT struct {
	Changed int64 `json:"indexed_column_changed"`
	NoRoom  int64 `json:"no_room"`
	Both    int64 `json:"both"`
}

// IndexResult is an index's part.
type IndexResult struct {
	Name         string   `json:"name"`
	Definition   string   `json:"definition"`
	WALBytes     int64    `json:"wal_bytes"`
	FPIBytes     int64    `json:"fpi_bytes"`
	CPUS         *float64 `json:"cpu_s"`
	Instructions *float64 `json:"instructions"`
	Prevented    int64    `json:"hot_updates_prevented"`
	PagesBefore  int      `json:"pages_before"`
	Pages        int      `json:"pages"`
	Height       int      `json:"tree_level"`
	LeafPages    int      `json:"leaf_pages"`
	Density      *float64 `json:"avg_leaf_density"`
	// Estimate says that the index is one of Result.Estimates.
	Estimate bool `json:"estimate,omitempty"`
}

// Marginal is what one index costs: the run with it less a run without it.
type Marginal struct {
	Table        string   `json:"table"`
	Index        string   `json:"index"`
	WALBytes     int64    `json:"wal_bytes"`
	CPUS         *float64 `json:"cpu_s"`
	Instructions *float64 `json:"instructions"`
	HOTUpdates   int64    `json:"hot_updates"` // fewer than without it if negative
	Pages        int      `json:"pages"`
	Reason       string   `json:"not_simulated,omitempty"` // why there is no figure
}

// Checkpoint is one that was made.
type Checkpoint struct {
	Seconds float64                    `json:"seconds"` // since the start
	Cause   background.CheckpointCause `json:"cause"`
}

// Vacuum is a VACUUM that autovacuum ran.
type Vacuum struct {
	Table    string  `json:"table"`
	Seconds  float64 `json:"seconds"` // since the start
	Cause    string  `json:"cause"`   // "dead rows" or "inserted rows"
	Dead     int64   `json:"dead_rows"`
	Inserted int64   `json:"inserted_rows"`
	Takes    float64 `json:"takes_s"` // at least, because of the cost limit
	WALBytes int64   `json:"wal_bytes"`
}

// Stop says why replication would stop.
type Stop struct {
	Message int64  `json:"message"`
	Error   string `json:"error"`
	Detail  string `json:"detail"`
}

// before is what a worker and its tables were when the run began.
type before struct {
	counters apply.Counters
	usage    *cost.Usage
	lsn      wal.LSN
	tables   []tableBefore
}

type tableBefore struct {
	heap    heap.Counters
	pages   int
	indexes []indexBefore
}

type indexBefore struct {
	prevented int64
	pages     int
}

func remember(w *apply.Worker) before {
	b := before{counters: w.Counters, usage: cost.Measure(w), lsn: w.Log().InsertLSN()}
	for _, t := range w.Tables() {
		x := tableBefore{heap: t.Heap.Counters, pages: t.Heap.Pages()}
		for i := range t.Indexes {
			x.indexes = append(x.indexes, indexBefore{t.Indexes[i].Prevented, indexPages(&t.Indexes[i])})
		}
		b.tables = append(b.tables, x)
	}
	return b
}

func indexPages(x *apply.IndexState) int {
	switch {
	case x.BRIN != nil:
		return x.BRIN.Pages()
	case x.BTree != nil:
		return x.BTree.Pages()
	case x.Foreign:
		return x.AccessMethod.Pages()
	}
	return 0
}

// result reports on a run that has ended.
func (r *run) result() (*Result, error) {
	w, log := r.worker, r.worker.Log()
	c, b := &w.Counters, &r.before.counters
	x := &Result{
		Name: "base", Changes: c.Changes() - b.Changes(), Inserts: c.Inserts - b.Inserts, Updates: c.Updates - b.Updates, Deletes: c.Deletes - b.Deletes,
		Transactions: c.Commits - b.Commits, Messages: r.messages,
		DurationS: float64(r.gen.Elapsed()) / 1e6,
		WALBytes:  log.Total().Bytes, WALRecords: log.Total().Records, FPIBytes: log.Total().FPIBytes, LSNBytes: int64(log.InsertLSN() - r.before.lsn),
		WAL: map[string]map[string]Count{}, Checkpoints: []Checkpoint{}, Vacuums: []Vacuum{}, Tables: []*TableResult{},
		Conflicts: maps.Clone(c.Conflicts), Stopped: r.stopped,
	}
	if r.v != nil {
		x.Name = r.v.Name
	}
	x.Rate, x.WALPerS = ratio(float64(x.Changes), x.DurationS), ratio(float64(x.WALBytes), x.DurationS)
	x.BytesPerChange = ratio(float64(x.WALBytes), float64(x.Changes))
	x.walByRelation(log)
	if r.o.Price != nil {
		all := &cost.Usage{}
		for _, beside := range r.beside {
			all.Merge(beside)
		}
		u := cost.Measure(w).Sub(r.before.usage).Sub(all)
		x.CPU = r.o.Price(u)
		x.CPUS, x.Instructions = x.CPU.Seconds, &x.CPU.Instructions
		x.assumed = append(x.assumed, x.CPU.assumptions...)
		x.capacity(r.s.Outage.Seconds())
	}
	x.Estimates = cost.Estimates(w)
	if r.o.Part == nil {
		x.ended(r)
	}
	states := w.Tables()
	for i := range states {
		x.table(r, &states[i], &r.before.tables[i])
	}
	x.HOTShare = ratio(float64(x.HOTUpdates), float64(x.Updates))
	r.sample(r.s.Start.Time().Add(time.Duration(r.gen.Elapsed())*time.Microsecond), true)
	x.Timeline = r.timeline.samples
	start := r.s.Start.Time()
	for _, m := range r.schedule.Made {
		x.Checkpoints = append(x.Checkpoints, Checkpoint{seconds(m.At.Sub(start)), m.Cause})
	}
	for _, v := range r.auto.Runs {
		cause := "dead rows"
		if v.ByInsert {
			cause = "inserted rows"
		}
		x.Vacuums = append(x.Vacuums, Vacuum{v.Table, seconds(v.At.Sub(start)), cause, v.Dead, v.Inserted, seconds(v.Duration), v.Bytes})
	}
	var assumed []assume.Choice
	x.warnings, assumed = w.Doubts()
	x.warnings = append(slices.Clone(x.warnings), r.gen.Missed()...)
	for _, a := range assumed {
		x.assumed = append(x.assumed, a.String())
	}
	x.assumed = append(slices.Clone(r.gen.Assumed), x.assumed...)
	return x, nil
}

// ratio is a/b, nil where there is none.
func ratio(a, b float64) *float64 {
	if b == 0 {
		return nil
	}
	f := a / b
	return &f
}

// walByRelation counts records by relation and type.
func (x *Result) walByRelation(log *wal.Log) {
	x.types = map[string][]string{}
	one := func(rel wal.RelID) {
		name := log.Name(rel)
		for t := range wal.NumRecordTypes {
			n := log.Count(rel, wal.RecordType(t))
			if n.Records == 0 {
				continue
			}
			if x.WAL[name] == nil {
				x.WAL[name] = map[string]Count{}
				x.relations = append(x.relations, name)
			}
			x.WAL[name][wal.RecordType(t).String()] = Count(n)
			x.types[name] = append(x.types[name], wal.RecordType(t).String())
		}
	}
	for rel := range log.Relations() {
		one(wal.RelID(rel))
	}
	one(wal.NoRelation)
}

// sum is all WAL of a relation.
func sum(log *wal.Log, rel wal.RelID) (c wal.Count) {
	for t := range wal.NumRecordTypes {
		c.Add(log.Count(rel, wal.RecordType(t)))
	}
	return c
}

// capacity computes what one worker can do.
func (x *Result) capacity(outage float64) {
	if x.CPUS == nil || *x.CPUS == 0 || x.DurationS == 0 {
		return
	}
	c := &Capacity{GreatestRate: float64(x.Changes) / *x.CPUS, Load: *x.CPUS / x.DurationS, OutageS: outage}
	c.LagS = max(*x.CPUS-x.DurationS, 0)
	if c.Load < 1 {
		c.CatchUpS = ratio(float64(outage*c.Load), 1-c.Load)
	}
	x.Capacity = c
}

// table adds a table's part, unless nothing was done to it.
func (x *Result) table(r *run, t *apply.TableState, b *tableBefore) {
	log := r.worker.Log()
	h, was := &t.Heap.Counters, &b.heap
	n := TableResult{
		Name: t.Schema.QualifiedName(), Rows: t.Heap.Live(), Dead: t.Heap.Dead(), PagesBefore: b.pages, Pages: t.Heap.Pages(),
		Inserts: h.Inserts - was.Inserts, Updates: h.Updates - was.Updates, Deletes: h.Deletes - was.Deletes,
		HOTUpdates: h.HOTUpdates - was.HOTUpdates, Indexes: []*IndexResult{},
		NotHOT: NotHOT{h.ChangedIndexed - was.ChangedIndexed, h.NoRoom - was.NoRoom, h.ChangedNoRoom - was.ChangedNoRoom},
	}
	x.HOTUpdates += n.HOTUpdates
	n.HOTShare = ratio(float64(n.HOTUpdates), float64(n.Updates))
	add := func(rel wal.RelID) {
		c := sum(log, rel)
		n.WALBytes += c.Bytes
		n.FPIBytes += c.FPIBytes
	}
	names := []string{log.Name(t.Rel)}
	add(t.Rel)
	if t.Toast != nil {
		add(t.ToastRel)
		add(t.ToastIndexRel)
		names = append(names, log.Name(t.ToastRel), log.Name(t.ToastIndexRel))
	}
	n.CPUS, n.Instructions = x.CPU.of(names...)
	for i := range t.Indexes {
		s := &t.Indexes[i]
		c := sum(log, s.Rel)
		e := &IndexResult{
			Name: s.Schema.Name, Definition: s.Schema.String(), WALBytes: c.Bytes, FPIBytes: c.FPIBytes,
			Prevented: s.Prevented - b.indexes[i].prevented, Estimate: s.Foreign, PagesBefore: b.indexes[i].pages, Pages: indexPages(s),
		}
		e.CPUS, e.Instructions = x.CPU.of(log.Name(s.Rel))
		if s.BTree != nil {
			stats := s.BTree.Stats()
			e.Height, e.LeafPages = stats.TreeLevel, stats.LeafPages
			if stats.LeafPages > 0 {
				e.Density = &stats.AvgLeafDensity
			}
		}
		n.Indexes = append(n.Indexes, e)
	}
	if n.WALBytes > 0 || n.Pages > 0 || n.Inserts+n.Updates+n.Deletes > 0 {
		x.Tables = append(x.Tables, &n)
	}
}

// of is the part of some relations.
func (c *CPU) of(names ...string) (seconds, instructions *float64) {
	if c == nil {
		return nil, nil
	}
	var s, i float64
	for _, name := range names {
		t := c.objects[name]
		i += t.Instructions
		if t.Seconds != nil {
			s += *t.Seconds
		}
	}
	if c.Seconds == nil {
		return nil, &i
	}
	return &s, &i
}

// Price prices work by a model of instructions and a profile that turns them into seconds.
func Price(p *cost.Profile, m *cost.Model) func(*cost.Usage) *CPU {
	return func(u *cost.Usage) *CPU {
		priced := p.Apply(m, u)
		c := &CPU{
			Seconds: &priced.Seconds, Instructions: priced.Instructions, WALWriterS: priced.WALWriter, Profile: p.Name, ProfileError: p.Error,
			objects: map[string]Term{}, assumptions: priced.Assumptions,
		}
		for _, t := range priced.Terms {
			c.Terms = append(c.Terms, Term{t.Name, &t.Seconds, t.Instructions, t.Kind})
		}
		for _, t := range priced.Objects {
			c.objects[t.Name] = Term{t.Name, &t.Seconds, t.Instructions, t.Kind}
		}
		return c
	}
}

// Elapsed is how long the run takes, in microseconds: its duration, or until the
// transaction that would come next.
func (g *Generator) Elapsed() int64 {
	if g.part != nil {
		return g.part.elapsed
	}
	if g.s.Duration > 0 {
		return g.s.Duration.Microseconds()
	}
	at := int64(0)
	for i, o := range g.operations {
		if i == 0 || o.at < at {
			at = o.at
		}
	}
	return at
}
