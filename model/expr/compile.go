package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

type compiler struct {
	table *schema.Table
	opts  *Options
	expr  *Expr
	depth int
}

func (c *compiler) constant(t *pgtype.Type, v datum.Value) *node {
	return &node{typ: t, typmod: -1, konst: true, value: v, col: -1,
		eval: func(*Scratch) (datum.Value, error) { return v, nil }}
}

// derive makes a node from its arguments: constant if they are.
func (c *compiler) derive(t *pgtype.Type, args []*node, eval evalFunc) *node {
	n := &node{typ: t, typmod: -1, eval: eval, col: -1}
	pure := true
	for _, a := range args {
		n.hasVar = n.hasVar || a.hasVar
		n.impure = n.impure || a.impure
		if n.late == "" {
			n.late = a.late
		}
		pure = pure && a.konst
		n.mergeCollation(a)
	}
	if t.Collation == "" {
		n.coll, n.collBy = "", 0
	}
	if pure && !n.impure && n.late == "" {
		// An error stays for Eval: CASE may never come to it.
		s := Scratch{slots: make([]datum.Value, c.expr.slots)}
		if v, err := eval(&s); err == nil {
			n.konst, n.value = true, v
			n.eval = func(*Scratch) (datum.Value, error) { return v, nil }
		} else if u, ok := err.(*UnsupportedError); ok {
			n.late = u.What
		}
	}
	return n
}

// mergeCollation is how collations of arguments combine (parse_collate.c).
func (n *node) mergeCollation(a *node) {
	switch {
	case a.collBy == 0:
	case n.collBy == 0 || a.collBy == 'e' && n.collBy != 'e':
		n.coll, n.collBy = a.coll, a.collBy
	case n.collBy == 'e' && a.collBy == 'e':
		if n.coll != a.coll {
			fail("collation mismatch between explicit collations %q and %q", n.coll, a.coll)
		}
	case n.collBy == 'e':
	case n.coll != a.coll:
		switch { // a default collation gives way to any other
		case n.coll == "":
			n.coll = a.coll
		case a.coll != "":
			n.collBy = 'x'
		}
	}
}

func (c *compiler) compile(a *ast) *node {
	if c.depth++; c.depth > maxDepth {
		unsupported("expression nested too deep")
	}
	defer func() { c.depth-- }()
	switch a.kind {
	case astNumber:
		return c.number(a.text)
	case astString:
		n := c.constant(unknownType, datum.Value{Bytes: []byte(a.text)})
		n.literal = true
		return n
	case astBits:
		return c.bits(a.text)
	case astNull:
		n := c.constant(unknownType, null)
		n.literal = true
		return n
	case astBool:
		return c.constant(typeBool, boolean(a.text == "true"))
	case astColumn:
		return c.column(a.names)
	case astCast:
		return c.cast(a)
	case astOp:
		args := make([]*node, len(a.args))
		for i := range a.args {
			args[i] = c.compile(a.args[i])
		}
		return c.op(a.text, args...)
	case astAnd, astOr:
		return c.andOr(a)
	case astNot:
		return c.not(c.boolArg(a.args[0], "NOT"))
	case astIsNull:
		return c.isNull(c.compile(a.args[0]), a.not)
	case astIsBool:
		return c.isBool(c.boolArg(a.args[0], "IS "+strings.ToUpper(a.text)), a.text, a.not)
	case astDistinct:
		return c.distinct(c.compile(a.args[0]), c.compile(a.args[1]), a.not)
	case astBetween:
		return c.between(a)
	case astIn:
		return c.in(a)
	case astAny:
		return c.scalarArray(a.text, c.compile(a.args[0]), c.compile(a.args[1]), a.flag)
	case astCase:
		return c.caseWhen(a)
	case astCoalesce:
		return c.coalesce(c.compileAll(a.args))
	case astGreatest, astLeast:
		return c.minMax(c.compileAll(a.args), a.kind == astGreatest)
	case astNullif:
		return c.nullif(c.compile(a.args[0]), c.compile(a.args[1]))
	case astArray:
		return c.arrayOf(a, nil)
	case astFunc:
		return c.function(a)
	case astSubscript:
		return c.subscript(c.compile(a.args[0]), c.compile(a.args[1]))
	case astSlice:
		unsupported("array slice")
	case astCollate:
		n := *c.compile(a.args[0])
		if n.typ.OID == oidUnknown {
			n = *c.coerce(&n, typeText, -1, implicit)
		}
		if n.typ.Collation == "" {
			fail("collations are not supported by type %s", n.typ)
		}
		n.coll, n.collBy, n.col = collationName(strings.Join(a.names, ".")), 'e', -1
		return &n
	case astRow:
		unsupported("row constructor")
	case astField:
		return c.field(c.compile(a.args[0]), a.text)
	case astValue:
		return c.sqlValue(a)
	}
	panic("expr: unknown node")
}

