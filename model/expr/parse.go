package expr

import "strings"

// Binding strengths, weakest first: the %left, %right and %nonassoc lines of
// gram.y (REL_18_1, src/backend/parser/gram.y).
const (
	precOr = iota + 1
	precAnd
	precNot
	precIs
	precCompare
	precBetween // BETWEEN IN LIKE ILIKE SIMILAR
	precOp      // every other operator
	precAdd
	precMul
	precPower
	precAt
	precCollate
	precMinus
	precSubscript
	precCast
)

// maxDepth bounds the nesting of an expression, so that no input can exhaust
// the stack.
const maxDepth = 2500

type parser struct {
	toks  []token
	i     int
	depth int
}

// bail carries an error up through the parser; parse recovers it.
type bail struct{ err error }

func (p *parser) fail(format string, args ...any) { panic(bail{syntaxError(format, args...)}) }

func unsupported(what string) { panic(bail{&UnsupportedError{What: what}}) }

func parse(src string) (a *ast, err error) {
	toks, err := lex(src)
	if err != nil {
		return nil, err
	}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bail)
			if !ok {
				panic(r)
			}
			a, err = nil, b.err
		}
	}()
	p := parser{toks: toks}
	a = p.expr(precOr)
	if p.peek().kind != tokEOF {
		p.unexpected()
	}
	return a, nil
}

func (p *parser) peek() token { return p.toks[p.i] }

func (p *parser) peekN(n int) token { return p.toks[min(p.i+n, len(p.toks)-1)] }

func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tokEOF {
		p.i++
	}
	return t
}

func (p *parser) unexpected() {
	if t := p.peek(); t.kind != tokEOF {
		p.fail("at or near %q", t.text)
	}
	p.fail("at end of input")
}

// is reports whether a keyword, punctuation or an operator comes next.
func (p *parser) is(words ...string) bool {
	for n, w := range words {
		t := p.peekN(n)
		if t.text != w || t.kind != tokIdent && t.kind != tokPunct && t.kind != tokOp {
			return false
		}
	}
	return true
}

func (p *parser) accept(words ...string) bool {
	if !p.is(words...) {
		return false
	}
	p.i += len(words)
	return true
}

func (p *parser) expect(words ...string) {
	if !p.accept(words...) {
		p.unexpected()
	}
}

// reserved words cannot be columns, so that they end an expression.
var reserved = wordSet(`all analyse analyze and any array as asc asymmetric both case cast check collate column
	constraint create default deferrable desc distinct do else end except false fetch for foreign from grant group
	having in initially intersect into lateral leading limit not null offset on only or order placing primary
	references returning select some symmetric table then to trailing true union unique user using variadic
	when where window with`)

func wordSet(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		unsupported("expression nested too deep")
	}
}

// expr reads an expression whose operators bind at least as strongly as least.
func (p *parser) expr(least int) *ast {
	p.enter()
	defer func() { p.depth-- }()
	left := p.prefix()
	// A comparison or BETWEEN does not associate: a = b = c is an error.
	for {
		t := p.peek()
		switch t.kind {
		case tokOp:
			prec := binaryPrec(t.text)
			if prec < least {
				return left
			}
			p.i++
			left = p.binary(t.text, left, prec)
			if prec == precCompare && p.peek().kind == tokOp && binaryPrec(p.peek().text) == precCompare {
				p.unexpected()
			}
		case tokPunct:
			switch {
			case t.text == "::" && precCast >= least:
				p.i++
				left = &ast{kind: astCast, args: []*ast{left}, typ: p.typeName()}
			case t.text == "[" && precSubscript >= least:
				left = p.subscript(left)
			default:
				return left
			}
		case tokIdent:
			next, ok := p.wordOperator(left, least)
			if !ok {
				return left
			}
			left = next
		default:
			return left
		}
	}
}

func binaryPrec(op string) int {
	switch op {
	case "<", ">", "=", "<=", ">=", "<>":
		return precCompare
	case "+", "-":
		return precAdd
	case "*", "/", "%":
		return precMul
	case "^":
		return precPower
	}
	return precOp
}

// binary reads what follows an operator: its right side, or ANY (...).
func (p *parser) binary(op string, left *ast, prec int) *ast {
	if t := p.peek(); t.kind == tokIdent && (t.text == "any" || t.text == "some" || t.text == "all") && p.peekN(1).text == "(" {
		p.i++
		return p.anyAll(op, left, t.text == "all")
	}
	return &ast{kind: astOp, text: op, args: []*ast{left, p.expr(prec + 1)}}
}

func (p *parser) anyAll(op string, left *ast, all bool) *ast {
	p.expect("(")
	p.noSubquery()
	a := &ast{kind: astAny, text: op, flag: all, args: []*ast{left, p.expr(precOr)}}
	p.expect(")")
	return a
}

func (p *parser) noSubquery() {
	if p.is("select") || p.is("values") || p.is("with") {
		unsupported("subquery")
	}
}

