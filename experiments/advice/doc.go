// Advice tries on real servers whether what `applysim advise` says is right.
//
//	go run ./experiments/advice [--pg PREFIX] [--cpu-pg PREFIX] [--measure wal,cpu,instructions]
//	    [--out FILE] [SCENARIO.toml...]
//
// For each scenario (testdata has nine) advise ranks what to change. The scenario as it
// is and each of the best three pieces of advice are then carried out on a real publisher
// and a real subscriber: the schema with the advice's statements, the rows that are there
// before, and the changes of the scenario's stream, made on the publisher by the SQL that
// `applysim run --write-sql` writes. What the advice saves is shown beside what was
// predicted:
//
//   - wal: the WAL that the subscriber writes, compared by relation and record type, that of
//     indexes which are estimates by relation, within their errors. Records
//     CLOG/ZEROPAGE are left out: which transaction ids a server comes to depends on what it
//     did before.
//
//   - cpu: seconds of the apply worker, which applies at its own pace what was queued while
//     the subscription was disabled; several times, the least counts, as
//     other processes can only add to it. A processor is not
//     that of the profile: what the worker takes without any advice, over all scenarios,
//     gives its speed, by which predictions are scaled. It needs a quiet machine.
//
//   - instructions: the same in a fifth of each scenario's time, counted by callgrind, which
//     does not need one. Those of a worker that applies nothing are subtracted.
//
//   - autovacuum, alone: pieces of advice about autovacuum, of the scenarios in
//     testdata/autovacuum, on a subscriber with autovacuum at work and changes that come at
//     the scenario's pace: WAL and sizes of the tables and indexes. When a VACUUM begins
//     depends on the phase of autovacuum_naptime and on when statistics arrive.
//
// CPU is predicted for PostgreSQL as distributions build it (-O2): --cpu-pg names such an
// installation where --pg is another one. RESULTS.md has the tables that the command
// printed. The exit code is 1 if WAL differs.
package main
