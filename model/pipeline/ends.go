package pipeline

import (
	"applysim/model/cost"
	"applysim/model/scenario"
)

// Ends is what a scenario's changes take at both ends, on average.
type Ends struct {
	Changes  float64 `json:"changes_per_s"` // of the scenario, over its whole run
	WALBytes float64 `json:"publisher_wal_bytes_per_change"`
	WALPerS  float64 `json:"publisher_wal_bytes_per_s"`
	// BackendS is what a change takes the backend that makes it: what the scenario says, else
	// by the profile; null if that does not price it.
	BackendS      *float64  `json:"backend_cpu_s_per_change"`
	Subscriptions []SideEnd `json:"subscriptions"`
	// Simulated is how many changes were simulated row by row.
	Simulated float64 `json:"simulated_changes"`
	// Kinds says how each figure came about.
	Kinds map[string]cost.Kind `json:"kinds"`
}

// SideEnd is what a subscription takes for a change of the scenario: 0 where it gets none.
type SideEnd struct {
	Name       string  `json:"name"`
	Bytes      float64 `json:"stream_bytes_per_change"`
	WalsenderS float64 `json:"walsender_cpu_s_per_change"` // on the publisher
	ApplyS     float64 `json:"worker_cpu_s_per_change"`
	WaitS      float64 `json:"worker_wait_s_per_change"`
	WALBytes   float64 `json:"subscriber_wal_bytes_per_change"`
}

// BothEnds works out what a scenario's changes take at both ends; nil if the scenario says
// nothing of its publisher and of subscriptions.
func BothEnds(s *scenario.Scenario, o *Options) (*Ends, error) {
	if s.Publisher == nil && len(s.Subscriptions) == 0 {
		return nil, nil
	}
	c, err := Measure(s, o)
	if err != nil {
		return nil, err
	}
	seconds := s.Duration.Seconds()
	if seconds == 0 {
		seconds = 1 // transactions are those of a second
	}
	e := &Ends{Simulated: c.Simulated, Kinds: map[string]cost.Kind{"bytes": cost.Exact, "cpu": cost.Calibrated, "backend": cost.Assumed, "wait": cost.Assumed}}
	subscriptions := s.Subscriptions
	if len(subscriptions) == 0 {
		subscriptions = []*scenario.Subscription{{Name: "sub", Speed: 1}}
	}
	for _, u := range subscriptions {
		e.Subscriptions = append(e.Subscriptions, SideEnd{Name: u.Name})
	}
	for i := range c.Operations {
		op := &c.Operations[i]
		n := transactions(s, i) / seconds
		e.Changes += float64(n * op.Changes)
		e.WALPerS += float64(n * op.WAL)
		for k, u := range subscriptions {
			x, w := &e.Subscriptions[k], &op.Subscriptions[k]
			x.Bytes += float64(n * w.Bytes)
			x.WalsenderS += float64(n * w.Sender)
			x.ApplyS += float64(n*w.Apply) / u.Speed
			x.WaitS += float64(n * w.Changes * u.Wait.Seconds())
			if u.Synchronous {
				x.WaitS += float64(n * u.Flush.Seconds())
			}
			x.WALBytes += float64(n * w.WAL)
		}
	}
	if e.Changes == 0 {
		return e, nil
	}
	e.WALBytes = e.WALPerS / e.Changes
	for k := range e.Subscriptions {
		x := &e.Subscriptions[k]
		for _, v := range []*float64{&x.Bytes, &x.WalsenderS, &x.ApplyS, &x.WaitS, &x.WALBytes} {
			*v /= e.Changes
		}
	}
	if p := s.Publisher; p != nil && p.Backend > 0 {
		b := p.Backend.Seconds()
		e.BackendS = &b
	} else if b := c.backend(s); b > 0 {
		e.BackendS, e.Kinds["backend"] = &b, cost.Calibrated
	}
	return e, nil
}
