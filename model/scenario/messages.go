package scenario

import (
	"math"

	"applysim/model/stream"
)

// The parts of a transaction, in their order.
const (
	atBegin = iota
	atChanges
	atCommit
)

// decodingWorkMem is logical_decoding_work_mem of the publisher: beyond it a transaction
// would be streamed.
const decodingWorkMem = 64 << 20

// emptyLimit is after how many transactions in a row that find no row to change the run
// ends.
const emptyLimit = 1_000_000

// Next makes the next message of the run. It returns false at its end. What the message
// points to is valid until the next call.
func (g *Generator) Next(m *stream.Message) bool {
	g.arena = g.arena[:0]
	for {
		switch g.state {
		case atBegin:
			if !g.nextTransaction() {
				return false
			}
			g.state, g.step, g.left, g.began = atChanges, 0, g.rowsOf(0), false
		case atChanges:
			if !g.took() {
				g.state = atCommit
				continue
			}
			p := g.current.steps[g.step]
			if p.Do != Insert && p.source.rows.remaining() == 0 {
				p.missed += int64(g.left)
				g.left = 0 // there is nothing to change
				continue
			}
			if !g.began {
				g.began = true
				g.commit = g.lsn + stream.LSN(g.rowsOf(0))*rowWALBytes
				g.begin(m)
				return true
			}
			if g.describe(p.source, m) {
				return true
			}
			g.left--
			g.changes++
			g.lsn += rowWALBytes
			g.last = p
			g.change(p, m)
			g.count(m)
			return true
		case atCommit:
			g.state = atBegin
			if !g.began {
				// An empty transaction is not sent; where nothing but such is left the
				// run ends.
				if g.empty++; g.empty > emptyLimit {
					return false
				}
				continue
			}
			g.empty = 0
			g.end(m)
			return true
		}
	}
}

// took goes on to a step that has rows left, if the transaction has one.
func (g *Generator) took() bool {
	for g.left == 0 || g.s.Changes > 0 && g.changes >= g.s.Changes {
		if g.left > 0 && g.step == 0 {
			g.cut = g.rowsOf(0) - g.left
		}
		g.step++
		if g.step >= len(g.current.steps) {
			return false
		}
		g.left = g.rowsOf(g.step)
	}
	return true
}

// rowsOf is how many rows a step of the current transaction changes.
func (g *Generator) rowsOf(step int) int {
	o := g.current
	if step == 0 && o.transactions > 0 && o.next == o.transactions { // already counted
		return o.last
	}
	return o.steps[step].Rows
}

// nextTransaction picks the operation whose transaction is next.
func (g *Generator) nextTransaction() bool {
	if g.s.Changes > 0 && g.changes >= g.s.Changes {
		return false
	}
	var first *operation
	for _, o := range g.operations {
		if first == nil || o.at < first.at {
			first = o
		}
	}
	if first.at == math.MaxInt64 || g.s.Duration > 0 && first.at >= g.s.Duration.Microseconds() {
		return false
	}
	g.current, g.now = first, first.at
	first.next++
	first.schedule()
	return true
}

func (g *Generator) begin(m *stream.Message) {
	m.Kind, m.TxLSN, m.Time, m.Xid = stream.KindBegin, g.commit, g.s.Start+stream.Timestamp(g.now), g.xid
	m.New, m.Old, m.OldKind = nil, nil, stream.OldNone
	m.Size = 1 + 8 + 8 + 4
	g.count(m)
}

func (g *Generator) end(m *stream.Message) {
	m.Kind, m.TxLSN, m.EndLSN, m.Time, m.Xid = stream.KindCommit, g.commit, g.commit+commitWALBytes, g.s.Start+stream.Timestamp(g.now), 0
	m.New, m.Old, m.OldKind = nil, nil, stream.OldNone
	m.Size = 1 + 1 + 8 + 8 + 8
	g.lsn = max(g.lsn, g.commit) + commitWALBytes
	if g.xid++; g.xid < 3 {
		g.xid = 3 // xids wrap around to FirstNormalTransactionId
	}
	g.count(m)
}

