package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// columns tries to publish less of a table: wide columns that nothing on the subscriber
// needs.
func (a *adviser) columns(t *schema.Table) {
	sum := a.total(t)
	if t.ReplicaIdentity == 'f' || sum.Inserts+sum.Updates == 0 {
		return
	}
	type wide struct {
		column int
		width  float64
	}
	var list []wide
	row := 0.0
	for i := range t.Columns {
		c := &t.Columns[i]
		s := a.column(t, c.Name)
		if s == nil {
			continue
		}
		w := width(s) * (1 - s.Nulls)
		row += float64(w)
		if !c.NotNull && c.Default == "" && !a.used(t, i) {
			list = append(list, wide{i, w})
		}
	}
	slices.SortStableFunc(list, func(x, y wide) int { return cmp.Compare(y.width, x.width) })
	for n, w := range list {
		if n == mostColumns || w.width < leastWidth || w.width < leastPart*row {
			return
		}
		column := t.Columns[w.column].Name
		var rest []string
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.Dropped && c.Generated == 0 && i != w.column && !a.unpublished(t, c.Name) {
				rest = append(rest, schema.QuoteIdent(c.Name))
			}
		}
		x := &Advice{
			Kind: "fewer columns", Title: fmt.Sprintf("do not publish %s.%s", name(t), schema.QuoteIdent(column)), Table: t.QualifiedName(),
			SideEffects: []string{column + " is NULL in new rows of the subscriber, and keeps its old value in others"},
			Unknown:     []string{"whether anybody reads " + column + " on the subscriber"},
		}
		x.Steps = a.columnSteps(t, rest, x)
		qualified := t.QualifiedName()
		a.add(&candidate{advice: x, claims: []string{"column " + qualified + "." + column, "publication " + qualified}, weight: a.tableWeight(t), change: func(s *scenario.Scenario) {
			own := tableOf(s, qualified)
			own.Unpublished = append(own.Unpublished, column)
		}})
	}
}

// What a column must be to be tried: among the widest, of so many bytes, and such a part
// of the row.
const (
	mostColumns = 3
	leastWidth  = 16
	leastPart   = 0.1
)

func (a *adviser) unpublished(t *schema.Table, column string) bool {
	for _, x := range a.s.Tables {
		if x.Name == t.QualifiedName() {
			return slices.Contains(x.Unpublished, column)
		}
	}
	return false
}

// columnSteps are the statements that leave all but some columns out of a publication.
func (a *adviser) columnSteps(t *schema.Table, columns []string, x *Advice) []Step {
	publication := "p"
	for _, p := range a.pub.Publications {
		if p.AllTables {
			publication = p.Name
			x.SideEffects = append(x.SideEffects, "publication "+p.Name+" is FOR ALL TABLES, which has no column lists: expected one that names its tables")
			break
		}
		if slices.ContainsFunc(p.Tables, func(o schema.PublicationTable) bool { return o.Table.QualifiedName() == t.QualifiedName() }) {
			publication = p.Name
			break
		}
	}
	if len(a.pub.Publications) == 0 && a.o.Publication != "" {
		publication = a.o.Publication
	} else if len(a.pub.Publications) == 0 {
		x.Unknown = append(x.Unknown, "the publication's name, and its other options for the table: p stands for it")
	}
	p := schema.QuoteIdent(publication)
	return []Step{{OnPublisher, fmt.Sprintf("BEGIN; ALTER PUBLICATION %s DROP TABLE %s; ALTER PUBLICATION %s ADD TABLE %s (%s); COMMIT;", p, name(t), p, name(t), strings.Join(columns, ", "))}}
}

