package pgtype

// After src/backend/utils/adt/numeric.c.

import (
	"errors"
	"fmt"
	"math/big"
	"sync"

	"applysim/heap/datum"
)

// A numeric is stored in base 10000, its digits as 16-bit numbers. A short
// header is one word,
//
//	1 0 | sign | scale:6 | weight's sign | weight:6
//
// a long one two: sign and scale:14, then the weight. See REL_18_1, numeric.c,
// struct NumericShort and NumericLong.
const (
	digitBase = 10000
	digitLen  = 4

	numericNeg     = 0x4000
	numericShort   = 0x8000
	numericNaN     = 0xC000
	numericPInf    = 0xD000
	numericNInf    = 0xF000
	scaleMask      = 0x3FFF
	shortScaleMax  = 63
	shortWeightMax = 63
	shortWeightMin = -64
)

var errNumericOverflow = errors.New("value overflows numeric format")

// decimal is a number while it is read. digits has a spare zero in front,
// which rounding may carry into.
type decimal struct {
	digits []uint16 // base 10000; digits[0] is spare
	weight int      // of digits[1]
	scale  int
	neg    bool
	buf    []uint16 // what digits was cut from, to be used again
}

var decimals = sync.Pool{New: func() any { return &decimal{buf: make([]uint16, 1, 64)} }}

func newDecimal() *decimal {
	d := decimals.Get().(*decimal)
	if cap(d.buf) > 1<<12 {
		d.buf = make([]uint16, 1, 64)
	}
	*d = decimal{buf: d.buf, digits: d.buf[:1]}
	d.digits[0] = 0
	return d
}

func inputNumeric(b []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	if v, scratch, ok := shortNumeric(b, typmod, scratch); ok {
		return v, scratch, nil
	}
	s := b
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 {
		return datum.Value{}, scratch, badSyntax("numeric", b)
	}
	if !isDigit(s[0]) && s[0] != '.' {
		return numericWord(b, s, neg, typmod, scratch)
	}
	if len(s) > 1 && s[0] == '0' && s[1] > '9' {
		switch s[1] | 0x20 {
		case 'x':
			return numericOtherBase(b, s[2:], 16, neg, typmod, scratch)
		case 'o':
			return numericOtherBase(b, s[2:], 8, neg, typmod, scratch)
		case 'b':
			return numericOtherBase(b, s[2:], 2, neg, typmod, scratch)
		}
	}
	d := newDecimal()
	defer decimals.Put(d)
	d.neg = neg
	if err := d.parse(b, s); err != nil {
		return datum.Value{}, scratch, err
	}
	return d.store(typmod, scratch)
}

// numericWord reads NaN and the infinities.
func numericWord(b, s []byte, neg bool, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	word := trimSpace(s)
	signed := len(trimSpace(b)) != len(word)
	var header uint16
	switch {
	case fold(word, "nan") && !signed:
		header = numericNaN
	case fold(word, "infinity"), fold(word, "inf"):
		header = numericPInf
		if neg {
			header = numericNInf
		}
	default:
		return datum.Value{}, scratch, badSyntax("numeric", b)
	}
	return storeSpecial(header, typmod, scratch)
}