// count numbers a message and notes where it is in a raw stream.
func (g *Generator) count(m *stream.Message) {
	g.number++
	m.Number, m.Offset = g.number, g.offset
	if m.Kind == stream.KindBegin {
		g.size = 0
	} else if g.size += int64(m.Size); g.size > decodingWorkMem && g.s.Streaming != "off" && !g.large {
		g.large = true
		g.Assumed = append(g.Assumed, "transactions of more than 64 MB (logical_decoding_work_mem) are sent whole, though the subscription may ask for streaming")
	}
	g.offset += int64(m.Size) + 1
}

// describe makes the messages that come before a table's first change.
func (g *Generator) describe(s *source, m *stream.Message) bool {
	if s.sent {
		return false
	}
	m.Xid, m.New, m.Old, m.OldKind = 0, nil, nil, stream.OldNone
	if s.described < len(s.types) {
		m.Kind, m.Type = stream.KindType, s.types[s.described]
		s.described++
		m.Size = len(stream.AppendType(nil, 0, m.Type))
	} else {
		m.Kind, m.Relation = stream.KindRelation, s.relation
		m.Size = len(stream.AppendRelation(nil, 0, m.Relation))
		s.sent = true
	}
	g.count(m)
	return true
}

// SkipLoad takes the rows before the run for loaded. It must come before Next.
func (g *Generator) SkipLoad() {
	for _, s := range g.sources {
		s.rows.n = s.preset
	}
}

// change makes the message of one change.
func (g *Generator) change(p *step, m *stream.Message) {
	s := p.source
	switch p.Do {
	case Insert:
		row := s.rows.add()
		for _, c := range s.columns {
			switch {
			case c.slot < 0:
			case c.Kind == Time || c.Kind == UUIDv7:
				s.rows.set(row, c.slot, uint64(g.now)+1)
			case c.Kind == Monotone:
				c.next++
				s.rows.set(row, c.slot, c.next)
			}
		}
		g.insertMessage(s, row, m)
	case Update:
		row := p.pick()
		m.Kind, m.RelationID, m.Xid = stream.KindUpdate, s.relation.ID, 0
		m.Old, m.OldKind = nil, stream.OldNone
		size := 1 + 4
		if s.identity == 'f' {
			g.tuple(s, s.old, row, false)
			m.Old, m.OldKind = s.old, stream.OldRow
		} else if p.key {
			g.tuple(s, s.old, row, true)
			m.Old, m.OldKind = s.old, stream.OldKey
		}
		if m.Old != nil {
			size += 1 + sizeOf(m.Old)
		}
		before := g.storedBefore(s, row)
		g.renew(s, row, p.change)
		g.tuple(s, s.row, row, false)
		if s.stored != nil {
			s.stored.update(s, row, before, p.change)
		}
		m.New = s.row
		m.Size = size + 1 + sizeOf(m.New)
	case Delete:
		row := p.pick()
		m.Kind, m.RelationID, m.Xid, m.New = stream.KindDelete, s.relation.ID, 0, nil
		m.OldKind = stream.OldKey
		if s.identity == 'f' {
			m.OldKind = stream.OldRow
		}
		g.tuple(s, s.old, row, m.OldKind == stream.OldKey)
		m.Old = s.old
		m.Size = 1 + 4 + 1 + sizeOf(m.Old)
		s.rows.remove(row)
	}
}

func contains(list []int, n int) bool {
	for _, x := range list {
		if x == n {
			return true
		}
	}
	return false
}

func (g *Generator) insertMessage(s *source, row int64, m *stream.Message) {
	g.tuple(s, s.row, row, false)
	if s.stored != nil {
		s.stored.insert(s, row)
	}
	m.Kind, m.RelationID, m.Xid, m.New, m.Old, m.OldKind = stream.KindInsert, s.relation.ID, 0, s.row, nil, stream.OldNone
	m.Size = 1 + 4 + 1 + sizeOf(m.New)
}

