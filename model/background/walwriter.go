package background

// The WAL writer, after xlog.c (XLogBackgroundFlush, XLogSetAsyncXactLSN).
//
// With synchronous_commit = off, which subscriptions have by default, a commit is
// on disk only when the WAL writer has come round: every wal_writer_delay, or when
// wal_writer_flush_after has been written. Until then nobody may set a hint bit
// that says so, except on a page that was written after the commit. This decides
//
//   - which visit to a page sets hint bits, and with checksums or wal_log_hints
//     whether that writes FPI_FOR_HINT;
//   - whether an index scan may mark an entry as dead: all versions of its chain
//     must be hinted;
//   - which pages VACUUM may mark all-visible, and so freeze on the way;
//   - the hint bits in page images, and so the length of compressed ones.
//
// It is the one effect of the model that does not repeat on a real server: there
// it depends on how fast the worker happens to be. What is modelled is a worker
// that applies each transaction at the time when it was committed. With
// synchronous_commit = on for the subscription none of this matters.

import (
	"time"

	"applysim/model/apply"
	"applysim/wal"
)

// walWriter is the WAL writer's state.
type walWriter struct {
	started bool
	last    time.Time // when it flushed last
	seen    wal.LSN   // end of the WAL when it was here last
}

// run does what the WAL writer has done by now. What the log has so far was
// written before. moved says that now may be later than at the last call.
func (f *walWriter) run(w *apply.Worker, now time.Time, moved bool) {
	s := w.Settings()
	end := w.Log().LSN()
	if !f.started {
		f.started, f.last = true, now
	}
	delay := s.WALWriterDelay
	if delay <= 0 {
		return
	}
	var rounds time.Duration
	if moved {
		rounds = now.Sub(f.last) / delay
	}
	if rounds > 0 {
		// The first round flushes full pages only, the next one the rest if
		// nothing was added.
		full := end - end%wal.WALPageSize
		if rounds > 1 || full <= w.Flushed() {
			w.Flush(end)
		} else {
			w.Flush(full)
		}
		f.last = f.last.Add(rounds * delay)
		return
	}
	if blocks := uint64(end/wal.WALPageSize - w.Flushed()/wal.WALPageSize); blocks*wal.WALPageSize >= s.WALWriterFlushAfter {
		w.Flush(end - end%wal.WALPageSize)
		f.last = now
	}
}
