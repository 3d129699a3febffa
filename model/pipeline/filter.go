package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// leastFiltered is the part of a subscription's load that a row filter must save to be worth
// telling.
const leastFiltered = 0.1

// filters are row filters that would keep the most frequent value of a column from a
// subscription. Each is simulated: what the publisher's WAL, the stream and the subscriber are
// with it, updates that cross it being sent as inserts and deletes. Updates and deletes of the
// table need the column in its replica identity: where it is not, the identity is made FULL,
// which is in what is simulated. Of the walsender's work reading the WAL stays, and evaluating
// the filter for each row comes on top: that is what moves to the publisher.
func filters(s *scenario.Scenario, c *Costs, o *Options, before Outcome) ([]Way, error) {
	if before.Load <= 0 {
		return nil, nil
	}
	db, err := s.Database(nil, o.Schema)
	if err != nil {
		return nil, err
	}
	var list []Way
	for _, t := range s.Tables {
		if !filterable(s, db, t) {
			continue
		}
		for _, col := range t.Columns {
			value, part := mostFrequent(col)
			if len(col.Values) < 2 || part < leastFiltered || s.Binary && !plainText(db, t.Name, col.Name) {
				continue
			}
			f := &scenario.Filter{Table: t.Name, Column: col.Name, Value: value}
			costs, err := measure(s, o, f)
			if err != nil {
				return nil, err
			}
			after, _, err := outcome(s, costs, o)
			if err != nil {
				return nil, err
			}
			if before.Load-after.Load < float64(leastFiltered*before.Load) {
				continue
			}
			list = append(list, filterWay(s, db, f, c, costs, before, after, part))
		}
	}
	slices.SortStableFunc(list, func(a, b Way) int {
		switch {
		case a.After.Load < b.After.Load:
			return -1
		case a.After.Load > b.After.Load:
			return 1
		}
		return 0
	})
	return list, nil
}

// filterWay says what a filter does.
func filterWay(s *scenario.Scenario, db *schema.Database, f *scenario.Filter, c, with *Costs, before, after Outcome, part float64) Way {
	name := qualified(f.Table)
	w := Way{
		Kind: "row filter", Title: fmt.Sprintf("do not publish rows of %s whose %s is %s: %.0f %% of them", name, schema.QuoteIdent(f.Column), f.Value, 100*part),
		Before: before, After: after,
	}
	if sql := f.Identity(s, db); sql != "" {
		w.SQL = append(w.SQL, strings.Replace(sql, "ALTER TABLE "+scenario.Quoted(f.Table), "ALTER TABLE "+name, 1)+" -- on the publisher: updates and deletes are refused unless the identity has the filter's column")
	}
	w.SQL = append(w.SQL, fmt.Sprintf("ALTER PUBLICATION ... SET TABLE %s WHERE %s -- on the publisher, with the other tables of the publication", name, f.Where()))
	made, sent := with.filtered[0], with.filtered[1]
	if made.updates+made.deletes > 0 {
		w.SQL = append(w.SQL, fmt.Sprintf("DELETE FROM %s WHERE NOT %s -- on the subscriber, at that place of the WAL: an update that crosses the filter comes as an INSERT, which stops at a key that is there", name, f.Where()))
	}
	w.SideEffects = []string{"whoever needs these rows on the subscriber does not find them"}
	if made.updates > 0 {
		w.SideEffects = append(w.SideEffects, fmt.Sprintf("of %.0f inserts, %.0f updates and %.0f deletes the subscriber gets %.0f, %.0f and %.0f: an update that crosses the filter comes as an insert or a delete",
			made.inserts, made.updates, made.deletes, sent.inserts, sent.updates, sent.deletes))
	}
	if a, b := walOf(s, c), walOf(s, with); f.Identity(s, db) != "" && a > 0 {
		w.SideEffects = append(w.SideEffects, fmt.Sprintf("moves to the publisher: with all columns as the identity it logs and sends whole old rows, its WAL is %+.1f %%", 100*(b/a-1)))
	}
	w.SideEffects = append(w.SideEffects, fmt.Sprintf("moves to the publisher: its walsenders evaluate the filter for each row, and still read all WAL: they take %.2g %% of a core in place of %.2g %%", 100*after.WalsenderLoad, 100*before.WalsenderLoad))
	return w
}

// walOf is the publisher's WAL of a whole run, bytes.
func walOf(s *scenario.Scenario, c *Costs) float64 {
	sum := 0.0
	for i := range c.Operations {
		sum += float64(transactions(s, i) * c.Operations[i].WAL)
	}
	return sum
}

// qualified is a table's name in SQL.
func qualified(name string) string {
	var parts []string
	for _, p := range strings.Split(name, ".") {
		parts = append(parts, schema.QuoteIdent(p))
	}
	return strings.Join(parts, ".")
}

// filterable says whether a filter of a table is tried: it is neither partitioned nor a
// partition, all of its columns are published, and the scenario changes its rows.
func filterable(s *scenario.Scenario, db *schema.Database, t *scenario.Table) bool {
	at := slices.IndexFunc(db.Tables, func(x *schema.Table) bool { return x.QualifiedName() == t.Name })
	if at < 0 || len(t.Unpublished) > 0 || db.Tables[at].Kind == 'p' || db.Tables[at].Parent != nil {
		return false
	}
	return slices.ContainsFunc(s.Operations, func(op *scenario.Operation) bool {
		return op.Table == t.Name || slices.ContainsFunc(op.Then, func(x scenario.Step) bool { return x.Table == t.Name })
	})
}

// plainText says whether a column's values are the same in text and in binary format.
func plainText(db *schema.Database, table, column string) bool {
	for _, t := range db.Tables {
		if n := t.Column(column); t.QualifiedName() == table && n >= 0 {
			return slices.Contains([]string{"text", "character varying", "character"}, t.Columns[n].Type.Name)
		}
	}
	return false
}

// mostFrequent is the value that most rows have in a column, and their part.
func mostFrequent(c *scenario.Column) (value string, part float64) {
	sum, best := 0.0, 0.0
	for i, v := range c.Values {
		w := 1.0
		if len(c.Weights) == len(c.Values) {
			w = c.Weights[i]
		}
		if sum += w; w > best {
			best, value = w, v
		}
	}
	if sum == 0 {
		return "", 0
	}
	return value, float64(best / sum * (1 - c.Nulls))
}
