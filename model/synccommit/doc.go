// Package synccommit simulates what clients wait for when they commit, by
// synchronous_commit and synchronous_standby_names, and what would be lost if the publisher
// died at a moment.
//
//	client    backend            walsender      walreceiver          startup process
//	------    -------            ---------      -----------          ---------------
//	begins -> executes (CPU)
//	          inserts WAL
//	off    <- |
//	          flushes its WAL
//	local  <- |               -> sends (CPU) -> writes
//	remote_write        <- reply -------------- |
//	                                            flushes
//	on                  <- reply -------------- |             ->     replays
//	remote_apply        <- reply ---------------------------------- |
//
// # Rules
//
// One backend flushes at a time, for all whose commit records are in the WAL when it
// begins; the others wait for it, and one of those that it did not serve goes next
// (xlog.c, XLogFlush). With commit_delay it waits first if commit_siblings other
// transactions are open. With synchronous_commit = off the WAL writer flushes, every
// wal_writer_delay, up to the last whole page, or all if there is no new one, or earlier
// when wal_writer_flush_after has come together (XLogBackgroundFlush,
// XLogSetAsyncXactLSN).
//
// A walsender sends what is flushed, 128 kB at a time (walsender.c, XLogSendPhysical). A
// walreceiver takes all that has come, replies that it is written, flushes, and replies
// again; that something was replayed it reports when it has nothing else to do, or with
// its next reply (walreceiver.c, WalReceiverMain). Replay begins after the flush.
//
// Who is waited for: syncrep.c. With FIRST k the k connected standbys with the first names
// of the list, the slowest of them; with ANY k the kth fastest of those named. With fewer
// than k connected nobody is released. A walsender whose standby was lost without a word
// counts as connected until wal_sender_timeout has passed. A wait that is cancelled has
// committed: its client is only warned.
//
// A subscription can be a synchronous standby, too: its worker reports what it has
// received, and applied, when it has nothing more to read, and what is flushed when its
// own WAL is (worker.c, send_feedback).
//
// # Time
//
// Everything goes by events: nothing depends on a step. Processes of one host share its
// cores: who is ready first gets one first, until it has to wait. Times that vary in
// reality (of executing and flushing) are constant unless Spread says otherwise.
//
// # Left out
//
// Contention for locks other than the one of flushing. WAL of transactions that are still
// open, which would be sent before they commit. The restart of the publisher itself.
//
// Reading order: names.go, setup.go, run.go, publisher.go, standby.go, loss.go, result.go.
package synccommit
