package stream

// decode.go: one message from bytes, the counterpart of
// src/backend/replication/logical/proto.c.

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

const (
	// maxColumns is MaxHeapAttributeNumber in src/include/access/htup_details.h (REL_18_1).
	maxColumns = 1600
	// maxMessageBytes is MaxAllocSize in src/include/utils/memutils.h (REL_18_1):
	// the buffer in which the publisher builds a message cannot be larger.
	maxMessageBytes = 0x3fffffff
	// maxStringBytes is our own limit, far above any name: without one, a reader
	// would look for the end of a string through a gigabyte of other data.
	maxStringBytes = 1 << 20
)

// Decoder decodes framed messages. Its state is whether a streamed block is
// open, so the messages of a stream must all pass through one Decoder. The
// zero value is ready to use.
type Decoder struct {
	number   int64 // messages decoded
	streamed bool  // between stream start and stream stop

	// Why decode stopped. Kept here and made into a text only when it is
	// reported: running out of bytes is an ordinary event for a Reader.
	need   int    // cut short: the message has at least this many bytes
	what   string // cut short: at what; else what was expected
	column int    // cut short in a tuple: its column, from 1
	found  int64  // the byte or number found instead
	how    failure
}

// failure is the kind of the last failure; it says how `found` is printed.
type failure uint8

const (
	failShort  failure = iota // the bytes end inside the message
	failByte                  // another byte was expected
	failNumber                // another number was expected
	failText                  // `what` says it all
)

// Decode decodes a message that data holds exactly. Errors are *Error; Offset
// is left 0, since the decoder does not know where the bytes come from.
func (d *Decoder) Decode(data []byte, m *Message) error {
	n := d.decode(data, m, true)
	if n <= 0 {
		return &Error{Message: d.number + 1, Text: d.failure(data)}
	}
	m.Offset, m.LSN, m.LineXid = 0, 0, 0
	return nil
}

// failure says why decode stopped.
func (d *Decoder) failure(b []byte) string {
	switch d.how {
	case failShort:
		if len(b) == 0 {
			return "expected a message, found none"
		}
		at := d.what
		if d.column > 0 {
			at = fmt.Sprintf("%s %d", at, d.column)
		}
		return fmt.Sprintf("%s is cut short at %s: expected at least %d bytes, found %d", Kind(b[0]), at, d.need, len(b))
	case failByte:
		return fmt.Sprintf("expected %s, found %q", d.what, byte(d.found))
	case failNumber:
		return fmt.Sprintf("expected %s, found %d", d.what, d.found)
	}
	return d.what
}

func (d *Decoder) short(need int, what string) int {
	d.how, d.need, d.what, d.column = failShort, need, what, 0
	return 0
}

func (d *Decoder) badByte(what string, found byte) int {
	d.how, d.what, d.found = failByte, what, int64(found)
	return -1
}

func (d *Decoder) badNumber(what string, found int64) int {
	d.how, d.what, d.found = failNumber, what, found
	return -1
}

func (d *Decoder) badText(what string) int {
	d.how, d.what = failText, what
	return -1
}

// be16, be32 and be64 are written so that they inline well in the decoder.
func be16(b []byte, p int) int    { return int(binary.BigEndian.Uint16(b[p:])) }
func be32(b []byte, p int) uint32 { return binary.BigEndian.Uint32(b[p:]) }
func be64(b []byte, p int) uint64 { return binary.BigEndian.Uint64(b[p:]) }

