package expr

import (
	"errors"
	"math"
	"math/big"

	"applysim/heap/datum"
)

// numeric2 makes a function of two numerics.
func numeric2(f func(a, b *decimal) (*decimal, error)) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		d, err := f(decodeNumeric(a[0].Bytes), decodeNumeric(a[1].Bytes))
		if err != nil {
			return null, err
		}
		return d.store(s)
	}
}

func numeric1(f func(a *decimal) (*decimal, error)) impl {
	return func(s *Scratch, a []datum.Value) (datum.Value, error) {
		d, err := f(decodeNumeric(a[0].Bytes))
		if err != nil {
			return null, err
		}
		return d.store(s)
	}
}

// scaleArg bounds the second argument of round and trunc.
func scaleArg(v datum.Value) int { return int(min(max(int64(int32(v.Bits)), -131072), 16383)) }

func roundTo(s *Scratch, d *decimal, scale int) (datum.Value, error) {
	r := d.rescale(scale)
	if scale < 0 && r.special == 0 {
		r = r.rescale(0)
	}
	return r.store(s)
}

func truncTo(s *Scratch, d *decimal, scale int) (datum.Value, error) {
	if d.special == 0 && scale >= d.scale {
		return d.rescale(scale).store(s)
	}
	r := d.truncate(scale)
	if scale < 0 && r.special == 0 {
		r = r.rescale(0)
	}
	return r.store(s)
}

// floorDecimal rounds towards -infinity.
func floorDecimal(d *decimal) *decimal {
	if d.special != 0 {
		return d
	}
	r := d.truncate(0)
	if d.n.Sign() < 0 && r.rescale(d.scale).n.Cmp(&d.n) != 0 {
		r.n.Sub(&r.n, big.NewInt(1))
	}
	return r
}

func sqrtDecimal(d *decimal) (*decimal, error) {
	switch {
	case d.special == '-' || d.special == 0 && d.n.Sign() < 0:
		return nil, errors.New("cannot take square root of a negative number")
	case d.special != 0:
		return d, nil
	}
	weight, _ := d.lead()
	// C divides towards zero, but a weight times 4 is even.
	scale := min(max(16-(weight*2+1), d.scale, 0), 1000)
	// One digit more than asked for decides the rounding; a root that ends
	// in exactly 5 there is exact.
	n := d.rescale(2 * (scale + 1)).n
	if 2*(scale+1) < d.scale {
		n = d.truncate(2 * (scale + 1)).n
	}
	r := &decimal{scale: scale + 1}
	r.n.Sqrt(&n)
	return r.rescale(scale), nil
}

var errNumericOverflow = errors.New("value overflows numeric format")

var errPowerZero = errors.New("zero raised to a negative power is undefined")

// powerDecimal is power for whole exponents, computed exactly where the
// server keeps some ten digits more than it shows.
func powerDecimal(a, b *decimal) (*decimal, error) {
	if a.special != 0 || b.special != 0 {
		return nil, &UnsupportedError{What: "power of NaN or infinity"}
	}
	if a.n.Sign() == 0 && b.n.Sign() < 0 {
		return nil, errPowerZero
	}
	whole := b.truncate(0)
	if whole.rescale(b.scale).n.Cmp(&b.n) != 0 || !whole.n.IsInt64() {
		if a.n.Sign() < 0 {
			return nil, errors.New("a negative number raised to a non-integer power yields a complex result")
		}
		return nil, &UnsupportedError{What: "numeric power with an exponent that is not an integer"}
	}
	exp := whole.n.Int64()
	if size := max(exp, -exp); size > 100000 || size*int64(max(a.scale, a.n.BitLen()/3)) > 400000 {
		return nil, &UnsupportedError{What: "numeric power with a large exponent"}
	}
	f := 0.0
	if a.n.Sign() != 0 {
		digits := new(big.Int).Abs(&a.n).Append(nil, 10)
		exponent := len(digits) - 1 - a.scale
		m := 0.0
		for _, c := range digits[:min(len(digits), 17)] {
			m = float64(m*10) + float64(c-'0')
		}
		m /= math.Pow(10, float64(min(len(digits), 17)-1))
		f = float64(float64(exp) * (float64(math.Log10(m)) + float64(exponent)))
	}
	if f > (32767+1)*4 {
		return nil, errNumericOverflow
	}
	if f+1 < -1000 {
		return &decimal{scale: 1000}, nil
	}
	scale := min(max(16-int(f), a.scale, b.scale, 0), 1000)
	r := &decimal{scale: int(max(exp, -exp)) * a.scale}
	r.n.Exp(&a.n, big.NewInt(max(exp, -exp)), nil)
	if exp < 0 {
		return quoDecimal(decimalOf(1), r, scale, true), nil
	}
	return r.rescale(scale), nil
}

