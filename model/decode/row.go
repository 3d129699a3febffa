package decode

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/model/stream"
	"applysim/wal/storage"
)

// cell is a column's value in a change.
type cell struct {
	null      bool
	unchanged bool   // an out-of-line value that did not change: only its pointer is there
	text      []byte // by the type's output function
	value     datum.Value
}

// row is a row change with its values.
type row struct {
	rel     *relation
	kind    stream.Kind // insert, update or delete
	oldKind byte
	old     []cell // nil if there is none
	row     []cell
}

// read takes a row change's values from its message.
func (d *Decoder) read(rel *relation, m *stream.Message) (r row, err error) {
	d.scratch = d.scratch[:0]
	d.eval.Reset()
	r = row{rel: rel, kind: m.Kind}
	if m.OldKind != stream.OldNone && rel.identity != 'n' {
		r.oldKind = m.OldKind
		if r.old, err = d.cells(&d.oldCells, rel, m, m.Old, m.OldKind == stream.OldRow); err != nil {
			return r, err
		}
	}
	if m.Kind != stream.KindDelete {
		r.row, err = d.cells(&d.newCells, rel, m, m.New, true)
	}
	return r, err
}

// cells reads a tuple, into space that is used again. Generated columns are computed
// for whole rows.
func (d *Decoder) cells(space *[]cell, rel *relation, m *stream.Message, t stream.Tuple, whole bool) ([]cell, error) {
	cells := (*space)[:0]
	computed := false
	for i := range rel.columns {
		c := &rel.columns[i]
		if c.remote < 0 {
			cells = append(cells, cell{null: true, value: datum.Value{Null: true}})
			computed = computed || c.expr != nil
			continue
		}
		if c.remote >= len(t) {
			return nil, badMessage(m, "found %d columns, expected more, as the relation message has", len(t))
		}
		x, err := d.cell(c, &t[c.remote])
		if err != nil {
			return nil, badMessage(m, "column %s: %v", c.name, err)
		}
		cells = append(cells, x)
	}
	*space = cells
	if !computed || !whole {
		return cells, nil
	}
	values := d.values(cells)
	for i := range rel.columns {
		c := &rel.columns[i]
		if c.expr == nil {
			continue
		}
		v, err := c.expr.Eval(values, &d.eval)
		if err != nil {
			return nil, badMessage(m, "generated column %s: %v", c.name, err)
		}
		cells[i] = cell{null: v.Null, value: v}
		if !v.Null {
			cells[i].text = []byte(c.typ.Text(v))
		}
	}
	return cells, nil
}

// values are a row's values for an expression. A value that is not there is NULL.
func (d *Decoder) values(cells []cell) []datum.Value {
	d.row = d.row[:0]
	for i := range cells {
		v := cells[i].value
		v.Null = v.Null || cells[i].unchanged
		d.row = append(d.row, v)
	}
	return d.row
}

// cell reads one value.
func (d *Decoder) cell(c *column, x *stream.Column) (cell, error) {
	var v datum.Value
	var err error
	switch x.Format {
	case stream.ColumnNull:
		return cell{null: true, value: datum.Value{Null: true}}, nil
	case stream.ColumnUnchanged:
		return cell{unchanged: true, value: datum.Value{Form: datum.External, Bytes: unchangedPointer}}, nil
	case stream.ColumnText:
		if v, d.scratch, err = c.typ.Input(x.Data, c.typmod, d.scratch); err != nil {
			return cell{}, err
		}
		return cell{text: x.Data, value: v}, nil
	case stream.ColumnBinary:
		if v, d.scratch, err = c.typ.Receive(x.Data, c.typmod, d.scratch); err != nil {
			return cell{}, err
		}
		return cell{text: []byte(c.typ.Text(v)), value: v}, nil
	}
	return cell{}, fmt.Errorf("unknown format %q", x.Format)
}

// unchangedPointer stands for the pointer of a value that is out of line.
var unchangedPointer = make([]byte, datum.PointerSize)

// badMessage is an error in the input.
func badMessage(m *stream.Message, format string, args ...any) error {
	return &stream.Error{Message: m.Number, Offset: m.Offset, Text: fmt.Sprintf(format, args...)}
}

// tupleHeader is SizeofHeapTupleHeader. Source: REL_18_1,
// src/include/access/htup_details.h.
const tupleHeader = 23

// tupleLength is the length of a row's tuple (heap_form_tuple), with pointers of so
// many bytes to the values that have just been moved out of line.
func tupleLength(columns []column, cells []cell, moved []bool, pointer int) int {
	nulls := false
	for i := range cells {
		nulls = nulls || cells[i].null
	}
	n := tupleHeader
	if nulls {
		n += (len(cells) + 7) / 8
	}
	n = storage.MaxAlign(n)
	for i := range cells {
		if cells[i].null {
			continue
		}
		if moved != nil && moved[i] {
			n += pointer
		} else {
			n = cells[i].value.End(n, &columns[i].attr)
		}
	}
	return n
}
