package advise

import (
	"slices"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// prepare reads the schemas, finds what cannot be replicated and what the scenario does.
func (a *adviser) prepare() error {
	var err error
	if a.db, err = a.s.Database(a.v, a.o.Schema); err != nil {
		return err
	}
	own, err := a.s.Database(nil, a.o.Schema)
	if err != nil {
		return err
	}
	if a.pub = a.o.Publisher; a.pub == nil {
		a.pub = a.db
	}
	a.changed, a.does = map[string]map[string]bool{}, map[string]map[scenario.Action]bool{}
	for _, o := range a.s.Operations {
		for _, p := range append([]scenario.Step{o.Step}, o.Then...) {
			if a.does[p.Table] == nil {
				a.does[p.Table], a.changed[p.Table] = map[scenario.Action]bool{}, map[string]bool{}
			}
			a.does[p.Table][p.Do] = true
			for _, c := range p.Columns {
				a.changed[p.Table][c] = true
			}
		}
	}
	a.rep.Problems = Problems(a.db, a.pub)
	var assumed []string
	for _, p := range a.rep.Problems {
		does := a.does[p.Table]
		p.Met = does[scenario.Update] || does[scenario.Delete]
	}
	// A scenario's stream goes by the identities of its own schema, or of the publisher's
	// if that is given; where there is none the whole row is sent.
	for _, t := range a.db.Tables {
		does := a.does[t.QualifiedName()]
		if !does[scenario.Update] && !does[scenario.Delete] {
			continue
		}
		of := table(a.pub, t.QualifiedName())
		if of == nil || t.ReplicaIdentity == 'f' {
			continue
		}
		key, full := identity(of)
		if key != nil || !full && a.o.Publisher == nil && t.Kind == 'p' {
			continue
		}
		assumed = append(assumed, "ALTER TABLE "+name(t)+" REPLICA IDENTITY FULL")
		for _, p := range a.rep.Problems {
			if p.Table == t.QualifiedName() && !full {
				p.Assumed = "the simulation takes the publisher's table to have REPLICA IDENTITY FULL"
			}
		}
	}
	if len(assumed) > 0 {
		v := &scenario.Variant{Name: "base"}
		if a.v != nil {
			v.Name, v.DDL, v.Settings = a.v.Name, slices.Clone(a.v.DDL), a.v.Settings
		}
		for _, sql := range assumed {
			v.DDL = append(v.DDL, scenario.Statement{SQL: sql})
		}
		a.v = v
		if a.db, err = a.s.Database(a.v, a.o.Schema); err != nil {
			return err
		}
	}
	if a.set, err = a.s.Effective(a.v); err != nil {
		return err
	}
	a.gen, err = scenario.NewGenerator(a.s, own, a.db)
	return err
}

// candidates lists what the situation suggests.
func (a *adviser) candidates() {
	for _, t := range a.db.Tables {
		if t.Parent != nil || !a.touched(t) {
			continue
		}
		a.indexes(t)
		a.fillfactor(t)
		a.full(t)
		a.columns(t)
		a.keys(t)
		a.vacuum(t)
	}
	a.server()
}

// add notes a candidate.
func (a *adviser) add(c *candidate) {
	x := c.advice
	both := slices.ContainsFunc(x.Steps, func(s Step) bool { return s.On == OnPublisher })
	var sql []string
	for i, step := range x.Steps {
		if both && (i == 0 || x.Steps[i-1].On != step.On) {
			sql = append(sql, "-- on the "+step.On)
		}
		sql = append(sql, step.SQL)
	}
	x.DDL = strings.Join(sql, "\n")
	if x.SideEffects == nil {
		x.SideEffects = []string{}
	}
	if x.Unknown == nil {
		x.Unknown = []string{}
	}
	x.candidate = c
	a.list = append(a.list, c)
}

// on makes steps of statements for one server.
func on(server string, statements ...string) []Step {
	var steps []Step
	for _, s := range statements {
		steps = append(steps, Step{server, s + ";"})
	}
	return steps
}

// family is a table with the partitions below it.
func family(t *schema.Table) []*schema.Table {
	list := []*schema.Table{t}
	for _, c := range t.Children {
		if c.Parent == t {
			list = append(list, family(c)...)
		}
	}
	return list
}

// results are those of a table and the partitions below it.
func (a *adviser) results(t *schema.Table) []*scenario.TableResult {
	var list []*scenario.TableResult
	for _, f := range family(t) {
		for _, r := range a.base.Tables {
			if r.Name == f.QualifiedName() {
				list = append(list, r)
			}
		}
	}
	return list
}

// total adds up what happened to a table and the partitions below it.
func (a *adviser) total(t *schema.Table) (sum scenario.TableResult) {
	for _, r := range a.results(t) {
		sum.Inserts += r.Inserts
		sum.Updates += r.Updates
		sum.Deletes += r.Deletes
		sum.HOTUpdates += r.HOTUpdates
		sum.Rows += r.Rows
		sum.Dead += r.Dead
		sum.WALBytes += r.WALBytes
		sum.Pages += r.Pages
		sum.NotHOT.Changed += r.NotHOT.Changed
		sum.NotHOT.NoRoom += r.NotHOT.NoRoom
		sum.NotHOT.Both += r.NotHOT.Both
	}
	return sum
}

// touched says whether the run changed a table.
func (a *adviser) touched(t *schema.Table) bool {
	sum := a.total(t)
	return sum.Inserts+sum.Updates+sum.Deletes > 0
}

// weight is the share of all WAL and CPU that a part of them is.
func (a *adviser) weight(wal int64, cpu *float64) float64 {
	w := 0.0
	if s := share(float64(wal), float64(a.base.WALBytes)); s != nil {
		w += *s
	}
	if cpu != nil && a.base.CPUS != nil {
		if s := share(*cpu, *a.base.CPUS); s != nil {
			w += *s
		}
	}
	return w
}

// tableWeight is that of a table with its indexes.
func (a *adviser) tableWeight(t *schema.Table) float64 {
	w := 0.0
	for _, r := range a.results(t) {
		w += a.weight(r.WALBytes, r.CPUS)
		for _, x := range r.Indexes {
			w += a.weight(x.WALBytes, x.CPUS)
		}
	}
	return w
}

// column is what the scenario says of a column's values; nil if it has none.
func (a *adviser) column(t *schema.Table, name string) *scenario.Column {
	list := a.gen.Columns(t.QualifiedName())
	for i := range list {
		if list[i].Name == name {
			return &list[i]
		}
	}
	return nil
}
