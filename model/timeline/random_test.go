package timeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"
)

// anySetup is a setup of a seed: rates by the piece, bursts, batch jobs, several
// subscriptions, slots, outages, small hosts and networks, small disks.
func anySetup(seed uint64) *Setup {
	r := rand.New(rand.NewPCG(seed, 12))
	upTo := func(least, most float64) float64 { // by orders of magnitude
		return least * math.Pow(most/least, r.Float64())
	}
	maybe := func(v float64) float64 {
		if r.IntN(2) == 0 {
			return 0
		}
		return v
	}
	s := &Setup{
		Duration: upTo(1, 100_000), Start: uint64(r.IntN(1 << 30)), Snapshots: 15 * r.Float64(),
		OtherWAL: maybe(upTo(1, 1e6)), OtherRead: maybe(upTo(1e-10, 1e-8)),
		Network: Network{RoundTrip: maybe(upTo(1e-5, 0.5)), Bandwidth: maybe(upTo(1e4, 1e9)), Buffer: maybe(upTo(1e4, 1e8))},
	}
	s.Drain = maybe(10 * s.Duration)
	s.Settings.SegmentSize, s.Settings.MaxWALSize, s.Settings.MaxSlotKeepSize = 1<<(20+r.IntN(7)), uint64(upTo(1<<25, 1<<32)), -1
	if r.IntN(3) == 0 {
		s.Settings.MaxSlotKeepSize = int64(upTo(1<<20, 1<<36))
	}
	if r.IntN(4) == 0 {
		s.Settings.IdleTimeout = time.Duration(upTo(1, 10_000) * 1e9)
	}
	if r.IntN(4) == 0 {
		s.Settings.KeepSize = uint64(upTo(1<<20, 1<<33))
	}
	s.Settings.CheckpointTimeout, s.Settings.CompletionTarget = time.Duration(upTo(30, 3600))*time.Second, r.Float64()
	s.Settings.DecodingWorkMem = uint64(upTo(64<<10, 1<<30))
	if r.IntN(5) == 0 {
		s.Free = upTo(1e8, 1e13)
	}
	for i := range 1 + r.IntN(3) {
		s.Hosts = append(s.Hosts, Host{fmt.Sprint("host", i), maybe(upTo(0.3, 16))})
	}
	for i := range r.IntN(4) {
		c := Consumer{Name: fmt.Sprint("consumer", i), Host: r.IntN(len(s.Hosts)), Rate: math.Inf(1), Streaming: Streaming(r.IntN(3)), Workers: 2, FlushDelay: maybe(0.1)}
		switch r.IntN(5) {
		case 0:
			c.Rate = maybe(upTo(1e4, 1e8))
			c.Physical = r.IntN(2) == 0
		}
		from := 0.0
		for range r.IntN(3) {
			from += s.Duration * r.Float64() / 2
			until := from + float64(s.Duration*r.Float64()/2)
			if r.IntN(5) == 0 {
				from, until = math.Round(from), math.Round(until)
			}
			if r.IntN(8) == 0 {
				until = math.Inf(1)
			}
			if from < until {
				c.Stopped = append(c.Stopped, Period{from, until})
			}
			if from = until; math.IsInf(until, 1) {
				break
			}
		}
		s.Consumers = append(s.Consumers, c)
	}
	for i := range 1 + r.IntN(3) {
		x := Source{Name: fmt.Sprint("source", i), Changes: 1 + float64(r.IntN(50)), WAL: upTo(100, 100_000), Backend: maybe(upTo(1e-6, 1e-3))}
		weight := 1.0
		if r.IntN(2) == 0 {
			x.Large = true
			weight = upTo(10, 1e5)
			x.Changes, x.WAL, x.Backend = x.Changes*weight, x.WAL*weight/10, x.Backend*weight
			x.Memory, x.Lasts = x.WAL*(0.5+r.Float64()), upTo(1e-3, min(s.Duration, 600))
			first, every, n := s.Duration*r.Float64()*0.8, upTo(s.Duration/200, s.Duration), float64(1+r.IntN(200))
			if r.IntN(3) == 0 {
				first, every = math.Round(first), max(math.Round(every), 1)
			}
			x.Begin = func(k float64) float64 {
				if k >= n {
					return math.Inf(1)
				}
				return first + float64(k*every)
			}
		} else {
			most := upTo(0.01, 5000)
			lasts := upTo(s.Duration/100, s.Duration)
			if r.IntN(2) == 0 {
				lasts = max(math.Round(lasts), 1)
			}
			phase := r.Float64()
			x.Rate = func(t float64) (float64, float64) {
				k := math.Floor(t / lasts)
				until := float64(lasts * (k + 1))
				if until <= t {
					k++
					until = float64(lasts * (k + 1))
				}
				f := math.Mod(k*0.618+phase, 1)
				if f < 0.2 {
					f = 0
				}
				return most * f, until
			}
		}
		for _, c := range s.Consumers {
			var w Cost
			if math.IsInf(c.Rate, 1) && r.IntN(6) > 0 {
				w = Cost{Send: maybe(upTo(1e-6, 1e-3)), Read: maybe(upTo(1e-6, 1e-3)), Bytes: x.WAL / weight * 0.5, Apply: upTo(1e-6, 1e-3), Wait: maybe(upTo(1e-6, 1e-3)), WAL: x.WAL / weight * 1.1}
				w = Cost{w.Read * weight, w.Send * weight, w.Bytes * weight, w.Apply * weight, w.Wait * weight, 0, w.WAL * weight}
				if x.Large {
					w.Pass = w.Apply * r.Float64() / 5
				}
			}
			x.Costs = append(x.Costs, w)
		}
		s.Sources = append(s.Sources, x)
	}
	return s
}

