package view

// Listings of the WAL, after pg_waldump.c and xlogdesc.c.

import (
	"fmt"
	"io"
	"strings"

	"applysim/model/apply"
	"applysim/wal"
	"applysim/wal/storage"
)

// WALRecord is a WAL record as pg_waldump shows it. What it shares with the log is good
// until the next one.
type WALRecord struct {
	wal.Record
	XID      uint32
	Prev     wal.LSN // where the record before it begins; 0 of the first one
	Relation string  // of its blocks; "-" if it refers to none
}

// Listing follows the WAL of a subscriber from now on.
type Listing struct {
	w    *apply.Worker
	prev wal.LSN
	emit func(*WALRecord)
}

// NewListing makes a listing that gives each record to emit. The subscriber's log must give
// its records to See.
func NewListing(w *apply.Worker, emit func(*WALRecord)) *Listing {
	w.Log().Details(true)
	return &Listing{w: w, emit: emit}
}

// See takes the next record.
func (l *Listing) See(r *wal.Record) {
	x := WALRecord{Record: *r, Prev: l.prev, Relation: l.w.Log().Name(r.Relation)}
	if !r.Type.Background() {
		x.XID = l.w.XID()
	}
	l.prev = r.Start
	l.emit(&x)
}

var forkNames = [...]string{"main", "fsm", "vm", "init"}

// Line is the record as pg_waldump prints it. A block's relation is named; a real server
// shows numbers of tablespace, database and file. Contents that are not known are said to
// be so.
func (r *WALRecord) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rmgr: %-11s len (rec/tot): %6d/%6d, tx: %10d, lsn: %s, prev %s, desc: %s", r.Type.Manager(),
		r.Length-r.FPI, r.Length, r.XID, padded(r.Start), padded(r.Prev), r.Type.Name())
	switch text, known := r.Description(); {
	case !known:
		b.WriteString(" (contents not modelled)")
	default:
		b.WriteString(" " + text)
	}
	for _, block := range r.Blocks() {
		fmt.Fprintf(&b, ", blkref #%d: rel %s", block.ID, r.Relation)
		if block.Fork != 0 {
			b.WriteString(" fork " + forkNames[block.Fork])
		}
		fmt.Fprintf(&b, " blk %d", block.Block)
		if block.Image.Length > 0 {
			b.WriteString(" FPW")
		}
	}
	return b.String()
}

// padded is an LSN as pg_waldump prints it.
func padded(l wal.LSN) string { return fmt.Sprintf("%X/%08X", uint32(l>>32), uint32(l)) }

// Description is what the record contains, as far as it is known.
func (r *WALRecord) Description() (text string, known bool) {
	if r.Detail == nil {
		return "", false
	}
	return r.Detail.Text, r.Detail.Described
}

// Blocks are the record's block references.
func (r *WALRecord) Blocks() []wal.BlockRef {
	if r.Detail == nil {
		return nil
	}
	return r.Detail.Blocks
}

// MainData is the length of the record's main data, in bytes.
func (r *WALRecord) MainData() int {
	n := 0
	if r.Detail != nil {
		for _, p := range r.Detail.Parts {
			if strings.HasPrefix(p.Name, "main data: ") {
				n += p.Bytes
			}
		}
	}
	return n
}

// infoColumns are those of pg_get_wal_records_info.
var infoColumns = []string{"start_lsn", "end_lsn", "prev_lsn", "xid int", "resource_manager", "record_type", "record_length int", "main_data_length int",
	"fpi_length int", "description", "block_ref"}

// InfoRows makes rows with the columns of pg_get_wal_records_info, still empty.
func InfoRows() *Rows { return newRows(infoColumns...) }

// Values are the record's values for these columns.
func (r *WALRecord) Values() []any {
	row := []any{r.Start.String(), r.End.String(), r.Prev.String(), int64(r.XID), r.Type.Manager(), r.Type.Name(), r.Length, r.MainData(), r.FPI, nil, nil}
	if text, known := r.Description(); known {
		row[9] = text
	}
	if refs := r.BlockText(); refs != "" {
		row[10] = refs
	}
	return row
}

