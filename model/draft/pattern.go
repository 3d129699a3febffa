package draft

import (
	"regexp/syntax"
	"strings"
)

// matching makes texts that a pattern takes: a regular expression or a pattern of LIKE.
func matching(pattern string) []string {
	var list []string
	if strings.ContainsAny(pattern, "%_") {
		like := strings.NewReplacer(`\%`, "%", `\_`, "_", "%", "a", "_", "a").Replace(pattern)
		list = append(list, like, strings.NewReplacer("%", "", "_", "a").Replace(pattern))
	}
	re, err := syntax.Parse(expression(pattern), syntax.Perl)
	if err != nil {
		return list
	}
	for _, most := range []int{1, 3} {
		var b strings.Builder
		if write(&b, re.Simplify(), most, 0) {
			list = append(list, b.String())
		}
	}
	return list
}

// expression is a regular expression of PostgreSQL's without what Go's do not have: a
// backslash before an underscore, the beginnings and ends of words, what must or must not
// follow. So texts may match it that the server refuses; who makes them looks.
func expression(s string) string {
	var b strings.Builder
	class := false
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			switch c := s[i]; {
			case !class && strings.IndexByte("mMyY", c) >= 0:
			case c == '_' || c >= 0x80:
				b.WriteByte(c)
			default:
				b.WriteByte('\\')
				b.WriteByte(c)
			}
			continue
		case s[i] == '[':
			class = true
		case s[i] == ']':
			class = false
		case !class && s[i] == '(' && (strings.HasPrefix(s[i:], "(?=") || strings.HasPrefix(s[i:], "(?!") || strings.HasPrefix(s[i:], "(?<")):
			depth := 0
			for ; i < len(s); i++ {
				if s[i] == '\\' {
					i++
				} else if s[i] == '(' {
					depth++
				} else if s[i] == ')' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// write makes a text that matches, with so many repetitions where any number will do.
func write(b *strings.Builder, re *syntax.Regexp, most, depth int) bool {
	if depth > 50 || b.Len() > 5000 {
		return false
	}
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return false
		}
		// A letter or a digit, if the class has one.
		for _, want := range "aA0" {
			for i := 0; i+1 < len(re.Rune); i += 2 {
				if re.Rune[i] <= want && want <= re.Rune[i+1] {
					b.WriteRune(want)
					return true
				}
			}
		}
		b.WriteRune(re.Rune[0])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpPlus, syntax.OpStar, syntax.OpQuest, syntax.OpRepeat:
		n := 1
		switch re.Op {
		case syntax.OpPlus, syntax.OpStar:
			n = most
		case syntax.OpQuest:
			n = most / 2
		case syntax.OpRepeat:
			n = max(re.Min, min(most, max(re.Max, re.Min)))
		}
		for range n {
			if !write(b, re.Sub[0], most, depth+1) {
				return false
			}
		}
	case syntax.OpConcat:
		for _, s := range re.Sub {
			if !write(b, s, most, depth+1) {
				return false
			}
		}
	case syntax.OpAlternate:
		return write(b, re.Sub[0], most, depth+1)
	}
	return true
}