// used says whether something of the subscriber's needs a column's values.
func (a *adviser) used(t *schema.Table, column int) bool {
	mentions := func(sql string) bool {
		if c := t.Columns[column].Name; strings.ContainsAny(c, " \t()\",;.=<>+-*/|:'") {
			return strings.Contains(sql, c)
		}
		return slices.Contains(strings.FieldsFunc(sql, func(r rune) bool { return strings.ContainsRune(" \t\n()\",;.=<>+-*/|:'", r) }), t.Columns[column].Name)
	}
	for _, f := range family(t) {
		for _, x := range f.Indexes {
			if slices.Contains(x.Include, column) || mentions(x.Predicate) {
				return true
			}
			if slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column == column || k.Column < 0 && mentions(k.Expr) }) {
				return true
			}
		}
		if f.Partition != nil && slices.ContainsFunc(f.Partition.Keys, func(k schema.IndexKey) bool { return k.Column == column || mentions(k.Expr) }) {
			return true
		}
	}
	for _, r := range t.References {
		if slices.Contains(r.Columns, column) {
			return true
		}
	}
	for _, c := range t.Checks {
		if mentions(c.Expr) {
			return true
		}
	}
	return slices.ContainsFunc(t.Columns, func(c schema.Column) bool { return c.Generated != 0 && mentions(c.Default) })
}

// width is about how many bytes a value has.
func width(c *scenario.Column) float64 {
	switch {
	case c.MaxWidth > 0:
		return float64(c.MinWidth+c.MaxWidth) / 2
	case len(c.Values) > 0:
		n := 0
		for _, v := range c.Values {
			n += len(v)
		}
		return float64(n) / float64(len(c.Values))
	}
	return 8
}

// keys tries keys that ascend with time in the place of random ones.
func (a *adviser) keys(t *schema.Table) {
	if a.total(t).Inserts == 0 {
		return
	}
	for _, x := range t.Indexes {
		if !x.Unique || len(x.Keys) != 1 || x.Keys[0].Column < 0 {
			continue
		}
		c := &t.Columns[x.Keys[0].Column]
		s := a.column(t, c.Name)
		if s == nil || s.Kind != scenario.UUIDv4 {
			continue
		}
		function := "uuidv7()"
		if c.Type.Base().Name != "uuid" {
			function += "::text"
		}
		y := &Advice{
			Kind: "ascending keys", Title: fmt.Sprintf("make values of %s.%s ascend with time: uuidv7() for random ones", name(t), schema.QuoteIdent(c.Name)), Table: t.QualifiedName(), Index: x.Name,
			Steps:       on(OnPublisher, fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s", name(t), schema.QuoteIdent(c.Name), function)),
			SideEffects: []string{"a key tells when its row was made", "rows that are there keep their keys: the run takes all to ascend, so that the saving comes as they are replaced"},
			Unknown:     []string{"whether the application makes the keys itself, and whether the publisher is PostgreSQL 18 (uuidv7 is new there)"},
		}
		qualified, column := t.QualifiedName(), c.Name
		a.add(&candidate{advice: y, claims: []string{"values of " + qualified + "." + column}, weight: a.tableWeight(t), change: func(s *scenario.Scenario) {
			columnOf(tableOf(s, qualified), column).Kind = scenario.UUIDv7
		}})
	}
}

// tableOf finds what a scenario says of a table, or begins it.
func tableOf(s *scenario.Scenario, qualified string) *scenario.Table {
	for _, t := range s.Tables {
		if t.Name == qualified {
			return t
		}
	}
	t := &scenario.Table{Name: qualified, Load: "copy", Vacuumed: true}
	s.Tables = append(s.Tables, t)
	return t
}

// columnOf finds what it says of a column, or begins it with what is otherwise assumed.
func columnOf(t *scenario.Table, name string) *scenario.Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	c := &scenario.Column{Name: name, First: 1, Step: 1, Scale: 2}
	t.Columns = append(t.Columns, c)
	return c
}

// binary tries to have values sent as they are stored.
func (a *adviser) binary() {
	if a.s.Binary {
		return
	}
	subscription, unknown := "s", []string{"the subscription's name: s stands for it"}
	if a.o.Subscription != "" {
		subscription, unknown = a.o.Subscription, nil
	}
	x := &Advice{
		Kind: "binary", Title: "have values sent in binary format", Steps: on(OnSubscriber, "ALTER SUBSCRIPTION "+schema.QuoteIdent(subscription)+" SET (binary = true)"),
		SideEffects: []string{"columns must have the same types on both sides", "numbers and times are longer or shorter in the stream than as text"},
		Unknown:     append(unknown, "whether all types of extensions have functions to send and receive them"),
	}
	a.add(&candidate{advice: x, claims: []string{"binary"}, weight: 1, change: func(s *scenario.Scenario) { s.Binary, s.LoadedAsText = true, true }})
}
