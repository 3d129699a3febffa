package pgtype

import (
	"applysim/heap/datum"
	"applysim/index/opclass"
)

// Kind names the family of input functions of a type.
type Kind uint8

// The families. Types that share one are told apart by their other fields: an
// array by Elem, a range by Elem and its canonical form, an enum by Labels.
const (
	KindOpaque Kind = iota // not known: the text itself is the payload
	KindBool
	KindChar // "char", one byte
	KindName
	KindInt2
	KindInt4
	KindInt8
	KindOid  // oid and the types that look like it: xid, cid, reg*
	KindXid8 // 64 bits, unsigned
	KindLSN  // pg_lsn
	KindText // text, refcursor
	KindBpchar
	KindVarchar
	KindBytea
	KindJSON
	KindJsonb
	KindJsonpath
	KindXML
	KindFloat4
	KindFloat8
	KindNumeric
	KindMoney
	KindDate
	KindTime
	KindTimeTZ
	KindTimestamp
	KindTimestampTZ
	KindInterval
	KindUUID
	KindBit
	KindVarbit
	KindInet
	KindCidr
	KindMacaddr
	KindMacaddr8
	KindPoint
	KindLine
	KindLseg
	KindBox
	KindPath
	KindPolygon
	KindCircle
	KindTID
	KindSnapshot // pg_snapshot, txid_snapshot
	KindInt2Vector
	KindOidVector
	KindTSVector
	KindTSQuery
	KindArray
	KindRange
	KindMultirange
	KindEnum
	KindDomain
	KindComposite
)

// Type is one row of the type catalogue: what pg_type says about a type, and
// what the simulator must know to store its values.
type Type struct {
	Name      string // as format_type prints it without a modifier: "integer", "character varying", "text[]"
	Schema    string // "pg_catalog" for built-in types
	OID       uint32 // 0 for types made by the schema's DDL until they are numbered
	Len       int16  // typlen: bytes if positive, -1 varlena, -2 C string
	ByVal     bool   // typbyval
	Align     uint8  // typalign in bytes: 1, 2, 4, 8
	Storage   byte   // typstorage: 'p', 'e', 'm', 'x'
	Kind      Kind
	Elem      *Type         // element of an array, base of a domain, subtype of a range or multirange (its range)
	Labels    []string      // of an enum, in sort order
	Fields    []Field       // of a composite type
	Typmod    int32         // of a domain over a type with a modifier; -1 otherwise
	Collation string        // typcollation: "" where the type has none; of a range rngcollation, "" its subtype's
	NotNull   bool          // domain
	Checks    []DomainCheck // of a domain, sorted by name; those of the domains below not included
	Default   string        // of a domain, SQL text; "" none
	Opaque    bool          // a type that is not known: its width is taken from the data

	class *opclass.Class
	// check holds a domain's constraints, those of the domains below included; nil if
	// there are none, or nobody evaluates them.
	check func(v *datum.Value) error
	array *Type
	// labels finds an enum's label; nil for other kinds.
	labels map[string]int
	// labelOIDs are the labels' numbers, where a server has said them.
	labelOIDs []uint32
	// short is pg_type.typname where Name is another spelling of it.
	short string
	// single says that the type's name without a modifier means length 1, as
	// the SQL standard has it for character and bit.
	single bool
}

// Field is one attribute of a composite type.
type Field struct {
	Name      string
	Type      *Type
	Typmod    int32
	Collation string // "" the type's own
}

// Attr is what tuple formation must know of a column of this type.
func (t *Type) Attr() datum.Attr {
	return datum.Attr{Len: t.Len, Align: t.Align, ByVal: t.ByVal, Storage: t.Storage}
}

// OpClass is the type's default B-tree operator class, or nil if it has none
// (json, xml, point and others, and their arrays: the server creates an index
// on such an array, but cannot compare two values in it).
func (t *Type) OpClass() *opclass.Class { return t.class }

// Base follows domains down to the type that is stored.
func (t *Type) Base() *Type {
	for t.Kind == KindDomain && t.Elem != nil {
		t = t.Elem
	}
	return t
}

// CatalogName is pg_type.typname: "int4" for integer, "_int4" for its array.
func (t *Type) CatalogName() string {
	if t.short != "" {
		return t.short
	}
	if t.Kind == KindArray && t.Elem != nil {
		return "_" + t.Elem.CatalogName()
	}
	return t.Name
}

func (t *Type) String() string {
	if t.Schema == "" || t.Schema == "pg_catalog" {
		return t.Name
	}
	return t.Schema + "." + t.Name
}
