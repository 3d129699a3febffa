// After ATController and ATRewriteCatalogs in
// src/backend/commands/tablecmds.c (REL_18_1).

package schema

import (
	"slices"
	"strconv"
)

// An ALTER TABLE of several actions is carried out in passes, whatever the
// order in which they are written: AlterTablePass in tablecmds.c. The pass in
// which indexes that a changed type touches are made anew stands between.
type alterPass int

const (
	passDrop alterPass = iota
	passAlterType
	passAddColumn
	passRebuild
	passAddConstraint
	passColumnAttributes
	passUsingIndex
	passColumnIndex // indexes of ADD COLUMN come before those of ADD CONSTRAINT
	passAddIndex
	passOther
	passCount
)

// alteration collects the actions of one ALTER TABLE.
type alteration struct {
	table   *Table
	recurse bool // not ONLY
	passes  [passCount][]func()
	rebuild []*Index // touched by a change of type
}

func (a *alteration) add(pass alterPass, action func()) {
	a.passes[pass] = append(a.passes[pass], action)
}

// alterTable reads ALTER TABLE after those words.
func (p *parser) alterTable() {
	if p.accept("all", "in", "tablespace") {
		p.db.skip("ALTER TABLE ALL IN TABLESPACE")
		return
	}
	exists := p.accept("if", "exists")
	only := p.accept("only")
	at := p.peek()
	schema, name := p.qname("the name of a table")
	p.accept("*")
	if p.err != nil {
		return
	}
	t := p.db.findTable(schema, name)
	if t == nil {
		switch {
		case p.db.findIndex(schema, name) != nil:
			p.alterIndexAction(p.db.findIndex(schema, name))
		case p.db.findOther(schema, name) != "":
			p.db.skip("ALTER TABLE ON " + p.db.findOther(schema, name))
		case p.isAny("drop", "detach", "disable") || p.is("alter") && p.statementHas("drop"):
			p.db.nothingToDrop(p, "table", schema, name) // the first lines of pg_dump --clean
		case !exists && !p.is("owner", "to"):
			p.noTable(at, schema, name)
		}
		return
	}
	switch {
	case p.accept("rename"):
		p.renameInTable(t)
	case p.accept("set", "schema"):
		to := p.name("the name of a schema")
		p.end()
		if p.err == nil {
			p.db.moveTable(t, to, t.Name)
		}
	case p.accept("attach", "partition"):
		child := p.table(false)
		if child == nil {
			return
		}
		if child.Parent != nil || len(child.Inherits) > 0 || isBelow(t, child) {
			p.failAt(at, "found table %s, expected one that can become a partition of %s", child.QualifiedName(), t.QualifiedName())
			return
		}
		if t.Kind != 'p' {
			p.failAt(at, "found table %s, expected a partitioned table", t.QualifiedName())
			return
		}
		bound := p.bound(t)
		p.end()
		p.attachPartition(t, child, bound)
	case p.accept("detach", "partition"):
		child := p.table(false)
		if !p.accept("concurrently") {
			p.accept("finalize")
		}
		p.end()
		if child != nil && p.err == nil {
			p.detachPartition(t, child)
		}
	default:
		a := &alteration{table: t, recurse: !only}
		for p.err == nil {
			p.alterAction(a)
			if !p.accept(",") {
				break
			}
		}
		p.end()
		p.run(a)
	}
}

// run carries the actions out in their passes.
func (p *parser) run(a *alteration) {
	for pass, actions := range a.passes {
		for _, action := range actions {
			if p.err != nil {
				return
			}
			action()
		}
		if alterPass(pass) == passRebuild && p.err == nil {
			p.rebuildIndexes(a.rebuild)
		}
	}
}

