// Package pipeline puts a scenario on the way from its publisher to its subscribers, in
// time: what one transaction of each kind costs is simulated, and a timeline is made of
// them.
//
//	scenario --Measure--> cost of a transaction ---Build---> timeline.Run --> Report
//	          publisher:  WAL, byte by byte (apply.Backend)
//	          walsender:  CPU (publisher.Counter), bytes of the stream
//	          subscriber: CPU and WAL (apply.Worker)
//
// A run of days is not simulated row by row. A part of it with the same mix of
// transactions is, with checkpoints, autovacuum and all; the mean of each kind of
// transaction there is what one costs throughout. Transactions that take a stage longer
// than a moment, or that stay open for a while, are looked at one by one; the others flow.
//
// # What is known how well
//
// WAL and the bytes of messages are exact for the simulated part. CPU is calibrated as
// the profile says; the backends' own is what the scenario says of it, or calibrated for
// clients that send each change by itself and wait for the answer. Half of a
// walsender's CPU is taken to be spent when it reads the WAL, half when it hands the
// transaction out (assumed: it matters for large transactions only). Changes passed on
// to a parallel worker are taken to cost the leader what keeping them in a file does.
//
// Reading order: measure.go, build.go, report.go.
package pipeline
