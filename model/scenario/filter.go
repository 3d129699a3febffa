package scenario

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"applysim/model/decode"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Filter is a row filter of a publication: Column IS DISTINCT FROM Value.
type Filter struct {
	Table, Column, Value string
}

// Where is the filter in SQL.
func (f *Filter) Where() string {
	return fmt.Sprintf("(%s IS DISTINCT FROM '%s')", schema.QuoteIdent(f.Column), strings.ReplaceAll(f.Value, "'", "''"))
}

// identity is the statement by which a publisher sends the old rows of updates and deletes,
// which a filter is evaluated for, too.
func (f *Filter) identity() string {
	return "ALTER TABLE " + Quoted(f.Table) + " REPLICA IDENTITY FULL"
}

// changes says whether a scenario updates or deletes rows of the filter's table.
func (f *Filter) changes(s *Scenario) bool {
	return slices.ContainsFunc(s.steps(), func(p *Step) bool { return p.Table == f.Table && p.Do != Insert })
}

// Identity is what the publisher's table needs for the filter, if it is more than it has: a
// statement that gives it a replica identity with all columns, or "". Without it the publisher
// refuses updates and deletes. Source: REL_18_1, src/backend/commands/publicationcmds.c,
// pub_rf_contains_invalid_column.
func (f *Filter) Identity(s *Scenario, db *schema.Database) string {
	t := find(db, f.Table)
	if t == nil || !f.changes(s) || t.ReplicaIdentity == 'f' || slices.Contains(identityColumns(t), t.Column(f.Column)) {
		return ""
	}
	return f.identity()
}

// filtered has the publisher's side of a run send what a publication with its filter lets
// through, as pgoutput decides it: an update that crosses the filter becomes an insert or a
// delete.
type filtered struct {
	decoder *decode.Decoder
	queue   []stream.Message
	err     error
}

// filterFor prepares that. db has the publisher's tables.
func (r *run) filterFor(db *schema.Database) error {
	f := r.o.Filter
	var list []string
	for _, t := range db.Tables {
		name := t.QualifiedName()
		if r.o.Tables != nil && !slices.Contains(r.o.Tables, name) {
			continue
		}
		entry := Quoted(name)
		if name == f.Table {
			entry += " WHERE " + f.Where()
		}
		list = append(list, entry)
	}
	if err := db.Exec("CREATE PUBLICATION filtered FOR TABLE "+strings.Join(list, ", "), ""); err != nil {
		return err
	}
	way := decode.PgoutputText
	if r.s.Binary {
		way = decode.PgoutputBinary
	}
	r.filtered = &filtered{}
	var in stream.Decoder
	o := decode.Options{Publications: []string{"filtered"}, WorkMem: math.MaxInt64, Major: 18, Ways: []string{way}}
	o.Emit = func(_ string, message []byte) {
		var m stream.Message
		if err := in.Decode(bytes.Clone(message), &m); err != nil && r.filtered.err == nil {
			r.filtered.err = err
		}
		m.Size = len(message)
		r.filtered.queue = append(r.filtered.queue, m)
	}
	var err error
	r.filtered.decoder, err = decode.New(db, o)
	return err
}

// nextFiltered makes the next message that passes the filter.
func (r *run) nextFiltered(m *stream.Message) bool {
	f := r.filtered
	for len(f.queue) == 0 {
		var made stream.Message
		if f.err != nil || !r.gen.Next(&made) {
			return false
		}
		if r.o.Made != nil {
			r.o.Made(r.gen.Operation(), &made)
		}
		if err := f.decoder.Message(&made); err != nil {
			f.err = err
		}
	}
	if f.err != nil {
		return false
	}
	*m = f.queue[0]
	f.queue = f.queue[1:]
	return true
}

// keeps says which of a table's rows before the run pass the filter.
func (f *Filter) keeps(p *presetRows) []int {
	at := slices.IndexFunc(p.s.columns, func(c *column) bool { return c.Name == f.Column })
	if at < 0 {
		return nil
	}
	kept, width := []int{}, 0
	for _, place := range p.places {
		width = max(width, place+1)
	}
	row := make(stream.Tuple, width)
	for n := range p.Len() {
		p.Row(n, []int{p.places[at]}, row)
		if c := row[p.places[at]]; c.Format != stream.ColumnNull && string(c.Data) == f.Value {
			continue
		}
		kept = append(kept, n)
	}
	return kept
}
