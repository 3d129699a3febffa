package draft

import (
	"slices"
	"strings"

	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// keys makes at least one column of each unique index different in all rows. The indexes
// of a single column come first, as they leave no choice.
func (d *Draft) keys(t *Table) {
	var unique []*schema.Index
	for _, x := range t.Schema.Indexes {
		if x.Unique || d.equal(t, x) {
			unique = append(unique, x)
		}
	}
	slices.SortStableFunc(unique, func(a, b *schema.Index) int { return len(a.Keys) - len(b.Keys) })
	for _, x := range unique {
		columns := d.keyColumns(t, x)
		for _, n := range columns {
			t.unique[n] = true
		}
		if t.Schema.Kind == 'p' && !isHashRoot(t.Schema) {
			continue // it has no rows of its own
		}
		if !slices.ContainsFunc(columns, func(n int) bool { c := t.column(n); return c != nil && c.distinct && plainKey(x, n) }) {
			d.makeUnique(t, x, columns)
		}
	}
}

// equal says whether an index is that of an exclusion constraint with equality only.
func (d *Draft) equal(t *Table, x *schema.Index) bool {
	for _, e := range t.Schema.Exclusions {
		if e.Index == x {
			return !slices.ContainsFunc(e.Operators, func(o string) bool { return o != "=" })
		}
	}
	return false
}

func plainKey(x *schema.Index, column int) bool {
	return slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column == column })
}

