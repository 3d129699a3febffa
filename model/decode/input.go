package decode

import (
	"bytes"
	"slices"

	"applysim/model/schema"
	"applysim/model/stream"
)

// Xact names the transaction of a change. Top is 0, or the one that it is a
// subtransaction of.
type Xact struct{ XID, Top uint32 }

// Message takes the next message of a stream of all changes, in the order in which
// transactions committed. What such a stream does not have is not decoded: work that
// was rolled back, changes of catalogs. The publisher is taken to have run one
// transaction after the other.
func (d *Decoder) Message(m *stream.Message) error {
	switch m.Kind {
	case stream.KindBegin, stream.KindBeginPrepare:
		d.current = &xact{xid: m.Xid, finalLSN: m.TxLSN, endLSN: m.EndLSN, time: m.Time, gid: string(m.GID)}
		return nil
	case stream.KindCommitPrepared, stream.KindRollbackPrepared:
		d.FinishPrepared(m.Xid, m.Kind == stream.KindCommitPrepared, m)
		return nil
	case stream.KindCommit, stream.KindPrepare:
		if d.current == nil {
			return badMessage(m, "%s outside a transaction: expected a begin before it", m.Kind)
		}
		x := d.current
		d.current = nil
		if m.Kind == stream.KindPrepare {
			d.Prepare(x.xid, string(m.GID), m)
		} else {
			d.Commit(x.xid, m)
		}
		return nil
	case stream.KindRelation, stream.KindType:
		return d.Describe(m)
	case stream.KindOrigin:
		return nil
	case stream.KindInsert, stream.KindUpdate, stream.KindDelete, stream.KindTruncate, stream.KindMessage:
		if m.Kind == stream.KindMessage && m.Flags&stream.MessageTransactional == 0 {
			return d.Immediate(m)
		}
		if d.current == nil {
			return badMessage(m, "%s outside a transaction: expected a begin before it", m.Kind)
		}
		return d.Change(Xact{XID: d.current.xid}, m, nil)
	}
	return badMessage(m, "found %s: expected a stream of all changes whose transactions are not streamed", m.Kind)
}

// Unfinished says whether the input ended within a transaction.
func (d *Decoder) Unfinished() bool { return d.current != nil }

// Describe takes a relation or type message.
func (d *Decoder) Describe(m *stream.Message) error {
	if m.Kind == stream.KindType {
		d.types[m.Type.ID] = m.Type
		return nil
	}
	r, err := d.relation(m.Relation)
	if err != nil {
		return badMessage(m, "%v", err)
	}
	d.relations[m.Relation.ID] = r
	return nil
}

// xactOf is what is known of a transaction.
func (d *Decoder) xactOf(x Xact) (own, top *xact) {
	find := func(xid uint32) *xact {
		if d.current != nil && d.current.xid == xid {
			return d.current
		}
		var found *xact
		d.buffers(func(b *Buffer) {
			if t := b.txns[xid]; t != nil && found == nil {
				found, _ = t.Info.(*xact)
			}
		})
		if found == nil {
			found = &xact{xid: xid}
		}
		return found
	}
	if x.Top != 0 && x.Top != x.XID {
		top = find(x.Top)
	}
	return find(x.XID), top
}

// Logged is what the WAL tells of a row change, and a stream does not.
type Logged struct {
	// Open says that it is a row of a COPY after which more rows come that may need the
	// chunks seen so far.
	Open bool
	// Speculative says that it is a row of an INSERT with ON CONFLICT, which Confirm
	// follows.
	Speculative bool
	// Old and Row are the lengths of the record's tuples with their headers, 0 for one that
	// it does not have; both 0 if they are not known, and what the stream has is stored as
	// it would be anew.
	Old, Row int
}

// Confirm takes the confirmation of the speculative row that came last.
func (d *Decoder) Confirm(x Xact) {
	own, top := d.xactOf(x)
	d.queue(own, top, Change{Size: changeSize, Row: true, Clear: true, Confirm: true})
}

