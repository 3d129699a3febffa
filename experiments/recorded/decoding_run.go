package recorded

import (
	"fmt"
	"slices"
	"strings"

	"applysim/heap"
	"applysim/heap/datum"
	"applysim/model/apply"
	"applysim/model/backend"
	"applysim/model/decode"
	"applysim/model/schema"
	"applysim/model/stream"
	"applysim/wal"
)

// carriedOut is what carrying the case's SQL out tells of its WAL beside what the list of
// records says.
type carriedOut struct {
	rows       []rowNote        // of the row changes of user tables and of their chunks, in order
	rolledBack []rolledBackRow  // rows that were inserted and did not last
	messages   []stream.Message // logical ones
}

// rowNote says of which transaction a row change is.
type rowNote struct {
	kind     string // the record's
	xid, top uint32
	lost     bool // it was rolled back
	logged   heap.Logged
	// Of a prepared transaction: its name, and whether its rows were carried out from the
	// SQL.
	gid     string
	fromSQL bool
}

// rolledBackRow is a row that was inserted and did not last.
type rolledBackRow struct {
	schema, table string
	columns       []string
	values        stream.Tuple
}

// carryOut carries the case's SQL out; nil if that cannot be done: no part of it is
// better than all.
func (c *PublisherCase) carryOut() *carriedOut {
	f, err := c.Changes()
	if err != nil {
		return nil
	}
	defer f.Close()
	in, err := stream.NewReader(f, stream.DefaultOptions())
	if err != nil {
		return nil
	}
	o := new(carriedOut)
	var run *backend.Runner
	var log *wal.Log
	var b *apply.Backend
	b, run, err = c.Backend(func(r *wal.Record) {
		if r.Type == wal.TransactionAbort {
			n := rowNote{kind: abort, lost: true, xid: b.Ending()}
			_, n.top = b.XIDs()
			o.rows = append(o.rows, n)
			return
		}
		switch r.Type {
		case wal.TransactionPrepare:
			n := rowNote{kind: prepare, gid: b.GID(), fromSQL: run.FromSQL()}
			n.xid, n.top = b.XIDs()
			o.rows = append(o.rows, n)
			return
		case wal.TransactionCommitPrepared, wal.TransactionAbortPrepared:
			o.rows = append(o.rows, rowNote{kind: r.Type.Name(), gid: b.GID(), xid: b.Ending(), top: b.Ending()})
			return
		}
		if r.Type == wal.LogicalMessage {
			n := rowNote{kind: logicalMessage, lost: run.Lost()}
			n.xid, n.top = b.XIDs()
			o.rows = append(o.rows, n)
			return
		}
		if r.Type.Manager() != "Heap" || r.Relation == wal.NoRelation && r.Type != wal.HeapTruncate {
			return
		}
		kind := strings.TrimSuffix(r.Type.Name(), "+INIT")
		switch kind {
		case "INSERT", "UPDATE", "HOT_UPDATE", "DELETE", "TRUNCATE":
		default:
			return
		}
		n := rowNote{kind: kind, lost: run.Lost(), logged: b.Logged(r.Relation)}
		n.xid, n.top = b.XIDs()
		if r.Relation != wal.NoRelation && strings.HasPrefix(log.Name(r.Relation), "pg_toast_") {
			n.kind = toastPrefix + kind
		}
		o.rows = append(o.rows, n)
	}, in)
	if err != nil {
		return nil
	}
	log = b.Worker().Log()
	run.RolledBack = func(t *schema.Table, values map[int]datum.Value) {
		row := rolledBackRow{schema: t.Schema, table: t.Name}
		for i := range t.Columns {
			col := &t.Columns[i]
			if col.Dropped || col.Generated != 0 {
				continue
			}
			row.columns = append(row.columns, col.Name)
			x := stream.Column{Format: stream.ColumnNull}
			if v, ok := values[i]; ok && !v.Null {
				x = stream.Column{Format: stream.ColumnText, Data: []byte(col.Type.Text(v))}
			}
			row.values = append(row.values, x)
		}
		o.rolledBack = append(o.rolledBack, row)
	}
	run.Emitted = func(m backend.LogicalMessage) {
		s := stream.Message{Kind: stream.KindMessage, Prefix: []byte(m.Prefix), Content: m.Content}
		if m.Transactional {
			s.Flags = stream.MessageTransactional
		}
		o.messages = append(o.messages, s)
	}
	if err := c.Run(run); err != nil {
		return nil
	}
	return o
}

// The kinds of notes beside row changes: those of rows of TOAST tables, and a rollback.
const (
	toastPrefix = "toast "
	abort       = "ABORT"
	prepare     = "PREPARE"

	logicalMessage = "MESSAGE"
)

