package pgtype

import (
	"bytes"
	"strconv"

	"applysim/heap/datum"
	"applysim/index/opclass"
)

// appendQuoted prints one member of a container's text: in quotes if quote
// says so, where special bytes are doubled or escaped.
func appendQuoted(b, value []byte, quote, double bool) []byte {
	if !quote {
		return append(b, value...)
	}
	b = append(b, '"')
	for _, c := range value {
		if c == '"' || c == '\\' {
			if double {
				b = append(b, c)
			} else {
				b = append(b, '\\')
			}
		}
		b = append(b, c)
	}
	return append(b, '"')
}

// needsQuotes says whether a value is empty or contains a blank, a quote, a
// backslash or one of the special bytes.
func needsQuotes(value []byte, special string) bool {
	if len(value) == 0 {
		return true
	}
	for _, c := range value {
		if isSpace(c) || c == '"' || c == '\\' || bytes.IndexByte([]byte(special), c) >= 0 {
			return true
		}
	}
	return false
}

func (t *Type) appendArray(b, v []byte) []byte {
	h, ok := opclass.DecodeArray(v)
	if !ok {
		return appendHex(b, v)
	}
	if h.Items == 0 {
		return append(b, "{}"...)
	}
	for _, l := range h.Lower {
		if l == 1 {
			continue
		}
		for i := range h.Dims { // bounds are printed if one is not 1
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(h.Lower[i]), 10)
			b = append(b, ':')
			b = strconv.AppendInt(b, int64(h.Lower[i])+int64(h.Dims[i])-1, 10)
			b = append(b, ']')
		}
		b = append(b, '=')
		break
	}
	delim := t.Elem.delimiter()
	at := h.Data
	attr := t.Elem.Attr()
	for i := range h.Items {
		// A brace opens for every dimension whose run of elements begins here.
		run := h.Items
		if i > 0 {
			b = append(b, delim)
		}
		for _, d := range h.Dims {
			if i%run == 0 {
				b = append(b, '{')
			}
			run /= int(d)
		}
		if h.Null(i) {
			b = append(b, "NULL"...)
		} else {
			var e datum.Value
			if e, at, ok = opclass.Fetch(v, -4, at, attr, false); !ok {
				return appendHex(b, v)
			}
			text := t.Elem.appendText(nil, e)
			quote := needsQuotes(text, "{}"+string(delim)) || fold(text, "null")
			b = appendQuoted(b, text, quote, false)
		}
		run = 1
		for k := len(h.Dims) - 1; k >= 0; k-- {
			if run *= int(h.Dims[k]); (i+1)%run == 0 {
				b = append(b, '}')
			}
		}
	}
	return b
}

func (t *Type) appendVector(b, v []byte) []byte {
	size := int(t.vectorElem().Len)
	for at := 20; at+size <= len(v); at += size {
		if at > 20 {
			b = append(b, ' ')
		}
		if size == 2 {
			b = strconv.AppendInt(b, int64(int16(le.Uint16(v[at:]))), 10)
		} else {
			b = strconv.AppendUint(b, uint64(le.Uint32(v[at:])), 10)
		}
	}
	return b
}

