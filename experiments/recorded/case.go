package recorded

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/assume"
)

// Case is a recorded case as a replay needs it.
type Case struct {
	Name   string
	Why    string
	DDL    string // of the subscriber, the marker table's included
	Start  Start
	Events []Event
	// Options are the subscription's, such as binary and streaming.
	Options map[string]string
	// Load are rows that tables have before the case.
	Load []Load

	// Assume and Seed are passed on to the worker.
	Assume []assume.Setting
	Seed   uint64

	exact bool // nothing may be assumed
	// beside leaves out what indexes write whose access methods are not modelled page by page.
	beside bool
	quiet  bool // records of checkpoints are not written: the recording has them
	files
}

// Start is start.json: what a replay needs beside DDL and stream.
type Start struct {
	Version       string            `json:"version"`
	Settings      map[string]string `json:"settings"`
	DataChecksums string            `json:"data_checksums"`
	NextXID       uint32            `json:"next_xid"`
	// The following are missing where the cluster was new.
	NextOID         uint32 `json:"next_oid"`
	SubscriptionOID uint32 `json:"subscription_oid"`
	NextMultiXact   uint32 `json:"next_multixact"`
	NextMultiOffset uint32 `json:"next_multixact_offset"` // of members

	Relations []Relation `json:"relations"`
	Types     []UserType `json:"types"` // of the schema
	Marker    struct {
		DDL  string  `json:"ddl"`
		Rows []int64 `json:"rows"`
	} `json:"marker"`
	Statistics  map[string]map[string]int64 `json:"statistics"`
	PageLSNs    map[string]string           `json:"page_lsns"`
	MapLSNs     map[string]string           `json:"map_lsns"` // of free space maps
	VisibleLSNs map[string]string           `json:"vm_lsns"`  // of visibility maps
	StartLSN    string                      `json:"start_lsn"`
	Loaded      []Loaded                    `json:"loaded"` // by the case's load
	// Collation is the database's default one; "" is C.
	Collation string `json:"collation"`
}

// Relation is a relation of the real subscriber.
type Relation struct {
	Name        string `json:"name"`
	Kind        string `json:"kind"` // pg_class.relkind
	OID         uint32 `json:"oid"`
	Relfilenode uint32 `json:"relfilenode"`
	Table       string `json:"table"` // an index's table
	ToastTable  string `json:"toast_table"`
}

// UserType is a type of the schema and the object ids that values hold.
type UserType struct {
	Name   string   `json:"name"`
	OID    uint32   `json:"oid"`
	Labels []uint32 `json:"labels"` // of an enum, in order
}

// Event is something that ran on the subscriber beside the stream.
type Event struct {
	After int64 // number of messages before it
	SQL   string
	Place string                    // file and line, for messages
	do    func(*apply.Worker) error // what it does, if that is no command of the server's; else nil
}

// run does what an event does.
func (e *Event) run(w *apply.Worker, quiet bool) error {
	if e.do != nil {
		return e.do(w)
	}
	return w.Run(e.SQL, quiet)
}

// Open reads a case's folder, dir within fsys, up to the stream.
func Open(fsys fs.FS, dir string) (*Case, error) {
	c := &Case{files: files{fsys, dir}}
	var file struct {
		Name string  `json:"name"`
		Why  string  `json:"why"`
		Pub  string  `json:"pub"`
		Sub  *string `json:"sub"`

		Load  []Load `json:"load"`
		After string `json:"after"`

		Options string `json:"sub_options"`
	}
	if err := c.readJSON("case.json", &file); err != nil {
		return nil, err
	}
	if err := c.readJSON("start.json", &c.Start); err != nil {
		return nil, err
	}
	c.Name, c.Why = file.Name, file.Why
	c.Options = map[string]string{}
	for _, o := range strings.Split(file.Options, ",") {
		if name, value, ok := strings.Cut(o, "="); ok {
			c.Options[strings.TrimSpace(name)] = strings.Trim(strings.TrimSpace(value), "'")
		}
	}
	if c.Name == "" {
		c.Name = path.Base(dir)
	}
	c.DDL = c.Start.Marker.DDL + file.Pub
	if file.Sub != nil {
		c.DDL = c.Start.Marker.DDL + *file.Sub
	}
	if file.After != "" {
		c.DDL += ";" + file.After
	}
	c.Load = file.Load
	events, err := fs.ReadFile(fsys, path.Join(dir, "events.tsv"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	c.Events, err = ParseEvents(c.file("events.tsv"), events)
	c.addCopies()
	return c, err
}

// ParseEvents reads events: on each line the number of messages before it, a
// tab and SQL. file is their file's name, for the error.
func ParseEvents(file string, text []byte) ([]Event, error) {
	var events []Event
	last := int64(0)
	for i, line := range strings.Split(strings.TrimRight(string(text), "\n"), "\n") {
		if line == "" {
			continue
		}
		place := fmt.Sprintf("%s:%d", file, i+1)
		after, sql, ok := strings.Cut(line, "\t")
		n, err := strconv.ParseInt(after, 10, 64)
		switch {
		case !ok || err != nil || n < 0 || strings.TrimSpace(sql) == "":
			return nil, fmt.Errorf("%s: expected the number of messages, a tab and SQL", place)
		case n < last:
			return nil, fmt.Errorf("%s: found %d messages, expected %d or more, as the line before has", place, n, last)
		}
		last = n
		events = append(events, Event{After: n, SQL: sql, Place: place})
	}
	return events, nil
}

// Stream opens the case's messages.
func (c *Case) Stream() (io.ReadCloser, error) { return c.stream("stream") }

// readJSON reads one of the case's files. An error names the line.
func (c *files) readJSON(name string, into any) error {
	file := path.Join(c.dir, name)
	b, err := fs.ReadFile(c.fsys, file)
	if err != nil {
		return err
	}
	err = json.Unmarshal(b, into)
	if err == nil {
		return nil
	}
	at := int64(len(b))
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typ):
		at = typ.Offset
	}
	line := 1 + bytes.Count(b[:min(at, int64(len(b)))], []byte("\n"))
	return fmt.Errorf("%s:%d: %w", file, line, err)
}

// vacuums says whether a VACUUM is among the events, or follows a SET in one.
func (c *Case) vacuums() bool {
	for _, e := range c.Events {
		for command := range strings.SplitSeq(strings.ToLower(e.SQL), ";") {
			if strings.HasPrefix(strings.TrimSpace(command), "vacuum") {
				return true
			}
		}
	}
	return false
}

// Find lists the case folders in dir: dir itself if it is one, else all below
// it, sorted.
func Find(fsys fs.FS, dir string) ([]string, error) {
	var found []string
	err := fs.WalkDir(fsys, dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && d.Name() == "case.json" {
			found = append(found, path.Dir(p))
		}
		return nil
	})
	return found, err
}

// newLineReader reads a text file that may be compressed.
func newLineReader(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), 1<<20)
	return s
}
