package timeline

import (
	"math"
	"slices"

	"applysim/wal"
)

// settle moves stages on that need no time for it: over the ends of pieces, and where
// there is nothing to do for them.
func (r *Run) settle() {
	for _, c := range r.consumers {
		if c.stopped || c.lost {
			continue
		}
		for moved := true; moved; {
			moved = false
			r.densities(c)
			for k := range c.stage {
				if r.step(c, k) {
					moved = true
					break // what lies ahead may take something else
				}
			}
		}
	}
}

// least is so little CPU, in seconds, that it counts as nothing.
const least = 1e-9

// step moves one stage, if it needs no time for it, and notes whether it has caught up.
//
// Positions are compared as they are: a stage that comes to the end of a piece, or to the
// stage before it, was placed exactly there (reached), and stages that go on together have
// the same position (advance).
func (r *Run) step(c *consumer, k int) bool {
	s := &c.stage[k]
	p := &r.axis.pieces[s.piece]
	beyond, ahead := r.before(c, k)
	end := p.end()
	wait := k == apply && p.work[c.number].Wait > 0
	if s.density == 0 && !wait && !(k == send && c.debt > 0) {
		to := ahead
		if beyond {
			to = end
		}
		r.place(c, k, max(s.pos, to))
	}
	if beyond && s.pos >= end {
		if k == apply && r.waits(c) {
			s.caught = false
			return false
		}
		r.leave(c, k, p)
		s.piece++
		q := &r.axis.pieces[s.piece]
		if s.pos = q.from; q.lump != nil {
			s.pos = 0
		}
		return true
	}
	s.caught = !beyond && s.pos >= ahead
	return false
}

// end is the position at which a piece ends.
func (p *piece) end() float64 {
	if p.lump != nil {
		return 1
	}
	return p.to
}

// before says whether the stage before stage k, or the WAL, has gone on beyond its piece,
// and where it is if not.
func (r *Run) before(c *consumer, k int) (beyond bool, at float64) {
	s := &c.stage[k]
	if k > send {
		u := &c.stage[k-1]
		return u.piece > s.piece, u.pos
	}
	if r.axis.pieces[s.piece].lump != nil {
		return true, 1 // after a lump the WAL always goes on
	}
	return s.piece < len(r.axis.pieces)-1, r.t
}

// place moves a stage within its piece.
func (r *Run) place(c *consumer, k int, pos float64) {
	s := &c.stage[k]
	if pos != s.pos {
		r.moved(c, k, pos-s.pos)
		s.pos = pos
	}
}

// leave is told that a stage has come to the end of a piece.
func (r *Run) leave(c *consumer, k int, p *piece) {
	if p.lump == nil {
		return
	}
	switch {
	case k == send && p.lump.running:
		r.sawRunning(c, p)
	case k == apply && !p.lump.commit && !p.lump.running && c.Streaming != Off:
		if l := p.lump.txn; l.taken[c.number] == 0 {
			c.streamed = append(c.streamed, l)
		}
		p.lump.txn.taken[c.number] += p.lump.parts[c.number]
	case k == apply && p.lump.commit:
		c.streamed = slices.DeleteFunc(c.streamed, func(l *large) bool { return l == p.lump.txn })
		c.applied += p.lump.changes
		c.wrote += p.work[c.number].WAL
	}
}

// moved is told that a stage has moved within a piece.
func (r *Run) moved(c *consumer, k int, by float64) {
	p := &r.axis.pieces[c.stage[k].piece]
	w := &p.work[c.number]
	switch k {
	case send:
		c.flying += float64(by * w.Bytes)
	case apply:
		c.flying = max(c.flying-float64(by*w.Bytes), 0)
		if p.lump == nil {
			c.applied += float64(by * p.changes)
			c.wrote += float64(by * w.WAL)
		} else if r.passed(c, p) {
			c.backlog += float64(by * w.Apply)
			r.passes(c, p)
		}
	}
}

