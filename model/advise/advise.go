package advise

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"

	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// Options are what advice is made from, beside the scenario.
type Options struct {
	// Schema opens the file with the DDL, by the path that the scenario gives.
	Schema func(path string) (io.ReadCloser, error)
	// Price says what work costs; nil if nobody knows: then WAL decides alone.
	Price func(*cost.Usage) *scenario.CPU
	// Variant is the subscriber as it is now; nil stands for the scenario itself.
	Variant *scenario.Variant
	// Publisher are the publisher's tables; nil if they are the scenario's.
	Publisher *schema.Database
	// Scans says how often an index was read, and since when, by the statistics of a
	// server; ok is false if they do not have it. It may be nil.
	Scans func(x *schema.Index) (scans int64, since string, ok bool)
	// Subscription and Publication are their names, for the statements; "" if nobody knows.
	Subscription, Publication string
	// Goals are what a combination has to reach; none for no combination.
	Goals []Goal
	// Limit is how many candidates are tried at most; those that touch most of the WAL
	// and CPU come first. 0 means DefaultLimit.
	Limit int
	// Confirm is how many of the best are run on the whole workload where there is too much
	// of that to run all candidates: the others are tried on their tables alone. 0 means
	// DefaultConfirm.
	Confirm int
	// Least is the share of WAL or CPU that advice must save to be listed.
	Least    float64
	Progress *scenario.Progress // may be nil
	// work is how much all candidates may be that are run in full; 0 means allWork.
	work float64
	// Planned is told how many changes will be simulated, those of the scenario's own run
	// left out, when that is over; more may be added. It may be nil.
	Planned func(changes int64)
}

// Defaults of options.
const (
	DefaultLimit = 60
	DefaultLeast = 0.005
)

// Report is what to change.
type Report struct {
	SchemaVersion int              `json:"schema_version"`
	Scenario      string           `json:"scenario"` // the file
	Seed          uint64           `json:"seed"`
	Variant       string           `json:"variant"` // that the advice is about
	Base          *scenario.Result `json:"base"`    // as it is
	Problems      []*Problem       `json:"problems"`
	Advice        []*Advice        `json:"advice"` // the best first
	Combination   *Combination     `json:"combination,omitempty"`
	// Rejected are candidates that saved nothing, or less than others for the same.
	Rejected []*Advice `json:"rejected"`
	// Untried is how many candidates were left out, as they have little to do with the
	// costs.
	Untried int `json:"untried"`
	// Screening is nil if all candidates were run on the whole workload.
	Screening   *Screening           `json:"screening,omitempty"`
	Kinds       map[string]cost.Kind `json:"kinds"`
	Assumptions []string             `json:"assumptions"`
	Warnings    []string             `json:"warnings"`

	adviser *adviser
}

// Follow is the scenario with pieces of the report's advice followed, and the variant of it
// to run; without any it is the scenario as it is.
func (r *Report) Follow(list ...*Advice) (*scenario.Scenario, *scenario.Variant) {
	var candidates []*candidate
	for _, x := range list {
		candidates = append(candidates, x.candidate)
	}
	return r.adviser.with(candidates)
}

// Advice is one change and what it saves.
type Advice struct {
	Title string `json:"title"`
	Kind  string `json:"kind"` // "drop index", "fillfactor", ...
	// DDL is what does it: the steps' statements one after the other.
	DDL         string   `json:"ddl"`
	Steps       []Step   `json:"steps"`
	Saves       Saves    `json:"saves"`
	By          string   `json:"by"` // ByRun, ByPart or BySample: where the savings come from
	SideEffects []string `json:"side_effects"`
	Unknown     []string `json:"unknown"`
	// Instead lists the numbers of other advice, from 1 on, that is about the same: one
	// of them can be followed.
	Instead []int  `json:"instead_of,omitempty"`
	Table   string `json:"table,omitempty"`
	Index   string `json:"index,omitempty"`
	// Reason is why it was rejected.
	Reason string `json:"reason,omitempty"`
	// Result is the run with it; nil if there was none.
	Result *scenario.Result `json:"-"`

	candidate *candidate
}

