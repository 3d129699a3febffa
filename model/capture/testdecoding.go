package capture

// The text of test_decoding: contrib/test_decoding/test_decoding.c.

import (
	"bytes"
	"io"
	"strconv"

	"applysim/model/stream"
)

// startsTestDecoding says whether a line may be test_decoding's.
func startsTestDecoding(line []byte) bool {
	for _, word := range []string{"BEGIN", "COMMIT", "table ", "message: transactional: ", "opening a streamed block", "PREPARE TRANSACTION "} {
		if rest, ok := bytes.CutPrefix(line, []byte(word)); ok {
			// A message of pgoutput may begin with the same letters, but not go on so.
			return word[len(word)-1] == ' ' || len(rest) == 0 || rest[0] == ' '
		}
	}
	return false
}

// testDecoding reads one message.
func (c *Reader) testDecoding() error {
	s := c.src
	if !s.message() {
		if s.err != nil {
			return s.fail("")
		}
		return io.EOF
	}
	switch {
	case s.takes("BEGIN"):
		xid, err := c.optionalXID()
		if err != nil {
			return err
		}
		if err := c.begin(xid, 0); err != nil {
			return err
		}
		return c.endOfLine()
	case s.takes("COMMIT PREPARED"), s.takes("PREPARE TRANSACTION"), s.takes("ROLLBACK PREPARED"):
		return s.fail("not supported: two-phase commit in the text of test_decoding")
	case s.takes("COMMIT"):
		if _, err := c.optionalXID(); err != nil {
			return err
		}
		if s.takes(" (at ") {
			text, err := c.until(')')
			if err != nil {
				return err
			}
			if err := c.setTime(text); err != nil {
				return err
			}
		}
		c.commit()
		return c.endOfLine()
	case s.takes("table "):
		return c.tableLine()
	case s.takes("message: transactional: "):
		return c.messageLine()
	case s.takes("opening a streamed block"), s.takes("streaming "), s.takes("closing a streamed block"):
		return s.fail("not supported: a streamed transaction, of which test_decoding prints no rows: expected stream-changes to be off")
	}
	found, _ := s.r.Peek(20)
	return s.fail("expected a message of test_decoding: BEGIN, COMMIT, table or message, found %q", found)
}

// optionalXID reads " 761", or nothing.
func (c *Reader) optionalXID() (uint32, error) {
	if b, _ := c.src.r.Peek(2); len(b) < 2 || b[0] != ' ' || b[1] < '0' || b[1] > '9' {
		return 0, nil
	}
	c.src.next()
	text := c.digits()
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, c.src.fail("expected a transaction id, found %q", text)
	}
	return uint32(n), nil
}

// digits takes the digits that come next, not too many.
func (c *Reader) digits() string {
	var b []byte
	for len(b) < 20 {
		d, ok := c.src.peek()
		if !ok || d < '0' || d > '9' {
			break
		}
		c.src.next()
		b = append(b, d)
	}
	return string(b)
}

// until takes a text up to a byte on the same line, which it takes, too.
func (c *Reader) until(end byte) ([]byte, error) {
	var b []byte
	for {
		d, ok := c.src.next()
		switch {
		case ok && d == end:
			return b, nil
		case !ok || d == '\n' || len(b) > maxName:
			return nil, c.src.fail("expected %q", end)
		}
		b = append(b, d)
	}
}

// endOfLine takes spaces and the end of a line.
func (c *Reader) endOfLine() error {
	for {
		d, ok := c.src.peek()
		if !ok {
			if c.src.err != nil {
				return c.src.fail("")
			}
			return nil
		}
		if d != ' ' && d != '\r' && d != '\n' {
			found, _ := c.src.r.Peek(20)
			return c.src.fail("expected the end of the line, found %q", found)
		}
		c.src.next()
		if d == '\n' {
			return nil
		}
	}
}

