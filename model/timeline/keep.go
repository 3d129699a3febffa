package timeline

import (
	"math"
	"slices"

	"applysim/model/slots"
	"applysim/wal"
)

// snapshotInterval is how often the background writer logs which transactions run.
// Source: REL_18_1, src/backend/postmaster/bgwriter.c, LOG_SNAPSHOT_INTERVAL_MS.
const snapshotInterval = 15

// checkpoint is where checkpoints are.
type checkpoint struct {
	began    float64 // the last one, seconds
	running  bool
	redo     float64 // position
	ended    float64 // position of the WAL when the last one ended
	segment  uint64  // of the WAL's end
	statuses []slots.Status
}

func (k *checkpoint) reset(r *Run, t float64) {
	k.began = t
	k.segment = r.Start / r.Settings.SegmentSize
}

// snapshots writes the running-xacts records that are due.
func (r *Run) snapshots() {
	for r.snapshot <= r.t {
		r.snapshot = r.t + snapshotInterval
		r.logRunning()
	}
}

// logRunning writes a running-xacts record, unless nothing was written since the last.
func (r *Run) logRunning() {
	at := r.written()
	if at <= r.logged {
		return
	}
	r.logged = at
	l := &lump{running: true, xid: r.nextXID()}
	for _, x := range r.running {
		if l.open == nil || x.begin < l.open.begin {
			l.open = x
		}
	}
	r.axis.put(r.t, piece{work: make([]Cost, len(r.consumers)), lump: l})
}

// sawRunning is told that a consumer's walsender has come to a running-xacts record.
func (r *Run) sawRunning(c *consumer, p *piece) {
	var open *slots.Open
	if l := p.lump.open; l != nil {
		open = &slots.Open{}
		if at := l.restart[c.number]; at >= 0 {
			open.Restart = r.lsn(at)
		}
	}
	c.snapshot = p.wal
	c.slot.Running(r.lsn(p.wal), open, p.lump.xid)
}

// comes is when the WAL comes to a position, if it goes on being written as now.
func (r *Run) comes(pos float64) float64 {
	left := pos - r.written()
	if left <= 0 {
		return r.t
	}
	rate := r.axis.open().perS
	if rate <= 0 {
		return inf
	}
	return r.t + left/rate
}

// keepEvents is when the next event of the WAL on disk is.
func (r *Run) keepEvents() float64 {
	k := &r.checkpoint
	at := r.comes(r.boundary())
	if k.running {
		return min(at, r.unhurried(), r.comes(r.spread()))
	}
	return min(at, k.began+r.Settings.CheckpointTimeout.Seconds())
}

// boundary is where the WAL's segment ends.
func (r *Run) boundary() float64 {
	return float64(float64(r.checkpoint.segment+1)*float64(r.Settings.SegmentSize)) - float64(r.Start)
}

// unhurried is when a checkpoint ends that the WAL does not hurry.
func (r *Run) unhurried() float64 {
	return r.checkpoint.began + float64(r.Settings.CompletionTarget*r.Settings.CheckpointTimeout.Seconds())
}

// spread is the position at which a checkpoint must have written its pages.
func (r *Run) spread() float64 {
	next := float64(r.server.CheckpointAt()) - float64(r.Start)
	return r.checkpoint.redo + float64(r.Settings.CompletionTarget*(next-r.checkpoint.redo))
}

// checkpoints begins and ends checkpoints, and looks after the segments.
func (r *Run) checkpoints() {
	k := &r.checkpoint
	written := r.written()
	r.server.Written = r.lsn(written)
	if segment := uint64(r.lsn(written)) / r.Settings.SegmentSize; segment > k.segment {
		k.segment = segment
	}
	// What is reached so soon that time cannot tell it is reached now.
	if r.comes(r.boundary()) <= r.t {
		k.segment++
	}
	r.server.Written = max(r.server.Written, wal.LSN(k.segment*r.Settings.SegmentSize))
	if k.running && (r.t >= r.unhurried() || r.comes(r.spread()) <= r.t) {
		r.endCheckpoint()
	}
	if !k.running {
		timed := r.t >= k.began+r.Settings.CheckpointTimeout.Seconds()
		if r.server.Written >= r.server.CheckpointAt() || timed {
			k.began = r.t
			if written > k.ended { // else there is nothing to do
				// Not r.lsn: rounding may have left it short of the segment's end.
				k.running, k.redo = true, float64(r.server.Written)-float64(r.Start)
				r.server.Redo = r.server.Written
				r.logRunning()
			}
		}
	}
	if r.Free > 0 && !r.full && float64(r.server.Size()) > r.Free+float64(r.Settings.SegmentSize) {
		r.full = true
		r.happened(DiskFull, nil, "")
	}
}

func (r *Run) endCheckpoint() {
	k := &r.checkpoint
	k.running, k.ended = false, r.written()
	for _, s := range r.server.Checkpoint(r.t, r.server.Redo) {
		for _, c := range r.consumers {
			if c.slot == s {
				c.lost = true
				r.happened(Invalidated, c, string(s.Invalidated))
			}
		}
	}
}