// decode decodes the message at the start of b and returns its length, 0 if b
// ends before it (d.need then says how much it takes at least) or -1 if it is
// not a message. Where framed, b is the message exactly. The decoder's state
// only changes when a message is complete, so a cut one can be tried again.
func (d *Decoder) decode(b []byte, m *Message, framed bool) int {
	if len(b) == 0 {
		return d.short(1, "its type")
	}
	m.Kind, m.OldKind, m.New, m.Old, m.Xid = Kind(b[0]), OldNone, m.New[:0], m.Old[:0], 0
	n, streamed := 0, d.streamed
	switch m.Kind {
	case KindInsert, KindUpdate, KindDelete, KindTruncate, KindMessage, KindRelation, KindType:
		p := 1
		if streamed {
			if len(b) < 5 {
				return d.short(5, "the xid")
			}
			if m.Xid, p = be32(b, 1), 5; m.Xid == 0 {
				return d.badNumber("a valid xid in a streamed block", 0)
			}
		}
		switch m.Kind {
		case KindInsert:
			n = d.insert(b, p, m)
		case KindUpdate:
			n = d.update(b, p, m)
		case KindDelete:
			n = d.delete(b, p, m)
		default:
			n = d.rareChange(b, p, m)
		}
	case KindOrigin:
		n = d.origin(b, m)
	case KindStreamStop:
		if !streamed {
			return d.badText("expected stream start before stream stop")
		}
		n, streamed = 1, false
	default:
		if !m.Kind.Known() {
			return d.badByte("the type byte of a message", b[0])
		}
		if streamed {
			return d.badText("expected stream stop before " + m.Kind.String())
		}
		n = d.transaction(b, m, framed)
		streamed = m.Kind == KindStreamStart
	}
	if n <= 0 {
		return n
	}
	if framed && n != len(b) {
		return d.badText(fmt.Sprintf("expected the end of %s after %d bytes, found %d more", m.Kind, n, len(b)-n))
	}
	d.streamed = streamed
	d.number++
	m.Number, m.Size = d.number, n
	return n
}

func (d *Decoder) insert(b []byte, p int, m *Message) int {
	if len(b) < p+5 {
		return d.short(p+5, "the relation")
	}
	if b[p+4] != 'N' {
		return d.badByte("'N' before the new tuple", b[p+4])
	}
	m.RelationID = be32(b, p)
	return d.tuple(b, p+5, &m.New)
}

func (d *Decoder) update(b []byte, p int, m *Message) int {
	if len(b) < p+5 {
		return d.short(p+5, "the relation")
	}
	m.RelationID = be32(b, p)
	tag := b[p+4]
	p += 5
	if tag == OldKey || tag == OldRow {
		m.OldKind = tag
		if p = d.tuple(b, p, &m.Old); p <= 0 {
			return p
		}
		if len(b) <= p {
			return d.short(p+1, "the tag of the new tuple")
		}
		tag = b[p]
		p++
		if tag != 'N' {
			return d.badByte("'N' before the new tuple", tag)
		}
	} else if tag != 'N' {
		return d.badByte("'K', 'O' or 'N' before a tuple", tag)
	}
	return d.tuple(b, p, &m.New)
}

func (d *Decoder) delete(b []byte, p int, m *Message) int {
	if len(b) < p+5 {
		return d.short(p+5, "the relation")
	}
	m.RelationID = be32(b, p)
	m.OldKind = b[p+4]
	if m.OldKind != OldKey && m.OldKind != OldRow {
		return d.badByte("'K' or 'O' before the old tuple", m.OldKind)
	}
	return d.tuple(b, p+5, &m.Old)
}

// tuple decodes the tuple at p and returns where it ends, or what decode does.
func (d *Decoder) tuple(b []byte, p int, out *Tuple) int {
	if len(b) < p+2 {
		return d.short(p+2, "the number of columns")
	}
	n := be16(b, p)
	p += 2
	if n > maxColumns {
		return d.badNumber("at most 1600 columns", int64(n))
	}
	t := *out
	if cap(t) < n {
		t = make(Tuple, n)
	}
	t = t[:n]
	*out = t
	for i := range t {
		if uint(p) >= uint(len(b)) {
			return d.cutColumn(p+n-i, i)
		}
		c := &t[i]
		switch f := b[p]; f {
		case ColumnText, ColumnBinary:
			rest := b[p+1:]
			if len(rest) < 4 {
				return d.cutColumn(p+5+n-i-1, i)
			}
			size := be32(rest, 0)
			rest = rest[4:]
			if uint64(size) > uint64(len(rest)) {
				if size > maxMessageBytes {
					return d.badNumber("a value of less than 1 GB", int64(size))
				}
				return d.cutColumn(p+5+int(size)+n-i-1, i)
			}
			c.Format = f
			c.Data = rest[:size:size]
			p += 5 + int(size)
		case ColumnNull, ColumnUnchanged:
			c.Format = f
			c.Data = nil
			p++
		default:
			return d.badByte("'n', 'u', 't' or 'b' before a column", f)
		}
	}
	return p
}

// cutColumn is short for a column.
func (d *Decoder) cutColumn(need, column int) int {
	d.short(need, "column")
	d.column = column + 1
	return 0
}

