package background

// When autovacuum vacuums which table, after autovacuum.c (do_autovacuum,
// relation_needs_vacanalyze, table_recheck_autovac, autovac_recalculate_workers_for_balance).

import (
	"fmt"
	"time"

	"applysim/heap"
	"applysim/model/apply"
)

// Autovacuum starts VACUUMs by the clock: every autovacuum_naptime a worker looks
// for tables that have more dead or newly inserted rows than their thresholds allow,
// and goes through them one after the other. Each VACUUM happens at once, at the time
// when it begins; how long it keeps its worker busy follows from the pages that it
// visits and makes dirty and from autovacuum's cost limit, which workers share.
//
// ANALYZE counts a table's rows, by which thresholds go, and dead ones, sets hint bits and
// makes the worker forget its target block; of tables with more than 30,000 pages, which
// it samples, it counts all and sets no hint bits here. Left out are what both write to the
// catalogs, the transaction id that ANALYZE takes, and VACUUM against wraparound.
type Autovacuum struct {
	// Runs are the VACUUMs so far.
	Runs []AutovacuumRun
	// Analyzes is how often a table was analyzed.
	Analyzes int

	w       *apply.Worker
	exec    func(sql string) error
	next    time.Time // when the next worker is due
	workers []*autovacuumWorker
	tables  []*vacuumable // in the order of OIDs, TOAST tables after all others
}

// AutovacuumRun is one VACUUM.
type AutovacuumRun struct {
	Table    string // as reports name it; a TOAST table by the name of its own
	At       time.Time
	Duration time.Duration // that the cost limit makes it take
	Dead     int64         // dead rows before it
	Inserted int64         // rows inserted since the one before it
	ByInsert bool          // that they are many is why it came
	Visits   int64         // of pages, those of catalogs left out
	Dirtied  int64         // pages that were clean before
	Records  int64         // of WAL that it wrote
	Bytes    int64
}

// vacuumable is a table or a TOAST table, and what statistics say of it.
type vacuumable struct {
	apply.TableState
	toast   bool
	name    string // of the table, as a command has it
	heap    *heap.Table
	indexes []btree
	options reloptions
	busy    bool // a worker is at it
	since18 bool // the server is 18 or newer: frozen pages count, and thresholds are bounded

	inserted int64 // heap's counter at the last VACUUM, rows before the run as less than 0
	modified int64 // and all changes at the last ANALYZE
}

// autovacuumWorker is a worker and what it still has to do.
type autovacuumWorker struct {
	until time.Time // when it is done with the table at hand
	todo  []*vacuumable
	at    *vacuumable
}

// btree is a B-tree that VACUUM goes over.
type btree interface {
	Dirty() int
	Pages() int
}

// NewAutovacuum returns the autovacuum of a subscriber from a moment on, at which all
// its tables have just been analyzed. exec runs a command on it, as Worker.Run does.
func NewAutovacuum(w *apply.Worker, start time.Time, exec func(sql string) error) (*Autovacuum, error) {
	s := &w.Settings().Autovacuum
	a := &Autovacuum{w: w, exec: exec, next: start.Add(s.Naptime)}
	tables := w.UnsettledTables()
	for _, toast := range []bool{false, true} {
		for i := range tables {
			v := &vacuumable{TableState: tables[i], toast: toast, since18: w.Settings().ServerMajor >= 18}
			v.name = apply.CommandName(v.Schema)
			prefix := ""
			if toast {
				if v.Toast == nil {
					continue
				}
				v.heap, prefix, v.indexes = v.Toast, "toast.", []btree{v.ToastIndex}
			} else {
				v.heap = v.Heap
				for _, x := range v.Indexes {
					if x.BTree != nil {
						v.indexes = append(v.indexes, x.BTree)
					}
				}
			}
			if v.Unsupported != "" {
				continue
			}
			var err error
			if v.options, err = options(s, v.Schema.Options, prefix); err != nil {
				return nil, fmt.Errorf("table %q: %w", v.Schema.QualifiedName(), err)
			}
			if !toast {
				v.heap.AnalyzedBefore()
			}
			v.analyzed()
			v.inserted = v.heap.Counters.Inserts
			if !v.Vacuumed {
				v.inserted -= v.heap.Live()
			}
			a.tables = append(a.tables, v)
		}
	}
	return a, nil
}

// Until does what is due up to a moment.
func (a *Autovacuum) Until(now time.Time) error {
	s := &a.w.Settings().Autovacuum
	if !s.On {
		return nil
	}
	for {
		due := a.next
		var first *autovacuumWorker
		for _, p := range a.workers {
			if p.until.Before(due) {
				due, first = p.until, p
			}
		}
		if due.After(now) {
			return nil
		}
		if first == nil {
			a.next = a.next.Add(s.Naptime)
			if len(a.workers) >= s.MaxWorkers {
				continue
			}
			first = &autovacuumWorker{until: due}
			for _, v := range a.tables {
				if _, need := v.need(); need || v.wantsAnalyze() {
					first.todo = append(first.todo, v)
				}
			}
			a.workers = append(a.workers, first)
		}
		if err := a.step(first, due); err != nil {
			return err
		}
	}
}