func (t *Type) appendRange(b []byte, r *bounds) []byte {
	if r.empty {
		return append(b, "empty"...)
	}
	b = append(b, "(["[btoi(r.lower.Inclusive)])
	if !r.lower.Infinite {
		text := t.Elem.appendText(nil, r.lower.Value)
		b = appendQuoted(b, text, needsQuotes(text, "()[],"), true)
	}
	b = append(b, ',')
	if !r.upper.Infinite {
		text := t.Elem.appendText(nil, r.upper.Value)
		b = appendQuoted(b, text, needsQuotes(text, "()[],"), true)
	}
	return append(b, ")]"[btoi(r.upper.Inclusive)])
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (t *Type) appendMultirange(b, v []byte) []byte {
	r, ok := opclass.OpenMultirange(v, t.Elem.Elem.Attr())
	if !ok {
		return appendHex(b, v)
	}
	b = append(b, '{')
	for i := range r.Count {
		lower, upper, ok := r.Next()
		if !ok {
			break
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = t.Elem.appendRange(b, &bounds{lower: lower, upper: upper})
	}
	return append(b, '}')
}

func (t *Type) appendRecord(b, v []byte) []byte {
	if len(v) < 19+(len(t.Fields)+7)/8 {
		return appendHex(b, v)
	}
	from := len(b)
	at := int(v[18]) - 4
	natts := int(le.Uint16(v[14:]) & 0x07FF)
	nulls := le.Uint16(v[16:])&heapHasNull != 0
	b = append(b, '(')
	for i, f := range t.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		if i >= natts || nulls && v[19+i/8]&(1<<(i%8)) == 0 {
			continue
		}
		var (
			e  datum.Value
			ok bool
		)
		if e, at, ok = opclass.Fetch(v, -4, at, f.Type.Attr(), true); !ok {
			return appendHex(b[:from], v)
		}
		text := f.Type.appendText(nil, e)
		b = appendQuoted(b, text, needsQuotes(text, "(),"), true)
	}
	return append(b, ')')
}

// appendJsonb prints a container. Damage ends the print early.
func appendJsonb(b, v []byte, depth int) []byte {
	if len(v) < 4 || depth > jsonMaxDepth {
		return b
	}
	h := le.Uint32(v)
	count := int(h & jsonbCountMask)
	children := count
	object := h&jsonbObject != 0
	if object {
		children *= 2
	}
	base := 4 + 4*children
	if base > len(v) {
		return b
	}
	child := func(i, start int) (kind uint32, data []byte, end int) {
		e := le.Uint32(v[4+4*i:])
		end = int(e & jsonbCountMask)
		if e&entryHasOff == 0 {
			end += start
		}
		from, to := min(base+start, len(v)), min(base+end, len(v))
		if kind = e & entryTypeMask; kind == entryNumeric || kind == entryContainer {
			from = min((from+3)&^3, len(v))
		}
		return kind, v[min(from, to):to], end
	}
	show := func(kind uint32, data []byte) {
		switch kind {
		case entryNull:
			b = append(b, "null"...)
		case entryFalse:
			b = append(b, "false"...)
		case entryTrue:
			b = append(b, "true"...)
		case entryString:
			b = appendJSONString(b, data)
		case entryNumeric:
			b = appendNumeric(b, data[min(4, len(data)):])
		default:
			b = appendJsonb(b, data, depth+1)
		}
	}
	switch {
	case object:
		b = append(b, '{')
		keys, values := 0, 0
		for i := range count {
			_, _, values = child(i, values)
		}
		for i := range count {
			if i > 0 {
				b = append(b, ", "...)
			}
			var data []byte
			_, data, keys = child(i, keys)
			b = append(appendJSONString(b, data), ": "...)
			var kind uint32
			kind, data, values = child(count+i, values)
			show(kind, data)
		}
		return append(b, '}')
	case h&jsonbScalar != 0 && count == 1:
		kind, data, _ := child(0, 0)
		show(kind, data)
		return b
	}
	b = append(b, '[')
	at := 0
	for i := range count {
		if i > 0 {
			b = append(b, ", "...)
		}
		var (
			kind uint32
			data []byte
		)
		kind, data, at = child(i, at)
		show(kind, data)
	}
	return append(b, ']')
}

func appendJSONString(b, s []byte) []byte {
	b = append(b, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c >= ' ':
			b = append(b, c)
		case c == '\b':
			b = append(b, `\b`...)
		case c == '\f':
			b = append(b, `\f`...)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(b, '"')
}

// appendTSVector prints 'lexeme':position[weight],... .
func appendTSVector(b, v []byte) []byte {
	if len(v) < 4 {
		return b
	}
	n := int(le.Uint32(v))
	if n < 0 || 4+4*n > len(v) {
		return appendHex(b, v)
	}
	text := v[4+4*n:]
	for i := range n {
		e := le.Uint32(v[4+4*i:])
		from := min(int(e>>12), len(text))
		to := min(from+int(e>>1&0x7FF), len(text))
		if i > 0 {
			b = append(b, ' ')
		}
		b = append(b, '\'')
		for _, c := range text[from:to] {
			if c == '\'' || c == '\\' {
				b = append(b, c)
			}
			b = append(b, c)
		}
		b = append(b, '\'')
		at := (to + 1) &^ 1
		if e&1 == 0 || at+2 > len(text) {
			continue
		}
		for j := range int(le.Uint16(text[at:])) {
			p := at + 2 + 2*j
			if p+2 > len(text) {
				break
			}
			w := le.Uint16(text[p:])
			b = append(b, ":,"[min(j, 1)])
			b = strconv.AppendUint(b, uint64(w&0x3FFF), 10)
			if w >= 0x4000 {
				b = append(b, " CBA"[w>>14])
			}
		}
	}
	return b
}
