package advise

import (
	"fmt"
	"slices"
	"strings"

	"applysim/model/schema"
)

// Problem is what keeps updates and deletes of a table from being replicated.
type Problem struct {
	Table string `json:"table"`
	What  string `json:"what"`
	// Remedies are ways out, each a list of statements joined by newlines.
	Remedies []Step `json:"remedies"`
	// Met says that the scenario updates or deletes rows of the table.
	Met bool `json:"met"`
	// Assumed is what the simulation takes to be done about it; "" for nothing.
	Assumed string `json:"assumed,omitempty"`
}

// Problems lists the published tables whose updates and deletes cannot be replicated:
// those that the publisher refuses to change, and those whose rows the subscriber's worker
// could not find.
func Problems(sub, pub *schema.Database) []*Problem {
	list := []*Problem{}
	add := func(t *schema.Table, what string, remedies ...Step) {
		list = append(list, &Problem{Table: t.QualifiedName(), What: what, Remedies: remedies})
	}
	for _, t := range pub.Tables {
		if t.Kind != 'r' || t.Temp || t.Unlogged || !published(pub, t) {
			continue
		}
		local := table(sub, t.QualifiedName())
		if local == nil {
			add(t, "the subscriber has no such table: its first change stops replication (expected CREATE TABLE there, or the table out of the publication)")
			continue
		}
		var missing []string
		for _, c := range t.Columns {
			if !c.Dropped && c.Generated == 0 && local.Column(c.Name) < 0 {
				missing = append(missing, c.Name)
			}
		}
		if len(missing) > 0 {
			add(t, "the subscriber's table has no column "+strings.Join(missing, ", ")+": its first change stops replication (expected ALTER TABLE ... ADD COLUMN there, or a column list)")
			continue
		}
		key, full := identity(t)
		if key == nil && !full {
			why := "it has no primary key, and its replica identity is the default one"
			switch {
			case t.ReplicaIdentity == 'n':
				why = "its replica identity is NOTHING"
			case t.PrimaryKey() != nil:
				why = "its primary key is deferrable, which is no replica identity"
			}
			add(t, "the publisher refuses UPDATE and DELETE: "+why, identityRemedies(t)...)
			continue
		}
		own := lookupKey(local)
		if own == nil && !full {
			add(t, "the worker stops at the first UPDATE or DELETE: the subscriber's table has neither a replica identity index nor a primary key, and the publisher does not send whole rows",
				Step{OnSubscriber, "ALTER TABLE " + name(local) + " ADD PRIMARY KEY (" + columnList(t, key) + ");"},
				Step{OnPublisher, "ALTER TABLE " + name(t) + " REPLICA IDENTITY FULL;"})
			continue
		}
		if own == nil {
			if bad := uncomparable(local); bad != "" {
				add(t, "the worker stops at the first UPDATE or DELETE: with REPLICA IDENTITY FULL and no key on the subscriber it compares whole rows, and "+bad+" cannot be compared", identityRemedies(t)...)
			}
			continue
		}
		var uncovered []string
		for _, k := range own.Keys {
			c := local.Columns[k.Column].Name
			if n := t.Column(c); !full && (n < 0 || !slices.Contains(key, n)) || n < 0 {
				uncovered = append(uncovered, c)
			}
		}
		if len(uncovered) > 0 {
			sent := columnList(t, key)
			add(t, fmt.Sprintf("the worker stops at the first UPDATE or DELETE: the subscriber finds rows by %s, and the publisher does not send its column %s with old rows (its replica identity has %s)", own.Name, strings.Join(uncovered, ", "), sent),
				Step{OnPublisher, "ALTER TABLE " + name(t) + " REPLICA IDENTITY FULL;"},
				Step{OnSubscriber, "ALTER TABLE " + name(local) + " DROP CONSTRAINT " + schema.QuoteIdent(own.Name) + "; ALTER TABLE " + name(local) + " ADD PRIMARY KEY (" + sent + ");"})
		}
	}
	return list
}

