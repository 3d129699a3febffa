package timeline

import (
	"fmt"
	"math"

	"applysim/model/slots"
	"applysim/wal"
)

// stage is how far a stage has come: in piece, at pos, which is a time in a flow and the
// part that is done in a lump.
type stage struct {
	piece int
	pos   float64

	density float64 // what a unit of pos takes
	rate    float64 // pos a second
	caught  bool    // it has come as far as the stage before it
	lands   bool    // it comes to the end of its piece, or to the stage before it, now
}

// The stages of a consumer.
const (
	send = iota
	pass
	apply
	stages
)

// consumer is a consumer on its way.
type consumer struct {
	*Consumer
	number int
	stage  [stages]stage
	share  [stages]float64 // of a core, or of the bandwidth

	stopped  bool
	stopping int      // the next of its periods
	debt     float64  // CPU seconds of the walsender before it can go on
	full     bool     // the buffer is full
	held     bool     // and the walsender is held back by it
	flying   float64  // bytes in the buffer
	backlog  float64  // CPU seconds of parallel workers
	streamed []*large // transactions of which it has taken parts, and not yet the end
	parallel float64  // their rate
	writing  float64  // bytes of WAL that they write in a second of it
	lost     bool     // its slot was invalidated

	reported [2]float64 // position that was reported last: replayed, flushed
	silent   bool       // nothing is reported now
	gaps     []gap      // of the WAL that was handed out while the walsender was behind
	history  []mark     // of the worker's positions, for the flush
	slot     *slots.Slot
	snapshot float64 // position of the last running-xacts record that its walsender has seen, -1 for none

	limit    Limit
	behind   float64 // since when it has been behind, -1 if it keeps up
	restarts float64 // position from which it began anew
	replayed float64 // highest position that was replayed
	applied  float64 // changes
	wrote    float64 // bytes of WAL on the subscriber
}

// gap is WAL that a walsender handed out without a keepalive in between. until is infinite
// while it is behind.
type gap struct{ from, until float64 }

// mark is a position at a time.
type mark struct{ t, pos float64 }

// Run is a run on its way.
type Run struct {
	*Setup
	// Sampled is called at each of the times of Samples; Happened for what happens. Both
	// may be nil.
	Samples  func(after float64) float64
	Sampled  func(*Moment)
	Happened func(Event)
	// Peaks is called at each event with a consumer's lag, which is greatest at one; it
	// may be nil.
	Peaks func(consumer int, t, bytes, seconds float64)

	t         float64
	axis      axis
	consumers []*consumer
	server    *slots.Server
	sources   []sourceState
	running   []*large // begun, not yet committed, in the order of their begin
	backends  float64  // cores that they want
	xid       float64  // transactions so far
	xidPerS   float64
	procs     []process
	levels    []float64 // of each host, how much of a core a process gets at most
	arrivals  []arrival // what consumers come to next

	sample     float64
	snapshot   float64 // when the next running-xacts record is written
	logged     float64 // position of the last one
	checkpoint checkpoint
	full       bool // the disk is
	crowded    bool // the publisher's backends get too little
	events     int64
}

type sourceState struct {
	rate, until float64
	n           float64 // large: of the next to begin
	begin       float64 // when that is
}

// New prepares a run.
func New(s *Setup) (*Run, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r := &Run{Setup: s, logged: -1, snapshot: s.Snapshots}
	r.server = slots.NewServer(s.Settings, wal.LSN(s.Start))
	r.checkpoint.reset(r, 0)
	for i := range s.Consumers {
		c := &consumer{Consumer: &s.Consumers[i], number: i, behind: -1, snapshot: -1}
		c.slot = &slots.Slot{Name: c.Name, Physical: c.Physical, Restart: wal.LSN(s.Start), Confirmed: wal.LSN(s.Start), CatalogXmin: 1, Active: c.Rate > 0}
		c.stopped = c.Rate == 0
		for k := range c.stage {
			c.stage[k].caught = true
		}
		r.consumers = append(r.consumers, c)
		r.server.Slots = append(r.server.Slots, c.slot)
	}
	r.axis.pieces = append(r.axis.pieces, piece{to: math.Inf(1), work: make([]Cost, len(r.consumers))})
	for i := range s.Sources {
		x := sourceState{until: math.Inf(1), begin: math.Inf(1)}
		if s.Sources[i].Large {
			x.begin = s.Sources[i].Begin(0)
		} else {
			x.until = 0
		}
		r.sources = append(r.sources, x)
	}
	r.reflow() // no source may have anything to say at first
	return r, nil
}

// maxEvents bounds a run; a stage that goes to and fro within rounding would exceed it.
const maxEvents = 200_000_000