func storeSpecial(header uint16, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	if header != numericNaN && typmod >= varHeader {
		precision, scale := numericTypmod(typmod)
		return datum.Value{}, scratch, &DetailedError{"numeric field overflow",
			fmt.Sprintf("A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)}
	}
	start := len(scratch)
	scratch = le.AppendUint16(scratch, header)
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// numericOtherBase reads the digits after 0x, 0o or 0b; underscores may stand
// between them.
func numericOtherBase(b, s []byte, base int, neg bool, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	for len(s) > 0 && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	clean := make([]byte, 0, len(s))
	for i, c := range s {
		if c == '_' {
			if i+1 == len(s) || s[i+1] == '_' {
				return datum.Value{}, scratch, badSyntax("numeric", b)
			}
			continue
		}
		if v, ok := hexValue(c); !ok || int(v) >= base {
			return datum.Value{}, scratch, badSyntax("numeric", b)
		}
		clean = append(clean, c)
	}
	if len(clean) == 0 {
		return datum.Value{}, scratch, badSyntax("numeric", b)
	}
	if len(clean) > 1<<17 { // beyond 131072 decimal digits in any base
		return datum.Value{}, scratch, errNumericOverflow
	}
	n, _ := new(big.Int).SetString(string(clean), base)
	d := newDecimal()
	defer decimals.Put(d)
	d.neg = neg
	if err := d.parse(b, n.Append(nil, 10)); err != nil {
		return datum.Value{}, scratch, err
	}
	return d.store(typmod, scratch)
}

// parse reads digits, point, digits, exponent. whole is the text for errors.
func (d *decimal) parse(whole, s []byte) error {
	// A first pass finds the decimal point's place and the exponent, since the
	// digits' grouping by four is counted from the point.
	before, after := 0, 0 // digits
	point := false
	end := len(s)
	exponent := 0
scan:
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c):
			if point {
				after++
			} else {
				before++
			}
		case c == '.':
			if point || i+1 < len(s) && s[i+1] == '_' {
				return badSyntax("numeric", whole)
			}
			point = true
		case c == '_':
			if i == 0 || i+1 >= len(s) || !isDigit(s[i+1]) || !isDigit(s[i-1]) {
				return badSyntax("numeric", whole)
			}
		case c|0x20 == 'e':
			end = i
			var err error
			if exponent, err = parseExponent(whole, s[i+1:]); err != nil {
				return err
			}
			break scan
		case isSpace(c) && len(trimSpace(s[i:])) == 0:
			end = i
			break scan
		default:
			return badSyntax("numeric", whole)
		}
	}
	if before+after == 0 || s[0] == '.' && after == 0 {
		return badSyntax("numeric", whole)
	}
	d.scale = max(after-exponent, 0)
	// position counts decimal digits left of the point: the next digit has
	// the value 10^(position-1).
	position := before + exponent
	group := floorDiv(position+digitLen-1, digitLen) // base-10000 digits left of the point
	d.weight = group - 1
	fill := group*digitLen - position // zeros in front of the first digit
	var n uint16
	have := fill
	for _, c := range s[:end] {
		if c-'0' > 9 {
			continue
		}
		n = n*10 + uint16(c-'0')
		if have++; have == digitLen {
			d.digits = append(d.digits, n)
			n, have = 0, 0
		}
	}
	if have > 0 {
		for ; have < digitLen; have++ {
			n *= 10
		}
		d.digits = append(d.digits, n)
	}
	d.buf = d.digits
	d.strip()
	return nil
}

func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func parseExponent(whole, s []byte) (int, error) {
	neg := false
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if len(s) == 0 || !isDigit(s[0]) {
		return 0, badSyntax("numeric", whole)
	}
	n := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isDigit(c):
			n = n*10 + int(c-'0')
			if n > 1<<30-1 {
				return 0, errNumericOverflow
			}
		case c == '_':
			if i+1 >= len(s) || !isDigit(s[i+1]) {
				return 0, badSyntax("numeric", whole)
			}
		case len(trimSpace(s[i:])) == 0:
			i = len(s)
		default:
			return 0, badSyntax("numeric", whole)
		}
	}
	if neg {
		n = -n
	}
	return n, nil
}

// strip removes zeros at both ends and gives zero its one form.
func (d *decimal) strip() {
	n := len(d.digits)
	for n > 1 && d.digits[n-1] == 0 {
		n--
	}
	first := 1
	for first < n && d.digits[first] == 0 {
		first++
	}
	d.weight -= first - 1
	if first > 1 {
		d.digits = d.digits[first-1:]
		d.digits[0] = 0
		n -= first - 1
	}
	d.digits = d.digits[:n]
	if n == 1 {
		d.weight, d.neg = 0, false
	}
}

var pow10 = [digitLen + 1]uint16{1, 10, 100, 1000, 10000}

// cut drops the digits beyond scale; up says whether to round half away from
// zero or to truncate.
func (d *decimal) cut(scale int, up bool) {
	d.scale = scale
	keep := (d.weight+1)*digitLen + scale // decimal digits
	if keep < 0 {
		d.digits = d.digits[:1]
		d.strip()
		return
	}
	whole := (keep + digitLen - 1) / digitLen
	part := keep % digitLen
	if whole > len(d.digits)-1 || whole == len(d.digits)-1 && part == 0 {
		return
	}
	var carry uint16
	next := d.digits[min(whole+1, len(d.digits)-1)]
	d.digits = d.digits[:whole+1]
	switch {
	case part == 0:
		if next >= digitBase/2 {
			carry = 1
		}
	default:
		p := pow10[digitLen-part]
		last := d.digits[whole]
		extra := last % p
		d.digits[whole] = last - extra
		if extra >= p/2 && up {
			d.digits[whole] += p
		}
		if d.digits[whole] >= digitBase {
			d.digits[whole] -= digitBase
			carry = 1
			whole--
		} else {
			whole = 0
		}
	}
	if up {
		for i := whole; carry > 0; i-- {
			d.digits[i] += carry
			carry = 0
			if d.digits[i] >= digitBase {
				d.digits[i] -= digitBase
				carry = 1
			}
		}
	}
	if d.digits[0] != 0 { // the spare digit was carried into
		d.weight++
		d.digits = append(d.digits[:1:1], d.digits...)
		d.digits[0] = 0
	}
	d.strip()
}

