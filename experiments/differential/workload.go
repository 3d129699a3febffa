package main

import (
	"fmt"
	"strings"
)

// workload makes the ops.
func (g *generator) workload() {
	budget := g.between(150, 12_000) // changes
	for _, t := range g.spec.Tables {
		if t.Identity == identityFull {
			budget = min(budget, 1500)
		}
	}
	g.add(g.insert(pick(g, g.spec.Tables), g.between(10, max(10, budget/3))))
	for spent := int64(0); spent < budget && len(g.spec.Ops) < 60; {
		o := g.op(budget)
		g.add(o)
		spent += g.cost(o)
		if g.chance(12) {
			g.add(&Op{Kind: opEvent, Text: "checkpoint"})
		}
		if g.chance(18) {
			g.vacuum()
		}
		if g.chance(6) {
			spent += g.wave(budget)
		}
	}
}

// wave deletes many rows that lie together, vacuums twice, so that pages of indexes
// are emptied, deleted and free for others, and inserts again. It returns how many
// changes that is.
func (g *generator) wave(budget int64) int64 {
	t := pick(g, g.spec.Tables)
	n := g.between(max(1, budget/8), max(2, budget))
	g.add(g.insert(t, n))
	lo := g.rows[t.Name] - n + 1
	g.add(&Op{Kind: opDelete, Table: t.Name, Lo: lo, N: n * 9 / 10, Fresh: g.take(1), Every: g.between(10, 5000)})
	for range 2 + g.IntN(2) {
		g.add(&Op{Kind: opEvent, Text: flushed + "vacuum " + g.heapOf(t)})
		g.add(g.insert(t, g.between(1, 20)))
	}
	g.add(g.insert(t, n/2+1))
	return n * 2
}

// heapOf is the name of a table that has rows of its own: the table or one of its
// partitions.
func (g *generator) heapOf(t *Table) string {
	if t.Parts != nil {
		return t.part(g.IntN(t.Parts.N))
	}
	return t.Name
}

func (g *generator) add(o *Op) { g.spec.Ops = append(g.spec.Ops, o) }

func (g *generator) cost(o *Op) int64 {
	n := int64(20)
	switch o.Kind {
	case opBulk, opBulkDel:
		n += g.rows[o.Table] / max(1, o.N)
	case opTx:
		for _, b := range append(append([]*Op{}, o.Body...), o.Between...) {
			n += g.cost(b)
		}
	default:
		n += o.N
	}
	return n
}

// take gives n numbers that no value was made of yet.
func (g *generator) take(n int64) int64 {
	g.fresh += n
	return g.fresh - n
}

// op makes a change, a transaction of several or a TRUNCATE.
func (g *generator) op(budget int64) *Op {
	switch {
	case g.chance(22):
		return g.transaction(budget)
	case g.chance(3):
		return g.truncate()
	}
	o := g.change(pick(g, g.spec.Tables), budget)
	if g.chance(70) && o.Kind != opBulk && o.Kind != opBulkDel {
		o.Every = g.between(1, 100)
	}
	return o
}

func (g *generator) insert(t *Table, n int64) *Op {
	o := &Op{Kind: opInsert, Table: t.Name, Lo: g.rows[t.Name] + 1, N: n, Order: order(g.oneOf(0, 0, 0, 1, 2))}
	if n%scatterPrime == 0 {
		o.Order = orderAscending
	}
	g.rows[t.Name] += n
	return o
}