// sizeOf is a tuple's size in a message.
func sizeOf(t stream.Tuple) int {
	n := 2
	for i := range t {
		n++
		if f := t[i].Format; f == stream.ColumnText || f == stream.ColumnBinary {
			n += 4 + len(t[i].Data)
		}
	}
	return n
}

// tuple writes a row as it is now, or only its key.
func (g *Generator) tuple(s *source, t stream.Tuple, row int64, key bool) {
	draw := g.draw(s, row)
	for i, c := range s.columns {
		if key && !c.key {
			t[i] = stream.Column{Format: stream.ColumnNull}
			continue
		}
		version := uint64(0)
		if c.slot >= 0 {
			version = s.rows.get(row, c.slot)
		}
		t[i] = g.value(c, s, row, version, draw, &g.arena)
	}
}

// value is a column's value in a row, by the row's draw; its text goes to an arena.
func (g *Generator) value(c *column, s *source, row int64, version, draw uint64, arena *[]byte) stream.Column {
	if c.isNull(row, version+draw<<drawShift) {
		return stream.Column{Format: stream.ColumnNull}
	}
	var v uint64
	var at int64
	if c.Kind == Time || c.Kind == UUIDv7 {
		at = int64(g.s.Start)
		if version > 0 {
			at += int64(version - 1)
		} else {
			at -= (s.preset - row) * s.interval
		}
		v = mix(uint64(row)<<20 ^ version)
	} else {
		v = c.indexOf(row, version, draw)
	}
	format := stream.ColumnText
	if g.s.Binary {
		format = stream.ColumnBinary
	}
	from := len(*arena)
	*arena = c.appendValue(*arena, v, at, row)
	if c.send {
		text := len(*arena)
		sent, err := c.sent(*arena, (*arena)[from:])
		if err != nil {
			panic("a value that cannot be sent: " + err.Error()) // one was tried before
		}
		*arena, from = sent, text
	}
	return stream.Column{Format: format, Data: (*arena)[from:len(*arena):len(*arena)]}
}

// pick chooses a row that is there.
func (p *step) pick() int64 {
	r := &p.source.rows
	n := r.remaining()
	switch p.Which {
	case Zipfian:
		return p.hot(r, n)
	case Recent:
		return r.nth(n - 1 - int64(p.rank(n)))
	case Oldest:
		if p.Do == Delete {
			return r.nth(0)
		}
		for {
			if p.cursor >= r.n {
				p.cursor = 0
			}
			if p.cursor++; !r.isGone(p.cursor - 1) {
				return p.cursor - 1
			}
		}
	case Range:
		from := int64(float64(p.From * float64(n)))
		to := max(int64(float64(p.To*float64(n))), from+1)
		return r.nth(min(from+int64(scale(p.rng.Uint64(), uint64(to-from))), n-1))
	}
	return r.nth(int64(scale(p.rng.Uint64(), uint64(n))))
}

// rank draws a rank below n. What depends on n is made anew only when n has grown or
// shrunk by an eighth: meanwhile ranks beyond n are drawn again.
func (p *step) rank(n int64) uint64 {
	if p.zipf == nil || n > p.zipfN || n < p.zipfN-p.zipfN/4 {
		p.zipfN = n + n/8
		p.zipf = newZipf(p.zipfN, p.Zipf)
	}
	for {
		if k := p.zipf.draw(&p.rng); k < uint64(n) {
			return k
		}
	}
}

// hot draws a row by a skew that stays with the row: a rank leads to a row by its hash,
// again and again until that is a row which is there. So hot rows are anywhere in the
// table, and most stay hot while it grows.
func (p *step) hot(r *rows, n int64) int64 {
	k := p.rank(n)
	mask := uint64(1)
	for int64(mask) < r.n {
		mask <<= 1
	}
	h := k
	for range 64 {
		h = mix(h)
		if row := int64(h & (mask - 1)); row < r.n && !r.isGone(row) {
			return row
		}
	}
	return r.nth(int64(scale(h, uint64(n))))
}
