package decode

// The JSON of wal2json, formats 1 and 2, as its documentation describes them; tested
// against what version 2.5 printed.

import (
	"bytes"
	"strings"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// appendJSONType appends a type's name. One that is quoted as a whole loses its quotes.
func appendJSONType(b []byte, c *column) []byte {
	name := c.typeFull
	if n := len(name); n > 1 && name[0] == '"' && name[n-1] == '"' {
		name = strings.ReplaceAll(name[1:n-1], `""`, `"`)
	}
	return appendJSONString(b, []byte(name))
}

// shown says whether a column's value is printed: unchanged out-of-line ones are left
// out, and in format 1 the NULLs of old rows.
func shown(c *column, x *cell, old bool) bool {
	return !c.gone && !x.unchanged && !(old && x.null)
}

// identityRow is the row that says which one is meant: the old one that was logged, or
// the new one's key columns.
func identityRow(r *row) (cells []cell, keysOnly bool) {
	if r.old != nil {
		return r.old, false
	}
	return r.row, true
}

// identified says whether a table's updates and deletes are printed: only if it has a
// replica identity.
func identified(rel *relation) bool {
	if rel.identity == 'f' {
		return true
	}
	for i := range rel.columns {
		if rel.columns[i].key {
			return true
		}
	}
	return false
}

// appendJSON1 appends one change of format 1, "" for one that is not printed.
func appendJSON1(b []byte, r *row) []byte {
	if r.kind != stream.KindInsert && !identified(r.rel) {
		return b
	}
	kind := map[stream.Kind]string{stream.KindInsert: "insert", stream.KindUpdate: "update", stream.KindDelete: "delete"}[r.kind]
	b = append(append(append(b, `{"kind":"`...), kind...), `","schema":`...)
	b = appendJSONString(b, []byte(r.rel.table.Schema))
	b = appendJSONString(append(b, `,"table":`...), []byte(r.rel.table.Name))
	lists := func(b []byte, prefix string, cells []cell, old, keys bool) []byte {
		for n, list := range []string{"names", "types", "values"} {
			if n > 0 {
				b = append(b, ',')
			}
			b = append(append(append(append(b, '"'), prefix...), list...), `":[`...)
			first := true
			for i := range cells {
				c, x := &r.rel.columns[i], &cells[i]
				if !shown(c, x, old) || keys && !c.key {
					continue
				}
				if !first {
					b = append(b, ',')
				}
				first = false
				switch n {
				case 0:
					b = appendJSONString(b, []byte(c.name))
				case 1:
					b = appendJSONType(b, c)
				default:
					b = appendJSONValue(b, c.typ, x)
				}
			}
			b = append(b, ']')
		}
		return b
	}
	if r.kind != stream.KindDelete {
		b = lists(append(b, ','), "column", r.row, false, false)
	}
	if r.kind != stream.KindInsert {
		cells, keys := identityRow(r)
		b = append(lists(append(b, `,"oldkeys":{`...), "key", cells, true, keys), '}')
	}
	return append(b, '}')
}

// appendJSON2 appends one change of format 2.
func appendJSON2(b []byte, r *row) []byte {
	if r.kind != stream.KindInsert && !identified(r.rel) {
		return b
	}
	b = append(append(append(b, `{"action":"`...), byte(r.kind)), `","schema":`...)
	b = appendJSONString(b, []byte(r.rel.table.Schema))
	b = appendJSONString(append(b, `,"table":`...), []byte(r.rel.table.Name))
	list := func(b []byte, cells []cell, keys bool) []byte {
		first := true
		for i := range cells {
			c, x := &r.rel.columns[i], &cells[i]
			if !shown(c, x, false) || keys && !c.key {
				continue
			}
			if !first {
				b = append(b, ',')
			}
			first = false
			b = appendJSONString(append(b, `{"name":`...), []byte(c.name))
			b = appendJSONType(append(b, `,"type":`...), c)
			b = append(appendJSONValue(append(b, `,"value":`...), c.typ, x), '}')
		}
		return append(b, ']')
	}
	if r.kind != stream.KindDelete {
		b = list(append(b, `,"columns":[`...), r.row, false)
	}
	if r.kind != stream.KindInsert {
		cells, _ := identityRow(r)
		b = list(append(b, `,"identity":[`...), cells, r.rel.identity != 'f')
	}
	return append(b, '}')
}

// appendJSONValue appends a value: numbers and booleans as such, all else as a string.
func appendJSONValue(b []byte, t *pgtype.Type, x *cell) []byte {
	switch {
	case x.null:
		return append(b, "null"...)
	case isNumber(t):
		if c := x.text; len(c) > 0 && (c[0] >= '0' && c[0] <= '9' || c[0] == '-' && len(c) > 1 && c[1] != 'I') {
			return append(b, c...)
		}
		return append(b, "null"...) // NaN and the infinities are no numbers in JSON
	case t.Kind == pgtype.KindBool:
		if string(x.text) == "t" {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case t.Kind == pgtype.KindBytea:
		return appendJSONString(b, bytes.TrimPrefix(x.text, []byte(`\x`)))
	}
	return appendJSONString(b, x.text)
}

const hexDigits = "0123456789abcdef"

// appendJSONString is escape_json in src/backend/utils/adt/json.c.
func appendJSONString(b, s []byte) []byte {
	b = append(b, '"')
	start := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		case '\n':
			b = append(b, `\n`...)
		case '\r':
			b = append(b, `\r`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = append(b, `\u00`...)
			b = append(b, hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(append(b, s[start:]...), '"')
}

// appendJSONMessage appends a message of format 1 or 2.
func appendJSONMessage(b []byte, m *stream.Message, format int) []byte {
	if format == 1 {
		b = append(b, `{"kind":"message"`...)
	} else {
		b = append(b, `{"action":"M"`...)
	}
	b = append(b, `,"transactional":`...)
	if m.Flags&stream.MessageTransactional != 0 {
		b = append(b, "true"...)
	} else {
		b = append(b, "false"...)
	}
	b = appendJSONString(append(b, `,"prefix":`...), m.Prefix)
	b = appendJSONString(append(b, `,"content":`...), m.Content)
	return append(b, '}')
}

// What a transaction of format 1 begins and ends with.
const (
	json1Begin = `{"change":[`
	json1End   = `]}`
)

// wal2json1 is a slot of the plugin, format 1: one message a transaction.
type wal2json1 struct {
	*output
	size  int64
	items int
	text  []byte
}

func (o *wal2json1) Begin(*Transaction) {
	o.size, o.items, o.text = int64(len(json1Begin)), 0, append(o.text[:0], json1Begin...)
}

func (o *wal2json1) Commit(*Transaction) {
	add(o.ByMessage, "begin", int64(len(json1Begin)))
	add(o.ByMessage, "commit", int64(len(json1End)))
	if o.d.opts.Emit == nil {
		o.count("transaction", "", o.size+int64(len(json1End)))
		return
	}
	o.emit("transaction", "", append(o.text, json1End...))
}

func (o *wal2json1) Change(_ *Transaction, c *Change) {
	p := c.Payload.(*payload)
	n := p.size[o.encoder]
	if n == 0 {
		return
	}
	if p.kind == stream.KindMessage && !p.transactional {
		if o.d.opts.Emit == nil {
			o.count("message", "message", int64(n)+int64(len(json1Begin)+len(json1End)))
			return
		}
		o.emit("message", "message", append(append(append(o.buf[:0], json1Begin...), p.text[o.encoder]...), json1End...))
		return
	}
	comma := int64(0)
	if o.items > 0 {
		comma = 1
		o.text = append(o.text, ',')
	}
	o.items++
	o.size += int64(n) + comma
	add(o.ByMessage, p.kind.String(), int64(n)+comma)
	if o.d.opts.Emit != nil {
		o.text = append(o.text, p.text[o.encoder]...)
	}
}

func (o *wal2json1) StreamStart(*Transaction, bool)             {}
func (o *wal2json1) StreamStop(*Transaction)                    {}
func (o *wal2json1) StreamCommit(*Transaction)                  {}
func (o *wal2json1) StreamAbort(_ *Transaction, _ *Transaction) {}
func (o *wal2json1) Prepare(*Transaction)                       {}
func (o *wal2json1) StreamPrepare(*Transaction)                 {}
func (o *wal2json1) FinishPrepared(*Transaction, bool)          {}

// wal2json2 is a slot of the plugin, format 2: one message a change.
type wal2json2 struct{ *output }

func (o wal2json2) Begin(*Transaction)  { o.emit("B", "begin", []byte(`{"action":"B"}`)) }
func (o wal2json2) Commit(*Transaction) { o.emit("C", "commit", []byte(`{"action":"C"}`)) }

func (o wal2json2) Change(_ *Transaction, c *Change) {
	p := c.Payload.(*payload)
	if p.kind == stream.KindTruncate {
		for _, r := range p.all {
			b := appendJSONString(append(o.buf[:0], `{"action":"T","schema":`...), []byte(r.table.Schema))
			b = appendJSONString(append(b, `,"table":`...), []byte(r.table.Name))
			o.emit("T", "truncate", append(b, '}'))
		}
		return
	}
	if p.size[o.encoder] > 0 {
		o.payload(p, string(rune(p.kind)))
	}
}

func (o wal2json2) StreamStart(*Transaction, bool)             {}
func (o wal2json2) StreamStop(*Transaction)                    {}
func (o wal2json2) StreamCommit(*Transaction)                  {}
func (o wal2json2) StreamAbort(_ *Transaction, _ *Transaction) {}
func (o wal2json2) Prepare(*Transaction)                       {}
func (o wal2json2) StreamPrepare(*Transaction)                 {}
func (o wal2json2) FinishPrepared(*Transaction, bool)          {}
