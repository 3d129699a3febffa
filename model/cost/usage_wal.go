package cost

import (
	"applysim/model/apply"
	"applysim/wal"
)

// wal adds the writing of WAL records.
func (u *Usage) wal(w *apply.Worker) {
	for r := -1; r < w.Log().Relations(); r++ {
		u.walOf(w, wal.RelID(r))
	}
}

// walOf adds the records of one relation.
func (u *Usage) walOf(w *apply.Worker, rel wal.RelID) {
	l := w.Log()
	name := ""
	if rel != wal.NoRelation {
		name = l.Name(rel)
	}
	for t := range wal.RecordType(wal.NumRecordTypes) {
		n := l.Count(rel, t)
		if n.Records == 0 {
			continue
		}
		u.records(t, name, n, l.Imaged(rel, t))
		if term := imageTerms[w.Settings().WALCompression]; term != "" {
			u.add(term, name, recordPlace(t), l.Imaged(rel, t))
		}
		if t == wal.XLOGFPI {
			u.add(termNewFile, name, Dispatch, n.Records)
		}
	}
}

// imageTerms are the terms of compressing images by wal_compression.
var imageTerms = map[wal.Compression]string{wal.PGLZ: termImagePGLZ, wal.LZ4: termImageLZ4, wal.ZSTD: termImageZSTD}

// records adds the writing of records of one type for one relation.
func (u *Usage) records(t wal.RecordType, name string, n wal.Count, imaged int64) {
	where := recordPlace(t)
	u.add(termRecord, name, where, n.Records)
	u.add(termRecordByte, name, where, n.Bytes-n.FPIBytes)
	u.add(termImage, name, where, imaged)
	u.add(termImageByte, name, where, n.FPIBytes)
}

// recordPlace is the part of the worker that writes records of a type.
func recordPlace(t wal.RecordType) Place {
	switch t {
	case wal.HeapInsert, wal.HeapInsertInit:
		return HeapInsert
	case wal.HeapUpdate, wal.HeapUpdateInit, wal.HeapHotUpdate, wal.HeapHotUpdateInit:
		return HeapUpdate
	case wal.HeapDelete:
		return HeapDelete
	case wal.HeapLock:
		return LockRow
	case wal.Heap2PruneOnAccess:
		return Prune
	case wal.TransactionCommit:
		return Commit
	case wal.BtreeInsertLeaf, wal.BtreeInsertUpper, wal.BtreeInsertPost, wal.BtreeSplitL, wal.BtreeSplitR,
		wal.BtreeDedup, wal.BtreeDelete, wal.BtreeNewRoot, wal.BtreeInsertMeta, wal.BtreeReusePage:
		return IndexInsert
	}
	return Dispatch
}

// Spooled is the work of an apply worker that keeps streamed changes in a file: messages
// of so many bytes.
func Spooled(messages, bytes float64) *Usage {
	u := &Usage{}
	u.Add(Item{Term: termMessage, Where: Loop, Quantity: messages})
	u.Add(Item{Term: termMessageByte, Where: Loop, Quantity: bytes})
	u.Add(Item{Term: termSpool, Where: Dispatch, Quantity: messages})
	u.Add(Item{Term: termSpoolByte, Where: Dispatch, Quantity: bytes})
	return u
}
