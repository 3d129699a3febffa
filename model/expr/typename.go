package expr

import (
	"strconv"
	"strings"
)

// typedLiteral reads TYPE 'text', in which the type may be of several words;
// nil, with nothing read, if that is not what comes.
func (p *parser) typedLiteral() (a *ast) {
	// Only a name that a string can follow is worth a try.
	t := p.peek()
	if t.kind == tokIdent && reserved[t.text] {
		return nil
	}
	start, depth := p.i, p.depth
	if n := p.peekN(1); !(n.kind == tokString || n.text == "." || n.kind == tokIdent || n.text == "(" || n.text == "[") {
		return nil
	}
	defer func() {
		// What does not read as a type is something else.
		if r := recover(); r != nil {
			if _, ok := r.(bail); !ok {
				panic(r)
			}
			p.i, p.depth, a = start, depth, nil
		}
	}()
	typ := p.typeName()
	if s := p.peek(); s.kind == tokString && !typ.array {
		p.i++
		if typ.name == "interval" && typ.mods == nil {
			typ.mods = p.intervalMods()
		}
		return &ast{kind: astCast, typ: typ, args: []*ast{{kind: astString, text: s.text}}}
	}
	p.i = start
	return nil
}

// typeName reads a type with modifiers and array bounds.
func (p *parser) typeName() *typeName {
	p.accept("setof")
	t := p.peek()
	typ := &typeName{}
	switch {
	case t.kind == tokIdent && p.peekN(1).text != ".":
		if reserved[t.text] {
			p.unexpected()
		}
		p.i++
		p.plainType(typ, t.text)
	case t.kind == tokIdent || t.kind == tokQuoted:
		names := p.qualifiedName()
		typ.name = names[len(names)-1]
		if len(names) > 1 {
			typ.schema = names[len(names)-2]
		}
		typ.quoted = true
	default:
		p.unexpected()
	}
	if typ.mods == nil && p.is("(") {
		typ.mods = p.typeArgs()
	}
	for p.is("[") {
		p.i++
		if p.peek().kind == tokNumber {
			p.i++
		}
		p.expect("]")
		typ.array = true
	}
	if p.is("array") && !typ.array {
		p.i++
		typ.array = true
		if p.accept("[") {
			p.i++
			p.expect("]")
		}
	}
	return typ
}

// plainType completes the types that SQL spells with several words or gives a
// default length.
func (p *parser) plainType(typ *typeName, word string) {
	typ.name = word
	switch word {
	case "int", "integer":
		typ.name = "int4"
	case "smallint":
		typ.name = "int2"
	case "bigint":
		typ.name = "int8"
	case "real":
		typ.name = "float4"
	case "boolean":
		typ.name = "bool"
	case "dec", "decimal":
		typ.name = "numeric"
	case "double":
		p.expect("precision")
		typ.name = "float8"
	case "float":
		typ.name = "float8"
		if p.is("(") {
			args := p.typeArgs()
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 || n > 53 {
				p.fail("precision for type float must be at least 1 bit and less than 54 bits")
			}
			if n <= 24 {
				typ.name = "float4"
			}
		}
	case "character", "char", "nchar", "national":
		if word == "national" && !p.accept("character") {
			p.expect("char")
		}
		typ.name = "bpchar"
		if p.accept("varying") {
			typ.name = "varchar"
		} else if !p.is("(") {
			typ.mods = []string{"1"}
		}
	case "bit":
		if p.accept("varying") {
			typ.name = "varbit"
		} else if !p.is("(") {
			typ.mods = []string{"1"}
		}
	case "timestamp", "time":
		if p.is("(") {
			typ.mods = p.typeArgs()
		}
		if p.accept("with", "time", "zone") {
			typ.name += "tz"
		} else {
			p.accept("without", "time", "zone")
		}
	case "interval":
		if p.is("(") {
			typ.mods = p.typeArgs()
		} else {
			typ.mods = p.intervalMods()
		}
	}
}

// typeArgs reads "(10, -2)".
func (p *parser) typeArgs() []string {
	var args []string
	p.expect("(")
	for {
		sign := ""
		if p.accept("-") {
			sign = "-"
		}
		t := p.next()
		if t.kind != tokNumber && t.kind != tokIdent && t.kind != tokString {
			p.fail("at or near %q", t.text)
		}
		args = append(args, sign+t.text)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return args
}

var intervalFields = []string{"year", "month", "day", "hour", "minute", "second"}

// intervalMods reads the fields that may follow INTERVAL.
func (p *parser) intervalMods() []string {
	field := func() string {
		for _, w := range intervalFields {
			if p.accept(w) {
				return w
			}
		}
		return ""
	}
	first := field()
	if first == "" {
		return nil
	}
	words := []string{first}
	last := first
	if p.accept("to") {
		if last = field(); last == "" {
			p.unexpected()
		}
		words = append(words, "to", last)
	}
	mods := []string{strings.Join(words, " ")}
	if last == "second" && p.is("(") {
		mods = append(mods, p.typeArgs()...)
	}
	return mods
}
