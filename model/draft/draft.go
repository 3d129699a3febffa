package draft

import (
	"fmt"
	"math"
	"slices"

	"applysim/model/guc"
	"applysim/model/observed"
	"applysim/model/pgtype"
	"applysim/model/scenario"
	"applysim/model/schema"
)

// Options are what a draft is made of beside the schema.
type Options struct {
	// Schema is how the file names the DDL.
	Schema string
	// Stats are a server's numbers; nil if there are none.
	Stats *observed.Stats
	// Changes is how long a run is; 0 stands for DefaultChanges.
	Changes int64
	Seed    uint64 // 0 stands for 1
}

// Defaults of what nobody says.
const (
	DefaultChanges = 100_000
	// guessedRate is how many changes a second all tables get together.
	guessedRate = 1000.0
	// rootRows, plainRows and mostRows are the rows of a table that others refer to, of
	// one of which no foreign key says anything, and the most that are guessed.
	rootRows  = 1_000
	plainRows = 10_000
	mostRows  = 100_000
	// allRows is about how many rows all tables get together.
	allRows = 500_000
)

// Draft is a scenario with the reasons for what it says.
type Draft struct {
	Scenario *scenario.Scenario
	Tables   []*Table
	// Notes say what holds for the whole; they head the file.
	Notes []string

	o        Options
	db       *schema.Database
	settings guc.Settings
	bySchema map[*schema.Table]*Table
	depth    map[*schema.Table]int
}

// Table is one table of a draft.
type Table struct {
	Schema  *schema.Table
	Rows    int64
	Columns []*Column
	Notes   []string
	// Checks is scenario.Assumed if no values were found that the table takes.
	Checks string
	// Operations are what happens to the table.
	Operations []*scenario.Operation

	stats    *observed.Table
	identity []int // columns of its replica identity; nil if it has none
	full     bool  // REPLICA IDENTITY FULL
	fixed    map[int]bool
	checks   []*check
	computed []computed
	reads    map[int]bool // columns that constraints read
	unique   map[int]bool // columns of unique indexes
	capacity int64        // how many rows can have different keys; 0: no limit
	given    *scenario.Table
}

// Column is one column with what is said of its values.
type Column struct {
	Schema *schema.Column
	Spec   scenario.Column
	Note   string // why
	number int

	distinct bool  // no two rows have the same value
	checked  bool  // settled by a check, which may choose again
	settled  bool  // by a check or a partition's bounds: nothing may change it
	span     int64 // how many whole numbers a partition's bounds leave; 0 if they are not such
}

func (t *Table) note(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

// column finds a column by its number in the table, nil if the publisher does not
// publish it.
func (t *Table) column(n int) *Column {
	for _, c := range t.Columns {
		if c.number == n {
			return c
		}
	}
	return nil
}

// New makes a draft.
func New(db *schema.Database, o Options) (*Draft, error) {
	if o.Changes == 0 {
		o.Changes = DefaultChanges
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	d := &Draft{o: o, db: db, settings: guc.Defaults(), bySchema: map[*schema.Table]*Table{}, depth: map[*schema.Table]int{}}
	for _, t := range db.Tables {
		if t.Temp {
			continue
		}
		x := &Table{Schema: t, stats: o.Stats.Of(t), fixed: map[int]bool{}, unique: map[int]bool{}}
		d.Tables = append(d.Tables, x)
		d.bySchema[t] = x
	}
	if len(d.Tables) == 0 {
		return nil, fmt.Errorf("%s: found no CREATE TABLE, expected at least one table", o.Schema)
	}
	d.Scenario = &scenario.Scenario{Schema: o.Schema, Seed: o.Seed, Changes: o.Changes, Start: scenario.DefaultStart, Outage: scenario.DefaultOutage}
	d.server()
	d.rows()
	trial := scenario.NewTrial(db, d.settings)
	if err := trial.Prepare(d.Scenario); err != nil { // domains check their values from here on
		return nil, err
	}
	for _, t := range d.Tables {
		t.identity, t.full = replicaIdentity(t.Schema)
		d.values(t)
		d.bounds(t)
		d.keys(t)
		d.apart(t)
		d.check(t)
		if t.capacity > 0 {
			t.Rows = min(t.Rows, t.capacity)
		}
	}
	d.operations()
	d.try(trial)
	if err := d.assemble(); err != nil {
		return nil, err
	}
	return d, nil
}

// rows decides how many rows tables have.
func (d *Draft) rows() {
	total := 0.0
	for _, t := range d.Tables {
		if t.Schema.Kind == 'p' {
			continue
		}
		if t.stats != nil {
			if n, ok := t.stats.Rows(); ok {
				t.Rows = min(n, math.MaxInt32)
				continue
			}
			t.note("never analyzed: its rows are a guess")
		} else if d.o.Stats != nil {
			t.note("not in the statistics: its rows are a guess")
		}
		t.Rows = d.guessRows(t.Schema)
		total += float64(t.Rows)
	}
	// A schema of hundreds of tables would take long to fill.
	if total > allRows {
		for _, t := range d.Tables {
			if t.stats == nil || !known(t.stats.Rows()) {
				t.Rows = roundTo(float64(t.Rows)*allRows/total, 1)
			}
		}
	}
}

func known(_ int64, ok bool) bool { return ok }

// guessRows goes by foreign keys: ten times the rows of the largest table that is
// referred to.
func (d *Draft) guessRows(t *schema.Table) int64 {
	switch level := d.level(t, 0); {
	case level > 0:
		n := float64(rootRows)
		for range level {
			n *= 10
		}
		return int64(min(n, mostRows))
	case d.referred(t):
		return rootRows
	}
	if t.Parent != nil {
		return max(plainRows/int64(max(len(t.Parent.Children), 1)), 100)
	}
	return plainRows
}

// level is how many foreign keys lead from a table to one that has none.
func (d *Draft) level(t *schema.Table, deep int) int {
	if n, ok := d.depth[t]; ok || deep > 8 {
		return n
	}
	d.depth[t] = 0 // a circle ends here
	level := 0
	for _, r := range t.References {
		if r.Table != nil && r.Table != t {
			level = max(level, 1+d.level(r.Table, deep+1))
		}
	}
	d.depth[t] = level
	return level
}

func (d *Draft) referred(t *schema.Table) bool {
	for _, x := range d.Tables {
		for _, r := range x.Schema.References {
			if r.Table == t && x.Schema != t {
				return true
			}
		}
	}
	return false
}

// roundTo rounds to some digits.
func roundTo(f float64, digits int) int64 {
	if f < 1 {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(f))-float64(digits-1))
	if p < 1 {
		return int64(math.Round(f))
	}
	return int64(math.Round(f/p) * p)
}

// replicaIdentity finds the columns by which the subscriber finds a row.
func replicaIdentity(t *schema.Table) (columns []int, full bool) {
	if t.ReplicaIdentity == 'f' {
		return nil, true
	}
	for _, x := range t.Indexes {
		if t.ReplicaIdentity == 'i' && x.ReplicaIdentity || t.ReplicaIdentity == 'd' && x.Primary && !x.Deferrable {
			for _, k := range x.Keys {
				columns = append(columns, k.Column)
			}
		}
	}
	return columns, false
}

// base is a column's type below its domains.
func (c *Column) base() *pgtype.Type { return c.Schema.Type.Base() }

// typmod is the column's modifier, or its domain's.
func (c *Column) typmod() int32 {
	if c.Schema.Typmod < 0 && c.Schema.Type.Typmod >= 0 {
		return c.Schema.Type.Typmod
	}
	return c.Schema.Typmod
}
