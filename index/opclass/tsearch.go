package opclass

// After src/backend/utils/adt/tsvector_op.c (silly_cmp_tsvector) and
// src/backend/utils/adt/tsquery_op.c (CompareTSQ).

import (
	"bytes"
	"cmp"

	"applysim/heap/datum"
)

// A tsvector's payload is the number of lexemes, one word for each (bit 0:
// has positions; 11 bits of length; 20 bits of offset), the lexemes, and
// after each lexeme that has positions, 2-aligned, their number and 16 bits
// for each (weight in the two highest).
type lexeme struct {
	text      []byte
	positions []byte // two bytes each
	hasPos    bool
}

func lexemeAt(b []byte, n, i int) lexeme {
	e := u32(b, 4+4*i)
	text := tail(b, 4+4*n)
	from := min(int(e>>12), len(text))
	to := min(from+int(e>>1&0x7FF), len(text))
	l := lexeme{text: text[from:to], hasPos: e&1 != 0}
	if l.hasPos {
		at := (to + 1) &^ 1
		positions := tail(text, at+2)
		l.positions = positions[:min(2*int(u16(text, at)), len(positions))]
	}
	return l
}

// compareTSVector looks at sizes before contents: the order means nothing to
// a reader, and where something has more, it sorts first.
func compareTSVector(a, b *datum.Value) int {
	if len(a.Bytes) != len(b.Bytes) {
		return cmp.Compare(len(a.Bytes), len(b.Bytes))
	}
	n, m := int(int32(u32(a.Bytes, 0))), int(int32(u32(b.Bytes, 0)))
	if n != m {
		return cmp.Compare(n, m)
	}
	n = min(n, len(a.Bytes)/4)
	for i := 0; i < n; i++ {
		x, y := lexemeAt(a.Bytes, n, i), lexemeAt(b.Bytes, n, i)
		if x.hasPos != y.hasPos {
			if x.hasPos {
				return -1
			}
			return 1
		}
		if c := bytes.Compare(x.text, y.text); c != 0 {
			return c
		}
		if c := cmp.Compare(len(y.positions), len(x.positions)); c != 0 {
			return c
		}
		for j := 0; j+2 <= len(x.positions); j += 2 {
			p, q := u16(x.positions, j), u16(y.positions, j)
			if c := cmp.Compare(q&0x3FFF, p&0x3FFF); c != 0 {
				return c
			}
			if c := cmp.Compare(q>>14, p>>14); c != 0 {
				return c
			}
		}
	}
	return 0
}

func abbrevTSVector(v *datum.Value) uint64 {
	return uint64(uint32(len(v.Bytes)))<<32 | uint64(u32(v.Bytes, 0)^1<<31)
}

// A tsquery's payload is the number of items, 12 bytes for each in Polish
// notation, then the operands' texts, each ended by NUL.
const (
	queryItemSize = 12
	queryValue    = 1
	queryOperator = 2

	operatorNot    = 1
	operatorPhrase = 4
)

func compareTSQuery(a, b *datum.Value) int {
	n, m := int(int32(u32(a.Bytes, 0))), int(int32(u32(b.Bytes, 0)))
	if n != m {
		return cmp.Compare(n, m)
	}
	if len(a.Bytes) != len(b.Bytes) {
		return cmp.Compare(len(a.Bytes), len(b.Bytes))
	}
	n = min(n, len(a.Bytes)/queryItemSize)
	if n <= 0 {
		return 0
	}
	return compareQueryItem(a.Bytes, b.Bytes, n, 0, 0)
}

// compareQueryItem compares the subtrees that begin at item i of a and item j
// of b, both of n items.
func compareQueryItem(a, b []byte, n, i, j int) int {
	if i >= n || j >= n {
		return cmp.Compare(j, i)
	}
	x, y := tail(a, 4+queryItemSize*i), tail(b, 4+queryItemSize*j)
	if len(x) < queryItemSize || len(y) < queryItemSize {
		return 0
	}
	if x[0] != y[0] {
		return cmp.Compare(y[0], x[0])
	}
	if x[0] == queryValue {
		if c := cmp.Compare(int32(u32(y, 4)), int32(u32(x, 4))); c != 0 { // the texts' checksums
			return c
		}
		return bytes.Compare(operandText(a, n, u32(x, 8)), operandText(b, n, u32(y, 8)))
	}
	if x[1] != y[1] {
		return cmp.Compare(int8(y[1]), int8(x[1]))
	}
	// The right operand follows at once, the left one after a distance that
	// is at least 1; anything else is damage and would not terminate.
	if c := compareQueryItem(a, b, n, i+1, j+1); c != 0 || x[1] == operatorNot {
		return c
	}
	if c := compareQueryItem(a, b, n, i+int(max(u32(x, 4), 1)), j+int(max(u32(y, 4), 1))); c != 0 {
		return c
	}
	if x[1] == operatorPhrase {
		return cmp.Compare(int16(u16(y, 2)), int16(u16(x, 2)))
	}
	return 0
}

// operandText finds an operand's text from its word of length (12 bits) and
// distance (20 bits).
func operandText(b []byte, n int, word uint32) []byte {
	text := tail(b, 4+queryItemSize*n)
	from := min(int(word>>12), len(text))
	return text[from:min(from+int(word&0xFFF), len(text))]
}

func abbrevTSQuery(v *datum.Value) uint64 {
	return uint64(u32(v.Bytes, 0)^1<<31)<<32 | uint64(uint32(len(v.Bytes)))
}
