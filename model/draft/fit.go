package draft

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"applysim/model/pgtype"
	"applysim/model/scenario"
)

// Columns whose values must differ, and texts that must look in some way: values of theirs
// are numbered, so that what is fitted is where the numbers begin, their distance, and the
// pattern of the texts.

// keySteps are distances that are tried between the numbers of a column.
var keySteps = []int64{1, 2, 3, 5, 7, 10, 100}

// spot is some rows after each other, by their numbers.
type spot struct {
	from int64
	n    int
}

// spots are the rows with which values are tried: the first ones, those that come first in
// a run, and those that come last.
func (d *Draft) spots(t *Table, n int) []spot {
	if t.capacity > 0 {
		last := min(t.capacity, max(t.Rows, 1))
		few := int(min(int64(n), last))
		return []spot{{0, few}, {last - int64(few), few}}
	}
	return []spot{{0, n}, {t.Rows, sampleRows}, {d.reach(t), sampleRows}}
}

// reach is about how many rows a table gets until a run ends.
func (d *Draft) reach(t *Table) int64 {
	return t.Rows + d.o.Changes/int64(len(d.Tables)) + 1000
}

// everywhere says whether all rows that a run may have satisfy constraints.
func (d *Draft) everywhere(t *Table, list ...*check) bool {
	for _, at := range d.spots(t, sampleRows) {
		rows, err := d.sampleFrom(t, at.from, at.n)
		if err != nil {
			return false
		}
		for _, k := range list {
			if !t.all(rows, k) {
				return false
			}
		}
	}
	return true
}

