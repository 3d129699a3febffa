package pgtype

import (
	"strings"

	"applysim/index/opclass"
)

// The built-in types: pg_type of PostgreSQL 18 (REL_18_1,
// src/include/catalog/pg_type.dat), recorded from a server. array is
// pg_type.typarray; class is the default B-tree operator class, "" if none.
//
// Length, alignment and storage decide how a tuple is laid out; byval also
// where a Value keeps its content.
var builtin = []struct {
	oid, array uint32
	typname    string
	name       string // format_type, if not typname
	len        int16
	byval      bool
	align      byte
	storage    byte
	kind       Kind
	class      string
	collation  string
}{
	{16, 1000, "bool", "boolean", 1, true, 'c', 'p', KindBool, "bool_ops", ""},
	{17, 1001, "bytea", "", -1, false, 'i', 'x', KindBytea, "bytea_ops", ""},
	{18, 1002, "char", `"char"`, 1, true, 'c', 'p', KindChar, "char_ops", ""},
	{19, 1003, "name", "", 64, false, 'c', 'p', KindName, "name_ops", "C"},
	{20, 1016, "int8", "bigint", 8, true, 'd', 'p', KindInt8, "int8_ops", ""},
	{21, 1005, "int2", "smallint", 2, true, 's', 'p', KindInt2, "int2_ops", ""},
	{22, 1006, "int2vector", "", -1, false, 'i', 'p', KindInt2Vector, "", ""},
	{23, 1007, "int4", "integer", 4, true, 'i', 'p', KindInt4, "int4_ops", ""},
	{24, 1008, "regproc", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{25, 1009, "text", "", -1, false, 'i', 'x', KindText, "text_ops", "default"},
	{26, 1028, "oid", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{27, 1010, "tid", "", 6, false, 's', 'p', KindTID, "tid_ops", ""},
	{28, 1011, "xid", "", 4, true, 'i', 'p', KindOid, "", ""},
	{29, 1012, "cid", "", 4, true, 'i', 'p', KindOid, "", ""},
	{30, 1013, "oidvector", "", -1, false, 'i', 'p', KindOidVector, "oidvector_ops", ""},
	{114, 199, "json", "", -1, false, 'i', 'x', KindJSON, "", ""},
	{142, 143, "xml", "", -1, false, 'i', 'x', KindXML, "", ""},
	{194, 0, "pg_node_tree", "", -1, false, 'i', 'x', KindText, "text_ops", "default"},
	{600, 1017, "point", "", 16, false, 'd', 'p', KindPoint, "", ""},
	{601, 1018, "lseg", "", 32, false, 'd', 'p', KindLseg, "", ""},
	{602, 1019, "path", "", -1, false, 'd', 'x', KindPath, "", ""},
	{603, 1020, "box", "", 32, false, 'd', 'p', KindBox, "", ""},
	{604, 1027, "polygon", "", -1, false, 'd', 'x', KindPolygon, "", ""},
	{628, 629, "line", "", 24, false, 'd', 'p', KindLine, "", ""},
	{650, 651, "cidr", "", -1, false, 'i', 'm', KindCidr, "inet_ops", ""},
	{700, 1021, "float4", "real", 4, true, 'i', 'p', KindFloat4, "float4_ops", ""},
	{701, 1022, "float8", "double precision", 8, true, 'd', 'p', KindFloat8, "float8_ops", ""},
	{718, 719, "circle", "", 24, false, 'd', 'p', KindCircle, "", ""},
	{774, 775, "macaddr8", "", 8, false, 'i', 'p', KindMacaddr8, "macaddr8_ops", ""},
	{790, 791, "money", "", 8, true, 'd', 'p', KindMoney, "money_ops", ""},
	{829, 1040, "macaddr", "", 6, false, 'i', 'p', KindMacaddr, "macaddr_ops", ""},
	{869, 1041, "inet", "", -1, false, 'i', 'm', KindInet, "inet_ops", ""},
	{1042, 1014, "bpchar", "", -1, false, 'i', 'x', KindBpchar, "bpchar_ops", "default"},
	{1043, 1015, "varchar", "character varying", -1, false, 'i', 'x', KindVarchar, "text_ops", "default"},
	{1082, 1182, "date", "", 4, true, 'i', 'p', KindDate, "date_ops", ""},
	{1083, 1183, "time", "time without time zone", 8, true, 'd', 'p', KindTime, "time_ops", ""},
	{1114, 1115, "timestamp", "timestamp without time zone", 8, true, 'd', 'p', KindTimestamp, "timestamp_ops", ""},
	{1184, 1185, "timestamptz", "timestamp with time zone", 8, true, 'd', 'p', KindTimestampTZ, "timestamptz_ops", ""},
	{1186, 1187, "interval", "", 16, false, 'd', 'p', KindInterval, "interval_ops", ""},
	{1266, 1270, "timetz", "time with time zone", 12, false, 'd', 'p', KindTimeTZ, "timetz_ops", ""},
	{1560, 1561, "bit", "", -1, false, 'i', 'x', KindBit, "bit_ops", ""},
	{1562, 1563, "varbit", "bit varying", -1, false, 'i', 'x', KindVarbit, "varbit_ops", ""},
	{1700, 1231, "numeric", "", -1, false, 'i', 'm', KindNumeric, "numeric_ops", ""},
	{1790, 2201, "refcursor", "", -1, false, 'i', 'x', KindText, "", ""},
	{2202, 2207, "regprocedure", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{2203, 2208, "regoper", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{2204, 2209, "regoperator", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{2205, 2210, "regclass", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{2206, 2211, "regtype", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{2950, 2951, "uuid", "", 16, false, 'c', 'p', KindUUID, "uuid_ops", ""},
	{2970, 2949, "txid_snapshot", "", -1, false, 'd', 'x', KindSnapshot, "", ""},
	{3220, 3221, "pg_lsn", "", 8, true, 'd', 'p', KindLSN, "pg_lsn_ops", ""},
	{3614, 3643, "tsvector", "", -1, false, 'i', 'x', KindTSVector, "tsvector_ops", ""},
	{3615, 3645, "tsquery", "", -1, false, 'i', 'p', KindTSQuery, "tsquery_ops", ""},
	{3734, 3735, "regconfig", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{3769, 3770, "regdictionary", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{3802, 3807, "jsonb", "", -1, false, 'i', 'x', KindJsonb, "jsonb_ops", ""},
	{4072, 4073, "jsonpath", "", -1, false, 'i', 'x', KindJsonpath, "", ""},
	{4089, 4090, "regnamespace", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{4096, 4097, "regrole", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{4191, 4192, "regcollation", "", 4, true, 'i', 'p', KindOid, "oid_ops", ""},
	{5038, 5039, "pg_snapshot", "", -1, false, 'd', 'x', KindSnapshot, "", ""},
	{5069, 271, "xid8", "", 8, true, 'd', 'p', KindXid8, "xid8_ops", ""},
}

// The built-in ranges: pg_range of REL_18_1. A range is aligned like its
// subtype if that needs 8 bytes.
var builtinRanges = []struct {
	oid, array        uint32
	name              string
	subtype           string
	multi, multiArray uint32
	multirange        string
}{
	{3904, 3905, "int4range", "int4", 4451, 6150, "int4multirange"},
	{3906, 3907, "numrange", "numeric", 4532, 6151, "nummultirange"},
	{3908, 3909, "tsrange", "timestamp", 4533, 6152, "tsmultirange"},
	{3910, 3911, "tstzrange", "timestamptz", 4534, 6153, "tstzmultirange"},
	{3912, 3913, "daterange", "date", 4535, 6155, "datemultirange"},
	{3926, 3927, "int8range", "int8", 4536, 6157, "int8multirange"},
}

// spellings are the names that SQL's grammar knows beside pg_type.typname.
var spellings = map[string]string{
	"boolean": "bool", "smallint": "int2", "integer": "int4", "int": "int4", "bigint": "int8",
	"real": "float4", "double precision": "float8", "float": "float8", "decimal": "numeric", "dec": "numeric",
	"character varying": "varchar", "char varying": "varchar",
	"national character varying": "varchar", "national char varying": "varchar", "nchar varying": "varchar",
	"national character": "character", "national char": "character", "nchar": "character",
	"bit varying":            "varbit",
	"time without time zone": "time", "time with time zone": "timetz",
	"timestamp without time zone": "timestamp", "timestamp with time zone": "timestamptz",
}

// catalogue is filled once before main and only read afterwards.
type catalogue struct {
	byName map[string]*Type
	byOID  map[uint32]*Type
}

var catalog = buildCatalogue()

func buildCatalogue() *catalogue {
	c := &catalogue{byName: make(map[string]*Type), byOID: make(map[uint32]*Type)}
	add := func(t *Type, array uint32) *Type {
		t.Schema = "pg_catalog"
		c.byName[t.short], c.byName[t.Name] = t, t
		c.byOID[t.OID] = t
		if array != 0 {
			a := newArray(t, array)
			a.Schema = "pg_catalog"
			a.short = "_" + t.short
			c.byName[a.short] = a
			c.byOID[array] = a
		}
		return t
	}
	for _, b := range builtin {
		t := &Type{Name: b.name, short: b.typname, OID: b.oid, Len: b.len, ByVal: b.byval,
			Align: alignBytes(b.align), Storage: b.storage, Kind: b.kind, Typmod: -1, Collation: b.collation}
		if b.name == "" {
			t.Name = b.typname
		}
		t.class = opclass.ByName(b.class)
		t.single = b.kind == KindBit
		add(t, b.array)
	}
	// An int2vector counts as an array of int2 to the B-tree.
	vector := c.byName["int2vector"]
	vector.class = opclass.Array(c.byName["int2"].class, c.byName["int2"].Attr())
	vector.array.class = opclass.Array(vector.class, vector.Attr())
	// The one-byte type must be quoted in SQL; plain char is character(1). The
	// two Types of character differ in what a missing length means.
	character := *c.byName["bpchar"]
	character.Name, character.single = "character", true
	delete(c.byName, "char")
	c.byName["char"], c.byName["character"] = &character, &character
	for _, r := range builtinRanges {
		sub := c.byName[r.subtype]
		t, m := newRange("pg_catalog", r.name, sub, r.multirange)
		t.OID, m.OID = r.oid, r.multi
		t.short, m.short = r.name, r.multirange
		add(t, r.array)
		add(m, r.multiArray)
	}
	for alias, name := range spellings {
		c.byName[alias] = c.byName[name]
	}
	return c
}

func alignBytes(c byte) uint8 {
	switch c {
	case 's':
		return 2
	case 'i':
		return 4
	case 'd':
		return 8
	}
	return 1
}

// Lookup finds a built-in type by any of its spellings, without a modifier
// ("int4", "integer", "timestamp with time zone", "text[]", `"char"`); nil if
// there is none. Unquoted letters may be of either case.
func Lookup(name string) *Type {
	name = strings.Join(strings.Fields(strings.ToLower(name)), " ")
	name = strings.TrimPrefix(name, "pg_catalog.")
	elem := name
	for {
		inner, ok := cutDimension(elem)
		if !ok {
			break
		}
		elem = inner
	}
	t := catalog.byName[elem]
	if t == nil && len(elem) > 2 && elem[0] == '"' && elem[len(elem)-1] == '"' {
		// pg_dump quotes names that are also keywords; the grammar's own
		// spellings do not work in quotes.
		if q := catalog.byName[elem[1:len(elem)-1]]; q != nil && q.short == elem[1:len(elem)-1] {
			t = q
		}
	}
	if t == nil || elem == name {
		return t
	}
	return ArrayOf(t)
}

// cutDimension cuts one "[]" or "[3]", or the word "array", off a type's name.
func cutDimension(s string) (string, bool) {
	if before, ok := strings.CutSuffix(s, " array"); ok {
		return before, true
	}
	if !strings.HasSuffix(s, "]") {
		return s, false
	}
	i := strings.LastIndexByte(s, '[')
	if i <= 0 {
		return s, false
	}
	for _, c := range s[i+1 : len(s)-1] {
		if (c < '0' || c > '9') && c != ' ' {
			return s, false
		}
	}
	return strings.TrimRight(s[:i], " "), true
}

// ByOID finds a built-in type by its number, or nil.
func ByOID(oid uint32) *Type { return catalog.byOID[oid] }

// ArrayOf is the type of arrays whose elements are of type t. Arrays of any
// number of dimensions are of one type, so an array type is its own.
func ArrayOf(t *Type) *Type {
	if t.Kind == KindArray {
		return t
	}
	return t.array
}