// Run runs to the end.
func (r *Run) Run() error {
	r.sample = math.Inf(1)
	if r.Samples != nil {
		r.sample = r.Samples(-1)
	}
	end := r.Duration
	stuck := 0
	for {
		r.peaks() // before what happens now moves anybody on
		r.due()
		r.settle()
		if r.Drain > 0 && r.t >= r.Duration {
			end = r.Duration + r.Drain
			if r.drained() {
				end = r.t
			}
		}
		r.rates()
		r.limits()
		r.peaks()
		for _, c := range r.consumers {
			r.report(c) // with what goes how fast from now on
		}
		r.statuses()
		next := r.t
		done := r.t >= end || r.full
		if !done {
			next = r.next(end)
		}
		for r.sample < next || done && r.sample <= r.t {
			t := max(r.sample, r.t)
			if r.Sampled != nil {
				r.Sampled(r.look(t))
			}
			r.sample = r.Samples(t)
		}
		if done {
			return nil
		}
		if !(next > r.t) {
			// A stage may pass any number of pieces at once.
			if stuck++; stuck > 1000*(1+len(r.consumers))+10*len(r.consumers)*len(r.axis.pieces) {
				return fmt.Errorf("timeline: no progress at %v s", r.t)
			}
		} else {
			stuck = 0
		}
		r.advance(next)
		if r.events++; r.events > maxEvents {
			return fmt.Errorf("timeline: more than %d events within %v s", int64(maxEvents), r.t)
		}
	}
}

// peaks tells how far behind each consumer is.
func (r *Run) peaks() {
	if r.Peaks == nil {
		return
	}
	written := r.written()
	for i, c := range r.consumers {
		a := &c.stage[apply]
		r.Peaks(i, r.t, written-r.position(a), r.lag(a))
	}
}

// drained says whether every consumer that is not stopped has applied everything.
func (r *Run) drained() bool {
	for _, c := range r.consumers {
		if !c.stopped && !c.lost && (!c.stage[apply].caught || !c.stage[pass].caught || !c.stage[send].caught) {
			return false
		}
	}
	return true
}

// due does what is due now: sources, timers.
func (r *Run) due() {
	changed := false
	for i := range r.sources {
		x, s := &r.sources[i], &r.Sources[i]
		if s.Large {
			for x.begin <= r.t && r.t < r.Duration {
				r.begin(i, x.begin)
				x.n++
				x.begin = s.Begin(x.n)
				changed = true
			}
			continue
		}
		for x.until <= r.t {
			x.rate, x.until = s.Rate(r.t)
			changed = true
		}
	}
	if r.t >= r.Duration {
		for i := range r.sources {
			x := &r.sources[i]
			changed = changed || x.rate > 0
			x.rate, x.until, x.begin = 0, math.Inf(1), math.Inf(1)
		}
	}
	for _, l := range r.running {
		for at, _ := r.part(l); at <= r.t; at, _ = r.part(l) {
			r.stream(l)
		}
	}
	for len(r.running) > 0 {
		k := -1
		for i, l := range r.running {
			if l.commits <= r.t && (k < 0 || l.commits < r.running[k].commits) {
				k = i
			}
		}
		if k < 0 {
			break
		}
		l := r.running[k]
		r.running = append(r.running[:k:k], r.running[k+1:]...)
		r.commit(l)
		changed = true
	}
	if changed {
		r.reflow()
	}
	r.snapshots()
	r.checkpoints()
	for _, c := range r.consumers {
		r.stops(c)
	}
}

// begin begins a large transaction.
func (r *Run) begin(source int, at float64) {
	l := &large{source: source, begin: at, commits: at + r.Sources[source].Lasts, first: r.axis.open().at(r.t), taken: make([]int, len(r.consumers)), again: make([]int, len(r.consumers))}
	for _, c := range r.consumers {
		l.restart = append(l.restart, c.snapshot)
	}
	r.running = append(r.running, l)
}

// part is when the next part of a transaction is streamed, and how large a part of the
// whole that is: whenever what is kept of it fills logical_decoding_work_mem.
func (r *Run) part(l *large) (at, share float64) {
	s := &r.Sources[l.source]
	share = float64(r.Settings.DecodingWorkMem) / s.Memory
	if !(share < 1) {
		return math.Inf(1), 0
	}
	at = l.begin + float64(float64(s.Lasts*float64(l.parts+1))*share)
	if at >= l.commits {
		return math.Inf(1), 0
	}
	return at, share
}

// stream adds a streamed part of a transaction.
func (r *Run) stream(l *large) {
	l.parts++
	p := piece{work: make([]Cost, len(r.consumers)), lump: &lump{source: l.source, txn: l, parts: make([]int, len(r.consumers))}}
	for i, c := range r.consumers {
		if c.Streaming == Off {
			continue
		}
		p.lump.parts[i] = 1 + l.again[i]
		p.work[i] = r.partCost(l, i, p.lump.parts[i])
		l.again[i] = 0
	}
	r.axis.put(r.t, p)
}

