package timeline

import (
	"slices"

	"applysim/model/slots"
)

// Limit is what holds a consumer back.
type Limit int

// The limits.
const (
	KeepsUp        Limit = iota
	Walsender            // its core
	Bandwidth            // of the network
	Worker               // the apply worker's core, or its waiting for flushes
	ParallelWorker       // the leader waits for it to commit
	Cores                // of a host that is too small
	Reader               // how much a slot's consumer takes
	Away                 // it is stopped
	SlotLost             // its slot was invalidated
)

var limitNames = [...]string{
	KeepsUp: "keeps up", Walsender: "walsender", Bandwidth: "network", Worker: "apply worker", ParallelWorker: "parallel worker",
	Cores: "cores", Reader: "consumer", Away: "stopped", SlotLost: "slot lost",
}

func (l Limit) String() string { return limitNames[l] }

// EventKind is what happens.
type EventKind string

// The kinds.
const (
	Stopped     EventKind = "stopped"
	Started     EventKind = "started"
	Limited     EventKind = "limit"
	CaughtUp    EventKind = "caught up"
	WALStatus   EventKind = "wal_status"
	Invalidated EventKind = "invalidated"
	DiskFull    EventKind = "disk full"
)

// Event is something that happens.
type Event struct {
	T        float64
	Kind     EventKind
	Consumer string // "" for the publisher
	Text     string
}

func (r *Run) happened(kind EventKind, c *consumer, text string) {
	if r.Happened == nil {
		return
	}
	e := Event{T: r.t, Kind: kind, Text: text}
	if c != nil {
		e.Consumer = c.Name
	}
	r.Happened(e)
}

// Moment is how everything stands at a time. Positions are bytes of WAL since the start
// of the run.
type Moment struct {
	T         float64
	Written   float64
	WALPerS   float64
	WALSize   uint64 // of pg_wal on disk
	Crowded   bool   // the publisher's backends get too little CPU
	Consumers []View
}

// View is a consumer's part.
type View struct {
	Name           string
	Limit          Limit
	Sent           float64 // sent_lsn
	Received       float64 // what has come to the subscriber's host
	Replayed       float64 // what has been applied
	ReportedReplay float64 // replay_lsn
	ReportedFlush  float64 // flush_lsn, confirmed_flush_lsn
	SentLag        float64 // seconds
	ReplayLag      float64
	Flying         float64 // bytes of the stream that were sent and not yet taken
	Applied        float64 // changes
	SubscriberWAL  float64 // bytes
	Restart        float64 // restart_lsn
	Retained       uint64
	Status         slots.Status
	Safe           *int64 // safe_wal_size
	CatalogXmin    int64  // counted from 1 on
	CatalogXminAge int64  // transactions
	WalsenderCores float64
	WorkerCores    float64
	ParallelCores  float64
}

// Moment is how everything stands now.
func (r *Run) Moment() *Moment { return r.look(r.t) }

// look is how everything stands at a moment before the next event. It is seen on a copy, so
// that the run itself is not touched: whoever looks changes nothing, not even by rounding.
func (r *Run) look(t float64) *Moment {
	s := *r
	s.Happened, s.Peaks, s.arrivals = nil, nil, nil
	server := *r.server
	s.server, server.Slots = &server, nil
	s.consumers = make([]*consumer, len(r.consumers))
	for i, c := range r.consumers {
		copied, slot := *c, *c.slot
		copied.slot, copied.history = &slot, slices.Clone(c.history)
		s.consumers[i] = &copied
		server.Slots = append(server.Slots, &slot)
	}
	s.advance(t)
	server.Written = max(server.Written, s.lsn(s.written()))
	return s.moment()
}

func (r *Run) moment() *Moment {
	m := &Moment{T: r.t, Written: r.written(), WALPerS: r.axis.open().perS, WALSize: r.server.Size(), Crowded: r.crowded}
	for _, c := range r.consumers {
		v := View{
			Name: c.Name, Limit: c.limit,
			Sent: r.position(&c.stage[send]), Received: r.position(&c.stage[pass]), Replayed: c.replayed,
			ReportedReplay: c.reported[0], ReportedFlush: c.reported[1],
			SentLag: r.lag(&c.stage[send]), ReplayLag: r.lag(&c.stage[apply]), Flying: c.flying,
			Applied: c.applied, SubscriberWAL: c.wrote,
			Restart: float64(c.slot.Restart) - float64(r.Start), Retained: r.server.Retained(c.slot),
			CatalogXmin: c.slot.CatalogXmin, CatalogXminAge: r.nextXID() - c.slot.CatalogXmin,
		}
		v.Status, v.Safe = r.server.Status(c.slot)
		v.WalsenderCores = float64(c.stage[send].rate * c.stage[send].density)
		v.WorkerCores = float64(c.stage[apply].rate * c.stage[apply].density)
		v.ParallelCores = c.parallel
		m.Consumers = append(m.Consumers, v)
	}
	return m
}

// Time is how far the run has come, seconds.
func (r *Run) Time() float64 { return r.t }

// Full says whether the publisher's disk is full, which ends the run.
func (r *Run) Full() bool { return r.full }

// Slots are the consumers' slots.
func (r *Run) Slots() []*slots.Slot { return r.server.Slots }

// Written is where the WAL ends now, bytes since the start.
func (r *Run) Written() float64 { return r.written() }
