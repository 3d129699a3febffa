package timeline

import (
	"errors"
	"fmt"
	"math"

	"applysim/model/slots"
)

// Host has cores that processes share.
type Host struct {
	Name  string
	Cores float64 // 0: more than are needed
}

// Source is a kind of transactions.
type Source struct {
	Name string
	// Rate is how many begin a second at a moment, and until when that is so.
	Rate func(t float64) (perSecond, until float64)
	// Begin is when transaction n begins, from 0 on and in order; infinite if it does not.
	// It is asked of large ones only.
	Begin func(n float64) float64
	// Large says that each of the transactions is looked at by itself. Lasts is how long
	// one is open, seconds.
	Large bool
	Lasts float64

	Changes float64 // a transaction
	WAL     float64 // bytes that it writes on the publisher
	Backend float64 // CPU seconds that it takes the backend
	Memory  float64 // bytes of a large one that decoding keeps
	// Costs are what it takes each consumer.
	Costs []Cost
}

// Cost is what a transaction takes a consumer's stages.
type Cost struct {
	Read  float64 // CPU seconds of the walsender while it reads the WAL
	Send  float64 // and when it hands the transaction out
	Bytes float64 // of the stream
	Apply float64 // CPU seconds of the worker that applies it
	Wait  float64 // seconds that the worker waits for a flush
	Pass  float64 // CPU seconds of the worker that takes streamed changes and passes them on
	WAL   float64 // bytes that it writes on the subscriber
}

// Streaming is how a consumer gets large transactions.
type Streaming int

// The ways.
const (
	Off      Streaming = iota // when they have committed
	Spooled                   // while they run; kept in files until they commit
	Parallel                  // while they run, to parallel workers
)

// Period is a time from From until Until.
type Period struct{ From, Until float64 }

// Consumer is a slot and who reads it.
type Consumer struct {
	Name string
	Host int // of the apply worker
	// Rate bounds how much WAL it reads, bytes a second; infinite for a subscription, 0 for
	// a slot without a consumer.
	Rate      float64
	Physical  bool
	Streaming Streaming
	Workers   int // for parallel apply
	Stopped   []Period
	// FlushDelay is how long after its commit a transaction's WAL is flushed on the
	// subscriber, seconds.
	FlushDelay float64
}

// Network is the way from the publisher to all consumers.
type Network struct {
	RoundTrip float64 // seconds
	Bandwidth float64 // bytes a second, 0 for no limit
	Buffer    float64 // bytes that walsender and worker have between them
}

// Setup is what a run begins with.
type Setup struct {
	Duration float64 // seconds
	// Drain says to go on after Duration until everything was applied, at most so long.
	Drain     float64
	Sources   []Source
	OtherWAL  float64 // bytes a second beside the sources
	OtherRead float64 // CPU seconds that a walsender takes for a byte of it
	Hosts     []Host  // the first is the publisher's
	Network   Network
	Consumers []Consumer
	Settings  slots.Settings
	// Start is where the WAL begins; it decides when segments end.
	Start uint64
	// Free is how much the publisher's disk can take beside the first segment, bytes; 0
	// for no limit.
	Free float64
	// Snapshots is when the first running-xacts record is written, seconds.
	Snapshots float64
}

// maxConsumers bounds how many consumers a run has.
const maxConsumers = 64

// Validate says what is wrong with a setup.
func (s *Setup) Validate() error {
	if !(s.Duration > 0) || math.IsInf(s.Duration, 0) {
		return fmt.Errorf("timeline: a run of %v seconds, expected more than 0", s.Duration)
	}
	if len(s.Hosts) == 0 || len(s.Consumers) > maxConsumers {
		return fmt.Errorf("timeline: %d hosts and %d consumers, expected the publisher's and at most %d consumers", len(s.Hosts), len(s.Consumers), maxConsumers)
	}
	for i := range s.Consumers {
		if c := &s.Consumers[i]; c.Host < 0 || c.Host >= len(s.Hosts) {
			return fmt.Errorf("timeline: consumer %s is on host %d of %d", c.Name, c.Host, len(s.Hosts))
		}
	}
	for i := range s.Sources {
		x := &s.Sources[i]
		if len(x.Costs) != len(s.Consumers) {
			return fmt.Errorf("timeline: source %s has costs for %d consumers, expected %d", x.Name, len(x.Costs), len(s.Consumers))
		}
		if x.Large && (x.Begin == nil || !(x.Lasts > 0)) || !x.Large && x.Rate == nil {
			return errors.New("timeline: source " + x.Name + ": expected a rate, or for a large one when it begins and how long it lasts")
		}
	}
	return nil
}
