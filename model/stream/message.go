package stream

import (
	"fmt"
	"time"
)

// LSN is a position in the publisher's WAL. It is a type of its own so that it
// cannot be mixed up with positions in the subscriber's WAL.
type LSN uint64

// String prints the LSN as PostgreSQL does: 0/196FD20.
func (l LSN) String() string { return fmt.Sprintf("%X/%X", uint32(l>>32), uint32(l)) }

// Timestamp is PostgreSQL's timestamptz: microseconds since 2000-01-01 UTC.
type Timestamp int64

// Time converts to Go's time. Seconds and microseconds are converted apart:
// the whole range of Timestamp does not fit into time.Duration.
func (t Timestamp) Time() time.Time {
	const epoch = 946684800 // 2000-01-01 in Unix seconds
	return time.Unix(epoch+int64(t)/1e6, int64(t)%1e6*1000).UTC()
}

// Kind is the type byte of a message: LogicalRepMsgType in
// src/include/replication/logicalproto.h (REL_18_1).
type Kind byte

// The kinds of messages.
const (
	KindBegin            Kind = 'B'
	KindCommit           Kind = 'C'
	KindOrigin           Kind = 'O'
	KindRelation         Kind = 'R'
	KindType             Kind = 'Y'
	KindInsert           Kind = 'I'
	KindUpdate           Kind = 'U'
	KindDelete           Kind = 'D'
	KindTruncate         Kind = 'T'
	KindMessage          Kind = 'M'
	KindBeginPrepare     Kind = 'b'
	KindPrepare          Kind = 'P'
	KindCommitPrepared   Kind = 'K'
	KindRollbackPrepared Kind = 'r'
	KindStreamStart      Kind = 'S'
	KindStreamStop       Kind = 'E'
	KindStreamCommit     Kind = 'c'
	KindStreamAbort      Kind = 'A'
	KindStreamPrepare    Kind = 'p'
)

// kindNames are the message names of the protocol's documentation, in lower case.
var kindNames = [256]string{
	KindBegin: "begin", KindCommit: "commit", KindOrigin: "origin", KindRelation: "relation", KindType: "type",
	KindInsert: "insert", KindUpdate: "update", KindDelete: "delete", KindTruncate: "truncate", KindMessage: "message",
	KindBeginPrepare: "begin prepare", KindPrepare: "prepare",
	KindCommitPrepared: "commit prepared", KindRollbackPrepared: "rollback prepared",
	KindStreamStart: "stream start", KindStreamStop: "stream stop", KindStreamCommit: "stream commit",
	KindStreamAbort: "stream abort", KindStreamPrepare: "stream prepare",
}

// Known says whether the byte is the type byte of a message.
func (k Kind) Known() bool { return kindNames[k] != "" }

// String names the kind: "insert", "stream start".
func (k Kind) String() string {
	if s := kindNames[k]; s != "" {
		return s
	}
	return fmt.Sprintf("unknown kind %q", byte(k))
}

// The formats of a column in a tuple: LOGICALREP_COLUMN_* in
// src/include/replication/logicalproto.h (REL_18_1).
const (
	ColumnNull      byte = 'n'
	ColumnUnchanged byte = 'u' // a TOASTed value that did not change and was not sent
	ColumnText      byte = 't'
	ColumnBinary    byte = 'b'
)

// Column is one value of a tuple. Data is nil for a null or unchanged one.
type Column struct {
	Format byte
	Data   []byte
}

// Tuple is a row, or the key of one, as sent: one Column for each column of
// the relation message. In a key the columns outside it are null.
type Tuple []Column

// The tags before an old tuple.
const (
	OldNone byte = 0
	OldKey  byte = 'K' // the replica identity's columns
	OldRow  byte = 'O' // all columns: REPLICA IDENTITY FULL
)

// Flags of truncate and message.
const (
	TruncateCascade         uint8 = 1 // TRUNCATE_CASCADE in proto.c
	TruncateRestartIdentity uint8 = 2 // TRUNCATE_RESTART_SEQS in proto.c
	MessageTransactional    uint8 = 1 // MESSAGE_TRANSACTIONAL in proto.c
)

// Message is one decoded message. It is made to be used again: the decoder
// fills the fields that its Kind has, resets New, Old and OldKind, and leaves
// the others as they were. Byte slices alias the reader's buffer and are valid
// until the next message; Relation and Type are new each time and may be kept.
type Message struct {
	Kind    Kind
	OldKind byte // update, delete: OldKey, OldRow or OldNone

	// Xid is the transaction that the message names: begin, stream start,
	// stream commit, stream abort and all of two-phase commit. Relation, type,
	// insert, update, delete, truncate and message name one (the
	// subtransaction's) only inside a streamed block; 0 elsewhere, and in
	// commit, origin and stream stop.
	Xid uint32

	RelationID uint32 // insert, update, delete
	New        Tuple  // insert, update
	Old        Tuple  // update, delete

	Number  int64  // 1 for the first message of the input
	Size    int    // of the message, bytes
	Offset  int64  // of the message, or of its line, in the input; within gzip, in what it holds
	LSN     LSN    // container lines: the LSN it was sent with; 0 if not known
	LineXid uint32 // container lines: the top-level xid; 0 if not known

	// TxLSN is the message's first LSN: final (begin), commit (commit, stream
	// commit, commit prepared), prepare (begin prepare, prepare, stream
	// prepare), the end of prepare (rollback prepared), abort (stream abort),
	// the origin's commit (origin) or the message's own (message).
	TxLSN       LSN
	EndLSN      LSN       // commit, stream commit and all of two-phase commit: end of that record
	Time        Timestamp // of the commit, prepare, abort or rollback
	PrepareTime Timestamp // rollback prepared
	GID         []byte    // all of two-phase commit: the global identifier

	SubXid    uint32 // stream abort: equal to Xid if the whole transaction is aborted
	AbortInfo bool   // stream abort: the long form, with TxLSN and Time
	First     bool   // stream start: first block of the transaction

	Flags       uint8     // truncate: Truncate*; message: Message*
	RelationIDs []uint32  // truncate
	Origin      []byte    // origin: its name
	Prefix      []byte    // message
	Content     []byte    // message
	Relation    *Relation // relation
	Type        *Type     // type
}

// Relation describes a published table.
type Relation struct {
	ID        uint32
	Namespace string // empty for pg_catalog
	Name      string
	Identity  byte // pg_class.relreplident: 'd', 'n', 'f' or 'i'
	Columns   []RelationColumn
}

// RelationColumn is one column of a Relation.
type RelationColumn struct {
	Flags  uint8 // 1: part of the replica identity
	Name   string
	TypeID uint32
	Typmod int32
}

// columnKey is LOGICALREP_IS_REPLICA_IDENTITY in proto.c (REL_18_1).
const columnKey uint8 = 1

// Key says whether the column is part of the replica identity (all are with
// REPLICA IDENTITY FULL).
func (c RelationColumn) Key() bool { return c.Flags&columnKey != 0 }

// Type names a type that is not built in; for a domain its base type.
type Type struct {
	ID        uint32
	Namespace string // empty for pg_catalog
	Name      string
}

// Error is what is wrong with an input, at the message where it was found.
type Error struct {
	Message int64  // number of the message, 1 for the first
	Offset  int64  // where it begins in the input (in what gzip holds)
	Text    string // what was expected, what was found
	Err     error  // the cause where there is one, such as the input's read error
}

func (e *Error) Error() string {
	return fmt.Sprintf("message %d (offset %d): %s", e.Message, e.Offset, e.Text)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
