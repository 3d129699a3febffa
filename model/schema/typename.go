package schema

import (
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
	if name == "bpchar" && len(args) > 0 && schema == "" {
		ct.typ = pgtype.Lookup("character") // the same type under its name in SQL
	}
	if ct.typ == nil {
		ct.typ = p.findType(schema, name, start)
	}
	if len(args) > 0 && !ct.typ.Opaque {
		mod, err := pgtype.TypmodIn(ct.typ, args)
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
			elem := ct.typ
			if ct.typ = pgtype.ArrayOf(elem); ct.typ == nil {
				ct.typ = pgtype.NewOpaque(elem.Schema, elem.Name+"[]") // a pseudo-type
			}
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

// intervalArgs reads the fields and the precision of an interval, in the form
// that pgtype.TypmodIn takes: "day to second", "3".
func (p *parser) intervalArgs() []string {
	if p.is("(") {
		return p.typeArgs()
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
	fields := order[first]
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
		fields += " to " + order[last]
	}
	args := []string{fields}
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
