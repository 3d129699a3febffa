package instructions

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/cost"
	"applysim/model/decode"
	"applysim/model/guc"
	"applysim/model/publisher"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// warmStep is the step before the empty one, in which the processes have started.
const warmStep = "warm"

// ReplaySender carries the steps of a grid out on a simulated publisher: what its
// walsender had to read, to decode and to send in each. The folder streams of fsys has
// what was sent, and as NAME.all what all tables' changes were where that is more.
func ReplaySender(fsys fs.FS, g *Grid) ([]Work, error) {
	s, err := newSender(fsys, g)
	if err != nil {
		return nil, err
	}
	// A capture by one session describes the marker's table before the first step.
	if _, err := streamName(fsys, g.Name+"."+warmStep); err == nil {
		if err := s.step(warmStep, nil); err != nil {
			return nil, err
		}
	}
	before := s.counter.Usage()
	if err := s.step(emptyStep, nil); err != nil {
		return nil, err
	}
	marker := s.counter.Usage().Sub(before)
	before = s.counter.Usage()
	for _, t := range []string{publisher.TermFirst, publisher.TermDescribe, publisher.TermDescribed} {
		marker = marker.Without(t)
	}
	var work []Work
	for _, step := range g.Steps {
		if err := s.step(step.Name, step.SQL); err != nil {
			return nil, fmt.Errorf("grid %s, step %s: %w", g.Name, step.Name, err)
		}
		now := s.counter.Usage()
		name := g.Name
		if step.Group != "" {
			name += "." + step.Group
		}
		work = append(work, Work{name, step.Name, now.Sub(before).Sub(marker)})
		before = now
	}
	return work, nil
}

// sender is a simulated publisher with a walsender.
type sender struct {
	fsys    fs.FS
	grid    *Grid
	db      *schema.Database
	backend *apply.Backend
	decoder *decode.Decoder
	counter publisher.Counter

	tables map[uint32]string // of the stream of all changes
	slot   decode.Counters   // before the step
	log    *wal.Log
	xid    uint32
	subs   map[uint32]bool
}

func newSender(fsys fs.FS, g *Grid) (*sender, error) {
	publication := g.Publication
	if publication == "" {
		publication = "create publication p for all tables"
	}
	db, err := schema.Read(strings.NewReader(markerDDL+g.Pub+";\n"+g.Identity+";\n"+publication+";\n"), "grid.json: "+g.Name)
	if err != nil {
		return nil, err
	}
	set := guc.Defaults()
	for _, v := range settings {
		if err := set.Set(v[0], v[1]); err != nil {
			return nil, err
		}
	}
	s := &sender{fsys: fsys, grid: g, db: db, tables: map[uint32]string{}, subs: map[uint32]bool{}}
	if s.backend, err = apply.NewBackend(db, apply.Options{Settings: set, Sink: s.record}); err != nil {
		return nil, err
	}
	s.log = s.backend.Worker().Log()
	o := decode.DefaultOptions()
	o.Ways = []string{decode.PgoutputText}
	if strings.Contains(g.SubOptions, "streaming") && !strings.Contains(g.SubOptions, "off") {
		o.Ways = []string{decode.PgoutputStreaming}
	}
	if text := g.Settings["logical_decoding_work_mem"]; text != "" {
		if o.WorkMem, err = decode.ParseMemory(text); err != nil {
			return nil, err
		}
	}
	for _, p := range db.Publications {
		o.Publications = append(o.Publications, p.Name)
	}
	s.decoder, err = decode.New(db, o)
	return s, err
}

// record counts a record of the publisher's WAL.
func (s *sender) record(r *wal.Record) {
	toast := r.Relation != wal.NoRelation && strings.HasPrefix(s.log.Name(r.Relation), "pg_toast_")
	xid, top := s.backend.XIDs()
	begins := xid != top && !s.subs[xid]
	s.subs[xid] = true
	s.counter.Record(r.Type, r.Length, toast, begins)
}

