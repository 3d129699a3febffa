// After transformCreateStmt in src/backend/parser/parse_utilcmd.c and
// DefineRelation in src/backend/commands/tablecmds.c (REL_18_1).

package schema

import (
	"slices"
	"strconv"
	"strings"

	"applysim/model/pgtype"
)

// tableFlags is what stands between CREATE and TABLE.
type tableFlags struct{ unlogged, temp bool }

// tableDef collects the elements of a CREATE TABLE, or of an ADD COLUMN,
// until all columns are known.
type tableDef struct {
	columns  []columnDef
	checks   []checkDef
	notNulls []notNullDef
	indexes  []*indexDef // in the order in which they are written
	fks      []fkDef
	likes    []likeDef
}

type columnDef struct {
	Column
	typed       bool // false in PARTITION OF and OF: only options
	serial      bool
	sequence    *sequenceOptions // of an identity column
	hasStorage  bool
	like        bool
	sequenceFor string // schema of the sequence, where given
}

type checkDef struct {
	Check
	from, to int // the expression's tokens
}

type notNullDef struct {
	column, name string
	at           token
}

type fkDef struct {
	name    string
	columns []string
	at      token
}

type likeDef struct {
	table    *Table
	included map[string]bool
}

// createTable reads CREATE TABLE after those words.
func (p *parser) createTable(flags tableFlags) {
	exists := p.accept("if", "not", "exists")
	at := p.peek()
	schema, name := p.qname("the name of the table")
	if p.err != nil {
		return
	}
	if schema == "" {
		schema = p.db.creationSchema()
	}
	if flags.temp || schema == tempSchema {
		schema, flags.temp = tempSchema, true
	}
	n := objectName{schema, name}
	if p.db.relationExists(n) {
		if !exists {
			p.failAt(at, "found a second relation %s, expected a name for the table that is not taken", qualified(schema, name))
		}
		p.i = len(p.st.toks) - 1
		return
	}
	if p.isTableAs() {
		p.db.skip("CREATE TABLE AS")
		p.db.others[n] = "TABLE AS"
		p.warn("table %s is passed over: the columns that a query gives are not known", qualified(schema, name))
		p.i = len(p.st.toks) - 1
		return
	}
	t := &Table{Schema: schema, Name: name, Kind: 'r', ReplicaIdentity: 'd', Fillfactor: 100, Unlogged: flags.unlogged,
		Temp: flags.temp, Options: map[string]string{}, file: p.st.file, line: p.st.lineOf(at)}
	def := &tableDef{}
	var inherits []*Table
	switch {
	case p.accept("partition", "of"):
		parent := p.table(false)
		if p.err != nil || parent == nil {
			return
		}
		if parent.Kind != 'p' {
			p.failAt(at, "found a partition of table %s, expected a partitioned table", parent.QualifiedName())
			return
		}
		t.Parent = parent
		if p.is("(") {
			p.tableElements(def, t, true)
		}
		t.Bound = p.bound(parent)
	case p.accept("of"):
		tsch, tname := p.qname("the name of a composite type")
		typ := p.db.Type(tsch, tname)
		if p.err == nil && (typ == nil || typ.Kind != pgtype.KindComposite) {
			p.failAt(at, "found type %s, expected a composite type that a statement before makes", qualified(tsch, tname))
			return
		}
		if p.err == nil {
			for _, f := range typ.Fields {
				def.columns = append(def.columns, columnDef{typed: true, Column: Column{Name: f.Name, Type: f.Type, Typmod: f.Typmod, Storage: f.Type.Storage}})
			}
		}
		if p.is("(") {
			p.tableElements(def, t, true)
		}
	default:
		p.tableElements(def, t, false)
	}
	for p.err == nil && !p.atEnd() {
		switch {
		case p.accept("inherits"):
			p.expect("(")
			for p.err == nil && !p.is(")") {
				if parent := p.table(false); parent != nil {
					inherits = append(inherits, parent)
				}
				if !p.accept(",") {
					break
				}
			}
			p.expect(")")
		case p.accept("partition", "by"):
			p.partitionBy(def, t)
		case p.accept("using"):
			p.name("the name of a table access method")
		case p.accept("with"):
			p.setTableOptions(t, p.options())
		case p.accept("without", "oids"):
		case p.accept("on", "commit"):
			for p.isAny("preserve", "delete", "drop", "rows") {
				p.i++
			}
		case p.accept("tablespace"):
			p.name("the name of a tablespace")
		default:
			p.expected(`the end of the statement or one of "INHERITS", "PARTITION BY", "USING", "WITH", "ON COMMIT", "TABLESPACE"`)
		}
	}
	if p.err == nil {
		p.finishTable(t, def, inherits)
	}
}

