package pgtype

// After src/backend/utils/adt/uuid.c.

import (
	"applysim/heap/datum"
)

// inputUUID reads hexadecimal digits, a hyphen after any group of four, and
// optional braces.
func inputUUID(b, scratch []byte) (datum.Value, []byte, error) {
	if len(b) == 36 && b[8] == '-' && b[13] == '-' && b[18] == '-' && b[23] == '-' {
		var u [16]byte
		var bad byte
		for i, at := range canonicalUUID {
			hi, lo := hexTable[b[at]], hexTable[b[at+1]]
			bad |= hi | lo
			u[i] = hi<<4 | lo
		}
		if bad < 16 {
			start := len(scratch)
			scratch = append(scratch, u[:]...)
			return datum.Value{Bytes: scratch[start:]}, scratch, nil
		}
	}
	s := b
	braces := len(s) > 0 && s[0] == '{'
	if braces {
		s = s[1:]
	}
	start := len(scratch)
	for i := range 16 {
		if len(s) < 2 {
			return datum.Value{}, scratch[:start], badSyntax("uuid", b)
		}
		hi, lo := hexTable[s[0]], hexTable[s[1]]
		if hi|lo > 15 {
			return datum.Value{}, scratch[:start], badSyntax("uuid", b)
		}
		scratch = append(scratch, hi<<4|lo)
		s = s[2:]
		if i%2 == 1 && i < 15 && len(s) > 0 && s[0] == '-' {
			s = s[1:]
		}
	}
	if braces {
		if len(s) == 0 || s[0] != '}' {
			return datum.Value{}, scratch[:start], badSyntax("uuid", b)
		}
		s = s[1:]
	}
	if len(s) > 0 {
		return datum.Value{}, scratch[:start], badSyntax("uuid", b)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// canonicalUUID is where a byte's two digits stand in the usual form.
var canonicalUUID = [16]uint8{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// hexTable is hexValue as a table, 0xFF for what is no digit.
var hexTable = func() (t [256]byte) {
	for i := range t {
		v, ok := hexValue(byte(i))
		if !ok {
			v = 0xFF
		}
		t[i] = v
	}
	return t
}()
