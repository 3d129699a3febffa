package expr

// The operators ~ ~* !~ !~* and the functions over regular expressions, by
// Go's package regexp. Only patterns that mean the same to both are taken.

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"applysim/heap/datum"
)

// translateRegex rewrites an advanced regular expression for Go; what Go
// reads otherwise, or not at all, is an *UnsupportedError. extent says that
// not only whether but also where it matches counts.
func translateRegex(pattern string, fold, extent bool) (string, error) {
	unsupported := func(what string) (string, error) {
		return "", &UnsupportedError{What: "regular expression with " + what + ": " + pattern}
	}
	if strings.HasPrefix(pattern, "***") {
		return unsupported("a director")
	}
	if rest, ok := strings.CutPrefix(pattern, "(?i)"); ok {
		pattern, fold = rest, true
	}
	var b strings.Builder
	b.WriteString("(?s)")
	literal := func(r rune) {
		if fold && r < 0x80 && isAlnum(byte(r)) && !isDigit(byte(r)) {
			b.WriteString("[" + string(rune(lowerByte(byte(r)))) + string(rune(upperByte(byte(r)))) + "]")
			return
		}
		b.WriteString(regexp.QuoteMeta(string(r)))
	}
	groups, alternatives := 0, false
	quantified := true // nothing to repeat yet
	for i := 0; i < len(pattern); {
		r, n := utf8.DecodeRuneInString(pattern[i:])
		switch r {
		case '\\':
			if i+1 >= len(pattern) {
				return unsupported("a trailing backslash")
			}
			c := pattern[i+1]
			n = 2
			switch {
			case strings.IndexByte("dDwWsS", c) >= 0:
				if c == 's' {
					b.WriteString(`[\t\n\v\f\r ]`)
				} else if c == 'S' {
					b.WriteString(`[^\t\n\v\f\r ]`)
				} else {
					b.WriteByte('\\')
					b.WriteByte(c)
				}
			case c == 'A':
				b.WriteString(`\A`)
			case c == 'Z':
				b.WriteString(`\z`)
			case c == 'y':
				b.WriteString(`\b`)
			case c == 'Y':
				b.WriteString(`\B`)
			case c == 'n', c == 't', c == 'r', c == 'f', c == 'v':
				b.WriteByte('\\')
				b.WriteByte(c)
			case c < 0x80 && !isAlnum(c):
				literal(rune(c))
			default:
				return unsupported(`\` + string(rune(c)))
			}
			quantified = c == 'A' || c == 'Z' || c == 'y' || c == 'Y'
		case '[':
			class, end, err := translateClass(pattern[i:], fold)
			if err != "" {
				return unsupported(err)
			}
			b.WriteString(class)
			n = end
			quantified = false
		case '(':
			switch rest := pattern[i+1:]; {
			case strings.HasPrefix(rest, "?:"):
				b.WriteString("(?:")
				n = 3
			case strings.HasPrefix(rest, "?"):
				return unsupported("(?...)")
			case strings.HasPrefix(rest, ")"):
				return unsupported("()")
			default:
				groups++
				b.WriteByte('(')
			}
			quantified = true
		case ')':
			b.WriteByte(')')
			quantified = false
		case '|':
			alternatives = true
			b.WriteByte('|')
			quantified = true
		case '*', '+', '?', '{':
			if r == '{' && (i+1 >= len(pattern) || !isDigit(pattern[i+1])) {
				return unsupported("{")
			}
			if quantified {
				return unsupported("a quantifier without an operand")
			}
			if r == '{' {
				end := strings.IndexByte(pattern[i:], '}')
				if end < 0 || strings.Trim(pattern[i+1:i+end], "0123456789,") != "" {
					return unsupported("an unfinished bound")
				}
				n = end + 1
			}
			if i+n < len(pattern) && pattern[i+n] == '?' {
				if extent {
					return unsupported("a quantifier that is not greedy")
				}
				n++
			}
			b.WriteString(pattern[i : i+n])
			quantified = true
		case '^', '$':
			b.WriteRune(r)
			quantified = true
		case '.':
			b.WriteByte('.')
			quantified = false
		default:
			literal(r)
			quantified = false
		}
		i += n
	}
	if extent && groups > 0 && alternatives {
		return unsupported("groups and alternatives")
	}
	return b.String(), nil
}

// translateClass rewrites a bracket expression and says how long it is.
func translateClass(p string, fold bool) (class string, length int, unsupported string) {
	var b strings.Builder
	b.WriteByte('[')
	i := 1
	if strings.HasPrefix(p[i:], "^") {
		b.WriteByte('^')
		i++
	}
	char := func(r rune) string {
		if strings.ContainsRune(`\]^[-&~`, r) {
			return `\` + string(r)
		}
		return string(r)
	}
	for first := true; ; first = false {
		if i >= len(p) {
			return "", 0, "an unfinished bracket"
		}
		r, n := utf8.DecodeRuneInString(p[i:])
		if r == ']' && !first {
			b.WriteByte(']')
			return b.String(), i + 1, ""
		}
		if r == '[' && i+1 < len(p) && strings.IndexByte(":.=", p[i+1]) >= 0 {
			end := strings.Index(p[i:], ":]")
			if p[i+1] != ':' || end < 0 {
				return "", 0, "[[. or [[="
			}
			name := p[i+2 : i+end]
			if fold && (name == "upper" || name == "lower") {
				name = "alpha"
			}
			if !strings.Contains(" alpha digit alnum upper lower space punct blank cntrl graph print xdigit ", " "+name+" ") {
				return "", 0, "[[:" + name + ":]]"
			}
			b.WriteString("[:" + name + ":]")
			i += end + 2
			continue
		}
		if r == '\\' {
			if i+1 >= len(p) {
				return "", 0, "an unfinished bracket"
			}
			c := p[i+1]
			switch {
			case strings.IndexByte("dw", c) >= 0:
				b.WriteString(`\` + string(rune(c)))
				i += 2
				continue
			case c == 's':
				b.WriteString(`\t\n\v\f\r `)
				i += 2
				continue
			case c == 'n', c == 't', c == 'r':
				b.WriteString(`\` + string(rune(c)))
				i += 2
				continue
			case c >= 0x80 || isAlnum(c):
				return "", 0, `\` + string(rune(c)) + " in a bracket"
			}
			r, n = rune(c), 1
			i++
		}
		i += n
		last := r
		if strings.HasPrefix(p[i:], "-") && !strings.HasPrefix(p[i:], "-]") && i+1 < len(p) {
			if last, n = utf8.DecodeRuneInString(p[i+1:]); last == '\\' || last == '[' || last < r {
				return "", 0, "an unusual range"
			}
			i += 1 + n
			b.WriteString(char(r) + "-" + char(last))
		} else {
			b.WriteString(char(r))
		}
		if fold {
			for c := max(r, 'A'); c <= min(last, 'z'); c++ {
				if isAlnum(byte(c)) {
					b.WriteString(string(rune(lowerByte(byte(c)))) + string(rune(upperByte(byte(c)))))
				}
			}
		}
	}
}

// regexKey is a pattern and how it is used.
type regexKey struct {
	pattern      string
	fold, extent bool
}

// regexCache keeps compiled patterns, of regexKey to *regexp.Regexp or error.
// Patterns that come out of rows must not fill the memory: after so many a
// new one is compiled each time.
var (
	regexCache  sync.Map
	regexCached atomic.Int32
)

const maxCachedRegexes = 1000

func cacheRegex(key regexKey, v any) {
	if regexCached.Add(1) <= maxCachedRegexes {
		regexCache.Store(key, v)
	}
}

func compileRegex(pattern []byte, fold, extent bool) (*regexp.Regexp, error) {
	key := regexKey{string(pattern), fold, extent}
	if v, ok := regexCache.Load(key); ok {
		if re, ok := v.(*regexp.Regexp); ok {
			return re, nil
		}
		return nil, v.(error)
	}
	text, err := translateRegex(key.pattern, fold, extent)
	var re *regexp.Regexp
	if err == nil {
		if re, err = regexp.Compile(text); err != nil {
			err = &UnsupportedError{What: "regular expression " + key.pattern}
		}
	}
	if err != nil {
		cacheRegex(key, err)
		return nil, err
	}
	if extent {
		re.Longest()
	}
	cacheRegex(key, re)
	return re, nil
}

// plainPattern says whether a regular expression names no class of characters, which
// a collation decides: ranges do not depend on it.
func plainPattern(n *node) bool {
	if !n.konst || n.value.Null {
		return false
	}
	p := n.value.Bytes
	for i := 0; i+1 < len(p); i++ {
		switch next := p[i+1]; {
		case p[i] == '[' && (next == ':' || next == '.' || next == '='):
			return false
		case p[i] == '\\' && next|0x20 >= 'a' && next|0x20 <= 'z':
			return false
		case p[i] == '\\':
			i++
		}
	}
	return !bytes.HasPrefix(p, []byte("***")) && !bytes.HasPrefix(p, []byte("(?"))
}

func regexMatch(fold, not bool) func(*callee) evalFunc {
	return func(call *callee) evalFunc {
		if coll := call.collation(); coll != nil && coll.Lower != nil && (fold || !plainPattern(call.args[1])) {
			return nil // classes and case are the collation's
		}
		var fixed *regexp.Regexp
		if p := call.args[1]; p.konst && !p.value.Null {
			var err error
			if fixed, err = compileRegex(p.value.Bytes, fold, false); err != nil {
				panic(bail{err})
			}
		}
		return call.eval(func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			re := fixed
			if re == nil {
				var err error
				if re, err = compileRegex(a[1].Bytes, fold, false); err != nil {
					return null, err
				}
			}
			return boolean(re.Match(a[0].Bytes) != not), nil
		})
	}
}

// regexSubstr is substring(text from pattern): the first group, or the whole.
func regexSubstr(_ *Scratch, a []datum.Value) (datum.Value, error) {
	re, err := compileRegex(a[1].Bytes, false, true)
	if err != nil {
		return null, err
	}
	m := re.FindSubmatch(a[0].Bytes)
	switch {
	case m == nil:
		return null, nil
	case len(m) > 1:
		return datum.Value{Bytes: m[1], Null: m[1] == nil}, nil
	}
	return datum.Value{Bytes: m[0]}, nil
}

// regexReplace is regexp_replace with the flags g and i.
func regexReplace(s *Scratch, a []datum.Value) (datum.Value, error) {
	fold, all := false, false
	if len(a) == 4 {
		for _, c := range a[3].Bytes {
			switch c {
			case 'g':
				all = true
			case 'i':
				fold = true
			default:
				return null, &UnsupportedError{What: "regular expression flag " + string(rune(c))}
			}
		}
	}
	re, err := compileRegex(a[1].Bytes, fold, true)
	if err != nil {
		return null, err
	}
	text := a[0].Bytes
	limit := 1
	if all {
		// The two disagree on an empty match right after another match.
		if limit = -1; re.MatchString("") {
			return null, &UnsupportedError{What: "regexp_replace with flag g and a pattern that matches nothing"}
		}
	}
	start := len(s.buf)
	b := s.buf
	at := 0
	for _, m := range re.FindAllSubmatchIndex(text, limit) {
		b = append(b, text[at:m[0]]...)
		b = appendReplacement(b, a[2].Bytes, text, m)
		at = m[1]
	}
	return s.keep(append(b, text[at:]...), start), nil
}

func appendReplacement(b, with, text []byte, m []int) []byte {
	for i := 0; i < len(with); i++ {
		c := with[i]
		if c != '\\' || i+1 >= len(with) {
			b = append(b, c)
			continue
		}
		i++
		switch d := with[i]; {
		case d == '&':
			b = append(b, text[m[0]:m[1]]...)
		case d >= '1' && d <= '9':
			if g := int(d - '0'); 2*g+1 < len(m) && m[2*g] >= 0 {
				b = append(b, text[m[2*g]:m[2*g+1]]...)
			}
		case d == '\\':
			b = append(b, '\\')
		default:
			b = append(b, '\\', d)
		}
	}
	return b
}

// similarEscape rewrites a pattern of SIMILAR TO as a regular expression.
func similarEscape(s *Scratch, a []datum.Value) (datum.Value, error) {
	esc := byte('\\')
	if len(a) == 2 {
		if len(a[1].Bytes) != 1 {
			return null, errors.New("invalid escape string")
		}
		esc = a[1].Bytes[0]
	}
	start := len(s.buf)
	b := append(s.buf, "^(?:"...)
	p := a[0].Bytes
	bracket := 0
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == esc && i+1 < len(p):
			i++
			if p[i] == '"' {
				return null, &UnsupportedError{What: "SIMILAR TO with separators"}
			}
			b = append(b, '\\', p[i])
		case bracket > 0:
			if c == '\\' {
				b = append(b, '\\')
			}
			b = append(b, c)
			if c == ']' && bracket > 1 {
				bracket = 0
			} else if c != '^' {
				bracket++
			}
		case c == '[':
			b = append(b, c)
			bracket = 1
		case c == '%':
			b = append(b, '.', '*')
		case c == '_':
			b = append(b, '.')
		case c == '(':
			b = append(b, "(?:"...)
		case c == '\\' || c == '.' || c == '^' || c == '$':
			b = append(b, '\\', c)
		default:
			b = append(b, c)
		}
	}
	return s.keep(append(b, ")$"...), start), nil
}

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	"textregexeq": regexMatch(false, false), "textregexne": regexMatch(false, true),
	"texticregexeq": regexMatch(true, false), "texticregexne": regexMatch(true, true),
	"bpcharregexeq": regexMatch(false, false), "bpcharregexne": regexMatch(false, true),
	"bpcharicregexeq": regexMatch(true, false), "bpcharicregexne": regexMatch(true, true),
	"regexp_like_no_flags": regexMatch(false, false),
})

var _ = register(map[string]impl{
	"textregexsubstr": regexSubstr, "textregexreplace_noopt": regexReplace, "textregexreplace": regexReplace,
	"similar_to_escape_1": similarEscape, "similar_to_escape_2": similarEscape,
})
