package pgtype

import (
	"slices"
	"strings"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// enumOIDBase numbers an enum's labels where the type itself has no number.
// PostgreSQL gives labels of CREATE TYPE even numbers in ascending order, and
// compares two even numbers directly.
const enumOIDBase = 16384

// finish gives a type of the schema's DDL its array type.
func finish(t *Type) *Type {
	newArray(t, 0)
	return t
}

// newArray makes and attaches the array type of t (pg_type.typarray).
func newArray(t *Type, oid uint32) *Type {
	a := &Type{Name: t.Name + "[]", Schema: t.Schema, OID: oid, Len: -1, Align: max(t.Align, 4), Storage: 'x',
		Kind: KindArray, Elem: t, Typmod: -1, Collation: t.Collation}
	if t.class != nil {
		a.class = opclass.Array(t.class, t.Attr())
	}
	t.array = a
	return a
}

// NewEnum makes an enum type. A value is stored as its label's OID: label i
// of a type numbered n has n+2i+2, or 16384+2i+2 while the type has no number.
func NewEnum(schema, name string, labels []string) *Type {
	t := &Type{Name: name, Schema: schema, Len: 4, ByVal: true, Align: 4, Storage: 'p', Kind: KindEnum,
		Labels: slices.Clone(labels), Typmod: -1, class: opclass.ByName("enum_ops"), labels: make(map[string]int)}
	for i, l := range t.Labels {
		t.labels[l] = i
	}
	return finish(t)
}

// SetLabelOIDs gives an enum's labels the numbers that they have on a server, in
// ascending order.
func (t *Type) SetLabelOIDs(oids []uint32) { t.labelOIDs = slices.Clone(oids) }

// LabelOID is the number under which an enum stores its label i.
func (t *Type) LabelOID(i int) uint32 {
	if i < len(t.labelOIDs) {
		return t.labelOIDs[i]
	}
	base := t.OID
	if base == 0 {
		base = enumOIDBase
	}
	return base&^1 + 2*uint32(i) + 2
}

// NewDomain makes a domain: values are those of base, under the domain's own
// modifier (-1 if none). Its constraints are checked only once somebody has said how
// (Type.Constrain).
func NewDomain(schema, name string, base *Type, typmod int32, notNull bool) *Type {
	t := &Type{Name: name, Schema: schema, Len: base.Len, ByVal: base.ByVal, Align: base.Align, Storage: base.Storage,
		Kind: KindDomain, Elem: base, Typmod: typmod, Collation: base.Collation, NotNull: notNull,
		Opaque: base.Opaque, class: base.class}
	return finish(t)
}

// NewComposite makes a composite type: CREATE TYPE ... AS, or a table's row type.
func NewComposite(schema, name string, fields []Field) *Type {
	t := &Type{Name: name, Schema: schema, Len: -1, Align: 8, Storage: 'x', Kind: KindComposite,
		Fields: slices.Clone(fields), Typmod: -1}
	classes := make([]opclass.RecordField, 0, len(fields))
	for _, f := range fields {
		if f.Type.class == nil {
			classes = nil
			break
		}
		classes = append(classes, opclass.RecordField{Class: f.Type.class, Attr: f.Type.Attr()})
	}
	if classes != nil {
		t.class = opclass.Record(classes...)
	}
	return finish(t)
}

// NewRange makes a range type over subtype and its multirange type, which is
// named multirange ("" for PostgreSQL's default: the first "range" in name
// becomes "multirange", or "_multirange" is appended).
func NewRange(schema, name string, subtype *Type, multirange string) (rangeType, multirangeType *Type) {
	if multirange == "" {
		multirange = multirangeName(name)
	}
	r, m := newRange(schema, name, subtype, multirange)
	return finish(r), finish(m)
}

func newRange(schema, name string, sub *Type, multirange string) (r, m *Type) {
	r = &Type{Name: name, Schema: schema, Len: -1, Align: max(sub.Align, 4), Storage: 'x', Kind: KindRange,
		Elem: sub, Typmod: -1}
	m = &Type{Name: multirange, Schema: schema, Len: -1, Align: max(sub.Align, 4), Storage: 'x', Kind: KindMultirange,
		Elem: r, Typmod: -1}
	if sub.class != nil {
		r.class = opclass.Range(sub.class, sub.Attr())
		m.class = opclass.Multirange(sub.class, sub.Attr())
	}
	return r, m
}

// NewOpaque makes a type of which nothing is known but its name, an
// extension's say: a varlena whose payload is taken to be as long as its text
// or binary form.
func NewOpaque(schema, name string) *Type {
	t := &Type{Name: name, Schema: schema, Len: -1, Align: 4, Storage: 'x', Kind: KindOpaque, Typmod: -1, Opaque: true}
	return finish(t)
}

// NewOpaqueFixed is NewOpaque for a type whose DDL (CREATE TYPE with
// INTERNALLENGTH, ALIGNMENT and STORAGE) says how it is stored.
func NewOpaqueFixed(schema, name string, attr datum.Attr) *Type {
	t := NewOpaque(schema, name)
	t.Len, t.Align, t.ByVal, t.Storage = attr.Len, attr.Align, attr.ByVal, attr.Storage
	return finish(t)
}

// multirangeName is the name that CREATE TYPE ... AS RANGE gives the multirange
// type where it says none.
func multirangeName(name string) string {
	if i := strings.Index(name, "range"); i >= 0 {
		return clipName(name[:i] + "multi" + name[i:])
	}
	const room = nameLen - 12 // for the suffix
	if len(name) > room {
		name = name[:room]
	}
	return clipName(name + "_multirange")
}

func clipName(s string) string { return s[:clipBytes([]byte(s), nameLen-1)] }

// opClasses lists the non-default classes that a type accepts by name, beside
// its default one.
var opClasses = map[Kind][]string{
	KindText:    {"text_ops", "varchar_ops", "text_pattern_ops", "varchar_pattern_ops"},
	KindVarchar: {"text_ops", "varchar_ops", "text_pattern_ops", "varchar_pattern_ops"},
	KindBpchar:  {"bpchar_ops", "bpchar_pattern_ops"},
	KindName:    {"name_ops"},
	KindInet:    {"inet_ops", "cidr_ops"},
	KindCidr:    {"inet_ops", "cidr_ops"},
}

// OpClassByName is the operator class called name for a column of type t, or
// nil if there is none that the type accepts.
func OpClassByName(t *Type, name string) *opclass.Class {
	t = t.Base()
	if t.class != nil && t.class.Name == name {
		return t.class
	}
	if slices.Contains(opClasses[t.Kind], name) {
		return opclass.ByName(name)
	}
	return nil
}
