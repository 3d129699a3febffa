package schema

import (
	"slices"
	"strings"
)

// alterColumn reads ALTER COLUMN after those words.
func (p *parser) alterColumn(a *alteration) {
	t := a.table
	at := p.peek()
	if at.kind == tokNumber { // SET STATISTICS by number, of an index
		p.next()
	}
	name := ""
	if at.kind != tokNumber {
		name = p.name("the name of a column")
	}
	// column queues a change of the column, found when its turn comes, since
	// the same statement may add it.
	column := func(pass alterPass, recurse bool, change func(t *Table, i int)) {
		seen := map[*Table]bool{}
		var apply func(t *Table, must bool)
		apply = func(t *Table, must bool) {
			if seen[t] {
				return
			}
			seen[t] = true
			i := t.Column(name)
			if i < 0 {
				if must {
					p.noColumn(at, t, name)
				}
				return
			}
			change(t, i)
			if recurse && a.recurse {
				for _, child := range t.Children {
					apply(child, false)
				}
			}
		}
		a.add(pass, func() { apply(t, true) })
	}
	switch {
	case p.accept("set", "not", "null"):
		column(passColumnAttributes, false, func(t *Table, i int) {
			if a.recurse || len(t.Children) == 0 {
				p.setNotNull(t, i, "", false)
			} else {
				p.db.markOwnNotNull(t, i, "")
			}
		})
	case p.accept("drop", "not", "null"):
		column(passDrop, false, func(t *Table, i int) { p.dropNotNull(t, i, a.recurse) })
	case p.accept("set", "default"):
		text := p.defaultExpr(nil, func() bool { return p.is(",") })
		column(passOther, true, func(t *Table, i int) { t.Columns[i].Default = text })
	case p.accept("drop", "default"):
		column(passDrop, true, func(t *Table, i int) { t.Columns[i].Default = "" })
	case p.accept("set", "statistics"):
		if !p.accept("default") {
			p.number("the statistics target")
		}
	case p.accept("set", "storage"):
		word := p.peek()
		p.storage(nil) // checks the word; what DEFAULT means depends on the column
		column(passOther, true, func(t *Table, i int) {
			c := &t.Columns[i]
			switch foldIdent(word.text) {
			case "default":
				c.Storage = c.Type.Storage
			case "plain":
				c.Storage = 'p'
			case "external":
				c.Storage = 'e'
			case "main":
				c.Storage = 'm'
			case "extended":
				c.Storage = 'x'
			}
		})
	case p.accept("set", "compression"):
		method := p.compression()
		column(passOther, false, func(t *Table, i int) { t.Columns[i].Compression = method })
	case p.accept("set", "data", "type"), p.accept("type"):
		p.alterColumnType(a, column)
	case p.accept("set", "expression", "as"):
		expr, _, _ := p.parenExpr("an expression")
		column(passAlterType, true, func(t *Table, i int) {
			t.Columns[i].GeneratedExpr = expr
			a.touch(t, i)
		})
	case p.accept("drop", "expression"):
		p.accept("if", "exists")
		column(passDrop, true, func(t *Table, i int) { t.Columns[i].Generated, t.Columns[i].GeneratedExpr = 0, "" })
	case p.accept("add", "generated"):
		def := &tableDef{}
		c := &columnDef{Column: Column{Name: name}}
		p.generated(def, c)
		column(passOther, false, func(t *Table, i int) {
			c.Type = t.Columns[i].Type
			t.Columns[i].Identity = c.Identity
			p.ownedSequence(t, c)
			p.bindSequences(t)
			for _, child := range t.Children {
				if j := child.Column(name); j >= 0 && child.Parent == t {
					child.Columns[j].Identity = c.Identity
				}
			}
		})
	case p.accept("drop", "identity"):
		p.accept("if", "exists")
		column(passDrop, true, func(t *Table, i int) {
			t.Columns[i].Identity = 0
			p.db.dropSequences(func(s *Sequence) bool { return s.Table == t && s.Column == i })
		})
	case p.is("set", "("), p.is("reset", "("):
		p.next()
		p.skipParens() // n_distinct and the like
	case p.is("set"), p.is("restart"):
		p.alterIdentity(column)
	case p.accept("options"):
		p.skipParens()
	default:
		p.expected("an action of ALTER COLUMN")
	}
}

// alterIdentity reads SET GENERATED, SET sequence_option and RESTART.
func (p *parser) alterIdentity(column func(alterPass, bool, func(*Table, int))) {
	for p.err == nil && (p.is("set") || p.is("restart")) {
		p.accept("set")
		if p.accept("generated") {
			kind := byte('a')
			if p.accept("by", "default") {
				kind = 'd'
			} else {
				p.expect("always")
			}
			column(passOther, true, func(t *Table, i int) { t.Columns[i].Identity = kind })
			continue
		}
		o := &sequenceOptions{}
		if !p.sequenceOption(o) {
			p.expected("an option of a sequence")
			return
		}
		column(passOther, false, func(t *Table, i int) {
			for _, s := range p.db.Sequences {
				if s.Table == t && s.Column == i {
					o.apply(s, false)
				}
			}
		})
	}
}

