package backend

import (
	"fmt"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/schema"
)

// Script is what a session runs: SQL as psql gets it.
type Script struct {
	statements []*statement
	prepares   bool // some of its transactions are prepared
}

// Prepares says whether some of the script's transactions are prepared.
func (s *Script) Prepares() bool { return s.prepares }

// ReadScript reads scripts that one session runs after the other, each statement in a
// transaction of its own unless it stands between BEGIN and COMMIT. place names each
// script, for messages.
func ReadScript(scripts []string, place func(i int) string) (*Script, error) {
	s := &Script{}
	for i, text := range scripts {
		list, err := split(text, place(i))
		if err != nil {
			return nil, err
		}
		from := len(s.statements)
		for _, st := range list {
			if !st.gexec {
				s.statements = append(s.statements, st)
				continue
			}
			made, err := st.expand()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", st.place, err)
			}
			s.statements = append(s.statements, made...)
		}
		// A script is a connection of its own: what it leaves open is rolled back.
		if from < len(s.statements) {
			s.statements[from].connects = true
		}
		markRolledBack(s.statements[from:])
	}
	s.markPrepared()
	return s, nil
}

// markPrepared finds out how prepared transactions end.
func (s *Script) markPrepared() {
	for i, st := range s.statements {
		if st.gid == "" {
			continue
		}
		s.prepares = true
		st.end = "never"
		for _, later := range s.statements[i:] {
			verb, name := later.control()
			if name == st.gid && (verb == "commit prepared" || verb == "rollback prepared") {
				st.end = strings.TrimSuffix(verb, " prepared")
				break
			}
		}
	}
}

// markRolledBack notes which statements' work does not last.
func markRolledBack(list []*statement) {
	type level struct {
		name string
		from int
	}
	var levels []level // of the open transaction and its savepoints
	mark := func(from, to int) {
		for _, s := range list[from:to] {
			s.rolledBack = true
		}
	}
	for i, s := range list {
		switch verb, name := s.control(); verb {
		case "begin":
			levels = []level{{"", i + 1}}
		case "commit", "prepare":
			if verb == "prepare" && len(levels) > 0 && levels[0].from > 0 {
				b := list[levels[0].from-1]
				b.gid, b.work = name, list[levels[0].from:i]
			}
			levels = nil
		case "rollback":
			if len(levels) > 0 {
				mark(levels[0].from, i)
			}
			levels = nil
		case "savepoint":
			levels = append(levels, level{name, i + 1})
		case "release", "rollback to":
			for n := len(levels) - 1; n > 0; n-- {
				if levels[n].name != name {
					continue
				}
				if verb == "rollback to" {
					mark(levels[n].from, i)
					n++
				}
				levels = levels[:n]
				break
			}
		}
	}
	if len(levels) > 0 {
		mark(levels[0].from, len(list))
	}
}

// control says whether a statement begins or ends a transaction or a subtransaction, and
// the savepoint's name.
func (s *statement) control() (verb, name string) {
	last := s.toks[len(s.toks)-1].text
	switch first := s.toks[0]; {
	case first.kind != 'w':
	case first.is("begin", "start"):
		return "begin", ""
	case len(s.toks) > 2 && (first.is("prepare") && s.toks[1].is("transaction") || first.is("commit", "rollback") && s.toks[1].is("prepared")):
		name, _ := unquote(s.toks[2].text)
		if first.is("prepare") {
			return "prepare", name
		}
		return first.text + " prepared", name
	case first.is("commit", "end"):
		return "commit", ""
	case first.is("savepoint"):
		return "savepoint", last
	case first.is("release"):
		return "release", last
	case first.is("rollback", "abort"):
		if find(s.toks, "to") < len(s.toks) {
			return "rollback to", last
		}
		return "rollback", ""
	}
	return "", ""
}

// series is a call of generate_series in FROM, with whole numbers.
type series struct {
	name           string // of its column
	from, to, step int64
}

// rows is how many there are.
func (r *series) rows() int64 {
	if r.step == 0 || r.step > 0 && r.from > r.to || r.step < 0 && r.from < r.to {
		return 0
	}
	return (r.to-r.from)/r.step + 1
}

// table is the series as a table of one column, for expressions over it.
func (r *series) table() *schema.Table {
	typ := "integer"
	if r.from != int64(int32(r.from)) || r.to != int64(int32(r.to)) {
		typ = "bigint"
	}
	db, err := schema.Read(strings.NewReader(fmt.Sprintf(`create table s ("%s" %s)`, strings.ReplaceAll(r.name, `"`, `""`), typ)), "")
	if err != nil {
		return nil
	}
	return db.Table("public", "s")
}

