package scenario

import (
	"applysim/heap/datum"
	"applysim/heap/toast"
	"applysim/model/schema"
	"applysim/model/stream"
)

// storer says of the rows of a publisher's table which values are compressed or out of
// line there, since a value out of line that does not change is not sent. It keeps no rows.
type storer struct {
	toast.Table
	columns []*schema.Column
	values  []datum.Value
	state   []toast.Attribute
	scratch []byte
}

// stored is how the values of a row are stored: two bits for each column.
type stored uint64

// The ways, of a column. No more than storedColumns are kept apart.
const (
	storedPlain stored = iota
	storedCompressed
	storedExternal

	storedColumns = 31
)

// External says whether a column's value is out of line.
func (s stored) External(column int) bool { return s>>(2*column)&3 == storedExternal }

// newStorer returns the storer of a table whose values a publisher compresses by its
// default, pglz, unless a column says otherwise. It returns nil if there are more columns
// than it can tell apart, or generated ones.
func newStorer(t *schema.Table) *storer {
	if len(t.Columns) > storedColumns {
		return nil
	}
	s := &storer{Table: toast.Table{Attrs: t.Attrs(), Target: toast.Target}}
	if t.ToastTupleTarget > 0 {
		s.Target = t.ToastTupleTarget
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.Generated == 's' {
			return nil
		}
		method := datum.PGLZ
		if c.Compression == 'l' {
			method = datum.LZ4
		}
		s.Methods = append(s.Methods, method)
		s.columns = append(s.columns, c)
	}
	s.values = make([]datum.Value, len(t.Columns))
	s.state = make([]toast.Attribute, len(t.Columns))
	return s
}

// store says how a row is stored, with a value for each column of the table. before is
// how the row was stored that it takes the place of, 0 for a new one; same says of a
// column that its value is the old one.
func (s *storer) store(row stream.Tuple, before stored, same func(column int) bool) (stored, error) {
	s.scratch = s.scratch[:0]
	nulls, external := false, false
	for i := range s.values {
		v, st := &s.values[i], &s.state[i]
		*st = toast.Attribute{}
		var err error
		if s.scratch, err = readColumn(s.columns[i], v, &row[i], s.scratch); err != nil {
			return 0, err
		}
		how := before >> (2 * i) & 3
		external = external || how == storedExternal
		switch {
		case v.Null:
			nulls, st.Ignore = true, true
			continue
		case s.Attrs[i].Len != -1 || s.Attrs[i].Storage == 'p':
			st.Ignore = true
			continue
		case how == storedExternal && same(i):
			*v = datum.Value{Bytes: make([]byte, datum.PointerSize), Form: datum.External}
			st.Ignore = true
			continue
		case how == storedCompressed && same(i):
			if c, ok := s.Compressor.Compress(v, s.Methods[i]); ok {
				*v = c
			}
		}
		st.Size = v.StoredSize(&s.Attrs[i])
	}
	header := toast.Header(len(s.values), nulls)
	if external || header+s.DataSize(s.values) > toast.Threshold {
		err := s.Place(s.values, s.state, header, func(values []datum.Value, state []toast.Attribute, i int) error {
			values[i] = datum.Value{Bytes: make([]byte, datum.PointerSize), Form: datum.External}
			state[i].Size, state[i].Ignore = datum.PointerSize+2, true
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	var how stored
	for i := range s.values {
		switch v := &s.values[i]; {
		case v.Null:
		case v.Form == datum.External:
			how |= storedExternal << (2 * i)
		case v.Form == datum.Compressed:
			how |= storedCompressed << (2 * i)
		}
	}
	return how, nil
}

// readColumn reads a column of a message by its type's input function.
func readColumn(c *schema.Column, v *datum.Value, col *stream.Column, scratch []byte) ([]byte, error) {
	var err error
	switch col.Format {
	case stream.ColumnText:
		*v, scratch, err = c.Type.Input(col.Data, c.Typmod, scratch)
	case stream.ColumnBinary:
		*v, scratch, err = c.Type.Receive(col.Data, c.Typmod, scratch)
	default:
		*v = datum.Value{Null: true}
	}
	return scratch, err
}
