package synccommit

// standby is a standby on its way, with the walsender that serves it.
type standby struct {
	*Standby
	number   int
	priority int

	connected bool // the publisher thinks so
	away      bool // it is lost
	streaming bool // it has caught up once since it connected
	epoch     int  // of its connection: what belongs to an older one is void
	heard     float64

	// The walsender.
	sent     float64
	sending  bool    // it is busy
	replies  []reply // that it has to look at
	wireFree float64

	// The walreceiver, or apply worker.
	inbox             []message
	receiving         bool
	arrived, written  float64 // positions
	flushed, replayed float64
	told              reply
	force             bool // something was replayed that should be told
	replied           float64

	// The startup process.
	replaying bool

	// A subscriber's WAL writer.
	pending                []local
	localEnd, localFlushed float64 // bytes of its WAL
	naps                   int

	known reply // what the publisher knows
}

// message is what a walsender has sent at a time: WAL up to a position.
type message struct {
	to, arrive float64
}

// reply is what a standby tells.
type reply struct{ written, flushed, replayed float64 }

// local is a transaction that a subscriber has applied and not yet flushed.
type local struct{ lsn, end float64 }

// maxSend is the most WAL that a message has. Source: REL_18_1,
// src/backend/replication/walsender.c, MAX_SEND_SIZE.
const maxSend = 16 * walPage

// MessageBytes are around a message's WAL: CopyData's type and length, then w, two
// positions and a time. Source: REL_18_1, src/backend/replication/walsender.c,
// XLogSendPhysical.
const MessageBytes = 1 + 4 + 1 + 8 + 8 + 8

func newStandby(s *Standby, number int) *standby {
	return &standby{Standby: s, number: number, connected: true, streaming: true}
}

