package scenario

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"applysim/model/guc"
	"applysim/model/slots"
	"applysim/model/synccommit"
)

// Publisher is the server that the changes come from.
type Publisher struct {
	Settings slots.Settings
	// Commit are those that decide when a client is answered.
	Commit synccommit.Settings
	// Server are the others, which decide what WAL it writes.
	Server []Setting
	// Schema is the path of its DDL; "" if it is the subscriber's.
	Schema string
	// Cores are those of its host; 0 means more than are needed.
	Cores float64
	// Backend is what a change takes the backend that makes it, CPU; 0 leaves the
	// backends out.
	Backend time.Duration
	// Transaction is what a transaction takes it beside, and Flush how long a flush of the
	// WAL lasts.
	Transaction, Flush time.Duration
	// OtherWAL is what is written beside the scenario's changes, bytes of WAL a second.
	OtherWAL float64
	// Disk is the size of the file system that pg_wal is on, and DiskUsed what else is on
	// it; 0 if it is not told.
	Disk, DiskUsed uint64
	at             string
}

// Network is the way between the servers.
type Network struct {
	// SameHost says that both servers are on the publisher's host and share its cores.
	SameHost  bool
	RoundTrip time.Duration
	Bandwidth float64 // bytes a second; 0 means that it is no limit
	Buffer    uint64  // bytes that the sockets hold between walsender and worker
}

// Subscription is one of the publisher's consumers, with an apply worker.
type Subscription struct {
	Name      string
	Tables    []string // that it gets; nil for all
	Streaming string   // off, on or parallel
	// ParallelWorkers is max_parallel_apply_workers_per_subscription.
	ParallelWorkers int
	// Server names the subscriber's host: subscriptions with the same one share its
	// cores.
	Server string
	Cores  float64 // of that host; 0 means more than are needed
	// Synchronous says that the worker's commits are flushed one by one
	// (synchronous_commit of the subscription), each in Flush.
	Synchronous bool
	Flush       time.Duration
	// Wait is what the worker waits for each change, beside what it computes: for a
	// trigger, for pages that must be read.
	Wait time.Duration
	// Speed is how fast the worker is, beside the profile's machine.
	Speed   float64
	Stopped []Period // times at which it is disabled
	at      string
}

// Slot is a slot beside those of the subscriptions.
type Slot struct {
	Name     string
	Physical bool
	// Rate is how much WAL its consumer can take, bytes a second: infinite if it keeps up
	// whatever comes, 0 if there is no consumer.
	Rate    float64
	Stopped []Period
	at      string
}

// Period is a time within the run. Until is 0 if it goes on to its end.
type Period struct{ From, Until time.Duration }

// Defaults of a network that a file does not describe.
const (
	DefaultRoundTrip = 500 * time.Microsecond
	// DefaultBuffer is what a send and a receive buffer of Linux hold together at their
	// greatest: tcp_wmem 4 MB, of tcp_rmem 6 MB.
	DefaultBuffer = 6 << 20
)

// decodePipeline reads what a file says of the way to the subscriber.
func (s *Scenario) decodePipeline(d *decoder, t *section) {
	if _, array := t.values["subscription"].([]any); array {
		for _, u := range t.list("subscription") {
			s.Subscriptions = append(s.Subscriptions, decodeSubscription(d, u, s))
		}
		for i, x := range s.Subscriptions {
			for _, y := range s.Subscriptions[:i] {
				if x.Name == y.Name {
					d.fail(x.at, "there are two subscriptions called %q: expected another name", x.Name)
				}
				if x.Server == y.Server && x.Cores != y.Cores && x.Cores*y.Cores != 0 {
					d.fail(x.at+".cores", "cores = %v: subscription %q says that server %q has %v", x.Cores, y.Name, y.Server, y.Cores)
				}
			}
		}
		first := s.Subscriptions[0]
		s.Binary, s.Streaming = t.list("subscription")[0].boolean("binary", false), first.Streaming
	} else if u := t.table("subscription"); u != nil {
		s.Binary = u.boolean("binary", false)
		s.Streaming = u.choice("streaming", "", streamings)
		u.done()
	}
	if p := t.table("publisher"); p != nil {
		s.Publisher = decodePublisher(d, p)
	}
	if n := t.table("network"); n != nil {
		s.Network = &Network{SameHost: n.boolean("same_host", false), RoundTrip: n.duration("round_trip", DefaultRoundTrip), Bandwidth: n.bandwidth("bandwidth"), Buffer: n.size("buffer", DefaultBuffer)}
		n.done()
	}
	for _, x := range t.list("slot") {
		s.Slots = append(s.Slots, decodeSlot(d, x, s))
	}
	if c := t.table("clients"); c != nil {
		s.Clients = decodeClients(c)
	}
	for _, x := range t.list("standby") {
		s.Standbys = append(s.Standbys, decodeStandby(d, x, s))
	}
}

var streamings = []string{"off", "on", "parallel"}

