package wal

// What a record consists of, piece by piece, for those who explain it. Nobody else
// pays for it: a Log without details asks one pointer.

import (
	"fmt"

	"applysim/wal/storage"
)

// Part is a piece of a record, in bytes.
type Part struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// BlockRef is a reference of a record to a block of its relation.
type BlockRef struct {
	ID    int // its number in the record
	Fork  uint8
	Block storage.BlockNumber
	Role  string // what the block is to the record: "heap page", "right page"
	Init  bool   // replay makes the page anew: no image is needed
	Image Image
	Data  []Part // what the record carries for the block
}

// Detail is what a record consists of. Who writes a record says what it carries, and
// the Log adds the headers.
type Detail struct {
	Blocks []BlockRef // by number
	// Parts are all pieces in the order in which they lie in the record; they add up to
	// its length.
	Parts []Part
	// Text is what pg_waldump shows of the record's contents, after its type; what is not
	// known of them is left out, and all of it unless Described.
	Text      string
	Described bool

	local      bool   // another process than the worker writes it
	origin     bool   // it has a replication origin, which its type need not have
	data, main []Part // of the first block and of the record, beyond what the type always has
}

// Details makes the Log say of each record what it consists of, in Record.Detail.
func (l *Log) Details(on bool) {
	l.detail = nil
	if on {
		l.detail = &Detail{}
	}
}

// Detail is what the next record's writer fills; nil if nobody wants to know.
func (l *Log) Detail() *Detail { return l.detail }

// Data names a piece of what the record carries for its first block.
func (d *Detail) Data(name string, bytes int) { d.data = appendPart(d.data, name, bytes) }

// Main names a piece of main data beyond what the record's type always has.
func (d *Detail) Main(name string, bytes int) { d.main = appendPart(d.main, name, bytes) }

// MainWithOrigin is Main for a record of a type that has no replication origin otherwise:
// that of this one is among the bytes.
func (d *Detail) MainWithOrigin(name string, bytes int) {
	d.origin = true
	d.Main(name, bytes-replicationOrigin)
}

// Describe says what the record contains.
func (d *Detail) Describe(format string, args ...any) {
	d.Text, d.Described = fmt.Sprintf(format, args...), true
}

func appendPart(parts []Part, name string, bytes int) []Part {
	if bytes == 0 {
		return parts
	}
	return append(parts, Part{name, bytes})
}

// First names the record's first block. Its data is left out if dropped: the image has
// it.
func (d *Detail) First(b BlockRef, dropped bool) {
	if !dropped {
		b.Data = d.data
	}
	d.Blocks = append([]BlockRef{b}, d.Blocks...)
	d.data = nil
}

// Other names a further block.
func (d *Detail) Other(b BlockRef, data ...Part) {
	for _, p := range data {
		b.Data = appendPart(b.Data, p.Name, p.Bytes)
	}
	d.Blocks = append(d.Blocks, b)
}

// finish puts the pieces of a record of the given length together and makes room for the
// next one. What nobody has named is there as such.
func (l *Log) finish(t RecordType, length, topXID int) *Detail {
	d := l.detail
	l.detail = &Detail{}
	k := &catalogue[t]
	if t == XLOGFPI || t == XLOGFPIForHint {
		d.Described = true // there is nothing but the image
	}
	add := func(name string, bytes int) { d.Parts = appendPart(d.Parts, name, bytes) }
	add("record header: length, transaction id, link to the record before, type, checksum", recordHeader)
	for i := range d.Blocks {
		b := &d.Blocks[i]
		add(blockPart(b.ID, "reference: number, fork, flags, length of its data"), blockHeader)
		add(blockPart(b.ID, "header of the page image"), b.Image.Header)
		if i == 0 {
			add(blockPart(b.ID, "relation: tablespace, database, file"), relFileLocator)
		}
		add(blockPart(b.ID, "block number"), blockNumber)
	}
	if k.origin && l.origin && !d.local || d.origin {
		add("replication origin", replicationOrigin)
	}
	add("id of the top-level transaction", topXID)
	main := l.main[t]
	for _, p := range d.main {
		main += p.Bytes
	}
	switch {
	case main > dataHeaderLimit:
		add("header of the main data", dataHeaderLong)
	case main > 0:
		add("header of the main data", dataHeaderShort)
	}
	for i := range d.Blocks {
		b := &d.Blocks[i]
		add(blockPart(b.ID, "page image"), b.Image.Length)
		for _, p := range b.Data {
			add(blockPart(b.ID, p.Name), p.Bytes)
		}
	}
	add("main data: "+mainNames[t], l.main[t])
	for _, p := range d.main {
		add("main data: "+p.Name, p.Bytes)
	}
	sum := 0
	for _, p := range d.Parts {
		sum += p.Bytes
	}
	add(Unnamed, length-sum)
	return d
}

