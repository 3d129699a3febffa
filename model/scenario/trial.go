package scenario

import (
	"fmt"
	"strings"

	"applysim/model/apply"
	"applysim/model/guc"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Trial tries parts of scenarios on a schema that was read once: whether the rows before
// the run can be made, and whether some changes can be applied.
type Trial struct {
	db     *schema.Database
	set    guc.Settings
	worker *apply.Worker
	loaded map[string]bool
	// assumed are the tables whose constraints the worker's schema takes to hold.
	assumed map[string]bool
}

// NewTrial prepares trials on a schema.
func NewTrial(db *schema.Database, set guc.Settings) *Trial {
	return &Trial{db: db, set: set, assumed: map[string]bool{}}
}

// Prepare makes a subscriber of the schema. From here on the input functions of the
// schema's domains check their values.
func (t *Trial) Prepare(s *Scenario) error {
	if t.worker != nil {
		return nil
	}
	w, err := apply.New(t.db, apply.Options{Settings: t.set, Start: startLSN, NextXID: nextXID, Seed: s.Seed, Collation: s.Collation, Parallel: true})
	if err != nil {
		return err
	}
	t.worker, t.loaded = w, map[string]bool{}
	return nil
}

// Try loads the tables of a scenario, with at most rows rows each, and applies so many of
// its changes. An error says why a run of the scenario would end there.
func (t *Trial) Try(s *Scenario, rows, changes int64) error {
	for _, x := range s.Tables {
		if x.Checks == Assumed && !t.assumed[x.Name] {
			t.assumed[x.Name] = true
			t.worker = nil
		}
	}
	s.assume(t.db)
	if err := t.Prepare(s); err != nil {
		return err
	}
	limited := *s
	limited.Tables = nil
	for _, x := range s.Tables {
		y := *x
		y.Rows = min(y.Rows, rows)
		limited.Tables = append(limited.Tables, &y)
	}
	limited.Duration, limited.Changes = 0, changes
	g, err := NewGenerator(&limited, t.db, t.db)
	if err != nil {
		return err
	}
	if err := t.apply(&limited, g); err != nil {
		t.worker = nil // it stands within a transaction
		return err
	}
	for _, x := range s.Tables {
		if found := find(t.db, x.Name); found != nil && found.Kind == 'p' {
			t.worker = nil // its partitions have rows now
		}
	}
	return nil
}

func (t *Trial) apply(s *Scenario, g *Generator) error {
	g.SkipLoad()
	for _, x := range s.Tables {
		if t.loaded[x.Name] || x.Rows == 0 {
			continue
		}
		t.loaded[x.Name] = true
		one := *s
		one.Tables = []*Table{x}
		if err := one.Load(g, t.worker); err != nil {
			return err
		}
	}
	if len(s.Operations) == 0 {
		return nil
	}
	var m stream.Message
	for g.Next(&m) {
		if err := t.worker.Apply(&m); err != nil {
			return err
		}
	}
	for _, text := range g.Missed() {
		if strings.Contains(text, "found no row") && g.changes == 0 {
			return fmt.Errorf("no change found a row")
		}
	}
	return nil
}
