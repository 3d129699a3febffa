package draft

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"applysim/model/apply"
	"applysim/model/scenario"
)

// How much of each table is tried.
const (
	triedBefore  = 40
	triedChanges = 60
)

// try loads some rows of each table and applies some changes. What does not work is made
// simpler until it does.
func (d *Draft) try(trial *scenario.Trial) {
	for _, t := range d.Tables {
		if t.Rows == 0 && len(t.Operations) == 0 {
			continue
		}
		err := d.attempt(trial, t)
		if err == nil {
			continue
		}
		first := err
		if len(t.Schema.Checks) > 0 || slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Schema.Type.Constrained() }) {
			t.Checks = scenario.Assumed
			if err = d.attempt(trial, t); err == nil {
				t.assume("no values were found that satisfy them: " + reason(first))
				continue
			}
		}
		// NULL satisfies every CHECK constraint that mentions nothing else.
		saved := make([]Column, len(t.Columns))
		for i, c := range t.Columns {
			saved[i] = *c
			if !c.Schema.NotNull && !c.settled && !c.distinct && !t.unique[c.number] {
				c.Spec.Nulls = 1
			}
		}
		if err = d.attempt(trial, t); err == nil {
			t.note("columns that may be NULL are: %s", reason(first))
			continue
		}
		for i, c := range t.Columns {
			*c = saved[i]
		}
		operations := t.Operations
		if len(operations) > 1 && operations[0].Do == scenario.Insert {
			t.Operations = operations[:1]
			if err = d.attempt(trial, t); err == nil {
				t.note("no updates and deletes: %s", reason(first))
				continue
			}
		}
		t.Operations = nil
		if err = d.attempt(trial, t); err == nil {
			t.note("no changes: %s", reason(first))
			continue
		}
		t.Rows = 0
		t.note("no rows: %s", reason(err))
		if err = d.attempt(trial, t); err != nil {
			// Not even its values can be made: they are given by type.
			for _, c := range t.Columns {
				c.Spec, c.Note = scenario.Column{Name: c.Spec.Name, First: 1, Step: 1, Scale: 2}, ""
			}
		}
	}
}

// assume takes the table's constraints to hold.
func (t *Table) assume(why string) {
	t.Checks = scenario.Assumed
	t.note("its constraints are taken to hold (checks = \"assume\"): %s", why)
}

// attempt tries one table alone.
func (d *Draft) attempt(trial *scenario.Trial, t *Table) error {
	s := *d.Scenario
	s.Tables = []*scenario.Table{t.scenarioTable()}
	s.Operations = t.Operations
	if s.Tables[0].Rows > 0 && t.Schema.Kind == 'p' {
		s.Tables[0].Rows = 0
	}
	return trial.Try(&s, triedBefore, triedChanges)
}

// reason is an error in one line.
func reason(err error) string {
	var stop *apply.StopError
	var at *scenario.Error
	text := fmt.Sprint(err)
	if errors.As(err, &at) {
		text = at.Text // the file is not written yet
	}
	if errors.As(err, &stop) {
		text = "replication would stop: " + stop.Text
		if stop.Detail != "" {
			text += ": " + stop.Detail
		}
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "..."
	}
	return text
}

// scenarioTable is the table as a scenario has it.
func (t *Table) scenarioTable() *scenario.Table {
	x := &scenario.Table{Name: t.Schema.QualifiedName(), Rows: t.Rows, Load: "copy", Vacuumed: true, Checks: t.Checks}
	if t.Schema.Kind == 'p' {
		x.Rows = 0
	}
	for _, c := range t.Columns {
		spec := c.Spec
		x.Columns = append(x.Columns, &spec)
	}
	return x
}

// assemble puts the tables' parts into the scenario.
func (d *Draft) assemble() error {
	d.Scenario.Tables, d.Scenario.Operations = nil, nil
	for _, t := range d.Tables {
		d.Scenario.Tables = append(d.Scenario.Tables, t.scenarioTable())
		d.Scenario.Operations = append(d.Scenario.Operations, t.Operations...)
	}
	if len(d.Scenario.Operations) == 0 {
		var why []string
		for _, t := range d.Tables {
			why = append(why, t.Schema.QualifiedName()+": "+strings.Join(t.Notes, "; "))
			if len(why) == 3 {
				break
			}
		}
		return fmt.Errorf("%s: no table can be changed (%s)", d.o.Schema, strings.Join(why, ", "))
	}
	return nil
}
