package monitor

import (
	"fmt"
	"math"
	"slices"
	"time"

	"applysim/model/decode"
	"applysim/model/pipeline"
	"applysim/model/scenario"
	"applysim/model/slots"
	"applysim/model/timeline"
	"applysim/wal"
)

// Moment is how the servers stand at a time of the run.
type Moment struct {
	T       float64   // seconds since the run began
	Time    time.Time // of the scenario's clock
	Current wal.LSN   // pg_current_wal_lsn()
	// Changes are those that the publisher has committed, Transactions likewise, by
	// operation.
	Changes      float64
	Transactions []float64
	Consumers    []Consumer

	at *timeline.Moment
}

// Consumer is a slot and its reader.
type Consumer struct {
	Name         string
	Subscription bool
	Physical     bool
	timeline.View
	Counters decode.Counters // of the slot
	// Conflicts by their column's name without confl_.
	Conflicts map[string]float64

	active   bool
	inactive float64 // inactive_since, seconds
	cause    slots.Cause
	catchup  bool
	restart  wal.LSN
	// What was reported last: when, and how old the WAL was then; below 0 if it is not known.
	told                             float64
	writeLag, flushLag, replayLag    float64
	sentLSN, writeLSN, flushLSN, lsn wal.LSN // lsn is replay_lsn
	received                         wal.LSN // of the subscriber's side
	parallel                         bool
}

// Watch simulates a scenario whose costs are known and says how the servers stand at some
// times, seconds since its beginning.
func Watch(s *scenario.Scenario, c *pipeline.Costs, times []float64) ([]*Moment, error) {
	setup := pipeline.Build(s, c, pipeline.DrainFor*s.Duration.Seconds())
	begins := make([][]float64, len(setup.Sources))
	for i := range setup.Sources {
		if begin := setup.Sources[i].Begin; begin != nil { // it may be asked once, in order
			setup.Sources[i].Begin = func(n float64) float64 {
				begins[i] = append(begins[i], begin(n))
				return begins[i][len(begins[i])-1]
			}
		}
	}
	times = slices.Sorted(slices.Values(times))
	w := &watcher{s: s, c: c, setup: setup, begins: begins}
	w.followed = make([]followed, len(setup.Consumers))
	for i := range w.followed {
		w.followed[i] = followed{lags: [3]float64{-1, -1, -1}}
	}
	run, err := timeline.New(setup)
	if err != nil {
		return nil, err
	}
	w.run = run
	var moments []*Moment
	run.Samples = func(float64) float64 {
		if len(moments) >= len(times) {
			return math.Inf(1)
		}
		return times[len(moments)]
	}
	run.Sampled = func(m *timeline.Moment) {
		w.follow(m)
		for len(moments) < len(times) && times[len(moments)] <= m.T {
			moments = append(moments, w.moment(m))
		}
	}
	run.Peaks = func(k int, t, _, _ float64) {
		if k == 0 {
			w.follow(run.Moment())
		}
	}
	run.Happened = func(e timeline.Event) {
		for i := range setup.Consumers {
			if setup.Consumers[i].Name == e.Consumer && e.Kind == timeline.Started {
				w.followed[i].catchup = true
			}
		}
	}
	if err := run.Run(); err != nil {
		return nil, err
	}
	if n := len(moments); n < len(times) {
		return nil, fmt.Errorf("%s: the run ends at %.6g s: expected a time before that, got %.6g s", s.File, run.Time(), times[n])
	}
	return moments, nil
}

// Stamp is the moment's time, as PostgreSQL writes it.
func (m *Moment) Stamp() string { return m.stamp(m.T) }

// LSN is pg_current_wal_lsn().
func (m *Moment) LSN() string { return fmt.Sprint(lsnOrNull(m.Current)) }

// watcher is a run that is watched.
type watcher struct {
	s        *scenario.Scenario
	c        *pipeline.Costs
	setup    *timeline.Setup
	run      *timeline.Run
	begins   [][]float64 // of large transactions, by source
	written  []mark      // the WAL at each event
	followed []followed
}

// mark is how much WAL there is at a time.
type mark struct{ t, wal float64 }

// followed is what is known of a consumer from event to event.
type followed struct {
	catchup bool
	told    float64 // when it last reported something new
	flushed float64
	replay  float64
	lags    [3]float64 // write, flush, replay, when they were reported
}

// follow notes what has come to pass since the last event.
func (w *watcher) follow(m *timeline.Moment) {
	if n := len(w.written); n == 0 || w.written[n-1].t < m.T {
		w.written = append(w.written, mark{m.T, m.Written})
	}
	for i := range m.Consumers {
		v, f := &m.Consumers[i], &w.followed[i]
		if f.catchup && v.SentLag <= 1e-6 {
			f.catchup = false
		}
		moved := v.ReportedReplay > f.replay
		if moved || v.ReportedFlush > f.flushed {
			f.told = m.T
			if moved {
				f.lags[2] = m.T - w.writtenAt(v.ReportedReplay)
				f.lags[0] = f.lags[2]
				if v.Limit == timeline.KeepsUp { // it tells of a message before it is done with it
					f.lags[0] = w.setup.Network.RoundTrip
				}
			}
			f.lags[1] = m.T - w.writtenAt(v.ReportedFlush)
			f.replay, f.flushed = v.ReportedReplay, v.ReportedFlush
		}
	}
}

