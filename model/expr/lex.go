package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // folded to lower case
	tokQuoted           // "..."
	tokNumber
	tokString
	tokBits // B'...' or X'...': text begins with b or x
	tokOp   // an operator's whole name
	tokPunct
)

type token struct {
	kind tokenKind
	text string
	pos  int
}

const (
	opChars = "~!@#^&|`?+-*/%<>="
	// A name that ends in + or - must hold one of these, or the sign belongs
	// to what follows.
	opSignChars = "~!@#^&|`?%"
)

// lexer cuts an expression into tokens after the rules of scan.l.
type lexer struct {
	src  string
	at   int
	toks []token
}

func syntaxError(format string, args ...any) error {
	return fmt.Errorf("syntax error: "+format, args...)
}

func isIdentStart(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' || c >= 0x80 }
func isDigit(c byte) bool      { return c-'0' < 10 }
func isIdentPart(c byte) bool  { return isIdentStart(c) || isDigit(c) || c == '$' }
func isSpace(c byte) bool      { return c == ' ' || c >= '\t' && c <= '\r' }

// foldASCII is how the server folds an unquoted identifier.
func foldASCII(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				b[j] = lowerByte(b[j])
			}
			return string(b)
		}
	}
	return s
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upperByte(c byte) byte {
	if c >= 'a' && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}

func lex(src string) ([]token, error) {
	if !utf8.ValidString(src) {
		return nil, syntaxError("invalid byte sequence for encoding \"UTF8\"")
	}
	l := lexer{src: src}
	for {
		if err := l.space(); err != nil {
			return nil, err
		}
		if l.at >= len(src) {
			l.toks = append(l.toks, token{tokEOF, "", l.at})
			return l.toks, nil
		}
		if err := l.next(); err != nil {
			return nil, err
		}
	}
}

func (l *lexer) peek(n int) byte {
	if l.at+n < len(l.src) {
		return l.src[l.at+n]
	}
	return 0
}

func (l *lexer) emit(kind tokenKind, text string, pos int) {
	l.toks = append(l.toks, token{kind, text, pos})
}

// space passes over white space and comments, which nest.
func (l *lexer) space() error {
	for l.at < len(l.src) {
		switch c := l.src[l.at]; {
		case isSpace(c):
			l.at++
		case c == '-' && l.peek(1) == '-':
			for l.at < len(l.src) && l.src[l.at] != '\n' {
				l.at++
			}
		case c == '/' && l.peek(1) == '*':
			depth := 0
			for {
				if l.at >= len(l.src) {
					return syntaxError("unterminated /* comment")
				}
				if l.src[l.at] == '/' && l.peek(1) == '*' {
					depth++
					l.at += 2
				} else if l.src[l.at] == '*' && l.peek(1) == '/' {
					depth--
					l.at += 2
					if depth == 0 {
						break
					}
				} else {
					l.at++
				}
			}
		default:
			return nil
		}
	}
	return nil
}

func (l *lexer) next() error {
	start := l.at
	c := l.src[l.at]
	switch {
	case c == '\'':
		return l.str(false)
	case (c|0x20 == 'e') && l.peek(1) == '\'':
		l.at++
		return l.str(true)
	case (c|0x20 == 'b' || c|0x20 == 'x') && l.peek(1) == '\'':
		l.at++
		if err := l.str(false); err != nil {
			return err
		}
		t := &l.toks[len(l.toks)-1]
		t.kind, t.text = tokBits, string(c|0x20)+t.text
		return nil
	case (c|0x20 == 'u') && l.peek(1) == '&' && (l.peek(2) == '\'' || l.peek(2) == '"'):
		return &UnsupportedError{What: "Unicode escape literal U&"}
	case isIdentStart(c):
		for l.at < len(l.src) && isIdentPart(l.src[l.at]) {
			l.at++
		}
		l.emit(tokIdent, clipName(foldASCII(l.src[start:l.at])), start)
		return nil
	case c == '"':
		var b strings.Builder
		for l.at++; ; l.at++ {
			if l.at >= len(l.src) {
				return syntaxError("unterminated quoted identifier")
			}
			if l.src[l.at] == '"' {
				if l.peek(1) != '"' {
					break
				}
				l.at++
			}
			b.WriteByte(l.src[l.at])
		}
		l.at++
		if b.Len() == 0 {
			return syntaxError("zero-length delimited identifier")
		}
		l.emit(tokQuoted, clipName(b.String()), start)
		return nil
	case isDigit(c), c == '.' && isDigit(l.peek(1)):
		return l.number()
	case c == '$':
		return l.dollar()
	case c == ':' && l.peek(1) == ':':
		l.at += 2
		l.emit(tokPunct, "::", start)
		return nil
	case c == '=' && l.peek(1) == '>':
		l.at += 2
		l.emit(tokPunct, "=>", start)
		return nil
	case strings.IndexByte("()[],.:;", c) >= 0:
		l.at++
		l.emit(tokPunct, l.src[start:l.at], start)
		return nil
	case strings.IndexByte(opChars, c) >= 0:
		l.operator()
		return nil
	}
	return syntaxError("unexpected character %q", c)
}

