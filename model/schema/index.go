// After DefineIndex in src/backend/commands/indexcmds.c and
// generateClonedIndexStmt in src/backend/parser/parse_utilcmd.c (REL_18_1).

package schema

import (
	"maps"
	"slices"
)

// indexDef is an index as a statement or a constraint asks for it, before
// the columns are looked up.
type indexDef struct {
	name             string
	method           string
	unique, primary  bool
	constraint       bool
	nullsNotDistinct bool
	deferrable       bool
	deferred         bool // INITIALLY DEFERRED
	withoutOverlaps  bool
	keys             []keyDef
	include          []keyDef
	operators        []string
	predicate        string
	options          map[string]string
	using            string // USING INDEX: an index that is there already
	parent           *Index
	at               token
}

// keyDef is one element of an index's column list.
type keyDef struct {
	IndexKey
	column  string // a plain column; "" for an expression
	colname string // attname of the index's column
	at      token
}

// createIndex reads CREATE [UNIQUE] INDEX after the word INDEX.
func (p *parser) createIndex(unique bool) {
	def := &indexDef{unique: unique, at: p.peek()}
	p.accept("concurrently")
	exists := p.accept("if", "not", "exists")
	if !p.is("on") {
		def.name = p.name("the name of the index")
	}
	p.expect("on")
	only := p.accept("only")
	at := p.peek()
	schema, name := p.qname("the name of a table")
	if p.err != nil {
		return
	}
	t := p.db.findTable(schema, name)
	if t == nil {
		if kind := p.db.findOther(schema, name); kind != "" {
			p.db.skip("CREATE INDEX ON " + kind)
			if def.name != "" {
				p.db.others[objectName{p.db.schemaOf(schema, name), def.name}] = "INDEX"
			}
			p.i = len(p.st.toks) - 1
			return
		}
		p.noTable(at, schema, name)
		return
	}
	if def.name != "" && p.db.relationExists(objectName{t.Schema, def.name}) {
		if !exists {
			p.failAt(at, "found a second relation %s, expected a name for the index that is not taken", qualified(t.Schema, def.name))
		}
		p.i = len(p.st.toks) - 1
		return
	}
	if p.accept("using") {
		def.method = p.name("an access method")
	}
	def.keys = p.indexKeys(t)
	if p.accept("include") {
		def.include = p.indexKeys(t)
	}
	def.nullsNotDistinct = p.nullsNotDistinct()
	if p.accept("with") {
		def.options = p.options()
	}
	if p.accept("tablespace") {
		p.name("the name of a tablespace")
	}
	if p.accept("where") {
		def.predicate = p.exprUntil("a condition", func() bool { return false })
	}
	p.end()
	if x := p.defineIndex(t, def, !only); x != nil {
		p.db.order.note(x)
	}
}

