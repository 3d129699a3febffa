package scenario

import (
	"time"

	"applysim/model/cost"
)

// Sample is what came to pass in a part of the run.
type Sample struct {
	Seconds  float64  `json:"seconds"` // its end, since the start
	Changes  int64    `json:"changes"`
	WALBytes int64    `json:"wal_bytes"`
	FPIBytes int64    `json:"fpi_bytes"`
	HOTShare *float64 `json:"hot_share"` // of its updates; null if there were none
	CPUS     *float64 `json:"cpu_s"`     // null without a profile
	Load     *float64 `json:"load"`      // of the worker
	LagS     *float64 `json:"lag_s"`     // at its end: work that is left
}

// timeline collects samples.
type timeline struct {
	samples []Sample
	at      time.Time // where the next one begins
	changes int64
	updates int64
	hot     int64
	wal     int64
	fpi     int64
	usage   *cost.Usage
	beside  int // commands that are accounted for
	lag     float64
}

// sample notes what came to pass since the last sample, once enough time has passed; last
// notes the rest.
func (r *run) sample(now time.Time, last bool) {
	t := &r.timeline
	if r.o.Samples == 0 {
		return
	}
	start := r.s.Start.Time()
	if t.at.IsZero() {
		t.at, t.usage = start, r.before.usage
	}
	length := time.Duration(r.expected()) / time.Duration(r.o.Samples)
	if since := now.Sub(t.at); since <= 0 || since < length && !last {
		return
	}
	w, log := r.worker, r.worker.Log().Total()
	b := &r.before.counters
	x := Sample{Seconds: seconds(now.Sub(start)), Changes: w.Counters.Changes() - b.Changes() - t.changes, WALBytes: log.Bytes - t.wal, FPIBytes: log.FPIBytes - t.fpi}
	updates, hot := int64(0), int64(0)
	for i, s := range w.Tables() {
		updates += s.Heap.Counters.Updates - r.before.tables[i].heap.Updates
		hot += s.Heap.Counters.HOTUpdates - r.before.tables[i].heap.HOTUpdates
	}
	x.HOTShare = ratio(float64(hot-t.hot), float64(updates-t.updates))
	if r.o.Price != nil {
		usage := cost.Measure(w)
		u := usage.Sub(t.usage)
		for _, beside := range r.beside[t.beside:] {
			u = u.Sub(beside)
		}
		if c := r.o.Price(u); c.Seconds != nil {
			took := seconds(now.Sub(t.at))
			t.lag = max(t.lag+*c.Seconds-took, 0)
			lag := t.lag
			x.CPUS, x.Load, x.LagS = c.Seconds, ratio(*c.Seconds, took), &lag
		}
		t.usage, t.beside = usage, len(r.beside)
	}
	t.at, t.changes, t.updates, t.hot, t.wal, t.fpi = now, t.changes+x.Changes, updates, hot, log.Bytes, log.FPIBytes
	t.samples = append(t.samples, x)
}

// expected is how long the run will take, in nanoseconds, about.
func (r *run) expected() int64 {
	if r.s.Duration > 0 {
		return int64(r.s.Duration)
	}
	rate := 0.0
	for _, o := range r.s.Operations {
		rows := o.Rows
		for _, p := range o.Then {
			rows += p.Rows
		}
		rate += float64(o.Rate*float64(rows)) / float64(o.Rows)
	}
	return int64(float64(float64(r.s.Changes)/rate) * 1e9)
}