// lookup finds the first transaction whose commit record ends after a position.
func (r *run) lookup(pos float64) int {
	low, high := 0, len(r.txns)
	for low < high {
		if mid := (low + high) / 2; r.txns[mid].lsn > pos {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// send has a walsender go on, unless it is busy or has nothing to do.
func (r *run) send(s *standby) {
	if s.sending || !s.connected {
		return
	}
	if len(s.replies) > 0 { // it looks at them first
		s.sending = true
		epoch := s.epoch
		r.work(0, r.Work.Hear, func() {
			if epoch != s.epoch {
				return
			}
			s.sending = false
			if len(s.replies) > 0 {
				told := s.replies[0]
				s.replies = s.replies[1:]
				r.hear(s, told)
			}
			r.send(s)
		})
		return
	}
	if r.flushed <= s.sent {
		return
	}
	first := r.lookup(s.sent)
	to := r.flushed
	takes := r.Work.Send
	bytes := to - s.sent
	if s.Logical { // a message for each transaction stands for all of its own
		to = r.txns[first].lsn
		cost := &r.Transactions[r.txns[first].kind].Standbys[s.number]
		if bytes = to - s.sent; cost.Bytes > 0 {
			bytes = cost.Bytes
		}
		takes += cost.Send
	} else {
		to = min(to, s.sent+maxSend)
		for i := first; i < len(r.txns) && r.txns[i].lsn <= to; i++ {
			takes += r.Transactions[r.txns[i].kind].Standbys[s.number].Send
		}
		bytes = to - s.sent + MessageBytes
	}
	s.sending = true
	epoch := s.epoch
	r.work(0, takes, func() {
		if epoch != s.epoch {
			return
		}
		s.sending, s.sent = false, to
		s.streaming = s.streaming || s.sent >= r.flushed
		leaves := r.t
		if s.Bandwidth > 0 {
			leaves = max(r.t, s.wireFree) + bytes/s.Bandwidth
			s.wireFree = leaves
		}
		r.tally.sent[s.number].add(bytes)
		if !s.away {
			r.at(leaves+float64(s.RoundTrip/2), func() {
				if epoch == s.epoch && !s.away {
					s.inbox = append(s.inbox, message{to: to, arrive: r.t})
					r.receive(s)
				}
			})
		}
		r.send(s)
	})
}

// receive has a walreceiver or apply worker go on, unless it is busy.
func (r *run) receive(s *standby) {
	if s.receiving || s.away {
		return
	}
	s.receiving = true
	r.receiveMore(s, s.epoch)
}

func (r *run) receiveMore(s *standby, epoch int) {
	if epoch != s.epoch || s.away {
		return
	}
	if len(s.inbox) == 0 {
		if s.Logical {
			r.subscriberIdle(s, epoch)
		} else {
			r.batchEnds(s, epoch)
		}
		return
	}
	m := s.inbox[0]
	s.inbox = s.inbox[1:]
	for i := r.lookup(s.arrived); i < len(r.txns) && r.txns[i].lsn <= m.to; i++ {
		r.txns[i].passed[s.number].arrived = m.arrive
	}
	takes := r.Work.Receive
	if s.Logical {
		for i := r.lookup(s.arrived); i < len(r.txns) && r.txns[i].lsn <= m.to; i++ {
			takes += r.Transactions[r.txns[i].kind].Standbys[s.number].Replay
		}
	}
	s.arrived = m.to
	r.work(s.Host, takes, func() {
		if epoch != s.epoch || s.away {
			return
		}
		if !s.Logical {
			r.wrote(s, m.to)
			r.receiveMore(s, epoch)
			return
		}
		r.appliedMessage(s, m.to, epoch)
	})
}

func (r *run) wrote(s *standby, to float64) {
	for i := r.lookup(s.written); i < len(r.txns) && r.txns[i].lsn <= to; i++ {
		r.txns[i].passed[s.number].written = r.t
	}
	s.written = to
	r.ledger.moved(r, s)
}

func (r *run) flushedTo(s *standby, to float64) {
	for i := r.lookup(s.flushed); i < len(r.txns) && r.txns[i].lsn <= to; i++ {
		r.txns[i].passed[s.number].flushed = r.t
	}
	s.flushed = max(s.flushed, to)
	r.ledger.moved(r, s)
}

func (r *run) replayedTo(s *standby, x *txn) {
	s.replayed = x.lsn
	x.passed[s.number].replayed = r.t
	r.ledger.moved(r, s)
}

// batchEnds is what a walreceiver does when it has taken all that has come.
func (r *run) batchEnds(s *standby, epoch int) {
	if s.written > s.flushed {
		r.reply(s, epoch, false, func() {
			to := s.written
			r.after(r.vary(s.Flush), func() {
				if epoch != s.epoch || s.away {
					return
				}
				r.flushedTo(s, to)
				r.replay(s)
				r.reply(s, epoch, false, func() { r.receiveMore(s, epoch) })
			})
		})
		return
	}
	if s.force {
		s.force = false
		r.reply(s, epoch, true, func() { r.receiveMore(s, epoch) })
		return
	}
	s.receiving = false
}

// reply sends a reply, unless there is nothing new in it.
func (r *run) reply(s *standby, epoch int, force bool, then func()) {
	if !force && s.written == s.told.written && s.flushed == s.told.flushed {
		then()
		return
	}
	r.work(s.Host, r.Work.Reply, func() {
		if epoch != s.epoch || s.away {
			return
		}
		told := reply{s.written, s.flushed, s.replayed}
		s.told, s.replied = told, r.t
		r.after(float64(s.RoundTrip/2), func() {
			if epoch == s.epoch && !s.away {
				s.replies = append(s.replies, told)
				r.send(s)
			}
		})
		then()
	})
}

// status has a standby reply when it has not done so for wal_receiver_status_interval. It
// matters where one standby stands in for another, and nothing new comes.
func (r *run) status(s *standby) {
	if s.StatusInterval <= 0 {
		return
	}
	due := s.replied + s.StatusInterval
	if due <= r.t {
		due = r.t + s.StatusInterval
		if !s.away && !s.receiving {
			s.force = true
			if s.Logical {
				s.told = reply{-1, -1, -1}
			}
			r.receive(s)
		}
	}
	r.at(due, func() { r.status(s) })
}

// replay has the startup process replay what is flushed.
func (r *run) replay(s *standby) {
	if s.replaying || s.away {
		return
	}
	s.replaying = true
	epoch := s.epoch
	r.work(s.Host, r.Work.Wake, func() { r.replayMore(s, epoch, false) })
}

func (r *run) replayMore(s *standby, epoch int, any bool) {
	if epoch != s.epoch || s.away {
		return
	}
	i := r.lookup(s.replayed)
	if i >= len(r.txns) || r.txns[i].lsn > s.flushed {
		s.replaying = false
		if any {
			r.tell(s) // it has come to the end of what there is
		}
		return
	}
	x := r.txns[i]
	r.work(s.Host, r.Transactions[x.kind].Standbys[s.number].Replay, func() {
		if epoch != s.epoch || s.away {
			return
		}
		done := func() {
			if epoch != s.epoch || s.away {
				return
			}
			r.replayedTo(s, x)
			if r.Level == RemoteApply {
				r.tell(s)
			}
			r.replayMore(s, epoch, true)
		}
		if wait := x.inserted + s.ApplyDelay - r.t; s.ApplyDelay > 0 && wait > 0 {
			r.after(wait, done)
			return
		}
		done()
	})
}

// tell asks the walreceiver to reply.
func (r *run) tell(s *standby) {
	s.force = true
	r.receive(s)
}

// hear is what a walsender makes of a reply.
func (r *run) hear(s *standby, told reply) {
	s.known, s.heard = told, r.t
	if !r.counts(s) {
		return
	}
	if pos, by, ok := r.synced(); ok {
		r.release(RemoteWrite, pos.written, by[0])
		r.release(On, pos.flushed, by[1])
		r.release(RemoteApply, pos.replayed, by[2])
	}
}

// counts says whether a standby is among those that are waited for.
func (r *run) counts(s *standby) bool {
	for _, x := range r.candidates() {
		if x == s {
			return true
		}
	}
	return false
}

// candidates are the standbys that are waited for: those of the list that are connected
// and have caught up, of a list with priorities no more than are needed. Source: REL_18_1,
// src/backend/replication/syncrep.c, SyncRepGetCandidateStandbys.
func (r *run) candidates() []*standby {
	var list []*standby
	for _, s := range r.standbys {
		if s.connected && s.streaming && s.priority > 0 {
			at := len(list)
			for r.Names.Method == First && at > 0 && list[at-1].priority > s.priority {
				at--
			}
			list = append(list, nil)
			copy(list[at+1:], list[at:])
			list[at] = s
		}
	}
	if r.Names.Method == First && len(list) > r.Names.Count {
		list = list[:r.Names.Count]
	}
	return list
}

// synced are the positions up to which enough standbys have written, flushed and
// replayed, and by which of them each is so.
func (r *run) synced() (pos reply, by [3]*standby, ok bool) {
	list := r.candidates()
	if len(list) < r.Names.Count {
		return pos, by, false
	}
	values := [3]*float64{&pos.written, &pos.flushed, &pos.replayed}
	for k := range values {
		of := func(s *standby) float64 { return [3]float64{s.known.written, s.known.flushed, s.known.replayed}[k] }
		sorted := append([]*standby(nil), list...)
		for i := range sorted { // the latest first; there are few
			for j := i; j > 0 && of(sorted[j]) > of(sorted[j-1]); j-- {
				sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
			}
		}
		by[k] = sorted[r.Names.Count-1]
		*values[k] = of(by[k])
	}
	return pos, by, true
}

// lose loses a standby.
func (r *run) lose(s *standby, l Loss) {
	s.away = true
	s.inbox, s.receiving, s.replaying, s.force = nil, false, false, false
	r.tally.happened(r, s, "lost")
	if l.How == Crash {
		r.disconnect(s)
		return
	}
	if r.SenderTimeout > 0 {
		epoch := s.epoch
		// Nothing is heard any more; what was under way arrives. Keepalives do not help.
		r.at(s.heard+r.SenderTimeout, func() {
			if epoch == s.epoch && s.away && s.connected {
				r.disconnect(s)
			}
		})
	}
}

// disconnect ends a walsender.
func (r *run) disconnect(s *standby) {
	s.connected, s.streaming, s.sending = false, false, false
	s.epoch++
	s.replies = nil
	r.tally.happened(r, s, "disconnected")
}

// back has a standby connect again. It goes on from what it has flushed.
func (r *run) back(s *standby) {
	s.away = false
	s.epoch++
	s.connected, s.streaming, s.sending = true, false, false
	s.replies, s.inbox, s.pending = nil, nil, nil
	s.localEnd = s.localFlushed
	s.arrived, s.written = s.flushed, s.flushed
	s.sent = s.flushed
	s.replayed = min(s.replayed, s.flushed)
	s.told, s.known = reply{}, reply{}
	s.heard = r.t
	s.wireFree = r.t
	s.streaming = s.sent >= r.flushed
	r.ledger.moved(r, s)
	r.tally.happened(r, s, "connected")
	r.replay(s)
	r.reply(s, s.epoch, true, func() {})
	r.send(s)
}
