package schema

import (
	"slices"
	"strings"
)

// createSchema reads CREATE SCHEMA after that word; its elements are
// statements of their own, executed within the schema.
func (p *parser) createSchema() {
	p.accept("if", "not", "exists")
	name := ""
	if !p.is("authorization") {
		name = p.name("the name of the schema")
	}
	if p.accept("authorization") {
		if role := p.name("the name of a role"); name == "" {
			name = role
		}
	}
	if p.err != nil {
		return
	}
	p.db.schemas[name] = true
	path := p.db.path
	p.db.path = append([]string{name}, path...)
	defer func() { p.db.path = path }()
	for !p.atEnd() && p.err == nil {
		from := p.i
		p.next()
		for depth := 0; !p.atEnd(); p.next() {
			if p.is("(") {
				depth++
			} else if p.is(")") {
				depth--
			} else if depth == 0 && (p.is("create") || p.is("grant") && !p.word(p.i+1, "option")) {
				break
			}
		}
		toks := append(slices.Clone(p.st.toks[from:p.i]), token{kind: tokEOF, start: p.peek().start, end: p.peek().start})
		sub := &parser{db: p.db, st: &statement{src: p.st.src, toks: toks, file: p.st.file, line: p.st.line}}
		sub.st.pair()
		switch {
		case sub.accept("create"):
			sub.create()
		case sub.accept("grant"):
			p.db.skip("GRANT")
		default:
			sub.expected(`"CREATE" or "GRANT"`)
		}
		p.err = sub.err
	}
}

// alterSchema follows a rename: all that is in the schema moves.
func (p *parser) alterSchema() {
	name := p.name("the name of a schema")
	if !p.accept("rename", "to") {
		p.db.skip("ALTER SCHEMA")
		return
	}
	to := p.name("the new name")
	p.end()
	if p.err != nil {
		return
	}
	p.db.renameSchema(name, to)
}

func (d *Database) renameSchema(from, to string) {
	moveKeys(d.tables, from, to)
	moveKeys(d.indexes, from, to)
	moveKeys(d.others, from, to)
	moveKeys(d.constraints, from, to)
	delete(d.schemas, from)
	d.schemas[to] = true
	for _, t := range d.Tables {
		if t.Schema == from {
			t.Schema = to
		}
	}
	for _, s := range d.Sequences {
		if s.Schema == from {
			s.Schema = to
		}
	}
	for _, pub := range d.Publications {
		for i, s := range pub.Schemas {
			if s == from {
				pub.Schemas[i] = to
			}
		}
	}
	for key, t := range d.Types {
		if name, ok := strings.CutPrefix(key, from+"."); ok && t.Schema == from {
			t.Schema = to
			delete(d.Types, key)
			d.Types[to+"."+name] = t
		}
	}
}

func moveKeys[V any](m map[objectName]V, from, to string) {
	var names []string
	for n := range m {
		if n.schema == from {
			names = append(names, n.name)
		}
	}
	for _, name := range names {
		m[objectName{to, name}] = m[objectName{from, name}]
		delete(m, objectName{from, name})
	}
}
