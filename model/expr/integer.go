package expr

import (
	"errors"
	"math"
	"math/bits"
	"strconv"

	"applysim/heap/datum"
)

// After int.c and int8.c (REL_18_1, src/backend/utils/adt).

// integer prints a number.
func (s *Scratch) integer(n int64) datum.Value {
	start := len(s.buf)
	return s.keep(strconv.AppendInt(s.buf, n, 10), start)
}

// ranged checks that n fits the width in bits.
func ranged(n int64, width int) (datum.Value, error) {
	switch {
	case width == 16 && n != int64(int16(n)):
		return null, errInt2Range
	case width == 32 && n != int64(int32(n)):
		return null, errInt4Range
	}
	return datum.Value{Bits: uint64(n)}, nil
}

func intAdd(a, b int64, width int) (datum.Value, error) {
	c := a + b
	if (c < a) != (b < 0) {
		return null, errInt8Range
	}
	return ranged(c, width)
}

func intSub(a, b int64, width int) (datum.Value, error) {
	c := a - b
	if (c > a) != (b < 0) {
		return null, errInt8Range
	}
	return ranged(c, width)
}

func intMul(a, b int64, width int) (datum.Value, error) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	// Mul64 takes both as unsigned.
	h := int64(hi)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	if h != int64(lo)>>63 {
		return null, errInt8Range
	}
	return ranged(int64(lo), width)
}

func intDiv(a, b int64, width int) (datum.Value, error) {
	if b == 0 {
		return null, errDivZero
	}
	if a == math.MinInt64 && b == -1 {
		return null, errInt8Range
	}
	return ranged(a/b, width)
}

func intMod(a, b int64, _ int) (datum.Value, error) {
	if b == 0 {
		return null, errDivZero
	}
	if b == -1 {
		return datum.Value{}, nil
	}
	return datum.Value{Bits: uint64(a % b)}, nil
}

// intFunctions registers an operation under int2op, int24op, int48op and so
// on: the name's digits are the operands' widths, the result has the larger.
func intFunctions() map[string]impl {
	m := map[string]impl{}
	ops := map[string]func(a, b int64, width int) (datum.Value, error){
		"pl": intAdd, "mi": intSub, "mul": intMul, "div": intDiv, "mod": intMod,
		"and": func(a, b int64, _ int) (datum.Value, error) { return datum.Value{Bits: uint64(a & b)}, nil },
		"or":  func(a, b int64, _ int) (datum.Value, error) { return datum.Value{Bits: uint64(a | b)}, nil },
		"xor": func(a, b int64, _ int) (datum.Value, error) { return datum.Value{Bits: uint64(a ^ b)}, nil },
	}
	for name, width := range map[string]int{"2": 16, "4": 32, "8": 64, "24": 32, "42": 32, "28": 64, "82": 64, "48": 64, "84": 64} {
		for op, f := range ops {
			m["int"+name+op] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
				return f(int64(a[0].Bits), int64(a[1].Bits), width)
			}
		}
	}
	for name, width := range map[string]int{"2": 16, "4": 32, "8": 64} {
		unary := func(op string, f func(n int64) int64) {
			m["int"+name+op] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
				n := int64(a[0].Bits)
				if n == math.MinInt64 && (op == "um" || op == "abs") {
					return null, errInt8Range
				}
				return ranged(f(n), width)
			}
		}
		unary("um", func(n int64) int64 { return -n })
		unary("up", func(n int64) int64 { return n })
		unary("not", func(n int64) int64 { return ^n })
		unary("abs", func(n int64) int64 { return max(n, -n) })
		mask := uint64(width - 1)
		if width == 16 {
			mask = 31 // shifted as an int
		}
		m["int"+name+"shl"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			n := int64(a[0].Bits) << (a[1].Bits & mask)
			switch width {
			case 16:
				n = int64(int16(n))
			case 32:
				n = int64(int32(n))
			}
			return datum.Value{Bits: uint64(n)}, nil
		}
		m["int"+name+"shr"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			return datum.Value{Bits: uint64(int64(a[0].Bits) >> (a[1].Bits & mask))}, nil
		}
	}
	for name, width := range map[string]int{"int4": 32, "int8": 64} {
		m[name+"gcd"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			n := gcd(int64(a[0].Bits), int64(a[1].Bits))
			if n < 0 {
				return null, errInt8Range
			}
			return ranged(n, width)
		}
		m[name+"lcm"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			x, y := int64(a[0].Bits), int64(a[1].Bits)
			if x == 0 || y == 0 {
				return datum.Value{}, nil
			}
			v, err := intMul(x/gcd(x, y), y, width)
			if n := int64(v.Bits); err == nil && n < 0 {
				if n == math.MinInt64 {
					return null, errInt8Range
				}
				return ranged(-n, width)
			}
			return v, err
		}
	}
	return m
}

func gcd(a, b int64) int64 {
	for b != 0 {
		if b == -1 {
			return 1
		}
		a, b = b, a%b
	}
	if a < 0 {
		a = -a
	}
	return a
}

var _ = register(intFunctions())

var errOidRange = errors.New("OID out of range")
