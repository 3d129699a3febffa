package synccommit

import "math"

// appliedMessage is told that a subscription's worker has applied what a message brought.
func (r *run) appliedMessage(s *standby, to float64, epoch int) {
	done := func() {
		if epoch != s.epoch || s.away {
			return
		}
		for i := r.lookup(s.written); i < len(r.txns) && r.txns[i].lsn <= to; i++ {
			x := r.txns[i]
			if !s.SynchronousCommit {
				s.localEnd += r.Transactions[x.kind].Standbys[s.number].WAL
				s.pending = append(s.pending, local{x.lsn, s.localEnd})
			}
			r.replayedTo(s, x)
		}
		r.wrote(s, to)
		if s.SynchronousCommit {
			r.flushedTo(s, to)
		}
		r.receiveMore(s, epoch)
	}
	if s.SynchronousCommit {
		r.after(r.vary(s.Flush), done)
		return
	}
	done()
}

// subscriberIdle is what a subscription's worker does when it has applied all that has
// come: it tells that. As long as something is not flushed it looks again after
// wal_writer_delay. Source: REL_18_1, src/backend/replication/logical/worker.c,
// LogicalRepApplyLoop.
func (r *run) subscriberIdle(s *standby, epoch int) {
	r.reply(s, epoch, s.replayed != s.told.replayed, func() {
		if len(s.inbox) > 0 {
			r.receiveMore(s, epoch)
			return
		}
		s.receiving = false
		if len(s.pending) == 0 {
			return
		}
		s.naps++
		nap := s.naps
		r.after(r.WriterDelay, func() {
			if nap == s.naps && epoch == s.epoch && !s.away && !s.receiving {
				r.receive(s)
			}
		})
	})
}

// subscriberWriter is a subscriber's WAL writer: it comes every wal_writer_delay and
// flushes whole pages, or all if there is no new one.
func (r *run) subscriberWriter(s *standby) {
	r.after(r.WriterDelay, func() {
		target := math.Floor(s.localEnd/walPage) * walPage
		if target <= s.localFlushed {
			target = s.localEnd
		}
		if target <= s.localFlushed || s.away {
			r.subscriberWriter(s)
			return
		}
		epoch := s.epoch
		r.after(r.vary(s.Flush), func() {
			if epoch == s.epoch && !s.away {
				s.localFlushed = target
				n := 0
				for n < len(s.pending) && s.pending[n].end <= target {
					n++
				}
				if n > 0 {
					r.flushedTo(s, s.pending[n-1].lsn)
					s.pending = s.pending[n:]
				}
			}
			r.subscriberWriter(s)
		})
	})
}
