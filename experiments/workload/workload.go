package workload

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"applysim/model/stream"
)

// Clock is where a row's updated_at comes from.
type Clock uint8

const (
	// FromID adds a step for each id: ascending in id whatever the clients do.
	FromID Clock = iota
	// FromClock is the simulated clock when the row is inserted, as
	// clock_timestamp() gives it: like FromID, but commits take time as well.
	FromClock
	// FromTransaction is the simulated clock when its transaction began, as
	// now() gives it: equal for all rows of a transaction.
	FromTransaction
)

var clockNames = [...]string{FromID: "id", FromClock: "clock", FromTransaction: "transaction"}

func (c Clock) String() string {
	if int(c) < len(clockNames) {
		return clockNames[c]
	}
	return fmt.Sprintf("clock %d", uint8(c))
}

// Options describe a run. The zero value is not valid; begin with DefaultOptions.
type Options struct {
	Rows               int  // rows in all
	RowsPerTransaction int  // the last transactions may have fewer
	Clients            int  // that insert at the same time; 1 keeps ids in order
	Binary             bool // values in binary format, not in text
	Accounts           int  // distinct values of account_id
	Statuses           int  // distinct values of status
	FirstID            int64
	UpdatedAt          Clock
	Start              stream.Timestamp // of the clock; the first step is added to it
	StepMicroseconds   int64            // of the clock
	RelationID         uint32           // of the table on the publisher
	FirstXid           uint32
	Seed               uint64 // of rows and turns
}

// DefaultStart is 2026-08-03 00:00:00 UTC.
const DefaultStart stream.Timestamp = 9711 * dayMicroseconds

// DefaultOptions is the published workload, as one client in text format.
func DefaultOptions() Options {
	return Options{
		Rows: 500_000, RowsPerTransaction: 25, Clients: 1,
		Accounts: 10_000, Statuses: 5, FirstID: 1,
		UpdatedAt: FromID, Start: DefaultStart, StepMicroseconds: 1700,
		RelationID: 16384, // FirstNormalObjectId in src/include/access/transam.h (REL_18_1)
		FirstXid:   750,
		Seed:       1,
	}
}

// Timestamps are kept to the years 1 to 9999, where their text has one form.
const (
	minTimestamp stream.Timestamp = -730119 * dayMicroseconds
	maxTimestamp stream.Timestamp = 2921940*dayMicroseconds - 1
)

// Validate says what is wrong with the options: all of it.
func (o Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("workload: "+format, args...))
		}
	}
	check(o.Rows >= 0, "Rows: expected 0 or more, found %d", o.Rows)
	check(o.RowsPerTransaction >= 1, "RowsPerTransaction: expected 1 or more, found %d", o.RowsPerTransaction)
	check(o.Clients >= 1 && o.Clients <= maxClients, "Clients: expected 1 to %d, found %d", maxClients, o.Clients)
	check(o.Accounts >= 1 && o.Accounts <= math.MaxInt32, "Accounts: expected 1 to %d, found %d", math.MaxInt32, o.Accounts)
	check(o.Statuses >= 1 && o.Statuses <= math.MaxInt16, "Statuses: expected 1 to %d, found %d", math.MaxInt16, o.Statuses)
	check(o.Rows < 0 || o.FirstID <= math.MaxInt64-int64(o.Rows), "FirstID: expected at most %d for %d rows, found %d", math.MaxInt64-int64(o.Rows), o.Rows, o.FirstID)
	check(int(o.UpdatedAt) < len(clockNames), "UpdatedAt: expected id, clock or transaction, found %d", o.UpdatedAt)
	check(o.RelationID != 0, "RelationID: expected an oid, found 0")
	check(o.FirstXid >= 3, "FirstXid: expected a normal xid (3 or more), found %d", o.FirstXid) // FirstNormalTransactionId
	check(o.Start >= minTimestamp && o.Start <= maxTimestamp, "Start: expected a time in the years 1 to 9999, found %d", o.Start)
	check(o.StepMicroseconds >= 0, "StepMicroseconds: expected 0 or more, found %d", o.StepMicroseconds)
	// Commits are steps as well, so there are at most two for each row.
	if len(errs) == 0 && o.Rows > 0 && o.StepMicroseconds > 0 {
		most := int64(maxTimestamp-o.Start) / o.StepMicroseconds / 2
		check(int64(o.Rows) <= most, "StepMicroseconds: %d rows would go beyond the year 9999", o.Rows)
	}
	return errors.Join(errs...)
}

// maxClients is MAX_BACKENDS's order of magnitude in practice; each client has
// a buffer for its open transaction.
const maxClients = 10_000

// MaxIndexes is the number of secondary indexes that Schema knows.
const MaxIndexes = 4

// Schema is the table's DDL with its first 0 to MaxIndexes secondary indexes.
// The source of the workload does not name them; these write within 0.01 % of
// the published difference in WAL. It panics for another number.
func Schema(indexes int) string {
	if indexes < 0 || indexes > MaxIndexes {
		panic(fmt.Sprintf("workload: a schema of %d indexes: expected 0 to %d", indexes, MaxIndexes))
	}
	lines := []string{
		`CREATE TABLE events (
    id bigint PRIMARY KEY,
    account_id integer NOT NULL,
    status smallint NOT NULL,
    payload text NOT NULL,
    updated_at timestamp with time zone NOT NULL
);`,
		"CREATE INDEX events_updated_at_idx ON events (updated_at);",
		"CREATE INDEX events_account_id_idx ON events (account_id);",
		"CREATE INDEX events_account_id_status_idx ON events (account_id, status);",
		"CREATE INDEX events_status_updated_at_idx ON events (status, updated_at);",
	}
	return strings.Join(lines[:1+indexes], "\n") + "\n"
}

// Generate writes the whole stream.
func Generate(w io.Writer, o Options) error {
	g, err := NewGenerator(o)
	if err != nil {
		return err
	}
	_, err = g.WriteTo(w)
	return err
}
