// Accessmethods measures on real servers what indexes of access methods other than btree
// and BRIN write and cost, and fits the prices of model/accessmethod to it.
//
//	go run ./experiments/accessmethods                     the model beside what was measured
//	go run ./experiments/accessmethods --wal --pg PREFIX   WAL by record type, with pg_walinspect
//	go run ./experiments/accessmethods --instructions --pg PREFIX [--extensions vector]
//	                                                       instructions of an apply worker, with valgrind
//	go run ./experiments/accessmethods --fit               prices.json; the table of errors on standard output
//
// A grid (grids.go) is a table with one index and a series of changes that follow from a
// seed: inserted rows, in some grids updates, deletions and a VACUUM. The same changes are
// made by SQL on a server, and by messages on a simulated subscriber. testdata has what was
// measured: wal.csv by grid, phase and record type; instructions.csv of an apply worker with
// the index and without it, for the first rows of a grid.
//
// indexes.csv has what indexes of the scenarios in experiments/advice wrote in all, by
// go run ./experiments/advice --measure wal: workloads that no grid was made for.
//
// Instructions are those of PostgreSQL 18.6 as Debian builds it (-O2), WAL that of 18.1, of
// the extension vector that of 18.6 with pgvector 0.8. What the cost model has for opening
// the index and writing its records is subtracted before prices are fitted.
//
// An error is that of a grid predicted by prices that were fitted to the others: all grids
// of its family are left out. A price that no other grid has is taken from the grid itself.
package main
