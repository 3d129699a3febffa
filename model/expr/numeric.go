package expr

// After numeric.c (REL_18_1, src/backend/utils/adt): results and their scales.

import (
	"errors"
	"math"
	"math/big"
	"strconv"

	"applysim/heap/datum"
)

// decimal is a numeric while it is computed with: n / 10^scale, or a special
// value.
type decimal struct {
	n       big.Int
	scale   int
	special byte // 0, 'N' NaN, '+' and '-' the infinities
}

// pow10 gives 10^n.
func pow10(n int) *big.Int {
	if n < len(smallPowers) {
		return smallPowers[n]
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

var smallPowers = func() (p [64]*big.Int) {
	p[0] = big.NewInt(1)
	for i := 1; i < len(p); i++ {
		p[i] = new(big.Int).Mul(p[i-1], big.NewInt(10))
	}
	return p
}()

// decodeNumeric reads a stored numeric (see package opclass, numeric.go).
func decodeNumeric(b []byte) *decimal {
	d := &decimal{}
	if len(b) < 2 {
		d.special = 'N'
		return d
	}
	h := le.Uint16(b)
	var weight int
	neg := false
	switch h & 0xC000 {
	case 0xC000:
		switch h {
		case 0xD000:
			d.special = '+'
		case 0xF000:
			d.special = '-'
		default:
			d.special = 'N'
		}
		return d
	case 0x8000:
		neg, d.scale, weight = h&0x2000 != 0, int(h>>7&0x3F), int(int8(h<<1))>>1
		b = b[2:]
	default:
		if len(b) < 4 {
			d.special = 'N'
			return d
		}
		neg, d.scale, weight = h&0x4000 != 0, int(h&0x3FFF), int(int16(le.Uint16(b[2:])))
		b = b[4:]
	}
	count := len(b) / 2
	if count <= 4 {
		var n uint64
		for i := range count {
			n = n*10000 + uint64(le.Uint16(b[2*i:]))
		}
		d.n.SetUint64(n)
	} else {
		base, digit := big.NewInt(10000), new(big.Int)
		for i := range count {
			d.n.Mul(&d.n, base)
			d.n.Add(&d.n, digit.SetUint64(uint64(le.Uint16(b[2*i:]))))
		}
	}
	// The last digit counts 10000^(weight-count+1).
	switch shift := 4*(weight-count+1) + d.scale; {
	case shift > 0:
		d.n.Mul(&d.n, pow10(shift))
	case shift < 0:
		d.n.Quo(&d.n, pow10(-shift))
	}
	if neg {
		d.n.Neg(&d.n)
	}
	return d
}

// text prints the number as the server does.
func (d *decimal) text(b []byte) []byte {
	switch d.special {
	case 'N':
		return append(b, "NaN"...)
	case '+':
		return append(b, "Infinity"...)
	case '-':
		return append(b, "-Infinity"...)
	}
	if d.n.Sign() < 0 {
		b = append(b, '-')
	}
	digits := new(big.Int).Abs(&d.n).Append(nil, 10)
	for len(digits) <= d.scale {
		digits = append([]byte("0000000000000000")[:min(16, d.scale+1-len(digits))], digits...)
	}
	b = append(b, digits[:len(digits)-d.scale]...)
	if d.scale > 0 {
		b = append(append(b, '.'), digits[len(digits)-d.scale:]...)
	}
	return b
}

// store gives the stored form.
func (d *decimal) store(s *Scratch) (datum.Value, error) {
	v, buf, err := typeNumeric.Input(d.text(nil), -1, s.buf)
	s.buf = buf
	return v, err
}

// rescale brings n to a scale, rounding half away from zero.
func (d *decimal) rescale(scale int) *decimal {
	r := &decimal{scale: scale, special: d.special}
	switch diff := scale - d.scale; {
	case d.special != 0:
	case diff >= 0:
		r.n.Mul(&d.n, pow10(diff))
	default:
		r.n = *roundQuo(&d.n, pow10(-diff))
	}
	return r
}

// truncate is rescale without rounding.
func (d *decimal) truncate(scale int) *decimal {
	if d.special != 0 || scale >= d.scale {
		return d.rescale(scale)
	}
	r := &decimal{scale: scale}
	r.n.Quo(&d.n, pow10(d.scale-scale))
	return r
}

// roundQuo divides, rounding half away from zero. b is positive.
func roundQuo(a, b *big.Int) *big.Int {
	q, r := new(big.Int).QuoRem(a, b, new(big.Int))
	if r.Abs(r).Lsh(r, 1).Cmp(b) >= 0 {
		q.Add(q, big.NewInt(int64(a.Sign())))
	}
	return q
}

// lead gives the base-10000 weight of the number and its first digit in that
// base.
func (d *decimal) lead() (weight, first int) {
	if d.n.Sign() == 0 {
		return 0, 0
	}
	digits := new(big.Int).Abs(&d.n).Append(nil, 10)
	exponent := len(digits) - 1 - d.scale
	weight = int(floorDiv(int64(exponent), 4))
	count := exponent - 4*weight + 1
	for len(digits) < count {
		digits = append(digits, '0')
	}
	first, _ = strconv.Atoi(string(digits[:count]))
	return weight, first
}

func (d *decimal) sign() int {
	switch d.special {
	case '+':
		return 1
	case '-':
		return -1
	}
	return d.n.Sign()
}

func specialNumber(c byte) *decimal { return &decimal{special: c} }

func signed(sign int) *decimal {
	if sign < 0 {
		return specialNumber('-')
	}
	return specialNumber('+')
}

func addDecimal(a, b *decimal) *decimal {
	switch {
	case a.special == 'N' || b.special == 'N' || a.special != 0 && b.special != 0 && a.special != b.special:
		return specialNumber('N')
	case a.special != 0:
		return specialNumber(a.special)
	case b.special != 0:
		return specialNumber(b.special)
	}
	scale := max(a.scale, b.scale)
	r := &decimal{scale: scale}
	r.n.Add(&a.rescale(scale).n, &b.rescale(scale).n)
	return r
}

func negDecimal(a *decimal) *decimal {
	r := &decimal{scale: a.scale}
	r.n.Neg(&a.n)
	switch a.special {
	case '+':
		r.special = '-'
	case '-':
		r.special = '+'
	default:
		r.special = a.special
	}
	return r
}

func mulDecimal(a, b *decimal) *decimal {
	switch {
	case a.special == 'N' || b.special == 'N':
		return specialNumber('N')
	case a.special != 0 || b.special != 0:
		if a.sign() == 0 || b.sign() == 0 {
			return specialNumber('N')
		}
		return signed(a.sign() * b.sign())
	}
	r := &decimal{scale: a.scale + b.scale}
	r.n.Mul(&a.n, &b.n)
	const dscaleMax = 0x3FFF // NUMERIC_DSCALE_MAX
	if r.scale > dscaleMax {
		return r.rescale(dscaleMax)
	}
	return r
}

// divScale is select_div_scale: at least 16 significant digits.
func divScale(a, b *decimal) int {
	w1, f1 := a.lead()
	w2, f2 := b.lead()
	weight := w1 - w2
	if f1 <= f2 {
		weight--
	}
	return min(max(16-4*weight, a.scale, b.scale, 0), 1000)
}

func divDecimal(a, b *decimal) (*decimal, error) {
	switch {
	case a.special == 'N' || b.special == 'N':
		return specialNumber('N'), nil
	case a.special != 0 && b.special != 0:
		return specialNumber('N'), nil
	case a.special != 0:
		if b.sign() == 0 {
			return nil, errDivZero
		}
		return signed(a.sign() * b.sign()), nil
	case b.special != 0:
		return &decimal{}, nil
	case b.n.Sign() == 0:
		return nil, errDivZero
	}
	return quoDecimal(a, b, divScale(a, b), true), nil
}

// quoDecimal divides finite numbers to a scale.
func quoDecimal(a, b *decimal, scale int, round bool) *decimal {
	num, den := new(big.Int).Set(&a.n), new(big.Int).Set(&b.n)
	if den.Sign() < 0 {
		num.Neg(num)
		den.Neg(den)
	}
	if shift := scale + b.scale - a.scale; shift >= 0 {
		num.Mul(num, pow10(shift))
	} else {
		den.Mul(den, pow10(-shift))
	}
	r := &decimal{scale: scale}
	if round {
		r.n = *roundQuo(num, den)
	} else {
		r.n.Quo(num, den)
	}
	return r
}

func modDecimal(a, b *decimal) (*decimal, error) {
	switch {
	case a.special == 'N' || b.special == 'N':
		return specialNumber('N'), nil
	case a.special != 0:
		if b.sign() == 0 {
			return nil, errDivZero
		}
		return specialNumber('N'), nil
	case b.special != 0:
		return a, nil
	case b.n.Sign() == 0:
		return nil, errDivZero
	}
	scale := max(a.scale, b.scale)
	r := &decimal{scale: scale}
	r.n.Rem(&a.rescale(scale).n, &b.rescale(scale).n)
	return r, nil
}

// integerOf rounds to an integer of the given width.
func integerOf(d *decimal, width int) (datum.Value, error) {
	name, out := "integer", errInt4Range
	switch width {
	case 16:
		name, out = "smallint", errInt2Range
	case 64:
		name, out = "bigint", errInt8Range
	}
	switch d.special {
	case 'N':
		return null, errors.New("cannot convert NaN to " + name)
	case '+', '-':
		return null, errors.New("cannot convert infinity to " + name)
	}
	r := d.rescale(0)
	if !r.n.IsInt64() {
		return null, out
	}
	return ranged(r.n.Int64(), width)
}

func decimalOf(n int64) *decimal {
	d := &decimal{}
	d.n.SetInt64(n)
	return d
}

// float64Of goes through text, as the server does.
func float64Of(d *decimal) float64 {
	switch d.special {
	case 'N':
		return math.NaN()
	case '+':
		return math.Inf(1)
	case '-':
		return math.Inf(-1)
	}
	f, _ := strconv.ParseFloat(string(d.text(nil)), 64)
	return f
}
