package expr

// After float.c (REL_18_1, src/backend/utils/adt).

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"applysim/heap/datum"
)

var (
	errOverflow  = errors.New("value out of range: overflow")
	errUnderflow = errors.New("value out of range: underflow")
)

func f8(v datum.Value) float64 { return math.Float64frombits(v.Bits) }
func f4(v datum.Value) float64 { return float64(math.Float32frombits(uint32(v.Bits))) }

// float gives a float8's value. Of a NaN only the sign is kept: C's own has a
// clear one.
func float(f float64) datum.Value {
	if f != f {
		return datum.Value{Bits: 0x7FF8000000000000 | math.Float64bits(f)&(1<<63)}
	}
	return datum.Value{Bits: math.Float64bits(f)}
}

func float4(f float64) datum.Value {
	if f != f {
		return datum.Value{Bits: 0x7FC00000 | math.Float64bits(f)>>63<<31}
	}
	return datum.Value{Bits: uint64(math.Float32bits(float32(f)))}
}

// checked refuses an infinity out of finite operands and a zero where there
// can be none.
func checked(r float64, inf, zero bool) (float64, error) {
	switch {
	case math.IsInf(r, 0) && !inf:
		return 0, errOverflow
	case r == 0 && !zero:
		return 0, errUnderflow
	}
	return r, nil
}

// floatOp computes in the precision of the result, which rounds at the end.
func floatOp(op byte, a, b float64, single bool) (float64, error) {
	var r float64
	inf := math.IsInf(a, 0) || math.IsInf(b, 0)
	zero := true
	switch op {
	case '+':
		r = a + b
	case '-':
		r = a - b
	case '*':
		r = a * b
		zero = a == 0 || b == 0
	default:
		if b == 0 && a == a {
			return 0, errDivZero
		}
		r = a / b
		zero = a == 0 || math.IsInf(b, 0)
		inf = math.IsInf(a, 0)
	}
	if r != r {
		return madeNaN(a, b), nil
	}
	if single {
		r = float64(float32(r))
	}
	return checked(r, inf, zero)
}

// madeNaN is the NaN that the processor (x86-64) gives: an operand's, or one
// with the sign bit set where there was none before.
func madeNaN(a, b float64) float64 {
	switch {
	case a != a:
		return a
	case b != b:
		return b
	}
	return math.Float64frombits(0xFFF8000000000000)
}

func floatFunctions() map[string]impl {
	m := map[string]impl{}
	for name, op := range map[string]byte{"pl": '+', "mi": '-', "mul": '*', "div": '/'} {
		m["float8"+name] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			f, err := floatOp(op, f8(a[0]), f8(a[1]), false)
			return float(f), err
		}
		m["float4"+name] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			f, err := floatOp(op, f4(a[0]), f4(a[1]), true)
			return float4(f), err
		}
		m["float48"+name] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			f, err := floatOp(op, f4(a[0]), f8(a[1]), false)
			return float(f), err
		}
		m["float84"+name] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
			f, err := floatOp(op, f8(a[0]), f4(a[1]), false)
			return float(f), err
		}
	}
	one := func(name string, f func(x float64) float64) {
		m[name] = func(_ *Scratch, a []datum.Value) (datum.Value, error) { return float(f(f8(a[0]))), nil }
	}
	one("dround", math.RoundToEven)
	one("dceil", math.Ceil)
	one("dfloor", math.Floor)
	one("dtrunc", math.Trunc)
	one("float8um", func(x float64) float64 { return -x })
	one("float8up", func(x float64) float64 { return x })
	one("float8abs", math.Abs)
	one("dsign", func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	})
	m["float4um"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) { return float4(-f4(a[0])), nil }
	m["float4up"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) { return a[0], nil }
	m["float4abs"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) { return float4(math.Abs(f4(a[0]))), nil }
	m["dsqrt"] = func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		if f8(a[0]) < 0 {
			return null, errors.New("cannot take square root of a negative number")
		}
		return float(math.Sqrt(f8(a[0]))), nil
	}
	return m
}

var _ = register(floatFunctions())

// floatToInt rounds to even and checks the range.
func floatToInt(f float64, width int) (datum.Value, error) {
	out := errInt4Range
	limit := float64(1 << 31)
	switch width {
	case 16:
		out, limit = errInt2Range, 1<<15
	case 64:
		out, limit = errInt8Range, 1<<63
	}
	f = math.RoundToEven(f)
	if f != f || f < -limit || f >= limit {
		return null, out
	}
	return datum.Value{Bits: uint64(int64(f))}, nil
}

// floatToNumeric keeps 15 digits of a double, 6 of a real.
func floatToNumeric(s *Scratch, f float64, digits int) (datum.Value, error) {
	var text []byte
	switch {
	case f != f:
		text = []byte("NaN")
	case math.IsInf(f, 0):
		text = []byte("Infinity")
		if f < 0 {
			text = []byte("-Infinity")
		}
	default:
		// %.15g takes zeros at the end away.
		text = strconv.AppendFloat(nil, f, 'e', digits-1, 64)
		text = trimMantissa(text)
	}
	v, buf, err := typeNumeric.Input(text, -1, s.buf)
	s.buf = buf
	return v, err
}

func trimMantissa(text []byte) []byte {
	e := len(text)
	for i, c := range text {
		if c == 'e' {
			e = i
		}
	}
	end := e
	for end > 0 && text[end-1] == '0' {
		end--
	}
	if end > 0 && text[end-1] == '.' {
		end--
	} else if end == 0 || end == e {
		end = e
	}
	return append(append([]byte{}, text[:end]...), text[e:]...)
}

// wholePower computes x^n with more digits than a double has and rounds once.
func wholePower(x float64, n int) (float64, bool) {
	if x == 0 {
		return math.Pow(x, float64(n)), true
	}
	const precision = 4096
	p := new(big.Float).SetPrec(precision).SetInt64(1)
	f := new(big.Float).SetPrec(precision).SetFloat64(x)
	for range max(n, -n) {
		p.Mul(p, f)
	}
	if n < 0 {
		p.Quo(new(big.Float).SetPrec(precision).SetInt64(1), p)
	}
	r, _ := p.Float64()
	return r, true
}

var _ = register(map[string]impl{"dpow": powFloat})
