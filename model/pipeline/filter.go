package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"applysim/model/cost"
	"applysim/model/publisher"
	"applysim/model/scenario"
	"applysim/model/schema"
	"applysim/model/stream"
)

// leastFiltered is the part of a subscription's load that a row filter must save to be worth
// telling.
const leastFiltered = 0.1

// filters are row filters that would keep the most frequent value of a column from a
// subscription. They are tried for tables that are only inserted into: a filter of updates
// and deletes may use columns of the replica identity only. Of the walsender's work the
// half that is reading stays, and evaluating the filter for each row comes on top: that is
// what moves to the publisher.
func filters(s *scenario.Scenario, c *Costs, o *Options, before Outcome) ([]Way, error) {
	if before.Load <= 0 {
		return nil, nil
	}
	filter, err := filterSeconds(o.Profile)
	if err != nil {
		return nil, err
	}
	var list []Way
	for _, t := range s.Tables {
		if !insertedOnly(s, t.Name) {
			continue
		}
		for _, col := range t.Columns {
			value, part := mostFrequent(col)
			if len(col.Values) < 2 || part <= 0 {
				continue
			}
			costs := *c
			costs.Operations = slices.Clone(c.Operations)
			for i, op := range s.Operations {
				if op.Table != t.Name {
					continue
				}
				k := &costs.Operations[i]
				k.Subscriptions = slices.Clone(k.Subscriptions)
				for j := range k.Subscriptions {
					y := &k.Subscriptions[j]
					left := 1 - part
					y.Sender = float64(y.Sender*(readShare+float64((1-readShare)*left))) + float64(k.Changes*filter)
					y.Bytes, y.Messages, y.Apply, y.Pass, y.WAL, y.Changes = y.Bytes*left, y.Messages*left, y.Apply*left, y.Pass*left, y.WAL*left, y.Changes*left
				}
			}
			after, _, err := outcome(s, &costs, o)
			if err != nil {
				return nil, err
			}
			if before.Load-after.Load < float64(leastFiltered*before.Load) {
				continue
			}
			name, column := qualified(t.Name), schema.QuoteIdent(col.Name)
			where := fmt.Sprintf("(%s IS DISTINCT FROM '%s')", column, strings.ReplaceAll(value, "'", "''"))
			list = append(list, Way{
				Kind: "row filter", Title: fmt.Sprintf("do not publish rows of %s whose %s is %s: %.0f %% of them", name, column, value, 100*part),
				SQL:    []string{fmt.Sprintf("ALTER PUBLICATION ... SET TABLE %s WHERE %s -- on the publisher, with the other tables of the publication", name, where)},
				Before: before, After: after,
				SideEffects: []string{
					"whoever needs these rows on the subscriber does not find them",
					fmt.Sprintf("moves to the publisher: its walsender evaluates the filter for each row, %.2g µs (walsenders take %.2g %% of a core in place of %.2g %%)", filter*1e6, 100*after.WalsenderLoad, 100*before.WalsenderLoad),
					"updates and deletes of the table would need the column in its replica identity",
				},
			})
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

// qualified is a table's name in SQL.
func qualified(name string) string {
	var parts []string
	for _, p := range strings.Split(name, ".") {
		parts = append(parts, schema.QuoteIdent(p))
	}
	return strings.Join(parts, ".")
}

// insertedOnly says whether a scenario does nothing else with a table.
func insertedOnly(s *scenario.Scenario, table string) bool {
	inserts := false
	for _, op := range s.Operations {
		if op.Table == table {
			if op.Do != "insert" || len(op.Then) > 0 {
				return false
			}
			inserts = true
		}
		if slices.ContainsFunc(op.Then, func(x scenario.Step) bool { return x.Table == table }) {
			return false
		}
	}
	return inserts
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

// filterSeconds is what a walsender takes to evaluate a filter of one condition for a row.
func filterSeconds(p *cost.Profile) (float64, error) {
	prices, err := publisher.Model()
	if err != nil || p.Publisher == nil {
		return 0, err
	}
	var with, without publisher.Counter
	m := &stream.Message{Kind: stream.KindInsert}
	with.Decoded(m, "t", &publisher.Published{Name: "t", Filter: 1})
	without.Decoded(m, "t", &publisher.Published{Name: "t"})
	n := prices.Instructions(with.Usage()) - prices.Instructions(without.Usage())
	return n / 1000 * p.Publisher.Sender.Value * 1e-9, nil
}
