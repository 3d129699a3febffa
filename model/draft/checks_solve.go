package draft

// Values that satisfy several constraints together.

import (
	"math/rand/v2"
	"slices"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// solve looks for values that satisfy some constraints together.
func (d *Draft) solve(t *Table, group []*check, columns []int, bad []*check, strict bool) {
	var sql []string
	for _, c := range group {
		sql = append(sql, c.sql)
	}
	all := strings.Join(sql, " ")
	var free []*Column
	var lists [][]*string
	base, _ := d.sample(t, 1)
	texts := make([]*string, len(t.Schema.Columns))
	if len(base) > 0 {
		copy(texts, base[0])
	}
	needed := func(n int) bool { // by a constraint that does not hold yet
		return slices.ContainsFunc(bad, func(c *check) bool { return slices.Contains(c.columns, n) })
	}
	slices.SortStableFunc(columns, func(a, b int) int {
		switch {
		case needed(a) == needed(b):
			return 0
		case needed(a):
			return -1
		}
		return 1
	})
	for _, n := range columns {
		c := t.column(n)
		if c == nil || t.fixed[n] || c.settled && !(strict && c.checked) {
			continue
		}
		var list []*string
		if texts[n] != nil {
			list = append(list, texts[n])
		}
		if texts[n] == nil && !c.Schema.NotNull {
			list = append(list, nil)
		}
		if c.distinct && !c.Schema.NotNull && t.nullsDiffer(n) {
			list = append(list, nil)
		}
		if !c.distinct {
			for _, v := range d.candidates(t, c, all) {
				if (v == nil || c.takes(*v)) && !slices.ContainsFunc(list, func(w *string) bool { return w == v || w != nil && v != nil && *w == *v }) {
					list = append(list, v)
				}
			}
		}
		if len(list) > 0 {
			free, lists = append(free, c), append(lists, list)
		}
	}
	if len(free) == 0 {
		return
	}
	count := func() int {
		row, good := t.row(texts)
		if !good {
			return len(group) + 1
		}
		n := 0
		for _, c := range group {
			if !c.holds(row) {
				n++
			}
		}
		return n
	}
	ok := func() bool { return count() == 0 }
	for i, c := range free {
		texts[c.number] = lists[i][0]
	}
	if !d.walk(t, group, free, lists, texts, count) {
		return
	}
	for i, c := range free {
		chosen := texts[c.number]
		if c.distinct {
			if chosen == nil {
				c.Spec.Nulls, c.settled, c.Note = 1, true, "NULL for "+group[0].name
			}
			continue
		}
		if chosen == lists[i][0] && chosen != nil && !strict && d.anyRow(t, c, texts, group) {
			continue // as it was guessed it is good enough
		}
		if chosen == nil {
			c.Spec = scenario.Column{Name: c.Spec.Name, First: 1, Step: 1, Scale: 2, Nulls: 1, MinWidth: c.Spec.MinWidth, MaxWidth: c.Spec.MaxWidth}
			c.Note, c.settled, c.checked = "NULL for "+group[0].name, true, true
			continue
		}
		good := []string{*chosen}
		for _, v := range lists[i] {
			if v == nil || *v == *chosen || len(good) >= 12 {
				continue
			}
			texts[c.number] = v
			if ok() {
				good = append(good, *v)
			}
		}
		texts[c.number] = chosen
		// Several columns with several values each are only good if all go together.
		if len(good) > 1 && len(free) > 1 {
			if d.together(t, free[:i], c, good, texts, group) {
				c.choose(good, group[0].name)
				continue
			}
			good = good[:1]
		}
		c.choose(good, group[0].name)
	}
}

// walk changes one value after the other until all constraints hold: of a constraint that
// does not hold a column gets the value with which the fewest do not, or now and then any
// value.
func (d *Draft) walk(t *Table, group []*check, free []*Column, lists [][]*string, texts []*string, count func() int) bool {
	rng := rand.New(rand.NewPCG(d.o.Seed, uint64(len(free))))
	for range walkSteps {
		row, good := t.row(texts)
		if !good {
			return false
		}
		var broken []*check
		for _, c := range group {
			if !c.holds(row) {
				broken = append(broken, c)
			}
		}
		if len(broken) == 0 {
			return true
		}
		c := broken[rng.IntN(len(broken))]
		var mine []int
		for i, x := range free {
			if slices.Contains(c.columns, x.number) {
				mine = append(mine, i)
			}
		}
		if len(mine) == 0 {
			return false
		}
		if rng.IntN(4) == 0 {
			i := mine[rng.IntN(len(mine))]
			texts[free[i].number] = lists[i][rng.IntN(len(lists[i]))]
			continue
		}
		least, best, value := len(group)+2, -1, (*string)(nil)
		for _, i := range mine {
			n := free[i].number
			was := texts[n]
			for _, v := range lists[i] {
				texts[n] = v
				if k := count(); v != was && (k < least || k == least && rng.IntN(3) == 0) {
					least, best, value = k, n, v
				}
			}
			texts[n] = was
		}
		if best >= 0 {
			texts[best] = value
		}
	}
	return false
}

// nullsDiffer says whether all unique indexes of a column take any number of NULLs.
func (t *Table) nullsDiffer(column int) bool {
	return !slices.ContainsFunc(t.Schema.Indexes, func(x *schema.Index) bool {
		return x.Unique && (x.Primary || x.NullsNotDistinct || x.ReplicaIdentity) && plainKey(x, column)
	})
}

// anyRow says whether the values that the column was to have satisfy the constraints with
// the others as they were found.
func (d *Draft) anyRow(t *Table, c *Column, texts []*string, group []*check) bool {
	rows, err := d.sample(t, sampleRows)
	if err != nil {
		return false
	}
	saved := texts[c.number]
	defer func() { texts[c.number] = saved }()
	for _, r := range rows {
		texts[c.number] = r[c.number]
		row, ok := t.row(texts)
		if !ok || slices.ContainsFunc(group, func(x *check) bool { return !x.holds(row) }) {
			return false
		}
	}
	return true
}

// together says whether values of a column satisfy the constraints with all values that
// other columns were given before.
func (d *Draft) together(t *Table, others []*Column, c *Column, values []string, texts []*string, group []*check) bool {
	saved := slices.Clone(texts)
	defer copy(texts, saved)
	for _, o := range others {
		if len(o.Spec.Values) < 2 {
			continue
		}
		for _, v := range o.Spec.Values {
			texts[o.number] = &v
			for _, w := range values {
				texts[c.number] = &w
				row, ok := t.row(texts)
				if !ok || slices.ContainsFunc(group, func(x *check) bool { return !x.holds(row) }) {
					return false
				}
			}
		}
		texts[o.number] = saved[o.number]
	}
	return true
}
