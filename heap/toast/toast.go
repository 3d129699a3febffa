// Package toast decides what becomes of the long values of a row: which are compressed, and
// which move out of line, after heaptoast.c (heap_toast_insert_or_update) and toast_helper.c.
package toast

import (
	"applysim/heap"
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Sizes, in bytes. Source: REL_18_1, src/include/access/heaptoast.h and src/include/varatt.h.
const (
	Threshold      = 2032 // TOAST_TUPLE_THRESHOLD: longer rows are toasted
	Target         = 2032 // TOAST_TUPLE_TARGET, the default of toast_tuple_target
	targetMain     = 8160 // TOAST_TUPLE_TARGET_MAIN
	pointerAligned = 24   // MAXALIGN(TOAST_POINTER_SIZE)
	VarlenaHeader  = 4    // VARHDRSZ
)

// Table is what counts of a table.
type Table struct {
	Attrs   []datum.Attr
	Methods []datum.Method // of compression, by column
	Target  int            // toast_tuple_target

	Compressor datum.Compressor
}

// Attribute is the state of a column while a row is toasted (ToastAttrInfo).
type Attribute struct {
	Size           int // VARSIZE_ANY, bytes
	Ignore         bool
	incompressible bool
}

// Place compresses values and moves them out of line, by externalize, until the row is
// short enough.
func (t *Table) Place(values []datum.Value, state []Attribute, header int, externalize func([]datum.Value, []Attribute, int) error) error {
	limit := t.Target - header
	// Compress what may be compressed; what is still longer than a row may be,
	// moves out at once.
	for t.DataSize(values) > limit {
		i := t.biggest(values, state, true, false)
		if i < 0 {
			break
		}
		if t.Attrs[i].Storage == 'x' {
			t.compress(values, state, i)
		} else {
			state[i].incompressible = true
		}
		if state[i].Size > limit {
			if err := externalize(values, state, i); err != nil {
				return err
			}
		}
	}
	for t.DataSize(values) > limit {
		i := t.biggest(values, state, false, false)
		if i < 0 {
			break
		}
		if err := externalize(values, state, i); err != nil {
			return err
		}
	}
	for t.DataSize(values) > limit {
		i := t.biggest(values, state, true, true)
		if i < 0 {
			break
		}
		t.compress(values, state, i)
	}
	limit = targetMain - header
	for t.DataSize(values) > limit {
		i := t.biggest(values, state, false, true)
		if i < 0 {
			break
		}
		if err := externalize(values, state, i); err != nil {
			return err
		}
	}
	return nil
}

// DataSize is the length of a row's data area.
func (t *Table) DataSize(values []datum.Value) int {
	n := 0
	for i := range t.Attrs {
		n = values[i].End(n, &t.Attrs[i])
	}
	return n
}

// biggest returns the column with the longest value that can still be compressed
// or moved, of storage MAIN or not; -1 if there is none longer than a pointer.
func (t *Table) biggest(values []datum.Value, state []Attribute, compress, main bool) int {
	best, size := -1, pointerAligned
	for i := range values {
		v, st := &values[i], &state[i]
		if st.Ignore || v.Form == datum.External || compress && (st.incompressible || v.Form == datum.Compressed) {
			continue
		}
		if main != (t.Attrs[i].Storage == 'm') {
			continue
		}
		if st.Size > size {
			best, size = i, st.Size
		}
	}
	return best
}

// compress compresses a column in place, if that helps.
func (t *Table) compress(values []datum.Value, state []Attribute, i int) {
	v, ok := t.Compressor.Compress(&values[i], t.Methods[i])
	if !ok {
		state[i].incompressible = true
		return
	}
	values[i] = v
	state[i].Size = len(v.Bytes) + VarlenaHeader
}

// Header is the length of a row version's header.
func Header(columns int, nulls bool) int {
	header := heap.TupleHeaderSize
	if nulls {
		header += (columns + 7) / 8
	}
	return storage.MaxAlign(header)
}
