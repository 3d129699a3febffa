package schema

import (
	"slices"
	"strings"
)

// createPublication reads CREATE PUBLICATION after those words.
func (p *parser) createPublication() {
	at := p.peek()
	pub := &Publication{Name: p.name("the name of the publication"), Insert: true, Update: true, Delete: true, Truncate: true}
	if p.err == nil && p.db.Publication(pub.Name) != nil {
		p.failAt(at, "found a second publication %q, expected a name that is not taken", pub.Name)
		return
	}
	if p.accept("for") {
		if p.accept("all", "tables") {
			pub.AllTables = true
		} else {
			pub.add(p.publicationObjects(pub))
		}
	}
	if p.accept("with") {
		p.publicationOptions(pub)
	}
	p.end()
	if p.err == nil {
		p.db.Publications = append(p.db.Publications, pub)
	}
}

// alterPublication reads ALTER PUBLICATION after those words.
func (p *parser) alterPublication() {
	at := p.peek()
	name := p.name("the name of a publication")
	pub := p.db.Publication(name)
	if p.err == nil && pub == nil {
		p.failAt(at, "found publication %q, expected one that a statement before creates", name)
		return
	}
	switch {
	case p.accept("add"):
		pub.add(p.publicationObjects(pub))
	case p.accept("drop"):
		tables, schemas := p.publicationObjects(pub)
		for _, pt := range tables {
			pub.Tables = slices.DeleteFunc(pub.Tables, func(o PublicationTable) bool { return o.Table == pt.Table })
		}
		pub.Schemas = slices.DeleteFunc(pub.Schemas, func(s string) bool { return slices.Contains(schemas, s) })
	case p.accept("set", "("):
		p.i--
		p.publicationOptions(pub)
	case p.accept("set"):
		tables, schemas := p.publicationObjects(pub)
		if p.err == nil {
			pub.Tables, pub.Schemas = nil, nil
			pub.add(tables, schemas)
		}
	case p.accept("owner", "to"):
		p.next()
	case p.accept("rename", "to"):
		pub.Name = p.name("the new name")
	default:
		p.expected(`"ADD", "SET", "DROP", "RENAME TO" or "OWNER TO"`)
	}
	p.end()
}

// add enters tables and schemas that are not there yet.
func (pub *Publication) add(tables []PublicationTable, schemas []string) {
	for _, pt := range tables {
		if pub.Find(pt.Table) == nil {
			pub.Tables = append(pub.Tables, pt)
		}
	}
	for _, s := range schemas {
		if !slices.Contains(pub.Schemas, s) {
			pub.Schemas = append(pub.Schemas, s)
		}
	}
}

// publicationObjects reads "TABLE a, ONLY b (x, y) WHERE (...), TABLES IN
// SCHEMA s, t"; an object without a keyword is of the kind of the one before.
func (p *parser) publicationObjects(pub *Publication) (tables []PublicationTable, schemas []string) {
	inSchema, first := false, true
	for p.err == nil {
		switch {
		case p.accept("table"):
			inSchema = false
		case p.accept("tables", "in", "schema"):
			inSchema = true
		case first:
			p.expected(`"TABLE", "TABLES IN SCHEMA" or "ALL TABLES"`)
		}
		first = false
		if inSchema {
			at := p.peek()
			s := p.name("the name of a schema")
			if s == "current_schema" && at.kind == tokIdent {
				s = p.db.creationSchema()
			}
			schemas = append(schemas, s)
		} else if pt, ok := p.publicationTable(); ok {
			tables = append(tables, pt)
		}
		if !p.accept(",") {
			break
		}
	}
	return tables, schemas
}

// publicationTable reads one table with column list and row filter.
func (p *parser) publicationTable() (PublicationTable, bool) {
	pt := PublicationTable{Only: p.accept("only")}
	at := p.peek()
	schema, name := p.qname("the name of a table")
	p.accept("*")
	if p.err != nil {
		return pt, false
	}
	if pt.Table = p.db.findTable(schema, name); pt.Table == nil && p.db.findOther(schema, name) == "" {
		p.noTable(at, schema, name)
		return pt, false
	}
	if p.is("(") {
		pt.Columns = p.names("the name of a column")
		for _, c := range pt.Columns {
			if pt.Table != nil && p.err == nil && pt.Table.Column(c) < 0 {
				p.noColumn(at, pt.Table, c)
			}
		}
	}
	if p.accept("where") {
		pt.Where, _, _ = p.parenExpr("a condition")
	}
	return pt, pt.Table != nil && p.err == nil
}

// publicationOptions reads WITH (...) or SET (...).
func (p *parser) publicationOptions(pub *Publication) {
	at := p.peek()
	options := p.options()
	if list, ok := options["publish"]; ok {
		pub.Insert, pub.Update, pub.Delete, pub.Truncate = false, false, false, false
		for op := range strings.SplitSeq(list, ",") {
			switch op = foldIdent(strings.TrimSpace(op)); op {
			case "insert":
				pub.Insert = true
			case "update":
				pub.Update = true
			case "delete":
				pub.Delete = true
			case "truncate":
				pub.Truncate = true
			case "":
			default:
				p.failAt(at, "found %q in the option publish, expected insert, update, delete or truncate", op)
			}
		}
	}
	pub.ViaRoot = boolOption(options, "publish_via_partition_root", pub.ViaRoot)
	switch v := options["publish_generated_columns"]; v {
	case "":
	case "none":
		pub.GeneratedStored = false
	default: // "stored", or the boolean of the development version
		pub.GeneratedStored = v == "stored" || boolOption(options, "publish_generated_columns", false)
	}
}
