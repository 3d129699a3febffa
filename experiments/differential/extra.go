package main

import (
	"math/rand/v2"
	"strings"
)

// extra adds, at the end, what random ops rarely come to. Its random numbers are its own:
// what a seed has before stays as it is.
func (g *generator) extra(seed uint64) {
	g.Rand = rand.New(rand.NewPCG(seed, 8))
	if g.chance(35) {
		g.emptying()
	}
	if g.chance(20) {
		g.versions()
	}
	if g.chance(20) {
		g.truncations()
	}
}

// most limits a number of rows where each is looked for by reading the table.
func (g *generator) most(t *Table, n int64) int64 {
	if t.Identity == identityFull {
		return min(n, 250)
	}
	return n
}

// emptying deletes all rows of a table and vacuums it, so that its indexes come down to
// their last leaf, which is the root for searches then; and inserts again, which splits it.
func (g *generator) emptying() {
	t := pick(g, g.spec.Tables)
	for range g.oneOf(1, 2, 3, 4) {
		g.add(g.insert(t, g.most(t, g.between(200, 1500))))
		g.add(&Op{Kind: opBulkDel, Table: t.Name, N: 1, Fresh: g.take(1)})
		g.vacuumHeaps(t)
		if g.chance(30) {
			g.add(g.insert(t, g.between(1, 5)))
			g.vacuumHeaps(t)
		}
	}
	g.add(g.insert(t, g.most(t, g.between(200, 1500))))
}

// vacuumHeaps vacuums all that has rows of a table.
func (g *generator) vacuumHeaps(t *Table) {
	parts := 1
	if t.Parts != nil {
		parts = t.Parts.N
	}
	for i := range parts {
		name := t.Name
		if t.Parts != nil {
			name = t.part(i)
		}
		g.add(&Op{Kind: opEvent, Text: flushed + "vacuum " + name})
	}
}

// versions updates a column of one index again and again in rows that lie scattered over
// the table: the other indexes fill with entries of the same keys, whose versions are on
// many pages.
func (g *generator) versions() {
	t := pick(g, g.spec.Tables)
	for range len(g.spec.Tables) {
		if len(t.Indexes) > 1 {
			break
		}
		t = pick(g, g.spec.Tables)
	}
	var columns []string
	for _, c := range t.sent() {
		if !c.Unique && c.Name != "part" {
			for _, x := range t.Indexes {
				if x.uses(c.Name) {
					columns = append(columns, c.Name)
					break
				}
			}
		}
	}
	if len(columns) == 0 {
		return
	}
	insert := g.insert(t, g.most(t, g.between(200, 2000)))
	g.add(insert)
	for range g.oneOf(1, 2, 3) {
		n := g.most(t, g.between(500, 3000))
		g.add(&Op{
			Kind: opUpdate, Table: t.Name, Lo: insert.Lo, N: n, Hot: insert.N, Order: orderHot, Fresh: g.take(n),
			Columns: []string{pick(g, columns)}, Every: g.between(1, 100),
		})
	}
}

// truncations empties tables a few times.
func (g *generator) truncations() {
	for range g.oneOf(1, 2, 4, 8) {
		o := g.truncate()
		g.add(o)
		for _, t := range g.spec.Tables {
			if g.chance(50) && strings.Contains(o.Text, t.Name) {
				g.add(g.insert(t, g.between(1, 50)))
			}
		}
	}
}