// keyColumns are the columns that an index's keys depend on, generated ones replaced by
// what they are computed from.
func (d *Draft) keyColumns(t *Table, x *schema.Index) []int {
	var list []int
	add := func(n int) {
		if n >= 0 && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for _, k := range x.Keys {
		if k.Column >= 0 {
			if c := &t.Schema.Columns[k.Column]; c.Generated != 0 {
				for _, n := range d.columnsOf(t, c.GeneratedExpr) {
					add(n)
				}
			}
			add(k.Column)
			continue
		}
		for _, n := range d.columnsOf(t, k.Expr) {
			add(n)
		}
	}
	return list
}

// columnsOf are the columns that an expression reads. Of one that cannot be understood
// they are those whose names occur in it.
func (d *Draft) columnsOf(t *Table, sql string) []int {
	if e, err := expr.CompileOptions(sql, t.Schema, d.exprOptions()); err == nil {
		return e.Columns()
	}
	var list []int
	for i := range t.Schema.Columns {
		if c := &t.Schema.Columns[i]; !c.Dropped && containsName(sql, c.Name) {
			list = append(list, i)
		}
	}
	return list
}

// containsName says whether a name stands in SQL as a word.
func containsName(sql, name string) bool {
	for at := 0; ; {
		i := strings.Index(sql[at:], name)
		if i < 0 {
			return false
		}
		i += at
		if (i == 0 || !wordByte(sql[i-1])) && (i+len(name) == len(sql) || !wordByte(sql[i+len(name)])) {
			return true
		}
		at = i + 1
	}
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// makeUnique chooses the column that is to differ.
func (d *Draft) makeUnique(t *Table, x *schema.Index, columns []int) {
	need := 2*t.Rows + d.o.Changes
	checked := map[int]bool{} // columns of CHECK constraints
	for _, k := range t.Schema.Checks {
		for _, n := range d.columnsOf(t, k.Expr) {
			checked[n] = true
		}
	}
	var best *Column
	score := func(c *Column) int64 {
		s := min(d.variety(c), need) * 8 / need * 1000
		if !plainKey(x, c.number) {
			s -= 3000
		}
		if d.refersTo(t, c) != nil {
			s -= 100
		}
		if isNumber(c.base().Kind) || c.base().Kind == pgtype.KindUUID {
			s += 50
		}
		if c.Schema.NotNull {
			s += 200
		}
		if isText(c.base().Kind) && checked[c.number] {
			s -= 400
		}
		if strings.EqualFold(c.Schema.Name, "id") {
			s += 20
		}
		return s
	}
	for i := range columns {
		c := t.column(columns[len(columns)-1-i]) // the last one, all else being equal
		if c == nil || d.variety(c) < 2 {
			continue
		}
		if best == nil || score(c) > score(best) {
			best = c
		}
	}
	if best != nil && d.variety(best) >= min(need, t.Rows+1000) {
		best.makeDistinct()
		if len(columns) > 1 && best.Note == "" {
			best.Note = "different in all rows, as " + x.Name + " is unique"
		}
		return
	}
	// NULLs are different from each other.
	if !x.NullsNotDistinct && !x.Primary {
		for _, n := range columns {
			if c := t.column(n); c != nil && !c.settled && !c.Schema.NotNull && plainKey(x, n) {
				c.Spec = scenario.Column{Name: c.Spec.Name, First: 1, Step: 1, Scale: 2, Nulls: 1}
				c.Note = "NULL, as " + x.Name + " has room for few different values"
				c.distinct, c.settled = true, true
				return
			}
		}
	}
	room := int64(1)
	if best != nil {
		room = d.variety(best)
		best.makeDistinct()
	}
	if t.capacity == 0 || room < t.capacity {
		t.capacity = room
	}
	t.note("%s has room for %d rows with different values", x.Name, room)
}

// variety is how many different values the column can be given.
func (d *Draft) variety(c *Column) int64 {
	const many = 1 << 50
	k := c.base().Kind
	switch {
	case c.span > 0:
		return c.span
	case c.settled:
		return 1
	case isNumber(k):
		if n := numberLimit(c); n > 0 {
			return n
		}
		return many
	case k == pgtype.KindUUID:
		return many
	case k == pgtype.KindChar:
		return 1
	case isText(k):
		n := textLimit(c)
		if n == 0 || n >= 15 {
			return many
		}
		p := int64(1)
		for range n {
			p *= 10
		}
		return p - 1
	case k == pgtype.KindBytea, k == pgtype.KindJSON, k == pgtype.KindJsonb, k == pgtype.KindTimestamp, k == pgtype.KindTimestampTZ, k == pgtype.KindLSN:
		return many
	case k == pgtype.KindDate:
		return 1 << 21
	case k == pgtype.KindInet, k == pgtype.KindCidr, k == pgtype.KindMacaddr, k == pgtype.KindMacaddr8:
		return 1 << 24
	case k == pgtype.KindInterval:
		return 1_000_000
	case k == pgtype.KindRange, k == pgtype.KindMultirange:
		return 1_000_000
	case k == pgtype.KindTime:
		return 86_400
	}
	return 1
}

// makeDistinct gives the column different values in all rows.
func (c *Column) makeDistinct() {
	if c.span > 0 { // within a partition's bounds
		c.Spec.Kind, c.Spec.Distinct, c.distinct = scenario.Monotone, 0, true
		return
	}
	spec := scenario.Column{Name: c.Spec.Name, First: 1, Step: 1, Scale: 2, MinWidth: c.Spec.MinWidth, MaxWidth: c.Spec.MaxWidth, Nulls: c.Spec.Nulls}
	if c.base().Kind == pgtype.KindNumeric {
		if m := c.typmod(); m >= 4 {
			spec.Scale = min(2, int(m-4)&0x7ff)
		}
	}
	measured := c.Spec.Kind
	switch k := c.base().Kind; {
	case k == pgtype.KindUUID:
		spec.Kind = scenario.UUIDv4
		if measured == scenario.UUIDv7 || strings.Contains(strings.ToLower(c.Schema.Default), "v7") {
			spec.Kind = scenario.UUIDv7
		}
	case k == pgtype.KindBytea, k == pgtype.KindJSON, k == pgtype.KindJsonb, k == pgtype.KindRange, k == pgtype.KindMultirange:
		spec.Kind = scenario.Random
		if k == pgtype.KindBytea || k == pgtype.KindJSON || k == pgtype.KindJsonb {
			least := 16
			if k != pgtype.KindBytea {
				least = 40
			}
			spec.MinWidth, spec.MaxWidth = max(spec.MinWidth, least), max(spec.MaxWidth, least)
		}
	case isText(k):
		n := textLimit(c)
		if n == 0 || n >= 16 {
			spec.Kind = scenario.Random
			spec.MinWidth, spec.MaxWidth = max(spec.MinWidth, 16), max(spec.MaxWidth, 16)
			break
		}
		spec.Kind, spec.MinWidth, spec.MaxWidth = scenario.Monotone, n, n
	default:
		spec.Kind = scenario.Monotone
	}
	c.Spec, c.distinct = spec, true
}
