// Package publisher says what the publisher's side of logical replication costs, as
// far as the published table needs it: the walsender, which decodes, reorders and
// serializes changes, and how long the subscriber takes to catch up after a load.
//
// A walsender's work is counted by a Counter: the WAL that it reads, record by record
// and byte by byte, whatever is published; the row changes, commits and rollbacks among it
// that it decodes; changes that are not published, row filters, columns that a list leaves
// out; what spills to disk or is streamed; and the messages that it sends, value by value.
// Where no WAL was simulated, that of a publisher is assumed all of whose changes are
// sent. The prices in instructions are fitted to a real walsender's
// (experiments/instructions), as those of package cost are. Catalog changes and the
// backends' own work are left out.
//
// Reading order: sender.go, pipeline.go.
package publisher
