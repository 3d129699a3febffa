package pgtype

// After src/backend/utils/adt/tsquery.c.

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"applysim/heap/datum"
)

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

	maxDistance = 1 << 14 // MAXENTRYPOS
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
