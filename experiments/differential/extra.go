package main

import (
	"fmt"
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
	if g.option("streaming = parallel") {
		g.subtransactions()
	}
	if g.chance(15) {
		g.commands()
	}
	if g.chance(8) {
		g.summaries()
	}
	// Only when asked for: a synchronisation that hung once has not been looked into.
	if g.features.copied {
		g.synchronization()
	}
}

// synchronization has a table come into the subscription at the end only: a worker copies
// what it has by then, and applies what happens meanwhile.
func (g *generator) synchronization() {
	t := pick(g, g.spec.Tables)
	if t.Loaded > 0 || g.option("two_phase = on") || g.option("two_phase = true") {
		return // rows would be there twice; not allowed
	}
	g.spec.Late = t.Name
	if g.chance(60) {
		g.add(g.insert(t, g.most(t, g.between(1, 4000))))
	}
	o := &Op{Kind: opSync, Table: t.Name}
	for range g.IntN(4) {
		o.Body = append(o.Body, g.change(t, 300))
	}
	g.add(o)
	for range g.IntN(5) {
		g.add(g.change(t, 400))
	}
	if g.chance(50) {
		g.vacuumHeaps(t)
		g.add(g.insert(t, g.between(1, 200)))
	}
}

// subtransactions makes a transaction of as many as make the data of a parallel worker's
// COMMIT 256 bytes long, from where on a record has a longer header, and ones that have
// some fewer and more.
func (g *generator) subtransactions() {
	for _, n := range []int64{56, 50 + g.Int64N(12)} {
		o := g.insert(pick(g, g.spec.Tables), n)
		o.Subs = subsReleased
		g.add(o)
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
	for range g.oneOf(1, 2, 4, 8, 12) {
		g.add(g.insert(t, g.most(t, g.between(200, 800))))
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
	for range g.oneOf(1, 2, 4, 8, 16, 32) {
		o := g.truncate()
		g.add(o)
		for _, t := range g.spec.Tables {
			if g.chance(50) && strings.Contains(o.Text, t.Name) {
				g.add(g.insert(t, g.between(1, 50)))
			}
		}
	}
}

// growing is a text whose length differs much from row to row.
var growing = &valueKind{typ: "text", expr: "left(repeat(md5((%v)::text), 8), " + hashed + " % 200)", index: true, brin: true}

// summaries adds a table of few rows a page with a BRIN index of a summary for each of its
// pages. The summaries grow, so that they move to other pages; with many pages the range
// map grows over pages of summaries.
func (g *generator) summaries() {
	k := *padded
	t := &Table{
		Name: fmt.Sprintf("t%d", len(g.spec.Tables)+1), Key: keys[0], KeyName: "id", Fillfactor: 10,
		Columns: []*Column{{Name: g.newName("c"), Kind: growing, Width: 200}, {Name: g.newName("pad"), Kind: &k, Width: 900, Storage: "main"}},
	}
	t.Indexes = []*Index{{Name: g.newName(t.Name + "_i"), BRIN: true, Keys: []Key{{Column: t.Columns[0].Name}}, Options: "pages_per_range = 1"}}
	g.spec.Tables = append(g.spec.Tables, t)
	rows := int64(g.oneOf(100, 300, 1400, 1500))
	for range g.oneOf(1, 2, 3) {
		g.add(g.insert(t, rows/2+1))
		g.vacuumHeaps(t)
	}
	n := g.between(100, 1000)
	g.add(&Op{
		Kind: opUpdate, Table: t.Name, Lo: 1, N: n, Hot: rows, Order: orderHot, Fresh: g.take(n),
		Columns: []string{t.Columns[0].Name}, Every: g.between(1, 100),
	})
	g.vacuumHeaps(t)
	g.add(g.insert(t, rows/4+1))
	g.vacuumHeaps(t)
}

// commands adds VACUUM with options that it rarely has.
func (g *generator) commands() {
	for range g.oneOf(1, 2, 4) {
		t := pick(g, g.spec.Tables)
		g.add(g.change(t, 400))
		options := pick(g, []string{
			"(process_toast off) ", "(parallel 0) ", "(index_cleanup auto) ", "(skip_locked, verbose off) ", "freeze ", "(truncate on, index_cleanup off) ",
		})
		g.add(&Op{Kind: opEvent, Text: flushed + "vacuum " + options + g.heapOf(t)})
	}
}
