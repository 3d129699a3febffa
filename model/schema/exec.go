package schema

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Read reads a script of DDL: hand-written, or the output of pg_dump. An
// error is one line, "FILE:LINE: found ..., expected ..."; what can be passed
// over is counted in Skipped, and where doubts remain there is a warning.
func Read(r io.Reader, file string) (*Database, error) {
	d := &Database{}
	if err := d.read(r, file); err != nil {
		return nil, err
	}
	return d, nil
}

// Exec reads further statements on top of those that were read before. After
// an error the statements before the failing one have had their effect.
func (d *Database) Exec(sql, file string) error {
	return d.read(strings.NewReader(sql), file)
}

func (d *Database) read(r io.Reader, file string) error {
	d.init()
	s := newScanner(r, file)
	for {
		st, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		d.dump = d.dump || s.dump
		copyData, err := d.exec(st)
		if err != nil {
			return err
		}
		if copyData {
			if err := s.skipCopyData(); err != nil {
				return err
			}
		}
	}
	d.noteDumpOrder(file)
	return nil
}

func (d *Database) skip(kind string) { d.Skipped[kind]++ }

// passedOver are the statements that say nothing about the structure of
// tables, by their first word.
var passedOver = map[string]bool{
	"comment": true, "grant": true, "revoke": true, "begin": true, "start": true, "commit": true, "end": true,
	"rollback": true, "abort": true, "savepoint": true, "release": true, "prepare": true, "analyze": true,
	"vacuum": true, "checkpoint": true, "cluster": true, "reindex": true, "insert": true, "update": true,
	"delete": true, "merge": true, "truncate": true, "copy": true, "select": true, "with": true, "values": true, "table": true,
	"do": true, "call": true, "lock": true, "set": true, "reset": true, "show": true, "discard": true,
	"security": true, "listen": true, "notify": true, "unlisten": true, "refresh": true, "explain": true,
	"declare": true, "fetch": true, "move": true, "close": true, "execute": true, "deallocate": true, "load": true,
	"reassign": true, "import": true, "create": true, "alter": true, "drop": true, "(": true,
}

// twoWords are those of them whose kind takes the object's kind too.
var objectKinds = map[string]bool{
	"function": true, "procedure": true, "routine": true, "aggregate": true, "view": true, "rule": true, "policy": true,
	"extension": true, "role": true, "user": true, "group": true, "database": true, "tablespace": true, "cast": true,
	"conversion": true, "operator": true, "language": true, "server": true, "transform": true, "statistics": true,
	"subscription": true, "event": true, "access": true, "text": true, "materialized": true, "foreign": true,
	"large": true, "default": true, "system": true, "collation": true, "schema": true, "sequence": true, "domain": true,
	"type": true, "table": true, "index": true, "trigger": true, "publication": true, "owned": true, "constraint": true,
	"recursive": true, "trusted": true, "procedural": true, "temporary": true, "temp": true, "unlogged": true,
}

// exec carries out one statement. It reports whether the lines that follow
// are the data of COPY.
func (d *Database) exec(st *statement) (copyData bool, err error) {
	if st.toks[0].kind == tokMeta {
		d.meta(st)
		return false, nil
	}
	word := ""
	if st.toks[0].kind == tokIdent {
		word = foldIdent(st.raw(st.toks[0]))
	}
	p := &parser{db: d, st: st}
	switch word {
	case "create", "alter", "drop", "set", "reset", "select", "copy", "rollback", "with", "truncate":
		st.prepare()
	default:
		d.passOver(st, word)
		return false, nil
	}
	p.i = 1
	switch word {
	case "create":
		p.create()
	case "alter":
		p.alter()
	case "drop":
		p.drop()
	case "set":
		p.set()
	case "select":
		if !p.setConfig() {
			d.skip("SELECT")
		}
	case "copy":
		d.skip("COPY")
		for !p.atEnd() && !copyData {
			copyData = p.is("from", "stdin")
			p.next()
		}
	case "rollback":
		d.skip("ROLLBACK")
		if p.is(";") || p.atEnd() {
			d.warn(st.file, st.line, "ROLLBACK is passed over: the statements before it stand")
		}
	default:
		d.skip(strings.ToUpper(word))
	}
	return copyData, p.err
}

