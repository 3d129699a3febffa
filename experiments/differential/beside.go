package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// beside gives tables what a subscriber may have beside what it gets: columns with defaults
// that nobody can foresee, constraints, triggers and collations of its own, unlogged tables,
// partitions whose columns stand in another order, indexes of other access methods. Its
// random numbers are its own: what a seed has else stays as it is.
func (g *generator) beside(seed uint64) {
	before := g.Rand
	defer func() { g.Rand = before }()
	g.Rand = rand.New(rand.NewPCG(seed, 10))
	for _, t := range g.spec.Tables {
		if t.Parts != nil {
			t.Parts.Mapped = g.chance(35)
			t.Parts.PubMapped = t.Parts.Pub && g.chance(35)
			continue
		}
		if t.Loaded > 0 {
			continue
		}
		t.Unlogged = g.chance(5)
		if g.chance(12) && !(t.Identity == identityFull && t.SubKeyless) && g.spec.SubConf["wal_compression"] == "" {
			// As wide as any other value; what it is does not matter unless pages are
			// compressed.
			x := pick(g, []Column{
				{Kind: valuesOf("timestamptz"), Default: "default now()"}, {Kind: valuesOf("uuid"), Default: "default gen_random_uuid()"},
				{Kind: valuesOf("double precision"), Default: "default random()"},
				{Kind: valuesOf("timestamptz"), Default: "default clock_timestamp()", NotNull: true},
			})
			x.Name, x.SubOnly = g.newName("x"), true
			g.spec.Unforeseen = true
			t.Columns = append(t.Columns, &x)
		}
		for _, c := range t.sent() {
			if c.SubType != "" && !c.Exact || !g.chance(4) {
				continue
			}
			text := fmt.Sprintf("check (sure(%s is null or true))", c.Name)
			switch {
			case g.features.major >= 18 && g.chance(30):
				text = "check (" + c.Name + " is null) not enforced"
			case g.chance(30):
				text = "check (" + c.Name + " is null or true)"
			}
			t.Constraints = append(t.Constraints, text)
		}
		if g.chance(5) {
			t.Trigger = pick(g, []string{"after insert", "after insert or update", "after delete", "after update or delete", "after truncate"})
		}
		for _, c := range t.Columns {
			if (c.Kind.typ == "text" || c.Kind.typ == "varchar(40)") && c.SubType == "" && t.Identity != identityFull && g.chance(3) {
				c.Collation = pick(g, []string{`"C"`, `"POSIX"`, `"ucs_basic"`})
			}
		}
	}
	if g.chance(7) && !g.spec.Checksums && g.spec.SubConf["wal_log_hints"] == "" && g.spec.SubConf["wal_compression"] == "" {
		g.foreignIndexes()
	}
}

// valuesOf is the first kind of values of a type.
func valuesOf(typ string) *valueKind {
	return kinds[slices.IndexFunc(kinds, func(k *valueKind) bool { return k.typ == typ })]
}

// methods are the access methods of indexes, beside B-tree and BRIN, that columns may have.
var methods = map[string][]string{
	"hash":   {"int", "bigint", "text", "uuid", "numeric", "date", "timestamptz", "mood", "bytea", "jsonb", "inet", "char(12)", "name", "interval", "boolean", "macaddr", "time", "pg_lsn"},
	"gin":    {"jsonb", "int[]", "text[]", "tsvector"},
	"gist":   {"int4range", "tstzrange", "point", "box", "tsvector", "int4multirange", "tsquery"},
	"spgist": {"text", "point", "box", "int4range"},
}

// foreignIndexes adds indexes of other methods. Their own records are left out of the
// comparison, and TRUNCATE, which gives them files that no name tells.
func (g *generator) foreignIndexes() {
	for _, t := range g.spec.Tables {
		if t.Parts != nil {
			continue
		}
		for _, c := range t.Columns {
			for _, m := range []string{"hash", "gin", "gist", "spgist"} {
				if slices.Contains(methods[m], c.Kind.typ) && c.Storage == "" && c.Width <= 200 && (c.SubType == "" || c.Exact) && g.chance(40) {
					t.Indexes = append(t.Indexes, &Index{Name: g.newName(t.Name + "_f"), Keys: []Key{{Column: c.Name}}, Method: m})
					g.spec.Foreign = true
					break
				}
			}
		}
	}
}

// withoutTruncate leaves TRUNCATE out.
func withoutTruncate(list []*Op) []*Op {
	return slices.DeleteFunc(list, func(o *Op) bool {
		o.Body, o.Between = withoutTruncate(o.Body), withoutTruncate(o.Between)
		return o.Kind == opTruncate || o.Kind == opTx && len(o.Body) == 0
	})
}

// helpersDDL makes the functions that the subscriber's constraints and triggers call. The model does not know them.
const helpersDDL = "create function sure(boolean) returns boolean immutable language plpgsql as 'begin return true; end'; " +
	"create function nothing() returns trigger language plpgsql as 'begin return null; end'; "

// ownDDL writes what the subscriber's table has of its own.
func (t *Table) ownDDL(b *strings.Builder) {
	for i, x := range t.Constraints {
		fmt.Fprintf(b, "alter table %s add constraint %[1]s_own%d %s; ", t.Name, i, x)
	}
	if t.Trigger != "" {
		each := "row"
		if strings.HasSuffix(t.Trigger, "truncate") {
			each = "statement"
		}
		fmt.Fprintf(b, "create trigger fires %s on %s for each %s execute function nothing(); alter table %[2]s enable always trigger fires; ", t.Trigger, t.Name, each)
	}
}
