package recorded

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"applysim/model/apply"
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
	s := apply.DefaultSettings()
	for _, name := range sortedKeys(c.Start.Settings) {
		if err := s.Set(name, c.Start.Settings[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.file("start.json"), err)
		}
	}
	if err := s.Set("data_checksums", c.Start.DataChecksums); err != nil {
		return nil, fmt.Errorf("%s: %w", c.file("start.json"), err)
	}
	switch {
	case len(c.Events) > 0:
		return nil, &apply.UnsupportedError{What: "events on the subscriber (" + c.Events[0].SQL + ")"}
	case s.FullPageWrites:
		return nil, &apply.UnsupportedError{What: "full-page images"}
	case s.DataChecksums || s.WALLogHints:
		return nil, &apply.UnsupportedError{What: "hint bits that are written to the WAL"}
	}
	start, err := wal.ParseLSN(c.Start.StartLSN)
	if err != nil {
		return nil, fmt.Errorf("%s: start_lsn: %w", c.file("start.json"), err)
	}
	w, err := apply.New(db, apply.Options{Settings: s, Start: start, NextXID: c.Start.NextXID, Sink: sink})
	if err != nil {
		return nil, err
	}
	for _, id := range c.Start.Marker.Rows {
		if err := w.Preset("public", "marker", strconv.FormatInt(id, 10)); err != nil {
			return nil, fmt.Errorf("%s: marker: %w", c.file("start.json"), err)
		}
	}
	return w, nil
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
	return Apply(w, f)
}

// Apply applies a whole stream to a worker and returns the number of messages
// applied without an error.
func Apply(w *apply.Worker, r io.Reader) (int64, error) {
	in, err := stream.NewReader(r, stream.DefaultOptions())
	if err != nil {
		return 0, err
	}
	var m stream.Message
	for n := int64(0); ; n++ {
		if err := in.Next(&m); err != nil {
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			return n, err
		}
		if err := w.Apply(&m); err != nil {
			return n, located(err, &m)
		}
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