// passOver counts a statement of which nothing is kept, and warns of one
// that is not known.
func (d *Database) passOver(st *statement, word string) {
	kind := strings.ToUpper(word)
	if kind == "" {
		kind = clip(st.raw(st.toks[0]), 20)
	}
	d.skip(kind)
	if passedOver[word] || kind == "(" {
		return
	}
	if !d.unknown[kind] {
		d.unknown[kind] = true
		d.warn(st.file, st.line, "a statement that starts with %q is not known and is passed over", clip(st.raw(st.toks[0]), 40))
	}
}

// passRest counts a CREATE, ALTER or DROP of an object that is not modelled;
// the cursor stands after that word.
func (p *parser) passRest(verb string) {
	for p.isAny("or", "replace", "global", "local", "trusted", "procedural", "recursive") {
		p.i++
	}
	temp := p.accept("temp") || p.accept("temporary")
	p.accept("recursive")
	t := p.peek()
	if t.kind != tokIdent || !objectKinds[t.text] {
		kind := verb + " " + strings.ToUpper(clip(p.st.raw(t), 20))
		p.db.skip(strings.TrimSpace(kind))
		if !p.db.unknown[kind] {
			p.db.unknown[kind] = true
			p.db.warn(p.st.file, p.st.line, "%s %s is not known and is passed over", verb, p.found())
		}
		return
	}
	p.i++
	kind := t.text
	switch {
	case kind == "materialized" && p.accept("view"):
		kind = "materialized view"
	case kind == "foreign" && p.accept("table"):
		kind = "foreign table"
	case kind == "foreign" && p.accept("data", "wrapper"):
		kind = "foreign data wrapper"
	case kind == "event" && p.accept("trigger"):
		kind = "event trigger"
	case kind == "access" && p.accept("method"):
		kind = "access method"
	case kind == "text" && p.accept("search"):
		kind = "text search"
	case kind == "default" && p.accept("privileges"):
		kind = "default privileges"
	case kind == "operator" && p.isAny("class", "family"):
		kind += " " + p.next().text
	}
	p.db.skip(verb + " " + strings.ToUpper(kind))
	switch kind {
	case "view", "materialized view", "foreign table":
		p.notOther(verb, kind, temp)
	}
}

// notOther keeps the names of views and foreign tables, so that indexes on
// them and statements about them can be told from mistakes.
func (p *parser) notOther(verb, kind string, temp bool) {
	p.accept("if", "not", "exists")
	p.accept("if", "exists")
	if !p.isName() {
		return
	}
	schema, name := p.qname("a name")
	switch verb {
	case "CREATE":
		if temp {
			schema = tempSchema
		} else if schema == "" {
			schema = p.db.creationSchema()
		}
		p.db.others[objectName{schema, name}] = strings.ToUpper(kind)
		if kind == "foreign table" && p.is("partition", "of") {
			p.warn("foreign table %s is passed over: rows that belong to it have no place", name)
		}
	case "DROP":
		for {
			delete(p.db.others, objectName{p.db.schemaOf(schema, name), name})
			if !p.accept(",") || !p.isName() {
				return
			}
			schema, name = p.qname("a name")
		}
	}
}

// meta passes over a psql command.
func (d *Database) meta(st *statement) {
	cmd, _, _ := strings.Cut(st.src, " ")
	cmd = strings.TrimRight(cmd, "\r\t")
	d.skip(cmd)
	switch cmd {
	case `\i`, `\ir`, `\include`, `\include_relative`:
		d.warn(st.file, st.line, "%s is not followed: read that file too", strings.TrimSpace(st.src))
	case `\c`, `\connect`:
		if d.warned[`\connect`] {
			d.warn(st.file, st.line, "%s is passed over: what follows is read into the same database", strings.TrimSpace(st.src))
		}
		d.warned[`\connect`] = true
	}
}

