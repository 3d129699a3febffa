package heap

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/wal"
	"applysim/wal/storage"
)

// toastThreshold is TOAST_TUPLE_THRESHOLD: a longer row version goes through
// the toaster. Source: REL_18_1, src/include/access/heaptoast.h.
const toastThreshold = 2032

// Arena chunks, in elements. Row versions and line pointers of pages that are
// filled one after the other share large slices, so that a page costs no slack.
// The first chunk of a table is small, each further one twice as large.
const (
	firstBodyChunk = 32 << 10
	lastBodyChunk  = 4 << 20
	firstItemChunk = 1 << 10
	lastItemChunk  = 1 << 18
)

// Options describe a table.
type Options struct {
	Name       string       // for errors: as PostgreSQL names the relation in its own
	Attrs      []datum.Attr // its columns
	Fillfactor int          // percent; 100 fills pages to the brim
}

// Counters count a table's work; they only grow.
type Counters struct {
	Inserts     int64 // row versions inserted
	TupleBytes  int64 // their lengths, headers included
	Columns     int64 // column values laid out, NULLs left out
	NewPages    int64 // pages added at the end
	FSMSearches int64 // searches of the free space map
}

// Table is a table's heap.
type Table struct {
	Counters Counters

	opts    Options
	log     *wal.Log
	rel     wal.RelID
	pages   []page
	target  storage.BlockNumber // where the last version went: smgr_targblock
	reserve int                 // bytes that the fillfactor keeps free on each page
	fsm     freeSpaceMap
	toast   bool // some column's values could be compressed or moved out of line

	bodies []byte              // arena that the page being filled grows in
	items  []linePointer       // likewise
	owner  storage.BlockNumber // the page that is being filled there
	// The sizes of the newest chunks.
	bodyChunk, itemChunk int
}

// NewTable returns an empty table whose records log gets as relation rel.
func NewTable(o Options, log *wal.Log, rel wal.RelID) *Table {
	t := &Table{opts: o, log: log, rel: rel, target: storage.InvalidBlock, owner: storage.InvalidBlock}
	t.reserve = storage.PageSize * (100 - o.Fillfactor) / 100
	for _, a := range o.Attrs {
		if a.Len == -1 && a.Storage != 'p' {
			t.toast = true
		}
	}
	return t
}

// ToastError says that a row needs TOAST, which is not modelled.
type ToastError struct {
	Table  string
	Length int // bytes of the row version
}

func (e *ToastError) Error() string {
	return fmt.Sprintf("TOAST: a row of table %q takes %d bytes, more than the %d that stay in line untouched",
		e.Table, e.Length, toastThreshold)
}

// Insert adds a row and writes its record, as heap_insert does. values has a
// value for each column. xmin and cid are the inserting transaction and command.
func (t *Table) Insert(values []datum.Value, xmin, cid uint32) (storage.TID, error) {
	if cap(t.bodies)-len(t.bodies) < storage.PageSize {
		t.renewBodies()
	}
	start := len(t.bodies)
	t.form(values)
	size := len(t.bodies) - start
	length := TupleHeaderSize + size
	if length > toastThreshold && t.toast {
		t.bodies = t.bodies[:start]
		return storage.TID{}, &ToastError{t.opts.Name, length}
	}
	if storage.MaxAlign(length) > MaxHeapTupleSize {
		t.bodies = t.bodies[:start]
		return storage.TID{}, fmt.Errorf("row is too big: size %d, maximum size %d", storage.MaxAlign(length), MaxHeapTupleSize)
	}
	block := t.findPage(length)
	p := &t.pages[block]
	off := t.place(p, block, start, length)
	p.note(off, xmin, cid)

	typ := wal.HeapInsert
	if off == 1 {
		typ = wal.HeapInsertInit
	}
	p.lsn = t.log.Insert(typ, t.rel, block, wal.SizeOfHeapHeader+size)
	t.Counters.Inserts++
	t.Counters.TupleBytes += int64(length)
	return storage.TID{Block: block, Offset: off}, nil
}

// form appends a row version's bytes after its fixed header to the arena: NULL
// bitmap if there is a NULL, padding, data.
func (t *Table) form(values []datum.Value) {
	attrs := t.opts.Attrs
	start := len(t.bodies)
	nulls := 0
	for i := range attrs {
		if values[i].Null {
			nulls++
		}
	}
	header := TupleHeaderSize
	if nulls > 0 {
		header += (len(attrs) + 7) / 8
	}
	header = storage.MaxAlign(header)
	b := t.bodies
	for range header - TupleHeaderSize {
		b = append(b, 0)
	}
	if nulls > 0 {
		for i := range attrs {
			if !values[i].Null {
				b[start+i/8] |= 1 << (i % 8)
			}
		}
	}
	t.bodies = datum.Append(b, attrs, values[:len(attrs)])
	t.Counters.Columns += int64(len(attrs) - nulls)
}

// place puts the version formed at arena offset start on page p. If p is the
// page that the arena's end belongs to, or a new one, the bytes stay where they
// are; else they are copied.
func (t *Table) place(p *page, block storage.BlockNumber, start, length int) storage.OffsetNumber {
	size := length - TupleHeaderSize
	if len(p.items) == 0 && p.bodies == nil {
		// A new page takes over the arena's end.
		if cap(t.items)-len(t.items) < MaxHeapTuplesPerPage {
			t.itemChunk = min(max(2*t.itemChunk, firstItemChunk), lastItemChunk)
			t.items = storage.Large[linePointer](t.itemChunk)
		}
		p.bodies = t.bodies[start:start:cap(t.bodies)]
		p.items = t.items[len(t.items):len(t.items):cap(t.items)]
		if t.owner != storage.InvalidBlock {
			q := &t.pages[t.owner]
			q.bodies = q.bodies[:len(q.bodies):len(q.bodies)]
			q.items = q.items[:len(q.items):len(q.items)]
		}
		t.owner = block
	}
	if t.owner == block {
		body := len(p.bodies)
		p.bodies = p.bodies[:body+size]
		off := p.add(length, body)
		t.items = t.items[:len(t.items)+1]
		return off
	}
	body := len(p.bodies)
	p.bodies = append(p.bodies, t.bodies[start:]...)
	t.bodies = t.bodies[:start]
	return p.add(length, body)
}

// renewBodies starts a new arena chunk. The page that was being filled moves
// along, so that it goes on in one piece.
func (t *Table) renewBodies() {
	t.bodyChunk = min(max(2*t.bodyChunk, firstBodyChunk), lastBodyChunk)
	chunk := storage.Large[byte](t.bodyChunk)
	if t.owner != storage.InvalidBlock {
		p := &t.pages[t.owner]
		chunk = append(chunk, p.bodies...)
		p.bodies = chunk[:len(chunk):cap(chunk)]
	}
	t.bodies = chunk
}
