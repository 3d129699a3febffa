package apply

// How a backend's statements come to the rows that they change.

import (
	"slices"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/index"
	"applysim/model/schema"
	"applysim/wal/storage"
)

// ScanMethod is how a statement finds its rows.
type ScanMethod byte

// The methods.
const (
	NoScan     ScanMethod = iota // an INSERT
	SeqScan                      // a sequential scan of the table
	IndexScan                    // an index scan: rows in the order of the index
	BitmapScan                   // a bitmap scan: the pages to which index entries lead, in their order
)

func (m ScanMethod) String() string {
	return [...]string{"no scan", "sequential scan", "index scan", "bitmap scan"}[m]
}

// Statement is what is known of a statement beside the rows that it changes.
type Statement struct {
	Table  *schema.Table
	Method ScanMethod
	Index  *schema.Index // of an index scan or a bitmap scan
	// Equal is how many leading columns of the index the condition gives one value;
	// which, the first row that the statement changes says.
	Equal int
	// Match is the condition's part that the index checks, for the values of its key
	// columns; nil if Equal says it all.
	Match func(keys []datum.Value) bool
	// Values are what the condition gives Columns, if no row tells it.
	Values  []datum.Value
	Columns []int
	// Set are the columns that an UPDATE's SET list names; nil if it is not known: those
	// whose values change.
	Set []int
	// Computes are the columns whose old values the expressions of the SET list compute
	// with, one for each time: what is out of line is read.
	Computes []int
	// Given are the columns that an INSERT gives values to, nil if that is not known;
	// of Perhaps some rows have the default.
	Given, Perhaps []int
	// Conflict says that an INSERT has an ON CONFLICT clause: rows are looked for by
	// Arbiters, or by all unique indexes if there are none.
	Conflict bool
	Arbiters []*schema.Index
	// Read says that it is a SELECT, which changes no rows.
	Read bool
	// Copy says that it is a COPY into Table; nil if not.
	Copy *CopyStatement
}

// backendScan is the scan of a statement under way.
type backendScan struct {
	s     *Statement
	table *table
	done  bool
	// server is its major version.
	server int

	next, pages storage.BlockNumber // sequential: the page to be read next, and how many are read

	entries *index.Reader       // index scan
	stay    storage.BlockNumber // the page that it is on

	tids []storage.TID // bitmap scan: what is left, in physical order
}

// Begin begins a statement within a transaction and ends the one before it.
func (b *Backend) BeginStatement(s *Statement) error {
	if err := b.EndStatement(); err != nil {
		return err
	}
	b.statement = s
	b.lockStatement(s)
	if s.Copy != nil {
		b.beginCopy(s)
	}
	return nil
}

// ContinueStatement goes on with the statement's scan of another partition.
func (b *Backend) ContinueStatement(s *Statement) {
	b.endScan()
	b.statement = s
	b.lockStatement(s)
}

// EndStatement ends the current statement, if there is one: its scan goes on to its end,
// then triggers check foreign keys.
func (b *Backend) EndStatement() error {
	if b.statement == nil {
		return nil
	}
	if c := b.copying; c != nil {
		b.copying = nil
		if err := c.end(); err != nil {
			return err
		}
	}
	b.endScan()
	b.w.command++
	return b.checkKeys()
}

// endScan ends the statement's scan: it goes on to its end.
func (b *Backend) endScan() {
	s := b.statement
	if s == nil {
		return
	}
	if b.scan == nil && s.Method != NoScan && (s.Method == SeqScan || s.Equal == 0 || s.Values != nil) {
		b.startScan(b.w.bySchema[s.Table], nil) // it has changed nothing, but it has looked
	}
	if b.scan != nil {
		b.scan.finish()
		b.scan.end()
		b.scan.table.heap.Pin(storage.InvalidBlock)
	}
	b.statement, b.scan = nil, nil
}

// reach moves the statement's scan to a row that it changes.
func (b *Backend) reach(t *table, tid storage.TID) {
	s := b.statement
	if s == nil || s.Method == NoScan || s.Table != t.schema {
		t.heap.Pin(storage.InvalidBlock)
		return
	}
	if b.scan == nil {
		b.startScan(t, &tid)
	}
	if !b.scan.to(tid) {
		b.Doubts[t.schema.QualifiedName()]++
	}
}

// LockRow locks a row to which the statement's scan comes, for SELECT ... FOR.
func (b *Backend) LockRow(s *schema.Table, tid storage.TID, mode heap.RowLock) {
	t := b.w.bySchema[s]
	b.reach(t, tid)
	b.w.needXID()
	b.noteRowLock()
	t.heap.LockRow(tid, mode)
}

// AssignXID gives the transaction an id, as a change does that leaves no record.
func (b *Backend) AssignXID() { b.w.needXID() }

// FinishScan lets the statement's scan come to its end: its rows are sorted.
func (b *Backend) FinishScan() {
	s := b.statement
	b.endScan()
	b.statement = s
}

// StopScan ends the statement's scan where it is.
func (b *Backend) StopScan() {
	if b.scan != nil {
		b.scan.end()
		b.scan.table.heap.Pin(storage.InvalidBlock)
		b.scan = nil
		b.statement.Method = NoScan
	}
}

// startScan starts the statement's scan. first is a row that it is going to find.
func (b *Backend) startScan(t *table, first *storage.TID) {
	s := b.statement
	if first != nil && s.Equal > 0 && s.Values == nil {
		for _, k := range s.Index.Keys[:s.Equal] {
			s.Columns = append(s.Columns, k.Column)
		}
		s.Values, _ = given(b.row(t, *first), s.Columns)
	}
	b.scan = b.open(s, t)
}

