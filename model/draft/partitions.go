package draft

import (
	"slices"
	"strconv"
	"time"

	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// bounds gives the columns of a partition's key values that lie within its bounds. They
// are settled then: no key and no constraint changes them.
func (d *Draft) bounds(t *Table) {
	if t.Schema.Partition != nil {
		for _, k := range t.Schema.Partition.Keys {
			if k.Column >= 0 {
				t.fixed[k.Column] = true
			}
		}
	}
	if t.Schema.Kind == 'p' && !isHashRoot(t.Schema) {
		return
	}
	for at := t.Schema; at.Parent != nil; at = at.Parent {
		p := at.Parent.Partition
		if p == nil || at.Bound == nil {
			continue
		}
		var columns []*Column
		for _, k := range p.Keys {
			if k.Column < 0 {
				t.note("partitioned by an expression: whether its values lie within the bounds is tried")
				columns = nil
				break
			}
			own := t.Schema.Column(at.Parent.Columns[k.Column].Name)
			t.fixed[own] = true
			columns = append(columns, t.column(own))
		}
		if len(columns) != len(p.Keys) || slices.Contains(columns, nil) {
			continue
		}
		switch b := at.Bound; {
		case b.Modulus > 0:
		case b.Default:
			t.note("the default partition: its rows have values that no other partition takes, which must be given by hand")
		case b.In != nil:
			columns[0].listed(b.In)
		default:
			ranged(columns, b)
		}
	}
}

// listed takes the values of a list partition over.
func (c *Column) listed(in []schema.BoundValue) {
	var values []string
	null := false
	for _, v := range in {
		switch {
		case v.Null:
			null = true
		case !v.Expr && c.takes(v.Text) && len(values) < 50:
			values = append(values, v.Text)
		}
	}
	switch {
	case len(values) > 0:
		c.choose(values, "within the partition's bounds")
	case null:
		c.Spec.Nulls, c.settled = 1, true
		c.Note = "the partition takes NULL"
	}
}

// ranged chooses values of a range partition. Where the first column's bounds leave room
// between them the others may be anything.
func ranged(columns []*Column, b *schema.Bound) {
	const note = "within the partition's bounds"
	if len(b.From) == 0 || len(b.To) == 0 {
		return
	}
	c, from, to := columns[0], b.From[0], b.To[0]
	plain := func(v schema.BoundValue) bool {
		return !v.MinValue && !v.MaxValue && !v.Expr && !v.Null && c.takes(v.Text)
	}
	one := len(columns) == 1
	if low, high, ok := c.whole(from, to, one); ok {
		c.Spec = scenario.Column{Name: c.Spec.Name, Kind: scenario.Random, First: low, Distinct: high - low, Step: 1, Scale: 0}
		c.Note, c.settled, c.span = note, true, high-low
		return
	}
	var values []string
	switch {
	case plain(from) && plain(to):
		if values = between(c, from.Text, to.Text); one {
			values = append([]string{from.Text}, values...)
		}
	case plain(from):
		if values = around(c, from.Text, 1); one {
			values = append([]string{from.Text}, values...)
		}
	case plain(to):
		values = around(c, to.Text, -1)
	default:
		return // any value will do
	}
	values = slices.DeleteFunc(values, func(v string) bool { return !c.takes(v) })
	if len(values) > 0 {
		c.choose(values, note)
		return
	}
	// The lower bound itself is sure, with those of all other columns.
	for i, x := range columns {
		if i < len(b.From) {
			if v := b.From[i]; !v.MinValue && !v.MaxValue && !v.Expr && x.takes(v.Text) {
				x.choose([]string{v.Text}, note)
			}
		}
	}
}

// whole gives the bounds of whole numbers, the upper one excluded. ok is false for other
// types and where a bound is missing.
func (c *Column) whole(from, to schema.BoundValue, one bool) (low, high int64, ok bool) {
	switch c.base().Kind {
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8:
	default:
		return 0, 0, false
	}
	low, err := strconv.ParseInt(from.Text, 10, 64)
	high, err2 := strconv.ParseInt(to.Text, 10, 64)
	switch {
	case from.MinValue && to.MaxValue:
		return 0, 0, false
	case from.MinValue:
		low, err = high-1_000_000, nil
		if least := -numberLimit(c); least != 0 {
			low = max(low, least)
		}
	case to.MaxValue:
		high, err2 = low+1_000_000, nil
		if most := numberLimit(c); most != 0 {
			high = min(high, most)
		}
	}
	if !one {
		low++
	}
	return low, high, err == nil && err2 == nil && low < high
}

// hashRoot is the partitioned table above a hash partition to which its rows are given,
// as nobody can tell a row's partition from its values; nil for any other table.
func hashRoot(t *schema.Table) *schema.Table {
	var root *schema.Table
	for at := t; at.Parent != nil && at.Parent.Partition != nil && at.Parent.Partition.By == "hash"; at = at.Parent {
		root = at.Parent
	}
	return root
}

// apart numbers the rows of hash partitions that are there before the run from loadedFrom
// on.
func (d *Draft) apart(t *Table) {
	if hashRoot(t.Schema) == nil {
		return
	}
	for _, c := range t.Columns {
		if c.Spec.Kind == scenario.Monotone && isNumber(c.base().Kind) && d.variety(c) > 2*loadedFrom {
			c.Spec.First = loadedFrom
		}
	}
}

// isHashRoot says whether a table is one.
func isHashRoot(t *schema.Table) bool {
	return t.Partition != nil && t.Partition.By == "hash" && hashRoot(t) == nil
}

// loadedFrom is from where on the rows of hash partitions are numbered that are there
// before the run, so that rows which come through the partitioned table have other keys.
const loadedFrom = 1_000_000_001

func (d *Draft) exprOptions() *expr.Options {
	return &expr.Options{TargetTypmod: -1, Resolve: func(name string) *pgtype.Type {
		if t := d.db.Types[name]; t != nil {
			return t
		}
		return d.db.Types["public."+name]
	}}
}

// between are values from one bound on that lie before another one.
func between(c *Column, from, to string) []string {
	const n = 6
	var list []string
	switch k := c.base().Kind; {
	case isNumber(k):
		a, err := strconv.ParseInt(from, 10, 64)
		b, err2 := strconv.ParseInt(to, 10, 64)
		if err != nil || err2 != nil {
			return nil
		}
		for i := int64(1); i < n; i++ {
			if v := a + int64(float64(b-a)*float64(i)/n); v > a && v < b && (len(list) == 0 || list[len(list)-1] != strconv.FormatInt(v, 10)) {
				list = append(list, strconv.FormatInt(v, 10))
			}
		}
	case isTime(k):
		a, layout, ok := parseTime(from)
		b, _, ok2 := parseTime(to)
		if !ok || !ok2 {
			return nil
		}
		for i := range n - 1 {
			v := a.Add(time.Duration(float64(b.Sub(a)) * float64(i+1) / n)).Truncate(time.Second).Format(layout)
			if v != from && (len(list) == 0 || list[len(list)-1] != v) {
				list = append(list, v)
			}
		}
	case isText(k):
		list = []string{from + "0"}
		if !(list[0] < to) {
			list = nil
		}
	}
	return list
}

// around are values above a bound or below it, whichever the sign says.
func around(c *Column, bound string, sign int64) []string {
	var list []string
	switch k := c.base().Kind; {
	case isNumber(k):
		b, err := strconv.ParseInt(bound, 10, 64)
		if err != nil {
			return nil
		}
		for i := int64(1); i <= 6; i++ {
			list = append(list, strconv.FormatInt(b+sign*i, 10))
		}
	case isTime(k):
		b, layout, ok := parseTime(bound)
		if !ok {
			return nil
		}
		for i := range int64(6) {
			list = append(list, b.Add(time.Duration(sign*(i+1))*24*time.Hour).Format(layout))
		}
	case isText(k) && sign < 0:
		list = []string{""}
	case isText(k):
		list = []string{bound + "a", bound + "b"}
	}
	return list
}

// parseTime reads a bound as pg_dump and people write it.
func parseTime(s string) (time.Time, string, bool) {
	for _, layout := range []string{"2006-01-02", "2006-01-02 15:04:05", "2006-01-02 15:04:05-07", "2006-01-02 15:04:05-07:00", "2006-01-02 15:04", "2006-01-02 15:04-07", "2006-01-02 15:04-07:00", "2006-01-02T15:04:05Z07:00"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, layout, true
		}
	}
	return time.Time{}, "", false
}
