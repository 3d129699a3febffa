package pipeline

import (
	"fmt"
	"math"

	"applysim/model/guc"
	"applysim/model/scenario"
	"applysim/model/slots"
	"applysim/model/timeline"
)

// Report is what becomes of a scenario on its way.
type Report struct {
	SchemaVersion int     `json:"schema_version"`
	Scenario      string  `json:"scenario"`
	DurationS     float64 `json:"duration_s"`
	EndS          float64 `json:"end_s"` // when everything was applied, or the run was given up
	Profile       string  `json:"profile"`
	Simulated     float64 `json:"simulated_changes"` // row by row, of
	Changes       float64 `json:"changes"`
	WALBytes      float64 `json:"publisher_wal_bytes"`

	Operations    []OperationCost `json:"operations"`
	Subscriptions []Subscription  `json:"subscriptions"`
	Moments       []Moment        `json:"moments"`
	Events        []Event         `json:"events"`
	Warnings      []string        `json:"warnings"`
	Assumptions   []string        `json:"assumptions"`

	written []mark // the WAL at each event
}

// mark is how much WAL there is at a time.
type mark struct{ t, wal float64 }

// OperationCost is what a transaction costs, on average.
type OperationCost struct {
	Name     string     `json:"name"`
	Large    bool       `json:"large"` // looked at one by one
	Changes  float64    `json:"changes"`
	WALBytes float64    `json:"publisher_wal_bytes"`
	Costs    []SendCost `json:"subscriptions"`
}

// SendCost is what it costs a subscription.
type SendCost struct {
	Subscription string  `json:"name"`
	WalsenderS   float64 `json:"walsender_s"`
	Bytes        float64 `json:"bytes"`
	ApplyS       float64 `json:"apply_s"` // CPU
	WaitS        float64 `json:"wait_s"`
	WALBytes     float64 `json:"subscriber_wal_bytes"`
}

// Subscription is what one comes to.
type Subscription struct {
	Name         string   `json:"name"`
	GreatestRate float64  `json:"greatest_changes_per_s"` // of the scenario's mix that it sustains; its own changes
	Limit        string   `json:"limit"`                  // what is the limit then
	Load         float64  `json:"load"`                   // of that, on average
	MostLagBytes float64  `json:"most_lag_bytes"`
	MostLagS     float64  `json:"most_lag_s"`
	MostLagAtS   float64  `json:"most_lag_at_s"`
	Applied      float64  `json:"applied_changes"`
	WALBytes     float64  `json:"subscriber_wal_bytes"`
	CaughtUpS    *float64 `json:"caught_up_s"` // when it did for the last time; null if it is behind at the end
}

// Moment is how things stand at a time.
type Moment struct {
	T         float64  `json:"t_s"`
	WALBytes  float64  `json:"wal_bytes"`
	WALPerS   float64  `json:"wal_bytes_per_s"`
	WALSize   uint64   `json:"pg_wal_bytes"`
	Consumers []Status `json:"consumers"`
}

// Status is a consumer's part of a moment. Positions are bytes of WAL since the run began.
type Status struct {
	Name           string       `json:"name"`
	Limit          string       `json:"limit"`
	SentLag        float64      `json:"sent_lag_bytes"`
	ReplayLag      float64      `json:"replay_lag_bytes"`
	ReplayLagS     float64      `json:"replay_lag_s"`
	WriteLSN       string       `json:"sent_lsn"`
	ReplayLSN      string       `json:"replay_lsn"` // as reported
	Restart        string       `json:"restart_lsn"`
	Confirmed      string       `json:"confirmed_flush_lsn"`
	Retained       uint64       `json:"retained_bytes"`
	WALStatus      slots.Status `json:"wal_status"`
	SafeWALSize    *int64       `json:"safe_wal_size"`
	CatalogXminAge int64        `json:"catalog_xmin_age"`
	Walsender      float64      `json:"walsender_cores"`
	Worker         float64      `json:"worker_cores"`
}

// Event is something that happens.
type Event struct {
	T    float64 `json:"t_s"`
	Name string  `json:"name"`
	What string  `json:"what"`
	Text string  `json:"text,omitempty"`
}

// DrainFor bounds how long a run may go on after its duration, in durations.
const DrainFor = 10

// Run works a scenario's pipeline out. every is the time between moments, seconds; 0
// stands for a 24th of the run.
func Run(s *scenario.Scenario, o *Options, every float64) (*Report, error) {
	if s.Duration == 0 {
		return nil, fmt.Errorf("%s: a pipeline in time needs a duration: expected duration, not changes", s.File)
	}
	c, err := Measure(s, o)
	if err != nil {
		return nil, err
	}
	return Simulate(s, c, o, every)
}