func (l *lexer) operator() {
	start := l.at
	end := start
	for end < len(l.src) && strings.IndexByte(opChars, l.src[end]) >= 0 {
		if rest := l.src[end:]; end > start && (strings.HasPrefix(rest, "--") || strings.HasPrefix(rest, "/*")) {
			break
		}
		end++
	}
	for end-start > 1 && (l.src[end-1] == '+' || l.src[end-1] == '-') &&
		!strings.ContainsAny(l.src[start:end-1], opSignChars) {
		end--
	}
	l.at = end
	text := l.src[start:end]
	if text == "!=" {
		text = "<>"
	}
	l.emit(tokOp, text, start)
}

func (l *lexer) number() error {
	start := l.at
	digits := func(ok func(byte) bool) {
		for l.at < len(l.src) && (ok(l.src[l.at]) || l.src[l.at] == '_' && l.at > start && ok(l.peek(1))) {
			l.at++
		}
	}
	if base := l.peek(1) | 0x20; l.src[l.at] == '0' && (base == 'x' || base == 'o' || base == 'b') {
		l.at += 2
		digits(func(c byte) bool {
			switch base {
			case 'x':
				return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f'
			case 'o':
				return c-'0' < 8
			}
			return c == '0' || c == '1'
		})
		if l.at == start+2 {
			return syntaxError("invalid integer")
		}
	} else {
		digits(isDigit)
		if l.peek(0) == '.' && l.peek(1) != '.' {
			l.at++
			if isDigit(l.peek(0)) {
				digits(isDigit)
			}
		}
		if l.peek(0)|0x20 == 'e' {
			n := 1
			if l.peek(1) == '+' || l.peek(1) == '-' {
				n = 2
			}
			if isDigit(l.peek(n)) {
				l.at += n
				digits(isDigit)
			}
		}
	}
	if l.at < len(l.src) && isIdentStart(l.src[l.at]) {
		return syntaxError("trailing junk after numeric literal at or near %q", l.src[start:l.at+1])
	}
	l.emit(tokNumber, strings.ReplaceAll(l.src[start:l.at], "_", ""), start)
	return nil
}

// str reads '...'; two literals with a line break between them are one.
func (l *lexer) str(escapes bool) error {
	start := l.at
	var b strings.Builder
	for {
		for l.at++; ; l.at++ {
			if l.at >= len(l.src) {
				return syntaxError("unterminated quoted string")
			}
			c := l.src[l.at]
			if c == '\'' {
				if l.peek(1) != '\'' {
					break
				}
				l.at++
			} else if c == '\\' && escapes {
				if err := l.escape(&b); err != nil {
					return err
				}
				continue
			}
			b.WriteByte(c)
		}
		l.at++
		end := l.at
		if err := l.space(); err != nil {
			return err
		}
		if l.peek(0) == '\'' && strings.ContainsAny(l.src[end:l.at], "\r\n") {
			continue
		}
		l.at = end
		break
	}
	s := b.String()
	if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
		return fmt.Errorf("invalid byte sequence for encoding \"UTF8\"")
	}
	l.emit(tokString, s, start)
	return nil
}

// escape reads what follows a backslash within E'...'.
func (l *lexer) escape(b *strings.Builder) error {
	l.at++
	c := l.peek(0)
	hex := func(least, most int) (rune, bool) {
		var n rune
		i := 0
		for i < most {
			d, ok := hexDigit(l.peek(1 + i))
			if !ok {
				break
			}
			n = n<<4 | rune(d)
			i++
		}
		if i < least {
			return 0, false
		}
		l.at += i
		return n, true
	}
	switch {
	case c == 0:
		return syntaxError("unterminated quoted string")
	case c == 'n':
		b.WriteByte('\n')
	case c == 't':
		b.WriteByte('\t')
	case c == 'r':
		b.WriteByte('\r')
	case c == 'b':
		b.WriteByte('\b')
	case c == 'f':
		b.WriteByte('\f')
	case c == 'v':
		b.WriteByte('\v')
	case c-'0' < 8:
		n := int(c - '0')
		for i := 0; i < 2 && l.peek(1)-'0' < 8; i++ {
			l.at++
			n = n<<3 | int(l.peek(0)-'0')
		}
		b.WriteByte(byte(n))
	case c == 'x':
		n, ok := hex(1, 2)
		if !ok {
			b.WriteByte('x')
			return nil
		}
		b.WriteByte(byte(n))
	case c == 'u', c == 'U':
		n := 4
		if c == 'U' {
			n = 8
		}
		r, ok := hex(n, n)
		if !ok || r <= 0 || r > utf8.MaxRune || r >= 0xD800 && r < 0xE000 {
			return syntaxError("invalid Unicode escape")
		}
		b.WriteRune(r)
	default:
		b.WriteByte(c)
	}
	return nil
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case isDigit(c):
		return c - '0', true
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10, true
	}
	return 0, false
}

// dollar reads $tag$...$tag$.
func (l *lexer) dollar() error {
	start := l.at
	end := start + 1
	for end < len(l.src) && l.src[end] != '$' && isIdentPart(l.src[end]) {
		end++
	}
	if end >= len(l.src) || l.src[end] != '$' {
		return syntaxError("unexpected character %q", '$')
	}
	tag := l.src[start : end+1]
	n := strings.Index(l.src[end+1:], tag)
	if n < 0 {
		return syntaxError("unterminated dollar-quoted string")
	}
	l.emit(tokString, l.src[end+1:end+1+n], start)
	l.at = end + 1 + n + len(tag)
	return nil
}

// clipName cuts an identifier to NAMEDATALEN-1 bytes.
func clipName(s string) string {
	const longest = 63
	if len(s) <= longest {
		return s
	}
	n := longest
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
