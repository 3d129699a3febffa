// Package capture reads captured change streams of whatever plugin: pgoutput, for which
// it hands over to package stream, test_decoding, and wal2json in formats 1 and 2. It
// finds out by itself which it is and gives the messages that pgoutput would have sent,
// as far as the text tells them.
//
//	pg_recvlogical -f    ---.
//	psql, aligned or not ---+--> text without frame --> tokens --> Message
//	gzip around either   ---'    (source.go)            (one reader a plugin)
//
// # What is read
//
//	BEGIN 761                                     test_decoding, a message a line, with or
//	table public.t: INSERT: id[integer]:1 ...     without transaction ids and times; texts
//	COMMIT 761 (at 2026-01-01 00:00:00+00)        in quotes may go over several lines
//
//	{"change":[{"kind":"insert",...}]}            wal2json, format 1: an object a
//	{"change":[                                   transaction, on one line, pretty-printed
//	{"kind":"insert",...}                         or in chunks
//	,{"kind":"update",...}
//	]}
//
//	{"action":"B"}                                wal2json, format 2: an object a message
//	{"action":"I","schema":"public",...}
//	{"action":"C"}
//
// Before each message there may be its LSN and transaction id as psql prints them
// (select * from pg_logical_slot_get_changes(...)): aligned, with heading and the mark +
// at the end of lines that go on, or unaligned with '|' or tabs.
//
// # What such a text does not tell
//
// Types stand there by name: those that are built in get their numbers, others none
// that a publisher has. An out-of-line value that did not change is left out by wal2json
// (test_decoding says so): a column that the table is known to have and that an update
// lacks is taken to be one. NaN and the infinities are null in wal2json. Of REPLICA
// IDENTITY FULL, NULLs of the old row are left out by test_decoding and format 1, so that
// a key and a whole row can look alike. A capture may begin within a transaction.
// Transaction ids, LSNs and commit times are made up where the plugin's options leave
// them out. Format 1 does not print TRUNCATE. [Reader.Warnings] lists what the capture at
// hand has of this.
//
// # Errors
//
// Whatever is wrong with a text is an [*Error] with its line. No input makes the
// package panic.
//
// Reading order: reader.go, source.go, tables.go, testdecoding.go, json.go, wal2json.go.
package capture
