package advise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// indexCost is what an index took, with those of the partitions.
type indexCost struct {
	weight    float64
	prevented int64
	pages     int
}

func (a *adviser) cost(x *schema.Index) (c indexCost) {
	for _, f := range family(x.Table) {
		for _, y := range f.Indexes {
			root := y
			for root.Parent != nil {
				root = root.Parent
			}
			if root != x {
				continue
			}
			for _, r := range a.results(f) {
				if r.Name != f.QualifiedName() {
					continue
				}
				for _, e := range r.Indexes {
					if e.Name == y.Name {
						c.weight += a.weight(e.WALBytes, e.CPUS)
						c.prevented += e.Prevented
						c.pages += e.Pages
					}
				}
			}
		}
	}
	return c
}

// needed says whether a constraint needs an index, or might: a unique one keeps
// duplicates out.
func needed(x *schema.Index) bool {
	return x.Primary || x.Unique || x.Constraint || x.ReplicaIdentity || x.WithoutOverlaps
}

// indexes tries what can be done about a table's secondary indexes.
func (a *adviser) indexes(t *schema.Table) {
	updates := max(a.total(t).Updates, 1)
	var hot []*schema.Index
	for _, x := range t.Indexes {
		if x.Parent != nil || needed(x) {
			continue
		}
		c := a.cost(x)
		c.weight += a.tableWeight(t) * float64(c.prevented) / float64(updates)
		a.drop(t, c, x)
		a.offHot(t, c, x)
		a.partial(t, c, x)
		a.brin(t, c, x)
		if c.prevented > 0 {
			hot = append(hot, x)
		}
	}
	if len(hot) > 1 {
		c := indexCost{weight: a.tableWeight(t)}
		a.drop(t, c, hot...)
	}
}

func indexName(x *schema.Index) string { return schema.QuoteName(x.Table.Schema, x.Name) }

func indexClaim(x *schema.Index) string { return "index " + indexName(x) }

// drop tries to do without indexes.
func (a *adviser) drop(t *schema.Table, c indexCost, list ...*schema.Index) {
	var names, statements, claims []string
	x := &Advice{Kind: "drop index", Table: t.QualifiedName()}
	n := &candidate{advice: x, weight: c.weight}
	for _, i := range list {
		names = append(names, indexName(i))
		statements = append(statements, "DROP INDEX "+indexName(i))
		claims = append(claims, indexClaim(i))
		x.SideEffects = append(x.SideEffects, a.withoutIndex(t, i, list)...)
		if a.usage(i, x) {
			n.read = true
		}
	}
	x.Title = "drop " + strings.Join(names, " and ")
	if len(list) == 1 {
		x.Index = list[0].Name
	}
	x.SideEffects = append(x.SideEffects, "DROP INDEX locks the table for a moment; DROP INDEX CONCURRENTLY waits for others instead")
	x.Steps, n.ddl, n.claims = on(OnSubscriber, statements...), statements, claims
	a.add(n)
}

// withoutIndex says what queries lose, and what foreign keys do.
func (a *adviser) withoutIndex(t *schema.Table, x *schema.Index, gone []*schema.Index) []string {
	var list []string
	lost := "queries by " + keyText(x) + " can no longer use " + x.Name
	for _, y := range t.Indexes {
		if !slices.Contains(gone, y) && serves(y, x) {
			lost += "; " + y.Name + " begins with the same columns and can serve them"
			break
		}
	}
	list = append(list, lost)
	for _, f := range t.References {
		if f.Table == nil || !covers(x, f.Columns) {
			continue
		}
		others := slices.ContainsFunc(t.Indexes, func(y *schema.Index) bool { return !slices.Contains(gone, y) && covers(y, f.Columns) })
		if !others {
			list = append(list, fmt.Sprintf("foreign key %s loses its index: where its triggers run, deleting rows of %s scans %s", f.Name, f.Table.QualifiedName(), t.QualifiedName()))
		}
	}
	return list
}

// serves says whether y's columns begin with all of x's, for all rows that x has.
func serves(y, x *schema.Index) bool {
	if y == x || y.Method != "btree" || x.Method != "btree" || y.Predicate != "" && y.Predicate != x.Predicate || len(y.Keys) < len(x.Keys) {
		return false
	}
	for i, k := range x.Keys {
		if o := y.Keys[i]; k.Column != o.Column || k.Expr != o.Expr || k.OpClass != o.OpClass || k.Collation != o.Collation {
			return false
		}
	}
	return len(x.Include) == 0
}

