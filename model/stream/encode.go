package stream

// encode.go: one message to bytes, the counterpart of
// src/backend/replication/logical/proto.c. Each function appends one message
// and returns the extended slice. An xid of 0 means, as there, that the message
// is not in a streamed block.

import (
	"encoding/binary"
	"fmt"
)

var be = binary.BigEndian

// AppendBegin appends the begin of a transaction.
func AppendBegin(dst []byte, finalLSN LSN, time Timestamp, xid uint32) []byte {
	dst = append(dst, byte(KindBegin))
	dst = be.AppendUint64(dst, uint64(finalLSN))
	dst = be.AppendUint64(dst, uint64(time))
	return be.AppendUint32(dst, xid)
}

// AppendCommit appends the commit of a transaction.
func AppendCommit(dst []byte, commitLSN, endLSN LSN, time Timestamp) []byte {
	return appendCommitFields(append(dst, byte(KindCommit)), commitLSN, endLSN, time)
}

// AppendStreamCommit appends the commit of a streamed transaction.
func AppendStreamCommit(dst []byte, xid uint32, commitLSN, endLSN LSN, time Timestamp) []byte {
	dst = be.AppendUint32(append(dst, byte(KindStreamCommit)), xid)
	return appendCommitFields(dst, commitLSN, endLSN, time)
}

func appendCommitFields(dst []byte, commitLSN, endLSN LSN, time Timestamp) []byte {
	dst = append(dst, 0)
	dst = be.AppendUint64(dst, uint64(commitLSN))
	dst = be.AppendUint64(dst, uint64(endLSN))
	return be.AppendUint64(dst, uint64(time))
}

// AppendOrigin appends where a transaction came from.
func AppendOrigin(dst []byte, lsn LSN, name string) []byte {
	dst = be.AppendUint64(append(dst, byte(KindOrigin)), uint64(lsn))
	return appendCString(dst, name)
}

// AppendRelation appends the description of a table. It must come before the
// table's first change.
func AppendRelation(dst []byte, xid uint32, r *Relation) []byte {
	dst = appendKind(dst, KindRelation, xid)
	dst = be.AppendUint32(dst, r.ID)
	dst = appendCString(dst, r.Namespace)
	dst = appendCString(dst, r.Name)
	dst = append(dst, r.Identity)
	dst = be.AppendUint16(dst, uint16(len(r.Columns)))
	for i := range r.Columns {
		c := &r.Columns[i]
		dst = appendCString(append(dst, c.Flags), c.Name)
		dst = be.AppendUint32(dst, c.TypeID)
		dst = be.AppendUint32(dst, uint32(c.Typmod))
	}
	return dst
}

// AppendType appends the name of a type.
func AppendType(dst []byte, xid uint32, t *Type) []byte {
	dst = appendKind(dst, KindType, xid)
	dst = be.AppendUint32(dst, t.ID)
	return appendCString(appendCString(dst, t.Namespace), t.Name)
}

// AppendInsert appends an insert.
func AppendInsert(dst []byte, xid, relation uint32, row Tuple) []byte {
	dst = be.AppendUint32(appendKind(dst, KindInsert, xid), relation)
	return AppendTuple(append(dst, 'N'), row)
}

// AppendUpdate appends an update. oldKind says what old is; with OldNone it is
// left out, as it is where the replica identity did not change.
func AppendUpdate(dst []byte, xid, relation uint32, oldKind byte, old, row Tuple) []byte {
	dst = be.AppendUint32(appendKind(dst, KindUpdate, xid), relation)
	if oldKind != OldNone {
		dst = AppendTuple(append(dst, oldKind), old)
	}
	return AppendTuple(append(dst, 'N'), row)
}

// AppendDelete appends a delete. oldKind, OldKey or OldRow, says what old is.
func AppendDelete(dst []byte, xid, relation uint32, oldKind byte, old Tuple) []byte {
	dst = be.AppendUint32(appendKind(dst, KindDelete, xid), relation)
	return AppendTuple(append(dst, oldKind), old)
}

