package pipeline

import (
	"fmt"
	"math"
	"strings"
	"time"

	"applysim/model/scenario"
	"applysim/model/synccommit"
)

// Commits is what clients wait for in a scenario.
type Commits struct {
	SchemaVersion int    `json:"schema_version"`
	Scenario      string `json:"scenario"`
	Profile       string `json:"profile"`
	// Levels has the scenario at each level of synchronous_commit, Chosen which of them is
	// the scenario's own.
	Levels []*synccommit.Result `json:"levels"`
	Chosen int                  `json:"chosen"`
	// Clients and RoundTrips are the axes of Grid, which has the chosen level.
	Clients     []int                  `json:"grid_clients"`
	RoundTrips  []float64              `json:"grid_round_trips_s"`
	Grid        [][]*synccommit.Result `json:"grid"` // by clients, then by round trip
	Warnings    []string               `json:"warnings"`
	Assumptions []string               `json:"assumptions"`
}

// CommitOptions are the questions.
type CommitOptions struct {
	Options
	Clients    []int     // of the grid
	RoundTrips []float64 // seconds
	Seed       uint64
}

// commitLimit is how many transactions a cell of a grid has at most.
const commitLimit = 5_000

// Commit works out what clients wait for.
func Commit(s *scenario.Scenario, o *CommitOptions) (*Commits, error) {
	if len(s.Standbys) == 0 && len(s.Subscriptions) == 0 {
		return nil, fmt.Errorf("%s: nobody to wait for: expected a [[standby]] or a [[subscription]]", s.File)
	}
	costs, err := Measure(s, &o.Options)
	if err != nil {
		return nil, err
	}
	r := &Commits{SchemaVersion: 1, Scenario: s.File, Profile: o.Profile.Name, Clients: o.Clients, RoundTrips: o.RoundTrips, Warnings: append([]string{}, costs.Warnings...), Assumptions: []string{}}
	setup, err := r.setup(s, costs, o)
	if err != nil {
		return nil, err
	}
	for i, l := range synccommit.Levels {
		x := *setup
		x.Level = l
		if l == setup.Level {
			r.Chosen = i
		}
		if !loses(setup) {
			x.Limit = 10 * commitLimit
		}
		one, err := synccommit.Run(&x)
		if err != nil {
			return nil, err
		}
		r.Levels = append(r.Levels, one)
	}
	for _, n := range o.Clients {
		var row []*synccommit.Result
		for _, trip := range o.RoundTrips {
			x := *setup
			x.Clients, x.Limit, x.CancelAfter = n, commitLimit, 0
			x.Standbys = append([]synccommit.Standby{}, setup.Standbys...)
			for i := range x.Standbys {
				x.Standbys[i].RoundTrip, x.Standbys[i].Lost = trip, nil
			}
			one, err := synccommit.Run(&x)
			if err != nil {
				return nil, err
			}
			row = append(row, one)
		}
		r.Grid = append(r.Grid, row)
	}
	return r, nil
}

func loses(s *synccommit.Setup) bool {
	for i := range s.Standbys {
		if len(s.Standbys[i].Lost) > 0 {
			return true
		}
	}
	return false
}

// setup makes a scenario's setup. The publisher's host is the first, and on one host
// everything is there.
func (r *Commits) setup(s *scenario.Scenario, c *Costs, o *CommitOptions) (*synccommit.Setup, error) {
	assume := func(format string, args ...any) { r.Assumptions = append(r.Assumptions, fmt.Sprintf(format, args...)) }
	x := synccommit.New()
	p := s.Publisher
	if p == nil {
		p = &scenario.Publisher{Commit: synccommit.DefaultSettings(), Flush: scenario.DefaultFlush}
	}
	p.Commit.Apply(x)
	x.Seed, x.Flush, x.Hosts[0].Cores = o.Seed, p.Flush.Seconds(), int(math.Ceil(p.Cores))
	clients := s.Clients
	if clients == nil {
		clients = &scenario.Clients{Count: 1, Duration: defaultDuration}
		assume("one client that does not think ([clients] says more)")
	}
	x.Clients, x.Trip, x.CancelAfter, x.Spread = clients.Count, (clients.Think + clients.RoundTrip).Seconds(), clients.CancelAfter.Seconds(), clients.Spread
	x.Duration = clients.Duration.Seconds()
	x.WarmUp = min(x.Duration/10, 0.5)
	rates := Physical()
	x.Work = synccommit.Work{Send: rates.Send.Value, Hear: rates.Send.Value, Receive: rates.Receive.Value, Reply: rates.Receive.Value, Wake: rates.Wake.Value}
	speed := r.receivers(s, x, &p.Commit)
	backend := p.Backend.Seconds()
	if backend == 0 {
		if q := o.Profile.Publisher; q != nil {
			backend = q.Backend.Value * 1e-6
		}
		if backend == 0 {
			backend = backendChange
		}
		assume("a change takes its backend %.3g µs ([publisher] backend)", backend*1e6)
	}
	if text := assumeImages(s, c); text != "" {
		r.Assumptions = append(r.Assumptions, text)
	}
	var left []string
	for i, op := range s.Operations {
		k := &c.Operations[i]
		if k.Transactions == 0 {
			continue
		}
		t := synccommit.Transaction{Name: k.Name, Weight: k.Transactions, WAL: max(k.WAL, 1), Execute: float64(k.Changes*backend) + p.Transaction.Seconds() + clients.CPU.Seconds()}
		if op.Lasts > 0 || t.Execute > moment {
			left = append(left, k.Name)
			continue
		}
		for j := range s.Standbys {
			take := s.Standbys[j].Replay.Seconds()
			if take == 0 {
				take = rates.replay(k)
			}
			t.Standbys = append(t.Standbys, synccommit.Replay{Send: float64(rates.SendByte.Value * k.WAL), Replay: take / speed[j]})
		}
		for j, u := range s.Subscriptions {
			y := &k.Subscriptions[j]
			t.Standbys = append(t.Standbys, synccommit.Replay{Bytes: y.Bytes, Send: y.Sender, Replay: y.Apply/u.Speed + float64(u.Wait.Seconds()*y.Changes), WAL: y.WAL})
		}
		x.Transactions = append(x.Transactions, t)
	}
	if len(left) > 0 {
		assume("clients do nothing of: %s", strings.Join(left, "; "))
	}
	if len(x.Transactions) == 0 {
		return nil, fmt.Errorf("%s: only large transactions: what clients wait for is told of small ones", s.File)
	}
	if p.Flush == scenario.DefaultFlush {
		assume("a flush of the WAL takes %v ([publisher] and [[standby]] flush)", p.Flush)
	}
	if clients.Spread == 0 {
		assume("transactions and flushes take always the same time, so that there is no tail ([clients] spread)")
	}
	if len(s.Standbys) > 0 {
		assume("a walsender takes %.1f µs of CPU for a message or a reply, a walreceiver %.1f, and a startup process %.1f to wake up and %.2f for a record: calibrated on recorded runs, not by the profile",
			rates.Send.Value*1e6, rates.Receive.Value*1e6, rates.Wake.Value*1e6, rates.Replay.Value*1e6)
	}
	return x, nil
}

