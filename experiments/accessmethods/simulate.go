package main

import (
	"fmt"
	"strings"

	"applysim/model/accessmethod"
	"applysim/model/apply"
	"applysim/model/cost"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// simulated is what a grid comes to in the model: what the index writes in each phase, and
// the work of the first rows that instructions were counted for.
type simulated struct {
	wal   [3]map[string]count
	terms []accessmethod.Term
	// around are the instructions that the cost model has for opening the index, and for
	// the records that it writes.
	around float64
	class  string // of values
	placed int64  // bytes of entries, after the insertions
	pages  int
}

// simulate carries out a grid on a simulated subscriber.
func (g *grid) simulate() (*simulated, error) {
	r, with, err := g.run("; create index x on t " + g.index)
	if err != nil || g.counted == 0 {
		return r, err
	}
	short := *g
	short.rows, short.updated, short.deleted = g.counted, 0, 0
	_, without, err := short.run("")
	r.around = with - without
	return r, err
}

// run carries out a grid with an index or without; instructions are those of the first rows.
func (g *grid) run(create string) (_ *simulated, instructions float64, err error) {
	m, err := cost.Builtin()
	if err != nil {
		return nil, 0, err
	}
	db, err := schema.Read(strings.NewReader(g.setUp()+g.table()+create+";"), g.name)
	if err != nil {
		return nil, 0, err
	}
	s := guc.Defaults()
	s.FullPageWrites, s.DataChecksums = false, false
	for name, value := range g.settings {
		if err := s.Set(name, value); err != nil {
			return nil, 0, err
		}
	}
	w, err := apply.New(db, apply.Options{Settings: s, NextXID: 700})
	if err != nil {
		return nil, 0, err
	}
	columns := []stream.RelationColumn{{Name: "id", Flags: 1}, {Name: "v"}}
	if strings.Contains(g.columns, ", w ") {
		columns = append(columns, stream.RelationColumn{Name: "w"})
	}
	number := int64(0)
	do := func(m stream.Message) error {
		number++
		m.Number = number
		return w.Apply(&m)
	}
	if err := do(stream.Message{Kind: stream.KindRelation, Relation: &stream.Relation{ID: 1, Namespace: "public", Name: "t", Identity: 'd', Columns: columns}}); err != nil {
		return nil, 0, err
	}
	r := &simulated{}
	indexed := create != ""
	before := map[string]count{}
	for phase := range phases {
		changes := g.changes(phase)
		for i := 0; i < len(changes); i += perTransaction {
			if g.checkpoint(phase, i) {
				w.Log().Checkpoint(0, true)
			}
			if err := do(stream.Message{Kind: stream.KindBegin}); err != nil {
				return nil, 0, err
			}
			for _, x := range changes[i:min(i+perTransaction, len(changes))] {
				m := stream.Message{RelationID: 1, Kind: stream.KindUpdate}
				tuple := stream.Tuple{{Format: stream.ColumnText, Data: fmt.Append(nil, x.id)}}
				for _, v := range x.values {
					tuple = append(tuple, stream.Column{Format: stream.ColumnText, Data: []byte(v)})
				}
				m.New = tuple
				switch {
				case x.values == nil:
					m.Kind, m.Old, m.OldKind, m.New = stream.KindDelete, append(tuple, make(stream.Tuple, len(columns)-1)...), stream.OldKey, nil
					for k := 1; k < len(columns); k++ {
						m.Old[k].Format = stream.ColumnNull
					}
				case x.insert:
					m.Kind = stream.KindInsert
				}
				if err := do(m); err != nil {
					return nil, 0, err
				}
			}
			if err := do(stream.Message{Kind: stream.KindCommit}); err != nil {
				return nil, 0, err
			}
			if phase == 0 && i+perTransaction == g.counted {
				instructions = price(cost.Measure(w), m)
				if indexed {
					r.terms = accessmethod.Terms(index(w).AccessMethod)
				}
			}
		}
		if phase == 2 && len(changes) > 0 {
			if err := w.Vacuum("public", "t", apply.VacuumOptions{}); err != nil {
				return nil, 0, err
			}
		}
		if !indexed {
			continue
		}
		if phase == 0 {
			r.placed = index(w).AccessMethod.Work().Placed
		}
		r.wal[phase] = map[string]count{}
		for k := range wal.NumRecordTypes {
			t := wal.RecordType(k)
			c := w.Log().Count(index(w).Rel, t)
			now := count{c.Records, c.Bytes, c.FPIBytes}
			if d := (count{now.records - before[t.String()].records, now.bytes - before[t.String()].bytes, now.images - before[t.String()].images}); d.records > 0 {
				r.wal[phase][t.String()] = d
			}
			before[t.String()] = now
		}
	}
	if indexed {
		r.pages = index(w).AccessMethod.Pages()
		for _, t := range accessmethod.Terms(index(w).AccessMethod) {
			if _, of, ok := strings.Cut(t.Name, "("); ok {
				r.class = strings.TrimSuffix(of, ")")
			}
		}
	}
	return r, instructions, nil
}

// index is the grid's index.
func index(w *apply.Worker) apply.IndexState {
	t, _ := w.TableOf("t")
	return t.Indexes[1]
}
