package pgtype

// After src/backend/utils/adt/varchar.c, varlena.c, name.c and char.c.

import (
	"errors"
	"fmt"

	"applysim/heap/datum"
)

const (
	nameLen   = 64 // NAMEDATALEN (REL_18_1, src/include/pg_config_manual.h)
	varHeader = 4  // VARHDRSZ: character modifiers count it
)

// clipChars is the number of bytes that the first n characters of b take. A
// byte that cannot begin a character counts as one, as pg_mblen has it.
func clipChars(b []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(b); n-- {
		at += charLen(b[at])
	}
	return min(at, len(b))
}

// charLen is the length of a UTF-8 character by its first byte.
func charLen(c byte) int {
	switch {
	case c < 0xC0:
		return 1
	case c < 0xE0:
		return 2
	case c < 0xF0:
		return 3
	case c < 0xF8:
		return 4
	}
	return 1
}

// clipBytes is the length of the whole characters within the first n bytes.
func clipBytes(b []byte, n int) int {
	if len(b) <= n {
		return len(b)
	}
	at := 0
	for {
		next := at + charLen(b[at])
		if next > n {
			return at
		}
		at = next
	}
}

func charCount(b []byte) int {
	n := 0
	for at := 0; at < len(b); at += charLen(b[at]) {
		n++
	}
	return n
}

// fitChars cuts text to n characters; only blanks may be lost.
func fitChars(text []byte, n int, typeName string) ([]byte, error) {
	end := clipChars(text, n)
	for _, c := range text[end:] {
		if c != ' ' {
			return nil, fmt.Errorf("value too long for type %s(%d)", typeName, n)
		}
	}
	return text[:end], nil
}

func inputVarchar(text []byte, typmod int32) ([]byte, error) {
	n := int(typmod) - varHeader
	if n < 0 || len(text) <= n {
		return text, nil
	}
	return fitChars(text, n, "character varying")
}

// inputBpchar pads with blanks to the declared number of characters, so that
// the number of bytes depends on what the characters are.
func inputBpchar(text []byte, typmod int32, scratch []byte) (datum.Value, []byte, error) {
	n := int(typmod) - varHeader
	if n < 0 {
		return datum.Value{Bytes: text}, scratch, nil
	}
	chars := charCount(text)
	if chars >= n {
		text, err := fitChars(text, n, "character")
		return datum.Value{Bytes: text}, scratch, err
	}
	start := len(scratch)
	scratch = append(scratch, text...)
	for ; chars < n; chars++ {
		scratch = append(scratch, ' ')
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// inputName cuts a name to 63 bytes and pads it with NULs to 64.
func inputName(text, scratch []byte) ([]byte, []byte) {
	start := len(scratch)
	scratch = append(scratch, text[:clipBytes(text, nameLen-1)]...)
	for len(scratch) < start+nameLen {
		scratch = append(scratch, 0)
	}
	return scratch[start:], scratch
}

func isOctal(c byte) bool { return c-'0' < 8 }

// inputChar reads the one-byte type: three octal digits after a backslash for
// a byte that is not ASCII, else the first byte.
func inputChar(text []byte) uint64 {
	if len(text) == 4 && text[0] == '\\' && isOctal(text[1]) && isOctal(text[2]) && isOctal(text[3]) {
		return uint64(text[1]-'0')<<6&0xFF | uint64(text[2]-'0')<<3 | uint64(text[3]-'0')
	}
	if len(text) == 0 {
		return 0
	}
	return uint64(text[0])
}

var errBytea = errors.New("invalid input syntax for type bytea")

// inputBytea reads the hex form (\x...) and the older escape form.
func inputBytea(text, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	if len(text) >= 2 && text[0] == '\\' && text[1] == 'x' {
		for i := 2; i < len(text); i++ {
			if isSpace(text[i]) && text[i] != '\v' && text[i] != '\f' {
				continue
			}
			hi, ok := hexValue(text[i])
			if !ok {
				return badHexDigit(text[i:], scratch[:start])
			}
			i++
			if i >= len(text) {
				return datum.Value{}, scratch[:start], errors.New("invalid hexadecimal data: odd number of digits")
			}
			lo, ok := hexValue(text[i])
			if !ok {
				return badHexDigit(text[i:], scratch[:start])
			}
			scratch = append(scratch, hi<<4|lo)
		}
		return datum.Value{Bytes: scratch[start:]}, scratch, nil
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c != '\\':
		case i+3 < len(text) && text[i+1]-'0' < 4 && isOctal(text[i+2]) && isOctal(text[i+3]):
			c = (text[i+1]-'0')<<6 | (text[i+2]-'0')<<3 | (text[i+3] - '0')
			i += 3
		case i+1 < len(text) && text[i+1] == '\\':
			i++
		default:
			return datum.Value{}, scratch[:start], errBytea
		}
		scratch = append(scratch, c)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

func badHexDigit(at, scratch []byte) (datum.Value, []byte, error) {
	n := min(charLen(at[0]), len(at))
	return datum.Value{}, scratch, fmt.Errorf("invalid hexadecimal digit: \"%s\"", at[:n])
}
