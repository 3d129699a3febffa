package pgtype

// After src/backend/utils/adt/numutils.c, float.c and bool.c.

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// inputInt4 and its relatives take plain decimal digits on a short way and
// leave everything else (blanks, signs, other bases, underscores, overflow) to
// inputInteger.
func inputInt4(b []byte) (uint64, error) {
	s := b
	neg := len(s) > 1 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 9 {
		return inputInteger(b, 32, "integer")
	}
	var n int64
	for _, c := range s {
		d := c - '0'
		if d > 9 {
			return inputInteger(b, 32, "integer")
		}
		n = n*10 + int64(d)
	}
	if neg {
		n = -n
	}
	return uint64(n), nil
}

func inputInt2(b []byte) (uint64, error) {
	s := b
	neg := len(s) > 1 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 4 {
		return inputInteger(b, 16, "smallint")
	}
	var n int64
	for _, c := range s {
		d := c - '0'
		if d > 9 {
			return inputInteger(b, 16, "smallint")
		}
		n = n*10 + int64(d)
	}
	if neg {
		n = -n
	}
	return uint64(n), nil
}

func inputInt8(b []byte) (uint64, error) {
	s := b
	neg := len(s) > 1 && s[0] == '-'
	if neg {
		s = s[1:]
	}
	if len(s) == 0 || len(s) > 18 {
		return inputInteger(b, 64, "bigint")
	}
	var n int64
	for _, c := range s {
		d := c - '0'
		if d > 9 {
			return inputInteger(b, 64, "bigint")
		}
		n = n*10 + int64(d)
	}
	if neg {
		n = -n
	}
	return uint64(n), nil
}

// inputInteger is the whole syntax of an integer literal of that many bits.
func inputInteger(b []byte, bits int, typeName string) (uint64, error) {
	s := trimSpace(b)
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	base := uint64(10)
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			base = 16
		case 'o':
			base = 8
		case 'b':
			base = 2
		}
	}
	underscore := false // one may follow a base's prefix
	if base != 10 {
		s = s[2:]
		underscore = true
	}
	limit := uint64(1) << (bits - 1) // magnitude of the smallest value
	if len(s) == 0 {
		return 0, badSyntax(typeName, b)
	}
	var n uint64
	over := false
	for i, c := range s {
		if c == '_' {
			if !underscore || i == len(s)-1 {
				return 0, badSyntax(typeName, b)
			}
			underscore = false
			continue
		}
		d, ok := hexValue(c)
		if !ok || uint64(d) >= base {
			return 0, badSyntax(typeName, b)
		}
		underscore = true
		// PostgreSQL stops reading at an overflow, whatever follows.
		if n > limit/base {
			over = true
			break
		}
		n = n*base + uint64(d)
	}
	if over || n > limit || n == limit && !neg {
		return 0, outOfRange(typeName, b)
	}
	if neg {
		n = -n
	}
	return n, nil
}

// unsigned reads a number as C's strtoul(..., 0) does: a sign wraps around,
// 0x is hexadecimal, a leading 0 octal. rest is what follows; ok is false if
// there is no digit at all.
func unsigned(s []byte, base uint64) (n uint64, rest []byte, over, ok bool) {
	for len(s) > 0 && isSpace(s[0]) {
		s = s[1:]
	}
	neg := false
	if len(s) > 0 && (s[0] == '-' || s[0] == '+') {
		neg = s[0] == '-'
		s = s[1:]
	}
	if base == 0 {
		base = 10
		if len(s) > 0 && s[0] == '0' {
			base = 8
			if len(s) > 2 && s[1]|0x20 == 'x' {
				if _, hex := hexValue(s[2]); hex {
					base = 16
					s = s[2:]
				}
			}
		}
	}
	for len(s) > 0 {
		d, hex := hexValue(s[0])
		if !hex || uint64(d) >= base {
			break
		}
		if n > (math.MaxUint64-uint64(d))/base {
			over = true
		}
		n = n*base + uint64(d)
		ok = true
		s = s[1:]
	}
	if neg {
		n = -n
	}
	return n, s, over, ok
}