// alterAction reads one action and queues it.
func (p *parser) alterAction(a *alteration) {
	t := a.table
	switch {
	case p.accept("add"):
		p.alterAdd(a)
	case p.accept("drop", "constraint"):
		exists := p.accept("if", "exists")
		at := p.peek()
		name := p.name("the name of a constraint")
		p.dropBehavior()
		a.add(passDrop, func() { p.dropConstraint(t, name, at, exists, a.recurse) })
	case p.accept("drop"):
		p.accept("column")
		exists := p.accept("if", "exists")
		at := p.peek()
		name := p.name("the name of a column")
		p.dropBehavior()
		a.add(passDrop, func() { p.dropColumn(t, name, at, exists, a.recurse) })
	case p.accept("alter", "constraint"):
		p.name("the name of a constraint")
		for !p.atEnd() && !p.is(",") {
			p.next()
		}
	case p.accept("alter"):
		p.accept("column")
		p.alterColumn(a)
	case p.accept("validate", "constraint"):
		p.name("the name of a constraint")
	case p.accept("replica", "identity"):
		p.replicaIdentity(a)
	case p.accept("set", "("):
		p.i--
		options := p.options()
		a.add(passOther, func() { p.setTableOptions(t, options) })
	case p.accept("reset"):
		options := p.options()
		a.add(passOther, func() {
			for k := range options {
				delete(t.Options, k)
			}
			p.setTableOptions(t, nil)
		})
	case p.accept("set", "logged"):
		a.add(passOther, func() { t.Unlogged = false })
	case p.accept("set", "unlogged"):
		a.add(passOther, func() { t.Unlogged = true })
	case p.accept("set", "tablespace"), p.accept("set", "access", "method"), p.accept("owner", "to"), p.accept("cluster", "on"):
		p.next()
	case p.accept("set", "without"):
		p.next()
	case p.accept("inherit"):
		at := p.peek()
		parent := p.table(false)
		if parent != nil {
			a.add(passOther, func() {
				if parent.Kind == 'p' || isBelow(parent, t) || slices.Contains(t.Inherits, parent) {
					p.failAt(at, "found table %s, expected one that %s can inherit from", parent.QualifiedName(), t.QualifiedName())
					return
				}
				t.Inherits = append(t.Inherits, parent)
				parent.Children = append(parent.Children, t)
				parent.adopt(t)
			})
		}
	case p.accept("no", "inherit"):
		parent := p.table(false)
		if parent != nil {
			a.add(passOther, func() {
				t.Inherits = slices.DeleteFunc(t.Inherits, func(o *Table) bool { return o == parent })
				parent.Children = slices.DeleteFunc(parent.Children, func(o *Table) bool { return o == t })
				parent.release(t)
			})
		}
	case p.is("enable"), p.is("disable"):
		p.enable(a)
	case p.accept("force", "row", "level", "security"), p.accept("no", "force", "row", "level", "security"):
	case p.accept("of"):
		p.qname("the name of a type")
	case p.accept("not", "of"):
	case p.accept("options"):
		p.skipParens()
	default:
		p.expected("an action of ALTER TABLE")
	}
}

func (p *parser) dropBehavior() {
	if !p.accept("cascade") {
		p.accept("restrict")
	}
}

// enable reads ENABLE and DISABLE of triggers, rules and row security.
func (p *parser) enable(a *alteration) {
	state := byte('O')
	switch {
	case p.accept("disable"):
		state = 'D'
	case p.accept("enable", "replica"):
		state = 'R'
	case p.accept("enable", "always"):
		state = 'A'
	default:
		p.accept("enable")
	}
	switch {
	case p.accept("trigger"):
		at := p.peek()
		all := p.accept("all") || p.accept("user")
		name := ""
		if !all {
			name = p.name("the name of a trigger")
		}
		a.add(passOther, func() {
			if !setTrigger(a.table, name, all, state) && !all {
				p.failAt(at, "found trigger %q, expected one of table %s", name, a.table.QualifiedName())
			}
		})
	case p.accept("rule"):
		p.name("the name of a rule")
	case p.accept("row", "level", "security"):
	default:
		p.expected(`"TRIGGER", "RULE" or "ROW LEVEL SECURITY"`)
	}
}