// identifier reads a name, in quotes or not, up to one of the bytes that may follow it.
func (c *Reader) identifier(what, ends string) (string, error) {
	s := c.src
	var b []byte
	if s.takes(`"`) {
		for {
			d, ok := s.next()
			if !ok || len(b) > maxName {
				return "", s.fail("expected the closing quote of a name")
			}
			if d == '"' && !s.takes(`"`) {
				break
			}
			b = append(b, d)
		}
	} else {
		for {
			d, ok := s.peek()
			if !ok || d == '\n' || len(b) > maxName {
				return "", s.fail("expected the name of a %s and one of %q after it", what, ends)
			}
			if bytes.IndexByte([]byte(ends), d) >= 0 {
				break
			}
			s.next()
			b = append(b, d)
		}
	}
	return string(b), c.checkName(what, string(b))
}

// tableName reads schema.table.
func (c *Reader) tableName() (schema, name string, err error) {
	if schema, err = c.identifier("schema", "."); err != nil {
		return
	}
	if !c.src.takes(".") {
		return "", "", c.src.fail("expected a dot after the schema %q", schema)
	}
	name, err = c.identifier("table", ":,")
	return
}

// tableLine reads a change's line after "table ".
func (c *Reader) tableLine() error {
	s := c.src
	schema, name, err := c.tableName()
	if err != nil {
		return err
	}
	list := []*table{c.tables.find(schema, name)}
	for s.takes(", ") {
		more, next, err := c.tableName()
		if err != nil {
			return err
		}
		list = append(list, c.tables.find(more, next))
	}
	if !s.takes(": ") {
		return s.fail("expected a colon after the table %s", quoted(schema, name))
	}
	word, err := c.until(':')
	if err != nil {
		return err
	}
	if string(word) == "TRUNCATE" {
		return c.truncateLine(list)
	}
	if len(list) > 1 {
		return s.fail("expected TRUNCATE of %s, found %q", describe(len(list), "table"), word)
	}
	c.newRow, c.oldRow = c.newRow[:0], c.oldRow[:0]
	switch string(word) {
	case "INSERT":
		if err := c.columns(&c.newRow); err != nil {
			return err
		}
		if len(c.newRow) == 0 {
			return c.without(list[0], "inserts")
		}
		return c.change(stream.KindInsert, schema, name, c.newRow, nil, false, false)
	case "DELETE":
		if err := c.columns(&c.oldRow); err != nil {
			return err
		}
		return c.change(stream.KindDelete, schema, name, nil, c.oldRow, false, false)
	case "UPDATE":
		if s.takes(" old-key:") {
			if err := c.columns(&c.oldRow); err != nil {
				return err
			}
			if !s.takes("new-tuple:") {
				return s.fail("expected new-tuple: after the old key")
			}
		}
		if err := c.columns(&c.newRow); err != nil {
			return err
		}
		if len(c.newRow) == 0 {
			return c.without(list[0], "updates")
		}
		return c.change(stream.KindUpdate, schema, name, c.newRow, c.oldRow, false, false)
	}
	return s.fail("expected INSERT, UPDATE, DELETE or TRUNCATE, found %.40q", word)
}

// without notes changes that have no row.
func (c *Reader) without(x *table, what string) error {
	c.warn("table %s: %s without a row are left out", x.name(), what)
	return nil
}

// columns reads the columns of a row up to the end of the line, which it takes, or to
// "new-tuple:", which it leaves.
func (c *Reader) columns(row *[]value) error {
	s := c.src
	for {
		if s.takes(" (no-tuple-data)") {
			return c.endOfLine()
		}
		if b, _ := s.r.Peek(2); len(b) < 2 || b[0] != ' ' || b[1] == ' ' || b[1] == '\n' || b[1] == '\r' {
			return c.endOfLine()
		}
		s.next()
		if b, _ := s.r.Peek(len("new-tuple:")); string(b) == "new-tuple:" {
			return nil
		}
		if len(*row) > maxColumns {
			return s.fail("expected at most %d columns", maxColumns)
		}
		v := value{}
		var err error
		if v.name, err = c.identifier("column", "["); err != nil {
			return err
		}
		if v.typ, err = c.typeName(); err != nil {
			return err
		}
		if !s.takes(":") {
			return s.fail("column %q: expected a colon after its type", v.name)
		}
		if err := c.literal(&v); err != nil {
			return err
		}
		*row = append(*row, v)
	}
}

