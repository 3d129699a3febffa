package synccommit

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// event is something that will be done.
type event struct {
	t  float64
	n  int64 // what was planned first is done first
	do func()
}

// run is a simulation on its way.
type run struct {
	*Setup
	t       float64
	events  []event // a heap
	planned int64
	random  *rand.Rand
	hosts   []host

	publisher
	standbys []*standby
	clients  []*client
	kinds    []float64 // credit of each kind of transactions

	ledger ledger
	tally  tally
	done   int // transactions that were answered after the warm-up
	over   bool
}

// maxEvents bounds a run.
const maxEvents = 100_000_000

// Run simulates a setup.
func Run(s *Setup) (*Result, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	r := &run{Setup: s, random: rand.New(rand.NewPCG(s.Seed, 0)), kinds: make([]float64, len(s.Transactions))}
	for _, h := range s.Hosts {
		r.hosts = append(r.hosts, host{cores: h.Cores})
	}
	for i := range s.Standbys {
		x := newStandby(&s.Standbys[i], i)
		x.priority = s.Names.Priority(x.Name)
		r.standbys = append(r.standbys, x)
		r.status(x)
		if x.Logical {
			r.subscriberWriter(x)
		}
	}
	r.ledger.start(r)
	for _, x := range r.standbys {
		for _, l := range x.Lost {
			r.at(l.At, func() { r.lose(x, l) })
			if !math.IsInf(l.Until, 1) {
				r.at(l.Until, func() { r.back(x) })
			}
		}
	}
	r.wakeWriter()
	for i := range s.Clients {
		c := &client{number: i}
		r.clients = append(r.clients, c)
		r.after(0, func() { r.begin(c) })
	}
	r.at(s.WarmUp, func() { r.tally.begin(r) })
	for n := 0; len(r.events) > 0 && !r.over; n++ {
		if n > maxEvents {
			return nil, fmt.Errorf("synccommit: more than %d events within %v s", maxEvents, r.t)
		}
		e := r.pop()
		if e.t > s.Duration {
			break
		}
		r.ledger.pass(r, e.t)
		r.t = e.t
		e.do()
		r.over = s.Limit > 0 && r.done >= s.Limit
	}
	if !r.over {
		r.ledger.pass(r, s.Duration)
		r.t = s.Duration
	}
	return r.result(), nil
}

func (r *run) after(wait float64, do func()) { r.at(r.t+wait, do) }

// at plans something.
func (r *run) at(t float64, do func()) {
	r.planned++
	h := append(r.events, event{t, r.planned, do})
	for i := len(h) - 1; i > 0; {
		up := (i - 1) / 2
		if !h[i].before(&h[up]) {
			break
		}
		h[i], h[up] = h[up], h[i]
		i = up
	}
	r.events = h
}

func (e *event) before(o *event) bool { return e.t < o.t || e.t == o.t && e.n < o.n }

// pop takes the next event.
func (r *run) pop() event {
	h := r.events
	first, last := h[0], len(h)-1
	h[0] = h[last]
	h[last].do = nil
	h = h[:last]
	for i := 0; ; {
		least := i
		for _, k := range [2]int{2*i + 1, 2*i + 2} {
			if k < last && h[k].before(&h[least]) {
				least = k
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	r.events = h
	return first
}

// host is a host's cores: who is ready first gets one first.
type host struct {
	cores, busy int
	waiting     []task
	used        float64 // seconds of cores since the warm-up
}

type task struct {
	takes float64
	done  func()
}

// work has a process of a host compute for a time, once it gets a core.
func (r *run) work(number int, takes float64, done func()) {
	h := &r.hosts[number]
	if takes <= 0 {
		r.after(0, done)
		return
	}
	if h.cores > 0 && h.busy >= h.cores {
		h.waiting = append(h.waiting, task{takes, done})
		return
	}
	h.busy++
	r.compute(h, task{takes, done})
}

func (r *run) compute(h *host, x task) {
	r.after(x.takes, func() {
		if h.used += x.takes; len(h.waiting) > 0 {
			next := h.waiting[0]
			h.waiting = h.waiting[1:]
			r.compute(h, next)
		} else {
			h.busy--
		}
		x.done()
	})
}

// vary is a time that varies about a mean, log-normally.
func (r *run) vary(mean float64) float64 {
	if r.Spread == 0 || mean == 0 {
		return mean
	}
	variance := math.Log1p(float64(r.Spread * r.Spread))
	return float64(mean * math.Exp(float64(math.Sqrt(variance)*r.random.NormFloat64())-float64(variance/2)))
}

// kind chooses the next transaction's kind: each comes as often as its weight says, as
// evenly as possible.
func (r *run) kind() int {
	sum, best := 0.0, 0
	for i := range r.kinds {
		w := r.Transactions[i].Weight
		sum += w
		r.kinds[i] += w
		if r.kinds[i] > r.kinds[best] {
			best = i
		}
	}
	r.kinds[best] -= sum
	return best
}