// AppendTruncate appends a truncate of tables; flags are Truncate*.
func AppendTruncate(dst []byte, xid uint32, flags uint8, relations []uint32) []byte {
	dst = be.AppendUint32(appendKind(dst, KindTruncate, xid), uint32(len(relations)))
	dst = append(dst, flags)
	for _, id := range relations {
		dst = be.AppendUint32(dst, id)
	}
	return dst
}

// AppendLogicalMessage appends what pg_logical_emit_message wrote; flags are
// Message*.
func AppendLogicalMessage(dst []byte, xid uint32, flags uint8, lsn LSN, prefix string, content []byte) []byte {
	dst = append(appendKind(dst, KindMessage, xid), flags)
	dst = appendCString(be.AppendUint64(dst, uint64(lsn)), prefix)
	dst = be.AppendUint32(dst, uint32(len(content)))
	return append(dst, content...)
}

// AppendStreamStart appends the start of a streamed block; first says that it
// is the transaction's first one.
func AppendStreamStart(dst []byte, xid uint32, first bool) []byte {
	dst = be.AppendUint32(append(dst, byte(KindStreamStart)), xid)
	if first {
		return append(dst, 1)
	}
	return append(dst, 0)
}

// AppendStreamStop appends the end of a streamed block.
func AppendStreamStop(dst []byte) []byte { return append(dst, byte(KindStreamStop)) }

// AppendStreamAbort appends the abort of a streamed transaction (subxid = xid)
// or subtransaction in the short form.
func AppendStreamAbort(dst []byte, xid, subxid uint32) []byte {
	dst = be.AppendUint32(append(dst, byte(KindStreamAbort)), xid)
	return be.AppendUint32(dst, subxid)
}

// AppendStreamAbortInfo appends the long form: protocol 4, streaming = parallel.
func AppendStreamAbortInfo(dst []byte, xid, subxid uint32, abortLSN LSN, time Timestamp) []byte {
	dst = be.AppendUint64(AppendStreamAbort(dst, xid, subxid), uint64(abortLSN))
	return be.AppendUint64(dst, uint64(time))
}

// AppendBeginPrepare appends the begin of a prepared transaction.
func AppendBeginPrepare(dst []byte, prepareLSN, endLSN LSN, time Timestamp, xid uint32, gid string) []byte {
	return appendPrepared(append(dst, byte(KindBeginPrepare)), prepareLSN, endLSN, time, xid, gid)
}

// AppendPrepare appends the prepare that ends a prepared transaction's changes.
func AppendPrepare(dst []byte, prepareLSN, endLSN LSN, time Timestamp, xid uint32, gid string) []byte {
	return appendPrepared(append(dst, byte(KindPrepare), 0), prepareLSN, endLSN, time, xid, gid)
}

// AppendStreamPrepare appends the prepare of a streamed transaction.
func AppendStreamPrepare(dst []byte, prepareLSN, endLSN LSN, time Timestamp, xid uint32, gid string) []byte {
	return appendPrepared(append(dst, byte(KindStreamPrepare), 0), prepareLSN, endLSN, time, xid, gid)
}

// AppendCommitPrepared appends the commit of a prepared transaction.
func AppendCommitPrepared(dst []byte, commitLSN, endLSN LSN, time Timestamp, xid uint32, gid string) []byte {
	return appendPrepared(append(dst, byte(KindCommitPrepared), 0), commitLSN, endLSN, time, xid, gid)
}

func appendPrepared(dst []byte, lsn, endLSN LSN, time Timestamp, xid uint32, gid string) []byte {
	dst = be.AppendUint64(dst, uint64(lsn))
	dst = be.AppendUint64(dst, uint64(endLSN))
	dst = be.AppendUint64(dst, uint64(time))
	return appendCString(be.AppendUint32(dst, xid), gid)
}

// AppendRollbackPrepared appends the rollback of a prepared transaction.
func AppendRollbackPrepared(dst []byte, prepareEndLSN, endLSN LSN, prepareTime, time Timestamp, xid uint32, gid string) []byte {
	dst = be.AppendUint64(append(dst, byte(KindRollbackPrepared), 0), uint64(prepareEndLSN))
	dst = be.AppendUint64(dst, uint64(endLSN))
	dst = be.AppendUint64(dst, uint64(prepareTime))
	dst = be.AppendUint64(dst, uint64(time))
	return appendCString(be.AppendUint32(dst, xid), gid)
}

