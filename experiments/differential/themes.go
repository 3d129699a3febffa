package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Themes are tables of their own with what other tables rarely have, and work on them at the
// end of a case.

// themes adds some of them. Their random numbers are their own.
func (g *generator) themes(seed uint64) {
	g.Rand = rand.New(rand.NewPCG(seed, 11))
	// Where rows are loaded it would find that they come from elsewhere (update_origin_differs),
	// which is not modelled.
	if loaded := slices.ContainsFunc(g.spec.Tables, func(t *Table) bool { return t.Loaded > 0 }); g.chance(10) && !loaded {
		g.spec.SubConf["track_commit_timestamp"] = "on"
	}
	// What is of other access methods is left out of the comparison, whose LSNs must not matter.
	estimates := !g.spec.Checksums && g.spec.SubConf["wal_log_hints"] == "" && g.spec.SubConf["wal_compression"] == ""
	if g.chance(30) {
		g.hashPartitions()
	}
	if g.chance(25) {
		g.maintained()
	}
	if g.chance(20) {
		g.exclusions(estimates)
	}
	if g.chance(12) {
		g.drawn()
	}
	if g.chance(8) && estimates {
		g.hashLookups()
	}
	if g.chance(10) {
		g.huge()
	}
}

// theme begins a table.
func (g *generator) theme() *Table {
	t := &Table{Name: fmt.Sprintf("t%d", len(g.spec.Tables)+1), Key: keys[g.IntN(2)], KeyName: "id"}
	g.spec.Tables = append(g.spec.Tables, t)
	return t
}

// themeColumn adds a column of a kind.
func (g *generator) themeColumn(t *Table, k *valueKind) *Column {
	c := &Column{Name: g.newName("c"), Kind: k, Width: 40, Exact: g.option("binary = true")}
	t.Columns = append(t.Columns, c)
	return c
}

// work changes rows of a theme's table.
func (g *generator) work(t *Table, most int64) {
	g.add(g.insert(t, g.most(t, g.between(5, most))))
	for range g.oneOf(1, 2, 3, 5) {
		g.add(g.change(t, most))
	}
}

// hashPartitions has a table that is partitioned by the hash of a column of any type that has
// one.
func (g *generator) hashPartitions() {
	t := g.theme()
	k := g.kind(func(k *valueKind) bool { return k.index && !slices.Contains(unhashed, k.typ) })
	c := g.themeColumn(t, k)
	c.NotNull = true
	g.themeColumn(t, kinds[0])
	t.Parts = &Partitions{By: "hash", Column: c.Name, N: g.oneOf(2, 3, 5, 7), Pub: g.chance(30)}
	g.work(t, 300)
}

// unhashed are types of keys that hash partitions cannot have, or by object ids that are a
// server's own.
var unhashed = []string{"mood", "tsvector", "tsquery", "bit(9)", "varbit", "money", "pair"}

// maintained has storage parameters that VACUUM goes by, and VACUUM and ANALYZE in more ways.
func (g *generator) maintained() {
	t := g.theme()
	g.themeColumn(t, kinds[g.IntN(6)])
	wide := g.themeColumn(t, kinds[5])
	wide.Width, wide.Storage = int(g.between(50, 5000)), "external"
	t.Toast = pick(g, []string{
		"vacuum_truncate = off", "vacuum_truncate = on, toast.vacuum_truncate = off", "vacuum_index_cleanup = off", "vacuum_index_cleanup = on, toast.vacuum_index_cleanup = auto",
		"toast.vacuum_index_cleanup = off, vacuum_truncate = off", "vacuum_index_cleanup = auto",
	})
	g.index(t)
	g.work(t, 600)
	for range g.oneOf(2, 3, 5) {
		g.add(g.change(t, 400))
		if g.chance(40) {
			g.add(&Op{Kind: opBulkDel, Table: t.Name, N: int64(g.oneOf(1, 2, 3)), Fresh: g.take(1)})
		}
		commands := []string{
			"vacuum %s", "vacuum (truncate off) %s", "vacuum (index_cleanup on) %s", "vacuum verbose %s", "set session vacuum_freeze_min_age to 0; vacuum %s",
			"set vacuum_freeze_table_age = 0; vacuum %s", "vacuum (freeze, parallel 2) %s", "vacuum (process_toast on, disable_page_skipping off) %s",
		}
		if g.features.major >= 16 {
			commands = append(commands, "vacuum (process_main off) %s", "vacuum (buffer_usage_limit 256) %s")
		}
		command := pick(g, commands)
		g.add(&Op{Kind: opEvent, Text: flushed + fmt.Sprintf(command, t.Name)})
	}
	g.add(g.insert(t, g.between(5, 300)))
}

