// After transformIndexConstraints in src/backend/parser/parse_utilcmd.c
// (REL_18_1).

package schema

import "slices"

// isTableConstraint reports whether a constraint of the table starts here: a
// column may be called "check" in quotes only.
func (p *parser) isTableConstraint() bool {
	switch t := p.peek(); {
	case t.kind != tokIdent:
		return false
	case t.text == "constraint", t.text == "check", t.text == "unique", t.text == "primary", t.text == "foreign":
		return true
	case t.text == "exclude":
		return p.peekN(1).text == "(" || p.peekN(1).text == "using"
	case t.text == "not":
		return p.peekN(1).text == "null"
	}
	return false
}

// tableConstraint reads a constraint that stands beside the columns.
func (p *parser) tableConstraint(def *tableDef, t *Table) {
	name := ""
	if p.accept("constraint") {
		name = p.name("the name of a constraint")
	}
	at := p.peek()
	var last *indexDef
	var check *checkDef
	switch {
	case p.accept("check"):
		check = p.check(def, name)
	case p.accept("not", "null"):
		nn := notNullDef{column: p.name("the name of a column"), name: name, at: at}
		nn.noInherit = p.accept("no", "inherit")
		def.notNulls = append(def.notNulls, nn)
	case p.accept("primary", "key"):
		last = &indexDef{unique: true, primary: true}
	case p.accept("unique"):
		last = &indexDef{unique: true, nullsNotDistinct: p.nullsNotDistinct()}
	case p.accept("exclude"):
		last = &indexDef{}
		p.exclusion(last, t)
	case p.accept("foreign", "key"):
		fk := fkDef{name: name, columns: p.keyColumns(), at: at, attrs: &indexDef{}}
		p.expect("references")
		fk.to = p.references()
		def.fks = append(def.fks, fk)
		for p.err == nil && p.constraintAttribute(lastConstraint{index: fk.attrs}) {
		}
		return
	default:
		p.expected("a constraint")
		return
	}
	if last != nil {
		last.name, last.constraint, last.at = name, true, at
		if len(last.keys) == 0 {
			if p.accept("using", "index") {
				last.using = p.name("the name of an index")
			} else {
				p.keyList(last)
			}
		}
		p.indexParameters(last)
		if p.accept("where") { // EXCLUDE only
			last.predicate, _, _ = p.parenExpr("a condition")
		}
		def.indexes = append(def.indexes, last)
	}
	for p.err == nil && p.constraintAttribute(lastConstraint{last, check}) {
	}
}

// inlineIndex completes UNIQUE or PRIMARY KEY of a column.
func (p *parser) inlineIndex(def *tableDef, x *indexDef, name, column string, at token) {
	x.name, x.constraint, x.at = name, true, at
	x.keys = []keyDef{{column: column, colname: column, at: at}}
	p.indexParameters(x)
	def.indexes = append(def.indexes, x)
}

// keyList reads the columns of UNIQUE or PRIMARY KEY.
func (p *parser) keyList(x *indexDef) {
	p.expect("(")
	for p.err == nil {
		at := p.peek()
		name := p.name("the name of a column")
		x.keys = append(x.keys, keyDef{column: name, colname: name, at: at})
		if p.accept("without", "overlaps") {
			x.withoutOverlaps = true
			break
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// keyColumns reads the columns of a foreign key.
func (p *parser) keyColumns() []string {
	var list []string
	p.expect("(")
	for p.err == nil {
		if p.is("period") && p.peekN(1).text != "," && p.peekN(1).text != ")" {
			p.i++
		}
		list = append(list, p.name("the name of a column"))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// indexParameters reads INCLUDE, WITH and USING INDEX TABLESPACE.
func (p *parser) indexParameters(x *indexDef) {
	if p.accept("include") {
		for _, name := range p.names("the name of a column") {
			x.include = append(x.include, keyDef{column: name, colname: name, at: x.at})
		}
	}
	if p.accept("with") {
		x.options = p.options()
	}
	if p.accept("using", "index", "tablespace") {
		p.name("the name of a tablespace")
	}
}

// exclusion reads EXCLUDE after that word, up to its columns.
func (p *parser) exclusion(x *indexDef, t *Table) {
	if p.accept("using") {
		x.method = p.name("an access method")
	}
	p.expect("(")
	for p.err == nil {
		x.keys = append(x.keys, p.indexKey(t))
		p.expect("with")
		if p.accept("operator") {
			from, to := p.skipParens()
			x.operators = append(x.operators, p.text(from, to))
		} else if p.peek().kind == tokOp {
			x.operators = append(x.operators, p.next().text)
		} else {
			p.expected("an operator")
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// check reads the expression of a CHECK after that word.
func (p *parser) check(def *tableDef, name string) *checkDef {
	c := &checkDef{Check: Check{Name: name}}
	c.Expr, c.from, c.to = p.parenExpr("a condition")
	def.checks = append(def.checks, c)
	return c
}

// nullsNotDistinct reads NULLS [NOT] DISTINCT, if it is there.
func (p *parser) nullsNotDistinct() bool {
	if p.accept("nulls", "not", "distinct") {
		return true
	}
	p.accept("nulls", "distinct")
	return false
}

// fkTarget is what REFERENCES says.
type fkTarget struct {
	schema, name       string
	columns            []string // none: those of the primary key
	onDelete, onUpdate Action
}

// references reads what REFERENCES says, after that word.
func (p *parser) references() fkTarget {
	r := fkTarget{onDelete: NoAction, onUpdate: NoAction}
	r.schema, r.name = p.qname("the name of a table")
	if p.is("(") {
		r.columns = p.keyColumns()
	}
	for p.err == nil {
		action := &r.onDelete
		switch {
		case p.accept("match"):
			p.name(`"FULL", "PARTIAL" or "SIMPLE"`)
			continue
		case p.accept("on", "delete"):
		case p.accept("on", "update"):
			action = &r.onUpdate
		default:
			return r
		}
		switch {
		case p.accept("no", "action"):
			*action = NoAction
		case p.accept("restrict"):
			*action = Restrict
		case p.accept("cascade"):
			*action = Cascade
		case p.accept("set", "null"), p.accept("set", "default"):
			*action = SetValue
			if p.is("(") {
				p.skipParens()
			}
		default:
			p.expected("an action of the foreign key")
		}
	}
	return r
}

// mergeIndexDefs puts the primary key first and leaves out constraints that
// ask for the same index again (UNIQUE PRIMARY KEY): the first one stays and
// takes over a name.
func mergeIndexDefs(defs []*indexDef) []*indexDef {
	var list []*indexDef
	for _, d := range defs {
		if d.primary {
			list = append(list, d)
		}
	}
	sameKey := func(a, b keyDef) bool { a.at, b.at = token{}, token{}; return a == b }
next:
	for _, d := range defs {
		if d.primary {
			continue
		}
		for _, prior := range list {
			if slices.EqualFunc(d.keys, prior.keys, sameKey) && slices.EqualFunc(d.include, prior.include, sameKey) &&
				slices.Equal(d.operators, prior.operators) && d.predicate == prior.predicate && d.method == prior.method &&
				d.withoutOverlaps == prior.withoutOverlaps &&
				d.nullsNotDistinct == prior.nullsNotDistinct && d.deferrable == prior.deferrable && d.deferred == prior.deferred {
				if prior.name == "" {
					prior.name = d.name
				}
				prior.unique = prior.unique || d.unique
				continue next
			}
		}
		list = append(list, d)
	}
	return list
}
