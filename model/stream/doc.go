// Package stream reads and writes the change streams that PostgreSQL's
// pgoutput plugin sends to a subscriber: protocol versions 1 to 4, with
// streamed and two-phase transactions, values in text or binary.
//
// # From bytes to messages
//
//	input ---> container ---------------> Decoder --------> Message
//	           (frames the messages)      (one message)     (reused)
//
// A [Reader] takes any io.Reader, finds out what it holds and hands out one
// [Message] after the other. A program that gets framed messages itself (from
// a replication connection, say) uses a [Decoder] alone.
//
// # Containers
//
// pgoutput messages have no length of their own: the replication protocol
// frames them. Where they are kept in files the frame is one of these, and
// gzip may be around each:
//
//	lines   0/196FD20 TAB 761 TAB 4200000000019718f0...   LSN, xid, hex: recorded cases;
//	                                                      also psql's unaligned output of
//	                                                      pg_logical_slot_get_binary_changes
//	hex     4200000000019718f0...                         one message in hex a line
//	raw     B.......\n I..........\n C.........\n         what pg_recvlogical -f writes
//
// In lines the fields may also be parted by '|', and the hex may have bytea's
// prefix \x. Empty lines are passed over; the last line needs no newline.
//
// In raw files nothing but the messages themselves tells where one ends: each
// is decoded, and a newline must follow. Two things depend on context there.
// Between Stream Start and Stream Stop most messages have an xid after the type
// byte; both kinds of reader keep track of this. And Stream Abort exists in a
// short form (protocols 2 and 3, and 4 unless streaming = parallel) and a long
// one of 16 bytes more. In a raw file it is taken to be short if a newline
// comes after the short form and then the end of the input or the type byte of
// a known message; only an abort LSN of 0x0A41000000000000 or more, some 700
// petabytes of WAL, could be misread. With framed messages their length
// decides.
//
// # Message layout
//
// All integers are big-endian, strings end with a zero byte. [x] is the xid of
// a message in a streamed block; times are microseconds since 2000-01-01.
//
//	B begin              finalLSN:8 time:8 xid:4
//	C commit             0 commitLSN:8 endLSN:8 time:8
//	O origin             originLSN:8 name
//	R relation           [x] relid:4 schema name identity:1 n:2 (flags:1 name type:4 typmod:4)*n
//	Y type               [x] typeid:4 schema name
//	I insert             [x] relid:4 'N' tuple
//	U update             [x] relid:4 (('K'|'O') tuple)? 'N' tuple
//	D delete             [x] relid:4 ('K'|'O') tuple
//	T truncate           [x] n:4 flags:1 (relid:4)*n
//	M message            [x] flags:1 lsn:8 prefix n:4 content
//	S stream start       xid:4 first:1
//	E stream stop
//	c stream commit      xid:4 0 commitLSN:8 endLSN:8 time:8
//	A stream abort       xid:4 subxid:4 (abortLSN:8 time:8)?
//	b begin prepare      prepareLSN:8 endLSN:8 time:8 xid:4 gid
//	P prepare            0 prepareLSN:8 endLSN:8 time:8 xid:4 gid
//	p stream prepare     as P
//	K commit prepared    0 commitLSN:8 endLSN:8 time:8 xid:4 gid
//	r rollback prepared  0 prepareEndLSN:8 endLSN:8 prepareTime:8 time:8 xid:4 gid
//
//	tuple = n:2 ('n' | 'u' | ('t'|'b') length:4 data)*n
//
// What the decoder insists on is what the apply worker insists on (set LSNs,
// valid xids, flags of zero, no nested streamed blocks), and PostgreSQL's
// limits: 1,600 columns, messages below 1 GB (and names of at most 1 MiB). It does not check the order of
// messages beyond streamed blocks: whether a change is inside a transaction or
// its relation is known is for the apply worker to say.
//
// # Errors
//
// Whatever is wrong with the input is an [*Error]: `message N (offset M): ...`,
// with what was expected. No input makes the package panic. It allocates only
// for bytes that have arrived, never on the word of a length field alone: a
// reader holds one window (256 KiB by default) or, while it takes in a message
// that is larger, up to about twice the message.
//
// # Writing
//
// AppendBegin, [AppendInsert] and so on append one message to a slice;
// [AppendMessage] encodes a Message. A [Writer] puts them into a container.
// Every message that the decoder accepts is encoded to the very same bytes.
//
// Not here: other plugins' formats (test_decoding, wal2json; see package capture), the
// replication protocol itself, and the recorded events beside a stream.
//
// Reading order: message.go, decode.go, encode.go, container.go, reader.go,
// writer.go.
package stream