// covers says whether an index begins with columns, in any order.
func covers(x *schema.Index, columns []int) bool {
	if x.Method != "btree" || x.Predicate != "" || len(x.Keys) < len(columns) {
		return false
	}
	for _, k := range x.Keys[:len(columns)] {
		if !slices.Contains(columns, k.Column) {
			return false
		}
	}
	return true
}

// usage says what is known about the reading of an index; true if it is read.
func (a *adviser) usage(x *schema.Index, to *Advice) bool {
	if a.o.Scans != nil {
		if n, since, ok := a.o.Scans(x); ok {
			if since != "" {
				since = " since " + since
			}
			if n > 0 {
				text := fmt.Sprintf("%s is read: pg_stat_user_indexes counts %s scans%s", x.Name, grouped(n), since)
				if x.Table.ReplicaIdentity == 'f' {
					text += ", lookups of an apply worker among them"
				}
				to.SideEffects = append(to.SideEffects, text)
				return true
			}
			to.Unknown = append(to.Unknown, fmt.Sprintf("whether %s is needed now and then: pg_stat_user_indexes counts no scan%s, of this server alone", x.Name, since))
			return false
		}
	}
	to.Unknown = append(to.Unknown, "whether anybody reads "+x.Name+" (pg_stat_user_indexes.idx_scan of the subscriber; --stats)")
	return false
}

