package pgtype

// After src/backend/utils/adt/tsvector.c and tsvector_parser.c.

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"applysim/heap/datum"
)

// Limits of REL_18_1, src/include/tsearch/ts_type.h.
const (
	maxLexeme    = 1<<11 - 1 // MAXSTRLEN
	maxLexemes   = 1<<20 - 1 // MAXSTRPOS
	maxPosition  = 1<<14 - 1
	maxPositions = 256 // MAXNUMPOS
)

// lexeme is one word of a tsvector with its positions: 14 bits, and the
// weight in the two highest (A is 3, D is 0).
type lexeme struct {
	text      []byte
	positions []uint16
}

// tsParser reads words: quoted or not, with backslashes, and in a tsvector
// with positions. operators says that it works for a tsquery, where operators
// end a word.
type tsParser struct {
	s         []byte
	whole     []byte
	operators bool
}

func (p *tsParser) syntax() error {
	if p.operators {
		return fmt.Errorf("syntax error in tsquery: \"%s\"", p.whole)
	}
	return fmt.Errorf("syntax error in tsvector: \"%s\"", p.whole)
}

func isOperator(c byte) bool { return bytes.IndexByte([]byte("!&|()"), c) >= 0 }

// word reads the next word; ok is false at the end of the text.
func (p *tsParser) word() (l lexeme, ok bool, err error) {
	for len(p.s) > 0 && isSpace(p.s[0]) {
		p.s = p.s[1:]
	}
	if len(p.s) == 0 {
		return l, false, nil
	}
	quoted := p.s[0] == '\''
	if quoted {
		p.s = p.s[1:]
	} else if p.operators && isOperator(p.s[0]) {
		return l, false, p.syntax()
	}
	first := true
	for ; ; first = false {
		var c byte
		end := len(p.s) == 0
		if !end {
			c = p.s[0]
		}
		switch {
		case c == '\\':
			if len(p.s) < 2 {
				return l, false, fmt.Errorf("there is no escaped character: \"%s\"", p.whole)
			}
			n := min(1+charLen(p.s[1]), len(p.s))
			l.text = append(l.text, p.s[1:n]...)
			p.s = p.s[n:]
			continue
		case quoted:
			if end {
				return l, false, p.syntax()
			}
			if c == '\'' {
				if len(p.s) > 1 && p.s[1] == '\'' {
					l.text = append(l.text, c)
					p.s = p.s[2:]
					continue
				}
				p.s = p.s[1:]
				if len(l.text) == 0 {
					return l, false, p.syntax()
				}
				if p.operators || len(p.s) == 0 || p.s[0] != ':' {
					return l, true, nil
				}
				p.s = p.s[1:]
				l.positions, err = p.positions()
				return l, err == nil, err
			}
		case !first && (end || isSpace(c) || p.operators && isOperator(c)):
			if len(l.text) == 0 {
				return l, false, p.syntax()
			}
			return l, true, nil
		case !first && c == ':':
			if p.operators {
				return l, true, nil
			}
			p.s = p.s[1:]
			l.positions, err = p.positions()
			return l, err == nil, err
		}
		n := min(charLen(c), len(p.s))
		l.text = append(l.text, p.s[:n]...)
		p.s = p.s[n:]
	}
}

// positions reads number[weight],... .
func (p *tsParser) positions() (list []uint16, err error) {
	for {
		sc := scanner{p.s}
		n, count := sc.number()
		if count == 0 {
			return nil, p.syntax()
		}
		p.s = sc.b
		n = min(int64(int32(n)), maxPosition)
		if n <= 0 {
			return nil, fmt.Errorf("wrong position info in tsvector: \"%s\"", p.whole)
		}
		var weight uint16
	weights:
		for {
			var c byte
			if len(p.s) > 0 {
				c = p.s[0]
			}
			var w uint16
			switch {
			case c == ',':
				break weights
			case c|0x20 == 'a' || c == '*':
				w = 3
			case c|0x20 == 'b':
				w = 2
			case c|0x20 == 'c':
				w = 1
			case c|0x20 == 'd':
			case len(p.s) == 0 || isSpace(c):
				break weights
			case isDigit(c): // passed over, as the server does
				p.s = p.s[1:]
				continue
			default:
				return nil, p.syntax()
			}
			if weight != 0 {
				return nil, p.syntax()
			}
			weight = w
			p.s = p.s[1:]
		}
		list = append(list, weight<<14|uint16(n))
		if len(p.s) == 0 || p.s[0] != ',' {
			return list, nil
		}
		p.s = p.s[1:]
	}
}