// passes notes how much WAL a consumer's parallel workers write with what it passes on now.
func (r *Run) passes(c *consumer, p *piece) {
	if x := &r.Sources[p.lump.source].Costs[c.number]; x.Apply+x.Wait > 0 {
		c.writing = x.WAL / (x.Apply + x.Wait)
	}
}

// arrival is something that a consumer comes to: its state is set to what it is there,
// whatever rounding has made of it, so that nothing is come to twice.
type arrival struct {
	t     float64
	what  what
	c     *consumer
	stage int
}

// what a consumer comes to.
type what int

const (
	pieceEnd    what = iota // a stage to the end of its piece
	stageBefore             // a stage to the one before it
	debtPaid                // the walsender has read again what it had to
	backlogDone             // parallel workers have done what they were given
	gapFrom                 // the worker to WAL without keepalives
	gapUntil                // and to its end
	bufferFull              // what is on its way fills the buffer
	replays                 // the worker to more than it had replayed before
	confirmed               // what it confirms to what its slot waits for
)

// next is when the next event is, at the latest at end.
func (r *Run) next(end float64) float64 {
	at := end
	soon := func(t float64) {
		if t < at {
			at = t
		}
	}
	soon(r.snapshot)
	if r.t < r.Duration {
		soon(r.Duration)
		for i := range r.sources {
			soon(r.sources[i].until)
			soon(r.sources[i].begin)
		}
	}
	for _, l := range r.running {
		soon(l.commits)
		part, _ := r.part(l)
		soon(part)
	}
	soon(r.keepEvents())
	r.arrivals = r.arrivals[:0]
	for _, c := range r.consumers {
		if c.stopping < len(c.Stopped) && !c.lost {
			p := c.Stopped[c.stopping]
			if c.stopped {
				soon(p.Until)
			} else {
				soon(p.From)
			}
		}
		if !c.stopped && !c.lost {
			r.arrive(c)
		}
	}
	for i := range r.arrivals {
		soon(r.arrivals[i].t)
	}
	return at
}

// arrive finds what a consumer comes to next, if its rates stay as they are.
func (r *Run) arrive(c *consumer) {
	comes := func(left, rate float64, w what, stage int) {
		if rate > 0 {
			r.arrivals = append(r.arrivals, arrival{r.t + max(left, 0)/rate, w, c, stage})
		}
	}
	for k := range c.stage {
		s := &c.stage[k]
		if s.rate == 0 {
			continue
		}
		beyond, ahead := r.before(c, k)
		if beyond {
			comes(r.axis.pieces[s.piece].end()-s.pos, s.rate, pieceEnd, k)
			continue
		}
		rate := 1.0
		if k > send {
			rate = c.stage[k-1].rate
		}
		if !s.caught {
			comes(ahead-s.pos, s.rate-rate, stageBefore, k)
		}
	}
	if c.debt > 0 {
		comes(c.debt, c.share[send], debtPaid, send)
	}
	if c.backlog > 0 {
		comes(c.backlog, c.parallel-r.passing(c), backlogDone, apply)
	}
	a := &c.stage[apply]
	speed := float64(a.rate * r.axis.pieces[a.piece].perS)
	if len(c.gaps) > 0 && a.rate > 0 {
		// Keepalives end, or begin again, on the worker's way.
		at := r.position(a)
		switch g := c.gaps[0]; {
		case g.from > at:
			comes(g.from-at, speed, gapFrom, apply)
		case !math.IsInf(g.until, 1):
			comes(g.until-at, speed, gapUntil, apply)
		}
	}
	if left := c.replayed - r.done(c); left > float64(1e-12*max(speed*max(r.t, 1), r.written())) { // else it is rounding
		comes(left, speed, replays, apply)
	}
	if r.Network.Buffer > 0 && !c.full {
		comes(r.Network.Buffer-c.flying, r.filling(c), bufferFull, send)
	}
	if next := r.awaited(c); next >= 0 && !c.silent {
		r.arrivals = append(r.arrivals, arrival{r.confirms(c, next), confirmed, c, apply})
	}
}

