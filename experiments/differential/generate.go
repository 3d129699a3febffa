package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"applysim/experiments/server"
)

// generator makes a case from a seed.
type generator struct {
	*rand.Rand
	spec     *Spec
	features features
	fresh    int64            // numbers beyond those of rows
	rows     map[string]int64 // the last row's number by table
	name     int
}

// features say what the server at hand can do.
type features struct {
	lz4, zstd bool
	major     int
	copied    bool // each case has a table that is copied at the end
}

// freshFrom is where the numbers for new values begin: behind those of rows.
const freshFrom = 600_000

// generate makes the case of a seed.
func generate(seed uint64, f features, loaded bool) *Spec {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 6)), features: f, fresh: freshFrom, rows: map[string]int64{}}
	g.spec = &Spec{Name: fmt.Sprintf("seed_%d", seed), SubConf: server.Settings{}, PubConf: server.Settings{}}
	g.settings()
	for range g.oneOf(1, 1, 1, 2, 3) {
		g.table()
	}
	if loaded {
		g.load(rand.New(rand.NewPCG(seed, 7)))
	}
	if g.chance(50) {
		for _, t := range g.spec.Tables {
			if t.Parts != nil && t.Parts.Pub {
				g.spec.ViaRoot = true
			}
		}
	}
	g.beside(seed)
	g.workload()
	g.extra(seed)
	g.themes(seed)
	g.stops(seed)
	if g.spec.Foreign {
		g.spec.Ops = withoutTruncate(g.spec.Ops)
	}
	return g.spec
}

// chance is true in so many of a hundred cases.
func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func (g *generator) oneOf(values ...int) int { return values[g.IntN(len(values))] }

func pick[T any](g *generator, list []T) T { return list[g.IntN(len(list))] }

// between draws evenly by magnitude.
func (g *generator) between(lo, hi int64) int64 {
	x := math.Exp(math.Log(float64(lo)) + float64(g.Float64()*(math.Log(float64(hi)+1)-math.Log(float64(lo)))))
	return min(max(int64(x), lo), hi)
}

func (g *generator) settings() {
	s := g.spec
	if g.chance(40) {
		s.SubConf["wal_level"] = "replica"
	}
	if g.chance(45) {
		s.SubConf["full_page_writes"] = "on"
		if g.chance(45) {
			s.SubConf["wal_compression"] = "pglz"
			if g.features.lz4 && g.chance(50) {
				s.SubConf["wal_compression"] = "lz4"
			}
			// Parallel workers of VACUUM write in an order of their own, a named
			// exception: the LSNs of pages are others then, and so the lengths of
			// their compressed images.
			s.SubConf["max_parallel_maintenance_workers"] = "0"
		}
	}
	switch {
	case g.chance(35):
		s.Checksums = true
	case g.chance(15):
		s.SubConf["wal_log_hints"] = "on"
	}
	if g.features.lz4 && g.chance(20) {
		s.SubConf["default_toast_compression"] = "lz4"
	}
	// Else hint bits, and with them dead index entries, depend on how soon the WAL writer
	// flushes a commit.
	s.SubOptions = []string{"synchronous_commit = on"}
	if g.chance(25) {
		s.SubOptions = append(s.SubOptions, "binary = true")
	}
	switch g.IntN(4) {
	case 0:
		s.SubOptions = append(s.SubOptions, "streaming = on")
		g.streaming()
	case 1:
		how := "streaming = parallel"
		if g.features.major < 16 {
			how = "streaming = on"
		}
		s.SubOptions = append(s.SubOptions, how)
		g.streaming()
	default:
		s.SubOptions = append(s.SubOptions, "streaming = off")
	}
	if g.chance(20) {
		s.SubOptions = append(s.SubOptions, "two_phase = on")
	}
}

// streaming makes the publisher stream transactions early.
func (g *generator) streaming() {
	if g.features.major >= 16 && g.chance(50) {
		g.spec.PubConf["debug_logical_replication_streaming"] = "immediate"
	} else {
		g.spec.PubConf["logical_decoding_work_mem"] = "64kB"
	}
}

func (g *generator) option(text string) bool { return slices.Contains(g.spec.SubOptions, text) }

