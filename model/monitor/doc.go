// Package monitor shows a simulated pipeline as a server's own views do, and puts samples of
// a real system's views beside it.
//
//	scenario, costs --Watch--> Moment ----> rows of five views
//	                             |
//	query.sql --psql--> JSON --Read--> Samples --Compare--> where they part
//
// # The views
//
// pg_replication_slots, pg_stat_replication_slots and pg_stat_replication of the publisher,
// pg_stat_subscription and pg_stat_subscription_stats of the subscribers, with the columns
// of PostgreSQL 18. NULL is what a simulated server does not have: process ids, object ids,
// addresses, the name of a database.
//
// LSNs, wal_status, safe_wal_size and inactive_since come from the timeline. The counters of
// a slot are those of the transactions that its walsender has decoded, each as decoding
// counts a first one of its kind; a large one that is open counts by how much of it was
// read. Lags are how old the WAL was that was reported last, when it was reported; they are
// NULL where nothing has been written since. Conflicts are those of the simulated part, for
// as many changes as were applied. A walsender is in state catchup from a start until it has
// nothing more to send, and streaming from then on.
//
// # Where model and reality part
//
// Two samples of a server give rates between them and positions at the second one. The
// model's figures are taken at the same distance. They are compared in the order in which
// one follows from the other: what is changed, what WAL that makes, what is decoded, what
// the subscriber makes of it, lag. The first that parts is the place to look at.
//
// Reading order: watch.go, views.go; query.sql, read.go, compare.go.
package monitor