// uint32Text is oidin, xidin and cidin: 32 bits, negative numbers wrap.
func uint32Text(b []byte, typeName string) (uint64, error) {
	n, rest, over, ok := unsigned(b, 0)
	if !ok || len(trimSpace(rest)) > 0 {
		return 0, badSyntax(typeName, b)
	}
	if over || n != uint64(uint32(n)) && n != signExtend32(uint32(n)) {
		return 0, outOfRange(typeName, b)
	}
	return uint64(uint32(n)), nil
}

func inputXid8(b []byte) (uint64, error) {
	n, rest, over, ok := unsigned(b, 0)
	if !ok || len(trimSpace(rest)) > 0 {
		return 0, badSyntax("xid8", b)
	}
	if over {
		return 0, outOfRange("xid8", b)
	}
	return n, nil
}

func inputBool(b []byte) (uint64, error) {
	if len(b) == 1 {
		switch b[0] {
		case 't':
			return 1, nil
		case 'f':
			return 0, nil
		}
	}
	s := trimSpace(b)
	prefixOf := func(word string, least int) bool {
		return len(s) >= least && len(s) <= len(word) && fold(s, word[:len(s)])
	}
	switch {
	case prefixOf("true", 1), prefixOf("yes", 1), prefixOf("on", 2), prefixOf("1", 1):
		return 1, nil
	case prefixOf("false", 1), prefixOf("no", 1), prefixOf("off", 2), prefixOf("0", 1):
		return 0, nil
	}
	return 0, badSyntax("boolean", b)
}

func inputFloat8(b []byte) (uint64, error) {
	f, err := parseFloat(b, 64, "double precision")
	return math.Float64bits(f), err
}

func inputFloat4(b []byte) (uint64, error) {
	f, err := parseFloat(b, 32, "real")
	return uint64(math.Float32bits(float32(f))), err
}

func parseFloat(b []byte, bits int, typeName string) (float64, error) {
	s := trimSpace(b)
	body := s
	neg := false
	if len(body) > 0 && (body[0] == '-' || body[0] == '+') {
		neg = body[0] == '-'
		body = body[1:]
	}
	if len(body) == 0 {
		return 0, badSyntax(typeName, b)
	}
	if !isDigit(body[0]) && body[0] != '.' {
		switch {
		case fold(body, "infinity"), fold(body, "inf"):
			if neg {
				return math.Inf(-1), nil
			}
			return math.Inf(1), nil
		case fold(body, "nan"):
			// C gives the quiet NaN with a clear sign and payload.
			if bits == 32 {
				return float64(math.Float32frombits(0x7FC00000)), nil
			}
			return math.Float64frombits(0x7FF8000000000000), nil
		}
		return 0, badSyntax(typeName, b)
	}
	hex := len(body) > 1 && body[0] == '0' && body[1]|0x20 == 'x'
	zero, exponent := true, false
	for i, c := range body {
		switch {
		case c == '_':
			return 0, badSyntax(typeName, b)
		case hex && i < 2:
		case hex && c|0x20 == 'p', !hex && c|0x20 == 'e':
			exponent = true
		case !exponent && c != '0' && c != '.':
			zero = false
		}
	}
	text := unsafe.String(&s[0], len(s))
	if hex && !exponent {
		text += "p0"
	}
	f, err := strconv.ParseFloat(text, bits)
	if err != nil {
		if err.(*strconv.NumError).Err != strconv.ErrRange {
			return 0, badSyntax(typeName, b)
		}
		return 0, fmt.Errorf("\"%s\" is out of range for type %s", s, typeName)
	}
	if f == 0 && !zero { // underflow, which Go does not report
		return 0, fmt.Errorf("\"%s\" is out of range for type %s", s, typeName)
	}
	return f, nil
}
