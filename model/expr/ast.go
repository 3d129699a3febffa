package expr

// The kinds of nodes that the parser makes. What SQL only spells otherwise
// (EXTRACT, SUBSTRING ... FROM, AT TIME ZONE) comes out as a function call.
type astKind uint8

const (
	astNumber astKind = iota // text
	astString                // text
	astBits                  // text: b... or x...
	astNull
	astBool     // text: "true", "false"
	astColumn   // names
	astCast     // args[0], typ
	astOp       // text; one or two args
	astAnd      // args
	astOr       // args
	astNot      // args[0]
	astIsNull   // args[0], not
	astIsBool   // args[0], text, not
	astDistinct // args, not
	astBetween  // args[0..2], not, flag: SYMMETRIC
	astIn       // args[0] and the list, not
	astCase     // args: operand or nil, else or nil, then pairs
	astCoalesce
	astGreatest
	astLeast
	astNullif
	astArray     // args
	astFunc      // names, args, flag: VARIADIC
	astSubscript // args[0] array, args[1] index
	astSlice     // args[0], lower or nil, upper or nil
	astAny       // text operator, args[0], args[1], flag: ALL
	astRow       // args
	astCollate   // args[0], names
	astField     // args[0], text
	astValue     // text: current_timestamp and its like; typ holds the precision
)

type ast struct {
	kind  astKind
	not   bool
	flag  bool
	text  string
	names []string
	args  []*ast
	typ   *typeName
}

// typeName is a type as a cast names it.
type typeName struct {
	schema, name string
	quoted       bool     // the name was quoted: no SQL spelling is meant
	mods         []string // what stands in parentheses, nil: nothing
	array        bool
}

func (t *typeName) String() string {
	s := t.name
	if t.schema != "" {
		s = t.schema + "." + s
	}
	if t.array {
		s += "[]"
	}
	return s
}