// statuses tells where wal_status has changed.
func (r *Run) statuses() {
	k := &r.checkpoint
	for i, c := range r.consumers {
		status, _ := r.server.Status(c.slot)
		if i >= len(k.statuses) {
			k.statuses = append(k.statuses, status)
		} else if k.statuses[i] != status {
			k.statuses[i] = status
			r.happened(WALStatus, c, string(status))
		}
	}
}

// stops stops and starts a consumer where that is due.
func (r *Run) stops(c *consumer) {
	for c.stopping < len(c.Stopped) && !c.lost {
		p := c.Stopped[c.stopping]
		switch {
		case !c.stopped && p.From <= r.t:
			r.stop(c)
		case c.stopped && p.Until <= r.t:
			c.stopping++
			r.start(c)
		default:
			return
		}
	}
}

// stop ends a consumer's processes. What was on its way is lost, and a transaction that
// has not ended is rolled back.
func (r *Run) stop(c *consumer) {
	c.stopped = true
	c.slot.Active, c.slot.InactiveSince = false, r.t
	a := &c.stage[apply]
	if r.axis.pieces[a.piece].lump != nil {
		a.pos = 0
	}
	for k := range c.stage {
		c.stage[k].piece, c.stage[k].pos = a.piece, a.pos
		c.stage[k].rate, c.stage[k].caught = 0, false
	}
	c.flying, c.backlog, c.full = 0, 0, false
	r.forget(c)
	r.happened(Stopped, c, "")
}

// forget has a consumer that is stopped lose what it has taken of transactions that have not
// ended: files and parallel workers go with its worker. They are sent once more, with the
// next of their parts.
func (r *Run) forget(c *consumer) {
	for _, l := range c.streamed {
		parts := l.taken[c.number]
		l.taken[c.number] = 0
		next := slices.IndexFunc(r.axis.pieces[c.stage[apply].piece:], func(p piece) bool { return p.lump != nil && p.lump.txn == l })
		if next < 0 {
			l.again[c.number] += parts
			continue
		}
		p := &r.axis.pieces[c.stage[apply].piece+next]
		p.work[c.number].add(r.partCost(l, c.number, parts))
		p.lump.parts[c.number] += parts
	}
	c.streamed = c.streamed[:0]
}

// start begins anew, at restart_lsn: what lies between it and the place from which it
// goes on is read once more.
func (r *Run) start(c *consumer) {
	c.stopped = false
	c.slot.Active = true
	c.snapshot = -1
	from := float64(c.slot.Restart) - float64(r.Start)
	for k := c.stage[send].piece; k >= 0; k-- {
		p := &r.axis.pieces[k]
		if p.lump != nil {
			continue
		}
		until := min(p.to, r.t)
		if k == c.stage[send].piece {
			until = c.stage[send].pos
		}
		since := p.from
		if p.perS > 0 {
			since = max(since, p.from+(from-p.wal)/p.perS)
		}
		if until > since {
			c.debt += float64(p.work[c.number].Read * (until - since))
		}
		if p.wal <= from {
			break
		}
	}
	r.happened(Started, c, "")
}

// limits finds what holds each consumer back.
func (r *Run) limits() {
	for _, c := range r.consumers {
		l := r.limitOf(c)
		r.hear(c)
		if l == c.limit {
			continue
		}
		c.limit = l
		r.happened(Limited, c, l.String())
		if l == KeepsUp {
			if c.behind >= 0 {
				r.happened(CaughtUp, c, "")
			}
			c.behind = -1
		} else if c.behind < 0 {
			c.behind = r.t
		}
	}
}

// hear finds whether a worker tells the publisher now how far it is: it does when it has
// no messages left, and where keepalives stand between them, which the walsender has sent
// when it had nothing else to send. Within a transaction it does not come to them.
func (r *Run) hear(c *consumer) {
	sent, at := r.position(&c.stage[send]), r.position(&c.stage[apply])
	n := len(c.gaps)
	behind := c.falls(send) && !c.stopped
	switch {
	case behind && (n == 0 || !math.IsInf(c.gaps[n-1].until, 1)):
		c.gaps = append(c.gaps, gap{sent, math.Inf(1)})
	case !behind && n > 0 && math.IsInf(c.gaps[n-1].until, 1):
		c.gaps[n-1].until = sent
	}
	for len(c.gaps) > 0 && c.gaps[0].until <= at {
		c.gaps = c.gaps[1:]
	}
	a := &c.stage[apply]
	within := r.axis.pieces[a.piece].lump != nil && (a.pos > 0 || a.density > 0)
	c.silent = c.falls(apply) && (len(c.gaps) > 0 && c.gaps[0].from <= at || within)
}

func (r *Run) limitOf(c *consumer) Limit {
	switch {
	case c.lost:
		return SlotLost
	case c.stopped:
		return Away
	case !math.IsInf(c.Rate, 1):
		if !c.falls(send) {
			return KeepsUp
		}
		return Reader
	case c.falls(apply) || r.waits(c):
		switch {
		case r.waits(c):
			return ParallelWorker
		case c.share[apply] < 1-1e-9:
			return Cores
		}
		return Worker
	case c.falls(pass):
		return Bandwidth
	case c.falls(send) || c.debt > 0:
		if c.share[send] < 1-1e-9 {
			return Cores
		}
		return Walsender
	}
	return KeepsUp
}