// alterColumnType reads the new type; indexes over the column are made anew.
func (p *parser) alterColumnType(a *alteration, column func(alterPass, bool, func(*Table, int))) {
	ct := p.typeName("a type")
	collation, given := "", false
	if p.accept("collate") {
		collation, given = p.collation(), true
	}
	if p.accept("using") {
		p.exprUntil("an expression", func() bool { return p.is(",") })
	}
	column(passAlterType, true, func(t *Table, i int) {
		c := &t.Columns[i]
		c.Type, c.Typmod, c.Storage, c.Compression = ct.typ, ct.typmod, ct.typ.Storage, 0
		c.Collation = ""
		if given {
			c.Collation = collation
		}
		a.touch(t, i)
	})
}

// touch remembers the indexes that a change of the column makes anew; those
// of partitions follow their parents'.
func (a *alteration) touch(t *Table, i int) {
	for _, x := range t.Indexes {
		if x.Parent == nil && x.uses(i) && !slices.Contains(a.rebuild, x) {
			a.rebuild = append(a.rebuild, x)
		}
	}
}

// rebuildIndexes gives indexes new OIDs, hence a place at the end: table by
// table, those of constraints first, as ATPostAlterTypeCleanup does. An index
// of a partitioned table takes those attached to it along; they get generated
// names, whatever they were called before.
func (p *parser) rebuildIndexes(list []*Index) {
	var tables []*Table
	for _, x := range list {
		if !slices.Contains(tables, x.Table) {
			tables = append(tables, x.Table)
		}
		for _, child := range x.Table.Children {
			for _, y := range slices.Clone(child.Indexes) {
				if y.Parent == x {
					p.db.dropIndex(y)
				}
			}
		}
	}
	for _, t := range tables {
		for _, constraint := range []bool{true, false} {
			for _, x := range list {
				if x.Table != t || x.Constraint != constraint {
					continue
				}
				i := slices.Index(t.Indexes, x)
				t.Indexes = append(slices.Delete(t.Indexes, i, i+1), x)
				x.nameColumns()
				if t.Kind == 'p' {
					for _, child := range t.Children {
						p.ensureIndex(child, x)
					}
				}
			}
		}
	}
}

// nameColumns calls the columns of an index made anew as the table calls them
// by now; expressions keep their names.
func (x *Index) nameColumns() {
	names := slices.Clone(x.colnames)
	for i, k := range x.Keys {
		if k.Column >= 0 {
			names[i] = x.Table.Columns[k.Column].Name
		}
	}
	for i, c := range x.Include {
		names[len(x.Keys)+i] = x.Table.Columns[c].Name
	}
	x.colnames = uniqueColumnNames(names)
}

// uses reports whether the index depends on the column.
func (x *Index) uses(column int) bool {
	name := x.Table.Columns[column].Name
	for _, k := range x.Keys {
		if k.Column == column || k.Column < 0 && mentions(k.Expr, name) {
			return true
		}
	}
	return slices.Contains(x.Include, column) || mentions(x.Predicate, name)
}

// mentions reports whether an expression names the column.
func mentions(expr, column string) bool {
	_, n := replaceColumn(expr, column, "")
	return n > 0
}

// replaceColumn replaces the column's name in an expression and counts how
// often it occurs.
func replaceColumn(expr, from, to string) (string, int) {
	if expr == "" {
		return "", 0
	}
	src := []byte(expr)
	var b strings.Builder
	n, done := 0, 0
	prev := token{}
	for pos := 0; ; {
		t, next, ok := lexOne(src, pos)
		if !ok || t.kind == tokEOF {
			break
		}
		call := false
		if u, _, _ := lexOne(src, next); u.kind == tokPunct && (src[u.start] == '(' || src[u.start] == '.') {
			call = true
		}
		cast := prev.kind == tokPunct && string(src[prev.start:prev.end]) == "::"
		if (t.kind == tokIdent || t.kind == tokQuoted) && !call && !cast && tokenText(expr, t) == from {
			n++
			b.WriteString(expr[done:t.start])
			b.WriteString(quoteIdent(to))
			done = int(t.end)
		}
		pos, prev = next, t
	}
	b.WriteString(expr[done:])
	return b.String(), n
}

// quoteIdent quotes an identifier where that is needed.
func quoteIdent(s string) string {
	plain := s != "" && charClass[s[0]]&charIdent != 0 && s[0] < 0x80
	for i := 0; i < len(s) && plain; i++ {
		c := s[i]
		plain = charClass[c]&charMore != 0 && c < 0x80 && c != '$' && (c < 'A' || c > 'Z')
	}
	if plain && !reserved[s] {
		return s
	}
	return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
}

// reserved are the key words that cannot be column names without quotes.
var reserved = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`all analyse analyze and any array as asc asymmetric authorization binary both case cast
		check collate collation column concurrently constraint create cross current_catalog current_date current_role
		current_schema current_time current_timestamp current_user default deferrable desc distinct do else end except
		false fetch for foreign freeze from full grant group having ilike in initially inner intersect into is isnull
		join lateral leading left like limit localtime localtimestamp natural not notnull null offset on only or order
		outer overlaps placing primary references returning right select session_user similar some symmetric system_user
		table tablesample then to trailing true union unique user using variadic verbose when where window with
		between bigint bit boolean char character coalesce dec decimal exists extract float greatest grouping inout int
		integer interval json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar
		json_serialize json_table json_value least merge_action national nchar none normalize nullif numeric out overlay
		position precision real row setof smallint substring time timestamp treat trim values varchar xmlattributes
		xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`) {
		m[w] = true
	}
	return m
}()
