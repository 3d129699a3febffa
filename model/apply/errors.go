package apply

import (
	"errors"
	"fmt"

	"applysim/model/pgtype"
)

// UnsupportedError says that the input needs something that is not modelled.
type UnsupportedError struct {
	What    string
	Message int64 // number of the message that needs it, 0 if it is the schema or the settings
}

func (e *UnsupportedError) Error() string {
	if e.Message > 0 {
		return fmt.Sprintf("message %d: not supported: %s", e.Message, e.What)
	}
	return "not supported: " + e.What
}

// StopError says that a real worker would stop with an error here, as
// replication does until somebody intervenes.
type StopError struct {
	Message int64  // number of the message
	Text    string // PostgreSQL's error message
	Detail  string // PostgreSQL's detail, if it has one
}

func (e *StopError) Error() string {
	s := fmt.Sprintf("message %d: replication would stop: ERROR:  %s", e.Message, e.Text)
	if e.Detail != "" {
		s += "; DETAIL:  " + e.Detail
	}
	return s
}

// detailed is an error that has a detail (errdetail).
type detailed interface {
	error
	Detail() string
}

// failed is the worker's stop with an error of a value, a row or an index entry.
func (w *Worker) failed(err error) error {
	stop := &StopError{Message: w.message, Text: err.Error()}
	if l := (*pgtype.LabelError)(nil); errors.As(err, &l) {
		stop.Text = l.Qualified()
	}
	if d := detailed(nil); errors.As(err, &d) {
		stop.Detail = d.Detail()
	}
	return stop
}

// ProtocolError says that a message does not fit those before it: no such
// stream comes from a server.
type ProtocolError struct {
	Message int64 // number of the message
	Offset  int64 // where it begins in the stream, bytes
	Text    string
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("message %d (offset %d): %s", e.Message, e.Offset, e.Text)
}
