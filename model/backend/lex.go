package backend

// SQL cut into statements and tokens, as far as a publisher's script needs it.

import (
	"fmt"
	"strings"
)

// token is a piece of a statement: a word, a number, a string, an operator or a
// punctuation mark. Unquoted words are in lower case.
type token struct {
	text       string // as compared: a quoted name without its quotes
	kind       byte   // 'w' word, 'q' quoted name, 's' string, 'n' number, 'o' operator, 'p' punctuation
	start, end int    // within the statement's text
}

// is says whether the token is one of some unquoted words or marks.
func (t token) is(words ...string) bool {
	for _, w := range words {
		if t.text == w && t.kind != 'q' && t.kind != 's' {
			return true
		}
	}
	return false
}

// name says whether the token can name something.
func (t token) name() bool { return t.kind == 'w' || t.kind == 'q' }

// statement is one statement of a script.
type statement struct {
	text  string
	toks  []token
	gexec bool // \gexec: each value of its result is a statement to run

	connects   bool   // it is the first one of a session
	rolledBack bool   // its work does not last
	valueless  bool   // its values are not known
	place      string // where it stands, for messages
	// Of a BEGIN whose transaction is prepared: under which name, and how it ends: commit,
	// rollback, or never.
	gid, end string
	work     []*statement // and what stands between
	// data are the lines that follow a COPY ... FROM STDIN; nil if there are none.
	data []string
}

// operators are what an operator's name may consist of.
const operators = "+-*/<>=~!@#%^&|`?"

// fromStdin says whether lines of data follow a COPY.
func (s *statement) fromStdin() bool {
	return len(s.toks) > 0 && s.toks[0].is("copy") && find(s.toks, "stdin", "pstdin") < len(s.toks) && find(s.toks, "from") < len(s.toks)
}

// takeData takes the lines that follow a COPY up to the one that ends them, and returns where
// the script goes on.
func (s *statement) takeData(script string, at int) int {
	s.data = []string{}
	for at < len(script) {
		line, _, more := strings.Cut(script[at:], "\n")
		at += len(line)
		if more {
			at++
		}
		if line == `\.` {
			break
		}
		s.data = append(s.data, strings.TrimSuffix(line, "\r"))
	}
	return at
}

