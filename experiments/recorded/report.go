package recorded

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"

	"applysim/model/apply"
	"applysim/model/assume"
	"applysim/model/cost"
	"applysim/model/stream"
	"applysim/wal"
)

// MessageError says where in the stream the worker stopped: at a
// *apply.StopError or an *apply.UnsupportedError, which name only the message.
type MessageError struct {
	Message int64
	Offset  int64 // where the message begins in the stream, bytes
	Err     error
}

func (e *MessageError) Error() string {
	what := strings.TrimPrefix(e.Err.Error(), fmt.Sprintf("message %d: ", e.Message))
	return fmt.Sprintf("message %d (offset %d): %s", e.Message, e.Offset, what)
}

// Unwrap returns the worker's error.
func (e *MessageError) Unwrap() error { return e.Err }

// located adds the message's place to the errors that do not have it.
func located(err error, m *stream.Message) error {
	var stop *apply.StopError
	var unsupported *apply.UnsupportedError
	if errors.As(err, &stop) || errors.As(err, &unsupported) {
		return &MessageError{m.Number, m.Offset, err}
	}
	return err
}

// Report is a run's result as replay prints it in JSON.
type Report struct {
	SchemaVersion int                            `json:"schema_version"`
	Changes       int64                          `json:"changes"`
	Messages      int64                          `json:"messages"`
	Transactions  int64                          `json:"transactions"`
	StartLSN      string                         `json:"start_lsn"`
	EndLSN        string                         `json:"end_lsn"`
	WAL           map[string]map[string]WALCount `json:"wal"` // by relation, then record type
	Images        *Images                        `json:"images"`
	Tables        map[string]*TableReport        `json:"tables"`
	Conflicts     map[string]int64               `json:"conflicts"` // by kind, as in pg_stat_subscription_stats
	CPU           CPU                            `json:"cpu"`
	Estimates     []cost.Estimated               `json:"estimates,omitempty"` // indexes whose WAL and CPU are estimates
	Stopped       *Stop                          `json:"stopped,omitempty"`
	Assumed       []assume.Choice                `json:"assumed,omitempty"` // what no expression could be computed for
	Warnings      []string                       `json:"warnings"`
}

// WALCount is a number of records and their bytes.
type WALCount struct {
	Records  int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
	FPIBytes int64 `json:"fpi_bytes"` // of them, full-page images
}

// CPU is what the run would cost a real apply worker on a profile's machine.
type CPU struct {
	Seconds      float64   `json:"seconds"`
	Instructions float64   `json:"instructions"`
	Terms        []CPUTerm `json:"terms"`     // the costliest first
	Objects      []CPUTerm `json:"objects"`   // the same by table and index; "" is the worker itself
	WALWriter    float64   `json:"walwriter"` // seconds of the WAL writer, beside the worker's
	Profile      string    `json:"profile"`
	// ModelError is the median relative error of the instruction model on workloads
	// that it was not fitted to, ProfileError that of the profile on scenarios that
	// were left out.
	ModelError   float64 `json:"model_error"`
	ProfileError float64 `json:"profile_error"`
}

// CPUTerm is one part of CPU.
type CPUTerm struct {
	Name         string    `json:"name"`
	Seconds      float64   `json:"seconds"`
	Instructions float64   `json:"instructions"`
	Kind         cost.Kind `json:"kind"`
}

// CPUOf is what a worker's work so far costs.
func CPUOf(w *apply.Worker, m *cost.Model, p *cost.Profile) (CPU, []string) {
	c := p.Apply(m, cost.Measure(w))
	r := CPU{
		Seconds: c.Seconds, Instructions: math.Round(c.Instructions), WALWriter: c.WALWriter, Profile: p.Name,
		ModelError: m.Validation.Median, ProfileError: p.Error, Terms: []CPUTerm{}, Objects: []CPUTerm{},
	}
	for _, t := range c.Terms {
		r.Terms = append(r.Terms, CPUTerm{t.Name, t.Seconds, math.Round(t.Instructions), t.Kind})
	}
	for _, t := range c.Objects {
		r.Objects = append(r.Objects, CPUTerm{t.Name, t.Seconds, math.Round(t.Instructions), t.Kind})
	}
	return r, c.Assumptions
}

// Stop says why replication would stop.
type Stop struct {
	Message int64  `json:"message"`
	Offset  int64  `json:"offset"`
	Error   string `json:"error"`
	Detail  string `json:"detail"`
}

// NewReport reports on a run that began at LSN start and applied a number of
// messages. stopped is the error that ended it, nil if none did.
func NewReport(w *apply.Worker, start wal.LSN, messages int64, stopped *MessageError) *Report {
	log := w.Log()
	r := &Report{
		SchemaVersion: 1, Messages: messages,
		Changes: w.Counters.Changes(), Transactions: w.Counters.Commits,
		StartLSN: start.String(), EndLSN: log.InsertLSN().String(),
		WAL: map[string]map[string]WALCount{}, Images: NewImages(log, start), Tables: map[string]*TableReport{},
		Conflicts: maps.Clone(w.Counters.Conflicts), CPU: CPU{Terms: []CPUTerm{}, Objects: []CPUTerm{}},
		Warnings: []string{},
	}
	warnings, assumed := w.Doubts()
	r.Warnings, r.Assumed = append(r.Warnings, warnings...), assumed
	for rel := wal.NoRelation; int(rel) < log.Relations(); rel++ {
		for t := range wal.NumRecordTypes {
			c := log.Count(rel, wal.RecordType(t))
			if c.Records == 0 {
				continue
			}
			name := log.Name(rel)
			if r.WAL[name] == nil {
				r.WAL[name] = map[string]WALCount{}
			}
			r.WAL[name][wal.RecordType(t).String()] = WALCount(c)
		}
	}
	r.Estimates = cost.Estimates(w)
	states := w.Tables()
	for i := range states {
		r.Tables[states[i].Schema.QualifiedName()] = Describe(&states[i])
	}
	var stop *apply.StopError
	if stopped != nil && errors.As(stopped.Err, &stop) {
		r.Stopped = &Stop{stopped.Message, stopped.Offset, stop.Text, stop.Detail}
	}
	return r
}
