package decode

import (
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/model/expr"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/model/stream"
)

// relation is a table as it is when its changes are decoded. A relation message makes
// a new one: whoever was sent the old one's description must be sent this one's.
type relation struct {
	id       uint32
	table    *schema.Table
	columns  []column
	identity byte // 'd', 'n', 'f' or 'i'
	toast    bool // some column's values can be compressed or moved out of line
	target   int  // toast_tuple_target
	as       *publishing
	ident    []int                   // see identifying
	kept     map[string][]compressed // rows with compressed values, by their keys
	types    map[uint32]*stream.Type // of published columns, those that are not built in
}

// column is one column of a relation, dropped ones included.
type column struct {
	name   string
	typ    *pgtype.Type
	typmod int32
	attr   datum.Attr
	remote int // in the messages of the input, -1 if it is not there
	oid    uint32
	key    bool
	expr   *expr.Expr // of a generated column
	method datum.Method
	gone   bool // dropped

	quoted   string // its name in test_decoding
	typeName string // the type's name, without and with the modifier
	typeFull string
}

// relation makes what is known of a table from its description in the stream and from
// the DDL.
func (d *Decoder) relation(m *stream.Relation) (*relation, error) {
	namespace := m.Namespace
	if namespace == "" {
		namespace = "pg_catalog"
	}
	r := &relation{id: m.ID, identity: m.Identity, target: toastTarget, types: map[uint32]*stream.Type{}}
	t := d.db.Table(namespace, m.Name)
	if t == nil {
		d.warn("table %s.%s is not in the schema: it is taken to be as the stream describes it", namespace, m.Name)
		t = &schema.Table{Schema: namespace, Name: m.Name, Kind: 'r', ReplicaIdentity: m.Identity}
	}
	// The stream's description is newer than the DDL: columns that it alone knows were
	// added, those that it does not have any more were dropped, types were changed.
	copied := *t
	t = &copied
	t.Columns = slices.Clone(t.Columns)
	before := d.relations[m.ID]
	for i := range t.Columns {
		c := &t.Columns[i]
		at := slices.IndexFunc(m.Columns, func(x stream.RelationColumn) bool { return x.Name == c.Name })
		if at < 0 {
			c.Dropped = c.Dropped || before != nil && before.lost(c.Name)
			continue
		}
		if oid := m.Columns[at].TypeID; oid < firstUserOID && oid != c.Type.OID && !c.Dropped {
			c.Type, c.Typmod = d.typeByOID(oid), -1
			c.Storage = c.Type.Storage
		}
		if typmod := m.Columns[at].Typmod; typmod >= 0 {
			c.Typmod = typmod // test_decoding's text has none
		}
	}
	known := len(t.Columns) > 0
	for _, c := range m.Columns {
		if t.Column(c.Name) >= 0 {
			continue
		}
		typ := d.typeByOID(c.TypeID)
		if known {
			d.warn("column %s of table %s is not in the schema: it is taken to have been added as its last column", c.Name, t.QualifiedName())
		}
		t.Columns = append(t.Columns, schema.Column{Name: c.Name, Type: typ, Typmod: c.Typmod, Storage: typ.Storage})
	}
	r.table = t
	if t.ToastTupleTarget > 0 {
		r.target = t.ToastTupleTarget
	}
	if t.ReplicaIdentity == 'n' {
		r.identity = 'n' // old rows that the stream has were recorded for their own sake
	}
	for i := range t.Columns {
		s := &t.Columns[i]
		c := column{name: s.Name, typ: s.Type, typmod: s.Typmod, attr: s.Attr(), remote: -1, gone: s.Dropped, method: d.opts.Compression}
		switch s.Compression {
		case 'p':
			c.method = datum.PGLZ
		case 'l':
			c.method = datum.LZ4
		}
		if !s.Dropped {
			c.remote = slices.IndexFunc(m.Columns, func(x stream.RelationColumn) bool { return x.Name == s.Name })
			c.quoted = quoteIdentifier(s.Name)
			c.typeName, c.typeFull = typeName(s.Type, -1, false), typeName(s.Type, s.Typmod, true)
		}
		if c.remote >= 0 {
			if c.oid = m.Columns[c.remote].TypeID; s.Type.OID == 0 && c.oid >= firstUserOID {
				s.Type.OID = c.oid // arrays of it are sent with it
			}
			c.key = r.identity != 'n' && m.Columns[c.remote].Key()
		}
		if c.oid == 0 && !s.Dropped {
			c.oid = s.Type.OID
		}
		r.toast = r.toast || c.attr.Len == -1 && c.attr.Storage != 'p'
		if c.remote < 0 && s.Generated == 's' {
			e, err := expr.CompileOptions(s.GeneratedExpr, t, &expr.Options{Resolve: d.resolve, Target: s.Type, TargetTypmod: s.Typmod})
			if err != nil {
				d.warn("generated column %s of table %s: %v; it is taken to be NULL", s.Name, t.QualifiedName(), err)
			}
			c.expr = e
		} else if c.remote < 0 && !s.Dropped {
			d.warn("column %s of table %s is not in the stream: it is taken to be NULL", s.Name, t.QualifiedName())
		}
		r.columns = append(r.columns, c)
	}
	r.ident = r.identifying()
	if before != nil {
		r.kept = before.kept
	}
	var err error
	r.as, err = d.publish(r)
	return r, err
}

// lost says whether a column that is not in a relation's new description was in an
// earlier one.
func (r *relation) lost(name string) bool {
	return !slices.ContainsFunc(r.columns, func(c column) bool { return c.name == name && !c.gone && c.remote < 0 })
}

// typeByOID finds the type with a number: a built-in one, or one that the stream has
// named.
func (d *Decoder) typeByOID(oid uint32) *pgtype.Type {
	if t := pgtype.ByOID(oid); t != nil {
		return t
	}
	if n := d.types[oid]; n != nil {
		if t := d.db.Types[n.Namespace+"."+n.Name]; t != nil {
			return t
		}
		return pgtype.NewOpaque(n.Namespace, n.Name)
	}
	return pgtype.NewOpaque("public", fmt.Sprintf("type_%d", oid))
}

// resolve finds a type of the schema by its name, for expressions.
func (d *Decoder) resolve(name string) *pgtype.Type {
	if t := d.db.Types[name]; t != nil {
		return t
	}
	return d.db.Types["public."+name]
}

// firstUserOID is FirstGenbkiObjectId: types below it are built in and known
// everywhere. Source: REL_18_1, src/include/access/transam.h.
const firstUserOID = 10000
