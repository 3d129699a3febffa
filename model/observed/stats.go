package observed

import (
	_ "embed"
	"strings"
	"time"
)

//go:embed query.sql
var query string

// Query is the SQL whose output Read reads. Without values the most common values of
// columns are left out of it, and only their frequencies are asked for.
func Query(values bool) string {
	if values {
		return query
	}
	const expr = "pg_catalog.to_jsonb(s.most_common_vals::text::text[])"
	text := strings.Replace(query, expr, "NULL::jsonb", 1)
	return strings.Replace(text, "no table of yours. The most common\n-- values of columns with few different ones are in the result. Run it",
		"no table of yours, and no\n-- values of columns are in the result. Run it", 1)
}

// Version is the form of the file.
const Version = 1

// Stats are what a server's statistics say of one database.
type Stats struct {
	Version int `json:"applysim_stats"`
	// Taken is when; Since is when the counters began: at a reset (Reset is set then, too),
	// or with the cluster. Of two samples Since is when the first was taken.
	Taken      time.Time  `json:"taken"`
	Since      *time.Time `json:"since"`
	Reset      *time.Time `json:"reset"`
	ServerNum  int        `json:"server_version_num"` // 180001
	Database   string     `json:"database"`
	Collation  string     `json:"collation"` // datcollate
	InRecovery bool       `json:"in_recovery"`
	Commits    int64      `json:"commits"` // transactions that were committed, those that only read among them

	Settings      map[string]string `json:"settings"`
	Publications  []Publication     `json:"publications"`
	Subscriptions []Subscription    `json:"subscriptions"`
	Tables        []*Table          `json:"tables"`

	// Between says that the counters are what came between two samples.
	Between bool   `json:"-"`
	File    string `json:"-"`

	byName map[string]*Table
}

// Publication is one of the database's publications.
type Publication struct {
	Name string `json:"name"`
}

// Subscription is one of the database's subscriptions.
type Subscription struct {
	Name      string `json:"name"`
	Binary    bool   `json:"binary"`
	Streaming any    `json:"streaming"` // a boolean in 15; "f", "t" or "p"
}

// StreamingOption is the subscription's option as CREATE SUBSCRIPTION has it.
func (s *Subscription) StreamingOption() string {
	switch s.Streaming {
	case true, "t":
		return "on"
	case "p":
		return "parallel"
	}
	return "off"
}

// Table is a table or a partitioned one.
type Table struct {
	Schema          string   `json:"schema"`
	Name            string   `json:"name"`
	Kind            string   `json:"kind"`        // "r", or "p" of a partitioned table
	Persistence     string   `json:"persistence"` // "p", or "u" of an unlogged one
	PartitionOf     string   `json:"partition_of"`
	ReplicaIdentity string   `json:"replica_identity"` // "d", "n", "f", "i"
	Options         []string `json:"reloptions"`       // "fillfactor=70"
	Reltuples       float64  `json:"reltuples"`        // -1: never analyzed
	Pages           int64    `json:"relpages"`
	AllVisible      int64    `json:"relallvisible"`
	ToastPages      int64    `json:"toast_pages"`
	Published       bool     `json:"published"` // by any publication

	Counters Counters  `json:"counters"`
	Columns  []*Column `json:"columns"`
	Indexes  []*Index  `json:"indexes"`
}

// Counters are those of pg_stat_user_tables that matter here.
type Counters struct {
	SeqScans        int64  `json:"seq_scan"`
	IdxScans        int64  `json:"idx_scan"`
	Inserts         int64  `json:"n_tup_ins"`
	Updates         int64  `json:"n_tup_upd"`
	Deletes         int64  `json:"n_tup_del"`
	HOTUpdates      int64  `json:"n_tup_hot_upd"`
	NewPageUpdates  *int64 `json:"n_tup_newpage_upd"` // since 16
	Live            int64  `json:"n_live_tup"`
	Dead            int64  `json:"n_dead_tup"`
	Vacuums         int64  `json:"vacuum_count"`
	Autovacuums     int64  `json:"autovacuum_count"`
	Analyzes        int64  `json:"analyze_count"`
	Autoanalyzes    int64  `json:"autoanalyze_count"`
	ChangedSince    int64  `json:"n_mod_since_analyze"`
	InsertedVacuums int64  `json:"n_ins_since_vacuum"`
}

// Column has a column's planner statistics, all nil if there are none (the table was never
// analyzed, or the role that ran the query may not read the column).
type Column struct {
	Name        string    `json:"name"`
	Type        string    `json:"type"`
	NotNull     bool      `json:"not_null"`
	NDistinct   *float64  `json:"n_distinct"` // below 0: minus the share of the rows
	NullFrac    *float64  `json:"null_frac"`
	AvgWidth    *int      `json:"avg_width"`   // bytes, with the header of a long type
	Correlation *float64  `json:"correlation"` // of the values' order and the rows'
	Values      []string  `json:"values"`      // the most common ones, if there are few
	Freqs       []float64 `json:"freqs"`       // their shares of the rows
	TopFreq     *float64  `json:"top_freq"`    // share of the most common value
}

// Index is an index.
type Index struct {
	Name            string     `json:"name"`
	Method          string     `json:"method"`
	Unique          bool       `json:"unique"`
	Primary         bool       `json:"primary"`
	Valid           bool       `json:"valid"`
	ReplicaIdentity bool       `json:"replica_identity"`
	Constraint      bool       `json:"constraint"` // of a primary key, UNIQUE or EXCLUDE
	Definition      string     `json:"definition"`
	Pages           int64      `json:"pages"`
	Tuples          float64    `json:"tuples"`
	Scans           int64      `json:"idx_scan"`
	TuplesRead      int64      `json:"idx_tup_read"`
	TuplesFetched   int64      `json:"idx_tup_fetch"`
	LastScan        *time.Time `json:"last_idx_scan"` // since 16; nil: never, or not known
}
