package heap

// Rows that are there before the run, as COPY leaves them: which page each one is on,
// after copyfrom.c (CopyFrom), heapam.c (heap_multi_insert) and hio.c
// (RelationGetBufferForTuple, RelationAddBlocks). Where they are is worked out in one
// pass over their lengths; a page is made when it is touched first (load_page.go).

import (
	"errors"
	"fmt"
	"slices"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// Limits of COPY. Source: REL_18_1, src/backend/commands/copyfrom.c.
const (
	maxBufferedTuples = 1000  // MAX_BUFFERED_TUPLES
	maxBufferedBytes  = 65535 // MAX_BUFFERED_BYTES
)

// LoadedRows are the rows that a table is loaded with, numbered from 0. They must be
// the same whenever they are asked for.
type LoadedRows interface {
	// Row returns the values of a row, one for each column, and the length of its line
	// in COPY's text format, bytes. The values hold until the next call.
	Row(n int) (values []datum.Value, line int, err error)
}

// LoadOptions say how a table was loaded.
type LoadOptions struct {
	// NewTable says that the transaction has made or emptied the table itself, so that
	// COPY does not look into the free space map.
	NewTable bool
	// Binary says that the rows came in binary format: they are put into the table
	// 1,000 at a time whatever their lengths.
	Binary bool
	// XID is the transaction, Command the command within it.
	XID, Command uint32
	// Hinted says that somebody has read the rows since, so that hint bits show that
	// the transaction has committed. Vacuumed says that a VACUUM has found them visible
	// to everybody, Frozen that it or COPY has frozen them. KeepEmpty says that the
	// VACUUM has not given empty pages at the end back.
	Hinted, Vacuumed, Frozen, KeepEmpty bool
	// Every says that the pages are made at once.
	Every bool
}

// loaded is what is known of rows whose pages have not been made.
type loaded struct {
	rows     LoadedRows
	perPage  int      // rows on each page, if that is the same for all but the last one
	first    []uint32 // else by page: how many rows stand before it
	near     []uint32 // and a page not far before each row whose number is a multiple of nearRows
	order    []uint32 // the numbers of the rows in physical order; nil if it is their own
	kept     map[uint32]keptRow
	infomask uint16 // hint bits
	xid, cid uint32
	count    int
	pages    int // that COPY has made, empty ones at the end included
}

// keptRow is a row version that the toaster has changed, header left out.
type keptRow struct {
	body  []byte
	nulls bool
}

// Load fills an empty table with rows, as a COPY has left them. Its pages count as
// written to disk long ago.
func (t *Table) Load(count int, rows LoadedRows, o LoadOptions) error {
	if t.pages.n > 0 {
		return fmt.Errorf("table %q is not empty", t.opts.Name)
	}
	if uint64(count) > 1<<32-1 {
		return fmt.Errorf("table %q: %d rows, expected fewer than 2^32", t.opts.Name, count)
	}
	l := &loaded{rows: rows, xid: o.XID, cid: o.Command, count: count}
	if o.Hinted || o.Vacuumed {
		l.infomask |= xminCommitted
	}
	if o.Frozen {
		l.infomask |= xminFrozen
	}
	t.loaded, t.external = l, true // as far as is known
	counters := t.Counters
	t.fsm.Changed = nil // nothing is logged
	defer func() { t.Counters, t.fsm.Changed = counters, t.dirtyFSM }()
	c := &copier{t: t, o: o, bulk: t.NewBulk(o.NewTable)}
	if err := c.copy(count); err != nil {
		t.pages, t.loaded = pageList{}, nil
		return err
	}
	l.pages = t.pages.n
	if o.Vacuumed {
		t.loadVacuumed(o)
	} else if o.Frozen {
		for b := range t.pages.n {
			if p := t.pages.at(storage.BlockNumber(b)); p.virtual() {
				t.mark(p, vmAllVisible|vmAllFrozen)
			}
		}
	}
	if o.Frozen {
		t.frozenXID = t.xacts.Next
	} else {
		t.frozenXID = min(t.frozenXID, o.XID)
	}
	t.live = int64(count)
	if o.Vacuumed || o.Hinted {
		t.NoteRows(t.live)
	}
	t.target = storage.InvalidBlock
	t.Clean()
	if o.Every {
		for b := range t.pages.n {
			t.page(storage.BlockNumber(b))
		}
	}
	return nil
}

// OlderRows notes that the table is older than the run, and has rows of a transaction
// before it, which VACUUM has not frozen.
func (t *Table) OlderRows(xid uint32) { t.frozenXID = min(t.frozenXID, xid) }

// LoadedPages is how many pages the table had when COPY was done with it: a VACUUM may have
// given empty ones at the end back since.
func (t *Table) LoadedPages() int {
	if t.loaded == nil {
		return 0
	}
	return t.loaded.pages
}

// copier is the state of a COPY.
type copier struct {
	t    *Table
	o    LoadOptions
	bulk *Bulk

	batch   []int // lengths of the versions of a batch, aligned
	lines   int   // bytes of their lines
	done    int   // rows that have a page
	onPage  []uint32
	ordered bool // each row went to the same page as the one before, or to a later one
}

// copy finds a page for each row, batch by batch.
func (c *copier) copy(count int) error {
	t, l := c.t, c.t.loaded
	if n := t.fixedLength(); n > 0 && c.o.NewTable {
		return c.copyFixed(count, n)
	}
	c.ordered = true
	c.onPage = make([]uint32, 0, count)
	for i := range count {
		values, line, err := l.rows.Row(i)
		var v formed
		if err == nil {
			v, err = t.prepare(values, false)
		}
		if err == nil && t.needsToast(v) {
			var stored []datum.Value
			if stored, err = t.toast(v, values, nil); err == nil {
				v, err = t.prepare(stored, true)
			}
			if err == nil {
				if l.kept == nil {
					l.kept = map[uint32]keptRow{}
				}
				l.kept[uint32(i)] = keptRow{append([]byte(nil), t.bodies[v.start:]...), v.nulls}
			}
		}
		if err == nil {
			err = t.tooBig(v)
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
		t.bodies = t.bodies[:v.start]
		c.batch = append(c.batch, storage.MaxAlign(v.length))
		if !c.o.Binary {
			c.lines += line
		}
		if len(c.batch) == maxBufferedTuples || c.lines >= maxBufferedBytes {
			c.flush()
		}
	}
	c.flush()
	l.sortByPage(c.onPage, t.pages.n, c.ordered)
	return nil
}

// fixedLength is the length of all row versions, 0 if it is not always the same.
func (t *Table) fixedLength() int {
	n := 0
	for i := range t.opts.Attrs {
		a := &t.opts.Attrs[i]
		if a.Len < 0 || !a.NotNull {
			return 0
		}
		n = storage.Align(n, int(a.Align)) + int(a.Len)
	}
	return storage.MaxAlign(TupleHeaderSize) + n
}

// flush puts a batch into the table (heap_multi_insert).
func (c *copier) flush() {
	t := c.t
	pages, used, fresh := 0, 0, false
	for i := 0; i < len(c.batch); {
		if i == 0 || !fresh {
			pages, used = t.pagesFor(len(c.batch)-i, func(n int) int { return c.batch[i+n] }), 0
		} else {
			used++
		}
		block := c.bulk.findPage(c.batch[i], pages-used)
		p := t.pages.at(block)
		fresh = p.lower == storage.PageHeaderSize
		for first := true; i < len(c.batch); first = false {
			if !first && p.loadedSpace() < c.batch[i]+t.reserve {
				break
			}
			p.addLoaded(c.batch[i])
			if n := len(c.onPage); n > 0 && c.onPage[n-1] > uint32(block) {
				c.ordered = false
			}
			c.onPage = append(c.onPage, uint32(block))
			i++
		}
	}
	c.batch, c.lines = c.batch[:0], 0
}

// addLoaded puts a version of so many bytes, aligned, on a page that is not made.
func (p *page) addLoaded(length int) {
	p.absent, p.blank = true, false
	p.lower += storage.LinePointerSize
	p.upper -= uint16(length)
}

// loadedSpace is freeSpace of a page that is not made.
func (p *page) loadedSpace() int {
	if p.lines() >= MaxHeapTuplesPerPage {
		return 0
	}
	return max(int(p.upper)-int(p.lower)-storage.LinePointerSize, 0)
}

// sortByPage turns the pages of all rows into the number of rows before each page and
// the order of rows by page.
func (l *loaded) sortByPage(onPage []uint32, pages int, ordered bool) {
	l.first = make([]uint32, pages+1)
	for _, b := range onPage {
		l.first[b+1]++
	}
	for b := range pages {
		l.first[b+1] += l.first[b]
		for len(l.near)*nearRows < int(l.first[b+1]) {
			l.near = append(l.near, uint32(b))
		}
	}
	if ordered {
		return
	}
	next := slices.Clone(l.first)
	l.order = make([]uint32, len(onPage))
	for n, b := range onPage {
		l.order[next[b]] = uint32(n)
		next[b]++
	}
}

// copyFixed is copy for versions that all have the same length: as many fit on each
// page.
func (c *copier) copyFixed(count, length int) error {
	t := c.t
	length = storage.MaxAlign(length)
	if length > MaxHeapTupleSize {
		return errors.New("row is too big")
	}
	p := newPage(0)
	n := 0
	for n == 0 || p.loadedSpace() >= length+t.reserve {
		p.addLoaded(length)
		n++
	}
	t.loaded.perPage = n
	for at := 0; at < count; {
		// What a batch needs matters only until the table grows in the largest steps.
		pages := 1
		size := min(maxBufferedTuples, count-at)
		if c.bulk.extended < maxExtendBy {
			var err error
			if size, err = c.batchSize(at, count); err != nil {
				return err
			}
			c.batch = c.batch[:0]
			for range size {
				c.batch = append(c.batch, length)
			}
		}
		used, fresh := 0, false
		for i := 0; i < size; {
			if c.bulk.extended < maxExtendBy {
				if i == 0 || !fresh {
					pages, used = t.pagesFor(len(c.batch)-i, func(n int) int { return c.batch[i+n] }), 0
				} else {
					used++
				}
			}
			p := t.pages.at(c.bulk.findPage(length, pages-used))
			fresh = p.lower == storage.PageHeaderSize
			k := min(n-p.lines(), size-i)
			p.absent, p.blank = true, false
			p.lower += uint16(k * storage.LinePointerSize)
			p.upper -= uint16(k * length)
			i += k
		}
		at += size
	}
	c.batch = c.batch[:0]
	return nil
}

// batchSize is how many rows from row at on COPY buffers.
func (c *copier) batchSize(at, count int) (int, error) {
	n, bytes := 0, 0
	for n < maxBufferedTuples && at+n < count && bytes < maxBufferedBytes {
		if !c.o.Binary {
			_, line, err := c.t.loaded.rows.Row(at + n)
			if err != nil {
				return 0, fmt.Errorf("row %d: %w", at+n+1, err)
			}
			bytes += line
		}
		n++
	}
	return n, nil
}
