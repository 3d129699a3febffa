// Package cost says what a simulated apply worker's work would cost a real one:
// instructions first, then seconds of CPU.
//
//	counters ----> Usage ----> instructions by term ----> seconds by term
//	 (apply,      (Measure)        (Model)                   (Profile)
//	 heap, index,
//	 wal)
//
// A term is a kind of work that a real worker does: receive and dispatch a message,
// read a value of a type in a format (by value, byte and element), open an index,
// insert a row, descend a level of a B-tree, compare with an entry, split a page,
// write a WAL record and a byte of it, commit. Measure reads the quantities off the
// counters; nothing is counted for its own sake while changes are applied. The one
// thing that is too expensive to count exactly is which columns the searches in a
// B-tree compare: the first searches and then one in so many are followed.
//
// The model has a price in instructions for each term. It is fitted, by non-negative
// least squares, to what a real apply worker executed for several hundred steps of
// workloads (experiments/instructions), and not only to the totals: within functions
// such as heap_insert or btinsert the counts are known too, and only those terms
// enter there whose work happens within. A term that comes out as nothing is left
// out. Intervals come from fits to grids drawn with replacement. `go generate` makes
// model.json anew from the recorded steps.
//
// What costs the worker no instructions of its own is not in the model: system calls
// (writing WAL and pages, waking up), cache misses. They are the profile's part, which
// turns instructions into seconds on a machine: by transaction, by page that is added, by
// visit to a page that the caches may have lost. A worker that is faster than its
// walsender also waits for it (waiting.go): it is awake for most of the time that the
// walsender needs. That is in the fit of a profile; what replay and run show is the work
// itself.
//
// Left out: the work of other processes than the apply worker, jit, triggers, the
// walwriter's share except as a profile has it.
//
// Reading order: term.go, usage.go, model.go, nnls.go, fit.go, fit_parts.go; profile.go,
// waiting.go, calibrate.go.
package cost
