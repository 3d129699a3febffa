package schema

import (
	"slices"
	"strings"
)

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
		at := p.peek()
		schema, name := p.qname("a name")
		if p.err == nil && !one(schema, name) && !exists {
			p.failAt(at, "found %s %s, expected one that a statement before creates", what, qualified(schema, name))
		}
		if !p.accept(",") {
			break
		}
	}
	p.dropBehavior()
	p.end()
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

// createCollation reads CREATE COLLATION after those words.
func (p *parser) createCollation() {
	p.accept("if", "not", "exists")
	c := &Collation{Deterministic: true}
	c.Schema, c.Name = p.newName("the name of the collation")
	if p.accept("from") {
		p.qname("the name of a collation")
	} else {
		o := p.options()
		c.Provider, c.Locale = o["provider"], o["locale"]
		if c.Locale == "" {
			c.Locale = o["lc_collate"]
		}
		c.Deterministic = boolOption(o, "deterministic", true)
	}
	p.end()
	if p.err == nil {
		p.db.Collations[c.Schema+"."+c.Name] = c
	}
}

// createTrigger reads CREATE [CONSTRAINT] TRIGGER after those words.
func (p *parser) createTrigger(constraint bool) {
	tr := Trigger{Name: p.name("the name of the trigger"), Constraint: constraint, Enabled: 'O'}
	switch {
	case p.accept("before"):
		tr.Timing = "before"
	case p.accept("after"):
		tr.Timing = "after"
	case p.accept("instead", "of"):
		tr.Timing = "instead of"
	default:
		p.expected(`"BEFORE", "AFTER" or "INSTEAD OF"`)
	}
	for p.err == nil {
		at := p.peek()
		event := p.name("an event")
		switch event {
		case "insert", "delete", "truncate":
		case "update":
			if p.accept("of") {
				for p.err == nil {
					tr.Columns = append(tr.Columns, p.name("the name of a column"))
					if !p.accept(",") {
						break
					}
				}
			}
		default:
			p.failAt(at, "found %q, expected INSERT, UPDATE, DELETE or TRUNCATE", event)
		}
		tr.Events = append(tr.Events, event)
		if !p.accept("or") {
			break
		}
	}
	p.expect("on")
	t := p.table(false)
	if t == nil {
		return // a view's, or an error
	}
	for p.err == nil && !p.is("execute") {
		switch {
		case p.accept("from"):
			p.qname("the name of a table")
		case p.accept("not", "deferrable"), p.accept("deferrable"), p.accept("initially", "deferred"), p.accept("initially", "immediate"):
		case p.accept("referencing"):
			for p.isAny("old", "new") {
				p.i++
				if !p.accept("table") {
					p.accept("row")
				}
				p.accept("as")
				p.name("a name for the rows")
			}
		case p.accept("for"):
			p.accept("each")
			if p.accept("row") {
				tr.Row = true
			} else {
				p.expect("statement")
			}
		case p.accept("when"):
			tr.When, _, _ = p.parenExpr("a condition")
		default:
			p.expected(`"EXECUTE FUNCTION"`)
		}
	}
	p.expect("execute")
	if !p.accept("procedure") {
		p.expect("function")
	}
	schema, name := p.qname("the name of a function")
	tr.Function = name
	if schema != "" {
		tr.Function = schema + "." + name
	}
	p.skipParens()
	p.end()
	if p.err == nil {
		addTrigger(t, tr)
	}
}

// addTrigger enters a trigger, a row trigger also in the partitions.
func addTrigger(t *Table, tr Trigger) {
	t.Triggers = slices.DeleteFunc(t.Triggers, func(o Trigger) bool { return o.Name == tr.Name })
	t.Triggers = append(t.Triggers, tr)
	if tr.Row {
		for _, child := range t.Children {
			if child.Parent == t {
				addTrigger(child, tr)
			}
		}
	}
}

// cloneTriggers gives a new partition its parent's row triggers.
func (p *parser) cloneTriggers(child, parent *Table) {
	for _, tr := range parent.Triggers {
		if tr.Row {
			addTrigger(child, tr)
		}
	}
}

// setTrigger enables or disables triggers; it reports whether there is one.
func setTrigger(t *Table, name string, all bool, state byte) bool {
	found := false
	for i := range t.Triggers {
		if tr := &t.Triggers[i]; all || tr.Name == name {
			tr.Enabled = state
			found = true
		}
	}
	if found {
		for _, child := range t.Children {
			setTrigger(child, name, all, state)
		}
	}
	return found
}

// dropTrigger reads DROP TRIGGER after those words.
func (p *parser) dropTrigger() {
	exists := p.accept("if", "exists")
	at := p.peek()
	name := p.name("the name of a trigger")
	p.expect("on")
	t := p.table(exists)
	if t == nil {
		return
	}
	p.dropBehavior()
	p.end()
	if p.err == nil && !removeTrigger(t, name) && !exists {
		p.failAt(at, "found trigger %q, expected one of table %s", strings.ToLower(name), t.QualifiedName())
	}
}

func removeTrigger(t *Table, name string) bool {
	n := len(t.Triggers)
	t.Triggers = slices.DeleteFunc(t.Triggers, func(tr Trigger) bool { return tr.Name == name })
	if len(t.Triggers) == n {
		return false
	}
	for _, child := range t.Children {
		removeTrigger(child, name)
	}
	return true
}
