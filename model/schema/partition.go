package schema

import "strings"

// partitionBy reads PARTITION BY after those words. Its columns are looked up
// once the table has them.
func (p *parser) partitionBy(def *tableDef, t *Table) {
	at := p.peek()
	by := p.name(`"RANGE", "LIST" or "HASH"`)
	switch by {
	case "range", "list", "hash":
	default:
		p.failAt(at, "found %q, expected RANGE, LIST or HASH", by)
		return
	}
	part := &Partition{By: by}
	// An expression's names must be known to indexKey; the table under
	// construction lends it the columns.
	lend := &Table{Schema: t.Schema, Name: t.Name}
	for i := range def.columns {
		lend.Columns = append(lend.Columns, def.columns[i].Column)
	}
	if t.Parent != nil {
		lend.Columns = t.Parent.Columns
	}
	p.expect("(")
	for p.err == nil {
		k := p.indexKey(lend)
		if k.column != "" {
			k.Expr = k.column // resolved by resolvePartition
			k.Column = 0
		}
		part.Keys = append(part.Keys, k.IndexKey)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if len(part.Keys) > maxIndexKeys {
		p.failAt(at, "found %d columns in PARTITION BY, expected %d at most", len(part.Keys), maxIndexKeys)
	}
	t.Kind, t.Partition = 'p', part
}

// resolvePartition turns the names of the key columns into numbers.
func (p *parser) resolvePartition(t *Table) {
	for i := range t.Partition.Keys {
		k := &t.Partition.Keys[i]
		if k.Column < 0 {
			continue
		}
		name := k.Expr
		k.Expr = ""
		if k.Column = t.Column(name); k.Column < 0 {
			p.fail("found column %q in PARTITION BY, expected one of table %s", name, t.QualifiedName())
			return
		}
	}
}

// bound reads FOR VALUES ... or DEFAULT.
func (p *parser) bound(parent *Table) *Bound {
	b := &Bound{}
	if p.accept("default") {
		b.Default = true
		return b
	}
	p.expect("for", "values")
	switch {
	case p.accept("in"):
		b.In = p.boundValues()
	case p.accept("from"):
		b.From = p.boundValues()
		p.expect("to")
		b.To = p.boundValues()
	case p.accept("with"):
		p.expect("(")
		for p.err == nil {
			switch {
			case p.accept("modulus"):
				b.Modulus = int(p.number("the modulus"))
			case p.accept("remainder"):
				b.Remainder = int(p.number("the remainder"))
			default:
				p.expected(`"MODULUS" or "REMAINDER"`)
			}
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		switch {
		case p.err != nil:
		case b.Modulus <= 0:
			p.fail("found modulus %d, expected a number above 0", b.Modulus)
		case b.Remainder < 0 || b.Remainder >= b.Modulus:
			p.fail("found remainder %d, expected a number from 0 to %d", b.Remainder, b.Modulus-1)
		}
	default:
		p.expected(`"IN", "FROM" or "WITH"`)
	}
	kind := "list"
	switch {
	case b.From != nil:
		kind = "range"
	case b.In == nil:
		kind = "hash"
	}
	if p.err == nil && parent.Partition != nil && kind != parent.Partition.By {
		p.fail("found a bound for %s partitioning, expected one for %s, as table %s is partitioned", kind, parent.Partition.By, parent.QualifiedName())
	}
	return b
}

// boundValues reads a parenthesised list of bound values.
func (p *parser) boundValues() []BoundValue {
	list := []BoundValue{}
	p.expect("(")
	for p.err == nil && !p.is(")") {
		list = append(list, p.boundValue())
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// boundValue reads one value. A constant, with a cast or a type name or not,
// is given as its text.
func (p *parser) boundValue() BoundValue {
	from := p.i
	text := p.exprUntil("a value", func() bool { return p.is(",") })
	if p.err != nil {
		return BoundValue{}
	}
	a, b := p.stripParens(from, p.i)
	toks := p.st.toks[a:b]
	first := toks[0]
	if first.kind == tokIdent && len(toks) == 1 {
		switch first.text {
		case "null":
			return BoundValue{Null: true}
		case "minvalue":
			return BoundValue{MinValue: true}
		case "maxvalue":
			return BoundValue{MaxValue: true}
		case "true", "false":
			return BoundValue{Text: first.text}
		}
	}
	sign := ""
	if len(toks) > 1 && toks[0].kind == tokOp && (first.text == "-" || first.text == "+") && toks[1].kind == tokNumber {
		sign = strings.TrimPrefix(first.text, "+")
		toks = toks[1:]
	}
	constant := len(toks) == 1 || toks[1].kind == tokPunct && toks[1].text == "::"
	for _, t := range toks[1:] {
		if t.kind == tokOp {
			constant = false
		}
	}
	if constant && (toks[0].kind == tokString || toks[0].kind == tokNumber) {
		return BoundValue{Text: sign + toks[0].text}
	}
	if last := toks[len(toks)-1]; last.kind == tokString && first.kind == tokIdent && !p.hasOperator(a, b) {
		return BoundValue{Text: last.text} // date '2026-01-01'
	}
	return BoundValue{Text: text, Expr: true}
}

func (p *parser) hasOperator(from, to int) bool {
	for _, t := range p.st.toks[from:to] {
		if t.kind == tokOp || t.kind == tokPunct && t.text != "." {
			return true
		}
	}
	return false
}
