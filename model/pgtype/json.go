package pgtype

// After src/common/jsonapi.c: the lexer and the grammar, here as one
// recursive descent that either only checks (json) or collects nodes (jsonb).

import (
	"errors"
	"unicode/utf8"
)

var (
	errJSON        = errors.New("invalid input syntax for type json")
	errJSONUnicode = errors.New("unsupported Unicode escape sequence")
	errJSONDepth   = errors.New("stack depth limit exceeded")
)

// jsonMaxDepth stands for the server's stack limit, which decides how deep a
// document may nest (max_stack_depth = 2MB is good for some 6,000 levels).
const jsonMaxDepth = 6000

// jsonKind is what a node of a document is.
type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonFalse
	jsonTrue
	jsonNumber
	jsonString
	jsonArray
	jsonObject
)

// jsonNode is one value, or an object's key. Nodes lie in the order of the
// text: a container is followed by its children, and next is the index after
// the last of them.
type jsonNode struct {
	kind  jsonKind
	buf   bool // text is in the parser's buffer, not in the document
	count int32
	next  int32
	from  int32
	to    int32
}

// jsonParser reads one document. collect says whether nodes are wanted.
type jsonParser struct {
	src     []byte
	at      int
	collect bool
	nodes   []jsonNode
	buf     []byte // strings that had escapes
	pairs   []jsonPair
}

// checkJSON is json_in: the text is kept as it is, if it is a JSON document.
func checkJSON(b []byte) error {
	p := jsonParser{src: b}
	return p.document()
}

func (p *jsonParser) document() error {
	if err := p.value(0); err != nil {
		return err
	}
	p.space()
	if p.at != len(p.src) {
		return errJSON
	}
	return nil
}

func (p *jsonParser) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// peek skips blanks and gives the next byte, 0 at the end.
func (p *jsonParser) peek() byte {
	p.space()
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

func (p *jsonParser) add(n jsonNode) int {
	if !p.collect {
		return 0
	}
	n.next = int32(len(p.nodes) + 1)
	p.nodes = append(p.nodes, n)
	return len(p.nodes) - 1
}

func (p *jsonParser) close(i int, count int32) {
	if p.collect {
		p.nodes[i].count, p.nodes[i].next = count, int32(len(p.nodes))
	}
}

func (p *jsonParser) value(depth int) error {
	if depth > jsonMaxDepth {
		return errJSONDepth
	}
	switch c := p.peek(); {
	case c == '"':
		return p.string()
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case c == '-' || isDigit(c):
		return p.number()
	case c == 'n':
		return p.word("null", jsonNull)
	case c == 't':
		return p.word("true", jsonTrue)
	case c == 'f':
		return p.word("false", jsonFalse)
	}
	return errJSON
}

// word reads a literal. What follows must not be able to continue it.
func (p *jsonParser) word(w string, kind jsonKind) error {
	end := p.at + len(w)
	if end > len(p.src) || string(p.src[p.at:end]) != w || end < len(p.src) && wordByte(p.src[end]) {
		return errJSON
	}
	p.at = end
	p.add(jsonNode{kind: kind})
	return nil
}

func wordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c) || c == '_' || c >= 0x80
}

func (p *jsonParser) number() error {
	from := p.at
	digits := func() bool {
		start := p.at
		for p.at < len(p.src) && isDigit(p.src[p.at]) {
			p.at++
		}
		return p.at > start
	}
	if p.src[p.at] == '-' {
		p.at++
	}
	if p.at < len(p.src) && p.src[p.at] == '0' {
		p.at++
	} else if !digits() {
		return errJSON
	}
	if p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
		if !digits() {
			return errJSON
		}
	}
	if p.at < len(p.src) && p.src[p.at]|0x20 == 'e' {
		p.at++
		if p.at < len(p.src) && (p.src[p.at] == '+' || p.src[p.at] == '-') {
			p.at++
		}
		if !digits() {
			return errJSON
		}
	}
	if p.at < len(p.src) && wordByte(p.src[p.at]) {
		return errJSON
	}
	p.add(jsonNode{kind: jsonNumber, from: int32(from), to: int32(p.at)})
	return nil
}

