// Package advise says what to change about a subscriber: it tries what the situation
// suggests, each by a run of the scenario's workload, and ranks it by what that saved.
//
//	scenario --> base run --+--> problems: what cannot replicate updates
//	                        '--> candidates --run each--> Advice, ranked
//	                                  '--with goals--> Combination, one step after the other
//
// Where that is too much (hundreds of tables), a candidate is first tried on the changes of
// its table alone (scenario.Part), what concerns the whole server on a sample of the tables,
// and the best are run on the whole workload: Advice.By says which.
//
// Nothing is a rule of thumb: a candidate that does not save anything in its run is not
// advice, however usual it is; it is listed as rejected, with what it would have cost.
//
// # What is tried
//
//   - to drop each secondary index that no constraint needs, and all that keep a table's
//     updates from being HOT at once
//   - to take a column that updates change out of an index, to make an index partial, to
//     make it BRIN where its column follows the order of the rows
//   - fillfactor, for tables whose updates find no room on the page
//   - an index, or a proper replica identity, where REPLICA IDENTITY FULL has the worker
//     scan tables; another order of the indexes where it takes the wrong one
//   - values in binary format; columns that need not be published; keys that ascend with
//     time in place of random ones
//   - checkpoints further apart, images compressed, wal_level
//   - autovacuum of tables that are churned, sooner or later
//
// # What it cannot know
//
// Whether anybody reads an index or a column, what an application relies on, and what
// else the machine has to do. Each piece of advice says so, and what it costs elsewhere.
// Statistics of the server (Options.Scans) say how often an index was read.
//
// Reading order: advise.go, problems.go, candidates.go, index.go, identity.go, stream.go,
// server.go, screen.go, combine.go.
package advise