// typeName reads [type], whose name may have brackets and quotes of its own.
func (c *Reader) typeName() (string, error) {
	s := c.src
	if !s.takes("[") {
		return "", s.fail("expected a type in brackets after the column's name")
	}
	var b []byte
	quote, depth := false, 0
	for {
		d, ok := s.next()
		if !ok || d == '\n' || len(b) > maxName {
			return "", s.fail("expected the closing bracket of a type")
		}
		switch {
		case d == '"':
			quote = !quote
		case quote:
		case d == '[':
			depth++
		case d == ']':
			if depth == 0 {
				return string(b), c.checkName("type", string(b))
			}
			depth--
		}
		b = append(b, d)
	}
}

// literal reads a value: print_literal in test_decoding.c.
func (c *Reader) literal(v *value) error {
	s := c.src
	bits := s.takes("B'")
	if !bits && !s.takes("'") {
		for {
			d, ok := s.peek()
			if !ok || d == ' ' || d == '\n' || d == '\r' {
				break
			}
			s.next()
			v.text = append(v.text, d)
		}
		switch text := string(v.text); {
		case text == "null":
			v.null = true
		case text == "unchanged-toast-datum":
			v.unchanged = true
		case text == "":
			return s.fail("column %q: expected a value", v.name)
		case v.typ == "boolean" && (text == "true" || text == "false"):
			v.text = v.text[:1]
		}
		return nil
	}
	for {
		d, ok := s.next()
		switch {
		case !ok:
			return s.fail("column %q: expected the closing quote of its value", v.name)
		case d == '\'' && !s.takes("'"):
			if v.text == nil {
				v.text = []byte{}
			}
			return nil
		case d == '\n':
			v.text = s.brokenLine(v.text)
			continue
		}
		v.text = append(v.text, d)
	}
}

// truncateLine reads the flags of a TRUNCATE.
func (c *Reader) truncateLine(list []*table) error {
	s := c.src
	flags := uint8(0)
	if !s.takes(" (no-flags)") {
		if s.takes(" restart_seqs") {
			flags |= stream.TruncateRestartIdentity
		}
		if s.takes(" cascade") {
			flags |= stream.TruncateCascade
		}
		if flags == 0 {
			return s.fail("expected (no-flags), restart_seqs or cascade after TRUNCATE")
		}
	}
	if err := c.endOfLine(); err != nil {
		return err
	}
	return c.truncate(list, flags)
}

// messageLine reads a message after "message: transactional: ".
func (c *Reader) messageLine() error {
	s := c.src
	transactional := s.takes("1")
	if !transactional && !s.takes("0") || !s.takes(" prefix: ") {
		return s.fail("expected 0 or 1 and the prefix of a message")
	}
	var prefix []byte
	for !s.takes(", sz: ") {
		d, ok := s.next()
		if !ok || d == '\n' || len(prefix) > maxName {
			return s.fail("expected the size of a message after its prefix")
		}
		prefix = append(prefix, d)
	}
	text := c.digits()
	size, err := strconv.Atoi(text)
	if err != nil || size > 1<<30 || !s.takes(" content:") {
		return s.fail("expected a message's size and content, found %q", text)
	}
	var content []byte
	for range size {
		d, ok := s.next()
		if !ok {
			return s.fail("found %s of a message, expected %d", describe(len(content), "byte"), size)
		}
		content = append(content, d)
	}
	if err := c.endOfLine(); err != nil {
		return err
	}
	if transactional && !c.open && c.number > 0 {
		// With skip-empty-xacts a message that is alone in its transaction stands without
		// its begin and commit.
		if err := c.begin(0, 0); err != nil {
			return err
		}
		defer c.commit()
	}
	return c.message(transactional, prefix, content)
}
