package decode

import (
	"hash/maphash"

	"applysim/heap/datum"
	"applysim/model/stream"
)

// A value that a row has compressed stays so in its later versions, and in the old keys
// that are logged of it, whatever the row's length is then. What the values look like in
// a row is remembered for those rows that have a compressed one, by their keys.

// compressed is a column whose value a row has compressed.
type compressed struct {
	column int
	bytes  int    // of the compressed value
	hash   uint64 // of its text
}

var hashSeed = maphash.MakeSeed()

// identifying are the columns by which a relation's rows are remembered: those of the
// replica identity, of the primary key if old rows are whole.
func (r *relation) identifying() []int {
	var columns []int
	if r.identity == 'f' {
		x := r.table.PrimaryKey()
		if x == nil {
			return nil
		}
		for _, k := range x.Keys {
			columns = append(columns, k.Column)
		}
		return columns
	}
	for i := range r.columns {
		if r.columns[i].key {
			columns = append(columns, i)
		}
	}
	return columns
}

// rowKey is the key that a row is remembered by; "" if it has none.
func (r *relation) rowKey(cells []cell) string {
	var b []byte
	for _, i := range r.ident {
		if i < 0 || i >= len(cells) || cells[i].null || cells[i].unchanged {
			return ""
		}
		b = append(append(b, cells[i].text...), 0)
	}
	return string(b)
}

// lengths are how the tuples of a row change are stored: the old one's length and the
// new row. It compresses values in place. keep says that the change is decoded now, so
// that the row is to be remembered.
func (d *Decoder) lengths(r *row, keep bool) (old int, s stored) {
	rel := r.rel
	key := ""
	if r.old != nil {
		key = rel.rowKey(r.old)
	} else if r.kind == stream.KindUpdate {
		key = rel.rowKey(r.row)
	}
	before := rel.kept[key]
	if r.old != nil {
		rel.apply(r.old, before)
		old = d.oldLength(rel, r.old, r.oldKind == stream.OldRow)
	}
	if r.row != nil {
		key := ""
		if rel.toast {
			key = rel.rowKey(r.row)
		}
		if r.kind == stream.KindUpdate {
			rel.apply(r.row, before)
		}
		s = d.store(rel, r.row)
		if keep && key != "" {
			defer rel.remember(key, r.row)
		}
	}
	if keep && before != nil {
		delete(rel.kept, key)
	}
	return old, s
}

// apply makes the values of a row what they are known to be.
func (r *relation) apply(cells []cell, known []compressed) {
	for _, k := range known {
		x := &cells[k.column]
		if !x.null && !x.unchanged && x.value.Form == datum.Plain && maphash.Bytes(hashSeed, x.text) == k.hash {
			x.value = datum.Value{Form: datum.Compressed, Bytes: make([]byte, k.bytes)}
		}
	}
}

// remember notes which values a row has compressed.
func (r *relation) remember(key string, cells []cell) {
	var known []compressed
	for i := range cells {
		if x := &cells[i]; !x.null && !x.unchanged && x.value.Form == datum.Compressed {
			known = append(known, compressed{i, len(x.value.Bytes), maphash.Bytes(hashSeed, x.text)})
		}
	}
	if known == nil {
		return
	}
	if r.kept == nil {
		r.kept = map[string][]compressed{}
	}
	r.kept[key] = known
}
