// After MergeAttributes and AddRelationNotNullConstraints in
// src/backend/commands/tablecmds.c and src/backend/catalog/heap.c (REL_18_1).

package schema

import "slices"

// inheritColumns copies a parent's columns but for those that the table has by
// another parent already.
func inheritColumns(t *Table, parent *Table) {
	for i := range parent.Columns {
		c := parent.Columns[i]
		if c.Dropped || t.Column(c.Name) >= 0 {
			continue
		}
		c.NotNull, c.notNull = false, ""
		if t.Parent == nil {
			c.Identity = 0
		}
		t.Columns = append(t.Columns, c)
	}
}

// mergeColumn adds a column, or adds its clauses to an inherited one.
func (p *parser) mergeColumn(t *Table, def *columnDef) {
	j := t.Column(def.Name)
	if j < 0 {
		if !def.typed {
			p.fail("found column %q, expected one of table %s", def.Name, t.QualifiedName())
			return
		}
		t.Columns = append(t.Columns, def.Column)
		return
	}
	c := &t.Columns[j]
	if def.hasDefault || def.Default != "" {
		c.Default = def.Default
	}
	if def.Generated != 0 {
		c.Generated, c.GeneratedExpr, c.Default = def.Generated, def.GeneratedExpr, ""
	}
	if def.hasStorage {
		c.Storage = def.Storage
	}
	if def.Compression != 0 {
		c.Compression = def.Compression
	}
	if def.Identity != 0 {
		c.Identity = def.Identity
	}
}

// addNotNulls marks the columns; a second NOT NULL of a column only gives the
// constraint its name if it has none.
func (p *parser) addNotNulls(t *Table, def *tableDef) {
	names := map[string]string{}
	for _, nn := range def.notNulls {
		if names[nn.column] == "" {
			names[nn.column] = nn.name
		}
	}
	for _, nn := range def.notNulls {
		i := t.Column(nn.column)
		if i < 0 {
			p.noColumn(nn.at, t, nn.column)
			return
		}
		p.setNotNull(t, i, names[nn.column])
	}
}

// setNotNull marks a column, here and in all children.
func (p *parser) setNotNull(t *Table, i int, name string) {
	c := &t.Columns[i]
	if c.NotNull {
		return // and so are the children's
	}
	if name == "" {
		name = p.db.chooseConstraintName(t.Name, c.Name, "not_null", t.Schema)
	}
	c.NotNull, c.notNull = true, name
	p.db.constraints[objectName{t.Schema, name}]++
	for _, child := range t.Children {
		if j := child.Column(c.Name); j >= 0 {
			p.setNotNull(child, j, c.notNull)
		}
	}
}

// addCheck enters a CHECK constraint. One without a name is called after the
// column if its expression refers to a single one.
func (p *parser) addCheck(t *Table, c Check, from, to int) {
	if c.Name == "" {
		column := ""
		if cols := p.columnsIn(t, from, to); len(cols) == 1 {
			column = cols[0]
		}
		c.Name = p.db.chooseConstraintName(t.Name, column, "check", t.Schema)
	}
	if slices.ContainsFunc(t.Checks, func(o Check) bool { return o.Name == c.Name }) {
		return // merged with an inherited one
	}
	t.Checks = append(t.Checks, c)
	p.db.constraints[objectName{t.Schema, c.Name}]++
	if !c.NoInherit {
		for _, child := range t.Children {
			p.addCheck(child, c, 0, 0)
		}
	}
}

// columnsIn lists the columns that an expression names, each once.
func (p *parser) columnsIn(t *Table, from, to int) []string {
	var list []string
	for i := from; i < to; i++ {
		tok := p.st.toks[i]
		if tok.kind != tokIdent && tok.kind != tokQuoted || p.at(i+1, "(") || p.at(i+1, ".") || i > 0 && p.at(i-1, "::") {
			continue
		}
		if t.Column(tok.text) >= 0 && !slices.Contains(list, tok.text) {
			list = append(list, tok.text)
		}
	}
	return list
}

// addForeignKey counts a foreign key, here and in the partitions.
func (p *parser) addForeignKey(t *Table, fk fkDef) {
	for _, c := range fk.columns {
		if t.Column(c) < 0 && p.err == nil {
			p.noColumn(fk.at, t, c)
			return
		}
	}
	if fk.name == "" {
		fk.name = p.db.chooseConstraintName(t.Name, joinColumnNames(fk.columns), "fkey", t.Schema)
	}
	p.db.constraints[objectName{t.Schema, fk.name}]++
	t.ForeignKeys++
	t.foreignKeys = append(t.foreignKeys, fk.name)
	for _, child := range t.Children {
		if child.Parent == t {
			p.addForeignKey(child, fk)
		}
	}
}