// replicaIdentity reads REPLICA IDENTITY after those words.
func (p *parser) replicaIdentity(a *alteration) {
	t := a.table
	kind, name := byte('d'), ""
	at := p.peek()
	switch {
	case p.accept("default"):
	case p.accept("full"):
		kind = 'f'
	case p.accept("nothing"):
		kind = 'n'
	case p.accept("using", "index"):
		kind = 'i'
		at = p.peek()
		name = p.name("the name of an index")
	default:
		p.expected(`"DEFAULT", "FULL", "NOTHING" or "USING INDEX"`)
	}
	a.add(passOther, func() {
		x := t.Index(name)
		if kind == 'i' {
			switch {
			case x == nil:
				p.failAt(at, "found index %q, expected one of table %s", name, t.QualifiedName())
				return
			case !x.Unique || x.Deferrable || x.Predicate != "" || slices.ContainsFunc(x.Keys, func(k IndexKey) bool {
				return k.Column < 0 || !t.Columns[k.Column].NotNull
			}):
				p.failAt(at, "found index %q, expected a unique index over NOT NULL columns, neither partial nor deferrable", name)
				return
			}
		}
		t.ReplicaIdentity = kind
		for _, o := range t.Indexes {
			o.ReplicaIdentity = o == x
		}
	})
}

// alterAdd reads ADD of a column or a constraint, after that word.
func (p *parser) alterAdd(a *alteration) {
	t := a.table
	def := &tableDef{}
	there := false // a column that IF NOT EXISTS leaves as it is
	pass := passAddIndex
	if p.isTableConstraint() {
		p.tableConstraint(def, t)
	} else {
		pass = passColumnIndex
		p.accept("column")
		exists := p.accept("if", "not", "exists")
		at := p.peek()
		p.columnDef(def, false)
		if p.err != nil {
			return
		}
		// Whether the name is taken shows when other columns have been dropped.
		a.add(passAddColumn, func() {
			if name := def.columns[0].Name; t.Column(name) >= 0 {
				if !exists {
					p.failAt(at, "found a second column %q, expected a name that table %s does not have", name, t.QualifiedName())
				}
				there = true
				return
			}
			p.ownedSequence(t, &def.columns[0])
			p.addColumn(t, def.columns[0].Column, false)
			p.bindSequences(t)
		})
	}
	a.add(passAddConstraint, func() {
		if there {
			return
		}
		p.addNotNulls(t, def)
		for _, c := range def.checks {
			p.addCheck(t, c.Check, c.from, c.to, false)
		}
	})
	for _, x := range mergeIndexDefs(def.indexes) {
		if x.using != "" {
			a.add(passUsingIndex, func() { p.usingIndex(t, x) })
		} else {
			a.add(pass, func() {
				if there {
					return
				}
				if x := p.defineIndex(t, x, a.recurse); x != nil {
					p.db.order.note(x)
				}
			})
		}
	}
	a.add(passOther, func() {
		if there {
			return
		}
		for _, fk := range def.fks {
			p.addForeignKey(t, fk)
		}
	})
}

// usingIndex turns an index into a constraint, which gives it its name.
func (p *parser) usingIndex(t *Table, def *indexDef) {
	x := t.Index(def.using)
	if x == nil || !x.Unique || x.Constraint {
		p.failAt(def.at, "found index %q, expected a unique index of table %s that is no constraint's yet", def.using, t.QualifiedName())
		return
	}
	if def.primary {
		if t.PrimaryKey() != nil {
			p.failAt(def.at, "found a second primary key of table %s, expected one at most", t.QualifiedName())
			return
		}
		for _, k := range x.Keys {
			if k.Column >= 0 {
				p.setNotNull(t, k.Column, "", false)
			}
		}
		x.Primary = true
	}
	if def.name != "" && def.name != x.Name {
		p.renameIndex(x, def.name, def.at)
	}
	x.Constraint, x.Deferrable = true, def.deferrable
	p.db.constraints[objectName{t.Schema, x.Name}]++
}

