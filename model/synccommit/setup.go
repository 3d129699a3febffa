package synccommit

import (
	"fmt"
	"math"
)

// Level is a value of synchronous_commit.
type Level int

// The levels, in the order of what they wait for.
const (
	Off Level = iota
	Local
	RemoteWrite
	On
	RemoteApply
)

// Levels are all of them.
var Levels = []Level{Off, Local, RemoteWrite, On, RemoteApply}

var levelNames = [...]string{Off: "off", Local: "local", RemoteWrite: "remote_write", On: "on", RemoteApply: "remote_apply"}

func (l Level) String() string { return levelNames[l] }

// ParseLevel reads a value of synchronous_commit.
func ParseLevel(text string) (Level, error) {
	for l, name := range levelNames {
		if name == text {
			return Level(l), nil
		}
	}
	return 0, fmt.Errorf("synchronous_commit %q: expected off, local, remote_write, on or remote_apply", text)
}

// Transaction is a kind of transactions. Times are seconds of a core, unless something
// else is said.
type Transaction struct {
	Name    string
	Weight  float64 // how many there are of it, beside the other kinds
	WAL     float64 // bytes on the publisher
	Execute float64 // of its backend, and of a client that runs on the publisher's host
	// Standbys are what it takes each standby.
	Standbys []Replay
}

// Replay is what a transaction takes a standby.
type Replay struct {
	Bytes  float64 // on the wire; 0 stands for those of its WAL
	Send   float64 // of the walsender, beside what a message takes
	Replay float64 // of the startup process, or of the apply worker
	WAL    float64 // bytes that a subscriber writes
}

// Work is what processes take for what they do for every message, in seconds of a core.
type Work struct {
	Send    float64 // the walsender for a message that it sends
	Receive float64 // the walreceiver or apply worker for one that it gets
	Reply   float64 // the walreceiver for a reply
	Hear    float64 // the walsender for a reply
	Wake    float64 // the startup process, to wake up
	Answer  float64 // seconds until a backend that is released has answered
}

// Host has cores that its processes share.
type Host struct {
	Name  string
	Cores int // 0: more than are needed
}

// How is how a standby is lost.
type How int

// The ways.
const (
	Crash  How = iota // its connection is closed: the publisher knows at once
	Silent            // its host or the network is gone, and nobody tells
)

// Loss is a time without a standby.
type Loss struct {
	At, Until float64 // seconds; Until is infinite if it does not come back
	How       How
}

// Standby is a server that gets the publisher's changes.
type Standby struct {
	Name      string // its application_name
	Host      int
	RoundTrip float64 // seconds
	Bandwidth float64 // bytes a second; 0 for no limit
	Flush     float64 // seconds that a flush of its WAL takes
	// ApplyDelay is recovery_min_apply_delay, seconds.
	ApplyDelay float64
	// StatusInterval is wal_receiver_status_interval, seconds; 0 for never.
	StatusInterval float64
	// Logical says that it is a subscription. SynchronousCommit is its own setting: whether
	// its worker flushes each transaction.
	Logical           bool
	SynchronousCommit bool
	Lost              []Loss
}

// Setup is what is simulated.
type Setup struct {
	Level   Level
	Names   StandbyNames
	Clients int
	// Trip is how long a client takes from one transaction's end to its next one's begin,
	// beside CPU on the publisher's host: its round trips to the publisher, its thinking.
	Trip         float64
	Transactions []Transaction
	Work         Work
	Hosts        []Host  // the first is the publisher's
	Flush        float64 // seconds that a flush of the publisher's WAL takes

	CommitDelay      float64 // commit_delay, seconds
	CommitSiblings   int     // commit_siblings
	WriterDelay      float64 // wal_writer_delay, seconds
	WriterFlushAfter float64 // wal_writer_flush_after, bytes
	SenderTimeout    float64 // wal_sender_timeout, seconds; 0 for none
	Standbys         []Standby

	// CancelAfter is after how long a client cancels its wait for a standby, seconds; 0
	// for never.
	CancelAfter float64

	// Spread is the coefficient of variation of times of executing and flushing; 0 has
	// them constant. Seed begins the random numbers for it.
	Spread float64
	Seed   uint64

	// WarmUp is not counted. The run ends after Duration, or after Limit transactions if
	// that is set and they are done before.
	WarmUp, Duration float64
	Limit            int
}

// Defaults of PostgreSQL 18.
const (
	DefaultCommitSiblings   = 5
	DefaultWriterDelay      = 0.2
	DefaultWriterFlushAfter = 1 << 20
	DefaultSenderTimeout    = 60
	DefaultStatusInterval   = 10
)

// New is a setup with PostgreSQL's settings and a host without a limit of its cores.
func New() *Setup {
	return &Setup{
		Level: On, Clients: 1, Hosts: []Host{{Name: "publisher"}}, CommitSiblings: DefaultCommitSiblings, WriterDelay: DefaultWriterDelay,
		WriterFlushAfter: DefaultWriterFlushAfter, SenderTimeout: DefaultSenderTimeout, Duration: 1,
	}
}

// maxClients and maxStandbys bound a run.
const (
	maxClients  = 10_000
	maxStandbys = 32
)

// Validate says what is wrong with a setup.
func (s *Setup) Validate() error {
	fail := func(format string, args ...any) error { return fmt.Errorf("synccommit: "+format, args...) }
	switch {
	case s.Clients < 1 || s.Clients > maxClients:
		return fail("%d clients, expected from 1 to %d", s.Clients, maxClients)
	case len(s.Standbys) > maxStandbys:
		return fail("%d standbys, expected at most %d", len(s.Standbys), maxStandbys)
	case !(s.Duration > s.WarmUp) || math.IsInf(s.Duration, 0) || s.WarmUp < 0:
		return fail("a run of %v s of which the first %v s are not counted", s.Duration, s.WarmUp)
	case len(s.Transactions) == 0 || len(s.Hosts) == 0:
		return fail("no transactions or no host")
	case !(s.WriterDelay > 0) || s.Spread < 0 || s.Spread > 10 || s.Level < Off || s.Level > RemoteApply:
		return fail("a wal_writer_delay of %v s, a spread of %v, level %d", s.WriterDelay, s.Spread, s.Level)
	}
	idle := s.Trip
	for i := range s.Transactions {
		x := &s.Transactions[i]
		if len(x.Standbys) != len(s.Standbys) || !(x.Weight > 0) || !(x.WAL >= 1) || x.WAL > 1<<40 || x.Execute < 0 {
			return fail("transaction %s: %v bytes of WAL with weight %v for %d standbys, expected it for %d", x.Name, x.WAL, x.Weight, len(x.Standbys), len(s.Standbys))
		}
		idle += x.Execute
	}
	if !(idle > 0) {
		return fail("transactions take no time")
	}
	for i := range s.Standbys {
		x := &s.Standbys[i]
		if x.Host < 0 || x.Host >= len(s.Hosts) || x.RoundTrip < 0 || x.Flush < 0 || x.Bandwidth < 0 {
			return fail("standby %s is on host %d of %d", x.Name, x.Host, len(s.Hosts))
		}
		at := 0.0
		for _, l := range x.Lost {
			if l.At < at || !(l.Until > l.At) {
				return fail("standby %s is lost from %v s until %v s, expected times in order", x.Name, l.At, l.Until)
			}
			at = l.Until
		}
	}
	return nil
}