// number tries where the numbers of columns with different values begin, and their
// distances, until some constraints hold.
func (d *Draft) number(t *Table, group []*check) bool {
	var free []*Column
	var numbers []int64
	for _, k := range group {
		_, texts := constants(k.sql)
		for _, n := range texts {
			if f, err := strconv.ParseFloat(n, 64); err == nil && f > -1e15 && f < 1e15 {
				numbers = append(numbers, int64(f))
			}
		}
		for _, n := range k.columns {
			if c := t.column(n); c != nil && !c.settled && c.numbers() && !slices.Contains(free, c) {
				free = append(free, c)
			}
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	for _, c := range free {
		saved := c.Spec
		var firsts []int64
		for _, n := range append(slices.Clone(numbers), 0) {
			firsts = append(firsts, n, n+1, n-1)
		}
		firsts = append(firsts, 1_000_001, 100_000_001)
		for _, n := range append(slices.Clone(numbers), 0) {
			firsts = append(firsts, n-1_000_000_000, n-30_000)
		}
		steps := slices.Clone(keySteps)
		for _, n := range numbers {
			if n > 1 && n < 1_000_000 && !slices.Contains(steps, n) {
				steps = append(steps, n)
			}
		}
		limit, scales := numberLimit(c), []int{c.Spec.Scale}
		switch c.base().Kind {
		case pgtype.KindNumeric, pgtype.KindFloat8:
			scales = append(scales, 9)
		}
		if isTime(c.base().Kind) {
			limit = 1 << 40
			for n := range int64(7) {
				firsts = append(firsts, n)
			}
		}
		if !c.distinct {
			steps = steps[:1] // they are drawn
		}
		for _, step := range steps {
			for _, first := range firsts {
				if limit > 0 && (first < -limit || first+step*d.reach(t) > limit) {
					continue
				}
				for _, scale := range scales {
					c.Spec.First, c.Spec.Step, c.Spec.Scale = first, step, scale
					if d.everywhere(t, group...) {
						c.Note = "as " + group[0].name + " takes it"
						return true
					}
				}
			}
		}
		if c.Spec = saved; !c.distinct {
			continue
		}
		if d.bounded(t, c, group, firsts, steps) {
			return true
		}
	}
	return false
}

// numbers says whether the column's values are numbers that begin somewhere.
func (c *Column) numbers() bool {
	return (isNumber(c.base().Kind) || isTime(c.base().Kind)) && (c.distinct && c.Spec.Kind == scenario.Monotone || !c.distinct && c.Spec.Kind == scenario.Random)
}

// bounded finds numbers of which there are only some: the table gets no more rows.
func (d *Draft) bounded(t *Table, c *Column, group []*check, firsts, steps []int64) bool {
	saved, best, room := c.Spec, c.Spec, int64(0)
	for _, step := range steps {
		for _, first := range firsts {
			c.Spec.First, c.Spec.Step = first, step
			if n := d.room(t, group, 4096); n > room {
				best, room = c.Spec, n
			}
		}
	}
	if c.Spec = saved; room == 0 {
		return false
	}
	c.Spec = best
	if t.capacity == 0 || room < t.capacity {
		t.capacity = room
	}
	t.note("%s has room for %d rows", group[0].name, room)
	return true
}

// room is how many rows from the first one on satisfy constraints, at most some.
func (d *Draft) room(t *Table, group []*check, most int64) int64 {
	for n := int64(1); ; n *= 4 {
		rows, err := d.sampleFrom(t, 0, int(min(n, most)))
		if err != nil {
			return 0
		}
		for i := range rows {
			if slices.ContainsFunc(group, func(k *check) bool { return !t.all(rows[i:i+1], k) }) {
				return int64(i)
			}
		}
		if n >= most {
			return most
		}
	}
}

// fewer lets a table have few rows, if constraints hold then: columns that were to be NULL,
// as there are few different values, get those, or a column has one value and the table one
// row.
func (d *Draft) fewer(t *Table, bad []*check) {
	var columns []int
	for _, k := range bad {
		columns = append(columns, k.columns...)
	}
	limit := func(room int64) {
		if t.capacity == 0 || room < t.capacity {
			t.capacity = room
		}
	}
	for _, n := range columns {
		c := t.column(n)
		if c == nil || !c.distinct || t.fixed[n] {
			continue
		}
		saved, capacity := *c, t.capacity
		if c.Spec.Nulls == 1 {
			c.Spec.Nulls, c.settled, c.Note = 0, false, ""
			limit(d.variety(c))
			if c.makeDistinct(); d.everywhere(t, bad...) {
				t.note("%s has room for %d rows with different values", bad[0].name, t.capacity)
				return
			}
			*c, t.capacity = saved, capacity
		}
		limit(1)
		for _, v := range d.candidates(t, c, bad[0].sql) {
			if v == nil {
				continue
			}
			c.choose([]string{*v}, bad[0].name)
			if d.everywhere(t, bad...) {
				t.note("%s has room for one row", bad[0].name)
				return
			}
		}
		*c, t.capacity = saved, capacity
	}
}

// pattern tries patterns of texts for constraints, until they hold.
func (d *Draft) pattern(t *Table, group []*check) bool {
	var sql []string
	for _, k := range group {
		sql = append(sql, k.sql)
	}
	texts, numbers := constants(strings.Join(sql, " "))
	for _, k := range group {
		for _, n := range k.columns {
			c := t.column(n)
			if c == nil || c.settled || t.fixed[n] || !isText(c.base().Kind) || c.base().Kind == pgtype.KindXML {
				continue
			}
			lengths := numbers
			if n := textLimit(c); n > 0 {
				lengths = append(slices.Clone(numbers), strconv.Itoa(n))
			}
			if d.looks(t, c, patternsOf(texts, lengths), group) {
				c.Note = "as " + k.name + " takes it"
				return true
			}
		}
	}
	return false
}

// looks gives a text the first of some patterns with which constraints hold.
func (d *Draft) looks(t *Table, c *Column, patterns []string, group []*check) bool {
	saved := c.Spec
	need := d.reach(t)
	var few scenario.Column
	room := int64(0)
	for _, p := range patterns {
		count := scenario.PatternCount(p)
		if count < 2 || textLimit(c) > 0 && scenario.PatternLength(p) > textLimit(c) {
			continue
		}
		c.Spec = scenario.Column{Name: saved.Name, Kind: scenario.Random, First: 1, Step: 1, Scale: 2, Nulls: saved.Nulls, Pattern: p}
		if c.distinct {
			if c.Spec.Kind = scenario.Monotone; count > 1<<44 {
				c.Spec.Kind = scenario.Random
			} else if count < need {
				if count > room && d.everywhere(t, group...) {
					few, room = c.Spec, count
				}
				continue
			}
		} else if saved.Distinct > 0 && count > saved.Distinct {
			c.Spec.Distinct = saved.Distinct
		}
		if d.everywhere(t, group...) {
			return true
		}
	}
	if room > 0 {
		c.Spec = few
		if room < need && (t.capacity == 0 || room < t.capacity) {
			t.capacity = room
			t.note("%s has room for %d rows with different values", group[0].name, room)
		}
		return true
	}
	c.Spec = saved
	return false
}

// patternsOf are patterns of texts that constants suggest: as regular expressions and
// patterns of LIKE, and with them as a beginning or an end; numbers are lengths.
func patternsOf(texts, numbers []string) []string {
	var list []string
	add := func(p string) {
		if p != "" && !slices.Contains(list, p) && len(list) < 200 {
			list = append(list, p)
		}
	}
	var lengths []int
	for _, n := range numbers {
		if i, err := strconv.Atoi(n); err == nil && i > 0 && i < 1000 {
			lengths = append(lengths, i, i-1, i+1)
		}
	}
	lengths = append(lengths, 12, 8, 16, 20, 5, 3)
	for _, s := range texts {
		if re, err := syntax.Parse(expression(s), syntax.Perl); err == nil && re.Op != syntax.OpLiteral {
			for _, most := range []int{8, 12, 4, 2, 1, 20} {
				var b strings.Builder
				if general(&b, re.Simplify(), most, 0) {
					add(b.String())
				}
			}
		}
	}
	filled := func(before, after string) {
		for _, kind := range []string{"[0-9a-f]", "[a-z]", "[A-Z]", "[0-9]"} {
			for _, n := range lengths {
				if n -= len([]rune(before)) + len([]rune(after)); n > 0 {
					add(syntaxQuote(before) + kind + "{" + strconv.Itoa(n) + "}" + syntaxQuote(after))
				}
			}
		}
	}
	for _, s := range texts {
		if len(s) > 100 {
			continue
		}
		s = strings.NewReplacer(`\_`, "_", `\\`, `\`).Replace(s) // as LIKE reads it
		if before, after, ok := strings.Cut(strings.Trim(s, "%"), "%"); ok {
			filled(before, after)
		}
		plain := strings.Trim(s, "%")
		switch {
		case strings.HasPrefix(s, "%") && strings.HasSuffix(s, "%"):
			filled("a"+plain, "")
		case strings.HasPrefix(s, "%"):
			filled("", plain)
		}
		filled(plain, "")
		filled("", plain)
		filled("a"+plain, "")
	}
	filled("", "")
	return list
}

func syntaxQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// general writes a pattern whose texts match a regular expression: with so many repetitions
// where any number will do.
func general(b *strings.Builder, re *syntax.Regexp, most, depth int) bool {
	if depth > 50 || b.Len() > 5000 {
		return false
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(syntaxQuote(string(re.Rune)))
	case syntax.OpCharClass:
		set := printable(re.Rune)
		if set == "" {
			return false
		}
		b.WriteString(set)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString("[a-z]")
	case syntax.OpCapture, syntax.OpPlus, syntax.OpStar, syntax.OpQuest, syntax.OpRepeat:
		n := 1
		switch re.Op {
		case syntax.OpPlus, syntax.OpStar:
			n = most
		case syntax.OpQuest:
			n = most / 8
		case syntax.OpRepeat:
			n = max(re.Min, min(most, max(re.Max, re.Min)))
		}
		for range n {
			if !general(b, re.Sub[0], most, depth+1) {
				return false
			}
		}
	case syntax.OpConcat:
		for _, s := range re.Sub {
			if !general(b, s, most, depth+1) {
				return false
			}
		}
	case syntax.OpAlternate:
		return general(b, re.Sub[0], most, depth+1)
	}
	return true
}

// printable is a class of the letters and digits of a class, or of its other printable
// ASCII characters, or of all of it if there are few; "" for an empty one.
func printable(ranges []rune) string {
	var plain, ascii, all []rune
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < ranges[i]+200; r++ {
			switch {
			case r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
				plain = append(plain, r)
			case r > ' ' && r < 0x7f:
				ascii = append(ascii, r)
			}
			all = append(all, r)
		}
	}
	set := plain
	if len(set) == 0 {
		set = ascii
	}
	if len(set) == 0 {
		set = all
	}
	if len(set) == 0 || len(set) > 200 {
		return ""
	}
	var b strings.Builder
	b.WriteByte('[')
	for i := 0; i < len(set); {
		j := i
		for j+1 < len(set) && set[j+1] == set[j]+1 {
			j++
		}
		for k, r := range []rune{set[i], set[j]} {
			if k == 1 && j == i {
				break
			}
			if k == 1 && j > i+1 {
				b.WriteByte('-')
			}
			if strings.ContainsRune(`\]^-[`, r) {
				b.WriteByte('\\')
			}
			b.WriteRune(r)
		}
		i = j + 1
	}
	b.WriteByte(']')
	return b.String()
}
