package heap

import (
	"fmt"

	"applysim/heap/datum"
	"applysim/heap/fsm"
	"applysim/wal"
	"applysim/wal/storage"
)

// toastThreshold is TOAST_TUPLE_THRESHOLD: a longer row version goes through
// the toaster. Source: REL_18_1, src/include/access/heaptoast.h.
const toastThreshold = 2032

// Arena chunks, in elements. Row versions and line pointers of pages that are
// filled one after the other share slices, so that a page costs no slack. The
// first chunk of a table is small, each further one twice as large.
const (
	firstBodyChunk = 32 << 10
	lastBodyChunk  = 1 << 20
	firstItemChunk = 1 << 10
	lastItemChunk  = 1 << 13
	runsExpected   = 3 // transactions that fill a page together, more or less
)

// Options describe a table.
type Options struct {
	Name       string       // for errors: as PostgreSQL names the relation in its own
	Attrs      []datum.Attr // its columns
	Fillfactor int          // percent; 100 fills pages to the brim

	// Indexed are the columns that stand in any index that is not summarizing
	// (as keys, INCLUDE columns, in expressions or predicates): an update that
	// changes one of them cannot be HOT. Summarized are those of summarizing
	// indexes, which do not prevent HOT. Column numbers are from 0.
	Indexed, Summarized []int
	// Keys are the columns of unique indexes that a foreign key could refer to: an
	// update that leaves them alone takes a weaker lock.
	Keys []int
	// Toast says that it is a TOAST table.
	Toast bool
	// Logical says that records carry what logical decoding needs: wal_level is
	// logical.
	Logical bool
	// Identity is the table's own replica identity, which decides what a logical
	// record says of the old row.
	Identity Identity
	// Executor says that a backend's executor changes the rows, which does not lock
	// them before it updates or deletes them, as an apply worker does.
	Executor bool
}

// Identity is a table's replica identity.
type Identity struct {
	Full    bool  // the whole old row
	Columns []int // else the columns of the key, from 0; none for NOTHING or a table without key
}

// Counters count a table's work; they only grow.
type Counters struct {
	Inserts        int64 // row versions inserted
	Updates        int64 // n_tup_upd
	HOTUpdates     int64 // n_tup_hot_upd
	NewPageUpdates int64 // n_tup_newpage_upd
	Deletes        int64 // n_tup_del
	Locks          int64 // row locks taken, second ones of an update included
	PruneChecks    int64 // visits that looked whether to prune the page
	Prunes         int64 // attempts to prune a page
	PrunedLines    int64 // line pointers of the pages that were pruned
	PrunedTuples   int64 // and versions on them
	OtherPages     int64 // visits to another page than the last
	PrunedStatus   int64 // of StatusChecks, those while pruning
	StatusChecks   int64 // times that no hint bit said how a transaction had ended
	Unhinted       int64 // and that none could be set yet: the commit was not on disk
	PrunedUnhinted int64 // of Unhinted, those while pruning
	StatusFetches  int64 // of StatusChecks, those of another transaction than the last
	PrunedFetches  int64 // of StatusFetches, those while pruning
	Pruned         int64 // versions that pruning removed
	TupleBytes     int64 // lengths of versions written, headers included
	Columns        int64 // column values laid out, NULLs left out
	Toasted        int64 // rows that went through the toaster
	NewPages       int64 // pages added at the end
	FSMSearches    int64 // searches of the free space map
	UpdatePages    int64 // of NewPages, those for updates
	UpdateSearches int64 // and of FSMSearches
	Fetches        int64 // index entries followed to the heap
	ChainSteps     int64 // versions looked at on the way
	OldKeys        int64 // old rows or their keys that records carry
	OldKeyBytes    int64

	// Updates that were not HOT, by reason.
	ChangedIndexed int64 // an indexed column changed
	NoRoom         int64 // the new version did not fit on the page
	ChangedNoRoom  int64 // both
}

