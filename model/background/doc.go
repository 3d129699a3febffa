// Package background models the processes of a subscriber that act by the clock, beside its
// apply worker.
//
//	change stream --commit times--> Schedule ---> checkpoints, flushes by the WAL writer ---> apply.Worker
//	                                Autovacuum -> VACUUM, ANALYZE ------------------------------^
//
// The clock is that of the stream: each transaction is taken to be applied at the moment when
// it was committed. What a VACUUM or a checkpoint writes is package apply's, and exact; when
// they come on a real server depends on how fast it is, too.
//
// Reading order: schedule.go (checkpoints), walwriter.go, autovacuum.go, reloptions.go.
package background
