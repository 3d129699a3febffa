package capture

// The JSON of wal2json, formats 1 and 2, as its documentation describes them.

import (
	"io"
	"strconv"

	"applysim/model/stream"
)

// jsonState is where in the text of wal2json the reader is.
type jsonState struct {
	list  bool // within the changes of a transaction of format 1
	first bool // of which none was read yet
}

// jsonChange is one change of either format.
type jsonChange struct {
	kind          string
	schema, table string
	row, old      []value
	hasOld        bool
	transactional bool
	prefix        []byte
	content       []byte
	xid           uint32
	lsn           stream.LSN
	time          []byte
}

// wal2json reads what comes next: the begin or end of a transaction, or a change.
func (c *Reader) wal2json() error {
	s := c.src
	if c.json.list {
		return c.nextChange()
	}
	if !s.message() {
		if s.err != nil {
			return s.fail("")
		}
		return io.EOF
	}
	if d, _ := s.peek(); d == ',' || d == ']' {
		// The capture begins in the middle of a transaction in chunks.
		if c.number > 0 || c.open {
			return s.fail("expected an object of wal2json, found %q", d)
		}
		c.warn("line %d: the capture begins within a transaction: its changes before that are missing", s.line)
		if err := c.begin(0, 0); err != nil {
			return err
		}
		s.follows(',')
		c.json = jsonState{list: true, first: true}
		return nil
	}
	if err := s.expect('{'); err != nil {
		return err
	}
	var x jsonChange
	for first := true; ; first = false {
		name, ok, err := s.key(first)
		if err != nil {
			return err
		}
		switch {
		case !ok && x.kind == "":
			return s.fail("found an object without change or action, which wal2json does not print")
		case !ok:
			return c.message2(&x)
		case name == "change":
			if x.kind != "" {
				return s.fail("found a list of changes in an object of format 2")
			}
			if c.open {
				return s.fail("found a transaction of format 1 within one of format 2")
			}
			if err := c.beginJSON(&x); err != nil {
				return err
			}
			if err := s.expect('['); err != nil {
				return err
			}
			c.json = jsonState{list: true, first: true}
			return nil
		}
		if err := c.field(&x, name, true); err != nil {
			return err
		}
	}
}

// beginJSON begins a transaction.
func (c *Reader) beginJSON(x *jsonChange) error {
	if x.time != nil {
		if err := c.setTime(x.time); err != nil {
			return err
		}
	}
	return c.begin(x.xid, x.lsn)
}

// nextChange reads the next change of a transaction of format 1, or its end.
func (c *Reader) nextChange() error {
	s := c.src
	if s.follows(']') {
		for {
			name, ok, err := s.key(false)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			var x jsonChange
			if err := c.field(&x, name, true); err != nil {
				return err
			}
		}
		c.json.list = false
		c.commit()
		return nil
	}
	s.space()
	if _, ok := s.peek(); !ok && s.err == nil {
		return io.EOF // the transaction stays open
	}
	if !c.json.first {
		if err := s.expect(','); err != nil {
			return err
		}
	}
	c.json.first = false
	var x jsonChange
	err := s.object(func(name string) error { return c.field(&x, name, false) })
	if err != nil {
		return err
	}
	switch x.kind {
	case "insert":
		return c.rowChange(stream.KindInsert, &x, false)
	case "update":
		return c.rowChange(stream.KindUpdate, &x, false)
	case "delete":
		return c.rowChange(stream.KindDelete, &x, false)
	case "message":
		return c.message(x.transactional, x.prefix, x.content)
	}
	return s.fail("expected the kind insert, update, delete or message, found %.40q", x.kind)
}

// message2 is a message of format 2.
func (c *Reader) message2(x *jsonChange) error {
	switch x.kind {
	case "B":
		return c.beginJSON(x)
	case "C":
		if x.time != nil {
			if err := c.setTime(x.time); err != nil {
				return err
			}
		}
		c.commit()
		return nil
	case "I":
		return c.rowChange(stream.KindInsert, x, true)
	case "U":
		return c.rowChange(stream.KindUpdate, x, true)
	case "D":
		return c.rowChange(stream.KindDelete, x, true)
	case "T":
		if err := c.named(x); err != nil {
			return err
		}
		return c.truncate([]*table{c.tables.find(x.schema, x.table)}, 0)
	case "M":
		return c.message(x.transactional, x.prefix, x.content)
	}
	return c.src.fail("expected the action B, C, I, U, D, T or M, found %.40q", x.kind)
}

// named checks that a change says of which table it is.
func (c *Reader) named(x *jsonChange) error {
	if x.schema == "" {
		c.warn("tables stand without their schemas (include-schemas is off): taken to be in schema public")
		x.schema = "public"
	}
	return c.checkName("table", x.table)
}

// rowChange hands out a row change. nulls says that old rows have their NULLs.
func (c *Reader) rowChange(kind stream.Kind, x *jsonChange, nulls bool) error {
	if err := c.named(x); err != nil {
		return err
	}
	if kind == stream.KindInsert && len(x.row) == 0 {
		return c.src.fail("table %s: found an insert without columns", quoted(x.schema, x.table))
	}
	return c.change(kind, x.schema, x.table, x.row, x.old, nulls, true)
}

