package decode

// Which values of a row are compressed or moved out of line, after
// heap_toast_insert_or_update in src/backend/access/heap/heaptoast.c: the stream has
// them as they were written, the WAL as they are stored.

import (
	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Sizes of TOAST. Source: REL_18_1, src/include/access/heaptoast.h and
// src/include/varatt.h.
const (
	toastThreshold  = 2032 // TOAST_TUPLE_THRESHOLD
	toastTarget     = 2032 // TOAST_TUPLE_TARGET
	toastTargetMain = 8160 // TOAST_TUPLE_TARGET_MAIN
	toastChunk      = 1996 // TOAST_MAX_CHUNK_SIZE
	toastPointer    = 18   // TOAST_POINTER_SIZE
	indirectPointer = 10   // INDIRECT_POINTER_SIZE: to a value in memory
	chunkHeader     = 36   // of a chunk's tuple: header, chunk_id, chunk_seq, length word
	smallest        = 24   // MAXALIGN(TOAST_POINTER_SIZE): what is shorter stays
)

// stored is how a row is stored.
type stored struct {
	length   int    // of its tuple
	restored int    // of the tuple that a plugin gets; the same if nothing has moved
	moved    []bool // by column; nil if none
	chunks   []int  // lengths of the chunks' tuples, in the order in which they are written
}

// store says how a new row is stored. It compresses values in place.
func (d *Decoder) store(rel *relation, cells []cell) stored {
	s := stored{length: tupleLength(rel.columns, cells, nil, 0)}
	if s.restored = s.length; s.length <= toastThreshold || !rel.toast {
		return s
	}
	header := tupleHeader
	for i := range cells {
		if cells[i].null {
			header = tupleHeader + (len(cells)+7)/8
			break
		}
	}
	header = storage.MaxAlign(header)
	s.moved = make([]bool, len(cells))
	tried := make([]bool, len(cells)) // not worth compressing
	over := func(limit int) bool { return tupleLength(rel.columns, cells, s.moved, toastPointer)-header > limit }
	size := func(i int) int { return cells[i].value.StoredSize(&rel.columns[i].attr) }
	biggest := func(compress, main bool) int {
		best, most := -1, smallest
		for i := range cells {
			a, v := &rel.columns[i].attr, &cells[i].value
			if cells[i].null || a.Len != -1 || a.Storage == 'p' || v.Form == datum.External || s.moved[i] {
				continue
			}
			if compress && (tried[i] || v.Form == datum.Compressed) || main != (a.Storage == 'm') {
				continue
			}
			if n := size(i); n > most {
				best, most = i, n
			}
		}
		return best
	}
	compress := func(i int) {
		v, ok := d.compressor.Compress(&cells[i].value, rel.columns[i].method)
		if !ok {
			tried[i] = true
			return
		}
		cells[i].value = v
	}
	move := func(i int) {
		s.moved[i] = true
		for n := len(cells[i].value.Bytes); n > 0; n -= toastChunk {
			s.chunks = append(s.chunks, chunkHeader+min(n, toastChunk))
		}
	}
	limit := rel.target - header
	for over(limit) {
		i := biggest(true, false)
		if i < 0 {
			break
		}
		if rel.columns[i].attr.Storage == 'x' {
			compress(i)
		} else {
			tried[i] = true
		}
		if size(i) > limit {
			move(i)
		}
	}
	for over(limit) {
		i := biggest(false, false)
		if i < 0 {
			break
		}
		move(i)
	}
	for over(limit) {
		i := biggest(true, true)
		if i < 0 {
			break
		}
		compress(i)
	}
	for limit = toastTargetMain - header; over(limit); {
		i := biggest(false, true)
		if i < 0 {
			break
		}
		move(i)
	}
	s.length = tupleLength(rel.columns, cells, s.moved, toastPointer)
	s.restored = tupleLength(rel.columns, cells, s.moved, indirectPointer)
	return s
}

// oldLength is the length of the old row that an update or delete logs: the row as it
// is stored with what is out of line put back, or its key with NULL for all else
// (ExtractReplicaIdentity in heapam.c).
func (d *Decoder) oldLength(rel *relation, cells []cell, whole bool) int {
	if whole && rel.toast && tupleLength(rel.columns, cells, nil, 0) > toastThreshold {
		d.store(rel, cells) // for what it compresses
	}
	return tupleLength(rel.columns, cells, nil, 0)
}
