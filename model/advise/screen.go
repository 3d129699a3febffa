package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"applysim/model/scenario"
)

// Where a saving comes from.
const (
	ByRun    = "run"    // of the whole workload
	ByPart   = "part"   // of what happens to the tables that it has to do with
	BySample = "sample" // of what happens to some of the tables
)

// Screening says how candidates were chosen that were run in full.
type Screening struct {
	Parts  int `json:"by_part"`   // candidates tried on their part of the tables
	Sample int `json:"by_sample"` // and on a sample of the tables
	Runs   int `json:"by_run"`    // and then, or at once, on the whole workload
	// SampleShare is how much of the run's work the sample is.
	SampleShare float64 `json:"sample_share"`
	// WALError and CPUError are by how much the savings of those tried both ways differ at
	// most, as shares of the run's WAL and CPU; CPUError is nil without a profile.
	WALError float64  `json:"wal_error"`
	CPUError *float64 `json:"cpu_error"`
	Compared int      `json:"compared"` // how many were tried both ways
}

// Limits of trying every candidate on the whole workload.
const (
	// DefaultConfirm is Options.Confirm where it is 0.
	DefaultConfirm = 3
	// allWork is how much work all candidates may be that are run in full: rows and changes
	// by the indexes that they go to. It is about half a minute of one processor.
	allWork = 60e6
	// changeWork is how many rows before the run a change is like.
	changeWork = 4
	// partShare is what part of the work a part may be that is run alone.
	partShare = 0.4
	// sampleEvery says that each so manyth part is in the sample.
	sampleEvery = 6
)

// screener tries candidates on parts of the tables.
type screener struct {
	a      *adviser
	parts  [][]string
	work   []float64      // of each part
	part   map[string]int // by table
	all    float64
	sample []int

	mutex sync.Mutex
	runs  map[string]*cached
}

// cached is a run that several candidates need.
type cached struct {
	once   sync.Once
	result *scenario.Result
	err    error
}

// screens says whether there is too much work to run all candidates in full, and prepares
// for that.
func (a *adviser) screens() *screener {
	s := &screener{a: a, parts: a.s.Parts(a.db), part: map[string]int{}, runs: map[string]*cached{}}
	s.work = make([]float64, len(s.parts))
	for i, list := range s.parts {
		for _, name := range list {
			s.part[name] = i
		}
	}
	for _, t := range a.base.Tables {
		w := float64(t.Rows) + float64(changeWork*float64(t.Inserts+t.Updates+t.Deletes))
		w = float64(w * float64(1+len(t.Indexes)))
		s.work[s.part[t.Name]] += w
		s.all += w
	}
	most := a.o.work
	if most == 0 {
		most = allWork
	}
	if float64(s.all*float64(len(a.list))) <= most || len(a.list) <= a.confirm() {
		return nil
	}
	var order []int
	for i, w := range s.work {
		if w > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(s.work[y], s.work[x]) })
	for i := sampleEvery / 2; i < len(order); i += sampleEvery {
		s.sample = append(s.sample, order[i])
	}
	return s
}

// confirm is how many of the best are run in full.
func (a *adviser) confirm() int {
	if a.o.Confirm == 0 {
		return DefaultConfirm
	}
	return a.o.Confirm
}

// global says that a candidate has to do with all tables.
func (c *candidate) global() bool { return c.advice.Table == "" }

// by says how a candidate is tried first.
func (s *screener) by(c *candidate) string {
	if !c.global() {
		if float64(s.work[s.part[c.advice.Table]]) > float64(partShare*s.all) {
			return ByRun
		}
		return ByPart
	}
	// When checkpoints come depends on all tables.
	if len(s.sample) < 2 || slices.ContainsFunc(c.settings, func(x scenario.Setting) bool {
		return strings.HasPrefix(x.Name, "checkpoint") || x.Name == "max_wal_size"
	}) {
		return ByRun
	}
	return BySample
}

// changes is how many changes trying a candidate simulates.
func (s *screener) changes(c *candidate) int64 {
	switch s.by(c) {
	case ByPart:
		return s.partChanges(s.part[c.advice.Table])
	case BySample:
		n := int64(0)
		for _, i := range s.sample {
			n += s.partChanges(i)
		}
		return n
	}
	return s.a.base.Changes
}

func (s *screener) partChanges(part int) int64 {
	n := int64(0)
	for _, t := range s.a.base.Tables {
		if s.part[t.Name] == part {
			n += t.Inserts + t.Updates + t.Deletes
		}
	}
	return n
}

// key names candidates and the tables that they are tried on, -1 for all.
func key(list []*candidate, part int) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%p ", c)
	}
	fmt.Fprintf(&b, "%d", part)
	return b.String()
}

// whole runs the scenario with candidates followed, once.
func (s *screener) whole(list []*candidate) (*scenario.Result, error) {
	if len(list) == 0 {
		return s.a.base, nil
	}
	return s.once(key(list, -1), func() (*scenario.Result, error) { return s.a.run(list, nil) })
}

// alone runs a part of it, once: as settings have it with which the whole is.
func (s *screener) alone(whole *scenario.Result, list []*candidate, part int) (*scenario.Result, error) {
	return s.once(key(list, part), func() (*scenario.Result, error) {
		return s.a.run(list, s.a.s.Part(whole, s.parts[part]))
	})
}