// Simulate works it out from known costs.
func Simulate(s *scenario.Scenario, c *Costs, o *Options, every float64) (*Report, error) {
	duration := s.Duration.Seconds()
	setup := Build(s, c, DrainFor*duration)
	run, err := timeline.New(setup)
	if err != nil {
		return nil, err
	}
	if every == 0 {
		every = duration / 24
	}
	r := &Report{SchemaVersion: 1, Scenario: s.File, DurationS: duration, Simulated: c.Simulated, Changes: c.Changes, Warnings: append([]string{}, c.Warnings...), Assumptions: []string{}, Events: []Event{}, Profile: o.Profile.Name}
	subscribed := 0
	for i := range setup.Consumers {
		if x := &setup.Consumers[i]; math.IsInf(x.Rate, 1) && i < len(c.Operations[0].Subscriptions) {
			subscribed++
			r.Subscriptions = append(r.Subscriptions, greatest(setup, i))
		}
	}
	for i := range setup.Sources {
		x := &setup.Sources[i]
		op := OperationCost{Name: x.Name, Large: x.Large, Changes: x.Changes, WALBytes: x.WAL}
		for k := range subscribed {
			w := &x.Costs[k]
			op.Costs = append(op.Costs, SendCost{setup.Consumers[k].Name, w.Read + w.Send, w.Bytes, w.Apply, w.Wait, w.WAL})
		}
		r.Operations = append(r.Operations, op)
	}
	n := 0
	run.Samples = func(float64) float64 { n++; return float64(n-1) * every }
	crowded := false
	run.Sampled = func(m *timeline.Moment) {
		r.moment(m, setup.Start)
		crowded = crowded || m.Crowded
	}
	peaks := make([]float64, len(r.Subscriptions))
	run.Peaks = func(k int, t, bytes, seconds float64) {
		if k == 0 {
			r.written = append(r.written, mark{t, run.Written()})
		}
		if k < len(peaks) && bytes > peaks[k] {
			peaks[k] = bytes
			u := &r.Subscriptions[k]
			u.MostLagBytes, u.MostLagAtS = bytes, t
		}
		if k < len(peaks) {
			r.Subscriptions[k].MostLagS = max(r.Subscriptions[k].MostLagS, seconds)
		}
	}
	run.Happened = func(e timeline.Event) {
		if e.Kind == timeline.Limited && e.T == 0 {
			return
		}
		if e.Kind != timeline.Limited {
			r.Events = append(r.Events, Event{e.T, e.Consumer, string(e.Kind), e.Text})
		}
		if e.Kind == timeline.CaughtUp {
			for i := range r.Subscriptions {
				if r.Subscriptions[i].Name == e.Consumer {
					t := e.T
					r.Subscriptions[i].CaughtUpS = &t
				}
			}
		}
	}
	if err := run.Run(); err != nil {
		return nil, err
	}
	r.EndS = run.Time()
	last := run.Moment()
	r.moment(last, setup.Start)
	r.WALBytes = last.Written
	for i := range r.Subscriptions {
		v := &last.Consumers[i]
		r.Subscriptions[i].Applied, r.Subscriptions[i].WALBytes = v.Applied, v.SubscriberWAL
		if v.Limit != timeline.KeepsUp {
			r.Subscriptions[i].CaughtUpS = nil
		}
	}
	if crowded {
		r.Warnings = append(r.Warnings, "the publisher's backends want more cores than it has: a real publisher would be slower, and its transactions would come later")
	}
	r.assume(s, c)
	return r, nil
}

// moment notes a moment.
func (r *Report) moment(m *timeline.Moment, start uint64) {
	if n := len(r.Moments); n > 0 && r.Moments[n-1].T >= m.T {
		return
	}
	lsn := func(pos float64) string {
		l := start + uint64(max(pos, 0))
		return fmt.Sprintf("%X/%X", l>>32, l&0xFFFFFFFF)
	}
	x := Moment{T: m.T, WALBytes: m.Written, WALPerS: m.WALPerS, WALSize: m.WALSize}
	for _, v := range m.Consumers {
		s := Status{
			Name: v.Name, Limit: v.Limit.String(), SentLag: m.Written - v.Sent, ReplayLag: m.Written - v.Replayed, ReplayLagS: v.ReplayLag,
			WriteLSN: lsn(v.Sent), ReplayLSN: lsn(v.ReportedReplay), Restart: lsn(v.Restart), Confirmed: lsn(v.ReportedFlush), Retained: v.Retained,
			WALStatus: v.Status, SafeWALSize: v.Safe, CatalogXminAge: v.CatalogXminAge, Walsender: v.WalsenderCores, Worker: v.WorkerCores,
		}
		if v.Restart < 0 {
			s.Restart = ""
		}
		x.Consumers = append(x.Consumers, s)
	}
	r.Moments = append(r.Moments, x)
}