// Where a step is done.
const (
	OnSubscriber = "subscriber"
	OnPublisher  = "publisher"
)

// Step is a statement and the server that it is for.
type Step struct {
	On  string `json:"on"` // OnSubscriber or OnPublisher
	SQL string `json:"sql"`
}

// Saves is the run without the change less the run with it: negative where it costs.
type Saves struct {
	WALBytes int64    `json:"wal_bytes"`
	CPUS     *float64 `json:"cpu_s"` // null without a profile
	LagS     *float64 `json:"lag_s"`
	// Shares of the run without the change.
	WALShare  *float64 `json:"wal_share"`
	CPUShare  *float64 `json:"cpu_share"`
	SizeBytes int64    `json:"size_bytes"` // of tables and indexes at the end
	CatchUpS  *float64 `json:"catch_up_s"` // null if one of them never catches up
	// Shares of the updates that are HOT.
	HOTBefore *float64 `json:"hot_share_before"`
	HOTAfter  *float64 `json:"hot_share_after"`
}

// score is what ranks advice: the shares that it saves.
func (s *Saves) score() float64 {
	sum := 0.0
	for _, share := range []*float64{s.WALShare, s.CPUShare} {
		if share != nil {
			sum += *share
		}
	}
	return sum
}

// most is the greatest share that it saves.
func (s *Saves) most() float64 {
	best := 0.0
	for _, share := range []*float64{s.WALShare, s.CPUShare} {
		if share != nil {
			best = max(best, *share)
		}
	}
	return best
}

// saved compares two runs.
func saved(without, with *scenario.Result) Saves {
	s := Saves{
		WALBytes: without.WALBytes - with.WALBytes, CPUS: difference(without.CPUS, with.CPUS),
		SizeBytes: without.Size() - with.Size(), HOTBefore: without.HOTShare, HOTAfter: with.HOTShare,
	}
	s.WALShare = share(float64(s.WALBytes), float64(without.WALBytes))
	if s.CPUS != nil {
		s.CPUShare = share(*s.CPUS, *without.CPUS)
	}
	if a, b := without.Capacity, with.Capacity; a != nil && b != nil {
		s.LagS, s.CatchUpS = difference(&a.LagS, &b.LagS), difference(a.CatchUpS, b.CatchUpS)
	}
	return s
}

