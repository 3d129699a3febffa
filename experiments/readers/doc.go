// Package readers has ways to read a slot without a subscriber, what each takes as measured
// on a real server, and when pg_recvlogical says that it has read something.
//
//	readers.csv   CPU seconds of the process that decodes and of the one that reads, after the
//	              published load of 500,000 rows; 11 runs of each reader, in turn
//	confirm.csv   when the slot's position was confirmed
//
// Both come from PostgreSQL 18.6 as Debian builds it (-O2, x86-64), on the loopback:
//
//	go run ./experiments/readers/measure --pg PREFIX -o experiments/readers/readers.csv
//	go run ./experiments/readers/measure --pg PREFIX --confirm -o experiments/readers/confirm.csv
//
// The functions of SQL decode everything into a tuplestore before their first row comes back;
// nothing is sent message by message, and the process takes a third to two thirds of what a
// walsender takes. pg_recvlogical has a walsender send each message by itself, and writes each
// to its file, with a newline, by two calls of the kernel.
package readers