// value is the n-th number, as the table's column has it.
func (r *series) value(n int64, table *schema.Table) datum.Value {
	v := datum.Value{Bits: uint64(r.from + n*r.step)}
	if table.Columns[0].Type.Attr().Len == 4 {
		v.Bits = uint64(uint32(v.Bits))
	}
	return v
}

// readSeries reads what stands after FROM: generate_series(a, b) [[AS] name].
func readSeries(toks []token) *series {
	if len(toks) < 4 || !toks[0].is("generate_series") || !toks[1].is("(") {
		return nil
	}
	end := closing(toks, 1)
	args := list(toks[2:min(end, len(toks))])
	r := &series{name: "generate_series", step: 1}
	for i, a := range args {
		text := ""
		for _, t := range a {
			text += t.text
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || i > 2 {
			return nil
		}
		*[]*int64{&r.from, &r.to, &r.step}[i] = n
	}
	if len(args) < 2 || end >= len(toks) {
		return nil
	}
	rest := toks[end+1:]
	if len(rest) > 0 && rest[0].is("as") {
		rest = rest[1:]
	}
	if len(rest) > 0 {
		if !rest[0].name() || len(rest) > 1 {
			return nil
		}
		r.name = rest[0].text
	}
	return r
}

// expand carries a statement out whose result psql runs: SELECT format(...) FROM
// generate_series(...). Where the arguments cannot be computed, it is known that there
// is such a statement, but not which values it has.
func (s *statement) expand() ([]*statement, error) {
	const what = `\gexec: expected SELECT format('...', ...) FROM generate_series(FROM, TO) as its query`
	from := find(s.toks, "from")
	var r *series
	if from < len(s.toks) {
		r = readSeries(s.toks[from+1:])
	}
	if r == nil || !s.toks[0].is("select") || !s.toks[1].is("format") || closing(s.toks, 2) != from-1 {
		return nil, fmt.Errorf(what)
	}
	args := list(s.toks[3 : from-1])
	if len(args[0]) != 1 {
		return nil, fmt.Errorf(what)
	}
	template, ok := unquote(args[0][0].text)
	if !ok {
		return nil, fmt.Errorf(what)
	}
	var compiled []*expr.Expr
	table := r.table()
	for _, a := range args[1:] {
		e, err := expr.Compile("("+s.source(a)+")::text", table, nil)
		if err != nil || e.Volatile() {
			compiled = nil
			break
		}
		compiled = append(compiled, e)
	}
	if compiled == nil && len(args) > 1 {
		return s.unknown(template, r.rows())
	}
	var made []*statement
	var scratch expr.Scratch
	row := make([]datum.Value, 1)
	for n, i := r.rows(), int64(0); i < n; i++ {
		row[0] = r.value(i, table)
		scratch.Reset()
		var values []string
		for _, e := range compiled {
			v, err := e.Eval(row, &scratch)
			if err != nil {
				return s.unknown(template, n)
			}
			values = append(values, string(v.Bytes))
		}
		text, err := format(template, values)
		if err != nil {
			return nil, err
		}
		list, err := split(text, s.place)
		if err != nil {
			return nil, err
		}
		made = append(made, list...)
	}
	return made, nil
}

// unknown returns statements of which it is only known what they look like.
func (s *statement) unknown(template string, n int64) ([]*statement, error) {
	list, err := split(strings.NewReplacer("%s", "null", "%L", "null", "%I", "x", "%%", "%").Replace(template), s.place)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	for _, st := range list {
		st.valueless = true
	}
	var made []*statement
	for range n {
		for _, st := range list {
			again := *st
			made = append(made, &again)
		}
	}
	return made, nil
}

// format is the SQL function, without widths.
func format(template string, values []string) (string, error) {
	var b strings.Builder
	next := 0
	for i := 0; i < len(template); i++ {
		if template[i] != '%' {
			b.WriteByte(template[i])
			continue
		}
		i++
		n := next
		if j := strings.IndexByte(template[i:], '$'); j > 0 {
			if k, err := strconv.Atoi(template[i : i+j]); err == nil {
				n, i = k-1, i+j+1
			}
		}
		if i >= len(template) {
			return "", fmt.Errorf("format: unterminated format() type specifier")
		}
		if template[i] == '%' {
			b.WriteByte('%')
			continue
		}
		if n < 0 || n >= len(values) {
			return "", fmt.Errorf("format: too few arguments")
		}
		switch v := values[n]; template[i] {
		case 's':
			b.WriteString(v)
		case 'L':
			b.WriteString("'" + strings.ReplaceAll(v, "'", "''") + "'")
		case 'I':
			b.WriteString(`"` + strings.ReplaceAll(v, `"`, `""`) + `"`)
		default:
			return "", fmt.Errorf("format: %%%c: expected %%s, %%L, %%I or %%%%", template[i])
		}
		next = n + 1
	}
	return b.String(), nil
}
