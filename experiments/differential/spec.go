package main

import (
	"fmt"
	"slices"
	"strings"

	"applysim/experiments/server"
)

// Spec is a random case before it is SQL: what the generator makes and the shrinker
// takes away from.
type Spec struct {
	Name       string
	Tables     []*Table
	Ops        []*Op
	SubConf    server.Settings
	PubConf    server.Settings
	SubOptions []string
	Checksums  bool
	// ViaRoot publishes the changes of partitions as those of their root.
	ViaRoot bool
	// Late is a table that is published by an op only; "" if there is none.
	Late string
	// Stop ends the case with an error of the worker's.
	Stop *Stop
	// Foreign says that there are indexes of other access methods than btree and brin.
	Foreign bool
	// Unforeseen says that there are defaults whose values no simulation has.
	Unforeseen bool
}

// Table is a table of both sides.
type Table struct {
	Name       string
	Key        keyKind
	KeyName    string // column of the key
	KeyPlace   int    // where it stands among the columns
	Columns    []*Column
	Indexes    []*Index
	Identity   identityKind
	Fillfactor int // 0 for the default
	Toast      string
	Parts      *Partitions
	SubKeyless bool // the subscriber has no primary key
	PubStorage bool // the publisher's columns are stored as the subscriber's
	Reversed   bool // the subscriber's columns stand in the other order
	Dropped    int  // columns of the subscriber that were dropped
	Before     int  // rows that the publisher has before replication begins
	// What only the subscriber has: see beside.go.
	Unlogged    bool
	Constraints []string
	Trigger     string
	// Loaded is how many rows both sides have before replication begins, LoadHow and
	// LoadVacuum how the subscriber came to them.
	Loaded     int
	LoadHow    string
	LoadVacuum string
}

// Column is a column beside the key.
type Column struct {
	Name    string
	Kind    *valueKind
	NotNull bool
	Nulls   int    // of a hundred values
	Spread  int64  // number of different values, 0 for as many as there are rows
	Width   int    // for kinds that have one
	Storage string // "" for the type's own
	SubType string // another type on the subscriber
	Default string // with SubOnly, the column's default
	SubOnly bool
	Unique  bool // values are never used twice
	Exact   bool // binary transfer: SubType is ignored
	// Collation is the subscriber's; "" for the default.
	Collation string
}

// Index is an index on the subscriber, and on the publisher if Pub.
type Index struct {
	Name    string
	Keys    []Key
	Include []string
	Where   string // with %s for the column's name
	WhereOn string
	Unique  bool
	BRIN    bool
	Method  string // another access method; "" for the ones that are modelled
	Options string
	Pub     bool
	NotNull bool // NULLS NOT DISTINCT
}

// Key is a key of an index.
type Key struct {
	Column string
	Expr   string // with %s for the column's name; "" for the column itself
	Order  string
}

// keyKind is how a key is made of a number.
type keyKind struct {
	typ  string
	expr string // with %s for the number
}

// identityKind is the publisher's replica identity.
type identityKind int

const (
	identityKey identityKind = iota
	identityFull
	identityIndex
)

// Partitions say how a table is partitioned on the subscriber, and on the publisher
// if Pub.
type Partitions struct {
	By     string // range, list, hash
	Column string // by which; the key must hold it
	N      int
	Pub    bool
	// Mapped partitions are made as tables with their columns in another order and then
	// attached, PubMapped those of the publisher.
	Mapped, PubMapped bool
}

// part is the name of one of the table's partitions.
func (t *Table) part(i int) string { return fmt.Sprintf("%s_%d", t.Name, i) }

func (t *Table) column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Case renders the spec.
func (s *Spec) Case() *server.Case {
	c := &server.Case{
		Name: s.Name, SubConf: s.SubConf, PubConf: s.PubConf, Checksums: s.Checksums,
		SubOptions: strings.Join(s.SubOptions, ", "),
	}
	var pub, sub, identity, after strings.Builder
	pub.WriteString(typesDDL)
	sub.WriteString(typesDDL + helpersDDL)
	for _, t := range s.Tables {
		t.ddl(&pub, &pub, true)
		if t.Loaded > 0 {
			t.ddl(&sub, &after, false)
			c.Load = append(c.Load, server.Load{Table: t.Name, Query: t.rows("generate_series(1, "+fmt.Sprint(t.Loaded)+") g", "g"), How: t.LoadHow, Vacuum: t.LoadVacuum})
		} else {
			t.ddl(&sub, &sub, false)
		}
		switch t.Identity {
		case identityFull:
			fmt.Fprintf(&identity, "alter table %s replica identity full; ", t.Name)
			if t.Parts != nil && t.Parts.Pub {
				for i := range t.Parts.N {
					fmt.Fprintf(&identity, "alter table %s_%d replica identity full; ", t.Name, i)
				}
			}
		case identityIndex:
			text := fmt.Sprintf("alter table %s replica identity using index %s_ident; ", t.Name, t.Name)
			identity.WriteString(text)
			if t.Loaded > 0 {
				after.WriteString(text)
			} else {
				sub.WriteString(text)
			}
		}
		if t.Before > 0 {
			// These rows are not on the subscriber.
			pub.WriteString(t.insert("generate_series(1, "+fmt.Sprint(t.Before)+") g", "g", "") + "; ")
		}
	}
	c.Pub, c.Sub, c.Identity, c.After = pub.String(), sub.String(), identity.String(), after.String()
	if s.ViaRoot {
		c.Publication = "create publication p for all tables with (publish_via_partition_root = true)"
	}
	if s.Late != "" {
		c.Publication = "create publication p for table marker"
		for _, t := range s.Tables {
			if t.Name != s.Late {
				c.Publication += ", " + t.Name
			}
		}
		if s.ViaRoot {
			c.Publication += " with (publish_via_partition_root = true)"
		}
	}
	for _, o := range s.Ops {
		c.SQL = append(c.SQL, o.steps(s)...)
	}
	if s.Stop != nil {
		s.Stop.add(c)
	}
	return c
}