// change makes an op that changes rows of a table.
func (g *generator) change(t *Table, budget int64) *Op {
	n := g.between(1, max(2, budget/4))
	rows := max(g.rows[t.Name], 1)
	o := &Op{Table: t.Name, Order: order(g.IntN(int(numOrders)))}
	switch k := g.IntN(100); {
	case k < 25:
		o = g.insert(t, n)
	case k < 60:
		o.Kind = opUpdate
		o.Columns = g.some(t)
	case k < 75:
		o.Kind = opDelete
	case k < 80:
		o.Kind = opRekey
	case k < 92:
		o.Kind = opChurn
		o.Columns = g.some(t)
	case k < 97:
		o.Kind, o.N, o.Fresh = opBulk, int64(g.oneOf(1, 2, 5, 20)), g.take(1)
		for _, name := range g.some(t) {
			if c := t.column(name); !c.Unique {
				o.Columns = append(o.Columns, name)
			}
		}
		return o
	default:
		o.Kind, o.N, o.Fresh = opBulkDel, int64(g.oneOf(1, 2, 5, 20)), g.take(1)
		return o
	}
	if o.Kind != opInsert {
		o.N, o.Fresh = n, g.take(n)
		o.Hot = min(g.between(1, 300), rows)
		o.Lo = 1 + g.Int64N(rows)
		if g.chance(40) {
			o.Lo = 1
		}
		if n%scatterPrime == 0 || o.Order == orderScattered && o.N > rows {
			o.Order = orderHot
		}
	}
	if g.chance(10) {
		o.Subs = subs(1 + g.IntN(int(numSubs)-1))
	}
	return o
}

// some chooses columns to change.
func (g *generator) some(t *Table) []string {
	var names []string
	list := t.sent()
	if len(list) == 0 {
		return nil
	}
	if g.chance(70) {
		return []string{pick(g, list).Name}
	}
	for _, c := range list {
		if g.chance(40) {
			names = append(names, c.Name)
		}
	}
	return names
}

// transaction makes a transaction of several ops.
func (g *generator) transaction(budget int64) *Op {
	o := &Op{Kind: opTx, End: endCommit}
	depth := 0
	for range 1 + g.IntN(6) {
		if g.chance(25) && depth < 4 {
			depth++
			o.Body = append(o.Body, &Op{Kind: opSavepoint, Text: fmt.Sprintf("savepoint s%d", depth)})
		}
		o.Body = append(o.Body, g.change(pick(g, g.spec.Tables), max(4, budget/6)))
		if depth > 0 && g.chance(40) {
			level := 1 + g.IntN(depth)
			how := "rollback to"
			if g.chance(40) {
				how = "release"
				depth = level - 1
			} else {
				depth = level
			}
			o.Body = append(o.Body, &Op{Kind: opSavepoint, Text: fmt.Sprintf("%s s%d", how, level)})
		}
	}
	switch {
	case g.chance(20):
		o.End = endRollback
	case g.option("two_phase = on") && g.chance(60), g.chance(4):
		o.End, o.Lo = endPrepare, g.take(1)
		if g.chance(30) {
			o.End = endPrepareRollback
		}
		// Other tables may be changed meanwhile.
		for _, t := range g.spec.Tables {
			if !touches(o.Body, t.Name) && g.chance(60) {
				o.Between = append(o.Between, g.change(t, max(4, budget/8)))
			}
		}
	}
	return o
}

func touches(list []*Op, table string) bool {
	for _, o := range list {
		if o.Table == table {
			return true
		}
	}
	return false
}

func (g *generator) truncate() *Op {
	var names []string
	for _, t := range g.spec.Tables {
		if g.chance(60) {
			names = append(names, t.Name)
		}
	}
	if len(names) == 0 {
		names = []string{pick(g, g.spec.Tables).Name}
	}
	text := strings.Join(names, ", ")
	if g.chance(20) {
		text += " restart identity"
	}
	return &Op{Kind: opTruncate, Text: text}
}

// vacuum adds a VACUUM of a table on the subscriber.
func (g *generator) vacuum() {
	t := pick(g, g.spec.Tables)
	name := g.heapOf(t)
	options := pick(g, []string{"", "", "", "(freeze) ", "(index_cleanup on) ", "(index_cleanup off) ", "(truncate off) ", "(disable_page_skipping) ", "(freeze, disable_page_skipping) "})
	g.add(&Op{Kind: opEvent, Text: flushed + "vacuum " + options + name})
}

// flushed is before each VACUUM: it commits when it has cut off the end of a table. If
// that is not flushed at once, hint bits of transactions whose ids are near its own, and
// so which pages of the TOAST table are all-visible, depend on how soon the WAL writer
// comes.
const flushed = "set synchronous_commit = on; "
