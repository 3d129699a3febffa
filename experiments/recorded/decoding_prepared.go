package recorded

// Prepared transactions in a recorded publisher's WAL: DecodePrepare, DecodeCommit and
// DecodeAbort in src/backend/replication/logical/decode.c.

import (
	"strings"

	"applysim/model/decode"
	"applysim/model/stream"
)

// phase is a transaction between PREPARE and its end.
type phase struct {
	note       rowNote
	top        uint32 // its id in decoding
	commits    bool   // it is committed in the end,
	rolledBack bool   // or rolled back; else neither
	fromSQL    bool   // its rows were carried out from the SQL
	catalogs   bool   // it has changed some
}

// secondPhase says whether a record ends a prepared transaction.
func secondPhase(r Record) bool {
	return r.Manager == "Transaction" && (r.Type == "COMMIT_PREPARED" || r.Type == "ABORT_PREPARED")
}

// prepares is the transaction that some records prepare at their end; nil if they do not.
func (w *walReader) prepares(records []Record) (*phase, error) {
	n := len(records)
	if n == 0 || records[n-1].Manager != "Transaction" || records[n-1].Type != prepare {
		return nil, nil
	}
	if w.notes == nil {
		return nil, notDecoded("PREPARE TRANSACTION without the case's SQL")
	}
	p := &phase{}
	at := 0
	for _, r := range records {
		if _, ok := w.noted(r); ok {
			p.note = w.notes[at]
			at++
		}
	}
	p.fromSQL = w.notes[at-1].fromSQL
	for _, x := range w.notes[at:] {
		if x.xid != p.note.xid || !strings.HasSuffix(x.kind, "_PREPARED") {
			continue
		}
		p.commits, p.rolledBack = x.kind == "COMMIT_PREPARED", x.kind == "ABORT_PREPARED"
		break
	}
	return p, nil
}

// sent says whether the stream of all changes has the transaction, next.
func (p *phase) sent(in *changes, next *changedTransaction) bool {
	if next == nil || !in.twoPhase {
		return next != nil && p.commits
	}
	return next.begin.Kind == stream.KindBeginPrepare && string(next.begin.GID) == p.note.gid
}

// notedLost is how many row changes of some records are noted as rolled back.
func (w *walReader) notedLost(records []Record) int {
	lost, at := 0, 0
	for _, r := range records {
		if _, ok := w.noted(r); !ok {
			continue
		}
		if _, row := w.rowRecord(r); row && w.notes[at].lost {
			lost++
		}
		at++
	}
	return lost
}

// prepare takes the PREPARE at the end of the transaction's records.
func (t *walTransaction) prepare() error {
	p := t.phase
	p.top, p.catalogs = t.top, t.catalogs
	t.w.prepared[p.note.xid] = p
	var m *stream.Message
	if t.x.commit.Kind == stream.KindPrepare {
		m = &t.x.commit
	}
	t.w.d.Prepare(p.top, p.note.gid, m)
	return nil
}

// finish takes the record that ends a prepared transaction.
func (w *walReader) finish(r Record) error {
	n := w.note(r)
	if n == nil || w.prepared[n.xid] == nil {
		return notDecoded("the second phase of a transaction that the case's SQL does not tell of")
	}
	p := w.prepared[n.xid]
	delete(w.prepared, n.xid)
	commit := r.Type == "COMMIT_PREPARED"
	if commit && p.catalogs {
		w.snapshot(p.top)
	}
	w.d.FinishPrepared(p.top, commit, nil)
	return nil
}

// snapshot takes the commit of a transaction that has changed catalogs: transactions that
// go on, this one among them, get a new snapshot (SnapBuildDistributeSnapshot).
func (w *walReader) snapshot(top uint32) {
	w.catalogs++
	w.d.Snapshot(decode.Xact{XID: top}, decode.SnapshotSize(w.catalogs, w.major))
}