func (c *compiler) compileAll(list []*ast) []*node {
	nodes := make([]*node, len(list))
	for i := range list {
		nodes[i] = c.compile(list[i])
	}
	return nodes
}

// collationName brings the names of the C collation to "C".
func collationName(name string) string {
	name = strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, "pg_catalog."), `"pg_catalog".`), `"`, "")
	switch name {
	case "default":
		return ""
	case "C", "POSIX", "ucs_basic":
		return "C"
	}
	return strings.TrimPrefix(name, "public.")
}

// number gives a literal the smallest of integer, bigint and numeric.
func (c *compiler) number(text string) *node {
	if n, err := strconv.ParseInt(text, 0, 64); err == nil || !strings.ContainsAny(text, ".eExXoObB") {
		if err != nil || strings.HasPrefix(strings.TrimPrefix(text, "-"), "0") {
			// A leading zero is not octal in SQL.
			n, err = strconv.ParseInt(text, 10, 64)
			if strings.ContainsAny(text, "xXoObB") {
				n, err = strconv.ParseInt(text, 0, 64)
			}
		}
		switch {
		case err != nil:
		case n == int64(int32(n)):
			return c.constant(typeInt4, datum.Value{Bits: uint64(n)})
		default:
			return c.constant(typeInt8, datum.Value{Bits: uint64(n)})
		}
	}
	v, _, err := typeNumeric.Input([]byte(text), -1, nil)
	if err != nil {
		fail("%v", err)
	}
	return c.constant(typeNumeric, v)
}

func (c *compiler) bits(text string) *node {
	body := text[1:]
	if text[0] == 'x' {
		body = "x" + body
	}
	t := pgtype.ByOID(1560)
	v, _, err := t.Input([]byte(body), -1, nil)
	if err != nil {
		fail("%v", err)
	}
	return c.constant(t, v)
}

func (c *compiler) column(names []string) *node {
	t := c.table
	name := names[len(names)-1]
	if t == nil {
		fail("column %q does not exist", strings.Join(names, "."))
	}
	if len(names) > 3 || len(names) >= 2 && names[len(names)-2] != t.Name || len(names) == 3 && names[0] != t.Schema {
		fail("missing FROM-clause entry for table %q", names[len(names)-2])
	}
	i := t.Column(name)
	if i < 0 {
		if len(names) == 1 && name == t.Name || name == "ctid" || name == "tableoid" || name == "xmin" || name == "xmax" {
			unsupported("whole-row or system column " + name)
		}
		fail("column %q does not exist", name)
	}
	col := &t.Columns[i]
	if col.Generated == 'v' {
		// A virtual column is not stored: it is its expression.
		a, err := parse(col.GeneratedExpr)
		if err != nil {
			panic(bail{err})
		}
		return c.assign(c.compile(a), col.Type, col.Typmod)
	}
	c.expr.cols = append(c.expr.cols, i)
	n := &node{typ: col.Type, typmod: col.Typmod, hasVar: true, col: i}
	if col.Type.Collation != "" {
		n.coll, n.collBy = collationName(col.Collation), 'i'
		if col.Collation == "" {
			n.coll = collationName(col.Type.Collation)
		}
	}
	if b := col.Type.Base(); b.Opaque {
		n.late = "values of type " + col.Type.String()
	}
	n.eval = func(s *Scratch) (datum.Value, error) { return s.row[i], nil }
	return n
}

// resolveType finds the type that a cast names, with its modifier.
func (c *compiler) resolveType(tn *typeName) (*pgtype.Type, int32) {
	var t *pgtype.Type
	builtin := tn.schema == "" || tn.schema == "pg_catalog"
	name := tn.name
	if builtin && name == strings.ToLower(name) && !strings.ContainsAny(name, " []\"") {
		lookup := name
		if name == "char" {
			lookup = `"char"`
		}
		t = pgtype.Lookup(lookup)
	}
	if t == nil && c.opts.Resolve != nil {
		if tn.schema != "" {
			t = c.opts.Resolve(tn.schema + "." + name)
		} else {
			t = c.opts.Resolve(name)
		}
	}
	if t == nil && c.table != nil {
		t = c.typeOfColumns(tn)
	}
	if t == nil && builtin && strings.HasPrefix(name, "_") {
		if elem := pgtype.Lookup(name[1:]); elem != nil {
			t = pgtype.ArrayOf(elem)
		}
	}
	if t == nil {
		unsupported("type " + tn.String())
	}
	if name == "bpchar" && len(tn.mods) > 0 {
		t = pgtype.Lookup("character")
	}
	typmod := int32(-1)
	if len(tn.mods) > 0 {
		var err error
		if typmod, err = pgtype.TypmodIn(t, tn.mods); err != nil {
			fail("%v", err)
		}
	}
	if tn.array {
		if t = pgtype.ArrayOf(t); t == nil {
			unsupported("type " + tn.String())
		}
	}
	return t, typmod
}

