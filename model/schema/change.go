package schema

import (
	"io"
	"slices"
	"strconv"
	"strings"
)

// RowChange is an INSERT, UPDATE or DELETE of one row with literal values.
type RowChange struct {
	Kind  string // "insert", "update" or "delete"
	Table *Table
	// Set are the values that the row gets, Where those by which it is known: columns that
	// are equal to them, or NULL.
	Set, Where []ColumnValue
}

// ColumnValue is a literal for a column.
type ColumnValue struct {
	Column int // of the table, from 0
	// Text is the value as the type's input function reads it.
	Text string
	Null bool
}

// ReadChange reads one statement that changes one row:
//
//	INSERT INTO table [(column, ...)] VALUES (literal, ...)
//	UPDATE table SET column = literal, ... WHERE column = literal AND ...
//	DELETE FROM table WHERE column = literal AND ...
//
// with IS NULL in WHERE, too. Literals are strings, numbers, TRUE, FALSE and NULL.
// Everything else is an error, which names the statement as file.
func (d *Database) ReadChange(sql, file string) (*RowChange, error) {
	d.init()
	s := newScanner(strings.NewReader(sql), file)
	st, err := s.next()
	if err == io.EOF {
		st = &statement{file: file, line: 1, toks: []token{}}
	} else if err != nil {
		return nil, err
	}
	st.prepare()
	p := &parser{db: d, st: st}
	c := p.rowChange()
	p.end()
	if p.err != nil {
		return nil, p.err
	}
	if more, err := s.next(); err == nil {
		more.prepare()
		q := &parser{db: d, st: more}
		q.expected("one statement")
		return nil, q.err
	} else if err != io.EOF {
		return nil, err
	}
	return c, nil
}

func (p *parser) rowChange() *RowChange {
	c := &RowChange{}
	switch {
	case p.accept("insert"):
		c.Kind = "insert"
		p.expect("into")
		p.changedTable(c)
		p.insertValues(c)
	case p.accept("update"):
		c.Kind = "update"
		p.accept("only")
		p.changedTable(c)
		p.expect("set")
		for p.err == nil {
			v := ColumnValue{Column: p.changedColumn(c, c.Set)}
			p.expect("=")
			p.literal(&v)
			c.Set = append(c.Set, v)
			if !p.accept(",") {
				break
			}
		}
		p.where(c)
	case p.accept("delete"):
		c.Kind = "delete"
		p.expect("from")
		p.accept("only")
		p.changedTable(c)
		p.where(c)
	default:
		p.expected("INSERT, UPDATE or DELETE")
	}
	return c
}

// changedTable reads the name of the table.
func (p *parser) changedTable(c *RowChange) {
	t := p.peek()
	space, name := p.qname("the name of a table")
	if p.err != nil {
		return
	}
	if c.Table = p.db.findTable(space, name); c.Table == nil {
		p.failAt(t, "table %q does not exist", strings.TrimPrefix(space+"."+name, "."))
	}
}

// changedColumn reads the name of a column that is not among those before.
func (p *parser) changedColumn(c *RowChange, before []ColumnValue) int {
	t := p.peek()
	name := p.name("the name of a column")
	if p.err != nil {
		return 0
	}
	n := c.Table.Column(name)
	switch {
	case n < 0:
		p.failAt(t, "table %q has no column %q", c.Table.QualifiedName(), name)
	case c.Table.Columns[n].Generated != 0:
		p.failAt(t, "column %q is generated: it cannot be given a value", name)
	case slices.ContainsFunc(before, func(v ColumnValue) bool { return v.Column == n }):
		p.failAt(t, "column %q is there twice", name)
	}
	return max(n, 0)
}

// insertValues reads the columns of an INSERT and their values.
func (p *parser) insertValues(c *RowChange) {
	if p.err != nil {
		return
	}
	if p.accept("(") {
		for p.err == nil {
			c.Set = append(c.Set, ColumnValue{Column: p.changedColumn(c, c.Set)})
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
	} else {
		for i := range c.Table.Columns {
			if x := &c.Table.Columns[i]; !x.Dropped && x.Generated == 0 {
				c.Set = append(c.Set, ColumnValue{Column: i})
			}
		}
	}
	p.expect("values", "(")
	given := len(c.Set)
	for i := range c.Set {
		if i > 0 && !p.accept(",") {
			given = i // as SQL allows where no columns are named
			break
		}
		p.literal(&c.Set[i])
	}
	if p.err == nil && !p.is(")") {
		p.expected("the end of the values: there are " + plural(len(c.Set), "column"))
	}
	p.expect(")")
	if p.is(",") {
		p.expected("the end of the statement, after one row")
	}
	c.Set = c.Set[:given]
	for i := range c.Table.Columns {
		x := &c.Table.Columns[i]
		if p.err != nil || x.Dropped || x.Generated != 0 || slices.ContainsFunc(c.Set, func(v ColumnValue) bool { return v.Column == i }) {
			continue
		}
		if x.Default != "" || x.Identity != 0 || x.NotNull {
			p.fail("column %q has no value: expected one, since the publisher would have to compute it", x.Name)
		}
		c.Set = append(c.Set, ColumnValue{Column: i, Null: true})
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// where reads the condition that names a row.
func (p *parser) where(c *RowChange) {
	if p.err == nil && !p.is("where") {
		p.expected("WHERE, with the columns by which one row is known")
	}
	p.expect("where")
	for p.err == nil {
		v := ColumnValue{Column: p.changedColumn(c, c.Where)}
		if p.accept("is") {
			p.expect("null")
			v.Null = true
		} else {
			p.expect("=")
			t := p.peek()
			if p.literal(&v); v.Null {
				p.failAt(t, "no row is equal to NULL: expected IS NULL")
			}
		}
		c.Where = append(c.Where, v)
		if !p.accept("and") {
			break
		}
	}
}

// literal reads a value.
func (p *parser) literal(v *ColumnValue) {
	const what = "a literal: a string, a number, TRUE, FALSE or NULL"
	t := p.peek()
	switch {
	case p.accept("null"):
		v.Null = true
	case p.accept("true"), p.accept("false"):
		v.Text = t.text
	case t.kind == tokString:
		p.i++
		v.Text = t.text
	case p.isAny("-", "+"):
		p.i++
		n := p.peek()
		if n.kind != tokNumber {
			p.expected("a number")
			return
		}
		p.i++
		v.Text = strings.TrimPrefix(t.text, "+") + n.text
	case t.kind == tokNumber:
		p.i++
		v.Text = t.text
	default:
		p.expected(what)
		return
	}
	if p.isAny("::", "+", "-", "*", "/", "||") {
		p.expected("a literal alone, without an operator or a cast")
	}
}