// table adds a table.
func (g *generator) table() {
	t := &Table{Name: fmt.Sprintf("t%d", len(g.spec.Tables)+1), Key: pick(g, keys), KeyName: "id"}
	if g.chance(15) {
		t.KeyPlace = g.IntN(4)
	}
	t.Reversed = g.chance(15)
	if g.chance(10) {
		t.Dropped = g.oneOf(1, 1, 2, 5)
	}
	if g.chance(40) {
		t.Fillfactor = g.oneOf(10, 30, 50, 70, 80, 90, 95)
	}
	if g.chance(20) {
		t.Toast = fmt.Sprintf("toast_tuple_target = %d", g.oneOf(128, 256, 512, 1000, 4000, 8160))
	}
	switch {
	case g.chance(14):
		t.Identity = identityFull
		t.SubKeyless = g.chance(60)
	case g.chance(8):
		t.Identity = identityIndex
	}
	columns := int(g.between(1, 14))
	if g.chance(4) {
		columns = int(g.between(15, 70))
	}
	if g.chance(2) {
		columns = 0
	}
	wide := g.chance(15) // some tables are wide
	for range columns {
		g.column(t, wide)
	}
	if g.chance(10) || t.Identity == identityFull && g.chance(20) {
		g.padding(t)
	}
	if t.Identity == identityIndex {
		t.Columns = append(t.Columns, &Column{Name: g.newName("c"), Kind: kinds[g.IntN(2)], NotNull: true, Unique: true})
	}
	if g.chance(12) && t.Identity != identityIndex {
		g.partitions(t)
	}
	if g.chance(20) {
		g.subscriberColumns(t)
	}
	for range g.oneOf(0, 0, 1, 1, 2, 2, 3, 4, 6) {
		g.index(t)
	}
	if g.chance(8) {
		t.Before = int(g.between(1, 100))
	}
	g.spec.Tables = append(g.spec.Tables, t)
	g.rows[t.Name] = int64(t.Before)
}

// load gives tables rows that both sides have before. Its random numbers are its own: all
// else of a seed stays as it is.
func (g *generator) load(r *rand.Rand) {
	for _, t := range g.spec.Tables {
		if t.Parts != nil {
			continue
		}
		most := 4000.0
		if t.Identity == identityFull {
			most = 500
		}
		t.Before, t.Loaded = 0, int(math.Exp(r.Float64()*math.Log(most)))
		t.LoadHow = []string{server.LoadCopy, server.LoadCopy, server.LoadIndexesFirst, server.LoadInserts}[r.IntN(4)]
		t.LoadVacuum = []string{"", "VACUUM", "VACUUM", "VACUUM (FREEZE)"}[r.IntN(4)]
		g.rows[t.Name] = int64(t.Loaded)
	}
}

func (g *generator) newName(prefix string) string {
	g.name++
	return fmt.Sprintf("%s%d", prefix, g.name)
}

func (g *generator) kind(ok func(*valueKind) bool) *valueKind {
	total := 0
	for _, k := range kinds {
		if ok(k) {
			total += k.weight
		}
	}
	n := g.IntN(total)
	for _, k := range kinds {
		if ok(k) {
			if n -= k.weight; n < 0 {
				return k
			}
		}
	}
	panic("not reached: n is below the total")
}

func (g *generator) column(t *Table, wide bool) {
	c := &Column{Name: g.newName("c")}
	c.Kind = g.kind(func(k *valueKind) bool { return t.Identity != identityFull || k.index })
	c.NotNull = g.chance(30)
	if !c.NotNull && g.chance(60) {
		c.Nulls = g.oneOf(2, 10, 30, 60, 95, 100)
	}
	if g.chance(50) {
		c.Spread = g.between(1, 3000)
	}
	c.Width = int(g.between(1, 120))
	if wide && g.chance(40) {
		c.Width = int(g.between(100, 6000))
	}
	c.Exact = g.option("binary = true")
	if len(c.Kind.wider) > 0 && g.chance(8) && t.Identity != identityFull {
		c.SubType = pick(g, c.Kind.wider)
	}
	if c.Kind.wide && g.chance(20) {
		c.Storage = pick(g, []string{"plain", "external", "main", "extended"})
		if c.Storage == "plain" && c.Width > 100 {
			c.Storage = "main"
		}
	}
	if c.Kind.unique != "" && g.chance(15) {
		c.Unique, c.Spread = true, 0
		c.Nulls = 0
	}
	t.Columns = append(t.Columns, c)
}

// padding makes rows so long that they need their TOAST table, by a column that stays
// in line: short values, those of keys among them, are compressed or move out.
func (g *generator) padding(t *Table) {
	k := *padded
	c := &Column{Name: g.newName("pad"), Kind: &k, Width: int(g.between(1500, 2600)), Storage: pick(g, []string{"main", "plain"})}
	t.Columns = append(t.Columns, c)
	if g.chance(75) {
		t.Toast = fmt.Sprintf("toast_tuple_target = %d", g.oneOf(128, 128, 256, 1000))
	}
	t.PubStorage = g.chance(50)
	if g.chance(40) {
		t.Key = pick(g, []keyKind{
			{"text", "repeat('long key ', 5) || (%s)"}, {"text", "repeat('very long key ', 20) || (%s)"},
			{"text", "md5((%s)::text) || md5((%s + 1)::text) || md5((%s + 2)::text)"},
		})
	}
	for _, c := range t.Columns {
		if c.Kind.wide && c.Storage == "" && g.chance(30) {
			c.Storage = "external"
		}
	}
}

// padded is a text of about the same length in each row, from 61/64 of its width.
var padded = &valueKind{typ: "text", expr: "left(repeat(md5((%v)::text), %w / 32 + 1), %w - " + hashed + " % (%w / 64))", wide: true}

// partKinds are columns to partition by.
var (
	partRange = &valueKind{typ: "int", expr: "(" + hashed + " % 450)", index: true}
	partList  = &valueKind{typ: "int", expr: "(" + hashed + " % 5)", index: true}
)

