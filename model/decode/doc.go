// Package decode models logical decoding on a publisher: what a slot makes of the WAL,
// and what that takes.
//
//	changes ---> Decoder ---> Buffer ---> Plugin ---> messages, bytes by kind
//	             (sizes,      (memory,    (pgoutput, test_decoding,
//	              encoders)    spill,      wal2json)
//	                           stream)
//
// The changes are those of a stream of all tables; every slot decodes everything,
// whatever it publishes. Two buffers stand for all slots: one whose large transactions
// go to disk, one whose are streamed.
//
// # The reorder buffer
//
// A [Buffer] accounts for memory change by change as ReorderBufferChangeSize does. A
// change takes
//
//	80                         the change itself
//	24 + length of the tuple   for each tuple, old and new, with its header
//	prefix + 1 + content + 16  a logical message
//	4 a table                  TRUNCATE
//	16 a message               invalidations
//	104 + 4 a transaction      a snapshot (120 in versions 14 to 16)
//
// A row's out-of-line values are changes of their own, one a chunk, until the row is
// handed out; then the tuple has pointers of 10 bytes to them in memory instead of 18.
// At logical_decoding_work_mem the largest transaction or subtransaction goes to disk
// with its subtransactions, or the largest top-level one is streamed if it has no row
// whose chunks are still to come. Its [Counters] are those of
// pg_stat_replication_slots. Version 18 drops what is known to have aborted; versions
// before 13 write a transaction to disk at 4,096 changes.
//
// # Output
//
// Publications are applied as pgoutput does it: actions, column lists, row filters on
// old and new rows with updates turned into inserts and deletes where they cross the
// filter, publish_via_partition_root. Every plugin's messages are made in full, so that
// they can be looked at (Options.Emit); tests compare them byte by byte with what real
// servers gave.
//
// # What a stream of changes cannot tell
//
// It has no transactions that were rolled back, no changes of catalogs, no
// subtransactions and no order among transactions that ran at the same time. Rows that
// leave a TOAST table are counted only where the WAL is there ([Decoder.Hidden]). What
// a row has compressed is remembered by its key; an old row whose insert was not seen is
// taken to be compressed as a new one would be. wal2json and test_decoding are taken not
// to stream. That rows of ON CONFLICT are speculative until they are confirmed, and that
// COPY's rows share out-of-line chunks until the last one, is counted only where the WAL
// is there. Replication origins are
// left out.
//
// Reading order: size.go, buffer.go, process.go (the buffer); decode.go, input.go (the
// decoder); relation.go, row.go, toast.go, memory.go (rows and their lengths), publication.go,
// then a plugin each: pgoutput.go, testdecoding.go, wal2json.go.
package decode
