package partition

import (
	"cmp"
	"slices"

	"applysim/heap/datum"
)

// Condition is what a statement asks of a column of the partition key.
type Condition struct {
	Column int
	Op     string        // = < <= > >=
	Values []datum.Value // one of them
}

// May says whether a partition, by its number among the table's children, may have rows
// for which all conditions hold: the planner leaves the others out (partprune.c). Of a
// range only conditions on the first column of the key count, unless all columns have
// one value.
func (r *Router) May(partition int, conditions []Condition) bool {
	if n, ok := r.only(conditions); ok {
		return slices.Contains(n, partition)
	}
	b := &r.bounds[partition]
	switch {
	case partition == r.other, r.by == "hash", r.keys[0].expr != nil:
		return true
	case r.by == "list":
		return slices.ContainsFunc(b.in, func(v datum.Value) bool {
			return !slices.ContainsFunc(conditions, func(c Condition) bool { return c.Column == r.keys[0].column && !r.satisfies(v, &c) })
		})
	}
	for i := range conditions {
		c := &conditions[i]
		if c.Column == r.keys[0].column && len(b.from) > 0 && len(b.to) > 0 && !slices.ContainsFunc(c.Values, func(v datum.Value) bool { return r.overlaps(b, c.Op, v) }) {
			return false
		}
	}
	return true
}

// only are the partitions that rows can be in if each column of the key has given values.
func (r *Router) only(conditions []Condition) (partitions []int, ok bool) {
	choices := make([][]datum.Value, len(r.keys))
	for k := range r.keys {
		for i := range conditions {
			if c := &conditions[i]; r.keys[k].expr == nil && c.Column == r.keys[k].column && c.Op == "=" {
				choices[k] = c.Values
			}
		}
		if choices[k] == nil {
			return nil, false
		}
	}
	row := make([]datum.Value, slices.Max(r.columns)+1)
	var try func(k int)
	try = func(k int) {
		if k < len(r.keys) {
			for _, v := range choices[k] {
				row[r.keys[k].column] = v
				try(k + 1)
			}
			return
		}
		if n, err := r.Partition(row); err == nil && n >= 0 {
			partitions = append(partitions, n)
		}
	}
	try(0)
	return partitions, true
}

func (r *Router) satisfies(v datum.Value, c *Condition) bool {
	return slices.ContainsFunc(c.Values, func(w datum.Value) bool {
		if v.Null || w.Null {
			return false
		}
		n := r.keys[0].class.Compare(&v, &w)
		switch c.Op {
		case "<":
			return n < 0
		case "<=":
			return n <= 0
		case ">":
			return n > 0
		case ">=":
			return n >= 0
		}
		return n == 0
	})
}

// overlaps says whether the first column of a range may have a value that compares so
// with a given one.
func (r *Router) overlaps(b *bound, op string, v datum.Value) bool {
	if v.Null {
		return false
	}
	end := func(l limit) int {
		if l.infinite != 0 {
			return l.infinite
		}
		return r.keys[0].class.Compare(&l.value, &v)
	}
	from, to := end(b.from[0]), end(b.to[0])
	// With more columns the upper end's first value is within the range.
	within := to > 0 || to == 0 && len(r.keys) > 1
	switch op {
	case "<":
		return from < 0
	case "<=":
		return from <= 0
	case ">", ">=":
		return within
	}
	return from <= 0 && within
}

// Order is the order in which a statement scans the partitions: that of their bounds,
// the default one last (partbounds.c).
func (r *Router) Order() []int {
	order := make([]int, len(r.bounds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if i == r.other || j == r.other {
			return cmp.Compare(b2i(i == r.other), b2i(j == r.other))
		}
		x, y := &r.bounds[i], &r.bounds[j]
		switch r.by {
		case "hash":
			return cmp.Or(cmp.Compare(x.modulus, y.modulus), cmp.Compare(x.remainder, y.remainder))
		case "list":
			return r.least(x, y)
		}
		for k := range min(len(x.from), len(y.from)) {
			a, b := x.from[k], y.from[k]
			n := cmp.Compare(a.infinite, b.infinite)
			if n == 0 && a.infinite == 0 {
				n = r.keys[k].class.Compare(&a.value, &b.value)
			}
			if n != 0 {
				return n
			}
		}
		return 0
	})
	return order
}

// least compares two partitions of a list by their least values; one that has NULL only
// comes last.
func (r *Router) least(x, y *bound) int {
	first := func(b *bound) *datum.Value {
		var least *datum.Value
		for i := range b.in {
			if v := &b.in[i]; !v.Null && (least == nil || r.keys[0].class.Compare(v, least) < 0) {
				least = v
			}
		}
		return least
	}
	a, b := first(x), first(y)
	if a == nil || b == nil {
		return cmp.Compare(b2i(a == nil), b2i(b == nil))
	}
	return r.keys[0].class.Compare(a, b)
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
