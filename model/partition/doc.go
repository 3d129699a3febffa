// Package partition routes rows to the partitions of a table, by range, list or
// hash, as ExecFindPartition does.
//
// A Router knows the partitions of one table; a partition that is partitioned
// itself has a Router of its own. Rows are values as stored, one per column of the
// partitioned table; those of the partition key must be plain (not compressed, not
// out of line).
//
// Bounds that are no constants are evaluated once, in New, as the server does when
// the partition is made. Hash partitioning uses the hash functions of package
// opclass; enums are hashed by the OIDs of their labels, which only the server knows
// (Numbered).
//
// Read router.go, then hash.go.
package partition
