package apply

import (
	"applysim/heap/datum"
	"applysim/model/schema"
	"applysim/model/stream"
)

// Storer says of the rows of a publisher's table which values are compressed or out of
// line there, since a value out of line that does not change is not sent. It keeps no rows.
type Storer struct {
	o       toaster
	columns []localColumn
	values  []datum.Value
	state   []attribute
	scratch []byte
}

// Stored is how the values of a row are stored: two bits for each column.
type Stored uint64

// The ways, of a column. No more than storedColumns are kept apart.
const (
	storedPlain Stored = iota
	storedCompressed
	storedExternal

	storedColumns = 31
)

// External says whether a column's value is out of line.
func (s Stored) External(column int) bool { return s>>(2*column)&3 == storedExternal }

// NewStorer returns the Storer of a table whose values a publisher compresses by its
// default, pglz, unless a column says otherwise. It returns nil if there are more columns
// than it can tell apart, or generated ones.
func NewStorer(t *schema.Table) *Storer {
	if len(t.Columns) > storedColumns {
		return nil
	}
	s := &Storer{o: toaster{attrs: t.Attrs(), target: toastTarget}}
	if t.ToastTupleTarget > 0 {
		s.o.target = t.ToastTupleTarget
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
		s.o.method = append(s.o.method, method)
		s.columns = append(s.columns, localColumn{remote: i, typ: c.Type, typmod: c.Typmod})
	}
	s.values = make([]datum.Value, len(t.Columns))
	s.state = make([]attribute, len(t.Columns))
	return s
}

// Store says how a row is stored, with a value for each column of the table. before is
// how the row was stored that it takes the place of, 0 for a new one; same says of a
// column that its value is the old one.
func (s *Storer) Store(row stream.Tuple, before Stored, same func(column int) bool) (Stored, error) {
	o := &s.o
	s.scratch = s.scratch[:0]
	nulls, external := false, false
	for i := range s.values {
		v, st := &s.values[i], &s.state[i]
		*st = attribute{}
		var err error
		if s.scratch, err = s.columns[i].value(v, &row[i], s.scratch); err != nil {
			return 0, err
		}
		how := before >> (2 * i) & 3
		external = external || how == storedExternal
		switch {
		case v.Null:
			nulls, st.ignore = true, true
			continue
		case o.attrs[i].Len != -1 || o.attrs[i].Storage == 'p':
			st.ignore = true
			continue
		case how == storedExternal && same(i):
			*v = datum.Value{Bytes: make([]byte, datum.PointerSize), Form: datum.External}
			st.ignore = true
			continue
		case how == storedCompressed && same(i):
			if c, ok := o.compressor.Compress(v, o.method[i]); ok {
				*v = c
			}
		}
		st.size = v.StoredSize(&o.attrs[i])
	}
	header := rowHeader(len(s.values), nulls)
	if external || header+o.dataSize(s.values) > toastThreshold {
		err := o.place(s.values, s.state, header, func(values []datum.Value, state []attribute, i int) error {
			values[i] = datum.Value{Bytes: make([]byte, datum.PointerSize), Form: datum.External}
			state[i].size, state[i].ignore = datum.PointerSize+2, true
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	var stored Stored
	for i := range s.values {
		switch v := &s.values[i]; {
		case v.Null:
		case v.Form == datum.External:
			stored |= storedExternal << (2 * i)
		case v.Form == datum.Compressed:
			stored |= storedCompressed << (2 * i)
		}
	}
	return stored, nil
}