// addColumn appends a column, to the children as well.
func (p *parser) addColumn(t *Table, c Column, byParent bool) {
	if i := t.Column(c.Name); i >= 0 {
		t.Columns[i].origin.declare(byParent)
		return // a child has the column already
	}
	c.origin = inherited{}
	c.origin.declare(byParent)
	t.Columns = append(t.Columns, c)
	c.Identity = identityOf(t, c)
	for _, child := range t.Children {
		p.addColumn(child, c, true)
	}
}

// identityOf says what of an identity column its children get: partitions
// share the sequence, inheritance children have none.
func identityOf(t *Table, c Column) byte {
	if t.Kind == 'p' {
		return c.Identity
	}
	return 0
}

// dropColumn leaves the column's place and takes away all that refers to it.
// Children lose a column that is not their own, but keep it after ONLY.
func (p *parser) dropColumn(t *Table, name string, at token, exists, recurse bool) {
	i := t.Column(name)
	if i < 0 {
		if !exists {
			p.noColumn(at, t, name)
		}
		return
	}
	for _, x := range slices.Clone(t.Indexes) {
		if x.uses(i) {
			p.db.dropIndex(x)
		}
	}
	for _, child := range t.Children {
		if j := child.Column(name); j >= 0 && child.Columns[j].origin.release(!recurse) {
			p.dropColumn(child, name, at, true, true)
		}
	}
	for _, c := range slices.Clone(t.Checks) {
		if mentions(c.Expr, name) {
			p.dropConstraint(t, c.Name, at, true, recurse)
		}
	}
	c := &t.Columns[i]
	if c.notNull != "" {
		p.db.dropConstraintName(objectName{t.Schema, c.notNull})
	}
	p.db.dropSequences(func(s *Sequence) bool { return s.Table == t && s.Column == i })
	*c = Column{Name: "........pg.dropped." + strconv.Itoa(i+1) + "........", Type: c.Type, Typmod: c.Typmod, Storage: c.Storage, Dropped: true}
}

// dropConstraint finds a constraint of any kind by its name.
func (p *parser) dropConstraint(t *Table, name string, at token, exists, recurse bool) {
	n := objectName{t.Schema, name}
	if x := t.Index(name); x != nil && x.Constraint {
		p.db.dropIndex(x)
		return
	}
	if i := slices.IndexFunc(t.Checks, func(c Check) bool { return c.Name == name }); i >= 0 {
		t.Checks = slices.Delete(t.Checks, i, i+1)
		p.db.dropConstraintName(n)
		for _, child := range t.Children {
			if j := slices.IndexFunc(child.Checks, func(c Check) bool { return c.Name == name }); j >= 0 && child.Checks[j].origin.release(!recurse) {
				p.dropConstraint(child, name, at, true, true)
			}
		}
		return
	}
	if i := slices.Index(t.foreignKeys, name); i >= 0 {
		t.foreignKeys = slices.Delete(t.foreignKeys, i, i+1)
		t.References = slices.DeleteFunc(t.References, func(k ForeignKey) bool { return k.Name == name })
		t.ForeignKeys--
		p.db.dropConstraintName(n)
		for _, child := range t.Children {
			if child.Parent == t {
				p.dropConstraint(child, name, at, true, true)
			}
		}
		return
	}
	for i := range t.Columns {
		if c := &t.Columns[i]; c.NotNull && c.notNull == name {
			p.dropNotNull(t, i, recurse)
			return
		}
	}
	if !exists {
		p.failAt(at, "found constraint %q, expected one of table %s", name, t.QualifiedName())
	}
}

func (p *parser) dropNotNull(t *Table, i int, recurse bool) {
	c := &t.Columns[i]
	if !c.NotNull {
		return
	}
	p.db.dropConstraintName(objectName{t.Schema, c.notNull})
	c.NotNull, c.notNull, c.nnOrigin, c.nnOwn = false, "", inherited{}, false
	for _, child := range t.Children {
		if j := child.Column(c.Name); j >= 0 && child.Columns[j].NotNull && child.Columns[j].nnOrigin.release(!recurse) {
			p.dropNotNull(child, j, true)
		}
	}
}
