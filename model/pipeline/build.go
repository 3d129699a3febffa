package pipeline

import (
	"math"

	"applysim/model/scenario"
	"applysim/model/slots"
	"applysim/model/timeline"
)

// moment is how long a transaction may take a stage, or stay open, without being looked
// at by itself, in seconds.
const moment = 0.05

// Build makes the timeline of a scenario whose costs are known. drain is how long the run
// may go on until everything is applied, seconds.
func Build(s *scenario.Scenario, c *Costs, drain float64) *timeline.Setup {
	t := &timeline.Setup{Duration: s.Duration.Seconds(), Drain: drain, Settings: slots.DefaultSettings(), Start: start, Snapshots: 15}
	publisher := timeline.Host{Name: "publisher"}
	backend := 0.0
	if p := s.Publisher; p != nil {
		t.Settings, publisher.Cores, backend, t.OtherWAL = p.Settings, p.Cores, p.Backend.Seconds(), p.OtherWAL
		if p.Disk > 0 {
			t.Free = float64(p.Disk - p.DiskUsed)
		}
	}
	t.Hosts = []timeline.Host{publisher}
	n := s.Network
	if n == nil {
		n = &scenario.Network{RoundTrip: scenario.DefaultRoundTrip, Buffer: scenario.DefaultBuffer}
	}
	t.Network = timeline.Network{RoundTrip: n.RoundTrip.Seconds(), Bandwidth: n.Bandwidth, Buffer: float64(n.Buffer)}
	subscriptions := s.Subscriptions
	if len(subscriptions) == 0 {
		subscriptions = []*scenario.Subscription{{Name: "sub", Streaming: s.Streaming, Server: "subscriber", Speed: 1, ParallelWorkers: 2}}
	}
	hosts := map[string]int{}
	for _, u := range subscriptions {
		x := timeline.Consumer{Name: u.Name, Rate: math.Inf(1), FlushDelay: flushDelay, Workers: u.ParallelWorkers, Stopped: periods(u.Stopped)}
		switch u.Streaming {
		case "on":
			x.Streaming = timeline.Spooled
		case "parallel", "":
			if x.Streaming = timeline.Parallel; u.ParallelWorkers == 0 {
				x.Streaming = timeline.Spooled
			}
		}
		if u.Synchronous {
			x.FlushDelay = 0
		}
		if !n.SameHost {
			if _, ok := hosts[u.Server]; !ok {
				hosts[u.Server] = len(t.Hosts)
				t.Hosts = append(t.Hosts, timeline.Host{Name: u.Server})
			}
			x.Host = hosts[u.Server]
			t.Hosts[x.Host].Cores = max(t.Hosts[x.Host].Cores, u.Cores)
		}
		t.Consumers = append(t.Consumers, x)
	}
	for _, x := range s.Slots {
		t.Consumers = append(t.Consumers, timeline.Consumer{Name: x.Name, Rate: x.Rate, Physical: x.Physical, Stopped: periods(x.Stopped)})
	}
	for i, op := range s.Operations {
		t.Sources = append(t.Sources, source(s, c, i, op, subscriptions, len(t.Consumers), backend))
	}
	return t
}

// start is where the WAL of a new cluster begins, about.
const start = 16 << 20

// flushDelay is how long the WAL of an asynchronous commit waits for the WAL writer on
// average: half of wal_writer_delay.
const flushDelay = 0.1

func periods(list []scenario.Period) []timeline.Period {
	var out []timeline.Period
	for _, p := range list {
		x := timeline.Period{From: p.From.Seconds(), Until: p.Until.Seconds()}
		if p.Until == 0 {
			x.Until = math.Inf(1)
		}
		out = append(out, x)
	}
	return out
}

// source is an operation's.
func source(s *scenario.Scenario, c *Costs, i int, op *scenario.Operation, subscriptions []*scenario.Subscription, consumers int, backend float64) timeline.Source {
	k := &c.Operations[i]
	x := timeline.Source{Name: k.Name, Changes: k.Changes, WAL: k.WAL, Memory: max(k.Memory, 1), Backend: float64(k.Changes * backend), Lasts: op.Lasts.Seconds()}
	x.Large = x.Lasts > 0
	for j, u := range subscriptions {
		y := &k.Subscriptions[j]
		w := timeline.Cost{
			Read: y.Sender * readShare, Send: y.Sender * (1 - readShare), Bytes: y.Bytes,
			Apply: y.Apply / u.Speed, Pass: y.Pass / u.Speed, WAL: y.WAL, Wait: float64(u.Wait.Seconds() * y.Changes),
		}
		if u.Synchronous {
			w.Wait += u.Flush.Seconds()
		}
		x.Large = x.Large || w.Apply+w.Wait > moment || w.Read+w.Send > moment
		x.Costs = append(x.Costs, w)
	}
	for len(x.Costs) < consumers {
		x.Costs = append(x.Costs, timeline.Cost{})
	}
	clock := s.Clock(i)
	if !x.Large {
		for j := range x.Costs {
			x.Costs[j].Pass = 0 // small ones are not streamed
		}
		x.Rate = clock.Rate
		return x
	}
	if x.Lasts == 0 { // as long as its backend takes
		x.Lasts = max(float64(k.Changes*max(backend, backendChange)), 1e-3)
	}
	x.Begin = clock.Time
	return x
}

// backendChange is what a change takes a backend where the scenario does not say, CPU
// seconds: an assumption that decides only how long a large transaction is open.
const backendChange = 10e-6