// commit adds the end of a transaction.
func (r *Run) commit(l *large) {
	s := &r.Sources[l.source]
	_, share := r.part(l)
	if share == 0 {
		share = float64(r.Settings.DecodingWorkMem) / s.Memory
	}
	streamed := min(float64(float64(l.parts)*share), 1)
	r.xid++
	p := piece{work: make([]Cost, len(r.consumers)), lump: &lump{source: l.source, txn: l, commit: true, changes: s.Changes, parts: make([]int, len(r.consumers))}}
	for i, c := range r.consumers {
		w := s.Costs[i]
		if l.parts == 0 || c.Streaming == Off {
			p.work[i] = Cost{Send: w.Send, Bytes: w.Bytes, Apply: w.Apply, Wait: w.Wait, WAL: w.WAL}
			continue
		}
		left := 1 - streamed
		p.work[i] = Cost{Send: w.Send * left, Bytes: w.Bytes * left, Pass: w.Pass * left, Apply: w.Apply, Wait: w.Wait, WAL: w.WAL}
		if c.Streaming == Parallel { // the parallel worker is the one that waits, too
			p.work[i].Apply, p.work[i].Wait = (w.Apply+w.Wait)*left, 0
		}
		p.work[i].add(r.partCost(l, i, l.again[i]))
	}
	r.axis.put(r.t, p)
}

// partCost is what so many streamed parts of a transaction take a consumer.
func (r *Run) partCost(l *large, consumer, parts int) Cost {
	share := float64(float64(parts) * float64(r.Settings.DecodingWorkMem) / r.Sources[l.source].Memory)
	w, c := &r.Sources[l.source].Costs[consumer], r.consumers[consumer]
	x := Cost{Send: float64(w.Send * share), Bytes: float64(w.Bytes * share), Pass: float64(w.Pass * share)}
	if c.Streaming == Parallel {
		x.Apply = float64((w.Apply + w.Wait) * share)
	}
	return x
}

// add adds what parts of a transaction take.
func (c *Cost) add(x Cost) {
	c.Send, c.Bytes, c.Pass, c.Apply = c.Send+x.Send, c.Bytes+x.Bytes, c.Pass+x.Pass, c.Apply+x.Apply
}

// reflow begins a new flow with the rates that hold from now on.
func (r *Run) reflow() {
	p := piece{work: make([]Cost, len(r.consumers)), delay: make([]float64, len(r.consumers)), commits: make([]float64, len(r.consumers)), perS: r.OtherWAL}
	r.backends, r.xidPerS = 0, 0
	for i := range p.work {
		p.work[i].Read = float64(r.OtherWAL * r.OtherRead)
	}
	for i := range r.sources {
		s, rate := &r.Sources[i], r.sources[i].rate
		if s.Large || rate == 0 {
			continue
		}
		p.perS += float64(s.WAL * rate)
		p.changes += float64(s.Changes * rate)
		r.backends += float64(s.Backend * rate)
		r.xidPerS += rate
		for k := range p.work {
			w, c := &p.work[k], &s.Costs[k]
			w.Read += float64(c.Read * rate)
			w.Send += float64(c.Send * rate)
			w.Bytes += float64(c.Bytes * rate)
			w.Apply += float64(c.Apply * rate)
			w.Wait += float64(c.Wait * rate)
			w.WAL += float64(c.WAL * rate)
			p.delay[k] += float64(s.WAL * rate * (c.Send + c.Apply + c.Wait))
			if c.Bytes > 0 {
				p.commits[k] += rate
			}
		}
	}
	for k := range p.delay {
		if small := p.perS - r.OtherWAL; small > 0 {
			p.delay[k] = p.delay[k]/small + float64(r.Network.RoundTrip/2)
		}
	}
	for _, l := range r.running {
		s := &r.Sources[l.source]
		p.perS += s.WAL / s.Lasts
		r.backends += s.Backend / s.Lasts
		for k := range p.work {
			p.work[k].Read += s.Costs[k].Read / s.Lasts
		}
	}
	if r.axis.open().from == r.t && r.axis.open().lump == nil {
		open := r.axis.open()
		p.from, p.to, p.wal = open.from, open.to, open.wal
		*open = p
		return
	}
	r.axis.cut(r.t, p)
}

// nextXID is the next transaction's number, from 1 on.
func (r *Run) nextXID() int64 { return int64(r.xid) + 1 }

// written is the position of the end of the WAL.
func (r *Run) written() float64 { return r.axis.open().at(r.t) }

// lsn turns a position into an LSN: the nearest one, so that the end of a segment stays
// what it is where rounding has left the position just short of it.
func (r *Run) lsn(pos float64) wal.LSN { return wal.LSN(r.Start + uint64(max(pos, 0)+0.5)) }
