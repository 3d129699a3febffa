package pgtype

// After src/backend/utils/adt/enum.c, oid.c, pg_lsn.c, tid.c, cash.c and
// xid8funcs.c.

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"applysim/heap/datum"
)

// LabelError says that an enum has no such label. Error names the type as a session prints
// it that has its schema in its search_path; Qualified as others do, an apply worker among
// them.
type LabelError struct {
	Type  *Type
	Label string
}

func (e *LabelError) Error() string {
	return fmt.Sprintf("invalid input value for enum %s: \"%s\"", e.Type.Name, e.Label)
}

// Qualified is the error's text with the type's schema.
func (e *LabelError) Qualified() string {
	return fmt.Sprintf("invalid input value for enum %v: \"%s\"", e.Type, e.Label)
}

func (t *Type) inputEnum(text []byte) (uint64, error) {
	i, ok := t.labels[string(text)]
	if !ok {
		return 0, &LabelError{t, string(text)}
	}
	return uint64(t.LabelOID(i)), nil
}

// Named says whether a value of a type such as regclass is a name that only a catalog
// tells the number of.
func (t *Type) Named(text []byte) bool {
	if t.Kind != KindOid || !strings.HasPrefix(t.Name, "reg") || string(text) == "-" || t.OID == 2206 && Lookup(string(text)) != nil {
		return false
	}
	return slices.ContainsFunc(text, func(c byte) bool { return !isDigit(c) })
}

// inputOid reads a number. The names that reg* types also take would need a catalog,
// except those of built-in types: another name stands for a number of its own, which is
// not the real one, so that keys of an index may be in another order.
func (t *Type) inputOid(text []byte) (uint64, error) {
	if len(t.Name) > 3 && t.Name[:3] == "reg" {
		if len(text) == 1 && text[0] == '-' {
			return 0, nil
		}
		if t.OID == 2206 { // regtype
			if named := Lookup(string(text)); named != nil {
				return uint64(named.OID), nil
			}
		}
		if t.Named(text) {
			h := fnv.New32a()
			h.Write(text)
			return uint64(h.Sum32() | 1<<30), nil
		}
		if len(text) == 0 {
			return 0, badSyntax("oid", text)
		}
		return uint32Text(text, "oid")
	}
	return uint32Text(text, t.Name)
}

func inputLSN(text []byte) (uint64, error) {
	part := func(s []byte) (n uint64, rest []byte, ok bool) {
		i := 0
		for ; i < len(s); i++ {
			d, hex := hexValue(s[i])
			if !hex {
				break
			}
			n = n<<4 | uint64(d)
		}
		return n, s[i:], i >= 1 && i <= 8
	}
	hi, rest, ok1 := part(text)
	if !ok1 || len(rest) == 0 || rest[0] != '/' {
		return 0, badSyntax("pg_lsn", text)
	}
	lo, rest, ok2 := part(rest[1:])
	if !ok2 || len(rest) > 0 {
		return 0, badSyntax("pg_lsn", text)
	}
	return hi<<32 | lo, nil
}

// appendTID lays out a tuple identifier: the block number in two halves, the
// high one first, then the offset number.
func appendTID(scratch []byte, block uint32, offset uint16) ([]byte, []byte) {
	start := len(scratch)
	scratch = le.AppendUint16(scratch, uint16(block>>16))
	scratch = le.AppendUint16(scratch, uint16(block))
	scratch = le.AppendUint16(scratch, offset)
	return scratch[start:], scratch
}

func inputTID(text, scratch []byte) (datum.Value, []byte, error) {
	bad := func() (datum.Value, []byte, error) { return datum.Value{}, scratch, badSyntax("tid", text) }
	var coord [2]int
	found := 0
	for i, c := range text {
		if found == 2 || c == ')' {
			break
		}
		if c == ',' || c == '(' && found == 0 {
			coord[found] = i + 1
			found++
		}
	}
	if found < 2 {
		return bad()
	}
	block, rest, over, ok := unsigned(text[coord[0]:], 10)
	if !ok || over || len(rest) == 0 || rest[0] != ',' || block != uint64(uint32(block)) && block != signExtend32(uint32(block)) {
		return bad()
	}
	offset, rest, over, ok := unsigned(text[coord[1]:], 10)
	if !ok || over || len(rest) == 0 || rest[0] != ')' || offset > math.MaxUint16 {
		return bad()
	}
	var v datum.Value
	v.Bytes, scratch = appendTID(scratch, uint32(block), uint16(offset))
	return v, scratch, nil
}

