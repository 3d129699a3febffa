// Package server runs real PostgreSQL servers for a short while and records what
// a subscriber among them does: the ground truth that the simulator is compared
// with.
//
//	Find     a PostgreSQL installation: programs of one version
//	Pool     disposable clusters on the loopback: publishers and subscribers
//	Conn     a client of the simple query protocol
//	Record   one case on a publisher and a subscriber -> a case's folder
//
// # Clusters
//
// A cluster lives in a directory of its own below one that the process makes
// and removes. It is used for one case after the other: what a case has made is
// dropped before the next one. Settings that a running server can change are
// changed by a reload; each combination of the others (wal_level, data checksums
// and so on) gets its own cluster. As root the servers run as another user,
// since they refuse to run as root.
//
// Nothing stays behind: servers are children of this process, which the kernel
// stops when it dies (Linux); a signal ends them and removes their files; what
// was left by a process that was killed is removed by the next one.
//
// # What to mind when recording
//
// While changes are applied nothing may take a snapshot on the subscriber: it
// would hold back the horizon of its transactions, so that rows which the worker
// could prune stay, and the run does not repeat. Whether all is applied is asked
// of the publisher only. Autovacuum and the background writer are off. The
// publisher's SQL comes from one client at a time, so the order of the stream is
// fixed; the stream is what passes between the two. Before the first message there is a
// row in the table marker, a checkpoint, and start.json is written.
//
// Reading order: find.go, client.go, split.go, cluster.go, pool.go, case.go,
// proxy.go, record.go, state.go with blockrefs.go (PostgreSQL 15).
package server