// isTableAs looks for the AS of CREATE TABLE ... AS.
func (p *parser) isTableAs() bool {
	depth := 0
	for _, t := range p.st.toks[p.i:] {
		switch {
		case t.kind == tokPunct && t.text == "(":
			depth++
		case t.kind == tokPunct && t.text == ")":
			depth--
		case depth == 0 && t.kind == tokIdent && t.text == "as":
			return true
		}
	}
	return false
}

func (p *parser) setTableOptions(t *Table, options map[string]string) {
	for k, v := range options {
		t.Options[k] = v
	}
	t.Fillfactor, t.ToastTupleTarget = 100, 0
	if n, err := strconv.Atoi(t.Options["fillfactor"]); err == nil {
		t.Fillfactor = n
	}
	if n, err := strconv.Atoi(t.Options["toast_tuple_target"]); err == nil {
		t.ToastTupleTarget = n
	}
}

// tableElements reads the parenthesised list of columns, constraints and LIKE
// clauses. With options set the columns carry no types.
func (p *parser) tableElements(def *tableDef, t *Table, options bool) {
	p.expect("(")
	for p.err == nil && !p.is(")") {
		switch {
		case p.accept("like"):
			p.likeClause(def)
		case p.isTableConstraint():
			p.tableConstraint(def, t)
		default:
			p.columnDef(def, options)
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
}

// columnDef reads a column with its clauses.
func (p *parser) columnDef(def *tableDef, options bool) {
	c := columnDef{Column: Column{Typmod: -1}}
	at := p.peek()
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
	var last *indexDef
	for p.err == nil {
		at := p.peek()
		switch {
		case p.accept("constraint"):
			conname = p.name("the name of a constraint")
			continue
		case p.accept("not", "null"):
			def.notNulls = append(def.notNulls, notNullDef{column: c.Name, name: conname, at: at})
			p.accept("no", "inherit")
		case p.accept("null"):
		case p.accept("default"):
			c.Default = p.defaultExpr(c.Type, p.atColumnClause)
		case p.accept("generated"):
			p.generated(def, c)
		case p.accept("primary", "key"):
			last = &indexDef{primary: true, unique: true}
			p.inlineIndex(def, last, conname, c.Name, at)
		case p.accept("unique"):
			last = &indexDef{unique: true}
			if p.accept("nulls", "not", "distinct") {
				last.nullsNotDistinct = true
			} else {
				p.accept("nulls", "distinct")
			}
			p.inlineIndex(def, last, conname, c.Name, at)
		case p.accept("check"):
			p.check(def, conname)
		case p.accept("references"):
			p.references()
			def.fks = append(def.fks, fkDef{conname, []string{c.Name}, at})
		case p.accept("collate"):
			c.Collation = p.collation()
		case p.accept("storage"):
			c.Storage = p.storage(c.Type)
			c.hasStorage = true
		case p.accept("compression"):
			c.Compression = p.compression()
		case p.accept("options"):
			p.skipParens()
		case p.constraintAttribute(def, last):
		default:
			if conname != "" {
				p.expected("a constraint after its name")
			}
			return
		}
		conname = ""
	}
}

// defaultExpr reads a default. The constant NULL is no default at all.
func (p *parser) defaultExpr(t *pgtype.Type, stop func() bool) string {
	text := p.exprUntil("the default value", stop)
	if len(text) >= 4 && strings.EqualFold(text[:4], "null") && (t == nil || t.Kind != pgtype.KindDomain) {
		if rest := text[4:]; rest == "" || strings.HasPrefix(rest, "::") && !strings.ContainsAny(rest[2:], ":+-|(") {
			return ""
		}
	}
	return text
}

// constraintAttribute reads one attribute of the constraint before it.
func (p *parser) constraintAttribute(def *tableDef, last *indexDef) bool {
	deferrable := func(on bool) {
		if last != nil {
			last.deferrable = on
		}
	}
	switch {
	case p.accept("deferrable"):
		deferrable(true)
	case p.accept("not", "deferrable"):
		deferrable(false)
	case p.accept("initially", "deferred"):
		deferrable(true)
		if last != nil {
			last.deferred = true
		}
	case p.accept("initially", "immediate"), p.accept("not", "valid"), p.accept("enforced"):
	case p.accept("no", "inherit"):
		if n := len(def.checks); n > 0 {
			def.checks[n-1].NoInherit = true
		}
	case p.accept("not", "enforced"):
		// Of a CHECK or a foreign key; the latter is not kept.
		if n := len(def.checks); n > 0 && last == nil {
			def.checks[n-1].NotEnforced = true
		}
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

// likeClause reads LIKE after that word; its columns take their place at once.
func (p *parser) likeClause(def *tableDef) {
	at := p.peek()
	schema, name := p.qname("the name of a table")
	if p.err != nil {
		return
	}
	src := p.db.findTable(schema, name)
	if src == nil {
		p.noTable(at, schema, name)
		return
	}
	in := map[string]bool{}
	for p.isAny("including", "excluding") {
		on := p.next().text == "including"
		what := p.name("what to include")
		if what == "all" {
			for _, w := range []string{"comments", "compression", "constraints", "defaults", "generated", "identity", "indexes", "statistics", "storage"} {
				in[w] = on
			}
		}
		in[what] = on
	}
	for i := range src.Columns {
		c := src.Columns[i]
		if c.Dropped {
			continue
		}
		d := columnDef{typed: true, like: true, Column: Column{Name: c.Name, Type: c.Type, Typmod: c.Typmod, Collation: c.Collation, Storage: c.Type.Storage}}
		if c.NotNull {
			def.notNulls = append(def.notNulls, notNullDef{column: c.Name, name: c.notNull, at: at})
		}
		if c.Generated != 0 {
			if in["generated"] {
				d.Generated, d.GeneratedExpr = c.Generated, c.GeneratedExpr
			}
		} else if in["defaults"] {
			d.Default = c.Default
		}
		if in["identity"] && c.Identity != 0 {
			d.Identity, d.sequence = c.Identity, &sequenceOptions{}
		}
		if in["storage"] {
			d.Storage = c.Storage
		}
		if in["compression"] {
			d.Compression = c.Compression
		}
		for j := range def.columns {
			if def.columns[j].Name == c.Name {
				p.failAt(at, "found a second column %q, expected a name that is not taken", c.Name)
				return
			}
		}
		def.columns = append(def.columns, d)
	}
	def.likes = append(def.likes, likeDef{src, in})
}

// finishTable carries the definition out, in the server's order: sequences,
// columns, checks, the parent's indexes, the table's own ones, LIKE.
func (p *parser) finishTable(t *Table, def *tableDef, inherits []*Table) {
	for i := range def.columns {
		p.ownedSequence(t, &def.columns[i])
	}
	n := objectName{t.Schema, t.Name}
	p.db.tables[n] = t
	p.db.Tables = append(p.db.Tables, t)
	parents := inherits
	if t.Parent != nil {
		parents = []*Table{t.Parent}
	}
	for _, parent := range parents {
		p.inheritColumns(t, parent)
	}
	for i := range def.columns {
		p.mergeColumn(t, &def.columns[i])
	}
	p.bindSequences(t)
	p.addNotNulls(t, def)
	for _, parent := range parents {
		for _, c := range parent.Checks {
			if !c.NoInherit {
				p.addCheck(t, c, 0, 0)
			}
		}
		parent.Children = append(parent.Children, t)
	}
	t.Inherits = inherits
	for _, c := range def.checks {
		p.addCheck(t, c.Check, c.from, c.to)
	}
	if t.Partition != nil {
		p.resolvePartition(t)
	}
	if t.Parent != nil {
		for _, x := range t.Parent.Indexes {
			p.defineIndex(t, x.clone(t, x), true)
		}
		p.cloneTriggers(t, t.Parent)
		t.ForeignKeys += t.Parent.ForeignKeys
		t.foreignKeys = append(t.foreignKeys, t.Parent.foreignKeys...)
	}
	for _, x := range mergeIndexDefs(def.indexes) {
		p.defineIndex(t, x, true)
	}
	for _, like := range def.likes {
		if like.included["constraints"] {
			for _, c := range like.table.Checks {
				p.addCheck(t, c, 0, 0)
			}
		}
		if like.included["indexes"] {
			for _, x := range like.table.Indexes {
				p.defineIndex(t, x.clone(t, nil), true)
			}
		}
	}
	for _, fk := range def.fks {
		p.addForeignKey(t, fk)
	}
}

// inheritColumns copies a parent's columns: those of one that the table has
// by another parent are merged.
func (p *parser) inheritColumns(t *Table, parent *Table) {
	for i := range parent.Columns {
		c := parent.Columns[i]
		if c.Dropped {
			continue
		}
		if j := t.Column(c.Name); j >= 0 {
			if own := &t.Columns[j]; c.NotNull && !own.NotNull {
				p.setNotNull(t, j, c.notNull)
			}
			continue
		}
		notNull := c.NotNull
		c.NotNull, c.inherited = false, true
		if t.Parent == nil {
			c.Identity = 0
		}
		t.Columns = append(t.Columns, c)
		if notNull {
			p.setNotNull(t, len(t.Columns)-1, c.notNull)
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
		t.Columns = append(t.Columns, def.Column)
		return
	}
	c := &t.Columns[j]
	c.inherited = false
	if def.Default != "" {
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
	if !c.NotNull {
		c.NotNull = true
		if name == "" || p.db.constraints[objectName{t.Schema, name}] > 0 && c.inherited {
			if name == "" {
				name = p.db.chooseConstraintName(t.Name, c.Name, "not_null", t.Schema)
			}
		}
		c.notNull = name
		p.db.constraints[objectName{t.Schema, name}]++
	}
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
