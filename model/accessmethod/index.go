package accessmethod

import (
	"applysim/heap/datum"
	"applysim/model/pgtype"
	"applysim/wal"
	"applysim/wal/storage"
)

// Index is an index of an access method whose pages are modelled as far as sizes go.
type Index interface {
	// Insert adds the entries of a row version. Values are decompressed.
	Insert(values []datum.Value, tid storage.TID)
	// BulkDelete and VacuumCleanup are what VACUUM does to the index.
	BulkDelete(dead func(storage.TID) bool, workMem uint64)
	VacuumCleanup()
	// Pages is the index's size.
	Pages() int
	// Build adds n rows as CREATE INDEX does: nothing of it is logged.
	Build(n int, rows func(add func(values []datum.Value, tid storage.TID)))
	// Truncate empties the index.
	Truncate()
	// Work is what was done so far, by the names of cost's terms.
	Work() *Work
}

// Column is a column of an index.
type Column struct {
	Type    *pgtype.Type
	OpClass string // by its name, without the schema; "" stands for the type's default one
	// Known says that the values are those that a real index would have: an expression
	// that cannot be computed gives some other value.
	Known bool
}

// Options set up an Index.
type Options struct {
	Method     string // gin, gist, hash, spgist, or one of an extension
	Columns    []Column
	Fillfactor int
	// EmptyRows is how many rows a server takes the empty table to have, by the width of
	// its rows.
	EmptyRows int
	Log       *wal.Log
	Rel       wal.RelID
	WorkMem   uint64 // work_mem, bytes
	// FastUpdate and PendingListLimit are those of a GIN index, in bytes.
	FastUpdate       bool
	PendingListLimit uint64
}

// New returns an empty index.
func New(o Options) Index {
	switch o.Method {
	case "gin":
		return newGIN(o)
	case "hash":
		return newHash(o)
	case "gist":
		return newGiST(o)
	case "spgist":
		return newSPGiST(o)
	case "brin":
		return &summary{}
	}
	return newGeneric(o)
}

// Work counts what inserting and cleaning take, for the CPU.
type Work struct {
	Rows       int64 // row versions inserted
	Keys       int64 // keys that they have: of a GIN index, of others as many as columns
	KeyBytes   int64 // of their values
	Parsed     int64 // bytes of the values that keys are taken from
	Pending    int64 // keys put into the pending list
	Moved      int64 // keys taken from it
	Entries    int64 // changes of the entry tree or of a posting tree
	Compares   int64 // keys compared on the way down
	Recoded    int64 // TIDs of posting lists decoded and encoded again
	Placed     int64 // bytes of entries put on pages
	Penalty    int64 // entries of upper pages whose penalty was computed
	Splits     int64 // pages split
	SplitItems int64 // entries on them
	Removed    int64 // entries that VACUUM took away
}

// Sizes of the on-disk format. Sources: REL_18_1, src/include/storage/bufpage.h
// (PageHeaderData, ItemIdData), src/include/access/itup.h (IndexTupleData), xlogrecord.h.
const (
	pageHeader   = 24
	linePointer  = 4
	tupleHeader  = 8
	recordHead   = 24 // XLogRecord
	firstBlock   = 20 // a block reference with the relation's locator
	anotherBlock = 8
	mainHead     = 2 // the header of main data of up to 255 bytes
	imageHead    = 5 // XLogRecordBlockImageHeader
)

func maxAlign(n int) int   { return (n + 7) &^ 7 }
func shortAlign(n int) int { return (n + 1) &^ 1 }

// logger writes an index's records.
type logger struct {
	log   *wal.Log
	rel   wal.RelID
	quiet bool // nothing is logged: the index is being built
	tail  int  // bytes of the special space that images of its pages have
}

// page is what is known of a page: how much is on it, and when it was last changed.
type page struct {
	used int // bytes of items and their line pointers
	lsn  wal.LSN
}

// room is a page's space without its header and a special space of so many bytes.
func room(special int) int { return storage.PageSize - pageHeader - special }

// write logs a record of length bytes, of which data go with the first page and are left
// out where it is logged as an image. Each of the pages gets one after a checkpoint.
func (l *logger) write(t wal.RecordType, length, data int, pages ...*page) {
	if l.quiet {
		return
	}
	images := 0
	for i, p := range pages {
		if l.log.NeedsImage(p.lsn) {
			image := pageHeader + l.tail + p.used
			images += image
			length += image + imageHead
			if i == 0 {
				length -= data
			}
		}
	}
	end := l.log.Estimate(t, l.rel, length, images)
	for _, p := range pages {
		p.lsn = end
	}
}

// force logs a record that carries images of the pages in any case.
func (l *logger) force(t wal.RecordType, length int, pages ...*page) {
	if l.quiet {
		return
	}
	images := 0
	for _, p := range pages {
		images += pageHeader + l.tail + p.used
		length += imageHead
	}
	end := l.log.Estimate(t, l.rel, length+images, images)
	for _, p := range pages {
		p.lsn = end
	}
}

// datumSize is what a value takes in an index tuple, before alignment: short values of
// varying length have a header of one byte.
func datumSize(v *datum.Value, length int16) int {
	if length > 0 {
		return int(length)
	}
	return varlenaSize(len(v.Bytes))
}

func varlenaSize(n int) int {
	if n <= 126 {
		return n + 1
	}
	return n + 4
}