// reached sets what has been come to, but for stages' positions, which advance sets.
func (r *Run) reached(e *arrival) {
	c := e.c
	switch e.what {
	case debtPaid:
		c.debt = 0
	case backlogDone:
		c.backlog = 0
	case gapFrom:
		c.gaps[0].from = r.position(&c.stage[apply])
	case gapUntil:
		c.gaps[0].until = r.position(&c.stage[apply])
	case bufferFull:
		c.full = true
	case confirmed:
		c.reported[1] = max(c.reported[1], r.awaited(c))
		c.reported[0] = max(c.reported[0], c.reported[1])
		c.replayed = max(c.replayed, c.reported[0])
		c.slot.Confirm(c.slot.Next(r.Settings.SegmentSize))
	}
}

// passing is how fast a leader passes work on, CPU seconds a second.
func (r *Run) passing(c *consumer) float64 {
	a := &c.stage[apply]
	p := &r.axis.pieces[a.piece]
	if !r.passed(c, p) {
		return 0
	}
	return float64(a.rate * p.work[c.number].Apply)
}

// filling is how fast the buffer fills, bytes a second.
func (r *Run) filling(c *consumer) float64 {
	s, a := &c.stage[send], &c.stage[apply]
	in := float64(s.rate * r.axis.pieces[s.piece].work[c.number].Bytes)
	return in - float64(a.rate*r.axis.pieces[a.piece].work[c.number].Bytes)
}

// advance goes on to a moment.
func (r *Run) advance(to float64) {
	dt := to - r.t
	r.t = to
	for i := range r.arrivals {
		if e := &r.arrivals[i]; e.t <= to && e.what <= stageBefore {
			e.c.stage[e.stage].lands = true
		}
	}
	for _, c := range r.consumers {
		if c.stopped || c.lost {
			continue
		}
		for k := range c.stage {
			s := &c.stage[k]
			if s.rate == 0 {
				continue
			}
			rate := 1.0
			if k > send {
				rate = c.stage[k-1].rate
			}
			// The stage before has moved already; none comes beyond it, or beyond a piece.
			beyond, most := r.before(c, k)
			if beyond {
				most = r.axis.pieces[s.piece].end()
			}
			pos := min(s.pos+float64(s.rate*dt), most)
			if s.lands || s.caught && s.rate == rate && !beyond {
				pos = most // it comes there now, or they go on together
			}
			s.lands = false
			r.place(c, k, max(pos, s.pos))
		}
		c.backlog = max(c.backlog-float64(dt*c.parallel), 0)
		c.debt = max(c.debt-float64(dt*c.share[send]), 0)
	}
	for i := range r.arrivals {
		if e := &r.arrivals[i]; e.t <= to && e.what > stageBefore {
			r.reached(e)
		}
	}
	r.xid += float64(dt * r.xidPerS)
	for _, c := range r.consumers {
		r.report(c)
	}
}

// position is the WAL position that a stage has come to.
func (r *Run) position(s *stage) float64 { return r.axis.pieces[s.piece].at(s.pos) }

// written time of a stage's position.
func (r *Run) lag(s *stage) float64 {
	p := &r.axis.pieces[s.piece]
	if p.lump != nil {
		return max(r.t-p.from, 0)
	}
	return max(r.t-s.pos, 0)
}

