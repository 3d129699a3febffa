package pgtype

// After src/backend/utils/adt/varbit.c.

import (
	"errors"
	"fmt"

	"applysim/heap/datum"
)

// A bit string's payload is its number of bits (4 bytes), then the bits, the
// first one the highest of its byte, zero padded.

func checkBits(n int, typmod int32, varying bool) error {
	switch {
	case typmod <= 0:
	case varying && n > int(typmod):
		return fmt.Errorf("bit string too long for type bit varying(%d)", typmod)
	case !varying && n != int(typmod):
		return fmt.Errorf("bit string length %d does not match type bit(%d)", n, typmod)
	}
	return nil
}

func inputBit(text []byte, typmod int32, varying bool, scratch []byte) (datum.Value, []byte, error) {
	s, width := text, 1
	if len(s) > 0 {
		switch s[0] | 0x20 {
		case 'b':
			s = s[1:]
		case 'x':
			s, width = s[1:], 4
		}
	}
	n := len(s) * width
	if err := checkBits(n, typmod, varying); err != nil {
		return datum.Value{}, scratch, err
	}
	start := len(scratch)
	scratch = le.AppendUint32(scratch, uint32(n))
	for range (n + 7) / 8 {
		scratch = append(scratch, 0)
	}
	b := scratch[start+4:]
	for i, c := range s {
		v, ok := hexValue(c)
		if width == 1 && (!ok || v > 1) {
			return datum.Value{}, scratch[:start], fmt.Errorf("\"%s\" is not a valid binary digit", s[i:min(i+charLen(c), len(s))])
		}
		if !ok {
			return datum.Value{}, scratch[:start], fmt.Errorf("\"%s\" is not a valid hexadecimal digit", s[i:min(i+charLen(c), len(s))])
		}
		at := i * width
		b[at/8] |= v << (8 - width - at%8)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func receiveBit(r *reader, typmod int32, varying bool, scratch []byte) (datum.Value, []byte, error) {
	n := int(int32(r.u32()))
	if n < 0 {
		return datum.Value{}, scratch, errors.New("invalid length in external bit string")
	}
	if err := checkBits(n, typmod, varying); err != nil {
		return datum.Value{}, scratch, err
	}
	b := r.bytes((n + 7) / 8)
	if r.short {
		return datum.Value{}, scratch, errShortMessage
	}
	start := len(scratch)
	scratch = le.AppendUint32(scratch, uint32(n))
	scratch = append(scratch, b...)
	if n%8 != 0 {
		scratch[len(scratch)-1] &= 0xFF << (8 - n%8)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}
