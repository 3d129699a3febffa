package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"applysim/model/scenario"
	"applysim/model/schema"
)

// Way is a change of the way from the publisher to its subscribers, and what it does.
type Way struct {
	Title        string   `json:"title"`
	Kind         string   `json:"kind"` // streaming, split a batch, several subscriptions, row filter, slot limit
	Subscription string   `json:"subscription,omitempty"`
	SQL          []string `json:"sql"`
	Before       Outcome  `json:"before"`
	After        Outcome  `json:"after"`
	SideEffects  []string `json:"side_effects"`
}

// Outcome is what a run in time comes to, of the subscription that is furthest behind.
type Outcome struct {
	MostLagS      float64 `json:"most_lag_s"`
	MostLagBytes  float64 `json:"most_lag_bytes"`
	Load          float64 `json:"load"`
	WalsenderLoad float64 `json:"walsender_load"` // of a core, all walsenders together
}

// least is how much of the lag a way must save, or seconds, to be worth telling.
const (
	leastSaved = 0.1
	leastLagS  = 0.05
)

// busy is the load from which on a subscription is worth parting.
const busy = 0.7

// Ways tries changes of a scenario's pipeline, each alone and simulated in time, and returns
// those that lessen lag, best first, and limits of slots where there are none.
func Ways(s *scenario.Scenario, o *Options) ([]Way, error) {
	if s.Duration == 0 || s.Publisher == nil && len(s.Subscriptions) == 0 {
		return nil, nil
	}
	s = subscribed(s)
	c, err := Measure(s, o)
	if err != nil {
		return nil, err
	}
	before, large, err := outcome(s, c, o)
	if err != nil {
		return nil, err
	}
	var list []Way
	try := func(w Way, n *scenario.Scenario, measured bool) error {
		costs := c
		if !measured {
			var err error
			if costs, err = Measure(n, o); err != nil {
				return err
			}
		}
		after, _, err := outcome(n, costs, o)
		if err != nil {
			return err
		}
		saved := before.MostLagS - after.MostLagS
		if saved < leastLagS || saved < float64(leastSaved*before.MostLagS) {
			return nil
		}
		w.Before, w.After = before, after
		list = append(list, w)
		return nil
	}
	for k, u := range s.Subscriptions {
		for _, how := range []string{"on", "parallel"} {
			if !slices.Contains(large, true) || u.Streaming == how || u.Streaming == "parallel" {
				continue
			}
			n := like(s)
			n.Subscriptions[k].Streaming = how
			n.Subscriptions[k].ParallelWorkers = max(u.ParallelWorkers, 1)
			w := Way{Kind: "streaming", Subscription: u.Name, Title: fmt.Sprintf("stream large transactions to %s while they run: streaming = %s", u.Name, how),
				SQL: []string{fmt.Sprintf("ALTER SUBSCRIPTION %s SET (streaming = %s)", schema.QuoteIdent(u.Name), how)}}
			w.SideEffects = []string{"what is rolled back was sent in vain"}
			if how == "on" {
				w.SideEffects = append(w.SideEffects, "the subscriber keeps the changes in files until the commit")
			} else {
				w.SideEffects = append(w.SideEffects, "takes workers of max_logical_replication_workers, and locks of rows until the commit; a conflict ends both workers")
			}
			if err := try(w, n, true); err != nil {
				return nil, err
			}
		}
	}
	for i, op := range s.Operations {
		const parts = 10
		if !large[i] || op.Rows < parts {
			continue
		}
		n := like(s)
		n.Operations[i].Rows, n.Operations[i].Lasts = op.Rows/parts, op.Lasts/parts
		for j := range n.Operations[i].Then {
			n.Operations[i].Then[j].Rows = max(op.Then[j].Rows/parts, 1)
		}
		w := Way{Kind: "split a batch", Title: fmt.Sprintf("commit after every %d rows: %s", op.Rows/parts, nameOf(s, i)), SQL: []string{},
			SideEffects: []string{"others see the batch half done, and what failed must be taken up where it ended", "each commit is flushed on the publisher"}}
		if err := try(w, n, false); err != nil {
			return nil, err
		}
	}
	for k, u := range s.Subscriptions {
		if before.Load < busy {
			break
		}
		halves := parted(s, c, k)
		if halves == nil {
			continue
		}
		n := like(s)
		other := *n.Subscriptions[k]
		other.Name += "_2"
		n.Subscriptions[k].Tables, other.Tables = halves[0], halves[1]
		n.Subscriptions = append(n.Subscriptions, &other)
		p := schema.QuoteIdent(other.Name)
		w := Way{Kind: "several subscriptions", Subscription: u.Name, Title: fmt.Sprintf("part %s in two: %s by one worker, %s by the other", u.Name, strings.Join(halves[0], ", "), strings.Join(halves[1], ", ")),
			SQL: []string{
				fmt.Sprintf("CREATE PUBLICATION %s FOR TABLE %s -- on the publisher; and take them out of the first one's", p, strings.Join(halves[1], ", ")),
				fmt.Sprintf("CREATE SUBSCRIPTION %s CONNECTION '...' PUBLICATION %s WITH (copy_data = false) -- at the same place of the WAL", p, p),
			},
			SideEffects: []string{"a transaction on both parts is applied in two, at different times: foreign keys between them are not checked by workers, and readers may see one part of it", "each walsender decodes all of the WAL: the publisher's CPU for that doubles"}}
		if err := try(w, n, false); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b Way) int {
		switch {
		case a.After.MostLagS < b.After.MostLagS:
			return -1
		case a.After.MostLagS > b.After.MostLagS:
			return 1
		}
		return 0
	})
	filtered, err := filters(s, c, o, before)
	if err != nil {
		return nil, err
	}
	list = append(list, filtered...)
	if w := limited(s, c, before); w != nil {
		list = append(list, *w)
	}
	return list, nil
}

