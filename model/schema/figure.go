// After FigureIndexColname in src/backend/parser/parse_target.c (REL_18_1).

package schema

// valueFunctions are calls without parentheses.
var valueFunctions = map[string]bool{
	"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_role": true, "current_user": true, "user": true, "session_user": true, "current_catalog": true,
	"current_schema": true,
}

// figureName gives the name of an index's column over the expression in a
// range of tokens, "" if it has none of its own and is called "expr".
func (p *parser) figureName(from, to int) string {
	name, _ := p.figure(from, to, 0)
	return name
}

// figureDepth bounds how deep a nested expression is looked into for a name.
const figureDepth = 50

// figure returns the name and how much it says: 2 for a column or a function,
// 1 for a type or CASE, 0 for nothing.
func (p *parser) figure(from, to, depth int) (string, int) {
	if depth++; depth > figureDepth {
		return "", 0
	}
	from, to = p.stripParens(from, to)
	if from >= to {
		return "", 0
	}
	// A cast or COLLATE at the end applies to all before it, if that is one
	// operand; an operator anywhere outside of parentheses leaves no name.
	pos := p.operandEnd(from, to)
	if pos <= from {
		return "", 0
	}
	for pos < to && p.at(pos, "[") {
		pos = p.bracketEnd(pos, to)
	}
	name, strength := p.figureOperand(from, pos, depth)
	for pos < to {
		switch {
		case p.at(pos, "::"):
			sub := &parser{db: p.db, st: p.st, i: pos + 1}
			warnings := len(p.db.Warnings)
			ct := sub.typeName("a type")
			p.db.Warnings = p.db.Warnings[:warnings]
			if sub.err != nil || sub.i > to {
				return "", 0
			}
			pos = sub.i
			if strength <= 1 {
				name, strength = ct.internal, 1
			}
		case p.word(pos, "collate"):
			pos += 2
			for pos+1 < to && p.at(pos, ".") {
				pos += 2
			}
		case p.at(pos, ".") && pos+1 < to: // (row).field
			name, strength = p.st.toks[pos+1].text, 2
			pos += 2
		case p.at(pos, "["):
			pos = p.bracketEnd(pos, to)
		case p.word(pos, "at") && p.word(pos+1, "time") && p.word(pos+2, "zone"):
			// A call of timezone(); what follows binds tighter than any operator
			// that could come after it.
			if next := p.operandEnd(pos+3, to); next > pos+3 {
				name, strength = "timezone", 2
				pos = next
				continue
			}
			return "", 0
		default:
			return "", 0
		}
	}
	return name, strength
}

func (p *parser) at(i int, mark string) bool {
	if i >= len(p.st.toks) {
		return false
	}
	t := p.st.toks[i]
	return t.kind == tokPunct && t.text == mark
}

func (p *parser) word(i int, w string) bool {
	return i < len(p.st.toks) && p.st.toks[i].kind == tokIdent && p.st.toks[i].text == w
}

// bracketEnd returns the index after the bracket that closes the one at i.
func (p *parser) bracketEnd(i, to int) int {
	depth := 0
	for ; i < to; i++ {
		if p.at(i, "[") {
			depth++
		} else if p.at(i, "]") {
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return to
}

// operandEnd returns the index after the operand that starts at i: a
// constant, a column, a function call, CASE ... END, something in
// parentheses. It returns i if there is none.
func (p *parser) operandEnd(i, to int) int {
	if i >= to {
		return i
	}
	switch t := p.st.toks[i]; {
	case p.at(i, "("):
		return min(p.closing(i)+1, to)
	case t.kind == tokString, t.kind == tokNumber, t.kind == tokParam:
		return i + 1
	case p.word(i, "not"):
		return i
	case p.word(i, "case"):
		depth := 0
		for ; i < to; i++ {
			if p.word(i, "case") {
				depth++
			} else if p.word(i, "end") {
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return to
	case p.word(i, "array") && p.at(i+1, "["):
		return p.bracketEnd(i+1, to)
	case t.kind == tokIdent, t.kind == tokQuoted:
		i++
		for i+1 < to && p.at(i, ".") {
			i += 2
		}
		if i < to && p.at(i, "(") {
			i = min(p.closing(i)+1, to)
		}
		if i < to && p.st.toks[i].kind == tokString {
			i++ // date '2026-01-01'
		}
		return i
	}
	return i
}

// sqlCalls are functions of the grammar whose call is one of another name.
var sqlCalls = map[string]string{"trim": "btrim"}

// figureOperand names one operand.
func (p *parser) figureOperand(from, to, depth int) (string, int) {
	for to-1 > from && p.at(to-1, "]") && !p.word(from, "array") {
		// Subscripts say nothing.
		i := to - 1
		for i > from && !p.at(i, "[") {
			i--
		}
		if i == from {
			break
		}
		to = i
	}
	t := p.st.toks[from]
	switch {
	case p.at(from, "("):
		return p.figure(from, to, depth)
	case p.word(from, "case"):
		// The ELSE branch decides, if it has a name.
		cases := 0
		for i := from; i < to; i++ {
			if p.word(i, "case") {
				cases++
			} else if p.word(i, "end") {
				cases--
			} else if p.word(i, "else") && cases == 1 {
				if name, strength := p.figure(i+1, to-1, depth); strength == 2 {
					return name, strength
				}
			}
		}
		return "case", 1
	case p.word(from, "array") && p.at(from+1, "["):
		return "array", 2
	case p.word(from, "cast") && p.at(from+1, "("):
		return p.figureCast(from+2, to-1, depth)
	case t.kind != tokIdent && t.kind != tokQuoted:
		return "", 0
	case p.word(from, "null"), p.word(from, "true"), p.word(from, "false"):
		return "", 0
	case to-from > 1 && p.st.toks[to-1].kind == tokString:
		// A constant with its type before it.
		name := p.st.toks[to-2].text
		if n := internalNames[name]; n != "" {
			name = n
		}
		return name, 1
	}
	// A column or a call: the last name before the parenthesis.
	i := from
	for i+2 < to && p.at(i+1, ".") {
		i += 2
	}
	name := p.st.toks[i].text
	if i+1 < to && p.at(i+1, "(") && from == i && t.kind == tokIdent {
		if name == "trim" {
			switch {
			case p.word(i+2, "leading"):
				return "ltrim", 2
			case p.word(i+2, "trailing"):
				return "rtrim", 2
			}
		}
		if n := sqlCalls[name]; n != "" {
			name = n
		}
	}
	return name, 2
}

// figureCast names what is within CAST( ... AS type).
func (p *parser) figureCast(from, to, depth int) (string, int) {
	for i := from; i < to; i++ {
		switch {
		case p.at(i, "("):
			i = min(p.closing(i), to)
		case p.word(i, "as"):
			name, strength := p.figure(from, i, depth)
			if strength <= 1 {
				sub := &parser{db: p.db, st: p.st, i: i + 1}
				warnings := len(p.db.Warnings)
				if ct := sub.typeName("a type"); sub.err == nil {
					name, strength = ct.internal, 1
				}
				p.db.Warnings = p.db.Warnings[:warnings]
			}
			return name, strength
		}
	}
	return "", 0
}
