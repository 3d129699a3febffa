package schema

import (
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
	"reassign": true, "import": true, "(": true,
}

// objectKinds are the words that may follow CREATE, ALTER and DROP; a statement
// with any other is not known.
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
	case "reset":
		d.skip("RESET")
		if p.is("search_path") || p.is("all") {
			d.setPath(nil)
		}
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
	case p.accept("domain"):
		p.alterDomain()
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