func (g *generator) partitions(t *Table) {
	p := &Partitions{By: pick(g, []string{"range", "list", "hash"}), N: g.oneOf(2, 3, 4, 5), Pub: g.chance(50)}
	t.Parts = p
	switch p.By {
	case "hash":
		p.Column = t.KeyName
		if strings.HasPrefix(t.Key.typ, "numeric") {
			t.Key = keys[0]
		}
		return
	case "range":
		t.Columns = append(t.Columns, &Column{Name: "part", Kind: partRange, NotNull: true})
	default:
		t.Columns = append(t.Columns, &Column{Name: "part", Kind: partList, NotNull: true})
	}
	p.Column = "part"
}

// subscriberColumns adds columns that the publisher has not.
func (g *generator) subscriberColumns(t *Table) {
	for range g.oneOf(1, 1, 2) {
		c := &Column{Name: g.newName("x"), SubOnly: true, Kind: g.kind(func(k *valueKind) bool { return k.typ == "int" || k.typ == "text" })}
		switch g.IntN(4) {
		case 0:
		case 1:
			c.Default = "default " + map[string]string{"int": "42", "text": pick(g, []string{"'none'", "repeat('default ', 8)", "repeat('default ', 100)"})}[c.Kind.typ]
		case 2:
			for _, x := range t.Columns {
				if x.Kind.typ == "int" && !x.SubOnly && x.Name != "part" {
					c.Kind, c.Default = kinds[0], "generated always as ("+x.Name+" % 1000 + 1) stored"
				}
			}
		case 3:
			if t.Parts == nil {
				c.Kind, c.Default, c.NotNull = kinds[0], "generated by default as identity", true
			}
		}
		if t.Identity == identityFull && t.SubKeyless && c.Default != "" {
			c.Default, c.NotNull = "", false // rows with other values are never found
		}
		t.Columns = append(t.Columns, c)
	}
}

// index adds an index to a table.
func (g *generator) index(t *Table) {
	if len(t.Columns) == 0 {
		return
	}
	x := &Index{Name: g.newName(t.Name + "_i"), Pub: g.chance(30)}
	usable := func(ok func(*Column) bool) *Column {
		for range 8 {
			if c := pick(g, t.Columns); ok(c) && c.Width <= 200 {
				return c
			}
		}
		return nil
	}
	if g.chance(9) {
		c := usable(func(c *Column) bool { return c.Kind.brin && c.SubType == "" })
		if c == nil {
			return
		}
		x.BRIN, x.Keys = true, []Key{{Column: c.Name}}
		if d := usable(func(d *Column) bool { return d.Kind.brin && d.SubType == "" && d != c }); d != nil && g.chance(30) {
			x.Keys = append(x.Keys, Key{Column: d.Name})
			x.Pub = x.Pub && !d.SubOnly
		}
		if g.chance(50) {
			x.Options = fmt.Sprintf("pages_per_range = %d", g.oneOf(1, 2, 16))
		}
		x.Pub = x.Pub && !c.SubOnly
		t.Indexes = append(t.Indexes, x)
		return
	}
	for range g.oneOf(1, 1, 1, 2, 2, 3) {
		k := Key{}
		c := usable(func(c *Column) bool { return c.Kind.index || len(c.Kind.exprs) > 0 })
		switch {
		case c == nil || g.chance(8):
			k.Column = t.KeyName
		case !c.Kind.index || len(c.Kind.exprs) > 0 && c.SubType == "" && g.chance(25):
			k.Column, k.Expr = c.Name, pick(g, c.Kind.exprs)
		default:
			k.Column = c.Name
		}
		if slices.ContainsFunc(x.Keys, func(o Key) bool { return o.Column == k.Column }) {
			continue
		}
		if g.chance(25) {
			k.Order = pick(g, []string{"desc", "asc nulls first", "desc nulls last"})
		}
		x.Keys = append(x.Keys, k)
	}
	if g.chance(12) {
		if c := usable(func(c *Column) bool { return c.Kind.index && !c.Kind.wide }); c != nil {
			x.Include = []string{c.Name}
		}
	}
	if g.chance(20) {
		if c := usable(func(c *Column) bool { return len(c.Kind.where) > 0 && c.SubType == "" }); c != nil {
			x.Where, x.WhereOn = pick(g, c.Kind.where), c.Name
		}
	}
	if g.chance(20) {
		x.Options = fmt.Sprintf("fillfactor = %d", g.oneOf(10, 20, 50, 70, 80, 95, 100))
	}
	if g.chance(12) {
		x.Options = strings.TrimPrefix(x.Options+", deduplicate_items = off", ", ")
	}
	// A unique index needs a column whose values are never used twice.
	if t.Parts == nil {
		for _, k := range x.Keys {
			if c := t.column(k.Column); k.Column == t.KeyName && k.Expr == "" || c != nil && c.Unique && k.Expr == "" && c.SubType == "" {
				x.Unique = g.chance(60)
				x.NotNull = x.Unique && g.chance(20)
			}
		}
	}
	for _, c := range t.Columns {
		if c.SubOnly && x.uses(c.Name) {
			x.Pub = false
		}
	}
	t.Indexes = append(t.Indexes, x)
}
