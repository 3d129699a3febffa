package schema

import "slices"

// drop reads a DROP statement after that word.
func (p *parser) drop() {
	start := p.i
	var one func(schema, name string) bool // reports whether the object was there
	d := p.db
	what := ""
	switch {
	case p.accept("table"):
		what = "table"
		one = func(schema, name string) bool {
			t := d.findTable(schema, name)
			if t == nil {
				n := objectName{d.schemaOf(schema, name), name}
				_, ok := d.others[n]
				delete(d.others, n)
				return ok
			}
			d.dropTable(t)
			return true
		}
	case p.accept("index"):
		p.accept("concurrently")
		what = "index"
		one = func(schema, name string) bool {
			x := d.findIndex(schema, name)
			if x == nil {
				n := objectName{d.schemaOf(schema, name), name}
				_, ok := d.others[n]
				delete(d.others, n)
				return ok
			}
			d.dropIndex(x)
			return true
		}
	case p.accept("type"), p.accept("domain"):
		what = "type"
		one = func(schema, name string) bool {
			for _, s := range d.lookIn(schema) {
				if d.Types[s+"."+name] != nil {
					delete(d.Types, s+"."+name)
					delete(d.others, objectName{s, name})
					return true
				}
			}
			return false
		}
	case p.accept("sequence"):
		what = "sequence"
		one = func(schema, name string) bool {
			s := d.Sequence(d.schemaOf(schema, name), name)
			if s == nil {
				return false
			}
			d.dropSequences(func(o *Sequence) bool { return o == s })
			return true
		}
	case p.accept("schema"):
		what = "schema"
		one = func(_, name string) bool {
			for _, t := range slices.Clone(d.Tables) {
				if t.Schema == name {
					d.dropTable(t)
				}
			}
			d.dropSequences(func(s *Sequence) bool { return s.Schema == name })
			for key, t := range d.Types {
				if t.Schema == name {
					delete(d.Types, key)
				}
			}
			for n := range d.others {
				if n.schema == name {
					delete(d.others, n)
				}
			}
			delete(d.schemas, name)
			return true
		}
	case p.accept("publication"):
		what = "publication"
		one = func(_, name string) bool {
			n := len(d.Publications)
			d.Publications = slices.DeleteFunc(d.Publications, func(p *Publication) bool { return p.Name == name })
			return len(d.Publications) < n
		}
	case p.accept("trigger"):
		p.dropTrigger()
		return
	default:
		p.i = start
		p.passRest("DROP")
		return
	}
	exists := p.accept("if", "exists")
	for p.err == nil {
		schema, name := p.qname("a name")
		if p.err == nil && !one(schema, name) && !exists {
			d.nothingToDrop(p, what, schema, name)
		}
		if !p.accept(",") {
			break
		}
	}
	p.dropBehavior()
	p.end()
}

// nothingToDrop warns, once a script, of a DROP without an object: a script
// may be meant for a database that exists already, as pg_dump --clean's is.
func (d *Database) nothingToDrop(p *parser, what, schema, name string) {
	key := "drop\x00" + p.st.file
	if !d.warned[key] {
		d.warned[key] = true
		d.warn(p.st.file, p.st.line, "%s %s is to be dropped, but no statement before creates it; the statement and others like it are passed over", what, qualified(schema, name))
	}
	p.i = len(p.st.toks) - 1
}

// statementHas looks for a word anywhere in the rest of the statement.
func (p *parser) statementHas(word string) bool {
	for i := p.i; i < len(p.st.toks); i++ {
		if p.word(i, word) {
			return true
		}
	}
	return false
}

func (d *Database) lookIn(schema string) []string {
	if schema != "" {
		return []string{schema}
	}
	return d.path
}

// dropTable takes a table out with all that belongs to it and its partitions
// or inheritance children.
func (d *Database) dropTable(t *Table) {
	if d.tables[objectName{t.Schema, t.Name}] != t {
		return
	}
	for _, child := range slices.Clone(t.Children) {
		d.dropTable(child)
	}
	for _, n := range t.constraintNames() {
		d.dropConstraintName(objectName{t.Schema, n})
	}
	for _, x := range t.Indexes {
		delete(d.indexes, objectName{t.Schema, x.Name})
	}
	delete(d.tables, objectName{t.Schema, t.Name})
	d.Tables = slices.DeleteFunc(d.Tables, func(o *Table) bool { return o == t })
	d.dropSequences(func(s *Sequence) bool { return s.Table == t })
	for _, parent := range append(slices.Clone(t.Inherits), t.Parent) {
		if parent != nil {
			parent.Children = slices.DeleteFunc(parent.Children, func(o *Table) bool { return o == t })
		}
	}
	for _, pub := range d.Publications {
		pub.Tables = slices.DeleteFunc(pub.Tables, func(pt PublicationTable) bool { return pt.Table == t })
	}
}

func (d *Database) dropSequences(which func(*Sequence) bool) {
	d.Sequences = slices.DeleteFunc(d.Sequences, func(s *Sequence) bool {
		if !which(s) {
			return false
		}
		delete(d.others, objectName{s.Schema, s.Name})
		return true
	})
}