// report notes what a consumer has told the publisher.
func (r *Run) report(c *consumer) {
	c.replayed = max(c.replayed, r.done(c))
	at := c.replayed
	// Where done jumps, because what holds the worker back changes, there are two marks.
	if n := len(c.history); n < 2 || c.history[n-1].t < r.t || c.history[n-2].t < r.t && c.history[n-1].pos != at {
		c.history = append(c.history, mark{r.t, at})
	} else {
		c.history[n-1].pos = at
	}
	since := r.t - r.flushDelay(c)
	drop := 0
	for drop+1 < len(c.history) && c.history[drop+1].t <= r.t-r.slowest(c) {
		drop++
	}
	if drop > 64 || drop*2 > len(c.history) {
		c.history = append(c.history[:0], c.history[drop:]...)
	}
	if c.stopped || c.lost || c.silent {
		return
	}
	flushed := c.reported[1]
	for i := len(c.history) - 1; i >= 0; i-- {
		a := c.history[i]
		if a.t > since {
			continue
		}
		flushed = a.pos
		if i+1 < len(c.history) {
			b := c.history[i+1]
			flushed += float64((b.pos - a.pos) * ((since - a.t) / (b.t - a.t)))
		}
		break
	}
	c.reported[0] = max(c.reported[0], at)
	c.reported[1] = max(c.reported[1], min(flushed, at))
	c.slot.Confirm(r.lsn(c.reported[1]))
}

// done is the position up to which a consumer has applied the WAL, less what is still on
// its way where every stage keeps up.
func (r *Run) done(c *consumer) float64 {
	at := r.position(&c.stage[apply])
	if p := &r.axis.pieces[c.stage[apply].piece]; p.delay != nil && !c.falls(apply) && !c.falls(send) {
		at -= float64(p.perS * p.delay[c.number])
	}
	return at
}

// awaited is the position whose confirmation a consumer's slot waits for, -1 for none.
func (r *Run) awaited(c *consumer) float64 {
	next := c.slot.Next(r.Settings.SegmentSize)
	if next == 0 {
		return -1
	}
	return float64(next) - float64(r.Start) - 0.5 // from there on it is the nearest LSN
}

// confirms is when a consumer confirms a position, if its rates stay as they are.
func (r *Run) confirms(c *consumer, pos float64) float64 {
	d := r.flushDelay(c)
	for i := range c.history {
		b := c.history[i]
		if b.pos < pos {
			continue
		}
		if i > 0 && b.pos > pos {
			a := c.history[i-1]
			b.t = a.t + float64((b.t-a.t)*((pos-a.pos)/(b.pos-a.pos)))
		}
		return max(b.t+d, r.t)
	}
	a := &c.stage[apply]
	speed := float64(a.rate * r.axis.pieces[a.piece].perS)
	if speed == 0 {
		return inf
	}
	return r.t + (pos-r.done(c))/speed + d
}

// flushDelay is how long it takes on average until the publisher is told that a commit
// which the worker makes now is flushed.
//
// The WAL writer comes every wal_writer_delay. Where it finds a page that has become full
// since, it flushes up to the end of that page, and what is on the next one waits until it
// comes again; where it finds none, it flushes all that was committed. So a commit waits
// half of the delay, and once more the whole of it where it stands behind a full page: of p
// pages a delay that is 1 of 2p commits, of less than a page p of 2. Source: REL_18_1,
// src/backend/access/transam/xlog.c, XLogBackgroundFlush.
//
// The worker looks at what is flushed when it has applied the next transaction, or after
// wal_writer_delay. What it tells is the end of a transaction, so that WAL of others waits
// for the next one, too. Source: REL_18_1, src/backend/replication/logical/worker.c,
// LogicalRepApplyLoop, get_flush_position.
func (r *Run) flushDelay(c *consumer) float64 {
	if c.FlushDelay == 0 {
		return 0
	}
	p := &r.axis.pieces[c.stage[apply].piece]
	d := c.FlushDelay
	rate := float64(c.stage[apply].rate*p.work[c.number].WAL) + float64(c.parallel*c.writing) // bytes a second
	if pages := float64(rate*2*c.FlushDelay) / wal.WALPageSize; pages > 0 {
		d += float64(c.FlushDelay * min(pages, 1/pages))
	}
	if p.commits != nil && p.commits[c.number] > 0 {
		next := min(0.5/p.commits[c.number], c.FlushDelay)
		d += next + float64(next*min(r.OtherWAL/p.perS, 1))
	}
	return d
}

// slowest is the most that flushDelay can be.
func (r *Run) slowest(c *consumer) float64 { return float64(4 * c.FlushDelay) }

// inf is no time at all.
var inf = math.Inf(1)
