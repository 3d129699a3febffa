package timeline

import (
	"math"

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

// least is so little, in seconds or parts of a whole, that it counts as nothing: a day's
// seconds are not told apart to 1e-11.
const least = 1e-9

// step moves one stage, if it needs no time for it, and notes whether it has caught up.
func (r *Run) step(c *consumer, k int) bool {
	s := &c.stage[k]
	p := &r.axis.pieces[s.piece]
	last := len(r.axis.pieces) - 1
	beyond, ahead := s.piece < last, r.t // whether the stage before has gone on from here, and where it is if not
	if k > send {
		u := &c.stage[k-1]
		beyond, ahead = u.piece > s.piece, u.pos
	}
	end := p.to
	if p.lump != nil {
		end = 1
		if k == send {
			ahead = 1
		}
	}
	if k == send && s.piece == last && p.lump == nil {
		ahead = r.t
	}
	wait := k == apply && p.work[c.number].Wait > 0
	if s.density == 0 && !wait && !(k == send && c.debt > 0) {
		to := ahead
		if beyond {
			to = end
		}
		if s.pos < to {
			r.moved(c, k, to-s.pos)
			s.pos = to
		}
	}
	eps := max(least, float64(0.1*least*s.rate))
	if p.lump == nil {
		eps = float64(1e-11*max(1, s.pos)) + float64(0.1*least*s.rate)
	}
	if beyond && s.pos >= end-eps {
		s.pos = end // rounding may have left it short of that, and waits asks
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
	s.caught = !beyond && s.pos >= ahead-eps
	if s.caught && k > send {
		s.pos = max(s.pos, ahead)
	} else if s.caught && p.lump == nil {
		s.pos = r.t
	}
	return false
}

// leave is told that a stage has come to the end of a piece.
func (r *Run) leave(c *consumer, k int, p *piece) {
	if p.lump == nil {
		return
	}
	switch {
	case k == send && p.lump.running:
		r.sawRunning(c, p)
	case k == apply && p.lump.commit:
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
			if x := &r.Sources[p.lump.source].Costs[c.number]; x.Apply+x.Wait > 0 {
				c.writing = x.WAL / (x.Apply + x.Wait)
			}
		}
	}
}

// next is when the next event is, at the latest at end.
func (r *Run) next(end float64) float64 {
	at := end
	soon := func(t float64) {
		if t < at {
			at = t
		}
	}
	soon(r.sample)
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
	for _, c := range r.consumers {
		if c.stopping < len(c.Stopped) {
			p := c.Stopped[c.stopping]
			if c.stopped {
				soon(p.Until)
			} else {
				soon(p.From)
			}
		}
		if c.stopped || c.lost {
			continue
		}
		for k := range c.stage {
			r.stageEvents(c, k, soon)
		}
		if c.debt > 0 {
			soon(r.t + c.debt/c.share[send])
		}
		if c.backlog > 0 && c.parallel > 0 {
			if net := c.parallel - r.passing(c); net > 0 {
				soon(r.t + c.backlog/net)
			}
		}
		if a := &c.stage[apply]; len(c.gaps) > 0 && a.rate > 0 {
			// Keepalives end, or begin again, on the worker's way.
			if speed := float64(a.rate * r.axis.pieces[a.piece].perS); speed > 0 {
				at := r.position(a)
				for _, to := range [2]float64{c.gaps[0].from, c.gaps[0].until} {
					if to > at+1e-2 {
						soon(r.t + (to-at)/speed)
					}
				}
			}
		}
		if grows := r.filling(c); !c.full && grows > 0 && r.Network.Buffer > 0 {
			soon(r.t + max(r.Network.Buffer-c.flying, 0)/grows)
		}
	}
	return at
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

// stageEvents finds when a stage comes to the end of its piece or catches up.
func (r *Run) stageEvents(c *consumer, k int, soon func(float64)) {
	s := &c.stage[k]
	if s.rate == 0 {
		return
	}
	p := &r.axis.pieces[s.piece]
	end := p.to
	if p.lump != nil {
		end = 1
	}
	last := len(r.axis.pieces) - 1
	upPiece, upPos, upRate := last, r.t, 1.0
	if k > send {
		u := &c.stage[k-1]
		upPiece, upPos, upRate = u.piece, u.pos, u.rate
	}
	if upPiece > s.piece || p.lump != nil && k == send {
		soon(r.t + (end-s.pos)/s.rate)
		return
	}
	if !s.caught && s.rate > upRate {
		soon(r.t + (upPos-s.pos)/(s.rate-upRate))
	}
}

// advance goes on to a moment.
func (r *Run) advance(to float64) {
	dt := to - r.t
	for _, c := range r.consumers {
		if c.stopped || c.lost {
			continue
		}
		fills := r.filling(c)
		for k := range c.stage {
			s := &c.stage[k]
			if s.rate == 0 {
				continue
			}
			by := float64(s.rate * dt)
			r.moved(c, k, by)
			s.pos += by
		}
		if c.parallel > 0 {
			if c.backlog -= float64(dt * c.parallel); c.backlog < least {
				c.backlog = 0
			}
		}
		if c.debt > 0 {
			if c.debt -= float64(dt * c.share[send]); c.debt < least {
				c.debt = 0
			}
		}
		if b := r.Network.Buffer; b > 0 && !c.full && fills > 0 && c.flying >= b*(1-least) {
			c.full = true
		}
	}
	r.xid += float64(dt * r.xidPerS)
	r.t = to
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
	at := r.position(&c.stage[apply])
	if p := &r.axis.pieces[c.stage[apply].piece]; p.delay != nil && !c.falls(apply) && !c.falls(send) {
		at -= min(float64(p.perS*p.delay[c.number]), at-p.wal)
	}
	c.replayed = max(c.replayed, at)
	if n := len(c.history); n == 0 || c.history[n-1].t < r.t {
		c.history = append(c.history, mark{r.t, at})
	} else {
		c.history[n-1].pos = at
	}
	since := r.t - r.flushDelay(c)
	drop := 0
	for drop+1 < len(c.history) && c.history[drop+1].t <= since {
		drop++
	}
	if drop > 0 && (drop > 64 || drop*2 > len(c.history)) {
		c.history = append(c.history[:0], c.history[drop:]...)
		drop = 0
	}
	if c.stopped || c.lost || c.silent {
		return
	}
	flushed := c.history[drop].pos
	if drop+1 < len(c.history) && c.history[drop].t < since {
		a, b := c.history[drop], c.history[drop+1]
		flushed += float64((b.pos - a.pos) * ((since - a.t) / (b.t - a.t)))
	} else if c.history[drop].t > since {
		flushed = c.reported[1]
	}
	c.reported[0] = max(c.reported[0], at)
	c.reported[1] = max(c.reported[1], min(flushed, at))
	c.slot.Confirm(r.lsn(c.reported[1]))
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

// inf is no time at all.
var inf = math.Inf(1)
