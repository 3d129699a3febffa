// Package workload generates the published insert workload as the stream that
// pgoutput would send: what pg_recvlogical would have written (stream.Raw),
// without a server. A run is fixed by its [Options], seed included.
//
// # The workload
//
// Table events(id bigint primary key, account_id integer, status smallint,
// payload text, updated_at timestamptz), all not null; 500,000 rows in
// transactions of 25. account_id is uniform over 10,000 values (0 to 9999),
// status over five (0 to 4), payload is 32 hex digits of a hash four times over,
// updated_at ascends by 1.7 ms. A row's account, status and payload depend on the
// seed and its id alone, so runs that differ in clients or transactions insert
// the same rows. [Schema] is the DDL with up to four secondary indexes.
//
// # Clients
//
// With one client ids are in order. With more, each runs its transactions one
// after the other beside the others, as pgbench's clients do, and every insert
// takes its id from one sequence. Logical decoding sends transactions whole, in
// the order of their commits, so a stream's ids are then locally out of order,
// and so are its xids. That is simulated; assumed is
//
//   - that every step (an insert with its begin if it is the first, or a commit)
//     takes the same time, and that the client that makes the next step is drawn
//     uniformly from those that have work left. Real clients are scheduled more
//     evenly than that, or stall on locks and flushes much longer;
//   - that the rows left are handed out when a transaction begins, so that the
//     clients stop at about the same time (pgbench -t would give each a fixed
//     number);
//   - that the sequence hands out one id at a time (CACHE 1), and no transaction
//     rolls back, so that no id is missing;
//   - that an xid is assigned at the first insert.
//
// Publisher LSNs and commit times only ascend plausibly: an insert is taken to
// write 240 bytes of WAL, a commit 48; times are those of the simulated clock.
//
// Not here: updates, deletes, other tables, and streamed or two-phase
// transactions.
//
// Reading order: workload.go (what there is to set, the schema), generator.go
// (clients and transactions), row.go (the values).
package workload
