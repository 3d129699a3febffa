package capture

// JSON token by token, as RFC 8259 has it. Numbers keep their text: 1.50 is not 1.5.

import (
	"unicode/utf16"
	"unicode/utf8"
)

// jsonKind is what a JSON value is.
type jsonKind byte

const (
	jsonNull   jsonKind = '0'
	jsonTrue   jsonKind = 't'
	jsonFalse  jsonKind = 'f'
	jsonNumber jsonKind = 'n'
	jsonText   jsonKind = 's'
	jsonArray  jsonKind = '['
	jsonObject jsonKind = '{'
)

// jsonDepth is how deep values may be nested: far deeper than wal2json nests them.
const jsonDepth = 16

// space takes white space, and what psql puts at the ends and starts of lines.
func (s *source) space() {
	for {
		s.unframe()
		c, ok := s.peek()
		if !ok {
			return
		}
		if c == goesOn && s.frame == frameAligned {
			if b, _ := s.r.Peek(2); len(b) == 2 && (b[1] == '\n' || b[1] == '\r') {
				s.next()
				continue
			}
		}
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return
		}
		s.next()
	}
}

// expect takes a byte after white space.
func (s *source) expect(c byte) error {
	s.space()
	d, ok := s.peek()
	if !ok {
		return s.fail("expected %q, found the end of the text", c)
	}
	if d != c {
		return s.fail("expected %q, found %q", c, d)
	}
	s.next()
	return nil
}

// follows takes a byte after white space if it is there.
func (s *source) follows(c byte) bool {
	s.space()
	if d, ok := s.peek(); !ok || d != c {
		return false
	}
	s.next()
	return true
}

// scalar reads a value that is no array or object; of these it gives the kind and takes
// nothing.
func (s *source) scalar() (jsonKind, []byte, error) {
	s.space()
	c, ok := s.peek()
	switch {
	case !ok:
		return 0, nil, s.fail("expected a value, found the end of the text")
	case c == '[' || c == '{':
		return jsonKind(c), nil, nil
	case c == '"':
		b, err := s.text()
		return jsonText, b, err
	case s.takes("null"):
		return jsonNull, nil, nil
	case s.takes("true"):
		return jsonTrue, nil, nil
	case s.takes("false"):
		return jsonFalse, nil, nil
	case c == '-' || c >= '0' && c <= '9':
		b, err := s.number()
		return jsonNumber, b, err
	}
	return 0, nil, s.fail("expected a value, found %q", c)
}

// number reads a number.
func (s *source) number() ([]byte, error) {
	var b []byte
	digits := func() bool {
		n := 0
		for {
			c, ok := s.peek()
			if !ok || c < '0' || c > '9' {
				return n > 0
			}
			s.next()
			b = append(b, c)
			n++
		}
	}
	one := func(set string) bool {
		c, ok := s.peek()
		for i := range set {
			if ok && c == set[i] {
				s.next()
				b = append(b, c)
				return true
			}
		}
		return false
	}
	one("-")
	if !digits() || one(".") && !digits() {
		return nil, s.fail("expected a number, found %.40q", b)
	}
	if one("eE") {
		one("+-")
		if !digits() {
			return nil, s.fail("expected a number, found %.40q", b)
		}
	}
	return b, nil
}

// text reads a string.
func (s *source) text() ([]byte, error) {
	if err := s.expect('"'); err != nil {
		return nil, err
	}
	b := []byte{}
	for {
		c, ok := s.next()
		switch {
		case !ok:
			return nil, s.fail("expected the closing quote of a string")
		case c == '"':
			return b, nil
		case c < ' ':
			return nil, s.fail("found %q in a string, expected it to be escaped", c)
		case c != '\\':
			b = append(b, c)
			continue
		}
		c, _ = s.next()
		switch c {
		case '"', '\\', '/':
			b = append(b, c)
		case 'b':
			b = append(b, '\b')
		case 'f':
			b = append(b, '\f')
		case 'n':
			b = append(b, '\n')
		case 'r':
			b = append(b, '\r')
		case 't':
			b = append(b, '\t')
		case 'x':
			// psql's aligned output has some control characters so.
			h, _ := s.r.Peek(2)
			if s.frame != frameAligned || len(h) < 2 || !isHex(h[0]) || !isHex(h[1]) {
				return nil, s.fail("found an unknown escape %q in a string", c)
			}
			s.drop(2)
			b = append(b, hexValue(h[0])<<4|hexValue(h[1]))
		case 'u':
			r, err := s.escape()
			if err != nil {
				return nil, err
			}
			if utf16.IsSurrogate(r) {
				if !s.takes(`\u`) {
					return nil, s.fail("found half of a surrogate pair in a string")
				}
				low, err := s.escape()
				if err != nil {
					return nil, err
				}
				if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
					return nil, s.fail("found half of a surrogate pair in a string")
				}
			}
			if r == 0 {
				return nil, s.fail("found a zero character in a string, which no text in PostgreSQL has")
			}
			b = utf8.AppendRune(b, r)
		default:
			return nil, s.fail("found an unknown escape %q in a string", c)
		}
	}
}

// escape reads the four digits of \uXXXX.
func (s *source) escape() (rune, error) {
	r := rune(0)
	for range 4 {
		c, ok := s.next()
		if !ok || !isHex(c) {
			return 0, s.fail("expected four hexadecimal digits after \\u")
		}
		r = r<<4 | rune(hexValue(c))
	}
	return r, nil
}

// hexValue is the value of a hexadecimal digit.
func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// key reads the next name of an object and its colon; false at the end of the object.
// first says that it may be empty.
func (s *source) key(first bool) (string, bool, error) {
	if s.follows('}') {
		return "", false, nil
	}
	if !first {
		if err := s.expect(','); err != nil {
			return "", false, err
		}
	}
	name, err := s.text()
	if err != nil {
		return "", false, err
	}
	return string(name), true, s.expect(':')
}

// elements calls each for every element of an array.
func (s *source) elements(each func(i int) error) error {
	if err := s.expect('['); err != nil {
		return err
	}
	for i := 0; ; i++ {
		if s.follows(']') {
			return nil
		}
		if i > 0 {
			if err := s.expect(','); err != nil {
				return err
			}
		}
		if err := each(i); err != nil {
			return err
		}
	}
}

// skip takes a value of any kind.
func (s *source) skip(depth int) error {
	if depth > jsonDepth {
		return s.fail("expected values nested at most %d deep", jsonDepth)
	}
	kind, _, err := s.scalar()
	switch {
	case err != nil:
		return err
	case kind == jsonArray:
		return s.elements(func(int) error { return s.skip(depth + 1) })
	case kind == jsonObject:
		return s.object(func(string) error { return s.skip(depth + 1) })
	}
	return nil
}

// object calls each for every name of an object, whose value it must take.
func (s *source) object(each func(name string) error) error {
	if err := s.expect('{'); err != nil {
		return err
	}
	for first := true; ; first = false {
		name, ok, err := s.key(first)
		if !ok || err != nil {
			return err
		}
		if err := each(name); err != nil {
			return err
		}
	}
}
