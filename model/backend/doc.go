// Package backend runs a publisher's SQL session: the row changes of a stream, and what
// a script says of the statements that have made them.
//
//	changes -----.
//	             +--> Runner --> apply.Backend --> heap, index --> wal.Log
//	script ------'
//
// The stream tells which rows changed, in which order. What it does not tell decides WAL
// records, too: how statements found their rows, for pages are pruned when a scan comes
// to them; savepoints; which columns a SET list names; DDL; what was rolled back. The
// script tells it, and statements are matched with the stream's transactions in order.
//
// What a planner without statistics would do is assumed: an index scan where the
// condition gives values for all columns of a unique index, a bitmap scan where it is
// about the first column of another index, else a sequential scan. Without a script each
// change is taken for a statement of its own that finds its row by its key.
//
// What a backend takes for it is a model of its own (work.go): reading and planning
// statements and running them are fitted to a real backend's instructions; what it does to
// tables, indexes and WAL is priced as an apply worker's, which the fit confirms within 1 %.
// Statements are taken to come with their values in the text, one after the other, nothing
// of theirs prepared, in a session whose caches are filled.
//
// Reading order: lex.go, script.go (statements), plan.go (how they find rows), set.go,
// locking.go, stream.go (changes), run.go (statements and changes together), copy.go,
// rolledback.go, prepared.go, work.go.
package backend