// field reads one field of an object; top says that it is that of a transaction or of a
// message of format 2.
func (c *Reader) field(x *jsonChange, name string, top bool) error {
	s := c.src
	switch name {
	case "columns":
		return c.columnObjects(&x.row)
	case "identity":
		return c.columnObjects(&x.old)
	case "columnnames", "columntypes", "columnvalues":
		return c.columnList(&x.row, name[len("column"):])
	case "oldkeys":
		return s.object(func(name string) error {
			switch name {
			case "keynames", "keytypes", "keyvalues":
				return c.columnList(&x.old, name[len("key"):])
			}
			return s.skip(1)
		})
	case "kind", "action":
		if (name == "action") != top {
			return s.skip(1)
		}
		return c.string(name, func(b []byte) error { x.kind = string(b); return nil })
	case "schema":
		return c.string(name, func(b []byte) error { x.schema = string(b); return c.checkName("schema", x.schema) })
	case "table":
		return c.string(name, func(b []byte) error { x.table = string(b); return c.checkName("table", x.table) })
	case "prefix":
		return c.string(name, func(b []byte) error { x.prefix = b; return nil })
	case "content":
		return c.string(name, func(b []byte) error { x.content = b; return nil })
	case "timestamp":
		return c.string(name, func(b []byte) error { x.time = b; return nil })
	case "lsn", "nextlsn":
		return c.string(name, func(b []byte) error {
			lsn, ok := parseLSN(b)
			if !ok {
				return s.fail("expected an LSN such as 0/196FD20, found %.40q", b)
			}
			if name == "lsn" || x.lsn == 0 {
				x.lsn = lsn
			}
			return nil
		})
	case "xid":
		kind, b, err := s.scalar()
		if err != nil {
			return err
		}
		if kind == jsonNull {
			return nil // of a message outside of transactions
		}
		n, err := strconv.ParseUint(string(b), 10, 32)
		if kind != jsonNumber || err != nil || n == 0 {
			return s.fail("expected a transaction id, found %.40q", b)
		}
		x.xid = uint32(n)
		return nil
	case "transactional":
		kind, _, err := s.scalar()
		if err == nil && kind != jsonTrue && kind != jsonFalse {
			return s.fail("expected true or false for %s", name)
		}
		x.transactional = kind == jsonTrue
		return err
	}
	return s.skip(1)
}

// string reads a value that must be a string, or null where there is none.
func (c *Reader) string(name string, set func([]byte) error) error {
	kind, b, err := c.src.scalar()
	if err != nil {
		return err
	}
	switch kind {
	case jsonText:
		return set(b)
	case jsonNull:
		return nil
	}
	return c.src.fail("expected a string for %s", name)
}

// columnList reads one of the lists of names, types and values of format 1.
func (c *Reader) columnList(row *[]value, list string) error {
	s := c.src
	n := 0
	err := s.elements(func(i int) error {
		if i >= maxColumns {
			return s.fail("expected at most %d columns", maxColumns)
		}
		n++
		if i == len(*row) {
			if list != "names" {
				return s.fail("found more than %s in the list of %s, as many as there are names", describe(i, "column"), list)
			}
			*row = append(*row, value{})
		}
		v := &(*row)[i]
		if list == "values" {
			return c.jsonValue(v)
		}
		return c.string(list, func(b []byte) error {
			if list == "names" {
				v.name = string(b)
				return c.checkName("column", v.name)
			}
			v.typ = string(b)
			return c.checkName("type", v.typ)
		})
	})
	if err != nil {
		return err
	}
	if n != len(*row) {
		return s.fail("found %s in the list of %s, expected %d, as the list before has", describe(n, "column"), list, len(*row))
	}
	if list == "values" {
		return c.complete(*row)
	}
	return nil
}

// complete checks that columns have names, and takes values for what their types are.
func (c *Reader) complete(row []value) error {
	for i := range row {
		v := &row[i]
		if v.name == "" {
			return c.src.fail("found a value without the name of its column")
		}
		if v.typ == "" {
			c.warn("columns stand without their types (include-types is off): taken to be text")
			v.typ = "text"
		}
		if !v.null && c.tables.typeByName(v.typ).base == "bytea" {
			v.text = append([]byte(`\x`), v.text...)
		}
	}
	return nil
}

// jsonValue reads a column's value.
func (c *Reader) jsonValue(v *value) error {
	kind, b, err := c.src.scalar()
	if err != nil {
		return err
	}
	switch kind {
	case jsonNull:
		v.null = true
	case jsonTrue:
		v.text = []byte("t")
	case jsonFalse:
		v.text = []byte("f")
	case jsonNumber, jsonText:
		v.text = b
	default:
		return c.src.fail("column %q: expected a number, a string, true, false or null", v.name)
	}
	return nil
}

// columnObjects reads the columns of format 2.
func (c *Reader) columnObjects(row *[]value) error {
	s := c.src
	err := s.elements(func(i int) error {
		if i >= maxColumns {
			return s.fail("expected at most %d columns", maxColumns)
		}
		var v value
		valued := false
		err := s.object(func(name string) error {
			switch name {
			case "name":
				return c.string(name, func(b []byte) error { v.name = string(b); return c.checkName("column", v.name) })
			case "type":
				return c.string(name, func(b []byte) error { v.typ = string(b); return c.checkName("type", v.typ) })
			case "value":
				valued = true
				return c.jsonValue(&v)
			}
			return s.skip(1)
		})
		if err != nil {
			return err
		}
		if !valued {
			return s.fail("column %q: expected a value", v.name)
		}
		*row = append(*row, v)
		return nil
	})
	if err != nil {
		return err
	}
	return c.complete(*row)
}
