package synccommit

import "math"

// never is a time that does not come.
var never = math.Inf(1)

// client is a client with its backend.
type client struct {
	number int
	txn    *txn
	open   bool // its transaction is open, which is what commit_siblings counts
}

// txn is a transaction that has begun. Times are seconds.
type txn struct {
	kind     int
	client   *client
	lsn      float64 // the end of its commit record
	begun    float64
	inserted float64 // its commit record
	flushed  float64
	answered float64 // its client was told
	waits    bool    // for a standby
	warned   bool    // its wait was cancelled
	passed   []passage
}

// passage is when a transaction came to each place of a standby.
type passage struct{ arrived, written, flushed, replayed float64 }

// publisher is the publisher's WAL.
type publisher struct {
	inserted, flushed float64
	flushing          bool
	waiting           []*txn // for a flush
	released          [RemoteApply + 1]float64
	queue             []*txn // waits for standbys
	open              int    // transactions
	txns              []*txn // that are not yet everywhere, by LSN
}

// begin begins a client's next transaction.
func (r *run) begin(c *client) {
	x := &txn{kind: r.kind(), client: c, begun: r.t, answered: never}
	c.txn, c.open = x, true
	r.open++
	r.work(0, r.vary(r.Transactions[x.kind].Execute), func() { r.commit(x) })
}

// commit inserts a transaction's commit record.
func (r *run) commit(x *txn) {
	r.inserted += r.Transactions[x.kind].WAL
	x.lsn, x.inserted = r.inserted, r.t
	x.passed = make([]passage, len(r.standbys))
	r.txns = append(r.txns, x)
	r.ledger.wrote(r)
	if r.Level == Off {
		r.answer(x)
		if math.Floor(r.inserted/walPage)-math.Floor(r.flushed/walPage) >= r.WriterFlushAfter/walPage {
			r.writer(true)
		}
		return
	}
	r.waiting = append(r.waiting, x)
	r.flush()
}

// walPage is XLOG_BLCKSZ.
const walPage = 8192

// flush has the first of those who wait flush, unless a flush is on its way.
func (r *run) flush() {
	if r.flushing || len(r.waiting) == 0 {
		return
	}
	r.flushing = true
	if r.CommitDelay > 0 && r.open-1 >= r.CommitSiblings { // the leader itself is open, too
		r.after(r.CommitDelay, func() { r.flushTo(r.inserted) })
		return
	}
	r.flushTo(r.inserted)
}

// flushTo flushes.
func (r *run) flushTo(target float64) {
	r.tally.flushes++
	r.after(r.vary(r.Flush), func() {
		r.flushing = false
		r.flushed = max(r.flushed, target)
		r.ledger.flushed(r)
		var left []*txn
		for _, x := range r.waiting {
			if x.lsn > r.flushed {
				left = append(left, x)
				continue
			}
			x.flushed = r.t
			r.settled(x)
		}
		r.waiting = left
		for _, s := range r.standbys {
			r.send(s)
		}
		r.flush()
	})
}

// settled has a transaction whose WAL is flushed go on: to its client, or to wait.
func (r *run) settled(x *txn) {
	if r.Level <= Local || r.Names.Count == 0 || x.lsn <= r.released[r.Level] {
		r.answer(x)
		return
	}
	x.waits = true
	r.queue = append(r.queue, x)
	if r.CancelAfter > 0 {
		r.after(r.CancelAfter, func() {
			if x.waits {
				x.warned = true
				r.tally.cancelled++
				r.unqueue(x)
				r.answer(x)
			}
		})
	}
}

func (r *run) unqueue(x *txn) {
	for i, y := range r.queue {
		if y == x {
			r.queue = append(r.queue[:i:i], r.queue[i+1:]...)
		}
	}
	x.waits = false
}

// release lets those go on who have waited for up to a position.
func (r *run) release(level Level, to float64, by *standby) {
	if to <= r.released[level] {
		return
	}
	if r.released[level] = to; level != r.Level {
		return
	}
	var left []*txn
	for _, x := range r.queue {
		if x.lsn > to {
			left = append(left, x)
			continue
		}
		x.waits = false
		r.tally.stages(r, x, by)
		r.after(r.Work.Answer, func() { r.answer(x) })
	}
	r.queue = left
}

// answer tells a client that its transaction has committed.
func (r *run) answer(x *txn) {
	c := x.client
	c.open = false
	r.open--
	x.answered = r.t
	if r.t >= r.WarmUp {
		r.done++
	}
	r.tally.answered(r, x)
	r.ledger.answered(r, x)
	r.after(r.Trip, func() { r.begin(c) })
}

// wakeWriter has the WAL writer come after wal_writer_delay.
func (r *run) wakeWriter() {
	r.after(r.WriterDelay, func() {
		if r.writer(false) {
			r.after(r.Flush, r.wakeWriter)
			return
		}
		r.wakeWriter()
	})
}

// writer has the WAL writer look whether there is something to flush. urgent says that a
// commit has woken it up. It returns whether there was.
func (r *run) writer(urgent bool) bool {
	target := math.Floor(r.inserted/walPage) * walPage
	if target <= r.flushed {
		target = r.inserted
	}
	// Transactions that wait have their own flush; with synchronous commits there is only
	// what they will flush at once.
	if target <= r.flushed || r.flushing || r.Level != Off || urgent && target-r.flushed < r.WriterFlushAfter {
		return false
	}
	r.flushing = true
	r.flushTo(target)
	return true
}