func (s *screener) once(key string, run func() (*scenario.Result, error)) (*scenario.Result, error) {
	s.mutex.Lock()
	c := s.runs[key]
	if c == nil {
		c = &cached{}
		s.runs[key] = c
	}
	s.mutex.Unlock()
	c.once.Do(func() { c.result, c.err = run() })
	return c.result, c.err
}

// try estimates what the scenario comes to with candidates followed: those that have to do
// with all tables by a run of the whole, the others by runs of their parts alone.
func (s *screener) try(list []*candidate) (*scenario.Result, error) {
	var global []*candidate
	parts := map[int][]*candidate{}
	for _, c := range list {
		switch {
		case c.global():
			global = append(global, c)
		case s.by(c) == ByRun:
			return s.whole(list)
		default:
			n := s.part[c.advice.Table]
			parts[n] = append(parts[n], c)
		}
	}
	if len(list) == 1 && len(global) == 1 && s.by(list[0]) == BySample {
		return s.sampled(global)
	}
	result, err := s.whole(global)
	if err != nil || result.Stopped != nil {
		return result, err
	}
	whole := result
	for n := range s.parts {
		if parts[n] == nil {
			continue
		}
		without, err := s.alone(whole, global, n)
		if err != nil {
			return nil, err
		}
		with, err := s.alone(whole, append(slices.Clone(global), parts[n]...), n)
		if err != nil {
			return nil, err
		}
		if with.Stopped != nil {
			return with, nil
		}
		result = result.With(without, with)
	}
	return result, nil
}

// sampled estimates it by the sample.
func (s *screener) sampled(list []*candidate) (*scenario.Result, error) {
	var without, with []*scenario.Result
	for _, n := range s.sample {
		a, err := s.alone(s.a.base, nil, n)
		if err != nil {
			return nil, err
		}
		b, err := s.alone(s.a.base, list, n)
		if err != nil || b.Stopped != nil {
			return b, err
		}
		without, with = append(without, a), append(with, b)
	}
	return s.a.base.Scaled(without, with), nil
}

// screen tries the candidates on parts, and the best of them on the whole workload, until
// the best that are left were.
func (s *screener) screen() {
	a := s.a
	a.rep.Screening = &Screening{}
	planned := int64(0)
	seen := map[int]bool{}
	for _, c := range a.list {
		c.by = s.by(c)
		planned += s.changes(c)
		switch c.by {
		case ByPart:
			a.rep.Screening.Parts++
			if n := s.part[c.advice.Table]; !seen[n] {
				seen[n] = true
				planned += s.partChanges(n)
			}
		case BySample:
			a.rep.Screening.Sample++
		default:
			a.rep.Screening.Runs++
		}
	}
	for _, n := range s.sample {
		a.rep.Screening.SampleShare += s.work[n] / s.all
	}
	most := a.confirm()
	a.plan(planned + int64(most)*a.base.Changes)
	results, errs := a.each(a.list, func(c *candidate) (*scenario.Result, error) { return s.try([]*candidate{c}) })
	for i, c := range a.list {
		c.result, c.err = results[i], errs[i]
	}
	for {
		a.judgeAll()
		var list []*candidate
		for _, x := range a.rep.Advice[:min(most, len(a.rep.Advice))] {
			if x.candidate.by != ByRun {
				list = append(list, x.candidate)
			}
		}
		if len(list) == 0 {
			return
		}
		results, errs := a.each(list, func(c *candidate) (*scenario.Result, error) { return s.whole([]*candidate{c}) })
		for i, c := range list {
			s.compare(c, results[i])
			c.by, c.result, c.err = ByRun, results[i], errs[i]
			a.rep.Screening.Runs++
		}
	}
}

// String says in words how the candidates were tried.
func (x *Screening) String() string {
	text := fmt.Sprintf("too much to run all candidates on the whole workload: %d were tried on their tables alone", x.Parts)
	if x.Sample > 0 {
		text += fmt.Sprintf(", %d on a sample of the tables (%.0f %% of the work)", x.Sample, 100*x.SampleShare)
	}
	text += fmt.Sprintf(", %d on the whole, the best among them", x.Runs)
	if x.Compared > 0 {
		text += fmt.Sprintf("; of %d tried on their tables and on the whole, savings differ by at most %.2g %% of the WAL", x.Compared, 100*x.WALError)
		if x.CPUError != nil {
			text += fmt.Sprintf(" and %.2g %% of the CPU", 100**x.CPUError)
		}
	}
	return text
}

// compare notes by how much a run of the whole differs from what was estimated.
func (s *screener) compare(c *candidate, whole *scenario.Result) {
	if c.by != ByPart || whole == nil || whole.Stopped != nil {
		return
	}
	x := s.a.rep.Screening
	x.Compared++
	if d := share(float64(whole.WALBytes-c.result.WALBytes), float64(s.a.base.WALBytes)); d != nil {
		x.WALError = max(x.WALError, math.Abs(*d))
	}
	if whole.CPUS != nil && c.result.CPUS != nil {
		if d := share(*whole.CPUS-*c.result.CPUS, *s.a.base.CPUS); d != nil {
			most := math.Abs(*d)
			if x.CPUError != nil {
				most = max(most, *x.CPUError)
			}
			x.CPUError = &most
		}
	}
}
