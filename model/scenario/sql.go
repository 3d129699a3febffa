package scenario

import (
	"bufio"
	"io"

	"applysim/model/stream"
)

// sqlWriter writes a stream's changes as SQL, for a real publisher: what a stream leaves
// out (the columns that an update names, the key of a row) is taken from the scenario.
type sqlWriter struct {
	w *bufio.Writer
	g *Generator
	b []byte
}

func newSQLWriter(w io.Writer, g *Generator) *sqlWriter {
	return &sqlWriter{w: bufio.NewWriterSize(w, 64<<10), g: g}
}

// message writes what the generator's last message says.
func (q *sqlWriter) message(m *stream.Message) {
	q.b = q.b[:0]
	switch m.Kind {
	case stream.KindBegin:
		q.b = append(q.b, "BEGIN;\n"...)
	case stream.KindCommit:
		q.b = append(q.b, "COMMIT;\n"...)
	case stream.KindInsert:
		s := q.source(m)
		q.b = append(append(q.b, "INSERT INTO "...), q.table(s)...)
		for i, c := range s.columns {
			q.separate(i, " (", ", ")
			q.b = append(q.b, quoteOne(c.Name)...)
		}
		q.b = append(q.b, ") OVERRIDING SYSTEM VALUE VALUES ("...)
		for i := range s.columns {
			q.separate(i, "", ", ")
			q.value(m.New[i])
		}
		q.b = append(q.b, ");\n"...)
	case stream.KindUpdate:
		s, p := q.source(m), q.g.last
		q.b = append(append(append(q.b, "UPDATE "...), q.table(s)...), " SET "...)
		for n, i := range p.change {
			q.separate(n, "", ", ")
			q.b = append(append(q.b, quoteOne(s.columns[i].Name)...), " = "...)
			q.value(m.New[i])
		}
		if len(p.change) == 0 { // what it changes is not published
			name := quoteOne(s.columns[0].Name)
			q.b = append(append(append(q.b, name...), " = "...), name...)
		}
		old := m.Old
		if old == nil {
			old = m.New
		}
		q.where(s, old)
	case stream.KindDelete:
		s := q.source(m)
		q.b = append(append(q.b, "DELETE FROM "...), q.table(s)...)
		q.where(s, m.Old)
	}
	q.w.Write(q.b) // bufio keeps the error for the flush
}

func (q *sqlWriter) source(m *stream.Message) *source {
	for _, s := range q.g.sources {
		if s.relation.ID == m.RelationID {
			return s
		}
	}
	panic("a change of a table that the scenario does not have")
}

func (q *sqlWriter) table(s *source) string {
	return quoteOne(s.relation.Namespace) + "." + quoteOne(s.relation.Name)
}

func (q *sqlWriter) separate(i int, first, other string) {
	if i == 0 {
		q.b = append(q.b, first...)
	} else {
		q.b = append(q.b, other...)
	}
}

// where names a row: by its key, or by all its columns and one of those that are alike.
func (q *sqlWriter) where(s *source, row stream.Tuple) {
	q.b = append(q.b, " WHERE "...)
	n := 0
	for i, c := range s.columns {
		if !c.key {
			continue
		}
		q.separate(n, "", " AND ")
		n++
		q.b = append(append(q.b, quoteOne(c.Name)...), " = "...)
		q.value(row[i])
	}
	if n == 0 {
		q.b = append(append(append(q.b, "ctid = (SELECT min(ctid) FROM "...), q.table(s)...), " WHERE "...)
		for i, c := range s.columns {
			q.separate(i, "", " AND ")
			q.b = append(q.b, quoteOne(c.Name)...)
			switch {
			case row[i].Format == stream.ColumnNull:
				q.b = append(q.b, " IS NULL"...)
				continue
			case c.typ.OpClass() == nil: // it has no equality
				q.b = append(q.b, "::text"...)
			}
			q.b = append(q.b, " = "...)
			q.value(row[i])
		}
		q.b = append(q.b, ')')
	}
	q.b = append(q.b, ";\n"...)
}

// value writes a value as a literal.
func (q *sqlWriter) value(c stream.Column) {
	if c.Format != stream.ColumnText {
		q.b = append(q.b, "NULL"...)
		return
	}
	escape := false
	for _, b := range c.Data {
		escape = escape || b == '\\'
	}
	if escape {
		q.b = append(q.b, 'E')
	}
	q.b = append(q.b, '\'')
	for _, b := range c.Data {
		if b == '\'' || b == '\\' {
			q.b = append(q.b, b)
		}
		q.b = append(q.b, b)
	}
	q.b = append(q.b, '\'')
}

// SQLWriter writes the changes of a generator's stream as SQL, statement by statement.
type SQLWriter struct{ q *sqlWriter }

// NewSQLWriter returns a writer for the messages of g. The scenario's values must be in
// text format.
func NewSQLWriter(g *Generator) *SQLWriter {
	return &SQLWriter{newSQLWriter(io.Discard, g)}
}

// Statement is the statement that makes the change of the generator's last message, "" if
// it is none.
func (w *SQLWriter) Statement(m *stream.Message) string {
	switch m.Kind {
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
		w.q.message(m)
		return string(w.q.b)
	}
	return ""
}

// Rows calls yield with each row that a table has before the run, as a line of COPY.
func (g *Generator) Rows(yield func(table, columns, line string) bool) {
	var arena, line []byte
	for _, s := range g.sources {
		columns := ""
		for i, c := range s.columns {
			if i > 0 {
				columns += ", "
			}
			columns += quoteOne(c.Name)
		}
		table := quoteOne(s.relation.Namespace) + "." + quoteOne(s.relation.Name)
		for n := range s.preset {
			arena, line = arena[:0], line[:0]
			draw := g.draw(s, n)
			for i, c := range s.columns {
				if i > 0 {
					line = append(line, '\t')
				}
				v := g.value(c, s, n, 0, draw, &arena)
				if v.Format != stream.ColumnText {
					line = append(line, '\\', 'N')
				}
				for _, b := range v.Data {
					switch b {
					case '\\', '\t', '\n', '\r':
						line = append(line, '\\')
						b = map[byte]byte{'\\': '\\', '\t': 't', '\n': 'n', '\r': 'r'}[b]
					}
					line = append(line, b)
				}
			}
			if !yield(table, columns, string(line)) {
				return
			}
		}
	}
}

// Operation is the number of the operation whose transaction the last message belongs to.
func (g *Generator) Operation() int {
	for i, o := range g.operations {
		if o == g.current {
			return i
		}
	}
	return -1
}
