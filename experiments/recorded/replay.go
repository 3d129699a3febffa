package recorded

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/capture"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// Worker returns a subscriber in the state in which the recording began.
func (c *Case) Worker(sink wal.Sink) (*apply.Worker, error) {
	db, err := schema.Read(strings.NewReader(c.DDL), c.file("case.json"))
	if err != nil {
		return nil, err
	}
	c.order(db)
	for _, x := range c.Start.Types {
		if t := db.Types["public."+x.Name]; t != nil {
			t.OID = x.OID
			t.SetLabelOIDs(x.Labels)
		}
	}
	s := guc.Defaults()
	for _, name := range sortedKeys(c.Start.Settings) {
		if err := s.Set(name, c.Start.Settings[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.file("start.json"), err)
		}
	}
	if err := s.Set("data_checksums", c.Start.DataChecksums); err != nil {
		return nil, fmt.Errorf("%s: %w", c.file("start.json"), err)
	}
	for name, value := range c.Options {
		if name == "synchronous_commit" {
			if err := s.Set(name, value); err != nil {
				return nil, fmt.Errorf("%s: sub_options: %w", c.file("case.json"), err)
			}
		}
	}
	start, err := wal.ParseLSN(c.Start.StartLSN)
	if err != nil {
		return nil, fmt.Errorf("%s: start_lsn: %w", c.file("start.json"), err)
	}
	o := apply.Options{
		Settings: s, Start: start, NextXID: c.Start.NextXID, NextOID: c.nextOID(db), Sink: sink, ToastNames: c.toastNames,
		NextMultiXact: c.Start.NextMultiXact, NextMultiOffset: c.Start.NextMultiOffset,
		SubscriptionOID: c.nextOID(db) - 1, Parallel: c.parallel(),
		Collation: c.Start.Collation, Assume: c.Assume, Seed: c.Seed, Exact: c.exact,
	}
	if c.Start.NextOID != 0 {
		o.NextOID, o.SubscriptionOID = c.Start.NextOID, c.Start.SubscriptionOID
	}
	w, err := apply.New(db, o)
	if err != nil {
		return nil, err
	}
	if err := c.load(w, db); err != nil {
		return nil, err
	}
	for _, id := range c.Start.Marker.Rows {
		// The last transaction before the recording was the marker's.
		if err := w.Preset(c.Start.NextXID-1, "public", "marker", strconv.FormatInt(id, 10)); err != nil {
			return nil, fmt.Errorf("%s: marker: %w", c.file("start.json"), err)
		}
	}
	if err := c.setLSNs("page_lsns", c.Start.PageLSNs, w.SetPageLSNs); err != nil {
		return nil, err
	}
	if err := c.setLSNs("map_lsns", c.Start.MapLSNs, w.SetMapLSNs); err != nil {
		return nil, err
	}
	if err := c.setLSNs("vm_lsns", c.Start.VisibleLSNs, w.SetVisibilityLSNs); err != nil {
		return nil, err
	}
	return w, nil
}

// setLSNs sets LSNs of pages, which one of the lists of start.json has by relation.
func (c *Case) setLSNs(list string, lsns map[string]string, set func(string, []wal.LSN)) error {
	for _, name := range sortedKeys(lsns) {
		var pages []wal.LSN
		for _, f := range strings.Fields(lsns[name]) {
			l, err := wal.ParseLSN(f)
			if err != nil {
				return fmt.Errorf("%s: %s of %s: %w", c.file("start.json"), list, name, err)
			}
			pages = append(pages, l)
		}
		set(name, pages)
	}
	return nil
}

// parallel says whether the subscription applies streamed transactions in parallel.
func (c *Case) parallel() bool {
	streaming, given := c.Options["streaming"]
	if given {
		return streaming == "parallel"
	}
	s := guc.Defaults()
	if v := c.Start.Settings["server_version"]; v != "" {
		s.Set("server_version", v)
	}
	return s.ParallelByDefault()
}