// outcome is what a run came to.
type outcome struct {
	end             float64
	applied, wrote  []float64
	most            []float64
	replayed        []float64
	written         float64
	happened        []Event
	events          int64
	full            bool
	stopped, behind []bool
}

// bytesBetween are the bytes of a consumer's stream between its worker and its walsender,
// by the pieces of the WAL.
func bytesBetween(r *Run, c *consumer) float64 {
	a, u := &c.stage[apply], &c.stage[send]
	sum := 0.0
	for k := a.piece; k <= u.piece; k++ {
		p := &r.axis.pieces[k]
		from, to := p.from, p.to
		if p.lump != nil {
			from, to = 0, 1
		}
		if k == a.piece {
			from = a.pos
		}
		if k == u.piece {
			to = u.pos
		}
		sum += float64(p.work[c.number].Bytes * (to - from))
	}
	return sum
}

// tryRun runs a setup with so many samples and checks all along.
func tryRun(t *testing.T, s *Setup, every float64) *outcome {
	t.Helper()
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	o := &outcome{most: make([]float64, len(s.Consumers))}
	n := 0
	r.Samples = func(float64) float64 {
		if every == 0 {
			return math.Inf(1)
		}
		n++
		return float64(n-1) * every
	}
	last := 0.0
	forward := func(at float64) {
		if at < last {
			t.Errorf("back in time: from %v to %v s", last, at)
		}
		last = at
	}
	ordered := func(what string, less, more float64) {
		if less > more+float64(1e-6*max(1, math.Abs(more)))+1 {
			t.Errorf("%v s: %s: %v above %v", r.t, what, less, more)
		}
	}
	before := make([]View, len(s.Consumers))
	r.Sampled = func(m *Moment) {
		forward(m.T)
		for i, v := range m.Consumers {
			ordered(v.Name+" sent, written", v.Sent, m.Written)
			ordered(v.Name+" received, sent", v.Received, v.Sent)
			ordered(v.Name+" flushed, replayed", v.ReportedFlush, v.ReportedReplay)
			ordered(v.Name+" reported, replayed", v.ReportedReplay, v.Replayed)
			ordered(v.Name+" replayed", before[i].Replayed, v.Replayed)
			ordered(v.Name+" reported", before[i].ReportedFlush, v.ReportedFlush)
			ordered(v.Name+" applied", before[i].Applied, v.Applied)
			if v.Status != "lost" {
				ordered(v.Name+" restart_lsn, confirmed", v.Restart, v.ReportedFlush)
			}
			before[i] = v
		}
	}
	r.Happened = func(e Event) {
		forward(e.T)
		if e.Kind != Limited { // rounding may tell that two limits follow each other at once
			o.happened = append(o.happened, e)
		}
	}
	r.Peaks = func(k int, at, bytes, _ float64) {
		forward(at)
		o.most[k] = max(o.most[k], bytes)
		c := r.consumers[k]
		if r.events%int64(1+len(r.axis.pieces)/20) > 0 {
			return // it is slow
		}
		if want := bytesBetween(r, c); !c.stopped && !c.lost && math.Abs(want-c.flying) > float64(1e-6*max(c.flying, want))+10 {
			t.Fatalf("%v s: %s: %v bytes on their way, %v by the WAL", at, c.Name, c.flying, want)
		}
	}
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	o.end, o.written, o.full, o.events = r.t, r.written(), r.full, r.events
	for _, c := range r.consumers {
		o.applied = append(o.applied, c.applied)
		o.wrote = append(o.wrote, c.wrote)
		o.replayed = append(o.replayed, r.position(&c.stage[apply]))
		o.stopped = append(o.stopped, c.stopped || c.lost)
		o.behind = append(o.behind, !c.stage[apply].caught || !c.stage[pass].caught || !c.stage[send].caught || c.backlog > 0)
	}
	return o
}

