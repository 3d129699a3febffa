package timeline

import (
	"math"
	"testing"
)

// steady is a source with a rate that changes at a time.
func steady(rate, until, then float64) func(float64) (float64, float64) {
	return func(t float64) (float64, float64) {
		if t < until {
			return rate, until
		}
		return then, math.Inf(1)
	}
}

func once(at float64) func(float64) float64 {
	return func(n float64) float64 {
		if n == 0 {
			return at
		}
		return math.Inf(1)
	}
}

// simple is a publisher, a subscriber and one kind of transactions.
func simple(rate func(float64) (float64, float64)) *Setup {
	s := &Setup{
		Duration: 100, Start: 16 << 20, Hosts: []Host{{Name: "publisher"}, {Name: "subscriber"}},
		Sources:   []Source{{Name: "small", Rate: rate, Changes: 10, WAL: 2000, Costs: []Cost{{Send: 100e-6, Bytes: 1000, Apply: 1e-3, WAL: 3000}}}},
		Consumers: []Consumer{{Name: "sub", Host: 1, Rate: math.Inf(1)}},
		Snapshots: 15,
	}
	s.Settings.SegmentSize, s.Settings.MaxWALSize, s.Settings.MaxSlotKeepSize = 16<<20, 1<<30, -1
	s.Settings.CheckpointTimeout, s.Settings.CompletionTarget, s.Settings.DecodingWorkMem = 300e9, 0.9, 64<<20
	return s
}

func at(t *testing.T, s *Setup, times ...float64) (moments []*Moment, events []Event) {
	t.Helper()
	r, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	r.Samples = func(after float64) float64 {
		for _, x := range times {
			if x > after {
				return x
			}
		}
		return math.Inf(1)
	}
	r.Sampled = func(m *Moment) { moments = append(moments, m) }
	r.Happened = func(e Event) { events = append(events, e) }
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	if len(moments) != len(times) {
		t.Fatalf("%d moments, asked for %d", len(moments), len(times))
	}
	return moments, events
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-6*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, expected %v", what, got, want)
	}
}

// TestOverload: 2,000 transactions a second for ten seconds, of which the worker does
// 1,000, then 500: it is 10,000 behind and needs 20 s more.
func TestOverload(t *testing.T) {
	m, events := at(t, simple(steady(2000, 10, 500)), 5, 10, 20, 40)
	// Where it keeps up, what it has is as old as a transaction takes: 1.1 ms.
	for i, want := range []struct{ written, replayed, lag, young float64 }{{10_000, 5_000, 2.5, 0}, {20_000, 10_000, 5, 0}, {25_000, 20_000, 10, 0}, {35_000, 35_000, 0, 500 * 1.1e-3}} {
		near(t, "written", m[i].Written, want.written*2000)
		near(t, "sent", m[i].Consumers[0].Sent, want.written*2000)
		near(t, "replayed", m[i].Consumers[0].Replayed, (want.replayed-want.young)*2000)
		near(t, "lag", m[i].Consumers[0].ReplayLag, want.lag)
		near(t, "applied", m[i].Consumers[0].Applied, want.replayed*10)
	}
	var caught float64
	for _, e := range events {
		if e.Kind == CaughtUp {
			caught = e.T
		}
	}
	near(t, "caught up at", caught, 30)
}

// TestSamples asks more often: nothing changes.
func TestSamples(t *testing.T) {
	few, _ := at(t, simple(steady(2000, 10, 500)), 29)
	times := []float64{}
	for x := 0.0; x < 29; x += 0.037 {
		times = append(times, x)
	}
	many, _ := at(t, simple(steady(2000, 10, 500)), append(times, 29)...)
	near(t, "replayed", many[len(many)-1].Consumers[0].Replayed, few[0].Consumers[0].Replayed)
}

