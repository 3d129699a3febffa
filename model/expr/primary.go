package expr

import "strings"

// prefix reads an operand with the prefix operators in front of it.
func (p *parser) prefix() *ast {
	t := p.peek()
	switch {
	case t.kind == tokOp && (t.text == "-" || t.text == "+"):
		p.i++
		operand := p.expr(precMinus)
		if t.text == "-" && operand.kind == astNumber {
			// The grammar negates a constant itself, so that the smallest
			// integer is one.
			if rest, ok := strings.CutPrefix(operand.text, "-"); ok {
				operand.text = rest
			} else {
				operand.text = "-" + operand.text
			}
			return operand
		}
		return &ast{kind: astOp, text: t.text, args: []*ast{operand}}
	case t.kind == tokOp:
		p.i++
		return &ast{kind: astOp, text: t.text, args: []*ast{p.expr(precOp + 1)}}
	case t.kind == tokIdent && t.text == "not":
		p.i++
		return &ast{kind: astNot, args: []*ast{p.expr(precNot)}}
	}
	return p.primary()
}

func (p *parser) primary() *ast {
	t := p.peek()
	switch t.kind {
	case tokNumber:
		p.i++
		return &ast{kind: astNumber, text: t.text}
	case tokString:
		p.i++
		return &ast{kind: astString, text: t.text}
	case tokBits:
		p.i++
		return &ast{kind: astBits, text: t.text}
	case tokPunct:
		if t.text == "(" {
			return p.parenthesised()
		}
	case tokQuoted:
		return p.name()
	case tokIdent:
		if p.peekN(1).text != "." || p.peekN(1).kind != tokPunct {
			if a := p.keyword(t.text); a != nil {
				return a
			}
			if reserved[t.text] {
				p.unexpected()
			}
		}
		return p.name()
	}
	p.unexpected()
	return nil
}

func (p *parser) parenthesised() *ast {
	p.expect("(")
	p.noSubquery()
	list := p.list()
	p.expect(")")
	if len(list) > 1 {
		return &ast{kind: astRow, args: list}
	}
	a := list[0]
	if a.kind == astNumber && strings.HasPrefix(a.text, "-") {
		// (-1) is a constant as well, but a minus in front must not find it.
		a = &ast{kind: astNumber, text: a.text}
	}
	for p.is(".") {
		p.i++
		t := p.next()
		if t.kind != tokIdent && t.kind != tokQuoted {
			p.unexpected()
		}
		a = &ast{kind: astField, text: t.text, args: []*ast{a}}
	}
	return a
}

// sqlValues are the functions without parentheses.
var sqlValues = wordSet(`current_date current_time current_timestamp localtime localtimestamp current_role
	current_user session_user system_user user current_catalog current_schema`)

// keyword reads an operand that begins with a keyword; nil if there is none.
func (p *parser) keyword(word string) *ast {
	paren := p.peekN(1).kind == tokPunct && p.peekN(1).text == "("
	switch word {
	case "null":
		p.i++
		return &ast{kind: astNull}
	case "true", "false":
		p.i++
		return &ast{kind: astBool, text: word}
	case "case":
		return p.caseExpr()
	case "array":
		p.i++
		if p.is("(") {
			unsupported("subquery")
		}
		return p.arrayExpr()
	case "exists":
		if paren {
			unsupported("subquery")
		}
	case "row":
		if paren {
			p.i += 2
			a := &ast{kind: astRow}
			if !p.is(")") {
				a.args = p.list()
			}
			p.expect(")")
			return a
		}
	}
	if sqlValues[word] && !(word == "current_schema" && paren) {
		p.i++
		a := &ast{kind: astValue, text: word}
		if paren && strings.Contains(word, "time") {
			a.typ = &typeName{mods: p.typeArgs()}
		}
		return a
	}
	if paren {
		if a := p.specialCall(word); a != nil {
			return a
		}
	}
	return p.typedLiteral()
}

func (p *parser) caseExpr() *ast {
	p.expect("case")
	a := &ast{kind: astCase, args: []*ast{nil, nil}}
	if !p.is("when") {
		a.args[0] = p.expr(precOr)
	}
	for p.accept("when") {
		when := p.expr(precOr)
		p.expect("then")
		a.args = append(a.args, when, p.expr(precOr))
	}
	if len(a.args) == 2 {
		p.unexpected()
	}
	if p.accept("else") {
		a.args[1] = p.expr(precOr)
	}
	p.expect("end")
	return a
}