// inputMoney reads money as the C locale prints it: two digits after the
// point, commas between thousands, $ in front.
func inputMoney(text []byte) (uint64, error) {
	const digits = 2
	s := scanner{text}
	neg := false
	s.skip()
	s.accept('$')
	s.skip()
	if s.peek() == '-' || s.peek() == '(' {
		neg = true
		s.b = s.b[1:]
	} else {
		s.accept('+')
	}
	s.skip()
	s.accept('$')
	s.skip()
	var (
		n     int64 // built as a negative number, whose range is larger
		point bool
		dec   int
	)
	times10 := func(sub int64) bool {
		if n < math.MinInt64/10 || n*10 < math.MinInt64+sub {
			return false
		}
		n = n*10 - sub
		return true
	}
loop:
	for ; len(s.b) > 0; s.b = s.b[1:] {
		switch c := s.b[0]; {
		case isDigit(c) && (!point || dec < digits):
			if !times10(int64(c - '0')) {
				return 0, outOfRange("money", text)
			}
			if point {
				dec++
			}
		case c == '.' && !point:
			point = true
		case c == ',':
		default:
			break loop
		}
	}
	if c := s.peek(); isDigit(c) && c >= '5' {
		if n == math.MinInt64 {
			return 0, outOfRange("money", text)
		}
		n--
	}
	for ; dec < digits; dec++ {
		if !times10(0) {
			return 0, outOfRange("money", text)
		}
	}
	s.number()
	for len(s.b) > 0 {
		switch c := s.b[0]; {
		case isSpace(c), c == ')', c == '+', c == '$':
		case c == '-':
			neg = true
		default:
			return 0, badSyntax("money", text)
		}
		s.b = s.b[1:]
	}
	if !neg {
		if n == math.MinInt64 {
			return 0, outOfRange("money", text)
		}
		n = -n
	}
	return uint64(n), nil
}

// A snapshot's payload is the number of transactions in progress (4 bytes, 4
// of padding that the length word completes to 8), xmin, xmax, and they.
func appendSnapshot(scratch []byte, xmin, xmax uint64, running []uint64) (datum.Value, []byte) {
	start := len(scratch)
	scratch = le.AppendUint32(scratch, uint32(len(running)))
	scratch = le.AppendUint64(scratch, xmin)
	scratch = le.AppendUint64(scratch, xmax)
	for _, x := range running {
		scratch = le.AppendUint64(scratch, x)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch
}

func (t *Type) inputSnapshot(text, scratch []byte) (datum.Value, []byte, error) {
	bad := func() (datum.Value, []byte, error) { return datum.Value{}, scratch, badSyntax("pg_snapshot", text) }
	xmin, s, over, ok := unsigned(text, 10)
	if !ok || over || len(s) == 0 || s[0] != ':' {
		return bad()
	}
	xmax, s, over, ok := unsigned(s[1:], 10)
	if !ok || over || len(s) == 0 || s[0] != ':' || xmin == 0 || xmax == 0 || xmax < xmin {
		return bad()
	}
	s = s[1:]
	var running []uint64
	last := uint64(0)
	for len(s) > 0 {
		x, rest, over, ok := unsigned(s, 10)
		if !ok || over || x < xmin || x >= xmax || x < last {
			return bad()
		}
		if x != last {
			running = append(running, x)
		}
		last = x
		s = rest
		if len(s) > 0 && s[0] == ',' {
			s = s[1:]
		} else if len(s) > 0 {
			return bad()
		}
	}
	v, scratch := appendSnapshot(scratch, xmin, xmax, running)
	return v, scratch, nil
}

func (t *Type) receiveSnapshot(r *reader, scratch []byte) (datum.Value, []byte, error) {
	errBad := errors.New("invalid external pg_snapshot data")
	count := int64(int32(r.u32()))
	xmin, xmax := r.u64(), r.u64()
	if r.short {
		return datum.Value{}, scratch, errShortMessage
	}
	if count < 0 || xmin == 0 || xmax == 0 || xmin > xmax || xmax > math.MaxInt64 {
		return datum.Value{}, scratch, errBad
	}
	if count*8 > int64(len(r.b)) {
		return datum.Value{}, scratch, errShortMessage
	}
	var running []uint64
	last := uint64(0)
	for range count {
		x := r.u64()
		if x < last || x < xmin || x >= xmax {
			return datum.Value{}, scratch, errBad
		}
		if x != last {
			running = append(running, x)
		}
		last = x
	}
	v, scratch := appendSnapshot(scratch, xmin, xmax, running)
	return v, scratch, nil
}
