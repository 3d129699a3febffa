package expr

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"applysim/model/pgtype"
)

// The folder catalog holds what PostgreSQL 18.1's own catalogs say of
// operators, functions, casts and type categories (recorded from a server:
// pg_operator, pg_proc, pg_cast, pg_type; see testdata/record.py). All of
// them are there, also those that this package cannot evaluate: which one an
// expression means depends on all that it could mean.
var (
	//go:embed catalog/operators.tsv
	operatorRows string
	//go:embed catalog/functions.tsv
	functionRows string
	//go:embed catalog/casts.tsv
	castRows string
	//go:embed catalog/types.tsv
	typeRows string
)

// signature is a candidate of operator and function resolution.
type signature struct {
	args     []uint32
	ret      uint32
	src      string // pg_proc.prosrc, or sql_<name> for functions in SQL
	vol      byte   // 'i', 's', 'v'
	strict   bool
	variadic bool
	defaults int

	op      string // the operator, "" for a function
	collect bool   // the arguments from fixed on are one array to the function
	fixed   int
}

type castEntry struct {
	context byte // 'i' implicit, 'a' assignment, 'e' explicit
	method  byte // 'f' function, 'b' binary coercible, 'i' through text
}

type catalogue struct {
	operators map[string][]*signature
	functions map[string][]*signature
	casts     map[[2]uint32]castEntry
	category  map[uint32]byte
	preferred map[uint32]bool
	names     map[uint32]string // pg_type.typname
}

var catalog = sync.OnceValue(func() *catalogue {
	c := &catalogue{operators: map[string][]*signature{}, functions: map[string][]*signature{},
		casts: map[[2]uint32]castEntry{}, category: map[uint32]byte{}, preferred: map[uint32]bool{}, names: map[uint32]string{}}
	each := func(rows string, row func(f []string)) {
		for line := range strings.Lines(rows) {
			row(strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	each(operatorRows, func(f []string) {
		s := &signature{op: f[0], ret: oid(f[3]), src: f[4], vol: f[5][0], strict: f[6] == "s"}
		if left := oid(f[1]); left != 0 {
			s.args = append(s.args, left)
		}
		s.args = append(s.args, oid(f[2]))
		c.operators[f[0]] = append(c.operators[f[0]], s)
	})
	each(functionRows, func(f []string) {
		s := &signature{ret: oid(f[2]), src: f[3], vol: f[4][0], strict: f[5] == "s", variadic: f[6] == "v"}
		for _, a := range strings.Fields(f[1]) {
			s.args = append(s.args, oid(a))
		}
		s.defaults, _ = strconv.Atoi(f[7])
		c.functions[f[0]] = append(c.functions[f[0]], s)
	})
	each(castRows, func(f []string) {
		c.casts[[2]uint32{oid(f[0]), oid(f[1])}] = castEntry{f[2][0], f[3][0]}
	})
	each(typeRows, func(f []string) {
		o := oid(f[0])
		c.category[o], c.preferred[o], c.names[o] = f[2][0], f[3] == "1", f[1]
	})
	return c
})

func oid(s string) uint32 {
	n, _ := strconv.ParseUint(s, 10, 32)
	return uint32(n)
}

// Pseudo-types of pg_proc and the types that rules name.
const (
	oidBool, oidText, oidInt2, oidInt4, oidInt8, oidNumeric = 16, 25, 21, 23, 20, 1700
	oidFloat8, oidUnknown, oidAny, oidRecord                = 701, 705, 2276, 2249

	oidAnyElement, oidAnyArray, oidAnyNonArray, oidAnyEnum, oidAnyRange, oidAnyMultirange = 2283, 2277, 2776, 3500, 3831, 4537
	oidCompatible, oidCompatibleArray, oidCompatibleNonArray                              = 5077, 5078, 5079
	oidCompatibleRange, oidCompatibleMultirange                                           = 5080, 4538
)

func isPolymorphic(o uint32) bool {
	switch o {
	case oidAnyElement, oidAnyArray, oidAnyNonArray, oidAnyEnum, oidAnyRange, oidAnyMultirange,
		oidCompatible, oidCompatibleArray, oidCompatibleNonArray, oidCompatibleRange, oidCompatibleMultirange:
		return true
	}
	return false
}

// unknownType is the type of a string literal whose place does not say what
// it is.
var unknownType = &pgtype.Type{Name: "unknown", Schema: "pg_catalog", OID: oidUnknown, Len: -2, Align: 1, Storage: 'p', Typmod: -1}

var (
	typeBool        = pgtype.ByOID(oidBool)
	typeText        = pgtype.ByOID(oidText)
	typeInt4        = pgtype.ByOID(oidInt4)
	typeInt8        = pgtype.ByOID(oidInt8)
	typeNumeric     = pgtype.ByOID(oidNumeric)
	typeFloat8      = pgtype.ByOID(oidFloat8)
	typeTimestamp   = pgtype.ByOID(1114)
	typeTimestampTZ = pgtype.ByOID(1184)
)

// sameType compares types: character has two Types, one with a default
// length.
func sameType(a, b *pgtype.Type) bool { return a == b || a.OID != 0 && a.OID == b.OID }

func category(t *pgtype.Type) byte {
	if c := catalog().category[t.OID]; c != 0 && t.OID != 0 {
		return c
	}
	switch t.Kind {
	case pgtype.KindArray:
		return 'A'
	case pgtype.KindEnum:
		return 'E'
	case pgtype.KindComposite:
		return 'C'
	case pgtype.KindRange, pgtype.KindMultirange:
		return 'R'
	case pgtype.KindDomain:
		return category(t.Base())
	}
	return 'U'
}

func preferred(t *pgtype.Type) bool { return t.OID != 0 && catalog().preferred[t.OID] }

// implicit, assignment and explicit are the strengths of a coercion.
const (
	implicit = iota
	assignment
	explicit
)

// path is how one type is made another.
type path uint8

const (
	pathNone path = iota
	pathRelabel
	pathFunction
	pathText // through output and input functions
	pathArray
)

// findPath is find_coercion_pathway (REL_18_1, src/backend/parser/parse_coerce.c).
func findPath(target, source *pgtype.Type, context int) path {
	target, source = target.Base(), source.Base()
	if sameType(target, source) {
		return pathRelabel
	}
	if c, ok := catalog().casts[[2]uint32{source.OID, target.OID}]; ok && source.OID != 0 && target.OID != 0 {
		if need := strings.IndexByte("iae", c.context); need <= context {
			switch c.method {
			case 'b':
				return pathRelabel
			case 'i':
				return pathText
			}
			return pathFunction
		}
		return pathNone
	}
	if target.Kind == pgtype.KindArray && source.Kind == pgtype.KindArray {
		switch findPath(target.Elem, source.Elem, context) {
		case pathNone:
		default:
			return pathArray
		}
	}
	if context >= assignment && category(target) == 'S' || context >= explicit && category(source) == 'S' {
		return pathText
	}
	return pathNone
}

// canCoerce is can_coerce_type for one argument; polymorphic targets are
// checked together, by bindTypes.
func canCoerce(source *pgtype.Type, target uint32, context int) bool {
	if source.OID == target && target != 0 || target == oidAny || isPolymorphic(target) || source.OID == oidUnknown {
		return true
	}
	t := pgtype.ByOID(target)
	if t == nil {
		return false
	}
	return findPath(t, source, context) != pathNone
}

func canCoerceType(source, target *pgtype.Type, context int) bool {
	return sameType(source, target) || source.OID == oidUnknown || findPath(target, source, context) != pathNone
}