// writtenAt is when the WAL came to a position.
func (w *watcher) writtenAt(pos float64) float64 {
	i, _ := slices.BinarySearchFunc(w.written, pos, func(m mark, pos float64) int {
		if m.wal < pos {
			return -1
		}
		return 1
	})
	switch {
	case i == 0:
		return w.written[0].t
	case i == len(w.written):
		return w.written[i-1].t
	}
	a, b := w.written[i-1], w.written[i]
	return a.t + float64((b.t-a.t)*((pos-a.wal)/(b.wal-a.wal)))
}

// lsn turns a position into an LSN.
func (w *watcher) lsn(pos float64) wal.LSN { return wal.LSN(w.setup.Start + uint64(max(pos, 0))) }

// moment puts together what is known at a time.
func (w *watcher) moment(at *timeline.Moment) *Moment {
	m := &Moment{T: at.T, Time: w.s.Start.Time().Add(time.Duration(at.T * 1e9)), Current: w.lsn(at.Written), at: at}
	for i := range w.setup.Sources {
		n, _ := w.committed(i, at.T, false)
		m.Transactions = append(m.Transactions, n)
		m.Changes += float64(n * w.setup.Sources[i].Changes)
	}
	list := w.run.Slots()
	for i := range at.Consumers {
		x, f, slot := &w.setup.Consumers[i], &w.followed[i], list[i]
		v := at.Consumers[i]
		c := Consumer{
			Name: x.Name, Physical: x.Physical, View: v, Subscription: i < max(len(w.s.Subscriptions), 1),
			active: slot.Active && slot.Invalidated == slots.Valid, inactive: slot.InactiveSince, cause: slot.Invalidated,
			catchup: f.catchup, restart: slot.Restart, told: f.told, writeLag: f.lags[0], flushLag: f.lags[1], replayLag: f.lags[2],
			sentLSN: w.lsn(v.Sent), writeLSN: w.lsn(v.ReportedReplay), flushLSN: w.lsn(v.ReportedFlush), lsn: w.lsn(v.ReportedReplay),
			received: w.lsn(v.Replayed), parallel: v.ParallelCores > 0 && x.Streaming == timeline.Parallel,
		}
		if v.Limit == timeline.KeepsUp {
			c.writeLSN, c.received = w.lsn(v.Received), w.lsn(v.Received)
		}
		if idle := at.T - f.told; idle > 1 && at.WALPerS == 0 && v.ReportedFlush >= at.Written {
			c.writeLag, c.flushLag, c.replayLag = -1, -1, -1
		}
		if !c.Physical {
			w.count(&c, i, at.T)
		}
		if c.Subscription && w.c.Runs[i] != nil && w.c.Runs[i].Changes > 0 {
			c.Conflicts = map[string]float64{}
			for name, n := range w.c.Runs[i].Conflicts {
				c.Conflicts[name] = math.Floor(float64(float64(n)*v.Applied)/float64(w.c.Runs[i].Changes) + 1e-9)
			}
		}
		m.Consumers = append(m.Consumers, c)
	}
	return m
}

// count works out the counters of a slot: of the transactions that its walsender has come
// to.
func (w *watcher) count(c *Consumer, number int, t float64) {
	way := 0
	if w.setup.Consumers[number].Streaming != timeline.Off {
		way = 1
	}
	read := t - c.SentLag
	for i := range w.setup.Sources {
		whole, part := w.committed(i, read, true)
		d := &w.c.Operations[i].Decoded[way]
		n := &c.Counters
		share := func(of int64) int64 { return int64(math.Floor(float64(part*float64(of)) + 1e-9)) }
		n.TotalTxns += int64(whole) * d.TotalTxns
		n.TotalBytes += int64(whole) * d.TotalBytes
		n.SpillTxns += int64(whole) * d.SpillTxns
		n.SpillCount += int64(whole)*d.SpillCount + share(d.SpillCount)
		n.SpillBytes += int64(whole)*d.SpillBytes + share(d.SpillBytes)
		n.StreamTxns += int64(whole) * d.StreamTxns
		n.StreamCount += int64(whole)*d.StreamCount + share(d.StreamCount)
		n.StreamBytes += int64(whole)*d.StreamBytes + share(d.StreamBytes)
		if share(d.SpillCount) > 0 {
			n.SpillTxns++
		}
		if share(d.StreamCount) > 0 {
			n.StreamTxns++
			n.TotalBytes += share(d.StreamBytes)
		}
	}
}

// committed is how many of a source's transactions have committed before a time, and what
// part of another one has been written, if it is a large one. before leaves out what commits
// at that very time.
func (w *watcher) committed(source int, t float64, before bool) (whole, part float64) {
	x := &w.setup.Sources[source]
	end := w.setup.Duration
	if !x.Large {
		for at := 0.0; at < min(t, end); {
			rate, until := x.Rate(at)
			until = min(until, t, end)
			whole += float64(rate * (until - at))
			at = until
		}
		return math.Floor(whole + 1e-6), 0
	}
	for _, begin := range w.begins[source] {
		if !(begin < min(t, end)) {
			break
		}
		commit := begin + x.Lasts
		if commit < t-1e-9 || !before && commit <= t {
			whole++
		} else {
			part = max(part, (t-begin)/x.Lasts)
		}
	}
	return whole, part
}