// AppendTuple appends a tuple without its tag.
func AppendTuple(dst []byte, t Tuple) []byte {
	dst = be.AppendUint16(dst, uint16(len(t)))
	for i := range t {
		c := &t[i]
		dst = append(dst, c.Format)
		if c.Format == ColumnText || c.Format == ColumnBinary {
			dst = be.AppendUint32(dst, uint32(len(c.Data)))
			dst = append(dst, c.Data...)
		}
	}
	return dst
}

func appendKind(dst []byte, k Kind, xid uint32) []byte {
	dst = append(dst, byte(k))
	if xid != 0 {
		dst = be.AppendUint32(dst, xid)
	}
	return dst
}

// appendCString appends a string and its zero byte; it is the caller's duty
// that there is none inside.
func appendCString[S ~string | ~[]byte](dst []byte, s S) []byte {
	return append(append(dst, s...), 0)
}

// AppendMessage appends any message; for one that was decoded, the bytes it was
// decoded from. It fails only if the kind is not known.
func AppendMessage(dst []byte, m *Message) ([]byte, error) {
	switch m.Kind {
	case KindBegin:
		return AppendBegin(dst, m.TxLSN, m.Time, m.Xid), nil
	case KindCommit:
		return AppendCommit(dst, m.TxLSN, m.EndLSN, m.Time), nil
	case KindOrigin:
		return AppendOrigin(dst, m.TxLSN, string(m.Origin)), nil
	case KindRelation:
		return AppendRelation(dst, m.Xid, m.Relation), nil
	case KindType:
		return AppendType(dst, m.Xid, m.Type), nil
	case KindInsert:
		return AppendInsert(dst, m.Xid, m.RelationID, m.New), nil
	case KindUpdate:
		return AppendUpdate(dst, m.Xid, m.RelationID, m.OldKind, m.Old, m.New), nil
	case KindDelete:
		return AppendDelete(dst, m.Xid, m.RelationID, m.OldKind, m.Old), nil
	case KindTruncate:
		return AppendTruncate(dst, m.Xid, m.Flags, m.RelationIDs), nil
	case KindMessage:
		return AppendLogicalMessage(dst, m.Xid, m.Flags, m.TxLSN, string(m.Prefix), m.Content), nil
	case KindStreamStart:
		return AppendStreamStart(dst, m.Xid, m.First), nil
	case KindStreamStop:
		return AppendStreamStop(dst), nil
	case KindStreamCommit:
		return AppendStreamCommit(dst, m.Xid, m.TxLSN, m.EndLSN, m.Time), nil
	case KindStreamAbort:
		if m.AbortInfo {
			return AppendStreamAbortInfo(dst, m.Xid, m.SubXid, m.TxLSN, m.Time), nil
		}
		return AppendStreamAbort(dst, m.Xid, m.SubXid), nil
	case KindBeginPrepare:
		return AppendBeginPrepare(dst, m.TxLSN, m.EndLSN, m.Time, m.Xid, string(m.GID)), nil
	case KindPrepare:
		return AppendPrepare(dst, m.TxLSN, m.EndLSN, m.Time, m.Xid, string(m.GID)), nil
	case KindStreamPrepare:
		return AppendStreamPrepare(dst, m.TxLSN, m.EndLSN, m.Time, m.Xid, string(m.GID)), nil
	case KindCommitPrepared:
		return AppendCommitPrepared(dst, m.TxLSN, m.EndLSN, m.Time, m.Xid, string(m.GID)), nil
	case KindRollbackPrepared:
		return AppendRollbackPrepared(dst, m.TxLSN, m.EndLSN, m.PrepareTime, m.Time, m.Xid, string(m.GID)), nil
	}
	return dst, fmt.Errorf("stream: cannot encode a message of %s", m.Kind)
}