// Change takes a row change, a TRUNCATE or a message of a transaction. Without the WAL
// the chunks of its out-of-line values are found from its values; with it, they were
// given to Chunk.
func (d *Decoder) Change(x Xact, m *stream.Message, logged *Logged) error {
	own, top := d.xactOf(x)
	if m.Kind != stream.KindMessage {
		d.changes++
	}
	switch m.Kind {
	case stream.KindTruncate:
		return d.truncateChange(own, top, m)
	case stream.KindMessage:
		p := d.message(m)
		d.queue(own, top, Change{Size: MessageSize(len(m.Prefix), len(m.Content)), Row: true, Payload: p})
		return nil
	}
	rel := d.relations[m.RelationID]
	if rel == nil {
		return badMessage(m, "relation %d is not known: expected a relation message before its first change", m.RelationID)
	}
	r, err := d.read(rel, m)
	if err != nil {
		return err
	}
	p := &payload{kind: r.kind, transactional: true, relations: []*relation{rel}}
	if err := d.encode(p, &r); err != nil {
		return badMessage(m, "%v", err)
	}
	// What follows compresses values in place.
	oldLength, s := d.lengths(&r, true)
	c := Change{Size: RowSize(oldLength, s.length), Row: true, Clear: true, Table: rel, Payload: p}
	if logged == nil {
		for _, n := range s.chunks {
			d.queue(own, top, Change{Size: RowSize(0, n), Row: true, Chunk: true})
		}
	} else {
		c.Clear, c.Speculative = !logged.Open && !logged.Speculative, logged.Speculative
	}
	if s.restored != s.length {
		c.Restored = c.Size + s.restored - s.length
	}
	if logged != nil && logged.Old+logged.Row > 0 {
		if n := RowSize(logged.Old, logged.Row) - c.Size; n != 0 {
			c.Size += n
			if c.Restored != 0 {
				c.Restored += n
			}
		}
	}
	d.queue(own, top, c)
	return nil
}

// RowLengths are the lengths of the tuples that the record of a row change has, with
// their headers; 0 for one that it does not have.
func (d *Decoder) RowLengths(m *stream.Message) (old, row int, err error) {
	rel := d.relations[m.RelationID]
	if rel == nil {
		return 0, 0, badMessage(m, "relation %d is not known: expected a relation message before its first change", m.RelationID)
	}
	r, err := d.read(rel, m)
	if err != nil {
		return 0, 0, err
	}
	old, s := d.lengths(&r, false)
	return old, s.length, nil
}

// Chunk takes a row that is inserted into a TOAST table, by the size that the WAL says
// it has.
func (d *Decoder) Chunk(x Xact, size int) {
	own, top := d.xactOf(x)
	d.queue(own, top, Change{Size: size, Row: true, Chunk: true})
}

// Internal takes what no plugin sees: a command id, an invalidation, a snapshot.
func (d *Decoder) Internal(x Xact, size int) {
	own, top := d.xactOf(x)
	d.queue(own, top, Change{Size: size, Internal: true})
}

// Snapshot is Internal for the snapshot that a transaction gets when catalogs have been
// changed: one that a slot has handed out as prepared gets none.
func (d *Decoder) Snapshot(x Xact, size int) {
	own, top := d.xactOf(x)
	d.queueIn(own, top, Change{Size: size, Internal: true}, func(b *Buffer) bool {
		t := b.txns[x.XID]
		return t == nil || !t.prepared
	})
}

// Hidden takes a row change that no plugin sees: of a catalog, or a row that is
// deleted from a TOAST table.
func (d *Decoder) Hidden(x Xact, size int) {
	own, top := d.xactOf(x)
	d.queue(own, top, Change{Size: size, Internal: true, Row: true})
}

// InsertOf makes the insert of a row from its values, as the table's description in the
// stream has them; nil if the table was not described.
func (d *Decoder) InsertOf(schema, table string, columns []string, values stream.Tuple) *stream.Message {
	for id, r := range d.relations {
		if r.table.Schema != schema || r.table.Name != table {
			continue
		}
		m := &stream.Message{Kind: stream.KindInsert, RelationID: id}
		for i := range r.columns {
			if at := r.columns[i].remote; at >= 0 {
				for len(m.New) <= at {
					m.New = append(m.New, stream.Column{Format: stream.ColumnNull})
				}
				if n := slices.Index(columns, r.columns[i].name); n >= 0 {
					m.New[at] = values[n]
				}
			}
		}
		return m
	}
	return nil
}

