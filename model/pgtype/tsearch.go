package pgtype

// After src/backend/utils/adt/tsvector.c, tsvector_parser.c and tsquery.c.

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"applysim/heap/datum"
)

// Limits of REL_18_1, src/include/tsearch/ts_type.h.
const (
	maxLexeme    = 1<<11 - 1 // MAXSTRLEN
	maxLexemes   = 1<<20 - 1 // MAXSTRPOS
	maxPosition  = 1<<14 - 1
	maxPositions = 256 // MAXNUMPOS
	maxDistance  = 1 << 14
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

// queryItem is a node of a tsquery, 12 bytes when stored: an operand (type,
// weights, prefix, checksum, length:12 and distance:20 of its text) or an
// operator (type, operator, phrase distance, distance of its left operand).
type queryItem struct {
	operator byte // 0 for an operand
	weight   byte
	prefix   bool
	distance int16
	left     uint32
	text     []byte
}

const (
	opNot    = 1
	opAnd    = 2
	opOr     = 3
	opPhrase = 4
)

var opPriority = [5]int{0, 4, 2, 1, 3}

// queryParser turns infix into the reverse of postfix: what is read last
// comes first.
type queryParser struct {
	tsParser
	items   []queryItem
	parens  int
	operand bool // an operand must come next
	start   bool // nothing has come yet
}

func inputTSQuery(text, scratch []byte) (datum.Value, []byte, error) {
	p := queryParser{tsParser: tsParser{s: text, whole: text, operators: true}, operand: true, start: true}
	if err := p.group(0); err != nil {
		return datum.Value{}, scratch, err
	}
	return storeTSQuery(p.items, true, scratch)
}

type pendingOp struct {
	op       byte
	distance int16
}

func (p *queryParser) group(depth int) error {
	if depth > jsonMaxDepth {
		return errJSONDepth
	}
	var stack []pendingOp
	clean := func(op byte) {
		for n := len(stack); n > 0; n = len(stack) {
			top := opPriority[stack[n-1].op]
			if op != opNot && opPriority[op] > top || op == opNot && opPriority[op] >= top {
				return
			}
			p.items = append(p.items, queryItem{operator: stack[n-1].op, distance: stack[n-1].distance})
			stack = stack[:n-1]
		}
	}
	for {
		for len(p.s) > 0 && isSpace(p.s[0]) {
			p.s = p.s[1:]
		}
		var c byte
		if len(p.s) > 0 {
			c = p.s[0]
		}
		if p.operand {
			switch {
			case c == '!':
				p.s = p.s[1:]
				p.start = false
				clean(opNot)
				stack = append(stack, pendingOp{op: opNot})
			case c == '(':
				p.s = p.s[1:]
				p.start = false
				p.parens++
				if err := p.group(depth + 1); err != nil {
					return err
				}
			case c == ':':
				return p.syntax()
			default:
				l, ok, err := p.word()
				if err != nil {
					return err
				}
				if !ok {
					if p.start {
						clean(opOr)
						return nil
					}
					return fmt.Errorf("no operand in tsquery: \"%s\"", p.whole)
				}
				if len(l.text) >= maxLexeme {
					return fmt.Errorf("word is too long in tsquery: \"%s\"", p.whole)
				}
				item := queryItem{text: l.text}
				p.modifiers(&item)
				p.items = append(p.items, item)
				p.operand, p.start = false, false
			}
			continue
		}
		op := pendingOp{}
		switch {
		case c == '&':
			op.op = opAnd
			p.s = p.s[1:]
		case c == '|':
			op.op = opOr
			p.s = p.s[1:]
		case c == '<':
			distance, err := p.phrase()
			if err != nil {
				return err
			}
			op = pendingOp{opPhrase, distance}
		case c == ')':
			p.s = p.s[1:]
			if p.parens--; p.parens < 0 {
				return p.syntax()
			}
			clean(opOr)
			return nil
		case len(p.s) == 0:
			if p.parens > 0 {
				return p.syntax()
			}
			clean(opOr)
			return nil
		default:
			return p.syntax()
		}
		p.operand = true
		clean(op.op)
		stack = append(stack, op)
	}
}

// modifiers reads :weights and * after a word.
func (p *queryParser) modifiers(item *queryItem) {
	if len(p.s) == 0 || p.s[0] != ':' {
		return
	}
	p.s = p.s[1:]
	for len(p.s) > 0 {
		switch c := p.s[0]; c {
		case 'a', 'A', 'b', 'B', 'c', 'C', 'd', 'D':
			item.weight |= 8 >> (c | 0x20 - 'a')
		case '*':
			item.prefix = true
		default:
			return
		}
		p.s = p.s[1:]
	}
}

// phrase reads <-> or <n>.
func (p *queryParser) phrase() (int16, error) {
	s := scanner{p.s[1:]}
	n := int64(1)
	if !s.accept('-') {
		var count int
		if n, count = s.number(); count == 0 {
			return 0, p.syntax()
		}
		if n > maxDistance {
			return 0, fmt.Errorf("distance in phrase operator must be an integer value between zero and %d inclusive", maxDistance)
		}
	}
	if !s.accept('>') || len(s.b) == 0 {
		return 0, p.syntax()
	}
	p.s = s.b
	return int16(n), nil
}

// storeTSQuery lays items out. reversed says that they are in the order of
// reading, with the operands' texts in that order too.
func storeTSQuery(items []queryItem, reversed bool, scratch []byte) (datum.Value, []byte, error) {
	start := len(scratch)
	at := make([]int, len(items)) // where texts begin
	size := 0
	for i := range items {
		if items[i].operator == 0 {
			if size >= maxLexemes {
				return datum.Value{}, scratch, errors.New("tsquery is too large")
			}
			at[i] = size
			size += len(items[i].text) + 1
		}
	}
	var texts []byte
	for i := range items {
		if items[i].operator == 0 {
			texts = append(append(texts, items[i].text...), 0)
		}
	}
	if reversed {
		slices.Reverse(items)
		slices.Reverse(at)
	}
	if len(items) > 0 {
		end, err := linkOperands(items, 0, 0)
		if err != nil {
			return datum.Value{}, scratch, err
		}
		if end != len(items) {
			return datum.Value{}, scratch, errors.New("malformed tsquery: extra nodes")
		}
	}
	scratch = le.AppendUint32(scratch, uint32(len(items)))
	for i, it := range items {
		if it.operator != 0 {
			scratch = append(scratch, 2, it.operator)
			scratch = le.AppendUint16(scratch, uint16(it.distance))
			scratch = le.AppendUint32(scratch, it.left)
			scratch = le.AppendUint32(scratch, 0)
			continue
		}
		scratch = append(scratch, 1, it.weight, byte(btoi(it.prefix)), 0)
		scratch = le.AppendUint32(scratch, legacyCRC(it.text))
		scratch = le.AppendUint32(scratch, uint32(len(it.text))|uint32(at[i])<<12)
	}
	scratch = append(scratch, texts...)
	return datum.Value{Bytes: scratch[start:]}, scratch, nil
}

// linkOperands finds where each operator's left operand begins and returns
// the index after the subtree at i.
func linkOperands(items []queryItem, i, depth int) (int, error) {
	if depth > jsonMaxDepth {
		return 0, errJSONDepth
	}
	if i >= len(items) {
		return 0, errors.New("malformed tsquery: operand not found")
	}
	it := &items[i]
	switch it.operator {
	case 0:
		return i + 1, nil
	case opNot:
		it.left = 1
		return linkOperands(items, i+1, depth+1)
	}
	right, err := linkOperands(items, i+1, depth+1)
	if err != nil {
		return 0, err
	}
	it.left = uint32(right - i)
	return linkOperands(items, right, depth+1)
}

// legacyCRC is PostgreSQL's old checksum: the table of the reflected CRC-32
// used in the direction of the other one.
func legacyCRC(b []byte) uint32 {
	crc := ^uint32(0)
	for _, c := range b {
		crc = crc32.IEEETable[byte(crc>>24)^c] ^ crc<<8
	}
	return ^crc
}

func receiveTSQuery(r *reader, scratch []byte) (datum.Value, []byte, error) {
	fail := func(err error) (datum.Value, []byte, error) { return datum.Value{}, scratch, err }
	count := int64(r.u32())
	if r.short || count*2 > int64(len(r.b)) {
		return fail(errShortMessage)
	}
	if count == 0 { // the server cannot read what it sends for an empty query
		return fail(errors.New("malformed tsquery: operand not found"))
	}
	items := make([]queryItem, count)
	total := 0
	for i := range items {
		it := &items[i]
		switch kind := r.u8(); kind {
		case 1:
			it.weight = r.u8()
			it.prefix = r.u8() != 0
			it.text = r.cstring()
			switch {
			case it.weight > 0xF:
				return fail(errors.New("invalid tsquery: invalid weight bitmap"))
			case len(it.text) > maxLexeme:
				return fail(errors.New("invalid tsquery: operand too long"))
			case total > maxLexemes:
				return fail(errors.New("invalid tsquery: total operand length exceeded"))
			}
			total += len(it.text) + 1
		case 2:
			it.operator = r.u8()
			if it.operator < opNot || it.operator > opPhrase {
				return fail(fmt.Errorf("invalid tsquery: unrecognized operator type %d", int8(it.operator)))
			}
			if it.operator == opPhrase {
				it.distance = int16(r.u16())
			}
		default:
			if r.short {
				return fail(errShortMessage)
			}
			return fail(fmt.Errorf("unrecognized tsquery node type: %d", int8(kind)))
		}
		if r.short {
			return fail(errShortMessage)
		}
	}
	return storeTSQuery(items, false, scratch)
}
