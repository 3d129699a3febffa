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
// Reading order: settings.go, worker.go (messages and transactions),
// relation.go (tables and the relation map), row.go (an insert), defaults.go,
// counters.go.
package apply
