// Package commit compares what model/synccommit says of clients that wait for their
// commits with a real publisher and its standbys.
//
// runs.tsv is what `record` has measured: transactions a second and latencies at each
// value of synchronous_commit, by clients and round trip, with the CPU and flushes of all
// processes. waits.json is what `waits` has noted: which values of
// synchronous_standby_names a server takes, whom a quorum waits for, and what becomes of
// commits whose standby has died. crashes.tsv is what `crash` has counted: transactions that
// clients were told of and that were gone after a crash.
package commit
