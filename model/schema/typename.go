package schema

import (
	"slices"
	"strconv"
	"strings"

	"applysim/model/pgtype"
)

// columnType is a type as a column, a domain or a cast names it.
type columnType struct {
	typ      *pgtype.Type
	typmod   int32
	serial   bool   // serial, bigserial, smallserial
	internal string // the last part of pg_type's name: a column of an index over a cast is called so
}

// internalNames gives pg_type.typname of the types that SQL spells otherwise.
var internalNames = map[string]string{
	"int": "int4", "integer": "int4", "smallint": "int2", "bigint": "int8", "real": "float4",
	"decimal": "numeric", "dec": "numeric", "boolean": "bool",
}

var serialTypes = map[string]string{
	"serial": "int4", "serial4": "int4", "bigserial": "int8", "serial8": "int8", "smallserial": "int2", "serial2": "int2",
}

// lookupType finds a built-in type by its name in pg_type, which has no
// capitals: a quoted name that has some is another type's.
func lookupType(name string) *pgtype.Type {
	if strings.ToLower(name) != name || strings.ContainsAny(name, " []") {
		return nil
	}
	return pgtype.Lookup(name)
}

// typeName reads a type with its modifiers and array bounds.
func (p *parser) typeName(what string) columnType {
	start := p.peek()
	p.accept("setof")
	ct := columnType{typmod: -1}
	var args []string // of the type modifier
	schema, name := "", ""
	switch t := p.peek(); {
	case t.kind == tokIdent && !(p.peekN(1).kind == tokPunct && p.peekN(1).text == "."):
		name, args = p.plainType()
	case p.isName():
		schema, name = p.qname(what)
	default:
		p.expected(what)
		return ct
	}
	if p.err != nil {
		return ct
	}
	if schema == "" && start.kind == tokIdent && serialTypes[name] != "" {
		ct.serial = true
		name = serialTypes[name]
	}
	quotedChar := start.kind == tokQuoted && schema == "" || schema == "pg_catalog"
	if p.is("(") && args == nil {
		args = p.typeArgs()
	}
	ct.internal = name
	if quotedChar && name == "char" {
		ct.typ = pgtype.Lookup(`"char"`)
	} else if schema == "" && start.kind == tokIdent && name == "char" {
		name = "bpchar"
	}
	if ct.typ == nil {
		ct.typ = p.findType(schema, name, start)
	}
	if len(args) > 0 && !ct.typ.Opaque {
		mod, err := typmodIn(ct.typ, args)
		if err != nil {
			p.failAt(start, "found %s(%s), expected a modifier that the type takes: %v", name, strings.Join(args, ","), err)
			return ct
		}
		ct.typmod = mod
	}
	for array := false; p.err == nil; array = true {
		if p.accept("[") {
			if p.peek().kind == tokNumber {
				p.i++
			}
			p.expect("]")
		} else if !array && p.accept("array") {
			if p.accept("[") {
				p.number("the size of the array")
				p.expect("]")
			}
		} else {
			break
		}
		if !array {
			ct.typ = pgtype.ArrayOf(ct.typ)
		}
	}
	return ct
}

// plainType reads an unquoted type name of one or more words and returns its
// pg_type name. Modifiers are returned where SQL puts them between the words.
func (p *parser) plainType() (name string, args []string) {
	name = p.next().text
	switch name {
	case "double":
		if p.accept("precision") {
			return "float8", nil
		}
	case "float":
		if p.is("(") {
			if args := p.typeArgs(); len(args) == 1 {
				if n, err := strconv.Atoi(args[0]); err == nil && n <= 24 {
					return "float4", nil
				}
			}
		}
		return "float8", nil
	case "character", "char", "nchar", "national":
		if name == "national" && !p.accept("character") && !p.accept("char") {
			p.expected(`"CHARACTER" or "CHAR"`)
		}
		if p.accept("varying") {
			return "varchar", nil
		}
		if p.is("(") {
			return "bpchar", p.typeArgs()
		}
		return "bpchar", []string{"1"}
	case "bit":
		if p.accept("varying") {
			return "varbit", nil
		}
		if p.is("(") {
			return "bit", p.typeArgs()
		}
		return "bit", []string{"1"}
	case "timestamp", "time":
		if p.is("(") {
			args = p.typeArgs()
		}
		if p.accept("with", "time", "zone") {
			name += "tz"
		} else {
			p.accept("without", "time", "zone")
		}
	case "interval":
		return name, p.intervalArgs()
	default:
		if n := internalNames[name]; n != "" {
			name = n
		}
	}
	return name, args
}

