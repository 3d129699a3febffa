package instructions

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"applysim/model/apply"
	"applysim/model/background"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Grid is one grid of workloads: steps that a subscriber applied one after another.
type Grid struct {
	Name     string `json:"name"`
	Pub      string `json:"pub"`           // DDL of the publisher
	Sub      string `json:"sub,omitempty"` // and of the subscriber, "" if it is the same
	Identity string `json:"identity,omitempty"`
	// Publication is CREATE PUBLICATION, "" for p FOR ALL TABLES.
	Publication string `json:"publication,omitempty"`
	SubOptions  string `json:"sub_options,omitempty"`
	// Settings are those of the subscriber that differ from the measured servers' usual ones,
	// PubSettings those of the publisher.
	Settings    map[string]string `json:"settings,omitempty"`
	PubSettings map[string]string `json:"pub_settings,omitempty"`
	// Stream are further arguments of the function that gave the messages.
	Stream string `json:"stream,omitempty"`
	// NextXID is the subscriber's next transaction id before the first step; 0 if it was not
	// recorded (firstXID).
	NextXID uint32 `json:"next_xid,omitempty"`
	Steps   []Step `json:"steps"`
}

// Step is a step of a grid.
type Step struct {
	Name   string         `json:"name"`
	Before []string       `json:"before,omitempty"` // commands on the subscriber before the step
	SQL    []string       `json:"sql"`              // what the publisher ran
	Warm   []string       `json:"warm,omitempty"`   // of a grid of backends: what it ran before, which is not counted
	Group  string         `json:"group,omitempty"`  // steps that are left out together, "" for all of the grid
	Count  map[string]any `json:"count,omitempty"`  // what it holds, for the reader
}

// emptyStep is the step that holds nothing but the transaction that ends each step.
const emptyStep = "empty"

// markerDDL makes the table whose row ends each step.
const markerDDL = "create table marker(id int primary key);"

// settings are those of the measured server that differ from PostgreSQL's defaults
// and matter to the model: groundtruth's record.py and instructions.py.
var settings = [][2]string{
	{"wal_level", "logical"}, {"full_page_writes", "off"}, {"data_checksums", "off"}, {"shared_buffers", "256MB"},
}

// ReadGrids reads grid.json.
func ReadGrids(fsys fs.FS) ([]Grid, error) { return ReadGridsOf(fsys, "grid.json") }

// ReadGridsOf reads grids from a file.
func ReadGridsOf(fsys fs.FS, name string) ([]Grid, error) {
	var grids []Grid
	if err := readJSON(fsys, name, &grids); err != nil {
		return nil, err
	}
	return grids, nil
}

func readJSON(fsys fs.FS, name string, into any) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		at := len(b)
		var syntax *json.SyntaxError
		var typ *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax):
			at = int(syntax.Offset)
		case errors.As(err, &typ):
			at = int(typ.Offset)
		}
		return fmt.Errorf("%s:%d: %w", name, 1+strings.Count(string(b[:min(at, len(b))]), "\n"), err)
	}
	return nil
}

// Work is what a step made the worker do.
type Work struct {
	Grid, Step string
	// Usage is the step's work, net of the transaction that ends it.
	Usage *cost.Usage
}

// Replay applies the steps of a grid to a simulated subscriber, whose streams are
// in the folder streams of fsys.
func Replay(fsys fs.FS, g *Grid) ([]Work, error) {
	ddl := g.Sub
	if ddl == "" {
		ddl = g.Pub
	}
	db, err := schema.Read(strings.NewReader(markerDDL+ddl), "grid.json: "+g.Name)
	if err != nil {
		return nil, err
	}
	s := guc.Defaults()
	for _, v := range settings {
		if err := s.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	for name, value := range g.Settings {
		if err := s.Set(name, value); err != nil {
			return nil, err
		}
	}
	xid, err := firstXID(fsys, g)
	if err != nil {
		return nil, err
	}
	w, err := apply.New(db, apply.Options{Settings: s, NextXID: xid})
	if err != nil {
		return nil, err
	}
	// The marker's first row came with the subscription.
	if err := w.Preset(2, "public", "marker", "1"); err != nil {
		return nil, err
	}
	base := cost.Measure(w)
	// The real server's WAL writer flushes commits, so that hint bits can be set.
	schedule := background.NewSchedule(w)
	schedule.WALWriter = true
	c := &clock{}
	known := map[uint32]*stream.Relation{}
	if err := applyStep(w, schedule, c, fsys, g.Name, emptyStep, known); err != nil {
		return nil, err
	}
	before := cost.Measure(w)
	// The real worker had seen the marker's table before.
	marker := before.Sub(base).WithoutFirst()
	var work []Work
	for _, step := range g.Steps {
		for _, command := range step.Before {
			if err := w.Run(command, false); err != nil {
				return nil, fmt.Errorf("grid %s, step %s: %w", g.Name, step.Name, err)
			}
		}
		before = cost.Measure(w)
		c.at += betweenSteps
		if err := applyStep(w, schedule, c, fsys, g.Name, step.Name, known); err != nil {
			return nil, err
		}
		now := cost.Measure(w)
		work = append(work, Work{g.Name, step.Name, now.Sub(before).Sub(marker)})
	}
	return work, nil
}

// firstXID is the subscriber's next transaction id before the first step. Both clusters
// were made alike and run one transaction for each command, so it is that of the
// publisher but for the commands that only one of them ran. It decides which
// transactions share a group of commit positions, and so which hint bits can be set.
func firstXID(fsys fs.FS, g *Grid) (uint32, error) {
	if g.NextXID != 0 {
		return g.NextXID, nil
	}
	name, err := streamName(fsys, g.Name+"."+emptyStep)
	if err != nil {
		return 0, err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return 0, fmt.Errorf("%s: no transaction", name)
		} else if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if m.Kind == stream.KindBegin {
			break
		}
	}
	sub := g.Sub
	if sub == "" {
		sub = g.Pub
	}
	xid := int64(m.Xid) + int64(commands(sub)-commands(g.Pub)-commands(g.Identity))
	return uint32(max(xid, firstNormalXID)), nil
}

