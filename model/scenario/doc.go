// Package scenario runs a synthetic workload on a schema of one's own: it reads a scenario
// file, makes the stream that the publisher would send, lets a simulated subscriber apply
// it, with checkpoints and autovacuum by the clock, and says what that costs.
//
//	file --Read--> Scenario --+-- base schema, settings ----------> Run --> Result
//	                          +-- each variant's DDL and settings -> Run --> Result
//	                          '-- each of these without one index -> Run --> Marginal
//
//	Generator --stream.Message--> apply.Worker <-- background.Schedule (checkpoints, WAL writer)
//	                                           <-- background.Autovacuum
//	                                           <-- events: snapshots that are held
//
// # The file
//
// TOML, read strictly: a key that nobody knows is an error with its line and the nearest
// known key. Settings go by PostgreSQL's names and units.
//
//	schema, seed, start, duration or changes, outage, collation
//	[subscription]                 binary, streaming
//	[[subscription]]               in its place, for the pipeline in time: name, tables,
//	                               streaming, stopped, wait, cores, server, ...
//	[publisher]                    schema, settings, cores, backend, other_wal, disk
//	[network]                      same_host, round_trip, bandwidth, buffer
//	[[slot]]                       name, type, reads, stopped
//	[settings]                     full_page_writes = "off", max_wal_size = "2GB", ...
//	[tables.NAME]                  rows: there before the run; load (copy, indexes first,
//	                               inserts), vacuumed, unpublished: columns that a column
//	                               list leaves out; checks (redraw, assume)
//	[tables.NAME.columns.COLUMN]   kind, distinct, zipf, nulls, width, first, step, scale,
//	                               rows_per_value, values, weights, pattern
//	[[operation]]                  table, do, rows (a transaction), rate or count, columns,
//	                               which, zipf, from, to; then: further steps;
//	                               daily, bursts, begins, ends, lasts
//	[[snapshot]]                   from, until: a transaction holds a snapshot
//	[[variant]]                    name; ddl, drop_index, fillfactor, replica_identity,
//	                               column_type, settings
//
// # The stream
//
// Each operation is a transaction that repeats at even intervals; operations take turns by
// time. A row's values follow from the seed, the table's and column's names and the row's
// number, so that variants apply the same changes. An update gives its columns other values
// than they had, and carries the others as they are; a value that the
// publisher keeps out of line is not carried if it does not change: which values these are
// follows from its toaster's rules (of tables with generated columns or more than 31 it is
// taken to be those of more than 2,000 bytes).
// A row that the publisher's CHECK constraints, domains or partition bounds refuse never
// came into its table: its values are drawn again (checks = "redraw"), or the constraints
// are taken to hold (checks = "assume").
// Rows are chosen among those that are there. What is kept of a row is what its number
// does not tell: the times at which it was written and how often its columns were
// updated, in chunks that are made when they are needed.
//
// Random numbers come from PCG and integer hashes, real ones are computed so that no
// machine's library or fused instructions show: the same scenario and seed give the same
// stream and the same report on any machine.
//
// # Variants
//
// A variant's DDL runs after the schema's. The publisher's tables are those of the
// scenario itself; replica identities and column types follow the variant.
//
// # Left out
//
// Several clients of the publisher at a time (ids are in order), streamed and two-phase
// transactions, TRUNCATE, values of types that nobody can make up (they must be given).
//
// Reading order: scenario.go, read.go with decode.go, lines.go and variant.go; generator.go,
// messages.go, guard.go, rows.go; column.go, text.go, pattern.go, number.go; load.go, run.go, timeline.go, sql.go, result.go, report.go, arrivals.go, pipeline.go,
// figure.go, budget.go.
package scenario