// Lost takes a row change of a transaction that is rolled back: no stream has its
// values. A plugin that gets it nevertheless gives a message of unknown length.
func (d *Decoder) Lost(x Xact, kind stream.Kind, schema, table string, size int) {
	own, top := d.xactOf(x)
	p := &payload{kind: kind, transactional: true, lost: true}
	for _, r := range d.relations {
		if r.table.Schema == schema && r.table.Name == table && r.as.described != nil {
			p.relations, p.published = []*relation{r}, kind
		}
	}
	var named any = schema + "." + table
	if len(p.relations) > 0 {
		named = p.relations[0]
	}
	d.queue(own, top, Change{Size: size, Row: true, Clear: true, Table: named, Payload: p})
}

// Commit ends a transaction. m is its commit message, nil if none is there.
func (d *Decoder) Commit(xid uint32, m *stream.Message) {
	if d.known(xid) {
		d.transactions++
	}
	d.buffers(func(b *Buffer) {
		if t := b.txns[xid]; t != nil && m != nil {
			if x, ok := t.Info.(*xact); ok {
				x.finalLSN, x.endLSN, x.time = m.TxLSN, m.EndLSN, m.Time
			}
		}
		b.Commit(xid)
	})
}

// Prepare ends the first phase of a transaction. m is its prepare message, nil if none is
// there.
func (d *Decoder) Prepare(xid uint32, gid string, m *stream.Message) {
	d.buffers(func(b *Buffer) {
		if t := b.txns[xid]; t != nil {
			if x, ok := t.Info.(*xact); ok {
				x.gid = gid
				if m != nil {
					x.finalLSN, x.endLSN, x.time = m.TxLSN, m.EndLSN, m.Time
					x.first, x.prepared = m.EndLSN, m.Time
				}
			}
		}
		b.Prepare(xid)
	})
}

// FinishPrepared commits a prepared transaction or rolls it back. m is the message of it,
// nil if none is there.
func (d *Decoder) FinishPrepared(xid uint32, commit bool, m *stream.Message) {
	if commit && d.known(xid) {
		d.transactions++
	}
	d.buffers(func(b *Buffer) {
		if t := b.txns[xid]; t != nil && m != nil {
			if x, ok := t.Info.(*xact); ok {
				x.finalLSN, x.endLSN, x.time = m.TxLSN, m.EndLSN, m.Time
			}
		}
		b.FinishPrepared(xid, commit)
	})
}

// known says whether some buffer has a transaction.
func (d *Decoder) known(xid uint32) bool {
	found := false
	d.buffers(func(b *Buffer) { found = found || b.txns[xid] != nil })
	return found
}

// Abort ends a transaction or subtransaction that is rolled back.
func (d *Decoder) Abort(xid uint32) { d.buffers(func(b *Buffer) { b.Abort(xid) }) }

// truncateChange takes a TRUNCATE.
func (d *Decoder) truncateChange(own, top *xact, m *stream.Message) error {
	p := &payload{kind: m.Kind, transactional: true}
	for _, id := range m.RelationIDs {
		rel := d.relations[id]
		if rel == nil {
			return badMessage(m, "relation %d is not known: expected a relation message before it is truncated", id)
		}
		p.all = append(p.all, rel)
	}
	var err error
	if p.all, err = d.withParents(p.all); err != nil {
		return badMessage(m, "%v", err)
	}
	if p.relations = truncated(p.all); len(p.relations) > 0 {
		p.published = stream.KindTruncate
		var ids []uint32
		for _, r := range p.relations {
			ids = append(ids, r.as.described.ID)
		}
		b := stream.AppendTruncate(d.encoded[:0], 0, m.Flags, ids)
		d.put(p, encodeText, b)
		d.put(p, encodeBinary, b)
		d.encoded = b
	}
	d.encoded = appendTestTruncate(d.encoded[:0], p.all, m.Flags)
	d.put(p, encodeTest, d.encoded)
	c := Change{Size: TruncateSize(len(p.all)), Row: true, Payload: p}
	if len(p.all) > 0 {
		c.Table = p.all[0]
	}
	d.queue(own, top, c)
	return nil
}