// BlockText is the record's block references as pg_walinspect shows them (block_ref), with
// the relation's name.
func (r *WALRecord) BlockText() string {
	var refs []string
	for _, block := range r.Blocks() {
		text := fmt.Sprintf("blkref #%d: rel %s fork %s blk %d", block.ID, r.Relation, forkNames[block.Fork], block.Block)
		if block.Image.Length > 0 {
			text += " FPW"
		}
		refs = append(refs, text)
	}
	return strings.Join(refs, " ")
}

// Filter says which records to show; the zero value shows all.
type Filter struct {
	Managers []string // resource managers
	Relation string   // a block of it is referred to
	Block    *storage.BlockNumber
	XID      *uint32
	Start    wal.LSN // not before it
	End      wal.LSN // not from it on, unless 0
	FullPage bool    // with images
}

// Shows says whether the filter shows a record.
func (f *Filter) Shows(r *WALRecord) bool {
	switch {
	case r.Start < f.Start, f.End != 0 && r.Start >= f.End, f.XID != nil && r.XID != *f.XID, f.FullPage && r.FPI == 0, f.Relation != "" && r.Relation != f.Relation:
		return false
	}
	if len(f.Managers) > 0 {
		found := false
		for _, m := range f.Managers {
			found = found || strings.EqualFold(m, r.Type.Manager())
		}
		if !found {
			return false
		}
	}
	if f.Block == nil {
		return true
	}
	for _, b := range r.Blocks() {
		if b.Block == *f.Block {
			return true
		}
	}
	return false
}

// managers are the resource managers in the order of their numbers. Source: REL_18_1,
// src/include/access/rmgrlist.h.
var managers = []string{
	"XLOG", "Transaction", "Storage", "CLOG", "Database", "Tablespace", "MultiXact", "RelMap", "Standby", "Heap2", "Heap", "Btree", "Hash", "Gin", "Gist",
	"Sequence", "SPGist", "BRIN", "CommitTs", "ReplicationOrigin", "Generic", "LogicalMessage",
}

// inOrder are the record types of each resource manager in the order of their numbers
// (xl_info). Sources: REL_18_1, src/include/catalog/pg_control.h and the _xlog.h files of
// the managers.
var inOrder = map[string][]wal.RecordType{
	"XLOG":        {wal.XLOGCheckpointOnline, wal.XLOGNextOID, wal.XLOGFPIForHint, wal.XLOGFPI, wal.XLOGCheckpointRedo},
	"Transaction": {wal.TransactionCommit, wal.TransactionPrepare, wal.TransactionAbort, wal.TransactionCommitPrepared, wal.TransactionAbortPrepared},
	"Storage":     {wal.StorageTruncate},
	"CLOG":        {wal.CLOGZeroPage},
	"MultiXact":   {wal.MultiXactZeroOffPage, wal.MultiXactZeroMemPage, wal.MultiXactCreateID},
	"Standby":     {wal.StandbyLock, wal.StandbyRunningXacts},
	"Heap2": {wal.Heap2Prune, wal.Heap2PruneOnAccess, wal.Heap2Vacuum, wal.Heap2PruneVacuumScan, wal.Heap2FreezePage, wal.Heap2PruneVacuumCleanup,
		wal.Heap2Visible, wal.Heap2MultiInsert, wal.Heap2MultiInsertInit},
	"Heap": {wal.HeapInsert, wal.HeapDelete, wal.HeapUpdate, wal.HeapTruncate, wal.HeapHotUpdate, wal.HeapConfirm, wal.HeapLock,
		wal.HeapInsertInit, wal.HeapUpdateInit, wal.HeapHotUpdateInit},
	"Btree": {wal.BtreeInsertLeaf, wal.BtreeInsertUpper, wal.BtreeInsertMeta, wal.BtreeSplitL, wal.BtreeSplitR, wal.BtreeInsertPost, wal.BtreeDedup,
		wal.BtreeDelete, wal.BtreeUnlinkPage, wal.BtreeUnlinkPageMeta, wal.BtreeNewRoot, wal.BtreeMarkPageHalfDead, wal.BtreeVacuum,
		wal.BtreeReusePage, wal.BtreeMetaCleanup},
	"Sequence": {wal.SequenceLog},
	"CommitTs": {wal.CommitTSZeroPage},
	"BRIN": {wal.BrinCreateIndex, wal.BrinInsert, wal.BrinUpdate, wal.BrinSamepageUpdate, wal.BrinRevmapExtend,
		wal.BrinInsertInit, wal.BrinUpdateInit},
	"LogicalMessage": {wal.LogicalMessage},
}