// nextOID is the first object id after those of the relations: a constraint gets its
// own after that of its index, and the subscription, which was made last, has one.
func (c *Case) nextOID(db *schema.Database) uint32 {
	var last Relation
	for _, r := range c.Start.Relations {
		if r.OID > last.OID {
			last = r
		}
	}
	next := last.OID + 2
	for _, t := range db.Tables {
		for _, x := range t.Indexes {
			if x.Name == last.Name && t.Name == last.Table && (x.Constraint || x.Primary) {
				next++
			}
		}
	}
	return next
}

// toastNames are the names of a table's TOAST table and index on the real server.
func (c *Case) toastNames(space, name string) (table, index string, oid uint32, known bool) {
	if space != "public" {
		return "", "", 0, false // only that schema's relations are recorded
	}
	for _, r := range c.Start.Relations {
		if r.Name == name {
			table = r.ToastTable
		}
	}
	if table == "" {
		return "", "", 0, true
	}
	for _, r := range c.Start.Relations {
		if r.Name == table {
			oid = r.OID
		}
	}
	return table, table + "_index", oid, true
}

// order puts indexes into the order of their OIDs on the real server.
func (c *Case) order(db *schema.Database) {
	byOID := slices.Clone(c.Start.Relations)
	slices.SortFunc(byOID, func(a, b Relation) int { return int(int64(a.OID) - int64(b.OID)) })
	var names []string
	for _, r := range byOID {
		names = append(names, r.Name)
	}
	for _, t := range db.Tables {
		t.SortIndexes(names)
	}
}

// Run applies the case's stream. It returns the number of messages.
func (c *Case) Run(w *apply.Worker) (int64, error) {
	f, err := c.Stream()
	if err != nil {
		return 0, err
	}
	defer f.Close()
	schedule := background.NewSchedule(w)
	schedule.WALWriter = true // as on the real server; checkpoints are events
	return ApplyScheduled(w, f, c.Events, c.quiet, schedule)
}

// RunQuiet is Run without the records of checkpoints, which a recording has.
func (c *Case) RunQuiet(w *apply.Worker) (int64, error) {
	c.quiet = true
	return c.Run(w)
}

// Apply applies a whole stream to a worker and returns the number of messages
// applied without an error.
func Apply(w *apply.Worker, r io.Reader) (int64, error) {
	return ApplyWith(w, r, nil, false)
}

// ApplyWith is Apply with events that run on the subscriber between messages. The
// records of checkpoints are not written if quiet.
func ApplyWith(w *apply.Worker, r io.Reader, events []Event, quiet bool) (int64, error) {
	return ApplyScheduled(w, r, events, quiet, background.NewSchedule(w))
}

// ApplyScheduled is ApplyWith with what happens beside the stream by the clock.
func ApplyScheduled(w *apply.Worker, r io.Reader, events []Event, quiet bool, schedule *background.Schedule) (int64, error) {
	return ApplyUntil(w, r, events, quiet, schedule, 0)
}

// ApplyUntil is ApplyScheduled for the first so many changes, of which the last may be
// within a transaction; 0 stands for all.
func ApplyUntil(w *apply.Worker, r io.Reader, events []Event, quiet bool, schedule *background.Schedule, changes int64) (int64, error) {
	in, err := capture.NewReader(r, nil)
	if err != nil {
		return 0, err
	}
	return ApplyReader(w, in, events, quiet, schedule, changes)
}

// ApplyReader is ApplyUntil for a stream that was opened.
func ApplyReader(w *apply.Worker, in *capture.Reader, events []Event, quiet bool, schedule *background.Schedule, changes int64) (int64, error) {
	feed := NewFeed(w, in, events, quiet, schedule)
	var m stream.Message
	for {
		n := feed.Messages()
		if err := feed.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		if err := w.Apply(&m); err != nil {
			return n, located(err, &m)
		}
		if changes > 0 && w.Counters.Changes()+w.Counters.Truncates >= changes {
			return n + 1, nil
		}
	}
}

// located adds where the event stands to an error.
func (e *Event) located(err error) error {
	if e.Place == "" {
		return err
	}
	return fmt.Errorf("%s: %w", e.Place, err)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
