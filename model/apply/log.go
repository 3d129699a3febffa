package apply

// The worker's WAL: what is on disk, and checkpoints.

import (
	"applysim/model/guc"
	"applysim/wal"
)

// Log is the subscriber's WAL.
func (w *Worker) Log() *wal.Log { return w.log }

// images says when full-page images are written and how.
func images(s *guc.Settings) wal.ImageOptions {
	return wal.ImageOptions{
		FullPageWrites: s.FullPageWrites, Hints: s.DataChecksums || s.WALLogHints, Checksums: s.DataChecksums, Compression: s.WALCompression,
	}
}

// Flush notes that the WAL is on disk up to a place: hint bits of the commits before it may
// be set.
func (w *Worker) Flush(to wal.LSN) { w.xacts.Flush(to) }

// Flushed is up to where the WAL is on disk.
func (w *Worker) Flushed() wal.LSN { return w.xacts.Flushed }

// Checkpoint makes a checkpoint between two messages: pages that are changed from
// now on need images again. Its own records are written unless quiet.
func (w *Worker) Checkpoint(quiet bool) {
	w.log.Checkpoint(w.xacts.Running(), quiet)
	w.xacts.Flush(w.log.LSN())
	for _, t := range w.tables {
		t.heap.Clean()
		for _, x := range t.indexes {
			switch {
			case x.brin != nil:
				x.brin.Clean()
			case x.btree != nil:
				x.btree.Clean()
			}
		}
		if o := t.toaster; o != nil {
			o.heap.Clean()
			o.index.btree.Clean()
		}
	}
}
