// After MergeAttributes and AddRelationNotNullConstraints in
// src/backend/commands/tablecmds.c and src/backend/catalog/heap.c (REL_18_1).

package schema

import "slices"

// inherited says where a column or constraint comes from: attislocal and
// attinhcount, conislocal and coninhcount. One without any origin is dropped.
type inherited struct {
	local   bool
	parents int
}

// declare notes one more origin.
func (o *inherited) declare(byParent bool) {
	if byParent {
		o.parents++
	} else {
		o.local = true
	}
}

// adopt makes the column or constraint of a new child a parent's too; that of
// a partition is no more its own.
func (o *inherited) adopt(partition bool) {
	o.parents++
	if partition {
		o.local = false
	}
}

// release takes back one parent's. With keep (ALTER TABLE ONLY, or when the
// parent itself goes) it becomes the child's own; else the result says
// whether nothing is left of it.
func (o *inherited) release(keep bool) (gone bool) {
	o.parents = max(0, o.parents-1)
	if keep && o.parents == 0 {
		o.local = true
	}
	return o.parents == 0 && !o.local
}

// inheritColumns copies a parent's columns but for those that the table has by
// another parent already; these may still get a default.
func inheritColumns(t *Table, parent *Table) {
	for i := range parent.Columns {
		c := parent.Columns[i]
		if c.Dropped {
			continue
		}
		if j := t.Column(c.Name); j >= 0 {
			own := &t.Columns[j]
			own.origin.declare(true)
			if own.Default == "" {
				own.Default = c.Default
			}
			continue
		}
		c.NotNull, c.notNull, c.nnOrigin, c.nnOwn = false, "", inherited{}, false
		c.origin = inherited{parents: 1}
		if t.Parent == nil {
			c.Identity = 0
		}
		t.Columns = append(t.Columns, c)
	}
}

// adopt notes that the columns and constraints that a new child has in common
// with the parent are the parent's too.
func (t *Table) adopt(child *Table) {
	partition := child.Parent == t
	for i := range t.Columns {
		c := &t.Columns[i]
		if j := child.Column(c.Name); j >= 0 && !c.Dropped {
			own := &child.Columns[j]
			own.origin.adopt(partition)
			if c.NotNull && own.NotNull {
				own.nnOrigin.adopt(partition)
			}
		}
	}
	for _, c := range t.Checks {
		for j := range child.Checks {
			if child.Checks[j].Name == c.Name {
				child.Checks[j].origin.adopt(partition)
			}
		}
	}
}

// release is the opposite, after DETACH PARTITION or NO INHERIT.
func (t *Table) release(child *Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if j := child.Column(c.Name); j >= 0 && !c.Dropped {
			own := &child.Columns[j]
			own.origin.release(true)
			if c.NotNull {
				own.nnOrigin.release(true)
			}
		}
	}
	for _, c := range t.Checks {
		for j := range child.Checks {
			if child.Checks[j].Name == c.Name {
				child.Checks[j].origin.release(true)
			}
		}
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
		def.Column.origin.local = true
		t.Columns = append(t.Columns, def.Column)
		return
	}
	c := &t.Columns[j]
	if t.Parent == nil {
		c.origin.local = true
	}
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
		if nn.noInherit {
			p.db.markOwnNotNull(t, i, names[nn.column])
		} else {
			p.setNotNull(t, i, names[nn.column], false)
		}
	}
}

// setNotNull marks a column, here and in all children.
func (p *parser) setNotNull(t *Table, i int, name string, byParent bool) {
	if !p.db.markNotNull(t, i, name, byParent) {
		return // the children have it already
	}
	c := &t.Columns[i]
	for _, child := range t.Children {
		if j := child.Column(c.Name); j >= 0 {
			p.setNotNull(child, j, c.notNull, true)
		}
	}
}

// markNotNull marks a column in one table; it reports whether that is new.
func (d *Database) markNotNull(t *Table, i int, name string, byParent bool) bool {
	c := &t.Columns[i]
	c.nnOrigin.declare(byParent)
	if c.NotNull {
		return false
	}
	if name == "" {
		name = d.chooseConstraintName(t.Name, c.Name, "not_null", t.Schema)
	}
	c.NotNull, c.notNull = true, name
	d.constraints[objectName{t.Schema, name}]++
	return true
}

// markOwnNotNull marks a column with a constraint that is NO INHERIT, as
// ALTER TABLE ONLY makes it where there are children.
func (d *Database) markOwnNotNull(t *Table, i int, name string) {
	if d.markNotNull(t, i, name, false) {
		t.Columns[i].nnOwn = true
	}
}

// addCheck enters a CHECK constraint. One without a name is called after the
// column if its expression refers to a single one.
func (p *parser) addCheck(t *Table, c Check, from, to int, byParent bool) {
	if c.Name == "" {
		column := ""
		if cols := p.columnsIn(t, from, to); len(cols) == 1 {
			column = cols[0]
		}
		c.Name = p.db.chooseConstraintName(t.Name, column, "check", t.Schema)
	}
	for i := range t.Checks {
		if t.Checks[i].Name == c.Name {
			t.Checks[i].origin.declare(byParent) // merged with an inherited one
			return
		}
	}
	c.origin = inherited{}
	c.origin.declare(byParent)
	t.Checks = append(t.Checks, c)
	p.db.constraints[objectName{t.Schema, c.Name}]++
	if !c.NoInherit {
		for _, child := range t.Children {
			p.addCheck(child, c, 0, 0, true)
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
	k := ForeignKey{Name: fk.name, OnDelete: fk.to.onDelete, OnUpdate: fk.to.onUpdate, Deferred: fk.attrs.deferred}
	for _, c := range fk.columns {
		k.Columns = append(k.Columns, t.Column(c))
	}
	if k.Table = p.db.findTable(fk.to.schema, fk.to.name); k.Table != nil {
		for _, c := range fk.to.columns {
			k.Keys = append(k.Keys, k.Table.Column(c))
		}
		if x := k.Table.PrimaryKey(); x != nil && len(fk.to.columns) == 0 {
			for _, c := range x.Keys {
				k.Keys = append(k.Keys, c.Column)
			}
		}
	}
	t.References = append(t.References, k)
	for _, child := range t.Children {
		if child.Parent == t {
			p.addForeignKey(child, fk)
		}
	}
}