// withParents puts partitioned tables before their partitions where all of them are
// truncated: TRUNCATE of the parent lists both, but no stream that publishes partitions
// as such has the parent.
func (d *Decoder) withParents(list []*relation) ([]*relation, error) {
	var all []*relation
	added := map[*schema.Table]bool{}
	var covered func(t *schema.Table) bool
	covered = func(t *schema.Table) bool {
		if t.Kind != 'p' {
			return slices.ContainsFunc(list, func(r *relation) bool { return r.table.Schema == t.Schema && r.table.Name == t.Name })
		}
		for _, c := range t.Children {
			if !covered(c) {
				return false
			}
		}
		return len(t.Children) > 0
	}
	for _, r := range list {
		for _, a := range slices.Backward(ancestors(r.table)) {
			if added[a] || !covered(a) {
				continue
			}
			added[a] = true
			x, err := d.parent(a, r)
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		all = append(all, r)
	}
	return all, nil
}

// parent makes the relation of a partitioned table from the description of one of its
// partitions.
func (d *Decoder) parent(t *schema.Table, leaf *relation) (*relation, error) {
	id := d.ancestorID(t)
	if r := d.relations[id]; r != nil {
		return r, nil
	}
	m := &stream.Relation{ID: id, Namespace: t.Schema, Name: t.Name, Identity: t.ReplicaIdentity}
	for i := range t.Columns {
		at := slices.IndexFunc(leaf.columns, func(c column) bool { return c.name == t.Columns[i].Name && !c.gone })
		if at < 0 || t.Columns[i].Dropped || leaf.columns[at].remote < 0 {
			continue
		}
		c := &leaf.columns[at]
		flags := uint8(0)
		if c.key {
			flags = 1
		}
		m.Columns = append(m.Columns, stream.RelationColumn{Flags: flags, Name: c.name, TypeID: c.oid, Typmod: c.typmod})
	}
	r, err := d.relation(m)
	if err == nil {
		d.relations[id] = r
	}
	return r, err
}

// message makes what the plugins make of a logical message.
func (d *Decoder) message(m *stream.Message) *payload {
	p := &payload{kind: m.Kind, transactional: m.Flags&stream.MessageTransactional != 0}
	if d.opts.Messages {
		p.published = m.Kind
		b := stream.AppendLogicalMessage(d.encoded[:0], 0, m.Flags, m.TxLSN, string(m.Prefix), m.Content)
		d.put(p, encodeText, b)
		d.put(p, encodeBinary, b)
		d.encoded = b
	}
	d.encoded = appendTestMessage(d.encoded[:0], m)
	d.put(p, encodeTest, d.encoded)
	for format, encoder := range map[int]int{1: encodeJSON1, 2: encodeJSON2} {
		d.encoded = appendJSONMessage(d.encoded[:0], m, format)
		d.put(p, encoder, d.encoded)
	}
	return p
}

// Immediate hands out a message that belongs to no transaction.
func (d *Decoder) Immediate(m *stream.Message) error {
	t := &Transaction{Info: &xact{}}
	c := &Change{Payload: d.message(m)}
	d.buffers(func(b *Buffer) { b.plugin.Change(t, c) })
	return nil
}

// put keeps what an encoder made of a change.
func (d *Decoder) put(p *payload, encoder int, b []byte) {
	p.size[encoder] = int32(len(b))
	if d.opts.Emit != nil {
		p.text[encoder] = bytes.Clone(b)
	}
}

// encode makes what each plugin makes of a row change. The row filter may turn an
// update into something else for pgoutput.
func (d *Decoder) encode(p *payload, r *row) error {
	d.put(p, encodeTest, appendTestDecoding(d.encoded[:0], r))
	d.put(p, encodeJSON1, appendJSON1(d.encoded[:0], r))
	d.put(p, encodeJSON2, appendJSON2(d.encoded[:0], r))
	if r.rel.as.described == nil {
		return nil
	}
	kind, err := d.filter(r)
	if err != nil || kind == 0 {
		return err
	}
	p.published = kind
	d.put(p, encodeText, d.appendPublished(d.encoded[:0], r, kind, false, 0))
	d.binary = d.binary[:0]
	d.put(p, encodeBinary, d.appendPublished(d.encoded[:0], r, kind, true, 0))
	return nil
}
