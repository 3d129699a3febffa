package explain

import (
	"errors"
	"fmt"

	"applysim/model/cost"
	"applysim/wal"
)

// Explanation is one change, step by step.
type Explanation struct {
	SchemaVersion int     `json:"schema_version"`
	Change        Change  `json:"change"`
	Steps         []*Step `json:"steps"`
	// NotDone is what does not happen, and why, where a newcomer would expect it.
	NotDone []NotDone `json:"not_done"`
	Total   Total     `json:"total"`
	// Stopped is the error at which replication stops with this change, "" for none.
	Stopped  string   `json:"stopped,omitempty"`
	Profile  string   `json:"profile"`
	Warnings []string `json:"warnings"`
}

// Change is the change that is explained.
type Change struct {
	Number   int64  `json:"number"`  // among the stream's changes
	Message  int64  `json:"message"` // among its messages
	Offset   int64  `json:"offset"`
	Kind     string `json:"kind"`
	Relation string `json:"relation"` // as the publisher names it
	Table    string `json:"table"`    // the subscriber's table that the row is in
	Bytes    int    `json:"bytes"`    // of the message
	Found    bool   `json:"found"`    // an update or delete found its row
	// Old and New are the row's addresses before and after, "" for none.
	Old     string   `json:"old_tid,omitempty"`
	New     string   `json:"new_tid,omitempty"`
	Columns []Column `json:"columns"`
	SQL     string   `json:"sql"` // what it amounts to
	// Statement is the SQL that it was made of, "" if it comes from a stream.
	Statement string `json:"statement,omitempty"`
}

// Column is a column of the row before and after the change.
type Column struct {
	Name string  `json:"name"`
	Type string  `json:"type"`
	Old  *string `json:"old"` // nil: NULL, or no such row
	New  *string `json:"new"`
	// Sent says how the message has the new value: "text", "binary", "null", "unchanged",
	// or "" if it does not have the column.
	Sent string `json:"sent"`
}

// Step is one step on the change's way through the worker.
type Step struct {
	Name    string   `json:"name"`
	Text    []string `json:"text"`
	Records []Record `json:"records"`
	// Counters are what the worker counts, by object and kind of work.
	Counters     map[string]float64 `json:"counters"`
	Work         []Work             `json:"work"` // the same with its price, the dearest first
	Instructions float64            `json:"instructions"`
	CPU          float64            `json:"cpu_s"`
	// FirstTouch is the part of CPU that is spent only once, because the worker has not
	// had to do with the table, index or type before.
	FirstTouch float64 `json:"first_touch_s"`

	Fields []Field `json:"fields,omitempty"` // of the message
	HOT    *HOT    `json:"hot,omitempty"`
	Lookup *Lookup `json:"lookup,omitempty"`
	// Path is a descent, the root first.
	Path  []PathPage `json:"path,omitempty"`
	Pages []*Pages   `json:"pages,omitempty"`

	key   string
	usage *cost.Usage
}

// Work is a kind of work on an object.
type Work struct {
	Name         string  `json:"name"`
	Object       string  `json:"object"`
	Quantity     float64 `json:"quantity"`
	Instructions float64 `json:"instructions"`
	CPU          float64 `json:"cpu_s"`
}

// Record is a WAL record.
type Record struct {
	Manager  string     `json:"resource_manager"`
	Type     string     `json:"record_type"`
	Relation string     `json:"relation"`
	Fork     string     `json:"fork"`
	Block    string     `json:"block"`
	Length   int        `json:"record_length"`
	FPI      int        `json:"fpi_length"`
	Start    string     `json:"start_lsn"`
	End      string     `json:"end_lsn"`
	Blocks   []BlockRef `json:"blocks"`
	Parts    []wal.Part `json:"parts"`
}

// BlockRef is a block that a record refers to.
type BlockRef struct {
	ID    int    `json:"id"`
	Role  string `json:"role"`
	Fork  int    `json:"fork"`
	Block int64  `json:"block"`
	Init  bool   `json:"init"`        // replay makes the page anew
	Image int    `json:"image_bytes"` // of its full-page image, 0 for none
}

// Field is a piece of a message.
type Field struct {
	Offset int    `json:"offset"`
	Bytes  int    `json:"bytes"`
	Name   string `json:"name"`
	Value  string `json:"value"`
}

// NotDone is something that does not happen.
type NotDone struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

// Total is the sum of all steps.
type Total struct {
	Records      int                `json:"records"`
	Bytes        int                `json:"bytes"`
	FPIBytes     int                `json:"fpi_bytes"`
	Counters     map[string]float64 `json:"counters"`
	Instructions float64            `json:"instructions"`
	CPU          float64            `json:"cpu_s"`
	FirstTouch   float64            `json:"first_touch_s"`
}

// Explain explains a change. Replication that stops at the change itself is part of the
// explanation; before it, the error is a *StoppedError.
func Explain(o Options) (*Explanation, error) {
	target := o.Change
	if o.Message > 0 {
		var err error
		if target, err = findChange(&o); err != nil {
			return nil, err
		}
	}
	// The first run shows which pages the change will touch, the second one looks at them
	// before and after.
	a, err := newRun(&o, target)
	if err != nil {
		return nil, err
	}
	defer a.s.Close()
	if err := a.through(); err != nil {
		if errors.Is(err, errNotThere) {
			return nil, fmt.Errorf("change %d: expected one from 1 to %d, as many as the stream has", target, a.changes)
		}
		return nil, err
	}
	p, err := newPlan(a)
	if err != nil {
		return nil, err
	}
	b, err := newRun(&o, target)
	if err != nil {
		return nil, err
	}
	defer b.s.Close()
	b.watch = func() map[pageKey]bool { return p.watch(b) }
	if err := b.through(); err != nil {
		return nil, err
	}
	if err := sameRecords(a.unit.events, b.unit.events); err != nil {
		return nil, err
	}
	return newBuilder(b, p).build(), nil
}

// sameRecords checks that both runs have written the same.
func sameRecords(a, b []event) error {
	same := len(a) == len(b)
	for i := range min(len(a), len(b)) {
		x, y := a[i].rec, b[i].rec
		x.Detail, y.Detail = nil, nil
		same = same && x == y
	}
	if !same {
		return errors.New("the messages or the tables are not the same when they are read again")
	}
	return nil
}
