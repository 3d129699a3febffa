package stream

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// Source gives messages one after the other, io.EOF at the end.
type Source interface{ Next(m *Message) error }

// Executed is a stream in the order in which one session executed its transactions, which
// is that of their ids. A slot without two_phase sends a prepared transaction only when it
// commits, after others that have begun later.
type Executed struct {
	messages []Message
	next     int
	// TwoPhase says that the stream has transactions that were prepared: then it was in
	// that order.
	TwoPhase bool
}

// Execute reads a whole stream into memory. Descriptions of tables and types are put before
// the first change that needs them.
func Execute(in Source) (*Executed, error) {
	type transaction struct {
		xid      uint32
		messages []Message
	}
	var list []transaction
	e := &Executed{}
	relations, types := map[uint32]Message{}, map[uint32]Message{}
	open := false
	for {
		var m Message
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		m = m.Clone()
		if !open {
			// What belongs to no transaction stays behind the one before it.
			xid := uint32(0)
			if m.Kind == KindBegin || m.Kind == KindBeginPrepare {
				xid = m.Xid
			} else if len(list) > 0 {
				xid = list[len(list)-1].xid
			}
			list = append(list, transaction{xid: xid})
		}
		switch m.Kind {
		case KindBegin, KindBeginPrepare:
			open = true
			e.TwoPhase = e.TwoPhase || m.Kind == KindBeginPrepare
		case KindCommit, KindPrepare:
			open = false
		case KindRelation:
			if _, ok := relations[m.Relation.ID]; !ok {
				relations[m.Relation.ID] = m
			}
		case KindType:
			if _, ok := types[m.Type.ID]; !ok {
				types[m.Type.ID] = m
			}
		}
		t := &list[len(list)-1]
		t.messages = append(t.messages, m)
	}
	if !e.TwoPhase {
		slices.SortStableFunc(list, func(a, b transaction) int { return int(a.xid) - int(b.xid) })
	}
	described := map[uint32]bool{}
	describe := func(id uint32) {
		r, ok := relations[id]
		if !ok || described[id] {
			return
		}
		described[id] = true
		for _, c := range r.Relation.Columns {
			if y, ok := types[c.TypeID]; ok {
				e.messages = append(e.messages, y)
			}
		}
		e.messages = append(e.messages, r)
	}
	for _, t := range list {
		for _, m := range t.messages {
			switch m.Kind {
			case KindRelation:
				described[m.Relation.ID] = true
			case KindInsert, KindUpdate, KindDelete:
				describe(m.RelationID)
			case KindTruncate:
				for _, id := range m.RelationIDs {
					describe(id)
				}
			}
			e.messages = append(e.messages, m)
		}
	}
	return e, nil
}

// Next gives the next message.
func (e *Executed) Next(m *Message) error {
	if e.next == len(e.messages) {
		return io.EOF
	}
	*m = e.messages[e.next]
	e.next++
	return nil
}

// Clone copies a message with all that belongs to its reader.
func (m *Message) Clone() Message {
	c := *m
	for _, t := range []*Tuple{&c.New, &c.Old} {
		*t = slices.Clone(*t)
		for i := range *t {
			(*t)[i].Data = bytes.Clone((*t)[i].Data)
		}
	}
	c.RelationIDs = slices.Clone(c.RelationIDs)
	c.Prefix, c.Content, c.GID = bytes.Clone(c.Prefix), bytes.Clone(c.Content), bytes.Clone(c.GID)
	if c.Relation != nil {
		r := *c.Relation
		r.Columns = slices.Clone(r.Columns)
		c.Relation = &r
	}
	if c.Type != nil {
		y := *c.Type
		c.Type = &y
	}
	return c
}
