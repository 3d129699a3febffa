package schema

import (
	"fmt"
	"strconv"
	"strings"
)

// parser is a cursor over one statement's tokens.
//
// Its first error sticks: from then on the cursor stands at the end of the
// statement, every accept fails and every loop ends, so that the grammar
// needs no check after each step; the statement's error is looked at once.
type parser struct {
	db  *Database
	st  *statement
	i   int
	err error
}

func (p *parser) peek() token { return p.st.toks[p.i] }

// peekN looks n tokens ahead.
func (p *parser) peekN(n int) token {
	return p.st.toks[min(p.i+n, len(p.st.toks)-1)]
}

func (p *parser) next() token {
	t := p.st.toks[p.i]
	if t.kind != tokEOF {
		p.i++
	}
	return t
}

func (p *parser) atEnd() bool { return p.st.toks[p.i].kind == tokEOF }

// is reports whether the given words or punctuation marks come next.
func (p *parser) is(words ...string) bool {
	for j, w := range words {
		t := p.peekN(j)
		if t.text != w || t.kind == tokQuoted || t.kind == tokString || t.kind == tokEOF {
			return false
		}
	}
	return true
}

// isAny reports whether one of the words comes next.
func (p *parser) isAny(words ...string) bool {
	for _, w := range words {
		if p.is(w) {
			return true
		}
	}
	return false
}

func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.i += len(words)
	return true
}

func (p *parser) expect(words ...string) bool {
	for _, w := range words {
		if !p.accept(w) {
			p.expected(strconv.Quote(strings.ToUpper(w)))
			return false
		}
	}
	return true
}

// found describes the next token for a message.
func (p *parser) found() string {
	t := p.peek()
	switch t.kind {
	case tokEOF:
		return "the end of the statement"
	case tokString:
		return "the string " + clip(p.st.raw(t), 40)
	}
	return strconv.Quote(clip(p.st.raw(t), 40))
}

// expected fails at the cursor.
func (p *parser) expected(what string) {
	p.failAt(p.peek(), "found %s, expected %s", p.found(), what)
}

// failAt records the error at a token and moves the cursor to the end.
func (p *parser) failAt(t token, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s:%d: %s", p.st.file, p.st.lineOf(t), oneLine(fmt.Sprintf(format, args...)))
	}
	p.i = len(p.st.toks) - 1
}

// oneLine keeps messages on one line: names and strings may have line ends.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "\n\r") {
		return s
	}
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(s)
}

// fail records an error that concerns the statement as a whole.
func (p *parser) fail(format string, args ...any) { p.failAt(p.st.toks[0], format, args...) }

// warn adds a warning at the cursor.
func (p *parser) warn(format string, args ...any) {
	p.db.warn(p.st.file, p.st.lineOf(p.peek()), format, args...)
}

// name reads an identifier. Reserved words are not refused where the
// position leaves no doubt.
func (p *parser) name(what string) string {
	t := p.peek()
	if t.kind != tokIdent && t.kind != tokQuoted {
		p.expected(what)
		return ""
	}
	if t.kind == tokQuoted && t.text == "" {
		p.expected(what + " of at least one character")
		return ""
	}
	p.i++
	return t.text
}

func (p *parser) isName() bool {
	k := p.peek().kind
	return k == tokIdent || k == tokQuoted
}

// qname reads a name that may carry a schema ("" if not) and a database,
// which is dropped.
func (p *parser) qname(what string) (schema, name string) {
	name = p.name(what)
	for p.is(".") && p.err == nil {
		p.i++
		schema = name
		name = p.name(what)
	}
	return schema, name
}

// number reads an integer, signed or in quotes as pg_dump writes options.
func (p *parser) number(what string) int64 {
	neg := false
	if p.accept("-") {
		neg = true
	} else {
		p.accept("+")
	}
	t := p.peek()
	digits, base := strings.ReplaceAll(t.text, "_", ""), 10
	if len(digits) > 2 && digits[0] == '0' && charClass[digits[1]]&charIdent != 0 {
		base = 0 // 0x, 0o, 0b
	}
	v, err := strconv.ParseInt(digits, base, 64)
	if t.kind != tokNumber && t.kind != tokString || err != nil {
		p.expected(what)
		return 0
	}
	p.i++
	if neg {
		return -v
	}
	return v
}

