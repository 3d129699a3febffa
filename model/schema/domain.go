package schema

import (
	"slices"
	"strings"

	"applysim/model/pgtype"
)

// createDomain reads CREATE DOMAIN after the word DOMAIN.
func (p *parser) createDomain() {
	schema, name := p.newName("the name of the domain")
	p.accept("as")
	ct := p.typeName("the type of the domain")
	if p.err != nil {
		return
	}
	t := pgtype.NewDomain(schema, name, ct.typ, ct.typmod, false)
	if ct.typ.Kind == pgtype.KindDomain {
		t.Default = ct.typ.Default
	}
	constraint := ""
	for p.err == nil && !p.atEnd() {
		switch {
		case p.accept("not", "null"):
			t.NotNull = true
		case p.accept("null"):
		case p.accept("constraint"):
			constraint = p.name("the name of a constraint")
			continue
		case p.accept("collate"):
			pgtype.SetCollation(t, p.collation())
		case p.accept("default"):
			t.Default = p.defaultExpr(nil, p.atColumnClause)
		case p.accept("check"):
			p.domainCheck(t, constraint)
		case p.constraintAttribute(lastConstraint{}):
		default:
			p.expected("a constraint of the domain")
		}
		constraint = ""
	}
	if p.err == nil {
		p.db.Types[schema+"."+name] = t
	}
}

// domainCheck reads a CHECK constraint after that word.
func (p *parser) domainCheck(t *pgtype.Type, name string) {
	text, _, _ := p.parenExpr("a condition")
	if p.err != nil {
		return
	}
	if name == "" {
		name = p.db.chooseConstraintName(t.Name, "", "check", t.Schema)
	}
	p.db.constraints[objectName{t.Schema, name}]++
	t.Checks = append(t.Checks, pgtype.DomainCheck{Name: name, Expr: text})
	sortChecks(t)
	p.accept("no", "inherit")
}

func sortChecks(t *pgtype.Type) {
	slices.SortStableFunc(t.Checks, func(a, b pgtype.DomainCheck) int { return strings.Compare(a.Name, b.Name) })
}

// alterDomain reads ALTER DOMAIN after the word DOMAIN.
func (p *parser) alterDomain() {
	schema, name := p.qname("the name of the domain")
	t := p.db.Type(schema, name)
	if t == nil || t.Kind != pgtype.KindDomain {
		if !p.is("owner", "to") {
			p.fail("found domain %s, expected one that a statement before makes", qualified(schema, name))
		}
		return
	}
	constraint := ""
	switch {
	case p.accept("add"):
		if p.accept("constraint") {
			constraint = p.name("the name of a constraint")
		}
		if p.accept("not", "null") {
			t.NotNull = true
		} else {
			p.expect("check")
			p.domainCheck(t, constraint)
		}
		for p.err == nil && p.constraintAttribute(lastConstraint{}) {
		}
	case p.accept("drop", "constraint"):
		exists := p.accept("if", "exists")
		constraint = p.name("the name of a constraint")
		if i := p.checkOf(t, constraint, exists); i >= 0 {
			t.Checks = slices.Delete(t.Checks, i, i+1)
			p.db.dropConstraintName(objectName{t.Schema, constraint})
		}
		if !p.accept("cascade") {
			p.accept("restrict")
		}
	case p.accept("rename", "constraint"):
		constraint = p.name("the name of a constraint")
		p.expect("to")
		to := p.name("the new name")
		if i := p.checkOf(t, constraint, false); i >= 0 {
			t.Checks[i].Name = to
			sortChecks(t)
			p.db.dropConstraintName(objectName{t.Schema, constraint})
			p.db.constraints[objectName{t.Schema, to}]++
		}
	case p.accept("validate", "constraint"):
		p.checkOf(t, p.name("the name of a constraint"), false)
	case p.accept("set", "not", "null"):
		t.NotNull = true
	case p.accept("drop", "not", "null"):
		t.NotNull = false
	case p.accept("set", "default"):
		t.Default = p.defaultExpr(nil, func() bool { return false })
	case p.accept("drop", "default"):
		t.Default = ""
	case p.accept("rename", "to"):
		p.renameType(t, t.Schema, p.name("the new name"))
	case p.accept("set", "schema"):
		p.renameType(t, p.name("the name of a schema"), t.Name)
	case p.is("owner", "to"):
		p.i = len(p.st.toks) - 1
	default:
		p.expected("ADD, DROP, SET, RENAME, VALIDATE or OWNER TO")
	}
	if p.err == nil {
		p.end()
	}
}

// checkOf finds a CHECK constraint of a domain, -1 if there is none. NOT NULL may have
// a name, too, which is not kept.
func (p *parser) checkOf(t *pgtype.Type, name string, missingOK bool) int {
	i := slices.IndexFunc(t.Checks, func(c pgtype.DomainCheck) bool { return c.Name == name })
	if i < 0 && !missingOK && !t.NotNull && p.err == nil {
		p.fail("found constraint %s, expected one of domain %s", name, t.Name)
	}
	return i
}
