// Package timeline simulates in time how changes pass from a publisher's WAL to the rows
// of its subscribers.
//
//	sources --> WAL --> walsender --> network --> apply worker     for each consumer
//	            (t)     CPU, reads    bandwidth   CPU, waits
//	                    and sends     buffer      (parallel workers)
//
// # The axis
//
// A stage's position is the time at which the WAL that it has come to was written. The
// WAL that is written now is at position t, so a stage's lag in seconds is t less its
// position, and its lag in bytes is what was written in between. The WAL is made of
// pieces, in the order in which walsenders hand them out:
//
//	flow   between two times many transactions come at constant rates; what they take
//	       each stage is spread evenly over it
//	lump   one large transaction at the moment of its commit, or a part of it that is
//	       streamed: its work is done while the position stands still
//
// # Events
//
// Between events all rates are constant, so all positions move in straight lines. Events
// are: a source's rate changes, a large transaction begins or commits, a stage comes to
// the end of a piece, catches up with the stage before it, or fills the buffer between
// walsender and worker, a consumer stops or starts, a checkpoint begins or ends, a
// running-xacts record is written. Nothing goes by steps of time: samples are seen
// on a copy of the run and change nothing at all, and events at which nothing happens change
// it by rounding only (random_test.go).
//
// Processes on one host share its cores: each gets what it can use, up to one core, and
// what is missing is missing for those that want most (as CPU schedulers share it out).
// The walsender has to wait while the buffers of the sockets are full, so that a slow
// worker holds it back.
//
// # What is reported
//
// A worker tells the publisher how far it is when it runs out of messages, and when a
// keepalive comes. Keepalives are sent when the walsender has nothing more to send. So
// confirmed_flush_lsn and replay_lsn stand still while a worker works off what is in the
// sockets' buffers and its walsender is behind, too (worker.c LogicalRepApplyLoop,
// send_feedback; walsender.c WalSndWaitForWal).
//
// # Left out
//
// The waiting of one small transaction for another where a stage keeps up: those of a
// source come at even intervals. Keepalives after half of wal_sender_timeout. What the
// memory queue between a leader and its parallel workers does when it is full. A publisher
// whose backends get too little CPU is not slowed down; it is told.
//
// Reading order: setup.go, piece.go, engine.go, rates.go, move.go, keep.go.
package timeline
