package pipeline

import (
	"applysim/model/cost"
	"applysim/model/scenario"
)

// Shipping is what the same workload takes shipped both ways, over the whole run: to a
// physical standby and to each subscription. A standby that keeps up is woken up for each
// flush on the publisher; one that works off a backlog gets the most that a message holds.
// A subscription's CPU is that of processes that always have something to do, so that it
// compares with the latter.
type Shipping struct {
	SchemaVersion int      `json:"schema_version"`
	Scenario      string   `json:"scenario"`
	DurationS     float64  `json:"duration_s"`
	Profile       string   `json:"profile"`
	Changes       float64  `json:"changes"`
	Transactions  float64  `json:"transactions"`
	WALBytes      float64  `json:"publisher_wal_bytes"`
	OtherBytes    float64  `json:"other_wal_bytes"` // of it, beside the scenario's changes
	Standby       Carried  `json:"physical"`
	Backlog       Carried  `json:"physical_backlog"`
	Subscriptions []Carry  `json:"logical"`
	Differences   []Differ `json:"differences"`
	Warnings      []string `json:"warnings"`
	// Kinds says how each figure came about.
	Kinds map[string]cost.Kind `json:"kinds"`
}

// Carry is a subscription's part of the comparison.
type Carry struct {
	Name string `json:"name"`
	Carried
	Changes float64 `json:"changes"` // that it gets
}

// Carried is what one way takes.
type Carried struct {
	Messages  float64 `json:"messages"`   // at most: flushed together, transactions share one on the way to a standby
	WireBytes float64 `json:"wire_bytes"` // with the framing of each message
	SenderS   float64 `json:"walsender_cpu_s"`
	ReceiverS float64 `json:"receiver_cpu_s"`     // walreceiver; a subscription's worker receives by itself
	ApplyS    float64 `json:"apply_cpu_s"`        // startup process, or apply worker
	WALBytes  float64 `json:"receiver_wal_bytes"` // written there
}

// Differ is what one of the ways can do and the other cannot.
type Differ struct {
	What     string `json:"what"`
	Physical string `json:"physical"`
	Logical  string `json:"logical"`
}

// differences are those of PostgreSQL 18: its documentation, chapters "High Availability"
// (hot standby) and "Logical Replication" (restrictions), says each.
var differences = []Differ{
	{"what is shipped", "all databases, all WAL", "chosen tables, columns, rows and actions of a database"},
	{"the other server", "same major version, same platform", "any major version from 10 on, other platforms"},
	{"writes there", "none", "yes: own rows, tables, indexes, triggers (conflicts stop the worker)"},
	{"indexes there", "the same, without work of their own", "its own, maintained by each change"},
	{"DDL, sequences, large objects", "shipped", "not shipped"},
	{"updates and deletes", "of any table", "of tables with a replica identity"},
	{"vacuum, hint bits, full-page images", "shipped as they are", "not shipped: the subscriber makes its own"},
	{"rolled back transactions", "shipped and replayed", "not sent, or sent in vain if streamed"},
	{"long queries there", "hold replay up, are cancelled, or hold vacuum back (hot_standby_feedback)", "disturb neither side"},
	{"a large transaction", "replayed while it runs", "applied after its commit, or in parallel while it runs"},
	{"take its place", "promoted as it is", "sequences and what is not published must be brought over"},
}

// Replies are how many a walreceiver sends for a message: where it keeps up, at most three,
// for written, flushed and replayed. Both are means of recorded runs (experiments/physical,
// TestReplies).
const (
	Replies        = 2.6
	RepliesBacklog = 0.28
)

// Ship works out what a scenario's changes take shipped both ways.
func Ship(s *scenario.Scenario, o *Options) (*Shipping, error) {
	n := subscribed(s)
	c, err := Measure(n, o)
	if err != nil {
		return nil, err
	}
	return Shipped(n, c, o.Profile), nil
}

// Shipped is Ship from known costs of a scenario with subscriptions.
func Shipped(s *scenario.Scenario, c *Costs, p *cost.Profile) *Shipping {
	rates := Physical()
	r := &Shipping{
		SchemaVersion: 1, Scenario: s.File, DurationS: s.Duration.Seconds(), Profile: p.Name, Differences: differences, Warnings: append([]string{}, c.Warnings...),
		Kinds: map[string]cost.Kind{"wire_bytes": cost.Exact, "receiver_wal_bytes": cost.Exact, "cpu": cost.Calibrated, "messages": cost.Predicted},
	}
	if s.Publisher != nil {
		r.OtherBytes = float64(s.Publisher.OtherWAL * r.DurationS)
	}
	for _, u := range s.Subscriptions {
		r.Subscriptions = append(r.Subscriptions, Carry{Name: u.Name})
	}
	x := &r.Standby
	for i := range c.Operations {
		op := &c.Operations[i]
		n := transactions(s, i)
		r.Transactions += n
		r.Changes += float64(n * op.Changes)
		r.WALBytes += float64(n * op.WAL)
		x.Messages += float64(n * PhysicalMessages(op.WAL))
		x.ApplyS += float64(n * rates.replay(op))
		for k := range op.Subscriptions {
			y, u := &op.Subscriptions[k], &r.Subscriptions[k]
			u.Changes += float64(n * y.Changes)
			u.Messages += float64(n * y.Messages)
			u.WireBytes += float64(n * y.Bytes)
			u.SenderS += float64(n * y.Sender)
			u.ApplyS += float64(n*y.Apply) / s.Subscriptions[k].Speed
			u.WALBytes += float64(n * y.WAL)
		}
	}
	r.WALBytes += r.OtherBytes
	r.Backlog.ApplyS = r.Standby.ApplyS
	x.price(rates, r.WALBytes, x.Messages+float64(r.OtherBytes/MaxSend), Replies)
	r.Backlog.price(rates, r.WALBytes, r.WALBytes/MaxSend, RepliesBacklog)
	return r
}

// price works out what WAL takes on its way to a standby in so many messages.
func (x *Carried) price(rates *PhysicalRates, wal, messages, replies float64) {
	x.WALBytes, x.Messages = wal, messages
	x.WireBytes = wal + float64(messages*Framing)
	events := float64(messages * (1 + replies))
	x.SenderS = float64(events*rates.Send.Value) + float64(x.WireBytes*rates.SendByte.Value)
	x.ReceiverS = float64(events*rates.Receive.Value) + float64(x.WireBytes*rates.ReceiveByte.Value)
	x.ApplyS += float64(messages * rates.Wake.Value)
}
