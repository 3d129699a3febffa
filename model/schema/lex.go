package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind says what a token is; keywords are tokIdent, because whether a
// word is a keyword depends on where it stands.
type tokenKind uint8

const (
	tokEOF     tokenKind = iota
	tokIdent             // unquoted; text is folded to lower case
	tokQuoted            // "quoted" or U&"..."; text is what is between the quotes
	tokString            // any string constant; text is its value
	tokNumber            // 1, 1.5e3, 0x1F
	tokParam             // $1
	tokOp                // operators of one or more characters
	tokPunct             // ( ) [ ] , ; . : and ::
	tokUnicode           // U& string or identifier whose escapes are not decoded yet
	tokMeta              // a psql backslash command up to the end of its line
)

// token is one lexical element; start and end are offsets into the
// statement's text.
type token struct {
	kind       tokenKind
	start, end int32
	text       string
}

// maxIdent is NAMEDATALEN - 1 (REL_18_1, src/include/pg_config_manual.h):
// the server cuts longer identifiers.
const maxIdent = 63

// Character classes of the bytes that start tokens.
const (
	charSpace = 1 << iota
	charIdent // starts an identifier
	charMore  // continues an identifier
	charDigit
	charOp
	charPunct
)

var charClass = func() (c [256]uint8) {
	for _, b := range " \t\n\r\f\v" {
		c[b] |= charSpace
	}
	for b := 'a'; b <= 'z'; b++ {
		c[b] |= charIdent | charMore
		c[b-'a'+'A'] |= charIdent | charMore
	}
	for b := 0x80; b < 0x100; b++ {
		c[b] |= charIdent | charMore
	}
	c['_'] |= charIdent | charMore
	c['$'] |= charMore
	for b := '0'; b <= '9'; b++ {
		c[b] |= charDigit | charMore
	}
	for _, b := range "+-*/<>=~!@#%^&|`?" {
		c[b] |= charOp
	}
	for _, b := range "()[],;.:" {
		c[b] |= charPunct
	}
	return c
}()

// lexOne reads the token that starts at or after pos in s. It returns the
// token without its text; next is where the following one may start. Space
// and comments before the token are passed over. With ok false the token (or
// comment) runs over the end of s; if s is all there is, it is unterminated.
func lexOne(s []byte, pos int) (t token, next int, ok bool) {
	n := len(s)
	for {
		for pos < n && charClass[s[pos]]&charSpace != 0 {
			pos++
		}
		if pos+1 < n && s[pos] == '-' && s[pos+1] == '-' {
			for pos < n && s[pos] != '\n' {
				pos++
			}
			continue
		}
		if pos+1 < n && s[pos] == '/' && s[pos+1] == '*' {
			start := pos
			if pos = skipComment(s, pos); pos < 0 {
				return token{start: int32(start), end: int32(n)}, n, false
			}
			continue
		}
		break
	}
	if pos >= n {
		return token{kind: tokEOF, start: int32(n), end: int32(n)}, n, true
	}
	start := pos
	kind := tokOp
	ok = true
	c := s[pos]
	switch class := charClass[c]; {
	case class&charIdent != 0:
		if pos+1 < n && (c == 'e' || c == 'E' || c == 'b' || c == 'B' || c == 'x' || c == 'X' || c == 'n' || c == 'N') && s[pos+1] == '\'' {
			kind = tokString
			pos, ok = skipQuoted(s, pos+1, '\'', c|0x20 == 'e')
			break
		}
		if pos+2 < n && (c == 'u' || c == 'U') && s[pos+1] == '&' && (s[pos+2] == '\'' || s[pos+2] == '"') {
			kind = tokUnicode
			pos, ok = skipQuoted(s, pos+2, s[pos+2], false)
			break
		}
		kind = tokIdent
		for pos++; pos < n && charClass[s[pos]]&charMore != 0; pos++ {
		}
	case class&charPunct != 0:
		kind = tokPunct
		pos++
		if c == ':' && pos < n && (s[pos] == ':' || s[pos] == '=') {
			pos++
		} else if c == '.' && pos < n && charClass[s[pos]]&charDigit != 0 {
			kind = tokNumber
			pos = skipNumber(s, pos)
		} else if c == '.' && pos < n && s[pos] == '.' {
			pos++
		}
	case c == '\'':
		kind = tokString
		pos, ok = skipQuoted(s, pos, '\'', false)
	case c == '"':
		kind = tokQuoted
		pos, ok = skipQuoted(s, pos, '"', false)
	case class&charDigit != 0:
		kind = tokNumber
		pos = skipNumber(s, pos)
	case c == '$':
		kind, pos, ok = lexDollar(s, pos)
	case class&charOp != 0:
		pos = skipOperator(s, pos)
	case c == '\\':
		kind = tokMeta
		for pos < n && s[pos] != '\n' {
			pos++
		}
	default:
		pos++ // a stray control character: the grammar will complain
	}
	return token{kind: kind, start: int32(start), end: int32(pos)}, pos, ok
}

