package apply_test

// Streamed transactions against a model of the publisher: blocks of several
// transactions in turn, subtransactions that are released or rolled back.

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"applysim/model/stream"
)

// openTx is a transaction that is open on the publisher.
type openTx struct {
	xid, slot int
	rows      map[int]string // as the transaction sees them: those of its slot
	changes   []stream.Message
	levels    []subTx // open subtransactions
	streamed  bool    // something was sent
	prepared  bool    // it waits for its second phase
	used      []int   // subtransactions that sent something and were released into the transaction itself
}

// subTx is a subtransaction.
type subTx struct {
	xid   int
	rows  map[int]string // when it began
	mark  int            // changes by then
	sent  bool
	below []int // released ones within it that sent something
}

// publisher makes up a stream, and what is left of it.
type publisher struct {
	twoPhase bool // some transactions are prepared first
	r        interface{ IntN(int) int }
	rows     map[int]string // committed
	open     []*openTx
	next     int
	messages []stream.Message // as streamed
	plain    []stream.Message // what was committed, in plain transactions
}

const slots, idsPerSlot = 4, 40

func (p *publisher) send(m ...stream.Message) { p.messages = append(p.messages, m...) }

// change makes up a change of a transaction.
func (p *publisher) change(x *openTx) stream.Message {
	id := x.slot*idsPerSlot + p.r.IntN(idsPerSlot)
	_, there := x.rows[id]
	value := strconv.Itoa(p.r.IntN(1000))
	switch {
	case !there:
		x.rows[id] = value
		return insert(1, strconv.Itoa(id), value)
	case p.r.IntN(3) > 0:
		x.rows[id] = value
		return update(1, strconv.Itoa(id), value)
	}
	delete(x.rows, id)
	return del(1, 'K', strconv.Itoa(id), null)
}

// begin opens a transaction on a slot that is free.
func (p *publisher) begin() *openTx {
	for slot := range slots {
		if slices.ContainsFunc(p.open, func(x *openTx) bool { return x.slot == slot }) {
			continue
		}
		p.next++
		x := &openTx{xid: p.next, slot: slot, rows: map[int]string{}}
		for id, v := range p.rows {
			if id/idsPerSlot == slot {
				x.rows[id] = v
			}
		}
		p.open = append(p.open, x)
		return x
	}
	return nil
}

// close ends a transaction.
func (p *publisher) close(x *openTx, commit bool) {
	p.open = slices.DeleteFunc(p.open, func(y *openTx) bool { return x == y })
	if !commit {
		return
	}
	for id := range p.rows {
		if id/idsPerSlot == x.slot {
			delete(p.rows, id)
		}
	}
	maps.Copy(p.rows, x.rows)
	p.plain = append(p.plain, tx(x.changes...)...)
}

// rollback rolls back the subtransactions from level on; all that sent something
// are named, the inner ones first.
func (p *publisher) rollback(x *openTx, level int) {
	for i := len(x.levels) - 1; i >= level; i-- {
		l := x.levels[i]
		for _, xid := range l.below {
			p.send(streamEnd(stream.KindStreamAbort, uint32(x.xid), uint32(xid)))
		}
		if l.sent {
			p.send(streamEnd(stream.KindStreamAbort, uint32(x.xid), uint32(l.xid)))
		}
	}
	l := x.levels[level]
	x.rows, x.changes, x.levels = l.rows, x.changes[:l.mark], x.levels[:level]
}

// phase is a message of two-phase commit.
func (p *publisher) phase(k stream.Kind, x *openTx) stream.Message {
	return stream.Message{Kind: k, Xid: uint32(x.xid), GID: fmt.Appendf(nil, "gid %d", x.xid)}
}