func decodePublisher(d *decoder, t *section) *Publisher {
	p := &Publisher{Settings: slots.DefaultSettings(), Commit: synccommit.DefaultSettings(), at: t.path}
	p.Schema = t.text("schema", "")
	p.Cores = t.number("cores", 0, 0, 1e6)
	p.Backend = t.duration("backend", 0)
	p.Transaction, p.Flush = t.duration("transaction", 0), t.duration("flush", DefaultFlush)
	p.OtherWAL = float64(t.size("other_wal", 0))
	p.Disk, p.DiskUsed = t.size("disk", 0), t.size("disk_used", 0)
	if p.DiskUsed > 0 && p.DiskUsed >= p.Disk {
		d.fail(t.at("disk_used"), "disk_used: expected less than disk")
	}
	if u := t.table("settings"); u != nil {
		for _, name := range slices.Sorted(keys(u.values)) {
			v := u.values[name]
			switch v.(type) {
			case string, bool, int64, float64:
			default:
				d.fail(u.at(name), "%s: found %s, expected a text or a number", name, describe(v))
				continue
			}
			own := slices.Contains(slots.Names, strings.ToLower(name))
			commits := slices.Contains(synccommit.SettingNames, strings.ToLower(name))
			var err error
			if own {
				err = p.Settings.Set(name, fmt.Sprint(v))
			}
			if err == nil && commits {
				err = p.Commit.Set(name, fmt.Sprint(v))
			}
			if err != nil {
				d.fail(u.at(name), "%v", err)
				continue
			}
			probe := guc.Defaults()
			if err := probe.Set(name, fmt.Sprint(v)); err == nil {
				p.Server = append(p.Server, Setting{Name: name, Value: fmt.Sprint(v), at: u.at(name)})
			} else if !own && !commits {
				d.fail(u.at(name), "%v", err)
			}
		}
	}
	t.done()
	return p
}

func decodeSubscription(d *decoder, t *section, s *Scenario) *Subscription {
	u := &Subscription{at: t.path}
	if u.Name = t.text("name", fmt.Sprintf("sub%d", len(s.Subscriptions)+1)); u.Name == "" {
		d.fail(t.at("name"), "name: found \"\", expected that of a subscription")
	}
	u.Tables = t.texts("tables")
	t.boolean("binary", false)
	u.Streaming = t.choice("streaming", "parallel", streamings)
	u.ParallelWorkers = int(t.integer("max_parallel_apply_workers", 2, 0, 1024))
	u.Server = t.text("server", "subscriber")
	u.Cores = t.number("cores", 0, 0, 1e6)
	u.Synchronous = t.choice("synchronous_commit", "off", []string{"off", "local", "remote_write", "on", "remote_apply"}) != "off"
	u.Flush = t.duration("flush", 0)
	u.Wait = t.duration("wait", 0)
	u.Speed = t.number("speed", 1, 1e-6, 1e6)
	u.Stopped = decodePeriods(t, s.Duration)
	t.done()
	return u
}

func decodeSlot(d *decoder, t *section, s *Scenario) *Slot {
	x := &Slot{Name: t.text("name", ""), at: t.path}
	if x.Name == "" {
		d.fail(t.path, "a slot without a name: expected name = \"...\"")
	}
	taken := slices.ContainsFunc(s.Slots, func(o *Slot) bool { return o.Name == x.Name }) ||
		slices.ContainsFunc(s.Subscriptions, func(u *Subscription) bool { return u.Name == x.Name })
	if taken {
		d.fail(t.at("name"), "the name %q is taken by another slot or subscription: expected another one", x.Name)
	}
	x.Physical = t.choice("type", "logical", []string{"logical", "physical"}) == "physical"
	x.Rate = math.Inf(1)
	if t.has("reads") {
		if v, ok := t.get("reads"); ok && v == "nothing" {
			x.Rate = 0
		} else {
			x.Rate = t.bandwidth("reads")
		}
	}
	x.Stopped = decodePeriods(t, s.Duration)
	t.done()
	return x
}

func decodePeriods(t *section, run time.Duration) []Period {
	var list []Period
	for _, p := range t.list("stopped") {
		x := Period{From: p.duration("from", 0), Until: p.duration("until", 0)}
		if x.Until != 0 && x.Until <= x.From {
			t.d.fail(p.at("until"), "until = %v: expected a time after from, %v", x.Until, x.From)
		}
		if n := len(list); n > 0 && (list[n-1].Until == 0 || x.From < list[n-1].Until) {
			t.d.fail(p.at("from"), "from = %v: expected a time after the period before", x.From)
		}
		if run > 0 && x.From >= run {
			t.d.fail(p.at("from"), "from = %v: expected a time within the run of %v", x.From, run)
		}
		list = append(list, x)
		p.done()
	}
	return list
}

// size reads a number of bytes with PostgreSQL's units.
func (t *section) size(key string, otherwise uint64) uint64 {
	v, ok := t.get(key)
	if !ok {
		return otherwise
	}
	text, isText := v.(string)
	if n, number := v.(int64); number && n >= 0 {
		text, isText = fmt.Sprint(n, "B"), true
	}
	n, err := guc.ParseSize(text, 1, 0, 1<<60)
	if !isText || err != nil {
		t.wrong(key, v, "a size such as \"16MB\" or \"100GB\"")
	}
	return n
}

// bandwidth reads bytes a second, in bits or bytes; 0 if it is not there.
func (t *section) bandwidth(key string) float64 {
	v, ok := t.get(key)
	if !ok {
		return 0
	}
	const expected = "what passes in a second, such as \"100Mbit\", \"1Gbit\" or \"20MB\""
	text, isText := v.(string)
	if !isText {
		t.wrong(key, v, expected)
		return 0
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), "/s")
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"Gbit", 1e9 / 8}, {"Mbit", 1e6 / 8}, {"kbit", 1e3 / 8}} {
		if digits, ok := strings.CutSuffix(text, unit.name); ok {
			var f float64
			if n, err := fmt.Sscanf(digits+" ", "%g", &f); n != 1 || err != nil || !(f > 0 && f < 1e9) {
				t.wrong(key, v, expected)
			}
			return f * unit.bytes
		}
	}
	n, err := guc.ParseSize(text, 1, 1, 1<<60)
	if err != nil {
		t.wrong(key, v, expected)
	}
	return float64(n)
}