// Table is a table's heap.
type Table struct {
	Counters Counters

	opts       Options
	log        *wal.Log
	rel        wal.RelID
	xacts      *Transactions
	fetched    uint32 // the transaction whose end was looked up last
	pages      pageList
	target     storage.BlockNumber // where the last version went: smgr_targblock
	qual       bool                // the process knows the table's constraint as a partition
	frozenXID  uint32              // no older transaction is in the table: relfrozenxid
	class      classStats          // what else VACUUM notes of it
	generation int                 // times that all workers had to forget their targets
	reserve    int                 // bytes that the fillfactor keeps free on each page
	loaded     *loaded             // the rows that it was loaded with; nil if it was not
	fsm        fsm.Map
	vm         visibilityMap
	cleared    []*vmPage // pages of the map that the next record is about too
	clearedNew bool      // an update has cleared bits of the new version's page
	varWidth   bool      // some column has no fixed length
	toastable  bool      // some column's values could be compressed or moved out of line
	external   bool      // some value may be stored out of line
	comparable int       // so many columns, the first ones, hold all whose change matters
	toaster    Toaster
	// mayPrune are the pages of a TOAST table that have something to prune, and perhaps
	// some that have not any more.
	mayPrune   []storage.BlockNumber
	live, dead int64               // n_live_tup and n_dead_tup
	rows       *fenwick            // rows by page, if anybody asked for them
	counting   bool                // rows are counted: nothing is changed in passing
	passed     *passed             // what sequential scans have left to do, if there was one
	visited    storage.BlockNumber // the page that was visited last
	pinned     storage.BlockNumber // page of the row version that the worker holds
	ahead      storage.BlockNumber // page that its scan comes to next and has pinned already
	bulk       *Bulk               // the row that is being inserted is one of a COPY
	mvcc       bool                // versions are looked at with a backend's snapshot
	logged     Logged              // what the last record of a row change has

	// What pages that grew line by line have left to others.
	lines   outgrown[linePointer]
	headers outgrown[header]

	bodies   []byte // arena that the page being filled grows in
	shortest int    // a version's body takes at most so many bytes and its long values
	// loadArena is where rows of loaded pages are formed; nil until it is needed.
	loadArena  []byte
	loadBodies []byte              // those of the page that is being made
	items      []linePointer       // likewise
	looked     []linePointer       // of the page that look returned last; nil until it is needed
	owner      storage.BlockNumber // the page that is being filled there
	// The sizes of the newest chunks.
	bodyChunk, itemChunk int

	asked   byte // so that the compiler does not leave a look at memory out
	pruning pruning
	work    []byte // of repairFragmentation
	old     []datum.Value
	// contained is work space for a version's values.
	contained []datum.Value
	grown     []grown // columns that it got since
	modified  []bool  // columns that the last update changed, as far as it had to know
}

// NewTable returns an empty table whose records log gets as relation rel.
func NewTable(o Options, log *wal.Log, rel wal.RelID, xacts *Transactions) *Table {
	t := &Table{opts: o, log: log, rel: rel, xacts: xacts, target: storage.InvalidBlock, owner: storage.InvalidBlock, pinned: storage.InvalidBlock, ahead: storage.InvalidBlock}
	t.fsm.Changed = t.dirtyFSM
	t.frozenXID, t.class = xacts.Next, t.newClassStats()
	t.reserve = storage.PageSize * (100 - o.Fillfactor) / 100
	for _, a := range o.Attrs {
		if a.Len == -1 && a.Storage != 'p' {
			t.toastable = true
		}
		if a.Len < 0 {
			t.varWidth = true
		}
	}
	t.shortest = shortestBody(o.Attrs)
	t.old = make([]datum.Value, len(o.Attrs))
	t.contained = make([]datum.Value, len(o.Attrs))
	t.modified = make([]bool, len(o.Attrs))
	for _, list := range [][]int{o.Indexed, o.Summarized, o.Identity.Columns} {
		for _, i := range list {
			t.comparable = max(t.comparable, i+1)
		}
	}
	return t
}

// shortestBody is a limit of what a version's body takes beside the bytes of its values that
// are not passed by value: NULL bitmap, padding, headers, and values that are.
func shortestBody(attrs []datum.Attr) int {
	const mostPadding, varlenaHeader = 7, 4
	n := mostPadding + (len(attrs)+7)/8
	for _, a := range attrs {
		n += mostPadding + max(varlenaHeader, int(a.Len))
	}
	return n
}

// Toaster compresses the values of rows that are too long and stores them in the
// TOAST table.
type Toaster interface {
	// Toast returns the values to store for a new row version. old is the version
	// that it replaces, nil for none; values of it that are stored elsewhere and
	// not used any more are deleted.
	Toast(values, old []datum.Value) ([]datum.Value, error)
	// Delete deletes what a row version that ends has stored elsewhere.
	Delete(old []datum.Value)
	// Fetch returns an external value as it is stored in the TOAST table: plain or
	// compressed.
	Fetch(v *datum.Value) datum.Value
}

// SetToaster gives the table its toaster.
func (t *Table) SetToaster(o Toaster) { t.toaster = o }

// Insert adds a row and writes its record, as heap_insert does. values has a
// value for each column. cid is the inserting command of the current
// transaction.
func (t *Table) Insert(values []datum.Value, cid uint32) (storage.TID, error) {
	return t.insert(values, cid, false)
}

