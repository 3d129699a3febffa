package pgtype

import "applysim/heap/datum"

// shortDigits is how many decimal digits shortNumeric takes: three more, for
// whole base-10000 digits, must still fit 64 bits.
const shortDigits = 16

var power = func() (p [shortDigits + 1]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = p[i-1] * 10
	}
	return p
}()

// shortNumeric reads an ordinary number, [-]digits[.digits] with no more than
// 16 digits, in one integer. ok is false for anything else, and for values
// that do not fit the modifier.
func shortNumeric(b []byte, typmod int32, scratch []byte) (datum.Value, []byte, bool) {
	s := b
	neg := len(s) > 0 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > shortDigits+1 || !isDigit(s[0]) {
		return datum.Value{}, scratch, false
	}
	var n uint64
	scale, point := 0, -1
	for i, c := range s {
		d := c - '0'
		if d > 9 {
			if c != '.' || point >= 0 {
				return datum.Value{}, scratch, false
			}
			point = i
			continue
		}
		n = n*10 + uint64(d)
	}
	if point >= 0 {
		scale = len(s) - 1 - point
	} else if len(s) > shortDigits {
		return datum.Value{}, scratch, false
	}
	shown := scale
	if typmod >= varHeader {
		precision, want := numericTypmod(typmod)
		if want < 0 || want > precision {
			return datum.Value{}, scratch, false
		}
		if scale > want {
			p := power[scale-want]
			n = (n + p/2) / p
			scale = want
		}
		if limit := precision - want + scale; limit <= shortDigits && n >= power[limit] {
			return datum.Value{}, scratch, false
		}
		shown = want
	}
	if shown > shortScaleMax {
		return datum.Value{}, scratch, false
	}
	// From here on n counts units of a whole base-10000 digit.
	groups := (scale + digitLen - 1) / digitLen
	n *= power[groups*digitLen-scale]
	var digits [6]uint16
	count := 0
	for n > 0 {
		q := n / digitBase
		d := uint16(n - q*digitBase)
		n = q
		if d == 0 && count == 0 {
			groups-- // a zero at the end is not stored
			continue
		}
		digits[count] = d
		count++
	}
	h := uint16(numericShort | shown<<7)
	if count > 0 {
		h |= uint16(count-groups-1) & 0x7F
		if neg {
			h |= 0x2000
		}
	}
	start := len(scratch)
	scratch = le.AppendUint16(scratch, h)
	for count > 0 {
		count--
		scratch = le.AppendUint16(scratch, digits[count])
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, true
}
