package scenario

import (
	"cmp"
	"slices"
	"time"

	"applysim/model/schema"
)

// noRelation is the name of what belongs to no relation.
const noRelation = "-"

// Part is a part of a scenario: some of its tables and all that happens to them, at the same
// times as in a run of the whole. Other tables are left out, and so is what they have to do
// with these: where the WAL stands (when the WAL writer flushes, where pages of WAL begin)
// and which transaction ids there are. Checkpoints come when they came in the whole.
type Part struct {
	Tables []string // with partitions

	operations   []bool  // which of the scenario's
	transactions []int64 // of each operation in the whole run
	checkpoints  []Checkpoint
	elapsed      int64 // microseconds that the whole takes
	truncated    int   // the operation whose last transaction the end of the run cut short
	last         int   // rows of its first step
}

// Parts divides a scenario's tables, so that no transaction has to do with two parts. Each
// list has a table's partitions, too; they come in the order of their first tables.
func (s *Scenario) Parts(db *schema.Database) [][]string {
	// The tables are a forest, whose trees grow together: each points to a part's first.
	parent := map[*schema.Table]*schema.Table{}
	var first func(t *schema.Table) *schema.Table
	first = func(t *schema.Table) *schema.Table {
		if p := parent[t]; p != nil {
			return first(p)
		}
		return t
	}
	join := func(a, b *schema.Table) {
		if a, b = first(a), first(b); a != b {
			parent[b] = a
		}
	}
	for _, t := range db.Tables {
		if t.Parent != nil {
			join(t.Parent, t)
		}
	}
	for _, o := range s.Operations {
		t := find(db, o.Table)
		for i := range o.Then {
			if other := find(db, o.Then[i].Table); t != nil && other != nil {
				join(t, other)
			}
		}
	}
	place := map[*schema.Table]int{}
	var parts [][]string
	for _, t := range db.Tables {
		f := first(t)
		n, ok := place[f]
		if !ok {
			n = len(parts)
			place[f] = n
			parts = append(parts, nil)
		}
		parts[n] = append(parts[n], t.QualifiedName())
	}
	return parts
}

// Part is the part of the whole, a run of the scenario, that tables are.
func (s *Scenario) Part(whole *Result, tables []string) *Part {
	p := &Part{Tables: tables, transactions: whole.transactions, checkpoints: whole.Checkpoints, elapsed: whole.elapsed, truncated: whole.truncated, last: whole.last}
	for _, o := range s.Operations {
		p.operations = append(p.operations, slices.Contains(tables, o.Table))
	}
	return p
}

// has says whether the part has a table; the whole, nil, has all.
func (p *Part) has(table string) bool { return p == nil || slices.Contains(p.Tables, table) }

// limit ends an operation where it ended in the whole.
func (p *Part) limit(x *operation, number int) {
	n := p.transactions[number]
	if x.transactions > 0 && n >= x.transactions && number != p.truncated {
		return
	}
	x.transactions, x.last = n, x.steps[0].Rows
	if number == p.truncated {
		x.last = p.last
	}
	x.schedule()
}

// ended notes what a Part of a run needs to know of it.
func (x *Result) ended(r *run) {
	x.elapsed, x.truncated = r.gen.Elapsed(), -1
	for i, o := range r.gen.operations {
		x.transactions = append(x.transactions, o.next)
		if o == r.gen.current && r.gen.cut >= 0 {
			x.truncated, x.last = i, r.gen.cut
		}
	}
}

// times are when the part's checkpoints come.
func (p *Part) times(start time.Time) []time.Time {
	list := []time.Time{}
	for _, c := range p.checkpoints {
		list = append(list, start.Add(time.Duration(c.Seconds*float64(time.Second))))
	}
	return list
}

// of is a database with the part's tables alone.
func (p *Part) of(db *schema.Database) *schema.Database {
	if p == nil {
		return db
	}
	own := *db
	own.Tables = nil
	for _, t := range db.Tables {
		if p.has(t.QualifiedName()) {
			own.Tables = append(own.Tables, t)
		}
	}
	return &own
}