// typeOfColumns finds a type by name among those of the table's columns.
func (c *compiler) typeOfColumns(tn *typeName) *pgtype.Type {
	for i := range c.table.Columns {
		for t := c.table.Columns[i].Type; t != nil; t = t.Elem {
			if t.Name == tn.name && (tn.schema == "" || tn.schema == t.Schema) && t.Kind != pgtype.KindArray {
				return t
			}
		}
	}
	return nil
}

func (c *compiler) cast(a *ast) *node {
	t, typmod := c.resolveType(a.typ)
	var n *node
	if a.args[0].kind == astArray && t.Base().Kind == pgtype.KindArray {
		// The type of the cast is that of the constructor's elements.
		n = c.arrayOf(a.args[0], t.Base())
	} else {
		n = c.compile(a.args[0])
	}
	n = c.coerce(n, t, typmod, explicit)
	if typmod < 0 && n.typmod >= 0 && t.Kind != pgtype.KindDomain {
		m := *n
		m.typmod = -1
		n = &m
	}
	return n
}

// op resolves an operator and applies it.
func (c *compiler) op(name string, args ...*node) *node {
	types := typesOf(args)
	s, ambiguous := findOperator(name, types)
	if s == nil {
		what := operatorText(name, types)
		switch {
		case slices.ContainsFunc(types, func(t *pgtype.Type) bool { return t.Base().Opaque }) || len(catalog().operators[name]) == 0:
			unsupported("operator " + what)
		case ambiguous:
			fail("operator is not unique: %s", what)
		}
		fail("operator does not exist: %s", what)
	}
	return c.apply(s, args, "operator "+operatorText(name, types), false)
}

func operatorText(name string, types []*pgtype.Type) string {
	if len(types) == 1 {
		return fmt.Sprintf("%s %s", name, types[0])
	}
	return fmt.Sprintf("%s %s %s", types[0], name, types[1])
}

func typesOf(args []*node) []*pgtype.Type {
	types := make([]*pgtype.Type, len(args))
	for i, a := range args {
		types[i] = a.typ
	}
	return types
}

// function resolves a call and applies it.
func (c *compiler) function(a *ast) *node {
	name := a.names[len(a.names)-1]
	if len(a.names) > 2 || len(a.names) == 2 && a.names[0] != "pg_catalog" {
		unsupported("function " + strings.Join(a.names, "."))
	}
	args := c.compileAll(a.args)
	types := typesOf(args)
	what := "function " + functionText(name, types)
	if len(args) == 1 && !a.flag {
		// A type's name used as a function is a cast.
		if n := c.functionCast(name, args[0]); n != nil {
			return n
		}
	}
	s, ambiguous := findFunction(name, types, a.flag)
	switch {
	case ambiguous:
		fail("%s is not unique", what)
	case s == nil:
		// It may be one of the schema's own.
		unsupported(what)
	case a.flag && s.src == "text_concat":
		unsupported("VARIADIC of " + what)
	}
	if name == "nextval" && len(args) == 1 && len(args[0].value.Bytes) > 0 {
		c.expr.sequences = append(c.expr.sequences, string(args[0].value.Bytes))
	}
	return c.apply(s, args, what, a.flag)
}

func functionText(name string, types []*pgtype.Type) string {
	var b strings.Builder
	b.WriteString(name + "(")
	for i, t := range types {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.String())
	}
	return b.String() + ")"
}

// functionCast is the rule for text(x), date(x) and so on, where no function
// of that name takes x's type exactly.
func (c *compiler) functionCast(name string, arg *node) *node {
	for _, s := range catalog().functions[name] {
		if exactMatch(s.args, []*pgtype.Type{arg.typ}) && len(s.args) == 1 {
			return nil
		}
	}
	t := pgtype.Lookup(name)
	if t == nil || strings.ContainsAny(name, " []\"") || name == "char" || name == "character" {
		return nil
	}
	switch {
	case arg.typ.OID == oidUnknown:
	case findPath(t, arg.typ, explicit) == pathRelabel:
	case findPath(t, arg.typ, explicit) == pathText && category(arg.typ) != 'C':
	default:
		return nil
	}
	return c.coerce(arg, t, -1, explicit)
}
