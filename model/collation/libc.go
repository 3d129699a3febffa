package collation

import (
	"unicode"
	"unicode/utf8"
)

// glibc's locales pass over punctuation and most symbols at three levels; at a
// fourth one they count by themselves, before anything else. Source: glibc,
// localedata/locales/iso14651_t1_common.

// notPassedOver is the first byte of a character's weight at the fourth level if
// it counts at the others: higher than any that does not.
const notPassedOver = 0xFF

func passedOver(r rune) bool {
	if r < utf8.RuneSelf {
		// Of the ASCII characters these alone have a weight at the first level.
		return r != '$' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	return unicode.IsPunct(r) || unicode.IsSymbol(r) && !unicode.Is(unicode.Sc, r) || unicode.IsSpace(r) || unicode.IsControl(r)
}

func (c *Collation) appendLibcKey(dst, s []byte) []byte {
	c.strip = c.strip[:0]
	for rest := s; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if !passedOver(r) {
			c.strip = append(c.strip, rest[:n]...)
		}
		rest = rest[n:]
	}
	return appendFourth(c.appendPlainKey(dst, c.strip), s)
}

// appendFourth appends the fourth level of a text's key.
func appendFourth(dst, s []byte) []byte {
	dst = append(dst, 0)
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if passedOver(r) {
			dst = append(dst, byte(r>>16), byte(r>>8), byte(r))
		} else {
			dst = append(dst, notPassedOver)
		}
		s = s[n:]
	}
	return dst
}
