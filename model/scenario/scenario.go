package scenario

import (
	"time"

	"applysim/model/stream"
)

// Scenario is what a scenario file says.
type Scenario struct {
	File string // its name, for errors

	Schema   string // path of the DDL, as written
	Seed     uint64
	Start    stream.Timestamp // when the first change is committed
	Duration time.Duration    // 0 if Changes ends the run
	Changes  int64            // 0 if Duration ends the run
	Binary   bool             // the subscription asks for values in binary format
	// LoadedAsText says that rows before the run came as text, though Binary is set: COPY
	// fills pages in other portions then.
	LoadedAsText bool
	Streaming    string // the subscription's streaming option
	Collation    string // the database's default one; "" is C
	// Outage is how long the subscriber is taken to be away where the time that it
	// needs to catch up is told.
	Outage time.Duration
	// Draws is how often a row is drawn that the publisher's constraints refuse; 0 stands
	// for DefaultDraws.
	Draws int

	Settings   []Setting
	Tables     []*Table
	Operations []*Operation
	Snapshots  []Snapshot
	Variants   []*Variant

	// What the pipeline in time goes by; nil and empty if the file does not say.
	Publisher     *Publisher
	Network       *Network
	Subscriptions []*Subscription
	Clients       *Clients
	Standbys      []*Standby
	Slots         []*Slot

	lines lines
}

// Setting is a server setting, by PostgreSQL's name.
type Setting struct {
	Name, Value string
	at          string // its place in the file
}

// Table is what a file says of a table beside its DDL.
type Table struct {
	Name string // with its schema, unless that is public
	Rows int64  // before the run
	// Load says how they came there: by COPY before the indexes were built, by COPY into
	// a table with indexes, or by inserts. Vacuumed says that VACUUM has been there since.
	Load     string
	Vacuumed bool
	// Unpublished are columns that the publication's column list leaves out: the
	// subscriber fills them with their defaults. Rows before the run have NULL there.
	Unpublished []string
	// Checks says what becomes of rows that the table's CHECK constraints, its columns'
	// domains or its partition's bounds refuse: Redrawn or Assumed; "" is Redrawn.
	Checks  string
	Columns []*Column
	at      string
}

// Column says how a column's values are distributed. What is not set follows from
// its type.
type Column struct {
	Name string
	Kind Kind
	// Distinct is the number of different values, 0 for no limit.
	Distinct int64
	// Zipf is the exponent of the values' skew: the k-th most frequent one comes
	// k^-Zipf as often as the first; 0 is uniform.
	Zipf float64
	// Nulls is the share of rows that have NULL.
	Nulls float64
	// MinWidth and MaxWidth are the bytes of a text, drawn uniformly; 0 unless set.
	MinWidth, MaxWidth int
	// First is the first value of a sequence, or the least one of a number.
	First int64
	// Step is the difference of a sequence's values.
	Step int64
	// Scale is the number of decimals of a numeric or floating-point value.
	Scale int
	// RowsPerValue is how many rows after each other share a value (Correlated).
	RowsPerValue int64
	// Pattern is how texts look, as in "[A-Z]{3}-[0-9]{4}"; "" for hexadecimal digits.
	Pattern string
	Values  []string
	Weights []float64
	at      string
}

// What becomes of rows that constraints refuse.
const (
	// Redrawn: the publisher has the constraints, too, so that such rows never came into
	// the table: their values are drawn again.
	Redrawn = "redraw"
	// Assumed: the table's CHECK constraints, and those of its columns' domains, are taken
	// to hold whatever the values are.
	Assumed = "assume"
)

var checkings = []string{Redrawn, Assumed}

// Kind is how a column's values come about.
type Kind string

// The kinds.
const (
	ByType     Kind = ""           // as the type suggests
	Random     Kind = "random"     // drawn for each row
	Monotone   Kind = "monotone"   // ascends with each row, as a sequence does
	Choice     Kind = "choice"     // one of the given values
	Time       Kind = "time"       // when the row is written, as now()
	UUIDv4     Kind = "uuid4"      // random
	UUIDv7     Kind = "uuid7"      // ascends with time
	Correlated Kind = "correlated" // ascends with the rows, several of which share a value
)

var kinds = []string{string(Random), string(Monotone), string(Choice), string(Time), string(UUIDv4), string(UUIDv7), string(Correlated)}

// Action is what an operation does.
type Action string

// The actions.
const (
	Insert Action = "insert"
	Update Action = "update"
	Delete Action = "delete"
)

var actions = []string{string(Insert), string(Update), string(Delete)}

// Which says which rows an update or a delete takes.
type Which string

// The choices.
const (
	Uniform Which = "uniform" // any row, all alike
	Zipfian Which = "zipf"    // some much more often than others
	Recent  Which = "recent"  // rows inserted last, by their age's skew
	Oldest  Which = "oldest"  // rows inserted first, one after the other
	Range   Which = "range"   // rows in a part of the table, all alike
)

var whiches = []string{string(Uniform), string(Zipfian), string(Recent), string(Oldest), string(Range)}

// Step is what one kind of change a transaction makes.
type Step struct {
	Table   string
	Do      Action
	Rows    int      // a transaction
	Columns []string // update: those that get new values
	Which   Which
	Zipf    float64 // exponent of Zipfian and Recent
	// From and To bound Range, as shares of the table's rows in the order of their
	// insertion.
	From, To float64
	at       string
}

// Operation is a kind of transaction that runs again and again.
type Operation struct {
	Step
	Then  []Step  // further changes of the same transactions
	Rate  float64 // changes of the first step a second; 0 if Count is set
	Count int64   // changes of the first step in the whole run
	// Arrivals say how the rate changes with time.
	Arrivals
	// Lasts is how long one of the transactions is open, from its first change to its
	// commit; 0 if it is not told.
	Lasts time.Duration
}

// Snapshot is a transaction on the subscriber that holds a snapshot, so that
// nothing that was deleted after it began may be pruned.
type Snapshot struct {
	From  time.Duration // since the start of the run
	Until time.Duration // 0: to its end
}

// Variant is a change of the scenario.
type Variant struct {
	Name     string
	DDL      []Statement // runs after the schema's
	Settings []Setting
	at       string
}

// Statement is DDL of a variant with its place in the file.
type Statement struct {
	SQL   string
	at    string
	index string // that it drops
}

// Defaults of what a file leaves out.
const (
	DefaultOutage   = 15 * time.Minute
	DefaultDistinct = 10_000
	DefaultWidth    = 32
	DefaultZipf     = 1.0
	// DefaultStart is 2026-08-03 00:00:00 UTC, in PostgreSQL's microseconds.
	DefaultStart = 839_030_400 * 1_000_000
)