func difference(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

func share(part, whole float64) *float64 {
	if whole == 0 {
		return nil
	}
	f := part / whole
	return &f
}

// candidate is a change that is tried.
type candidate struct {
	advice   *Advice
	ddl      []string // of the simulated servers
	settings []scenario.Setting
	change   func(*scenario.Scenario) // of a copy of the scenario; nil if it changes none
	// claims name what it is about: of two candidates with the same claim one can be
	// followed.
	claims []string
	// group names candidates of which one is advice, "" for none; asks is how much it asks
	// for among them.
	group  string
	asks   int
	weight float64 // share of the costs that it has to do with
	read   bool    // it takes away what is known to be read

	by      string // ByRun, ByPart or BySample
	result  *scenario.Result
	err     error
	effects []string // advice's, before there was a result
}

// adviser is one call of Advise.
type adviser struct {
	s    *scenario.Scenario
	o    *Options
	v    *scenario.Variant
	db   *schema.Database // of the subscriber
	pub  *schema.Database
	gen  *scenario.Generator
	set  guc.Settings
	base *scenario.Result
	list []*candidate
	rep  *Report
	// changed are the columns that updates change, by table; does what is done to it.
	changed map[string]map[string]bool
	does    map[string]map[scenario.Action]bool
	// screener is nil if all candidates are run in full.
	screener *screener
}

// Advise tries changes of the scenario's subscriber and says which are worth it.
func Advise(s *scenario.Scenario, o *Options) (*Report, error) {
	a := &adviser{s: s, o: o, v: o.Variant, rep: &Report{SchemaVersion: 1, Scenario: s.File, Seed: s.Seed, Variant: "base", Advice: []*Advice{}, Problems: []*Problem{}, Rejected: []*Advice{}}}
	a.rep.adviser = a
	if o.Variant != nil {
		a.rep.Variant = o.Variant.Name
	}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	report, err := s.Compare([]*scenario.Variant{a.v}, false, a.options())
	if err != nil {
		return nil, err
	}
	a.base = report.Variants[0]
	a.base.Name = a.rep.Variant
	a.rep.Base, a.rep.Kinds, a.rep.Assumptions, a.rep.Warnings = a.base, report.Kinds, report.Assumptions, report.Warnings
	if a.base.Stopped != nil {
		return a.rep, nil // nothing can be saved before it runs
	}
	a.candidates()
	a.limit()
	for _, c := range a.list {
		c.by, c.effects = ByRun, c.advice.SideEffects
	}
	if a.screener = a.screens(); a.screener != nil {
		a.screener.screen()
	} else {
		a.plan(int64(len(a.list)) * a.base.Changes)
		results, errs := a.try(nil, a.list)
		for i, c := range a.list {
			c.result, c.err = results[i], errs[i]
		}
		a.judgeAll()
	}
	if len(o.Goals) > 0 {
		if err := a.combine(); err != nil {
			return nil, err
		}
	}
	return a.rep, nil
}

// plan tells how many changes will be simulated.
func (a *adviser) plan(changes int64) {
	if a.o.Planned != nil {
		a.o.Planned(changes)
	}
}

func (a *adviser) options() *scenario.Options {
	return &scenario.Options{Schema: a.o.Schema, Price: a.o.Price, Progress: a.o.Progress}
}

// limit keeps the candidates that have most to do with the costs.
func (a *adviser) limit() {
	most := a.o.Limit
	if most == 0 {
		most = DefaultLimit
	}
	slices.SortStableFunc(a.list, func(x, y *candidate) int { return cmp.Compare(y.weight, x.weight) })
	all := len(a.list)
	a.list = slices.DeleteFunc(a.list, func(c *candidate) bool { return c.weight < a.o.Least })
	a.list = a.list[:min(len(a.list), most)]
	a.rep.Untried = all - len(a.list)
}

// try runs candidates, each on top of others that are taken as given.
func (a *adviser) try(given, list []*candidate) ([]*scenario.Result, []error) {
	return a.each(list, func(c *candidate) (*scenario.Result, error) {
		all := append(slices.Clone(given), c)
		if a.screener != nil {
			return a.screener.try(all)
		}
		return a.run(all, nil)
	})
}

// each tries candidates on all processors. The results do not depend on how many there are.
func (a *adviser) each(list []*candidate, try func(*candidate) (*scenario.Result, error)) ([]*scenario.Result, []error) {
	results, errs := make([]*scenario.Result, len(list)), make([]error, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wait.Go(func() {
			for i := range next {
				results[i], errs[i] = try(list[i])
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	return results, errs
}

// run runs the scenario with candidates followed, or a part of it.
func (a *adviser) run(list []*candidate, part *scenario.Part) (*scenario.Result, error) {
	s, v := a.with(list)
	o := a.options()
	o.Part = part
	return s.Run(v, o)
}

// with is the scenario with candidates followed.
func (a *adviser) with(list []*candidate) (*scenario.Scenario, *scenario.Variant) {
	s, v := copied(a.s), &scenario.Variant{Name: a.rep.Variant}
	if a.v != nil {
		v.DDL, v.Settings = slices.Clone(a.v.DDL), slices.Clone(a.v.Settings)
	}
	var names []string
	for _, c := range list {
		names = append(names, c.advice.Title)
		if c.change != nil {
			c.change(s)
		}
		for _, sql := range c.ddl {
			v.DDL = append(v.DDL, scenario.Statement{SQL: sql})
		}
		v.Settings = append(v.Settings, c.settings...)
	}
	if len(names) > 0 {
		v.Name = strings.Join(names, "; ")
	}
	return s, v
}

// copied is a scenario whose tables may be changed.
func copied(s *scenario.Scenario) *scenario.Scenario {
	n := *s
	n.Tables = make([]*scenario.Table, len(s.Tables))
	for i, t := range s.Tables {
		x := *t
		x.Columns = make([]*scenario.Column, len(t.Columns))
		for j, c := range t.Columns {
			y := *c
			x.Columns[j] = &y
		}
		x.Unpublished = slices.Clone(t.Unpublished)
		n.Tables[i] = &x
	}
	return &n
}

// judgeAll makes advice of the candidates by what is known of them, and ranks it.
func (a *adviser) judgeAll() {
	a.rep.Advice, a.rep.Rejected = []*Advice{}, []*Advice{}
	for _, c := range a.list {
		a.judge(c, c.result, c.err)
	}
	a.rank()
}

// judge makes advice of a candidate, or says why it is none.
func (a *adviser) judge(c *candidate, r *scenario.Result, err error) {
	x := c.advice
	x.By, x.Reason, x.Instead, x.Result, x.SideEffects = c.by, "", nil, nil, slices.Clone(c.effects)
	switch {
	case err != nil:
		x.Reason = fmt.Sprintf("could not be simulated: %v", err)
	case r.Stopped != nil:
		x.Reason = "replication would stop: " + r.Stopped.Error
	default:
		x.Result, x.Saves = r, saved(a.base, r)
		least := a.o.Least
		if x.Saves.score() <= 0 || x.Saves.most() < least {
			x.Reason = "saves nothing"
			if x.Saves.score() > 0 {
				x.Reason = fmt.Sprintf("saves less than %g %%", 100*least)
			}
			break
		}
		x.describe()
	}
	if x.Reason != "" {
		a.rep.Rejected = append(a.rep.Rejected, x)
		return
	}
	a.rep.Advice = append(a.rep.Advice, x)
}

// describe adds what the runs say of side effects.
func (x *Advice) describe() {
	s := &x.Saves
	var worse []string
	if s.WALBytes < 0 {
		worse = append(worse, fmt.Sprintf("writes %s bytes of WAL more", grouped(-s.WALBytes)))
	}
	if s.CPUS != nil && *s.CPUS < 0 {
		worse = append(worse, fmt.Sprintf("takes %.4f s of the apply worker's CPU more", -*s.CPUS))
	}
	if s.SizeBytes < 0 {
		worse = append(worse, fmt.Sprintf("tables and indexes are %s kB larger at the end of the run", grouped(-s.SizeBytes/1024)))
	}
	x.SideEffects = append(x.SideEffects, worse...)
}

// rank puts the best first, keeps one of each group and notes which are about the same.
func (a *adviser) rank() {
	r := a.rep
	slices.SortStableFunc(r.Advice, func(x, y *Advice) int { return cmp.Compare(y.Saves.score(), x.Saves.score()) })
	// Of a group the one is kept that asks for least, if it saves about as much as the best.
	const about = 0.9
	chosen := map[string]*Advice{}
	for _, x := range r.Advice {
		g := x.candidate.group
		if g == "" {
			continue
		}
		best := chosen[g]
		if best == nil {
			for _, y := range r.Advice {
				if y.candidate.group == g && y.Saves.score() >= float64(about*x.Saves.score()) && (best == nil || y.candidate.asks < best.candidate.asks) {
					best = y
				}
			}
			chosen[g] = best
		}
	}
	kept := r.Advice[:0:0]
	for _, x := range r.Advice {
		if g := x.candidate.group; g != "" && chosen[g] != x {
			x.Reason = "saves no more than: " + chosen[g].Title
			if x.Saves.score() > chosen[g].Saves.score() {
				x.Reason = "saves little more than: " + chosen[g].Title
			}
			r.Rejected = append(r.Rejected, x)
			continue
		}
		kept = append(kept, x)
	}
	r.Advice = append([]*Advice{}, kept...)
	for i, x := range r.Advice {
		for j, y := range r.Advice {
			if i != j && x.candidate.excludes(y.candidate) {
				x.Instead = append(x.Instead, j+1)
			}
		}
	}
	slices.SortStableFunc(r.Rejected, func(x, y *Advice) int { return cmp.Compare(x.Title, y.Title) })
}

// excludes says whether both cannot be followed.
func (c *candidate) excludes(other *candidate) bool {
	return slices.ContainsFunc(c.claims, func(claim string) bool { return slices.Contains(other.claims, claim) })
}

// grouped is a number with thousands separators.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