// fits says whether the notes are about the recorded rows: the same kinds in the same
// order.
func (o *carriedOut) fits(w *walReader, records []Record) bool {
	n := 0
	for _, r := range records {
		kind, ok := w.noted(r)
		if !ok {
			continue
		}
		if n == len(o.rows) || o.rows[n].kind != kind {
			return false
		}
		n++
	}
	return n == len(o.rows)
}

// noted is a record's kind in notes, if there are any of its kind.
func (w *walReader) noted(r Record) (kind string, ok bool) {
	kind = strings.TrimSuffix(r.Type, "+INIT")
	if r.Manager == "Transaction" && r.Type == "ABORT" {
		return abort, true
	}
	if r.Manager == "Transaction" && (r.Type == prepare || secondPhase(r)) {
		return r.Type, true
	}
	if r.Manager == "LogicalMessage" {
		return logicalMessage, true
	}
	if _, row := w.rowRecord(r); row {
		return kind, true
	}
	switch {
	case r.Manager != "Heap" || !w.toast(r):
		return "", false
	case kind == "INSERT" || kind == "DELETE" || kind == "UPDATE" || kind == "HOT_UPDATE":
		return toastPrefix + kind, true
	}
	return "", false
}

// noted is the first of the ids that stand for transactions that were rolled back as a
// whole, which no stream has.
const noted = 1 << 30

// note is the note of a record, nil if it has none.
func (w *walReader) note(r Record) *rowNote {
	if _, ok := w.noted(r); !ok || len(w.notes) == 0 {
		return nil
	}
	n := &w.notes[0]
	w.notes = w.notes[1:]
	return n
}

// allLost says whether all row changes of some records are noted as rolled back.
func (w *walReader) allLost(records []Record, multi bool) bool {
	if w.notes == nil || multi {
		return false
	}
	n := 0
	for _, r := range records {
		if _, ok := w.noted(r); !ok {
			continue
		}
		if _, row := w.rowRecord(r); row && !w.notes[n].lost {
			return false
		}
		n++
	}
	return true
}

// noteLast finds the transaction that commits among the notes of some records: the one
// that is not rolled back as a whole.
func (t *walTransaction) noteLast(records []Record, lost int, commits bool) error {
	var notes []*rowNote
	gone := map[uint32]bool{}
	for _, r := range records {
		kind, ok := t.w.noted(r)
		if !ok {
			continue
		}
		x := &t.w.notes[len(notes)]
		notes = append(notes, x)
		if kind == abort && x.xid == x.top {
			gone[x.top] = true
		}
	}
	found := 0
	for _, x := range notes {
		if x.top != 0 && !gone[x.top] {
			t.committed = x.top
		}
		if x.lost && x.kind != abort && x.kind != logicalMessage && !strings.HasPrefix(x.kind, toastPrefix) {
			found++
		}
	}
	if found != lost && commits {
		return fmt.Errorf("found %d row changes that were rolled back, expected %d", found, lost)
	}
	return nil
}

// within goes to the transaction and subtransaction of a noted record.
func (t *walTransaction) within(n *rowNote) {
	t.top = t.committing
	if n.top != t.committed {
		t.top = noted + n.top
	}
	sub := decode.Xact{XID: t.top}
	if n.xid != n.top {
		sub = decode.Xact{XID: t.top + n.xid - n.top, Top: t.top}
	}
	t.logged = n.logged
	t.first = sub.Top != 0 && n.kind != abort && !slices.Contains(t.w.begun, sub)
	if t.first {
		t.w.begun = append(t.w.begun, sub)
	}
	if n.lost {
		t.w.aborted[sub.XID] = true
	}
	t.sub = sub
}

// aborted takes a rollback of the transaction at hand, or subtransaction, with those that
// have begun within it.
func (t *walTransaction) aborted() {
	t.w.begun = slices.DeleteFunc(t.w.begun, func(x decode.Xact) bool {
		gone := x.XID > t.sub.XID && (x.Top == t.sub.XID || x.Top == t.sub.Top)
		if gone {
			t.w.d.Abort(x.XID)
		}
		return gone
	})
	t.w.d.Abort(t.sub.XID)
	if t.sub.Top == 0 {
		t.catalogs = false // else the transaction as a whole is taken to have changed them
	}
	t.top = t.committing
	t.sub = decode.Xact{XID: t.top}
}

// message takes a logical message's record.
func (t *walTransaction) message() error {
	m := t.w.out.messages[0]
	t.w.out.messages = t.w.out.messages[1:]
	if m.Flags&stream.MessageTransactional == 0 {
		return t.w.d.Immediate(&m)
	}
	return t.w.d.Change(t.sub, &m, nil)
}