// names reads a parenthesised list of identifiers.
func (p *parser) names(what string) []string {
	var list []string
	p.expect("(")
	for p.err == nil {
		list = append(list, p.name(what))
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// skipParens passes over a balanced group that starts at the cursor and
// returns the range of the tokens within.
func (p *parser) skipParens() (from, to int) {
	open := p.i
	if !p.expect("(") {
		return p.i, p.i
	}
	to = p.closing(open)
	p.i = to
	if !p.expect(")") {
		return p.i, p.i
	}
	return open + 1, to
}

// parenExpr reads "( expression )" and returns its text.
func (p *parser) parenExpr(what string) (text string, from, to int) {
	from, to = p.skipParens()
	if p.err == nil && from == to {
		p.i = to
		p.expected(what)
		return "", from, to
	}
	from, to = p.stripParens(from, to)
	return p.text(from, to), from, to
}

// exprUntil reads an expression that ends before the first token outside of
// parentheses (and CASE) for which stop holds, or at the statement's end.
func (p *parser) exprUntil(what string, stop func() bool) string {
	from := p.i
	depth := 0
	for !p.atEnd() {
		if depth == 0 && (p.is(")") || p.is("]") || p.i > from && stop() || p.i == from && p.is(",")) {
			break
		}
		switch {
		case p.is("("), p.is("["), p.is("case"):
			depth++
		case p.is(")"), p.is("]"), p.is("end"):
			depth = max(0, depth-1)
		}
		p.i++
	}
	if p.i == from {
		p.expected(what)
		return ""
	}
	return p.text(p.stripParens(from, p.i))
}

// stripParens takes away parentheses around the whole of a range of tokens:
// pg_dump writes one pair more than people do.
func (p *parser) stripParens(from, to int) (int, int) {
	for to-from >= 3 && p.st.toks[from].text == "(" && p.st.toks[from].kind == tokPunct && p.closing(from) == to-1 {
		from, to = from+1, to-1
	}
	return from, to
}

// closing returns the index of the parenthesis that closes the one at i, or
// the index of the end marker.
func (p *parser) closing(i int) int { return int(p.st.match[i]) }

// text is the source of a range of tokens with each stretch of white space
// and comments between two of them made one space.
func (p *parser) text(from, to int) string {
	if from >= to {
		return ""
	}
	toks := p.st.toks[from:to]
	src := p.st.src[toks[0].start:toks[len(toks)-1].end]
	plain := true
	for i := 1; i < len(toks); i++ {
		if gap := toks[i].start - toks[i-1].end; gap > 1 || gap == 1 && p.st.src[toks[i].start-1] != ' ' {
			plain = false
			break
		}
	}
	if plain {
		return src
	}
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && t.start > toks[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(p.st.raw(t))
	}
	return b.String()
}

// options reads "( name [= value], ... )", the form of WITH options; a name
// may have a namespace ("toast.fillfactor"). A name alone means true.
func (p *parser) options() map[string]string {
	m := map[string]string{}
	p.expect("(")
	for p.err == nil && !p.is(")") {
		key := p.name("the name of an option")
		if p.accept(".") {
			key += "." + p.name("the name of an option")
		}
		value := "true"
		if p.accept("=") {
			value = p.optionValue()
		} else if !p.is(",") && !p.is(")") {
			value = p.optionValue() // CREATE TYPE and others leave the "=" out in old forms
		}
		m[key] = value
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return m
}

func (p *parser) optionValue() string {
	switch {
	case p.isAny("-", "+"):
		sign := p.next().text
		if p.peek().kind != tokNumber {
			p.expected("a number")
			return ""
		}
		return strings.TrimPrefix(sign+p.next().text, "+")
	case p.peek().kind == tokPunct || p.peek().kind == tokEOF:
		p.expected("the value of an option")
		return ""
	}
	from := p.i
	p.i++
	for p.is(".") { // a qualified name, of a function say
		p.i += 2
		p.i = min(p.i, len(p.st.toks)-1)
	}
	if p.i == from+1 {
		return p.st.toks[from].text
	}
	return p.text(from, p.i)
}

// end insists that the statement is at its end.
func (p *parser) end() {
	if p.err == nil && !p.atEnd() {
		p.expected("the end of the statement")
	}
}
