// Package view shows a simulated subscriber as PostgreSQL's own tools show a real
// one, by their names and columns.
//
//	apply.Worker --Find--> Relation --HeapPage--> page_header, heap_page_items
//	                                --BTreePage-> bt_page_stats, bt_page_items
//	                                --BTreeMeta-> bt_metap
//	                                --StatIndex-> pgstatindex
//	                                --StatTuple-> pgstattuple
//	apply.Worker --Statistics--> pg_stat_user_tables and its like
//	             --Listing-----> lines of pg_waldump, pg_get_wal_records_info
//	             --WALStats----> pg_waldump --stats, pg_get_wal_stats
//
// A page is written out byte for byte by the table or index that it belongs to and
// then read as pageinspect reads a real one, so a page that a server gave away
// (get_raw_page) is decoded by the same functions. Each view gives structs for
// programs and Rows for people: text as psql prints it, CSV as COPY writes it, JSON.
//
// # What is not shown
//
// NULL are the checksum of a page, which a server computes only when it writes the page
// out; object ids and times; counters that depend on how fast a process is. The LSN of
// pages that were there before a run is 0/0. Of some records the contents are not
// described, or not all of them (WALRecord.Description).
//
// Reading order: relation.go, page.go (the header), heap.go, btree.go, stat.go, wal.go, rows.go.
package view
