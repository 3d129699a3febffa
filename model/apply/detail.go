package apply

// What records carry, by name, for those who explain them.

import (
	"fmt"
	"strings"

	"applysim/wal"
)

// named names what the next record carries beyond what its type always has.
func (w *Worker) named(name string, bytes int) {
	if d := w.log.Detail(); d != nil {
		d.Main(name, bytes)
	}
}

// nameCommit names what a COMMIT carries.
func (w *Worker) nameCommit(subtransactions []uint32) {
	w.describeCommit(subtransactions)
	extra := w.commitExtra
	w.named("which parts there are", wal.SizeOfXinfo)
	both := wal.CommitMainData(true, true)
	if extra == both {
		database := both - wal.CommitMainData(false, true)
		w.named("database and its tablespace (wal_level = logical)", database)
		extra -= database
	}
	w.named("ids of subtransactions", wal.Subtransactions(len(subtransactions)))
	if w.droppedFiles > 0 {
		w.named("files that go", wal.DroppedFiles(w.droppedFiles))
	}
	w.named("origin: LSN and time of the commit on the publisher", extra-wal.SizeOfXinfo)
}

// describeCommit describes a COMMIT as pg_waldump does, but for its time, which is that of
// the subscriber's clock, and files that go. The subscription's origin is taken to be the
// first one (xact_desc_commit, xactdesc.c).
func (w *Worker) describeCommit(subtransactions []uint32) {
	d := w.log.Detail()
	if d == nil {
		return
	}
	var b strings.Builder
	if len(subtransactions) > 0 {
		b.WriteString("subxacts:")
		for _, xid := range subtransactions {
			fmt.Fprintf(&b, " %d", xid)
		}
		b.WriteString("; ")
	}
	fmt.Fprintf(&b, "origin: node 1, lsn %s, at %s", w.origin.lsn, w.origin.time.Time().Format("2006-01-02 15:04:05.000000 UTC"))
	d.Describe("%s", b.String())
}

// XID is the id of the transaction that is being applied, that of its subtransaction if
// one is open or rolled back, or that of VACUUM, which takes one to cut off pages; 0 if
// there is none.
func (w *Worker) XID() uint32 {
	if w.ownXID != 0 {
		return w.ownXID
	}
	return w.xacts.Current
}
