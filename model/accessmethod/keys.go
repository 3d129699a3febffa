package accessmethod

import (
	"bytes"
	"encoding/binary"
	"unicode"
	"unicode/utf8"

	"applysim/heap/datum"
	"applysim/index/opclass"
	"applysim/model/pgtype"
)

// ginKey is a key of a GIN index.
type ginKey struct {
	id    uint64 // tells it from others
	order uint64 // where it stands among them, as far as eight bytes tell
	size  int    // bytes of its datum in an index tuple
	null  bool   // it stands for NULL, or for a value without keys
}

// extractor finds the keys of a column's values.
type extractor struct {
	column int
	typ    *pgtype.Type
	kind   keyKind
	keys   []ginKey
	seen   map[uint64]bool
}

// keyKind is how values have keys.
type keyKind uint8

const (
	arrayKeys   keyKind = iota // elements of an array
	jsonbKeys                  // keys and values of a document
	pathKeys                   // hashes of values with the path to them
	lexemes                    // of a tsvector
	trigrams                   // of a text
	wholeValues                // of btree_gin, and of what is not known
	words                      // of a text that to_tsvector would take apart
)

// Words is an operator class for texts whose words are the keys: those of an expression
// with to_tsvector, which is not computed.
const Words = "words"

func newExtractor(column int, c Column) *extractor {
	e := &extractor{column: column, typ: c.Type.Base(), kind: wholeValues, seen: map[uint64]bool{}}
	switch {
	case c.OpClass == "gin_trgm_ops":
		e.kind = trigrams
	case c.OpClass == "jsonb_path_ops":
		e.kind = pathKeys
	case e.typ.Kind == pgtype.KindJsonb:
		e.kind = jsonbKeys
	case e.typ.Kind == pgtype.KindTSVector:
		e.kind = lexemes
	case e.typ.Kind == pgtype.KindArray && e.typ.Elem != nil:
		e.kind = arrayKeys
	case c.OpClass == Words:
		e.kind = words
	}
	return e
}

// add notes a key, once for each row.
func (e *extractor) add(id, order uint64, size int) {
	if !e.seen[id] {
		e.seen[id] = true
		e.keys = append(e.keys, ginKey{id: id, order: order, size: size})
	}
}

func (e *extractor) text(flag byte, b []byte) {
	var p [8]byte
	n := 0
	if flag != 0 {
		p[0], n = flag, 1
	}
	copy(p[n:], b)
	e.add(digest(uint64(e.column)<<8|uint64(flag), b), binary.BigEndian.Uint64(p[:]), varlenaSize(len(b)+n))
}

// number notes a key of a fixed length, ordered as a signed number of so many bits.
func (e *extractor) number(n uint64, size int) {
	e.add(mix(n+uint64(e.column)<<56), n^1<<63, size)
}

// mix spreads a number's bits (the finalizer of splitmix64).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// digest is a hash of bytes: the same one in each run.
func digest(h uint64, b []byte) uint64 {
	h = mix(h + 0x9e3779b97f4a7c15 + uint64(len(b)))
	for len(b) >= 8 {
		h = mix(h*31 + binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	var rest [8]byte
	copy(rest[:], b)
	return mix(h*31 + binary.LittleEndian.Uint64(rest[:]))
}

// extract returns the keys of a value, each once (ginExtractEntries).
func (e *extractor) extract(v *datum.Value) []ginKey {
	e.keys = e.keys[:0]
	if v.Null {
		return append(e.keys, ginKey{id: mix(1 + uint64(e.column)<<32), null: true})
	}
	clear(e.seen)
	switch e.kind {
	case arrayKeys:
		e.array(v.Bytes)
	case jsonbKeys:
		e.jsonb(v.Bytes)
	case pathKeys:
		e.paths(v.Bytes, 1)
	case lexemes:
		e.lexemes(v.Bytes)
	case trigrams:
		e.trigrams(v.Bytes)
	case words:
		for _, word := range bytes.FieldsFunc(v.Bytes, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			e.text(0, bytes.ToLower(word))
		}
	default:
		if e.typ.Len > 0 && e.typ.ByVal {
			e.number(v.Bits, int(e.typ.Len))
		} else {
			e.text(0, v.Bytes)
		}
	}
	if len(e.keys) == 0 {
		return append(e.keys, ginKey{id: mix(2 + uint64(e.column)<<32), null: true})
	}
	return e.keys
}

func (e *extractor) array(b []byte) {
	h, ok := opclass.DecodeArray(b)
	if !ok {
		return
	}
	attr := e.typ.Elem.Base().Attr()
	at := h.Data
	for i := range h.Items {
		if h.Null(i) {
			e.add(mix(3+uint64(e.column)<<32), 0, 8)
			continue
		}
		v, next, ok := opclass.Fetch(b, -4, at, attr, false)
		if !ok {
			return
		}
		at = next
		if attr.ByVal {
			e.number(v.Bits, int(attr.Len))
		} else {
			e.text(0, v.Bytes)
		}
	}
}

// lexemes takes apart a tsvector: a count, a word of position and length for each, then
// the lexemes. Source: REL_18_1, src/include/tsearch/ts_type.h (WordEntry).
func (e *extractor) lexemes(b []byte) {
	le := binary.LittleEndian
	if len(b) < 4 {
		return
	}
	n := min(int(le.Uint32(b)), (len(b)-4)/4)
	words := b[4+4*n:]
	for i := range n {
		w := le.Uint32(b[4+4*i:])
		length, at := int(w>>1&0x7ff), int(w>>12)
		if at+length <= len(words) {
			e.text(0, words[at:at+length])
		}
	}
}

// trigrams are those of the words of a text, with two blanks before and one behind
// (contrib/pg_trgm, generate_trgm). Words are letters and digits, in lower case.
func (e *extractor) trigrams(b []byte) {
	word := []rune{' ', ' '}
	end := func() {
		if len(word) > 2 {
			word = append(word, ' ')
			for i := 0; i+3 <= len(word); i++ {
				n := uint64(word[i])<<42 | uint64(word[i+1])<<21 | uint64(word[i+2])
				e.add(mix(n+uint64(e.column)<<56), n, 4)
			}
		}
		word = word[:2]
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			word = append(word, unicode.ToLower(r))
		} else {
			end()
		}
	}
	end()
}
