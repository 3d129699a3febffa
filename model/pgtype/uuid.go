package pgtype

// After src/backend/utils/adt/uuid.c.

import (
	"unsafe"

	"applysim/heap/datum"
)

// inputUUID reads hexadecimal digits, a hyphen after any group of four, and
// optional braces.
func inputUUID(b, scratch []byte) (datum.Value, []byte, error) {
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

// text views bytes as a string without a copy; the bytes must not change
// while it is used.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
