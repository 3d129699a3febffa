// Advice tries on real servers whether what `applysim advise` says is right.
//
//	go run ./experiments/advice [--pg PREFIX] [--cpu-pg PREFIX] [--out FILE] [SCENARIO.toml...]
//
// For each scenario (testdata has five) advise ranks what to change. The scenario as it
// is and each of the best three pieces of advice are then carried out on a real publisher
// and a real subscriber: the schema with the advice's statements, the rows that are there
// before, and the changes of the scenario's stream, made on the publisher by the SQL that
// `applysim run --write-sql` writes. The WAL that the subscriber writes is compared with
// the simulated one by relation and record type, and what the advice saves is shown beside
// what was predicted.
//
// CPU is measured too: changes are queued while the subscription is disabled, then a
// worker applies them at its own pace; several times, the medians count. A processor is
// not that of the profile: what the worker takes without any advice, over all scenarios,
// gives its speed, by which predictions are scaled.
//
// The table in RESULTS.md is what it printed. The exit code is 1 if WAL differs.
package main
