// After transformCreateStmt in src/backend/parser/parse_utilcmd.c and
// DefineRelation in src/backend/commands/tablecmds.c (REL_18_1).

package schema

import (
	"slices"

	"applysim/model/pgtype"
)

// tableFlags is what stands between CREATE and TABLE.
type tableFlags struct{ unlogged, temp bool }

// tableDef collects the elements of a CREATE TABLE, or of an ADD COLUMN,
// until all columns are known.
type tableDef struct {
	columns  []columnDef
	checks   []*checkDef
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
	hasDefault  bool // also DEFAULT NULL, which hides a parent's default
	like        bool
	sequenceFor string // schema of the sequence, where given
}

type checkDef struct {
	Check
	from, to int // the expression's tokens
}

type notNullDef struct {
	column, name string
	noInherit    bool
	at           token
}

type fkDef struct {
	name    string
	columns []string
	at      token
	to      fkTarget
	attrs   *indexDef // deferrable or not
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
				c := Column{Name: f.Name, Type: f.Type, Typmod: f.Typmod, Storage: f.Type.Storage, Collation: f.Collation}
				def.columns = append(def.columns, columnDef{typed: true, Column: c})
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
				at := p.peek()
				parent := p.table(false)
				switch {
				case p.err != nil:
				case parent == nil || parent.Kind == 'p' || slices.Contains(inherits, parent):
					p.failAt(at, "found %q in INHERITS, expected a table that is not partitioned, once", at.text)
				default:
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
	if n, ok := p.intOption(t.Options, "fillfactor", fillfactorSpan); ok {
		t.Fillfactor = n
	}
	if n, ok := p.intOption(t.Options, "toast_tuple_target", toastTargetSpan); ok {
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
			if s := p.db.sequenceOf(src, i); s != nil {
				d.sequence = s.options()
			}
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
		inheritColumns(t, parent)
	}
	for i := range def.columns {
		p.mergeColumn(t, &def.columns[i])
	}
	p.bindSequences(t)
	p.addNotNulls(t, def)
	for _, parent := range parents {
		// A constraint of the table's own goes before the parent's, whose name
		// it would take over.
		for i := range parent.Columns {
			if c := &parent.Columns[i]; c.NotNull && !c.nnOwn {
				p.setNotNull(t, t.Column(c.Name), c.notNull, true)
			}
		}
		for _, c := range parent.Checks {
			if !c.NoInherit {
				p.addCheck(t, c, 0, 0, true)
			}
		}
		parent.Children = append(parent.Children, t)
	}
	t.Inherits = inherits
	for _, c := range def.checks {
		p.addCheck(t, c.Check, c.from, c.to, false)
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
		for _, k := range t.Parent.References {
			own := k
			own.Columns = nil
			for _, n := range k.Columns {
				own.Columns = append(own.Columns, t.Column(t.Parent.Columns[n].Name))
			}
			t.References = append(t.References, own)
		}
	}
	for _, x := range mergeIndexDefs(def.indexes) {
		p.defineIndex(t, x, true)
	}
	for _, like := range def.likes {
		if like.included["constraints"] {
			for _, c := range like.table.Checks {
				p.addCheck(t, c, 0, 0, false)
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