// firstNormalXID is FirstNormalTransactionId of src/include/access/transam.h.
const firstNormalXID = 3

// commands counts the commands of a script.
func commands(script string) int {
	n := 0
	for _, c := range strings.Split(script, ";") {
		if strings.TrimSpace(c) != "" {
			n++
		}
	}
	return n
}

// The pace of the measured worker. Counting instructions makes it run some fifty times
// slower than by itself, so that a message takes about a millisecond; and before the
// next step is begun the counts are written out, which takes over half a second. The
// WAL writer, which does not wait for it, flushes every 200 ms meanwhile. Commit times
// in a stream do not tell that: the streams were captured apart from the measurement.
const (
	countedMessage = 1000      // microseconds
	betweenSteps   = 1_000_000 // likewise
)

// clock is the measured subscriber's.
type clock struct{ at stream.Timestamp }

// tick lets the time of a message pass and puts the time at which the worker comes to
// a transaction in place of that of its commit.
func (c *clock) tick(m *stream.Message) {
	c.at += countedMessage
	switch m.Kind {
	case stream.KindBegin, stream.KindBeginPrepare, stream.KindStreamCommit:
		c.at = max(c.at, m.Time)
		m.Time = c.at
	}
}

// applyStep applies a step's stream. Each was captured by a decoding session of its
// own, which describes every relation again; the walsender that the real worker was
// connected to did so once.
func applyStep(w *apply.Worker, schedule *background.Schedule, c *clock, fsys fs.FS, grid, step string, known map[uint32]*stream.Relation) error {
	name, err := streamName(fsys, grid+"."+step)
	if err != nil {
		return err
	}
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if m.Kind == stream.KindRelation {
			if sameRelation(known[m.Relation.ID], m.Relation) {
				continue
			}
			known[m.Relation.ID] = m.Relation
		}
		c.tick(&m)
		schedule.Before(&m)
		if err := w.Apply(&m); err != nil {
			return fmt.Errorf("%s: message %s: %w", name, strconv.FormatInt(m.Number, 10), err)
		}
	}
}

// StreamFile is the name of the file of a step's stream.
func StreamFile(grid, step string) string {
	return strings.ReplaceAll(grid, "/", "_") + "." + step + ".tsv.gz"
}

// streamName finds a step's stream. File names have other characters in place of those
// that are no letters, digits or underscores in the names of grids.
func streamName(fsys fs.FS, step string) (string, error) {
	files, err := fs.ReadDir(fsys, "streams")
	if err != nil {
		return "", err
	}
	for _, f := range files {
		name := f.Name()
		for _, suffix := range []string{".gz", ".tsv"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if plainName(name) == plainName(step) {
			return path.Join("streams", f.Name()), nil
		}
	}
	return "", fmt.Errorf("streams: expected a stream named %s.tsv.gz", step)
}

// plainName keeps the letters and digits of a name.
func plainName(s string) string {
	s = strings.ReplaceAll(s, "[]", "array")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '.' {
			return r
		}
		return -1
	}, s)
}

func sameRelation(a, b *stream.Relation) bool {
	if a == nil || a.Namespace != b.Namespace || a.Name != b.Name || a.Identity != b.Identity || len(a.Columns) != len(b.Columns) {
		return false
	}
	for i := range a.Columns {
		if a.Columns[i] != b.Columns[i] {
			return false
		}
	}
	return true
}

// Measured is what a real worker took for a step: an entry of measured.json.
type Measured struct {
	Grid         string             `json:"grid"`
	Step         string             `json:"step"`
	Instructions float64            `json:"instructions"`
	Functions    map[string]float64 `json:"functions"`
}

// ReadMeasured reads measured.json by grid and step: net of the step "empty" of each grid.
func ReadMeasured(fsys fs.FS) (map[[2]string]Measured, error) {
	var list []Measured
	if err := readJSON(fsys, "measured.json", &list); err != nil {
		return nil, err
	}
	empty := map[string]Measured{}
	for _, m := range list {
		if m.Step == emptyStep {
			empty[m.Grid] = m
		}
	}
	net := map[[2]string]Measured{}
	for _, m := range list {
		if m.Step == emptyStep {
			continue
		}
		e, ok := empty[m.Grid]
		if !ok {
			return nil, fmt.Errorf("measured.json: grid %s has no step %q to subtract", m.Grid, emptyStep)
		}
		n := Measured{m.Grid, m.Step, m.Instructions - e.Instructions, map[string]float64{}}
		for f, v := range m.Functions {
			n.Functions[f] = v - e.Functions[f]
		}
		net[[2]string{m.Grid, m.Step}] = n
	}
	return net, nil
}