// step lets a worker go on to its next table.
func (a *Autovacuum) step(p *autovacuumWorker, now time.Time) error {
	if p.at != nil {
		p.at.busy, p.at = false, nil
	}
	for len(p.todo) > 0 {
		v := p.todo[0]
		p.todo = p.todo[1:]
		if v.busy {
			continue
		}
		byInsert, need := v.need()
		analyze := v.wantsAnalyze()
		if need {
			v.busy, p.at = true, v
			if err := a.vacuum(p, v, now, byInsert); err != nil {
				return err
			}
		}
		if analyze {
			if err := a.exec("ANALYZE " + v.name); err != nil {
				return err
			}
			v.analyzed()
			a.Analyzes++
		}
		if need {
			return nil
		}
	}
	for i, other := range a.workers {
		if other == p {
			a.workers = append(a.workers[:i], a.workers[i+1:]...)
			break
		}
	}
	return nil
}

// need says whether VACUUM is due, and if so whether only for the rows that were
// inserted. The original computes in single precision, which shows from 2^24 rows on.
func (v *vacuumable) need() (byInsert, need bool) {
	o := &v.options
	if !o.enabled {
		return false, false
	}
	rows, pages, frozen := v.heap.Class()
	threshold := float32(o.threshold) + float32(float32(o.scale)*rows)
	if v.since18 && o.maxThreshold >= 0 && threshold > float32(o.maxThreshold) {
		threshold = float32(o.maxThreshold)
	}
	if float32(v.heap.Dead()) > threshold {
		return false, true
	}
	unfrozen := float32(1)
	if v.since18 && pages > 0 && frozen > 0 {
		unfrozen = 1 - float32(min(frozen, pages))/float32(pages)
	}
	inserts := float32(o.insertThreshold) + float32(float32(float32(o.insertScale)*rows)*unfrozen)
	return true, o.insertThreshold >= 0 && float32(v.heap.Counters.Inserts-v.inserted) > inserts
}

// wantsAnalyze says whether ANALYZE is due.
func (v *vacuumable) wantsAnalyze() bool {
	o := &v.options
	rows, _, _ := v.heap.Class()
	threshold := float32(o.analyzeThreshold) + float32(float32(o.analyzeScale)*rows)
	return o.enabled && !v.toast && float32(v.changes()-v.modified) > threshold
}

func (v *vacuumable) changes() int64 {
	c := &v.heap.Counters
	return c.Inserts + c.Updates + c.Deletes
}

// analyzed notes that there was an ANALYZE. TOAST tables are not analyzed.
func (v *vacuumable) analyzed() {
	if v.toast {
		return
	}
	v.modified = v.changes()
}

// vacuum vacuums a table and computes for how long it keeps the worker.
func (a *Autovacuum) vacuum(p *autovacuumWorker, v *vacuumable, now time.Time, byInsert bool) error {
	log, s := a.w.Log(), a.w.Settings()
	before := log.Total()
	run := AutovacuumRun{
		Table: v.Schema.QualifiedName(), At: now, Dead: v.heap.Dead(), Inserted: v.heap.Counters.Inserts - v.inserted, ByInsert: byInsert,
	}
	options := "PROCESS_TOAST off, PARALLEL 0"
	if v.toast {
		run.Table, options = log.Name(v.ToastRel), "PROCESS_MAIN off, PARALLEL 0"
	}
	dirty, visits := v.dirty(), a.w.Counters.VacuumVisits
	if err := a.exec(fmt.Sprintf("VACUUM (%s) %s", options, v.name)); err != nil {
		return err
	}
	total := log.Total()
	run.Records, run.Bytes = total.Records-before.Records, total.Bytes-before.Bytes
	run.Visits, run.Dirtied = a.w.Counters.VacuumVisits-visits, max(v.dirty()-dirty, 0)
	spent := cost(&s.Autovacuum, run.Visits, run.Dirtied, v.pages() <= sharedPages(s))
	if limit := a.limit(v); v.options.costDelay > 0 && limit > 0 {
		run.Duration = time.Duration(spent/limit) * v.options.costDelay
	}
	p.until = now.Add(run.Duration)
	a.Runs = append(a.Runs, run)
	v.inserted = v.heap.Counters.Inserts
	return nil
}

// limit is the cost limit for a table: workers share it, unless the table has its own.
func (a *Autovacuum) limit(v *vacuumable) int64 {
	if v.options.ownCost {
		return v.options.costLimit
	}
	sharing := int64(0)
	for _, p := range a.workers {
		if p.at != nil && !p.at.options.ownCost {
			sharing++
		}
	}
	return max(v.options.costLimit/max(sharing, 1), 1)
}

// dirty is how many pages of the table and its indexes were changed since a checkpoint.
func (v *vacuumable) dirty() int64 {
	n := v.heap.Dirty()
	for _, x := range v.indexes {
		n += x.Dirty()
	}
	return int64(n)
}

// pages is how many there are.
func (v *vacuumable) pages() int64 {
	n := v.heap.Pages()
	for _, x := range v.indexes {
		n += x.Pages()
	}
	return int64(n)
}
