package scenario

import (
	"applysim/heap/toast"
	"applysim/model/pgtype"
	"applysim/model/schema"
	"applysim/model/stream"
)

// storedRows know which values of a table's rows the publisher keeps out of line: those
// are not sent if they do not change. What is kept of a row is how its values were stored
// when it was written last.
type storedRows struct {
	storer *storer // nil if nobody can tell: values of more than assumedLong bytes are taken to be out of line
	places []int   // of the source's columns in the table
	slot   int
	tuple  stream.Tuple
}

const (
	assumedLong = 2000
)

// newStoredRows returns what a source needs, nil if its rows are too short. t is the
// table with the types that are written, places are the source's columns in it.
func newStoredRows(s *source, t *schema.Table, places []int) *storedRows {
	r := &storedRows{places: places, tuple: make(stream.Tuple, len(t.Columns))}
	length, movable := 64, false
	for n, c := range s.columns {
		x := &t.Columns[places[n]]
		width := c.MaxWidth
		for _, v := range c.Values {
			width = max(width, len(v))
		}
		length += bound(c, width)
		movable = movable || x.Attr().Len == -1 && x.Storage != 'p'
	}
	if !movable || length <= toast.Threshold {
		return nil
	}
	for i := range r.tuple {
		r.tuple[i] = stream.Column{Format: stream.ColumnNull}
	}
	r.storer = newStorer(t)
	r.slot = s.rows.slots
	s.rows.slots++
	return r
}

// bound is an upper bound of what a value takes in a row, given its length in a message.
func bound(c *column, width int) int {
	switch c.typ.Kind {
	case pgtype.KindText, pgtype.KindVarchar, pgtype.KindBytea, pgtype.KindJSON, pgtype.KindXML:
		return width + 8
	case pgtype.KindBpchar: // blanks are not in all messages
		return max(width, 4*int(c.typmod)) + 8
	}
	if a := c.typ.Attr(); a.Len > 0 {
		return int(a.Len) + 8
	}
	return 4*width + 64
}

// store says how the row in tuple is stored.
func (r *storedRows) store(s *source, row stream.Tuple, before stored, same func(place int) bool) stored {
	if r.storer == nil {
		return 0
	}
	length := 64
	for i := range row {
		r.tuple[r.places[i]] = row[i]
		length += bound(s.columns[i], len(row[i].Data))
	}
	if before == 0 && length <= toast.Threshold {
		return 0
	}
	stored, err := r.storer.store(r.tuple, before, same)
	if err != nil {
		return 0 // the subscriber cannot read the row either, and says so
	}
	return stored
}

// insert notes how a new row is stored.
func (r *storedRows) insert(s *source, row int64) {
	if r.storer != nil {
		s.rows.set(row, r.slot, uint64(r.store(s, s.row, 0, nil))<<1|1)
	}
}

// storedBefore is how a row is stored that is about to be updated.
func (g *Generator) storedBefore(s *source, row int64) stored {
	if s.stored == nil || s.stored.storer == nil {
		return 0
	}
	if v := s.rows.get(row, s.stored.slot); v != 0 {
		return stored(v >> 1)
	}
	g.tuple(s, s.row, row, false) // a row from before the run
	return s.stored.store(s, s.row, 0, nil)
}

// update notes how a row is stored after an update of some columns, and takes the values
// away that are not sent.
func (r *storedRows) update(s *source, row int64, before stored, change []int) {
	if r.storer == nil {
		for i, c := range s.columns {
			if (c.storage == 'x' || c.storage == 'e') && len(s.row[i].Data) > assumedLong && !contains(change, i) {
				s.row[i] = stream.Column{Format: stream.ColumnUnchanged}
			}
		}
		return
	}
	changed := uint64(0)
	for _, i := range change {
		changed |= 1 << r.places[i]
	}
	after := r.store(s, s.row, before, func(place int) bool { return changed>>place&1 == 0 })
	s.rows.set(row, r.slot, uint64(after)<<1|1)
	for i, place := range r.places {
		if before.External(place) && changed>>place&1 == 0 {
			s.row[i] = stream.Column{Format: stream.ColumnUnchanged}
		}
	}
}
