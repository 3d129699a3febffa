package opclass

// After src/backend/utils/adt/numeric.c (cmp_var_common and the abbreviation
// scheme of numeric_abbrev_convert).

import (
	"cmp"
	"math"

	"applysim/heap/datum"
)

// number is a stored numeric taken apart: base-10000 digits, the first of
// which counts 10000^weight.
type number struct {
	special  byte // 0, or 'N' NaN, '+' and '-' the infinities
	negative bool
	weight   int
	digits   []byte // two bytes each, little-endian
}

// A numeric's payload begins with a 16-bit word whose two high bits tell the
// form: short (10) holds sign, scale and weight in that word, long (00
// positive, 01 negative) has the weight in a second word, special (11) is NaN
// or an infinity.
const (
	numericFormMask = 0xC000
	numericNegative = 0x4000
	numericShort    = 0x8000
	numericSpecial  = 0xC000
	numericNaN      = 0xC000
	numericPInf     = 0xD000
	numericNInf     = 0xF000
)

func decodeNumeric(b []byte) number {
	header := u16(b, 0)
	switch header & numericFormMask {
	case numericSpecial:
		switch header {
		case numericPInf:
			return number{special: '+'}
		case numericNInf:
			return number{special: '-'}
		}
		return number{special: 'N'}
	case numericShort:
		n := number{negative: header&0x2000 != 0, weight: int(header & 0x3F), digits: tail(b, 2)}
		if header&0x40 != 0 { // the weight's sign
			n.weight -= 64
		}
		return n
	}
	return number{
		negative: header&numericFormMask == numericNegative,
		weight:   int(int16(u16(b, 2))),
		digits:   tail(b, 4),
	}
}

// rank sorts the special values around the finite ones.
func (n *number) rank() int {
	switch n.special {
	case '-':
		return -1
	case '+':
		return 1
	case 'N':
		return 2
	}
	return 0
}

func compareNumeric(a, b *datum.Value) int { return compareNumericBytes(a.Bytes, b.Bytes) }

func compareNumericBytes(a, b []byte) int {
	x, y := decodeNumeric(a), decodeNumeric(b)
	if x.special != 0 || y.special != 0 {
		return cmp.Compare(x.rank(), y.rank())
	}
	xs, ys := x.sign(), y.sign()
	if xs != ys || xs == 0 {
		return cmp.Compare(xs, ys)
	}
	return xs * compareMagnitude(&x, &y)
}

func (n *number) sign() int {
	switch {
	case len(n.digits) < 2:
		return 0
	case n.negative:
		return -1
	}
	return 1
}

// compareMagnitude relies on stored digits having no leading zero digit.
func compareMagnitude(x, y *number) int {
	if x.weight != y.weight {
		return cmp.Compare(x.weight, y.weight)
	}
	for i := 0; ; i += 2 {
		xEnd, yEnd := i+2 > len(x.digits), i+2 > len(y.digits)
		switch {
		case xEnd && yEnd:
			return 0
		case xEnd:
			return -1
		case yEnd:
			return 1
		}
		if c := cmp.Compare(u16(x.digits, i), u16(y.digits, i)); c != 0 {
			return c
		}
	}
}

func abbrevNumeric(v *datum.Value) uint64 { return abbrevNumericBytes(v.Bytes) }

func abbrevNumericBytes(b []byte) uint64 {
	n := decodeNumeric(b)
	switch n.special {
	case 'N':
		return math.MaxUint64
	case '+':
		return math.MaxUint64 - 1
	case '-':
		return 0
	}
	if n.sign() == 0 {
		return 1 << 63
	}
	// Three digits of 14 bits fill 42 of the 47 that sign and weight leave;
	// the fourth digit gives its five highest.
	a := uint64(1)<<63 | uint64(n.weight+1<<15)&0xFFFF<<47
	a |= uint64(u16(n.digits, 0)) << 33
	a |= uint64(u16(n.digits, 2)) << 19
	a |= uint64(u16(n.digits, 4)) << 5
	a |= uint64(u16(n.digits, 6)) >> 9
	if n.negative {
		a = ^a
	}
	return a
}
