package apply

// A backend's COPY ... FROM.

import (
	"slices"

	"applysim/heap/datum"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// CopyStatement is what is known of a COPY beside its rows.
type CopyStatement struct {
	// Sizes are how many rows it gathers before it writes, batch by batch, the last one left
	// out; nil if the lengths of their lines say it, which are taken to be in text format.
	Sizes []int
	// Binary says that it reads binary format: only the number of rows limits a batch. CSV
	// says that it reads CSV.
	Binary, CSV bool
}

// beginCopy begins the COPY that a statement is.
func (b *Backend) beginCopy(s *Statement) {
	t := b.w.bySchema[s.Table]
	b.w.fit(t)
	b.copying = b.w.newCopy(t, func(column int) bool { return slices.Contains(s.Given, column) })
	b.copying.sizes = s.Copy.Sizes
	b.copying.inserted = func(t *table, values []datum.Value, tid storage.TID) error {
		b.referTo(t, values, nil, tid, false)
		return nil
	}
}

// copiedLine is the length of the line, bytes, that the row of a message had, if it was in
// text format and as PostgreSQL writes it.
func (b *Backend) copiedLine(r *relation, m *stream.Message) int {
	s := b.statement
	if s.Copy.Binary {
		return 0
	}
	n := -1
	for i := range r.columns {
		c := &r.columns[i]
		if c.remote < 0 {
			continue
		}
		column := i
		if r.local.schema != s.Table {
			column = s.Table.Column(r.local.schema.Columns[i].Name)
		}
		if slices.Contains(s.Given, column) {
			n += 1 + c.lineLength(&m.New[c.remote], b.w.values[i])
		}
	}
	return max(n, 0)
}

// lineLength is how long a column is in a line of COPY's text format, bytes.
func (c *localColumn) lineLength(col *stream.Column, v datum.Value) int {
	switch col.Format {
	case stream.ColumnText:
		return escaped(col.Data)
	case stream.ColumnBinary:
		return escaped([]byte(c.typ.Text(v)))
	}
	return len(`\N`)
}
