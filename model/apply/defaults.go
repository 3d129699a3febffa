package apply

import (
	"strings"

	"applysim/heap/datum"
	"applysim/model/schema"
)

// constantDefault computes a column's default if it is a constant: a literal,
// with or without a sign or a cast. A column without one defaults to NULL.
func constantDefault(c *schema.Column) (datum.Value, bool) {
	text, null, ok := constant(c.Default)
	if !ok {
		return datum.Value{}, false
	}
	if null {
		return datum.Value{Null: true}, true
	}
	v, _, err := c.Type.Input([]byte(text), c.Typmod, nil)
	return v, err == nil
}

// constant reads an SQL literal: what its type's input function would get.
func constant(expr string) (text string, null, ok bool) {
	s := strings.TrimSpace(expr)
	for strings.HasPrefix(s, "(") && strings.HasSuffix(s, ")") && matching(s) == len(s)-1 {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	switch strings.ToLower(s) {
	case "", "null":
		return "", true, true
	case "true", "false":
		return strings.ToLower(s), false, true
	}
	if text, rest, ok := quoted(s); ok {
		return text, false, isCast(rest)
	}
	n := 0
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		n++
	}
	digits := n
	for n < len(s) && strings.IndexByte("0123456789.eE", s[n]) >= 0 {
		n++
	}
	if n == digits || s[digits] == 'e' || s[digits] == 'E' {
		if strings.HasPrefix(strings.ToLower(s), "null") && isCast(s[len("null"):]) {
			return "", true, true
		}
		return "", false, false
	}
	return s[:n], false, isCast(s[n:])
}

// matching returns where the parenthesis that opens s closes.
func matching(s string) int {
	depth := 0
	inString := false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\'':
			inString = !inString
		case inString:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// quoted reads a string literal and returns what follows it.
func quoted(s string) (text, rest string, ok bool) {
	if !strings.HasPrefix(s, "'") {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		if s[i] != '\'' {
			b.WriteByte(s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == '\'' {
			b.WriteByte('\'')
			i++
			continue
		}
		return b.String(), s[i+1:], true
	}
	return "", "", false
}

// isCast says whether what follows a literal is nothing, or one cast.
func isCast(s string) bool {
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	s, ok := strings.CutPrefix(s, "::")
	if !ok {
		return false
	}
	for _, c := range s {
		if !strings.ContainsRune(` "_.,()[]`, c) && !(c >= '0' && c <= '9') && !(c|0x20 >= 'a' && c|0x20 <= 'z') {
			return false
		}
	}
	return true
}