// Unnamed is the name of what a record's writer has not named.
const Unnamed = "other data"

func blockPart(id int, name string) string { return "block " + string(rune('0'+id)) + ": " + name }

// mainNames say what the main data is that every record of a type has.
var mainNames = [NumRecordTypes]string{
	HeapInsert:                "line pointer, flags",
	HeapInsertInit:            "line pointer, flags",
	HeapUpdate:                "old and new line pointer, xmax of both versions, flags",
	HeapUpdateInit:            "old and new line pointer, xmax of both versions, flags",
	HeapHotUpdate:             "old and new line pointer, xmax of both versions, flags",
	HeapHotUpdateInit:         "old and new line pointer, xmax of both versions, flags",
	HeapDelete:                "xmax, line pointer, flags",
	HeapLock:                  "xmax, line pointer, flags",
	HeapConfirm:               "line pointer",
	Heap2MultiInsert:          "flags, number of rows",
	Heap2MultiInsertInit:      "flags, number of rows",
	LogicalMessage:            "database, flag, lengths",
	HeapTruncate:              "database, number of tables, flags",
	Heap2PruneOnAccess:        "reason, flags",
	Heap2PruneVacuumScan:      "reason, flags",
	Heap2PruneVacuumCleanup:   "reason, flags",
	Heap2Prune:                "snapshot conflict horizon, numbers of redirects and dead line pointers, flags",
	Heap2FreezePage:           "snapshot conflict horizon, number of freeze plans, flags",
	Heap2Vacuum:               "number of line pointers",
	Heap2Visible:              "snapshot conflict horizon, flags",
	BtreeInsertLeaf:           "place of the item",
	BtreeInsertUpper:          "place of the item",
	BtreeInsertPost:           "place of the item",
	BtreeInsertMeta:           "place of the item",
	BtreeSplitL:               "level, first item of the right page, place of the new item",
	BtreeSplitR:               "level, first item of the right page, place of the new item",
	BtreeDedup:                "number of merged runs",
	BtreeDelete:               "snapshot conflict horizon, number of items, flags",
	BtreeNewRoot:              "block of the root, level",
	BtreeVacuum:               "number of items",
	BtreeMarkPageHalfDead:     "place in the parent, leaf, siblings, top parent",
	BtreeUnlinkPage:           "siblings, level, safe transaction id, leaf's siblings, top parent",
	BtreeUnlinkPageMeta:       "siblings, level, safe transaction id, leaf's siblings, top parent",
	BtreeReusePage:            "relation, block, snapshot conflict horizon, flags",
	BrinSamepageUpdate:        "place of the summary",
	BrinCreateIndex:           "pages a range, version",
	BrinRevmapExtend:          "block of the range map",
	BrinInsert:                "heap block, pages a range, place of the summary",
	BrinInsertInit:            "heap block, pages a range, place of the summary",
	BrinUpdate:                "heap block, pages a range, old and new place of the summary",
	BrinUpdateInit:            "heap block, pages a range, old and new place of the summary",
	TransactionCommit:         "time of the commit",
	TransactionAbort:          "time of the rollback",
	TransactionPrepare:        "header of the state file",
	TransactionCommitPrepared: "time of the commit",
	TransactionAbortPrepared:  "time of the rollback",
	SequenceLog:               "relation, the sequence's row",
	XLOGNextOID:               "next object id",
	XLOGCheckpointRedo:        "wal_level",
	XLOGCheckpointOnline:      "the checkpoint",
	StandbyRunningXacts:       "numbers of transactions, horizons",
	StandbyLock:               "number of locks, the lock",
	StorageTruncate:           "length, file, flags",
	CLOGZeroPage:              "page",
	CommitTSZeroPage:          "page",
	MultiXactCreateID:         "id, place of its members, their number",
	MultiXactZeroOffPage:      "page",
	MultiXactZeroMemPage:      "page",
}