// keyText names an index's key columns.
func keyText(x *schema.Index) string {
	var names []string
	for _, k := range x.Keys {
		if k.Column >= 0 {
			names = append(names, x.Table.Columns[k.Column].Name)
		} else {
			names = append(names, k.Expr)
		}
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// replace tries another index in an index's place.
func (a *adviser) replace(kind, title, suffix string, weight float64, x, other *schema.Index, sideEffects, unknown []string) {
	other.Name = x.Name + suffix
	create, drop := other.Create(), "DROP INDEX "+indexName(x)
	y := &Advice{Kind: kind, Title: title, Table: x.Table.QualifiedName(), Index: x.Name, Steps: on(OnSubscriber, create, drop), SideEffects: sideEffects, Unknown: unknown}
	n := &candidate{advice: y, ddl: []string{create, drop}, claims: []string{indexClaim(x)}, weight: weight}
	a.usage(x, y)
	a.add(n)
}

// offHot tries an index without the columns that updates change.
func (a *adviser) offHot(t *schema.Table, c indexCost, x *schema.Index) {
	if c.prevented == 0 || x.Method != "btree" {
		return
	}
	hot := a.changed[t.QualifiedName()]
	other := *x
	var gone []string
	other.Keys = slices.DeleteFunc(slices.Clone(x.Keys), func(k schema.IndexKey) bool {
		if k.Column < 0 || !hot[t.Columns[k.Column].Name] {
			return false
		}
		gone = append(gone, t.Columns[k.Column].Name)
		return true
	})
	other.Include = slices.DeleteFunc(slices.Clone(x.Include), func(n int) bool {
		if !hot[t.Columns[n].Name] {
			return false
		}
		gone = append(gone, t.Columns[n].Name)
		return true
	})
	if len(gone) == 0 || len(other.Keys) == 0 {
		return
	}
	for _, y := range t.Indexes {
		if y != x && serves(y, &other) {
			return // it is there already: dropping x does the same
		}
	}
	what := strings.Join(gone, ", ")
	a.replace("narrower index", fmt.Sprintf("take %s out of %s", what, indexName(x)), "_without_"+strings.Join(gone, "_"), c.weight, x, &other,
		[]string{"queries that search or sort by " + what + " read more rows of the table", "CREATE INDEX blocks replication of the table while it runs; CONCURRENTLY does not"}, nil)
}

// partialShare is how frequent a value must be for an index to do without it.
const partialShare = 0.4

// partial tries an index without the rows that have the most frequent value, or NULL.
func (a *adviser) partial(t *schema.Table, c indexCost, x *schema.Index) {
	if x.Predicate != "" || x.Method != "btree" || x.Keys[0].Column < 0 {
		return
	}
	column := t.Columns[x.Keys[0].Column].Name
	s := a.column(t, column)
	if s == nil {
		return
	}
	predicate, what := "", ""
	if s.Nulls >= partialShare {
		predicate, what = schema.QuoteIdent(column)+" IS NOT NULL", "rows with NULL in "+column
	} else if value, freq := frequent(s); freq*(1-s.Nulls) >= partialShare {
		predicate = schema.QuoteIdent(column) + " <> '" + strings.ReplaceAll(value, "'", "''") + "'"
		if t.Columns[x.Keys[0].Column].Type.Base().Name == "bool" {
			predicate = map[bool]string{true: "NOT ", false: ""}[isTrue(value)] + schema.QuoteIdent(column)
		}
		what = fmt.Sprintf("rows with %s = '%s'", column, value)
	}
	if predicate == "" {
		return
	}
	other := *x
	other.Predicate = predicate
	a.replace("partial index", fmt.Sprintf("make %s partial: WHERE %s", indexName(x), predicate), "_partial", c.weight, x, &other,
		[]string{"queries for " + what + " can no longer use it, and others only if they say so: their condition must imply " + predicate, "CREATE INDEX blocks replication of the table while it runs; CONCURRENTLY does not"},
		[]string{"whether queries ask for " + what})
}

func isTrue(text string) bool {
	b, err := strconv.ParseBool(text)
	return err == nil && b
}

// frequent is the most frequent one of a column's values, and its share.
func frequent(c *scenario.Column) (value string, share float64) {
	if c.Kind != scenario.Choice || len(c.Weights) != len(c.Values) {
		return "", 0
	}
	total, best := 0.0, 0
	for i, w := range c.Weights {
		total += w
		if w > c.Weights[best] {
			best = i
		}
	}
	return c.Values[best], c.Weights[best] / total
}

// brin tries a BRIN index in the place of a B-tree on a column that follows the order of
// the rows and is never changed.
func (a *adviser) brin(t *schema.Table, c indexCost, x *schema.Index) {
	if x.Method != "btree" || len(x.Keys) != 1 || x.Keys[0].Column < 0 || x.Predicate != "" || len(x.Include) > 0 {
		return
	}
	column := &t.Columns[x.Keys[0].Column]
	s := a.column(t, column.Name)
	if s == nil || a.changed[t.QualifiedName()][column.Name] || x.Keys[0].OpClass != "" {
		return
	}
	switch s.Kind {
	case scenario.Time, scenario.Monotone, scenario.Correlated, scenario.UUIDv7:
	default:
		return
	}
	other := *x
	other.Method, other.Options, other.Keys = "brin", nil, []schema.IndexKey{{Column: x.Keys[0].Column}}
	a.replace("BRIN index", "make "+indexName(x)+" a BRIN index", "_brin", c.weight, x, &other,
		[]string{"it serves ranges of " + column.Name + " only, and reads whole ranges of blocks for them; it gives no order and finds single rows slowly", "new ranges are summarized by VACUUM only, unless autosummarize is on", "CREATE INDEX blocks replication of the table while it runs; CONCURRENTLY does not"},
		[]string{"whether queries need single rows or an order by " + column.Name})
}

// fillfactors are those that are tried.
var fillfactors = []int{95, 90, 80, 70, 50}

// noRoomShare is the share of updates that find no room from which on fillfactors are tried.
const noRoomShare = 0.03

// fillfactor tries to leave room on the pages of a table.
func (a *adviser) fillfactor(t *schema.Table) {
	sum := a.total(t)
	full := sum.NotHOT.NoRoom + sum.NotHOT.Both
	if sum.Updates == 0 || float64(full) < noRoomShare*float64(sum.Updates) {
		return
	}
	claim := "fillfactor " + name(t)
	for _, f := range fillfactors {
		if f >= t.Fillfactor {
			continue
		}
		var statements, vacuums []string
		for _, p := range family(t) {
			if p.Kind != 'p' { // a partitioned table has no pages of its own
				statements = append(statements, fmt.Sprintf("ALTER TABLE %s SET (fillfactor = %d)", name(p), f))
				vacuums = append(vacuums, "VACUUM FULL "+name(p))
			}
		}
		x := &Advice{
			Kind: "fillfactor", Title: fmt.Sprintf("fillfactor %d for %s", f, name(t)), Table: t.QualifiedName(), Steps: on(OnSubscriber, append(slices.Clone(statements), vacuums...)...),
			SideEffects: []string{"VACUUM FULL rewrites the table, which nobody can use meanwhile; without it only new pages have the room"},
			Unknown:     []string{"how much a larger table costs those who read it"},
		}
		a.add(&candidate{advice: x, ddl: statements, claims: []string{claim}, group: claim, asks: -f, weight: a.tableWeight(t)})
	}
}
