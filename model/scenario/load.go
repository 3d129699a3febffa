package scenario

import (
	"fmt"
	"io"
	"strings"

	"applysim/model/apply"
	"applysim/model/stream"
)

// presetRows are the rows of a table before the run, for apply.Load: it reads them when
// their pages are touched, perhaps between two changes, so that nothing here is shared
// with the generator.
type presetRows struct {
	g      *Generator
	s      *source
	places []int // of the source's columns in the table
	arena  []byte
	own    []column
	draws  []uint16 // 1 more than each row's draw, 0 if nobody has looked; nil without a guard
	guard  *guard
	kept   []int // rows that pass a filter; nil for all
}

func newPresetRows(g *Generator, s *source, t apply.TableState) *presetRows {
	p := &presetRows{g: g, s: s}
	for _, c := range s.columns {
		p.places = append(p.places, t.Schema.Column(c.Name))
		own := *c
		own.dayText = nil
		p.own = append(p.own, own)
	}
	p.guard = s.guard.copy()
	if p.guard != nil {
		p.draws = make([]uint16, s.preset)
	}
	return p
}

// Len is how many rows there are.
func (p *presetRows) Len() int {
	if p.kept != nil {
		return len(p.kept)
	}
	return int(p.s.preset)
}

// Row writes row n.
func (p *presetRows) Row(n int, columns []int, row stream.Tuple) {
	if p.kept != nil {
		n = p.kept[n]
	}
	p.arena = p.arena[:0]
	for i := range row {
		row[i] = stream.Column{Format: stream.ColumnNull}
	}
	draw := uint64(0)
	if p.draws != nil {
		if p.draws[n] == 0 {
			p.draws[n] = uint16(p.guard.find(p.g, p.s, int64(n), first)) + 1
		}
		draw = uint64(p.draws[n] - 1)
	}
	for i := range p.own {
		at := p.places[i]
		if at < 0 || columns != nil && !contains(columns, at) {
			continue
		}
		row[at] = p.g.value(&p.own[i], p.s, int64(n), 0, draw, &p.arena)
	}
}

// How rows before the run came into their table.
const (
	loadCopy         = "copy"          // COPY, indexes built afterwards
	loadIndexesFirst = "indexes first" // COPY into a table with indexes
	loadInserts      = "inserts"       // one by one
)

var loads = []string{loadCopy, loadIndexesFirst, loadInserts}

// load gives the tables the rows that are there before the run.
func (r *run) load() error {
	r.gen.SkipLoad()
	return r.s.loadPart(r.gen, r.worker, r.o.Part, r.o.Filter)
}

// Load gives the tables of a worker, or of a publisher's backend, the rows that are there
// before the run.
func (s *Scenario) Load(g *Generator, w *apply.Worker) error { return s.loadPart(g, w, nil, nil) }

func (s *Scenario) loadPart(g *Generator, w *apply.Worker, part *Part, filter *Filter) error {
	states := w.Tables()
	for _, t := range s.Tables {
		if t.Rows == 0 || !part.has(t.Name) {
			continue
		}
		var src *source
		for _, s := range g.sources {
			if s.table.QualifiedName() == t.Name {
				src = s
			}
		}
		found := false
		for i := range states {
			if states[i].Schema.QualifiedName() != t.Name {
				continue
			}
			found = true
			o := apply.LoadOptions{Inserted: t.Load == loadInserts, IndexesFirst: t.Load == loadIndexesFirst, Vacuumed: t.Vacuumed, Binary: s.Binary && !s.LoadedAsText}
			rows := newPresetRows(g, src, states[i])
			if filter != nil && filter.Table == t.Name {
				rows.kept = filter.keeps(rows)
			}
			if err := w.Load(states[i].Schema.Schema, states[i].Schema.Name, rows, o); err != nil {
				return s.fail(t.at+".rows", "rows before the run: %s", strings.TrimPrefix(fmt.Sprint(err), "apply: "))
			}
		}
		if !found {
			return s.fail(t.at+".rows", "table %q has no rows of its own: rows before the run go to its partitions", t.Name)
		}
	}
	return nil
}

// Preset gives the rows that the tables have before the run, in the order of the scenario's
// tables: the names of the columns that have values, and then row by row their texts, which
// are valid until the next call. It goes by the scenario's schema, with a variant's types.
func (s *Scenario) Preset(v *Variant, open func(string) (io.ReadCloser, error), row func(table *Table, columns []string, values stream.Tuple) error) error {
	base, err := s.Database(nil, open)
	if err != nil {
		return err
	}
	now, err := s.Database(v, open)
	if err != nil {
		return err
	}
	g, err := NewGenerator(s, base, now)
	if err != nil {
		return err
	}
	for _, t := range s.Tables {
		for _, src := range g.sources {
			if src.table.QualifiedName() != t.Name {
				continue
			}
			var columns []string
			for _, c := range src.columns {
				columns = append(columns, c.Name)
			}
			values := make(stream.Tuple, len(columns))
			for n := range src.preset {
				arena, draw := []byte{}, g.draw(src, n)
				for i, c := range src.columns {
					values[i] = g.value(c, src, n, 0, draw, &arena)
				}
				if err := row(t, columns, values); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
