package apply

import (
	"hash/maphash"

	"applysim/heap/datum"
	"applysim/wal/storage"
)

// A sequential lookup stops at the first row that equals the one looked for.
// What it passes on the way can be counted without going there: a hash of the
// row's columns leads to the rows that may be equal, and the table keeps count
// of its rows by page.

// syncReportInterval is SYNC_SCAN_REPORT_INTERVAL: a synchronized scan reports
// its position each time it comes to a multiple of so many pages. Source:
// REL_18_1, src/backend/access/common/syncscan.c.
const syncReportInterval = 16

// finder finds rows by all their columns.
type finder struct {
	rows  map[uint64]tidSet // by hash; nil if there was no lookup yet, or none since an abort
	rel   *relation         // whose columns are compared
	attrs []datum.Attr
	seed  maphash.Seed
	hash  maphash.Hash
	at    storage.BlockNumber // where the last synchronized scan reported to be
}

// reset forgets everything about the table's rows.
func (f *finder) reset() { f.rows = nil }

// key hashes the columns of a row that equal rows must have in common: those
// whose equal values have equal bytes.
func (f *finder) key(values []datum.Value) uint64 {
	r := f.rel
	h := &f.hash
	h.SetSeed(f.seed)
	for i := range r.columns {
		c := &r.columns[i]
		s := &r.local.schema.Columns[i]
		if s.Dropped || s.Generated != 0 || c.class != nil && !c.class.EqualImage {
			continue
		}
		v := &values[i]
		if v.Null {
			h.WriteByte(0)
			continue
		}
		h.WriteByte(1)
		maphash.WriteComparable(h, f.attrs[i].Word(v))
		switch p := *v; {
		case v.Form == datum.External:
			if p = r.local.stores().peek(v); p.Form == datum.Compressed {
				p = datum.Decompress(&p)
			}
			h.Write(p.Bytes)
		case v.Form == datum.Compressed:
			h.Write(datum.Decompress(v).Bytes)
		default:
			h.Write(v.Bytes)
		}
	}
	return h.Sum64()
}

// added notes a new row version.
func (f *finder) added(values []datum.Value, tid storage.TID) {
	if f.rows == nil {
		return
	}
	k := f.key(values)
	s := f.rows[k]
	s.add(tid)
	f.rows[k] = s
}

// gone notes that a row version is about to end.
func (f *finder) gone(w *Worker, tid storage.TID) {
	if f.rows == nil {
		return
	}
	f.rel.local.heap.Values(w.row, tid)
	k := f.key(w.row)
	s := f.rows[k]
	if s.remove(tid) {
		delete(f.rows, k)
		return
	}
	f.rows[k] = s
}

// build scans the table once and notes all its rows.
func (f *finder) build(w *Worker, r *relation) {
	f.rows, f.rel = map[uint64]tidSet{}, r
	f.attrs, f.seed = r.local.schema.Attrs(), maphash.MakeSeed()
	h := r.local.heap
	h.CountRows()
	h.Look(func(tid storage.TID) bool {
		h.Values(w.row, tid)
		f.added(w.row, tid)
		return true
	})
}

// findSequentially finds and locks a row as a scan of the table does
// (RelationFindReplTupleSeq). The scan is begun and begun again, which counts
// twice. In a table of more than a quarter of shared_buffers it begins where the
// last one has reported to be.
func (w *Worker) findSequentially(r *relation) (storage.TID, bool) {
	t := r.local
	f := &t.finder
	t.seqScans += 2
	w.lockRelation(t)
	if f.rows == nil {
		f.build(w, r)
	}
	pages := t.heap.Pages()
	sync := !w.opts.Settings.NoSynchronizedScans && uint64(pages) > w.opts.Settings.SharedBuffers/storage.PageSize/4
	start := storage.BlockNumber(0)
	if sync && int(f.at) < pages {
		start = f.at
	}
	if t.toaster != nil && t.toaster.heap.VisitsPrune() {
		return w.scan(r, start, sync)
	}
	found, ok := f.first(w, r, start)
	if ok {
		n := t.heap.RowsBefore(found) - t.heap.RowsBefore(storage.TID{Block: start})
		if found.Block < start {
			n += t.heap.Rows()
		}
		n++
		t.seqReads += n
		t.counters.PassedDead += t.heap.DeadBefore(found)
		w.passed(r, start, n, int64(found.Block)-int64(start)+1, &found)
	} else {
		t.seqReads += t.heap.Rows()
		w.passed(r, start, t.heap.Rows(), int64(pages), nil)
	}
	t.heap.Pass(start, found, ok)
	w.foundSequentially(t, start, found, ok, sync)
	return found, ok
}