// skipComment returns the position after the (nested) comment at pos, or -1.
func skipComment(s []byte, pos int) int {
	depth := 0
	for pos+1 < len(s) {
		switch {
		case s[pos] == '/' && s[pos+1] == '*':
			depth++
			pos += 2
		case s[pos] == '*' && s[pos+1] == '/':
			depth--
			pos += 2
			if depth == 0 {
				return pos
			}
		default:
			pos++
		}
	}
	return -1
}

// skipQuoted returns the position after the quoted text whose opening quote
// is at pos. A doubled quote stands for itself; with escapes also \'.
func skipQuoted(s []byte, pos int, quote byte, escapes bool) (int, bool) {
	for pos++; pos < len(s); pos++ {
		switch {
		case s[pos] == quote:
			if pos+1 < len(s) && s[pos+1] == quote {
				pos++
				continue
			}
			return pos + 1, true
		case escapes && s[pos] == '\\':
			pos++
		}
	}
	return len(s), false
}

// lexDollar reads $1 or a dollar-quoted string.
func lexDollar(s []byte, pos int) (tokenKind, int, bool) {
	n := len(s)
	end := pos + 1
	if end < n && charClass[s[end]]&charDigit != 0 {
		for end < n && charClass[s[end]]&charDigit != 0 {
			end++
		}
		return tokParam, end, true
	}
	for end < n && s[end] != '$' && charClass[s[end]]&charMore != 0 {
		end++
	}
	if end >= n || s[end] != '$' {
		return tokOp, pos + 1, true
	}
	tag := s[pos : end+1]
	for i := end + 1; i+len(tag) <= n; i++ {
		if s[i] == '$' && string(s[i:i+len(tag)]) == string(tag) {
			return tokString, i + len(tag), true
		}
	}
	return tokString, n, false
}

func skipNumber(s []byte, pos int) int {
	n := len(s)
	for pos < n {
		c := s[pos]
		switch {
		case charClass[c]&(charMore) != 0 && c != '$' && c < 0x80:
			pos++
			if (c == 'e' || c == 'E') && pos < n && (s[pos] == '+' || s[pos] == '-') {
				pos++
			}
		case c == '.' && (pos+1 >= n || s[pos+1] != '.'):
			pos++
		default:
			return pos
		}
	}
	return pos
}

// skipOperator follows the rule that an operator ends before a comment, and
// that one of several characters may end in + or - only if it has one of the
// characters that no SQL operator has.
func skipOperator(s []byte, pos int) int {
	start, special := pos, false
	for pos < len(s) && charClass[s[pos]]&charOp != 0 {
		if pos > start && pos+1 < len(s) && (s[pos] == '-' && s[pos+1] == '-' || s[pos] == '/' && s[pos+1] == '*') {
			break
		}
		switch s[pos] {
		case '~', '!', '@', '#', '%', '^', '&', '|', '`', '?':
			special = true
		}
		pos++
	}
	for !special && pos-start > 1 && (s[pos-1] == '+' || s[pos-1] == '-') {
		pos--
	}
	return pos
}

// foldIdent is the server's case folding (ASCII letters only, as in every
// multibyte encoding) and truncation of an unquoted identifier.
func foldIdent(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			if len(s) <= 24 {
				var buf [24]byte
				n := copy(buf[:], s)
				for j := i; j < n; j++ {
					if c := buf[j]; c >= 'A' && c <= 'Z' {
						buf[j] = c | 0x20
					}
				}
				if k, ok := keywords[string(buf[:n])]; ok {
					return k
				}
				return string(buf[:n])
			}
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if c := b[j]; c >= 'A' && c <= 'Z' {
					b[j] = c | 0x20
				}
			}
			return clip(string(b), maxIdent)
		}
	}
	return clip(s, maxIdent)
}

