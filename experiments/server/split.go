package server

import "strings"

// gexec is the one command of psql that scripts may use: it ends a statement.
const gexec = `\gexec`

// Split cuts a script into its statements at semicolons outside of quotes,
// comments, parentheses and bodies in dollar quotes, and after \gexec, as psql
// does. Bodies of functions in BEGIN ATOMIC form are not known.
func Split(script string) []string {
	var statements []string
	start, depth := 0, 0
	flush := func(end int) {
		if s := strings.TrimSpace(script[start:end]); s != "" {
			statements = append(statements, s)
		}
		start = end + 1
	}
	for i := 0; i < len(script); i++ {
		switch c := script[i]; {
		case c == '\'' || c == '"':
			i = quoted(script, i)
		case c == '-' && strings.HasPrefix(script[i:], "--"):
			i = until(script, i, "\n", 1) - 1
		case c == '/' && strings.HasPrefix(script[i:], "/*"):
			i = comment(script, i)
		case c == '$' && (i == 0 || !word(script[i-1])):
			if n := strings.IndexByte(script[i+1:], '$'); n >= 0 && tag(script[i+1:i+1+n]) {
				quote := script[i : i+n+2]
				i = until(script, i+len(quote), quote, len(quote)) - 1
			}
		case c == '\\' && strings.HasPrefix(script[i:], gexec):
			i += len(gexec)
			if i < len(script) && script[i] == ';' {
				script = script[:i] + " " + script[i+1:]
			}
			flush(i)
			start, depth = i, 0
			i--
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ';' && depth <= 0:
			flush(i)
			depth = 0
		}
	}
	if start < len(script) {
		flush(len(script))
	}
	return statements
}

// quoted returns the place of the quote that ends the text which begins at i.
func quoted(s string, i int) int {
	escapes := s[i] == '\'' && i > 0 && (s[i-1] == 'E' || s[i-1] == 'e') && (i < 2 || !word(s[i-2]))
	for j := i + 1; j < len(s); j++ {
		switch {
		case escapes && s[j] == '\\':
			j++
		case s[j] == s[i]:
			return j // a doubled quote begins the next part
		}
	}
	return len(s)
}

// comment returns the last place of the comment that begins at i; comments nest.
func comment(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "/*"):
			depth++
			i++
		case strings.HasPrefix(s[i:], "*/"):
			depth--
			i++
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// until returns the place after the next end from i on.
func until(s string, i int, end string, n int) int {
	if j := strings.Index(s[i:], end); j >= 0 {
		return i + j + n
	}
	return len(s) + 1
}

func word(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// tag says whether s may stand between the signs of a dollar quote.
func tag(s string) bool {
	for i := range len(s) {
		if !word(s[i]) || i == 0 && s[0] >= '0' && s[0] <= '9' {
			return false
		}
	}
	return true
}