// split cuts a psql script into statements. place says where it stands.
func split(script, place string) ([]*statement, error) {
	var list []*statement
	s := &statement{place: place}
	start := -1
	at := 0
	add := func(kind byte, text string, from, to int) {
		if start < 0 {
			start = from
		}
		s.toks = append(s.toks, token{text, kind, from - start, to - start})
	}
	flush := func(end int) {
		if start >= 0 {
			s.text = strings.TrimSpace(script[start:end])
			list = append(list, s)
		}
		s, start = &statement{place: place}, -1
	}
	for at < len(script) {
		c, from := script[at], at
		rest := script[at:]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			at++
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			at += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return nil, fmt.Errorf("%s: a comment without end", place)
			}
			at += n + 2
		case c == '\\':
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			word := strings.Fields(rest[:n])[0]
			if word == `\copy` {
				// One line, without a semicolon.
				list2, err := split(strings.TrimPrefix(rest[1:n], " ")+";", place)
				if err != nil || len(list2) != 1 {
					return nil, fmt.Errorf("%s: psql's \\copy: expected one COPY command in its line", place)
				}
				list = append(list, list2[0])
				at += n
				if list2[0].fromStdin() && at < len(script) {
					at = list2[0].takeData(script, at+1)
				}
				continue
			}
			if word != `\gexec` && word != `\g` {
				return nil, fmt.Errorf("%s: psql's %s: expected \\gexec, the only command that is modelled", place, word)
			}
			s.gexec = word == `\gexec`
			flush(at)
			at += len(word)
		case c == ';':
			copied := s
			flush(at)
			at++
			if copied.fromStdin() {
				if n := strings.IndexByte(script[at:], '\n'); n >= 0 {
					at = copied.takeData(script, at+n+1)
				}
			}
		case c == '\'' || (c == 'e' || c == 'E') && len(rest) > 1 && rest[1] == '\'':
			end, err := quoted(script, at, c != '\'')
			if err != nil {
				return nil, fmt.Errorf("%s: %w", place, err)
			}
			at = end
			add('s', script[from:at], from, at)
		case c == '"':
			n := at + 1
			for n < len(script) && (script[n] != '"' || n+1 < len(script) && script[n+1] == '"') {
				if script[n] == '"' {
					n++
				}
				n++
			}
			if n >= len(script) {
				return nil, fmt.Errorf("%s: a quoted name without end", place)
			}
			at = n + 1
			add('q', strings.ReplaceAll(script[from+1:n], `""`, `"`), from, at)
		case c == '$' && dollar(rest) != "":
			tag := dollar(rest)
			n := strings.Index(rest[len(tag):], tag)
			if n < 0 {
				return nil, fmt.Errorf("%s: a string in %s without end", place, tag)
			}
			at += n + 2*len(tag)
			add('s', script[from:at], from, at)
		case c >= '0' && c <= '9' || c == '.' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9':
			for at < len(script) && (wordByte(script[at]) || script[at] == '.') {
				at++
			}
			add('n', script[from:at], from, at)
		case wordByte(c):
			for at < len(script) && (wordByte(script[at]) || script[at] == '$') {
				at++
			}
			add('w', strings.ToLower(script[from:at]), from, at)
		case strings.IndexByte(operators, c) >= 0:
			for at < len(script) && strings.IndexByte(operators, script[at]) >= 0 && !strings.HasPrefix(script[at:], "--") && !strings.HasPrefix(script[at:], "/*") {
				at++
			}
			add('o', script[from:at], from, at)
		case strings.HasPrefix(rest, "::"):
			at += 2
			add('p', "::", from, at)
		default:
			at++
			add('p', script[from:at], from, at)
		}
	}
	flush(len(script))
	return list, nil
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// quoted returns where a string that begins at a place ends.
func quoted(s string, at int, escapes bool) (int, error) {
	n := at + 1
	if escapes {
		n++
	}
	for n < len(s) {
		switch {
		case escapes && s[n] == '\\':
			n++
		case s[n] == '\'' && n+1 < len(s) && s[n+1] == '\'':
			n++
		case s[n] == '\'':
			return n + 1, nil
		}
		n++
	}
	return 0, fmt.Errorf("a string without end")
}

// dollar returns the tag with which a dollar-quoted string begins, "" if there is none.
func dollar(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '$' {
			return s[:i+1]
		}
		if !wordByte(s[i]) {
			return ""
		}
	}
	return ""
}

// unquote is the value of a string in single quotes.
func unquote(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\'' {
		return "", false
	}
	return strings.ReplaceAll(s[1:len(s)-1], "''", "'"), true
}

// close is the position of the mark that closes the one at a position.
func closing(toks []token, open int) int {
	depth := 0
	for i := open; i < len(toks); i++ {
		switch {
		case toks[i].is("(", "["):
			depth++
		case toks[i].is(")", "]"):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(toks)
}

// list cuts tokens at commas that are not within parentheses.
func list(toks []token) [][]token {
	var all [][]token
	from := 0
	for i := 0; i < len(toks); i++ {
		switch {
		case toks[i].is("(", "["):
			i = closing(toks, i)
		case toks[i].is(","):
			all = append(all, toks[from:i])
			from = i + 1
		}
	}
	return append(all, toks[min(from, len(toks)):])
}

// find is the position of the first of some words that does not stand within
// parentheses, len(toks) if there is none.
func find(toks []token, words ...string) int {
	for i := 0; i < len(toks); i++ {
		if toks[i].is("(", "[") {
			if i = closing(toks, i); i >= len(toks) {
				break
			}
			continue
		}
		if toks[i].kind == 'w' && toks[i].is(words...) {
			return i
		}
	}
	return len(toks)
}

// source is the text of some of a statement's tokens.
func (s *statement) source(toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return s.text[toks[0].start:toks[len(toks)-1].end]
}
