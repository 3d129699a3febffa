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
	re, err := syntax.Parse(pattern, syntax.Perl)
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
