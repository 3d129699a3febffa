package expr

import (
	"errors"
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
	"applysim/model/schema"
)

// UnsupportedError says what of an expression this package cannot evaluate.
// Compile gives it, and Eval where only the row can tell (an unusual date
// literal in a column of type text, say).
type UnsupportedError struct{ What string }

func (e *UnsupportedError) Error() string { return "expression not supported: " + e.What }

// Options are what Compile must know beside the expression and its table. The
// zero value is a database in the C collation whose only types are the
// built-in ones and those of the table's columns.
type Options struct {
	// Resolve finds a type of the schema by its name, "mood" or
	// "public.mood"; nil if there is none. Built-in types are not asked for.
	Resolve func(name string) *pgtype.Type
	// Target is the column that the result is stored in: the expression is
	// coerced to it as an INSERT does it. Nil: the expression's own type.
	Target       *pgtype.Type
	TargetTypmod int32
	// Collation gives the functions of a collation other than C; name is ""
	// for the database's default one. A nil function, or a nil result, means
	// that the collation is C (name "") or not supported (any other name).
	Collation func(name string) *Collation
}

// Collation is how a collation orders and changes text.
type Collation struct {
	Order opclass.Collation // nil: the order of bytes
	// Letters change case and append to dst. If Lower is nil they are C's; an
	// Initcap that is nil beside it is not supported.
	Lower, Upper, Initcap func(dst, s []byte) []byte
}

// Orders finds the order of a collation by its name: pgtype.Collations for these
// options, which may be nil.
func (o *Options) Orders(name string) (opclass.Collation, error) {
	if collationName(name) == "C" || name == "" && (o == nil || o.Collation == nil) {
		return nil, nil
	}
	var coll *Collation
	if o != nil && o.Collation != nil {
		coll = o.Collation(name)
	}
	if coll == nil && name != "" {
		return nil, &UnsupportedError{What: "comparison in collation " + name}
	}
	if coll == nil {
		return nil, nil
	}
	return coll.Order, nil
}

// Expr is a compiled expression. It may be used from several goroutines, each
// with a Scratch of its own.
type Expr struct {
	root      *node
	cols      []int
	volatile  []string
	sequences []string
	slots     int

	reads    []int // columns that Eval looks at, if they are not cols
	fallback *Expr
	note     func(error)
}

// Scratch is where values are made. What Eval returns may alias it (or the
// row) and is good until Reset.
type Scratch struct {
	// Now is the transaction's time in microseconds from 2000-01-01, for
	// now(), CURRENT_DATE and their like, if HasNow. Without it evaluating
	// them is an error.
	Now    int64
	HasNow bool
	// Nextval draws a number from a sequence; nil makes nextval an error.
	Nextval func(sequence string) (int64, error)
	// Random gives evenly spread numbers, for random() and its like; nil makes
	// them an error.
	Random func() uint64

	lastUUID int64 // the last uuidv7(), nanoseconds from 1970

	row   []datum.Value
	buf   []byte
	stack []datum.Value
	slots []datum.Value
}

// Reset makes the scratch's memory free for use again: values that Eval
// returned are not good any more.
func (s *Scratch) Reset() { s.buf = s.buf[:0] }

// Compile reads an expression over the columns of t, which may be nil for
// one without columns. resolve may be nil; see Options.
//
// What cannot be evaluated is an *UnsupportedError that names it; other
// errors have PostgreSQL's text as far as there is one.
func Compile(sql string, t *schema.Table, resolve func(typeName string) *pgtype.Type) (*Expr, error) {
	return CompileOptions(sql, t, &Options{Resolve: resolve})
}

// CompileOptions is Compile with all options.
func CompileOptions(sql string, t *schema.Table, o *Options) (e *Expr, err error) {
	a, err := parse(sql)
	if err != nil {
		return nil, err
	}
	c := &compiler{table: t, opts: o, expr: &Expr{}}
	defer func() {
		if r := recover(); r != nil {
			b, ok := r.(bail)
			if !ok {
				panic(r)
			}
			e, err = nil, b.err
		}
	}()
	n := c.compile(a)
	switch {
	case o.Target != nil:
		n = c.assign(n, o.Target, o.TargetTypmod)
	case n.typ.OID == oidUnknown:
		n = c.coerce(n, typeText, -1, implicit)
	}
	e = c.expr
	e.root = n
	slices.Sort(e.cols)
	e.cols = slices.Compact(e.cols)
	if n.late != "" && len(e.volatile) == 0 {
		return nil, &UnsupportedError{What: n.late}
	}
	return e, nil
}

