package collation

import (
	"bytes"
	"encoding/binary"
)

// asciiTable is what the sort keys of ASCII texts are made of. It stands for
// collations in which a character counts by itself, at the first level or, for
// capitals, at the third; then ASCII texts are compared without making keys. Texts
// with two characters that a language reads as one, as Czech does ch, are left out.
type asciiTable struct {
	primary  [128]uint16 // 0: the character is passed over
	tertiary [128]uint8
	libc     bool // what is passed over decides at last

	united [128][2]uint64 // by first character, the second ones that it is read as one with
	unites bool           // there are some
}

// secondaryDefault is the secondary weight of every ASCII character: they have no
// accents.
const secondaryDefault = 0x20

// newASCIITable takes the weights of a collation's ASCII characters from their sort
// keys, and tries all pairs. It returns nil if some character has another kind of
// key.
func newASCIITable(c *Collation) *asciiTable {
	t := &asciiTable{}
	for ch := 1; ch < 128; ch++ {
		key := c.appendPlainKey(nil, []byte{byte(ch)})
		if bytes.Equal(key, []byte{0, 0, 0, 0}) {
			continue // passed over
		}
		p := uint16(0)
		if len(key) == 9 {
			p = binary.BigEndian.Uint16(key)
		}
		if p == 0 || p > 0x7FFF || !bytes.Equal(key[2:8], []byte{0, 0, 0, secondaryDefault, 0, 0}) {
			return nil
		}
		t.primary[ch], t.tertiary[ch] = p, key[8]
	}
	var made, key []byte
	for x := byte(1); x < 128; x++ {
		for y := byte(1); y < 128; y++ {
			pair := []byte{x, y}
			key = c.appendPlainKey(key[:0], pair)
			if made = t.appendKey(made[:0], pair); !bytes.Equal(key, made) {
				t.united[x][y>>6] |= 1 << (y & 63)
				t.unites = true
			}
		}
	}
	return t
}

// takes says whether the table has the keys of a text.
func (t *asciiTable) takes(s []byte) bool {
	if !isASCII(s) {
		return false
	}
	if !t.unites {
		return true
	}
	last := byte(0)
	for _, ch := range s {
		if t.libc && passedOver(rune(ch)) {
			continue // the two before and after it become neighbours
		}
		if t.united[last&127][ch>>6]>>(ch&63)&1 != 0 {
			return false
		}
		last = ch
	}
	return true
}

// passOver makes the table that of a libc locale, which passes over punctuation.
func (t *asciiTable) passOver() {
	t.libc = true
	for ch := range t.primary {
		if passedOver(rune(ch)) {
			t.primary[ch] = 0
		}
	}
}

func isASCII(s []byte) bool {
	for len(s) >= 8 {
		if binary.LittleEndian.Uint64(s)&0x8080808080808080 != 0 {
			return false
		}
		s = s[8:]
	}
	for _, ch := range s {
		if ch >= 0x80 {
			return false
		}
	}
	return true
}

// compare orders two texts as their sort keys do. ok is false if the table does not
// take them.
func (t *asciiTable) compare(a, b []byte) (r int, ok bool) {
	if !t.takes(a) || !t.takes(b) {
		return 0, false
	}
	i, j, third := 0, 0, 0
	for {
		for i < len(a) && t.primary[a[i]] == 0 {
			i++
		}
		for j < len(b) && t.primary[b[j]] == 0 {
			j++
		}
		if i == len(a) || j == len(b) {
			break
		}
		if d := int(t.primary[a[i]]) - int(t.primary[b[j]]); d != 0 {
			return d, true
		}
		if third == 0 {
			third = int(t.tertiary[a[i]]) - int(t.tertiary[b[j]])
		}
		i++
		j++
	}
	switch {
	case i < len(a):
		return 1, true
	case j < len(b):
		return -1, true
	case third != 0 || !t.libc:
		return third, true
	}
	for k := range min(len(a), len(b)) {
		if d := t.fourth(a[k]) - t.fourth(b[k]); d != 0 {
			return d, true
		}
	}
	return len(a) - len(b), true
}

// fourth is a character's weight at libc's fourth level.
func (t *asciiTable) fourth(ch byte) int {
	if passedOver(rune(ch)) {
		return int(ch)
	}
	return notPassedOver
}

// prefix is Collation.Prefix.
func (t *asciiTable) prefix(s []byte) (n uint64, ok bool) {
	if !t.takes(s) {
		return 0, false
	}
	shift := 64
	for _, ch := range s {
		if p := t.primary[ch]; p != 0 {
			if shift -= 16; shift >= 0 {
				n |= uint64(p) << shift
			}
			if shift == 0 {
				return n, true
			}
		}
	}
	var room [32]byte
	key := t.appendKey(room[:0], s)
	var first [8]byte
	copy(first[:], key)
	return binary.BigEndian.Uint64(first[:]), true
}

// appendKey makes the sort key of an ASCII text.
func (t *asciiTable) appendKey(dst, s []byte) []byte {
	n := 0
	for _, ch := range s {
		if p := t.primary[ch]; p != 0 {
			dst = append(dst, byte(p>>8), byte(p))
			n++
		}
	}
	dst = append(dst, 0, 0)
	for range n {
		dst = append(dst, 0, secondaryDefault)
	}
	dst = append(dst, 0, 0)
	for _, ch := range s {
		if t.primary[ch] != 0 {
			dst = append(dst, t.tertiary[ch])
		}
	}
	if t.libc {
		dst = appendFourth(dst, s)
	}
	return dst
}
