// Package observed reads what a real server's statistics say of a database: rows, the
// distribution of columns' values, how often tables change and indexes are read, settings.
//
//	query.sql --psql--> JSON --Read--> Stats --.
//	   (one read-only query)                   Rates, Scans, Column
//	a second sample, later ------> Read, Since-'
//
// Query returns the SQL; it runs on PostgreSQL 15 to 18, on a publisher or a subscriber,
// with no more rights than reading the tables' statistics takes. What a version's views do
// not have is missing in its file (last_idx_scan before 16, n_tup_newpage_upd likewise).
//
// Counters of a server are sums since they were reset. Two samples give what came between
// them; one gives the mean since the reset, or since the cluster began if nobody has reset
// them (Stats.Since). Nothing here guesses: what the file does not say is reported as not
// known.
//
// Reading order: query.sql, stats.go, read.go, counted.go.
package observed