// open starts a scan.
func (b *Backend) open(s *Statement, t *table) *backendScan {
	c := &backendScan{s: s, table: t, stay: storage.InvalidBlock, server: b.w.opts.Settings.ServerMajor}
	if s.Method == SeqScan {
		t.seqScans++
		c.pages = storage.BlockNumber(t.heap.Pages())
		return c
	}
	i := slices.IndexFunc(t.indexes, func(x *localIndex) bool { return x.schema == s.Index })
	if i < 0 || t.indexes[i].btree == nil {
		c.done = true
		return c
	}
	x := t.indexes[i]
	t.idxScans++
	var want []datum.Value
	if s.Values != nil {
		want = ordered(x, s.Columns, s.Values)
		for i := range want {
			if want[i].Form != datum.Plain {
				want[i] = t.plain(&want[i])
			}
		}
	}
	c.entries = x.btree.Read(want, s.Match)
	if s.Method == BitmapScan {
		for {
			tid, ok := c.entries.Next()
			if !ok {
				break
			}
			c.tids = append(c.tids, tid)
		}
		c.entries = nil
		sortTIDs(c.tids)
	}
	return c
}

// ScanOrder is the order in which a scan by an index comes to the rows that the session
// sees: that of the index, for a bitmap scan that of the places to which its entries lead,
// where the chains of versions begin. It is nil for a sequential scan, which takes versions
// in physical order. It leaves no trace.
func (b *Backend) ScanOrder(s *Statement) []storage.TID {
	if s.Method != IndexScan && s.Method != BitmapScan {
		return nil
	}
	t := b.w.bySchema[s.Table]
	i := slices.IndexFunc(t.indexes, func(x *localIndex) bool { return x.schema == s.Index })
	if i < 0 || t.indexes[i].btree == nil {
		return nil
	}
	roots := []storage.TID{}
	entries := t.indexes[i].btree.Read(nil, nil)
	for tid, ok := entries.Next(); ok; tid, ok = entries.Next() {
		roots = append(roots, tid)
	}
	if s.Method == BitmapScan {
		sortTIDs(roots)
	}
	tids := roots[:0]
	for _, root := range roots {
		if tid, ok := t.heap.Peek(root); ok {
			tids = append(tids, tid)
		}
	}
	return tids
}

// sortTIDs sorts in physical order.
func sortTIDs(tids []storage.TID) {
	slices.SortFunc(tids, func(a, b storage.TID) int {
		if a.Less(b) {
			return -1
		}
		return 1
	})
}

// block is the page that the scan has come to.
func (c *backendScan) block() storage.BlockNumber {
	if c.s.Method == SeqScan && c.next > 0 {
		return c.next - 1
	}
	return 0
}

// to goes on until a row is found. It returns false if the scan does not come to it.
func (c *backendScan) to(tid storage.TID) bool {
	switch {
	case c.s.Method == SeqScan:
		if tid.Block >= c.pages {
			return false
		}
		for c.next <= tid.Block {
			c.readPage()
		}
		return tid.Block == c.next-1
	case c.s.Method == BitmapScan:
		for len(c.tids) > 0 && c.tids[0].Block <= tid.Block {
			c.stay = c.tids[0].Block
			c.readEntries()
		}
		return c.stay == tid.Block
	}
	for !c.done {
		if found, ok := c.fetch(); ok && found == tid {
			return true
		}
	}
	return false
}

// Since these versions scans read by streams, which pin a page ahead: sequential ones, and
// those of bitmaps.
const (
	versionStream       = 17
	versionBitmapStream = 18
)

// readPage reads the next page of a sequential scan.
func (c *backendScan) readPage() {
	ahead := storage.InvalidBlock
	if c.next+1 < c.pages && c.server >= versionStream {
		ahead = c.next + 1
	}
	c.table.heap.ReadPage(c.next, ahead)
	c.next++
}

// readEntries reads the next page of a bitmap scan.
func (c *backendScan) readEntries() {
	block, n := c.tids[0].Block, 0
	for n < len(c.tids) && c.tids[n].Block == block {
		n++
	}
	ahead := storage.InvalidBlock
	if n < len(c.tids) && c.server >= versionBitmapStream {
		ahead = c.tids[n].Block
	}
	c.table.heap.ReadEntries(block, ahead, c.tids[:n])
	c.tids = c.tids[n:]
}

// fetch follows the next entry of an index scan to the heap.
func (c *backendScan) fetch() (storage.TID, bool) {
	if c.entries == nil {
		c.done = true
		return storage.TID{}, false
	}
	tid, ok := c.entries.Next()
	if !ok {
		c.done = true
		return storage.TID{}, false
	}
	found, live, dead := c.table.heap.FetchVisible(c.stay, tid)
	c.stay = tid.Block
	if live {
		c.table.idxReads++
	} else if dead {
		c.entries.Dead()
	}
	return found, live
}

// finish goes on to the end of the scan.
func (c *backendScan) finish() {
	switch c.s.Method {
	case SeqScan:
		for c.next < c.pages {
			c.readPage()
		}
	case BitmapScan:
		for len(c.tids) > 0 {
			c.readEntries()
		}
	default:
		for !c.done {
			c.fetch()
		}
	}
}

// end ends the scan where it is.
func (c *backendScan) end() {
	if c.entries != nil {
		c.entries.End()
	}
}
