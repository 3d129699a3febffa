package scenario

import (
	"io"

	"applysim/model/apply"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Session is a run that somebody else carries out, message by message.
type Session struct{ r *run }

// Begin makes the subscriber of a variant, nil for the scenario itself, with its tables
// as they are before the run.
func (s *Scenario) Begin(v *Variant, o *Options) (*Session, error) {
	r, err := s.prepare(v, o)
	if err != nil {
		return nil, err
	}
	return &Session{r}, nil
}

// Worker is the subscriber.
func (x *Session) Worker() *apply.Worker { return x.r.worker }

// Database is its schema.
func (x *Session) Database() *schema.Database { return x.r.db }

// Next makes the run's next message and does what is due beside the stream before it; at
// the end of the run it returns io.EOF. What the message points to is valid until the
// next call.
func (x *Session) Next(m *stream.Message) error {
	r := x.r
	if !r.gen.Next(m) {
		return io.EOF
	}
	if m.Kind == stream.KindBegin {
		if err := r.until(m.Time.Time()); err != nil {
			return err
		}
	}
	r.schedule.Before(m)
	return nil
}
