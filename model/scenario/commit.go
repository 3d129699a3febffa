package scenario

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"applysim/model/guc"
)

// Clients are those that commit and wait for an answer.
type Clients struct {
	Count int
	// Think is how long each waits from an answer to its next transaction, RoundTrip what
	// the way to the publisher and back takes for each transaction, CPU what a client takes
	// of the publisher's cores for one if it runs there.
	Think, RoundTrip, CPU time.Duration
	// CancelAfter is after how long a client cancels its wait for a standby; 0 for never.
	CancelAfter time.Duration
	// Duration is how long they are looked at.
	Duration time.Duration
	// Spread is the coefficient of variation of times of executing and flushing.
	Spread float64
}

// Standby is a physical standby.
type Standby struct {
	Name      string // its application_name
	Server    string // names its host: standbys with the same one share its cores
	Cores     int    // of that host; 0 means more than are needed
	RoundTrip time.Duration
	Bandwidth float64 // bytes a second; 0 means that it is no limit
	Flush     time.Duration
	// Replay is what the startup process takes for a transaction, CPU; 0 stands for what
	// its WAL takes on the profile's machine.
	Replay time.Duration
	Speed  float64
	// ApplyDelay is recovery_min_apply_delay, StatusInterval wal_receiver_status_interval.
	ApplyDelay, StatusInterval time.Duration
	Lost                       []Lost
	at                         string
}

// Lost is a time without a standby. Until is 0 if it does not come back.
type Lost struct {
	From, Until time.Duration
	Silent      bool // its host or the network is gone, and nobody tells the publisher
}

// Defaults of what a file does not say.
const (
	// DefaultFlush is what a flush of the WAL takes, about: an SSD without a cache that
	// outlives a loss of power.
	DefaultFlush    = time.Millisecond
	defaultInterval = 10 * time.Second // wal_receiver_status_interval
	defaultCounted  = 10 * time.Second
)

func decodeClients(t *section) *Clients {
	c := &Clients{
		Count: int(t.integer("count", 1, 1, 10_000)), Think: t.duration("think", 0), RoundTrip: t.duration("round_trip", 0), CPU: t.duration("cpu", 0),
		CancelAfter: t.duration("cancel_after", 0), Duration: t.duration("duration", defaultCounted), Spread: t.number("spread", 0, 0, 10),
	}
	t.done()
	return c
}

// decodeStandby reads a [[standby]].
func decodeStandby(d *decoder, t *section, s *Scenario) *Standby {
	x := &Standby{Name: t.text("name", ""), at: t.path}
	if x.Name == "" {
		d.fail(t.path, "a standby without a name: expected name = \"...\", its application_name")
	}
	taken := slices.ContainsFunc(s.Standbys, func(o *Standby) bool { return strings.EqualFold(o.Name, x.Name) }) ||
		slices.ContainsFunc(s.Subscriptions, func(u *Subscription) bool { return strings.EqualFold(u.Name, x.Name) })
	if taken {
		d.fail(t.at("name"), "the name %q is taken by another standby or subscription: expected another one", x.Name)
	}
	x.Server = t.text("server", x.Name)
	x.Cores = int(t.integer("cores", 0, 0, 1_000_000))
	trip := DefaultRoundTrip
	if s.Network != nil {
		trip, x.Bandwidth = s.Network.RoundTrip, s.Network.Bandwidth
	}
	x.RoundTrip = t.duration("round_trip", trip)
	if t.has("bandwidth") {
		x.Bandwidth = t.bandwidth("bandwidth")
	}
	x.Flush = t.duration("flush", DefaultFlush)
	x.Replay = t.duration("replay", 0)
	x.Speed = t.number("speed", 1, 1e-6, 1e6)
	x.StatusInterval = defaultInterval
	if u := t.table("settings"); u != nil {
		for name, into := range map[string]struct {
			value *time.Duration
			base  time.Duration
			most  time.Duration
		}{
			"recovery_min_apply_delay":     {&x.ApplyDelay, time.Millisecond, 24 * 24 * time.Hour},
			"wal_receiver_status_interval": {&x.StatusInterval, time.Second, 24 * 24 * time.Hour},
		} {
			v, ok := u.get(name)
			if !ok {
				continue
			}
			n, err := guc.ParseTime(fmt.Sprint(v), into.base, 0, into.most)
			if err != nil {
				d.fail(u.at(name), "invalid value for parameter %q: %q: %v", name, fmt.Sprint(v), err)
			}
			*into.value = n
		}
		slices.Sort(u.known)
		u.done()
	}
	for _, p := range t.list("lost") {
		l := Lost{From: p.duration("from", 0), Until: p.duration("until", 0)}
		l.Silent = p.choice("how", "crash", []string{"crash", "silent"}) == "silent"
		if l.Until != 0 && l.Until <= l.From {
			d.fail(p.at("until"), "until = %v: expected a time after from, %v", l.Until, l.From)
		}
		if n := len(x.Lost); n > 0 && (x.Lost[n-1].Until == 0 || l.From < x.Lost[n-1].Until) {
			d.fail(p.at("from"), "from = %v: expected a time after the loss before", l.From)
		}
		x.Lost = append(x.Lost, l)
		p.done()
	}
	t.done()
	return x
}