// foundSequentially ends a sequential lookup.
func (w *Worker) foundSequentially(t *table, start storage.BlockNumber, found storage.TID, ok, sync bool) {
	if sync {
		t.finder.report(start, found, ok, t.heap.Pages())
	}
	if ok {
		w.needLookupXID()
		w.touched.rows = true
		t.heap.Pin(found.Block)
		t.heap.Lock(found)
	}
}

// scan finds a row by going to all rows before it: their long values are fetched where
// they are compared, and that prunes pages of the TOAST table.
func (w *Worker) scan(r *relation, start storage.BlockNumber, sync bool) (found storage.TID, ok bool) {
	t := r.local
	rows := int64(0)
	t.heap.ScanFrom(start, func(tid storage.TID) bool {
		rows++
		t.heap.Values(w.row, tid)
		if w.equal(r, t.compared, 1) {
			found, ok = tid, true
		}
		return !ok
	})
	t.seqReads += rows
	c := &t.counters
	c.Passed += rows
	c.Compared += rows
	pages := int64(t.heap.Pages())
	if ok {
		c.PassedDead += t.heap.DeadBefore(found)
		if pages += int64(found.Block) - int64(start) + 1; found.Block >= start {
			pages -= int64(t.heap.Pages())
		}
	}
	c.PassedPages += pages
	w.foundSequentially(t, start, found, ok, sync)
	return found, ok
}

// first returns the first row from page start on that equals w.values.
func (f *finder) first(w *Worker, r *relation, start storage.BlockNumber) (found storage.TID, ok bool) {
	s := f.rows[f.key(w.values)]
	s.from(start, func(tid storage.TID) bool {
		r.local.heap.Values(w.row, tid)
		if ok = w.equal(r, r.local.compared, 0); ok {
			found = tid
		}
		return !ok
	})
	return found, ok
}

// report notes where a synchronized scan has reported to be: at the last
// multiple of the interval that it came to after its first page.
func (f *finder) report(start storage.BlockNumber, found storage.TID, ok bool, pages int) {
	last := int(start) + pages // a scan that finds nothing comes round to its start
	if ok {
		last = int(found.Block)
		if last < int(start) {
			last += pages
		}
		last++ // the page after it is fetched in advance
	}
	for b := last; b > int(start); b-- {
		if at := b % pages; at%syncReportInterval == 0 {
			f.at = storage.BlockNumber(at)
			return
		}
	}
}

// passedSample is how many of the rows that a lookup passes are looked at to find
// out which columns it compares.
const passedSample = 64

// passed counts what a lookup from page start on saw on its way: rows and pages. A
// lookup compares a row's columns in their order until one differs; how many that
// are is taken from the first rows; the row that was found is compared whole. Versions that nobody sees are taken to be spread
// evenly over the table.
func (w *Worker) passed(r *relation, start storage.BlockNumber, rows, pages int64, found *storage.TID) {
	t := r.local
	c := &t.counters
	if pages <= 0 {
		pages += int64(t.heap.Pages())
	}
	c.Passed += rows
	c.PassedPages += pages
	if pages > 1 { // those of the last page are known
		c.PassedDead += rows * t.heap.Dead() / max(t.heap.Live(), 1)
	}
	c.Compared += rows
	if found != nil {
		t.heap.Values(w.row, *found)
		w.equal(r, t.compared, 1)
		rows--
	}
	n := min(passedSample, rows)
	if n <= 0 {
		return
	}
	each, more := rows/n, rows%n
	t.heap.LookFrom(start, func(tid storage.TID) bool {
		if n--; n < more {
			more, each = -1, each+1
		}
		t.heap.Values(w.row, tid)
		w.equal(r, t.compared, each)
		return n > 0
	})
}
