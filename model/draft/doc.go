// Package draft makes a scenario of a schema: it lists every table with guesses of its
// rows, its columns' values and what changes, and takes numbers from a real server's
// statistics where there are any.
//
//	schema.Database --.
//	                  New --guess--> Draft --try--> (tables that stop a run are changed) --Write--> TOML
//	observed.Stats ---'
//
// What is guessed without statistics: a table that others refer to and that refers to none
// has few rows, one that refers to it ten times as many, up to a limit; foreign keys are
// spread over the rows that they refer to; columns with unique values are sequences or
// random uuids and texts; texts are as long as their names suggest; rows are inserted,
// updated and deleted in proportion to a table's size, and updates change columns that
// belong to no key.
//
// What must hold so that a run of the draft does not stop: keys are unique (at least one
// column of each unique index has different values in all rows), values satisfy CHECK
// constraints and domains, and rows of a partition lie within its bounds. Rows that
// constraints refuse are drawn again by the run; where that would be in vain the constants,
// patterns and bounds in them are tried, and where no values are found the table's
// constraints are taken to hold (checks = "assume"). In the end each table is tried: some
// rows are loaded and some changes applied. A table for which that fails is tried again
// with simpler values, and left without changes, with the reason in the file, if nothing
// helps.
//
// Reading order: draft.go, values.go, keys.go, checks.go with pattern.go and fit.go, partitions.go,
// operations.go, try.go, write.go.
package draft