// With is the run of a whole in which a part is another: without are the part's figures in
// that run, with those in the other. Both are runs of the Part alone, so the result is an
// estimate where the part has to do with other tables. What cannot be told from them, such
// as a timeline, is the whole's or left out.
func (r *Result) With(without, with *Result) *Result {
	x := *r
	x.Name, x.Timeline, x.Marginal = with.Name, nil, nil
	x.move(without, with, 1)
	x.WAL = map[string]map[string]Count{}
	for name, counts := range r.WAL {
		x.WAL[name] = counts
	}
	for _, name := range without.relations {
		if name != noRelation {
			delete(x.WAL, name)
		}
	}
	x.relations, x.types = slices.Clone(r.relations), map[string][]string{}
	for name, types := range r.types {
		x.types[name] = types
	}
	for _, name := range with.relations {
		if name == noRelation {
			continue
		}
		x.WAL[name], x.types[name] = with.WAL[name], with.types[name]
		if !slices.Contains(x.relations, name) {
			x.relations = append(x.relations, name)
		}
	}
	x.relations = slices.DeleteFunc(x.relations, func(name string) bool { return x.WAL[name] == nil })
	x.Tables, x.Vacuums = nil, nil
	x.HOTUpdates += with.HOTUpdates - without.HOTUpdates
	x.HOTShare = ratio(float64(x.HOTUpdates), float64(x.Updates))
	replaced := map[string]bool{}
	for _, name := range append(slices.Clone(without.relations), with.relations...) {
		replaced[name] = true // TOAST tables are vacuumed on their own
	}
	for _, t := range append(slices.Clone(without.Tables), with.Tables...) {
		replaced[t.Name] = true
	}
	next := with.Tables
	for _, t := range r.Tables {
		if !replaced[t.Name] {
			x.Tables = append(x.Tables, t)
			continue
		}
		x.Tables, next = append(x.Tables, next...), nil
	}
	x.Tables = append(x.Tables, next...)
	for _, v := range r.Vacuums {
		if !replaced[v.Table] {
			x.Vacuums = append(x.Vacuums, v)
		}
	}
	x.Vacuums = append(x.Vacuums, with.Vacuums...)
	slices.SortStableFunc(x.Vacuums, func(a, b Vacuum) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return &x
}

// Scaled is a run of which parts are a sample: all of it changes as they do. It is an
// estimate; tables and what they have are those of the run.
func (r *Result) Scaled(without, with []*Result) *Result {
	x := *r
	x.Timeline, x.Marginal = nil, nil
	var a, b Result
	for i := range without {
		a.add(without[i])
		b.add(with[i])
		x.Name = with[i].Name
	}
	factor := 0.0
	if a.WALBytes > 0 {
		factor = float64(r.WALBytes) / float64(a.WALBytes)
	}
	x.move(&a, &b, factor)
	if r.CPUS != nil && a.CPUS != nil && *a.CPUS > 0 {
		x.setCPU(*r.CPUS**b.CPUS / *a.CPUS, *r.Instructions**b.Instructions / *a.Instructions)
	}
	return &x
}

// add adds up what move reads.
func (r *Result) add(other *Result) {
	r.WALBytes += other.WALBytes
	r.WALRecords += other.WALRecords
	r.FPIBytes += other.FPIBytes
	r.LSNBytes += other.LSNBytes
	if other.CPUS != nil {
		s, i := *other.CPUS, *other.Instructions
		if r.CPUS != nil {
			s, i = s+*r.CPUS, i+*r.Instructions
		}
		r.CPUS, r.Instructions = &s, &i
	}
}

// move moves totals by what two runs of a part differ, times a factor.
func (x *Result) move(without, with *Result, factor float64) {
	by := func(n *int64, a, b int64) { *n += int64(factor * float64(b-a)) }
	by(&x.WALBytes, without.WALBytes, with.WALBytes)
	by(&x.WALRecords, without.WALRecords, with.WALRecords)
	by(&x.FPIBytes, without.FPIBytes, with.FPIBytes)
	by(&x.LSNBytes, without.LSNBytes, with.LSNBytes)
	x.WALPerS, x.BytesPerChange = ratio(float64(x.WALBytes), x.DurationS), ratio(float64(x.WALBytes), float64(x.Changes))
	if x.CPUS != nil && with.CPUS != nil && without.CPUS != nil {
		x.setCPU(*x.CPUS+float64(factor*(*with.CPUS-*without.CPUS)), *x.Instructions+float64(factor*(*with.Instructions-*without.Instructions)))
	}
}

// setCPU sets what the worker takes.
func (x *Result) setCPU(seconds, instructions float64) {
	c := *x.CPU
	c.Seconds, c.Instructions = &seconds, instructions
	x.CPU, x.CPUS, x.Instructions = &c, &seconds, &instructions
	if x.Capacity != nil {
		x.capacity(x.Capacity.OutageS)
	}
}
