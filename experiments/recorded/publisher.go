package recorded

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"applysim/model/guc"
	"applysim/model/schema"
)

// PublisherCase is a case recorded on a publisher:
//
//	case.json        DDL, identity, publication, settings, the SQL that ran
//	changes.tsv.gz   every row change, whatever is published, as a stream of pgoutput
//	                 messages from a twin of the server (NOTHING recorded as FULL)
//	pgoutput.tsv.gz  what the case's own publication sends (wal_level = logical only)
//	records.tsv.gz   every WAL record of the run
//	expected.json    the WAL by relation and record type, what decoding the run gives
type PublisherCase struct {
	Name        string
	Why         string
	DDL         string            // of the tables
	Identity    string            // SQL that sets replica identities, and what it needs; may be ""
	Publication string            // CREATE PUBLICATION; "" stands for p FOR ALL TABLES
	Settings    map[string]string // that the case changes
	Checksums   bool
	TwoPhase    bool     // its slots have two_phase
	SQL         []string // what ran, one psql script after the other, from one client

	files
}

// PublisherExpected is a publisher case's expected.json.
type PublisherExpected struct {
	Version    string                         `json:"version"`
	Settings   map[string]string              `json:"conf"`
	StartLSN   string                         `json:"start_lsn"`
	EndLSN     string                         `json:"end_lsn"`
	NextXID    uint32                         `json:"next_xid"` // before the run, 0 if it is not known
	NextOID    uint32                         `json:"next_oid"`
	NextMulti  uint32                         `json:"next_multi"`
	NextOffset uint32                         `json:"next_offset"`
	WAL        map[string]map[string]WALCount `json:"wal"`     // by relation, then record type
	Decoded    map[string]*Decoded            `json:"decoded"` // by way of decoding; none at wal_level = replica
}

// Decoded is what one slot's plugin made of a run, and the slot's counters in
// pg_stat_replication_slots.
type Decoded struct {
	Messages int64 `json:"messages"`
	Bytes    int64 `json:"bytes"`
	// ByKind counts by a message's first byte, for test_decoding by its first word.
	ByKind map[string]KindCount `json:"by_kind"`

	SpillTxns   int64 `json:"spill_txns"`
	SpillCount  int64 `json:"spill_count"`
	SpillBytes  int64 `json:"spill_bytes"`
	StreamTxns  int64 `json:"stream_txns"`
	StreamCount int64 `json:"stream_count"`
	StreamBytes int64 `json:"stream_bytes"`
	TotalTxns   int64 `json:"total_txns"`
	TotalBytes  int64 `json:"total_bytes"`
}

// KindCount is a number of messages and their bytes.
type KindCount struct {
	Messages int64 `json:"count"`
	Bytes    int64 `json:"bytes"`
}

// IsPublisher says whether a folder is a case recorded on a publisher: it has all
// changes where a subscriber's case has a stream.
func IsPublisher(fsys fs.FS, dir string) bool {
	for _, name := range []string{"changes.tsv.gz", "changes.tsv"} {
		if _, err := fs.Stat(fsys, path.Join(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// OpenPublisher reads a publisher case's folder, dir within fsys, up to the streams.
func OpenPublisher(fsys fs.FS, dir string) (*PublisherCase, error) {
	c := &PublisherCase{files: files{fsys, dir}}
	var file struct {
		Name        string            `json:"name"`
		Why         string            `json:"why"`
		Pub         string            `json:"pub"`
		Identity    string            `json:"identity"`
		Publication string            `json:"publication"`
		Conf        map[string]string `json:"conf"`
		Checksums   bool              `json:"checksums"`
		TwoPhase    bool              `json:"two_phase"`
		SQL         []string          `json:"sql"`
	}
	if err := c.readJSON("case.json", &file); err != nil {
		return nil, err
	}
	c.Name, c.Why, c.DDL, c.Identity, c.Publication = file.Name, file.Why, file.Pub, file.Identity, file.Publication
	c.Settings, c.Checksums, c.TwoPhase, c.SQL = file.Conf, file.Checksums, file.TwoPhase, file.SQL
	if c.Name == "" {
		c.Name = path.Base(dir)
	}
	return c, nil
}

// Schema reads the case's DDL, with replica identities and the publication.
func (c *PublisherCase) Schema() (*schema.Database, error) {
	publication := c.Publication
	if publication == "" {
		publication = "create publication p for all tables"
	}
	return schema.Read(strings.NewReader(c.DDL+";\n"+c.Identity+";\n"+publication+";\n"), c.file("case.json"))
}

// Server is what the recording's server was set to: its defaults are those of the
// program that records.
func (c *PublisherCase) Server() (guc.Settings, error) {
	s := guc.Defaults()
	e, err := c.Expected()
	if err != nil {
		return s, err
	}
	set := func(file, name, value string) error {
		if err := s.Set(name, value); err != nil {
			return fmt.Errorf("%s: %w", c.file(file), err)
		}
		return nil
	}
	if f := strings.Fields(e.Version); len(f) > 1 {
		if err := set("expected.json", "server_version", f[1]); err != nil {
			return s, err
		}
	}
	for _, name := range sortedKeys(e.Settings) {
		if err := set("expected.json", name, e.Settings[name]); err != nil {
			return s, err
		}
	}
	// Decoding reads flushed WAL only, so that commits are flushed unless the case says
	// otherwise, whatever expected.json lists.
	s.SynchronousCommit, s.DataChecksums = true, c.Checksums
	for _, name := range sortedKeys(c.Settings) {
		if err := set("case.json", name, c.Settings[name]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Changes opens the stream of all row changes.
func (c *PublisherCase) Changes() (io.ReadCloser, error) { return c.stream("changes") }

// Published opens the stream that the case's own publication gives.
func (c *PublisherCase) Published() (io.ReadCloser, error) { return c.stream("pgoutput") }

// Expected reads the case's expected.json.
func (c *PublisherCase) Expected() (*PublisherExpected, error) {
	e := new(PublisherExpected)
	return e, c.readJSON("expected.json", e)
}

// files are those of a case.
type files struct {
	fsys fs.FS
	dir  string
}

// stream opens a stream's file, compressed or not.
func (c *files) stream(name string) (io.ReadCloser, error) {
	f, err := c.fsys.Open(path.Join(c.dir, name+".tsv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		return c.fsys.Open(path.Join(c.dir, name+".tsv"))
	}
	return f, err
}

// file is the path of one of the case's files, for messages.
func (c *files) file(name string) string { return path.Join(c.dir, name) }

// Records reads the case's records.tsv.gz.
func (c *files) Records() ([]Record, error) {
	file := c.file("records.tsv.gz")
	f, err := c.fsys.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var records []Record
	lines := newLineReader(z)
	for lines.Scan() {
		r, err := parseRecord(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, len(records)+1, err)
		}
		records = append(records, r)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", file, len(records)+1, err)
	}
	return records, nil
}
