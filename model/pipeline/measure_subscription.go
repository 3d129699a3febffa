package pipeline

// What a subscription costs: its walsender and its worker.

import (
	"fmt"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/publisher"
	"applysim/model/scenario"
	"applysim/model/stream"
)

// subscription runs a subscription's side.
func (c *Costs) subscription(s *scenario.Scenario, o *Options, number int, tables []string, filter *scenario.Filter) error {
	model, err := cost.Builtin()
	if err != nil {
		return err
	}
	prices, err := publisher.Model()
	if err != nil {
		return err
	}
	if err := known(s, o, tables); err != nil {
		return err
	}
	all := make([]sums, len(s.Operations))
	var worker *apply.Worker
	var first, last *cost.Usage
	var firstLSN, lastLSN float64
	left := exactly
	work := func(before *cost.Usage) (*cost.Usage, float64) {
		now := cost.Measure(worker)
		return now, o.Profile.Apply(model, now.Sub(before)).Seconds
	}
	of := uint32(0) // the filter's table
	run := &scenario.Options{
		Schema: o.Schema, Tables: tables, Filter: filter,
		Made: func(k int, m *stream.Message) {
			if m.Kind == stream.KindRelation {
				if name := relationName(m.Relation); name == filter.Table {
					of = m.Relation.ID
				}
				for i := range all {
					all[i].made.Add(m)
				}
				return
			}
			all[k].made.Add(m)
			if m.RelationID == of && of > 0 {
				all[k].kinds[0].add(m)
				all[k].sent.Decoded(m, filter.Table, &publisher.Published{Name: filter.Table, Filter: 1})
			}
		},
		Ready: func(w *apply.Worker) {
			worker, first, firstLSN = w, cost.Measure(w), float64(w.Log().LSN())
			last, lastLSN = first, firstLSN
		},
		Sent: func(k int, m *stream.Message) {
			if m.Kind == stream.KindRelation {
				for i := range all { // each needs to know its columns
					all[i].sent.Add(m)
				}
				return
			}
			all[k].sent.Add(m)
			all[k].messages++
			if m.RelationID == of && of > 0 {
				all[k].kinds[1].add(m)
			}
			switch m.Kind {
			case stream.KindInsert, stream.KindUpdate, stream.KindDelete:
				all[k].changes++
			}
		},
		Committed: func(k int, w *apply.Worker) {
			x := &all[k]
			x.n++
			if left <= 0 {
				return
			}
			left--
			now, seconds := work(last)
			at := float64(w.Log().LSN())
			x.told++
			x.apply += seconds
			x.wal += at - lastLSN
			last, lastLSN = now, at
		},
	}
	result, err := s.Run(nil, run)
	if err != nil {
		return err
	}
	lists := whole(s) != s
	if lists && filter == nil {
		if err := decodedWhole(s, o, tables, all); err != nil {
			return err
		}
	}
	c.Runs[number] = result
	if result.Stopped != nil {
		return fmt.Errorf("%s: message %d: replication would stop: %s", s.File, result.Stopped.Message, result.Stopped.Error)
	}
	// What was not told apart is shared out as what was.
	_, total := work(first)
	apart, wal := 0.0, 0.0
	for i := range all {
		if x := &all[i]; x.told > 0 {
			apart += float64(x.apply / x.told * x.n)
			wal += float64(x.wal / x.told * x.n)
		}
	}
	scale, scaleWAL := 1.0, 1.0
	if left <= 0 && apart > 0 && wal > 0 {
		scale, scaleWAL = total/apart, (float64(worker.Log().LSN())-firstLSN)/wal
	}
	var filtered [2]kinds
	for i := range all {
		x := &all[i]
		n := c.Operations[i].Transactions
		if n == 0 {
			continue
		}
		if filter != nil || lists {
			x.sent.WALOf(&x.made)
		}
		if filter != nil {
			filtered[0].plus(x.kinds[0])
			filtered[1].plus(x.kinds[1])
			c.Operations[i].Subscriptions[number].Sender = sender(o.Profile, prices, &x.sent, x.n) / n
		}
		if x.told == 0 {
			continue
		}
		k := &c.Operations[i].Subscriptions[number]
		part := x.n / n // of the operation's transactions that are sent at all
		k.Apply = float64(x.apply/x.told*scale) * part
		k.WAL = float64(x.wal/x.told*scaleWAL) * part
		k.Sender = sender(o.Profile, prices, &x.sent, x.n) / n
		messages := x.messages / n
		k.Changes = x.changes / n
		data := float64(x.sent.Bytes()) + float64(x.n*transactionBytes)
		k.Messages = messages
		k.Bytes = data/n + float64(messages*Framing)
		k.Pass = o.Profile.Apply(model, cost.Spooled(messages, data/n)).Seconds
	}
	if filtered[0] != (kinds{}) {
		c.filtered = filtered // of a subscription that has the table; others are told the same
	}
	return nil
}
