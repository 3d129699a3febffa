package decode

// The text of test_decoding: contrib/test_decoding/test_decoding.c.

import (
	"bytes"
	"strconv"
	"strings"

	"applysim/model/pgtype"
	"applysim/model/stream"
)

// appendTestDecoding appends the line of a row change.
func appendTestDecoding(b []byte, r *row) []byte {
	b = append(b, "table "...)
	b = append(b, quoteQualified(r.rel.table.Schema, r.rel.table.Name)...)
	switch r.kind {
	case stream.KindInsert:
		b = append(b, ": INSERT:"...)
		return appendColumns(b, r.rel, r.row, false)
	case stream.KindUpdate:
		b = append(b, ": UPDATE:"...)
		if r.old != nil {
			b = append(b, " old-key:"...)
			b = appendColumns(b, r.rel, r.old, true)
			b = append(b, " new-tuple:"...)
		}
		return appendColumns(b, r.rel, r.row, false)
	}
	b = append(b, ": DELETE:"...)
	if r.old == nil {
		return append(b, " (no-tuple-data)"...)
	}
	return appendColumns(b, r.rel, r.old, true)
}

// appendColumns is tuple_to_stringinfo.
func appendColumns(b []byte, rel *relation, cells []cell, skipNulls bool) []byte {
	for i := range cells {
		c, x := &rel.columns[i], &cells[i]
		if c.gone || x.null && skipNulls {
			continue
		}
		b = append(append(b, ' '), c.quoted...)
		b = append(append(append(b, '['), c.typeName...), "]:"...)
		switch {
		case x.null:
			b = append(b, "null"...)
		case x.unchanged:
			b = append(b, "unchanged-toast-datum"...)
		default:
			b = appendLiteral(b, c.typ, x.text)
		}
	}
	return b
}

// appendLiteral is print_literal.
func appendLiteral(b []byte, t *pgtype.Type, text []byte) []byte {
	switch {
	case t.Kind == pgtype.KindBit || t.Kind == pgtype.KindVarbit:
		return append(append(append(b, "B'"...), text...), '\'')
	case t.Kind == pgtype.KindBool:
		if string(text) == "t" {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	case isNumber(t):
		return append(b, text...)
	}
	b = append(b, '\'')
	for {
		i := bytes.IndexByte(text, '\'')
		if i < 0 {
			return append(append(b, text...), '\'')
		}
		b = append(append(b, text[:i+1]...), '\'')
		text = text[i+1:]
	}
}

// isNumber says whether a type's values are written without quotes.
func isNumber(t *pgtype.Type) bool {
	switch t.Kind {
	case pgtype.KindInt2, pgtype.KindInt4, pgtype.KindInt8, pgtype.KindFloat4, pgtype.KindFloat8, pgtype.KindNumeric:
		return true
	case pgtype.KindOid:
		return t.Name == "oid"
	}
	return false
}

// appendTestTruncate appends the line of a TRUNCATE.
func appendTestTruncate(b []byte, relations []*relation, flags uint8) []byte {
	b = append(b, "table "...)
	for i, r := range relations {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, quoteQualified(r.table.Schema, r.table.Name)...)
	}
	b = append(b, ": TRUNCATE:"...)
	if flags&(stream.TruncateRestartIdentity|stream.TruncateCascade) == 0 {
		return append(b, " (no-flags)"...)
	}
	if flags&stream.TruncateRestartIdentity != 0 {
		b = append(b, " restart_seqs"...)
	}
	if flags&stream.TruncateCascade != 0 {
		b = append(b, " cascade"...)
	}
	return b
}

// appendTestMessage appends the line of a message.
func appendTestMessage(b []byte, m *stream.Message) []byte {
	b = append(b, "message: transactional: "...)
	b = strconv.AppendUint(b, uint64(m.Flags&stream.MessageTransactional), 10)
	b = append(append(b, " prefix: "...), m.Prefix...)
	b = strconv.AppendInt(append(b, ", sz: "...), int64(len(m.Content)), 10)
	return append(append(b, " content:"...), m.Content...)
}

// testDecoding is a slot of the plugin, include-xids on.
type testDecoding struct{ *output }

func (o testDecoding) Begin(t *Transaction) {
	o.emit("BEGIN", "begin", strconv.AppendUint(append(o.buf[:0], "BEGIN "...), uint64(t.XID), 10))
}

func (o testDecoding) Commit(t *Transaction) {
	o.emit("COMMIT", "commit", strconv.AppendUint(append(o.buf[:0], "COMMIT "...), uint64(t.XID), 10))
}

// finish emits the line that ends a prepared transaction's phase.
func (o testDecoding) finish(what, kind string, t *Transaction) {
	b := append(append(o.buf[:0], what...), " '"...)
	b = append(b, strings.ReplaceAll(t.Info.(*xact).gid, "'", "''")...)
	o.emit(kind, strings.ToLower(what), strconv.AppendUint(append(b, "', txid "...), uint64(t.XID), 10))
}

func (o testDecoding) Prepare(t *Transaction) { o.finish("PREPARE TRANSACTION", "PREPARE", t) }

func (o testDecoding) FinishPrepared(t *Transaction, commit bool) {
	if commit {
		o.finish("COMMIT PREPARED", "COMMIT", t)
	} else {
		o.finish("ROLLBACK PREPARED", "ROLLBACK", t)
	}
}

func (o testDecoding) Change(_ *Transaction, c *Change) {
	p := c.Payload.(*payload)
	kind := "table"
	if p.kind == stream.KindMessage {
		kind = "message:"
	}
	o.payload(p, kind)
}

func (o testDecoding) StreamStart(*Transaction, bool)             {}
func (o testDecoding) StreamStop(*Transaction)                    {}
func (o testDecoding) StreamPrepare(*Transaction)                 {}
func (o testDecoding) StreamCommit(*Transaction)                  {}
func (o testDecoding) StreamAbort(_ *Transaction, _ *Transaction) {}