// subscribed is the scenario with the subscription that it leaves out.
func subscribed(s *scenario.Scenario) *scenario.Scenario {
	n := *s
	if len(n.Subscriptions) == 0 {
		how := s.Streaming
		if how == "" {
			how = "parallel"
		}
		n.Subscriptions = []*scenario.Subscription{{Name: "sub", Streaming: how, Server: "subscriber", Speed: 1, ParallelWorkers: 2}}
	}
	return &n
}

// like is a scenario whose subscriptions and operations may be changed.
func like(s *scenario.Scenario) *scenario.Scenario {
	n := *s
	n.Subscriptions, n.Operations = nil, nil
	for _, u := range s.Subscriptions {
		x := *u
		n.Subscriptions = append(n.Subscriptions, &x)
	}
	for _, op := range s.Operations {
		x := *op
		x.Then = slices.Clone(op.Then)
		n.Operations = append(n.Operations, &x)
	}
	return &n
}

// outcome simulates a scenario whose costs are known, and says which operations are looked at
// one by one.
func outcome(s *scenario.Scenario, c *Costs, o *Options) (Outcome, []bool, error) {
	r, err := Simulate(s, c, o, s.Duration.Seconds())
	if err != nil {
		return Outcome{}, nil, err
	}
	var x Outcome
	for i := range r.Subscriptions {
		u := &r.Subscriptions[i]
		x.MostLagS, x.MostLagBytes, x.Load = max(x.MostLagS, u.MostLagS), max(x.MostLagBytes, u.MostLagBytes), max(x.Load, u.Load)
	}
	var large []bool
	seconds := s.Duration.Seconds()
	for i := range c.Operations {
		op := &c.Operations[i]
		n := transactions(s, i) / seconds
		large = append(large, r.Operations[i].Large)
		for k := range op.Subscriptions {
			x.WalsenderLoad += float64(n * op.Subscriptions[k].Sender)
		}
	}
	return x, large, nil
}

// parted shares a subscription's tables out to two, about alike in what they take; nil if
// they cannot be: tables of one transaction's steps stay together.
func parted(s *scenario.Scenario, c *Costs, k int) [][]string {
	type group struct {
		tables []string
		work   float64
	}
	var groups []*group
	for i, op := range s.Operations {
		tables := []string{op.Table}
		for _, then := range op.Then {
			tables = append(tables, then.Table)
		}
		into := &group{}
		rest := []*group{into}
		for _, g := range groups {
			if slices.ContainsFunc(tables, func(t string) bool { return slices.Contains(g.tables, t) }) {
				into.tables, into.work = append(into.tables, g.tables...), into.work+g.work
			} else {
				rest = append(rest, g)
			}
		}
		into.tables = append(into.tables, tables...)
		into.work += float64(transactions(s, i) * c.Operations[i].Subscriptions[k].Apply)
		groups = rest
	}
	of := s.Subscriptions[k].Tables
	halves, work := make([][]string, 2), [2]float64{}
	slices.SortStableFunc(groups, func(a, b *group) int {
		if a.work > b.work {
			return -1
		} else if a.work < b.work {
			return 1
		}
		return 0
	})
	for _, g := range groups {
		half := 0
		if work[1] < work[0] {
			half = 1
		}
		work[half] += g.work
		for _, t := range g.tables {
			if (of == nil || slices.Contains(of, t)) && !slices.Contains(halves[half], t) {
				halves[half] = append(halves[half], t)
			}
		}
	}
	if len(halves[0]) == 0 || len(halves[1]) == 0 {
		return nil
	}
	return halves
}

// keepPart is the part of the free disk that slots are let keep.
const keepPart = 0.8

// limited is a limit of what slots keep, where the disk is known and there is none.
func limited(s *scenario.Scenario, c *Costs, before Outcome) *Way {
	p := s.Publisher
	if p == nil || p.Disk == 0 || p.Settings.MaxSlotKeepSize >= 0 {
		return nil
	}
	perS := p.OtherWAL
	for i := range c.Operations {
		perS += float64(transactions(s, i)*c.Operations[i].WAL) / s.Duration.Seconds()
	}
	free := float64(p.Disk - p.DiskUsed)
	mb := int64(float64(keepPart*free) / (1 << 20))
	w := &Way{Kind: "slot limit", Title: fmt.Sprintf("let slots keep at most %d MB of WAL", mb),
		SQL:    []string{fmt.Sprintf("ALTER SYSTEM SET max_slot_wal_keep_size = '%dMB'", mb), "SELECT pg_reload_conf()"},
		Before: before, After: before, SideEffects: []string{"a slot that is further behind is lost: its subscription must be copied anew"}}
	if perS > 0 {
		w.SideEffects = append(w.SideEffects, fmt.Sprintf("a consumer that stands still is lost after %.3g h at the run's mean rate; without a limit the publisher's disk is full after %.3g h, and it stops", float64(keepPart*free)/perS/3600, free/perS/3600))
	}
	return w
}