// typesDDL makes the types that value kinds may use.
const typesDDL = "create type mood as enum ('sad', 'ok', 'happy', 'mad'); create type pair as (a int, b text); create domain small as int check (value < 100000); "

// ddl writes the statements that make the table, and those that make its indexes. Where
// it is loaded before its indexes are built these come after the rows.
func (t *Table) ddl(b, after *strings.Builder, pub bool) {
	late := !pub && t.Loaded > 0 && t.LoadHow == server.LoadCopy
	if !late {
		after = b
	}
	unlogged := ""
	if t.Unlogged && !pub {
		unlogged = "unlogged "
	}
	fmt.Fprintf(b, "create %stable %s (", unlogged, t.Name)
	var items []string
	for i := 0; i <= len(t.Columns); i++ {
		if i == min(t.KeyPlace, len(t.Columns)) {
			items = append(items, t.KeyName+" "+t.Key.typ+" not null")
		}
		if i < len(t.Columns) {
			if c := t.Columns[i]; !c.SubOnly || !pub {
				items = append(items, c.ddl(pub))
			}
		}
	}
	if !pub {
		if t.Reversed {
			slices.Reverse(items)
		}
		for i := range t.Dropped {
			items = slices.Insert(items, min(i*3, len(items)), fmt.Sprintf("gone%d text default 'gone'", i))
		}
	}
	parts := t.Parts
	if parts != nil && pub && !parts.Pub {
		parts = nil
	}
	if pub || !t.SubKeyless {
		key := t.KeyName
		if t.Parts != nil && t.Parts.Column != key {
			key += ", " + t.Parts.Column
		}
		if late {
			fmt.Fprintf(after, "alter table %s add primary key (%s); ", t.Name, key)
		} else {
			items = append(items, "primary key ("+key+")")
		}
	}
	b.WriteString(strings.Join(items, ", ") + ")")
	if parts != nil {
		fmt.Fprintf(b, " partition by %s (%s)", parts.By, parts.Column)
	} else if !pub || t.PubStorage {
		b.WriteString(t.options())
	}
	b.WriteString("; ")
	if parts != nil {
		if late {
			panic("a partitioned table is not loaded")
		}
		t.partitionDDL(b, parts, pub, items)
	}
	if !pub {
		for i := range t.Dropped {
			fmt.Fprintf(b, "alter table %s drop column gone%d; ", t.Name, i)
		}
	}
	for _, c := range t.Columns {
		if c.Storage != "" && (!pub || t.PubStorage && !c.SubOnly) {
			fmt.Fprintf(b, "alter table %s alter %s set storage %s; ", t.Name, c.Name, c.Storage)
		}
	}
	if !pub {
		t.ownDDL(b)
	}
	if t.Identity == identityIndex {
		fmt.Fprintf(after, "create unique index %s_ident on %s (%s); ", t.Name, t.Name, t.identityColumn())
	}
	for _, x := range t.Indexes {
		if x.Pub || !pub {
			after.WriteString(x.ddl(t))
		}
	}
}

// identityColumn is the column of the index that is the replica identity.
func (t *Table) identityColumn() string {
	for _, c := range t.Columns {
		if c.Unique && c.NotNull && !c.SubOnly {
			return c.Name
		}
	}
	return t.KeyName
}

func (t *Table) options() string {
	var o []string
	if t.Fillfactor != 0 {
		o = append(o, fmt.Sprintf("fillfactor = %d", t.Fillfactor))
	}
	if t.Toast != "" {
		o = append(o, t.Toast)
	}
	if len(o) == 0 {
		return ""
	}
	return " with (" + strings.Join(o, ", ") + ")"
}