// clip cuts s to at most n bytes without splitting a UTF-8 character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// keywords interns the words that dumps write in capitals, so that folding
// them allocates nothing.
var keywords = func() map[string]string {
	m := map[string]string{}
	for _, w := range strings.Fields(`add add all alter always as asc attach begin bigint boolean btree by cache cascade
		character check column comment concurrently constraint copy create cycle default deferrable desc disable domain
		double drop each enable enum execute exists extension false first for foreign from full function generated gin
		grant hash identity if in include increment index inherits insert int integer into is key language last like list
		logged materialized maxvalue minvalue modulus no not nothing null nulls numeric of on only or order owned owner
		partition precision primary procedure publication range references remainder rename replica returns revoke row
		schema select sequence serial set smallint start statement stdin storage stored table temporary text time timestamp
		timestamptz to trigger true type unique unlogged update using uuid values varchar varying view virtual when where
		with without zone and after before now current_timestamp end then else case coalesce any delete truncate`) {
		m[w] = w
	}
	return m
}()

// tokenText gives the token's text: the folded or unquoted identifier, the
// value of a string, the source of anything else.
func tokenText(src string, t token) string {
	raw := src[t.start:t.end]
	switch t.kind {
	case tokIdent:
		return foldIdent(raw)
	case tokQuoted:
		return clip(unquote(raw, '"'), maxIdent)
	case tokString:
		return stringValue(raw)
	}
	return raw
}

// unquote removes the quotes around s and undoubles those within.
func unquote(s string, quote byte) string {
	if len(s) >= 2 {
		s = s[1 : len(s)-1]
	}
	if strings.IndexByte(s, quote) < 0 {
		return s
	}
	q := string(quote)
	return strings.ReplaceAll(s, q+q, q)
}

// stringValue decodes a string constant in any of its forms.
func stringValue(raw string) string {
	switch raw[0] {
	case '\'':
		return unquote(raw, '\'')
	case '$':
		tag := strings.IndexByte(raw[1:], '$') + 2
		if len(raw) < 2*tag {
			return ""
		}
		return raw[tag : len(raw)-tag]
	case 'e', 'E':
		return unescape(unquote(raw[1:], '\''))
	}
	return unquote(raw[1:], '\'') // N, B, X
}

// unescape decodes the backslashes of an E” string.
func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		digits := func(base, most int) int {
			j := i
			for j < len(s) && j-i < most && strings.IndexByte("0123456789abcdefABCDEF"[:base], s[j]) >= 0 {
				j++
			}
			return j
		}
		switch c := s[i]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'x', 'u', 'U':
			i++
			most := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			end := digits(22, most)
			v, err := strconv.ParseUint(s[i:end], 16, 32)
			switch {
			case err != nil:
				b.WriteByte(c)
			case c == 'x':
				b.WriteByte(byte(v))
			default:
				b.WriteRune(rune(v))
			}
			i = end - 1
		case '0', '1', '2', '3', '4', '5', '6', '7':
			end := digits(8, 3)
			v, _ := strconv.ParseUint(s[i:end], 8, 32)
			b.WriteByte(byte(v))
			i = end - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// unicodeValue decodes the body of U&'...' or U&"..." with the given escape
// character: \XXXX, \+XXXXXX, and the doubled escape.
func unicodeValue(raw string, escape byte) string {
	s := unquote(raw[2:], raw[2])
	if strings.IndexByte(s, escape) < 0 {
		return s
	}
	var b strings.Builder
	var high rune // first half of a surrogate pair
	for i := 0; i < len(s); i++ {
		if s[i] != escape {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == escape {
			b.WriteByte(escape)
			i++
			continue
		}
		from, n := i+1, 4
		if from < len(s) && s[from] == '+' {
			from, n = i+2, 6
		}
		if from+n > len(s) {
			b.WriteByte(escape)
			continue
		}
		v, err := strconv.ParseUint(s[from:from+n], 16, 32)
		if err != nil {
			b.WriteByte(escape)
			continue
		}
		i = from + n - 1
		switch r := rune(v); {
		case r >= 0xD800 && r < 0xDC00:
			high = r
		case r >= 0xDC00 && r < 0xE000 && high != 0:
			b.WriteRune((high-0xD800)<<10 + (r - 0xDC00) + 0x10000)
			high = 0
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