// step carries a step out.
func (s *sender) step(name string, sql []string) error {
	sent, err := streamName(s.fsys, s.grid.Name+"."+name)
	if err != nil {
		return err
	}
	all := sent
	if n, err := streamName(s.fsys, s.grid.Name+"."+name+".all"); err == nil {
		all = n
	}
	if err := s.carryOut(all, sql); err != nil {
		return fmt.Errorf("%s: %w", all, err)
	}
	changes := int64(0)
	relations := map[uint32]*stream.Relation{}
	err = s.read(all, func(m *stream.Message) error {
		if m.Kind == stream.KindRelation {
			r := *m.Relation
			relations[r.ID] = &r
			s.tables[r.ID] = r.Namespace + "." + r.Name
		}
		if r := s.tables[m.RelationID]; r != "" {
			s.counter.Decoded(m, r, s.published(r))
			changes++
		}
		return s.decoder.Message(m)
	})
	if err != nil {
		return err
	}
	now := s.decoder.Results()[0].Counters
	if spilled := now.SpillBytes - s.slot.SpillBytes; spilled > 0 {
		average := float64(now.TotalBytes-s.slot.TotalBytes) / float64(max(changes, 1))
		s.counter.Buffer(int64(float64(spilled)/average), spilled, 0)
	}
	s.counter.Buffer(0, 0, now.StreamCount-s.slot.StreamCount)
	s.slot = now
	return s.read(sent, func(m *stream.Message) error {
		s.counter.Add(m)
		if m.Kind == stream.KindRelation {
			s.tables[m.Relation.ID] = m.Relation.Namespace + "." + m.Relation.Name
		}
		if m.Kind == stream.KindInsert || m.Kind == stream.KindUpdate {
			if n := s.columns(s.tables[m.RelationID]); n > len(m.New) {
				s.counter.LeaveOut(n - len(m.New))
			}
		}
		return nil
	})
}

// carryOut runs a step's SQL and changes on the publisher. SQL that is not understood is
// left: then each change counts as a statement.
func (s *sender) carryOut(name string, sql []string) error {
	in, done, err := s.open(name)
	if err != nil {
		return err
	}
	defer done()
	run := backend.NewRunner(s.backend, s.db, in)
	run.Quiet, run.Fill = true, true
	script, err := backend.ReadScript(sql, func(int) string { return "grid.json" })
	if err != nil {
		return run.RunStream()
	}
	return run.Run(script)
}

func (s *sender) open(name string) (*stream.Reader, func() error, error) {
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, nil, err
	}
	in, err := stream.NewReader(f, stream.DefaultOptions())
	return in, f.Close, err
}

// read reads a stream.
func (s *sender) read(name string, each func(*stream.Message) error) error {
	in, done, err := s.open(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer done()
	var m stream.Message
	for {
		if err := in.Next(&m); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := each(&m); err != nil {
			return fmt.Errorf("%s: message %d: %w", name, m.Number, err)
		}
	}
}

// published is what is published of a table; nil for nothing.
func (s *sender) published(name string) *publisher.Published {
	space, table, _ := strings.Cut(name, ".")
	t := s.db.Table(space, table)
	if t == nil {
		return nil
	}
	for _, p := range s.db.Publications {
		if !p.Covers(t) {
			continue
		}
		r := &publisher.Published{}
		if e := p.Find(t); e != nil && e.Where != "" {
			r.Filter = 1 + strings.Count(strings.ToLower(e.Where), " and ") + strings.Count(strings.ToLower(e.Where), " or ")
		}
		return r
	}
	return nil
}

// columns is how many columns a table has.
func (s *sender) columns(name string) int {
	space, table, _ := strings.Cut(name, ".")
	t := s.db.Table(space, table)
	if t == nil {
		return 0
	}
	n := 0
	for i := range t.Columns {
		if !t.Columns[i].Dropped {
			n++
		}
	}
	return n
}

// OfSender says whether a folder's grids were counted on a walsender.
func OfSender(fsys fs.FS) bool {
	var list []Measured
	if err := readJSON(fsys, "measured.json", &list); err != nil {
		return false
	}
	for _, m := range list {
		if _, ok := m.Functions["LogicalDecodingProcessRecord"]; ok {
			return true
		}
	}
	return false
}

// ObserveSender reads grids whose walsender was counted: what it did in each step, and
// what that took.
func ObserveSender(fsys fs.FS) ([]cost.Observation, error) {
	grids, err := ReadGrids(fsys)
	if err != nil {
		return nil, err
	}
	net, err := ReadMeasured(fsys)
	if err != nil {
		return nil, err
	}
	var list []cost.Observation
	for i := range grids {
		work, err := ReplaySender(fsys, &grids[i])
		if err != nil {
			return nil, err
		}
		for _, w := range work {
			m, ok := net[[2]string{grids[i].Name, w.Step}]
			if !ok {
				return nil, fmt.Errorf("measured.json: nothing for step %s of grid %s", w.Step, grids[i].Name)
			}
			list = append(list, cost.Observation{Grid: w.Grid, Step: w.Step, Usage: w.Usage, Total: m.Instructions, Functions: m.Functions})
		}
	}
	return list, nil
}