var _ = register(map[string]impl{
	"numeric_add": numeric2(func(a, b *decimal) (*decimal, error) { return addDecimal(a, b), nil }),
	"numeric_sub": numeric2(func(a, b *decimal) (*decimal, error) { return addDecimal(a, negDecimal(b)), nil }),
	"numeric_mul": numeric2(func(a, b *decimal) (*decimal, error) { return mulDecimal(a, b), nil }),
	"numeric_div": numeric2(divDecimal),
	"numeric_mod": numeric2(modDecimal),
	"numeric_div_trunc": numeric2(func(a, b *decimal) (*decimal, error) {
		if a.special != 0 || b.special != 0 {
			return divDecimal(a, b)
		}
		if b.n.Sign() == 0 {
			return nil, errDivZero
		}
		return quoDecimal(a, b, 0, false), nil
	}),
	"numeric_power":  numeric2(powerDecimal),
	"numeric_sqrt":   numeric1(sqrtDecimal),
	"numeric_uminus": numeric1(func(a *decimal) (*decimal, error) { return negDecimal(a), nil }),
	"numeric_uplus":  numeric1(func(a *decimal) (*decimal, error) { return a, nil }),
	"numeric_abs": numeric1(func(a *decimal) (*decimal, error) {
		if a.sign() < 0 {
			return negDecimal(a), nil
		}
		return a, nil
	}),
	"numeric_sign": numeric1(func(a *decimal) (*decimal, error) {
		if a.special == 'N' {
			return a, nil
		}
		return decimalOf(int64(a.sign())), nil
	}),
	"numeric_floor": numeric1(func(a *decimal) (*decimal, error) { return floorDecimal(a), nil }),
	"numeric_ceil":  numeric1(func(a *decimal) (*decimal, error) { return negDecimal(floorDecimal(negDecimal(a))), nil }),
	"numeric_round": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return roundTo(s, decodeNumeric(a[0].Bytes), scaleArg(a[1]))
	},
	"sql_round": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return roundTo(s, decodeNumeric(a[0].Bytes), 0)
	},
	"numeric_trunc": func(s *Scratch, a []datum.Value) (datum.Value, error) {
		return truncTo(s, decodeNumeric(a[0].Bytes), scaleArg(a[1]))
	},
	"numeric_scale": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		d := decodeNumeric(a[0].Bytes)
		return datum.Value{Bits: uint64(d.scale), Null: d.special != 0}, nil
	},
	"numeric_larger": func(_ *Scratch, a []datum.Value) (datum.Value, error) {
		if typeNumeric.OpClass().Compare(&a[0], &a[1]) > 0 {
			return a[0], nil
		}
		return a[1], nil
	},
})

var _ = registerSpecial(map[string]func(*callee) evalFunc{
	// trunc(numeric) has a name in SQL that trunc(macaddr) has not.
	"sql_trunc": func(call *callee) evalFunc {
		return call.eval(func(s *Scratch, a []datum.Value) (datum.Value, error) {
			return truncTo(s, decodeNumeric(a[0].Bytes), 0)
		})
	},
})