// TestStopped: the consumer is away for 20 s while 500 a second come, and takes 20 s
// more to catch up.
func TestStopped(t *testing.T) {
	s := simple(steady(500, math.Inf(1), 0))
	s.Consumers[0].Stopped = []Period{{10, 30}}
	m, events := at(t, s, 20, 40, 49.9, 50.1)
	near(t, "replayed while away", m[0].Consumers[0].Replayed, 5000*2000)
	near(t, "retained", float64(m[0].Consumers[0].Retained), 20*500*2000)
	near(t, "replayed", m[1].Consumers[0].Replayed, 15_000*2000)
	if m[2].Consumers[0].Limit != Worker || m[3].Consumers[0].Limit != KeepsUp {
		t.Errorf("limits %v and %v", m[2].Consumers[0].Limit, m[3].Consumers[0].Limit)
	}
	if len(events) == 0 {
		t.Error("no events")
	}
}

// TestLostWhileStopped: the slot of a consumer that is away is given up; the end of its
// absence is then no event any more.
func TestLostWhileStopped(t *testing.T) {
	s := simple(steady(5000, math.Inf(1), 0)) // 10 MB a second
	s.Consumers[0].Stopped = []Period{{10, 60}}
	s.Settings.MaxWALSize, s.Settings.MaxSlotKeepSize = 64<<20, 128<<20
	m, _ := at(t, s, 50, 90)
	for i := range m {
		if c := &m[i].Consumers[0]; c.Limit != SlotLost || c.Status != "lost" {
			t.Errorf("%v s: %v, wal_status %s, expected a lost slot", m[i].T, c.Limit, c.Status)
		}
	}
}

// TestLimits: each stage in turn is the slowest.
func TestLimits(t *testing.T) {
	for _, x := range []struct {
		change func(*Setup)
		limit  Limit
		rate   float64 // transactions a second
	}{
		{func(s *Setup) {}, Worker, 1000},
		{func(s *Setup) { s.Sources[0].Costs[0].Send = 2e-3 }, Walsender, 500},
		{func(s *Setup) { s.Network.Bandwidth = 250_000 }, Bandwidth, 250},
		{func(s *Setup) { s.Hosts[1].Cores = 0.5 }, Cores, 500},
		{func(s *Setup) { s.Sources[0].Costs[0].Wait = 1e-3 }, Worker, 500},
		{func(s *Setup) {
			s.Network.RoundTrip, s.Network.Buffer = 0.1, 10_000 // 100 kB a second
		}, Bandwidth, 100},
		// The backends want 1.5 of 2 cores, the worker gets what is left of one each.
		{func(s *Setup) {
			s.Hosts, s.Consumers[0].Host = []Host{{Cores: 2}}, 0
			s.Sources[0].Backend = 0.5e-3
			s.Sources[0].Costs[0].Send = 0
		}, Cores, 1000 * 2 / 3.0},
	} {
		s := simple(steady(3000, math.Inf(1), 0))
		x.change(s)
		m, _ := at(t, s, 50, 60)
		if m[1].Consumers[0].Limit != x.limit {
			t.Errorf("limit %v, expected %v", m[1].Consumers[0].Limit, x.limit)
		}
		near(t, x.limit.String(), (m[1].Consumers[0].Applied-m[0].Consumers[0].Applied)/100, x.rate)
	}
}

// TestBuffer: a slow worker holds its walsender back once the sockets are full.
func TestBuffer(t *testing.T) {
	s := simple(steady(2000, math.Inf(1), 0))
	s.Network.Buffer = 1e6 // 1,000 transactions
	m, _ := at(t, s, 0.5, 1.5, 50)
	near(t, "flying at first", m[0].Consumers[0].Flying, 0.5*1000*1000)
	near(t, "flying", m[1].Consumers[0].Flying, 1e6)
	near(t, "sent", m[2].Consumers[0].Sent, (50_000+1000)*2000)
	near(t, "replayed", m[2].Consumers[0].Replayed, 50_000*2000)
	// The worker tells nothing after the last keepalive, which was sent when the buffer was
	// not yet full.
	near(t, "reported", m[2].Consumers[0].ReportedReplay, 2000*2000)
}

