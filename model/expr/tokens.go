package expr

import "strings"

// Effort is what reading and preparing an expression anew takes.
type Effort struct {
	Nodes  int
	Tokens int // words of the text that a catalog keeps the tree as, by which pg_strtok reads it
	Folded int // expressions of constants that planning evaluates
}

// Words of a node's text beside those of the nodes in it (outfuncs.c): braces and name, for
// each field its name and its value, parentheses around lists, and of constants the bytes.
const (
	tokensOp       = 20
	tokensColumn   = 27
	tokensConstant = 21
	tokensBool     = 10
	tokensFunction = 22
	tokensNullTest = 10
	tokensArray    = 20
	tokensCast     = 14
	tokensCase     = 15
	tokensWhen     = 7
	tokensList     = 12 // COALESCE, GREATEST and their like
)

// EffortOf is what an expression takes. numeric says whether a column's type is one that
// integer constants beside it are cast to: numeric, real or double precision. A text that is
// no expression takes nothing.
func EffortOf(sql string, numeric func(column string) bool) Effort {
	a, err := parse(sql)
	if err != nil {
		return Effort{}
	}
	e := Effort{Nodes: a.nodes()}
	e.add(a, numeric, false)
	return e
}

// add adds the tokens of a tree. cast says that an integer beside it would be cast.
func (e *Effort) add(a *ast, numeric func(string) bool, cast bool) {
	if a == nil {
		return
	}
	list := a.args
	switch a.kind {
	case astNumber:
		if !strings.ContainsAny(a.text, ".eE") {
			e.Tokens += tokensConstant + 8
			if cast {
				e.cast()
			}
			return
		}
		e.Tokens += tokensConstant + 6 + 2*((len(a.text)+3)/4)
		return
	case astString, astBits:
		e.Tokens += tokensConstant + 4 + len(a.text)
		return
	case astNull, astBool, astValue:
		e.Tokens += tokensConstant + 8
		return
	case astColumn:
		e.Tokens += tokensColumn
		return
	case astCast:
		if n := a.args[0]; n.kind <= astBool {
			if n.kind == astString && a.typ != nil {
				switch a.typ.name {
				case "text", "varchar", "bpchar", "numeric", "bytea":
				default:
					e.Tokens += tokensConstant + 8
					return
				}
			}
			e.add(n, numeric, false)
			if n.kind == astNumber {
				e.cast()
			}
			return
		}
		e.Tokens += tokensFunction
	case astAnd, astOr, astNot:
		e.Tokens += tokensBool
		for _, x := range list {
			if x.kind == a.kind && a.kind != astNot {
				// The parser makes one list of all.
				e.Tokens -= tokensBool
				e.Nodes--
			}
		}
	case astIsNull, astIsBool:
		e.Tokens += tokensNullTest
	case astBetween:
		wide := a.args[0].wide(numeric)
		e.Tokens += tokensBool + 2*tokensOp
		e.add(a.args[0], numeric, wide)
	case astIn:
		if literals(a.args[1:]) {
			e.Tokens += tokensOp + tokensArray
			e.Folded++
		} else {
			e.Tokens += tokensBool + (len(a.args)-1)*tokensOp
		}
	case astCase:
		e.Tokens += tokensCase + tokensWhen*max(len(a.args)-2, 0)/2
	case astCoalesce, astGreatest, astLeast, astNullif, astArray, astRow:
		e.Tokens += tokensList
	case astFunc:
		e.Tokens += tokensFunction
		for _, x := range list {
			e.add(x, numeric, false)
		}
		return
	default:
		e.Tokens += tokensOp
	}
	wide := false
	for _, x := range list {
		wide = wide || x.wide(numeric)
	}
	for _, x := range list {
		e.add(x, numeric, wide && (a.kind == astOp || a.kind == astBetween || a.kind == astDistinct))
	}
}

// cast is a constant that is cast by a function each time that it is planned.
func (e *Effort) cast() {
	e.Tokens += tokensFunction
	e.Nodes++
	e.Folded++
}

// wide says whether an expression gives what integers beside it are cast to.
func (a *ast) wide(numeric func(string) bool) bool {
	if a == nil {
		return false
	}
	switch a.kind {
	case astNumber:
		return strings.ContainsAny(a.text, ".eE")
	case astColumn:
		return numeric(a.names[len(a.names)-1])
	case astOp:
		for _, x := range a.args {
			if x.wide(numeric) {
				return true
			}
		}
	case astCast:
		return a.typ != nil && !a.typ.array && (a.typ.name == "numeric" || a.typ.name == "float8" || a.typ.name == "double precision" || a.typ.name == "float4" || a.typ.name == "real")
	}
	return false
}
