package decode

// The messages of pgoutput: src/backend/replication/pgoutput/pgoutput.c and
// src/backend/replication/logical/proto.c.

import (
	"applysim/model/stream"
)

// appendPublished appends the message of a change as it is published. xid is 0 outside
// of streamed blocks.
func (d *Decoder) appendPublished(b []byte, r *row, kind stream.Kind, binary bool, xid uint32) []byte {
	p := r.rel.as
	id := p.described.ID
	if p.ancestor != nil {
		id = p.ancestor.ID
	}
	tag := stream.OldKey
	if p.identity == 'f' {
		tag = stream.OldRow
	}
	switch kind {
	case stream.KindInsert:
		return stream.AppendInsert(b, xid, id, d.tuple(&d.newTuple, r.rel, r.row, binary))
	case stream.KindDelete:
		return stream.AppendDelete(b, xid, id, tag, d.tuple(&d.oldTuple, r.rel, r.old, binary))
	}
	if r.old == nil {
		return stream.AppendUpdate(b, xid, id, stream.OldNone, nil, d.tuple(&d.newTuple, r.rel, r.row, binary))
	}
	old := d.tuple(&d.oldTuple, r.rel, r.old, binary)
	return stream.AppendUpdate(b, xid, id, tag, old, d.tuple(&d.newTuple, r.rel, r.row, binary))
}

// tuple makes the columns that are sent of a row (logicalrep_write_tuple).
func (d *Decoder) tuple(space *stream.Tuple, rel *relation, cells []cell, binary bool) stream.Tuple {
	t := (*space)[:0]
	for _, at := range rel.as.columns {
		x := &cells[at]
		switch {
		case x.null:
			t = append(t, stream.Column{Format: stream.ColumnNull})
		case x.unchanged:
			t = append(t, stream.Column{Format: stream.ColumnUnchanged})
		default:
			c := stream.Column{Format: stream.ColumnText, Data: x.text}
			if binary {
				start := len(d.binary)
				var ok bool
				if d.binary, ok = rel.columns[at].typ.Send(d.binary, x.value); ok {
					c = stream.Column{Format: stream.ColumnBinary, Data: d.binary[start:len(d.binary):len(d.binary)]}
				} else {
					d.warn("column %s of table %s: the binary form of type %s is not known: its text is counted", rel.columns[at].name, rel.table.QualifiedName(), rel.columns[at].typeName)
				}
			}
			t = append(t, c)
		}
	}
	*space = t
	return t
}

// described is what a subscriber has been told of a relation.
type described struct {
	sent     bool
	streamed map[uint32]bool // in which transactions that are streamed
}

// pgoutput is a slot of the plugin.
type pgoutput struct {
	*output
	binary   bool
	parallel bool
	known    map[*relation]*described
	current  uint32 // the transaction whose block is open, 0 if none is
}

// send emits a message.
func (o *pgoutput) send(kind stream.Kind, b []byte) { o.emit(string(rune(kind)), kind.String(), b) }

// A transaction that is prepared begins at once, any other before its first change.
func (o *pgoutput) Begin(t *Transaction) {
	o.begun = t.Prepared()
	if x := t.Info.(*xact); o.begun {
		o.send(stream.KindBeginPrepare, stream.AppendBeginPrepare(o.buf[:0], x.finalLSN, x.endLSN, x.time, t.XID, x.gid))
	}
}

func (o *pgoutput) Prepare(t *Transaction) {
	x := t.Info.(*xact)
	o.send(stream.KindPrepare, stream.AppendPrepare(o.buf[:0], x.finalLSN, x.endLSN, x.time, t.XID, x.gid))
}

func (o *pgoutput) StreamPrepare(t *Transaction) {
	x := t.Info.(*xact)
	o.send(stream.KindStreamPrepare, stream.AppendStreamPrepare(o.buf[:0], x.finalLSN, x.endLSN, x.time, t.XID, x.gid))
}

func (o *pgoutput) FinishPrepared(t *Transaction, commit bool) {
	x := t.Info.(*xact)
	if commit {
		o.send(stream.KindCommitPrepared, stream.AppendCommitPrepared(o.buf[:0], x.finalLSN, x.endLSN, x.time, t.XID, x.gid))
	} else {
		o.send(stream.KindRollbackPrepared, stream.AppendRollbackPrepared(o.buf[:0], x.first, x.endLSN, x.prepared, x.time, t.XID, x.gid))
	}
}

