package recorded

import (
	"errors"
	"fmt"
	"strings"

	"applysim/heap"
	"applysim/model/decode"
	"applysim/model/stream"
)

// walReader takes a recorded publisher's WAL as decoding does: src/backend/replication/
// logical/decode.c. The list of records says neither whose a record is nor what is in
// it. One client wrote it, so that transactions follow one another, and the rows of
// those that committed are those of the stream of all changes, in the same order.
type walReader struct {
	c       *PublisherCase
	d       *decode.Decoder
	in      *changes
	aborted map[uint32]bool
	major   int

	toasts   map[string]bool // TOAST tables whose files were replaced later
	out      *carriedOut     // what carrying the SQL out tells; nil if that cannot be done
	notes    []rowNote       // of the row changes still to come; nil if they do not fit the records
	begun    []decode.Xact   // subtransactions that have notes, until they are rolled back
	last     uint32          // the last top-level transaction id that was seen
	prepared map[uint32]*phase
	catalogs int // committed transactions that changed catalogs, and that snapshots list
}

// notDecoded is what of a recorded WAL cannot be decoded.
type notDecoded string

func (e notDecoded) Error() string { return "not supported: " + string(e) }

// Lengths of records. Source: REL_18_1, src/include/access/xlogrecord.h and
// heapam_xlog.h.
const (
	topXID         = 5  // XLR_BLOCK_ID_TOPLEVEL_XID and the id: in a subtransaction's first record
	lockLength     = 54 // Heap/LOCK
	insertOverhead = 54 // Heap/INSERT, all but the tuple after its header
	updateOverhead = 65 // Heap/UPDATE of one page, likewise
	updateOtherPag = 8  // its second block reference
	oldTuple       = 5  // the header of an old tuple (SizeOfHeapHeader)
	deleteOverhead = 54 // Heap/DELETE without an old tuple
	tupleHeaderLen = 23 // SizeofHeapTupleHeader
	invalHeader    = 30 // Transaction/INVALIDATION without messages

	updateMain            = 14  // SizeOfHeapUpdate
	deleteMain            = 8   // SizeOfHeapDelete
	imageHeader           = 5   // SizeOfXLogRecordBlockImageHeader
	imageHeaderCompressed = 7   // with SizeOfXLogRecordBlockCompressHeader: a compressed image with a hole
	multiOverhead         = 46  // Heap2/MULTI_INSERT: headers of the record, its block and its data
	multiMain             = 4   // SizeOfHeapMultiInsert
	multiOffset           = 2   // of each row, unless the page is new
	multiHeader           = 7   // SizeOfMultiInsertTuple
	shortData             = 255 // main data beyond it has the long header
)

// rowRecord says whether a record is a row change of a user's table or a TRUNCATE, and
// of which kind.
func (w *walReader) rowRecord(r Record) (stream.Kind, bool) {
	if r.Manager != "Heap" && r.Manager != "Heap2" || r.catalog() || w.toast(r) {
		return 0, false
	}
	switch strings.TrimSuffix(r.Type, "+INIT") {
	case "INSERT":
		return stream.KindInsert, true
	case "UPDATE", "HOT_UPDATE":
		return stream.KindUpdate, true
	case "DELETE":
		return stream.KindDelete, true
	case "TRUNCATE":
		return stream.KindTruncate, true
	}
	return 0, false
}

// fullChunk is the length of the INSERT of a chunk that is as long as may be.
const fullChunk = insertOverhead + 2032 - tupleHeaderLen

// findToasts finds the TOAST tables among the files that were replaced while the case
// was recorded, and that have no names: full chunks went into them, and no UPDATE.
func findToasts(records []Record) map[string]bool {
	toasts, not := map[string]bool{}, map[string]bool{}
	for _, r := range records {
		if r.Manager != "Heap" || !strings.HasPrefix(r.Relation, "?") {
			continue
		}
		switch kind := strings.TrimSuffix(r.Type, "+INIT"); {
		case kind == "INSERT" && (r.Length == fullChunk || r.Length == fullChunk+topXID):
			toasts[r.Relation] = true
		case kind == "INSERT" && r.Length > fullChunk, kind == "UPDATE", kind == "HOT_UPDATE":
			not[r.Relation] = true
		}
	}
	for name := range not {
		delete(toasts, name)
	}
	return toasts
}