// rareChange decodes relation, type, truncate and message after their xid.
func (d *Decoder) rareChange(b []byte, p int, m *Message) int {
	switch m.Kind {
	case KindRelation:
		return d.relation(b, p, m)
	case KindType:
		if len(b) < p+4 {
			return d.short(p+4, "the type's id")
		}
		t := &Type{ID: be32(b, p)}
		namespace, p := d.cstring(b, p+4, "the type's schema")
		if p <= 0 {
			return p
		}
		name, p := d.cstring(b, p, "the type's name")
		if p <= 0 {
			return p
		}
		t.Namespace, t.Name = string(namespace), string(name)
		m.Type = t
		return p
	case KindTruncate:
		if len(b) < p+5 {
			return d.short(p+5, "the number of relations")
		}
		relations := be32(b, p)
		m.Flags = b[p+4]
		p += 5
		if relations > maxMessageBytes/4 {
			return d.badNumber("a number of relations that fits into 1 GB", int64(relations))
		}
		n := int(relations)
		if len(b) < p+4*n {
			return d.short(p+4*n, "the relations")
		}
		m.RelationIDs = m.RelationIDs[:0]
		for ; n > 0; n-- {
			m.RelationIDs = append(m.RelationIDs, be32(b, p))
			p += 4
		}
		return p
	}
	// KindMessage
	if len(b) < p+9 {
		return d.short(p+9, "the LSN")
	}
	m.Flags, m.TxLSN = b[p], LSN(be64(b, p+1))
	prefix, p := d.cstring(b, p+9, "the prefix")
	if p <= 0 {
		return p
	}
	if len(b) < p+4 {
		return d.short(p+4, "the content's length")
	}
	length := be32(b, p)
	p += 4
	if length > maxMessageBytes {
		return d.badNumber("a content of less than 1 GB", int64(length))
	}
	size := int(length)
	if len(b)-p < size {
		return d.short(p+size, "the content")
	}
	m.Prefix, m.Content = prefix, b[p:p+size:p+size]
	return p + size
}

func (d *Decoder) relation(b []byte, p int, m *Message) int {
	if len(b) < p+4 {
		return d.short(p+4, "the relation's id")
	}
	r := &Relation{ID: be32(b, p)}
	namespace, p := d.cstring(b, p+4, "the relation's schema")
	if p <= 0 {
		return p
	}
	name, p := d.cstring(b, p, "the relation's name")
	if p <= 0 {
		return p
	}
	if len(b) < p+3 {
		return d.short(p+3, "the number of columns")
	}
	switch r.Identity = b[p]; r.Identity {
	case 'd', 'n', 'f', 'i':
	default:
		return d.badByte("'d', 'n', 'f' or 'i' as replica identity", r.Identity)
	}
	n := be16(b, p+1)
	p += 3
	if n > maxColumns {
		return d.badNumber("at most 1600 columns", int64(n))
	}
	// A column takes at least ten bytes: nothing is allocated for those that
	// cannot be there.
	if len(b) < p+10*n {
		return d.short(p+10*n, "the columns")
	}
	r.Namespace, r.Name = string(namespace), string(name)
	r.Columns = make([]RelationColumn, n)
	for i := range r.Columns {
		if len(b) < p+1 {
			return d.cutColumn(p+10*(n-i), i)
		}
		c := &r.Columns[i]
		c.Flags = b[p]
		if name, p = d.cstring(b, p+1, "the name of a column"); p <= 0 {
			return p
		}
		if len(b) < p+8 {
			return d.cutColumn(p+8+10*(n-i-1), i)
		}
		c.Name = string(name)
		c.TypeID, c.Typmod = be32(b, p), int32(be32(b, p+4))
		p += 8
	}
	m.Relation = r
	return p
}

// cstring returns the string at p and where it ends, or what decode does.
func (d *Decoder) cstring(b []byte, p int, what string) ([]byte, int) {
	n := bytes.IndexByte(b[p:], 0)
	if n > maxStringBytes || n < 0 && len(b)-p > maxStringBytes {
		return nil, d.badText("expected a zero byte within 1 MiB at the end of " + what)
	}
	if n < 0 {
		return nil, d.short(len(b)+1, what)
	}
	return b[p : p+n : p+n], p + n + 1
}

func (d *Decoder) origin(b []byte, m *Message) int {
	if len(b) < 9 {
		return d.short(9, "the LSN")
	}
	m.TxLSN = LSN(be64(b, 1))
	name, p := d.cstring(b, 9, "the origin's name")
	if p > 0 {
		m.Origin = name
	}
	return p
}