// numericTypmod takes a modifier apart: precision in the upper half, an 11-bit
// signed scale in the lower.
func numericTypmod(typmod int32) (precision, scale int) {
	typmod -= varHeader
	return int(typmod >> 16 & 0xFFFF), int(typmod&0x7FF^1024) - 1024
}

// store applies the modifier and appends the stored form.
func (d *decimal) store(typmod int32, scratch []byte) (datum.Value, []byte, error) {
	if typmod >= varHeader {
		precision, scale := numericTypmod(typmod)
		d.cut(scale, true)
		d.scale = max(d.scale, 0)
		if len(d.digits) > 1 {
			length := (d.weight + 1) * digitLen
			for p := digitLen - 1; p > 0 && d.digits[1] < pow10[p]; p-- {
				length--
			}
			if limit := precision - scale; length > limit {
				bound := fmt.Sprintf("10^%d", limit)
				if limit == 0 {
					bound = "1"
				}
				return datum.Value{}, scratch, &DetailedError{"numeric field overflow",
					fmt.Sprintf("A field with precision %d, scale %d must round to an absolute value less than %s.", precision, scale, bound)}
			}
		}
	}
	if d.weight > 1<<15-1 || d.weight < -1<<15 || d.scale > scaleMask {
		return datum.Value{}, scratch, errNumericOverflow
	}
	start := len(scratch)
	if d.scale <= shortScaleMax && d.weight >= shortWeightMin && d.weight <= shortWeightMax {
		h := uint16(numericShort | d.scale<<7 | d.weight&0x7F)
		if d.neg {
			h |= 0x2000
		}
		scratch = le.AppendUint16(scratch, h)
	} else {
		h := uint16(d.scale)
		if d.neg {
			h |= numericNeg
		}
		scratch = le.AppendUint16(scratch, h)
		scratch = le.AppendUint16(scratch, uint16(d.weight))
	}
	for _, g := range d.digits[1:] {
		scratch = le.AppendUint16(scratch, g)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func receiveNumeric(r *reader, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	count := int(r.u16())
	weight := int(int16(r.u16()))
	sign := r.u16()
	scale := r.u16()
	if r.short {
		return datum.Value{}, scratch, errShortMessage
	}
	switch sign {
	case 0, numericNeg, numericNaN, numericPInf, numericNInf:
	default:
		return datum.Value{}, scratch, errors.New("invalid sign in external \"numeric\" value")
	}
	if scale&^scaleMask != 0 {
		return datum.Value{}, scratch, errors.New("invalid scale in external \"numeric\" value")
	}
	d := newDecimal()
	defer decimals.Put(d)
	d.weight, d.scale, d.neg = weight, int(scale), sign == numericNeg
	for range count {
		g := r.u16()
		if r.short {
			return datum.Value{}, scratch, errShortMessage
		}
		if g >= digitBase {
			return datum.Value{}, scratch, errors.New("invalid digit in external \"numeric\" value")
		}
		d.digits = append(d.digits, g)
	}
	if sign&numericNaN == numericNaN {
		return storeSpecial(sign, typmod, scratch)
	}
	d.buf = d.digits
	d.cut(int(scale), false)
	d.strip()
	return d.store(typmod, scratch)
}

// numericTypmodIn is numeric(precision[, scale]).
func numericTypmodIn(args []int32) (int32, error) {
	var scale int32
	switch len(args) {
	case 2:
		scale = args[1]
	case 1:
	default:
		return 0, errors.New("invalid NUMERIC type modifier")
	}
	if args[0] < 1 || args[0] > 1000 {
		return 0, fmt.Errorf("NUMERIC precision %d must be between 1 and 1000", args[0])
	}
	if scale < -1000 || scale > 1000 {
		return 0, fmt.Errorf("NUMERIC scale %d must be between -1000 and 1000", scale)
	}
	return args[0]<<16 | scale&0x7FF + varHeader, nil
}
