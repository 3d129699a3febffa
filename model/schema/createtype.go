package schema

import (
	"slices"
	"strings"

	"applysim/model/pgtype"
)

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
			label := p.string("the label of an enum in quotes")
			if p.err == nil && slices.Contains(labels, label) {
				p.fail("found the label %q again, expected one that enum %s does not have", label, name)
			}
			labels = append(labels, label)
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
				f.Collation = p.collation()
			}
			fields = append(fields, f)
			if !p.accept(",") {
				break
			}
		}
		p.expect(")")
		if p.err == nil {
			t = pgtype.NewComposite(schema, name, fields)
			for i := range fields {
				p.db.attributes[t] += p.db.countAttributes(fields[i].Type)
			}
			if n := p.db.attributes[t]; n > maxAttributes {
				p.fail("found %d attributes of type %s, those of its attributes' types included, expected %d at most", n, qualified(schema, name), maxAttributes)
			}
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
	multiSchema, multi, collation := schema, "", ""
	p.expect("(")
	for p.err == nil && !p.is(")") {
		option := p.name("a parameter of the range type")
		p.expect("=")
		switch option {
		case "subtype":
			subtype = p.typeName("the subtype of the range").typ
		case "collation":
			collation = p.collation()
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
	rng.Collation = collation
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