// create reads a CREATE statement after that word.
func (p *parser) create() {
	switch {
	case p.accept("table"):
		p.createTable(tableFlags{})
	case p.accept("unlogged", "table"):
		p.createTable(tableFlags{unlogged: true})
	case p.isAny("temp", "temporary", "local", "global") && slices.ContainsFunc(p.st.toks[1:min(5, len(p.st.toks))], func(t token) bool { return t.kind == tokIdent && t.text == "table" }):
		for !p.accept("table") {
			p.next()
		}
		p.createTable(tableFlags{temp: true})
	case p.accept("index"):
		p.createIndex(false)
	case p.accept("unique", "index"):
		p.createIndex(true)
	case p.accept("type"):
		p.createType()
	case p.accept("domain"):
		p.createDomain()
	case p.accept("sequence"), p.accept("temp", "sequence"), p.accept("temporary", "sequence"):
		p.createSequence(false)
	case p.accept("unlogged", "sequence"):
		p.createSequence(true)
	case p.accept("schema"):
		p.createSchema()
	case p.accept("publication"):
		p.createPublication()
	case p.accept("trigger"), p.accept("or", "replace", "trigger"):
		p.createTrigger(false)
	case p.accept("constraint", "trigger"), p.accept("or", "replace", "constraint", "trigger"):
		p.createTrigger(true)
	case p.accept("collation"):
		p.createCollation()
	default:
		p.passRest("CREATE")
	}
}

// alter reads an ALTER statement after that word.
func (p *parser) alter() {
	switch {
	case p.accept("table"):
		p.alterTable()
	case p.accept("index"):
		p.alterIndex()
	case p.accept("type"):
		p.alterType()
	case p.accept("sequence"):
		p.alterSequence()
	case p.accept("publication"):
		p.alterPublication()
	case p.accept("schema"):
		p.alterSchema()
	default:
		p.passRest("ALTER")
	}
}

// set reads SET after that word: only search_path matters.
func (p *parser) set() {
	start := p.i
	if !p.accept("session") {
		p.accept("local")
	}
	if p.accept("search_path") && (p.accept("to") || p.accept("=")) {
		var path []string
		for p.err == nil && !p.atEnd() {
			t := p.next()
			if t.text != "," && t.text != "default" {
				path = append(path, t.text)
			}
		}
		p.db.setPath(path)
		return
	}
	p.i = start
	p.db.skip("SET")
}

// setConfig recognises SELECT pg_catalog.set_config('search_path', value,
// local), the form in which pg_dump sets it.
func (p *parser) setConfig() bool {
	if p.accept("pg_catalog") {
		p.expect(".")
	}
	if !p.accept("set_config", "(") || p.peek().kind != tokString || p.peek().text != "search_path" {
		return false
	}
	p.next()
	if !p.accept(",") || p.peek().kind != tokString {
		return false
	}
	value := p.next().text
	var path []string
	for name := range strings.SplitSeq(value, ",") {
		name = strings.TrimSpace(name)
		if strings.HasPrefix(name, `"`) {
			path = append(path, unquote(name, '"'))
		} else if name != "" {
			path = append(path, foldIdent(name))
		}
	}
	p.db.setPath(path)
	if value == "" {
		p.db.dump = true
	}
	return true
}

// setPath takes over a search path. With an empty one the server refuses to
// create anything without a schema; here it goes to public.
func (d *Database) setPath(path []string) {
	d.path = d.path[:0]
	for _, s := range path {
		if s != "" && s != "$user" && s != "pg_catalog" && s != "pg_temp" {
			d.path = append(d.path, s)
		}
	}
	if len(d.path) == 0 {
		d.path = append(d.path, "public")
	}
}

// tempSchema stands for the session's schema of temporary objects.
const tempSchema = "pg_temp"

// creationSchema is where unqualified names are created: the first schema of
// the path that exists. A dump of one schema may not create it, so that the
// first of the path counts where none is known.
func (d *Database) creationSchema() string {
	for _, s := range d.path {
		if d.schemas[s] {
			return s
		}
	}
	return d.path[0]
}

