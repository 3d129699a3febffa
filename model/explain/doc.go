// Package explain takes one change apart: what the apply worker does with it, step by
// step, which WAL records it writes and what each byte of them is, what it costs, how the
// pages look before and after, and what does not happen although one might expect it.
//
// It is no second simulator. A worker (package apply) applies everything before the
// change and then the change itself, twice: the first run shows which pages will be
// touched, the second one looks at them before the change and after each record.
//
//	Options.Open -> Session: worker and messages
//	      |
//	      +-> run 1 -> plan: pages, index keys, the new row's address
//	      +-> run 2 -> records with their details, pages, counters -> builder -> Explanation
//	                                                                                |
//	                                                            Text, HTML, JSON <--+
//
// What belongs to a change is its own message, the messages before it that begin its
// transaction or describe its table, and the end of its transaction if no other change
// comes before that. So the records of all changes, one after the other, are those of the
// stream, and the steps' counters and CPU add up to the total.
//
// SQL (sql.go) is a small strict reader of one INSERT, UPDATE or DELETE of one row, which
// becomes the messages that a publisher would send for it.
//
// Not explained in detail: TRUNCATE, BRIN indexes and TOAST tables beyond their records,
// what other sessions and VACUUM do beside the stream. Of sequential scans the work is
// the worker's estimate.
//
// Reading order: explain.go (what comes out), run.go (the two runs), plan.go, build.go
// (which step records and work belong to), tell.go, tell_pages.go and hot.go (the words),
// pages.go, message.go, text.go.
package explain