// TestLarge: a transaction of 10 s that takes 4 s to apply, sent when it commits,
// streamed to files, and streamed to a parallel worker.
func TestLarge(t *testing.T) {
	for _, x := range []struct {
		how    Streaming
		caught float64
		sent   float64 // bytes that were sent at 15 s
	}{{Off, 24, 0}, {Spooled, 24, 4e6}, {Parallel, 20.8, 4e6}} {
		s := simple(steady(0, math.Inf(1), 0))
		s.Consumers[0].Streaming = x.how
		s.Settings.DecodingWorkMem = 8e6 / 10
		s.Sources = append(s.Sources, Source{
			Name: "batch", Large: true, Begin: once(10), Lasts: 10, Changes: 40_000, WAL: 20e6, Memory: 4e6,
			Costs: []Cost{{Send: 0.4, Bytes: 8e6, Apply: 4, Pass: 0}},
		})
		var m []*Moment
		var events []Event
		m, events = at(t, s, 15, 19.9, 30)
		near(t, "written", m[0].Written, 10e6)
		near(t, "flying", m[0].Consumers[0].Flying, 0)
		var done float64
		for _, e := range events {
			if e.Kind == Limited && e.Text == "keeps up" {
				done = e.T
			}
		}
		near(t, "caught up", done, x.caught)
		near(t, "replayed before", m[1].Consumers[0].Replayed, 19.8e6+0) // WAL of an open transaction holds nobody up
		near(t, "applied", m[2].Consumers[0].Applied, 40_000)
	}
}

// TestStreamedAgain: a subscription is stopped in the midst of a transaction that is streamed
// to it. What it has got of it is lost, and is sent once more: 2 of its 5 parts (at 12 and
// at 14 s), with the next one that comes.
func TestStreamedAgain(t *testing.T) {
	for _, how := range []Streaming{Spooled, Parallel} {
		s := simple(steady(0, math.Inf(1), 0))
		s.Consumers[0].Streaming = how
		s.Consumers[0].Stopped = []Period{{15, 15.5}}
		s.Settings.DecodingWorkMem = 1e6
		s.Sources = append(s.Sources, Source{
			Name: "batch", Large: true, Begin: once(10), Lasts: 10, Changes: 40_000, WAL: 20e6, Memory: 5e6,
			Costs: []Cost{{Send: 0.4, Bytes: 8e6, Apply: 4, Pass: 0.4}},
		})
		m, _ := at(t, s, 14.9, 17.9, 40)
		near(t, "applied", m[2].Consumers[0].Applied, 40_000)
		near(t, "WAL of the transaction is replayed", m[2].Consumers[0].Replayed, 20e6)
		r, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		passed := 0.0 // bytes that have come to the worker, those that were lost included
		if err := r.Run(); err != nil {
			t.Fatal(err)
		}
		for i := range r.axis.pieces {
			passed += r.axis.pieces[i].work[0].Bytes
		}
		near(t, "sent altogether", passed, 8e6*7/5)
	}
}

// BenchmarkDay is a day at a thousand changes a second by the hour, with a large
// transaction each minute and an outage.
func BenchmarkDay(b *testing.B) {
	for b.Loop() {
		s := simple(func(t float64) (float64, float64) {
			hour := math.Floor(t / 3600)
			return 20 + 160*math.Mod(hour*7, 24)/24, 3600 * (hour + 1)
		})
		s.Duration, s.Settings.CheckpointTimeout = 86_400, 300e9
		s.Consumers[0].Stopped = []Period{{30_000, 33_000}}
		s.Sources = append(s.Sources, Source{Name: "batch", Large: true, Begin: func(n float64) float64 { return 60 * n }, Lasts: 5, Changes: 1000, WAL: 1e6, Memory: 1e6,
			Costs: []Cost{{Send: 0.01, Bytes: 1e6, Apply: 0.1}}})
		r, err := New(s)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Run(); err != nil {
			b.Fatal(err)
		}
	}
}