// exclusions has exclusion constraints, and unique ones of several kinds, on the subscriber.
func (g *generator) exclusions(estimates bool) {
	t := g.theme()
	how := pick(g, []string{"exclude using btree (%s with =)", "exclude using btree (%s with =) where (%[1]s is not null)", "exclude using btree (%s with =, id with =)", "unique nulls not distinct (%s)", "unique (%s) deferrable"})
	k := g.kind(func(k *valueKind) bool { return k.unique != "" })
	if estimates && g.chance(40) {
		g.spec.Foreign = true
		how = "exclude using hash (%s with =)"
		if g.chance(50) {
			k, how = apart, "exclude using gist (%s with &&)"
		}
	}
	c := g.themeColumn(t, k)
	c.Unique = true
	g.themeColumn(t, kinds[g.IntN(8)])
	t.Constraints = append(t.Constraints, fmt.Sprintf(how, c.Name))
	g.work(t, 300)
}

// apart are ranges that do not overlap.
var apart = &valueKind{typ: "int4range", unique: "int4range(((%n) * 10)::int, ((%n) * 10 + 5)::int)", expr: "int4range(1, 2)"}

// drawn has columns of the subscriber's own whose values come from sequences.
func (g *generator) drawn() {
	t := g.theme()
	g.themeColumn(t, kinds[0])
	for range g.oneOf(1, 2) {
		x := &Column{Name: g.newName("x"), SubOnly: true, NotNull: true, Kind: kinds[g.IntN(2)]}
		x.Default = pick(g, []string{
			"generated always as identity", "generated by default as identity (start 100 increment 7)", "generated by default as identity (increment -1)", "generated always as identity (cache 20)",
			"generated by default as identity (minvalue 1 maxvalue 1000 cycle)",
		})
		t.Columns = append(t.Columns, x)
	}
	if g.chance(50) {
		t.Indexes = append(t.Indexes, &Index{Name: g.newName(t.Name + "_i"), Keys: []Key{{Column: t.Columns[1].Name}}})
	}
	g.work(t, 400)
}

// hashLookups has a table whose rows are found by a hash index, since it has no key.
func (g *generator) hashLookups() {
	t := g.theme()
	t.Identity, t.SubKeyless = identityFull, true
	k := g.kind(func(k *valueKind) bool { return slices.Contains(methods["hash"], k.typ) && k.index })
	c := g.themeColumn(t, k)
	c.Nulls = g.oneOf(0, 0, 30)
	c.Spread = g.between(3, 100)
	g.themeColumn(t, kinds[0])
	t.Indexes = append(t.Indexes, &Index{Name: g.newName(t.Name + "_h"), Keys: []Key{{Column: c.Name}}, Method: "hash"})
	if g.chance(40) {
		t.Indexes = append(t.Indexes, &Index{Name: g.newName(t.Name + "_i"), Keys: []Key{{Column: t.Columns[1].Name}}})
	}
	g.spec.Foreign = true
	g.work(t, 200)
	g.vacuumHeaps(t)
	g.add(g.change(t, 100))
}

// huge has values of more than 64 KB, which lz4 compresses in its other way.
func (g *generator) huge() {
	if g.features.lz4 {
		g.spec.SubConf["default_toast_compression"] = "lz4"
	}
	t := g.theme()
	k := *kinds[6]
	k.expr = "(select string_agg(md5((%v * 1000 + part_no)::text) || repeat('same', 20), '') from generate_series(0, " + hashed + " % 2000) part_no)"
	c := g.themeColumn(t, &k)
	c.Storage = pick(g, []string{"extended", "main", "external"})
	g.themeColumn(t, kinds[0])
	g.add(g.insert(t, g.between(2, 10)))
	g.add(g.change(t, 8))
}