// identityRemedies are ways to give a published table a replica identity.
func identityRemedies(t *schema.Table) []Step {
	var list []Step
	if x := t.PrimaryKey(); x != nil && !x.Deferrable {
		list = append(list, Step{OnPublisher, "ALTER TABLE " + name(t) + " REPLICA IDENTITY DEFAULT;"})
	}
	for _, x := range t.Indexes {
		if !x.Primary && usableIdentity(t, x) {
			list = append(list, Step{OnPublisher, "ALTER TABLE " + name(t) + " REPLICA IDENTITY USING INDEX " + schema.QuoteIdent(x.Name) + ";"})
		}
	}
	if t.ReplicaIdentity != 'f' {
		list = append(list, Step{OnPublisher, "ALTER TABLE " + name(t) + " REPLICA IDENTITY FULL;"})
	}
	return list
}

// usableIdentity says whether an index can be a replica identity: unique, of all rows, of
// plain columns that are never NULL, checked at once.
func usableIdentity(t *schema.Table, x *schema.Index) bool {
	if !x.Unique || x.Predicate != "" || x.Deferrable || x.WithoutOverlaps {
		return false
	}
	return !slices.ContainsFunc(x.Keys, func(k schema.IndexKey) bool { return k.Column < 0 || !t.Columns[k.Column].NotNull })
}

// identity is the replica identity of a published table: the columns of its key, or the
// whole row.
func identity(t *schema.Table) (key []int, full bool) {
	var x *schema.Index
	switch t.ReplicaIdentity {
	case 'f':
		return nil, true
	case 'i':
		for _, y := range t.Indexes {
			if y.ReplicaIdentity {
				x = y
			}
		}
	case 'd':
		if x = t.PrimaryKey(); x != nil && x.Deferrable {
			x = nil
		}
	}
	if x == nil {
		return nil, false
	}
	for _, k := range x.Keys {
		key = append(key, k.Column)
	}
	return key, false
}

// lookupKey is the index by which the worker finds rows of a table of the subscriber
// (GetRelationIdentityOrPK in execReplication.c), nil if there is none.
func lookupKey(t *schema.Table) *schema.Index {
	if t.ReplicaIdentity == 'i' {
		for _, x := range t.Indexes {
			if x.ReplicaIdentity {
				return x
			}
		}
	}
	if x := t.PrimaryKey(); x != nil && !x.Deferrable {
		return x
	}
	return nil
}

// uncomparable names a column whose type has no default operator class, so that rows
// cannot be compared by it (tuples_equal in execReplication.c); "" if there is none.
func uncomparable(t *schema.Table) string {
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Dropped || c.Generated != 0 {
			continue
		}
		switch base := c.Type.Base().Name; base {
		case "json", "xml", "jsonpath", "point", "line", "lseg", "box", "path", "polygon", "circle", "pg_node_tree", "txid_snapshot":
			return fmt.Sprintf("column %s of type %s", c.Name, base)
		}
	}
	return ""
}

// published says whether a table is part of a publication; if the DDL has none, all are.
func published(db *schema.Database, t *schema.Table) bool {
	if len(db.Publications) == 0 {
		return true
	}
	for _, p := range db.Publications {
		for root := t; root != nil; root = root.Parent {
			if p.AllTables || slices.Contains(p.Schemas, root.Schema) || slices.ContainsFunc(p.Tables, func(o schema.PublicationTable) bool { return o.Table == root }) {
				return true
			}
		}
	}
	return false
}

// table finds a table by its name with its schema, unless that is public.
func table(db *schema.Database, qualified string) *schema.Table {
	for _, t := range db.Tables {
		if t.QualifiedName() == qualified {
			return t
		}
	}
	return nil
}

func name(t *schema.Table) string { return schema.QuoteName(t.Schema, t.Name) }

func columnList(t *schema.Table, columns []int) string {
	var names []string
	for _, c := range columns {
		names = append(names, schema.QuoteIdent(t.Columns[c].Name))
	}
	return strings.Join(names, ", ")
}