// toast says whether a record is of a user table's TOAST table.
func (w *walReader) toast(r Record) bool { return r.toast() || w.toasts[r.Relation] }

// group takes the records up to a COMMIT, or to the end.
func (w *walReader) group(records []Record) error {
	rows, aborts := 0, []int{} // rows before each ABORT
	multi := false
	for _, r := range records {
		if _, ok := w.rowRecord(r); ok {
			rows++
		}
		if r.Manager == "Transaction" && r.Type == "ABORT" {
			aborts = append(aborts, rows)
		}
		multi = multi || r.Type == "MULTI_INSERT" && !r.catalog() || r.Type == "MULTI_INSERT+INIT" && !r.catalog()
	}
	ddl := false
	for _, r := range records {
		ddl = ddl || r.Type == "NEW_CID"
		if r.Manager == "LogicalMessage" && (w.out == nil || len(w.out.messages) == 0) {
			return notDecoded("a logical message that the case's SQL does not tell of")
		}
	}
	commits := len(records) > 0 && records[len(records)-1].Type == "COMMIT"
	p, err := w.prepares(records)
	if err != nil {
		return err
	}
	x := &changedTransaction{}
	rewrite := false
	if (commits || p != nil) && (rows > 0 || multi) && !w.allLost(records, multi) {
		next, err := w.in.peek()
		if err != nil {
			return err
		}
		if p != nil && !p.sent(w.in, next) {
			next = nil
		}
		// DDL that writes a table anew leaves no changes.
		rewrite = p == nil && ddl && !multi && len(aborts) == 0 && (next == nil || next.rows != rows)
		if !rewrite && (p == nil || next != nil) {
			if next == nil {
				return errors.New("a COMMIT without a transaction in the stream of all changes")
			}
			x, err = w.in.next()
			if err != nil {
				return err
			}
		}
	}
	lost := rows - x.rows
	if rewrite || multi && len(aborts) == 0 {
		lost = 0
	}
	if p != nil && !p.commits {
		lost = w.notedLost(records) // the stream may have a part of it
	}
	switch {
	case multi && len(aborts) > 0 && w.notes == nil:
		return notDecoded("a COPY and a rollback in one transaction: which rows were rolled back, the records do not say")
	case lost < 0:
		return fmt.Errorf("found %d row changes in the records, expected the %d of transaction %d", rows, x.rows, x.begin.Xid)
	case lost > 0 && len(aborts) != 1 && w.notes == nil:
		return notDecoded(fmt.Sprintf("%d row changes rolled back by %d rollbacks: which by which, the records do not say", lost, len(aborts)))
	}
	// Those before the rollback are the lost ones: all, if it is of a whole
	// transaction, or else the last of them.
	from, to := rows, rows
	if lost > 0 && w.notes == nil {
		from, to = aborts[0]-lost, aborts[0]
		if from < 0 {
			return fmt.Errorf("found %d row changes more in the records than in the stream, expected them before the rollback", lost)
		}
	}
	t := &walTransaction{w: w, x: x, top: x.begin.Xid}
	if x.begin.Kind == 0 {
		t.top = w.last + 1
	}
	if p != nil && x.begin.Kind == 0 {
		t.top = noted + p.note.top
	}
	t.committing, t.phase = t.top, p
	whole := from == 0 && lost > 0 && w.notes == nil
	if whole {
		t.top-- // an id of its own, before that of the one that commits
		if !commits {
			t.top = w.last + 1
		}
		w.aborted[t.top] = true
	}
	t.sub = decode.Xact{XID: t.top}
	if p != nil && p.rolledBack {
		w.aborted[t.top] = true
	}
	if w.notes != nil {
		if err := t.noteLast(records, lost, commits || p != nil); err != nil {
			return err
		}
	}
	row := 0
	for i, r := range records {
		note := w.note(r)
		if note != nil {
			t.within(note)
		}
		if r.Manager == "LogicalMessage" {
			if err := t.message(); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(r.Type, "MULTI_INSERT") && !r.catalog() {
			if err := t.copied(r, copies(r, records[i+1:])); err != nil {
				return err
			}
			continue
		}
		if _, ok := w.rowRecord(r); ok {
			if rewrite {
				kind, _ := w.rowRecord(r)
				w.d.Hidden(t.sub, lostSize(r, kind, r.Length-r.FPI))
			} else if err := t.row(r, row >= from && row < to || note != nil && note.lost, whole, speculative(r, records[i+1:])); err != nil {
				return err
			}
			row++
			continue
		}
		if r.Manager == "Transaction" && r.Type == "ABORT" {
			if note != nil {
				t.aborted()
				continue
			}
			w.d.Abort(t.sub.XID)
			if whole {
				t.top = x.begin.Xid
			}
			t.sub, t.catalogs = decode.Xact{XID: t.top}, false
			continue
		}
		if r.Type == "INVALIDATION" && i+1 < len(records) && records[i+1].Manager == "Standby" && records[i+1].Type == "INVALIDATIONS" {
			continue // of a VACUUM without a transaction's id: carried out at once
		}
		t.other(r)
	}
	if !commits && p == nil {
		return nil
	}
	if w.notes != nil {
		t.top = t.committing
	}
	w.last = max(t.top&(noted-1), t.sub.XID&(noted-1))
	if err := t.describe(); err != nil {
		return err
	}
	if p != nil {
		return t.prepare()
	}
	if t.catalogs {
		w.snapshot(t.top)
	}
	if x.begin.Kind == 0 {
		w.d.Commit(t.top, nil)
		return nil
	}
	w.d.Commit(t.top, &x.commit)
	return nil
}

// walTransaction is the transaction that records are of.
type walTransaction struct {
	w        *walReader
	x        *changedTransaction
	top      uint32
	sub      decode.Xact // the transaction or subtransaction of the next record
	subs     uint32      // how many subtransactions have begun
	next     int         // message of x
	catalogs bool

	// With notes: the transaction that commits at the end, as decoded and as noted.
	committing, committed uint32
	phase                 *phase // nil if the transaction is not prepared
	first                 bool   // the record is the first one of its subtransaction
	logged                heap.Logged
}

// begin begins a subtransaction.
func (t *walTransaction) begin() {
	t.subs++
	t.sub = decode.Xact{XID: t.top + t.subs, Top: t.top}
}

// describe hands on the messages before the next row change.
func (t *walTransaction) describe() error {
	for ; t.next < len(t.x.messages); t.next++ {
		m := &t.x.messages[t.next]
		var err error
		switch m.Kind {
		case stream.KindRelation, stream.KindType:
			err = t.w.d.Describe(m)
		case stream.KindMessage:
			err = t.w.d.Change(t.sub, m, nil)
		case stream.KindOrigin:
		default:
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// row takes a row change's record.
func (t *walTransaction) row(r Record, lost, whole, speculative bool) error {
	kind, _ := t.w.rowRecord(r)
	if p := t.phase; p != nil && !p.commits && !lost {
		// Of a transaction that is prepared and not committed the stream has what was
		// handed out, nothing of it if its slot has no two_phase.
		if err := t.describe(); err != nil {
			return err
		}
		if t.next == len(t.x.messages) {
			lost = true
		} else if kind == stream.KindInsert && p.fromSQL {
			t.w.rolledBack(kind, r.Relation)
		}
	}
	if lost {
		length := r.Length - r.FPI
		switch {
		case t.w.notes != nil:
			if t.first {
				length -= topXID
			}
		case !whole && !t.w.aborted[t.sub.XID]:
			t.begin()
			t.w.aborted[t.sub.XID] = true
			length -= topXID
		}
		if m := t.w.rolledBack(kind, r.Relation); m != nil {
			return t.w.d.Change(t.sub, m, &decode.Logged{Old: t.logged.Old, Row: t.logged.Row})
		}
		size := lostSize(r, kind, length)
		if t.w.notes != nil && kind != stream.KindTruncate {
			size = decode.RowSize(t.logged.Old, t.logged.Row)
		}
		t.w.d.Lost(t.sub, kind, "public", r.Relation, size)
		return nil
	}
	if err := t.describe(); err != nil {
		return err
	}
	if t.next == len(t.x.messages) {
		return fmt.Errorf("found a %s of %s, expected no more changes of transaction %d", r.Type, r.Relation, t.x.begin.Xid)
	}
	m := &t.x.messages[t.next]
	t.next++
	if m.Kind != kind {
		return fmt.Errorf("found a %s of %s, expected an %s, as the stream of all changes has", r.Type, r.Relation, m.Kind)
	}
	if kind == stream.KindTruncate {
		return t.w.d.Change(t.sub, m, nil)
	}
	old, row, err := t.w.d.RowLengths(m)
	if err != nil {
		return err
	}
	if t.w.notes == nil && longer(r, kind, old, row) {
		t.begin()
	}
	return t.w.d.Change(t.sub, m, &decode.Logged{Speculative: speculative, Old: t.logged.Old, Row: t.logged.Row})
}

// speculative says whether a row is confirmed before the next one: it is one of an INSERT
// with ON CONFLICT.
func speculative(r Record, records []Record) bool {
	if r.Manager != "Heap" || !strings.HasPrefix(r.Type, "INSERT") {
		return false
	}
	for _, x := range records {
		switch {
		case x.Type == confirm:
			return x.Relation == r.Relation
		case x.Manager == "Heap" && x.Relation == r.Relation, x.Manager == "Transaction":
			return false
		}
	}
	return false
}

// confirm is the record that confirms a speculative row.
const confirm = "HEAP_CONFIRM"

// rolledBack is the change of the next row that was rolled back, if the case's SQL tells
// its values; else nil.
func (w *walReader) rolledBack(kind stream.Kind, table string) *stream.Message {
	if w.out == nil {
		return nil
	}
	rows := w.out.rolledBack
	if kind != stream.KindInsert && w.notes != nil {
		return nil
	}
	if kind != stream.KindInsert || len(rows) == 0 || rows[0].table != table {
		w.out.rolledBack = nil // which is which is not known any more
		return nil
	}
	row := rows[0]
	w.out.rolledBack = rows[1:]
	return w.d.InsertOf(row.schema, row.table, row.columns, row.values)
}

// copies says whether the rows of a record are followed by more that were gathered
// with them: on the next page, before their entries in indexes.
func copies(r Record, records []Record) bool {
	return len(records) > 0 && strings.HasPrefix(records[0].Type, "MULTI_INSERT") &&
		records[0].Relation == r.Relation && records[0].Block != r.Block
}

// copied takes the record of several rows of a COPY. How many, their lengths say.
func (t *walTransaction) copied(r Record, more bool) error {
	offsets := !strings.HasSuffix(r.Type, "+INIT")
	rows, data, whole := 0, 0, 0
	for rows == 0 || !t.explained(r, whole) && whole < r.Length-r.FPI {
		if err := t.describe(); err != nil {
			return err
		}
		if t.next+rows == len(t.x.messages) {
			return fmt.Errorf("found a %s of %d bytes, expected one as long as the %d rows left of transaction %d ask for", r.Type, r.Length, rows, t.x.begin.Xid)
		}
		m := &t.x.messages[t.next+rows]
		if m.Kind != stream.KindInsert {
			return fmt.Errorf("found a %s, expected an %s, as the stream of all changes has", r.Type, m.Kind)
		}
		_, row, err := t.w.d.RowLengths(m)
		if err != nil {
			return err
		}
		rows++
		data += data&1 + multiHeader + row - tupleHeaderLen
		main := multiMain
		if offsets {
			main += multiOffset * rows
		}
		whole = multiOverhead + main + data
		if main > shortData {
			whole += longHeader
		}
	}
	if rest := r.Length - r.FPI - whole; rest == topXID && r.FPI == 0 || rest >= 2*topXID {
		if t.w.notes == nil {
			t.begin()
		}
	} else if !t.explained(r, whole) {
		return fmt.Errorf("found a %s of %d bytes, expected %d for %d rows", r.Type, r.Length, whole, rows)
	}
	for ; rows > 0; rows-- {
		if err := t.w.d.Change(t.sub, &t.x.messages[t.next], &decode.Logged{Open: more || rows > 1}); err != nil {
			return err
		}
		t.next++
	}
	return nil
}

// explained says whether a record of several rows is as long as these ask for, with an
// image's header and a top-level transaction's id or without.
func (t *walTransaction) explained(r Record, whole int) bool {
	rest := r.Length - r.FPI - whole
	if r.FPI == 0 {
		return rest == 0 || rest == topXID
	}
	return rest == imageHeader || rest == imageHeaderCompressed || rest == imageHeader+topXID || rest == imageHeaderCompressed+topXID
}

// longer says whether a record is longer than its row change asks for by a top-level
// transaction's id.
func longer(r Record, kind stream.Kind, old, row int) bool {
	if r.FPI > 0 {
		return false
	}
	long := func(main int) int { // the header of the main data
		if main > shortData {
			return longHeader
		}
		return 0
	}
	oldData := 0
	if old > 0 {
		oldData = oldTuple + old - tupleHeaderLen
	}
	switch kind {
	case stream.KindInsert:
		return r.Length == insertOverhead+row-tupleHeaderLen+topXID
	case stream.KindUpdate:
		n := updateOverhead + row - tupleHeaderLen + oldData + long(updateMain+oldData) + topXID
		return r.Length == n || r.Length == n+updateOtherPag
	case stream.KindDelete:
		return r.Length == deleteOverhead+oldData+long(deleteMain+oldData)+topXID
	}
	return false
}

// lostSize is the size of a row change of which the record's length alone is known.
func lostSize(r Record, kind stream.Kind, length int) int {
	switch kind {
	case stream.KindInsert:
		return decode.RowSize(0, length-insertOverhead+tupleHeaderLen)
	case stream.KindUpdate:
		length -= updateOverhead
		if !strings.HasPrefix(r.Type, "HOT") {
			length -= updateOtherPag
		}
		return decode.RowSize(0, length+tupleHeaderLen)
	case stream.KindDelete:
		if length > deleteOverhead {
			return decode.RowSize(length-deleteOverhead-oldTuple+tupleHeaderLen, 0)
		}
		return decode.RowSize(0, 0)
	}
	return decode.TruncateSize(1)
}

// other takes a record that is no row change of a user's table.
func (t *walTransaction) other(r Record) {
	d := t.w.d
	kind := strings.TrimSuffix(r.Type, "+INIT")
	switch {
	case r.Manager == "Heap2" && r.Type == "NEW_CID":
		t.catalogs = true
		d.Internal(t.sub, decode.CommandSize())
	case r.Manager == "Transaction" && r.Type == "INVALIDATION":
		n := r.Length - invalHeader
		if n%invalidationMessage != 0 {
			n -= longHeader
		}
		d.Internal(t.sub, decode.InvalidationSize(n/invalidationMessage))
	case r.Manager == "Standby" && r.Type == "RUNNING_XACTS":
		t.w.catalogs = 0
	case r.Manager == "Heap" && r.Type == "LOCK" && !r.catalog() && r.Length == lockLength+topXID:
		if t.w.notes == nil {
			t.begin()
		}
	case r.Manager != "Heap":
	case kind == confirm:
		d.Confirm(t.sub)
	case t.w.toast(r) && kind == "INSERT":
		d.Chunk(t.sub, decode.RowSize(0, r.Length-r.FPI-insertOverhead+tupleHeaderLen))
	case t.w.toast(r) && kind == "DELETE" || r.catalog() && (kind == "UPDATE" || kind == "HOT_UPDATE" || kind == "DELETE"):
		d.Hidden(t.sub, decode.RowSize(0, 0))
	}
}