func (p *publisher) step() {
	if len(p.open) == 0 || len(p.open) < 3 && p.r.IntN(6) == 0 {
		x := p.begin()
		if p.r.IntN(4) == 0 { // a small transaction is not streamed
			for range 1 + p.r.IntN(4) {
				x.changes = append(x.changes, p.change(x))
			}
			if p.twoPhase && p.r.IntN(2) == 0 {
				p.send(p.phase(stream.KindBeginPrepare, x))
				p.send(x.changes...)
				p.send(p.phase(stream.KindPrepare, x))
				x.prepared = true
				return
			}
			p.send(tx(x.changes...)...)
			p.close(x, true)
		}
		return
	}
	x := p.open[p.r.IntN(len(p.open))]
	if x.prepared {
		switch p.r.IntN(8) {
		case 0:
			p.send(p.phase(stream.KindRollbackPrepared, x))
			p.close(x, false)
		case 1:
			p.send(p.phase(stream.KindCommitPrepared, x))
			p.close(x, true)
		}
		return
	}
	switch n := p.r.IntN(14); {
	case n < 6:
		var b []stream.Message
		for range 1 + p.r.IntN(6) {
			m := p.change(x)
			x.changes = append(x.changes, m)
			xid := x.xid
			if k := len(x.levels); k > 0 {
				xid = x.levels[k-1].xid
				x.levels[k-1].sent = true
			}
			b = append(b, in(uint32(xid), m))
		}
		p.send(block(uint32(x.xid), !x.streamed, b...)...)
		x.streamed = true
	case n < 9 && len(x.levels) < 4:
		p.next++
		x.levels = append(x.levels, subTx{xid: p.next, rows: maps.Clone(x.rows), mark: len(x.changes)})
	case n < 10 && len(x.levels) > 0:
		k := len(x.levels) - 1
		l := x.levels[k]
		x.levels = x.levels[:k]
		below := l.below
		if l.sent {
			below = append(below, l.xid)
		}
		if k > 0 {
			x.levels[k-1].below = append(x.levels[k-1].below, below...)
		} else {
			x.used = append(x.used, below...)
		}
	case n < 12 && len(x.levels) > 0:
		p.rollback(x, p.r.IntN(len(x.levels)))
	case n == 12 && x.streamed:
		if p.twoPhase && p.r.IntN(2) == 0 {
			p.send(p.phase(stream.KindStreamPrepare, x))
			x.prepared = true
			return
		}
		p.send(streamEnd(stream.KindStreamCommit, uint32(x.xid), 0))
		p.close(x, true)
	case n == 13 && x.streamed && p.r.IntN(3) == 0:
		if len(x.levels) > 0 {
			p.rollback(x, 0)
		}
		for _, xid := range x.used {
			p.send(streamEnd(stream.KindStreamAbort, uint32(x.xid), uint32(xid)))
		}
		p.send(streamEnd(stream.KindStreamAbort, uint32(x.xid), uint32(x.xid)))
		p.close(x, false)
	}
}

// A spooled transaction is one plain transaction without what was rolled back:
// the same records at the same places. Applied in parallel the rows are the same.
func TestStreamedTransactions(t *testing.T) {
	for seed := range uint64(12) {
		p := &publisher{r: newRand(seed), rows: map[int]string{}, next: 1000, twoPhase: seed%3 == 0}
		p.send(tx(insert(1, "1", "1"), del(1, 'K', "1", null))...) // the first one to commit is the oldest
		p.plain = append(p.plain, p.messages...)
		for range 400 {
			p.step()
		}
		for len(p.open) > 0 {
			x := p.open[0]
			switch {
			case x.prepared:
				p.send(p.phase(stream.KindCommitPrepared, x))
			case x.streamed:
				p.send(streamEnd(stream.KindStreamCommit, uint32(x.xid), 0))
			}
			p.close(x, x.prepared || x.streamed)
		}
		var want []string
		for id, v := range p.rows {
			want = append(want, fmt.Sprint(id, " ", v))
		}
		slices.Sort(want)

		run := func(parallel bool, messages []stream.Message) *subscriber {
			o := options()
			o.Parallel = parallel
			s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, v int); CREATE INDEX ON t (v);", o)
			s.apply(relation(1, "t", 'd', "id*", "v"))
			for i := range messages {
				if err := s.try(messages[i]); err != nil {
					t.Fatalf("seed %d, parallel %v: message %d: %v", seed, parallel, i, err)
				}
			}
			s.check()
			got := strings.Split(s.rows("t"), "; ")
			slices.Sort(got)
			if len(want) > 0 && !slices.Equal(got, want) {
				t.Fatalf("seed %d, parallel %v: rows %v\nexpected %v", seed, parallel, got, want)
			}
			if n := len(s.Counters.Conflicts); n > 0 {
				t.Errorf("seed %d, parallel %v: conflicts %v", seed, parallel, s.Counters.Conflicts)
			}
			if got := s.table("t").Heap.Live(); got != int64(len(want)) {
				t.Errorf("seed %d, parallel %v: n_live_tup %d, expected %d", seed, parallel, got, len(want))
			}
			return s
		}
		plain := run(false, p.plain)
		spooled := run(false, p.messages)
		run(true, p.messages)
		if p.twoPhase {
			continue // the order of the records is another one
		}
		if !slices.Equal(spooled.records, plain.records) || spooled.Log().LSN() != plain.Log().LSN() {
			t.Errorf("seed %d: a spooled transaction writes other records than a plain one", seed)
		}
	}
}

// The oldest transaction may be the last one to commit.
func TestOldestCommitsLast(t *testing.T) {
	o := options()
	o.Parallel = true
	o.NextXID = 703 // the last one of a group of 32
	s := subscribe(t, "CREATE TABLE t (id int PRIMARY KEY, v int);", o)
	s.apply(relation(1, "t", 'd', "id*", "v"))
	s.apply(block(9, true, in(9, insert(1, "1", "1")))...)
	for id := range 100 {
		s.apply(tx(insert(1, strconv.Itoa(id+2), "1"))...)
	}
	s.apply(streamEnd(stream.KindStreamCommit, 9, 0))
	s.apply(tx(update(1, "1", "2"))...)
	if c := s.table("t").Heap.Counters; c.HOTUpdates != 1 {
		t.Errorf("counters %+v", c)
	}
}