// defaultDuration is how long clients are looked at if a file does not say.
const defaultDuration = 10 * time.Second

// receivers adds standbys and subscriptions to a setup and returns how fast each is.
func (r *Commits) receivers(s *scenario.Scenario, x *synccommit.Setup, v *synccommit.Settings) []float64 {
	var speed []float64
	hosts := map[string]int{}
	host := func(name string, cores int) int {
		if s.Network != nil && s.Network.SameHost {
			return 0
		}
		n, ok := hosts[name]
		if !ok {
			n = len(x.Hosts)
			hosts[name] = n
			x.Hosts = append(x.Hosts, synccommit.Host{Name: name})
		}
		x.Hosts[n].Cores = max(x.Hosts[n].Cores, cores)
		return n
	}
	for _, b := range s.Standbys {
		y := synccommit.Standby{Name: b.Name, Host: host(b.Server, b.Cores), RoundTrip: b.RoundTrip.Seconds(), Bandwidth: b.Bandwidth, Flush: b.Flush.Seconds(), ApplyDelay: b.ApplyDelay.Seconds(), StatusInterval: b.StatusInterval.Seconds()}
		for _, l := range b.Lost {
			z := synccommit.Loss{At: l.From.Seconds(), Until: math.Inf(1)}
			if l.Until > 0 {
				z.Until = l.Until.Seconds()
			}
			if l.Silent {
				z.How = synccommit.Silent
			}
			y.Lost = append(y.Lost, z)
		}
		x.Standbys = append(x.Standbys, y)
		speed = append(speed, b.Speed)
	}
	n := s.Network
	if n == nil {
		n = &scenario.Network{RoundTrip: scenario.DefaultRoundTrip}
		if len(s.Subscriptions) > 0 {
			r.Assumptions = append(r.Assumptions, fmt.Sprintf("a network of %v round trip", n.RoundTrip))
		}
	}
	for _, u := range s.Subscriptions {
		y := synccommit.Standby{Name: u.Name, Host: host(u.Server, int(math.Ceil(u.Cores))), RoundTrip: n.RoundTrip.Seconds(), Bandwidth: n.Bandwidth, Flush: u.Flush.Seconds(), Logical: true, SynchronousCommit: u.Synchronous}
		if y.Flush == 0 {
			y.Flush = scenario.DefaultFlush.Seconds()
		}
		x.Standbys = append(x.Standbys, y)
		speed = append(speed, u.Speed)
	}
	for _, name := range v.Names.Names {
		found := name == "*"
		for i := range x.Standbys {
			found = found || strings.EqualFold(x.Standbys[i].Name, name)
		}
		if !found {
			r.Warnings = append(r.Warnings, fmt.Sprintf("synchronous_standby_names has %q, but no [[standby]] or [[subscription]] is called so", name))
		}
	}
	if v.Names.Count > 0 {
		n := 0
		for i := range x.Standbys {
			if v.Names.Priority(x.Standbys[i].Name) > 0 {
				n++
			}
		}
		if n < v.Names.Count {
			r.Warnings = append(r.Warnings, fmt.Sprintf("synchronous_standby_names asks for %d, but only %d are there: no commit that waits for them is ever answered", v.Names.Count, n))
		}
	} else {
		r.Warnings = append(r.Warnings, "synchronous_standby_names is empty: remote_write, on and remote_apply are the same as local")
	}
	return speed
}
