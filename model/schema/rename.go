package schema

import "slices"

// renameInTable reads ALTER TABLE ... RENAME after that word.
func (p *parser) renameInTable(t *Table) {
	switch {
	case p.accept("to"):
		at := p.peek()
		to := p.name("the new name")
		p.end()
		if p.err != nil {
			return
		}
		if p.db.relationExists(objectName{t.Schema, to}) {
			p.failAt(at, "found a second relation %s, expected a name that is not taken", qualified(t.Schema, to))
			return
		}
		p.db.moveTable(t, t.Schema, to)
	case p.accept("constraint"):
		at := p.peek()
		from := p.name("the name of a constraint")
		p.expect("to")
		to := p.name("the new name")
		p.end()
		if p.err == nil {
			p.renameConstraint(t, from, to, at)
		}
	default:
		p.accept("column")
		at := p.peek()
		from := p.name("the name of a column")
		p.expect("to")
		to := p.name("the new name")
		p.end()
		if p.err == nil {
			p.renameColumn(t, from, to, at, true)
		}
	}
}

// moveTable gives a table another name or schema. Its indexes, sequences and
// constraints follow it into the schema, but keep their names.
func (d *Database) moveTable(t *Table, schema, name string) {
	delete(d.tables, objectName{t.Schema, t.Name})
	if schema != t.Schema {
		old := t.Schema
		for _, x := range t.Indexes {
			delete(d.indexes, objectName{old, x.Name})
			d.indexes[objectName{schema, x.Name}] = x
		}
		for _, n := range t.constraintNames() {
			d.dropConstraintName(objectName{old, n})
			d.constraints[objectName{schema, n}]++
		}
		for _, s := range d.Sequences {
			if s.Table == t {
				d.moveSequence(s, schema, s.Name)
			}
		}
		d.schemas[schema] = true
	}
	t.Schema, t.Name = schema, name
	d.tables[objectName{schema, name}] = t
}

// constraintNames lists the table's entries of pg_constraint.
func (t *Table) constraintNames() []string {
	var names []string
	for _, x := range t.Indexes {
		if x.Constraint {
			names = append(names, x.Name)
		}
	}
	for _, c := range t.Checks {
		names = append(names, c.Name)
	}
	for i := range t.Columns {
		if n := t.Columns[i].notNull; n != "" {
			names = append(names, n)
		}
	}
	return append(names, t.foreignKeys...)
}

func (p *parser) renameConstraint(t *Table, from, to string, at token) {
	if x := t.Index(from); x != nil && x.Constraint {
		p.renameIndex(x, to, at)
		return
	}
	done := false
	for i := range t.Checks {
		if t.Checks[i].Name == from {
			t.Checks[i].Name = to
			done = true
		}
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.notNull == from {
			c.notNull = to
			done = true
		}
	}
	if i := slices.Index(t.foreignKeys, from); i >= 0 {
		t.foreignKeys[i] = to
		for i := range t.References {
			if t.References[i].Name == from {
				t.References[i].Name = to
			}
		}
		done = true
	}
	if !done {
		p.failAt(at, "found constraint %q, expected one of table %s", from, t.QualifiedName())
		return
	}
	p.db.dropConstraintName(objectName{t.Schema, from})
	p.db.constraints[objectName{t.Schema, to}]++
}

func (p *parser) renameColumn(t *Table, from, to string, at token, must bool) {
	i := t.Column(from)
	if i < 0 {
		if must {
			p.noColumn(at, t, from)
		}
		return
	}
	if t.Column(to) >= 0 {
		p.failAt(at, "found a second column %q, expected a name that table %s does not have", to, t.QualifiedName())
		return
	}
	t.Columns[i].Name = to
	replace := func(s *string) { *s, _ = replaceColumn(*s, from, to) }
	for j := range t.Columns {
		replace(&t.Columns[j].GeneratedExpr)
	}
	for j := range t.Checks {
		replace(&t.Checks[j].Expr)
	}
	for _, x := range t.Indexes {
		replace(&x.Predicate)
		for j := range x.Keys {
			replace(&x.Keys[j].Expr)
		}
	}
	if t.Partition != nil {
		for j := range t.Partition.Keys {
			replace(&t.Partition.Keys[j].Expr)
		}
	}
	for j := range t.Triggers {
		for k, c := range t.Triggers[j].Columns {
			if c == from {
				t.Triggers[j].Columns[k] = to
			}
		}
	}
	for _, pub := range p.db.Publications {
		if pt := pub.Find(t); pt != nil {
			replace(&pt.Where)
			for k, c := range pt.Columns {
				if c == from {
					pt.Columns[k] = to
				}
			}
		}
	}
	for _, child := range t.Children {
		p.renameColumn(child, from, to, at, false)
	}
}

// renameIndex renames an index and the constraint that it belongs to.
func (p *parser) renameIndex(x *Index, to string, at token) {
	n := objectName{x.Table.Schema, to}
	if p.db.relationExists(n) {
		p.failAt(at, "found a second relation %s, expected a name for the index that is not taken", qualified(n.schema, to))
		return
	}
	old := objectName{n.schema, x.Name}
	delete(p.db.indexes, old)
	p.db.indexes[n] = x
	if x.Constraint {
		p.db.dropConstraintName(old)
		p.db.constraints[n]++
	}
	x.Name = to
}

// alterIndex reads ALTER INDEX after those words.
func (p *parser) alterIndex() {
	if p.accept("all", "in", "tablespace") {
		p.db.skip("ALTER INDEX ALL IN TABLESPACE")
		return
	}
	exists := p.accept("if", "exists")
	at := p.peek()
	schema, name := p.qname("the name of an index")
	if p.err != nil {
		return
	}
	x := p.db.findIndex(schema, name)
	if x == nil {
		if p.db.findOther(schema, name) == "" && !exists {
			p.failAt(at, "found index %s, expected one that a statement before creates", qualified(schema, name))
		}
		return
	}
	p.alterIndexAction(x)
}

func (p *parser) alterIndexAction(x *Index) {
	at := p.peek()
	switch {
	case p.accept("rename", "to"):
		to := p.name("the new name")
		p.end()
		if p.err == nil {
			p.renameIndex(x, to, at)
		}
	case p.accept("attach", "partition"):
		schema, name := p.qname("the name of an index")
		p.end()
		if p.err != nil {
			return
		}
		child := p.db.findIndex(schema, name)
		if child == nil || child.Table.Parent != x.Table {
			p.failAt(at, "found index %s, expected one of a partition of %s", qualified(schema, name), x.Table.QualifiedName())
			return
		}
		child.Parent = x
	case p.accept("set", "("):
		p.i--
		options := p.options()
		p.setIndexOptions(x, options)
	case p.accept("reset"):
		for k := range p.options() {
			delete(x.Options, k)
		}
		p.setIndexOptions(x, nil)
	case p.accept("set", "tablespace"), p.accept("alter"), p.accept("depends"), p.accept("no", "depends"), p.accept("owner", "to"),
		p.accept("set", "schema"):
	default:
		p.expected("an action of ALTER INDEX")
	}
}