// InsertMoved is Insert for a row with values that another table has stored out of
// line: the toaster fetches them.
func (t *Table) InsertMoved(values []datum.Value, cid uint32) (storage.TID, error) {
	return t.insert(values, cid, true)
}

func (t *Table) insert(values []datum.Value, cid uint32, toast bool) (storage.TID, error) {
	values = values[:len(t.opts.Attrs)] // what is behind them may be another table's
	v, err := t.prepare(values, false)
	if err == nil && (toast || t.needsToast(v)) {
		if values, err = t.toast(v, values, nil); err == nil {
			v, err = t.prepare(values, true)
		}
	}
	if err == nil {
		err = t.tooBig(v)
	}
	if err != nil {
		return storage.TID{}, err
	}
	var block storage.BlockNumber
	if t.bulk != nil {
		block = t.bulk.findPage(storage.MaxAlign(v.length), 1)
	} else {
		block = t.findPage(v.length)
	}
	p := t.page(block)
	cleared := t.clearVisible(p)
	if p.bodies == nil {
		t.giveUp()
	}
	off := t.place(p, block, v)
	p.note(off, t.xacts.Current, cid)

	typ := wal.HeapInsert
	if off == 1 && len(p.items) == 1 {
		typ = wal.HeapInsertInit
	}
	if d := t.log.Detail(); d != nil {
		t.nameData(d, v, 0, 0)
		t.describeInsert(d, off, cleared)
	}
	t.logged = Logged{Row: v.length}
	t.write(typ, p, wal.SizeOfHeapHeader+v.size(), 0)
	t.Counters.Inserts++
	t.live++
	t.Counters.TupleBytes += int64(v.length)
	t.countRow(block, 1)
	return storage.TID{Block: block, Offset: off}, nil
}

// formed is a row version at the end of the arena that has no page yet.
type formed struct {
	start  int // where its body begins in the arena
	length int // with header, bytes
	nulls  bool
}

// size is the version's length without the header, as records carry it.
func (v formed) size() int { return v.length - TupleHeaderSize }

// bodySize is how many bytes of the arena the version takes.
func (v formed) bodySize() int { return bodySize(v.length, v.nulls) }

// prepare forms a row version at the end of the arena.
func (t *Table) prepare(values []datum.Value, toasted bool) (formed, error) {
	n := long(values[:len(t.opts.Attrs)])
	if n > storage.PageSize && t.toastable && !toasted {
		// Whatever its length is exactly, it goes through the toaster.
		return formed{start: len(t.bodies), length: n}, nil
	}
	if cap(t.bodies)-len(t.bodies) < min(n+t.shortest, storage.PageSize) {
		t.renewBodies()
	}
	v := formed{start: len(t.bodies)}
	rows := t.bodies
	v.nulls = t.form(values)
	v.length = lengthOf(len(t.bodies)-v.start, v.nulls)
	if cap(t.bodies) != cap(rows) {
		// More than a page: it will be taken back.
		t.bodies = rows
	}
	return v, nil
}

// long is at most the length of a row's data, in bytes: that of its values that are
// not passed by value.
func long(values []datum.Value) int {
	n := 0
	for i := range values {
		n += len(values[i].Bytes)
	}
	return n
}

// needsToast says whether a version must go through the toaster because of its
// length.
func (t *Table) needsToast(v formed) bool { return v.length > toastThreshold && t.toastable }

// toast takes a version that was formed back and returns the values to form it
// of.
func (t *Table) toast(v formed, values, old []datum.Value) ([]datum.Value, error) {
	t.bodies = t.bodies[:v.start]
	t.Counters.Toasted++
	t.external = true
	return t.toaster.Toast(values, old)
}

// tooBig checks a version's length and takes it back if no page can hold it.
func (t *Table) tooBig(v formed) error {
	n := storage.MaxAlign(v.length)
	if n <= MaxHeapTupleSize {
		return nil
	}
	t.bodies = t.bodies[:v.start]
	return fmt.Errorf("row is too big: size %d, maximum size %d", n, MaxHeapTupleSize)
}