// indexKeys reads the parenthesised list of an index's columns.
func (p *parser) indexKeys(t *Table) []keyDef {
	var keys []keyDef
	p.expect("(")
	for p.err == nil {
		keys = append(keys, p.indexKey(t))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return keys
}

// indexKey reads a column, a function call or a parenthesised expression with
// its options; the WITH of an exclusion constraint ends it.
func (p *parser) indexKey(t *Table) keyDef {
	k := keyDef{at: p.peek()}
	k.Column = -1
	from := p.i
	switch {
	case p.is("("):
		var a, b int
		k.Expr, a, b = p.parenExpr("an expression")
		k.colname = p.figureName(a, b)
	case p.isName():
		// A lone word is a column; one that goes on with "(" or "." a function.
		p.i++
		for p.is(".") && p.peekN(1).kind != tokEOF {
			p.i += 2
		}
		if p.is("(") {
			p.skipParens()
			k.Expr = p.text(from, p.i)
			k.colname = p.figureName(from, p.i)
		} else if p.i == from+1 {
			if word := p.st.toks[from]; word.kind == tokIdent && t.Column(word.text) < 0 && valueFunctions[word.text] {
				k.Expr, k.colname = word.text, word.text
			} else {
				k.column = word.text
				k.colname = word.text
			}
		} else {
			p.expected(`"(" after the name of a function`)
		}
	default:
		p.expected("a column or an expression in parentheses")
		return k
	}
	if k.column == "" {
		p.loneColumn(t, &k, from)
	}
	if k.colname == "" {
		k.colname = "expr"
	}
	if p.accept("collate") {
		k.Collation = p.collation()
	}
	if p.isName() && !p.isAny("asc", "desc", "nulls", "with", "include", "where") {
		_, k.OpClass = p.qname("an operator class")
		if p.is("(") {
			a, b := p.skipParens()
			k.OpClassOptions = p.text(a, b)
		}
	}
	if p.accept("desc") {
		k.Desc, k.NullsFirst = true, true
	} else {
		p.accept("asc")
	}
	if p.accept("nulls", "first") {
		k.NullsFirst = true
	} else if p.accept("nulls", "last") {
		k.NullsFirst = false
	}
	return k
}

// loneColumn turns an expression that is only a column into that column, as
// the server does: COLLATE is split off, a cast to the column's own type is
// none. from is the expression's first token.
func (p *parser) loneColumn(t *Table, k *keyDef, from int) {
	from, to := p.stripParens(from, p.i)
	collation := ""
	for i := to - 1; i > from; i-- {
		if p.word(i, "collate") {
			sub := &parser{db: p.db, st: p.st, i: i + 1}
			if collation = sub.collation(); sub.err != nil || sub.i != to {
				return
			}
			from, to = p.stripParens(from, i)
			break
		}
	}
	for from < to {
		end := p.operandEnd(from, to)
		for pos := end; pos < to; {
			if !p.at(pos, "::") {
				return
			}
			if pos = p.noCast(t, k.colname, pos+1); pos < 0 || pos > to {
				return
			}
		}
		if end == from+1 {
			break
		}
		inner, innerEnd := p.stripParens(from, end)
		if inner == from && innerEnd == to {
			return // not a column
		}
		from, to = inner, innerEnd
	}
	if from >= to {
		return
	}
	tok := p.st.toks[from]
	if tok.kind != tokQuoted && (tok.kind != tokIdent || valueFunctions[tok.text] || tok.text == "true" || tok.text == "false" || tok.text == "null") {
		return
	}
	k.Expr, k.column, k.colname = "", tok.text, tok.text
	if collation != "" {
		k.Collation = collation
	}
}

// noCast reads the type of a cast and returns the index after it, or -1 if the
// cast of the column would be more than its name.
func (p *parser) noCast(t *Table, column string, at int) int {
	sub := &parser{db: p.db, st: p.st, i: at}
	warnings := len(p.db.Warnings)
	ct := sub.typeName("a type")
	p.db.Warnings = p.db.Warnings[:warnings]
	i := t.Column(column)
	if sub.err != nil || i < 0 || t.Columns[i].Type != ct.typ || ct.typmod >= 0 && ct.typmod != t.Columns[i].Typmod {
		return -1
	}
	return sub.i
}

// defineIndex makes the index, and with recurse those of all partitions.
func (p *parser) defineIndex(t *Table, def *indexDef, recurse bool) *Index {
	if p.err != nil {
		return nil
	}
	x := p.newIndex(t, def)
	if x == nil {
		return nil
	}
	p.db.addIndex(x)
	if recurse && t.Kind == 'p' {
		for _, child := range t.Children {
			p.ensureIndex(child, x)
		}
	}
	return x
}

// newIndex looks up the columns and names the index.
func (p *parser) newIndex(t *Table, def *indexDef) *Index {
	x := &Index{Name: def.name, Table: t, Method: def.method, Unique: def.unique, Primary: def.primary,
		NullsNotDistinct: def.nullsNotDistinct, Deferrable: def.deferrable, Constraint: def.constraint,
		WithoutOverlaps: def.withoutOverlaps, Predicate: def.predicate, Parent: def.parent, operators: def.operators}
	if x.Method == "" {
		x.Method = "btree"
		if x.WithoutOverlaps {
			x.Method = "gist"
		}
	}
	p.countKeys(def)
	if p.checkKeyTwice(def); p.err != nil {
		return nil
	}
	var names []string
	for _, k := range def.keys {
		if k.column != "" {
			if k.Column = t.Column(k.column); k.Column < 0 {
				p.noColumn(k.at, t, k.column)
				return nil
			}
			if x.Primary {
				p.setNotNull(t, k.Column, "", false)
			}
		}
		x.Keys = append(x.Keys, k.IndexKey)
		names = append(names, k.colname)
	}
	for _, k := range def.include {
		i := t.Column(k.column)
		if i < 0 {
			if k.column == "" {
				p.failAt(k.at, "found an expression in INCLUDE, expected a column")
			} else {
				p.noColumn(k.at, t, k.column)
			}
			return nil
		}
		x.Include = append(x.Include, i)
		names = append(names, k.colname)
	}
	x.colnames = uniqueColumnNames(names)
	if x.Primary && t.PrimaryKey() != nil {
		p.failAt(def.at, "found a second primary key of table %s, expected one at most", t.QualifiedName())
		return nil
	}
	p.setIndexOptions(x, def.options)
	p.checkExclusion(x, def.at)
	if p.err != nil {
		return nil
	}
	if x.Name == "" {
		x.Name = p.db.chooseIndexName(x)
	} else if p.db.relationExists(objectName{t.Schema, x.Name}) {
		p.failAt(def.at, "found a second relation %s, expected a name for the index that is not taken", qualified(t.Schema, x.Name))
		return nil
	}
	return x
}

// Default fillfactors (REL_18_1, src/include/access/nbtree.h BTREE_DEFAULT_FILLFACTOR,
// hash.h, gist_private.h, spgist_private.h).
var indexFillfactor = map[string]int{"btree": 90, "hash": 75, "gist": 90, "spgist": 80}

// setIndexOptions takes over WITH options; those that are nil leave the defaults.
func (p *parser) setIndexOptions(x *Index, options map[string]string) {
	if x.Options == nil {
		x.Options = map[string]string{}
	}
	maps.Copy(x.Options, options)
	x.Fillfactor = indexFillfactor[x.Method]
	if x.Fillfactor == 0 {
		x.Fillfactor = 100
	}
	if n, ok := p.intOption(x.Options, "fillfactor", fillfactorSpan); ok {
		x.Fillfactor = n
	}
	p.intOption(x.Options, "pages_per_range", pagesPerRange)
	x.DeduplicateItems = boolOption(x.Options, "deduplicate_items", true)
}

// boolOption reads a boolean option in the spellings that the server takes.
func boolOption(options map[string]string, key string, def bool) bool {
	switch foldIdent(options[key]) {
	case "on", "true", "yes", "1", "t", "y":
		return true
	case "off", "false", "no", "0", "f", "n":
		return false
	}
	return def
}

// addIndex enters an index into the table and the catalog.
func (d *Database) addIndex(x *Index) {
	n := objectName{x.Table.Schema, x.Name}
	x.Table.Indexes = append(x.Table.Indexes, x)
	d.indexes[n] = x
	if x.Constraint {
		d.constraints[n]++
	}
	if len(x.operators) > 0 {
		x.Table.Exclusions = append(x.Table.Exclusions, Exclusion{x, x.operators})
	}
}

// dropIndex takes an index, and those of the partitions, out of the catalog.
func (d *Database) dropIndex(x *Index) {
	n := objectName{x.Table.Schema, x.Name}
	delete(d.indexes, n)
	if x.Constraint {
		d.dropConstraintName(n)
	}
	x.Table.Indexes = slices.DeleteFunc(x.Table.Indexes, func(y *Index) bool { return y == x })
	x.Table.Exclusions = slices.DeleteFunc(x.Table.Exclusions, func(e Exclusion) bool { return e.Index == x })
	for _, child := range x.Table.Children {
		for _, y := range slices.Clone(child.Indexes) {
			if y.Parent == x {
				d.dropIndex(y)
			}
		}
	}
}

func (d *Database) dropConstraintName(n objectName) {
	if d.constraints[n]--; d.constraints[n] <= 0 {
		delete(d.constraints, n)
	}
}

// ensureIndex gives a partition the index that its parent has: one that is
// there and matches is attached, else one is made under a generated name.
func (p *parser) ensureIndex(child *Table, parent *Index) {
	for _, x := range child.Indexes {
		if x.Parent == nil && x.matches(parent) {
			x.Parent = parent // a partition's own partitions have theirs from before
			return
		}
	}
	p.defineIndex(child, parent.clone(child, parent), true)
}

// clone describes the index anew for another table that has the same columns:
// a partition (parent is then the index to attach to) or one made with LIKE.
func (x *Index) clone(to *Table, parent *Index) *indexDef {
	def := &indexDef{method: x.Method, unique: x.Unique, primary: x.Primary, constraint: x.Constraint,
		nullsNotDistinct: x.NullsNotDistinct, deferrable: x.Deferrable, withoutOverlaps: x.WithoutOverlaps,
		operators: x.operators, predicate: x.Predicate, options: x.Options, parent: parent}
	for i, k := range x.Keys {
		kd := keyDef{IndexKey: k, colname: x.colnames[i]}
		if k.Column >= 0 {
			kd.column = x.Table.Columns[k.Column].Name
		}
		def.keys = append(def.keys, kd)
	}
	for i, c := range x.Include {
		def.include = append(def.include, keyDef{column: x.Table.Columns[c].Name, colname: x.colnames[len(x.Keys)+i]})
	}
	return def
}

// matches reports whether an index of a partition can serve as the
// partition's part of parent (CompareIndexInfo in src/backend/catalog/index.c).
func (x *Index) matches(parent *Index) bool {
	if x.Method != parent.Method || x.Unique != parent.Unique || x.NullsNotDistinct != parent.NullsNotDistinct ||
		x.Predicate != parent.Predicate || len(x.Keys) != len(parent.Keys) || len(x.Include) != len(parent.Include) ||
		parent.Constraint && (!x.Constraint || x.Primary != parent.Primary) || !slices.Equal(x.operators, parent.operators) {
		return false
	}
	same := func(a, b int) bool {
		return (a < 0) == (b < 0) && (a < 0 || x.Table.Columns[a].Name == parent.Table.Columns[b].Name)
	}
	for i, k := range x.Keys {
		q := parent.Keys[i]
		if !same(k.Column, q.Column) || k.Expr != q.Expr || k.OpClass != q.OpClass || k.Collation != q.Collation {
			return false
		}
	}
	for i, c := range x.Include {
		if !same(c, parent.Include[i]) {
			return false
		}
	}
	return true
}
