package wal

// Records about other forks, and of other processes than the apply worker.

import "applysim/wal/storage"

// ForkInit is the initialization fork, what an unlogged relation is after a crash
// (INIT_FORKNUM).
const ForkInit = 3

// NewPageFork is NewPage for a page of any fork, changed in place
// (log_newpage_buffer).
func (l *Log) NewPageFork(rel RelID, fork uint8, block storage.BlockNumber, p Page) LSN {
	image := l.image(p)
	l.imageOnly(fork, block, image)
	return l.insert(XLOGFPI, rel, fork, block, image.Length+image.Header, image.Length)
}

// Compresses says whether images are compressed, so that their length depends on
// every byte of the page.
func (l *Log) Compresses() bool { return l.images.Compression != NoCompression }

// InsertLocal is InsertPlain for a record that is written by another process than
// the apply worker, so that it does not carry the replication origin.
func (l *Log) InsertLocal(t RecordType, extra int) LSN {
	k := &catalogue[t]
	if d := l.detail; d != nil {
		d.local = true
		d.Main("which parts there are, database and its tablespace", extra)
	}
	data := Parts{MainData: k.main, BlockRefs: k.blocks}.Length() - l.fixed[t]
	return l.InsertMain(t, NoRelation, storage.InvalidBlock, data, extra)
}

// LocalCommitMainData is CommitMainData for a local transaction that held an access
// exclusive lock, as VACUUM does to give pages back.
func LocalCommitMainData(databaseInfo bool) int {
	n := SizeOfXinfo
	if databaseInfo {
		n += sizeOfXactDbinfo
	}
	return n
}