// greatest is the greatest rate that a subscription sustains, with the mean mix of the
// run, and what limits it.
func greatest(t *timeline.Setup, k int) Subscription {
	u := Subscription{Name: t.Consumers[k].Name}
	var sender, bytes, worker, cpu, wal, changes float64 // a second, on average
	backends := 0.0
	for i := range t.Sources {
		x := &t.Sources[i]
		n := mean(x, t.Duration)
		w := &x.Costs[k]
		sender += float64(n * (w.Read + w.Send))
		bytes += float64(n * w.Bytes)
		worker += float64(n * (w.Apply + w.Wait))
		cpu += float64(n * w.Apply)
		wal += float64(n * x.WAL)
		backends += float64(n * x.Backend)
		if w.Bytes > 0 {
			changes += float64(n * x.Changes)
		}
	}
	loads := []struct {
		limit timeline.Limit
		load  float64
	}{{timeline.Worker, worker}, {timeline.Walsender, sender}}
	if b := t.Network.Bandwidth; b > 0 {
		loads = append(loads, struct {
			limit timeline.Limit
			load  float64
		}{timeline.Bandwidth, bytes / b})
	}
	host := t.Consumers[k].Host
	if c := t.Hosts[host].Cores; c > 0 {
		want := cpu
		if host == 0 {
			want += sender + backends
		}
		loads = append(loads, struct {
			limit timeline.Limit
			load  float64
		}{timeline.Cores, want / c})
	}
	for _, l := range loads {
		if l.load > u.Load {
			u.Load, u.Limit = l.load, l.limit.String()
		}
	}
	if u.Load > 0 {
		u.GreatestRate = changes / u.Load
	}
	return u
}

// mean is how many of a source's transactions come in a second of the run.
func mean(x *timeline.Source, end float64) float64 {
	n := 0.0
	if x.Large {
		for x.Begin(n) < end {
			n++
		}
		return n / end
	}
	for t := 0.0; t < end; {
		rate, until := x.Rate(t)
		until = min(until, end)
		n += float64(rate * (until - t))
		t = until
	}
	return n / end
}

// assume lists what was assumed.
func (r *Report) assume(s *scenario.Scenario, c *Costs) {
	if c.Simulated < c.Changes*0.999 {
		r.Assumptions = append(r.Assumptions, fmt.Sprintf("costs are the mean of %.0f changes that were simulated row by row, of %.0f", c.Simulated, c.Changes))
	}
	if text := assumeImages(s, c); text != "" {
		r.Assumptions = append(r.Assumptions, text)
	}
	if s.Network == nil {
		r.Assumptions = append(r.Assumptions, fmt.Sprintf("a network of %v round trip and no limit to its bandwidth", scenario.DefaultRoundTrip))
	}
	if s.Publisher == nil || s.Publisher.Backend == 0 {
		text := "the publisher's backends take no cores from anybody"
		if a := c.backend(s); a > 0 {
			text += fmt.Sprintf("; by the profile they want %.3g µs a change ([publisher] backend)", a*1e6)
		}
		r.Assumptions = append(r.Assumptions, text)
	}
	for _, op := range r.Operations {
		if op.Large {
			r.Assumptions = append(r.Assumptions, "half of a walsender's CPU for a large transaction is spent while its WAL is read, half when it is sent")
			break
		}
	}
}

// assumeImages says what costs take for granted of full-page images.
func assumeImages(s *scenario.Scenario, c *Costs) string {
	set := guc.Defaults()
	for _, x := range s.Settings {
		_ = set.Set(x.Name, x.Value) // they are known to be good
	}
	if !set.FullPageWrites || c.Length >= set.CheckpointTimeout.Seconds() || c.Length >= s.Duration.Seconds() {
		return ""
	}
	return fmt.Sprintf("full-page images are those of the first %.3g s after a checkpoint, which were simulated: later there are fewer, so that less WAL is written (--sample makes that part longer)", c.Length)
}
