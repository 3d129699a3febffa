package advise

import (
	"cmp"
	"fmt"
	"slices"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// full tries what helps where the publisher sends whole old rows.
func (a *adviser) full(t *schema.Table) {
	sum := a.total(t)
	if t.ReplicaIdentity != 'f' || sum.Updates+sum.Deletes == 0 {
		return
	}
	claim, weight := "identity "+name(t), 1+a.tableWeight(t)
	smaller := "old rows carry the key only: other consumers of the publisher's stream no longer see the whole old row"
	try := func(kind, title string, steps []Step, ddl []string, effects, unknown []string, claims ...string) {
		x := &Advice{Kind: kind, Title: title, Table: t.QualifiedName(), Steps: steps, SideEffects: effects, Unknown: unknown}
		a.add(&candidate{advice: x, ddl: ddl, claims: append([]string{claim}, claims...), weight: weight})
	}
	own := lookupKey(t)
	if own != nil {
		sql := "ALTER TABLE " + name(t) + " REPLICA IDENTITY DEFAULT"
		try("replica identity", "identify rows of "+name(t)+" by the primary key", both(sql), []string{sql}, []string{smaller}, nil)
		return
	}
	for _, x := range t.Indexes {
		if !usableIdentity(t, x) {
			continue
		}
		sql := "ALTER TABLE " + name(t) + " REPLICA IDENTITY USING INDEX " + schema.QuoteIdent(x.Name)
		try("replica identity", "identify rows of "+name(t)+" by "+indexName(x), both(sql), []string{sql}, []string{smaller}, nil, indexClaim(x))
	}
	distinct := a.distinct(t)
	for _, d := range distinct {
		if !d.unique {
			continue
		}
		column := schema.QuoteIdent(t.Columns[d.column].Name)
		key := "ALTER TABLE " + name(t) + " ADD PRIMARY KEY (" + column + ")"
		sql := "ALTER TABLE " + name(t) + " REPLICA IDENTITY DEFAULT"
		try("replica identity", "a primary key ("+column+") for "+name(t), both(key, sql), []string{key, sql},
			[]string{smaller, "one more index on both sides, if there is none on the column", "ADD PRIMARY KEY locks the table while it builds the index"}, []string{"whether " + column + " is unique and never NULL: the scenario's values are"})
		break
	}
	var usable []*schema.Index
	for _, x := range t.Indexes {
		if (x.Method == "btree" || x.Method == "hash") && x.Predicate == "" && x.Keys[0].Column >= 0 && x.Parent == nil {
			usable = append(usable, x)
		}
	}
	if len(usable) > 0 {
		a.order(t, usable, try)
	}
	for _, d := range distinct {
		if d.changed || slices.ContainsFunc(usable, func(x *schema.Index) bool { return x.Keys[0].Column == d.column }) {
			continue
		}
		a.newIndex(t, d, usable, try)
		return // no other tells rows apart better
	}
}

// both makes steps of statements for both sides: the subscriber's own replica identity says
// how old rows stand in its WAL at wal_level = logical.
func both(statements ...string) []Step {
	return append(on(OnSubscriber, statements...), on(OnPublisher, statements...)...)
}

type trier func(kind, title string, steps []Step, ddl []string, effects, unknown []string, claims ...string)

// oidOrder says why the order matters.
const oidOrder = "the worker takes the first usable index in the order of their creation (OID), not the best one"

// order tries each of the usable indexes as the first one: those before it are made anew.
func (a *adviser) order(t *schema.Table, usable []*schema.Index, try trier) {
	for i := 1; i < len(usable); i++ {
		steps, ddl, claims := again(usable[:i])
		if steps == nil {
			return // a constraint's index stays where it is
		}
		try("index order", "let "+indexName(usable[i])+" come before "+indexName(usable[0])+" for lookups in "+name(t), steps, ddl,
			[]string{oidOrder, "the next dump and restore may bring another order: pg_dump sorts indexes by name", "CREATE INDEX blocks replication of the table while it runs; REINDEX INDEX CONCURRENTLY gives an index a new OID without that"}, nil, claims...)
	}
}

// again makes indexes anew, so that others come before them.
func again(list []*schema.Index) (steps []Step, ddl, claims []string) {
	for _, x := range list {
		if needed(x) {
			return nil, nil, nil
		}
		ddl = append(ddl, "DROP INDEX "+indexName(x), x.Create())
		claims = append(claims, indexClaim(x))
	}
	return on(OnSubscriber, ddl...), ddl, claims
}

// newIndex tries an index by which rows are found.
func (a *adviser) newIndex(t *schema.Table, d distinctColumn, usable []*schema.Index, try trier) {
	column := schema.QuoteIdent(t.Columns[d.column].Name)
	x := &schema.Index{Name: t.Name + "_" + t.Columns[d.column].Name + "_lookup", Table: t, Method: "btree", Keys: []schema.IndexKey{{Column: d.column}}}
	create := x.Create()
	steps, ddl, claims := again(usable)
	if len(usable) > 0 && steps == nil {
		return
	}
	effects := []string{"one more index to keep"}
	if len(usable) > 0 {
		effects = append(effects, oidOrder+": the others are made anew after it")
	}
	effects = append(effects, "CREATE INDEX blocks replication of the table while it runs; CONCURRENTLY does not")
	try("lookup index", "an index on "+name(t)+" ("+column+"), by which the worker finds rows", append(on(OnSubscriber, create), steps...), append([]string{create}, ddl...), effects,
		[]string{fmt.Sprintf("how many rows share a value of %s: the scenario has %s", column, atMost(d.values))}, claims...)
}

// atMost says how many values there are.
func atMost(n float64) string {
	if n >= 1e9 {
		return "about as many as rows"
	}
	return "about " + grouped(int64(n))
}

// distinctColumn is a column and how many values it has.
type distinctColumn struct {
	column  int
	values  float64
	unique  bool // no two rows have the same, and none is NULL
	changed bool // by updates
}

// distinct lists columns by how well they tell rows apart.
func (a *adviser) distinct(t *schema.Table) []distinctColumn {
	var list []distinctColumn
	for i := range t.Columns {
		c := &t.Columns[i]
		s := a.column(t, c.Name)
		if s == nil || s.Nulls > 0 || uncomparable(&schema.Table{Columns: []schema.Column{*c}}) != "" {
			continue
		}
		d := distinctColumn{column: i, changed: a.changed[t.QualifiedName()][c.Name]}
		const all = 1e18
		switch s.Kind {
		case scenario.Monotone, scenario.UUIDv4, scenario.UUIDv7:
			d.values, d.unique = all, !d.changed
		case scenario.Time:
			d.values = all / 10
		case scenario.Correlated:
			d.values = float64(max(a.total(t).Rows, 1)) / float64(max(s.RowsPerValue, 1))
		case scenario.Choice:
			d.values = float64(len(s.Values))
		default:
			d.values = all / 100
			if s.Distinct > 0 {
				d.values = float64(s.Distinct)
			}
			if s.Zipf > 0 {
				d.values /= 10
			}
			if s.MaxWidth > 256 {
				d.values = 0 // too long for a key that is cheap
			}
		}
		if d.values > 1 {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(x, y distinctColumn) int { return cmp.Compare(y.values, x.values) })
	return list
}
