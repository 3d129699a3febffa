package scenario

import (
	"fmt"
	"runtime"
	"slices"
	"sync"

	"applysim/model/schema"
	"applysim/wal/storage"
)

// Compare runs variants of a scenario side by side; nil among them stands for the scenario
// itself. With marginal each is also run without each of its indexes.
func (s *Scenario) Compare(variants []*Variant, marginal bool, o *Options) (*Report, error) {
	report := &Report{SchemaVersion: 1, Scenario: s.File, Seed: s.Seed, Warnings: []string{}, Assumptions: []string{}, Kinds: figureKinds(false)}
	var jobs []*job
	for _, v := range variants {
		whole := &job{variant: v, options: *o}
		jobs = append(jobs, whole)
		if !marginal {
			continue
		}
		db, err := s.Database(v, o.Schema)
		if err != nil {
			return nil, err
		}
		for _, w := range s.without(db, v) {
			w.whole = whole
			w.options = *o
			w.options.Stream, w.options.SQL, w.options.Event, w.options.Samples = nil, nil, nil, 0
			jobs = append(jobs, w)
		}
	}
	s.runAll(jobs)
	for _, j := range jobs {
		if j.err != nil {
			return nil, j.err
		}
		if j.whole != nil {
			j.compare()
			continue
		}
		report.Variants = append(report.Variants, j.result)
		if len(j.result.Estimates) > 0 {
			report.Kinds = figureKinds(true)
		}
		for _, text := range j.result.warnings {
			report.Warnings = appendNew(report.Warnings, text)
		}
		for _, text := range j.result.assumed {
			report.Assumptions = appendNew(report.Assumptions, text)
		}
	}
	report.Assumptions = append(s.assumptions(variants), report.Assumptions...)
	return report, nil
}

func appendNew(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}

// job is one run.
type job struct {
	variant *Variant
	options Options
	result  *Result
	err     error

	whole *job // of a run without an index: the one with it
	index *Marginal
}

// runAll runs jobs on the processors at hand. Each has a database and a worker of its
// own, so that the results do not depend on how many there are.
func (s *Scenario) runAll(jobs []*job) {
	next := make(chan *job)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		wait.Go(func() {
			for j := range next {
				if j.index == nil || j.index.Reason == "" {
					j.result, j.err = s.Run(j.variant, &j.options)
				}
			}
		})
	}
	for _, j := range jobs {
		next <- j
	}
	close(next)
	wait.Wait()
}

// without lists runs of a variant without one of its indexes each, of the tables that the
// scenario changes.
func (s *Scenario) without(db *schema.Database, v *Variant) []*job {
	inserted, found := map[string]bool{}, map[string]bool{}
	for _, p := range s.steps() {
		if p.Do == Insert {
			inserted[p.Table] = true
		} else {
			found[p.Table] = true
		}
	}
	var jobs []*job
	for _, t := range db.Tables {
		name := t.QualifiedName()
		if !inserted[name] && !found[name] {
			continue
		}
		for _, x := range t.Indexes {
			if x.Parent != nil {
				continue
			}
			j := &job{index: &Marginal{Table: name, Index: x.Name}}
			if found[name] && (x.ReplicaIdentity || x.Primary) {
				j.index.Reason = "the worker finds rows by it"
			}
			sql := fmt.Sprintf("DROP INDEX %s.%s", quoteOne(t.Schema), quoteOne(x.Name))
			if x.Constraint || x.Primary {
				sql = fmt.Sprintf("ALTER TABLE %s.%s DROP CONSTRAINT %s", quoteOne(t.Schema), quoteOne(t.Name), quoteOne(x.Name))
			}
			j.variant = &Variant{Name: "without " + x.Name}
			if v != nil {
				j.variant.DDL, j.variant.Settings, j.variant.at = slices.Clone(v.DDL), v.Settings, v.at
			}
			j.variant.DDL = append(j.variant.DDL, Statement{SQL: sql, at: j.variant.at})
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// compare notes what an index costs in the result of the run with it.
func (j *job) compare() {
	m, with := j.index, j.whole.result
	with.Marginal = append(with.Marginal, m)
	without := j.result
	if m.Reason != "" {
		return
	}
	if without.Stopped != nil || with.Stopped != nil {
		m.Reason = "replication would stop"
		return
	}
	m.WALBytes, m.HOTUpdates, m.Pages = with.WALBytes-without.WALBytes, with.HOTUpdates-without.HOTUpdates, with.pages()-without.pages()
	m.CPUS, m.Instructions = difference(with.CPUS, without.CPUS), difference(with.Instructions, without.Instructions)
}

func difference(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	d := *a - *b
	return &d
}

// pages are those of all tables and indexes.
func (r *Result) pages() int {
	n := 0
	for _, t := range r.Tables {
		n += t.Pages
		for _, x := range t.Indexes {
			n += x.Pages
		}
	}
	return n
}

// Size is what all tables and indexes take at the end, in bytes.
func (r *Result) Size() int64 { return int64(r.pages()) * storage.PageSize }

// Runs is how many runs Compare makes, for a progress line.
func (s *Scenario) Runs(variants []*Variant, marginal bool, o *Options) (int, error) {
	n := len(variants)
	if !marginal {
		return n, nil
	}
	for _, v := range variants {
		db, err := s.Database(v, o.Schema)
		if err != nil {
			return 0, err
		}
		for _, j := range s.without(db, v) {
			if j.index.Reason == "" {
				n++
			}
		}
	}
	return n, nil
}

// assumptions are those that a scenario always makes.
func (s *Scenario) assumptions(variants []*Variant) []string {
	list := []string{"the workload is the scenario's; each transaction is applied when it was committed"}
	rows, asynchronous, autovacuum := false, false, false
	for _, t := range s.Tables {
		rows = rows || t.Rows > 0
	}
	for _, v := range variants {
		if set, err := s.settings(v); err == nil {
			asynchronous = asynchronous || !set.SynchronousCommit
			autovacuum = autovacuum || set.Autovacuum.On
		}
	}
	if rows {
		list = append(list, "rows before the run are as COPY (or what load says) and ANALYZE left them, VACUUM having been there unless vacuumed is false")
	}
	if asynchronous {
		list = append(list, "with synchronous_commit = off the moment at which a hint bit can be set follows the WAL writer's rhythm (XLOG/FPI_FOR_HINT, entries of indexes marked as dead, pages that VACUUM marks as all-visible)")
	}
	if autovacuum {
		list = append(list, "autovacuum: a VACUUM or ANALYZE happens at once when it begins; the cost limit decides when its worker is free again")
	}
	return list
}
