package initialcopy

import (
	"fmt"
	"io"
	"slices"

	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/scenario"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// Way is what a table's copy takes.
type Way struct {
	WAL       wal.Count // of the copy
	HeapPages int
	// IndexPages are those of all indexes, built ones included.
	IndexPages int
	CPU        float64 // seconds of the synchronisation worker
	// Build is the WAL of the indexes that are built afterwards, BuildCPU the seconds that
	// takes a backend.
	Build    wal.Count
	BuildCPU float64
}

// Table is a table that is copied.
type Table struct {
	Name  string
	Rows  int64
	Bytes int64 // of the lines that the publisher sends
	// Before is a copy into all indexes, After one into the indexes that are unique, the
	// others being built when the rows are there.
	Before, After Way
	// Later are the indexes that After builds.
	Later []string
}

// rows are a table's rows as COPY gets them.
type rows struct {
	columns []string
	values  []stream.Tuple
	lines   []int
	bytes   int64
}

func (r *rows) Len() int                      { return len(r.values) }
func (r *rows) Row(n int) (stream.Tuple, int) { return r.values[n], r.lines[n] }

func (r *rows) add(values stream.Tuple) {
	row := slices.Clone(values)
	for i := range row {
		row[i].Data = slices.Clone(row[i].Data)
	}
	n := apply.CopyLine(row)
	r.values, r.lines = append(r.values, row), append(r.lines, n)
	r.bytes += int64(n) + 1
}

// loaded are the rows by the table's columns.
type loaded struct {
	*rows
	places []int
}

func (l *loaded) Row(n int, columns []int, to stream.Tuple) {
	for i := range to {
		to[i] = stream.Column{Format: stream.ColumnNull}
	}
	for i, p := range l.places {
		if p >= 0 {
			to[p] = l.values[n][i]
		}
	}
}

// Measure copies the rows that a scenario's tables have, into tables as its schema has
// them.
func Measure(s *scenario.Scenario, open func(string) (io.ReadCloser, error), p *cost.Profile) ([]Table, error) {
	model, err := cost.Builtin()
	if err != nil {
		return nil, err
	}
	var list []Table
	var all []*rows
	err = s.Preset(nil, open, func(t *scenario.Table, columns []string, values stream.Tuple) error {
		if n := len(list); n == 0 || list[n-1].Name != t.Name {
			list = append(list, Table{Name: t.Name})
			all = append(all, &rows{columns: columns})
		}
		all[len(all)-1].add(values)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		t, r := &list[i], all[i]
		t.Rows, t.Bytes = int64(r.Len()), r.bytes
		for _, later := range []bool{false, true} {
			db, err := s.Database(nil, open)
			if err != nil {
				return nil, err
			}
			way := &t.Before
			if later {
				way = &t.After
			}
			if err := t.measure(db, s, r, later, way, p, model); err != nil {
				return nil, fmt.Errorf("table %s: %w", t.Name, err)
			}
		}
	}
	return list, nil
}

// measure copies the rows of one table into a subscriber. With later its indexes that are
// not unique are built afterwards.
func (t *Table) measure(db *schema.Database, s *scenario.Scenario, r *rows, later bool, way *Way, p *cost.Profile, model *cost.Model) error {
	var table *schema.Table
	for _, x := range db.Tables {
		if x.QualifiedName() == t.Name {
			table = x
		}
	}
	if table == nil {
		return fmt.Errorf("the schema has none")
	}
	if later {
		all := table.Indexes
		if err := t.build(db, s, table, r, way, p); err != nil {
			return err
		}
		t.Later = nil
		table.Indexes = slices.DeleteFunc(slices.Clone(all), func(x *schema.Index) bool {
			if !x.Unique {
				t.Later = append(t.Later, x.Name)
			}
			return !x.Unique
		})
	}
	w, err := newWorker(db, s)
	if err != nil {
		return err
	}
	name := [2]string{table.Schema, table.Name}
	if err := w.Refresh([][2]string{name}); err != nil {
		return err
	}
	before := cost.Measure(w)
	if err := w.SynchronizeTable(&apply.TableCopy{Schema: name[0], Table: name[1], Columns: r.columns, Rows: r, Binary: s.Binary}); err != nil {
		return err
	}
	way.WAL = w.Log().Total()
	way.CPU = CPU(p, model, cost.Measure(w).Sub(before), t.Rows, t.Bytes)
	for _, state := range w.Tables() {
		if state.Schema.QualifiedName() != t.Name {
			continue
		}
		way.HeapPages = state.Heap.Pages()
		for _, x := range state.Indexes {
			if x.BTree != nil {
				way.IndexPages += x.BTree.Pages()
			}
		}
	}
	return nil
}

// build builds the indexes that are not unique on the rows.
func (t *Table) build(db *schema.Database, s *scenario.Scenario, table *schema.Table, r *rows, way *Way, p *cost.Profile) error {
	w, err := newWorker(db, s)
	if err != nil {
		return err
	}
	l := &loaded{rows: r}
	for _, c := range r.columns {
		l.places = append(l.places, table.Column(c))
	}
	if err := w.Load(table.Schema, table.Name, l, apply.LoadOptions{}); err != nil {
		return err
	}
	for _, state := range w.Tables() {
		if state.Schema.QualifiedName() != t.Name {
			continue
		}
		for _, x := range state.Indexes {
			if x.BTree == nil || x.Schema.Unique {
				continue
			}
			way.Build.Add(x.BTree.BuildWAL())
			way.IndexPages += x.BTree.Pages()
			way.BuildCPU += seconds(p, buildInstructions(t.Rows))
		}
	}
	return nil
}

func newWorker(db *schema.Database, s *scenario.Scenario) (*apply.Worker, error) {
	set, err := s.Effective(nil)
	if err != nil {
		return nil, err
	}
	return apply.New(db, apply.Options{Settings: set, Start: 0x2000028, NextXID: 1000, Seed: s.Seed, Collation: s.Collation})
}