// Managers lists the resource managers.
func Managers() []string { return managers }

// WALStats are the statistics that pg_waldump --stats prints.
type WALStats struct {
	counts     [wal.NumRecordTypes]wal.Count
	start, end wal.LSN
}

// Add counts a record.
func (s *WALStats) Add(r *WALRecord) {
	c := &s.counts[r.Type]
	c.Add(wal.Count{Records: 1, Bytes: int64(r.Length), FPIBytes: int64(r.FPI)})
	s.Begin(r.Start)
	s.end = r.End
}

// Begin says where the first record begins, counted or not.
func (s *WALStats) Begin(at wal.LSN) {
	if s.start == 0 {
		s.start = at
	}
}

// statRow is a row of the statistics.
type statRow struct {
	name  string
	count wal.Count
}

// rows are the rows by resource manager, also those without records, or by record type.
func (s *WALStats) rows(perRecord bool) (list []statRow, total wal.Count) {
	for _, m := range managers {
		sum := wal.Count{}
		for _, t := range inOrder[m] {
			c := s.counts[t]
			sum.Add(c)
			if perRecord && c.Records > 0 {
				list = append(list, statRow{t.String(), c})
			}
		}
		total.Add(sum)
		if !perRecord {
			list = append(list, statRow{m, sum})
		}
	}
	return list, total
}

// percent is a share as pg_waldump has it: of nothing it is nothing.
func percent(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// Rows gives the columns of pg_get_wal_stats.
func (s *WALStats) Rows(perRecord bool) *Rows {
	r := newRows("resource_manager/record_type", "count int", "count_percentage float", "record_size int", "record_size_percentage float",
		"fpi_size int", "fpi_size_percentage float", "combined_size int", "combined_size_percentage float")
	list, total := s.rows(perRecord)
	for _, x := range list {
		c := x.count
		r.add(x.name, c.Records, percent(c.Records, total.Records), c.Bytes-c.FPIBytes, percent(c.Bytes-c.FPIBytes, total.Bytes-total.FPIBytes),
			c.FPIBytes, percent(c.FPIBytes, total.FPIBytes), c.Bytes, percent(c.Bytes, total.Bytes))
	}
	return r
}

// Text writes the statistics as pg_waldump does.
func (s *WALStats) Text(w io.Writer, perRecord bool) error {
	if s.end == 0 {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "WAL statistics between %s and %s:\n", s.start, s.end)
	heading := func(cells ...any) {
		line := fmt.Sprintf("%-27s %20s %8s %20s %8s %20s %8s %20s %8s", cells...)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	heading("Type", "N", "(%)", "Record size", "(%)", "FPI size", "(%)", "Combined size", "(%)")
	heading("----", "-", "---", "-----------", "---", "--------", "---", "-------------", "---")
	list, total := s.rows(perRecord)
	rest := total.Bytes - total.FPIBytes
	for _, x := range list {
		c := x.count
		fmt.Fprintf(&b, "%-27s %20d (%6.02f) %20d (%6.02f) %20d (%6.02f) %20d (%6.02f)\n", x.name, c.Records, percent(c.Records, total.Records),
			c.Bytes-c.FPIBytes, percent(c.Bytes-c.FPIBytes, rest), c.FPIBytes, percent(c.FPIBytes, total.FPIBytes), c.Bytes, percent(c.Bytes, total.Bytes))
	}
	heading("", "--------", "", "--------", "", "--------", "", "--------", "")
	fmt.Fprintf(&b, "%-27s %20d %-9s%20d %-9s%20d %-9s%20d %-6s\n", "Total", total.Records, "", rest, fmt.Sprintf("[%.02f%%]", percent(rest, total.Bytes)),
		total.FPIBytes, fmt.Sprintf("[%.02f%%]", percent(total.FPIBytes, total.Bytes)), total.Bytes, "[100%]")
	_, err := io.WriteString(w, b.String())
	return err
}
