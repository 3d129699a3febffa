// Package publisher says what the publisher's side of logical replication costs, as
// far as the published table needs it: the walsender, which decodes, reorders and
// serializes changes, and how long the subscriber takes to catch up after a load.
//
// The walsender's work is read off the messages that it sends (Counter): transactions,
// changes, values by type and format. Its prices in instructions are fitted to a real
// walsender's (experiments/instructions), as those of package cost are. Changes that
// are not published, further indexes on the publisher, row filters and spilling to
// disk are left out.
//
// Reading order: sender.go, pipeline.go.
package publisher