func (p *jsonParser) array(depth int) error {
	p.at++
	node := p.add(jsonNode{kind: jsonArray})
	count := int32(0)
	if p.peek() != ']' {
		for {
			if err := p.value(depth + 1); err != nil {
				return err
			}
			count++
			if p.peek() != ',' {
				break
			}
			p.at++
		}
		if p.peek() != ']' {
			return errJSON
		}
	}
	p.at++
	p.close(node, count)
	return nil
}

func (p *jsonParser) object(depth int) error {
	p.at++
	node := p.add(jsonNode{kind: jsonObject})
	count := int32(0)
	if p.peek() != '}' {
		for {
			if p.peek() != '"' {
				return errJSON
			}
			if err := p.string(); err != nil {
				return err
			}
			if p.peek() != ':' {
				return errJSON
			}
			p.at++
			if err := p.value(depth + 1); err != nil {
				return err
			}
			count++
			if p.peek() != ',' {
				break
			}
			p.at++
		}
		if p.peek() != '}' {
			return errJSON
		}
	}
	p.at++
	p.close(node, count)
	return nil
}

func (p *jsonParser) string() error {
	p.at++
	from := p.at
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			p.add(jsonNode{kind: jsonString, from: int32(from), to: int32(p.at)})
			p.at++
			return nil
		case c == '\\':
			return p.escaped(from)
		case c < ' ':
			return errJSON
		}
		p.at++
	}
	return errJSON
}

// escaped goes on with a string from its first backslash.
func (p *jsonParser) escaped(from int) error {
	start := len(p.buf)
	if p.collect {
		p.buf = append(p.buf, p.src[from:p.at]...)
	}
	high := rune(0) // first half of a surrogate pair
	for p.at < len(p.src) {
		c := p.src[p.at]
		p.at++
		if high != 0 && (c != '\\' || p.at >= len(p.src) || p.src[p.at] != 'u') {
			return errJSON
		}
		switch {
		case c == '"':
			p.add(jsonNode{kind: jsonString, buf: true, from: int32(start), to: int32(len(p.buf))})
			return nil
		case c < ' ':
			return errJSON
		case c != '\\':
			if p.collect {
				p.buf = append(p.buf, c)
			}
			continue
		}
		if p.at >= len(p.src) {
			return errJSON
		}
		c = p.src[p.at]
		p.at++
		switch c {
		case '"', '\\', '/':
		case 'b':
			c = '\b'
		case 'f':
			c = '\f'
		case 'n':
			c = '\n'
		case 'r':
			c = '\r'
		case 't':
			c = '\t'
		case 'u':
			r, ok := p.hex4()
			if !ok {
				return errJSON
			}
			if !p.collect {
				continue // json checks no more than the digits
			}
			var err error
			if high, err = p.unicode(r, high); err != nil {
				return err
			}
			continue
		default:
			return errJSON
		}
		if p.collect {
			p.buf = append(p.buf, c)
		}
	}
	return errJSON
}

func (p *jsonParser) hex4() (r rune, ok bool) {
	if p.at+4 > len(p.src) {
		return 0, false
	}
	for range 4 {
		d, ok := hexValue(p.src[p.at])
		if !ok {
			return 0, false
		}
		r = r<<4 | rune(d)
		p.at++
	}
	return r, true
}

// unicode appends the character of one \u escape, or keeps it as the first
// half of a pair.
func (p *jsonParser) unicode(r, high rune) (rune, error) {
	switch {
	case r >= 0xD800 && r < 0xDC00:
		if high != 0 {
			return 0, errJSON
		}
		return r, nil
	case r >= 0xDC00 && r < 0xE000:
		if high == 0 {
			return 0, errJSON
		}
		r = 0x10000 + (high-0xD800)<<10 + (r - 0xDC00)
	case high != 0:
		return 0, errJSON
	case r == 0:
		return 0, errJSONUnicode
	}
	p.buf = utf8.AppendRune(p.buf, r)
	return 0, nil
}
