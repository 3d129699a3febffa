// Package instructions replays grids of workloads whose instructions were counted on
// a real apply worker (valgrind --tool=callgrind, PostgreSQL 18.6 as Debian builds
// it, x86-64): the work that each step made, and what it took.
package instructions