func inputTSVector(text, scratch []byte) (datum.Value, []byte, error) {
	p := tsParser{s: text, whole: text}
	var words []lexeme
	total := 0
	for {
		l, ok, err := p.word()
		if err != nil {
			return datum.Value{}, scratch, err
		}
		if !ok {
			break
		}
		if len(l.text) >= maxLexeme {
			return datum.Value{}, scratch, fmt.Errorf("word is too long (%d bytes, max %d bytes)", len(l.text), maxLexeme-1)
		}
		if total > maxLexemes {
			return datum.Value{}, scratch, fmt.Errorf("string is too long for tsvector (%d bytes, max %d bytes)", total, maxLexemes)
		}
		total += len(l.text)
		words = append(words, l)
	}
	slices.SortStableFunc(words, func(a, b lexeme) int { return bytes.Compare(a.text, b.text) })
	out := words[:0]
	for _, l := range words {
		if n := len(out); n > 0 && bytes.Equal(out[n-1].text, l.text) {
			out[n-1].positions = append(out[n-1].positions, l.positions...)
			continue
		}
		out = append(out, l)
	}
	for i := range out {
		out[i].positions = uniquePositions(out[i].positions)
	}
	return storeTSVector(out, scratch)
}

// uniquePositions sorts positions and keeps the highest weight of each.
func uniquePositions(list []uint16) []uint16 {
	if len(list) < 2 {
		return list
	}
	slices.SortFunc(list, func(a, b uint16) int { return int(a&maxPosition) - int(b&maxPosition) })
	out := list[:1]
	for _, p := range list[1:] {
		last := &out[len(out)-1]
		if p&maxPosition == *last&maxPosition {
			*last = max(*last, p)
			continue
		}
		out = append(out, p)
		if len(out) >= maxPositions || p&maxPosition == maxPosition {
			break
		}
	}
	return out
}

// storeTSVector lays sorted lexemes out; see opclass for the layout.
func storeTSVector(words []lexeme, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	scratch = le.AppendUint32(scratch, uint32(len(words)))
	entries := len(scratch)
	for range words {
		scratch = le.AppendUint32(scratch, 0)
	}
	base := len(scratch)
	for i, l := range words {
		at := len(scratch) - base
		if at > maxLexemes {
			return datum.Value{}, scratch[:start], fmt.Errorf("string is too long for tsvector (%d bytes, max %d bytes)", at, maxLexemes)
		}
		e := uint32(at)<<12 | uint32(len(l.text))<<1
		scratch = append(scratch, l.text...)
		if len(l.positions) > 0 {
			e |= 1
			scratch = pad(scratch, base, 2)
			scratch = le.AppendUint16(scratch, uint16(len(l.positions)))
			for _, p := range l.positions {
				scratch = le.AppendUint16(scratch, p)
			}
		}
		le.PutUint32(scratch[entries+4*i:], e)
	}
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// cstring reads up to a NUL.
func (r *reader) cstring() []byte {
	i := bytes.IndexByte(r.b, 0)
	if i < 0 {
		r.bytes(len(r.b) + 1)
		return nil
	}
	s := r.bytes(i + 1)
	return s[:i]
}

// receiveTSVector keeps the message's order of the lexemes' data, and sorts
// only the entries that point to it.
func receiveTSVector(r *reader, scratch []byte) (datum.Value, []byte, error) {
	keep := scratch
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, keep, err }
	count := int64(int32(r.u32()))
	if count < 0 {
		return fail(errors.New("invalid size of tsvector"))
	}
	if count*3 > int64(len(r.b)) {
		return fail(errShortMessage)
	}
	words := make([]lexeme, count)
	total := 0
	for i := range words {
		l := lexeme{text: r.cstring()}
		n := r.u16()
		switch {
		case len(l.text) > maxLexeme:
			return fail(errors.New("invalid tsvector: lexeme too long"))
		case total > maxLexemes:
			return fail(errors.New("invalid tsvector: maximum total lexeme length exceeded"))
		case n > maxPositions:
			return fail(errors.New("unexpected number of tsvector positions"))
		}
		total += len(l.text)
		if n > 0 {
			total = (total+1)&^1 + 2 + 2*int(n)
		}
		for j := range n {
			p := r.u16()
			if j > 0 && p&maxPosition <= l.positions[j-1]&maxPosition {
				return fail(errors.New("position information is misordered"))
			}
			l.positions = append(l.positions, p)
		}
		if r.short {
			return fail(errShortMessage)
		}
		words[i] = l
	}
	v, scratch, err := storeTSVector(words, scratch)
	if err != nil {
		return v, scratch, err
	}
	entries := make([]uint32, count)
	text := v.Bytes[4+4*count:]
	for i := range entries {
		entries[i] = le.Uint32(v.Bytes[4+4*i:])
	}
	word := func(e uint32) []byte { return text[e>>12:][:e>>1&0x7FF] }
	slices.SortStableFunc(entries, func(a, b uint32) int { return bytes.Compare(word(a), word(b)) })
	for i, e := range entries {
		le.PutUint32(v.Bytes[4+4*i:], e)
	}
	return v, scratch, nil
}
