// Package apply models the apply worker of PostgreSQL 18's logical replication:
// it takes the messages of a change stream and does to a simulated subscriber
// what the worker does to a real one, record by record.
//
//	relation message   the local table of the same name is found; columns are
//	                   matched by name
//	insert             values are read by the types' input functions, missing
//	                   columns get their defaults, the row goes to the heap,
//	                   then to every index in the order of their OIDs
//	update, delete     the row is found by an index or by a scan, and locked; a
//	                   new version goes to the same page if it can (HOT)
//	truncate           the tables of the message get new files
//	stream start, ...  the transaction is spooled, or applied as it arrives by a
//	                   parallel worker, with its subtransactions
//	prepare            two-phase commit
//	commit             one COMMIT record, if the transaction changed anything
//
// A transaction gets its id when it changes something for the first time. Long
// values go through the toaster, rows of a partitioned table to a partition;
// generated columns, defaults, CHECK constraints, index expressions and predicates
// are computed by package expr. What is not modelled gives an *UnsupportedError
// that names it. In place of an expression that cannot be computed something is
// assumed (Worker.Assumed), and indexes of other access methods than btree and brin
// are left out, unless Options.Exact asks for neither.
//
// Checkpoints and VACUUM run between two messages: as events (Run, Checkpoint,
// Vacuum), or by the clock (package background).
//
// One effect does not repeat on a real server. With synchronous_commit = off, the
// default of a subscription, a commit is on disk only when the WAL writer has come
// round, and until then no hint bit may say so. This decides which visit of a page
// sets hint bits (XLOG/FPI_FOR_HINT), whether an index entry can be marked as dead
// (kill marks, and so simple deletion), which pages VACUUM may mark all-visible
// (Heap2/VISIBLE) and freeze, and the lengths of compressed images. Without a
// WAL writer (background.Schedule) commits count as unflushed until the next checkpoint;
// with synchronous_commit = on none of this matters.
//
// Settings are those of package guc.
//
// Reading order: worker.go (messages), transaction.go, log.go,
// table.go, index.go, relation.go (the relation map), row.go (an insert), modify.go (updates
// and deletes), sequential.go (look-ups without an index), conflict.go; toast.go,
// routing.go (partitions), expressions.go, domain.go, assume.go (what cannot be
// computed), foreign.go and hashrows.go (other access methods), sequence.go, truncate.go, spool.go,
// parallel.go, twophase.go; counters.go, statistics.go; event.go (commands
// beside the stream), vacuum.go;
// load.go (tables that are there before the run); copy.go (COPY), synchronize.go (the initial
// copy); backend.go, backend_copy.go, backend_scan.go,
// backend_keys.go, backend_rows.go and backend_ddl.go (a session of the publisher, on
// the same tables).
package apply
