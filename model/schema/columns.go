package schema

import (
	"strconv"
	"strings"

	"applysim/model/pgtype"
)

// maxColumns is MaxHeapAttributeNumber (REL_18_1, src/include/access/htup_details.h).
const maxColumns = 1600

// columnDef reads a column with its clauses.
func (p *parser) columnDef(def *tableDef, options bool) {
	c := columnDef{Column: Column{Typmod: -1}}
	at := p.peek()
	if len(def.columns) >= maxColumns {
		p.failAt(at, "found a column more, expected %d at most", maxColumns)
		return
	}
	c.Name = p.name("the name of a column or a constraint")
	if options {
		p.accept("with", "options")
	} else {
		ct := p.typeName("the type of column " + strconv.Quote(c.Name))
		if p.err != nil {
			return
		}
		c.typed = true
		c.Type, c.Typmod, c.serial, c.Storage = ct.typ, ct.typmod, ct.serial, ct.typ.Storage
		p.checkColumnName(c.Name, at)
		for i := range def.columns {
			if def.columns[i].Name == c.Name {
				p.failAt(at, "found a second column %q, expected a name that is not taken", c.Name)
				return
			}
		}
	}
	if c.serial {
		def.notNulls = append(def.notNulls, notNullDef{column: c.Name, at: at})
	}
	p.columnClauses(def, &c)
	for i := range def.columns {
		if def.columns[i].Name == c.Name { // only in OF, where the type gave the column
			d := &def.columns[i]
			d.Default, d.Generated, d.GeneratedExpr = c.Default, c.Generated, c.GeneratedExpr
			return
		}
	}
	def.columns = append(def.columns, c)
}

// atColumnClause reports whether a clause of a column starts here; it ends a
// DEFAULT expression, in which none of these words can stand outside of
// parentheses after an operand.
func (p *parser) atColumnClause() bool {
	if p.is(",") {
		return true
	}
	t := p.peek()
	if t.kind != tokIdent {
		return false
	}
	prev := p.st.toks[max(p.i-1, 0)]
	if prev.kind == tokOp || prev.kind == tokPunct && (prev.text == "::" || prev.text == ".") {
		return false
	}
	switch t.text {
	case "constraint", "null", "unique", "primary", "check", "references", "default", "generated", "collate",
		"deferrable", "initially", "enforced", "compression", "storage", "options":
		return true
	case "not":
		return !(prev.kind == tokIdent && prev.text == "is") // IS NOT DISTINCT FROM
	}
	return false
}

// columnClauses reads what follows a column's type.
func (p *parser) columnClauses(def *tableDef, c *columnDef) {
	conname := ""
	var last lastConstraint
	for p.err == nil {
		at := p.peek()
		switch {
		case p.accept("constraint"):
			conname = p.name("the name of a constraint")
			continue
		case p.accept("not", "null"):
			own := p.accept("no", "inherit")
			def.notNulls = append(def.notNulls, notNullDef{column: c.Name, name: conname, noInherit: own, at: at})
		case p.accept("null"):
		case p.accept("default"):
			c.Default, c.hasDefault = p.defaultExpr(c.Type, p.atColumnClause), true
		case p.accept("generated"):
			p.generated(def, c)
		case p.accept("primary", "key"):
			last = lastConstraint{index: &indexDef{primary: true, unique: true}}
			p.inlineIndex(def, last.index, conname, c.Name, at)
		case p.accept("unique"):
			last = lastConstraint{index: &indexDef{unique: true, nullsNotDistinct: p.nullsNotDistinct()}}
			p.inlineIndex(def, last.index, conname, c.Name, at)
		case p.accept("check"):
			last = lastConstraint{check: p.check(def, conname)}
		case p.accept("references"):
			fk := fkDef{conname, []string{c.Name}, at, p.references(), &indexDef{}}
			last = lastConstraint{index: fk.attrs}
			def.fks = append(def.fks, fk)
		case p.accept("collate"):
			c.Collation = p.collation()
		case p.accept("storage"):
			c.Storage = p.storage(c.Type)
			c.hasStorage = true
		case p.accept("compression"):
			c.Compression = p.compression()
		case p.accept("options"):
			p.skipParens()
		case p.constraintAttribute(last):
		default:
			if conname != "" {
				p.expected("a constraint after its name")
			}
			return
		}
		conname = ""
	}
}

// defaultExpr reads a default. The constant NULL is no default at all, but
// over a domain, whose own default it hides.
func (p *parser) defaultExpr(t *pgtype.Type, stop func() bool) string {
	text := p.exprUntil("the default value", stop)
	if strings.EqualFold(text, "null") && (t == nil || t.Kind != pgtype.KindDomain) {
		return ""
	}
	return text
}

// lastConstraint is the constraint to which the attributes that follow belong.
type lastConstraint struct {
	index *indexDef
	check *checkDef
}

// constraintAttribute reads one attribute of the constraint before it.
func (p *parser) constraintAttribute(last lastConstraint) bool {
	x := last.index
	if x == nil {
		x = &indexDef{}
	}
	c := last.check
	if c == nil {
		c = &checkDef{}
	}
	switch {
	case p.accept("deferrable"):
		x.deferrable = true
	case p.accept("not", "deferrable"):
		x.deferrable = false
	case p.accept("initially", "deferred"):
		x.deferrable, x.deferred = true, true
	case p.accept("initially", "immediate"), p.accept("not", "valid"), p.accept("enforced"):
	case p.accept("no", "inherit"):
		c.NoInherit = true
	case p.accept("not", "enforced"):
		c.NotEnforced = true
	default:
		return false
	}
	return true
}

// generated reads GENERATED after that word.
func (p *parser) generated(def *tableDef, c *columnDef) {
	kind := byte('a')
	at := p.peek()
	if p.accept("by", "default") {
		kind = 'd'
	} else {
		p.expect("always")
	}
	p.expect("as")
	if p.accept("identity") {
		c.Identity = kind
		c.sequence = &sequenceOptions{}
		if p.accept("(") {
			p.sequenceOptions(c.sequence)
			p.expect(")")
		}
		def.notNulls = append(def.notNulls, notNullDef{column: c.Name, at: at})
		return
	}
	c.GeneratedExpr, _, _ = p.parenExpr("an expression")
	switch {
	case p.accept("stored"):
		c.Generated = 's'
	default:
		p.accept("virtual")
		c.Generated = 'v'
	}
}

func (p *parser) storage(t *pgtype.Type) byte {
	at := p.peek()
	word := foldIdent(p.next().text)
	switch word {
	case "plain":
		return 'p'
	case "external":
		return 'e'
	case "main":
		return 'm'
	case "extended":
		return 'x'
	case "default":
		if t != nil {
			return t.Storage
		}
		return 0
	}
	p.failAt(at, "found %q, expected PLAIN, EXTERNAL, EXTENDED, MAIN or DEFAULT", word)
	return 0
}

func (p *parser) compression() byte {
	at := p.peek()
	word := foldIdent(p.next().text)
	switch word {
	case "pglz":
		return 'p'
	case "lz4":
		return 'l'
	case "default":
		return 0
	}
	p.failAt(at, "found %q, expected pglz, lz4 or DEFAULT", word)
	return 0
}
