package apply

// What records carry, by name, for those who explain them.

import "applysim/wal"

// named names what the next record carries beyond what its type always has.
func (w *Worker) named(name string, bytes int) {
	if d := w.log.Detail(); d != nil {
		d.Main(name, bytes)
	}
}

// nameCommit names what a COMMIT carries.
func (w *Worker) nameCommit(subtransactions int) {
	extra := w.commitExtra
	w.named("which parts there are", wal.SizeOfXinfo)
	both := wal.CommitMainData(true, true)
	if extra == both {
		database := both - wal.CommitMainData(false, true)
		w.named("database and its tablespace (wal_level = logical)", database)
		extra -= database
	}
	w.named("ids of subtransactions", wal.Subtransactions(subtransactions))
	if w.droppedFiles > 0 {
		w.named("files that go", wal.DroppedFiles(w.droppedFiles))
	}
	w.named("origin: LSN and time of the commit on the publisher", extra-wal.SizeOfXinfo)
}
