// Package wal models PostgreSQL's write-ahead log as far as its size and order
// go: which record types there are, how long each record is, at which LSN it
// starts and ends, and how many there are of each kind for each relation.
//
// A record has no content here, only the sizes that make up its length:
//
//	+------------------+------------------------------+------------+----------+------------+------------+
//	| XLogRecord       | block headers                | main data  | origin   | block data | main data  |
//	| header, 24 bytes | 20 for the first reference,  | header, 2  | 3 where  | of each    |            |
//	|                  | 8 for others to the same     | (5 if over | the type | reference  |            |
//	|                  | relation                     | 255 bytes) | has one  |            |            |
//	+------------------+------------------------------+------------+----------+------------+------------+
//
// The access methods (packages heap and index) tell the Log which record they
// write and how many bytes of block data it carries; the Log adds the rest
// from its catalogue, moves the LSN and counts. A Sink, if there is one, gets
// each record in order; nothing is kept otherwise.
//
// Not modelled: the contents of records, buffers and their locks, flushing.
//
// Reading order: catalogue.go (the record types), length.go (the one function
// that computes a length), lsn.go (page and segment headers), log.go.
package wal