// wordOperator reads an operator that is a keyword.
func (p *parser) wordOperator(left *ast, least int) (*ast, bool) {
	one := []*ast{left}
	switch p.peek().text {
	case "or":
		if precOr >= least {
			p.i++
			return &ast{kind: astOr, args: []*ast{left, p.expr(precOr + 1)}}, true
		}
	case "and":
		if precAnd >= least {
			p.i++
			return &ast{kind: astAnd, args: []*ast{left, p.expr(precAnd + 1)}}, true
		}
	case "isnull", "notnull":
		if precIs >= least {
			return &ast{kind: astIsNull, args: one, not: p.next().text == "notnull"}, true
		}
	case "is":
		if precIs >= least {
			p.i++
			return p.is_(left), true
		}
	case "operator":
		if precOp >= least && p.peekN(1).text == "(" {
			p.i++
			return p.binary(p.qualifiedOperator(), left, precOp), true
		}
	case "collate":
		if precCollate >= least {
			p.i++
			return &ast{kind: astCollate, args: one, names: p.qualifiedName()}, true
		}
	case "at":
		if precAt >= least {
			if p.accept("at", "time", "zone") {
				return call("timezone", p.expr(precAt+1), left), true
			}
			if p.accept("at", "local") {
				return call("timezone", left), true
			}
		}
	case "not", "between", "in", "like", "ilike", "similar":
		if precBetween >= least {
			return p.between(left)
		}
	}
	return nil, false
}

func call(name string, args ...*ast) *ast {
	return &ast{kind: astFunc, names: []string{"pg_catalog", name}, args: args}
}

func (p *parser) is_(left *ast) *ast {
	not := p.accept("not")
	one := []*ast{left}
	switch {
	case p.accept("null"):
		return &ast{kind: astIsNull, args: one, not: not}
	case p.is("true"), p.is("false"), p.is("unknown"):
		return &ast{kind: astIsBool, args: one, not: not, text: p.next().text}
	case p.accept("distinct", "from"):
		return &ast{kind: astDistinct, args: []*ast{left, p.expr(precIs + 1)}, not: not}
	case p.is("json"), p.is("document"), p.is("normalized"), p.is("nfc"), p.is("nfd"), p.is("nfkc"), p.is("nfkd"):
		unsupported("IS " + strings.ToUpper(p.peek().text))
	}
	p.unexpected()
	return nil
}

// between reads BETWEEN, IN, LIKE, ILIKE and SIMILAR TO, with or without NOT.
func (p *parser) between(left *ast) (*ast, bool) {
	start := p.i
	not := p.accept("not")
	switch {
	case p.accept("between"):
		symmetric := p.accept("symmetric")
		if !symmetric {
			p.accept("asymmetric")
		}
		low := p.expr(precBetween + 1)
		p.expect("and")
		return &ast{kind: astBetween, not: not, flag: symmetric, args: []*ast{left, low, p.expr(precBetween + 1)}}, true
	case p.accept("in"):
		p.expect("(")
		p.noSubquery()
		a := &ast{kind: astIn, not: not, args: []*ast{left}}
		a.args = append(a.args, p.list()...)
		p.expect(")")
		return a, true
	case p.is("like"), p.is("ilike"):
		op := "~~"
		if p.next().text == "ilike" {
			op = "~~*"
		}
		if not {
			op = "!" + op
		}
		if t := p.peek(); t.kind == tokIdent && (t.text == "any" || t.text == "some" || t.text == "all") && p.peekN(1).text == "(" {
			p.i++
			return p.anyAll(op, left, t.text == "all"), true
		}
		right := p.expr(precBetween + 1)
		if p.accept("escape") {
			right = call("like_escape", right, p.expr(precBetween+1))
		}
		return &ast{kind: astOp, text: op, args: []*ast{left, right}}, true
	case p.accept("similar", "to"):
		args := []*ast{p.expr(precBetween + 1)}
		if p.accept("escape") {
			args = append(args, p.expr(precBetween+1))
		}
		op := "~"
		if not {
			op = "!~"
		}
		return &ast{kind: astOp, text: op, args: []*ast{left, call("similar_to_escape", args...)}}, true
	}
	p.i = start
	return nil, false
}

// qualifiedOperator reads "(schema.op)" after OPERATOR.
func (p *parser) qualifiedOperator() string {
	p.expect("(")
	for p.peek().kind == tokIdent || p.peek().kind == tokQuoted {
		if s := p.next().text; s != "pg_catalog" {
			unsupported("operator of schema " + s)
		}
		p.expect(".")
	}
	if p.peek().kind != tokOp {
		p.unexpected()
	}
	op := p.next().text
	p.expect(")")
	return op
}

func (p *parser) qualifiedName() []string {
	var names []string
	for {
		t := p.peek()
		if t.kind != tokIdent && t.kind != tokQuoted {
			p.unexpected()
		}
		p.i++
		names = append(names, t.text)
		if !p.accept(".") {
			return names
		}
	}
}

func (p *parser) list() []*ast {
	list := []*ast{p.expr(precOr)}
	for p.accept(",") {
		list = append(list, p.expr(precOr))
	}
	return list
}

func (p *parser) subscript(left *ast) *ast {
	p.expect("[")
	var low, high *ast
	if !p.is(":") {
		low = p.expr(precOr)
	}
	if p.accept(":") {
		if !p.is("]") {
			high = p.expr(precOr)
		}
		p.expect("]")
		return &ast{kind: astSlice, args: []*ast{left, low, high}}
	}
	p.expect("]")
	return &ast{kind: astSubscript, args: []*ast{left, low}}
}
