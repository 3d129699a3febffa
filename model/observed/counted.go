package observed

import (
	"fmt"
	"math"
	"strings"
	"time"

	"applysim/model/schema"
)

// since takes the counters of an earlier sample away. Counters that were reset in
// between count from the reset.
func (s *Stats) since(earlier *Stats) (*Stats, error) {
	if s.Database != earlier.Database {
		return nil, fmt.Errorf("%s: a sample of database %q, and one of %q: expected two of the same", s.File, earlier.Database, s.Database)
	}
	if !s.Taken.After(earlier.Taken) {
		return nil, fmt.Errorf("%s: two samples of the same time, %s: expected some time between them", s.File, s.Taken.Format(time.RFC3339))
	}
	earlier.index()
	s.Between = true
	if s.Reset != nil && s.Reset.After(earlier.Taken) {
		s.Since = s.Reset
		return s, nil
	}
	s.Since = &earlier.Taken
	s.Commits -= earlier.Commits
	for _, t := range s.Tables {
		b := earlier.byName[t.QualifiedName()]
		if b == nil {
			continue // made since
		}
		c, d := &t.Counters, &b.Counters
		if c.Inserts < d.Inserts || c.Updates < d.Updates || c.Deletes < d.Deletes {
			continue // this table's were reset
		}
		c.SeqScans -= d.SeqScans
		c.IdxScans -= d.IdxScans
		c.Inserts -= d.Inserts
		c.Updates -= d.Updates
		c.Deletes -= d.Deletes
		c.HOTUpdates -= d.HOTUpdates
		if c.NewPageUpdates != nil && d.NewPageUpdates != nil {
			*c.NewPageUpdates -= *d.NewPageUpdates
		}
		for _, x := range t.Indexes {
			if y := b.Index(x.Name); y != nil && y.Scans <= x.Scans {
				x.Scans -= y.Scans
				x.TuplesRead -= y.TuplesRead
				x.TuplesFetched -= y.TuplesFetched
			}
		}
	}
	return s, nil
}

// Window is how long the counters have counted; 0 if nobody knows.
func (s *Stats) Window() time.Duration {
	if s.Since == nil || !s.Taken.After(*s.Since) {
		return 0
	}
	return s.Taken.Sub(*s.Since)
}

// Subscriber says whether the database has a subscription: then its counters are the
// apply workers' and those of whoever reads here.
func (s *Stats) Subscriber() bool { return len(s.Subscriptions) > 0 }

// Table finds a table by its name, with its schema unless that is public; nil if the
// server has none.
func (s *Stats) Table(name string) *Table { return s.byName[name] }

// Of finds a table of a schema that was read; nil if the server has none.
func (s *Stats) Of(t *schema.Table) *Table {
	if s == nil {
		return nil
	}
	return s.byName[t.QualifiedName()]
}

// Index finds one of the table's indexes; nil if there is none.
func (t *Table) Index(name string) *Index {
	for _, x := range t.Indexes {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Column finds one of the table's columns; nil if there is none.
func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Rows is how many rows the table has: as it was analyzed last, or as they were counted.
// ok is false if nobody knows.
func (t *Table) Rows() (n int64, ok bool) {
	switch {
	case t.Reltuples > 0:
		return int64(math.Round(t.Reltuples)), true
	case t.Counters.Live > 0:
		return t.Counters.Live, true
	case t.Reltuples == 0 || t.Counters.Analyzes+t.Counters.Autoanalyzes > 0:
		return 0, true
	}
	return 0, false
}

// Distinct is how many different values the column has among so many rows; ok is false
// if nobody knows.
func (c *Column) Distinct(rows int64) (n int64, ok bool) {
	if c == nil || c.NDistinct == nil || *c.NDistinct == 0 {
		return 0, false
	}
	if d := *c.NDistinct; d > 0 {
		return max(int64(math.Round(d)), 1), true
	}
	share := min(-*c.NDistinct, 1)
	return max(int64(math.Round(share*float64(rows))), 1), true
}

// Rate is what happened to a table a second; ok is false if it is not known how long it
// took.
type Rate struct{ Inserts, Updates, Deletes float64 }

// Rate is how many rows of a table change a second.
func (s *Stats) Rate(t *Table) (r Rate, ok bool) {
	w := s.Window().Seconds()
	if w <= 0 {
		return r, false
	}
	c := &t.Counters
	return Rate{float64(c.Inserts) / w, float64(c.Updates) / w, float64(c.Deletes) / w}, true
}

// HOTShare is the share of updates that were HOT; ok is false if there were none.
func (t *Table) HOTShare() (share float64, ok bool) {
	if t.Counters.Updates <= 0 {
		return 0, false
	}
	return float64(t.Counters.HOTUpdates) / float64(t.Counters.Updates), true
}

// Scans says how often an index was used since Since, and when last, for an index of a
// partitioned table those of all its partitions together. known is false where the server
// has none of that name. An apply worker's own lookups count, too: on a subscriber they are
// those of the replica identity.
func (s *Stats) Scans(x *schema.Index) (n int64, last *time.Time, known bool) {
	if s == nil {
		return 0, nil, false
	}
	if t := s.Of(x.Table); t != nil {
		if y := t.Index(x.Name); y != nil {
			n, last, known = y.Scans, y.LastScan, true
		}
	}
	for _, child := range x.Table.Children {
		for _, y := range child.Indexes {
			if y.Parent != x {
				continue
			}
			m, at, ok := s.Scans(y)
			n += m
			known = known || ok
			if at != nil && (last == nil || at.After(*last)) {
				last = at
			}
		}
	}
	return n, last, known
}

// Describe says in one line where the numbers come from.
func (s *Stats) Describe() string {
	var b strings.Builder
	fmt.Fprintf(&b, "database %s of PostgreSQL %d.%d on %s", s.Database, s.ServerNum/10000, s.ServerNum%10000, s.Taken.UTC().Format("2006-01-02 15:04:05"))
	switch w := s.Window().Round(time.Second); {
	case w == 0:
		b.WriteString(", counters of unknown age")
	case s.Between:
		fmt.Fprintf(&b, ", counters of %v between two samples", w)
	case s.Reset != nil:
		fmt.Fprintf(&b, ", counters of the %v since they were reset", w)
	default:
		fmt.Fprintf(&b, ", counters of at most %v, never reset", w)
	}
	return b.String()
}