// arrayExpr reads "[a, b]", in which an inner "[...]" needs no ARRAY.
func (p *parser) arrayExpr() *ast {
	p.enter()
	defer func() { p.depth-- }()
	p.expect("[")
	a := &ast{kind: astArray}
	if p.accept("]") {
		return a
	}
	for {
		if p.is("[") {
			a.args = append(a.args, p.arrayExpr())
		} else {
			a.args = append(a.args, p.expr(precOr))
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect("]")
	return a
}

// specialCall reads the functions that have a syntax of their own.
func (p *parser) specialCall(word string) *ast {
	kinds := map[string]astKind{"coalesce": astCoalesce, "greatest": astGreatest, "least": astLeast, "nullif": astNullif}
	if kind, ok := kinds[word]; ok {
		p.i += 2
		a := &ast{kind: kind, args: p.list()}
		p.expect(")")
		if kind == astNullif && len(a.args) != 2 {
			p.fail("at or near %q", ")")
		}
		return a
	}
	switch word {
	case "cast":
		p.i += 2
		a := &ast{kind: astCast, args: []*ast{p.expr(precOr)}}
		p.expect("as")
		a.typ = p.typeName()
		p.expect(")")
		return a
	case "extract":
		p.i += 2
		field := p.next()
		if field.kind != tokIdent && field.kind != tokQuoted && field.kind != tokString {
			p.unexpected()
		}
		p.expect("from")
		a := call("extract", &ast{kind: astString, text: field.text}, p.expr(precOr))
		p.expect(")")
		return a
	case "position":
		p.i += 2
		needle := p.expr(precBetween + 1)
		p.expect("in")
		a := call("position", p.expr(precBetween+1), needle)
		p.expect(")")
		return a
	case "substring":
		return p.substring()
	case "overlay":
		p.i += 2
		args := []*ast{p.expr(precOr)}
		if p.accept("placing") {
			args = append(args, p.expr(precOr))
			p.expect("from")
			args = append(args, p.expr(precOr))
			if p.accept("for") {
				args = append(args, p.expr(precOr))
			}
		} else {
			for p.accept(",") {
				args = append(args, p.expr(precOr))
			}
		}
		p.expect(")")
		return call("overlay", args...)
	case "trim":
		return p.trim()
	case "xmlelement", "xmlforest", "xmlconcat", "xmlparse", "xmlpi", "xmlroot", "xmlserialize", "xmlexists", "normalize",
		"json", "json_scalar", "json_serialize", "json_object", "json_array", "json_value", "json_query", "json_exists",
		"json_objectagg", "json_arrayagg", "grouping", "treat", "merge_action":
		unsupported("function " + word)
	}
	return nil
}

// substring reads (s FROM a FOR b), (s FOR b FROM a), (s SIMILAR p ESCAPE e)
// and the plain form.
func (p *parser) substring() *ast {
	p.i += 2
	args := []*ast{p.expr(precOr)}
	switch {
	case p.accept("from"):
		args = append(args, p.expr(precOr))
		if p.accept("for") {
			args = append(args, p.expr(precOr))
		}
	case p.accept("for"):
		n := p.expr(precOr)
		from := &ast{kind: astNumber, text: "1"}
		if p.accept("from") {
			from = p.expr(precOr)
		}
		n = &ast{kind: astCast, args: []*ast{n}, typ: &typeName{name: "int4"}}
		args = append(args, from, n)
	case p.is("similar"):
		unsupported("SUBSTRING ... SIMILAR")
	default:
		for p.accept(",") {
			args = append(args, p.expr(precOr))
		}
	}
	p.expect(")")
	return call("substring", args...)
}

func (p *parser) trim() *ast {
	p.i += 2
	name := "btrim"
	switch {
	case p.accept("leading"):
		name = "ltrim"
	case p.accept("trailing"):
		name = "rtrim"
	default:
		p.accept("both")
	}
	var args []*ast
	if p.accept("from") {
		args = p.list()
	} else {
		first := p.expr(precOr)
		if p.accept("from") {
			args = append(p.list(), first)
		} else {
			args = []*ast{first}
			for p.accept(",") {
				args = append(args, p.expr(precOr))
			}
		}
	}
	p.expect(")")
	return call(name, args...)
}

// name reads a column or a function call.
func (p *parser) name() *ast {
	if a := p.typedLiteral(); a != nil {
		return a
	}
	names := p.qualifiedName()
	if !p.is("(") {
		return &ast{kind: astColumn, names: names}
	}
	p.i++
	a := &ast{kind: astFunc, names: names}
	if p.accept(")") {
		return p.afterCall(a)
	}
	if p.is("*") || p.is("distinct") {
		unsupported("aggregate function " + strings.Join(names, "."))
	}
	for {
		a.flag = p.accept("variadic")
		if p.peekN(1).text == "=>" {
			p.i += 2
			a.text = "named"
		}
		a.args = append(a.args, p.expr(precOr))
		if a.flag || !p.accept(",") {
			break
		}
	}
	if a.text == "named" {
		unsupported("named arguments of function " + strings.Join(names, "."))
	}
	p.expect(")")
	return p.afterCall(a)
}

func (p *parser) afterCall(a *ast) *ast {
	if p.is("over") || p.is("filter") || p.is("within") {
		unsupported("window or aggregate function " + strings.Join(a.names, "."))
	}
	return a
}