// form appends a row version's body to the arena, see bodySize.
func (t *Table) form(values []datum.Value) (hasNulls bool) {
	attrs := t.opts.Attrs
	start := len(t.bodies)
	nulls := 0
	for i := range attrs {
		if values[i].Null {
			nulls++
		}
	}
	b := t.bodies
	for range dataStart(len(attrs), nulls > 0) {
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
	return nulls > 0
}

// place puts a version that was just formed on page p. If p is the page that the
// arena's end belongs to, or a new one, the bytes stay where they are; else they
// are copied.
func (t *Table) place(p *page, block storage.BlockNumber, v formed) storage.OffsetNumber {
	if len(p.items) == 0 && p.bodies == nil {
		// A new page takes over the arena's end, if it has room for it and a version like
		// this more, which goes elsewhere.
		t.disown()
		if cap(t.bodies)-v.start < storage.PageSize+2*v.length {
			formed := t.bodies[v.start:]
			t.bodies = t.bodies[:v.start]
			t.renewBodies()
			t.bodies = append(t.bodies, formed...)
			v.start = 0
		}
		p.blank = false
		if cap(t.items)-len(t.items) < MaxHeapTuplesPerPage {
			t.itemChunk = min(max(2*t.itemChunk, firstItemChunk), lastItemChunk)
			t.items = storage.Give[linePointer](t.log.Memory(), t.itemChunk)
		}
		p.bodies = t.bodies[v.start:v.start:cap(t.bodies)]
		p.items = t.items[len(t.items):len(t.items):cap(t.items)]
		p.runs = storage.Give[version](t.log.Memory(), runsExpected)
		t.owner = block
	}
	body := len(p.bodies)
	if t.owner != block {
		if hole, ok := p.hole(v.bodySize()); ok {
			body = hole
			copy(p.bodies[body:], t.bodies[v.start:])
		} else {
			if cap(p.bodies)-body < v.bodySize() {
				// For as many such versions as the page has room for.
				each := storage.MaxAlign(v.length) + storage.LinePointerSize
				more := v.bodySize() * max((int(p.upper)-int(p.lower))/each, 1)
				p.bodies = append(make([]byte, 0, body+more), p.bodies...)
			}
			p.bodies = append(p.bodies, t.bodies[v.start:]...)
		}
		t.bodies = t.bodies[:v.start]
		return t.add(p, v.length, body, v.nulls)
	}
	p.bodies = p.bodies[:body+v.bodySize()]
	n := len(p.items)
	off := t.add(p, v.length, body, v.nulls)
	t.items = t.items[:len(t.items)+len(p.items)-n]
	return off
}

// disown ends the filling of the page that the arena's end belongs to.
func (t *Table) disown() {
	if t.owner == storage.InvalidBlock {
		return
	}
	p := t.page(t.owner)
	p.bodies = p.bodies[:len(p.bodies):len(p.bodies)]
	p.items = p.items[:len(p.items):len(p.items)]
	t.owner = storage.InvalidBlock
}

// giveUp takes from the page that was filled its line pointers if they are all alike, as
// they are where rows of one length were only inserted: they can be made anew. Nobody may
// hold the page.
func (t *Table) giveUp() {
	if t.owner == storage.InvalidBlock {
		return
	}
	p := t.page(t.owner)
	n := len(p.items)
	if n == 0 || p.headers != nil || p.gone != nil || p.summary != nil || !p.alike() {
		return
	}
	p.absent, p.even = true, p.items[0].len
	p.bodies = p.bodies[:len(p.bodies):len(p.bodies)]
	p.items = nil
	// The next page takes them.
	t.items = t.items[:len(t.items)-n]
	t.owner = storage.InvalidBlock
}

// alike says whether all line pointers are of versions of one length, whose bodies lie one
// after the other.
func (p *page) alike() bool {
	first := p.items[0]
	if first.flags() != lpNormal {
		return false
	}
	body := 0
	for _, lp := range p.items {
		if lp.len != first.len || int(lp.body) != body {
			return false
		}
		body += first.size()
	}
	return true
}

// lines is how many line pointers pd_lower says that there are.
func (p *page) lines() int {
	return (int(p.lower) - storage.PageHeaderSize) / storage.LinePointerSize
}

// takeBack makes the line pointers of a page that gave them up, in memory with room for
// them.
func (p *page) takeBack(items []linePointer) {
	lp := linePointer{len: p.even}
	p.absent, p.even = false, 0
	size := uint16(lp.size())
	for range p.lines() {
		items = append(items, lp)
		lp.body += size
	}
	p.items = items
}

// renewBodies starts a new arena chunk. The page that was being filled moves
// along, so that it goes on in one piece.
func (t *Table) renewBodies() {
	t.bodyChunk = min(max(2*t.bodyChunk, firstBodyChunk), lastBodyChunk)
	memory := t.log.Memory()
	size := t.bodyChunk
	if rest := memory.Rest(); rest < size && rest >= firstBodyChunk {
		size = rest
	}
	chunk := storage.Give[byte](memory, size)
	if t.owner != storage.InvalidBlock {
		p := t.page(t.owner)
		chunk = append(chunk, p.bodies...)
		p.bodies = chunk[:len(chunk):cap(chunk)]
	}
	storage.Return(memory, t.bodies)
	t.bodies = chunk
}