// partitionDDL writes the statements that make the partitions. items are the columns and
// constraints of the table.
func (t *Table) partitionDDL(b *strings.Builder, p *Partitions, pub bool, items []string) {
	for i := range p.N {
		var bounds string
		switch p.By {
		case "hash":
			bounds = fmt.Sprintf("for values with (modulus %d, remainder %d)", p.N, i)
		case "list":
			bounds = fmt.Sprintf("for values in (%d)", i)
			if i == p.N-1 {
				bounds = "default"
			}
		default:
			from, to := fmt.Sprint(i*100), fmt.Sprint(i*100+100)
			if i == 0 {
				from = "minvalue"
			}
			if i == p.N-1 {
				to = "maxvalue"
			}
			bounds = fmt.Sprintf("for values from (%s) to (%s)", from, to)
		}
		options := ""
		if !pub || t.PubStorage {
			options = t.options()
		}
		if mapped := p.Mapped && !pub || p.PubMapped && pub; mapped && i%2 == 0 {
			own := slices.DeleteFunc(slices.Clone(items), func(s string) bool { return strings.HasPrefix(s, "primary key") })
			slices.Reverse(own)
			fmt.Fprintf(b, "create table %s (%s)%s; alter table %s attach partition %[1]s %[5]s; ", t.part(i), strings.Join(own, ", "), options, t.Name, bounds)
			continue
		}
		fmt.Fprintf(b, "create table %s_%d partition of %s %s%s; ", t.Name, i, t.Name, bounds, options)
	}
}

func (c *Column) ddl(pub bool) string {
	typ := c.Kind.typ
	if !pub && c.SubType != "" && !c.Exact {
		typ = c.SubType
	}
	s := c.Name + " " + typ
	if !pub && c.Collation != "" {
		s += " collate " + c.Collation
	}
	if c.NotNull {
		s += " not null"
	}
	if c.SubOnly && c.Default != "" {
		s += " " + c.Default
	}
	return s
}

func (x *Index) ddl(t *Table) string {
	var keys []string
	for _, k := range x.Keys {
		s := k.Column
		if k.Expr != "" {
			s = "(" + strings.ReplaceAll(k.Expr, "%s", k.Column) + ")"
		}
		keys = append(keys, strings.TrimSpace(s+" "+k.Order))
	}
	s := "create "
	if x.Unique {
		s += "unique "
	}
	s += "index " + x.Name + " on " + t.Name
	if x.BRIN {
		s += " using brin"
	} else if x.Method != "" {
		s += " using " + x.Method
	}
	s += " (" + strings.Join(keys, ", ") + ")"
	if len(x.Include) > 0 {
		s += " include (" + strings.Join(x.Include, ", ") + ")"
	}
	if x.NotNull {
		s += " nulls not distinct"
	}
	if x.Options != "" {
		s += " with (" + x.Options + ")"
	}
	if x.Where != "" {
		s += " where " + strings.ReplaceAll(x.Where, "%s", x.WhereOn)
	}
	return s + "; "
}

// uses says whether the index depends on a column.
func (x *Index) uses(column string) bool {
	return x.WhereOn == column || slices.Contains(x.Include, column) ||
		slices.ContainsFunc(x.Keys, func(k Key) bool { return k.Column == column })
}

// key is the key's value for a number.
func (t *Table) key(number string) string { return strings.ReplaceAll(t.Key.expr, "%s", number) }

// sent are the columns that the publisher has.
func (t *Table) sent() []*Column {
	var list []*Column
	for _, c := range t.Columns {
		if !c.SubOnly {
			list = append(list, c)
		}
	}
	return list
}

// insert is a statement that inserts a row for each number of a source. salt goes
// into the values: values of unique columns are made of the sum.
func (t *Table) insert(source, number, salt string) string {
	names := []string{t.KeyName}
	values := []string{t.key(number)}
	n := number
	if salt != "" {
		n = "(" + number + " + " + salt + ")"
	}
	for _, c := range t.sent() {
		names = append(names, c.Name)
		values = append(values, c.value(n))
	}
	s := fmt.Sprintf("insert into %s (%s)", t.Name, strings.Join(names, ", "))
	if source == "" {
		return s + " values (" + strings.Join(values, ", ") + ")"
	}
	return s + " select " + strings.Join(values, ", ") + " from " + source
}

// rows is a query of the rows that insert inserts, with the table's columns in their
// order.
func (t *Table) rows(source, number string) string {
	var values []string
	for i := 0; i <= len(t.Columns); i++ {
		if i == min(t.KeyPlace, len(t.Columns)) {
			values = append(values, t.key(number))
		}
		if i < len(t.Columns) && !t.Columns[i].SubOnly {
			values = append(values, t.Columns[i].value(number))
		}
	}
	return "select " + strings.Join(values, ", ") + " from " + source
}