// newName reads the name of something to create.
func (p *parser) newName(what string) (schema, name string) {
	schema, name = p.qname(what)
	if schema == "" {
		schema = p.db.creationSchema()
	}
	return schema, name
}

// findTable looks a table up along the search path.
func (d *Database) findTable(schema, name string) *Table {
	if schema != "" {
		return d.tables[objectName{schema, name}]
	}
	if t := d.tables[objectName{tempSchema, name}]; t != nil {
		return t
	}
	for _, s := range d.path {
		if t := d.tables[objectName{s, name}]; t != nil {
			return t
		}
	}
	return nil
}

func (d *Database) findIndex(schema, name string) *Index {
	if schema != "" {
		return d.indexes[objectName{schema, name}]
	}
	for _, s := range append([]string{tempSchema}, d.path...) {
		if x := d.indexes[objectName{s, name}]; x != nil {
			return x
		}
	}
	return nil
}

// findOther gives the kind of a relation that is neither table nor index.
func (d *Database) findOther(schema, name string) string {
	return d.others[objectName{d.schemaOf(schema, name), name}]
}

// schemaOf completes the name of an existing relation.
func (d *Database) schemaOf(schema, name string) string {
	if schema != "" {
		return schema
	}
	for _, s := range append([]string{tempSchema}, d.path...) {
		if d.relationExists(objectName{s, name}) {
			return s
		}
	}
	return d.path[0]
}

func (p *parser) noTable(at token, schema, name string) {
	p.failAt(at, "found table %s, expected one that a statement before creates", qualified(schema, name))
}

func (p *parser) noColumn(at token, t *Table, name string) {
	p.failAt(at, "found column %q, expected one of table %s", name, t.QualifiedName())
}

// table reads the name of a table that must exist. For a view or the like it
// returns nil with the cursor at the end.
func (p *parser) table(exists bool) *Table {
	at := p.peek()
	schema, name := p.qname("the name of a table")
	if p.err != nil {
		return nil
	}
	t := p.db.findTable(schema, name)
	if t == nil {
		if p.db.findOther(schema, name) == "" && !exists {
			p.noTable(at, schema, name)
		}
		p.i = len(p.st.toks) - 1
	}
	return t
}

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

// indexOrder watches the order in which CREATE INDEX statements come.
type indexOrder struct {
	last   string
	broken bool
	tables map[*Table]int
	count  int
}

// note records one CREATE INDEX.
func (o *indexOrder) note(x *Index, st *statement) {
	key := x.Table.Schema + "\x00" + x.Name
	if key < o.last {
		o.broken = true
	}
	o.last = key
	o.count++
	if o.tables == nil {
		o.tables = map[*Table]int{}
	}
	o.tables[x.Table]++
}

// noteConstraint records one ALTER TABLE ... ADD CONSTRAINT with an index;
// primary keys have a place of their own.
func (o *indexOrder) noteConstraint(x *Index) {
	if x.Primary {
		return
	}
	if o.tables == nil {
		o.tables = map[*Table]int{}
	}
	o.tables[x.Table]++
}

// noteDumpOrder warns where the order of indexes is the one that pg_dump
// prints, by name, rather than that of their creation.
func (d *Database) noteDumpOrder(file string) {
	o := &d.order
	if o.broken || d.warned["order"] || !d.dump && o.count < 6 {
		return
	}
	n, name := 0, ""
	for _, t := range d.Tables {
		if o.tables[t] > 1 {
			if n++; n == 1 {
				name = t.QualifiedName()
			}
		}
	}
	if n == 0 {
		return
	}
	d.warned["order"] = true
	more := ""
	if n > 1 {
		more = fmt.Sprintf(" and %d other tables", n-1)
		if n == 2 {
			more = " and one other table"
		}
	}
	d.warn(file, 1, "the indexes of %s%s come sorted by name, as pg_dump prints them: on the real server the order of their OIDs may differ, and with it the order of index records and the index that REPLICA IDENTITY FULL uses", name, more)
}