// Type is the type of the result.
func (e *Expr) Type() *pgtype.Type { return e.root.typ }

// Typmod is the result's type modifier, -1 if there is none.
func (e *Expr) Typmod() int32 { return e.root.typmod }

// Collation is the name of the result's collation, "" for the database's default
// one: that of an index on the expression, if it says none.
func (e *Expr) Collation() string { return e.root.coll }

// Columns lists the columns that the expression refers to, 0-based, in
// ascending order.
func (e *Expr) Columns() []int { return e.cols }

// Reads lists the columns whose values Eval looks at. They are Columns, except that
// an assumed condition looks at the row's key, too (see AssumeCondition).
func (e *Expr) Reads() []int {
	if e.reads != nil {
		return e.reads
	}
	return e.cols
}

// Volatile reports whether the result depends on more than the row and the
// settings: on the clock (now() is stable within a transaction, but not
// between two), on chance, on a sequence or on the session.
func (e *Expr) Volatile() bool { return len(e.volatile) > 0 }

// VolatileNames lists the functions that make it so.
func (e *Expr) VolatileNames() []string { return e.volatile }

// Sequences lists what nextval is called with, as written.
func (e *Expr) Sequences() []string { return e.sequences }

// Constant reports whether the expression is a constant: Eval needs no row.
func (e *Expr) Constant() bool { return len(e.cols) == 0 && len(e.volatile) == 0 }

// Eval computes the expression for a row: one value per column of the table,
// as stored. The result is as stored, too: see datum.Value. Errors have
// PostgreSQL's text.
func (e *Expr) Eval(row []datum.Value, s *Scratch) (datum.Value, error) {
	if e.root.konst {
		return e.root.value, nil
	}
	s.row = row
	s.stack = s.stack[:0]
	for len(s.slots) < e.slots {
		s.slots = append(s.slots, datum.Value{})
	}
	v, err := e.root.eval(s)
	if err != nil && e.fallback != nil {
		if _, ok := err.(*UnsupportedError); ok {
			e.note(err)
			return e.fallback.Eval(row, s)
		}
	}
	return v, err
}

// EvalBool is Eval for a condition: it reports whether the result is true
// (not false, not NULL).
func (e *Expr) EvalBool(row []datum.Value, s *Scratch) (bool, error) {
	v, err := e.Eval(row, s)
	return err == nil && !v.Null && v.Bits&1 != 0, err
}

// evalFunc computes a node's value for the scratch's row.
type evalFunc func(s *Scratch) (datum.Value, error)

// impl computes a function from its arguments' values. For a strict function
// none of them is NULL.
type impl func(s *Scratch, args []datum.Value) (datum.Value, error)

// node is a typed expression.
type node struct {
	typ     *pgtype.Type
	typmod  int32
	coll    string // collation; "" the default
	collBy  byte   // 0 none, 'i' implicit, 'e' explicit (COLLATE), 'x' conflict
	eval    evalFunc
	konst   bool // value is the result
	value   datum.Value
	hasVar  bool   // refers to a column
	impure  bool   // volatile, or depends on a slot
	literal bool   // a literal as written
	col     int    // the column that it is, or -1
	late    string // what makes it impossible to evaluate, unless that is never asked for
}

var null = datum.Value{Null: true}

func boolean(b bool) datum.Value {
	if b {
		return datum.Value{Bits: 1}
	}
	return datum.Value{}
}

func isTrue(v *datum.Value) bool { return v.Bits&1 != 0 }

// keep returns what was appended to the scratch's buffer from start on. The
// buffer may have moved meanwhile; what was cut from the old one stays good.
func (s *Scratch) keep(buf []byte, start int) datum.Value {
	s.buf = buf
	return datum.Value{Bytes: buf[start:len(buf):len(buf)]}
}

// bytes copies a payload into the scratch.
func (s *Scratch) bytes(b []byte) datum.Value {
	start := len(s.buf)
	return s.keep(append(s.buf, b...), start)
}

func (s *Scratch) text(t string) datum.Value {
	start := len(s.buf)
	return s.keep(append(s.buf, t...), start)
}

func fail(format string, args ...any) { panic(bail{fmt.Errorf(format, args...)}) }

var (
	errInt2Range = errors.New("smallint out of range")
	errInt4Range = errors.New("integer out of range")
	errInt8Range = errors.New("bigint out of range")
	errDivZero   = errors.New("division by zero")
)