// cut is a setup with a source more that has nothing to do and says so every few seconds, at
// each of which the run looks at everything anew.
func cut(s *Setup, every float64) *Setup {
	x := *s
	x.Sources = append(slices.Clip(s.Sources), Source{Name: "none", Costs: make([]Cost, len(s.Consumers)), Rate: func(t float64) (float64, float64) {
		until := float64(every * (math.Floor(t/every) + 1))
		if until <= t {
			until += every
		}
		return 0, until
	}})
	return &x
}

// check runs what a seed makes: everything that was sent arrives, looking at it changes
// nothing at all, and events at which nothing happens change nothing but by rounding.
func check(t *testing.T, seed uint64) {
	s := anySetup(seed)
	o := tryRun(t, s, 0)
	for _, every := range []float64{s.Duration / 50, s.Duration / 977} {
		if p := tryRun(t, s, every); !reflect.DeepEqual(o, p) {
			t.Errorf("without samples %+v\nwith one every %v s %+v", o, every, p)
		}
	}
	p := tryRun(t, cut(s, s.Duration/61), 0)
	same := func(what string, a, b float64) {
		if math.Abs(a-b) > float64(1e-6*max(math.Abs(a), math.Abs(b)))+1e-3 {
			t.Errorf("%s: %v, with events at which nothing happens %v", what, a, b)
		}
	}
	// A position may be off by this in the end, of a long run with many events.
	rounding := 0.0
	if s.OtherWAL > 0 {
		rounding = float64(1e-14*o.written) / s.OtherWAL
	}
	for i := range max(len(o.happened), len(p.happened)) {
		if i >= len(o.happened) || i >= len(p.happened) {
			t.Errorf("%d events, with others at which nothing happens %d", len(o.happened), len(p.happened))
			break
		}
		x, y := o.happened[i], p.happened[i]
		near := math.Abs(x.T-y.T) <= 1e-6+rounding
		x.T, y.T = 0, 0
		if !near || x != y {
			t.Errorf("event %d: %v, with events at which nothing happens %v", i, o.happened[i], p.happened[i])
			break
		}
	}
	same("end", o.end, p.end)
	same("written", o.written, p.written)
	for k := range o.applied {
		same("applied", o.applied[k], p.applied[k])
		same("subscriber's WAL", o.wrote[k], p.wrote[k])
		same("replayed", o.replayed[k], p.replayed[k])
		same("most lag", o.most[k], p.most[k])
	}
	total := 0.0
	for i := range s.Sources {
		x := &s.Sources[i]
		if x.Large {
			n := 0.0
			for x.Begin(n) < s.Duration && x.Begin(n)+x.Lasts <= o.end {
				n++
			}
			total += float64(n * x.Changes)
			continue
		}
		n := 0.0
		for at := 0.0; at < min(s.Duration, o.end); {
			rate, until := x.Rate(at)
			until = min(until, s.Duration, o.end)
			n += float64(rate * (until - at))
			at = until
		}
		total += float64(n * x.Changes)
	}
	for k := range o.applied {
		if math.IsInf(s.Consumers[k].Rate, 1) && !o.stopped[k] && !o.behind[k] && math.Abs(o.applied[k]-total) > float64(1e-6*total)+1e-3 {
			t.Errorf("%s has applied %v changes of %v", s.Consumers[k].Name, o.applied[k], total)
		}
	}
}

// TestRandomRuns runs random setups: check says what holds for each.
func TestRandomRuns(t *testing.T) {
	var seeds []uint64
	for seed := range uint64(400) {
		seeds = append(seeds, seed)
	}
	// Each of these has shown a fault: events within rounding of each other, a segment's end
	// that was reached and then not, confirmations that came with a sample only, rates that
	// followed from the rates before them.
	seeds = append(seeds, 680, 743, 857, 1008, 1010, 1071, 1237, 1363, 1398, 1442, 1455, 1574, 1856, 2226, 2425, 2822, 3269, 4112, 4974)
	for _, seed := range seeds {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			t.Parallel()
			check(t, seed)
		})
	}
}