func (o *pgoutput) Commit(t *Transaction) {
	if o.begun {
		x := t.Info.(*xact)
		o.send(stream.Kind('C'), stream.AppendCommit(o.buf[:0], x.finalLSN, x.endLSN, x.time))
	}
}

// begin sends the begin before a transaction's first change.
func (o *pgoutput) begin(t *Transaction) {
	if o.current != 0 || o.begun {
		return
	}
	o.begun = true
	top := t.top()
	x := top.Info.(*xact)
	o.send(stream.Kind('B'), stream.AppendBegin(o.buf[:0], x.finalLSN, x.time, top.XID))
}

// describe sends a relation's description if that is not known to the subscriber
// (maybe_send_schema).
func (o *pgoutput) describe(t *Transaction, r *relation) {
	k := o.known[r]
	if k == nil {
		k = &described{streamed: map[uint32]bool{}}
		o.known[r] = k
	}
	xid := uint32(0)
	if o.current != 0 {
		if k.streamed[o.current] {
			return
		}
		k.streamed[o.current] = true
		xid = t.XID
	} else {
		if k.sent {
			return
		}
		k.sent = true
	}
	for _, m := range []*stream.Relation{r.as.ancestor, r.as.described} {
		if m == nil {
			continue
		}
		for i := range m.Columns {
			if y := r.types[m.Columns[i].TypeID]; y != nil {
				o.send(stream.Kind('Y'), stream.AppendType(o.buf[:0], xid, y))
			}
		}
		o.send(stream.Kind('R'), stream.AppendRelation(o.buf[:0], xid, m))
	}
}

func (o *pgoutput) Change(t *Transaction, c *Change) {
	p := c.Payload.(*payload)
	if p.published == 0 {
		return
	}
	if p.published == stream.KindMessage {
		if p.transactional {
			o.begin(t)
		}
		o.change(p, t)
		return
	}
	o.begin(t)
	for _, r := range p.relations {
		o.describe(t, r)
	}
	o.change(p, t)
}

// change sends what was made of a change. In a streamed block the transaction's id
// stands after the type byte.
func (o *pgoutput) change(p *payload, t *Transaction) {
	kind := p.published
	if p.lost {
		o.lost(string(rune(kind)), kind.String())
		return
	}
	if o.d.opts.Emit == nil {
		n := p.size[o.encoder]
		if o.current != 0 {
			n += xidSize
		}
		o.count(string(rune(kind)), kind.String(), int64(n))
		return
	}
	b := p.text[o.encoder]
	if o.current != 0 {
		at := o.buf[:0]
		at = append(at, b[0], byte(t.XID>>24), byte(t.XID>>16), byte(t.XID>>8), byte(t.XID))
		b = append(at, b[1:]...)
	}
	o.send(kind, b)
}

// xidSize is the length of a transaction's id in a message.
const xidSize = 4

func (o *pgoutput) StreamStart(t *Transaction, first bool) {
	o.send(stream.Kind('S'), stream.AppendStreamStart(o.buf[:0], t.XID, first))
	o.current = t.XID
}

func (o *pgoutput) StreamStop(*Transaction) {
	o.send(stream.Kind('E'), stream.AppendStreamStop(o.buf[:0]))
	o.current = 0
}

func (o *pgoutput) StreamCommit(t *Transaction) {
	x := t.Info.(*xact)
	o.send(stream.Kind('c'), stream.AppendStreamCommit(o.buf[:0], t.XID, x.finalLSN, x.endLSN, x.time))
	o.forget(t.XID, true)
}

func (o *pgoutput) StreamAbort(top, t *Transaction) {
	b := stream.AppendStreamAbort(o.buf[:0], top.XID, t.XID)
	if o.parallel {
		b = stream.AppendStreamAbortInfo(o.buf[:0], top.XID, t.XID, 1, 0)
	}
	o.send(stream.Kind('A'), b)
	o.forget(top.XID, false)
}

// forget ends what is known of a streamed transaction: after its commit the
// subscriber has the descriptions that were sent in it (cleanup_rel_sync_cache).
func (o *pgoutput) forget(xid uint32, committed bool) {
	for _, k := range o.known {
		if k.streamed[xid] {
			k.sent = k.sent || committed
			delete(k.streamed, xid)
		}
	}
}
