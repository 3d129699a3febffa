package recorded

import (
	"errors"
	"fmt"
	"io"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/stream"
)

// Feed hands out the messages of a stream one by one, for those who apply them
// themselves, and does before each what is due beside the stream.
type Feed struct {
	w        *apply.Worker
	in       *capture.Reader
	events   []Event
	schedule *background.Schedule
	quiet    bool
	n        int64
}

// NewFeed returns the feed of a worker. The records of checkpoints among the events are
// not written if quiet.
func NewFeed(w *apply.Worker, in *capture.Reader, events []Event, quiet bool, schedule *background.Schedule) *Feed {
	return &Feed{w: w, in: in, events: events, schedule: schedule, quiet: quiet}
}

// Next reads the next message; at the end of the stream it returns io.EOF.
func (f *Feed) Next(m *stream.Message) error {
	for len(f.events) > 0 && f.events[0].After <= f.n {
		f.schedule.BeforeEvent()
		if err := f.events[0].run(f.w, f.quiet); err != nil {
			return f.events[0].located(err)
		}
		f.events = f.events[1:]
	}
	if err := f.in.Next(m); err != nil {
		if errors.Is(err, io.EOF) && len(f.events) > 0 {
			return f.events[0].located(fmt.Errorf("found %d messages, expected at most %d, as many as the stream has", f.events[0].After, f.n))
		}
		return err
	}
	f.n++
	f.schedule.Before(m)
	return nil
}

// Messages is how many messages have been read.
func (f *Feed) Messages() int64 { return f.n }
