// Package apply models the apply worker of PostgreSQL 18's logical replication:
// it takes the messages of a change stream and does to a simulated subscriber
// what the worker does to a real one, record by record.
//
//	relation message   the local table of the same name is found; columns are
//	                   matched by name
//	insert             values are read by the types' input functions, missing
//	                   columns get their defaults, the row goes to the heap,
//	                   then to every index in the order of their OIDs
//	commit             one COMMIT record, if the transaction changed anything
//
// A transaction gets its id when it changes something for the first time.
//
// Updates, deletes, truncation, streamed and prepared transactions, partitions,
// index expressions and predicates are not modelled yet: a message or a table
// that needs them gives an *UnsupportedError.
//
// Checkpoints and VACUUM run between two messages: as events (Run, Checkpoint,
// Vacuum), or by the clock, which is that of the commit times in the stream
// (Schedule: checkpoint_timeout, max_wal_size, the WAL writer).
//
// One effect does not repeat on a real server. With synchronous_commit = off, the
// default of a subscription, a commit is on disk only when the WAL writer has come
// round, and until then no hint bit may say so. This decides which visit of a page
// sets hint bits (XLOG/FPI_FOR_HINT), whether an index entry can be marked as dead
// (kill marks, and so simple deletion), which pages VACUUM may mark all-visible
// (Heap2/VISIBLE) and freeze, and the lengths of compressed images. Without a
// Schedule commits count as unflushed until the next checkpoint; with
// synchronous_commit = on none of this matters. See walwriter.go.
//
// Reading order: settings.go, worker.go (messages and transactions),
// relation.go (tables and the relation map), row.go (an insert), defaults.go,
// counters.go; event.go (checkpoints and VACUUM), checkpoint.go (when they come),
// walwriter.go.
package apply
