// Package recorded reads cases that were recorded on a real PostgreSQL
// subscriber, replays them and compares the simulated subscriber with the real
// one: every WAL record, the LSNs, line pointers, index items and counters.
//
// A case is a folder:
//
//	case.json       DDL of both sides, the publisher's SQL, settings
//	start.json      version, settings, first LSN, next transaction id, relations;
//	                "collation" names the database's default one, if it is not C
//	stream.tsv.gz   the messages: LSN, xid, hex of one pgoutput message a line
//	events.tsv      what ran on the subscriber beside the stream, if anything
//	load_T.copy.gz  rows that table T had before, if it had any: column names, then lines
//	                of COPY; case.json (load) says how they came there
//	copy_N.copy.gz  what a synchronisation worker has copied, and copy_N.stream.tsv.gz what
//	                it applied then; see synchronize.go
//	records.tsv.gz  every WAL record of the real subscriber
//	expected.json   its state at the end
//
// A replay needs all but the last two. Records that belong to no change
// (checkpoints, catalog pages and the like) are passed over by name, but their
// lengths count for the LSNs.
//
// Reading order: case.go, replay.go, background.go, compare.go, state.go.
package recorded