// typeArgs reads "(10,2)".
func (p *parser) typeArgs() []string {
	args := []string{}
	p.expect("(")
	for p.err == nil && !p.is(")") {
		sign := ""
		if p.accept("-") {
			sign = "-"
		}
		t := p.peek()
		if t.kind == tokEOF || t.kind == tokPunct {
			p.expected("a type modifier")
			return args
		}
		p.i++
		args = append(args, sign+t.text)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return args
}

// Bits of an interval's typmod (REL_18_1, src/include/utils/datetime.h,
// INTERVAL_MASK; utils/timestamp.h, INTERVAL_FULL_RANGE).
var intervalBits = map[string]int{"month": 1 << 1, "year": 1 << 2, "day": 1 << 3, "hour": 1 << 10, "minute": 1 << 11, "second": 1 << 12}

const intervalFullRange = 0x7FFF

// intervalArgs reads the fields and the precision of an interval and returns
// them as the grammar gives them to intervaltypmodin: mask, precision.
func (p *parser) intervalArgs() []string {
	if p.is("(") {
		if args := p.typeArgs(); len(args) > 0 {
			return []string{strconv.Itoa(intervalFullRange), args[0]}
		}
		return nil
	}
	order := []string{"year", "month", "day", "hour", "minute", "second"}
	first, last := -1, -1
	for i, w := range order {
		if p.accept(w) {
			first, last = i, i
			break
		}
	}
	if first < 0 {
		return nil
	}
	if p.accept("to") {
		last = -1
		for i, w := range order {
			if i > first && p.accept(w) {
				last = i
				break
			}
		}
		if last < 0 {
			p.expected("a smaller field of the interval")
			return nil
		}
	}
	mask := 0
	for _, w := range order[first : last+1] {
		mask |= intervalBits[w]
	}
	args := []string{strconv.Itoa(mask)}
	if order[last] == "second" && p.is("(") {
		args = append(args, p.typeArgs()...)
	}
	return args
}

// findType looks a type up as the server does: pg_catalog first, then the
// search path. One that nobody knows (an extension's, say) becomes opaque.
func (p *parser) findType(schema, name string, at token) *pgtype.Type {
	if schema == "" || schema == "pg_catalog" {
		if t := lookupType(name); t != nil {
			return t
		}
	}
	if t := p.db.Type(schema, name); t != nil {
		return t
	}
	if strings.HasPrefix(name, "_") {
		// The name of an array type in pg_type.
		if elem := lookupType(name[1:]); elem != nil && (schema == "" || schema == "pg_catalog") {
			return pgtype.ArrayOf(elem)
		}
		if elem := p.db.Type(schema, name[1:]); elem != nil {
			return pgtype.ArrayOf(elem)
		}
	}
	if schema == "" {
		schema = p.db.path[0]
	}
	t := pgtype.NewOpaque(schema, name)
	p.db.Types[schema+"."+name] = t
	p.db.warn(p.st.file, p.st.lineOf(at), "type %s is not known: its values are taken as they come", qualified(schema, name))
	return t
}

func qualified(schema, name string) string {
	if schema == "" || schema == "public" {
		return name
	}
	return schema + "." + name
}

// Type finds a type that the script makes, or the row type of a table; with
// schema "" along the search path. Built-in types are pgtype.Lookup's.
func (d *Database) Type(schema, name string) *pgtype.Type {
	schemas := d.path
	if schema != "" {
		schemas = []string{schema}
	}
	for _, s := range schemas {
		if t := d.Types[s+"."+name]; t != nil {
			return t
		}
		if t := d.tables[objectName{s, name}]; t != nil {
			var fields []pgtype.Field
			for i := range t.Columns {
				if c := &t.Columns[i]; !c.Dropped {
					fields = append(fields, pgtype.Field{Name: c.Name, Type: c.Type, Typmod: c.Typmod})
				}
			}
			return pgtype.NewComposite(s, name, fields)
		}
	}
	return nil
}

// createType reads CREATE TYPE after the word TYPE.
func (p *parser) createType() {
	schema, name := p.newName("the name of the type")
	key := schema + "." + name
	if p.err == nil && (p.db.Types[key] != nil && !p.db.Types[key].Opaque || p.db.relationExists(objectName{schema, name})) {
		p.fail("found a second type %s, expected a name that is not taken", qualified(schema, name))
		return
	}
	var t *pgtype.Type
	switch {
	case p.accept("as", "enum"):
		labels := []string{}
		p.expect("(")
		for p.err == nil && !p.is(")") {
			labels = append(labels, p.string("the label of an enum in quotes"))
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		t = pgtype.NewEnum(schema, name, labels)
	case p.accept("as", "range"):
		p.rangeType(schema, name)
		p.end()
		return
	case p.accept("as"):
		var fields []pgtype.Field
		p.expect("(")
		for p.err == nil && !p.is(")") {
			f := pgtype.Field{Name: p.name("the name of an attribute")}
			ct := p.typeName("the type of the attribute")
			f.Type, f.Typmod = ct.typ, ct.typmod
			if p.accept("collate") {
				p.qname("the name of a collation")
			}
			fields = append(fields, f)
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		if p.err == nil {
			t = pgtype.NewComposite(schema, name, fields)
			p.db.others[objectName{schema, name}] = "composite type"
		}
	default:
		// A shell type or a base type in C: what it stores is not known here.
		if p.is("(") {
			p.skipParens()
		}
		t = pgtype.NewOpaque(schema, name)
		if !p.db.warned["type "+key] {
			p.db.warned["type "+key] = true
			p.warn("type %s is written in C: its values are taken as they come", qualified(schema, name))
		}
	}
	p.end()
	if p.err == nil {
		p.db.Types[key] = t
	}
}

// rangeType reads the parameters of a range type, which comes with a
// multirange type.
func (p *parser) rangeType(schema, name string) {
	var subtype *pgtype.Type
	multiSchema, multi := schema, ""
	p.expect("(")
	for p.err == nil && !p.is(")") {
		option := p.name("a parameter of the range type")
		p.expect("=")
		switch option {
		case "subtype":
			subtype = p.typeName("the subtype of the range").typ
		case "multirange_type_name":
			s, n := p.qname("the name of the multirange type")
			if multi = n; s != "" {
				multiSchema = s
			}
		default:
			p.exprUntil("a value", func() bool { return p.is(",") })
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	if p.err != nil {
		return
	}
	if subtype == nil {
		p.fail("found a range type without a subtype, expected SUBTYPE = type")
		return
	}
	rng, multirange := pgtype.NewRange(schema, name, subtype, multi)
	multirange.Schema = multiSchema
	p.db.Types[schema+"."+name] = rng
	p.db.Types[multiSchema+"."+multirange.Name] = multirange
}

// string reads a string constant.
func (p *parser) string(what string) string {
	t := p.peek()
	if t.kind != tokString {
		p.expected(what)
		return ""
	}
	p.i++
	return t.text
}

// alterType reads ALTER TYPE after the word TYPE.
func (p *parser) alterType() {
	schema, name := p.qname("the name of the type")
	t := p.db.Type(schema, name)
	if t == nil {
		if !p.is("owner", "to") {
			p.fail("found type %s, expected one that a statement before makes", qualified(schema, name))
		}
		return
	}
	switch {
	case p.accept("add", "value"):
		exists := p.accept("if", "not", "exists")
		label := p.string("the new label in quotes")
		if slices.Contains(t.Labels, label) {
			if !exists {
				p.fail("found the label %q again, expected one that enum %s does not have", label, name)
			}
			p.i = len(p.st.toks) - 1
			return
		}
		at := len(t.Labels)
		if after := p.is("after"); after || p.is("before") {
			p.i++
			ref := p.string("a label of the enum in quotes")
			if at = slices.Index(t.Labels, ref); at < 0 && p.err == nil {
				p.fail("found %q, expected a label of enum %s", ref, name)
			}
			if after {
				at++
			}
		}
		if p.err == nil {
			setLabels(t, slices.Insert(slices.Clone(t.Labels), at, label))
		}
	case p.accept("rename", "value"):
		from := p.string("a label of the enum in quotes")
		p.expect("to")
		to := p.string("the new label in quotes")
		for i, l := range t.Labels {
			if l == from {
				labels := slices.Clone(t.Labels)
				labels[i] = to
				setLabels(t, labels)
				return
			}
		}
		if p.err == nil {
			p.fail("found %q, expected a label of enum %s", from, name)
		}
	case p.accept("rename", "to"):
		p.renameType(t, t.Schema, p.name("the new name"))
	case p.accept("set", "schema"):
		p.renameType(t, p.name("the name of a schema"), t.Name)
	case p.is("owner"):
	default:
		p.warn("ALTER TYPE %s is passed over: only the labels of an enum are followed", qualified(schema, name))
	}
}

// setLabels gives an enum other labels. Columns and array types point to the
// type, so it stays where it is.
func setLabels(t *pgtype.Type, labels []string) {
	oid := t.OID
	*t = *pgtype.NewEnum(t.Schema, t.Name, labels)
	t.OID = oid
	pgtype.ArrayOf(t).Elem = t
}

func (p *parser) renameType(t *pgtype.Type, schema, name string) {
	if p.err != nil {
		return
	}
	old := objectName{t.Schema, t.Name}
	for key, v := range p.db.Types {
		if v == t {
			old = objectName{t.Schema, strings.TrimPrefix(key, t.Schema+".")}
			delete(p.db.Types, key)
			break
		}
	}
	if kind, ok := p.db.others[old]; ok {
		delete(p.db.others, old)
		p.db.others[objectName{schema, name}] = kind
	}
	t.Schema, t.Name = schema, name
	if a := pgtype.ArrayOf(t); a != nil && a != t {
		a.Schema, a.Name = schema, name+"[]"
	}
	p.db.Types[schema+"."+name] = t
}

// createDomain reads CREATE DOMAIN after the word DOMAIN.
func (p *parser) createDomain() {
	schema, name := p.newName("the name of the domain")
	p.accept("as")
	ct := p.typeName("the type of the domain")
	notnull := false
	for p.err == nil && !p.atEnd() {
		switch {
		case p.accept("not", "null"):
			notnull = true
		case p.accept("null"):
		case p.accept("constraint"):
			p.name("the name of a constraint")
		case p.accept("collate"):
			p.qname("the name of a collation")
		case p.accept("default"):
			p.exprUntil("the default value", p.atColumnClause)
		case p.accept("check"):
			p.parenExpr("a condition")
			p.accept("no", "inherit")
		case p.accept("not", "valid"), p.accept("not", "enforced"), p.accept("enforced"):
		default:
			p.expected("a constraint of the domain")
		}
	}
	if p.err == nil {
		t := pgtype.NewDomain(schema, name, ct.typ, ct.typmod, notnull)
		p.db.Types[schema+"."+name] = t
	}
}
